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
/// Long enough for several syncs of `EverySecond`.
const WRITES_FOR: Duration = Duration::from_millis(2300);

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
    /// The last number acknowledged a second before the cut, and at the cut.
    acknowledged_before: u64,
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
    let mut acknowledged = Vec::new();
    while started.elapsed() < WRITES_FOR {
        acknowledged.push((writer.next().expect("the child writes"), Instant::now()));
    }
    // With the writer dead nobody syncs while the copy is made.
    writer.kill();
    let at = Instant::now();
    let copy = base.join("copy");
    fs::copy(&image, &copy).expect("the copy");
    let last = std::iter::from_fn(|| writer.next()).last();
    let before = acknowledged.iter().rfind(|(_, when)| at - *when > Duration::from_secs(1));
    let left = Disk::mount(&copy, &base.join("after")).expect("the copy is a file system");
    let found = check_prefix(&open(&left.mounted_at.join("data")));
    Some(Cut {
        acknowledged_before: before.map_or(0, |(number, _)| *number),
        acknowledged: last.or(acknowledged.last().map(|(number, _)| *number)).unwrap_or(0),
        found,
    })
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
        let Cut { acknowledged_before, acknowledged, found } = cut;
        eprintln!("{durability:?}: {acknowledged_before} .. {acknowledged}, found {found}");
    }
    cuts
}

#[test]
fn a_power_cut_loses_nothing_acknowledged_under_every_commit() {
    for cut in cuts(Durability::EveryCommit) {
        assert!(cut.acknowledged > 0 && cut.found >= cut.acknowledged);
    }
}

#[test]
fn a_power_cut_loses_at_most_a_second_under_every_second() {
    for cut in cuts(Durability::EverySecond) {
        assert!(cut.acknowledged_before > 0 && cut.found >= cut.acknowledged_before);
    }
}

/// Under `Os` something must be lost, or these tests would prove nothing; and what is left is
/// a prefix all the same, which `check_prefix` sees to.
#[test]
fn a_power_cut_loses_the_end_and_nothing_else_under_os() {
    let cuts = cuts(Durability::Os);
    assert!(cuts.iter().all(|cut| cut.found < cut.acknowledged));
}
