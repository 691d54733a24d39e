//! Clients that no server should have: slow, silent, boundless, or of another protocol. Others go
//! on meanwhile, the hostile ones are told or closed, and what they held comes back.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, ask_line, figure, read_all, read_line, rest, wait_until};

const DOORS: [&str; 5] = ["mysql", "handlersocket", "handlersocket-write", "memcached", "tyrant"];
/// The longest that anybody else may wait for a small request meanwhile, besides a few times of
/// what the machine makes a client of an idle server wait.
const DELAY_MAX: Duration = Duration::from_secs(2);
const TIMES_OF_IDLE: u32 = 4;

/// A figure of the server's memory in MiB, as the kernel names it.
fn memory_mib(server: &Running, figure: &str) -> u64 {
    let path = format!("/proc/{}/status", server.pid());
    let status = std::fs::read_to_string(path).expect("its process");
    let line = status.lines().find(|line| line.starts_with(figure)).expect("a figure of Linux");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().expect("a number") / 1024
}

/// Asks over and over until told to stop; gives the longest that an answer took, and how many.
fn busy(server: &Running, stop: &AtomicBool) -> (Duration, u64) {
    let mut client = server.connect("memcached");
    assert_eq!(ask_line(&mut client, "set busy 0 0 1\r\nx\r\n"), "STORED\r");
    let (mut longest, mut count) = (Duration::ZERO, 0);
    while !stop.load(Ordering::Relaxed) {
        let since = Instant::now();
        assert_eq!(ask_line(&mut client, "get busy\r\n"), "VALUE busy 0 1\r");
        assert_eq!(
            (read_line(&mut client), read_line(&mut client)),
            ("x\r".into(), "END\r".into())
        );
        longest = longest.max(since.elapsed());
        count += 1;
    }
    (longest, count)
}

/// Does something hostile while a client is busy, which must not notice, and checks that no
/// connection stays behind. A client of a second server, which is idle, tells how much of a delay
/// is the machine's own.
fn beside_others(server: &Running, hostile: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    let directory = tempfile::tempdir().unwrap();
    let idle = Running::start(directory.path(), &[]);
    let before = server.open_files();
    let ((longest, count), (longest_of_idle, _)) = std::thread::scope(|scope| {
        let others = [server, &idle].map(|server| scope.spawn(|| busy(server, &stop)));
        hostile();
        stop.store(true, Ordering::Relaxed);
        let [others, control] = others.map(|each| each.join().expect("served"));
        (others, control)
    });
    assert!(
        count > 0 && longest < DELAY_MAX + TIMES_OF_IDLE * longest_of_idle,
        "{count} requests, the slowest took {longest:?}; {longest_of_idle:?} beside it"
    );
    wait_until("connections are gone", || server.open_files() <= before + 4);
}

#[test]
fn a_client_that_does_not_log_in_is_closed_however_slowly_it_goes_on_sending() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--login-timeout=1s", "--handlersocket-secret=s"];
    let server = Running::start(directory.path(), &flags);
    for (door, piece) in [("mysql", &b"\x01"[..]), ("handlersocket", b"x")] {
        let mut client = server.connect(door);
        let mut reader = client.try_clone().unwrap();
        let closed = std::thread::spawn(move || read_all(&mut reader));
        let since = Instant::now();
        // One byte now and then, until the other side is gone.
        while !closed.is_finished() && client.write_all(piece).is_ok() {
            assert!(since.elapsed() < PATIENCE, "{door} waits for ever");
            (0..50).for_each(|_| rest());
        }
        closed.join().unwrap();
    }
    // A client that has logged in may be silent. A machine that pauses may make a login take too
    // long.
    let mut logged_in = None;
    wait_until("a login in time", || {
        logged_in = Mysql::login(server.connect("mysql")).ok();
        logged_in.is_some()
    });
    let mut sql = logged_in.unwrap();
    let mut silent = server.connect("memcached");
    let since = Instant::now();
    wait_until("longer than a login", || since.elapsed() > Duration::from_secs(3));
    assert!(sql.query("SELECT 1").is_ok());
    assert_eq!(ask_line(&mut silent, "get a\r\n"), "END\r");
}

#[test]
fn a_request_that_was_begun_was_waited_for_without_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--request-timeout=1s"]);
    // Silent between two requests, for longer than the others have.
    let mut silent = server.connect("memcached");
    assert_eq!(ask_line(&mut silent, "version\r\n").split(' ').next(), Some("VERSION"));
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for (door, begun) in [
        ("memcached", &b"set k 0 0 100\r\nab"[..]),
        ("memcached", b"get k"),
        ("memcached", b"set k 0 0 99999999\r\nab"),
        ("memcached", b"version\r\nset k x 0 50\r\nab"),
        ("memcached", b"\x80\x01\0\x01\x08\0\0\0\0\0\0\x40"),
        ("tyrant", b"\xc8\x10\0\0\0\x01\0\0\0\x63kv"),
        ("tyrant", b"set k 0 0 100\r\nab"),
        ("tyrant", b"PUT /k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nab"),
        ("tyrant", b"GET /k HTTP/1.1\r\nX"),
        ("handlersocket", b"P\t1\td"),
        ("handlersocket-write", b"P\t1\td\n1\t+"),
    ] {
        let mut client = server.connect(door);
        let mut reader = client.try_clone().unwrap();
        let closed = std::thread::spawn(move || read_all(&mut reader));
        client.write_all(begun).unwrap();
        let since = Instant::now();
        // Bytes that come one by one do not prolong it, where they are none of a next request.
        while !closed.is_finished() && client.write_all(b"x").is_ok() {
            assert!(since.elapsed() < PATIENCE, "{door} waits for ever: {begun:?}");
            (0..50).for_each(|_| rest());
        }
        closed.join().unwrap();
        assert!(since.elapsed() >= Duration::from_millis(900), "{door} {begun:?}");
    }
    // A packet of a client that has logged in, small and large.
    for header in [[100, 0, 0, 0], [0, 0, 2, 0]] {
        let begun = Mysql::login(server.connect("mysql")).unwrap();
        let mut stream = begun.into_stream();
        stream.write_all(&header).unwrap();
        stream.write_all(b"\x03SELECT").unwrap();
        assert_eq!(read_all(&mut stream), b"");
    }
    assert!(sql.query("SELECT 1").is_ok());
    assert_eq!(ask_line(&mut silent, "get a\r\n"), "END\r");
}

#[test]
fn failed_logins_were_neither_counted_nor_told_nor_slowed_down() {
    const GUESSES: u32 = 4;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--handlersocket-write-secret=s"]);
    let since = Instant::now();
    for number in 0..GUESSES {
        let user = format!("eve{number}\n2026 ERROR forged");
        let refused = Mysql::login_as(server.connect("mysql"), &user).err().expect("no such user");
        assert!(matches!(refused, Failure::Error { number: 1045, .. }), "{refused}");
    }
    // 100 + 200 + 400 + 800 ms.
    assert!(since.elapsed() >= Duration::from_millis(1500), "{:?}", since.elapsed());
    let mut client = server.connect("handlersocket-write");
    for _ in 0..3 {
        assert_eq!(ask_line(&mut client, "A\t1\tguess\n"), "3\t1\tunauth");
    }
    assert_eq!(read_all(&mut client), b"", "closed after three");
    let count = |name: &str| figure(directory.path(), name);
    assert_eq!(count("mysql_failed_logins"), u64::from(GUESSES));
    assert_eq!(count("handlersocket_write_failed_logins"), 3);
    let log = server.log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("a login has failed")).collect();
    let of = |door: &str| lines.iter().filter(|line| line.contains(&format!("\"{door}\""))).count();
    assert!((1..=GUESSES as usize).contains(&of("mysql")), "{log}");
    assert!((1..=3).contains(&of("handlersocket-write")), "{log}");
    assert!(lines[0].contains(r#"user="eve0\n2026 ERROR forged""#), "{log}");
    assert!(lines[0].contains("peer=this machine"), "{log}");
}

#[test]
fn a_right_password_does_not_wait_for_the_failures_of_others() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    std::thread::scope(|scope| {
        let guesses: Vec<_> = (0..12)
            .map(|_| scope.spawn(|| Mysql::login_as(server.connect("mysql"), "eve").is_err()))
            .collect();
        wait_until("many wait for their answer", || {
            figure(directory.path(), "mysql_failed_logins") == 12
        });
        let mut sql = Mysql::login(server.connect("mysql")).expect("it is let in");
        assert!(sql.query("SELECT 1").is_ok());
        // The later ones are told after seconds.
        assert!(guesses.iter().any(|guess| !guess.is_finished()), "they were told at once");
        assert!(guesses.into_iter().all(|guess| guess.join().expect("it is told")));
    });
}

#[test]
fn announced_lengths_take_no_memory_and_are_refused_in_each_protocols_words() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut client = server.connect("memcached");
    // No length of 31 bits is one, in memcached's own words; a shorter one is too large.
    let malformed = "CLIENT_ERROR bad command line format\r";
    assert_eq!(ask_line(&mut client, "set k 0 0 2147483647\r\n"), malformed);
    let mut client = server.connect("memcached");
    let reply = ask_line(&mut client, "set k 0 0 4294967295\r\n");
    assert_eq!(reply, "CLIENT_ERROR bad command line format\r");
    let mut packet = vec![0x80, 1, 0, 1, 8, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    packet.resize(64, 0);
    let mut client = server.connect("memcached");
    client.write_all(&packet).unwrap();
    let mut header = [0; 24];
    client.read_exact(&mut header).unwrap();
    assert_eq!((header[0], &header[6..8]), (0x81, &[0, 3][..]), "too large, as a packet");
    // Before the login a packet of 16 MiB is too much.
    let mut client = server.connect("mysql");
    client.write_all(&[0xff, 0xff, 0xff, 1]).unwrap();
    let reply = String::from_utf8_lossy(&read_all(&mut client)).into_owned();
    assert!(reply.contains("max_allowed_packet"), "{reply}");
    // After it, the chain's sum counts.
    let small = tempfile::tempdir().unwrap();
    let strict = Running::start(small.path(), &["--max-allowed-packet=1MiB"]);
    let mut sql = Mysql::login(strict.connect("mysql")).unwrap();
    let refused = sql.query(&format!("SELECT '{}'", "x".repeat(2 << 20)));
    assert!(matches!(refused, Err(Failure::Error { number: 1153, .. } | Failure::Gone(_))));
    assert!(memory_mib(&server, "VmHWM") < 64 && memory_mib(&strict, "VmHWM") < 64);
}

#[test]
fn a_line_of_filters_or_in_values_takes_no_more_memory_than_its_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=512MiB"]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    let before = memory_mib(&server, "VmHWM");
    let lines =
        ["\tF\t\t\t".repeat(3_000_000), format!("\t@\t0\t9999999{}", "\t".repeat(9_999_999))];
    for (line, reply) in lines.iter().zip(["2\t1\tfilternum", "0\t1"]) {
        let mut client = server.connect("handlersocket");
        // Such a line takes its seconds, and a slow machine more than the patience of tests.
        client.set_read_timeout(Some(10 * PATIENCE)).unwrap();
        assert_eq!(ask_line(&mut client, "P\t1\td\tt\tPRIMARY\tid\tid\n"), "0\t1");
        assert_eq!(ask_line(&mut client, &format!("1\t=\t1\t5\t1\t0{line}\n")), reply);
    }
    let taken = memory_mib(&server, "VmHWM") - before;
    assert!(taken < 64, "{taken} MiB for lines of 15 MB");
}

#[test]
fn garbage_and_other_protocols_harm_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--login-timeout=1s"]);
    let hello = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3][..], &[0xaa; 500]].concat();
    let mut noise = 1u64;
    let garbage: Vec<u8> = (0..100_000)
        .map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
            (noise >> 56) as u8
        })
        .collect();
    let http = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
    let endless = vec![b'x'; 4 << 20];
    beside_others(&server, || {
        for door in DOORS {
            for bytes in [&hello, &garbage, &http, &endless] {
                let mut client = server.connect(door);
                client.set_write_timeout(Some(PATIENCE)).unwrap();
                // The server may close before it has read all of it.
                let _ = client.write_all(bytes);
                let _ = client.shutdown(std::net::Shutdown::Write);
                let mut reply = Vec::new();
                let _ = client.read_to_end(&mut reply);
            }
        }
    });
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn a_storm_of_connects_does_not_hold_up_busy_clients() {
    const CONNECTS: usize = 10_000;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    beside_others(&server, || {
        let since = Instant::now();
        let mut made = 0;
        while made < CONNECTS && since.elapsed() < PATIENCE {
            // All doors, in turn; some say something, some leave at once.
            let address = server.address(DOORS[made % DOORS.len()]);
            if let Ok(mut client) = TcpStream::connect(address)
                && made % 3 == 0
            {
                let _ = client.write_all(b"get a\r\n");
            }
            made += 1;
        }
        assert_eq!(made, CONNECTS, "in {PATIENCE:?}");
    });
}

#[test]
fn clients_that_do_not_read_or_hardly_write_cost_others_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=128MiB"]);
    let mut client = server.connect("memcached");
    let value = "v".repeat(100_000);
    assert_eq!(ask_line(&mut client, &format!("set big 0 0 100000\r\n{value}\r\n")), "STORED\r");
    drop(client);
    beside_others(&server, || {
        let mut held = Vec::new();
        for number in 0..200 {
            let mut client = server.connect("memcached");
            client.set_nonblocking(true).unwrap();
            if number % 2 == 0 {
                let _ = client.write(&b"get big\r\n".repeat(1000));
            } else {
                let _ = client.write(b"set slow 0 0 1000\r\n");
            }
            held.push(client);
        }
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(2) {
            for client in held.iter_mut().skip(1).step_by(2) {
                let _ = client.write(b"x");
            }
            rest();
        }
    });
}

#[test]
fn a_commit_gets_through_however_many_wait_for_its_locks() {
    const WAITERS: usize = 600;
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--memory=256MiB", "--durability=os", "--lock-wait-timeout=1h"];
    let server = Running::start(directory.path(), &flags);
    let mut holder = Mysql::login(server.connect("mysql")).unwrap();
    holder.query("CREATE DATABASE d").unwrap();
    holder.query("CREATE TABLE d.t (id INT PRIMARY KEY, n INT)").unwrap();
    holder.query("INSERT INTO d.t VALUES (1, 0), (2, 0)").unwrap();
    holder.query("BEGIN").unwrap();
    holder.query("UPDATE d.t SET n = n + 1 WHERE id = 1").unwrap();
    let login = |_| Mysql::login(server.connect("mysql")).unwrap();
    let mut waiters: Vec<Mysql> = (0..WAITERS).map(login).collect();
    for waiter in &mut waiters {
        waiter.send_query("UPDATE d.t SET n = n + 1 WHERE id = 1").unwrap();
    }
    let threads = format!("/proc/{}/task", server.pid());
    wait_until("the pool is full", || std::fs::read_dir(&threads).unwrap().count() > 512);
    let since = Instant::now();
    // A transaction that holds locks goes on, and ends.
    holder.query("UPDATE d.t SET n = n + 1 WHERE id = 2").unwrap();
    holder.query("COMMIT").unwrap();
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
    waiters.iter_mut().for_each(|waiter| drop(waiter.result().unwrap()));
    let rows = holder.query("SELECT n FROM d.t WHERE id = 1").unwrap();
    assert_eq!(rows, [[Some((WAITERS + 1).to_string())]]);
}

#[test]
fn who_comes_when_the_server_is_full_is_told_so_in_the_doors_words() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--max-connections=2", "--admin-connections=1"];
    let server = Running::start(directory.path(), &flags);
    let held = [server.connect("memcached"), server.connect("memcached")];
    let told =
        |door: &str| String::from_utf8_lossy(&read_all(&mut server.connect(door))).into_owned();
    wait_until("both are served", || told("memcached").contains("Too many open connections"));
    let mut kept = server.connect("mysql");
    kept.read_exact(&mut [0; 16]).unwrap();
    assert!(told("mysql").contains("Too many connections"));
    assert_eq!(told("handlersocket"), "2\t1\ttoo many connections\n");
    drop(held);
    wait_until("there is room again", || {
        let mut client = server.connect("memcached");
        ask_line(&mut client, "get a\r\n") == "END\r"
    });
}

#[test]
fn scripts_that_never_end_or_collect_without_end_cost_others_nothing() {
    const CALLERS: usize = 20;
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.lua");
    let functions = "function loops() while true do pcall(loops) end end
        function collects() local all = {} while true do all[#all + 1] = {#all} end end";
    std::fs::write(&script, functions).unwrap();
    let script = format!("--tyrant-lua={}", script.display());
    let flags = ["--memory=128MiB", "--tyrant-lua-timeout=1s", &script];
    let server = Running::start(&directory.path().join("data"), &flags);
    beside_others(&server, || {
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let mut client = server.connect("tyrant");
                let name = ["loops", "collects"][caller % 2];
                scope.spawn(move || {
                    let lengths = [name.len() as u32, 0, 0, 0].map(u32::to_be_bytes);
                    let call = [&[0xc8, 0x68], lengths.as_flattened(), name.as_bytes()].concat();
                    client.write_all(&call).unwrap();
                    let mut answer = [0];
                    client.read_exact(&mut answer).unwrap();
                    assert_eq!(answer, [1], "{name}");
                });
            }
        });
    });
    let log = server.log();
    assert!(log.contains("a Lua function failed") && !log.contains("panicked"), "{log}");
}
