//! The file layer from the test's side: compiled, put beneath a command, asked and told.
//!
//! `layer.c` is compiled once for each `Layer` with the machine's `cc`; the page that both sides
//! share is an ordinary file, of which this side reads and writes numbers of 8 bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOURCE: &str = include_str!("layer.c");
const CONTROL_BYTES: u64 = 4096;

const POSITION: u64 = 0;
const FAULT: u64 = 8;
const FAULTS: u64 = 16;
const SYNC_MICROS: u64 = 24;
const TICK_MICROS: u64 = 32;
const PASSES: u64 = 40;
const NAMES: u64 = 48;
const NAMES_BYTES: usize = 64;
const USED_PERMILLE: u64 = NAMES + NAMES_BYTES as u64;

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Fault {
    /// Nothing.
    None = 0,
    /// Writes and new files: ENOSPC.
    NoSpace = 1,
    /// Writes: EIO.
    Write = 2,
    /// Syncs: EIO.
    Sync = 3,
    /// New files: ENOSPC, as on a disk that has no inodes left.
    NewFile = 4,
    /// Syncs: they do not come back until this is over.
    SyncHangs = 5,
    /// Further names for a file: they do not come back until this is over.
    LinkHangs = 6,
}

/// A layer for one directory.
pub struct Layer {
    library: PathBuf,
    root: PathBuf,
    control_path: PathBuf,
    control: File,
    journal: Option<PathBuf>,
}

impl Layer {
    /// Compiles the layer for the directory `root`; its own files lie in `beside`, elsewhere.
    ///
    /// # Errors
    /// No `cc`, or no place for the files.
    pub fn new(root: &Path, beside: &Path) -> Result<Layer> {
        fs::create_dir_all(beside)?;
        let (source, library) = (beside.join("layer.c"), beside.join("layer.so"));
        fs::write(&source, SOURCE)?;
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(&source);
        if !compile.args(["-lpthread", "-ldl"]).status()?.success() {
            return Err(Error::other("the file layer does not compile"));
        }
        let control_path = beside.join("control");
        let mut options = OpenOptions::new();
        let control = options.read(true).write(true).create(true).truncate(true);
        let control = control.open(&control_path)?;
        control.set_len(CONTROL_BYTES)?;
        let root = root.to_owned();
        Ok(Layer { library, root, control_path, control, journal: None })
    }

    /// Keeps a journal, too. A sync takes up to `sync`, so that there are cuts while it lasts.
    ///
    /// # Errors
    /// Those of writing the control page.
    pub fn recording(mut self, sync: Duration, tick: Duration) -> Result<Layer> {
        self.journal = Some(self.control_path.with_file_name("journal"));
        self.put(SYNC_MICROS, sync.as_micros() as u64)?;
        self.put(TICK_MICROS, tick.as_micros() as u64)?;
        Ok(self)
    }

    /// Puts the layer beneath a process that is about to be started.
    pub fn beneath(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FILE_LAYER_ROOT", &self.root)
            .env("FILE_LAYER_CONTROL", &self.control_path);
        if let Some(journal) = &self.journal {
            command.env("FILE_LAYER_JOURNAL", journal);
        }
    }

    /// The journal's file, if one is kept.
    pub fn journal(&self) -> Option<&Path> {
        self.journal.as_deref()
    }

    /// A reader of the position for another thread.
    ///
    /// # Errors
    /// No more open files.
    pub fn position(&self) -> Result<Position> {
        Ok(Position(self.control.try_clone()?))
    }

    /// Makes calls fail from now on, or no longer.
    ///
    /// # Errors
    /// Those of writing the control page.
    pub fn fail(&self, fault: Fault) -> Result<()> {
        self.hang("", 0, fault)
    }

    /// As `fail`, of calls that hang: only those on files whose paths have `name` in them, after so
    /// many have gone through.
    ///
    /// # Errors
    /// Those of writing the control page.
    ///
    /// # Panics
    /// When the name has no room on the page.
    pub fn hang(&self, name: &str, passes: u64, fault: Fault) -> Result<()> {
        assert!(name.len() < NAMES_BYTES, "its end is a zero");
        let mut names = [0; NAMES_BYTES];
        names[..name.len()].copy_from_slice(name.as_bytes());
        self.put(PASSES, passes)?;
        self.control.write_all_at(&names, NAMES)?;
        self.put(FAULT, fault as u64)
    }

    /// Has the disk seem as full as that to those who ask how full it is; zero: as it is.
    ///
    /// # Errors
    /// Those of writing the control page.
    pub fn show_used(&self, permille: u64) -> Result<()> {
        self.put(USED_PERMILLE, permille)
    }

    /// Calls that were made to fail, or hang, or were told that the disk is full, so far.
    ///
    /// # Errors
    /// Those of reading the control page.
    pub fn faults(&self) -> Result<u64> {
        get(&self.control, FAULTS)
    }

    fn put(&self, at: u64, number: u64) -> Result<()> {
        self.control.write_all_at(&number.to_ne_bytes(), at)
    }
}

fn get(control: &File, at: u64) -> Result<u64> {
    let mut bytes = [0; 8];
    control.read_exact_at(&mut bytes, at)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// How many records the journal has.
pub struct Position(File);

impl Position {
    /// So many now. Read after a reply came, it counts all that the reply rests on.
    ///
    /// # Errors
    /// Those of reading the control page.
    pub fn now(&self) -> Result<u64> {
        get(&self.0, POSITION)
    }
}
