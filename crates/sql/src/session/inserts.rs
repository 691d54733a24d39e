//! LOAD INSERTS INTO TABLE: a transaction that takes INSERT ... VALUES into one table, as a load.
//!
//! Invariants
//! 1. While it is open, nothing else is carried out but COMMIT, ROLLBACK and SHOW: error 1192, and
//!    the load goes on.
//! 2. An INSERT that fails ends it, as a deadlock ends a transaction: nothing of it is there.
//!
//! Not here: what becomes of the rows (`load::inserts`).

use std::cell::RefCell;

use expression::Warnings;
use syntax::TableName;
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::{Session, Statement};
use crate::load::InsertLoad;
use crate::reply::Reply;
use crate::write::{InsertPlan, WriteContext, WriteOutcome};
use plan::context::SqlContext;
use results::{Result, SqlError};

/// Error 1192.
fn not_now() -> SqlError {
    let what = "because you have an active transaction (LOAD INSERTS)";
    SqlError::new(
        ErrorCode::LockOrActiveTransaction,
        format!("Can't execute the given command {what}"),
    )
}

impl Session {
    /// LOAD INSERTS INTO TABLE.
    pub(super) fn load_inserts(&mut self, name: &TableName) -> Result<Reply> {
        self.commit_open()?;
        self.check_writable()?;
        let table = self.table(name)?;
        let (transaction, rules) = (self.new_transaction()?, self.variables.number_rules());
        let load = InsertLoad::begin(transaction, table, rules);
        let Some(load) = load.map_err(|error| self.told_apart(error))? else {
            return Err(SqlError::other(
                "the table is written to by others, or its rows expire or are limited: it takes \
                 no LOAD INSERTS",
            ));
        };
        self.inserts = Some(Box::new(load));
        Ok(self.done(0))
    }

    /// Refuses what may not be done while a load of INSERTs is open.
    pub(super) fn check_inserts(&self, parsed: &Parsed) -> Result<()> {
        let harmless =
            matches!(parsed, Parsed::Commit { .. } | Parsed::Rollback { .. } | Parsed::Show(_));
        if harmless { Ok(()) } else { self.check_no_inserts() }
    }

    /// Error 1192 while a load of INSERTs is open.
    pub(super) fn check_no_inserts(&self) -> Result<()> {
        if self.inserts.is_some() { Err(not_now()) } else { Ok(()) }
    }

    /// An INSERT while a load is open.
    pub(super) fn insert_into_load(
        &mut self,
        plan: &InsertPlan,
        statement: &Statement<'_>,
        facts: &SqlContext,
    ) -> Result<WriteOutcome> {
        if plan.returning().is_some() {
            return Err(not_now());
        }
        let Some(mut load) = self.inserts.take_if(|load| load.takes(plan)) else {
            return Err(not_now());
        };
        let warnings = RefCell::new(Warnings::default());
        let context = WriteContext {
            facts,
            parameters: statement.parameters,
            warnings: &warnings,
            strict: self.variables.mode.strict(),
            ignore: false,
            found_rows: self.counts_found,
            known: None,
            subqueries: None,
        };
        self.process.show(load.progress());
        let written = load.insert(plan, &context, &statement.scanned.runs);
        self.warnings = warnings;
        let written = written.map_err(|error| self.told_apart(error))?;
        self.inserts = Some(load);
        Ok(written)
    }

    /// COMMIT of a load of INSERTs, if one is open.
    pub(super) fn finish_inserts(&mut self) -> Result<()> {
        let Some(load) = self.inserts.take() else { return Ok(()) };
        self.process.show(load.progress());
        load.finish().map_err(|error| self.told_apart(error.into()))
    }
}
