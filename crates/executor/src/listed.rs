//! Rows of a query that is run before the one around it: a recursion within a long query.
//!
//! Not here: who reads them (`analytic`).

use std::borrow::Cow;

use expression::Environment;
use resources::budget::Share;
use rows::store::Read;
use values::datum::{Datum, Value};

use super::{Limits, RowList, beyond_no_bounds, run};
use plan::context::SqlContext;
use plan::optimize::{Sizes, plan_query};
use plan::tree::Query;
use results::Result;

/// Rows, with the memory that they take.
#[derive(Debug, Default)]
pub struct RecursionRows {
    rows: RowList,
    _share: Option<Share>,
}

impl RecursionRows {
    /// The rows of a query that depends on nothing outside and is not planned yet; waits for them.
    ///
    /// # Errors
    /// Those of the query.
    pub fn of(
        query: &Query,
        facts: &SqlContext,
        view: &dyn Read,
        parameters: &[Datum<'_>],
    ) -> Result<RecursionRows> {
        let mut query = query.clone();
        plan_query(&mut query, &Sizes::new(facts, view, parameters))?;
        let environment = Environment::of(facts, parameters);
        let found = run(&query, facts, &environment, &Limits::none(view))?;
        let found = found.ok_or_else(beyond_no_bounds)?;
        Ok(RecursionRows { rows: found.rows, _share: Some(found.share) })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many pieces they are read in.
    pub fn pieces(&self) -> usize {
        self.rows.pieces()
    }

    /// The rows of a piece, by its number.
    ///
    /// # Errors
    /// Those of a temporary file.
    pub fn piece(&self, number: usize) -> Result<Cow<'_, [Vec<Value>]>> {
        self.rows.piece(number)
    }
}
