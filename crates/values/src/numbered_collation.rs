//! Collations that MySQL 9.7 has and that are known by their numbers: those of all character sets
//! but utf8mb4, and utf8mb4_persian_ci. `numbered_collations.tsv` lists them.
//!
//! Invariants
//! 1. Numbers stand in catalogs; none changes its meaning.
//!
//! Not here: their character sets, and how they compare (`collation::numbered`).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// Number, name, character set and MySQL's Sortlen in each line.
const LISTED: &str = include_str!("numbered_collations.tsv");
/// Its fourth level is not built.
const JAPANESE_KANA: &str = "utf8mb4_ja_0900_as_cs_ks";

/// A collation by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct NumberedCollation(u16);

/// What is listed of it.
pub(crate) struct ListedCollation {
    /// Its name.
    pub name: &'static str,
    /// The name of its character set.
    pub set: &'static str,
    /// MySQL's `Sortlen`.
    pub sort_length: u16,
}

static BY_NUMBER: LazyLock<Vec<Option<ListedCollation>>> = LazyLock::new(|| {
    let mut all: Vec<Option<ListedCollation>> = Vec::new();
    all.resize_with(NumberedCollation::NUMBERS, || None);
    for (number, listed) in LISTED.lines().filter_map(read) {
        all[number] = Some(listed);
    }
    all
});

fn read(line: &'static str) -> Option<(usize, ListedCollation)> {
    let mut fields = line.split('\t');
    let number = fields.next()?.parse().ok()?;
    let (name, set) = (fields.next()?, fields.next()?);
    let sort_length = fields.next()?.parse().ok()?;
    let is_known = number < NumberedCollation::NUMBERS && name != JAPANESE_KANA;
    is_known.then_some((number, ListedCollation { name, set, sort_length }))
}

impl NumberedCollation {
    /// All numbers are below.
    pub(crate) const NUMBERS: usize = 512;

    /// The collation of a number.
    pub fn of_number(number: u16) -> Option<NumberedCollation> {
        BY_NUMBER.get(usize::from(number))?.as_ref().map(|_| NumberedCollation(number))
    }

    /// All of them, by their numbers.
    pub(crate) fn all() -> impl Iterator<Item = NumberedCollation> {
        (0..NumberedCollation::NUMBERS as u16).filter_map(NumberedCollation::of_number)
    }

    /// What is listed of it.
    pub(crate) fn listed(self) -> &'static ListedCollation {
        match &BY_NUMBER[usize::from(self.0)] {
            Some(listed) => listed,
            None => unreachable!("a collation that is not listed"),
        }
    }

    /// MySQL's number.
    pub fn number(self) -> u16 {
        self.0
    }
}

impl TryFrom<u16> for NumberedCollation {
    type Error = String;

    fn try_from(number: u16) -> Result<NumberedCollation, String> {
        NumberedCollation::of_number(number).ok_or_else(|| format!("no collation {number}"))
    }
}

impl From<NumberedCollation> for u16 {
    fn from(collation: NumberedCollation) -> u16 {
        collation.0
    }
}
