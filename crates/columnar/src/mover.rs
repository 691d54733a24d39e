//! What moves in the background: recent rows into segments, and rows of segments that have lost
//! many into new ones.
//!
//! A segment's columns are written first, where nobody sees them. Then its rows are moved a few at
//! a time: their locks are taken without waiting, those that are still as they were get their
//! place, and the segment is listed up to the last of them, in one batch. A row that changed
//! meanwhile, or whose lock another holds, is dead in the new segment from the beginning. So
//! writers wait for no more than one such batch, and a crash leaves at most columns that nobody
//! lists, which the next start removes.
//!
//! Invariants
//! 1. A row is recent, or in one place; never both, and never neither.
//! 2. A place changes only under the lock of its row, and its content never.
//!
//! Not here: when rounds take place (the server), rows that loads bring (`ingest`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use resources::interrupt;
use rows::error::{Error, Result, Wait};
use rows::ingestion::TableStore;
use rows::local::LocalStore;
use rows::store::{Batch, Change, Direction, Durability, LockWait, Reach, Read};
use rows::table::{PRIMARY, Table};
use rows::{Engine, Transaction};
use values::row::RowRef;

use crate::build::{BuiltSegment, ROWS_MAX, SegmentBuilder};
use crate::keys::{self, COLUMNS, DEAD, Place, RECENT, SegmentId};
use crate::state::Live;
use crate::store::ColumnStore;
use crate::tables::KnownTable;

/// Recent rows that are moved although more may come soon.
const RECENT_MANY: i64 = 1 << 14;
/// Recent rows that are moved when none came for a round; fewer are not worth a segment.
pub(crate) const RECENT_FEW: i64 = 1 << 10;
/// Rows moved by one commit.
const COMMIT_ROWS: usize = 512;
/// A segment is worn when it has lost one row in so many.
const WORN_PART: u32 = 4;
/// A segment with less than this part of the rows, and of the bytes, that make one full is small,
/// and so many small ones become one or two.
const SMALL_PART: u32 = 4;
pub(crate) const SMALL_COUNT: usize = 8;

/// A row on its way into a segment.
struct MovingRow {
    key: Vec<u8>,
    row: Vec<u8>,
    /// Where it is; none: it is recent.
    from: Option<Place>,
}

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Rows that have a new place.
    pub rows: u64,
    /// Segments that were made.
    pub segments: u64,
    /// Whether rows of a columnar index that queries use are being changed, so that more are soon
    /// to be moved.
    pub is_busy: bool,
    /// Whether more waits than one that works behind others should take on.
    pub is_behind: bool,
}

/// How much a thread that moves rows takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoverRole {
    /// Only the time that clients leave: what has become too much is left alone.
    BehindOthers,
    /// All that there is to move.
    Beside,
}

impl<S: TableStore + LocalStore> ColumnStore<S> {
    /// Moves what is to be moved of all columnar tables.
    ///
    /// # Errors
    /// The first that a table gave; the others are looked after all the same.
    pub fn move_rows(&self, engine: &Arc<Engine>) -> Result<Round> {
        self.move_rows_as(engine, MoverRole::Beside)
    }

    /// As `move_rows`, by a thread of some kind.
    ///
    /// # Errors
    /// As `move_rows`.
    pub fn move_rows_as(&self, engine: &Arc<Engine>, moving: MoverRole) -> Result<Round> {
        let mut round = Round::default();
        let mut outcome = Ok(());
        for known in self.columns.tables.all() {
            let moved = self.move_rows_of(engine, &known, &mut round);
            outcome = outcome.and(gone_is_fine(moved));
        }
        for known in self.columns.tables.all_indexes() {
            outcome =
                outcome.and(gone_is_fine(self.move_index(engine, &known, moving, &mut round)));
        }
        outcome.map(|()| round)
    }

    fn move_rows_of(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        round: &mut Round,
    ) -> Result<()> {
        // A copy that is being made is followed by who makes it, without locks of rows.
        if !known.table().is_current() {
            return Ok(());
        }
        if !known.has_begun.load(Ordering::Relaxed) {
            self.begin(known)?;
            known.has_begun.store(true, Ordering::Relaxed);
        }
        let was_busy = known.is_busy.swap(false, Ordering::Relaxed);
        while !interrupt::is_wanted() {
            let recent = known.recent.load(Ordering::Relaxed);
            if recent < RECENT_FEW || was_busy && recent < RECENT_MANY {
                break;
            }
            let rows = self.recent_rows(known)?;
            if rows.is_empty() || self.seal(engine, known, &rows, round)? == 0 {
                break;
            }
        }
        if known.is_worn.swap(false, Ordering::Relaxed) {
            self.renew(engine, known, round)?;
        }
        Ok(())
    }

    /// At the first round after a start: counts recent rows, and removes columns that a crash left.
    fn begin(&self, known: &KnownTable) -> Result<()> {
        // Those of writers since the start are among them.
        let mut count = -known.recent.load(Ordering::Relaxed);
        let recent = keys::range(known.id, RECENT);
        let mut cursor = self.inner.scan(&recent, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            count += 1;
        }
        drop(cursor);
        known.recent.fetch_add(count, Ordering::Relaxed);
        self.begin_segments(known)
    }

    /// Learns the next segment's number, and removes columns that a crash left.
    pub(crate) fn begin_segments(&self, known: &KnownTable) -> Result<()> {
        known.load_next_segment(&self.inner)?;
        let mut range = keys::range(known.home, COLUMNS);
        let mut changes = Vec::new();
        loop {
            let mut cursor = self.inner.scan(&range, Direction::Forward, Reach::Disk)?;
            if !cursor.advance()? {
                break;
            }
            let Some((id, _)) = keys::segment_of(known.home, cursor.key()) else { break };
            drop(cursor);
            let mut listed = Vec::new();
            let columns = keys::segment_range(known.home, COLUMNS, id);
            range.start.clone_from(&columns.end);
            if !self.inner.get(&keys::segment(known.home, id), Reach::Disk, &mut listed)? {
                changes.push(Change::DeleteRange(columns));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.inner.write(&Batch { changes }, Durability::Os)
    }

    /// The first recent rows.
    fn recent_rows(&self, known: &KnownTable) -> Result<Vec<MovingRow>> {
        let view = self.inner.snapshot()?;
        let range = keys::range(known.id, RECENT);
        let mut cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let mut row = Vec::new();
        while rows.len() < ROWS_MAX as usize
            && bytes < self.columns.segment_bytes
            && cursor.advance()?
        {
            let key = keys::row_of_recent(known.id, cursor.key());
            if view.get(&key, Reach::Disk, &mut row)? {
                bytes += key.len() + row.len();
                rows.push(MovingRow { key, row: row.clone(), from: None });
            }
        }
        Ok(rows)
    }

    /// Makes new segments of worn and small ones.
    fn renew(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        round: &mut Round,
    ) -> Result<()> {
        let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
        let state = known.state_of(&*view, moment)?;
        let is_small = |live: &&Live| {
            let part = u64::from(live.rows()) * SMALL_PART as u64;
            let bytes = live.segment.plain_bytes * part / u64::from(live.segment.rows.max(1));
            part < u64::from(ROWS_MAX) && bytes < self.columns.segment_bytes as u64
        };
        let small = state.segments.iter().filter(is_small).count();
        let is_worn =
            |live: &&Live| live.rows() <= live.segment.rows - live.segment.rows.div_ceil(WORN_PART);
        let mut waiting: Vec<&Live> = Vec::new();
        let (mut rows, mut bytes) = (0, 0);
        for live in &state.segments {
            if !(is_worn(&live) || small >= SMALL_COUNT && is_small(&live)) {
                continue;
            }
            let plain_bytes = live.segment.plain_bytes as usize;
            let is_full =
                rows + live.rows() > ROWS_MAX || bytes + plain_bytes > self.columns.segment_bytes;
            if is_full && !waiting.is_empty() {
                self.renew_some(engine, known, &*view, &waiting, round)?;
                waiting.clear();
                (rows, bytes) = (0, 0);
            }
            rows += live.rows();
            bytes += plain_bytes;
            waiting.push(live);
            if interrupt::is_wanted() {
                return Ok(());
            }
        }
        if !waiting.is_empty() {
            self.renew_some(engine, known, &*view, &waiting, round)?;
        }
        Ok(())
    }

    fn renew_some(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        view: &dyn Read,
        segments: &[&Live],
        round: &mut Round,
    ) -> Result<()> {
        let mut rows = Vec::new();
        for live in segments {
            self.rows_of(known, view, live, &mut rows)?;
        }
        rows.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        if !rows.is_empty() {
            self.seal(engine, known, &rows, round)?;
        }
        for live in segments {
            self.remove_if_dead(known, live.id)?;
        }
        Ok(())
    }

    /// Rows of a segment that are alive.
    fn rows_of(
        &self,
        known: &KnownTable,
        view: &dyn Read,
        live: &Live,
        rows: &mut Vec<MovingRow>,
    ) -> Result<()> {
        let reader = crate::reader::Reader { columns: &self.columns, inner: view };
        // A table that was dropped or copied meanwhile has none any more.
        let gone = || match known.table().is_current() {
            true => Error::Corrupt {
                key: keys::segment(known.home, live.id),
                why: "a segment is not whole",
            },
            false => Error::SchemaChanged,
        };
        let open = reader.open(known.id, live.id, Reach::Disk)?.ok_or_else(gone)?;
        for position in 0..live.segment.sealed {
            if live.dead.has(position) {
                continue;
            }
            let place = Place { segment: live.id, position };
            let (mut key, mut row) = (Vec::new(), Vec::new());
            open.push_key(position, &mut key)?;
            open.push_row(position, &mut row)?;
            rows.push(MovingRow { key, row, from: Some(place) });
        }
        Ok(())
    }

    /// Makes a segment of rows and gives them their places in it; how many have one.
    fn seal(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        rows: &[MovingRow],
        round: &mut Round,
    ) -> Result<u64> {
        let table = known.table();
        let mut builder = SegmentBuilder::new(&table, usize::MAX)?;
        for moved in rows {
            let row = RowRef::new(&table.layout, &moved.row)?;
            builder.add(&moved.key, &row, row.version())?;
        }
        let built = builder.finish()?;
        let mut segment = built.segment.clone();
        let id = self.write_columns(engine, known, &table, built)?;
        let mut placed = 0;
        for (number, some) in rows.chunks(COMMIT_ROWS).enumerate() {
            let first = (number * COMMIT_ROWS) as u32;
            segment.sealed = first + some.len() as u32;
            let listed = (keys::segment(known.home, id), segment.encode());
            let first = Place { segment: id, position: first };
            match self.place(engine, known, &table, some, first, listed) {
                Ok(count) => placed += count,
                Err(error) => {
                    if number == 0 {
                        self.remove_unlisted(known, id);
                    }
                    return Err(error);
                }
            }
        }
        round.rows += placed;
        round.segments += 1;
        Ok(placed)
    }

    /// Writes a segment's columns where nobody sees them; gives its number.
    pub(crate) fn write_columns(
        &self,
        engine: &Arc<Engine>,
        known: &KnownTable,
        table: &Arc<Table>,
        built: BuiltSegment,
    ) -> Result<SegmentId> {
        let id = known.take_segments(1);
        let columns = built.into_entries(known.home, id).into_iter();
        let changes = columns.map(|(key, value)| Change::put(key, value)).collect();
        // In the range of a table that is gone they would stay for ever.
        let inside = enter(engine, known, table)?;
        self.inner.write(&Batch { changes }, Durability::Os)?;
        drop(inside);
        Ok(id)
    }

    /// Removes the columns of a segment that nobody lists; should this fail, the next start sees to
    /// it.
    pub(crate) fn remove_unlisted(&self, known: &KnownTable, id: SegmentId) {
        let columns = keys::segment_range(known.home, COLUMNS, id);
        let changes = vec![Change::DeleteRange(columns)];
        let _ = self.inner.write(&Batch { changes }, Durability::Os);
    }

    /// Gives rows their places from one on, and lists the segment.
    fn place(
        &self,
        engine: &Arc<Engine>,
        known: &Arc<KnownTable>,
        table: &Arc<Table>,
        rows: &[MovingRow],
        first: Place,
        (segment, listed): (Vec<u8>, Vec<u8>),
    ) -> Result<u64> {
        let mut locks = engine.begin(LockWait::Never)?;
        let mut changes = Vec::with_capacity(rows.len() * 2 + 1);
        let (mut placed, mut sealed) = (0, 0);
        let mut now = Vec::new();
        for (moved, position) in rows.iter().zip(first.position..) {
            let place = Place { position, ..first };
            let is_as_it_was = match locks.lock_row(table, &moved.key) {
                Err(Error::WouldWait(Wait::Lock)) => false,
                Err(error) => return Err(error),
                Ok(()) => {
                    self.inner.get(&moved.key, Reach::Disk, &mut now)?
                        && match moved.from {
                            Some(from) => Place::of(&now) == Some(from),
                            None => now == moved.row,
                        }
                }
            };
            if !is_as_it_was {
                changes.push(Change::put(keys::dead(known.id, place), Vec::new()));
                continue;
            }
            placed += 1;
            changes.push(Change::put(moved.key.clone(), place.encode().to_vec()));
            match moved.from {
                Some(from) => changes.push(Change::put(keys::dead(known.id, from), Vec::new())),
                None => {
                    sealed += 1;
                    changes.push(Change::delete(keys::recent(known.id, &moved.key)));
                }
            }
        }
        changes.push(Change::put(segment, listed));
        self.write_segments(known, changes)?;
        known.recent.fetch_sub(sealed, Ordering::Relaxed);
        drop(locks);
        Ok(placed)
    }

    /// Removes a segment that has no rows any more.
    pub(crate) fn remove_if_dead(&self, known: &Arc<KnownTable>, id: SegmentId) -> Result<()> {
        let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
        let state = known.state_of(&*view, moment)?;
        let is_dead = |live: &&Live| live.id == id && live.rows() == 0;
        if state.segments.iter().find(is_dead).is_none() {
            return Ok(());
        }
        let mut changes = vec![Change::delete(keys::segment(known.home, id))];
        changes.extend(
            [COLUMNS, DEAD]
                .map(|kind| Change::DeleteRange(keys::segment_range(known.home, kind, id))),
        );
        self.write_segments(known, changes)
    }

    /// Writes a change of segments.
    pub(crate) fn write_segments(
        &self,
        known: &Arc<KnownTable>,
        changes: Vec<Change>,
    ) -> Result<()> {
        let _moving = known.moving.write();
        let tables = &self.columns.tables;
        let _changing = (tables.change(known), tables.change_recent(known));
        self.inner.write(&Batch { changes }, Durability::Os)
    }
}

/// Goes into the table, so that its definition stays as it is.
pub(crate) fn enter(
    engine: &Arc<Engine>,
    known: &KnownTable,
    table: &Arc<Table>,
) -> Result<Transaction> {
    let mut inside = engine.begin(LockWait::Never)?;
    inside.lock_row(table, &keys::prefix(known.id, PRIMARY))?;
    Ok(inside)
}

/// What was dropped, or is being altered, has a next round.
fn gone_is_fine(moved: Result<()>) -> Result<()> {
    match moved {
        Err(
            Error::SchemaChanged
            | Error::NotFound { .. }
            | Error::LockTimeout
            | Error::WouldWait(_),
        ) => Ok(()),
        moved => moved,
    }
}

const _: () = assert!(COMMIT_ROWS < ROWS_MAX as usize);
