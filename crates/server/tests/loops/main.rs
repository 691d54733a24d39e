//! Event loops with a test protocol (`script`): order, offloading, shared commits and their
//! failure, slow and hostile clients, limits, and the stop.
//!
//! Not here: reads that loops begin (`reads.rs`), locks that they wait for (`lock_waits.rs`).

mod handshakes;
mod lock_waits;
mod reads;
mod script;
#[path = "../support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rows::memory::MemoryStore;
use rows::store::Durability;
use script::{Client, PIECE, limits, start, start_on};
use server::net::limits::Limits;
use support::{PATIENCE, read_all, wait_until};

#[test]
fn replies_keep_the_order_of_requests_through_loop_pool_and_commit() {
    let bench = start(limits());
    let mut client = bench.connect();
    client.send("echo a\npool b\nwrite 1\nwrite 2\necho c\npool d\nwrite 3\nquit\n");
    let expected = ["a", "b", "written 1", "written 2", "c", "d", "written 3", "bye"];
    assert_eq!(client.lines(8), expected);
    assert!(client.is_closed());
    assert_eq!(bench.rows(), 3);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_conversation_in_the_pool_does_not_hold_up_the_others() {
    let bench = start(limits());
    let mut waiting: Vec<Client> = (0..20).map(|_| bench.connect()).collect();
    waiting.iter_mut().for_each(|client| client.send("gate through\n"));
    wait_until("all are at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 20);
    for _ in 0..4 {
        let mut other = bench.connect();
        other.send("echo here\n");
        assert_eq!(other.line(), "here");
    }
    bench.shared.gate.open();
    waiting.iter_mut().for_each(|client| assert_eq!(client.line(), "through"));
    bench.server.stop(PATIENCE);
}

#[test]
fn who_reads_from_a_disk_again_and_again_is_sent_there_at_once_and_comes_back_to_its_loop() {
    let bench = start_on(MemoryStore::cold(), limits());
    let mut client = bench.connect();
    let in_vain = || bench.shared.in_vain.load(Ordering::SeqCst);
    let offloaded = || bench.metrics.total(|door| &door.offloaded);
    for number in 0..100 {
        client.send(&format!("read {number}\n"));
        assert_eq!(client.line(), "none");
    }
    assert!(in_vain() <= 8, "{} turns in vain", in_vain());
    assert_eq!(offloaded(), 100);
    for _ in 0..100 {
        client.send("echo x\n");
        assert_eq!(client.line(), "x");
    }
    assert!(offloaded() <= 108, "{} of 200 requests in the pool", offloaded());
    // Half a request tells nothing.
    for number in 0..20 {
        client.send(&format!("read {number}\n"));
        assert_eq!(client.line(), "none");
    }
    let before = offloaded();
    for part in ["re", "ad", " 7"] {
        let turns = bench.metrics.turns(|each| &each.turns);
        client.send(part);
        wait_until("it has come", || bench.metrics.turns(|each| &each.turns) > turns + 2);
    }
    client.send("\n");
    assert_eq!(client.line(), "none");
    assert!(offloaded() <= before + 4);
    bench.server.stop(PATIENCE);
}

#[test]
fn what_comes_while_a_conversation_is_in_the_pool_is_served_when_it_is_back() {
    let bench = start_on(MemoryStore::cold(), limits());
    let mut client = bench.connect();
    let began = Instant::now();
    // Where nobody woke the loop, each of these would take until it looks up by itself, a second.
    for number in 0..300 {
        client.send(&format!("read {number}\n"));
        if number % 3 == 0 {
            std::thread::yield_now();
        }
        client.send(&format!("write {number}\nread {number}\necho {number}\n"));
        let (written, number) = (format!("written {number}"), number.to_string());
        assert_eq!(client.lines(4), ["none", &written, &number, &number]);
    }
    assert!(began.elapsed() < Duration::from_secs(50), "{:?}", began.elapsed());
    bench.server.stop(PATIENCE);
}

#[test]
fn an_answer_of_the_pool_that_its_client_does_not_read_holds_up_nobody_and_comes_whole() {
    const BYTES: usize = 24 << 20;
    let bench = start(limits());
    let mut slow: Vec<Client> = (0..3).map(|_| bench.connect()).collect();
    slow.iter_mut().for_each(|client| client.send(&format!("reply {BYTES}\necho after\n")));
    let mut others: Vec<Client> = (0..16).map(|_| bench.connect()).collect();
    for round in 0..50 {
        others.iter_mut().for_each(|client| client.send(&format!("pool {round}\n")));
        others.iter_mut().for_each(|client| assert_eq!(client.line(), round.to_string()));
    }
    for client in &mut slow {
        let reply = client.line();
        assert!(reply.len() == BYTES && reply.bytes().all(|byte| byte == b'r'));
        assert_eq!(client.line(), "after");
    }
    bench.server.stop(PATIENCE);
}

#[test]
fn errands_that_take_long_do_not_keep_others_from_being_begun() {
    let bench = start(limits());
    // More than are begun at once on any machine that tests run on.
    let mut waiting: Vec<Client> = (0..300).map(|_| bench.connect()).collect();
    waiting.iter_mut().for_each(|client| client.send("gate through\n"));
    wait_until("all are at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 300);
    let mut other = bench.connect();
    for number in 0..20 {
        other.send(&format!("pool {number}\n"));
        assert_eq!(other.line(), number.to_string());
    }
    // Those who have left are noticed there, too: the first of them opens the gate for all, and who
    // has passed it by then need not be told.
    waiting.truncate(290);
    wait_until("one is noticed", || bench.shared.left.load(Ordering::SeqCst) >= 1);
    waiting.iter_mut().for_each(|client| assert_eq!(client.line(), "through"));
    wait_until("they are closed", || bench.metrics.connections() == 291);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_stop_answers_what_is_read_from_a_disk_and_ends_who_reads_on() {
    let bench = start_on(MemoryStore::cold(), limits());
    let mut clients: Vec<Client> = (0..64).map(|_| bench.connect()).collect();
    for _ in 0..10 {
        clients.iter_mut().for_each(|client| client.send("read 1\n"));
        clients.iter_mut().for_each(|client| assert_eq!(client.line(), "none"));
    }
    clients.iter_mut().for_each(|client| client.send("read 1\n"));
    wait_until("they are under way", || bench.metrics.total(|door| &door.offloaded) == 704);
    let since = Instant::now();
    bench.server.stop(PATIENCE);
    assert!(since.elapsed() < PATIENCE / 2);
    for client in &mut clients {
        assert_eq!(client.line(), "none");
        assert!(client.is_closed());
    }
}

#[test]
fn writes_of_many_connections_share_commits_under_every_policy() {
    for durability in [Durability::EveryCommit, Durability::EverySecond, Durability::Os] {
        let bench = start(limits());
        bench.engine.set_durability(durability);
        let mut clients: Vec<Client> = (0..32).map(|_| bench.connect()).collect();
        for round in 0..20 {
            for (number, client) in clients.iter_mut().enumerate() {
                client.send(&format!("write {}\n", round * 32 + number));
            }
            for (number, client) in clients.iter_mut().enumerate() {
                assert_eq!(client.line(), format!("written {}", round * 32 + number));
            }
        }
        assert_eq!(bench.rows(), 640);
        assert_eq!(bench.metrics.turns(|each| &each.group_members), 640);
        assert!(bench.metrics.turns(|each| &each.groups) <= 640);
        bench.server.stop(PATIENCE);
    }
}

#[test]
fn two_connections_that_write_one_row_are_both_served() {
    let bench = start(limits());
    let mut clients: Vec<Client> = (0..8).map(|_| bench.connect()).collect();
    for _ in 0..50 {
        clients.iter_mut().for_each(|client| client.send("write 7\nwrite 7\n"));
        for client in &mut clients {
            assert_eq!(client.lines(2), ["written 7", "written 7"]);
        }
    }
    assert_eq!(bench.rows(), 1);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_commit_that_fails_answers_each_request_with_an_error_and_nothing_else() {
    let bench = start(limits());
    let mut client = bench.connect();
    // The engine refuses commits from here on, but still serves reads.
    bench.engine.close().unwrap();
    client.send("echo before\nwrite 1\nwrite 2\necho after\n");
    let lines = client.lines(4);
    // Whether the first reply was made in the turn of the writes depends on how bytes arrived.
    assert!(["before", "not committed"].contains(&lines[0].as_str()), "{lines:?}");
    assert_eq!(lines[1..], ["not committed", "not committed", "after"]);
    assert_eq!(bench.rows(), 0);
    assert_eq!(bench.metrics.turns(|each| &each.groups_failed), 1);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_request_that_would_wait_where_it_may_wait_is_told_of_the_fault_and_not_repeated_for_ever() {
    let bench = start(limits());
    let mut other = bench.connect();
    let mut stuck = bench.connect();
    stuck.send("echo a\nstuck\necho b\n");
    assert_eq!(stuck.lines(2), ["a", "fault"]);
    assert!(stuck.is_closed());
    assert_eq!(bench.metrics.total(|door| &door.offloaded), 1);
    other.send("echo still here\n");
    assert_eq!(other.line(), "still here");
    wait_until("it is closed", || bench.metrics.connections() == 1);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_client_that_leaves_while_it_is_served_in_the_pool_is_noticed_and_nothing_of_it_stays() {
    let bench = start(limits());
    let mut other = bench.connect();
    let mut leaving = bench.connect();
    leaving.send("gate through\n");
    wait_until("it is at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 1);
    assert_eq!(bench.shared.left.load(Ordering::SeqCst), 0);
    drop(leaving);
    // Nobody opens the gate but the news that it has left.
    wait_until("it is noticed", || bench.shared.left.load(Ordering::SeqCst) > 0);
    wait_until("it is closed", || bench.metrics.connections() == 1);
    // One that has left before it was sent there, too.
    let mut hasty = bench.connect();
    hasty.send("pool x\n");
    hasty.stream.shutdown(Shutdown::Both).unwrap();
    wait_until("it is closed", || bench.metrics.connections() == 1);
    other.send("echo still here\n");
    assert_eq!(other.line(), "still here");
    bench.server.stop(PATIENCE);
}

#[test]
fn a_conversation_that_panics_costs_its_own_connection_only() {
    let bench = start(limits());
    let mut other = bench.connect();
    let mut failing = bench.connect();
    failing.send("panic\n");
    assert!(failing.is_closed());
    other.send("write 1\necho still here\n");
    assert_eq!(other.lines(2), ["written 1", "still here"]);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_reader_that_reads_nothing_costs_bounded_memory_and_holds_up_nobody() {
    let bench = start(limits());
    let mut slow = bench.connect();
    slow.send("pieces 100000\necho done\n");
    let pieces = || bench.shared.pieces.load(Ordering::SeqCst);
    // Until two looks, with other requests served in between, find no progress.
    let mut other = bench.connect();
    let mut before = usize::MAX;
    wait_until("the slow reader is left alone", || {
        other.send("echo fast\n");
        assert_eq!(other.line(), "fast");
        let same = pieces() == before && before > 0;
        before = pieces();
        support::rest();
        same
    });
    // What the kernel buffers for both sides, and one piece of ours.
    assert!(pieces() * PIECE < 32 << 20, "{} pieces", pieces());
    let mut skipped = vec![0; PIECE];
    for _ in 0..200 {
        slow.lines.read_exact(&mut skipped).unwrap();
    }
    wait_until("the slow reader is served again", || pieces() > before);
    bench.server.stop(Duration::ZERO);
}

#[test]
fn a_client_that_takes_no_output_is_closed_after_its_time() {
    let bench = start(Limits { stalled: Duration::from_secs(1), ..limits() });
    let mut slow = bench.connect();
    slow.send("pieces 100000\n");
    wait_until("it is closed", || bench.metrics.connections() == 0);
    bench.server.stop(PATIENCE);
}

#[test]
fn a_silent_client_is_closed_after_its_time_and_one_at_work_is_not() {
    let bench = start(Limits { idle: Duration::from_secs(5), ..limits() });
    let mut working = bench.connect();
    working.send("gate through\n");
    wait_until("it is at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 1);
    let mut silent = bench.connect();
    assert!(silent.is_closed());
    bench.shared.gate.open();
    assert_eq!(working.line(), "through");
    bench.server.stop(PATIENCE);
}

#[test]
fn a_request_without_an_end_is_cut_off() {
    let bench = start(limits());
    let mut client = bench.connect();
    let piece = vec![b'x'; PIECE];
    let since = Instant::now();
    while client.stream.write_all(&piece).is_ok() {
        assert!(since.elapsed() < PATIENCE, "nobody stops it");
    }
    assert!(client.is_closed());
    wait_until("it is closed", || bench.metrics.connections() == 0);
    bench.server.stop(PATIENCE);
}

#[test]
fn the_last_reply_arrives_although_the_client_is_still_sending() {
    let bench = start(limits());
    for _ in 0..50 {
        let mut client = bench.connect();
        // More than the server will ever read of it.
        let mut request = b"quit\n".to_vec();
        request.resize(300 * 1024, b'x');
        client.stream.write_all(&request).unwrap();
        assert_eq!(client.line(), "bye");
        assert!(client.is_closed());
    }
    bench.server.stop(PATIENCE);
}

#[test]
fn a_client_that_closed_its_sending_side_gets_all_replies() {
    let bench = start(limits());
    let mut client = bench.connect();
    client.send("echo a\npool b\nwrite 1\npieces 3\necho c\n");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let replies = read_all(&mut client.lines);
    let text = String::from_utf8(replies).unwrap();
    let expected = format!("a\nb\nwritten 1\n{}c\n", "x".repeat(3 * PIECE));
    assert!(text == expected, "{} bytes", text.len());
    bench.server.stop(PATIENCE);
}

#[test]
fn a_loop_that_takes_no_turns_has_no_pulse() {
    let bench = start(limits());
    let pulse = bench.server.pulse();
    assert!(pulse.is_felt(PATIENCE), "idle loops are woken");
    let mut client = bench.connect();
    client.send("block through\n");
    wait_until("it blocks", || bench.shared.at_gate.load(Ordering::SeqCst) == 1);
    assert!(!pulse.is_felt(Duration::from_millis(100)));
    bench.shared.gate.open();
    assert_eq!(client.line(), "through");
    assert!(pulse.is_felt(PATIENCE));
    bench.server.stop(PATIENCE);
}

#[test]
fn clients_above_the_limit_are_told_so() {
    let bench = start(Limits { connections_max: 3, ..limits() });
    let clients: Vec<Client> = (0..3).map(|_| bench.connect()).collect();
    let mut fourth = TcpStream::connect(bench.address).unwrap();
    assert_eq!(read_all(&mut fourth), b"full\n");
    assert_eq!(bench.metrics.refused(), 1);
    drop(clients);
    wait_until("there is room again", || bench.metrics.connections() == 0);
    bench.connect();
    bench.server.stop(PATIENCE);
}

#[test]
fn two_thousand_idle_connections_cost_little_and_hold_up_nobody() {
    let bench = start(limits());
    let mut busy = bench.connect();
    let rss_before = rss();
    let mut idle: Vec<TcpStream> = Vec::new();
    for _ in 0..2000 {
        let mut stream = TcpStream::connect(bench.address).unwrap();
        stream.read_exact(&mut [0; 6]).unwrap();
        stream.write_all(b"echo x\n").unwrap();
        stream.read_exact(&mut [0; 2]).unwrap();
        idle.push(stream);
    }
    let per_connection = rss().saturating_sub(rss_before) / 2000;
    eprintln!("{per_connection} bytes of memory per idle connection");
    assert!(per_connection < 8 * 1024, "{per_connection} bytes");
    assert_eq!(bench.metrics.connections(), 2001);
    // Idle clients need no second loop.
    let loops: Vec<usize> =
        bench.metrics.loops.iter().map(|each| each.live.load(Ordering::SeqCst)).collect();
    assert!(loops[0] > 1900, "{loops:?}");
    let since = Instant::now();
    for _ in 0..1000 {
        busy.send("echo x\n");
        assert_eq!(busy.line(), "x");
    }
    eprintln!("{:?} per request beside them", since.elapsed() / 1000);
    drop(idle);
    wait_until("they are gone", || bench.metrics.connections() == 1);
    bench.server.stop(PATIENCE);
}

/// Resident memory of this process, which holds both sides, in bytes.
fn rss() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * rustix::param::page_size()
}

#[test]
fn a_stop_answers_what_has_arrived_and_closes_the_rest() {
    let bench = start(limits());
    let mut silent = bench.connect();
    let mut working = bench.connect();
    working.send("gate through\necho behind it\n");
    wait_until("it is at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 1);
    let (server, shared) = (bench.server, bench.shared);
    let stopping = std::thread::spawn(move || server.stop(PATIENCE));
    assert!(silent.is_closed());
    assert!(TcpStream::connect(bench.address).is_err(), "nobody is accepted any more");
    shared.gate.open();
    assert_eq!(working.lines(2), ["through", "behind it"]);
    assert!(working.is_closed());
    stopping.join().unwrap();
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let bench = start(limits());
    let mut stuck = bench.connect();
    stuck.send("gate never\n");
    wait_until("it is at the gate", || bench.shared.at_gate.load(Ordering::SeqCst) == 1);
    let since = Instant::now();
    bench.server.stop(Duration::from_millis(300));
    assert!(since.elapsed() < PATIENCE / 2);
    assert!(stuck.is_closed());
    bench.shared.gate.open();
}
