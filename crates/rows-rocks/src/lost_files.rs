//! Files of rows that are missing or have another length than RocksDB's list says, and a view of a
//! directory without them, so that all others can be read.
//!
//! RocksDB does not open a directory without such a file, or fails in every scan that would look
//! into it; a scan looks into each of the newest files, whatever it is for. So the view has a list
//! of its own, in which the lost files are taken out by a record at its end
//! (`internals::list_record`).
//!
//! Invariants
//! 1. The directory is not changed: the view is links to its files of rows, and copies of the
//!    others.
//! 2. Keys that a lost file may have held show what older files have of them, if any have.
//!
//! Not here: damage within a file, which a read of it meets (`rows::check`).

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;

use rows::error::Result;
use rows::store::KeyRange;

use crate::format::FORMAT_FILE;
use crate::internals::failure::of_file;
use crate::internals::list_record::without;
use crate::options::RocksOptions;
use crate::status::disk_bytes;
use crate::store::open_to_read;

const VIEW: &str = "rowhouse-view-";
const DOING: &str = "looking for files of rows";

/// A file of rows that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFile {
    /// Its name within the directory.
    pub name: String,
    /// How long it was when it was written.
    pub bytes: u64,
    /// How long it is; `None`: it is not there.
    pub bytes_left: Option<u64>,
    /// What it held lies in this range.
    pub keys: KeyRange,
    level: i32,
    number: u64,
}

impl LostFile {
    /// What became of it, in words.
    pub fn story(&self) -> String {
        let (name, bytes) = (&self.name, self.bytes);
        match self.bytes_left {
            None => format!("the file {name} of {bytes} bytes is missing"),
            Some(left) if left < bytes => {
                format!("the file {name} of {bytes} bytes was cut short to {left}")
            }
            Some(left) => format!("the file {name} of {bytes} bytes has {left}"),
        }
    }
}

/// The files of rows that are missing or have another length than they were written with. None of a
/// directory that cannot be opened for other reasons, which opening it tells.
///
/// # Errors
/// Those of the file system.
pub fn lost_files(directory: &Path, options: &RocksOptions) -> Result<Vec<LostFile>> {
    let of_look = |error| of_file(DOING, error);
    if !directory.join(FORMAT_FILE).exists() {
        return Ok(Vec::new());
    }
    let Ok(settings) = options.settings(disk_bytes(directory), false) else {
        return Ok(Vec::new());
    };
    // Files that cannot be opened are met when they are read.
    let mut options = settings.options;
    options.set_paranoid_checks(false);
    let Ok(database) = open_to_read(directory, &options) else { return Ok(Vec::new()) };
    let Ok(files) = database.live_files() else { return Ok(Vec::new()) };
    let mut lost = Vec::new();
    for file in files {
        let name = file.name.trim_start_matches('/').to_owned();
        let bytes_left = match fs::metadata(directory.join(&name)) {
            Ok(found) => Some(found.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(of_look(error)),
        };
        let number = name.split('.').next().and_then(|number| number.parse().ok());
        let Some(number) = number.filter(|_| bytes_left != Some(file.size as u64)) else {
            continue;
        };
        // The first key behind all of them.
        let end = file.end_key.map_or(Vec::new(), |key| [&key[..], &[0]].concat());
        let keys = KeyRange { start: file.start_key.unwrap_or_default(), end };
        let bytes = file.size as u64;
        lost.push(LostFile { name, bytes, bytes_left, keys, level: file.level, number });
    }
    lost.sort_by(|a, b| a.keys.start.cmp(&b.keys.start));
    Ok(lost)
}

/// Makes a view of a directory without these files, which goes when `look` has ended.
///
/// # Errors
/// Those of the file system.
pub fn look_without<T>(
    directory: &Path,
    lost: &[LostFile],
    look: impl FnOnce(&Path) -> T,
) -> Result<T> {
    let of_view = |error| of_file("making a view of the data directory", error);
    let directory = std::path::absolute(directory).map_err(of_view)?;
    let view = tempfile::Builder::new().prefix(VIEW).tempdir().map_err(of_view)?;
    make_view(&directory, view.path(), lost).map_err(of_view)?;
    let seen = look(view.path());
    view.close().map_err(of_view)?;
    Ok(seen)
}

fn make_view(directory: &Path, view: &Path, lost: &[LostFile]) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (file, name) = (entry.path(), entry.file_name());
        if !entry.file_type()?.is_file() || lost.iter().any(|lost| *lost.name == *name) {
            continue;
        }
        match file.extension() == Some(OsStr::new("sst")) {
            true => symlink(&file, view.join(&name))?,
            false => _ = fs::copy(&file, view.join(&name))?,
        }
    }
    let current = fs::read_to_string(view.join("CURRENT"))?;
    let mut list = OpenOptions::new().append(true).open(view.join(current.trim_end()))?;
    let length = list.metadata()?.len();
    list.write_all(&without(lost.iter().map(|file| (file.level, file.number)), length))
}

#[cfg(test)]
mod tests {
    use rows::ingestion::TableStore;
    use rows::store::{Batch, Change, Direction, Durability, Reach, Read as _, Store as _};

    use super::*;
    use crate::RocksStore;

    /// Keys of a store.
    fn keys(directory: &Path) -> Vec<Vec<u8>> {
        let store = RocksStore::open(directory, &options()).expect("opened");
        let mut cursor =
            store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).expect("a cursor");
        let mut keys = Vec::new();
        while cursor.advance().expect("every file can be read") {
            keys.push(cursor.key().to_vec());
        }
        keys
    }

    fn options() -> RocksOptions {
        RocksOptions { memory_bytes: 8 << 20, compacts: false, ..RocksOptions::default() }
    }

    #[test]
    fn a_file_that_is_missing_or_cut_short_kept_all_others_from_being_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let key = |number: u32| number.to_be_bytes().to_vec();
        let put = |store: &RocksStore, numbers: std::ops::Range<u32>| {
            let changes = numbers.map(|number| Change::put(key(number), vec![7; 100])).collect();
            store.write(&Batch { changes }, Durability::Os).expect("written");
        };
        // What is ingested lies below; what is written goes to the newest files.
        let store = RocksStore::open(directory.path(), &options()).expect("opened");
        store.ingest(&mut (0..1000).map(|number| Ok((key(number), vec![1; 100])))).expect("added");
        put(&store, 2000..2100);
        store.shared().database.flush().expect("written to a file");
        put(&store, 3000..3100);
        store.shared().database.flush().expect("written to a file");
        put(&store, 4000..4010);
        drop(store);
        assert_eq!(lost_files(directory.path(), &options()).expect("looked"), []);
        let store = RocksStore::open(directory.path(), &options()).expect("opened");
        let files = store.shared().database.live_files().expect("files");
        drop(store);
        assert!(files.len() >= 3);
        let of = |number: u32| {
            let file = files.iter().find(|file| file.start_key.as_deref() == Some(&key(number)));
            directory.path().join(file.expect("a file of it").name.trim_start_matches('/'))
        };
        fs::remove_file(of(0)).expect("removed");
        let cut = OpenOptions::new().write(true).open(of(2000)).expect("opened");
        cut.set_len(cut.metadata().expect("a length").len() / 2).expect("cut");
        let lost = lost_files(directory.path(), &options()).expect("looked");
        assert_eq!(lost.len(), 2);
        assert!(lost[0].story().ends_with("is missing") && lost[1].story().contains("cut short"));
        assert_eq!(lost[1].keys.start, key(2000));
        assert!(lost[1].keys.contains(&key(2099)) && !lost[1].keys.contains(&key(2100)));
        let left = look_without(directory.path(), &lost, keys).expect("a view");
        let expected: Vec<_> = (3000..3100).chain(4000..4010).map(key).collect();
        assert_eq!(left, expected);
        assert_eq!(lost_files(directory.path(), &options()).expect("looked"), lost, "unchanged");
    }
}
