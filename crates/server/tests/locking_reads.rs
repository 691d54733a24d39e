//! SELECT ... FOR UPDATE of a server with several clients: where it is done, what who waits gets to
//! see, and that two never take the same row, nor put the same one where none was.

use std::thread;
use std::time::Instant;

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, figure};

struct Bench {
    // Dropped before its directory.
    server: Running,
    place: tempfile::TempDir,
}

impl Bench {
    fn start() -> Bench {
        let place = tempfile::tempdir().expect("a directory");
        let server = Running::start(place.path(), &[]);
        let bench = Bench { server, place };
        let mut client = bench.client();
        client.query("CREATE DATABASE d").expect("made");
        client.query("CREATE TABLE d.t (id INT PRIMARY KEY, n INT, s VARCHAR(20))").expect("made");
        let rows: Vec<String> = (0..100).map(|id| format!("({id}, 0, 's{id}')")).collect();
        client.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).expect("filled");
        bench
    }

    fn client(&self) -> Mysql {
        Mysql::login(self.server.connect("mysql")).expect("let in")
    }

    fn offloaded(&self) -> u64 {
        figure(self.place.path(), "mysql_offloaded")
    }
}

fn run(client: &mut Mysql, text: &str) -> Vec<Vec<Option<String>>> {
    client.query(text).unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
}

fn numbers(client: &mut Mysql, text: &str) -> Vec<i64> {
    let number =
        |row: Vec<Option<String>>| row[0].as_deref().unwrap_or("-1").parse().expect("a number");
    run(client, text).into_iter().map(number).collect()
}

fn error(client: &mut Mysql, text: &str) -> u16 {
    match client.query(text) {
        Err(Failure::Error { number, .. }) => number,
        other => panic!("{text}: {other:?}"),
    }
}

/// Another table `u` beside `t`, and two clients in their database.
fn two_tables() -> (Bench, Mysql, Mysql) {
    let bench = Bench::start();
    let (mut client, mut other) = (bench.client(), bench.client());
    run(&mut client, "CREATE TABLE d.u (id INT PRIMARY KEY, t INT)");
    run(&mut client, "INSERT INTO d.u VALUES (1, 1), (2, 2), (3, 3)");
    for each in [&mut client, &mut other] {
        run(each, "USE d");
    }
    (bench, client, other)
}

#[test]
fn a_row_is_locked_and_changed_in_the_event_loop() {
    let bench = Bench::start();
    let mut client = bench.client();
    let transaction = |client: &mut Mysql, id: i64| {
        run(client, "BEGIN");
        let found = numbers(client, &format!("SELECT n FROM d.t WHERE id = {id} FOR UPDATE"));
        run(client, &format!("UPDATE d.t SET n = n + 1 WHERE id = {id}"));
        assert_eq!(numbers(client, &format!("SELECT n FROM d.t WHERE id = {id}")), [found[0] + 1]);
        let few = "SELECT n FROM d.t WHERE id BETWEEN 10 AND 14 ORDER BY id DESC FOR UPDATE";
        assert_eq!(numbers(client, few).len(), 5);
        run(client, "COMMIT");
    };
    // The first of each shape is planned.
    transaction(&mut client, 0);
    let before = bench.offloaded();
    (1..10).for_each(|id| transaction(&mut client, id));
    assert_eq!(bench.offloaded(), before);
    // Many rows are for the pool, and all are locked.
    run(&mut client, "BEGIN");
    assert_eq!(numbers(&mut client, "SELECT n FROM d.t FOR UPDATE").len(), 100);
    assert!(bench.offloaded() > before);
    let mut other = bench.client();
    assert_eq!(error(&mut other, "SELECT n FROM d.t WHERE id = 99 FOR UPDATE NOWAIT"), 3572);
}

#[test]
fn who_waits_for_a_row_gets_it_as_it_was_left() {
    let bench = Bench::start();
    let (mut first, mut second) = (bench.client(), bench.client());
    for (round, query) in [
        "SELECT n FROM d.t WHERE id = 7 FOR UPDATE",
        "SELECT n FROM d.t WHERE id = 7 AND n >= 0 FOR UPDATE",
        "SELECT n FROM d.t WHERE id IN (7, 1007) FOR UPDATE",
        "SELECT n FROM d.t WHERE s = 's7' FOR UPDATE",
        "SELECT n FROM d.t WHERE id BETWEEN 7 AND 7 ORDER BY id LIMIT 1 FOR UPDATE",
    ]
    .into_iter()
    .enumerate()
    {
        run(&mut first, "BEGIN");
        run(&mut first, "UPDATE d.t SET n = n + 1 WHERE id = 7");
        run(&mut second, "BEGIN");
        second.send_query(query).expect("sent");
        run(&mut first, "COMMIT");
        let found = second.result().expect("the row");
        assert_eq!(found, [[Some((round + 1).to_string())]], "{query}");
        run(&mut second, "COMMIT");
    }
    // What meets the condition no longer is not given.
    run(&mut first, "BEGIN");
    run(&mut first, "UPDATE d.t SET n = -1 WHERE id = 7");
    run(&mut second, "BEGIN");
    second.send_query("SELECT n FROM d.t WHERE id = 7 AND n >= 0 FOR UPDATE").expect("sent");
    run(&mut first, "COMMIT");
    assert_eq!(second.result().expect("nothing"), Vec::<Vec<Option<String>>>::new());
}

#[test]
fn nothing_is_lost_between_many_who_read_and_write_rows_under_their_locks() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 60;
    let bench = Bench::start();
    let work = |number: usize| {
        let mut client = bench.client();
        for round in 0..ROUNDS {
            let id = (number + round) % 3;
            loop {
                run(&mut client, "BEGIN");
                let found = client.query(&format!("SELECT n FROM d.t WHERE id = {id} FOR UPDATE"));
                let Ok(rows) = found else { continue };
                let n: i64 = rows[0][0].as_deref().expect("a number").parse().expect("a number");
                run(&mut client, &format!("UPDATE d.t SET n = {} WHERE id = {id}", n + 1));
                run(&mut client, "COMMIT");
                break;
            }
        }
    };
    thread::scope(|scope| (0..CLIENTS).for_each(|number| drop(scope.spawn(move || work(number)))));
    let sum = numbers(&mut bench.client(), "SELECT SUM(n) FROM d.t WHERE id < 3");
    assert_eq!(sum, [(CLIENTS * ROUNDS) as i64]);
}

#[test]
fn a_row_that_is_not_there_is_locked_too_so_that_one_alone_puts_it_there() {
    let bench = Bench::start();
    for (id, look) in [
        (1000, "SELECT n FROM d.t WHERE id = {id} FOR UPDATE"),
        (1001, "DELETE FROM d.t WHERE id = {id}"),
        (1002, "UPDATE d.t SET n = 1 WHERE id = {id}"),
        (1003, "DELETE FROM d.t WHERE id IN ({id}, 2000) LIMIT 5"),
    ] {
        let (mut first, mut second) = (bench.client(), bench.client());
        let look = look.replace("{id}", &id.to_string());
        run(&mut first, "BEGIN");
        run(&mut first, &look);
        run(&mut second, "BEGIN");
        let nowait = format!("SELECT n FROM d.t WHERE id = {id} FOR UPDATE NOWAIT");
        assert_eq!(error(&mut second, &nowait), 3572, "{look}");
        second.send_query(&look).expect("sent");
        run(&mut first, &format!("INSERT INTO d.t VALUES ({id}, 5, '')"));
        run(&mut first, "COMMIT");
        let found = second.result().expect("its turn");
        let left = numbers(&mut second, &format!("SELECT n FROM d.t WHERE id = {id} FOR UPDATE"));
        match &look[..6] {
            "SELECT" => assert_eq!((found, left), (vec![vec![Some("5".into())]], vec![5])),
            "UPDATE" => assert_eq!(left, [1], "it was there when its lock was had"),
            _ => assert!(left.is_empty(), "it was there, and was deleted"),
        }
        run(&mut second, "ROLLBACK");
    }
}

#[test]
fn jobs_are_taken_once_whoever_comes() {
    take_jobs("SELECT id FROM d.t WHERE n = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED");
}

#[test]
fn jobs_of_a_join_are_taken_once_whoever_comes() {
    take_jobs(
        "SELECT t.id FROM d.t JOIN (SELECT 's' AS kind) k ON t.s LIKE CONCAT(k.kind, '%')
         WHERE t.n = 0 LIMIT 1 FOR UPDATE SKIP LOCKED",
    );
}

fn take_jobs(next: &str) {
    const CLIENTS: usize = 6;
    let bench = Bench::start();
    let take = |_| {
        let mut client = bench.client();
        let mut taken = Vec::new();
        loop {
            run(&mut client, "BEGIN");
            let found = numbers(&mut client, next);
            let Some(id) = found.first().copied() else {
                run(&mut client, "COMMIT");
                // Others may hold the last ones, which they will take.
                return taken;
            };
            run(&mut client, &format!("UPDATE d.t SET n = 1 WHERE id = {id}"));
            run(&mut client, "COMMIT");
            taken.push(id);
        }
    };
    let mut all: Vec<i64> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..CLIENTS).map(|number| scope.spawn(move || take(number))).collect();
        threads.into_iter().flat_map(|each| each.join().expect("jobs")).collect()
    });
    all.sort_unstable();
    assert_eq!(all, (0..100).collect::<Vec<i64>>());
}

#[test]
fn a_locking_clause_is_heard_wherever_it_stands() {
    let (_bench, mut client, mut other) = two_tables();
    // A statement, and the rows of `t` and of `u` that it locks.
    let cases: &[(&str, &[i64], &[i64])] = &[
        ("SELECT * FROM (SELECT * FROM t WHERE id = 1 FOR UPDATE) x", &[1], &[]),
        ("SELECT * FROM (SELECT * FROM t WHERE id = 1) x FOR UPDATE", &[], &[]),
        ("SELECT * FROM (SELECT * FROM t WHERE id = 1) x JOIN u USING (id) FOR UPDATE", &[], &[1]),
        ("SELECT * FROM whole WHERE id = 1 FOR UPDATE", &[1], &[]),
        (
            "SELECT * FROM whole JOIN u USING (id) FOR UPDATE OF u, whole NOWAIT",
            &[1, 2, 3],
            &[1, 2, 3],
        ),
        ("SELECT 1 FOR UPDATE", &[], &[]),
        (
            "SELECT * FROM (SELECT id FROM t WHERE id < 3 LIMIT 2 FOR UPDATE) x JOIN u USING (id)",
            &[0, 1],
            &[],
        ),
        (
            "SELECT COUNT(*) FROM (SELECT n FROM t WHERE id < 2 FOR SHARE) x GROUP BY n",
            &[0, 1],
            &[],
        ),
        ("WITH c AS (SELECT * FROM t WHERE id = 1 FOR UPDATE) SELECT * FROM c", &[1], &[]),
        ("SELECT * FROM u WHERE id IN (SELECT id FROM t WHERE id = 2 FOR UPDATE)", &[2], &[]),
        ("SELECT * FROM u WHERE id IN (SELECT id FROM t WHERE id = 2) FOR UPDATE", &[], &[2]),
        (
            "SELECT * FROM u WHERE id IN
         (SELECT id FROM (SELECT id FROM t WHERE id < 3 FOR UPDATE) x)",
            &[0, 1, 2],
            &[],
        ),
        (
            "SELECT * FROM u WHERE EXISTS
         (SELECT 1 FROM t WHERE t.id = u.t AND u.id = 3 FOR UPDATE)",
            &[3],
            &[],
        ),
        (
            "SELECT EXISTS
         (SELECT 1 FROM (SELECT * FROM t FOR UPDATE) x WHERE x.id = u.t) FROM u",
            &[1, 2, 3],
            &[],
        ),
        ("SELECT (SELECT MAX(n) FROM t WHERE id = 2 LOCK IN SHARE MODE) FROM u", &[2], &[]),
        ("(SELECT id FROM t WHERE id = 1 FOR UPDATE) UNION (SELECT id FROM u)", &[1], &[]),
        ("SELECT id FROM t WHERE id = 1 UNION SELECT id FROM u WHERE id = 2 FOR UPDATE", &[], &[2]),
        ("SELECT * FROM t JOIN u ON u.t = t.id WHERE u.id = 3 FOR UPDATE OF t", &[3], &[]),
        (
            "WITH c AS (SELECT id FROM t LIMIT 2)
         SELECT * FROM c a JOIN c b USING (id) FOR UPDATE OF b",
            &[],
            &[],
        ),
        (
            "WITH RECURSIVE c AS (SELECT id FROM t WHERE id = 1 UNION ALL
         SELECT t.id FROM t JOIN c ON t.id = c.id + 1 WHERE t.id < 4) SELECT * FROM c FOR UPDATE",
            &[],
            &[],
        ),
        ("SELECT t.id INTO @x FROM t JOIN u ON u.t = t.id WHERE u.id = 3 FOR UPDATE", &[3], &[3]),
        ("TABLE u FOR UPDATE", &[], &[1, 2, 3]),
        ("(TABLE u ORDER BY id LIMIT 1) UNION TABLE u FOR UPDATE", &[], &[1, 2, 3]),
        ("SET @x = (SELECT id FROM t WHERE id = 2 FOR UPDATE)", &[2], &[]),
        ("INSERT INTO u SELECT id, n FROM t WHERE id = 4 FOR UPDATE", &[4], &[4]),
        ("UPDATE u SET t = t WHERE id IN (SELECT id FROM t WHERE id = 2 FOR UPDATE)", &[2], &[2]),
        (
            "DELETE u FROM u JOIN (SELECT id FROM t WHERE id = 2 FOR UPDATE) x USING (id)",
            &[2],
            &[2],
        ),
    ];
    run(&mut client, "CREATE VIEW whole AS SELECT * FROM t");
    for (text, of_t, of_u) in cases {
        run(&mut client, "BEGIN");
        run(&mut client, text);
        for (table, locked) in [("t", of_t), ("u", of_u)] {
            for id in 0..5 {
                let probe = format!("SELECT id FROM d.{table} WHERE id = {id} FOR UPDATE NOWAIT");
                let is_locked = other.query(&probe).is_err();
                assert_eq!(is_locked, locked.contains(&id), "{table} {id} after {text}");
            }
        }
        run(&mut client, "ROLLBACK");
    }
}

#[test]
fn joins_go_without_rows_that_others_have_locked_or_fail_at_once() {
    let (_bench, mut client, mut other) = two_tables();
    run(&mut other, "BEGIN");
    run(&mut other, "SELECT * FROM d.t WHERE id = 2 FOR UPDATE");
    run(&mut client, "BEGIN");
    let joined = "SELECT u.id FROM d.u JOIN d.t ON t.id = u.t";
    assert_eq!(error(&mut client, &format!("{joined} FOR UPDATE NOWAIT")), 3572);
    assert_eq!(numbers(&mut client, &format!("{joined} FOR UPDATE OF u NOWAIT")), [1, 2, 3]);
    assert_eq!(numbers(&mut client, &format!("{joined} FOR UPDATE SKIP LOCKED")), [1, 3]);
    // One table's rows are waited for, the other's passed over.
    let both = format!("{joined} FOR UPDATE OF u FOR SHARE OF t SKIP LOCKED");
    assert_eq!(numbers(&mut client, &both), [1, 3]);
    // What is passed over is as if it were not there.
    let outer =
        "SELECT t.id FROM d.u LEFT JOIN d.t ON t.id = u.t ORDER BY u.id FOR UPDATE SKIP LOCKED";
    assert_eq!(numbers(&mut client, outer), [1, -1, 3]);
    assert_eq!(error(&mut client, &format!("{joined} FOR UPDATE OF v")), 3568);
    // A row of one's own is none that another has locked.
    run(&mut client, "UPDATE d.t SET n = 5 WHERE id = 3");
    assert_eq!(numbers(&mut client, &format!("{joined} FOR UPDATE SKIP LOCKED")), [1, 3]);
    run(&mut other, "ROLLBACK");
    assert_eq!(numbers(&mut client, &format!("{joined} FOR UPDATE SKIP LOCKED")), [1, 2, 3]);
    run(&mut client, "ROLLBACK");
}

#[test]
fn writes_go_without_rows_that_others_have_locked() {
    let (_bench, mut client, mut other) = two_tables();
    run(&mut other, "BEGIN");
    run(&mut other, "SELECT * FROM d.t WHERE id <= 1 FOR UPDATE");
    let free = "(SELECT id FROM t WHERE n = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) x";
    run(&mut client, &format!("UPDATE u JOIN {free} USING (id) SET u.t = 100"));
    assert_eq!(numbers(&mut client, "SELECT t FROM u ORDER BY id"), [1, 100, 3]);
    run(&mut client, &format!("INSERT INTO u SELECT id + 10, 0 FROM {free}"));
    run(&mut client, &format!("DELETE u FROM u JOIN {free} USING (id)"));
    assert_eq!(numbers(&mut client, "SELECT id FROM u ORDER BY id"), [1, 3, 12]);
    // What is said within stays, whatever is said around it.
    let both = format!("SELECT x.id FROM {free} JOIN u ON u.id = x.id + 1 FOR UPDATE");
    assert_eq!(numbers(&mut client, &both), [2]);
    // Every run but the last is as if it had not been.
    run(&mut client, "SET @n = 0");
    run(
        &mut client,
        "INSERT INTO u SELECT @n := @n + 1 + 20, id FROM t WHERE id IN (5, 6) FOR UPDATE",
    );
    assert_eq!(numbers(&mut client, "SELECT id FROM u WHERE t IN (5, 6) ORDER BY id"), [21, 42]);
    run(&mut other, "ROLLBACK");
}

#[test]
fn who_skips_locked_rows_waits_for_a_change_of_the_table_and_no_longer_than_for_a_lock() {
    let bench = Bench::start();
    let (mut client, mut other) = (bench.client(), bench.client());
    run(&mut client, "CREATE TABLE d.u (id INT PRIMARY KEY)");
    run(&mut client, "INSERT INTO d.u VALUES (1), (2)");
    run(&mut client, "SET innodb_lock_wait_timeout = 1");
    run(&mut other, "BEGIN");
    run(&mut other, "UPDATE d.t SET n = 1 WHERE id = 1");
    thread::scope(|scope| {
        let altering = scope.spawn(|| run(&mut bench.client(), "ALTER TABLE d.t ADD COLUMN z INT"));
        let begun = Instant::now();
        while !is_altering(&mut client) {
            assert!(begun.elapsed() < PATIENCE, "it does not begin");
        }
        for text in [
            "SELECT t.id FROM d.t JOIN d.u USING (id) FOR UPDATE SKIP LOCKED",
            "SELECT id FROM d.t WHERE id = 2 FOR UPDATE SKIP LOCKED",
        ] {
            assert_eq!(error(&mut client, text), 1205, "{text}");
        }
        run(&mut other, "ROLLBACK");
        altering.join().expect("altered");
    });
    let free = "SELECT t.id FROM d.t JOIN d.u USING (id) ORDER BY id FOR UPDATE SKIP LOCKED";
    assert_eq!(numbers(&mut client, free), [1, 2]);
}

/// Whether somebody who wants to lock a row of `d.t` waits for its definition.
fn is_altering(client: &mut Mysql) -> bool {
    match client.query("SELECT id FROM d.t WHERE id = 3 FOR UPDATE") {
        Ok(_) => false,
        Err(Failure::Error { number, .. }) => number == 1205,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_write_keeps_what_its_query_has_locked_until_it_is_done() {
    const CLIENTS: usize = 4;
    let bench = Bench::start();
    let take = |_| {
        let mut client = bench.client();
        let next = "SELECT id FROM d.t WHERE n = 0 ORDER BY id LIMIT 1 FOR UPDATE";
        for _ in 0..100 / CLIENTS {
            let text = format!("UPDATE d.t SET n = n + 1 WHERE id = (SELECT id FROM ({next}) x)");
            run(&mut client, &text);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS).map(|n| scope.spawn(move || take(n))).collect();
        threads.into_iter().for_each(|each| each.join().expect("updated"));
    });
    assert_eq!(numbers(&mut bench.client(), "SELECT COUNT(*) FROM d.t WHERE n = 1"), [100]);
}
