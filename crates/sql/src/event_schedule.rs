//! What an event does and when it is due: the statements of its body, and moments from its
//! schedule, by the clock of its time zone.
//!
//! Moments are seconds since the epoch. Days and longer units are counted on the zone's clock, so
//! that a daily event stays at its hour when clocks change; shorter ones are lengths of time. The
//! last day of a month stands in for a day that it lacks, and only there.
//!
//! Invariants
//! 1. The moments of a schedule depend on nothing but the schedule and its zone.
//!
//! Not here: which moments are passed over (`queue`).

use expression::moment::{Interval, Unit, compound, difference, shift, simple};
use rows::event::{EventDefinition, EventSchedule};
use values::SqlMode;
use values::temporal::{DateTime, Zone};

/// Units of events, as they are shown.
const UNITS: [&str; 15] = [
    "YEAR",
    "QUARTER",
    "MONTH",
    "WEEK",
    "DAY",
    "HOUR",
    "MINUTE",
    "SECOND",
    "YEAR_MONTH",
    "DAY_HOUR",
    "DAY_MINUTE",
    "DAY_SECOND",
    "HOUR_MINUTE",
    "HOUR_SECOND",
    "MINUTE_SECOND",
];
/// The largest number of units, as in MySQL.
const UNITS_MAX: i64 = 1_000_000_000;
const SECOND: i64 = 1_000_000;

/// What EVERY says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EveryStep {
    unit: Unit,
    interval: Interval,
}

/// The unit by name, as it is shown; `None` for those that events cannot have.
pub fn unit_name(word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    let upper = upper.strip_prefix("SQL_TSI_").unwrap_or(&upper);
    UNITS.iter().copied().find(|name| *name == upper)
}

impl EveryStep {
    /// Reads a number of units, or the text of a compound interval; `None` unless it is positive
    /// and not too large.
    pub fn parse(text: &str, unit: &str) -> Option<EveryStep> {
        let unit = Unit::parse(unit)?;
        let interval = match unit {
            Unit::Compound(large, small) => compound(large, small, text)?,
            _ => {
                // As MySQL converts a text to a whole number: what follows its digits is dropped.
                let digits = text.trim().trim_start_matches('+');
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                let count = digits[..end].parse().ok().filter(|count| *count <= UNITS_MAX)?;
                simple(unit, count, 0)?
            }
        };
        let step = EveryStep { unit, interval };
        let positive =
            interval.months >= 0 && interval.micros >= 0 && interval != Interval::default();
        let most = match unit {
            Unit::Compound(0, _) => interval.months <= UNITS_MAX,
            Unit::Compound(_, small) => interval.micros / smallest_micros(small) <= UNITS_MAX,
            _ => true,
        };
        (positive && most).then_some(step)
    }

    /// The interval as SHOW EVENTS has it: `5`; `1:30` for a compound one, without quotes.
    pub fn shown(self) -> String {
        let Interval { months, micros } = self.interval;
        let seconds = micros / SECOND;
        let (day, hour, minute) = (seconds / 86_400, seconds / 3600, seconds / 60);
        match self.unit {
            Unit::Year => (months / 12).to_string(),
            Unit::Quarter => (months / 3).to_string(),
            Unit::Month => months.to_string(),
            Unit::Week => (day / 7).to_string(),
            Unit::Day => day.to_string(),
            Unit::Hour => hour.to_string(),
            Unit::Minute => minute.to_string(),
            Unit::Second | Unit::Microsecond => seconds.to_string(),
            Unit::Compound(0, _) => format!("{}-{}", months / 12, months % 12),
            Unit::Compound(large, small) => {
                // From the largest part, which has all that is above it.
                let parts = [day, hour, minute, seconds];
                let sizes = [1, 24, 60, 60];
                let mut text = String::new();
                for part in usize::from(large)..=usize::from(small) {
                    let (at, first) = (part - 2, part == usize::from(large));
                    let value = if first { parts[at] } else { parts[at] % sizes[at] };
                    if !first {
                        text.push(if part == 3 { ' ' } else { ':' });
                    }
                    text.push_str(&value.to_string());
                }
                text
            }
        }
    }

    /// Whether it is counted on a clock on the wall.
    fn is_of_calendar(self) -> bool {
        self.unit.is_of_days()
    }

    fn times(self, count: i64) -> Option<Interval> {
        Some(Interval {
            months: self.interval.months.checked_mul(count)?,
            micros: self.interval.micros.checked_mul(count)?,
        })
    }

    /// The first moment at or after `from` of those that begin at `starts`, which is earlier.
    fn first_from(self, starts: i64, from: i64, zone: Zone) -> Option<i64> {
        if !self.is_of_calendar() {
            let step = self.interval.micros / SECOND;
            let count = (from - starts + step - 1).div_euclid(step);
            return starts.checked_add(count.checked_mul(step)?);
        }
        let shown = |moment: i64| zone.datetime_at(moment.checked_mul(SECOND)?);
        let (first, near) = (shown(starts)?, shown(from)?);
        let passed = match self.interval.months {
            0 => difference(Unit::Second, first, near)? / (self.interval.micros / SECOND),
            months => difference(Unit::Month, first, near)? / months,
        };
        // Clocks that change, and months of different lengths, make it one more or less.
        (passed.saturating_sub(1).max(0)..=passed.saturating_add(2)).find_map(|count| {
            let moment: DateTime = shift(first, self.times(count)?)?;
            let moment = zone.instant_of(moment)?.div_euclid(SECOND);
            (moment >= from).then_some(moment)
        })
    }
}

/// Microseconds of the smallest part of a compound unit, from HOUR on.
fn smallest_micros(part: u8) -> i64 {
    match part {
        3 => 3600 * SECOND,
        4 => 60 * SECOND,
        _ => SECOND,
    }
}

/// The zone by the text of `time_zone`.
pub fn zone_of(text: &str) -> Zone {
    if text.eq_ignore_ascii_case("system") {
        return Zone::of_system();
    }
    Zone::parse(text).unwrap_or_default()
}

/// The first moment at or after `from` at which an event is due; that of a one-time event may be
/// long over. `None` when there is none any more.
pub fn first_moment(event: &EventDefinition, from: i64) -> Option<i64> {
    match &event.schedule {
        EventSchedule::Once { at, begun } => (!begun).then_some(*at),
        EventSchedule::Every { interval, unit, starts, ends } => {
            let moment = match from <= *starts {
                true => *starts,
                false => {
                    let zone = zone_of(&event.settings.time_zone);
                    EveryStep::parse(interval, unit)?.first_from(*starts, from, zone)?
                }
            };
            ends.is_none_or(|ends| moment <= ends).then_some(moment)
        }
    }
}

/// The statements of a body, as they were written.
pub fn statements(body: &str, mode: SqlMode) -> Vec<&str> {
    match syntax::scan::compound::block(body.as_bytes(), 0, mode) {
        Some(block) => block.statements.into_iter().map(|range| &body[range]).collect(),
        None => vec![body],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str, unit: &str) -> Option<EveryStep> {
        EveryStep::parse(text, unit)
    }

    fn at(text: &str, zone: Zone) -> i64 {
        let read = values::temporal::read_datetime(text.as_bytes()).expect("a time");
        zone.instant_of(read.value).expect("a moment") / SECOND
    }

    /// The moments from a place on, as the zone's clock shows them.
    fn moments(every: (&str, &str), starts: &str, from: &str, zone: &str) -> Vec<String> {
        let zone = zone_of(zone);
        let step = step(every.0, every.1).expect("an interval");
        let starts = at(starts, zone);
        let mut from = at(from, zone);
        let mut found = Vec::new();
        for _ in 0..3 {
            let moment = step.first_from(starts, from, zone).expect("a moment");
            let mut shown = Vec::new();
            zone.datetime_at(moment * SECOND).expect("in range").write(0, &mut shown);
            found.push(String::from_utf8(shown).expect("ASCII"));
            from = moment + 1;
        }
        found
    }

    #[test]
    fn intervals_are_shown_as_mariadb_does() {
        let shown = |text, unit| step(text, unit).map(EveryStep::shown);
        assert_eq!(shown("1:30", "HOUR_MINUTE").as_deref(), Some("1:30"));
        assert_eq!(shown("1", "YEAR_MONTH").as_deref(), Some("0-1"));
        assert_eq!(shown("1 x", "DAY_HOUR").as_deref(), Some("0 1"));
        assert_eq!(shown("1 2:3:4", "DAY_SECOND").as_deref(), Some("1 2:3:4"));
        assert_eq!(shown("90", "HOUR_MINUTE").as_deref(), Some("1:30"));
        assert_eq!(shown("1.6", "SECOND").as_deref(), Some("1"));
        assert_eq!(shown("3", "QUARTER").as_deref(), Some("3"));
        for (text, unit) in [
            ("0", "HOUR"),
            ("-1", "HOUR"),
            ("abc", "HOUR"),
            ("3000000000", "DAY"),
            ("-1:30", "HOUR_MINUTE"),
        ] {
            assert_eq!(shown(text, unit), None, "{text} {unit}");
        }
    }

    #[test]
    fn a_daily_event_keeps_its_hour_when_clocks_change_and_an_hourly_one_its_distance() {
        let days =
            moments(("1", "DAY"), "2024-03-01 12:00:00", "2024-03-30 12:00:00", "Europe/Berlin");
        assert_eq!(days, ["2024-03-30 12:00:00", "2024-03-31 12:00:00", "2024-04-01 12:00:00"]);
        let hours =
            moments(("12", "HOUR"), "2024-03-30 12:00:00", "2024-03-30 13:00:00", "Europe/Berlin");
        assert_eq!(hours, ["2024-03-31 00:00:00", "2024-03-31 13:00:00", "2024-04-01 01:00:00"]);
        let autumn =
            moments(("1", "DAY"), "2024-10-01 02:30:00", "2024-10-26 03:00:00", "Europe/Berlin");
        assert_eq!(autumn, ["2024-10-27 02:30:00", "2024-10-28 02:30:00", "2024-10-29 02:30:00"]);
    }

    #[test]
    fn the_last_day_stands_in_for_one_that_a_month_lacks() {
        let months =
            moments(("1", "MONTH"), "2024-01-31 00:00:00", "2024-02-01 00:00:00", "SYSTEM");
        assert_eq!(months, ["2024-02-29 00:00:00", "2024-03-31 00:00:00", "2024-04-30 00:00:00"]);
        let years = moments(("1", "YEAR"), "2024-02-29 00:00:00", "2024-03-01 00:00:00", "SYSTEM");
        assert_eq!(years, ["2025-02-28 00:00:00", "2026-02-28 00:00:00", "2027-02-28 00:00:00"]);
    }

    #[test]
    fn moments_are_found_however_long_ago_it_began() {
        let seconds =
            moments(("7", "SECOND"), "1970-01-01 00:00:00", "2024-01-01 00:00:00", "SYSTEM");
        assert_eq!(seconds[0], "2024-01-01 00:00:04");
        let weeks = moments(("2", "WEEK"), "1970-01-01 00:00:00", "2024-01-01 00:00:00", "SYSTEM");
        assert_eq!(weeks, ["2024-01-04 00:00:00", "2024-01-18 00:00:00", "2024-02-01 00:00:00"]);
    }
}
