//! Statements from text to answer: the everyday ones.

use crate::harness::{error, run, server, session};

fn users(session: &mut sql::Session) {
    run(
        session,
        "CREATE TABLE user (user_id INT UNSIGNED PRIMARY KEY, user_name VARCHAR(50), \
         user_email VARCHAR(255), created DATETIME, KEY name (user_name)) ENGINE=InnoDB",
    );
    run(
        session,
        "INSERT INTO user VALUES (1,'ann','ann@x','2024-01-01 10:00:00'),\
         (2,'bob',NULL,'2024-01-02'),(3,'Bob','b@y',NULL)",
    );
}

#[test]
fn rows_are_found_by_key() {
    let sql = server();
    let s = &mut session(&sql);
    users(s);
    assert_eq!(run(s, "SELECT user_name FROM user WHERE user_id = 1"), "ann");
    assert_eq!(run(s, "SELECT * FROM user WHERE user_id=2"), "2\tbob\tNULL\t2024-01-02 00:00:00");
    assert_eq!(
        run(s, "select user_id from user where user_name='BOB' order by user_id desc"),
        "3\n2"
    );
    assert_eq!(run(s, "select user_id from user where user_id in (3,1,9) "), "1\n3");
    assert_eq!(run(s, "select user_id from user where user_id between 2 and 7 limit 1"), "2");
    assert_eq!(run(s, "select user_id u from user where user_id > 1 and user_email is null"), "2");
    assert_eq!(
        run(s, "select user_id+1, concat(user_name,'!') from user where user_id=1"),
        "2\tann!"
    );
    assert_eq!(run(s, "select user_id from user where user_name like 'b%' and user_id <> 2"), "3");
    assert_eq!(run(s, "select user_id from user where user_id = '2'"), "2");
    assert_eq!(run(s, "select user_id from user where user_id = 2.5"), "");
    assert_eq!(
        run(s, "select user_id from user where user_id < 2.5 order by user_id desc"),
        "2\n1"
    );
}

#[test]
fn rows_are_changed_and_deleted() {
    let sql = server();
    let s = &mut session(&sql);
    users(s);
    assert_eq!(
        run(
            s,
            "UPDATE user SET user_name='eve', user_email=concat(user_name,'@z') WHERE user_id=1"
        ),
        "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]"
    );
    // As in MySQL, an assignment sees those before it.
    assert_eq!(run(s, "SELECT user_email FROM user WHERE user_id=1"), "eve@z");
    assert_eq!(
        run(s, "UPDATE user SET user_id=user_id+10 ORDER BY user_id DESC"),
        "ok 3 [Rows matched: 3  Changed: 3  Warnings: 0]"
    );
    assert_eq!(run(s, "SELECT user_id FROM user WHERE user_name='bob'"), "12\n13");
    assert_eq!(run(s, "DELETE FROM user WHERE user_name='bob' LIMIT 1"), "ok 1");
    assert_eq!(run(s, "DELETE FROM user"), "ok 2");
    assert_eq!(run(s, "SELECT user_id FROM user"), "");
}

#[test]
fn inserts_collide_as_mysql_says() {
    let sql = server();
    let s = &mut session(&sql);
    users(s);
    assert_eq!(error(s, "INSERT INTO user (user_id) VALUES (1)"), 1062);
    assert_eq!(
        run(s, "INSERT IGNORE INTO user (user_id) VALUES (1),(4)"),
        "ok 1 warnings 1 [Records: 2  Duplicates: 1  Warnings: 1]"
    );
    assert_eq!(
        run(s, "SHOW WARNINGS"),
        "Warning\t1062\tDuplicate entry '1' for key 'user.PRIMARY'"
    );
    assert_eq!(run(s, "REPLACE INTO user (user_id,user_name) VALUES (1,'new')"), "ok 2");
    assert_eq!(
        run(
            s,
            "INSERT INTO user (user_id,user_name) VALUES (1,'up') ON DUPLICATE KEY UPDATE \
             user_name=concat(user_name,'-',VALUES(user_name))"
        ),
        "ok 2"
    );
    assert_eq!(run(s, "SELECT user_name FROM user WHERE user_id=1"), "new-up");
    assert_eq!(
        run(
            s,
            "INSERT INTO user SET user_id=1,user_name='n' AS new ON DUPLICATE KEY UPDATE user_name=new.user_name"
        ),
        "ok 2"
    );
    assert_eq!(run(s, "SELECT user_name FROM user WHERE user_id=1"), "n");
    // A statement of several rows is all or nothing.
    assert_eq!(error(s, "INSERT INTO user (user_id) VALUES (8),(9),(1)"), 1062);
    assert_eq!(run(s, "SELECT user_id FROM user WHERE user_id > 7"), "");
}

#[test]
fn auto_increment_counts_and_is_reported() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT DEFAULT 7, w TIMESTAMP NULL)",
    );
    assert_eq!(
        run(s, "INSERT INTO t (v) VALUES (1),(2)"),
        "ok 2 id 1 [Records: 2  Duplicates: 0  Warnings: 0]"
    );
    assert_eq!(run(s, "INSERT INTO t VALUES (NULL,DEFAULT,NULL)"), "ok 1 id 3");
    assert_eq!(run(s, "SELECT LAST_INSERT_ID(), ROW_COUNT()"), "3\t1");
    assert_eq!(run(s, "INSERT INTO t (id) VALUES (10)"), "ok 1 id 10");
    assert_eq!(run(s, "SELECT LAST_INSERT_ID()"), "3");
    assert_eq!(run(s, "INSERT INTO t () VALUES ()"), "ok 1 id 11");
    assert_eq!(run(s, "SELECT id,v FROM t WHERE id>=3"), "3\t7\n10\t7\n11\t7");
}

#[test]
fn a_row_that_was_changed_instead_of_inserted_tells_its_number() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n VARCHAR(9) UNIQUE, v INT)");
    run(s, "INSERT INTO t (n, v) VALUES ('a', 1), ('b', 2)");
    let mut upsert = |rows: &str, sets: &str| {
        run(s, &format!("INSERT INTO t (n, v) VALUES {rows} ON DUPLICATE KEY UPDATE {sets}"))
    };
    // As MariaDB 10.11 answers: the last row that was changed, where none was added.
    assert_eq!(upsert("('a', 5)", "v = VALUES(v)"), "ok 2 id 1");
    assert_eq!(upsert("('a', 5)", "v = VALUES(v)"), "ok 0");
    let two = "ok 4 id 1 [Records: 2  Duplicates: 2  Warnings: 0]";
    assert_eq!(upsert("('b', 7), ('a', 9)", "v = VALUES(v)"), two);
    // What LAST_INSERT_ID(expr) says counts also where it said the same before, and nothing
    // changes.
    for _ in 0..3 {
        assert_eq!(upsert("('a', 9)", "id = LAST_INSERT_ID(id)"), "ok 0 id 1");
    }
    assert_eq!(upsert("('b', 1)", "id = 40"), "ok 2 id 40");
    assert_eq!(run(s, "SELECT LAST_INSERT_ID()"), "1");
    assert_eq!(
        run(s, "INSERT INTO t VALUES (2, 'a', 3) ON DUPLICATE KEY UPDATE v = 3"),
        "ok 2 id 1"
    );
}

#[test]
fn strict_mode_refuses_what_does_not_fit() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a TINYINT NOT NULL, b VARCHAR(3), c DATE, d ENUM('x','y'))");
    assert_eq!(error(s, "INSERT INTO t (a) VALUES (200)"), 1264);
    assert_eq!(error(s, "INSERT INTO t (a) VALUES (NULL)"), 1048);
    assert_eq!(error(s, "INSERT INTO t (b) VALUES ('x')"), 1364);
    assert_eq!(error(s, "INSERT INTO t (a,b) VALUES (1,'abcd')"), 1406);
    assert_eq!(error(s, "INSERT INTO t (a) VALUES ('abc')"), 1366);
    assert_eq!(error(s, "INSERT INTO t (a,c) VALUES (1,'2024-13-01')"), 1292);
    assert_eq!(error(s, "INSERT INTO t (a,d) VALUES (1,'z')"), 1265);
    assert_eq!(error(s, "INSERT INTO t (a,zz) VALUES (1,2)"), 1054);
    assert_eq!(error(s, "INSERT INTO t VALUES (1)"), 1136);
    assert_eq!(error(s, "INSERT INTO nope VALUES (1)"), 1146);
    assert_eq!(error(s, "SELEC 1"), 1064);
    run(s, "SET sql_mode=''");
    assert_eq!(run(s, "INSERT INTO t VALUES (200,'abcd','x','z')"), "ok 1 warnings 4");
    assert_eq!(run(s, "SELECT * FROM t"), "127\tabc\t0000-00-00\t");
}

#[test]
fn transactions_hold_together() {
    let sql = server();
    let (a, b) = (&mut session(&sql), &mut session(&sql));
    run(a, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    run(a, "INSERT INTO t VALUES (1,10),(2,20)");
    run(a, "BEGIN");
    assert_eq!(run(a, "SELECT v FROM t WHERE id=1"), "10");
    run(b, "UPDATE t SET v=11 WHERE id=1");
    // Repeatable read, but changes work on the latest state.
    assert_eq!(run(a, "SELECT v FROM t WHERE id=1"), "10");
    run(a, "UPDATE t SET v=v+1 WHERE id=1");
    assert_eq!(run(a, "SELECT v FROM t WHERE id=1"), "12");
    assert_eq!(run(b, "SELECT v FROM t WHERE id=1"), "11");
    run(a, "SAVEPOINT s");
    run(a, "DELETE FROM t");
    assert_eq!(run(a, "SELECT count(*) FROM t"), "0");
    run(a, "ROLLBACK TO s");
    run(a, "COMMIT");
    assert_eq!(run(b, "SELECT * FROM t"), "1\t12\n2\t20");
    run(a, "SET autocommit=0");
    run(a, "INSERT INTO t VALUES (3,30)");
    assert_eq!(run(b, "SELECT id FROM t WHERE id=3"), "");
    run(a, "ROLLBACK");
    assert_eq!(run(a, "SELECT id FROM t WHERE id=3"), "");
    run(a, "START TRANSACTION READ ONLY");
    assert_eq!(error(a, "INSERT INTO t VALUES (3,30)"), 1792);
}

#[test]
fn rows_of_an_insert_without_a_comma_between_them_are_a_syntax_error() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT, b INT)");
    for between in ["", " ", ",0", ",,", ")"] {
        let statement = format!("INSERT INTO t VALUES (1,2){between}(3,4)");
        assert_eq!(error(s, &statement), 1064, "{statement}");
    }
    assert_eq!(run(s, "SELECT count(*) FROM t"), "0");
}

#[test]
fn words_of_an_enum_with_quotes_and_backslashes_survive_their_own_definition() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, r"CREATE TABLE t (e ENUM('a\\b','it''s','two\nlines') NOT NULL DEFAULT 'a\\b')");
    let shown = run(s, "SHOW CREATE TABLE t");
    let statement = shown.strip_prefix("t\t").expect("the name and the statement");
    assert!(statement.contains(r"enum('a\\b','it''s','two\nlines')"), "{statement}");
    run(s, "DROP TABLE t");
    run(s, statement);
    run(s, "INSERT INTO t VALUES (1), (2), (3)");
    assert_eq!(run(s, "SELECT hex(e) FROM t"), "615C62\n69742773\n74776F0A6C696E6573");
    assert_eq!(run(s, "SHOW CREATE TABLE t"), shown);
}

#[test]
fn definitions_are_shown_as_they_were_made() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE `t` (`id` int NOT NULL AUTO_INCREMENT, `a` varchar(20) COLLATE utf8mb4_bin \
         DEFAULT 'x', b decimal(8,2) unsigned NOT NULL DEFAULT '1.5', c timestamp NOT NULL DEFAULT \
         CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, `key` text, PRIMARY KEY (`id`), UNIQUE KEY \
         u (a, b), KEY (`key`(10))) ENGINE=MyISAM DEFAULT CHARSET=utf8 COMMENT='it''s'",
    );
    assert_eq!(
        run(s, "SHOW CREATE TABLE t"),
        "t\tCREATE TABLE `t` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `a` varchar(20) CHARACTER SET \
         utf8mb4 COLLATE utf8mb4_bin DEFAULT 'x',\n  `b` decimal(8,2) unsigned NOT NULL DEFAULT '1.50',\n  \
         `c` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,\n  `key` \
         text,\n  PRIMARY KEY (`id`),\n  UNIQUE KEY `u` (`a`,`b`),\n  KEY `key` (`key`(10))\n) \
         ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COMMENT='it''s'"
    );
    assert_eq!(
        run(s, "DESC t"),
        "id\tint\tNO\tPRI\tNULL\tauto_increment\na\tvarchar(20)\tYES\tMUL\tx\t\nb\tdecimal(8,2) unsigned\tNO\t\t1.50\t\nc\ttimestamp\tNO\t\tCURRENT_TIMESTAMP\tDEFAULT_GENERATED on update CURRENT_TIMESTAMP\nkey\ttext\tYES\tMUL\tNULL\t"
    );
    assert_eq!(run(s, "SHOW TABLES LIKE 't%'"), "t");
    assert_eq!(run(s, "SHOW COLUMNS FROM t WHERE Field='a'"), "a\tvarchar(20)\tYES\tMUL\tx\t");
    run(
        s,
        "ALTER TABLE t ADD COLUMN z INT DEFAULT 5 AFTER id, DROP INDEX u, RENAME COLUMN a TO aa",
    );
    assert_eq!(run(s, "SHOW INDEX FROM t WHERE Key_name<>'PRIMARY'").lines().count(), 1);
    run(s, "CREATE TABLE u LIKE t");
    run(s, "RENAME TABLE u TO v");
    assert_eq!(run(s, "SHOW TABLES"), "t\nv");
    run(s, "DROP TABLE t, v");
    assert_eq!(error(s, "DROP TABLE t"), 1051);
    assert_eq!(run(s, "DROP TABLE IF EXISTS t"), "ok 0 warnings 1");
    assert_eq!(error(s, "CREATE TABLE x (a INT, a INT)"), 1060);
    assert_eq!(error(s, "CREATE TABLE x (a INT, KEY (b))"), 1072);
}

#[test]
fn clients_get_what_they_ask_when_they_connect() {
    let sql = server();
    let s = &mut session(&sql);
    assert_eq!(run(s, "select @@version_comment limit 1"), "Rowhouse");
    assert_eq!(run(s, "SELECT DATABASE(), USER()"), "test\troot@localhost");
    assert_eq!(run(s, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"), "ok 0");
    assert_eq!(run(s, "SET @@session.autocommit = OFF"), "ok 0");
    assert_eq!(run(s, "SELECT @@autocommit, @@SESSION.tx_isolation"), "0\tREPEATABLE-READ");
    assert_eq!(run(s, "SHOW VARIABLES LIKE 'lower_case_table_names'"), "lower_case_table_names\t0");
    assert_eq!(
        run(s, "SELECT 1+1 AS two, 'a' 'b', 7 DIV 2, 1/3, 5 % 3, NULL"),
        "2\tab\t3\t0.3333\t2\tNULL"
    );
    assert_eq!(run(s, "SET @x = 5, @y := 'a'"), "ok 0");
    assert_eq!(run(s, "SELECT @x + 1, @y"), "6\ta");
    assert_eq!(error(s, "SET nonsense = 1"), 1193);
    assert_eq!(error(s, "SELECT @@nonsense"), 1193);
    assert_eq!(run(s, "/*!40101 SET character_set_client = utf8 */"), "ok 0");
    assert_eq!(run(s, "SET SESSION rowhouse_durability = 'every-second'"), "ok 0");
    assert_eq!(run(s, "SHOW FULL PROCESSLIST").split('\t').nth(4), Some("Query"));
}

#[test]
fn the_explained_way_is_the_way_taken() {
    let sql = server();
    let s = &mut session(&sql);
    users(s);
    let kind = |s: &mut sql::Session, text: &str| {
        run(s, text).split('\t').nth(4).map(str::to_string).unwrap_or_default()
    };
    assert_eq!(kind(s, "EXPLAIN SELECT * FROM user WHERE user_id=1"), "const");
    assert_eq!(kind(s, "EXPLAIN SELECT * FROM user WHERE user_name='x'"), "ref");
    assert_eq!(kind(s, "EXPLAIN SELECT * FROM user WHERE user_id>1"), "range");
    assert_eq!(kind(s, "EXPLAIN SELECT * FROM user WHERE user_email='x'"), "ALL");
    assert_eq!(kind(s, "EXPLAIN UPDATE user SET user_name='x' WHERE user_id IN (1,2)"), "range");
}

#[test]
fn zero_is_a_value_of_an_auto_increment_column_when_the_mode_says_so() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE z (id INT AUTO_INCREMENT PRIMARY KEY, a INT)");
    run(s, "SET sql_mode='NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES'");
    run(s, "INSERT INTO z VALUES (0,1)");
    // NULL and a column that is left out still ask for the next value.
    run(s, "INSERT INTO z VALUES (NULL,2)");
    run(s, "INSERT INTO z (a) VALUES (3)");
    run(s, "REPLACE INTO z VALUES (0,4)");
    run(s, "SET sql_mode=''");
    run(s, "INSERT INTO z VALUES (0,5)");
    assert_eq!(run(s, "SELECT id, a FROM z"), "0\t4\n1\t2\n2\t3\n3\t5");
}

#[test]
fn what_dumps_drop_before_they_make_it_need_not_be_there() {
    let sql = server();
    let s = &mut session(&sql);
    for (thing, number) in
        [("TRIGGER", 1235), ("EVENT", 1539), ("PROCEDURE", 1235), ("FUNCTION", 1235)]
    {
        run(s, &format!("/*!50003 DROP {thing} IF EXISTS `x` */"));
        assert_eq!(error(s, &format!("DROP {thing} x")), number);
    }
}

#[test]
fn what_a_kill_means_may_be_reckoned_and_a_transaction_is_of_one_kind() {
    let s = &mut session(&server());
    assert_eq!(error(s, "KILL CONNECTION_ID() + 1000000"), 1094);
    assert_eq!(error(s, "KILL (SELECT 1)"), 1970);
    assert_eq!(error(s, "START TRANSACTION READ ONLY, READ WRITE"), 1064);
    run(s, "START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT");
    run(s, "COMMIT");
    for moment in ["NOW(7)", "CURTIME(7)", "CAST('10:11:12' AS TIME(7))"] {
        assert_eq!(error(s, &format!("SELECT {moment}")), 1426, "{moment}");
    }
    run(s, "SELECT NOW(6), CAST('10:11:12' AS TIME(6))");
}
