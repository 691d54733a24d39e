//! Bytes of characters in sets of several bytes, as MySQL 9.7 has them: `multiple.tables` lists
//! them (`scripts/collation-weights charsets`).
//!
//! Invariants
//! 1. A set has the characters that MySQL's has, and no others of the same name elsewhere.
//!
//! Not here: bytes as characters, which `encoding_rs` reads but for a few (`misread`); gb18030,
//! which has all characters (`encoding_rs` writes it as MySQL does).

use std::sync::{LazyLock, OnceLock};

use encoding_rs::Encoding;

use super::single::same;
use crate::numbers::{Numbers, inflated};

/// Their names, in the order of the file, and the place of the set that one is near.
const MULTIPLE_BYTE_SETS: [(&str, Option<usize>); 8] = [
    ("big5", None),
    ("cp932", None),
    ("eucjpms", None),
    ("euckr", None),
    ("gbk", None),
    ("gb2312", Some(4)),
    ("sjis", Some(1)),
    ("ujis", Some(2)),
];

/// Of each set its characters in order, each with its bytes as a number.
static TABLES: LazyLock<Vec<Vec<(u32, u32)>>> = LazyLock::new(|| {
    let bytes = inflated(include_bytes!("multiple.tables"));
    let mut numbers = Numbers::new(&bytes);
    let mut tables: Vec<Vec<(u32, u32)>> = Vec::new();
    for (_, near) in MULTIPLE_BYTE_SETS {
        let table = read(&mut numbers, near.map_or(&[], |near| &tables[near]));
        tables.push(table);
    }
    tables
});

/// One of these sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MultipleByteSet(u8);

impl MultipleByteSet {
    /// The set of a name; `None` for one that is not here.
    pub(super) const fn named(name: &str) -> Option<MultipleByteSet> {
        let mut at = 0;
        while at < MULTIPLE_BYTE_SETS.len() {
            if same(MULTIPLE_BYTE_SETS[at].0, name) {
                return Some(MultipleByteSet(at as u8));
            }
            at += 1;
        }
        None
    }

    /// Its characters in order, each with its bytes as a number.
    pub(super) fn codes(self) -> &'static [(u32, u32)] {
        &TABLES[usize::from(self.0)]
    }

    /// Characters that `encoding_rs` reads where this set has others, in order, each with the one
    /// that it has: U+FF5E is U+301C in sjis.
    pub(super) fn misread(self, encoding: &'static Encoding) -> &'static [(char, char)] {
        static MISREAD: [OnceLock<Vec<(char, char)>>; MULTIPLE_BYTE_SETS.len()] =
            [const { OnceLock::new() }; MULTIPLE_BYTE_SETS.len()];
        MISREAD[usize::from(self.0)].get_or_init(|| misread_of(self.codes(), encoding))
    }
}

fn misread_of(codes: &[(u32, u32)], encoding: &'static Encoding) -> Vec<(char, char)> {
    let mut bytes = Vec::new();
    let mut read = |number: u32| {
        bytes.clear();
        push_code(number, &mut bytes);
        let decoded = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
        let mut characters = decoded.chars();
        characters.next().filter(|_| characters.next().is_none())
    };
    let mut misread = Vec::new();
    for (character, number) in codes {
        let (Some(own), Some(read)) = (char::from_u32(*character), read(*number)) else { continue };
        // What it has elsewhere it means there.
        if own != read && code(codes, read).is_none() {
            misread.push((read, own));
        }
    }
    misread.sort_unstable();
    misread.dedup_by_key(|(read, _)| *read);
    misread
}

/// A text with the characters that a set has instead of those that were read.
pub(super) fn put_right(text: String, misread: &[(char, char)]) -> String {
    if misread.is_empty() || text.is_ascii() {
        return text;
    }
    let own = |read: char| match misread.binary_search_by_key(&read, |(read, _)| *read) {
        Ok(at) => misread[at].1,
        Err(_) => read,
    };
    text.chars().map(own).collect()
}

/// The bytes of a character as a number, if the set has it.
pub(super) fn code(codes: &[(u32, u32)], character: char) -> Option<u32> {
    let at = codes.binary_search_by_key(&u32::from(character), |(known, _)| *known).ok()?;
    Some(codes[at].1)
}

/// Appends the bytes that a number stands for.
pub(super) fn push_code(code: u32, out: &mut Vec<u8>) {
    let bytes = code.to_be_bytes();
    // Zero is a byte, too.
    let first = (code.leading_zeros() as usize / 8).min(3);
    out.extend_from_slice(&bytes[first..]);
}

fn read(numbers: &mut Numbers<'_>, near: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let (mut character, mut code) = (0, 0i32);
    let mut own = Vec::new();
    for _ in 0..numbers.number() {
        character += numbers.number();
        code += numbers.difference();
        own.push((character, code as u32));
    }
    if near.is_empty() {
        return own;
    }
    let is_own =
        |(known, _): &&(u32, u32)| own.binary_search_by_key(known, |(one, _)| *one).is_ok();
    let mut all: Vec<(u32, u32)> = near.iter().filter(|one| !is_own(one)).copied().collect();
    // A code of 0 is that of no character but U+0000, which no set has otherwise.
    all.extend(own.iter().filter(|(_, code)| *code != 0));
    all.sort_unstable();
    all
}
