//! Character sets of single bytes, as MySQL 9.7 has them: `single.tables` lists the character of
//! each byte (`scripts/collation-weights charsets`).
//!
//! Not here: sets of several bytes (`multiple`), of two or four (`wide`).

use std::sync::LazyLock;

use crate::numbers::inflated;

/// Their names, in the order of the file.
const SINGLE_BYTE_SETS: [&str; 25] = [
    "armscii8", "ascii", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "dec8",
    "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u", "latin1", "latin2", "latin5",
    "latin7", "macce", "macroman", "swe7", "tis620",
];
const BYTES: usize = 256;
/// Stands for a byte that is no character.
const MISSING: char = char::REPLACEMENT_CHARACTER;

static TABLES: LazyLock<Vec<SingleByteTable>> = LazyLock::new(|| {
    let bytes = inflated(include_bytes!("single.tables"));
    bytes.chunks(2 * BYTES).map(SingleByteTable::read).collect()
});

/// One of these sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SingleByteSet(u8);

impl SingleByteSet {
    /// The set of a name.
    ///
    /// # Panics
    /// When there is none: names are part of the program.
    pub(super) const fn named(name: &str) -> SingleByteSet {
        let mut at = 0;
        while !same(SINGLE_BYTE_SETS[at], name) {
            at += 1;
        }
        SingleByteSet(at as u8)
    }

    fn table(self) -> &'static SingleByteTable {
        &TABLES[usize::from(self.0)]
    }

    /// The character of a byte, if it is one.
    pub(super) fn character(self, byte: u8) -> Option<char> {
        Some(self.table().characters[usize::from(byte)]).filter(|known| *known != MISSING)
    }

    /// The byte of a character, if it has one.
    pub(super) fn byte(self, character: char) -> Option<u8> {
        let table = self.table();
        let own = u8::try_from(character).ok().filter(u8::is_ascii);
        if let Some(byte) = own.filter(|byte| self.character(*byte) == Some(character)) {
            return Some(byte);
        }
        let at = table.bytes.binary_search_by_key(&character, |(known, _)| *known).ok()?;
        Some(table.bytes[at].1)
    }

    /// Whether ASCII is the same bytes in it.
    pub(super) const fn has_ascii(self) -> bool {
        !same(SINGLE_BYTE_SETS[self.0 as usize], "swe7")
    }
}

pub(super) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

struct SingleByteTable {
    characters: [char; BYTES],
    /// In the order of characters; of two bytes that are the same character the lower one.
    bytes: Vec<(char, u8)>,
}

impl SingleByteTable {
    fn read(numbers: &[u8]) -> SingleByteTable {
        let mut characters = [MISSING; BYTES];
        let (pairs, _) = numbers.as_chunks::<2>();
        for (character, pair) in characters.iter_mut().zip(pairs) {
            *character = char::from_u32(u16::from_le_bytes(*pair).into()).unwrap_or(MISSING);
        }
        let known = characters.iter().zip(0..=u8::MAX).filter(|(known, _)| **known != MISSING);
        let mut bytes: Vec<(char, u8)> = known.map(|(known, byte)| (*known, byte)).collect();
        bytes.sort_unstable();
        bytes.dedup_by_key(|(known, _)| *known);
        SingleByteTable { characters, bytes }
    }
}
