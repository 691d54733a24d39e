//! Texts in other character sets: introducers, CONVERT ... USING, and functions that look at bytes.
//!
//! A text is UTF-8 whatever its character set is; the set is a matter of its type's collation, and
//! only functions that look at bytes (LENGTH, HEX, MD5 ...) are given those bytes.
//!
//! Not here: the sets (`values::charset`), names of sets in statements (crate `sql`).

use values::codes::write_hex;
use values::datum::{Datum, Value};
use values::types::{Collation, ColumnType};
use values::{CharacterSet, ErrorCode};

use crate::functions::call::Call;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node};
use crate::value::cell::{Cell, NULL};
use crate::value::types::RESULT_CHARS_MAX;

const BYTES: ColumnType = ColumnType::VarBinary { bytes: u32::MAX };

/// The values of both functions.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let [value, Cell::Plain(Datum::Bytes(name))] = cells else { return Ok(NULL) };
    let set = std::str::from_utf8(name).ok().and_then(CharacterSet::parse);
    let Some(set) = set.filter(|_| !value.is_null()) else { return Ok(NULL) };
    let mut buffer = Vec::new();
    let bytes = arguments[0].bytes_of(value.datum(), scope.zone, &mut buffer);
    if function != Function::ReadAs {
        return Ok(Cell::Owned(set.encode(bytes).into_owned()));
    }
    let bytes = set.filled_up(bytes);
    // Of a set of single bytes each byte is a character, if an unknown one.
    if set.bytes_max() > 1 && !set.is_valid(&bytes) {
        scope.warn(ErrorCode::InvalidCharacterString, || {
            let shown = write_hex(&bytes[..bytes.len().min(6)], true);
            let shown = String::from_utf8_lossy(&shown);
            format!("Invalid {} character string: '{shown}'", set.name())
        });
        return Ok(NULL);
    }
    Ok(Cell::Owned(set.decode(&bytes).into_owned()))
}

/// Bytes as text of a character set.
fn read_as(node: Node, set: CharacterSet) -> Node {
    let ty = ColumnType::VarChar { chars: RESULT_CHARS_MAX, collation: Collation::default_of(set) };
    let text = of_set(Function::ReadAs, node, set, ty);
    let ty = text.ty.clone();
    Node::new(Kind::Cast(Box::new(text)), ty, true)
}

/// Nodes that are compared with each other, in one character set: a literal of bytes beside texts
/// of a set is a text of it, and a text beside other bytes is its bytes in its set (MySQL 9.7:
/// tests/oracle/sql/columns-in-character-sets.sql).
pub fn in_one_charset<'n>(nodes: impl Iterator<Item = &'n mut Node>) {
    let nodes: Vec<&mut Node> = nodes.collect();
    let is_literal = |node: &Node| matches!(node.kind, Kind::Constant(_) | Kind::Parameter(_));
    let is_bytes = |node: &Node| {
        node.ty.is_binary_string() && !matches!(node.kind, Kind::Constant(Value::Null))
    };
    let is_text = |node: &&&mut Node| charset_of(node).is_some();
    let Some(text) = nodes.iter().find(is_text) else { return };
    let Some(collation) = text.ty.collation() else { return };
    if nodes.iter().any(|node| is_bytes(node) && !is_literal(node)) {
        for node in nodes {
            *node = seen_as_bytes(std::mem::replace(node, Node::constant(Value::Null)));
        }
        return;
    }
    for node in nodes.into_iter().filter(|node| is_bytes(node)) {
        let bytes = std::mem::replace(node, Node::constant(Value::Null));
        let ty = ColumnType::VarChar { chars: RESULT_CHARS_MAX, collation };
        *node = of_set(Function::ReadAs, bytes, collation.set(), ty);
    }
}

/// A value as text of a character set; what that lacks is `?`. Bytes are read as such text.
pub fn converted_to(node: Node, set: CharacterSet) -> Node {
    match node.text_collation() {
        (Collation::Binary, _) => read_as(node, set),
        _ => read_as(written_in(node, set), set),
    }
}

/// The bytes of a text in a character set.
fn written_in(node: Node, set: CharacterSet) -> Node {
    of_set(Function::WrittenIn, node, set, BYTES)
}

fn of_set(function: Function, node: Node, set: CharacterSet, ty: ColumnType) -> Node {
    let nullable = node.nullable || function == Function::ReadAs;
    let name = Node::constant(Value::Bytes(set.name().as_bytes().to_vec()));
    Node::new(Kind::Call(function, vec![node, name]), ty, nullable)
}

/// The character set of a node's text, if it is none of UTF-8.
pub fn charset_of(node: &Node) -> Option<CharacterSet> {
    let collation = node.ty.collation().filter(|collation| *collation != Collation::Binary)?;
    Some(collation.set()).filter(|set| !set.is_utf8())
}

/// A text as what sees its bytes is given it: in its own character set.
pub fn seen_as_bytes(node: Node) -> Node {
    match charset_of(&node) {
        Some(set) => written_in(node, set),
        None => node,
    }
}
