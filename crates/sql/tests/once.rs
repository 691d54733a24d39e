//! What is the same for all rows is evaluated once: conditions hold of the same rows as where they
//! are evaluated for each row, which they are in the list of a SELECT.

use crate::harness::{run, server, session};
use sql::Session;

const COLUMNS: &[(&str, &[&str])] = &[
    ("INT", &["-5", "0", "20240229", "65"]),
    ("BIGINT UNSIGNED", &["0", "5", "18446744073709551611"]),
    ("DECIMAL(10,2)", &["-5.00", "2.50", "20240229.00"]),
    ("DOUBLE", &["-5", "2.5", "1e30"]),
    ("DATE", &["'2024-01-01'", "'2024-02-29'", "'2999-01-01'"]),
    ("DATETIME(3)", &["'2024-01-01'", "'2024-02-29 10:00:00.500'", "'2999-01-01'"]),
    ("TIME", &["'-05:00:00'", "'10:00:00'", "'00:00:05'"]),
    ("VARCHAR(20)", &["'-5'", "'2024-02-29'", "'A'", "'20240101'"]),
    ("JSON", &["'20240101'", "'\"2024-02-29\"'", "'[1]'", "'-5'"]),
];

/// Expressions over literals alone.
const VALUES: &[&str] = &[
    "-5",
    "-(-5)",
    "2 + 0.5",
    "0x41 + 0",
    "CAST('20240101' AS JSON)",
    "JSON_EXTRACT('{\"d\":\"2024-02-29\"}', '$.d')",
    "CAST('-5x' AS SIGNED)",
    "CAST(-5 AS UNSIGNED)",
    "CONCAT('2024-', '02-29')",
    "DATE('2024-02-28') + INTERVAL 1 DAY",
    "NOW() - INTERVAL 7 DAY",
    "CURDATE()",
    "CAST('10:00:00' AS TIME)",
    "CAST('5' AS TIME)",
    "IF(1 = 1, NULL, 1)",
    "UPPER('a')",
    "'a' COLLATE utf8mb4_bin",
    "REPEAT('a', 6000)",
    "1 / 0",
    "('x' IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))",
];

/// Those that say no day, which is an error beside one (1525).
const NO_DAYS: &[&str] = &["UPPER('a')", "'a' COLLATE utf8mb4_bin", "REPEAT('a', 6000)"];

fn fill(session: &mut Session, ty: &str, values: &[&str]) {
    run(session, "DROP TABLE IF EXISTS t");
    run(session, "SET sql_mode = ''");
    run(session, &format!("CREATE TABLE t (id INT PRIMARY KEY, v {ty} NULL)"));
    let row = |id: usize| match id % 5 {
        3 => format!("({id}, NULL)"),
        _ => format!("({id}, {})", values[id * 7 % values.len()]),
    };
    let rows: Vec<String> = (0..40).map(row).collect();
    run(session, &format!("INSERT INTO t VALUES {}", rows.join(",")));
}

/// The rows of which a condition holds, by themselves and as they are said to be.
fn check(session: &mut Session, condition: &str, ty: &str) {
    let found = run(session, &format!("SELECT id FROM t WHERE {condition} ORDER BY id"));
    let told = run(session, &format!("SELECT id, {condition} FROM t ORDER BY id"));
    let holding = told.lines().filter_map(|line| line.strip_suffix("\t1")).collect::<Vec<_>>();
    assert_eq!(found.lines().collect::<Vec<_>>(), holding, "{ty}: {condition}");
}

#[test]
fn conditions_hold_of_the_same_rows() {
    let sql = server();
    let session = &mut session(&sql);
    for (ty, values) in COLUMNS {
        fill(session, ty, values);
        for value in VALUES {
            check(session, &format!("v BETWEEN {value} AND {value}"), ty);
            check(session, &format!("v IN ({value}, 1, 2, 3, 4, {value})"), ty);
            check(session, &format!("v NOT IN ('p', 'q', 'r', 's', 't', 'u', 'v', {value})"), ty);
            check(session, &format!("v LIKE {value}"), ty);
            if ty.starts_with("DATE") && NO_DAYS.contains(value) {
                continue;
            }
            for operator in ["=", "<=>", "<>", "<", ">="] {
                check(session, &format!("v {operator} {value}"), ty);
            }
            check(session, &format!("v = {value} OR v IS NULL AND {value} IS NOT NULL"), ty);
        }
    }
}

#[test]
fn many_of_them_and_lists_within_lists_are_evaluated_all_the_same() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session, "INT", &["-5", "0", "-700", "65"]);
    let list = |from: i32| (from..800).map(|n| format!("-{n}")).collect::<Vec<_>>().join(",");
    check(session, &format!("v IN ({})", list(1)), "INT");
    check(session, &format!("v + 0.0 IN ({})", list(6)), "INT");
    check(session, "v IN (1, 2, -5, 'x' IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))", "INT");
    fill(session, "VARCHAR(9)", &["'a'", "'y'", "'z'"]);
    let inner = "IF('x' IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), 'y', 'z')";
    check(session, &format!("v IN ('b', 'c', 'd', 'e', 'f', 'g', 'h', {inner})"), "VARCHAR(9)");
}

#[test]
fn the_first_row_alone_warns() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session, "VARCHAR(20)", &["'a'", "'b'"]);
    for (value, warnings) in [("1 + '2x'", 1), ("REPEAT(CONCAT('a', 1 + 'x'), 6000)", 1), ("1", 0)]
    {
        run(session, &format!("SELECT COUNT(*) FROM t WHERE CONCAT(v) = CONCAT({value})"));
        assert_eq!(run(session, "SHOW COUNT(*) WARNINGS"), warnings.to_string(), "{value}");
    }
}
