//! Promises of `Read::sequence` and `Read::own_write`, and the row cache that stands on them: what
//! it answers a snapshot is what the snapshot itself has.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::engine::{Engine, EngineOptions};
use crate::store::LockWait;
use crate::table::PRIMARY;

/// A write that a snapshot does not show has raised the store's number above the snapshot's, and
/// no number falls.
pub fn a_write_raises_the_sequence_above_that_of_earlier_snapshots(subject: &Subject<'_>) {
    let store = letters(subject, "abcdef");
    let writes: [(&str, &dyn Fn()); 6] = [
        ("put", &|| write(&*store, vec![put(b"a", b"x")])),
        ("delete", &|| write(&*store, vec![delete(b"b")])),
        ("remove a range", &|| write(&*store, vec![Change::DeleteRange(range(b"c", b"e"))])),
        ("batches", &|| {
            let batches = [b"a", b"b"].map(|key| Batch { changes: vec![put(key, b"y")] });
            let batches: Vec<&Batch> = batches.iter().collect();
            store.write_all(&batches, Durability::EveryCommit).expect("the write");
        }),
        ("ingest", &|| {
            let entries: [Result<_>; 1] = [Ok((b"k".to_vec(), b"K".to_vec()))];
            store.ingest(&mut entries.into_iter()).expect("the ingestion");
        }),
        ("commit", &|| {
            let mut transaction = begin(&store);
            transaction.put(b"a".to_vec(), b"z".to_vec());
            transaction.commit(Durability::Os).expect("the commit");
        }),
    ];
    for (name, write) in writes {
        let before = store.snapshot().expect("a snapshot");
        write();
        let (now, later) = (store.sequence(), store.snapshot().expect("a snapshot"));
        assert_eq!(before.sequence().is_some(), now.is_some(), "all or none are numbered");
        assert!(before.sequence() < now || now.is_none(), "{name}");
        assert!(now <= later.sequence(), "{name}");
    }
}

/// Whoever reads over own writes is told of them, and has the number of what lies beneath.
pub fn own_writes_stand_apart_from_the_state_beneath(subject: &Subject<'_>) {
    let store = letters(subject, "abc");
    let snapshot = store.snapshot().expect("a snapshot");
    write(&*store, vec![put(b"c", b"later")]);
    let mut transaction = begin(&store);
    transaction.put(b"a".to_vec(), b"own".to_vec());
    transaction.delete(b"b".to_vec());
    let check = |view: &dyn Read, beneath: Option<u64>| {
        assert_eq!(view.sequence(), beneath);
        let mut value = b"left over".to_vec();
        assert_eq!(view.own_write(b"a", &mut value).expect("memory"), Some(true));
        assert_eq!(value, b"own");
        assert_eq!(view.own_write(b"b", &mut value).expect("memory"), Some(false));
        assert_eq!(view.own_write(b"c", &mut value).expect("memory"), None);
    };
    check(&*transaction.view_at(&*snapshot), snapshot.sequence());
    check(&*transaction.frozen_at(Arc::clone(&snapshot)), snapshot.sequence());
    let frozen = transaction.frozen_at(Arc::clone(&snapshot));
    check(&*begin(&store).view_at(&*frozen), snapshot.sequence());
    check(&*transaction, store.sequence());
    let mut value = Vec::new();
    assert_eq!(snapshot.own_write(b"a", &mut value).expect("memory"), None);
    assert_eq!(store.own_write(b"a", &mut value).expect("memory"), None);
}

/// The key of a row in a table that no catalog knows.
fn row_key(number: u8) -> Vec<u8> {
    let mut key = 0xffff_0000_u32.to_be_bytes().to_vec();
    key.extend_from_slice(&PRIMARY.to_be_bytes());
    key.push(number);
    key
}

fn engine(subject: &Subject<'_>) -> Arc<Engine> {
    Engine::open(subject.open(), EngineOptions::default()).expect("the engine opens")
}

/// Writes a row, or removes it, as a transaction of its own.
fn commit(engine: &Arc<Engine>, rows: &[(u8, Option<Vec<u8>>)], durability: Durability) {
    let mut transaction = engine.begin(LockWait::AtMost(Duration::from_secs(50))).expect("begin");
    for (number, row) in rows {
        let key = row_key(*number);
        transaction.store.lock(&key, LockWait::AtMost(Duration::from_secs(50))).expect("the lock");
        match row {
            Some(row) => transaction.store.put(key, row.clone()),
            None => transaction.store.delete(key),
        }
    }
    transaction.commit(durability).expect("the commit");
}

/// Reads a row as every find does.
fn read(engine: &Engine, view: &dyn Read, number: u8) -> Option<Vec<u8>> {
    let mut row = Vec::new();
    engine.read_row(view, &row_key(number), Reach::Disk, &mut row).expect("the row").then_some(row)
}

/// A snapshot shows the row of its moment and none of a later write, whoever read the row into the
/// cache and when; one that was taken after the write is answered from the cache.
pub fn a_snapshot_never_sees_a_later_write_through_the_row_cache(subject: &Subject<'_>) {
    let engine = engine(subject);
    let snapshot = || engine.store().snapshot().expect("a snapshot");
    let row = |text: &str| Some(text.as_bytes().to_vec());
    let rows = [row("one"), row("two"), None, row("three")];
    let mut snapshots = vec![snapshot()];
    for written in &rows {
        commit(&engine, &[(1, written.clone())], Durability::EveryCommit);
        snapshots.push(snapshot());
        // Of another row, that has nothing to do with it.
        commit(&engine, &[(2, row("other"))], Durability::Os);
        for (at, snapshot) in snapshots.iter().enumerate().rev() {
            let expected = at.checked_sub(1).and_then(|at| rows[at].clone());
            assert_eq!(read(&engine, &**snapshot, 1), expected);
            assert_eq!(read(&engine, engine.latest(), 1), *written);
        }
    }
    if engine.latest().sequence().is_some() {
        let hits = engine.cache().status().hits;
        let last = snapshots.last().expect("several");
        assert_eq!(read(&engine, &**last, 1), row("three"));
        assert_eq!(engine.cache().status().hits, hits + 1);
        // What the cache has lost comes back by a reader of a snapshot.
        let engine = Engine::open(Arc::clone(engine.store()), EngineOptions::default());
        let engine = engine.expect("the engine opens");
        let later = engine.store().snapshot().expect("a snapshot");
        assert_eq!(read(&engine, &*later, 1), row("three"));
        assert_eq!(read(&engine, engine.latest(), 1), row("three"));
        assert_eq!(engine.cache().status().hits, 1);
    }
    let mut own = engine.begin(LockWait::Never).expect("begin");
    own.store.put(row_key(1), b"own".to_vec());
    let early = &snapshots[2];
    assert_eq!(read(&engine, &*own.view_at(&**early), 1), row("own"));
    assert_eq!(read(&engine, own.view(), 1), row("own"));
    own.store.delete(row_key(1));
    assert_eq!(read(&engine, &*own.frozen_at(Arc::clone(early)), 1), None);
    assert_eq!(read(&engine, &**early, 1), row("two"));
}

/// Rows, writers, readers of the test that lets them run against each other.
const ROWS: u8 = 12;
const WRITERS: u64 = 3;
const READERS: u64 = 3;
const COMMITS: usize = 1_500;
/// Snapshots that a reader holds.
const HELD: usize = 8;

/// Readers that hold snapshots taken at any moment compare each row that they are given with what
/// the snapshot has, while rows are changed, removed and inserted, with and without waiting for the
/// disk.
pub fn rows_out_of_the_cache_are_those_of_the_snapshot_that_is_read(subject: &Subject<'_>) {
    let engine = engine(subject);
    let writing = AtomicUsize::new(WRITERS as usize);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, writing) = (&engine, &writing);
            scope.spawn(move || {
                let mut random = Random(writer);
                for turn in 0..COMMITS {
                    let first = random.below(ROWS);
                    let count = 1 + random.below(3);
                    // In ascending order, so that nobody waits in a circle.
                    let rows: Vec<_> = (first..ROWS.min(first + count))
                        .map(|number| {
                            let row = format!("{writer} {turn} {number}").repeat(1 + turn % 3);
                            (number, (random.below(6) > 0).then(|| row.into_bytes()))
                        })
                        .collect();
                    let durability = match random.below(16) {
                        0 => Durability::EveryCommit,
                        1 => Durability::EverySecond,
                        _ => Durability::Os,
                    };
                    commit(engine, &rows, durability);
                }
                writing.fetch_sub(1, Ordering::SeqCst);
            });
        }
        for reader in 0..READERS {
            let (engine, writing) = (&engine, &writing);
            scope.spawn(move || {
                let mut random = Random(100 + reader);
                let snapshot = || engine.store().snapshot().expect("a snapshot");
                let mut held: Vec<Arc<dyn Read>> = (0..HELD).map(|_| snapshot()).collect();
                while writing.load(Ordering::SeqCst) > 0 {
                    let at = usize::from(random.below(HELD as u8));
                    if random.below(4) == 0 {
                        held[at] = snapshot();
                    }
                    let number = random.below(ROWS);
                    let given = read(engine, &*held[at], number);
                    assert_eq!(given, get(&*held[at], &row_key(number)), "row {number}");
                    if random.below(4) == 0 {
                        read(engine, engine.latest(), number);
                    }
                }
            });
        }
    });
    let latest = engine.store().snapshot().expect("a snapshot");
    for number in 0..ROWS {
        let stored = get(&*latest, &row_key(number));
        assert_eq!(read(&engine, &*latest, number), stored);
        assert_eq!(read(&engine, engine.latest(), number), stored);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u8) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u8
    }
}
