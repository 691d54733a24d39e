//! The steps of a plan's join: each reads one relation in the way that was chosen for it.
//!
//! Not here: how they are chosen (`optimize::access`, `optimize::order`).

use expression::Node;
use rows::leaps::Leaps;
use rows::table::Covering;
use values::types::{Collation, ColumnType};

use crate::point::Access;

/// One relation, or several joined by themselves, within the order of joining.
#[derive(Clone, Debug)]
pub struct JoinStep {
    /// What is joined.
    pub member: Member,
    /// LEFT JOIN: with NULLs where nothing matches.
    pub outer: bool,
    /// What else must hold for a match, over the joined row.
    pub filters: Vec<Node>,
    /// What must hold afterwards, NULLs included.
    pub after: Vec<Node>,
    /// About how many rows it finds for each joined before.
    pub rows: f64,
}

/// What a step joins.
#[derive(Clone, Debug)]
pub enum Member {
    /// A relation.
    Scan(Box<Scan>),
    /// The right side of an outer join, if it is a join itself.
    Group(Vec<JoinStep>, Vec<usize>),
}

/// Reading one relation.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Its number within the SELECT.
    pub relation: usize,
    /// The way to a stored table's rows.
    pub access: Option<Access>,
    /// Local terms of a relation that is no stored table.
    pub terms: Vec<Node>,
    /// Looked up by a hash table over all rows that pass the other terms.
    pub hash: Option<HashKeys>,
    /// Read from the index's entries alone.
    pub covering: Option<Covering>,
    /// Of the entries only the ends of their leading parts are looked at.
    pub leaps: Option<Leaps>,
    /// Whether what it reads is the same for every row joined before.
    pub same: bool,
    /// Rows that EXPLAIN shows.
    pub examined: f64,
}

/// Equations that a hash table answers.
#[derive(Clone, Debug)]
pub struct HashKeys {
    /// Over the relation's own row.
    pub own: Vec<Node>,
    /// Over what is joined before.
    pub others: Vec<Node>,
    /// How each pair compares.
    pub rules: Vec<(Class, Collation)>,
}

/// Kinds of values among which equality is that of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Integers of any width.
    Integer,
    /// DECIMAL.
    Decimal,
    /// Texts; the collation is another matter.
    Text,
    /// Binary strings.
    Binary,
    /// DATE.
    Date,
    /// DATETIME.
    DateTime,
    /// None of them.
    Other,
}

/// The class of a type's values.
pub fn class_of(ty: &ColumnType) -> Class {
    match ty {
        ColumnType::Int { .. } => Class::Integer,
        ColumnType::Decimal { .. } => Class::Decimal,
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            Class::Text
        }
        ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => Class::Binary,
        ColumnType::Date => Class::Date,
        ColumnType::DateTime { .. } => Class::DateTime,
        _ => Class::Other,
    }
}
