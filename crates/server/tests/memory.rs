//! The memory ceiling: with overload at every door at once the server's resident memory stays
//! within a tenth above its setting, and it serves on. What hides best has a test of its own:
//! lines of a file, rows ready for readers who do not read, keys of rows to be changed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, ask_line, peak_mib, read_line, rest, wait_until};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const MEMORY_MIB: u64 = 256;
/// Idle connections, if the system allows as many open files.
const IDLE: usize = 10_000;
/// Clients of each kind of overload.
const CLIENTS: usize = 150;
const VALUE_BYTES: usize = 1_000_000;

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

/// Everything that the Tyrant door can take memory for: large records, lists of them that nobody
/// reads, scripts.
fn records(server: &Running) -> Vec<TcpStream> {
    let request = |command: &[u8], numbers: &[u32], texts: &[&[u8]]| {
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        [&[0xc8], command, &numbers, &texts.concat()].concat()
    };
    let mut writer = server.connect("tyrant");
    let value = vec![b'v'; VALUE_BYTES / 2];
    for number in 0..100 {
        let key = format!("t{number:03}");
        let put = request(&[0x10], &[4, value.len() as u32], &[key.as_bytes(), &value]);
        let mut code = [9];
        if writer.write_all(&put).is_err() || writer.read_exact(&mut code).is_err() || code != [0] {
            writer = server.connect("tyrant");
        }
    }
    let list = |name: &[u8], arguments: &[&[u8]]| {
        let sized =
            arguments.iter().map(|one| [&(one.len() as u32).to_be_bytes()[..], one].concat());
        let sized: Vec<u8> = sized.flatten().collect();
        request(&[0x90], &[name.len() as u32, 0, arguments.len() as u32], &[name, &sized])
    };
    let several: &[&[u8]] = &[b"t000", b"t001", b"t002", b"t003"];
    let all = list(b"regex", &[b"^t"]);
    let hungry = request(&[0x68], &[6, 0, 0, 0], &[b"hungry"]);
    let client = |number: usize| {
        let mut client = server.connect("tyrant");
        let requests = [&list(b"getlist", several)[..], &all, &hungry];
        let _ = client.write_all(&requests[number % 3].repeat(4));
        client
    };
    (0..CLIENTS / 3).map(client).collect()
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

/// A server with this memory and a table `d.t` of so many rows, each so many bytes wide.
fn server_with_rows(directory: &Path, flags: &[&str], rows: usize, bytes: usize) -> Running {
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let own = [&memory, "--durability=os", "--login-timeout=0", "--send-timeout=1h"];
    let server = Running::start(directory, &[&own, flags].concat());
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b LONGTEXT)").unwrap();
    let text = "b".repeat(bytes);
    let batch = (1_000_000 / (bytes + 20)).clamp(1, 5000);
    for first in (0..rows).step_by(batch) {
        let row = |id: usize| format!("({id},{},'{text}')", id % 17);
        let values: Vec<String> = (first..rows.min(first + batch)).map(row).collect();
        sql.query(&format!("INSERT INTO d.t VALUES {}", values.join(","))).unwrap();
    }
    server
}

/// So many clients, logged in, begin their work together.
fn all_at_once(server: &Running, clients: usize, work: impl Fn(usize, &mut Mysql) + Sync) {
    let (begun, work) = (&Barrier::new(clients), &work);
    std::thread::scope(|scope| {
        for number in 0..clients {
            scope.spawn(move || {
                let stream = server.connect("mysql");
                // They wait for each other, where cores are busy for minutes.
                stream.set_read_timeout(Some(Duration::from_secs(900))).unwrap();
                let mut client = Mysql::login(stream).unwrap();
                begun.wait();
                work(number, &mut client);
            });
        }
    });
}

/// Checks that the server has kept its memory and serves on.
fn assert_within(server: &Running, what: &str) {
    let peak = peak_mib(server);
    eprintln!("{what}: peak {peak} MiB of {MEMORY_MIB}");
    assert!(peak <= MEMORY_MIB * 11 / 10, "{what}: {peak} MiB resident, {MEMORY_MIB} allowed");
    let mut client = server.connect("memcached");
    assert_eq!(ask_line(&mut client, "get nothing\r\n"), "END\r");
}

#[test]
fn resident_memory_stays_within_a_tenth_above_the_setting_under_overload_at_every_door() {
    let directory = tempfile::tempdir().unwrap();
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let script = directory.path().join("script.lua");
    let hungry = "function hungry()
        local all = {}
        while true do all[#all + 1] = string.rep('x', 1000) .. #all end
    end";
    std::fs::write(&script, hungry).unwrap();
    let script = format!("--tyrant-lua={}", script.display());
    let flags = [&memory, "--durability=os", "--login-timeout=0", "--send-timeout=1h", &script];
    let server = Running::start(&directory.path().join("data"), &flags);
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
        let records = scope.spawn(|| records(&server));
        // Others are served throughout: a small request is answered within the patience of tests.
        for _ in 0..500 {
            assert_eq!(ask_line(&mut client, "get nothing\r\n"), "END\r");
            rest();
        }
        [readers, writers, scans, records].map(|each| each.join().expect("clients"))
    });
    let peak = peak_mib(&server);
    eprintln!("peak {peak} MiB of {MEMORY_MIB}");
    assert!(peak <= MEMORY_MIB * 11 / 10, "{peak} MiB resident, {MEMORY_MIB} allowed");
    drop((held, idle));
    assert_eq!(ask_line(&mut client, "get nothing\r\n"), "END\r");
    // Until the last of them are closed a statement may be refused (1041).
    wait_until("there is memory again", || {
        // The connection of the beginning may be one of those that held most.
        let sql = Mysql::login(server.connect("mysql"));
        sql.is_ok_and(|mut sql| {
            sql.query("SELECT COUNT(*) FROM d.t").is_ok_and(|rows| rows.len() == 1)
        })
    });
}

#[test]
fn lines_of_files_that_are_still_coming_in_stay_within_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), &[], 1, 10);
    let load = "LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t";
    let piece = vec![b'7'; 1_000_000];
    let client = |_| {
        let mut client = Mysql::login(server.connect("mysql")).unwrap();
        client.begin_load(load).unwrap();
        // A line of 30 MB so far; the server may have closed some that hold most.
        let sent = (0..30).try_for_each(|_| client.send_piece(&piece));
        sent.is_ok().then_some(client)
    };
    let mut clients: Vec<Option<Mysql>> = (0..40).map(client).collect();
    assert_within(&server, "lines of LOAD DATA");
    let mut refused = 0;
    for client in clients.iter_mut().flatten() {
        let ended = client.send_piece(b"");
        match ended.map_err(Failure::from).and_then(|()| client.result()) {
            Err(Failure::Error { number: 1041, .. }) => refused += 1,
            Ok(_) | Err(Failure::Gone(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0, "nobody was told that there is no memory");
    // A client that was refused has its connection still, and there is room again.
    let client = clients.iter_mut().flatten().next().expect("one is left");
    client.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t").unwrap();
    client.send_piece(b"100\t1\tx\n").unwrap();
    client.send_piece(b"").unwrap();
    client.result().unwrap();
    assert_eq!(client.query("SELECT b FROM d.t WHERE id = 100").unwrap(), [[Some("x".into())]]);
}

#[test]
fn rows_ready_for_clients_that_do_not_read_stay_within_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), &["--lock-wait-timeout=2s"], 600, 100_000);
    let queries = [
        "SELECT id, b FROM d.t UNION ALL SELECT id, b FROM d.t",
        "SELECT id, b FROM d.t ORDER BY a, id",
        "SELECT id, b FROM d.t FOR UPDATE",
        "SELECT id, b FROM d.t",
    ];
    let client = |number: usize| {
        let mut client = Mysql::login(server.connect("mysql")).unwrap();
        client.query("BEGIN").unwrap();
        client.send_query(queries[number % 4]).unwrap();
        client
    };
    let clients: Vec<Mysql> = (0..60).map(client).collect();
    // Begun, refused or closed.
    clients.iter().for_each(|client| drop(client.await_reply()));
    let mut other = server.connect("memcached");
    for _ in 0..500 {
        assert_eq!(ask_line(&mut other, "get nothing\r\n"), "END\r");
        rest();
    }
    assert_within(&server, "rows ready to be sent");
    drop(clients);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let mut all = None;
    // Until what they held has come back.
    wait_until("room for a reader who reads", || {
        all = sql.query(queries[0]).ok();
        all.is_some()
    });
    assert_eq!(all.map(|rows| rows.len()), Some(1200));
}

#[test]
fn queries_that_have_no_room_beside_each_other_run_one_after_the_other() {
    run_one_after_the_other(&[]);
}

#[test]
fn queries_on_many_cores_were_refused_what_those_on_few_found() {
    run_one_after_the_other(&["--threads=8"]);
}

fn run_one_after_the_other(flags: &[&str]) {
    const ROWS: usize = 60_000;
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), flags, ROWS, 400);
    let queries = [
        ("SELECT id, b FROM d.t ORDER BY a, b, id", ROWS),
        ("SELECT MAX(a), CONCAT(b, id) c FROM d.t GROUP BY c", ROWS),
        ("SELECT x.id FROM d.t x JOIN d.t y ON CONCAT(x.b, x.id) = CONCAT(y.b, y.id)", ROWS),
        ("SELECT id, b FROM d.t ORDER BY b, id LIMIT 50000, 10", 10),
    ];
    all_at_once(&server, 4 * queries.len(), |number, client| {
        let (query, rows) = queries[number % queries.len()];
        assert_eq!(client.query(query).expect(query).len(), rows, "{query}");
    });
    assert_within(&server, "queries beside each other");
}

#[test]
fn user_variables_stay_within_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), &[], 1, 10);
    let mut refused = 0;
    let clients = |_| {
        let mut client = Mysql::login(server.connect("mysql")).unwrap();
        for number in 0..4 {
            let set = format!("SET @v{number} = REPEAT('x', 4000000)");
            match client.query(&set) {
                Err(Failure::Error { number: 1041, .. }) => refused += 1,
                set => drop(set.unwrap()),
            }
        }
        client
    };
    let mut clients: Vec<Mysql> = (0..40).map(clients).collect();
    assert_within(&server, "user variables");
    assert!(refused > 0, "nobody was told that there is no memory");
    let length = clients[0].query("SELECT LENGTH(@v0)").unwrap();
    assert_eq!(length, [[Some("4000000".into())]]);
    assert_eq!(clients[39].query("SELECT @v3").unwrap(), [[None]]);
    clients[0].query("SET @v0 = NULL, @v1 = NULL").unwrap();
    clients[39].query("SET @v3 = REPEAT('x', 4000000)").unwrap();
}

#[test]
fn keys_of_rows_that_wait_to_be_changed_stay_within_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), &["--lock-wait-timeout=60s"], 100_000, 1);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("BEGIN").unwrap();
    sql.query("UPDATE d.t SET a = 100 WHERE id = 0").unwrap();
    // All find their rows, then wait for the first one's lock: so long that on a slow machine, too,
    // the last of them has come before the first gives up.
    let client = |_| {
        let mut client = server.connect("handlersocket-write");
        client.set_read_timeout(Some(3 * PATIENCE)).unwrap();
        client.write_all(b"P\t1\td\tt\tPRIMARY\ta\n").unwrap();
        assert_eq!(read_line(&mut client), "0\t1");
        client.write_all(b"1\t>=\t1\t0\t100000000\t0\t-\t50\n").unwrap();
        client
    };
    let mut clients: Vec<TcpStream> = (0..60).map(client).collect();
    let replies: Vec<String> = clients.iter_mut().map(read_line).collect();
    assert_within(&server, "keys of rows to be changed");
    // HA_ERR_OUT_OF_MEM, HA_ERR_LOCK_WAIT_TIMEOUT.
    let told = |number: &str| replies.iter().filter(|reply| *reply == number).count();
    let (refused, waited) = (told("1\t1\t128"), told("1\t1\t146"));
    assert!(refused > 0 && waited > 0 && refused + waited == replies.len(), "{replies:?}");
    sql.query("ROLLBACK").unwrap();
    clients[0].write_all(b"1\t>=\t1\t0\t100000000\t0\tU\t5\n").unwrap();
    assert_eq!(read_line(&mut clients[0]), "0\t1\t100000");
}

#[test]
fn long_inserts_of_many_clients_wait_for_each_others_memory() {
    const WRITERS: usize = 24;
    const STATEMENTS: usize = 3;
    const ROWS: usize = 30_000;
    let directory = tempfile::tempdir().unwrap();
    let server = server_with_rows(directory.path(), &[], 1, 10);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE TABLE d.long_ones (w INT, n INT, PRIMARY KEY (w, n))").unwrap();
    all_at_once(&server, WRITERS, |writer, client| {
        for statement in 0..STATEMENTS {
            let rows = (0..ROWS).map(|row| format!("({writer},{})", statement * ROWS + row));
            let rows = rows.collect::<Vec<_>>().join(",");
            client.query(&format!("INSERT INTO d.long_ones VALUES {rows}")).unwrap();
        }
    });
    assert_within(&server, "long INSERTs");
    let count = sql.query("SELECT COUNT(*) FROM d.long_ones").unwrap();
    assert_eq!(count, [[Some((WRITERS * STATEMENTS * ROWS).to_string())]]);
}

#[test]
fn the_log_did_not_say_whose_connection_was_closed_for_its_memory() {
    const CLIENTS: usize = 16;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let since = std::time::Instant::now();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut stream = server.connect("mysql");
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        drop(Mysql::login(stream.try_clone().unwrap()).unwrap());
        // The beginning of a long statement. One that was closed meanwhile takes no more of it.
        let _ = stream.write_all(&[&[0xff, 0xff, 0x7f, 0, 3][..], &vec![b' '; 3 << 20]].concat());
        clients.push(stream);
    }
    let what = "closing one that holds much of it";
    wait_until("one is closed", || server.log().contains(what));
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(what)).collect();
    for told in ["connection=", "door=\"mysql\"", "peer=\"127.0.0.1:", "user=\"root\"", "bytes="] {
        assert!(lines.iter().all(|line| line.contains(told)), "{told}: {lines:?}");
    }
    let seconds = since.elapsed().as_secs() as usize;
    assert!(lines.len() <= seconds + 1, "{} in {seconds} s", lines.len());
    let closed = crate::support::figure(directory.path(), "connections_closed_for_memory");
    assert!(closed >= lines.len() as u64, "{closed}");
}

/// A server with this setting of its memory and a database `d`, and a client that waits for long
/// answers.
pub fn server_with_database(directory: &Path, memory: &str) -> (Running, Mysql) {
    let server = Running::start(directory, &[memory, "--durability=os"]);
    let stream = server.connect("mysql");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("settable");
    let mut sql = Mysql::login(stream).expect("nobody needs a password");
    sql.query("CREATE DATABASE d").expect("made");
    (server, sql)
}

#[test]
fn small_statements_were_refused_for_their_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_server, mut sql) = server_with_database(directory.path(), "--memory=256MiB");
    sql.query("CREATE TABLE d.t (a INT, b INT, c INT)").expect("made");
    let document = format!("[{}]", vec!["1"; 500_000].join(","));
    let valid = sql.query(&format!("SELECT JSON_VALID('{document}')")).expect("answered");
    assert_eq!(valid[0][0].as_deref(), Some("1"));
    let rows: Vec<String> = (0..75_000).map(|n| format!("({n},{n},{n})")).collect();
    let insert = format!("INSERT INTO d.t VALUES {}", rows.join(","));
    assert_eq!(sql.execute(&insert).expect("inserted"), 75_000);
    let marks = vec!["(?,?,?)"; 21_845].join(",");
    sql.query(&format!("PREPARE many FROM 'INSERT INTO d.t VALUES {marks}'")).expect("prepared");
    sql.query("DEALLOCATE PREPARE many").expect("closed");
}

#[test]
fn a_list_of_as_many_placeholders_as_may_be_was_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_server, mut sql) = server_with_database(directory.path(), "--memory=256MiB");
    sql.query("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, s VARCHAR(20))").expect("made");
    let rows: Vec<String> = (0..10_000).map(|n| format!("({n},{n},'{n}')")).collect();
    sql.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).expect("inserted");
    const MOST: usize = 65_535;
    let marks = vec!["?"; MOST].join(", ");
    // Every second number, as a number and as a text; room for another literal beside them.
    let numbers: Vec<String> = (0..MOST - 1).map(|n| (2 * n).to_string()).collect();
    let texts: Vec<String> = numbers.iter().map(|number| format!("'{number}'")).collect();
    let (numbers, texts) = (numbers.join(","), texts.join(", "));
    for (column, list) in [("id", &numbers), ("a", &numbers), ("s", &texts)] {
        let count = |sql: &mut Mysql, condition: &str| {
            let query = format!("SELECT COUNT(*) FROM d.t WHERE {condition}");
            sql.query(&query).expect("answered")[0][0].clone().expect("a number")
        };
        assert_eq!(count(&mut sql, &format!("{column} IN ({list})")), "5000", "{column}");
        assert_eq!(count(&mut sql, &format!("{column} NOT IN ({list}) AND a < 100")), "50");
        let update = format!("UPDATE d.t SET a = a WHERE {column} IN ({list}) AND a = 8");
        sql.execute(&update).expect("updated");
        for text in [
            format!("SELECT * FROM d.t WHERE {column} IN ({marks})"),
            format!("DELETE FROM d.t WHERE {column} IN ({marks})"),
        ] {
            sql.query(&format!("PREPARE many FROM \"{text}\"")).expect("prepared");
            sql.query("DEALLOCATE PREPARE many").expect("closed");
        }
    }
    let deleted = format!("DELETE FROM d.t WHERE id IN ({numbers})");
    assert_eq!(sql.execute(&deleted).expect("deleted"), 5000);
}

/// The memory that the process list shows of a connection.
fn memory_of(sql: &mut Mysql, connection: &str) -> u64 {
    let query = "SELECT memory_used FROM information_schema.processlist WHERE id = ";
    let rows = sql.query(&format!("{query}{connection}")).expect("shown");
    rows[0][0].as_deref().expect("a number").parse().expect("a number")
}

#[test]
fn one_that_prepared_statements_for_good_had_others_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Running::start(directory.path(), &["--memory=64MiB", "--durability=os"]);
    let login = || Mysql::login(server.connect("mysql")).expect("nobody needs a password");
    let (mut hoarder, mut other) = (login(), login());
    other.query("CREATE DATABASE d").expect("made");
    other.query("CREATE TABLE d.t (id INT PRIMARY KEY, a INT)").expect("made");
    other.query("INSERT INTO d.t VALUES (1, 0)").expect("inserted");
    let number = hoarder.query("SELECT CONNECTION_ID()").expect("answered");
    let number = number[0][0].clone().expect("a number");
    let mut made = 0;
    let refused = loop {
        match hoarder.query(&format!("PREPARE p{made} FROM 'SELECT a + {made} FROM d.t'")) {
            Ok(_) => made += 1,
            Err(Failure::Error { number, .. }) => break number,
            Err(gone) => panic!("{gone}"),
        }
        assert!(made < 20_000, "it has no limit");
    };
    assert!([1041, 1461].contains(&refused), "{refused}");
    for round in 0..100 {
        other.query("UPDATE d.t SET a = a + 1").expect("changed");
        let prepare = format!("PREPARE q{round} FROM 'SELECT a FROM d.t WHERE id = ?'");
        other.query(&prepare).expect("prepared");
    }
    let (most, least) = (memory_of(&mut other, &number), memory_of(&mut other, "CONNECTION_ID()"));
    assert!(most > 100 * 4096 && most > least, "{most}, {least}");
    let list = other.query("SHOW PROCESSLIST").expect("shown");
    let line = list.iter().find(|line| line[0].as_deref() == Some(&number)).expect("there");
    assert_eq!(line[8].as_deref(), Some(&*most.to_string()));
    drop(hoarder);
    let gone = |sql: &mut Mysql| {
        let count = sql.query("SHOW STATUS LIKE 'Prepared_stmt_count'").expect("shown");
        count[0][1].as_deref() == Some("100")
    };
    wait_until("its statements to go", || gone(&mut other));
    other.query("SET GLOBAL max_prepared_stmt_count = 101").expect("set");
    other.query("PREPARE last FROM 'SELECT 1'").expect("prepared");
    let beyond = other.query("PREPARE beyond FROM 'SELECT 1'");
    assert!(matches!(beyond, Err(Failure::Error { number: 1461, .. })), "{beyond:?}");
    // One that takes the place of another is none more.
    other.query("PREPARE last FROM 'SELECT 2'").expect("prepared");
}
