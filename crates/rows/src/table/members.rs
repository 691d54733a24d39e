//! Entries of member indexes: what a row has in each, and where those lie that are looked for.
//!
//! ```text
//! table id u32 | index id u16 | part | primary key parts        value: u16, where the primary key begins
//!
//! LEXICAL    01 text        00 where the object has no such member
//! DECIMAL    01 number      likewise
//! TOKEN      token          one for each
//! QGRAM      characters     one for each part
//! ```
//! A text is written as a VARBINARY, a number as a DOUBLE. Of a text only so many bytes are there,
//! so that longer ones may share an entry's part.
//!
//! Invariants
//! 1. Entries are made of the row alone, so that those of a row as it was are found again to be
//!    removed.
//! 2. A look in a range of these finds every row that has such a member; a row that is found may
//!    have another, and is asked once more.
//!
//! Not here: what is read of a text (`member`), writing entries (`transaction`), rows found
//! (`postings`).

use std::ops::Range;

use values::datum::Datum;
use values::key;
use values::member::{self, MemberKind};
use values::types::ColumnType;

use super::entries::IndexEntry;
use super::keys::{PREFIX_BYTES, key_prefix};
use super::ranges::successor;
use super::version::Table;
use crate::error::{Error, Result};
use crate::schema::{MemberIndex, TableDefinition};
use crate::store::KeyRange;

/// Bytes of a text that an entry has at most.
pub const MEMBER_TEXT_BYTES_MAX: usize = 512;
/// Bytes that the entries of one row may have together: of very long texts, that are cut in words,
/// there are many.
pub const MEMBER_ENTRIES_BYTES_MAX: usize = 16 << 20;

const ABSENT: u8 = 0;
const PRESENT: u8 = 1;

/// A member index with what its keys need.
#[derive(Clone, Debug)]
pub struct MemberCodec {
    prefix: [u8; PREFIX_BYTES],
    /// Position of the column in the table.
    pub column: usize,
    /// The member's name.
    pub member: String,
    /// What it has entries of.
    pub kind: MemberKind,
}

impl MemberCodec {
    /// Of an index of a table, whose definition has been checked.
    pub(super) fn new(definition: &TableDefinition, index: &MemberIndex) -> MemberCodec {
        let prefix = key_prefix(definition.id, index.id);
        let column = definition.column(&index.column).expect("a definition without faults");
        MemberCodec { prefix, column, member: index.member.clone(), kind: index.kind }
    }

    /// The parts of the entries of a member, each once, if they leave room.
    fn parts(&self, text: Option<&str>, room: &Room) -> Result<Vec<Vec<u8>>> {
        let texts =
            |texts: Vec<&[u8]>| texts.into_iter().map(|text| self.text_part(text)).collect();
        Ok(match (self.kind, text) {
            (MemberKind::Lexical | MemberKind::Decimal, None) => vec![vec![ABSENT]],
            (MemberKind::Token | MemberKind::Qgram, None) => Vec::new(),
            (MemberKind::Lexical, Some(text)) => vec![self.text_part(text.as_bytes())],
            (MemberKind::Decimal, Some(text)) => vec![number_part(member::number(text.as_bytes()))],
            (MemberKind::Token, Some(text)) => {
                texts(room.distinct(member::tokens(text.as_bytes()).map(cut))?)
            }
            (MemberKind::Qgram, Some(text)) => {
                let text = member::normalized(text.as_bytes());
                texts(room.distinct(member::parts(&text).map(str::as_bytes))?)
            }
        })
    }

    /// What precedes a text of this kind.
    fn front(&self) -> &'static [u8] {
        match self.kind {
            MemberKind::Lexical | MemberKind::Decimal => &[PRESENT],
            MemberKind::Token | MemberKind::Qgram => &[],
        }
    }

    fn text_part(&self, text: &[u8]) -> Vec<u8> {
        let mut part = self.front().to_vec();
        let text = Datum::Bytes(cut(text));
        key::encode_part(&VARBINARY, false, None, text, &mut part);
        part
    }

    fn with(&self, part: &[u8]) -> Vec<u8> {
        [&self.prefix[..], part].concat()
    }

    fn beginning(&self, part: &[u8]) -> KeyRange {
        let start = self.with(part);
        KeyRange { end: successor(&start), start }
    }

    /// All entries.
    pub fn all(&self) -> KeyRange {
        self.beginning(&[])
    }

    /// Entries of rows without the member; of LEXICAL and DECIMAL.
    pub fn absent(&self) -> KeyRange {
        self.beginning(&[ABSENT])
    }

    /// Entries of rows that have the member; of LEXICAL and DECIMAL.
    pub fn present(&self) -> KeyRange {
        self.beginning(&[PRESENT])
    }

    /// Entries of a text, a token or a part; not of DECIMAL.
    pub fn equal(&self, text: &[u8]) -> KeyRange {
        self.beginning(&self.text_part(text))
    }

    /// Entries of texts, tokens or parts that begin so; not of DECIMAL.
    pub fn begins(&self, text: &[u8]) -> KeyRange {
        let mut part = self.text_part(text);
        // What ends a text.
        part.truncate(part.len() - 2);
        self.beginning(&part)
    }

    /// Entries of numbers from one to another, both included; of DECIMAL.
    pub fn between(&self, least: f64, most: f64) -> KeyRange {
        let (start, last) = (self.with(&number_part(least)), self.with(&number_part(most)));
        KeyRange { start, end: successor(&last) }
    }

    /// Entries of numbers above one; of DECIMAL.
    pub fn above(&self, number: f64) -> KeyRange {
        KeyRange { start: self.between(number, number).end, end: self.present().end }
    }

    /// Entries of numbers below one; of DECIMAL.
    pub fn below(&self, number: f64) -> KeyRange {
        KeyRange { start: self.present().start, end: self.between(number, number).start }
    }

    /// Whether what precedes an entry's primary key says all of the text that it is an entry of.
    pub fn says_all(&self, parts: &[u8]) -> bool {
        // Each byte of a text is one here, or two.
        self.kind != MemberKind::Lexical
            || parts.len() < self.prefix.len() + self.front().len() + MEMBER_TEXT_BYTES_MAX
    }
}

const VARBINARY: ColumnType = ColumnType::VarBinary { bytes: MEMBER_TEXT_BYTES_MAX as u32 };

fn cut(text: &[u8]) -> &[u8] {
    &text[..text.len().min(MEMBER_TEXT_BYTES_MAX)]
}

fn number_part(number: f64) -> Vec<u8> {
    let mut part = vec![PRESENT];
    key::encode_part(&ColumnType::Double(None), false, None, Datum::Double(number), &mut part);
    part
}

/// What the entries of a row take so far.
struct Room {
    bytes: usize,
    /// What each takes besides its part.
    each: usize,
}

/// Parts that are gathered before those that are alike are dropped.
const GATHERED: usize = 4096;

impl Room {
    fn check(&self, more: usize) -> Result<()> {
        let (bytes, bytes_max) = (self.bytes + more, MEMBER_ENTRIES_BYTES_MAX);
        match bytes <= bytes_max {
            true => Ok(()),
            false => Err(Error::TooLarge { what: "entries of an index", bytes, bytes_max }),
        }
    }

    /// Each of these once, however many there are.
    fn distinct<'t>(&self, texts: impl Iterator<Item = &'t [u8]>) -> Result<Vec<&'t [u8]>> {
        let (mut distinct, mut most) = (Vec::new(), GATHERED);
        let drop_alike = |distinct: &mut Vec<&'t [u8]>| {
            distinct.sort_unstable();
            distinct.dedup();
            self.check(distinct.iter().map(|text| text.len() + self.each).sum())
        };
        for text in texts {
            distinct.push(text);
            if distinct.len() == most {
                drop_alike(&mut distinct)?;
                most = GATHERED.max(2 * distinct.len());
            }
        }
        drop_alike(&mut distinct)?;
        Ok(distinct)
    }
}

/// An entry of an index that has several for a row, or none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListedEntry {
    /// Its key in the store.
    pub key: Vec<u8>,
    /// Its value in the store.
    pub value: Vec<u8>,
    /// Position among the table's indexes of this kind: those of members, full-text ones,
    /// multi-valued ones.
    pub index: usize,
    /// Whether the key alone must be unique.
    pub unique: bool,
}

impl Table {
    /// How many indexes of any kind have entries of their own: `codecs`, then member indexes.
    pub(crate) fn entry_indexes(&self) -> usize {
        self.codecs.len() + self.listed_codecs()
    }

    /// How many of them have several entries for a row, or none.
    pub(crate) fn listed_codecs(&self) -> usize {
        self.member_codecs.len() + self.full_text_codecs.len() + self.multi_valued_codecs.len()
    }

    /// All entries of such an index, by its position among them.
    pub(crate) fn listed_range(&self, index: usize) -> KeyRange {
        if let Some(codec) = self.multi_valued_at(self.codecs.len() + index) {
            return codec.all();
        }
        match self.member_codecs.get(index) {
            Some(codec) => codec.all(),
            None => self.full_text_codecs[index - self.member_codecs.len()].all(),
        }
    }

    /// What such an index is called in reports.
    pub(crate) fn listed_name(&self, index: usize) -> String {
        if self.multi_valued_at(self.codecs.len() + index).is_some() {
            return format!("index {}", self.index_at(self.codecs.len() + index).name);
        }
        match self.member_codecs.get(index) {
            Some(codec) => format!("member index {}", codec.member),
            None => {
                format!("index {}", self.full_texts[index - self.member_codecs.len()].name)
            }
        }
    }

    /// The position of the index of a member.
    pub fn member_index(&self, column: usize, member: &[u8]) -> Option<usize> {
        let is_of =
            |codec: &MemberCodec| codec.column == column && codec.member.as_bytes() == member;
        self.member_codecs.iter().position(is_of)
    }

    /// Whether a change of one of these columns may change entries of such indexes.
    pub(crate) fn has_listed_of(&self, changed: &[usize]) -> bool {
        self.member_codecs.iter().any(|codec| changed.contains(&codec.column))
            || self
                .full_text_codecs
                .iter()
                .any(|codec| codec.columns.iter().any(|column| changed.contains(column)))
            || self.multi_valued_codecs.iter().any(|codec| codec.has_one_of(changed))
    }

    /// All entries of a row in indexes that have several for a row, in the order of their keys.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(crate) fn listed_entries(
        &self,
        row: &[Datum<'_>],
        row_key: &[u8],
    ) -> Result<Vec<ListedEntry>> {
        let mut entries = Vec::new();
        if self.listed_codecs() == 0 {
            return Ok(entries);
        }
        let mut room = Room { bytes: 0, each: row_key.len() };
        for range in self.members_by_column() {
            let codecs = &self.member_codecs[range.clone()];
            let names: Vec<&str> = codecs.iter().map(|codec| codec.member.as_str()).collect();
            let texts = match row[codecs[0].column] {
                Datum::Bytes(json) => member::texts(json, &names),
                _ => vec![None; names.len()],
            };
            for ((codec, text), index) in codecs.iter().zip(&texts).zip(range) {
                for part in codec.parts(text.as_deref(), &room)? {
                    let mut key = Vec::with_capacity(PREFIX_BYTES + part.len() + row_key.len());
                    key.extend_from_slice(&codec.prefix);
                    key.extend_from_slice(&part);
                    let value = (key.len() as u16).to_le_bytes().to_vec();
                    key.extend_from_slice(&row_key[PREFIX_BYTES..]);
                    room.bytes += key.len();
                    room.check(0)?;
                    entries.push(ListedEntry { key, value, index, unique: false });
                }
            }
        }
        for (at, codec) in self.full_text_codecs.iter().enumerate() {
            let index = self.member_codecs.len() + at;
            for (key, value) in codec.entries(row, &row_key[PREFIX_BYTES..]) {
                room.bytes += key.len();
                room.check(0)?;
                entries.push(ListedEntry { key, value, index, unique: false });
            }
        }
        let primary = row_key.get(self.head_of_keys()..).unwrap_or_default();
        for (at, codec) in self.multi_valued_codecs.iter().enumerate() {
            let index = self.first_multi_valued() - self.codecs.len() + at;
            for IndexEntry { key, value, unique } in codec.entries(row, primary)? {
                room.bytes += key.len();
                room.check(0)?;
                entries.push(ListedEntry { key, value, index, unique });
            }
        }
        entries.sort_unstable();
        Ok(entries)
    }

    /// Member indexes that follow each other with the same column.
    fn members_by_column(&self) -> impl Iterator<Item = Range<usize>> {
        let column = |at: usize| self.member_codecs.get(at).map(|codec| codec.column);
        let mut start = 0;
        std::iter::from_fn(move || {
            let first = column(start)?;
            let mut end = start + 1;
            while column(end) == Some(first) {
                end += 1;
            }
            let range = start..end;
            start = end;
            Some(range)
        })
    }

    /// Puts the row key that a member index's entry points to into `row_key`, and gives the length
    /// of the entry's key without the primary key.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn member_target(
        &self,
        key: &[u8],
        value: &[u8],
        row_key: &mut Vec<u8>,
    ) -> Result<usize> {
        row_key.clear();
        row_key.extend_from_slice(&self.index_range(0).start);
        let damaged = || Error::Corrupt { key: key.to_vec(), why: "member index entry" };
        let end = usize::from(u16::from_le_bytes(value.try_into().map_err(|_| damaged())?));
        let primary = key.get(end..).filter(|_| end >= PREFIX_BYTES).ok_or_else(damaged)?;
        row_key.extend_from_slice(primary);
        Ok(end)
    }
}
