//! Counts by key prefix, what precedes the first colon, while `stats detail` is on.
//!
//! Invariants
//! 1. While it is off, counting costs one look at a flag.
//! 2. At most `PREFIXES_MAX` prefixes are counted; those that come later are not.
//!
//! Not here: who may switch it on (`stats`: everybody, as in the original).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use memchr::memchr;

/// Prefixes counted at most, so that clients cannot fill the memory with them.
const PREFIXES_MAX: usize = 4096;

/// What is counted of one prefix.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    gets: u64,
    hits: u64,
    sets: u64,
    deletes: u64,
}

/// Counts by prefix.
#[derive(Debug, Default)]
pub struct Prefixes {
    on: AtomicBool,
    counts: Mutex<BTreeMap<Vec<u8>, Counts>>,
}

impl Prefixes {
    /// Whether requests are counted.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Counts from now on, or no longer; what was counted stays.
    pub fn switch(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Forgets what was counted.
    pub fn reset(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A read of this key.
    #[inline]
    pub fn count_get(&self, key: &[u8], hit: bool) {
        self.count(key, |counts| {
            counts.gets += 1;
            counts.hits += u64::from(hit);
        });
    }

    /// A value put under this key, or one that was refused.
    #[inline]
    pub fn count_set(&self, key: &[u8]) {
        self.count(key, |counts| counts.sets += 1);
    }

    /// A removal of this key, or of none.
    #[inline]
    pub fn count_delete(&self, key: &[u8]) {
        self.count(key, |counts| counts.deletes += 1);
    }

    #[inline]
    fn count(&self, key: &[u8], count: impl FnOnce(&mut Counts)) {
        if self.is_on()
            && let Some(end) = memchr(b':', key)
        {
            self.count_prefix(&key[..end], count);
        }
    }

    fn count_prefix(&self, prefix: &[u8], count: impl FnOnce(&mut Counts)) {
        let mut all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = all.get_mut(prefix) {
            count(counts);
        } else if all.len() < PREFIXES_MAX {
            count(all.entry(prefix.to_vec()).or_default());
        }
    }

    /// Appends what was counted, as `stats detail dump` answers it.
    pub fn dump(&self, out: &mut Vec<u8>) {
        let all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (prefix, Counts { gets, hits, sets, deletes }) in &*all {
            out.extend_from_slice(b"PREFIX ");
            out.extend_from_slice(prefix);
            // Writing into a vector does not fail.
            let _ = write!(out, " get {gets} hit {hits} set {sets} del {deletes}\r\n");
        }
        out.extend_from_slice(b"END\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_prefixes_are_counted_than_there_is_room_for_but_those_that_are_go_on() {
        let prefixes = Prefixes::default();
        prefixes.count_set(b"early:1");
        prefixes.switch(true);
        for number in 0..2 * PREFIXES_MAX {
            prefixes.count_set(format!("p{number}:x").as_bytes());
        }
        prefixes.count_get(b"p0:y", true);
        prefixes.count_get(b"without", true);
        let mut dump = Vec::new();
        prefixes.dump(&mut dump);
        let dump = String::from_utf8(dump).unwrap();
        assert_eq!(dump.lines().count(), PREFIXES_MAX + 1);
        assert!(dump.contains("PREFIX p0 get 1 hit 1 set 1 del 0\r\n"), "{}", &dump[..100]);
        assert!(!dump.contains("early"), "it was off");
        prefixes.reset();
        let mut empty = Vec::new();
        prefixes.dump(&mut empty);
        assert_eq!(empty, b"END\r\n");
    }
}
