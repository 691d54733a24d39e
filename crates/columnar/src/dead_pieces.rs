//! Dead rows of segments of a columnar index, by pieces of 4096 rows.
//!
//! ```text
//! up to 255 of them    position in the piece u16, little-endian, ascending, for each
//! more                 512 bytes: a bit for each row of the piece, the first in the lowest bit
//! ```
//! The mover alone writes them, so it reads and writes a piece whole. The rows of a commit are in
//! the order of their keys, as segments are; so few pieces are touched by it.
//!
//! Not here: which rows die (`index::mover`), what of a segment is alive then (`state`).

use std::collections::BTreeMap;

use rows::error::{Error, Result};
use rows::store::{Change, Direction, Reach, Read};

use crate::keys::{self, DEAD, Home, Place, SegmentId};

/// Rows of a piece.
const CHUNK_ROWS: u32 = 4096;
const BITMAP_BYTES: usize = CHUNK_ROWS as usize / 8;
/// So many are listed.
const LISTED_MAX: usize = BITMAP_BYTES / 2 - 1;

/// Positions in a piece, ascending.
fn decode(value: &[u8]) -> Option<Vec<u16>> {
    if value.len() != BITMAP_BYTES {
        let (positions, rest) = value.as_chunks::<2>();
        let positions: Vec<u16> = positions.iter().map(|at| u16::from_le_bytes(*at)).collect();
        let is_right = positions.is_sorted_by(|a, b| a < b)
            && positions.last().is_none_or(|last| u32::from(*last) < CHUNK_ROWS);
        return (rest.is_empty() && is_right).then_some(positions);
    }
    let has = |at: &u16| value[usize::from(*at / 8)] >> (at % 8) & 1 == 1;
    Some((0..CHUNK_ROWS as u16).filter(has).collect())
}

fn encode(positions: &[u16]) -> Vec<u8> {
    if positions.len() <= LISTED_MAX {
        return positions.iter().flat_map(|at| at.to_le_bytes()).collect();
    }
    let mut bits = vec![0; BITMAP_BYTES];
    for at in positions {
        bits[usize::from(at / 8)] |= 1 << (at % 8);
    }
    bits
}

pub(crate) fn damaged(key: &[u8]) -> Error {
    Error::Corrupt { key: key.to_vec(), why: "dead rows of a segment do not decode" }
}

/// Reads those of all segments, ascending.
pub(crate) fn read(home: Home, view: &dyn Read) -> Result<BTreeMap<SegmentId, Vec<u32>>> {
    let mut dead: BTreeMap<SegmentId, Vec<u32>> = BTreeMap::new();
    let mut cursor = view.scan(&keys::range(home, DEAD), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        let (key, value) = cursor.entry();
        let (segment, rest) = keys::segment_of(home, key).ok_or_else(|| damaged(key))?;
        let chunk = u16::from_be_bytes(rest.try_into().map_err(|_| damaged(key))?);
        let first = u32::from(chunk) * CHUNK_ROWS;
        let positions = decode(value).ok_or_else(|| damaged(key))?;
        let positions = positions.into_iter().map(|at| first + u32::from(at));
        dead.entry(segment).or_default().extend(positions);
    }
    Ok(dead)
}

/// What is to be written when places die, by the state of now.
pub(crate) fn add(
    home: Home,
    store: &dyn Read,
    places: impl Iterator<Item = Place>,
    changes: &mut Vec<Change>,
) -> Result<()> {
    let mut chunks: BTreeMap<(SegmentId, u16), Vec<u16>> = BTreeMap::new();
    for place in places {
        let chunk = (place.segment, (place.position / CHUNK_ROWS) as u16);
        chunks.entry(chunk).or_default().push((place.position % CHUNK_ROWS) as u16);
    }
    let mut value = Vec::new();
    for ((segment, chunk), mut positions) in chunks {
        let key = keys::chunk(home, segment, chunk);
        if store.get(&key, Reach::Disk, &mut value)? {
            positions.extend(decode(&value).ok_or_else(|| damaged(&key))?);
        }
        positions.sort_unstable();
        positions.dedup();
        changes.push(Change::put(key, encode(&positions)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written_few_or_many() {
        for step in [1, 2, 15, 16, 17, 4095, 5000] {
            let positions: Vec<u16> = (0..CHUNK_ROWS as u16).step_by(step).collect();
            let value = encode(&positions);
            assert!(value.len() <= BITMAP_BYTES);
            assert_eq!(decode(&value), Some(positions));
        }
        assert_eq!(decode(&[]), Some(Vec::new()));
    }

    #[test]
    fn what_was_not_written_so_is_refused() {
        assert_eq!(decode(&[1]), None);
        assert_eq!(decode(&[5, 0, 5, 0]), None);
        assert_eq!(decode(&[0, 0x10]), None);
    }
}
