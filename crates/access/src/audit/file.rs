//! The audit log's file, as its thread writes it.
//!
//! ```text
//! audit.log      is written
//! audit.log.1    was written before, and is full
//! audit.log.2    before that one, and so on; the oldest is removed
//! ```
//!
//! Invariants
//! 1. The file ends with a whole line: what a full disk took half of is cut off again, and what a
//!    crash left of a line is ended before the next one.
//! 2. It is its owner's alone (mode 0600).
//!
//! Not here: when it is written (`log`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Where lines are kept, and how many.
#[derive(Clone, Debug)]
pub struct AuditFileOptions {
    /// The file.
    pub path: PathBuf,
    /// Bytes at which another one is begun.
    pub bytes_max: u64,
    /// How many full ones are kept.
    pub kept: usize,
}

/// The file that is written.
pub(super) struct AuditFile {
    options: AuditFileOptions,
    file: Option<File>,
    bytes: u64,
    is_synced: bool,
}

impl AuditFile {
    /// One that is opened when there is something to write.
    pub(super) fn new(options: AuditFileOptions) -> AuditFile {
        AuditFile { options, file: None, bytes: 0, is_synced: true }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.options.path
    }

    /// Opens it, at whose end is written.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn open(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).append(true).read(true).mode(0o600).open(&self.options.path)?;
        // A device or a pipe is nobody's own, and has no size.
        self.bytes = 0;
        if file.metadata()?.is_file() {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
            self.bytes = file.seek(SeekFrom::End(0))?;
        }
        if self.bytes > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != [b'\n'] {
                file.write_all(b"\n")?;
                self.bytes += 1;
            }
        }
        self.file = Some(file);
        Ok(())
    }

    /// Appends as many whole lines as one file takes, at least one; says how many bytes these are.
    ///
    /// # Errors
    /// Those of the file system. None of the lines is written then; the file is closed, and opened
    /// again for the next ones.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.open()?;
        let mut count = self.fitting(lines);
        if count == 0 && self.bytes > 0 {
            self.turn_over()?;
            self.open()?;
            count = self.fitting(lines);
        }
        if count == 0 {
            count = memchr::memchr(b'\n', lines).map_or(lines.len(), |end| end + 1);
        }
        let lines = &lines[..count];
        let Some(file) = &mut self.file else { return Err(io::Error::other("no file")) };
        self.is_synced = false;
        match file.write_all(lines) {
            Ok(()) => {
                self.bytes += lines.len() as u64;
                Ok(count)
            }
            Err(error) => {
                // Cutting needs no space.
                let _ = file.set_len(self.bytes);
                self.file = None;
                Err(error)
            }
        }
    }

    /// Bytes of the whole lines in front that the file has room for.
    fn fitting(&self, lines: &[u8]) -> usize {
        let room = self.options.bytes_max.saturating_sub(self.bytes);
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(lines.len());
        memchr::memrchr(b'\n', &lines[..room]).map_or(0, |end| end + 1)
    }

    /// Has the disk keep what was written.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| !self.is_synced) {
            file.sync_data()?;
        }
        self.is_synced = true;
        Ok(())
    }

    /// Whether nothing has to be synced.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Closes it; it may have been moved away.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.sync()?;
        self.file = None;
        Ok(())
    }

    /// The name of a full file.
    fn full(&self, number: usize) -> PathBuf {
        let mut name = self.options.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }

    /// Moves the full files on by one, this one among them.
    fn turn_over(&mut self) -> io::Result<()> {
        self.close()?;
        if self.options.kept == 0 {
            return fs::remove_file(&self.options.path);
        }
        for number in (1..self.options.kept).rev() {
            match fs::rename(self.full(number), self.full(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.options.path, self.full(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_files_are_kept_up_to_their_number_and_a_half_line_is_ended() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit.log");
        fs::write(&path, "half").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let options = AuditFileOptions { path: path.clone(), bytes_max: 12, kept: 2 };
        let mut file = AuditFile::new(options);
        let lines: String = (0..6).map(|number| format!("line {number}\n")).collect();
        let mut left = lines.as_bytes();
        while !left.is_empty() {
            left = &left[file.append(left).unwrap()..];
        }
        file.sync().unwrap();
        let text = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(
            [text("audit.log"), text("audit.log.1"), text("audit.log.2")],
            ["line 5\n", "line 4\n", "line 3\n"]
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let half = directory.path().join("half.log");
        fs::write(&half, "ha").unwrap();
        let options = AuditFileOptions { path: half, bytes_max: 100, kept: 0 };
        let mut file = AuditFile::new(options);
        file.append(b"line\n").unwrap();
        assert_eq!(text("half.log"), "ha\nline\n");
    }
}
