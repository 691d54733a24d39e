//! DATE_FORMAT and STR_TO_DATE: times by pattern; GET_FORMAT: the patterns of places.
//!
//! Not here: which functions take patterns (`time_call`).

use values::temporal::{Date, DateTime, Time};

use crate::moment::{day_of_year, week, weekday};

/// Days of the week, from Monday.
pub const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// Months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The pattern that is usual at a place, by its name, for 'DATE', 'TIME' or 'DATETIME' (MySQL 8.0 manual,
/// 14.7).
pub fn usual_at(place: &[u8], kind: &[u8]) -> Option<&'static str> {
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

/// A time as a pattern asks for it.
pub fn format(pattern: &[u8], value: DateTime) -> Vec<u8> {
    let mut out = String::new();
    let pattern = String::from_utf8_lossy(pattern);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some(code) => specifier(code, value, &mut out),
            None => out.push('%'),
        }
    }
    out.into_bytes()
}

fn specifier(code: char, value: DateTime, out: &mut String) {
    use std::fmt::Write;
    let date = value.date();
    let hour12 = match value.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let day_name = || weekday(date).map_or("", |day| DAYS[usize::from(day)]);
    let month_name = || match date.month() {
        0 => "",
        month => MONTHS[usize::from(month) - 1],
    };
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
        'W' => write!(out, "{}", day_name()),
        'a' => write!(out, "{}", day_name().get(..3).unwrap_or("")),
        'M' => write!(out, "{}", month_name()),
        'b' => write!(out, "{}", month_name().get(..3).unwrap_or("")),
        'j' => write!(out, "{:03}", day_of_year(date).unwrap_or(0)),
        'w' => write!(out, "{}", weekday(date).map_or(0, |day| (day + 1) % 7)),
        'U' => write!(out, "{:02}", week(date, 0).0),
        'u' => write!(out, "{:02}", week(date, 1).0),
        'V' => write!(out, "{:02}", week(date, 2).0),
        'v' => write!(out, "{:02}", week(date, 3).0),
        'X' => write!(out, "{:04}", week(date, 2).1),
        'x' => write!(out, "{:04}", week(date, 3).1),
        other => write!(out, "{other}"),
    };
}

/// TIME_FORMAT: a length of time, whose hours may be more than a day's. `None` where the pattern
/// asks for a name or a week of a day that is not there.
pub fn format_time(pattern: &[u8], value: Time) -> Option<Vec<u8>> {
    use std::fmt::Write;
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

/// The time that a text says under a pattern; `None` if it does not fit.
pub fn parse(text: &[u8], pattern: &[u8]) -> Option<DateTime> {
    let text = std::str::from_utf8(text).ok()?;
    let pattern = std::str::from_utf8(pattern).ok()?;
    let mut rest = text;
    let (mut year, mut month, mut day) = (0u16, 0u8, 0u8);
    let (mut hour, mut minute, mut second, mut micros) = (0u8, 0u8, 0u8, 0u32);
    let (mut half, mut year_day) = (None, None);
    let mut codes = pattern.chars();
    while let Some(character) = codes.next() {
        if character.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if character != '%' {
            rest = rest.strip_prefix(character)?;
            continue;
        }
        rest = rest.trim_start();
        match codes.next()? {
            'Y' => year = take_number(&mut rest, 4)? as u16,
            'y' => {
                let short = take_number(&mut rest, 2)? as u16;
                year = short + if short < 70 { 2000 } else { 1900 };
            }
            'm' | 'c' => month = take_number(&mut rest, 2)? as u8,
            'd' | 'e' => day = take_number(&mut rest, 2)? as u8,
            'H' | 'k' | 'h' | 'I' | 'l' => hour = take_number(&mut rest, 2)? as u8,
            'i' => minute = take_number(&mut rest, 2)? as u8,
            's' | 'S' => second = take_number(&mut rest, 2)? as u8,
            'f' => {
                let before = rest.len();
                let value = take_number(&mut rest, 6)? as u32;
                micros = value * 10u32.pow(6 - (before - rest.len()).min(6) as u32);
            }
            'p' => {
                let word = rest.get(..2)?.to_ascii_uppercase();
                half = Some(word == "PM");
                rest = &rest[2..];
            }
            'T' => {
                hour = take_number(&mut rest, 2)? as u8;
                rest = rest.strip_prefix(':')?;
                minute = take_number(&mut rest, 2)? as u8;
                rest = rest.strip_prefix(':')?;
                second = take_number(&mut rest, 2)? as u8;
            }
            'M' => month = take_word(&mut rest, &MONTHS, 9)?,
            'b' => month = take_word(&mut rest, &MONTHS, 3)?,
            'W' => drop(take_word(&mut rest, &DAYS, 9)?),
            'a' => drop(take_word(&mut rest, &DAYS, 3)?),
            'j' => year_day = Some(take_number(&mut rest, 3)? as i32),
            '%' => rest = rest.strip_prefix('%')?,
            _ => return None,
        }
    }
    if let Some(afternoon) = half {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let day_asked = [b'Y', b'y', b'm', b'c', b'd', b'e', b'M', b'b', b'j'];
    let has_day =
        pattern.as_bytes().windows(2).any(|pair| pair[0] == b'%' && day_asked.contains(&pair[1]));
    let date = match year_day {
        _ if !has_day => Date::ZERO,
        Some(number) => {
            Date::from_days(values::temporal::days_from_civil(year, 1, 1) + number - 1)?
        }
        None => Date::new(year, month, day)?,
    };
    DateTime::new(date, hour, minute, second, micros)
}

fn take_number(rest: &mut &str, digits_max: usize) -> Option<u64> {
    let count = rest.bytes().take(digits_max).take_while(u8::is_ascii_digit).count();
    let (digits, left) = rest.split_at(count);
    *rest = left;
    digits.parse().ok()
}

/// One of the words, or as much of it as `chars_max` allows; its number from 1.
fn take_word(rest: &mut &str, words: &[&str], chars_max: usize) -> Option<u8> {
    for (n, word) in words.iter().enumerate() {
        let word = word.get(..chars_max.min(word.len()))?;
        if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            *rest = &rest[word.len()..];
            return Some(n as u8 + 1);
        }
    }
    None
}
