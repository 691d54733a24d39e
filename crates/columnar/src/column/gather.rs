//! Values on their way into a column on the disk.
//!
//! Not here: the way back (`decode`).

use rows::error::{Error, Result};
use values::datum::Datum;
use values::row::RowRef;
use values::types::ColumnType;
use zstd::bulk::Compressor;

use super::header::Header;
use super::words::Words;
use super::{FOLLOWS, HAS_NULLS, IS_BY_PLANES, IS_DIFFERENCES, Shape, shape_of, width_of};
use crate::arrow::{unscaled_128, unscaled_256};

/// zstd's level: the first that compresses well; higher ones cost loads much and save little.
const LEVEL: i32 = 3;

/// What a column's values are, before they are written.
pub(crate) struct Gather {
    ty: ColumnType,
    pub(super) rows: usize,
    /// By row, 8 to a byte: whether there is a value.
    valid: Vec<u8>,
    pub(super) nulls: usize,
    pub(super) values: GatheredValues,
}

pub(super) enum GatheredValues {
    Numbers { unsigned: bool, numbers: Vec<u64> },
    Fixed { width: u8, bytes: Vec<u8> },
    Texts { ends: Vec<u32>, bytes: Vec<u8> },
}

/// What making columns needs for the time being, kept from one to the next: compression begins with
/// a megabyte of tables.
pub(crate) struct Encoder {
    compressor: Compressor<'static>,
    payload: Payload,
    compressed: Vec<u8>,
    pub(super) words: Words,
}

/// A column's values on their way to the compression.
#[derive(Default)]
pub(super) struct Payload {
    pub bytes: Vec<u8>,
    /// Ends of what is compressed apart from what follows it, because other bytes occur in it.
    ends: Vec<usize>,
}

impl Payload {
    /// Appends numbers of some width, each byte of them in a plane of its own.
    pub fn put_narrow(&mut self, numbers: impl Iterator<Item = u64> + Clone, header: &mut Header) {
        let width = header.width;
        for plane in 0..width {
            self.bytes.extend(numbers.clone().map(|number| (number >> (8 * plane)) as u8));
            self.ends.push(self.bytes.len());
        }
        if width > 1 {
            header.flags |= IS_BY_PLANES;
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// What is compressed by itself, piece by piece.
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.bytes.len()]);
        starts
            .zip(ends)
            .map(|(start, end)| &self.bytes[start..end])
            .filter(|piece| !piece.is_empty())
    }
}

impl Encoder {
    /// # Errors
    /// `Store` when the compression cannot begin.
    pub fn new() -> Result<Encoder> {
        let compressor = Compressor::new(LEVEL).map_err(compression_failed)?;
        let (payload, compressed, words) = (Payload::default(), Vec::new(), Words::default());
        Ok(Encoder { compressor, payload, compressed, words })
    }
}

impl Encoder {
    /// The column whose header this is, of the payload.
    fn finish(&mut self, header: Header) -> Result<Vec<u8>> {
        let Encoder { compressor, payload, compressed, .. } = self;
        let mut out = Header { bytes: payload.bytes.len() as u32, ..header }.encode();
        for piece in payload.pieces() {
            // Without a checksum: the store checks the bytes that it reads.
            compressed.clear();
            compressed.reserve(zstd::zstd_safe::compress_bound(piece.len()));
            compressor.compress_to_buffer(piece, compressed).map_err(compression_failed)?;
            out.extend_from_slice(compressed);
        }
        Ok(out)
    }
}

/// A column as it is stored, and what is known of it.
pub(crate) struct EncodedColumn {
    pub bytes: Vec<u8>,
    /// Bytes of the values before any encoding, as rows would have them.
    pub plain_bytes: u64,
    pub nulls: u32,
    /// The smallest and the largest number, of those that are not NULL.
    pub range: Option<(u64, u64)>,
}

impl Gather {
    pub fn new(ty: &ColumnType) -> Gather {
        let values = match shape_of(ty) {
            Shape::Number { unsigned } => GatheredValues::Numbers { unsigned, numbers: Vec::new() },
            Shape::Fixed(width) => GatheredValues::Fixed { width, bytes: Vec::new() },
            Shape::Text => GatheredValues::Texts { ends: Vec::new(), bytes: Vec::new() },
        };
        Gather { ty: ty.clone(), rows: 0, valid: Vec::new(), nulls: 0, values }
    }

    /// Appends a value of the type, or NULL.
    ///
    /// # Errors
    /// `Corrupt` for a value of another kind: nothing was appended.
    pub fn append(&mut self, datum: Datum<'_>) -> Result<()> {
        let is_null = datum.is_null();
        match &mut self.values {
            GatheredValues::Numbers { numbers, .. } => {
                // What stands for NULL must not widen the others.
                let null = numbers.last().copied().unwrap_or(0);
                numbers.push(if is_null { null } else { number_of(&self.ty, datum)? });
            }
            GatheredValues::Fixed { width, bytes } => {
                let start = bytes.len();
                if !is_null {
                    push_fixed(&self.ty, datum, bytes)?;
                }
                bytes.resize(start + usize::from(*width), 0);
            }
            GatheredValues::Texts { ends, bytes } => {
                match datum {
                    Datum::Bytes(text) => bytes.extend_from_slice(text),
                    Datum::Null => {}
                    _ => return Err(wrong_kind()),
                }
                ends.push(bytes.len() as u32);
            }
        }
        self.count(is_null);
        Ok(())
    }

    /// Appends a column of some rows.
    ///
    /// # Errors
    /// Those of reading it; as `append`.
    pub fn append_column(&mut self, rows: &[RowRef<'_>], position: usize) -> Result<()> {
        if !matches!(self.ty, ColumnType::Int { .. }) {
            return rows.iter().try_for_each(|row| self.append(row.column(position)?));
        }
        for row in rows {
            let number = row.integer(position)?;
            let GatheredValues::Numbers { numbers, .. } = &mut self.values else {
                return Err(wrong_kind());
            };
            let null = numbers.last().copied().unwrap_or(0);
            numbers.push(number.unwrap_or(null));
            self.count(number.is_none());
        }
        Ok(())
    }

    /// Counts a value that was appended.
    #[inline]
    fn count(&mut self, is_null: bool) {
        if self.rows.is_multiple_of(8) {
            self.valid.push(0);
        }
        self.valid[self.rows / 8] |= u8::from(!is_null) << (self.rows % 8);
        self.nulls += usize::from(is_null);
        self.rows += 1;
    }

    /// The column; the next one begins.
    ///
    /// # Errors
    /// `Store` when the compression fails.
    pub fn finish(&mut self, encoder: &mut Encoder) -> Result<EncodedColumn> {
        let plain_bytes = self.plain_bytes() as u64;
        let (rows, nulls, valid) = (self.rows, self.nulls, &mut self.valid);
        let mut header = Header { rows: rows as u32, ..Header::default() };
        let payload = &mut encoder.payload;
        payload.clear();
        let mut range = None;
        match &mut self.values {
            GatheredValues::Numbers { unsigned, numbers } => {
                range = put_numbers(numbers, *unsigned, valid, &mut header, payload);
                numbers.clear();
            }
            GatheredValues::Fixed { width, bytes } => {
                payload.bytes.extend_from_slice(bytes);
                bytes.clear();
                (header.kind, header.width) = (1, *width);
            }
            GatheredValues::Texts { ends, bytes } => {
                encoder.words.put_texts(ends, bytes, &mut header, payload);
                ends.clear();
                bytes.clear();
            }
        }
        if nulls > 0 {
            header.flags |= HAS_NULLS;
            payload.bytes.extend_from_slice(valid);
        }
        valid.clear();
        (self.rows, self.nulls) = (0, 0);
        let bytes = encoder.finish(header)?;
        Ok(EncodedColumn { bytes, plain_bytes, nulls: nulls as u32, range })
    }

    /// The column by what follows from the one in a slot: the values of these rows, one for each
    /// value of that one. The next column begins.
    ///
    /// # Errors
    /// As `finish`.
    pub fn finish_following(
        &mut self,
        slot: u16,
        rows: &[u32],
        encoder: &mut Encoder,
    ) -> Result<EncodedColumn> {
        let values = self.pick(rows).finish(encoder)?;
        let header = Header {
            kind: FOLLOWS,
            rows: self.rows as u32,
            base: slot.into(),
            words: rows.len() as u32,
            bytes: values.bytes.len() as u32,
            ..Header::default()
        };
        let bytes = [header.encode(), values.bytes].concat();
        let known = (self.plain_bytes() as u64, self.nulls as u32);
        *self = Gather::new(&self.ty);
        Ok(EncodedColumn { bytes, plain_bytes: known.0, nulls: known.1, range: values.range })
    }

    /// Some of the rows, as often as they are named.
    fn pick(&self, rows: &[u32]) -> Gather {
        let mut picked = Gather::new(&self.ty);
        for row in rows.iter().map(|row| *row as usize) {
            match (&self.values, &mut picked.values) {
                (
                    GatheredValues::Numbers { numbers, .. },
                    GatheredValues::Numbers { numbers: to, .. },
                ) => {
                    to.push(numbers[row]);
                }
                (
                    GatheredValues::Fixed { width, bytes },
                    GatheredValues::Fixed { bytes: to, .. },
                ) => {
                    let width = usize::from(*width);
                    to.extend_from_slice(&bytes[row * width..(row + 1) * width]);
                }
                (
                    GatheredValues::Texts { ends, bytes },
                    GatheredValues::Texts { ends: to, bytes: texts },
                ) => {
                    let start = row.checked_sub(1).map_or(0, |before| ends[before]);
                    texts.extend_from_slice(&bytes[start as usize..ends[row] as usize]);
                    to.push(texts.len() as u32);
                }
                _ => unreachable!("both are of one type"),
            }
            picked.count(!self.is_valid(row));
        }
        picked
    }

    pub(super) fn is_valid(&self, row: usize) -> bool {
        is_valid(&self.valid, row)
    }

    /// Bytes of the values as rows would have them.
    fn plain_bytes(&self) -> usize {
        match &self.values {
            GatheredValues::Numbers { .. } => {
                self.ty.fixed_bytes().unwrap_or(8) * (self.rows - self.nulls)
            }
            GatheredValues::Fixed { bytes, .. } => bytes.len(),
            GatheredValues::Texts { bytes, .. } => bytes.len() + 2 * self.rows,
        }
    }
}

fn compression_failed(source: std::io::Error) -> Error {
    let (doing, source) = ("compressing a column", Box::new(source));
    Error::Store { doing, applied: Some(false), source }
}

fn is_valid(valid: &[u8], row: usize) -> bool {
    valid[row / 8] >> (row % 8) & 1 == 1
}

/// Between what numbers are.
pub(super) struct Frame {
    /// The first row that has one.
    first: usize,
    pub min: u64,
    pub max: u64,
    /// Bits in which none differs from the smallest, from the lowest on.
    pub shift: u8,
}

/// Flipped by this, signed numbers order as unsigned ones.
fn flip_of(unsigned: bool) -> u64 {
    if unsigned { 0 } else { 1 << 63 }
}

/// The frame of numbers, some of which may be NULL; `None` if all are.
pub(super) fn frame_of(
    numbers: &[u64],
    unsigned: bool,
    is_valid: impl Fn(usize) -> bool,
) -> Option<Frame> {
    let first = (0..numbers.len()).find(|row| is_valid(*row))?;
    // NULLs behind it repeat what is before them.
    let known = &numbers[first..];
    let order = |number: &&u64| *number ^ flip_of(unsigned);
    let min = *known.iter().min_by_key(order)?;
    let max = *known.iter().max_by_key(order)?;
    let bits = known.iter().fold(0, |bits, number| bits | number.wrapping_sub(min));
    let shift = if bits == 0 { 0 } else { bits.trailing_zeros() as u8 };
    Some(Frame { first, min, max, shift })
}

/// Writes numbers, in the narrower of two ways; gives the smallest and the largest.
fn put_numbers(
    numbers: &mut [u64],
    unsigned: bool,
    valid: &[u8],
    header: &mut Header,
    payload: &mut Payload,
) -> Option<(u64, u64)> {
    let Frame { first, min, max, shift } = frame_of(numbers, unsigned, |row| is_valid(valid, row))?;
    // NULLs at the beginning had nothing before them to repeat.
    let known = numbers[first];
    numbers[..first].fill(known);
    let order = |number: &u64| number ^ flip_of(unsigned);
    let width = width_of(max.wrapping_sub(min) >> shift);
    let steps = || {
        let before = [numbers[0]].into_iter().chain(numbers.iter().copied());
        before.zip(numbers.iter()).map(|(before, number)| number.wrapping_sub(before) >> shift)
    };
    // Differences only of what does not fall: they are smaller where keys and times ascend.
    let ascends = numbers.windows(2).all(|pair| order(&pair[0]) <= order(&pair[1]));
    let step_min = if ascends { steps().skip(1).min().unwrap_or(0) } else { 0 };
    let step_max = if ascends { steps().skip(1).max().unwrap_or(0) } else { u64::MAX };
    let step_width = width_of(step_max.wrapping_sub(step_min));
    (header.base, header.shift) = (min, shift);
    if ascends && step_width < width {
        header.flags |= IS_DIFFERENCES;
        (header.step, header.width) = (step_min, step_width);
        // The first is the base: its own difference is not looked at.
        payload.put_narrow(steps().map(|step| step.wrapping_sub(step_min)), header);
    } else {
        header.width = width;
        let offsets = numbers.iter().map(|number| number.wrapping_sub(min) >> shift);
        payload.put_narrow(offsets, header);
    }
    Some((min, max))
}

/// The integer that carries a value of a type of `Shape::Number`.
pub(crate) fn number_of(ty: &ColumnType, datum: Datum<'_>) -> Result<u64> {
    Ok(match datum {
        Datum::Int(value) => value as u64,
        Datum::UInt(value) => value,
        Datum::Date(value) => u64::from(value.packed()),
        Datum::Time(value) => value.micros() as u64,
        Datum::DateTime(value) => value.packed(),
        Datum::Timestamp(value) => value.micros(),
        Datum::Set(value) => value,
        Datum::Year(value) | Datum::Enum(value) => u64::from(value),
        Datum::Decimal(value) => {
            let ColumnType::Decimal { scale, .. } = ty else { return Err(wrong_kind()) };
            let unscaled = unscaled_128(value, *scale).and_then(|value| i64::try_from(value).ok());
            unscaled.ok_or_else(wrong_kind)? as u64
        }
        _ => return Err(wrong_kind()),
    })
}

fn push_fixed(ty: &ColumnType, datum: Datum<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    match (ty, datum) {
        (ColumnType::Float(_), Datum::Float(value)) => {
            bytes.extend_from_slice(&value.to_le_bytes())
        }
        (ColumnType::Double(_), Datum::Double(value)) => {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        (ColumnType::Decimal { scale, .. }, Datum::Decimal(value)) => match shape_of(ty) {
            Shape::Fixed(16) => {
                let value = unscaled_128(value, *scale).ok_or_else(wrong_kind)?;
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            _ => {
                let value = unscaled_256(value, *scale).ok_or_else(wrong_kind)?;
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        },
        _ => return Err(wrong_kind()),
    }
    Ok(())
}

fn wrong_kind() -> Error {
    Error::Corrupt { key: Vec::new(), why: "value of another type than its column" }
}
