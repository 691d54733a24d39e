//! COM_FIELD_LIST: the columns of a table, each with its default as text. C clients
//! (`mysql_list_fields`) read the defaults without asking whether there are any.
//!
//! Not here: which columns match (`doors::mysql`), SHOW COLUMNS (`show::catalog`).

use rows::schema::Column;
use syntax::TableName;
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use super::Session;
use crate::system_schema::information_schema::columns_of_view;
use plan::column_default::{Store, fixed_default_of, implied_default};
use plan::context::StatementServer;
use plan::listing::SystemSchema;
use plan::tree::CatalogListing;
use results::{Result, ResultColumn, SqlError};

impl Session {
    /// The columns of a table of the current database, with the texts of their defaults; `None`:
    /// NULL.
    ///
    /// # Errors
    /// 1046, 1146.
    pub fn columns_with_defaults(
        &mut self,
        table: &str,
    ) -> Result<Vec<(ResultColumn, Option<Vec<u8>>)>> {
        self.begin_statement();
        let found = self.with_defaults(table);
        found.inspect_err(|error| self.note_error(error))
    }

    fn with_defaults(&self, name: &str) -> Result<Vec<(ResultColumn, Option<Vec<u8>>)>> {
        let database = self.database.as_deref().ok_or_else(SqlError::no_database)?;
        let own = SystemSchema::of_table(&self.relations(), database, name);
        if let Some(schema) = own.filter(|own| *own != SystemSchema::Mysql) {
            let columns =
                self.sql.listing_columns(&self.facts(), &CatalogListing::named(schema, name))?;
            return Ok(columns.into_iter().map(|column| (column, None)).collect());
        }
        self.check_seen_table(database, name)?;
        let zone = self.variables.zone;
        let name = TableName { database: None, table: name.to_owned() };
        if let Some(view) = self.view(&name)? {
            let columns = columns_of_view(&self.facts(), &view)?;
            let described = |column: &Column| {
                let (name, ty) = (column.name.clone(), column.ty.clone());
                let shown = ResultColumn {
                    database: view.database.clone(),
                    table: view.name.clone(),
                    org_table: view.name.clone(),
                    org_name: name.clone(),
                    ..ResultColumn::computed(name, ty, column.nullable)
                };
                (shown, default_text(column, zone))
            };
            return Ok(columns.iter().map(described).collect());
        }
        let table = self.definition(&name)?;
        let described = |(at, column): (usize, &Column)| {
            let shown = ResultColumn::of_table(&table, at, column.name.clone(), &table.name);
            (shown, default_text(column, zone))
        };
        Ok(table.named_columns().iter().enumerate().map(described).collect())
    }
}

/// A column's default as a value of it; that of one which has to be given is what it would hold
/// outside of strict mode, and what is computed is none (MySQL 9.7 and MariaDB 10.11 answer so).
fn default_text(column: &Column, zone: Zone) -> Option<Vec<u8>> {
    let value = match fixed_default_of(column)? {
        Store::Value(value) if value.is_null() && !column.auto_increment => return None,
        Store::Value(value) if !value.is_null() => value,
        Store::Value(_) | Store::Missing => implied_default(&column.ty),
        Store::Now | Store::Expression(_) => return None,
    };
    let mut text = Vec::new();
    match &column.ty {
        // It is no JSON, but what the column's bytes are without a value.
        ColumnType::Json if !column.nullable => {}
        ty => write_text(ty, value.as_datum(), zone, &mut text),
    }
    Some(text)
}
