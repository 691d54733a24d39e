//! Functions on text and bytes.
//!
//! Positions count characters, from 1; of binary strings, bytes.
//!
//! Invariants
//! 1. A function whose result can be longer than its arguments knows the length before it makes
//!    the result (`made`).

use std::borrow::Cow;

use values::codes::{from_hex, shown_bytes, write_hex};
use values::collation;
use values::datum::Datum;
use values::types::{Collation, ColumnType};
use values::{CharacterSet, ErrorCode};

use crate::functions::call::{Call, int, whole};
use crate::functions::number::round_double;
use crate::functions::text::charset::charset_of;
use crate::functions::text::number_forms::NumberForm;
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::node::{Node, common_collation};
use crate::value::cell::{Cell, NULL};
use crate::value::number::Number;

/// Bytes that a search compares before it asks again whether the statement is to go on.
const CHECK_BYTES: usize = 1 << 20;

/// Their values, but for those below that take NULL for something.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    use Function as F;
    let Call { function, arguments, scope, .. } = *call;
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let number = |n: usize| cells.get(n).and_then(|cell| whole(cell, scope)).unwrap_or(0);
    let is_binary = |a: &Node| {
        matches!(a.ty, ColumnType::Bit { .. }) || a.ty.collation() == Some(Collation::Binary)
    };
    let binary = arguments.first().is_some_and(is_binary);
    let first = texts.first().copied().unwrap_or_default();
    Ok(match function {
        F::Concat => {
            let bytes = texts.iter().map(|text| text.len()).fold(0, usize::saturating_add);
            made(function, bytes, scope, || texts.concat())?
        }
        F::Length => int(first.len() as i64),
        F::BitLength => int(first.len() as i64 * 8),
        F::CharLength => int(count(first, binary) as i64),
        F::Lower if binary => Cell::Owned(first.to_vec()),
        F::Upper if binary => Cell::Owned(first.to_vec()),
        F::Lower => Cell::Owned(cased(first, charset_of(&arguments[0]), char::to_lowercase)),
        F::Upper => Cell::Owned(cased(first, charset_of(&arguments[0]), char::to_uppercase)),
        F::Left => Cell::Owned(slice(first, 0, number(1).max(0) as usize, binary).to_vec()),
        F::Right => {
            let total = count(first, binary);
            let kept = (number(1).max(0) as usize).min(total);
            Cell::Owned(slice(first, total - kept, kept, binary).to_vec())
        }
        F::Substring => {
            let length = if cells.len() == 3 { number(2) } else { i64::MAX };
            Cell::Owned(substring(first, number(1), length, binary).to_vec())
        }
        F::SubstringIndex => Cell::Owned(substring_index(first, texts[1], number(2)).to_vec()),
        F::Trim | F::TrimLeading | F::TrimTrailing => {
            let what = texts.get(1).copied().unwrap_or(b" ");
            Cell::Owned(trim(first, what, function).to_vec())
        }
        F::Replace => replace(first, texts[1], texts[2], scope)?,
        F::Reverse if binary => Cell::Owned(first.iter().rev().copied().collect()),
        F::Reverse => Cell::Owned(
            String::from_utf8_lossy(first).chars().rev().collect::<String>().into_bytes(),
        ),
        F::Repeat => repeat(function, first, number(1), scope)?,
        F::Space => repeat(function, b" ", number(0), scope)?,
        F::PadLeft | F::PadRight => {
            let with = texts.get(2).copied().unwrap_or(b" ");
            pad(function, first, number(1), with, binary, scope)?
        }
        F::WeightString if !arguments[0].is_text() => NULL,
        F::WeightString => {
            let rule = arguments[0].collation().0;
            made(function, collation::shown_weight_bytes(rule, first), scope, || {
                let mut weights = Vec::new();
                collation::write_shown_weights(rule, first, &mut weights);
                weights
            })?
        }
        F::Locate => {
            let start = if cells.len() == 3 { number(2) } else { 1 };
            let needle = in_set_of(&arguments[1], &arguments[0], first)?;
            int(locate(&needle, texts[1], start, arguments[1].collation().0, scope)?)
        }
        F::Instr => {
            let needle = in_set_of(&arguments[0], &arguments[1], texts[1])?;
            int(locate(&needle, first, 1, arguments[0].collation().0, scope)?)
        }
        F::InsertText => insert(first, number(1), number(2), texts[3], binary, scope)?,
        F::Hex => hex(&cells[0], first, scope)?,
        F::Unhex => unhex(first, scope),
        F::Ascii => int(first.first().map_or(0, |&b| i64::from(b))),
        F::Ord => {
            let valid = first.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let character = valid.chars().next().filter(|_| !binary);
            let own = &first[..character.map_or(1, char::len_utf8).min(first.len())];
            let own = match charset_of(&arguments[0]) {
                Some(set) => set.encode(own),
                None => own.into(),
            };
            int(own.iter().fold(0, |value, &b| value << 8 | i64::from(b)))
        }
        F::FindInSet => {
            let rule = locate_rule(arguments);
            // Of a column of SET a word that is fixed has the place that it has in the type (MySQL
            // 9.7: tests/oracle/sql/types.sql).
            if let ColumnType::Set { values, .. } = &arguments[1].ty
                && arguments[1].is_stored()
                && arguments[0].is_fixed()
                && let Some(bits) = cells[1].datum().listed_number()
            {
                let is_it = |word: &String| collation::equal(rule, word.as_bytes(), first);
                let place = values.iter().position(is_it);
                let held = place.filter(|place| bits >> place & 1 == 1);
                return Ok(int(held.map_or(0, |place| place as i64 + 1)));
            }
            let found = (!texts[1].is_empty())
                .then(|| {
                    texts[1]
                        .split(|&b| b == b',')
                        .position(|word| collation::equal(rule, word, first))
                })
                .flatten();
            int(found.map_or(0, |at| at as i64 + 1))
        }
        F::Strcmp => int(collation::compare(locate_rule(arguments), first, texts[1]) as i64),
        F::Format => {
            let form = match texts.get(2) {
                None => NumberForm::PLAIN,
                Some(language) => NumberForm::find(language).unwrap_or_else(|| {
                    scope.warn(ErrorCode::UnknownLocale, || {
                        format!("Unknown locale: '{}'", String::from_utf8_lossy(language))
                    });
                    NumberForm::PLAIN
                }),
            };
            format_number(&cells[0], number(1), form, scope)
        }
        F::Bin => conv(first, 10, 2, scope),
        F::Oct => conv(first, 10, 8, scope),
        F::Conv => conv(first, number(1), number(2), scope),
        _ => return Err(Error::unknown_function(function.name())),
    })
}

/// The arguments as text or bytes, one each; those of other types are written into `buffers`.
pub(crate) fn texts_of<'a>(
    arguments: &[Node],
    cells: &'a [Cell<'_>],
    scope: &Scope<'_>,
    buffers: &'a mut [Vec<u8>],
) -> Vec<&'a [u8]> {
    let pairs = cells.iter().zip(arguments).zip(buffers);
    pairs.map(|((cell, own), buffer)| own.bytes_of(cell.datum(), scope.zone, buffer)).collect()
}

/// The collation that two text arguments compare under.
pub(crate) fn locate_rule(arguments: &[Node]) -> Collation {
    let mut rule = arguments[0].collation();
    for argument in &arguments[1..] {
        rule = common_collation(rule, argument.collation());
    }
    rule.0
}

/// A text, or bytes, as a text that is looked for in or compared with what `searched` gives, whose
/// collation alone says what is equal (MySQL 9.7: tests/oracle/sql/functions-read-again.sql).
///
/// # Errors
/// 3854 for bytes that are no text of its character set, and for characters that this has not.
fn in_set_of<'t>(searched: &Node, own: &Node, text: &'t [u8]) -> Result<Cow<'t, [u8]>> {
    let set = searched.collation().0.set();
    if !searched.is_text() || !own.is_text() || set.is_binary() {
        return Ok(Cow::Borrowed(text));
    }
    let own_set = own.collation().0.set();
    let read = if own_set.is_binary() { set.decode(text) } else { Cow::Borrowed(text) };
    if set.has_all(&read) && std::str::from_utf8(&read).is_ok() {
        return Ok(read);
    }
    let bytes = if own_set.is_binary() { Cow::Borrowed(text) } else { own_set.encode(text) };
    let (shown, own, set) = (shown_bytes(&bytes), own_set.name(), set.name());
    let message = format!("Cannot convert string '{shown}' from {own} to {set}");
    Err(Error::new(ErrorCode::CannotConvertString, message))
}

/// A text in another case, character by character: 'ß' has no capital of one.
fn cased<I: Iterator<Item = char>>(
    text: &[u8],
    set: Option<CharacterSet>,
    case: fn(char) -> I,
) -> Vec<u8> {
    let one = |character: char| {
        let mut cased = case(character);
        match (cased.next(), cased.next()) {
            (Some(only), None) if set.is_none_or(|set| set.has(only)) => only,
            _ => character,
        }
    };
    String::from_utf8_lossy(text).chars().map(one).collect::<String>().into_bytes()
}

/// How many characters a text has.
pub(crate) fn count(text: &[u8], binary: bool) -> usize {
    if binary { text.len() } else { text.iter().filter(|&&b| b & 0xc0 != 0x80).count() }
}

/// Where a character begins.
pub(crate) fn offset(text: &[u8], chars: usize, binary: bool) -> usize {
    if binary {
        return chars.min(text.len());
    }
    let starts = text.iter().enumerate().filter(|(_, b)| *b & 0xc0 != 0x80);
    starts.map(|(at, _)| at).nth(chars).unwrap_or(text.len())
}

fn slice(text: &[u8], from: usize, chars: usize, binary: bool) -> &[u8] {
    let start = offset(text, from, binary);
    let rest = &text[start..];
    &rest[..offset(rest, chars, binary)]
}

fn substring(text: &[u8], from: i64, length: i64, binary: bool) -> &[u8] {
    if length <= 0 || from == 0 {
        return b"";
    }
    let start = if from > 0 {
        from as usize - 1
    } else {
        let total = count(text, binary) as i64;
        if -from > total {
            return b"";
        }
        (total + from) as usize
    };
    slice(text, start, usize::try_from(length).unwrap_or(usize::MAX), binary)
}

fn substring_index<'t>(text: &'t [u8], mark: &[u8], times: i64) -> &'t [u8] {
    if mark.is_empty() || times == 0 {
        return b"";
    }
    let nth = usize::try_from(times.unsigned_abs() - 1).unwrap_or(usize::MAX);
    if times > 0 {
        memchr::memmem::find_iter(text, mark).nth(nth).map_or(text, |at| &text[..at])
    } else {
        let found = memchr::memmem::rfind_iter(text, mark).nth(nth);
        found.map_or(text, |at| &text[at + mark.len()..])
    }
}

fn trim<'t>(text: &'t [u8], what: &[u8], function: Function) -> &'t [u8] {
    let mut text = text;
    if what.is_empty() {
        return text;
    }
    if function != Function::TrimTrailing {
        while let Some(rest) = text.strip_prefix(what) {
            text = rest;
        }
    }
    if function != Function::TrimLeading {
        while let Some(rest) = text.strip_suffix(what) {
            text = rest;
        }
    }
    text
}

/// A text of so many bytes; NULL, with a warning, when that is more than may be.
pub(crate) fn made<'a>(
    function: Function,
    bytes: usize,
    scope: &Scope<'_>,
    make: impl FnOnce() -> Vec<u8>,
) -> Result<Cell<'a>> {
    Ok(match scope.room(function.name(), bytes)? {
        Some(room) => Cell::Counted(make(), room),
        None => NULL,
    })
}

fn replace<'a>(text: &[u8], from: &[u8], to: &[u8], scope: &Scope<'_>) -> Result<Cell<'a>> {
    if from.is_empty() {
        return Ok(Cell::Owned(text.to_vec()));
    }
    let found = memchr::memmem::find_iter(text, from).count();
    let bytes = (text.len() - found * from.len()).saturating_add(found.saturating_mul(to.len()));
    made(Function::Replace, bytes, scope, || {
        let mut out = Vec::with_capacity(bytes);
        let mut at = 0;
        for found in memchr::memmem::find_iter(text, from) {
            out.extend_from_slice(&text[at..found]);
            out.extend_from_slice(to);
            at = found + from.len();
        }
        out.extend_from_slice(&text[at..]);
        out
    })
}

fn repeat<'a>(function: Function, text: &[u8], times: i64, scope: &Scope<'_>) -> Result<Cell<'a>> {
    let times = usize::try_from(times).unwrap_or(0);
    made(function, text.len().saturating_mul(times), scope, || match text {
        [] => Vec::new(),
        text => text.repeat(times),
    })
}

fn pad<'a>(
    function: Function,
    text: &[u8],
    chars: i64,
    with: &[u8],
    binary: bool,
    scope: &Scope<'_>,
) -> Result<Cell<'a>> {
    let Ok(chars) = usize::try_from(chars) else { return Ok(NULL) };
    let have = count(text, binary);
    if have >= chars {
        return Ok(Cell::Owned(slice(text, 0, chars, binary).to_vec()));
    }
    let width = count(with, binary);
    if width == 0 {
        // MySQL 9.7 answers so (tests/oracle/sql/newest.sql), MariaDB an empty text.
        return Ok(Cell::Owned(text.to_vec()));
    }
    let (whole, part) = ((chars - have) / width, slice(with, 0, (chars - have) % width, binary));
    let bytes = whole.saturating_mul(with.len()).saturating_add(part.len() + text.len());
    made(function, bytes, scope, || {
        let mut out = Vec::with_capacity(bytes);
        if function == Function::PadRight {
            out.extend_from_slice(text);
        }
        for _ in 0..whole {
            out.extend_from_slice(with);
        }
        out.extend_from_slice(part);
        if function == Function::PadLeft {
            out.extend_from_slice(text);
        }
        out
    })
}

/// Position of `needle` in `text`, from character `start`; 0 if it is not there.
fn locate(
    needle: &[u8],
    text: &[u8],
    start: i64,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<i64> {
    scope.limits.search(text.len().saturating_mul(needle.len()))?;
    let binary = rule == Collation::Binary;
    let total = count(text, binary) as i64;
    if start < 1 || start - 1 > total {
        return Ok(0);
    }
    let mut at = offset(text, start as usize - 1, binary);
    let mut position = start;
    let mut compared = 0;
    loop {
        compared += needle.len() + 1;
        if compared > CHECK_BYTES {
            scope.limits.check()?;
            compared = 0;
        }
        let rest = &text[at..];
        // As many bytes, though other characters could be equal, too (MySQL's my_instr_mb).
        let Some(candidate) = rest.get(..needle.len()) else { return Ok(0) };
        let whole = binary || rest.get(needle.len()).is_none_or(|byte| byte & 0xc0 != 0x80);
        if whole && collation::equal(rule, candidate, needle) {
            return Ok(position);
        }
        if rest.is_empty() {
            return Ok(0);
        }
        at += offset(rest, 1, binary);
        position += 1;
    }
}

fn insert<'a>(
    text: &[u8],
    from: i64,
    length: i64,
    with: &[u8],
    binary: bool,
    scope: &Scope<'_>,
) -> Result<Cell<'a>> {
    let total = count(text, binary) as i64;
    if from < 1 || from > total {
        return Ok(Cell::Owned(text.to_vec()));
    }
    let start = offset(text, from as usize - 1, binary);
    let rest = &text[start..];
    let cut = match usize::try_from(length) {
        Ok(chars) => offset(rest, chars, binary),
        Err(_) => rest.len(),
    };
    let bytes = start + with.len() + rest.len() - cut;
    made(Function::InsertText, bytes, scope, || [&text[..start], with, &rest[cut..]].concat())
}

pub(crate) fn concat_ws<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { arguments, scope, .. } = *call;
    if cells[0].is_null() {
        return Ok(NULL);
    }
    let mut separator = Vec::new();
    let separator = arguments[0].bytes_of(cells[0].datum(), scope.zone, &mut separator);
    let text_bytes = |cell: &Cell<'_>| match cell.datum() {
        Datum::Bytes(text) => text.len(),
        _ => 0,
    };
    let texts = cells[1..].iter().filter(|cell| !cell.is_null());
    let bytes = texts.map(|cell| text_bytes(cell).saturating_add(separator.len()));
    let bytes = bytes.fold(0, usize::saturating_add).saturating_sub(separator.len());
    let Some(room) = scope.room(Function::ConcatWs.name(), bytes)? else { return Ok(NULL) };
    let mut out = Vec::new();
    let mut first = true;
    for (cell, argument) in cells.iter().zip(arguments).skip(1) {
        if cell.is_null() {
            continue;
        }
        if !first {
            out.extend_from_slice(separator);
        }
        first = false;
        argument.write_text(cell.datum(), scope.zone, &mut out);
    }
    Ok(Cell::Counted(out, room))
}

/// FIELD.
pub(crate) fn field<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { arguments, scope, .. } = *call;
    let rule = arguments[0].collation().0;
    let wanted = (cells[0].datum(), &arguments[0].ty);
    let is_of_texts = arguments.iter().all(Node::is_text);
    // Beside a number a text is one, which it should say.
    let warn = |cell: &Cell<'_>| {
        if !is_of_texts {
            scope.number(cell);
        }
    };
    warn(&cells[0]);
    for (at, (cell, argument)) in cells.iter().zip(arguments).enumerate().skip(1) {
        warn(cell);
        let read = match cell.datum() {
            Datum::Bytes(text) if is_of_texts => in_set_of(&arguments[0], argument, text)?,
            _ => Cow::default(),
        };
        let (datum, ty) = match cell.datum() {
            Datum::Bytes(_) if is_of_texts => (Datum::Bytes(&read), &arguments[0].ty),
            datum => (datum, &argument.ty),
        };
        let order = crate::value::compare::compare(wanted, (datum, ty), rule, scope.zone);
        if order == Some(std::cmp::Ordering::Equal) {
            return Ok(int(at as i64));
        }
    }
    Ok(int(0))
}

/// CHAR.
pub(crate) fn char_call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    Ok(Cell::Owned(bytes_of_numbers(cells, call.scope)))
}

fn bytes_of_numbers(cells: &[Cell<'_>], scope: &Scope<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for cell in cells {
        let Some(number) = scope.integer(cell) else { continue };
        let bytes = (number.to_bits() as u32).to_be_bytes();
        let first = bytes.iter().position(|&b| b != 0).unwrap_or(3);
        out.extend_from_slice(&bytes[first..]);
    }
    out
}

/// As CHAR of one number, as text: NULL, with a warning, when the bytes are none.
pub(crate) fn chr<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    if cells[0].is_null() {
        return Ok(NULL);
    }
    let bytes = bytes_of_numbers(cells, call.scope);
    if std::str::from_utf8(&bytes).is_ok() {
        return Ok(Cell::Owned(bytes));
    }
    let shown = String::from_utf8_lossy(&write_hex(&bytes, true)).into_owned();
    call.scope.warn(ErrorCode::InvalidCharacterString, || {
        format!("Invalid utf8mb4 character string: '{shown}'")
    });
    Ok(NULL)
}

fn hex<'a>(cell: &Cell<'_>, text: &[u8], scope: &Scope<'_>) -> Result<Cell<'a>> {
    Ok(match cell.datum() {
        Datum::Bytes(_)
        | Datum::Date(_)
        | Datum::DateTime(_)
        | Datum::Timestamp(_)
        | Datum::Time(_)
        | Datum::Enum(_)
        | Datum::Set(_) => {
            made(Function::Hex, text.len().saturating_mul(2), scope, || write_hex(text, true))?
        }
        number => {
            let bits = Number::of(number, scope.zone).map_or(0, |(number, _)| number.to_bits());
            Cell::Owned(format!("{bits:X}").into_bytes())
        }
    })
}

fn unhex<'a>(text: &[u8], scope: &Scope<'_>) -> Cell<'a> {
    let Some(bytes) = from_hex(text) else {
        let shown = String::from_utf8_lossy(text);
        scope.distrust_argument("string", &format!("'{shown}'"), Function::Unhex);
        return NULL;
    };
    Cell::Owned(bytes)
}

/// QUOTE.
pub(crate) fn quote<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    if cells[0].is_null() {
        return Ok(Cell::Owned(b"NULL".to_vec()));
    }
    let mut buffer = Vec::new();
    let text = call.arguments[0].bytes_of(cells[0].datum(), call.scope.zone, &mut buffer);
    let escaped = text.iter().filter(|byte| matches!(byte, b'\'' | b'\\' | 0 | 26));
    made(call.function, text.len() + escaped.count() + 2, call.scope, || quoted(text))
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in text {
        match byte {
            b'\'' | b'\\' => out.extend([b'\\', byte]),
            0 => out.extend(b"\\0"),
            26 => out.extend(b"\\Z"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

fn format_number<'a>(
    cell: &Cell<'_>,
    digits: i64,
    form: NumberForm,
    scope: &Scope<'_>,
) -> Cell<'a> {
    let Some(number) = scope.number(cell) else { return NULL };
    let digits = digits.clamp(0, 30) as u8;
    let number = match number {
        Number::Double(value) => Number::Double(round_double(value, i64::from(digits))),
        other => other,
    };
    let rounded = number.to_decimal().and_then(|value| value.rescale(digits));
    let plain = match rounded {
        Some(value) => value.to_string(),
        // The digits that tell it from its neighbours, and zeros behind them.
        None if digits == 0 => number.to_f64().to_string(),
        None => format!("{}.{:0<2$}", number.to_f64(), "", usize::from(digits)),
    };
    let (sign, plain) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.as_str()),
    };
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    Cell::Owned(format!("{sign}{}", form.written(whole, fraction)).into_bytes())
}

fn in_base(mut value: u64, base: u32) -> Vec<u8> {
    let mut digits = Vec::new();
    loop {
        let digit = (value % u64::from(base)) as u32;
        digits.push(char::from_digit(digit, base).unwrap_or('0').to_ascii_uppercase() as u8);
        value /= u64::from(base);
        if value == 0 {
            break;
        }
    }
    digits.reverse();
    digits
}

fn conv<'a>(text: &[u8], from: i64, to: i64, scope: &Scope<'_>) -> Cell<'a> {
    let valid = |base: i64| (2..=36).contains(&base.abs());
    if !valid(from) || !valid(to) || text.is_empty() {
        return NULL;
    }
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let base = from.unsigned_abs() as u32;
    // What it gives beyond the last number: a negative base reads signed ones.
    let (largest, beyond) = match (from < 0, negative) {
        (true, false) => (i64::MAX as u64, i64::MAX as u64),
        (true, true) => (i64::MIN.unsigned_abs(), i64::MIN.unsigned_abs()),
        (false, false) => (u64::MAX, u64::MAX),
        (false, true) if base == 10 => (u64::MAX, 0),
        (false, true) => (u64::MAX, 1),
    };
    let (mut value, mut is_number) = (0u64, false);
    for digit in digits.chars().map_while(|c| c.to_digit(base)) {
        let longer = value.checked_mul(u64::from(base));
        let longer = longer.and_then(|longer| longer.checked_add(u64::from(digit)));
        let longer = longer.filter(|longer| *longer <= largest);
        is_number = longer.is_some();
        value = longer.unwrap_or(beyond);
        if !is_number {
            break;
        }
    }
    if !is_number {
        scope.distrust_decimal(text.as_bytes());
    }
    let value = if negative { value.wrapping_neg() } else { value };
    let target = to.unsigned_abs() as u32;
    if to < 0 && (value as i64) < 0 {
        let mut out = vec![b'-'];
        out.extend(in_base((value as i64).unsigned_abs(), target));
        return Cell::Owned(out);
    }
    Cell::Owned(in_base(value, target))
}
