//! FROM: tables, derived tables, CTEs and joins.
//!
//! Invariants
//! 1. Every relation has a qualifier of its own in the plan, so two uses of a table are two.
//! 2. JOIN ... USING and NATURAL JOIN show their common columns once.
//!
//! Not here: reading tables (`scan`).

use std::sync::Arc;

use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::{Column, JoinType, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator};
use rows::schema::DefaultValue;
use rows::types::{ColumnType, LobSize};
use sqlparser::ast;

use super::super::columns::ColumnWriter;
use super::super::failure::translate;
use super::super::scan::{ROW_KEY, TableSource, arrow_schema};
use super::Binder;
use super::comparison::compare;
use super::query::{Bound, OutputColumn, renamed};
use super::scope::{Clause, Relation, Scope, ScopeColumn};
use super::typed::{Kind, firmness};
use crate::error::{Result, SqlError};
use crate::reply::{ColumnFlags, ResultColumn};

/// The most tables of one FROM, as in MySQL.
const RELATIONS_MAX: usize = 61;

fn too_many_tables() -> SqlError {
    SqlError::new(
        1116,
        format!("Too many tables; MySQL can only use {RELATIONS_MAX} tables in a join"),
    )
}

/// A plan and the names it gives.
type Joined = (LogicalPlan, Vec<Relation>);

impl Binder<'_> {
    /// FROM; without one, a single row without columns.
    pub(super) fn from(
        &self,
        from: &[ast::TableWithJoins],
        parent: Option<&Scope<'_>>,
    ) -> Result<Joined> {
        let mut all: Option<Joined> = None;
        if from.len() > RELATIONS_MAX || from.iter().any(|item| item.joins.len() > RELATIONS_MAX) {
            return Err(too_many_tables());
        }
        for item in from {
            let one = self.table_with_joins(item, parent)?;
            all = Some(match all {
                None => one,
                Some(before) => cross(before, one)?,
            });
        }
        let (plan, relations) = match all {
            Some(joined) => joined,
            None => {
                let plan = LogicalPlanBuilder::empty(true).build().map_err(translate)?;
                (plan, Vec::new())
            }
        };
        if relations.len() > RELATIONS_MAX {
            return Err(too_many_tables());
        }
        for (at, relation) in relations.iter().enumerate() {
            let same = |other: &Relation| {
                other.name == relation.name && other.database == relation.database
            };
            if relations[..at].iter().any(same) {
                return Err(SqlError::new(
                    1066,
                    format!("Not unique table/alias: '{}'", relation.name),
                ));
            }
        }
        Ok((plan, relations))
    }

    fn table_with_joins(
        &self,
        item: &ast::TableWithJoins,
        parent: Option<&Scope<'_>>,
    ) -> Result<Joined> {
        let mut left = self.factor(&item.relation, parent)?;
        for join in &item.joins {
            let right = self.factor(&join.relation, parent)?;
            left = self.join(left, right, &join.join_operator, parent)?;
        }
        Ok(left)
    }

    fn factor(&self, factor: &ast::TableFactor, parent: Option<&Scope<'_>>) -> Result<Joined> {
        match factor {
            ast::TableFactor::Table { name, alias, args: None, .. } => {
                let (bound, own, database) = self.named(name)?;
                let shown = alias.as_ref().map_or(own, |alias| alias.name.value.clone());
                let database = if alias.is_some() { None } else { database };
                self.relation(bound, shown, database)
            }
            ast::TableFactor::Derived { subquery, alias, lateral: false, .. } => {
                let Some(alias) = alias else {
                    return Err(SqlError::new(1248, "Every derived table must have its own alias"));
                };
                let bound = renamed(self.query(subquery, None)?, alias)?;
                let qualifier = self.qualifier(&alias.name.value);
                let named = Named::Query(bound.under(&qualifier)?);
                self.relation(named, alias.name.value.clone(), None)
            }
            ast::TableFactor::NestedJoin { table_with_joins, .. } => {
                self.table_with_joins(table_with_joins, parent)
            }
            other => Err(SqlError::unsupported(other)),
        }
    }

    /// What a table name means: a CTE, a provided table, or a stored one; with its own name.
    fn named(&self, name: &ast::ObjectName) -> Result<(Named, String, Option<String>)> {
        let parts: Vec<&str> = name
            .0
            .iter()
            .filter_map(|part| part.as_ident())
            .map(|ident| ident.value.as_str())
            .collect();
        if let [name] = parts[..] {
            let found = self.ctes.borrow().iter().rev().find(|(cte, _)| cte == name).cloned();
            if let Some((cte, bound)) = found {
                let qualifier = self.qualifier(&cte);
                return Ok((Named::Query(bound.under(&qualifier)?), cte, None));
            }
        }
        let (database, table) = match parts[..] {
            [table] => (self.facts.database.as_deref(), table),
            [database, table] => (Some(database), table),
            _ => return Err(SqlError::syntax(&name.to_string(), 1)),
        };
        let Some(database) = database else {
            if table.eq_ignore_ascii_case("dual") {
                return Ok((Named::Nothing, table.to_owned(), None));
            }
            return Err(SqlError::no_database());
        };
        if database.eq_ignore_ascii_case("information_schema") {
            let bound = self.provided(table)?;
            return Ok((bound, table.to_owned(), Some("information_schema".to_owned())));
        }
        if table.eq_ignore_ascii_case("dual") && parts.len() == 1 {
            return Ok((Named::Nothing, table.to_owned(), None));
        }
        Ok((self.stored(database, table)?, table.to_owned(), Some(database.to_owned())))
    }

    /// TABLE t.
    pub(super) fn whole_table(&self, name: &ast::ObjectName) -> Result<Bound> {
        let (named, shown, database) = self.named(name)?;
        let (plan, relations) = self.relation(named, shown, database)?;
        let scope = Scope::new(None, relations);
        let columns = scope.expand(None)?;
        let columns = columns
            .into_iter()
            .map(|column| OutputColumn {
                name: column.name.clone(),
                column: column.column.clone(),
                kind: column.kind.clone(),
                nullable: column.nullable,
                firmness: column.firmness,
                origin: column.origin.clone(),
            })
            .collect::<Vec<_>>();
        let exprs: Vec<Expr> = columns
            .iter()
            .map(|column| Expr::Column(column.column.clone()).alias(column.name.clone()))
            .collect();
        let plan = LogicalPlanBuilder::new(plan)
            .project(exprs)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        let columns = columns
            .into_iter()
            .map(|column| OutputColumn {
                column: Column::new_unqualified(column.name.clone()),
                ..column
            })
            .collect();
        Ok(Bound { plan, columns })
    }

    fn relation(&self, named: Named, name: String, database: Option<String>) -> Result<Joined> {
        match named {
            Named::Nothing => {
                let plan = LogicalPlanBuilder::empty(true).build().map_err(translate)?;
                Ok((plan, Vec::new()))
            }
            Named::Query(bound) => {
                let mut columns = bound.scope_columns();
                for column in &mut columns {
                    column.origin = column.origin.as_ref().map(|origin| {
                        Arc::new(ResultColumn { table: name.clone(), ..(**origin).clone() })
                    });
                }
                Ok((bound.plan, vec![Relation { name, database, columns }]))
            }
            Named::Table { plan, mut columns } => {
                for column in &mut columns {
                    column.origin = column.origin.as_ref().map(|origin| {
                        Arc::new(ResultColumn { table: name.clone(), ..(**origin).clone() })
                    });
                }
                Ok((plan, vec![Relation { name, database, columns }]))
            }
        }
    }

    fn stored(&self, database: &str, name: &str) -> Result<Named> {
        let table = self.engine.catalog().table(database, name)?;
        self.tables.borrow_mut().push(Arc::clone(&table));
        let qualifier = self.qualifier(name);
        let reference = TableReference::bare(qualifier);
        let mut columns: Vec<ScopeColumn> = (0..table.columns.len())
            .map(|position| {
                let column = &table.columns[position];
                ScopeColumn {
                    name: column.name.clone(),
                    column: Column::new(Some(reference.clone()), column.name.clone()),
                    kind: Kind::Of(column.ty.clone()),
                    nullable: column.nullable,
                    firmness: firmness::COLUMN,
                    origin: Some(Arc::new(table_column(&table, position))),
                    hidden: false,
                    shadowed: false,
                    merged: false,
                }
            })
            .collect();
        columns.push(ScopeColumn {
            name: ROW_KEY.to_owned(),
            column: Column::new(Some(reference.clone()), ROW_KEY),
            kind: Kind::Of(ColumnType::Blob { size: LobSize::Normal }),
            nullable: false,
            firmness: firmness::COLUMN,
            origin: None,
            hidden: true,
            shadowed: false,
            merged: false,
        });
        let provider: Arc<dyn TableProvider> =
            Arc::new(TableSource::new(Arc::clone(self.engine), Arc::clone(self.view), table));
        let plan = LogicalPlanBuilder::scan(reference, provider_as_source(provider), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        Ok(Named::Table { plan, columns })
    }

    /// A table of information_schema, read when the statement is bound.
    fn provided(&self, name: &str) -> Result<Named> {
        let Some(provided) = crate::information_schema::table(self.facts, name)? else {
            let upper = name.to_ascii_uppercase();
            return Err(SqlError::new(
                1109,
                format!("Unknown table '{upper}' in information_schema"),
            ));
        };
        let (result_columns, rows) = provided;
        let types: Vec<(String, ColumnType, bool)> = result_columns
            .iter()
            .map(|column| (column.name.clone(), column.ty.clone(), true))
            .collect();
        let schema = arrow_schema(&types);
        let mut writers: Vec<ColumnWriter> =
            types.iter().map(|(_, ty, _)| ColumnWriter::new(ty, rows.len())).collect();
        for row in &rows {
            for ((writer, value), (_, ty, _)) in writers.iter_mut().zip(row).zip(&types) {
                let value = rows::convert::convert(ty, value.as_datum(), self.zone()).value;
                writer.append(value.as_datum())?;
            }
        }
        let arrays = writers.iter_mut().map(ColumnWriter::finish).collect();
        let batch = datafusion::arrow::array::RecordBatch::try_new(Arc::clone(&schema), arrays)
            .map_err(|error| translate(error.into()))?;
        let provider: Arc<dyn TableProvider> =
            Arc::new(MemTable::try_new(schema, vec![vec![batch]]).map_err(translate)?);
        let reference = TableReference::bare(self.qualifier(name));
        let columns = result_columns
            .into_iter()
            .map(|column| ScopeColumn {
                name: column.name.clone(),
                column: Column::new(Some(reference.clone()), column.name.clone()),
                kind: Kind::Of(column.ty.clone()),
                nullable: column.nullable,
                firmness: firmness::COLUMN,
                origin: Some(Arc::new(column)),
                hidden: false,
                shadowed: false,
                merged: false,
            })
            .collect();
        let plan = LogicalPlanBuilder::scan(reference, provider_as_source(provider), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        Ok(Named::Table { plan, columns })
    }

    fn join(
        &self,
        left: Joined,
        right: Joined,
        operator: &ast::JoinOperator,
        parent: Option<&Scope<'_>>,
    ) -> Result<Joined> {
        use ast::JoinOperator as J;
        let (kind, constraint) = match operator {
            J::Join(c) | J::Inner(c) | J::CrossJoin(c) | J::StraightJoin(c) => (JoinType::Inner, c),
            J::Left(c) | J::LeftOuter(c) => (JoinType::Left, c),
            J::Right(c) | J::RightOuter(c) => (JoinType::Right, c),
            other => return Err(SqlError::unsupported(format!("{other:?} join"))),
        };
        match constraint {
            ast::JoinConstraint::None if kind == JoinType::Inner => cross(left, right),
            ast::JoinConstraint::None => Err(SqlError::syntax("JOIN without ON", 1)),
            ast::JoinConstraint::On(condition) => {
                self.join_on(left, right, kind, condition, parent)
            }
            ast::JoinConstraint::Using(names) => {
                let names: Vec<String> = names
                    .iter()
                    .filter_map(|name| name.0.last().and_then(|part| part.as_ident()))
                    .map(|ident| ident.value.clone())
                    .collect();
                self.join_using(left, right, kind, &names)
            }
            ast::JoinConstraint::Natural => {
                let names: Vec<String> = visible(&left.1)
                    .filter(|column| {
                        visible(&right.1).any(|c| c.name.eq_ignore_ascii_case(&column.name))
                    })
                    .map(|column| column.name.clone())
                    .collect();
                self.join_using(left, right, kind, &names)
            }
        }
    }

    fn join_on(
        &self,
        left: Joined,
        right: Joined,
        kind: JoinType,
        condition: &ast::Expr,
        parent: Option<&Scope<'_>>,
    ) -> Result<Joined> {
        let ((left, mut relations), (right, more)) = (left, right);
        let left_count = relations.len();
        relations.extend(more);
        let scope = Scope::new(parent, relations);
        let on = scope.within(Clause::On, || self.predicate(&scope, condition))?;
        let plan = LogicalPlanBuilder::new(left)
            .join_on(right, kind, [on])
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        let mut relations = scope.relations;
        nullify(&mut relations, left_count, kind);
        Ok((plan, relations))
    }

    fn join_using(
        &self,
        left: Joined,
        right: Joined,
        kind: JoinType,
        names: &[String],
    ) -> Result<Joined> {
        let ((left, mut relations), (right, mut more)) = (left, right);
        if names.is_empty() && kind == JoinType::Inner {
            return cross((left, relations), (right, more));
        }
        let mut on = Vec::with_capacity(names.len());
        for name in names {
            let missing = || SqlError::unknown_column(name, "from clause");
            let a = find_visible(&mut relations, name).ok_or_else(missing)?;
            let b = find_visible(&mut more, name).ok_or_else(missing)?;
            on.push(compare(Operator::Eq, &a.typed(), &b.typed(), self.zone()).expr);
            let (shown, other) = if kind == JoinType::Right { (b, a) } else { (a, b) };
            shown.merged = true;
            other.shadowed = true;
        }
        let left_count = relations.len();
        relations.extend(more);
        let plan = LogicalPlanBuilder::new(left)
            .join_on(right, kind, on)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        nullify(&mut relations, left_count, kind);
        Ok((plan, relations))
    }
}

/// What a table name turned out to mean.
enum Named {
    /// DUAL.
    Nothing,
    /// A CTE, under a qualifier already.
    Query(Bound),
    /// A table.
    Table { plan: LogicalPlan, columns: Vec<ScopeColumn> },
}

fn visible(relations: &[Relation]) -> impl Iterator<Item = &ScopeColumn> {
    relations
        .iter()
        .flat_map(|relation| &relation.columns)
        .filter(|column| !column.hidden && !column.shadowed)
}

fn find_visible<'r>(relations: &'r mut [Relation], name: &str) -> Option<&'r mut ScopeColumn> {
    relations
        .iter_mut()
        .flat_map(|relation| &mut relation.columns)
        .find(|column| !column.hidden && !column.shadowed && column.name.eq_ignore_ascii_case(name))
}

/// The side of an outer join that may be missing gives NULLs.
fn nullify(relations: &mut [Relation], left_count: usize, kind: JoinType) {
    let missing = match kind {
        JoinType::Left => &mut relations[left_count..],
        JoinType::Right => &mut relations[..left_count],
        _ => return,
    };
    for column in missing.iter_mut().flat_map(|relation| &mut relation.columns) {
        column.nullable = true;
        column.origin = column
            .origin
            .as_ref()
            .map(|origin| Arc::new(ResultColumn { nullable: true, ..(**origin).clone() }));
    }
}

fn cross(left: Joined, right: Joined) -> Result<Joined> {
    let ((left, mut relations), (right, more)) = (left, right);
    relations.extend(more);
    let plan = LogicalPlanBuilder::new(left)
        .cross_join(right)
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)?;
    Ok((plan, relations))
}

/// A table's column as a client is told of it.
fn table_column(table: &rows::Table, position: usize) -> ResultColumn {
    let column = &table.columns[position];
    let is =
        |index: &rows::schema::Index| index.parts.first().is_some_and(|p| p.column == position);
    let primary = table.indexes[0].parts.iter().any(|part| part.column == position);
    let secondary = || table.indexes[1..].iter();
    let flags = ColumnFlags {
        primary_key: primary,
        unique_key: secondary().any(|index| index.unique && index.parts.len() == 1 && is(index)),
        multiple_key: secondary()
            .any(|index| is(index) && !(index.unique && index.parts.len() == 1)),
        auto_increment: column.auto_increment,
        no_default: !column.nullable
            && column.default == DefaultValue::None
            && !column.auto_increment,
        on_update_now: column.on_update_now,
    };
    ResultColumn {
        name: column.name.clone(),
        org_name: column.name.clone(),
        table: table.name.clone(),
        org_table: table.name.clone(),
        database: table.database.clone(),
        ty: column.ty.clone(),
        nullable: column.nullable,
        flags,
    }
}
