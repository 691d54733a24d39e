//! `column IS NULL` of a day that is never NULL, and of an AUTO_INCREMENT column.
//!
//! With sql_auto_is_null, which ODBC sets, the latter finds the row that was added last (MySQL 9.7
//! manual, 14.4.2), where it is all that WHERE of a SELECT says.
//!
//! In WHERE, as a term of its own, it finds '0000-00-00' in a stored DATE or DATETIME that is NOT
//! NULL: ODBC knows no such day and asks so for it (MySQL 8.0 manual, 14.4.2, IS NULL). Within OR,
//! in ON, and in a list of columns it means NULL alone.
//!
//! Not here: which columns a term may name (`scope`, `scalar::names`).

use expression::{Comparison, Function, Kind, Node, boolean};
use rows::table::Table;
use values::datum::Value;
use values::temporal::{Date, DateTime};
use values::types::{Collation, ColumnType};

use crate::bind::scalar::{Bound, call_node};

/// A term of WHERE with that meaning. `is_never_null` says of a column's number whether a stored
/// table has it, as NOT NULL; in an outer join its row may be missing all the same.
pub fn zero_date_as_null(term: Node, is_never_null: impl Fn(usize) -> bool) -> Node {
    let tested = match &term.kind {
        Kind::IsNull(column, false) => column,
        Kind::Not(negated) if let Kind::IsNull(column, true) = &negated.kind => column,
        Kind::Call(Function::IsNull, arguments) => match arguments.as_slice() {
            [column] => column,
            _ => return term,
        },
        _ => return term,
    };
    let zero = match tested.ty {
        ColumnType::Date => Value::Date(Date::ZERO),
        ColumnType::DateTime { .. } => Value::DateTime(DateTime::ZERO),
        _ => return term,
    };
    match tested.kind {
        Kind::Column(column) if is_never_null(column) => {}
        _ => return term,
    }
    let (column, may_be_missing) = (Box::new(Node::clone(tested)), tested.nullable);
    let zero = Box::new(Node::constant(zero));
    let kind = Kind::Compare(Comparison::Equal, column, zero, Collation::Utf8Mb4GeneralCi);
    let is_zero = boolean(kind, may_be_missing);
    match may_be_missing {
        true => boolean(Kind::Or(vec![term, is_zero]), true),
        false => is_zero,
    }
}

/// A term of WHERE as sql_auto_is_null wants it. `is_numbered` says of a column's number whether a
/// stored table has it, as AUTO_INCREMENT.
///
/// # Errors
/// Those of binding a call.
pub(super) fn last_number_as_null(term: Node, is_numbered: impl Fn(usize) -> bool) -> Bound<Node> {
    let Kind::IsNull(tested, false) = &term.kind else { return Ok(term) };
    let Kind::Column(column) = tested.kind else { return Ok(term) };
    if !is_numbered(column) {
        return Ok(term);
    }
    let last = Box::new(call_node("LAST_INSERT_ID", Vec::new())?);
    let (column, may_be_missing) = (Box::new(Node::clone(tested)), tested.nullable);
    let kind = Kind::Compare(Comparison::Equal, column, last, Collation::Utf8Mb4GeneralCi);
    Ok(boolean(kind, may_be_missing))
}

/// Terms of WHERE with that meaning, over the rows of one stored table.
pub fn zero_dates_as_null(terms: Vec<Node>, table: &Table) -> Vec<Node> {
    let is_never_null = |at: usize| is_never_null(table, at);
    terms.into_iter().map(|term| zero_date_as_null(term, is_never_null)).collect()
}

/// Whether a table has a column that is NOT NULL.
pub fn is_never_null(table: &Table, column: usize) -> bool {
    table.columns.get(column).is_some_and(|column| !column.nullable)
}
