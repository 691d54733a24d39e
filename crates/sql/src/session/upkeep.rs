//! ANALYZE, CHECK, OPTIMIZE and REPAIR TABLE: what each finds of a table, as the lines of MySQL's
//! listing.
//!
//! Not here: the check itself (`rows::check`), how rows are counted (`rows`).

use std::sync::Arc;

use rows::bulk::Progress;
use rows::check::CheckReport;
use rows::table::Table;
use syntax::TableName;
use syntax::partition::UpkeepSpec;

use super::Session;
use crate::reply::Reply;
use crate::show::{Listing, text};
use results::{Result, SqlError};

const COLUMNS: [&str; 4] = ["Table", "Op", "Msg_type", "Msg_text"];

/// Msg_type and Msg_text.
type Line = (&'static str, String);

impl Session {
    /// ANALYZE, CHECK, OPTIMIZE or REPAIR PARTITION: what is done is done with the whole table.
    pub(super) fn maintain_partitions(
        &mut self,
        operation: UpkeepSpec,
        table: &TableName,
        names: Option<&[String]>,
    ) -> Result<Reply> {
        let operation = match operation {
            UpkeepSpec::Analyze => "analyze",
            UpkeepSpec::Check => "check",
            UpkeepSpec::Optimize => "optimize",
            UpkeepSpec::Repair => "repair",
        };
        if self.definition(table).is_err() {
            // It is said in a row, as of a whole table.
            return self.maintain(operation, std::slice::from_ref(table));
        }
        let found = self.base_table(table)?;
        let Some(partitioning) = &found.partitioning else {
            let fault = rows::partition::PartitionFault::None;
            return Err(rows::Error::from(rows::BrokenRule::Partitioning(fault)).into());
        };
        let is_there = |name: &String| partitioning.partition(name).is_some();
        if names.is_none_or(|names| names.iter().all(is_there)) {
            return self.maintain(operation, std::slice::from_ref(table));
        }
        let mut listing = Listing::new(&COLUMNS);
        let shown = format!("{}.{}", found.database, found.name);
        let lines = failed(format!("Error in list of partitions to {shown}"));
        add_lines(&mut listing, &shown, operation, lines);
        Ok(self.listed(listing))
    }

    pub(super) fn maintain(
        &mut self,
        operation: &'static str,
        tables: &[TableName],
    ) -> Result<Reply> {
        let mut listing = Listing::new(&COLUMNS);
        for name in tables {
            let (database, table) = self.qualified(name)?;
            let shown = format!("{database}.{table}");
            let found = self.definition(name);
            let view = self.view(name)?;
            let lines = match (found, operation) {
                (Err(_), "check") if let Some(view) = &view => vec![self.checked_view(view)],
                (Err(_), _) if view.is_some() => failed(format!("'{shown}' is not BASE TABLE")),
                (Err(_), _) => failed(format!("Table '{shown}' doesn't exist")),
                (Ok(table), _) if table.is_listed() => sound(),
                (Ok(_), "optimize") => vec![
                    ("note", "Rows are kept in order; there is nothing to do".to_string()),
                    ("status", "OK".to_string()),
                ],
                (Ok(_), "repair") => vec![(
                    "note",
                    "The storage engine for the table doesn't support repair".to_string(),
                )],
                (Ok(table), "check") if !table.is_temporary() => self.checked_table(&table)?,
                (Ok(table), "analyze") => self.counted_table(&table)?,
                (Ok(_), _) => sound(),
            };
            add_lines(&mut listing, &shown, operation, lines);
        }
        Ok(self.listed(listing))
    }

    /// Counts the rows of a table, for estimates.
    fn counted_table(&self, table: &Table) -> Result<Vec<Line>> {
        let kill = Arc::clone(&self.process.kill);
        let progress = Arc::<Progress>::default();
        self.process.show(&progress);
        let (engine, stop) = (self.sql.engine(), || kill.check().is_err());
        let counted = engine.count_rows_showing(table, &stop, &progress);
        kill.check()?;
        Ok(match counted {
            Ok(_) => sound(),
            Err(error) => failed(SqlError::from(error).into_message()),
        })
    }

    /// Reads every row of a table and looks for its entries in every index.
    fn checked_table(&self, table: &Table) -> Result<Vec<Line>> {
        let progress = Arc::<Progress>::default();
        self.process.show(&progress);
        let checked = self.sql.engine().check_table(table, &progress);
        self.process.kill.check()?;
        Ok(match checked {
            Ok(CheckReport { damaged: 0, .. }) => sound(),
            Ok(CheckReport { damages, readable, .. }) => {
                let told = damages.into_iter().chain(readable);
                let told = told.map(|damage| ("error", damage));
                told.chain([("error", "Corrupt".to_string())]).collect()
            }
            Err(error) => failed(SqlError::from(error).into_message()),
        })
    }
}

fn sound() -> Vec<Line> {
    vec![("status", "OK".to_string())]
}

fn failed(message: String) -> Vec<Line> {
    vec![("Error", message), ("status", "Operation failed".to_string())]
}

fn add_lines(listing: &mut Listing, table: &str, operation: &str, lines: Vec<Line>) {
    for (kind, message) in lines {
        listing.push(vec![text(table), text(operation), text(kind), text(message)]);
    }
}
