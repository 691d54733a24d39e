//! Column types as CREATE TABLE and ALTER TABLE write them.
//!
//! Character sets: texts are stored as UTF-8, and a column keeps the set and the collation that it
//! is declared with, which say how long it may be; `binary` makes the binary type of the same
//! shape.
//!
//! Not here: what follows the type in a column definition (`table`), CAST's types (crate `sql`,
//! `bind::scalar`).

use sqlparser::tokenizer::Token;
use values::CharacterSet;
use values::ErrorCode;
use values::types::{Collation, ColumnType, FixedPoint, IntWidth, LobSize};

use super::cursor::Cursor;
use crate::error::{Error, Result};

/// Longest VARCHAR in bytes of its character set, as in MySQL.
const VARCHAR_BYTES_MAX: u32 = 65_535;
/// Longest VARBINARY in bytes.
const VARBINARY_BYTES_MAX: u64 = 65_532;

/// A type as written, before the table's default collation is known.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSpec {
    /// The type; character types have the default collation unless `collated`.
    pub ty: ColumnType,
    /// Whether the collation was given with the column.
    pub collated: bool,
    /// BINARY: the collation of its character set that orders by bytes.
    pub bin: bool,
    /// SERIAL: NOT NULL AUTO_INCREMENT UNIQUE.
    pub serial: bool,
    /// UNSIGNED of a type that does not say it itself.
    pub unsigned: bool,
    /// ZEROFILL, which means UNSIGNED, too: how many digits are shown at least.
    pub zerofill: Option<u8>,
}

impl TypeSpec {
    fn plain(ty: ColumnType) -> TypeSpec {
        TypeSpec { ty, collated: false, bin: false, serial: false, unsigned: false, zerofill: None }
    }

    /// Refuses a VARCHAR that is too long in its character set; `table_char_bytes`: most bytes of a
    /// character of the table's.
    ///
    /// # Errors
    /// 1074.
    pub fn check_length(&self, column: &str, table_char_bytes: u32) -> Result<()> {
        let own = self.ty.collation().filter(|_| self.collated);
        let each = own.map_or(table_char_bytes, |collation| collation.set().bytes_max());
        match self.ty {
            ColumnType::VarChar { chars, .. } => check_varchar(chars, column, each),
            _ => Ok(()),
        }
    }

    /// Sets the collation of a character type; `binary` makes it the binary type.
    pub fn collate(&mut self, collation: Collation) {
        self.collated = true;
        self.ty = with_collation(&self.ty, collation);
    }
}

/// Refuses a VARCHAR of too many characters of so many bytes each.
///
/// # Errors
/// 1074.
pub fn check_varchar(chars: u32, column: &str, each: u32) -> Result<()> {
    let max = VARCHAR_BYTES_MAX / each;
    if chars > max { Err(too_big(column, max.into())) } else { Ok(()) }
}

/// The type with another collation; types without one stay as they are.
pub fn with_collation(ty: &ColumnType, collation: Collation) -> ColumnType {
    let binary = collation == Collation::Binary;
    match ty.clone() {
        ColumnType::Char { chars, .. } if binary => ColumnType::Binary { bytes: chars },
        ColumnType::VarChar { chars, .. } if binary => ColumnType::VarBinary { bytes: chars },
        ColumnType::Text { size, .. } if binary => ColumnType::Blob { size },
        ColumnType::Char { chars, .. } => ColumnType::Char { chars, collation },
        ColumnType::VarChar { chars, .. } => ColumnType::VarChar { chars, collation },
        ColumnType::Text { size, .. } => ColumnType::Text { size, collation },
        ColumnType::Enum { values, .. } => ColumnType::Enum { values, collation },
        ColumnType::Set { values, .. } => ColumnType::Set { values, collation },
        other => other,
    }
}

/// The collation of a name.
///
/// # Errors
/// 1273 when none is known by that name.
pub fn collation(name: &str) -> Result<Collation> {
    Collation::from_name(name).ok_or_else(|| {
        Error::new(ErrorCode::UnknownCollation, format!("Unknown collation: '{name}'"))
    })
}

/// The character set of a name.
///
/// # Errors
/// 1115 when none is known by that name.
pub fn character_set(name: &str) -> Result<CharacterSet> {
    if name.eq_ignore_ascii_case("default") {
        return Ok(CharacterSet::UTF8MB4);
    }
    CharacterSet::parse(name).ok_or_else(|| {
        Error::new(ErrorCode::UnknownCharacterSet, format!("Unknown character set: '{name}'"))
    })
}

/// The default collation of a character set, by the set's name.
///
/// # Errors
/// 1115 when no character set is known by that name.
pub fn charset_collation(name: &str) -> Result<Collation> {
    Ok(Collation::default_of(character_set(name)?))
}

/// Reads a type. `column` is its column's name, for errors.
///
/// # Errors
/// 1064 when no type is next, 1235 for one that this server does not have, and the number of the
/// limit that its sizes exceed.
pub fn type_spec(cursor: &mut Cursor<'_>, column: &str) -> Result<TypeSpec> {
    let Token::Word(word) = cursor.peek() else {
        return Err(cursor.syntax());
    };
    if word.quote_style.is_some() {
        return Err(cursor.syntax());
    }
    let name = word.value.to_ascii_uppercase();
    let here = cursor.syntax();
    cursor.advance();
    let spec = match name.as_str() {
        "TINYINT" | "INT1" => int(cursor, IntWidth::Tiny)?,
        "SMALLINT" | "INT2" => int(cursor, IntWidth::Small)?,
        "MEDIUMINT" | "MIDDLEINT" | "INT3" => int(cursor, IntWidth::Medium)?,
        "INT" | "INTEGER" | "INT4" => int(cursor, IntWidth::Int)?,
        "BIGINT" | "INT8" => int(cursor, IntWidth::Big)?,
        "BOOL" | "BOOLEAN" => TypeSpec::plain(ColumnType::Int {
            width: IntWidth::Tiny,
            unsigned: false,
            boolean: true,
        }),
        "SERIAL" => TypeSpec {
            serial: true,
            ..TypeSpec::plain(ColumnType::Int {
                width: IntWidth::Big,
                unsigned: true,
                boolean: false,
            })
        },
        "FLOAT" | "FLOAT4" => float(cursor, column)?,
        "DOUBLE" | "REAL" | "FLOAT8" => {
            cursor.take("PRECISION");
            let digits = match sizes(cursor)? {
                None => None,
                Some((precision, Some(scale))) => Some(fixed_point(precision, scale, column)?),
                // Only FLOAT says a precision alone.
                Some((_, None)) => return Err(here),
            };
            signs(cursor).of(ColumnType::Double(digits), None)
        }
        "DECIMAL" | "DEC" | "NUMERIC" | "FIXED" => decimal(cursor, column)?,
        "DATE" => TypeSpec::plain(ColumnType::Date),
        "TIME" => TypeSpec::plain(ColumnType::Time { fsp: fsp(cursor, column)? }),
        "DATETIME" => TypeSpec::plain(ColumnType::DateTime { fsp: fsp(cursor, column)? }),
        "TIMESTAMP" => TypeSpec::plain(ColumnType::Timestamp { fsp: fsp(cursor, column)? }),
        "YEAR" => {
            if sizes(cursor)?.is_some_and(|digits| digits != (4, None)) {
                let message = "Invalid display width. Use YEAR instead.";
                return Err(Error::new(ErrorCode::InvalidYearColumnLength, message));
            }
            // It has no sign and is shown with four digits, whatever is said.
            let _signs = signs(cursor);
            TypeSpec::plain(ColumnType::Year)
        }
        "JSON" => TypeSpec::plain(ColumnType::Json),
        "BIT" => TypeSpec::plain(bit(cursor, column)?),
        "GEOMETRY" | "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING"
        | "MULTIPOLYGON" | "GEOMETRYCOLLECTION" | "VECTOR" => {
            return Err(Error::unsupported(format_args!("column type {name}")));
        }
        _ => match string_type(cursor, &name, column)? {
            Some(spec) => spec,
            None => return Err(here),
        },
    };
    Ok(spec)
}

fn string_type(cursor: &mut Cursor<'_>, name: &str, column: &str) -> Result<Option<TypeSpec>> {
    let collation = Collation::Utf8Mb4GeneralCi;
    let text = |size| ColumnType::Text { size, collation };
    let ty = match name {
        "NATIONAL" => {
            let varying = cursor.take("VARCHAR")
                || (cursor.take("CHAR") || cursor.take("CHARACTER")) && cursor.take("VARYING");
            return national(cursor, varying, column).map(Some);
        }
        "CHAR" | "CHARACTER" => {
            let varying = cursor.take("VARYING");
            return characters(cursor, varying, column).map(Some);
        }
        "NCHAR" => {
            let varying = cursor.take("VARCHAR") || cursor.take("VARYING");
            return national(cursor, varying, column).map(Some);
        }
        "NVARCHAR" => return national(cursor, true, column).map(Some),
        "VARCHAR" | "VARCHARACTER" => {
            return characters(cursor, true, column).map(Some);
        }
        "BINARY" => {
            let bytes = sizes(cursor)?.map_or(1, |(bytes, _)| bytes);
            if bytes > 255 {
                return Err(too_big(column, 255));
            }
            ColumnType::Binary { bytes: bytes as u32 }
        }
        "VARBINARY" => {
            let Some((bytes, _)) = sizes(cursor)? else {
                return Err(cursor.syntax());
            };
            if bytes > VARBINARY_BYTES_MAX {
                return Err(too_big(column, VARBINARY_BYTES_MAX));
            }
            ColumnType::VarBinary { bytes: bytes as u32 }
        }
        "TINYTEXT" => text(LobSize::Tiny),
        "TEXT" => text(sized_lob(cursor, 4)?),
        "MEDIUMTEXT" | "LONG" => {
            if cursor.take("VARBINARY") {
                ColumnType::Blob { size: LobSize::Medium }
            } else {
                let _varchar = cursor.take("VARCHAR");
                text(LobSize::Medium)
            }
        }
        "LONGTEXT" => text(LobSize::Long),
        "TINYBLOB" => ColumnType::Blob { size: LobSize::Tiny },
        "BLOB" => ColumnType::Blob { size: sized_lob(cursor, 1)? },
        "MEDIUMBLOB" => ColumnType::Blob { size: LobSize::Medium },
        "LONGBLOB" => ColumnType::Blob { size: LobSize::Long },
        "ENUM" => {
            let values = cursor.parenthesised(listed_word)?;
            ColumnType::Enum { values, collation }
        }
        "SET" => set(cursor, column)?,
        _ => return Ok(None),
    };
    let mut spec = TypeSpec::plain(ty);
    attributes(cursor, &mut spec)?;
    Ok(Some(spec))
}

/// `(n)`: one bit where nothing is said.
fn bit(cursor: &mut Cursor<'_>, column: &str) -> Result<ColumnType> {
    match sizes(cursor)? {
        None => Ok(ColumnType::Bit { bits: 1 }),
        Some((bits @ 1..=64, None)) => Ok(ColumnType::Bit { bits: bits as u8 }),
        Some((0, None)) => Err(Error::new(
            ErrorCode::InvalidFieldSize,
            format!("Invalid size for column '{column}'."),
        )),
        Some((_, None)) => Err(Error::new(
            ErrorCode::TooBigDisplaywidth,
            format!("Display width out of range for column '{column}' (max = 64)"),
        )),
        Some((_, Some(_))) => Err(cursor.syntax()),
    }
}

/// The members of a SET, of which none has a comma.
/// A word of an ENUM or SET, also by its hexadecimal digits or its bits.
fn listed_word(cursor: &mut Cursor<'_>) -> Result<String> {
    let here = cursor.syntax();
    if let Token::SingleQuotedByteStringLiteral(bits) = cursor.peek() {
        let bits = bits.clone();
        cursor.parser_mut().advance_token();
        let padded = format!("{}{bits}", "0".repeat(bits.len().wrapping_neg() % 8));
        let byte = |bits: &[u8]| {
            bits.iter().try_fold(0u8, |byte, bit| match bit {
                b'0' | b'1' => Some(byte << 1 | (bit - b'0')),
                _ => None,
            })
        };
        let bytes: Option<Vec<u8>> = padded.as_bytes().chunks(8).map(byte).collect();
        let word = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or(here)?;
        return Ok(word.trim_end_matches(' ').to_string());
    }
    let word = String::from_utf8(cursor.bytes()?).map_err(|_| here)?;
    Ok(word.trim_end_matches(' ').to_string())
}

fn set(cursor: &mut Cursor<'_>, column: &str) -> Result<ColumnType> {
    let values = cursor.parenthesised(listed_word)?;
    if let Some(word) = values.iter().find(|word| word.contains(',')) {
        return Err(Error::new(
            ErrorCode::IllegalValueForType,
            format!("Illegal set '{word}' value found during parsing"),
        ));
    }
    if values.len() > ColumnType::SET_MEMBERS_MAX {
        return Err(Error::new(
            ErrorCode::TooBigSet,
            format!("Too many strings for column {column} and SET"),
        ));
    }
    Ok(ColumnType::Set { values, collation: Collation::Utf8Mb4GeneralCi })
}

fn too_big(column: &str, max: u64) -> Error {
    Error::new(
        ErrorCode::TooBigFieldlength,
        format!(
            "Column length too big for column '{column}' (max = {max}); use BLOB or TEXT instead"
        ),
    )
}

/// Characters of utf8mb3, which is the national set.
fn national(cursor: &mut Cursor<'_>, varying: bool, column: &str) -> Result<TypeSpec> {
    let mut spec = characters(cursor, varying, column)?;
    if !spec.collated {
        spec.collate(charset_collation("utf8mb3")?);
    }
    Ok(spec)
}

fn characters(cursor: &mut Cursor<'_>, varying: bool, column: &str) -> Result<TypeSpec> {
    let collation = Collation::Utf8Mb4GeneralCi;
    let length = sizes(cursor)?.map(|(length, _)| length);
    let ty = if varying {
        let Some(chars) = length else {
            return Err(cursor.syntax());
        };
        if chars > u64::from(VARCHAR_BYTES_MAX) {
            return Err(too_big(column, VARCHAR_BYTES_MAX.into()));
        }
        ColumnType::VarChar { chars: chars as u32, collation }
    } else {
        let chars = length.unwrap_or(1);
        if chars > 255 {
            return Err(too_big(column, 255));
        }
        ColumnType::Char { chars: chars as u32, collation }
    };
    let mut spec = TypeSpec::plain(ty);
    attributes(cursor, &mut spec)?;
    Ok(spec)
}

/// CHARACTER SET, COLLATE, BINARY, ASCII, UNICODE, BYTE behind a character type.
///
/// # Errors
/// 1115 and 1273 for unknown names, 1064 when none is next.
pub fn attributes(cursor: &mut Cursor<'_>, spec: &mut TypeSpec) -> Result<()> {
    loop {
        if cursor.take_all(&["CHARACTER", "SET"])
            || cursor.take_all(&["CHAR", "SET"])
            || cursor.take("CHARSET")
        {
            cursor.take_token(&Token::Eq);
            let set = character_set(&cursor.name_or_string()?)?;
            match spec.ty.collation().filter(|_| spec.collated) {
                // Behind COLLATE it says nothing new.
                Some(known) => check_set(known, set)?,
                None => spec.collate(Collation::default_of(set)),
            }
        } else if cursor.take("COLLATE") {
            let named = collation(&cursor.name_or_string()?)?;
            if let Some(known) = spec.ty.collation().filter(|_| spec.collated) {
                check_set(named, known.set())?;
            }
            spec.collate(named);
        } else if cursor.take("BINARY") {
            spec.bin = true;
        } else if cursor.take("BYTE") {
            spec.collate(Collation::Binary);
        } else if cursor.take("ASCII") {
            spec.collate(charset_collation("latin1")?);
        } else if cursor.take("UNICODE") {
            spec.collate(charset_collation("ucs2")?);
        } else {
            return Ok(());
        }
    }
}

/// Refuses a collation that is not one of a character set's.
///
/// # Errors
/// 1253.
pub fn check_set(collation: Collation, set: CharacterSet) -> Result<()> {
    if collation.set() == set { Ok(()) } else { Err(not_of_set(collation, set)) }
}

/// Error 1253.
pub fn not_of_set(collation: Collation, set: CharacterSet) -> Error {
    let (name, set) = (collation.name(), set.name());
    let message = format!("COLLATION '{name}' is not valid for CHARACTER SET '{set}'");
    Error::new(ErrorCode::CollationCharsetMismatch, message)
}

/// `(n)` or `(n, m)`.
fn sizes(cursor: &mut Cursor<'_>) -> Result<Option<(u64, Option<u64>)>> {
    if !cursor.take_token(&Token::LParen) {
        return Ok(None);
    }
    let first = cursor.number()?;
    let second = if cursor.take_token(&Token::Comma) { Some(cursor.number()?) } else { None };
    cursor.expect_token(&Token::RParen)?;
    Ok(Some((first, second)))
}

/// What stands behind a number's type.
#[derive(Clone, Copy, Default)]
struct Signs {
    unsigned: bool,
    zerofill: bool,
}

impl Signs {
    /// A number's type with these behind it; `said`: how wide it is to be shown, if that was said.
    fn of(self, ty: ColumnType, said: Option<u8>) -> TypeSpec {
        let width = said.unwrap_or_else(|| shown_width(&ty));
        let zerofill = self.zerofill.then_some(width);
        TypeSpec { unsigned: self.unsigned, zerofill, ..TypeSpec::plain(ty) }
    }
}

/// How many characters MySQL shows of a number with ZEROFILL.
fn shown_width(ty: &ColumnType) -> u8 {
    match *ty {
        ColumnType::Int { width, .. } => match width {
            IntWidth::Tiny => 3,
            IntWidth::Small => 5,
            IntWidth::Medium => 8,
            IntWidth::Int => 10,
            IntWidth::Big => 20,
        },
        ColumnType::Decimal { precision, scale } => precision + u8::from(scale > 0),
        ColumnType::Float(None) => 12,
        ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)) => digits.precision,
        _ => 22,
    }
}

/// SIGNED, UNSIGNED, ZEROFILL.
fn signs(cursor: &mut Cursor<'_>) -> Signs {
    let mut signs = Signs::default();
    while let Some(word) = cursor.take_any(&["UNSIGNED", "SIGNED", "ZEROFILL"]) {
        signs.unsigned |= word != "SIGNED";
        signs.zerofill |= word == "ZEROFILL";
    }
    signs
}

fn int(cursor: &mut Cursor<'_>, width: IntWidth) -> Result<TypeSpec> {
    let length = sizes(cursor)?.map(|(length, _)| length);
    let Signs { unsigned, zerofill } = signs(cursor);
    let boolean = width == IntWidth::Tiny && length == Some(1) && !unsigned;
    let signs = Signs { unsigned: false, zerofill };
    let shown = length.filter(|length| *length > 0).map(|length| length.min(255) as u8);
    Ok(signs.of(ColumnType::Int { width, unsigned, boolean }, shown))
}

fn float(cursor: &mut Cursor<'_>, column: &str) -> Result<TypeSpec> {
    let ty = match sizes(cursor)? {
        None | Some((0..=24, None)) => ColumnType::Float(None),
        Some((25..=53, None)) => ColumnType::Double(None),
        Some((_, None)) => {
            return Err(Error::new(
                ErrorCode::WrongFieldSpec,
                format!("Incorrect column specifier for column '{column}'"),
            ));
        }
        Some((precision, Some(scale))) => {
            ColumnType::Float(Some(fixed_point(precision, scale, column)?))
        }
    };
    Ok(signs(cursor).of(ty, None))
}

/// The digits of FLOAT(M,D).
fn fixed_point(precision: u64, scale: u64, column: &str) -> Result<FixedPoint> {
    check_scale(precision, scale, column)?;
    match u8::try_from(precision) {
        Ok(precision) => Ok(FixedPoint { precision, scale: scale as u8 }),
        Err(_) => Err(Error::new(
            ErrorCode::TooBigDisplaywidth,
            format!("Display width out of range for column '{column}' (max = 255)"),
        )),
    }
}

/// Digits behind the point, which are at most 30 and no more than there are in all.
fn check_scale(precision: u64, scale: u64, column: &str) -> Result<()> {
    if scale > u64::from(FixedPoint::SCALE_MAX) {
        return Err(Error::new(
            ErrorCode::TooBigScale,
            format!("Too big scale {scale} specified for column '{column}'. Maximum is 30."),
        ));
    }
    if scale > precision {
        return Err(Error::new(
            ErrorCode::MBiggerThanD,
            format!(
                "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '{column}')."
            ),
        ));
    }
    Ok(())
}

/// Refuses digits that no DECIMAL has; the message names the column, or what is cast.
///
/// # Errors
/// 1425, 1426, 1427.
pub fn check_digits(precision: u64, scale: u64, column: &str) -> Result<()> {
    if precision > 65 {
        return Err(Error::new(
            ErrorCode::TooBigPrecision,
            format!("Too-big precision {precision} specified for '{column}'. Maximum is 65."),
        ));
    }
    check_scale(precision, scale, column)
}

fn decimal(cursor: &mut Cursor<'_>, column: &str) -> Result<TypeSpec> {
    let (precision, scale) = match sizes(cursor)? {
        None => (10, 0),
        Some((precision, scale)) => (precision, scale.unwrap_or(0)),
    };
    let signs = signs(cursor);
    let precision = if precision == 0 { 10 } else { precision };
    check_digits(precision, scale, column)?;
    let ty = ColumnType::Decimal { precision: precision as u8, scale: scale as u8 };
    Ok(signs.of(ty, None))
}

fn fsp(cursor: &mut Cursor<'_>, column: &str) -> Result<u8> {
    match sizes(cursor)? {
        None => Ok(0),
        Some((digits, _)) if digits <= 6 => Ok(digits as u8),
        Some((digits, _)) => Err(Error::new(
            ErrorCode::TooBigPrecision,
            format!("Too-big precision {digits} specified for '{column}'. Maximum is 6."),
        )),
    }
}

/// TEXT(n) and BLOB(n) take the smallest size that holds n characters of so many bytes.
fn sized_lob(cursor: &mut Cursor<'_>, bytes_each: u64) -> Result<LobSize> {
    let Some((length, _)) = sizes(cursor)? else {
        return Ok(LobSize::Normal);
    };
    Ok(match length.saturating_mul(bytes_each) {
        0 => LobSize::Normal,
        bytes => LobSize::of_bytes(bytes),
    })
}
