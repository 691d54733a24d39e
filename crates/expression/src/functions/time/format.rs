//! DATE_FORMAT and TIME_FORMAT: times by pattern; GET_FORMAT: the patterns of places.
//!
//! Not here: which functions take patterns (`time::calls`), STR_TO_DATE (`time::parse`).

use values::datum::Datum;
use values::temporal::{DateTime, Time};

use crate::functions::call::Call;
use crate::functions::text::calls::texts_of;
use crate::statement::error::Result;
use crate::statement::time_names::TimeNames;
use crate::value::cell::{Cell, NULL};
use crate::value::moment::{day_of_year, week, weekday};

/// GET_FORMAT.
pub(crate) fn get_format<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(call.arguments, cells, call.scope, &mut buffers);
    let pattern = usual_at(texts[1], texts[0]);
    Ok(pattern.map_or(NULL, |pattern| Cell::Plain(Datum::Bytes(pattern.as_bytes()))))
}

/// The pattern that is usual at a place, by its name, for 'DATE', 'TIME' or 'DATETIME' (MySQL 8.0
/// manual, 14.7).
fn usual_at(place: &[u8], kind: &[u8]) -> Option<&'static str> {
    let place = place.to_ascii_uppercase();
    Some(match (kind, place.as_slice()) {
        (b"DATE", b"USA") => "%m.%d.%Y",
        (b"DATE", b"JIS" | b"ISO") => "%Y-%m-%d",
        (b"DATE", b"EUR") => "%d.%m.%Y",
        (b"DATE", b"INTERNAL") => "%Y%m%d",
        (b"TIME", b"USA") => "%h:%i:%s %p",
        (b"TIME", b"JIS" | b"ISO") => "%H:%i:%s",
        (b"TIME", b"EUR") => "%H.%i.%s",
        (b"TIME", b"INTERNAL") => "%H%i%s",
        (b"DATETIME", b"USA" | b"EUR") => "%Y-%m-%d %H.%i.%s",
        (b"DATETIME", b"JIS" | b"ISO") => "%Y-%m-%d %H:%i:%s",
        (b"DATETIME", b"INTERNAL") => "%Y%m%d%H%i%s",
        _ => return None,
    })
}

/// A time as a pattern asks for it, with names of a language; `None` where it asks for a name or a
/// number of a day that is not there, and for a pattern of nothing.
pub fn format(pattern: &[u8], value: DateTime, names: &TimeNames) -> Option<Vec<u8>> {
    if pattern.is_empty() {
        return None;
    }
    let mut out = String::new();
    let pattern = String::from_utf8_lossy(pattern);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some(code) => specifier(code, value, names, &mut out)?,
            None => out.push('%'),
        }
    }
    Some(out.into_bytes())
}

fn specifier(code: char, value: DateTime, names: &TimeNames, out: &mut String) -> Option<()> {
    use std::fmt::Write;
    let date = value.date();
    let hour12 = match value.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let day = || weekday(date).map(usize::from);
    let month = || date.month().checked_sub(1).map(usize::from);
    let week = |mode| week(date, mode);
    let half = if value.hour() < 12 { "AM" } else { "PM" };
    let (h, m, s) = (value.hour(), value.minute(), value.second());
    // Writing to a String cannot fail.
    let _ = match code {
        'Y' => write!(out, "{:04}", date.year()),
        'y' => write!(out, "{:02}", date.year() % 100),
        'm' => write!(out, "{:02}", date.month()),
        'c' => write!(out, "{}", date.month()),
        'd' => write!(out, "{:02}", date.day()),
        'e' => write!(out, "{}", date.day()),
        'D' => write!(out, "{}{}", date.day(), ordinal(date.day())),
        'H' => write!(out, "{h:02}"),
        'k' => write!(out, "{h}"),
        'h' | 'I' => write!(out, "{hour12:02}"),
        'l' => write!(out, "{hour12}"),
        'i' => write!(out, "{m:02}"),
        's' | 'S' => write!(out, "{s:02}"),
        'f' => write!(out, "{:06}", value.micros()),
        'p' => write!(out, "{half}"),
        'r' => write!(out, "{hour12:02}:{m:02}:{s:02} {half}"),
        'T' => write!(out, "{h:02}:{m:02}:{s:02}"),
        'W' => write!(out, "{}", names.days[day()?]),
        'a' => write!(out, "{}", names.short_days[day()?]),
        'M' => write!(out, "{}", names.months[month()?]),
        'b' => write!(out, "{}", names.short_months[month()?]),
        'j' => write!(out, "{:03}", day_of_year(date)?),
        'w' => write!(out, "{}", (weekday(date)? + 1) % 7),
        'U' => write!(out, "{:02}", week(0)?.0),
        'u' => write!(out, "{:02}", week(1)?.0),
        'V' => write!(out, "{:02}", week(2)?.0),
        'v' => write!(out, "{:02}", week(3)?.0),
        'X' => write!(out, "{:04}", week(2)?.1),
        'x' => write!(out, "{:04}", week(3)?.1),
        other => write!(out, "{other}"),
    };
    Some(())
}

/// TIME_FORMAT: a length of time, whose hours may be more than a day's. `None` where the pattern
/// asks for a name or a week of a day that is not there, and for a pattern of nothing.
pub fn format_time(pattern: &[u8], value: Time) -> Option<Vec<u8>> {
    use std::fmt::Write;
    if pattern.is_empty() {
        return None;
    }
    let mut out = String::from(if value.is_negative() { "-" } else { "" });
    let (h, m, s) = (value.hours(), value.minute(), value.second());
    let hour12 = (h + 11) % 12 + 1;
    let half = if h % 24 < 12 { "AM" } else { "PM" };
    let pattern = String::from_utf8_lossy(pattern);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        // Writing to a String cannot fail.
        let _ = match characters.next() {
            Some('H') => write!(out, "{h:02}"),
            Some('k') => write!(out, "{h}"),
            Some('h' | 'I') => write!(out, "{hour12:02}"),
            Some('l') => write!(out, "{hour12}"),
            Some('i') => write!(out, "{m:02}"),
            Some('s' | 'S') => write!(out, "{s:02}"),
            Some('f') => write!(out, "{:06}", value.fraction()),
            Some('p') => write!(out, "{half}"),
            Some('r') => write!(out, "{hour12:02}:{m:02}:{s:02} {half}"),
            Some('T') => write!(out, "{h:02}:{m:02}:{s:02}"),
            Some('Y') => write!(out, "0000"),
            Some('y' | 'm' | 'd') => write!(out, "00"),
            Some('c' | 'e') => write!(out, "0"),
            Some('D' | 'W' | 'a' | 'M' | 'b' | 'j' | 'w' | 'U' | 'u' | 'V' | 'v' | 'X' | 'x') => {
                return None;
            }
            Some(other) => write!(out, "{other}"),
            None => write!(out, "%"),
        };
    }
    Some(out.into_bytes())
}

fn ordinal(day: u8) -> &'static str {
    match (day % 10, day / 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    }
}
