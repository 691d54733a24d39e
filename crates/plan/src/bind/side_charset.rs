//! Character sets of a set operation's sides: a text of a set other than UTF-8 beside bytes is the
//! bytes that it is in its set, and a literal of bytes beside such a text is a text of that set
//! (MySQL 9.7: tests/oracle/sql/bytes-of-texts.sql).
//!
//! Not here: the type that the sides have in common (`query`), operands of comparisons and
//! functions (`expression::in_one_charset`).

use expression::{Node, converted_to, display_chars, seen_as_bytes};
use values::datum::Value;
use values::types::{Collation, ColumnType};

use crate::tree::{Body, OutputColumn, Query};

/// Makes the sides of a query give what its columns are.
pub(super) fn give_in_charset(query: &mut Query, columns: &[OutputColumn]) {
    let Query { body, columns: own, .. } = query;
    match body {
        Body::Set(set) => set.sides.iter_mut().for_each(|side| give_in_charset(side, columns)),
        Body::Select(select) => {
            for ((node, own), column) in select.outputs.iter_mut().zip(own).zip(columns) {
                if recode(node, &column.ty) {
                    own.ty = node.ty.clone();
                }
            }
        }
        Body::Values(rows) => {
            for row in rows {
                row.iter_mut().zip(columns).for_each(|(node, column)| {
                    recode(node, &column.ty);
                });
            }
        }
        _ => {}
    }
}

/// Whether a value became one of the other kind.
fn recode(node: &mut Node, ty: &ColumnType) -> bool {
    let is_null = matches!(&node.kind, expression::Kind::Constant(value) if value.is_null());
    let to_bytes = ty.is_binary_string() && foreign_collation(&node.ty).is_some();
    let to_text = foreign_collation(ty).filter(|_| node.ty.is_binary_string() && !is_null);
    if !to_bytes && to_text.is_none() {
        return false;
    }
    let given = std::mem::replace(node, Node::constant(Value::Null));
    *node = match to_text {
        Some(collation) => converted_to(given, collation.set()),
        None => seen_as_bytes(given),
    };
    true
}

/// The collation of a text of a set other than UTF-8.
fn foreign_collation(ty: &ColumnType) -> Option<Collation> {
    let collation = ty.collation()?;
    let set = collation.set();
    (!set.is_utf8() && !set.is_binary()).then_some(collation)
}

/// The text that a literal of bytes and a text of such a set have in common.
pub(super) fn text_of_both(a: &OutputColumn, b: &OutputColumn) -> Option<ColumnType> {
    let of = |bytes: &OutputColumn, text: &OutputColumn| {
        let collation = foreign_collation(&text.ty)?;
        let insists_less = bytes.coercibility > text.coercibility;
        let chars = display_chars(&bytes.ty).max(display_chars(&text.ty));
        (bytes.ty.is_binary_string() && insists_less)
            .then_some(ColumnType::VarChar { chars, collation })
    };
    of(a, b).or_else(|| of(b, a))
}
