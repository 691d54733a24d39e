//! Reads that loops begin and do not wait for: who is answered by whom, in which order, and what
//! becomes of reads whose client or server is gone.
//!
//! The disk is one of memory, which a test holds up. The real one:
//! `rows-rocks/tests/begun_reads.rs`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rows::memory::{MemoryDisk, MemoryStore};

use super::script::{Bench, Client, limits, start_on};
use super::support::{PATIENCE, wait_until};

fn start() -> (Bench, Arc<MemoryDisk>) {
    let disk = Arc::new(MemoryDisk::default());
    (start_on(MemoryStore::on_disk(&disk), limits()), disk)
}

fn reads(bench: &Bench) -> u64 {
    bench.metrics.total(|door| &door.reads)
}

fn offloaded(bench: &Bench) -> u64 {
    bench.metrics.total(|door| &door.offloaded)
}

#[test]
fn a_look_up_that_misses_is_answered_by_its_loop_and_once() {
    let (bench, _disk) = start();
    let mut client = bench.connect();
    for number in 0..200 {
        client.send(&format!("read {number}\nwrite {number}\nread {number}\necho x\n"));
        let (written, number) = (format!("written {number}"), number.to_string());
        assert_eq!(client.lines(4), ["none", &written, &number, "x"]);
    }
    assert_eq!(offloaded(&bench), 0);
    // Each row is in the row cache once it is written.
    assert!((200..=600).contains(&reads(&bench)), "{} reads", reads(&bench));
    bench.server.stop(PATIENCE);
}

#[test]
fn a_request_of_many_blocks_goes_to_the_pool_and_after_some_at_once() {
    let (bench, _disk) = start();
    let mut client = bench.connect();
    client.send("read_all 4\n");
    assert_eq!(client.line(), "0");
    assert_eq!((reads(&bench), offloaded(&bench)), (4, 0));
    client.send("read_all 5\n");
    assert_eq!(client.line(), "0");
    assert_eq!((reads(&bench), offloaded(&bench)), (8, 1));
    for _ in 0..20 {
        client.send("read_all 5\n");
        assert_eq!(client.line(), "0");
    }
    assert_eq!((reads(&bench), offloaded(&bench)), (20, 21), "four in a row tell enough");
    // What its loop could do is no reason to stay there.
    for _ in 0..20 {
        client.send("read_all 4\n");
        assert_eq!(client.line(), "0");
    }
    assert!(offloaded(&bench) <= 24, "{}", offloaded(&bench));
    assert!(reads(&bench) >= 84, "{}", reads(&bench));
    bench.server.stop(PATIENCE);
}

#[test]
fn a_disk_that_hangs_holds_up_only_those_who_read_from_it() {
    let (bench, disk) = start();
    let mut other = bench.connect();
    disk.hold();
    let mut readers: Vec<Client> = (0..60).map(|_| bench.connect()).collect();
    for (number, reader) in readers.iter_mut().enumerate() {
        reader.send(&format!("echo first\nread {number}\necho behind\n"));
    }
    wait_until("all read", || reads(&bench) == 60);
    for number in 0..200 {
        other.send(&format!("echo {number}\npool {number}\n"));
        assert_eq!(other.lines(2), [number.to_string(), number.to_string()]);
    }
    readers.iter_mut().for_each(|reader| assert_eq!(reader.line(), "first"));
    readers.iter_mut().for_each(|reader| reader.send("echo last\n"));
    disk.let_go();
    readers.iter_mut().for_each(|reader| assert_eq!(reader.lines(3), ["none", "behind", "last"]));
    assert_eq!(offloaded(&bench), 200);
    bench.server.stop(PATIENCE);
}

#[test]
fn more_than_can_be_under_way_go_to_the_pool() {
    let (bench, disk) = start();
    disk.hold();
    let mut readers: Vec<Client> = (0..300).map(|_| bench.connect()).collect();
    readers.iter_mut().for_each(|reader| reader.send("read 1\n"));
    wait_until("all read", || reads(&bench) + offloaded(&bench) == 300);
    assert!(reads(&bench) >= 128, "{}", reads(&bench));
    assert!(offloaded(&bench) >= 44, "{}: two loops", offloaded(&bench));
    disk.let_go();
    readers.iter_mut().for_each(|reader| assert_eq!(reader.line(), "none"));
    bench.server.stop(PATIENCE);
}

#[test]
fn a_read_that_fails_is_made_once_more_where_it_may_wait() {
    let (bench, disk) = start();
    disk.fail();
    let mut client = bench.connect();
    for number in 0..3 {
        client.send(&format!("read {number}\necho behind\n"));
        assert_eq!(client.lines(2), ["none", "behind"]);
    }
    assert_eq!((reads(&bench), offloaded(&bench)), (3, 3));
    bench.server.stop(PATIENCE);
}

#[test]
fn a_client_that_leaves_while_its_read_is_under_way_costs_nobody_anything() {
    let (bench, disk) = start();
    disk.hold();
    let mut other = bench.connect();
    for _ in 0..100 {
        let mut leaving = bench.connect();
        leaving.send("read 1\n");
    }
    wait_until("all read", || reads(&bench) == 100);
    other.send("echo still here\n");
    assert_eq!(other.line(), "still here");
    disk.let_go();
    wait_until("they are closed", || bench.metrics.connections() == 1);
    let mut reader = bench.connect();
    reader.send("read 1\n");
    assert_eq!(reader.line(), "none");
    other.send("read 1\n");
    assert_eq!(other.line(), "none");
    assert_eq!(bench.shared.left.load(Ordering::SeqCst), 0, "none was away");
    bench.server.stop(PATIENCE);
}

#[test]
fn a_stop_answers_those_whose_reads_come_and_does_not_wait_for_a_disk_that_hangs() {
    for comes in [true, false] {
        let (bench, disk) = start();
        disk.hold();
        let mut readers: Vec<Client> = (0..20).map(|_| bench.connect()).collect();
        readers.iter_mut().for_each(|reader| reader.send("read 1\n"));
        wait_until("all read", || reads(&bench) == 20);
        let since = Instant::now();
        let grace = if comes { PATIENCE } else { Duration::from_millis(300) };
        let server = bench.server;
        let stopping = std::thread::spawn(move || server.stop(grace));
        if comes {
            disk.let_go();
        }
        for reader in &mut readers {
            assert_eq!(reader.line(), if comes { "none" } else { "" });
            assert!(reader.is_closed());
        }
        stopping.join().unwrap();
        assert!(since.elapsed() < PATIENCE / 2);
    }
}
