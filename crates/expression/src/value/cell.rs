//! A value in flight: borrowed where possible, with bytes of its own where a function made them.

use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::{write_f32_in_text, write_f64_in_text, write_text, write_untyped};
use values::types::ColumnType;

use crate::statement::limits::Room;

/// A value.
#[derive(Debug)]
pub enum Cell<'a> {
    /// Borrowed from a row, a literal or a plan.
    Plain(Datum<'a>),
    /// A TEXT or BLOB of a row: what it begins with is its number, and nobody is told of the rest
    /// (MySQL 9.7: tests/oracle/sql/long-texts-as-numbers.sql).
    Long(&'a [u8]),
    /// Text or bytes that were just made.
    Owned(Vec<u8>),
    /// The same with the memory that was taken for it.
    Counted(Vec<u8>, Room),
}

/// NULL.
pub const NULL: Cell<'static> = Cell::Plain(Datum::Null);

impl<'a> Cell<'a> {
    /// The value.
    #[inline]
    pub fn datum(&self) -> Datum<'_> {
        match self {
            Cell::Plain(datum) => *datum,
            Cell::Long(bytes) => Datum::Bytes(bytes),
            Cell::Owned(bytes) | Cell::Counted(bytes, _) => Datum::Bytes(bytes),
        }
    }

    /// A text whose number has to be all of it.
    #[inline]
    pub fn short_text(&self) -> Option<&[u8]> {
        match self {
            Cell::Plain(Datum::Bytes(bytes)) => Some(bytes),
            Cell::Owned(bytes) | Cell::Counted(bytes, _) => Some(bytes),
            Cell::Plain(_) | Cell::Long(_) => None,
        }
    }

    /// Whether it is NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Cell::Plain(Datum::Null))
    }

    /// 1 or 0.
    #[inline]
    pub fn truth(value: bool) -> Cell<'a> {
        Cell::Plain(Datum::Int(i64::from(value)))
    }

    /// 1, 0 or NULL.
    #[inline]
    pub fn maybe(value: Option<bool>) -> Cell<'a> {
        value.map_or(NULL, Cell::truth)
    }

    /// Bytes of its own that no memory was taken for.
    #[inline]
    pub fn uncounted_bytes(&self) -> usize {
        match self {
            Cell::Owned(bytes) => bytes.len(),
            Cell::Counted(bytes, room) if room.is_none() => bytes.len(),
            _ => 0,
        }
    }

    /// With bytes of its own.
    #[inline]
    pub fn into_value(self) -> Value {
        match self {
            Cell::Plain(datum) => datum.to_value(),
            Cell::Long(bytes) => Value::Bytes(bytes.to_vec()),
            Cell::Owned(bytes) | Cell::Counted(bytes, _) => Value::Bytes(bytes),
        }
    }

    /// An owned value as a cell.
    #[inline]
    pub fn of(value: Value) -> Cell<'a> {
        match value {
            Value::Bytes(bytes) => Cell::Owned(bytes),
            Value::Null => NULL,
            Value::Int(v) => Cell::Plain(Datum::Int(v)),
            Value::UInt(v) => Cell::Plain(Datum::UInt(v)),
            Value::Float(v) => Cell::Plain(Datum::Float(v)),
            Value::Double(v) => Cell::Plain(Datum::Double(v)),
            Value::Decimal(v) => Cell::Plain(Datum::Decimal(v)),
            Value::Date(v) => Cell::Plain(Datum::Date(v)),
            Value::Time(v) => Cell::Plain(Datum::Time(v)),
            Value::DateTime(v) => Cell::Plain(Datum::DateTime(v)),
            Value::Timestamp(v) => Cell::Plain(Datum::Timestamp(v)),
            Value::Year(v) => Cell::Plain(Datum::Year(v)),
            Value::Enum(v) => Cell::Plain(Datum::Enum(v)),
            Value::Set(v) => Cell::Plain(Datum::Set(v)),
        }
    }
}

/// The text of a value of a node of type `ty`; NULL gives nothing.
pub fn text_of(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    match (datum, ty) {
        // A quotient carries more digits than it shows, and 1 where it stands for 1.00 fewer.
        (Datum::Decimal(value), ColumnType::Decimal { scale, .. }) if value.scale() != *scale => {
            let shown = value.rescale(*scale).unwrap_or(value);
            write_untyped(Datum::Decimal(shown), zone, out);
        }
        (Datum::Enum(_), ColumnType::Enum { .. })
        | (Datum::Set(_), ColumnType::Set { .. })
        | (Datum::UInt(_), ColumnType::Bit { .. })
        | (
            Datum::Float(_) | Datum::Double(_),
            ColumnType::Float(Some(_)) | ColumnType::Double(Some(_)),
        )
        | (Datum::Time(_), ColumnType::Time { .. })
        | (Datum::DateTime(_), ColumnType::DateTime { .. })
        | (Datum::Timestamp(_), ColumnType::Timestamp { .. }) => write_text(ty, datum, zone, out),
        (Datum::Double(value), _) => write_f64_in_text(value, out),
        (Datum::Float(value), _) => write_f32_in_text(value, out),
        _ => write_untyped(datum, zone, out),
    }
}

/// The text of a value, borrowed if it is one.
pub fn bytes_of<'b>(
    ty: &ColumnType,
    datum: Datum<'b>,
    zone: Zone,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    match datum {
        Datum::Bytes(bytes) => bytes,
        other => {
            text_of(ty, other, zone, buffer);
            buffer
        }
    }
}
