//! Where and of what a result is: processor, kernel, commit, moment.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The machine, the source and the moment of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Machine {
    /// Processor model.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in GiB.
    pub memory_gib: f64,
    /// Kernel release.
    pub kernel: String,
    /// Load averages at the start: other work on the machine makes figures worthless.
    pub load_at_start: String,
    /// Commit of the working directory, `+` if it has changes.
    pub commit: String,
    /// Start in UTC, `YYYY-MM-DDThh:mm:ssZ`.
    pub started: String,
}

impl Machine {
    /// Looks around.
    pub fn look() -> Machine {
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split(':').nth(1).unwrap_or("unknown").trim().to_owned()
        };
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default().trim().to_owned();
        let memory = field("/proc/meminfo", "MemTotal");
        let kib: f64 = memory.trim_end_matches("kB").trim().parse().unwrap_or(0.0);
        Machine {
            cpu: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: (kib / 1024.0 / 1024.0 * 10.0).round() / 10.0,
            kernel: read("/proc/sys/kernel/osrelease"),
            load_at_start: read("/proc/loadavg"),
            commit: commit(),
            started: utc(SystemTime::now()),
        }
    }
}

/// Raises the limit on open files, which servers that are started afterwards inherit.
pub fn raise_file_limit(files: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < files) {
        let maximum = limit.maximum.map(|maximum| maximum.max(files));
        setrlimit(Resource::Nofile, Rlimit { current: Some(files), maximum })
            .with_context(|| format!("{files} open files are needed (ulimit -n)"))?;
    }
    Ok(())
}

fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changed = git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty());
    if changed { commit + "+" } else { commit }
}

/// A moment as text in UTC.
fn utc(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970-01-01, in eras of 400 years that begin on
/// the first of March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
    }
}
