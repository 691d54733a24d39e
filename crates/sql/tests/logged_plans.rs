//! Plans of statements in the slow log: of each kind of statement, and without a trace in the
//! session.
//!
//! Not here: what else the log has (`statement_history`).

use std::path::Path;
use std::time::Instant;

use sql::Session;

use crate::harness::{PATIENCE, answer, run, session};
use crate::statement_history::server_with_slow_log;

/// The plan in the entry of a statement, once it is written.
fn plan_of(path: &Path, statement: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(end) = text.rfind(&format!(";\n{statement};\n")) {
            let (_, plan) = text[..end].rsplit_once(" Plan: ").expect("a plan");
            return plan.split(' ').next().unwrap_or_default().to_owned();
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {statement} in {text}");
        std::thread::yield_now();
    }
}

fn begin(s: &mut Session) {
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY by_a (a))");
    run(s, "INSERT INTO t VALUES (1, 2, 3), (2, 3, 3), (3, 4, 5)");
    run(s, "SET GLOBAL log_slow_extra = 1");
    run(s, "SET GLOBAL slow_query_log = 1");
    run(s, "SET long_query_time = 0");
}

#[test]
fn each_entry_has_its_plan_where_log_slow_extra_asks_for_that() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("slow.log");
    let sql = server_with_slow_log(&path);
    let s = &mut session(&sql);
    begin(s);
    for (statement, plan) in [
        ("SELECT * FROM t WHERE id = 1", "t:const(PRIMARY)"),
        ("SELECT * FROM t WHERE b = 2 ORDER BY b", "t:ALL+filesort"),
        ("SELECT a FROM t WHERE a > 2", "t:range(by_a)"),
        ("SELECT x.b FROM t x JOIN t y ON y.id = x.b WHERE x.a = 3", "x:ref(by_a),y:eq_ref"),
        ("(SELECT a FROM t WHERE a = 2)", "t:ref(by_a)"),
        ("UPDATE t SET b = 4 WHERE a = 2", "t:ref(by_a)"),
        ("DELETE FROM t WHERE b = 7", "t:ALL"),
        ("INSERT INTO t VALUES (9, 9, 9)", "-"),
        ("SELECT 1", "-+No_tables_used"),
        ("SHOW TABLES", "-"),
        ("PREPARE p FROM 'SELECT * FROM t WHERE a = ?'", "-"),
        ("SET rowhouse_executor = 'columns'", "-"),
        ("SELECT COUNT(*) FROM t WHERE b = 3", "columns"),
        ("SET rowhouse_executor = 'auto'", "-"),
    ] {
        run(s, statement);
        let found = plan_of(&path, statement);
        let steps = || found.split(',').zip(plan.split(','));
        let is_it = found.split(',').count() == plan.split(',').count()
            && steps().all(|(found, wanted)| found.starts_with(wanted));
        assert!(is_it, "{statement}: {found} instead of {plan}");
    }
    // What is too long to be kept whole has none, and so has what is off.
    let long = format!("SELECT * FROM t WHERE id = 1 AND '{}' = ''", "x".repeat(5000));
    run(s, &long);
    run(s, "SELECT 'behind'");
    plan_of(&path, "SELECT 'behind'");
    let text = std::fs::read_to_string(&path).expect("a log");
    let (before, _) = text.split_once("SELECT * FROM t WHERE id = 1 AND").expect("it is there");
    assert!(before.rsplit_once("# Query_time").expect("a head").1.contains(" Plan: - "), "{text}");
    run(s, "SET GLOBAL log_slow_extra = 0");
    run(s, "SELECT 'without'");
    let begun = Instant::now();
    while !std::fs::read_to_string(&path).expect("a log").contains("SELECT 'without'") {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for the entry");
    }
    let text = std::fs::read_to_string(&path).expect("a log");
    let last = text.rsplit_once("# Query_time").expect("a head").1;
    assert!(!last.contains("Plan") && !last.contains("Disk_wait"), "{text}");
}

#[test]
fn a_plan_for_the_log_leaves_no_trace_in_the_session() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("slow.log");
    let sql = server_with_slow_log(&path);
    let s = &mut session(&sql);
    begin(s);
    run(s, "SET sql_mode = ''");
    run(s, "UPDATE t SET b = 'x' WHERE id = 1");
    let warning = "Warning\t1366\tIncorrect integer value: 'x' for column 'b' at row 1";
    assert_eq!(run(s, "SHOW WARNINGS"), warning);
    assert_eq!(run(s, "SELECT 1 / 0 FROM t WHERE id = 1"), "NULL");
    run(s, "SET @n = 0");
    run(s, "SELECT @n := @n + 1 FROM t WHERE a > 0");
    assert_eq!(run(s, "SELECT @n"), "3");
    run(s, "SELECT SQL_CALC_FOUND_ROWS id FROM t WHERE a > 0 LIMIT 1");
    assert_eq!(run(s, "SELECT FOUND_ROWS()"), "3");
    // One that failed by its time has its plan, too.
    let late = "SELECT /*+ MAX_EXECUTION_TIME(20) */ SLEEP(60) FROM t WHERE a = 3";
    let _ = answer(s, late);
    assert_eq!(plan_of(&path, late), "t:ref(by_a)");
    assert_eq!(run(s, "SELECT b FROM t WHERE id = 2"), "3");
}

#[test]
fn a_plan_for_the_log_gave_a_transaction_its_snapshot_too_early() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server_with_slow_log(&directory.path().join("slow.log"));
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    begin(s);
    run(s, "BEGIN");
    run(s, "SELECT * FROM t WHERE id = 1 FOR UPDATE");
    run(s, "UPDATE t SET b = 7 WHERE a = 2");
    run(other, "INSERT INTO t VALUES (50, 50, 50)");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t WHERE id = 50"), "1", "its first plain read");
    run(other, "INSERT INTO t VALUES (51, 50, 50)");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t WHERE a = 50"), "1");
    run(s, "COMMIT");
}
