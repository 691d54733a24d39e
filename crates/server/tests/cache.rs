//! Tables as caches, across doors: what memcached's clients store, expire and map is what SQL and
//! HandlerSocket see, and the other way round.

use std::io::Write;
use std::net::TcpStream;

use crate::mysql::Mysql;
use crate::support::{Running, ask_line, read_line, wait_until};

/// Sends a request and reads as many lines as are expected.
fn ask(client: &mut TcpStream, request: &str, lines: usize) -> Vec<String> {
    client.write_all(request.replace('\n', "\r\n").as_bytes()).unwrap();
    (0..lines).map(|_| read_line(client).trim_end().to_owned()).collect()
}

fn rows(client: &mut Mysql, query: &str) -> Vec<Vec<String>> {
    let row = |row: Vec<Option<String>>| row.into_iter().map(Option::unwrap_or_default).collect();
    client.query(query).unwrap().into_iter().map(row).collect()
}

#[test]
fn items_are_rows_and_a_change_by_sql_changes_the_cas_value() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut items = server.connect("memcached");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    assert_eq!(ask(&mut items, "set a 7 0 5\nhello\n", 1), ["STORED"]);
    let select = "SELECT k, v, flags, expires_at FROM kv.cache";
    assert_eq!(rows(&mut sql, select), [["a", "hello", "7", "0"]]);
    let cas = |items: &mut TcpStream| {
        let lines = ask(items, "gets a\n", 3);
        (lines[0].rsplit(' ').next().unwrap().to_owned(), lines[1].clone())
    };
    let (before, _) = cas(&mut items);
    sql.query("UPDATE kv.cache SET v = 'world' WHERE k = 'a'").unwrap();
    let (after, value) = cas(&mut items);
    assert_eq!(value, "world");
    assert_ne!(before, after);
    assert_eq!(ask(&mut items, &format!("cas a 0 0 1 {before}\nx\n"), 1), ["EXISTS"]);
    assert_eq!(ask(&mut items, &format!("cas a 0 0 1 {after}\nx\n"), 1), ["STORED"]);
    sql.query("INSERT INTO kv.cache (k, v) VALUES ('b', 'from sql')").unwrap();
    assert_eq!(ask(&mut items, "get b\n", 3), ["VALUE b 0 8", "from sql", "END"]);
    sql.query("DELETE FROM kv.cache WHERE k = 'b'").unwrap();
    assert_eq!(ask(&mut items, "get b\n", 1), ["END"]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn expired_rows_are_gone_at_every_door_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut items = server.connect("memcached");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let mut finds = server.connect("handlersocket");
    // One expired by its own client, one by SQL; the sweep may or may not have come by.
    assert_eq!(ask(&mut items, "set a 0 -1 1\nx\nset b 0 0 1\ny\n", 2), ["STORED", "STORED"]);
    sql.query("INSERT INTO kv.cache (k, v, expires_at) VALUES ('c', 'z', 1), ('d', 'w', 4e9)")
        .unwrap();
    for (query, expected) in [
        ("SELECT k FROM kv.cache ORDER BY k", vec!["b", "d"]),
        ("SELECT k FROM kv.cache WHERE k = 'a'", vec![]),
        ("SELECT k FROM kv.cache WHERE k IN ('a', 'b', 'c')", vec!["b"]),
        ("SELECT k FROM kv.cache WHERE k >= 'a' AND k < 'd' LIMIT 5", vec!["b"]),
        ("SELECT COUNT(*) FROM kv.cache", vec!["2"]),
        ("SELECT COUNT(*) FROM kv.cache GROUP BY v ORDER BY 1 LIMIT 1", vec!["1"]),
        (
            "SELECT MAX(x.expires_at) FROM kv.cache AS x JOIN kv.cache AS y USING (k)",
            vec!["4000000000"],
        ),
    ] {
        let got: Vec<String> = rows(&mut sql, query).concat();
        assert_eq!(got, expected, "{query}");
    }
    let opened = ask_line(&mut finds, "P\t1\tkv\tcache\tPRIMARY\tk\n");
    assert_eq!(opened, "0\t1");
    assert_eq!(ask_line(&mut finds, "1\t=\t1\ta\n"), "0\t1");
    assert_eq!(ask_line(&mut finds, "1\t>=\t1\ta\t10\t0\n"), "0\t1\tb\td");
    assert_eq!(sql.query("INSERT INTO kv.cache (k, v) VALUES ('a', 'new')").unwrap().len(), 0);
    assert_eq!(ask(&mut items, "get a c\n", 3), ["VALUE a 0 3", "new", "END"]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn any_table_may_let_its_rows_expire() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.s (id INT PRIMARY KEY, name VARCHAR(9) UNIQUE, ends BIGINT) EXPIRES_BY=ends")
        .unwrap();
    let shown = |sql: &mut Mysql, table: &str| {
        rows(sql, &format!("SHOW CREATE TABLE {table}"))[0][1].clone()
    };
    assert!(
        shown(&mut sql, "d.s").ends_with(" /*!999999 EXPIRES_BY=`ends` */"),
        "{}",
        shown(&mut sql, "d.s")
    );
    assert!(shown(&mut sql, "kv.cache").ends_with(" /*!999999 EXPIRES_BY=`expires_at` */"));
    sql.query("INSERT INTO d.s VALUES (1, 'a', 1), (2, 'b', 0), (3, 'c', NULL)").unwrap();
    assert_eq!(rows(&mut sql, "SELECT id FROM d.s ORDER BY id"), [["2"], ["3"]]);
    sql.query("UPDATE d.s SET name = 'a' WHERE id = 2").unwrap();
    sql.query("DELETE FROM d.s WHERE id = 1").unwrap();
    sql.query("ALTER TABLE d.s EXPIRES_BY=''").unwrap();
    assert!(!shown(&mut sql, "d.s").contains("EXPIRES_BY"));
    // A name that would end the comment.
    sql.query("CREATE TABLE d.odd (id INT PRIMARY KEY, `*/` BIGINT) EXPIRES_BY=`*/`").unwrap();
    let odd = shown(&mut sql, "d.odd");
    sql.query("DROP TABLE d.odd").unwrap();
    sql.query("USE d").unwrap();
    sql.query(&odd).unwrap();
    assert_eq!(shown(&mut sql, "d.odd"), odd);
    let refused = sql.query("ALTER TABLE d.s EXPIRES_BY=name").unwrap_err().to_string();
    assert!(refused.contains("EXPIRES_BY column 'name' must be an integer"), "{refused}");
    assert_eq!(server.stop().code(), Some(0));
}

/// The figures of `stats` at the memcached door.
fn stat(items: &mut TcpStream, name: &str) -> u64 {
    items.write_all(b"stats\r\n").unwrap();
    let mut found = None;
    loop {
        let line = read_line(items);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["END"] => return found.expect("a figure of this name"),
            ["STAT", this, value] if this == name => found = value.parse().ok(),
            _ => {}
        }
    }
}

#[test]
fn a_table_in_cache_mode_stays_within_its_limit_under_a_storm_and_keeps_what_is_used() {
    const LIMIT: u64 = 8 << 20;
    // Writers wait from a sixteenth above it on; what had been received by then still comes, 64 KiB
    // of each in a turn, and no wait is longer than a quarter of a second, however late the sweep.
    const OVER_MAX: u64 = LIMIT / 4;
    const HOT: usize = 500;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--durability=os"]);
    let mut items = server.connect("memcached");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query(&format!("ALTER TABLE kv.cache MAX_BYTES={LIMIT}")).unwrap();
    assert_eq!(stat(&mut items, "limit_maxbytes"), LIMIT);
    let hot_keys: Vec<String> = (0..HOT).map(|n| format!("hot{n}")).collect();
    for key in &hot_keys {
        assert_eq!(ask(&mut items, &format!("set {key} 0 0 4\nkeep\n"), 1), ["STORED"]);
    }
    let get_hot = format!("get {}\r\n", hot_keys.join(" "));
    let hot = |items: &mut TcpStream| {
        items.write_all(get_hot.as_bytes()).unwrap();
        let lines = std::iter::repeat_with(|| read_line(items));
        lines.take_while(|line| line != "END\r").filter(|line| line == "keep\r").count()
    };
    let storm = |server: &Running, from: usize, watch: &mut dyn FnMut()| {
        // Five times the limit, by three clients that wait for nothing but their last answer.
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|writer| {
                    let mut stream = server.connect("memcached");
                    scope.spawn(move || {
                        let value = "v".repeat(400);
                        for n in 0..32_000 {
                            let key = from + n * 3 + writer;
                            let set = format!("set cold{key} 0 0 400 noreply\r\n{value}\r\n");
                            stream.write_all(set.as_bytes()).unwrap();
                        }
                        assert_eq!(ask_line(&mut stream, "mn\r\n"), "MN\r");
                    })
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                watch();
            }
        });
    };
    let (mut most, mut least) = (0, HOT);
    storm(&server, 0, &mut || {
        least = least.min(hot(&mut items));
        most = most.max(stat(&mut items, "bytes"));
    });
    // A note of a use may be lost to younger ones in its bucket: rarely.
    let enough = HOT * 98 / 100;
    assert!(least >= enough, "{least} of {HOT} are there");
    assert!(most > LIMIT * 9 / 10 && most <= LIMIT + OVER_MAX, "{most} bytes of {LIMIT}");
    let evicted = stat(&mut items, "evictions");
    assert!(evicted > 60_000, "{evicted}");
    let is_hot = "SELECT COUNT(*) FROM kv.cache WHERE k LIKE 'hot%'";
    let kept: usize = rows(&mut sql, is_hot)[0][0].parse().unwrap();
    assert!(kept >= enough, "{kept} of {HOT} are there");
    let shown = rows(&mut sql, "SHOW CREATE TABLE kv.cache")[0][1].clone();
    assert!(shown.ends_with(&format!(" MAX_BYTES={LIMIT} */")), "{shown}");
    assert_eq!(server.stop().code(), Some(0));

    let server = Running::start(directory.path(), &["--durability=os"]);
    let mut items = server.connect("memcached");
    wait_until("rows are counted", || stat(&mut items, "bytes") > LIMIT * 8 / 10);
    // Which rows were in use before is not known any more: they say so by being used.
    assert!(hot(&mut items) >= enough);
    let (mut most, mut least) = (0, HOT);
    storm(&server, 1_000_000, &mut || {
        least = least.min(hot(&mut items));
        most = most.max(stat(&mut items, "bytes"));
    });
    assert!(least >= enough, "{least} of {HOT} are there");
    assert!(most <= LIMIT + OVER_MAX, "{most} bytes of {LIMIT}");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let kept: usize = rows(&mut sql, is_hot)[0][0].parse().unwrap();
    assert!(kept >= enough, "{kept} of {HOT} are there");
    sql.query("ALTER TABLE kv.cache MAX_BYTES=0").unwrap();
    assert_eq!(stat(&mut items, "limit_maxbytes"), 0);
    assert_eq!(server.stop().code(), Some(0));
    let checked =
        crate::support::run(&["check", &format!("--data-dir={}", directory.path().display())]);
    assert!(checked.status.success());
}

#[test]
fn a_container_made_by_sql_serves_at_once_and_its_expiry_column_counts_at_every_door() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut items = server.connect("memcached");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.u (id INT PRIMARY KEY, name VARCHAR(9), ends INT)").unwrap();
    sql.query("INSERT INTO d.u VALUES (1, 'old', 1), (2, 'new', 0)").unwrap();
    assert_eq!(ask(&mut items, "get u:2\n", 1), ["END"]);
    assert_eq!(rows(&mut sql, "SELECT COUNT(*) FROM d.u"), [["2"]]);
    sql.query(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns, expiry_column)
         VALUES ('u', 'd', 'u', 'id', 'name', 'ends')",
    )
    .unwrap();
    assert_eq!(ask(&mut items, "get u:1 u:2\n", 3), ["VALUE u:2 0 3", "new", "END"]);
    wait_until("SQL sees it expired", || rows(&mut sql, "SELECT * FROM d.u").len() == 1);
    assert_eq!(server.stop().code(), Some(0));
    // From the first moment of the next start.
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("INSERT INTO d.u VALUES (3, 'gone', 5)").unwrap();
    assert_eq!(rows(&mut sql, "SELECT id FROM d.u"), [["2"]]);
    sql.query("DELETE FROM rowhouse.containers").unwrap();
    let mut items = server.connect("memcached");
    assert_eq!(ask(&mut items, "get u:2\n", 1), ["END"]);
    // It may still be swept until the sweep has heard of it.
    wait_until("rows stay again", || {
        sql.query("REPLACE INTO d.u VALUES (4, 'kept', 5)").unwrap();
        rows(&mut sql, "SELECT id FROM d.u WHERE id = 4").len() == 1
    });
    assert_eq!(server.stop().code(), Some(0));
}
