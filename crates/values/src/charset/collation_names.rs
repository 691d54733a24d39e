//! Collations as a connection names them: those of character sets that MariaDB alone has numbers
//! for among them.
//!
//! Not here: which collations there are (`crate::collation`), character sets (`names`).

use super::CharacterSet;
use crate::types::Collation;

/// A collation as a connection names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCollation {
    /// Its name, as MySQL writes it.
    pub name: String,
    /// Its character set.
    pub set: CharacterSet,
    /// By which texts compare.
    pub collation: Collation,
}

impl NamedCollation {
    /// The collation of a name, without regard to case.
    pub fn parse(name: &str) -> Option<NamedCollation> {
        Collation::from_name(name).map(NamedCollation::of)
    }

    /// The collation of a number in the protocol; `None` for one that is not known.
    pub fn of_number(number: u16) -> Option<NamedCollation> {
        Collation::of_number(number).map(NamedCollation::of)
    }

    /// The default collation of a character set.
    pub fn default_of(set: CharacterSet) -> NamedCollation {
        NamedCollation::of(Collation::default_of(set))
    }

    /// A collation.
    pub fn of(collation: Collation) -> NamedCollation {
        NamedCollation { name: collation.name().to_owned(), set: collation.set(), collation }
    }
}
