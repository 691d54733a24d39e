//! The places of literals that were taken out of a text, and of `?`: what their words in a shape
//! and the names of the parser's placeholders say of them.
//!
//! Not here: which literals are taken out (`scan`), what becomes of a place (`plan::bind`).

use super::scan::{BYTES_LIST_MARK, BYTES_MARK, DIGITS_MARK, LIST_MARK};

/// The place of a literal that was taken out of the text, or of a `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub number: u16,
    /// How many it stands for, from that number on: more than one in a long list.
    pub count: u16,
    /// What is known of the literal.
    pub kind: PlaceKind,
}

/// What is known of a literal that was taken out of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Nothing but its value.
    Any,
    /// It is one of digits: bytes, or a number where one is wanted.
    Digits,
    /// It is one of digits, and bytes wherever it stands.
    Bytes,
}

impl Place {
    /// What the name of a placeholder says.
    pub fn of(name: &str) -> Place {
        let number = name.trim_start_matches('?');
        let (number, kind) = match (number.strip_suffix('x'), number.strip_suffix('b')) {
            (Some(number), _) => (number, PlaceKind::Digits),
            (_, Some(number)) => (number, PlaceKind::Bytes),
            _ => (number, PlaceKind::Any),
        };
        let (number, count) = number.split_once('*').unwrap_or((number, "1"));
        let number = number.parse().unwrap_or(0);
        Place { number, count: count.parse().unwrap_or(1), kind }
    }

    /// The place that a word of a shape stands for, after so many others.
    pub(crate) fn of_shape(word: &str, number: u16) -> Place {
        let mark = word.trim_start_matches('?');
        let listed = |of: &str| mark.strip_prefix(of).and_then(|count| count.parse().ok());
        let (count, kind) = match (listed(LIST_MARK), listed(BYTES_LIST_MARK)) {
            (Some(count), _) => (count, PlaceKind::Any),
            (_, Some(count)) => (count, PlaceKind::Bytes),
            _ if mark.as_bytes() == DIGITS_MARK => (1, PlaceKind::Digits),
            _ if mark.as_bytes() == BYTES_MARK => (1, PlaceKind::Bytes),
            _ => (1, PlaceKind::Any),
        };
        Place { number, count, kind }
    }

    /// The name of its placeholder, which `of` reads.
    pub(crate) fn name(self) -> String {
        let Place { number, count, kind } = self;
        let suffix = match kind {
            PlaceKind::Any => "",
            PlaceKind::Digits => "x",
            PlaceKind::Bytes => "b",
        };
        match count {
            1 => format!("?{number}{suffix}"),
            count => format!("?{number}*{count}{suffix}"),
        }
    }
}
