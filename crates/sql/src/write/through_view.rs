//! Writing through a view: a statement about a view of one table's rows as one about the table.
//!
//! The names that the view gives columns stand for its expressions, its condition is one of the
//! statement's, and what WITH CHECK OPTION says of a row that is written is a check of the table,
//! for this statement alone.
//!
//! Invariants
//! 1. A row that the view does not show is neither changed nor deleted through it.
//! 2. Only what the view names is named: its table's other columns are unknown.
//!
//! Not here: views in queries (`plan::bind::view`); views whose rows a query finds, next to tables,
//! of several tables, or by conditions that ask queries themselves (`joined`).

use std::ops::ControlFlow;
use std::sync::Arc;

use rows::catalog::Catalog;
use rows::rules::Check;
use rows::table::Table;
use rows::view::{View, ViewAlgorithm, ViewCheck};
use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, ObjectName, Query,
    Select, SelectItem, SetExpr, TableAlias, TableFactor, TableWithJoins, Visit, VisitMut,
    visit_expressions,
};
use syntax::change::{AssignmentSpec, Delete, Insert, ReturningItem, Source, Update};
use syntax::names::table_name;
use syntax::view_query;
use values::{ErrorCode, SqlMode};

use super::view_checks::{AskedChecks, BindCondition, OtherTable, ViewCondition};
use super::view_names::{NamesAlone, ViewNames, plain_name, same_name};
use plan::bind::scalar::{Bound, Names, bind};
use plan::bind::{inner_joined, keys_beneath};
use plan::context::SqlContext;
use results::{Result, SqlError};

/// A view through which rows can be written.
#[derive(Debug)]
pub struct UpdatableView {
    /// `database.view`.
    name: String,
    /// The table that its rows are of.
    table: Arc<Table>,
    /// The partitions that it shows; none are here if it shows all.
    partitions: Vec<Ident>,
    /// Its columns, with what they are of the table's, whose names have no qualifier.
    columns: Vec<(String, Expr)>,
    /// What holds for the rows that it shows.
    conditions: Vec<ViewCondition>,
    /// What must hold for rows that are written.
    checks: Vec<ViewCondition>,
    /// The other tables of a view of several.
    others: Vec<OtherTable>,
    /// Whether a query is asked by it, or it is of several tables: its rows are found by one then.
    is_by_query: bool,
    /// Whether the view is of several tables.
    is_joined: bool,
    /// The columns of such a view that are no table's.
    computed: Vec<String>,
    /// Which of the view's relations the table is, from 0 on.
    side: usize,
    /// The views on the way to the table, the innermost first.
    pub layers: Vec<ViewLayer>,
}

/// A view on the way to a table, with what it is of what is beneath it.
#[derive(Debug)]
pub struct ViewLayer {
    /// The view.
    pub view: Arc<View>,
    /// The table or view that its rows are of, with its database.
    pub beneath: (String, String),
    /// Its columns, with what they are of that.
    pub columns: Vec<(String, Expr)>,
    /// Which of its rows it shows.
    pub condition: Option<Expr>,
}

/// Whether rows can be written through a view.
pub fn is_updatable(view: &Arc<View>, facts: &SqlContext) -> bool {
    !UpdatableView::sides_of(view, facts.sql.engine().catalog()).is_empty()
}

/// Whether the query of a view is of a kind through which no rows can be written: of several rows
/// one, of no table, or of computed columns alone.
pub fn is_never_updatable(query: &Query) -> bool {
    let is_computed = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr, .. } => {
            !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
        }
        _ => false,
    };
    ungrouped_select(query)
        .is_none_or(|select| select.from.is_empty() || select.projection.iter().all(is_computed))
}

impl UpdatableView {
    /// What is written through a view: one for each of its tables whose columns it shows. Of a
    /// statement one of them is written.
    pub fn sides_of(view: &Arc<View>, catalog: &Catalog) -> Vec<UpdatableView> {
        let query = view_query(&view.query).ok();
        let select = query.as_deref().and_then(plain_select);
        let Some(select) = select.filter(|_| view.algorithm != ViewAlgorithm::TempTable) else {
            return Vec::new();
        };
        let relations = inner_joined(&select.from).unwrap_or_default();
        let (mut sides, mut keys) = (Vec::new(), 0);
        for relation in &relations {
            let beneath = UpdatableView::beneath(relation, catalog);
            for base in beneath {
                let (is_joined, number) = (relations.len() > 1 || base.is_joined, keys + base.side);
                let Some(mut side) = UpdatableView::side_of(view, select, relation, base) else {
                    continue;
                };
                if is_joined {
                    (side.is_by_query, side.is_joined, side.side) = (true, true, number);
                    side.keep_own_columns();
                    if side.columns.is_empty() {
                        continue;
                    }
                }
                sides.push(side);
            }
            keys += keys_beneath(relation, &|database, name| catalog.view(database, name));
        }
        if view.check.is_some() && sides.iter().any(|side| side.is_joined) {
            let Some(tables) = tables_of(&relations, catalog) else { return Vec::new() };
            for side in &mut sides {
                let own = side.side;
                let others = tables.iter().filter(|other| other.number != own);
                side.others = others.cloned().collect();
            }
        }
        sides
    }

    /// The tables that a relation of a view stands for, as views of themselves or those of the
    /// view that it is.
    fn beneath(relation: &TableFactor, catalog: &Catalog) -> Vec<UpdatableView> {
        let TableFactor::Table { name, .. } = relation else { return Vec::new() };
        let Ok(named) = table_name(name) else { return Vec::new() };
        let Some(database) = named.database else { return Vec::new() };
        match catalog.view(&database, &named.table) {
            Some(inner) => UpdatableView::sides_of(&inner, catalog),
            None => {
                let table = catalog.table(&database, &named.table);
                table.map(UpdatableView::of_table).into_iter().collect()
            }
        }
    }

    /// Keeps the columns that are the table's.
    fn keep_own_columns(&mut self) {
        let columns = std::mem::take(&mut self.columns);
        // What is another table's is named with it still.
        let is_computed =
            |expr: &Expr| !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        let computed = columns.iter().filter(|(_, expr)| is_computed(expr));
        self.computed.extend(computed.map(|(name, _)| name.clone()));
        let is_own: Vec<bool> =
            columns.iter().map(|(_, expr)| plain_name(expr).is_some()).collect();
        let own = columns.into_iter().zip(&is_own).filter(|(_, is_own)| **is_own);
        self.columns = own.map(|(column, _)| column).collect();
        if let Some(layer) = self.layers.last_mut() {
            let columns = std::mem::take(&mut layer.columns);
            let own = columns.into_iter().zip(&is_own).filter(|(_, is_own)| **is_own);
            layer.columns = own.map(|(column, _)| column).collect();
            layer.condition = None;
        }
    }

    /// What is written through a view of the rows of one of its relations, which stands for `base`.
    fn side_of(
        view: &Arc<View>,
        select: &Select,
        relation: &TableFactor,
        base: UpdatableView,
    ) -> Option<UpdatableView> {
        let TableFactor::Table { name, alias, partitions, .. } = relation else { return None };
        let named = table_name(name).ok()?;
        let database = named.database?;
        let shown = alias.as_ref().map_or(named.table.clone(), |alias| alias.name.value.clone());
        let full_name = format!("{}.{}", view.database, view.name);
        let mut this = base;
        if !partitions.is_empty() {
            this.partitions.clone_from(partitions);
        }
        let columns = std::mem::take(&mut this.columns);
        let computed_beneath = std::mem::take(&mut this.computed);
        let mut layer = ViewLayer {
            view: Arc::clone(view),
            beneath: (database, named.table),
            columns: Vec::with_capacity(select.projection.len()),
            condition: select.selection.clone(),
        };
        let as_theirs = |expr: &Expr| {
            let mut expr = expr.clone();
            let names = ViewNames {
                shown: &shown,
                columns: &columns,
                unknown: None,
                alone: NamesAlone::Own,
            };
            names.replace_in(&mut expr).ok()?;
            Some(expr)
        };
        for (at, item) in select.projection.iter().enumerate() {
            let SelectItem::ExprWithAlias { expr, alias } = item else { return None };
            let name = view.columns.get(at).unwrap_or(&alias.value);
            let is_computed = match expr {
                Expr::CompoundIdentifier(parts) => match &parts[..] {
                    [.., of, own] => {
                        of.value == shown
                            && computed_beneath
                                .iter()
                                .any(|name| name.eq_ignore_ascii_case(&own.value))
                    }
                    _ => false,
                },
                _ => false,
            };
            if is_computed {
                this.computed.push(name.clone());
            }
            this.columns.push((name.clone(), as_theirs(expr)?));
            layer.columns.push((name.clone(), expr.clone()));
        }
        if !this.columns.iter().any(|(_, expr)| plain_name(expr).is_some()) {
            return None;
        }
        if view.check == Some(ViewCheck::Cascaded) {
            // What views beneath it say is checked in its name.
            let own = |condition: &ViewCondition| ViewCondition {
                view: Arc::clone(view),
                ..condition.clone()
            };
            this.checks = this.conditions.iter().map(own).collect();
        }
        for condition in select.selection.iter().chain(join_conditions(&select.from)) {
            let condition = as_theirs(condition)?;
            let (view_of, shown) = (Arc::clone(view), shown.clone());
            let condition = ViewCondition { view: view_of, shown, condition };
            if view.check.is_some() {
                this.checks.push(condition.clone());
            }
            this.conditions.push(condition);
        }
        this.is_by_query |= asks_query(select);
        this.name = full_name;
        this.layers.push(layer);
        Some(this)
    }

    /// A table as a view of itself.
    fn of_table(table: Arc<Table>) -> UpdatableView {
        let column = |name: &String| (name.clone(), identifier(name));
        let named = table.named_columns().iter();
        let columns = named.map(|own| column(&own.name)).collect();
        let (conditions, checks, layers) = (Vec::new(), Vec::new(), Vec::new());
        let others = Vec::new();
        let (name, partitions, computed) = (String::new(), Vec::new(), Vec::new());
        let (is_by_query, is_joined, side) = (false, false, 0);
        UpdatableView {
            name,
            table,
            partitions,
            columns,
            conditions,
            checks,
            others,
            is_by_query,
            is_joined,
            computed,
            side,
            layers,
        }
    }

    /// The one of a view's tables that an INSERT adds rows to, by the columns that it names.
    ///
    /// # Errors
    /// 1471 for a view that takes no rows; of one of several tables 1394 without names, 1393 for
    /// names of more than one of them, 1348 in what a row that is there is given, and 1054.
    pub fn side_of_insert(
        view: &View,
        mut sides: Vec<UpdatableView>,
        insert: &Insert,
    ) -> Result<UpdatableView> {
        if !sides.iter().any(|side| side.is_joined) {
            return sides.pop().ok_or_else(|| not_insertable(&view.name));
        }
        let names = insert.columns.as_deref().unwrap_or_default();
        if names.is_empty() {
            let message = format!(
                "Can not insert into join view '{}.{}' without fields list",
                view.database, view.name
            );
            return Err(SqlError::new(ErrorCode::ViewNoInsertFieldList, message));
        }
        let mut chosen = None;
        let assigned = insert.on_duplicate.iter().map(|assignment| &assignment.column);
        for name in names.iter().chain(assigned) {
            let side = sides.iter().position(|side| side.has_column(name));
            let is_computed = sides.iter().any(|side| side.is_computed(name));
            let side = side.ok_or_else(|| match is_computed {
                true => not_updatable_column(name),
                false => SqlError::unknown_column(name, "field list"),
            })?;
            if chosen.replace(side).is_some_and(|other| other != side) {
                return Err(of_several_tables(&sides[side].name));
            }
        }
        if !sides.iter().all(|side| side.computed.is_empty()) {
            return Err(not_insertable(&view.name));
        }
        if insert.replace {
            return Err(not_deletable(&sides[0].name));
        }
        let side = sides.swap_remove(chosen.unwrap_or_default());
        let reads_other = |value: &Expr| {
            let found = visit_expressions(value, |expr| {
                let name = match expr {
                    Expr::Identifier(name) => &name.value,
                    Expr::CompoundIdentifier(names) => &names[names.len() - 1].value,
                    _ => return ControlFlow::Continue(()),
                };
                let is_other =
                    !side.has_column(name) && sides.iter().any(|other| other.has_column(name));
                if is_other { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            found.is_break()
        };
        let rows: &[Vec<Option<Expr>>] = match &insert.source {
            Source::Rows(rows) => rows,
            Source::Query(_) => &[],
        };
        let assigned = insert.on_duplicate.iter().filter_map(|own| own.value.as_ref());
        match rows.iter().flatten().flatten().chain(assigned).any(reads_other) {
            true => Err(of_several_tables(&side.name)),
            false => Ok(side),
        }
    }

    /// The table, with what must hold for rows that are written through the view, as far as it
    /// looks at nothing else.
    ///
    /// # Errors
    /// Those of binding the view's condition.
    pub fn checked_table(&self) -> Bound<Arc<Table>> {
        let names = Names::of(&self.table, None, "where clause", SqlMode::default());
        let check = |ViewCondition { view, condition, .. }: &ViewCondition| {
            // Unknown is not enough.
            let holds = Expr::IsTrue(Box::new(Expr::Nested(Box::new(condition.clone()))));
            let condition = bind(&holds, &names)?;
            let name = format!("{}.{}", view.database, view.name);
            Ok(Check { name, condition, is_of_view: true })
        };
        let checks = self.checks.iter().filter(|check| !self.asks_more(check));
        let checks = checks.map(check).collect::<Bound<Vec<Check>>>()?;
        if checks.is_empty() {
            return Ok(Arc::clone(&self.table));
        }
        Ok(Arc::new(self.table.with_checks(checks).map_err(SqlError::from)?))
    }

    /// Whether a condition looks at more than the row: asks a query, or names other tables.
    fn asks_more(&self, check: &ViewCondition) -> bool {
        let is_other = |name: &Ident| self.others.iter().any(|other| other.shown == name.value);
        let names_other = visit_expressions(&check.condition, |expr| match expr {
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., of, _] if is_other(of) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        });
        names_other.is_break() || asks_query(&check.condition)
    }

    /// What else must hold for rows that are written through the view.
    ///
    /// # Errors
    /// Those of binding the view's condition.
    pub fn asked_checks(&self, bind: BindCondition<'_>) -> Bound<AskedChecks> {
        let asked = self.checks.iter().filter(|check| self.asks_more(check));
        let asked: Vec<&ViewCondition> = asked.collect();
        AskedChecks::bind(&self.table, &asked, &self.others, bind)
    }

    /// The table that its rows are of.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The columns that a sub-query may name without a table: those that are called as in the
    /// table.
    pub fn names_within(&self) -> Arc<[String]> {
        let columns = self.columns.iter();
        let shown = columns.filter(|(name, expr)| same_name(name, expr, name));
        shown.map(|(name, _)| name.clone()).collect()
    }

    /// The names of its columns.
    pub fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// `database.view`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Whether it is a view of several tables that computes a column of this name.
    pub fn is_computed(&self, name: &str) -> bool {
        self.computed.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether it is a view of several tables.
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Which of the view's relations the table is, from 0 on.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Whether its rows are found by a query alone.
    pub fn is_by_query(&self) -> bool {
        self.is_by_query
    }

    /// Whether WITH CHECK OPTION asks for anything.
    pub fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether it shows the AUTO_INCREMENT column of the table, if that has one.
    pub fn shows_numbers(&self) -> bool {
        let Some(at) = self.table.auto_increment() else { return true };
        let name = &self.table.columns[at].name;
        self.columns
            .iter()
            .any(|(_, expr)| plain_name(expr).is_some_and(|shown| shown.eq_ignore_ascii_case(name)))
    }

    /// An INSERT into the table.
    ///
    /// # Errors
    /// 1471 where a column is computed or there twice; 1054, 1348.
    pub fn insert(&self, insert: &Insert) -> Result<Insert> {
        let plain: Option<Vec<String>> =
            self.columns.iter().map(|(_, expr)| plain_name(expr).map(str::to_owned)).collect();
        let Some(all) = plain.filter(|all| is_each_once(all)) else {
            return Err(not_insertable(short(&self.name)));
        };
        let columns = match &insert.columns {
            None => all,
            Some(names) => names
                .iter()
                .map(|name| self.plain_column(name, "field list"))
                .collect::<Result<_>>()?,
        };
        let shown = short(&self.name).to_owned();
        let partitions = match self.partitions.is_empty() {
            true => insert.partitions.clone(),
            false => self.partitions.iter().map(|name| name.value.clone()).collect(),
        };
        Ok(Insert {
            columns: Some(columns),
            table: self.table_name(),
            partitions,
            on_duplicate: self.assignments(&insert.on_duplicate, &shown, NamesAlone::Refused)?,
            returning: self.returning(&insert.returning, &shown)?,
            ..insert.clone()
        })
    }

    /// An UPDATE of the table, under the name `shown`.
    ///
    /// # Errors
    /// 1054 for a column that the view does not have, 1348 for one that is computed.
    pub fn update(&self, update: &Update, shown: &str) -> Result<Update> {
        let mut update = update.clone();
        update.assignments = self.assignments(&update.assignments, shown, NamesAlone::Own)?;
        self.replace(&mut update.order, shown, ("order clause", NamesAlone::Own))?;
        update.selection = self.condition(update.selection.take(), shown)?;
        self.put_in_place(&mut update.tables, shown);
        Ok(update)
    }

    /// A DELETE from the table, under the name `shown`.
    ///
    /// # Errors
    /// 1054 for a column that the view does not have.
    pub fn delete(&self, delete: &Delete, shown: &str) -> Result<Delete> {
        let mut delete = delete.clone();
        self.replace(&mut delete.order, shown, ("order clause", NamesAlone::Own))?;
        delete.selection = self.condition(delete.selection.take(), shown)?;
        delete.returning = self.returning(&delete.returning, shown)?;
        self.put_in_place(&mut delete.tables, shown);
        Ok(delete)
    }

    fn table_name(&self) -> syntax::TableName {
        let (database, table) = (self.table.database.clone(), self.table.name.clone());
        syntax::TableName { database: Some(database), table }
    }

    fn put_in_place(&self, tables: &mut [TableWithJoins], shown: &str) {
        let Some(TableFactor::Table { name, alias, partitions, .. }) =
            tables.first_mut().map(|tables| &mut tables.relation)
        else {
            return;
        };
        let parts = [&self.table.database, &self.table.name];
        *name = ObjectName::from(parts.map(|part| Ident::with_quote('`', part.clone())).to_vec());
        if !self.partitions.is_empty() {
            partitions.clone_from(&self.partitions);
        }
        *alias = Some(TableAlias {
            explicit: true,
            name: Ident::with_quote('`', shown),
            columns: Vec::new(),
            at: None,
        });
    }

    fn assignments(
        &self,
        assignments: &[AssignmentSpec],
        shown: &str,
        alone: NamesAlone,
    ) -> Result<Vec<AssignmentSpec>> {
        let mut done = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let mut assignment = assignment.clone();
            assignment.column = self.plain_column(&assignment.column, "field list")?;
            if let Some(value) = &mut assignment.value {
                self.replace(value, shown, ("field list", alone))?;
            }
            done.push(assignment);
        }
        Ok(done)
    }

    /// RETURNING: `*` is the view's columns.
    fn returning(&self, items: &[ReturningItem], shown: &str) -> Result<Vec<ReturningItem>> {
        let mut done = Vec::with_capacity(items.len());
        for item in items {
            match item {
                ReturningItem::All(_) => {
                    done.extend(self.columns.iter().map(|(name, expr)| ReturningItem::Value {
                        expr: expr.clone(),
                        alias: Some(name.clone()),
                        text: name.clone(),
                    }));
                }
                ReturningItem::Value { expr, alias, text } => {
                    let mut own = expr.clone();
                    self.replace(&mut own, shown, ("field list", NamesAlone::Refused))?;
                    let name = match (alias, plain_name(expr)) {
                        (None, Some(name)) => Some(name.to_owned()),
                        (alias, _) => alias.clone(),
                    };
                    done.push(ReturningItem::Value { expr: own, alias: name, text: text.clone() });
                }
            }
        }
        Ok(done)
    }

    /// The statement's condition and the view's.
    fn condition(&self, own: Option<Expr>, shown: &str) -> Result<Option<Expr>> {
        let own = match own {
            None => None,
            Some(mut own) => {
                self.replace(&mut own, shown, ("where clause", NamesAlone::Own))?;
                Some(own)
            }
        };
        let nested = |expr: Expr| Expr::Nested(Box::new(expr));
        let theirs = self.conditions.iter().map(|own| own.condition.clone());
        let all = own.into_iter().chain(theirs).map(nested);
        Ok(all.reduce(|left, right| Expr::BinaryOp {
            left: Box::new(left),
            op: BinaryOperator::And,
            right: Box::new(right),
        }))
    }

    fn replace(
        &self,
        part: &mut impl VisitMut,
        shown: &str,
        (clause, alone): (&str, NamesAlone),
    ) -> Result<()> {
        let unknown = Some((&*self.table, clause));
        ViewNames { shown, columns: &self.columns, unknown, alone }.replace_in(part)
    }

    /// The table's column that one of the view is.
    ///
    /// # Errors
    /// 1054, 1348 for one that is computed.
    pub fn plain_column(&self, name: &str, clause: &str) -> Result<String> {
        let found = self.columns.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        let (_, expr) = found.ok_or_else(|| SqlError::unknown_column(name, clause))?;
        plain_name(expr).map(str::to_owned).ok_or_else(|| not_updatable_column(name))
    }
}

/// The relations of a view as tables; `None` where one is a view itself.
fn tables_of(relations: &[&TableFactor], catalog: &Catalog) -> Option<Vec<OtherTable>> {
    let table = |(number, relation): (usize, &&TableFactor)| {
        let TableFactor::Table { name, alias, .. } = relation else { return None };
        let named = table_name(name).ok()?;
        let table = catalog.table(&named.database?, &named.table).ok()?;
        let shown = alias.as_ref().map_or(named.table, |alias| alias.name.value.clone());
        Some(OtherTable { shown, number, table })
    };
    relations.iter().enumerate().map(table).collect()
}

/// The conditions of joins, those within brackets too.
fn join_conditions(from: &[TableWithJoins]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for TableWithJoins { relation, joins } in from {
        for relation in std::iter::once(relation).chain(joins.iter().map(|join| &join.relation)) {
            if let TableFactor::NestedJoin { table_with_joins, .. } = relation {
                found.extend(join_conditions(std::slice::from_ref(&**table_with_joins)));
            }
        }
        found.extend(joins.iter().filter_map(|join| match &join.join_operator {
            JoinOperator::Join(JoinConstraint::On(condition))
            | JoinOperator::Inner(JoinConstraint::On(condition))
            | JoinOperator::CrossJoin(JoinConstraint::On(condition))
            | JoinOperator::StraightJoin(JoinConstraint::On(condition)) => Some(condition),
            _ => None,
        }));
    }
    found
}

/// Error 1348.
pub fn not_updatable_column(name: &str) -> SqlError {
    let message = format!("Column '{name}' is not updatable");
    SqlError::new(ErrorCode::NonupdateableColumn, message)
}

/// Error 1395, for a view as `database.view`.
pub fn not_deletable(view: &str) -> SqlError {
    let message = format!("Can not delete from join view '{view}'");
    SqlError::new(ErrorCode::ViewDeleteMergeView, message)
}

/// Error 1393, for a view as `database.view`.
pub fn of_several_tables(view: &str) -> SqlError {
    let message = format!("Can not modify more than one base table through a join view '{view}'");
    SqlError::new(ErrorCode::ViewMultiupdate, message)
}

/// Error 1471.
pub fn not_insertable(view: &str) -> SqlError {
    let message = format!("The target table {view} of the INSERT is not insertable-into");
    SqlError::new(ErrorCode::NonInsertableTable, message)
}

/// Error 1288.
pub fn not_updatable(view: &str, verb: &str) -> SqlError {
    let message = format!("The target table {view} of the {verb} is not updatable");
    SqlError::new(ErrorCode::NonUpdatableTable, message)
}

fn short(full_name: &str) -> &str {
    full_name.split_once('.').map_or(full_name, |(_, name)| name)
}

fn is_each_once(names: &[String]) -> bool {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

fn identifier(name: &str) -> Expr {
    Expr::Identifier(Ident::with_quote('`', name))
}

/// A SELECT that neither groups rows nor leaves some out by their number.
fn ungrouped_select(query: &Query) -> Option<&Select> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let is_plain = query.with.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && select.distinct.is_none()
        && select.having.is_none()
        && select.named_window.is_empty()
        && matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    is_plain.then_some(select)
}

/// A SELECT each of whose rows is one of a table.
fn plain_select(query: &Query) -> Option<&Select> {
    let select = ungrouped_select(query)?;
    let mut is_of_row = !select.projection.iter().any(asks_query);
    let _whole = visit_expressions(select, |expr| {
        is_of_row &= match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                function.over.is_none() && plan::tree::AggregateFunction::find(&name).is_none()
            }
            _ => true,
        };
        ControlFlow::<()>::Continue(())
    });
    is_of_row.then_some(select)
}

/// Whether a query is asked in it.
fn asks_query(part: &impl Visit) -> bool {
    let found = visit_expressions(part, |expr| match expr {
        Expr::Subquery(_)
        | Expr::Exists { .. }
        | Expr::InSubquery { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
