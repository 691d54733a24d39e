//! CREATE TABLE ... SELECT: the columns that such a table has, and its rows.

use crate::harness::{error, run, server, session};

#[test]
fn a_table_of_a_query_has_room_for_every_value() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE texts (id INT, body TEXT, name VARCHAR(9), n INT)");
    run(s, "INSERT INTO texts VALUES (1, REPEAT('é', 20000), 'O\\'Neil', 40)");
    // Truncation would be silent without strict mode, and refused with it.
    for mode in ["", "STRICT_TRANS_TABLES"] {
        run(s, &format!("SET sql_mode = '{mode}'"));
        for value in [
            "REPEAT('ab', 40)",
            "REPEAT('ab', 40000)",
            "REPEAT(name, n)",
            "SPACE(50)",
            "SPACE(n)",
            "LPAD('x', 30, 'ab')",
            "RPAD(name, n, '.')",
            "CONCAT(body, 'x')",
            "UPPER(body)",
            "REPLACE(name, 'e', 'eeeeeeeeee')",
            "REGEXP_REPLACE('aaa', 'a', 'bcdefghijklmnopqrstuvwxyz')",
            "CONCAT_WS(', ', 'a', 'b', 'c')",
            "MAKE_SET(7, 'a', 'b', 'c')",
            "EXPORT_SET(5, 'yes', 'no', ',', 64)",
            "QUOTE('\\'\\'\\'\\'')",
            "HEX('éééééééééééééééééééééééééééééééééééééééééé')",
            "HEX(body)",
            "TO_BASE64(REPEAT('é', 100))",
            "DATE_FORMAT('2001-09-10', '%W %W %W %M %M %M')",
            "TIME_FORMAT('10:11:12', '%f%f%f%f')",
            "JSON_QUOTE(REPEAT('\\\"', 30))",
            "JSON_PRETTY('[1,[2,[3,[4,5,6,7,8,9,0]]]]')",
            "JSON_UNQUOTE(JSON_EXTRACT(JSON_OBJECT('a', body), '$.a'))",
            "ELT(2, 'a', 'bcd')",
            "INSERT('Quadratic', 3, 100, 'What')",
            "BIN(-1)",
            "CONV('zzzzz', 36, 2)",
            "SOUNDEX('abcdefghijklmnopqrstuvwxyz')",
            "COMPRESS(body)",
            "UNHEX(HEX(body))",
            "CHAR(1, 2, 3, 4, 5)",
            "SUBSTRING_INDEX(body, 'x', 1)",
            "GROUP_CONCAT(body)",
        ] {
            run(s, &format!("CREATE TABLE made SELECT {value} AS v FROM texts"));
            let same =
                run(s, &format!("SELECT HEX(v) = (SELECT HEX({value}) FROM texts) FROM made"));
            assert_eq!(same, "1", "{value}: {}", run(s, "SHOW CREATE TABLE made"));
            assert_eq!(run(s, "SELECT COUNT(*) FROM made WHERE v IS NULL"), "0", "{value}");
            run(s, "DROP TABLE made");
        }
    }
}

#[test]
fn texts_of_the_connections_set_are_kept_in_it() {
    let sql = server();
    let s = &mut session(&sql);
    for set in ["latin1", "big5", "cp1251"] {
        run(s, &format!("SET NAMES {set}"));
        run(s, "CREATE TABLE made SELECT REPEAT('a', 40) AS v, CONCAT('x', 1) AS w");
        assert_eq!(run(s, "SELECT v, w, CHARSET(v) FROM made"), {
            format!("{}\tx1\t{set}", "a".repeat(40))
        });
        run(s, "DROP TABLE made");
    }
}

#[test]
fn columns_of_tables_keep_their_defaults_and_comments() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE source (a INT DEFAULT 12 COMMENT 'ca', b VARCHAR(5) NOT NULL DEFAULT 'xx', \
         c TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, d INT NOT NULL, \
         e DECIMAL(5,2) DEFAULT 1.5, f INT AUTO_INCREMENT PRIMARY KEY, \
         g INT AS (a + 1), h ENUM('x','y') DEFAULT 'y', i INT DEFAULT (1 + 1))",
    );
    run(s, "CREATE TABLE made SELECT * FROM source");
    let lines = run(s, "SHOW CREATE TABLE made");
    for line in [
        "`a` int DEFAULT '12' COMMENT 'ca'",
        "`b` varchar(5) NOT NULL DEFAULT 'xx'",
        "`c` timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
        "`d` int NOT NULL,",
        "`e` decimal(5,2) DEFAULT '1.50'",
        "`f` int NOT NULL DEFAULT '0'",
        "`g` int DEFAULT NULL",
        "`h` enum('x','y') DEFAULT 'y'",
        "`i` int DEFAULT ((1 + 1))",
    ] {
        assert!(lines.contains(line), "{line} in {lines}");
    }
    // Expressions are called as they were written, and have their zero where they are never NULL.
    run(
        s,
        "CREATE TEMPORARY TABLE other SELECT 1+1, 2.5, length( 'a' ), 'x' AS t, CURTIME() FROM source",
    );
    let lines = run(s, "SHOW CREATE TABLE other");
    for line in [
        "`1+1` int NOT NULL DEFAULT '0'",
        "`2.5` decimal(2,1) NOT NULL DEFAULT '0.0'",
        "`length( 'a' )` int NOT NULL DEFAULT '0'",
        "`CURTIME()` time NOT NULL DEFAULT '00:00:00'",
    ] {
        assert!(lines.contains(line), "{line} in {lines}");
    }
}

#[test]
fn columns_that_are_written_stand_before_those_of_the_query() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE made (id INT DEFAULT 3, z INT) SELECT 1 AS x, 2 AS id");
    assert_eq!(run(s, "SELECT * FROM made"), "NULL\t1\t2");
    run(s, "CREATE TABLE rows_of (z INT DEFAULT 4) VALUES ROW(1, 'abc'), ROW(2, 'd')");
    assert_eq!(run(s, "SELECT * FROM rows_of"), "4\t1\tabc\n4\t2\td");
    run(s, "CREATE TABLE again TABLE rows_of");
    assert_eq!(run(s, "SELECT COUNT(*) FROM again"), "2");
}

#[test]
fn rows_whose_key_is_taken_are_ignored_or_replaced_where_that_is_said() {
    let sql = server();
    let s = &mut session(&sql);
    let of = "SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 3";
    assert_eq!(error(s, &format!("CREATE TABLE made (a INT PRIMARY KEY) {of}")), 1062);
    assert_eq!(error(s, "SELECT * FROM made"), 1146);
    run(s, &format!("CREATE TABLE made (a INT PRIMARY KEY) IGNORE {of}"));
    assert!(run(s, "SHOW WARNINGS").contains("1062"));
    assert_eq!(run(s, "SELECT * FROM made"), "1\t2");
    run(s, &format!("CREATE TABLE other (a INT PRIMARY KEY) REPLACE AS {of}"));
    assert_eq!(run(s, "SELECT * FROM other"), "1\t3");
}
