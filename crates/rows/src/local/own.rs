//! All writes of a transaction in key order: those in memory and those of every run.
//!
//! Invariants
//! 1. Of equal keys the newest write counts; it is shown once.
//!
//! Not here: what lies beneath the writes (`merged`).

use std::collections::btree_map::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::overlay::Recent;
use crate::error::Result;
use crate::run::{Run, RunCursor, SeenWrite, Write};
use crate::store::{Direction, KeyRange};

/// A position among all writes in a range.
pub(crate) struct OwnCursor<'a> {
    direction: Direction,
    recent: Range<'a, Bytes, Write>,
    recent_at: Option<(&'a [u8], &'a Write)>,
    /// Newest first, and whether each stands on an entry.
    runs: Vec<(RunCursor<'a>, bool)>,
    started: bool,
    /// Whose key is the current one: the first shows it. 0 is memory, then the runs.
    current: Vec<usize>,
    /// Writes that were taken back are shown as well.
    shows_unwritten: bool,
}

impl<'a> OwnCursor<'a> {
    /// Before the first write; `runs` from the oldest on.
    pub fn new(
        recent: &'a Recent,
        runs: &'a [Arc<Run>],
        range: &KeyRange,
        direction: Direction,
        shows_unwritten: bool,
    ) -> OwnCursor<'a> {
        let runs = runs.iter().rev().map(|run| (run.cursor(range, direction), false)).collect();
        OwnCursor {
            direction,
            recent: in_range(recent, range),
            recent_at: None,
            runs,
            started: false,
            current: Vec::new(),
            shows_unwritten,
        }
    }

    fn step(&mut self, source: usize) -> Result<()> {
        match source.checked_sub(1) {
            None => {
                let next = match self.direction {
                    Direction::Forward => self.recent.next(),
                    Direction::Backward => self.recent.next_back(),
                };
                self.recent_at = next.map(|(key, write)| (&key[..], write));
            }
            Some(run) => {
                let (cursor, stands) = &mut self.runs[run];
                *stands = cursor.advance()?;
            }
        }
        Ok(())
    }

    fn key_of(&self, source: usize) -> Option<&[u8]> {
        match source.checked_sub(1) {
            None => self.recent_at.map(|(key, _)| key),
            Some(run) => {
                let (cursor, stands) = &self.runs[run];
                stands.then(|| cursor.key())
            }
        }
    }

    /// Moves to the next write; `false` at the end.
    ///
    /// # Errors
    /// Those of reading runs that were written to files.
    pub fn advance(&mut self) -> Result<bool> {
        loop {
            if self.started {
                while let Some(source) = self.current.pop() {
                    self.step(source)?;
                }
            } else {
                self.started = true;
                (0..=self.runs.len()).try_for_each(|source| self.step(source))?;
            }
            let mut current = std::mem::take(&mut self.current);
            let mut best: Option<&[u8]> = None;
            for source in 0..=self.runs.len() {
                let Some(key) = self.key_of(source) else { continue };
                let order = best.map(|best| match self.direction {
                    Direction::Forward => key.cmp(best),
                    Direction::Backward => best.cmp(key),
                });
                match order {
                    None | Some(std::cmp::Ordering::Less) => {
                        best = Some(key);
                        current.clear();
                        current.push(source);
                    }
                    Some(std::cmp::Ordering::Equal) => current.push(source),
                    Some(std::cmp::Ordering::Greater) => {}
                }
            }
            let found = best.is_some();
            self.current = current;
            if !found {
                return Ok(false);
            }
            if self.shows_unwritten || self.write() != SeenWrite::Unwritten {
                return Ok(true);
            }
        }
    }

    /// The current key.
    pub fn key(&self) -> &[u8] {
        let key = self.current.first().and_then(|source| self.key_of(*source));
        key.expect("only after `advance` gave `true`")
    }

    /// The current write.
    pub fn write(&self) -> SeenWrite<'_> {
        match self.current.first().and_then(|source| source.checked_sub(1)) {
            None => self.recent_at.map_or(SeenWrite::Unwritten, |(_, write)| write.seen()),
            Some(run) => self.runs[run].0.write(),
        }
    }
}

/// The writes in memory that lie in a range.
fn in_range<'a>(recent: &'a Recent, range: &KeyRange) -> Range<'a, Bytes, Write> {
    use std::ops::Bound;
    if !range.end.is_empty() && range.start >= range.end {
        return Range::default();
    }
    let end = match &range.end[..] {
        [] => Bound::Unbounded,
        end => Bound::Excluded(end),
    };
    recent.range::<[u8], _>((Bound::Included(&range.start[..]), end))
}
