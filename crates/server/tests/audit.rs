//! The audit log of a real server: what it has, that it has no password, and what happens when its
//! file is moved, is full, or cannot be written.
//!
//! Not here: the queue and the file by themselves (`access::audit`).

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::process::Signal;

use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{Running, ask_line, figure, read_all, wait_until};

/// Nobody's password is anything else in these tests.
const SECRET: &str = "hidden";

fn start(directory: &Path, more: &[&str]) -> Running {
    let log = format!("--audit-log={}", directory.join("audit.log").display());
    let flags: Vec<&str> = [&*log].into_iter().chain(more.iter().copied()).collect();
    Running::start(&directory.join("data"), &flags)
}

fn root(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// The lines of a log, parsed.
fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The lines with these words at these names, once there are some.
fn wait_for(path: &Path, words: &[(&str, serde_json::Value)]) -> Vec<serde_json::Value> {
    let mut found = Vec::new();
    wait_until(&format!("a line with {words:?}"), || {
        found = lines(path);
        found.retain(|line| words.iter().all(|(name, word)| line[name] == *word));
        !found.is_empty()
    });
    found
}

#[test]
fn logins_of_every_door_definitions_and_grants_are_told_of_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let server = start(directory.path(), &["--memcached-user=none", "--tyrant-user=none"]);
    let path = directory.path().join("audit.log");
    let mut sql = root(&server);
    sql.run("CREATE DATABASE d");
    sql.run("CREATE TABLE d.t (id INT PRIMARY KEY)");
    sql.run("INSERT INTO d.t VALUES (1)");
    sql.run(&format!("CREATE USER app IDENTIFIED BY '{SECRET}'"));
    sql.run("GRANT SELECT ON d.* TO app");
    assert_eq!(error_number(sql.execute("DROP TABLE d.none")), 1051);
    sql.run("PREPARE p FROM 'DROP TABLE d.t'");
    sql.run("EXECUTE p");
    let id = sql.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
    drop(sql);
    let refused = Mysql::login_as(server.connect("mysql"), "app");
    assert_eq!(error_number(refused.map(|_| ())), 1045);
    let mut cache = server.connect("memcached");
    let login = format!("app {SECRET}");
    let set = |login: &str| format!("set x 0 0 {}\r\n{login}\r\n", login.len());
    assert_eq!(
        ask_line(&mut cache, &set("app wrong-word")),
        "CLIENT_ERROR authentication failure\r"
    );
    assert_eq!(ask_line(&mut cache, &set(&login)), "STORED\r");
    assert_eq!(ask_line(&mut cache, "get k\r\n"), "CLIENT_ERROR access denied\r");
    let mut handler = server.connect("handlersocket");
    assert_eq!(ask_line(&mut handler, &format!("A\t1\tapp:{SECRET}\n")), "0\t1");
    drop((cache, handler));
    wait_for(&path, &[("event", "disconnect".into()), ("door", "memcached".into())]);
    wait_for(&path, &[("event", "disconnect".into()), ("door", "handlersocket".into())]);
    assert!(server.stop().success());

    let all = lines(&path);
    let told = |class: &str| -> Vec<String> {
        let of_class = all.iter().filter(|line| line["class"] == class);
        let shown = of_class.map(|line| {
            let text = ["query", "executed_query"].map(|name| line[name].as_str().unwrap_or(""));
            format!("{} {} {} {}", line["user"].as_str().unwrap(), line["status"], text[0], text[1])
        });
        shown.map(|line| line.trim_end().to_owned()).collect()
    };
    assert_eq!(
        told("definitions"),
        [
            "root 0 CREATE DATABASE d",
            "root 0 CREATE TABLE d.t (id INT PRIMARY KEY)",
            "root 1051 DROP TABLE d.none",
            "root 0 EXECUTE p DROP TABLE d.t",
        ]
    );
    let made = "root 0 CREATE USER app IDENTIFIED <secret>";
    assert_eq!(told("grants"), [made, "root 0 GRANT SELECT ON d.* TO app"]);
    assert_eq!(told("statements"), [""; 0]);
    assert_eq!(told("failed-logins"), ["app 1045", "app 1045"]);
    let logins = all.iter().filter(|line| line["class"] == "logins");
    let logins: Vec<String> = logins
        .map(|line| format!("{} {} {}", line["door"], line["event"], line["user"]).replace('"', ""))
        .collect();
    for wanted in ["mysql connect root", "mysql disconnect root", "memcached connect app"] {
        assert_eq!(logins.iter().filter(|line| *line == wanted).count(), 1, "{wanted}: {logins:?}");
    }
    let ended = all.iter().find(|line| line["event"] == "disconnect").unwrap();
    assert_eq!(ended["connection_id"].to_string(), id);
    assert!(all.windows(2).all(|pair| pair[0]["id"].as_u64() < pair[1]["id"].as_u64()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn no_statement_that_can_hold_a_password_shows_it_whether_it_makes_sense_or_not() {
    let directory = tempfile::tempdir().unwrap();
    let events = "--audit-events=logins;failed-logins;definitions;grants;statements";
    let slow = "--slow-query-log=on";
    let server = start(directory.path(), &[events, slow, "--long-query-time=0"]);
    let path = directory.path().join("audit.log");
    let mut sql = root(&server);
    sql.run("CREATE USER a IDENTIFIED BY 'hidden'");
    sql.run("SET @marker = 1");
    for text in [
        "CREATE USER b IDENTIFIED WITH mysql_native_password BY 'hidden'",
        "/* c */ create user c identified by 'hidden' account lock",
        "/*!50000 CREATE USER d IDENTIFIED BY 'hidden' */",
        "ALTER USER a IDENTIFIED BY 'hidden' REPLACE 'hidden' RETAIN CURRENT PASSWORD",
        "ALTER USER a\n\tIDENTIFIED\n\tBY\n'hidden'",
        "SET PASSWORD FOR a = 'hidden'",
        "SET PASSWORD FOR a = PASSWORD('hidden')",
        "SET PASSWORD = 'hidden'",
        "GRANT ALL ON *.* TO a IDENTIFIED BY 'hidden'",
        "PREPARE p FROM 'ALTER USER a IDENTIFIED BY ''hidden'''",
        "EXECUTE p",
        "EXECUTE IMMEDIATE 'SET PASSWORD FOR a = ''hidden'''",
        "EXPLAIN CREATE USER x IDENTIFIED BY 'hidden'",
        "CREATE USER x IDENTIFIED BY 'hidden",
        "CREATE USER x IDENTIFIED VIA p USING 'hidden' OR",
        "CREATE USR x IDENTIFIED BY 'hidden'",
        "CRAETE USER x IDENTIFIED BY 'hidden'",
        "(CREATE USER x IDENTIFIED BY 'hidden')",
        "SELECT 1; CREATE USER x IDENTIFIED BY 'hidden'",
        "CHANGE MASTER TO MASTER_PASSWORD = 'hidden'",
        "CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO ALTER USER a IDENTIFIED BY 'hidden'",
    ] {
        // Some are refused; what they say is to be shown all the same.
        let _ = sql.query(text);
    }
    sql.run("SET @marker = 2");
    let shown = sql.query(
        "SELECT digest_text, query_sample_text FROM \
                           performance_schema.events_statements_summary_by_digest",
    );
    let shown = format!("{:?}", shown.unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
    drop(sql);
    wait_for(&path, &[("query", "SET @marker = 2".into())]);
    let slow = directory.path().join("data").join("slow.log");
    wait_until("the slow log is written", || {
        fs::read_to_string(&slow).is_ok_and(|text| text.contains("@marker = 2"))
    });
    let log = server.log();
    server.stop();
    for text in [fs::read_to_string(&path).unwrap(), fs::read_to_string(&slow).unwrap(), log] {
        assert!(!text.contains(SECRET), "{text}");
    }
    let all = lines(&path);
    let secret = all.iter().filter(|line| line["query"].to_string().contains("<secret>")).count();
    assert!(secret > 15, "they are told of: {secret}");
    let last = all.iter().rfind(|line| line["query"] == "EXECUTE p").expect("it was executed");
    assert_eq!(last["executed_query"], "ALTER USER a IDENTIFIED <secret>");
    assert_eq!(last["class"], "grants");
}

#[test]
fn statements_are_those_of_chosen_users_and_files_are_turned_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let server = start(
        directory.path(),
        &[
            "--audit-events=statements",
            "--audit-users=bob;eve",
            "--audit-log-size=2KiB",
            "--audit-log-files=2",
        ],
    );
    let mut sql = root(&server);
    sql.run("CREATE USER bob IDENTIFIED BY ''");
    let mut bob = Mysql::login_as(server.connect("mysql"), "bob").unwrap();
    for number in 0..100 {
        bob.query(&format!("SELECT {number}")).unwrap();
        sql.query("SELECT 'of root'").unwrap();
    }
    assert_eq!(error_number(bob.query("SELECT * FROM mysql.user")), 1142);
    wait_for(&path, &[("query", "SELECT * FROM mysql.user".into()), ("status", 1142.into())]);
    let names = || {
        let mut names: Vec<String> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("audit"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["audit.log", "audit.log.1", "audit.log.2"]);
    for name in names() {
        let file = directory.path().join(name);
        assert!(fs::metadata(&file).unwrap().len() <= 2048);
        assert!(lines(&file).iter().all(|line| line["user"] == "bob"));
    }

    // It is moved away, the server is told so, and a new one is begun.
    for begin in [true, false] {
        fs::rename(&path, directory.path().join("moved")).unwrap();
        match begin {
            true => server.signal(Signal::HUP),
            false => sql.run("FLUSH LOGS"),
        }
        wait_until("a new file is begun", || {
            bob.query("SELECT 'again'").unwrap();
            path.exists()
        });
    }
    assert!(figure(&directory.path().join("data"), "audit_lines_written") > 100);
}

#[test]
fn a_log_that_cannot_be_written_holds_up_nobody_unless_a_setting_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let full = "--audit-log=/dev/full";
    let server = Running::start(&data, &[full]);
    let mut sql = root(&server);
    sql.run("CREATE DATABASE d");
    wait_until("they are counted", || figure(&data, "audit_lines_left_out") >= 2);
    assert_eq!(figure(&data, "audit_lines_written"), 0);
    assert!(server.log().contains("the audit log cannot be written"), "{}", server.log());
    drop(sql);
    server.stop();

    let server = Running::start(&data, &[full, "--audit-log-failure=refuse"]);
    // The first login is what finds that out.
    let mut sql = root(&server);
    let mut refused = None;
    wait_until("definitions are refused", || {
        refused = sql.execute("CREATE DATABASE e").err();
        if refused.is_none() {
            sql.run("DROP DATABASE e");
        }
        refused.is_some()
    });
    assert!(matches!(refused, Some(Failure::Error { number: 3164, .. })), "{refused:?}");
    sql.query("SELECT 1").expect("it is not to have this");
    let login = Mysql::login(server.connect("mysql"));
    assert_eq!(error_number(login.map(|_| ())), 3164);
    server.stop();
}

#[test]
fn lines_of_failed_logins_survive_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let server = start(directory.path(), &["--audit-log-sync=1h"]);
    assert!(Mysql::login_as(server.connect("mysql"), "nobody").is_err());
    wait_for(&path, &[("class", "failed-logins".into()), ("user", "nobody".into())]);
    server.kill();
    let mut half = fs::OpenOptions::new().append(true).open(&path).unwrap();
    half.write_all(b"{\"timestamp\":\"20").unwrap();
    let server = start(directory.path(), &[]);
    let mut sql = root(&server);
    sql.run("CREATE DATABASE d");
    let found = || {
        let text = fs::read_to_string(&path).unwrap();
        text.lines().filter(|line| line.contains("CREATE DATABASE d")).count()
    };
    wait_until("it goes on behind the half line", || found() == 1);
    let text = fs::read_to_string(&path).unwrap();
    let half = text.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_err());
    assert_eq!(half.count(), 1, "{text}");
    let mut gone = server.connect("memcached");
    // One that the server has not taken yet would be cut off.
    assert_eq!(ask_line(&mut gone, "get none\r\n"), "END\r");
    drop(sql);
    server.stop();
    read_all(&mut gone);
}

#[test]
fn operations_of_chosen_users_on_chosen_tables_are_told_of_at_each_door_with_keys_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let server = start(
        directory.path(),
        &[
            "--audit-events=operations;statements",
            "--audit-users=app",
            "--audit-tables=shop.orders;kv.cache;tyrant.*",
            "--tyrant-user=app",
            "--memcached-user=none",
        ],
    );
    let mut sql = root(&server);
    for statement in [
        "CREATE DATABASE shop",
        "CREATE TABLE shop.orders (id INT PRIMARY KEY, v VARCHAR(20))",
        "CREATE TABLE shop.other (id INT PRIMARY KEY, v VARCHAR(20))",
        "INSERT INTO shop.orders VALUES (1, 'one'), (2, 'two')",
        "CREATE USER app IDENTIFIED BY 'word'",
        "GRANT ALL ON shop.* TO app",
        "GRANT SELECT, INSERT, UPDATE ON kv.* TO app",
        "GRANT ALL ON tyrant.* TO app",
        "CREATE USER eve IDENTIFIED BY 'word'",
        "GRANT ALL ON *.* TO eve",
    ] {
        sql.run(statement);
    }
    for user in ["app", "eve"] {
        let mut cache = server.connect("memcached");
        let login = format!("set x 0 0 8\r\n{user} word\r\n");
        assert_eq!(ask_line(&mut cache, &login), "STORED\r");
        let value = "set secret-key 0 0 5\r\nvalue\r\n";
        assert_eq!(ask_line(&mut cache, value), "STORED\r");
        assert_eq!(ask_line(&mut cache, "get none nobody none\r\n"), "END\r");
        let removed = ask_line(&mut cache, "delete secret-key\r\n");
        assert_eq!(removed == "DELETED\r", user == "eve", "{removed}");

        let mut handler = server.connect("handlersocket-write");
        let login = format!("A\t1\t{user}:word\n");
        assert_eq!(ask_line(&mut handler, &login), "0\t1");
        for open in ["P\t1\tshop\torders\t\tid,v\n", "P\t2\tshop\tother\t\tid,v\n"] {
            assert_eq!(ask_line(&mut handler, open), "0\t1");
        }
        assert_eq!(ask_line(&mut handler, "1\t=\t1\t1\n"), "0\t2\t1\tone");
        assert_eq!(ask_line(&mut handler, "2\t=\t1\t1\n"), "0\t2");
        let number = if user == "app" { 7 } else { 8 };
        let insert = format!("1\t+\t2\t{number}\tvalue\n");
        assert_eq!(ask_line(&mut handler, &insert), "0\t1");
        let listed = "1\t=\t1\t\t2\t0\t@\t0\t2\t1\t2\n";
        assert_eq!(ask_line(&mut handler, listed), "0\t2\t1\tone\t2\ttwo");

        sql.run(&format!("ALTER USER {user} IDENTIFIED BY ''"));
        let mut session = Mysql::login_as(server.connect("mysql"), user).unwrap();
        session.query("SELECT v FROM shop.orders WHERE id = 1").unwrap();
        session.query("SELECT v FROM shop.other WHERE id = 1").unwrap();
        session
            .query("SELECT COUNT(*) FROM shop.other a JOIN shop.orders b ON a.id = b.id")
            .unwrap();
        session.query("UPDATE shop.other SET v = 'x'").unwrap();
        session.query("DELETE FROM shop.orders WHERE id > 6").unwrap();
        session.query("SELECT 1").unwrap();
        session.query("SHOW TABLES FROM shop").unwrap();
        assert!(session.query("SELECT v FROM shop.none").is_err());
    }
    let mut tyrant = server.connect("tyrant");
    assert_eq!(ask_line(&mut tyrant, "set t 0 0 5\r\nvalue\r\n"), "STORED\r");
    assert!(ask_line(&mut tyrant, "get t\r\n").starts_with("VALUE t"));
    drop(tyrant);
    wait_for(&path, &[("door", "tyrant".into()), ("operation", "read".into())]);
    let all = lines(&path);
    assert!(all.iter().all(|line| line["user"] == "app"), "{all:?}");
    let told: Vec<String> = all
        .iter()
        .map(|line| match line["class"].as_str() {
            Some("statements") => line["query"].as_str().unwrap().to_owned(),
            _ => {
                let word = |name: &str| line[name].to_string().replace('"', "");
                let [door, table, operation, status] =
                    ["door", "table", "operation", "status"].map(word);
                format!("{door} {table} {operation} {} {status}", word("keys"))
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "memcached cache write [secret-key] 0",
            "memcached cache read [none,nobody,none] 0",
            "memcached cache delete [secret-key] 1142",
            "handlersocket-write orders read [= 1] 0",
            "handlersocket-write orders insert [7] 0",
            "handlersocket-write orders read [= ,1,2] 0",
            "SELECT v FROM shop.orders WHERE id = 1",
            "SELECT COUNT(*) FROM shop.other a JOIN shop.orders b ON a.id = b.id",
            "DELETE FROM shop.orders WHERE id > 6",
            "SELECT v FROM shop.none",
            "tyrant records write [t] 0",
            "tyrant records read [t] 0",
        ]
    );
    assert!(!fs::read_to_string(&path).unwrap().contains("value"), "no value is told");
}

#[test]
fn prepared_ones_set_into_and_sql_select_limit_let_reads_of_a_watched_table_escape() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let watched = ["--audit-events=statements", "--audit-tables=shop.orders"];
    let server = start(directory.path(), &watched);
    let mut sql = root(&server);
    for statement in [
        "CREATE DATABASE shop",
        "CREATE TABLE shop.orders (id INT PRIMARY KEY, v VARCHAR(20))",
        "CREATE TABLE shop.other (id INT PRIMARY KEY, v VARCHAR(20))",
        "CREATE TABLE shop.third (id INT PRIMARY KEY, v VARCHAR(20))",
        "INSERT INTO shop.other VALUES (1, 'one'), (2, 'two')",
    ] {
        sql.run(statement);
    }
    let reads = [
        "INSERT INTO shop.orders SELECT * FROM shop.other",
        "INSERT INTO shop.orders VALUES (3, DATE '2024-01-01')",
        "SELECT v INTO @a FROM shop.orders WHERE id = 1",
        "SET @a = (SELECT v FROM shop.orders WHERE id = 1)",
        "SET @a = 1, @b = (SELECT v FROM shop.third LIMIT 1), @c = (SELECT MAX(v) FROM shop.orders)",
        "DO (SELECT v FROM shop.orders LIMIT 1)",
        "EXECUTE IMMEDIATE 'SELECT v FROM shop.orders'",
        "EXECUTE IMMEDIATE 'SET @a = (SELECT v FROM shop.orders LIMIT 1)'",
        "SET STATEMENT max_statement_time = 9 FOR SELECT v FROM shop.orders",
        "UPDATE shop.other SET v = (SELECT v FROM shop.orders WHERE id = 1) WHERE id = 1",
        "INSERT INTO shop.third VALUES (9, (SELECT v FROM shop.orders WHERE id = 1))",
        "CREATE TABLE shop.copied AS SELECT v FROM shop.orders",
        "CREATE VIEW shop.seen AS SELECT v FROM shop.orders",
        "SELECT * FROM shop.seen",
        "CHECKSUM TABLE shop.orders",
        "SELECT v FROM shop.nothing",
        "SET @a = (SELECT v FROM shop.nothing)",
    ];
    let others = [
        "INSERT INTO shop.third SELECT id, v FROM shop.other",
        "INSERT INTO shop.third VALUES (3, DATE '2024-01-01')",
        "SELECT v INTO @a FROM shop.other WHERE id = 1",
        "SET @a = (SELECT v FROM shop.other WHERE id = 1)",
        "SET @a = 1",
        "DO (SELECT v FROM shop.other LIMIT 1)",
        "EXECUTE IMMEDIATE 'SELECT v FROM shop.other'",
        "SET STATEMENT max_statement_time = 9 FOR SELECT v FROM shop.other",
        "UPDATE shop.other SET v = (SELECT v FROM shop.third WHERE id = 1) WHERE id = 1",
        "CREATE TABLE shop.fourth AS SELECT v FROM shop.other",
        "CREATE VIEW shop.glanced AS SELECT v FROM shop.other",
        "SELECT * FROM shop.glanced",
        "CHECKSUM TABLE shop.other",
    ];
    for statement in others.into_iter().chain(reads) {
        let is_there = !statement.contains("nothing");
        assert_eq!(sql.query(statement).is_ok(), is_there, "{statement}");
    }
    sql.run("PREPARE plain FROM 'SELECT v FROM shop.orders WHERE id = 1'");
    sql.run("PREPARE aside FROM 'SELECT v INTO @a FROM shop.orders WHERE id = 1'");
    sql.run("PREPARE other FROM 'SELECT v FROM shop.other WHERE id = 1'");
    let executed = ["EXECUTE plain", "EXECUTE aside", "EXECUTE other"];
    for limit in ["1", "DEFAULT"] {
        sql.run(&format!("SET sql_select_limit = {limit}"));
        for statement in executed {
            sql.query(statement).unwrap();
        }
        sql.query(&format!("SELECT v AS by_{limit} FROM shop.orders")).unwrap();
        sql.query(&format!("SELECT v AS by_{limit} FROM shop.other")).unwrap();
    }
    sql.query("SELECT 'the end' FROM shop.orders").unwrap();
    wait_for(&path, &[("query", "SELECT 'the end' FROM shop.orders".into())]);
    let told: Vec<String> =
        lines(&path).iter().map(|line| line["query"].as_str().unwrap().to_owned()).collect();
    let limited = |limit: &str| {
        let select = format!("SELECT v AS by_{limit} FROM shop.orders");
        [executed[0].to_owned(), executed[1].to_owned(), select]
    };
    let prepared = ["plain", "aside"].map(|name| format!("PREPARE {name}"));
    let expected: Vec<String> = reads
        .into_iter()
        .map(str::to_owned)
        .chain(limited("1"))
        .chain(limited("DEFAULT"))
        .chain(["SELECT 'the end' FROM shop.orders".to_owned()])
        .collect();
    // Whether preparing one is told of is of no consequence.
    let told: Vec<String> =
        told.into_iter().filter(|told| !prepared.iter().any(|own| told.starts_with(own))).collect();
    assert_eq!(told, expected);
}

#[test]
fn keys_of_a_long_request_and_a_list_that_is_not_read_to_its_end_were_not_told_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let watched = ["--audit-events=operations", "--audit-tables=kv.cache"];
    let server = start(directory.path(), &watched);
    let mut cache = server.connect("memcached");
    let keys: Vec<String> = (0..100).map(|number| format!("{number:0>200}")).collect();
    for many in keys.chunks(9) {
        assert_eq!(ask_line(&mut cache, &format!("get {}\r\n", many.join(" "))), "END\r");
    }
    // All of them in one request.
    let mut handler = server.connect("handlersocket");
    assert_eq!(ask_line(&mut handler, "P\t1\tkv\tcache\t\tk\n"), "0\t1");
    let listed = format!("1\t=\t1\t\t100\t0\t@\t0\t100\t{}\n", keys.join("\t"));
    assert_eq!(ask_line(&mut handler, &listed), "0\t1");
    wait_until("all lines", || {
        let of_handler = lines(&path);
        let of_handler = of_handler.iter().filter(|line| line["door"] == "handlersocket");
        of_handler.filter_map(|line| line["key_count"].as_u64()).sum::<u64>() >= 100
    });
    let all = lines(&path);
    for door in ["memcached", "handlersocket"] {
        let of_door: Vec<&serde_json::Value> =
            all.iter().filter(|line| line["door"] == door).collect();
        let told = of_door.iter().flat_map(|line| line["keys"].as_array().unwrap());
        let told: Vec<&str> = told.filter_map(|key| key.as_str()).collect();
        for key in &keys {
            assert!(told.iter().any(|told| told.ends_with(&**key)), "{door} {key}");
        }
        for line in of_door {
            let keys = line["keys"].as_array().unwrap();
            assert_eq!(line["key_count"], keys.len());
            assert!(keys.iter().map(|key| key.as_str().unwrap().len()).sum::<usize>() <= 4096);
        }
    }
    // Longer than what the sockets hold, of which the client reads nothing.
    root(&server).run(
        "INSERT INTO kv.cache (k, v) WITH RECURSIVE n AS (SELECT 0 AS x UNION ALL SELECT x + 1 FROM n \
         WHERE x < 249) SELECT CONCAT('k', LPAD(a.x * 250 + b.x, 240, '0')), 'v' FROM n a, n b",
    );
    let mut lister = server.connect("memcached");
    lister.write_all(b"lru_crawler metadump all\r\n").unwrap();
    wait_until("the list is told of", || {
        let is_list =
            |line: &serde_json::Value| line["operation"] == "read" && line.get("keys").is_none();
        lines(&path).iter().any(is_list)
    });
    drop(lister);
}

#[test]
fn rows_of_a_watched_table_that_foreign_keys_removed_were_not_told_of() {
    let (directory, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(files.path().join("orders"), "9\ty\n").unwrap();
    let file = files.path().join("orders").display().to_string();
    let load = format!("LOAD DATA INFILE '{file}' REPLACE INTO TABLE shop.orders");
    let load_new = format!("LOAD DATA INFILE '{file}' IGNORE INTO TABLE shop.orders");
    let path = directory.path().join("audit.log");
    let server = start(
        directory.path(),
        &[
            "--audit-events=operations;statements",
            "--audit-tables=shop.parts",
            &format!("--files={}", files.path().display()),
        ],
    );
    let mut sql = root(&server);
    for statement in [
        "CREATE DATABASE shop",
        "CREATE TABLE shop.orders (id INT PRIMARY KEY, v VARCHAR(20))",
        "CREATE TABLE shop.lines (id INT PRIMARY KEY, o INT, FOREIGN KEY (o) REFERENCES shop.orders (id) \
         ON DELETE CASCADE)",
        "CREATE TABLE shop.parts (id INT PRIMARY KEY, l INT)",
        "CREATE TABLE shop.kept (id INT PRIMARY KEY, o INT, FOREIGN KEY (o) REFERENCES shop.orders (id))",
        "INSERT INTO shop.orders VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
    ] {
        sql.run(statement);
    }
    let mut handler = server.connect("handlersocket-write");
    let open = "P\t1\tshop\torders\t\tid,v\n";
    assert_eq!(ask_line(&mut handler, open), "0\t1");
    let delete = |id: u32| format!("1\t=\t1\t{id}\t1\t0\tD\n");
    // Nothing follows yet.
    assert_eq!(ask_line(&mut handler, &delete(4)), "0\t1\t1");
    sql.run(
        "ALTER TABLE shop.parts ADD FOREIGN KEY (l) REFERENCES shop.lines (id) ON DELETE SET NULL",
    );
    assert_eq!(ask_line(&mut handler, "1\t=\t1\t1\n"), "0\t2\t1\ta");
    assert_eq!(ask_line(&mut handler, &delete(1)), "0\t1\t1");
    let told = [
        "DELETE FROM shop.orders WHERE id = 2",
        "UPDATE shop.orders SET id = 9 WHERE id = 3",
        "REPLACE INTO shop.orders VALUES (9, 'x')",
        "DELETE o FROM shop.orders o JOIN shop.kept k ON k.o = o.id",
        &load,
    ];
    let not_told = [
        &load_new,
        "SELECT * FROM shop.orders",
        "INSERT INTO shop.orders VALUES (5, 'e')",
        "DELETE FROM shop.kept",
    ];
    for statement in told.iter().chain(&not_told) {
        sql.query(statement).unwrap();
    }
    sql.query("SELECT id FROM shop.parts").unwrap();
    let last = [("query", "SELECT id FROM shop.parts".into())];
    wait_for(&path, &last);
    let all: Vec<String> = lines(&path)
        .iter()
        .filter_map(|line| match line["class"].as_str() {
            Some("statements") => Some(line["query"].as_str()?.to_owned()),
            _ => Some(format!("{} {} {}", line["table"], line["operation"], line["keys"])),
        })
        .collect();
    let mut expected = vec!["\"parts\" \"cascade\" null"];
    expected.extend(told);
    expected.push("SELECT id FROM shop.parts");
    assert_eq!(all, expected);
}
