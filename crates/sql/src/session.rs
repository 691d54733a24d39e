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
//! caller repeats it with `How::POOL`.
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

mod accounts;
mod admin;
mod authorization;
mod checksum;
mod commands;
mod definitions;
mod event_body;
mod events;
mod explain;
mod feed_load;
mod field_list;
mod grants;
mod inserts;
mod into;
mod joined;
mod load;
mod locked_query;
mod locking;
mod memory_shortage;
mod outfile;
mod prepared;
mod query;
mod restarts;
mod select;
mod set;
mod set_statement;
mod source;
mod temporary;
mod transaction;
mod view_rights;
mod views;
mod write;
mod write_plan;

pub use commands::SessionCommand;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::{AccountName, Principal};
use parking_lot::Mutex;
use resources::background::begin_busy_thread;
use resources::budget::Share;
use resources::counter::Counter;
use resources::waiting;
use rows::Group;
use rows::ddl::ReadLock;
use values::CharacterSet;
use values::ErrorCode;
use values::datum::{Datum, Value};

use crate::load::InsertLoad;
use crate::plan_cache::Plan;
use crate::reply::{OkFigures, Parameter, PreparedReply, Reply};
use crate::server::{
    Counters, Process, Room, Sql, StatementKind, StatementOutcome, StatementProgress,
};
use plan::context::{HoldNumber, SqlContext, StatementServer, WrittenTable};
use plan::encryption::SessionTls;
use plan::listing::{SystemSchema, is_own_name};
use plan::relations::TemporaryNames;
use plan::variables::{Charsets, SessionVariables};
use results::{FoundRows, How, Result, SqlError, panics};

use expression::{
    KillMark, Level, Limits, Server, SideEffects, StatementContext, SystemVariables, ThreadGuard,
    TimeLimit, Warnings,
};
use prepared::PreparedStatement;
use syntax::TableName;
use syntax::scan::{Scanned, leading_word, open_version_comments, skip_space, without_ends};
use transaction::OpenTransaction;

/// Status flag: a transaction is open.
const STATUS_IN_TRANSACTION: u16 = 1;
/// Status flag: autocommit.
const STATUS_AUTOCOMMIT: u16 = 2;
/// Status flag: a backslash in a string is a character like any other. Clients that quote values
/// themselves go by it, so without it what they quote can be broken out of.
const STATUS_NO_BACKSLASH_ESCAPES: u16 = 0x200;

/// The part of the clients' memory that the literals of one statement may take.
const LITERALS_PART: usize = 2;
/// Longest text of a statement, and longest parameter, that is looked at in an event loop.
const LOOP_TEXT_BYTES_MAX: usize = 64 << 10;
/// A longer text is carried out in buffers of some hundred kilobytes or more; a thread that has
/// done that will do it again.
const LONG_TEXT_BYTES: usize = 4 << 10;
/// Longest shape that is parsed there: parsing and binding take a microsecond a byte, and up to
/// a millisecond where brackets are nested. The plan of a known shape is there already.
const LOOP_SHAPE_BYTES_MAX: usize = 512;

/// One connection.
pub struct Session {
    sql: Arc<Sql>,
    process: Arc<Process>,
    /// `name@host`, as `USER()` gives it.
    user: String,
    /// Whose rights it has.
    principal: Principal,
    /// Tables that the statement being bound writes to (`authorization`).
    written: RefCell<Arc<[WrittenTable]>>,
    database: Option<String>,
    variables: Arc<SessionVariables>,
    user_variables: Arc<HashMap<String, Value>>,
    user_variable_bytes: usize,
    /// Memory for the user variables.
    user_share: Share,
    open: Option<OpenTransaction>,
    /// Its temporary tables, if it has any.
    temporary: Option<Arc<TemporaryNames>>,
    /// Whether the statement that runs writes to temporary tables alone.
    writes_temporary: bool,
    /// LOAD INSERTS; then no other transaction is open.
    inserts: Option<Box<InsertLoad>>,
    /// FLUSH TABLES WITH READ LOCK.
    read_lock: Option<ReadLock>,
    /// What SET TRANSACTION said of the next transaction only.
    next_read_only: Option<bool>,
    warnings: RefCell<Warnings>,
    /// What each statement may use.
    limits: Arc<Limits>,
    /// When the session's time is over, if it is an event's.
    deadline: Option<Instant>,
    /// `@@warning_count` and `@@error_count`: of the statement before.
    counts_before: (u64, u64),
    last_insert_id: u64,
    row_count: i64,
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

/// A statement under way: its text, taken apart.
#[derive(Clone, Copy)]
struct Statement<'a> {
    /// The text, of which `scanned` gives the part.
    text: &'a [u8],
    scanned: &'a Scanned,
    /// Literals and `?`, as datums.
    parameters: &'a [Datum<'a>],
    /// The client's own `?`.
    own: &'a [Datum<'a>],
    how: How,
}

impl<'a> Statement<'a> {
    /// The statement's text.
    fn source(&self) -> &'a [u8] {
        &self.text[self.scanned.start..self.scanned.end]
    }

    /// The statement's text, which must be UTF-8.
    fn source_text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.source()).map_err(|error| {
            let at = error.valid_up_to();
            let bad = self.source()[at..].iter().take(4);
            let shown: String = bad.map(|byte| format!("\\x{byte:02X}")).collect();
            SqlError::new(
                ErrorCode::InvalidCharacterString,
                format!("Invalid utf8mb4 character string: '{shown}'"),
            )
        })
    }

    /// Its shape, to be parsed; UTF-8 unless names are not.
    ///
    /// # Errors
    /// 1300 where it is not; `would_wait` for a long one in an event loop.
    fn shape(&self) -> Result<&'a str> {
        if !self.how.may_wait
            && self.scanned.shape.len() + self.scanned.listed > LOOP_SHAPE_BYTES_MAX
        {
            return Err(SqlError::WouldWait);
        }
        std::str::from_utf8(&self.scanned.shape).map_err(|_| {
            SqlError::new(
                ErrorCode::InvalidCharacterString,
                "Invalid utf8mb4 character string in a name",
            )
        })
    }
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
        sql.counters().connections.add();
        let now = sql.engine().clock().unix_micros();
        let variables = SessionVariables::new(sql.globals())?;
        let process = sql.processes().join(connection_id, user, host, now);
        let budget = sql.engine().budget();
        let mut session = Session {
            sql: Arc::clone(sql),
            limits: Arc::new(Limits::new(variables.value_bytes_max, budget, &process.kill)),
            process,
            deadline: None,
            user: format!("{user}@{host}"),
            principal: sql.access().superuser(),
            written: RefCell::new(Arc::from([])),
            database: None,
            variables: Arc::new(variables),
            user_variables: Arc::new(HashMap::new()),
            user_variable_bytes: 0,
            user_share: sql.engine().budget().share(),
            open: None,
            temporary: None,
            writes_temporary: false,
            inserts: None,
            read_lock: None,
            next_read_only: None,
            warnings: RefCell::new(Warnings::default()),
            counts_before: (0, 0),
            last_insert_id: 0,
            row_count: 0,
            found_rows: FoundRows::default(),
            counts_found: false,
            multi_statements: false,
            tls: SessionTls::default(),
            prepared: HashMap::new(),
            named: HashMap::new(),
            next_prepared: 1,
            executing: false,
            comes_first: None,
            scanned: Scanned::within(sql.engine().budget().bytes_max() / LITERALS_PART),
            shape: Arc::from(""),
        };
        if let Some(database) = database.filter(|name| !name.is_empty()) {
            session.set_database(database)?;
        }
        Ok(session)
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
        let mut session = Session::new(sql, connection_id, user, host, None)?;
        session.act_as(account);
        if let Some(database) = database.filter(|name| !name.is_empty()) {
            session.set_database(database)?;
        }
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

    /// Takes the character set that a login asks for by the number of one of its collations: as SET
    /// NAMES does, and UTF-8 where the number says none that a client may have.
    ///
    /// # Errors
    /// 1041 when there is no memory for it.
    pub fn set_login_collation(&mut self, number: u16) -> Result<()> {
        let set = CharacterSet::of_collation_number(number);
        match set.filter(|set| set.may_be_client() && !set.is_utf8() && !set.is_binary()) {
            Some(set) => self.set_names(Some(set.name()), None),
            None => Ok(()),
        }
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

    /// Warnings of the last statement.
    pub fn warning_count(&self) -> u16 {
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
        let slow = self.sql.history().slow_log().count();
        format!(
            "Uptime: {uptime}  Threads: {}  Questions: {questions}  Slow queries: {slow}  Opens: 0  \
             Flush tables: 0  Open tables: 0  Queries per second avg: {rate:.3}",
            self.sql.processes().count()
        )
    }

    /// Executes the first statement of `text`; says how many bytes it took, `;` and the spaces
    /// behind it included. Semicolons at the end of the text end nothing.
    ///
    /// # Errors
    /// MySQL's; `would_wait` when it may not wait and would have to: nothing was done.
    pub fn query(&mut self, text: &[u8], how: How) -> Result<(Reply, usize)> {
        self.query_with(text, how, None)
    }

    /// As `query` in an event loop. A short write outside of a transaction, and the COMMIT of one
    /// that is not large, alone in its text, joins the group: it is not to be acknowledged before
    /// the group is committed, and `commit_failed` is to be told if that fails.
    ///
    /// # Errors
    /// As `query`; a statement that failed has left nothing in the group.
    pub fn query_in_loop(&mut self, text: &[u8], group: &mut Group) -> Result<(Reply, usize)> {
        self.query_with(text, How::LOOP, Some(group))
    }

    fn query_with(
        &mut self,
        text: &[u8],
        how: How,
        group: Option<&mut Group>,
    ) -> Result<(Reply, usize)> {
        // Reading a long text takes its time, too.
        if !how.may_wait && text.len() > LOOP_TEXT_BYTES_MAX {
            return Err(SqlError::WouldWait);
        }
        if how.may_wait && text.len() > LONG_TEXT_BYTES {
            begin_busy_thread(self.sql.engine().budget().bytes_max());
        }
        let written = without_ends(text);
        let opened = open_version_comments(written, self.variables.mode);
        let opened = opened.as_deref().unwrap_or(written);
        let mut scanned = std::mem::take(&mut self.scanned);
        let _current = self.current(how);
        let result = self.query_scanned((written, opened), &mut scanned, how, group);
        let next = self.behind(opened, &scanned);
        let taken = if next < written.len() { next } else { text.len() };
        scanned.shrink();
        self.scanned = scanned;
        Ok((result?, taken))
    }

    /// `text` is what was `written` with the comments that are executed as a part of it.
    fn query_scanned(
        &mut self,
        (written, text): (&[u8], &[u8]),
        scanned: &mut Scanned,
        how: How,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let scan = scanned.scan(text, self.variables.mode);
        self.enter(&text[scanned.start.min(text.len())..]);
        let result = scan.map_err(SqlError::from).and_then(|()| {
            if scanned.parameters > 0 {
                return Err(syntax::scan::syntax_at(text, scanned.start).into());
            }
            if scanned.is_empty() {
                return self.nothing(written, scanned);
            }
            let next = self.behind(text, scanned);
            if next < text.len() && !self.multi_statements {
                return Err(syntax::scan::syntax_at(text, next).into());
            }
            let _room = self.room_for(text, scanned, how)?;
            let mut datums = Vec::with_capacity(scanned.literals.len());
            scanned.datums(text, &[], &mut datums);
            let statement = Statement { text, scanned, parameters: &datums, own: &[], how };
            // An error of the group's commit could not be told between two statements' replies.
            let group = group.filter(|_| next == text.len());
            panics::caught(&scanned.shape, || self.run(&statement, None, group))
        });
        self.leave(result, &scanned.shape)
    }

    /// Where the text behind a statement begins. Comments there are a statement where there may be
    /// several.
    fn behind(&self, text: &[u8], scanned: &Scanned) -> usize {
        match self.multi_statements {
            true => scanned.taken,
            false => skip_space(text, scanned.taken),
        }
    }

    /// A statement without a word: a comment is one that does nothing (MySQL 9.7 and MariaDB 10.11
    /// answer so), nothing at all is none.
    fn nothing(&mut self, written: &[u8], scanned: &Scanned) -> Result<Reply> {
        if scanned.end < written.len() {
            return Err(syntax::scan::syntax_at(written, scanned.end).into());
        }
        if written.is_empty() {
            return Err(query_was_empty());
        }
        self.begin_statement();
        self.row_count = 0;
        Ok(self.done(0))
    }

    /// Prepares the first statement of `text`.
    ///
    /// # Errors
    /// MySQL's: a statement that cannot be bound is refused now.
    pub fn prepare(&mut self, text: &[u8]) -> Result<PreparedReply> {
        self.enter(text);
        self.limits.set_in_loop(false);
        let _current = KillMark::of_this_thread(&self.process.kill);
        let result = panics::caught(b"PREPARE", || self.prepare_statement(text));
        self.sql.counters().prepares.add();
        self.sql.counters().questions.add();
        self.process.leave();
        result.inspect_err(|error| self.note_error(error))
    }

    /// Executes a prepared statement.
    ///
    /// # Errors
    /// As `query`; 1243 for an unknown number, 1210 for a wrong number of parameters.
    pub fn execute(&mut self, id: u32, parameters: &[Parameter<'_>], how: How) -> Result<Reply> {
        self.execute_with(id, parameters, how, None)
    }

    /// As `execute` in an event loop, with a group as for `query_in_loop`.
    ///
    /// # Errors
    /// As `execute`; a statement that failed has left nothing in the group.
    pub fn execute_in_loop(
        &mut self,
        id: u32,
        parameters: &[Parameter<'_>],
        group: &mut Group,
    ) -> Result<Reply> {
        self.execute_with(id, parameters, How::LOOP, Some(group))
    }

    /// The commit of the group that the last statement joined has failed.
    pub fn commit_failed(&mut self, error: &rows::Error) -> SqlError {
        let error = SqlError::from(error);
        self.note_error(&error);
        error
    }

    fn execute_with(
        &mut self,
        id: u32,
        parameters: &[Parameter<'_>],
        how: How,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let Some(prepared) = self.prepared.remove(&id) else {
            return Err(SqlError::new(
                ErrorCode::UnknownStatementHandler,
                format!("Unknown prepared statement handler ({id}) given to EXECUTE"),
            ));
        };
        let long = |value: &Parameter<'_>| match value {
            Datum::Bytes(text) => text.len() > LOOP_TEXT_BYTES_MAX,
            _ => false,
        };
        if !how.may_wait && parameters.iter().any(long) {
            self.prepared.insert(id, prepared);
            return Err(SqlError::WouldWait);
        }
        self.enter(&prepared.text);
        let _current = self.current(how);
        let shape = prepared.shape();
        let result =
            panics::caught(&shape, || self.execute_prepared(&prepared, parameters, how, group));
        self.prepared.insert(id, prepared);
        self.leave(result, &shape)
    }

    /// Forgets a prepared statement.
    pub fn close(&mut self, id: u32) {
        self.prepared.remove(&id);
        self.named.retain(|_, named| *named != id);
    }

    /// Takes memory for carrying out a large statement; a small one needs none. If it has to wait
    /// for it forgets what was scanned meanwhile, and scans the text again.
    fn room_for(&self, text: &[u8], scanned: &mut Scanned, how: How) -> Result<Option<Room>> {
        let bytes = scanned.memory_bytes();
        if bytes == 0 {
            return Ok(None);
        }
        let rooms = self.sql.rooms();
        if let Some(room) = rooms.take(bytes)? {
            return Ok(Some(room));
        }
        if !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        scanned.shrink();
        let room = rooms.wait_for(bytes, &self.process.kill)?;
        scanned.scan(text, self.variables.mode)?;
        Ok(Some(room))
    }

    fn enter(&mut self, text: &[u8]) {
        self.renew_rights();
        self.process.enter(text, self.sql.engine().clock().unix_micros());
        self.executing = false;
        if let Some(time) = self.variables.statement_time {
            self.process.kill.end_after(time, TimeLimit::Statement);
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            self.process.kill.end_after(left, TimeLimit::Statement);
        }
    }

    /// Lets waits beneath end with the statement. In a loop nothing waits.
    fn current(&self, how: How) -> Option<ThreadGuard> {
        how.may_wait.then(|| KillMark::of_this_thread(&self.process.kill))
    }

    fn leave(&mut self, result: Result<Reply>, shape: &[u8]) -> Result<Reply> {
        // A wait that was interrupted ends as if its time were over.
        let mut result = match result {
            Err(error @ SqlError::LockTimeout) => {
                Err(self.process.kill.check().err().map_or(error, SqlError::from))
            }
            other => other,
        };
        if matches!(result, Err(SqlError::WouldWait)) {
            // What is repeated elsewhere counts there.
            self.process.postpone();
            return result;
        }
        self.sql.counters().questions.add();
        let kind = self.kind_of(shape);
        let mut outcome = StatementOutcome { failed: result.is_err(), ..Default::default() };
        if !outcome.failed {
            outcome.warnings = self.warnings.borrow().count();
        }
        match result {
            Ok(Reply::Rows(ref mut stream)) => {
                stream.follow(Box::new(self.process.run_on(Some((kind, outcome)))));
            }
            Ok(Reply::LoadLocal(ref mut load)) => {
                load.keep_running(self.process.run_on(Some((kind, outcome))));
            }
            Ok(Reply::Done(ref figures)) => {
                outcome.affected = figures.affected;
                self.process.end(kind, outcome);
            }
            Err(_) => self.process.end(kind, outcome),
        }
        result.inspect_err(|error| self.note_error(error))
    }

    /// What a statement of this shape is to those who look at what statements take.
    fn kind_of(&self, shape: &[u8]) -> StatementKind {
        let history = self.sql.history();
        let digest = history.digests().of(self.database.as_deref(), shape);
        let slow_after = history.slow_log().is_on().then_some(self.variables.long_query_time);
        StatementKind { digest, slow_after }
    }

    fn note_error(&mut self, error: &SqlError) {
        if *error == SqlError::WouldWait {
            return;
        }
        self.row_count = -1;
        self.warnings.borrow_mut().push(Level::Error, error.code(), error.message());
    }

    /// Carries a statement out. `known` is the plan of a prepared statement; a group is for
    /// those that may join it.
    fn run(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let _telling = statement.how.may_wait.then(|| waiting::tell(&self.process.waits));
        self.limits.set_in_loop(!statement.how.may_wait);
        let source = statement.source();
        let word = leading_word(source);
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if is(b"select")
            || is(b"with")
            || is(b"values")
            || is(b"table")
            || source.first() == Some(&b'(')
        {
            self.check_no_inserts()?;
            self.check_expired(None)?;
            if let Some(time) = max_execution_time(source).or(self.variables.execution_time) {
                self.process.kill.end_after(time, TimeLimit::Execution);
            }
            return self.counted(|session| session.run_select(statement, known), |c| &c.selects);
        }
        if is(b"insert") || is(b"replace") || is(b"update") || is(b"delete") {
            self.check_read_lock()?;
            self.check_expired(None)?;
            let counter: fn(&Counters) -> &Counter = match word[0].to_ascii_lowercase() {
                b'i' => |c| &c.inserts,
                b'r' => |c| &c.replaces,
                b'u' => |c| &c.updates,
                _ => |c| &c.deletes,
            };
            return self.counted(|session| session.run_write(statement, known, group), counter);
        }
        self.run_admin(statement, group)
    }

    /// Runs a statement that has warnings of its own, and counts it. One that is to be repeated
    /// elsewhere is not counted and leaves the warnings as they were.
    fn counted(
        &mut self,
        run: impl FnOnce(&mut Session) -> Result<Reply>,
        counter: fn(&Counters) -> &Counter,
    ) -> Result<Reply> {
        let before = self.begin_statement();
        let result = run(self);
        if matches!(result, Err(SqlError::WouldWait)) {
            (self.warnings, self.counts_before) = before;
        } else {
            counter(self.sql.counters()).add();
        }
        result
    }

    /// Forgets the warnings of the statement before; gives back what it forgets.
    fn begin_statement(&mut self) -> (RefCell<Warnings>, (u64, u64)) {
        self.take_late_warnings();
        self.writes_temporary = false;
        if !self.shape.is_empty() {
            self.shape = Arc::from("");
        }
        let counts_before = self.counts_before;
        let warnings = self.warnings.take();
        if warnings.count() > 0 || counts_before != (0, 0) {
            let errors = warnings.list().iter().filter(|w| w.level == Level::Error).count();
            self.counts_before = (warnings.count(), errors as u64);
        }
        (RefCell::new(warnings), counts_before)
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
            variables: Arc::clone(&self.variables),
            tls: self.tls,
            temporary: self.temporary.clone(),
            comes_first: self.comes_first,
        })
    }

    /// The plan that is kept for a statement's shape and literals like its own.
    fn known_plan(&self, statement: &Statement<'_>) -> Option<Plan> {
        let shape = &statement.scanned.shape;
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let kinds = Some((statement.parameters, &*self.user_variables));
        let rights = self.principal.rights.number;
        let engine = self.sql.engine();
        let known = self.sql.plans().find((database, mode, shape, rights), kinds, engine);
        known.filter(|plan| !self.hides_any_of(plan))
    }

    /// Whether a temporary table has come to hide something that a plan was made with.
    fn hides_any_of(&self, plan: &Plan) -> bool {
        let Some(temporary) = &self.temporary else { return false };
        let hides = |database: &str, name: &str| temporary.find(database, name).is_some();
        plan.any_table(&|table| !table.is_temporary() && hides(&table.database, &table.name))
            || plan.views().iter().any(|of| hides(&of.view.database, &of.view.name))
    }

    /// Whether a plan is right for a statement's literals and the session's variables.
    fn fits(&self, plan: &Plan, statement: &Statement<'_>) -> bool {
        plan.fits((statement.parameters, &*self.user_variables), self.sql.engine())
    }

    /// Keeps a plan that was made for a statement's shape.
    fn keep_plan(&self, statement: &Statement<'_>, plan: &Plan) {
        let shape = &statement.scanned.shape;
        let (database, mode) = (self.database.as_deref(), self.variables.mode);
        let kinds = (statement.parameters, &*self.user_variables);
        self.sql.counters().plans_made.add();
        // Plans that are kept are not counted: they are small.
        if statement.scanned.listed > 0 || plan.any_table(&|table| table.is_temporary()) {
            return;
        }
        let rights = self.principal.rights.number;
        self.sql.plans().keep((database, mode, shape, rights), plan, kinds, self.sql.engine());
    }

    /// Keeps the statement's text without literals, for the log if it fails.
    fn keep_shape(&mut self, statement: &Statement<'_>) {
        self.shape = Arc::from(String::from_utf8_lossy(&statement.scanned.shape));
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

fn query_was_empty() -> SqlError {
    SqlError::new(ErrorCode::EmptyQuery, "Query was empty")
}

/// The time that the hint `/*+ MAX_EXECUTION_TIME(milliseconds) */` behind SELECT allows.
fn max_execution_time(source: &[u8]) -> Option<Duration> {
    const HINT: &[u8] = b"max_execution_time";
    let hints = source.get(b"select".len()..)?.trim_ascii_start().strip_prefix(b"/*+")?;
    let hints = &hints[..memchr::memmem::find(hints, b"*/")?].to_ascii_lowercase();
    let after = &hints[memchr::memmem::find(hints, HINT)? + HINT.len()..];
    let inside = after.trim_ascii_start().strip_prefix(b"(")?;
    let digits = inside[..memchr::memchr(b')', inside)?].trim_ascii();
    let millis: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (millis > 0).then(|| Duration::from_millis(millis))
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
