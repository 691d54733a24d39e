//! What the columns of a table are, for SHOW: of stored tables, views, and the server's own tables.
//!
//! Not here: DESCRIBE's words (`show`), the columns of the server's own tables (`system_schema`).

use plan::context::StatementServer as _;
use plan::listing::SystemSchema;
use plan::tree::CatalogListing;
use results::{Result, ResultColumn};
use syntax::TableName;
use values::datum::Value;

use super::Session;
use crate::show::{self, Listing, text};
use crate::system_schema::information_schema::columns_of_view;

impl Session {
    /// SHOW COLUMNS.
    pub(super) fn columns_of(&self, name: &TableName, full: bool) -> Result<Listing> {
        let (database, table) = self.qualified(name)?;
        if let Some(view) = self.view(name)? {
            let columns = columns_of_view(&self.facts(), &view)?;
            let listing = show::columns_of_view(&columns, full, self.variables.zone);
            let rights = &self.principal.rights;
            return Ok(listing.seen(0, |column| rights.sees_column(database, table, column)));
        }
        let Some((_, columns)) = self.own_columns(name)? else {
            let listing = show::columns(&*self.definition(name)?, full, self.variables.zone);
            let rights = &self.principal.rights;
            return Ok(listing.seen(0, |column| rights.sees_column(database, table, column)));
        };
        let mut listing = Listing::new(&["Field", "Type", "Null", "Key", "Default", "Extra"]);
        for column in columns {
            listing.push(vec![
                text(column.name),
                text(column.ty.mysql_type_name()),
                text("YES"),
                text(""),
                Value::Null,
                text(""),
            ]);
        }
        Ok(listing)
    }

    /// One of the server's own tables with its columns; `None` for another one, and for those of
    /// `mysql`, which have definitions as stored tables have.
    pub(super) fn own_columns(
        &self,
        name: &TableName,
    ) -> Result<Option<(CatalogListing, Vec<ResultColumn>)>> {
        let (database, table) = self.qualified(name)?;
        let own = SystemSchema::of_table(&self.relations(), database, table);
        let Some(schema) = own.filter(|own| *own != SystemSchema::Mysql) else { return Ok(None) };
        let listing = CatalogListing::named(schema, table);
        let columns = self.sql.listing_columns(&self.facts(), &listing)?;
        Ok(Some((listing, columns)))
    }
}
