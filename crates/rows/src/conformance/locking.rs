//! Promises of `StoreTransaction::lock`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::error::{Error, Wait};
use crate::store::{LockWait, LockWaker};

const LONG: LockWait = LockWait::AtMost(Duration::from_secs(3600));
/// Far less than `LONG`, and far more than a slow machine, or one that pauses, takes for anything.
const SOON: Duration = Duration::from_secs(60);

/// A transaction that may not wait is told so at once; other keys are free.
pub fn a_lock_is_refused_while_another_holds_it(subject: &Subject<'_>) {
    let store = letters(subject, "a");
    let mut holder = begin(&store);
    holder.lock(b"a", LockWait::Never).expect("a free lock");
    let mut other = begin(&store);
    let refused = other.lock(b"a", LockWait::Never);
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))));
    other.lock(b"b", LockWait::Never).expect("another key");
    holder.commit(Durability::Os).expect("the commit");
    other.lock(b"a", LockWait::Never).expect("the lock is free");
}

/// A transaction may lock a key twice; a rollback to a savepoint keeps the lock.
pub fn a_lock_is_had_again_by_its_owner(subject: &Subject<'_>) {
    let store = subject.open();
    let mut holder = begin(&store);
    let mark = holder.savepoint();
    holder.lock(b"a", LockWait::Never).expect("a free lock");
    holder.lock(b"a", LockWait::Never).expect("the same again");
    holder.lock(b"a", LONG).expect("the same again");
    holder.rollback_to(mark);
    let mut other = begin(&store);
    assert!(other.lock(b"a", LockWait::Never).is_err());
    drop(holder);
    other.lock(b"a", LockWait::Never).expect("freed once and for all");
}

/// `unlock`: what it frees another gets, unless the store keeps it to the end; others stay locked.
pub fn a_lock_that_was_given_newly_may_be_freed_at_once(subject: &Subject<'_>) {
    let store = subject.open();
    let mut holder = begin(&store);
    assert!(holder.lock(b"a", LockWait::Never).expect("a free lock"));
    assert!(holder.lock(b"b", LockWait::Never).expect("a free lock"));
    assert!(!holder.lock(b"a", LockWait::Never).expect("the same again"));
    holder.unlock(b"a");
    let mut other = begin(&store);
    assert!(other.lock(b"b", LockWait::Never).is_err());
    if other.lock(b"a", LockWait::Never).is_ok() {
        assert!(holder.lock(b"a", LockWait::Never).is_err());
        other.unlock(b"a");
        assert!(holder.lock(b"a", LockWait::Never).expect("free again"));
    }
    drop(holder);
    other.lock(b"a", LockWait::Never).expect("freed once and for all");
    other.lock(b"b", LockWait::Never).expect("freed once and for all");
}

/// A waiter goes on when the holder has committed, and reads what was committed.
pub fn a_waiter_gets_the_lock_when_it_is_freed(subject: &Subject<'_>) {
    let store = letters(subject, "a");
    let mut holder = begin(&store);
    holder.lock(b"a", LockWait::Never).expect("a free lock");
    let (told, tells) = mpsc::channel();
    thread::scope(|scope| {
        let store = &store;
        let waiter = scope.spawn(move || {
            let mut waiter = begin(store);
            assert!(waiter.lock(b"a", LockWait::Never).is_err());
            told.send(()).expect("the holder listens");
            waiter.lock(b"a", LONG).expect("the lock in time");
            get(&*waiter, b"a")
        });
        tells.recv().expect("the waiter is about to wait");
        holder.put(b"a".to_vec(), b"1".to_vec());
        holder.commit(Durability::Os).expect("the commit");
        assert_eq!(waiter.join().expect("the waiter").as_deref(), Some(&b"1"[..]));
    });
}

/// A limited wait ends with `LockTimeout`, not before its time, and changes nothing.
pub fn a_wait_for_a_lock_ends_in_time(subject: &Subject<'_>) {
    let store = subject.open();
    let mut holder = begin(&store);
    holder.lock(b"a", LockWait::Never).expect("a free lock");
    let mut other = begin(&store);
    let started = Instant::now();
    let refused = other.lock(b"a", LockWait::AtMost(Duration::from_millis(30)));
    assert!(matches!(refused, Err(Error::LockTimeout)));
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(30) && waited < SOON);
    drop(holder);
    other.lock(b"a", LockWait::Never).expect("the lock is free");
}

/// Of two transactions that wait for each other one gets `Conflict`, long before its time.
pub fn a_deadlock_is_refused_to_one_and_the_other_goes_on(subject: &Subject<'_>) {
    let store = subject.open();
    let started = Instant::now();
    let (mut one, mut two) = (begin(&store), begin(&store));
    one.lock(b"a", LockWait::Never).expect("a free lock");
    two.lock(b"b", LockWait::Never).expect("a free lock");
    let outcomes = thread::scope(|scope| {
        let one = scope.spawn(move || {
            let outcome = one.lock(b"b", LONG);
            drop(one);
            outcome
        });
        let two = scope.spawn(move || {
            let outcome = two.lock(b"a", LONG);
            drop(two);
            outcome
        });
        [one.join().expect("a thread"), two.join().expect("a thread")]
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().any(|outcome| matches!(outcome, Err(Error::Conflict))));
    assert!(started.elapsed() < SOON);
}

/// `watch_refused`: a store that takes the waker calls it when the lock is freed.
pub fn a_freed_lock_wakes_those_who_may_not_wait(subject: &Subject<'_>) {
    let store = subject.open();
    let mut holder = begin(&store);
    holder.lock(b"a", LockWait::Never).expect("a free lock");
    let mut other = begin(&store);
    store.begin_turn(false);
    let woken = Arc::new(AtomicBool::new(false));
    let waker: LockWaker = {
        let woken = woken.clone();
        Arc::new(move || woken.store(true, Ordering::SeqCst))
    };
    assert!(!store.watch_refused(&waker), "nothing was refused yet");
    assert!(other.lock(b"a", LockWait::Never).is_err());
    store.begin_turn(false);
    assert!(!store.watch_refused(&waker), "that was in another turn");
    assert!(other.lock(b"a", LockWait::Never).is_err());
    let watched = store.watch_refused(&waker);
    assert!(!woken.load(Ordering::SeqCst));
    drop(holder);
    assert_eq!(woken.load(Ordering::SeqCst), watched);
    other.lock(b"a", LockWait::Never).expect("the lock is free");
}

/// Read, add one, write, by several threads under the row's lock: every addition counts.
pub fn increments_under_a_lock_are_never_lost(subject: &Subject<'_>) {
    const THREADS: u64 = 4;
    const EACH: u64 = 200;
    let store = subject.open();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let mut transaction = begin(&store);
                    transaction.lock(b"n", LONG).expect("the lock in time");
                    let before = get(&*transaction, b"n").map_or(0, |value| {
                        u64::from_be_bytes(value[..].try_into().expect("eight bytes"))
                    });
                    transaction.put(b"n".to_vec(), (before + 1).to_be_bytes().to_vec());
                    transaction.commit(Durability::Os).expect("the commit");
                }
            });
        }
    });
    assert_eq!(get(&*store, b"n"), Some((THREADS * EACH).to_be_bytes().to_vec()));
}

/// `lock_table` puts one lock in the place of all locks of a table.
pub fn a_table_locked_whole_needs_no_single_locks_and_keeps_others_waiting(subject: &Subject<'_>) {
    let store = subject.open();
    let mut holder = begin(&store);
    let key = |number: u32| [&b"TABL"[..], &number.to_be_bytes()].concat();
    for number in 0..1000 {
        holder.lock(&key(number), LockWait::Never).expect("the lock");
    }
    holder.lock(b"OTHER", LockWait::Never).expect("the lock");
    assert!(!holder.lock_table(*b"TABL", &mut || false), "not when others may lock keys");
    if !holder.lock_table(*b"TABL", &mut || true) {
        // A store that stays at single locks.
        return;
    }
    assert_eq!(holder.locks_of(*b"TABL"), 1);
    holder.lock(&key(5000), LockWait::Never).expect("the lock");
    assert_eq!((holder.locks_of(*b"TABL"), holder.locks()), (1, 2));
    let mut other = begin(&store);
    let refused = other.await_table(*b"TABL", LockWait::Never);
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))));
    assert!(matches!(other.lock(b"OTHER", LockWait::Never), Err(Error::WouldWait(Wait::Lock))));
    let timed_out = other.await_table(*b"TABL", LockWait::AtMost(Duration::from_millis(5)));
    assert!(matches!(timed_out, Err(Error::LockTimeout)));
    // A circle: the holder wants what the other has, which waits for the table.
    other.lock(b"MINE", LockWait::Never).expect("the lock");
    let waits = thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let waited = other.await_table(*b"TABL", LockWait::AtMost(Duration::from_secs(60)));
            drop(other);
            waited
        });
        let own = holder.lock(b"MINE", LockWait::AtMost(Duration::from_secs(60))).map(drop);
        drop(holder);
        [own, waiter.join().expect("the waiter")]
    });
    assert!(waits.iter().any(Result::is_ok), "one of them goes on: {waits:?}");
    let mut next = begin(&store);
    next.await_table(*b"TABL", LockWait::Never).expect("free again");
    next.lock(&key(1), LockWait::Never).expect("free again");
}
