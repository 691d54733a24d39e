//! kill -9 while rows are inserted at both doors, again and again on the same data: every
//! acknowledged row is there afterwards, with its index entry, and `rowhouse check` finds nothing.

#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use mysql::Mysql;
use support::{Running, read_line, run, wait_until};

const KILLS: u64 = 20;
/// Connections that insert at each door.
const WRITERS: u64 = 4;
/// Inserts that a HandlerSocket client sends at once.
const PIPELINED: u64 = 8;

/// Numbers of rows whose insert was acknowledged.
type Acknowledged = JoinHandle<Vec<u64>>;

#[test]
fn every_acknowledged_row_survives_twenty_kills_at_both_doors() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let mut acknowledged: HashSet<u64> = HashSet::new();
    let mut base = 0;
    for kill in 0..KILLS {
        let server = Running::start(&data_dir, &["--durability=every-commit"]);
        if kill == 0 {
            create(&server);
        }
        verify(&server, &acknowledged);
        let count = Arc::new(AtomicU64::new(0));
        let mut writers: Vec<Acknowledged> = Vec::new();
        for writer in 0..WRITERS {
            // Ranges of numbers that no other writer of this or another round uses.
            let first = base + writer * 2_000_000;
            writers.push(insert_by_mysql(&server, first, count.clone()));
            writers.push(insert_by_handlersocket(&server, first + 1_000_000, count.clone()));
        }
        base += WRITERS * 2_000_000;
        // A different moment each time, early ones among them.
        let enough = 10 + (kill * 7919) % 900;
        wait_until("rows are inserted", || count.load(Ordering::Relaxed) >= enough);
        server.kill();
        for writer in writers {
            acknowledged.extend(writer.join().unwrap());
        }
        check(&data_dir);
    }
    let server = Running::start(&data_dir, &[]);
    verify(&server, &acknowledged);
    eprintln!("{} acknowledged rows survived {KILLS} kills", acknowledged.len());
    assert_eq!(server.stop().code(), Some(0));
    check(&data_dir);
}

fn create(server: &Running) {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE crash").unwrap();
    client
        .query(
            "CREATE TABLE crash.rows_of_both (id BIGINT UNSIGNED PRIMARY KEY, door VARCHAR(20), \
             words VARCHAR(100), KEY by_words (words))",
        )
        .unwrap();
}

fn words(number: u64) -> String {
    format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn insert_by_mysql(server: &Running, first: u64, count: Arc<AtomicU64>) -> Acknowledged {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    std::thread::spawn(move || {
        let mut acknowledged = Vec::new();
        for number in first.. {
            let words = words(number);
            let insert =
                format!("INSERT INTO crash.rows_of_both VALUES ({number}, 'mysql', '{words}')");
            match client.query(&insert) {
                Ok(_) => acknowledged.push(number),
                Err(mysql::Failure::Gone(_)) => break,
                Err(error) => panic!("{error}"),
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
        acknowledged
    })
}

fn insert_by_handlersocket(server: &Running, first: u64, count: Arc<AtomicU64>) -> Acknowledged {
    let mut client = server.connect("handlersocket-write");
    client.write_all(b"P\t1\tcrash\trows_of_both\tPRIMARY\tid,door,words\n").unwrap();
    assert_eq!(read_line(&mut client), "0\t1");
    std::thread::spawn(move || {
        let mut acknowledged = Vec::new();
        for batch in (first..).step_by(PIPELINED as usize) {
            let mut requests = String::new();
            for number in batch..batch + PIPELINED {
                requests.push_str(&format!("1\t+\t3\t{number}\ths\t{}\n", words(number)));
            }
            if client.write_all(requests.as_bytes()).is_err() {
                break;
            }
            for number in batch..batch + PIPELINED {
                let Some(reply) = try_read_line(&mut client) else {
                    return acknowledged;
                };
                assert!(reply.starts_with("0\t1"), "{reply}");
                acknowledged.push(number);
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        acknowledged
    })
}

/// A line, or `None` when the connection ends before its end.
fn try_read_line(stream: &mut impl std::io::Read) -> Option<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match stream.read(&mut byte) {
            Ok(1) if byte[0] == b'\n' => return Some(String::from_utf8_lossy(&line).into_owned()),
            Ok(1) => line.push(byte[0]),
            _ => return None,
        }
    }
}

/// Every acknowledged row is there, whole, also by its index; what else is there was sent.
fn verify(server: &Running, acknowledged: &HashSet<u64>) {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    let rows = client.query("SELECT id, words FROM crash.rows_of_both").unwrap();
    let mut found = HashSet::new();
    for row in &rows {
        let number: u64 = row[0].as_deref().unwrap().parse().unwrap();
        assert_eq!(row[1].as_deref(), Some(words(number).as_str()));
        found.insert(number);
    }
    let lost: Vec<&u64> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), acknowledged.len());
    let mut by_index = server.connect("handlersocket");
    by_index.write_all(b"P\t1\tcrash\trows_of_both\tby_words\tid\n").unwrap();
    assert_eq!(read_line(&mut by_index), "0\t1");
    for number in acknowledged.iter().take(200) {
        by_index.write_all(format!("1\t=\t1\t{}\n", words(*number)).as_bytes()).unwrap();
        assert_eq!(read_line(&mut by_index), format!("0\t1\t{number}"));
    }
}

fn check(data_dir: &Path) {
    let checked = run(&["check", &format!("--data-dir={}", data_dir.display())]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success() && said.ends_with("no damage found\n"), "{said}");
}
