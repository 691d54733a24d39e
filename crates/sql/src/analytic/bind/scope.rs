//! What names mean at a place in a statement: relations with their columns, aliases, and the
//! grouping through which columns must be seen.
//!
//! Invariants
//! 1. Column names compare without case; table names and aliases with it.
//! 2. A name is looked for in the innermost SELECT first, then outwards; what is found outside
//!    becomes a reference to the outer row.
//! 3. Within a grouped SELECT a column outside of an aggregate is a group key if it is one, else
//!    any of the group's values.
//!
//! Not here: where relations come from (`relation`).

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::Column;
use datafusion::logical_expr::Expr;
use sqlparser::ast::NamedWindowDefinition;

use super::grouping::Grouping;
use super::typed::{Kind, Typed, firmness};
use crate::error::{Result, SqlError};
use crate::reply::ResultColumn;

/// A column that can be named.
#[derive(Clone, Debug)]
pub(in crate::analytic) struct ScopeColumn {
    /// Its name in SQL.
    pub name: String,
    /// Its place in the plan.
    pub column: Column,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// How firmly it insists on its collation.
    pub firmness: u8,
    /// The table column that it is.
    pub origin: Option<Arc<ResultColumn>>,
    /// Not part of `*`: the row key.
    pub hidden: bool,
    /// The other side of a USING or NATURAL join shows the value; only a qualified name means
    /// this one.
    pub shadowed: bool,
    /// Shown first by `*`: a column of USING or NATURAL.
    pub merged: bool,
}

impl ScopeColumn {
    /// The column as an expression.
    pub(in crate::analytic) fn typed(&self) -> Typed {
        Typed {
            expr: Expr::Column(self.column.clone()),
            kind: self.kind.clone(),
            nullable: self.nullable,
            firmness: self.firmness,
            constant: None,
            origin: self.origin.clone(),
        }
    }
}

/// A table, derived table or CTE in FROM.
#[derive(Clone, Debug)]
pub(in crate::analytic) struct Relation {
    /// Its alias or name; what qualifies its columns.
    pub name: String,
    /// Its database, when it is a table that was named without an alias.
    pub database: Option<String>,
    /// Its columns in order.
    pub columns: Vec<ScopeColumn>,
}

/// Which part of a SELECT is being bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analytic) enum Clause {
    Fields,
    Where,
    On,
    Group,
    Having,
    Order,
}

impl Clause {
    /// MySQL's name for it in error 1054.
    fn words(self) -> &'static str {
        match self {
            Clause::Fields => "field list",
            Clause::Where => "where clause",
            Clause::On => "on clause",
            Clause::Group => "group statement",
            Clause::Having => "having clause",
            Clause::Order => "order clause",
        }
    }

    fn prefers_alias(self) -> bool {
        matches!(self, Clause::Having | Clause::Order)
    }

    fn sees_alias(self) -> bool {
        matches!(self, Clause::Having | Clause::Order | Clause::Group)
    }
}

/// The names of one SELECT.
pub(in crate::analytic) struct Scope<'p> {
    /// The SELECT around this one.
    pub parent: Option<&'p Scope<'p>>,
    /// FROM.
    pub relations: Vec<Relation>,
    /// The part that is being bound.
    pub clause: Cell<Clause>,
    /// Aliases of the select list, once it is bound.
    pub aliases: RefCell<Vec<(String, Typed)>>,
    /// Set while expressions above a GROUP BY are bound.
    pub grouping: RefCell<Option<Grouping>>,
    /// Inside an aggregate's arguments: columns are seen directly again.
    pub inside_aggregate: Cell<bool>,
    /// Window functions seen so far; `None` where none may be.
    pub windows: RefCell<Option<Vec<Expr>>>,
    /// The WINDOW clause.
    pub named_windows: Vec<NamedWindowDefinition>,
}

impl<'p> Scope<'p> {
    /// A SELECT over some relations.
    pub(in crate::analytic) fn new(
        parent: Option<&'p Scope<'p>>,
        relations: Vec<Relation>,
    ) -> Scope<'p> {
        Scope {
            parent,
            relations,
            clause: Cell::new(Clause::Fields),
            aliases: RefCell::new(Vec::new()),
            grouping: RefCell::new(None),
            inside_aggregate: Cell::new(false),
            windows: RefCell::new(None),
            named_windows: Vec::new(),
        }
    }

    /// A column by its parts: `c`, `t.c` or `db.t.c`.
    pub(in crate::analytic) fn resolve(&self, parts: &[&str]) -> Result<Typed> {
        if let Some(found) = self.resolve_here(parts)? {
            return Ok(found);
        }
        let mut outer = self.parent;
        while let Some(scope) = outer {
            if let Some(found) = scope.resolve_here(parts)? {
                return as_outer(found);
            }
            outer = scope.parent;
        }
        Err(SqlError::unknown_column(&parts.join("."), self.clause.get().words()))
    }

    fn resolve_here(&self, parts: &[&str]) -> Result<Option<Typed>> {
        let clause = self.clause.get();
        if let ([name], true) = (parts, clause.prefers_alias() && !self.inside_aggregate.get())
            && let Some(found) = self.alias(name)
        {
            return Ok(Some(found));
        }
        if let Some(column) = self.column(parts)? {
            return Ok(Some(self.through_grouping(column)));
        }
        match parts {
            [name] if clause.sees_alias() => Ok(self.alias(name)),
            _ => Ok(None),
        }
    }

    /// A select-list alias.
    pub(in crate::analytic) fn alias(&self, name: &str) -> Option<Typed> {
        let aliases = self.aliases.borrow();
        let found = aliases.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        found.map(|(_, typed)| typed.clone())
    }

    /// A column of FROM, not seen through any grouping.
    fn column(&self, parts: &[&str]) -> Result<Option<&ScopeColumn>> {
        let (qualifier, name) = match parts {
            [name] => (None, name),
            [table, name] => (Some((None, table)), name),
            [database, table, name] => (Some((Some(database), table)), name),
            _ => return Ok(None),
        };
        let mut found = None;
        for relation in &self.relations {
            if let Some((database, table)) = qualifier {
                let same_database = database.is_none_or(|database| {
                    relation.database.as_deref().is_some_and(|own| own == *database)
                });
                if relation.name != *table || !same_database {
                    continue;
                }
            }
            for column in &relation.columns {
                if !column.name.eq_ignore_ascii_case(name)
                    || (qualifier.is_none() && column.shadowed)
                {
                    continue;
                }
                if found.is_some() {
                    let clause = self.clause.get().words();
                    let name = parts.join(".");
                    return Err(SqlError::new(
                        1052,
                        format!("Column '{name}' in {clause} is ambiguous"),
                    ));
                }
                found = Some(column);
            }
        }
        Ok(found)
    }

    fn through_grouping(&self, column: &ScopeColumn) -> Typed {
        let typed = column.typed();
        if self.inside_aggregate.get() {
            return typed;
        }
        match &mut *self.grouping.borrow_mut() {
            Some(grouping) => grouping.seen(typed),
            None => typed,
        }
    }

    /// Columns that `*` or `table.*` stands for, in order.
    pub(in crate::analytic) fn expand(&self, table: Option<&[&str]>) -> Result<Vec<&ScopeColumn>> {
        let mut out: Vec<&ScopeColumn> = Vec::new();
        match table {
            None => {
                let all = || self.relations.iter().flat_map(|relation| &relation.columns);
                out.extend(all().filter(|c| c.merged && !c.shadowed));
                out.extend(all().filter(|c| !c.merged && !c.shadowed && !c.hidden));
            }
            Some(parts) => {
                let name = parts.last().copied().unwrap_or_default();
                let database = (parts.len() > 1).then(|| parts[parts.len() - 2]);
                let relation = self.relations.iter().find(|relation| {
                    relation.name == name
                        && database.is_none_or(|d| relation.database.as_deref() == Some(d))
                });
                let relation = relation.ok_or_else(|| {
                    SqlError::new(1051, format!("Unknown table '{}'", parts.join(".")))
                })?;
                out.extend(relation.columns.iter().filter(|c| !c.hidden));
            }
        }
        Ok(out)
    }

    /// Whether what is bound now only decides about rows.
    pub(in crate::analytic) fn filters(&self) -> bool {
        matches!(self.clause.get(), Clause::Where | Clause::On | Clause::Having)
    }

    /// Binds something in another clause, and returns to this one.
    pub(in crate::analytic) fn within<T>(
        &self,
        clause: Clause,
        bind: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let before = self.clause.replace(clause);
        let out = bind();
        self.clause.set(before);
        out
    }
}

/// What was found in an outer SELECT, as a reference to its row.
fn as_outer(typed: Typed) -> Result<Typed> {
    let expr = match typed.expr {
        Expr::Column(column) => {
            let field = Field::new(column.name.clone(), typed.kind.arrow(), typed.nullable);
            Expr::OuterReferenceColumn(Arc::new(field), column)
        }
        Expr::OuterReferenceColumn(..) | Expr::Literal(..) => typed.expr,
        _ => return Err(SqlError::unsupported("an outer alias inside a sub-query")),
    };
    Ok(Typed { expr, firmness: typed.firmness.max(firmness::COLUMN), ..typed })
}
