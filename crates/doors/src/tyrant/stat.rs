//! `stat`: figures of the server, a line each, by the original's names.
//!
//! Not here: what is counted (`shared`), where.

use std::io::Write as _;

use crate::tyrant::command::Trouble;
use crate::tyrant::execute::Rows;

/// The version of the original whose behaviour this is, and ours.
pub const VERSION: &str = concat!("1.1.41-rowhouse-", env!("CARGO_PKG_VERSION"));
/// The version of its protocol.
const PROTOCOL: &str = "0.91";

/// Appends `name TAB value LF` for every figure.
///
/// # Errors
/// `Wait`; those of counting rows.
pub fn list(rows: &mut Rows<'_, '_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let (count, bytes) = (rows.record_count()?, rows.database_bytes()?);
    let shared = rows.shared;
    let micros = rows.turn.engine().clock().unix_micros();
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    let options = &shared.options;
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        // Writing into a vector does not fail.
        let _ = writeln!(out, "{name}\t{value}");
    };
    line("version", &VERSION);
    line("protver", &PROTOCOL);
    line("os", &"Linux");
    line("time", &format_args!("{seconds}.{micros:06}"));
    line("pid", &std::process::id());
    line("sid", &0);
    line("type", &"B+ tree");
    line("path", &options.database);
    line("rnum", &count);
    line("size", &bytes);
    line("bigend", &0);
    line("loadavg", &load_average());
    for (name, count) in shared.counters.list() {
        line(&format!("cnt_{name}"), &count);
    }
    Ok(())
}

/// The machine's load of the last minute.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
