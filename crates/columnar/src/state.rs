//! What a view shows of a columnar table: its segments, and which of their rows are no more.
//!
//! Not here: which state is used again by another view (`tables`), rows that are no part of a
//! segment (`scan`).

use std::collections::BTreeMap;
use std::sync::Arc;

use rows::error::{Error, Result};
use rows::store::{Direction, Reach, Read};

use crate::dead_pieces;
use crate::dead_rows::DeadRows;
use crate::keys::{self, DEAD, Home, SEGMENTS, SegmentId};
use crate::segment::Segment;

/// Segments of one state.
#[derive(Debug)]
pub(crate) struct State {
    pub moment: u64,
    /// In the order of their numbers.
    pub segments: Vec<Live>,
}

/// A segment, and what of it is alive.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub id: SegmentId,
    pub segment: Arc<Segment>,
    /// Sealed rows that are no more.
    pub dead: DeadRows,
}

impl Live {
    /// Rows that belong to the table.
    pub fn rows(&self) -> u32 {
        self.segment.sealed - self.dead.len() as u32
    }

    /// Whether all that the segment has does.
    pub fn is_whole(&self) -> bool {
        self.segment.sealed == self.segment.rows && self.dead.is_empty()
    }
}

impl State {
    /// Rows in segments.
    pub fn rows(&self) -> u64 {
        self.segments.iter().map(|live| u64::from(live.rows())).sum()
    }
}

/// The segments that a view shows, and which of their rows are no more.
///
/// # Errors
/// Those of reading, `Corrupt`.
pub(crate) fn read(home: Home, view: &dyn Read) -> Result<Vec<Live>> {
    let mut segments = Vec::new();
    let mut cursor = view.scan(&keys::range(home, SEGMENTS), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        let (key, value) = cursor.entry();
        let corrupt = |why| Error::Corrupt { key: key.to_vec(), why };
        let (id, _) =
            keys::segment_of(home, key).ok_or_else(|| corrupt("a segment without a number"))?;
        let segment = Segment::decode(value).map_err(|error| error.at(key))?;
        segments.push(Live { id, segment: Arc::new(segment), dead: DeadRows::default() });
    }
    drop(cursor);
    if home.index.is_some() {
        take_dead(home, &mut segments, dead_pieces::read(home, view)?)?;
        return Ok(segments);
    }
    let mut dead: Vec<u32> = Vec::new();
    let mut of = segments.iter_mut().peekable();
    let mut cursor = view.scan(&keys::range(home, DEAD), Direction::Forward, Reach::Disk)?;
    let end = |live: &mut Live, dead: &mut Vec<u32>| {
        live.dead = live.dead.with(dead);
        dead.clear();
    };
    while cursor.advance()? {
        let key = cursor.key();
        let corrupt = |why| Error::Corrupt { key: key.to_vec(), why };
        let place = keys::segment_of(home, key)
            .and_then(|(id, rest)| Some((id, u32::from_be_bytes(rest.try_into().ok()?))));
        let (id, position) = place.ok_or_else(|| corrupt("a dead row without a place"))?;
        while let Some(live) = of.next_if(|live| live.id < id) {
            end(live, &mut dead);
        }
        match of.peek() {
            Some(live) if live.id == id => {
                // Behind what is sealed nothing is alive anyway.
                if position < live.segment.sealed {
                    dead.push(position);
                }
            }
            _ => return Err(corrupt("a dead row in no segment")),
        }
    }
    if let Some(live) = of.next() {
        end(live, &mut dead);
    }
    Ok(segments)
}

/// Takes dead rows of a columnar index, by segment, into segments in the order of their numbers.
fn take_dead(
    home: Home,
    segments: &mut [Live],
    mut dead: BTreeMap<SegmentId, Vec<u32>>,
) -> Result<()> {
    for live in segments {
        if let Some(dead) = dead.remove(&live.id) {
            if dead.last().is_some_and(|last| *last >= live.segment.sealed) {
                return Err(dead_pieces::damaged(&keys::segment_range(home, DEAD, live.id).start));
            }
            live.dead = live.dead.with(&dead);
        }
    }
    match dead.first_key_value() {
        None => Ok(()),
        Some((id, _)) => {
            let key = keys::segment_range(home, DEAD, *id).start;
            Err(Error::Corrupt { key, why: "a dead row in no segment" })
        }
    }
}
