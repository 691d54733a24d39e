//! Digests, check sums, encodings and UUIDs.

use md5::Md5;
use uuid::Uuid;
use values::ErrorCode;
use values::codes::{crc32, from_base64_lines, to_base64, write_hex};
use values::datum::Datum;

use crate::functions::call::{Call, int, whole};
use crate::functions::text::calls::{made, texts_of};
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// Characters of a line of base 64, as MySQL breaks it.
const BASE64_LINE: usize = 76;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let text = texts[0];
    Ok(match function {
        Function::Md5 => {
            use md5::Digest;
            Cell::Owned(write_hex(&Md5::digest(text), false))
        }
        Function::Sha1 => {
            use sha1::Digest;
            Cell::Owned(write_hex(&sha1::Sha1::digest(text), false))
        }
        Function::Sha2 => {
            use sha2::Digest;
            match whole(&cells[1], scope) {
                Some(0 | 256) => Cell::Owned(write_hex(&sha2::Sha256::digest(text), false)),
                Some(224) => Cell::Owned(write_hex(&sha2::Sha224::digest(text), false)),
                Some(384) => Cell::Owned(write_hex(&sha2::Sha384::digest(text), false)),
                Some(512) => Cell::Owned(write_hex(&sha2::Sha512::digest(text), false)),
                _ => {
                    scope.warn(ErrorCode::WrongParametersToNativeFct, || {
                        "Incorrect parameters in the call to native function 'sha2'".to_string()
                    });
                    NULL
                }
            }
        }
        Function::Crc32 | Function::Crc32c => {
            // With two arguments the first one is the sum of what stands before.
            let (before, bytes) = match cells {
                [before, _] => (whole(before, scope).unwrap_or(0) as u32, texts[1]),
                _ => (0, text),
            };
            let sum = match function {
                Function::Crc32 => crc32(before, bytes),
                _ => crc32c::crc32c_append(before, bytes),
            };
            Cell::Plain(Datum::UInt(u64::from(sum)))
        }
        Function::ToBase64 => {
            let digits = text.len().div_ceil(3).saturating_mul(4);
            // A line break behind each 76 but the last.
            let bytes = digits + digits.saturating_sub(1) / 76;
            made(function, bytes, scope, || to_base64(text, Some(BASE64_LINE)))?
        }
        Function::FromBase64 => from_base64_lines(text).map_or(NULL, Cell::Owned),
        Function::UuidToBin => match parse_uuid(text) {
            Some(bytes) => {
                let swap = cells.get(1).and_then(|cell| whole(cell, scope)) == Some(1);
                Cell::Owned(if swap { swap_times(bytes) } else { bytes.to_vec() })
            }
            None => {
                let shown = String::from_utf8_lossy(text);
                return Err(Error::new(
                    ErrorCode::WrongValueForType,
                    format!("Incorrect string value: '{shown}' for function uuid_to_bin"),
                ));
            }
        },
        Function::BinToUuid => match <[u8; 16]>::try_from(text) {
            Ok(bytes) => {
                let swap = cells.get(1).and_then(|cell| whole(cell, scope)) == Some(1);
                let bytes = if swap { unswap_times(bytes) } else { bytes };
                Cell::Owned(Uuid::from_bytes(bytes).to_string().into_bytes())
            }
            Err(_) => {
                let shown = String::from_utf8_lossy(text);
                return Err(Error::new(
                    ErrorCode::WrongValueForType,
                    format!("Incorrect string value: '{shown}' for function bin_to_uuid"),
                ));
            }
        },
        Function::IsUuid => int(i64::from(parse_uuid(text).is_some())),
        _ => return Err(Error::unknown_function(function.name())),
    })
}

/// A UUID with dashes, with braces around it or without, or in digits alone.
fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let is_known = matches!(text.len(), 32 | 36 | 38);
    let read = is_known.then(|| Uuid::try_parse_ascii(text).ok()).flatten();
    read.map(Uuid::into_bytes)
}

/// Puts the slowly changing part first, so that UUIDs made in order are stored in order.
fn swap_times(bytes: [u8; 16]) -> Vec<u8> {
    [&bytes[6..8], &bytes[4..6], &bytes[..4], &bytes[8..]].concat()
}

fn unswap_times(bytes: [u8; 16]) -> [u8; 16] {
    let mut out = bytes;
    out[..4].copy_from_slice(&bytes[4..8]);
    out[4..6].copy_from_slice(&bytes[2..4]);
    out[6..8].copy_from_slice(&bytes[..2]);
    out
}
