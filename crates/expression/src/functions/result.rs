//! Types of results that are made of those of the arguments.
//!
//! Not here: fractions of seconds (`time::digits`), kinds of numbers (`number`), what several
//! values have in common (`tree::common`).

use values::datum::Value;
use values::types::{Collation, ColumnType};

use crate::tree::common::{common_type, display_chars};
use crate::tree::node::{Kind, Node, common_collation};
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, text_type};

/// The longest text of a result.
const CHARS_MAX: u32 = 16_383;

/// Text as long as all arguments together; bytes where those have a lower coercibility than its
/// text.
pub(crate) fn text(arguments: &[Node]) -> ColumnType {
    let known = arguments.iter().filter(|node| !matches!(node.kind, Kind::Constant(Value::Null)));
    let rule = known.map(Node::text_collation).reduce(common_collation);
    let length = arguments.iter().map(|node| display_chars(&node.ty)).sum::<u32>();
    match rule {
        Some((Collation::Binary, _)) => ColumnType::VarBinary { bytes: length.clamp(1, 65_532) },
        Some((collation, 0..4)) => {
            ColumnType::VarChar { chars: length.clamp(1, CHARS_MAX), collation }
        }
        _ => text_type(length.clamp(1, CHARS_MAX)),
    }
}

/// Text as long as the longest argument behind the first.
pub(crate) fn longest_word(arguments: &[Node]) -> ColumnType {
    let arguments = &arguments[1..];
    let longest = arguments.iter().map(|node| display_chars(&node.ty)).max();
    let longest = longest.unwrap_or(0).max(1);
    match text(arguments) {
        ColumnType::VarBinary { .. } => ColumnType::VarBinary { bytes: longest.min(65_532) },
        ColumnType::VarChar { collation, .. } => {
            ColumnType::VarChar { chars: longest.min(CHARS_MAX), collation }
        }
        other => other,
    }
}

/// Digits and the like, whatever the argument is.
pub(crate) fn digits_text(arguments: &[Node]) -> ColumnType {
    let chars = arguments.first().map_or(0, |node| display_chars(&node.ty));
    text_type((chars.saturating_mul(2) + 64).min(CHARS_MAX))
}

/// SOUNDEX: four characters or more.
pub(crate) fn sound(arguments: &[Node]) -> ColumnType {
    text_type(display_chars(&text(arguments)).max(4))
}

/// What the first argument is.
pub(crate) fn first(arguments: &[Node]) -> ColumnType {
    arguments.first().map_or(BIGINT, |node| node.ty.clone())
}

/// NULLIF: an ENUM or SET that was not the other value is its words.
pub(crate) fn chosen_first(arguments: &[Node]) -> ColumnType {
    match arguments {
        [Node { ty: ColumnType::Enum { .. } | ColumnType::Set { .. }, .. }, _] => {
            common_type(&arguments[..1])
        }
        _ => first(arguments),
    }
}

/// What the arguments have in common between which the first one chooses.
pub(crate) fn chosen_by_first(arguments: &[Node]) -> ColumnType {
    common_type(&arguments[1..])
}

/// GREATEST and LEAST.
pub(crate) fn extreme(arguments: &[Node]) -> ColumnType {
    match common_type(arguments) {
        ColumnType::Float(digits) => ColumnType::Double(digits),
        ColumnType::Bit { .. } => BIGINT_UNSIGNED,
        common => common,
    }
}
