//! A store that keeps the rows of some tables by column, on top of one that keeps bytes.
//!
//! To whoever reads through `rows::store` nothing differs: where the store beneath has a place
//! instead of a row, the row is made of its columns. Rows are written as rows, with a note that they
//! are recent; who replaces or removes a row of a segment also notes that its place is dead. All of
//! it is in the batch that changes the row, so that a commit, a snapshot and a copy have both.
//! Later the `mover` makes segments of recent rows; loads make them at once (`ingest`).
//!
//! Invariants
//! 1. Who writes a row holds its lock, so what the store has in its place does not change meanwhile.
//! 2. For a table that is not columnar no call does more than a look at a number.
//!
//! Not here: how a place becomes a row (`reader`), what a scan by column sees (`scan`).

use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rows::error::{Error, Result, Wait};
use rows::local::{LocalStore, LocalTransaction, SortedWrites};
use rows::locks::LockTable;
use rows::store::{
    Batch, Change, Cursor, Direction, Durability, Ingestion, KeyRange, Reach, Read, Store,
    StoreStatus, StoreTransaction,
};
use rows::table::Table;

use crate::cache::Cache;
use crate::ingest::Sealing;
use crate::keys::{self, Place};
use crate::reader::{Columns, Reader, RowCursor, View};
use crate::scan::TableColumns;
use crate::tables::{Changing, Known, Tables};

/// Bytes of rows that make a segment full: a part of the memory, within limits.
const SEGMENT_PART: usize = 64;
const SEGMENT_BYTES_MIN: usize = 1 << 20;
const SEGMENT_BYTES_MAX: usize = 32 << 20;

/// A store with columnar tables; clones are handles of the same one.
pub struct ColumnStore<S> {
    pub(crate) inner: S,
    pub(crate) columns: Arc<Columns>,
}

impl<S: Clone> Clone for ColumnStore<S> {
    fn clone(&self) -> ColumnStore<S> {
        ColumnStore { inner: self.inner.clone(), columns: Arc::clone(&self.columns) }
    }
}

/// A state of the store.
pub(crate) struct ColumnSnapshot {
    pub inner: Arc<dyn Read>,
    pub columns: Arc<Columns>,
    /// As `Tables::at_moment` says.
    pub moment: Option<u64>,
}

/// Notes that go with a batch, and what is to be counted when it is written.
#[derive(Default)]
struct Notes {
    changes: Vec<Change>,
    /// Tables with the change in their number of recent rows.
    recent: Vec<(Arc<Known>, i64)>,
    changing: Vec<(u32, Changing)>,
}

impl<S: Store + LocalStore> ColumnStore<S> {
    /// On top of a store, with so many bytes of memory, which it lends, for columns.
    pub fn new(inner: S, memory_bytes: usize) -> ColumnStore<S> {
        let lender = inner.clone();
        let columns = Columns {
            tables: Tables::default(),
            cache: Cache::new(memory_bytes),
            segment_bytes: (memory_bytes / SEGMENT_PART)
                .clamp(SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX),
            lend: Box::new(move |bytes| lender.lend(bytes)),
        };
        ColumnStore { inner, columns: Arc::new(columns) }
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { columns: &self.columns, inner: &self.inner }
    }

    /// The notes for a row that is written, or removed if `put` is false.
    fn note(&self, key: &[u8], put: bool, reach: Reach, notes: &mut Notes) -> Result<()> {
        let Some(id) = keys::table_of_row(key) else { return Ok(()) };
        let Some(known) = self.columns.tables.get(id) else { return Ok(()) };
        let mut before = Vec::new();
        let was_there = self.inner.get(key, reach, &mut before)?;
        let place = was_there.then(|| Place::of(&before)).flatten();
        let was_recent = was_there && place.is_none();
        if let Some(place) = place {
            notes.changes.push(Change::Put(keys::dead(id, place), Vec::new()));
            if !notes.changing.iter().any(|(changing, _)| *changing == id) {
                notes.changing.push((id, self.columns.tables.change(&known)));
            }
            known.is_worn.store(true, Ordering::Relaxed);
        }
        if put != was_recent {
            let recent = keys::recent(id, key);
            notes.changes.push(match put {
                true => Change::Put(recent, Vec::new()),
                false => Change::Delete(recent),
            });
            let difference = if put { 1 } else { -1 };
            match notes.recent.iter_mut().find(|(of, _)| of.id == id) {
                Some((_, count)) => *count += difference,
                None => notes.recent.push((known, difference)),
            }
        }
        Ok(())
    }

    /// The batches with their notes; `None` when there are none.
    fn noted(&self, batches: &[&Batch], reach: Reach) -> Result<Option<(Vec<Batch>, Notes)>> {
        if self.columns.tables.is_empty() {
            return Ok(None);
        }
        let mut notes = Notes::default();
        for change in batches.iter().flat_map(|batch| &batch.changes) {
            match change {
                Change::Put(key, _) => self.note(key, true, reach, &mut notes)?,
                Change::Delete(key) => self.note(key, false, reach, &mut notes)?,
                Change::DeleteRange(_) => {}
            }
        }
        if notes.changes.is_empty() && notes.recent.is_empty() {
            return Ok(None);
        }
        // As one: batches that are handed over together may be made one atomic whole.
        let changes = batches.iter().flat_map(|batch| batch.changes.iter().cloned());
        let mut whole = Batch { changes: changes.collect() };
        whole.changes.append(&mut notes.changes);
        Ok(Some((vec![whole], notes)))
    }

    /// After the write of notes.
    fn settle(&self, notes: Notes) {
        for (known, count) in notes.recent {
            known.recent.fetch_add(count, Ordering::Relaxed);
            known.is_busy.store(true, Ordering::Relaxed);
        }
        drop(notes.changing);
    }

    /// Forgets tables whose whole range was removed.
    fn forget(&self, batches: &[&Batch]) {
        if self.columns.tables.is_empty() {
            return;
        }
        for change in batches.iter().flat_map(|batch| &batch.changes) {
            if let Change::DeleteRange(range) = change
                && let Ok(start) = <[u8; 4]>::try_from(&range.start[..])
            {
                self.columns.tables.forget(|id| id == u32::from_be_bytes(start));
            }
        }
    }

    fn scan_of<'a>(
        columns: &'a Columns,
        inner: &'a dyn Read,
        own: impl FnOnce() -> Result<Option<Arc<dyn Read>>>,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let known = keys::table_of_row(&range.start).and_then(|id| columns.tables.get(id));
        let Some(known) = known else { return inner.scan(range, direction, reach) };
        let _unmoved = known.moving.read();
        let view = match own()? {
            Some(view) => View::Own(view),
            None => View::Borrowed(inner),
        };
        let cursor = inner.scan(range, direction, reach)?;
        Ok(Box::new(RowCursor::new(cursor, columns, view, reach)))
    }
}

/// As `Read::get_many`, with rows in the place of where they are.
fn get_many(
    reader: Reader<'_>,
    keys: &[Vec<u8>],
    reach: Reach,
    each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
) -> Result<()> {
    if reader.columns.tables.is_empty() {
        return reader.inner.get_many(keys, reach, each);
    }
    let mut row = Vec::new();
    reader.inner.get_many(keys, reach, &mut |at, value| {
        let is_place = value.is_some_and(|value| Place::of(value).is_some());
        if is_place && keys::table_of_row(&keys[at]).is_some() {
            let found = reader.get(&keys[at], reach, &mut row)?;
            return each(at, found.then_some(&row[..]));
        }
        each(at, value)
    })
}

impl<S: Store + LocalStore> Read for ColumnStore<S> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.reader().get(key, reach, value)
    }

    fn sequence(&self) -> Option<u64> {
        self.inner.sequence()
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        get_many(self.reader(), keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let own = || self.inner.snapshot().map(Some);
        Self::scan_of(&self.columns, &self.inner, own, range, direction, reach)
    }
}

impl Read for ColumnSnapshot {
    fn beneath(&self, _: &KeyRange) -> Option<&dyn Any> {
        Some(self)
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.reader().get(key, reach, value)
    }

    fn sequence(&self) -> Option<u64> {
        self.inner.sequence()
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        get_many(self.reader(), keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let known = keys::table_of_row(&range.start).and_then(|id| self.columns.tables.get(id));
        let cursor = self.inner.scan(range, direction, reach)?;
        Ok(match known {
            None => cursor,
            Some(_) => {
                let view = View::Borrowed(&*self.inner);
                Box::new(RowCursor::new(cursor, &self.columns, view, reach))
            }
        })
    }
}

impl ColumnSnapshot {
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { columns: &self.columns, inner: &*self.inner }
    }
}

/// What a view shows of a columnar table by column; `None` when the table is none, or when the view
/// has writes of its own over it.
///
/// # Errors
/// `Corrupt`, `Store`.
pub fn columns_of(view: &dyn Read, table: &Table) -> Result<Option<TableColumns>> {
    if !table.columnar {
        return Ok(None);
    }
    let beneath = view.beneath(&table.index_range(0));
    match beneath.and_then(<dyn Any>::downcast_ref::<ColumnSnapshot>) {
        Some(snapshot) => TableColumns::of(snapshot, table),
        None => Ok(None),
    }
}

impl<S: Store + LocalStore> LocalStore for ColumnStore<S> {
    fn locks(&self) -> &LockTable {
        self.inner.locks()
    }

    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.write(batch, durability)
    }

    fn apply_sorted(&self, writes: &mut SortedWrites<'_>) -> Result<()> {
        if self.columns.tables.is_empty() {
            return self.inner.apply_sorted(writes);
        }
        let mut notes = Notes::default();
        let mut noting = NotedWrites { of: self, writes, notes: &mut notes, waiting: None };
        self.inner.apply_sorted(&mut std::iter::from_fn(|| noting.next().transpose()))?;
        self.settle(notes);
        Ok(())
    }
}

/// Sorted writes with their notes, which lie behind all rows and entries of their table.
struct NotedWrites<'w, 'a, S> {
    of: &'w ColumnStore<S>,
    writes: &'w mut SortedWrites<'a>,
    notes: &'w mut Notes,
    /// The first write behind the notes that are given out now.
    waiting: Option<SortedWrite>,
}

type SortedWrite = (Vec<u8>, Option<Vec<u8>>);

impl<S: Store + LocalStore> NotedWrites<'_, '_, S> {
    fn next(&mut self) -> Result<Option<SortedWrite>> {
        if self.waiting.is_none() {
            let next = self.writes.next().transpose()?;
            let table = |key: &[u8]| key.get(..4).map(<[u8]>::to_vec);
            let noted = self.notes.changes.first().map(key_of).and_then(table);
            let is_same_table = match &next {
                Some((key, _)) => noted.is_none() || noted == table(key),
                None => false,
            };
            if let (Some((key, value)), true) = (&next, is_same_table) {
                self.of.note(key, value.is_some(), Reach::Disk, self.notes)?;
                return Ok(next);
            }
            // Ascending from the back, for which they are taken.
            self.notes.changes.sort_by(|a, b| key_of(b).cmp(key_of(a)));
            self.waiting = next;
        }
        match self.notes.changes.pop() {
            Some(Change::Put(key, value)) => Ok(Some((key, Some(value)))),
            Some(Change::Delete(key)) => Ok(Some((key, None))),
            Some(Change::DeleteRange(_)) | None => {
                let next = self.waiting.take();
                if let Some((key, value)) = &next {
                    self.of.note(key, value.is_some(), Reach::Disk, self.notes)?;
                }
                Ok(next)
            }
        }
    }
}

fn key_of(change: &Change) -> &[u8] {
    match change {
        Change::Put(key, _) | Change::Delete(key) => key,
        Change::DeleteRange(range) => &range.start,
    }
}

impl<S: Store + LocalStore> Store for ColumnStore<S> {
    fn know(&self, table: &Arc<Table>) {
        if table.columnar {
            self.columns.tables.know(table);
        }
        self.inner.know(table);
    }

    fn lend(&self, bytes: usize) {
        self.inner.lend(bytes);
    }

    fn snapshot(&self) -> Result<Arc<dyn Read>> {
        let (inner, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
        Ok(Arc::new(ColumnSnapshot { inner, columns: Arc::clone(&self.columns), moment }))
    }

    fn write_all(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        match self.noted(batches, Reach::Disk)? {
            None => self.inner.write_all(batches, durability)?,
            Some((noted, notes)) => {
                let noted: Vec<&Batch> = noted.iter().collect();
                self.inner.write_all(&noted, durability)?;
                self.settle(notes);
            }
        }
        self.forget(batches);
        Ok(())
    }

    fn try_write_all(&self, batches: &[&Batch], durability: Durability) -> Result<bool> {
        let noted = match self.noted(batches, Reach::Memory) {
            Err(Error::WouldWait(Wait::Disk)) => return Ok(false),
            noted => noted?,
        };
        let written = match noted {
            None => self.inner.try_write_all(batches, durability)?,
            Some((noted, notes)) => {
                let noted: Vec<&Batch> = noted.iter().collect();
                let written = self.inner.try_write_all(&noted, durability)?;
                if written {
                    self.settle(notes);
                }
                written
            }
        };
        if written {
            self.forget(batches);
        }
        Ok(written)
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }

    fn begin(&self) -> Result<Box<dyn StoreTransaction>> {
        Ok(Box::new(LocalTransaction::new(self.clone())))
    }

    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64> {
        if self.columns.tables.is_empty() {
            return self.inner.ingest(entries);
        }
        let ingestion = self.ingestion()?;
        let count = ingestion.add(&mut Listed { entries, current: Default::default() })?;
        ingestion.finish()?;
        Ok(count)
    }

    fn ingestion(&self) -> Result<Box<dyn Ingestion>> {
        let inner = self.inner.ingestion()?;
        Ok(match self.columns.tables.is_empty() {
            true => inner,
            false => Box::new(Sealing::new(inner, &self.columns, Box::new(self.inner.clone()))),
        })
    }

    fn check_room(&self, bytes: u64) -> Result<()> {
        self.inner.check_room(bytes)
    }

    fn checkpoint(&self, directory: &Path) -> Result<()> {
        self.inner.checkpoint(directory)
    }

    fn reclaim(&self, range: &KeyRange) -> Result<()> {
        self.inner.reclaim(range)
    }

    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_bytes(range)
    }

    fn verify(&self) -> Result<()> {
        self.inner.verify()
    }

    fn status(&self) -> StoreStatus {
        let mut status = self.inner.status();
        let (bytes, hits, misses) = self.columns.cache.status();
        status.memory_bytes += bytes as u64;
        for (name, figure) in [
            ("column-cache-bytes", bytes as u64),
            ("column-cache-hits", hits),
            ("column-cache-misses", misses),
        ] {
            status.figures.push((name.to_string(), figure));
        }
        status
    }
}

/// Entries of an iterator as a cursor.
struct Listed<'a> {
    entries: &'a mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>,
    current: (Vec<u8>, Vec<u8>),
}

impl Cursor for Listed<'_> {
    fn advance(&mut self) -> Result<bool> {
        let Some(next) = self.entries.next() else { return Ok(false) };
        self.current = next?;
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
