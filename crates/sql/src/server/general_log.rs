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
//! Not here: where logs go (`log_output`, crate `plan`), the file and the table
//! (`log_sink`).

use std::sync::Arc;

use super::log_file::LogText;
use super::log_sink::{LogEntry, LogSink};
use super::statement_logs::{moment_text, user_host};

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

impl LogEntry for GeneralEntry {
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

    fn text_bytes(&self) -> usize {
        self.user_host.len() + self.argument.len()
    }
}

/// The general log.
#[derive(Debug)]
pub struct GeneralLog {
    pub(super) sink: LogSink<GeneralEntry>,
}

impl GeneralLog {
    /// Whether commands are logged.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.sink.is_on()
    }

    /// A command has come from a connection of a user, from a host.
    pub(super) fn log(
        &self,
        (connection, user, host): (u32, &str, &str),
        moment: u64,
        command: &'static str,
        argument: &[u8],
    ) {
        self.sink.log(GeneralEntry {
            moment,
            user_host: user_host(user, host),
            connection,
            command,
            argument: argument.to_vec(),
        });
    }

    /// The rows of `mysql.general_log`, the oldest first.
    pub fn entries(&self) -> Vec<Arc<GeneralEntry>> {
        self.sink.entries()
    }

    /// TRUNCATE TABLE mysql.general_log.
    pub fn clear(&self) {
        self.sink.clear();
    }
}
