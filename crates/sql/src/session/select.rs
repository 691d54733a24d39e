//! SELECT: by plan on an index, or the analytic way.
//!
//! Not here: binding (`plan::bind`), which queries are look-ups (`plan::optimize::look_up`), FOR
//! UPDATE of one table (`locking`).

use std::sync::Arc;

use expression::limits::Room;
use expression::{Environment, ExecutionMemo, Scope, fit};
use rows::store::Read;
use sqlparser::ast::{GroupByExpr, Query, SetExpr, TableFactor};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use syntax::placeholder::{Place, PlaceKind};
use syntax::{Cursor, is_list_in_brackets, item_texts};
use values::SqlMode;
use values::datum::{Datum, Value};
use values::temporal::Zone;

use super::source::{TableSource, ValueRows, first_piece_for, piece_for, value_bytes};
use super::{Session, Statement};
use crate::plan_cache::Plan;
use crate::reply::Reply;
use executor::Gatherer;
use plan::bind::scalar::BindFailure;
use plan::bind::{Literals, limit_to};
use plan::context::{QueryContext, SqlContext};
use plan::optimize::look_up;
use plan::point::AccessKind;
use plan::tree::{PointSelect, QueryPlan, ResultOutput, row_count};
use plan::variables::IsolationLevel;
use results::{ExecutionMode, Pace, Result, ResultColumn, RowStream, SqlError};

impl Session {
    pub(super) fn run_select(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
    ) -> Result<Reply> {
        if statement.scanned.into {
            return self.select_into(statement);
        }
        if self.variables.select_limit < u64::MAX {
            // Plans of shapes know nothing of it.
            return self.begun_anew(statement.how, |session| session.run_analytic(statement));
        }
        let mut known = known.filter(|plan| self.fits(plan, statement));
        self.begun_anew(statement.how, |session| {
            let made;
            let plan = match known.take() {
                Some(plan) => plan,
                None => {
                    made = session.select_plan(statement)?;
                    &made
                }
            };
            session.check_compared_texts(plan.compared_texts(), statement, false)?;
            session.admit_plan(plan, statement.how)?;
            match session.run_planned(plan, statement)? {
                Some(reply) => Ok(reply),
                None => session.run_analytic(statement),
            }
        })
    }

    /// Runs a plan; `None` where it cannot be run as it is.
    fn run_planned(&mut self, plan: &Plan, statement: &Statement<'_>) -> Result<Option<Reply>> {
        match plan {
            Plan::Query(tree) => {
                let may_be_short = !self.runs_over_rows(tree) && self.depends_on_literals(tree);
                let found = match statement.how.may_wait && may_be_short {
                    true => self.run_as_bound_anew(tree, statement)?,
                    false => self.run_tree(tree, statement)?,
                };
                match found {
                    None => self.run_long(tree, statement).map(Some),
                    found => Ok(found),
                }
            }
            Plan::Select(plan) => {
                let rows = self.run_plan(plan, statement.parameters, statement.how)?;
                Ok(rows.map(Reply::Rows))
            }
            _ => Ok(None),
        }
    }

    /// Runs a query over rows if that is right for the literals at hand, by a plan for these;
    /// `None` when it is one for the analytic way, which has a plan for any.
    fn run_as_bound_anew(
        &mut self,
        tree: &QueryPlan,
        statement: &Statement<'_>,
    ) -> Result<Option<Reply>> {
        match self.plan_for_literals(statement) {
            Ok(fresh) if self.runs_over_rows(&fresh) => {
                self.run_tree(&QueryPlan { runs: Arc::clone(&tree.runs), ..fresh }, statement)
            }
            _ => Ok(None),
        }
    }

    /// The plan of a SELECT's shape; `ByText` for what only its text can be bound as.
    pub(super) fn select_plan(&mut self, statement: &Statement<'_>) -> Result<Plan> {
        if let Some(plan) = self.known_plan(statement) {
            return Ok(plan);
        }
        let (mode, literals) = (self.variables.mode, statement.parameters);
        let shape_text = statement.shape()?;
        let plan = match parse_query(shape_text, mode) {
            Ok(query) => {
                // In brackets the literals of the list were taken out, too, so that its text says
                // no names.
                let texts = match is_list_in_brackets(shape_text) {
                    true => Vec::new(),
                    false => item_texts(shape_text),
                };
                match self.look_up_of(&query, &texts, literals)? {
                    Some(plan) if !plan.covered => Plan::Select(Arc::new(plan)),
                    // Sizes of tables are read from the disk.
                    _ if !statement.how.may_wait => return Err(SqlError::WouldWait),
                    Some(plan) => match self.plan_query(&query, &texts, literals) {
                        Ok(tree) if plan.is_read_by_entries(&tree) => Plan::Query(Arc::new(tree)),
                        _ => Plan::Select(Arc::new(plan)),
                    },
                    None => match self.plan_query(&query, &texts, literals) {
                        Ok(tree) if !tree.reads_files => Plan::Query(Arc::new(tree)),
                        // Files are opened for one statement.
                        Ok(_) | Err(BindFailure::NeedsLiterals(_)) => Plan::ByText,
                        // It is said of its text; a table may be altered so that it is right.
                        Err(_) => return Ok(Plan::ByText),
                    },
                }
            }
            // Some literals cannot be taken out (DATE '2024-01-01'): then the text must parse.
            Err(_) => {
                parse_query(statement.source_text()?, mode)?;
                Plan::ByText
            }
        };
        self.keep_plan(statement, &plan);
        Ok(plan)
    }

    /// The plan of a query that is a look-up for literals of any kind.
    fn look_up_of(
        &self,
        query: &Query,
        texts: &[String],
        literals: &[Datum<'_>],
    ) -> Result<Option<PointSelect>> {
        if !may_be_look_up(query) {
            return Ok(None);
        }
        match self.bind(query, texts, Literals::OfAnyKind(literals)) {
            Ok(bound) => Ok(look_up(&bound)),
            Err(BindFailure::Wrong(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The query with the client's parameters as literals.
    pub(super) fn query_with_literals(&self, statement: &Statement<'_>) -> Result<Box<Query>> {
        let text = statement.source_text()?;
        let mut room = self.sql.engine().budget().share();
        room.grow_to(statement.scanned.written_out_bytes())?;
        let tokens = Cursor::new(text, self.variables.mode)?.into_tokens();
        self.query_of_tokens(tokens, text, statement.own)
    }

    /// As `query_with_literals`, of the tokens of a text; as many rows as sql_select_limit says.
    pub(super) fn query_of_tokens(
        &self,
        tokens: Vec<TokenWithSpan>,
        text: &str,
        own: &[Datum<'_>],
    ) -> Result<Box<Query>> {
        let tokens = with_literals(tokens, own, self.variables.zone);
        let mut cursor = Cursor::of_tokens(tokens, text);
        let mut query = cursor.query()?;
        cursor.expect_end()?;
        limit_to(&mut query, self.variables.select_limit);
        Ok(query)
    }

    fn run_analytic(&mut self, statement: &Statement<'_>) -> Result<Reply> {
        if !statement.how.may_wait {
            return Err(SqlError::WouldWait);
        }
        self.keep_shape(statement);
        self.sql.counters().plans_made.add();
        let query = self.query_with_literals(statement)?;
        let texts = item_texts(statement.source_text()?);
        self.query_rows(&query, &texts, statement.how).map(Reply::Rows)
    }

    /// A query of a known tree that looks at many rows: the analytic way.
    fn run_long(&mut self, tree: &QueryPlan, statement: &Statement<'_>) -> Result<Reply> {
        if !statement.how.may_wait {
            return Err(SqlError::WouldWait);
        }
        let view = self.read_view()?;
        self.select_analytically(tree, statement.parameters, view).map(Reply::Rows)
    }

    /// The rows of a query whose literals stand in it, whichever way it goes; `texts` as
    /// `item_texts` gives them, or nothing.
    pub(super) fn query_rows(
        &mut self,
        query: &Query,
        texts: &[String],
        how: ExecutionMode,
    ) -> Result<RowStream> {
        let bound = self.bind(query, texts, Literals::Known(&[])).map_err(SqlError::from)?;
        self.check_known_texts(&bound.compared_texts)?;
        self.check_locks_of(&bound.tables, how)?;
        if let Some(plan) = look_up(&bound)
            && let Some(rows) = self.run_plan(&Arc::new(plan), &[], how)?
        {
            return Ok(rows);
        }
        let plan = self.planned(bound, &[])?;
        if plan.locks {
            return self.select_locked(&plan, &[]);
        }
        let view = self.read_view()?;
        self.rows_of(&plan, &[], view)
    }

    /// What an analytic query reads and asks.
    pub(super) fn query_context(&mut self) -> Result<QueryContext> {
        Ok(QueryContext { view: self.read_view()?, facts: self.facts() })
    }

    /// The columns of a query that has no plan by its shape.
    pub(super) fn query_columns(
        &mut self,
        statement: &Statement<'_>,
    ) -> Result<Arc<[ResultColumn]>> {
        let query = self.query_with_literals(statement)?;
        let texts = item_texts(statement.source_text()?);
        let known = Literals::Known(&[]);
        Ok(self.bind(&query, &texts, known).map_err(SqlError::from)?.columns)
    }

    /// What plain SELECTs read now: the transaction's snapshot with its writes, or a fresh one.
    pub(super) fn read_view(&mut self) -> Result<Arc<dyn Read>> {
        let base = self.base_snapshot()?;
        Ok(self.with_own_writes(base))
    }

    /// A state with the transaction's own writes over it, if it has some.
    pub(super) fn with_own_writes(&self, base: Arc<dyn Read>) -> Arc<dyn Read> {
        match &self.open {
            Some(open) if open.has_writes() => open.transaction().frozen_at(base),
            _ => base,
        }
    }

    /// What `read` makes of a state with the transaction's own writes over it. They are not copied
    /// for it, as they are for who reads on later: a copy of 50,000 rows takes ten milliseconds.
    pub(super) fn over_own_writes<T>(
        &self,
        base: &dyn Read,
        read: impl FnOnce(&dyn Read) -> T,
    ) -> T {
        match &self.open {
            Some(open) if open.has_writes() => read(&*open.transaction().view_at(base)),
            _ => read(base),
        }
    }

    /// As `read_view`, without the transaction's own writes.
    pub(super) fn base_snapshot(&mut self) -> Result<Arc<dyn Read>> {
        self.open_implicitly()?;
        let sql = Arc::clone(&self.sql);
        match &mut self.open {
            Some(open) if open.isolation >= IsolationLevel::RepeatableRead => {
                open.snapshot(|| Ok(sql.engine().store().snapshot()?))
            }
            _ => self.fresh_snapshot(),
        }
    }

    /// Runs a look-up; `None` when it must go the analytic way after all.
    fn run_plan(
        &mut self,
        plan: &Arc<PointSelect>,
        parameters: &[Datum<'_>],
        how: ExecutionMode,
    ) -> Result<Option<RowStream>> {
        if plan.waits && !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        let facts = plan.needs_facts.then(|| self.facts());
        let zone = self.variables.zone;
        let limits = Arc::clone(&self.limits);
        let known = ExecutionMemo::default();
        let mut environment = Environment {
            limits: &limits,
            known: Some(&known),
            mode: self.variables.mode,
            context: facts.as_deref().map(|facts| &facts.statement),
            ..Environment::bare(parameters, zone)
        };
        let reply = match &plan.from {
            None => {
                let warnings = std::mem::take(&mut self.warnings);
                environment.warnings = Some(&warnings);
                let row = constant_row(plan, &environment.scope());
                self.warnings = warnings;
                let ConstantRow { given, found, room } = row?;
                self.found_rows.set(found);
                let source = ValueRows::new(given.into_iter().collect(), room);
                Some(RowStream::new(Arc::clone(&plan.columns), zone, source))
            }
            Some(from) => {
                self.sql.counters().lookups.add();
                let scope = environment.scope();
                let limit = row_count(plan.limit.as_ref(), &scope)?.unwrap_or(u64::MAX);
                let offset = row_count(plan.offset.as_ref(), &scope)?.unwrap_or(0);
                let limits = (offset, limit);
                if from.locking.is_some() {
                    Some(self.locking_read(plan, limits, &scope, facts.as_ref(), how)?)
                } else {
                    self.plain_read(plan, limits, &scope, facts.as_ref(), how)?
                }
            }
        };
        let reply = match reply {
            // What the rows leave to the session must be there when the next statement begins.
            Some(mut stream) if plan.leaves_something && plan.from.is_some() => {
                let mut rows = Vec::new();
                let limits = Arc::clone(&self.limits);
                let mut held = limits.hold();
                while stream.next(how, &mut |row| {
                    let row: Vec<Value> = row.iter().map(Datum::to_value).collect();
                    row.iter().try_for_each(|value| held.add_value(value))?;
                    rows.push(row);
                    Ok(Pace::More)
                })? {}
                let source = ValueRows::new(rows, held.into_room());
                Some(RowStream::new(Arc::clone(&plan.columns), zone, source))
            }
            reply => reply,
        };
        if let Some(facts) = &facts {
            self.take_side_effects(facts)?;
        }
        if reply.is_some() {
            self.row_count = -1;
        }
        Ok(reply)
    }

    fn plain_read(
        &mut self,
        plan: &Arc<PointSelect>,
        (offset, limit): (u64, u64),
        scope: &Scope<'_>,
        facts: Option<&Arc<SqlContext>>,
        how: ExecutionMode,
    ) -> Result<Option<RowStream>> {
        let Some(from) = &plan.from else { return Ok(None) };
        self.open_implicitly()?;
        let found = from.access.ranges(&from.table, scope)?;
        // An index that cannot be used as planned does not give the order either.
        if !from.sort.is_empty() && found.all_terms {
            return Ok(None);
        }
        let access = &from.access;
        access.note_scan(&found, &self.process.kill);
        let all_terms = found.all_terms;
        let gatherer = Gatherer::new(found, access.direction, offset, limit)
            .with_kill(Arc::clone(&self.process.kill))
            .asking_entries(access.entry_columns(all_terms))
            .in_any_order(from.sort.is_empty() && !from.index_use.is_forced());
        let mut source = TableSource {
            all_terms,
            ..TableSource::new(plan, gatherer, facts, &self.limits, scope)
        };
        let piece = piece_for(how);
        let one_row = access.kind == AccessKind::Const && !all_terms;
        match &self.open {
            None if one_row => {
                let engine = self.sql.engine();
                source.fill(engine, engine.latest(), how, scope, piece)?;
            }
            None => {
                let (engine, view) = (self.sql.engine(), self.fresh_snapshot()?);
                source.fill(engine, &*view, how, scope, piece)?;
                source.keep_rest(engine, view, 0)?;
            }
            Some(_) => {
                let snapshot = self.base_snapshot()?;
                let engine = self.sql.engine();
                let open = self.open.as_ref().ok_or_else(|| SqlError::other("no transaction"))?;
                let transaction = open.transaction();
                if open.has_writes() {
                    let view = transaction.view_at(&*snapshot);
                    source.fill(engine, &*view, how, scope, first_piece_for(how))?;
                } else {
                    source.fill(engine, &*snapshot, how, scope, piece)?;
                }
                if !source.gatherer.is_done() {
                    let view = transaction.frozen_at(snapshot);
                    source.keep_rest(engine, view, transaction.bytes())?;
                }
            }
        }
        let is_whole = source.gatherer.is_done();
        let found = source.gatherer.passed() + source.gathered.len() as u64;
        source.keep_parameters(scope.parameters);
        let columns = Arc::clone(&plan.columns);
        let stream = RowStream::new(columns, scope.zone, Box::new(source));
        if !is_whole {
            return Ok(Some(stream.count_into(&self.found_rows, offset)));
        }
        self.found_rows.set(found);
        Ok(Some(stream))
    }
}

/// Whether a query may be a look-up, as far as it is seen before its names are: those that others
/// do are bound but once.
fn may_be_look_up(query: &Query) -> bool {
    let SetExpr::Select(select) = query.body.as_ref() else { return false };
    let no_groups = matches!(
        &select.group_by,
        GroupByExpr::Expressions(exprs, modifiers) if exprs.is_empty() && modifiers.is_empty()
    );
    let is_of_one_table = match select.from.as_slice() {
        [] => true,
        [one] => {
            one.joins.is_empty() && matches!(one.relation, TableFactor::Table { args: None, .. })
        }
        _ => false,
    };
    let no_others = query.with.is_none() && select.distinct.is_none() && select.having.is_none();
    no_others && no_groups && is_of_one_table
}

/// Parses a query that is the whole text.
pub(super) fn parse_query(text: &str, mode: SqlMode) -> Result<Box<Query>> {
    let mut cursor = Cursor::new(text, mode)?;
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
        let place = Place::of(name);
        let value = values.get(usize::from(place.number)).copied().unwrap_or(Datum::Null);
        token.token = match value {
            Datum::Bytes(bytes) if place.kind != PlaceKind::Any => hexadecimal(bytes),
            value => literal_token(value, zone),
        };
    }
    tokens
}

fn hexadecimal(bytes: &[u8]) -> Token {
    Token::HexStringLiteral(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
}

fn literal_token(value: Datum<'_>, zone: Zone) -> Token {
    let mut text = Vec::new();
    match value {
        Datum::Null => Token::make_word("NULL", None),
        Datum::Int(_)
        | Datum::UInt(_)
        | Datum::Decimal(_)
        | Datum::Year(_)
        | Datum::Enum(_)
        | Datum::Set(_) => {
            values::text::write_untyped(value, zone, &mut text);
            Token::Number(String::from_utf8_lossy(&text).into_owned(), false)
        }
        Datum::Double(v) => Token::Number(format!("{v:e}"), false),
        Datum::Float(v) => Token::Number(format!("{:e}", f64::from(v)), false),
        Datum::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Token::SingleQuotedString(text.to_string()),
            Err(_) => hexadecimal(bytes),
        },
        other => {
            values::text::write_untyped(other, zone, &mut text);
            Token::SingleQuotedString(String::from_utf8_lossy(&text).into_owned())
        }
    }
}

/// What a SELECT without a table gives.
struct ConstantRow {
    /// Its row; none if its condition says so, LIMIT is 0 or OFFSET passes over it.
    given: Option<Vec<Value>>,
    /// What FOUND_ROWS() says of it.
    found: u64,
    /// Memory of its values.
    room: Room,
}

/// The one row of a SELECT without a table.
fn constant_row(plan: &PointSelect, scope: &Scope<'_>) -> Result<ConstantRow> {
    for condition in &plan.conditions {
        if !condition.holds(scope)? {
            return Ok(ConstantRow { given: None, found: 0, room: Room::default() });
        }
    }
    let limit = row_count(plan.limit.as_ref(), scope)?;
    let offset = row_count(plan.offset.as_ref(), scope)?;
    let mut row = Vec::with_capacity(plan.outputs.len());
    let mut held = scope.limits.hold();
    for (output, column) in plan.outputs.iter().zip(plan.columns.iter()) {
        let ResultOutput::Node(node) = output else { continue };
        let value = fit(&column.ty, node.evaluate(scope)?, &node.ty, scope);
        held.add(value_bytes(&value))?;
        row.push(value);
    }
    let is_wanted = limit != Some(0);
    let given = Some(row).filter(|_| is_wanted && offset.unwrap_or(0) == 0);
    Ok(ConstantRow { given, found: u64::from(is_wanted), room: held.into_room() })
}
