//! Conditions to what is looked for in member indexes.
//!
//! | index | looks up |
//! |---|---|
//! | LEXICAL | STREQ, STROREQ, STRBW |
//! | DECIMAL | NUMEQ, NUMOREQ, NUMGT, NUMGE, NUMLT, NUMLE, NUMBT; STREQ and STROREQ by their numbers |
//! | TOKEN | STRAND, STROR, STROREQ, STREQ |
//! | QGRAM | FTSPH, FTSAND, FTSOR, FTSEX; STREQ, STRINC, STRBW, STREW of ASCII |
//!
//! Invariants
//! 1. What is looked up has every record that meets the condition.
//!
//! Not here: which condition is looked up (`ways`).

use rows::Lookup;
use rows::store::KeyRange;
use rows::table::{MEMBER_TEXT_BYTES_MAX, MemberCodec};
use values::MemberKind;
use values::member::{PART_CHARS, normalized, number, parts, tokens};

use crate::tyrant::condition::{ColumnTest, Term};

/// Where a member index has what meets a condition.
#[derive(Debug)]
pub enum MemberPlace {
    /// At some parts.
    Lookup(Lookup),
    /// From one value to another, in the order of values.
    Span(KeyRange),
}

/// Where the records are that meet a test; `None` where the index does not know.
pub fn place(codec: &MemberCodec, test: &ColumnTest) -> Option<MemberPlace> {
    match codec.kind {
        MemberKind::Lexical => lexical(codec, test),
        MemberKind::Decimal => decimal(codec, test),
        MemberKind::Token => token(codec, test).map(MemberPlace::Lookup),
        MemberKind::Qgram => qgram(codec, test).map(MemberPlace::Lookup),
    }
}

/// Whether just those records are there that meet the test, so that nobody needs to look at them.
pub fn is_exact(codec: &MemberCodec, test: &ColumnTest) -> bool {
    // A longer text may share its entry's part with others.
    let whole = |text: &Vec<u8>| text.len() < MEMBER_TEXT_BYTES_MAX;
    match (codec.kind, test) {
        (MemberKind::Lexical, ColumnTest::Equal(text) | ColumnTest::Begins(text)) => whole(text),
        (MemberKind::Lexical, ColumnTest::IsAny(texts)) => texts.iter().all(whole),
        (MemberKind::Token, ColumnTest::AnyToken(some)) => some.iter().all(whole),
        (MemberKind::Token, ColumnTest::AllTokens(all)) => all.len() == 1 && whole(&all[0]),
        (
            MemberKind::Decimal,
            ColumnTest::NumberEqual(_)
            | ColumnTest::NumberAny(_)
            | ColumnTest::Greater(_)
            | ColumnTest::GreaterEqual(_)
            | ColumnTest::Less(_)
            | ColumnTest::LessEqual(_)
            | ColumnTest::Between(..),
        ) => true,
        _ => false,
    }
}

fn lexical(codec: &MemberCodec, test: &ColumnTest) -> Option<MemberPlace> {
    match test {
        ColumnTest::Equal(text) => Some(MemberPlace::Lookup(Lookup::One(codec.equal(text)))),
        ColumnTest::IsAny(texts) => {
            let each = texts.iter().map(|text| Lookup::One(codec.equal(text)));
            Some(MemberPlace::Lookup(Lookup::Any(each.collect())))
        }
        ColumnTest::Begins(text) => Some(MemberPlace::Span(codec.begins(text))),
        _ => None,
    }
}

fn decimal(codec: &MemberCodec, test: &ColumnTest) -> Option<MemberPlace> {
    let one = |number: f64| Lookup::One(codec.between(number, number));
    let span = |least, most| Some(MemberPlace::Span(codec.between(least, most)));
    match test {
        ColumnTest::NumberEqual(number) => Some(MemberPlace::Lookup(one(*number))),
        ColumnTest::NumberAny(numbers) => {
            Some(MemberPlace::Lookup(Lookup::Any(numbers.iter().copied().map(one).collect())))
        }
        // Equal texts begin with equal numbers.
        ColumnTest::Equal(text) => Some(MemberPlace::Lookup(one(number(text)))),
        ColumnTest::IsAny(texts) => {
            let each = texts.iter().map(|text| one(number(text)));
            Some(MemberPlace::Lookup(Lookup::Any(each.collect())))
        }
        ColumnTest::Greater(least) => Some(MemberPlace::Span(codec.above(*least))),
        ColumnTest::GreaterEqual(least) => span(*least, f64::INFINITY),
        ColumnTest::Less(most) => Some(MemberPlace::Span(codec.below(*most))),
        ColumnTest::LessEqual(most) => span(f64::NEG_INFINITY, *most),
        ColumnTest::Between(least, most) => span(*least, *most),
        _ => None,
    }
}

fn token(codec: &MemberCodec, test: &ColumnTest) -> Option<Lookup> {
    let one = |text: &[u8]| Lookup::One(codec.equal(text));
    match test {
        ColumnTest::AllTokens(all) => all_of(all.iter().map(|text| one(text)).collect()),
        // A text that is a token has no other.
        ColumnTest::AnyToken(some) | ColumnTest::IsAny(some) => {
            Some(Lookup::Any(some.iter().map(|text| one(text)).collect()))
        }
        ColumnTest::Equal(text) => all_of(tokens(text).map(one).collect()),
        _ => None,
    }
}

fn qgram(codec: &MemberCodec, test: &ColumnTest) -> Option<Lookup> {
    match test {
        ColumnTest::Phrase(text) => phrase(codec, text),
        ColumnTest::AllWords(all) => {
            all_of(all.iter().filter_map(|word| phrase(codec, word)).collect())
        }
        ColumnTest::AnyWord(some) => any_of(some.iter().map(|word| phrase(codec, word))),
        ColumnTest::Compound(all) => {
            let each = |terms: &Vec<Term>| {
                any_of(terms.iter().map(|term| match term.excluded {
                    true => None,
                    false => phrase(codec, &term.text),
                }))
            };
            all_of(all.iter().filter_map(each).collect())
        }
        // What a text has as it is, it has in lower case, too; beyond ASCII a letter's lower case
        // may depend on what is beside it.
        ColumnTest::Equal(text)
        | ColumnTest::Includes(text)
        | ColumnTest::Begins(text)
        | ColumnTest::Ends(text)
            if text.is_ascii() =>
        {
            phrase(codec, &normalized(text))
        }
        _ => None,
    }
}

/// A normalized text within others: all of its whole parts; of a shorter one those that begin so.
fn phrase(codec: &MemberCodec, text: &str) -> Option<Lookup> {
    match text.chars().count() {
        0 => None,
        1..PART_CHARS => Some(Lookup::Many(codec.begins(text.as_bytes()))),
        chars => {
            let whole = parts(text).take(chars - PART_CHARS + 1);
            all_of(whole.map(|part| Lookup::One(codec.equal(part.as_bytes()))).collect())
        }
    }
}

/// What all of these name; `None` if there are none, so that nothing is known.
pub fn all_of(mut all: Vec<Lookup>) -> Option<Lookup> {
    match all.len() {
        0 => None,
        1 => all.pop(),
        _ => Some(Lookup::All(all)),
    }
}

/// What one of these names, if all of them are known.
fn any_of(some: impl Iterator<Item = Option<Lookup>>) -> Option<Lookup> {
    some.collect::<Option<Vec<Lookup>>>().map(Lookup::Any)
}
