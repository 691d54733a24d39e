//! What all calls of a script share, and a call from its beginning to its end.
//!
//! ```text
//! a state, made if there are too few -> locks -> the function, its writes in one transaction
//!     -> commit, or nothing of it -> locks free -> the state waits for the next call
//! ```
//! Invariants
//! 1. The writes of a call are committed together before anybody is told of it, or none of them is.
//! 2. Locks of a call are held until its writes can be seen.
//! 3. A call ends with its time, when its client leaves, and when there is no memory for it.
//!
//! Not here: what functions do (`host`, `plain`), which state it gets (`states`), limits within
//! (`state`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use access::Rights;
use resources::budget::Budget;
use resources::interrupt::{self, Interrupt};
use resources::log_rate::LogRate;
use rows::cache::KeyBatch;
use rows::{Engine, Group};

use crate::conversation::Turn;
use crate::log_text::shown;
use crate::tyrant::call::{Call, Locking};
use crate::tyrant::command::{TyrantFailure, TyrantTrouble, failure_for};
use crate::tyrant::database::Database;
use crate::tyrant::execute::{KeyCursor, TyrantRows};
use crate::tyrant::lua::host::Host;
use crate::tyrant::lua::locks::{CallLocks, LockScope, Locks};
use crate::tyrant::lua::stash::Stash;
use crate::tyrant::lua::state::CallEnd;
use crate::tyrant::lua::states::States;
use crate::tyrant::shared::TyrantShared;

/// How long the last function may take, also where others may take as long as they like.
const LAST_TIME_MAX: Duration = Duration::from_secs(10);
/// The function that is called before all others, and the one behind them.
const FIRST: &[u8] = b"_begin";
const LAST: &[u8] = b"_end";
/// Most bytes of an error that is logged.
const LOGGED_BYTES_MAX: usize = 4096;
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
    /// What is set aside for the stashes of all scripts.
    pub stash: Arc<Budget>,
    /// Most states, and so calls at a time.
    pub states_max: usize,
}

/// A script with its states.
pub struct Scripts {
    states: States,
    time_max: Duration,
    stash: Stash,
    locks: Locks,
    failures: LogRate,
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
            stash: Stash::new(&options.stash),
            time_max: options.time_max,
            states: States::new(options),
            locks: Locks::default(),
            failures: LogRate::default(),
        };
        let _working = interrupt::working(scripts.watch());
        let first = match scripts.states.borrow(engine) {
            Ok(_) => Ok(()),
            Err(CallEnd::Failed(why) | CallEnd::Stopped(why)) => Err(why),
            Err(CallEnd::Unknown | CallEnd::Nothing) => Err("it does not run".into()),
        };
        first.map(|()| scripts)
    }

    /// Calls the function that the script wants to be called before all others.
    pub fn begin(&self, shared: &TyrantShared, engine: &Arc<Engine>) {
        self.call_if_there(shared, engine, FIRST);
    }

    /// Calls the function that the script wants to be called behind all others.
    pub fn end(&self, shared: &TyrantShared, engine: &Arc<Engine>) {
        let deadline = Instant::now().checked_add(LAST_TIME_MAX);
        let _working = interrupt::working(Arc::new(Watch { deadline, client: None }));
        self.call_if_there(shared, engine, LAST);
    }

    fn call_if_there(&self, shared: &TyrantShared, engine: &Arc<Engine>, name: &[u8]) {
        if self.states.have(name) {
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
        shared: &TyrantShared,
        engine: &Arc<Engine>,
        database: &Database,
        cursor: &mut KeyCursor,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, TyrantFailure> {
        // As in the original: these are functions of ours, and helpers of scripts.
        if call.name.starts_with(b"_") {
            return Err(TyrantFailure::Invalid("no function that may be called".into()));
        }
        self.serve(shared, engine, database, cursor, call)
    }

    /// Calls a function for nobody.
    ///
    /// # Errors
    /// As `call`, and when the table cannot be opened.
    pub fn call_alone(
        &self,
        shared: &TyrantShared,
        engine: &Arc<Engine>,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, TyrantFailure> {
        let database = Database::open(engine, &shared.options.database, &Rights::unlimited())?;
        self.serve(shared, engine, &database, &mut KeyCursor::default(), call)
    }

    fn serve(
        &self,
        shared: &TyrantShared,
        engine: &Arc<Engine>,
        database: &Database,
        cursor: &mut KeyCursor,
        call: &Call<'_>,
    ) -> Result<Vec<u8>, TyrantFailure> {
        let watch = self.watch();
        let _working = interrupt::working(watch);
        let since = Instant::now();
        let mut lent = self.states.borrow(engine).map_err(|ended| self.told(call, since, ended))?;
        let mut group = Group::new();
        let mut turn = Turn::in_pool(engine, &mut group);
        let (mut wrote, mut row_key, mut batch) = (false, Vec::new(), KeyBatch::default());
        let mut rows = TyrantRows {
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
            answered = Err(CallEnd::Failed("the server failed in between".into()));
        }
        let held = host.into_held();
        let committed = match (&answered, group.take()) {
            // One that gives nothing has not failed: what it wrote stays, as in the original.
            (Ok(_) | Err(CallEnd::Nothing), Some((transaction, durability))) => {
                transaction.commit(durability)
            }
            // Dropped, and with it all of its writes.
            _ => Ok(()),
        };
        drop(held);
        if matches!(answered, Err(CallEnd::Stopped(_))) {
            lent.discard();
        }
        drop(lent);
        committed.map_err(|error| failure_for(&error))?;
        answered.map_err(|ended| self.told(call, since, ended))
    }

    /// What a client is told; the log is told why.
    fn told(&self, call: &Call<'_>, since: Instant, ended: CallEnd) -> TyrantFailure {
        let why = match ended {
            CallEnd::Unknown => return TyrantFailure::Invalid("no such function".into()),
            CallEnd::Nothing => return TyrantFailure::Missing,
            CallEnd::Failed(why) | CallEnd::Stopped(why) => why,
        };
        let function = shown(call.name, 64);
        let log = shown(why.as_bytes(), LOGGED_BYTES_MAX);
        if let Some(more) = self.failures.next(Instant::now()) {
            let milliseconds = since.elapsed().as_millis() as u64;
            tracing::warn!(%function, why = %log, milliseconds, more, "a Lua function failed");
        }
        TyrantFailure::Server(why.into())
    }

    fn watch(&self) -> Arc<Watch> {
        let time = Some(self.time_max).filter(|time| !time.is_zero());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Arc::new(Watch { deadline, client: interrupt::current() })
    }

    /// All states.
    pub fn states(&self) -> &States {
        &self.states
    }

    /// Texts that all calls share.
    pub fn stash(&self) -> &Stash {
        &self.stash
    }
}

/// Locks what a call wants locked.
fn lock(
    call: &Call<'_>,
    rows: &mut TyrantRows<'_, '_>,
    held: &mut CallLocks<'_>,
) -> Result<(), TyrantFailure> {
    let in_vain = || TyrantFailure::Server("a lock was waited for in vain".into());
    let among = match call.locking {
        Locking::None => return Ok(()),
        Locking::Record => LockScope::Others,
        Locking::Global => LockScope::Alone,
    };
    if !held.enter(among) {
        return Err(in_vain());
    }
    if among == LockScope::Alone {
        return Ok(());
    }
    match rows.lock_record(call.key) {
        Ok(true) => Ok(()),
        Ok(false) if held.lock(&[LOCK_OF_KEY, call.key].concat()) => Ok(()),
        Ok(false) => Err(in_vain()),
        Err(TyrantTrouble::Failed(failure)) => Err(failure),
        Err(TyrantTrouble::Wait | TyrantTrouble::Outdated | TyrantTrouble::Close) => {
            Err(TyrantFailure::Server("the table is being changed, try again".into()))
        }
    }
}
