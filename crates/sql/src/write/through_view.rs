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
//! Not here: views in queries (`plan::bind::view`); views whose rows a query finds, beside tables
//! or by conditions that ask queries themselves (`joined`); views of several tables, which nothing
//! is written through.

use std::ops::ControlFlow;
use std::sync::Arc;

use rows::catalog::Catalog;
use rows::rules::Check;
use rows::table::Table;
use rows::view::{View, ViewAlgorithm, ViewCheck};
use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, ObjectName, Query, Select, SelectItem, SetExpr,
    TableAlias, TableFactor, TableWithJoins, Visit, VisitMut, VisitorMut, visit_expressions,
};
use syntax::change::{AssignmentSpec, Delete, Insert, ReturningItem, Update};
use syntax::names::table_name;
use syntax::view_query;
use values::{ErrorCode, SqlMode};

use plan::bind::inner_joined;
use plan::bind::scalar::{Bound, Names, bind};
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
    conditions: Vec<Expr>,
    /// What must hold for rows that are written, with the view that says so.
    checks: Vec<(String, Expr)>,
    /// Whether a query is asked by it, or it is of several tables: its rows are found by one then.
    is_by_query: bool,
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
    /// What is written through a view of one table; `None` if nothing is.
    pub fn of(view: &Arc<View>, catalog: &Catalog) -> Option<UpdatableView> {
        let mut sides = UpdatableView::sides_of(view, catalog);
        if sides.len() == 1 { sides.pop() } else { None }
    }

    /// What is written through a view: one for each of its tables whose columns it shows. Of a
    /// statement one of them is written.
    pub fn sides_of(view: &Arc<View>, catalog: &Catalog) -> Vec<UpdatableView> {
        let query = view_query(&view.query).ok();
        let select = query.as_deref().and_then(plain_select);
        let Some(select) = select.filter(|_| view.algorithm != ViewAlgorithm::TempTable) else {
            return Vec::new();
        };
        let relations = inner_joined(&select.from).unwrap_or_default();
        if relations.len() > 1 && view.check.is_some() {
            return Vec::new();
        }
        let sides = (0..).zip(&relations).filter_map(|(number, relation)| {
            let mut side = UpdatableView::side_of(view, select, relation, catalog)?;
            if relations.len() > 1 {
                side.is_by_query = true;
                side.side = number;
                side.keep_own_columns();
            }
            Some(side)
        });
        sides.collect()
    }

    /// Keeps the columns that are the table's.
    fn keep_own_columns(&mut self) {
        let columns = std::mem::take(&mut self.columns);
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

    /// What is written through a view of the rows of one of its relations.
    fn side_of(
        view: &Arc<View>,
        select: &Select,
        relation: &TableFactor,
        catalog: &Catalog,
    ) -> Option<UpdatableView> {
        let TableFactor::Table { name, alias, partitions, .. } = relation else { return None };
        let named = table_name(name).ok()?;
        let database = named.database?;
        let shown = alias.as_ref().map_or(named.table.clone(), |alias| alias.name.value.clone());
        let full_name = format!("{}.{}", view.database, view.name);
        let mut this = match catalog.view(&database, &named.table) {
            Some(inner) => UpdatableView::of(&inner, catalog)?,
            None => UpdatableView::of_table(catalog.table(&database, &named.table).ok()?),
        };
        if !partitions.is_empty() {
            this.partitions.clone_from(partitions);
        }
        let columns = std::mem::take(&mut this.columns);
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
            this.columns.push((name.clone(), as_theirs(expr)?));
            layer.columns.push((name.clone(), expr.clone()));
        }
        if !this.columns.iter().any(|(_, expr)| plain_name(expr).is_some()) {
            return None;
        }
        if view.check == Some(ViewCheck::Cascaded) {
            // What views beneath it say is checked in its name.
            this.checks =
                this.conditions.iter().map(|own| (full_name.clone(), own.clone())).collect();
        }
        if let Some(condition) = &select.selection {
            let condition = as_theirs(condition)?;
            if view.check.is_some() {
                this.checks.push((full_name.clone(), condition.clone()));
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
        let (name, partitions) = (String::new(), Vec::new());
        let (is_by_query, side) = (false, 0);
        UpdatableView {
            name,
            table,
            partitions,
            columns,
            conditions,
            checks,
            is_by_query,
            side,
            layers,
        }
    }

    /// The table, with what must hold for rows that are written through the view.
    ///
    /// # Errors
    /// Those of binding the view's condition.
    pub fn checked_table(&self) -> Bound<Arc<Table>> {
        if self.checks.is_empty() {
            return Ok(Arc::clone(&self.table));
        }
        let names = Names::of(&self.table, None, "where clause", SqlMode::default());
        let check = |(view, condition): &(String, Expr)| {
            // Unknown is not enough.
            let holds = Expr::IsTrue(Box::new(Expr::Nested(Box::new(condition.clone()))));
            let condition = bind(&holds, &names)?;
            Ok(Check { name: view.clone(), condition, is_of_view: true })
        };
        let checks = self.checks.iter().map(check).collect::<Bound<Vec<Check>>>()?;
        Ok(Arc::new(self.table.with_checks(checks).map_err(SqlError::from)?))
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
        let all = own.into_iter().chain(self.conditions.iter().cloned()).map(nested);
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
        plain_name(expr).map(str::to_owned).ok_or_else(|| {
            let message = format!("Column '{name}' is not updatable");
            SqlError::new(ErrorCode::NonupdateableColumn, message)
        })
    }
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

/// The column that an expression is.
fn plain_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(name) => Some(&name.value),
        _ => None,
    }
}

/// Whether a view's column is the table's of the same name.
fn same_name(own: &str, expr: &Expr, name: &str) -> bool {
    own.eq_ignore_ascii_case(name)
        && plain_name(expr).is_some_and(|other| other.eq_ignore_ascii_case(name))
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

/// The names of a view's columns, for what they are.
struct ViewNames<'a> {
    /// The name that the view goes by.
    shown: &'a str,
    columns: &'a [(String, Expr)],
    /// The table, whose other columns are unknown, and the clause that they are unknown in.
    unknown: Option<(&'a Table, &'a str)>,
    alone: NamesAlone,
}

/// What a name without a table means in a sub-query, where it may be a column of that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamesAlone {
    /// Where it is bound it is looked for among `UpdatableView::names_within` alone.
    Own,
    /// It is refused if it could be another column of the table: it is bound over a row that has
    /// all of them.
    Refused,
}

impl ViewNames<'_> {
    fn replace_in(&self, part: &mut impl VisitMut) -> Result<()> {
        let mut replacing = Replacing { names: self, within: 0 };
        match part.visit(&mut replacing) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

struct Replacing<'a> {
    names: &'a ViewNames<'a>,
    /// How many queries are around what is visited.
    within: usize,
}

impl VisitorMut for Replacing<'_> {
    type Break = SqlError;

    fn pre_visit_query(&mut self, _query: &mut Query) -> ControlFlow<SqlError> {
        self.within += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<SqlError> {
        self.within -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        let ViewNames { shown, columns, unknown, alone } = self.names;
        let (qualifier, name) = match &*expr {
            Expr::Identifier(name) if self.within == 0 => (None, &name.value),
            Expr::Identifier(name) => {
                let shows = |(own, other): &(String, Expr)| same_name(own, other, &name.value);
                return match unknown {
                    Some((table, _))
                        if *alone == NamesAlone::Refused
                            && table.column(&name.value).is_some()
                            && !columns.iter().any(shows) =>
                    {
                        let name = &name.value;
                        ControlFlow::Break(SqlError::unsupported(format_args!(
                            "the name '{name}' without its table in a sub-query of a statement \
                             that writes through a view"
                        )))
                    }
                    _ => ControlFlow::Continue(()),
                };
            }
            Expr::CompoundIdentifier(names) => match &names[..] {
                [.., qualifier, name] => (Some(&qualifier.value), &name.value),
                _ => return ControlFlow::Continue(()),
            },
            _ => return ControlFlow::Continue(()),
        };
        if qualifier.is_some_and(|qualifier| qualifier != shown) {
            return ControlFlow::Continue(());
        }
        match columns.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((_, other)) if self.within == 0 => {
                *expr = match plain_name(other) {
                    Some(_) => other.clone(),
                    None => Expr::Nested(Box::new(other.clone())),
                };
            }
            // Seen from within a query, the row's columns are named with its table.
            Some((_, other)) => {
                let Some(name) = plain_name(other) else {
                    let what = "a computed column of a view in a sub-query";
                    return ControlFlow::Break(SqlError::unsupported(what));
                };
                let parts = [*shown, name].map(|part| Ident::with_quote('`', part)).to_vec();
                *expr = Expr::CompoundIdentifier(parts);
            }
            None => {
                if let Some((table, clause)) = unknown
                    && table.column(name).is_some()
                {
                    return ControlFlow::Break(SqlError::unknown_column(name, clause));
                }
            }
        }
        ControlFlow::Continue(())
    }
}
