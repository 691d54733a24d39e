//! The table of one shard of the row cache: entries by hash, in one array.
//!
//! Open addressing with linear probing: a look-up touches one cache line of the array and then
//! the row's bytes, and where it will look can be told beforehand, which `prefetch` does for
//! look-ups that come in batches.
//!
//! Invariants
//! 1. The array's length is a power of two, at most three quarters of it are used.
//! 2. Between an entry's first place (its hash's lowest bits) and its own there is no empty one:
//!    a removal moves later entries back.
//!
//! Not here: which entries are kept (`shard`).

/// `CachedEntry::since` of a row that is being written.
pub const HIDDEN: u64 = u64::MAX;

/// A row. A look-up touches the entry and the row's bytes, which follow its key.
pub struct CachedEntry {
    bytes: Box<[u8]>,
    pub hash: u64,
    /// The row is the store's at this sequence and at every later one; `HIDDEN`: not to be seen.
    pub since: u64,
    /// Tells this entry from earlier ones of the same key; 0 in an empty place.
    pub id: u32,
    key_length: u16,
    /// How often it was asked for, of late.
    pub uses: u8,
    /// In which queue it is.
    pub in_main: bool,
}

// There is one for every row in memory.
const _: () = assert!(size_of::<CachedEntry>() <= 40);

impl CachedEntry {
    /// An entry that was not asked for yet.
    pub fn new(
        hash: u64,
        id: u32,
        key: &[u8],
        row: &[u8],
        since: u64,
        in_main: bool,
    ) -> CachedEntry {
        let key_length = key.len() as u16;
        CachedEntry { bytes: joined(key, row), hash, since, id, key_length, uses: 0, in_main }
    }

    fn empty() -> CachedEntry {
        CachedEntry::new(0, 0, &[], &[], HIDDEN, false)
    }

    /// Its key.
    pub fn key(&self) -> &[u8] {
        &self.bytes[..usize::from(self.key_length)]
    }

    /// Its row.
    pub fn row(&self) -> &[u8] {
        &self.bytes[usize::from(self.key_length)..]
    }

    /// Bytes it is charged.
    pub fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD_BYTES
    }

    /// Puts another row in the place of the present one, to be seen.
    pub fn set_row(&mut self, row: &[u8], since: u64) {
        if self.row().len() == row.len() {
            self.bytes[usize::from(self.key_length)..].copy_from_slice(row);
        } else {
            self.bytes = joined(self.key(), row);
        }
        self.since = since;
    }
}

fn joined(key: &[u8], row: &[u8]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(key.len() + row.len());
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(row);
    bytes.into_boxed_slice()
}

/// What a row costs besides its bytes: entry, with the table's empty ones, and queue slot.
pub const OVERHEAD_BYTES: usize = 96;

/// Entries by hash.
#[derive(Default)]
pub struct CacheTable {
    entries: Vec<CachedEntry>,
    used: usize,
}

impl CacheTable {
    /// Entries held.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Every entry.
    pub fn entries(&mut self) -> impl Iterator<Item = &mut CachedEntry> {
        self.entries.iter_mut().filter(|entry| entry.id != 0)
    }

    /// Where the entry of this hash is that `matches`.
    #[inline]
    pub fn find(&self, hash: u64, matches: impl Fn(&CachedEntry) -> bool) -> Option<usize> {
        let mask = self.entries.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let entry = &self.entries[at];
            if entry.id == 0 {
                return None;
            }
            if entry.hash == hash && matches(entry) {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }

    /// The entry that `find` has found.
    #[inline]
    pub fn at(&mut self, at: usize) -> &mut CachedEntry {
        &mut self.entries[at]
    }

    /// Adds an entry, of a key that is not there.
    pub fn insert(&mut self, entry: CachedEntry) {
        if (self.used + 1) * 4 > self.entries.len() * 3 {
            self.grow();
        }
        self.used += 1;
        self.place(entry);
    }

    fn place(&mut self, entry: CachedEntry) {
        let mask = self.entries.len() - 1;
        let mut at = entry.hash as usize & mask;
        while self.entries[at].id != 0 {
            at = (at + 1) & mask;
        }
        self.entries[at] = entry;
    }

    fn grow(&mut self) {
        let places = (self.entries.len() * 2).max(PLACES_MIN);
        let larger = (0..places).map(|_| CachedEntry::empty()).collect();
        for entry in std::mem::replace(&mut self.entries, larger) {
            if entry.id != 0 {
                self.place(entry);
            }
        }
    }

    /// Takes out the entry that `find` has found.
    pub fn remove(&mut self, at: usize) -> CachedEntry {
        let mask = self.entries.len() - 1;
        let removed = std::mem::replace(&mut self.entries[at], CachedEntry::empty());
        self.used -= 1;
        let (mut hole, mut next) = (at, at);
        loop {
            next = (next + 1) & mask;
            if self.entries[next].id == 0 {
                return removed;
            }
            let first = self.entries[next].hash as usize & mask;
            // Whether its first place is the hole or before it.
            if (next.wrapping_sub(first) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.entries.swap(hole, next);
                hole = next;
            }
        }
    }

    /// Has the processor fetch the place of a hash.
    #[inline]
    pub fn prefetch_place(&self, hash: u64) {
        if let Some(mask) = self.entries.len().checked_sub(1) {
            prefetch(&self.entries[hash as usize & mask]);
        }
    }

    /// Has the processor fetch the bytes of a row, if it is in its first place.
    #[inline]
    pub fn prefetch_row(&self, hash: u64) {
        let Some(mask) = self.entries.len().checked_sub(1) else { return };
        let entry = &self.entries[hash as usize & mask];
        if entry.hash == hash {
            for line in entry.bytes.chunks(LINE_BYTES).take(LINES_MAX) {
                prefetch(&line[0]);
            }
        }
    }
}

/// First size of a table.
const PLACES_MIN: usize = 16;
/// Bytes of a cache line.
const LINE_BYTES: usize = 64;
/// Cache lines of a row that are fetched ahead; the processor goes on by itself.
const LINES_MAX: usize = 3;

#[inline]
fn prefetch<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "a batch of look-ups waits for memory once, not once a row")]
    // SAFETY: a prefetch reads nothing and cannot fault, and `at` is a reference besides.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast());
    }

    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_whatever_was_removed_before() {
        let mut table = CacheTable::default();
        let mut model = std::collections::BTreeMap::new();
        let mut random = 1u64;
        for id in 1..20_000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Hashes whose lowest bits often agree, so that entries pile up.
            let hash = (random >> 33) % 64 * 3 + (((random >> 45) % 8) << 20);
            let found = table.find(hash, |_| true);
            assert_eq!(found.map(|at| table.at(at).id), model.get(&hash).copied());
            match found {
                Some(at) => {
                    assert_eq!(Some(table.remove(at).id), model.remove(&hash));
                }
                None => {
                    table.insert(CachedEntry::new(hash, id, b"k", b"row", 0, false));
                    model.insert(hash, id);
                }
            }
            assert_eq!(table.len(), model.len());
        }
        for (hash, id) in model {
            assert!(table.find(hash, |entry| entry.id == id).is_some());
        }
    }
}
