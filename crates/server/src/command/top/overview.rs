//! Two answers of the server, and what happened between them.
//!
//! Not here: how it is drawn (`screen`).

use std::time::Instant;

use serde_json::{Map, Value, json};

/// What the server said at a moment.
pub struct TopMoment {
    at: Instant,
    said: Value,
}

/// What is shown.
pub struct Overview {
    /// The server's version.
    pub version: String,
    /// How long it has been up.
    pub uptime_seconds: u64,
    /// What is wrong, and what to do next.
    pub troubles: Vec<String>,
    /// Doors that clients use.
    pub doors: Vec<DoorOverview>,
    /// Memory against its settings.
    pub memory: Vec<MemoryOverview>,
    /// Free bytes of the rows' disk.
    pub disk_free_bytes: u64,
    /// How full it is.
    pub disk_used_percent: u64,
    /// Bytes of the store's files.
    pub store_bytes: u64,
    /// Statements by the time they took in all, each with the view's columns.
    pub statements: Vec<Map<String, Value>>,
    /// Row locks that are waited for, likewise.
    pub waits: Vec<Map<String, Value>>,
    /// Why one of these two is not known.
    pub unknown: Vec<String>,
    /// The last warnings and errors, newest first: milliseconds since the epoch, level, words.
    pub lines: Vec<(u64, String, String)>,
}

/// A door.
pub struct DoorOverview {
    /// Its name.
    pub name: String,
    /// Requests a second.
    pub rate: f64,
    /// Half of the requests took no longer, in microseconds.
    pub p50_us: u64,
    /// 99 of 100 took no longer.
    pub p99_us: u64,
    /// Open connections.
    pub connections: u64,
    /// Logins, connections and commands that were refused or failed, since the start.
    pub failed: u64,
}

/// A part of the memory.
pub struct MemoryOverview {
    /// Whose.
    pub of: &'static str,
    /// How much it is.
    pub bytes: u64,
    /// How much it may be.
    pub bytes_max: u64,
}

/// Doors of operators, whose requests are no clients'.
const OWN_DOORS: [&str; 4] = ["status", "admin", "page", "metrics"];
/// Parts of the memory: words, and figures.
const MEMORY: [(&str, &str, &str); 3] = [
    ("clients", "client_memory_bytes", "client_memory_bytes_max"),
    ("row cache", "row_cache_bytes", "row_cache_bytes_max"),
    ("queries", "query_memory_bytes", "query_memory_bytes_max"),
];

impl TopMoment {
    /// An answer that has just come.
    pub fn of(said: Value) -> TopMoment {
        TopMoment { at: Instant::now(), said }
    }

    fn figure(&self, name: &str) -> u64 {
        let figure = self.said["figures"][name].as_str();
        figure.and_then(|figure| figure.parse().ok()).unwrap_or(0)
    }

    fn counts(&self, door: &str) -> Vec<u64> {
        numbers(&self.said["latencies"][door])
    }
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|each| each.as_u64().unwrap_or(0)).collect()
}

impl Overview {
    /// What is shown of the later one of two moments.
    pub fn between(before: &TopMoment, after: &TopMoment) -> Overview {
        let (statements, unknown_statements) = rows(&after.said["statements"]);
        let (waits, unknown_waits) = rows(&after.said["waits"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |name: &str| after.said[name].as_array().cloned().unwrap_or_default();
        let line = |line: Value| {
            (line["at"].as_u64().unwrap_or(0), text(&line["level"]), text(&line["text"]))
        };
        let memory = MEMORY.map(|(of, bytes, bytes_max)| MemoryOverview {
            of,
            bytes: after.figure(bytes),
            bytes_max: after.figure(bytes_max),
        });
        Overview {
            version: text(&after.said["figures"]["version"]),
            uptime_seconds: after.figure("uptime_seconds"),
            troubles: list("troubles").iter().map(text).collect(),
            doors: doors(before, after),
            memory: memory.into(),
            disk_free_bytes: after.figure("disk_free_bytes"),
            disk_used_percent: after.figure("disk_used_percent"),
            store_bytes: after.figure("store_disk_bytes"),
            statements,
            waits,
            unknown: [unknown_statements, unknown_waits].into_iter().flatten().collect(),
            lines: list("lines").into_iter().map(line).collect(),
        }
    }

    /// As one JSON object.
    pub fn json(&self) -> Value {
        let doors = self.doors.iter().map(|door| {
            json!({
                "door": door.name, "requests_per_second": door.rate, "p50_us": door.p50_us,
                "p99_us": door.p99_us, "connections": door.connections, "failed": door.failed,
            })
        });
        let memory = self
            .memory
            .iter()
            .map(|part| json!({ "of": part.of, "bytes": part.bytes, "bytes_max": part.bytes_max }));
        let lines = self
            .lines
            .iter()
            .map(|(at, level, text)| json!({ "at_ms": at, "level": level, "text": text }));
        json!({
            "version": self.version,
            "uptime_seconds": self.uptime_seconds,
            "troubles": self.troubles,
            "doors": doors.collect::<Vec<_>>(),
            "memory": memory.collect::<Vec<_>>(),
            "disk_free_bytes": self.disk_free_bytes,
            "disk_used_percent": self.disk_used_percent,
            "store_bytes": self.store_bytes,
            "statements": self.statements,
            "waits": self.waits,
            "unknown": self.unknown,
            "lines": lines.collect::<Vec<_>>(),
        })
    }
}

fn doors(before: &TopMoment, after: &TopMoment) -> Vec<DoorOverview> {
    let seconds = after.at.duration_since(before.at).as_secs_f64();
    let bounds = numbers(&after.said["bounds"]);
    let names = after.said["latencies"].as_object().map(|doors| doors.keys().cloned());
    let names = names.into_iter().flatten().filter(|name| !OWN_DOORS.contains(&name.as_str()));
    let door = |name: String| {
        let figures = name.replace('-', "_");
        let of = |moment: &TopMoment, what: &str| moment.figure(&format!("{figures}_{what}"));
        let answered = of(after, "requests").saturating_sub(of(before, "requests"));
        let (now, then) = (after.counts(&name), before.counts(&name));
        let new = now.iter().zip(then.iter().chain(std::iter::repeat(&0)));
        let new: Vec<u64> = new.map(|(now, then)| now.saturating_sub(*then)).collect();
        let failed = ["failed_logins", "refused", "failed", "connections_refused"];
        // Without counts by bucket there is the figure of all requests so far.
        let time = |part: f64, figure: &str| match now.is_empty() {
            true => of(after, figure),
            false => quantile(&new, &bounds, part),
        };
        DoorOverview {
            rate: if seconds > 0.0 { answered as f64 / seconds } else { 0.0 },
            p50_us: time(0.5, "latency_p50_micros"),
            p99_us: time(0.99, "latency_p99_micros"),
            connections: of(after, "connections"),
            failed: failed.iter().map(|what| of(after, what)).sum(),
            name,
        }
    };
    names.map(door).collect()
}

/// The time that this part of the requests did not exceed, of counts by bucket; 0 without requests.
fn quantile(counts: &[u64], bounds: &[u64], part: f64) -> u64 {
    let all: u64 = counts.iter().sum();
    let wanted = (all as f64 * part).ceil() as u64;
    let mut seen = 0;
    for (at, count) in counts.iter().enumerate() {
        seen += count;
        if all > 0 && seen >= wanted {
            return bounds.get(at).copied().unwrap_or(2 * bounds.last().copied().unwrap_or(0));
        }
    }
    0
}

/// A part's rows by their columns, or why there are none.
fn rows(part: &Value) -> (Vec<Map<String, Value>>, Option<String>) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let names = list(&part["columns"]);
    let named = |row: Value| {
        let cells = names.iter().zip(list(&row));
        cells.map(|(name, cell)| (name.as_str().unwrap_or_default().to_owned(), cell)).collect()
    };
    (
        list(&part["rows"]).into_iter().map(named).collect(),
        part["error"].as_str().map(str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rates_and_times_are_of_the_interval() {
        let said = |requests: &str, counts: [u64; 3]| {
            json!({
                "figures": { "mysql_requests": requests, "mysql_failed_logins": "2" },
                "bounds": [16, 32],
                "latencies": { "mysql": counts, "status": [9, 9, 9] },
                "statements": { "error": "no rights" },
            })
        };
        let begun = Instant::now();
        let before = TopMoment { at: begun, said: said("100", [90, 10, 0]) };
        let at = begun + Duration::from_secs(2);
        let after = TopMoment { at, said: said("300", [90, 200, 10]) };
        let overview = Overview::between(&before, &after);
        let [mysql] = &overview.doors[..] else { panic!("one door is of clients") };
        assert_eq!((mysql.rate, mysql.p50_us, mysql.p99_us, mysql.failed), (100.0, 32, 64, 2));
        assert_eq!(overview.unknown, ["no rights"]);
        let same = Overview::between(&before, &before);
        assert_eq!((same.doors[0].rate, same.doors[0].p99_us), (0.0, 0));
    }
}
