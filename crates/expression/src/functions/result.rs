//! Types of results that are made of those of the arguments.
//!
//! Not here: fractions of seconds (`time::digits`), kinds of numbers (`number`), what several
//! values have in common (`tree::common`).

use values::datum::Value;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

use crate::tree::common::{common_type, display_chars};
use crate::tree::node::{Kind, Node, common_collation};
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, text_type};

/// The longest text of a result.
const CHARS_MAX: u32 = 16_383;

/// Text without a bound.
pub(crate) fn long_text(_: &[Node]) -> ColumnType {
    ColumnType::Text { size: LobSize::Long, collation: Collation::Utf8Mb4GeneralCi }
}

/// A number of one byte.
pub(crate) fn small(_: &[Node]) -> ColumnType {
    ColumnType::Int { width: IntWidth::Tiny, unsigned: true, boolean: false }
}

/// Text as long as all arguments together, of the collation of the lowest coercibility among them,
/// or bytes.
pub(crate) fn text(arguments: &[Node]) -> ColumnType {
    let known = arguments.iter().filter(|node| !matches!(node.kind, Kind::Constant(Value::Null)));
    let rule = known.map(Node::text_collation).reduce(common_collation);
    let length = arguments.iter().map(|node| display_chars(&node.ty)).sum::<u32>();
    match rule {
        Some((Collation::Binary, _)) => ColumnType::VarBinary { bytes: length.clamp(1, 65_532) },
        Some((collation, _)) => {
            ColumnType::VarChar { chars: length.clamp(1, CHARS_MAX), collation }
        }
        None => text_type(length.clamp(1, CHARS_MAX)),
    }
}

/// LEFT and RIGHT: text of the first argument, as long as the second one says if that is known.
pub(crate) fn start(arguments: &[Node]) -> ColumnType {
    shortened(text(&arguments[..1]), arguments.get(1))
}

/// SUBSTRING: as long as the third one says.
pub(crate) fn middle(arguments: &[Node]) -> ColumnType {
    shortened(text(&arguments[..1]), arguments.get(2))
}

fn shortened(ty: ColumnType, length: Option<&Node>) -> ColumnType {
    let Some(Node { kind: Kind::Constant(Value::Int(length)), .. }) = length else { return ty };
    let length = u32::try_from((*length).max(1)).unwrap_or(u32::MAX);
    match ty {
        ColumnType::VarChar { chars, collation } => {
            ColumnType::VarChar { chars: chars.min(length), collation }
        }
        ColumnType::VarBinary { bytes } => ColumnType::VarBinary { bytes: bytes.min(length) },
        other => other,
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

/// Text of JSON, or out of it: it goes by its code points.
pub(crate) fn json_text(arguments: &[Node]) -> ColumnType {
    let chars = display_chars(&text(arguments)).clamp(20, CHARS_MAX);
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4Bin }
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

/// Bytes, as many as the first argument has.
pub(crate) fn first_bytes(arguments: &[Node]) -> ColumnType {
    let bytes = arguments.first().map_or(0, |node| display_chars(&node.ty));
    ColumnType::VarBinary { bytes: bytes.clamp(1, 65_532) }
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
        ColumnType::Bit { .. } => BIGINT_UNSIGNED,
        common => common,
    }
}
