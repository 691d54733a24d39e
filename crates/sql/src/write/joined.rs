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
use rows::table::Table;
use rows::transaction::{ChangeOutcome, RowChange, Transaction};
use sqlparser::ast::{Expr, SelectItem};
use syntax::change::{Delete, Update};
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::types::ColumnType;

use super::column::StoredBy;
use super::found_rows::{FoundIn, Progress};
use super::named_targets::{
    NamedRelations, NamedTarget, Through, named_in, named_key, query_of, refuse_sides,
    refuse_two_sides, refuse_with,
};
use super::query_values::give;
use super::through_view::{not_updatable, not_updatable_column};
use super::view_checks::{AskedChecks, BindCondition};
use super::{Ask, WriteContext};
use plan::bind::row_key_of;
use plan::bind::scalar::Bound;
use plan::column_default::{Store, default_at, now_value};
use plan::point::AccessKind;
use plan::relations::Relations;
use plan::tree::{Body, JoinStep, Member, QueryPlan, Scan, Source};
use results::{Result, SqlError};

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
