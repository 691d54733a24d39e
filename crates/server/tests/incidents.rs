//! Incidents as an operator meets them: for each, the page, SQL or the metrics name the culprit.
//!
//! Not here: what the server does about them (`memory`, `failing_disk`, `lock_waits` and others).

use std::io::{Read as _, Write as _};

use faults::{Fault, Layer};
use serde_json::Value;

use crate::loads;
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, read_all, wait_until};

/// A server that is watched from outside.
struct WatchedServer {
    server: Running,
    _directory: tempfile::TempDir,
}

impl WatchedServer {
    fn start(more: &[&str]) -> WatchedServer {
        let directory = tempfile::tempdir().unwrap();
        let flags = [&["--admin-port=auto", "--metrics-port=auto"], more].concat();
        let server = Running::start(directory.path(), &flags);
        WatchedServer { server, _directory: directory }
    }

    fn session(&self) -> Mysql {
        Mysql::login(self.server.connect("mysql")).unwrap()
    }

    fn get(&self, door: &str, path: &str, headers: &str) -> String {
        let mut stream = self.server.connect(door);
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let answer = String::from_utf8(read_all(&mut stream)).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {head}");
        body.to_owned()
    }

    /// A view of the page, as root.
    fn view(&self, name: &str) -> Value {
        let login = "Authorization: Basic cm9vdDo=\r\n";
        serde_json::from_str(&self.get("page", &format!("/api/{name}"), login)).unwrap()
    }

    /// Rows of a part of a view, by the names of its columns.
    fn rows(&self, view: &str, part: &str) -> Vec<Value> {
        let said = self.view(view);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| panic!("{said}"));
        let names = list(&said[part]["columns"]);
        let named = |row: Value| {
            let cells = names.iter().zip(list(&row));
            cells.map(|(name, cell)| (name.as_str().unwrap().to_ascii_lowercase(), cell)).collect()
        };
        list(&said[part]["rows"]).into_iter().map(named).collect()
    }

    /// What the page says is wrong.
    fn troubles(&self) -> String {
        self.view("now")["troubles"].to_string()
    }

    /// The value of a metric's line.
    fn metric(&self, name: &str) -> f64 {
        let text = self.get("metrics", "/metrics", "");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    }
}

fn value(sql: &mut Mysql, query: &str) -> String {
    sql.query(query).unwrap().into_iter().flatten().flatten().next().unwrap_or_default()
}

#[test]
fn a_forgotten_transaction_is_named_with_what_ends_it() {
    let watched = WatchedServer::start(&[]);
    let (mut holder, mut waiter, mut operator) =
        (watched.session(), watched.session(), watched.session());
    holder.run("CREATE DATABASE d");
    holder.run("CREATE TABLE d.t (id INT PRIMARY KEY, n INT)");
    holder.run("INSERT INTO d.t VALUES (7, 1)");
    let culprit = value(&mut holder, "SELECT CONNECTION_ID()");
    holder.run("BEGIN");
    holder.run("UPDATE d.t SET n = 2 WHERE id = 7");
    let waiting = std::thread::spawn(move || waiter.query("UPDATE d.t SET n = 3 WHERE id = 7"));
    wait_until("the page to name it", || {
        let waits = watched.rows("waiting", "waits");
        waits.iter().any(|wait| wait["blocking_thread_id"] == *culprit)
    });
    let connections = watched.rows("waiting", "connections");
    let line = connections.iter().find(|line| line["id"] == *culprit).unwrap();
    assert_eq!(line["command"], "Sleep", "{line}");
    assert_eq!(line["user"], "root", "{line}");
    let did = "UPDATE d.t SET n = 2 WHERE id = 7";
    let last = watched.rows("waiting", "last");
    assert_eq!(
        (&last[0]["thread_id"], &last[0]["sql_text"]),
        (&culprit.clone().into(), &did.into())
    );
    let idle = format!(
        "SELECT trx_state, trx_query IS NULL, trx_rows_modified FROM information_schema.innodb_trx \
         WHERE trx_mysql_thread_id = {culprit}"
    );
    let idle = operator.query(&idle).unwrap();
    assert_eq!(idle, [["RUNNING", "1", "1"].map(|text| Some(text.to_owned()))]);
    let current = format!(
        "SELECT sql_text, event_name, end_event_id = event_id, rows_affected FROM \
         performance_schema.events_statements_current WHERE thread_id = {culprit}"
    );
    let current = operator.query(&current).unwrap();
    let expected = [did, "statement/sql/update", "1", "1"];
    assert_eq!(current, [expected.map(|text| Some(text.to_owned()))]);
    let session =
        format!("SELECT last_statement, trx_state FROM sys.session WHERE conn_id = {culprit}");
    let session = operator.query(&session).unwrap();
    assert_eq!(session, [[did, "ACTIVE"].map(|text| Some(text.to_owned()))]);
    assert_eq!(watched.metric("rowhouse_row_lock_waiters"), 1.0);
    let said = operator
        .query(
            "SELECT locked_table, locked_index, waiting_query, blocking_pid, \
             sql_kill_blocking_connection FROM sys.innodb_lock_waits",
        )
        .unwrap();
    let kill = format!("KILL {culprit}");
    let expected = ["`d`.`t`", "PRIMARY", "UPDATE d.t SET n = 3 WHERE id = 7", &culprit, &kill];
    assert_eq!(said, [expected.map(|text| Some(text.to_owned()))]);
    operator.query(&kill).unwrap();
    waiting.join().unwrap().expect("nobody holds the lock any more");
    wait_until("nobody to wait", || watched.rows("waiting", "waits").is_empty());
    assert_eq!(watched.metric("rowhouse_row_lock_waiters"), 0.0);
}

#[test]
fn an_alter_that_waits_names_the_transaction_that_keeps_the_definition() {
    let watched = WatchedServer::start(&[]);
    let (mut holder, mut waiter, mut operator) =
        (watched.session(), watched.session(), watched.session());
    holder.run("CREATE DATABASE d");
    holder.run("CREATE TABLE d.t (id INT PRIMARY KEY, n INT)");
    holder.run("INSERT INTO d.t VALUES (7, 1)");
    holder.run("BEGIN");
    holder.run("UPDATE d.t SET n = 2 WHERE id = 7");
    let culprit = value(&mut holder, "SELECT CONNECTION_ID()");
    let waiting = std::thread::spawn(move || waiter.query("DROP TABLE d.t"));
    wait_until("the page to name it", || {
        let waits = watched.rows("waiting", "definitions");
        waits.iter().any(|wait| wait["blocking_thread_id"] == *culprit)
    });
    let said = operator
        .query(
            "SELECT object_name, waiting_query, blocking_pid, sql_kill_blocking_connection FROM \
             sys.schema_table_lock_waits",
        )
        .unwrap();
    let kill = format!("KILL {culprit}");
    let expected = ["t", "DROP TABLE d.t", &culprit, &kill];
    assert_eq!(said, [expected.map(|text| Some(text.to_owned()))]);
    let locks = "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE lock_status = ";
    assert_eq!(value(&mut operator, &format!("{locks}'GRANTED'")), "1");
    assert_eq!(value(&mut operator, &format!("{locks}'PENDING'")), "1");
    operator.query(&kill).unwrap();
    waiting.join().unwrap().expect("nobody keeps it any more");
}

#[test]
fn a_query_without_an_index_is_the_one_that_looks_at_most_rows() {
    let watched = WatchedServer::start(&[]);
    let mut sql = watched.session();
    sql.run("CREATE DATABASE d");
    sql.run("SET GLOBAL slow_query_log = 1");
    sql.run("SET SESSION long_query_time = 0");
    sql.run(
        "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, m INT, pad INT, KEY by_m (m), \
         KEY by_mn (m, n))",
    );
    sql.run(
        "INSERT INTO d.t WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i + 1 FROM r WHERE \
         i < 900) SELECT i, i, i, i FROM r",
    );
    for id in 1..=20 {
        assert_eq!(value(&mut sql, &format!("SELECT m FROM d.t WHERE id = {id}")), id.to_string());
    }
    assert_eq!(value(&mut sql, "SELECT pad FROM d.t WHERE n = 70"), "70");
    let statements = watched.rows("statements", "statements");
    let examined = |words: &str| -> u64 {
        let row = statements.iter().find(|row| row["digest_text"] == words);
        let row = row.unwrap_or_else(|| panic!("{words} in {statements:?}"));
        row["sum_rows_examined"].as_str().unwrap().parse().unwrap()
    };
    assert_eq!(examined("SELECT `m` FROM `d` . `t` WHERE `id` = ?"), 20);
    assert_eq!(examined("SELECT `pad` FROM `d` . `t` WHERE `n` = ?"), 900);
    let most = "SELECT query FROM sys.statement_analysis WHERE rows_examined_avg > 500 AND \
                rows_sent > 0 AND query LIKE 'SELECT%'";
    assert_eq!(value(&mut sql, most), "SELECT `pad` FROM `d` . `t` WHERE `n` = ?");
    let log = watched.server.data_dir.join("slow.log");
    wait_until("the slow log", || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let head = "Rows_sent: 1  Rows_examined: 900\n";
        text.split("# Time").any(|entry| entry.contains(head) && entry.contains("WHERE n = 70"))
    });
    // Neither of its indexes was of use, and one of them is needless.
    let unused = watched.rows("tables", "unused");
    let names: Vec<_> = unused.iter().map(|row| row["index_name"].clone()).collect();
    assert_eq!(names, ["by_m", "by_mn"]);
    assert_eq!(watched.rows("tables", "redundant")[0]["redundant_index_name"], "by_m");
    assert_eq!(value(&mut sql, "SELECT COUNT(*) FROM d.t FORCE INDEX (by_mn) WHERE m = 3"), "1");
    let unused = watched.rows("tables", "unused");
    assert_eq!(unused.len(), 1, "{unused:?}");
    let uses = "SELECT COUNT_STAR > 0 FROM performance_schema.table_io_waits_summary_by_index_usage \
                WHERE OBJECT_NAME = 't' AND INDEX_NAME = ";
    assert_eq!(value(&mut sql, &format!("{uses}'by_mn'")), "1");
    assert_eq!(value(&mut sql, &format!("{uses}'by_m'")), "0");
}

#[test]
fn a_full_disk_is_said_with_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let flags = ["--admin-port=auto", "--metrics-port=auto", "--durability=every-commit"];
    let server = Running::start_beneath(&layer, &data_dir, &flags);
    let watched = WatchedServer { server, _directory: directory };
    assert_eq!(watched.troubles(), "[]");
    layer.fail(Fault::NoSpace).unwrap();
    let mut client = watched.server.connect("memcached");
    let refused = ask_line(&mut client, "set k 0 0 1\r\nv\r\n");
    assert!(refused.contains("disk full"), "{refused}");
    wait_until("the page to say so", || watched.troubles().contains("The disk is full"));
    assert!(watched.troubles().contains("Free some, or grow it"), "{}", watched.troubles());
    assert_eq!(watched.metric("rowhouse_disk_is_full"), 1.0);
    layer.fail(Fault::None).unwrap();
    wait_until("space to be found", || watched.troubles() == "[]");
}

#[test]
fn who_holds_most_of_the_memory_is_seen() {
    let watched = WatchedServer::start(&[]);
    // As much as one connection gets, and then others until next to nothing is left.
    let fill = |sql: &mut Mysql, bytes: usize| {
        let mut number = 0;
        loop {
            number += 1;
            match sql.query(&format!("SET @v{number} = REPEAT('x', {bytes})")) {
                Ok(_) => {}
                Err(Failure::Error { number: 1041, .. }) => return,
                Err(other) => panic!("{other}"),
            }
        }
    };
    let mut hog = watched.session();
    let culprit = value(&mut hog, "SELECT CONNECTION_ID()");
    fill(&mut hog, 400_000);
    let most = watched.metric("rowhouse_client_memory_max_bytes");
    let used = || watched.metric("rowhouse_client_memory_bytes");
    let mut others = Vec::new();
    while used() < most * 0.83 && others.len() < 20 {
        let mut other = watched.session();
        fill(&mut other, 50_000);
        others.push(other);
    }
    let mut connections = watched.rows("waiting", "connections");
    let memory = |line: &Value| line["memory_used"].as_str().unwrap().parse::<u64>().unwrap();
    connections.sort_by_key(|line| std::cmp::Reverse(memory(line)));
    assert_eq!(connections[0]["id"], *culprit, "{connections:?}");
    assert!(used() > most * 0.81, "{} of {most}", used());
    assert!(watched.troubles().contains("of their memory: see Waiting"), "{}", watched.troubles());
}

#[test]
fn a_hot_key_is_named_whatever_door_it_is_asked_at() {
    let watched = WatchedServer::start(&[]);
    let mut client = watched.server.connect("memcached");
    assert_eq!(ask_line(&mut client, "set celebrity 0 0 1\r\nv\r\n"), "STORED\r");
    assert_eq!(watched.metric("rowhouse_hot_key_percent"), 0.0);
    // Nine of ten are for one key.
    let mut requests = String::new();
    for number in 0..500 {
        requests += &"get celebrity\r\n".repeat(9);
        requests += &format!("get other{number}\r\n");
    }
    let mut answers = vec![0; 500 * (9 * "VALUE celebrity 0 1\r\nv\r\nEND\r\n".len() + 5)];
    wait_until("the page to name it", || {
        client.write_all(requests.as_bytes()).unwrap();
        client.read_exact(&mut answers).unwrap();
        let hot = watched.rows("tables", "hot_keys");
        hot.first().is_some_and(|row| row["key_values"] == "(celebrity)")
    });
    let hot = &watched.rows("tables", "hot_keys")[0];
    assert_eq!(hot["table_schema"], "kv", "{hot}");
    assert_eq!(hot["table_name"], "cache", "{hot}");
    let percent: u64 = hot["percent"].as_str().unwrap().parse().unwrap();
    assert!(percent >= 50, "{percent}");
    assert!(watched.metric("rowhouse_hot_key_percent") >= 50.0);
}

#[test]
fn a_reader_that_does_not_read_is_seen_with_its_statement() {
    let watched = WatchedServer::start(&[]);
    let mut reader = watched.session();
    reader.run("CREATE DATABASE d");
    reader.run("CREATE TABLE d.t (id INT PRIMARY KEY, b VARCHAR(10000))");
    for id in 0..600 {
        reader.run(&format!("INSERT INTO d.t VALUES ({id}, REPEAT('x', 10000))"));
    }
    let culprit = value(&mut reader, "SELECT CONNECTION_ID()");
    // Some 36 MB.
    let asked = "SELECT slow_reader.b FROM d.t AS slow_reader JOIN (SELECT 1 UNION SELECT 2 UNION \
                 SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) x";
    reader.send_query(asked).unwrap();
    let line = || {
        let connections = watched.rows("waiting", "connections");
        connections.into_iter().find(|line| line["id"] == *culprit).unwrap()
    };
    wait_until("it to be seen", || line()["command"] == "Query");
    // It stays there, whatever time goes by: nobody reads.
    let mut seconds = 0;
    wait_until("a second", || {
        seconds = line()["time"].as_str().unwrap().parse::<u64>().unwrap();
        seconds >= 1
    });
    assert!(line()["info"].as_str().unwrap().contains("slow_reader"), "{}", line());
}

#[test]
fn a_storm_of_connections_is_said_and_counted() {
    let watched = WatchedServer::start(&["--max-connections=8"]);
    let clients: Vec<_> = (0..8).map(|_| watched.server.connect("memcached")).collect();
    for _ in 0..5 {
        let refused = read_all(&mut watched.server.connect("memcached"));
        assert_eq!(refused, b"ERROR Too many open connections\r\n");
    }
    assert!(watched.troubles().contains("raise `max-connections`"), "{}", watched.troubles());
    assert_eq!(watched.metric("rowhouse_connections_refused_total"), 5.0);
    assert_eq!(watched.metric("rowhouse_connections{door=\"memcached\"}"), 8.0);
    let lines = watched.view("now")["lines"].to_string();
    assert!(lines.contains("taken_from=127.0.0.1 8"), "{lines}");
    drop(clients);
    wait_until("places", || watched.troubles() == "[]");
}

#[test]
fn failing_logins_are_counted_at_their_door_and_told_with_the_user() {
    let watched = WatchedServer::start(&[]);
    watched.session().run("CREATE USER app IDENTIFIED BY 'right'");
    for _ in 0..3 {
        let refused = Mysql::login_as(watched.server.connect("mysql"), "app");
        assert!(matches!(refused, Err(Failure::Error { number: 1045, .. })));
    }
    assert_eq!(watched.metric("rowhouse_failed_logins_total{door=\"mysql\"}"), 3.0);
    assert_eq!(watched.view("now")["figures"]["mysql_failed_logins"], "3");
    wait_until("a line of the log", || {
        let lines = watched.view("now")["lines"].to_string();
        lines.contains("a login has failed") && lines.contains("app")
    });
}

#[test]
fn a_load_under_way_says_how_far_it_is() {
    let watched = WatchedServer::start(&[]);
    let (mut loader, mut watcher) = (loads::login(&watched.server), watched.session());
    watcher.run("CREATE DATABASE d");
    watcher.run("CREATE TABLE d.t (id INT PRIMARY KEY, n INT, s VARCHAR(100), KEY (n))");
    loads::begin(&mut loader, &mut watcher, 100_000);
    let running = watched.rows("work", "running");
    let load = running.iter().find(|line| line["info"] == loads::LOAD);
    let load = load.unwrap_or_else(|| panic!("{running:?}"));
    assert!(load["state"].as_str().unwrap().contains("reading"), "{load}");
    loads::finish(&mut loader);
    assert_eq!(value(&mut watcher, "SELECT COUNT(*) FROM d.t"), "100000");
}

#[test]
fn an_event_that_fails_is_named_with_its_error() {
    let watched = WatchedServer::start(&[]);
    let mut sql = watched.session();
    sql.run("CREATE DATABASE d");
    sql.run("CREATE TABLE d.t (id INT PRIMARY KEY)");
    sql.run("INSERT INTO d.t VALUES (1)");
    sql.run(
        "CREATE EVENT d.nightly ON SCHEDULE AT NOW() ON COMPLETION PRESERVE DO INSERT INTO d.t \
         VALUES (1)",
    );
    sql.run("SET GLOBAL event_scheduler = ON");
    let event = || watched.rows("work", "events").into_iter().next().unwrap();
    wait_until("it to fail", || event()["failures"] == "1");
    let event = event();
    assert_eq!(event["event_name"], "nightly", "{event}");
    assert_eq!(event["runs"], "1", "{event}");
    assert_eq!(event["last_error_number"], "1062");
    assert!(event["last_error"].as_str().unwrap().contains("Duplicate entry"), "{event}");
    wait_until("a line of the log", || {
        let lines = watched.view("now")["lines"].to_string();
        lines.contains("nightly") && lines.contains("Duplicate entry")
    });
}
