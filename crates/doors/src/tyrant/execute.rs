//! Commands to row operations.
//!
//! - `read`: records by their keys; `write`: records put, removed, counted
//! - `scan`: iteration and keys in order; `whole`: what concerns the whole table
//!
//! Invariants
//! 1. A command that would wait in a loop leaves nothing in the group, and nothing of it is told.
//! 2. A read-modify-write decides under the row's lock, from the row as it then is.
//! 3. A read after a write of the same turn waits for the commit, but for those of a script, which
//!    see what it has written.
//!
//! 4. Records are reached only where `may` says that the client may: a script's call does what its
//!    client may do. `put` needs INSERT and UPDATE, `putkeep` INSERT alone; `get`, searches and
//!    iteration SELECT; what adds to a record all three; `out` DELETE and SELECT on the key;
//!    `vanish` DROP, `setindex` INDEX, `ext` EXECUTE, `copy` BACKUP_ADMIN.
//!
//! Not here: bytes (`decode`, `encode`), rows to records (`database`).

mod read;
mod scan;
mod whole;
mod write;

use resources::budget::{SMALL_BYTES, Share};
use resources::interrupt;
use rows::cache::KeyBatch;
use rows::store::Read;
use rows::{Engine, Error};
use values::pattern::CompiledPattern;

use crate::conversation::Turn;
use crate::memcached::place::DeniedAccess;
use crate::memcached::rights::ItemRights;
use crate::tyrant::call::Call;
use crate::tyrant::command::{TyrantCommand, TyrantFailure, TyrantTrouble};
use crate::tyrant::condition;
use crate::tyrant::database::Database;
use crate::tyrant::encode::{self, CountedReply, DONE};
use crate::tyrant::misc;
use crate::tyrant::shared::TyrantShared;

pub use scan::KeyCursor;

/// What commands run on during one turn.
pub struct TyrantRows<'a, 't> {
    /// What all conversations share.
    pub shared: &'a TyrantShared,
    /// The table.
    pub database: &'a Database,
    /// The turn.
    pub turn: &'a mut Turn<'t>,
    /// Whether this turn has written into the group.
    pub wrote: &'a mut bool,
    /// Whether reads see what was written so: of a script, whose group is its own.
    pub reads_own: bool,
    /// Where the connection's iteration stands.
    pub cursor: &'a mut KeyCursor,
    /// Why the command before failed, if it did.
    pub last_failure: Option<&'a TyrantFailure>,
    /// What the answer under way takes of the memory that clients may use, once it is large.
    pub reply: Option<Share>,
    /// A buffer for row keys.
    pub row_key: &'a mut Vec<u8>,
    /// A buffer for keys that are read soon.
    pub batch: &'a mut KeyBatch,
}

impl TyrantRows<'_, '_> {
    /// Runs a command and appends its answer.
    ///
    /// # Errors
    /// See `TyrantTrouble`; what was appended is then to be cut off.
    pub fn execute(
        &mut self,
        command: &TyrantCommand<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), TyrantTrouble> {
        match *command {
            TyrantCommand::Put { mode, key, value, answered } => {
                self.put(mode, key, value)?;
                if answered {
                    out.push(DONE);
                }
            }
            TyrantCommand::Out(key) => {
                self.out(key)?;
                out.push(DONE);
            }
            TyrantCommand::Get(key) => {
                let found = self.get(key, &mut |value| {
                    out.push(DONE);
                    encode::sized(value, out);
                })?;
                if !found {
                    return Err(TyrantFailure::Missing.into());
                }
            }
            TyrantCommand::GetMany(keys) => {
                let mut answer = CountedReply::begin(out);
                self.get_many(keys, &mut |key, value| {
                    answer.push_record(key, value);
                    answer.bytes()
                })?;
                answer.end();
            }
            TyrantCommand::ValueSize(key) => {
                let mut size = None;
                self.get(key, &mut |value| size = Some(value.len() as u32))?;
                out.push(DONE);
                out.extend_from_slice(&size.ok_or(TyrantFailure::Missing)?.to_be_bytes());
            }
            TyrantCommand::IterateFromStart => {
                self.cursor.restart();
                out.push(DONE);
            }
            TyrantCommand::IterateNext => self.next_record(&mut |key, _| {
                out.push(DONE);
                encode::sized(key, out);
            })?,
            TyrantCommand::ForwardMatching { prefix, keys_max } => {
                let mut answer = CountedReply::begin(out);
                self.keys_with_prefix(prefix, keys_max, &mut |key| {
                    answer.push(key);
                    answer.bytes()
                })?;
                answer.end();
            }
            TyrantCommand::AddInteger { key, by } => {
                let sum = self.add_integer(key, by)?;
                out.push(DONE);
                out.extend_from_slice(&sum.to_be_bytes());
            }
            TyrantCommand::AddDouble { key, by } => {
                let sum = self.add_double(key, by)?;
                out.push(DONE);
                encode::double(sum, out);
            }
            TyrantCommand::Misc { name, arguments } => {
                let mut answer = CountedReply::begin(out);
                misc::call(self, name, arguments, &mut answer)?;
                answer.end();
            }
            TyrantCommand::Sync => {
                self.sync()?;
                out.push(DONE);
            }
            // Rows need no tuning: the store does it all the time.
            TyrantCommand::Optimize => out.push(DONE),
            TyrantCommand::Vanish => {
                if !self.shared.options.vanish {
                    let why = "old clients send it for copy; the setting tyrant-vanish allows it";
                    return self.refuse("vanish", why);
                }
                self.vanish()?;
                out.push(DONE);
            }
            TyrantCommand::Copy([b'@', ..]) => return self.refuse("copy", "no programs are run"),
            TyrantCommand::Copy(path) => {
                self.copy(path)?;
                out.push(DONE);
            }
            TyrantCommand::Restore => return self.refuse("restore", "there are no update logs"),
            TyrantCommand::SetMaster => return self.refuse("setmst", "there is no replication"),
            TyrantCommand::Replicate => {
                self.shared.log_refusal("repl", "there is no replication");
                return Err(TyrantTrouble::Close);
            }
            TyrantCommand::Call(call) => {
                let answer = self.call_script(&call)?;
                out.push(DONE);
                encode::sized(&answer, out);
            }
            TyrantCommand::RecordCount => {
                let count = self.record_count()?;
                out.push(DONE);
                out.extend_from_slice(&count.to_be_bytes());
            }
            TyrantCommand::DatabaseSize => {
                let bytes = self.database_bytes()?;
                out.push(DONE);
                out.extend_from_slice(&bytes.to_be_bytes());
            }
            TyrantCommand::Stat => {
                let mut text = Vec::new();
                crate::tyrant::stat::list(self, &mut text)?;
                out.push(DONE);
                encode::sized(&text, out);
            }
        }
        Ok(())
    }

    /// Ends a command here that the client may not give, of a key or of none.
    #[inline]
    pub(super) fn may(&self, needed: ItemRights, key: Option<&[u8]>) -> Result<(), TyrantTrouble> {
        self.database.ask(needed, key).map_err(|denied| {
            let failure = match denied {
                DeniedAccess::Rights => TyrantFailure::Denied,
                DeniedAccess::Unaudited(reached) => TyrantFailure::Limited(reached.to_string()),
            };
            failure.into()
        })
    }

    /// Ends a command here that is too long for where others wait for it.
    pub(super) fn needs_time(&self) -> Result<(), TyrantTrouble> {
        if self.turn.may_wait() { Ok(()) } else { Err(TyrantTrouble::Wait) }
    }

    /// Refuses a command that will not be done here, and says so in the log.
    pub(super) fn refuse(&self, command: &str, why: &'static str) -> Result<(), TyrantTrouble> {
        self.shared.log_refusal(command, why);
        Err(TyrantFailure::Refused(why).into())
    }

    /// A regular expression, whose memory is added to `held`.
    ///
    /// # Errors
    /// `Invalid` when it is none, or too large; `NoMemory`, and the end of a command that nobody
    /// waits for; see `TyrantTrouble`.
    pub(super) fn pattern(
        &self,
        text: &[u8],
        held: &mut Share,
    ) -> Result<CompiledPattern, TyrantTrouble> {
        let compiled = condition::pattern(text, &mut |bytes| {
            if bytes >= SMALL_BYTES {
                self.needs_time()?;
            }
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout.into());
            }
            let mut memory = self.turn.engine().budget().share();
            memory.grow_to(bytes).map_err(Error::from)?;
            Ok(memory)
        })?;
        held.grow_to(held.bytes() + compiled.bytes).map_err(Error::from)?;
        Ok(compiled)
    }

    /// Calls a function of the script, which takes its time.
    ///
    /// # Errors
    /// See `TyrantTrouble`; as `Scripts::call`.
    pub(super) fn call_script(&mut self, call: &Call<'_>) -> Result<Vec<u8>, TyrantTrouble> {
        let Some(scripts) = &self.shared.options.scripts else {
            return Err(
                TyrantFailure::Invalid("the setting tyrant-lua names no script".into()).into()
            );
        };
        self.may(ItemRights::EXECUTE, None)?;
        self.may_read()?;
        self.needs_time()?;
        // A transaction that is open would be one that the call could wait for.
        if !self.turn.may_wait_for_writers() {
            return Err(TyrantTrouble::Wait);
        }
        let (engine, database) = (self.turn.engine(), self.database);
        let answer = scripts.call(self.shared, engine, database, self.cursor, call)?;
        self.check_reply(answer.len())?;
        Ok(answer)
    }

    /// What was written in this turn is not visible yet: a read waits for its commit.
    pub(super) fn may_read(&self) -> Result<(), TyrantTrouble> {
        if *self.wrote && !self.reads_own { Err(TyrantTrouble::Wait) } else { Ok(()) }
    }

    /// What reads see.
    fn view(&mut self) -> Result<&dyn Read, TyrantTrouble> {
        self.may_read()?;
        let engine = self.turn.engine();
        match *self.wrote {
            true => Ok(self.turn.transaction()?.view()),
            false => Ok(engine.latest()),
        }
    }

    /// Refuses a reply that there is no memory for, and counts one that there is.
    pub(super) fn check_reply(&mut self, bytes: usize) -> Result<(), TyrantTrouble> {
        Ok(count_reply(self.turn.engine(), &mut self.reply, bytes)?)
    }
}

/// As `check_reply`, for where a scan is under way.
///
/// # Errors
/// `NoMemory`, also for one that is too large to be sent at all.
#[inline]
pub(super) fn count_reply(
    engine: &Engine,
    reply: &mut Option<Share>,
    bytes: usize,
) -> rows::Result<()> {
    if bytes <= SMALL_BYTES {
        return Ok(());
    }
    let budget = engine.budget();
    if bytes > budget.reply_bytes_max() {
        return Err(Error::NoMemory);
    }
    Ok(reply.get_or_insert_with(|| budget.share()).keep_up_with(bytes)?)
}
