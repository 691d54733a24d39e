//! Spaces and comments, and the comments whose text is executed.

/// Position behind spaces and comments (those that MySQL executes do not count as comments).
pub fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'#') => at = end_of_line(text, at),
            Some(b'-') if is_dash_comment(text, at) => at = end_of_line(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => {
                match memchr::memmem::find(&text[at + 2..], b"*/") {
                    Some(end) => at += 2 + end + 2,
                    None => return text.len(),
                }
            }
            _ => return at,
        }
    }
}

pub(super) fn is_dash_comment(text: &[u8], at: usize) -> bool {
    text.get(at + 1) == Some(&b'-') && text.get(at + 2).is_none_or(|b| b.is_ascii_whitespace())
}

fn end_of_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1)
}

/// The version that this server claims for `/*!80036 ... */`, as MySQL writes it.
const VERSION_NUMBER: u32 = 80_036;
/// `/*!999999 ... */`: what only Rowhouse executes, because no other server is as new.
const OURS: u32 = 999_999;

/// Makes the statements in `/*! ... */` and `/*!50003 ... */` part of the text, by blanking the
/// marks; `None` when there are none, which is the usual case. Those of a newer version stay
/// comments, except `/*!999999 ... */`.
pub fn open_version_comments(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(text, b"/*!")?;
    let mut out = text.to_vec();
    let mut at = 0;
    let mut quote = None;
    while at < out.len() {
        match (quote, out[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(q), byte) if byte == q => quote = None,
            (None, byte @ (b'\'' | b'"' | b'`')) => quote = Some(byte),
            (None, b'/') if out[at..].starts_with(b"/*!") => {
                let Some(end) = memchr::memmem::find(&out[at..], b"*/") else {
                    break;
                };
                let digits =
                    out[at + 3..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
                if is_executed(&out[at + 3..at + end], digits) {
                    out[at..at + 3 + digits].fill(b' ');
                    out[at + end..at + end + 2].fill(b' ');
                } else {
                    at += end + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some(out)
}

/// Whether a comment that begins with a version of so many digits is part of the text.
fn is_executed(comment: &[u8], digits: usize) -> bool {
    let number = std::str::from_utf8(&comment[..digits]).ok().and_then(|text| text.parse().ok());
    match number {
        // MariaDB's dumps begin with `/*!999999\- enable the sandbox mode */`.
        Some(OURS) => comment.get(digits).is_some_and(u8::is_ascii_whitespace),
        Some(number) => number <= VERSION_NUMBER,
        None => true,
    }
}
