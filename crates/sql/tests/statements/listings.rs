//! Listings: information_schema, SHOW, and what tools ask for.

use crate::harness::{error, run, server, session, shown};
use results::ExecutionMode;
use sql::Session;
use values::datum::Datum;

#[test]
fn information_schema_can_be_queried() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(7) NOT NULL, UNIQUE KEY u (v))");
    assert_eq!(
        run(s, "SELECT table_name FROM information_schema.tables WHERE table_schema='test'"),
        "t"
    );
    assert_eq!(
        run(
            s,
            "SELECT column_name, data_type, character_maximum_length, column_key FROM \
             information_schema.columns WHERE table_schema=DATABASE() AND table_name='t' ORDER BY \
             ordinal_position"
        ),
        "id\tint\tNULL\tPRI\nv\tvarchar\t7\tUNI"
    );
    assert_eq!(
        run(
            s,
            "SELECT index_name, non_unique FROM information_schema.statistics WHERE \
             table_name='t' ORDER BY 1"
        ),
        "PRIMARY\t0\nu\t0"
    );
    assert_eq!(run(s, "SELECT count(*) FROM information_schema.referential_constraints"), "0");
    assert!(run(s, "SHOW TABLES FROM information_schema").contains("STATISTICS"));
    assert_eq!(run(s, "SHOW TABLE STATUS LIKE 't'").split('\t').nth(1), Some("InnoDB"));
}

#[test]
fn names_of_tables_and_databases_are_told_apart_by_case_in_listings_too() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE Tags (Id INT PRIMARY KEY)");
    // Programs that make their tables ask this first.
    let count = "SELECT COUNT(*) FROM information_schema";
    for (condition, found) in [
        ("tables WHERE table_schema = 'test' AND table_name = 'tags'", "0"),
        ("tables WHERE table_schema = 'test' AND table_name = 'Tags'", "1"),
        ("tables WHERE table_schema = 'TEST' AND table_name = 'Tags'", "0"),
        ("columns WHERE table_name = 'tags'", "0"),
        ("columns WHERE table_name = 'Tags' AND column_name = 'id'", "1"),
        ("statistics WHERE table_name IN ('tags', 'x')", "0"),
        ("schemata WHERE schema_name LIKE 'TEST'", "0"),
    ] {
        assert_eq!(run(s, &format!("{count}.{condition}")), found, "{condition}");
    }
    assert_eq!(run(s, "SHOW TABLES LIKE 'tags'"), "");
    assert_eq!(run(s, "SHOW TABLES LIKE 'Ta%'"), "Tags");
    assert_eq!(run(s, "SHOW DATABASES LIKE 'TEST'"), "");
    assert_eq!(run(s, "SHOW COLUMNS FROM Tags LIKE 'id'").split('\t').next(), Some("Id"));
    assert_eq!(run(s, "SHOW TABLES FROM information_schema LIKE 'tables'"), "TABLES");
    assert_eq!(run(s, "SHOW OPEN TABLES FROM test LIKE 'Tags'"), "test\tTags\t0\t0");
    assert_eq!(run(s, "SHOW OPEN TABLES FROM elsewhere LIKE 'Tags'"), "");
    assert_eq!(run(s, "SHOW OPEN TABLES LIKE 'Tags'"), "test\tTags\t0\t0");
    run(s, "USE INFORMATION_SCHEMA");
    let own = "SELECT COUNT(*) > 20 FROM tables WHERE table_schema = DATABASE()";
    assert_eq!(run(s, own), "1");
}

#[test]
fn what_information_schema_knows_of_one_table_was_looked_for_in_all_of_them() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE DATABASE other");
    for database in ["test", "other"] {
        for n in 0..30 {
            run(
                s,
                &format!(
                    "CREATE TABLE {database}.t{n} (id INT PRIMARY KEY, v INT, KEY (v), CHECK (v > 0))"
                ),
            );
        }
    }
    let listed = |s: &mut Session| -> u64 {
        let line = run(s, "SHOW STATUS LIKE 'Rowhouse_tables_listed'");
        line.split('\t').nth(1).expect("a value").parse().expect("a number")
    };
    run(s, "SET @name = 't7'");
    let one = "table_schema = 'test' AND table_name = 't7'";
    let join = "c.table_schema = t.table_schema AND c.table_name = t.table_name";
    // Each with the rows it gives, and how many tables it needs to look at.
    let questions = [
        (format!("SELECT column_name FROM information_schema.columns WHERE {one}"), 2, 1),
        (format!("SELECT * FROM information_schema.tables WHERE {one}"), 1, 1),
        (format!("SELECT * FROM information_schema.statistics WHERE {one}"), 2, 1),
        (format!("SELECT * FROM information_schema.key_column_usage WHERE {one}"), 1, 1),
        (format!("SELECT * FROM information_schema.table_constraints WHERE {one}"), 2, 1),
        (format!("SELECT * FROM information_schema.table_sizes WHERE {one}"), 1, 1),
        (
            "SELECT * FROM information_schema.check_constraints \
             WHERE constraint_schema = 'test' AND table_name = 't7'"
                .into(),
            1,
            1,
        ),
        (
            "SELECT 1 FROM information_schema.columns \
             WHERE table_schema = DATABASE() AND table_name = @name"
                .into(),
            2,
            1,
        ),
        (
            "SELECT 1 FROM information_schema.columns \
             WHERE table_schema IN ('test', 'none') AND table_name IN ('t7', 't8', 'none')"
                .into(),
            4,
            2,
        ),
        (
            "SELECT 1 FROM information_schema.columns \
             WHERE table_schema = SCHEMA() AND table_name LIKE 't2_'"
                .into(),
            20,
            10,
        ),
        ("SELECT 1 FROM information_schema.columns WHERE table_name = 't7'".into(), 4, 2),
        (
            "SELECT 1 FROM information_schema.columns \
             WHERE CONCAT(table_schema, '.', UPPER(table_name)) = 'test.T7'"
                .into(),
            2,
            1,
        ),
        (
            format!(
                "SELECT c.column_name FROM information_schema.columns c \
                 JOIN information_schema.tables t ON {join} \
                 WHERE t.table_schema = 'test' AND t.table_name = 't7'"
            ),
            2,
            2,
        ),
        (
            format!(
                "SELECT t.table_name, (SELECT COUNT(*) FROM information_schema.columns c \
                 WHERE {join}) FROM information_schema.tables t WHERE {one}"
            ),
            1,
            2,
        ),
        ("SHOW TABLE STATUS LIKE 't7'".into(), 1, 1),
        ("SHOW TABLE STATUS WHERE Name = 't7' AND Rows = 0".into(), 1, 1),
        ("SHOW TABLE STATUS FROM other WHERE Rows = 0".into(), 30, 30),
        ("SELECT 1 FROM information_schema.columns WHERE table_schema = 'none'".into(), 0, 0),
        ("SELECT 1 FROM information_schema.columns WHERE table_schema = NULL".into(), 0, 0),
        ("SELECT 1 FROM information_schema.tables WHERE table_name = 'TABLES'".into(), 1, 0),
        // What is no condition on a name alone leads nowhere, and is right all the same.
        (
            "SELECT 1 FROM information_schema.columns WHERE table_name = 't7' OR column_name = 'v'"
                .into(),
            62,
            60,
        ),
        (
            "SELECT 1 FROM information_schema.columns \
             WHERE table_name = 'T7' COLLATE utf8mb4_general_ci AND table_schema = 'test '"
                .into(),
            2,
            1,
        ),
    ];
    for (question, rows, tables) in questions {
        let before = listed(s);
        let answered = run(s, &question);
        assert_eq!(answered.lines().count(), rows, "{question}: {answered}");
        assert_eq!(listed(s) - before, tables, "{question}");
    }
    let text = "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ?";
    let prepared = s.prepare(text.as_bytes()).expect("prepares");
    let before = listed(s);
    let names = [Datum::Bytes(b"other"), Datum::Bytes(b"t7")];
    let reply = s.execute(prepared.id, &names, ExecutionMode::POOL).expect("runs");
    assert_eq!(shown(s, reply).expect("shows"), "id\nv");
    assert_eq!(listed(s) - before, 1);
}

#[test]
fn what_tools_ask_for_beside_queries_was_refused() {
    let sql = server();
    let s = &mut session(&sql);
    let status = run(s, "SHOW ENGINE INNODB STATUS");
    assert!(status.starts_with("InnoDB\t\t"), "{status}");
    assert!(
        status.contains("INNODB MONITOR OUTPUT") && status.contains("TRANSACTIONS"),
        "{status}"
    );
    assert_eq!(run(s, "SHOW ENGINE myisam STATUS"), "");
    assert_eq!(run(s, "SHOW ENGINE innodb MUTEX"), "");
    assert_eq!(error(s, "SHOW ENGINE nosuch STATUS"), 1286);
    for empty in [
        "SHOW PROFILES",
        "SHOW PROFILE",
        "SHOW PROFILE ALL",
        "SHOW PROFILE CPU, BLOCK IO FOR QUERY 3 LIMIT 2 OFFSET 1",
        "SHOW SLAVE HOSTS",
        "SHOW REPLICAS",
        "SELECT character_set_client, routine_body FROM information_schema.routines",
    ] {
        assert_eq!(run(s, empty), "", "{empty}");
    }
    assert_eq!(error(s, "SHOW PROFILE EVERYTHING"), 1064);
    assert_eq!(run(s, "SELECT @@innodb_stats_persistent, @@disabled_storage_engines"), "1\t");
    let before = run(s, "SHOW STATUS LIKE 'Com_stmt_prepare'");
    s.prepare(b"SELECT 1").expect("prepares");
    assert_ne!(run(s, "SHOW STATUS LIKE 'Com_stmt_prepare'"), before);
    let pages = run(s, "SHOW STATUS LIKE 'Innodb_buffer_pool_pages%'");
    assert_eq!(pages.lines().count(), 6, "{pages}");
}

#[test]
fn columns_of_the_servers_own_tables_were_not_listed() {
    let sql = server();
    let s = &mut session(&sql);
    let of = |table: &str| {
        format!(
            "SELECT column_name, ordinal_position, privileges FROM information_schema.columns \
             WHERE table_name = '{table}' ORDER BY ordinal_position LIMIT 2"
        )
    };
    assert_eq!(run(s, &of("KEYWORDS")), "WORD\t1\tselect\nRESERVED\t2\tselect");
    assert_eq!(run(s, &of("threads")), "THREAD_ID\t1\tselect\nNAME\t2\tselect");
    let count = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = ";
    run(s, "CREATE TABLE one (a INT)");
    assert_eq!(run(s, &format!("{count} 'test'")), "1");
    let told = run(s, "SHOW COLUMNS FROM information_schema.tables").lines().count();
    let listed = run(s, &format!("{count} 'information_schema' AND table_name = 'TABLES'"));
    assert_eq!(listed, told.to_string());
}
