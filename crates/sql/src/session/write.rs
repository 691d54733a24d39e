//! INSERT, REPLACE, UPDATE and DELETE: running their plans in a transaction.
//!
//! Not here: how they come to a plan (`write_plan`), what the plans do (`write`), changes of rows
//! that a join finds (`joined`).

use std::cell::RefCell;
use std::sync::Arc;

use expression::{ExecutionMemo, Level, Warnings};
use rows::Group;
use rows::bulk::BulkLoad;
use rows::rules::Lenience;
use rows::store::Read;
use rows::table::Table;
use rows::transaction::Transaction;
use syntax::scan::Scanned;
use values::ErrorCode;
use values::datum::Datum;
use values::types::ColumnType;

use super::source::ValueRows;
use super::{Session, Statement};
use crate::load::QueryInsert;
use crate::plan_cache::Plan;
use crate::reply::{OkFigures, Reply};
use crate::write::{Finding, FoundKeys, InsertPlan, WriteContext, WriteOutcome, tell_of_computed};
use executor::with_subqueries;
use plan::context::{QueryContext, SqlContext};
use plan::optimize::{Sizes, cost_of_look_up};
use plan::point::Access;
use plan::tree::QueryPlan;
use plan::variables::IsolationLevel;
use results::{Result, RowStream, SqlError, panics};

impl Session {
    pub(super) fn run_write(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
        mut group: Option<&mut Group>,
    ) -> Result<Reply> {
        // Other sessions' writes share a group, whose transaction has no locks of this one.
        let is_alone = self.table_locks.is_some();
        if !statement.how.may_wait && (is_alone || !self.may_write_in_loop(group.is_some())) {
            return Err(SqlError::WouldWait);
        }
        if self.open.is_none() && self.isolation() == IsolationLevel::Serializable {
            // What its query reads is locked until its rows are written.
            let run = |session: &mut Session| session.run_write(statement, known, None);
            return match statement.how.may_wait {
                true => self.in_one_transaction(run),
                false => Err(SqlError::WouldWait),
            };
        }
        let mut known = known.filter(|plan| self.fits(plan, statement));
        let (written, facts) = self.begun_anew(statement.how, |session| {
            let facts = session.facts();
            let made;
            let plan = match known.take() {
                Some(plan) => plan,
                None => {
                    made = session.write_plan(statement)?;
                    &made
                }
            };
            session.admit_plan(plan, statement.how)?;
            if !statement.how.may_wait && !plan.is_short(&statement.scanned.runs) {
                return Err(SqlError::WouldWait);
            }
            let written = session.run_change(plan, statement, &facts, group.as_deref_mut())?;
            Ok((written, facts))
        })?;
        self.take_late_warnings();
        let set_by_expression = facts.side_effects.lock().last_insert_id.is_some();
        if let Err(error) = self.take_side_effects(&facts) {
            // The rows are written all the same.
            self.warn_all([error]);
        }
        if let Some(first) = written.generated.filter(|_| !written.hides_numbers) {
            self.last_insert_id = first;
        }
        self.row_count = written.affected as i64;
        if let Some(returned) = written.returned {
            self.row_count = -1;
            let rows = ValueRows::new(returned.rows, returned.room);
            return Ok(Reply::Rows(RowStream::new(returned.columns, self.variables.zone, rows)));
        }
        Ok(Reply::Done(OkFigures {
            affected: written.affected,
            last_insert_id: match (written.generated, set_by_expression) {
                (Some(first), _) => first,
                (None, true) => self.last_insert_id,
                (None, false) => written.given.unwrap_or(0),
            },
            warnings: self.warnings.borrow().count_u16(),
            info: written.info,
        }))
    }

    fn run_change(
        &mut self,
        plan: &Plan,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
        group: Option<&mut Group>,
    ) -> Result<WriteOutcome> {
        if let (Plan::Insert(plan), true) = (plan, self.inserts.is_some()) {
            return self.insert_into_load(plan, statement, facts);
        }
        self.check_no_inserts()?;
        self.check_compared_texts(plan.compared_texts(), statement, !plan.ignores())?;
        if self.variables.safe_updates {
            check_safe(plan)?;
        }
        self.writes_temporary = plan.writes_temporary();
        let locks = plan.query().is_some_and(|query| query.locks);
        if locks && !statement.how.may_wait {
            return Err(SqlError::WouldWait);
        }
        if locks && self.open.is_none() {
            let run = |session: &mut Session| session.run_change(plan, statement, facts, None);
            return self.in_one_transaction(run);
        }
        match plan {
            Plan::Insert(plan) => {
                let runs = &statement.scanned.runs;
                let view = self.view_for(plan)?;
                self.change_with(facts, statement, plan.ignore, group, |transaction, context, _| {
                    asking(view.as_deref(), context, |context| plan.run(transaction, context, runs))
                })
            }
            Plan::InsertOfQuery(plan) => {
                let (insert, parameters) = (&plan.insert, statement.parameters);
                let stream = self.select_latest(&plan.query, parameters, insert.ignore)?;
                self.insert_stream(insert, stream, statement, facts)
            }
            Plan::Update(plan) => {
                let finding = plan.finding().map(|finding| (finding, plan.table(), plan.access()));
                self.change_with(facts, statement, plan.ignore, group, |t, context, session| {
                    let engine = Arc::clone(session.sql.engine());
                    let find = &mut |t: &mut Transaction| {
                        session.found_by_query(t, finding, plan.ignore, statement)
                    };
                    plan.run(&engine, t, context, find)
                })
            }
            Plan::Delete(plan) => {
                let finding = plan.finding().map(|finding| (finding, plan.table(), plan.access()));
                self.change_with(facts, statement, plan.ignore, group, |t, context, session| {
                    let engine = Arc::clone(session.sql.engine());
                    let find = &mut |t: &mut Transaction| {
                        session.found_by_query(t, finding, plan.ignore, statement)
                    };
                    plan.run(&engine, t, context, find)
                })
            }
            Plan::JoinedUpdate(plan) => self.update_joined(plan, statement, facts),
            Plan::JoinedDelete(plan) => self.delete_joined(plan, statement, facts),
            Plan::PassedOver(why) => {
                let mut warnings = self.warnings.borrow_mut();
                warnings.push(Level::Warning, why.code(), why.message().to_owned());
                Ok(WriteOutcome::default())
            }
            Plan::ByText | Plan::Select(_) | Plan::Query(_) => self.run_by_text(statement, facts),
        }
    }

    /// Runs `work` in a transaction, with the session's settings: in the group if there is one.
    pub(super) fn change_with(
        &mut self,
        facts: &SqlContext,
        statement: &Statement<'_>,
        ignore: bool,
        group: Option<&mut Group>,
        work: impl FnOnce(&mut Transaction, &WriteContext<'_>, &mut Session) -> Result<WriteOutcome>,
    ) -> Result<WriteOutcome> {
        let warnings = RefCell::new(Warnings::default());
        let strict = self.variables.mode.strict();
        let found_rows = self.counts_found;
        let parameters = statement.parameters;
        let work = |session: &mut Session, transaction: &mut Transaction| {
            let known = ExecutionMemo::default();
            let context = WriteContext {
                facts,
                parameters,
                warnings: &warnings,
                strict: strict && !ignore,
                ignore,
                found_rows,
                known: Some(&known),
                subqueries: None,
            };
            let zone = session.variables.zone;
            transaction.show_times_in(zone);
            transaction.compute_with(Lenience::unless(context.strict, facts.mode));
            let said = session.variables.insert_id;
            transaction.number_from(said);
            let written = work(transaction, &context, session);
            if let Some(lenience) = transaction.compute_with(None) {
                tell_of_computed(&warnings, lenience, 1, zone);
            }
            // A statement that would have to wait is run again.
            if transaction.number_from(None) != said && written.is_ok() {
                Arc::make_mut(&mut session.variables).insert_id = None;
            }
            written
        };
        let result = match group {
            Some(group) if self.open.is_none() => self.writing_in(group, work),
            _ => self.writing(statement.how, work),
        };
        self.warnings = warnings;
        result
    }

    /// Runs a statement that has no plan by its shape: its text is bound again, literals in their
    /// places.
    fn run_by_text(
        &mut self,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<WriteOutcome> {
        self.keep_shape(statement);
        self.sql.counters().plans_made.add();
        let plan = self.plan_of_own_text(statement).map_err(SqlError::from)?;
        self.admit_plan(&plan, statement.how)?;
        let nothing = Scanned::default();
        let statement = Statement { scanned: &nothing, parameters: &[], ..*statement };
        self.run_change(&plan, &statement, facts, None)
    }

    /// A query over the latest state with the transaction's own writes, as writes see it.
    pub(super) fn select_latest(
        &mut self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        ignore: bool,
    ) -> Result<RowStream> {
        if query.locks {
            return self.as_of_a_write(ignore, |session| session.select_locked(query, parameters));
        }
        let view = self.latest_view()?;
        self.as_of_a_write(ignore, |session| session.rows_of(query, parameters, view))
    }

    /// Starts the query of a writing statement: in strict mode what must not be written, or come up
    /// while it is looked for, is an error in the query already. `is_lenient`: of IGNORE.
    pub(super) fn as_of_a_write<T>(
        &mut self,
        is_lenient: bool,
        start: impl FnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        if is_lenient || !self.variables.mode.strict() {
            return start(self);
        }
        let strict = Arc::new(self.limits.strict());
        let limits = std::mem::replace(&mut self.limits, strict);
        let shape = Arc::clone(&self.shape);
        let started = panics::caught(shape.as_bytes(), || start(self));
        self.limits = limits;
        started
    }

    /// The keys of the rows that an UPDATE or DELETE of one table is about, where a query is to
    /// find them.
    fn found_by_query(
        &mut self,
        t: &mut Transaction,
        finding: Option<(&Finding, &Arc<Table>, &Access)>,
        ignore: bool,
        statement: &Statement<'_>,
    ) -> Result<Option<FoundKeys>> {
        match finding {
            Some((finding, ..)) if finding.is_needed => {
                let (view, rows) =
                    self.found_under(t, finding.query(), statement.parameters, ignore)?;
                Ok(Some(FoundKeys { rows, state: Some(view) }))
            }
            Some((finding, table, access)) if statement.how.may_wait => {
                self.found_by_column(t, finding.query(), (table, access), ignore, statement)
            }
            _ => Ok(None),
        }
    }

    /// The same by a query over the table's columns; `None` where looking at the rows is quicker,
    /// or right alone: few of them, what is not to be done but once for each row, and a transaction
    /// that has written to the table.
    fn found_by_column(
        &mut self,
        t: &mut Transaction,
        query: &QueryPlan,
        (table, access): (&Arc<Table>, &Access),
        ignore: bool,
        statement: &Statement<'_>,
    ) -> Result<Option<FoundKeys>> {
        let facts = self.facts();
        let sizes = Sizes::new(&facts, self.sql.engine().latest(), statement.parameters);
        let cost = cost_of_look_up(table, access, &sizes)?.unwrap_or(query.query.cost);
        if query.locks
            || query.traits.assigns
            || query.traits.waits
            || self.runs_over_rows_at(query, cost)
        {
            return Ok(None);
        }
        let view = t.frozen_at(self.fresh_snapshot()?);
        if view.beneath(&table.index_range(0)).is_none() {
            return Ok(None);
        }
        let stream = self.as_of_a_write(ignore, |session| {
            let context = QueryContext { view, facts: session.facts() };
            session.sql.long_queries().select(query, statement.parameters, &context)
        });
        match stream {
            Ok(rows) => Ok(Some(FoundKeys { rows, state: None })),
            Err(SqlError::NotLowerable(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The latest state with the transaction's own writes.
    pub(super) fn latest_view(&mut self) -> Result<Arc<dyn Read>> {
        self.open_implicitly()?;
        let base = self.fresh_snapshot()?;
        Ok(self.with_own_writes(base))
    }

    pub(super) fn insert_stream(
        &mut self,
        plan: &InsertPlan,
        stream: RowStream,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<WriteOutcome> {
        // A transaction that is open has to take its rows back at its ROLLBACK.
        let alone = self.open.is_none();
        let view = self.view_for(plan)?;
        self.change_with(facts, statement, plan.ignore, None, |t, context, session| {
            let columns = Arc::clone(stream.columns());
            let types: Vec<&ColumnType> = columns.iter().map(|column| &column.ty).collect();
            let engine = session.sql.engine();
            let begin = |on_duplicate| {
                // Loads in bulk know the rows of a statement by their numbers alone.
                if !alone || plan.returning().is_some() {
                    return Ok(None);
                }
                let transaction = session.new_transaction()?;
                let bulk = BulkLoad::begin(transaction, plan.table(), on_duplicate)?;
                if let Some(bulk) = &bulk {
                    session.process.show(bulk.progress());
                }
                Ok(bulk)
            };
            asking(view.as_deref(), context, |context| {
                let insert = QueryInsert { plan, context, engine, types: &types };
                insert.run(stream, t, begin)
            })
        })
    }

    /// What the sub-queries of ON DUPLICATE KEY UPDATE read, if there are such.
    fn view_for(&mut self, plan: &InsertPlan) -> Result<Option<Arc<dyn Read>>> {
        plan.asks().then(|| self.latest_view()).transpose()
    }
}

/// Calls `work` with a context in which sub-queries that read this are run, if there are such.
pub(super) fn asking<T>(
    view: Option<&dyn Read>,
    context: &WriteContext<'_>,
    work: impl FnOnce(&WriteContext<'_>) -> T,
) -> T {
    match view {
        None => work(context),
        Some(view) => with_subqueries(context.facts, view, |subqueries| {
            work(&WriteContext { subqueries: Some(subqueries), ..*context })
        }),
    }
}

/// Refuses to change all rows of a table, or those that no key leads to, under sql_safe_updates.
///
/// # Errors
/// 1175.
fn check_safe(plan: &Plan) -> Result<()> {
    let is_limited = match plan {
        Plan::Update(plan) => plan.target().is_limited(),
        Plan::Delete(plan) => plan.target().is_limited(),
        Plan::JoinedUpdate(plan) => plan.is_limited(),
        Plan::JoinedDelete(plan) => plan.is_limited(),
        _ => true,
    };
    if is_limited {
        return Ok(());
    }
    let message = "You are using safe update mode and you tried to update a table without a WHERE \
                   that uses a KEY column. ";
    Err(SqlError::new(ErrorCode::UpdateWithoutKeyInSafeMode, message))
}
