//! Row locks that loops wait for: who is answered by whom, and what becomes of those who wait for
//! long, are many, or leave.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rows::Transaction;
use rows::store::LockWait;
use server::net::limits::LOCK_WAIT_MAX;
use values::datum::Datum;

use super::script::{Bench, Client, limits, start};
use super::support::{PATIENCE, wait_until};

fn lock_waits(bench: &Bench) -> u64 {
    bench.metrics.total(|door| &door.lock_waits)
}

fn offloaded(bench: &Bench) -> u64 {
    bench.metrics.total(|door| &door.offloaded)
}

/// A transaction that holds the lock of a row.
fn hold(bench: &Bench, number: i64) -> Transaction {
    let table = bench.engine.catalog().table("d", "t").unwrap();
    let mut holder = bench.engine.begin(LockWait::AtMost(PATIENCE)).unwrap();
    let key = table.row_key(&[Datum::Int(number)]).unwrap();
    holder.lock_row(&table, &key).unwrap();
    holder
}

#[test]
fn a_lock_that_is_held_for_a_moment_is_waited_for_in_the_loop() {
    let bench = start(limits());
    let mut client = bench.connect();
    let mut in_loop = 0;
    // The machine may be busy for longer than a lock is waited for: most of many tries tell.
    for number in 0..50 {
        let holder = hold(&bench, number);
        let before = (lock_waits(&bench), offloaded(&bench));
        client.send(&format!("write {number}\necho behind\n"));
        wait_until("it waits", || (lock_waits(&bench), offloaded(&bench)) != before);
        drop(holder);
        assert_eq!(client.lines(2), [format!("written {number}"), "behind".into()]);
        in_loop += u32::from(offloaded(&bench) == before.1);
    }
    assert!(in_loop >= 25, "{in_loop} of 50");
    assert_eq!(bench.rows(), 50);
    bench.server.stop(PATIENCE);
}

#[test]
fn one_that_is_held_for_longer_is_waited_for_in_the_pool_and_nobody_else_notices() {
    let bench = start(limits());
    let (mut waiting, mut other) = (bench.connect(), bench.connect());
    let holder = hold(&bench, 1);
    let since = Instant::now();
    waiting.send("write 1\necho behind\n");
    wait_until("it is in the pool", || offloaded(&bench) == 1);
    assert!(since.elapsed() >= LOCK_WAIT_MAX, "{:?}", since.elapsed());
    assert_eq!(lock_waits(&bench), 1);
    for number in 2..100 {
        other.send(&format!("write {number}\n"));
        assert_eq!(other.line(), format!("written {number}"));
    }
    drop(holder);
    assert_eq!(waiting.lines(2), ["written 1", "behind"]);
    bench.server.stop(PATIENCE);
}

#[test]
fn where_many_want_one_lock_they_stand_in_line_in_the_pool() {
    let bench = start(limits());
    let mut clients: Vec<Client> = (0..40).map(|_| bench.connect()).collect();
    let holder = hold(&bench, 1);
    clients.iter_mut().for_each(|client| client.send("write 1\n"));
    wait_until("all wait", || offloaded(&bench) == 40);
    // A few tried to wait in their loop, and came to the pool later.
    assert!(lock_waits(&bench) <= 10, "{}", lock_waits(&bench));
    drop(holder);
    clients.iter_mut().for_each(|client| assert_eq!(client.line(), "written 1"));
    bench.server.stop(PATIENCE);
}

#[test]
fn a_client_that_leaves_while_it_waits_costs_nobody_anything() {
    let bench = start(limits());
    for number in 0..30 {
        let holder = hold(&bench, number);
        let mut leaving = bench.connect();
        let before = lock_waits(&bench) + offloaded(&bench);
        leaving.send(&format!("write {number}\n"));
        wait_until("it waits", || lock_waits(&bench) + offloaded(&bench) > before);
        drop(leaving);
        drop(holder);
    }
    wait_until("they are closed", || bench.metrics.connections() == 0);
    let mut client = bench.connect();
    for number in 0..30 {
        client.send(&format!("write {number}\n"));
        assert_eq!(client.line(), format!("written {number}"));
    }
    bench.server.stop(PATIENCE);
}

#[test]
fn a_stop_answers_those_who_wait() {
    let bench = start(limits());
    let mut clients: Vec<Client> = (0..4).map(|_| bench.connect()).collect();
    let holders: Vec<Transaction> = (0..4).map(|number| hold(&bench, number)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.send(&format!("write {number}\n"));
    }
    wait_until("all wait", || lock_waits(&bench) == 4);
    let left = bench.shared.left.load(Ordering::SeqCst);
    let server = bench.server;
    let stopping = std::thread::spawn(move || server.stop(PATIENCE));
    drop(holders);
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.line(), format!("written {number}"));
        assert!(client.is_closed());
    }
    stopping.join().unwrap();
    assert_eq!(bench.shared.left.load(Ordering::SeqCst), left);
}
