//! What the kernel tells of processes and the machine: CPU time, peak memory.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// A process rests that uses less than this part of a core.
const RESTING_PART: f64 = 0.05;
/// How long that is looked at.
const RESTING_LOOK: Duration = Duration::from_secs(1);

/// CPU time of all threads, user and system, also of threads that ended, in seconds.
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    stat_seconds(&pid.to_string(), 11)
}

/// CPU time of this process' children that have ended and were waited for, in seconds.
pub fn ended_children_cpu_seconds() -> Option<f64> {
    stat_seconds("self", 13)
}

/// The sum of two fields of a process' `stat` that are times, user's and system's: the place of the
/// first, counted from the one behind the command's name.
fn stat_seconds(process: &str, place: usize) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The command name may hold spaces and brackets: fields are counted after its last bracket.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let user: u64 = fields.nth(place)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Waits until a process rests, so that what it still does of an earlier task is not taken for the
/// next one's; `patience` at most.
pub fn await_rest(pid: u32, patience: Duration) {
    let began = Instant::now();
    while began.elapsed() < patience {
        let (before, at) = (cpu_seconds(pid), Instant::now());
        thread::sleep(RESTING_LOOK);
        let used = cpu_seconds(pid).zip(before).map(|(now, before)| now - before);
        if used.is_none_or(|used| used < RESTING_PART * at.elapsed().as_secs_f64()) {
            return;
        }
    }
}

/// Forgets what of files is in memory and on disk alike; false where that is not allowed.
pub fn drop_page_cache() -> bool {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "1").is_ok()
}

/// CPU time of everything on the machine that was not idle, in seconds; also what the host of a
/// virtual machine took away.
pub fn machine_cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    // user, nice, system, idle, waiting for input and output, interrupts, soft interrupts, stolen.
    let busy: u64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|at| ticks.get(*at)).sum();
    Some(busy as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// How long so far some thread of the machine has waited for a disk, in seconds.
pub fn disk_waited_seconds() -> Option<f64> {
    let pressure = fs::read_to_string("/proc/pressure/io").ok()?;
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    let micros: u64 = line.rsplit_once("total=")?.1.parse().ok()?;
    Some(micros as f64 / 1e6)
}

/// Bytes that a process has let the kernel read from disks so far; what the page cache had is none.
pub fn disk_read_bytes(pid: u32) -> Option<u64> {
    io_bytes(pid, "read_bytes:")
}

/// Bytes that a process has let the kernel write to disks so far: each page of a file once for each
/// time that it was made dirty.
pub fn disk_written_bytes(pid: u32) -> Option<u64> {
    io_bytes(pid, "write_bytes:")
}

fn io_bytes(pid: u32, name: &str) -> Option<u64> {
    let counts = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    counts.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}

/// Peak resident memory (VmHWM) in bytes.
pub fn rss_peak(pid: u32) -> Option<u64> {
    status_bytes(pid, "VmHWM:")
}

/// Resident memory now (VmRSS) in bytes.
pub fn rss(pid: u32) -> Option<u64> {
    status_bytes(pid, "VmRSS:")
}

/// Threads.
pub fn threads(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()
}

/// How many threads there are of each name.
pub fn threads_by_name(pid: u32) -> BTreeMap<String, u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut names = BTreeMap::new();
    for task in tasks {
        let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        *names.entry(name.trim().to_owned()).or_default() += 1;
    }
    names
}

/// Open files and sockets.
pub fn files(pid: u32) -> Option<u64> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64)
}

fn status_bytes(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_cpu_time_and_memory() {
        assert!(cpu_seconds(std::process::id()).is_some());
        assert!(machine_cpu_seconds() >= cpu_seconds(std::process::id()));
        assert!(rss_peak(std::process::id()).is_some_and(|bytes| bytes > 100_000));
        assert!(threads(std::process::id()) >= Some(1) && files(std::process::id()) >= Some(3));
        assert!(rss(std::process::id()) <= rss_peak(std::process::id()));
        assert!(disk_read_bytes(std::process::id()).is_some());
        assert!(disk_written_bytes(std::process::id()).is_some());
    }

    #[test]
    fn a_process_that_is_not_there_has_no_figures() {
        assert_eq!(cpu_seconds(u32::MAX), None);
        assert_eq!(rss_peak(u32::MAX), None);
        assert_eq!(disk_read_bytes(u32::MAX), None);
    }
}
