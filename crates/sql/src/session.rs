//! A connection's session: the one type that `doors::mysql::execute` talks to.
//!
//! ```text
//! Sql::new(engine, options, long_queries)           shared by all sessions of a server
//! Session::new(&sql, connection_id, user, host, database)  one per connection
//! session.query(bytes, how)          -> (Reply, bytes taken)   first statement of a text
//! session.prepare(bytes)             -> Prepared
//! session.execute(id, &[Datum], how) -> Reply
//! session.query_in_loop(bytes, group), execute_in_loop(id, &[Datum], group)   short writes join it
//! stream.next(how, sink)             -> more?                  rows, piecewise
//! load.feed(&mut session, bytes), load.finish(&mut session) -> Done    LOAD DATA LOCAL
//! ```
//!
//! A statement that would wait and may not gives `SqlError::WouldWait`: nothing was done, the
//! caller repeats it with `ExecutionMode::POOL`.
//!
//! A SELECT over a table may name the hidden column `__rowhouse_key` (BLOB: the row key), which
//! `SELECT *` does not show; UPDATE and DELETE with joins or sub-queries use it.
//!
//! Invariants
//! 1. With autocommit and no open transaction, a statement that failed has changed nothing.
//! 2. Inside a transaction, a statement that failed is undone alone (savepoint).
//! 3. A transaction's plain SELECTs read one snapshot, taken by its first read, overlaid with
//!    its own writes; its writes and locking reads work on the latest state.
//!
//! Not here: wire formats (`doors::mysql`), how statements are carried out (the modules beneath
//! and beside).

mod account_options;
mod accounts;
mod admin;
mod audited;
mod authorization;
mod checksum;
mod commands;
mod definers;
mod definitions;
mod described;
mod diagnostics;
mod event_body;
mod events;
mod explain;
mod feed_load;
mod field_list;
mod grants;
mod handler;
mod inserts;
mod instance_lock;
mod into;
mod joined;
mod kept_plans;
mod load;
mod locked_query;
mod locking;
mod logged_plan;
mod memory_shortage;
mod of_query;
mod outfile;
mod own_tables;
mod plan_admission;
mod prepared;
mod query;
mod restarts;
mod select;
mod set;
mod set_statement;
mod show_filter;
mod source;
mod statement;
mod table_locks;
mod temporary;
mod transaction;
mod upkeep;
mod usage;
mod view_rights;
mod views;
mod write;
mod write_plan;
mod xa;

pub use commands::SessionCommand;
use statement::Statement;
use table_locks::SessionTableLocks;
pub use usage::limit_reached;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::audit::AuditClass;
use access::{AccountName, Principal};
use parking_lot::Mutex;
use resources::budget::Share;
use rows::table_locks::DefinitionsLock;
use values::CharacterSet;
use values::types::Collation;

use crate::load::InsertLoad;
use crate::reply::{OkFigures, Reply};
use crate::server::{CommandWord, Process, Sql, StatementProgress, TableWatch};
use plan::context::{HoldNumber, SqlContext, StatementServer, WrittenTable};
use plan::encryption::SessionTls;
use plan::listing::{SystemSchema, is_own_name};
use plan::relations::TemporaryNames;
use plan::variables::{Charsets, IsolationLevel, SessionVariables};
use results::{FoundRows, Result, SqlError};

use expression::{
    KillMark, Limits, Server, SideEffects, StatementContext, SystemVariables, UserVariable,
    Warnings,
};
use prepared::PreparedStatement;
use syntax::TableName;
use syntax::scan::Scanned;
use syntax::scan::client_text::ClientText;
use transaction::OpenTransaction;
use usage::UncountedUse;
use xa::XaBranch;

/// Status flag: a transaction is open.
const STATUS_IN_TRANSACTION: u16 = 1;
/// Status flag: autocommit.
const STATUS_AUTOCOMMIT: u16 = 2;
/// Status flag: a backslash in a string is a character like any other. Clients that quote values
/// themselves go by it, so without it what they quote can be broken out of.
const STATUS_NO_BACKSLASH_ESCAPES: u16 = 0x200;

/// One connection.
pub struct Session {
    sql: Arc<Sql>,
    process: Arc<Process>,
    /// `name@host`, as `USER()` gives it.
    user: String,
    /// Whose rights it has.
    principal: Principal,
    /// What of the statement that runs its account's limits have not counted yet.
    uncounted: UncountedUse,
    /// What the statement that runs is to the audit log.
    audit_class: AuditClass,
    /// Whether the audit log watches a table of the statement, as far as that is known.
    table_watch: Cell<TableWatch>,
    /// Tables that the statement being bound writes to (`authorization`).
    written: RefCell<Arc<[WrittenTable]>>,
    /// Views that it writes through (`SqlContext::keyed_views`).
    keyed_views: RefCell<Arc<[u32]>>,
    database: Option<String>,
    variables: Arc<SessionVariables>,
    user_variables: Arc<HashMap<String, UserVariable>>,
    user_variable_bytes: usize,
    /// Memory for the user variables.
    user_share: Share,
    open: Option<OpenTransaction>,
    /// The global transaction that the open one is.
    xa: Option<XaBranch>,
    /// Its temporary tables, if it has any.
    temporary: Option<Arc<TemporaryNames>>,
    /// Whether the statement that runs writes to temporary tables alone.
    writes_temporary: bool,
    /// LOAD INSERTS; then no other transaction is open.
    inserts: Option<Box<InsertLoad>>,
    /// LOCK TABLES, FLUSH TABLES WITH READ LOCK.
    /// What HANDLER has open.
    handlers: Vec<handler::OpenHandler>,
    table_locks: Option<SessionTableLocks>,
    /// LOCK INSTANCE FOR BACKUP.
    instance_lock: Option<DefinitionsLock>,
    /// What SET TRANSACTION said of the next transaction only.
    next_read_only: Option<bool>,
    /// The same of its isolation.
    next_isolation: Option<IsolationLevel>,
    warnings: RefCell<Warnings>,
    /// What each statement may use.
    limits: Arc<Limits>,
    /// When the session's time is over, if it is an event's.
    deadline: Option<Instant>,
    /// `@@warning_count` and `@@error_count`: of the statement before.
    counts_before: (u64, u64),
    last_insert_id: u64,
    row_count: i64,
    /// The last statement was SHOW WARNINGS or a like one.
    shows_warnings: bool,
    found_rows: FoundRows,
    /// CLIENT_FOUND_ROWS.
    counts_found: bool,
    /// CLIENT_MULTI_STATEMENTS.
    multi_statements: bool,
    /// How its client is encrypted.
    tls: SessionTls,
    prepared: HashMap<u32, PreparedStatement>,
    /// Statements by the names of PREPARE.
    named: HashMap<String, u32>,
    next_prepared: u32,
    /// Whether EXECUTE is under way.
    executing: bool,
    /// That other queries are held back for its statement, which found no memory beside them.
    comes_first: Option<HoldNumber>,
    /// Reused from statement to statement.
    scanned: Scanned,
    /// Text without literals of the statement that runs, if it may run long.
    shape: Arc<str>,
}

impl Session {
    /// A session for a user who has logged in.
    ///
    /// # Errors
    /// 1049 when there is no such database.
    pub fn new(
        sql: &Arc<Sql>,
        connection_id: u32,
        user: &str,
        host: &str,
        database: Option<&str>,
    ) -> Result<Session> {
        let mut session =
            Session::of_principal(sql, connection_id, (user, host), sql.access().superuser())?;
        session.begin_in(database)?;
        Ok(session)
    }

    fn begin_in(&mut self, database: Option<&str>) -> Result<()> {
        match database.filter(|name| !name.is_empty()) {
            Some(database) => self.set_database(database),
            None => Ok(()),
        }
    }

    fn of_principal(
        sql: &Arc<Sql>,
        connection_id: u32,
        (user, host): (&str, &str),
        principal: Principal,
    ) -> Result<Session> {
        sql.counters().connections.add();
        let now = sql.engine().clock().unix_micros();
        let variables = SessionVariables::new(sql.globals())?;
        let ceiling = principal.meter.as_ref().and_then(|meter| meter.memory_ceiling());
        let process = sql.processes().join(connection_id, (user, host), now, ceiling);
        let budget = sql.engine().budget();
        // What its variables take is this connection's.
        let of_connection = KillMark::of_this_thread(&process.kill);
        let user_share = budget.share();
        drop(of_connection);
        Ok(Session {
            sql: Arc::clone(sql),
            limits: Arc::new(Limits::new(variables.value_bytes_max, budget, &process.kill)),
            process,
            deadline: None,
            user: format!("{user}@{host}"),
            principal,
            uncounted: UncountedUse::default(),
            audit_class: AuditClass::Statements,
            table_watch: Cell::default(),
            written: RefCell::new(Arc::from([])),
            keyed_views: RefCell::new(Arc::from([])),
            database: None,
            variables: Arc::new(variables),
            user_variables: Arc::new(HashMap::new()),
            user_variable_bytes: 0,
            user_share,
            open: None,
            xa: None,
            temporary: None,
            writes_temporary: false,
            inserts: None,
            handlers: Vec::new(),
            table_locks: None,
            instance_lock: None,
            next_read_only: None,
            next_isolation: None,
            warnings: RefCell::new(Warnings::default()),
            counts_before: (0, 0),
            last_insert_id: 0,
            row_count: 0,
            shows_warnings: false,
            found_rows: FoundRows::default(),
            counts_found: false,
            multi_statements: false,
            tls: SessionTls::default(),
            prepared: HashMap::new(),
            named: HashMap::new(),
            next_prepared: 1,
            executing: false,
            comes_first: None,
            scanned: Scanned::within(sql.engine().budget().bytes_max() / statement::LITERALS_PART),
            shape: Arc::from(""),
        })
    }

    /// A session for a user who has logged in as an account, with the rights of that.
    ///
    /// # Errors
    /// 1044 for a database that it may not see, whether it is there or not; as `new`.
    pub fn of_account(
        sql: &Arc<Sql>,
        connection_id: u32,
        (user, host): (&str, &str),
        account: &AccountName,
        database: Option<&str>,
    ) -> Result<Session> {
        let principal = sql.access().at_login(account);
        let mut session = Session::of_principal(sql, connection_id, (user, host), principal)?;
        session.begin_in(database)?;
        Ok(session)
    }

    /// Whether affected rows are those found rather than those changed (CLIENT_FOUND_ROWS).
    pub fn set_found_rows(&mut self, found: bool) {
        self.counts_found = found;
    }

    /// Whether a text may hold several statements (CLIENT_MULTI_STATEMENTS). If not, a text with
    /// more than one is a syntax error before any is executed: what an injection would append.
    pub fn set_multi_statements(&mut self, allowed: bool) {
        self.multi_statements = allowed;
    }

    /// The character sets of statements and results.
    pub fn charsets(&self) -> Charsets {
        self.variables.charsets
    }

    /// A statement as the client sent it, in UTF-8.
    pub fn client_text<'a>(&self, sent: &'a [u8]) -> ClientText<'a> {
        ClientText::new(sent, self.variables.charsets.client, self.variables.mode)
    }

    /// Takes the collation that a login asks for by its number, and its character set: as SET NAMES
    /// does. utf8mb4 stays for the shorter UTF-8, and where the number says none that a client may
    /// have.
    ///
    /// # Errors
    /// 1041 when there is no memory for it.
    pub fn set_login_collation(&mut self, number: u16) -> Result<()> {
        let set = CharacterSet::of_collation_number(number)
            .filter(|set| set.may_be_client() && (!set.is_utf8() || *set == CharacterSet::UTF8MB4));
        let Some(set) = set else { return Ok(()) };
        // Of one that is not built there is the character set's own.
        let named = Collation::of_number(number);
        self.set_names(Some(set.name()), named.map(Collation::name))
    }

    /// Tells the general log that the client has logged in, by such a way.
    pub fn note_login(&self, way: &str) {
        let (user, database) = (&self.user, self.database.as_deref().unwrap_or(""));
        let words = format!("{user} on {database} using {way}");
        self.note_command(CommandWord::Connect, words.as_bytes());
    }

    /// Tells the general log that the client says that it goes.
    pub fn note_quit(&self) {
        self.note_command(CommandWord::Quit, b"");
    }

    fn note_command(&self, word: CommandWord, argument: &[u8]) {
        self.process.note_command(word, argument, self.sql.engine().clock().unix_micros());
    }

    /// COM_INIT_DB.
    ///
    /// # Errors
    /// As `set_database`.
    pub fn begin_with_database(&mut self, name: &str) -> Result<()> {
        self.note_command(CommandWord::InitDb, name.as_bytes());
        self.set_database(name)
    }

    /// Takes what the client says of itself when it logs in: `session_connect_attrs`.
    pub fn set_attributes(&mut self, attributes: Box<[(String, String)]>) {
        self.process.set_attributes(attributes);
    }

    /// What its client says of itself.
    pub fn attributes(&self) -> Box<[(String, String)]> {
        self.process.attributes()
    }

    /// Its client is encrypted in this way.
    pub fn set_tls(&mut self, tls: SessionTls) {
        self.tls = tls;
    }

    /// The server's SQL layer.
    pub fn sql(&self) -> &Arc<Sql> {
        &self.sql
    }

    /// The current database.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// USE, COM_INIT_DB.
    ///
    /// # Errors
    /// 1049; 1044 for one that may not be seen.
    pub fn set_database(&mut self, name: &str) -> Result<()> {
        self.renew_rights();
        // Those are found in either case, and called by one name.
        let name = SystemSchema::of(name).map_or(name, |schema| schema.name());
        self.check_seen_database(name)?;
        if !self.has_database(name) {
            return Err(SqlError::unknown_database(name));
        }
        self.database = Some(name.to_string());
        self.process.set_database(Some(name));
        self.tell_database_text()
    }

    /// What tables of the current database take.
    fn database_collation(&self) -> Collation {
        let catalog = self.sql.engine().catalog();
        let text = self.database.as_deref().map(|name| catalog.text_defaults(name));
        text.and_then(|text| text.collation).unwrap_or(Collation::Utf8Mb4GeneralCi)
    }

    /// Has the session's variables say what tables of the current database take.
    fn tell_database_text(&mut self) -> Result<()> {
        let collation = self.database_collation();
        for (name, value) in [
            ("collation_database", collation.name()),
            ("character_set_database", collation.set_name()),
        ] {
            let Some(definition) = plan::variables::definition(name) else { continue };
            if self.variables.text(definition) != value {
                Arc::make_mut(&mut self.variables).keep(definition, value.to_owned())?;
            }
        }
        Ok(())
    }

    /// Whether there is a database of this name, in the case in which it is called.
    fn has_database(&self, name: &str) -> bool {
        is_own_name(name) || self.sql.engine().catalog().has_database(name)
    }

    /// Flags of the protocol: in a transaction, autocommit.
    pub fn status_flags(&self) -> u16 {
        let open = if self.in_transaction() { STATUS_IN_TRANSACTION } else { 0 };
        let autocommit = if self.variables.autocommit { STATUS_AUTOCOMMIT } else { 0 };
        let backslash = self.variables.mode.no_backslash_escapes();
        open | autocommit | if backslash { STATUS_NO_BACKSLASH_ESCAPES } else { 0 }
    }

    /// Warnings of the last statement; one that shows those of the statement before has none.
    pub fn warning_count(&self) -> u16 {
        if self.shows_warnings {
            return 0;
        }
        self.take_late_warnings();
        self.warnings.borrow().count_u16()
    }

    /// Takes over what values found wrong that were made while rows were on their way.
    fn take_late_warnings(&self) {
        self.warnings.borrow_mut().append(self.limits.take_warnings());
    }

    /// Whether KILL CONNECTION was said of it: the door closes it.
    pub fn is_killed(&self) -> bool {
        self.process.kill.is_connection_killed()
    }

    /// The largest packet of the connection, in bytes: `max_allowed_packet`.
    pub fn packet_bytes_max(&self) -> usize {
        self.variables.value_bytes_max
    }

    /// What shows other threads how far its statements are.
    pub fn progress(&self) -> StatementProgress {
        self.process.progress()
    }

    /// `progress_report_time`: how often its client is to be told; `None`: never.
    pub fn report_interval(&self) -> Option<Duration> {
        self.variables.report_interval
    }

    /// What other threads call to end what runs, as KILL CONNECTION does.
    pub fn killer(&self) -> impl Fn() + Send + Sync + use<> {
        let kill = Arc::clone(&self.process.kill);
        move || kill.kill_connection()
    }

    /// Whether a transaction is open: then locks may be held.
    pub fn in_transaction(&self) -> bool {
        self.open.is_some() || self.inserts.is_some()
    }

    /// The line that COM_STATISTICS answers.
    pub fn statistics(&self) -> String {
        let uptime = self.sql.uptime_seconds();
        let questions = self.sql.counters().questions.get();
        let rate = questions as f64 / uptime.max(1) as f64;
        let slow = self.sql.history().logs().slow().count();
        format!(
            "Uptime: {uptime}  Threads: {}  Questions: {questions}  Slow queries: {slow}  Opens: 0  \
             Flush tables: 0  Open tables: 0  Queries per second avg: {rate:.3}",
            self.sql.processes().count()
        )
    }

    /// The statement's surroundings.
    fn facts(&self) -> Arc<SqlContext> {
        let now = self.variables.timestamp;
        let now = now.unwrap_or_else(|| self.sql.engine().clock().unix_micros() as i64);
        let statement = StatementContext {
            connection_id: self.process.id,
            user: self.user.clone(),
            account: self.account_name(),
            roles: self.role_names(),
            database: self.database.clone(),
            zone: self.variables.zone,
            now,
            last_insert_id: self.last_insert_id,
            row_count: self.row_count,
            found_rows: self.found_rows.get(),
            warning_count: self.counts_before.0,
            error_count: self.counts_before.1,
            mode: self.variables.mode,
            charset: self.variables.charsets.connection,
            time_names: self.variables.time_names,
            week_format: self.variables.week_format,
            block_mode: self.variables.block_mode,
            variables: Arc::clone(&self.variables) as Arc<dyn SystemVariables>,
            user_variables: Arc::clone(&self.user_variables),
            kill: Arc::clone(&self.process.kill),
            limits: Arc::clone(&self.limits),
            shape: Arc::clone(&self.shape),
            random: Mutex::default(),
            side_effects: Arc::new(Mutex::new(SideEffects::default())),
            server: Arc::clone(&self.sql) as Arc<dyn Server>,
        };
        Arc::new(SqlContext {
            statement,
            sql: Arc::clone(&self.sql) as Arc<dyn StatementServer>,
            rights: Arc::clone(&self.principal.rights),
            written: Arc::clone(&self.written.borrow()),
            keyed_views: Arc::clone(&self.keyed_views.borrow()),
            variables: Arc::clone(&self.variables),
            tls: self.tls,
            temporary: self.temporary.clone(),
            reads_lock: self.reads_lock(),
            comes_first: self.comes_first,
        })
    }

    /// Takes over what expressions left behind.
    ///
    /// # Errors
    /// As `keep_variables`.
    fn take_side_effects(&mut self, facts: &SqlContext) -> Result<()> {
        let side_effects = std::mem::take(&mut *facts.side_effects.lock());
        if let Some(id) = side_effects.last_insert_id {
            self.last_insert_id = id;
        }
        if side_effects.user_variables.is_empty() {
            return Ok(());
        }
        self.keep_variables(side_effects.user_variables)
    }

    /// Database and name of a table.
    fn qualified<'n>(&'n self, name: &'n TableName) -> Result<(&'n str, &'n str)> {
        let database = name.database.as_deref().or(self.database.as_deref());
        Ok((database.ok_or_else(SqlError::no_database)?, &name.table))
    }

    fn done(&self, affected: u64) -> Reply {
        Reply::Done(OkFigures {
            affected,
            warnings: self.warnings.borrow().count_u16(),
            ..OkFigures::default()
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            temporary.drop_all(self.sql.engine());
        }
        self.sql.named_locks().release_all(self.process.id);
        self.sql.processes().part(self.process.id);
    }
}
