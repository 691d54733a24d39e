//! A statement's surroundings.
//!
//! Not here: what expressions ask of them (`expression::StatementContext`), the session
//! (`session`).

use std::num::NonZeroU64;
use std::ops::Deref;
use std::sync::Arc;

use access::{AccessControl, Rights};
use expression::StatementContext;
use rows::Engine;
use rows::store::Read;
use rows::transaction::NumberRules;
use values::datum::Value;

use crate::encryption::SessionTls;
use crate::listing::AskedTables;
use crate::process_line::ProcessLine;
use crate::relations::{Relations, TemporaryNames};
use crate::samples::Samples;
use crate::tree::CatalogListing;
use crate::variables::SessionVariables;
use files::folders::Folders;
use results::{Result, ResultColumn};

/// Which time it is that others are held back for a query; never 0.
pub type HoldNumber = NonZeroU64;

/// What statements ask of their server.
pub trait StatementServer: Send + Sync {
    /// The rows beneath.
    fn engine(&self) -> &Arc<Engine>;

    /// What entries of indexes have shown lately.
    fn samples(&self) -> &Arc<Samples>;

    /// The files that statements may read and make.
    fn files(&self) -> &Folders;

    /// Accounts and what they may do.
    fn access(&self) -> &Arc<AccessControl>;

    /// A connection's line in the process list.
    fn process_line(&self, connection: u32) -> Option<ProcessLine>;

    /// The columns of a table that the server makes.
    ///
    /// # Errors
    /// 1109 or 1146 when there is none; 1142 for one that the statement's principal may not read;
    /// those of reading what it is like.
    fn listing_columns(
        &self,
        facts: &SqlContext,
        listing: &CatalogListing,
    ) -> Result<Vec<ResultColumn>>;

    /// Its rows, at least those about the tables that are asked for.
    ///
    /// # Errors
    /// Those of reading what it is like.
    fn listing_rows(
        &self,
        facts: &SqlContext,
        listing: &CatalogListing,
        asked: &AskedTables<'_>,
    ) -> Result<Vec<Vec<Value>>>;
}

/// What is the same for all of a statement.
pub struct SqlContext {
    /// What its expressions ask.
    pub statement: StatementContext,
    /// The server.
    pub sql: Arc<dyn StatementServer>,
    /// What its principal may do.
    pub rights: Arc<Rights>,
    /// Tables that a statement writes to, whose columns were looked at before: they may be read
    /// for finding their rows.
    pub written: Arc<[WrittenTable]>,
    /// Numbers of views that rows are written through, and of those beneath them: each gives the
    /// keys of its table's rows as well, under the name `bind::ROW_KEY`.
    pub keyed_views: Arc<[u32]>,
    /// The session's variables.
    pub variables: Arc<SessionVariables>,
    /// How its client is encrypted.
    pub tls: SessionTls,
    /// The session's temporary tables, if it has any.
    pub temporary: Option<Arc<TemporaryNames>>,
    /// Whether plain reads lock, as those of SERIALIZABLE do.
    pub reads_lock: bool,
    /// That others are held back for its query (`LongQueries::hold_others_back`).
    pub comes_first: Option<HoldNumber>,
}

impl SqlContext {
    /// What names mean in the statement.
    pub fn relations(&self) -> Relations<'_> {
        let (catalog, temporary) = (self.sql.engine().catalog(), self.temporary.as_deref());
        Relations { catalog, temporary }
    }

    /// How AUTO_INCREMENT values of its rows are made.
    pub fn number_rules(&self) -> NumberRules {
        self.variables.number_rules()
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
