//! SHOW PROCESSLIST of a real server: what runs, where, for how long, and what it waits for.

#[path = "processes/doors.rs"]
mod doors;
#[path = "processes/endings.rs"]
mod endings;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, wait_until};

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// Command, state and text of the connections whose statement has these words.
fn lines(watcher: &mut Mysql, words: &str) -> Vec<(String, String)> {
    let rows = watcher.query("SHOW FULL PROCESSLIST").expect("a list");
    let column = |row: &[Option<String>], at: usize| row[at].clone().unwrap_or_default();
    let found = rows.iter().filter(|row| column(row, 7).contains(words));
    found.map(|row| (column(row, 4), column(row, 6))).collect()
}

fn wait_for(watcher: &mut Mysql, words: &str, state: &str) {
    let expected = [("Query".to_owned(), state.to_owned())];
    wait_until(&format!("{words} is {state}"), || lines(watcher, words) == expected);
}

#[test]
fn waiters_for_rows_and_schema_changes_are_no_longer_said_to_execute() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let (mut holder, mut waiter, mut watcher) =
        (session(&server), session(&server), session(&server));
    holder.query("CREATE DATABASE d").unwrap();
    holder.query("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)").unwrap();
    holder.query("INSERT INTO d.t VALUES (1, 1)").unwrap();
    holder.query("BEGIN").unwrap();
    holder.query("UPDATE d.t SET v = 2 WHERE id = 1").unwrap();

    waiter.send_query("UPDATE d.t SET v = 3 WHERE id = 1").unwrap();
    wait_for(&mut watcher, "SET v = 3", "Waiting for row lock");
    let mut altering = session(&server);
    altering.send_query("ALTER TABLE d.t ADD COLUMN w INT").unwrap();
    wait_for(&mut watcher, "ADD COLUMN", "Waiting for table metadata lock");
    let mut kept_out = session(&server);
    kept_out.send_query("INSERT INTO d.t (id, v) VALUES (2, 2)").unwrap();
    wait_for(&mut watcher, "INSERT INTO", "Waiting for table metadata lock");

    holder.query("COMMIT").unwrap();
    for waited in [&mut waiter, &mut altering, &mut kept_out] {
        // A statement that met the change may be told to begin again; it has ended in any case.
        let _ = waited.result();
    }
    let left = lines(&mut watcher, "d.t");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn who_sleeps_or_waits_for_a_name_is_no_longer_said_to_execute() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let (mut holder, mut waiter, mut sleeper, mut watcher) =
        (session(&server), session(&server), session(&server), session(&server));
    holder.query("SELECT GET_LOCK('name', 0)").unwrap();
    waiter.send_query("SELECT GET_LOCK('name', 3600)").unwrap();
    wait_for(&mut watcher, "'name', 3600", "User lock");
    sleeper.send_query("SELECT SLEEP(3600)").unwrap();
    wait_for(&mut watcher, "SLEEP(3600)", "User sleep");
    let rows = watcher.query("SHOW PROCESSLIST").unwrap();
    let row = rows.iter().find(|row| row[6].as_deref() == Some("User sleep")).unwrap();
    let id = row[0].clone().unwrap();
    watcher.query(&format!("KILL QUERY {id}")).unwrap();
    holder.query("SELECT RELEASE_LOCK('name')").unwrap();
    assert_eq!(waiter.result().unwrap()[0][0].as_deref(), Some("1"));
    assert_eq!(sleeper.result().unwrap()[0][0].as_deref(), Some("1"));
}

#[test]
fn an_analytic_query_is_no_longer_asleep_while_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let (mut querying, mut watcher) = (session(&server), session(&server));
    querying.query("CREATE DATABASE d").unwrap();
    querying.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    let values: Vec<String> = (0..400).map(|id| format!("({id})")).collect();
    querying.query(&format!("INSERT INTO d.t VALUES {}", values.join(","))).unwrap();
    let id = querying.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
    // So many combinations that it lasts until it is killed.
    let text =
        "SELECT SUM(a.id + b.id * c.id) FROM d.t a, d.t b, d.t c, d.t e WHERE a.id < b.id + e.id";
    querying.send_query(text).unwrap();
    wait_for(&mut watcher, "a.id < b.id", "executing");
    let row = watcher.query("SHOW PROCESSLIST").unwrap();
    let row = row.iter().find(|row| row[0].as_deref() == Some(&id)).unwrap();
    assert!(row[7].as_deref().unwrap().starts_with("SELECT SUM(a.id"), "{row:?}");
    watcher.query(&format!("KILL QUERY {id}")).unwrap();
    assert!(querying.result().is_err(), "it was killed");
    wait_until("it sleeps", || {
        let rows = watcher.query("SHOW PROCESSLIST").expect("a list");
        let row = rows.iter().find(|row| row[0].as_deref() == Some(&id)).expect("connected");
        row[4].as_deref() == Some("Sleep") && row[7].is_none()
    });
}

#[test]
fn a_killed_connection_in_sleep_was_answered_with_a_row_and_success() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let (mut sleeper, mut watcher) = (session(&server), session(&server));
    let id = sleeper.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
    sleeper.send_query("SELECT SLEEP(1000)").unwrap();
    wait_for(&mut watcher, "SLEEP(1000)", "User sleep");
    watcher.query(&format!("KILL QUERY {id}")).unwrap();
    assert_eq!(sleeper.result().unwrap(), [[Some("1".to_owned())]], "as MySQL's");
    for text in ["SELECT SLEEP(1000)", "DO SLEEP(1000)"] {
        let mut sleeper = session(&server);
        let id = sleeper.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
        sleeper.send_query(text).unwrap();
        wait_for(&mut watcher, "SLEEP(1000)", "User sleep");
        watcher.query(&format!("KILL {id}")).unwrap();
        let answer = sleeper.result();
        assert!(matches!(answer, Err(Failure::Error { number: 1317, .. })), "{text}: {answer:?}");
        let next = sleeper.query("SELECT 1");
        assert!(matches!(next, Err(Failure::Gone(_))), "{text}: {next:?}");
    }
}
