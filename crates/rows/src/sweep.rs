//! The sweep: expired rows are removed, so that their space comes back, and tables in cache mode
//! are kept within their limits.
//!
//! A sweep goes through each table that lets rows expire, from where the last one stopped, and
//! removes what has expired under the row's lock. It is called from a thread that may wait; a row
//! that someone else holds is left for the next sweep.
//!
//! Invariants
//! 1. A row is removed only if it has expired when its lock is held.
//! 2. One table's trouble keeps no other from being swept.
//!
//! Not here: who sees expired rows (`expiry`), which rows leave a full table (`evict`), when
//! sweeps take place (the server).

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::evict;
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::removal::{RemovedRows, remove};
use crate::schema::TableId;
use crate::store::{Direction, Reach};
use crate::table::Table;

/// Rows looked at without a pause for those who write to the table.
const CHUNK_ROWS: usize = 10_000;
/// A sweep goes on with a table while more than one row in so many has expired.
const WORTHWHILE_PART: usize = 4;
/// Chunks of one table in one sweep.
const CHUNKS_MAX: usize = 32;

/// Where the sweep of each table stopped.
#[derive(Debug, Default)]
pub struct Sweeper {
    places: Mutex<HashMap<TableId, Vec<u8>>>,
    hands: Mutex<HashMap<TableId, Vec<u8>>>,
}

/// Told of the rows that left a table.
pub type Tell<'t> = dyn FnMut(&Table, RemovedRows) + 't;

impl Sweeper {
    /// Removes expired rows of all tables. Costs a look at 10,000 rows of each such table, and
    /// more only where many have expired.
    ///
    /// # Errors
    /// The first that a table gave; the others are swept all the same.
    pub fn sweep(&self, engine: &Arc<Engine>, tell: &mut Tell<'_>) -> Result<()> {
        let mut places = self.places.lock();
        let mut next = HashMap::new();
        let mut outcome = Ok(());
        for table in engine.catalog().all_tables() {
            let Some(expiry) = engine.expiry(&table) else { continue };
            let place = next.entry(table.id).or_insert_with(|| {
                places.remove(&table.id).unwrap_or_else(|| table.index_range(0).start)
            });
            for _ in 0..CHUNKS_MAX {
                match sweep_chunk(engine, &table, expiry, place) {
                    Ok(chunk) => {
                        tell(&table, RemovedRows { expired: chunk.removed, evicted: 0 });
                        if chunk.removed * WORTHWHILE_PART < CHUNK_ROWS || chunk.ended {
                            break;
                        }
                    }
                    // Altered or dropped meanwhile: there is a next sweep.
                    Err(Error::SchemaChanged | Error::NotFound { .. }) => break,
                    Err(error) => {
                        outcome = outcome.and(Err(error));
                        break;
                    }
                }
            }
        }
        *places = next;
        outcome
    }

    /// Lets rows leave the tables that have more bytes than their limit. To be called when
    /// `Engine::wake` says so, and once a second.
    ///
    /// # Errors
    /// As `sweep`.
    pub fn make_room(&self, engine: &Arc<Engine>, tell: &mut Tell<'_>) -> Result<()> {
        let mut hands = self.hands.lock();
        let mut next = HashMap::new();
        let mut outcome = Ok(());
        for table in engine.catalog().all_tables() {
            let Some(recency) = table.recency() else { continue };
            let hand =
                next.entry(table.id).or_insert_with(|| hands.remove(&table.id).unwrap_or_default());
            let made = match recency.is_counted() {
                true => Ok(()),
                false => evict::count(engine, &table, recency),
            };
            match made.and_then(|()| evict::evict(engine, &table, recency, hand)) {
                Ok(removed) => tell(&table, removed),
                Err(Error::SchemaChanged | Error::NotFound { .. }) => {}
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        *hands = next;
        outcome
    }

    /// Begins a new second for the ages of rows in tables in cache mode.
    pub fn tick(&self, engine: &Engine) {
        for table in engine.catalog().all_tables() {
            if let Some(recency) = table.recency() {
                recency.tick();
            }
        }
    }
}

struct SweptChunk {
    removed: usize,
    /// Whether the end of the table was reached.
    ended: bool,
}

/// Looks at the rows from `place` on, removes the expired ones, and moves `place`.
fn sweep_chunk(
    engine: &Arc<Engine>,
    table: &Arc<Table>,
    expiry: Expiry,
    place: &mut Vec<u8>,
) -> Result<SweptChunk> {
    let mut range = table.index_range(0);
    let first = range.start.clone();
    range.start.clone_from(place);
    let (mut looked, mut expired) = (0, Vec::new());
    let mut last = None;
    let mut cursor = engine.latest().scan(&range, Direction::Forward, Reach::Disk)?;
    while looked < CHUNK_ROWS && cursor.advance()? {
        looked += 1;
        if expiry.is_over(&row_at(table, cursor.key(), cursor.value())?)? {
            expired.push(cursor.key().to_vec());
        }
        if looked == CHUNK_ROWS {
            last = Some(cursor.key().to_vec());
        }
    }
    drop(cursor);
    let removed = remove(engine, table, &expired, &mut |_, row| expiry.is_over(row))?;
    let ended = last.is_none();
    *place = match last {
        Some(mut key) => {
            key.push(0);
            key
        }
        None => first,
    };
    Ok(SweptChunk { removed, ended })
}
