//! One Lua state: a script's globals, with limits of time and memory.
//!
//! Invariants
//! 1. A state that was stopped is not used again: it raises its error at the next call, return or
//!    turn of a loop, whatever the script catches, and pattern matching asks, too. Functions of
//!    Luau that could go on for longer without any of these are replaced (`prelude.lua`); of the
//!    others each takes time in proportion to the bytes that a state may have.
//! 2. What it takes is counted in the memory that clients may use, also while it is idle.
//! 3. Scripts have no files, no processes and no compiled code.
//!
//! Not here: which state a call gets (`scripts`), what functions do (`host`, `plain`).

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mlua::{Function, Lua, LuaOptions, MultiValue, RegistryKey, StdLib, Table, Value, VmState};
use resources::budget::Share;
use resources::interrupt;
use rows::Engine;

use crate::tyrant::lua::host::{self, Host};
use crate::tyrant::lua::{plain, points};

/// Functions that are written in Lua.
const PRELUDE: &[u8] = include_bytes!("prelude.lua");

/// What an idle state may keep of what calls left behind, besides twice of what they need.
const GARBAGE_BYTES_MAX: usize = 1 << 20;

/// Why a function gave nothing.
#[derive(Debug)]
pub enum CallEnd {
    /// There is no such function.
    Unknown,
    /// It says so: it returned nothing, or `false`.
    Nothing,
    /// It failed, as a sentence.
    Failed(String),
    /// It was stopped, as a sentence; the state is of no further use.
    Stopped(String),
}

impl From<mlua::Error> for CallEnd {
    fn from(error: mlua::Error) -> CallEnd {
        CallEnd::Failed(error.to_string())
    }
}

/// What interrupts a state share with it.
#[derive(Debug)]
struct Limits {
    stopped: AtomicU32,
    share: Mutex<Share>,
}

const RUNS: u32 = 0;
const OUT_OF_TIME: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;

impl Limits {
    /// Asked at every so many calls, returns and turns of loops.
    fn check(&self, lua: &Lua) -> mlua::Result<VmState> {
        let mut stopped = self.stopped.load(Ordering::Relaxed);
        if stopped == RUNS {
            if interrupt::is_wanted() {
                stopped = OUT_OF_TIME;
            } else if self.count(lua).is_err() {
                stopped = OUT_OF_MEMORY;
            } else {
                return Ok(VmState::Continue);
            }
            self.stopped.store(stopped, Ordering::Relaxed);
        }
        points::ask_always();
        Err(mlua::Error::RuntimeError(why(stopped).into()))
    }

    /// Counts what the state takes.
    fn count(&self, lua: &Lua) -> rows::Result<()> {
        Ok(self.share().keep_up_with(lua.used_memory())?)
    }

    /// Likewise when it rests; what it takes no more is given back.
    fn settle(&self, lua: &Lua) -> rows::Result<()> {
        let (mut share, bytes) = (self.share(), lua.used_memory());
        if bytes < share.bytes() {
            share.set(bytes);
        }
        Ok(share.keep_up_with(bytes)?)
    }

    fn share(&self) -> MutexGuard<'_, Share> {
        // Nothing panics while it is held.
        self.share.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn why(stopped: u32) -> &'static str {
    match stopped {
        OUT_OF_MEMORY => "there is no memory left for clients",
        _ => "its time is over, or its client has left",
    }
}

/// A state in which the script has been run.
pub struct LuaState {
    lua: Lua,
    limits: Arc<Limits>,
    /// The table whose `call` reaches records while a function runs.
    door: RegistryKey,
    /// Bytes that were in use after the latest full collection.
    needed: Cell<usize>,
    /// How many of the texts that all states are to evaluate this one has.
    pub evaluated: Cell<usize>,
}

impl LuaState {
    /// A new state that runs a script.
    ///
    /// # Errors
    /// What is wrong with the script, as a sentence.
    pub fn new(
        engine: &Engine,
        memory_bytes_max: usize,
        name: &str,
        script: &[u8],
    ) -> Result<LuaState, CallEnd> {
        let libraries = StdLib::COROUTINE
            | StdLib::TABLE
            | StdLib::OS
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER;
        let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(false))?;
        lua.set_memory_limit(memory_bytes_max)?;
        let share = Mutex::new(engine.budget().share());
        let limits = Limits { stopped: AtomicU32::new(RUNS), share };
        let limits = Arc::new(limits);
        plain::set(&lua)?;
        let door = lua.create_table()?;
        let (find, split) = plain::bounded(&lua)?;
        let (is_native, soon) = plain::asking(&lua)?;
        let names: Vec<&str> = host::NAMES.to_vec();
        let prelude = lua.load(PRELUDE).set_name("=prelude");
        prelude.call::<_, ()>((names, door.clone(), find, split, is_native, soon))?;
        let globals = lua.globals();
        globals.set("_version", crate::tyrant::stat::VERSION)?;
        globals.set("_pid", std::process::id())?;
        globals.set("_sid", 0)?;
        globals.set("_thid", next_number())?;
        drop(globals);
        let door = lua.create_registry_value(door)?;
        let asks = Arc::clone(&limits);
        lua.set_interrupt(move |lua| asks.check(lua));
        points::stand_before(&lua)?;
        let state = LuaState { lua, limits, door, needed: Cell::new(0), evaluated: Cell::new(0) };
        state.run(name, script)?;
        Ok(state)
    }

    /// Runs a text.
    ///
    /// # Errors
    /// `Failed`, `Stopped`.
    pub fn run(&self, name: &str, text: &[u8]) -> Result<(), CallEnd> {
        points::ask_seldom();
        let run = || plain::compile(&self.lua, text, name)?.call::<_, ()>(());
        run().map_err(|error| self.ended(error))
    }

    /// Whether a global of that name is a function.
    pub fn has(&self, name: &[u8]) -> bool {
        self.function(name).is_some()
    }

    fn function(&self, name: &[u8]) -> Option<Function<'_>> {
        let name = self.lua.create_string(name).ok()?;
        match self.lua.globals().raw_get(name) {
            Ok(Value::Function(function)) => Some(function),
            _ => None,
        }
    }

    /// Calls a function on records.
    ///
    /// # Errors
    /// Why it gave nothing.
    pub fn call(
        &self,
        name: &[u8],
        given: [&[u8]; 2],
        host: &Host<'_, '_, '_>,
    ) -> Result<Vec<u8>, CallEnd> {
        let function = self.function(name).ok_or(CallEnd::Unknown)?;
        let door: Table<'_> = self.lua.registry_value(&self.door)?;
        points::ask_seldom();
        let called = self.lua.scope(|scope| {
            let reach = scope.create_function(|lua, given: MultiValue<'_>| {
                match host.call(self, lua, given) {
                    Ok(value) => Ok((None, value)),
                    // Scripts take what is wrong for a text.
                    Err(mlua::Error::RuntimeError(why)) => Ok((Some(why), Value::Nil)),
                    Err(error) => Err(error),
                }
            })?;
            door.raw_set("call", reach)?;
            let given = given.map(|text| self.lua.create_string(text));
            let [key, value] = given;
            let answer = function.call::<_, Value<'_>>((key?, value?));
            door.raw_set("call", Value::Nil)?;
            self.answer(answer?)
        });
        let settled = self.settle();
        match called {
            Err(error) => Err(self.ended(error)),
            Ok(_) if settled.is_err() => Err(CallEnd::Stopped(why(OUT_OF_MEMORY).into())),
            Ok(None) => Err(CallEnd::Nothing),
            Ok(Some(answer)) => Ok(answer),
        }
    }

    /// Counts what a call has left behind, after it was collected if it is much.
    fn settle(&self) -> mlua::Result<()> {
        if self.lua.used_memory() > 2 * self.needed.get() + GARBAGE_BYTES_MAX {
            self.lua.gc_collect()?;
            self.needed.set(self.lua.used_memory());
        }
        let counted = self.limits.settle(&self.lua);
        counted.map_err(|error| mlua::Error::RuntimeError(error.to_string()))
    }

    /// The bytes of what a function returns: a text, a number, `true`, or the first of a list.
    fn answer(&self, value: Value<'_>) -> mlua::Result<Option<Vec<u8>>> {
        let value = match value {
            Value::Table(list) => list.raw_get(1)?,
            other => other,
        };
        Ok(match value {
            Value::Boolean(true) => Some(b"true".to_vec()),
            value @ (Value::String(_) | Value::Integer(_) | Value::Number(_)) => {
                self.lua.coerce_string(value)?.map(|text| text.as_bytes().to_vec())
            }
            _ => None,
        })
    }

    fn ended(&self, error: mlua::Error) -> CallEnd {
        match self.limits.stopped.load(Ordering::Relaxed) {
            RUNS if is_memory(&error) => {
                CallEnd::Stopped("it takes more memory than tyrant-lua-memory allows".into())
            }
            RUNS => CallEnd::Failed(error.to_string()),
            stopped => CallEnd::Stopped(why(stopped).into()),
        }
    }
}

/// Whether a state had no memory, also where a function of ours was told so.
fn is_memory(error: &mlua::Error) -> bool {
    match error {
        mlua::Error::MemoryError(_) => true,
        mlua::Error::CallbackError { cause, .. } => is_memory(cause),
        _ => false,
    }
}

/// States are numbered from 1, as the original's threads are.
fn next_number() -> u64 {
    static STATES: AtomicU64 = AtomicU64::new(1);
    STATES.fetch_add(1, Ordering::Relaxed)
}
