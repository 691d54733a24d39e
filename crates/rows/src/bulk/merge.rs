//! Merging: sorters' entries in a range, from their memory and all of their runs, in one order.
//!
//! Invariants
//! 1. `heap[0]` is the source with the smallest key; every parent's key is below its children's.
//!
//! Not here: which entries are kept (`duplicates`).

use std::ops::Range;

use super::sorter::{Sorter, front};
use crate::error::Result;
use crate::run::{Run, RunCursor};
use crate::store::{Direction, KeyRange};

/// Bytes of a row's number behind a key.
pub(super) const NUMBER_BYTES: usize = 8;

/// Where entries come from.
enum MergeSource<'a> {
    Run(RunCursor<'a>),
    Memory { sorter: &'a Sorter, next: Range<usize>, at: usize },
}

impl MergeSource<'_> {
    fn advance(&mut self) -> Result<bool> {
        match self {
            MergeSource::Run(cursor) => cursor.advance(),
            MergeSource::Memory { sorter, next, at } => {
                let Some(next) = next.next() else { return Ok(false) };
                sorter.fetch_around(next);
                *at = next;
                Ok(true)
            }
        }
    }

    fn key(&self) -> &[u8] {
        match self {
            MergeSource::Run(cursor) => cursor.key(),
            MergeSource::Memory { sorter, at, .. } => sorter.at(*at).0,
        }
    }

    fn value(&self) -> &[u8] {
        match self {
            MergeSource::Run(cursor) => cursor.write().value().unwrap_or_default(),
            MergeSource::Memory { sorter, at, .. } => sorter.at(*at).1,
        }
    }
}

/// A source in the heap, with what tells most keys apart.
#[derive(Clone, Copy)]
struct Head {
    front: u64,
    source: usize,
}

/// Entries of several sources, in order.
pub(crate) struct Merge<'a> {
    sources: Vec<MergeSource<'a>>,
    heap: Vec<Head>,
    shared: usize,
    started: bool,
}

impl<'a> Merge<'a> {
    /// All entries of sorters of one index in a range; their memory must be sorted.
    ///
    /// # Errors
    /// Those of reading runs.
    pub fn of_sorters(sorters: &'a [Sorter], range: &KeyRange) -> Result<Merge<'a>> {
        let mut sources = Vec::new();
        for sorter in sorters {
            sources.extend(runs(sorter.runs(), range));
            sources.push(MergeSource::Memory { sorter, next: sorter.places(range), at: 0 });
        }
        Merge::new(sources, sorters.first().map_or(0, Sorter::shared))
    }

    /// All entries of runs in a range.
    ///
    /// # Errors
    /// Those of reading runs.
    pub fn of_runs(of: &'a [Run], range: &KeyRange, shared: usize) -> Result<Merge<'a>> {
        Merge::new(runs(of, range).collect(), shared)
    }

    fn new(mut sources: Vec<MergeSource<'a>>, shared: usize) -> Result<Merge<'a>> {
        let mut heap = Vec::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            if source.advance()? {
                heap.push(Head { front: front(source.key(), shared), source: number });
            }
        }
        let mut merge = Merge { sources, heap, shared, started: false };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sink(at);
        }
        Ok(merge)
    }

    /// Moves to the next entry; `false` at the end.
    ///
    /// # Errors
    /// Those of reading runs.
    pub fn advance(&mut self) -> Result<bool> {
        if !std::mem::replace(&mut self.started, true) {
            return Ok(!self.heap.is_empty());
        }
        let Some(first) = self.heap.first_mut() else { return Ok(false) };
        let source = &mut self.sources[first.source];
        if source.advance()? {
            first.front = front(source.key(), self.shared);
        } else {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(!self.heap.is_empty())
    }

    fn is_less(&self, left: usize, right: usize) -> bool {
        let (left, right) = (self.heap[left], self.heap[right]);
        match left.front.cmp(&right.front) {
            std::cmp::Ordering::Equal => {
                self.sources[left.source].key() < self.sources[right.source].key()
            }
            order => order.is_lt(),
        }
    }

    /// Moves a head down to where its children are larger.
    fn sink(&mut self, mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                return;
            }
            if child + 1 < self.heap.len() && self.is_less(child + 1, child) {
                child += 1;
            }
            if !self.is_less(child, at) {
                return;
            }
            self.heap.swap(at, child);
            at = child;
        }
    }

    fn current(&self) -> &MergeSource<'a> {
        let head = self.heap.first().expect("only after `advance` gave `true`");
        &self.sources[head.source]
    }

    /// Key of the current entry, with its number.
    pub fn key(&self) -> &[u8] {
        self.current().key()
    }

    /// Key of the current entry, and its number.
    pub fn numbered(&self) -> (&[u8], u64) {
        let key = self.key();
        let (key, number) = key.split_last_chunk::<NUMBER_BYTES>().expect("a number ends each key");
        (key, u64::from_be_bytes(*number))
    }

    /// Value of the current entry.
    pub fn value(&self) -> &[u8] {
        self.current().value()
    }
}

fn runs<'a>(runs: &'a [Run], range: &KeyRange) -> impl Iterator<Item = MergeSource<'a>> {
    runs.iter().map(|run| MergeSource::Run(run.cursor(range, Direction::Forward)))
}
