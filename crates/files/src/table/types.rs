//! Which type of MySQL's a column of a file has, and how a column of ours is written.
//!
//! ```text
//! in a file                       here                    written as
//! Int8 .. Int64                   TINYINT .. BIGINT       the same; MEDIUMINT as Int32
//! UInt8 .. UInt64                 the same UNSIGNED       the same; YEAR as UInt16, BIT as UInt64
//! Boolean                         TINYINT(1)              (TINYINT(1) as Int8: it may hold 7)
//! Float16, Float32; Float64       FLOAT; DOUBLE           Float32; Float64
//! Decimal(p, s)                   DECIMAL(p, s)           Decimal128, beyond 38 digits Decimal256
//! Date32, Date64                  DATE                    Date32
//! Timestamp(s .. ns, any zone)    DATETIME(0, 3, 6), UTC  Timestamp(us), TIMESTAMP with zone UTC
//! Time32, Time64, Duration        TIME(0, 3, 6)           Duration(us)
//! text, dictionaries of text      LONGTEXT                Utf8View; ENUM, SET, JSON too
//! binary; of a fixed size         LONGBLOB; BINARY(n)     BinaryView
//! structs, lists, maps            JSON
//! intervals                       LONGTEXT
//! ```
//! What we write bears MySQL's type in the column's metadata, so that it comes back as it was.
//!
//! Invariants
//! 1. A type from metadata is believed only where it is written exactly as the column is.
//!
//! Not here: values (`convert`, `export`).

use std::collections::HashMap;

use arrow::datatypes::{DataType, Field, TimeUnit};
use values::types::{Collation, ColumnType, IntWidth, LobSize};

/// The key of a column's metadata that has MySQL's type, as JSON of `ColumnType`.
const TYPE_KEY: &str = "rowhouse.type";

/// Text of any length.
pub(super) const TEXT: ColumnType =
    ColumnType::Text { size: LobSize::Long, collation: Collation::Utf8Mb4GeneralCi };
/// BOOL.
pub(super) const BOOLEAN: ColumnType =
    ColumnType::Int { width: IntWidth::Tiny, unsigned: false, boolean: true };
/// BIGINT.
pub(super) const BIGINT: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };

/// The type of a column of a file; `None` when there is none that its values would fit.
pub(super) fn type_of(field: &Field) -> Option<ColumnType> {
    let data_type = field.data_type();
    if let Some(text) = field.metadata().get(TYPE_KEY)
        && let Ok(ty) = serde_json::from_str::<ColumnType>(text)
        && ty.is_possible()
        && same_form(&written_as(&ty), data_type)
    {
        return Some(ty);
    }
    type_for(data_type)
}

fn type_for(data_type: &DataType) -> Option<ColumnType> {
    use DataType as D;
    use IntWidth as W;
    let int = |width, unsigned| ColumnType::Int { width, unsigned, boolean: false };
    Some(match data_type {
        D::Boolean => BOOLEAN,
        D::Int8 => int(W::Tiny, false),
        D::Int16 => int(W::Small, false),
        D::Int32 => int(W::Int, false),
        D::Int64 => int(W::Big, false),
        D::UInt8 => int(W::Tiny, true),
        D::UInt16 => int(W::Small, true),
        D::UInt32 => int(W::Int, true),
        D::UInt64 => int(W::Big, true),
        D::Float16 | D::Float32 => ColumnType::Float(None),
        D::Float64 => ColumnType::Double(None),
        D::Decimal32(precision, scale)
        | D::Decimal64(precision, scale)
        | D::Decimal128(precision, scale)
        | D::Decimal256(precision, scale) => decimal(*precision, *scale)?,
        D::Date32 | D::Date64 => ColumnType::Date,
        D::Timestamp(unit, _) => ColumnType::DateTime { fsp: fsp_of(*unit) },
        D::Time32(unit) | D::Time64(unit) | D::Duration(unit) => {
            ColumnType::Time { fsp: fsp_of(*unit) }
        }
        D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Null | D::Interval(_) => TEXT,
        D::Binary | D::LargeBinary | D::BinaryView => ColumnType::Blob { size: LobSize::Long },
        D::FixedSizeBinary(bytes) => match u32::try_from(*bytes).ok()? {
            bytes @ 1..=255 => ColumnType::Binary { bytes },
            _ => ColumnType::Blob { size: LobSize::Long },
        },
        D::Dictionary(_, values) => type_for(values)?,
        D::Struct(_)
        | D::List(_)
        | D::LargeList(_)
        | D::ListView(_)
        | D::LargeListView(_)
        | D::FixedSizeList(..)
        | D::Map(..) => ColumnType::Json,
        D::Union(..) | D::RunEndEncoded(..) => return None,
    })
}

/// A scale below zero means zeros before the point, which are digits here.
fn decimal(precision: u8, scale: i8) -> Option<ColumnType> {
    let (precision, scale) = match u8::try_from(scale) {
        Ok(scale) => (precision.max(scale), scale),
        Err(_) => (precision.checked_add(scale.unsigned_abs())?, 0),
    };
    let ty = ColumnType::Decimal { precision, scale };
    ty.is_possible().then_some(ty)
}

fn fsp_of(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond | TimeUnit::Nanosecond => 6,
    }
}

/// How a column of ours is written.
pub(super) fn written_as(ty: &ColumnType) -> DataType {
    use DataType as D;
    use IntWidth as W;
    match ty {
        ColumnType::Int { width, unsigned, .. } => match (width, unsigned) {
            (W::Tiny, false) => D::Int8,
            (W::Small, false) => D::Int16,
            (W::Medium | W::Int, false) => D::Int32,
            (W::Big, false) => D::Int64,
            (W::Tiny, true) => D::UInt8,
            (W::Small, true) => D::UInt16,
            (W::Medium | W::Int, true) => D::UInt32,
            (W::Big, true) => D::UInt64,
        },
        ColumnType::Float(_) => D::Float32,
        ColumnType::Double(_) => D::Float64,
        ColumnType::Decimal { .. } => columnar::arrow::arrow_type(ty),
        ColumnType::Date => D::Date32,
        ColumnType::DateTime { .. } => D::Timestamp(TimeUnit::Microsecond, None),
        ColumnType::Timestamp { .. } => D::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ColumnType::Time { .. } => D::Duration(TimeUnit::Microsecond),
        ColumnType::Year => D::UInt16,
        ColumnType::Bit { .. } => D::UInt64,
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Enum { .. }
        | ColumnType::Set { .. }
        | ColumnType::Json => D::Utf8View,
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            D::BinaryView
        }
    }
}

/// The field of a column of ours.
pub(super) fn field_of(name: &str, ty: &ColumnType) -> Field {
    let field = Field::new(name, written_as(ty), true);
    match serde_json::to_string(ty) {
        Ok(text) => field.with_metadata(HashMap::from([(TYPE_KEY.to_owned(), text)])),
        Err(_) => field,
    }
}

/// Whether two types are the same but for how texts lie in memory.
fn same_form(a: &DataType, b: &DataType) -> bool {
    let plain = |ty: &DataType| match ty {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        other => other.clone(),
    };
    plain(a) == plain(b)
}

/// The type under which a column is read: texts as views, which need no copy to become ours, and
/// dictionaries as what they stand for.
pub(super) fn read_as(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, values) => read_as(values),
        other => other.clone(),
    }
}
