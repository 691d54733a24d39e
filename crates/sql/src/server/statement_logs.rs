//! The slow log and the general log together: where they go, and how both write who it was.
//!
//! Not here: what each of them logs (`slow_log`, `general_log`).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use plan::variables::LogOutput;
use values::temporal::{Timestamp, Zone};

use super::general_log::GeneralLog;
use super::log_file::LogFile;
use super::log_sink::LogSink;
use super::slow_log::SlowLog;

/// How the logs begin.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// `@@log_output`: whether the logs are files, tables, or both.
    pub output: LogOutput,
    /// `@@slow_query_log`: whether slow statements are logged.
    pub slow: bool,
    /// `@@slow_query_log_file`.
    pub slow_file: PathBuf,
    /// `@@log_queries_not_using_indexes`: whether those are that read all rows of a table.
    pub unindexed: bool,
    /// `@@log_slow_extra`: whether the file's entries have plans, memory and waits for disks.
    pub extra: bool,
    /// `@@general_log`: whether all commands are logged.
    pub general: bool,
    /// `@@general_log_file`.
    pub general_file: PathBuf,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions {
            output: LogOutput::FILE,
            slow: false,
            slow_file: PathBuf::from("slow.log"),
            unindexed: false,
            extra: false,
            general: false,
            general_file: PathBuf::from("general.log"),
        }
    }
}

/// `log_output`, as statements see it that end.
#[derive(Debug)]
pub(super) struct OutputSwitch(AtomicU8);

impl OutputSwitch {
    /// Where logs go now.
    pub(super) fn now(&self) -> LogOutput {
        LogOutput::of_number(self.0.load(Ordering::Relaxed))
    }
}

/// Both logs.
#[derive(Debug)]
pub struct StatementLogs {
    output: Arc<OutputSwitch>,
    slow: SlowLog,
    general: GeneralLog,
}

impl StatementLogs {
    /// Those of a server with this much memory for clients, in bytes.
    pub(super) fn new(options: &LogOptions, memory_bytes: usize) -> StatementLogs {
        let output = Arc::new(OutputSwitch(AtomicU8::new(options.output.number())));
        let file = LogFile::new("slow log", options.slow_file.clone());
        let sink = LogSink::new(options.slow, Arc::clone(&output), file, memory_bytes);
        let slow = SlowLog::new(sink);
        slow.log_unindexed(options.unindexed);
        slow.log_extra(options.extra);
        let file = LogFile::new("general log", options.general_file.clone());
        let sink = LogSink::new(options.general, Arc::clone(&output), file, memory_bytes);
        let general = GeneralLog { sink };
        StatementLogs { output, slow, general }
    }

    /// The slow log.
    pub fn slow(&self) -> &SlowLog {
        &self.slow
    }

    /// The general log.
    pub fn general(&self) -> &GeneralLog {
        &self.general
    }

    /// Whether prepared statements are to have their values when they begin.
    pub(crate) fn need_values(&self) -> bool {
        self.general.is_on()
    }

    /// Whether they are to have them when they end, if they are slow.
    pub(crate) fn need_values_of_slow(&self) -> bool {
        self.slow.sink.is_on() && !self.general.is_on()
    }

    /// `SET GLOBAL` of a variable of theirs; others mean nothing.
    pub(super) fn take_over(&self, name: &str, value: &str) {
        let is_on = value == "ON";
        match name {
            "log_output" => {
                let output = LogOutput::of(value).unwrap_or_default();
                self.output.0.store(output.number(), Ordering::Relaxed);
            }
            "slow_query_log" => self.slow.sink.switch(is_on),
            "log_queries_not_using_indexes" => self.slow.log_unindexed(is_on),
            "log_throttle_queries_not_using_indexes" => {
                self.slow.throttle_unindexed(value.parse().unwrap_or(0));
            }
            "long_query_time" => {
                if let Some(time) =
                    value.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok())
                {
                    self.slow.log_requests_after(time);
                }
            }
            "log_slow_admin_statements" => self.slow.log_administrative(is_on),
            "log_slow_extra" => self.slow.log_extra(is_on),
            "general_log" => self.general.sink.switch(is_on),
            _ => {}
        }
    }

    /// Memory that their tables take, about.
    pub(super) fn memory_bytes(&self) -> usize {
        self.slow.sink.memory_bytes() + self.general.sink.memory_bytes()
    }

    /// Closes the files, so that the next entries open them again: FLUSH LOGS, SIGHUP.
    pub(super) fn reopen(&self) {
        self.slow.sink.reopen();
        self.general.sink.reopen();
    }
}

/// A moment as both logs write it: `2026-11-28T18:05:13.032034Z`.
pub(super) fn moment_text(micros: u64) -> String {
    let mut moment = Vec::new();
    Timestamp::from_micros(micros).to_datetime(Zone::UTC).write(6, &mut moment);
    format!("{}Z", String::from_utf8_lossy(&moment).replace(' ', "T"))
}

/// The client of an entry: `user[user] @ host [address]`. An address stands in brackets, a name
/// before them.
pub(super) fn user_host(user: &str, host: &str) -> String {
    let (name, address) = match host.parse::<std::net::IpAddr>() {
        Ok(_) => ("", host),
        Err(_) => (host, ""),
    };
    format!("{user}[{user}] @ {name} [{address}]")
}
