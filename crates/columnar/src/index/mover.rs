//! What moves in the background of a columnar index: changed rows into segments, and rows of
//! segments that have lost many into new ones.
//!
//! The mover reads one state: some notes, the rows that these name, and their places. It makes
//! columns of the rows and writes them where nobody sees them. Then it goes through the rows a few at a
//! time: in one batch their old places are dead, they have their new ones, their notes go, and the
//! segment is listed up to there. Whoever changed such a row meanwhile has left a further note, so
//! that the row is read as it is from the first state on that shows the change.
//!
//! Rows of worn segments go the same way, without notes.
//!
//! Invariants
//! 1. No lock of a row is taken, and no writer waits, but for its turn to write a batch.
//!
//! Not here: when rounds take place (the server).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rows::error::{Error, Result};
use rows::local::LocalStore;
use rows::store::{Change, Direction, Reach, Read, Store};
use rows::table::{PRIMARY, Table};
use rows::{Datum, Engine, Value, interrupt};

use super::dead;
use super::delta::{LOOKUPS, places_of, row_of_note};
use crate::build::{Builder, OWN_NUMBER, ROWS_MAX};
use crate::column::Column;
use crate::keys::{self, NOTES, Place, ROW_ID_SLOT};
use crate::mover::{RECENT_FEW, RECENT_MANY, Round, SMALL_COUNT, enter};
use crate::reader::Reader;
use crate::state::{Live, State};
use crate::store::ColumnStore;
use crate::tables::Known;

/// Notes that are taken at once.
const NOTES_MAX: usize = ROWS_MAX as usize;
/// Rows moved by one commit.
const COMMIT_ROWS: usize = 1024;
/// A segment is worn when it has lost one row in so many: its rows are read one by one to be moved,
/// and dead ones cost a query little.
const WORN_PART: u32 = 2;
/// A segment with less than this part of the rows of a full one is small, and many small ones become
/// one: those of a usual round are not.
const SMALL_PART: u32 = 16;

/// Changed rows by their keys, ascending, and the versions of the notes about each.
#[derive(Default)]
struct Changed {
    rows: Vec<(Vec<u8>, Range<usize>)>,
    versions: Vec<u64>,
}

/// A row on its way into a segment.
struct Moved {
    /// Among the changed ones.
    row: usize,
    from: Option<Place>,
    /// Its position in the new segment; none: it is no more.
    position: Option<u32>,
}

impl<S: Store + LocalStore> ColumnStore<S> {
    /// Moves what is to be moved of a columnar index.
    pub(crate) fn move_index(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<Known>,
        round: &mut Round,
    ) -> Result<()> {
        let table = known.table();
        // Of a copy that is being made nothing is known yet.
        if !table.is_current() {
            return Ok(());
        }
        if !known.has_begun.load(Ordering::Relaxed) {
            self.begin_segments(known)?;
            known.has_begun.store(true, Ordering::Relaxed);
        }
        let changes = table.changes();
        let was_busy = known.changes_seen.swap(changes, Ordering::Relaxed) != changes;
        if !was_busy && known.recent.load(Ordering::Relaxed) < RECENT_FEW {
            return Ok(());
        }
        while !interrupt::is_wanted() {
            let view = self.inner.snapshot()?;
            let changed = changed_rows(known, &*view)?;
            let notes = changed.versions.len();
            known.recent.store(notes as i64, Ordering::Relaxed);
            if (notes as i64) < RECENT_FEW || was_busy && (notes as i64) < RECENT_MANY {
                break;
            }
            self.seal_rows(engine, known, &table, &*view, &changed, round)?;
            known.recent.store(0, Ordering::Relaxed);
            if notes < NOTES_MAX {
                break;
            }
        }
        if known.is_worn.swap(false, Ordering::Relaxed) {
            self.renew_index(engine, known, &table, round)?;
        }
        Ok(())
    }

    /// Makes segments of rows as a view shows them, and gives them their places.
    fn seal_rows(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<Known>,
        table: &Arc<Table>,
        view: &dyn Read,
        changed: &Changed,
        round: &mut Round,
    ) -> Result<()> {
        let mut builder = Builder::of_index(table, self.columns.segment_bytes)?;
        let mut moved = Vec::new();
        let mut first = 0;
        for rows in changed.rows.chunks(LOOKUPS) {
            let row_keys: Vec<Vec<u8>> = rows.iter().map(|(key, _)| key.clone()).collect();
            let places = places_of(known, view, &row_keys)?;
            view.get_many(&row_keys, Reach::Disk, &mut |at, row| {
                let position =
                    row.map(|row| builder.add(&row_keys[at], row, Some(0))).transpose()?;
                moved.push(Moved { row: first + at, from: places[at], position });
                Ok(())
            })?;
            first += rows.len();
            if builder.is_full() {
                self.finish_segment(engine, known, table, &mut builder, changed, &moved, round)?;
                moved.clear();
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        self.finish_segment(engine, known, table, &mut builder, changed, &moved, round)
    }

    /// Writes the columns of a segment, then moves its rows into it.
    #[expect(clippy::too_many_arguments, reason = "one step of `seal_rows`, which has them all")]
    fn finish_segment(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<Known>,
        table: &Arc<Table>,
        builder: &mut Builder,
        changed: &Changed,
        moved: &[Moved],
        round: &mut Round,
    ) -> Result<()> {
        let mut segment = None;
        if builder.rows() > 0 {
            let built = builder.finish()?;
            let made = built.segment.clone();
            segment = Some((self.write_columns(engine, known, table, built)?, made));
            round.segments += 1;
        }
        let mut is_listed = false;
        for moved in moved.chunks(COMMIT_ROWS) {
            let inside = enter(engine, known, table);
            let placed = inside.and_then(|_inside| {
                let mut changes = Vec::with_capacity(moved.len() * 3);
                let died = moved.iter().filter_map(|moved| moved.from);
                dead::add(known.home, &self.inner, died, &mut changes)?;
                for Moved { row, from, position } in moved {
                    let (key, notes) = &changed.rows[*row];
                    match (position, &segment) {
                        (Some(position), Some((segment, _))) => {
                            let place = Place { segment: *segment, position: *position };
                            let key = keys::place(known.home, key);
                            changes.push(Change::Put(key, place.bare()));
                        }
                        _ if from.is_some() => {
                            changes.push(Change::Delete(keys::place(known.home, key)));
                        }
                        _ => {}
                    }
                    let notes = changed.versions[notes.clone()].iter();
                    changes.extend(
                        notes.map(|version| Change::Delete(keys::note(known.home, *version))),
                    );
                }
                let last = moved.iter().rev().find_map(|moved| moved.position);
                if let (Some(last), Some((id, segment))) = (last, &mut segment) {
                    segment.sealed = last + 1;
                    changes.push(Change::Put(keys::segment(known.home, *id), segment.encode()));
                    is_listed = true;
                }
                known.is_worn.store(true, Ordering::Relaxed);
                self.write_segments(known, changes)
            });
            if let (Err(_), false, Some((id, _))) = (&placed, is_listed, &segment) {
                self.remove_unlisted(known, *id);
            }
            placed?;
            round.rows += moved.len() as u64;
        }
        Ok(())
    }

    /// Makes new segments of worn and small ones, and removes those without rows.
    fn renew_index(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<Known>,
        table: &Arc<Table>,
        round: &mut Round,
    ) -> Result<()> {
        let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
        let state = State::of(known, &*view, moment)?;
        // Full by its bytes, a segment has few rows and is not small.
        let is_small = |live: &&Live| {
            let rows = live.segment.rows.max(1);
            let bytes = live.segment.plain_bytes * u64::from(live.rows()) / u64::from(rows);
            live.rows() < ROWS_MAX / SMALL_PART
                && bytes < self.columns.segment_bytes as u64 / u64::from(SMALL_PART)
        };
        let small = state.segments.iter().filter(is_small).count();
        let is_worn =
            |live: &&Live| live.rows() <= live.segment.rows - live.segment.rows.div_ceil(WORN_PART);
        let wanted = |live: &&Live| is_worn(live) || small >= SMALL_COUNT && is_small(live);
        let mut waiting: Vec<&Live> = Vec::new();
        let mut changed = Changed::default();
        let mut worn = state.segments.iter().filter(wanted).peekable();
        while let Some(live) = worn.next() {
            self.rows_of_segment(known, table, &*view, live, &mut changed)?;
            waiting.push(live);
            let next = worn.peek().map_or(ROWS_MAX, |next| next.rows());
            if changed.rows.len() + next as usize > ROWS_MAX as usize || worn.peek().is_none() {
                changed.rows.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
                self.seal_rows(engine, known, table, &*view, &changed, round)?;
                for live in waiting.drain(..) {
                    let _inside = enter(engine, known, table)?;
                    self.remove_if_dead(known, live.id)?;
                }
                changed = Changed::default();
            }
            if interrupt::is_wanted() {
                break;
            }
        }
        Ok(())
    }

    /// The keys of the rows of a segment that are alive.
    fn rows_of_segment(
        &self,
        known: &Known,
        table: &Table,
        view: &dyn Read,
        live: &Live,
        changed: &mut Changed,
    ) -> Result<()> {
        let reader = Reader { columns: &self.columns, inner: view };
        let key_columns = key_columns(&reader, known, table, live)?;
        let mut dead = live.dead.iter().peekable();
        for position in 0..live.segment.sealed {
            if dead.next_if_eq(&&position).is_none() {
                changed.rows.push((key_columns.row_key(table, position as usize)?, 0..0));
            }
        }
        Ok(())
    }
}

/// The first rows that notes name, and these notes.
fn changed_rows(known: &Known, view: &dyn Read) -> Result<Changed> {
    let prefix = keys::prefix(known.id, PRIMARY);
    let mut notes: Vec<(Vec<u8>, u64)> = Vec::new();
    let mut cursor = view.scan(&keys::range(known.home, NOTES), Direction::Forward, Reach::Disk)?;
    while notes.len() < NOTES_MAX && cursor.advance()? {
        let (note, row_key) = cursor.entry();
        let damaged = || Error::Corrupt { key: note.to_vec(), why: "a note without a version" };
        let version = keys::version_of_note(known.home, note).ok_or_else(damaged)?;
        notes.push((row_of_note(&prefix, row_key), version));
    }
    drop(cursor);
    notes.sort_unstable();
    let mut changed = Changed::default();
    for (row_key, version) in notes {
        let at = changed.versions.len();
        changed.versions.push(version);
        match changed.rows.last_mut() {
            Some((last, versions)) if *last == row_key => versions.end = at + 1,
            _ => changed.rows.push((row_key, at..at + 1)),
        }
    }
    Ok(changed)
}

/// What the keys of the rows of a segment are made of.
enum KeyColumns {
    RowIds(Arc<Column>),
    /// By part of the primary key.
    Parts(Vec<(usize, Arc<Column>)>),
}

/// Those of a segment.
fn key_columns(
    reader: &Reader<'_>,
    known: &Known,
    table: &Table,
    live: &Live,
) -> Result<KeyColumns> {
    if table.has_hidden_key() {
        return reader.stored_column(known.home, live, ROW_ID_SLOT).map(KeyColumns::RowIds);
    }
    let parts = table.codecs[0].parts.iter().map(|part| {
        let slot = table.columns[part.column].slot;
        Ok((part.column, reader.stored_column(known.home, live, slot)?))
    });
    parts.collect::<Result<_>>().map(KeyColumns::Parts)
}

impl KeyColumns {
    /// The key of a row.
    fn row_key(&self, table: &Table, row: usize) -> Result<Vec<u8>> {
        let mut key = Vec::new();
        match self {
            KeyColumns::RowIds(ids) => {
                table.push_row_key(&[ids.datum(&OWN_NUMBER, row)?], &mut key)?
            }
            KeyColumns::Parts(parts) => {
                let datum = |(at, column): &(usize, Arc<Column>)| {
                    column.datum(&table.columns[*at].ty, row).map(|datum| datum.to_value())
                };
                let values = parts.iter().map(datum).collect::<Result<Vec<Value>>>()?;
                let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
                table.push_row_key(&datums, &mut key)?;
            }
        }
        Ok(key)
    }
}
