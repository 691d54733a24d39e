//! A client's statement in UTF-8, where the client writes in another character set.
//!
//! A string behind a character set introducer is bytes of that set, not text of the client's, so
//! such bytes beyond ASCII are passed on as hexadecimal digits:
//!
//! ```text
//! latin1   INSERT INTO t VALUES ('FC', _binary'FC')
//! UTF-8    INSERT INTO t VALUES ('C3 BC', _binary x'FC')
//! ```
//!
//! Invariants
//! 1. A statement of UTF-8, or one that is ASCII throughout, stays where it is.
//! 2. `bytes_as_sent` leads from the end of any token in the UTF-8 back to its end in what was
//!    sent.
//!
//! Not here: what an introducer makes of the bytes (`plan::bind`).

use std::borrow::Cow;

use values::{CharacterSet, SqlMode};

use super::{is_word, leading_word, skip_space, unescape};

/// A statement in UTF-8, and which of its bytes are made of which that were sent.
#[derive(Debug)]
pub struct ClientText<'a> {
    /// What was sent.
    sent: &'a [u8],
    set: CharacterSet,
    text: Cow<'a, [u8]>,
    /// Ends of strings that are digits now: in the text, and in what was sent.
    ends: Vec<(usize, usize)>,
}

impl<'a> ClientText<'a> {
    /// Reads what a client of a character set sent, in its `sql_mode`.
    pub fn new(sent: &'a [u8], set: CharacterSet, mode: SqlMode) -> ClientText<'a> {
        let whole = |text| ClientText { sent, set, text, ends: Vec::new() };
        if set.is_utf8() || set.is_binary() {
            return whole(Cow::Borrowed(sent));
        }
        match set.decode(sent) {
            Cow::Owned(text) if memchr::memchr(b'_', sent).is_none() => whole(Cow::Owned(text)),
            Cow::Owned(text) => rewritten(sent, set, mode).unwrap_or_else(|| whole(text.into())),
            text @ Cow::Borrowed(_) => whole(text),
        }
    }

    /// The statement in UTF-8.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// How many bytes, of those that were sent, the first `taken` bytes of the text are made of.
    pub fn bytes_as_sent(&self, taken: usize) -> usize {
        let all = match &self.text {
            Cow::Borrowed(_) => return taken,
            Cow::Owned(all) => all,
        };
        if taken >= all.len() {
            return self.sent.len();
        }
        let before = self.ends.iter().rfind(|(end, _)| *end <= taken);
        let (from, sent) = before.copied().unwrap_or_default();
        (sent + self.set.encode(&all[from..taken]).len()).min(self.sent.len())
    }
}

/// The statement with strings behind introducers as digits; `None` where there are none.
fn rewritten(sent: &[u8], set: CharacterSet, mode: SqlMode) -> Option<ClientText<'_>> {
    let (mut text, mut ends) = (Vec::new(), Vec::new());
    // From where on what was sent is not part of the text yet.
    let (mut from, mut at) = (0, 0);
    while at < sent.len() {
        let after = skip_space(sent, at);
        if after > at {
            at = after;
            continue;
        }
        match sent[at] {
            quote @ (b'\'' | b'"' | b'`') => at = end_of_string(sent, at, quote, set, mode),
            b'_' => {
                let word = leading_word(&sent[at..]);
                let name = std::str::from_utf8(&word[1..]).ok().and_then(CharacterSet::parse);
                let string = skip_space(sent, at + word.len());
                at += word.len();
                let is_string = match sent.get(string) {
                    Some(b'"') => !mode.ansi_quotes(),
                    byte => byte == Some(&b'\''),
                };
                if name.is_none() || !is_string {
                    continue;
                }
                let (bytes, end) = strings_at(sent, string, set, mode);
                if !bytes.is_ascii() {
                    text.extend_from_slice(&set.decode(&sent[from..at]));
                    text.extend_from_slice(b" x'");
                    text.extend(bytes.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()));
                    text.push(b'\'');
                    ends.push((text.len(), end));
                    from = end;
                }
                at = end;
            }
            byte if is_word(byte) && byte.is_ascii() => at += leading_word(&sent[at..]).len(),
            _ => at += set.bytes_together(sent, at),
        }
    }
    if ends.is_empty() {
        return None;
    }
    text.extend_from_slice(&set.decode(&sent[from..]));
    Some(ClientText { sent, set, text: Cow::Owned(text), ends })
}

/// The bytes of the strings that stand next to each other at a position, and where they end.
fn strings_at(sent: &[u8], at: usize, set: CharacterSet, mode: SqlMode) -> (Vec<u8>, usize) {
    let (mut bytes, mut end, mut next) = (Vec::new(), at, at);
    while let Some(&quote @ (b'\'' | b'"')) = sent.get(next) {
        if quote == b'"' && mode.ansi_quotes() {
            break;
        }
        end = end_of_string(sent, next, quote, set, mode);
        let inside = &sent[next + 1..(end - 1).max(next + 1)];
        push_unescaped(inside, quote, set, mode, &mut bytes);
        next = skip_space(sent, end);
    }
    (bytes, end)
}

/// As `unescape`; a backslash or a quote that is a part of a character is neither.
fn push_unescaped(inside: &[u8], quote: u8, set: CharacterSet, mode: SqlMode, out: &mut Vec<u8>) {
    let backslash = !mode.no_backslash_escapes();
    let (mut from, mut at) = (0, 0);
    while at < inside.len() {
        match set.bytes_together(inside, at) {
            1 => at += 1 + usize::from(inside[at] == quote || inside[at] == b'\\' && backslash),
            more => {
                unescape(&inside[from..at], quote, backslash, out);
                out.extend_from_slice(&inside[at..at + more]);
                at += more;
                from = at;
            }
        }
    }
    unescape(&inside[from.min(inside.len())..], quote, backslash, out);
}

/// Behind the end of the string or the name in quotes that begins at a position.
fn end_of_string(sent: &[u8], at: usize, quote: u8, set: CharacterSet, mode: SqlMode) -> usize {
    let is_name = quote == b'`' || quote == b'"' && mode.ansi_quotes();
    let escapes = !is_name && !mode.no_backslash_escapes();
    let mut at = at + 1;
    while at < sent.len() {
        let bytes = set.bytes_together(sent, at);
        let byte = sent[at];
        at += bytes;
        if bytes == 1 && byte == quote {
            if sent.get(at) != Some(&quote) {
                return at;
            }
            at += 1;
        } else if bytes == 1 && byte == b'\\' && escapes && at < sent.len() {
            at += set.bytes_together(sent, at);
        }
    }
    sent.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str) -> CharacterSet {
        CharacterSet::parse(name).expect("known")
    }

    fn read<'a>(sent: &'a [u8], name: &str) -> ClientText<'a> {
        ClientText::new(sent, set(name), SqlMode::default())
    }

    #[test]
    fn bytes_behind_an_introducer_became_utf8() {
        let read_as = |sent, name| String::from_utf8(read(sent, name).text().to_vec());
        for (sent, name, expected) in [
            (&b"SELECT '\xfc', _binary'\xfc'"[..], "latin1", "SELECT 'ü', _binary x'FC'"),
            (b"SELECT _latin1 '\xfc\\'' 'a', 1", "latin1", "SELECT _latin1 x'FC2761', 1"),
            (b"SELECT '_binary', '_binary''\xfc'", "latin1", "SELECT '_binary', '_binary''ü'"),
            (b"SELECT _name'\xfc'", "latin1", "SELECT _name'ü'"),
            (b"SELECT `_binary`, a_binary'\xfc'", "latin1", "SELECT `_binary`, a_binary'ü'"),
            (
                b"/* _binary'\xfc' */ SELECT _binary'a'",
                "latin1",
                "/* _binary'ü' */ SELECT _binary'a'",
            ),
            (b"SELECT _sjis'\x83\x5c', '\x83\x5c'", "sjis", "SELECT _sjis x'835C', 'ソ'"),
            (b"SELECT '\x83\x5c', _binary'\xb1'", "sjis", "SELECT 'ソ', _binary x'B1'"),
            (b"SELECT _koi8r\"\xc1\"", "koi8r", "SELECT _koi8r x'C1'"),
        ] {
            assert_eq!(read_as(sent, name).expect("UTF-8"), expected);
        }
    }

    #[test]
    fn the_next_statement_begins_where_it_was_sent() {
        let sent = b"SELECT '\xfc', _binary'\xfc\xfd', '\xfc'; SELECT 2";
        let text = read(sent, "latin1");
        let next = memchr::memmem::find(text.text(), b" SELECT 2").expect("it is there");
        assert_eq!(&sent[text.bytes_as_sent(next)..], b" SELECT 2");
        assert_eq!(text.bytes_as_sent(text.text().len()), sent.len());
        let plain = read(b"SELECT 1; SELECT 2", "latin1");
        assert_eq!(plain.bytes_as_sent(9), 9);
    }
}
