//! SERIALIZABLE: transactions that read and append to lists, also of rows that are not there yet,
//! from several connections at once and by memcached, took place in some order one after another.
//!
//! Each append is of a number that is used once, and a list tells in which order its numbers came.
//! So it is known who wrote after whom, who read what another wrote, and what somebody has not read
//! yet: a circle of these would be no order.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::clients::Memcached;
use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{Running, wait_until};
use crate::writers::{login, with_container};

const TABLE: &str = "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(8000), g INT DEFAULT 1, \
                     KEY (g))";
const KEYS: u64 = 6;
const CLIENTS: u64 = 4;
const ROUNDS: usize = 120;

type List = Vec<usize>;

/// A transaction that was committed.
#[derive(Default)]
struct Done {
    /// The lists that it has seen, also those that were empty because no row was there.
    reads: Vec<(u64, List)>,
    /// What it has appended to which.
    appends: Vec<(u64, usize)>,
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

fn list(text: &str) -> List {
    text.split(',').filter(|n| !n.is_empty()).map(|n| n.parse().expect("a number")).collect()
}

/// Adds the lists of a range of keys as a query shows them.
fn read(sql: &mut Mysql, query: &str, keys: std::ops::Range<u64>, done: &mut Done) -> Got<()> {
    let rows = sql.query(query)?;
    for key in keys {
        let name = key.to_string();
        let row = rows.iter().find(|row| row[0].as_ref() == Some(&name));
        let text = row.map_or("", |row| row[1].as_deref().expect("a list"));
        done.reads.push((key, list(text)));
    }
    Ok(())
}

type Got<T> = Result<T, Failure>;

fn transaction(sql: &mut Mysql, dice: &mut Dice, next: &AtomicUsize) -> Got<Done> {
    let mut done = Done::default();
    sql.query("BEGIN")?;
    for _ in 0..2 + dice.below(3) {
        let (key, other) = (dice.below(KEYS), dice.below(KEYS));
        let (low, high) = (key.min(other), key.max(other));
        let range = format!("id BETWEEN {low} AND {high}");
        match dice.below(6) {
            0 => {
                let one = format!("SELECT id, v FROM d.t WHERE id = {key}");
                read(sql, &one, key..key + 1, &mut done)?;
            }
            1 => {
                let query = format!("SELECT id, v FROM d.t WHERE {range}");
                read(sql, &query, low..high + 1, &mut done)?;
            }
            2 => {
                let query = format!(
                    "SELECT a.id, MAX(a.v) FROM d.t a JOIN d.t b ON b.id = a.id \
                     WHERE a.{range} GROUP BY a.id"
                );
                read(sql, &query, low..high + 1, &mut done)?;
            }
            3 => read(sql, "SELECT id, v FROM d.t WHERE g = 1", 0..KEYS, &mut done)?,
            _ => {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let update = format!("UPDATE d.t SET v = CONCAT(v, '{number},') WHERE id = {key}");
                if sql.execute(&update)? == 0 {
                    sql.execute(&format!("INSERT INTO d.t VALUES ({key}, '{number},', 1)"))?;
                }
                done.appends.push((key, number));
            }
        }
    }
    sql.query("COMMIT")?;
    Ok(done)
}

fn work(server: &Running, seed: u64, next: &AtomicUsize) -> Vec<Done> {
    let (mut sql, mut dice) = (login(server), Dice(seed));
    sql.run("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    let mut all = Vec::new();
    while all.len() < ROUNDS {
        match transaction(&mut sql, &mut dice, next) {
            Ok(done) => all.push(done),
            // Its numbers are in no list.
            Err(failure) => {
                assert_eq!(error_number::<()>(Err(failure)), 1213);
                sql.run("ROLLBACK");
            }
        }
    }
    all
}

fn append_by_memcached(server: &Running, next: &AtomicUsize) -> Vec<Done> {
    let mut client = Memcached::new(server.connect("memcached"));
    let (mut dice, mut all) = (Dice(77), Vec::new());
    while all.len() < ROUNDS {
        let (key, number) = (dice.below(KEYS), next.fetch_add(1, Ordering::Relaxed));
        let text = format!("{number},");
        let request = format!("append t:{key} 0 0 {}\r\n{text}\r\n", text.len());
        if client.ask(&request) == "STORED" {
            all.push(Done { appends: vec![(key, number)], ..Done::default() });
        }
    }
    all
}

/// Whether no transaction comes before itself.
fn is_an_order(follows: &[Vec<usize>]) -> bool {
    let mut before = vec![0; follows.len()];
    follows.iter().flatten().for_each(|after| before[*after] += 1);
    let mut free: Vec<usize> = (0..follows.len()).filter(|at| before[*at] == 0).collect();
    let mut ordered = 0;
    while let Some(at) = free.pop() {
        ordered += 1;
        for after in &follows[at] {
            before[*after] -= 1;
            if before[*after] == 0 {
                free.push(*after);
            }
        }
    }
    ordered == follows.len()
}

/// Which transaction comes before which, by the lists as they are in the end.
fn dependences(all: &[Done], last: &HashMap<u64, List>) -> Vec<Vec<usize>> {
    let mut writer = HashMap::new();
    for (at, done) in all.iter().enumerate() {
        writer.extend(done.appends.iter().map(|(_, number)| (*number, at)));
    }
    let mut follows = vec![Vec::new(); all.len()];
    let mut comes_before = |one: usize, other: usize| {
        if one != other {
            follows[one].push(other);
        }
    };
    for list in last.values() {
        for pair in list.windows(2) {
            comes_before(writer[&pair[0]], writer[&pair[1]]);
        }
    }
    for (at, done) in all.iter().enumerate() {
        for (key, seen) in &done.reads {
            let list = &last[key];
            assert!(list.starts_with(seen), "{seen:?} of {key} was never there: {list:?}");
            if let Some(number) = seen.last() {
                comes_before(writer[number], at);
            }
            if let Some(number) = list.get(seen.len()) {
                comes_before(at, writer[number]);
            }
        }
    }
    follows
}

#[test]
fn transactions_of_many_took_place_one_after_another() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_container(directory.path(), "t", TABLE, "d.u(k, v)");
    let mut memcached = Memcached::new(server.connect("memcached"));
    wait_until("the container", || memcached.ask("get t:1\r\n") == "END");
    let next = AtomicUsize::new(1);
    let all: Vec<Done> = thread::scope(|scope| {
        let (server, next) = (&server, &next);
        let mut workers: Vec<_> =
            (0..CLIENTS).map(|seed| scope.spawn(move || work(server, 1 + seed, next))).collect();
        workers.push(scope.spawn(move || append_by_memcached(server, next)));
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    let rows = sql.query("SELECT id, v FROM d.t").unwrap();
    let mut last: HashMap<u64, List> = (0..KEYS).map(|key| (key, List::new())).collect();
    for row in rows {
        let key = row[0].as_deref().expect("a key").parse().expect("a number");
        last.insert(key, list(row[1].as_deref().expect("a list")));
    }
    let written: usize = last.values().map(Vec::len).sum();
    assert_eq!(written, all.iter().map(|done| done.appends.len()).sum::<usize>());
    assert!(is_an_order(&dependences(&all, &last)));
    drop((sql, memcached));
    server.stop();
}

#[test]
fn what_is_no_order_is_found() {
    let seen = |key, list: &[usize]| (key, list.to_vec());
    let skew = [
        Done { reads: vec![seen(0, &[]), seen(1, &[])], appends: vec![(0, 1)] },
        Done { reads: vec![seen(0, &[]), seen(1, &[])], appends: vec![(1, 2)] },
    ];
    let last = HashMap::from([(0, vec![1]), (1, vec![2])]);
    assert!(!is_an_order(&dependences(&skew, &last)));
    let fine = [
        Done { reads: vec![seen(0, &[]), seen(1, &[])], appends: vec![(0, 1)] },
        Done { reads: vec![seen(0, &[1]), seen(1, &[])], appends: vec![(1, 2)] },
    ];
    assert!(is_an_order(&dependences(&fine, &last)));
}

#[test]
fn plain_reads_of_a_transaction_lock_at_serializable_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_container(directory.path(), "t", TABLE, "d.u(k, v)");
    sql.run("INSERT INTO d.t VALUES (1, 'a', 1), (2, 'b', 2)");
    let mut other = login(&server);
    other.run("SET innodb_lock_wait_timeout = 1");
    let count = "SELECT COUNT(*) FROM d.t WHERE g IN (SELECT g FROM d.t WHERE v <> 'x')";
    for (level, locks) in [("REPEATABLE READ", false), ("SERIALIZABLE", true)] {
        sql.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
        sql.run("BEGIN");
        assert_eq!(error_number(sql.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")), 1568);
        assert_eq!(sql.query(count).unwrap()[0][0].as_deref(), Some("2"));
        let update = other.execute("UPDATE d.t SET v = 'c' WHERE id = 2");
        let insert = other.execute("INSERT INTO d.t VALUES (9, 'x', 9)");
        assert_eq!((update.is_err(), insert.is_err()), (locks, locks), "{level}");
        sql.run("COMMIT");
        other.run("DELETE FROM d.t WHERE id = 9");
    }
    // It was said of one transaction; and one SELECT by itself locks nothing.
    sql.run("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    sql.query("SELECT * FROM d.t").unwrap();
    sql.run("START TRANSACTION READ ONLY");
    sql.query("SELECT * FROM d.t WHERE id = 1").unwrap();
    assert_eq!(error_number(other.execute("UPDATE d.t SET v = 'c' WHERE id = 1")), 1205);
    sql.run("COMMIT");
    other.run("UPDATE d.t SET v = 'd' WHERE id = 1");
    drop((sql, other));
    server.stop();
}
