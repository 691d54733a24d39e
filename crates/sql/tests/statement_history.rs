//! What statements have taken: by digest, and in the slow log; and the database that tells of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{LogOptions, Session, Sql, SqlOptions};

use crate::harness::{PATIENCE, answer, run, server, session};

const SUMMARY: &str = "performance_schema.events_statements_summary_by_digest";

/// The lines of the digests whose text is like this.
fn digests(s: &mut Session, columns: &str, like: &str) -> String {
    run(s, &format!("SELECT {columns} FROM {SUMMARY} WHERE digest_text LIKE '{like}'"))
}

#[test]
fn statements_that_differ_in_literals_alone_are_one_digest_with_what_they_took() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20)");
    run(s, "INSERT INTO t VALUES (3, 30), (4, 40)");
    for id in 1..=4 {
        run(s, &format!("SELECT v FROM t WHERE id = {id}"));
        run(s, &format!("select v from t  where id={id}"));
    }
    answer(s, "SELECT v FROM t WHERE id = 1 + 18446744073709551615").expect_err("too large");
    run(s, "SELECT v, id FROM t WHERE v > 10");
    run(s, "UPDATE t SET v = v + 1 WHERE id < 3");
    let told = "count_star, sum_errors, sum_rows_sent, sum_rows_affected, schema_name, \
                length(digest), min_timer_wait <= max_timer_wait, \
                quantile_95 between min_timer_wait and max_timer_wait, \
                first_seen <= last_seen, sum_timer_wait >= max_timer_wait";
    let look_up = digests(s, told, "SELECT `v` FROM `t` WHERE `id` = ?");
    assert_eq!(look_up, "8\t0\t8\t0\ttest\t64\t1\t1\t1\t1");
    let failed = digests(s, "count_star, sum_errors", "SELECT `v` FROM `t` WHERE `id` = ? + ?");
    assert_eq!(failed, "1\t1");
    assert_eq!(digests(s, "sum_rows_sent", "SELECT `v` , `id`%"), "3");
    assert_eq!(digests(s, "count_star, sum_rows_affected", "UPDATE%"), "1\t2");
    assert_eq!(digests(s, "sum(count_star), sum(sum_rows_affected)", "INSERT INTO `t`%"), "2\t4");
    let sample = digests(s, "query_sample_text", "UPDATE%");
    assert_eq!(sample, "UPDATE t SET v = v + 1 WHERE id < 3");
    run(s, &format!("TRUNCATE TABLE {SUMMARY}"));
    assert_eq!(digests(s, "count(*)", "UPDATE%"), "0");
}

#[test]
fn prepared_statements_and_rows_that_are_never_read_are_noted_once() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(s, "INSERT INTO t VALUES (1), (2), (3)");
    let prepared = s.prepare(b"SELECT id FROM t WHERE id >= ? AND 1").expect("prepared");
    for from in [1, 2] {
        let value = [values::datum::Datum::Int(from)];
        let reply = s.execute(prepared.id, &value, results::ExecutionMode::POOL).expect("executed");
        crate::harness::shown(s, reply).expect("rows");
    }
    let (reply, _) = s.query(b"SELECT id, id FROM t", results::ExecutionMode::POOL).expect("rows");
    drop(reply);
    let counts = digests(s, "count_star, sum_rows_sent", "SELECT `id` FROM%");
    assert_eq!(counts, "2\t5");
    assert_eq!(digests(s, "count_star, sum_rows_sent", "SELECT `id` , `id` FROM%"), "1\t0");
}

#[test]
fn the_schema_is_found_in_either_case_and_changed_by_nobody() {
    let sql = server();
    let s = &mut session(&sql);
    assert!(run(s, "SHOW DATABASES").contains("performance_schema"));
    assert!(run(s, "SHOW TABLES FROM Performance_Schema").contains("threads"));
    run(s, "USE PERFORMANCE_SCHEMA");
    assert_eq!(run(s, "SELECT DATABASE()"), "performance_schema");
    assert_eq!(
        run(s, "SELECT variable_value FROM session_variables WHERE variable_name='autocommit'"),
        "ON"
    );
    assert_eq!(run(s, "SELECT processlist_id, processlist_command FROM threads"), "1\tQuery");
    let current = "SELECT sql_text LIKE '%statements_current%', timer_wait >= 0, digest IS NULL \
                   FROM events_statements_current";
    assert_eq!(run(s, current), "1\t1\t1");
    assert_eq!(
        run(
            s,
            "SELECT table_type FROM information_schema.tables WHERE \
             table_schema='performance_schema' AND table_name='data_locks'"
        ),
        "BASE TABLE"
    );
    for (statement, number) in [
        ("SELECT * FROM performance_schema.nothing", 1146),
        ("SHOW COLUMNS FROM performance_schema.nothing", 1146),
        ("SELECT * FROM information_schema.nothing", 1109),
        ("CREATE DATABASE performance_schema", 1044),
        ("CREATE DATABASE IF NOT EXISTS Information_Schema", 1044),
        ("DROP DATABASE performance_schema", 1044),
        ("TRUNCATE TABLE performance_schema.threads", 1142),
        ("TRUNCATE TABLE performance_schema.nothing", 1146),
        ("TRUNCATE TABLE information_schema.tables", 1044),
        ("INSERT INTO performance_schema.threads (name) VALUES ('a')", 1142),
        ("INSERT INTO performance_schema.setup_actors (user) VALUES ('a')", 1683),
        ("INSERT INTO performance_schema.nothing VALUES (1)", 1146),
        ("UPDATE performance_schema.accounts SET user = 'a'", 1142),
        ("UPDATE performance_schema.setup_consumers SET enabled = 'NO'", 1683),
        ("DELETE FROM performance_schema.setup_consumers", 1142),
        ("DELETE FROM information_schema.tables", 1044),
        ("INSERT INTO sys.version VALUES (1, 2)", 1471),
        ("UPDATE sys.session SET user = 'a'", 1288),
        ("DELETE FROM sys.nothing", 1146),
        ("DROP TABLE performance_schema.threads", 1142),
        ("DROP TABLE information_schema.tables", 1044),
        ("ALTER TABLE performance_schema.threads ADD a INT", 1044),
        ("CREATE TABLE performance_schema.a (a INT)", 1044),
        ("CREATE TABLE information_schema.a (a INT)", 1044),
        ("RENAME TABLE performance_schema.threads TO performance_schema.a", 1044),
        ("CREATE INDEX i ON performance_schema.threads (name)", 1044),
        ("CREATE VIEW information_schema.a AS SELECT 1", 1044),
    ] {
        let error = answer(s, statement).expect_err(statement);
        assert_eq!(error.code().number(), number, "{statement}: {error}");
    }
}

#[test]
fn counts_are_set_back_by_truncate_and_the_schemas_tables_have_definitions() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))");
    run(s, "INSERT INTO t VALUES (1, 2)");
    for _ in 0..3 {
        run(s, "SELECT * FROM t WHERE v = 2");
    }
    let uses = "SELECT COUNT(*) FROM performance_schema.table_io_waits_summary_by_index_usage \
                WHERE object_name = 't' AND index_name = 'v' AND count_star > 0";
    assert_eq!(run(s, uses), "1");
    run(s, "TRUNCATE performance_schema.table_io_waits_summary_by_index_usage");
    assert_eq!(run(s, uses), "0");
    run(s, "SELECT * FROM t WHERE v = 2");
    assert_eq!(run(s, uses), "1", "the next use is counted at once");
    // Of what is not counted there is nothing before or after.
    for empty in [
        "events_waits_history",
        "setup_actors",
        "Accounts",
        "memory_summary_by_thread_by_event_name",
    ] {
        run(s, &format!("TRUNCATE TABLE performance_schema.{empty}"));
    }
    let threads = run(s, "SHOW CREATE TABLE performance_schema.threads");
    assert!(
        threads.starts_with("threads\tCREATE TABLE `threads` (\n  `THREAD_ID` bigint"),
        "{threads}"
    );
    assert!(threads.contains("ENGINE=PERFORMANCE_SCHEMA"), "{threads}");
    let tables = run(s, "SHOW CREATE TABLE information_schema.tables");
    assert!(tables.starts_with("TABLES\tCREATE TEMPORARY TABLE `TABLES` ("), "{tables}");
    assert_eq!(run(s, "SHOW INDEX FROM performance_schema.threads"), "");
    assert_eq!(
        answer(s, "SHOW CREATE TABLE performance_schema.nothing")
            .expect_err("none")
            .code()
            .number(),
        1146
    );
    assert_eq!(run(s, "HELP 'nothing'"), "");
}

#[test]
fn functions_of_sys_and_of_digests_answer_as_in_mysql() {
    let sql = server();
    let s = &mut session(&sql);
    for (asked, expected) in [
        ("PS_CURRENT_THREAD_ID() = CONNECTION_ID()", "1"),
        ("PS_THREAD_ID(CONNECTION_ID()) = CONNECTION_ID()", "1"),
        ("PS_THREAD_ID(99999)", "NULL"),
        ("sys.ps_thread_id(NULL) = CONNECTION_ID()", "1"),
        ("sys.ps_is_thread_instrumented(CONNECTION_ID())", "YES"),
        ("sys.ps_is_consumer_enabled('statements_digest')", "YES"),
        ("sys.version_major() >= 8", "1"),
        ("sys.sys_get_config('statement_truncate_len', 5)", "64"),
        ("(SELECT value FROM sys.sys_config WHERE variable = 'statement_truncate_len')", "64"),
        ("STATEMENT_DIGEST_TEXT('select 1; ')", "SELECT ?"),
        ("STATEMENT_DIGEST('select 1') = STATEMENT_DIGEST('SELECT  -2')", "1"),
        ("LENGTH(STATEMENT_DIGEST('insert into nowhere values (1)'))", "64"),
    ] {
        assert_eq!(run(s, &format!("SELECT {asked}")), expected, "{asked}");
    }
    // The digest is that of the statements that were carried out.
    run(s, "SELECT 17 + 4, 'x'");
    let same = "SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE \
                digest = STATEMENT_DIGEST('SELECT 1+2,\\'y\\'')";
    assert_eq!(run(s, same), "1");
    for (asked, number) in [
        ("sys.format_bytes()", 1318),
        ("sys.nothing(1)", 1305),
        ("nowhere.f(1)", 1305),
        ("sys.list_add('a', NULL)", 1138),
        ("sys.ps_is_consumer_enabled('nothing')", 3047),
        ("STATEMENT_DIGEST_TEXT('')", 3676),
        ("STATEMENT_DIGEST_TEXT('selec')", 3676),
        ("STATEMENT_DIGEST_TEXT('select 1; select 2')", 3676),
        ("STATEMENT_DIGEST_TEXT('select ?')", 3676),
    ] {
        let error = answer(s, &format!("SELECT {asked}")).expect_err(asked);
        assert_eq!(error.code().number(), number, "{asked}: {error}");
    }
}

#[test]
fn tables_of_a_client_in_sys_stand_beside_its_views_and_are_not_hidden() {
    let sql = server();
    let s = &mut session(&sql);
    assert_eq!(answer(s, "CREATE DATABASE sys").expect_err("there").code().number(), 1007);
    run(s, "CREATE TABLE sys.mine (id INT PRIMARY KEY, v INT)");
    run(s, "INSERT INTO sys.mine VALUES (1, 2)");
    run(s, "UPDATE sys.mine SET v = 3");
    assert_eq!(run(s, "SELECT id, v FROM sys.mine"), "1\t3");
    assert_eq!(run(s, "SHOW COLUMNS FROM sys.mine").lines().count(), 2);
    assert!(run(s, "SHOW DATABASES").lines().any(|name| name == "sys"));
    let tables = run(s, "SHOW FULL TABLES FROM sys");
    assert!(tables.contains("mine\tBASE TABLE") && tables.contains("session\tSYSTEM VIEW"));
    assert_eq!(run(s, "SELECT conn_id FROM sys.session"), "1");
    run(s, "TRUNCATE TABLE sys.mine");
    assert_eq!(run(s, "SELECT COUNT(*) FROM sys.mine"), "0");
    run(s, "DROP TABLE sys.mine");
    run(s, "DROP DATABASE sys");
    assert_eq!(run(s, "SELECT conn_id FROM sys.session"), "1");
    assert_eq!(answer(s, "DROP DATABASE sys").expect_err("the server's").code().number(), 3552);
}

#[test]
fn views_of_sys_are_listed_described_and_changed_by_nobody() {
    let sql = server();
    let s = &mut session(&sql);
    // mariadb-dump --all-databases would try to lock what it lists.
    assert!(!run(s, "SHOW DATABASES").contains("sys"));
    assert!(run(s, "SHOW TABLES FROM sys").contains("statement_analysis"));
    let columns = run(s, "SHOW COLUMNS FROM sys.schema_unused_indexes");
    let names: Vec<&str> = columns.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(names, ["object_schema", "object_name", "index_name"]);
    assert!(run(s, "DESCRIBE sys.session").contains("conn_id"));
    assert_eq!(run(s, "SELECT conn_id, command FROM sys.session"), "1\tQuery");
    assert_eq!(run(s, "SELECT host, current_connections FROM sys.host_summary"), "localhost\t1");
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE u (a), KEY k (a, b), KEY l (b))",
    );
    run(s, "SELECT id FROM t FORCE INDEX (k) WHERE a = 1");
    let unused = "SELECT index_name FROM sys.schema_unused_indexes WHERE object_name = 't'";
    assert_eq!(run(s, unused), "l");
    run(
        s,
        "CREATE TABLE r (id INT PRIMARY KEY, a INT, b INT, KEY one (a), KEY two (a, b), \
         UNIQUE three (a, b))",
    );
    let redundant = "SELECT redundant_index_name, dominant_index_name, sql_drop_index FROM \
                     sys.schema_redundant_indexes WHERE table_name = 'r' ORDER BY 1";
    assert_eq!(
        run(s, redundant),
        "one\tthree\tALTER TABLE `test`.`r` DROP INDEX `one`\n\
         two\tthree\tALTER TABLE `test`.`r` DROP INDEX `two`"
    );
    for (statement, number) in [
        ("SELECT * FROM sys.nothing", 1146),
        ("CREATE DATABASE sys", 1007),
        ("CREATE TABLE sys.Session (a INT)", 1050),
        ("DROP DATABASE sys", 3552),
    ] {
        let error = answer(s, statement).expect_err(statement);
        assert_eq!(error.code().number(), number, "{statement}: {error}");
    }
    run(s, "CREATE USER ann");
    let ann = &mut Session::new(&sql, 2, "ann", "localhost", None).expect("a session");
    ann.act_as(&access::AccountName::new("ann", "%"));
    assert!(!run(ann, "SHOW DATABASES").contains("sys"));
    let denied = answer(ann, "SELECT * FROM sys.session").expect_err("denied");
    assert_eq!(denied.code().number(), 1142, "{denied}");
}

#[test]
fn rows_that_a_statement_looks_at_are_counted_whoever_runs_it() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)");
    for (statement, like, examined) in [
        ("SELECT v FROM t WHERE id = 2", "SELECT `v` FROM `t` WHERE `id` = ?", "1"),
        ("SELECT id FROM t WHERE v + 0 > 25", "SELECT `id` FROM `t` WHERE `v` + ? > ?", "4"),
        ("SELECT COUNT(*) FROM t AS c WHERE v > 15", "SELECT COUNT%AS `c`%", "3"),
        ("SELECT a.id FROM t a JOIN t b ON b.id = a.id", "SELECT `a` . `id`%", "8"),
        ("UPDATE t SET v = v + 1 WHERE v + 0 = 20", "UPDATE%", "4"),
        ("DELETE FROM t WHERE id = 4", "DELETE%", "1"),
    ] {
        run(s, statement);
        assert_eq!(digests(s, "sum_rows_examined", like), examined, "{statement}");
    }
}

#[test]
fn what_others_do_is_told_to_those_who_may_read_it() {
    let sql = server();
    let root = &mut session(&sql);
    run(root, "CREATE USER ann IDENTIFIED BY 'secret-of-ann'");
    let text = format!("SELECT COUNT(*) FROM {SUMMARY} WHERE query_sample_text LIKE '%of-ann%'");
    assert_eq!(run(root, &text), "0");
    let ann = &mut Session::new(&sql, 2, "ann", "localhost", None).expect("a session");
    ann.act_as(&access::AccountName::new("ann", "%"));
    let denied = answer(ann, &format!("SELECT * FROM {SUMMARY}")).expect_err("denied");
    assert_eq!(denied.code().number(), 1142, "{denied}");
    assert_eq!(run(ann, "SELECT id FROM performance_schema.processlist"), "2");
    let autocommit = "SELECT COUNT(*) FROM performance_schema.session_variables";
    assert_ne!(run(ann, autocommit), "0");
    run(root, "GRANT SELECT ON performance_schema.* TO ann");
    assert_ne!(run(ann, &format!("SELECT COUNT(*) FROM {SUMMARY}")), "0");
}

pub fn server_with_slow_log(path: &Path) -> Arc<Sql> {
    let options = EngineOptions { make_rules: sql::make_rules, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions {
        memory_bytes: 64 << 20,
        threads: 2,
        logs: LogOptions {
            slow_file: path.to_path_buf(),
            general_file: path.with_file_name("general.log"),
            ..LogOptions::default()
        },
        ..SqlOptions::default()
    };
    Sql::new(engine, &options, analytic::start).expect("starts")
}

/// The file's text once it holds these words, which its own thread writes.
#[track_caller]
fn written(path: &Path, words: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.contains(words) {
            return text;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {words} in {text}");
        std::thread::yield_now();
    }
}

#[test]
fn slow_statements_are_logged_in_mysqls_form_and_a_file_that_was_moved_away_is_begun_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("slow.log");
    let sql = server_with_slow_log(&path);
    let s = &mut session(&sql);
    run(s, "SET long_query_time = 0");
    run(s, "SELECT 'while it is off'");
    assert!(!path.exists());
    run(s, "SET GLOBAL slow_query_log = 1");
    run(s, "SELECT 1 UNION ALL SELECT 2");
    let text = written(&path, "SELECT 1 UNION ALL SELECT 2;\n");
    assert!(!text.contains("while it is off"), "{text}");
    for words in [
        "\n# Time: 20",
        "\n# User@Host: root[root] @ localhost []  Id:     1\n# Query_time: 0.",
        "  Lock_time: 0.000000 Rows_sent: 2  Rows_examined: 0\nSET timestamp=",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    assert_eq!(text.matches("use test;").count(), 1, "only where the database changes: {text}");
    let moved = directory.path().join("slow.log.1");
    std::fs::rename(&path, &moved).expect("moved");
    run(s, "FLUSH SLOW LOGS");
    run(s, "SELECT 3");
    let text = written(&path, "SELECT 3;\n");
    assert!(text.starts_with("rowhouse, Version: ") && text.contains("use test;"), "{text}");
    // A longer limit holds from the next statement on.
    run(s, "SET long_query_time = 1000");
    run(s, "SELECT 4");
    run(s, "SET long_query_time = 0");
    run(s, "SELECT 5");
    assert!(!written(&path, "SELECT 5;\n").contains("SELECT 4;"));
    assert!(run(s, "SHOW STATUS LIKE 'Slow_queries'") != "Slow_queries\t0");
}

#[test]
fn a_slow_log_that_cannot_be_written_stops_nobody_and_is_told_of() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server_with_slow_log(&directory.path().join("nowhere").join("slow.log"));
    let s = &mut session(&sql);
    run(s, "SET GLOBAL slow_query_log = 1");
    run(s, "SET long_query_time = 0");
    let begun = Instant::now();
    while run(s, "SHOW STATUS LIKE 'Rowhouse_slow_queries_left_out'").ends_with("\t0") {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for an entry that is left out");
    }
}

#[test]
fn both_logs_are_tables_where_log_output_says_so_and_may_be_emptied() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("slow.log");
    let sql = server_with_slow_log(&path);
    let s = &mut session(&sql);
    for (asked, shown) in
        [("'TABLE,NONE'", "NONE,TABLE"), ("6", "FILE,TABLE"), ("'table'", "TABLE")]
    {
        run(s, &format!("SET GLOBAL log_output = {asked}"));
        assert_eq!(run(s, "SELECT @@log_output"), shown);
    }
    for wrong in ["'file,disk'", "0", "8", "''"] {
        let error = answer(s, &format!("SET GLOBAL log_output = {wrong}")).expect_err(wrong);
        assert_eq!(error.code().number(), 1231, "{wrong}");
    }
    run(s, "SET GLOBAL slow_query_log = 1");
    run(s, "SET GLOBAL general_log = 1");
    run(s, "SET long_query_time = 0");
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20)");
    run(s, "SELECT v FROM t WHERE id > 0");
    let entry = "SELECT user_host, rows_sent, rows_examined, db, CAST(sql_text AS CHAR), thread_id, \
                 server_id, query_time < '00:01:00', lock_time, start_time > '2020-01-01' \
                 FROM mysql.slow_log WHERE sql_text LIKE 'SELECT v FROM t%'";
    let expected = "root[root] @ localhost []\t2\t2\ttest\tSELECT v FROM t WHERE id > 0\t1\t1\t1\t\
                    00:00:00.000000\t1";
    assert_eq!(run(s, entry), expected);
    let asked = "SELECT command_type, CAST(argument AS CHAR) FROM mysql.general_log WHERE argument \
                 LIKE 'INSERT%'";
    assert_eq!(run(s, asked), "Query\tINSERT INTO t VALUES (1, 10), (2, 20)");
    let prepared = s.prepare(b"SELECT v FROM t WHERE id = ?").expect("prepared");
    let reply =
        s.execute(prepared.id, &[values::datum::Datum::Int(1)], results::ExecutionMode::POOL);
    crate::harness::shown(s, reply.expect("executed")).expect("rows");
    let commands = "SELECT command_type, CAST(argument AS CHAR) FROM mysql.general_log \
                    WHERE argument LIKE 'SELECT v FROM t WHERE id = %' ORDER BY event_time";
    assert_eq!(
        run(s, commands),
        "Prepare\tSELECT v FROM t WHERE id = ?\nExecute\tSELECT v FROM t WHERE id = 1"
    );
    // With its values it can be run again.
    let slow =
        "SELECT COUNT(*) FROM mysql.slow_log WHERE sql_text = 'SELECT v FROM t WHERE id = 1'";
    assert_eq!(run(s, slow), "1");
    // Passwords are in neither.
    run(s, "CREATE USER ann IDENTIFIED BY 'hidden word'");
    for log in ["slow_log", "general_log"] {
        let text = if log == "slow_log" { "sql_text" } else { "argument" };
        let like = |words: &str| {
            format!("SELECT COUNT(*) FROM mysql.{log} WHERE {text} LIKE 'CREATE USER%{words}%'")
        };
        assert_eq!(run(s, &like("ann")), "1", "{log}");
        assert_eq!(run(s, &like("hidden")), "0", "{log}");
        assert_eq!(
            run(s, &format!("SHOW COLUMNS FROM mysql.{log}")).lines().count(),
            match log {
                "slow_log" => 12,
                _ => 6,
            }
        );
        for refused in ["DELETE FROM", "DROP TABLE", "INSERT INTO", "ALTER TABLE"] {
            let tail = match refused {
                "INSERT INTO" => " VALUES ()",
                "ALTER TABLE" => " ADD x INT",
                _ => "",
            };
            let statement = format!("{refused} mysql.{log}{tail}");
            assert_eq!(answer(s, &statement).expect_err(&statement).code().number(), 1036);
        }
    }
    assert!(!path.exists() && !path.with_file_name("general.log").exists());
    run(s, "SET GLOBAL log_output = 'FILE'");
    run(s, "TRUNCATE TABLE mysql.slow_log");
    run(s, "TRUNCATE mysql.general_log");
    assert_eq!(run(s, "SELECT COUNT(*) FROM mysql.slow_log"), "0");
    assert_eq!(run(s, "SELECT COUNT(*) FROM mysql.general_log"), "0");
    run(s, "SELECT 'to a file'");
    let text = written(&path.with_file_name("general.log"), "SELECT 'to a file'\n");
    assert!(text.contains("Z\t    1 Query\tTRUNCATE mysql.general_log\n"), "{text}");
    run(s, "SET GLOBAL log_output = 'NONE'");
    run(s, "SELECT 'to nowhere'");
    run(s, "SET GLOBAL log_output = 'FILE'");
    run(s, "SELECT 'to the file again'");
    let text = written(&path.with_file_name("general.log"), "SELECT 'to the file again'\n");
    assert!(!text.contains("nowhere"), "{text}");
    // A user without rights on them reads and empties neither.
    let ann = &mut Session::of_account(
        &sql,
        9,
        ("ann", "localhost"),
        &access::AccountName::new("ann", "%"),
        None,
    )
    .expect("a session");
    for statement in ["SELECT * FROM mysql.slow_log", "TRUNCATE TABLE mysql.slow_log"] {
        assert_eq!(answer(ann, statement).expect_err(statement).code().number(), 1142);
    }
}

#[test]
fn the_most_memory_that_a_statement_had_is_with_it() {
    let sql = server();
    let s = &mut session(&sql);
    let long = "x".repeat(3 << 20);
    run(s, &format!("SELECT LENGTH('{long}')"));
    run(s, "SELECT 1");
    let most = "SELECT max_controlled_memory > 3000000, max_total_memory < 300000000 \
                FROM performance_schema.events_statements_summary_by_digest WHERE digest_text LIKE \
                'SELECT `LENGTH` (%'";
    assert_eq!(run(s, most), "1\t1");
    // What the next statement had is counted from the start.
    let little = "SELECT max_controlled_memory < 3000000 \
                  FROM performance_schema.events_statements_summary_by_digest WHERE digest_text = \
                  'SELECT ?'";
    assert_eq!(run(s, little), "1");
}

#[test]
fn what_is_counted_is_said_as_tools_ask_for_it() {
    let sql = server();
    let s = &mut session(&sql);
    let consumers = "SELECT name FROM performance_schema.setup_consumers WHERE enabled = 'YES' AND \
                     name LIKE '%statements%' ORDER BY name";
    assert_eq!(
        run(s, consumers),
        "events_statements_current\nevents_statements_history\nstatements_digest"
    );
    let instruments = "SELECT enabled, timed FROM performance_schema.setup_instruments WHERE name = \
                       'statement/sql/select'";
    assert_eq!(run(s, instruments), "YES\tYES");
    run(s, "SET GLOBAL max_error_count = 7");
    let info = "SELECT variable_source, min_value, max_value FROM performance_schema.variables_info \
                WHERE variable_name = 'max_error_count'";
    assert_eq!(run(s, info), "DYNAMIC\t0\t65535");
    // A number beyond its bounds is the bound, with a warning, for all sessions as for one.
    for scope in ["GLOBAL", "SESSION"] {
        run(s, &format!("SET {scope} max_error_count = 70000"));
        let told = "Warning\t1292\tTruncated incorrect max_error_count value: '70000'";
        assert!(run(s, "SHOW WARNINGS").contains(told), "{scope}");
    }
    assert_eq!(run(s, "SELECT @@max_error_count, @@GLOBAL.max_error_count"), "65535\t65535");
}

#[test]
fn what_reads_a_whole_table_is_counted_and_logged_as_using_no_index() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server_with_slow_log(&directory.path().join("slow.log"));
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY (a))");
    run(s, "INSERT INTO t VALUES (1, 2, 3), (2, 3, 3)");
    run(s, "SET GLOBAL log_output = 'TABLE'");
    run(s, "SET GLOBAL slow_query_log = 1");
    run(s, "SET GLOBAL log_queries_not_using_indexes = 1");
    // As MySQL 9.7 has them: scans of an index are none of a table.
    let scans = [
        "SELECT * FROM t",
        "SELECT * FROM t WHERE b = 2",
        "SELECT * FROM t LIMIT 1",
        "SELECT * FROM t x JOIN t y ON x.b = y.b",
        "SELECT b, COUNT(*) FROM t GROUP BY b",
        "SELECT * FROM t WHERE b = 2 FOR UPDATE",
        "UPDATE t SET b = 3 WHERE b = 7",
        "DELETE FROM t WHERE b = 9",
        "UPDATE t SET b = 3 ORDER BY id LIMIT 1",
        "DELETE FROM t WHERE b = 9 ORDER BY id LIMIT 1",
        "SELECT * FROM t FORCE INDEX (PRIMARY)",
        "SELECT * FROM t WHERE id LIKE '%1'",
    ];
    let others = [
        "SELECT a FROM t WHERE a > 1",
        "SELECT * FROM t WHERE id = 1",
        "SELECT * FROM t WHERE id > 0",
        "SELECT 1",
        "SHOW TABLES",
        "SELECT * FROM t x JOIN t y ON x.id = y.a WHERE x.id = 1",
        "UPDATE t SET b = 3 WHERE id = 1",
        "SELECT * FROM t ORDER BY id",
        "SELECT * FROM t ORDER BY id LIMIT 1",
        "SELECT * FROM t WHERE b = 3 ORDER BY id DESC",
        "SELECT id, MAX(b) FROM t GROUP BY id",
        "SELECT MAX(id) FROM t",
        "SELECT * FROM t ORDER BY a LIMIT 1",
    ];
    for statement in scans.iter().chain(&others) {
        run(s, statement);
    }
    let logged = run(s, "SELECT CAST(sql_text AS CHAR) FROM mysql.slow_log");
    assert_eq!(logged.lines().collect::<Vec<_>>(), scans);
    assert_eq!(run(s, "SHOW GLOBAL STATUS LIKE 'Slow_queries'"), "Slow_queries\t12");
    let digests = format!(
        "SELECT SUM(SUM_NO_INDEX_USED), SUM(SUM_SELECT_SCAN) FROM {SUMMARY} WHERE digest_text NOT \
         LIKE '%slow_log%' AND digest_text NOT LIKE '%performance_schema%'"
    );
    assert_eq!(run(s, &digests), "12\t12");
    run(s, "SET min_examined_row_limit = 3");
    run(s, "SELECT * FROM t WHERE b = 5");
    assert_eq!(run(s, "SELECT COUNT(*) FROM mysql.slow_log"), "12");
}
