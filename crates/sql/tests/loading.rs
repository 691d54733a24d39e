//! LOAD DATA of large files: answers, rows and warnings are the same whichever way they take.

use std::sync::Arc;

use resources::spill::SpillDirectory;

use crate::harness::{answer, await_memory, run, session};
use results::ExecutionMode;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Reply, Session, Sql, SqlOptions};

const ROWS: u64 = 30_000;

/// With a directory for sorting, large files are loaded on all cores; without, row by row.
fn server(directory: Option<&tempfile::TempDir>) -> Arc<Sql> {
    let spill = directory.map(|path| SpillDirectory::open(path.path()).expect("opens"));
    let options = EngineOptions { spill, client_bytes: 64 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
    Sql::new(engine, &options, analytic::start).expect("starts")
}

/// The answer, after the state that the process list shows while the file comes in.
fn load(s: &mut Session, statement: &str, file: &[u8]) -> (String, Result<String, u16>) {
    let (reply, _) = s.query(statement.as_bytes(), ExecutionMode::POOL).expect("starts");
    let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
    let mut state = String::new();
    for bytes in file.chunks(100_003) {
        if let Err(error) = load.feed(s, bytes) {
            load.abandon(s);
            return (state, Err(error.code().number()));
        }
        state = s.sql().processes().lines()[0].state.clone().into_owned();
    }
    let done = load.finish(s).map_err(|error| error.code().number());
    (state, done.map(|done| crate::harness::shown(s, Reply::Done(done)).expect("shows")))
}

/// Loads into one server by rows, into another in parallel, and compares what a client can see.
fn compare(table: &str, statement: &str, file: &[u8]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let (by_rows, parallel) = (server(None), server(Some(&directory)));
    let mut answers = Vec::new();
    for sql in [&by_rows, &parallel] {
        let s = &mut session(sql);
        run(s, table);
        let (state, answered) = load(s, statement, file);
        assert_eq!(state.contains("reading"), Arc::ptr_eq(sql, &parallel), "{state}");
        let answered = answered.expect("loads");
        let warnings = run(s, "SHOW WARNINGS");
        let rows = run(s, "SELECT * FROM t");
        let id = run(s, "SELECT LAST_INSERT_ID(), ROW_COUNT()");
        let next = answer(s, "INSERT INTO t (k) VALUES ('next one')").expect("inserts");
        let report = sql.engine().check(&mut |_| {}).expect("reads");
        assert_eq!(report.damages, Vec::<String>::new());
        answers.push([answered, warnings, rows, id, next]);
    }
    let parallel = answers.pop().expect("two");
    let by_rows = answers.pop().expect("two");
    for (ours, other) in parallel.iter().zip(&by_rows) {
        if ours != other {
            let mut lines = ours.lines().zip(other.lines());
            let differs = lines.find(|(ours, other)| ours != other);
            panic!("{statement}: {differs:?}");
        }
    }
    let [answered, ..] = parallel;
    answered
}

const TABLE: &str = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k VARCHAR(12) NOT NULL,
     d DATE, n INT NOT NULL DEFAULT 7, s VARCHAR(60), UNIQUE (k), KEY (d, n), KEY (s))";

/// Lines with values that do not fit, NULLs, rows that share ids and keys, too few and too many
/// fields, and texts with line ends in them.
fn lines() -> Vec<u8> {
    // The highest id comes first: a row that is left out moves AUTO_INCREMENT here, and not there.
    let mut file = "100000,first,\\N,1,x\n".to_owned();
    for n in 0..ROWS {
        let mixed = n * 7919 % ROWS;
        let id = match n % 50 {
            0 => "\\N".to_owned(),
            1 => "0".to_owned(),
            2 => (mixed / 2).to_string(),
            _ => (mixed + 1).to_string(),
        };
        let key = if n % 40 == 3 { format!("k{}", mixed / 3) } else { format!("K{mixed}") };
        let date = if n % 900 == 4 { "2024-02-31".to_owned() } else { "2024-05-06".to_owned() };
        file += &match n % 700 {
            5 => format!("{id},{key}\n"),
            6 => format!("{id},{key},{date},1,x,more\n"),
            7 => format!("{id},a key that is too long {n},\\N,\\N,\\N\n"),
            8 => format!("{id},{key},\"{date}\",\"1\",\"in \"\"two\n\\nlines, {n}\"\n"),
            _ => format!("{id},{key},{date},{n},some text of a line that is not short {n}\n"),
        };
    }
    file.into_bytes()
}

const FORMAT: &str = "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'";

#[test]
fn rows_warnings_and_counts_of_a_parallel_load_are_those_of_one_by_one() {
    let statement = format!("LOAD DATA LOCAL INFILE 'f' INTO TABLE t {FORMAT}");
    let answered = compare(TABLE, &statement, &lines());
    assert!(answered.contains("Skipped: ") && !answered.contains("Skipped: 0"), "{answered}");
    let statement = format!("LOAD DATA LOCAL INFILE 'f' REPLACE INTO TABLE t {FORMAT}");
    let answered = compare(TABLE, &statement, &lines());
    assert!(answered.contains("Skipped: 0") && !answered.contains("Deleted: 0"), "{answered}");
}

#[test]
fn expressions_and_variables_see_the_rows_in_their_order() {
    let statement = format!(
        "LOAD DATA LOCAL INFILE 'f' INTO TABLE t {FORMAT} IGNORE 3 LINES (@id, k, d, n, @s)
         SET s = CONCAT(@s, n), n = LAST_INSERT_ID(LAST_INSERT_ID() + 1)"
    );
    compare(TABLE, &statement, &lines());
}

#[test]
fn a_table_without_a_primary_key_keeps_the_order_of_the_file() {
    let table = "CREATE TABLE t (k VARCHAR(40), KEY (k))";
    let text = |n| format!("{} some words of a line\n", n * 7919 % 60_000);
    let file: String = (0..60_000).map(text).collect();
    let answered = compare(table, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t", file.as_bytes());
    assert!(answered.starts_with("ok 60000"), "{answered}");
}

#[test]
fn an_error_in_the_middle_of_a_parallel_load_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(Some(&directory));
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)");
    let line = |n| match n {
        50_000 => "50000\t{no json\n".to_owned(),
        _ => format!("{n}\t[\"of a line that is not short\", {n}]\n"),
    };
    let file: String = (0..100_000).map(line).collect();
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t";
    let (state, ended) = load(s, statement, file.as_bytes());
    assert!(state.contains("reading"), "{state}");
    assert_eq!(ended, Err(3140));
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
    await_memory(&sql);
    assert_eq!(std::fs::read_dir(directory.path()).expect("is there").count(), 0);
    let sound = file.replace("{no json", "{}");
    let (_, loaded) = load(s, statement, sound.as_bytes());
    assert!(loaded.expect("loads").starts_with("ok 100000"));
}

#[test]
fn days_with_zero_parts_were_loaded_though_the_mode_refuses_them() {
    let sql = server(None);
    let s = &mut session(&sql);
    run(s, "SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'");
    run(s, "CREATE TABLE z (id INT PRIMARY KEY, d DATE, dt DATETIME)");
    let file = b"1\t2024-00-10\t2024-01-00 10:00:00\n2\t0000-00-00\t2024-01-02 03:04:05\n";
    let (_, loaded) = load(s, "LOAD DATA LOCAL INFILE 'x' INTO TABLE z", file);
    assert!(loaded.is_ok());
    assert_eq!(
        run(s, "SELECT * FROM z ORDER BY id"),
        "1\t0000-00-00\t0000-00-00 00:00:00\n2\t0000-00-00\t2024-01-02 03:04:05"
    );
}

#[test]
fn a_kill_ends_a_parallel_load() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(Some(&directory));
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(60))");
    let file: String = (0..100_000).map(|n| format!("{n}\tsome text of a line {n}\n")).collect();
    let text = b"LOAD DATA LOCAL INFILE 'f' INTO TABLE t";
    for at_the_end in [false, true] {
        let (reply, _) = s.query(text, ExecutionMode::POOL).expect("starts");
        let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
        load.feed(s, file.as_bytes()).expect("feeds");
        sql.processes().find(1).expect("it is there").kill.kill_query();
        let ended = match at_the_end {
            true => load.finish(s).map(drop),
            false => {
                let ended = load.feed(s, &file.as_bytes()[..file.len() / 2]);
                load.abandon(s);
                ended
            }
        };
        assert_eq!(ended.expect_err("it was killed").code().number(), 1317);
        assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
        await_memory(&sql);
    }
}

#[test]
fn a_file_of_another_character_set_was_read_as_utf8() {
    let sql = server(None);
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a VARCHAR(20), b VARBINARY(20), c ENUM('grün','rot'))");
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET latin1";
    load(s, statement, b"gr\xfcn\t\xfc\tgr\xfcn\n").1.expect("loads");
    assert_eq!(run(s, "SELECT a, HEX(b), c FROM t"), "grün\tFC\tgrün");
    run(s, "DELETE FROM t");
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET cp1251 (@a) SET a = @a";
    load(s, statement, b"\xe6\n").1.expect("loads");
    assert_eq!(run(s, "SELECT a FROM t"), "ж");
    // A second byte may be a backslash, a letter or a digit: it ends, and escapes, nothing.
    for (set, file) in [
        ("big5", &b"\xa5\x5c\t\xa5\x5c\n\xb3\x5c\n"[..]),
        ("gbk", b"\xb9\xa6\t\xb9\xa6\n\xd4\x53\n"),
        ("sjis", b"\x95\x5c\t\x95\x5c\n\x83\x5c\n"),
        ("cp932", b"\x95\x5c\t\x95\x5c\n\x83\x5c\n"),
        ("gb18030", b"\x81\x30\x81\x30\t\x81\x30\x81\x30\n\xb9\xa6\n"),
        ("ujis", b"\xc9\xbd\t\xc9\xbd\n\xa5\xbd\n"),
        ("euckr", b"\xc7\xd1\t\xc7\xd1\n\xb1\xdb\n"),
    ] {
        run(s, "DELETE FROM t");
        let statement =
            format!("LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET {set} (a, b)");
        let (reply, _) = s.query(statement.as_bytes(), ExecutionMode::POOL).expect("starts");
        let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
        // Cut within characters.
        file.iter().for_each(|byte| load.feed(s, &[*byte]).expect("feeds"));
        load.finish(s).expect("loads");
        let lines: Vec<&[u8]> = file.split(|byte| *byte == b'\n').collect();
        let known = values::CharacterSet::parse(set).expect("known");
        let text =
            |bytes: &[u8]| String::from_utf8(known.decode(bytes).into_owned()).expect("text");
        let first = lines[0].split(|byte| *byte == b'\t').next().expect("a field");
        let digits: String = first.iter().map(|byte| format!("{byte:02X}")).collect();
        let wanted = format!("{}\t{digits}\n{}\tNULL", text(first), text(lines[1]));
        assert_eq!(run(s, "SELECT a, HEX(b) FROM t ORDER BY b IS NULL"), wanted, "{set}");
    }
    let refused = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET utf16";
    assert_eq!(crate::harness::error(s, refused), 1235);
}

#[test]
fn a_load_waited_for_the_table_that_its_own_session_had_locked() {
    let directory = tempfile::tempdir().expect("a directory");
    for sql in [server(None), server(Some(&directory))] {
        let s = &mut session(&sql);
        run(s, "SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1");
        run(s, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(100))");
        let file: String = (0..ROWS).map(|n| format!("{n}\t{}\n", "text ".repeat(15))).collect();
        for file in ["-1\tshort\n", &file] {
            run(s, "LOCK TABLES t WRITE");
            let (_, loaded) = load(s, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t", file.as_bytes());
            assert!(loaded.is_ok(), "{} bytes: {loaded:?}", file.len());
            run(s, "UNLOCK TABLES");
        }
        assert_eq!(run(s, "SELECT COUNT(*) FROM t"), (ROWS + 1).to_string());
        run(s, "CREATE TABLE other (id INT)");
        run(s, "LOCK TABLES other WRITE, t READ");
        let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t";
        assert_eq!(load(s, statement, b"-2\tx\n").1, Err(1099));
        run(s, "LOCK TABLES other WRITE");
        assert_eq!(answer(s, statement).map_err(|error| error.code().number()), Err(1100));
    }
}

#[test]
fn a_load_obeyed_foreign_keys_that_its_session_did_not() {
    let sql = server(None);
    let s = &mut session(&sql);
    run(s, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(s, "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))");
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE c";
    load(s, statement, b"1\t7\n").1.expect("leaves the row out");
    assert_eq!(run(s, "SELECT COUNT(*) FROM c"), "0");
    run(s, "SET foreign_key_checks = 0");
    load(s, statement, b"1\t7\n").1.expect("loads");
    assert_eq!(run(s, "SELECT COUNT(*) FROM c"), "1");
}
