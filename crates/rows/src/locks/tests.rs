//! What `conformance::locking` cannot see from outside a store: order, hand-over, speed.

use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::Duration;

use super::*;
use crate::row_lock_wait::{RowLockWait, WaitKind};

const LONG: LockWait = LockWait::AtMost(Duration::from_secs(30));

/// Waits, without sleeping, until `count` threads queue for the lock.
fn until_queued(table: &LockTable, lock: u64, count: usize) {
    loop {
        let locks = table.shard(lock).locks.lock();
        let wanted = locks.get(&lock).and_then(|held| held.wanted.as_ref());
        if wanted.is_some_and(|wanted| wanted.queue.len() == count) {
            return;
        }
        drop(locks);
        thread::yield_now();
    }
}

#[test]
fn a_lock_goes_to_the_one_who_waited_longest() {
    let table = LockTable::new();
    let order = Mutex::new(Vec::new());
    assert!(table.acquire(100, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap());
    thread::scope(|scope| {
        for owner in 1..=4_u64 {
            let (table, order) = (&table, &order);
            scope.spawn(move || {
                table.acquire(owner, (7, b""), LockMode::Exclusive, LONG).unwrap();
                order.lock().push(owner);
                table.release(owner, &[7]);
            });
            until_queued(table, 7, owner as usize);
        }
        table.release(100, &[7]);
    });
    assert_eq!(*order.lock(), [1, 2, 3, 4]);
    assert_eq!(table.held(), 0);
}

#[test]
fn a_lock_handed_to_a_waiter_cannot_be_overtaken() {
    let table = LockTable::new();
    table.acquire(1, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| table.acquire(2, (7, b""), LockMode::Exclusive, LONG).unwrap());
        until_queued(&table, 7, 1);
        table.release(1, &[7]);
        let refused = table.acquire(1, (7, b""), LockMode::Exclusive, LockWait::Never);
        assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))));
    });
    table.release(2, &[7]);
}

#[test]
fn of_a_circle_of_many_waiters_exactly_one_is_refused() {
    const OWNERS: u64 = 8;
    let table = LockTable::new();
    let refused = AtomicUsize::new(0);
    for owner in 1..=OWNERS {
        table.acquire(owner, (owner, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    }
    thread::scope(|scope| {
        for owner in 1..=OWNERS {
            let (table, refused) = (&table, &refused);
            scope.spawn(move || {
                let next = owner % OWNERS + 1;
                match table.acquire(owner, (next, b""), LockMode::Exclusive, LONG) {
                    Ok(_) => table.release(owner, &[next, owner]),
                    Err(Error::Conflict) => {
                        refused.fetch_add(1, Ordering::Relaxed);
                        table.release(owner, &[owner]);
                    }
                    Err(other) => panic!("{other}"),
                }
            });
        }
    });
    assert_eq!(refused.into_inner(), 1);
    assert_eq!(table.held(), 0);
}

#[test]
fn a_chain_of_waiters_that_closes_no_circle_is_not_refused() {
    let table = LockTable::new();
    for owner in 1..=3 {
        table.acquire(owner, (owner, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    }
    thread::scope(|scope| {
        for owner in 1..=2_u64 {
            let table = &table;
            scope.spawn(move || {
                table.acquire(owner, (owner + 1, b""), LockMode::Exclusive, LONG).unwrap();
                table.release(owner, &[owner, owner + 1]);
            });
            until_queued(table, owner + 1, 1);
        }
        table.release(3, &[3]);
    });
    assert_eq!(table.held(), 0);
}

/// A waker, and how often it was called.
fn counting_waker() -> (LockWaker, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let waker: LockWaker = Arc::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    (waker, calls)
}

#[test]
fn a_waker_is_called_once_and_only_when_no_thread_waits_any_more() {
    let table = LockTable::new();
    let (waker, calls) = counting_waker();
    assert!(!table.watch_refused(&waker), "nothing was refused");
    table.acquire(1, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
    assert!(!LockTable::new().watch_refused(&waker), "of another table");
    assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
    assert!(table.watch_refused(&waker));
    thread::scope(|scope| {
        scope.spawn(|| table.acquire(2, (7, b""), LockMode::Exclusive, LONG).unwrap());
        until_queued(&table, 7, 1);
        assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
        assert!(!table.watch_refused(&waker), "a thread comes first");
        table.release(1, &[7]);
    });
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    table.release(2, &[7]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    table.acquire(2, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    table.release(2, &[7]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    // Free before anybody could wait.
    table.acquire(1, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
    table.release(1, &[7]);
    assert!(table.watch_refused(&waker));
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    // Few are called at once.
    table.acquire(1, (7, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    for place in 0..2 * WATCHERS_MAX {
        assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
        assert_eq!(table.watch_refused(&waker), place < WATCHERS_MAX);
    }
    table.release(1, &[7]);
    assert_eq!(calls.load(Ordering::SeqCst), 2 + WATCHERS_MAX);
}

/// Has an owner refused a lock that it watches then, if it may, as long as the waker is kept.
fn watch(table: &LockTable, owner: u64, lock: u64) -> Option<LockWaker> {
    let refused = table.acquire(owner, (lock, b""), LockMode::Exclusive, LockWait::Never);
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))));
    let waker: LockWaker = Arc::new(|| ());
    table.watch_refused(&waker).then_some(waker)
}

#[test]
fn whoever_does_not_wait_is_in_no_circle() {
    let table = LockTable::new();
    let now = LockWait::AtMost(Duration::ZERO);
    for owner in 1..=2 {
        table.acquire(owner, (owner, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            table.acquire(2, (1, b""), LockMode::Exclusive, LONG).unwrap();
            table.release(2, &[1, 2]);
        });
        until_queued(&table, 1, 1);
        let refused = table.acquire(1, (2, b""), LockMode::Exclusive, now);
        assert!(matches!(refused, Err(Error::LockTimeout)));
        table.release(1, &[1]);
    });
    assert_eq!(table.held(), 0);
}

#[test]
fn a_watcher_that_would_close_a_circle_is_sent_to_where_that_is_told() {
    let table = LockTable::new();
    for owner in 1..=3 {
        table.acquire(owner, (owner, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    }
    // Watchers only: 1 waits for 2, 2 for 3, and 3 must not wait for 1.
    let watches = (watch(&table, 1, 2).unwrap(), watch(&table, 2, 3).unwrap());
    assert!(watch(&table, 3, 1).is_none());
    let closed = table.acquire(3, (1, b""), LockMode::Exclusive, LONG);
    assert!(matches!(closed, Err(Error::Conflict)));
    // Whoever watches no more waits for nobody.
    drop(watches.1);
    assert!(watch(&table, 3, 1).is_some());
    // 3 gives up. Whoever was woken waits for nobody, until it is refused something again.
    table.release(3, &[3]);
    assert!(watch(&table, 4, 2).is_some());
    table.acquire(2, (3, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| table.acquire(2, (1, b""), LockMode::Exclusive, LONG).unwrap_err());
    });
    table.release(2, &[2, 3]);
    table.acquire(1, (2, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    table.release(1, &[1, 2]);
    assert_eq!((table.held(), table.waiting.lock().len()), (0, 0));
}

#[test]
fn a_statement_that_is_over_waits_without_the_locks_of_those_beside_it() {
    let table = LockTable::new();
    for owner in 1..=2 {
        table.acquire(owner, (owner, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    }
    let _kept = watch(&table, 1, 2).unwrap();
    assert!(watch(&table, 2, 1).is_none());
    let refused = table.acquire(2, (1, b""), LockMode::Exclusive, LockWait::Never);
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))));
    table.disown_refused();
    let (waker, calls) = counting_waker();
    assert!(table.watch_refused(&waker));
    table.release(1, &[1]);
    table.release(2, &[2]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert_eq!((table.held(), table.waiting.lock().len()), (0, 0));
}

#[test]
fn a_watcher_that_waits_in_line_instead_is_still_seen_when_it_is_woken() {
    let table = LockTable::new();
    table.acquire(1, (1, b""), LockMode::Shared, LockWait::Never).unwrap();
    table.acquire(2, (1, b""), LockMode::Shared, LockWait::Never).unwrap();
    table.acquire(3, (3, b""), LockMode::Exclusive, LockWait::Never).unwrap();
    let _kept = watch(&table, 3, 1).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            assert!(table.acquire(3, (1, b""), LockMode::Exclusive, LONG).unwrap());
            table.release(3, &[1, 3]);
        });
        until_queued(&table, 1, 1);
        // A sharer leaves, which wakes all that watch; 3 stands in line for the other one.
        table.release(2, &[1]);
        let closed = table.acquire(1, (3, b""), LockMode::Exclusive, LONG);
        assert!(matches!(closed, Err(Error::Conflict)));
        table.release(1, &[1]);
    });
    assert_eq!((table.held(), table.waiting.lock().len()), (0, 0));
}

#[test]
fn threads_that_lock_at_random_neither_hang_nor_meet() {
    const LOCKS: usize = 6;
    let table = LockTable::new();
    let inside: Vec<AtomicUsize> = (0..LOCKS).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (table, inside) = (&table, &inside);
            scope.spawn(move || {
                let mut random = thread + 1;
                for _ in 0..5_000 {
                    let owner = table.owner();
                    let mut held = Vec::new();
                    for _ in 0..3 {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let lock = (random >> 33) % LOCKS as u64;
                        match table.acquire(owner, (lock, b""), LockMode::Exclusive, LONG) {
                            Ok(true) => {
                                assert_eq!(inside[lock as usize].fetch_add(1, Ordering::SeqCst), 0);
                                held.push(lock);
                            }
                            Ok(false) => {}
                            Err(Error::Conflict) => break,
                            Err(other) => panic!("{other}"),
                        }
                    }
                    for &lock in &held {
                        inside[lock as usize].fetch_sub(1, Ordering::SeqCst);
                    }
                    table.release(owner, &held);
                }
            });
        }
    });
    assert_eq!(table.held(), 0);
    assert!(table.waiting.lock().is_empty());
}

#[test]
fn an_uncontended_lock_costs_well_under_a_microsecond() {
    const ROUNDS: u64 = 200_000;
    let table = LockTable::new();
    let started = Instant::now();
    for key in 0..ROUNDS {
        let lock = LockTable::hash(&key.to_be_bytes());
        assert!(table.acquire(1, (lock, b""), LockMode::Exclusive, LockWait::Never).unwrap());
        table.release(1, &[lock]);
    }
    let each = started.elapsed().as_nanos() as u64 / ROUNDS;
    // Measured: see docs/decisions. The limit is loose, for busy machines.
    assert!(each < 1_000, "{each} ns");
}

#[test]
fn a_shared_lock_keeps_out_who_wants_it_alone_and_nobody_overtakes_that() {
    let table = LockTable::new();
    let share = |owner| table.acquire(owner, (7, b""), LockMode::Shared, LockWait::Never);
    assert!(share(1).unwrap());
    assert!(share(2).unwrap());
    assert!(!share(2).unwrap(), "it has it");
    assert!(table.acquire(3, (7, b""), LockMode::Exclusive, LockWait::Never).is_err());
    thread::scope(|scope| {
        scope.spawn(|| table.acquire(3, (7, b""), LockMode::Exclusive, LONG).unwrap());
        until_queued(&table, 7, 1);
        assert!(share(4).is_err(), "behind who waits");
        assert!(!share(1).unwrap(), "it has it still");
        table.release(1, &[7]);
        table.release(2, &[7]);
    });
    assert!(share(4).is_err());
    table.release(3, &[7]);
    assert!(share(4).unwrap());
    table.release(4, &[7]);
    assert_eq!(table.held(), 0);
}

#[test]
fn of_two_sharers_that_want_a_lock_alone_one_is_refused_and_the_other_has_it() {
    let table = LockTable::new();
    for owner in [1, 2] {
        table.acquire(owner, (7, b""), LockMode::Shared, LockWait::Never).unwrap();
    }
    thread::scope(|scope| {
        let first = scope.spawn(|| table.acquire(1, (7, b""), LockMode::Exclusive, LONG).unwrap());
        until_queued(&table, 7, 1);
        let second = table.acquire(2, (7, b""), LockMode::Exclusive, LONG);
        assert!(matches!(second, Err(Error::Conflict)));
        table.release(2, &[7]);
        assert!(!first.join().unwrap(), "it had it already");
    });
    table.release(1, &[7]);
    assert_eq!(table.held(), 0);
}

#[test]
fn sharers_behind_one_that_gives_up_have_the_lock_with_its_owners() {
    let table = LockTable::new();
    table.acquire(1, (7, b""), LockMode::Shared, LockWait::Never).unwrap();
    let short = LockWait::AtMost(Duration::from_secs(1));
    thread::scope(|scope| {
        let alone = scope.spawn(|| table.acquire(2, (7, b""), LockMode::Exclusive, short));
        until_queued(&table, 7, 1);
        let shared = scope.spawn(|| table.acquire(3, (7, b""), LockMode::Shared, LONG).unwrap());
        assert!(matches!(alone.join().unwrap(), Err(Error::LockTimeout)));
        assert!(shared.join().unwrap());
    });
    table.release(1, &[7]);
    table.release(3, &[7]);
    assert_eq!(table.held(), 0);
}

#[test]
fn waits_tell_who_waits_for_whom_and_for_which_key() {
    let table = LockTable::new();
    table.acquire(1, (7, b"k"), LockMode::Shared, LockWait::Never).unwrap();
    table.acquire(2, (7, b"k"), LockMode::Shared, LockWait::Never).unwrap();
    assert_eq!(table.waits(), []);
    thread::scope(|scope| {
        let waiter =
            scope.spawn(|| table.acquire(3, (7, b"k"), LockMode::Exclusive, LONG).unwrap());
        while table.waits().is_empty() {
            thread::yield_now();
        }
        let wait = RowLockWait {
            kind: WaitKind::Key,
            lock: 7,
            key: b"k"[..].into(),
            mode: LockMode::Exclusive,
            waiting: 3,
            holders: vec![1, 2],
            held: LockMode::Shared,
        };
        assert_eq!(table.waits(), std::slice::from_ref(&wait));
        table.release(1, &[7]);
        assert_eq!(table.waits(), [RowLockWait { holders: vec![2], ..wait }]);
        table.release(2, &[7]);
        waiter.join().unwrap();
    });
    assert_eq!(table.waits(), []);
    table.release(3, &[7]);
}
