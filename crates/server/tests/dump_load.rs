//! `rowhouse dump` and `rowhouse load` as their users meet them, without other servers; with
//! MariaDB as the partner: `tests/dump`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, rowhouse, run, wait_until};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn on(data_dir: &Path, command: &str, more: &[&str]) -> Output {
    let flag = format!("--data-dir={}", data_dir.display());
    run(&[&[command, &flag], more].concat())
}

/// Loads a text through standard input.
fn load(data_dir: &Path, sql: &str, more: &[&str]) -> Output {
    let flag = format!("--data-dir={}", data_dir.display());
    let mut command = rowhouse(&[&["load", &flag, "-"], more].concat());
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A load that gives up early closes its input.
    let _ = child.stdin.take().expect("piped").write_all(sql.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn dump(data_dir: &Path, more: &[&str]) -> String {
    let dumped = on(data_dir, "dump", more);
    assert!(dumped.status.success(), "{}", text(&dumped.stderr));
    text(&dumped.stdout)
}

/// Every type, values at their ends, and names that need quotes.
const NASTY: &str = r#"
CREATE DATABASE `a``b`; USE `a``b`;
CREATE TABLE `t;1` (id INT AUTO_INCREMENT PRIMARY KEY, f FLOAT, d DOUBLE, de DECIMAL(65,30),
  u BIGINT UNSIGNED, i BIGINT, c CHAR(9), v VARCHAR(99) COLLATE utf8mb4_bin, x LONGTEXT,
  b BINARY(3), vb VARBINARY(99), bl LONGBLOB, dt DATE, ti TIME(6), dti DATETIME(6),
  ts TIMESTAMP(3) NULL, y YEAR, e ENUM('a','it''s',''), j JSON, `order` BOOL,
  ends BIGINT, UNIQUE KEY `k``1` (v)) AUTO_INCREMENT=5000 COMMENT='it''s; \\' EXPIRES_BY=ends;
SET sql_mode='NO_AUTO_VALUE_ON_ZERO', time_zone='+05:30';
INSERT INTO `t;1` VALUES
(0,1.17549435e-38,4.9406564584124654e-324,-12345678901234567890123456789012345.123456789012345678901234567891,
 18446744073709551615,-9223372036854775808,'','a','','','',x'','0000-00-00','-838:59:59',
 '0000-00-00 00:00:00','1970-01-01 12:00:01',1901,'','{}',0,0),
(-7,16777217,0.1,0.000000000000000000000000000001,0,9223372036854775807,'ü','A',
 'it''s \\ "\n\r\0\Z`; -- /*!1 */ %_\t','\0a','\\''',x'00ff27225c0a','9999-12-31','838:59:59',
 '9999-12-31 23:59:59.999999','2038-01-19 03:14:07.999',2155,'it''s','{"a": [1, null, "\\""]}',1,0),
(9,3.4028235e38,1.7976931348623157e308,0,1,2,'😀','😀 €','x',x'000000',x'',NULL,'2024-02-29',
 '00:00:00.000001','1000-01-01 00:00:00.1',NULL,0,'a','[]',NULL,NULL),
(10,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE bare (a INT, b TEXT, FULLTEXT KEY words (b) WITH PARSER ngram);
INSERT INTO bare VALUES (1,'x'),(1,'x'),(NULL,NULL);
"#;

#[test]
fn a_dump_that_is_loaded_and_dumped_again_is_the_same_to_the_byte() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    let loaded = load(&one, NASTY, &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let first = dump(&one, &["--all"]);
    assert!(first.contains("-- Dump completed: 2 tables, 7 rows\n"), "{first}");
    assert!(first.contains(" AUTO_INCREMENT=5000 "), "{first}");
    assert!(first.contains("/*!999999 EXPIRES_BY=`ends` */"), "{first}");
    assert!(first.contains("\n(0,1.175494"), "{first}");
    let loaded = load(&two, &first, &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let second = dump(&two, &[]);
    assert_eq!(first, second);
    // With a server on it the text is the same, but for the tables that a server makes.
    let server = Running::start(&two, &[]);
    assert_eq!(dump(&two, &["--databases", "a`b"]), first);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn items_of_memcached_come_over_and_what_is_there_stays() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    let put = |data_dir: &Path, key: &str, value: &str| {
        let server = Running::start(data_dir, &[]);
        let mut client = server.connect("memcached");
        let request = format!("set {key} 7 0 {}\r\n{value}\r\n", value.len());
        assert_eq!(crate::support::ask_line(&mut client, &request), "STORED\r");
        server
    };
    put(&one, "a", "from one").stop();
    let server = put(&two, "b", "of two");
    let loaded = load(&two, &dump(&one, &[]), &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let mut client = server.connect("memcached");
    for (key, value) in [("a", "from one"), ("b", "of two")] {
        let head = crate::support::ask_line(&mut client, &format!("get {key}\r\n"));
        assert_eq!(head, format!("VALUE {key} 7 {}\r", value.len()));
        assert_eq!(crate::support::read_line(&mut client), format!("{value}\r"));
        assert_eq!(crate::support::read_line(&mut client), "END\r");
    }
}

#[test]
fn a_statement_that_fails_is_told_by_its_line_and_what_is_in_by_the_line_before() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let file = directory.path().join("file.sql");
    let sql = "-- head\nCREATE DATABASE d; USE d;\nCREATE TABLE t (a INT PRIMARY KEY);\n\
               INSERT INTO t VALUES (1);\nUSE d;\n\nINSERT INTO t VALUES (2);\n\
               INSERT INTO t\nVALUES (3), (1);\nINSERT INTO t VALUES (4);\n";
    std::fs::write(&file, sql).unwrap();
    let name = file.to_str().unwrap();
    let loaded = on(&data_dir, "load", &[name]);
    assert_eq!(loaded.status.code(), Some(1));
    let said = text(&loaded.stderr);
    assert!(said.contains(&format!("{name} line 8: ERROR 1062 (23000): ")), "{said}");
    assert!(said.contains("everything before line 7 is loaded, nothing from there on"), "{said}");
    assert!(dump(&data_dir, &[]).contains("VALUES\n(1);"));
    std::fs::write(&file, sql.replace("CREATE DATABASE d; ", "").replace("CREATE", "-- ")).unwrap();
    let loaded = on(&data_dir, "load", &[name, "--force"]);
    assert_eq!(loaded.status.code(), Some(1), "{}", text(&loaded.stderr));
    assert!(text(&loaded.stderr).contains("; 2 statements failed"), "{}", text(&loaded.stderr));
    assert!(dump(&data_dir, &["--tables=d.t"]).contains("VALUES\n(1),\n(2),\n(4);"));
}

#[test]
fn a_dump_that_was_cut_short_is_told_and_its_half_statement_is_not_carried_out() {
    let directory = tempfile::tempdir().unwrap();
    let whole = "-- MySQL dump 10.13\n\nCREATE DATABASE d; USE d;\nCREATE TABLE t (a INT);\n\
                 INSERT INTO t VALUES (1),(2);\n";
    for rest in ["", "DELETE FROM t"] {
        let loaded = load(directory.path(), &format!("{whole}{rest}"), &[]);
        let said = text(&loaded.stderr);
        assert_eq!(loaded.status.code(), Some(1), "{said}");
        assert!(said.contains("cut short") || said.contains("within a statement"), "{said}");
        assert!(said.contains("everything before line "), "{said}");
        // An open batch is undone when the file cannot be read on.
        let dumped = dump(directory.path(), &[]);
        assert_eq!(dumped.contains("INSERT"), rest.is_empty(), "{dumped}");
        load(directory.path(), "DROP DATABASE d;", &[]);
    }
    let loaded = load(directory.path(), &format!("{whole}-- Dump completed\n"), &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
}

#[test]
fn what_is_left_out_of_a_load_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let sql = "/*!999999\\- enable the sandbox mode */ \nCREATE DATABASE d; USE d;\n\
               SET no_such_setting = 1;\nCREATE TABLE t (a INT); CREATE TABLE u (a INT); \
               INSERT IGNORE INTO u SELECT 99999999999;\n\
               LOCK TABLES t WRITE;\n/*!40000 ALTER TABLE `t` DISABLE KEYS */;\nset autocommit=0;\n\
               INSERT INTO t VALUES (1);\ncommit;\nUNLOCK TABLES;\nCREATE USER x;\nDELIMITER ;;\nCREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW \
               BEGIN SET @a = 1; END;;\nDELIMITER ;\n";
    let loaded = load(directory.path(), sql, &[]);
    let said = text(&loaded.stderr);
    assert!(loaded.status.success(), "{said}");
    for line in [
        "standard input line 3: skipped setting Unknown system variable 'no_such_setting'",
        "standard input line 4: warning 1264: ",
        "standard input line 11: skipped user x",
        "standard input line 13: skipped trigger tr: ",
        "skipped: 1 setting, 1 trigger, 1 user; 1 warnings",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    assert!(dump(directory.path(), &[]).contains("VALUES\n(1);"));
    let latin = load(directory.path(), "/*!40101 SET NAMES latin1 */;", &[]);
    assert!(
        text(&latin.stderr).contains("line 1: the file's texts are in the character set latin1")
    );
}

#[test]
fn a_dump_amid_transfers_between_two_tables_has_the_same_sum_as_ever() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.one (id INT PRIMARY KEY, n INT)",
        "CREATE TABLE d.two (id INT PRIMARY KEY, n INT)",
    ] {
        sql.execute(statement).unwrap();
    }
    let rows: Vec<String> = (0..2000).map(|id| format!("({id},1000)")).collect();
    for table in ["one", "two"] {
        sql.execute(&format!("INSERT INTO d.{table} VALUES {}", rows.join(","))).unwrap();
    }
    let ended = AtomicBool::new(false);
    let moved = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut sql = Mysql::login(server.connect("mysql")).unwrap();
            let mut moved = 0;
            // Bounded, for when an assertion below fails.
            while !ended.load(Ordering::Relaxed) && moved < 200_000 {
                let id = moved * 7919 % 2000;
                sql.execute("BEGIN").unwrap();
                sql.execute(&format!("UPDATE d.one SET n = n - 1 WHERE id = {id}")).unwrap();
                sql.execute(&format!("UPDATE d.two SET n = n + 1 WHERE id = {}", 1999 - id))
                    .unwrap();
                sql.execute("COMMIT").unwrap();
                moved += 1;
            }
            moved
        });
        for _ in 0..10 {
            let dumped = dump(directory.path(), &["--databases=d"]);
            let values = dumped.lines().filter(|line| line.starts_with('('));
            let numbers = values.map(|line| {
                let number = line.trim_end_matches([',', ';', ')']).rsplit_once(',').unwrap().1;
                number.parse::<i64>().unwrap()
            });
            assert_eq!(numbers.sum::<i64>(), 2 * 2000 * 1000);
        }
        ended.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    assert!(moved > 0, "nothing was written meanwhile");
}

/// More than lies in buffers and sockets between the server and a dump that nobody reads.
const LARGE_ROWS: u64 = 40;

#[test]
fn a_dump_whose_table_is_altered_or_dropped_meanwhile_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=512MiB"]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.execute("CREATE DATABASE d").unwrap();
    let refusal = "`d`.`t` was altered or dropped while it was dumped; the dump is not whole";
    for change in [
        "ALTER TABLE d.t ADD COLUMN more INT",
        "ALTER TABLE d.t DROP COLUMN id",
        "RENAME TABLE d.t TO d.other",
        "DROP TABLE d.t",
    ] {
        sql.execute("CREATE TABLE d.t (id INT, x LONGTEXT)").unwrap();
        for id in 0..LARGE_ROWS {
            sql.execute(&format!("INSERT INTO d.t VALUES ({id}, REPEAT('x', 1000000))")).unwrap();
        }
        let flag = format!("--data-dir={}", directory.path().display());
        let mut command = rowhouse(&["dump", &flag, "--databases=d"]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        // Its first bytes come when some of the rows have been read, and not all can have been.
        let mut first = [0];
        let mut out = child.stdout.take().expect("piped");
        out.read_exact(&mut first).unwrap();
        sql.execute(change).unwrap();
        let rest = crate::support::read_all(&mut out);
        let ended = child.wait_with_output().unwrap();
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{change}: {said}");
        assert!(said.contains(refusal), "{change}: {said}");
        assert!(!text(&rest).contains("-- Dump completed"), "{change}");
        sql.execute("DROP TABLE IF EXISTS d.t, d.other").unwrap();
    }
}

#[test]
fn rows_of_megabytes_and_many_rows_to_a_line_come_whole() {
    let directory = tempfile::tempdir().unwrap();
    let [one, two, three] = ["one", "two", "three"].map(|name| directory.path().join(name));
    let large = "0123456789abcde\\\\".repeat(400_000);
    let many: Vec<String> = (0..100_000).map(|id| format!("({id},'{id}')")).collect();
    let sql = format!(
        "CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, x LONGTEXT); INSERT INTO t \
         VALUES (-2,'{large}'),(-1,'{large}'); INSERT INTO t VALUES {};",
        many.join(",")
    );
    let loaded = load(&one, &sql, &[]);
    assert!(text(&loaded.stderr).contains("loaded 100002 rows"), "{}", text(&loaded.stderr));
    let first = dump(&one, &[]);
    let longest = first.split_inclusive(";\n").map(str::len).max().unwrap();
    assert!(longest < 2 * large.len(), "an INSERT ends behind the row that makes it long");
    assert!(load(&two, &first, &[]).status.success());
    assert!(first == dump(&two, &[]), "the second dump differs");
    let limited = load(&three, &sql, &["--config", &small_packets(directory.path())]);
    let said = text(&limited.stderr);
    assert!(said.contains("standard input line 1: the statement has more than"), "{said}");
}

#[test]
fn a_value_whose_literal_is_longer_than_a_statement_may_be_was_dumped_and_not_loaded_again() {
    let directory = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
    let sql = "CREATE DATABASE d; USE d; CREATE TABLE t (id INT, b LONGBLOB, x LONGTEXT);
        INSERT INTO t VALUES (1, 'small', 'small');
        INSERT INTO t VALUES (2, REPEAT(x'00ff27', 13000000), NULL);
        INSERT INTO t VALUES (3, NULL, REPEAT('ü\n', 11000000));
        INSERT INTO t VALUES (4, REPEAT(x'5c', 9000000), REPEAT('€', 7000000));";
    let loaded = load(&one, sql, &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let first = dump(&one, &[]);
    let longest = first.split_inclusive(";\n").map(str::len).max().unwrap();
    assert!(longest < 10 << 20, "a statement of {longest} bytes");
    let loaded = load(&two, &first, &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert!(first == dump(&two, &[]), "the second dump differs");
}

#[test]
fn tables_by_column_and_columnar_indexes_come_over_as_what_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
    let server = Running::start(&one, &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let columns = "id INT AUTO_INCREMENT, n DECIMAL(9,2), word VARCHAR(40), day DATETIME(3), e \
                   ENUM('a','b'), b VARBINARY(9), PRIMARY KEY (id), UNIQUE KEY words (word), \
                   KEY by_day (day, n)";
    for statement in [
        "CREATE DATABASE d",
        &format!("CREATE TABLE d.t ({columns}) ENGINE=COLUMNAR COMMENT='by column'"),
        &format!("CREATE TABLE d.r ({columns}, COLUMNAR KEY ci (n, day) COMMENT 'both')"),
        "CREATE TABLE d.bare (n INT, word TEXT) ENGINE=COLUMNAR",
    ] {
        sql.execute(statement).unwrap();
    }
    let row = |id: u32| match id % 7 {
        0 => format!("({id}, NULL, NULL, NULL, NULL, NULL)"),
        _ => format!(
            "({id}, {id}.5, 'it''s {id}', '2024-01-01 00:00:00.{:03}', {}, x'00{:02x}27')",
            id % 1000,
            id % 2 + 1,
            id % 256
        ),
    };
    let rows: Vec<String> = (1..20_000).map(row).collect();
    for rows in rows.chunks(1000) {
        for table in ["t", "r"] {
            sql.execute(&format!("INSERT INTO d.{table} VALUES {}", rows.join(","))).unwrap();
        }
    }
    let sealed = "SHOW TABLE STATUS FROM d LIKE 't'";
    wait_until("the rows to be sealed", || sql.query(sealed).unwrap()[0][5] != Some("0".into()));
    // Some that are dead in a segment, and some in none.
    for table in ["t", "r"] {
        sql.execute(&format!("UPDATE d.{table} SET n = -n WHERE id % 100 = 1")).unwrap();
        sql.execute(&format!("DELETE FROM d.{table} WHERE id % 100 = 2")).unwrap();
        sql.execute(&format!("INSERT INTO d.{table} (word) VALUES ('the last')")).unwrap();
    }
    sql.execute("INSERT INTO d.bare SELECT id DIV 2, word FROM d.t").unwrap();
    let asked = [
        "SHOW CREATE TABLE d.t",
        "SHOW CREATE TABLE d.r",
        "SHOW CREATE TABLE d.bare",
        "SELECT * FROM d.t ORDER BY id",
        "SELECT * FROM d.r ORDER BY id",
        "SELECT * FROM d.bare ORDER BY n, word",
    ];
    let answers = asked.map(|query| sql.query(query).unwrap());
    let created = |at: usize| answers[at][0][1].clone().unwrap();
    assert!(created(0).contains(" ENGINE=COLUMNAR ") && created(2).contains(" ENGINE=COLUMNAR "));
    assert!(created(1).contains("COLUMNAR KEY `ci` (`n`,`day`)"), "{}", created(1));
    assert_eq!(answers[3], answers[4]);
    let first = dump(&one, &["--databases=d"]);
    assert_eq!(server.stop().code(), Some(0));
    let loaded = load(&two, &first, &[]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert!(first == dump(&two, &["--databases=d"]), "the second dump differs");
    let server = Running::start(&two, &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for executor in ["rows", "columns"] {
        sql.execute(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
        for (query, answer) in asked.iter().zip(&answers) {
            assert!(sql.query(query).unwrap() == *answer, "{executor}: {query}");
        }
    }
    wait_until("the rows to be sealed", || sql.query(sealed).unwrap()[0][5] != Some("0".into()));
    let duplicate = sql.execute("INSERT INTO d.t (word) VALUES ('IT''S 11')");
    assert!(matches!(duplicate, Err(Failure::Error { number: 1062, .. })), "{duplicate:?}");
    assert_eq!(server.stop().code(), Some(0));
    let checked = on(&two, "check", &[]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
}

/// A settings file with a small `max-allowed-packet`.
fn small_packets(directory: &Path) -> String {
    let file = directory.join("small.toml");
    std::fs::write(&file, "max-allowed-packet = \"1MiB\"\n").unwrap();
    file.display().to_string()
}

#[test]
fn a_server_elsewhere_and_a_user_are_named_by_flags() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("users.toml");
    std::fs::write(&config, "[[users]]\nname = \"app\"\npassword = \"secret\"\n").unwrap();
    let data_dir = directory.path().join("data");
    let server = Running::start(&data_dir, &["--config", config.to_str().unwrap()]);
    let port = server.port("mysql").to_string();
    let there = ["--host=127.0.0.1", "--port", &port, "--user=app"];
    let loaded = load(
        directory.path(),
        "CREATE DATABASE d; CREATE TABLE d.t (a INT); INSERT INTO d.t VALUES (5)",
        &[&there[..], &["--password=secret"]].concat(),
    );
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let refused = on(&data_dir, "dump", &["--user=app", "--password=wrong"]);
    assert!(text(&refused.stderr).contains("ERROR 1045 (28000): Access denied"));
    let dumped = dump(&data_dir, &["--user=app", "--password=secret", "--tables=d.t"]);
    assert!(dumped.contains("INSERT INTO `t` VALUES\n(5);"), "{dumped}");
    let missing = on(&data_dir, "dump", &["--user=app", "--password=secret", "--tables=d.u"]);
    assert!(text(&missing.stderr).contains("there is no table `d`.`u`"));
}

#[test]
fn accounts_and_their_grants_go_into_another_server_where_that_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    let made = "CREATE DATABASE d; CREATE TABLE d.t (a INT PRIMARY KEY, b INT);\n\
                CREATE ROLE reader; CREATE USER ann@localhost IDENTIFIED WITH \
                'mysql_native_password' AS '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7';\n\
                GRANT SELECT (a), INSERT ON d.t TO reader; GRANT ALL ON `d_%`.* TO ann@localhost;\n\
                GRANT reader TO ann@localhost; ALTER USER ann@localhost DEFAULT ROLE reader;\n\
                CREATE USER 'bo''b' IDENTIFIED BY 'p1' PASSWORD HISTORY 3 PASSWORD EXPIRE;\n\
                ALTER USER 'bo''b' IDENTIFIED BY 'p2'; ALTER USER 'bo''b' IDENTIFIED BY 'p3' \
                RETAIN CURRENT PASSWORD; ALTER USER 'bo''b' PASSWORD EXPIRE;\n\
                CREATE USER c IDENTIFIED VIA unix_socket OR ed25519 USING PASSWORD('p1') PASSWORD \
                HISTORY 2; SET PASSWORD FOR c = 'p2';\n";
    let loaded = load(&one, made, &["--accounts"]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert!(!dump(&one, &[]).contains("USER"));
    let dumped = dump(&one, &["--accounts"]);
    assert!(dumped.contains("GRANT ALL PRIVILEGES ON `d_%`.* TO `ann`@`localhost`;"), "{dumped}");
    assert!(!dumped.contains("`mysql`"), "{dumped}");
    // Without the flag there are none, and that is told.
    let without = load(&directory.path().join("three"), &dumped, &[]);
    assert!(without.status.success(), "{}", text(&without.stderr));
    assert!(text(&without.stderr).contains("skipped user ann"), "{}", text(&without.stderr));
    let loaded = load(&two, &dumped, &["--accounts"]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert_eq!(dump(&two, &["--accounts"]), dumped);
    // The passwords of before may come no more there either, and the one that is kept holds.
    let refused = |statement: &str| {
        let said = load(&two, statement, &["--accounts"]);
        assert!(text(&said.stderr).contains("ERROR 3638"), "{statement}: {}", text(&said.stderr));
    };
    for password in ["p1", "p2", "p3"] {
        refused(&format!("ALTER USER 'bo''b' IDENTIFIED BY '{password}';"));
    }
    for password in ["p1", "p2"] {
        refused(&format!("SET PASSWORD FOR c = '{password}';"));
    }
    assert!(dumped.contains(" RETAIN CURRENT PASSWORD REQUIRE NONE PASSWORD EXPIRE "), "{dumped}");
    let loaded = load(&two, "ALTER USER 'bo''b' IDENTIFIED BY 'p4';", &["--accounts"]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
}
