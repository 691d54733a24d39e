//! What the server says of the present moment, to the page and to `rowhouse top`.
//!
//! Invariants
//! 1. A trouble says what is wrong and what to do next; without one, writes go through, and memory
//!    and places have room.
//!
//! Not here: who may ask (`door`, `crate::status`), rates (whoever asks twice).

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use sql::Session;

use super::answers;
use super::views::ViewParts;
use crate::net::latency::BOUNDS_MICROS;
use crate::prometheus::Sources;
use crate::recent_lines;

/// Part of clients' memory from which on it is a trouble, in percent: statements that ask for much
/// are refused a little later.
const MEMORY_PERCENT_MAX: u64 = 80;

/// Figures, times of requests by door, troubles, the last errors.
pub fn now(
    figures: Vec<(String, String)>,
    metrics: &Sources,
    data_dir: &Path,
) -> Map<String, Value> {
    let doors: Map<String, Value> = match metrics.get() {
        None => Map::new(),
        Some(metrics) => {
            let counts = metrics.latencies().into_iter().map(|of| json!(of.counts.to_vec()));
            metrics.doors.iter().map(|door| (*door).to_owned()).zip(counts).collect()
        }
    };
    let lines = recent_lines::newest_first();
    let lines: Vec<Value> = lines
        .into_iter()
        .map(|line| json!({ "at": line.at_ms, "level": line.level, "text": line.text }))
        .collect();
    let mut said = now_by_figures(figures);
    let more = [
        ("latencies", Value::Object(doors)),
        ("lines", json!(lines)),
        ("backup", json!(data_dir.join("backup").join("rows").exists())),
    ];
    said.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
    said
}

/// The same as far as figures tell it, of a server elsewhere.
pub fn now_by_figures(figures: Vec<(String, String)>) -> Map<String, Value> {
    let troubles = troubles(&figures);
    let figures: Map<String, Value> =
        figures.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
    let said = [
        ("figures", Value::Object(figures)),
        ("bounds", json!(BOUNDS_MICROS)),
        ("troubles", json!(troubles)),
    ];
    said.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The parts of a view, by their names, as the session sees them.
pub fn parts(session: &mut Session, parts: ViewParts) -> Map<String, Value> {
    let answered = parts.iter();
    answered
        .map(|(name, statement)| ((*name).to_owned(), answers::run(session, statement)))
        .collect()
}

/// What is wrong, and what to do next.
fn troubles(figures: &[(String, String)]) -> Vec<String> {
    let by_name: HashMap<&str, &str> =
        figures.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let of = |name: &str| by_name.get(name).and_then(|value| value.parse().ok()).unwrap_or(0u64);
    let mut troubles = Vec::new();
    if of("disk_full") > 0 {
        troubles.push(
            "The disk is full: writes are refused until there is space. Free some, or grow it."
                .to_owned(),
        );
    } else if of("store_writes_refused") > 0 {
        troubles.push(
            "The store can no longer write: see the log, then restart the server.".to_owned(),
        );
    }
    if of("store_rocksdb_is_write_stopped") > 0 {
        troubles.push("Compactions are behind: writes wait for them.".to_owned());
    }
    let percent = of("client_memory_bytes") * 100 / of("client_memory_bytes_max").max(1);
    if percent > MEMORY_PERCENT_MAX {
        troubles.push(format!(
            "Clients hold {percent}% of their memory: see Waiting for who holds most, or raise \
             `memory`."
        ));
    }
    if of("connections_max") > 0 && of("connections") >= of("connections_max") {
        troubles.push(
            "All places are taken: raise `max-connections`, or see Waiting for who is idle."
                .to_owned(),
        );
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_says_what_to_do() {
        let figures = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let well = [("connections", "3"), ("connections_max", "4"), ("client_memory_bytes", "9")];
        assert!(troubles(&figures(&well[..2])).is_empty());
        let ill = [
            ("disk_full", "1"),
            ("client_memory_bytes", "95"),
            ("client_memory_bytes_max", "100"),
            ("connections", "4"),
            ("connections_max", "4"),
        ];
        let said = troubles(&figures(&ill)).join(" ");
        for words in ["Free some", "95% of their memory", "raise `max-connections`"] {
            assert!(said.contains(words), "{words} in {said}");
        }
    }
}
