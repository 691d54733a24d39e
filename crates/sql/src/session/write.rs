//! INSERT, REPLACE, UPDATE and DELETE: planning by shape, running in a transaction.
//!
//! Not here: what the plans do (`write`), changes of rows that a join finds (`joined`).

use std::cell::RefCell;
use std::sync::Arc;

use expression::{Level, Warnings};
use rows::Group;
use rows::bulk::BulkLoad;
use rows::table::Table;
use rows::transaction::Transaction;
use sqlparser::ast::TableWithJoins;
use syntax::Cursor;
use syntax::change::{Change, Insert, Source, change as parse_change, single_table};
use syntax::scan::Scanned;
use values::types::ColumnType;

use super::select::with_literals;
use super::source::ValueRows;
use super::{Session, Statement};
use crate::bind::scalar::{BindFailure, Bound};
use crate::context::{QueryContext, SqlContext};
use crate::error::{Result, SqlError};
use crate::load::QueryInsert;
use crate::panics;
use crate::plan::Plan;
use crate::reply::{Done, How, Reply, RowStream};
use crate::write::{
    Finding, FoundKeys, InsertPlan, WriteContext, Written, ask_beside, bind_delete,
    bind_delete_by_query, bind_insert, bind_insert_beside, bind_update, bind_update_by_query,
    count_mismatch, names_beside,
};

impl Session {
    pub(super) fn run_write(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
        mut group: Option<&mut Group>,
    ) -> Result<Reply> {
        if !statement.how.may_wait && !self.may_write_in_loop(group.is_some()) {
            return Err(SqlError::would_wait());
        }
        let facts = self.facts();
        let plan = match known {
            Some(plan) => plan.clone(),
            None => self.write_plan(statement)?,
        };
        if !statement.how.may_wait && !plan.is_short(&statement.scanned.runs) {
            return Err(SqlError::would_wait());
        }
        let result = match self.run_change(&plan, statement, &facts, group.as_deref_mut()) {
            // The table changed between planning and writing: once more, anew.
            Err(error) if error.number == 1412 && !self.has_open_writes() => {
                let plan = self.write_plan(statement)?;
                self.run_change(&plan, statement, &facts, group)
            }
            other => other,
        };
        let written = result?;
        self.take_late_warnings();
        if let Err(error) = self.take_side_effects(&facts) {
            // The rows are written all the same.
            self.warnings.borrow_mut().push(Level::Warning, error.number, error.message);
        }
        if let Some(first) = written.generated {
            self.last_insert_id = first;
        }
        self.row_count = written.affected as i64;
        if let Some(returned) = written.returned {
            self.row_count = -1;
            let rows = ValueRows::new(returned.rows, returned.room);
            return Ok(Reply::Rows(RowStream::new(returned.columns, self.variables.zone, rows)));
        }
        let set_by_expression = self.last_insert_id != facts.last_insert_id;
        Ok(Reply::Done(Done {
            affected: written.affected,
            last_insert_id: match (written.generated, set_by_expression) {
                (Some(first), _) => first,
                (None, true) => self.last_insert_id,
                (None, false) => written.given.unwrap_or(0),
            },
            warnings: self.warnings.borrow().count_u16(),
            info: written.info,
        }))
    }

    /// The plan of a statement's shape; `Other` for what a query must help with.
    pub(super) fn write_plan(&mut self, statement: &Statement<'_>) -> Result<Plan> {
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let shape = &statement.scanned.shape;
        if let Some(plan) = self.sql.plans().find(database, mode, shape) {
            return Ok(plan);
        }
        let shape_text = statement.shape()?;
        let parsed = Cursor::new(shape_text, mode).and_then(|mut cursor| parse_change(&mut cursor));
        let plan = match parsed {
            Ok(change) => self.bind_change(&change)?,
            Err(_) => {
                let text = statement.source_text()?;
                parse_change(&mut Cursor::new(text, mode)?)?;
                Plan::Other
            }
        };
        self.sql.plans().keep(database, mode, shape, &plan);
        Ok(plan)
    }

    /// The plan of a statement given as text, for EXPLAIN.
    pub(super) fn plan_of_text(&self, text: &str) -> Result<Plan> {
        let change = parse_change(&mut Cursor::new(text, self.variables.mode)?)?;
        self.bind_change(&change)
    }

    /// Fills a new table with a query's rows: CREATE TABLE ... AS SELECT.
    pub(super) fn fill_table(&mut self, table: &Arc<Table>, stream: RowStream) -> Result<Written> {
        let columns = stream.columns().iter().map(|column| column.name.clone()).collect();
        let insert = Insert {
            replace: false,
            ignore: false,
            table: syntax::TableName {
                database: Some(table.database.clone()),
                table: table.name.clone(),
            },
            columns: Some(columns),
            source: Source::Query(Cursor::new("SELECT 1", self.variables.mode)?.query()?),
            alias: None,
            on_duplicate: Vec::new(),
            returning: Vec::new(),
        };
        let plan =
            bind_insert(&insert, Arc::clone(table), self.variables.mode).map_err(SqlError::from)?;
        let facts = self.facts();
        let scanned = Scanned::default();
        let statement =
            Statement { text: b"", scanned: &scanned, parameters: &[], own: &[], how: How::POOL };
        self.insert_stream(&plan, stream, &statement, &facts)
    }

    fn bind_change(&self, change: &Change) -> Result<Plan> {
        let mode = self.variables.mode;
        let catalog = self.sql.engine().catalog();
        let bound = match change {
            Change::Insert(insert) => {
                if matches!(insert.source, Source::Query(_)) {
                    return Ok(Plan::Other);
                }
                let (database, name) = self.qualified(&insert.table)?;
                let table = catalog.table(database, name)?;
                bind_insert(insert, table, mode).map(|plan| Plan::Insert(Arc::new(plan)))
            }
            Change::Update(update) => match self.only_table(&update.tables)? {
                None => return Ok(Plan::Other),
                Some(table) => {
                    bind_update(update, table, mode).map(|plan| Plan::Update(Arc::new(plan)))
                }
            },
            Change::Delete(delete) if !delete.targets.is_empty() => return Ok(Plan::Other),
            Change::Delete(delete) => match self.only_table(&delete.tables)? {
                None => return Ok(Plan::Other),
                Some(table) => {
                    bind_delete(delete, table, mode).map(|plan| Plan::Delete(Arc::new(plan)))
                }
            },
        };
        Ok(unless_elsewhere(bound)?.unwrap_or(Plan::Other))
    }

    /// The plan of an UPDATE or DELETE of one table whose rows a query finds, if that is all that it is
    /// for.
    fn bind_by_query(&self, change: &Change) -> Result<Option<Plan>> {
        let mode = self.variables.mode;
        let bound = match change {
            Change::Update(update) => self.only_table(&update.tables)?.map(|table| {
                bind_update_by_query(update, table, mode).map(|plan| Plan::Update(Arc::new(plan)))
            }),
            Change::Delete(delete) if delete.targets.is_empty() => {
                self.only_table(&delete.tables)?.map(|table| {
                    bind_delete_by_query(delete, table, mode)
                        .map(|plan| Plan::Delete(Arc::new(plan)))
                })
            }
            Change::Insert(_) | Change::Delete(_) => None,
        };
        bound.map_or(Ok(None), unless_elsewhere)
    }

    /// The table of a statement that is about one.
    fn only_table(&self, tables: &[TableWithJoins]) -> Result<Option<Arc<Table>>> {
        let Some((_, name, _)) = single_table(tables) else { return Ok(None) };
        let (database, name) = self.qualified(&name)?;
        Ok(Some(self.sql.engine().catalog().table(database, name)?))
    }

    fn run_change(
        &mut self,
        plan: &Plan,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
        group: Option<&mut Group>,
    ) -> Result<Written> {
        let ignore = match plan {
            Plan::Insert(plan) if self.inserts.is_some() => {
                return self.insert_into_load(plan, statement, facts);
            }
            Plan::Insert(plan) => plan.ignore,
            Plan::Update(plan) => plan.ignore,
            Plan::Delete(plan) => plan.ignore,
            Plan::Other | Plan::Select(_) | Plan::Query(_) => {
                return self.run_parsed(statement, facts);
            }
        };
        self.check_no_inserts()?;
        let found = match finding_of(plan).filter(|_| statement.how.may_wait) {
            Some(by_column) => self.found_by_column(by_column, ignore, statement)?,
            None => None,
        };
        self.run_found(plan, (found, ignore), statement, facts, group)
    }

    /// Runs a plan, with the rows that a query has found for it if one has.
    fn run_found(
        &mut self,
        plan: &Plan,
        (found, ignore): (Option<FoundKeys>, bool),
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
        group: Option<&mut Group>,
    ) -> Result<Written> {
        self.change_with(facts, statement, ignore, group, |transaction, context, session| {
            let engine = session.sql.engine();
            match plan {
                Plan::Insert(plan) => plan.run(transaction, context, &statement.scanned.runs),
                Plan::Update(plan) => plan.run(engine, transaction, context, found),
                Plan::Delete(plan) => plan.run(engine, transaction, context, found),
                Plan::Other | Plan::Select(_) | Plan::Query(_) => unreachable!("parsed anew"),
            }
        })
    }

    /// Runs `work` in a transaction, with the session's settings: in the group if there is one.
    pub(super) fn change_with(
        &mut self,
        facts: &SqlContext,
        statement: &Statement<'_>,
        ignore: bool,
        group: Option<&mut Group>,
        work: impl FnOnce(&mut Transaction, &WriteContext<'_>, &mut Session) -> Result<Written>,
    ) -> Result<Written> {
        let warnings = RefCell::new(Warnings::default());
        let strict = self.variables.mode.strict();
        let found_rows = self.counts_found;
        let parameters = statement.parameters;
        let work = |session: &mut Session, transaction: &mut Transaction| {
            let context = WriteContext {
                facts,
                parameters,
                warnings: &warnings,
                strict: strict && !ignore,
                ignore,
                found_rows,
            };
            work(transaction, &context, session)
        };
        let result = match group {
            Some(group) if self.open.is_none() => self.writing_in(group, work),
            _ => self.writing(statement.how, work),
        };
        self.warnings = warnings;
        result
    }

    /// Statements that are parsed anew: with queries, or with literals that cannot be taken out.
    fn run_parsed(
        &mut self,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<Written> {
        self.keep_shape(statement);
        let text = statement.source_text()?;
        let mode = self.variables.mode;
        let tokens = Cursor::new(text, mode)?.into_tokens();
        let tokens = with_literals(tokens, statement.own, self.variables.zone);
        let change = parse_change(&mut Cursor::of_tokens(tokens, text))?;
        let statement = Statement { parameters: &[], ..*statement };
        let plan = self.bind_change(&change)?;
        if !matches!(plan, Plan::Other | Plan::Select(_) | Plan::Query(_)) {
            let nothing = Scanned::default();
            let statement = Statement { scanned: &nothing, ..statement };
            return self.run_change(&plan, &statement, facts, None);
        }
        self.check_no_inserts()?;
        let by_query = self.bind_by_query(&change)?;
        if let Some(plan) = &by_query
            && let Some((finding, _)) = finding_of(plan)
        {
            let ignore = match plan {
                Plan::Update(plan) => plan.ignore,
                Plan::Delete(plan) => plan.ignore,
                _ => false,
            };
            let found = FoundKeys(self.select_latest(finding.query(), ignore)?);
            return self.run_found(plan, (Some(found), ignore), &statement, facts, None);
        }
        match change {
            Change::Insert(insert) => self.insert_select(insert, &statement, facts),
            Change::Update(update) => self.update_joined(update, &statement, facts),
            Change::Delete(delete) => self.delete_joined(delete, &statement, facts),
        }
    }

    /// A query over the latest state with the transaction's own writes, as writes see it.
    pub(super) fn select_latest(
        &mut self,
        query: &sqlparser::ast::Query,
        ignore: bool,
    ) -> Result<RowStream> {
        let view = self.latest_view()?;
        self.as_of_a_write(ignore, |session| session.select_parsed(query, &[], view))
    }

    /// Starts the query of a writing statement: in strict mode what must not be written, or come up
    /// while it is looked for, is an error in the query already.
    pub(super) fn as_of_a_write<T>(
        &mut self,
        ignore: bool,
        start: impl FnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        if ignore || !self.variables.mode.strict() {
            return start(self);
        }
        let strict = Arc::new(self.limits.strict());
        let limits = std::mem::replace(&mut self.limits, strict);
        let shape = Arc::clone(&self.shape);
        let started = panics::caught(shape.as_bytes(), || start(self));
        self.limits = limits;
        started
    }

    /// The keys of the rows that an UPDATE or DELETE is about, by a query over the table's columns;
    /// `None` where looking at the rows is quicker, or right alone: few of them, what is not to be done
    /// but once for each row, and a transaction that has written to the table.
    fn found_by_column(
        &mut self,
        (finding, table): (&Finding, &Table),
        ignore: bool,
        statement: &Statement<'_>,
    ) -> Result<Option<FoundKeys>> {
        // What is wrong with it is told of the statement itself.
        let Ok(plan) = self.bind_tree(finding.query(), &[], statement.parameters) else {
            return Ok(None);
        };
        if plan.traits.assigns || plan.traits.waits || self.runs_over_rows(&plan) {
            return Ok(None);
        }
        let view = self.latest_view()?;
        if view.beneath(&table.index_range(0)).is_none() {
            return Ok(None);
        }
        let stream = self.as_of_a_write(ignore, |session| {
            let context = QueryContext { view, facts: session.facts() };
            session.sql.long_queries().select(&plan, statement.parameters, &context)
        });
        match stream {
            Ok(stream) => Ok(Some(FoundKeys(stream))),
            Err(error) if error.number == 1235 => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The latest state with the transaction's own writes.
    pub(super) fn latest_view(&mut self) -> Result<Arc<dyn rows::store::Read>> {
        self.open_implicitly()?;
        let base = self.fresh_snapshot()?;
        Ok(self.with_own_writes(base))
    }

    fn insert_select(
        &mut self,
        insert: Insert,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<Written> {
        let Source::Query(query) = &insert.source else {
            // Its values could not be evaluated here: sub-queries, mostly.
            return self.insert_by_query(insert, statement, facts);
        };
        let (database, name) = self.qualified(&insert.table)?;
        let table = self.sql.engine().catalog().table(database, name)?;
        let names = names_beside(&insert, &table);
        let mut asked = query.clone();
        if names.is_empty() || !ask_beside(&mut asked, &names) {
            let plan = bind_insert(&insert, table, self.variables.mode).map_err(SqlError::from)?;
            let stream = self.select_latest(query, plan.ignore)?;
            return self.insert_stream(&plan, stream, statement, facts);
        }
        let stream = self.select_latest(&asked, insert.ignore)?;
        let columns = stream.columns();
        let types = columns.iter().skip(columns.len().saturating_sub(names.len()));
        let names =
            names.into_iter().map(|parts| parts.into_iter().map(|part| part.value).collect());
        let beside = names.zip(types.map(|column| column.ty.clone())).collect();
        let plan = bind_insert_beside(&insert, table, self.variables.mode, beside);
        self.insert_stream(&plan.map_err(SqlError::from)?, stream, statement, facts)
    }

    fn insert_stream(
        &mut self,
        plan: &InsertPlan,
        stream: RowStream,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<Written> {
        if stream.columns().len() != plan.width() {
            return Err(count_mismatch(1));
        }
        // A transaction that is open has to take its rows back at its ROLLBACK.
        let alone = self.open.is_none();
        self.change_with(facts, statement, plan.ignore, None, |t, context, session| {
            let columns = Arc::clone(stream.columns());
            let types: Vec<&ColumnType> = columns.iter().map(|column| &column.ty).collect();
            let engine = session.sql.engine();
            let insert = QueryInsert { plan, context, engine, types: &types };
            insert.run(stream, t, |on_duplicate| {
                // Loads in bulk know the rows of a statement by their numbers alone.
                if !alone || plan.returning().is_some() {
                    return Ok(None);
                }
                let transaction = session.new_transaction()?;
                let bulk = BulkLoad::begin(transaction, plan.table(), on_duplicate)?;
                if let Some(bulk) = &bulk {
                    session.process.show(bulk.progress());
                }
                Ok(bulk)
            })
        })
    }

    /// INSERT ... VALUES with sub-queries: each row is a SELECT.
    fn insert_by_query(
        &mut self,
        insert: Insert,
        statement: &Statement<'_>,
        facts: &Arc<SqlContext>,
    ) -> Result<Written> {
        let Source::Rows(rows) = &insert.source else {
            return Err(SqlError::other("an INSERT without rows"));
        };
        let mut arms = Vec::with_capacity(rows.len());
        for row in rows {
            let mut items = Vec::with_capacity(row.len());
            for value in row {
                let Some(value) = value else {
                    return Err(SqlError::unsupported("DEFAULT beside a sub-query in VALUES"));
                };
                items.push(value.to_string());
            }
            arms.push(format!("SELECT {}", items.join(", ")));
        }
        let text = arms.join(" UNION ALL ");
        let query = Cursor::new(&text, self.variables.mode)?.query()?;
        let insert = Insert { source: Source::Query(query), ..insert };
        self.insert_select(insert, statement, facts)
    }
}

/// The query that finds the rows of a plan, where one is to, and their table.
fn finding_of(plan: &Plan) -> Option<(&Finding, &Table)> {
    match plan {
        Plan::Update(plan) => plan.finding().map(|finding| (finding, &**plan.table())),
        Plan::Delete(plan) => plan.finding().map(|finding| (finding, &**plan.table())),
        _ => None,
    }
}

/// What was bound, unless something else has to take it.
fn unless_elsewhere<T>(bound: Bound<T>) -> Result<Option<T>> {
    match bound {
        Ok(bound) => Ok(Some(bound)),
        Err(BindFailure::Elsewhere(_)) => Ok(None),
        Err(BindFailure::Wrong(error)) => Err(error),
    }
}
