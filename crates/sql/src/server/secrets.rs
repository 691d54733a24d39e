//! Passwords in texts of statements: nobody is shown them who looks at what runs or has run.
//!
//! Invariants
//! 1. A text is cut off where it may begin to say a password, whether the statement makes sense or
//!    not. Statements by which rows are read and written are not looked at, since they say none,
//!    unless several stand in one text.
//!
//! Not here: who shows texts (`processes`, `history`).

use std::borrow::Cow;

use syntax::scan::leading_word;

/// Words that the most frequent statements begin with, which say no password.
const HARMLESS: [&[u8]; 12] = [
    b"select",
    b"insert",
    b"update",
    b"delete",
    b"replace",
    b"with",
    b"values",
    b"table",
    b"begin",
    b"commit",
    b"rollback",
    b"use",
];

/// Words behind which a password may stand.
const SECRET_BEHIND: [&[u8]; 2] = [b"identified", b"password"];

/// A statement's text without what it says of passwords: cut off where they may begin.
pub(super) fn without_secrets(text: &[u8]) -> Cow<'_, [u8]> {
    let word = leading_word(text.trim_ascii_start());
    let is_harmless = HARMLESS.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is_harmless && memchr::memchr(b';', text).is_none() {
        return Cow::Borrowed(text);
    }
    let lower = text.to_ascii_lowercase();
    let begins = SECRET_BEHIND
        .into_iter()
        .filter_map(|said| memchr::memmem::find(&lower, said).map(|at| at + said.len()));
    match begins.min() {
        None => Cow::Borrowed(text),
        Some(at) => Cow::Owned([&text[..at], b" <secret>"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_were_shown_of_statements_by_other_words_than_their_own() {
        for text in [
            "CREATE USER a IDENTIFIED BY 'hidden'",
            "  create user a identified with p as 'hidden'",
            "/* x */ ALTER USER a IDENTIFIED BY 'hidden' REPLACE 'hidden'",
            "SET PASSWORD = 'hidden'",
            "GRANT ALL ON *.* TO a IDENTIFIED BY 'hidden'",
            "EXECUTE IMMEDIATE 'ALTER USER a IDENTIFIED BY ''hidden'''",
            "PREPARE p FROM 'SET PASSWORD FOR a = ''hidden'''",
            "CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = 'hidden'",
            "CRATE USER a IDENTIFIED BY 'hidden'",
            "(CREATE USER a IDENTIFIED BY 'hidden'",
            "SELECT 1; CREATE USER a IDENTIFIED BY 'hidden'",
        ] {
            let shown = without_secrets(text.as_bytes());
            let shown = String::from_utf8_lossy(&shown);
            assert!(!shown.contains("hidden") && shown.ends_with(" <secret>"), "{shown}");
        }
        for text in ["SELECT password FROM t", "DROP TABLE t", "UPDATE t SET password = 'x'"] {
            assert_eq!(without_secrets(text.as_bytes()), text.as_bytes());
        }
    }
}
