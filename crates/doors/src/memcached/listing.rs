//! Lists of all keys: `stats cachedump`, which memcdump and libmemcached's clients ask for, and
//! `lru_crawler metadump`.
//!
//! Rows are not kept in slabs: all stand in class 1, and the other classes are empty. Containers
//! are not listed, only the built-in table.
//!
//! Invariants
//! 1. A list is written piece by piece, each when the one before has left: it takes the memory of
//!    one piece, however many keys there are, and a client that stops reading stops it.
//! 2. Every key that is there from the beginning to the end of the list is listed once; one that
//!    comes or goes meanwhile may be listed or not.
//! 3. A key that could not be told from what stands next to it in a line is not written raw.
//!
//! Not here: when pieces are asked for (`door`).

use std::io::Write as _;

use rows::merged::Span;
use rows::store::{Direction, Reach};
use rows::{Engine, Flow};
use values::Datum;
use values::RowRef;

use crate::memcached::command::Moment;
use crate::memcached::item;
use crate::memcached::place::MemcachedPlace;
use crate::memcached::shared::MemcachedShared;
use crate::memcached::text::{BAD_LINE, unsigned};

/// About how many bytes a piece has.
const PIECE_BYTES: usize = 64 * 1024;
/// About how many bytes of rows are read for one piece: large values take time, not lines.
const PIECE_READ_BYTES: usize = 4 << 20;
/// Classes that a memcached can have.
const CLASSES: u64 = 64;
/// The class of all items.
const CLASS: u64 = 1;

/// How keys are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyListForm {
    /// `ITEM key [5 b; 0 s]`, as `stats cachedump` does.
    Item,
    /// `key=.. exp=.. la=.. cas=.. fetch=.. cls=1 size=.. flags=..`: `lru_crawler metadump`.
    Meta,
}

/// What a request for a list comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRequest {
    /// A list, of so many keys at most.
    List(KeyListForm, u64),
    /// An answer at once.
    Line(&'static [u8]),
}

/// What the tokens of a line ask for; `None` if it is no list.
pub fn asked(tokens: &[&[u8]]) -> Option<ListRequest> {
    match tokens {
        [b"stats", b"cachedump", class, limit, ..] => {
            let (Some(class), Some(limit)) = (unsigned(class), unsigned(limit)) else {
                return Some(ListRequest::Line(BAD_LINE));
            };
            Some(match class {
                CLASS => {
                    ListRequest::List(KeyListForm::Item, if limit == 0 { u64::MAX } else { limit })
                }
                CLASSES.. => ListRequest::Line(b"CLIENT_ERROR Illegal slab id\r\n"),
                _ => ListRequest::Line(b"END\r\n"),
            })
        }
        [b"stats", b"cachedump", ..] => {
            Some(ListRequest::Line(b"CLIENT_ERROR bad command line\r\n"))
        }
        [b"lru_crawler", b"metadump", classes] => {
            if matches!(*classes, b"all" | b"hash") {
                return Some(ListRequest::List(KeyListForm::Meta, u64::MAX));
            }
            let mut has_ours = false;
            for class in classes.split(|byte| *byte == b',').map(unsigned) {
                match class {
                    Some(class @ 1..CLASSES) => has_ours |= class == CLASS,
                    _ => return Some(ListRequest::Line(b"BADCLASS invalid class id\r\n")),
                }
            }
            Some(if has_ours {
                ListRequest::List(KeyListForm::Meta, u64::MAX)
            } else {
                ListRequest::Line(b"END\r\n")
            })
        }
        _ => None,
    }
}

/// A list that is not all written.
#[derive(Debug)]
pub struct Listing {
    form: KeyListForm,
    left: u64,
    /// The key after which it goes on; `None` before the first.
    after: Option<Vec<u8>>,
    /// Whether the audit log knows of it.
    pub is_told: bool,
}

impl Listing {
    /// A list of at most so many keys.
    pub fn new(form: KeyListForm, limit: u64) -> Listing {
        Listing { form, left: limit, after: None, is_told: false }
    }

    /// Writes the next piece; `true` when it was the last.
    ///
    /// # Errors
    /// Of reading; `SchemaChanged` when the place is outdated. What was written before stands, and
    /// the next piece goes on behind it.
    pub fn piece(
        &mut self,
        engine: &Engine,
        home: &MemcachedPlace,
        shared: &MemcachedShared,
        now: Moment,
        out: &mut Vec<u8>,
    ) -> rows::Result<bool> {
        let table = &home.table;
        let mut range = table.index_range(0);
        if let Some(after) = &self.after {
            range.start.clear();
            table.push_row_key(&[Datum::Bytes(after)], &mut range.start)?;
            range.start.push(0);
        }
        let key_column = table.codecs[0].parts[0].column;
        let (full, mut read, mut ended) = (out.len() + PIECE_BYTES, 0, true);
        let (latest, forward) = (engine.latest(), Direction::Forward);
        engine.find_stored(
            latest,
            table,
            0,
            Span::One(&range),
            forward,
            Reach::Disk,
            &mut |found| {
                if out.len() >= full || read >= PIECE_READ_BYTES {
                    ended = false;
                    return Ok(Flow::Stop);
                }
                if self.left == 0 {
                    return Ok(Flow::Stop);
                }
                read += found.key.len() + found.row.bytes().len();
                let Datum::Bytes(key) = found.row.column(key_column)? else {
                    return Ok(Flow::Continue);
                };
                if self.line(home, shared, now, found.key, key, &found.row, out)? {
                    self.left -= 1;
                }
                let after = self.after.get_or_insert_default();
                after.clear();
                after.extend_from_slice(key);
                Ok(Flow::Continue)
            },
        )?;
        if ended {
            out.extend_from_slice(b"END\r\n");
        }
        Ok(ended)
    }

    /// Writes the line of an item; `false` if it has none.
    fn line(
        &self,
        home: &MemcachedPlace,
        shared: &MemcachedShared,
        now: Moment,
        row_key: &[u8],
        key: &[u8],
        row: &RowRef<'_>,
        out: &mut Vec<u8>,
    ) -> rows::Result<bool> {
        let (flags, expires, _) = item::attributes(home, row)?;
        if now.is_over(expires) {
            return Ok(false);
        }
        let bytes = item::value(home, row)?.len();
        // Writing into a vector does not fail.
        match self.form {
            KeyListForm::Item => {
                if !key.iter().all(u8::is_ascii_graphic) {
                    return Ok(false);
                }
                out.extend_from_slice(b"ITEM ");
                out.extend_from_slice(key);
                let _ = write!(out, " [{bytes} b; {expires} s]\r\n");
            }
            KeyListForm::Meta => {
                let version = row.version();
                let cas = shared.marks.of(row_key, version).forced_cas.unwrap_or(version);
                let (read, last) = shared.marks.access(row_key);
                let (expires, last) =
                    (if expires == 0 { -1 } else { expires }, last.unwrap_or(shared.started));
                let fetched = if read { "yes" } else { "no" };
                let size = key.len() + bytes;
                out.extend_from_slice(b"key=");
                push_encoded(key, out);
                let _ = writeln!(
                    out,
                    " exp={expires} la={last} cas={cas} fetch={fetched} cls={CLASS} size={size} \
                     flags={flags}"
                );
            }
        }
        Ok(true)
    }
}

/// Appends a key as it stands in an address: letters, digits and `-._~` as they are, any other
/// byte as `%2F`.
fn push_encoded(key: &[u8], out: &mut Vec<u8>) {
    for byte in key {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(*byte),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
}
