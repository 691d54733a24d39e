//! `EventDefinition`: a job inside the server, as the catalog stores it (`CREATE EVENT` in SQL).
//!
//! Times are seconds since the epoch, UTC; the zone says which clock the schedule goes by.
//!
//! Invariants
//! 1. An event keeps its id when it is altered, renamed or replaced; ids are never used again.
//! 2. `record.running` is stored before a run begins and taken back after it: after a crash it
//!    tells which runs were cut off.
//! 3. Names compare without case within a database.
//!
//! Not here: when an event is due, and running it (`sql::events`); changing the catalog
//! (`ddl::events`).

use serde::{Deserialize, Serialize};

/// Number of an event, from the same sequence as the ids of tables.
pub type EventId = u32;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDefinition {
    /// Its number; 0 before it is stored.
    pub id: EventId,
    /// The database it belongs to, which is the current one of its runs.
    pub database: String,
    /// Its name.
    pub name: String,
    /// Whose runs they are: `name@host`.
    pub definer: String,
    /// Whether that is an account, whose rights its runs have; otherwise they may do everything.
    #[serde(default)]
    pub is_by_account: bool,
    /// What it runs: a statement, or BEGIN, statements, END.
    pub body: String,
    /// When it runs.
    pub schedule: EventSchedule,
    /// Whether it stays, disabled, when its last run is over.
    pub preserve: bool,
    /// Whether it runs at all.
    pub status: EventStatus,
    /// COMMENT.
    pub comment: String,
    /// When it was made.
    pub created: i64,
    /// When it was altered last.
    pub altered: i64,
    /// The session that defined it.
    pub settings: EventSettings,
    /// What became of its runs.
    #[serde(default)]
    pub record: RunRecord,
}

/// When an event runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventSchedule {
    /// Once.
    Once {
        /// The moment.
        at: i64,
        /// Whether its run has begun, be it that it was cut off.
        begun: bool,
    },
    /// Again and again.
    Every {
        /// The interval as SQL writes it within quotes: `5`, `1:30`.
        interval: String,
        /// Its unit: `MINUTE`, `HOUR_MINUTE`.
        unit: String,
        /// The first moment.
        starts: i64,
        /// No moment is later.
        ends: Option<i64>,
    },
}

/// Whether an event runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventStatus {
    /// It runs.
    Enabled,
    /// It does not.
    Disabled,
    /// It would run on the primary of a replica.
    DisabledOnReplica,
}

/// What an event keeps of the session that defined it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventSettings {
    /// sql_mode.
    pub sql_mode: String,
    /// time_zone.
    pub time_zone: String,
    /// character_set_client.
    pub charset_client: String,
    /// collation_connection.
    pub collation_connection: String,
}

/// What became of an event's runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Whether a run has begun of which no end is known.
    pub running: bool,
    /// When the last run began.
    pub started: Option<i64>,
    /// Runs begun.
    pub runs: u64,
    /// Runs that ended with an error, or were cut off.
    pub failures: u64,
    /// How long the last complete run took, in microseconds.
    pub micros: Option<u64>,
    /// The last error: when, its number and its words.
    pub error: Option<RunError>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// When.
    pub at: i64,
    /// MySQL's number.
    pub number: u16,
    /// Its words.
    pub message: String,
}

impl EventDefinition {
    /// Whether it goes by this name in its database.
    pub fn is_named(&self, database: &str, name: &str) -> bool {
        self.database == database && self.name.to_lowercase() == name.to_lowercase()
    }
}
