//! Reading a column in memory: some rows as an Arrow array, one row as a datum, and which rows
//! satisfy a condition.
//!
//! Not here: which rows are wanted (`crate::scan`).

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, Decimal256Array, Float32Array, Float64Array, PrimitiveArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, i256};
use arrow_schema::DataType;
use rows::datum::Datum;
use rows::error::{Error, Result};
use rows::temporal::{Date, DateTime, Time, Timestamp};
use rows::types::ColumnType;

use super::{Column, Narrow, Values};
use crate::values::{arrow_type, decimal_from_128, decimal_from_256};

/// Rows of a segment.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    /// One behind the other.
    Range(Range<usize>),
    /// These, in ascending order.
    Rows(Vec<u32>),
}

impl Selection {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Selection::Range(range) => range.len(),
            Selection::Rows(rows) => rows.len(),
        }
    }

    /// The first of them.
    pub fn first(&self) -> Option<u32> {
        match self {
            Selection::Range(range) => range.clone().next().map(|row| row as u32),
            Selection::Rows(rows) => rows.first().copied(),
        }
    }

    fn map<T>(&self, each: impl Fn(usize) -> T) -> Vec<T> {
        match self {
            Selection::Range(range) => range.clone().map(each).collect(),
            Selection::Rows(rows) => rows.iter().map(|row| each(*row as usize)).collect(),
        }
    }

    /// Calls something for each row.
    pub fn try_each(&self, mut each: impl FnMut(usize) -> Result<()>) -> Result<()> {
        match self {
            Selection::Range(range) => range.clone().try_for_each(&mut each),
            Selection::Rows(rows) => rows.iter().try_for_each(|row| each(*row as usize)),
        }
    }

    /// Keeps the rows that a test wants.
    pub fn retain(&mut self, test: impl Fn(usize) -> bool) {
        match self {
            Selection::Rows(rows) => rows.retain(|row| test(*row as usize)),
            Selection::Range(range) => {
                let kept: Vec<u32> =
                    range.clone().filter(|row| test(*row)).map(|row| row as u32).collect();
                if kept.len() < range.len() {
                    *self = Selection::Rows(kept);
                }
            }
        }
    }
}

impl Narrow {
    fn map<T>(&self, selection: &Selection, each: impl Fn(u64) -> T) -> Vec<T> {
        // A loop for each width: so the compiler makes wide instructions of them.
        fn chunks<const N: usize, T>(
            bytes: &[u8],
            range: &Range<usize>,
            each: impl Fn([u8; N]) -> T,
        ) -> Vec<T> {
            let (chunks, _) = bytes[range.start * N..range.end * N].as_chunks::<N>();
            chunks.iter().map(|chunk| each(*chunk)).collect()
        }
        match (self.width, selection) {
            (1, Selection::Range(range)) => {
                chunks::<1, T>(&self.bytes, range, |[byte]| each(u64::from(byte)))
            }
            (2, Selection::Range(range)) => {
                chunks(&self.bytes, range, |bytes| each(u64::from(u16::from_le_bytes(bytes))))
            }
            (4, Selection::Range(range)) => {
                chunks(&self.bytes, range, |bytes| each(u64::from(u32::from_le_bytes(bytes))))
            }
            (8, Selection::Range(range)) => {
                chunks(&self.bytes, range, |bytes| each(u64::from_le_bytes(bytes)))
            }
            _ => selection.map(|row| each(self.get(row))),
        }
    }
}

impl Narrow {
    /// How many numbers there may be, where they are few.
    fn codes(&self) -> Option<usize> {
        match self.width {
            0 => Some(1),
            1 => self.bytes.iter().max().map(|max| usize::from(*max) + 1),
            2 => {
                let (numbers, _) = self.bytes.as_chunks::<2>();
                numbers.iter().map(|bytes| usize::from(u16::from_le_bytes(*bytes)) + 1).max()
            }
            _ => None,
        }
    }

    /// Keeps the rows whose number passes a test.
    fn retain(&self, selection: &mut Selection, test: impl Fn(u64) -> bool) {
        let range = match selection {
            Selection::Rows(rows) => {
                return rows.retain(|row| test(self.get(*row as usize)));
            }
            Selection::Range(range) => range.clone(),
        };
        let first = range.start as u32;
        // Without a branch: each row is written, and kept by moving on.
        let mut rows = vec![0u32; range.len()];
        let mut count = 0;
        let truths: Vec<bool> = self.map(&Selection::Range(range.clone()), test);
        for (at, truth) in (first..).zip(&truths) {
            rows[count] = at;
            count += usize::from(*truth);
        }
        if count < truths.len() {
            rows.truncate(count);
            *selection = Selection::Rows(rows);
        }
    }
}

fn wrong_type() -> Error {
    Error::Corrupt { key: Vec::new(), why: "a column of a segment is of another type" }
}

impl Column {
    /// Rows of the column as the array that carries the type (`crate::values`).
    ///
    /// # Errors
    /// `Corrupt` when the column was stored for another type.
    pub fn array(&self, ty: &ColumnType, selection: &Selection) -> Result<ArrayRef> {
        let nulls = self.nulls(selection);
        Ok(match &self.values {
            Values::Numbers { base, shift, offsets } => {
                let (base, shift) = (*base, *shift);
                let number = move |offset: u64| base.wrapping_add(offset << shift);
                match arrow_type(ty) {
                    DataType::Int64 => {
                        let values = offsets.map(selection, |offset| number(offset) as i64);
                        primitive::<Int64Type>(values, nulls)
                    }
                    DataType::UInt64 => {
                        primitive::<UInt64Type>(offsets.map(selection, number), nulls)
                    }
                    DataType::UInt32 => {
                        let values = offsets.map(selection, |offset| number(offset) as u32);
                        primitive::<UInt32Type>(values, nulls)
                    }
                    DataType::UInt16 => {
                        let values = offsets.map(selection, |offset| number(offset) as u16);
                        primitive::<UInt16Type>(values, nulls)
                    }
                    decimal @ DataType::Decimal128(..) => {
                        let values =
                            offsets.map(selection, |offset| i128::from(number(offset) as i64));
                        let array = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls);
                        Arc::new(array.with_data_type(decimal))
                    }
                    _ => return Err(wrong_type()),
                }
            }
            Values::Fixed { bytes, .. } => match arrow_type(ty) {
                DataType::Float32 => {
                    let values = selection.map(|row| f32::from_le_bytes(fixed(bytes, row)));
                    Arc::new(Float32Array::new(values.into(), nulls))
                }
                DataType::Float64 => {
                    let values = selection.map(|row| f64::from_le_bytes(fixed(bytes, row)));
                    Arc::new(Float64Array::new(values.into(), nulls))
                }
                decimal @ DataType::Decimal128(..) => {
                    let values = selection.map(|row| i128::from_le_bytes(fixed(bytes, row)));
                    let array = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls);
                    Arc::new(array.with_data_type(decimal))
                }
                decimal @ DataType::Decimal256(..) => {
                    let values = selection.map(|row| i256::from_le_bytes(fixed(bytes, row)));
                    let array = Decimal256Array::new(values.into(), nulls);
                    Arc::new(array.with_data_type(decimal))
                }
                _ => return Err(wrong_type()),
            },
            Values::Texts { codes, words } => {
                if arrow_type(ty) != DataType::BinaryView {
                    return Err(wrong_type());
                }
                let rows = match (codes, selection) {
                    (None, Selection::Range(range)) if nulls.is_none() => {
                        return Ok(Arc::new(words.slice(range.start, range.len())));
                    }
                    (Some(codes), _) => codes.map(selection, |code| code as u32),
                    (None, _) => selection.map(|row| row as u32),
                };
                let rows = UInt32Array::new(rows.into(), nulls);
                arrow_select::take::take(words, &rows, None).map_err(|_| wrong_type())?
            }
        })
    }

    fn nulls(&self, selection: &Selection) -> Option<NullBuffer> {
        let valid = self.valid.as_ref()?;
        let valid = match selection {
            Selection::Range(range) => valid.slice(range.start, range.len()),
            Selection::Rows(rows) => {
                rows.iter().map(|row| valid.value(*row as usize)).collect::<BooleanBuffer>()
            }
        };
        Some(NullBuffer::new(valid))
    }

    /// How many different codes `add_codes` may give; `None` when values have none.
    pub fn codes(&self) -> Option<usize> {
        let codes = match &self.values {
            Values::Numbers { offsets, .. } => offsets.codes()?,
            Values::Texts { codes: Some(_), words } => words.views().len(),
            Values::Texts { codes: None, .. } | Values::Fixed { .. } => return None,
        };
        Some(codes + usize::from(self.valid.is_some()))
    }

    /// Adds a code of each row's value, times `stride`: equal values have equal codes.
    /// `codes` is what `codes` gave.
    pub fn add_codes(&self, selection: &Selection, codes: usize, stride: usize, to: &mut [u32]) {
        let null = codes as u32 - 1;
        let codes = match &self.values {
            Values::Numbers { offsets: codes, .. } | Values::Texts { codes: Some(codes), .. } => {
                codes
            }
            Values::Texts { codes: None, .. } | Values::Fixed { .. } => return,
        };
        let stride = stride as u32;
        match &self.valid {
            None if codes.width == 0 => {}
            None => {
                let codes = codes.map(selection, |code| code as u32 * stride);
                to.iter_mut().zip(codes).for_each(|(to, code)| *to += code);
            }
            Some(valid) => {
                let codes = selection.map(|row| match valid.value(row) {
                    true => codes.get(row) as u32,
                    false => null,
                });
                to.iter_mut().zip(codes).for_each(|(to, code)| *to += code * stride);
            }
        }
    }

    /// Keeps the rows whose numbers are in one of some ranges, inclusive and ordered after `flip`
    /// is applied; those that are NULL if `nulls` says so. Of a column without numbers all stay.
    pub fn retain(&self, ranges: &[(u64, u64)], flip: u64, nulls: bool, selection: &mut Selection) {
        let Values::Numbers { base, shift, offsets } = &self.values else { return };
        // Offsets order as their numbers do, so the ranges become some of offsets.
        let base = *base ^ flip;
        let ranges = ranges.iter().filter(|(_, max)| *max >= base).map(|(min, max)| {
            let low = min.saturating_sub(base);
            let first = (low >> shift) + u64::from(low & ((1 << shift) - 1) != 0);
            (first, (max - base) >> shift)
        });
        let ranges: Vec<(u64, u64)> = ranges.filter(|(first, last)| first <= last).collect();
        match (&self.valid, &ranges[..]) {
            (None, [(first, last)]) => {
                let (first, width) = (*first, last - first);
                offsets.retain(selection, |offset| offset.wrapping_sub(first) <= width);
            }
            (None, ranges) => offsets.retain(selection, |offset| {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&offset))
            }),
            (Some(valid), ranges) => selection.retain(|row| match valid.value(row) {
                false => nulls,
                true => {
                    let offset = offsets.get(row);
                    ranges.iter().any(|(first, last)| (*first..=*last).contains(&offset))
                }
            }),
        }
    }

    /// Whether a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        self.valid.as_ref().is_some_and(|valid| !valid.value(row))
    }

    /// The number of a row, whose column has numbers; that of a NULL may be any.
    pub fn number(&self, row: usize) -> Option<u64> {
        match &self.values {
            Values::Numbers { base, shift, offsets } => {
                Some(base.wrapping_add(offsets.get(row) << shift))
            }
            _ => None,
        }
    }

    /// One value.
    ///
    /// # Errors
    /// `Corrupt` when the column was stored for another type.
    pub fn datum(&self, ty: &ColumnType, row: usize) -> Result<Datum<'_>> {
        if self.is_null(row) {
            return Ok(Datum::Null);
        }
        Ok(match &self.values {
            Values::Numbers { .. } => {
                let number = self.number(row).ok_or_else(wrong_type)?;
                datum_of(ty, number).ok_or_else(wrong_type)?
            }
            Values::Fixed { bytes, width } => match (ty, *width) {
                (ColumnType::Float, 4) => Datum::Float(f32::from_le_bytes(fixed(bytes, row))),
                (ColumnType::Double, 8) => Datum::Double(f64::from_le_bytes(fixed(bytes, row))),
                (ColumnType::Decimal { scale, .. }, 16) => {
                    Datum::Decimal(decimal_from_128(i128::from_le_bytes(fixed(bytes, row)), *scale))
                }
                (ColumnType::Decimal { scale, .. }, 32) => {
                    Datum::Decimal(decimal_from_256(i256::from_le_bytes(fixed(bytes, row)), *scale))
                }
                _ => return Err(wrong_type()),
            },
            Values::Texts { codes, words } => {
                let at = codes.as_ref().map_or(row, |codes| codes.get(row) as usize);
                Datum::Bytes(words.value(at))
            }
        })
    }
}

fn fixed<const N: usize>(bytes: &[u8], row: usize) -> [u8; N] {
    bytes[row * N..(row + 1) * N].try_into().expect("so many bytes")
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}

/// The value that an integer carries for a type of `Shape::Number`.
fn datum_of(ty: &ColumnType, number: u64) -> Option<Datum<'static>> {
    Some(match ty {
        ColumnType::Int { unsigned: false, .. } => Datum::Int(number as i64),
        ColumnType::Int { .. } => Datum::UInt(number),
        ColumnType::Date => Datum::Date(Date::from_packed(u32::try_from(number).ok()?)?),
        ColumnType::Time { .. } => Datum::Time(Time::from_micros(number as i64)?),
        ColumnType::DateTime { .. } => Datum::DateTime(DateTime::from_packed(number)?),
        ColumnType::Timestamp { .. } => Datum::Timestamp(Timestamp::from_micros(number)),
        ColumnType::Year => Datum::Year(u16::try_from(number).ok()?),
        ColumnType::Enum { .. } => Datum::Enum(u16::try_from(number).ok()?),
        ColumnType::Decimal { scale, .. } => {
            Datum::Decimal(decimal_from_128(i128::from(number as i64), *scale))
        }
        _ => return None,
    })
}
