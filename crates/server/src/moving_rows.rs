//! The thread that moves rows of columnar tables, and changed rows of columnar indexes, into segments
//! (`columnar`), once a second, or more often while there are many, behind everybody else; beside them
//! when it cannot keep up so.
//!
//! A thread that has given way cannot take it back. So each round behind others is that of a thread of
//! its own, and only what that leaves alone is done by the one that goes on.
//!
//! Invariants
//! 1. It has ended when `stop` returns: nothing is written after the rows are closed.
//!
//! Not here: which rows are moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use columnar::{ColumnStore, Moving, Round};
use rows::Engine;
use rows::background::give_way;
use rows_rocks::RocksStore;
use values::interrupt::{self, Interrupt};

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(1);
/// While clients write to a table whose columnar index others query: a second brings more changes
/// than a query should have to read one by one.
const PAUSE_BUSY: Duration = Duration::from_millis(250);

/// The thread.
pub struct MovingRows {
    stopping: Arc<Stopping>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Stopping(AtomicBool);

impl Interrupt for Stopping {
    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl MovingRows {
    /// Starts it.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        engine: &Arc<Engine>,
        store: ColumnStore<RocksStore>,
    ) -> anyhow::Result<MovingRows> {
        let stopping = Arc::new(Stopping::default());
        let (wanted, engine) = (Arc::clone(&stopping), Arc::clone(engine));
        let work = move || {
            while !wanted.is_wanted() {
                let pause = match round(&store, &engine, &wanted) {
                    Ok(round) => {
                        if round.rows > 0 {
                            tracing::debug!(round.rows, round.segments, "rows moved into segments");
                        }
                        if round.is_busy { PAUSE_BUSY } else { PAUSE }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "rows stay where they are for now");
                        PAUSE
                    }
                };
                // The end of a round's own thread unparks this one, so one call may not wait at all.
                let until = Instant::now() + pause;
                while !wanted.is_wanted() && Instant::now() < until {
                    std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
                }
            }
        };
        let thread = std::thread::Builder::new().name("rowhouse-mover".into()).spawn(work);
        let thread = thread.context("cannot start the thread that moves rows")?;
        Ok(MovingRows { stopping, thread })
    }

    /// Ends it, after the step that it is at.
    pub fn stop(self) {
        self.stopping.0.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // A panic was reported by its hook; closing goes on.
        let _ = self.thread.join();
    }
}

/// One round: behind others, and what is too much for that beside them.
fn round(
    store: &ColumnStore<RocksStore>,
    engine: &Arc<Engine>,
    stopping: &Arc<Stopping>,
) -> rows::Result<Round> {
    let move_as = |moving| {
        let _working = interrupt::working(Arc::clone(stopping) as Arc<dyn Interrupt>);
        store.move_rows_as(engine, moving)
    };
    let behind_others = std::thread::scope(|scope| {
        let work = || {
            give_way(0);
            move_as(Moving::BehindOthers)
        };
        let thread = std::thread::Builder::new().name("rowhouse-mover".into());
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // There are no more threads: all the less has this one to wait for.
            Err(_) => move_as(Moving::Beside),
        }
    })?;
    if !behind_others.is_behind {
        return Ok(behind_others);
    }
    let beside = move_as(Moving::Beside)?;
    Ok(Round {
        rows: behind_others.rows + beside.rows,
        segments: behind_others.segments + beside.segments,
        ..beside
    })
}
