//! The queue of the audit log, and the thread that writes it.
//!
//! Invariants
//! 1. Nobody who tells of an event waits for the file: a line is put into a queue of bounded bytes,
//!    which are drawn from the memory for clients. One that finds it full is counted and left out.
//! 2. Lines stand in the file in the order of their numbers.
//! 3. A login that failed is synced to the disk as soon as it is written, other lines after
//!    `sync_every` at most.
//! 4. Where the policy is `Refuse`, what the log is to have is refused while it takes no lines; the
//!    lines that wait are written again until that succeeds. Else they are counted and left out.
//! 5. What waits when the server stops is written before `close` returns.
//!
//! Not here: the file itself (`file`), lines (`event`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::{Condvar, Mutex};
use resources::budget::{Budget, Share};
use resources::counter::Counter;

use super::event::line;
use super::file::{AuditFile, AuditFileOptions};
use super::{AuditChoice, AuditClass, AuditEvent, AuditSubject};

/// Bytes of lines that may wait.
const QUEUE_BYTES_MAX: usize = 4 << 20;
/// The part of them that is left, where the policy is `Refuse`, to what was let in before.
const RESERVE_PART: usize = 4;
/// How long the thread waits before it writes again what could not be written.
const RETRY: Duration = Duration::from_millis(500);

/// What happens while lines cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFailurePolicy {
    /// All goes on; lines are counted and left out.
    GoOn,
    /// What the log is to have is refused.
    Refuse,
}

/// What is written, and where.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The file.
    pub file: AuditFileOptions,
    /// Which events.
    pub choice: AuditChoice,
    /// What happens while lines cannot be written.
    pub policy: AuditFailurePolicy,
    /// How long a line may be in the kernel's memory alone.
    pub sync_every: Duration,
}

/// The audit log of a server.
#[derive(Debug)]
pub struct AuditLog {
    shared: Arc<AuditShared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct AuditShared {
    options: AuditOptions,
    queue: Mutex<AuditQueue>,
    come: Condvar,
    /// Numbers of lines.
    lines: AtomicU64,
    written: Counter,
    left_out: Counter,
    /// Whether the file took no lines when it was last tried.
    is_stuck: AtomicBool,
}

#[derive(Debug)]
struct AuditQueue {
    bytes: Vec<u8>,
    /// Whether one of them is to be synced at once.
    is_urgent: bool,
    reopens: bool,
    is_closed: bool,
    share: Share,
}

impl AuditLog {
    /// Begins the log; memory for what waits is drawn from `budget`.
    ///
    /// # Errors
    /// When the file cannot be opened and the policy is `Refuse`, or there is no thread.
    pub fn begin(options: AuditOptions, budget: &Arc<Budget>) -> std::io::Result<AuditLog> {
        let mut file = AuditFile::new(options.file.clone());
        let opened = file.open();
        if let Err(error) = &opened {
            let path = file.path().display();
            tracing::error!(%error, %path, "the audit log cannot be opened");
            if options.policy == AuditFailurePolicy::Refuse {
                return Err(std::io::Error::new(error.kind(), error.to_string()));
            }
        }
        let shared = Arc::new(AuditShared {
            options,
            queue: Mutex::new(AuditQueue {
                bytes: Vec::new(),
                is_urgent: false,
                reopens: false,
                is_closed: false,
                share: budget.share(),
            }),
            come: Condvar::new(),
            lines: AtomicU64::new(0),
            written: Counter::default(),
            left_out: Counter::default(),
            is_stuck: AtomicBool::new(opened.is_err()),
        });
        let of_writer = Arc::clone(&shared);
        let writer = std::thread::Builder::new().name("audit-log".to_owned());
        let writer = writer.spawn(move || of_writer.write(file))?;
        Ok(AuditLog { shared, writer: Mutex::new(Some(writer)) })
    }

    /// Lines that are in the file.
    pub fn written(&self) -> u64 {
        self.shared.written.get()
    }

    /// Lines that were left out.
    pub fn left_out(&self) -> u64 {
        self.shared.left_out.get()
    }

    /// Whether an event of this class is wanted of this user.
    pub fn wants(&self, class: AuditClass, user: &str) -> bool {
        self.shared.options.choice.wants(class, user)
    }

    /// Whether statements and operations are chosen by their tables.
    pub fn chooses_tables(&self) -> bool {
        self.shared.options.choice.chooses_tables()
    }

    /// Whether statements and operations on a table are wanted.
    pub fn wants_table(&self, database: &str, table: &str) -> bool {
        self.shared.options.choice.wants_table(database, table)
    }

    /// Whether what the log is to have must be refused.
    pub fn refuses(&self) -> bool {
        self.shared.options.policy == AuditFailurePolicy::Refuse
            && (self.shared.is_stuck.load(Ordering::Relaxed)
                || self.shared.queue.lock().bytes.len()
                    > QUEUE_BYTES_MAX - QUEUE_BYTES_MAX / RESERVE_PART)
    }

    /// Tells of an event that is just over, if it is wanted.
    pub fn note(&self, of: &AuditSubject<'_>, event: &AuditEvent<'_>) {
        let class = event.class();
        if !self.wants(class, of.user) {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = now.as_micros() as u64;
        let mut queue = self.shared.queue.lock();
        let line = line(1 + self.shared.lines.fetch_add(1, Ordering::Relaxed), now, of, event);
        if queue.bytes.len() + line.len() > QUEUE_BYTES_MAX {
            return self.shared.left_out.add();
        }
        queue.bytes.extend_from_slice(&line);
        queue.is_urgent |= class == AuditClass::FailedLogins;
        let held = queue.bytes.capacity();
        queue.share.set(held);
        self.shared.come.notify_one();
    }

    /// Closes the file, so that the next line opens it again: FLUSH LOGS, SIGHUP.
    pub fn reopen(&self) {
        self.shared.queue.lock().reopens = true;
        self.shared.come.notify_one();
    }

    /// Writes what waits, and ends the thread.
    pub fn close(&self) {
        self.shared.queue.lock().is_closed = true;
        self.shared.come.notify_one();
        if let Some(writer) = self.writer.lock().take() {
            // A thread that has failed has said so.
            let _ = writer.join();
        }
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.close();
    }
}

/// What the writer has taken out of the queue.
struct Batch {
    bytes: Vec<u8>,
    is_urgent: bool,
    reopens: bool,
    is_last: bool,
}

impl AuditShared {
    /// Takes what waits; waits for it until `until`.
    fn take(&self, until: Option<Instant>) -> Batch {
        let mut queue = self.queue.lock();
        while queue.bytes.is_empty() && !queue.reopens && !queue.is_closed {
            match until {
                None => self.come.wait(&mut queue),
                Some(until) if self.come.wait_until(&mut queue, until).timed_out() => break,
                Some(_) => {}
            }
        }
        let bytes = std::mem::take(&mut queue.bytes);
        // The writer holds them now.
        queue.share.set(bytes.capacity());
        Batch {
            bytes,
            is_urgent: std::mem::take(&mut queue.is_urgent),
            reopens: std::mem::take(&mut queue.reopens),
            is_last: queue.is_closed,
        }
    }

    /// What the thread does.
    fn write(&self, mut file: AuditFile) {
        let mut sync_at: Option<Instant> = None;
        loop {
            let batch = self.take(sync_at);
            if batch.reopens {
                let closed = file_result(file.close());
                self.tell(&file, closed);
            }
            if !batch.bytes.is_empty() && self.write_batch(&mut file, &batch) {
                sync_at = sync_at.or_else(|| Some(Instant::now() + self.options.sync_every));
            }
            let is_due = sync_at.is_some_and(|at| at <= Instant::now());
            if batch.is_urgent || batch.is_last || is_due {
                let synced = file_result(file.sync());
                self.tell(&file, synced);
                sync_at = None;
            }
            if file.is_synced() {
                sync_at = None;
            }
            if batch.is_last && batch.bytes.is_empty() {
                return;
            }
        }
    }

    /// Writes a batch; whether that was done.
    fn write_batch(&self, file: &mut AuditFile, batch: &Batch) -> bool {
        let mut left = &batch.bytes[..];
        loop {
            let written = file.append(left).map_err(|error| error.to_string());
            self.tell(file, written.clone().map(|_| ()));
            if let Ok(count) = written {
                self.written.add_many(lines_in(&left[..count]));
                left = &left[count..];
                match left.is_empty() {
                    true => return true,
                    false => continue,
                }
            }
            // A server that stops does not wait for a disk that may stay full.
            if self.options.policy == AuditFailurePolicy::GoOn || self.queue.lock().is_closed {
                self.left_out.add_many(lines_in(left));
                return false;
            }
            let mut queue = self.queue.lock();
            if !queue.is_closed {
                self.come.wait_for(&mut queue, RETRY);
            }
        }
    }

    /// Remembers whether the file takes lines, and tells the log when that changes.
    fn tell(&self, file: &AuditFile, done: Result<(), String>) {
        let was_stuck = self.is_stuck.swap(done.is_err(), Ordering::Relaxed);
        let path = file.path().display();
        match done {
            Err(error) if !was_stuck => {
                tracing::error!(error, %path, "the audit log cannot be written");
            }
            Ok(()) if was_stuck => tracing::info!(%path, "the audit log is written again"),
            _ => {}
        }
    }
}

fn lines_in(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn file_result(done: std::io::Result<()>) -> Result<(), String> {
    done.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(path: std::path::PathBuf, policy: AuditFailurePolicy) -> AuditOptions {
        let classes = ["logins".to_owned(), "failed-logins".to_owned()];
        AuditOptions {
            file: AuditFileOptions { path, bytes_max: 1 << 20, kept: 1 },
            choice: AuditChoice::new(&classes, Vec::new(), &[]).unwrap(),
            policy,
            sync_every: Duration::ZERO,
        }
    }

    fn connect(log: &AuditLog, status: u16) {
        let of = AuditSubject { connection: 1, door: "mysql", user: "bob", host: "localhost" };
        log.note(&of, &AuditEvent::Connect { status });
    }

    #[test]
    fn many_threads_write_whole_lines_and_each_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit.log");
        let budget = Budget::new(64 << 20);
        let log =
            AuditLog::begin(options(path.clone(), AuditFailurePolicy::GoOn), &budget).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..500).for_each(|_| connect(&log, 0)));
            }
        });
        log.note(&AuditSubject::default(), &AuditEvent::Disconnect);
        log.close();
        let text = std::fs::read_to_string(path).unwrap();
        let ids: Vec<u64> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_u64())
            .map(Option::unwrap)
            .collect();
        assert!(ids.is_sorted(), "in their order");
        assert_eq!((ids.len() as u64, log.written() + log.left_out()), (log.written(), 4001));
        assert_eq!(log.left_out(), 0);
        drop(log);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_full_disk_refuses_or_leaves_out_and_is_counted() {
        let full = || std::path::PathBuf::from("/dev/full");
        let budget = Budget::new(64 << 20);
        // It cannot be made its owner's alone, or written.
        let log = AuditLog::begin(options(full(), AuditFailurePolicy::GoOn), &budget);
        let log = log.expect("it goes on");
        connect(&log, 1045);
        log.close();
        assert_eq!((log.written(), log.left_out()), (0, 1));
        assert!(!log.refuses());

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("gone").join("audit.log");
        assert!(AuditLog::begin(options(path, AuditFailurePolicy::Refuse), &budget).is_err());
        let path = directory.path().join("audit.log");
        let log = AuditLog::begin(options(path.clone(), AuditFailurePolicy::Refuse), &budget);
        let log = log.unwrap();
        // The file is in nobody's way until it is opened again, where a directory stands now.
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        log.reopen();
        connect(&log, 0);
        let since = Instant::now();
        while !log.refuses() {
            assert!(since.elapsed() < Duration::from_secs(60), "it still takes lines");
            std::thread::yield_now();
        }
        std::fs::remove_dir(&path).unwrap();
        while log.written() == 0 {
            assert!(since.elapsed() < Duration::from_secs(60), "it writes again by itself");
            std::thread::yield_now();
        }
        assert!(!log.refuses() && log.left_out() == 0);
        log.close();
        assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 1);
    }
}
