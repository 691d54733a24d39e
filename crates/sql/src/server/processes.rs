//! Sessions in the process list: who is connected and what runs.
//!
//! A statement runs from `enter` until it is answered: until `leave`, or, when its rows are read
//! after the call that began it, until its `Running` goes. In between it may be in an event loop,
//! wait for a thread of the pool (`postpone`), be in that thread, or in the threads of DataFusion.
//!
//! Invariants
//! 1. A connection whose statement is not answered yet is never shown as asleep.
//! 2. A statement that is repeated elsewhere is the same: its time goes on, and a KILL QUERY said
//!    meanwhile holds.
//! 3. What a connection did last stays to be seen until it does something else, or goes.
//!
//! Not here: clients of doors that speak no SQL (`door_clients`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use expression::KillMark;
use parking_lot::Mutex;
use resources::owner::MemoryCeiling;
use resources::waiting::{WaitMark, Waiting};
use rows::bulk::Progress;
use rows::schema::TableId;

use super::history::{EndedStatement, StatementHistory, StatementKind, StatementOutcome};
use super::secrets::without_secrets;
use super::slow_log::SlowRule;
use super::stage::StageProgress;
use super::statement_names::StatementName;
use super::statement_sums::{AccountKey, AccountSum, NamedSums};
use plan::process_line::ProcessLine;
use plan::variables::IsolationLevel;
use results::{SqlError, StreamFollower};

/// Most bytes of a statement's text that the list keeps.
const INFO_BYTES_MAX: usize = 4096;
/// The number of the error of a text that is no statement.
const SYNTAX_ERROR: u16 = 1064;

/// A connection.
#[derive(Debug)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Asked by KILL.
    pub kill: Arc<KillMark>,
    /// What its thread waits for, if it has one.
    pub waits: Arc<WaitMark>,
    /// What its transaction is called among those who wait for row locks; 0 for none.
    lock_owner: AtomicU64,
    /// Told of each statement that ends.
    history: Arc<StatementHistory>,
    state: Mutex<ProcessesState>,
}

#[derive(Debug)]
struct ProcessesState {
    user: String,
    host: String,
    database: Option<String>,
    /// What its client says of itself.
    attributes: Box<[(String, String)]>,
    /// Text of the statement that runs, or of the last one.
    info: Vec<u8>,
    is_running: bool,
    /// What became of the last one, when none runs.
    ended: Option<StatementEnd>,
    /// What statements took so far.
    sums: NamedSums,
    /// The transaction that is open from statement to statement.
    transaction: Option<ShownTransaction>,
    /// Text of what EXECUTE carries out; empty otherwise.
    executed: Vec<u8>,
    /// The statement's plan, where the slow log is to have it; empty otherwise.
    plan: String,
    /// When the present statement began, or the last one, microseconds since the epoch.
    since: u64,
    /// As `since`, by a clock that nobody sets.
    begun: Instant,
    /// Which statement of the connection that is.
    number: u64,
    /// Whether the statement is to be repeated where it may wait, and has not begun there.
    postponed: bool,
    /// How far the present statement is, if it is a long one that can say so.
    progress: Option<Arc<Progress>>,
}

/// What became of a connection's last statement.
#[derive(Clone, Copy, Debug)]
struct StatementEnd {
    digest: u64,
    outcome: StatementOutcome,
    took: Duration,
}

/// The statement that a connection runs, or ran last.
#[derive(Clone, Debug)]
pub struct ShownStatement {
    /// Its text.
    pub text: String,
    /// Which statement of the connection it is.
    pub number: u64,
    /// When it began, microseconds since the epoch.
    pub since: u64,
    /// How long it took, or has taken so far.
    pub took: Duration,
    /// The current database.
    pub database: Option<String>,
    /// What became of it, with its digest; `None` while it runs.
    pub ended: Option<(u64, StatementOutcome)>,
}

/// A transaction that is open from statement to statement.
#[derive(Clone, Debug)]
pub struct ShownTransaction {
    /// When it began, microseconds since the epoch.
    pub since: u64,
    /// What it sees of others.
    pub isolation: IsolationLevel,
    /// Rows that its statements changed.
    pub affected: u64,
    /// The numbers of the tables whose definitions it keeps as they are.
    pub tables: Vec<TableId>,
}

/// What each command is called in the general log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandWord {
    /// A statement as text.
    Query,
    /// A statement to be prepared.
    Prepare,
    /// A prepared one.
    Execute,
    /// A client has logged in.
    Connect,
    /// A client says that it goes.
    Quit,
    /// Another database is current.
    InitDb,
}

impl CommandWord {
    fn word(self) -> &'static str {
        match self {
            CommandWord::Query => "Query",
            CommandWord::Prepare => "Prepare",
            CommandWord::Execute => "Execute",
            CommandWord::Connect => "Connect",
            CommandWord::Quit => "Quit",
            CommandWord::InitDb => "Init DB",
        }
    }
}

impl Process {
    /// A transaction begins, whose locks others may wait for.
    pub fn begin_transaction(&self, lock_owner: Option<u64>) {
        self.lock_owner.store(lock_owner.unwrap_or(0), Ordering::Relaxed);
    }

    /// A transaction stays open from statement to statement, or none does.
    pub fn note_open(&self, transaction: Option<ShownTransaction>) {
        self.state.lock().transaction = transaction;
    }

    /// The transaction that is open from statement to statement.
    pub fn transaction(&self) -> Option<ShownTransaction> {
        self.state.lock().transaction.clone()
    }

    /// The open transaction keeps the definitions of these tables as they are.
    pub fn note_tables(&self, tables: impl Iterator<Item = TableId>) {
        if let Some(transaction) = &mut self.state.lock().transaction {
            transaction.tables.clear();
            transaction.tables.extend(tables);
        }
    }

    /// Takes what the client says of itself.
    pub fn set_attributes(&self, attributes: Box<[(String, String)]>) {
        self.state.lock().attributes = attributes;
    }

    /// What the client says of itself, in the order in which it does.
    pub fn attributes(&self) -> Box<[(String, String)]> {
        self.state.lock().attributes.clone()
    }

    /// Tells the general log of a command that is no statement.
    pub fn note_command(&self, word: CommandWord, argument: &[u8], now: u64) {
        if self.history.logs().general().is_on() {
            self.log(&self.state.lock(), word, argument, now);
        }
    }

    fn log(&self, state: &ProcessesState, word: CommandWord, argument: &[u8], now: u64) {
        let of = (self.id, &*state.user, &*state.host);
        self.history.logs().general().log(of, now, word.word(), argument);
    }

    /// What its last transaction is called among those who wait for row locks; 0 for none.
    pub fn lock_owner(&self) -> u64 {
        self.lock_owner.load(Ordering::Relaxed)
    }

    /// A statement begins, or goes on where it may wait; whether it begins.
    pub fn enter(&self, text: &[u8], word: CommandWord, now: u64) -> bool {
        let whole = &without_secrets(text);
        let text = &whole[..whole.len().min(INFO_BYTES_MAX)];
        let mut state = self.state.lock();
        if std::mem::take(&mut state.postponed) && state.is_running && state.info == text {
            return false;
        }
        if self.history.logs().general().is_on() {
            self.log(&state, word, whole, now);
        }
        self.kill.forget_query();
        self.waits.take_lock_micros();
        state.is_running = true;
        state.ended = None;
        state.info.clear();
        state.executed.clear();
        state.plan.clear();
        state.progress = None;
        state.info.extend_from_slice(text);
        state.since = now;
        state.begun = Instant::now();
        state.number += 1;
        true
    }

    /// The statement that runs is known by this text from now on.
    pub fn note_text(&self, text: &[u8]) {
        let text = &without_secrets(text);
        let mut state = self.state.lock();
        state.info.clear();
        state.info.extend_from_slice(&text[..text.len().min(INFO_BYTES_MAX)]);
    }

    /// The statement carries out what was prepared.
    pub fn note_executed(&self, text: &[u8]) {
        let text = &without_secrets(text);
        let mut state = self.state.lock();
        state.executed.clear();
        state.executed.extend_from_slice(&text[..text.len().min(INFO_BYTES_MAX)]);
    }

    /// What was begun is over, and no statement.
    pub fn leave(&self) {
        let mut state = self.state.lock();
        let took = state.begun.elapsed();
        state.is_running = false;
        state.ended = Some(StatementEnd { digest: 0, outcome: StatementOutcome::default(), took });
    }

    /// The statement is over.
    pub fn end(&self, kind: StatementKind, outcome: StatementOutcome) {
        self.end_of(&mut self.state.lock(), kind, outcome);
    }

    fn end_of(&self, state: &mut ProcessesState, kind: StatementKind, outcome: StatementOutcome) {
        let took = state.begun.elapsed();
        let looked = self.kill.owner_of_work();
        let outcome = StatementOutcome {
            examined: looked.take_examined(),
            memory_bytes: looked.take_peak() as u64,
            is_table_scan: looked.take_table_scan(),
            disk_micros: looked.take_disk_micros(),
            lock_micros: self.waits.take_lock_micros(),
            ..outcome
        };
        let name = match outcome.status {
            SYNTAX_ERROR => StatementName::error(),
            _ => StatementName::of(&state.info),
        };
        if let Some(transaction) = &mut state.transaction {
            transaction.affected += outcome.affected;
        }
        state.sums.of(name).note(&outcome, took.as_micros() as u64);
        self.history.note(&EndedStatement {
            kind,
            outcome,
            took,
            text: &state.info,
            executed: &state.executed,
            plan: &state.plan,
            now: state.since + took.as_micros() as u64,
            connection: self.id,
            of: (&state.user, &state.host, state.database.as_deref()),
        });
        state.is_running = false;
        state.ended = Some(StatementEnd { digest: kind.digest, outcome, took });
    }

    /// Whether the statement is one for the slow log by what it took and looked at so far.
    pub fn is_slow_so_far(&self, rule: SlowRule) -> bool {
        let took = self.state.lock().begun.elapsed();
        self.history.logs().slow().is_slow(took, rule, self.kill.owner_of_work().has_scanned())
    }

    /// The text whose plan the statement has: its own, or what EXECUTE carries out; `None` where
    /// it is not kept whole.
    pub fn explained_text(&self) -> Option<String> {
        let state = self.state.lock();
        let text = if state.executed.is_empty() { &state.info } else { &state.executed };
        (text.len() < INFO_BYTES_MAX).then(|| String::from_utf8_lossy(text).into_owned())
    }

    /// The statement's plan, for the slow log.
    pub fn note_plan(&self, plan: String) {
        self.state.lock().plan = plan;
    }

    /// What it runs, or ran last; `None` when it has run nothing yet.
    pub fn statement(&self) -> Option<ShownStatement> {
        let state = self.state.lock();
        (state.number > 0).then(|| ShownStatement {
            text: String::from_utf8_lossy(&state.info).into_owned(),
            number: state.number,
            since: state.since,
            took: state.ended.map_or_else(|| state.begun.elapsed(), |ended| ended.took),
            database: state.database.clone(),
            ended: state.ended.map(|ended| (ended.digest, ended.outcome)),
        })
    }

    /// The statement would wait: it is repeated where it may.
    pub fn postpone(&self) {
        self.state.lock().postponed = true;
    }

    /// The statement runs on after the call that began it, and is `noted` when it ends; `None`: the
    /// call itself will say that.
    pub fn run_on(
        self: &Arc<Process>,
        noted: Option<(StatementKind, StatementOutcome)>,
    ) -> Running {
        let number = self.state.lock().number;
        Running { process: Arc::clone(self), number, noted }
    }

    /// Lets the process list show how far the statement is.
    pub fn show(&self, progress: &Arc<Progress>) {
        self.state.lock().progress = Some(Arc::clone(progress));
    }

    /// What shows how far its statements are.
    pub fn progress(self: &Arc<Process>) -> StatementProgress {
        StatementProgress(Arc::clone(self))
    }

    /// How many stages of a load the present statement, or the last one, has begun; none when it
    /// is no load.
    pub fn stages_begun(&self) -> u64 {
        self.state.lock().progress.as_ref().map_or(0, |progress| progress.stages_begun())
    }

    /// Which statement of the connection runs, or was the last.
    pub fn statement_number(&self) -> u64 {
        self.state.lock().number
    }

    /// The user's name.
    pub fn user(&self) -> String {
        self.state.lock().user.clone()
    }

    /// The current database changes.
    pub fn set_database(&self, database: Option<&str>) {
        self.state.lock().database = database.map(str::to_string);
    }

    /// Its line in the process list.
    pub fn line(&self) -> ProcessLine {
        let state = self.state.lock();
        let running = state.is_running;
        ProcessLine {
            id: self.id,
            user: state.user.clone(),
            owner: Some(state.user.clone()),
            host: state.host.clone(),
            database: state.database.clone(),
            command: if running { "Query" } else { "Sleep" },
            since: state.since,
            number: state.number,
            state: match (running, self.waits.current()) {
                (false, _) => "".into(),
                (true, Some(waiting)) => words(waiting).into(),
                (true, None) if state.postponed => "Waiting for a thread".into(),
                (true, None) => state.progress.as_ref().map_or("executing".into(), |progress| {
                    StageProgress::of(progress).to_string().into()
                }),
            },
            info: running.then(|| String::from_utf8_lossy(&state.info).into_owned()),
            memory_bytes: self.kill.memory_bytes(),
        }
    }
}

/// MySQL's words for a wait.
fn words(waiting: Waiting) -> &'static str {
    match waiting {
        Waiting::RowLock => "Waiting for row lock",
        Waiting::MetadataLock => "Waiting for table metadata lock",
        Waiting::Memory => "Waiting for memory",
        Waiting::NamedLock => "User lock",
        Waiting::Sleep => "User sleep",
    }
}

/// How far the statements of a session are, seen from another thread.
#[derive(Clone, Debug)]
pub struct StatementProgress(Arc<Process>);

impl StatementProgress {
    /// Of the statement that runs now, if it can say so.
    pub fn now(&self) -> Option<StageProgress> {
        let state = self.0.state.lock();
        let progress = state.progress.as_ref().filter(|_| state.is_running)?;
        Some(match self.0.waits.current() {
            Some(waiting) => StageProgress::waiting(progress, words(waiting)),
            None => StageProgress::of(progress),
        })
    }
}

/// A statement whose rows, or whose file, are still under way; dropping it ends the statement.
#[derive(Debug)]
pub struct Running {
    process: Arc<Process>,
    number: u64,
    noted: Option<(StatementKind, StatementOutcome)>,
}

impl StreamFollower for Running {
    fn sent(&mut self, rows: u64) {
        if let Some((_, outcome)) = &mut self.noted {
            outcome.sent += rows;
        }
    }

    fn fail(&mut self, error: &SqlError) {
        if let Some((_, outcome)) = &mut self.noted {
            outcome.status = error.number();
        }
    }
}

impl Running {
    /// Lets the process list show how far the statement is.
    pub fn show(&self, progress: &Arc<Progress>) {
        let mut state = self.process.state.lock();
        if state.number == self.number {
            state.progress = Some(Arc::clone(progress));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some((kind, outcome)) = self.noted else { return };
        let mut state = self.process.state.lock();
        if state.number == self.number {
            self.process.end_of(&mut state, kind, outcome);
        }
    }
}

/// All connections.
#[derive(Debug)]
pub struct Processes {
    list: Mutex<BTreeMap<u32, Arc<Process>>>,
    most: AtomicUsize,
    history: Arc<StatementHistory>,
}

impl Processes {
    /// None, whose statements are noted there.
    pub fn of(history: &Arc<StatementHistory>) -> Processes {
        Processes {
            list: Mutex::default(),
            most: AtomicUsize::new(0),
            history: Arc::clone(history),
        }
    }

    /// A connection comes, whose memory may have a ceiling.
    pub fn join(
        &self,
        id: u32,
        (user, host): (&str, &str),
        now: u64,
        ceiling: Option<MemoryCeiling>,
    ) -> Arc<Process> {
        let process = Arc::new(Process {
            lock_owner: AtomicU64::new(0),
            id,
            kill: Arc::new(KillMark::beneath(ceiling)),
            waits: Arc::default(),
            history: Arc::clone(&self.history),
            state: Mutex::new(ProcessesState {
                user: user.to_string(),
                host: host.to_string(),
                database: None,
                attributes: Box::default(),
                info: Vec::new(),
                is_running: false,
                ended: None,
                sums: NamedSums::default(),
                transaction: None,
                executed: Vec::new(),
                plan: String::new(),
                since: now,
                begun: Instant::now(),
                number: 0,
                postponed: false,
                progress: None,
            }),
        });
        self.history.accounts().join((user, host));
        let mut list = self.list.lock();
        list.insert(id, Arc::clone(&process));
        self.most.fetch_max(list.len(), Ordering::Relaxed);
        process
    }

    /// A connection goes.
    pub fn part(&self, id: u32) {
        let mut list = self.list.lock();
        if let Some(process) = list.remove(&id) {
            // Under the list's lock, so that nobody counts it twice or not at all.
            let state = process.state.lock();
            self.history.accounts().part((&state.user, &state.host), &state.sums);
        }
    }

    /// The most connections that there were at a time.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// What the connections of each account took, those that are gone too.
    pub fn accounts(&self) -> BTreeMap<AccountKey, AccountSum> {
        let list = self.list.lock();
        let mut accounts = self.history.accounts().all();
        for process in list.values() {
            let state = process.state.lock();
            let account = accounts.entry((state.user.clone(), state.host.clone())).or_default();
            account.connections += 1;
            account.statements.add(&state.sums);
        }
        accounts
    }

    /// What the statements of all connections took, by name.
    pub fn statement_sums(&self) -> NamedSums {
        let mut all = NamedSums::default();
        self.accounts().values().for_each(|account| all.add(&account.statements));
        all
    }

    /// What the statements of each connection took, by its number.
    pub fn sums(&self) -> Vec<(u32, NamedSums)> {
        let all = self.all();
        all.iter().map(|process| (process.id, process.state.lock().sums.clone())).collect()
    }

    /// Forgets what statements took, by name and account.
    pub fn forget_sums(&self) {
        let list = self.list.lock();
        self.history.accounts().forget();
        list.values().for_each(|process| process.state.lock().sums.clear());
    }

    /// A connection by number.
    pub fn find(&self, id: u32) -> Option<Arc<Process>> {
        self.list.lock().get(&id).cloned()
    }

    /// The connections by what their last transactions are called among those who wait for row
    /// locks.
    pub fn by_lock_owner(&self) -> HashMap<u64, Arc<Process>> {
        let list = self.list.lock();
        let named = list.values().map(|process| (process.lock_owner(), Arc::clone(process)));
        named.filter(|(owner, _)| *owner > 0).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.lock().len()
    }

    /// How many have a statement that is not answered yet.
    pub fn running(&self) -> usize {
        self.list.lock().values().filter(|process| process.state.lock().is_running).count()
    }

    /// All, by number.
    pub fn lines(&self) -> Vec<ProcessLine> {
        self.all().iter().map(|process| process.line()).collect()
    }

    /// All connections, by number.
    pub fn all(&self) -> Vec<Arc<Process>> {
        self.list.lock().values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use access::AccessControl;
    use access::audit::AuditClass;

    use super::super::history::TableWatch;
    use super::super::slow_log::SlowRule;
    use super::super::statement_logs::{LogOptions, StatementLogs};
    use super::*;

    fn processes() -> Processes {
        let logs = StatementLogs::new(&LogOptions::default(), 1 << 20);
        Processes::of(&Arc::new(StatementHistory::new(
            1 << 20,
            logs,
            Arc::new(AccessControl::load(&[]).unwrap()),
        )))
    }

    #[test]
    fn a_statement_that_is_repeated_in_the_pool_is_no_longer_asleep_nor_begun_anew() {
        let processes = processes();
        let process = processes.join(1, ("root", "localhost"), 10, None);
        process.enter(b"SELECT 1", CommandWord::Query, 20);
        process.postpone();
        process.kill.kill_query();
        let line = &processes.lines()[0];
        assert_eq!((line.command, &*line.state), ("Query", "Waiting for a thread"));
        process.enter(b"SELECT 1", CommandWord::Query, 30);
        let line = &processes.lines()[0];
        assert_eq!((&*line.state, line.since), ("executing", 20));
        assert!(process.kill.check().is_err(), "what was killed while it waited stays killed");
        process.leave();
        process.enter(b"SELECT 1", CommandWord::Query, 40);
        assert!(process.kill.check().is_ok());
        assert_eq!(processes.lines()[0].since, 40);
    }

    #[test]
    fn a_statement_runs_until_its_rows_are_read_and_ends_no_later_one() {
        let processes = processes();
        let process = processes.join(1, ("root", "localhost"), 10, None);
        process.enter(b"SELECT a", CommandWord::Query, 20);
        let kind = StatementKind {
            digest: 1,
            slow: SlowRule::NEVER,
            class: AuditClass::Statements,
            table_watch: TableWatch::Unknown,
        };
        let noted = || Some((kind, StatementOutcome::default()));
        let running = process.run_on(noted());
        assert_eq!(processes.lines()[0].info.as_deref(), Some("SELECT a"));
        process.enter(b"SELECT b", CommandWord::Query, 30);
        drop(running);
        assert_eq!(processes.lines()[0].info.as_deref(), Some("SELECT b"));
        drop(process.run_on(noted()));
        assert_eq!(processes.lines()[0].command, "Sleep");
        assert_eq!(processes.lines()[0].info, None);
        let last = process.statement().unwrap();
        assert_eq!((&*last.text, last.number, last.since), ("SELECT b", 2, 30));
        assert_eq!(last.ended.map(|(digest, _)| digest), Some(1));
        let count = || processes.statement_sums().total().count;
        assert_eq!(count(), 1, "one was given up for the other");
        processes.part(1);
        assert_eq!(count(), 1);
    }
}
