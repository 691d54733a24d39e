//! SET STATEMENT: variables that have other values for one statement (MariaDB).
//!
//! Invariants
//! 1. However the statement ends, the variables have their values from before it.
//!
//! Not here: SET (`set`), the grammar (`syntax::statement`).

use std::sync::Arc;

use expression::TimeLimit;
use syntax::scan::Scanned;
use syntax::set::SetItem;
use values::ErrorCode;

use super::{Session, Statement};
use crate::reply::Reply;
use plan::variables::definition;
use results::{Result, SqlError};

/// Variables whose values are more than a setting of the session, as MariaDB 10.11 refuses them,
/// and those of transactions, which end later than the statement.
const NOT_FOR_ONE: [&str; 17] = [
    "autocommit",
    "character_set_client",
    "character_set_connection",
    "character_set_filesystem",
    "collation_connection",
    "identity",
    "insert_id",
    "interactive_timeout",
    "last_insert_id",
    "profiling",
    "profiling_history_size",
    "query_cache_type",
    "sql_log_off",
    "transaction_isolation",
    "transaction_read_only",
    "tx_isolation",
    "wait_timeout",
];

impl Session {
    /// Runs the statement with this text, of `outer`, under other variables.
    pub(super) fn set_for_statement(
        &mut self,
        items: &[SetItem],
        text: &str,
        outer: &Statement<'_>,
    ) -> Result<Reply> {
        let names = items.iter().filter_map(|item| match item {
            SetItem::System { name, .. } => Some(name.as_str()),
            _ => None,
        });
        if let Some(name) = names.clone().find(|name| NOT_FOR_ONE.contains(name)) {
            let message = format!("The system variable {name} cannot be set in SET STATEMENT.");
            return Err(SqlError::new(ErrorCode::SetStatementNotSupported, message));
        }
        let before = Arc::clone(&self.variables);
        let result = self.set(items).and_then(|_| {
            if let Some(time) = self.statement_time() {
                self.process.kill.end_after(time, TimeLimit::Statement);
            }
            self.run_text(text, outer)
        });
        let variables = Arc::make_mut(&mut self.variables);
        for definition in names.filter_map(definition) {
            variables.keep(definition, before.text(definition))?;
        }
        result
    }

    fn run_text(&mut self, text: &str, outer: &Statement<'_>) -> Result<Reply> {
        let text = text.as_bytes();
        let mut scanned = Scanned::within(
            self.sql.engine().budget().bytes_max() / super::statement::LITERALS_PART,
        );
        scanned.scan(text, self.variables.mode)?;
        if usize::from(scanned.parameters()) != outer.own.len() {
            return Err(SqlError::unsupported("parameters for the variables of SET STATEMENT"));
        }
        // The whole has a room, and who has one must not wait for another.
        let mut share = self.sql.engine().budget().share();
        share.grow_to(scanned.memory_bytes())?;
        let mut datums = Vec::with_capacity(scanned.literals.len());
        scanned.datums(text, outer.own, &mut datums);
        let (own, how) = (outer.own, outer.how);
        let statement = Statement { text, scanned: &scanned, parameters: &datums, own, how };
        self.run(&statement, None, None)
    }
}
