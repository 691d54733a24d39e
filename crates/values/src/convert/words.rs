//! ENUM and SET: words of a list.
//!
//! Not here: how lists are declared (crate `syntax`).

use super::{Converted, Issue, integer};
use crate::collation::equal;
use crate::datum::{Datum, Value};
use crate::temporal::Zone;
use crate::types::Collation;

/// The longest text that is read as a SET's number.
const NUMBER_CHARS_MAX: usize = 21;

/// Where in the list a word stands: the very word, or else the first that equals it without regard
/// to spaces at its end.
fn position_of(words: &[String], collation: Collation, text: &[u8]) -> Option<usize> {
    let exact = words.iter().position(|word| word.as_bytes() == text);
    exact.or_else(|| {
        let trimmed = crate::key::trim_spaces(text);
        words.iter().position(|word| equal(collation, word.as_bytes(), trimmed))
    })
}

/// A number without its fraction; `None` for what is no number.
fn cut_off(datum: Datum<'_>, zone: Zone) -> Option<i128> {
    match datum {
        Datum::Double(value) => Some(value as i128),
        Datum::Float(value) => Some(value as i128),
        Datum::Decimal(value) => value.truncate(0).and_then(|whole| whole.to_i128()),
        _ => integer::whole_of(datum, zone),
    }
}

/// A word of the list, without regard to spaces at its end, or else a position in digits.
pub(super) fn enum_from_text(words: &[String], collation: Collation, text: &[u8]) -> Converted {
    let no_word = Converted::with(Value::Enum(0), Issue::Truncated);
    if std::str::from_utf8(text).is_err() {
        return no_word;
    }
    if let Some(at) = position_of(words, collation, text) {
        return Converted::clean(Value::Enum(at as u16 + 1));
    }
    let digits = text.trim_ascii();
    let position = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    match position {
        // 0 is the empty value, which is as good as any that way.
        Some(position) if usize::from(position) <= words.len() => {
            Converted::clean(Value::Enum(position))
        }
        _ => no_word,
    }
}

/// A position that a number says; fractions are cut off.
pub(super) fn enum_from_datum(words: usize, datum: Datum<'_>, zone: Zone) -> Converted {
    let position = cut_off(datum, zone).and_then(|whole| usize::try_from(whole).ok());
    match position {
        // The invalid value '' is a value of the domain when it is already one.
        Some(0) if matches!(datum, Datum::Enum(_)) => Converted::clean(Value::Enum(0)),
        Some(position @ 1..) if position <= words => Converted::clean(Value::Enum(position as u16)),
        _ => Converted::with(Value::Enum(0), Issue::Truncated),
    }
}

/// Members with commas between them, in any order, or else a number in digits; members that are
/// none are left out.
pub(super) fn set_from_text(
    words: &[String],
    collation: Collation,
    all: u64,
    text: &[u8],
) -> Converted {
    if text.is_empty() {
        return Converted::clean(Value::Set(0));
    }
    let (mut members, mut is_whole) = (0, true);
    for word in text.split(|byte| *byte == b',') {
        let at = std::str::from_utf8(word).ok().and_then(|_| position_of(words, collation, word));
        match at {
            Some(at) => members |= 1 << at,
            None => is_whole = false,
        }
    }
    if is_whole {
        return Converted::clean(Value::Set(members));
    }
    let number = std::str::from_utf8(text).ok().filter(|text| text.len() <= NUMBER_CHARS_MAX);
    match number.and_then(|text| text.trim_ascii_start().parse().ok()) {
        Some(number) if members == 0 && number <= all => Converted::clean(Value::Set(number)),
        _ => Converted::with(Value::Set(members), Issue::Truncated),
    }
}

/// A number with a bit for each member; bits beyond the list are left out.
pub(super) fn set_from_datum(all: u64, datum: Datum<'_>, zone: Zone) -> Converted {
    let Some(whole) = cut_off(datum, zone) else {
        return Converted::with(Value::Set(0), Issue::Truncated);
    };
    let whole = whole.clamp(i64::MIN.into(), u64::MAX.into()) as u64;
    match whole & all {
        same if same == whole => Converted::clean(Value::Set(whole)),
        members => Converted::with(Value::Set(members), Issue::Truncated),
    }
}
