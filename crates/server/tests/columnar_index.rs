//! Columnar indexes in the whole server: at every door, across kills at any moment, in copies. What
//! a query reads by column is held against what it reads by row in the same transaction.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::by_column::{MEMORY, Random, insert, stop_and_check, write_by_memcached};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, wait_until};
use faults::{Fault, Layer};

fn session(server: &Running) -> Mysql {
    let mut client = Mysql::login(server.connect("mysql")).expect("a session");
    client.query("SET SESSION rowhouse_executor = 'columns'").unwrap();
    client
}

fn make(client: &mut Mysql) {
    client.query("CREATE DATABASE d").unwrap();
    client
        .query(
            "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, word VARCHAR(40), other INT, KEY (n), \
             COLUMNAR INDEX ci (n, word))",
        )
        .unwrap();
}

fn explained(client: &mut Mysql, query: &str) -> String {
    let lines = client.query(&format!("EXPLAIN {query}")).unwrap();
    lines.iter().flat_map(|line| line.iter().flatten().cloned()).collect::<Vec<_>>().join("\n")
}

/// What a query gives by column, which must be what it gives by row in the same transaction.
fn both(client: &mut Mysql, columns: &str, behind: &str) -> Vec<Vec<Option<String>>> {
    client.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    let by_column = format!("SELECT {columns} FROM d.t FORCE INDEX (ci) {behind}");
    let by_row = format!("SELECT {columns} FROM d.t IGNORE INDEX (ci) {behind}");
    assert!(explained(client, &by_column).contains("columnar index ci"));
    assert!(!explained(client, &by_row).contains("columnar index"));
    let (by_column, by_row) = (client.query(&by_column).unwrap(), client.query(&by_row).unwrap());
    client.query("COMMIT").unwrap();
    assert_eq!(by_column, by_row, "{columns} {behind}");
    by_column
}

fn both_of_all(client: &mut Mysql) {
    both(client, "COUNT(*), SUM(n), MIN(n), MAX(word), COUNT(DISTINCT word), SUM(id)", "");
    both(client, "n, COUNT(*), SUM(id)", "WHERE n BETWEEN 10 AND 30 GROUP BY n ORDER BY n");
    both(client, "word, COUNT(*)", "GROUP BY word ORDER BY word LIMIT 50");
}

/// Rows that EXPLAIN says to be changed and in no segment.
fn changed_rows(client: &mut Mysql) -> u64 {
    let plan = explained(client, "SELECT SUM(n) FROM d.t FORCE INDEX (ci)");
    let before = plan.split(" changed rows").next().unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{plan}"))
}

#[test]
fn every_door_writes_what_is_read_by_column() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client);
    insert(&mut client, 0..20_000, ", 0");
    both_of_all(&mut client);
    wait_until("the rows to be sealed", || changed_rows(&mut client) == 0);
    both_of_all(&mut client);
    write_by_memcached(&server, &mut client);
    let mut handlersocket = server.connect("handlersocket-write");
    assert_eq!(ask_line(&mut handlersocket, "P\t1\td\tt\tPRIMARY\tid,n,word,other\n"), "0\t1");
    let update = "1\t=\t1\t79\t1\t0\tU\t79\t-1\thand\t1\n";
    assert_eq!(ask_line(&mut handlersocket, update), "0\t1\t1");
    assert_eq!(ask_line(&mut handlersocket, "1\t+\t4\t90001\t-2\tnew\t0\n"), "0\t1");
    client.query("UPDATE d.t SET other = 5 WHERE id < 1000").unwrap();
    assert_eq!(changed_rows(&mut client), 4, "what the index does not have is not noted");
    let some = "WHERE id IN (77, 78, 79, 90001) GROUP BY id ORDER BY id";
    let found = both(&mut client, "id, MAX(word)", some);
    let words: Vec<&str> = found.iter().filter_map(|row| row[1].as_deref()).collect();
    assert_eq!(words, ["new", "hand", "new"]);
    both_of_all(&mut client);
    // One's own writes are read as rows, and go with the transaction.
    client.query("BEGIN").unwrap();
    client.query("DELETE FROM d.t WHERE id < 10000").unwrap();
    let count = "SELECT COUNT(word) FROM d.t FORCE INDEX (ci)";
    assert_eq!(client.query(count).unwrap()[0][0].as_deref(), Some("10001"));
    client.query("ROLLBACK").unwrap();
    assert_eq!(client.query(count).unwrap()[0][0].as_deref(), Some("20000"));
    // What is printed makes it again.
    let created = client.query("SHOW CREATE TABLE d.t").unwrap()[0][1].clone().unwrap();
    assert!(created.contains("/*!999999 , COLUMNAR KEY `ci` (`n`,`word`) */"), "{created}");
    client.query("RENAME TABLE d.t TO d.u").unwrap();
    client.query("USE d").unwrap();
    client.query(&created).unwrap();
    assert_eq!(client.query("SHOW CREATE TABLE d.t").unwrap()[0][1].as_ref(), Some(&created));
    client.query("INSERT INTO d.t SELECT * FROM d.u").unwrap();
    both_of_all(&mut client);
    let lines = client.query("SHOW INDEX FROM d.t WHERE Key_name = 'ci'").unwrap();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0][10].as_deref(), Some("COLUMNAR"));
    client.query("ALTER TABLE d.t DROP INDEX ci").unwrap();
    assert!(!explained(&mut client, "SELECT SUM(n) FROM d.t").contains("columnar index"));
}

/// Moves ones from rows to other rows until it is over, so that the sum stays.
fn move_about(server: &Running, writer: u64, ended: &AtomicBool) {
    let mut client = session(server);
    let mut random = Random(writer + 1);
    while !ended.load(Ordering::Relaxed) {
        // A deadlock is rolled back.
        let (a, b) = (random.below(20_000), random.below(20_000));
        let moves = format!("UPDATE d.t SET n = n + IF(id = {a}, 1, -1) WHERE id IN ({a}, {b})");
        if a != b {
            let _ = client.query(&moves);
        }
    }
}

#[test]
fn queries_are_exact_while_clients_write_and_the_index_is_made_and_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client);
    insert(&mut client, 0..20_000, ", 0");
    client.query("UPDATE d.t SET n = 100").unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let (server, ended) = (&server, &ended);
            scope.spawn(move || move_about(server, writer, ended));
        }
        let until = Instant::now() + Duration::from_secs(8);
        while Instant::now() < until {
            for _ in 0..5 {
                let sums = both(&mut client, "COUNT(*), SUM(n)", "");
                assert_eq!(sums[0][1].as_deref(), Some("2000000"));
            }
            client.query("DROP INDEX ci ON d.t").unwrap();
            client.query("CREATE COLUMNAR INDEX ci ON d.t (n, word)").unwrap();
        }
        ended.store(true, Ordering::Relaxed);
    });
    both_of_all(&mut client);
    drop(client);
    stop_and_check(server, directory.path());
}

#[test]
fn kills_at_any_moment_leave_the_index_as_the_rows_are() {
    const ROUNDS: u64 = 4;
    let directory = tempfile::tempdir().unwrap();
    let mut next = 0;
    for round in 0..ROUNDS {
        let server = Running::start(directory.path(), &[MEMORY]);
        let mut client = session(&server);
        if round == 0 {
            make(&mut client);
        } else {
            both_of_all(&mut client);
        }
        let mut random = Random(round + 1);
        // Enough at once for the mover to begin, and changes while it is at it.
        let until = Instant::now() + Duration::from_millis(1500 + 700 * round);
        while Instant::now() < until {
            insert(&mut client, next..next + 3000, ", 0");
            next += 3000;
            for _ in 0..40 {
                let id = random.below(next as u64);
                client.query(&format!("DELETE FROM d.t WHERE id = {id}")).unwrap();
                let id = random.below(next as u64);
                client.query(&format!("UPDATE d.t SET n = -{round} WHERE id = {id}")).unwrap();
            }
        }
        server.kill();
    }
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    both_of_all(&mut client);
    drop(client);
    stop_and_check(server, directory.path());
}

#[test]
fn a_copy_made_while_clients_write_has_the_index_as_its_rows_are() {
    let place = crate::backups::place();
    let server = place.server();
    let mut client = session(&server);
    make(&mut client);
    insert(&mut client, 0..20_000, ", 0");
    client.query("UPDATE d.t SET n = 100").unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (server, ended) = (&server, &ended);
            scope.spawn(move || move_about(server, writer, ended));
        }
        // One as the rows are sealed for the first time, one from amid notes and dead rows.
        place.backed_up(&[]);
        wait_until("rows to be sealed and changed again", || {
            let sealed = changed_rows(&mut client) < 10_000;
            sealed && both(&mut client, "COUNT(*), SUM(n)", "").len() == 1
        });
        place.backed_up(&[]);
        ended.store(true, Ordering::Relaxed);
    });
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    place.is_sound(&[]);
    for number in ["--number=1", "--number=2"] {
        let restored = place.restored(&[number]);
        let mut client = session(&restored);
        let sums = both(&mut client, "COUNT(*), SUM(n)", "");
        assert_eq!(sums, [["20000", "2000000"].map(|text| Some(text.to_owned())).to_vec()]);
        both_of_all(&mut client);
        drop(client);
        stop_and_check(restored, &place.restored);
        std::fs::remove_dir_all(&place.restored).unwrap();
    }
}

#[test]
fn a_disk_that_is_full_stops_the_mover_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &["--durability=every-commit"]);
    let mut client = session(&server);
    make(&mut client);
    // Until the disk is full before the mover has taken all that there is for it.
    let mut next = 0;
    loop {
        insert(&mut client, next..next + 3000, ", 0");
        next += 3000;
        layer.fail(Fault::NoSpace).unwrap();
        if changed_rows(&mut client) >= 3000 {
            break;
        }
        layer.fail(Fault::None).unwrap();
    }
    wait_until("the mover to meet it", || server.log().contains("rows stay where they are"));
    both_of_all(&mut client);
    let refused = client.query("UPDATE d.t SET n = -7 WHERE id = 1");
    assert!(matches!(refused, Err(Failure::Error { number: 1021, .. })), "{refused:?}");
    assert!(changed_rows(&mut client) >= 3000, "nothing was moved");
    layer.fail(Fault::None).unwrap();
    wait_until("writes to go on", || client.query("UPDATE d.t SET n = n + 1 WHERE id = 1").is_ok());
    // The last few are not worth a segment.
    wait_until("the rows to be sealed", || changed_rows(&mut client) < 1024);
    both_of_all(&mut client);
    drop(client);
    server.kill();
    let server = Running::start(&data_dir, &[MEMORY]);
    let mut client = session(&server);
    both_of_all(&mut client);
    let count = client.query("SELECT COUNT(*) FROM d.t FORCE INDEX (ci)").unwrap();
    assert_eq!(count[0][0], Some(next.to_string()));
    drop(client);
    stop_and_check(server, &data_dir);
}
