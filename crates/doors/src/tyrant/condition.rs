//! A condition of a query: what a column must be like.
//!
//! Invariants
//! 1. A column that a record lacks meets no condition, and meets every negated one, as in the
//!    original.
//!
//! Not here: how conditions are named in requests (`query`), what tokens and numbers are
//! (`values::member`), which records are looked at (`access`).

use memchr::memmem;
use values::member::{normalized, number, tokens};
use values::pattern::{CompiledPattern, Pattern, PatternError, PatternFault};

use crate::tyrant::columns::Columns;
use crate::tyrant::command::{TyrantFailure, TyrantTrouble};

/// Makes a pattern of what a client has written.
pub type Compile<'c> = dyn FnMut(&[u8]) -> Result<CompiledPattern, TyrantTrouble> + 'c;

/// What is asked of a column.
#[derive(Clone, Debug)]
pub enum ColumnTest {
    /// STREQ
    Equal(Vec<u8>),
    /// STRINC
    Includes(Vec<u8>),
    /// STRBW
    Begins(Vec<u8>),
    /// STREW
    Ends(Vec<u8>),
    /// STRAND: has all of these tokens.
    AllTokens(Vec<Vec<u8>>),
    /// STROR: has one of these tokens.
    AnyToken(Vec<Vec<u8>>),
    /// STROREQ: is one of these tokens.
    IsAny(Vec<Vec<u8>>),
    /// STRRX
    Matches(CompiledPattern),
    /// NUMEQ
    NumberEqual(f64),
    /// NUMGT
    Greater(f64),
    /// NUMGE
    GreaterEqual(f64),
    /// NUMLT
    Less(f64),
    /// NUMLE
    LessEqual(f64),
    /// NUMBT: from the first to the second, both included.
    Between(f64, f64),
    /// NUMOREQ
    NumberAny(Vec<f64>),
    /// FTSPH: has these words as they follow each other.
    Phrase(String),
    /// FTSAND: has all of these words, or parts of words.
    AllWords(Vec<String>),
    /// FTSOR: has one of them.
    AnyWord(Vec<String>),
    /// FTSEX: each of these, of which one alternative is enough.
    Compound(Vec<Vec<Term>>),
}

/// A word or phrase of a compound expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What the text has.
    pub text: String,
    /// Or must not have.
    pub excluded: bool,
}

/// A condition of a query.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The column; empty is the primary key.
    pub column: Vec<u8>,
    /// What is asked of it.
    pub test: ColumnTest,
    /// Whether records are wanted that do not meet it.
    pub negated: bool,
    /// Whether an index may be used for it, which changes no result.
    pub indexed: bool,
}

impl Condition {
    /// Whether a record meets it.
    pub fn holds(&self, key: &[u8], columns: &Columns) -> bool {
        let value = if self.column.is_empty() { Some(key) } else { columns.get(&self.column) };
        value.is_some_and(|value| self.test.holds(value)) != self.negated
    }
}

impl ColumnTest {
    /// The test of an operator by its number, with its expression.
    ///
    /// # Errors
    /// `Invalid` for an operator that there is not, or a pattern that is none; those of `compile`.
    pub fn new(
        operator: u32,
        expression: &[u8],
        compile: &mut Compile<'_>,
    ) -> Result<ColumnTest, TyrantTrouble> {
        let tokens = || tokens(expression).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let numbers = || tokens().iter().map(|token| number(token)).collect::<Vec<_>>();
        let text = || expression.to_vec();
        Ok(match operator {
            0 => ColumnTest::Equal(text()),
            1 => ColumnTest::Includes(text()),
            2 => ColumnTest::Begins(text()),
            3 => ColumnTest::Ends(text()),
            4 => ColumnTest::AllTokens(tokens()),
            5 => ColumnTest::AnyToken(tokens()),
            6 => ColumnTest::IsAny(tokens()),
            7 => ColumnTest::Matches(compile(expression)?),
            8 => ColumnTest::NumberEqual(number(expression)),
            9 => ColumnTest::Greater(number(expression)),
            10 => ColumnTest::GreaterEqual(number(expression)),
            11 => ColumnTest::Less(number(expression)),
            12 => ColumnTest::LessEqual(number(expression)),
            13 => match numbers()[..] {
                [one, other] => ColumnTest::Between(one.min(other), one.max(other)),
                _ => return Err(TyrantFailure::Invalid("NUMBT takes two numbers".into()).into()),
            },
            14 => ColumnTest::NumberAny(numbers()),
            15 => ColumnTest::Phrase(normalized(expression)),
            16 => ColumnTest::AllWords(words(expression)),
            17 => ColumnTest::AnyWord(words(expression)),
            18 => ColumnTest::Compound(compound(&normalized(expression))),
            _ => return Err(TyrantFailure::Invalid("no such operator".into()).into()),
        })
    }

    fn holds(&self, value: &[u8]) -> bool {
        let has = |token: &Vec<u8>| tokens(value).any(|other| other == token);
        match self {
            ColumnTest::Equal(text) => value == text,
            ColumnTest::Includes(text) => memmem::find(value, text).is_some(),
            ColumnTest::Begins(text) => value.starts_with(text),
            ColumnTest::Ends(text) => value.ends_with(text),
            ColumnTest::AllTokens(all) => all.iter().all(has),
            ColumnTest::AnyToken(some) => some.iter().any(has),
            ColumnTest::IsAny(some) => some.iter().any(|token| token == value),
            ColumnTest::Matches(pattern) => pattern.is_in(value),
            ColumnTest::NumberEqual(other) => number(value) == *other,
            ColumnTest::Greater(least) => number(value) > *least,
            ColumnTest::GreaterEqual(least) => number(value) >= *least,
            ColumnTest::Less(most) => number(value) < *most,
            ColumnTest::LessEqual(most) => number(value) <= *most,
            ColumnTest::Between(least, most) => (*least..=*most).contains(&number(value)),
            ColumnTest::NumberAny(some) => some.contains(&number(value)),
            ColumnTest::Phrase(phrase) => normalized(value).contains(phrase),
            ColumnTest::AllWords(all) => {
                let value = normalized(value);
                all.iter().all(|word| value.contains(word))
            }
            ColumnTest::AnyWord(some) => {
                let value = normalized(value);
                some.iter().any(|word| value.contains(word))
            }
            ColumnTest::Compound(all) => {
                let value = normalized(value);
                let holds = |term: &Term| value.contains(&term.text) != term.excluded;
                all.iter().all(|alternatives| alternatives.iter().any(holds))
            }
        }
    }
}

fn words(text: &[u8]) -> Vec<String> {
    tokens(normalized(text).as_bytes())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// `a b` and `a && b`: both; `a || b`: one of them; `!!a`: not that; `"a b"`: a phrase.
fn compound(expression: &str) -> Vec<Vec<Term>> {
    let mut all: Vec<Vec<Term>> = Vec::new();
    let (mut alternative, mut excluded) = (false, false);
    let mut rest = expression.trim_start();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix("&&") {
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("||") {
            alternative = true;
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("!!") {
            excluded = true;
            rest = behind;
        } else {
            let (text, behind) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => rest.split_at(rest.find(' ').unwrap_or(rest.len())),
            };
            let term = Term { text: text.to_owned(), excluded };
            match all.last_mut() {
                Some(alternatives) if alternative => alternatives.push(term),
                _ => all.push(vec![term]),
            }
            (alternative, excluded) = (false, false);
            rest = behind;
        }
        rest = rest.trim_start();
    }
    all
}

/// A regular expression; one that begins with `*` ignores case. `begin` is asked before it is
/// compiled, for memory and time.
///
/// # Errors
/// `Invalid` when it is none, or too large; those of `begin`.
pub fn pattern<R>(
    text: &[u8],
    begin: &mut dyn FnMut(usize) -> Result<R, TyrantTrouble>,
) -> Result<CompiledPattern, TyrantTrouble> {
    let (text, folds) = match text.strip_prefix(b"*") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    if std::str::from_utf8(text).is_err() {
        return Err(PatternError::Illegal(PatternFault::Syntax(1), "no UTF-8".into()).into());
    }
    Pattern {
        text: text.to_vec(),
        folds,
        multi_line: false,
        dot_is_all: false,
        unicode_classes: false,
    }
    .compiled(begin)
}

impl From<PatternError> for TyrantTrouble {
    fn from(error: PatternError) -> TyrantTrouble {
        TyrantFailure::Invalid(match error {
            PatternError::TooBig => "the regular expression is too large".into(),
            PatternError::Illegal(_, why) => format!("no regular expression: {why}").into(),
        })
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(operator: u32, expression: &str) -> Result<ColumnTest, TyrantTrouble> {
        ColumnTest::new(operator, expression.as_bytes(), &mut |text| pattern(text, &mut |_| Ok(())))
    }

    fn holds(operator: u32, expression: &str, value: &str) -> bool {
        test(operator, expression).unwrap().holds(value.as_bytes())
    }

    #[test]
    fn each_operator_tells_what_it_should_from_what_it_should_not() {
        for (operator, expression, wanted, other) in [
            (0, "abc", "abc", "abcd"),
            (1, "bc", "abcd", "acbd"),
            (2, "ab", "abc", "cab"),
            (3, "bc", "abc", "bca"),
            (4, "a, b", "c b a", "a c"),
            (5, "a b", "c,b", "c ab"),
            (6, "a,b", "b", "a b"),
            (7, "^a.c$", "abc", "abcd"),
            (7, "*^A", "abc", "bA"),
            (8, "10", "10.0x", "11"),
            (9, "10", "10.5", "10"),
            (10, "10", " 10", "9"),
            (11, "-1", "-1.5", "-1"),
            (12, "1e2", "100", "101"),
            (13, "5 1", "1", "5.01"),
            (14, "1,2 3", "3", "4"),
            (15, "New  York", "in new york.", "york new"),
            (16, "york new", "in New York", "in York"),
            (17, "york rome", "Rome", "Oslo"),
            (18, "a b || \"c d\" !!e", "a c d", "a c-d"),
            (18, "a b || \"c d\" !!e", "ba", "ba e"),
        ] {
            assert!(holds(operator, expression, wanted), "{operator} {expression} {wanted}");
            assert!(!holds(operator, expression, other), "{operator} {expression} {other}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(test(19, "a").is_err());
        assert!(test(7, "(").is_err());
        assert!(test(13, "1").is_err());
    }

    #[test]
    fn a_column_that_is_not_there_meets_only_what_is_negated() {
        let test = test(1, "").unwrap();
        let mut condition =
            Condition { column: b"a".to_vec(), test, negated: false, indexed: true };
        assert!(!condition.holds(b"key", &Columns::default()));
        condition.negated = true;
        assert!(condition.holds(b"key", &Columns::default()));
        condition.column.clear();
        assert!(!condition.holds(b"key", &Columns::default()), "the key is always there");
    }
}
