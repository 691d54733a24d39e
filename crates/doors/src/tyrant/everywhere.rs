//! A search of all records, in parts, by several threads.
//!
//! Invariants
//! 1. Hits are in the order of the parts, as if one thread had gone through all of them.
//! 2. Where no order is asked for, no further part is begun once those before it have enough.
//!
//! Not here: which records are wanted (`hits`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use rows::background::give_way;
use rows::budget::Share;
use rows::store::KeyRange;
use rows::{Error, interrupt, split};

use crate::tyrant::hits::{Hit, Hits};
use crate::tyrant::source::Source;

/// Bytes of rows above which several threads look.
const PARALLEL_BYTES_MIN: u64 = 4 << 20;
const THREADS_MAX: usize = 8;
/// Parts for each thread, so that none waits long for the last one.
const PARTS_PER_THREAD: usize = 4;

/// Takes the hits among all records.
///
/// # Errors
/// Those of the engine, `NoMemory`.
pub fn search(source: &Source<'_>, hits: &mut Hits<'_>) -> rows::Result<()> {
    let store = source.engine.store();
    let range = source.database.table().index_range(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let parts = match threads > 1 && store.approximate_bytes(&range)? > PARALLEL_BYTES_MIN {
        true => split(&**store, &*source.view, &range, threads * PARTS_PER_THREAD)?,
        false => vec![range],
    };
    if let [range] = &parts[..] {
        return source.scan(0, range, &mut |key, row| hits.take(source.database, key, row));
    }
    let work = Work {
        source,
        hits,
        found: parts.iter().map(|_| Mutex::default()).collect(),
        parts,
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        error: Mutex::default(),
    };
    let working = interrupt::current();
    thread::scope(|scope| {
        for _ in 1..threads {
            let working = working.clone();
            scope.spawn(|| {
                let _working = working.map(interrupt::working);
                give_way(0);
                work.run();
            });
        }
        work.run();
    });
    let Work { found, error, .. } = work;
    if let Some(error) = error.into_inner() {
        return Err(error);
    }
    for (part, share) in found.into_iter().filter_map(Mutex::into_inner) {
        hits.append(part, share)?;
    }
    Ok(())
}

/// What the threads share.
struct Work<'a> {
    source: &'a Source<'a>,
    hits: &'a Hits<'a>,
    parts: Vec<KeyRange>,
    found: Vec<Mutex<Option<(Vec<Hit>, Share)>>>,
    next: AtomicUsize,
    stopped: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Work<'_> {
    /// Takes one part after another.
    fn run(&self) {
        // A pattern that several threads use has them wait for each other.
        let search = self.hits.search().clone();
        while !self.stopped.load(Ordering::Relaxed)
            && !self.has_enough()
            && let part = self.next.fetch_add(1, Ordering::Relaxed)
            && let Some(range) = self.parts.get(part)
        {
            let (position, needed) = (self.hits.position(), self.hits.needed());
            let (database, engine) = (self.source.database, self.source.engine);
            let mut hits = Hits::new(&search, position, needed, database, engine);
            let done = self.source.scan(0, range, &mut |key, row| hits.take(database, key, row));
            match done {
                Ok(()) => *self.found[part].lock() = Some(hits.into_parts()),
                Err(error) => {
                    self.stopped.store(true, Ordering::Relaxed);
                    self.error.lock().get_or_insert(error);
                }
            }
        }
    }

    /// Whether the parts from the first on that are done have as many hits as are wanted.
    fn has_enough(&self) -> bool {
        if self.hits.search().queries[0].order.is_some() {
            return false;
        }
        let mut left = self.hits.needed();
        for part in &self.found {
            match &*part.lock() {
                Some((hits, _)) if hits.len() < left => left -= hits.len(),
                Some(_) => return true,
                None => return false,
            }
        }
        true
    }
}
