//! Columns from the disk, from bytes that may be damaged.
//!
//! Not here: the way there (`gather`).

use std::cell::RefCell;

use arrow_array::BinaryViewArray;
use arrow_array::builder::make_view;
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use rows::error::{Error, Result};
use zstd::bulk::Decompressor;

use super::follow::FOLLOWING_MAX;
use super::header::Header;
use super::{Column, FOLLOWS, HAS_NULLS, IS_BY_PLANES, IS_DIFFERENCES, Narrow, Values, width_of};

/// The most bytes that a column may have: a segment's rows are far fewer.
const PAYLOAD_BYTES_MAX: usize = 1 << 30;
/// What a byte of zstd may stand for at most: 128 KiB for a block of four bytes (RFC 8878,
/// 3.1.1.2). A column that claims more is not given the memory for it.
const BYTES_PER_BYTE_MAX: usize = 1 << 15;

/// The slot of the column from which another one follows; `None` for one that stands by itself.
pub(crate) fn source_of(stored: &[u8]) -> Option<u16> {
    let (header, _) = Header::decode(stored)?;
    (header.kind == FOLLOWS).then_some(header.base as u16)
}

impl Column {
    /// A column of so many rows, which may follow from another one.
    ///
    /// # Errors
    /// `Corrupt`, also for a column that follows where there is no source.
    pub fn decode(stored: &[u8], rows: usize, source: Option<&Column>) -> Result<Column> {
        let (header, values) = Header::decode(stored).ok_or_else(damaged)?;
        if header.kind != FOLLOWS {
            return Column::decode_alone(stored, rows);
        }
        let source = source.ok_or_else(damaged)?;
        let count = header.words as usize;
        if header.rows as usize != rows || count > FOLLOWING_MAX {
            return Err(damaged());
        }
        Column::decode_alone(values, count)?.followed(count, source, rows).ok_or_else(damaged)
    }

    fn decode_alone(stored: &[u8], rows: usize) -> Result<Column> {
        let (header, compressed) = Header::decode(stored).ok_or_else(damaged)?;
        let Header { kind, flags, width, base, step, shift, .. } = header;
        let (words, bytes) = (header.words as usize, header.bytes as usize);
        let bytes_max = compressed.len().saturating_mul(BYTES_PER_BYTE_MAX).min(PAYLOAD_BYTES_MAX);
        if header.rows as usize != rows || shift > 63 || bytes > bytes_max {
            return Err(damaged());
        }
        let payload = match bytes {
            0 => Vec::new(),
            _ => decompressed(compressed, bytes)?,
        };
        if payload.len() != bytes {
            return Err(damaged());
        }
        let mut rest = PayloadRest { payload: Buffer::from_vec(payload), at: 0 };
        let by_planes = flags & IS_BY_PLANES != 0;
        let values = match kind {
            0 => {
                let offsets = rest.narrow(rows, width, by_planes)?;
                let offsets = match flags & IS_DIFFERENCES {
                    0 => offsets,
                    _ => summed(&offsets, rows, step),
                };
                let largest = offsets.largest();
                Values::Numbers { base, shift, offsets, largest }
            }
            1 if matches!(width, 4 | 8 | 16 | 32) => {
                Values::Fixed { width, bytes: rest.take(rows * usize::from(width))? }
            }
            2 => {
                let codes = rest.narrow(rows, width, by_planes)?;
                if rows > 0 && codes.largest() >= words as u64 {
                    return Err(damaged());
                }
                let words = rest.texts(words)?;
                Values::Texts { codes: Some(codes), words }
            }
            3 => Values::Texts { codes: None, words: rest.texts(rows)? },
            _ => return Err(damaged()),
        };
        let valid = match flags & HAS_NULLS {
            0 => None,
            _ => Some(BooleanBuffer::new(rest.take(rows.div_ceil(8))?, 0, rows)),
        };
        match rest.is_empty() {
            true => Ok(Column { valid, values }),
            false => Err(damaged()),
        }
    }
}

thread_local! {
    /// Its tables are large: making them again takes as long as a small column.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn decompressed(compressed: &[u8], bytes_max: usize) -> Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new().map_err(|_| damaged())?),
        };
        decompressor.decompress(compressed, bytes_max).map_err(|_| damaged())
    })
}

fn damaged() -> Error {
    Error::Corrupt { key: Vec::new(), why: "a column of a segment does not decode" }
}

/// What of the payload is still to be read.
struct PayloadRest {
    payload: Buffer,
    at: usize,
}

impl PayloadRest {
    fn is_empty(&self) -> bool {
        self.at == self.payload.len()
    }

    fn take(&mut self, bytes: usize) -> Result<Buffer> {
        if self.payload.len() - self.at < bytes {
            return Err(damaged());
        }
        self.at += bytes;
        Ok(self.payload.slice_with_length(self.at - bytes, bytes))
    }

    fn narrow(&mut self, rows: usize, width: u8, by_planes: bool) -> Result<Narrow> {
        if !matches!(width, 0 | 1 | 2 | 4 | 8) {
            return Err(damaged());
        }
        let bytes = self.take(rows * usize::from(width))?;
        let bytes = if by_planes && width > 1 { woven(&bytes, rows, width) } else { bytes };
        Ok(Narrow { width, bytes })
    }

    /// So many texts.
    fn texts(&mut self, count: usize) -> Result<BinaryViewArray> {
        let lengths =
            Narrow { width: 4, bytes: self.take(count.checked_mul(4).ok_or_else(damaged)?)? };
        let total: u64 = (0..count).map(|at| lengths.get(at)).sum();
        let texts = self.take(usize::try_from(total).map_err(|_| damaged())?)?;
        let mut views = Vec::with_capacity(count);
        let mut start = 0;
        for at in 0..count {
            let length = lengths.get(at) as usize;
            views.push(make_view(&texts[start..start + length], 0, start as u32));
            start += length;
        }
        let texts = BinaryViewArray::try_new(ScalarBuffer::from(views), [texts], None);
        texts.map_err(|_| damaged())
    }
}

/// Numbers of some width, of planes of their bytes.
fn woven(planes: &[u8], rows: usize, width: u8) -> Buffer {
    // A loop for each width: so the compiler makes wide instructions of them.
    fn of<const N: usize>(planes: &[u8], rows: usize) -> Buffer {
        let planes: [&[u8]; N] = std::array::from_fn(|at| &planes[at * rows..(at + 1) * rows]);
        let number = |row: usize| -> [u8; N] { std::array::from_fn(|at| planes[at][row]) };
        let numbers: Vec<[u8; N]> = (0..rows).map(number).collect();
        Buffer::from_vec(numbers.into_flattened())
    }
    match width {
        2 => of::<2>(planes, rows),
        4 => of::<4>(planes, rows),
        _ => of::<8>(planes, rows),
    }
}

/// Offsets of numbers that were stored as differences, each less the smallest of them.
fn summed(differences: &Narrow, rows: usize, step: u64) -> Narrow {
    let mut sum = 0u64;
    let mut sums = Vec::with_capacity(rows);
    for row in 0..rows {
        if row > 0 {
            sum = sum.wrapping_add(differences.get(row)).wrapping_add(step);
        }
        sums.push(sum);
    }
    let width = width_of(sums.iter().copied().max().unwrap_or(0));
    let mut bytes = Vec::with_capacity(rows * usize::from(width));
    for sum in sums {
        bytes.extend_from_slice(&sum.to_le_bytes()[..usize::from(width)]);
    }
    Narrow { width, bytes: Buffer::from_vec(bytes) }
}
