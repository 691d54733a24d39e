//! The memory ceiling: with overload at every door at once the server's resident memory stays
//! within a tenth above its setting, and it serves on.

#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;

use mysql::Mysql;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use support::{Running, ask_line, rest};

const MEMORY_MIB: u64 = 256;
/// Idle connections, if the system allows as many open files.
const IDLE: usize = 10_000;
/// Clients of each kind of overload.
const CLIENTS: usize = 150;
const VALUE_BYTES: usize = 1_000_000;

fn peak_mib(server: &Running) -> u64 {
    let path = format!("/proc/{}/status", server.pid());
    let status = std::fs::read_to_string(path).expect("its process");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a figure of Linux");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().expect("a number") / 1024
}

/// As many idle connections as there may be files, spread over the doors.
fn idle(server: &Running) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let _ = setrlimit(Resource::Nofile, wanted);
    let room = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) as usize;
    let count = IDLE.min(room.saturating_sub(3000));
    let doors = ["mysql", "handlersocket", "memcached"];
    (0..count).map(|number| server.connect(doors[number % 3])).collect()
}

/// Clients that ask for large values, many times, and read nothing.
fn slow_readers(server: &Running) -> Vec<TcpStream> {
    let client = |_| {
        let mut client = server.connect("memcached");
        client.set_nonblocking(true).expect("settable");
        let _ = client.write(&b"get big\r\n".repeat(1000));
        client
    };
    (0..CLIENTS).map(client).collect()
}

/// Clients that send all but the end of a large value.
fn half_writers(server: &Running) -> Vec<TcpStream> {
    let value = vec![b'x'; VALUE_BYTES - 1000];
    let client = |_| {
        let mut client = server.connect("memcached");
        let _ = client.write_all(format!("set half 0 0 {VALUE_BYTES}\r\n").as_bytes());
        // Those that hold most are closed, also in the middle of this.
        let _ = client.write_all(&value);
        client
    };
    (0..CLIENTS).map(client).collect()
}

/// The first line of a reply; empty when the connection is gone.
fn first_line(client: &mut TcpStream) -> String {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while client.read(&mut byte).unwrap_or(0) == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).into_owned()
}

/// Large values in, and read again, ten times the memory altogether.
fn large_values(server: &Running, writer: usize) {
    let mut client = server.connect("memcached");
    let value = "v".repeat(VALUE_BYTES / 2);
    for number in 0..400 {
        let head = format!("set v{writer}.{number} 0 0 {}\r\n{value}\r\n", value.len());
        let sent = client.write_all(head.as_bytes()).is_ok();
        let reply = if sent { first_line(&mut client) } else { String::new() };
        if reply != "STORED\r" {
            // Told that there is no memory, or cut off while it sent: it comes again.
            assert!(reply.is_empty() || reply.contains("memory"), "{reply}");
            client = server.connect("memcached");
        }
    }
    let mut reader = server.connect("memcached");
    let mut taken = vec![0; 1 << 20];
    for number in 0..400 {
        // Several at once, and all of it read.
        let keys: String =
            (0..4).map(|more| format!(" v{writer}.{}", (number + more) % 400)).collect();
        let _ = reader.write_all(format!("get{keys}\r\n").as_bytes());
        let mut tail = Vec::new();
        while !tail.ends_with(b"END\r\n") && !tail.ends_with(b"response\r\n") {
            let count = reader.read(&mut taken).unwrap_or(0);
            if count == 0 {
                // Among the largest when there was too little for all.
                reader = server.connect("memcached");
                break;
            }
            tail.extend_from_slice(&taken[count.saturating_sub(16)..count]);
            tail.drain(..tail.len().saturating_sub(16));
        }
    }
}

/// Everything that SQL can take memory for; each may be refused, none may take it.
fn statements(server: &Running, number: usize) {
    let Ok(mut sql) = Mysql::login(server.connect("mysql")) else { return };
    let wide = "w".repeat(100_000);
    let large = [
        format!("SELECT {}1", "1+".repeat(3_000_000)),
        format!("SELECT * FROM d.t WHERE id IN ({}1)", "1,".repeat(3_000_000)),
        format!("SELECT LENGTH('{}')", "x".repeat(15_000_000)),
    ];
    let _ = sql.query(&large[number % 3]);
    let Ok(mut sql) = Mysql::login(server.connect("mysql")) else { return };
    let _ = sql.query("BEGIN");
    for row in 0..400 {
        let id = (number + 1) * 1_000_000 + row;
        if sql.query(&format!("INSERT INTO d.t VALUES ({id}, {row}, '{wide}')")).is_err() {
            break;
        }
    }
    let _ = sql.query("ROLLBACK");
    let sorts = [
        "SELECT a, b FROM d.t ORDER BY b, a LIMIT 5",
        "SELECT a, COUNT(*), MAX(b) FROM d.t GROUP BY a ORDER BY 2 DESC, 1 LIMIT 5",
        "SELECT x.id, y.id FROM d.t x JOIN d.t y ON x.a = y.a ORDER BY 1, 2 LIMIT 5",
    ];
    let _ = sql.query(sorts[number % 3]);
    for statement in 0..2000 {
        let text = format!("PREPARE s{statement} FROM 'SELECT ?, \"{}\"'", &wide[..10_000]);
        if sql.query(&text).is_err() {
            break;
        }
    }
}

/// Finds whose replies are far larger than what they ask with.
fn scans(server: &Running) -> Vec<TcpStream> {
    let client = |_| {
        let mut client = server.connect("handlersocket");
        let _ = client.write_all(b"P\t1\td\tt\tPRIMARY\tid,b\n");
        let _ = client.write_all(&b"1\t>=\t1\t0\t100000000\t0\n".repeat(10));
        client
    };
    (0..CLIENTS / 3).map(client).collect()
}

#[test]
fn resident_memory_stays_within_a_tenth_above_the_setting_under_overload_at_every_door() {
    let directory = tempfile::tempdir().unwrap();
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let flags = [&memory, "--durability=os", "--login-timeout=0", "--send-timeout=20s"];
    let server = Running::start(directory.path(), &flags);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b LONGTEXT)").unwrap();
    for batch in 0..100 {
        let row = |n: usize| format!("({},{},'{}')", batch * 100 + n, n % 17, "b".repeat(500));
        let rows: Vec<String> = (0..100).map(row).collect();
        sql.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).unwrap();
    }
    let mut client = server.connect("memcached");
    let value = "v".repeat(VALUE_BYTES);
    let reply = ask_line(&mut client, &format!("set big 0 0 {VALUE_BYTES}\r\n{value}\r\n"));
    assert_eq!(reply, "STORED\r");
    let idle = idle(&server);
    eprintln!("{} idle connections, {} MiB", idle.len(), peak_mib(&server));
    let held = std::thread::scope(|scope| {
        for number in 0..4 {
            let server = &server;
            scope.spawn(move || large_values(server, number));
        }
        for number in 0..12 {
            let server = &server;
            scope.spawn(move || statements(server, number));
        }
        let readers = scope.spawn(|| slow_readers(&server));
        let writers = scope.spawn(|| half_writers(&server));
        let scans = scope.spawn(|| scans(&server));
        // Others are served throughout: a small request is answered within the patience of tests.
        for _ in 0..500 {
            assert_eq!(ask_line(&mut client, "get nothing\r\n"), "END\r");
            rest();
        }
        [readers, writers, scans].map(|each| each.join().expect("clients"))
    });
    let peak = peak_mib(&server);
    eprintln!("peak {peak} MiB of {MEMORY_MIB}");
    assert!(peak <= MEMORY_MIB * 11 / 10, "{peak} MiB resident, {MEMORY_MIB} allowed");
    drop((held, idle));
    assert_eq!(ask_line(&mut client, "get nothing\r\n"), "END\r");
    assert_eq!(sql.query("SELECT COUNT(*) FROM d.t").unwrap().len(), 1);
}
