//! Where the entries of a log go: its file, its table, both, or nowhere while it is off.
//!
//! Not here: what is logged (`slow_log`, `general_log`), the file (`log_file`), the table
//! (`log_table`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::log_file::{LogFile, LogText};
use super::log_table::LogTable;
use super::statement_logs::OutputSwitch;

/// What a log writes.
pub(super) trait LogEntry {
    /// As the file has it.
    fn text(&self) -> LogText;

    /// Bytes of its texts, for a table's memory.
    fn text_bytes(&self) -> usize;
}

/// One log's switch, file and table.
#[derive(Debug)]
pub(super) struct LogSink<E> {
    is_on: AtomicBool,
    output: Arc<OutputSwitch>,
    file: LogFile,
    table: LogTable<E>,
}

impl<E: LogEntry> LogSink<E> {
    /// One that writes to this file and a table, of a server with this much memory for clients.
    pub(super) fn new(
        is_on: bool,
        output: Arc<OutputSwitch>,
        file: LogFile,
        memory_bytes: usize,
    ) -> LogSink<E> {
        let table = LogTable::within(memory_bytes);
        LogSink { is_on: AtomicBool::new(is_on), output, file, table }
    }

    /// Whether entries are logged.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// `SET GLOBAL` of its switch.
    pub(super) fn switch(&self, on: bool) {
        self.is_on.store(on, Ordering::Relaxed);
    }

    /// Logs an entry.
    pub(super) fn log(&self, entry: E) {
        let output = self.output.now();
        if output.has_files() {
            self.file.write(entry.text());
        }
        if output.has_tables() {
            let bytes = entry.text_bytes();
            self.table.push(entry, bytes);
        }
    }

    /// The rows of its table, the oldest first.
    pub(super) fn entries(&self) -> Vec<Arc<E>> {
        self.table.entries()
    }

    /// TRUNCATE TABLE.
    pub(super) fn clear(&self) {
        self.table.clear();
    }

    /// Entries that are not in the file, since it could not be written or not in time.
    pub(super) fn left_out(&self) -> u64 {
        self.file.left_out()
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
