//! A set of keys, of which those that do not fit into memory lie in runs.
//!
//! Invariants
//! 1. A key that was added is found, wherever it is.
//!
//! Not here: when keys are moved to files (whoever has the set), how runs are merged (`overlay`).

use std::collections::HashSet;
use std::sync::Arc;

use super::overlay::{merge, spilled};
use crate::error::Result;
use crate::run::{Run, RunWriter, SeenWrite, Write};
use resources::spill::SpillDirectory;

/// What a key in memory takes besides its bytes, about.
const KEY_OVERHEAD: usize = 48;

/// Keys, each once.
#[derive(Default)]
pub struct KeySet {
    recent: HashSet<Vec<u8>, foldhash::fast::RandomState>,
    recent_bytes: usize,
    /// From the oldest on.
    runs: Vec<Arc<Run>>,
    run_bytes: usize,
}

impl KeySet {
    /// Whether it has a key.
    ///
    /// # Errors
    /// Of reading a file.
    pub fn contains(&self, key: &[u8]) -> Result<bool> {
        if self.recent.contains(key) {
            return Ok(true);
        }
        Ok(spilled(&self.runs, key, &mut Vec::new())? != Write::Unwritten)
    }

    /// Adds a key that it does not have.
    pub fn insert(&mut self, key: Vec<u8>) {
        self.recent_bytes += KeySet::cost(&key);
        self.recent.insert(key);
    }

    /// Bytes of memory that a key takes until it is moved to a file.
    pub fn cost(key: &[u8]) -> usize {
        key.len() + KEY_OVERHEAD
    }

    /// Bytes of memory that `spill` frees.
    pub fn spillable_bytes(&self) -> usize {
        self.recent_bytes
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.recent_bytes + self.run_bytes
    }

    /// Moves the keys in memory to a file.
    ///
    /// # Errors
    /// Of the file; all keys are still there.
    pub fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        if self.recent.is_empty() {
            return Ok(());
        }
        let mut keys: Vec<&[u8]> = self.recent.iter().map(Vec::as_slice).collect();
        keys.sort_unstable();
        let mut writer = RunWriter::new(directory, keys.len(), 0)?;
        for key in keys {
            writer.add(key, SeenWrite::Put(&[]))?;
        }
        let run = writer.finish()?;
        self.run_bytes += run.bytes;
        self.runs.push(Arc::new(run));
        self.recent = HashSet::default();
        self.recent_bytes = 0;
        merge(&mut self.runs, &mut self.run_bytes, directory, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_memory_and_in_files() {
        let directory = tempfile::tempdir().unwrap();
        let directory = SpillDirectory::open(directory.path()).unwrap();
        let mut set = KeySet::default();
        let key = |number: u32| number.reverse_bits().to_be_bytes().to_vec();
        for number in 0..5000 {
            assert!(!set.contains(&key(number)).unwrap());
            set.insert(key(number));
            if set.spillable_bytes() > 8000 {
                set.spill(&directory).unwrap();
                assert_eq!(set.spillable_bytes(), 0);
            }
        }
        assert!(set.runs.len() > 1 && set.runs[0].level > 0, "runs were merged");
        for number in 0..5000 {
            assert!(set.contains(&key(number)).unwrap());
        }
        assert!(!set.contains(&key(5000)).unwrap());
        assert!(!set.contains(b"").unwrap());
        assert!(set.bytes() < 5000 * KEY_OVERHEAD / 2);
        drop(set);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
