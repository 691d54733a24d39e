//! What the header of a Parquet page says of sizes, read before the decoder believes it.
//!
//! ```text
//! PageHeader, Thrift's compact protocol
//! 1 type i32            0 data, 1 index, 2 dictionary, 3 data of version 2
//! 2 uncompressed i32    bytes behind the header, once they are decompressed
//! 3 compressed i32      bytes behind the header
//! 4 checksum i32
//! 5, 7, 8 structs       for data, dictionary, data of version 2: 1 number of values i32, and the
//!                       encoding i32 as 2 (data, dictionary) or 4 (data of version 2)
//! 6 struct              for an index
//! ```
//! (Parquet's format, `parquet.thrift`; Thrift's, `thrift-compact-protocol.md`.)
//!
//! Invariants
//! 1. What is read is what the decoder will read: a header that says something twice, or gives a
//!    known field another type, is none.
//!
//! Not here: what is too much (`pages`).

use super::thrift::{Cursor, ThriftResult, Unknown, once, wire};

/// The encodings that are places in a dictionary: PLAIN_DICTIONARY and RLE_DICTIONARY, which differ
/// in name.
const PLACES: [i32; 2] = [2, 8];

/// The types of the header's fields, from 1 on.
const HEADER: [u8; 8] = [
    wire::I32,
    wire::I32,
    wire::I32,
    wire::I32,
    wire::STRUCT,
    wire::STRUCT,
    wire::STRUCT,
    wire::STRUCT,
];
/// Of data: how many values, three encodings, statistics.
const DATA: &[u8] = &[wire::I32, wire::I32, wire::I32, wire::I32, wire::STRUCT];
/// Of a dictionary: how many values, their encoding, whether they are sorted.
const DICTIONARY: &[u8] = &[wire::I32, wire::I32, wire::TRUE];
/// Of data of version 2: how many values, NULLs and rows, the encoding, bytes of two kinds of
/// levels, whether it is compressed, statistics.
const DATA_2: &[u8] =
    &[wire::I32, wire::I32, wire::I32, wire::I32, wire::I32, wire::I32, wire::TRUE, wire::STRUCT];

/// What a page takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageSizes {
    /// Whether it is what other pages refer to.
    pub dictionary: bool,
    /// Bytes once they are decompressed.
    pub uncompressed: u64,
    /// How many values it has.
    pub values: u64,
    /// The number of their encoding.
    pub encoding: i32,
}

impl PageSizes {
    /// Whether its values are places in a dictionary.
    pub(super) fn has_places(&self) -> bool {
        PLACES.contains(&self.encoding)
    }
}

/// Reads the sizes of the page whose header begins with some bytes.
pub(super) fn page_sizes(bytes: &[u8]) -> ThriftResult<PageSizes> {
    let mut cursor = Cursor(bytes);
    let (mut kind, mut uncompressed, mut compressed) = (None, None, None);
    // Of the structs for data, a dictionary, and data of version 2.
    let mut values = [None; 3];
    let mut last = 0;
    while let Some((id, ty)) = cursor.field_of(&mut last, &HEADER)? {
        let (which, types, encoding) = match (id, ty) {
            (1, wire::I32) => {
                once(&mut kind, cursor.i32()?)?;
                continue;
            }
            (2, wire::I32) => {
                once(&mut uncompressed, cursor.i32()?)?;
                continue;
            }
            (3, wire::I32) => {
                once(&mut compressed, cursor.i32()?)?;
                continue;
            }
            (5, wire::STRUCT) => (0, DATA, 2),
            (7, wire::STRUCT) => (1, DICTIONARY, 2),
            (8, wire::STRUCT) => (2, DATA_2, 4),
            _ => {
                cursor.skip(ty)?;
                continue;
            }
        };
        let found = values_of(&mut cursor, types, encoding)?;
        once(&mut values[which], found)?;
    }
    let (Some(kind), Some(uncompressed), Some(_)) = (kind, uncompressed, compressed) else {
        return Err(Unknown::Wrong);
    };
    let found = match kind {
        0 => values[0],
        2 => values[1],
        3 => values[2],
        // Passed over by the decoder, whatever it holds.
        _ => Some((0, PLACES[0])),
    };
    let (values, encoding) = found.ok_or(Unknown::Wrong)?;
    let count = |number: i32| u64::try_from(number).map_err(|_| Unknown::Wrong);
    Ok(PageSizes {
        dictionary: kind == 2,
        uncompressed: count(uncompressed)?,
        values: count(values)?,
        encoding,
    })
}

/// Of a struct the first field, which is how many values there are, and their encoding.
fn values_of(cursor: &mut Cursor<'_>, types: &[u8], encoding_id: i64) -> ThriftResult<(i32, i32)> {
    let (mut values, mut encoding, mut last) = (None, None, 0);
    while let Some((id, ty)) = cursor.field_of(&mut last, types)? {
        match (id, ty) {
            (1, wire::I32) => once(&mut values, cursor.i32()?)?,
            (id, wire::I32) if id == encoding_id => once(&mut encoding, cursor.i32()?)?,
            _ => cursor.skip(ty)?,
        }
    }
    values.zip(encoding).ok_or(Unknown::Wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page of 300 values, 1,000 bytes that become 4,000, with statistics.
    const PAGE: &[u8] = &[
        0x15, 0x00, 0x15, 0xc0, 0x3e, 0x15, 0xd0, 0x0f, 0x2c, 0x15, 0xd8, 0x04, 0x15, 0x10, 0x15,
        0x06, 0x15, 0x06, 0x1c, 0x18, 0x02, b'h', b'i', 0x00, 0x00, 0x00,
    ];

    #[test]
    fn sizes_are_read_and_what_else_there_is_is_passed_over() {
        let sizes = PageSizes { dictionary: false, uncompressed: 4000, values: 300, encoding: 8 };
        assert_eq!(page_sizes(PAGE), Ok(sizes));
        assert!(sizes.has_places());
        let mut more = PAGE.to_vec();
        more.extend_from_slice(b"the page itself");
        assert_eq!(page_sizes(&more), Ok(sizes));
        // A dictionary, with a checksum before it.
        let dictionary =
            [0x15, 0x04, 0x15, 0x14, 0x15, 0x14, 0x15, 0x07, 0x3c, 0x15, 0x04, 0x15, 0, 0, 0];
        let sizes = PageSizes { dictionary: true, uncompressed: 10, values: 2, encoding: 0 };
        assert_eq!(page_sizes(&dictionary), Ok(sizes));
    }

    #[test]
    fn a_header_that_is_cut_off_is_incomplete_and_one_that_contradicts_itself_is_none() {
        for end in 0..PAGE.len() {
            assert_eq!(page_sizes(&PAGE[..end]), Err(Unknown::Incomplete), "{end}");
        }
        // The uncompressed size a second time, under its number.
        let mut twice = PAGE[..PAGE.len() - 1].to_vec();
        twice.extend_from_slice(&[0x05, 0x04, 0x02, 0x00]);
        assert_eq!(page_sizes(&twice), Err(Unknown::Wrong));
        let negative = [0x15, 0, 0x15, 1, 0x15, 0, 0x2c, 0x15, 0, 0x15, 0, 0, 0];
        assert_eq!(page_sizes(&negative), Err(Unknown::Wrong));
        // An index' struct as a number: the decoder would take what follows for the struct.
        let header = &PAGE[..PAGE.len() - 1];
        page_sizes(&[header, &[0x1c, 0x00, 0x00]].concat()).unwrap();
        assert_eq!(page_sizes(&[header, &[0x15, 0x00, 0x00]].concat()), Err(Unknown::Wrong));
        // 65,542, whose lower half is 6; and a list of truths under a number of no meaning.
        assert_eq!(
            page_sizes(&[header, &[0x05, 0x8c, 0x80, 0x08, 0, 0]].concat()),
            Err(Unknown::Wrong)
        );
        assert_eq!(page_sizes(&[header, &[0x89, 0x21, 0, 0, 0, 0]].concat()), Err(Unknown::Wrong));
        let nested: Vec<u8> = [0x15, 0x00].iter().copied().chain([0x4c; 100]).collect();
        assert_eq!(page_sizes(&nested), Err(Unknown::Wrong));
    }
}
