//! WITH RECURSIVE: steps over the rows that the step before has added.
//!
//! Invariants
//! 1. A step sees the rows of the step before it, and of no other.
//! 2. With UNION a row that is there already is not added: it is given once and leads to nothing.
//! 3. `cte_max_recursion_depth` bounds the steps, LIMIT ends them.
//!
//! Not here: what a step reads besides (`join`).

use std::rc::Rc;

use expression::Scope;
use rows::local::KeySet;

use values::ErrorCode;

use super::buffer::{Buffer, BufferContent};
use super::distinct::distinct_key;
use super::output::RowOutput;
use super::{Execution, Flow, Give, variable};
use plan::tree::{Query, Recursion};
use results::{Result, SqlError};

impl Execution<'_> {
    pub(super) fn recursion(
        &self,
        recursion: &Recursion,
        query: &Query,
        limits: (u64, u64),
        scope: &Scope<'_>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let steps_max = variable(scope, "cte_max_recursion_depth", 1000)?;
        let mut output = RowOutput::new(self, query, limits, !query.order.is_empty(), false, give);
        if output.is_full() {
            return Ok(());
        }
        let mut seen = KeySet::default();
        let mut stopped = false;
        let mut fresh = self.list();
        let mut steps = 0;
        loop {
            let side = if steps == 0 { &recursion.first } else { &recursion.next };
            self.side(side, &query.columns, scope, &mut |row| {
                if !recursion.all {
                    let key = distinct_key(&query.columns, &row);
                    if seen.contains(&key)? {
                        return Ok(Flow::Continue);
                    }
                    self.insert(&mut seen, key)?;
                }
                self.look(1)?;
                self.push(&mut fresh, row.clone())?;
                let flow = output.row(row)?;
                stopped = flow == Flow::Stop;
                Ok(flow)
            })?;
            if stopped || fresh.is_empty() {
                break;
            }
            steps += 1;
            if steps > steps_max {
                let message = format!(
                    "Recursive query aborted after {steps} iterations. Try increasing \
                     @@cte_max_recursion_depth to a larger value."
                );
                return Err(SqlError::new(ErrorCode::CteMaxRecursionDepth, message));
            }
            let rows = BufferContent::Values(std::mem::replace(&mut fresh, self.list()));
            let before = self.added.borrow_mut().insert(recursion.id, Rc::new(Buffer::new(rows)));
            self.give_back(before.map_or(0, |before| before.bytes()));
        }
        let last = self.added.borrow_mut().remove(&recursion.id);
        self.give_back(last.map_or(0, |last| last.bytes()) + seen.bytes());
        output.finish_rows().map(drop)
    }

    /// The rows that the step before has added.
    pub(super) fn added_last(&self, recursion: usize) -> Result<Rc<Buffer>> {
        let added = self.added.borrow();
        let rows = added.get(&recursion).map(Rc::clone);
        rows.ok_or_else(|| SqlError::other("a recursion that has not begun"))
    }
}
