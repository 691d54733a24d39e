//! Locality: where clients at all cores keep the machine busy, each loop is pinned to a core and
//! serves the clients that are there; all are answered meanwhile, no other thread is pinned, and it
//! ends with them.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::support::{Running, ask_line, figure, wait_until};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Clients at each core.
const CLIENTS: usize = 3;

/// How many threads of the server may use one core alone, and whether all of them run loops.
fn pinned(server: &Running) -> (usize, bool) {
    let threads = fs::read_dir(format!("/proc/{}/task", server.pid())).expect("it runs");
    let mut names = Vec::new();
    for thread in threads.flatten() {
        let read = |file: &str| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
        let status = read("status");
        let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        if cores.is_some_and(|cores| !cores.contains(['-', ','])) {
            names.push(read("comm"));
        }
    }
    (names.len(), names.iter().all(|name| name.starts_with("rowhouse-loop")))
}

#[test]
fn clients_at_all_cores_are_each_served_at_their_own_and_all_is_as_before_when_they_leave() {
    let all = sched_getaffinity(None).expect("it is known");
    let cores: Vec<_> = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core)).collect();
    if cores.len() < 2 {
        return; // There is only one place to be.
    }
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &[]);
    let (is_over, rounds) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..cores.len() * CLIENTS {
            let (server, is_over, rounds) = (&server, &is_over, &rounds);
            let core = cores[number % cores.len()];
            scope.spawn(move || {
                let mut one = CpuSet::new();
                one.set(core);
                sched_setaffinity(None, &one).expect("it may be used");
                let mut stream = server.connect("memcached");
                let mut value = 0_u64;
                let set = format!("set of{number} 0 0 1\r\n0\r\n");
                assert_eq!(ask_line(&mut stream, &set).trim_end(), "STORED");
                while !is_over.load(Ordering::Relaxed) {
                    // A number that rises shows that no request is lost or done twice where its
                    // connection goes to another loop.
                    value += 1;
                    let told = ask_line(&mut stream, &format!("incr of{number} 1\r\n"));
                    assert_eq!(told.trim_end(), value.to_string());
                    for _ in 0..200 {
                        assert_eq!(ask_line(&mut stream, "get nothing\r\n").trim_end(), "END");
                    }
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        wait_until("all loops are pinned", || {
            figure(place.path(), "loops_pinned") == cores.len() as u64
        });
        let (threads, are_loops) = pinned(&server);
        assert!(are_loops && threads >= cores.len(), "{threads} threads are pinned");
        let before = rounds.load(Ordering::Relaxed);
        wait_until("all are served", || {
            rounds.load(Ordering::Relaxed) > before + (20 * cores.len() * CLIENTS) as u64
        });
        is_over.store(true, Ordering::Relaxed);
    });
    // Asking for the figure wakes a loop, which would otherwise sleep as it is.
    wait_until("nobody is pinned any more", || {
        figure(place.path(), "loops_pinned") == 0 && pinned(&server).0 == 0
    });
}

#[test]
fn with_fewer_loops_than_cores_nothing_is_pinned() {
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &["--threads=1"]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut stream = server.connect("memcached");
                for _ in 0..20_000 {
                    assert_eq!(ask_line(&mut stream, "get nothing\r\n").trim_end(), "END");
                }
            });
        }
    });
    assert_eq!(pinned(&server).0, 0);
}
