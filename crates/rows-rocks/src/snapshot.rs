//! A snapshot that owns what it needs, so that it can be kept anywhere, for any time.

use std::sync::{Arc, OnceLock};

use rocksdb::{DB, Snapshot};
use rows::error::Result;
use rows::store::{Cursor, Direction, KeyRange, Reach, Read};

use crate::cursors::{scan, scan_once};
use crate::open_database::OpenDatabase;
use crate::reading::Lookup;

/// The state of one moment.
///
/// The fields are dropped in this order, and each needs the next: the options hold the
/// snapshot's address, the snapshot is given back to the database.
pub(crate) struct RocksSnapshot {
    /// Made when first asked: most readers find their rows in the row cache.
    lookup: OnceLock<Lookup>,
    snapshot: Snapshot<'static>,
    shared: Arc<OpenDatabase>,
}

impl RocksSnapshot {
    pub(crate) fn new(shared: &Arc<OpenDatabase>) -> RocksSnapshot {
        let shared = Arc::clone(shared);
        let snapshot = Snapshot::new(pinned(&shared));
        RocksSnapshot { lookup: OnceLock::new(), snapshot, shared }
    }

    fn lookup(&self) -> &Lookup {
        self.lookup.get_or_init(|| Lookup::new(Some(&self.snapshot)))
    }
}

/// The database of `shared` for as long as the caller keeps `shared`.
#[expect(unsafe_code, reason = "the crate ties a snapshot to a borrow; ours owns its database")]
fn pinned(shared: &Arc<OpenDatabase>) -> &'static DB {
    // SAFETY: the database lives inside the `Arc`'s allocation, which does not move and is not
    // freed while a clone of the `Arc` exists. The snapshot that is made of the result is kept next
    // to such a clone and dropped before it.
    unsafe { &*std::ptr::from_ref(&shared.database) }
}

impl Read for RocksSnapshot {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.lookup().get(&self.shared.database, key, reach, value)
    }

    fn sequence(&self) -> Option<u64> {
        Some(self.snapshot.sequence_number())
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.lookup().get_many(&self.shared.database, keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        Ok(scan(&self.shared, Some(&self.snapshot), range, direction, reach))
    }

    fn scan_once<'a>(&'a self, range: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        Ok(scan_once(&self.shared, &self.snapshot, range))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rows::store::{Batch, Change, Durability, Store};

    use crate::{RocksOptions, RocksStore};

    use super::*;

    /// The test of the unsafe block: snapshots are used and dropped after the store's handle, on
    /// other threads, in any order, and the directory can be opened again only after the last.
    #[test]
    fn snapshots_keep_the_database_open_until_the_last_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let options = RocksOptions::default();
        let store = RocksStore::open(directory.path(), &options).unwrap();
        let mut snapshots = Vec::new();
        for number in 0..20_u8 {
            let changes = vec![Change::put(b"k".to_vec(), vec![number])];
            store.write(&Batch { changes }, Durability::Os).unwrap();
            snapshots.push((number, store.snapshot().unwrap()));
        }
        drop(store);
        assert!(RocksStore::open(directory.path(), &options).is_err());
        snapshots.swap(3, 11);
        let readers = snapshots.into_iter().map(|(number, snapshot)| {
            thread::spawn(move || {
                let mut value = Vec::new();
                assert!(snapshot.get(b"k", Reach::Disk, &mut value).unwrap());
                assert_eq!(value, [number]);
                let mut cursor =
                    snapshot.scan(&KeyRange::default(), Direction::Backward, Reach::Disk).unwrap();
                assert!(cursor.advance().unwrap());
                assert_eq!(cursor.value(), [number]);
            })
        });
        for reader in readers.collect::<Vec<_>>() {
            reader.join().unwrap();
        }
        RocksStore::open(directory.path(), &options).unwrap();
    }
}
