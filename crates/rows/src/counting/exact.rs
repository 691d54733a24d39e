//! COUNT(*) of a whole table: somebody counts the entries of an index, on all cores, and the number
//! is good until somebody writes to the table.
//!
//! Invariants
//! 1. The number is that of a state in which nobody was writing to the table
//!    (`table::QuiescentState`).
//!
//! Not here: rows that expire, which go without a writer; about how many rows there are (`about`).

use resources::parallel::share_out;

use crate::bulk::{go_on, threads};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::split::split;
use crate::store::{Direction, Reach, Read};
use crate::table::{QuiescentState, Table};

/// Rows from which on several threads count.
const SHARED_OUT_MIN: u64 = 50_000;
/// Ranges for each thread, so that none is alone with a large one at the end.
const RANGES_PER_THREAD: usize = 4;

/// What may be remembered of a count that begins.
#[derive(Debug, Clone, Copy)]
pub struct CountMark(Option<QuiescentState>);

impl Engine {
    /// The number of rows that a state shows, if that is known. For tables whose rows do not
    /// expire.
    pub fn known_count(&self, view: &dyn Read, table: &Table) -> Option<u64> {
        table.state.counted.shown_by(view, table.as_version())
    }

    /// Before the rows are counted that a state shows.
    pub fn begin_count(&self, view: &dyn Read, table: &Table) -> CountMark {
        CountMark(QuiescentState::of(view, self.latest(), &table.state))
    }

    /// All rows were counted.
    pub fn end_count(&self, table: &Table, mark: CountMark, rows: u64) {
        if let CountMark(Some(still)) = mark {
            table.state.counted.set(table.id, still, rows);
        }
    }

    /// Counts all rows that a state shows by the entries of an index, each row of which has one.
    /// For threads that may wait, and tables whose rows do not expire.
    ///
    /// # Errors
    /// `SchemaChanged` when the state does not show this version of the table; `LockTimeout` when
    /// it was interrupted; `Store`, `Corrupt`.
    pub fn count_all(&self, view: &dyn Read, table: &Table, index: usize) -> Result<u64> {
        let mark = self.begin_count(view, table);
        let range = table.index_range(index);
        let many = self.row_count(table)?.is_none_or(|rows| rows >= SHARED_OUT_MIN);
        let threads = if many { threads() } else { 1 };
        let ranges = match threads {
            1 => vec![range],
            _ => split(&**self.store(), view, &range, threads * RANGES_PER_THREAD)?,
        };
        let count = |count: &mut u64, part: usize| {
            let mut cursor = view.scan(&ranges[part], Direction::Forward, Reach::Disk)?;
            while cursor.advance()? {
                *count += 1;
                go_on(*count)?;
            }
            Ok(())
        };
        let workers = vec![0; threads.min(ranges.len())];
        let rows = share_out(workers, ranges.len(), count, Ok::<_, Error>)?.into_iter().sum();
        self.check_readable(view, table, index)?;
        self.end_count(table, mark, rows);
        Ok(rows)
    }
}
