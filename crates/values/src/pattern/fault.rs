//! What is wrong with a regular expression, by the kinds that MySQL tells apart.
//!
//! Not here: their numbers and words (crate `expression`).

use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::Parser;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternFault {
    /// What stands at this character makes no sense there; counted from 1.
    Syntax(usize),
    /// A parenthesis without its other one.
    Parenthesis,
    /// A bracket that is not closed.
    Bracket,
    /// A range of characters that ends before it begins.
    Range,
    /// `{min,max}` without numbers.
    Interval,
    /// `{min,max}` whose end is below its beginning.
    IntervalOrder,
    /// A number that is too large.
    Number,
    /// `\` before what has no meaning behind it.
    Escape,
    /// A class of characters that there is not.
    Class,
    /// What other engines have and this one has not: `\1`, looking ahead and behind.
    Unimplemented,
}

impl PatternFault {
    /// That of a pattern that did not compile.
    pub(super) fn of(text: &str) -> PatternFault {
        use ErrorKind as E;
        // What is read well names a class that there is not.
        let Err(error) = Parser::new().parse(text) else { return PatternFault::Class };
        match error.kind() {
            E::GroupUnclosed | E::GroupUnopened => PatternFault::Parenthesis,
            E::ClassUnclosed => PatternFault::Bracket,
            E::ClassRangeInvalid => PatternFault::Range,
            E::RepetitionCountUnclosed | E::RepetitionCountDecimalEmpty | E::DecimalEmpty => {
                PatternFault::Interval
            }
            E::RepetitionCountInvalid => PatternFault::IntervalOrder,
            E::DecimalInvalid => PatternFault::Number,
            E::EscapeUnexpectedEof | E::EscapeUnrecognized => PatternFault::Escape,
            E::UnsupportedBackreference | E::UnsupportedLookAround => PatternFault::Unimplemented,
            _ => {
                let before = text.get(..error.span().start.offset).unwrap_or(text);
                PatternFault::Syntax(before.chars().count() + 1)
            }
        }
    }
}
