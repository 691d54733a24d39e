//! Statements that write rows: INSERT, REPLACE, UPDATE, DELETE.
//!
//! Each is bound to a plan (by shape, so that it serves again) and run within a transaction whose
//! savepoint the session holds: a statement is done wholly or not at all.
//!
//! Not here: transactions (`session::transaction`), conversion of values (`values::convert`).

mod assign;
mod change;
mod column;
mod finding;
mod found_rows;
mod insert;
mod joined;
mod keys_ahead;
mod named_targets;
mod of_query;
mod query_values;
mod returning;
mod settled;
mod source_columns;
mod through_view;
mod updatable_view;
mod view_checks;
mod view_names;

use std::cell::RefCell;

use resources::turn_limits::TurnLimits;
use rows::rules::{Computing, Lenience};
use rows::table::Table;
use sqlparser::ast::Query;
use values::datum::{Datum, Value};

use executor::PieceLimits;
use plan::bind::scalar::Bound;
use plan::context::SqlContext;
use plan::tree::QueryPlan;
use results::{Result, SqlError};

pub use change::{
    ChangePlanner, ChangeTarget, DeletePlan, UpdatePlan, bind_delete, bind_delete_by_query,
    bind_update, bind_update_by_query,
};
pub use column::StoredBy;
pub(crate) use column::{
    beginning, level_of, tell_of_computed, warn_converted, warnings_of_computed,
};
use expression::{Environment, ExecutionMemo, Subqueries, Warnings};
pub use finding::{Finding, FoundKeys};
pub use found_rows::{FoundIn, Progress};
pub use insert::{InsertPlan, Tally, bind_filling, bind_insert, given};
pub use joined::{JoinedDelete, JoinedUpdate};
pub use named_targets::{Through, all_of};
pub use of_query::InsertOfQuery;
pub use query_values::given_to;
pub use returning::ReturnedRows;
pub use settled::{Currency, Patience, until_settled};
pub use through_view::{not_insertable, not_updatable};
pub use updatable_view::{UpdatableView, is_never_updatable, is_updatable};
pub use view_checks::AskedChecks;

/// What a statement may find in an event loop to change or to lock it there; more is the pool's.
pub const LOOP_PIECE: PieceLimits = PieceLimits {
    bytes_max: 256 << 10,
    rows_max: TurnLimits::LOOP.rows_changed,
    seen_max: TurnLimits::LOOP.rows_met as u32,
};

/// Binds a query of a statement, with the statement's literals.
pub type Ask<'a> = &'a dyn Fn(&Query) -> Bound<QueryPlan>;

/// What a writing statement runs in.
#[derive(Clone, Copy)]
pub struct WriteContext<'a> {
    /// The session.
    pub facts: &'a SqlContext,
    /// Literals and `?`.
    pub parameters: &'a [Datum<'a>],
    /// Where warnings go.
    pub warnings: &'a RefCell<Warnings>,
    /// Whether bad values are errors.
    pub strict: bool,
    /// IGNORE: errors of single rows are warnings.
    pub ignore: bool,
    /// Whether rows that match count as affected (CLIENT_FOUND_ROWS).
    pub found_rows: bool,
    /// What is the same for all rows, where the parameters are those of all.
    pub known: Option<&'a ExecutionMemo>,
    /// What runs the sub-queries that stand in values over the row at hand.
    pub subqueries: Option<&'a dyn Subqueries>,
}

impl<'a> WriteContext<'a> {
    /// What expressions are evaluated over, before there is a row.
    pub fn environment(&self) -> Environment<'a> {
        Environment {
            warnings: Some(self.warnings),
            strict: self.strict,
            known: self.known,
            subqueries: self.subqueries,
            ..Environment::of(self.facts, self.parameters)
        }
    }

    /// A row's computed columns by their positions. Of values that they cannot hold the session is
    /// told when the row is stored.
    ///
    /// # Errors
    /// As `Table::computed`.
    pub fn computed(
        &self,
        table: &Table,
        row: &[Datum<'_>],
    ) -> rows::error::Result<Vec<(usize, Value)>> {
        let lenience = Lenience::unless(self.strict, self.facts.mode);
        table.computed(row, Computing::of(lenience.as_ref()))
    }

    /// A row's error under IGNORE becomes a warning; else it ends the statement.
    ///
    /// # Errors
    /// The same error, if the statement does not say IGNORE or it is none that IGNORE forgives.
    pub fn forgive(&self, error: SqlError) -> Result<()> {
        if self.ignore && error.code().is_forgiven() {
            let (level, code) = (expression::Level::Warning, error.code());
            self.warnings.borrow_mut().push(level, code, error.into_message());
            return Ok(());
        }
        Err(error)
    }
}

/// What a writing statement did.
#[derive(Debug, Default)]
pub struct WriteOutcome {
    /// Rows affected, as the OK packet counts them.
    pub affected: u64,
    /// The first AUTO_INCREMENT value that was made up.
    pub generated: Option<u64>,
    /// The AUTO_INCREMENT value that came with the last row.
    pub given: Option<u64>,
    /// Whether LAST_INSERT_ID() stays what it was: the rows came through a view that does not show
    /// their numbers (MySQL 9.7: tests/oracle/sql/writes-read-again.sql).
    pub hides_numbers: bool,
    /// The OK packet's words.
    pub info: String,
    /// What RETURNING gives, where there is one.
    pub returned: Option<ReturnedRows>,
}

/// The AUTO_INCREMENT value of a row that was written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowNumber {
    /// It was made up.
    Generated(u64),
    /// It came with the row, or the row had it before it was changed.
    Given(u64),
}

impl WriteOutcome {
    /// Counts a row's number: of those made up the first is told, of the others the last.
    pub(crate) fn note(&mut self, number: Option<RowNumber>) {
        match number {
            Some(RowNumber::Generated(number)) => {
                self.generated.get_or_insert(number);
            }
            Some(RowNumber::Given(number)) => self.given = Some(number),
            None => {}
        }
    }
}
