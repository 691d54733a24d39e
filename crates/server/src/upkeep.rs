//! What is done for the rows while clients are served, each in a thread of its own that ends when
//! the engine is gone: expired rows and those of full tables leave, numbers of rows are written
//! down; indexes that are read all the time are taken into memory.
//!
//! Not here: how (`rows::sweep`, `rows::images`), compactions (the store's).

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use doors::memcached;
use resources::background::give_way;
use rows::Engine;

/// Between two sweeps.
const SWEEP_PAUSE: Duration = Duration::from_secs(1);
/// Between two looks at which images are of no more use.
const IMAGES_PAUSE: Duration = Duration::from_secs(1);

/// Starts all of them.
///
/// # Errors
/// The system has no threads.
pub fn start(
    engine: &Arc<Engine>,
    sweeper: &Arc<memcached::MemcachedShared>,
) -> anyhow::Result<()> {
    sweep(engine, Arc::clone(sweeper))
        .context("cannot start the thread that removes expired rows")?;
    keep_images(engine).context("cannot start the thread that takes indexes into memory")?;
    Ok(())
}

fn sweep(
    engine: &Arc<Engine>,
    sweeper: Arc<memcached::MemcachedShared>,
) -> std::io::Result<JoinHandle<()>> {
    let (wake, engine) = (engine.wake().clone(), Arc::downgrade(engine));
    Builder::new().name("rowhouse-sweep".into()).spawn(move || {
        let tell = |outcome: rows::Result<()>| match outcome {
            Ok(()) | Err(rows::Error::Refused { .. } | rows::Error::NotFound { .. }) => {}
            Err(error) => tracing::warn!(%error, "rows that should leave stay for now"),
        };
        let mut next_sweep = Instant::now();
        loop {
            let Some(engine) = engine.upgrade() else { return };
            if Instant::now() >= next_sweep {
                tell(sweeper.sweep(&engine).map(drop));
                if let Err(error) = engine.keep_row_counts() {
                    // Estimates: the next second tries again.
                    tracing::debug!(%error, "the numbers of rows were not written down");
                }
                next_sweep = Instant::now() + SWEEP_PAUSE;
            }
            tell(sweeper.make_room(&engine));
            drop(engine);
            wake.wait_until(next_sweep);
        }
    })
}

fn keep_images(engine: &Arc<Engine>) -> std::io::Result<JoinHandle<()>> {
    let (wake, engine) = (engine.image_wake().clone(), Arc::downgrade(engine));
    Builder::new().name("rowhouse-images".into()).spawn(move || {
        give_way(0);
        loop {
            let Some(engine) = engine.upgrade() else { return };
            if let Err(error) = engine.keep_images() {
                // The store is asked instead.
                tracing::debug!(%error, "an index was not taken into memory");
            }
            drop(engine);
            wake.wait_until(Instant::now() + IMAGES_PAUSE);
        }
    })
}
