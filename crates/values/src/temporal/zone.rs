//! `Zone`: the clock that shows an instant, at a fixed distance from UTC or by the rules of a
//! place.
//!
//! Rules of places are those of the IANA database as of the build (`chrono-tz`), so that no table
//! has to be loaded first.
//!
//! Invariants
//! 1. What a clock shows twice, when it is set back, is the earlier instant; what it leaves out,
//!    when it is set forward, is the instant at which it is (MySQL's `TIME_to_gmt_sec`).
//!
//! Not here: what a row holds, which is UTC (`timestamp`), the zone of the machine (`system_zone`).

use std::hash::{Hash, Hasher};

use chrono::{DateTime as Instant, MappedLocalTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::Tz;

use super::calendar::{DAY, SECOND};
use super::datetime::DateTime;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone(Rule);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Seconds that its clocks are ahead of UTC.
    Fixed(i32),
    /// A place of the IANA database.
    Place(Tz),
}

impl Default for Zone {
    fn default() -> Zone {
        Zone::UTC
    }
}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Rule::Fixed(seconds) => seconds.hash(state),
            Rule::Place(place) => place.name().hash(state),
        }
    }
}

impl Zone {
    /// UTC itself.
    pub const UTC: Zone = Zone::ahead(0);

    /// A clock that is so many seconds ahead of UTC.
    pub const fn ahead(seconds: i32) -> Zone {
        Zone(Rule::Fixed(seconds))
    }

    /// The zone of a MySQL offset: '+05:30', '-3:00', within -13:59 and +14:00; 'UTC' too, and the
    /// name of a place without regard to case: 'Europe/Berlin'.
    pub fn parse(text: &str) -> Option<Zone> {
        if text.eq_ignore_ascii_case("utc") {
            return Some(Self::UTC);
        }
        if !text.starts_with(['+', '-']) {
            let place = chrono_tz::TZ_VARIANTS
                .iter()
                .find(|place| place.name().eq_ignore_ascii_case(text))?;
            return Some(Zone(Rule::Place(*place)));
        }
        let (sign, clock) = text.split_at_checked(1)?;
        let (hours, minutes) = clock.split_once(':')?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && part.len() <= 2;
        if !digits(hours) || !digits(minutes) || minutes.len() != 2 {
            return None;
        }
        let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
        let seconds = hours * 3600 + minutes * 60;
        match sign {
            _ if minutes > 59 => None,
            "+" if seconds <= 14 * 3600 => Some(Zone::ahead(seconds)),
            "-" if i64::from(seconds) * SECOND < DAY && seconds < 14 * 3600 => {
                Some(Zone::ahead(-seconds))
            }
            _ => None,
        }
    }

    /// The name of its place, as the database writes it; `None` for a fixed distance.
    pub fn name(self) -> Option<&'static str> {
        match self.0 {
            Rule::Fixed(_) => None,
            Rule::Place(place) => Some(place.name()),
        }
    }

    /// The names of all places, in order of the alphabet.
    pub fn names() -> impl Iterator<Item = &'static str> {
        chrono_tz::TZ_VARIANTS.iter().map(|place| place.name())
    }

    /// Seconds that its clock is ahead of UTC at an instant, given in seconds since the epoch.
    fn offset_at(self, instant: i64) -> i32 {
        match self.0 {
            Rule::Fixed(seconds) => seconds,
            Rule::Place(place) => match naive(instant) {
                Some(utc) => place.offset_from_utc_datetime(&utc).fix().local_minus_utc(),
                None => 0,
            },
        }
    }

    /// What it shows at an instant, given in microseconds since the epoch; `None` outside of the
    /// years 0 to 9999.
    pub fn datetime_at(self, micros: i64) -> Option<DateTime> {
        let offset = self.offset_at(micros.div_euclid(SECOND));
        DateTime::from_micros(micros.checked_add(i64::from(offset) * SECOND)?)
    }

    /// The instant at which it shows a time, in microseconds since the epoch; `None` for a time
    /// with a zero part in its day.
    pub fn instant_of(self, shown: DateTime) -> Option<i64> {
        let micros = shown.to_micros()?;
        let seconds = micros.div_euclid(SECOND);
        let place = match self.0 {
            Rule::Fixed(ahead) => return Some(micros - i64::from(ahead) * SECOND),
            Rule::Place(place) => place,
        };
        let offset = match place.offset_from_local_datetime(&naive(seconds)?) {
            MappedLocalTime::Single(offset) => offset,
            MappedLocalTime::Ambiguous(earlier, _) => earlier,
            MappedLocalTime::None => return Some(self.change_within(seconds) * SECOND),
        };
        Some(micros - i64::from(offset.fix().local_minus_utc()) * SECOND)
    }

    /// Whether its clock never shows a time, because it is set forward over it.
    pub fn leaves_out(self, shown: DateTime) -> bool {
        let (Rule::Place(place), Some(micros)) = (self.0, shown.to_micros()) else { return false };
        let seconds = naive(micros.div_euclid(SECOND));
        let found = seconds.map(|seconds| place.offset_from_local_datetime(&seconds));
        matches!(found, Some(MappedLocalTime::None))
    }

    /// The instant at which the clock is set forward over what it would have shown.
    fn change_within(self, shown: i64) -> i64 {
        const DAY_SECONDS: i64 = 86_400;
        // Clocks are set by less than a day, and not twice in two.
        let (mut before, mut after) = (shown - DAY_SECONDS, shown + DAY_SECONDS);
        let old = self.offset_at(before);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if self.offset_at(middle) == old {
                before = middle;
            } else {
                after = middle;
            }
        }
        after
    }
}

fn naive(seconds: i64) -> Option<NaiveDateTime> {
    Some(Instant::from_timestamp(seconds, 0)?.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::read_datetime;

    fn at(zone: Zone, text: &str) -> i64 {
        let shown = read_datetime(text.as_bytes()).unwrap().value;
        zone.instant_of(shown).unwrap() / SECOND
    }

    #[test]
    fn a_place_has_summer_and_winter_time() {
        let berlin = Zone::parse("europe/berlin").unwrap();
        assert_eq!(berlin.name(), Some("Europe/Berlin"));
        assert_eq!(at(berlin, "2024-07-01 12:00:00"), 1_719_828_000);
        assert_eq!(at(berlin, "2024-01-01 12:00:00"), 1_704_106_800);
        let shown = berlin.datetime_at(1_719_828_000 * SECOND).unwrap();
        assert_eq!((shown.hour(), shown.day()), (12, 1));
    }

    #[test]
    fn an_hour_left_out_is_the_moment_of_the_change_and_one_shown_twice_the_earlier() {
        // As MariaDB 10.11 answers with its tables of zones loaded.
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        for left_out in ["2024-03-31 02:00:00", "2024-03-31 02:30:00", "2024-03-31 03:00:00"] {
            assert_eq!(at(berlin, left_out), 1_711_846_800);
        }
        assert_eq!(at(berlin, "2024-10-27 02:30:00"), 1_729_989_000);
    }

    #[test]
    fn an_hour_left_out_is_known_to_be() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let leaves_out =
            |zone: Zone, text: &str| zone.leaves_out(read_datetime(text.as_bytes()).unwrap().value);
        assert!(leaves_out(berlin, "2024-03-31 02:00:00"));
        assert!(leaves_out(berlin, "2024-03-31 02:59:59.999999"));
        assert!(!leaves_out(berlin, "2024-03-31 01:59:59.999999"));
        assert!(!leaves_out(berlin, "2024-03-31 03:00:00"));
        assert!(!leaves_out(berlin, "2024-10-27 02:30:00"));
        assert!(!leaves_out(Zone::UTC, "2024-03-31 02:30:00"));
    }

    #[test]
    fn a_name_that_is_no_place_is_no_zone() {
        assert_eq!(Zone::parse("Nowhere/Land"), None);
        assert_eq!(Zone::parse(""), None);
        assert!(Zone::parse("MET").is_some());
    }
}
