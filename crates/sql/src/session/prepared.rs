//! Prepared statements, of the protocol and of PREPARE.
//!
//! Invariants
//! 1. What was prepared executes no prepared statement.
//! 2. A prepared statement runs in the database in which it was prepared (MySQL 9.7 and MariaDB
//!    10.11 answer so), and the session is in its own again behind it.
//! 3. A statement is scanned once. Its plan is kept, and made again when a table of it has changed
//!    or its parameters are of other kinds.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use resources::budget::Share;
use rows::Group;
use sqlparser::ast::{Expr, visit_expressions};
use syntax::scan::{Scanned, open_version_comments, skip_space, statement_word, without_ends};
use values::datum::{Datum, Value};
use values::{ErrorCode, SqlMode};

use super::statement::{LITERALS_PART, query_was_empty};
use super::{Session, Statement};
use crate::plan_cache::Plan;
use crate::reply::{Parameter, PreparedReply, Reply};
use crate::server::{CountedStatement, StatementShape, with_values};
use results::{ExecutionMode, Result, ResultColumn, SqlError, panics};

/// Memory that a prepared statement takes besides its text, about: plan and columns.
const PREPARED_BYTES: usize = 4096;

/// A statement that was prepared.
pub(super) struct PreparedStatement {
    /// Its text.
    pub text: Vec<u8>,
    scanned: Scanned,
    /// Its text without literals.
    shape: Arc<[u8]>,
    /// Memory for all of it.
    _share: Share,
    _counted: CountedStatement,
    plan: Option<Plan>,
    /// The number of the rights that the plan was bound under.
    rights: u64,
    /// The database it was prepared in.
    database: Option<String>,
}

impl PreparedStatement {
    /// Its text without literals.
    pub fn shape(&self) -> Arc<[u8]> {
        Arc::clone(&self.shape)
    }

    /// What it is known by; `shape` is its own.
    pub fn statement_shape<'a>(&'a self, shape: &'a [u8], mode: SqlMode) -> StatementShape<'a> {
        let has_more_rows = self.scanned.has_more_rows();
        StatementShape { shape, has_more_rows, text: &self.text, mode }
    }
}

impl Session {
    pub(super) fn prepare_statement(&mut self, text: &[u8]) -> Result<PreparedReply> {
        let counted = self.sql.prepared_statements().add(self.sql.globals())?;
        self.begin_statement();
        let text = without_ends(text);
        if text.is_empty() {
            return Err(query_was_empty());
        }
        let text =
            open_version_comments(text, self.variables.mode).unwrap_or_else(|| text.to_vec());
        let mut scanned = Scanned::within(self.sql.engine().budget().bytes_max() / LITERALS_PART);
        scanned.scan(&text, self.variables.mode)?;
        // It stays until it is closed, or its client leaves.
        let mut share = self.sql.engine().budget().kept_share();
        share.grow_to(PREPARED_BYTES + 4 * text.len() + scanned.kept_bytes())?;
        let mut parsing = self.sql.engine().budget().share();
        parsing.grow_to(scanned.memory_bytes().saturating_sub(scanned.kept_bytes()))?;
        let next = skip_space(&text, scanned.taken);
        if next < text.len() {
            return Err(syntax::scan::syntax_at(&text, next).into());
        }
        if scanned.is_empty() {
            return Err(not_prepared());
        }
        // While only the columns are asked for, every parameter is NULL.
        let own = vec![Datum::Null; usize::from(scanned.parameters())];
        let mut datums = Vec::with_capacity(scanned.literals.len());
        scanned.datums(&text, &own, &mut datums);
        let statement = Statement {
            text: &text,
            scanned: &scanned,
            parameters: &datums,
            own: &own,
            how: ExecutionMode::POOL,
        };
        let (plan, columns) = self.describe(&statement)?;
        drop((datums, parsing));
        let id = self.next_prepared;
        self.next_prepared = self.next_prepared.wrapping_add(1).max(1);
        let parameters = scanned.parameters();
        let database = self.database.clone();
        let shape = Arc::from(scanned.shape.as_slice());
        let (_share, _counted) = (share, counted);
        let rights = self.principal.rights.number;
        let prepared =
            PreparedStatement { text, scanned, shape, _share, _counted, plan, rights, database };
        self.prepared.insert(id, prepared);
        Ok(PreparedReply { id, parameters, columns })
    }

    /// The text that an execution is known by, with its values or without.
    pub(super) fn text_of_execution<'p>(
        &self,
        PreparedStatement { text, scanned, .. }: &'p PreparedStatement,
        parameters: &[Parameter<'_>],
        has_values: bool,
    ) -> Cow<'p, [u8]> {
        match has_values {
            true => {
                let (places, zone) = (&scanned.parameter_places, self.variables.zone);
                Cow::Owned(with_values(text, places, parameters, zone))
            }
            false => Cow::Borrowed(text),
        }
    }

    /// Lets an execution be known by its text with its values once it is over, if the slow log will
    /// have it: they are written for no other.
    pub(super) fn note_values(
        &self,
        prepared: &PreparedStatement,
        parameters: &[Parameter<'_>],
        result: &Result<Reply>,
    ) {
        // It is known by the same text where it is repeated.
        if matches!(result, Err(SqlError::WouldWait)) {
            return;
        }
        let is_over = result.as_ref().map_or(true, Reply::is_gathered);
        let is_logged = self.sql.history().logs().need_values_of_slow()
            && (!is_over || self.process.is_slow_so_far(self.slow_rule()));
        if is_logged {
            self.process.note_text(&self.text_of_execution(prepared, parameters, true));
        }
    }

    /// The plan of a statement, and the columns it will give.
    fn describe(
        &mut self,
        statement: &Statement<'_>,
    ) -> Result<(Option<Plan>, Arc<[ResultColumn]>)> {
        let word = statement_word(statement.source());
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        let query = is(b"select")
            || is(b"with")
            || is(b"values")
            || is(b"table")
            || statement.source().first() == Some(&b'(');
        if query && statement.scanned.into {
            return Ok((Some(Plan::ByText), Arc::from([])));
        }
        // The types of the parameters are not known yet, so any will do.
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let (shape, engine) = (&statement.scanned.shape, self.sql.engine());
        let known = self.sql.plans().find(
            (database, mode, shape, self.principal.rights.number),
            None,
            engine,
        );
        let known = known.filter(|plan| !self.hides_any_of(plan));
        if query {
            return match known.map_or_else(|| self.select_plan(statement), Ok)? {
                Plan::Select(plan) => {
                    let columns = Arc::clone(&plan.columns);
                    Ok((Some(Plan::Select(plan)), columns))
                }
                Plan::Query(plan) => {
                    let columns = Arc::clone(&plan.columns);
                    Ok((Some(Plan::Query(plan)), columns))
                }
                other => {
                    let columns = self.query_columns(statement)?;
                    Ok((Some(other), columns))
                }
            };
        }
        if is(b"insert") || is(b"replace") || is(b"update") || is(b"delete") {
            let plan = known.map_or_else(|| self.write_plan(statement), Ok)?;
            let columns = plan.returned_columns().unwrap_or_else(|| Arc::from([]));
            return Ok((Some(plan), columns));
        }
        const UNPREPARED: [&[u8]; 8] = [
            b"prepare",
            b"execute",
            b"deallocate",
            b"xa",
            b"signal",
            b"resignal",
            b"get",
            b"handler",
        ];
        if UNPREPARED.iter().any(|word| is(word)) {
            // What is no statement at all is told first.
            self.check_admin(statement)?;
            return Err(not_prepared());
        }
        self.check_admin(statement)?;
        Ok((None, self.admin_columns(statement)?))
    }

    pub(super) fn execute_prepared(
        &mut self,
        prepared: &PreparedStatement,
        parameters: &[Parameter<'_>],
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        if parameters.len() != usize::from(prepared.scanned.parameters()) {
            return Err(SqlError::new(
                ErrorCode::WrongArguments,
                "Incorrect arguments to mysqld_stmt_execute",
            ));
        }
        if prepared.database == self.database {
            return self.run_prepared(prepared, parameters, how, group);
        }
        if let Some(name) = &prepared.database
            && !self.has_database(name)
        {
            return Err(SqlError::unknown_database(name));
        }
        let own = std::mem::replace(&mut self.database, prepared.database.clone());
        // A panic must not leave the session in a database that it did not choose.
        let result =
            panics::caught(&prepared.shape, || self.run_prepared(prepared, parameters, how, group));
        // It may be what the statement has dropped.
        self.database = own.filter(|name| self.has_database(name));
        self.process.set_database(self.database.as_deref());
        result
    }

    /// Runs it in the database that the session is in.
    fn run_prepared(
        &mut self,
        prepared: &PreparedStatement,
        parameters: &[Parameter<'_>],
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let known = prepared
            .plan
            .as_ref()
            .filter(|plan| prepared.rights == self.principal.rights.number && plan.is_current());
        let known = known.filter(|plan| !self.hides_any_of(plan));
        let mut datums: Vec<Datum<'_>> = Vec::with_capacity(prepared.scanned.literals.len());
        prepared.scanned.datums(&prepared.text, parameters, &mut datums);
        let statement = Statement {
            text: &prepared.text,
            scanned: &prepared.scanned,
            parameters: &datums,
            own: parameters,
            how,
        };
        self.run(&statement, known, group)
    }

    /// PREPARE name FROM text.
    pub(super) fn prepare_named(&mut self, name: &str, text: &[u8]) -> Result<Reply> {
        self.sql.counters().named_prepares.add();
        let name = name.to_lowercase();
        if let Some(old) = self.named.remove(&name) {
            self.prepared.remove(&old);
        }
        let prepared = self.prepare_statement(text)?;
        self.named.insert(name, prepared.id);
        Ok(self.done(0))
    }

    /// EXECUTE name USING expressions.
    pub(super) fn execute_named(
        &mut self,
        name: &str,
        using: &[Expr],
        how: ExecutionMode,
    ) -> Result<Reply> {
        let id = self.named_statement(name, "EXECUTE")?;
        let values = self.values_of(using, "EXECUTE..USING")?;
        let Some(prepared) = self.prepared.remove(&id) else {
            return Err(unknown_handler(name, "EXECUTE"));
        };
        let result = self.execute_with_values(&prepared, &values, how);
        self.prepared.insert(id, prepared);
        result
    }

    /// EXECUTE IMMEDIATE text USING expressions: prepared, executed once and forgotten.
    pub(super) fn execute_immediate(
        &mut self,
        source: &Expr,
        using: &[Expr],
        how: ExecutionMode,
    ) -> Result<Reply> {
        refuse_subqueries(source, "EXECUTE IMMEDIATE")?;
        let (text, shown) = self.value_of(source)?;
        if text.is_null() {
            return Err(SqlError::syntax("NULL", 1));
        }
        let values = self.values_of(using, "EXECUTE..USING")?;
        let id = self.prepare_statement(shown.as_bytes())?.id;
        let Some(prepared) = self.prepared.remove(&id) else {
            return Err(SqlError::other("a statement that was just prepared"));
        };
        self.execute_with_values(&prepared, &values, how)
    }

    fn execute_with_values(
        &mut self,
        prepared: &PreparedStatement,
        values: &[Value],
        how: ExecutionMode,
    ) -> Result<Reply> {
        if values.len() != usize::from(prepared.scanned.parameters()) {
            return Err(SqlError::new(ErrorCode::WrongArguments, "Incorrect arguments to EXECUTE"));
        }
        let parameters: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
        // One within another could go on without an end.
        if std::mem::replace(&mut self.executing, true) {
            return Err(not_prepared());
        }
        let logs = self.sql.history().logs();
        let has_values = logs.need_values() || logs.slow().has_plans();
        let text = self.text_of_execution(prepared, &parameters, has_values);
        self.process.note_executed(&text);
        let result = self.execute_prepared(prepared, &parameters, how, None);
        self.executing = false;
        result
    }

    fn values_of(&mut self, exprs: &[Expr], doing: &str) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(exprs.len());
        for expr in exprs {
            refuse_subqueries(expr, doing)?;
            values.push(self.value_of(expr)?.0);
        }
        Ok(values)
    }

    /// DEALLOCATE PREPARE name.
    pub(super) fn deallocate(&mut self, name: &str) -> Result<Reply> {
        let id = self.named_statement(name, "DEALLOCATE PREPARE")?;
        self.close(id);
        Ok(self.done(0))
    }

    fn named_statement(&self, name: &str, doing: &str) -> Result<u32> {
        let id = self.named.get(&name.to_lowercase()).copied();
        id.ok_or_else(|| unknown_handler(name, doing))
    }
}

/// As MariaDB does: tests/oracle/sql/statements.sql.
pub(super) fn refuse_subqueries(expr: &Expr, doing: &str) -> Result<()> {
    let found = visit_expressions(expr, |part| match part {
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => {
            let message = format!("{doing} does not support subqueries or stored functions");
            Err(SqlError::new(ErrorCode::SubqueriesNotSupported, message))
        }
    }
}

fn not_prepared() -> SqlError {
    SqlError::new(
        ErrorCode::UnsupportedPs,
        "This command is not supported in the prepared statement protocol yet",
    )
}

fn unknown_handler(name: &str, doing: &str) -> SqlError {
    SqlError::new(
        ErrorCode::UnknownStatementHandler,
        format!("Unknown prepared statement handler ({name}) given to {doing}"),
    )
}
