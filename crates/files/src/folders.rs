//! Files of the server that SQL may read and make: those in the folders of the setting `files`.
//!
//! ```text
//! '/srv/exchange/a/b.csv'  below the folder /srv/exchange: a/b.csv
//! 'b.csv'                  below the first folder
//! ```
//! The kernel resolves what follows the folder and refuses to leave it (`openat2` with
//! `RESOLVE_BENEATH`), whatever `..` and symbolic links say and whoever moves them meanwhile.
//!
//! Invariants
//! 1. Nothing outside of the folders is opened or made.
//! 2. A file that is made appears with all of its bytes, synced, or not at all; one that is there
//!    is never touched.
//!
//! Not here: what is in files (`load`, `session::outfile`, `file_table`), names with wildcards
//! (`matching`).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use values::ErrorCode;

use results::{Result, SqlError};

mod matching;

/// A file that was made may be read by its owner and group, as in MySQL.
const MODE: Mode = Mode::from_bits_retain(0o640);

/// The folders.
#[derive(Debug, Default)]
pub struct Folders {
    list: Vec<Folder>,
}

#[derive(Debug)]
struct Folder {
    /// As the setting names it, made absolute.
    path: PathBuf,
    /// Without links.
    real: PathBuf,
    directory: OwnedFd,
}

/// A file that is being made.
pub struct NewFile {
    file: File,
    directory: OwnedFd,
    name: PathBuf,
    /// Its name until it is complete, where files without one cannot be made.
    temporary: Option<PathBuf>,
    /// As the statement names it.
    shown: String,
}

impl Folders {
    /// Opens the folders.
    ///
    /// # Errors
    /// When one of them is not there, or cannot be opened.
    pub fn open(paths: &[PathBuf]) -> io::Result<Folders> {
        let mut list = Vec::with_capacity(paths.len());
        for path in paths {
            let path = std::path::absolute(path)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let directory = rustix::fs::open(&path, flags, Mode::empty())?;
            list.push(Folder { real: path.canonicalize()?, path, directory });
        }
        Ok(Folders { list })
    }

    /// What `@@secure_file_priv` shows.
    pub fn shown(&self) -> String {
        let folders = self.list.iter().map(|folder| format!("{}/", folder.path.display()));
        match folders.collect::<Vec<_>>().join(":") {
            none if none.is_empty() => "NULL".to_string(),
            some => some,
        }
    }

    /// The folder that a path is in, and the path below it.
    fn place<'p>(&self, path: &'p str) -> Result<(&Folder, &'p Path)> {
        let path_given = Path::new(path);
        let place = if path_given.is_absolute() {
            self.list.iter().find_map(|folder| {
                let below = path_given.strip_prefix(&folder.path);
                let below = below.or_else(|_| path_given.strip_prefix(&folder.real));
                below.ok().map(|below| (folder, below))
            })
        } else {
            self.list.first().map(|folder| (folder, path_given))
        };
        place.filter(|_| !path.contains('\0')).ok_or_else(refused)
    }

    /// A file to read.
    ///
    /// # Errors
    /// 1290 for a path that leaves the folders; 13 when there is none; 1085 when it is no file,
    /// or may not be read.
    pub fn read(&self, path: &str) -> Result<File> {
        let (folder, below) = self.place(path)?;
        let opened = folder.open(below).map_err(|error| unopened(path, error))?;
        regular_file(opened, path)?.ok_or_else(|| unreadable(path))
    }

    /// A file to write, which is not there yet.
    ///
    /// # Errors
    /// 1290 for a path that leaves the folders; 1086 when there is something of its name; 1 when
    /// it cannot be made.
    pub fn create(&self, path: &str) -> Result<NewFile> {
        let (folder, below) = self.place(path)?;
        let Some(Component::Normal(name)) = below.components().next_back() else {
            return Err(refused());
        };
        let parent = match below.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let unmade = |error| match error {
            Errno::XDEV | Errno::LOOP => refused(),
            Errno::EXIST => exists(path),
            error => SqlError::new(
                ErrorCode::CantCreateFile,
                format!("Can't create/write to file '{path}' {}", code(error)),
            ),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = beneath(&folder.directory, parent, flags).map_err(unmade)?;
        // Found out now, not when the query has run; `finish` sees to it that it is still so.
        if rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(exists(path));
        }
        let (file, temporary) = nameless(&directory).map_err(unmade)?;
        let (name, shown) = (PathBuf::from(name), path.to_string());
        let file = NewFile { file: File::from(file), directory, name, temporary, shown };
        // The server's own files are closed to others by its umask; these are for others.
        rustix::fs::fchmod(&file.file, MODE).map_err(unmade)?;
        Ok(file)
    }
}

impl Folder {
    /// Opens what `below` names.
    fn open(&self, below: &Path) -> rustix::io::Result<OwnedFd> {
        // A pipe would keep its reader waiting.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        beneath(&self.directory, below, flags)
    }
}

impl NewFile {
    /// Writes to it.
    ///
    /// # Errors
    /// 1026, as for a full disk.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| unwritten(&self.shown, error.raw_os_error()))
    }

    /// It is complete: lets it appear.
    ///
    /// # Errors
    /// 1026 when it cannot be synced; 1086 when something of its name has come meanwhile.
    pub fn finish(self) -> Result<()> {
        let failed = |error: Errno| unwritten(&self.shown, Some(error.raw_os_error()));
        rustix::fs::fsync(&self.file).map_err(failed)?;
        let linked = match &self.temporary {
            None => {
                use std::os::fd::AsRawFd;
                let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                rustix::fs::linkat(CWD, own, &self.directory, &self.name, AtFlags::SYMLINK_FOLLOW)
            }
            Some(temporary) => {
                let directory = &self.directory;
                rustix::fs::linkat(directory, temporary, directory, &self.name, AtFlags::empty())
            }
        };
        linked.map_err(|error| match error {
            Errno::EXIST => exists(&self.shown),
            error => failed(error),
        })?;
        rustix::fs::fsync(&self.directory).map_err(|error| {
            // It would be there, though its query is told that it was not made.
            match rustix::fs::unlinkat(&self.directory, &self.name, AtFlags::empty()) {
                Ok(()) => failed(error),
                Err(_) => failed(error).and("it is there all the same"),
            }
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // What stays has no meaning to anybody, and a name that says so.
            let _ = rustix::fs::unlinkat(&self.directory, temporary, AtFlags::empty());
        }
    }
}

fn beneath(directory: &OwnedFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    loop {
        match rustix::fs::openat2(directory, path, flags, Mode::empty(), resolve) {
            // Something was moved while the path was resolved.
            Err(Errno::AGAIN | Errno::INTR) => {}
            opened => return opened,
        }
    }
}

/// A file that nobody sees: without a name, or where the file system has none such, under one
/// that nobody asks for.
fn nameless(directory: impl AsFd) -> rustix::io::Result<(OwnedFd, Option<PathBuf>)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::openat(&directory, ".", flags | OFlags::TMPFILE, MODE) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {}
        opened => return opened.map(|file| (file, None)),
    }
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let name = PathBuf::from(format!(".rowhouse-unfinished-{process}-{number}"));
    let file = rustix::fs::openat(&directory, &name, flags | OFlags::CREATE | OFlags::EXCL, MODE)?;
    Ok((file, Some(name)))
}

/// MySQL's words for an error of the system: `(Errcode: 2 "No such file or directory")`.
fn code(error: Errno) -> String {
    format!("(Errcode: {} \"{}\")", error.raw_os_error(), words(error.raw_os_error()))
}

fn words(number: i32) -> String {
    let text = io::Error::from_raw_os_error(number).to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}

fn refused() -> SqlError {
    SqlError::new(
        ErrorCode::OptionPreventsStatement,
        "The MySQL server is running with the --secure-file-priv option so it cannot execute this \
         statement (files of the server are in the folders that the setting 'files' names)",
    )
}

/// `None` when it is no regular file. Errors call it `path`.
fn regular_file(opened: OwnedFd, path: &str) -> Result<Option<File>> {
    let stat = rustix::fs::fstat(&opened).map_err(|_| unreadable(path))?;
    let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_regular.then(|| File::from(opened)))
}

fn unopened(path: &str, error: Errno) -> SqlError {
    match error {
        Errno::XDEV | Errno::LOOP => refused(),
        Errno::ACCESS | Errno::PERM => unreadable(path),
        error => SqlError::new(
            ErrorCode::CantStat,
            format!("Can't get stat of '{path}' {}", code(error)),
        ),
    }
}

fn exists(path: &str) -> SqlError {
    SqlError::new(ErrorCode::FileExists, format!("File '{path}' already exists"))
}

fn unreadable(path: &str) -> SqlError {
    let message =
        format!("The file '{path}' must be in the database directory or be readable by all");
    SqlError::new(ErrorCode::TextfileNotReadable, message)
}

fn unwritten(path: &str, number: Option<i32>) -> SqlError {
    let number = number.unwrap_or(0);
    let why = words(number);
    SqlError::new(
        ErrorCode::ErrorOnWrite,
        format!("Error writing file '{path}' (errno: {number} \"{why}\")"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn number(result: Result<impl Sized>) -> u16 {
        result.map(drop).expect_err("refused").code().number()
    }

    #[test]
    fn nothing_leads_out_of_the_folders() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        let folder = outside.path().join("folder");
        fs::create_dir_all(folder.join("in")).unwrap();
        fs::write(folder.join("in/a"), "a").unwrap();
        symlink("../secret", folder.join("up")).unwrap();
        symlink(outside.path().join("secret"), folder.join("absolute")).unwrap();
        symlink("..", folder.join("dir")).unwrap();
        symlink("/proc/self/root/etc", folder.join("magic")).unwrap();
        symlink("in/a", folder.join("inside")).unwrap();
        let folders = Folders::open(std::slice::from_ref(&folder)).unwrap();
        let root = folder.display();
        for path in [
            "../secret",
            "up",
            "absolute",
            "dir/secret",
            "in/../../secret",
            "magic/passwd",
            "/etc/passwd",
            "in/a\0",
        ] {
            assert_eq!(number(folders.read(path)), 1290, "{path:?}");
        }
        for path in ["../new", "dir/new", "magic/new", "/tmp/new", "", ".", "in/.."] {
            assert_eq!(number(folders.create(path)), 1290, "{path:?}");
        }
        // A name that only begins alike is another folder.
        assert_eq!(number(folders.read(&format!("{root}2/a"))), 1290);
        for path in ["in/a", "inside", "in/../in/a", &format!("{root}/in/a")] {
            let mut text = String::new();
            folders.read(path).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "a", "{path}");
        }
        assert_eq!(number(folders.read("none")), 13);
        assert_eq!(number(folders.read("in")), 1085);
        assert!(!outside.path().join("new").exists());
        assert_eq!(number(Folders::default().read("a")), 1290);
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all_and_never_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::open(&[folder.path().to_path_buf()]).unwrap();
        let listed = || fs::read_dir(folder.path()).unwrap().count();
        let mut file = folders.create("a").unwrap();
        file.write(b"half").unwrap();
        assert_eq!(listed(), 0);
        drop(file);
        assert_eq!(listed(), 0);
        let mut first = folders.create("a").unwrap();
        let mut second = folders.create("a").unwrap();
        first.write(b"first").unwrap();
        second.write(b"second").unwrap();
        first.finish().unwrap();
        assert_eq!(number(second.finish()), 1086);
        assert_eq!(number(folders.create("a")), 1086);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"first");
        let mode = fs::metadata(folder.path().join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        symlink("nowhere", folder.path().join("link")).unwrap();
        assert_eq!(number(folders.create("link")), 1086);
        assert_eq!(number(folders.create("none/a")), 1);
        assert_eq!(listed(), 2);
    }

    #[test]
    fn a_full_disk_is_told_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::open(&[folder.path().to_path_buf()]).unwrap();
        let mut file = folders.create("a").unwrap();
        file.file = File::options().write(true).open("/dev/full").unwrap();
        let error = file.write(b"bytes").unwrap_err();
        assert_eq!(error.code().number(), 1026);
        let told = "Error writing file 'a' (errno: 28 \"No space left on device\")";
        assert_eq!(error.message(), told);
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_whose_name_could_not_be_synced_stayed_though_the_query_had_failed() {
        let place = tempfile::tempdir().unwrap();
        let folders = Folders::open(&[place.path().to_path_buf()]).unwrap();
        let mut file = folders.create("a").unwrap();
        file.write(b"all").unwrap();
        // What is opened like this names a folder, and cannot be synced.
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        file.directory = rustix::fs::open(place.path(), flags, Mode::empty()).unwrap();
        let error = file.finish().unwrap_err();
        assert_eq!(
            (error.code().number(), error.message().contains("there all the same")),
            (1026, false)
        );
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        // A query that comes again makes it.
        let mut file = folders.create("a").unwrap();
        file.write(b"again").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(place.path().join("a")).unwrap(), b"again");
    }

    #[test]
    fn a_file_with_a_temporary_name_is_treated_alike() {
        let folder = tempfile::tempdir().unwrap();
        let directory = || {
            rustix::fs::open(folder.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
                .unwrap()
        };
        let named = |name: &str| {
            let directory = directory();
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let file = rustix::fs::openat(&directory, "temporary", flags, MODE).unwrap();
            let (name, shown) = (PathBuf::from(name), name.to_string());
            NewFile {
                file: file.into(),
                directory,
                name,
                temporary: Some("temporary".into()),
                shown,
            }
        };
        let listed = || fs::read_dir(folder.path()).unwrap().count();
        drop(named("a"));
        assert_eq!(listed(), 0);
        let mut file = named("a");
        file.write(b"all").unwrap();
        file.finish().unwrap();
        assert_eq!(listed(), 1);
        assert_eq!(number(named("a").finish()), 1086);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"all");
        assert_eq!(listed(), 1);
    }
}
