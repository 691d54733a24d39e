//! What all conversations of the Tyrant door share: settings and counters.
//!
//! Not here: what one conversation knows (`door`), how counters are shown (`stat`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use resources::counter::Counter;
use resources::log_rate::LogRate;
use rows::Engine;

use crate::log_text::shown;
use crate::tyrant::command::{PutMode, TyrantCommand, TyrantFailure};
use crate::tyrant::database::DatabaseName;
use crate::tyrant::lua::Scripts;

/// Most bytes of a reason that is logged.
const LOGGED_BYTES_MAX: usize = 500;

/// Takes a backup where a client's path says; tells why it cannot.
pub type Copy = Box<dyn Fn(&str, &Engine) -> Result<(), String> + Send + Sync>;

/// Settings of the door.
pub struct TyrantOptions {
    /// The table that it opens on.
    pub database: DatabaseName,
    /// Most bytes of a request.
    pub request_bytes_max: usize,
    /// What the command `copy` does; `None`: it is refused.
    pub copy: Option<Copy>,
    /// Whether the command 72 removes all records.
    pub vanish: bool,
    /// Names besides `localhost` by which HTTP clients may call this server.
    pub hosts: Vec<String>,
    /// What the command `ext` calls; `None`: it is refused.
    pub scripts: Option<Scripts>,
}

macro_rules! counters {
    ($($name:ident,)*) => {
        /// What `stat` shows as `cnt_NAME`.
        #[derive(Debug, Default)]
        #[allow(missing_docs, reason = "the names are those of the commands")]
        pub struct TyrantCounters { $(pub $name: Counter,)* }

        impl TyrantCounters {
            /// Every counter with its name.
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.get()),)*]
            }
        }
    };
}

counters! {
    put, putkeep, putcat, putshl, putnr, out, get, mget, vsiz, iterinit, iternext, fwmkeys, addint,
    adddouble, ext, sync, optimize, vanish, copy, restore, setmst, rnum, size, stat, misc, repl,
    put_miss, out_miss, get_miss,
}

impl TyrantCounters {
    /// Counts a command, and whether it found what it needs.
    pub(super) fn note(&self, command: &TyrantCommand<'_>, done: bool) {
        let (counter, miss) = match command {
            TyrantCommand::Put { answered: false, .. } => (&self.putnr, Some(&self.put_miss)),
            TyrantCommand::Put { mode, .. } => {
                let counter = match mode {
                    PutMode::Over | PutMode::Replace | PutMode::Prepend => &self.put,
                    PutMode::Keep => &self.putkeep,
                    PutMode::Concatenate | PutMode::Append => &self.putcat,
                    PutMode::Shift(_) => &self.putshl,
                };
                (counter, Some(&self.put_miss))
            }
            TyrantCommand::Out(_) => (&self.out, Some(&self.out_miss)),
            TyrantCommand::Get(_) => (&self.get, Some(&self.get_miss)),
            TyrantCommand::GetMany(_) => (&self.mget, Some(&self.get_miss)),
            TyrantCommand::ValueSize(_) => (&self.vsiz, Some(&self.get_miss)),
            TyrantCommand::IterateFromStart => (&self.iterinit, None),
            TyrantCommand::IterateNext => (&self.iternext, None),
            TyrantCommand::ForwardMatching { .. } => (&self.fwmkeys, None),
            TyrantCommand::AddInteger { .. } => (&self.addint, Some(&self.put_miss)),
            TyrantCommand::AddDouble { .. } => (&self.adddouble, Some(&self.put_miss)),
            TyrantCommand::Call(_) => (&self.ext, None),
            TyrantCommand::Sync => (&self.sync, None),
            TyrantCommand::Optimize => (&self.optimize, None),
            TyrantCommand::Vanish => (&self.vanish, None),
            TyrantCommand::Copy(_) => (&self.copy, None),
            TyrantCommand::Restore => (&self.restore, None),
            TyrantCommand::SetMaster => (&self.setmst, None),
            TyrantCommand::RecordCount => (&self.rnum, None),
            TyrantCommand::DatabaseSize => (&self.size, None),
            TyrantCommand::Stat => (&self.stat, None),
            TyrantCommand::Misc { .. } => (&self.misc, None),
            TyrantCommand::Replicate => (&self.repl, None),
        };
        counter.add();
        if let Some(miss) = miss.filter(|_| !done) {
            miss.add();
        }
    }
}

/// What all conversations share.
pub struct TyrantShared {
    /// The settings.
    pub options: TyrantOptions,
    /// The counters.
    pub counters: TyrantCounters,
    /// When the door opened, Unix seconds.
    pub started: i64,
    /// The latest number that `genuid` gave.
    unique_id: AtomicU64,
    /// Requests that were refused for good, and lines that tell of them.
    refused: Counter,
    refusals: LogRate,
    /// Requests that failed for another reason than the records, and lines that tell of them.
    failed: Counter,
    failures: LogRate,
}

impl TyrantShared {
    /// The shared part of a door that opens now.
    pub fn new(engine: &Engine, options: TyrantOptions) -> TyrantShared {
        TyrantShared {
            options,
            counters: TyrantCounters::default(),
            started: engine.unix_seconds(),
            unique_id: AtomicU64::new(0),
            refused: Counter::default(),
            refusals: LogRate::default(),
            failed: Counter::default(),
            failures: LogRate::default(),
        }
    }

    /// A number that was not given before, nor before a restart: the present in microseconds, or
    /// one more than the latest.
    pub(super) fn unique_id(&self, now_micros: u64) -> u64 {
        let next = |latest: u64| Some(now_micros.max(latest + 1));
        let latest = self.unique_id.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        now_micros.max(latest.unwrap_or_default() + 1)
    }

    /// Requests that were refused for good.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Requests that failed for another reason than that a record is there, or is not.
    pub fn failed(&self) -> u64 {
        self.failed.get()
    }

    /// Counts a request that is refused for good, and tells the log why: once a second at most.
    pub(super) fn log_refusal(&self, request: &str, why: &str) {
        self.refused.add();
        if let Some(more) = self.refusals.next(Instant::now()) {
            let request = shown(request.as_bytes(), LOGGED_BYTES_MAX);
            tracing::warn!(%request, why, more, "refused at the Tyrant door");
        }
    }

    /// Counts a request that has failed, and tells the log why: a client is told that it has, and
    /// no more.
    pub(super) fn log_failure(&self, request: &str, failure: &TyrantFailure) {
        let why = match failure {
            // Of a refusal the log has been told when it was counted.
            TyrantFailure::Missing
            | TyrantFailure::Exists
            | TyrantFailure::Denied
            | TyrantFailure::Limited(_)
            | TyrantFailure::Refused(_) => return,
            TyrantFailure::Invalid(why) | TyrantFailure::Server(why) => why,
        };
        self.failed.add();
        if let Some(more) = self.failures.next(Instant::now()) {
            let request = shown(request.as_bytes(), LOGGED_BYTES_MAX);
            let why = shown(why.as_bytes(), LOGGED_BYTES_MAX);
            tracing::warn!(%request, %why, more, "a request has failed at the Tyrant door");
        }
    }
}
