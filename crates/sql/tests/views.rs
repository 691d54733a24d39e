//! Views: made, shown, read as a part of the query around them, written through, and gone.

use crate::harness::{error, run, server, session};
use sql::Session;

fn tables(s: &mut Session) {
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), c INT NOT NULL DEFAULT 7)");
    run(s, "CREATE TABLE u (id INT PRIMARY KEY, a INT, s TEXT, KEY (a))");
    run(s, "INSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20), (6, 'xsix', 60), (7, 'x7', 70)");
    run(s, "INSERT INTO u VALUES (1, 1, 'p'), (2, 1, 'q'), (3, 6, 'r')");
}

/// The second column of SHOW CREATE VIEW, from `AS` on.
fn text_of(s: &mut Session, view: &str) -> String {
    let shown = run(s, &format!("SHOW CREATE VIEW {view}"));
    let text = shown.split('\t').nth(1).unwrap().to_owned();
    text.split_once(" AS ").unwrap().1.to_owned()
}

#[test]
fn a_view_is_shown_as_mysql_shows_it() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    for (made, shown) in [
        (
            "SELECT a+1 AS x, CONCAT(b,'x') FROM t WHERE a>5 AND b LIKE 'x%' ORDER BY a LIMIT 3",
            "select (`t`.`a` + 1) AS `x`,concat(`t`.`b`,'x') AS `CONCAT(b,'x')` from `t` where \
             ((`t`.`a` > 5) and (`t`.`b` like 'x%')) order by `t`.`a` limit 3",
        ),
        (
            "SELECT * FROM t JOIN u USING (a)",
            "select `t`.`a` AS `a`,`t`.`b` AS `b`,`t`.`c` AS `c`,`u`.`id` AS `id`,`u`.`s` AS `s` \
             from (`t` join `u` on((`t`.`a` = `u`.`a`)))",
        ),
        (
            "SELECT x.a, (SELECT MAX(id) FROM u WHERE u.a = x.a) m FROM t AS x WHERE EXISTS \
             (SELECT 1 FROM u WHERE u.id = x.a)",
            "select `x`.`a` AS `a`,(select max(`u`.`id`) from `u` where (`u`.`a` = `x`.`a`)) AS \
             `m` from `t` `x` where exists(select 1 from `u` where (`u`.`id` = `x`.`a`))",
        ),
        (
            "SELECT t.a, COUNT(*) n FROM t LEFT JOIN u ON t.a=u.a GROUP BY t.a HAVING n > 1",
            "select `t`.`a` AS `a`,count(0) AS `n` from (`t` left join `u` on((`t`.`a` = \
             `u`.`a`))) group by `t`.`a` having (`n` > 1)",
        ),
        (
            "WITH q AS (SELECT a FROM t) SELECT * FROM q, (SELECT id FROM u) z WHERE q.a = z.id",
            "with `q` as (select `t`.`a` AS `a` from `t`) select `q`.`a` AS `a`,`z`.`id` AS `id` \
             from (`q` join (select `u`.`id` AS `id` from `u`) `z`) where (`q`.`a` = `z`.`id`)",
        ),
    ] {
        run(s, &format!("CREATE OR REPLACE VIEW v AS {made}"));
        assert_eq!(text_of(s, "v"), shown);
        assert_eq!(run(s, "SELECT * FROM v"), run(s, made), "{made}");
        let again = run(s, "SHOW CREATE VIEW v").split('\t').nth(1).unwrap().to_owned();
        run(s, "DROP VIEW v");
        run(s, &again);
        assert_eq!(text_of(s, "v"), shown, "the text makes the same view");
    }
    run(s, "CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW v (p) AS SELECT 1");
    let shown = run(s, "SHOW CREATE TABLE v");
    let begins = "v\tCREATE ALGORITHM=MERGE DEFINER=`root`@`localhost` SQL SECURITY INVOKER VIEW \
                  `v` (`p`) AS select 1 AS `1`\tutf8mb4\t";
    assert!(shown.starts_with(begins), "{shown}");
    run(s, "CREATE DATABASE other");
    run(s, "USE other");
    let shown = run(s, "SHOW CREATE VIEW test.v");
    assert!(shown.contains("VIEW `test`.`v` (`p`) AS"), "{shown}");
}

#[test]
fn a_view_is_listed_beside_tables() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW v AS SELECT a, b AS name, a * 2 AS twice FROM t");
    assert_eq!(run(s, "SHOW FULL TABLES"), "t\tBASE TABLE\nu\tBASE TABLE\nv\tVIEW");
    assert_eq!(
        run(s, "SHOW COLUMNS FROM v"),
        "a\tint\tNO\t\tNULL\t\nname\tvarchar(20)\tYES\t\tNULL\t\ntwice\tbigint\tNO\t\tNULL\t"
    );
    assert_eq!(
        run(
            s,
            "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE \
             table_schema = 'test' AND table_name = 'v'"
        ),
        "v\ta\tint\nv\tname\tvarchar\nv\ttwice\tbigint"
    );
    assert_eq!(
        run(
            s,
            "SELECT table_name, view_definition, check_option, is_updatable, security_type FROM \
             information_schema.views"
        ),
        "v\tselect `test`.`t`.`a` AS `a`,`test`.`t`.`b` AS `name`,(`test`.`t`.`a` * 2) AS `twice` from \
         `test`.`t`\tNONE\tYES\tDEFINER"
    );
    let kinds = "SELECT table_name, table_type, engine FROM information_schema.tables WHERE \
                 table_schema = 'test' AND table_name > 't'";
    assert_eq!(run(s, kinds), "u\tBASE TABLE\tInnoDB\nv\tVIEW\tNULL");
    assert_eq!(run(s, "SHOW INDEX FROM v"), "");
}

#[test]
fn a_view_follows_what_it_is_made_of() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW v AS SELECT a, b FROM t");
    run(s, "CREATE VIEW w (x) AS SELECT a FROM v WHERE a > 1");
    let read = "SELECT x FROM w WHERE x < 7";
    assert_eq!(run(s, read), "2\n6");
    run(s, "ALTER VIEW v AS SELECT a + 10 AS a FROM t");
    assert_eq!(run(s, "SELECT x FROM w WHERE x < 17"), "11\n12\n16");
    assert_eq!(run(s, read), "", "a plan that was kept is not used again");
    run(s, "RENAME TABLE v TO v2");
    assert_eq!(error(s, read), 1356);
    run(s, "RENAME TABLE v2 TO v");
    run(s, "ALTER TABLE t RENAME COLUMN a TO z");
    assert_eq!(error(s, read), 1356);
    assert_eq!(error(s, "SHOW COLUMNS FROM w"), 1356);
    run(s, "ALTER TABLE t RENAME COLUMN z TO a");
    run(s, "CREATE OR REPLACE VIEW v AS SELECT 5 AS a");
    assert_eq!(run(s, read), "5");
    assert_eq!(error(s, "CREATE OR REPLACE VIEW v AS SELECT x AS a FROM w"), 1462);
    run(s, "DROP VIEW v");
    assert_eq!(error(s, read), 1356);
    run(s, "CREATE TABLE v (a INT)");
    run(s, "INSERT INTO v VALUES (3)");
    assert_eq!(run(s, read), "3", "a table may come in a view's place");
}

#[test]
fn a_view_is_refused_where_it_could_not_be_one() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW v AS SELECT a FROM t");
    for (statement, number) in [
        ("CREATE VIEW v AS SELECT 1", 1050),
        ("CREATE VIEW t AS SELECT 1", 1050),
        ("CREATE OR REPLACE VIEW t AS SELECT 1", 1347),
        ("ALTER VIEW t AS SELECT 1", 1347),
        ("ALTER VIEW nothing AS SELECT 1", 1146),
        ("CREATE TABLE v (a INT)", 1050),
        ("RENAME TABLE t TO v", 1050),
        ("DROP TABLE v", 1051),
        ("DROP VIEW t", 1347),
        ("DROP VIEW nothing", 1051),
        ("CREATE VIEW w AS SELECT nothing FROM t", 1054),
        ("CREATE VIEW w AS SELECT 1 FROM nothing", 1146),
        ("CREATE VIEW w AS SELECT a, a FROM t", 1060),
        ("CREATE VIEW w (x) AS SELECT a, b FROM t", 1353),
        ("CREATE VIEW w AS SELECT @x", 1351),
        ("CREATE VIEW w AS SELECT @@version", 1351),
        ("CREATE VIEW nowhere.w AS SELECT 1", 1049),
        ("SHOW CREATE VIEW t", 1347),
        ("ALTER TABLE v ADD COLUMN x INT", 1347),
        ("CREATE INDEX i ON v (a)", 1347),
    ] {
        assert_eq!(error(s, statement), number, "{statement}");
    }
    run(s, "CREATE VIEW IF NOT EXISTS v AS SELECT 1");
    run(s, "DROP VIEW IF EXISTS nothing, v");
    assert_eq!(run(s, "SHOW TABLES"), "t\nu");
}

#[test]
fn a_view_costs_what_its_table_costs() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW v AS SELECT id AS n, a, UPPER(s) AS big FROM u WHERE id > 0");
    run(s, "CREATE VIEW w AS SELECT n, big FROM v WHERE n < 100");
    let key_of = |s: &mut Session, query: &str| {
        let line = run(s, &format!("EXPLAIN {query}"));
        line.lines().next().unwrap().split('\t').nth(6).unwrap().to_owned()
    };
    assert_eq!(key_of(s, "SELECT big FROM w WHERE n = 2"), "PRIMARY");
    assert_eq!(key_of(s, "SELECT n FROM v WHERE a = 1"), "a");
    assert_eq!(run(s, "SELECT big FROM w WHERE n = 2"), "Q");
    assert_eq!(run(s, "SELECT n FROM v WHERE big = 'P' OR big = 'R' ORDER BY n"), "1\n3");
    assert_eq!(
        run(s, "SELECT t.b, w.big FROM t LEFT JOIN w ON w.n = t.a ORDER BY t.a"),
        "one\tP\ntwo\tQ\nxsix\tNULL\nx7\tNULL"
    );
    assert_eq!(
        run(s, "SELECT v.n FROM v WHERE EXISTS (SELECT 1 FROM t WHERE t.b = LOWER(v.big))"),
        ""
    );
    assert_eq!(run(s, "SELECT COUNT(*), MAX(x.big) FROM v x WHERE x.a = 1"), "2\tQ");
}

#[test]
fn rows_are_written_through_a_view_of_one_table() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW v (k, name) AS SELECT a, b FROM t WHERE a > 1");
    run(s, "INSERT INTO v VALUES (8, 'eight')");
    run(s, "INSERT INTO v (name, k) SELECT 'nine', 9");
    assert_eq!(run(s, "SELECT * FROM t WHERE a > 7"), "8\teight\t7\n9\tnine\t7");
    run(s, "UPDATE v SET name = CONCAT(name, '!') WHERE k < 7");
    assert_eq!(run(s, "SELECT a, b FROM t WHERE a < 7"), "1\tone\n2\ttwo!\n6\txsix!");
    run(s, "UPDATE v AS x SET x.name = 'seen' WHERE x.k IN (SELECT a FROM u WHERE u.a = x.k)");
    assert_eq!(run(s, "SELECT a, b FROM t WHERE b = 'seen'"), "6\tseen");
    run(s, "DELETE FROM v WHERE name LIKE 'x%' OR k = 1 ORDER BY k LIMIT 5");
    assert_eq!(run(s, "SELECT a FROM t"), "1\n2\n6\n8\n9", "rows that a view hides are kept");
    run(s, "INSERT INTO v VALUES (9, 'again') ON DUPLICATE KEY UPDATE name = VALUES(name)");
    run(s, "REPLACE INTO v VALUES (8, 'new')");
    assert_eq!(run(s, "SELECT k, name FROM v WHERE k > 7"), "8\tnew\n9\tagain");
    for (statement, number) in [
        ("UPDATE v SET c = 1", 1054),
        ("UPDATE v SET name = c", 1054),
        ("DELETE FROM v WHERE a = 1", 1054),
        ("INSERT INTO v (a) VALUES (1)", 1054),
    ] {
        assert_eq!(error(s, statement), number, "{statement}");
    }
    run(s, "CREATE VIEW computed AS SELECT a, c + 1 AS more FROM t");
    assert_eq!(error(s, "UPDATE computed SET more = 1"), 1348);
    assert_eq!(error(s, "INSERT INTO computed VALUES (20, 1)"), 1471);
    run(s, "DELETE FROM computed WHERE more = 8 AND a = 9");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t WHERE a = 9"), "0");
    run(s, "CREATE VIEW grouped AS SELECT MAX(a) AS m FROM t");
    assert_eq!(error(s, "INSERT INTO grouped VALUES (1)"), 1471);
    run(s, "UPDATE t JOIN grouped g ON t.a = g.m SET t.b = 'most'");
    assert_eq!(run(s, "SELECT a FROM t WHERE b = 'most'"), "8");
    assert_eq!(run(s, "CHECK TABLE grouped"), "test.grouped\tcheck\tstatus\tOK");
    for statement in ["UPDATE grouped SET m = 1", "DELETE FROM grouped"] {
        assert_eq!(error(s, statement), 1288, "{statement}");
    }
    run(s, "ALTER VIEW v AS SELECT a AS k FROM t");
    assert_eq!(error(s, "UPDATE v SET name = 'x'"), 1054, "no plan is kept from before");
}

#[test]
fn what_a_view_does_not_show_is_not_written_with_a_check_option() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "CREATE VIEW inner_view AS SELECT a, c FROM t WHERE c < 100");
    run(
        s,
        "CREATE VIEW local_view AS SELECT a, c FROM inner_view WHERE a > 5 WITH LOCAL CHECK OPTION",
    );
    run(s, "CREATE VIEW all_view AS SELECT a, c FROM inner_view WHERE a > 5 WITH CHECK OPTION");
    run(s, "INSERT INTO local_view VALUES (20, 500)");
    for statement in [
        "INSERT INTO local_view VALUES (3, 1)",
        "INSERT INTO all_view VALUES (21, 500)",
        "INSERT INTO all_view VALUES (3, 1)",
        "UPDATE all_view SET c = 100",
        "UPDATE all_view SET a = 4 WHERE a = 6",
        "INSERT INTO all_view VALUES (22, NULL)",
        "INSERT INTO all_view VALUES (6, 1) ON DUPLICATE KEY UPDATE c = 400",
    ] {
        let number = error(s, statement);
        assert!(
            number == 1369 || statement.contains("NULL") && number == 1048,
            "{statement}: {number}"
        );
    }
    run(s, "INSERT IGNORE INTO all_view VALUES (3, 1), (23, 2)");
    assert_eq!(run(s, "SELECT a FROM t"), "1\n2\n6\n7\n20\n23");
    run(s, "UPDATE all_view SET c = 99 WHERE a = 7");
    assert_eq!(run(s, "SELECT a FROM all_view WHERE c = 99"), "7");
    run(s, "INSERT INTO t VALUES (3, 'three', 1000)");
}
