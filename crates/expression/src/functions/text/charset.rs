//! Texts in other character sets: introducers, CONVERT ... USING, and functions that look at bytes.
//!
//! A text is UTF-8 whatever its character set is said to be; the set is a matter of the node that
//! makes the text (`charset_of`), and only functions that look at bytes (LENGTH, HEX, MD5 ...) are
//! given those bytes. Columns are all utf8mb4.
//!
//! Not here: the sets (`values::charset`), names of sets in statements (crate `sql`).

use values::CharacterSet;
use values::datum::{Datum, Value};
use values::types::{Collation, ColumnType};

use crate::functions::call::Call;
use crate::functions::definition::{CHARSET_OF_ALL, CHARSET_OF_FIRST};
use crate::functions::function::Function;
use crate::statement::error::Result;
use crate::tree::node::{Kind, Node};
use crate::value::cell::{Cell, NULL, bytes_of};
use crate::value::types::text_type;

const BYTES: ColumnType = ColumnType::VarBinary { bytes: u32::MAX };

/// The values of both functions.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let [value, Cell::Plain(Datum::Bytes(name))] = cells else { return Ok(NULL) };
    let set = std::str::from_utf8(name).ok().and_then(CharacterSet::parse);
    let Some(set) = set.filter(|_| !value.is_null()) else { return Ok(NULL) };
    let mut buffer = Vec::new();
    let bytes = bytes_of(&arguments[0].ty, value.datum(), scope.zone, &mut buffer);
    Ok(Cell::Owned(match function {
        Function::ReadAs => set.decode(&set.filled_up(bytes)).into_owned(),
        _ => set.encode(bytes).into_owned(),
    }))
}

/// Bytes as text of a character set.
pub fn read_as(node: Node, set: CharacterSet) -> Node {
    let text = of_set(Function::ReadAs, node, set, text_type(16_383));
    let (ty, nullable) = (text.ty.clone(), text.nullable);
    Node::new(Kind::Cast(Box::new(text)), ty, nullable)
}

/// A value as text of a character set; what that lacks is `?`. Bytes are read as such text.
pub fn converted_to(node: Node, set: CharacterSet) -> Node {
    match node.text_collation() {
        (Collation::Binary, _) => read_as(node, set),
        _ => read_as(written_in(node, set), set),
    }
}

/// The bytes of a text in a character set.
pub fn written_in(node: Node, set: CharacterSet) -> Node {
    of_set(Function::WrittenIn, node, set, BYTES)
}

fn of_set(function: Function, node: Node, set: CharacterSet, ty: ColumnType) -> Node {
    let nullable = node.nullable;
    let name = Node::constant(Value::Bytes(set.name().as_bytes().to_vec()));
    Node::new(Kind::Call(function, vec![node, name]), ty, nullable)
}

/// The character set of a node's text, if it is none of UTF-8: that of the text which it is a part
/// of.
pub fn charset_of(node: &Node) -> Option<CharacterSet> {
    match &node.kind {
        Kind::Call(Function::ReadAs, arguments) => match &arguments[1].kind {
            Kind::Constant(Value::Bytes(name)) => {
                CharacterSet::parse(std::str::from_utf8(name).ok()?)
            }
            _ => None,
        },
        Kind::Cast(inner) | Kind::Collated(inner)
            if node.ty.collation().is_some_and(|rule| rule != Collation::Binary) =>
        {
            charset_of(inner)
        }
        Kind::Call(function, arguments) if function.has(CHARSET_OF_FIRST) => {
            charset_of(arguments.first()?)
        }
        Kind::Call(function, arguments) if function.has(CHARSET_OF_ALL) => {
            let first = charset_of(arguments.first()?)?;
            arguments.iter().all(|node| charset_of(node) == Some(first)).then_some(first)
        }
        _ => None,
    }
    .filter(|set| !set.is_utf8())
}

/// A text as what sees its bytes is given it: in its own character set.
pub fn seen_as_bytes(node: Node) -> Node {
    match charset_of(&node) {
        Some(set) => written_in(node, set),
        None => node,
    }
}
