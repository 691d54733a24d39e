//! Names with wildcards: `flights/2024-*.parquet` is every such file of a folder.
//!
//! `*` stands for any number of characters of one name and `?` for one; neither matches the point
//! that a hidden name begins with, nor a `/`.
//!
//! Invariants
//! 1. What is found is opened the way any other file is, from the folder downwards: a name that was
//!    listed and has become a link since leads nowhere else.
//! 2. Files come in the order of their names.
//!
//! Not here: what is in them (`file_table`).

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, OFlags};
use rustix::io::Errno;
use values::ErrorCode;

use super::{Folder, Folders, beneath, refused, regular_file, unopened};
use results::{Result, SqlError};

/// The most files that one pattern may name: each is kept open while its statement runs.
const FILES_MAX: usize = 1000;

impl Folders {
    /// The files that a path names, which may have wildcards, each with the name to show for it.
    ///
    /// # Errors
    /// As `read`; 13 when a pattern names no file.
    pub fn matching(&self, pattern: &str) -> Result<Vec<(String, File)>> {
        if !is_pattern(pattern.as_bytes()) {
            return Ok(vec![(pattern.to_owned(), self.read(pattern)?)]);
        }
        let (folder, below) = self.place(pattern)?;
        let mut parts = Vec::new();
        for component in below.components() {
            match component {
                Component::Normal(name) => parts.push(name.as_bytes()),
                Component::CurDir => {}
                _ => return Err(refused()),
            }
        }
        let mut found = Vec::new();
        folder.walk(PathBuf::new(), &parts, pattern, &mut found)?;
        found.sort();
        let root = if Path::new(pattern).is_absolute() { &folder.path } else { Path::new("") };
        let mut files = Vec::with_capacity(found.len());
        for path in found {
            let shown = root.join(&path).display().to_string();
            let opened = match folder.open(&path) {
                Ok(opened) => opened,
                // Only some of the folders that match have what the rest of the pattern names.
                Err(Errno::NOENT | Errno::NOTDIR) => continue,
                Err(error) => return Err(unopened(&shown, error)),
            };
            // A folder whose name matches is passed over.
            if let Some(file) = regular_file(opened, &shown)? {
                files.push((shown, file));
            }
        }
        match files.is_empty() {
            true => Err(unopened(pattern, Errno::NOENT)),
            false => Ok(files),
        }
    }
}

impl Folder {
    /// Notes every path at `at` whose next names match `parts`.
    fn walk(
        &self,
        at: PathBuf,
        parts: &[&[u8]],
        pattern: &str,
        found: &mut Vec<PathBuf>,
    ) -> Result<()> {
        let Some((first, rest)) = parts.split_first() else {
            if found.len() == FILES_MAX {
                let message = format!("More than {FILES_MAX} files match '{pattern}'");
                return Err(SqlError::new(ErrorCode::StackOverrun, message));
            }
            found.push(at);
            return Ok(());
        };
        if !is_pattern(first) {
            return self.walk(at.join(std::ffi::OsStr::from_bytes(first)), rest, pattern, found);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = match beneath(&self.directory, &at, flags) {
            Ok(directory) => directory,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            Err(error) => return Err(unopened(pattern, error)),
        };
        let unlisted = |error| unopened(pattern, error);
        for entry in Dir::new(directory).map_err(unlisted)? {
            let entry = entry.map_err(unlisted)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && matches(first, name) {
                let path = at.join(std::ffi::OsStr::from_bytes(name));
                self.walk(path, rest, pattern, found)?;
            }
        }
        Ok(())
    }
}

fn is_pattern(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'*' | b'?'))
}

/// Whether a name matches a pattern. On a mismatch the last `*` takes one byte more, so that the
/// time is at most the product of both lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                n += 1;
                // A character may have more bytes than one.
                while name.get(n).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    n += 1;
                }
                p += 1;
            }
            Some(byte) if *byte == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn wildcards_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", false),
            (".*", ".csv", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("?.csv", "é.csv", true),
            ("?", "ab", false),
            ("*", "", true),
            ("a", "a", true),
            ("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_names_the_files_of_folders_in_order_and_none_outside() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("folder");
        for name in ["a/2.csv", "a/1.csv", "b/3.csv", "b/.hidden.csv", "b/4.txt", "c/d.csv/x"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let folders = Folders::open(std::slice::from_ref(&folder)).unwrap();
        let names = |pattern: &str| -> std::result::Result<Vec<String>, u16> {
            let found = folders.matching(pattern).map_err(|error| error.code().number())?;
            Ok(found.into_iter().map(|(name, _)| name).collect())
        };
        let all = ["a/1.csv", "a/2.csv", "b/3.csv"].map(str::to_owned).to_vec();
        assert_eq!(names("*/*.csv"), Ok(all));
        assert_eq!(names("?/3.csv"), Ok(vec!["b/3.csv".to_owned()]));
        let absolute = format!("{}/b/*.txt", folder.display());
        assert_eq!(names(&absolute), Ok(vec![format!("{}/b/4.txt", folder.display())]));
        assert_eq!(names("*.csv"), Err(13));
        assert_eq!(names("a/*.parquet"), Err(13));
        assert_eq!(names("../*"), Err(1290));
        assert_eq!(names("/etc/*"), Err(1290));
        fs::write(outside.path().join("secret.csv"), "s").unwrap();
        symlink("../secret.csv", folder.join("up.csv")).unwrap();
        assert_eq!(names("*.csv"), Err(1290));
        symlink("..", folder.join("e")).unwrap();
        assert_eq!(names("e/*.csv"), Err(1290));
    }
}
