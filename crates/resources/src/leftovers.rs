//! Files that an earlier process left and nobody needs: they go at the start, and who starts waits
//! for small ones only. Ten GB of an interrupted load took three seconds.
//!
//! Invariants
//! 1. When `remove` returns, no file is under a name that its directory's users would give one.
//! 2. What is not gone when this process ends is a leftover of the next one.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use crate::disk_room::DiskRoom;

/// Fewer bytes are gone at once.
const LATER_MIN: u64 = 256 << 20;
/// With less room on the disk, what is left is wanted back before anybody writes.
const ROOM_MIN: u64 = 1 << 30;
/// Of directories for what is being removed.
const NAME: &str = "removing-";

/// Empties a directory; large files go in a thread of their own.
///
/// # Errors
/// Of the file system; a directory that is not there has nothing in it.
pub fn remove(directory: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(entries) => {
            for entry in entries {
                names.push(entry?.file_name());
            }
        }
    }
    let size = names.iter().map(|name| bytes(&directory.join(name))).sum::<u64>();
    let room = DiskRoom::of(directory).map_or(0, |room| room.free);
    if size < LATER_MIN || room < ROOM_MIN {
        return names.iter().try_for_each(|name| remove_one(&directory.join(name)));
    }
    // Moved out of the way first: users number their files from the beginning again.
    let is_new = |name: &String| !names.iter().any(|other| other.to_str() == Some(name));
    let name = (0u64..).map(|number| format!("{NAME}{number}")).find(is_new);
    let removing = directory.join(name.expect("there is always a further number"));
    fs::create_dir(&removing)?;
    for name in &names {
        fs::rename(directory.join(name), removing.join(name))?;
    }
    thread::Builder::new().name("rowhouse-tidy".to_owned()).spawn(move || {
        // What cannot be removed now is looked at by the next start.
        let _ = fs::remove_dir_all(removing);
    })?;
    Ok(())
}

fn remove_one(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

/// Bytes of a file, or of all that are below a directory, as far as they can be told.
fn bytes(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| bytes(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn small_files_are_gone_at_once_and_large_ones_are_out_of_the_way_and_gone_soon() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tmp");
        remove(&path).unwrap();
        fs::create_dir_all(path.join("inner")).unwrap();
        fs::write(path.join("inner/run-0.tmp"), "left").unwrap();
        remove(&path).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        // A file that is long, and takes no room.
        fs::create_dir_all(path.join("removing-0")).unwrap();
        fs::write(path.join("removing-0/run-7.tmp"), "left by the one before").unwrap();
        fs::File::create(path.join("run-0.tmp")).unwrap().set_len(LATER_MIN).unwrap();
        remove(&path).unwrap();
        assert!(!path.join("run-0.tmp").exists());
        fs::write(path.join("run-0.tmp"), "of this process").unwrap();
        let began = Instant::now();
        while fs::read_dir(&path).unwrap().count() > 1 {
            assert!(began.elapsed() < Duration::from_secs(20), "what was left is there yet");
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(fs::read(path.join("run-0.tmp")).unwrap(), b"of this process");
    }
}
