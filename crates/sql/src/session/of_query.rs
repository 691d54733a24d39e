//! Tables that are made of a query: CREATE TABLE ... SELECT, of stored and of temporary tables.
//!
//! Invariant: a table that its query could not fill is not left behind.
//!
//! Not here: the two kinds of tables (`definitions`, `temporary`), columns' types
//! (`ddl::of_query`).

use std::sync::Arc;

use rows::ddl::NewTable;
use rows::schema::Column;
use rows::table::Table;
use syntax::TableName;
use syntax::scan::Scanned;
use syntax::table::{CreateTable, OnDuplicateSpec};

use super::{Session, Statement};
use crate::ddl;
use crate::reply::{OkFigures, Reply};
use crate::write::bind_filling;
use plan::tree::Body;
use results::{ExecutionMode, Result, ResultColumn, RowStream, SqlError};

impl Session {
    /// The rows of the query that a table is to be made of, and columns for them.
    pub(super) fn rows_to_make_of(
        &mut self,
        create: &CreateTable,
    ) -> Result<Option<(RowStream, Vec<Column>)>> {
        let Some(query) = &create.query else { return Ok(None) };
        let plan = self.plan_query(query, &create.texts, &[]).map_err(SqlError::from)?;
        self.check_known_texts(&plan.compared_texts)?;
        let stream = self.select_latest(&plan, &[], false)?;
        let outputs = match &plan.written.body {
            Body::Select(select) => &select.outputs[..],
            _ => &[],
        };
        let mut results = stream.columns().to_vec();
        for (result, node) in results.iter_mut().zip(outputs) {
            if let Some(ty) = ddl::smaller_type(node) {
                result.ty = ty;
            }
        }
        let columns = self.columns_of_results(&results);
        Ok(Some((stream, columns)))
    }

    /// What CREATE TABLE says, with the columns of its query.
    pub(super) fn table_made_of(
        &self,
        create: &CreateTable,
        database: &str,
        given: &[Column],
    ) -> Result<NewTable> {
        let session = self.conversion_rules();
        let text_rules = self.variables.text_rules;
        let text = self.sql.engine().catalog().text_defaults(database);
        let table = ddl::new_table(create, database, given, session, text_rules, text)?;
        self.note_doubled_words(table.columns.iter());
        Ok(table)
    }

    /// Notes the words of ENUM and SET that stand there twice: strict modes have refused them.
    pub(super) fn note_doubled_words<'c>(&self, columns: impl Iterator<Item = &'c Column>) {
        for doubled in columns.filter_map(|column| ddl::doubled_word(&column.ty, &column.name)) {
            self.note(doubled.code(), doubled.into_message());
        }
    }

    /// The columns of a table that is made of a query.
    fn columns_of_results(&self, results: &[ResultColumn]) -> Vec<Column> {
        let column = |result: &ResultColumn| {
            let named = (!result.org_table.is_empty()).then(|| TableName {
                database: Some(result.database.clone()),
                table: result.org_table.clone(),
            });
            let table = named.and_then(|named| self.base_table(&named).ok());
            let known = table.as_ref().and_then(|table| table.column(&result.org_name));
            let known = known.and_then(|position| Some(&table.as_ref()?.columns[position]));
            ddl::column_of_result(result, known, self.variables.mode)
        };
        results.iter().map(column).collect()
    }

    /// Fills a new table with its query's rows. Whoever made it drops it if this fails.
    pub(super) fn fill_table(
        &mut self,
        table: &Arc<Table>,
        stream: RowStream,
        on_duplicate: OnDuplicateSpec,
    ) -> Result<Reply> {
        let names: Vec<String> =
            stream.columns().iter().map(|column| column.name.clone()).collect();
        let plan = bind_filling(Arc::clone(table), &names, on_duplicate)?;
        let facts = self.facts();
        let scanned = Scanned::default();
        let statement = Statement {
            text: b"",
            scanned: &scanned,
            parameters: &[],
            own: &[],
            how: ExecutionMode::POOL,
        };
        let written = self.insert_stream(&plan, stream, &statement, &facts)?;
        Ok(Reply::Done(OkFigures {
            affected: written.affected,
            info: written.info,
            ..OkFigures::default()
        }))
    }
}
