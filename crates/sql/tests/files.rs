//! Files of the server: LOAD DATA INFILE and SELECT ... INTO OUTFILE, answered as MariaDB 10.11
//! answers.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use resources::spill::SpillDirectory;

use crate::harness::{answer, error, run, session};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

struct House {
    folder: tempfile::TempDir,
    _spill: tempfile::TempDir,
    sql: Arc<Sql>,
    session: Session,
}

fn house() -> House {
    let folder = tempfile::tempdir().unwrap();
    let spill = tempfile::tempdir().unwrap();
    let directory = SpillDirectory::open(spill.path()).unwrap();
    let options = EngineOptions { spill: Some(directory), ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    let options = SqlOptions {
        memory_bytes: 256 << 20,
        threads: 2,
        files: vec![folder.path().to_path_buf()],
        ..SqlOptions::default()
    };
    let sql = Sql::new(engine, &options, analytic::start).unwrap();
    let session = session(&sql);
    House { folder, _spill: spill, sql, session }
}

impl House {
    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).expect(name)
    }

    fn names(&self) -> Vec<String> {
        let list = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Values that formats have to escape, one of each type that prints differently.
const ROWS: &str = "INSERT INTO t VALUES (1, 'x', '2020-01-01', 1.5, x'00ff27225c0a0d2c'), (2, NULL, \
                    NULL, NULL, NULL), (3, 'a\\tb\\\\c\\nd\"e,\\r\\n N', '2020-01-01', 1e100, ''), \
                    (4, 'NULL', NULL, -0.5, '\\\\N')";

fn furnish(s: &mut Session) {
    run(
        s,
        "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(40), c DATETIME, d DOUBLE, e VARBINARY(40))",
    );
    run(s, ROWS);
}

#[test]
fn files_are_as_mariadb_writes_them() {
    let mut h = house();
    let s = &mut h.session;
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), c DATETIME, d DOUBLE)");
    run(
        s,
        "INSERT INTO t VALUES (1,'x','2020-01-01',1.5), (2,NULL,NULL,NULL), (3,'a\tb\\\\c\\nd\"e,','2020-01-01',1e100)",
    );
    assert_eq!(run(s, "SELECT * FROM t INTO OUTFILE 'a.txt'"), "ok 3");
    run(
        s,
        "SELECT * INTO OUTFILE 'b.txt' FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' \
            ESCAPED BY '\\\\' LINES TERMINATED BY '\\r\\n' FROM t",
    );
    run(
        s,
        "SELECT * INTO OUTFILE 'c.txt' FIELDS TERMINATED BY ',' ENCLOSED BY '\"' ESCAPED BY '' \
            LINES STARTING BY '>>' FROM t",
    );
    run(
        s,
        "SELECT * INTO OUTFILE 'd.txt' CHARACTER SET utf8mb4 FIELDS TERMINATED BY 'ab' ESCAPED BY '' FROM t",
    );
    assert_eq!(run(s, "(SELECT 1) UNION (SELECT 2) INTO OUTFILE 'u.txt'"), "ok 2");
    run(s, "SELECT 'tab\tx', 't' INTO OUTFILE 'g.txt' FIELDS TERMINATED BY 'tx' ESCAPED BY 'e'");
    assert_eq!(run(s, "SELECT b FROM t WHERE a = 99 INTO OUTFILE 'empty.txt'"), "ok 0");
    let expected: [(&str, &[u8]); 7] = [
        ("a.txt", b"1\tx\t2020-01-01 00:00:00\t1.5\n2\t\\N\t\\N\t\\N\n3\ta\\\tb\\\\c\\\nd\"e,\t2020-01-01 00:00:00\t1e100\n"),
        ("b.txt", b"1,\"x\",\"2020-01-01 00:00:00\",1.5\r\n2,\\N,\\N,\\N\r\n3,\"a\tb\\\\c\nd\\\"e,\",\"2020-01-01 00:00:00\",1e100\r\n"),
        ("c.txt", b">>\"1\",\"x\",\"2020-01-01 00:00:00\",\"1.5\"\n>>\"2\",NULL,NULL,NULL\n>>\"3\",\"a\tb\\c\nd\"e,\",\"2020-01-01 00:00:00\",\"1e100\"\n"),
        ("d.txt", b"1abxab2020-01-01 00:00:00ab1.5\n2abNULLabNULLabNULL\n3aba\tb\\c\nd\"e,ab2020-01-01 00:00:00ab1e100\n"),
        ("u.txt", b"1\n2\n"),
        ("g.txt", b"tab\txtxt\n"),
        ("empty.txt", b""),
    ];
    for (name, bytes) in expected {
        let (found, bytes) = (h.file(name), bytes);
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(bytes), "{name}");
    }
}

#[test]
fn a_dumpfile_holds_one_row_and_nothing_else() {
    let mut h = house();
    furnish(&mut h.session);
    let s = &mut h.session;
    assert_eq!(run(s, "SELECT a, e FROM t WHERE a = 1 INTO DUMPFILE 'd.bin'"), "ok 1");
    assert_eq!(error(s, "SELECT a FROM t INTO DUMPFILE 'e.bin'"), 1172);
    run(s, "SELECT b INTO DUMPFILE 'f.bin' FROM t WHERE a = 2");
    run(s, "SELECT b INTO DUMPFILE 'g.bin' FROM t WHERE a = 99");
    assert_eq!(h.file("d.bin"), b"1\x00\xff'\"\\\n\r,");
    assert_eq!(h.file("f.bin"), b"\0");
    assert_eq!(h.file("g.bin"), b"");
    assert_eq!(h.names(), ["d.bin", "f.bin", "g.bin"]);
}

#[test]
fn what_is_written_is_loaded_again() {
    let mut h = house();
    furnish(&mut h.session);
    let s = &mut h.session;
    run(s, "CREATE TABLE u LIKE t");
    let all = "SELECT a, HEX(b), c, d, HEX(e) FROM";
    let before = run(s, &format!("{all} t ORDER BY a"));
    let formats = [
        "",
        "FIELDS TERMINATED BY ',' ENCLOSED BY '\"' LINES TERMINATED BY '\\r\\n'",
        "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\\'' ESCAPED BY '|'",
        "FIELDS TERMINATED BY '||' LINES STARTING BY '>' TERMINATED BY ';\\n'",
    ];
    for (n, format) in formats.iter().enumerate() {
        run(s, &format!("SELECT * FROM t INTO OUTFILE 'r{n}' {format}"));
        run(s, "DELETE FROM u");
        let loaded = run(s, &format!("LOAD DATA INFILE 'r{n}' INTO TABLE u {format}"));
        assert_eq!(loaded, "ok 4 [Records: 4  Deleted: 0  Skipped: 0  Warnings: 0]", "{format}");
        assert_eq!(run(s, &format!("{all} u ORDER BY a")), before, "{format}");
    }
}

#[test]
fn a_file_of_the_server_is_loaded_strictly_unless_ignore_is_said() {
    let mut h = house();
    fs::write(h.folder.path().join("keys"), "1\tone\n2\ttwo\n1\tagain\n").unwrap();
    fs::write(h.folder.path().join("values"), "7\ta\nx\tb\n").unwrap();
    let s = &mut h.session;
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9))");
    assert_eq!(error(s, "LOAD DATA INFILE 'keys' INTO TABLE t"), 1062);
    assert_eq!(run(s, "SHOW WARNINGS"), "Error\t1062\tDuplicate entry '1' for key 't.PRIMARY'");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
    assert_eq!(error(s, "LOAD DATA INFILE 'values' INTO TABLE t"), 1366);
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
    let ignored = run(s, "LOAD DATA INFILE 'keys' IGNORE INTO TABLE t");
    assert!(ignored.contains("Records: 3  Deleted: 0  Skipped: 1"), "{ignored}");
    let replaced = run(s, "LOAD DATA INFILE 'keys' REPLACE INTO TABLE t");
    // Two of the rows are what they were.
    assert!(replaced.contains("Records: 3  Deleted: 1"), "{replaced}");
    assert_eq!(run(s, "SELECT * FROM t"), "1\tagain\n2\ttwo");
    run(s, "BEGIN");
    run(s, "LOAD DATA INFILE 'values' IGNORE INTO TABLE t SET b = CONCAT(b, '!')");
    run(s, "ROLLBACK");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn large_files_go_through_the_parallel_loader() {
    let mut h = house();
    let s = &mut h.session;
    run(s, "CREATE TABLE n (i INT PRIMARY KEY)");
    let digits: Vec<String> = (0..400).map(|i| format!("({i})")).collect();
    run(s, &format!("INSERT INTO n VALUES {}", digits.join(",")));
    let many = "SELECT a.i * 400 + b.i, REPEAT('x', 20), a.i FROM n a JOIN n b";
    assert_eq!(run(s, &format!("{many} INTO OUTFILE 'many'")), "ok 160000");
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), c INT, KEY (c))");
    let path = h.folder.path().join("many");
    let loaded = run(s, &format!("LOAD DATA INFILE '{}' INTO TABLE t", path.display()));
    assert!(loaded.starts_with("ok 160000 [Records: 160000"), "{loaded}");
    assert_eq!(
        run(s, "SELECT COUNT(*), SUM(a), COUNT(DISTINCT c) FROM t"),
        "160000\t12799920000\t400"
    );
    // An error takes all of it back.
    let mut text = fs::read(&path).unwrap();
    text.extend(b"0\tagain\t0\n");
    fs::write(h.folder.path().join("twice"), text).unwrap();
    run(s, "TRUNCATE t");
    assert_eq!(error(s, "LOAD DATA INFILE 'twice' INTO TABLE t"), 1062);
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn paths_that_are_not_allowed_or_not_there_get_mysqls_errors() {
    let mut h = house();
    furnish(&mut h.session);
    let folder = h.folder.path().display().to_string();
    fs::create_dir(h.folder.path().join("inner")).unwrap();
    std::os::unix::fs::symlink("/etc", h.folder.path().join("etc")).unwrap();
    let s = &mut h.session;
    assert_eq!(run(s, "SELECT @@secure_file_priv"), format!("{folder}/"));
    run(s, "SELECT 1 INTO OUTFILE 'a'");
    run(s, "SELECT 2 INTO OUTFILE 'inner/a'");
    for (number, text) in [
        (1086, "SELECT 1 INTO OUTFILE 'a'".to_string()),
        (1086, format!("SELECT 1 INTO DUMPFILE '{folder}/a'")),
        (1290, "SELECT 1 INTO OUTFILE '/tmp/z'".to_string()),
        (1290, "SELECT 1 INTO OUTFILE '../z'".to_string()),
        (1290, "SELECT 1 INTO OUTFILE 'etc/z'".to_string()),
        (1290, "SELECT 1 INTO OUTFILE ''".to_string()),
        (1, "SELECT 1 INTO OUTFILE 'none/x'".to_string()),
        (1235, "SELECT 1 INTO OUTFILE 'x' FIELDS TERMINATED BY ''".to_string()),
        (1064, "SELECT 1 INTO OUTFILE".to_string()),
        (1064, "SELECT 1 INTO OUTFILE 'x' FIELDS ENCLOSED BY 'ab'".to_string()),
        (1146, "SELECT 1 FROM none INTO OUTFILE 'x'".to_string()),
        (1290, "LOAD DATA INFILE '/etc/passwd' INTO TABLE t".to_string()),
        (1290, "LOAD DATA INFILE 'etc/passwd' INTO TABLE t".to_string()),
        (13, "LOAD DATA INFILE 'none' INTO TABLE t".to_string()),
        (1085, "LOAD DATA INFILE 'inner' INTO TABLE t".to_string()),
    ] {
        assert_eq!(error(s, &text), number, "{text}");
    }
    assert_eq!(h.names(), ["a", "etc", "inner"]);
    assert!(!Path::new("/etc/z").exists());
    // Without folders there are no files.
    let mut s = session(&crate::harness::server());
    assert_eq!(run(&mut s, "SELECT @@secure_file_priv"), "NULL");
    assert_eq!(error(&mut s, "SELECT 1 INTO OUTFILE 'a'"), 1290);
    run(&mut s, "CREATE TABLE t (a INT)");
    assert_eq!(error(&mut s, "LOAD DATA INFILE 'a' INTO TABLE t"), 1290);
}

#[test]
fn a_query_that_is_killed_or_fails_leaves_no_file() {
    let mut h = house();
    let s = &mut h.session;
    run(s, "CREATE TABLE n (i INT PRIMARY KEY)");
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    run(s, &format!("INSERT INTO n VALUES {}", rows.join(",")));
    let mut other = Session::new(&h.sql, 2, "root", "localhost", Some("test")).unwrap();
    let running = std::thread::spawn(move || {
        answer(&mut other, "SELECT a.i, b.i, c.i FROM n a, n b, n c INTO OUTFILE 'endless'")
    });
    let shown = "SELECT COUNT(*) FROM information_schema.processlist WHERE INFO LIKE '%endless%' AND ID = 2";
    while run(s, shown) == "0" {
        std::thread::park_timeout(Duration::from_millis(1));
    }
    run(s, "DO SLEEP(0.2)");
    run(s, "KILL QUERY 2");
    assert_eq!(running.join().unwrap().unwrap_err().code().number(), 1317);
    assert_eq!(error(s, "SELECT (SELECT i FROM n) INTO OUTFILE 'failed'"), 1242);
    assert!(h.names().is_empty(), "{:?}", h.names());
}

#[test]
fn files_that_said_no_character_set_were_utf8() {
    let mut h = house();
    let s = &mut h.session;
    // A text is written in its column's set, and read in the database's.
    run(s, "CREATE DATABASE l CHARACTER SET latin1");
    run(s, "USE l");
    run(s, "CREATE TABLE t (a VARCHAR(9), b VARCHAR(9) CHARACTER SET utf8mb4)");
    run(s, "INSERT INTO t VALUES ('ü', 'x')");
    run(s, "SELECT a FROM t INTO OUTFILE 'a'");
    assert_eq!(h.file("a"), b"\xfc\n");
    let s = &mut h.session;
    run(s, "SELECT a FROM t INTO OUTFILE 'u' CHARACTER SET utf8mb4");
    assert_eq!(h.file("u"), "ü\n".as_bytes());
    let s = &mut h.session;
    run(s, "LOAD DATA INFILE 'a' INTO TABLE t (b)");
    run(s, "LOAD DATA INFILE 'u' INTO TABLE t CHARACTER SET utf8mb4 (b)");
    run(s, "SET character_set_database = utf8mb4");
    run(s, "LOAD DATA INFILE 'u' INTO TABLE t (b)");
    assert_eq!(run(s, "SELECT b FROM t"), "x\nü\nü\nü");
    assert_eq!(run(s, "SELECT @@collation_database"), "utf8mb4_general_ci");
    run(s, "USE l");
    assert_eq!(run(s, "SELECT @@character_set_database"), "latin1");
    // A byte of a character is no backslash.
    run(s, "CREATE DATABASE j CHARACTER SET gbk");
    run(s, "USE j");
    run(s, "CREATE TABLE t (a VARCHAR(9))");
    run(s, "INSERT INTO t VALUES ('誠\\\\x')");
    run(s, "SELECT a FROM t INTO OUTFILE 'j'");
    assert_eq!(h.file("j"), b"\xd5\x5c\x5c\x5cx\n");
    let s = &mut h.session;
    run(s, "LOAD DATA INFILE 'j' INTO TABLE t");
    assert_eq!(run(s, "SELECT a FROM t"), "誠\\x\n誠\\x");
}

#[test]
fn a_new_database_did_not_have_the_collation_of_the_server() {
    let mut h = house();
    let s = &mut h.session;
    run(s, "SET collation_server = latin1_german1_ci");
    assert_eq!(run(s, "SELECT @@character_set_server"), "latin1");
    run(s, "CREATE DATABASE d");
    run(s, "CREATE DATABASE e CHARACTER SET utf8mb4");
    run(s, "SET character_set_server = cp1251");
    assert_eq!(run(s, "SELECT @@collation_server"), "cp1251_general_ci");
    run(s, "CREATE DATABASE f");
    run(s, "SET GLOBAL character_set_server = latin2");
    let other = &mut session(&h.sql);
    assert_eq!(run(other, "SELECT @@collation_server"), "latin2_general_ci");
    run(other, "CREATE DATABASE g");
    assert_eq!(error(other, "SET character_set_server = nothing"), 1115);
    assert_eq!(error(other, "SET collation_server = nothing"), 1273);
    assert_eq!(
        run(
            other,
            "SELECT default_collation_name FROM information_schema.schemata \
             WHERE schema_name IN ('d', 'e', 'f', 'g') ORDER BY schema_name"
        ),
        "latin1_german1_ci\nutf8mb4_general_ci\ncp1251_general_ci\nlatin2_general_ci"
    );
}
