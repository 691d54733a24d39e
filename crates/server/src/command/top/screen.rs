//! An overview as lines of text, for a screen of any size.
//!
//! Invariants
//! 1. No line is longer than the screen is wide, and there are no more lines than it has.
//! 2. A line holds no control character, whatever statements and log lines hold.

use serde_json::{Map, Value};

use super::overview::{DoorOverview, Overview};
use crate::command::status::{bytes, uptime};

/// The screen's lines.
pub fn lines(overview: &Overview, columns: usize, lines: usize) -> Vec<String> {
    let mut out = vec![format!(
        "rowhouse {}, up {}   (q ends)",
        overview.version,
        uptime(overview.uptime_seconds)
    )];
    match &overview.troubles[..] {
        [] => out.push("Writes go through, and memory and disk have room.".to_owned()),
        troubles => out.extend(troubles.iter().map(|trouble| format!("! {trouble}"))),
    }
    out.push(format!(
        "{:<22}{:>10}{:>10}{:>12}{:>12}{:>9}",
        "DOOR", "rate/s", "half in", "99% in", "connected", "failed"
    ));
    out.extend(overview.doors.iter().map(door));
    let memory = overview
        .memory
        .iter()
        .map(|part| format!("{} {} of {}", part.of, bytes(part.bytes), bytes(part.bytes_max)));
    out.push(format!("MEMORY  {}", memory.collect::<Vec<_>>().join(", ")));
    out.push(format!(
        "DISK    {} free, {}% used, {} are the store's",
        bytes(overview.disk_free_bytes),
        overview.disk_used_percent,
        bytes(overview.store_bytes)
    ));
    let lists = [
        list(
            "  times  average   99% in examined errors  STATEMENTS, by all the time they took",
            overview.statements.iter().map(statement),
        ),
        list("WHO WAITS FOR WHOM", overview.waits.iter().map(wait)),
        list("LAST WARNINGS AND ERRORS, in UTC", overview.lines.iter().map(log_line)),
        list("NOT KNOWN", overview.unknown.iter().cloned()),
    ];
    let rooms = share(lines.saturating_sub(out.len()), lists.each_ref().map(Vec::len));
    for (list, room) in lists.into_iter().zip(rooms) {
        out.extend(list.into_iter().take(room));
    }
    out.truncate(lines);
    out.iter().map(|line| fitting(line, columns)).collect()
}

/// What is shown while no server answers.
pub fn failure(why: &str, columns: usize) -> Vec<String> {
    let said = [why, "It is asked again every interval.   (q ends)"];
    said.iter().map(|line| fitting(line, columns)).collect()
}

/// A heading and what is below it; nothing without anything below.
fn list(heading: &str, below: impl Iterator<Item = String>) -> Vec<String> {
    let below: Vec<String> = below.collect();
    if below.is_empty() { below } else { [vec![heading.to_owned()], below].concat() }
}

/// How many lines each list has of those that are left: one each in turn, so that none is starved.
fn share<const N: usize>(mut left: usize, wanted: [usize; N]) -> [usize; N] {
    let mut given = [0; N];
    while left > 0 && given != wanted {
        for (given, wanted) in given.iter_mut().zip(wanted) {
            if *given < wanted && left > 0 {
                *given += 1;
                left -= 1;
            }
        }
    }
    given
}

fn door(door: &DoorOverview) -> String {
    format!(
        "{:<22}{:>10.0}{:>10}{:>12}{:>12}{:>9}",
        door.name,
        door.rate,
        duration(door.p50_us),
        duration(door.p99_us),
        door.connections,
        door.failed
    )
}

fn cell<'a>(row: &'a Map<String, Value>, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or("")
}

fn number(row: &Map<String, Value>, name: &str) -> u64 {
    cell(row, name).parse().unwrap_or(0)
}

fn statement(row: &Map<String, Value>) -> String {
    let times = number(row, "times");
    format!(
        "{times:>7} {:>8} {:>8} {:>8} {:>6}  {}",
        duration(number(row, "average_us")),
        duration(number(row, "p99_us")),
        number(row, "rows_examined") / times.max(1),
        cell(row, "errors"),
        cell(row, "statement")
    )
}

fn wait(row: &Map<String, Value>) -> String {
    let holds = match cell(row, "holding_statement") {
        "" => format!("idle for {} s", cell(row, "holding_seconds")),
        statement => statement.to_owned(),
    };
    format!(
        "{} {} waits {} s for {} {} ({holds}): {}",
        cell(row, "waiting"),
        cell(row, "waiting_user"),
        cell(row, "seconds"),
        cell(row, "holding"),
        cell(row, "holding_user"),
        cell(row, "statement")
    )
}

fn log_line((at_ms, level, text): &(u64, String, String)) -> String {
    let seconds = at_ms / 1000;
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02} {level:<5} {text}")
}

/// Microseconds in a few characters.
fn duration(micros: u64) -> String {
    match micros {
        0 => "-".to_owned(),
        1..1_000 => format!("{micros} us"),
        1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

/// A line's beginning that fits, with a space for each control character.
fn fitting(line: &str, columns: usize) -> String {
    line.chars().take(columns).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::overview::MemoryOverview;
    use super::*;

    fn overview() -> Overview {
        let row = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
        };
        Overview {
            version: "0.1.0".to_owned(),
            uptime_seconds: 3700,
            troubles: Vec::new(),
            doors: vec![DoorOverview {
                name: "mysql".to_owned(),
                rate: 1234.4,
                p50_us: 64,
                p99_us: 4096,
                connections: 3,
                failed: 2,
            }],
            memory: vec![MemoryOverview { of: "clients", bytes: 1 << 20, bytes_max: 1 << 30 }],
            disk_free_bytes: 1 << 30,
            disk_used_percent: 65,
            store_bytes: 1 << 20,
            statements: vec![row(&[("statement", "SELECT '\x1b[2J\n'"), ("times", "7")]); 30],
            waits: vec![row(&[("waiting", "8"), ("holding", "5"), ("holding_seconds", "60")]); 30],
            unknown: Vec::new(),
            lines: vec![(3_723_000, "WARN".to_owned(), "a login failed".to_owned()); 30],
        }
    }

    #[test]
    fn every_part_is_seen_on_a_small_screen_and_none_leaves_it() {
        for (columns, height) in [(80, 24), (200, 60), (20, 5), (1, 1), (0, 0)] {
            let lines = lines(&overview(), columns, height);
            assert!(lines.len() <= height, "{lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:?}");
            assert!(lines.iter().all(|line| !line.contains(char::is_control)), "{lines:?}");
        }
        let text = lines(&overview(), 80, 24).join("\n");
        for words in [
            "up 1 h 1 min",
            "mysql                       1234     64 us      4.1 ms           3        2",
            "clients 1.0 MiB of 1.0 GiB",
            "65% used",
            "STATEMENTS",
            "8  waits  s for 5  (idle for 60 s)",
            "01:02:03 WARN  a login failed",
        ] {
            assert!(text.contains(words), "{words} in\n{text}");
        }
    }

    #[test]
    fn lists_share_what_is_left() {
        assert_eq!(share(7, [30, 0, 2]), [5, 0, 2]);
        assert_eq!(share(3, [30, 30, 30]), [1, 1, 1]);
        assert_eq!(share(100, [3, 4]), [3, 4]);
        assert_eq!(share(0, [3]), [0]);
    }

    #[test]
    fn troubles_stand_before_all_else() {
        let mut overview = overview();
        overview.troubles = vec!["The disk is full: free some.".to_owned()];
        assert_eq!(lines(&overview, 80, 24)[1], "! The disk is full: free some.");
    }
}
