//! Late look-up: where a sort has a small limit, and the entries of an index hold all that is
//! filtered and sorted by, only the primary key of a row is kept until it is known that the row is
//! given; then it is read.
//!
//! Invariants
//! 1. Rows are looked up in the view whose entries were read; where the latest state is read, a row
//!    that is gone by then is passed over.
//!
//! Not here: when this is worth it (`plan::optimize`), the sort (`output`).

use expression::{JoinedRow, JoinedRows, Scope};
use rows::cache::PREFETCH_MAX;
use rows::find;
use rows::store::{Direction, KeyRange};
use values::datum::{Datum, Value};

use super::join::over;
use super::{Execution, Flow};
use plan::tree::{LateRows, Select, Source};
use results::{Result, SqlError};

/// Adds what is kept of a row that is looked up late: its primary key.
pub(super) fn push_key(late: &LateRows, row: &Scope<'_>, values: &mut Vec<Value>) -> Result<()> {
    for node in &late.key {
        values.push(node.evaluate(row)?.into_value());
    }
    Ok(())
}

impl Execution<'_> {
    /// Calls `each` with the rows that have these primary keys.
    pub(super) fn look_up_late(
        &self,
        select: &Select,
        late: &LateRows,
        keys: &[Vec<Value>],
        scope: &Scope<'_>,
        each: &mut dyn FnMut(&Scope<'_>) -> Result<Flow>,
    ) -> Result<()> {
        let Source::Table(table) = &select.relations[late.relation].source else {
            return Err(SqlError::other("rows of no table looked up"));
        };
        let range = |key: &Vec<Value>| {
            let parts: Vec<Datum<'_>> = key.iter().map(Value::as_datum).collect();
            table.prefix_range(0, &parts)
        };
        let ranges = keys.iter().map(range).collect::<rows::Result<Vec<KeyRange>>>()?;
        for (n, range) in ranges.iter().enumerate() {
            if n.is_multiple_of(PREFETCH_MAX) {
                self.engine.look_ahead(0, &ranges[n..]);
            }
            self.look(1)?;
            let mut result = Ok(Flow::Continue);
            let mut visit = |found: find::FoundRow<'_>| {
                let row = JoinedRow::Stored(found.row, found.key);
                let link = JoinedRows { relation: late.relation, row: &row, before: None };
                result = each(&over(scope, Some(&link)));
                Ok(find::Flow::Stop)
            };
            let (direction, reach) = (Direction::Forward, self.how.reach);
            self.engine.find(self.view, table, 0, range, direction, reach, &mut visit)?;
            if result? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }
}
