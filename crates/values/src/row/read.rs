//! Reading rows in place, from bytes that may be damaged.
//!
//! Not here: what is in a column that the row does not have yet (`RowLayout::new`).

use crate::datum::Datum;
use crate::decimal::Decimal;
use crate::ordinal::{of_signed, ordinal_of};
use crate::temporal::{Date, DateTime, Time, Timestamp};
use crate::types::IntWidth;
use ethnum::I256;

use super::layout::{FORM, HEADER_BYTES, Kind, Place, RowLayout, WIDE_ENDS, bitmap_bytes};

/// A stored row, read in place.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    layout: &'a RowLayout,
    bytes: &'a [u8],
    /// Where the fixed part begins.
    fixed: u32,
    /// Where the ends begin.
    ends: u32,
    /// Where the variable part begins.
    data: u32,
    /// Slots of this row.
    slots: u16,
    wide: bool,
}

/// Why bytes are not read as a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// They are no row, or a column's are no value of its type.
    #[error("{why}")]
    Damaged {
        /// What does not hold.
        why: &'static str,
    },
    /// The row has more slots than the layout: a later definition of its table wrote it.
    #[error("a row is of a later definition of its table")]
    Later,
}

#[cold]
fn corrupt(why: &'static str) -> RowError {
    RowError::Damaged { why }
}

impl<'a> RowRef<'a> {
    /// Checks the header and that all parts are there.
    ///
    /// # Errors
    /// `Damaged`; `Later` for a row with more slots than the layout has.
    #[inline]
    pub fn new(layout: &'a RowLayout, bytes: &'a [u8]) -> Result<RowRef<'a>, RowError> {
        let Some((&[form, flags, low, high, ..], _)) = bytes.split_first_chunk::<HEADER_BYTES>()
        else {
            return Err(corrupt("a row is shorter than its header"));
        };
        if form != FORM || flags & !WIDE_ENDS != 0 {
            return Err(corrupt("a row is of an unknown form"));
        }
        let slots = u16::from_le_bytes([low, high]);
        let count = usize::from(slots);
        let Some(&fixed_bytes) = layout.fixed_bytes.get(count) else {
            return Err(RowError::Later);
        };
        let wide = flags & WIDE_ENDS != 0;
        let variables = usize::from(layout.variables[count]);
        let fixed = HEADER_BYTES + bitmap_bytes(count);
        let ends = fixed + fixed_bytes as usize;
        let data = ends + variables * if wide { 4 } else { 2 };
        let (fixed, ends, data) = (fixed as u32, ends as u32, data as u32);
        let row = RowRef { layout, bytes, fixed, ends, data, slots, wide };
        let variable = match variables {
            0 => 0,
            _ if bytes.len() < data as usize => return Err(corrupt("a row ends too early")),
            _ => row.end(variables - 1),
        };
        if bytes.len() != data as usize + variable {
            return Err(corrupt("a row is not as long as its parts"));
        }
        Ok(row)
    }

    /// Where the bytes of a variable slot end, from the variable part's start. `new` has checked
    /// that the ends are there.
    #[inline]
    fn end(&self, variable: usize) -> usize {
        if self.wide {
            let at = self.ends as usize + variable * 4;
            u32::from_le_bytes([0, 1, 2, 3].map(|i| self.bytes[at + i])) as usize
        } else {
            let at = self.ends as usize + variable * 2;
            usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
        }
    }

    /// One column, by its position in the table.
    ///
    /// # Errors
    /// `Damaged` when the column's bytes are no value of its type.
    ///
    /// # Panics
    /// When the table has no such position.
    #[inline]
    pub fn column(&self, position: usize) -> Result<Datum<'a>, RowError> {
        let place = self.layout.columns[position];
        if place.slot >= self.slots {
            return Ok(self.layout.absent[position].as_datum());
        }
        if self.is_null_slot(place.slot) {
            return Ok(Datum::Null);
        }
        if place.kind == Kind::Bytes {
            let at = place.at as usize;
            let start = if at == 0 { 0 } else { self.end(at - 1) };
            let variable = &self.bytes[self.data as usize..];
            let bytes = variable.get(start..self.end(at));
            return bytes.map(Datum::Bytes).ok_or_else(|| corrupt("ends of a row do not ascend"));
        }
        self.fixed(place)
    }

    /// The bits of an integer column, extended to 64 by its sign; `None` for NULL.
    ///
    /// # Errors
    /// As `column`; `Damaged` for a column of another type.
    ///
    /// # Panics
    /// When the table has no such position.
    #[inline]
    pub fn integer(&self, position: usize) -> Result<Option<u64>, RowError> {
        let place = self.layout.columns[position];
        if place.slot < self.slots && !self.is_null_slot(place.slot) {
            let from = &self.bytes[(self.fixed + place.at) as usize..];
            match place.kind {
                Kind::Signed(width) => return Ok(Some(signed(from, width) as u64)),
                Kind::Unsigned(width) => return Ok(Some(unsigned(from, width))),
                _ => {}
            }
        }
        match self.column(position)? {
            Datum::Null => Ok(None),
            Datum::Int(value) => Ok(Some(value as u64)),
            Datum::UInt(value) => Ok(Some(value)),
            _ => Err(corrupt("a column is no integer")),
        }
    }

    /// The ordinal of a column; `None` for NULL.
    ///
    /// # Errors
    /// `Damaged` for a column whose type has none. Bits that are no value of the type are found
    /// out when the value is made of them (`ordinal::value_of`).
    ///
    /// # Panics
    /// When the table has no such position.
    #[inline]
    pub fn ordinal(&self, position: usize) -> Result<Option<u64>, RowError> {
        let place = self.layout.columns[position];
        if place.slot >= self.slots {
            return self.absent_ordinal(position);
        }
        if self.is_null_slot(place.slot) {
            return Ok(None);
        }
        let from = &self.bytes[(self.fixed + place.at) as usize..];
        Ok(Some(match place.kind {
            Kind::Signed(width) => of_signed(signed(from, width)),
            Kind::Unsigned(width) => unsigned(from, width),
            Kind::Date => low(from, 3),
            Kind::DateTimeSeconds => low(from, 5) << 20,
            Kind::DateTime | Kind::Timestamp => low(from, 8),
            Kind::TimestampSeconds => low(from, 5).wrapping_mul(1_000_000),
            Kind::Seconds => of_signed(low_signed(from, 3).wrapping_mul(1_000_000)),
            Kind::Time => of_signed(low_signed(from, 6)),
            Kind::Year => u64::from(u16::from_le_bytes(take(from))),
            _ => return Err(corrupt("a column has no ordinals")),
        }))
    }

    #[cold]
    fn absent_ordinal(&self, position: usize) -> Result<Option<u64>, RowError> {
        match self.layout.absent[position].as_datum() {
            Datum::Null => Ok(None),
            datum => match ordinal_of(&datum) {
                Some(ordinal) => Ok(Some(ordinal)),
                None => Err(corrupt("a column has no ordinals")),
            },
        }
    }

    /// Whether a column is NULL.
    ///
    /// # Panics
    /// When the table has no such position.
    #[inline]
    pub fn is_null(&self, position: usize) -> bool {
        let place = self.layout.columns[position];
        if place.slot >= self.slots {
            return self.layout.absent[position].is_null();
        }
        self.is_null_slot(place.slot)
    }

    #[inline]
    fn is_null_slot(&self, slot: u16) -> bool {
        let slot = usize::from(slot);
        self.bytes[HEADER_BYTES + slot / 8] >> (slot % 8) & 1 == 1
    }

    /// A value of the fixed part; `new` has checked that it is there.
    #[inline]
    fn fixed(&self, place: Place) -> Result<Datum<'a>, RowError> {
        let from = &self.bytes[(self.fixed + place.at) as usize..];
        Ok(match place.kind {
            Kind::Signed(width) => Datum::Int(signed(from, width)),
            Kind::Unsigned(width) => Datum::UInt(unsigned(from, width)),
            Kind::Float => Datum::Float(f32::from_le_bytes(take(from))),
            Kind::Double => Datum::Double(f64::from_le_bytes(take(from))),
            Kind::Year => Datum::Year(u16::from_le_bytes(take(from))),
            Kind::Enum => Datum::Enum(u16::from_le_bytes(take(from))),
            Kind::Set(bytes) => Datum::Set(low(from, usize::from(bytes))),
            Kind::Bit(bytes) => Datum::UInt(low(from, usize::from(bytes))),
            Kind::Raw(length) => Datum::Bytes(&from[..length as usize]),
            _ => return checked(place, from).ok_or_else(|| corrupt("a column is no value")),
        })
    }

    /// The row's version.
    #[inline]
    pub fn version(&self) -> u64 {
        u64::from_le_bytes(take(&self.bytes[4..]))
    }

    /// All columns, in column order.
    ///
    /// # Errors
    /// As `column`.
    pub fn values(&self) -> Result<Vec<Datum<'a>>, RowError> {
        (0..self.layout.columns.len()).map(|position| self.column(position)).collect()
    }

    /// The stored bytes.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The layout by which it is read.
    #[inline]
    pub fn layout(&self) -> &'a RowLayout {
        self.layout
    }
}

#[inline]
fn take<const N: usize>(from: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&from[..N]);
    bytes
}

#[inline]
fn signed(from: &[u8], width: IntWidth) -> i64 {
    match width {
        IntWidth::Tiny => i64::from(from[0] as i8),
        IntWidth::Small => i64::from(i16::from_le_bytes(take(from))),
        IntWidth::Medium => low_signed(from, 3),
        IntWidth::Int => i64::from(i32::from_le_bytes(take(from))),
        IntWidth::Big => i64::from_le_bytes(take(from)),
    }
}

#[inline]
fn unsigned(from: &[u8], width: IntWidth) -> u64 {
    match width {
        IntWidth::Tiny => u64::from(from[0]),
        IntWidth::Small => u64::from(u16::from_le_bytes(take(from))),
        IntWidth::Medium => low(from, 3),
        IntWidth::Int => u64::from(u32::from_le_bytes(take(from))),
        IntWidth::Big => u64::from_le_bytes(take(from)),
    }
}

/// A number of `count` bytes, up to 8.
fn low(from: &[u8], count: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..count].copy_from_slice(&from[..count]);
    u64::from_le_bytes(bytes)
}

fn low_signed(from: &[u8], count: usize) -> i64 {
    let shift = 64 - 8 * count;
    (low(from, count) << shift) as i64 >> shift
}

/// Values that not all bits are one of.
fn checked<'a>(place: Place, from: &[u8]) -> Option<Datum<'a>> {
    Some(match place.kind {
        Kind::Decimal { bytes, scale } => Datum::Decimal(decimal(&from[..bytes.into()], scale)?),
        Kind::Date => Datum::Date(Date::from_packed(low(from, 3) as u32)?),
        Kind::Seconds => Datum::Time(Time::from_micros(low_signed(from, 3) * 1_000_000)?),
        Kind::Time => Datum::Time(Time::from_micros(low_signed(from, 6))?),
        Kind::DateTimeSeconds => Datum::DateTime(DateTime::from_packed(low(from, 5) << 20)?),
        Kind::DateTime => Datum::DateTime(DateTime::from_packed(low(from, 8))?),
        Kind::TimestampSeconds => {
            Datum::Timestamp(Timestamp::from_micros(low(from, 5).checked_mul(1_000_000)?))
        }
        Kind::Timestamp => Datum::Timestamp(Timestamp::from_micros(low(from, 8))),
        _ => return None,
    })
}

fn decimal(from: &[u8], scale: u8) -> Option<Decimal> {
    if from.len() <= 8 {
        return Some(Decimal::from_i128(i128::from(low_signed(from, from.len())), scale));
    }
    let negative = from[from.len() - 1] & 0x80 != 0;
    let mut bytes = if negative { [0xFF; 32] } else { [0; 32] };
    bytes[..from.len()].copy_from_slice(from);
    Decimal::new(I256::from_le_bytes(bytes), scale)
}
