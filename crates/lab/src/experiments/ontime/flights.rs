//! Flights as the real ones are spread: from 1988 on in the order of their days, a few large
//! carriers and airports with most of them, a fifth late, one in fifty cancelled. Seeded.
//!
//! Not here: the columns' names and types (`table`).

use std::fmt::Write as _;

use super::table::{EMPTY, FILLED};
use crate::users::mix;

/// Years of flights, and the first of them.
const YEARS: u64 = 22;
const FIRST_YEAR: u64 = 1988;
const CARRIERS: [&str; 20] = [
    "WN", "AA", "DL", "US", "UA", "NW", "CO", "TW", "HP", "AS", "MQ", "OO", "XE", "EV", "FL", "B6",
    "OH", "YV", "9E", "F9",
];
const AIRPORTS: u64 = 300;
const STATES: u64 = 50;
const MONTH_DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/// 1988 began on a Friday.
const FIRST_WEEKDAY: u64 = 4;

/// The flights of a seed.
#[derive(Debug, Clone, Copy)]
pub struct Flights {
    pub seed: u64,
    pub rows: u64,
}

impl Flights {
    /// All of them as text: fields between `|`, NULL as `\N`, some thousand lines at a time.
    pub fn text(self) -> impl Iterator<Item = Vec<u8>> {
        const LINES: u64 = 4_000;
        (0..self.rows.div_ceil(LINES)).map(move |chunk| {
            let mut out = String::new();
            for number in chunk * LINES..self.rows.min((chunk + 1) * LINES) {
                self.push(number, &mut out);
            }
            out.into_bytes()
        })
    }

    fn push(self, number: u64, out: &mut String) {
        let mut die = self.seed ^ mix(number);
        let mut below = |end: u64| {
            die = mix(die);
            die % end
        };
        let days = YEARS * 365;
        let day = number * days / self.rows.max(1);
        let (year, mut rest, mut month) = (FIRST_YEAR + day / 365, day % 365, 0);
        while rest >= MONTH_DAYS[month] {
            rest -= MONTH_DAYS[month];
            month += 1;
        }
        // The smaller of two choices: the first ones have most.
        let carrier = below(20).min(below(20));
        let (origin, dest) =
            (below(AIRPORTS).min(below(AIRPORTS)), below(AIRPORTS).min(below(AIRPORTS)));
        let leaves = 600 + below(1100);
        let flight = below(7000);
        let cancelled = below(50) == 0;
        let delay = match below(5) {
            0 => below(120) as i64,
            _ => below(14) as i64 - 6,
        };
        let later = below(40) as i64 - 18;
        let (distance, air, taxi) = (100 + below(2500), 40 + below(300), 5 + below(20));
        let mut fields: Vec<Option<String>> = Vec::with_capacity(FILLED);
        let mut put = |text: String| fields.push(Some(text));
        for number in [year, month as u64 / 3 + 1, month as u64 + 1, rest + 1] {
            put(number.to_string());
        }
        put(((day + FIRST_WEEKDAY) % 7 + 1).to_string());
        put(format!("{year}-{:02}-{:02}", month + 1, rest + 1));
        put(CARRIERS[carrier as usize].to_owned());
        put((19_000 + carrier).to_string());
        put(CARRIERS[carrier as usize].to_owned());
        put(format!("N{}{}", 100 + below(6000), CARRIERS[carrier as usize]));
        put(flight.to_string());
        for airport in [origin, dest] {
            let state = airport % STATES;
            let letter = |at: u64| char::from(b'A' + (airport / 26u64.pow(at as u32) % 26) as u8);
            put(format!("{}{}{}", letter(1), letter(0), letter(2)));
            put(format!("City number {airport}, S{state}"));
            put(format!(
                "{}{}",
                char::from(b'A' + (state / 26) as u8),
                char::from(b'A' + (state % 26) as u8)
            ));
            put(format!("{state:02}"));
            put(format!("State of number {state}"));
            put((10 + state).to_string());
        }
        let shown = |minutes: i64| (minutes / 60 % 24 * 100 + minutes % 60).to_string();
        let leaves = leaves as i64;
        put(shown(leaves));
        let unless = |gone: bool, text: String| (!gone).then_some(text);
        let group = |delay: i64| (delay.max(-15) / 15).to_string();
        let block = |minutes: i64| format!("{:02}00-{:02}59", minutes / 60 % 24, minutes / 60 % 24);
        fields.extend(
            [
                shown(leaves + delay),
                delay.to_string(),
                delay.max(0).to_string(),
                u8::from(delay >= 15).to_string(),
                group(delay),
            ]
            .map(|text| unless(cancelled, text)),
        );
        fields.push(Some(block(leaves)));
        let (air, taxi) = (air as i64, taxi as i64);
        let off = leaves + delay + taxi;
        let arrival = delay + later;
        fields.extend(
            [taxi.to_string(), shown(off), shown(off + air), (taxi / 3 + 2).to_string()]
                .map(|text| unless(cancelled, text)),
        );
        fields.push(Some(shown(leaves + air + 30)));
        fields.extend(
            [
                shown(leaves + air + 30 + arrival),
                arrival.to_string(),
                arrival.max(0).to_string(),
                u8::from(arrival >= 15).to_string(),
                group(arrival),
            ]
            .map(|text| unless(cancelled, text)),
        );
        fields.push(Some(block(leaves + air + 30)));
        fields.push(Some(u8::from(cancelled).to_string()));
        fields.push(unless(!cancelled, ["A", "B", "C"][below(3) as usize].to_owned()));
        fields.push(Some("0".to_owned()));
        fields.push(Some((air + 30).to_string()));
        fields
            .extend([air + 30 + later, air].map(|minutes| unless(cancelled, minutes.to_string())));
        fields.push(Some("1".to_owned()));
        fields.push(Some(distance.to_string()));
        fields.push(Some((distance / 250 + 1).to_string()));
        let blamed = !cancelled && arrival >= 15;
        for share in [3, 9, 4, 50, 5] {
            fields.push(unless(!blamed, (arrival / share).to_string()));
        }
        fields.extend([None, None, None]);
        debug_assert_eq!(fields.len(), FILLED);
        for field in &fields {
            match field {
                Some(text) => out.push_str(text),
                None => out.push_str("\\N"),
            }
            out.push('|');
        }
        for _ in 1..EMPTY {
            out.push_str("\\N|");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\\N");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_has_all_its_columns_and_is_the_same_each_time() {
        let flights = Flights { seed: 1, rows: 10_000 };
        let text: Vec<u8> = flights.text().flatten().collect();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 10_000);
        assert!(text.lines().all(|line| line.split('|').count() == FILLED + EMPTY));
        assert_eq!(text.lines().next().unwrap().split('|').next(), Some("1988"));
        assert_eq!(text.lines().last().unwrap().split('|').next(), Some("2009"));
        assert!(flights.text().flatten().eq(text.bytes()));
    }
}
