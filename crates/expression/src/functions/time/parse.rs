//! STR_TO_DATE: the time that a text says under a pattern.
//!
//! As MySQL's `extract_date_time` (sql/item_timefunc.cc) has it: space before each part is passed
//! over; what the pattern asks for behind the text's end is not there, and stays zero; what follows
//! in the text is left.
//!
//! Invariants
//! 1. A week is one of a day only together with a day of the week; `%V` goes with `%X`, `%v` with
//!    `%x`, `%U` and `%u` with `%Y`.
//! 2. A day beyond its month is none, zero parts are let be: which are allowed sql_mode says
//!    (`time::calls`).
//!
//! Not here: DATE_FORMAT (`time::format`), which kind of value a pattern gives (`digits`).

use values::temporal::{Date, DateTime, Time, days_from_civil};

/// Days of the week, from Monday, in English whatever `lc_time_names` says.
const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// Months.
const MONTHS: [&str; 12] = [
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

/// What was read so far; what is missing is zero or not known.
#[derive(Default)]
struct Parts {
    year: u16,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
    micros: u32,
    /// Whether hours are those of half a day, and whether that is the second half.
    half_day: bool,
    afternoon: bool,
    year_day: u16,
    /// From Monday, 1 to 7.
    weekday: Option<u8>,
    week: Option<Week>,
    /// The year of `%X` or `%x`, and whether it was `%X`.
    week_year: Option<(u16, bool)>,
}

/// A week of a year.
struct Week {
    number: u8,
    /// Whether weeks begin on Sunday: `%U` and `%V`.
    from_sunday: bool,
    /// Whether it is one of a year of weeks: `%V` and `%v`.
    of_week_year: bool,
}

/// What a text said: a day with a time, of which either may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadTime {
    /// The day.
    pub date: Date,
    /// The time of day.
    pub time: Time,
}

impl ReadTime {
    /// Both as one.
    pub fn datetime(self) -> Option<DateTime> {
        let time = self.time;
        let hour = u8::try_from(time.hours()).ok()?;
        DateTime::new(self.date, hour, time.minute(), time.second(), time.fraction())
    }
}

/// The time that a text says under a pattern; `None` if it does not fit.
pub(crate) fn parse(text: &[u8], pattern: &[u8]) -> Option<ReadTime> {
    let text = std::str::from_utf8(text).ok()?;
    let pattern = std::str::from_utf8(pattern).ok()?;
    let (mut rest, mut parts) = (text, Parts::default());
    read(&mut rest, pattern, &mut parts)?;
    let date = day_of(&parts)?;
    let time = Time::new(false, u32::from(parts.hour), parts.minute, parts.second, parts.micros);
    Some(ReadTime { date, time: time.filter(|_| parts.hour <= 23)? })
}

/// Reads by a pattern, as far as the text goes.
fn read(rest: &mut &str, pattern: &str, parts: &mut Parts) -> Option<()> {
    let mut codes = pattern.chars();
    while let Some(character) = codes.next() {
        *rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            break;
        }
        match character {
            '%' => match codes.next() {
                Some(code) => part(code, rest, parts)?,
                None => *rest = rest.strip_prefix('%')?,
            },
            space if is_space(space) => {}
            other => *rest = rest.strip_prefix(other)?,
        }
    }
    if parts.half_day {
        if !(1..=12).contains(&parts.hour) {
            return None;
        }
        parts.hour = parts.hour % 12 + if parts.afternoon { 12 } else { 0 };
        // Of `%r` the hours are settled now.
        parts.half_day = false;
    }
    Some(())
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

/// Reads what one code asks for.
fn part(code: char, rest: &mut &str, parts: &mut Parts) -> Option<()> {
    match code {
        'Y' => {
            let before = rest.len();
            let year = number(rest, 4)?;
            parts.year = if before - rest.len() <= 2 { of_two_digits(year) } else { year };
        }
        'y' => parts.year = of_two_digits(number(rest, 2)?),
        'm' | 'c' => parts.month = small(rest, 2)?,
        'M' => parts.month = word(rest, &MONTHS, 9)?,
        'b' => parts.month = word(rest, &MONTHS, 3)?,
        'd' | 'e' => parts.day = small(rest, 2)?,
        'D' => {
            parts.day = small(rest, 2)?;
            // The ending, whatever it is.
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
            *rest = &rest[end..];
        }
        'h' | 'I' | 'l' => {
            parts.half_day = true;
            parts.hour = small(rest, 2)?;
        }
        'H' | 'k' => parts.hour = small(rest, 2)?,
        'i' => parts.minute = small(rest, 2)?,
        's' | 'S' => parts.second = small(rest, 2)?,
        'f' => {
            let before = rest.len();
            let digits: u32 = number(rest, 6)?;
            parts.micros = digits * 10u32.pow(6 - (before - rest.len()) as u32);
        }
        'p' => {
            let half = rest.get(..2).filter(|_| parts.half_day)?;
            parts.afternoon = match half {
                _ if half.eq_ignore_ascii_case("PM") => true,
                _ if half.eq_ignore_ascii_case("AM") => false,
                _ => return None,
            };
            *rest = &rest[2..];
        }
        'W' => parts.weekday = Some(word(rest, &DAYS, 9)?),
        'a' => parts.weekday = Some(word(rest, &DAYS, 3)?),
        'w' => {
            parts.weekday = Some(match small(rest, 1)? {
                0 => 7,
                day @ 1..7 => day,
                _ => return None,
            });
        }
        'j' => parts.year_day = number(rest, 3)?,
        'U' | 'u' | 'V' | 'v' => {
            let of_week_year = matches!(code, 'V' | 'v');
            let number = small(rest, 2)?;
            if number > 53 || of_week_year && number == 0 {
                return None;
            }
            let from_sunday = matches!(code, 'U' | 'V');
            parts.week = Some(Week { number, from_sunday, of_week_year });
        }
        'X' | 'x' => parts.week_year = Some((number(rest, 4)?, code == 'X')),
        'r' => read(rest, "%I:%i:%S %p", parts)?,
        'T' => read(rest, "%H:%i:%S", parts)?,
        '.' => *rest = rest.trim_start_matches(|c: char| c.is_ascii_punctuation()),
        '@' => *rest = rest.trim_start_matches(char::is_alphabetic),
        '#' => *rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        _ => return None,
    }
    Some(())
}

/// A year of two digits is one from 1970 to 2069.
fn of_two_digits(year: u16) -> u16 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    }
}

/// The number at the front, of so many digits at most.
fn number<N: TryFrom<u32>>(rest: &mut &str, digits_max: usize) -> Option<N> {
    let count = rest.bytes().take(digits_max).take_while(u8::is_ascii_digit).count();
    let (digits, left) = rest.split_at(count);
    *rest = left;
    digits.parse::<u32>().ok()?.try_into().ok()
}

fn small(rest: &mut &str, digits_max: usize) -> Option<u8> {
    number(rest, digits_max)
}

/// The letters at the front as one of some words, each cut to so many characters, or as the
/// beginning of one alone. Its number from 1.
fn word(rest: &mut &str, words: &[&str], chars_max: usize) -> Option<u8> {
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, left) = rest.split_at(length);
    if letters.is_empty() {
        return None;
    }
    let words = || words.iter().map(|word| &word[..chars_max.min(word.len())]);
    let begins =
        |word: &str| word.get(..length).is_some_and(|start| start.eq_ignore_ascii_case(letters));
    let whole = words().position(|word| word.eq_ignore_ascii_case(letters));
    let alone = || {
        let mut found = words().enumerate().filter(|(_, word)| begins(word));
        found.next().filter(|_| found.next().is_none()).map(|(at, _)| at)
    };
    let at = whole.or_else(alone)?;
    *rest = left;
    u8::try_from(at + 1).ok()
}

/// The day of the parts; `None` if there is none such.
fn day_of(parts: &Parts) -> Option<Date> {
    let first = |year: u16| days_from_civil(year, 1, 1);
    if let (Some(week), Some(weekday)) = (&parts.week, parts.weekday) {
        let year = match (week.of_week_year, parts.week_year) {
            (true, Some((year, from_sunday))) if from_sunday == week.from_sunday => year,
            (false, None) => parts.year,
            _ => return None,
        };
        let (first, weekday) = (first(year), i32::from(weekday));
        let weeks = (i32::from(week.number) - 1) * 7;
        // Days from the week's beginning to January 1.
        let days = if week.from_sunday {
            let into = (first + 4).rem_euclid(7);
            first + if into == 0 { 0 } else { 7 } - into + weeks + weekday % 7
        } else {
            let into = (first + 3).rem_euclid(7);
            first + if into <= 3 { 0 } else { 7 } - into + weeks + weekday - 1
        };
        return Date::from_days(days);
    }
    match parts.year_day {
        0 => Date::new(parts.year, parts.month, parts.day),
        day => Date::from_days(first(parts.year) + i32::from(day) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pattern: &str, expected: Option<&str>) {
        let shown = parse(text.as_bytes(), pattern.as_bytes()).map(|read| {
            let mut out = Vec::new();
            read.datetime().expect("a time of day").write(6, &mut out);
            String::from_utf8(out).expect("ASCII")
        });
        let expected = expected.map(|text| match text.len() {
            10 => format!("{text} 00:00:00.000000"),
            _ => format!("{text}.000000"),
        });
        assert_eq!(shown, expected, "{text} {pattern}");
    }

    #[test]
    fn a_week_with_a_day_of_it_is_a_day() {
        for (text, pattern, expected) in [
            ("200442 Monday", "%X%V %W", "2004-10-18"),
            ("2024-10 Mon", "%x-%v %a", "2024-03-04"),
            ("2024 10 Sunday", "%X %V %W", "2024-03-10"),
            ("2024 10 0", "%X %V %w", "2024-03-10"),
            ("2024 10 0", "%x %v %w", "2024-03-10"),
            ("2024 10 Monday", "%Y %U %W", "2024-03-11"),
            ("2024 10 Monday", "%Y %u %W", "2024-03-04"),
            ("2024 53 Sunday", "%Y %U %W", "2025-01-05"),
            ("2024 0 Monday", "%Y %u %W", "2023-12-25"),
            ("2024 10", "%Y %U", "2024-00-00"),
            ("Monday", "%W", "0000-00-00"),
        ] {
            check(text, pattern, Some(expected));
        }
        for (text, pattern) in [
            ("2024 10 Mon", "%X %U %a"),
            ("2024 10 Mon", "%Y %V %a"),
            ("2024 10 Mon", "%x %V %a"),
            ("2024 10 Mon", "%X %v %a"),
            ("2024 54 Mon", "%X %V %a"),
            ("2024 00 Mon", "%X %V %a"),
            ("2024 10 7", "%X %V %w"),
        ] {
            check(text, pattern, None);
        }
    }

    #[test]
    fn endings_halves_of_days_and_runs_of_characters_are_read() {
        check("22nd 2 2024", "%D %m %Y", Some("2024-02-22"));
        check("3 2 2024", "%D %m %Y", None);
        check("03:04:05 PM", "%r", Some("0000-00-00 15:04:05"));
        check("12:04:05 AM", "%r", Some("0000-00-00 00:04:05"));
        check("03:04 PM", "%r", None);
        check("13:04:05 AM", "%r", None);
        check("10:11", "%T", Some("0000-00-00 10:11:00"));
        check("10 PM", "%H %p", None);
        check("123abc2024-01-02", "%#%@%Y-%m-%d", Some("2024-01-02"));
        check("...2024-01-02", "%.%Y-%m-%d", Some("2024-01-02"));
        check("2024-01-02...", "%Y-%m-%d%.", Some("2024-01-02"));
    }

    #[test]
    fn what_the_pattern_asks_for_behind_the_end_is_zero_and_what_follows_is_left() {
        check("2024-01", "%Y-%m-%d", Some("2024-01-00"));
        check("2024-01-02 rest", "%Y-%m-%d", Some("2024-01-02"));
        check(" 2024 - 01 - 02", "%Y-%m-%d", Some("2024-01-02"));
        check("2024%01", "%Y%%%m", None);
        check("2024-13-01", "%Y-%m-%d", None);
        check("2023 366", "%Y %j", Some("2024-01-01"));
        check("7-1-1", "%Y-%m-%d", Some("2007-01-01"));
        check("Janu 5 2024", "%M %e %Y", Some("2024-01-05"));
        check("25:11:12", "%H:%i:%s", None);
    }
}
