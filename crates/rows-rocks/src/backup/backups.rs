//! The directory of backups: adding, removing, verifying, and copying one back.
//!
//! Invariants
//! 1. A directory with a number for its name is a complete backup: it is written as `unfinished`,
//!    synced, and then renamed. It is renamed again before anything of it is removed.
//! 2. A writer holds the lock of `rowhouse-backups`; a reader of files shares it, and needs no
//!    right to write here.
//! 3. Complete backups are never written to.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::FlockOperation;

use super::Progress;
use super::error::{BackupError, of};
use super::files::{copy, end, is_immutable, sums, sync_directory};
use super::list::{Backup, Entry, LIST_FILE};
use crate::directory::make_directory;

const MARK: &str = "rowhouse-backups";
const MARK_TEXT: &str = "rowhouse backups\nversion 1\n";
const MARK_KIND: &str = "rowhouse backups\n";
const ROWS: &str = "rows";
const UNFINISHED: &str = "unfinished";
const REMOVING: &str = "removing-";
const SCRATCH: &str = "rowhouse-check-";

type Result<T> = std::result::Result<T, BackupError>;

/// Which files a backup may have in common with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Unchanged files with the backup before it and, on the same file system, with the store.
    Links,
    /// None: every file is copied.
    Nothing,
}

/// A file of a backup that is not what was backed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupDamage {
    /// The file.
    pub file: PathBuf,
    /// What does not hold.
    pub why: String,
}

/// A directory of backups.
#[derive(Debug)]
pub struct Backups {
    directory: PathBuf,
    /// Holds the lock while it is open.
    _lock: Option<File>,
}

impl Backups {
    /// To add backups; makes the directory if there is none.
    ///
    /// # Errors
    /// `Foreign`, `Newer`, `InUse`, and those of files.
    pub fn to_write(directory: &Path) -> Result<Backups> {
        // With its name on the disk: a backup that was reported is not to go with it.
        make_directory(directory).map_err(of(directory))?;
        let mark = directory.join(MARK);
        // In this order: another command may make the mark meanwhile.
        let is_empty = fs::read_dir(directory).map_err(of(directory))?.next().is_none();
        if !is_empty && !mark.exists() {
            return Err(BackupError::Foreign(directory.to_path_buf()));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut lock = options.open(&mark).map_err(of(&mark))?;
        take(&lock, FlockOperation::NonBlockingLockExclusive, directory)?;
        let mut text = String::new();
        lock.read_to_string(&mut text).map_err(of(&mark))?;
        known(&text, directory)?;
        if text != MARK_TEXT {
            let rest = &MARK_TEXT.as_bytes()[text.len()..];
            let written = lock.write_all(rest).and_then(|()| lock.sync_all());
            written.and_then(|()| sync_directory(directory)).map_err(of(&mark))?;
        }
        let backups = Backups { directory: directory.to_path_buf(), _lock: Some(lock) };
        backups.remove_leftovers()?;
        Ok(backups)
    }

    /// To read backups, whose files stay as long as this lives.
    ///
    /// # Errors
    /// `Missing`, `Newer`, `InUse`, and those of files.
    pub fn to_read(directory: &Path) -> Result<Backups> {
        let backups = Self::to_list(directory)?;
        let mark = directory.join(MARK);
        let lock = File::open(&mark).map_err(of(&mark))?;
        take(&lock, FlockOperation::NonBlockingLockShared, directory)?;
        Ok(Backups { _lock: Some(lock), ..backups })
    }

    /// To see which backups there are, whoever else works with them.
    ///
    /// # Errors
    /// `Missing`, `Newer`, and those of files.
    pub fn to_list(directory: &Path) -> Result<Backups> {
        let text = fs::read_to_string(directory.join(MARK));
        let missing = BackupError::Missing { directory: directory.to_path_buf(), number: None };
        known(&text.map_err(|_| missing)?, directory)?;
        Ok(Backups { directory: directory.to_path_buf(), _lock: None })
    }

    /// The numbers of the complete backups, ascending.
    ///
    /// # Errors
    /// Of the directory.
    pub fn numbers(&self) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(of(&self.directory))? {
            let name = entry.map_err(of(&self.directory))?.file_name();
            let number = name.to_str().and_then(|name| Some((name, name.parse::<u64>().ok()?)));
            numbers.extend(number.filter(|(name, n)| *name == n.to_string()).map(|(_, n)| n));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// A backup by its number; without one the latest.
    ///
    /// # Errors
    /// `Missing`, or `Damaged` when its list is.
    pub fn get(&self, number: Option<u64>) -> Result<Backup> {
        let numbers = self.numbers()?;
        let directory = self.directory.clone();
        let missing = BackupError::Missing { directory, number };
        let found = match number {
            Some(number) => numbers.into_iter().find(|known| *known == number),
            None => numbers.last().copied(),
        };
        let found = found.ok_or(missing)?;
        let file = self.path(found).join(LIST_FILE);
        let text = fs::read(&file).map_err(of(&file))?;
        let backup = std::str::from_utf8(&text).ok().and_then(Backup::read);
        let backup = backup.filter(|backup| backup.number == found);
        backup.ok_or(BackupError::Damaged { file, why: "its own checksum does not hold" })
    }

    /// Adds a backup of a directory that nobody changes meanwhile: a checkpoint.
    ///
    /// # Errors
    /// `DiskFull` and other errors of files; earlier backups are as they were.
    pub fn add(&self, store: &Path, sharing: Sharing, tell: &mut Progress) -> Result<Backup> {
        let unfinished = self.directory.join(UNFINISHED);
        let added = self.write(store, sharing, &unfinished, tell);
        if added.is_err() {
            // What stays is removed by the next backup.
            let _ = fs::remove_dir_all(&unfinished);
        }
        added
    }

    fn write(
        &self,
        store: &Path,
        sharing: Sharing,
        unfinished: &Path,
        tell: &mut Progress,
    ) -> Result<Backup> {
        let before = match sharing {
            // One whose list is damaged has nothing to share.
            Sharing::Links => self.get(None).ok(),
            Sharing::Nothing => None,
        };
        let number = self.numbers()?.last().map_or(1, |last| last + 1);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut backup = Backup { number, time, new_bytes: 0, files: Vec::new() };
        let rows = unfinished.join(ROWS);
        fs::create_dir_all(&rows).map_err(of(&rows))?;
        let files = files_of(store)?;
        let total = files.iter().map(|(_, bytes)| bytes).sum();
        let mut done = 0;
        for (name, bytes) in files {
            let (from, to) = (store.join(&name), rows.join(&name));
            let shared = before.as_ref().and_then(|before| {
                let known = self.known_file(before, &from, &name, bytes)?;
                let place = self.path(before.number).join(ROWS).join(&name);
                fs::hard_link(place, &to).ok().map(|()| known)
            });
            if let Some(sums) = shared {
                done += bytes;
                tell(done, total);
                backup.files.push(Entry { name, sums });
                continue;
            }
            let mut each = |piece| {
                done += piece;
                tell(done, total);
            };
            let linked = sharing == Sharing::Links
                && is_immutable(&name)
                && fs::hard_link(&from, &to).is_ok();
            let sums = match linked {
                true => sums(&from, &mut each).map_err(of(&from))?,
                false => copy(&from, &to, &mut each).map_err(of(&to))?,
            };
            backup.new_bytes += sums.bytes;
            backup.files.push(Entry { name, sums });
        }
        sync_directory(&rows).map_err(of(&rows))?;
        self.finish(&backup, unfinished)?;
        Ok(backup)
    }

    /// What an earlier backup's list says of a file, if that is the same file.
    fn known_file(
        &self,
        before: &Backup,
        from: &Path,
        name: &str,
        bytes: u64,
    ) -> Option<super::files::Sums> {
        let known = before.files.iter().find(|file| file.name == name)?.sums;
        let place = self.path(before.number).join(ROWS).join(name);
        let is_there = fs::metadata(place).is_ok_and(|there| there.len() == bytes);
        let same = is_immutable(name)
            && is_there
            && known.bytes == bytes
            && end(from, bytes).is_ok_and(|end| end == known.end);
        same.then_some(known)
    }

    fn finish(&self, backup: &Backup, unfinished: &Path) -> Result<()> {
        let list = unfinished.join(LIST_FILE);
        let write = || {
            let mut file = File::create_new(&list)?;
            file.write_all(backup.text().as_bytes())?;
            file.sync_all()?;
            sync_directory(unfinished)?;
            fs::rename(unfinished, self.path(backup.number))?;
            sync_directory(&self.directory)
        };
        write().map_err(of(&list))
    }

    /// Removes what is older than the latest `count` backups whose lists are sound, at least one;
    /// gives the numbers of those removed.
    ///
    /// # Errors
    /// Of files. What could not be removed is no backup any more, or still a whole one.
    pub fn keep(&self, count: usize) -> Result<Vec<u64>> {
        let mut leaving = self.numbers()?;
        let mut sound = 0;
        while let Some(number) = leaving.pop() {
            // One that cannot be restored takes no other's place.
            sound += usize::from(self.get(Some(number)).is_ok());
            if sound == count.max(1) {
                break;
            }
        }
        for number in &leaving {
            let removing = self.directory.join(format!("{REMOVING}{number}"));
            fs::rename(self.path(*number), &removing).map_err(of(&removing))?;
            sync_directory(&self.directory).map_err(of(&self.directory))?;
            fs::remove_dir_all(&removing).map_err(of(&removing))?;
        }
        Ok(leaving)
    }

    /// Reads every file of a backup and compares it with the list.
    ///
    /// # Errors
    /// Of the directory; a file that cannot be read is a damage.
    pub fn verify(&self, backup: &Backup, tell: &mut Progress) -> Result<Vec<BackupDamage>> {
        let rows = self.path(backup.number).join(ROWS);
        let (mut done, total) = (0, backup.bytes());
        let mut damages = Vec::new();
        for Entry { name, sums: known } in &backup.files {
            let file = rows.join(name);
            let mut each = |piece| {
                done += piece;
                tell(done, total);
            };
            let why = match sums(&file, &mut each) {
                Err(error) => error.to_string(),
                Ok(found) if found == *known => continue,
                Ok(found) if found.bytes != known.bytes => {
                    format!("{} bytes long instead of {}", found.bytes, known.bytes)
                }
                Ok(_) => "its bytes have changed".to_owned(),
            };
            damages.push(BackupDamage { file, why });
        }
        for (name, _) in files_of(&rows)? {
            if !backup.files.iter().any(|file| file.name == name) {
                let why = "not a file of the backup".to_owned();
                damages.push(BackupDamage { file: rows.join(name), why });
            }
        }
        Ok(damages)
    }

    /// Copies a backup's files into a new directory, synced, and compares them with the list.
    ///
    /// # Errors
    /// `Damaged` with the first file that is not what was backed up; `DiskFull`, and others of
    /// files. The directory is then incomplete.
    pub fn restore(&self, backup: &Backup, to: &Path, tell: &mut Progress) -> Result<()> {
        fs::create_dir(to).map_err(of(to))?;
        let rows = self.path(backup.number).join(ROWS);
        let (mut done, total) = (0, backup.bytes());
        for Entry { name, sums: known } in &backup.files {
            let (file, place) = (rows.join(name), to.join(name));
            if !file.is_file() {
                return Err(BackupError::Damaged { file, why: "it is missing" });
            }
            let mut each = |piece| {
                done += piece;
                tell(done, total);
            };
            let copied = copy(&file, &place, &mut each).map_err(of(&place))?;
            if copied != *known {
                return Err(BackupError::Damaged { file, why: "its bytes have changed" });
            }
        }
        sync_directory(to).map_err(of(to))
    }

    /// Calls `look` with a directory that can be opened as a store and is thrown away afterwards.
    /// It lies among the system's temporary files, since nobody may write where backups are kept:
    /// data files are symbolic links to those of the backup, the others, which are small, copies.
    ///
    /// # Errors
    /// Of files.
    pub fn with_scratch<T>(&self, backup: &Backup, look: impl FnOnce(&Path) -> T) -> Result<T> {
        let rows = self.path(backup.number).join(ROWS);
        let rows = std::path::absolute(&rows).map_err(of(&rows))?;
        let temporary = std::env::temp_dir();
        let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&temporary);
        let scratch = scratch.map_err(of(&temporary))?;
        for Entry { name, .. } in &backup.files {
            let (file, place) = (rows.join(name), scratch.path().join(name));
            match is_immutable(name) {
                true => symlink(&file, &place).map_err(of(&place))?,
                false => _ = copy(&file, &place, &mut |_| {}).map_err(of(&place))?,
            }
        }
        let seen = look(scratch.path());
        scratch.close().map_err(of(&temporary))?;
        Ok(seen)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.directory.join(number.to_string())
    }

    /// Removes what an interrupted command left.
    fn remove_leftovers(&self) -> Result<()> {
        for entry in fs::read_dir(&self.directory).map_err(of(&self.directory))? {
            let entry = entry.map_err(of(&self.directory))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == UNFINISHED || name.starts_with(REMOVING) {
                fs::remove_dir_all(entry.path()).map_err(of(&entry.path()))?;
            }
        }
        Ok(())
    }
}

fn take(lock: &File, how: FlockOperation, directory: &Path) -> Result<()> {
    rustix::fs::flock(lock, how).map_err(|_| BackupError::InUse(directory.to_path_buf()))
}

/// Refuses the mark of something else. One that a crash cut short is ours.
fn known(mark: &str, directory: &Path) -> Result<()> {
    if MARK_TEXT.starts_with(mark) {
        return Ok(());
    }
    match mark.starts_with(MARK_KIND) {
        true => Err(BackupError::Newer {
            directory: directory.to_path_buf(),
            mark: mark.lines().next().unwrap_or_default().to_owned(),
            known: MARK_TEXT.trim_end(),
        }),
        false => Err(BackupError::Foreign(directory.to_path_buf())),
    }
}

/// Names and sizes of a directory's files, in order.
fn files_of(directory: &Path) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(of(directory))? {
        let entry = entry.map_err(of(directory))?;
        let metadata = entry.metadata().map_err(of(&entry.path()))?;
        if metadata.is_file() {
            files.push((entry.file_name().to_string_lossy().into_owned(), metadata.len()));
        }
    }
    files.sort();
    Ok(files)
}
