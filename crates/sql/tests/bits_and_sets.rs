//! BIT and SET: what a definition may say, which values are stored, what they are among others, by
//! each executor, in tables by row and by column. What MySQL can be asked for stands in
//! `tests/oracle/sql/bits-and-sets.sql` as well.

use sql::Session;

use crate::harness::{error, run, server, session};

/// The rows that both executors find, and the server's choice.
#[track_caller]
fn found(s: &mut Session, query: &str) -> String {
    let mut answers = ["rows", "columns", "auto"].map(|executor| {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        run(s, query)
    });
    assert_eq!(answers[0], answers[1], "{query}");
    assert_eq!(answers[0], answers[2], "{query}");
    std::mem::take(&mut answers[0])
}

#[test]
fn what_a_definition_says_is_kept_and_shown() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (a BIT, b BIT(12) NOT NULL DEFAULT 0x101, c SET('x','it''s ','z') DEFAULT 'z,x', \
         d SET('a','b') CHARACTER SET binary, e SET('') NOT NULL, KEY (b), KEY (c))",
    );
    let shown = run(s, "SHOW CREATE TABLE t");
    for line in [
        "`a` bit(1) DEFAULT NULL",
        "`b` bit(12) NOT NULL DEFAULT b'100000001'",
        "`c` set('x','it''s','z') DEFAULT 'x,z'",
        "`d` set('a','b') CHARACTER SET binary COLLATE binary DEFAULT NULL",
        "`e` set('') NOT NULL",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(run(s, "SHOW COLUMNS FROM t LIKE 'b'"), "b\tbit(12)\tNO\tMUL\tb'100000001'\t");
    let columns = "SELECT column_default, character_maximum_length, numeric_precision, data_type FROM \
                   information_schema.columns WHERE table_name = 't' AND column_name IN ('b', 'c') ORDER BY 1";
    assert_eq!(run(s, columns), "b'100000001'\tNULL\t12\tbit\nx,z\t8\tNULL\tset");
    for (definition, number) in [
        ("b BIT(0)", 3013),
        ("b BIT(65)", 1439),
        ("b BIT(8) AUTO_INCREMENT PRIMARY KEY", 1063),
        ("b BIT UNSIGNED", 1064),
        ("b BIT(3) DEFAULT 9", 1067),
        ("b BIT(3) DEFAULT '1'", 1067),
        ("b BIT(9), KEY (b(1))", 1089),
        ("s SET('a,b')", 1367),
        ("s SET('a','A')", 1291),
        ("s ENUM('a','A')", 1291),
        ("s SET()", 1064),
        ("s SET('a') AUTO_INCREMENT PRIMARY KEY", 1063),
        ("s SET('a') DEFAULT 'b'", 1067),
        ("s SET('a') DEFAULT 1", 1067),
        ("s SET('a'), KEY (s(1))", 1089),
    ] {
        assert_eq!(error(s, &format!("CREATE TABLE u ({definition})")), number, "{definition}");
    }
    let words = |count: usize| {
        let words: Vec<String> = (0..count).map(|n| format!("'w{n}'")).collect();
        format!("CREATE TABLE wide (id INT PRIMARY KEY, s SET({}))", words.join(","))
    };
    assert_eq!(error(s, &words(65)), 1097);
    run(s, &words(64));
    run(s, "INSERT INTO wide VALUES (1, 18446744073709551615), (2, 'w63,w0')");
    assert_eq!(found(s, "SELECT CAST(s AS UNSIGNED), BIT_COUNT(s) FROM wide ORDER BY s DESC"), {
        "18446744073709551615\t64\n9223372036854775809\t2"
    });
    // What collations do not tell apart may be two words under another.
    run(s, "CREATE TABLE v (s SET('a','A') COLLATE utf8mb4_bin)");
    run(s, "SET sql_mode = ''");
    run(s, "CREATE TABLE w (s SET('a','A'))");
}

#[test]
fn a_set_takes_members_in_any_order_or_their_number_and_nothing_else() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, s SET('x','y','z'))");
    run(s, "INSERT INTO t VALUES (1, NULL)");
    for (value, stored) in [
        ("'z,x'", "x,z"),
        ("'y,y,X'", "x,y"),
        ("'x '", "x"),
        ("''", ""),
        ("'7'", "x,y,z"),
        ("3", "x,y"),
        ("1.7", "x"),
        ("0", ""),
    ] {
        run(s, &format!("UPDATE t SET s = {value}"));
        assert_eq!(run(s, "SELECT s FROM t"), stored, "{value}");
    }
    for value in ["'no'", "'x,no'", "' x'", "'x,,y'", "'8'", "8", "-1", "'1.7'", "b'100'"] {
        assert_eq!(error(s, &format!("UPDATE t SET s = {value}")), 1265, "{value}");
    }
    run(s, "SET sql_mode = ''");
    for (value, stored) in [("'no'", ""), ("'x,no,z'", "x,z"), ("8", ""), ("13", "x,z")] {
        run(s, &format!("UPDATE t SET s = {value}"));
        assert!(run(s, "SHOW WARNINGS").starts_with("Warning\t1265\t"), "{value}");
        assert_eq!(run(s, "SELECT s FROM t"), stored, "{value}");
    }
}

#[test]
fn a_bit_takes_numbers_and_bytes_that_fit() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (b BIT(12), w BIT(64))");
    run(s, "INSERT INTO t VALUES (0, 0)");
    for (value, stored) in [
        ("5", "5"),
        ("b'1011'", "B"),
        ("0xABC", "ABC"),
        ("'A'", "41"),
        ("'1'", "31"),
        ("TRUE", "1"),
        ("2.5", "3"),
        ("2.5e0", "2"),
        ("''", "0"),
        ("x'0000000000000000000000000fff'", "FFF"),
    ] {
        run(s, &format!("UPDATE t SET b = {value}"));
        assert_eq!(run(s, "SELECT HEX(b) FROM t"), stored, "{value}");
    }
    for value in ["4096", "-1", "'ABC'", "DATE '2020-01-01'"] {
        assert_eq!(error(s, &format!("UPDATE t SET b = {value}")), 1406, "{value}");
    }
    run(s, "UPDATE t SET w = -1");
    assert_eq!(run(s, "SELECT HEX(w), w FROM t").split('\t').next(), Some("FFFFFFFFFFFFFFFF"));
    run(s, "SET sql_mode = ''");
    run(s, "UPDATE t SET b = 4096");
    assert_eq!(
        run(s, "SHOW WARNINGS"),
        "Warning\t1264\tOut of range value for column 'b' at row 1"
    );
    assert_eq!(run(s, "SELECT HEX(b) FROM t"), "FFF");
}

/// A table of both kinds with its keys.
fn filled(s: &mut Session, engine: &str) {
    run(s, "DROP TABLE IF EXISTS t");
    run(
        s,
        &format!(
            "CREATE TABLE t (id INT PRIMARY KEY, b BIT(9), s SET('x','y','z'), KEY (b), KEY (s)) {engine}"
        ),
    );
    run(
        s,
        "INSERT INTO t VALUES (1, 65, 'x'), (2, 300, 'x,z'), (3, NULL, NULL), (4, 0, ''), (5, 1, 'y'), \
         (6, 65, 'x,y,z'), (7, 511, 'x')",
    );
}

#[test]
fn conditions_find_the_same_rows_by_keys_and_without() {
    let sql = server();
    let s = &mut session(&sql);
    for engine in ["", "ENGINE=COLUMNAR"] {
        filled(s, engine);
        for (condition, ids) in [
            ("b = 65", "1,6"),
            ("b = '65'", "1,6"),
            ("b = 'A'", "4"),
            ("b = 0x41", "1,6"),
            ("b > 65", "2,7"),
            ("b >= 300 AND b < 511", "2"),
            ("b < 1.5", "4,5"),
            ("b > 511", "NULL"),
            ("b <= 600", "1,2,4,5,6,7"),
            ("b > -1", "1,2,4,5,6,7"),
            ("b IN (1, 65, 1000)", "1,5,6"),
            ("b", "1,2,5,6,7"),
            ("NOT b", "4"),
            ("b & 1", "1,5,6,7"),
            ("b IS NULL", "3"),
            ("b <=> NULL", "3"),
            ("s = 'x,z'", "2"),
            ("s = 'z,x'", "NULL"),
            ("s = 'X'", "1,7"),
            ("s = 5", "2"),
            ("s = '5'", "NULL"),
            ("s = ''", "4"),
            ("s = 0", "4"),
            ("s IN ('x', 'x,y,z', 'no')", "1,6,7"),
            ("s IN (1, 2)", "1,5,7"),
            ("s > 'x'", "2,5,6"),
            ("s > 4", "2,6"),
            ("s BETWEEN 1 AND 2", "1,5,7"),
            ("s LIKE '%y%'", "5,6"),
            ("FIND_IN_SET('z', s)", "2,6"),
            ("s & 4", "2,6"),
            ("s", "1,2,5,6,7"),
            ("s <> ''", "1,2,5,6,7"),
            ("(b, s) = (65, 'x')", "1"),
            ("s = (SELECT u.s FROM t u WHERE u.id = 7)", "1,7"),
            ("b IN (SELECT u.b FROM t u WHERE u.id > 5)", "1,6,7"),
        ] {
            let query = format!("SELECT GROUP_CONCAT(id ORDER BY id) FROM t WHERE {condition}");
            assert_eq!(found(s, &query), ids, "{condition} {engine}");
        }
    }
}

#[test]
fn a_set_is_its_words_and_a_bit_its_number_or_bytes_as_the_place_wants() {
    let sql = server();
    let s = &mut session(&sql);
    for engine in ["", "ENGINE=COLUMNAR"] {
        filled(s, engine);
        for (expressions, answer) in [
            ("s, s + 0, -s, HEX(s), LENGTH(s), CONCAT(s, '!'), CAST(s AS UNSIGNED)", {
                "x,z\t5\t-5\t782C7A\t3\tx,z!\t5"
            }),
            ("b + 0, b * 1.5, -b, ~b & 255, HEX(b), BIN(b), OCT(b), BIT_COUNT(b)", {
                "300\t450.0\t-300\t211\t12C\t100101100\t454\t4"
            }),
            (
                "HEX(CONCAT(b)), LENGTH(b), HEX(CAST(b AS BINARY)), CAST(b AS SIGNED), TO_BASE64(b)",
                { "012C\t2\t012C\t300\tASw=" },
            ),
            ("JSON_ARRAY(s, b)", "[\"x,z\", \"base64:type16:ASw=\"]"),
            ("COALESCE(b, 1), COALESCE(s, 1), HEX(COALESCE(b, 'x')), IF(1, s, b)", {
                "300\tx,z\t012C\tx,z"
            }),
            ("MAKE_SET(s, 'a', 'b', 'c'), EXPORT_SET(b, '1', '0', '', 9)", "a,c\t001101001"),
            (
                "CASE s WHEN 'x,z' THEN 'words' END, CASE s WHEN 5 THEN 'number' END",
                "words\tnumber",
            ),
            ("CHARSET(b), COLLATION(b), CHARSET(s)", "binary\tbinary\tutf8mb4"),
            ("GREATEST(b, 1), LEAST(b, 1), NULLIF(s, 'x'), IFNULL(s, '')", "300\t1\tx,z\tx,z"),
        ] {
            let query = format!("SELECT {expressions} FROM t WHERE id = 2");
            assert_eq!(found(s, &query), answer, "{expressions} {engine}");
        }
        for (query, answer) in [
            ("SELECT id FROM t ORDER BY s, id", "3\n4\n1\n7\n5\n2\n6"),
            ("SELECT id FROM t ORDER BY b DESC, id", "7\n2\n1\n6\n5\n4\n3"),
            ("SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s", {
                "NULL\t1\n\t1\nx\t2\ny\t1\nx,z\t1\nx,y,z\t1"
            }),
            ("SELECT b + 0, COUNT(*) FROM t GROUP BY b ORDER BY b", {
                "NULL\t1\n0\t1\n1\t1\n65\t2\n300\t1\n511\t1"
            }),
            ("SELECT MIN(s), MAX(s), SUM(s), MIN(b) + 0, MAX(b) + 0, SUM(b), AVG(b) FROM t", {
                "\ty\t16\t0\t511\t942\t157.0000"
            }),
            ("SELECT BIT_AND(b), BIT_OR(b), BIT_XOR(b), BIT_OR(s) FROM t", "0\t511\t210\t7"),
            ("SELECT COUNT(DISTINCT s), COUNT(DISTINCT b) FROM t", "5\t5"),
            ("SELECT a.id, z.id FROM t a JOIN t z ON a.s = z.s AND a.id < z.id", "1\t7"),
            ("SELECT a.id, z.id FROM t a JOIN t z ON a.b = z.b AND a.id < z.id", "1\t6"),
            ("SELECT a.id, z.id FROM t a JOIN t z ON a.s = z.b ORDER BY 1", "1\t5\n4\t4\n7\t5"),
            ("SELECT s FROM t WHERE id < 3 UNION SELECT 'new' ORDER BY 1", "new\nx\nx,z"),
        ] {
            assert_eq!(found(s, query), answer, "{query} {engine}");
        }
    }
}

#[test]
fn members_may_be_added_anywhere_and_keep_their_words() {
    let sql = server();
    let s = &mut session(&sql);
    for key in ["", ", KEY (s)"] {
        run(s, "DROP TABLE IF EXISTS t");
        run(s, &format!("CREATE TABLE t (id INT PRIMARY KEY, s SET('x','y','z'){key})"));
        run(s, "INSERT INTO t VALUES (1, 'x,z'), (2, 'y'), (3, '')");
        // At the end, in the middle, beyond eight of them, none of them any more.
        for members in [
            "'x','y','z','v'",
            "'x','new','y','z'",
            "'a','b','c','d','e','f','g','z','h','y','x'",
            "'z','y','x'",
        ] {
            run(s, &format!("ALTER TABLE t MODIFY s SET({members})"));
            let order = if members.starts_with("'z") { "z,x" } else { "x,z" };
            let order = if members.contains("'a'") { "z,x" } else { order };
            assert_eq!(found(s, "SELECT s FROM t ORDER BY id"), format!("{order}\ny\n"));
            assert_eq!(found(s, &format!("SELECT id FROM t WHERE s = '{order}'")), "1");
        }
        assert_eq!(error(s, "ALTER TABLE t MODIFY s SET('x','z')"), 1265);
        run(s, "ALTER TABLE t MODIFY s VARCHAR(20)");
        assert_eq!(run(s, "SELECT s FROM t ORDER BY id"), "z,x\ny\n");
        run(s, "ALTER TABLE t MODIFY s SET('x','y','z')");
        assert_eq!(run(s, "SELECT s, s + 0 FROM t ORDER BY id"), "x,z\t5\ny\t2\n\t0");
    }
    run(s, "CREATE TABLE b (id INT PRIMARY KEY, b BIT(4), KEY (b))");
    run(s, "INSERT INTO b VALUES (1, 9), (2, 3)");
    for (ty, shown) in
        [("BIT(8)", "9\n3"), ("BIT(20)", "9\n3"), ("INT", "9\n3"), ("BIT(4)", "9\n3")]
    {
        run(s, &format!("ALTER TABLE b MODIFY b {ty}"));
        assert_eq!(found(s, "SELECT b + 0 FROM b ORDER BY id"), shown, "{ty}");
        assert_eq!(found(s, "SELECT id FROM b WHERE b = 3"), "2", "{ty}");
    }
    assert_eq!(error(s, "ALTER TABLE b MODIFY b BIT(3)"), 1406);
}

#[test]
fn rules_and_keys_of_other_tables_are_over_both() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE p (s SET('a','b'), b BIT(9), c INT AS (s + 0), d VARCHAR(9) AS (CONCAT(s, '!')) STORED, \
         CHECK (s <> 'a'), CHECK (b > 2), PRIMARY KEY (s, b), UNIQUE (b))",
    );
    run(s, "INSERT INTO p (s, b) VALUES ('b', 5), ('b,a', 511)");
    assert_eq!(run(s, "SELECT s, b + 0, c, d FROM p ORDER BY s"), "b\t5\t2\tb!\na,b\t511\t3\ta,b!");
    assert_eq!(error(s, "INSERT INTO p (s, b) VALUES ('a', 6)"), 3819);
    assert_eq!(error(s, "INSERT INTO p (s, b) VALUES ('b', 1)"), 3819);
    assert_eq!(error(s, "INSERT INTO p (s, b) VALUES ('a,b', 511)"), 1062);
    run(
        s,
        "CREATE TABLE c (id INT PRIMARY KEY, b BIT(9), FOREIGN KEY (b) REFERENCES p (b) ON UPDATE CASCADE)",
    );
    run(s, "INSERT INTO c VALUES (1, 5)");
    assert_eq!(error(s, "INSERT INTO c VALUES (2, 6)"), 1452);
    run(s, "UPDATE p SET b = 7 WHERE b = 5");
    assert_eq!(run(s, "SELECT id FROM c WHERE b = 7"), "1");
    run(s, "CREATE VIEW v AS SELECT s, b FROM p WHERE s & 1");
    assert_eq!(run(s, "SELECT s, HEX(b) FROM v"), "a,b\t1FF");
    run(s, "CREATE TEMPORARY TABLE tt SELECT * FROM p");
    assert_eq!(run(s, "SELECT s, b + 0 FROM tt ORDER BY b"), "b\t7\na,b\t511");
    let shown = run(s, "SHOW CREATE TABLE tt");
    assert!(shown.contains("`s` set('a','b') NOT NULL") && shown.contains("`b` bit(9) NOT NULL"));
}

#[test]
fn parameters_and_variables_are_values_of_both() {
    let sql = server();
    let s = &mut session(&sql);
    filled(s, "");
    run(s, "PREPARE p FROM 'SELECT GROUP_CONCAT(id ORDER BY id) FROM t WHERE b = ? AND s = ?'");
    run(s, "SET @b = (SELECT b FROM t WHERE id = 1), @s = (SELECT s FROM t WHERE id = 6)");
    assert_eq!(run(s, "SELECT @b, @s"), "65\tx,y,z");
    assert_eq!(run(s, "EXECUTE p USING @b, @s"), "6");
    let prepared = s.prepare(b"INSERT INTO t VALUES (?, ?, ?)").expect("prepares");
    for (id, bits, set) in [
        (10, values::Datum::Bytes(b"\x01\x02"), values::Datum::Bytes(b"z,y")),
        (11, values::Datum::Int(258), values::Datum::Int(6)),
    ] {
        let row = [values::Datum::Int(id), bits, set];
        s.execute(prepared.id, &row, results::ExecutionMode::POOL).expect("runs");
    }
    assert_eq!(run(s, "SELECT b + 0, s FROM t WHERE id > 9"), "258\ty,z\n258\ty,z");
}
