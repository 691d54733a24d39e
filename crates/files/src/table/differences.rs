//! Pages whose values are told by their differences, looked over before the decoder believes them:
//! it makes room for as many lengths as the page itself says that it has, and of texts that begin
//! as the one before does for all of them, written out.
//!
//! ```text
//! DELTA_BINARY_PACKED      values per block varint, a multiple of 128; miniblocks per block varint, each
//!                          of a multiple of 32 values; number of values varint; first value zigzag varint
//!   then blocks            smallest difference zigzag varint; a width in bits u8 for each miniblock;
//!                          what each difference is above the smallest, packed, the lowest bits first
//! DELTA_LENGTH_BYTE_ARRAY  lengths as DELTA_BINARY_PACKED; the texts
//! DELTA_BYTE_ARRAY         lengths of what each text has of the one before, as DELTA_BINARY_PACKED; the
//!                          rest of each as DELTA_LENGTH_BYTE_ARRAY
//! ```
//! The last block has no bytes for miniblocks without values, and whole miniblocks otherwise.
//! (Parquet's format, `Encodings.md`.)
//!
//! Invariants
//! 1. Nothing is allocated, and the time that it takes grows with the bytes and with the values
//!    that the page's header has told of.
//!
//! Not here: where the values of a page begin (`page_reader`).

use ::parquet::basic::Encoding;

use super::thrift::{Cursor, Unknown};

/// Values of a block at most; writers have some hundred.
const BLOCK_VALUES_MAX: u64 = 1 << 31;
/// Bits of a length.
const LENGTH_BITS: u32 = i32::BITS;

type UnpackResult<T> = Result<T, Unknown>;

/// What a page's values say of how much there is of them.
pub(super) struct Differences<'b> {
    /// Memory for the lengths that the decoder keeps, in bytes.
    pub lengths_bytes: u64,
    /// How much each text has of the one before, and how long the rest of it is.
    texts: Option<(PackedIntegers<'b>, PackedIntegers<'b>)>,
}

impl<'b> Differences<'b> {
    /// Of the values of a page, which may be so many; `None` when they are not told by differences.
    ///
    /// # Errors
    /// When they are none that the encoding has, or more.
    pub(super) fn of(
        encoding: Encoding,
        values: &'b [u8],
        values_max: u32,
    ) -> UnpackResult<Option<Differences<'b>>> {
        let lengths_bytes =
            |of: &PackedIntegers<'_>| u64::from(of.values) * size_of::<i32>() as u64;
        let (lengths_bytes, texts) = match encoding {
            Encoding::DELTA_BINARY_PACKED => {
                PackedIntegers::new(values, values_max)?;
                (0, None)
            }
            Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                (lengths_bytes(&PackedIntegers::new(values, values_max)?), None)
            }
            Encoding::DELTA_BYTE_ARRAY => {
                let shared = PackedIntegers::new(values, values_max)?;
                let rest = PackedIntegers::new(shared.clone().end()?, values_max)?;
                if shared.values != rest.values {
                    return Err(Unknown::Wrong);
                }
                (lengths_bytes(&shared) * 2, Some((shared, rest)))
            }
            _ => return Ok(None),
        };
        Ok(Some(Differences { lengths_bytes, texts }))
    }

    /// How long all texts are together, written out, of which each begins as the one before does.
    /// Every length is looked at: there should be memory for them.
    ///
    /// # Errors
    /// When they are not within the page.
    pub(super) fn texts_bytes(self) -> UnpackResult<u64> {
        let Some((shared, rest)) = self.texts else { return Ok(0) };
        let mut left = rest.clone().end()?.len() as u64;
        let (mut shared, mut rest) = (Lengths::new(shared), Lengths::new(rest));
        let (mut last, mut all) = (0, 0u64);
        while let (Some(shared), Some(own)) = (shared.next()?, rest.next()?) {
            if shared > last {
                return Err(Unknown::Wrong);
            }
            left = left.checked_sub(own).ok_or(Unknown::Wrong)?;
            last = shared + own;
            // Of 2^32 texts of 2^32 bytes it may be more than it can count.
            all = all.saturating_add(last);
        }
        Ok(all)
    }
}

/// What is left of integers of 32 bits by their differences.
#[derive(Clone)]
struct PackedIntegers<'b> {
    rest: Cursor<'b>,
    /// How many there are in all.
    values: u32,
    first: i64,
    /// Differences that are left.
    left: u64,
    miniblocks: usize,
    miniblock_values: u64,
    smallest: i32,
    /// Of the miniblocks of the block at hand that are left.
    widths: &'b [u8],
}

impl<'b> PackedIntegers<'b> {
    fn new(bytes: &'b [u8], values_max: u32) -> UnpackResult<PackedIntegers<'b>> {
        let mut rest = Cursor(bytes);
        let (block_values, miniblocks) = (rest.varint()?, rest.varint()?);
        let (values, first) = (rest.varint()?, rest.signed()?);
        let values = u32::try_from(values).ok().filter(|values| *values <= values_max);
        let values = values.ok_or(Unknown::Wrong)?;
        if !(128..=BLOCK_VALUES_MAX).contains(&block_values) || !block_values.is_multiple_of(128) {
            return Err(Unknown::Wrong);
        }
        if miniblocks == 0
            || !block_values.is_multiple_of(miniblocks)
            || !(block_values / miniblocks).is_multiple_of(32)
        {
            return Err(Unknown::Wrong);
        }
        Ok(PackedIntegers {
            rest,
            values,
            first,
            left: u64::from(values).saturating_sub(1),
            miniblocks: miniblocks as usize,
            miniblock_values: block_values / miniblocks,
            smallest: 0,
            widths: &[],
        })
    }

    /// The next miniblock: the width of its values, and their bits; `None` behind the last.
    fn miniblock(&mut self) -> UnpackResult<Option<(u32, &'b [u8])>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.widths.is_empty() {
            self.smallest = self.rest.i32()?;
            self.widths = self.rest.bytes(self.miniblocks)?;
        }
        let (width, widths) = self.widths.split_first().ok_or(Unknown::Wrong)?;
        self.widths = widths;
        self.left = self.left.saturating_sub(self.miniblock_values);
        let width = u32::from(*width);
        if width > LENGTH_BITS {
            return Err(Unknown::Wrong);
        }
        let bytes = u64::from(width) * self.miniblock_values / 8;
        let bytes = usize::try_from(bytes).map_err(|_| Unknown::Incomplete)?;
        Ok(Some((width, self.rest.bytes(bytes)?)))
    }

    /// What is behind them.
    fn end(mut self) -> UnpackResult<&'b [u8]> {
        while self.miniblock()?.is_some() {}
        Ok(self.rest.0)
    }
}

/// Lengths, one by one.
struct Lengths<'b> {
    packed: PackedIntegers<'b>,
    /// Lengths that are left.
    left: u32,
    last: i32,
    /// Of the miniblock at hand: the width of its values, their bits, how many were read, and how
    /// many there are.
    width: u32,
    bits: &'b [u8],
    read: u64,
    count: u64,
}

impl<'b> Lengths<'b> {
    fn new(packed: PackedIntegers<'b>) -> Lengths<'b> {
        let left = packed.values;
        Lengths { packed, left, last: 0, width: 0, bits: &[], read: 0, count: 0 }
    }

    /// The next one; `None` behind the last.
    fn next(&mut self) -> UnpackResult<Option<u64>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.left == self.packed.values {
            self.last = i32::try_from(self.packed.first).map_err(|_| Unknown::Wrong)?;
        } else {
            let above = self.above_smallest()?;
            // Differences may be beyond 32 bits, and come back to them.
            self.last = self.last.wrapping_add(self.packed.smallest).wrapping_add(above as i32);
        }
        self.left -= 1;
        u64::try_from(self.last).map(Some).map_err(|_| Unknown::Wrong)
    }

    fn above_smallest(&mut self) -> UnpackResult<u32> {
        if self.read == self.count {
            (self.width, self.bits) = self.packed.miniblock()?.ok_or(Unknown::Wrong)?;
            (self.read, self.count) = (0, self.packed.miniblock_values);
        }
        let bit = self.read * u64::from(self.width);
        self.read += 1;
        let bytes = self.bits.get((bit / 8) as usize..).unwrap_or_default();
        // 32 bits from any of a byte's on are within five bytes.
        let word = match bytes.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            }
        };
        Ok((word >> (bit % 8) & ((1 << self.width) - 1)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(out: &mut Vec<u8>, mut number: u64) {
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    fn zigzag(out: &mut Vec<u8>, number: i64) {
        varint(out, (number << 1 ^ number >> 63) as u64);
    }

    fn head(block: u64, miniblocks: u64, values: u64, first: i64) -> Vec<u8> {
        let mut out = Vec::new();
        varint(&mut out, block);
        varint(&mut out, miniblocks);
        varint(&mut out, values);
        zigzag(&mut out, first);
        out
    }

    /// As a writer would, with four miniblocks in each block of 128.
    fn packed(values: &[i32]) -> Vec<u8> {
        let first = values.first().copied().unwrap_or_default();
        let mut out = head(128, 4, values.len() as u64, first.into());
        let differences = values.windows(2).map(|two| two[1].wrapping_sub(two[0]));
        let differences: Vec<i32> = differences.collect();
        for block in differences.chunks(128) {
            let smallest = *block.iter().min().unwrap();
            zigzag(&mut out, smallest.into());
            let above = |of: &[i32]| -> Vec<u32> {
                of.iter().map(|difference| difference.wrapping_sub(smallest) as u32).collect()
            };
            let miniblocks: Vec<Vec<u32>> = block.chunks(32).map(above).collect();
            let width_of = |of: &Vec<u32>| 32 - of.iter().max().unwrap().leading_zeros();
            let widths: Vec<u32> = miniblocks.iter().map(width_of).collect();
            // Of miniblocks without values the width may be anything.
            out.extend((0..4).map(|at| widths.get(at).map_or(77, |width| *width as u8)));
            for (miniblock, width) in miniblocks.iter().zip(widths) {
                let mut bits = vec![0u8; width as usize * 4];
                for (at, value) in miniblock.iter().enumerate() {
                    for bit in 0..width as usize {
                        let place = at * width as usize + bit;
                        bits[place / 8] |= ((value >> bit & 1) as u8) << (place % 8);
                    }
                }
                out.extend(bits);
            }
        }
        out
    }

    fn lengths(bytes: &[u8], values_max: u32) -> UnpackResult<Vec<u64>> {
        let mut lengths = Lengths::new(PackedIntegers::new(bytes, values_max)?);
        let mut out = Vec::new();
        while let Some(length) = lengths.next()? {
            out.push(length);
        }
        Ok(out)
    }

    #[test]
    fn lengths_are_read_whatever_their_widths_and_their_end_is_found() {
        let mut seed = 7u32;
        let mut any = |bits: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 1 >> (31 - bits)) as i32
        };
        for count in [0, 1, 2, 32, 33, 34, 128, 129, 130, 300, 1000] {
            for bits in [0, 1, 5, 8, 13, 31] {
                let values: Vec<i32> = (0..count).map(|_| any(bits)).collect();
                let mut bytes = packed(&values);
                let expected: Vec<u64> = values.iter().map(|value| *value as u64).collect();
                assert_eq!(lengths(&bytes, count).unwrap(), expected);
                for end in 0..bytes.len() {
                    PackedIntegers::new(&bytes[..end], count)
                        .and_then(PackedIntegers::end)
                        .unwrap_err();
                }
                bytes.extend_from_slice(b"behind");
                assert_eq!(PackedIntegers::new(&bytes, count).unwrap().end(), Ok(&b"behind"[..]));
                if count > 0 {
                    assert!(PackedIntegers::new(&bytes, count - 1).is_err());
                }
            }
        }
        assert_eq!(lengths(&packed(&[3, -1]), 2), Err(Unknown::Wrong));
    }

    /// Bytes of lengths, and of texts.
    fn counted(encoding: Encoding, bytes: &[u8]) -> UnpackResult<(u64, u64)> {
        let differences = Differences::of(encoding, bytes, 1000)?.unwrap();
        Ok((differences.lengths_bytes, differences.texts_bytes()?))
    }

    #[test]
    fn more_values_than_there_may_be_and_blocks_of_no_sense_are_refused() {
        for (encoding, lengths_bytes) in
            [(Encoding::DELTA_BINARY_PACKED, 0), (Encoding::DELTA_LENGTH_BYTE_ARRAY, 4000)]
        {
            assert_eq!(counted(encoding, &head(128, 4, 1000, 5)), Ok((lengths_bytes, 0)));
            for (block, miniblocks, values) in [
                (128, 4, 1001),
                (128, 4, 1 << 28),
                (128, 4, u64::MAX),
                (0, 1, 2),
                (128, 0, 2),
                (128, 8, 2),
                (100, 1, 2),
                (128, 3, 2),
                (1 << 40, 1, 2),
                (1 << 63, 1 << 40, 2),
            ] {
                let bytes = head(block, miniblocks, values, 0);
                let found = counted(encoding, &bytes);
                assert_eq!(found, Err(Unknown::Wrong), "{block} {miniblocks} {values}");
            }
        }
        // A width beyond any, and one block of all values, none of which takes a byte.
        let mut wide = head(128, 1, 9, 0);
        wide.extend_from_slice(&[0, 33]);
        wide.extend_from_slice(&[0; 1000]);
        assert_eq!(PackedIntegers::new(&wide, 9).unwrap().end(), Err(Unknown::Wrong));
        let mut large = head(1 << 31, 1, u32::MAX.into(), 0);
        large.extend_from_slice(&[0, 0, 0, 0]);
        assert_eq!(PackedIntegers::new(&large, u32::MAX).unwrap().end(), Ok(&[][..]));
        assert!(Differences::of(Encoding::PLAIN, b"any", 1).unwrap().is_none());
    }

    /// Texts by what each has of the one before.
    fn texts(shared: &[i32], rest: &[i32], bytes: usize) -> Vec<u8> {
        [packed(shared), packed(rest), vec![b't'; bytes]].concat()
    }

    #[test]
    fn texts_that_begin_alike_are_counted_written_out() {
        let counted = |bytes: &[u8]| counted(Encoding::DELTA_BYTE_ARRAY, bytes);
        // 3, 5 and 1 byte; and two lengths of 4 bytes for each.
        assert_eq!(counted(&texts(&[0, 3, 0], &[3, 2, 1], 6)), Ok((24, 9)));
        // 1,000 bytes again and again.
        let (mut shared, mut rest) = (vec![1000; 500], vec![0; 500]);
        (shared[0], rest[0]) = (0, 1000);
        assert_eq!(counted(&texts(&shared, &rest, 1000)), Ok((4000, 500_000)));
        for (shared, rest, bytes) in [
            // More of the one before than there is; bytes that are not there; no length at all.
            (&[0, 4][..], &[3, 1][..], 4),
            (&[1, 0], &[3, 1], 4),
            (&[0, 0], &[3, 2], 4),
            (&[0, -1], &[3, 1], 4),
            (&[0, 0], &[3, -1], 4),
            (&[0, 0, 0], &[3, 1], 4),
        ] {
            assert_eq!(counted(&texts(shared, rest, bytes)), Err(Unknown::Wrong), "{shared:?}");
        }
    }
}
