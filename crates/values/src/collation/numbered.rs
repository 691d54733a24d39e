//! How collations compare that are known by their numbers.
//!
//! Invariants
//! 1. A collation of a character set of Unicode compares as that of utf8mb4 with the same name.
//!
//! Not here: which there are (`numbered_collation`), weights (`unicode`).

use std::sync::LazyLock;

use super::names::named_of_utf8mb4;
use super::sequence::SequenceRule;
use crate::charset::CharacterSet;
use crate::numbered_collation::NumberedCollation;
use crate::types::Collation;

/// utf8mb4_persian_ci, whose weights those of all sets are.
const PERSIAN: u16 = 240;
/// utf8mb3_general_mysql500_ci, and so that of ucs2.
const GENERAL_MYSQL500: u16 = 223;

/// How such a collation compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberedRule {
    /// As another one.
    As(Collation),
    /// By weights of its own.
    Weights,
    /// By bytes that are made of a whole text.
    Sequence(SequenceRule),
}

/// Character sets and rules by number.
static BY_NUMBER: LazyLock<Vec<(CharacterSet, NumberedRule)>> = LazyLock::new(|| {
    let mut all = vec![(CharacterSet::UTF8MB4, NumberedRule::Weights); NumberedCollation::NUMBERS];
    for collation in NumberedCollation::all() {
        let listed = collation.listed();
        let set = CharacterSet::parse(listed.set).unwrap_or(CharacterSet::UTF8MB4);
        all[usize::from(collation.number())] = (set, rule_of(listed.name, set));
    }
    all
});

fn rule_of(name: &str, set: CharacterSet) -> NumberedRule {
    match name {
        "latin2_czech_cs" => return NumberedRule::Sequence(SequenceRule::CzechLatin2),
        "cp1250_czech_cs" => return NumberedRule::Sequence(SequenceRule::CzechCp1250),
        "tis620_thai_ci" => return NumberedRule::Sequence(SequenceRule::Thai),
        "ascii_bin" => return NumberedRule::As(Collation::Utf8Mb4Bin),
        "gb18030_unicode_520_ci" => return NumberedRule::As(Collation::Utf8Mb4Unicode520Ci),
        _ if !set.is_unicode() => return NumberedRule::Weights,
        _ => {}
    }
    let of_number = |number| NumberedCollation::of_number(number).map(Collation::Numbered);
    let rest = name.split_once('_').map_or("", |(_, rest)| rest);
    let twin = match rest {
        "persian_ci" if set != CharacterSet::UTF8MB4 => of_number(PERSIAN),
        "general_mysql500_ci" if set.name() != "utf8mb3" => of_number(GENERAL_MYSQL500),
        _ => named_of_utf8mb4(rest),
    };
    twin.map_or(NumberedRule::Weights, NumberedRule::As)
}

/// The character set of a collation.
pub(super) fn set(collation: NumberedCollation) -> CharacterSet {
    BY_NUMBER[usize::from(collation.number())].0
}

/// How a collation compares.
#[inline]
pub(super) fn rule(collation: NumberedCollation) -> NumberedRule {
    BY_NUMBER[usize::from(collation.number())].1
}

impl Collation {
    /// The one by which texts compare: that of utf8mb4 with the same name, for other sets of
    /// Unicode.
    #[inline]
    pub(crate) fn comparing(self) -> Collation {
        match self {
            Collation::Numbered(numbered) => match rule(numbered) {
                NumberedRule::As(other) => other,
                _ => self,
            },
            other => other,
        }
    }
}
