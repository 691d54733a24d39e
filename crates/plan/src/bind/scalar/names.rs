//! What names mean: columns of a table or a listing, variables, and stand-ins for what is bound.
//!
//! Not here: values of variables (crate `expression`).

use expression::{BIGINT, BIGINT_UNSIGNED, Kind, Node, text_type};
use rows::schema::{Column, TableDefinition};
use sqlparser::ast::{Expr, Ident};
use values::ErrorCode;
use values::SqlMode;
use values::datum::Value;
use values::types::ColumnType;

use super::{BindFailure, Bound, needs_query, unsupported};
use crate::bind::{PartlyReadable, UserVariables, variable_type};
use crate::column_default::{Store, fixed_default_of, implied_default};
use results::{ResultColumn, SqlError};

/// The row that INSERT would add, as ON DUPLICATE KEY UPDATE names it.
#[derive(Clone, Debug, Default)]
pub struct IncomingNames {
    /// The row's alias.
    pub alias: Option<String>,
    /// Names of its columns with their positions, if renamed.
    pub columns: Vec<(String, usize)>,
    /// What the query of INSERT ... SELECT gives beside the row: names in full, and types. They
    /// stand behind the row's columns.
    pub beside: Vec<(Vec<String>, ColumnType)>,
}

/// What names and forms mean within a query: columns of its relations, aggregates, sub-queries.
pub trait Resolver {
    /// A column by its parts.
    fn column(&self, parts: &[&Ident], clause: &'static str) -> Bound<Node>;

    /// The default of a column by its parts, as DEFAULT(column) gives it.
    fn default(&self, parts: &[&Ident], clause: &'static str) -> Bound<Node>;

    /// The value of a column that INSERT would add, as VALUES() names it in ON DUPLICATE KEY
    /// UPDATE.
    fn incoming(&self, column: &Ident) -> Option<Node>;

    /// An expression that only a query gives a meaning to; `None` for all others.
    fn form(&self, expr: &Expr, names: &Names<'_>) -> Option<Bound<Node>>;

    /// The type of a literal that was taken out of the text, and whether it is NULL.
    fn literal(&self, number: u16) -> (ColumnType, bool);

    /// Whether that type is the literal's own, and not one for literals of any kind.
    fn knows_literals(&self) -> bool;
}

/// What names mean.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The table whose row is at hand.
    pub table: Option<&'a TableDefinition>,
    /// Its alias.
    pub alias: Option<&'a str>,
    /// Columns of a listing (SHOW ... WHERE) instead of a table's.
    pub listing: Option<&'a [ResultColumn]>,
    /// The new row, where `VALUES(column)` is allowed.
    pub incoming: Option<&'a IncomingNames>,
    /// Which clause it is, for messages.
    pub clause: &'static str,
    /// sql_mode.
    pub mode: SqlMode,
    /// Number of the first literal that belongs to this part of the statement.
    pub parameter_base: u16,
    /// The query whose part it is, if any.
    pub resolver: Option<&'a dyn Resolver>,
    /// The table if some of its columns may not be read: what is not there is answered as they are.
    pub partly: Option<&'a PartlyReadable>,
    /// User variables, where their types decide of which type a result is.
    pub variables: Option<&'a UserVariables>,
}

impl<'a> Names<'a> {
    /// No names at all.
    pub fn none(clause: &'static str, mode: SqlMode) -> Names<'a> {
        Names {
            table: None,
            alias: None,
            incoming: None,
            clause,
            mode,
            parameter_base: 0,
            listing: None,
            resolver: None,
            partly: None,
            variables: None,
        }
    }

    /// A table's columns.
    pub fn of(
        table: &'a TableDefinition,
        alias: Option<&'a str>,
        clause: &'static str,
        mode: SqlMode,
    ) -> Names<'a> {
        Names::none(clause, mode).over(table, alias, clause)
    }

    /// The same surroundings in a clause that has a table's columns.
    pub fn over<'b>(
        self,
        table: &'b TableDefinition,
        alias: Option<&'b str>,
        clause: &'static str,
    ) -> Names<'b>
    where
        'a: 'b,
    {
        Names { table: Some(table), alias, clause, ..self }
    }

    fn is_own_table(&self, name: &str) -> bool {
        match (self.alias, self.table) {
            (Some(alias), _) => alias == name,
            (None, Some(table)) => table.name == name,
            (None, None) => false,
        }
    }

    /// The node of a name.
    pub(super) fn resolve(&self, parts: &[&Ident]) -> Bound<Node> {
        let shown = || parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".");
        let unknown = || {
            let name = parts.last().map_or("", |part| &part.value);
            BindFailure::Wrong(match self.partly {
                Some(partly) => partly.denied(name),
                None => SqlError::unknown_column(&shown(), self.clause),
            })
        };
        if let Some(variable) = self.variable(parts)? {
            return Ok(variable);
        }
        if let Some(resolver) = self.resolver {
            return resolver.column(parts, self.clause);
        }
        if let (Some(listing), [name]) = (self.listing, parts) {
            let position =
                listing.iter().position(|column| column.name.eq_ignore_ascii_case(&name.value));
            let position = position.ok_or_else(unknown)?;
            let ty = listing[position].ty.clone();
            return Ok(Node::new(Kind::Column(position), ty, true));
        }
        let parts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        self.find(&parts).ok_or_else(unknown)
    }

    /// What a name means of the row at hand.
    pub fn find(&self, parts: &[&str]) -> Option<Node> {
        let table = self.table?;
        let (qualifier, column) = match *parts {
            [column] => (None, column),
            [table_name, column] | [_, table_name, column] => (Some(table_name), column),
            _ => return None,
        };
        if let Some(incoming) = self.incoming {
            let is_it = |given: &[String]| {
                given.len() == parts.len()
                    && given.iter().zip(parts).all(|(a, b)| a.eq_ignore_ascii_case(b))
            };
            let beside = incoming.beside.iter().position(|(given, _)| is_it(given));
            if let Some(at) = beside {
                let kind = Kind::Incoming(table.columns.len() + at);
                return Some(Node::new(kind, incoming.beside[at].1.clone(), true));
            }
            let renamed = incoming
                .columns
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(column))
                .map(|(_, position)| *position);
            let by_alias = qualifier.is_some_and(|name| incoming.alias.as_deref() == Some(name));
            if by_alias || qualifier.is_none() && renamed.is_some() {
                let position = match incoming.columns.is_empty() {
                    true => table.column(column),
                    false => renamed,
                };
                return Some(incoming_node(table, position?));
            }
        }
        if qualifier.is_some_and(|name| !self.is_own_table(name)) {
            return None;
        }
        Some(column_node(table, table.column_or_row_id(column)?))
    }

    /// The value of a column that INSERT would add.
    pub fn incoming_column(&self, column: &Ident) -> Option<Node> {
        let (table, _) = (self.table?, self.incoming?);
        Some(incoming_node(table, table.column(&column.value)?))
    }

    /// The default of a column.
    pub fn default(&self, parts: &[&Ident]) -> Bound<Node> {
        if let Some(resolver) = self.resolver {
            return resolver.default(parts, self.clause);
        }
        match (self.resolve(parts)?.kind, self.table) {
            (Kind::Column(position) | Kind::Incoming(position), Some(table))
                if position < table.columns.len() =>
            {
                default_node(&table.columns[position])
            }
            _ => needs_query("DEFAULT of what is no column"),
        }
    }

    /// `@name` and `@@name`.
    fn variable(&self, parts: &[&Ident]) -> Bound<Option<Node>> {
        let first = parts[0];
        if first.quote_style.is_some() {
            return Ok(None);
        }
        if let Some(name) = first.value.strip_prefix("@@") {
            let scope = name.to_ascii_lowercase();
            let (global, name) = match (scope.as_str(), parts) {
                ("global" | "persist", [_, name, ..]) => (Some(true), name.value.as_str()),
                ("session" | "local", [_, name, ..]) => (Some(false), name.value.as_str()),
                (_, [_]) => (None, name),
                _ => {
                    return Err(SqlError::new(
                        ErrorCode::UnknownSystemVariable,
                        "Unknown system variable",
                    )
                    .into());
                }
            };
            let definition = crate::variables::definition(name)
                .ok_or_else(|| crate::variables::unknown(name))?;
            let ty = match definition.kind {
                crate::variables::Kind::Switch => BIGINT,
                crate::variables::Kind::Number => BIGINT_UNSIGNED,
                crate::variables::Kind::Fraction => ColumnType::Double(None),
                crate::variables::Kind::Text => text_type(1024),
            };
            if let Some(global) = global {
                definition.check_scope(global)?;
            }
            // One that only SET GLOBAL sets has no value of the session's.
            let is_global = definition.reach == crate::variables::Reach::Global;
            let global = global.unwrap_or(is_global);
            let kind = Kind::SystemVariable(definition.name.to_string(), global);
            return Ok(Some(Node::new(kind, ty, true)));
        }
        if let Some(name) = first.value.strip_prefix('@') {
            let name = name.to_lowercase();
            let ty = variable_type(self.variables.and_then(|variables| variables.get(&name)));
            return Ok(Some(Node::new(Kind::UserVariable(name), ty, true)));
        }
        Ok(None)
    }
}

/// What DEFAULT(column) gives: the value that a column has which a statement leaves to its default.
pub fn default_node(column: &Column) -> Bound<Node> {
    let constant = |value: Value| {
        let nullable = value.is_null();
        Ok(Node::new(Kind::Constant(value), column.ty.clone(), nullable))
    };
    match fixed_default_of(column) {
        None | Some(Store::Expression(_)) => {
            unsupported("DEFAULT() of a column whose default is an expression")
        }
        // The number to come is nobody's default.
        Some(Store::Value(Value::Null)) if column.auto_increment && !column.nullable => {
            constant(implied_default(&column.ty))
        }
        Some(Store::Value(value)) => constant(value),
        Some(Store::Now) => {
            let digits = Node::constant(Value::Int(i64::from(column.ty.fsp())));
            super::call_node("NOW", vec![digits])
        }
        Some(Store::Missing) if matches!(column.ty, ColumnType::Enum { .. }) => {
            constant(Value::Enum(1))
        }
        Some(Store::Missing) => {
            let message = format!("Field '{}' doesn't have a default value", column.name);
            Err(SqlError::new(ErrorCode::NoDefaultForField, message).into())
        }
    }
}

/// A column of the row.
pub fn column_node(table: &TableDefinition, position: usize) -> Node {
    let column = &table.columns[position];
    let zerofill = column.zerofill.unwrap_or_default();
    Node { zerofill, ..Node::new(Kind::Column(position), column.ty.clone(), column.nullable) }
}

pub(super) fn incoming_node(table: &TableDefinition, position: usize) -> Node {
    let column = &table.columns[position];
    let zerofill = column.zerofill.unwrap_or_default();
    Node { zerofill, ..Node::new(Kind::Incoming(position), column.ty.clone(), true) }
}
