//! What all calls of a script share, and a call from its beginning to its end.
//!
//! ```text
//! a state, made if there are too few -> locks -> the function, its writes in one transaction
//!     -> commit, or nothing of it -> locks free -> the state waits for the next call
//! ```
//! Invariants
//! 1. The writes of a call are committed together before anybody is told of it, or none of them is.
//! 2. Locks of a call are held until its writes can be seen.
//! 3. A state serves one call at a time; one that was stopped serves no other.
//! 4. A call ends with its time, when its client leaves, and when there is no memory for it.
//!
//! Not here: what functions do (`host`, `plain`), limits within a state (`state`).

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rows::cache::KeyBatch;
use rows::interrupt::{self, Interrupt};
use rows::{Engine, Group};

use crate::conversation::Turn;
use crate::tyrant::command::{Failure, Trouble, failure_for};
use crate::tyrant::database::Database;
use crate::tyrant::execute::{Cursor, Rows};
use crate::tyrant::lua::host::Host;
use crate::tyrant::lua::locks::{Among, Held, Locks};
use crate::tyrant::lua::stash::Stash;
use crate::tyrant::lua::state::{Ended, State};
use crate::tyrant::shared::Shared;

/// Calls that may wait for a state: each has a thread of the pool, which others need, too.
const WAITING_MAX: usize = 256;
/// How long the last function may take, also where others may take as long as they like.
const LAST_TIME_MAX: Duration = Duration::from_secs(10);
/// Texts that `_eval` takes, and their bytes: every new state runs all of them.
const EVALUATED_MAX: usize = 1000;
const EVALUATED_BYTES_MAX: usize = 1 << 20;
/// The function that is called before all others, and the one behind them.
const FIRST: &[u8] = b"_begin";
const LAST: &[u8] = b"_end";
/// The lock that stands for the record of a key that no row can have.
const LOCK_OF_KEY: &[u8] = b"\0record\0";

/// What a script is, and its limits.
#[derive(Clone, Debug)]
pub struct ScriptOptions {
    /// What it is called in errors: its path.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// How long a call may take; zero: as long as it likes.
    pub time_max: Duration,
    /// Most bytes of a state.
    pub memory_bytes_max: usize,
    /// Most states, and so calls at a time.
    pub states_max: usize,
}

/// Beside which others a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Any.
    None,
    /// Those with other keys: the record of the call's key is locked.
    Record,
    /// None that lock, too.
    Global,
}

impl Locking {
    /// As the options of `ext` say it.
    pub fn of(options: i32) -> Locking {
        match options {
            options if options & 2 != 0 => Locking::Global,
            options if options & 1 != 0 => Locking::Record,
            _ => Locking::None,
        }
    }
}

/// A call of a function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The function's name.
    pub name: &'c [u8],
    /// Beside which others it runs.
    pub locking: Locking,
    /// Its first argument.
    pub key: &'c [u8],
    /// Its second.
    pub value: &'c [u8],
}

/// A script with its states.
pub struct Scripts {
    options: ScriptOptions,
    states: Mutex<States>,
    freed: Condvar,
    stash: Stash,
    locks: Locks,
    evaluated: Mutex<Vec<Vec<u8>>>,
    noise: Noise,
}

#[derive(Default)]
struct States {
    idle: Vec<State>,
    /// Those that serve included.
    count: usize,
    /// Calls that wait for one.
    waiting: usize,
}

/// Until when a call may go on, and for whom it is made.
struct Watch {
    deadline: Option<Instant>,
    client: Option<Arc<dyn Interrupt>>,
}

impl Interrupt for Watch {
    fn is_wanted(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.client.as_ref().is_some_and(|client| client.is_wanted())
    }
}

impl Scripts {
    /// A script, run once in a first state.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn new(engine: &Arc<Engine>, options: ScriptOptions) -> Result<Scripts, String> {
        let scripts = Scripts {
            stash: Stash::new(engine, options.memory_bytes_max),
            options,
            states: Mutex::default(),
            freed: Condvar::new(),
            locks: Locks::default(),
            evaluated: Mutex::default(),
            noise: Noise::default(),
        };
        let _working = interrupt::working(scripts.watch());
        match scripts.make(engine) {
            Ok(state) => {
                let mut states = scripts.states();
                states.idle.push(state);
                states.count += 1;
                drop(states);
                Ok(scripts)
            }
            Err(Ended::Failed(why) | Ended::Stopped(why)) => Err(why),
            Err(Ended::Unknown | Ended::Nothing) => Err("it does not run".into()),
        }
    }

    /// Calls the function that the script wants to be called before all others.
    pub fn begin(&self, shared: &Shared, engine: &Arc<Engine>) {
        self.call_if_there(shared, engine, FIRST);
    }

    /// Calls the function that the script wants to be called behind all others.
    pub fn end(&self, shared: &Shared, engine: &Arc<Engine>) {
        let deadline = Instant::now().checked_add(LAST_TIME_MAX);
        let _working = interrupt::working(Arc::new(Watch { deadline, client: None }));
        self.call_if_there(shared, engine, LAST);
    }

    fn call_if_there(&self, shared: &Shared, engine: &Arc<Engine>, name: &[u8]) {
        if self.states().idle.iter().any(|state| state.has(name)) {
            let call = Call { name, locking: Locking::None, key: b"", value: b"" };
            // Failures are in the log.
            let _ = self.call_alone(shared, engine, &call);
        }
    }

    /// Calls a function for a client.
    ///
    /// # Errors
    /// `Invalid` when there is no such function, `Missing` when it gives nothing, `Server` when it
    /// failed.
    pub fn call(
        &self,
        shared: &Shared,
        engine: &Arc<Engine>,
        database: &Database,
        cursor: &mut Cursor,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, Failure> {
        // As in the original: these are functions of ours, and helpers of scripts.
        if call.name.starts_with(b"_") {
            return Err(Failure::Invalid("no function that may be called".into()));
        }
        self.serve(shared, engine, database, cursor, call)
    }

    /// Calls a function for nobody.
    ///
    /// # Errors
    /// As `call`, and when the table cannot be opened.
    pub fn call_alone(
        &self,
        shared: &Shared,
        engine: &Arc<Engine>,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let database = Database::open(engine, &shared.options.database)?;
        self.serve(shared, engine, &database, &mut Cursor::default(), call)
    }

    fn serve(
        &self,
        shared: &Shared,
        engine: &Arc<Engine>,
        database: &Database,
        cursor: &mut Cursor,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let watch = self.watch();
        let _working = interrupt::working(watch);
        let since = Instant::now();
        let mut lent = self.borrow(engine).map_err(|ended| self.told(call, since, ended))?;
        let mut group = Group::new();
        let mut turn = Turn::in_pool(engine, &mut group);
        let (mut wrote, mut row_key, mut batch) = (false, Vec::new(), KeyBatch::default());
        let mut rows = Rows {
            shared,
            database,
            turn: &mut turn,
            wrote: &mut wrote,
            reads_own: true,
            cursor,
            last_failure: None,
            reply: None,
            row_key: &mut row_key,
            batch: &mut batch,
        };
        let mut held = self.locks.hold(engine.lock_wait_max());
        lock(call, &mut rows, &mut held)?;
        let host = Host::new(self, rows, held);
        let mut answered = lent.state().call(call.name, [call.key, call.value], &host);
        if host.failed() && answered.is_ok() {
            answered = Err(Ended::Failed("the server failed in between".into()));
        }
        let held = host.into_held();
        let committed = match (&answered, group.take()) {
            // One that gives nothing has not failed: what it wrote stays, as in the original.
            (Ok(_) | Err(Ended::Nothing), Some((transaction, durability))) => {
                transaction.commit(durability)
            }
            // Dropped, and with it all of its writes.
            _ => Ok(()),
        };
        drop(held);
        if matches!(answered, Err(Ended::Stopped(_))) {
            lent.discard();
        }
        drop(lent);
        committed.map_err(|error| failure_for(&error))?;
        answered.map_err(|ended| self.told(call, since, ended))
    }

    /// What a client is told; the log is told why.
    fn told(&self, call: &Call<'_>, since: Instant, ended: Ended) -> Failure {
        let why = match ended {
            Ended::Unknown => return Failure::Invalid("no such function".into()),
            Ended::Nothing => return Failure::Missing,
            Ended::Failed(why) | Ended::Stopped(why) => why,
        };
        let function = String::from_utf8_lossy(&call.name[..call.name.len().min(64)]);
        if let Some(more) = self.noise.tell() {
            let milliseconds = since.elapsed().as_millis() as u64;
            tracing::warn!(%function, %why, milliseconds, more, "a Lua function failed");
        }
        Failure::Server(why.into())
    }

    fn watch(&self) -> Arc<Watch> {
        let time = Some(self.options.time_max).filter(|time| !time.is_zero());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Arc::new(Watch { deadline, client: interrupt::current() })
    }

    /// A state for one call, which waits for one if there are as many as may be.
    fn borrow(&self, engine: &Engine) -> Result<Lent<'_>, Ended> {
        let mut states = self.states();
        let state = loop {
            if let Some(state) = states.idle.pop() {
                break Some(state);
            }
            if states.count < self.options.states_max {
                states.count += 1;
                break None;
            }
            if interrupt::is_wanted() || states.waiting >= WAITING_MAX {
                return Err(Ended::Failed("no Lua state was free in time".into()));
            }
            states.waiting += 1;
            let waited = self.freed.wait_timeout(states, interrupt::LOOK);
            states = waited.unwrap_or_else(PoisonError::into_inner).0;
            states.waiting -= 1;
        };
        drop(states);
        // Given back if making it fails.
        let mut lent = Lent { scripts: self, state };
        let mut state = match lent.state.take() {
            Some(state) => state,
            None => self.make(engine)?,
        };
        self.keep_up(&mut state)?;
        lent.state = Some(state);
        Ok(lent)
    }

    fn make(&self, engine: &Engine) -> Result<State, Ended> {
        let ScriptOptions { name, text, memory_bytes_max, .. } = &self.options;
        State::new(engine, *memory_bytes_max, name, text)
    }

    /// Runs what other states have evaluated.
    fn keep_up(&self, state: &mut State) -> Result<(), Ended> {
        let texts = self.evaluated()[state.evaluated..].to_vec();
        for text in texts {
            state.evaluated += 1;
            // Whatever else is wrong was told when it was evaluated first.
            if let Err(Ended::Stopped(why)) = state.run("_eval", &text) {
                return Err(Ended::Stopped(why));
            }
        }
        Ok(())
    }

    /// Has every state run a text, this one at once.
    ///
    /// # Errors
    /// What is wrong with it, or that there are too many, as a sentence.
    pub fn evaluate(&self, state: &State, text: &[u8]) -> Result<(), String> {
        match state.run("_eval", text) {
            Ok(()) => {}
            Err(Ended::Failed(why) | Ended::Stopped(why)) => return Err(why),
            Err(Ended::Unknown | Ended::Nothing) => return Err("it does not run".into()),
        }
        let mut evaluated = self.evaluated();
        let bytes: usize = evaluated.iter().map(Vec::len).sum();
        if evaluated.len() >= EVALUATED_MAX || bytes + text.len() > EVALUATED_BYTES_MAX {
            return Err("too much was evaluated already".into());
        }
        evaluated.push(text.to_vec());
        Ok(())
    }

    /// Texts that all calls share.
    pub fn stash(&self) -> &Stash {
        &self.stash
    }

    fn states(&self) -> MutexGuard<'_, States> {
        // Nothing panics while it is held.
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evaluated(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        // Nothing panics while it is held.
        self.evaluated.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks what a call wants locked.
fn lock(call: &Call<'_>, rows: &mut Rows<'_, '_>, held: &mut Held<'_>) -> Result<(), Failure> {
    let in_vain = || Failure::Server("a lock was waited for in vain".into());
    let among = match call.locking {
        Locking::None => return Ok(()),
        Locking::Record => Among::Others,
        Locking::Global => Among::Alone,
    };
    if !held.enter(among) {
        return Err(in_vain());
    }
    if among == Among::Alone {
        return Ok(());
    }
    match rows.lock_record(call.key) {
        Ok(true) => Ok(()),
        Ok(false) if held.lock(&[LOCK_OF_KEY, call.key].concat()) => Ok(()),
        Ok(false) => Err(in_vain()),
        Err(Trouble::Failed(failure)) => Err(failure),
        Err(Trouble::Wait | Trouble::Outdated | Trouble::Close) => {
            Err(Failure::Server("the table is being changed, try again".into()))
        }
    }
}

/// A state that serves a call.
struct Lent<'s> {
    scripts: &'s Scripts,
    state: Option<State>,
}

impl Lent<'_> {
    fn state(&self) -> &State {
        self.state.as_ref().expect("taken out by nobody but `discard`")
    }

    /// It is of no further use.
    fn discard(&mut self) {
        self.state = None;
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // After a panic nobody knows what it holds.
        let state = self.state.take().filter(|_| !std::thread::panicking());
        let mut states = self.scripts.states();
        match state {
            Some(state) => states.idle.push(state),
            None => states.count -= 1,
        }
        drop(states);
        self.scripts.freed.notify_one();
    }
}

/// Keeps a script that fails all the time from filling the log: one line a second.
#[derive(Debug, Default)]
struct Noise {
    second: AtomicI64,
    kept_back: AtomicU64,
}

impl Noise {
    /// How many were kept back before this one; `None`: so is this one.
    fn tell(&self) -> Option<u64> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let second = since.map_or(0, |since| since.as_secs() as i64);
        if self.second.swap(second, Ordering::Relaxed) == second {
            self.kept_back.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.kept_back.swap(0, Ordering::Relaxed))
    }
}
