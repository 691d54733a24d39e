//! Promises of `Store::write` and `Store::write_all`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

/// Later changes of a batch stand over earlier ones.
pub fn changes_of_a_batch_apply_in_order(subject: &Subject<'_>) {
    let store = letters(subject, "abc");
    write(
        &*store,
        vec![
            put(b"a", b"1"),
            put(b"a", b"2"),
            delete(b"b"),
            put(b"b", b"3"),
            put(b"d", b"4"),
            delete(b"d"),
            Change::DeleteRange(range(b"c", b"e")),
            put(b"d", b"5"),
        ],
    );
    assert_eq!(values(&*store), "235");
}

/// Batches handed over together apply in their order, under every durability.
pub fn several_batches_apply_in_order(subject: &Subject<'_>) {
    let store = subject.open();
    let first = Batch { changes: vec![put(b"a", b"1"), put(b"b", b"1")] };
    let second = Batch { changes: vec![put(b"a", b"2"), delete(b"b"), put(b"c", b"2")] };
    for durability in [Durability::Os, Durability::EverySecond, Durability::EveryCommit] {
        write(&*store, vec![Change::DeleteRange(KeyRange::default())]);
        store.write_all(&[&first, &Batch::default(), &second], durability).expect("the writes");
        assert_eq!(values(&*store), "22");
        store.write_all(&[], durability).expect("nothing to write");
    }
    store.sync().expect("the sync");
}

/// `DeleteRange` removes what was there, from disk as from memory, and no more.
pub fn a_removed_range_is_gone_and_its_neighbours_stay(subject: &Subject<'_>) {
    let store = letters(subject, "abcdef");
    write(&*store, vec![Change::DeleteRange(range(b"b", b"d"))]);
    assert_eq!(values(&*store), "ADEF");
    write(&*store, vec![put(b"c", b"x")]);
    assert_eq!(text(&*store, &range(b"b", b"e"), Direction::Backward), "dc");
    write(&*store, vec![Change::DeleteRange(range(b"e", b"b"))]);
    assert_eq!(values(&*store), "AxDEF");
    write(&*store, vec![put(b"\xff\xff\xff", b"y"), Change::DeleteRange(range(b"e", b""))]);
    assert_eq!(values(&*store), "AxD");
    assert_eq!(get(&*store, b"e"), None);
    write(&*store, vec![Change::DeleteRange(range(b"", b"c"))]);
    assert_eq!(values(&*store), "xD");
}

/// While batches set eight keys to one number each time, every reader sees eight equal numbers.
pub fn a_batch_is_seen_wholly_or_not_at_all(subject: &Subject<'_>) {
    const KEYS: u8 = 8;
    const ROUNDS: u32 = 400;
    let store = subject.open();
    let batch = |round: u32| Batch {
        changes: (0..KEYS).map(|key| put(&[key], &round.to_be_bytes())).collect(),
    };
    store.write(&batch(0), Durability::Os).expect("the first write");
    let done = AtomicBool::new(false);
    let check = |read: &dyn Read, direction| {
        let entries = scan(read, &KeyRange::default(), direction);
        assert_eq!(entries.len(), KEYS as usize);
        assert!(entries.iter().all(|(_, value)| *value == entries[0].1));
        u32::from_be_bytes(entries[0].1[..].try_into().expect("four bytes"))
    };
    thread::scope(|scope| {
        for direction in [Direction::Forward, Direction::Backward] {
            let (store, done, check) = (&store, &done, &check);
            scope.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let now = check(&**store, direction);
                    assert!(now >= last, "time runs forwards");
                    last = check(&*store.snapshot().expect("a snapshot"), direction);
                    assert!(last >= now);
                }
            });
        }
        for round in 1..ROUNDS {
            let durability = match round % 50 {
                0 => Durability::EveryCommit,
                _ => Durability::EverySecond,
            };
            store.write(&batch(round), durability).expect("the write");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(check(&*store, Direction::Forward), ROUNDS - 1);
}

/// The empty key and the empty value are a key and a value; an empty batch is no error.
pub fn empty_keys_values_and_batches_are_fine(subject: &Subject<'_>) {
    let store = subject.open();
    write(&*store, vec![]);
    write(&*store, vec![put(b"", b""), put(b"a", b"")]);
    assert_eq!(get(&*store, b""), Some(Vec::new()));
    assert_eq!(scan(&*store, &KeyRange::default(), Direction::Backward).len(), 2);
    write(&*store, vec![delete(b"never there"), delete(b"")]);
    assert_eq!(scan(&*store, &KeyRange::default(), Direction::Backward).len(), 1);
}
