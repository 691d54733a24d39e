//! Bytes as choices: what a target that needs more than one text makes of its input.

use values::ColumnType;
use values::collation::collations;
use values::types::{Collation, IntWidth, LobSize};

/// Takes one byte from the front, 0 when there is none.
pub fn byte(input: &mut &[u8]) -> u8 {
    let (first, rest) = input.split_first().unwrap_or((&0, &[]));
    *input = rest;
    *first
}

/// A column type for each byte.
pub fn column_type(choice: u8) -> ColumnType {
    let fsp = choice / 32 % 7;
    let collation = collations()[usize::from(choice) % collations().len()];
    let size = LobSize::Normal;
    let (width, unsigned) = match choice / 16 {
        0 => (IntWidth::Tiny, false),
        1 => (IntWidth::Tiny, true),
        2 => (IntWidth::Small, false),
        3 => (IntWidth::Medium, false),
        4 => (IntWidth::Medium, true),
        5 => (IntWidth::Int, false),
        6 => (IntWidth::Int, true),
        7 => (IntWidth::Big, true),
        _ => (IntWidth::Big, false),
    };
    let words = || ["red", "green", "Blue", "7"].map(str::to_owned).to_vec();
    match choice % 16 {
        0 => ColumnType::Int { width, unsigned, boolean: false },
        1 => ColumnType::Float(None),
        2 => ColumnType::Double(None),
        3 => ColumnType::Decimal { precision: 1 + choice / 4, scale: (choice / 8).min(30) },
        4 => ColumnType::Char { chars: 7, collation },
        5 => ColumnType::VarChar { chars: 7, collation },
        6 => ColumnType::Text { size, collation },
        7 => ColumnType::Binary { bytes: 5 },
        8 => ColumnType::VarBinary { bytes: 5 },
        9 => ColumnType::Blob { size },
        10 => ColumnType::Date,
        11 => ColumnType::Time { fsp },
        12 => ColumnType::DateTime { fsp },
        13 => ColumnType::Timestamp { fsp },
        14 => ColumnType::Year,
        _ => ColumnType::Enum { values: words(), collation: Collation::Utf8Mb4GeneralCi },
    }
}
