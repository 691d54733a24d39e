//! UPDATE and DELETE of one table, by its indexes.
//!
//! Where no index narrows it down, the rows of a columnar table are found by a query; so are those
//! that only a query can tell, because of sub-queries in the condition (`finding`).
//!
//! Invariants
//! 1. A row is decided upon under its lock, from its latest state: the condition is checked again
//!    there. It is read again where others write in the table. What is a matter of chance is
//!    decided once. A scan that had to wait for a lock is run again over the newest rows
//!    (`settled`).
//! 2. An UPDATE that moves rows within the index it reads, reads it as it was at the beginning.
//!
//! Not here: several tables, and sub-queries that give new values (`joined`).

use std::sync::Arc;

use expression::{Node, RowView};
use rows::engine::Engine;
use rows::row_lock_wait::LockMode;
use rows::store::{KeyRange, Reach};
use rows::table::{IndexCodec, Table};
use rows::transaction::{ChangeOutcome, RowChange, SeenRow, Transaction};
use sqlparser::ast::{BinaryOperator, Expr, OrderByExpr, TableFactor, TableWithJoins};
use syntax::change::{Delete, Update, single_table};
use values::datum::Datum;
use values::row::RowRef;
use values::types::ColumnType;

use super::assign::{assign, bind_assignments, update_now_columns};
use super::column::StoredBy;
use super::finding::{Find, Finding, FoundKeys};
use super::returning::{ReturnedRows, Returning, bind_returning};
use super::settled::{Currency, until_settled};
use super::{Ask, LOOP_PIECE, WriteContext, WriteOutcome};
use executor::{GatheredRows, Gatherer, PieceLimits, sort_rows};
use plan::bind::scalar::{BindFailure, Bound, Names, bind, needs_query, unsupported};
use plan::bind::{position, push_variables, zero_dates_as_null};
use plan::column_default::{Store, defaults_of};
use plan::index_use::IndexUse;
use plan::optimize::{ChangedRows, Sizes, use_key_expressions_of, way_to_change};
use plan::point::ReaderKind::ByRange;
use plan::point::{Access, AccessKind, PointSortKey, simple_ordering, ways};
use plan::terms::{is_volatile, push_terms};
use plan::tree::{ComparedText, PinnedLiterals, compared_texts_of, is_of_size, row_count};
use results::{Result, SqlError};

/// Bytes of rows read at a time, at most.
const PIECE_BYTES: usize = 4 << 20;
/// No more than this part of what clients may use, so that there is room for what is written.
const PIECE_PART: usize = 16;

/// What plans the queries within a statement, and how many rows there are for the way to its own.
#[derive(Clone, Copy)]
pub struct ChangePlanner<'a> {
    /// Plans a query.
    pub ask: Ask<'a>,
    /// How many rows there are.
    pub sizes: &'a dyn Fn() -> Result<Sizes<'a>>,
    /// Whether invisible indexes are used, too.
    pub sees_all_indexes: bool,
    /// The literals of the statement, where it is a shape.
    pub literals: &'a [Datum<'a>],
    /// What names mean but for the table's columns.
    pub names: Names<'a>,
}

/// Which rows a statement changes.
#[derive(Debug)]
pub struct ChangeTarget {
    table: Arc<Table>,
    /// Its alias or name.
    shown: String,
    access: Access,
    index_use: IndexUse,
    sort: Vec<PointSortKey>,
    /// Whether the index gives that order, when it is used as planned.
    sorted: bool,
    /// Rows of the table when that way was chosen, if they made a difference.
    size: Option<u64>,
    limit: Option<Node>,
    /// Whether the outcome depends on the order in which rows are changed, though none was asked
    /// for.
    in_order: bool,
    /// What must still hold of a row under its lock.
    checks: Vec<Node>,
    /// The query that finds the rows by column, if the table is stored so.
    finding: Option<Finding>,
    /// Literals whose values the way depends on.
    pinned: PinnedLiterals,
    /// Texts that are to be days, times or numbers.
    compared_texts: Vec<ComparedText>,
    /// The types of the user variables that it was bound with.
    variables: Vec<(String, ColumnType)>,
}

/// A bound UPDATE.
#[derive(Debug)]
pub struct UpdatePlan {
    target: ChangeTarget,
    /// IGNORE.
    pub ignore: bool,
    sets: Vec<(usize, Option<Node>)>,
    defaults: Vec<Store>,
    update_now: Vec<usize>,
    /// Whether it changes columns of the index it reads or of the key.
    moves: bool,
    /// Whether it can take long: SLEEP, or a query that finds the rows.
    pub waits: bool,
}

/// A bound DELETE.
#[derive(Debug)]
pub struct DeletePlan {
    target: ChangeTarget,
    /// IGNORE.
    pub ignore: bool,
    returning: Option<Returning>,
    /// Whether it can take long (SLEEP, or a query that finds the rows), or gives rows back, which
    /// are to be acknowledged first.
    pub waits: bool,
}

fn bind_target(
    table: Arc<Table>,
    factor: &TableFactor,
    alias: Option<&str>,
    (selection, order, limit): (Option<&Expr>, &[OrderByExpr], Option<&Expr>),
    planner: &ChangePlanner<'_>,
) -> Bound<ChangeTarget> {
    let shown = alias.unwrap_or(&table.name);
    let index_use = IndexUse::of_factor(Some(&table), shown, factor, planner.sees_all_indexes)?;
    let shown = shown.to_owned();
    let table = match index_use.partitions() {
        Some(named) => Arc::new(table.within_partitions(named.ids()).map_err(SqlError::from)?),
        None => table,
    };
    let names = planner.names.over(&table, alias, "where clause");
    let mut terms = Vec::new();
    if let Some(selection) = selection {
        push_terms(bind(selection, &names)?, &mut terms);
        terms = zero_dates_as_null(terms, &table);
    }
    let mut sort = sort_keys(order, &Names { clause: "order clause", ..names })?;
    let sorted_by = sort.iter_mut().map(|key| &mut key.node);
    let nodes = terms.iter_mut().chain(sorted_by);
    let pinned = use_key_expressions_of(&table, nodes, planner.literals);
    let compared_texts = compared_texts_of(terms.iter().chain(sort.iter().map(|key| &key.node)));
    let ordering = simple_ordering(&sort);
    let without_row = Names { table: None, clause: "limit clause", ..planner.names };
    let limit = limit.map(|expr| bind(expr, &without_row)).transpose()?;
    let mut variables = Vec::new();
    let sorted_by = sort.iter().map(|key| &key.node);
    terms
        .iter()
        .chain(sorted_by)
        .chain(&limit)
        .for_each(|node| push_variables(node, &mut variables));
    let (access, size) = way_to_change(
        &ChangedRows {
            table: &table,
            index_use: &index_use,
            terms: &terms,
            ordering: ordering.as_ref(),
            limit: limit.as_ref(),
        },
        planner.sizes,
    )?;
    let sorted = sort.is_empty() || ordering.is_some() && access.ordered;
    let checks = access.terms.iter().filter(|term| !is_volatile(term)).cloned().collect();
    let (in_order, finding) = (false, None);
    Ok(ChangeTarget {
        table,
        shown,
        access,
        index_use,
        sort,
        sorted,
        size,
        limit,
        in_order,
        checks,
        finding,
        pinned,
        compared_texts,
        variables,
    })
}

/// ORDER BY, whose numbers are no positions of anything.
fn sort_keys(order: &[OrderByExpr], names: &Names<'_>) -> Bound<Vec<PointSortKey>> {
    let key = |item: &OrderByExpr| {
        if item.options.nulls_first.is_some() || item.with_fill.is_some() {
            return unsupported("NULLS FIRST");
        }
        position(&item.expr, 0, names.clause)?;
        let descending = item.options.asc == Some(false);
        Ok(PointSortKey { node: bind(&item.expr, names)?, descending })
    };
    order.iter().map(key).collect()
}

/// Binds an UPDATE of one table.
pub fn bind_update(
    update: &Update,
    table: Arc<Table>,
    planner: &ChangePlanner<'_>,
) -> Bound<UpdatePlan> {
    let Some((factor, _, alias)) = single_table(&update.tables) else {
        return needs_query("UPDATE of several tables");
    };
    let how = (update.selection.as_ref(), &update.order[..], update.limit.as_ref());
    let mut target = bind_target(Arc::clone(&table), factor, alias.as_deref(), how, planner)?;
    let names = planner.names.over(&table, alias.as_deref(), "field list");
    let sets = bind_assignments(&update.assignments, &table, &names, None)?;
    let update_now = update_now_columns(&table, &sets);
    let changes = |column: usize| {
        sets.iter().any(|(n, _)| *n == column)
            || update_now.contains(&column)
            || table.columns[column].computed.is_some()
    };
    let rule = table.partition_rule().map_err(SqlError::from)?;
    let is_touched = |column: usize| match rule {
        // It follows from others.
        Some(rule) if rule.column == column => rule.columns().iter().any(|at| changes(*at)),
        _ => changes(column),
    };
    let is_moved = |codec: &IndexCodec| codec.parts.iter().any(|part| is_touched(part.column));
    let touched = |index: usize| is_moved(&table.codecs[index]);
    let array = target.access.array.as_deref();
    let moves = touched(0)
        || target.access.indexes().any(touched)
        || array.is_some_and(|lookup| is_moved(&table.multi_valued_codecs[lookup.index].codec));
    // Whom a row collides with, and what a variable is by then, are matters of the order.
    let codecs = table.codecs.iter().chain(table.multi_valued_codecs.iter().map(|of| &of.codec));
    let in_order = codecs.filter(|codec| codec.unique).any(is_moved)
        || sets.iter().filter_map(|(_, node)| node.as_ref()).any(is_volatile);
    target.in_order = in_order;
    if !in_order {
        target.forget_order();
    }
    target.finding =
        Finding::by_column(&table, &target.shown, &update.tables, how, in_order, planner.ask)?;
    let defaults = defaults_of(&table)?;
    let values = sets.iter().filter_map(|(_, node)| node.as_ref());
    target.compared_texts.extend(compared_texts_of(values.clone()));
    values.clone().for_each(|node| push_variables(node, &mut target.variables));
    let waits = target.waits() || values.into_iter().any(Node::waits);
    Ok(UpdatePlan { target, ignore: update.ignore, sets, defaults, update_now, moves, waits })
}

/// Binds an UPDATE of one table whose condition or order only a query can say: with sub-queries, or
/// rows that are compared. The query finds the rows; what can be checked of one under its lock
/// still is, and its new values are made there, from left to right.
pub fn bind_update_by_query(
    update: &Update,
    table: Arc<Table>,
    planner: &ChangePlanner<'_>,
) -> Bound<UpdatePlan> {
    let how = (update.selection.as_ref(), &update.order[..], update.limit.as_ref());
    let all = Update { selection: None, order: Vec::new(), limit: None, ..update.clone() };
    let ask: Ask<'_> = &|_| needs_query("another query");
    let mut plan = bind_update(&all, table, &ChangePlanner { ask, ..*planner })?;
    plan.target.find_by_query(&update.tables, how, planner)?;
    plan.waits = true;
    Ok(plan)
}

/// The same of a DELETE.
pub fn bind_delete_by_query(
    delete: &Delete,
    table: Arc<Table>,
    planner: &ChangePlanner<'_>,
) -> Bound<DeletePlan> {
    let how = (delete.selection.as_ref(), &delete.order[..], delete.limit.as_ref());
    let all = Delete { selection: None, order: Vec::new(), limit: None, ..delete.clone() };
    let ask: Ask<'_> = &|_| needs_query("another query");
    let mut plan = bind_delete(&all, table, &ChangePlanner { ask, ..*planner })?;
    plan.target.find_by_query(&delete.tables, how, planner)?;
    plan.waits = true;
    Ok(plan)
}

/// Adds the terms of a condition that are about a row alone.
fn push_own_terms(condition: &Expr, names: &Names<'_>, terms: &mut Vec<Node>) -> Bound<()> {
    match condition {
        Expr::Nested(inner) => push_own_terms(inner, names, terms),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            push_own_terms(left, names, terms)?;
            push_own_terms(right, names, terms)
        }
        term => match bind(term, names) {
            Ok(node) if is_volatile(&node) => Ok(()),
            Ok(node) => {
                push_terms(node, terms);
                Ok(())
            }
            Err(BindFailure::NeedsQuery(_)) => Ok(()),
            Err(wrong) => Err(wrong),
        },
    }
}

/// Binds a DELETE from one table.
pub fn bind_delete(
    delete: &Delete,
    table: Arc<Table>,
    planner: &ChangePlanner<'_>,
) -> Bound<DeletePlan> {
    let Some((factor, _, alias)) = single_table(&delete.tables) else {
        return needs_query("DELETE from several tables");
    };
    let how = (delete.selection.as_ref(), &delete.order[..], delete.limit.as_ref());
    let mut target = bind_target(table, factor, alias.as_deref(), how, planner)?;
    if delete.returning.is_empty() {
        target.forget_order();
    }
    target.finding =
        Finding::by_column(&target.table, &target.shown, &delete.tables, how, false, planner.ask)?;
    let returning = match delete.returning.as_slice() {
        [] => None,
        items => {
            let names = planner.names.over(&target.table, alias.as_deref(), "field list");
            let returning = bind_returning(items, &target.table, &names)?;
            target.variables.extend(returning.variables.iter().cloned());
            Some(returning)
        }
    };
    let waits = target.waits() || returning.is_some();
    Ok(DeletePlan { waits, target, returning, ignore: delete.ignore })
}

impl ChangeTarget {
    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The table's alias or name.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The way to the rows.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Which indexes of the table may be used.
    pub fn index_use(&self) -> &IndexUse {
        &self.index_use
    }

    /// Whether LIMIT, or a condition of which a key could answer something, tells how many rows may
    /// be changed.
    pub fn is_limited(&self) -> bool {
        let ways = ways(&self.table, &self.index_use, &self.access.terms, None, ByRange);
        let is_all = |way: &Access| matches!(way.kind, AccessKind::All | AccessKind::Index);
        self.limit.is_some() || !ways.iter().all(is_all)
    }

    /// Of all rows of the table, those that a query finds.
    fn find_by_query(
        &mut self,
        tables: &[TableWithJoins],
        how: (Option<&Expr>, &[OrderByExpr], Option<&Expr>),
        planner: &ChangePlanner<'_>,
    ) -> Bound<()> {
        let alias = (self.shown != self.table.name).then_some(self.shown.as_str());
        let names = planner.names.over(&self.table, alias, "where clause");
        if let (Some(selection), ..) = how {
            let mut checks = Vec::new();
            push_own_terms(selection, &names, &mut checks)?;
            checks.iter().for_each(|node| push_variables(node, &mut self.variables));
            self.checks.extend(zero_dates_as_null(checks, &self.table));
        }
        self.finding = Some(Finding::by_query(&self.shown, tables, how, planner.ask)?);
        Ok(())
    }

    /// No row has to be sorted where all are changed, in whatever order.
    fn forget_order(&mut self) {
        if self.limit.is_none() {
            self.sort.clear();
            self.sorted = true;
        }
    }

    /// Whether what is checked under a row's lock is all that the condition says.
    fn looks_once(&self) -> bool {
        self.checks.len() == self.access.terms.len()
    }

    fn waits(&self) -> bool {
        let keys = self.sort.iter().map(|key| &key.node);
        self.access.terms.iter().chain(keys).chain(&self.limit).any(Node::waits)
    }

    /// Calls `each` with every row that matches, in order; `found`: by what a query has found;
    /// `moves`: which may change what is read. Says whether others may have made rows match
    /// meanwhile, and these can be looked for again.
    ///
    /// # Errors
    /// `would_wait` for a transaction of an event loop when there are many, before any is given.
    fn visit(
        &self,
        engine: &Engine,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        (found, moves): (Option<FoundKeys>, bool),
        each: &mut dyn FnMut(&mut Transaction, MatchedRow<'_>) -> Result<()>,
    ) -> Result<Currency> {
        if let Some(found) = found {
            let mut each_key = |transaction: &mut Transaction, key: &[u8]| {
                each(transaction, MatchedRow { key, seen: None })
            };
            return Ok(
                match found.visit(&self.table, transaction, context, engine, &mut each_key)? {
                    true => Currency::UnlessWaited,
                    false => Currency::Outdated,
                },
            );
        }
        let environment = context.environment();
        let scope = environment.scope();
        let limit = row_count(self.limit.as_ref(), &scope)?.unwrap_or(u64::MAX);
        let mut found = self.access.ranges(&self.table, &scope)?;
        self.access.note_scan_for_change(&found, &context.facts.kill);
        let all_terms = found.all_terms;
        let takes_all = self.access.takes_all(all_terms);
        let sorted = !self.sort.is_empty() && (!self.sorted || all_terms);
        let taken = if sorted { u64::MAX } else { limit };
        let reach = transaction.reach();
        let in_loop = reach == Reach::Memory;
        // Rows that are named are looked at once, under their locks. These are held for rows that
        // are not there, too: who deletes such a row and then inserts it does so before or after
        // another.
        let named_max = if self.sort.is_empty() { limit } else { limit.min(1) };
        if self.looks_once()
            && let Some(keys) = found.take_row_keys(named_max)
        {
            if in_loop && keys.len() > LOOP_PIECE.rows_max {
                return Err(SqlError::WouldWait);
            }
            context.facts.kill.owner_of_work().note_examined(keys.len() as u64);
            keys.iter().try_for_each(|key| {
                context.facts.limits.check()?;
                each(transaction, MatchedRow { key, seen: None })
            })?;
            return Ok(Currency::Current);
        }
        // With the ranges all rows in them are locked, as locking reads do it. Where LIMIT counts
        // rows, these are found before they are locked; and where several indexes find a row, only
        // the filter says which of them it counts at.
        let locks_ranges = transaction.locks_ranges();
        let has_one_index = found.others.is_empty();
        let locks_all = locks_ranges && has_one_index && self.looks_once() && limit == u64::MAX;
        let is_any = self.sort.is_empty() && !self.in_order && !self.index_use.is_forced();
        let ranges: Vec<KeyRange> = found.iter().cloned().collect();
        let wait = Some(transaction.lock_wait());
        transaction.claim_ranges(&self.table, &ranges, LockMode::Exclusive, wait)?;
        let entry_columns = self.access.entry_columns(all_terms).filter(|_| !locks_all);
        let mut gatherer = Gatherer::new(found, self.access.direction, 0, taken)
            .with_kill(Arc::clone(&context.facts.kill))
            .asking_entries(entry_columns)
            .in_any_order(is_any && !locks_ranges);
        let mut alone = transaction.alone_in(&self.table)?;
        // In a loop all of the few rows are read before the first is written.
        let still = match moves && !in_loop {
            true => Some(transaction.frozen_at(engine.store().snapshot()?)),
            false => None,
        };
        let piece = match sorted {
            _ if in_loop => LOOP_PIECE,
            true => PieceLimits::ALL,
            false => {
                let bytes_max = PIECE_BYTES.min(engine.budget().bytes_max() / PIECE_PART);
                PieceLimits { bytes_max, ..PieceLimits::ALL }
            }
        };
        let (mut gathered, mut given) = (GatheredRows::default(), 0);
        while !gatherer.is_done() {
            gathered.clear();
            let mut filter = |row: RowView<'_>, candidate| {
                self.access.takes(&scope.with_row(row), candidate, all_terms)
            };
            let filter: Option<&mut executor::Filter<'_>> =
                if takes_all || locks_all { None } else { Some(&mut filter) };
            let view = still.as_deref().unwrap_or_else(|| transaction.view());
            gatherer.fill(engine, &self.table, view, reach, piece, filter, &mut gathered)?;
            if in_loop && !gatherer.is_done() {
                return Err(SqlError::WouldWait);
            }
            if sorted {
                sort_rows(&mut gathered, &self.table, &self.sort, &scope)?;
            }
            let count = gathered.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
            given += count as u64;
            if given == limit && !sorted && has_one_index && count > 0 {
                let last = gathered.row(&self.table, count - 1)?.values()?;
                let of_row = (gathered.key(count - 1), &last[..]);
                let direction = self.access.direction;
                transaction.cut_ranges(&self.table, self.access.index, of_row, direction)?;
            }
            for n in 0..count {
                context.facts.limits.check()?;
                let seen = alone.map(|alone| SeenRow { bytes: gathered.row_bytes(n), alone });
                each(transaction, MatchedRow { key: gathered.key(n), seen })?;
            }
            // Whoever was inside for a moment has the rows of one piece read again, if the next
            // ones are read as they are then.
            if still.is_none() {
                alone = transaction.alone_in(&self.table)?;
            }
        }
        // What is a matter of chance, or does something, is evaluated once for each row.
        Ok(match self.access.terms.iter().any(is_volatile) {
            true => Currency::Current,
            false => Currency::UnlessWaited,
        })
    }
}

/// A row that meets a statement's condition, as far as that was seen before its lock was had.
struct MatchedRow<'a> {
    key: &'a [u8],
    seen: Option<SeenRow<'a>>,
}

impl MatchedRow<'_> {
    /// Locks the row and does what `decide` says of its latest state.
    fn change(
        self,
        transaction: &mut Transaction,
        table: &Arc<Table>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<ChangeOutcome> {
        match self.seen {
            Some(seen) => transaction.change_seen_row(table, self.key, seen, decide),
            None => transaction.change_row(table, self.key, decide),
        }
    }
}

/// Whether a row meets all terms.
///
/// # Errors
/// Those of evaluating the terms.
pub fn matches(terms: &[Node], row: RowRef<'_>, context: &WriteContext<'_>) -> Result<bool> {
    let environment = context.environment();
    let scope = environment.scope().with_row(RowView::Stored(&row));
    for term in terms {
        if !term.holds(&scope)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl UpdatePlan {
    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.target.table
    }

    /// Whether the table is about as large as when the way to its rows was chosen.
    pub fn is_of_size(&self, engine: &Engine) -> bool {
        is_of_size(&self.target.table, self.target.size, engine)
    }

    /// Literals whose values its way depends on.
    pub fn pinned(&self) -> &PinnedLiterals {
        &self.target.pinned
    }

    /// The types of the user variables that it was bound with.
    pub fn variables(&self) -> &[(String, ColumnType)] {
        &self.target.variables
    }

    /// Texts that are to be days, times or numbers.
    pub fn compared_texts(&self) -> &[ComparedText] {
        &self.target.compared_texts
    }

    /// The way to the rows, for EXPLAIN.
    pub fn access(&self) -> &Access {
        &self.target.access
    }

    /// Which rows it changes.
    pub fn target(&self) -> &ChangeTarget {
        &self.target
    }

    /// The query that finds the rows by column.
    pub fn finding(&self) -> Option<&Finding> {
        self.target.finding.as_ref()
    }

    /// Changes the rows, those that `find` finds if it does.
    ///
    /// # Errors
    /// The first row's that cannot be changed; what the statement has changed by then is the
    /// caller's to take back.
    pub fn run(
        &self,
        engine: &Engine,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        find: &mut Find<'_>,
    ) -> Result<WriteOutcome> {
        let once = self.sets.iter().filter_map(|(_, node)| node.as_ref()).any(is_volatile);
        let undo = || drop(context.warnings.take());
        until_settled(transaction, undo, |transaction| {
            let found = find(transaction)?;
            let (written, currency) = self.run_once(engine, transaction, context, found)?;
            let is_done = once && currency == Currency::UnlessWaited;
            Ok((written, if is_done { Currency::Current } else { currency }))
        })
    }

    /// Says as well what `ChangeTarget::visit` says.
    fn run_once(
        &self,
        engine: &Engine,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        found: Option<FoundKeys>,
    ) -> Result<(WriteOutcome, Currency)> {
        let (mut matched, mut changed) = (0u64, 0u64);
        let table = &self.target.table;
        let terms = &self.target.checks;
        let way = (found, self.moves);
        let currency = self.target.visit(
            engine,
            transaction,
            context,
            way,
            &mut |transaction, matched_row| {
                let mut found = false;
                let row = matched + 1;
                let outcome = matched_row.change(transaction, table, &mut |old| {
                    found = matches(terms, old, context)?;
                    if !found {
                        return Ok(RowChange::Keep);
                    }
                    let values = old.values()?;
                    let sets = assign(
                        context,
                        table,
                        &self.sets,
                        &self.defaults,
                        &self.update_now,
                        &values,
                        (RowView::None, StoredBy::Update),
                        row,
                    )?;
                    Ok(RowChange::Set(sets))
                });
                matched += u64::from(found);
                match outcome {
                    Ok(ChangeOutcome::Updated) => changed += 1,
                    Ok(_) => {}
                    Err(error) => context.forgive(error)?,
                }
                Ok(())
            },
        )?;
        let warnings = context.warnings.borrow().count();
        let written = WriteOutcome {
            affected: if context.found_rows { matched } else { changed },
            info: format!("Rows matched: {matched}  Changed: {changed}  Warnings: {warnings}"),
            ..WriteOutcome::default()
        };
        Ok((written, currency))
    }
}

impl DeletePlan {
    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.target.table
    }

    /// Whether the table is about as large as when the way to its rows was chosen.
    pub fn is_of_size(&self, engine: &Engine) -> bool {
        is_of_size(&self.target.table, self.target.size, engine)
    }

    /// RETURNING.
    pub fn returning(&self) -> Option<&Returning> {
        self.returning.as_ref()
    }

    /// Literals whose values its way depends on.
    pub fn pinned(&self) -> &PinnedLiterals {
        &self.target.pinned
    }

    /// The types of the user variables that it was bound with.
    pub fn variables(&self) -> &[(String, ColumnType)] {
        &self.target.variables
    }

    /// Texts that are to be days, times or numbers.
    pub fn compared_texts(&self) -> &[ComparedText] {
        &self.target.compared_texts
    }

    /// The way to the rows, for EXPLAIN.
    pub fn access(&self) -> &Access {
        &self.target.access
    }

    /// Which rows it changes.
    pub fn target(&self) -> &ChangeTarget {
        &self.target
    }

    /// The query that finds the rows by column.
    pub fn finding(&self) -> Option<&Finding> {
        self.target.finding.as_ref()
    }

    /// Deletes the rows, those that `find` finds if it does.
    ///
    /// # Errors
    /// As `UpdatePlan::run`, of rows that cannot be deleted.
    pub fn run(
        &self,
        engine: &Engine,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        find: &mut Find<'_>,
    ) -> Result<WriteOutcome> {
        let undo = || drop(context.warnings.take());
        until_settled(transaction, undo, |transaction| {
            let found = find(transaction)?;
            self.run_once(engine, transaction, context, found)
        })
    }

    /// Says as well what `ChangeTarget::visit` says.
    fn run_once(
        &self,
        engine: &Engine,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        found: Option<FoundKeys>,
    ) -> Result<(WriteOutcome, Currency)> {
        let mut deleted = 0;
        let mut returned = self.returning.as_ref().map(ReturnedRows::new);
        let table = &self.target.table;
        let terms = &self.target.checks;
        let way = (found, false);
        let currency =
            self.target.visit(engine, transaction, context, way, &mut |transaction, row| {
                let mut line = None;
                let outcome = row.change(transaction, table, &mut |old| {
                    if !matches(terms, old, context)? {
                        return Ok(RowChange::Keep);
                    }
                    if let Some(returning) = &self.returning {
                        line = Some(returning.line(context, RowView::Stored(&old))?);
                    }
                    Ok(RowChange::Delete)
                });
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    // Rows refer to it, which keep it.
                    Err(error) => {
                        context.forgive(error)?;
                        ChangeOutcome::Unchanged
                    }
                };
                deleted += u64::from(outcome == ChangeOutcome::Deleted);
                if let (Some(returned), Some(line), ChangeOutcome::Deleted) =
                    (&mut returned, line, outcome)
                {
                    returned.push(context, line)?;
                }
                Ok(())
            })?;
        Ok((WriteOutcome { affected: deleted, returned, ..WriteOutcome::default() }, currency))
    }
}
