//! `stats` and its sub-statistics, as names and values.
//!
//! Not here: what is counted (`shared`), where.

use std::io::Write as _;

use resources::background::cores;
use rows::recency::Recency;

use crate::memcached::command::MemcachedRefusal;
use crate::memcached::execute::MemcachedRows;

/// Names and values of a sub-statistic; `None` for an unknown one.
pub fn list(sub: &[u8], rows: &MemcachedRows<'_, '_>) -> Option<Vec<(String, String)>> {
    let mut figures: Vec<(String, String)> = Vec::new();
    let shared = rows.shared;
    let options = &shared.options;
    let mut add = |name: &str, value: String| figures.push((name.to_owned(), value));
    match sub {
        b"" => {
            add("pid", std::process::id().to_string());
            add("uptime", (rows.now.0 - shared.started).max(0).to_string());
            add("time", rows.now.0.to_string());
            add("version", options.version.clone());
            add("pointer_size", usize::BITS.to_string());
            let (user, system) = processor_seconds();
            add("rusage_user", user);
            add("rusage_system", system);
            add("max_connections", options.connections_max.to_string());
            for (name, value) in shared.counters.list() {
                add(name, value.to_string());
            }
            let recency = recency(rows);
            let bytes = stored_bytes(rows);
            add("rejected_connections", "0".into());
            // Clients beyond the limit are answered: the door goes on listening.
            add("listen_disabled_num", "0".into());
            add("store_no_memory", "0".into());
            add("get_flushed", "0".into());
            add("limit_maxbytes", recency.map_or(0, Recency::bytes_max).to_string());
            add("accepting_conns", "1".into());
            add("threads", cores().to_string());
            add("bytes", bytes.to_string());
            add("curr_items", approximate_items(rows, bytes).to_string());
            add("evictions", recency.map_or(0, Recency::evictions).to_string());
        }
        b"settings" => {
            let bytes_max = recency(rows).map_or(0, Recency::bytes_max);
            add("maxbytes", bytes_max.to_string());
            add("maxconns", options.connections_max.to_string());
            add("tcpport", options.port.to_string());
            add("udpport", "0".into());
            add("verbosity", "0".into());
            add("oldest", "0".into());
            add("evictions", if bytes_max > 0 { "on" } else { "off" }.into());
            add("growth_factor", "1.25".into());
            add("chunk_size", "48".into());
            add("num_threads", "1".into());
            add("stat_key_prefix", ":".into());
            let detail = if shared.prefixes.is_on() { "yes" } else { "no" };
            add("detail_enabled", detail.into());
            add("cas_enabled", "yes".into());
            add("tcp_backlog", "1024".into());
            add("binding_protocol", "auto-negotiate".into());
            add("auth_enabled_sasl", "yes".into());
            add("auth_enabled_ascii", "yes".into());
            add("item_size_max", options.item_bytes_max.to_string());
            add("flush_enabled", "yes".into());
            add("client_flags_size", "4".into());
        }
        b"conns" | b"items" | b"slabs" => {
            match sub {
                b"slabs" => {
                    add("active_slabs", "0".into());
                    add("total_malloced", "0".into());
                }
                // Where clients look for the classes that they ask lists of.
                b"items" => {
                    let number = approximate_items(rows, stored_bytes(rows));
                    if number > 0 {
                        add("items:1:number", number.to_string());
                    }
                }
                _ => {}
            }
        }
        b"sizes" => add("sizes_status", "disabled".into()),
        _ => return None,
    }
    Some(figures)
}

/// Appends the answer of the text protocol.
pub fn text(arguments: &[&[u8]], rows: &MemcachedRows<'_, '_>, out: &mut Vec<u8>) {
    let is_denied = match arguments {
        [b"reset"] | [b"detail", b"on" | b"off", ..] => !rows.may_reset(),
        [b"detail", b"dump", ..] => !rows.may_list(),
        _ => false,
    };
    match arguments {
        _ if is_denied => super::text::refusal(&MemcachedRefusal::Denied, out),
        [b"reset"] => {
            rows.shared.reset_counts();
            out.extend_from_slice(b"RESET\r\n");
        }
        [b"detail", switch @ (b"on" | b"off"), ..] => {
            rows.shared.prefixes.switch(*switch == b"on");
            out.extend_from_slice(b"OK\r\n");
        }
        [b"detail", b"dump", ..] => rows.shared.prefixes.dump(out),
        [b"detail", ..] => {
            out.extend_from_slice(b"CLIENT_ERROR usage: stats detail on|off|dump\r\n");
        }
        _ => {
            let Some(figures) = list(arguments.first().copied().unwrap_or_default(), rows) else {
                out.extend_from_slice(b"ERROR\r\n");
                return;
            };
            for (name, value) in figures {
                // Writing into a vector does not fail.
                let _ = write!(out, "STAT {name} {value}\r\n");
            }
            out.extend_from_slice(b"END\r\n");
        }
    }
}

/// What the built-in table knows of its bytes, in cache mode.
fn recency<'r>(rows: &'r MemcachedRows<'_, '_>) -> Option<&'r Recency> {
    rows.places.home()?.table.recency().map(|recency| &**recency)
}

/// About how many bytes the built-in table has.
fn stored_bytes(rows: &MemcachedRows<'_, '_>) -> u64 {
    if let Some(recency) = recency(rows) {
        return recency.bytes();
    }
    let table = rows.places.home().map(|home| &home.table);
    table.and_then(|table| rows.turn.engine().approximate_bytes(table).ok()).unwrap_or(0)
}

/// Rows cannot be counted without visiting them: those stored through this door less those
/// removed, or none when the table is empty.
fn approximate_items(rows: &MemcachedRows<'_, '_>, bytes: u64) -> u64 {
    let counters = &rows.shared.counters;
    let evicted = recency(rows).map_or(0, Recency::evictions);
    let gone = counters.delete_hits.get() + counters.reclaimed.get() + evicted;
    if bytes == 0 { 0 } else { counters.total_items.get().saturating_sub(gone) }
}

/// Processor time of this process in user and system mode, as `seconds.micros`.
fn processor_seconds() -> (String, String) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let mut ticks = fields.split(' ').skip(11).map(|field| field.parse::<u64>().unwrap_or(0));
    // Linux shows hundredths of a second to every program.
    let mut next = || {
        let ticks = ticks.next().unwrap_or(0);
        format!("{}.{:06}", ticks / 100, ticks % 100 * 10_000)
    };
    (next(), next())
}
