//! What is left of statements when they are over: threads that work, memory, temporary files.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::mysql::Mysql;
use crate::support::{PATIENCE, ROWHOUSE, Running, rest, rowhouse};

/// What the threads that work for statements may take from the processor when theirs is over.
const WORK_AFTERWARDS: Duration = Duration::from_secs(2);
/// Between two looks whether they work: a few of the kernel's ticks.
const LOOK_EVERY: Duration = Duration::from_millis(60);

/// CPU time of the threads that work for statements and requests.
fn work(server: &Running) -> Duration {
    let mut ticks = 0;
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid())).expect("its process");
    for task in tasks.flatten() {
        // One that has gone meanwhile works no more.
        let Ok(stat) = std::fs::read_to_string(task.path().join("stat")) else { continue };
        let Some((head, figures)) = stat.rsplit_once(") ") else { continue };
        let works = ["(query", "(rowhouse-pool", "(plan", "(load", "(rowhouse-lua"];
        if works.iter().any(|name| head.contains(name)) {
            let figures: Vec<&str> = figures.split(' ').collect();
            // utime and stime, counted from the field behind the name.
            ticks += figures[11].parse::<u64>().unwrap() + figures[12].parse::<u64>().unwrap();
        }
    }
    Duration::from_millis(ticks * 10)
}

/// The server's figures by name.
pub fn figures(data_dir: &Path) -> HashMap<String, u64> {
    let asked = rowhouse(&["status", "--all", &format!("--data-dir={}", data_dir.display())])
        .output()
        .unwrap_or_else(|error| panic!("{ROWHOUSE}: {error}"));
    let all = String::from_utf8_lossy(&asked.stdout).into_owned();
    let number = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    all.lines().filter_map(number).collect()
}

/// What is still there of a statement.
fn left(server: &Running, watcher: &mut Mysql, client_bytes: u64) -> Vec<String> {
    let mut left = Vec::new();
    for row in watcher.query("SHOW FULL PROCESSLIST").expect("a list") {
        let text = row[7].clone().unwrap_or_default();
        if !text.is_empty() && !text.starts_with("SHOW") {
            left.push(format!("{row:?}"));
        }
    }
    let figures = figures(&server.data_dir);
    for name in ["queries_under_way", "query_memory_bytes", "query_temporary_files"] {
        match figures[name] {
            0 => {}
            number => left.push(format!("{name} {number}")),
        }
    }
    match figures["client_memory_bytes"] {
        bytes if bytes <= client_bytes => {}
        bytes => left.push(format!("client_memory_bytes {bytes} of {client_bytes}")),
    }
    left
}

/// Waits until nothing is left of what was ended, and gives what was when that should have been so.
pub fn await_end(
    server: &Running,
    watcher: &mut Mysql,
    client_bytes: u64,
) -> (Duration, Option<String>) {
    let (since, before) = (Instant::now(), work(server));
    let (mut last, mut late) = (before, None);
    loop {
        let looked = Instant::now();
        let left = left(server, watcher, client_bytes);
        while looked.elapsed() < LOOK_EVERY {
            rest();
        }
        let now = work(server);
        let is_quiet = now.saturating_sub(last) <= LOOK_EVERY / 3;
        last = now;
        if left.is_empty() && is_quiet {
            return (since.elapsed(), late);
        }
        let (after, worked) = (since.elapsed(), now.saturating_sub(before));
        if worked > WORK_AFTERWARDS && late.is_none() || after > PATIENCE {
            late = Some(format!("{after:?} later, after {worked:?} of work: {left:#?}"));
        }
        if after > PATIENCE {
            return (after, late);
        }
    }
}
