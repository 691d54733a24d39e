//! Types of results that are made of those of the arguments.
//!
//! Not here: fractions of seconds (`time::digits`), kinds of numbers (`number`), what several
//! values have in common (`evaluation::common`).

use values::datum::Value;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

use crate::evaluation::common::{common_type, display_chars, shown_chars};
use crate::tree::node::{Kind, Node, result_collation};
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, RESULT_BYTES_MAX, RESULT_CHARS_MAX, text_type};

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
    let rule = known.map(Node::text_collation).reduce(result_collation);
    let length = arguments.iter().map(shown_chars).sum::<u32>();
    match rule {
        Some((Collation::Binary, _)) => {
            ColumnType::VarBinary { bytes: length.clamp(1, RESULT_BYTES_MAX) }
        }
        Some((collation, _)) => {
            ColumnType::VarChar { chars: length.clamp(1, RESULT_CHARS_MAX), collation }
        }
        None => text_type(length.clamp(1, RESULT_CHARS_MAX)),
    }
}

/// Text or bytes as `text` says, of another length.
fn text_of_length(arguments: &[Node], length: u64) -> ColumnType {
    let length = u32::try_from(length).unwrap_or(u32::MAX).max(1);
    match text(arguments) {
        ColumnType::VarBinary { .. } => {
            ColumnType::VarBinary { bytes: length.min(RESULT_BYTES_MAX) }
        }
        ColumnType::VarChar { collation, .. } => {
            ColumnType::VarChar { chars: length.min(RESULT_CHARS_MAX), collation }
        }
        other => other,
    }
}

fn chars(node: &Node) -> u64 {
    u64::from(shown_chars(node))
}

/// The value of a number that is written in the statement; `u64::MAX`: nothing tells it.
fn written_number(node: Option<&Node>) -> u64 {
    match node.map(|node| &node.kind) {
        Some(Kind::Constant(Value::Int(number))) => u64::try_from(*number).unwrap_or(0),
        Some(Kind::Constant(Value::UInt(number))) => *number,
        Some(Kind::Constant(Value::Null)) => 0,
        _ => u64::MAX,
    }
}

/// REPEAT: the first argument as often as the second says.
pub(crate) fn repeated(arguments: &[Node]) -> ColumnType {
    let length = chars(&arguments[0]).saturating_mul(written_number(arguments.get(1)));
    text_of_length(&arguments[..1], length)
}

/// SPACE.
pub(crate) fn blanks(arguments: &[Node]) -> ColumnType {
    text_type(written_number(arguments.first()).clamp(1, u64::from(RESULT_CHARS_MAX)) as u32)
}

/// LPAD and RPAD: as long as the second argument says.
pub(crate) fn padded(arguments: &[Node]) -> ColumnType {
    let texts: Vec<Node> = arguments.iter().step_by(2).cloned().collect();
    text_of_length(&texts, written_number(arguments.get(1)))
}

/// REPLACE: every character may become the third argument.
pub(crate) fn replaced(arguments: &[Node]) -> ColumnType {
    let [of, _, by] = arguments else { return text(arguments) };
    text_of_length(arguments, chars(of).saturating_mul(chars(by).max(1)))
}

/// Text of which nothing tells how long it is: REGEXP_REPLACE.
pub(crate) fn any_length(arguments: &[Node]) -> ColumnType {
    text_of_length(arguments, u64::MAX)
}

/// DATE_FORMAT and TIME_FORMAT: a letter of the format stands for ten characters at most.
pub(crate) fn formatted(arguments: &[Node]) -> ColumnType {
    text_of_length(arguments, arguments.get(1).map_or(1, chars).saturating_mul(10))
}

/// Text of JSON, or out of it: it goes by its code points.
fn json_of_length(chars: u64) -> ColumnType {
    let chars = chars.clamp(20, u64::from(RESULT_CHARS_MAX)) as u32;
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4Bin }
}

/// As long as all arguments together.
pub(crate) fn json_text(arguments: &[Node]) -> ColumnType {
    json_of_length(arguments.iter().map(chars).sum())
}

/// JSON_QUOTE: a character may need an escape of six.
pub(crate) fn json_quoted(arguments: &[Node]) -> ColumnType {
    json_of_length(arguments.iter().map(chars).sum::<u64>() * 6 + 2)
}

/// JSON_PRETTY: nothing tells how much white space there will be.
pub(crate) fn json_any_length(_: &[Node]) -> ColumnType {
    json_of_length(u64::MAX)
}

/// QUOTE: a character may need a backslash, and there are the quotes.
pub(crate) fn quoted(arguments: &[Node]) -> ColumnType {
    text_of_length(arguments, arguments.iter().map(chars).sum::<u64>() * 2 + 2)
}

/// CONCAT_WS and MAKE_SET: with the first argument, or a comma, between any two of the others.
pub(crate) fn joined(arguments: &[Node]) -> ColumnType {
    let between = arguments.first().map_or(1, chars).max(1) * arguments.len() as u64;
    text_of_length(arguments, between + arguments.iter().skip(1).map(chars).sum::<u64>())
}

/// LEFT and RIGHT: text of the first argument, as long as the second one says if that is known.
pub(crate) fn start(arguments: &[Node]) -> ColumnType {
    shortened(&arguments[..1], arguments.get(1))
}

/// SUBSTRING: as long as the third one says.
pub(crate) fn middle(arguments: &[Node]) -> ColumnType {
    shortened(&arguments[..1], arguments.get(2))
}

fn shortened(of: &[Node], length: Option<&Node>) -> ColumnType {
    let Some(Node { kind: Kind::Constant(Value::Int(length)), .. }) = length else {
        return text(of);
    };
    let whole = of.iter().map(chars).sum::<u64>();
    text_of_length(of, whole.min(u64::try_from(*length).unwrap_or(0)))
}

/// Text as long as the longest argument behind the first.
pub(crate) fn longest_word(arguments: &[Node]) -> ColumnType {
    let arguments = &arguments[1..];
    text_of_length(arguments, arguments.iter().map(chars).max().unwrap_or(0))
}

/// Digits and the like, whatever the argument is.
pub(crate) fn digits_text(arguments: &[Node]) -> ColumnType {
    let bytes = arguments.first().map_or(0, |node| {
        let each = node.ty.collation().map_or(1, |collation| collation.set().bytes_max());
        chars(node).saturating_mul(each as u64)
    });
    text_type((bytes.saturating_mul(2) + 64).min(u64::from(RESULT_CHARS_MAX)) as u32)
}

/// SOUNDEX: four characters or more.
pub(crate) fn sound(arguments: &[Node]) -> ColumnType {
    text_type(display_chars(&text(arguments)).max(4))
}

/// Bytes, as many as the first argument has.
pub(crate) fn first_bytes(arguments: &[Node]) -> ColumnType {
    let bytes = arguments.first().map_or(0, shown_chars);
    ColumnType::VarBinary { bytes: bytes.clamp(1, RESULT_BYTES_MAX) }
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
