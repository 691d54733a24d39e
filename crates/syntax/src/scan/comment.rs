//! Spaces and comments, and the comments whose text is executed.

use values::SqlMode;

/// Position behind spaces and comments (those that MySQL executes do not count as comments), or of
/// a comment that does not end.
pub fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'#') => at = end_of_line(text, at),
            Some(b'-') if is_dash_comment(text, at) => at = end_of_line(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => match closed_comment(text, at) {
                Some(end) => at = end,
                None => return at,
            },
            _ => return at,
        }
    }
}

/// Position behind spaces.
pub fn skip_blank(text: &[u8], at: usize) -> usize {
    let blank = text[at..].iter().take_while(|byte| is_blank(**byte)).count();
    at + blank
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// A text without the spaces and semicolons at its end, which MySQL takes away before it reads a
/// packet: `SELECT 1;;` is one statement.
pub fn without_ends(text: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| is_blank(*byte) || *byte == b';';
    let end = text.iter().rposition(|byte| !is_end(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

pub(super) fn is_dash_comment(text: &[u8], at: usize) -> bool {
    text.get(at + 1) == Some(&b'-') && text.get(at + 2).is_none_or(|b| b.is_ascii_whitespace())
}

/// Behind the end of the comment that begins at a position, if it ends.
fn closed_comment(text: &[u8], at: usize) -> Option<usize> {
    memchr::memmem::find(&text[at + 2..], b"*/").map(|n| at + 2 + n + 2)
}

fn end_of_comment(text: &[u8], at: usize) -> usize {
    closed_comment(text, at).unwrap_or(text.len())
}

fn end_of_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1)
}

/// The version that this server claims for `/*!80036 ... */`, as MySQL writes it.
const VERSION_NUMBER: u32 = 80_036;
/// The version of MariaDB whose `/*M!101100 ... */` are executed: the one that answers are compared
/// with.
const MARIADB_VERSION_NUMBER: u32 = 101_199;
/// `/*!999999 ... */`: what only Rowhouse executes, because no other server is as new.
const OURS: u32 = 999_999;

/// Makes the statements in `/*! ... */`, `/*!50003 ... */` and MariaDB's `/*M! ... */` part of the
/// text, by blanking the marks; `None` when there are none, which is the usual case. Those of a
/// newer version stay comments, except `/*!999999 ... */`.
pub fn open_version_comments(text: &[u8], mode: SqlMode) -> Option<Vec<u8>> {
    memchr::memmem::find_iter(text, b"/*").find(|at| mark_of(&text[*at..]).is_some())?;
    let mut out = text.to_vec();
    let mut at = 0;
    // Where the comment began whose text is being read.
    let mut opened = None;
    while at < text.len() {
        match text[at] {
            quote @ (b'\'' | b'"' | b'`') => {
                at = end_of_quoted(text, at + 1, quote, mode);
                continue;
            }
            b'/' if text[at..].starts_with(b"/*") => match mark_of(&text[at..]) {
                Some((mark, true)) if opened.is_none() => {
                    out[at..at + mark].fill(b' ');
                    opened = Some(at);
                    at += mark;
                    continue;
                }
                _ => {
                    at = end_of_comment(text, at);
                    continue;
                }
            },
            b'*' if opened.is_some() && text[at..].starts_with(b"*/") => {
                out[at..at + 2].fill(b' ');
                opened = None;
                at += 1;
            }
            b'#' => {
                at = end_of_line(text, at);
                continue;
            }
            b'-' if is_dash_comment(text, at) => {
                at = end_of_line(text, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    // One without an end is what every comment without an end is.
    if let Some(start) = opened {
        out[start..].copy_from_slice(&text[start..]);
    }
    Some(out)
}

/// Behind the quote that ends what began before `at`; two of them are one that is part of it.
fn end_of_quoted(text: &[u8], mut at: usize, quote: u8, mode: SqlMode) -> usize {
    let is_name = quote == b'`' || quote == b'"' && mode.ansi_quotes();
    let escapes = !is_name && !mode.no_backslash_escapes();
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == quote {
            return at;
        }
        at += usize::from(byte == b'\\' && escapes);
    }
    text.len()
}

/// The bytes of the mark that begins a comment which some server executes, with its version, and
/// whether this one does.
fn mark_of(text: &[u8]) -> Option<(usize, bool)> {
    let (start, newest) = match text {
        [b'/', b'*', b'!', ..] => (3, VERSION_NUMBER),
        [b'/', b'*', b'M', b'!', ..] => (4, MARIADB_VERSION_NUMBER),
        _ => return None,
    };
    let mut digits = text[start..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    // The sixth is the version's where a space is behind it, and otherwise begins the text.
    if digits == 6 && start == 3 && !text.get(start + 6).is_some_and(u8::is_ascii_whitespace) {
        digits = 5;
    }
    // Fewer are no version, but a number that is part of the text.
    if digits < 5 {
        return Some((start, true));
    }
    let end = start + digits;
    let number = text[start..end].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    // MariaDB's dumps begin with `/*!999999\- enable the sandbox mode */`.
    let is_ours =
        start == 3 && number == OURS && text.get(end).is_some_and(u8::is_ascii_whitespace);
    Some((end, number <= newest || is_ours))
}
