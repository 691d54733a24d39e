//! What a rule's expressions see where there is no session: rows that come by other doors than SQL,
//! or whatever the door, since a condition must mean the same for all of them.
//!
//! Not here: the sessions of SQL (crate `sql`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use expression::{
    BlockMode, KillMark, Limits, Result, Server, SideEffects, StatementContext, SystemVariables,
    TimeNames,
};
use parking_lot::Mutex;
use resources::budget::Budget;
use values::datum::Value;
use values::temporal::Zone;
use values::{CharacterSet, SqlMode};

/// The longest value that a rule may make.
const VALUE_BYTES_MAX: usize = 64 << 20;
/// What the values of a rule may hold at once.
const MEMORY_BYTES: usize = 256 << 20;

/// Nobody's session, at a time in microseconds since the epoch.
pub(super) fn outside(now: i64, zone: Zone) -> StatementContext {
    let kill = Arc::new(KillMark::default());
    let memory = Budget::new(MEMORY_BYTES);
    StatementContext {
        connection_id: 0,
        user: String::new(),
        account: String::new(),
        roles: String::new(),
        database: None,
        zone,
        now,
        last_insert_id: 0,
        row_count: 0,
        found_rows: 0,
        warning_count: 0,
        error_count: 0,
        mode: SqlMode::default(),
        charset: CharacterSet::UTF8MB4,
        time_names: TimeNames::english(),
        week_format: 0,
        block_mode: BlockMode::default(),
        variables: Arc::new(Nobody),
        user_variables: Arc::new(HashMap::new()),
        limits: Arc::new(Limits::new(VALUE_BYTES_MAX, &memory, &kill)),
        kill,
        shape: Arc::from(""),
        random: Mutex::default(),
        side_effects: Arc::new(Mutex::new(SideEffects::default())),
        server: Arc::new(Nobody),
    }
}

/// A session of nobody: no variables, and no locks held.
struct Nobody;

impl SystemVariables for Nobody {
    fn value(&self, _: &str) -> Option<Value> {
        None
    }
}

impl Server for Nobody {
    fn version(&self) -> &str {
        ""
    }

    fn global_variable(&self, _: &str) -> Option<Value> {
        None
    }

    fn acquire_lock(&self, _: &str, _: u32, _: Duration, _: &KillMark) -> Result<bool> {
        Ok(false)
    }

    fn release_lock(&self, _: &str, _: u32) -> Option<bool> {
        None
    }

    fn release_all_locks(&self, _: u32) -> u32 {
        0
    }

    fn lock_holder(&self, _: &str) -> Option<u32> {
        None
    }

    fn has_thread(&self, _: u32) -> bool {
        false
    }

    fn is_consumer_enabled(&self, _: &str) -> Option<bool> {
        None
    }

    fn statement_digest(&self, _: &[u8], _: SqlMode) -> Result<(String, String)> {
        Err(expression::Error::other("No statements are known outside of sessions"))
    }
}
