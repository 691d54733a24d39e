//! Text files cut where records end, so that workers decode pieces of one file at the same time.
//!
//! A record ends with a line feed that is not within quotes. Quotes are opened where a field begins
//! and nowhere else, as the decoder has it.
//!
//! Invariants
//! 1. A piece is whole records, in order, and every byte behind the header is in exactly one piece.
//! 2. A piece is counted in the statement's memory until it is dropped.
//!
//! Not here: what is in a record (`csv`, `json`).

use std::sync::Arc;

use bytes::Bytes;
use expression::Limits;
use expression::limits::Room;
use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::opened::OpenedFile;
use results::Result;

/// Bytes that are read at a time.
pub(super) const PIECE_BYTES: usize = 1 << 20;
/// The byte order mark that some programs put before UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// How records are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordEnds {
    /// What fields are enclosed by.
    pub quote: Option<u8>,
    /// What comes before a quote that ends nothing. One that is doubled ends nothing either.
    pub escape: Option<u8>,
    /// What stands between fields.
    pub delimiter: u8,
    /// Whether the first record of a file is none.
    pub header: bool,
}

/// Whole records of a file.
pub(super) struct RecordPiece {
    /// The file's number.
    pub file: usize,
    /// Them.
    pub bytes: Bytes,
    /// How many come before them in the file, its header included.
    pub records_before: u64,
    _room: Room,
}

/// Cuts files into pieces.
#[derive(Debug)]
pub(super) struct Cutter {
    files: Vec<Arc<OpenedFile>>,
    ends: RecordEnds,
    file: usize,
    at: u64,
    records: u64,
}

impl Cutter {
    /// From the beginning of the first file on.
    pub(super) fn new(files: &[Arc<OpenedFile>], ends: RecordEnds) -> Cutter {
        Cutter { files: files.to_vec(), ends, file: 0, at: 0, records: 0 }
    }

    /// The next piece; `None` behind the last file.
    ///
    /// # Errors
    /// 1024 when it cannot be read; 3000 for a record longer than values may be; 1041 when the
    /// statement holds too much.
    pub(super) fn next(&mut self, limits: &Limits) -> Result<Option<RecordPiece>> {
        while let Some(file) = self.files.get(self.file) {
            let file = Arc::clone(file);
            if self.at >= file.bytes() {
                file.check_unchanged()?;
                (self.file, self.at, self.records) = (self.file + 1, 0, 0);
                continue;
            }
            let (first, records_before) = (self.at == 0, self.records);
            let (bytes, room) = self.records_from(&file, limits)?;
            self.at += bytes.len() as u64;
            let mut skipped = 0;
            let mut records_before = records_before;
            if first {
                skipped = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
                if self.ends.header {
                    skipped += self.ends.first_end(&bytes[skipped..]).unwrap_or(bytes.len());
                    records_before += 1;
                }
            }
            let bytes = bytes.slice(skipped.min(bytes.len())..);
            if !bytes.is_empty() {
                let piece = RecordPiece { file: self.file, bytes, records_before, _room: room };
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    /// Whole records from where the last piece ended.
    fn records_from(&mut self, file: &OpenedFile, limits: &Limits) -> Result<(Bytes, Room)> {
        let mut wanted = PIECE_BYTES;
        loop {
            limits.check()?;
            let room = limits.take(wanted)?;
            let mut bytes = file.read(self.at, wanted)?;
            let is_end = self.at + bytes.len() as u64 == file.bytes();
            let (end, records) = self.ends.last_end(&bytes);
            if is_end || end > 0 {
                // The last record of a file needs no line feed.
                if !is_end {
                    bytes.truncate(end);
                }
                self.records += records;
                return Ok((Bytes::from(bytes), room));
            }
            if wanted >= limits.value_bytes_max() {
                return Err(file.damaged(format_args!(
                    "the record behind byte {} is longer than max_allowed_packet",
                    self.at
                )));
            }
            wanted *= 4;
        }
    }
}

impl RecordEnds {
    /// Behind the last record that ends here, or 0, and how many do.
    fn last_end(&self, bytes: &[u8]) -> (usize, u64) {
        if self.quote.is_none() {
            let end = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
            return (end, memchr_iter(b'\n', &bytes[..end]).count() as u64);
        }
        let (mut end, mut records) = (0, 0);
        self.each_end(bytes, |at| {
            (end, records) = (at, records + 1);
            true
        });
        (end, records)
    }

    /// Behind the first record.
    pub(super) fn first_end(&self, bytes: &[u8]) -> Option<usize> {
        let mut first = None;
        self.each_end(bytes, |at| {
            first = Some(at);
            false
        });
        first
    }

    /// Calls `each` behind every record, as long as it wants another.
    fn each_end(&self, bytes: &[u8], mut each: impl FnMut(usize) -> bool) {
        // A line feed is no quote.
        let quote = self.quote.unwrap_or(b'\n');
        let mut at = 0;
        while let Some(found) = memchr2(b'\n', quote, &bytes[at..]) {
            let found = at + found;
            at = found + 1;
            if bytes[found] == b'\n' {
                if !each(at) {
                    return;
                }
                continue;
            }
            let before = found.checked_sub(1).map(|before| bytes[before]);
            let opens =
                before.is_none_or(|byte| byte == self.delimiter || matches!(byte, b'\n' | b'\r'));
            if opens {
                match self.closed(bytes, at, quote) {
                    Some(behind) => at = behind,
                    None => return,
                }
            }
        }
    }

    /// Behind the quote that closes a field whose text begins at `at`.
    fn closed(&self, bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
        loop {
            let rest = bytes.get(at..)?;
            let found = at
                + match self.escape {
                    Some(escape) => memchr2(quote, escape, rest)?,
                    None => memchr(quote, rest)?,
                };
            if bytes[found] != quote || bytes.get(found + 1) == Some(&quote) {
                at = found + 2;
            } else {
                return Some(found + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTED: RecordEnds =
        RecordEnds { quote: Some(b'"'), escape: None, delimiter: b',', header: false };

    fn ends(rule: RecordEnds, text: &str) -> Vec<usize> {
        let mut all = Vec::new();
        rule.each_end(text.as_bytes(), |at| {
            all.push(at);
            true
        });
        assert_eq!(rule.last_end(text.as_bytes()).0, all.last().copied().unwrap_or(0), "{text}");
        all
    }

    #[test]
    fn a_line_feed_within_quotes_ends_nothing() {
        assert_eq!(ends(QUOTED, "a,b\nc\n"), [4, 6]);
        assert_eq!(ends(QUOTED, "\"a\nb\",c\nd"), [8]);
        assert_eq!(ends(QUOTED, "a,\"x\"\"\ny\"\nz\n"), [10, 12]);
        // A quote within a field is one more character.
        assert_eq!(ends(QUOTED, "5\" disk\nb\n"), [8, 10]);
        assert!(ends(QUOTED, "\"never closed\n").is_empty());
        let escaped = RecordEnds { escape: Some(b'\\'), ..QUOTED };
        assert_eq!(ends(escaped, "\"a\\\"\n\"\nb\n"), [7, 9]);
        let plain = RecordEnds { quote: None, ..QUOTED };
        assert_eq!(ends(plain, "\"a\nb\"\n"), [3, 6]);
    }
}
