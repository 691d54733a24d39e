//! Digests of requests at every door, counted while many clients ask at once; slow requests by key
//! in the slow log.
//!
//! Not here: digests of SQL's shapes (`sql`, `statement_history`), their cost (crate `lab`).

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use crate::mysql::Mysql;
use crate::support::{Running, ask_line, wait_until};

const CLIENTS: u64 = 64;
const ROUNDS: u64 = 50;
const SUMMARY: &str = "performance_schema.events_statements_summary_by_digest";

/// How often each digest was seen whose text is like this.
fn counts(sql: &mut Mysql, like: &str) -> BTreeMap<String, u64> {
    let query =
        format!("SELECT digest_text, count_star FROM {SUMMARY} WHERE digest_text LIKE '{like}'");
    let cell = |cell: &Option<String>| cell.clone().unwrap();
    let rows = sql.query(&query).unwrap();
    rows.iter().map(|row| (cell(&row[0]), cell(&row[1]).parse().unwrap())).collect()
}

/// A request, `ROUNDS` of them in one piece, with an answer of so many bytes each.
fn ask_many(server: &Running, door: &str, begin: (&str, usize), request: &[u8], answer: usize) {
    let mut client = server.connect(door);
    client.write_all(begin.0.as_bytes()).unwrap();
    client.read_exact(&mut vec![0; begin.1]).unwrap();
    client.write_all(&request.repeat(ROUNDS as usize)).unwrap();
    client.read_exact(&mut vec![0; answer * ROUNDS as usize]).unwrap();
}

#[test]
fn digests_count_the_requests_of_many_clients_at_every_door() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.run("CREATE DATABASE house");
    sql.run("CREATE TABLE house.user (id INT PRIMARY KEY, v VARCHAR(9), KEY by_v (v))");
    sql.run("INSERT INTO house.user VALUES (1, 'a')");
    let mut item = server.connect("memcached");
    assert_eq!(ask_line(&mut item, "set k 0 0 1\r\nv\r\n"), "STORED\r");
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                let answer = "VALUE k 0 1\r\nv\r\nEND\r\n".len();
                ask_many(server, "memcached", ("", 0), b"get k\r\n", answer);
                ask_many(server, "memcached", ("", 0), b"get k k none\r\n", answer + 16);
                let put = [&[0xc8, 0x10, 0, 0, 0, 1, 0, 0, 0, 1][..], b"kv"].concat();
                ask_many(server, "tyrant", ("", 0), &put, 1);
                let open = ("P\t1\thouse\tuser\tby_v\tid,v\n", 4);
                ask_many(server, "handlersocket", open, b"1\t=\t1\ta\n", "0\t2\t1\ta\n".len());
                let mut sql = Mysql::login(server.connect("mysql")).unwrap();
                for _ in 0..ROUNDS {
                    sql.query("SELECT v FROM house.user WHERE id = 1").unwrap();
                }
            });
        }
    });
    let all = CLIENTS * ROUNDS;
    let expected = [
        ("handlersocket find house.user.by_v", all),
        ("memcached get kv.cache", 2 * all),
        ("memcached set kv.cache", 1),
        ("tyrant put tyrant.records", all),
    ];
    let expected: BTreeMap<String, u64> =
        expected.into_iter().map(|(text, count)| (text.to_owned(), count)).collect();
    // A reply may be read before its loop has noted that it has left.
    wait_until("all requests to be counted", || {
        let mut found = counts(&mut sql, "memcached %");
        found.extend(counts(&mut sql, "handlersocket %"));
        found.extend(counts(&mut sql, "tyrant %"));
        assert!(found.iter().all(|(text, count)| *count <= expected[text]), "{found:?}");
        found == expected
    });
    let look_ups = counts(&mut sql, "SELECT `v` FROM `house`%");
    assert_eq!(look_ups.into_values().collect::<Vec<_>>(), [all]);
    let figures = format!(
        "SELECT schema_name, sum_timer_wait > 0, min_timer_wait <= max_timer_wait, sum_errors, \
         quantile_99 BETWEEN min_timer_wait AND max_timer_wait, first_seen <= last_seen \
         FROM {SUMMARY} WHERE digest_text = 'memcached get kv.cache'"
    );
    let figures = sql.query(&figures).unwrap();
    assert_eq!(figures, [["kv", "1", "1", "0", "1", "1"].map(|text| Some(text.to_owned()))]);
    // Digests that are forgotten begin again, also for connections that are open.
    assert_eq!(ask_line(&mut item, "get none\r\n"), "END\r");
    sql.run(&format!("TRUNCATE TABLE {SUMMARY}"));
    assert_eq!(ask_line(&mut item, "get none\r\n"), "END\r");
    wait_until("the request to be counted", || {
        counts(&mut sql, "memcached %").get("memcached get kv.cache") == Some(&1)
    });
}

#[test]
fn without_performance_schema_nothing_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--performance-schema=off"]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    assert_eq!(ask_line(&mut server.connect("memcached"), "get none\r\n"), "END\r");
    assert!(counts(&mut sql, "%").is_empty());
    let variable = sql.query("SELECT @@performance_schema").unwrap();
    assert_eq!(variable, [[Some("0".to_owned())]]);
}

#[test]
fn slow_requests_by_key_are_logged_and_those_that_are_denied_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--slow-query-log=on", "--long-query-time=1h", "--memcached-user=none"];
    let server = Running::start(directory.path(), &flags);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.run("CREATE USER app IDENTIFIED BY 'word'");
    sql.run("GRANT SELECT ON kv.* TO app");
    let mut client = server.connect("memcached");
    assert_eq!(ask_line(&mut client, "set x 0 0 8\r\napp word\r\n"), "STORED\r");
    assert_eq!(ask_line(&mut client, "get quick\r\n"), "END\r");
    assert!(ask_line(&mut client, "set k 0 0 1\r\nv\r\n").contains("denied"));
    sql.run("SET GLOBAL long_query_time = 0");
    assert_eq!(ask_line(&mut client, "get secret-key\r\n"), "END\r");
    let path = directory.path().join("slow.log");
    let text = || std::fs::read_to_string(&path).unwrap_or_default();
    wait_until("the entry", || text().contains(";\nmemcached get kv.cache;\n"));
    let text = text();
    assert_eq!(text.matches("memcached get kv.cache").count(), 1, "{text}");
    assert!(text.contains("\n# User@Host: app[app] @ localhost []  Id:"), "{text}");
    assert!(!text.contains("secret-key"), "{text}");
    let errors =
        format!("SELECT digest_text, sum_errors FROM {SUMMARY} WHERE digest_text LIKE 'mem%set%'");
    let expected = [["memcached set kv.cache", "1"].map(|text| Some(text.to_owned()))];
    assert_eq!(sql.query(&errors).unwrap(), expected);
}
