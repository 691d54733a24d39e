//! RocksDB's threads tell the program when they first write a file, each once. A program of its
//! own, since both the threads and who is told are there once for a process.

use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use resources::background::on_busy_thread_start;
use rows::store::{Batch, Change, Durability, Store};
use rows_rocks::{RocksOptions, RocksStore};

const MEMORY_BYTES: usize = 16 << 20;
/// More than all write buffers hold.
const BATCHES: u32 = 64;
const VALUES: u32 = 1000;

static TOLD: Mutex<Vec<(ThreadId, usize)>> = Mutex::new(Vec::new());

fn fill(store: &RocksStore) {
    for batch in 0..BATCHES {
        // The same keys in each, so that files are compacted as well.
        let change = |n: u32| Change::put(n.to_be_bytes().to_vec(), vec![batch as u8; 500]);
        store.write(&Batch { changes: (0..VALUES).map(change).collect() }, Durability::Os).unwrap();
    }
}

#[test]
fn threads_that_write_files_are_told_of_once_with_the_memory_of_their_store() {
    on_busy_thread_start(|bytes| TOLD.lock().unwrap().push((thread::current().id(), bytes)));
    let options = RocksOptions { memory_bytes: MEMORY_BYTES, ..RocksOptions::default() };
    for _ in 0..2 {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &options).unwrap();
        fill(&store);
        let deadline = Instant::now() + Duration::from_secs(60);
        while TOLD.lock().unwrap().is_empty() {
            assert!(Instant::now() < deadline, "nobody was told");
            thread::yield_now();
        }
    }
    let told = TOLD.lock().unwrap().clone();
    assert!(told.iter().all(|(_, bytes)| *bytes == MEMORY_BYTES), "{told:?}");
    for (n, (id, _)) in told.iter().enumerate() {
        assert!(*id != thread::current().id(), "a thread of RocksDB's");
        assert!(told[..n].iter().all(|(other, _)| other != id), "told twice: {told:?}");
    }
}
