//! Tests of the model, with journals written by hand.

use super::*;

fn record(handle: u64, kind: Kind) -> Record {
    Record { kind, handle, nanos: 0 }
}

fn open(handle: u64, path: &str, directory: bool) -> Record {
    record(handle, Kind::Open { path: path.into(), truncated: false, directory })
}

fn write(handle: u64, bytes: &[u8]) -> Record {
    record(handle, Kind::Write { offset: 0, bytes: bytes.to_vec() })
}

fn rename(from: &str, to: &str) -> Record {
    record(0, Kind::Rename { from: from.into(), to: to.into() })
}

fn sync(disk: &mut Disk, handle: u64) {
    disk.take(&record(handle, Kind::SyncBegin));
    disk.take(&record(handle, Kind::SyncEnd));
}

/// The file's bytes after each of many cuts; `None` where it is gone.
fn after_cuts(disk: &Disk, path: &str) -> HashSet<Option<Vec<u8>>> {
    let base = tempfile::tempdir().unwrap();
    let cuts = (0..200).map(|seed| {
        let directory = base.path().join(seed.to_string());
        disk.cut(seed, &directory).unwrap();
        fs::read(directory.join(path)).ok()
    });
    cuts.collect()
}

#[test]
fn a_synced_file_is_gone_as_long_as_its_directory_is_not_synced() {
    let mut disk = Disk::default();
    disk.take(&open(1, "new", false));
    disk.take(&write(1, b"bytes"));
    sync(&mut disk, 1);
    let whole = Some(b"bytes".to_vec());
    assert_eq!(after_cuts(&disk, "new"), HashSet::from([None, whole.clone()]));
    disk.take(&open(2, "", true));
    sync(&mut disk, 2);
    assert_eq!(after_cuts(&disk, "new"), HashSet::from([whole]));
}

#[test]
fn a_file_renamed_over_another_leaves_the_old_or_the_new_one_whole() {
    let mut disk = Disk::default();
    disk.take(&open(1, "name", false));
    disk.take(&write(1, b"old"));
    sync(&mut disk, 1);
    disk.take(&open(2, "", true));
    sync(&mut disk, 2);
    disk.take(&open(3, "name.new", false));
    disk.take(&write(3, b"new bytes"));
    sync(&mut disk, 3);
    disk.take(&rename("name.new", "name"));
    let (old, new) = (Some(b"old".to_vec()), Some(b"new bytes".to_vec()));
    assert_eq!(after_cuts(&disk, "name"), HashSet::from([old, new]));
}

#[test]
fn a_write_during_a_sync_is_not_covered_by_it() {
    let mut disk = Disk::default();
    disk.take(&open(1, "log", false));
    disk.take(&open(2, "", true));
    sync(&mut disk, 2);
    disk.take(&record(1, Kind::SyncBegin));
    disk.take(&write(1, b"late"));
    disk.take(&record(1, Kind::SyncEnd));
    assert!(after_cuts(&disk, "log").contains(&Some(Vec::new())));
    sync(&mut disk, 1);
    assert_eq!(after_cuts(&disk, "log"), HashSet::from([Some(b"late".to_vec())]));
}

#[test]
fn a_rename_between_directories_happens_in_both_or_in_neither() {
    let mut disk = Disk::default();
    disk.take(&record(0, Kind::MakeDirectory { path: "from".into() }));
    disk.take(&open(1, "from/file", false));
    disk.take(&open(2, "", true));
    disk.take(&open(3, "from", true));
    sync(&mut disk, 2);
    sync(&mut disk, 3);
    disk.take(&rename("from/file", "file"));
    let base = tempfile::tempdir().unwrap();
    let there = |seed: u64| {
        let directory = base.path().join(seed.to_string());
        disk.cut(seed, &directory).unwrap();
        (directory.join("from/file").exists(), directory.join("file").exists())
    };
    let seen: HashSet<(bool, bool)> = (0..200).map(there).collect();
    assert_eq!(seen, HashSet::from([(true, false), (false, true)]));
}

#[test]
fn a_linked_file_is_one_file_under_both_names_however_it_is_torn() {
    let mut disk = Disk::default();
    disk.take(&open(1, "first", false));
    disk.take(&write(1, &[7; 5000]));
    disk.take(&record(0, Kind::Link { from: "first".into(), to: "second".into() }));
    disk.take(&open(2, "", true));
    sync(&mut disk, 2);
    let base = tempfile::tempdir().unwrap();
    for seed in 0..50 {
        let directory = base.path().join(seed.to_string());
        disk.cut(seed, &directory).unwrap();
        let [first, second] = ["first", "second"].map(|name| directory.join(name));
        assert_eq!(fs::read(first).unwrap(), fs::read(second).unwrap(), "seed {seed}");
    }
    disk.live_to(&base.path().join("live")).unwrap();
    assert_eq!(fs::read(base.path().join("live/second")).unwrap(), [7; 5000]);
}
