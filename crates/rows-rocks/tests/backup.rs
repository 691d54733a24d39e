//! Damage of a backup: any wrong bit, missing or foreign file is found and named, and is never
//! restored.

use std::fs;
use std::path::{Path, PathBuf};

use rows::store::{Batch, Change, Durability, Store, StoreUpkeep};
use rows_rocks::{BackupError, Backups, RocksOptions, RocksStore, Sharing};

struct Place {
    directory: tempfile::TempDir,
    backups: Backups,
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Whether the latest backup is found damaged in exactly this file, and not restored.
    fn is_damaged_in(&self, file: &Path) -> bool {
        let backup = match self.backups.get(None) {
            Err(BackupError::Damaged { file: named, .. }) => return named == file,
            other => other.expect("a backup"),
        };
        let damages = self.backups.verify(&backup, &mut |_, _| {}).expect("read");
        let restored = self.path("restored");
        let refused = self.backups.restore(&backup, &restored, &mut |_, _| {});
        fs::remove_dir_all(restored).expect("a directory");
        let named =
            matches!(refused, Err(BackupError::Damaged { file: named, .. }) if named == file);
        named && damages.len() == 1 && damages[0].file == file
    }
}

/// A backup that shares no file with anything.
fn place() -> Place {
    let directory = tempfile::tempdir().expect("a directory");
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    let store = RocksStore::open(&directory.path().join("rows"), &options).expect("a store");
    for number in 0..2000u64 {
        let change = Change::put(number.to_be_bytes().to_vec(), vec![number as u8; 50]);
        store.write(&Batch { changes: vec![change] }, Durability::Os).expect("written");
    }
    let frozen = directory.path().join("frozen");
    store.checkpoint(&frozen).expect("the checkpoint");
    let backups = Backups::to_write(&directory.path().join("backups")).expect("a directory");
    let backup = backups.add(&frozen, Sharing::Nothing, &mut |_, _| {}).expect("a backup");
    assert!(backups.verify(&backup, &mut |_, _| {}).expect("read").is_empty());
    Place { directory, backups }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

#[test]
fn a_wrong_bit_in_any_file_of_a_backup_is_found_by_name() {
    let place = place();
    let mut flips = 0;
    for file in [files(&place.path("backups/1")), files(&place.path("backups/1/rows"))].concat() {
        let sound = fs::read(&file).expect("readable");
        let step = (sound.len() / 40).max(1);
        for position in (0..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[position] ^= 1 << (position % 8);
            fs::write(&file, bytes).expect("written");
            assert!(place.is_damaged_in(&file), "{} byte {position}", file.display());
            flips += 1;
        }
        fs::write(&file, &sound).expect("mended");
    }
    assert!(flips > 150, "{flips}");
    assert!(
        place
            .backups
            .verify(&place.backups.get(None).expect("sound"), &mut |_, _| {})
            .expect("read")
            .is_empty()
    );
}

#[test]
fn a_missing_or_foreign_file_of_a_backup_is_found_by_name() {
    let place = place();
    for file in files(&place.path("backups/1/rows")) {
        let aside = place.path("aside");
        fs::rename(&file, &aside).expect("moved");
        assert!(place.is_damaged_in(&file), "{}", file.display());
        fs::rename(&aside, &file).expect("moved back");
    }
    let foreign = place.path("backups/1/rows/000099.sst");
    fs::write(&foreign, "dear").expect("written");
    let backup = place.backups.get(None).expect("a backup");
    let damages = place.backups.verify(&backup, &mut |_, _| {}).expect("read");
    assert!(damages.len() == 1 && damages[0].file == foreign, "{damages:?}");
}
