//! How a result column's type is announced: type code, character set, length, decimals, flags.
//!
//! Lengths are display lengths in bytes as MySQL gives them: a character of text counts as the
//! four bytes it may take, a number with its sign.
//!
//! Not here: how values are written (`row`).

use results::ResultColumn;
use values::CharacterSet;
use values::types::{Collation, ColumnType, FixedPoint, IntWidth};

use super::numbers::{character_set, column_flag, type_code};

/// A column definition's fields that depend on the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireColumn {
    /// Type code.
    pub type_code: u8,
    /// That of the results for text, binary for everything else.
    pub character_set: u16,
    /// Display length in bytes.
    pub length: u32,
    /// Digits behind the point; 31 where they vary.
    pub decimals: u8,
    /// Flags.
    pub flags: u16,
}

/// Decimals of a FLOAT or DOUBLE without fixed digits.
const NOT_FIXED: u8 = 31;
/// Bytes of the longest UTF-8 character.
const CHARACTER_BYTES_MAX: u32 = 4;

/// How a result column is announced; `results`: the character set of texts, if it is none of UTF-8.
pub fn wire(column: &ResultColumn, results: Option<CharacterSet>) -> WireColumn {
    let mut wire = of_type(&column.ty);
    if let Some(set) = results
        && wire.character_set == character_set::UTF8MB4_GENERAL_CI
    {
        wire.character_set = set.collation_number();
        wire.length = match column.ty {
            ColumnType::Text { size, .. } => {
                (size.bytes_max() as u32).saturating_mul(set.bytes_max())
            }
            _ => wire.length / CHARACTER_BYTES_MAX * set.bytes_max(),
        };
    }
    // What is NULL in every row has no type, unless a table says one.
    if column.ty == (ColumnType::VarBinary { bytes: 0 })
        && column.nullable
        && column.org_name.is_empty()
    {
        wire.type_code = type_code::NULL;
    }
    // A number that is computed is told to compare as bytes, one of a column is not.
    if column.org_name.is_empty() && wire.flags & column_flag::NUM != 0 {
        wire.flags |= column_flag::BINARY;
    }
    let properties = &column.flags;
    let mut set = |holds: bool, flag: u16| {
        if holds {
            wire.flags |= flag;
        }
    };
    set(!column.nullable, column_flag::NOT_NULL);
    set(properties.primary_key, column_flag::PRI_KEY | column_flag::PART_KEY);
    set(properties.unique_key, column_flag::UNIQUE_KEY | column_flag::PART_KEY);
    set(properties.multiple_key, column_flag::MULTIPLE_KEY | column_flag::PART_KEY);
    set(properties.auto_increment, column_flag::AUTO_INCREMENT);
    set(properties.no_default, column_flag::NO_DEFAULT_VALUE);
    set(properties.on_update_now, column_flag::ON_UPDATE_NOW | column_flag::TIMESTAMP);
    set(properties.zerofill > 0, column_flag::ZEROFILL | column_flag::UNSIGNED);
    if properties.zerofill > 0 {
        wire.length = properties.zerofill.into();
    }
    wire
}

fn of_type(ty: &ColumnType) -> WireColumn {
    use column_flag::{BINARY, BLOB, ENUM, NUM, SET, UNSIGNED, ZEROFILL};
    let binary = |type_code: u8, length: u32, decimals: u8, flags: u16| WireColumn {
        type_code,
        character_set: character_set::BINARY,
        length,
        decimals,
        flags: flags | BINARY,
    };
    let number = |type_code: u8, length: u32, decimals: u8, flags: u16| {
        // Numbers of columns have the binary character set, but not the flag of such comparison.
        WireColumn { flags: flags | NUM, ..binary(type_code, length, decimals, 0) }
    };
    match *ty {
        ColumnType::Int { width, unsigned, boolean } => {
            let (code, signed_length, unsigned_length) = match width {
                IntWidth::Tiny if boolean => (type_code::TINY, 1, 1),
                IntWidth::Tiny => (type_code::TINY, 4, 3),
                IntWidth::Small => (type_code::SHORT, 6, 5),
                IntWidth::Medium => (type_code::INT24, 9, 8),
                IntWidth::Int => (type_code::LONG, 11, 10),
                IntWidth::Big => (type_code::LONGLONG, 20, 20),
            };
            if unsigned {
                number(code, unsigned_length, 0, UNSIGNED)
            } else {
                number(code, signed_length, 0, 0)
            }
        }
        ColumnType::Float(None) => number(type_code::FLOAT, 12, NOT_FIXED, 0),
        ColumnType::Double(None) => number(type_code::DOUBLE, 22, NOT_FIXED, 0),
        ColumnType::Float(Some(FixedPoint { precision, scale })) => {
            number(type_code::FLOAT, precision.into(), scale, 0)
        }
        ColumnType::Double(Some(FixedPoint { precision, scale })) => {
            number(type_code::DOUBLE, precision.into(), scale, 0)
        }
        ColumnType::Decimal { precision, scale } => {
            let point = (scale > 0) as u32;
            number(type_code::NEWDECIMAL, precision as u32 + point + 1, scale, 0)
        }
        ColumnType::Char { chars, collation } => text(type_code::STRING, chars, collation),
        ColumnType::VarChar { chars, collation } => text(type_code::VAR_STRING, chars, collation),
        ColumnType::Text { size, collation } => {
            // As long as so many characters can be.
            let text = text(type_code::BLOB, size.bytes_max() as u32, collation);
            WireColumn { flags: text.flags | BLOB, ..text }
        }
        ColumnType::Binary { bytes } => binary(type_code::STRING, bytes, 0, 0),
        ColumnType::VarBinary { bytes } => binary(type_code::VAR_STRING, bytes, 0, 0),
        ColumnType::Blob { size } => binary(type_code::BLOB, size.bytes_max() as u32, 0, BLOB),
        ColumnType::Date => binary(type_code::DATE, 10, 0, 0),
        ColumnType::Time { fsp } => binary(type_code::TIME, 10 + fraction(fsp), fsp, 0),
        ColumnType::DateTime { fsp } => binary(type_code::DATETIME, 19 + fraction(fsp), fsp, 0),
        ColumnType::Timestamp { fsp } => binary(type_code::TIMESTAMP, 19 + fraction(fsp), fsp, 0),
        ColumnType::Year => number(type_code::YEAR, 4, 0, UNSIGNED | ZEROFILL),
        ColumnType::Enum { collation, .. } => {
            let text = text(type_code::STRING, ty.listed_chars() as u32, collation);
            WireColumn { flags: text.flags | ENUM, ..text }
        }
        ColumnType::Set { collation, .. } => {
            let text = text(type_code::STRING, ty.listed_chars() as u32, collation);
            WireColumn { flags: text.flags | SET, ..text }
        }
        // Its values are bytes, in spite of the sign.
        ColumnType::Bit { bits } => {
            WireColumn { flags: UNSIGNED, ..binary(type_code::BIT, bits.into(), 0, 0) }
        }
        // Clients take JSON for text by its type, in spite of the character set.
        ColumnType::Json => binary(type_code::JSON, u32::MAX, 0, BLOB),
    }
}

fn text(type_code: u8, chars: u32, collation: Collation) -> WireColumn {
    let (character_set, flags, bytes_max) = match collation {
        Collation::Binary => (character_set::BINARY, column_flag::BINARY, 1),
        _ if collation.is_bin() => {
            (character_set::UTF8MB4_GENERAL_CI, column_flag::BINARY, CHARACTER_BYTES_MAX)
        }
        // Clients are told the character set of results, whatever a column compares by.
        _ => (character_set::UTF8MB4_GENERAL_CI, 0, CHARACTER_BYTES_MAX),
    };
    let length = chars.saturating_mul(bytes_max);
    WireColumn { type_code, character_set, length, decimals: 0, flags }
}

/// Extra characters of a second's fraction.
fn fraction(fsp: u8) -> u32 {
    if fsp == 0 { 0 } else { fsp as u32 + 1 }
}

#[cfg(test)]
mod tests {
    use values::types::LobSize;

    use super::*;

    fn of(ty: ColumnType) -> WireColumn {
        wire(&ResultColumn::computed("x", ty, true), None)
    }

    /// One of a table.
    fn stored(name: &str, ty: ColumnType, nullable: bool) -> ResultColumn {
        let column = ResultColumn::computed(name, ty, nullable);
        ResultColumn { org_name: name.to_owned(), ..column }
    }

    #[test]
    fn types_are_announced_as_mysql_announces_them() {
        let int = of(ColumnType::Int { width: IntWidth::Int, unsigned: true, boolean: false });
        assert_eq!((int.type_code, int.length, int.character_set), (type_code::LONG, 10, 63));
        let flags = column_flag::UNSIGNED | column_flag::NUM;
        assert_eq!(int.flags, flags | column_flag::BINARY);
        let int = ColumnType::Int { width: IntWidth::Int, unsigned: true, boolean: false };
        assert_eq!(wire(&stored("x", int, true), None).flags, flags);
        let decimal = of(ColumnType::Decimal { precision: 10, scale: 2 });
        assert_eq!((decimal.type_code, decimal.length, decimal.decimals), (0xF6, 12, 2));
        let name = of(ColumnType::VarChar { chars: 50, collation: Collation::Utf8Mb4GeneralCi });
        assert_eq!((name.type_code, name.length, name.character_set), (0xFD, 200, 45));
        let moment = of(ColumnType::DateTime { fsp: 3 });
        assert_eq!((moment.length, moment.decimals), (23, 3));
        let blob = of(ColumnType::Blob { size: LobSize::Normal });
        assert_eq!(blob.flags, column_flag::BLOB | column_flag::BINARY);
    }

    #[test]
    fn a_text_was_as_long_in_latin1_as_in_utf8mb4() {
        let text =
            ColumnType::Text { size: LobSize::Normal, collation: Collation::Utf8Mb4GeneralCi };
        let column = ResultColumn::computed("x", text, true);
        let length = |set: &str| wire(&column, CharacterSet::parse(set)).length;
        assert_eq!(wire(&column, None).length, 4 * 65_535);
        assert_eq!((length("latin1"), length("cp932")), (65_535, 2 * 65_535));
    }

    #[test]
    fn a_column_of_zerofill_says_so_and_how_wide_it_is() {
        let ty = ColumnType::Int { width: IntWidth::Int, unsigned: true, boolean: false };
        let mut column = stored("x", ty, true);
        column.flags.zerofill = 5;
        let wire = wire(&column, None);
        assert_eq!(wire.length, 5);
        assert_eq!(wire.flags, column_flag::UNSIGNED | column_flag::NUM | column_flag::ZEROFILL);
    }

    #[test]
    fn null_alone_was_announced_as_a_text() {
        let null = of(ColumnType::VarBinary { bytes: 0 });
        assert_eq!((null.type_code, null.length, null.character_set), (type_code::NULL, 0, 63));
        assert_eq!(null.flags, column_flag::BINARY);
        let column = stored("x", ColumnType::VarBinary { bytes: 0 }, true);
        assert_eq!(wire(&column, None).type_code, type_code::VAR_STRING);
    }

    #[test]
    fn keys_and_nullability_become_flags() {
        let ty = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
        let mut column = stored("id", ty, false);
        column.flags.primary_key = true;
        column.flags.auto_increment = true;
        let expected = column_flag::NOT_NULL
            | column_flag::PRI_KEY
            | column_flag::PART_KEY
            | column_flag::AUTO_INCREMENT
            | column_flag::NUM;
        assert_eq!(wire(&column, None).flags, expected);
    }
}
