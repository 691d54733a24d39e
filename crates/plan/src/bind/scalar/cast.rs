//! The types that CAST names.

use expression::{BIGINT, BIGINT_UNSIGNED, RESULT_CHARS_MAX};
use sqlparser::ast::{CharacterLength, DataType, ExactNumberInfo, TimezoneInfo};
use syntax::types::check_digits;
use values::ErrorCode;
use values::types::{Collation, ColumnType};

use super::call::too_many_digits;
use results::{Result, SqlError};

/// Characters of CHAR without a length.
pub const CHARS_UNSAID: u32 = RESULT_CHARS_MAX;

/// The type that a CAST names.
///
/// # Errors
/// Those of `check_digits`, 1426 for a moment or FLOAT with too many digits, 1439 for too long a
/// text, 1235 for a type that CAST does not have here.
pub fn cast_type(ty: &DataType) -> Result<ColumnType> {
    let fsp = |digits: Option<u64>| match digits.unwrap_or(0) {
        digits @ ..=6 => Ok(digits as u8),
        digits => Err(too_many_digits(digits, "CAST")),
    };
    let chars = |length: &Option<CharacterLength>| match length {
        Some(CharacterLength::IntegerLength { length, .. }) => length_of(*length),
        _ => Ok(CHARS_UNSAID),
    };
    let text = |chars| ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi };
    Ok(match ty {
        DataType::Signed
        | DataType::SignedInteger
        | DataType::Integer(_)
        | DataType::Int(_)
        | DataType::BigInt(_) => BIGINT,
        DataType::Unsigned
        | DataType::UnsignedInteger
        | DataType::IntUnsigned(_)
        | DataType::BigIntUnsigned(_) => BIGINT_UNSIGNED,
        DataType::Char(length) | DataType::Character(length) | DataType::Varchar(length) => {
            text(chars(length)?)
        }
        DataType::Nvarchar(length) => text(chars(length)?),
        DataType::Binary(length) => match length {
            Some(bytes) => ColumnType::Binary { bytes: length_of(*bytes)? },
            None => ColumnType::VarBinary { bytes: u32::MAX },
        },
        DataType::Varbinary(_) | DataType::Bytea => ColumnType::VarBinary { bytes: u32::MAX },
        DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => {
            let (precision, scale) = match info {
                ExactNumberInfo::None => (10, 0),
                ExactNumberInfo::Precision(precision) => (*precision, 0),
                ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale as u64),
            };
            check_digits(precision, scale, "CAST")?;
            ColumnType::Decimal { precision: precision as u8, scale: scale as u8 }
        }
        DataType::Double(_) | DataType::DoublePrecision | DataType::Real => {
            ColumnType::Double(None)
        }
        DataType::Float(ExactNumberInfo::Precision(digits @ 54..)) => {
            let message =
                format!("Too-big precision {digits} specified for 'CAST'. Maximum is 53.");
            return Err(SqlError::new(ErrorCode::TooBigPrecision, message));
        }
        DataType::Float(_) => ColumnType::Float(None),
        DataType::Date => ColumnType::Date,
        DataType::Datetime(digits) => ColumnType::DateTime { fsp: fsp(*digits)? },
        DataType::Timestamp(digits, TimezoneInfo::None) => {
            ColumnType::DateTime { fsp: fsp(*digits)? }
        }
        DataType::Time(digits, TimezoneInfo::None) => ColumnType::Time { fsp: fsp(*digits)? },
        DataType::JSON => ColumnType::Json,
        DataType::Custom(name, _) if name.to_string().eq_ignore_ascii_case("YEAR") => {
            ColumnType::Year
        }
        other => return Err(SqlError::unsupported(format_args!("CAST AS {other}"))),
    })
}

/// A length of CHAR or BINARY.
fn length_of(length: u64) -> Result<u32> {
    u32::try_from(length).map_err(|_| {
        let message = "Display width out of range for column 'cast as char' (max = 4294967295)";
        SqlError::new(ErrorCode::TooBigDisplaywidth, message)
    })
}

/// Most characters or bytes of an element of an array.
const ELEMENT_LENGTH_MAX: u32 = 512;

/// The type of the elements of a CAST AS an ARRAY.
///
/// # Errors
/// 1235 for a type that arrays do not have; those of `cast_type`.
pub fn element_type(ty: &DataType) -> Result<ColumnType> {
    let unsupported =
        |what: &str| Err(SqlError::unsupported(format_args!("CAST-ing data to array of {what}")));
    match ty {
        DataType::Float(_) => return unsupported("FLOAT"),
        DataType::Double(_) | DataType::DoublePrecision | DataType::Real => {
            return unsupported("DOUBLE");
        }
        DataType::JSON => return unsupported("JSON"),
        DataType::Nvarchar(_) => {
            return Err(SqlError::unsupported("specifying charset for multi-valued index"));
        }
        _ => {}
    }
    match cast_type(ty)? {
        ColumnType::VarChar { chars: chars @ ..=ELEMENT_LENGTH_MAX, .. } => {
            Ok(ColumnType::VarChar { chars, collation: Collation::Utf8Mb40900Bin })
        }
        ColumnType::Binary { bytes: bytes @ ..=ELEMENT_LENGTH_MAX } => {
            Ok(ColumnType::VarBinary { bytes })
        }
        ColumnType::VarChar { .. } | ColumnType::Binary { .. } | ColumnType::VarBinary { .. } => {
            unsupported("char/binary BLOBs")
        }
        ty => Ok(ty),
    }
}
