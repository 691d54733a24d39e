//! A record of RocksDB's list of files, the MANIFEST, that takes files out of it.
//!
//! ```text
//! 6, level, number of the file, all varints, once for each      (RocksDB's `db/version_edit.cc`)
//! ```
//!
//! Invariants
//! 1. What is written is read by RocksDB and by `records` wherever in a block it begins.
//!
//! Not here: which files are lost (`lost_files`), lists that are torn (`manifest`).

use super::fragments::{BLOCK_BYTES, FIRST, HEAD_BYTES, LAST, MIDDLE, WHOLE, written};

const DELETED_FILE: u8 = 6;

/// What takes files, each by its level and number, out of a list that has so many bytes: to be
/// written at its end.
pub(crate) fn without(files: impl Iterator<Item = (i32, u64)>, list_bytes: u64) -> Vec<u8> {
    let mut record = Vec::new();
    for (level, number) in files {
        record.push(DELETED_FILE);
        push_varint(level as u64, &mut record);
        push_varint(number, &mut record);
    }
    fragments(&record, list_bytes)
}

/// A record as the fragments of a file that has so many bytes.
fn fragments(record: &[u8], file_bytes: u64) -> Vec<u8> {
    let mut at = (file_bytes % BLOCK_BYTES as u64) as usize;
    let (mut bytes, mut rest, mut is_first) = (Vec::new(), record, true);
    loop {
        let left = BLOCK_BYTES - at;
        if left < HEAD_BYTES {
            bytes.resize(bytes.len() + left, 0);
            at = 0;
            continue;
        }
        let data;
        (data, rest) = rest.split_at(rest.len().min(left - HEAD_BYTES));
        let kind = match (is_first, rest.is_empty()) {
            (true, true) => WHOLE,
            (true, false) => FIRST,
            (false, false) => MIDDLE,
            (false, true) => LAST,
        };
        bytes.extend(written(kind, data));
        if rest.is_empty() {
            return bytes;
        }
        at = (at + HEAD_BYTES + data.len()) % BLOCK_BYTES;
        is_first = false;
    }
}

fn push_varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::internals::records::{LogItem, Records};

    #[test]
    fn a_record_is_read_again_wherever_its_block_ends() {
        for at in [0, 1, BLOCK_BYTES - 20, BLOCK_BYTES - 8, BLOCK_BYTES - 7, BLOCK_BYTES - 3] {
            for length in [1, 12, 2 * BLOCK_BYTES] {
                let record: Vec<u8> = (0..length).map(|number| number as u8).collect();
                let mut bytes = match at {
                    0..HEAD_BYTES => Vec::new(),
                    at => written(WHOLE, &vec![1; at - HEAD_BYTES]),
                };
                let begins = bytes.len();
                bytes.extend(fragments(&record, begins as u64));
                let file = tempfile::NamedTempFile::new().expect("a file");
                fs::write(file.path(), &bytes).expect("written");
                let mut records = Records::open(file.path(), bytes.len()).expect("opened");
                let mut last = Vec::new();
                loop {
                    match records.next().expect("read") {
                        LogItem::Record => last = records.head().to_vec(),
                        LogItem::End => break,
                        LogItem::Damage(damage) => panic!("{damage:?}"),
                    }
                }
                assert_eq!(last, record, "{length} bytes at {begins}");
            }
        }
    }
}
