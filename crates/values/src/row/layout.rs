//! Where a table's columns are in its rows.
//!
//! Not here: the bytes (`encode`, `read`).

use crate::convert::from_text;
use crate::datum::{Datum, Value};
use crate::temporal::Zone;
use crate::types::{ColumnType, IntWidth};

/// Bytes before the null bitmap.
pub(super) const HEADER_BYTES: usize = 12;
/// The first byte of every row.
pub(super) const FORM: u8 = 1;
/// Flag: ends have four bytes.
pub(super) const WIDE_ENDS: u8 = 1;

/// How a slot's bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed(IntWidth),
    Unsigned(IntWidth),
    Float,
    Double,
    Decimal {
        bytes: u8,
        scale: u8,
    },
    Date,
    Seconds,
    Time,
    DateTimeSeconds,
    DateTime,
    TimestampSeconds,
    Timestamp,
    Year,
    Enum,
    /// SET, in so many bytes.
    Set(u8),
    /// BIT, in so many bytes.
    Bit(u8),
    /// BINARY(n).
    Raw(u32),
    /// In the variable part.
    Bytes,
}

impl Kind {
    fn of(ty: &ColumnType) -> Kind {
        match ty {
            ColumnType::Int { width, unsigned: false, .. } => Kind::Signed(*width),
            ColumnType::Int { width, .. } => Kind::Unsigned(*width),
            ColumnType::Float(_) => Kind::Float,
            ColumnType::Double(_) => Kind::Double,
            ColumnType::Decimal { scale, .. } => {
                Kind::Decimal { bytes: ty.fixed_bytes().unwrap_or(0) as u8, scale: *scale }
            }
            ColumnType::Date => Kind::Date,
            ColumnType::Time { fsp: 0 } => Kind::Seconds,
            ColumnType::Time { .. } => Kind::Time,
            ColumnType::DateTime { fsp: 0 } => Kind::DateTimeSeconds,
            ColumnType::DateTime { .. } => Kind::DateTime,
            ColumnType::Timestamp { fsp: 0 } => Kind::TimestampSeconds,
            ColumnType::Timestamp { .. } => Kind::Timestamp,
            ColumnType::Year => Kind::Year,
            ColumnType::Enum { .. } => Kind::Enum,
            ColumnType::Set { .. } => Kind::Set(ty.bits_bytes() as u8),
            ColumnType::Bit { .. } => Kind::Bit(ty.bits_bytes() as u8),
            ColumnType::Binary { bytes } => Kind::Raw(*bytes),
            ColumnType::Char { .. }
            | ColumnType::VarChar { .. }
            | ColumnType::Text { .. }
            | ColumnType::VarBinary { .. }
            | ColumnType::Blob { .. }
            | ColumnType::Json => Kind::Bytes,
        }
    }
}

/// Where a slot is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) slot: u16,
    /// Offset within the fixed part, or number among the variable slots.
    pub(super) at: u32,
}

/// What a layout must know of a column.
#[derive(Clone, Copy, Debug)]
pub struct RowColumn<'c> {
    /// Its slot.
    pub slot: u16,
    /// Its type.
    pub ty: &'c ColumnType,
    /// What it holds in rows older than itself, as text; `None` is NULL.
    pub absent: Option<&'c [u8]>,
}

/// Where the columns of a table's rows are.
#[derive(Clone, Debug)]
pub struct RowLayout {
    /// By column position.
    pub(super) columns: Vec<Place>,
    /// What a column holds in rows older than itself; by column position.
    pub(super) absent: Vec<Value>,
    /// The column of each slot, `None` if it was dropped.
    pub(super) slots: Vec<Option<usize>>,
    /// Bytes of the fixed part of rows with so many slots.
    pub(super) fixed_bytes: Vec<u32>,
    /// Variable slots of rows with so many slots.
    pub(super) variables: Vec<u16>,
}

impl RowLayout {
    /// The layout of rows with these slots, of a table with these columns.
    ///
    /// # Panics
    /// When a column's slot is not among the slots.
    pub fn new<'c>(
        slots: &[ColumnType],
        columns: impl Iterator<Item = RowColumn<'c>>,
    ) -> RowLayout {
        let Slots { places, fixed_bytes, variables } = Slots::of(slots.iter());
        let mut slots = vec![None; places.len()];
        let (mut of_columns, mut absent) = (Vec::new(), Vec::new());
        for (position, column) in columns.enumerate() {
            let slot = usize::from(column.slot);
            slots[slot] = Some(position);
            of_columns.push(places[slot]);
            absent.push(
                column
                    .absent
                    .map_or(Value::Null, |text| from_text(column.ty, text, Zone::UTC).value),
            );
        }
        RowLayout { columns: of_columns, absent, slots, fixed_bytes, variables }
    }

    /// The layout of rows of which some columns alone are kept, by their positions, ascending. Such
    /// a row is written of all columns, and only those that it has may be read. It is of no use
    /// to another version of the table.
    ///
    /// # Panics
    /// When there is no such position.
    pub fn of_some(types: &[&ColumnType], kept: &[usize]) -> RowLayout {
        let Slots { places, fixed_bytes, variables } = Slots::of(kept.iter().map(|at| types[*at]));
        let nowhere = Place { kind: Kind::Bytes, slot: u16::MAX, at: 0 };
        let mut columns = vec![nowhere; types.len()];
        for (at, place) in kept.iter().zip(places) {
            columns[*at] = place;
        }
        let absent = vec![Value::Null; columns.len()];
        let slots = kept.iter().copied().map(Some).collect();
        RowLayout { columns, absent, slots, fixed_bytes, variables }
    }

    /// What a column holds in rows that were stored before there was such a column.
    ///
    /// # Panics
    /// When the table has no such position.
    pub fn absent(&self, position: usize) -> Datum<'_> {
        self.absent[position].as_datum()
    }

    /// Columns that a row of this layout has.
    pub fn column_count(&self) -> usize {
        self.columns.len()
    }
}

/// Slots of some types one behind the other.
struct Slots {
    places: Vec<Place>,
    fixed_bytes: Vec<u32>,
    variables: Vec<u16>,
}

impl Slots {
    fn of<'t>(types: impl Iterator<Item = &'t ColumnType>) -> Slots {
        let mut places = Vec::new();
        let (mut fixed_bytes, mut variables) = (vec![0], vec![0]);
        let (mut fixed, mut variable) = (0u32, 0u16);
        for (slot, ty) in types.enumerate() {
            let kind = Kind::of(ty);
            let at = if kind == Kind::Bytes { u32::from(variable) } else { fixed };
            places.push(Place { kind, slot: slot as u16, at });
            match ty.fixed_bytes() {
                Some(bytes) => fixed += bytes as u32,
                None => variable += 1,
            }
            fixed_bytes.push(fixed);
            variables.push(variable);
        }
        Slots { places, fixed_bytes, variables }
    }
}

/// Bytes of the null bitmap of rows with so many slots.
pub(super) fn bitmap_bytes(slots: usize) -> usize {
    slots.div_ceil(8)
}
