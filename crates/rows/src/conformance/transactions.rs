//! Promises of `StoreTransaction` about its buffered writes.

use super::*;

const ALL: KeyRange = KeyRange { start: Vec::new(), end: Vec::new() };

/// Buffered writes are read by the transaction, and by others only once committed.
pub fn own_writes_are_seen_by_their_transaction_alone(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let mut transaction = begin(&store);
    assert!(transaction.is_empty() && transaction.bytes() == 0);
    transaction.put(b"a".to_vec(), b"1".to_vec());
    transaction.delete(b"b".to_vec());
    transaction.put(b"c".to_vec(), b"2".to_vec());
    assert!(!transaction.is_empty() && transaction.bytes() >= 5);
    assert_eq!(get(&*transaction, b"a").as_deref(), Some(&b"1"[..]));
    assert_eq!(get(&*transaction, b"b"), None);
    assert_eq!(values(&*transaction), "12");
    assert_eq!(values(&*store), "AB");
    transaction.commit(Durability::EverySecond).expect("the commit");
    assert_eq!(values(&*store), "12");
}

/// Own writes replace, hide and join the store's entries in scans, within the range only.
pub fn own_writes_merge_into_scans_of_both_directions(subject: &Subject<'_>) {
    let store = letters(subject, "bdfh");
    let mut transaction = begin(&store);
    for (key, value) in [(b"a", b"1"), (b"d", b"2"), (b"e", b"3"), (b"i", b"4")] {
        transaction.put(key.to_vec(), value.to_vec());
    }
    for key in [b"b", b"c", b"h"] {
        transaction.delete(key.to_vec());
    }
    let cases = [
        ("", "", "adefi"),
        ("b", "i", "def"),
        ("d", "e", "d"),
        ("e", "", "efi"),
        ("b", "d", ""),
        ("f", "b", ""),
    ];
    for (start, end, expected) in cases {
        let range = range(start.as_bytes(), end.as_bytes());
        assert_eq!(text(&*transaction, &range, Direction::Forward), expected);
        let reversed: String = expected.chars().rev().collect();
        assert_eq!(text(&*transaction, &range, Direction::Backward), reversed);
    }
    assert_eq!(values(&*transaction), "123F4");
    transaction.delete(b"a".to_vec());
    transaction.delete(b"i".to_vec());
    assert_eq!(text(&*transaction, &ALL, Direction::Forward), "def");
    assert_eq!(text(&*transaction, &ALL, Direction::Backward), "fed");
}

/// `get_many` of a transaction answers from both sources, in order.
pub fn own_writes_answer_among_many_keys(subject: &Subject<'_>) {
    let store = letters(subject, "abcd");
    let mut transaction = begin(&store);
    transaction.put(b"b".to_vec(), b"1".to_vec());
    transaction.delete(b"d".to_vec());
    transaction.put(b"z".to_vec(), b"2".to_vec());
    for (asked, expected) in
        [("bacdzy", "1AC-2-"), ("bdz", "1-2"), ("acy", "AC-"), ("ab", "A1"), ("ba", "1A")]
    {
        let keys: Vec<Vec<u8>> = asked.bytes().map(|letter| vec![letter]).collect();
        let mut answers = String::new();
        let mut each = |position, value: Option<&[u8]>| {
            assert_eq!(position, answers.len());
            answers.push(value.map_or('-', |value| value[0] as char));
            Ok(())
        };
        transaction.get_many(&keys, Reach::Disk, &mut each).expect("the look-up");
        assert_eq!(answers, expected);
    }
}

/// `rollback_to` restores what was buffered at the mark, overwritten and removed keys included.
pub fn a_savepoint_takes_back_later_writes_only(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let mut transaction = begin(&store);
    let start = transaction.savepoint();
    transaction.put(b"a".to_vec(), b"1".to_vec());
    transaction.delete(b"b".to_vec());
    let mark = transaction.savepoint();
    let bytes = transaction.bytes();
    transaction.put(b"a".to_vec(), b"2".to_vec());
    transaction.put(b"a".to_vec(), b"3".to_vec());
    transaction.delete(b"a".to_vec());
    transaction.put(b"b".to_vec(), b"4".to_vec());
    transaction.put(b"c".to_vec(), b"5".to_vec());
    assert_eq!(values(&*transaction), "45");
    transaction.rollback_to(mark);
    assert_eq!(values(&*transaction), "1");
    assert_eq!(transaction.bytes(), bytes);
    transaction.put(b"d".to_vec(), b"6".to_vec());
    transaction.rollback_to(mark);
    transaction.rollback_to(mark);
    assert_eq!(text(&*transaction, &ALL, Direction::Backward), "a");
    transaction.rollback_to(start);
    assert!(transaction.is_empty() && transaction.bytes() == 0);
    assert_eq!(values(&*transaction), "AB");
    transaction.put(b"b".to_vec(), b"7".to_vec());
    transaction.commit(Durability::Os).expect("the commit");
    assert_eq!(values(&*store), "A7");
}

/// A transaction reads the latest state, not that of its beginning.
pub fn a_transaction_reads_what_others_committed_meanwhile(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let mut transaction = begin(&store);
    transaction.put(b"b".to_vec(), b"1".to_vec());
    write(&*store, vec![put(b"a", b"x"), put(b"b", b"x"), put(b"c", b"x")]);
    assert_eq!(values(&*transaction), "x1x");
    assert_eq!(get(&*transaction, b"a").as_deref(), Some(&b"x"[..]));
}

/// `view_at` shows a snapshot's state with the own writes over it.
pub fn own_writes_lie_over_a_snapshot(subject: &Subject<'_>) {
    let store = letters(subject, "abc");
    let snapshot = store.snapshot().expect("a snapshot");
    let mut transaction = begin(&store);
    assert_eq!(values(&*transaction.view_at(&*snapshot)), "ABC");
    transaction.put(b"b".to_vec(), b"1".to_vec());
    transaction.delete(b"c".to_vec());
    write(&*store, vec![put(b"a", b"x"), put(b"d", b"x")]);
    let view = transaction.view_at(&*snapshot);
    assert_eq!(values(&*view), "A1");
    assert_eq!(text(&*view, &ALL, Direction::Backward), "ba");
    assert_eq!(get(&*view, b"d"), None);
    drop(view);
    assert_eq!(values(&*transaction), "x1x");
}

/// `frozen_at` keeps the snapshot's state and the own writes of its moment, without the
/// transaction.
pub fn own_writes_freeze_over_a_snapshot(subject: &Subject<'_>) {
    let store = letters(subject, "abc");
    let snapshot = store.snapshot().expect("a snapshot");
    let mut transaction = begin(&store);
    transaction.put(b"b".to_vec(), b"1".to_vec());
    transaction.delete(b"c".to_vec());
    let frozen = transaction.frozen_at(snapshot);
    transaction.put(b"a".to_vec(), b"2".to_vec());
    write(&*store, vec![put(b"d", b"x")]);
    assert_eq!(values(&*frozen), "A1");
    assert_eq!(values(&*transaction), "21x");
    transaction.commit(Durability::Os).expect("the commit");
    drop(store);
    assert_eq!(values(&*frozen), "A1");
    assert_eq!(text(&*frozen, &ALL, Direction::Backward), "ba");
    assert_eq!(get(&*frozen, b"c"), None);
}

/// A transaction dropped without commit leaves neither writes nor locks.
pub fn a_dropped_transaction_leaves_nothing(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let mut transaction = begin(&store);
    transaction.lock(b"a", crate::store::LockWait::Never).expect("the lock");
    transaction.put(b"a".to_vec(), b"1".to_vec());
    drop(transaction);
    assert_eq!(values(&*store), "AB");
    let mut next = begin(&store);
    next.lock(b"a", crate::store::LockWait::Never).expect("the lock is free");
    next.commit(Durability::EveryCommit).expect("nothing to commit");
}

/// What `take_batch` gives, applied by `write_all`, is what `commit` would have done.
pub fn a_taken_batch_holds_every_write(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let mut transaction = begin(&store);
    transaction.put(b"c".to_vec(), b"1".to_vec());
    transaction.put(b"c".to_vec(), b"2".to_vec());
    transaction.delete(b"a".to_vec());
    let Some(batch) = transaction.take_batch() else {
        return transaction.commit(Durability::Os).expect("the commit");
    };
    assert_eq!(batch.changes.len(), 2);
    assert!(transaction.is_empty());
    assert_eq!(values(&*store), "AB");
    store.write_all(&[&batch], Durability::EverySecond).expect("the write");
    assert_eq!(values(&*store), "B2");
}

/// Keys of the tests of spilled writes.
const SPILLED: u32 = 3000;

fn numbered(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// Writes so many values in a mixed order, and moves them to files again and again.
fn write_spilled(
    transaction: &mut dyn StoreTransaction,
    directory: &Arc<SpillDirectory>,
    value: &[u8],
) {
    for step in 0..SPILLED {
        let number = step * 7 % SPILLED;
        match number % 5 {
            0 => transaction.delete(numbered(number)),
            _ => transaction.put(numbered(number), value.to_vec()),
        }
        if step % 100 == 99 {
            transaction.spill(directory).expect("the files");
        }
    }
}

/// Checks that exactly the keys that `write_spilled` puts are there, in both directions.
fn assert_spilled(read: &dyn Read, value: &[u8]) {
    let expected: Vec<(Vec<u8>, Vec<u8>)> = (0..SPILLED)
        .filter(|number| number % 5 > 0)
        .map(|number| (numbered(number), value.to_vec()))
        .collect();
    assert!(scan(read, &ALL, Direction::Forward) == expected, "forwards");
    let mut backward = scan(read, &ALL, Direction::Backward);
    backward.reverse();
    assert!(backward == expected, "backwards");
    let part = range(&numbered(1001), &numbered(1994));
    let found = scan(read, &part, Direction::Backward);
    assert_eq!(found.first().map(|(key, _)| key), Some(&numbered(1993)));
    assert_eq!(found.len(), (1001..1994).filter(|number| number % 5 > 0).count());
    for number in [0, 1, 999, 1000, SPILLED - 1, SPILLED] {
        let there = number % 5 > 0 && number < SPILLED;
        assert_eq!(get(read, &numbered(number)).as_deref(), there.then_some(value));
    }
}

/// `spill` changes nothing that can be seen: not reads, not rollbacks, not the commit.
pub fn spilled_writes_are_read_undone_and_committed_like_others(subject: &Subject<'_>) {
    let store = subject.open();
    let directory = spill(subject);
    write(&*store, (0..SPILLED).step_by(3).map(|n| put(&numbered(n), b"old")).collect());
    let before = scan(&*store, &ALL, Direction::Forward);
    let mut transaction = begin(&store);
    let begun = transaction.savepoint();
    write_spilled(&mut *transaction, &directory, b"one");
    assert_spilled(&*transaction, b"one");
    let mark = transaction.savepoint();
    write_spilled(&mut *transaction, &directory, b"another");
    transaction.delete(numbered(1));
    assert_eq!(get(&*transaction, &numbered(1)), None);
    transaction.rollback_to(mark);
    assert_spilled(&*transaction, b"one");
    transaction.rollback_to(begun);
    assert!(scan(&*transaction, &ALL, Direction::Forward) == before, "all is taken back");
    write_spilled(&mut *transaction, &directory, b"at last");
    let frozen = transaction.frozen_at(store.snapshot().expect("a snapshot"));
    transaction.put(numbered(2), b"late".to_vec());
    assert_spilled(&*frozen, b"at last");
    transaction.put(numbered(2), b"at last".to_vec());
    assert!(scan(&*store, &ALL, Direction::Forward) == before, "not before the commit");
    transaction.commit(Durability::EveryCommit).expect("the commit");
    assert_spilled(&*store, b"at last");
    drop((store, frozen));
    if subject.persists {
        assert_spilled(&*subject.open(), b"at last");
    }
}

/// A view from before a large commit stays as it is, whatever the store does to take it in.
pub fn a_snapshot_sees_nothing_of_a_spilled_commit(subject: &Subject<'_>) {
    let store = subject.open();
    let directory = spill(subject);
    write(&*store, (0..SPILLED).step_by(2).map(|n| put(&numbered(n), b"old")).collect());
    let snapshot = store.snapshot().expect("a snapshot");
    let before = scan(&*snapshot, &ALL, Direction::Forward);
    let mut transaction = begin(&store);
    write_spilled(&mut *transaction, &directory, b"new");
    transaction.commit(Durability::EverySecond).expect("the commit");
    assert!(scan(&*snapshot, &ALL, Direction::Forward) == before);
    assert_eq!(get(&*snapshot, &numbered(1)), None);
    assert_spilled(&*store, b"new");
    // Later writes lie over it.
    write(&*store, vec![put(&numbered(0), b"later"), delete(&numbered(1))]);
    assert_eq!(get(&*store, &numbered(0)).as_deref(), Some(&b"later"[..]));
    assert_eq!(get(&*store, &numbered(1)), None);
}

/// Files go with the transaction that made them.
pub fn a_spilled_transaction_that_is_dropped_leaves_no_files(subject: &Subject<'_>) {
    let store = subject.open();
    let directory = spill(subject);
    let files = || std::fs::read_dir(directory.path()).expect("the directory").count();
    let mut transaction = begin(&store);
    write_spilled(&mut *transaction, &directory, b"one");
    let spilled = transaction.is_spilled();
    assert_eq!(files() > 0, spilled);
    drop(transaction);
    assert_eq!(files(), 0);
    let mut transaction = begin(&store);
    write_spilled(&mut *transaction, &directory, b"one");
    transaction.commit(Durability::Os).expect("the commit");
    assert_eq!(files(), 0);
}
