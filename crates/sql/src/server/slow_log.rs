//! The slow log: statements that took longer than `long_query_time`, or that read all rows of a
//! table where `log_queries_not_using_indexes` says so (ALTER TABLE and its like only where
//! `log_slow_admin_statements` does); and requests by key at other doors, as
//! `memcached get kv.cache`, that took longer than the global `long_query_time`. It is text in
//! MySQL's form, which `pt-query-digest` and `mysqldumpslow` read, or the table `mysql.slow_log`.
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
//! Not here: how long statements take and what they look at (`processes`), the file and the table
//! (`log_sink`).

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use resources::counter::Counter;

use super::history::EndedStatement;
use super::key_requests::AnsweredRequests;
use super::log_file::LogText;
use super::log_sink::{LogEntry, LogSink};
use super::statement_logs::{moment_text, user_host};
use super::statement_names::StatementName;

/// A minute, for which `log_throttle_queries_not_using_indexes` counts.
const THROTTLE_MICROS: u64 = 60_000_000;

/// From when on a statement of a session is slow.
#[derive(Clone, Copy, Debug)]
pub struct SlowRule {
    /// `long_query_time`.
    pub after: Duration,
    /// `min_examined_row_limit`: one that looks at fewer rows is not.
    pub examined_min: u64,
}

impl SlowRule {
    /// One by which no statement is slow.
    #[cfg(test)]
    pub const NEVER: SlowRule = SlowRule { after: Duration::MAX, examined_min: 0 };
}

/// A statement that was slow.
#[derive(Debug)]
pub struct SlowEntry {
    /// When it ended, microseconds since the epoch.
    pub moment: u64,
    /// `user[user] @ host [address]`.
    pub user_host: String,
    /// The connection's number.
    pub connection: u32,
    /// Microseconds that it took.
    pub micros: u64,
    /// Microseconds that it waited for locks.
    pub lock_micros: u64,
    /// Rows that it gave.
    pub sent: u64,
    /// Rows that it looked at.
    pub examined: u64,
    /// The database that it ran in.
    pub database: Option<String>,
    /// Its text.
    pub statement: Vec<u8>,
    /// What `log_slow_extra` adds to the file.
    extra: String,
}

impl SlowEntry {
    fn of(ended: &EndedStatement<'_>, with_extra: bool) -> SlowEntry {
        let (user, host, database) = ended.of;
        let outcome = &ended.outcome;
        let mut extra = String::new();
        if with_extra {
            let moment = |micros| moment_text(ended.now.saturating_sub(micros));
            let _ = write!(
                extra,
                " Thread_id: {} Errno: {} Rows_affected: {} Full_scan: {} Max_memory_used: {} \
                 Disk_wait: {} Plan: {} Start: {} End: {}",
                ended.connection,
                outcome.status,
                outcome.affected,
                if outcome.is_table_scan { "Yes" } else { "No" },
                outcome.memory_bytes,
                seconds_text(outcome.disk_micros),
                if ended.plan.is_empty() { "-" } else { ended.plan },
                moment(ended.took.as_micros() as u64),
                moment(0),
            );
        }
        SlowEntry {
            moment: ended.now,
            user_host: user_host(user, host),
            connection: ended.connection,
            micros: ended.took.as_micros() as u64,
            lock_micros: outcome.lock_micros,
            sent: outcome.sent,
            examined: outcome.examined,
            database: database.map(str::to_string),
            statement: ended.text.to_vec(),
            extra,
        }
    }
}

impl LogEntry for SlowEntry {
    fn text(&self) -> LogText {
        let mut head = String::new();
        let _ = writeln!(head, "# Time: {}", moment_text(self.moment));
        let _ = writeln!(head, "# User@Host: {}  Id: {:5}", self.user_host, self.connection);
        let _ = writeln!(
            head,
            "# Query_time: {}  Lock_time: {} Rows_sent: {}  Rows_examined: {}{}",
            seconds_text(self.micros),
            seconds_text(self.lock_micros),
            self.sent,
            self.examined,
            self.extra
        );
        let began = self.moment.saturating_sub(self.micros) / 1_000_000;
        let words = String::from_utf8_lossy(&self.statement);
        let words = words.trim_end().trim_end_matches(';');
        let body = format!("SET timestamp={began};\n{words};\n");
        LogText { head, database: self.database.clone(), body }
    }

    fn text_bytes(&self) -> usize {
        let database = self.database.as_ref().map_or(0, String::len);
        self.user_host.len() + self.statement.len() + self.extra.len() + database
    }
}

/// Microseconds as the log writes them, in seconds.
fn seconds_text(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// What was left out of the minute that runs, for being too many without an index.
#[derive(Debug, Default)]
struct Throttle {
    /// When the minute ends, microseconds since the epoch.
    until: u64,
    logged: u64,
    suppressed: u64,
    micros: u64,
    lock_micros: u64,
}

/// The slow log.
#[derive(Debug)]
pub struct SlowLog {
    pub(super) sink: LogSink<SlowEntry>,
    /// From when on a request by key is slow, in microseconds.
    requests_after: AtomicU64,
    unindexed: AtomicBool,
    administrative: AtomicBool,
    extra: AtomicBool,
    /// `log_throttle_queries_not_using_indexes`; 0: as many as come.
    unindexed_max: AtomicU64,
    throttle: Mutex<Throttle>,
    count: Counter,
}

impl SlowLog {
    /// One whose entries go there.
    pub(super) fn new(sink: LogSink<SlowEntry>) -> SlowLog {
        SlowLog {
            sink,
            requests_after: AtomicU64::new(u64::MAX),
            unindexed: AtomicBool::new(false),
            administrative: AtomicBool::new(false),
            extra: AtomicBool::new(false),
            unindexed_max: AtomicU64::new(0),
            throttle: Mutex::default(),
            count: Counter::default(),
        }
    }

    /// `SET GLOBAL long_query_time`, for requests by key.
    pub(super) fn log_requests_after(&self, time: Duration) {
        self.requests_after.store(time.as_micros() as u64, Ordering::Relaxed);
    }

    /// `SET GLOBAL log_queries_not_using_indexes`.
    pub(super) fn log_unindexed(&self, on: bool) {
        self.unindexed.store(on, Ordering::Relaxed);
    }

    /// `SET GLOBAL log_slow_admin_statements`.
    pub(super) fn log_administrative(&self, on: bool) {
        self.administrative.store(on, Ordering::Relaxed);
    }

    /// `SET GLOBAL log_throttle_queries_not_using_indexes`.
    pub(super) fn throttle_unindexed(&self, each_minute: u64) {
        self.unindexed_max.store(each_minute, Ordering::Relaxed);
    }

    /// `SET GLOBAL log_slow_extra`.
    pub(super) fn log_extra(&self, on: bool) {
        self.extra.store(on, Ordering::Relaxed);
    }

    /// How many statements were slow, logged or not: `Slow_queries`.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// How many of them are not in the file, since it could not be written or not in time.
    pub fn left_out(&self) -> u64 {
        self.sink.left_out()
    }

    /// The rows of `mysql.slow_log`, the oldest first.
    pub fn entries(&self) -> Vec<Arc<SlowEntry>> {
        self.sink.entries()
    }

    /// TRUNCATE TABLE mysql.slow_log.
    pub fn clear(&self) {
        self.sink.clear();
    }

    /// Whether entries have the statements' plans.
    pub(crate) fn has_plans(&self) -> bool {
        self.extra.load(Ordering::Relaxed) && self.sink.is_on()
    }

    /// Whether a statement that took so long, and has read all of a table or not, is slow.
    pub(super) fn is_slow(&self, took: Duration, rule: SlowRule, is_scan: bool) -> bool {
        took >= rule.after || is_scan && self.unindexed.load(Ordering::Relaxed)
    }

    /// Whether requests by key that took so long are slow.
    #[inline]
    pub(super) fn is_slow_request(&self, took: Duration) -> bool {
        took.as_micros() as u64 >= self.requests_after.load(Ordering::Relaxed)
    }

    /// Slow requests by key were answered, which are called so.
    pub(super) fn note_requests(
        &self,
        answered: &AnsweredRequests,
        text: String,
        connection: u32,
        (user, host): (&str, &str),
    ) {
        self.count.add();
        if !self.sink.is_on() {
            return;
        }
        self.sink.log(SlowEntry {
            moment: answered.now,
            user_host: user_host(user, host),
            connection,
            micros: answered.took.as_micros() as u64,
            lock_micros: 0,
            sent: 0,
            examined: 0,
            database: None,
            statement: text.into_bytes(),
            extra: String::new(),
        });
    }

    /// A statement has ended.
    pub(super) fn note(&self, ended: &EndedStatement<'_>) {
        let rule = ended.kind.slow;
        let is_scan = ended.outcome.is_table_scan;
        if !self.is_slow(ended.took, rule, is_scan) || ended.outcome.examined < rule.examined_min {
            return;
        }
        let is_unindexed = is_scan && self.unindexed.load(Ordering::Relaxed);
        self.count.add();
        let is_left_out = || {
            !self.administrative.load(Ordering::Relaxed)
                && StatementName::of(ended.text).is_administrative()
        };
        if !self.sink.is_on() || is_left_out() {
            return;
        }
        let (is_logged, summary) = self.throttled(ended, is_unindexed);
        if is_logged {
            self.sink.log(SlowEntry::of(ended, self.extra.load(Ordering::Relaxed)));
        }
        if let Some(summary) = summary {
            self.sink.log(summary);
        }
    }

    /// Whether a statement is logged, and a line about those that were not, once their minute is
    /// over (MySQL 8.0 manual, log_throttle_queries_not_using_indexes).
    fn throttled(
        &self,
        ended: &EndedStatement<'_>,
        is_unindexed: bool,
    ) -> (bool, Option<SlowEntry>) {
        let most = self.unindexed_max.load(Ordering::Relaxed);
        if most == 0 {
            return (true, None);
        }
        let mut throttle = self.throttle.lock();
        let mut summary = None;
        if ended.now >= throttle.until {
            let over = std::mem::take(&mut *throttle);
            throttle.until = ended.now + THROTTLE_MICROS;
            if over.suppressed > 0 {
                let words = format!(
                    "throttle: {:10} 'index not used' warning(s) suppressed.",
                    over.suppressed
                );
                summary = Some(SlowEntry {
                    moment: ended.now,
                    user_host: user_host("", ""),
                    connection: 0,
                    micros: over.micros,
                    lock_micros: over.lock_micros,
                    sent: 0,
                    examined: 0,
                    database: None,
                    statement: words.into_bytes(),
                    extra: String::new(),
                });
            }
        }
        if !is_unindexed {
            return (true, summary);
        }
        if throttle.logged < most {
            throttle.logged += 1;
            return (true, summary);
        }
        throttle.suppressed += 1;
        throttle.micros += ended.took.as_micros() as u64;
        throttle.lock_micros += ended.outcome.lock_micros;
        (false, summary)
    }
}

#[cfg(test)]
mod tests {
    use access::audit::AuditClass;
    use plan::variables::LogOutput;

    use super::super::history::{StatementKind, StatementOutcome, TableWatch};
    use super::super::statement_logs::{LogOptions, StatementLogs};
    use super::*;

    fn logs() -> StatementLogs {
        let output = LogOutput::of("TABLE").unwrap();
        StatementLogs::new(&LogOptions { output, slow: true, ..LogOptions::default() }, 0)
    }

    /// A statement that read a whole table, and ended in this second.
    fn scan(second: u64) -> EndedStatement<'static> {
        EndedStatement {
            kind: StatementKind {
                digest: 1,
                slow: SlowRule { after: Duration::from_secs(1), examined_min: 10 },
                class: AuditClass::Statements,
                table_watch: TableWatch::Unknown,
            },
            outcome: StatementOutcome {
                examined: 10,
                is_table_scan: true,
                lock_micros: 3,
                memory_bytes: 4096,
                disk_micros: 2,
                ..StatementOutcome::default()
            },
            took: Duration::from_micros(5),
            text: b"SELECT 1;",
            executed: b"",
            plan: "t:ALL",
            now: second * 1_000_000,
            connection: 7,
            of: ("app", "10.0.0.1", Some("d")),
        }
    }

    fn statements(log: &SlowLog) -> Vec<String> {
        let text = |entry: &Arc<SlowEntry>| String::from_utf8_lossy(&entry.statement).into_owned();
        log.entries().iter().map(text).collect()
    }

    #[test]
    fn of_those_without_an_index_some_a_minute_are_logged_and_the_others_summed_up() {
        let logs = logs();
        let log = logs.slow();
        log.note(&scan(1));
        assert_eq!((log.count(), statements(log).len()), (0, 0), "they are not asked for");
        logs.take_over("log_queries_not_using_indexes", "ON");
        logs.take_over("log_throttle_queries_not_using_indexes", "2");
        (0..5).for_each(|_| log.note(&scan(10)));
        assert_eq!((log.count(), statements(log).len()), (5, 2));
        log.note(&scan(70));
        let said = statements(log);
        assert_eq!(said[2], "SELECT 1;");
        assert_eq!(said[3], "throttle:          3 'index not used' warning(s) suppressed.");
        assert_eq!((log.entries()[3].micros, log.entries()[3].lock_micros), (15, 9));
        // One that took long is logged beyond that.
        log.note(&scan(71));
        log.note(&scan(72));
        let late = EndedStatement { took: Duration::from_secs(2), ..scan(73) };
        let late = EndedStatement {
            outcome: StatementOutcome { is_table_scan: false, ..late.outcome },
            ..late
        };
        log.note(&late);
        assert_eq!(statements(log).len(), 6);
    }

    #[test]
    fn administrative_statements_are_counted_and_logged_where_that_is_asked_for() {
        let logs = logs();
        let late =
            |text: &'static [u8]| EndedStatement { took: Duration::from_secs(2), text, ..scan(1) };
        logs.slow().note(&late(b"ALTER TABLE t ADD a INT"));
        logs.slow().note(&late(b"CREATE TABLE t (a INT)"));
        assert_eq!((logs.slow().count(), statements(logs.slow()).len()), (2, 1));
        logs.take_over("log_slow_admin_statements", "ON");
        for text in ["alter table t drop a", "OPTIMIZE TABLE t", "CREATE INDEX i ON t (a)"] {
            logs.slow().note(&late(text.as_bytes()));
        }
        assert_eq!((logs.slow().count(), statements(logs.slow()).len()), (5, 4));
    }

    #[test]
    fn what_looks_at_few_rows_is_not_slow() {
        let logs = logs();
        let few = StatementOutcome { examined: 9, ..StatementOutcome::default() };
        let late = EndedStatement { took: Duration::from_secs(2), outcome: few, ..scan(1) };
        logs.slow().note(&late);
        assert_eq!(logs.slow().count(), 0);
        let many = StatementOutcome { examined: 10, ..few };
        logs.slow().note(&EndedStatement { outcome: many, ..late });
        assert_eq!(logs.slow().count(), 1);
    }

    #[test]
    fn the_text_is_mysqls() {
        let entry = SlowEntry::of(&scan(1_795_889_113), true);
        let LogText { head, database, body } = entry.text();
        assert_eq!(
            head,
            "# Time: 2026-11-28T18:05:13.000000Z\n\
             # User@Host: app[app] @  [10.0.0.1]  Id:     7\n\
             # Query_time: 0.000005  Lock_time: 0.000003 Rows_sent: 0  Rows_examined: 10 \
             Thread_id: 7 Errno: 0 Rows_affected: 0 Full_scan: Yes \
             Max_memory_used: 4096 Disk_wait: 0.000002 Plan: t:ALL \
             Start: 2026-11-28T18:05:12.999995Z End: 2026-11-28T18:05:13.000000Z\n"
        );
        assert_eq!(database.as_deref(), Some("d"));
        assert_eq!(body, "SET timestamp=1795889112;\nSELECT 1;\n");
    }
}
