//! Writing rows.
//!
//! Not here: whether NULL is allowed and values are in range, which was settled before.

use crate::datum::Datum;
use crate::types::IntWidth;

use super::layout::{FORM, HEADER_BYTES, Kind, Place, RowLayout, WIDE_ENDS, bitmap_bytes};

impl RowLayout {
    /// Bytes of texts that a row has in its slots.
    pub fn variable_bytes(&self, row: &[Datum<'_>]) -> usize {
        let bytes_of = |column: &usize| match row[*column] {
            Datum::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        self.slots.iter().flatten().map(bytes_of).sum()
    }

    /// Appends a row; `row` has every column in column order, each in its domain.
    ///
    /// # Panics
    /// When a datum is not of its column's domain (`convert` makes such), or the row has another
    /// number of columns or more than 4 GiB: a row that would not be read again must not be
    /// written.
    pub fn encode(&self, row: &[Datum<'_>], version: u64, out: &mut Vec<u8>) {
        assert_eq!(row.len(), self.columns.len(), "a row has every column of its table");
        let slots = self.slots.len();
        let variable = self.variable_bytes(row);
        assert!(u32::try_from(variable).is_ok(), "a row is smaller than 4 GiB");
        let wide = variable > usize::from(u16::MAX);

        let start = out.len();
        let fixed = start + HEADER_BYTES + bitmap_bytes(slots);
        let ends = fixed + self.fixed_bytes[slots] as usize;
        let variables = usize::from(self.variables[slots]);
        let data = ends + variables * if wide { 4 } else { 2 };
        out.reserve(data - start + variable);
        out.extend_from_slice(&[FORM, if wide { WIDE_ENDS } else { 0 }]);
        out.extend_from_slice(&(slots as u16).to_le_bytes());
        out.extend_from_slice(&version.to_le_bytes());
        out.resize(data, 0);

        for (slot, column) in self.slots.iter().enumerate() {
            let place = column.map(|column| (self.columns[column], row[column]));
            match place {
                Some((place, datum)) if !datum.is_null() => match (place.kind, datum) {
                    (Kind::Bytes, Datum::Bytes(bytes)) => out.extend_from_slice(bytes),
                    _ => write_fixed(place, datum, &mut out[fixed + place.at as usize..ends]),
                },
                _ => out[start + HEADER_BYTES + slot / 8] |= 1 << (slot % 8),
            }
            if self.variables[slot + 1] > self.variables[slot] {
                let end = (out.len() - data) as u32;
                let at = usize::from(self.variables[slot]);
                if wide {
                    out[ends + at * 4..][..4].copy_from_slice(&end.to_le_bytes());
                } else {
                    out[ends + at * 2..][..2].copy_from_slice(&(end as u16).to_le_bytes());
                }
            }
        }
    }
}

fn put<const N: usize>(bytes: [u8; N], count: usize, to: &mut [u8]) {
    to[..count].copy_from_slice(&bytes[..count]);
}

/// As `put`, for what most columns are: without a call for a number of bytes that is not known.
#[inline]
fn put_integer(value: u64, width: IntWidth, to: &mut [u8]) {
    let bytes = value.to_le_bytes();
    match width {
        IntWidth::Tiny => to[0] = bytes[0],
        IntWidth::Small => to[..2].copy_from_slice(&bytes[..2]),
        IntWidth::Medium => to[..3].copy_from_slice(&bytes[..3]),
        IntWidth::Int => to[..4].copy_from_slice(&bytes[..4]),
        IntWidth::Big => to[..8].copy_from_slice(&bytes),
    }
}

/// Writes a value of fixed width to the beginning of `to`.
fn write_fixed(place: Place, datum: Datum<'_>, to: &mut [u8]) {
    match (place.kind, datum) {
        (Kind::Signed(width), Datum::Int(value)) => put_integer(value as u64, width, to),
        (Kind::Unsigned(width), Datum::UInt(value)) => put_integer(value, width, to),
        (Kind::Float, Datum::Float(value)) => put(value.to_le_bytes(), 4, to),
        (Kind::Double, Datum::Double(value)) => put(value.to_le_bytes(), 8, to),
        (Kind::Decimal { bytes, scale }, Datum::Decimal(value)) => {
            // A value of the domain has no more digits, but perhaps fewer behind the point.
            let value = value.rescale(scale).expect("a DECIMAL of its column's domain");
            put(value.unscaled().to_le_bytes(), usize::from(bytes), to);
        }
        (Kind::Date, Datum::Date(value)) => put(value.packed().to_le_bytes(), 3, to),
        (Kind::Seconds, Datum::Time(value)) => {
            put(value.micros().div_euclid(1_000_000).to_le_bytes(), 3, to);
        }
        (Kind::Time, Datum::Time(value)) => put(value.micros().to_le_bytes(), 6, to),
        (Kind::DateTimeSeconds, Datum::DateTime(value)) => {
            put((value.packed() >> 20).to_le_bytes(), 5, to);
        }
        (Kind::DateTime, Datum::DateTime(value)) => put(value.packed().to_le_bytes(), 8, to),
        (Kind::TimestampSeconds, Datum::Timestamp(value)) => {
            put((value.micros() / 1_000_000).to_le_bytes(), 5, to);
        }
        (Kind::Timestamp, Datum::Timestamp(value)) => put(value.micros().to_le_bytes(), 8, to),
        (Kind::Year, Datum::Year(value)) | (Kind::Enum, Datum::Enum(value)) => {
            put(value.to_le_bytes(), 2, to);
        }
        (Kind::Set(bytes), Datum::Set(value)) | (Kind::Bit(bytes), Datum::UInt(value)) => {
            put(value.to_le_bytes(), usize::from(bytes), to);
        }
        (Kind::Raw(length), Datum::Bytes(bytes)) if bytes.len() <= length as usize => {
            to[..bytes.len()].copy_from_slice(bytes);
        }
        (kind, datum) => panic!("a slot of {kind:?} cannot hold {datum:?}"),
    }
}
