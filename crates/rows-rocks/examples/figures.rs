//! Prints what the store costs on this machine: look-ups, writes, syncs, recovery.
//!
//! `cargo run --release -p rows-rocks --example figures [megabytes written before the kill]`

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rows::ingestion::TableStore;
use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, LockWait, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{RocksOptions, RocksStore};

/// Set for the child that writes until it has written so much, and then dies at once.
const CHILD: &str = "ROWS_ROCKS_FIGURES_CHILD";

const KEYS: u64 = 400_000;
const VALUE_BYTES: usize = 100;

fn main() {
    if let Ok(directory) = env::var(CHILD) {
        write_and_die(Path::new(&directory));
    }
    let base = env::var("ROWS_ROCKS_FIGURES_BASE").unwrap_or_else(|_| ".".to_string());
    let directory = tempfile::tempdir_in(base).expect("a directory");
    let store = open(&directory.path().join("data"), 512);
    transactions(&store);
    puts(&store);
    reads(&store, "write buffers and files");
    drop(store);
    let store = open(&directory.path().join("data"), 512);
    reads(&store, "files, cached");
    syncs(&store);
    ingestion(&store);
    drop(store);
    if megabytes() > 0 {
        recovery(directory.path());
    }
}

/// What is written before each kill; 0 leaves recovery out.
fn megabytes() -> u64 {
    env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1024)
}

fn open(directory: &Path, megabytes: usize) -> RocksStore {
    let options = RocksOptions { memory_bytes: megabytes << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

/// A stopwatch of the clock on the wall and of this thread's time on a processor; the second is
/// the fairer one while other programs run.
struct Watch {
    started: Instant,
    on_processor: u64,
}

impl Watch {
    fn start() -> Watch {
        Watch { on_processor: on_processor(), started: Instant::now() }
    }

    fn say(&self, what: &str, rounds: u64) {
        let each = self.started.elapsed().as_nanos() as u64 / rounds.max(1);
        let busy = (on_processor() - self.on_processor) / rounds.max(1);
        #[expect(clippy::print_stdout, reason = "the program's purpose")]
        {
            println!("{what:<48} {each:>11} ns, of them on processor {busy:>11} ns");
        }
    }
}

/// Nanoseconds that this thread ran, as Linux counts them.
fn on_processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn key(number: u64) -> Vec<u8> {
    let scattered = (number % KEYS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [&[0, 0, 0, 1, 0, 0][..], &scattered.to_be_bytes()].concat()
}

fn value(number: u64) -> Vec<u8> {
    // Compresses about twofold, as rows do.
    let mut value = Vec::with_capacity(VALUE_BYTES);
    let mut random = number;
    while value.len() < VALUE_BYTES {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        value.extend_from_slice(&random.to_be_bytes()[..4]);
        value.extend_from_slice(b"abcd");
    }
    value
}

fn put(number: u64) -> Change {
    Change::put(key(number), value(number))
}

fn transactions(store: &RocksStore) {
    const ROUNDS: u64 = 500_000;
    let started = Watch::start();
    for _ in 0..ROUNDS {
        drop(black_box(store.begin().expect("a transaction")));
    }
    started.say("begin and drop a transaction", ROUNDS);
    let started = Watch::start();
    for number in 0..ROUNDS {
        let mut transaction = store.begin().expect("a transaction");
        transaction.lock(&number.to_be_bytes(), LockWait::Never).expect("the lock");
    }
    started.say("the same with one lock", ROUNDS);
    let started = Watch::start();
    for _ in 0..ROUNDS {
        drop(black_box(store.snapshot().expect("a snapshot")));
    }
    started.say("take and drop a snapshot", ROUNDS);
}

fn puts(store: &RocksStore) {
    for (batches_of, puts_of) in [(1, 1), (1, 8), (16, 1), (64, 2), (256, 1), (256, 2)] {
        let rounds = (300_000 / (batches_of * puts_of)).min(60_000) as u64;
        let mut number = 0;
        let rounds_of: Vec<Vec<Batch>> = (0..rounds)
            .map(|_| {
                let batch = |_| {
                    let changes = (0..puts_of).map(|_| {
                        number += 1;
                        put(number)
                    });
                    Batch { changes: changes.collect() }
                };
                (0..batches_of).map(batch).collect()
            })
            .collect();
        let started = Watch::start();
        for batches in &rounds_of {
            let batches: Vec<&Batch> = batches.iter().collect();
            store.write_all(&batches, Durability::EverySecond).expect("the write");
        }
        let what = format!("put, {batches_of} batches of {puts_of} a write");
        started.say(&what, rounds * (batches_of * puts_of) as u64);
    }
    for number in 0..KEYS {
        let changes = vec![put(number)];
        store.write(&Batch { changes }, Durability::Os).expect("the write");
    }
}

fn reads(store: &RocksStore, from: &str) {
    const ROUNDS: u64 = 400_000;
    let keys: Vec<Vec<u8>> =
        (0..ROUNDS).map(|number| key(number.wrapping_mul(7_368_787))).collect();
    let mut value = Vec::new();
    for key in &keys {
        assert!(store.get(key, Reach::Disk, &mut value).expect("the look-up"));
    }
    let started = Watch::start();
    let mut not_in_memory = 0;
    for key in &keys {
        match store.get(key, Reach::Memory, &mut value) {
            Ok(found) => assert!(black_box(found)),
            Err(_) => not_in_memory += 1,
        }
    }
    started.say(&format!("get, {from}"), ROUNDS);
    assert_eq!(not_in_memory, 0, "everything was just read");
    let few = &keys[..1000];
    let started = Watch::start();
    for _ in 0..200 {
        for key in few {
            black_box(store.get(key, Reach::Memory, &mut value).expect("the look-up"));
        }
    }
    started.say(&format!("get of 1000 hot keys, {from}"), 200 * 1000);
    let started = Watch::start();
    for keys in keys.chunks(16) {
        let mut found = 0;
        let mut each = |_, value: Option<&[u8]>| {
            found += usize::from(value.is_some());
            Ok(())
        };
        store.get_many(keys, Reach::Memory, &mut each).expect("the look-up");
        assert_eq!(black_box(found), keys.len());
    }
    started.say(&format!("get, 16 keys at a time, {from}"), ROUNDS);
    let absent: Vec<Vec<u8>> = keys.iter().map(|key| [&key[..], b"x"].concat()).collect();
    let started = Watch::start();
    for key in &absent {
        let _ = black_box(store.get(key, Reach::Memory, &mut value));
    }
    started.say(&format!("get of an absent key, {from}"), ROUNDS);
    let started = Watch::start();
    let mut cursor =
        store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).expect("the scan");
    let mut entries = 0;
    while cursor.advance().expect("the cursor moves") {
        entries += 1;
        black_box((cursor.key(), cursor.value()));
    }
    started.say(&format!("entry of a scan, {from}"), entries);
    let started = Watch::start();
    for key in &keys[..50_000] {
        let range = KeyRange { start: key.clone(), end: Vec::new() };
        let mut cursor = store.scan(&range, Direction::Forward, Reach::Disk).expect("the scan");
        assert!(cursor.advance().expect("the cursor moves"));
    }
    started.say(&format!("scan of one entry, {from}"), 50_000);
}

fn ingestion(store: &RocksStore) {
    const ROUNDS: u64 = 2_000_000;
    let before = store.status().disk_bytes;
    let mut entries =
        (0..ROUNDS).map(|number| Ok(([&[9][..], &number.to_be_bytes()].concat(), value(number))));
    let started = Watch::start();
    store.ingest(&mut entries).expect("the ingestion");
    started.say("entry of an ingestion", ROUNDS);
    let grown = store.status().disk_bytes - before;
    let given = ROUNDS * (9 + VALUE_BYTES as u64);
    #[expect(clippy::print_stdout, reason = "the program's purpose")]
    {
        println!("ingested {} MB, on disk {} MB", given >> 20, grown >> 20);
    }
    let range = KeyRange { start: vec![9], end: vec![10] };
    let started = Watch::start();
    let changes = vec![Change::DeleteRange(range.clone())];
    store.write(&Batch { changes }, Durability::EveryCommit).expect("the removal");
    store.reclaim(std::slice::from_ref(&range)).expect("reclaiming begins");
    started.say("removal of a range", 1);
    let started = Watch::start();
    while store.status().disk_bytes > before + grown / 10 {
        std::thread::yield_now();
    }
    started.say("until its space came back", 1);
}

fn syncs(store: &RocksStore) {
    const ROUNDS: u64 = 500;
    let started = Watch::start();
    for number in 0..ROUNDS {
        let batch = Batch { changes: vec![put(number)] };
        store.write(&batch, Durability::EveryCommit).expect("the write");
    }
    started.say("put with a sync of its own", ROUNDS);
}

/// Writes the megabytes asked for at full speed, then dies without closing anything.
fn write_and_die(directory: &Path) -> ! {
    let megabytes = megabytes();
    let store = open(directory, 512);
    let mut written = 0;
    let mut number = 0;
    let started = Watch::start();
    while written < megabytes << 20 {
        let changes: Vec<Change> = (0..100)
            .map(|_| {
                number += 1;
                // Rows all different: more data than keys of the other figures.
                let (mut key, value) = (key(number), value(number));
                key.extend_from_slice(&number.to_be_bytes());
                written += (key.len() + value.len()) as u64;
                Change::put(key, value)
            })
            .collect();
        store.write(&Batch { changes }, Durability::EverySecond).expect("the write");
    }
    started.say("put before the kill, 100 a write", number);
    std::process::abort();
}

fn recovery(base: &Path) {
    let directory = base.join("recovery");
    for round in 1..=3 {
        let mut child = Command::new(env::current_exe().expect("this program"));
        child.args(env::args().skip(1)).env(CHILD, &directory).stderr(Stdio::null());
        let _ = child.status().expect("the child");
        let started = Watch::start();
        let store = open(&directory, 512);
        started.say(&format!("open after kill {round}"), 1);
        let started = Watch::start();
        let mut value = Vec::new();
        let _ = black_box(store.get(b"k", Reach::Disk, &mut value));
        started.say("first look-up", 1);
        drop(store);
        let started = Watch::start();
        drop(open(&directory, 512));
        started.say("open and close after a clean close", 1);
    }
}
