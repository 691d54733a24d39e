//! The states of a script: which one a call gets, and what all of them have evaluated.
//!
//! Invariants
//! 1. A state serves one call at a time; one that was stopped, or has met a panic, serves no other.
//! 2. There are no more states than may be. A call that waits for one gives up with its time, and
//!    at once if many wait already.
//!
//! Not here: limits within a state (`state`), what a call does with it (`scripts`).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use resources::interrupt;
use rows::Engine;

use crate::tyrant::lua::scripts::ScriptOptions;
use crate::tyrant::lua::state::{CallEnd, LuaState};

/// Calls that may wait for a state: each has a thread of the pool, which others need, too.
const WAITING_MAX: usize = 256;
/// Texts that `_eval` takes, and their bytes: every new state runs all of them.
const EVALUATED_MAX: usize = 1000;
const EVALUATED_BYTES_MAX: usize = 1 << 20;

/// All states of a script.
pub struct States {
    options: ScriptOptions,
    held: Mutex<StatePool>,
    freed: Condvar,
    evaluated: Mutex<Vec<Vec<u8>>>,
}

#[derive(Default)]
struct StatePool {
    idle: Vec<LuaState>,
    /// Those that serve included.
    count: usize,
    /// Calls that wait for one.
    waiting: usize,
}

impl States {
    /// None yet.
    pub fn new(options: ScriptOptions) -> States {
        let (held, evaluated) = (Mutex::default(), Mutex::default());
        States { options, held, freed: Condvar::new(), evaluated }
    }

    /// Whether the script has a function of that name, as far as idle states tell.
    pub fn have(&self, name: &[u8]) -> bool {
        self.held().idle.iter().any(|state| state.has(name))
    }

    /// A state for one call, which waits for one if there are as many as may be.
    ///
    /// # Errors
    /// `Failed` when none was free in time, or a new one could not be made.
    pub fn borrow(&self, engine: &Engine) -> Result<BorrowedState<'_>, CallEnd> {
        let mut held = self.held();
        let state = loop {
            if let Some(state) = held.idle.pop() {
                break Some(state);
            }
            if held.count < self.options.states_max {
                held.count += 1;
                break None;
            }
            if interrupt::is_wanted() || held.waiting >= WAITING_MAX {
                return Err(CallEnd::Failed("no Lua state was free in time".into()));
            }
            held.waiting += 1;
            let waited = self.freed.wait_timeout(held, interrupt::LOOK);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
            held.waiting -= 1;
        };
        drop(held);
        // Given back if making it fails.
        let mut lent = BorrowedState { states: self, state };
        let state = match lent.state.take() {
            Some(state) => state,
            None => self.make(engine)?,
        };
        self.keep_up(&state)?;
        lent.state = Some(state);
        Ok(lent)
    }

    fn make(&self, engine: &Engine) -> Result<LuaState, CallEnd> {
        let ScriptOptions { name, text, memory_bytes_max, .. } = &self.options;
        LuaState::new(engine, *memory_bytes_max, name, text)
    }

    /// Runs what other states have evaluated.
    fn keep_up(&self, state: &LuaState) -> Result<(), CallEnd> {
        let texts = self.evaluated()[state.evaluated.get()..].to_vec();
        for text in texts {
            state.evaluated.set(state.evaluated.get() + 1);
            // Whatever else is wrong was told when it was evaluated first.
            if let Err(CallEnd::Stopped(why)) = state.run("_eval", &text) {
                return Err(CallEnd::Stopped(why));
            }
        }
        Ok(())
    }

    /// Has every state run a text, this one at once.
    ///
    /// # Errors
    /// What is wrong with it, or that there are too many, as a sentence.
    pub fn evaluate(&self, state: &LuaState, text: &[u8]) -> Result<(), String> {
        match state.run("_eval", text) {
            Ok(()) => {}
            Err(CallEnd::Failed(why) | CallEnd::Stopped(why)) => return Err(why),
            Err(CallEnd::Unknown | CallEnd::Nothing) => return Err("it does not run".into()),
        }
        let mut evaluated = self.evaluated();
        let bytes: usize = evaluated.iter().map(Vec::len).sum();
        if evaluated.len() >= EVALUATED_MAX || bytes + text.len() > EVALUATED_BYTES_MAX {
            return Err("too much was evaluated already".into());
        }
        // Unless others have evaluated something meanwhile: then this one runs all of it again.
        if state.evaluated.get() == evaluated.len() {
            state.evaluated.set(evaluated.len() + 1);
        }
        evaluated.push(text.to_vec());
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, StatePool> {
        // Nothing panics while it is held.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evaluated(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        // Nothing panics while it is held.
        self.evaluated.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A state that serves a call.
pub struct BorrowedState<'s> {
    states: &'s States,
    state: Option<LuaState>,
}

impl BorrowedState<'_> {
    /// It.
    pub fn state(&self) -> &LuaState {
        self.state.as_ref().expect("taken out by nobody but `discard`")
    }

    /// It is of no further use.
    pub fn discard(&mut self) {
        self.state = None;
    }
}

impl Drop for BorrowedState<'_> {
    fn drop(&mut self) {
        // After a panic nobody knows what it holds.
        let state = self.state.take().filter(|_| !std::thread::panicking());
        let mut held = self.states.held();
        match state {
            Some(state) => held.idle.push(state),
            None => held.count -= 1,
        }
        drop(held);
        self.states.freed.notify_one();
    }
}
