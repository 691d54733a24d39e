//! SELECT: by plan on an index, or the analytic way.
//!
//! Not here: binding (`point::select`, `analytic`).

use std::sync::Arc;

use rows::datum::{Datum, Value};
use rows::row::RowRef;
use rows::store::Read;
use rows::temporal::Zone;
use sqlparser::ast::Query;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::source::{PIECE, TableSource, ValueRows, holds_all};
use super::{Session, Statement};
use crate::context::{Facts, QueryContext};
use crate::error::{Result, SqlError};
use crate::expression::{BindFailure, Scope, fit};
use crate::mode::SqlMode;
use crate::parse::Cursor;
use crate::plan::Plan;
use crate::point::{
    AccessKind, Filter, Gathered, Gatherer, Output, Piece, SelectPlan, Surroundings, bind_select,
    item_texts, sort_rows,
};
use crate::reply::{Reply, ResultColumn, RowStream};
use crate::server::Counters;
use crate::write::row_count;

/// Most bytes of rows sorted here, if the memory for clients is not small; more goes the analytic
/// way.
const SORT_BYTES_MAX: usize = 64 << 20;

impl Session {
    pub(super) fn run_select(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
    ) -> Result<Reply> {
        let plan = match known {
            Some(plan) => plan.clone(),
            None => self.select_plan(statement)?,
        };
        if let Plan::Select(plan) = &plan {
            match self.run_plan(plan, statement) {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => {}
                // The table changed between planning and reading: once more, anew.
                Err(error) if error.number == 1412 => {
                    if let Plan::Select(plan) = self.select_plan(statement)?
                        && let Some(reply) = self.run_plan(&plan, statement)?
                    {
                        return Ok(reply);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        self.run_analytic(statement)
    }

    /// The plan of a SELECT's shape; `Other` for the analytic way.
    pub(super) fn select_plan(&mut self, statement: &Statement<'_>) -> Result<Plan> {
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let shape = &statement.scanned.shape;
        if let Some(plan) = self.sql.plans().find(database, mode, shape) {
            return Ok(plan);
        }
        let shape_text = statement.shape()?;
        let plan = match parse_query(shape_text, mode) {
            Ok(query) => match self.bind_query(&query, &item_texts(shape_text)) {
                Ok(plan) => Plan::Select(Arc::new(plan)),
                Err(BindFailure::Elsewhere(_)) => Plan::Other,
                Err(BindFailure::Wrong(error)) => return Err(error),
            },
            // Some literals cannot be taken out (DATE '2024-01-01'): then the text must parse.
            Err(_) => {
                parse_query(statement.source_text()?, mode)?;
                Plan::Other
            }
        };
        self.sql.plans().keep(database, mode, shape, &plan);
        Ok(plan)
    }

    pub(super) fn bind_query(
        &self,
        query: &Query,
        texts: &[String],
    ) -> std::result::Result<SelectPlan, BindFailure> {
        let around = Surroundings {
            catalog: self.sql.engine().catalog(),
            database: self.database.as_deref(),
            mode: self.variables.mode,
        };
        bind_select(query, &around, texts)
    }

    /// The query with the client's parameters as literals.
    pub(super) fn query_with_literals(&self, statement: &Statement<'_>) -> Result<Box<Query>> {
        let text = statement.source_text()?;
        let text = without_share_mode(text);
        let tokens = Cursor::new(&text, self.variables.mode)?.into_tokens();
        let tokens = with_literals(tokens, statement.own, self.variables.zone);
        let mut cursor = Cursor::of_tokens(tokens, &text);
        let query = cursor.query()?;
        cursor.expect_end()?;
        Ok(query)
    }

    fn run_analytic(&mut self, statement: &Statement<'_>) -> Result<Reply> {
        if !statement.how.may_wait {
            return Err(SqlError::would_wait());
        }
        let query = self.query_with_literals(statement)?;
        // What could not be bound by shape may be a look-up all the same.
        let texts = item_texts(statement.source_text()?);
        if let Ok(plan) = self.bind_query(&query, &texts)
            && let Some(reply) =
                self.run_plan(&Arc::new(plan), &Statement { parameters: &[], ..*statement })?
        {
            return Ok(reply);
        }
        self.select_analytically(&query, &texts).map(Reply::Rows)
    }

    /// Runs a query the analytic way; `texts` as `item_texts` gives them, or nothing.
    pub(super) fn select_analytically(
        &mut self,
        query: &Query,
        texts: &[String],
    ) -> Result<RowStream> {
        let context = self.query_context()?;
        let stream = self.sql.analytic().select_titled(query, texts, &context)?;
        self.take_aftermath(&context.facts)?;
        self.row_count = -1;
        Ok(stream)
    }

    /// What an analytic query reads and asks.
    pub(super) fn query_context(&mut self) -> Result<QueryContext> {
        Ok(QueryContext { view: self.read_view()?, facts: self.facts() })
    }

    /// The columns of a query for the analytic way.
    pub(super) fn analytic_columns(
        &mut self,
        statement: &Statement<'_>,
    ) -> Result<Vec<ResultColumn>> {
        let query = self.query_with_literals(statement)?;
        let context = QueryContext { view: self.fresh_snapshot()?, facts: self.facts() };
        let texts = item_texts(statement.source_text()?);
        self.sql.analytic().columns_titled(&query, &texts, &context)
    }

    /// What plain SELECTs read now: the transaction's snapshot with its writes, or a fresh one.
    pub(super) fn read_view(&mut self) -> Result<Arc<dyn Read>> {
        let base = self.base_snapshot()?;
        Ok(match &self.open {
            Some(open) => open.transaction().frozen_at(base),
            None => base,
        })
    }

    /// As `read_view`, without the transaction's own writes.
    fn base_snapshot(&mut self) -> Result<Arc<dyn Read>> {
        self.open_implicitly()?;
        let sql = Arc::clone(&self.sql);
        match &mut self.open {
            Some(open) if !self.variables.read_committed => {
                open.snapshot(|| Ok(sql.engine().store().snapshot()?))
            }
            _ => self.fresh_snapshot(),
        }
    }

    /// Runs a plan; `None` when it must go the analytic way after all.
    fn run_plan(
        &mut self,
        plan: &Arc<SelectPlan>,
        statement: &Statement<'_>,
    ) -> Result<Option<Reply>> {
        if plan.waits && !statement.how.may_wait {
            return Err(SqlError::would_wait());
        }
        let facts = plan.needs_facts.then(|| self.facts());
        let zone = self.variables.zone;
        let mut scope = Scope::bare(statement.parameters, zone);
        scope.mode = self.variables.mode;
        scope.facts = facts.as_deref();
        let reply = match &plan.from {
            None => {
                let warnings = std::mem::take(&mut self.warnings);
                scope.warnings = Some(&warnings);
                let row = constant_row(plan, &scope);
                self.warnings = warnings;
                let row = row?;
                self.found_rows = u64::from(row.is_some());
                let source = Box::new(ValueRows { rows: row.into_iter().collect(), at: 0 });
                Some(RowStream::new(Arc::clone(&plan.columns), zone, source))
            }
            Some(from) => {
                Counters::add(&self.sql.counters().lookups);
                let limit = row_count(plan.limit.as_ref(), &scope)?.unwrap_or(u64::MAX);
                let offset = row_count(plan.offset.as_ref(), &scope)?.unwrap_or(0);
                let limits = (offset, limit);
                if from.locking && (self.open.is_some() || !self.variables.autocommit) {
                    Some(self.locking_read(plan, limits, &scope, facts.as_ref(), statement)?)
                } else {
                    self.plain_read(plan, limits, &scope, facts.as_ref(), statement)?
                }
            }
        };
        if let Some(facts) = &facts {
            self.take_aftermath(facts)?;
        }
        if reply.is_some() {
            self.row_count = -1;
        }
        Ok(reply.map(Reply::Rows))
    }

    fn plain_read(
        &mut self,
        plan: &Arc<SelectPlan>,
        (offset, limit): (u64, u64),
        scope: &Scope<'_>,
        facts: Option<&Arc<Facts>>,
        statement: &Statement<'_>,
    ) -> Result<Option<RowStream>> {
        let Some(from) = &plan.from else { return Ok(None) };
        let engine = Arc::clone(self.sql.engine());
        self.open_implicitly()?;
        let found = from.access.ranges(&from.table, scope)?;
        // An index that cannot be used as planned does not give the order either.
        let sorted = !from.sort.is_empty() && (!from.sorted || found.all_terms);
        let own_limits = if sorted { (0, u64::MAX) } else { (offset, limit) };
        let access = &from.access;
        let (index, direction) = (access.index, access.direction);
        let table = Arc::clone(&from.table);
        let (skip, take) = own_limits;
        let gatherer = Gatherer::new(table, index, direction, found.ranges, skip, take)
            .with_kill(Arc::clone(&self.process.kill));
        let mut source = TableSource {
            engine: Arc::clone(&engine),
            view: None,
            frozen: None,
            gatherer,
            gathered: Gathered::default(),
            at: 0,
            all_terms: found.all_terms,
            parameters: Vec::new(),
            facts: facts.cloned(),
            zone: scope.zone,
            mode: scope.mode,
            plan: Arc::clone(plan),
        };
        let piece = match sorted {
            true => Piece {
                bytes_max: SORT_BYTES_MAX.min(engine.budget().reply_bytes_max()),
                rows_max: usize::MAX,
            },
            false => PIECE,
        };
        let one_row = access.kind == AccessKind::Const && !found.all_terms;
        match &self.open {
            None if one_row => source.fill(engine.latest(), statement.how, scope, piece)?,
            None => {
                let snapshot = self.fresh_snapshot()?;
                source.fill(&*snapshot, statement.how, scope, piece)?;
                source.view = Some(snapshot);
            }
            Some(_) => {
                let snapshot = self.base_snapshot()?;
                let open = self.open.as_ref().ok_or_else(|| SqlError::other("no transaction"))?;
                if open.has_writes() {
                    let view = open.transaction().view_at(&*snapshot);
                    source.fill(&*view, statement.how, scope, piece)?;
                } else {
                    source.fill(&*snapshot, statement.how, scope, piece)?;
                }
                if !source.gatherer.is_done() {
                    let mut frozen = engine.budget().share();
                    frozen.keep_up_with(open.transaction().bytes())?;
                    source.frozen = Some(frozen);
                    source.view = Some(open.transaction().frozen_at(snapshot));
                }
            }
        }
        if sorted {
            if !source.gatherer.is_done() {
                return Ok(None);
            }
            sort_rows(&mut source.gathered, &from.table, &from.sort, scope)?;
            source.cut(offset, limit);
        }
        self.found_rows = source.gathered.len() as u64;
        source.keep_parameters(statement.parameters);
        let columns = Arc::clone(&plan.columns);
        Ok(Some(RowStream::new(columns, scope.zone, Box::new(source))))
    }

    /// FOR UPDATE: locks the rows that match, and gives them as they are under their locks.
    fn locking_read(
        &mut self,
        plan: &Arc<SelectPlan>,
        (offset, limit): (u64, u64),
        scope: &Scope<'_>,
        facts: Option<&Arc<Facts>>,
        statement: &Statement<'_>,
    ) -> Result<RowStream> {
        if !statement.how.may_wait {
            return Err(SqlError::would_wait());
        }
        let Some(from) = &plan.from else { return Err(SqlError::other("nothing to lock")) };
        let engine = Arc::clone(self.sql.engine());
        let found = from.access.ranges(&from.table, scope)?;
        let access = &from.access;
        let (index, direction) = (access.index, access.direction);
        // An index that cannot be used as planned does not give the order either.
        let sorted = !from.sort.is_empty() && (!from.sorted || found.all_terms);
        let (skip, take) = if sorted { (0, u64::MAX) } else { (offset, limit) };
        let table = Arc::clone(&from.table);
        let mut gatherer = Gatherer::new(table, index, direction, found.ranges, skip, take);
        let how = statement.how;
        let terms = access.filter(found.all_terms);
        let gathered = self.writing(|_, transaction| {
            let mut first = Gathered::default();
            let mut filter = |row: &RowRef<'_>| holds_all(terms, *row, scope);
            let filter: &mut Filter<'_> = &mut filter;
            let (view, reach) = (transaction.view(), how.reach);
            gatherer.fill(&engine, view, reach, Piece::ALL, Some(filter), &mut first)?;
            let mut locked = Gathered::default();
            for n in 0..first.len() {
                transaction.lock_row(&from.table, first.key(n))?;
                let mut outcome = Ok(false);
                engine.get(transaction.view(), &from.table, first.key(n), reach, &mut |found| {
                    outcome = holds_all(&access.terms, found.row, scope);
                    if let Ok(true) = outcome {
                        locked.push(engine.budget(), found.key, found.row.bytes())?;
                    }
                    Ok(())
                })?;
                outcome?;
            }
            if sorted {
                sort_rows(&mut locked, &from.table, &from.sort, scope)?;
            }
            Ok(locked)
        })?;
        let mut source = TableSource {
            engine: Arc::clone(self.sql.engine()),
            view: None,
            frozen: None,
            gatherer,
            gathered,
            at: 0,
            all_terms: false,
            parameters: Vec::new(),
            facts: facts.cloned(),
            zone: scope.zone,
            mode: scope.mode,
            plan: Arc::clone(plan),
        };
        if sorted {
            source.cut(offset, limit);
        }
        self.found_rows = source.gathered.len() as u64;
        source.keep_parameters(statement.parameters);
        Ok(RowStream::new(Arc::clone(&plan.columns), scope.zone, Box::new(source)))
    }
}

/// `LOCK IN SHARE MODE` in the words that the parser knows.
fn without_share_mode(text: &str) -> std::borrow::Cow<'_, str> {
    const OLD: &str = "LOCK IN SHARE MODE";
    let trimmed = text.trim_end();
    match trimmed.len().checked_sub(OLD.len()) {
        Some(at) if trimmed.is_char_boundary(at) && trimmed[at..].eq_ignore_ascii_case(OLD) => {
            std::borrow::Cow::Owned(format!("{}FOR SHARE", &trimmed[..at]))
        }
        _ => std::borrow::Cow::Borrowed(text),
    }
}

/// Parses a query that is the whole text.
fn parse_query(text: &str, mode: SqlMode) -> Result<Box<Query>> {
    let text = without_share_mode(text);
    let mut cursor = Cursor::new(&text, mode)?;
    let query = cursor.query()?;
    cursor.expect_end()?;
    Ok(query)
}

/// Puts values in the places of `?N`.
pub(super) fn with_literals(
    mut tokens: Vec<TokenWithSpan>,
    values: &[Datum<'_>],
    zone: Zone,
) -> Vec<TokenWithSpan> {
    for token in &mut tokens {
        let Token::Placeholder(name) = &token.token else { continue };
        let number: usize = name.trim_start_matches('?').parse().unwrap_or(0);
        let value = values.get(number).copied().unwrap_or(Datum::Null);
        token.token = literal_token(value, zone);
    }
    tokens
}

fn literal_token(value: Datum<'_>, zone: Zone) -> Token {
    let mut text = Vec::new();
    match value {
        Datum::Null => Token::make_word("NULL", None),
        Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) | Datum::Year(_) | Datum::Enum(_) => {
            rows::text::write_untyped(value, zone, &mut text);
            Token::Number(String::from_utf8_lossy(&text).into_owned(), false)
        }
        Datum::Double(v) => Token::Number(format!("{v:e}"), false),
        Datum::Float(v) => Token::Number(format!("{:e}", f64::from(v)), false),
        Datum::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Token::SingleQuotedString(text.to_string()),
            Err(_) => {
                Token::HexStringLiteral(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
            }
        },
        other => {
            rows::text::write_untyped(other, zone, &mut text);
            Token::SingleQuotedString(String::from_utf8_lossy(&text).into_owned())
        }
    }
}

/// The one row of a SELECT without a table; none if its condition says so or LIMIT is 0.
fn constant_row(plan: &SelectPlan, scope: &Scope<'_>) -> Result<Option<Vec<Value>>> {
    if let Some(condition) = &plan.condition
        && !condition.holds(scope)?
    {
        return Ok(None);
    }
    let limit = row_count(plan.limit.as_ref(), scope)?;
    let offset = row_count(plan.offset.as_ref(), scope)?;
    let mut row = Vec::with_capacity(plan.outputs.len());
    for (output, column) in plan.outputs.iter().zip(plan.columns.iter()) {
        let Output::Node(node) = output else { continue };
        row.push(fit(&column.ty, node.evaluate(scope)?, &node.ty, scope));
    }
    Ok((limit != Some(0) && offset.unwrap_or(0) == 0).then_some(row))
}
