//! What all conversations of the memcached door share: settings, counters, marks, and the
//! sweep.
//!
//! Not here: what one conversation knows (`door`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use resources::counter::Counter;
use rows::foreign_key::ForeignKeyChecks;
use rows::removal::RemovedRows;
use rows::store::Reach;
use rows::sweep::Sweeper;
use rows::{Engine, Table};

use crate::memcached::command::Moment;
use crate::memcached::marks::Marks;
use crate::memcached::place::{OWN_TABLES, Places, prepare};
use crate::memcached::prefixes::Prefixes;

/// Settings of the door.
#[derive(Clone, Debug)]
pub struct MemcachedOptions {
    /// Most bytes of a value.
    pub item_bytes_max: usize,
    /// TCP port as `stats settings` shows it.
    pub port: u16,
    /// Connections as `stats settings` shows them.
    pub connections_max: usize,
    /// What `version` says.
    pub version: String,
}

impl Default for MemcachedOptions {
    fn default() -> MemcachedOptions {
        MemcachedOptions {
            item_bytes_max: 1 << 20,
            port: 11211,
            connections_max: 1024,
            version: concat!("1.6.45-rowhouse-", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

macro_rules! counters {
    ($($name:ident,)*) => {
        /// What `stats` shows.
        #[derive(Debug, Default)]
        #[allow(missing_docs, reason = "the names are memcached's")]
        pub struct MemcachedCounters { $(pub $name: Counter,)* }

        impl MemcachedCounters {
            /// Every counter with its name.
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.get()),)*]
            }

            /// All but present connections back to 0.
            pub fn reset(&self) {
                $(if stringify!($name) != "curr_connections" {
                    self.$name.reset();
                })*
            }
        }
    };
}

counters! {
    curr_connections, total_connections, cmd_get, cmd_set, cmd_flush, cmd_touch, cmd_meta,
    get_hits, get_misses, get_expired, delete_misses, delete_hits, incr_misses, incr_hits,
    decr_misses, decr_hits, cas_misses, cas_hits, cas_badval, touch_hits, touch_misses,
    store_too_large, bytes_read, bytes_written, total_items, reclaimed, auth_cmds, auth_errors,
}

/// What all conversations share.
pub struct MemcachedShared {
    /// The settings.
    pub options: MemcachedOptions,
    /// The counters.
    pub counters: MemcachedCounters,
    /// Counts by key prefix.
    pub prefixes: Prefixes,
    /// Marks of items.
    pub marks: Marks,
    /// When the door opened, Unix seconds.
    pub started: i64,
    /// The second at which everything written before is to go; 0 for none.
    flush_at: AtomicI64,
    /// Whether the last sweep missed a table of the door.
    was_missing: AtomicBool,
    /// The places that the last sweep found.
    tended: std::sync::Mutex<Places>,
    sweeper: Sweeper,
}

impl MemcachedShared {
    /// The shared part of a door that opens now.
    pub fn new(engine: &Engine, options: MemcachedOptions) -> MemcachedShared {
        MemcachedShared {
            options,
            counters: MemcachedCounters::default(),
            prefixes: Prefixes::default(),
            marks: Marks::new(),
            started: now(engine).0,
            flush_at: AtomicI64::new(0),
            was_missing: AtomicBool::new(false),
            tended: std::sync::Mutex::default(),
            sweeper: Sweeper::default(),
        }
    }

    /// Sets all that is counted back to 0.
    pub fn reset_counts(&self) {
        self.counters.reset();
        self.prefixes.reset();
    }

    /// Sets when everything is to go; 0 for never.
    pub fn flush_at(&self, second: i64) {
        self.flush_at.store(second, Ordering::SeqCst);
    }

    /// Whether a delayed `flush_all` is due.
    pub fn flush_due(&self, now: Moment) -> bool {
        let at = self.flush_at.load(Ordering::Relaxed);
        at != 0 && at <= now.0
    }

    /// Does a delayed `flush_all` that is due.
    ///
    /// # Errors
    /// Those of emptying a table; the flush stays due.
    pub fn flush_if_due(&self, engine: &Engine) -> rows::Result<()> {
        let at = self.flush_at.load(Ordering::SeqCst);
        // The caller that takes the time away is the one that flushes.
        if at == 0
            || at > now(engine).0
            || self.flush_at.compare_exchange(at, 0, Ordering::SeqCst, Ordering::SeqCst).is_err()
        {
            return Ok(());
        }
        match engine.truncate_table("kv", "cache", ForeignKeyChecks::On, &engine.patience()) {
            // What was dropped is empty.
            Err(rows::Error::NotFound { .. }) => Ok(()),
            flushed => flushed.inspect_err(|_| self.flush_at(at)),
        }
    }

    /// Makes the tables of the door again that somebody has dropped. Not those that the last call
    /// found there: a dump that is loaded drops tables and makes them itself.
    ///
    /// # Errors
    /// Those of making tables.
    fn make_missing(&self, engine: &Engine) -> rows::Result<()> {
        let is_missing = |(database, name)| {
            matches!(engine.catalog().table(database, name), Err(rows::Error::NotFound { .. }))
        };
        let is_missing = OWN_TABLES.into_iter().any(is_missing);
        if self.was_missing.swap(is_missing, Ordering::Relaxed) && is_missing {
            prepare(engine)?;
            self.was_missing.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Does a delayed `flush_all` that is due, lets the rows of containers' tables expire at every
    /// door, and removes expired rows of all tables; gives how many. To be called once a second.
    ///
    /// # Errors
    /// Those of emptying, reading and writing; what was not done is done the next time.
    pub fn sweep(&self, engine: &Arc<Engine>) -> rows::Result<usize> {
        self.flush_if_due(engine)?;
        self.make_missing(engine)?;
        let contained = self.let_containers_expire(engine);
        let mut all = 0;
        let swept = self.sweeper.sweep(engine, &mut |table, removed| {
            all += removed.expired;
            self.count_reclaimed(table, removed);
        });
        self.sweeper.tick(engine);
        contained.and(swept).map(|()| all)
    }

    /// Lets rows leave the tables in cache mode that are full.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn make_room(&self, engine: &Arc<Engine>) -> rows::Result<()> {
        let tell = &mut |table: &Table, removed| self.count_reclaimed(table, removed);
        self.sweeper.make_room(engine, tell)
    }

    fn count_reclaimed(&self, table: &Table, removed: RemovedRows) {
        if table.database == "kv" && table.name == "cache" {
            self.counters.reclaimed.add_many(removed.expired as u64);
        }
    }

    /// Lets the rows of containers' tables expire at every door as they do at this one.
    ///
    /// # Errors
    /// Those of reading containers.
    pub fn let_containers_expire(&self, engine: &Engine) -> rows::Result<()> {
        let mut tended = self.tended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = tended.expiring();
        match tended.refresh(engine, Reach::Disk, (&access::rights::NONE, None)) {
            // Containers need no kv.cache.
            Ok(()) | Err(rows::Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        let now = tended.expiring();
        for (table, _) in &before {
            if !now.iter().any(|(other, _)| other.is_version_of(table)) {
                table.expire_by(None);
            }
        }
        for (table, column) in now {
            table.expire_by(Some(column));
        }
        Ok(())
    }
}

/// The present, by the engine's clock.
pub fn now(engine: &Engine) -> Moment {
    Moment(engine.unix_seconds())
}
