//! The server as its statements see it.
//!
//! Not here: what they ask (`context::StatementServer`).

use std::sync::Arc;

use access::AccessControl;
use rows::Engine;
use values::datum::Value;

use crate::server::Sql;
use crate::system_schema::{ListingContext, columns_of, rows_about};
use files::folders::Folders;
use plan::context::{SqlContext, StatementServer};
use plan::listing::AskedTables;
use plan::process_line::ProcessLine;
use plan::samples::Samples;
use plan::tree::CatalogListing;
use results::{Result, ResultColumn};

impl StatementServer for Sql {
    fn engine(&self) -> &Arc<Engine> {
        Sql::engine(self)
    }

    fn samples(&self) -> &Arc<Samples> {
        Sql::samples(self)
    }

    fn files(&self) -> &Folders {
        Sql::files(self)
    }

    fn access(&self) -> &Arc<AccessControl> {
        Sql::access(self)
    }

    fn process_line(&self, connection: u32) -> Option<ProcessLine> {
        self.processes().find(connection).map(|process| process.line())
    }

    fn listing_columns(
        &self,
        facts: &SqlContext,
        listing: &CatalogListing,
    ) -> Result<Vec<ResultColumn>> {
        columns_of(&ListingContext { sql: self, facts }, listing)
    }

    fn listing_rows(
        &self,
        facts: &SqlContext,
        listing: &CatalogListing,
        asked: &AskedTables<'_>,
    ) -> Result<Vec<Vec<Value>>> {
        rows_about(&ListingContext { sql: self, facts }, listing, asked)
    }
}
