//! What an expression may ask of its statement, frozen when the statement begins.
//!
//! Invariants
//! 1. `now` is the same for the whole statement, as in MySQL.
//! 2. Nothing here changes while the statement runs, except the kill mark and what
//!    `LAST_INSERT_ID(expr)` and `@x := 1` leave in `SideEffects`, which the session takes over.
//!
//! Not here: the session itself, names and defaults of variables (crate `sql`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use values::datum::Value;
use values::temporal::Zone;
use values::types::Collation;
use values::{CharacterSet, SqlMode};

use crate::statement::block_mode::BlockMode;
use crate::statement::error::Result;
use crate::statement::kill::KillMark;
use crate::statement::limits::Limits;
use crate::statement::random::Random;
use crate::statement::time_names::TimeNames;

/// What a user variable was given.
#[derive(Clone, Debug)]
pub struct UserVariable {
    /// The value.
    pub value: Value,
    /// The collation of its text; of no meaning for numbers.
    pub collation: Collation,
}

/// What expressions leave behind for the session.
#[derive(Debug, Default)]
pub struct SideEffects {
    /// Set by `LAST_INSERT_ID(expr)`.
    pub last_insert_id: Option<u64>,
    /// Set by `@name := value`.
    pub user_variables: Vec<(String, UserVariable)>,
}

/// A session's system variables.
pub trait SystemVariables: Send + Sync {
    /// A value by name; `None` when there is no such variable.
    fn value(&self, name: &str) -> Option<Value>;
}

/// What functions ask of the server.
pub trait Server: Send + Sync {
    /// `VERSION()`.
    fn version(&self) -> &str;

    /// `@@GLOBAL.name`; `None` when there is no such variable.
    fn global_variable(&self, name: &str) -> Option<Value>;

    /// GET_LOCK by a connection; `false` when it is not to be had in time.
    ///
    /// # Errors
    /// Those of `KillMark::check`.
    fn acquire_lock(&self, name: &str, by: u32, wait: Duration, kill: &KillMark) -> Result<bool>;

    /// RELEASE_LOCK; `None` when nobody holds it, `false` when another does.
    fn release_lock(&self, name: &str, by: u32) -> Option<bool>;

    /// RELEASE_ALL_LOCKS; how many times something was held.
    fn release_all_locks(&self, by: u32) -> u32;

    /// Which connection holds a lock.
    fn lock_holder(&self, name: &str) -> Option<u32>;

    /// Whether there is a connection, whose number is its thread's in performance_schema.
    fn has_thread(&self, connection: u32) -> bool;

    /// Whether performance_schema counts for a consumer; `None` when there is no such consumer.
    fn is_consumer_enabled(&self, name: &str) -> Option<bool>;

    /// A statement's digest and its text.
    ///
    /// # Errors
    /// 3676 where it is no statement.
    fn statement_digest(&self, statement: &[u8], mode: SqlMode) -> Result<(String, String)>;
}

/// What an expression may ask of its statement.
pub struct StatementContext {
    /// The connection's number, `CONNECTION_ID()`.
    pub connection_id: u32,
    /// `USER()`, as `name@host`.
    pub user: String,
    /// `CURRENT_USER()`: the account, as `name@host`.
    pub account: String,
    /// `CURRENT_ROLE()`.
    pub roles: String,
    /// The current database.
    pub database: Option<String>,
    /// The session's time zone.
    pub zone: Zone,
    /// The statement's start, microseconds since the epoch (or what SET TIMESTAMP said).
    pub now: i64,
    /// `LAST_INSERT_ID()`.
    pub last_insert_id: u64,
    /// `ROW_COUNT()`.
    pub row_count: i64,
    /// `FOUND_ROWS()`.
    pub found_rows: u64,
    /// `@@warning_count`: of the statement before.
    pub warning_count: u64,
    /// `@@error_count`: of the statement before.
    pub error_count: u64,
    /// sql_mode.
    pub mode: SqlMode,
    /// `@@character_set_connection`.
    pub charset: CharacterSet,
    /// `@@lc_time_names`.
    pub time_names: &'static TimeNames,
    /// `@@default_week_format`.
    pub week_format: u8,
    /// `@@block_encryption_mode`.
    pub block_mode: BlockMode,
    /// System variables, `@@name`.
    pub variables: Arc<dyn SystemVariables>,
    /// User variables by lower-case name, `@name`.
    pub user_variables: Arc<HashMap<String, UserVariable>>,
    /// Asked by long loops.
    pub kill: Arc<KillMark>,
    /// What the statement may use.
    pub limits: Arc<Limits>,
    /// The statement's text without literals, where it is kept.
    pub shape: Arc<str>,
    /// The sequences of RAND(seed), by the place of the call.
    pub random: Mutex<HashMap<usize, Random>>,
    /// What expressions leave behind.
    pub side_effects: Arc<Mutex<SideEffects>>,
    /// Global variables, named locks.
    pub server: Arc<dyn Server>,
}
