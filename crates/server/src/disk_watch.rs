//! How full the disks are: a warning in the log at 90 and 95 percent, and when writes are refused;
//! free bytes for the status.
//!
//! Invariants
//! 1. A level is told once when it is reached, and once when it has been left by a whole percent: a
//!    disk that stays at a level does not fill the log.
//!
//! Not here: when writes are refused (`rows_rocks`, `space`).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use resources::disk_room::DiskRoom;
use rows::Engine;

/// How often the disks are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a full disk is taken for one, at least.
const FULL_AT_LEAST: Duration = Duration::from_secs(10);
/// Percent at which there is a warning, and at which there is another.
const WARN_PERCENT: u64 = 90;
const WARN_AGAIN_PERCENT: u64 = 95;

/// How full a disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Roomy,
    Filling,
    NearlyFull,
    /// Writes are refused.
    Full,
}

impl Level {
    /// The level now, where `told` was told last.
    fn next(told: Level, used_percent: u64, refuses: bool) -> Level {
        let reached = |percent: u64| match used_percent {
            _ if refuses => Level::Full,
            used if used >= percent + WARN_AGAIN_PERCENT - WARN_PERCENT => Level::NearlyFull,
            used if used >= percent => Level::Filling,
            _ => Level::Roomy,
        };
        // A level is left a percent below the one at which it is reached.
        reached(WARN_PERCENT).max(told.min(reached(WARN_PERCENT - 1)))
    }
}

/// A disk, and what was told of it.
struct Disk {
    /// What of ours is on it.
    holds: &'static str,
    path: PathBuf,
    told: Level,
    /// When that was.
    since: Instant,
}

impl Disk {
    /// Looks at it, and tells the log what is new.
    fn look(&mut self, refuses: bool) {
        let Ok(room) = DiskRoom::of(&self.path) else { return };
        let used_percent = room.used_percent();
        let level = Level::next(self.told, used_percent, refuses);
        // A disk with just no room is full and not full by turns.
        let is_fresh = self.told == Level::Full && self.since.elapsed() < FULL_AT_LEAST;
        if level == self.told || is_fresh {
            return;
        }
        let (holds, directory, free_bytes) = (self.holds, self.path.display(), room.free);
        match level {
            Level::Roomy => tracing::info!(
                holds, %directory, used_percent, free_bytes, "the disk has room again"
            ),
            Level::Full => tracing::warn!(
                holds, %directory, used_percent, free_bytes,
                "the disk is full: writes are refused until there is space"
            ),
            _ if level < self.told => tracing::info!(
                holds, %directory, used_percent, free_bytes, "the disk has a little more room"
            ),
            _ => tracing::warn!(
                holds, %directory, used_percent, free_bytes, "the disk is nearly full"
            ),
        }
        (self.told, self.since) = (level, Instant::now());
    }
}

/// Watches the disk of the rows, and that of temporary files if it is another; makes their figures
/// known.
///
/// # Errors
/// When the system gives no thread.
pub fn start(engine: &Arc<Engine>, data_dir: &Path) -> io::Result<()> {
    let disk = |holds, path: &Path| Disk {
        holds,
        path: path.to_owned(),
        told: Level::Roomy,
        since: Instant::now(),
    };
    let device = |path: &Path| fs::metadata(path).map(|about| about.dev()).ok();
    let temporary = engine.spill().map(|directory| directory.path().to_owned());
    let temporary = temporary.filter(|path| device(path) != device(data_dir));
    let figures: Vec<(&str, PathBuf)> = std::iter::once(("disk", data_dir.to_owned()))
        .chain(temporary.clone().map(|path| ("temp_disk", path)))
        .collect();
    engine.metrics().register(move |report| {
        for (name, path) in &figures {
            if let Ok(room) = DiskRoom::of(path) {
                report.push((format!("{name}_free_bytes"), room.free.to_string()));
                report.push((format!("{name}_used_percent"), room.used_percent().to_string()));
            }
        }
    });
    let store = Arc::downgrade(engine.store());
    engine.metrics().register(move |report| {
        let is_full = store.upgrade().is_some_and(|store| store.is_disk_full());
        report.push(("disk_full".to_owned(), u64::from(is_full).to_string()));
    });
    let mut rows = disk("rows", data_dir);
    let mut temporary = temporary.map(|path| disk("temporary files", &path));
    let engine = Arc::downgrade(engine);
    Builder::new().name("rowhouse-disks".into()).spawn(move || {
        while let Some(engine) = engine.upgrade() {
            rows.look(engine.store().is_disk_full());
            if let Some(temporary) = &mut temporary {
                temporary.look(false);
            }
            drop(engine);
            std::thread::sleep(LOOK_EVERY);
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_told_when_it_is_reached_and_left_a_percent_below() {
        use Level::{Filling, Full, NearlyFull, Roomy};
        let mut told = Roomy;
        let mut levels = Vec::new();
        for (used, refuses) in [
            (89, false),
            (90, false),
            (89, false),
            (95, false),
            (94, false),
            (93, false),
            (99, true),
            (99, false),
            (89, false),
            (88, false),
        ] {
            told = Level::next(told, used, refuses);
            levels.push(told);
        }
        let expected = [
            Roomy, Filling, Filling, NearlyFull, NearlyFull, Filling, Full, NearlyFull, Filling,
            Roomy,
        ];
        assert_eq!(levels, expected);
    }
}
