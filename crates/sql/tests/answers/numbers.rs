//! Numbers beside texts, out of texts and out of literals of digits, and of which types they are:
//! what was wrong once, by both executors, each test named by that. `tests/oracle/sql/wanted.py`
//! draws their neighbours.

use results::ExecutionMode;
use sql::{Reply, Session};
use values::datum::Datum;
use values::decimal::Decimal;
use values::types::ColumnType;

use crate::harness::{error, lines, run, server, session, shown};

/// Each executor in turn.
const EXECUTORS: [&str; 2] = ["rows", "columns"];

/// What a query answers, by both executors alike.
#[track_caller]
fn answers(s: &mut Session, query: &str, expected: &str) {
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, query), expected, "{query} by {executor}");
    }
    run(s, "SET rowhouse_executor = 'auto'");
}

/// The types of a query's columns.
fn types(s: &mut Session, query: &str) -> Vec<ColumnType> {
    match s.query(query.as_bytes(), ExecutionMode::POOL).expect("runs").0 {
        Reply::Rows(stream) => stream.columns().iter().map(|column| column.ty.clone()).collect(),
        _ => panic!("{query} gives no rows"),
    }
}

/// Three neighbours that are one DOUBLE, with and without an index.
fn with_neighbours(s: &mut Session) {
    run(
        s,
        "CREATE TABLE p (id BIGINT PRIMARY KEY, u BIGINT UNSIGNED, d DECIMAL(20,0), e DECIMAL(30,4), \
         t VARCHAR(30), b VARBINARY(30), KEY (u), KEY (e))",
    );
    for last in 89..=91 {
        let id = format!("12345678901234567{last}");
        run(
            s,
            &format!(
                "INSERT INTO p VALUES ({id}, {id}, {id}, 1234567890123456789.12{last}, '{id}', '{id}')"
            ),
        );
    }
}

#[test]
fn a_delete_by_a_quoted_id_removed_its_neighbours() {
    let sql = server();
    let s = &mut session(&sql);
    with_neighbours(s);
    assert_eq!(
        run(s, "UPDATE p SET u = 5 WHERE u = '1234567890123456790'"),
        "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]"
    );
    assert_eq!(run(s, "DELETE FROM p WHERE d = '1234567890123456791'"), "ok 1");
    assert_eq!(run(s, "DELETE FROM p WHERE id = '1234567890123456789'"), "ok 1");
    assert_eq!(run(s, "SELECT id, u FROM p"), "1234567890123456790\t5");
}

#[test]
fn whole_numbers_and_decimals_were_compared_with_texts_as_double() {
    let sql = server();
    let s = &mut session(&sql);
    with_neighbours(s);
    run(s, "SET @t = '1234567890123456789', @e = '1234567890123456789.1289'");
    for column in ["id", "u", "d", "id + 0"] {
        for text in ["'1234567890123456789'", "@t", "(SELECT '1234567890123456789')"] {
            let counted = |condition: &str| {
                let condition = condition.replace("c ", &format!("{column} ")).replace('?', text);
                format!("SELECT count(*) FROM p WHERE {condition}")
            };
            for (condition, expected) in [
                ("c = ?", "1"),
                ("c <=> ?", "1"),
                ("c <> ?", "2"),
                ("c > ?", "2"),
                ("c < ?", "0"),
                ("c <= ?", "1"),
                ("c BETWEEN ? AND ?", "1"),
                ("c NOT BETWEEN ? AND ?", "2"),
                ("c IN ('5', ?)", "1"),
                ("c NOT IN ('5', ?)", "2"),
                ("(c , 1) = (?, 1)", "1"),
                ("(c , 1) IN ((?, 1), ('5', 1))", "1"),
                ("CASE c WHEN ? THEN 1 ELSE 0 END", "1"),
                ("NULLIF(c , ?) IS NULL", "1"),
                ("IF(c = ?, 1, 0)", "1"),
                ("NOT c = ?", "2"),
            ] {
                answers(s, &counted(condition), expected);
            }
        }
    }
    for text in ["'1234567890123456789.1289'", "@e", "(SELECT '1234567890123456789.1289')"] {
        for (condition, expected) in
            [("e = ?", "1"), ("e > ?", "2"), ("e <> ?", "2"), ("e IN ('1', ?)", "1")]
        {
            let condition = condition.replace('?', text);
            answers(s, &format!("SELECT count(*) FROM p WHERE {condition}"), expected);
        }
    }
    answers(s, "SELECT count(*) FROM p HAVING max(id) = '1234567890123456791'", "3");
    answers(s, "SELECT count(*) FROM p WHERE id IN (SELECT '1234567890123456789')", "1");
    answers(s, "SELECT count(*) FROM p WHERE id = ANY (SELECT '1234567890123456789')", "1");
    // A DOUBLE that is the same for all rows.
    answers(s, "SELECT count(*) FROM p WHERE id = 1234567890123456789e0", "0");
}

#[test]
fn a_join_of_whole_numbers_with_texts_paired_neighbours() {
    let sql = server();
    let s = &mut session(&sql);
    with_neighbours(s);
    run(s, "CREATE TABLE plain AS SELECT id, t FROM p");
    for (left, right) in [("p", "p"), ("plain", "plain"), ("plain", "p"), ("p", "plain")] {
        let from = format!("FROM {left} x JOIN {right} y");
        answers(s, &format!("SELECT count(*) {from} ON x.id = y.t"), "3");
        answers(s, &format!("SELECT count(*) {from} ON x.t = y.id"), "3");
        answers(s, &format!("SELECT count(*) {from} ON x.id < y.t"), "3");
    }
    answers(s, "SELECT count(*) FROM p WHERE id IN (SELECT t FROM plain WHERE id % 10 = 9)", "1");
    // Literals beside a text column are DOUBLE, as in MySQL.
    answers(s, "SELECT count(*) FROM p WHERE t = 1234567890123456789", "3");
}

#[test]
fn texts_that_do_not_fit_a_column_keep_their_meaning() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE k (id INT PRIMARY KEY, n BIGINT, d DECIMAL(10,2))");
    run(s, "INSERT INTO k VALUES (1, 1, 1), (2, 2, 2), (12, 12, 12), (1000, 1000, 1.50)");
    for (condition, expected) in [
        ("c = '1.5'", "NULL"),
        ("c = '1e3'", "1000"),
        ("c = ' 12 '", "12"),
        ("c = '12x'", "12"),
        ("c = 'x'", "NULL"),
        ("c = '99999999999999999999'", "NULL"),
        ("c < '1.5'", "1"),
        ("c > '1.5' AND c < '12'", "2"),
        ("c > '-99999999999999999999' AND c <= '1e0'", "1"),
        ("c BETWEEN '1.5' AND '11.9'", "2"),
        ("c IN ('1.5', '12x', '3')", "12"),
    ] {
        for column in ["id", "n"] {
            let condition = condition.replace("c ", &format!("{column} "));
            answers(s, &format!("SELECT max({column}) FROM k WHERE {condition}"), expected);
        }
    }
    answers(s, "SELECT id FROM k WHERE d = '1.5'", "1000");
    answers(s, "SELECT count(*) FROM k WHERE d = '1.501'", "0");
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for column in ["id", "n"] {
            run(s, &format!("SELECT id FROM k WHERE {column} = '12x'"));
            let told = run(s, "SHOW WARNINGS");
            assert_eq!(
                told, "Warning\t1292\tTruncated incorrect DOUBLE value: '12x'",
                "{executor}"
            );
        }
    }
    run(s, "SET rowhouse_executor = 'auto', sql_mode = 'STRICT_TRANS_TABLES'");
    assert_eq!(error(s, "UPDATE k SET n = 5 WHERE n = '12x'"), 1292);
    assert_eq!(error(s, "UPDATE k SET n = 5 WHERE id = '12x'"), 1292);
}

#[test]
fn a_text_or_a_blob_parameter_found_neighbours_of_a_whole_number() {
    let sql = server();
    let s = &mut session(&sql);
    with_neighbours(s);
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for column in ["id", "u", "d"] {
            let text = format!("SELECT count(*) FROM p WHERE {column} = ?");
            let prepared = s.prepare(text.as_bytes()).expect("prepares");
            for parameter in [
                Datum::Bytes(b"1234567890123456789"),
                Datum::Int(1_234_567_890_123_456_789),
                Datum::Decimal(Decimal::parse(b"1234567890123456789").expect("a number")),
            ] {
                let reply =
                    s.execute(prepared.id, &[parameter], ExecutionMode::POOL).expect("runs");
                assert_eq!(shown(s, reply).expect("rows"), "1", "{column} {parameter:?}");
            }
        }
    }
}

#[test]
fn branches_of_different_signedness_were_one_value_with_two_keys() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE u (id INT PRIMARY KEY, a INT UNSIGNED, b BIGINT UNSIGNED, c INT, y YEAR)");
    run(s, "INSERT INTO u VALUES (1,1,1,1,2001), (2,1,1,1,2001), (3,1,1,1,2001), (4,1,1,1,2001)");
    for branches in [
        "IF(id < 3, a, 1)",
        "IF(id < 3, b, 1)",
        "IF(id < 3, a, c)",
        "IFNULL(IF(id < 3, a, NULL), c)",
        "CASE WHEN id < 3 THEN a ELSE c END",
        "CASE id WHEN 1 THEN a WHEN 2 THEN b ELSE 1 END",
        "COALESCE(IF(id < 3, a, NULL), 1)",
        "LEAST(a, IF(id < 3, 1, c))",
        "GREATEST(a, IF(id < 3, 1, c))",
        "IF(id < 3, y, 2001) - 2000",
    ] {
        answers(s, &format!("SELECT {branches} k, count(*) FROM u GROUP BY k"), "1\t4");
        answers(s, &format!("SELECT DISTINCT {branches} FROM u"), "1");
        answers(s, &format!("SELECT count(DISTINCT {branches}) FROM u"), "1");
        answers(s, &format!("SELECT id FROM u ORDER BY {branches}, id DESC"), "4\n3\n2\n1");
        let over = format!("count(*) OVER (PARTITION BY {branches})");
        answers(s, &format!("SELECT DISTINCT {over} FROM u"), "4");
        answers(s, &format!("SELECT {branches} FROM u UNION SELECT 1"), "1");
    }
}

#[test]
fn whole_numbers_with_parameters_and_variables_became_double() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE n (id INT PRIMARY KEY, n BIGINT, u BIGINT UNSIGNED)");
    run(s, "INSERT INTO n VALUES (1, 9007199254740993, 18446744073709551615)");
    run(s, "SET @u = 18446744073709551615, @n = 9007199254740993, @d = 1.50, @f = 1.5e0, @s = 'a'");
    answers(
        s,
        "SELECT @u + 0, @n + 2, @n * 2, @d + 1",
        "18446744073709551615\t9007199254740995\t18014398509481986\t2.50",
    );
    answers(
        s,
        "SELECT n + @n, u - @d, IF(1, @n, 2), COALESCE(@n, 1) FROM n",
        "18014398509481986\t18446744073709551613.50\t9007199254740993\t9007199254740993",
    );
    let bigint = expression::BIGINT;
    let unsigned = expression::BIGINT_UNSIGNED;
    let found = types(s, "SELECT @n, @u, @f, @n + 1, COALESCE(@n, 1), @n + @f");
    let double = ColumnType::Double(None);
    assert_eq!(
        found,
        [bigint.clone(), unsigned.clone(), double.clone(), bigint.clone(), bigint.clone(), double]
    );
    // A plan that was made for a number is none for a text.
    for _ in 0..3 {
        run(s, "SET @v = 5");
        assert_eq!(types(s, "SELECT @v FROM n WHERE id = 1"), std::slice::from_ref(&bigint));
        run(s, "SET @v = 'abc'");
        assert_eq!(run(s, "SELECT @v FROM n WHERE id = 1"), "abc");
        assert_ne!(types(s, "SELECT @v FROM n WHERE id = 1"), std::slice::from_ref(&bigint));
    }
    run(s, "CREATE TABLE made AS SELECT @n a, @u b, @n + 1 c");
    let made = run(s, "SHOW CREATE TABLE made");
    assert!(made.contains("`a` bigint") && made.contains("`b` bigint unsigned"), "{made}");
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let prepared =
            s.prepare(b"SELECT n + ?, ?, COALESCE(?), IF(1, ?, 2), -? FROM n WHERE id = 1");
        let id = prepared.expect("prepares").id;
        let reply = s.execute(id, &[Datum::Int(2); 5], ExecutionMode::POOL).expect("runs");
        let Reply::Rows(stream) = reply else { panic!("no rows") };
        assert!(stream.columns().iter().all(|column| column.ty == bigint), "{executor}");
        assert_eq!(lines(stream).expect("rows"), "9007199254740995\t2\t2\t2\t-2");
    }
}

#[test]
fn literals_of_digits_were_0_as_numbers_in_functions() {
    let sql = server();
    let s = &mut session(&sql);
    for (expression, value) in [
        ("CHAR(0x41)", "A"),
        ("REPEAT('a', 0x3)", "aaa"),
        ("LEFT('abcdef', 0x2)", "ab"),
        ("RIGHT('abcdef', b'10')", "ef"),
        ("SUBSTRING('abcdef', 0x2, 0x3)", "bcd"),
        ("LPAD('a', 0x3, 'x')", "xxa"),
        ("ELT(0x1, 'a')", "a"),
        ("INTERVAL(0x41, 1, 65, 66)", "2"),
        ("FIELD(0x41, 65)", "1"),
        ("FIELD('A', 0x41)", "1"),
        ("SUM(0x41)", "65"),
        ("AVG(b'11')", "3.0000"),
        ("BIT_OR(0x41)", "65"),
        ("DATE_ADD('2024-01-01', INTERVAL 0x2 DAY)", "2024-01-03"),
        ("'2024-01-01' - INTERVAL b'10' MONTH", "2023-11-01"),
        ("TIMESTAMPADD(DAY, 0x2, '2024-01-01')", "2024-01-03"),
        ("ADDDATE('2024-01-01', 0x2)", "2024-01-03"),
        ("CONV(0x41, 0xa, 0x10)", "41"),
        ("BIN(0x2)", "10"),
        ("MAKEDATE(0x7e8, 0x2)", "2024-01-02"),
        ("SEC_TO_TIME(0x41)", "00:01:05"),
        ("INET_NTOA(0x7f000001)", "127.0.0.1"),
        ("EXPORT_SET(0x5, '1', '0', ',', 0x4)", "1,0,1,0"),
        ("NULLIF(0x41, 65)", "NULL"),
        ("CASE 0x41 WHEN 65 THEN 1 END", "1"),
        // Bytes where no number is wanted.
        ("CONCAT(0x41)", "A"),
        ("COALESCE(0x43) + 0", "0"),
        ("HEX(0x41)", "41"),
    ] {
        answers(s, &format!("SELECT {expression}"), value);
    }
}

#[test]
fn a_text_where_a_whole_number_is_wanted_was_rounded() {
    let sql = server();
    let s = &mut session(&sql);
    for unit in ["MICROSECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"] {
        for (text, whole) in [("2.7", 2), ("1e1", 1), ("-1.5", -1), ("2x", 2), ("x", 0)] {
            let query = format!(
                "SELECT DATE_ADD('2020-01-01', INTERVAL '{text}' {unit}) = \
                 DATE_ADD('2020-01-01', INTERVAL {whole} {unit})"
            );
            answers(s, &query, "1");
        }
    }
    for (expression, value) in [
        ("DATE_ADD('2024-01-01', INTERVAL '2.7' SECOND)", "2024-01-01 00:00:02.700000"),
        ("DATE_ADD('2024-01-01', INTERVAL '' DAY_HOUR)", "2024-01-01 00:00:00"),
        ("LEFT('abcdef', '2.7')", "ab"),
        ("RIGHT('abcdef', '1e1')", "f"),
        ("REPEAT('a', '2.5')", "aa"),
        ("LPAD('a', '3.9', 'x')", "xxa"),
        ("SUBSTR('abcdef', '2.7', '1.9')", "b"),
        ("ROUND(1234.56789, '2.7')", "1234.57"),
        ("TRUNCATE(1234.56789, '-1.5')", "1230"),
        ("ELT('1.5', 'a', 'b')", "a"),
        ("MAKEDATE(2024, '2.7')", "2024-01-02"),
        ("FROM_DAYS('738000.9')", "2020-07-29"),
        ("WEEK('2024-06-15', '1.5')", "24"),
        ("1 << '2.7'", "4"),
        ("'2.7' << 1", "4"),
        ("'2.7' & 7", "2"),
        ("~'2.7'", "18446744073709551613"),
        ("BIT_COUNT('2.7')", "1"),
        ("BIT_OR('1e1')", "1"),
        ("CHAR('65.9')", "A"),
        ("LEFT('abc', '18446744073709551615')", ""),
        // Numbers are rounded.
        ("LEFT('abcdef', 2.5)", "abc"),
        ("LEFT('abcdef', 2.5e0)", "ab"),
        ("2.5e0 | 0", "2"),
    ] {
        answers(s, &format!("SELECT {expression}"), value);
    }
}

#[test]
fn what_is_beyond_a_bigint_was_clipped_or_null() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE w (id INT PRIMARY KEY, a BIGINT UNSIGNED, b BIGINT)");
    run(s, "INSERT INTO w VALUES (1, 9223372036854775808, 1), (2, 9223372036854775809, 1)");
    for (expression, value) in [
        ("-10000000000000000000", "-10000000000000000000"),
        ("- -9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-(9223372036854775808)", "-9223372036854775808"),
        ("FLOOR(-10000000000000000000)", "-10000000000000000000"),
        ("CEILING(-10000000000000000000.5)", "-10000000000000000000"),
        ("-10000000000000000000 + 1", "-9999999999999999999"),
        ("18446744073709551616 + 1", "18446744073709551617"),
        ("IF(1, -10000000000000000000, 1)", "-10000000000000000000"),
        ("-CAST(18446744073709551615 AS UNSIGNED)", "-18446744073709551615"),
        (
            "TRUNCATE(99999999999999999999999999999999999999, 49)",
            "99999999999999999999999999999999999999",
        ),
        (
            "ROUND(99999999999999999999999999999999999999.5, 49)",
            "99999999999999999999999999999999999999.5",
        ),
        (
            "TRUNCATE(1234567890123456789012345678901234567890123, -2)",
            "1234567890123456789012345678901234567890100",
        ),
        ("ROUND(1550, -2)", "1600"),
        ("ROUND(-1549.9, -2)", "-1500"),
    ] {
        answers(s, &format!("SELECT {expression}"), value);
    }
    answers(s, "SELECT -a FROM w WHERE id = 1", "-9223372036854775808");
    answers(s, "SELECT count(*) FROM w WHERE b > -10000000000000000000", "2");
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(error(s, "SELECT -a FROM w WHERE id = 2"), 1690, "{executor}");
        assert_eq!(error(s, "SELECT ROUND(18446744073709551615, -1)"), 1690, "{executor}");
        let ty = types(s, "SELECT ELT(1, 5, 6), ELT(1, 1.50, 2)");
        assert!(ty.iter().all(|ty| matches!(ty, ColumnType::VarChar { .. })), "{ty:?}");
    }
}

#[test]
fn digits_behind_the_point_of_float_and_double_were_dropped() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, f FLOAT(7,2), d DOUBLE(8,3), h DOUBLE)");
    run(s, "INSERT INTO t VALUES (1, 1.555, 2.3455, 2.5), (2, 99999.994, 12345.6789, 2.75)");
    for refused in ["(3, 99999.999, 0, 0)", "(3, 0, 100000, 0)", "(3, 0, -99999.9996, 0)"] {
        assert_eq!(error(s, &format!("INSERT INTO t VALUES {refused}")), 1264, "{refused}");
    }
    answers(s, "SELECT f, d FROM t", "1.55\t2.345\n99999.99\t12345.679");
    answers(
        s,
        "SELECT d + 1, d * 2, d / 3, d + h, -d, CONCAT(d), ROUND(d, 2) FROM t WHERE id = 1",
        "3.345\t4.690\t0.7816667\t4.845\t-2.345\t2.345\t2.34",
    );
    answers(
        s,
        "SELECT SUM(f), AVG(f), SUM(d), AVG(d) FROM t",
        "100001.54\t50000.771094\t12348.024\t6174.0120000",
    );
    answers(s, "SELECT PI(), PI() * 2, PI() * 1e0", "3.141593\t6.283185\t3.141592653589793");
    let made = run(s, "SHOW CREATE TABLE t");
    assert!(made.contains("`f` float(7,2)") && made.contains("`d` double(8,3)"), "{made}");
    run(s, "ALTER TABLE t MODIFY d DOUBLE(8,1)");
    answers(s, "SELECT d FROM t", "2.3\n12345.7");
    run(s, "ALTER TABLE t MODIFY d DOUBLE, MODIFY f FLOAT(4,2)");
    answers(s, "SELECT f, d FROM t WHERE id = 1", "1.55\t2.3449999999999998");
    assert_eq!(error(s, "UPDATE t SET f = f + 100"), 1264);
}

#[test]
fn a_year_had_a_sign_and_a_float_beside_a_bigint_was_a_double() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE n (id INT PRIMARY KEY, y YEAR, u BIGINT UNSIGNED, d DECIMAL(6,2), f FLOAT)",
    );
    run(s, "INSERT INTO n VALUES (1, 2001, 18446744073709551615, 1.5, 0.1)");
    run(s, "INSERT INTO n VALUES (2, 1999, 7, 2, 1.5)");
    answers(s, "SELECT IF(id = 2, y, u) FROM n ORDER BY id", "18446744073709551615\n1999");
    answers(s, "SELECT u FROM n WHERE id = 1 UNION SELECT y FROM n WHERE id = 1 ORDER BY u", {
        "2001\n18446744073709551615"
    });
    answers(s, "SELECT IF(id = 2, y, d) FROM n ORDER BY id", "1.50\n1999.00");
    answers(s, "SELECT IF(id = 1, f, 7) FROM n ORDER BY id", "0.1\n7");
    answers(s, "SELECT GREATEST(f, -5) FROM n ORDER BY id", "0.1\n1.5");
    answers(s, "SELECT f FROM n UNION SELECT 7 ORDER BY 1", "0.1\n1.5\n7");
    answers(s, "SELECT id FROM n WHERE y = DATE'1999-05-06'", "2");
    for executor in EXECUTORS {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for query in
            ["SELECT y - 2100 FROM n", "SELECT ABS(y) - 3000 FROM n", "SELECT 1 - y FROM n"]
        {
            assert_eq!(error(s, query), 1690, "{executor}: {query}");
        }
    }
    answers(s, "SELECT y - 1000, -y, y % 7 FROM n WHERE id = 1", "1001\t-2001\t6");
    let exact = "SELECT 1234567890123456789 DIV 1e0, 18446744073709551615 DIV 1e0";
    answers(s, exact, "1234567890123456789\t18446744073709551615");
}
