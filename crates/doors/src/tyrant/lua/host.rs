//! The functions with which scripts reach records, the stash and locks.
//!
//! They give what the original's give: `false` or nothing where a record is not as it must be, an
//! error for senseless arguments. A failure of the server raises an error, and the call's writes
//! are then rolled back whatever the script makes of it.
//!
//! Invariants
//! 1. No record is borrowed while a function of the script runs, so that it may do anything.
//!
//! Not here: what operations do (`execute`, `misc`), functions without records (`plain`).

use std::cell::{Cell, RefCell};

use mlua::{FromLua, Function, IntoLua, Lua, MultiValue, String as Text, Table, Value};

use crate::tyrant::command::{List, PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::encode::{self, CountedReply};
use crate::tyrant::execute::{KeyCursor, TyrantRows};
use crate::tyrant::lua::locks::CallLocks;
use crate::tyrant::lua::scripts::Scripts;
use crate::tyrant::lua::state::LuaState;
use crate::tyrant::misc;

/// Names of the functions.
pub const NAMES: [&str; 27] = [
    "_put",
    "_putkeep",
    "_putcat",
    "_out",
    "_get",
    "_vsiz",
    "_iterinit",
    "_iternext",
    "_fwmkeys",
    "_addint",
    "_adddouble",
    "_vanish",
    "_rnum",
    "_size",
    "_misc",
    "_search",
    "_foreach",
    "_stashput",
    "_stashputkeep",
    "_stashputcat",
    "_stashout",
    "_stashget",
    "_stashvanish",
    "_stashforeach",
    "_lock",
    "_unlock",
    "_eval",
];

/// Records that are handed to a script at a time.
const RECORDS_AT_ONCE: usize = 256;

/// What the functions of one call work on.
pub struct Host<'s, 'h, 't> {
    scripts: &'s Scripts,
    rows: RefCell<TyrantRows<'h, 't>>,
    held: RefCell<CallLocks<'s>>,
    /// Whether the server has failed in between: nothing is to stay.
    failed: Cell<bool>,
}

impl<'s, 'h, 't> Host<'s, 'h, 't> {
    /// For one call.
    pub fn new(
        scripts: &'s Scripts,
        rows: TyrantRows<'h, 't>,
        held: CallLocks<'s>,
    ) -> Host<'s, 'h, 't> {
        let (rows, held) = (RefCell::new(rows), RefCell::new(held));
        Host { scripts, rows, held, failed: Cell::new(false) }
    }

    /// Whether the server has failed in between.
    pub fn failed(&self) -> bool {
        self.failed.get()
    }

    /// What the call has locked.
    pub fn into_held(self) -> CallLocks<'s> {
        self.held.into_inner()
    }

    /// Calls a function: its name, then its arguments.
    ///
    /// # Errors
    /// Senseless arguments, failures of the server, errors of functions that were handed over.
    pub fn call<'l>(
        &self,
        state: &LuaState,
        lua: &'l Lua,
        mut given: MultiValue<'l>,
    ) -> mlua::Result<Value<'l>> {
        let name = Text::from_lua(given.pop_front().unwrap_or(Value::Nil), lua)?;
        let name = name.to_str()?;
        let mut given = LuaArguments { lua, name, values: given };
        match name {
            "_put" => self.put(PutMode::Over, &mut given),
            "_putkeep" => self.put(PutMode::Keep, &mut given),
            "_putcat" => self.put(PutMode::Concatenate, &mut given),
            "_out" => {
                let key = given.text()?;
                self.done(|rows| rows.out(key.as_bytes()))
            }
            "_get" => {
                let key = given.text()?;
                let mut value = None;
                self.told(|rows| {
                    rows.get(key.as_bytes(), &mut |found| value = Some(found.to_vec()))
                })?;
                text_or_nil(lua, value)
            }
            "_vsiz" => {
                let (key, mut size) = (given.text()?, -1.0);
                self.told(|rows| rows.get(key.as_bytes(), &mut |value| size = value.len() as f64))?;
                Ok(Value::Number(size))
            }
            "_iterinit" => {
                self.rows.borrow_mut().cursor.restart();
                Ok(Value::Boolean(true))
            }
            "_iternext" => {
                let mut next = None;
                self.told(|rows| rows.next_record(&mut |key, _| next = Some(key.to_vec())))?;
                text_or_nil(lua, next)
            }
            "_fwmkeys" => {
                let (prefix, most) = (given.text()?, given.number_or(-1.0)?);
                let most = if most < 0.0 { usize::MAX } else { most as usize };
                let (mut keys, mut bytes) = (Vec::new(), 0);
                self.told(|rows| {
                    rows.keys_with_prefix(prefix.as_bytes(), most, &mut |key| {
                        bytes += key.len() + size_of::<Vec<u8>>();
                        keys.push(key.to_vec());
                        bytes
                    })
                })?;
                list(lua, keys.iter().map(Vec::as_slice))
            }
            "_addint" => {
                let (key, by) = (given.text()?, given.number()?);
                let sum = self.told(|rows| rows.add_integer(key.as_bytes(), by as i32))?;
                Ok(sum.map_or(Value::Nil, |sum| Value::Number(sum.into())))
            }
            "_adddouble" => {
                let (key, by) = (given.text()?, given.number()?);
                let sum = self.told(|rows| rows.add_double(key.as_bytes(), by))?;
                Ok(sum.filter(|sum| !sum.is_nan()).map_or(Value::Nil, Value::Number))
            }
            "_vanish" => self.done(TyrantRows::vanish),
            "_rnum" => {
                let count = self.told(TyrantRows::record_count)?;
                Ok(Value::Number(count.unwrap_or_default() as f64))
            }
            "_size" => {
                let bytes = self.told(TyrantRows::database_bytes)?;
                Ok(Value::Number(bytes.unwrap_or_default() as f64))
            }
            "_misc" => {
                let function = given.text()?;
                // What the original then leaves out of its update log.
                let function = function.as_bytes();
                self.misc(lua, function.strip_prefix(b"$").unwrap_or(function), given)
            }
            "_search" => self.misc(lua, b"search", given),
            "_foreach" => self.for_each(&mut given),
            "_stashput" | "_stashputkeep" | "_stashputcat" => {
                let (key, text) = (given.text()?, given.text()?);
                let (key, text) = (key.as_bytes(), text.as_bytes());
                let fits = self.scripts.stash().change(key, |old| match (name, old) {
                    ("_stashputkeep", Some(_)) => None,
                    ("_stashputcat", Some(old)) => Some([old, text].concat()),
                    _ => Some(text.to_vec()),
                });
                Ok(Value::Boolean(fits))
            }
            "_stashout" => {
                Ok(Value::Boolean(self.scripts.stash().remove(given.text()?.as_bytes())))
            }
            "_stashget" => text_or_nil(lua, self.scripts.stash().get(given.text()?.as_bytes())),
            "_stashvanish" => {
                self.scripts.stash().clear();
                Ok(Value::Nil)
            }
            "_stashforeach" => self.for_each_in_stash(&mut given),
            "_lock" => Ok(Value::Boolean(self.held.borrow_mut().lock(given.text()?.as_bytes()))),
            // It is free when the call's writes can be seen.
            "_unlock" => Ok(Value::Boolean(self.held.borrow().holds(given.text()?.as_bytes()))),
            "_eval" => {
                let text = given.text()?;
                let evaluated = self.scripts.states().evaluate(state, text.as_bytes());
                evaluated.map_err(mlua::Error::RuntimeError)?;
                Ok(Value::Boolean(true))
            }
            _ => Err(given.invalid()),
        }
    }

    fn put<'l>(&self, mode: PutMode, given: &mut LuaArguments<'_, 'l>) -> mlua::Result<Value<'l>> {
        let (key, value) = (given.text()?, given.text()?);
        self.done(|rows| rows.put(mode, key.as_bytes(), value.as_bytes()))
    }

    /// Calls a function of `misc` with texts, and those of lists.
    fn misc<'l>(
        &self,
        lua: &'l Lua,
        function: &[u8],
        given: LuaArguments<'_, 'l>,
    ) -> mlua::Result<Value<'l>> {
        let (mut arguments, mut count) = (Vec::new(), 0);
        let mut push = |value: Value<'l>| -> mlua::Result<()> {
            if let Some(text) = lua.coerce_string(value)? {
                encode::sized(text.as_bytes(), &mut arguments);
                count += 1;
            }
            Ok(())
        };
        for value in given.values {
            match value {
                Value::Table(list) => {
                    for element in list.sequence_values::<Value<'l>>() {
                        push(element?)?;
                    }
                }
                other => push(other)?,
            }
        }
        let mut answer = Vec::new();
        let called = self.told(|rows| {
            let mut elements = CountedReply::begin(&mut answer);
            misc::call(rows, function, List::new(&arguments, count), &mut elements)?;
            Ok(elements.end())
        })?;
        match called {
            Some(count) => list(lua, List::of_answer(&answer, count).iter()),
            None => Ok(Value::Nil),
        }
    }

    /// Hands all records to a function as long as it says so.
    fn for_each<'l>(&self, given: &mut LuaArguments<'_, 'l>) -> mlua::Result<Value<'l>> {
        let visit = given.function()?;
        let mut cursor = KeyCursor::default();
        cursor.restart();
        loop {
            let records = self.told(|rows| rows.next_records(&mut cursor, RECORDS_AT_ONCE))?;
            let records = records.unwrap_or_default();
            if records.is_empty() {
                return Ok(Value::Boolean(true));
            }
            for (key, value) in &records {
                if !goes_on(given.lua, &visit, key, value)? {
                    return Ok(Value::Boolean(true));
                }
            }
        }
    }

    fn for_each_in_stash<'l>(&self, given: &mut LuaArguments<'_, 'l>) -> mlua::Result<Value<'l>> {
        let visit = given.function()?;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let texts = self.scripts.stash().behind(last.as_deref(), RECORDS_AT_ONCE);
            for (key, text) in &texts {
                if !goes_on(given.lua, &visit, key, text)? {
                    return Ok(Value::Nil);
                }
            }
            match texts.into_iter().next_back() {
                Some((key, _)) => last = Some(key),
                None => return Ok(Value::Nil),
            }
        }
    }

    /// Does something with records; `false` when they are not as they must be.
    fn done<'l>(
        &self,
        run: impl FnOnce(&mut TyrantRows<'h, 't>) -> Result<(), TyrantTrouble>,
    ) -> mlua::Result<Value<'l>> {
        self.told(run).map(|done| Value::Boolean(done.is_some()))
    }

    /// Does something with records; `None` when they are not as they must be.
    fn told<T>(
        &self,
        run: impl FnOnce(&mut TyrantRows<'h, 't>) -> Result<T, TyrantTrouble>,
    ) -> mlua::Result<Option<T>> {
        let ran = run(&mut self.rows.borrow_mut());
        let why = match ran {
            Ok(told) => return Ok(Some(told)),
            Err(TyrantTrouble::Failed(TyrantFailure::Server(why))) => why,
            Err(TyrantTrouble::Failed(failure)) => {
                self.rows.borrow().shared.log_failure("call of a script", &failure);
                return Ok(None);
            }
            Err(TyrantTrouble::Outdated) => "the table has been changed meanwhile".into(),
            Err(TyrantTrouble::Wait | TyrantTrouble::Close) => {
                "not while a script has written".into()
            }
        };
        self.failed.set(true);
        Err(mlua::Error::RuntimeError(why.into_owned()))
    }
}

/// The arguments of a function.
struct LuaArguments<'n, 'l> {
    lua: &'l Lua,
    name: &'n str,
    values: MultiValue<'l>,
}

impl<'l> LuaArguments<'_, 'l> {
    fn next<T: FromLua<'l>>(&mut self) -> mlua::Result<T> {
        let value = self.values.pop_front().filter(|value| !value.is_nil());
        let value = value.ok_or_else(|| self.invalid())?;
        T::from_lua(value, self.lua).map_err(|_| self.invalid())
    }

    fn text(&mut self) -> mlua::Result<Text<'l>> {
        self.next()
    }

    fn number(&mut self) -> mlua::Result<f64> {
        self.next()
    }

    fn number_or(&mut self, default: f64) -> mlua::Result<f64> {
        match self.values.pop_front() {
            None | Some(Value::Nil) => Ok(default),
            Some(value) => f64::from_lua(value, self.lua).map_err(|_| self.invalid()),
        }
    }

    fn function(&mut self) -> mlua::Result<Function<'l>> {
        self.next()
    }

    fn invalid(&self) -> mlua::Error {
        mlua::Error::RuntimeError(format!("{}: invalid arguments", self.name))
    }
}

/// Calls a function with key and value; whether it wants more.
fn goes_on<'l>(lua: &'l Lua, visit: &Function<'l>, key: &[u8], value: &[u8]) -> mlua::Result<bool> {
    let answer: Value<'l> = visit.call((lua.create_string(key)?, lua.create_string(value)?))?;
    Ok(!matches!(answer, Value::Nil | Value::Boolean(false)))
}

fn text_or_nil(lua: &Lua, bytes: Option<Vec<u8>>) -> mlua::Result<Value<'_>> {
    bytes.map_or(Ok(Value::Nil), |bytes| lua.create_string(bytes)?.into_lua(lua))
}

fn list<'l, 'b>(lua: &'l Lua, texts: impl Iterator<Item = &'b [u8]>) -> mlua::Result<Value<'l>> {
    let list: Table<'l> = lua.create_table()?;
    for text in texts {
        list.raw_push(lua.create_string(text)?)?;
    }
    Ok(Value::Table(list))
}
