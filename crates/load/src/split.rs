//! Statements out of a stream of SQL text, with the lines on which they begin.
//!
//! ```text
//! -- a comment            skipped in front of a statement
//! /*!40101 SET x = 1 */;  a statement: its end is the `;` behind the comment
//! DELIMITER ;;            from here on `;;` ends statements; no statement itself
//! ```
//! `/*M! ... */`, which only MariaDB executes, and `/*!999999\- ... */`, the mark of its dumps, are
//! comments like any other.
//!
//! A file that says at its beginning that it is a dump (`-- MySQL dump`) says at its end that it is
//! whole (`-- Dump completed`), and ends each statement with a delimiter.
//!
//! Invariants
//! 1. No more is kept than the statement that is being read and one piece of the file.
//! 2. What stands at the end of a dump without a delimiter is a part of a statement, and none.
//! 3. A delimiter within quotes or a comment ends nothing. A backslash escapes within quotes, but
//!    not within backticks.
//!
//! Not here: what a statement is (`kind`).

use std::io::{ErrorKind, Read};

use crate::error::{Error, Result};

/// How much is read at a time.
const READ_BYTES: usize = 256 * 1024;
/// How dumps begin, in the words of their programs.
const BEGINNINGS: [&[u8]; 3] = [b"-- MySQL dump ", b"-- MariaDB dump ", b"-- Rowhouse dump"];
/// How they end.
const COMPLETED: &[u8] = b"-- Dump completed";
/// The longest token whose beginning must not be judged without its end.
const LOOKAHEAD: usize = 32;

/// Where the scan stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Amid words.
    Plain,
    /// Within quotes of this kind.
    Quoted(u8),
    /// Within a comment to the end of the line.
    Line,
    /// Within a comment to its end mark.
    Block,
}

/// A statement of the file.
pub struct Statement<'a> {
    /// Its text, without the delimiter.
    pub text: &'a [u8],
    /// The line on which it begins, from 1.
    pub line: u64,
}

/// Takes statements out of a reader.
pub struct Splitter<R> {
    reader: R,
    /// What was read; the statement begins at `start`, the scan stands at `at`.
    buffer: Vec<u8>,
    start: usize,
    at: usize,
    ended: bool,
    state: State,
    /// Within a comment whose text is executed.
    versioned: bool,
    delimiter: Vec<u8>,
    /// The line on which `start` stands.
    line: u64,
    statement_bytes_max: usize,
    read_bytes: usize,
    bytes_read: u64,
    /// A dump has begun, whose end has not come.
    unfinished: bool,
}

impl<R: Read> Splitter<R> {
    /// Statements of at most so many bytes.
    pub fn new(reader: R, statement_bytes_max: usize) -> Splitter<R> {
        Splitter::reading(reader, statement_bytes_max, READ_BYTES)
    }

    /// As `new`, reading so many bytes at a time.
    pub fn reading(reader: R, statement_bytes_max: usize, read_bytes: usize) -> Splitter<R> {
        Splitter {
            reader,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            ended: false,
            state: State::Plain,
            versioned: false,
            delimiter: b";".to_vec(),
            line: 1,
            statement_bytes_max,
            read_bytes,
            bytes_read: 0,
            unfinished: false,
        }
    }

    /// Whether a dump has begun whose last line has not come: at the end of the file, it was cut
    /// short.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Bytes of the file that statements so far have used up.
    pub fn bytes_used(&self) -> u64 {
        self.bytes_read - (self.buffer.len() - self.start) as u64
    }

    /// The line on which the next statement will be looked for.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next statement; `None` at the end of the file.
    ///
    /// # Errors
    /// `Io`; `File` when a statement is longer than allowed or the file ends within quotes.
    pub fn statement(&mut self) -> Result<Option<Statement<'_>>> {
        loop {
            self.skip_front()?;
            if self.start == self.buffer.len() {
                return Ok(None);
            }
            if self.take_delimiter_line()? {
                continue;
            }
            let (end, next) = self.find_end()?;
            let (start, line) = (self.start, self.line);
            self.pass(next);
            let text = self.buffer[start..end].trim_ascii_end();
            if !text.is_empty() {
                // Borrowed again, because the loop may go on after the branch not taken.
                let end = start + text.len();
                return Ok(Some(Statement { text: &self.buffer[start..end], line }));
            }
        }
    }

    /// The statement in front ends before `next`.
    fn pass(&mut self, next: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.buffer[self.start..next]).count() as u64;
        (self.start, self.at) = (next, next);
    }

    /// Skips spaces and comments in front of a statement.
    fn skip_front(&mut self) -> Result<()> {
        loop {
            self.look_ahead(self.start)?;
            let rest = &self.buffer[self.start..];
            let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if spaces > 0 {
                self.pass(self.start + spaces);
                continue;
            }
            if BEGINNINGS.iter().any(|beginning| rest.starts_with(beginning)) {
                self.unfinished = true;
            } else if rest.starts_with(COMPLETED) {
                self.unfinished = false;
            }
            let end = if rest.starts_with(b"#") || is_dash_comment(rest) {
                self.find(self.start, b"\n")?
            } else if is_plain_comment(rest) {
                self.find(self.start + 2, b"*/")?
            } else {
                return Ok(());
            };
            self.pass(end.unwrap_or(self.buffer.len()));
        }
    }

    /// Behind the next such mark at or after `from`; comments in front are dropped as they go.
    fn find(&mut self, mut from: usize, mark: &[u8]) -> Result<Option<usize>> {
        loop {
            if let Some(found) = memchr::memmem::find(&self.buffer[from..], mark) {
                return Ok(Some(from + found + mark.len()));
            }
            if self.ended {
                return Ok(None);
            }
            let kept = (mark.len() - 1).min(self.buffer.len() - from);
            self.pass(self.buffer.len() - kept);
            self.fill()?;
            from = self.start;
        }
    }

    /// Takes a line `DELIMITER x`, which is for clients alone.
    fn take_delimiter_line(&mut self) -> Result<bool> {
        const WORD: &[u8] = b"DELIMITER";
        let rest = &self.buffer[self.start..];
        let word = rest.get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD));
        if !word || !rest.get(WORD.len()).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            return Ok(false);
        }
        let mut at = self.start + WORD.len();
        let end = loop {
            match memchr::memchr(b'\n', &self.buffer[at..]) {
                Some(found) => break at + found,
                None if self.ended => break self.buffer.len(),
                None => {
                    at = self.buffer.len() - self.start;
                    self.fill()?;
                    at += self.start;
                }
            }
        };
        let mark = self.buffer[self.start + WORD.len()..end].trim_ascii();
        if mark.is_empty() || mark.len() > LOOKAHEAD / 2 || mark.contains(&b'\\') {
            return Err(self.failed("a DELIMITER must have 1 to 16 characters, and no backslash"));
        }
        self.delimiter = mark.to_vec();
        self.pass(end);
        Ok(true)
    }

    /// Where the statement in front ends, and where the next one is to be looked for.
    fn find_end(&mut self) -> Result<(usize, usize)> {
        self.state = State::Plain;
        self.versioned = false;
        loop {
            if let Some(end) = self.scan() {
                return Ok((end, end + self.delimiter.len()));
            }
            if self.ended {
                let open = match self.state {
                    State::Quoted(b'`') => "the file ends within a name in backticks",
                    State::Quoted(_) => "the file ends within a string",
                    State::Block => "the file ends within a comment",
                    _ if self.versioned => "the file ends within a comment",
                    _ if self.unfinished => "the dump ends within a statement",
                    _ => return Ok((self.buffer.len(), self.buffer.len())),
                };
                return Err(self.failed(open));
            }
            let length = self.buffer.len() - self.start;
            if length > self.statement_bytes_max {
                let most = self.statement_bytes_max;
                return Err(self.failed(&format!("the statement has more than {most} bytes")));
            }
            self.fill()?;
        }
    }

    /// Goes on until the delimiter, or until more must be read.
    fn scan(&mut self) -> Option<usize> {
        let last = self.delimiter[0];
        loop {
            let rest = &self.buffer[self.at..];
            let enough = self.ended || rest.len() >= LOOKAHEAD;
            match self.state {
                State::Quoted(quote) => match end_of_quoted(rest, quote) {
                    Ok(behind) => {
                        self.at += behind;
                        self.state = State::Plain;
                    }
                    Err(scanned) => {
                        self.at += scanned;
                        return None;
                    }
                },
                State::Line | State::Block => {
                    let mark: &[u8] = if self.state == State::Line { b"\n" } else { b"*/" };
                    match memchr::memmem::find(rest, mark) {
                        Some(found) => {
                            self.at += found + mark.len();
                            self.state = State::Plain;
                        }
                        None => {
                            self.at += rest.len().saturating_sub(1);
                            return None;
                        }
                    }
                }
                State::Plain => {
                    let dull = |byte: &&u8| !is_mark(**byte) && **byte != last;
                    let skipped = rest.iter().take_while(dull).count();
                    if skipped > 0 {
                        self.at += skipped;
                    } else if rest.is_empty() || !enough {
                        return None;
                    } else if !self.versioned && rest.starts_with(&self.delimiter) {
                        return Some(self.at);
                    } else {
                        self.enter();
                    }
                }
            }
        }
    }

    /// A byte that may begin something stands in front.
    fn enter(&mut self) {
        let rest = &self.buffer[self.at..];
        match rest[0] {
            quote @ (b'\'' | b'"' | b'`') => {
                self.state = State::Quoted(quote);
                self.at += 1;
            }
            b'#' => self.state = State::Line,
            b'-' if is_dash_comment(rest) => self.state = State::Line,
            b'/' if is_plain_comment(rest) => {
                self.state = State::Block;
                self.at += 2;
            }
            b'/' if rest.starts_with(b"/*!") => {
                self.versioned = true;
                self.at += 3;
            }
            b'*' if self.versioned && rest.starts_with(b"*/") => {
                self.versioned = false;
                self.at += 2;
            }
            _ => self.at += 1,
        }
    }

    /// Reads until enough stands behind `from`, or the file ends.
    fn look_ahead(&mut self, from: usize) -> Result<()> {
        let mut missing = (from + LOOKAHEAD).saturating_sub(self.buffer.len());
        while missing > 0 && !self.ended {
            let before = self.buffer.len() - self.start;
            self.fill()?;
            missing = missing.saturating_sub(self.buffer.len() - self.start - before);
        }
        Ok(())
    }

    /// Reads a piece. What stands before `start` is dropped first.
    fn fill(&mut self) -> Result<()> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.at -= self.start;
            self.start = 0;
            // One long statement must not hold its memory for the rest of the file.
            if self.buffer.capacity() > 16 * READ_BYTES && self.buffer.len() < READ_BYTES {
                self.buffer.shrink_to(2 * READ_BYTES);
            }
        }
        let length = self.buffer.len();
        self.buffer.resize(length + self.read_bytes, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[length..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(length + read.as_ref().map_or(0, |count| *count));
        let count = read.map_err(|source| Error::Io { doing: "cannot read the file", source })?;
        self.bytes_read += count as u64;
        self.ended = count == 0;
        Ok(())
    }

    fn failed(&self, what: &str) -> Error {
        Error::File(format!("{what}; it begins on line {}", self.line))
    }
}

/// Whether scanning has to stop at a byte, whatever the delimiter.
fn is_mark(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'`' | b'#' | b'-' | b'/' | b'*')
}

/// Behind the closing quote, or how much is known to be inside.
fn end_of_quoted(text: &[u8], quote: u8) -> std::result::Result<usize, usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let found = match quote {
            b'`' => memchr::memchr(quote, rest),
            _ => memchr::memchr2(quote, b'\\', rest),
        };
        match found {
            None => return Err(text.len()),
            // A doubled quote closes and opens again: the same in the end.
            Some(found) if rest[found] == quote => return Ok(at + found + 1),
            Some(found) if found + 1 < rest.len() => at += found + 2,
            Some(found) => return Err(at + found),
        }
    }
}

/// `--` and a space, or the end of the line.
fn is_dash_comment(text: &[u8]) -> bool {
    text.starts_with(b"--") && text.get(2).is_none_or(|byte| byte.is_ascii_whitespace())
}

/// A comment whose text is not executed.
fn is_plain_comment(text: &[u8]) -> bool {
    text.starts_with(b"/*") && (text.get(2) != Some(&b'!') || text.starts_with(b"/*!999999\\-"))
}

#[cfg(test)]
mod tests;
