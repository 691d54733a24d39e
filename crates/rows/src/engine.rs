//! The engine: store, catalog and committer behind one handle that every door shares.
//!
//! Invariants
//! 1. Row versions only grow, also across restarts (they start from the clock's microseconds),
//!    so a version names one state of one row for ever. memcached's cas rests on this.
//! 2. Counters (AUTO_INCREMENT, row ids) are read from the rows at first use after a start and
//!    then only grow.
//!
//! Not here: the operations themselves (`find`, `transaction`, `ddl`, `alter`, `check`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use resources::budget::Budget;
use resources::clock::{Clock, SystemClock};
use resources::spill::SpillDirectory;

use crate::asked_keys::AskedKeys;
use crate::cache::RowCache;
use crate::catalog::Catalog;
use crate::commit::{Committer, Lead};
use crate::error::{Error, Result};
use crate::global_transactions::GlobalTransactions;
use crate::ingestion::TableStore;
use crate::metrics::Metrics;
use crate::recency::Wake;
use crate::rules::{MakeRules, no_rules};
use crate::store::{Durability, Read, TemporaryStore};
use crate::table::{Images, Patience, Table, TableState};

/// Settings of an engine.
pub struct EngineOptions {
    /// What acknowledged means unless a session says otherwise.
    pub durability: Durability,
    /// How long a row lock is waited for where waiting is allowed.
    pub lock_wait_max: Duration,
    /// Bytes of memory for rows that are looked up by key, and for images of small indexes; 0 turns
    /// both off.
    pub row_cache_bytes: usize,
    /// Bytes of memory for what clients make the server keep (`budget`).
    pub client_bytes: usize,
    /// Where writes of transactions go for which there is no memory; without it such a transaction
    /// ends with an error.
    pub spill: Option<Arc<SpillDirectory>>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// What makes rules of the expressions in definitions.
    pub make_rules: MakeRules,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            durability: Durability::EveryCommit,
            lock_wait_max: Duration::from_secs(50),
            row_cache_bytes: 16 << 20,
            client_bytes: 1 << 40,
            spill: None,
            clock: Arc::new(SystemClock),
            make_rules: no_rules,
        }
    }
}

/// Rows, for every door.
pub struct Engine {
    store: Arc<dyn TableStore>,
    temporary: Arc<dyn TemporaryStore>,
    catalog: Catalog,
    cache: Arc<RowCache>,
    images: Images,
    asked_keys: Arc<AskedKeys>,
    committer: Committer,
    global_transactions: Arc<GlobalTransactions>,
    wake: Arc<Wake>,
    metrics: Metrics,
    budget: Arc<Budget>,
    spill: Option<Arc<SpillDirectory>>,
    clock: Arc<dyn Clock>,
    durability: AtomicU8,
    lock_wait_max: Duration,
    version: Arc<AtomicU64>,
    /// Held while counters are first read from the rows.
    counters: Mutex<()>,
    /// Whose gate tables pass that are being made.
    new_tables: Arc<TableState>,
    /// Whose gate all pass that change definitions.
    definitions: Arc<TableState>,
    /// How many tables are locked for writing.
    write_locks: Arc<AtomicUsize>,
    closed: AtomicBool,
}

impl Engine {
    /// Opens the rows in a store that has temporary tables beside it (`open`).
    ///
    /// # Errors
    /// As `open`.
    pub(crate) fn open_over(
        store: Arc<dyn TableStore>,
        temporary: Arc<dyn TemporaryStore>,
        options: EngineOptions,
    ) -> Result<Arc<Engine>> {
        let catalog = Catalog::load(&*store, options.make_rules)?;
        let row_bytes = options.row_cache_bytes;
        let of_images = Arc::<AtomicUsize>::default();
        let images = Images::new(row_bytes, Arc::clone(&of_images));
        let cache = Arc::new(RowCache::beside(row_bytes, of_images));
        let wake = Arc::new(Wake::default());
        let (of_store, of_cache) = (Arc::clone(&store), Arc::clone(&cache));
        let committer =
            Committer::start(of_store, of_cache, Arc::clone(&wake), options.client_bytes).map_err(
                |source| Error::Store {
                    doing: "starting the committer",
                    applied: Some(false),
                    source: Box::new(source),
                },
            )?;
        let engine = Engine {
            store,
            temporary,
            catalog,
            cache,
            images,
            asked_keys: Arc::new(AskedKeys::default()),
            committer,
            global_transactions: Arc::default(),
            wake,
            metrics: Metrics::new(),
            budget: Budget::of_connections(options.client_bytes),
            spill: options.spill,
            version: Arc::new(AtomicU64::new(options.clock.unix_micros())),
            clock: options.clock,
            durability: AtomicU8::new(options.durability as u8),
            lock_wait_max: options.lock_wait_max,
            counters: Mutex::new(()),
            new_tables: Arc::default(),
            definitions: Arc::default(),
            write_locks: Arc::default(),
            closed: AtomicBool::new(false),
        };
        engine.begin_counting()?;
        match engine.resume_reclaims() {
            // A store that takes no writes now is read all the same; the next start repeats this.
            Err(Error::DiskFull { .. } | Error::Refused { .. }) => {}
            resumed => resumed?,
        }
        let engine = Arc::new(engine);
        engine.resume_prepared()?;
        Ok(engine)
    }

    /// Databases, tables, columns.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The store beneath.
    pub fn store(&self) -> &Arc<dyn TableStore> {
        &self.store
    }

    /// What is committed of temporary tables.
    pub(crate) fn temporary(&self) -> &dyn TemporaryStore {
        &*self.temporary
    }

    /// The present state, for reads outside transactions.
    pub fn latest(&self) -> &dyn Read {
        &*self.store
    }

    /// The rows in memory.
    pub fn cache(&self) -> &Arc<RowCache> {
        &self.cache
    }

    /// Which keys and indexes are asked for.
    pub fn asked_keys(&self) -> &Arc<AskedKeys> {
        &self.asked_keys
    }

    /// The indexes in memory.
    pub(crate) fn images(&self) -> &Images {
        &self.images
    }

    /// Global transactions, those that are prepared among them.
    pub fn global_transactions(&self) -> &Arc<GlobalTransactions> {
        &self.global_transactions
    }

    /// Wakes the thread that sweeps (`sweep`).
    pub fn wake(&self) -> &Arc<Wake> {
        &self.wake
    }

    /// Figures for status pages.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The memory that clients can make the server use.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Where writes go for which there is no memory.
    pub fn spill(&self) -> Option<&Arc<SpillDirectory>> {
        self.spill.as_ref()
    }

    /// The time of day.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// What acknowledged means unless a session says otherwise.
    pub fn durability(&self) -> Durability {
        match self.durability.load(Ordering::Relaxed) {
            0 => Durability::Os,
            1 => Durability::EverySecond,
            _ => Durability::EveryCommit,
        }
    }

    /// Changes the default durability for writes from now on.
    pub fn set_durability(&self, durability: Durability) {
        self.durability.store(durability as u8, Ordering::Relaxed);
    }

    /// The gate of tables that are being made.
    pub(crate) fn new_tables(&self) -> &Arc<TableState> {
        &self.new_tables
    }

    /// The gate of changes of definitions.
    pub(crate) fn definitions(&self) -> &Arc<TableState> {
        &self.definitions
    }

    /// How many tables are locked for writing.
    pub(crate) fn write_locks(&self) -> &Arc<AtomicUsize> {
        &self.write_locks
    }

    /// How long a row lock is waited for where waiting is allowed.
    pub fn lock_wait_max(&self) -> Duration {
        self.lock_wait_max
    }

    /// How long a schema change waits for those who write, unless it is said otherwise.
    pub fn patience(&self) -> Patience {
        Patience::at_most(self.lock_wait_max)
    }

    /// Finishes handed-over commits, makes everything durable and refuses further writes.
    ///
    /// # Errors
    /// Those of the last sync: what was acknowledged before, with a durability that waits for one,
    /// is on the disk all the same.
    pub fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Relaxed);
        self.committer.stop();
        self.global_transactions.close();
        // These are estimates, and numbers of rows that were rolled back: should it fail, the next
        // start has older ones.
        let _ = self.keep_next_numbers().and_then(|()| self.keep_all_row_counts());
        self.store.sync()
    }

    /// Whether it was closed: who works in the background ends.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// The right to commit under `EveryCommit` in a thread that may not wait for long: `None` while
    /// somebody else commits, and when syncs have been slow of late. Then hand the commit over
    /// (`Transaction::commit_or_later`).
    pub fn quick_lead(&self) -> Option<Lead> {
        self.committer.quick_lead()
    }

    pub(crate) fn committer(&self) -> &Committer {
        &self.committer
    }

    /// A row version that was never given before.
    pub(crate) fn next_version(&self) -> u64 {
        self.version.fetch_add(1, Ordering::Relaxed)
    }

    /// A version below which all notes of changes of a table's rows are in the store, for who looks
    /// from now on, or will never be.
    pub fn notes_settled_below(&self, table: &Table) -> u64 {
        table.state.settled_below(|| self.version.load(Ordering::SeqCst))
    }

    /// The next row version, for those who give very many; each is given once.
    pub(crate) fn versions(&self) -> &Arc<AtomicU64> {
        &self.version
    }

    /// Reads a counter from the rows, once per start: `last` gives the highest value in use.
    pub(crate) fn load_counter(
        &self,
        table: &Table,
        counter: &AtomicU64,
        last: fn(&Engine, &Table) -> Result<u64>,
    ) -> Result<()> {
        if counter.load(Ordering::Acquire) != 0 {
            return Ok(());
        }
        let _reading = self.counters.lock();
        if counter.load(Ordering::Acquire) == 0 {
            let next = last(self, table)?.saturating_add(1);
            counter.store(next, Ordering::Release);
        }
        Ok(())
    }
}
