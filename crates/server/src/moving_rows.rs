//! The threads that move rows of columnar tables, and changed rows of columnar indexes, into
//! segments (`columnar`), once a second, or more often while there are many: one behind everybody
//! else, and one next to them that takes on what has become too much for the first.
//!
//! They are two because a thread that has given way cannot take it back. Only one of them works at
//! a time.
//!
//! Invariants
//! 1. They have ended when `stop` returns: nothing is written after the rows are closed.
//!
//! Not here: which rows are moved.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use columnar::{ColumnStore, MoverRole, Round};
use resources::background::give_way;
use resources::interrupt::{self, Interrupt};
use rows::Engine;
use rows_rocks::RocksStore;

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(1);
/// While clients write to a table whose columnar index others query: a second brings more changes
/// than a query should have to read one by one.
const PAUSE_BUSY: Duration = Duration::from_millis(250);

/// The threads.
pub struct MovingRows {
    stopping: Arc<StopFlag>,
    behind: JoinHandle<()>,
    beside: JoinHandle<()>,
}

#[derive(Default)]
struct StopFlag(AtomicBool);

impl Interrupt for StopFlag {
    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl MovingRows {
    /// Starts them.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        engine: &Arc<Engine>,
        store: ColumnStore<RocksStore>,
    ) -> anyhow::Result<MovingRows> {
        let stopping = Arc::new(StopFlag::default());
        let mover = Mover { store, engine: Arc::clone(engine), stopping: Arc::clone(&stopping) };
        let (ask, asked) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let another = mover.clone();
        let beside = start(move || {
            for () in asked {
                if tell.send(another.round(MoverRole::Beside)).is_err() {
                    break;
                }
            }
        })?;
        let behind = start(move || {
            give_way(0);
            let beside = || {
                let moved = ask.send(()).ok().and_then(|()| told.recv().ok());
                // It has panicked: all the less is there to wait for.
                moved.unwrap_or_else(|| mover.round(MoverRole::Beside))
            };
            mover.work(beside);
        })?;
        Ok(MovingRows { stopping, behind, beside })
    }

    /// Ends them, after the step that they are at.
    pub fn stop(self) {
        self.stopping.0.store(true, Ordering::Relaxed);
        self.behind.thread().unpark();
        // A panic was reported by its hook; closing goes on. The second ends when the first has.
        let _ = self.behind.join();
        let _ = self.beside.join();
    }
}

fn start(work: impl FnOnce() + Send + 'static) -> anyhow::Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("rowhouse-mover".into()).spawn(work);
    thread.context("cannot start a thread that moves rows")
}

/// What both have.
#[derive(Clone)]
struct Mover {
    store: ColumnStore<RocksStore>,
    engine: Arc<Engine>,
    stopping: Arc<StopFlag>,
}

impl Mover {
    fn round(&self, moving: MoverRole) -> rows::Result<Round> {
        let _working = interrupt::working(Arc::clone(&self.stopping) as Arc<dyn Interrupt>);
        self.store.move_rows_as(&self.engine, moving)
    }

    /// Round after round behind others, each followed by one `beside` them where that is too
    /// little.
    fn work(&self, beside: impl Fn() -> rows::Result<Round>) {
        while !self.stopping.is_wanted() {
            let round = self.round(MoverRole::BehindOthers).and_then(|behind| {
                if !behind.is_behind {
                    return Ok(behind);
                }
                let beside = beside()?;
                let (rows, segments) =
                    (behind.rows + beside.rows, behind.segments + beside.segments);
                Ok(Round { rows, segments, ..beside })
            });
            let pause = match round {
                Ok(round) => {
                    if round.rows > 0 {
                        tracing::debug!(round.rows, round.segments, "rows moved into segments");
                    }
                    if round.is_busy { PAUSE_BUSY } else { PAUSE }
                }
                // The store has said why it takes no writes.
                Err(rows::Error::Refused { .. }) => PAUSE,
                Err(error) => {
                    tracing::warn!(%error, "rows stay where they are for now");
                    PAUSE
                }
            };
            // Whoever waits for another thread may take the call to stop for its own, or leave one
            // behind.
            let until = Instant::now() + pause;
            while !self.stopping.is_wanted() && Instant::now() < until {
                std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
            }
        }
    }
}
