//! Classes of letters by their POSIX names, as ICU has them: of all of Unicode, where the crate
//! `regex` has those of ASCII (MySQL 9.7: tests/oracle/sql/patterns.sql).
//!
//! Not here: compiling patterns (`pattern`).

use std::borrow::Cow;

/// A class, and what `regex` calls it.
const CLASSES: [(&str, &str); 13] = [
    ("alnum", r"\p{Alphabetic}\p{Nd}"),
    ("alpha", r"\p{Alphabetic}"),
    ("blank", r"\p{Zs}\t"),
    ("cntrl", r"\p{Cc}"),
    ("digit", r"\p{Nd}"),
    ("graph", r"\p{L}\p{M}\p{N}\p{P}\p{S}"),
    ("lower", r"\p{Lowercase}"),
    ("print", r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}"),
    ("punct", r"\p{P}"),
    ("space", r"\p{White_Space}"),
    ("upper", r"\p{Uppercase}"),
    ("word", r"\w"),
    ("xdigit", r"\p{Nd}\p{Hex_Digit}"),
];

/// A pattern in which `[:alpha:]` and its like, within brackets, are written as `regex` calls them.
/// Negated ones (`[:^alpha:]`) become sets of their own.
pub(super) fn with_unicode_classes(pattern: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(pattern, b"[:").is_none() {
        return Cow::Borrowed(pattern);
    }
    let mut out = Vec::with_capacity(pattern.len() + 32);
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = pattern.get(at) {
        if depth > 0
            && let Some((length, class)) = class_at(&pattern[at..])
        {
            out.extend_from_slice(class.as_bytes());
            at += length;
            continue;
        }
        match byte {
            b'\\' => {
                out.push(byte);
                at += 1;
            }
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.extend(pattern.get(at));
        at += 1;
    }
    Cow::Owned(out)
}

/// The class that a pattern begins with, and the bytes of its name with its brackets.
fn class_at(pattern: &[u8]) -> Option<(usize, String)> {
    let inner = pattern.strip_prefix(b"[:")?;
    let end = memchr::memmem::find(inner, b":]")?;
    let name = std::str::from_utf8(&inner[..end]).ok()?;
    let (negated, name) = match name.strip_prefix('^') {
        Some(name) => (true, name),
        None => (false, name),
    };
    let (_, class) = CLASSES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known))?;
    let length = end + 4;
    Some((length, if negated { format!("[^{class}]") } else { (*class).to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pattern: &str) -> String {
        String::from_utf8_lossy(&with_unicode_classes(pattern.as_bytes())).into_owned()
    }

    #[test]
    fn classes_are_those_of_unicode_within_brackets_alone() {
        assert_eq!(written("^[[:alpha:]_]+$"), r"^[\p{Alphabetic}_]+$");
        assert_eq!(written("[^[:DIGIT:]]"), r"[^\p{Nd}]");
        assert_eq!(written("[[:^space:]]"), r"[[^\p{White_Space}]]");
        assert_eq!(written("[:alpha:]"), "[:alpha:]");
        assert_eq!(written(r"\[[:alpha:]"), r"\[[:alpha:]");
        assert_eq!(written("[[:<:]]a[[:>:]]"), "[[:<:]]a[[:>:]]");
        assert_eq!(written("[[:nothing:]]"), "[[:nothing:]]");
        assert_eq!(written("plain"), "plain");
    }
}
