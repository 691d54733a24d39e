//! The operator's page over HTTP: who gets in, who sees what, and what pages of others get.
//!
//! Not here: how it looks and is used (`tests/clients/page.py`, in a browser).

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::mysql::{Mysql, Rows};
use crate::support::{Running, figure, read_all, wait_until};

/// A server with the page, and SQL as root.
struct Place {
    server: Running,
    sql: Mysql,
    directory: tempfile::TempDir,
}

fn open() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--admin-port=auto"]);
    let sql = Mysql::login(server.connect("mysql")).unwrap();
    Place { server, sql, directory }
}

fn login(user: &str, password: &str) -> String {
    let coded = values::codes::to_base64(format!("{user}:{password}").as_bytes(), None);
    format!("Authorization: Basic {}\r\n", String::from_utf8(coded).unwrap())
}

impl Place {
    /// The status and body of an answer to a request with further headers.
    fn ask(&self, line: &str, headers: &str, body: &str) -> (u16, String) {
        let (head, body) = self.ask_whole(line, headers, body);
        (head["HTTP/1.1 ".len()..][..3].parse().unwrap(), body)
    }

    fn ask_whole(&self, line: &str, headers: &str, body: &str) -> (String, String) {
        let mut stream = self.server.connect("page");
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let answer = String::from_utf8(read_all(&mut stream)).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.to_owned(), body.to_owned())
    }

    fn view(&self, name: &str, login: &str) -> Value {
        let (status, body) = self.ask(&format!("GET /api/{name}"), login, "");
        assert_eq!(status, 200, "{name}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn order(&self, name: &str, login: &str, order: &Value) -> Value {
        let headers = format!("{login}Content-Type: application/json\r\n");
        let (_, body) = self.ask(&format!("POST /api/{name}"), &headers, &order.to_string());
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{name}: {error}: {body}"))
    }

    fn rows(&mut self, text: &str) -> Rows {
        self.sql.query(text).unwrap()
    }
}

#[test]
fn nobody_sees_anything_without_a_login_and_failures_are_counted() {
    let place = open();
    for path in ["/", "/page.js", "/api/now", "/api/nothing", "/nothing"] {
        let (head, body) = place.ask_whole(&format!("GET {path}"), "", "");
        assert!(head.starts_with("HTTP/1.1 401 "), "{path}: {head}");
        assert!(head.contains("\r\nWWW-Authenticate: Basic realm="), "{head}");
        assert!(!body.contains("rowhouse"), "{body}");
    }
    assert_eq!(figure(place.directory.path(), "page_failed_logins"), 0, "nobody has tried");
    assert_eq!(place.ask("GET /api/now", &login("root", "wrong"), "").0, 401);
    assert_eq!(place.ask("GET /api/now", "Authorization: Basic x\r\n", "").0, 401);
    assert_eq!(figure(place.directory.path(), "page_failed_logins"), 2);
    let (head, body) = place.ask_whole("GET /", &login("root", ""), "");
    assert!(head.starts_with("HTTP/1.1 200 ") && body.contains("<title>Rowhouse</title>"));
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'",
        "X-Frame-Options: DENY",
        "X-Content-Type-Options: nosniff",
        "Cross-Origin-Resource-Policy: same-origin",
    ] {
        assert!(head.contains(header), "{header} in {head}");
    }
    assert_eq!(place.server.stop().code(), Some(0));
}

#[test]
fn each_view_shows_what_sql_and_the_server_say() {
    let mut place = open();
    place.rows("CREATE DATABASE d");
    place.rows("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a), KEY kab (a, b))");
    place.rows("INSERT INTO d.t VALUES (1, 2, 3)");
    place.rows("CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO DELETE FROM d.t WHERE id = 7");
    let root = login("root", "");
    // A request is counted when its answer is on its way.
    let mut now = place.view("now", &root);
    wait_until("four requests to be counted", || {
        now = place.view("now", &root);
        let counts = now["latencies"]["mysql"].as_array().unwrap();
        let requests = now["figures"]["mysql_requests"].as_str().unwrap();
        counts.iter().map(|count| count.as_u64().unwrap()).sum::<u64>() >= 4
            && requests.parse::<u64>().unwrap() >= 4
    });
    assert_eq!(now["user"], "root");
    assert_eq!(now["bounds"].as_array().unwrap().len() + 1, 21);
    let has = |view: &Value, part: &str, words: &[&str]| {
        let rows = view[part]["rows"].as_array().unwrap_or_else(|| panic!("{part}: {view}"));
        let texts = rows.iter().map(Value::to_string);
        let found = texts.filter(|row| words.iter().all(|word| row.contains(word))).count();
        assert!(found > 0, "{part} lacks {words:?}: {view}");
    };
    has(&place.view("statements", &root), "statements", &["INSERT INTO `d`", "VALUES (1, 2, 3)"]);
    let waiting = place.view("waiting", &root);
    has(&waiting, "connections", &["root", "localhost"]);
    assert!(waiting["waits"]["rows"].is_array(), "{waiting}");
    let tables = place.view("tables", &root);
    has(&tables, "tables", &["\"d\"", "\"t\""]);
    has(&tables, "redundant", &["\"ka\"", "\"kab\""]);
    let work = place.view("work", &root);
    has(&work, "events", &["\"e\"", "DAY"]);
    assert!(work["running"]["rows"].is_array(), "{work}");
    has(&place.view("settings", &root), "settings", &["admin-port", "auto", "--admin-port"]);
    has(&place.view("settings", &root), "settings", &["durability", "default"]);
    has(&place.view("variables", &root), "variables", &["max_connections"]);
    let unknown = place.ask("GET /api/users", &root, "");
    assert_eq!(unknown.0, 404);
}

#[test]
fn figures_need_process_and_the_console_has_the_users_own_rights() {
    let mut place = open();
    place.rows("CREATE DATABASE d");
    place.rows("CREATE TABLE d.t (id INT PRIMARY KEY)");
    place.rows("CREATE TABLE d.secret (id INT PRIMARY KEY)");
    place.rows("INSERT INTO d.t VALUES (7)");
    place.rows("CREATE USER app IDENTIFIED BY 'pass:word'");
    place.rows("GRANT SELECT, INSERT ON d.t TO app");
    let app = login("app", "pass:word");
    for view in ["now", "settings", "statements", "variables"] {
        let (status, body) = place.ask(&format!("GET /api/{view}"), &app, "");
        assert_eq!(status, 403, "{view}: {body}");
        assert!(body.contains("PROCESS"), "{body}");
    }
    let asked = place.order("console", &app, &json!({ "sql": "SELECT id, NULL FROM d.t" }));
    assert_eq!(asked["rows"], json!([["7", null]]), "{asked}");
    let other = place.order("console", &app, &json!({ "sql": "SELECT * FROM d.secret" }));
    assert_eq!(other["code"], 1142, "{other}");
    let plan = place.order(
        "console",
        &app,
        &json!({ "sql": "SELECT * FROM t", "database": "d", "explain": true }),
    );
    assert!(plan["rows"][0][0].as_str().is_some_and(|line| line.contains("-> ")), "{plan}");
    // What writes is no query, and one that would write all the same may not.
    for sql in ["INSERT INTO d.t VALUES (8)", "DROP TABLE d.t", "SET GLOBAL long_query_time = 1"] {
        let refused = place.order("console", &app, &json!({ "sql": sql }));
        assert!(refused["error"].is_string(), "{sql}: {refused}");
    }
    let root = login("root", "");
    let analyzed = "EXPLAIN ANALYZE DELETE FROM d.t";
    place.order("console", &root, &json!({ "sql": analyzed }));
    assert_eq!(place.rows("SELECT COUNT(*) FROM d.t")[0][0].as_deref(), Some("1"));
    // A revoke holds for the next request.
    place.rows("GRANT PROCESS ON *.* TO app");
    assert_eq!(place.ask("GET /api/now", &app, "").0, 200);
    place.rows("REVOKE PROCESS ON *.* FROM app");
    assert_eq!(place.ask("GET /api/now", &app, "").0, 403);
}

#[test]
fn a_connection_is_ended_by_who_may_end_it() {
    let mut place = open();
    place.rows("CREATE USER app IDENTIFIED BY 'x'");
    let id = place.rows("SELECT CONNECTION_ID()")[0][0].clone().unwrap();
    let order = json!({ "id": id.parse::<u64>().unwrap() });
    let refused = place.order("kill", &login("app", "x"), &order);
    assert!(refused["error"].is_string(), "{refused}");
    assert_eq!(place.rows("SELECT 1").len(), 1);
    let done = place.order("kill", &login("root", ""), &order);
    assert_eq!(done["error"], Value::Null, "{done}");
    wait_until("the end of the connection", || place.sql.query("SELECT 1").is_err());
    let unknown = place.order("kill", &login("root", ""), &json!({ "id": 999_999 }));
    assert_eq!(unknown["code"], 1094, "{unknown}");
}

#[test]
fn pages_of_other_sites_and_forms_get_nothing() {
    let mut place = open();
    let id = place.rows("SELECT CONNECTION_ID()")[0][0].clone().unwrap();
    let root = login("root", "");
    let body = format!("{{\"id\":{id}}}");
    for (line, headers, status) in [
        ("GET /api/now", "Origin: http://a.example\r\n", 403),
        ("GET /api/now", "Sec-Fetch-Site: cross-site\r\n", 403),
        ("GET /page.js", "Sec-Fetch-Site: same-site\r\n", 403),
        ("GET /", "Sec-Fetch-Site: cross-site\r\n", 200),
        ("GET /api/now", "Origin: http://127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n", 200),
        ("POST /api/kill", "Origin: null\r\nContent-Type: application/json\r\n", 403),
        ("POST /api/kill", "Content-Type: text/plain\r\n", 415),
        ("POST /api/kill", "Content-Type: application/x-www-form-urlencoded\r\n", 415),
        ("POST /api/kill", "", 415),
        ("PUT /api/kill", "Content-Type: application/json\r\n", 405),
    ] {
        let body = if line.starts_with("GET") { "" } else { &body };
        let (found, answer) = place.ask(line, &format!("{root}{headers}"), body);
        assert_eq!(found, status, "{line} {headers}: {answer}");
    }
    assert_eq!(place.rows("SELECT 1").len(), 1, "nobody has ended it");
    // A name that somebody lets lead here.
    let mut stream = place.server.connect("page");
    write!(stream, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n{root}\r\n").unwrap();
    assert!(read_all(&mut stream).starts_with(b"HTTP/1.1 403 "));
}

#[test]
fn requests_that_are_too_long_or_never_end_are_closed() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--admin-port=auto", "--login-timeout=1s", "--request-timeout=1s"];
    let server = Running::start(directory.path(), &flags);
    for (begin, status) in [
        (format!("GET /{} ", "a".repeat(9000)), "431"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n".to_owned(), "413"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(), "400"),
    ] {
        let mut stream = server.connect("page");
        stream.write_all(begin.as_bytes()).unwrap();
        let answer = String::from_utf8(read_all(&mut stream)).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{begin:.40}: {answer}");
    }
    // One that says nothing, and one that says half.
    for half in ["", "GET / HTTP/1.1\r\nHost:"] {
        let mut stream = server.connect("page");
        stream.write_all(half.as_bytes()).unwrap();
        let mut rest = Vec::new();
        // Closed, in whatever way.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "{half}");
    }
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_client_that_leaves_ends_its_query_and_rows_are_bounded() {
    let mut place = open();
    let root = login("root", "");
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
                SELECT a.i FROM n a JOIN n b";
    let found = place.order("console", &root, &json!({ "sql": many }));
    assert_eq!(found["rows"].as_array().map(Vec::len), Some(2000), "{found:.300}");
    assert_eq!(found["more"], true);
    let body = json!({ "sql": "SELECT SLEEP(9)" }).to_string();
    let length = body.len();
    let mut stream = place.server.connect("page");
    write!(
        stream,
        "POST /api/console HTTP/1.1\r\nHost: localhost\r\n{root}Content-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let sleeps =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'";
    wait_until("the query", || place.rows(sleeps)[0][0].as_deref() == Some("1"));
    drop(stream);
    wait_until("its end", || place.rows(sleeps)[0][0].as_deref() == Some("0"));
}
