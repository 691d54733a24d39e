//! Prepared statements, of the protocol and of PREPARE.
//!
//! Invariants
//! 1. A statement is scanned once. Its plan is kept, and made anew when its table has changed.

use std::sync::Arc;

use rows::Group;
use syntax::scan::{Scanned, leading_word, open_version_comments};
use values::budget::Share;
use values::datum::{Datum, Value};

use super::{Session, Statement};
use crate::error::{Result, SqlError};
use crate::plan::Plan;
use crate::reply::{How, Parameter, Prepared, Reply, ResultColumn};

/// Most prepared statements of a session.
const PREPARED_MAX: usize = 16_382;
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
    plan: Option<Plan>,
    /// The database it was prepared in.
    database: Option<String>,
}

impl PreparedStatement {
    /// Its text without literals.
    pub fn shape(&self) -> Arc<[u8]> {
        Arc::clone(&self.shape)
    }
}

impl Session {
    pub(super) fn prepare_statement(&mut self, text: &[u8]) -> Result<Prepared> {
        if self.prepared.len() >= PREPARED_MAX {
            return Err(SqlError::new(
                1461,
                format!(
                    "Can't create more than max_prepared_stmt_count statements (current value: \
                     {PREPARED_MAX})"
                ),
            ));
        }
        self.begin_statement();
        let text = open_version_comments(text).unwrap_or_else(|| text.to_vec());
        let mut scanned = Scanned::within(self.sql.engine().budget().bytes_max() / 4);
        scanned.scan(&text, self.variables.mode)?;
        let mut share = self.sql.engine().budget().share();
        share.grow_to(PREPARED_BYTES + 4 * text.len() + scanned.memory_bytes())?;
        if scanned.taken < text.len() {
            return Err(syntax::scan::syntax_at(&text, scanned.taken).into());
        }
        // While only the columns are asked for, every parameter is NULL.
        let own = vec![Datum::Null; usize::from(scanned.parameters)];
        let mut datums = Vec::with_capacity(scanned.literals.len());
        scanned.datums(&text, &own, &mut datums);
        let statement = Statement {
            text: &text,
            scanned: &scanned,
            parameters: &datums,
            own: &own,
            how: How::POOL,
        };
        let (plan, columns) = self.describe(&statement)?;
        drop(datums);
        let id = self.next_prepared;
        self.next_prepared = self.next_prepared.wrapping_add(1).max(1);
        let parameters = scanned.parameters;
        let database = self.database.clone();
        let shape = Arc::from(scanned.shape.as_slice());
        self.prepared
            .insert(id, PreparedStatement { text, scanned, shape, _share: share, plan, database });
        Ok(Prepared { id, parameters, columns })
    }

    /// The plan of a statement, and the columns it will give.
    fn describe(
        &mut self,
        statement: &Statement<'_>,
    ) -> Result<(Option<Plan>, Arc<[ResultColumn]>)> {
        let word = leading_word(statement.source());
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        let query = is(b"select")
            || is(b"with")
            || is(b"values")
            || is(b"table")
            || statement.source().first() == Some(&b'(');
        if query && statement.scanned.into {
            return Ok((Some(Plan::Other), Arc::from([])));
        }
        if query {
            return match self.select_plan(statement)? {
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
            let plan = self.write_plan(statement)?;
            return Ok((Some(plan), Arc::from([])));
        }
        if statement.source().is_empty() {
            return Err(SqlError::new(1065, "Query was empty"));
        }
        self.check_admin(statement)?;
        Ok((None, self.admin_columns(statement)?))
    }

    pub(super) fn execute_prepared(
        &mut self,
        prepared: &mut PreparedStatement,
        parameters: &[Parameter<'_>],
        how: How,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        if parameters.len() != usize::from(prepared.scanned.parameters) {
            return Err(SqlError::new(1210, "Incorrect arguments to mysqld_stmt_execute"));
        }
        let same_database = prepared.database == self.database;
        let known = prepared.plan.as_ref().filter(|plan| same_database && plan.is_current());
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
        let name = name.to_lowercase();
        if let Some(old) = self.named.remove(&name) {
            self.prepared.remove(&old);
        }
        let prepared = self.prepare_statement(text)?;
        self.named.insert(name, prepared.id);
        Ok(self.done(0))
    }

    /// EXECUTE name USING @variables.
    pub(super) fn execute_named(
        &mut self,
        name: &str,
        using: &[String],
        how: How,
    ) -> Result<Reply> {
        let id = self.named_statement(name, "EXECUTE")?;
        let variables = Arc::clone(&self.user_variables);
        let parameters: Vec<Datum<'_>> = using
            .iter()
            .map(|name| variables.get(name).map_or(Datum::Null, Value::as_datum))
            .collect();
        let Some(mut prepared) = self.prepared.remove(&id) else {
            return Err(unknown_handler(name, "EXECUTE"));
        };
        let result = self.execute_prepared(&mut prepared, &parameters, how, None);
        self.prepared.insert(id, prepared);
        result
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

fn unknown_handler(name: &str, doing: &str) -> SqlError {
    SqlError::new(1243, format!("Unknown prepared statement handler ({name}) given to {doing}"))
}
