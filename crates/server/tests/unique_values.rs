//! Unique values whose rows open transactions have given up, over the MySQL door and beside it: who
//! wants one waits as on InnoDB (MySQL 8.0 manual, 17.7.3), then has it or is refused.

use crate::by_column::{await_waiter, cell, stop_and_check};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, read_line};

const FLAGS: [&str; 2] = ["--durability=os", "--lock-wait-timeout=1h"];

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// `d.t`, empty.
fn create(client: &mut Mysql, engine: &str) {
    client.query("CREATE DATABASE IF NOT EXISTS d").unwrap();
    client.query("DROP TABLE IF EXISTS d.t").unwrap();
    let create = "CREATE TABLE d.t (id INT PRIMARY KEY, code VARCHAR(20) UNIQUE, n INT)";
    client.query(&format!("{create} ENGINE={engine}")).unwrap();
}

/// Rows 1, 2 and 3, of which the first two have codes, in the place of others.
fn fill(client: &mut Mysql) {
    client.query("DELETE FROM d.t").unwrap();
    client.query("INSERT INTO d.t VALUES (1, 'a', 0), (2, 'b', 0), (3, NULL, 0)").unwrap();
}

/// How many rows were changed, or the number of the error.
fn outcome(client: &mut Mysql, statement: &str) -> Result<u64, u16> {
    match client.execute(statement) {
        Ok(changed) => Ok(changed),
        Err(Failure::Error { number, .. }) => Err(number),
        Err(Failure::Gone(why)) => panic!("{statement}: {why}"),
    }
}

#[test]
fn a_code_given_up_by_an_open_transaction_was_refused_at_once() {
    const LEAVES: [&str; 4] = [
        "DELETE FROM d.t WHERE id = 1",
        "DELETE FROM d.t WHERE code = 'a'",
        "UPDATE d.t SET code = 'z' WHERE id = 1",
        "REPLACE INTO d.t VALUES (1, 'z', 5)",
    ];
    // Each with what comes of it after a commit, and after a rollback.
    const TAKES: [(&str, Result<u64, u16>, Result<u64, u16>); 5] = [
        ("INSERT INTO d.t VALUES (9, 'A', 1)", Ok(1), Err(1062)),
        ("INSERT IGNORE INTO d.t VALUES (9, 'a', 1), (10, 'new', 1)", Ok(2), Ok(1)),
        ("REPLACE INTO d.t VALUES (9, 'a', 1)", Ok(1), Ok(2)),
        ("INSERT INTO d.t VALUES (9, 'a', 1) ON DUPLICATE KEY UPDATE n = n + 1", Ok(1), Ok(2)),
        ("UPDATE d.t SET code = 'a' WHERE id = 3", Ok(1), Err(1062)),
    ];
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    let [mut holder, mut taker, mut watcher] = [(); 3].map(|()| session(&server));
    for engine in ["InnoDB", "COLUMNAR"] {
        create(&mut watcher, engine);
        for leave in LEAVES {
            for (take, committed, rolled_back) in TAKES {
                for (end, expected) in [("COMMIT", committed), ("ROLLBACK", rolled_back)] {
                    fill(&mut watcher);
                    holder.query("BEGIN").unwrap();
                    holder.query(leave).unwrap();
                    let taken = std::thread::scope(|scope| {
                        let taking = scope.spawn(|| outcome(&mut taker, take));
                        await_waiter(&mut watcher);
                        holder.query(end).unwrap();
                        taking.join().unwrap()
                    });
                    assert_eq!(taken, expected, "{leave}; {take}; {end}");
                }
            }
        }
    }
    stop_and_check(server, directory.path());
}

#[test]
fn transactions_that_want_each_others_code_are_parted() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    let [mut one, mut other, mut watcher] = [(); 3].map(|()| session(&server));
    create(&mut watcher, "InnoDB");
    fill(&mut watcher);
    one.query("BEGIN").unwrap();
    one.query("DELETE FROM d.t WHERE id = 1").unwrap();
    other.query("BEGIN").unwrap();
    other.query("DELETE FROM d.t WHERE id = 2").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| outcome(&mut other, "INSERT INTO d.t VALUES (8, 'a', 1)"));
        await_waiter(&mut watcher);
        let parted = outcome(&mut one, "INSERT INTO d.t VALUES (9, 'b', 1)");
        assert_eq!(parted, Err(1213));
        // It is rolled back, so that it has its code again.
        assert_eq!(waiting.join().unwrap(), Err(1062));
    });
    other.query("COMMIT").unwrap();
    assert_eq!(cell(&mut watcher, "SELECT GROUP_CONCAT(code ORDER BY id) FROM d.t"), "a");
    stop_and_check(server, directory.path());
}

#[test]
fn a_client_of_another_door_waits_for_a_code_without_holding_up_its_loop() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    let [mut holder, mut watcher] = [(); 2].map(|()| session(&server));
    create(&mut watcher, "InnoDB");
    fill(&mut watcher);
    holder.query("BEGIN").unwrap();
    holder.query("DELETE FROM d.t WHERE id = 1").unwrap();
    let mut adding = server.connect("handlersocket-write");
    assert_eq!(
        crate::support::ask_line(&mut adding, "P\t1\td\tt\tPRIMARY\tid,code,n\n").trim_end(),
        "0\t1"
    );
    std::thread::scope(|scope| {
        let asked =
            scope.spawn(move || crate::support::ask_line(&mut adding, "1\t+\t3\t9\ta\t1\n"));
        // Others of every loop are served meanwhile.
        for _ in 0..16 {
            let mut other = server.connect("handlersocket");
            std::io::Write::write_all(&mut other, b"P\t1\td\tt\tPRIMARY\tcode\n1\t=\t1\t2\n")
                .unwrap();
            assert_eq!(read_line(&mut other).trim_end(), "0\t1");
            assert_eq!(read_line(&mut other).trim_end(), "0\t1\tb");
        }
        assert!(!asked.is_finished(), "it waits for the code");
        holder.query("COMMIT").unwrap();
        assert_eq!(asked.join().unwrap().trim_end(), "0\t1");
    });
    assert_eq!(cell(&mut watcher, "SELECT code FROM d.t WHERE id = 9"), "a");
    stop_and_check(server, directory.path());
}
