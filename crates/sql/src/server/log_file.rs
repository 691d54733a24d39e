//! A log that is a file of text: the slow log, and the general log.
//!
//! Invariants
//! 1. No statement waits for the file: entries go to a thread of their own by way of a bounded
//!    queue, and those that find it full are counted and left out.
//! 2. The file is opened when there is something to write, and again after `reopen`: whoever
//!    rotates it moves it away and says FLUSH LOGS or sends SIGHUP.
//!
//! Not here: what is logged, and how it looks (`slow_log`, `general_log`).

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use parking_lot::Mutex;
use resources::counter::Counter;

/// Entries that may wait to be written: with 4 KiB each 4 MiB.
const ENTRIES_MAX: usize = 1024;

/// An entry, as text.
#[derive(Debug)]
pub(super) struct LogText {
    /// What stands in front of `use`.
    pub(super) head: String,
    /// The database that a reader has to be in; `use` says so where it changes.
    pub(super) database: Option<String>,
    /// The rest.
    pub(super) body: String,
}

/// A file that entries are written to.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// What it is called where it cannot be written.
    name: &'static str,
    left_out: Arc<Counter>,
    /// Made with the first entry.
    queue: Mutex<Option<SyncSender<Order>>>,
}

#[derive(Debug)]
enum Order {
    Entry(Box<LogText>),
    Reopen,
}

impl LogFile {
    /// The log of this name, in this file.
    pub(super) fn new(name: &'static str, path: PathBuf) -> LogFile {
        LogFile { path, name, left_out: Arc::default(), queue: Mutex::default() }
    }

    /// How many entries are not in the file, since it could not be written or not in time.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out.get()
    }

    /// Writes the entry, soon.
    pub(super) fn write(&self, entry: LogText) {
        self.send(Order::Entry(Box::new(entry)));
    }

    /// Closes the file; the next entry opens it again.
    pub(super) fn reopen(&self) {
        if self.queue.lock().is_some() {
            self.send(Order::Reopen);
        }
    }

    fn send(&self, order: Order) {
        let mut queue = self.queue.lock();
        let sender = match &*queue {
            Some(sender) => sender,
            None => match self.begin() {
                Some(sender) => queue.insert(sender),
                None => return self.left_out.add(),
            },
        };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = sender.try_send(order) {
            self.left_out.add();
        }
    }

    /// Begins the thread that writes; it ends when the log goes.
    fn begin(&self) -> Option<SyncSender<Order>> {
        let (sender, receiver) = sync_channel(ENTRIES_MAX);
        let (path, left_out, log) = (self.path.clone(), Arc::clone(&self.left_out), self.name);
        let writer = std::thread::Builder::new().name(log.replace(' ', "-"));
        let begun = writer.spawn(move || write_entries(log, &path, &receiver, &left_out));
        if let Err(error) = &begun {
            tracing::error!(%error, log, "a log has no thread");
        }
        begun.ok().map(|_| sender)
    }
}

/// Writes what comes until nobody sends any more.
fn write_entries(log: &str, path: &Path, orders: &Receiver<Order>, left_out: &Counter) {
    let mut file: Option<File> = None;
    // `use` stands where the database changes.
    let mut database: Option<String> = None;
    let mut is_told = false;
    while let Ok(order) = orders.recv() {
        let Order::Entry(entry) = order else {
            file = None;
            continue;
        };
        if file.is_none() {
            database = None;
        }
        let mut text = entry.head;
        if let Some(name) = &entry.database
            && entry.database != database
        {
            let _ = writeln!(text, "use {name};");
        }
        text.push_str(&entry.body);
        let written = opened(path, &mut file).and_then(|file| file.write_all(text.as_bytes()));
        match written {
            Ok(()) => {
                is_told = false;
                database = entry.database.or(database);
            }
            Err(error) => {
                left_out.add();
                file = None;
                if !std::mem::replace(&mut is_told, true) {
                    let path = path.display();
                    tracing::error!(%error, %path, "the {log} cannot be written");
                }
            }
        }
    }
}

/// The file, at whose end is written; a new one begins as MySQL's does.
fn opened<'f>(path: &Path, file: &'f mut Option<File>) -> std::io::Result<&'f mut File> {
    if file.is_none() {
        let mut opened = OpenOptions::new().create(true).append(true).open(path)?;
        if opened.metadata()?.len() == 0 {
            writeln!(
                opened,
                "rowhouse, Version: {}. started with:\nTime                 Id Command    Argument",
                super::SERVER_VERSION
            )?;
        }
        *file = Some(opened);
    }
    file.as_mut().ok_or_else(|| std::io::Error::other("no file"))
}
