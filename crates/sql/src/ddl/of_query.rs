//! The columns of a table that is made of a query: CREATE TABLE ... SELECT.
//!
//! Invariants
//! 1. A column holds every value that the query can give, whatever its result was said to be.
//!
//! Not here: the rest of such a table (`create`), its rows (`write::insert`).

use expression::{RESULT_BYTES_MAX, RESULT_CHARS_MAX};
use results::ResultColumn;
use rows::schema::{Column, DefaultValue};
use values::mode::SqlMode;
use values::types::{Collation, ColumnType, LobSize};

/// Texts of expressions with more characters, or bytes, are TEXT or BLOB, as in MySQL.
const SHORT_MAX: u32 = 512;

/// A column that holds what a column of a result gives. `known`: the column of a table that it is,
/// whose default and comment it keeps; an expression that is never NULL has 0 or an empty text.
pub fn column_of_result(result: &ResultColumn, known: Option<&Column>, mode: SqlMode) -> Column {
    let ty = match known {
        Some(_) => result.ty.clone(),
        None => type_of_expression(&result.ty),
    };
    let zerofill = Some(result.flags.zerofill).filter(|width| *width > 0);
    let says_sign = matches!(ty, ColumnType::Int { .. });
    let default = match known {
        Some(known) if !known.auto_increment => match known.computed {
            Some(_) => DefaultValue::None,
            None => known.default.clone(),
        },
        _ if result.nullable => DefaultValue::None,
        _ => zero(&ty, mode).map_or(DefaultValue::None, |zero| DefaultValue::Literal(Some(zero))),
    };
    Column {
        nullable: result.nullable,
        zerofill,
        unsigned: zerofill.is_some() && !says_sign,
        default,
        on_update_now: known.is_some_and(|known| known.on_update_now),
        comment: known.map_or(String::new(), |known| known.comment.clone()),
        ..Column::new(&result.name, ty)
    }
}

/// The type of a column for an expression's values.
fn type_of_expression(ty: &ColumnType) -> ColumnType {
    match *ty {
        // NULL and empty texts have no length to go by.
        ColumnType::VarBinary { bytes: 0 } => ColumnType::Binary { bytes: 0 },
        ColumnType::VarBinary { bytes } if bytes > SHORT_MAX => {
            ColumnType::Blob { size: size_for(bytes, RESULT_BYTES_MAX, 1) }
        }
        ColumnType::VarChar { chars, collation } if chars > SHORT_MAX => {
            ColumnType::Text { size: text_size(chars, collation), collation }
        }
        _ => ty.clone(),
    }
}

fn text_size(chars: u32, collation: Collation) -> LobSize {
    size_for(chars, RESULT_CHARS_MAX, collation.set().bytes_max())
}

/// The size for so many characters of so many bytes; the most that a result is said to have stands
/// for any number.
fn size_for(length: u32, any: u32, bytes: u32) -> LobSize {
    match u64::from(length) * u64::from(bytes) {
        _ if length >= any => LobSize::Long,
        bytes if bytes < 1 << 16 => LobSize::Normal,
        _ => LobSize::Medium,
    }
}

/// What a column of a type has by default as its zero; `None`: the type, or the mode, has none.
fn zero(ty: &ColumnType, mode: SqlMode) -> Option<Vec<u8>> {
    let with_fraction = |text: &str, digits: u8| match digits {
        0 => text.as_bytes().to_vec(),
        digits => format!("{text}.{}", "0".repeat(usize::from(digits))).into_bytes(),
    };
    Some(match *ty {
        ColumnType::Int { .. } => b"0".to_vec(),
        ColumnType::Decimal { scale, .. } => with_fraction("0", scale),
        ColumnType::Float(digits) | ColumnType::Double(digits) => {
            with_fraction("0", digits.map_or(0, |digits| digits.scale))
        }
        ColumnType::Year => b"0000".to_vec(),
        ColumnType::Time { fsp } => with_fraction("00:00:00", fsp),
        ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }
            if mode.no_zero_date() =>
        {
            return None;
        }
        ColumnType::Date => b"0000-00-00".to_vec(),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            with_fraction("0000-00-00 00:00:00", fsp)
        }
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. } => Vec::new(),
        _ => return None,
    })
}
