//! One column of a segment: how it lies on the disk, how it lies in memory, and what is read of it.
//!
//! On the disk:
//! ```text
//! 01                  form
//! kind u8             0 numbers, 1 fixed bytes, 2 texts by words, 3 texts as they come, 4 what follows
//!                     from another column
//! flags u8            1: some are NULL; 2: numbers are differences to the one before; 4: numbers or
//!                     codes are by planes: the lowest byte of each, then the next one of each
//! width u8            bytes of each number, difference, fixed value or word code: 0, 1, 2, 4, 8, 16, 32
//! rows u32            all numbers little-endian
//! base u64            numbers: the smallest of them, as the type orders them; 4: the other's slot
//! step u64            differences: the smallest of them
//! shift u8            bits below which all offsets are 0
//! words u32           texts by words: how many words; 4: how many values
//! bytes u32           of what follows, before its compression
//! zstd                one frame or several: values (width bytes each), then for texts lengths u32 and
//!                     bytes of the words or texts, then a bit for each row that is set where there is
//!                     a value. 4, not compressed: a column whose rows are the values, itself not of 4
//! ```
//! A number's value is `base + (offset << shift)`, in wrapping arithmetic; all numbers equal: no
//! bytes at all. Texts of few different words are codes of words, in order of appearance. What
//! follows from another column has a value for each offset or code of that one and, if some there
//! are NULL, one more for these.
//!
//! Invariants
//! 1. Bytes from the disk may have any shape: what does not fit gives `Corrupt`, never a panic.
//! 2. A column in memory takes what its numbers need, not what its type would: a scan widens them
//!    batch by batch.
//!
//! Not here: which rows a segment has (`segment`), which columns stay in memory (`cache`).

mod decode;
mod follow;
mod gather;
mod header;
mod read;
#[cfg(test)]
mod tests;
mod total;
mod words;

pub(crate) use decode::source_of;
pub(crate) use follow::{Follows, sources_of};
pub(crate) use gather::{EncodedColumn, Encoder, Gather, number_of};
pub(crate) use read::{Selection, datum_of};

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BinaryViewArray, Int32Array, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::DataType;
use values::types::ColumnType;

use crate::arrow::DIGITS_128_MAX;

const HAS_NULLS: u8 = 1;
const IS_DIFFERENCES: u8 = 2;
const IS_BY_PLANES: u8 = 4;
/// The kind of a column that follows from another one.
const FOLLOWS: u8 = 4;

/// How values of a type are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As an integer; `unsigned` says how it is ordered.
    Number { unsigned: bool },
    /// As so many bytes: what does not fit an integer.
    Fixed(u8),
    /// As bytes of any length.
    Text,
}

/// The shape of a type's values.
pub(crate) fn shape_of(ty: &ColumnType) -> Shape {
    match ty {
        ColumnType::Int { unsigned: false, .. } | ColumnType::Time { .. } => {
            Shape::Number { unsigned: false }
        }
        ColumnType::Int { unsigned: true, .. }
        | ColumnType::Date
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. }
        | ColumnType::Year
        | ColumnType::Enum { .. }
        | ColumnType::Set { .. }
        | ColumnType::Bit { .. } => Shape::Number { unsigned: true },
        ColumnType::Decimal { precision, .. } if *precision <= DIGITS_64_MAX => {
            Shape::Number { unsigned: false }
        }
        ColumnType::Decimal { precision, .. } if *precision <= DIGITS_128_MAX => Shape::Fixed(16),
        ColumnType::Decimal { .. } => Shape::Fixed(32),
        ColumnType::Float(_) => Shape::Fixed(4),
        ColumnType::Double(_) => Shape::Fixed(8),
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Json
        | ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. } => Shape::Text,
    }
}

/// Digits of a decimal that fit 64 bits.
const DIGITS_64_MAX: u8 = 18;

/// A column of a segment in memory.
#[derive(Debug)]
pub(crate) struct Column {
    /// Set where there is a value; none: everywhere.
    valid: Option<BooleanBuffer>,
    values: Values,
}

/// Unsigned integers of some width, from 0 bytes (all are 0) to 8.
#[derive(Debug)]
struct Narrow {
    width: u8,
    bytes: Buffer,
}

#[derive(Debug)]
enum Values {
    Numbers {
        base: u64,
        shift: u8,
        offsets: Narrow,
        /// Of the offsets.
        largest: u64,
    },
    Fixed {
        width: u8,
        bytes: Buffer,
    },
    /// The words, or, without codes, the text of each row.
    Texts {
        codes: Option<Narrow>,
        words: BinaryViewArray,
    },
}

impl Narrow {
    #[inline]
    fn get(&self, row: usize) -> u64 {
        let at = |width: usize| &self.bytes[row * width..(row + 1) * width];
        match self.width {
            0 => 0,
            1 => u64::from(self.bytes[row]),
            2 => u64::from(u16::from_le_bytes(at(2).try_into().expect("two bytes"))),
            4 => u64::from(u32::from_le_bytes(at(4).try_into().expect("four bytes"))),
            _ => u64::from_le_bytes(at(8).try_into().expect("eight bytes")),
        }
    }

    /// The largest; 0 of none.
    fn largest(&self) -> u64 {
        let bytes = &self.bytes;
        // Each in its own width: so many of them are compared at a time.
        match self.width {
            0 => 0,
            1 => bytes.iter().fold(0, |most, n| most.max(*n)).into(),
            2 => bytes
                .as_chunks()
                .0
                .iter()
                .fold(0, |most, n| u16::from_le_bytes(*n).max(most))
                .into(),
            4 => bytes
                .as_chunks()
                .0
                .iter()
                .fold(0, |most, n| u32::from_le_bytes(*n).max(most))
                .into(),
            _ => bytes.as_chunks().0.iter().fold(0, |most, n| u64::from_le_bytes(*n).max(most)),
        }
    }
}

impl Column {
    /// Numbers, by their distance to a first one, which is 1; 0 is NULL.
    pub fn of_numbers(first: u64, distances: &[u32]) -> Column {
        let (valid, offsets) = one_less(distances);
        let largest = offsets.largest();
        Column { valid, values: Values::Numbers { base: first, shift: 0, offsets, largest } }
    }

    /// Texts, by their place among some words, from 1 on; 0 is NULL.
    pub fn of_words(words: &[&[u8]], places: &[u32]) -> Column {
        let (valid, codes) = one_less(places);
        let words = BinaryViewArray::from_iter_values(words);
        Column { valid, values: Values::Texts { codes: Some(codes), words } }
    }

    /// Texts of an array that is their places among some words, as it is.
    pub fn of_codes(codes: &Int32Array, words: &BinaryViewArray) -> Column {
        let bytes = codes.values().inner().clone();
        let values =
            Values::Texts { codes: Some(Narrow { width: 4, bytes }), words: words.clone() };
        Column { valid: codes.nulls().map(|nulls| nulls.inner().clone()), values }
    }

    /// Integers of an array, none of which is so far from the first or farther; `None` where one
    /// is, and of an array of other values.
    pub fn of_integers(array: &ArrayRef, first: u64, count: u32) -> Option<Column> {
        let distances: Vec<u32> = match array.data_type() {
            DataType::Int64 => {
                let number = |value: i64| value as u64;
                distances(array.as_primitive::<Int64Type>(), number, first, count)?
            }
            DataType::UInt64 => {
                distances(array.as_primitive::<UInt64Type>(), |value| value, first, count)?
            }
            DataType::UInt32 => {
                distances(array.as_primitive::<UInt32Type>(), u64::from, first, count)?
            }
            DataType::UInt16 => {
                distances(array.as_primitive::<UInt16Type>(), u64::from, first, count)?
            }
            _ => return None,
        };
        let offsets = Narrow { width: 4, bytes: Buffer::from_vec(distances) };
        let largest = u64::from(count.saturating_sub(1));
        let values = Values::Numbers { base: first, shift: 0, offsets, largest };
        Some(Column { valid: array.nulls().map(|nulls| nulls.inner().clone()), values })
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let valid = self.valid.as_ref().map_or(0, |valid| valid.inner().len());
        let values = match &self.values {
            Values::Numbers { offsets, .. } => offsets.bytes.len(),
            Values::Fixed { bytes, .. } => bytes.len(),
            Values::Texts { codes, words } => {
                let texts: usize = words.data_buffers().iter().map(Buffer::len).sum();
                let codes = codes.as_ref().map_or(0, |codes| codes.bytes.len());
                codes + words.views().len() * size_of::<u128>() + texts
            }
        };
        size_of::<Column>() + valid + values
    }
}

/// How far each value is from the first, where that is less than `count` for all that are not NULL.
fn distances<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    number: impl Fn(T::Native) -> u64,
    first: u64,
    count: u32,
) -> Option<Vec<u32>> {
    let distance = |value: &T::Native| number(*value).wrapping_sub(first);
    let values = array.values();
    let fits = match array.nulls() {
        None => values.iter().fold(true, |fits, value| fits & (distance(value) < u64::from(count))),
        Some(nulls) => {
            let mut values = values.iter().zip(nulls.iter());
            values.all(|(value, is_valid)| !is_valid || distance(value) < u64::from(count))
        }
    };
    fits.then(|| values.iter().map(|value| distance(value) as u32).collect())
}

/// Codes that begin with 0, of some that begin with 1, and where those are not 0.
fn one_less(codes: &[u32]) -> (Option<BooleanBuffer>, Narrow) {
    let valid: BooleanBuffer = codes.iter().map(|code| *code > 0).collect();
    let less: Vec<u32> = codes.iter().map(|code| code.saturating_sub(1)).collect();
    let valid = (valid.count_set_bits() < codes.len()).then_some(valid);
    // Little-endian, as all of them are.
    let bytes = less.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<u8>>();
    (valid, Narrow { width: 4, bytes: Buffer::from_vec(bytes) })
}

/// The fewest bytes of 0, 1, 2, 4 and 8 that hold a number.
fn width_of(max: u64) -> u8 {
    match max {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}
