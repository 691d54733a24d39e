//! Expiry: the second after which a row is no longer there, at every door alike.
//!
//! A table may name an integer column that holds, for each row, an absolute Unix second; 0 and
//! NULL are never. Readers pass expired rows over, writers treat them as absent, and `sweep`
//! gives their space back. The column is named by the definition (`EXPIRES_BY`), or, in memory
//! only, by a memcached container (`Table::expire_by`).
//!
//! Invariants
//! 1. A row is there while `now < expiry`; at `now == expiry` it is gone.
//! 2. The clock is read once for each operation, and only if the table has such a column.
//! 3. An expired row still has its bytes and index entries: `find_stored`, `get_stored` and the
//!    check see it.
//!
//! 4. In cache mode a row that is got, and each of the first rows that a find gives, is used.
//!
//! Not here: removing expired rows (`sweep`, and `transaction` where one is in the way), any
//! door's time syntax.

use values::datum::Datum;

use values::row::RowRef;

use crate::engine::Engine;
use crate::error::{Error, Result, Wait};
use crate::find::{EntryTest, Flow, FoundRow, Visit};
use crate::merged::Span;
use crate::store::{Direction, KeyRange, Reach, Read};
use crate::table::Table;

/// Expired rows passed over by a find that may not wait; one that meets more is to go on where
/// it holds up nobody.
const PASSED_IN_MEMORY_MAX: usize = 4096;

/// Rows of a find that count as used: what a long scan passes does not.
const USED_MAX: usize = 16;

/// By which column, and at which second, rows are compared.
#[derive(Clone, Copy, Debug)]
pub struct Expiry {
    column: usize,
    now: i64,
}

impl Expiry {
    /// Whether a row's time has come.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn is_over(self, row: &RowRef<'_>) -> Result<bool> {
        let expires = match row.column(self.column)? {
            Datum::Int(second) => second,
            Datum::UInt(second) => i64::try_from(second).unwrap_or(i64::MAX),
            _ => 0,
        };
        Ok(expires != 0 && expires <= self.now)
    }
}

impl Engine {
    /// The expiry of a table's rows at this moment; `None` when they stay.
    #[inline]
    pub fn expiry(&self, table: &Table) -> Option<Expiry> {
        let column = table.expiry_column()?;
        Some(Expiry { column, now: self.unix_seconds() })
    }

    /// The present in Unix seconds.
    pub fn unix_seconds(&self) -> i64 {
        (self.clock().unix_micros() / 1_000_000) as i64
    }

    /// Visits the rows of `range` of an index in order.
    ///
    /// # Errors
    /// `SchemaChanged` when `table` is outdated, `WouldWait(Disk)` as the reach demands,
    /// `Corrupt`, `Store`, and whatever the visitor returns.
    pub fn find(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        self.find_in(view, table, index, Span::One(range), direction, reach, visit)
    }

    /// As `find`, of one range or of several together.
    ///
    /// # Errors
    /// As `find`.
    pub fn find_in(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        self.find_if(view, table, index, span, direction, reach, None, visit)
    }

    /// As `find_in`, but of a secondary index only rows whose entries pass a test.
    ///
    /// # Errors
    /// As `find`, and whatever the test returns.
    pub fn find_if(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        test: Option<&mut EntryTest<'_>>,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        self.unless_expired(table, reach, visit, |visit| {
            self.find_stored_if(view, table, index, span, direction, reach, test, visit)
        })
    }

    /// Has `find` visit rows, of which a visitor sees those that are not expired.
    pub(crate) fn unless_expired(
        &self,
        table: &Table,
        reach: Reach,
        visit: &mut Visit<'_>,
        find: impl FnOnce(&mut Visit<'_>) -> Result<()>,
    ) -> Result<()> {
        let (expiry, recency) = (self.expiry(table), table.recency());
        if expiry.is_none() && recency.is_none() {
            return find(visit);
        }
        let (mut passed, mut used) = (0, 0);
        find(&mut |found| {
            let over = expiry.map_or(Ok(false), |expiry| expiry.is_over(&found.row))?;
            if !over {
                if let Some(recency) = recency.filter(|_| used < USED_MAX) {
                    recency.touch(found.key);
                    used += 1;
                }
                return visit(found);
            }
            passed += 1;
            if passed > PASSED_IN_MEMORY_MAX && reach == Reach::Memory {
                return Err(Error::WouldWait(Wait::Disk));
            }
            Ok(Flow::Continue)
        })
    }

    /// Visits the row with the given row key; `false` when there is none.
    ///
    /// # Errors
    /// As `find`.
    pub fn get(
        &self,
        view: &dyn Read,
        table: &Table,
        row_key: &[u8],
        reach: Reach,
        visit: &mut dyn FnMut(FoundRow<'_>) -> Result<()>,
    ) -> Result<bool> {
        let (expiry, recency) = (self.expiry(table), table.recency());
        if expiry.is_none() && recency.is_none() {
            return self.get_stored(view, table, row_key, reach, visit);
        }
        let mut seen = false;
        self.get_stored(view, table, row_key, reach, &mut |found| {
            if expiry.map_or(Ok(false), |expiry| expiry.is_over(&found.row))? {
                return Ok(());
            }
            if let Some(recency) = recency {
                recency.touch(row_key);
            }
            seen = true;
            visit(found)
        })?;
        Ok(seen)
    }
}
