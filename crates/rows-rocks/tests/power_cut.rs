//! The power is cut while a process writes: what a disk would hold is all that is left.
//!
//! The store lies on a file system of its own, in a file behind a loop device. Whatever that file
//! system has not sent to its device, by a sync or on its own account, is not in the file; so a
//! copy of the file, taken at any moment, is what a power cut leaves. The copy is mounted, which
//! replays the file system's journal, and the store is opened there.
//!
//! Mounting needs the superuser; without it the tests say so and pass. The device's file is read
//! through the host's page cache, so a disk that lies about its syncs is not covered.

mod writer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rows::store::Durability;
use writer::{Writer, check_prefix, open, write_if_told};

const DISK_BYTES: u64 = 256 << 20;
const CUTS: usize = 3;
/// Long enough for several syncs of `EverySecond`, where the machine does not pause.
const WRITES_FOR: Duration = Duration::from_millis(2300);
/// How long those syncs may take where it does.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_child_writes_until_the_power_is_cut() {
    write_if_told();
}

/// A mounted file system; unmounted at the end.
struct Disk {
    mounted_at: PathBuf,
}

impl Disk {
    /// Mounts an image; `None` when that is not allowed.
    fn mount(image: &Path, at: &Path) -> Option<Disk> {
        fs::create_dir_all(at).expect("a directory");
        // No journal commits by the clock: they would sync by luck what nobody asked to sync.
        let mounted = run("mount", &["-o", "loop,commit=600", path(image), path(at)]);
        mounted.then(|| Disk { mounted_at: at.to_path_buf() })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        run("umount", &[path(&self.mounted_at)]);
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

fn run(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).status().is_ok_and(|status| status.success())
}

/// What one cut did.
struct Cut {
    /// The last number that a sync began behind, and ended before the cut.
    synced: u64,
    /// The last number acknowledged at the cut.
    acknowledged: u64,
    /// The last number found afterwards; all below it are there.
    found: u64,
}

/// Writes, cuts the power, looks; `None` when mounting is not allowed.
fn cut(base: &Path, durability: Durability) -> Option<Cut> {
    let image = base.join("disk");
    let file = fs::File::create(&image).expect("the image");
    file.set_len(DISK_BYTES).expect("its size");
    if !run("mkfs.ext4", &["-q", "-F", path(&image)]) {
        return None;
    }
    let disk = Disk::mount(&image, &base.join("before"))?;
    let data = disk.mounted_at.join("data");
    // The store itself is made, synced, and closed: only the writes are at stake.
    drop(open(&data));
    assert!(run("sync", &["-f", path(&data)]));
    let mut writer = Writer::start("a_child_writes_until_the_power_is_cut", &data, durability);
    let started = Instant::now();
    let mut acknowledged = 0;
    let wants_sync = durability == Durability::EverySecond;
    while started.elapsed() < WRITES_FOR || wants_sync && writer.synced() == 0 {
        acknowledged = writer.next().expect("the child writes");
        assert!(started.elapsed() < PATIENCE, "nothing is synced");
    }
    let synced = writer.synced();
    // With the writer dead nobody syncs while the copy is made.
    writer.kill();
    let copy = base.join("copy");
    fs::copy(&image, &copy).expect("the copy");
    let last = std::iter::from_fn(|| writer.next()).last();
    let left = Disk::mount(&copy, &base.join("after")).expect("the copy is a file system");
    let found = check_prefix(&open(&left.mounted_at.join("data")));
    Some(Cut { synced, acknowledged: last.unwrap_or(acknowledged), found })
}

fn cuts(durability: Durability) -> Vec<Cut> {
    let cuts: Vec<Cut> = (0..CUTS)
        .map_while(|_| {
            let base = tempfile::tempdir().expect("a directory");
            cut(base.path(), durability)
        })
        .collect();
    if cuts.is_empty() {
        eprintln!("not run: file systems cannot be mounted here");
    }
    for cut in &cuts {
        let Cut { synced, acknowledged, found } = cut;
        eprintln!("{durability:?}: synced {synced} of {acknowledged}, found {found}");
    }
    cuts
}

#[test]
fn a_power_cut_loses_nothing_acknowledged_under_every_commit() {
    for cut in cuts(Durability::EveryCommit) {
        assert!(cut.acknowledged > 0 && cut.found >= cut.acknowledged);
    }
}

/// That the syncs come every second is what the server's tests of crashes see to.
#[test]
fn a_power_cut_loses_nothing_that_was_synced_under_every_second() {
    for cut in cuts(Durability::EverySecond) {
        assert!(cut.synced > 0 && cut.found >= cut.synced);
    }
}

/// Under `Os` something must be lost, or these tests would prove nothing; and what is left is
/// a prefix all the same, which `check_prefix` sees to.
#[test]
fn a_power_cut_loses_the_end_and_nothing_else_under_os() {
    let cuts = cuts(Durability::Os);
    assert!(cuts.iter().all(|cut| cut.found < cut.acknowledged));
}
