//! A statement's surroundings.
//!
//! Not here: what expressions ask of them (`expression::StatementContext`), the session
//! (`session`).

use std::ops::Deref;
use std::sync::Arc;

use access::Rights;
use expression::StatementContext;
use rows::store::Read;

use crate::Sql;
use crate::encryption::SessionTls;
use crate::long::HoldNumber;
use crate::relations::{Relations, TemporaryNames};
use crate::variables::SessionVariables;

/// What is the same for all of a statement.
pub struct SqlContext {
    /// What its expressions ask.
    pub statement: StatementContext,
    /// Catalog, files, process list.
    pub sql: Arc<Sql>,
    /// What its principal may do.
    pub rights: Arc<Rights>,
    /// Tables that a statement writes to, whose columns were looked at before: they may be read
    /// for finding their rows.
    pub written: Arc<[WrittenTable]>,
    /// The session's variables.
    pub variables: Arc<SessionVariables>,
    /// How its client is encrypted.
    pub tls: SessionTls,
    /// The session's temporary tables, if it has any.
    pub temporary: Option<Arc<TemporaryNames>>,
    /// That others are held back for its query (`LongQueries::hold_others_back`).
    pub comes_first: Option<HoldNumber>,
}

impl SqlContext {
    /// What names mean in the statement.
    pub fn relations(&self) -> Relations<'_> {
        let (catalog, temporary) = (self.sql.engine().catalog(), self.temporary.as_deref());
        Relations { catalog, temporary }
    }
}

impl Deref for SqlContext {
    type Target = StatementContext;

    #[inline]
    fn deref(&self) -> &StatementContext {
        &self.statement
    }
}

/// A table that a statement writes to.
#[derive(Clone, Debug)]
pub struct WrittenTable {
    /// Its database.
    pub database: String,
    /// Its name.
    pub table: String,
    /// The columns that sub-queries may name, if it is written to through a view.
    pub names_within: Option<Arc<[String]>>,
}

/// What an analytic query reads and asks.
pub struct QueryContext {
    /// What to read: a snapshot, overlaid with the transaction's own writes when it has some.
    pub view: Arc<dyn Read>,
    /// The statement's surroundings.
    pub facts: Arc<SqlContext>,
}
