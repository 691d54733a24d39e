//! A search of all records, in parts, by several threads.
//!
//! Invariants
//! 1. Hits are in the order of the parts, as if one thread had gone through all of them.
//! 2. Threads that help are bounded, however many clients search at once.
//! 3. Where no order is asked for, no further part is read once those before it have enough.
//!
//! Not here: which records are wanted (`hits`).

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use resources::background::cores;
use resources::budget::Share;
use resources::parallel::share_out;
use rows::split;

use crate::tyrant::hits::{Hit, Hits};
use crate::tyrant::query::Search;
use crate::tyrant::source::Source;

/// Bytes of rows above which several threads look.
const PARALLEL_BYTES_MIN: u64 = 4 << 20;
/// Threads of a search, and threads that help all searches together.
const THREADS_MAX: usize = 8;
/// Parts for each thread, so that none waits long for the last one.
const PARTS_PER_THREAD: usize = 4;

/// Takes the hits among all records.
///
/// # Errors
/// Those of the engine, `NoMemory`.
pub fn search(source: &Source<'_>, hits: &mut Hits<'_>) -> rows::Result<()> {
    source.needs_time()?;
    let store = source.engine.store();
    let range = source.database.table().index_range(0);
    let threads = cores().min(THREADS_MAX);
    let large = threads > 1 && store.approximate_bytes(&range)? > PARALLEL_BYTES_MIN;
    let helpers = Helpers::take(if large { threads - 1 } else { 0 });
    let threads = helpers.0 + 1;
    let parts = match threads {
        1 => vec![range],
        _ => split(&**store, &*source.view, &range, threads * PARTS_PER_THREAD)?,
    };
    if let [range] = &parts[..] {
        return source.scan(0, range, &mut |key, row| hits.take(source.database, key, row));
    }
    let found: Vec<Mutex<_>> = parts.iter().map(|_| Mutex::default()).collect();
    let (position, needed) = (hits.position(), hits.needed());
    let (database, engine) = (source.database, source.engine);
    // A pattern that several threads use has them wait for each other.
    let workers = vec![hits.search().clone(); threads];
    let take_part = |search: &mut Search, part: usize| {
        if !have_enough(&found, hits) {
            let mut hits = Hits::new(search, position, needed, database, engine);
            source.scan(0, &parts[part], &mut |key, row| hits.take(database, key, row))?;
            *found[part].lock() = Some(hits.into_parts());
        }
        Ok(())
    };
    share_out(workers, parts.len(), take_part, |_| Ok::<_, rows::Error>(()))?;
    for (part, share) in found.into_iter().filter_map(Mutex::into_inner) {
        hits.append(part, share)?;
    }
    Ok(())
}

/// Threads that help a search, until it is over.
struct Helpers(usize);

/// How many help just now.
static HELPING: AtomicUsize = AtomicUsize::new(0);

impl Helpers {
    /// So many, or as many as are left.
    fn take(wanted: usize) -> Helpers {
        let left = |helping: usize| wanted.min(THREADS_MAX.saturating_sub(helping));
        let with = |helping| Some(helping + left(helping));
        let before = HELPING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with);
        Helpers(before.map_or(0, left))
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        HELPING.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Whether the parts from the first on that are done have as many hits as are wanted.
fn have_enough(found: &[Mutex<Option<(Vec<Hit>, Share)>>], hits: &Hits<'_>) -> bool {
    if hits.search().queries[0].order.is_some() {
        return false;
    }
    let mut left = hits.needed();
    for part in found {
        match &*part.lock() {
            Some((hits, _)) if hits.len() < left => left -= hits.len(),
            Some(_) => return true,
            None => return false,
        }
    }
    true
}
