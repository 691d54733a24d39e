//! What moves in the background of a columnar index: changed rows into segments, and rows of
//! segments that have lost many into new ones.
//!
//! The mover reads one state: some notes, what these say of their rows, and the rows' places. It
//! makes columns of the rows and writes them where nobody sees them. Then it goes through the rows
//! some at a time: in one batch their old places are dead, they have their new ones, their notes
//! go, and the segment is listed up to there. A writer that changed such a row meanwhile has left a
//! further note, so that the row is read as the note says from the first state on that shows the
//! change.
//!
//! Rows of worn segments go the same way, without notes. They are moved as the segment has them:
//! one that is another by now is named by a note, which hides it in its new place as in the old
//! one.
//!
//! Invariants
//! 1. No lock of a row is taken, and no writer waits, but for its turn to write a batch.
//! 2. A row is looked up only if its note does not say what it is.
//!
//! Not here: when rounds take place (the server).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use resources::interrupt;
use rows::Engine;
use rows::error::Result;
use rows::ingestion::TableStore;
use rows::local::LocalStore;
use rows::store::{Change, Direction, Reach, Read};
use rows::table::Table;
use values::row::RowRef;
use values::{Datum, Value};

use super::delta::{ChangedRows, LOOKUPS, places_of};
use super::notes::{count_move, moves_in};
use super::settled::{notes_range, settle};
use crate::build::{OWN_NUMBER, ROWS_MAX, SegmentBuilder};
use crate::column::Column;
use crate::dead_pieces;
use crate::keys::{self, Place, ROW_ID_SLOT};
use crate::mover::{MoverRole, RECENT_FEW, Round, SMALL_COUNT, enter};
use crate::note_cache::{ChangedRow, KeptNotes, MovedRow, RowNow};
use crate::reader::Reader;
use crate::state::Live;
use crate::store::ColumnStore;
use crate::tables::KnownTable;

/// Notes that are taken although more may come soon, while there are queries: each of them reads
/// all that are left. But the rows of so many make a segment that is not small.
const NOTES_MANY: i64 = 1 << 14;
/// The same while nobody asks: rows that change again and again are moved once for more notes.
const NOTES_MANY_UNASKED: i64 = 1 << 15;
/// More notes than are taken by so many times are too much for a thread that works behind others:
/// on full cores it gets a tenth of one, and writers note more than it moves in that.
const BEHIND: i64 = 2;
/// So many looks after a query another one is expected.
const LOOKS_ASKED: u32 = 40;
/// Notes that are taken at once.
const NOTES_MAX: usize = ROWS_MAX as usize;
/// Rows moved by one commit. The more there are, the fewer times a piece of dead rows is written,
/// and the longer a writer waits that comes behind it.
const COMMIT_ROWS: usize = 4096;
/// A segment is worn when it has lost one row in so many: dead ones cost a query little.
const WORN_PART: u32 = 2;
/// A segment with less than this part of the rows of a full one is small, and many small ones
/// become one: those of a usual round are not.
const SMALL_PART: u32 = 16;

/// A row on its way into a segment.
struct MovingEntry<'a> {
    key: &'a [u8],
    from: Option<Place>,
    /// Its position in the new segment; none: it is no more.
    position: Option<u32>,
    /// Versions of its notes.
    notes: &'a [u64],
}

impl<S: TableStore + LocalStore> ColumnStore<S> {
    /// Moves what is to be moved of a columnar index.
    pub(crate) fn move_index(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        moving: MoverRole,
        round: &mut Round,
    ) -> Result<()> {
        let table = known.table();
        // Of a copy that is being made nothing is known yet.
        if !table.is_current() {
            return Ok(());
        }
        if !known.has_begun.load(Ordering::Relaxed) {
            self.begin_segments(known)?;
            known.moves.store(moves_in(known.home, &self.inner)?, Ordering::SeqCst);
            known.has_begun.store(true, Ordering::Relaxed);
        }
        let is_asked = known.looks_unasked.fetch_add(1, Ordering::Relaxed) < LOOKS_ASKED;
        if !is_asked {
            *known.kept_notes.lock() = KeptNotes::default();
        }
        let changes = table.changes();
        let was_busy = known.changes_seen.swap(changes, Ordering::Relaxed) != changes;
        if !was_busy && known.recent.load(Ordering::Relaxed) < RECENT_FEW {
            return Ok(());
        }
        let many = if is_asked { NOTES_MANY } else { NOTES_MANY_UNASKED };
        let mut mover = IndexMover { store: self, engine, known, table: &table, round };
        while !interrupt::is_wanted() {
            let settled = engine.notes_settled_below(&table);
            let view = self.inner.snapshot()?;
            let notes = count_notes(known, &*view, many * BEHIND)?;
            known.recent.store(notes, Ordering::Relaxed);
            mover.round.is_busy |= was_busy && is_asked && notes > 0;
            if notes < RECENT_FEW || was_busy && notes < many {
                break;
            }
            if moving == MoverRole::BehindOthers && notes >= many * BEHIND {
                // The next round, which follows at once, is to find it busy as well.
                known.changes_seen.store(u64::MAX, Ordering::Relaxed);
                mover.round.is_behind = true;
                break;
            }
            let range = notes_range(known, &*view)?;
            let changed = ChangedRows::read(known, &*view, &range, NOTES_MAX)?;
            mover.seal(&*view, &changed, settled)?;
            known.recent.store(0, Ordering::Relaxed);
            if changed.is_all {
                break;
            }
        }
        if !mover.round.is_behind && known.is_worn.swap(false, Ordering::Relaxed) {
            mover.renew()?;
        }
        Ok(())
    }
}

/// A round of the mover over one index.
struct IndexMover<'a, S> {
    store: &'a ColumnStore<S>,
    engine: &'a Arc<Engine>,
    known: &'a Arc<KnownTable>,
    table: &'a Arc<Table>,
    round: &'a mut Round,
}

impl<S: TableStore + LocalStore> IndexMover<'_, S> {
    fn builder(&self) -> Result<SegmentBuilder> {
        SegmentBuilder::of_index(self.table, self.store.columns.segment_bytes)
    }

    /// Makes segments of changed rows as a view shows them, and gives them their places. All notes
    /// below a version are in the view.
    fn seal(&mut self, view: &dyn Read, changed: &ChangedRows, settled: u64) -> Result<()> {
        let mut builder = self.builder()?;
        let mut moved: Vec<MovingEntry<'_>> = Vec::new();
        for (chunk, rows) in changed.rows.chunks(LOOKUPS).enumerate() {
            let places = places_of(self.known, view, rows.iter().map(|row| &row.key[..]))?;
            let mut found = looked_up(view, rows)?.into_iter();
            for (at, (row, from)) in (chunk * LOOKUPS..).zip(rows.iter().zip(places)) {
                let position = match (&row.now, self.table.layout_kept()) {
                    (RowNow::Gone, _) => None,
                    (RowNow::Columns(columns), Some(layout)) => {
                        Some(builder.add(&row.key, &RowRef::new(layout, columns)?, 0)?)
                    }
                    _ => match found.next().flatten() {
                        None => None,
                        Some(whole) => {
                            let whole = RowRef::new(&self.table.layout, &whole)?;
                            Some(builder.add(&row.key, &whole, 0)?)
                        }
                    },
                };
                let notes = changed.notes_of(at);
                moved.push(MovingEntry { key: &row.key, from, position, notes });
            }
            if builder.is_full() {
                self.place(&mut builder, &moved, None)?;
                moved.clear();
            }
        }
        let settled = settle(self.known, settled).filter(|_| changed.is_all);
        self.place(&mut builder, &moved, settled)
    }

    /// Writes the columns of a segment, then moves its rows into it; with the last of them goes
    /// what is to be written behind all.
    fn place(
        &mut self,
        builder: &mut SegmentBuilder,
        moved: &[MovingEntry<'_>],
        mut behind: Option<Change>,
    ) -> Result<()> {
        let IndexMover { store, engine, known, table, .. } = *self;
        let mut segment = None;
        if builder.rows() > 0 {
            let built = builder.finish()?;
            let made = built.segment.clone();
            segment = Some((store.write_columns(engine, known, table, built)?, made));
            self.round.segments += 1;
        }
        let mut is_listed = false;
        let mut commits = moved.chunks(COMMIT_ROWS).peekable();
        while let Some(moved) = commits.next() {
            let behind = behind.take_if(|_| commits.peek().is_none());
            let inside = enter(engine, known, table);
            let placed = inside.and_then(|_inside| {
                let mut changes = Vec::with_capacity(moved.len() * 3);
                let died = moved.iter().filter_map(|moved| moved.from);
                dead_pieces::add(known.home, &store.inner, died, &mut changes)?;
                for MovingEntry { key, from, position, notes } in moved {
                    match (position, &segment) {
                        (Some(position), Some((segment, _))) => {
                            let place = Place { segment: *segment, position: *position };
                            let key = keys::place(known.home, key);
                            changes.push(Change::put(key, place.bare()));
                        }
                        _ if from.is_some() => {
                            changes.push(Change::delete(keys::place(known.home, key)));
                        }
                        _ => {}
                    }
                    let notes = notes.iter().map(|version| keys::note(known.home, *version));
                    changes.extend(notes.map(Change::delete));
                }
                let last = moved.iter().rev().find_map(|moved| moved.position);
                if let (Some(last), Some((id, segment))) = (last, &mut segment) {
                    segment.sealed = last + 1;
                    changes.push(Change::put(keys::segment(known.home, *id), segment.encode()));
                    is_listed = true;
                }
                changes.extend(behind);
                known.is_worn.store(true, Ordering::Relaxed);
                let now = |moved: &MovingEntry<'_>| MovedRow {
                    key: moved.key.into(),
                    place: moved
                        .position
                        .zip(segment.as_ref())
                        .map(|(position, (id, _))| Place { segment: *id, position }),
                    last_note: moved.notes.last().copied().unwrap_or(0),
                };
                let number = known.moves.fetch_add(1, Ordering::SeqCst) + 1;
                changes.push(count_move(known.home, number));
                // Made before the lock is taken, for which queries wait.
                let is_kept = !known.kept_notes.lock().is_empty();
                if let Some(moved) = is_kept.then(|| moved.iter().map(now).collect()) {
                    known.kept_notes.lock().expect(number, moved);
                }
                store.write_segments(known, changes).inspect_err(|_| {
                    known.kept_notes.lock().expect_no_more(number);
                })
            });
            if let (Err(_), false, Some((id, _))) = (&placed, is_listed, &segment) {
                store.remove_unlisted(known, *id);
            }
            placed?;
            self.round.rows += moved.len() as u64;
        }
        Ok(())
    }

    /// Makes new segments of worn and small ones, and removes those without rows.
    fn renew(&mut self) -> Result<()> {
        let IndexMover { store, known, .. } = *self;
        let (view, moment) = store.columns.tables.at_moment(|| store.inner.snapshot())?;
        let state = known.state_of(&*view, moment)?;
        // Full by its bytes, a segment has few rows and is not small.
        let is_small = |live: &&Live| {
            let rows = live.segment.rows.max(1);
            let bytes = live.segment.plain_bytes * u64::from(live.rows()) / u64::from(rows);
            live.rows() < ROWS_MAX / SMALL_PART
                && bytes < store.columns.segment_bytes as u64 / u64::from(SMALL_PART)
        };
        let small = state.segments.iter().filter(is_small).count();
        let is_worn =
            |live: &&Live| live.rows() <= live.segment.rows - live.segment.rows.div_ceil(WORN_PART);
        let wanted = |live: &&Live| is_worn(live) || small >= SMALL_COUNT && is_small(live);
        let mut waiting: Vec<&Live> = Vec::new();
        let mut worn = state.segments.iter().filter(wanted).peekable();
        while let Some(live) = worn.next() {
            waiting.push(live);
            let rows: u32 = waiting.iter().map(|live| live.rows()).sum();
            if worn.peek().is_none_or(|next| rows + next.rows() > ROWS_MAX) {
                self.renew_some(&*view, &waiting)?;
                waiting.clear();
            }
            if interrupt::is_wanted() {
                break;
            }
        }
        Ok(())
    }

    /// Makes one or a few new segments of the rows of some that are alive.
    fn renew_some(&mut self, view: &dyn Read, segments: &[&Live]) -> Result<()> {
        let IndexMover { store, engine, known, table, .. } = *self;
        let reader = Reader { columns: &store.columns, inner: view };
        let segments = segments.iter().map(|live| WornSegment::open(&reader, known, table, live));
        let segments = segments.collect::<Result<Vec<WornSegment<'_>>>>()?;
        let mut rows: Vec<(Vec<u8>, usize, u32)> = Vec::new();
        for (at, worn) in segments.iter().enumerate() {
            for position in 0..worn.live.segment.sealed {
                if !worn.live.dead.has(position) {
                    rows.push((worn.keys.row_key(table, position as usize)?, at, position));
                }
            }
        }
        rows.sort_unstable();
        let mut builder = self.builder()?;
        let mut moved = Vec::new();
        for (key, at, position) in &rows {
            let worn = &segments[*at];
            let from = Some(Place { segment: worn.live.id, position: *position });
            let value = |at: usize| worn.value(table, at, *position as usize);
            let position = Some(builder.add_values(key, 0, value)?);
            moved.push(MovingEntry { key, from, position, notes: &[] });
            if builder.is_full() {
                self.place(&mut builder, &moved, None)?;
                moved.clear();
            }
        }
        self.place(&mut builder, &moved, None)?;
        for worn in &segments {
            let _inside = enter(engine, known, table)?;
            store.remove_if_dead(known, worn.live.id)?;
        }
        Ok(())
    }
}

/// How many notes there are, up to so many.
fn count_notes(known: &KnownTable, view: &dyn Read, notes_max: i64) -> Result<i64> {
    let mut cursor = view.scan(&notes_range(known, view)?, Direction::Forward, Reach::Disk)?;
    let mut notes = 0;
    while notes < notes_max && cursor.advance()? {
        notes += 1;
    }
    Ok(notes)
}

/// The rows of which the notes do not say what they are now, in order; none: it is gone.
fn looked_up(view: &dyn Read, rows: &[ChangedRow]) -> Result<Vec<Option<Vec<u8>>>> {
    let unknown = rows.iter().filter(|row| matches!(row.now, RowNow::Unknown));
    let row_keys: Vec<Vec<u8>> = unknown.map(|row| row.key.clone()).collect();
    let mut found = Vec::with_capacity(row_keys.len());
    if row_keys.is_empty() {
        return Ok(found);
    }
    view.get_many(&row_keys, Reach::Disk, &mut |_, row| {
        found.push(row.map(<[u8]>::to_vec));
        Ok(())
    })?;
    Ok(found)
}

/// A segment whose rows are moved.
struct WornSegment<'a> {
    live: &'a Live,
    keys: KeyColumns,
    /// By position in the table; none: the index does not have the column.
    columns: Vec<Option<Arc<Column>>>,
}

impl<'a> WornSegment<'a> {
    fn open(
        reader: &Reader<'_>,
        known: &KnownTable,
        table: &Table,
        live: &'a Live,
    ) -> Result<WornSegment<'a>> {
        let mut columns = vec![None; table.columns.len()];
        for &at in table.columns_kept().unwrap_or_default() {
            let slot = table.columns[at].slot;
            columns[at] = Some(reader.stored_column(known.home, live, slot)?);
        }
        Ok(WornSegment { live, keys: key_columns(reader, known, table, live)?, columns })
    }

    fn value(&self, table: &Table, at: usize, row: usize) -> Result<Datum<'_>> {
        match &self.columns[at] {
            Some(column) => column.datum(&table.columns[at].ty, row),
            None => Ok(Datum::Null),
        }
    }
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
    known: &KnownTable,
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
