//! Ownership of files: they belong to the user who runs the program, and no other user may read
//! them.
//!
//! A data directory holds what the doors ask passwords for, so its files are 0600 and its
//! directories 0700, and so are backups. What is made is made so under the process's umask, the
//! store's files included; what was made otherwise before is closed when it is used.
//!
//! Not here: sockets that clients of other users connect to (`net::address`).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::Mode;

/// What others and the group might do.
const OTHERS: u32 = 0o077;

/// Makes every file that this process makes from now on its user's alone.
pub fn keep_files_private() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// Takes reading, writing and entering from all but the owner, for a directory and all below it.
/// What cannot be changed is told in the log, once: it may be somebody else's.
pub fn close_to_others(directory: &Path) {
    if let Err(error) = close(directory) {
        let directory = directory.display();
        tracing::warn!(%directory, %error, "the data may be readable by others");
    }
}

/// The first error, after everything that can be closed is.
fn close(path: &Path) -> io::Result<()> {
    let about = match fs::symlink_metadata(path) {
        // The store removes files at any time.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    if about.file_type().is_symlink() {
        return Ok(());
    }
    let mode = about.permissions().mode() & 0o7777;
    let mut outcome = Ok(());
    if mode & OTHERS != 0 {
        outcome = fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS));
    }
    if about.is_dir() {
        for entry in fs::read_dir(path)? {
            outcome = outcome.and(close(&entry?.path()));
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_could_read_is_closed_at_every_depth() {
        let base = tempfile::tempdir().unwrap();
        let (below, file) = (base.path().join("rows"), base.path().join("rows/1.sst"));
        fs::create_dir(&below).unwrap();
        fs::write(&file, "").unwrap();
        for (path, mode) in [(&file, 0o644), (&below, 0o755)] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        close(base.path()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&below), mode(base.path())), (0o600, 0o700, 0o700));
    }
}
