//! JSON_VALUE with RETURNING, ON EMPTY and ON ERROR. MySQL 9.7 answers as these tests say.

use crate::harness::{answer, error, run, server, session};
use sql::Session;

/// The answer of JSON_VALUE of a member `a` with this value, or its error's number.
fn of(s: &mut Session, value: &str, rest: &str) -> String {
    let statement = format!("SELECT JSON_VALUE('{{\"a\":{value}}}', '$.a' {rest})");
    answer(s, &statement).unwrap_or_else(|error| error.code().number().to_string())
}

#[test]
fn a_value_is_of_the_type_or_it_is_an_error() {
    let sql = server();
    let s = &mut session(&sql);
    for (ty, cases) in [
        (
            "SIGNED",
            "1=1;-1=-1;1.5=2;2.5=2;-0.5=0;\"12\"=12;\"12x\"=1690;\" 12\"=1690;\"1.5\"=1690;true=1;null=NULL;[1]=1690;1e300=1690;9223372036854775808=1690",
        ),
        ("UNSIGNED", "1=1;-1=1690;18446744073709551615=18446744073709551615;\"7\"=7"),
        (
            "DECIMAL(5,2)",
            "1=1.00;1.234=1.23;99.999=100.00;\" 12 \"=12.00;\"1e2\"=100.00;\"\"=1690;12345=1690;true=1.00",
        ),
        ("DOUBLE", "1=1;\"1.5\"=1.5;\"\"=0;\" 1\"=1690;\"x\"=1690;{}=1690"),
        ("FLOAT", "1.5=1.5;\"2\"=2"),
        ("YEAR", "2024=2024;\"2155\"=2155;0=0000;70=1690;3000=1690"),
        (
            "DATE",
            "\"2024-01-02\"=2024-01-02;\"2024-01-02 03:04:05\"=2024-01-02;\"20240102\"=2024-01-02;\"2024-13-01\"=1690;20240102=1690;\"12\"=1690",
        ),
        (
            "TIME",
            "\"03:04:05\"=03:04:05;\"25:00:00\"=25:00:00;\"2024-01-02 03:04:05.6\"=03:04:06;\"2024-01-02\"=1690;\"12\"=1690",
        ),
        ("TIME(2)", "\"03:04:05.678\"=03:04:05.68"),
        (
            "DATETIME(3)",
            "\"2024-01-02 03:04:05.678\"=2024-01-02 03:04:05.678;\"2024-01-02\"=1690;\"20240102\"=2024-01-02 00:00:00.000",
        ),
        ("CHAR(2)", "1=1;\"ab\"=ab;\"abc\"=1690;\"ä€\"=ä€;true=1690;[1]=1690"),
        ("CHAR(10) CHARACTER SET latin1", "\"xäy\"=xäy"),
        ("JSON", "{\"b\":2}={\"b\": 2};\"x\"=\"x\";null=NULL"),
    ] {
        for case in cases.split(';') {
            let (value, wanted) = case.rsplit_once('=').expect("a case");
            let rest = format!("RETURNING {ty} ERROR ON ERROR");
            assert_eq!(of(s, value, &rest), wanted, "{value} as {ty}");
            // An error is NULL unless something else is said.
            let lenient = if wanted == "1690" { "NULL" } else { wanted };
            assert_eq!(of(s, value, &format!("RETURNING {ty}")), lenient, "{value} as {ty}");
        }
    }
    let long = format!("\"{}\"", "z".repeat(513));
    assert_eq!(of(s, &long, ""), "NULL");
    assert_eq!(of(s, &long, "ERROR ON ERROR"), "1690");
    assert_eq!(of(s, &long, "RETURNING CHAR").len(), 513);
    assert_eq!(run(s, "SELECT JSON_VALUE('{\"a\":\"x\"}', '$.a') = 'X'"), "0");
}

#[test]
fn clauses_say_what_stands_for_nothing_and_for_errors() {
    let sql = server();
    let s = &mut session(&sql);
    for (document, rest, wanted) in [
        ("{}", "", "NULL"),
        ("{}", "NULL ON EMPTY", "NULL"),
        ("{}", "ERROR ON EMPTY", "3966"),
        ("{}", "ERROR ON ERROR", "NULL"),
        ("{}", "DEFAULT 5 ON EMPTY", "5"),
        ("{}", "RETURNING SIGNED DEFAULT -5 ON EMPTY", "-5"),
        ("{}", "RETURNING SIGNED DEFAULT ''7'' ON EMPTY NULL ON ERROR", "7"),
        ("{}", "RETURNING CHAR(2) DEFAULT ''abc'' ON EMPTY", "1690"),
        ("{}", "RETURNING DATE DEFAULT ''2024-01-01'' ON EMPTY", "2024-01-01"),
        ("{}", "RETURNING DECIMAL(3,1) DEFAULT 1.25 ON EMPTY", "1690"),
        ("{\"a\":\"x\"}", "RETURNING SIGNED DEFAULT -1 ON ERROR", "-1"),
        ("{\"a\":\"x\"}", "RETURNING SIGNED DEFAULT -1 ON EMPTY", "NULL"),
        ("{\"a\":\"x\"}", "RETURNING SIGNED NULL ON EMPTY ERROR ON ERROR", "1690"),
        ("{\"a\":\"x\"}", "RETURNING SIGNED ERROR ON ERROR NULL ON EMPTY", "1064"),
        ("{\"a\":\"x\"}", "DEFAULT 1 + 1 ON EMPTY", "1064"),
        ("{\"a\":null}", "ERROR ON EMPTY ERROR ON ERROR", "NULL"),
        ("{\"a\":", "", "NULL"),
        ("{\"a\":", "ERROR ON ERROR", "3141"),
        ("{\"a\":", "DEFAULT ''q'' ON ERROR", "q"),
        ("{\"a\":1}", "RETURNING", "1064"),
    ] {
        let rest = rest.replace("''", "'");
        let statement = format!("SELECT JSON_VALUE('{document}', '$.a' {rest})");
        let found = answer(s, &statement).unwrap_or_else(|e| e.code().number().to_string());
        assert_eq!(found, wanted, "{statement}");
    }
    assert_eq!(error(s, "SELECT JSON_VALUE('[1,2]', '$[*]' ERROR ON ERROR)"), 3967);
    assert_eq!(run(s, "SELECT JSON_VALUE('[1,2]', '$[*]')"), "NULL");
    assert_eq!(error(s, "SELECT JSON_VALUE(1, '$')"), 3146);
    // Clauses of other functions are none of theirs.
    assert_eq!(error(s, "SELECT CONCAT('a' ORDER BY 1)"), 1064);
}

#[test]
fn it_is_a_column_a_condition_and_a_key_on_each_executor() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, j JSON,
         v INT AS (JSON_VALUE(j, '$.v' RETURNING SIGNED)) STORED, KEY (v))",
    );
    run(
        s,
        "INSERT INTO t (id, j) VALUES (1, '{\"v\":5}'), (2, '{\"v\":\"x\"}'), (3, '{}'), (4, '{\"v\":15}')",
    );
    for executor in ["auto", "rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT id, v FROM t ORDER BY id"), "1\t5\n2\tNULL\n3\tNULL\n4\t15");
        let by = "SELECT id FROM t WHERE JSON_VALUE(j, '$.v' RETURNING SIGNED DEFAULT -1 ON EMPTY)";
        assert_eq!(run(s, &format!("{by} = -1")), "3");
        assert_eq!(run(s, &format!("{by} > 9")), "4");
        let grouped =
            "SELECT JSON_VALUE(j, '$.v' RETURNING SIGNED) x, COUNT(*) FROM t GROUP BY x ORDER BY x";
        assert_eq!(run(s, grouped), "NULL\t2\n5\t1\n15\t1");
    }
    run(s, "CREATE TABLE c AS SELECT JSON_VALUE(j, '$.v' RETURNING DECIMAL(7,3)) d FROM t");
    assert!(run(s, "SHOW CREATE TABLE c").contains("`d` decimal(7,3)"));
    // A definition says no more than what its text gives back.
    let kept = "CREATE TABLE e (j JSON, v INT AS (JSON_VALUE(j, '$.v' ERROR ON ERROR)) STORED)";
    assert_eq!(error(s, kept), 1235);
}
