//! Cutting a file into lines and fields, by MySQL's FIELDS and LINES options.
//!
//! A line without escapes and enclosing characters is cut by two searches and not copied, and so
//! is one with escapes alone in the usual formats (`escapes`). Any other is read byte by byte,
//! because its end may be elsewhere: a line end may be enclosed.
//!
//! Invariants
//! 1. Fields are the same however the file was cut into pieces.
//! 2. At most one incomplete line is kept, or as much as the next block wants, within the memory
//!    for clients; so are the copies that are made of a line while it becomes a row.
//! 3. A block is whole lines: cut by itself it gives the fields that the file gives there.
//!
//! Not here: what fields mean (`rows`).

mod escapes;

use memchr::{memchr, memchr2, memmem};
use resources::budget::{SMALL_BYTES, Share};
use values::ErrorCode;

use results::{Result, SqlError};

use escapes::{Escapes, meant};
use syntax::load::Format;

/// Longest line.
const LINE_BYTES_MAX: usize = 64 << 20;
/// Memory that stays when a line has needed more.
const BUFFER_KEPT: usize = 1 << 20;
/// Copies of a line that are there at once: its fields as values, and its row.
const LINE_COPIES: usize = 2;

/// A field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its bytes, escapes undone.
    pub bytes: &'a [u8],
    /// NULL: `\N`, or the word when fields are enclosed.
    pub null: bool,
}

/// A line's fields.
pub struct FileLine<'a> {
    text: &'a [u8],
    scratch: &'a [u8],
    spans: &'a [FieldSpan],
}

impl<'a> FileLine<'a> {
    /// How many fields.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// A field.
    pub fn field(&self, n: usize) -> Option<Field<'a>> {
        let span = self.spans.get(n)?;
        let from = if span.copied { self.scratch } else { self.text };
        Some(Field { bytes: &from[span.start..span.end], null: span.null })
    }
}

#[derive(Clone, Copy, Debug)]
struct FieldSpan {
    start: usize,
    end: usize,
    copied: bool,
    null: bool,
}

/// Bytes on their way into lines.
#[derive(Debug)]
pub struct Splitter {
    format: Format,
    /// Of a format in which lines with escapes can be cut by searches.
    escapes: Option<Escapes>,
    skip_lines: u64,
    /// How many fields of a line are wanted.
    fields_max: usize,
    buffer: Vec<u8>,
    at: usize,
    /// Whether LINES STARTING BY of the line at hand is passed.
    started: bool,
    /// Where the search for the end of the line went on last time.
    searched: usize,
    scratch: Vec<u8>,
    spans: Vec<FieldSpan>,
    /// Memory for the buffer and the copies of a line.
    share: Share,
}

/// What was found at a place.
enum FieldEnd {
    Field,
    Line,
}

impl Splitter {
    /// A splitter for a format, whose lines have their memory from `share`.
    ///
    /// # Errors
    /// 1235 for the format of fixed widths (no terminator and no enclosing character).
    pub fn new(format: Format, skip_lines: u64, share: Share) -> Result<Splitter> {
        if format.field_end.is_empty() && format.enclosed.is_none() {
            return Err(SqlError::unsupported("LOAD DATA with fields of fixed width"));
        }
        if format.line_end.is_empty() {
            return Err(SqlError::unsupported("LOAD DATA with an empty LINES TERMINATED BY"));
        }
        Ok(Splitter {
            escapes: Escapes::of(&format),
            format,
            skip_lines,
            fields_max: usize::MAX,
            buffer: Vec::new(),
            at: 0,
            started: false,
            searched: 0,
            scratch: Vec::new(),
            spans: Vec::new(),
            share,
        })
    }

    /// The same for who wants only so many fields of a line: what follows them is passed over up to
    /// the next line end, quotes or not, and is one field more.
    pub fn with_fields_max(self, fields_max: usize) -> Splitter {
        Splitter { fields_max, ..self }
    }

    /// Has a block of whole lines read next, in the place of what is left, whose memory it gives.
    pub fn read_block(&mut self, text: Vec<u8>) -> Vec<u8> {
        (self.at, self.searched, self.started) = (0, 0, false);
        std::mem::replace(&mut self.buffer, text)
    }

    /// Bytes that are there and not read yet.
    pub fn waiting(&self) -> usize {
        self.buffer.len() - self.at
    }

    /// Bytes drawn from the memory for clients.
    pub fn drawn_bytes(&self) -> usize {
        self.share.bytes()
    }

    /// Gives all memory back: nothing more will be read.
    pub fn clear(&mut self) {
        self.buffer = Vec::new();
        self.scratch = Vec::new();
        (self.at, self.searched) = (0, 0);
        self.share.set(0);
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// 1153 when a line is too long, 1041 when there is no memory for it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if self.at > 0 {
            self.buffer.drain(..self.at);
            self.searched = self.searched.saturating_sub(self.at);
            self.at = 0;
        }
        if self.buffer.len() + bytes.len() > LINE_BYTES_MAX.max(bytes.len() * 2) {
            return Err(SqlError::new(
                ErrorCode::NetPacketTooLarge,
                "A line of the file is longer than 64 MiB",
            ));
        }
        self.give_back();
        self.share.keep_up_with(self.buffer.len() + bytes.len())?;
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Gives back what an unusually long line has left.
    fn give_back(&mut self) {
        if self.scratch.capacity() > SMALL_BYTES {
            self.scratch = Vec::new();
        }
        if self.buffer.len() < self.buffer.capacity() / 4 && self.buffer.capacity() > BUFFER_KEPT {
            self.buffer.shrink_to(2 * self.buffer.len());
        }
        if self.share.bytes() > self.buffer.capacity() {
            self.share.set(self.buffer.capacity());
        }
    }

    /// Passes over IGNORE n LINES; `false` when more bytes are needed for that.
    fn skip(&mut self, last: bool) -> bool {
        while self.skip_lines > 0 {
            match self.find_line_end(self.at.max(self.searched)) {
                Some(end) => {
                    self.at = end + self.format.line_end.len();
                    self.searched = self.at;
                    self.skip_lines -= 1;
                }
                None => {
                    if last {
                        self.at = self.buffer.len();
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Puts the next whole lines, about so many bytes, into `text` (cleared first) and gives how
    /// many lines they are; `None` when more bytes are needed, or with `last` when there are none.
    ///
    /// # Errors
    /// 1041 when there is no memory for a long line.
    pub fn next_block(
        &mut self,
        last: bool,
        bytes: usize,
        text: &mut Vec<u8>,
    ) -> Result<Option<u64>> {
        text.clear();
        if !self.skip(last) || self.waiting() < bytes && !last {
            return Ok(None);
        }
        let start = self.at;
        let window = (start + bytes).min(self.buffer.len());
        let is_cut = self.format.line_start.is_empty() && !self.started;
        if is_cut && (self.is_plain(window) || self.has_only_escapes(window).is_some()) {
            let rest = last && window == self.buffer.len();
            if let Some((end, lines)) = self.plain_lines(window, rest) {
                (self.at, self.searched) = (end, end);
                text.extend_from_slice(&self.buffer[start..end]);
                return Ok(Some(lines));
            }
        }
        // LINES STARTING BY of the first line may have been passed already.
        if self.started {
            text.extend_from_slice(&self.format.line_start);
        }
        // Where lines end is known only to who reads their fields.
        let (mut end, mut lines) = (start, 0);
        while end - start < bytes && self.next_line(last)?.is_some() {
            lines += 1;
            end = self.at;
        }
        text.extend_from_slice(&self.buffer[start..end]);
        Ok((lines > 0).then_some(lines))
    }

    /// The end of the last plain line before `window`, and how many lines there are; `rest`: what
    /// follows the last line end is a line, too.
    fn plain_lines(&self, window: usize, rest: bool) -> Option<(usize, u64)> {
        let text = &self.buffer[self.at..window];
        // A window without escapes has none that take the meaning of a line end.
        let counts = |at: &usize| self.escapes.is_none_or(|escapes| !escapes.take(&text[..*at]));
        let (end, lines) = match self.format.line_end.as_slice() {
            [byte] => {
                let end = memchr::memrchr_iter(*byte, text).find(counts).map_or(0, |at| at + 1);
                (end, memchr::memchr_iter(*byte, text).filter(counts).count())
            }
            several => memmem::find_iter(text, several)
                .filter(counts)
                .fold((0, 0), |(_, lines), at| (at + several.len(), lines + 1)),
        };
        let (end, lines) = match rest && end < text.len() {
            true => (text.len(), lines + 1),
            false => (end, lines),
        };
        (lines > 0).then_some((self.at + end, lines as u64))
    }

    /// The next line; `None` when more bytes are needed, or with `last` when there is none.
    ///
    /// # Errors
    /// 1041 when there is no memory for the line.
    pub fn next_line(&mut self, last: bool) -> Result<Option<FileLine<'_>>> {
        if !self.skip(last) {
            return Ok(None);
        }
        if !self.format.line_start.is_empty() && !self.started && !self.find_start(last) {
            return Ok(None);
        }
        self.started = true;
        if self.at >= self.buffer.len() {
            return Ok(None);
        }
        self.spans.clear();
        self.scratch.clear();
        let end = self.find_meant_line_end();
        let plain_end = match end {
            Some(end) => end,
            None if last => self.buffer.len(),
            None => {
                // All but a beginning of a line end has been searched.
                let tail = self.format.line_end.len() - 1;
                self.searched = self.buffer.len().saturating_sub(tail).max(self.at);
                return Ok(None);
            }
        };
        let escapes = self.has_only_escapes(plain_end);
        let plain = escapes.is_some() || self.is_plain(plain_end);
        let line_bytes = if plain { plain_end } else { self.buffer.len() } - self.at;
        if line_bytes > SMALL_BYTES {
            self.share.keep_up_with(self.buffer.len() + LINE_COPIES * line_bytes)?;
        }
        let next = if plain {
            match escapes {
                Some(escapes) => self.cut_escaped(escapes, plain_end),
                None => self.cut(plain_end),
            }
            plain_end + if end.is_some() { self.format.line_end.len() } else { 0 }
        } else {
            match self.read_slowly(last) {
                Some(next) => next,
                None => {
                    self.searched = self.at;
                    return Ok(None);
                }
            }
        };
        self.at = next;
        self.searched = next;
        self.started = false;
        // Nothing behind the last separator is no field more.
        let surplus = self.spans.get(self.fields_max);
        if surplus.is_some_and(|span| span.start == span.end)
            && self.spans.len() - 1 == self.fields_max
        {
            self.spans.pop();
        }
        Ok(Some(FileLine { text: &self.buffer, scratch: &self.scratch, spans: &self.spans }))
    }

    fn find_line_end(&self, from: usize) -> Option<usize> {
        let rest = self.buffer.get(from..)?;
        let found = match self.format.line_end.as_slice() {
            [byte] => memchr(*byte, rest),
            several => memmem::find(rest, several),
        };
        found.map(|at| from + at)
    }

    /// The first line end that was not searched yet, and whose meaning no escape takes.
    fn find_meant_line_end(&self) -> Option<usize> {
        let mut from = self.at.max(self.searched);
        loop {
            let end = self.find_line_end(from)?;
            match self.escapes {
                Some(escapes) if escapes.take(&self.buffer[self.at..end]) => from = end + 1,
                _ => return Some(end),
            }
        }
    }

    /// Moves behind LINES STARTING BY; `false` when it is not there (yet).
    fn find_start(&mut self, last: bool) -> bool {
        let rest = &self.buffer[self.at..];
        match memmem::find(rest, &self.format.line_start) {
            Some(found) => {
                let start = self.at + found + self.format.line_start.len();
                self.searched = self.searched.max(start);
                self.at = start;
                true
            }
            None => {
                let keep = if last { 0 } else { self.format.line_start.len() - 1 };
                self.at = self.at.max(self.buffer.len().saturating_sub(keep));
                false
            }
        }
    }

    /// Whether the line up to `end` has no escape and no enclosing character.
    fn is_plain(&self, end: usize) -> bool {
        let line = &self.buffer[self.at..end];
        match (self.format.escape, self.format.enclosed) {
            (None, None) => true,
            (Some(one), None) | (None, Some(one)) => memchr(one, line).is_none(),
            (Some(a), Some(b)) => memchr2(a, b, line).is_none(),
        }
    }

    /// How to undo escapes up to `end`, where nothing is enclosed and searches find what escapes
    /// leave.
    fn has_only_escapes(&self, end: usize) -> Option<Escapes> {
        let escapes = self.escapes?;
        let enclosed = self.format.enclosed;
        let free = enclosed.is_none_or(|byte| memchr(byte, &self.buffer[self.at..end]).is_none());
        free.then_some(escapes)
    }

    /// Cuts a plain line at its field ends.
    fn cut(&mut self, end: usize) {
        let mut start = self.at;
        let unenclosed_null = self.format.enclosed.is_some();
        let push = |start: usize, end: usize, buffer: &[u8], spans: &mut Vec<FieldSpan>| {
            let null = unenclosed_null && &buffer[start..end] == b"NULL";
            spans.push(FieldSpan { start, end, copied: false, null });
        };
        match self.format.field_end.as_slice() {
            [] => {}
            [byte] => {
                for found in memchr::memchr_iter(*byte, &self.buffer[self.at..end]) {
                    push(start, self.at + found, &self.buffer, &mut self.spans);
                    start = self.at + found + 1;
                }
            }
            several => {
                for found in memmem::find_iter(&self.buffer[self.at..end], several) {
                    push(start, self.at + found, &self.buffer, &mut self.spans);
                    start = self.at + found + several.len();
                }
            }
        }
        push(start, end, &self.buffer, &mut self.spans);
    }

    /// Reads a line byte by byte; gives the place behind it, `None` when it is not complete.
    fn read_slowly(&mut self, last: bool) -> Option<usize> {
        let mut at = self.at;
        loop {
            let (next, ended) = self.read_field(at, last)?;
            at = next;
            if matches!(ended, FieldEnd::Line) {
                return Some(at);
            }
            if self.spans.len() == self.fields_max {
                return self.pass_over(at, last);
            }
        }
    }

    /// Passes over what stands behind the last field that is wanted; gives the place behind the
    /// line.
    fn pass_over(&mut self, start: usize, last: bool) -> Option<usize> {
        let mut at = start;
        let next = loop {
            if at >= self.buffer.len() {
                if !last {
                    return None;
                }
                break self.buffer.len();
            }
            if Some(self.buffer[at]) == self.format.escape {
                at += 2;
                continue;
            }
            if let Some((next, FieldEnd::Line)) = self.end_at(at, last)? {
                break next;
            }
            at += 1;
        };
        let is_surplus = at > start;
        let (from, end) = (self.scratch.len(), self.scratch.len() + usize::from(is_surplus));
        // One byte stands for all of it.
        self.scratch.resize(end, b' ');
        self.spans.push(FieldSpan { start: from, end, copied: true, null: false });
        Some(next)
    }

    fn starts_with(&self, at: usize, what: &[u8]) -> bool {
        match what {
            [] => false,
            // The usual one, and asked for at every byte.
            [byte] => self.buffer.get(at) == Some(byte),
            several => self.buffer[at..].starts_with(several),
        }
    }

    /// Reads one field from `at`; gives the place behind its end.
    fn read_field(&mut self, start: usize, last: bool) -> Option<(usize, FieldEnd)> {
        let from = self.scratch.len();
        let mut at = start;
        let enclosed = self.format.enclosed.filter(|byte| self.buffer.get(at) == Some(byte));
        at += usize::from(enclosed.is_some());
        // Whether there is a `\N`, which is NULL if it is all that there is.
        let mut is_null = false;
        loop {
            let Some(&byte) = self.buffer.get(at) else {
                // The file ends here, or more is to come.
                if !last {
                    return None;
                }
                // A quote that nobody has closed is a part of the text.
                if let Some(quote) = enclosed {
                    self.scratch.insert(from, quote);
                }
                self.finish_field(from, is_null, false);
                return Some((at, FieldEnd::Line));
            };
            if Some(byte) == self.format.escape && (enclosed != Some(byte)) {
                let Some(&next) = self.buffer.get(at + 1) else {
                    if !last {
                        return None;
                    }
                    self.scratch.push(byte);
                    at += 1;
                    continue;
                };
                // What encloses fields escapes nothing but itself.
                if self.format.enclosed == Some(byte) && next != byte {
                    self.scratch.push(byte);
                    at += 1;
                    continue;
                }
                at += 2;
                is_null |= next == b'N';
                self.scratch.push(meant(next));
                continue;
            }
            if let Some(quote) = enclosed {
                if byte == quote {
                    if self.buffer.get(at + 1) == Some(&quote) {
                        self.scratch.push(quote);
                        at += 2;
                        continue;
                    }
                    if at + 1 >= self.buffer.len() && !last {
                        return None;
                    }
                    if let Some(end) = self.end_at(at + 1, last)? {
                        self.finish_field(from, is_null, true);
                        return Some(end);
                    }
                }
                self.scratch.push(byte);
                at += 1;
                continue;
            }
            if let Some(end) = self.end_at(at, last)? {
                self.finish_field(from, is_null, false);
                return Some(end);
            }
            self.scratch.push(byte);
            at += 1;
        }
    }

    /// The end of a field or line at a place, if there is one. The outer `None` says that more
    /// bytes are needed to tell.
    fn end_at(&self, at: usize, last: bool) -> Option<Option<(usize, FieldEnd)>> {
        if at >= self.buffer.len() {
            return Some(last.then_some((at, FieldEnd::Line)));
        }
        if self.starts_with(at, &self.format.line_end) {
            return Some(Some((at + self.format.line_end.len(), FieldEnd::Line)));
        }
        if self.starts_with(at, &self.format.field_end) {
            return Some(Some((at + self.format.field_end.len(), FieldEnd::Field)));
        }
        let rest = &self.buffer[at..];
        let cut_off = |what: &[u8]| rest.len() < what.len() && what.starts_with(rest);
        if !last && (cut_off(&self.format.line_end) || cut_off(&self.format.field_end)) {
            return None;
        }
        Some(None)
    }

    fn finish_field(&mut self, from: usize, has_null: bool, enclosed: bool) {
        let null = has_null && self.scratch.len() - from == 1;
        if null {
            self.scratch.truncate(from);
        }
        let end = self.scratch.len();
        let word = self.format.enclosed.is_some() && !enclosed && &self.scratch[from..] == b"NULL";
        self.spans.push(FieldSpan { start: from, end, copied: true, null: null || word });
    }
}

#[cfg(test)]
mod tests;
