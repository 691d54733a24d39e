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
    ArrayRef, BinaryViewArray, Decimal256Array, Float32Array, Float64Array, PrimitiveArray,
    UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, i256};
use arrow_schema::DataType;
use rows::error::{Error, Result};
use values::datum::Datum;
use values::temporal::{Date, DateTime, Time, Timestamp};
use values::types::ColumnType;

use super::{Column, Narrow, Values};
use crate::arrow::{arrow_type, decimal_from_128, decimal_from_256};

/// Rows of a segment.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    /// One behind the other.
    Range(Range<usize>),
    /// These, in ascending order.
    Rows(Vec<u32>),
}

impl Selection {
    /// The rows of a range without some of them, which are in ascending order.
    pub fn without(range: Range<usize>, left_out: &[u32]) -> Selection {
        if left_out.is_empty() {
            return Selection::Range(range);
        }
        let mut rows = Vec::with_capacity(range.len() - left_out.len());
        let mut next = range.start as u32;
        for row in left_out {
            rows.extend(next..*row);
            next = row + 1;
        }
        rows.extend(next..range.end as u32);
        Selection::Rows(rows)
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Selection::Range(range) => range.len(),
            Selection::Rows(rows) => rows.len(),
        }
    }

    fn map<T>(&self, each: impl Fn(usize) -> T) -> Vec<T> {
        match self {
            Selection::Range(range) => range.clone().map(each).collect(),
            Selection::Rows(rows) => rows.iter().map(|row| each(*row as usize)).collect(),
        }
    }

    /// Calls something for each row.
    ///
    /// # Errors
    /// The first error of `each`, which is not called again after it.
    pub fn try_each(&self, mut each: impl FnMut(usize) -> Result<()>) -> Result<()> {
        match self {
            Selection::Range(range) => range.clone().try_for_each(&mut each),
            Selection::Rows(rows) => rows.iter().try_for_each(|row| each(*row as usize)),
        }
    }

    /// Keeps the rows of which it is true, without some that are dead.
    fn keep(&mut self, mut truths: Vec<bool>, dead: &[u32]) {
        if let Selection::Range(range) = self {
            dead.iter().for_each(|row| truths[*row as usize - range.start] = false);
        }
        // Without a branch: each row is written, and kept by moving on.
        let mut kept = vec![0u32; truths.len()];
        let mut count = 0;
        let mut put = |(row, truth): (u32, &bool)| {
            kept[count] = row;
            count += usize::from(*truth);
        };
        match self {
            Selection::Range(range) => (range.start as u32..).zip(&truths).for_each(&mut put),
            Selection::Rows(rows) => rows.iter().copied().zip(&truths).for_each(&mut put),
        }
        if count < truths.len() {
            kept.truncate(count);
            *self = Selection::Rows(kept);
        }
    }
}

impl Narrow {
    /// Calls something for each of some rows, beside a place that belongs to it.
    fn each<T>(&self, selection: &Selection, to: &mut [T], each: impl Fn(&mut T, u64)) {
        // A loop for each width: so the compiler makes wide instructions of them.
        fn each_of<const N: usize, T>(
            bytes: &[u8],
            selection: &Selection,
            to: &mut [T],
            each: impl Fn(&mut T, [u8; N]),
        ) {
            let (numbers, _) = bytes.as_chunks::<N>();
            match selection {
                Selection::Range(range) => {
                    let numbers = &numbers[range.start..range.end];
                    to.iter_mut().zip(numbers).for_each(|(to, number)| each(to, *number));
                }
                Selection::Rows(rows) => {
                    let numbers = rows.iter().map(|row| numbers[*row as usize]);
                    to.iter_mut().zip(numbers).for_each(|(to, number)| each(to, number));
                }
            }
        }
        let bytes = &self.bytes;
        match self.width {
            0 => to.iter_mut().for_each(|to| each(to, 0)),
            1 => each_of::<1, T>(bytes, selection, to, |to, [byte]| each(to, u64::from(byte))),
            2 => each_of(bytes, selection, to, |to, bytes| {
                each(to, u64::from(u16::from_le_bytes(bytes)));
            }),
            4 => each_of(bytes, selection, to, |to, bytes| {
                each(to, u64::from(u32::from_le_bytes(bytes)));
            }),
            _ => each_of(bytes, selection, to, |to, bytes| each(to, u64::from_le_bytes(bytes))),
        }
    }

    pub(super) fn map<T: Clone + Default>(
        &self,
        selection: &Selection,
        each: impl Fn(u64) -> T,
    ) -> Vec<T> {
        let mut out = vec![T::default(); selection.len()];
        self.each(selection, &mut out, |to, number| *to = each(number));
        out
    }
}

fn wrong_type() -> Error {
    Error::Corrupt { key: Vec::new(), why: "a column of a segment is of another type" }
}

impl Column {
    /// Rows of the column as the array that carries the type (`crate::arrow`).
    ///
    /// # Errors
    /// `Corrupt` when the column was stored for another type.
    pub fn array(&self, ty: &ColumnType, selection: &Selection) -> Result<ArrayRef> {
        let nulls = self.nulls(selection);
        Ok(match &self.values {
            Values::Numbers { base, shift, offsets, .. } => {
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
            Values::Fixed { bytes, width } => match (arrow_type(ty), *width) {
                (DataType::Float32, 4) => {
                    let values = selection.map(|row| f32::from_le_bytes(fixed(bytes, row)));
                    Arc::new(Float32Array::new(values.into(), nulls))
                }
                (DataType::Float64, 8) => {
                    let values = selection.map(|row| f64::from_le_bytes(fixed(bytes, row)));
                    Arc::new(Float64Array::new(values.into(), nulls))
                }
                (decimal @ DataType::Decimal128(..), 16) => {
                    let values = selection.map(|row| i128::from_le_bytes(fixed(bytes, row)));
                    let array = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls);
                    Arc::new(array.with_data_type(decimal))
                }
                (decimal @ DataType::Decimal256(..), 32) => {
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

    /// Whether each of some rows has a value; `None`: all have.
    fn validity(&self, selection: &Selection) -> Option<Vec<bool>> {
        let valid = self.valid.as_ref()?;
        Some(match selection {
            Selection::Range(range) => truths(valid, range),
            Selection::Rows(rows) => rows.iter().map(|row| valid.value(*row as usize)).collect(),
        })
    }

    /// Whether all rows have the same value.
    pub fn is_constant(&self) -> bool {
        let narrow = match &self.values {
            Values::Numbers { offsets: narrow, .. } | Values::Texts { codes: Some(narrow), .. } => {
                narrow
            }
            Values::Texts { codes: None, .. } | Values::Fixed { .. } => return false,
        };
        narrow.width == 0 && self.valid.is_none()
    }

    /// Whether all rows are NULL.
    pub fn is_all_null(&self) -> bool {
        self.valid.as_ref().is_some_and(|valid| valid.count_set_bits() == 0)
    }

    /// The smallest number, and how far from it the largest is, of a column of numbers.
    pub fn extent(&self) -> Option<(u64, u64)> {
        let Values::Numbers { base, shift, largest, .. } = &self.values else { return None };
        // Bits that the shift would lose are no distance of any number that was stored.
        let distance =
            if largest.leading_zeros() < u32::from(*shift) { u64::MAX } else { largest << shift };
        Some((*base, distance))
    }

    /// The words of a column of texts that has them.
    pub fn words(&self) -> Option<&BinaryViewArray> {
        match &self.values {
            Values::Texts { codes: Some(_), words } => Some(words),
            _ => None,
        }
    }

    /// Adds to a place for each row `stride` times the distance of its number to the smallest, when
    /// that has the distance `first`; for NULL nothing.
    pub fn add_numbers(&self, selection: &Selection, first: u32, stride: u32, to: &mut [u32]) {
        if let Values::Numbers { shift, offsets, .. } = &self.values {
            let add =
                |offset: u64| first.wrapping_add((offset << shift) as u32).wrapping_mul(stride);
            self.add(offsets, selection, add, to);
        }
    }

    /// Adds to a place for each row `stride` times what belongs to its word; for NULL nothing.
    pub fn add_words(&self, selection: &Selection, of_words: &[u32], stride: u32, to: &mut [u32]) {
        if let Values::Texts { codes: Some(codes), .. } = &self.values {
            self.add(codes, selection, |code| of_words[code as usize] * stride, to);
        }
    }

    fn add(&self, codes: &Narrow, selection: &Selection, add: impl Fn(u64) -> u32, to: &mut [u32]) {
        match self.validity(selection) {
            None => codes.each(selection, to, |to, code| *to += add(code)),
            Some(valid) => {
                // What stands in the place of NULL has a code as well.
                let mut added = codes.map(selection, add);
                added.iter_mut().zip(valid).for_each(|(add, valid)| *add *= u32::from(valid));
                to.iter_mut().zip(added).for_each(|(to, add)| *to += add);
            }
        }
    }

    /// Keeps the rows whose numbers are in one of some ranges, inclusive and ordered after `flip`
    /// is applied; those that are NULL if `nulls` says so. Of a column without numbers all stay. In
    /// either case some do not, `dead`, which only rows one behind the other may have.
    pub fn retain(
        &self,
        ranges: &[(u64, u64)],
        flip: u64,
        nulls: bool,
        dead: &[u32],
        selection: &mut Selection,
    ) {
        let Values::Numbers { base, shift, offsets, .. } = &self.values else {
            let all = vec![true; selection.len()];
            return selection.keep(all, dead);
        };
        // Offsets order as their numbers do, so the ranges become some of offsets.
        let base = *base ^ flip;
        let ranges = ranges.iter().filter(|(_, max)| *max >= base).map(|(min, max)| {
            let low = min.saturating_sub(base);
            let first = (low >> shift) + u64::from(low & ((1 << shift) - 1) != 0);
            (first, (max - base) >> shift)
        });
        let ranges: Vec<(u64, u64)> = ranges.filter(|(first, last)| first <= last).collect();
        let mut truths = match &ranges[..] {
            [(first, last)] => {
                let (first, width) = (*first, last - first);
                offsets.map(selection, |offset| offset.wrapping_sub(first) <= width)
            }
            ranges => offsets.map(selection, |offset| {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&offset))
            }),
        };
        if let Some(valid) = self.validity(selection) {
            let each = truths.iter_mut().zip(valid);
            each.for_each(|(truth, valid)| *truth = if valid { *truth } else { nulls });
        }
        selection.keep(truths, dead);
    }

    /// Whether a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        self.valid.as_ref().is_some_and(|valid| !valid.value(row))
    }

    /// The number of a row, whose column has numbers; that of a NULL may be any.
    pub fn number(&self, row: usize) -> Option<u64> {
        match &self.values {
            Values::Numbers { base, shift, offsets, .. } => {
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
                (ColumnType::Float(_), 4) => Datum::Float(f32::from_le_bytes(fixed(bytes, row))),
                (ColumnType::Double(_), 8) => Datum::Double(f64::from_le_bytes(fixed(bytes, row))),
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

/// Some bits, one by one.
fn truths(bits: &BooleanBuffer, range: &Range<usize>) -> Vec<bool> {
    let start = bits.offset() + range.start;
    if !start.is_multiple_of(8) {
        return bits.slice(range.start, range.len()).iter().collect();
    }
    let bytes = &bits.values()[start / 8..(start + range.len()).div_ceil(8)];
    let mut out = Vec::with_capacity(bytes.len() * 8);
    for byte in bytes {
        // Each bit of the byte to the byte that it is the number of.
        let spread = u64::from(*byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        out.extend(spread.to_le_bytes().map(|byte| byte != 0));
    }
    out.truncate(range.len());
    out
}

fn fixed<const N: usize>(bytes: &[u8], row: usize) -> [u8; N] {
    bytes[row * N..(row + 1) * N].try_into().expect("so many bytes")
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}

/// The value that an integer carries for a type of `Shape::Number`.
pub(crate) fn datum_of(ty: &ColumnType, number: u64) -> Option<Datum<'static>> {
    Some(match ty {
        ColumnType::Int { unsigned: false, .. } => Datum::Int(number as i64),
        ColumnType::Int { .. } => Datum::UInt(number),
        ColumnType::Date => Datum::Date(Date::from_packed(u32::try_from(number).ok()?)?),
        ColumnType::Time { .. } => Datum::Time(Time::from_micros(number as i64)?),
        ColumnType::DateTime { .. } => Datum::DateTime(DateTime::from_packed(number)?),
        ColumnType::Timestamp { .. } => Datum::Timestamp(Timestamp::from_micros(number)),
        ColumnType::Year => Datum::Year(u16::try_from(number).ok()?),
        ColumnType::Enum { .. } => Datum::Enum(u16::try_from(number).ok()?),
        ColumnType::Set { .. } => Datum::Set(number),
        ColumnType::Bit { .. } => Datum::UInt(number),
        ColumnType::Decimal { scale, .. } => {
            Datum::Decimal(decimal_from_128(i128::from(number as i64), *scale))
        }
        _ => return None,
    })
}
