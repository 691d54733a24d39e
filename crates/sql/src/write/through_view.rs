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
//! Not here: what a view is of its table (`updatable_view`); views whose rows a query finds, next
//! to tables, of several tables, or by conditions that ask queries themselves (`joined`).

use std::ops::ControlFlow;

use rows::view::View;
use sqlparser::ast::{
    BinaryOperator, Expr, Ident, ObjectName, TableAlias, TableFactor, TableWithJoins, VisitMut,
    visit_expressions,
};
use syntax::change::{AssignmentSpec, Delete, Insert, ReturningItem, Source, Update};
use values::ErrorCode;

use super::updatable_view::UpdatableView;
use super::view_names::{NamesAlone, ViewNames, plain_name};
use results::{Result, SqlError};

impl UpdatableView {
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

pub(super) fn identifier(name: &str) -> Expr {
    Expr::Identifier(Ident::with_quote('`', name))
}
