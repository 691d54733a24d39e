//! Parquet: what is written comes back as it was, in every type and place.

use std::time::Duration;

use super::house::House;
use crate::harness::answer;
use sql::Session;

/// A table of every type, and rows with the ends of their ranges.
const TYPES: &str = "CREATE TABLE t (id INT PRIMARY KEY, a TINYINT, b TINYINT UNSIGNED, c SMALLINT, \
     d SMALLINT UNSIGNED, e MEDIUMINT, f MEDIUMINT UNSIGNED, g INT UNSIGNED, h BIGINT, \
     i BIGINT UNSIGNED, j BOOL, k FLOAT, l DOUBLE, m DECIMAL(10,2), n DECIMAL(65,30), \
     o DECIMAL(38,0), p CHAR(5), q VARCHAR(20), r VARCHAR(20) COLLATE utf8mb4_bin, s TINYTEXT, \
     u LONGTEXT, v BINARY(3), w VARBINARY(9), x BLOB, y DATE, z TIME, aa TIME(6), ab DATETIME, \
     ac DATETIME(6), ad TIMESTAMP NULL, ae TIMESTAMP(3) NULL, af YEAR, ag ENUM('no', 'yes', 'né'), \
     ah JSON)";
const LOWEST: &str = "INSERT INTO t VALUES (1, -128, 0, -32768, 0, -8388608, 0, 0, \
     -9223372036854775808, 0, 0, -1.5, -1e300, -99999999.99, \
     -99999999999999999999999999999999999.999999999999999999999999999999, \
     -99999999999999999999999999999999999999, '', '', '', '', '', '\\0\\0\\0', '', '', '0001-01-01', \
     '-838:59:59', '-838:59:59.000000', '1000-01-01 00:00:00', '0001-01-01 00:00:00.000001', \
     '1970-01-01 00:00:01', '1970-01-01 00:00:01.001', 1901, 'no', '{}')";
const HIGHEST: &str = "INSERT INTO t VALUES (2, 127, 255, 32767, 65535, 8388607, 16777215, \
     4294967295, 9223372036854775807, 18446744073709551615, 7, 3.25, 1e300, 99999999.99, \
     99999999999999999999999999999999999.999999999999999999999999999999, \
     99999999999999999999999999999999999999, 'ééééé', 'twenty characters 20', 'Ä', 'tiny', \
     REPEAT('long ', 1000), 'abc', x'00ff', x'00010203', '9999-12-31', '838:59:59', \
     '838:59:58.999999', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', \
     '2038-01-19 03:14:07', '2030-01-01 00:00:00.999', 2155, 'né', '[1, {\"a\": null}]')";

fn all_types(h: &mut House) {
    h.run(TYPES);
    h.run(LOWEST);
    h.run(HIGHEST);
    h.run("INSERT INTO t (id) VALUES (3)");
}

#[test]
fn values_of_every_type_come_back_with_their_types() {
    let mut h = House::new();
    all_types(&mut h);
    h.run("SET time_zone = '+03:00'");
    assert_eq!(h.run("SELECT * FROM t INTO OUTFILE 't.parquet' FORMAT PARQUET"), "ok 3");
    let kept = h.run("SELECT * FROM t ORDER BY id");
    assert_eq!(h.run("SELECT * FROM FILE('t.parquet') ORDER BY id"), kept);
    h.run("CREATE TABLE u AS SELECT * FROM FILE('t.parquet')");
    assert_eq!(h.run("SELECT * FROM u ORDER BY id"), kept);
    let types = |table: &str| {
        format!(
            "SELECT COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME FROM information_schema.COLUMNS \
             WHERE TABLE_NAME = '{table}' ORDER BY ORDINAL_POSITION"
        )
    };
    assert_eq!(h.run(&types("u")), h.run(&types("t")));
    // And by the row executor, which reads whole files.
    h.run("SET rowhouse_executor = 'rows'");
    assert_eq!(h.run("SELECT * FROM FILE('t.parquet') ORDER BY id"), kept);
}

#[test]
fn a_file_stands_wherever_a_table_does() {
    let mut h = House::new();
    h.run("CREATE TABLE n (i INT PRIMARY KEY, t VARCHAR(9))");
    h.run("INSERT INTO n VALUES (1, 'one'), (2, 'two'), (3, 'three')");
    h.run("SELECT * FROM n WHERE i < 3 INTO OUTFILE 'a1.parquet' FORMAT PARQUET");
    h.run("SELECT * FROM n WHERE i > 2 INTO OUTFILE 'a2.parquet' FORMAT PARQUET");
    for (text, expected) in [
        ("SELECT i, t FROM FILE('a1.parquet') ORDER BY i", "1\tone\n2\ttwo"),
        ("SELECT COUNT(*), SUM(i), MAX(t) FROM FILE('a*.parquet')", "3\t6\ttwo"),
        ("SELECT f.t FROM FILE('a*.parquet') f WHERE f.i = 3", "three"),
        ("SELECT file.t FROM FILE('a2.parquet')", "three"),
        ("SELECT g.x FROM FILE('a1.parquet') AS g (x, y) ORDER BY x", "1\n2"),
        ("SELECT n.t FROM n JOIN FILE('a2.parquet') f USING (i)", "three"),
        (
            "SELECT a.i, b.i FROM FILE('a1.parquet') a LEFT JOIN FILE('a2.parquet') b ON b.i = a.i + 1 \
             ORDER BY a.i",
            "1\tNULL\n2\t3",
        ),
        ("SELECT t FROM n WHERE i IN (SELECT i FROM FILE('a2.parquet'))", "three"),
        ("SELECT (SELECT COUNT(*) FROM FILE('a*.parquet'))", "3"),
        ("SELECT i, (SELECT MAX(i) FROM FILE('a*.parquet')) FROM n WHERE i = 1", "1\t3"),
        ("SELECT x FROM (SELECT i + 1 x FROM FILE('a1.parquet')) d ORDER BY x", "2\n3"),
        (
            "WITH f AS (SELECT * FROM FILE('a*.parquet')) SELECT COUNT(*) FROM f JOIN f g USING (i)",
            "3",
        ),
        ("SELECT i FROM FILE('a2.parquet') UNION SELECT i FROM n ORDER BY i", "1\n2\n3"),
        ("SELECT i FROM FILE('a*.parquet') ORDER BY i DESC LIMIT 1 OFFSET 1", "2"),
        ("SELECT i FROM FILE('a1.parquet') LIMIT 1", "1"),
        ("SELECT DISTINCT LENGTH(t) FROM FILE('a*.parquet') ORDER BY 1", "3\n5"),
        (
            "SELECT i, ROW_NUMBER() OVER (ORDER BY i DESC) FROM FILE('a1.parquet') ORDER BY i",
            "1\t2\n2\t1",
        ),
        // A query that only the row executor runs.
        ("SELECT @x := i FROM FILE('a2.parquet')", "3"),
    ] {
        assert_eq!(h.run(text), expected, "{text}");
        // The second time in another way than the first, if plans were kept.
        assert_eq!(h.run(text), expected, "{text}");
    }
    assert_eq!(h.run("SELECT i FROM FILE('a1.parquet') WHERE i = 1"), "1");
    assert_eq!(h.run("SELECT i FROM FILE('a2.parquet') WHERE i = 3"), "3");
    h.run("CREATE TABLE m LIKE n");
    h.run("INSERT INTO m SELECT * FROM FILE('a*.parquet') WHERE i <> 2");
    assert_eq!(h.run("SELECT i FROM m"), "1\n3");
    h.run("PREPARE s FROM 'SELECT t FROM FILE(''a*.parquet'') WHERE i = ?'");
    h.run("SET @i = 2");
    assert_eq!(h.run("EXECUTE s USING @i"), "two");
    h.run("SET @i = 3");
    assert_eq!(h.run("EXECUTE s USING @i"), "three");
    // What the statement reads is what is there when it is executed.
    std::fs::remove_file(h.path("a2.parquet")).unwrap();
    assert_eq!(h.run("EXECUTE s USING @i"), "");
}

#[test]
fn a_plan_says_how_many_files_and_skips_row_groups_by_their_statistics() {
    let mut h = House::new();
    h.run("CREATE TABLE d (i INT PRIMARY KEY)");
    let digits: Vec<String> = (0..600).map(|i| format!("({i})")).collect();
    h.run(&format!("INSERT INTO d VALUES {}", digits.join(",")));
    let many = "SELECT a.i * 600 + b.i AS n, DATE_ADD(CAST('2020-01-01' AS DATE), INTERVAL a.i DAY) AS day, \
                (a.i * 600 + b.i) / 4 AS q, CAST(a.i AS CHAR) AS t FROM d a JOIN d b ORDER BY n";
    assert_eq!(h.run(&format!("{many} INTO OUTFILE 'many.parquet' FORMAT PARQUET")), "ok 360000");
    for (condition, groups, count) in [
        ("n = 5", 1, "1"),
        ("n > 359990", 1, "9"),
        ("n BETWEEN 131071 AND 131072", 2, "2"),
        ("n IN (1, 359999)", 2, "2"),
        ("day < '2020-01-03'", 1, "1200"),
        ("q <= 0.25", 1, "2"),
        ("n > 1000000", 0, "0"),
        ("t = '7'", 3, "600"),
        ("n = 5 OR t = '7'", 3, "601"),
    ] {
        let query = format!("SELECT COUNT(*) FROM FILE('many.parquet') WHERE {condition}");
        let plan = h.run(&format!("EXPLAIN {query}"));
        assert!(plan.contains("FileScan: 1 Parquet file 'many.parquet'"), "{plan}");
        assert!(plan.contains(&format!("{groups} of 3 row groups")), "{condition}: {plan}");
        assert_eq!(h.run(&query), count, "{condition}");
    }
    let all =
        "SELECT COUNT(*), SUM(n), MIN(day), MAX(q), COUNT(DISTINCT t) FROM FILE('many.parquet')";
    assert_eq!(h.run(all), "360000\t64799820000\t2020-01-01\t89999.7500\t600");
    // Nothing is read for it.
    let plan = h.run("EXPLAIN SELECT COUNT(*) FROM FILE('many.parquet')");
    assert!(!plan.contains("FileScan"), "{plan}");
    assert_eq!(h.run("SELECT COUNT(*) FROM FILE('many.parquet')"), "360000");
    assert_eq!(h.run("SELECT n FROM FILE('many.parquet') LIMIT 2 OFFSET 200000"), "200000\n200001");
}

#[test]
fn files_of_other_columns_are_no_table() {
    let mut h = House::new();
    h.run("SELECT 1 AS a, 'x' AS b INTO OUTFILE 'f1.parquet' FORMAT PARQUET");
    h.run("SELECT 1 AS a, 2.5 AS b INTO OUTFILE 'f2.parquet' FORMAT PARQUET");
    h.refused_with("SELECT * FROM FILE('f*.parquet')", 1210, &["f2.parquet", "f1.parquet", "'b'"]);
    h.run("SELECT 1 AS a INTO OUTFILE 'g1.parquet' FORMAT PARQUET");
    h.run("SELECT 1 AS a, 1 AS c INTO OUTFILE 'g2.parquet' FORMAT PARQUET");
    h.refused_with("SELECT * FROM FILE('g*.parquet')", 1210, &["g2.parquet", "'c'"]);
    h.write("g3.csv", "a\n1\n");
    h.refused_with("SELECT * FROM FILE('g*')", 1210, &["format"]);
    h.refused_with("SELECT 1 AS a, 2 AS A INTO OUTFILE 'x.parquet' FORMAT PARQUET", 1060, &["'A'"]);
    h.run("SET sql_mode = ''");
    h.refused_with(
        "SELECT CAST('2024-00-00' AS DATE) AS d INTO OUTFILE 'x.parquet' FORMAT PARQUET",
        1292,
        &["'d'"],
    );
    assert!(!h.path("x.parquet").exists());
}

#[test]
fn a_parquet_file_appears_whole_or_not_at_all_and_never_over_another() {
    let mut h = House::new();
    h.run("CREATE TABLE n (i INT PRIMARY KEY)");
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    h.run(&format!("INSERT INTO n VALUES {}", rows.join(",")));
    h.run("SELECT 1 AS a INTO OUTFILE 'a.parquet' FORMAT PARQUET");
    h.refused_with("SELECT 2 AS a INTO OUTFILE 'a.parquet' FORMAT PARQUET", 1086, &[]);
    assert_eq!(h.run("SELECT a FROM FILE('a.parquet')"), "1");
    h.refused_with("SELECT 1 AS a INTO OUTFILE '../a.parquet' FORMAT PARQUET", 1290, &[]);
    h.refused_with("SELECT 1 AS a INTO OUTFILE 'b.parquet' FORMAT PAPER", 1064, &[]);
    // An empty result has its columns all the same.
    h.run("SELECT * FROM n WHERE i < 0 INTO OUTFILE 'none.parquet' FORMAT PARQUET");
    assert_eq!(h.run("SELECT * FROM FILE('none.parquet')"), "");
    assert_eq!(h.run("SELECT COUNT(*), MAX(i) FROM FILE('none.parquet')"), "0\tNULL");
    let mut other = Session::new(&h.sql, 2, "root", "localhost", Some("test")).unwrap();
    let endless =
        "SELECT a.i, b.i j, c.i k FROM n a, n b, n c INTO OUTFILE 'endless.parquet' FORMAT PARQUET";
    let running = std::thread::spawn(move || answer(&mut other, endless));
    let shown = "SELECT COUNT(*) FROM information_schema.processlist WHERE INFO LIKE '%endless%' AND \
                 ID = 2";
    while h.run(shown) == "0" {
        std::thread::park_timeout(Duration::from_millis(1));
    }
    h.run("KILL QUERY 2");
    assert_eq!(running.join().unwrap().unwrap_err().code().number(), 1317);
    assert!(!h.path("endless.parquet").exists());
    crate::harness::await_memory(&h.sql);
}

#[test]
fn a_query_over_files_ends_when_it_is_killed_or_its_time_is_over() {
    let mut h = House::new();
    h.run("CREATE TABLE d (i INT PRIMARY KEY)");
    let digits: Vec<String> = (0..500).map(|i| format!("({i})")).collect();
    h.run(&format!("INSERT INTO d VALUES {}", digits.join(",")));
    h.run("SELECT a.i * 500 + b.i n FROM d a, d b INTO OUTFILE 'n.parquet' FORMAT PARQUET");
    h.run("SELECT a.i * 500 + b.i n FROM d a, d b INTO OUTFILE 'n.csv'");
    for copy in 0..200 {
        for end in ["parquet", "csv"] {
            std::fs::hard_link(h.path(&format!("n.{end}")), h.path(&format!("n{copy}.{end}")))
                .unwrap();
        }
    }
    for file in ["n*.parquet", "n*.csv', header => FALSE, columns => 'n INT"] {
        let long = format!("SELECT SUM(SHA2(n, 512) LIKE 'ff%') FROM FILE('{file}')");
        h.run("SET max_statement_time = 0.2");
        assert_eq!(h.refused(&long).code().number(), 1969, "{long}");
        h.run("SET max_statement_time = 0");
        let mut other = Session::new(&h.sql, 2, "root", "localhost", Some("test")).unwrap();
        let running = std::thread::spawn(move || answer(&mut other, &long));
        let shown = "SELECT COUNT(*) FROM information_schema.processlist WHERE INFO LIKE '%SHA2(n%' AND \
                     ID = 2";
        while h.run(shown) == "0" {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        h.run("KILL QUERY 2");
        assert_eq!(running.join().unwrap().unwrap_err().code().number(), 1317);
        crate::harness::await_memory(&h.sql);
    }
}
