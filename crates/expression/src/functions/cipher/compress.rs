//! Texts packed with zlib: COMPRESS, UNCOMPRESS, UNCOMPRESSED_LENGTH (MySQL 8.0 manual, 14.13).
//!
//! ```text
//! packed   4 bytes   length of the text, little-endian, of which 30 bits count
//!          ...       what zlib makes of it
//!          '.'       only if that ends with a space, which CHAR columns would lose
//! ```
//! An empty text is an empty one packed, too.
//!
//! Invariants
//! 1. What is packed says how long it will be; memory is taken for that before it is unpacked, and
//!    it never becomes longer.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use values::ErrorCode;
use values::datum::Datum;

use crate::functions::call::Call;
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

const LENGTH_BYTES: usize = 4;
/// Bits of the length that count.
const LENGTH_MASK: u32 = 0x3fff_ffff;
/// zlib's own bytes around a text that cannot be made shorter, and a part of its length.
const ENVELOPE_BYTES: usize = 64;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    use Function as F;
    let mut buffer = Vec::new();
    let bytes = arguments[0].bytes_of(cells[0].datum(), scope.zone, &mut buffer);
    if bytes.is_empty() {
        let length = Cell::Plain(Datum::UInt(0));
        return Ok(if function == F::UncompressedLength { length } else { Cell::Owned(vec![]) });
    }
    if function == F::Compress {
        return compress(bytes, scope);
    }
    let (length, packed) = match bytes.split_first_chunk::<LENGTH_BYTES>() {
        Some((length, packed)) if !packed.is_empty() => {
            (u32::from_le_bytes(*length) & LENGTH_MASK, packed)
        }
        // It would say so in these four bytes.
        _ if function == F::UncompressedLength => {
            corrupted(scope);
            return Ok(Cell::Plain(Datum::UInt(0)));
        }
        _ => return Ok(corrupted(scope)),
    };
    if function == F::UncompressedLength {
        return Ok(Cell::Plain(Datum::UInt(u64::from(length))));
    }
    uncompress(packed, length as usize, scope)
}

fn compress<'a>(text: &[u8], scope: &Scope<'_>) -> Result<Cell<'a>> {
    let bytes_max = text.len() + text.len() / 1000 + ENVELOPE_BYTES;
    let Some(room) = scope.room(Function::Compress.name(), bytes_max)? else { return Ok(NULL) };
    let length = text.len() as u32 & LENGTH_MASK;
    let mut encoder = ZlibEncoder::new(length.to_le_bytes().to_vec(), Compression::default());
    let packed = encoder.write_all(text).and_then(|()| encoder.finish());
    // Nothing can go wrong on the way into memory but the lack of it.
    let mut packed =
        packed.map_err(|source| Error::new(ErrorCode::ZlibZMem, format!("ZLIB: {source}")))?;
    if packed.last() == Some(&b' ') {
        packed.push(b'.');
    }
    Ok(Cell::Counted(packed, room))
}

/// NULL, with a warning, for what was not packed so.
fn uncompress<'a>(packed: &[u8], length: usize, scope: &Scope<'_>) -> Result<Cell<'a>> {
    let bytes_max = scope.limits.value_bytes_max();
    if length > bytes_max {
        scope.warn(ErrorCode::TooBigForUncompress, || {
            format!(
                "Uncompressed data size too large; the maximum size is {bytes_max} (probably, \
                 length of uncompressed data was corrupted)"
            )
        });
        return Ok(NULL);
    }
    let Some(room) = scope.room(Function::Uncompress.name(), length)? else { return Ok(NULL) };
    let mut text = Vec::with_capacity(length);
    // Its capacity bounds what is written to it.
    let mut decoder = Decompress::new(true);
    Ok(match decoder.decompress_vec(packed, &mut text, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) => Cell::Counted(text, room),
        Ok(Status::Ok | Status::BufError) if decoder.total_in() < packed.len() as u64 => {
            scope.warn(ErrorCode::ZlibZBuf, || {
                "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data \
                 was corrupted)"
                    .to_string()
            });
            NULL
        }
        Ok(Status::Ok | Status::BufError) | Err(_) => corrupted(scope),
    })
}

fn corrupted<'a>(scope: &Scope<'_>) -> Cell<'a> {
    scope.warn(ErrorCode::ZlibZData, || "ZLIB: Input data corrupted".to_string());
    NULL
}
