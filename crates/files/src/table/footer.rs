//! The end of a Parquet file, which describes the rest, looked over before the decoder believes it:
//! of lists it makes room for as many elements as are said to be there, and columns within columns
//! it reads by calling itself.
//!
//! ```text
//! footer       FileMetaData, Thrift's compact protocol
//! length u32   of the footer, little-endian
//! PAR1
//!
//! FileMetaData: 2 schema, a list of structs whose 5 is a number of children i32; 4 row groups, a list
//! ```
//! (Parquet's format, `parquet.thrift`.)
//!
//! Not here: what it says (`parquet`).

use expression::Limits;
use expression::limits::Room;

use super::opened::OpenedFile;
use super::thrift::{Cursor, ThriftResult as Read, Unknown, wire};
use results::Result;

/// Columns, those that others are within included.
const COLUMNS_MAX: usize = 1 << 16;
/// Columns within each other.
const NESTED_MAX: usize = 64;
/// Row groups, whose numbers have 16 bits.
const GROUPS_MAX: usize = i16::MAX as usize;
/// The types of the footer's fields, from 1 on: version, schema, rows, row groups, words and their
/// values, who wrote it, orders of columns, encryption, and what signs it.
const FOOTER: &[u8] = &[
    wire::I32,
    wire::LIST,
    wire::I64,
    wire::LIST,
    wire::LIST,
    wire::BINARY,
    wire::LIST,
    wire::STRUCT,
    wire::BINARY,
];
/// Of a column: type, length, repetition, name, children, converted type, scale, precision, number,
/// logical type.
const COLUMN: &[u8] = &[
    wire::I32,
    wire::I32,
    wire::I32,
    wire::BINARY,
    wire::I32,
    wire::I32,
    wire::I32,
    wire::I32,
    wire::I32,
    wire::STRUCT,
];
/// Bytes of memory for each of the footer, about, once it is read.
const BYTES_PER_BYTE: usize = 8;

/// The footer of a file, and the memory for it.
///
/// # Errors
/// 3000 for a file that has none, 1024 when it cannot be read, 1041 when there is too little
/// memory.
pub(super) fn footer(file: &OpenedFile, limits: &Limits) -> Result<(Vec<u8>, Room)> {
    let end = file.read(file.bytes().saturating_sub(8), 8)?;
    let Some((length, b"PAR1")) = end.split_first_chunk() else {
        return Err(file.damaged("it does not end as a Parquet file does"));
    };
    let length = u32::from_le_bytes(*length) as usize;
    // It stands behind four bytes with which the file begins.
    let start = file.bytes().checked_sub(12 + length as u64);
    let start = start.ok_or_else(|| file.damaged("it is shorter than its footer"))? + 4;
    let room = limits.take(length * BYTES_PER_BYTE)?;
    let footer = file.read(start, length)?;
    match check(&footer) {
        Ok(()) => Ok((footer, room)),
        Err(_) => Err(file.damaged("its footer describes no file")),
    }
}

fn check(footer: &[u8]) -> Read<()> {
    let mut cursor = Cursor(footer);
    let mut last = 0;
    while let Some((id, ty)) = cursor.field_of(&mut last, FOOTER)? {
        match (id, ty) {
            (2, wire::LIST) => schema(&mut cursor)?,
            (4, wire::LIST) => {
                let mut ahead = Cursor(cursor.0);
                if ahead.list()?.1 > GROUPS_MAX {
                    return Err(Unknown::Wrong);
                }
                cursor.skip(ty)?;
            }
            _ => cursor.skip(ty)?,
        }
    }
    Ok(())
}

/// Columns, each before those within it.
fn schema(cursor: &mut Cursor<'_>) -> Read<()> {
    let (ty, mut left) = cursor.list()?;
    // Of the columns around the next one, how many each still has.
    let mut around: Vec<usize> = Vec::new();
    if left > COLUMNS_MAX {
        return Err(Unknown::Wrong);
    }
    while left > 0 {
        if ty != wire::STRUCT {
            return Err(Unknown::Wrong);
        }
        left -= 1;
        let (mut children, mut last) = (0, 0);
        while let Some((id, ty)) = cursor.field_of(&mut last, COLUMN)? {
            match (id, ty) {
                (5, wire::I32) => {
                    children = usize::try_from(cursor.i32()?).map_err(|_| Unknown::Wrong)?;
                }
                _ => cursor.skip(ty)?,
            }
        }
        while around.last() == Some(&0) {
            around.pop();
        }
        if let Some(more) = around.last_mut() {
            *more -= 1;
        }
        if children > 0 {
            around.push(children);
        }
        if children > left || around.len() > NESTED_MAX {
            return Err(Unknown::Wrong);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with a schema of such numbers of children, and a list of so many row groups.
    fn footer_of(children: &[u8], groups: u8) -> Vec<u8> {
        // 1: version 1; 2: a list of structs.
        let mut out = vec![0x15, 0x02, 0x19, 0xfc, children.len() as u8];
        for count in children {
            // 4: a name; 5: that number.
            out.extend_from_slice(&[0x48, 0x01, b'c', 0x15, count * 2, 0x00]);
        }
        // 3: rows; 4: a list of empty structs.
        out.extend_from_slice(&[0x16, 0x00, 0x19, 0xfc, groups]);
        out.extend(std::iter::repeat_n(0x00, usize::from(groups)));
        out.push(0x00);
        out
    }

    #[test]
    fn lists_longer_than_the_footer_and_columns_far_within_columns_are_refused() {
        check(&footer_of(&[2, 0, 2, 0, 0], 3)).unwrap();
        check(&footer_of(&[1; 60], 0)).unwrap_err();
        let nested = |depth: usize| [vec![1; depth], vec![0]].concat();
        check(&footer_of(&nested(60), 0)).unwrap();
        check(&footer_of(&nested(70), 0)).unwrap_err();
        // More children than there are columns.
        check(&footer_of(&[3, 0, 0], 0)).unwrap_err();
        let good = footer_of(&[1, 0], 2);
        for end in 0..good.len() {
            assert_eq!(check(&good[..end]), Err(Unknown::Incomplete), "{end}");
        }
        // 2^31 - 1 row groups.
        let many = [&[0x49, 0xfc][..], &[0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00]].concat();
        assert_eq!(check(&many), Err(Unknown::Incomplete));
    }
}
