//! `rowhouse status`: asks the server of a data directory how it is, and prints it.
//!
//! Not here: the figures (`rows::metrics`), the way to the server (`crate::status`).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::data_dir::status_socket;
use crate::settings::Settings;
use crate::status::ask;

/// Prints an overview, or with `all` every figure.
///
/// # Errors
/// When no server gives a whole answer.
pub fn run(settings: &Settings, all: bool) -> anyhow::Result<ExitCode> {
    let data_dir = settings.data_dir.display();
    let figures = ask(&status_socket(&settings.data_dir))
        .with_context(|| format!("cannot tell the status of the data directory {data_dir}"))?;
    if all {
        let line = |(name, value): &(String, String)| format!("{name} {value}\n");
        return super::print(&figures.iter().map(line).collect::<String>());
    }
    super::print(&overview(&figures))
}

fn overview(figures: &[(String, String)]) -> String {
    let by_name: HashMap<&str, &str> =
        figures.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let text = |name: &str| by_name.get(name).copied().unwrap_or("?");
    let number = |name: &str| text(name).parse::<u64>().unwrap_or(0);
    let mut out = format!(
        "rowhouse {}, process {}, up {}\n\n",
        text("version"),
        text("pid"),
        uptime(number("uptime_seconds")),
    );
    let _ = writeln!(
        out,
        "{:<22}{:<24}{:>12}{:>14}{:>12}{:>12}",
        "door", "address", "connections", "requests", "received", "sent"
    );
    let address = |name: &str| name.strip_prefix("address_").map(str::to_owned);
    for (name, value) in figures {
        let Some(door) = address(name) else {
            continue;
        };
        let name = door.replace('_', "-");
        // A door's socket is counted with the door.
        if name.ends_with("-socket") {
            let _ = writeln!(out, "{name:<22}{value}");
            continue;
        }
        let figure = |what: &str| number(&format!("{door}_{what}"));
        let _ = writeln!(
            out,
            "{name:<22}{value:<24}{:>12}{:>14}{:>12}{:>12}",
            figure("connections"),
            figure("requests"),
            bytes(figure("received_bytes")),
            bytes(figure("sent_bytes")),
        );
    }
    let groups = number("groups");
    let members = number("group_members");
    let _ = writeln!(
        out,
        "\n{groups} commits of event loops, {:.1} connections each\n{}: {} on disk, {} in memory",
        members as f64 / groups.max(1) as f64,
        text("store"),
        bytes(number("store_disk_bytes")),
        bytes(number("store_memory_bytes")),
    );
    for (name, disk) in [("disk", "disk"), ("temp_disk", "disk of temporary files")] {
        if let Some(free) = by_name.get(&*format!("{name}_free_bytes")) {
            let (free, used) = (free.parse().unwrap_or(0), number(&format!("{name}_used_percent")));
            let _ = writeln!(out, "{disk}: {} free, {used}% used", bytes(free));
        }
    }
    if number("disk_full") > 0 {
        let _ = writeln!(out, "the disk is full: writes are refused until there is space");
    } else if number("store_writes_refused") > 0 {
        let _ = writeln!(out, "writes are refused until a restart: see the log");
    }
    out
}

/// A time in its two largest units.
pub(super) fn uptime(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Bytes in the unit that suits them.
pub(super) fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit < units.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overview_has_a_line_for_every_door() {
        let figures = [
            ("version", "0.1.0"),
            ("pid", "7"),
            ("uptime_seconds", "3700"),
            ("address_mysql", "127.0.0.1:3306"),
            ("mysql_connections", "3"),
            ("mysql_sent_bytes", "1572864"),
        ];
        let figures = figures.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = overview(&figures);
        assert!(text.contains("process 7, up 1 h 1 min"), "{text}");
        let door = text.lines().find(|line| line.starts_with("mysql")).unwrap();
        assert!(door.contains("127.0.0.1:3306") && door.ends_with("1.5 MiB"), "{door}");
    }
}
