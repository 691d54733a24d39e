//! The process's own figures, under the names that all Prometheus clients give them, from `/proc`.
//!
//! A figure that cannot be read is left out: another system has no `/proc`, and a metric that is
//! missing is told from one that is 0.

use std::fs;

use super::families::FamilyKind;

/// One figure: name without `process_`, whether it only rises, help, value.
pub struct ProcessFigure {
    /// Its name, without `process_` and `_total`.
    pub name: &'static str,
    /// What it does.
    pub kind: FamilyKind,
    /// What it says.
    pub help: &'static str,
    /// Its value.
    pub value: f64,
}

/// Fields of `/proc/self/stat` behind the program's name, counted from 0 (proc(5)): `utime`,
/// `stime`, `num_threads`, `starttime`, `vsize`, `rss`.
const USER_TICKS: usize = 11;
const SYSTEM_TICKS: usize = 12;
const THREADS: usize = 17;
const STARTED_TICKS: usize = 19;
const VIRTUAL_BYTES: usize = 20;
const RESIDENT_PAGES: usize = 21;

/// All that can be read.
pub fn figures() -> Vec<ProcessFigure> {
    let mut figures = Vec::new();
    let mut add = |name, kind, help, value: Option<f64>| {
        if let Some(value) = value {
            figures.push(ProcessFigure { name, kind, help, value });
        }
    };
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name stands in parentheses and may hold spaces and parentheses itself.
    let fields: Vec<&str> =
        stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let field = |position: usize| fields.get(position)?.parse::<f64>().ok();
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let cpu =
        field(USER_TICKS).zip(field(SYSTEM_TICKS)).map(|(user, system)| (user + system) / ticks);
    add("cpu_seconds", FamilyKind::Counter, "Processor time of all threads", cpu);
    add("threads", FamilyKind::Gauge, "Threads", field(THREADS));
    let started = field(STARTED_TICKS).zip(boot_seconds()).map(|(at, boot)| boot + at / ticks);
    add("start_time_seconds", FamilyKind::Gauge, "When the process started, in Unix time", started);
    add("virtual_memory_bytes", FamilyKind::Gauge, "Virtual memory", field(VIRTUAL_BYTES));
    let page = rustix::param::page_size() as f64;
    let resident = field(RESIDENT_PAGES).map(|pages| pages * page);
    add("resident_memory_bytes", FamilyKind::Gauge, "Resident memory", resident);
    let open = fs::read_dir("/proc/self/fd").ok().map(|entries| entries.count() as f64);
    add("open_fds", FamilyKind::Gauge, "Open files and sockets", open);
    let files_max = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    add(
        "max_fds",
        FamilyKind::Gauge,
        "Files and sockets that may be open",
        files_max.map(|max| max as f64),
    );
    figures
}

/// When the machine started, in Unix time.
fn boot_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn this_process_has_memory_files_and_a_start_before_now() {
        let figures = figures();
        let value = |name: &str| {
            figures.iter().find(|figure| figure.name == name).map(|figure| figure.value).unwrap()
        };
        assert!(value("resident_memory_bytes") > 100_000.0);
        assert!(value("open_fds") >= 3.0 && value("open_fds") <= value("max_fds"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        assert!(value("start_time_seconds") <= now + 1.0);
        assert!(value("start_time_seconds") > 1.6e9);
    }
}
