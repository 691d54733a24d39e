//! What a view shows of a columnar table: its segments, and which of their rows are no more.
//!
//! Invariants
//! 1. A state that was read by one view serves another only if nothing changed in between
//!    (`Known::is_unchanged_since`).
//!
//! Not here: rows that are no part of a segment (`scan`).

use std::sync::Arc;

use rows::error::{Error, Result};
use rows::store::{Direction, Reach, Read};

use crate::dead_rows::DeadRows;
use crate::index::dead;
use crate::keys::{self, DEAD, SEGMENTS, SegmentId};
use crate::segment::Segment;
use crate::tables::{KnownTable, Moment};

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
    /// That of a view, taken at a moment.
    ///
    /// # Errors
    /// Those of reading the list of segments; the state that was remembered stays.
    pub fn of(known: &KnownTable, view: &dyn Read, moment: Moment) -> Result<Arc<State>> {
        let Some(moment) = moment.segments else {
            return Ok(Arc::new(State { moment: 0, segments: read(known, view)? }));
        };
        let mut last = known.state.lock();
        if let Some(state) = &*last
            && known.is_unchanged_since(moment.min(state.moment))
        {
            return Ok(Arc::clone(state));
        }
        let state = Arc::new(State { moment, segments: read(known, view)? });
        if last.as_ref().is_none_or(|last| last.moment <= moment) {
            *last = Some(Arc::clone(&state));
        }
        Ok(state)
    }

    /// Rows in segments.
    pub fn rows(&self) -> u64 {
        self.segments.iter().map(|live| u64::from(live.rows())).sum()
    }
}

fn read(known: &KnownTable, view: &dyn Read) -> Result<Vec<Live>> {
    let mut segments = Vec::new();
    let mut cursor =
        view.scan(&keys::range(known.home, SEGMENTS), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        let (key, value) = cursor.entry();
        let corrupt = |why| Error::Corrupt { key: key.to_vec(), why };
        let (id, _) = keys::segment_of(known.home, key)
            .ok_or_else(|| corrupt("a segment without a number"))?;
        let segment = Segment::decode(value).map_err(|error| error.at(key))?;
        segments.push(Live { id, segment: Arc::new(segment), dead: DeadRows::default() });
    }
    drop(cursor);
    if known.home.index.is_some() {
        dead::read_into(known.home, view, &mut segments)?;
        return Ok(segments);
    }
    let mut dead: Vec<u32> = Vec::new();
    let mut of = segments.iter_mut().peekable();
    let mut cursor = view.scan(&keys::range(known.id, DEAD), Direction::Forward, Reach::Disk)?;
    let end = |live: &mut Live, dead: &mut Vec<u32>| {
        live.dead = live.dead.with(dead);
        dead.clear();
    };
    while cursor.advance()? {
        let key = cursor.key();
        let corrupt = |why| Error::Corrupt { key: key.to_vec(), why };
        let place = keys::segment_of(known.home, key)
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
