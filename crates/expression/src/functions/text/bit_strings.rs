//! Bits of strings of bytes: `|`, `&`, `^`, `~`, `<<`, `>>` of binary strings give one of the same
//! length, where they give 64 bits of anything else (MySQL 8.0 manual, 14.12;
//! tests/oracle/sql/types.sql).
//!
//! Not here: which operands are such (`functions::make`), bits of numbers (`value::arithmetic`).

use values::ErrorCode;

use crate::functions::call::{Call, whole};
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::Cell;

/// The value of an operator.
///
/// # Errors
/// 3513 for two strings of different lengths.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let mut buffers = [Vec::new(), Vec::new()];
    let [first_buffer, second_buffer] = &mut buffers;
    let zone = call.scope.zone;
    let first = call.arguments[0].bytes_of(cells[0].datum(), zone, first_buffer);
    let second: &[u8] = match (call.arguments.get(1), cells.get(1)) {
        (Some(node), Some(cell)) => node.bytes_of(cell.datum(), zone, second_buffer),
        _ => &[],
    };
    let both = |combine: fn(u8, u8) -> u8| {
        let mut made = first.to_vec();
        combine_bytes(&mut made, second, combine).map(|()| made)
    };
    let made = match call.function {
        Function::BytesAnd => both(|a, b| a & b)?,
        Function::BytesOr => both(|a, b| a | b)?,
        Function::BytesXor => both(|a, b| a ^ b)?,
        Function::BytesNot => first.iter().map(|byte| !byte).collect(),
        Function::BytesLeft | Function::BytesRight => {
            let bits = whole(&cells[1], call.scope).and_then(|bits| usize::try_from(bits).ok());
            shifted(first, bits, call.function == Function::BytesLeft)
        }
        _ => return Err(Error::unknown_function(call.function.name())),
    };
    Ok(Cell::Owned(made))
}

/// Combines each byte of a string with that of another one at its place.
///
/// # Errors
/// 3513 for strings of different lengths.
pub fn combine_bytes(bytes: &mut [u8], others: &[u8], combine: fn(u8, u8) -> u8) -> Result<()> {
    if bytes.len() != others.len() {
        return Err(Error::new(
            ErrorCode::InvalidBitwiseOperandsSize,
            "Binary operands of bitwise operators must be of equal length",
        ));
    }
    bytes.iter_mut().zip(others).for_each(|(byte, other)| *byte = combine(*byte, *other));
    Ok(())
}

/// Bytes moved by so many bits; by less than none, or more than there are, nothing is left of them.
fn shifted(bytes: &[u8], bits: Option<usize>, is_left: bool) -> Vec<u8> {
    let count = bytes.len();
    let Some(bits) = bits.filter(|bits| *bits < 8 * count) else { return vec![0; count] };
    let (whole, rest) = (bits / 8, bits % 8);
    let at = |place: Option<usize>| {
        u16::from(place.and_then(|place| bytes.get(place)).copied().unwrap_or_default())
    };
    (0..count)
        .map(|place| match is_left {
            true => {
                let both = at(Some(place + whole)) << 8 | at(Some(place + whole + 1));
                (both << rest >> 8) as u8
            }
            false => {
                let before = place.checked_sub(whole + 1);
                let both = at(before) << 8 | at(place.checked_sub(whole));
                (both >> rest) as u8
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shifted_as_one_number_of_their_length() {
        for bits in [0, 1, 4, 7, 8, 9, 15, 16, 23] {
            let number = 0x00F0_0F81_u32;
            let bytes = &number.to_be_bytes()[1..];
            let expected = (number << bits & 0x00FF_FFFF).to_be_bytes();
            assert_eq!(shifted(bytes, Some(bits), true), expected[1..], "<< {bits}");
            assert_eq!(shifted(bytes, Some(bits), false), (number >> bits).to_be_bytes()[1..]);
        }
        assert_eq!(shifted(&[1, 2], Some(16), true), [0, 0]);
        assert_eq!(shifted(&[1, 2], None, false), [0, 0]);
    }
}
