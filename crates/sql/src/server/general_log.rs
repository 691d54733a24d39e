//! The general log: what each client asked for, when it came, in MySQL's form of text or as the
//! table `mysql.general_log`.
//!
//! ```text
//! 2026-11-28T18:05:13.032034Z     9 Query     SELECT 1
//! ```
//!
//! Invariants
//! 1. While it is off a statement costs one look at a switch that nobody writes to.
//!
//! Not here: where logs go (`log_output`, crate `plan`), the file (`log_file`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::log_file::{LogFile, LogText};
use super::log_table::LogTable;
use super::statement_logs::{OutputSwitch, moment_text, user_host};

/// What a client asked for.
#[derive(Debug)]
pub struct GeneralEntry {
    /// When, microseconds since the epoch.
    pub moment: u64,
    /// `user[user] @ host [address]`.
    pub user_host: String,
    /// The connection's number.
    pub connection: u32,
    /// MySQL's word for the command: `Query`, `Connect`.
    pub command: &'static str,
    /// The statement, or what else there is to say.
    pub argument: Vec<u8>,
}

impl GeneralEntry {
    fn text(&self) -> LogText {
        let head = format!(
            "{}\t{:5} {}\t{}\n",
            moment_text(self.moment),
            self.connection,
            self.command,
            String::from_utf8_lossy(&self.argument)
        );
        LogText { head, database: None, body: String::new() }
    }
}

/// The general log.
#[derive(Debug)]
pub struct GeneralLog {
    is_on: AtomicBool,
    output: Arc<OutputSwitch>,
    file: LogFile,
    table: LogTable<GeneralEntry>,
}

impl GeneralLog {
    /// One that writes to this file and table, if it is on.
    pub(super) fn new(
        is_on: bool,
        output: Arc<OutputSwitch>,
        file: LogFile,
        memory_bytes: usize,
    ) -> GeneralLog {
        let table = LogTable::within(memory_bytes);
        GeneralLog { is_on: AtomicBool::new(is_on), output, file, table }
    }

    /// Whether commands are logged.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// `SET GLOBAL general_log`.
    pub(super) fn switch(&self, on: bool) {
        self.is_on.store(on, Ordering::Relaxed);
    }

    /// A command has come from a connection of a user, from a host.
    pub(super) fn log(
        &self,
        (connection, user, host): (u32, &str, &str),
        moment: u64,
        command: &'static str,
        argument: &[u8],
    ) {
        let entry = GeneralEntry {
            moment,
            user_host: user_host(user, host),
            connection,
            command,
            argument: argument.to_vec(),
        };
        let output = self.output.now();
        if output.has_files() {
            self.file.write(entry.text());
        }
        if output.has_tables() {
            let bytes = entry.user_host.len() + entry.argument.len();
            self.table.push(entry, bytes);
        }
    }

    /// The rows of `mysql.general_log`, the oldest first.
    pub fn entries(&self) -> Vec<Arc<GeneralEntry>> {
        self.table.entries()
    }

    /// TRUNCATE TABLE mysql.general_log.
    pub fn clear(&self) {
        self.table.clear();
    }

    /// Memory that its table takes, about.
    pub(super) fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }

    /// Closes the file; the next entry opens it again.
    pub(super) fn reopen(&self) {
        self.file.reopen();
    }
}
