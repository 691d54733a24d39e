//! Why a backup was not made, read, or restored, sorted by what the operator can do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a backup was not made, read, or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Another command works with the backups.
    #[error("the backups in {0} are in use by another command; try again when it has ended")]
    InUse(PathBuf),
    /// The directory holds something else.
    #[error("{0} is not empty and holds no backups of rowhouse; choose another directory")]
    Foreign(PathBuf),
    /// The directory was written by a later version.
    #[error(
        "the backups in {} were written by a newer version of rowhouse: their mark is `{mark}`, and \
         this version, {version}, knows `{known}`",
        .directory.display(),
        version = env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The directory.
        directory: PathBuf,
        /// Its mark.
        mark: String,
        /// The mark of this version.
        known: &'static str,
    },
    /// There are no backups, or not this one.
    #[error("there is no backup {}in {}; `rowhouse backup DIR` makes one, `--list` tells which there are", of_number(*.number), .directory.display())]
    Missing {
        /// Where it was looked for.
        directory: PathBuf,
        /// Which; `None`: any.
        number: Option<u64>,
    },
    /// A file is not what was backed up.
    #[error("{} is damaged: {why}; other backups may be sound (`rowhouse backup DIR --list`)", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What does not hold.
        why: &'static str,
    },
    /// No space, or no quota, is left.
    #[error(
        "the disk is full: cannot write {}; nothing that is complete was changed ({source})",
        .file.display()
    )]
    DiskFull {
        /// What was being written.
        file: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The system says no.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn of_number(number: Option<u64>) -> String {
    number.map_or(String::new(), |number| format!("{number} "))
}

/// A system's error with the file it is about.
pub(super) fn of(file: &Path) -> impl Fn(io::Error) -> BackupError + '_ {
    |source| {
        let file = file.to_path_buf();
        match resources::disk_room::is_disk_full(&source) {
            true => BackupError::DiskFull { file, source },
            false => BackupError::Io { file, source },
        }
    }
}
