//! UPDATE and DELETE over several tables, or with sub-queries: a query finds the row keys (and the
//! new values), then each row is changed under its lock.
//!
//! The query names the hidden column `__rowhouse_key` of each table to be changed. A row is changed
//! at most once, however often the join finds it. The query's state is that of the statement's
//! beginning; a row that is gone when its lock is had is passed over.
//!
//! Invariants
//! 1. A row is changed only if it is, under its lock, what the query saw. Where one is not, the
//!    others are but locked, and the statement has to be begun again (`Progress::is_stale`): its
//!    query then sees what was written meanwhile. So it does where a lock was waited for: its
//!    holder may have changed rows of the other tables, or of sub-queries (`settled`).
//!
//! Not here: running the query (`session::joined`).

use std::sync::Arc;

use expression::RowView;
use resources::budget::Share;
use resources::spill::SpillDirectory;
use rows::Engine;
use rows::local::KeySet;
use rows::store::{Reach, Read};
use rows::table::Table;
use rows::transaction::{ChangeOutcome, RowChange, Transaction};
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, ObjectName, ObjectNamePart, OrderBy, OrderByExpr,
    OrderByKind, Query, Select, SelectFlavor, SelectItem, SetExpr, TableFactor, TableWithJoins,
    WildcardAdditionalOptions, With,
};
use syntax::TableName;
use syntax::change::{Delete, Update, is_of_with, single_table};
use syntax::names::table_name;
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::types::ColumnType;

use super::column::StoredBy;
use super::query_values::give;
use super::through_view::{
    UpdatableView, not_deletable, not_updatable, not_updatable_column, of_several_tables,
};
use super::view_checks::{AskedChecks, BindCondition};
use super::{Ask, WriteContext, WriteOutcome};
use plan::bind::scalar::Bound;
use plan::bind::{ROW_KEY, row_key_of};
use plan::column_default::{Store, default_at, now_value};
use plan::point::AccessKind;
use plan::relations::Relations;
use plan::tree::{Body, JoinStep, Member, QueryPlan, Scan, Source};
use results::{Result, SqlError};

/// A table of the statement, or a view through which its rows are written, under the name that it
/// has there.
struct NamedTarget {
    shown: String,
    table: Arc<Table>,
    view: Option<UpdatableView>,
}

impl NamedTarget {
    fn has(&self, column: &str) -> bool {
        match &self.view {
            None => self.table.column(column).is_some(),
            Some(view) => view.has_column(column),
        }
    }

    /// Whether it is one of several tables of a view.
    fn is_side(&self) -> bool {
        self.view.as_ref().is_some_and(UpdatableView::is_joined)
    }

    /// What the query gives the keys of its rows as.
    fn key(&self) -> Expr {
        match &self.view {
            None => key_of(&self.shown),
            Some(view) => named_key(&self.shown, &row_key_of(view.side())),
        }
    }

    /// The position of a column in the table.
    fn column(&self, name: &str) -> Result<Option<usize>> {
        match &self.view {
            None => Ok(self.table.column(name)),
            Some(view) => Ok(self.table.column(&view.plain_column(name, "field list")?)),
        }
    }

    /// The table whose rows go.
    fn emptied(&self, through: Through<'_>) -> Bound<Arc<Table>> {
        self.view.iter().try_for_each(through)?;
        Ok(Arc::clone(&self.table))
    }

    /// The table that is written, which obeys the view.
    fn written(&self, through: Through<'_>) -> Bound<Arc<Table>> {
        match &self.view {
            None => Ok(Arc::clone(&self.table)),
            Some(view) => {
                through(view)?;
                view.checked_table()
            }
        }
    }
}

/// What a statement names in FROM.
#[derive(Default)]
struct NamedRelations {
    targets: Vec<NamedTarget>,
    /// Views that nothing is written through.
    read_only: Vec<String>,
}

/// Told of each view that is written through, before the query is asked: it gives keys then.
pub type Through<'a> = &'a dyn Fn(&UpdatableView) -> Bound<()>;

/// An UPDATE whose rows a query finds.
#[derive(Debug)]
pub struct JoinedUpdate {
    /// The query: per target its key, then the values of all assignments.
    pub query: QueryPlan,
    /// IGNORE.
    pub ignore: bool,
    targets: Vec<Arc<Table>>,
    /// Target, column, and whether it is set to its default.
    sets: Vec<(usize, usize, bool)>,
    /// What else must hold for the rows of a target, and where in a line the keys of other tables'
    /// rows are that it asks for.
    asked: Vec<(AskedChecks, usize)>,
    /// Whether it names one table alone: a default that looks at other columns sees what is
    /// assigned to them before it. Beside a join it sees the row as it was.
    is_of_one: bool,
}

/// A DELETE whose rows a query finds.
#[derive(Debug)]
pub struct JoinedDelete {
    /// The query: per target its key.
    pub query: QueryPlan,
    /// IGNORE.
    pub ignore: bool,
    targets: Vec<Arc<Table>>,
}

/// Refuses a query of WITH among the targets of a statement, or as its only table.
///
/// # Errors
/// 1288.
fn refuse_with(
    with: Option<&With>,
    (tables, targets): (&[TableWithJoins], &[TableName]),
    verb: &str,
) -> Result<()> {
    let only = single_table(tables).map(|(_, name, _)| name);
    match targets.iter().chain(&only).find(|name| is_of_with(with, name)) {
        Some(name) => Err(not_updatable(&name.table, verb)),
        None => Ok(()),
    }
}

/// Stored tables, and the queries of WITH, whose names are none of theirs.
type Names<'a> = (Relations<'a>, Option<&'a With>);

fn named_in(
    tables: &[TableWithJoins],
    relations: Names<'_>,
    database: Option<&str>,
) -> Result<NamedRelations> {
    let mut named = NamedRelations::default();
    push_named(tables, relations, database, &mut named)?;
    Ok(named)
}

fn push_named(
    tables: &[TableWithJoins],
    relations: Names<'_>,
    database: Option<&str>,
    named: &mut NamedRelations,
) -> Result<()> {
    for with_joins in tables {
        let joined = with_joins.joins.iter().map(|join| &join.relation);
        for factor in std::iter::once(&with_joins.relation).chain(joined) {
            push_factor(factor, relations, database, named)?;
        }
    }
    Ok(())
}

fn push_factor(
    factor: &TableFactor,
    (relations, with): Names<'_>,
    database: Option<&str>,
    named: &mut NamedRelations,
) -> Result<()> {
    match factor {
        TableFactor::Table { name, alias, args: None, .. } => {
            let name = table_name(name)?;
            if is_of_with(with, &name) {
                return Ok(());
            }
            let of = name.database.as_deref().or(database);
            let view = of.and_then(|of| relations.view(of, &name.table));
            let shown_as = alias.as_ref().map(|alias| alias.name.value.clone());
            let Some(view) = view else {
                let table = find_table(&name, relations, database)?;
                let shown = shown_as.unwrap_or(name.table);
                named.targets.push(NamedTarget { shown, table, view: None });
                return Ok(());
            };
            let shown = shown_as.unwrap_or(name.table);
            let sides = UpdatableView::sides_of(&view, relations.catalog);
            if sides.is_empty() {
                named.read_only.push(shown);
                return Ok(());
            }
            named.targets.extend(sides.into_iter().map(|side| NamedTarget {
                shown: shown.clone(),
                table: Arc::clone(side.table()),
                view: Some(side),
            }));
        }
        TableFactor::NestedJoin { table_with_joins, .. } => {
            let within = std::slice::from_ref(&**table_with_joins);
            push_named(within, (relations, with), database, named)?;
        }
        // Derived tables and files can be read, not changed.
        _ => {}
    }
    Ok(())
}

fn find_table(
    name: &TableName,
    relations: Relations<'_>,
    database: Option<&str>,
) -> Result<Arc<Table>> {
    let database = name.database.as_deref().or(database).ok_or_else(SqlError::no_database)?;
    Ok(relations.table(database, &name.table)?)
}

/// The key of a row of the table that is shown under this name.
pub(super) fn key_of(shown: &str) -> Expr {
    named_key(shown, ROW_KEY)
}

fn named_key(shown: &str, key: &str) -> Expr {
    Expr::CompoundIdentifier([shown, key].map(|name| Ident::with_quote('`', name)).to_vec())
}

/// Refuses assignments to columns of several tables through one view of them.
///
/// # Errors
/// 1393.
fn refuse_two_sides(named: &[NamedTarget], targets: &[usize]) -> Result<()> {
    for (n, at) in targets.iter().enumerate() {
        let NamedTarget { shown, view: Some(view), .. } = &named[*at] else { continue };
        if targets[..n].iter().any(|at| named[*at].shown == *shown) {
            return Err(of_several_tables(view.name()));
        }
    }
    Ok(())
}

/// Refuses an order and a limit of rows of several tables.
///
/// # Errors
/// 1221.
fn refuse_order(update: &Update) -> Result<()> {
    let clause = match (update.order.is_empty(), &update.limit) {
        (false, _) => "ORDER BY",
        (true, Some(_)) => "LIMIT",
        (true, None) => return Ok(()),
    };
    let message = format!("Incorrect usage of UPDATE and {clause}");
    Err(SqlError::new(ErrorCode::WrongUsage, message))
}

/// Refuses to delete from a view of several tables.
///
/// # Errors
/// 1395.
fn refuse_sides(target: &NamedTarget) -> Result<()> {
    match &target.view {
        Some(view) if target.is_side() => Err(not_deletable(view.name())),
        _ => Ok(()),
    }
}

/// The same as all that is selected of it.
pub(super) fn key_item(shown: &str) -> SelectItem {
    SelectItem::UnnamedExpr(key_of(shown))
}

/// `SELECT *` from the table of a name in parts.
pub fn all_of(table: &[&str]) -> Box<Query> {
    let parts = table.iter().map(|part| ObjectNamePart::Identifier(Ident::with_quote('`', *part)));
    let relation = TableFactor::Table {
        name: ObjectName(parts.collect()),
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    };
    let all = SelectItem::Wildcard(WildcardAdditionalOptions::default());
    let from = vec![TableWithJoins { relation, joins: Vec::new() }];
    query_of(vec![all], from, None, Vec::new(), None)
}

/// A SELECT of these items from these tables.
pub(super) fn query_of(
    items: Vec<SelectItem>,
    from: Vec<TableWithJoins>,
    selection: Option<Expr>,
    order: Vec<OrderByExpr>,
    limit: Option<Expr>,
) -> Box<Query> {
    let select = Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: items,
        exclude: None,
        into: None,
        from,
        lateral_views: Vec::new(),
        prewhere: None,
        selection,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    };
    let order_by = (!order.is_empty())
        .then_some(OrderBy { kind: OrderByKind::Expressions(order), interpolate: None });
    let limit_clause = limit.map(|limit| LimitClause::LimitOffset {
        limit: Some(limit),
        offset: None,
        limit_by: Vec::new(),
    });
    Box::new(Query {
        with: None,
        body: Box::new(SetExpr::Select(Box::new(select))),
        order_by,
        limit_clause,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    })
}

impl JoinedUpdate {
    /// The tables that are written to.
    pub fn targets(&self) -> impl Iterator<Item = &Table> {
        self.targets.iter().map(|table| &**table)
    }

    /// Whether it is to be run with something that runs sub-queries.
    pub fn asks(&self) -> bool {
        self.asked.iter().any(|(asked, _)| !asked.is_empty())
    }

    /// Binds an UPDATE.
    ///
    /// # Errors
    /// 1054 for a column that its tables do not have, 1288 for a query of WITH and a view that
    /// nothing is written through; those of binding the query.
    pub fn bind(
        update: &Update,
        relations: Relations<'_>,
        database: Option<&str>,
        (ask, through, condition): (Ask<'_>, Through<'_>, BindCondition<'_>),
    ) -> Bound<JoinedUpdate> {
        refuse_with(update.with.as_ref(), (&update.tables, &[]), "UPDATE")?;
        let relations = (relations, update.with.as_ref());
        let NamedRelations { targets: named, read_only } =
            named_in(&update.tables, relations, database)?;
        let mut targets: Vec<usize> = Vec::new();
        let mut sets = Vec::new();
        let mut values = Vec::new();
        for assignment in &update.assignments {
            let is_computed = |target: &NamedTarget| {
                let view = target.view.as_ref();
                view.is_some_and(|view| view.is_computed(&assignment.column))
                    && assignment.table.as_ref().is_none_or(|name| *name == target.shown)
            };
            let unknown = || match named.iter().any(is_computed) {
                true => not_updatable_column(&assignment.column),
                false => SqlError::unknown_column(&assignment.column, "field list"),
            };
            let at = match &assignment.table {
                Some(name) if read_only.contains(name) => {
                    return Err(not_updatable(name, "UPDATE").into());
                }
                Some(name) => named
                    .iter()
                    .position(|table| table.shown == *name && table.has(&assignment.column)),
                None => named.iter().position(|table| table.has(&assignment.column)),
            };
            let at = at.ok_or_else(unknown)?;
            let column = named[at].column(&assignment.column)?.ok_or_else(unknown)?;
            let target = targets.iter().position(|known| *known == at).unwrap_or_else(|| {
                targets.push(at);
                targets.len() - 1
            });
            sets.push((target, column, assignment.value.is_none()));
            let null = Expr::Value(sqlparser::ast::Value::Null.into());
            values.push(SelectItem::UnnamedExpr(assignment.value.clone().unwrap_or(null)));
        }
        refuse_two_sides(&named, &targets)?;
        if targets.iter().any(|at| named[*at].is_side()) {
            refuse_order(update)?;
        }
        let mut items: Vec<SelectItem> =
            targets.iter().map(|at| SelectItem::UnnamedExpr(named[*at].key())).collect();
        items.extend(values);
        let mut asked = Vec::with_capacity(targets.len());
        for at in &targets {
            let checks = match &named[*at].view {
                None => AskedChecks::default(),
                Some(view) => view.asked_checks(condition)?,
            };
            let beside = items.len();
            let key = |other| named_key(&named[*at].shown, &row_key_of(other));
            items.extend(checks.other_relations().map(key).map(SelectItem::UnnamedExpr));
            asked.push((checks, beside));
        }
        let Update { tables, selection, order, limit, .. } = update.clone();
        let mut query = query_of(items, tables, selection, order, limit);
        query.with.clone_from(&update.with);
        let targets: Vec<Arc<Table>> =
            targets.iter().map(|at| named[*at].written(through)).collect::<Bound<_>>()?;
        let mut query = ask(&query)?;
        let column = |(target, column, _): &(usize, usize, bool)| {
            let table: &Arc<Table> = &targets[*target];
            table.columns[*column].ty.clone()
        };
        let types: Vec<ColumnType> = sets.iter().map(column).collect();
        give(&mut query, targets.len(), &types.iter().collect::<Vec<_>>());
        let is_of_one = matches!(&update.tables[..], [table] if table.joins.is_empty());
        Ok(JoinedUpdate { query, ignore: update.ignore, targets, sets, asked, is_of_one })
    }

    /// Changes the rows of one line of the result that the query gave in a state.
    ///
    /// # Errors
    /// Those of the first row that cannot be changed; rows before it are changed.
    pub fn apply(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        state: &FoundIn<'_>,
        line: &[Datum<'_>],
        types: &[&ColumnType],
        progress: &mut Progress,
    ) -> Result<()> {
        let width = self.targets.len();
        for (n, table) in self.targets.iter().enumerate() {
            // An outer join's missing side has no key.
            let Datum::Bytes(key) = line[n] else { continue };
            if !progress.is_first(n, key)? {
                continue;
            }
            if progress.is_stale {
                transaction.lock_row(table, key)?;
                continue;
            }
            let row = progress.matched + 1;
            let mut sets: Vec<(usize, Value)> = Vec::new();
            // Defaults that look at the rest of the row, with how many assignments stand before
            // them.
            let mut late: Vec<(usize, usize, Store)> = Vec::new();
            for (at, (target, position, to_default)) in self.sets.iter().enumerate() {
                if *target != n {
                    continue;
                }
                let column = &table.columns[*position];
                let value = if *to_default {
                    let default = default_at(table, *position)?;
                    if matches!(default, Store::Expression(_)) {
                        late.push((sets.len(), *position, default));
                        continue;
                    }
                    context.default_of_update(column, &default, RowView::None)?
                } else if column.computed.is_some() {
                    context.give_computed(column, &table.name)?
                } else {
                    let ty = types[width + at];
                    context.store(column, line[width + at], ty, row, StoredBy::Update)?
                };
                sets.push((*position, value));
            }
            progress.matched += 1;
            let (asked, at) = &self.asked[n];
            let beside = asked.values_beside(state, &line[*at..])?;
            let changed = state.change(transaction, table, key, &mut |old| {
                let mut sets = self.with_defaults(context, table, (&sets, &late), old)?;
                let mut differs = false;
                for (position, value) in &sets {
                    differs |= old.column(*position)? != value.as_datum();
                }
                if differs {
                    for (position, column) in table.columns.iter().enumerate() {
                        if column.on_update_now && sets.iter().all(|(set, _)| *set != position) {
                            let facts = context.facts;
                            sets.push((position, now_value(&column.ty, facts.now, facts.zone)));
                        }
                    }
                    let mut new = old.values()?;
                    for (position, value) in &sets {
                        new[*position] = value.as_datum();
                    }
                    asked.check(context, table, &new, &beside)?;
                }
                Ok(RowChange::Set(sets))
            });
            match changed {
                Ok(Some(ChangeOutcome::Updated)) => progress.changed += 1,
                Ok(Some(_)) => {}
                Ok(None) => progress.is_stale = true,
                Err(error) => context.forgive(error)?,
            }
        }
        Ok(())
    }

    /// Assignments to an old row, and the defaults among them that look at its other columns.
    fn with_defaults(
        &self,
        context: &WriteContext<'_>,
        table: &Table,
        (sets, late): (&[(usize, Value)], &[(usize, usize, Store)]),
        old: &RowRef<'_>,
    ) -> Result<Vec<(usize, Value)>> {
        let mut all = sets.to_vec();
        if late.is_empty() {
            return Ok(all);
        }
        let columns = 0..table.columns.len();
        let mut row = columns
            .map(|position| Ok(old.column(position)?.to_value()))
            .collect::<Result<Vec<Value>>>()?;
        let mut assigned = 0;
        for (number, (before, position, default)) in late.iter().enumerate() {
            if self.is_of_one {
                for (column, value) in &sets[assigned..*before] {
                    row[*column] = value.clone();
                }
                assigned = *before;
            }
            let column = &table.columns[*position];
            let value = context.default_value(column, default, RowView::Values(&row))?;
            if self.is_of_one {
                row[*position] = value.clone();
            }
            all.insert(before + number, (*position, value));
        }
        Ok(all)
    }
}

/// What becomes of a row that is what it was.
type Decide<'a> = dyn FnMut(&RowRef<'_>) -> Result<RowChange> + 'a;

/// The state in which a statement's query has found its rows.
pub struct FoundIn<'a> {
    /// The rows.
    pub engine: &'a Engine,
    /// The state, with what the transaction wrote before the statement.
    pub view: &'a dyn Read,
}

impl FoundIn<'_> {
    /// Which version of a row it has, if any.
    pub(super) fn version(&self, table: &Arc<Table>, key: &[u8]) -> Result<Option<u64>> {
        let mut version = None;
        self.engine.get_stored(self.view, table, key, Reach::Disk, &mut |found| {
            version = Some(found.row.version());
            Ok(())
        })?;
        Ok(version)
    }

    /// Changes a row as `decide` says, if it is what it is in this state; `None` if it is not.
    fn change(
        &self,
        transaction: &mut Transaction,
        table: &Arc<Table>,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<ChangeOutcome>> {
        let seen = self.version(table, key)?;
        let mut change = |transaction: &mut Transaction, takes_any: bool| {
            let mut is_other = false;
            let changed = transaction.change_row(table, key, &mut |old| {
                is_other = !takes_any && seen != Some(old.version());
                if is_other { Ok(RowChange::Keep) } else { decide(&old) }
            })?;
            Result::Ok((!is_other).then_some(changed))
        };
        match change(transaction, false)? {
            Some(changed) => Ok(Some(changed)),
            // The statement itself has changed it, as a row of another of its tables.
            None if transaction.version_given(table, key)?.is_some() => change(transaction, true),
            None => Ok(None),
        }
    }
}

/// Counts and memory of a statement under way.
pub struct Progress {
    seen: KeySet,
    /// Where the keys seen go that are many, and how many bytes of them may be in memory.
    overflow: Option<(Arc<SpillDirectory>, usize)>,
    /// Memory for those.
    share: Share,
    matched: u64,
    changed: u64,
    is_stale: bool,
}

/// The part of the memory for clients that the keys seen may take.
const SEEN_PART: usize = 16;

impl Progress {
    /// Nothing yet.
    pub fn new(engine: &Engine) -> Progress {
        let budget = engine.budget();
        let (share, bytes_max) = (budget.share(), budget.bytes_max() / SEEN_PART);
        let overflow = engine.spill().map(|directory| (Arc::clone(directory), bytes_max));
        let (seen, matched, changed) = (KeySet::default(), 0, 0);
        Progress { seen, overflow, share, matched, changed, is_stale: false }
    }

    /// Whether a row of a target comes for the first time: a join may give it many times.
    fn is_first(&mut self, target: usize, key: &[u8]) -> Result<bool> {
        let key = [&(target as u64).to_be_bytes()[..], key].concat();
        if self.seen.contains(&key)? {
            return Ok(false);
        }
        self.seen.insert(key);
        if let Some((directory, bytes_max)) = &self.overflow
            && self.seen.spillable_bytes() > *bytes_max
        {
            self.seen.spill(directory)?;
        }
        self.share.keep_up_with(self.seen.bytes())?;
        Ok(true)
    }

    /// Whether a row was met that is another by now: nothing of the statement counts.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// What an UPDATE answers.
    pub fn updated(&self, context: &WriteContext<'_>) -> WriteOutcome {
        let (matched, changed) = (self.matched, self.changed);
        let warnings = context.warnings.borrow().count();
        WriteOutcome {
            affected: if context.found_rows { matched } else { changed },
            info: format!("Rows matched: {matched}  Changed: {changed}  Warnings: {warnings}"),
            ..WriteOutcome::default()
        }
    }

    /// What a DELETE answers.
    pub fn deleted(&self) -> WriteOutcome {
        WriteOutcome { affected: self.changed, ..WriteOutcome::default() }
    }
}

/// Whether a key leads to the rows of each of the tables that a query finds for being changed, or
/// LIMIT says how many there are.
fn is_limited(query: &QueryPlan, targets: &[Arc<Table>]) -> bool {
    let Body::Select(select) = &query.query.body else { return true };
    let is_target = |scan: &Scan| match &select.relations[scan.relation].source {
        Source::Table(table) => targets.iter().any(|target| target.id == table.id),
        _ => false,
    };
    let is_by_key = |scan: &Scan| {
        let kind = scan.access.as_ref().map(|access| access.kind);
        !matches!(kind, None | Some(AccessKind::All | AccessKind::Index))
    };
    query.query.limit.is_some()
        || scans_of(&select.plan.steps).all(|scan| !is_target(scan) || is_by_key(scan))
}

/// All relations that steps read, those within groups among them.
fn scans_of(steps: &[JoinStep]) -> Box<dyn Iterator<Item = &Scan> + '_> {
    Box::new(steps.iter().flat_map(|step| match &step.member {
        Member::Scan(scan) => Box::new(std::iter::once(&**scan)),
        Member::Group(steps, _) => scans_of(steps),
    }))
}

impl JoinedUpdate {
    /// As `is_limited`.
    pub fn is_limited(&self) -> bool {
        is_limited(&self.query, &self.targets)
    }
}

impl JoinedDelete {
    /// As `is_limited`.
    pub fn is_limited(&self) -> bool {
        is_limited(&self.query, &self.targets)
    }

    /// The tables that are written to.
    pub fn targets(&self) -> impl Iterator<Item = &Table> {
        self.targets.iter().map(|table| &**table)
    }

    /// Binds a DELETE.
    ///
    /// # Errors
    /// 1109 for a target that is none of its tables, 1288 for a query of WITH and a view that
    /// nothing is written through, 1235 for RETURNING; those of binding the query.
    pub fn bind(
        delete: &Delete,
        relations: Relations<'_>,
        database: Option<&str>,
        (ask, through): (Ask<'_>, Through<'_>),
    ) -> Bound<JoinedDelete> {
        if !delete.returning.is_empty() {
            return Err(SqlError::unsupported("RETURNING of rows that a query finds").into());
        }
        refuse_with(delete.with.as_ref(), (&delete.tables, &delete.targets), "DELETE")?;
        let relations = (relations, delete.with.as_ref());
        let NamedRelations { targets: named, read_only } =
            named_in(&delete.tables, relations, database)?;
        let mut chosen = Vec::new();
        if delete.targets.is_empty() {
            let first = named.first().ok_or_else(SqlError::no_database)?;
            refuse_sides(first)?;
            chosen.push((first.key(), first.emptied(through)?));
        }
        for target in &delete.targets {
            if read_only.contains(&target.table) {
                return Err(not_updatable(&target.table, "DELETE").into());
            }
            let found =
                named.iter().find(|named| named.shown == target.table).ok_or_else(|| {
                    SqlError::new(
                        ErrorCode::UnknownTable,
                        format!("Unknown table '{}' in MULTI DELETE", target.table),
                    )
                })?;
            refuse_sides(found)?;
            chosen.push((found.key(), found.emptied(through)?));
        }
        let items = chosen.iter().map(|(key, _)| SelectItem::UnnamedExpr(key.clone())).collect();
        let Delete { tables, selection, order, limit, .. } = delete.clone();
        let mut query = query_of(items, tables, selection, order, limit);
        query.with.clone_from(&delete.with);
        let targets = chosen.into_iter().map(|(_, table)| table).collect();
        Ok(JoinedDelete { query: ask(&query)?, ignore: delete.ignore, targets })
    }

    /// Deletes the rows of one line of the result that the query gave in a state.
    ///
    /// # Errors
    /// Those of the first row that cannot be deleted and is not forgiven; rows before it are
    /// deleted.
    pub fn apply(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        state: &FoundIn<'_>,
        line: &[Datum<'_>],
        progress: &mut Progress,
    ) -> Result<()> {
        for (table, datum) in self.targets.iter().zip(line) {
            let Datum::Bytes(key) = datum else { continue };
            if progress.is_stale {
                transaction.lock_row(table, key)?;
                continue;
            }
            let delete = &mut |_: &RowRef<'_>| Ok(RowChange::Delete);
            match state.change(transaction, table, key, delete) {
                Ok(Some(ChangeOutcome::Deleted)) => progress.changed += 1,
                Ok(Some(_)) => {}
                Ok(None) => progress.is_stale = true,
                Err(error) => context.forgive(error)?,
            }
        }
        Ok(())
    }
}
