//! Answers about times that were wrong once.

use crate::harness::{error, run, server, session};

#[test]
fn alter_table_and_defaults_showed_timestamps_on_the_clock_of_utc() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET time_zone = '-04:00', timestamp = 1700000000");
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, e TIMESTAMP(3))");
    run(s, "INSERT INTO t VALUES (1, '2020-01-01 11:00:00', '2020-01-01 11:00:00.25')");
    run(s, "ALTER TABLE t MODIFY d TIMESTAMP, MODIFY e VARCHAR(30)");
    let moments = "2020-01-01 11:00:00\t2020-01-01 11:00:00.250";
    assert_eq!(run(s, "SELECT d, e FROM t"), moments);
    run(s, "ALTER TABLE t MODIFY d DATETIME, MODIFY e TIMESTAMP(3)");
    assert_eq!(run(s, "SELECT d, e FROM t"), moments);

    run(s, "CREATE TABLE u (id INT PRIMARY KEY, a TIMESTAMP DEFAULT '2020-01-01 12:00:00')");
    run(s, "INSERT INTO u (id) VALUES (1)");
    run(
        s,
        "ALTER TABLE u ADD b DATETIME DEFAULT CURRENT_TIMESTAMP, ADD c TIMESTAMP DEFAULT \
         CURRENT_TIMESTAMP, ADD d TIMESTAMP DEFAULT '2021-01-01 00:00:00', ADD e VARCHAR(30) \
         DEFAULT (CONCAT(NOW()))",
    );
    assert_eq!(
        run(s, "SELECT * FROM u"),
        "1\t2020-01-01 12:00:00\t2023-11-14 18:13:20\t2023-11-14 18:13:20\t\
         2021-01-01 00:00:00\t2023-11-14 18:13:20"
    );
    run(s, "SET time_zone = '+00:00'");
    assert_eq!(run(s, "SELECT a, DEFAULT(d) FROM u"), "2020-01-01 16:00:00\t2021-01-01 04:00:00");
    let shown = run(s, "SHOW CREATE TABLE u");
    assert!(shown.contains("DEFAULT '2020-01-01 16:00:00'"), "{shown}");
}

#[test]
fn fractions_of_a_second_were_laid_out_without_the_digits_of_their_column() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a TIME(3), b DATETIME(2), c TIMESTAMP(4), d DATETIME(6))");
    run(
        s,
        "INSERT INTO t VALUES ('10:11:12.345', '2020-01-01 10:00:00.5', '2020-01-01 10:00:00', \
         '2020-01-01 10:00:00')",
    );
    run(s, "CREATE TABLE u (a VARCHAR(30), b TEXT, c CHAR(30), d BLOB)");
    run(s, "INSERT INTO u SELECT * FROM t");
    run(s, "ALTER TABLE t MODIFY a VARCHAR(30), MODIFY b TEXT, MODIFY c CHAR(30), MODIFY d BLOB");
    for table in ["t", "u"] {
        assert_eq!(
            run(s, &format!("SELECT * FROM {table}")),
            "10:11:12.345\t2020-01-01 10:00:00.50\t2020-01-01 10:00:00.0000\t\
             2020-01-01 10:00:00.000000"
        );
    }
}

#[test]
fn zones_by_name_were_unknown() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP, KEY (ts))");
    run(s, "SET time_zone = 'europe/berlin'");
    assert_eq!(run(s, "SELECT @@time_zone"), "Europe/Berlin");
    run(s, "INSERT INTO t VALUES (1, '2024-07-01 12:00:00'), (2, '2024-01-01 12:00:00')");
    assert_eq!(run(s, "SELECT id FROM t WHERE ts = '2024-07-01 12:00:00'"), "1");
    run(s, "SET time_zone = '+00:00'");
    assert_eq!(
        run(s, "SELECT * FROM t WHERE id > 0"),
        "1\t2024-07-01 10:00:00\n2\t2024-01-01 11:00:00"
    );
    let converted = "convert_tz('2024-07-01 12:00:00', 'UTC', 'America/New_York')";
    assert_eq!(run(s, &format!("SELECT {converted}")), "2024-07-01 08:00:00");
    assert_eq!(run(s, "SELECT convert_tz('2024-07-01', 'UTC', 'nowhere')"), "NULL");
    assert_eq!(error(s, "SET time_zone = 'Nowhere/Land'"), 1298);
}

#[test]
fn a_time_of_day_beside_a_day_was_no_time_of_today() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET time_zone = '+00:00', timestamp = 1700000000");
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, d DATE, dt DATETIME(1), ts TIMESTAMP NULL, t TIME(1))",
    );
    run(s, "INSERT INTO t VALUES (1, '2024-01-02', '2024-01-02 03:04:05', NULL, '10:11:12.5')");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (query, rows) in [
            ("SELECT t FROM t UNION ALL SELECT d FROM t ORDER BY 1", {
                "2023-11-14 10:11:12.5\n2024-01-02 00:00:00.0"
            }),
            ("SELECT GREATEST(t, dt), LEAST(d, t) FROM t", {
                "2024-01-02 03:04:05.0\t2023-11-14 10:11:12.5"
            }),
            ("SELECT COALESCE(t, d), CASE WHEN id THEN t ELSE dt END FROM t", {
                "2023-11-14 10:11:12.5\t2023-11-14 10:11:12.5"
            }),
            ("SELECT DATE_ADD(TIME'10:00:00', INTERVAL id DAY) FROM t", "2023-11-15 10:00:00"),
        ] {
            assert_eq!(run(s, query), rows, "{executor}: {query}");
        }
    }
    run(s, "INSERT INTO t (id, d, dt, ts) SELECT 2, t, t, t FROM t WHERE id = 1");
    run(s, "UPDATE t SET dt = TIME'-01:00:00' WHERE id = 1");
    assert_eq!(
        run(s, "SELECT d, dt, ts FROM t ORDER BY id"),
        "2024-01-02\t2023-11-13 23:00:00.0\tNULL\n\
         2023-11-14\t2023-11-14 10:11:12.5\t2023-11-14 10:11:13"
    );
}

#[test]
fn an_hour_that_the_clock_leaves_out_was_stored() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP(3) NULL)");
    run(s, "SET time_zone = 'Europe/Berlin'");
    for text in ["2024-03-31 02:30:00", "2024-03-31 02:00:00", "2024-03-31 01:59:59.9999"] {
        assert_eq!(error(s, &format!("INSERT INTO t VALUES (1, '{text}')")), 1292, "{text}");
    }
    run(s, "INSERT INTO t VALUES (1, '2024-03-31 02:59:59.9996'), (2, '2024-10-27 02:30:00')");
    assert_eq!(error(s, "UPDATE t SET ts = '2024-03-31 02:30:00' WHERE id = 2"), 1292);
    assert_eq!(run(s, "INSERT IGNORE INTO t VALUES (3, '2024-03-31 02:30:00')"), "ok 1 warnings 1");
    assert_eq!(
        run(s, "SELECT unix_timestamp(ts) FROM t WHERE id > 0"),
        "1711846800.000\n1729989000.000\n1711846800.000"
    );
}

#[test]
fn zero_days_were_not_found_by_is_null_and_their_zero_parts_were_stored_by_ignore() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME NOT NULL, KEY (d))");
    run(
        s,
        "INSERT IGNORE INTO t VALUES (1, '2024-00-10', '2024-01-00 10:00:00'), (2, '2024-01-02', '2024-01-02')",
    );
    assert_eq!(run(s, "SELECT d, dt FROM t WHERE id = 1"), "0000-00-00\t0000-00-00 00:00:00");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (query, ids) in [
            ("SELECT id FROM t WHERE d IS NULL", "1"),
            ("SELECT id FROM t WHERE dt IS NULL AND id > 0", "1"),
            (
                "SELECT a.id FROM t a LEFT JOIN t b ON b.id = a.id AND b.id = 1 WHERE b.d IS NULL ORDER BY 1",
                { "1\n2" },
            ),
            ("SELECT id FROM t WHERE d IS NULL OR id = 2", "2"),
            ("SELECT id FROM (SELECT * FROM t) q WHERE d IS NULL", ""),
            ("SELECT COUNT(*) FROM t WHERE d IS NOT NULL", "2"),
        ] {
            assert_eq!(run(s, query), ids, "{executor}: {query}");
        }
    }
    run(s, "SET rowhouse_executor = 'auto'");
    run(s, "UPDATE t SET dt = '2024-05-05' WHERE d IS NULL");
    assert_eq!(run(s, "SELECT dt FROM t WHERE id = 1"), "2024-05-05 00:00:00");
    assert_eq!(run(s, "DELETE FROM t WHERE d IS NULL"), "ok 1");
}

#[test]
fn functions_of_times_lost_signs_fractions_days_and_weeks() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET time_zone = '+00:00', timestamp = 1700000000");
    for (expression, value) in [
        ("addtime('-01:00:00', '-02:00:00')", "-03:00:00"),
        ("addtime('-00:00:00.5', '-00:00:00.5')", "-00:00:01"),
        ("timediff('10:00:00.500', '09:00:00.2')", "01:00:00.300"),
        ("timediff('2000:01:01 00:00:00', '2000:01:01 00:00:00.000001')", "-00:00:00.000001"),
        ("extract(day_minute FROM '2024-01-02 03:04:05')", "20304"),
        ("extract(day_hour FROM '25:04:05')", "25"),
        ("extract(year FROM TIME'10:11:12')", "2023"),
        ("week('0000-00-00')", "NULL"),
        ("str_to_date('200442 Monday', '%X%V %W')", "2004-10-18"),
        ("str_to_date('22nd 2 2024', '%D %m %Y')", "2024-02-22"),
        ("str_to_date('03:04:05 PM', '%r')", "15:04:05"),
        ("str_to_date('2024-00-10', '%Y-%m-%d')", "NULL"),
        ("from_unixtime(2147483648)", "2038-01-19 03:14:08"),
        ("unix_timestamp('3001-01-19 00:00:00')", "0"),
        ("maketime(838, 59, 59.999)", "838:59:59.000"),
        ("date('2024-00-10')", "NULL"),
    ] {
        assert_eq!(run(s, &format!("SELECT {expression}")), value, "{expression}");
    }
    assert_eq!(error(s, "SELECT period_add(202413, 1)"), 1210);
}

#[test]
fn times_lost_their_fractions_and_were_compared_as_numbers() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, d DATETIME)");
    run(s, "INSERT INTO t VALUES (1, '2002-10-20'), (2, '2002-10-21')");
    assert_eq!(run(s, "SELECT id FROM t WHERE d > 20021020"), "2");
    for (expression, value) in [
        ("timestamp'2020-01-01 10:10:10.5'", "2020-01-01 10:10:10.5"),
        ("time('10:10:10.25')", "10:10:10.25"),
        ("timestamp('2020-01-01', '10:10:10.5')", "2020-01-01 10:10:10.5"),
        ("timediff('10:10:10.5', '09:00:00')", "01:10:10.5"),
        ("sec_to_time(1.5)", "00:00:01.5"),
        ("extract(minute FROM '10:11:12')", "11"),
        ("time_format('100:00:00', '%H')", "100"),
        ("date_format(time'09:00:00', '%H:%i')", "09:00"),
    ] {
        assert_eq!(run(s, &format!("SELECT {expression}")), value, "{expression}");
    }
    assert_eq!(error(s, "SELECT timestamp'nonsense'"), 1525);
}

#[test]
fn an_enum_was_its_position_where_a_time_was_read() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE e (id INT PRIMARY KEY, e ENUM('2024-02-29', '10:11:12'), d DATE)");
    run(s, "INSERT INTO e VALUES (1, '2024-02-29', '2024-03-01'), (2, '10:11:12', NULL)");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (query, answer) in [
            ("SELECT YEAR(e), DATEDIFF(d, e), TIMESTAMPDIFF(DAY, e, d) FROM e WHERE id = 1", {
                "2024\t1\t1"
            }),
            ("SELECT LAST_DAY(e), LEAST(d, e), GREATEST(e, d) FROM e WHERE id = 1", {
                "2024-02-29\t2024-02-29\t2024-03-01"
            }),
            ("SELECT e + INTERVAL 1 DAY, EXTRACT(YEAR_MONTH FROM e) FROM e WHERE id = 1", {
                "2024-03-01\t202402"
            }),
            ("SELECT HOUR(e), TIME_TO_SEC(e) FROM e WHERE id = 2", "10\t36672"),
        ] {
            assert_eq!(run(s, query), answer, "{executor}: {query}");
        }
    }
}
