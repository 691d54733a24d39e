//! Promises that have to do with files: reopening, ingestion, checkpoints, space.

use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::error::Error;
use crate::ingestion::Ingestion;

/// Entries of the ingestion tests.
const INGESTED: u32 = 20_000;

fn numbered(number: u32) -> (Vec<u8>, Vec<u8>) {
    (number.to_be_bytes().to_vec(), format!("value {number}").into_bytes())
}

/// Every durability survives closing and reopening; so do removals.
pub fn what_was_acknowledged_is_there_after_reopening(subject: &Subject<'_>) {
    if !subject.persists {
        return;
    }
    let store = letters(subject, "abcdef");
    for (key, durability) in
        [(b"x", Durability::Os), (b"y", Durability::EverySecond), (b"z", Durability::EveryCommit)]
    {
        store.write(&Batch { changes: vec![put(key, key)] }, durability).expect("the write");
    }
    write(&*store, vec![delete(b"a"), Change::DeleteRange(range(b"c", b"e"))]);
    drop(store);
    let store = subject.open();
    assert_eq!(values(&*store), "BEFxyz");
    write(&*store, vec![put(b"a", b"1")]);
    drop(store);
    assert_eq!(values(&*subject.open()), "1BEFxyz");
}

/// A directory that is open already is refused, and the one who has it is not disturbed.
pub fn a_directory_in_use_is_refused(subject: &Subject<'_>) {
    if !subject.persists {
        return;
    }
    let store = letters(subject, "ab");
    let again = (subject.open)(&subject.directory.join("data"));
    assert!(matches!(again, Err(Error::Refused { .. })));
    write(&*store, vec![put(b"c", b"C")]);
    assert_eq!(values(&*store), "ABC");
}

/// An ingestion is there wholly on return, beside what was written before and is written after,
/// durable, and absent from older snapshots.
pub fn ingested_entries_appear_together(subject: &Subject<'_>) {
    let store = subject.open();
    write(&*store, vec![put(&[255], b"before")]);
    let snapshot = store.snapshot().expect("a snapshot");
    let count = store.ingest(&mut (0..INGESTED).map(|number| Ok(numbered(number))));
    assert_eq!(count.expect("the ingestion"), u64::from(INGESTED));
    assert_eq!(scan(&*snapshot, &KeyRange::default(), Direction::Forward).len(), 1);
    drop(snapshot);
    let (key, value) = numbered(7);
    write(&*store, vec![put(&key, b"after")]);
    let check = |store: &dyn TableStore| {
        let entries = scan(store, &KeyRange::default(), Direction::Forward);
        assert_eq!(entries.len(), INGESTED as usize + 1);
        assert_eq!(entries[3], numbered(3));
        assert_eq!(get(store, &key).as_deref(), Some(&b"after"[..]));
    };
    check(&*store);
    assert_ne!(value, b"after");
    assert_eq!(store.ingest(&mut std::iter::empty()).expect("nothing"), 0);
    drop(store);
    if subject.persists {
        check(&*subject.open());
    }
}

/// An error of the iterator, or keys that do not ascend, leave the store as it was.
pub fn a_failed_ingestion_adds_nothing(subject: &Subject<'_>) {
    let store = letters(subject, "a");
    let broken = (0..INGESTED).map(|number| match number {
        15_000 => Err(Error::Exhausted),
        _ => Ok(numbered(number)),
    });
    assert!(matches!(store.ingest(&mut { broken }), Err(Error::Exhausted)));
    let mut falling = [1, 2, 5, 4].map(numbered).into_iter().map(Ok);
    assert!(matches!(store.ingest(&mut falling), Err(Error::Store { .. })));
    let mut repeated = [1, 2, 2].map(numbered).into_iter().map(Ok);
    assert!(matches!(store.ingest(&mut repeated), Err(Error::Store { .. })));
    assert_eq!(values(&*store), "A");
    write(&*store, vec![put(b"b", b"B")]);
    assert_eq!(values(&*store), "AB");
}

/// Entries of an ingestion that goes on in several threads are seen when all are there, and are
/// durable then; those of one that is dropped never are.
pub fn parts_of_an_ingestion_appear_at_once_or_never(subject: &Subject<'_>) {
    let store = subject.open();
    // What the ingestion rests on, written without a sync.
    let changes = vec![put(&[255], b"before")];
    store.write(&Batch { changes }, Durability::Os).expect("the write");
    let snapshot = store.snapshot().expect("a snapshot");
    let fill = |ingestion: &dyn Ingestion| {
        thread::scope(|scope| {
            for part in 0..4 {
                scope.spawn(move || {
                    let numbers = part * INGESTED..(part + 1) * INGESTED;
                    let mut entries = NumberedEntries { numbers, current: numbered(0) };
                    let added = ingestion.add(&mut entries).expect("a part");
                    assert_eq!(added, u64::from(INGESTED));
                });
            }
        });
    };
    let count = |read: &dyn Read| scan(read, &KeyRange::default(), Direction::Forward).len();
    let given_up = store.ingestion().expect("an ingestion");
    fill(&*given_up);
    drop(given_up);
    assert_eq!(count(&*store), 1);
    let ingestion = store.ingestion().expect("an ingestion");
    fill(&*ingestion);
    assert_eq!(count(&*store), 1, "not before all are there");
    ingestion.finish().expect("they appear");
    assert_eq!(count(&*snapshot), 1);
    assert_eq!(count(&*store), 4 * INGESTED as usize + 1);
    drop((snapshot, store));
    if subject.persists {
        assert_eq!(count(&*subject.open()), 4 * INGESTED as usize + 1);
    }
}

/// Entries of numbers.
struct NumberedEntries {
    numbers: std::ops::Range<u32>,
    current: (Vec<u8>, Vec<u8>),
}

impl Cursor for NumberedEntries {
    fn advance(&mut self) -> Result<bool> {
        let Some(number) = self.numbers.next() else { return Ok(false) };
        self.current = numbered(number);
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}

/// A checkpoint holds the state of its moment and is a store of its own.
pub fn a_checkpoint_opens_as_a_store(subject: &Subject<'_>) {
    if !subject.persists {
        return;
    }
    let store = letters(subject, "ab");
    store.ingest(&mut (0..100).map(|number| Ok(numbered(number)))).expect("the ingestion");
    let copy = subject.directory.join("copy");
    store.checkpoint(&copy).expect("the checkpoint");
    write(&*store, vec![put(b"a", b"later"), put(b"c", b"later")]);
    let opened = (subject.open)(&copy).expect("the checkpoint opens");
    assert_eq!(get(&*opened, b"a").as_deref(), Some(&b"A"[..]));
    assert_eq!(get(&*opened, b"c"), None);
    assert_eq!(scan(&*opened, &KeyRange::default(), Direction::Forward).len(), 102);
    write(&*opened, vec![put(b"a", b"its own")]);
    opened.verify().expect("a sound copy");
    assert_eq!(get(&*store, b"a").as_deref(), Some(&b"later"[..]));
    assert!(store.checkpoint(&copy).is_err(), "the directory exists");
    assert_eq!(get(&*opened, b"a").as_deref(), Some(&b"its own"[..]));
}

/// After `DeleteRange` and `reclaim` the disk holds fewer bytes, and the neighbours are whole.
pub fn the_space_of_a_removed_range_comes_back(subject: &Subject<'_>) {
    let store = subject.open();
    // Values that do not compress, so that bytes on disk mean something.
    let mut random = 1_u64;
    let value = |number: u32, random: &mut u64| {
        let mut value = Vec::with_capacity(208);
        for _ in 0..26 {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            value.extend_from_slice(&random.to_be_bytes());
        }
        let table = if number < INGESTED { b'a' } else { b'b' };
        Ok(([&[table][..], &number.to_be_bytes()].concat(), value))
    };
    let entries = (0..2 * INGESTED).map(|number| value(number, &mut random));
    store.ingest(&mut { entries }).expect("the ingestion");
    let changes =
        (0..INGESTED).map(|number| put(&[&b"a"[..], &number.to_be_bytes()].concat(), b"-"));
    write(&*store, changes.collect());
    let table = range(b"a", b"b");
    let before = store.status().disk_bytes;
    assert!(store.approximate_bytes(&range(b"b", b"c")).expect("a size") > 1_000_000);
    write(&*store, vec![Change::DeleteRange(table.clone())]);
    store.reclaim(std::slice::from_ref(&table)).expect("reclaiming begins");
    let deadline = Instant::now() + Duration::from_secs(60);
    while subject.persists && store.status().disk_bytes > before * 6 / 10 {
        assert!(Instant::now() < deadline, "{} of {before}", store.status().disk_bytes);
        thread::yield_now();
    }
    assert_eq!(scan(&*store, &table, Direction::Forward).len(), 0);
    let rest = scan(&*store, &KeyRange::default(), Direction::Backward);
    assert_eq!(rest.len(), INGESTED as usize);
}

/// `verify` is content, `status` has a name, `approximate_bytes` tells something from nothing.
pub fn a_sound_store_verifies_and_reports_itself(subject: &Subject<'_>) {
    let store = subject.open();
    store.verify().expect("an empty store is sound");
    let changes = (0..5_000).map(|number| {
        let (key, value) = numbered(number);
        put(&key, &value)
    });
    write(&*store, changes.collect());
    store.verify().expect("a sound store");
    let status = store.status();
    assert!(!status.name.is_empty() && status.memory_bytes > 0);
    assert_eq!(store.approximate_bytes(&range(&[9], &[10])).expect("a size"), 0);
    let bytes = store.approximate_bytes(&range(&[0], &[9])).expect("a size");
    assert!((20_000..2_000_000).contains(&bytes), "{bytes}");
}

/// `sizes` tells what a range has, and nothing of others: to the byte before compression, once
/// nothing was written again.
pub fn a_range_is_as_large_as_what_is_in_it(subject: &Subject<'_>) {
    let store = subject.open();
    let sizes = |start: &[u8], end: &[u8]| store.sizes(&range(start, end)).expect("sizes");
    assert_eq!(sizes(b"tables", b"tables~").all(), (0, 0));
    let mut bytes = 0;
    let changes = (0..3_000_u32).map(|number| {
        let (key, value) = ([&b"tables"[..], &number.to_be_bytes()].concat(), vec![7; 30]);
        bytes += (key.len() + value.len()) as u64;
        put(&key, &value)
    });
    write(&*store, changes.collect());
    write(&*store, vec![put(b"tabled0", b"another's")]);
    let told = sizes(b"tables", b"tablet");
    assert_eq!((told.all(), told.plain_bytes(3_000)), ((3_000, bytes), bytes));
    assert!(told.disk_bytes > 0);
    assert_eq!(sizes(b"tablet", b"tables"), crate::store::RangeSizes::default());
    let key = |number: u32| [&b"tables"[..], &number.to_be_bytes()].concat();
    write(&*store, (0..1_000).map(|number| Change::delete(key(number))).collect());
    assert!(sizes(b"tables", b"tablet").plain_bytes(2_000) <= bytes);
}
