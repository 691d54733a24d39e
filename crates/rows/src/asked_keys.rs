//! Which keys and indexes are asked for: a sample, so that a hot key and an index that nobody uses
//! are seen.
//!
//! ```text
//! each find      its thread counts down: one of about 64 is a sample
//! a sample       64 more uses of the index, and one of the key, in memory of the thread's line
//! the first use  of an index by a thread is counted at once: an index that was used is never 0
//! ```
//! Invariants
//! 1. A find that is no sample writes to its own thread's memory alone.
//! 2. There is room for so many keys in each line; a key that takes another's place has its count,
//!    and says by how much it may be too high (the space-saving algorithm of Metwally, Agrawal and
//!    Abbadi, 2005).
//! 3. Counts of keys are halved every so many seconds: what is hot is hot now.
//!
//! Not here: what finds are (`find`), whose a hot key is (`hot_keys`).

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use resources::counter::{LINES, line};

/// One find of so many is a sample, about: where they come in a pattern, samples must not.
const PERIOD: u64 = 64;
/// Indexes that a thread knows to have been counted.
const SEEN: usize = 64;
/// Keys of a line.
const KEYS_MAX: usize = 64;
/// Longer keys are not counted.
const KEY_BYTES_MAX: usize = 512;
/// After so many seconds counts of keys are halved.
const HALF_SECONDS: i64 = 10;
/// A key is hot from so many samples on, of which so many are of a hundred.
const HOT_SAMPLES_MIN: u64 = 16;
const HOT_PERCENT_MIN: u64 = 2;
/// Hot keys that are told.
const HOT_MAX: usize = 20;

struct AskingThread {
    /// Finds until the next sample.
    left: Cell<u64>,
    seed: Cell<u64>,
    seen: [Cell<u64>; SEEN],
}

thread_local! {
    static THREAD: AskingThread = const {
        AskingThread {
            left: Cell::new(0),
            seed: Cell::new(0),
            seen: [const { Cell::new(0) }; SEEN],
        }
    };
}

/// Every engine's numbers are its own, and a thread may serve several.
static ENGINES: AtomicU64 = AtomicU64::new(1);

/// What was asked for.
pub struct AskedKeys {
    /// Another one after uses were forgotten, so that threads count each index's next use at once.
    engine: AtomicU64,
    lines: [Mutex<AskedLine>; LINES],
}

#[derive(Default)]
struct AskedLine {
    /// Uses by table and index.
    uses: HashMap<(u32, u16), u64>,
    keys: Vec<AskedKey>,
    /// Samples that had a key.
    samples: u64,
    /// When counts were last halved, in seconds.
    halved: i64,
    hasher: foldhash::fast::RandomState,
}

struct AskedKey {
    /// Compared before the keys are, which lie elsewhere.
    hash: u64,
    key: Box<[u8]>,
    count: u64,
    /// How much of the count may be of other keys.
    error: u64,
}

fn next_engine() -> u64 {
    ENGINES.fetch_add(1, Ordering::Relaxed)
}

impl Default for AskedKeys {
    /// Nothing yet, of an engine of its own.
    fn default() -> AskedKeys {
        AskedKeys { engine: AtomicU64::new(next_engine()), lines: Default::default() }
    }
}

impl AskedKeys {
    /// A find in an index, by a key if it is one of one key.
    #[inline]
    pub fn note(&self, (table, index): (u32, u16), key: Option<&[u8]>, now: impl FnOnce() -> i64) {
        // Nothing is 0, which is what a thread begins with.
        let tag =
            self.engine.load(Ordering::Relaxed) << 48 | u64::from(table) << 16 | u64::from(index);
        THREAD.with(|thread| {
            let left = thread.left.get();
            let seen = &thread.seen[(table as usize).wrapping_add(usize::from(index)) % SEEN];
            if left > 0 && seen.get() == tag {
                return thread.left.set(left - 1);
            }
            seen.set(tag);
            self.count(thread, (table, index), key, now);
        });
    }

    #[cold]
    fn count(
        &self,
        thread: &AskingThread,
        index: (u32, u16),
        key: Option<&[u8]>,
        now: impl FnOnce() -> i64,
    ) {
        let is_sample = thread.left.get() == 0;
        let mut line = self.lines[line()].lock();
        *line.uses.entry(index).or_default() += if is_sample { PERIOD } else { 1 };
        if !is_sample {
            return thread.left.set(thread.left.get() - 1);
        }
        // xorshift64; the seeds of threads differ by where their memory is.
        let mut seed = thread.seed.get();
        if seed == 0 {
            seed = std::ptr::from_ref(thread).addr() as u64 | 1;
        }
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        thread.seed.set(seed);
        thread.left.set(seed % (2 * PERIOD - 1));
        if let Some(key) = key.filter(|key| key.len() <= KEY_BYTES_MAX) {
            line.halve(now());
            line.note(key);
        }
    }

    /// How often each index was used, by table and index: about, but never 0 where it was.
    pub fn uses(&self) -> HashMap<(u32, u16), u64> {
        let mut uses = HashMap::new();
        for line in &self.lines {
            for (index, count) in &line.lock().uses {
                *uses.entry(*index).or_default() += count;
            }
        }
        uses
    }

    /// Forgets how often indexes were used; keys that are hot stay so.
    pub fn forget_uses(&self) {
        self.engine.store(next_engine(), Ordering::Relaxed);
        self.lines.iter().for_each(|line| line.lock().uses.clear());
    }

    /// Samples of finds by key, and those of the keys that are surely hot, the hottest first.
    pub(crate) fn hottest(&self, now: i64) -> (u64, Vec<(Box<[u8]>, u64)>) {
        let mut samples = 0;
        let mut keys: HashMap<Box<[u8]>, u64> = HashMap::new();
        for line in &self.lines {
            let mut line = line.lock();
            line.halve(now);
            samples += line.samples;
            for key in &line.keys {
                *keys.entry(key.key.clone()).or_default() += key.count - key.error;
            }
        }
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.retain(|(_, count)| {
            *count >= HOT_SAMPLES_MIN && count * 100 >= samples * HOT_PERCENT_MIN
        });
        keys.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        keys.truncate(HOT_MAX);
        (samples, keys)
    }

    /// How many of a hundred finds by key are for the hottest one; 0 where none is hot.
    pub fn hottest_percent(&self, now: i64) -> u64 {
        let (samples, keys) = self.hottest(now);
        keys.first().map_or(0, |(_, count)| count * 100 / samples.max(1))
    }
}

impl AskedLine {
    fn note(&mut self, key: &[u8]) {
        self.samples += 1;
        let hash = self.hasher.hash_one(key);
        let is_same = |known: &&mut AskedKey| known.hash == hash && *known.key == *key;
        if let Some(known) = self.keys.iter_mut().find(is_same) {
            known.count += 1;
            return;
        }
        if self.keys.len() < KEYS_MAX {
            return self.keys.push(AskedKey { hash, key: key.into(), count: 1, error: 0 });
        }
        if let Some(least) = self.keys.iter_mut().min_by_key(|known| known.count) {
            (least.hash, least.error) = (hash, least.count);
            least.count += 1;
            least.key = key.into();
        }
    }

    fn halve(&mut self, now: i64) {
        let times = (now - self.halved) / HALF_SECONDS;
        if times == 0 {
            return;
        }
        self.halved = now;
        // A clock that goes back halves once.
        let times = u32::try_from(times.abs()).unwrap_or(u32::MAX).min(63);
        self.samples >>= times;
        for key in &mut self.keys {
            key.count >>= times;
            key.error = (key.error >> times).min(key.count);
        }
        self.keys.retain(|key| key.count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hot_key_is_found_among_many_and_cools_down() {
        let asked = AskedKeys::default();
        for find in 0..200_000u64 {
            // Each fourth is for the hot one; the others are all different.
            let key = if find % 4 == 0 { b"hot".to_vec() } else { find.to_be_bytes().to_vec() };
            asked.note((7, 0), Some(&key), || 1000);
        }
        let (samples, keys) = asked.hottest(1000);
        let [(key, count)] = &keys[..] else { panic!("one is hot, not {keys:?}") };
        assert_eq!(&**key, b"hot");
        let percent = count * 100 / samples;
        assert!((15..=30).contains(&percent), "{count} of {samples}");
        assert_eq!(asked.hottest_percent(1000), percent);
        let uses = asked.uses()[&(7, 0)];
        assert!((150_000..250_000).contains(&uses), "{uses}");
        assert_eq!(asked.hottest_percent(1000 + 63 * HALF_SECONDS), 0);
    }

    #[test]
    fn an_index_that_was_used_once_is_never_told_as_unused() {
        let asked = AskedKeys::default();
        (0..1000).for_each(|_| asked.note((1, 0), None, || 0));
        asked.note((1, 3), None, || 0);
        assert!(asked.uses()[&(1, 3)] >= 1);
        assert!(!asked.uses().contains_key(&(1, 2)));
        // What is forgotten is counted again with the next use.
        asked.forget_uses();
        assert!(asked.uses().is_empty());
        asked.note((1, 3), None, || 0);
        assert!(asked.uses()[&(1, 3)] >= 1);
        let other = AskedKeys::default();
        other.note((1, 3), None, || 0);
        assert!(other.uses()[&(1, 3)] >= 1, "what the thread knows is of another engine");
    }
}
