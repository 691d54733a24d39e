//! How many rows a table has, and how many bytes, about: as they come and go, written down now and
//! then.
//!
//! ```text
//! table id u32 | FF FF     the number of rows when it was last written down, i64 little-endian
//! table id u32 | FF FE     bytes of their keys and values, likewise; none: not known
//! FF FF FF FF | FF FF      all of them were written down at a clean end, and nothing was written since
//! ```
//! The keys lie within the table's own range, so that they go with the table.
//!
//! A planner and SHOW TABLE STATUS want these numbers at once, whatever the size of the table: they
//! are written down when they have moved a little, so after a crash they may be behind by that and
//! by a second's writes. Then the tables that were written to of late are counted again (`doubt`).
//!
//! Bytes are not known of rows that came past transactions, unless nothing else is in the table's
//! files; not of columnar tables, whose rows have another form.
//!
//! Invariants
//! 1. Between a clean end and the next, the number is that of the rows, expired ones included that
//!    nobody has removed yet.
//! 2. It is written down inside the table's gate: never into the range of a table that is gone.
//!
//! Not here: the numbers in memory (`table::RowCount`), COUNT(*), which is exact (`exact`).

use std::sync::atomic::Ordering;

use crate::bulk::Progress;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::schema::TableId;
use crate::store::{Batch, Change, Direction, Durability, Reach};
use crate::table::{KnownCount, RowDelta, Table};

/// What takes the place of an index's number in the keys; no index ever has it.
const ROWS: [u8; 2] = [0xff, 0xff];
const BYTES: [u8; 2] = [0xff, 0xfe];
/// A change by one row in so many is written down, and one of bytes likewise.
const CHANGE_PART: i64 = 400;
/// Rows counted between two looks whether to go on.
const STOP_LOOK_ROWS: u64 = 10_000;

/// The key of a number of a table.
fn key(id: TableId, of: [u8; 2]) -> Vec<u8> {
    [&id.to_be_bytes()[..], &of[..]].concat()
}

impl Engine {
    /// About how many rows a table has; `None` when nobody has counted them (`count_rows`).
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn row_count(&self, table: &Table) -> Result<Option<u64>> {
        Ok(self.known(table)?.map(|known| known.rows.max(0) as u64))
    }

    /// About how many bytes its rows have, keys included and before compression, if that is known.
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn row_bytes(&self, table: &Table) -> Result<Option<u64>> {
        let known = self.known(table)?.filter(|_| !table.columnar);
        Ok(known.and_then(|known| known.bytes).map(|bytes| bytes.max(0) as u64))
    }

    /// The numbers of now, and those that are written down.
    fn known(&self, table: &Table) -> Result<Option<KnownCount>> {
        table.state.rows.known(|| {
            let Some(rows) = self.written_number(key(table.id, ROWS))? else { return Ok(None) };
            Ok(Some((rows, self.written_number(key(table.id, BYTES))?)))
        })
    }

    fn written_number(&self, key: Vec<u8>) -> Result<Option<i64>> {
        let mut value = Vec::new();
        if !self.latest().get(&key, Reach::Disk, &mut value)? {
            return Ok(None);
        }
        let why = "length of the number of rows";
        let number = value[..].try_into().map_err(|_| Error::Corrupt { key, why })?;
        Ok(Some(i64::from_le_bytes(number)))
    }

    /// Rows came past transactions, so many; or all of them are such, where a table was copied.
    /// Their bytes are known if nothing else is in the store under the table's key.
    pub(crate) fn came_at_once(&self, table: &Table, rows: u64, are_all: bool) {
        let count = &table.state.rows;
        let moved = RowDelta { rows: rows as i64, bytes: 0 };
        match are_all {
            true => count.set(count.moved(), moved.rows, None),
            false => count.add(moved),
        }
        let before = count.moved();
        // Whoever writes meanwhile is in these sizes or not.
        let sizes = self.store().sizes(&table.index_range(0));
        let stored = sizes.ok().map(|sizes| sizes.all());
        // What nobody could read is read when it is asked for.
        let Ok(Some(known)) = self.known(table) else { return };
        let bytes = stored.filter(|(entries, _)| i64::try_from(*entries) == Ok(known.rows));
        count.set_bytes(bytes.map(|(_, bytes)| bytes as i64 - before.bytes));
        // At once: a crash would leave it behind by all of them. Should it fail, it is tried again
        // within a second.
        let _ = self.write_row_count(table, i64::MAX);
    }

    /// Rows went with their partitions, about so many. Bytes are not known until the table is
    /// counted again.
    pub(crate) fn went_at_once(&self, table: &Table, rows: u64) {
        let count = &table.state.rows;
        // What nobody could read is read when it is asked for.
        let Ok(Some(known)) = self.known(table) else { return };
        let left = known.rows.saturating_sub(i64::try_from(rows).unwrap_or(i64::MAX)).max(0);
        count.set(count.moved(), left, None);
    }

    /// Counts a table's rows by reading them all, for `row_count` from now on. `None` when `stop`,
    /// which is asked now and then, said so.
    ///
    /// # Errors
    /// `Store`; `SchemaChanged` when the table is no longer this one.
    pub fn count_rows(&self, table: &Table, stop: &dyn Fn() -> bool) -> Result<Option<u64>> {
        self.count_rows_showing(table, stop, &Progress::default())
    }

    /// The same for those who want to see how far it is.
    ///
    /// # Errors
    /// As `count_rows`.
    pub fn count_rows_showing(
        &self,
        table: &Table,
        stop: &dyn Fn() -> bool,
        progress: &Progress,
    ) -> Result<Option<u64>> {
        progress.will_only_read();
        progress.expect(self.row_count(table)?.unwrap_or(0));
        // What moves meanwhile is in the snapshot or not: the number is about right.
        let moved = table.state.rows.moved();
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
        let (mut rows, mut bytes) = (0, 0);
        while cursor.advance()? {
            rows += 1;
            if !table.columnar {
                let (key, value) = cursor.entry();
                bytes += (key.len() + value.len()) as i64;
            }
            if rows % STOP_LOOK_ROWS == 0 {
                progress.add(STOP_LOOK_ROWS);
                if stop() {
                    return Ok(None);
                }
            }
        }
        if !table.is_current() {
            return Err(Error::SchemaChanged);
        }
        table.state.rows.set(moved, rows as i64, (!table.columnar).then_some(bytes));
        Ok(Some(rows))
    }

    /// Writes the numbers of a table down if they have moved, by one part in so many.
    fn write_row_count(&self, table: &Table, part: i64) -> Result<()> {
        // Most tables have not been written to.
        if !table.state.rows.changed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // A change of the schema counts again by itself.
        let Ok(Some(_inside)) = table.state.enter(table.id, None) else { return Ok(()) };
        if !table.is_current() {
            return Ok(());
        }
        let Some(KnownCount { rows, bytes, written }) = self.known(table)? else { return Ok(()) };
        let has_moved = |now: i64, written: i64| {
            let change = (now - written).abs();
            change > 0 && change >= now / part
        };
        let stays = |(written, written_bytes): (i64, Option<i64>)| {
            let bytes_stay = match (bytes, written_bytes) {
                (Some(bytes), Some(written)) => !has_moved(bytes, written),
                (bytes, written) => bytes == written,
            };
            !has_moved(rows, written) && bytes_stay
        };
        if written.is_some_and(stays) {
            return Ok(());
        }
        table.state.rows.changed.store(false, Ordering::Relaxed);
        let of_bytes = key(table.id, BYTES);
        let changes = vec![
            Change::put(key(table.id, ROWS), rows.to_le_bytes().to_vec()),
            match bytes {
                Some(bytes) => Change::put(of_bytes, bytes.to_le_bytes().to_vec()),
                None => Change::delete(of_bytes),
            },
        ];
        // It is not worth a sync: the log has it in the order of the rows' own writes.
        self.store().write(&Batch { changes }, Durability::Os)?;
        table.state.rows.set_written(rows, bytes);
        Ok(())
    }

    /// Writes the numbers of rows down that have moved a little. To be called once a second
    /// in a thread that may wait.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub fn keep_row_counts(&self) -> Result<()> {
        let mut tables = self.catalog().all_tables().into_iter();
        tables.try_for_each(|table| self.write_row_count(&table, CHANGE_PART))
    }

    /// Writes all of them down that have moved, and that they are right.
    pub(crate) fn keep_all_row_counts(&self) -> Result<()> {
        let mut tables = self.catalog().all_tables().into_iter();
        tables.try_for_each(|table| self.write_row_count(&table, i64::MAX))?;
        let changes = vec![Change::put(key(TableId::MAX, ROWS), Vec::new())];
        self.store().write(&Batch { changes }, Durability::Os)
    }

    /// Doubts the numbers unless a clean end has left them. From now on nothing says that they are
    /// right, until the next. To be called before anything else is written.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub(crate) fn begin_counting(&self) -> Result<()> {
        let key = key(TableId::MAX, ROWS);
        if self.latest().contains(&key, Reach::Disk)? {
            let changes = vec![Change::delete(key)];
            return match self.store().write(&Batch { changes }, Durability::Os) {
                // Nothing is written that could make the numbers wrong, or the next start counts.
                Err(Error::DiskFull { .. } | Error::Refused { .. }) => Ok(()),
                written => written,
            };
        }
        for table in self.catalog().all_tables() {
            table.state.rows.doubted.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
