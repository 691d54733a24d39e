//! What a table says of its rows in expressions: columns that are computed, conditions that must
//! hold (CHECK), and defaults.
//!
//! A definition keeps expressions as text. Whoever knows the grammar makes rules of them
//! (`MakeRules`, which crate `sql` provides), once for each version of a table; from then on every
//! door's rows pass them here, where all writes come together.
//!
//! Invariants
//! 1. No row is stored whose computed columns are not what its other columns make, or for which a
//!    condition is false, whichever door it comes through: inserted, changed, loaded or copied by
//!    ALTER TABLE. Unknown is not false.
//! 2. A computed column depends on nothing but the row: not on the session, the time, or chance.
//! 3. A table whose texts make no rules can be read, and not be written to.
//!
//! Not here: when they are asked (`table::rules`), grammar and names (crate `sql`, `ddl::rules`),
//! what expressions mean (crate `expression`), who has a session (`outside`).

mod computing;
mod naming;

mod outside;

pub(crate) use computing::TOLD_MAX;
pub use computing::{Computing, ConversionWarning, Lenience};
pub use naming::names_in;

use std::borrow::Cow;

use expression::{Cell, Environment, Limits, Node, RowView, StatementContext, json_scalar_for};
use resources::clock::{Clock, SystemClock};
use values::ErrorCode;
use values::SqlMode;
use values::convert::Issue;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use crate::error::{Error, Result};
use crate::partition::{PartitionId, PartitionRule};
use crate::schema::{Column, TableDefinition};

use outside::outside;

/// So much of a value is shown that a column cannot hold.
const SHOWN_CHARS: usize = 128;

/// Makes the rules of a definition out of its texts.
pub type MakeRules = fn(&TableDefinition) -> expression::Result<Rules>;

/// Makes no rules: for engines whose tables have none.
///
/// # Errors
/// For every definition that asks for rules.
pub fn no_rules(_: &TableDefinition) -> expression::Result<Rules> {
    Err(expression::Error::new(ErrorCode::NotSupportedYet, "This engine knows no expressions"))
}

/// A condition that every row must fulfil.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The condition; columns are positions.
    pub condition: Node,
    /// Whether a view says so of what is written through it: WITH CHECK OPTION.
    pub is_of_view: bool,
}

/// What the expressions of a table are, with columns as positions in its rows.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Computed columns, ascending; each depends on columns before it alone, if on computed ones.
    pub computed: Vec<(usize, Node)>,
    /// Conditions, in the order in which they are looked at.
    pub checks: Vec<Check>,
    /// Defaults that are computed, by column, ascending.
    pub defaults: Vec<(usize, Node)>,
    /// Which partition a row is of.
    pub partition: Option<PartitionRule>,
    /// Whether a condition asks for the time or the session.
    pub asks_session: bool,
}

impl Rules {
    /// The default of a column, if it is computed.
    pub fn default_of(&self, column: usize) -> Option<&Node> {
        let at = self.defaults.binary_search_by_key(&column, |(column, _)| *column);
        at.ok().map(|at| &self.defaults[at].1)
    }
}

impl TableDefinition {
    /// Whether there is anything to make rules of.
    pub fn has_rules(&self) -> bool {
        let of_column =
            |column: &Column| column.computed.is_some() || column.default.is_expression();
        !self.checks.is_empty() || self.columns.iter().any(of_column)
    }
}

impl PartitionRule {
    /// The partition of a row, of which the columns that it is told by are looked at.
    ///
    /// # Errors
    /// `Expression`, also where there is no partition for it.
    pub fn of_row(&self, row: &[Datum<'_>]) -> Result<PartitionId> {
        self.of_values(&self.inputs_of(row)?)
    }

    /// What partitions are told by, of a row.
    ///
    /// # Errors
    /// `Expression`.
    pub fn inputs_of(&self, row: &[Datum<'_>]) -> Result<Vec<Value>> {
        let environment = environment();
        let scope = environment.scope().with_row(RowView::Datums(row));
        let value = |node: &Node| Ok(node.evaluate(&scope)?.datum().to_value());
        self.inputs().iter().map(value).collect()
    }
}

impl Rules {
    /// What a row's computed columns are, by position, and its partition.
    ///
    /// # Errors
    /// `Expression`, `Value`.
    #[cold]
    pub(crate) fn compute(
        &self,
        columns: &[Column],
        row: &[Datum<'_>],
        computing: Computing<'_>,
    ) -> Result<Vec<(usize, Value)>> {
        let mut done: Vec<(usize, Value)> = Vec::with_capacity(self.computed.len());
        computing.begin_row();
        let environment = computing.environment();
        for (position, node) in &self.computed {
            let now = with_computed(row, &done);
            let scope = environment.scope().with_row(RowView::Datums(&now));
            let cell = node.evaluate(&scope)?;
            let ty = node.json_type();
            let value = stored(&columns[*position], cell.datum(), ty, Zone::UTC, computing)?;
            drop(cell);
            drop(now);
            done.push((*position, value));
        }
        if let Some(partition) = &self.partition {
            let id = partition.check_named(partition.of_row(&with_computed(row, &done))?)?;
            done.push((partition.column, Value::UInt(u64::from(id))));
        }
        Ok(done)
    }

    /// Whether every condition holds for a row, or is unknown. One that cannot be asked of the row
    /// does not hold (MySQL 9.7: tests/oracle/sql/checks-that-fail.sql).
    ///
    /// # Errors
    /// `Check`; `Expression` for want of memory.
    #[cold]
    pub(crate) fn check(
        &self,
        definition: &TableDefinition,
        row: &[Datum<'_>],
        computing: Computing<'_>,
    ) -> Result<()> {
        let context =
            self.asks_session.then(|| outside(SystemClock.unix_micros() as i64, Zone::UTC));
        let of_all = computing.environment();
        let environment = match &context {
            Some(context) => Environment { context: Some(context), ..of_all },
            None => of_all,
        };
        for check in &self.checks {
            let scope = environment.scope().with_row(RowView::Datums(row));
            let holds = match check.condition.truth(&scope) {
                Ok(truth) => truth != Some(false),
                Err(expression::Error::Failed { code, message }) => {
                    computing.tell_failure(code, message);
                    false
                }
                Err(error) => return Err(error.into()),
            };
            if !holds {
                return Err(Error::Check {
                    name: check.name.clone(),
                    table: format!("{}.{}", definition.database, definition.name),
                    is_of_view: check.is_of_view,
                });
            }
        }
        Ok(())
    }

    /// Gives the columns of a new row that nobody gave a value to their computed defaults, on the
    /// clock of a zone.
    ///
    /// # Errors
    /// `Expression`, `Value`.
    pub(crate) fn fill_defaults(
        &self,
        columns: &[Column],
        row: &mut [Value],
        is_given: &dyn Fn(usize) -> bool,
        clock: &dyn Clock,
        zone: Zone,
    ) -> Result<()> {
        let missing = self.defaults.iter().filter(|(position, _)| !is_given(*position));
        let mut context = None;
        for (position, node) in missing {
            let now = || clock.unix_micros() as i64;
            let context = context.get_or_insert_with(|| outside(now(), zone));
            let environment = environment_of(context);
            let scope = environment.scope().with_row(RowView::Values(row));
            let cell = node.evaluate(&scope)?;
            let value = {
                let (column, strict) = (&columns[*position], Computing::Strict);
                stored(column, cell.datum(), &node.ty, zone, strict)?
            };
            drop(cell);
            row[*position] = value;
        }
        Ok(())
    }
}

/// What an expression that asks no row gives a column at some time, in microseconds since the
/// epoch, on the clock of a zone.
///
/// # Errors
/// `Expression`, `Value`.
pub fn value_at(column: &Column, node: &Node, now: i64, zone: Zone) -> Result<Value> {
    let context = outside(now, zone);
    let environment = environment_of(&context);
    let cell = node.evaluate(&environment.scope())?;
    stored(column, cell.datum(), &node.ty, zone, Computing::Strict)
}

/// A row with its computed columns.
pub(crate) fn with_computed<'r, 'v>(
    row: &'r [Datum<'v>],
    computed: &'v [(usize, Value)],
) -> Cow<'r, [Datum<'v>]> {
    if computed.is_empty() {
        return Cow::Borrowed(row);
    }
    let mut row = row.to_vec();
    for (position, value) in computed {
        row[*position] = value.as_datum();
    }
    Cow::Owned(row)
}

/// What expressions are computed in: the same for everybody.
fn environment() -> Environment<'static> {
    Environment {
        mode: SqlMode::default(),
        limits: Limits::of_the_server(),
        strict: true,
        ..Environment::bare(&[], Zone::UTC)
    }
}

fn environment_of(context: &StatementContext) -> Environment<'_> {
    Environment { strict: true, ..Environment::of(context, &[]) }
}

/// The value of an expression of some type as one of a column.
fn stored(
    column: &Column,
    datum: Datum<'_>,
    from: &ColumnType,
    zone: Zone,
    computing: Computing<'_>,
) -> Result<Value> {
    let scalar = json_scalar_for(&column.ty, from, datum);
    let datum = scalar.as_ref().map_or(datum, Cell::datum);
    let converted = column.assign_from(datum, from, zone);
    match (converted.issue, computing) {
        (None, _) => Ok(converted.value),
        (Some(issue), Computing::Lenient(lenience)) if !issue.is_always_refused() => {
            lenience.tell(column, issue, datum, from);
            Ok(converted.value)
        }
        (Some(issue), _) => Err(refused_value(column, issue, datum, from, zone)),
    }
}

/// The error of a value of a type that a column cannot hold.
pub(crate) fn refused_value(
    column: &Column,
    issue: Issue,
    datum: Datum<'_>,
    from: &ColumnType,
    zone: Zone,
) -> Error {
    let mut text = Vec::new();
    write_text(from, datum, zone, &mut text);
    let value = String::from_utf8_lossy(&text).chars().take(SHOWN_CHARS).collect();
    Error::Value { column: column.name.clone(), issue, value }
}
