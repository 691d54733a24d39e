//! A table as a queue of jobs, as job servers of web frameworks have one: clients take a job each,
//! do it and put in others. Each job is done once, and nobody is told of a deadlock, since nobody
//! waits for two others.

use std::thread;

use crate::mysql::Mysql;
use crate::support::Running;
use crate::writers::login;

const CLIENTS: u64 = 8;
/// Jobs that there are at first, and those that each client puts in.
const JOBS: u64 = 400;
const JOBS_OF_CLIENT: u64 = 100;

const NEW_JOB: &str = "INSERT INTO d.q (state, kind) VALUES (0, 1)";

/// How a client takes a job, and perhaps puts one in; the number of the one that it has.
type Take = fn(&mut Mysql, u64, bool) -> Option<String>;

fn only(rows: Vec<Vec<Option<String>>>) -> Option<String> {
    rows.into_iter().next().map(|mut row| row.remove(0).expect("a number"))
}

fn take_by(select: &str, sql: &mut Mysql, client: u64, puts_in: bool) -> Option<String> {
    sql.execute("BEGIN").unwrap();
    let job = only(sql.query(select).unwrap());
    if let Some(job) = &job {
        let done = format!("UPDATE d.q SET state = 1, owner = {client} WHERE id = {job}");
        assert_eq!(sql.execute(&done).unwrap(), 1);
    }
    if puts_in {
        sql.execute(NEW_JOB).unwrap();
    }
    sql.execute("COMMIT").unwrap();
    job
}

fn take_what_is_free(sql: &mut Mysql, client: u64, puts_in: bool) -> Option<String> {
    let free = "SELECT id FROM d.q WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
    take_by(free, sql, client, puts_in)
}

fn take_the_first(sql: &mut Mysql, client: u64, puts_in: bool) -> Option<String> {
    let first = "SELECT id FROM d.q WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE";
    take_by(first, sql, client, puts_in)
}

fn take_of_a_kind(sql: &mut Mysql, client: u64, puts_in: bool) -> Option<String> {
    let joined = "SELECT q.id FROM d.q JOIN d.kinds USING (kind) WHERE q.state = 0 AND is_open \
                  ORDER BY q.id LIMIT 1 FOR UPDATE OF q SKIP LOCKED";
    take_by(joined, sql, client, puts_in)
}

/// One statement that is a transaction of its own.
fn take_by_update(sql: &mut Mysql, client: u64, puts_in: bool) -> Option<String> {
    let update = format!(
        "UPDATE d.q SET state = 1, owner = {client}, id = LAST_INSERT_ID(id) WHERE state = 0 \
         ORDER BY id LIMIT 1"
    );
    let job = match sql.execute(&update).unwrap() {
        0 => None,
        _ => only(sql.query("SELECT LAST_INSERT_ID()").unwrap()),
    };
    if puts_in {
        sql.execute(NEW_JOB).unwrap();
    }
    job
}

/// What a client has done; it also puts jobs in.
fn work(server: &Running, client: u64, take: Take) -> Vec<String> {
    let mut sql = login(server);
    let mut done = Vec::new();
    for put_in in 1.. {
        let puts_in = put_in <= JOBS_OF_CLIENT;
        match take(&mut sql, client, puts_in) {
            Some(job) => done.push(job),
            None if !puts_in => break,
            None => {}
        }
    }
    done
}

#[test]
fn each_job_of_a_queue_was_done_once_and_nobody_was_told_of_a_deadlock() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--durability=every-second"]);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    sql.execute("CREATE TABLE d.kinds (kind INT PRIMARY KEY, is_open BOOL)").unwrap();
    sql.execute("INSERT INTO d.kinds VALUES (1, TRUE)").unwrap();
    for take in [take_what_is_free, take_the_first, take_of_a_kind, take_by_update] {
        sql.execute("DROP TABLE IF EXISTS d.q").unwrap();
        let table = "CREATE TABLE d.q (id INT AUTO_INCREMENT PRIMARY KEY, state INT NOT NULL, \
                     kind INT, owner INT, KEY (state))";
        sql.execute(table).unwrap();
        let jobs = vec!["(0, 1)"; JOBS as usize].join(", ");
        sql.execute(&format!("INSERT INTO d.q (state, kind) VALUES {jobs}")).unwrap();
        let mut done: Vec<String> = thread::scope(|scope| {
            let server = &server;
            let clients: Vec<_> = (1..=CLIENTS)
                .map(|client| scope.spawn(move || work(server, client, take)))
                .collect();
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        });
        let all = JOBS + CLIENTS * JOBS_OF_CLIENT;
        assert_eq!(done.len() as u64, all);
        done.sort_unstable();
        done.dedup();
        assert_eq!(done.len() as u64, all);
        let left = sql.query("SELECT COUNT(*) FROM d.q WHERE state = 0 OR owner IS NULL").unwrap();
        assert_eq!(only(left).as_deref(), Some("0"));
    }
    drop(sql);
    server.stop();
}
