//! Session variables that change what expressions give; the answers are those of MySQL 9.7
//! (tests/oracle/sql/session-variables.sql).

use crate::harness::{error, run, server, session};

#[test]
fn names_of_months_and_days_are_those_of_the_language_that_a_session_asks_for() {
    let sql = server();
    let s = &mut session(&sql);
    let shown = "SELECT @@lc_time_names, MONTHNAME('2024-03-05'), DAYNAME('2024-03-05'), \
                 DATE_FORMAT('2024-03-05', '%W %a %M %b')";
    assert_eq!(run(s, shown), "en_US\tMarch\tTuesday\tTuesday Tue March Mar");
    run(s, "SET lc_time_names = 'de_DE'");
    assert_eq!(run(s, shown), "de_DE\tMärz\tDienstag\tDienstag Di März Mär");
    // The other executor, and a plan that is kept.
    run(s, "CREATE TABLE t (d DATE)");
    run(s, "INSERT INTO t VALUES ('2024-03-05'), ('2024-12-31')");
    for executor in ["rows", "columns", "auto"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let names = run(s, "SELECT MONTHNAME(d) FROM t ORDER BY d");
        assert_eq!(names, "März\nDezember", "{executor}");
    }
    assert_eq!(run(s, "SELECT STR_TO_DATE('5 March 2024', '%d %M %Y')"), "2024-03-05");
    run(s, "SET lc_time_names = 8");
    assert_eq!(run(s, "SELECT @@lc_time_names, MONTHNAME('2024-03-05')"), "ar_JO\tآذار");
    assert_eq!(error(s, "SET lc_time_names = 'xx'"), 1649);
    assert_eq!(error(s, "SET lc_time_names = 999"), 1649);
    run(s, "SET lc_time_names = DEFAULT");
    assert_eq!(run(s, "SELECT MONTHNAME(d) FROM t ORDER BY d"), "March\nDecember");
}

#[test]
fn quotients_and_averages_have_as_many_digits_as_a_session_asks_for() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE n (id INT PRIMARY KEY, a INT, d DECIMAL(6,2), f DOUBLE)");
    run(s, "INSERT INTO n VALUES (1, 1, 1.25, 0.5), (2, 2, 2.50, 1.5), (3, 7, 3.75, 2.5)");
    let asked = [
        ("SELECT 1 / 3, 10 / 3.00", "0.33333333\t3.33333333"),
        ("SELECT a / 3, d / 7 FROM n WHERE id = 3", "2.33333333\t0.5357142857"),
        ("SELECT AVG(a), AVG(d), SUM(d) / 7 FROM n", "3.33333333\t2.5000000000\t1.0714285714"),
        ("SELECT AVG(d) OVER (ORDER BY id) FROM n LIMIT 1", "1.2500000000"),
    ];
    let usual: Vec<String> = asked.iter().map(|(query, _)| run(s, query)).collect();
    assert_eq!(usual[0], "0.3333\t3.3333");
    run(s, "SET div_precision_increment = 8");
    for executor in ["rows", "columns", "auto"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (query, expected) in asked {
            assert_eq!(run(s, query), expected, "{executor}: {query}");
        }
    }
    run(s, "CREATE TABLE q AS SELECT a / 3 AS x, d / 3 AS y FROM n");
    let types = "SELECT GROUP_CONCAT(column_type ORDER BY ordinal_position) FROM \
                 information_schema.columns WHERE table_name = 'q'";
    assert_eq!(run(s, types), "decimal(18,8),decimal(14,10)");
    run(s, "SET div_precision_increment = 14");
    assert_eq!(run(s, "SELECT 1 / 3, 22 / 7.0"), "0.33333333333333\t3.14285714285714");
    // Another sql_mode leaves it as it is.
    run(s, "SET sql_mode = 'ANSI_QUOTES'");
    assert_eq!(run(s, "SELECT 1 / 3"), "0.33333333333333");
    run(s, "SET sql_mode = DEFAULT");
    assert_eq!(run(s, "SET div_precision_increment = 31"), "ok 0 warnings 1");
    assert_eq!(run(s, "SELECT @@div_precision_increment"), "30");
    run(s, "SET div_precision_increment = 0");
    assert_eq!(run(s, "SELECT 1 / 3, 10.5 / 3, AVG(a) FROM n"), "0\t3.5\t3");
    run(s, "SET div_precision_increment = DEFAULT");
    let again: Vec<String> = asked.iter().map(|(query, _)| run(s, query)).collect();
    assert_eq!(again, usual);
}

#[test]
fn weeks_and_null_mean_what_a_session_asks_for() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET default_week_format = 3");
    let weeks = "SELECT WEEK('2024-12-31'), WEEK('2024-12-31', 0), YEARWEEK('2024-12-31')";
    assert_eq!(run(s, weeks), "1\t52\t202452");
    assert_eq!(run(s, "SET default_week_format = 9"), "ok 0 warnings 1");
    assert_eq!(run(s, "SELECT @@default_week_format"), "7");
    run(s, "SET default_week_format = DEFAULT");
    assert_eq!(run(s, weeks), "52\t52\t202452");
    run(s, "CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, a INT)");
    run(s, "INSERT INTO n (a) VALUES (7)");
    let last = "SELECT id, a FROM n WHERE id IS NULL";
    assert_eq!(run(s, last), "");
    run(s, "SET sql_auto_is_null = 1");
    run(s, "INSERT INTO n (a) VALUES (9)");
    assert_eq!(run(s, last), "2\t9");
    assert_eq!(run(s, "SELECT id FROM n WHERE a IS NULL"), "");
    run(s, "SET sql_auto_is_null = 0");
    assert_eq!(run(s, last), "");
    run(s, "SET max_sort_length = 64");
    assert_eq!(run(s, "SELECT @@max_sort_length"), "64");
    assert_eq!(run(s, "SET max_sort_length = 1"), "ok 0 warnings 1");
}

#[test]
fn variables_and_figures_are_in_information_schema_under_mariadbs_names() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET lc_time_names = 'sv_SE'");
    let of = |table: &str| {
        format!(
            "SELECT variable_value FROM information_schema.{table} WHERE variable_name = \
             'lc_time_names'"
        )
    };
    assert_eq!(run(s, &of("session_variables")), "sv_SE");
    assert_eq!(run(s, &of("global_variables")), "en_US");
    let both = "SELECT session_value, global_value, default_value, variable_scope, read_only FROM \
                information_schema.system_variables WHERE variable_name = 'lc_time_names'";
    assert_eq!(run(s, both), "sv_SE\ten_US\ten_US\tSESSION\tNO");
    let counted = "SELECT COUNT(*) > 50 FROM information_schema.global_status";
    assert_eq!(run(s, counted), "1");
}

#[test]
fn a_name_in_quotes_is_the_value_of_a_system_variable() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET sql_mode = 'ANSI_QUOTES'");
    run(s, "SET sql_mode = \"IGNORE_SPACE,ANSI_QUOTES\", SESSION div_precision_increment = 5");
    assert_eq!(run(s, "SELECT @@sql_mode, 1 / 3"), "ANSI_QUOTES,IGNORE_SPACE\t0.33333");
    run(s, "SET sql_mode = \"\"");
    assert_eq!(run(s, "SELECT @@sql_mode, \"x\""), "\tx");
    run(s, "SET sql_mode = `ANSI_QUOTES`");
    assert_eq!(run(s, "SELECT @@sql_mode"), "ANSI_QUOTES");
}

#[test]
fn the_scope_that_was_said_is_that_of_the_assignments_behind_it_too() {
    let sql = server();
    let s = &mut session(&sql);
    let shown = "SELECT @@GLOBAL.net_read_timeout, @@SESSION.net_read_timeout, \
                 @@GLOBAL.net_write_timeout, @@SESSION.net_write_timeout";
    for (set, expected) in [
        // It was the session's, in silence, and 1229 for `slow_query_log` and its like.
        ("SET GLOBAL net_read_timeout = 41, net_write_timeout = 71", "41\t30\t71\t60"),
        ("SET GLOBAL net_read_timeout = 42, SESSION net_write_timeout = 72", "42\t30\t71\t72"),
        (
            "SET @y = 1, GLOBAL net_read_timeout = 44, @z = 2, net_write_timeout = 74",
            "44\t30\t74\t72",
        ),
        ("SET GLOBAL net_read_timeout = 45, @@net_write_timeout = 75", "45\t30\t74\t75"),
        ("SET @@GLOBAL.net_read_timeout = 46, net_write_timeout = 76", "46\t30\t74\t76"),
    ] {
        run(s, set);
        assert_eq!(run(s, shown), expected, "{set}");
    }
    run(s, "SET GLOBAL slow_query_log = 1, log_slow_extra = 1");
    assert_eq!(run(s, "SELECT @@slow_query_log, @@log_slow_extra"), "1\t1");
    run(s, "SET GLOBAL slow_query_log = 0, log_slow_extra = 0");
}
