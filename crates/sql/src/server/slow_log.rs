//! The slow log: statements that took longer than `long_query_time`, in MySQL's form of text, which
//! `pt-query-digest` and `mysqldumpslow` read.
//!
//! ```text
//! # Time: 2026-11-28T02:30:45.041751Z
//! # User@Host: root[root] @ localhost []  Id:     8
//! # Query_time: 2.000123  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1000
//! use shop;
//! SET timestamp=1795833045;
//! SELECT SLEEP(2);
//! ```
//!
//! Invariants
//! 1. No statement waits for the file: entries go to a thread of their own by way of a bounded
//!    queue, and those that find it full are counted and left out.
//! 2. The file is opened when there is something to write, and again after `reopen`: whoever
//!    rotates it moves it away and says FLUSH SLOW LOGS or sends SIGHUP.
//!
//! Not here: which statements are slow (`history`).

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use parking_lot::Mutex;
use resources::counter::Counter;
use values::temporal::{Timestamp, Zone};

use super::history::EndedStatement;

/// Entries that may wait to be written: with 4 KiB each 4 MiB.
const ENTRIES_MAX: usize = 1024;

/// An entry, to be written.
#[derive(Debug)]
pub struct SlowEntry {
    text: String,
    /// The database that it ran in.
    database: Option<String>,
    statement: String,
}

impl SlowEntry {
    /// Of a statement that took long.
    pub fn of(ended: &EndedStatement<'_>) -> SlowEntry {
        let (user, host, database) = ended.of;
        let mut moment = Vec::new();
        let now = Timestamp::from_micros(ended.now).to_datetime(Zone::UTC);
        now.write(6, &mut moment);
        let moment = String::from_utf8_lossy(&moment).replace(' ', "T");
        // An address stands in brackets, a name before them.
        let (name, address) = match host.parse::<std::net::IpAddr>() {
            Ok(_) => ("", host),
            Err(_) => (host, ""),
        };
        let seconds = |micros: u128| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let mut text = String::new();
        let _ = writeln!(text, "# Time: {moment}Z");
        let _ = writeln!(
            text,
            "# User@Host: {user}[{user}] @ {name} [{address}]  Id: {:5}",
            ended.connection
        );
        let _ = writeln!(
            text,
            "# Query_time: {}  Lock_time: 0.000000 Rows_sent: {}  Rows_examined: {}",
            seconds(ended.took.as_micros()),
            ended.outcome.sent,
            ended.outcome.examined
        );
        let mut statement = String::new();
        let began = ended.now.saturating_sub(ended.took.as_micros() as u64) / 1_000_000;
        let words = String::from_utf8_lossy(ended.text);
        let _ = writeln!(statement, "SET timestamp={began};");
        let _ = writeln!(statement, "{};", words.trim_end().trim_end_matches(';'));
        SlowEntry { text, database: database.map(str::to_string), statement }
    }
}

/// Where entries go.
#[derive(Debug)]
pub struct SlowLog {
    path: PathBuf,
    is_on: AtomicBool,
    /// How many there were, those that were left out too.
    count: Counter,
    left_out: Arc<Counter>,
    /// Made with the first entry.
    queue: Mutex<Option<SyncSender<Order>>>,
}

#[derive(Debug)]
enum Order {
    Entry(Box<SlowEntry>),
    Reopen,
}

impl SlowLog {
    /// One that writes to this file, if it is on.
    pub fn new(path: PathBuf, is_on: bool) -> SlowLog {
        SlowLog {
            path,
            is_on: AtomicBool::new(is_on),
            count: Counter::default(),
            left_out: Arc::default(),
            queue: Mutex::default(),
        }
    }

    /// Whether statements are logged.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// `SET GLOBAL slow_query_log`.
    pub fn switch(&self, on: bool) {
        self.is_on.store(on, Ordering::Relaxed);
    }

    /// How many statements were slow while the log was on: `Slow_queries`.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// How many of them are not in the file, since it could not be written or not in time.
    pub fn left_out(&self) -> u64 {
        self.left_out.get()
    }

    /// Writes the entry, soon.
    pub fn log(&self, entry: SlowEntry) {
        self.count.add();
        self.send(Order::Entry(Box::new(entry)));
    }

    /// Closes the file; the next entry opens it again: FLUSH SLOW LOGS, SIGHUP.
    pub fn reopen(&self) {
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
        let (path, left_out) = (self.path.clone(), Arc::clone(&self.left_out));
        let writer = std::thread::Builder::new().name("slow-log".to_string());
        let begun = writer.spawn(move || write_entries(&path, &receiver, &left_out));
        if let Err(error) = &begun {
            tracing::error!(%error, "the slow log has no thread");
        }
        begun.ok().map(|_| sender)
    }
}

/// Writes what comes until nobody sends any more.
fn write_entries(path: &Path, orders: &Receiver<Order>, left_out: &Counter) {
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
        let mut text = entry.text;
        if let Some(name) = &entry.database
            && entry.database != database
        {
            let _ = writeln!(text, "use {name};");
        }
        text.push_str(&entry.statement);
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
                    tracing::error!(%error, %path, "the slow log cannot be written");
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
