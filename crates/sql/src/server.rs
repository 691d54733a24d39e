//! What all sessions share: the engine, plans, global variables, the process list, named locks.
//!
//! Not here: one session's state (`session`).

mod consumers;
mod digested;
mod digests;
mod door_clients;
mod general_log;
mod history;
mod key_requests;
mod line;
mod locks;
mod log_file;
mod log_sink;
mod log_table;
mod logged_text;
mod pause;
mod prepared;
mod processes;
mod running_events;
mod secrets;
mod slow_log;
mod stage;
mod statement_admission;
mod statement_logs;
mod statement_names;
mod statement_sums;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use access::AccessControl;
use access::audit::{AuditLog, AuditOptions};
use expression::KillMark;
use resources::counter::Counter;
use resources::waiting::{Waiting, during};
use rows::engine::Engine;
use values::SqlMode;
use values::datum::Value;
use values::temporal::Zone;

use crate::plan_cache::PlanCache;
use consumers::is_consumer_enabled;
use digested::digested;
use files::folders::Folders;
use plan::encryption::ServerTls;
use plan::long::{LongQueries, LongQueryOptions};
use plan::samples::Samples;
use plan::variables::{GlobalVariables, definition};
use results::{Result, SqlError};

pub(crate) use consumers::CONSUMERS;
pub(crate) use digests::{DigestLine, DigestSum, StatementShape};
pub use door_clients::{
    ClientActivity, ClientListing, ClientUser, DoorClients, DoorProcess, DoorWork,
};
pub(crate) use general_log::GeneralEntry;
pub(crate) use history::{StatementHistory, StatementKind, StatementOutcome, TableWatch};
pub use key_requests::{AnsweredRequests, KeyRequest};
pub(crate) use line::{LineTurn, StatementQueue};
pub use locks::NamedLocks;
pub(crate) use logged_text::with_values;
pub use prepared::{CountedStatement, PreparedStatements};
pub use processes::{
    CommandWord, Process, Processes, Running, ShownStatement, ShownTransaction, StatementProgress,
};
pub use running_events::RunningEvents;
pub(crate) use slow_log::{SlowEntry, SlowRule};
pub use stage::StageProgress;
pub(crate) use statement_admission::{Room, Rooms};
pub use statement_logs::LogOptions;
use statement_logs::StatementLogs;
pub(crate) use statement_names::StatementName;
pub(crate) use statement_sums::{AccountSum, NamedSums, StatementSum};

/// The version that clients are told: MySQL's, whose dialect and defaults these are, and ours.
pub const SERVER_VERSION: &str = concat!("8.0.36-Rowhouse-", env!("CARGO_PKG_VERSION"));

/// Settings of the SQL layer.
#[derive(Clone, Debug)]
pub struct SqlOptions {
    /// Memory that analytic queries may use together, in bytes.
    pub memory_bytes: usize,
    /// Threads that analytic queries may use.
    pub threads: usize,
    /// The MySQL door's port, for `@@port`.
    pub port: u16,
    /// Connections that the MySQL door may have, for `@@max_connections`.
    pub connections_max: usize,
    /// The data directory, for `@@datadir`.
    pub data_dir: String,
    /// Where queries put what does not fit into memory; `None`: where the system's files go.
    pub temp_dir: Option<PathBuf>,
    /// The machine's name, for `@@hostname`.
    pub hostname: String,
    /// The server's TLS; `None` where it speaks none.
    pub tls: Option<ServerTls>,
    /// `@@max_allowed_packet`: the longest value that an expression makes.
    pub packet_bytes_max: usize,
    /// `@@max_statement_time`: how long a statement may run; zero is as long as it takes.
    pub statement_time_max: Duration,
    /// Folders whose files statements may read and make.
    pub files: Vec<PathBuf>,
    /// `@@event_scheduler`: whether events run.
    pub event_scheduler: bool,
    /// How long a run of an event may take; zero is as long as it takes.
    pub event_time_max: Duration,
    /// The slow log and the general log.
    pub logs: LogOptions,
    /// `@@long_query_time`: from when on a statement is slow.
    pub long_query_time: Duration,
    /// `@@performance_schema`: whether statements and requests are counted by digest.
    pub digests: bool,
    /// The audit log; `None`: there is none.
    pub audit: Option<AuditOptions>,
}

impl Default for SqlOptions {
    fn default() -> SqlOptions {
        SqlOptions {
            memory_bytes: 1 << 30,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            port: 3306,
            connections_max: 10_000,
            data_dir: String::from("./"),
            temp_dir: None,
            hostname: String::from("localhost"),
            tls: None,
            packet_bytes_max: expression::limits::VALUE_BYTES_MAX,
            statement_time_max: Duration::ZERO,
            files: Vec::new(),
            event_scheduler: true,
            event_time_max: Duration::ZERO,
            digests: true,
            audit: None,
            logs: LogOptions::default(),
            long_query_time: Duration::from_secs(10),
        }
    }
}

/// Kinds of statements, counted for SHOW STATUS.
#[derive(Debug, Default)]
pub struct Counters {
    /// All statements.
    pub questions: Counter,
    /// SELECT.
    pub selects: Counter,
    /// SELECT answered straight from an index.
    pub lookups: Counter,
    /// Queries and writing statements that were bound, because no kept plan was right for them.
    pub plans_made: Counter,
    /// Statements prepared by the protocol.
    pub prepares: Counter,
    /// Statements prepared by PREPARE.
    pub named_prepares: Counter,
    /// Tables that `information_schema` and SHOW TABLE STATUS have told of.
    pub tables_listed: Counter,
    /// INSERT.
    pub inserts: Counter,
    /// UPDATE.
    pub updates: Counter,
    /// DELETE.
    pub deletes: Counter,
    /// REPLACE.
    pub replaces: Counter,
    /// Connections so far.
    pub connections: Counter,
}

/// The SQL layer of a server.
pub struct Sql {
    engine: Arc<Engine>,
    long_queries: Arc<dyn LongQueries>,
    plans: PlanCache,
    samples: Arc<Samples>,
    globals: GlobalVariables,
    /// Connections that the MySQL door may have by its settings, and now.
    connections_max: (usize, Arc<AtomicUsize>),
    history: Arc<StatementHistory>,
    processes: Processes,
    door_clients: Arc<DoorClients>,
    named_locks: NamedLocks,
    prepared_statements: PreparedStatements,
    rooms: Arc<Rooms>,
    begun_anew: Arc<StatementQueue>,
    events: RunningEvents,
    files: Folders,
    tls: Option<ServerTls>,
    access: Arc<AccessControl>,
    counters: Counters,
    started: u64,
}

impl Sql {
    /// The SQL layer over an engine; `start` is what starts that which runs its long queries.
    ///
    /// # Errors
    /// When a folder of `files` cannot be opened, and those of `start`.
    pub fn new(
        engine: Arc<Engine>,
        options: &SqlOptions,
        start: impl FnOnce(&Arc<Engine>, &LongQueryOptions) -> Result<Arc<dyn LongQueries>>,
    ) -> Result<Arc<Sql>> {
        let long_queries = start(
            &engine,
            &LongQueryOptions {
                memory_bytes: options.memory_bytes,
                threads: options.threads,
                temp_dir: options.temp_dir.clone(),
            },
        )?;
        results::panics::watch();
        let globals = GlobalVariables::default();
        globals.fix("version", SERVER_VERSION);
        globals.fix("port", options.port.to_string());
        globals.fix("max_connections", options.connections_max.to_string());
        globals.fix("datadir", options.data_dir.clone());
        globals.fix("hostname", options.hostname.clone());
        if let Some(tls) = &options.tls {
            globals.fix("have_ssl", "YES");
            globals.fix("have_openssl", "YES");
            globals.fix("require_secure_transport", if tls.is_required { "ON" } else { "OFF" });
        }
        globals.fix("system_time_zone", Zone::of_system().name().unwrap_or("UTC"));
        globals.fix("max_allowed_packet", options.packet_bytes_max.to_string());
        globals.fix("max_statement_time", options.statement_time_max.as_secs_f64().to_string());
        let files = Folders::open(&options.files).map_err(|error| {
            SqlError::other(format!("a folder of the setting 'files' cannot be opened: {error}"))
        })?;
        globals.fix("secure_file_priv", files.shown());
        globals.fix("event_scheduler", if options.event_scheduler { "ON" } else { "OFF" });
        let word = plan::variables::durability_word(engine.durability());
        globals.fix("rowhouse_durability", word);
        globals.fix("long_query_time", format!("{:.6}", options.long_query_time.as_secs_f64()));
        let logs = &options.logs;
        let switch = |is_on: bool| if is_on { "ON" } else { "OFF" };
        globals.fix("performance_schema", switch(options.digests));
        globals.fix("log_output", logs.output.to_string());
        globals.fix("slow_query_log", switch(logs.slow));
        globals.fix("slow_query_log_file", logs.slow_file.display().to_string());
        globals.fix("log_queries_not_using_indexes", switch(logs.unindexed));
        globals.fix("log_slow_extra", switch(logs.extra));
        globals.fix("general_log", switch(logs.general));
        globals.fix("general_log_file", logs.general_file.display().to_string());
        let started = engine.clock().unix_micros();
        let rooms = Rooms::of(engine.budget());
        let named_locks = NamedLocks::of(engine.budget());
        let accounts = engine.catalog().accounts_at_start();
        let access = AccessControl::load(accounts).map_err(|(at, why)| {
            let key = accounts[at].0.clone();
            SqlError::from(rows::Error::Corrupt { key, why })
        })?;
        let access = access.with_clock(Arc::clone(engine.clock()));
        let access = Arc::new(access);
        if let Some(audit) = &options.audit {
            let log = AuditLog::begin(audit.clone(), engine.budget()).map_err(|error| {
                SqlError::other(format!("the audit log cannot be opened: {error}"))
            })?;
            access.begin_audit(log);
        }
        let memory_bytes = engine.budget().bytes_max();
        let logs = StatementLogs::new(logs, memory_bytes);
        logs.slow().log_requests_after(options.long_query_time);
        let history = StatementHistory::new(memory_bytes, logs, Arc::clone(&access));
        let history = Arc::new(if options.digests { history } else { history.without_digests() });
        Ok(Arc::new(Sql {
            engine,
            long_queries,
            plans: PlanCache::default(),
            samples: Arc::default(),
            globals,
            connections_max: (
                options.connections_max,
                Arc::new(AtomicUsize::new(options.connections_max)),
            ),
            processes: Processes::of(&history),
            door_clients: Arc::default(),
            history,
            named_locks,
            prepared_statements: PreparedStatements::default(),
            rooms,
            begun_anew: Arc::default(),
            events: RunningEvents::new(options.event_time_max),
            files,
            tls: options.tls.clone(),
            access,
            counters: Counters::default(),
            started,
        }))
    }

    /// The rows beneath.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The server's TLS.
    pub(crate) fn tls(&self) -> Option<&ServerTls> {
        self.tls.as_ref()
    }

    /// What runs queries that look at many rows.
    pub(crate) fn long_queries(&self) -> &dyn LongQueries {
        &*self.long_queries
    }

    /// Plans of statements seen before.
    pub(crate) fn plans(&self) -> &PlanCache {
        &self.plans
    }

    /// What entries of indexes have shown lately.
    pub(crate) fn samples(&self) -> &Arc<Samples> {
        &self.samples
    }

    /// Values that new sessions start with.
    pub fn globals(&self) -> &GlobalVariables {
        &self.globals
    }

    /// How many connections the MySQL door may have now, by SET GLOBAL max_connections.
    pub fn connections_max(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.connections_max.1)
    }

    /// SET GLOBAL max_connections: at least 1 and at most what the settings allow, which is the
    /// default; what it has become.
    pub(crate) fn set_connections_max(&self, wanted: Option<usize>) -> usize {
        let (most, now) = &self.connections_max;
        let set = wanted.map_or(*most, |wanted| wanted.min(*most).max(1));
        now.store(set, Ordering::Relaxed);
        self.globals.fix("max_connections", set.to_string());
        set
    }

    /// The clients of doors that speak no SQL.
    pub fn door_clients(&self) -> &Arc<DoorClients> {
        &self.door_clients
    }

    /// The sessions there are.
    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    /// What statements have taken.
    pub(crate) fn history(&self) -> &StatementHistory {
        &self.history
    }

    /// Closes log files, so that the next entry opens them again: FLUSH LOGS, SIGHUP.
    pub fn reopen_logs(&self) {
        self.history.logs().reopen();
        if let Some(audit) = self.access.audit() {
            audit.reopen();
        }
    }

    /// SET GLOBAL of a variable of the slow log or the general log.
    pub(crate) fn take_over_log_variable(&self, name: &str) {
        if let Some(definition) = definition(name) {
            self.history.logs().take_over(name, &self.globals.text(definition));
        }
    }

    /// GET_LOCK's locks.
    pub fn named_locks(&self) -> &NamedLocks {
        &self.named_locks
    }

    /// The number of prepared statements.
    pub fn prepared_statements(&self) -> &PreparedStatements {
        &self.prepared_statements
    }

    /// The memory of large statements.
    pub(crate) fn rooms(&self) -> &Arc<Rooms> {
        &self.rooms
    }

    /// Statements that are begun again, since there was no memory for them beside others.
    pub(crate) fn begun_anew(&self) -> &Arc<StatementQueue> {
        &self.begun_anew
    }

    /// The jobs inside the server.
    pub(crate) fn events(&self) -> &RunningEvents {
        &self.events
    }

    /// Whether `event_scheduler` is ON.
    pub(crate) fn runs_events(&self) -> bool {
        definition("event_scheduler")
            .is_some_and(|definition| self.globals.text(definition) == "ON")
    }

    /// The files that statements may read and make.
    pub(crate) fn files(&self) -> &Folders {
        &self.files
    }

    /// Accounts and what they may do.
    pub fn access(&self) -> &Arc<AccessControl> {
        &self.access
    }

    /// Figures for SHOW STATUS.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// `VERSION()`.
    pub fn version(&self) -> &'static str {
        SERVER_VERSION
    }

    /// When the server started, microseconds since the epoch.
    pub(crate) fn started_at(&self) -> u64 {
        self.started
    }

    /// Seconds since the start.
    pub fn uptime_seconds(&self) -> u64 {
        self.engine.clock().unix_micros().saturating_sub(self.started) / 1_000_000
    }
}

/// What functions ask.
impl expression::Server for Sql {
    fn version(&self) -> &str {
        SERVER_VERSION
    }

    fn global_variable(&self, name: &str) -> Option<Value> {
        definition(name).map(|definition| self.globals.value(definition))
    }

    fn acquire_lock(
        &self,
        name: &str,
        by: u32,
        wait: Duration,
        kill: &KillMark,
    ) -> expression::Result<bool> {
        during(Waiting::NamedLock, || self.named_locks.acquire(name, by, wait, kill))
    }

    fn release_lock(&self, name: &str, by: u32) -> Option<bool> {
        self.named_locks.release(name, by)
    }

    fn release_all_locks(&self, by: u32) -> u32 {
        self.named_locks.release_all(by)
    }

    fn lock_holder(&self, name: &str) -> Option<u32> {
        self.named_locks.holder(name)
    }

    fn has_thread(&self, connection: u32) -> bool {
        self.processes.find(connection).is_some()
    }

    fn is_consumer_enabled(&self, name: &str) -> Option<bool> {
        is_consumer_enabled(name)
    }

    fn statement_digest(
        &self,
        statement: &[u8],
        mode: SqlMode,
    ) -> expression::Result<(String, String)> {
        digested(statement, mode)
    }
}
