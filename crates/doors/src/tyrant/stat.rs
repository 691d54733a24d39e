//! Figures of the server, by the original's names: of the command `stat`, and of memcached's
//! `stats`.
//!
//! Not here: what is counted (`shared`), where.

use std::io::Write as _;

use resources::background::cores;
use resources::counter::Counter;

use crate::tyrant::command::TyrantTrouble;
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::shared::TyrantCounters;

/// The version of the original whose behaviour this is, and ours.
pub const VERSION: &str = concat!("1.1.41-rowhouse-", env!("CARGO_PKG_VERSION"));
/// The version of its protocol.
const PROTOCOL: &str = "0.91";

/// Appends `name TAB value LF` for every figure.
///
/// # Errors
/// `Wait`; those of counting rows.
pub fn list(rows: &mut TyrantRows<'_, '_>, out: &mut Vec<u8>) -> Result<(), TyrantTrouble> {
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

/// Names and figures of memcached's `stats`.
///
/// # Errors
/// `Wait`; those of counting rows.
pub fn text_figures(
    rows: &mut TyrantRows<'_, '_>,
) -> Result<Vec<(&'static str, String)>, TyrantTrouble> {
    let (count, bytes) = (rows.record_count()?, rows.database_bytes()?);
    let counters = &rows.shared.counters;
    let now = rows.turn.engine().unix_seconds();
    let TyrantCounters { put, putkeep, putcat, putshl, putnr, .. } = counters;
    let puts: u64 = [put, putkeep, putcat, putshl, putnr].map(Counter::get).iter().sum();
    let (put_misses, outs, out_misses) =
        (counters.put_miss.get(), counters.out.get(), counters.out_miss.get());
    let (gets, get_misses) = (counters.get.get(), counters.get_miss.get());
    let threads = cores();
    let figures: [(&'static str, u64); 17] = [
        ("pid", std::process::id().into()),
        ("uptime", (now - rows.shared.started).max(0) as u64),
        ("time", now as u64),
        ("pointer_size", usize::BITS.into()),
        ("cmd_set", puts),
        ("cmd_set_hits", puts.saturating_sub(put_misses)),
        ("cmd_set_misses", put_misses),
        ("cmd_delete", outs),
        ("cmd_delete_hits", outs.saturating_sub(out_misses)),
        ("cmd_delete_misses", out_misses),
        ("cmd_get", gets),
        ("cmd_get_hits", gets.saturating_sub(get_misses)),
        ("cmd_get_misses", get_misses),
        ("cmd_flush", counters.vanish.get()),
        ("curr_items", count),
        ("total_items", count),
        ("bytes", bytes),
    ];
    let mut figures = figures.map(|(name, figure)| (name, figure.to_string())).to_vec();
    figures.push(("version", VERSION.to_owned()));
    figures.push(("threads", threads.to_string()));
    Ok(figures)
}

/// The machine's load of the last minute.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
