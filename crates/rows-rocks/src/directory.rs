//! Making directories that a power cut does not take away again.
//!
//! A directory's name is in the one above it, and is durable only when that one was synced.
//! Otherwise a cut could take away the whole store with everything in it that was synced.
//!
//! Not here: files in them (`format::write_synced`); RocksDB syncs its own.

use std::fs::{self, File};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Makes a directory and those above it that are missing, and syncs their names. One that is
/// there already is left as it is.
///
/// # Errors
/// Those of the file system.
pub fn make_directory(directory: &Path) -> Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let above = match directory.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    make_directory(above)?;
    match fs::create_dir(directory) {
        // Somebody else was quicker; the sync below is for both.
        Err(_) if directory.is_dir() => {}
        made => made?,
    }
    match File::open(above) {
        // A user who may add to a directory may not always read it; then its name cannot be synced.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        opened => opened?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_levels_are_made_at_once_and_a_file_in_the_way_is_an_error() {
        let base = tempfile::tempdir().unwrap();
        let deep = base.path().join("a/b/c");
        make_directory(&deep).unwrap();
        make_directory(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(deep.join("file"), b"").unwrap();
        assert!(make_directory(&deep.join("file/d")).is_err());
    }
}
