//! The process list: who is connected and what runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::context::KillMark;

/// Most bytes of a statement's text that the list keeps.
const INFO_BYTES_MAX: usize = 4096;

/// A connection.
#[derive(Debug)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Asked by KILL.
    pub kill: Arc<KillMark>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    user: String,
    host: String,
    database: Option<String>,
    /// Text of the statement that runs; empty when none does.
    info: Vec<u8>,
    /// When the present state began, microseconds since the epoch.
    since: u64,
}

/// A line of SHOW PROCESSLIST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessLine {
    /// The connection's number.
    pub id: u32,
    /// User name.
    pub user: String,
    /// Where from.
    pub host: String,
    /// Current database.
    pub database: Option<String>,
    /// `Query` or `Sleep`.
    pub command: &'static str,
    /// Microseconds since the epoch when that began.
    pub since: u64,
    /// The statement's text.
    pub info: Option<String>,
}

impl Process {
    /// A statement begins.
    pub fn enter(&self, text: &[u8], now: u64) {
        self.kill.forget_query();
        let mut state = self.state.lock();
        state.info.clear();
        state.info.extend_from_slice(&text[..text.len().min(INFO_BYTES_MAX)]);
        state.since = now;
    }

    /// The statement is over.
    pub fn leave(&self) {
        self.state.lock().info.clear();
    }

    /// The current database changes.
    pub fn set_database(&self, database: Option<&str>) {
        self.state.lock().database = database.map(str::to_string);
    }

    fn line(&self) -> ProcessLine {
        let state = self.state.lock();
        let running = !state.info.is_empty();
        ProcessLine {
            id: self.id,
            user: state.user.clone(),
            host: state.host.clone(),
            database: state.database.clone(),
            command: if running { "Query" } else { "Sleep" },
            since: state.since,
            info: running.then(|| String::from_utf8_lossy(&state.info).into_owned()),
        }
    }
}

/// All connections.
#[derive(Debug, Default)]
pub struct Processes {
    list: Mutex<BTreeMap<u32, Arc<Process>>>,
}

impl Processes {
    /// A connection comes.
    pub fn join(&self, id: u32, user: &str, host: &str, now: u64) -> Arc<Process> {
        let process = Arc::new(Process {
            id,
            kill: Arc::new(KillMark::default()),
            state: Mutex::new(State {
                user: user.to_string(),
                host: host.to_string(),
                database: None,
                info: Vec::new(),
                since: now,
            }),
        });
        self.list.lock().insert(id, Arc::clone(&process));
        process
    }

    /// A connection goes.
    pub fn part(&self, id: u32) {
        self.list.lock().remove(&id);
    }

    /// A connection by number.
    pub fn find(&self, id: u32) -> Option<Arc<Process>> {
        self.list.lock().get(&id).cloned()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.lock().len()
    }

    /// All, by number.
    pub fn lines(&self) -> Vec<ProcessLine> {
        let list: Vec<Arc<Process>> = self.list.lock().values().cloned().collect();
        list.iter().map(|process| process.line()).collect()
    }
}
