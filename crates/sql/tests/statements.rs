//! Prepared statements, statements over several tables, files, functions.

mod in_loops;
mod listings;

use crate::harness::{answer, error, lines, run, server, session, shown};
use results::ExecutionMode;
use sql::{OkFigures, Reply, Session};
use values::datum::Datum;

fn load(s: &mut Session, statement: &str, file: &[u8], piece: usize) -> String {
    let (reply, _) = s.query(statement.as_bytes(), ExecutionMode::POOL).expect("starts");
    let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
    assert_eq!(load.file_name(), "f.csv");
    for bytes in file.chunks(piece) {
        load.feed(s, bytes).expect("feeds");
    }
    let done = load.finish(s).expect("finishes");
    shown(s, Reply::Done(done)).expect("shows")
}

#[test]
fn a_prepared_statement_is_run_with_parameters() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10), w DOUBLE)");
    let insert = s.prepare(b"INSERT INTO t VALUES (?, ?, 1.5), (?, 'x', ?)").expect("prepares");
    assert_eq!(insert.parameters, 4);
    let values = [Datum::Int(1), Datum::Bytes(b"a"), Datum::Int(2), Datum::Double(2.5)];
    let reply = s.execute(insert.id, &values, ExecutionMode::POOL).expect("runs");
    assert_eq!(shown(s, reply).unwrap(), "ok 2 [Records: 2  Duplicates: 0  Warnings: 0]");
    let select = s.prepare(b"SELECT v, w FROM t WHERE id = ?").expect("prepares");
    assert_eq!(select.columns.len(), 2);
    for (id, expected) in [(1, "a\t1.5"), (2, "x\t2.5"), (3, "")] {
        let reply = s.execute(select.id, &[Datum::Int(id)], ExecutionMode::LOOP).expect("runs");
        let Reply::Rows(stream) = reply else { panic!("no rows") };
        assert!(std::sync::Arc::ptr_eq(stream.columns(), &select.columns));
        assert_eq!(lines(stream).unwrap(), expected);
    }
    // The plan follows the table.
    run(s, "ALTER TABLE t ADD COLUMN z INT DEFAULT 9 FIRST");
    let reply = s.execute(select.id, &[Datum::Bytes(b"2")], ExecutionMode::POOL).expect("runs");
    assert_eq!(shown(s, reply).unwrap(), "x\t2.5");
    assert_eq!(
        s.execute(select.id, &[], ExecutionMode::POOL).err().map(|e| e.code().number()),
        Some(1210)
    );
    s.close(select.id);
    let gone = s.execute(select.id, &[Datum::Int(1)], ExecutionMode::POOL);
    assert_eq!(gone.err().map(|e| e.code().number()), Some(1243));
    run(s, "PREPARE p FROM 'SELECT v FROM t WHERE id = ? AND v <> ?'");
    run(s, "SET @a = 2, @b = 'q'");
    assert_eq!(run(s, "EXECUTE p USING @a, @b"), "x");
    run(s, "DEALLOCATE PREPARE p");
    assert_eq!(error(s, "EXECUTE p"), 1243);
}

#[test]
fn a_file_becomes_rows_however_it_is_cut() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(5), b DATE, c INT NOT NULL, KEY (a))");
    let file = b"id,a,b,c\n1,\"x,y\",2024-01-02,5\n2,toolong,\\N,7\n1,dup,,1\n3,short\n";
    let statement = "LOAD DATA LOCAL INFILE 'f.csv' INTO TABLE t FIELDS TERMINATED BY ',' \
                     OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES";
    for piece in [1, 7, 1000] {
        run(s, "DELETE FROM t");
        // Cut, 0000-00-00, a duplicate key, and a line with too few fields.
        assert_eq!(
            load(s, statement, file, piece),
            "ok 3 warnings 4 [Records: 4  Deleted: 0  Skipped: 1  Warnings: 4]"
        );
        assert!(
            run(s, "SHOW WARNINGS").contains("Data truncated for column 'a' at row 2")
                || run(s, "SHOW WARNINGS").contains("Data too long for column 'a' at row 2")
        );
        assert_eq!(
            run(s, "SELECT * FROM t"),
            "1\tx,y\t2024-01-02\t5\n2\ttoolo\tNULL\t7\n3\tshort\tNULL\t0"
        );
    }
    assert_eq!(
        load(
            s,
            "LOAD DATA LOCAL INFILE 'f.csv' REPLACE INTO TABLE t (id, @x) SET a=upper(@x), c=id*2",
            b"1\tnew\n9\tq\n",
            3,
        ),
        "ok 3 [Records: 2  Deleted: 1  Skipped: 0  Warnings: 0]"
    );
    assert_eq!(run(s, "SELECT id,a,c FROM t WHERE id IN (1,9)"), "1\tNEW\t2\n9\tQ\t18");
    assert_eq!(error(s, "LOAD DATA INFILE 'f' INTO TABLE t"), 1290);
}

#[test]
fn several_tables_are_changed_through_a_join() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE a (id INT PRIMARY KEY, v INT)");
    run(s, "CREATE TABLE b (id INT PRIMARY KEY, a_id INT, w INT)");
    run(s, "INSERT INTO a VALUES (1,1),(2,2),(3,3)");
    run(s, "INSERT INTO b VALUES (1,1,100),(2,2,200),(3,9,300)");
    assert_eq!(
        run(s, "UPDATE a JOIN b ON b.a_id=a.id SET a.v=a.v+b.w WHERE b.w>=100"),
        "ok 2 [Rows matched: 2  Changed: 2  Warnings: 0]"
    );
    assert_eq!(run(s, "SELECT * FROM a"), "1\t101\n2\t202\n3\t3");
    assert_eq!(
        run(s, "UPDATE a SET v=(SELECT max(w) FROM b) WHERE id=3"),
        "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]"
    );
    assert_eq!(run(s, "SELECT v FROM a WHERE id=3"), "300");
    assert_eq!(run(s, "DELETE FROM a WHERE id IN (SELECT a_id FROM b)"), "ok 2");
    assert_eq!(run(s, "DELETE b FROM b LEFT JOIN a ON a.id=b.a_id WHERE a.id IS NULL"), "ok 3");
    run(s, "INSERT INTO b SELECT id, id, v FROM a");
    assert_eq!(run(s, "SELECT * FROM b"), "3\t3\t300");
    assert_eq!(
        run(s, "INSERT INTO b SELECT id+1, 5, 6 FROM b ON DUPLICATE KEY UPDATE w=0"),
        "ok 1 [Records: 1  Duplicates: 0  Warnings: 0]"
    );
    run(s, "CREATE TABLE c AS SELECT id, w, 'x' AS t FROM b");
    assert_eq!(run(s, "SELECT * FROM c ORDER BY id"), "3\t300\tx\n4\t6\tx");
}

#[test]
fn queries_inside_a_transaction_see_its_own_writes() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))");
    run(s, "INSERT INTO t VALUES (1,1),(2,2)");
    run(s, "BEGIN");
    run(s, "INSERT INTO t VALUES (3,3)");
    run(s, "UPDATE t SET v=10 WHERE id=1");
    assert_eq!(run(s, "SELECT sum(v), count(*) FROM t"), "15\t3");
    assert_eq!(run(s, "SELECT id FROM t WHERE v > 2 ORDER BY v"), "3\n1");
    assert_eq!(run(s, "SELECT id FROM t WHERE v = 10 FOR UPDATE"), "1");
    run(s, "ROLLBACK");
    assert_eq!(run(s, "SELECT sum(v) FROM t"), "3");
}

#[test]
fn rows_are_locked_for_sharing_by_the_old_words_too() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, lock_in INT)");
    run(s, "INSERT INTO t VALUES (1, 7), (2, 8)");
    run(other, "SET innodb_lock_wait_timeout = 1");
    let queries = [
        "SELECT COUNT(*) FROM t WHERE id = 1 LOCK  IN\nSHARE mode ",
        "SELECT COUNT(*) FROM t WHERE id = 1 LOCK IN SHARE MODE -- of one",
        "SELECT 1 FROM t WHERE id = 1 LOCK IN SHARE MODE NOWAIT",
    ];
    for (n, query) in queries.into_iter().enumerate() {
        run(s, "BEGIN");
        assert_eq!(run(s, query), "1", "{query}");
        assert_eq!(error(other, "UPDATE t SET lock_in = 0 WHERE id = 1"), 1205, "{query}");
        run(s, "COMMIT");
        let changed = "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]";
        assert_eq!(run(other, &format!("UPDATE t SET lock_in = {n} WHERE id = 1")), changed);
    }
    // MediaWiki's update.php asks so.
    let nested = "SELECT COUNT(*) FROM (SELECT 1 FROM t WHERE id > 0 LOCK IN SHARE MODE) x";
    assert_eq!(run(s, nested), "2");
}

#[test]
fn functions_compute_as_in_mysql() {
    let sql = server();
    let s = &mut session(&sql);
    let cases = [
        ("SELECT CONCAT('a',1,NULL), CONCAT_WS('-',1,NULL,'b')", "NULL\t1-b"),
        ("SELECT SUBSTRING('abcdef',-3,2), LEFT('abc',2), RIGHT('abc',2)", "de\tab\tbc"),
        (
            "SELECT SUBSTRING_INDEX('www.a.com','.',2), SUBSTRING_INDEX('www.a.com','.',-1)",
            "www.a\tcom",
        ),
        (
            "SELECT LPAD('5',3,'0'), REPEAT('ab',2), REVERSE('abc'), LENGTH('é'), CHAR_LENGTH('é')",
            "005\tabab\tcba\t2\t1",
        ),
        (
            "SELECT ROUND(2.345,2), ROUND(-1.5), TRUNCATE(1.999,1), CEIL(1.2), FLOOR(-1.2)",
            "2.35\t-2\t1.9\t2\t-2",
        ),
        (
            "SELECT IF(1>2,'a','b'), IFNULL(NULL,3), NULLIF(1,1), COALESCE(NULL,NULL,'z')",
            "b\t3\tNULL\tz",
        ),
        (
            "SELECT CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN NULL THEN 1 ELSE 2 END",
            "b\t2",
        ),
        (
            "SELECT DATE_ADD('2024-01-31', INTERVAL 1 MONTH), '2024-03-01' - INTERVAL 1 DAY",
            "2024-02-29\t2024-02-29",
        ),
        (
            "SELECT DATEDIFF('2024-03-01','2024-02-01'), TIMESTAMPDIFF(HOUR,'2024-01-01','2024-01-02 05:00:00')",
            "29\t29",
        ),
        (
            "SELECT DATE_FORMAT('2024-02-03 14:05:06','%Y/%c/%e %h:%i %p %W'), YEAR('2024-02-03')",
            "2024/2/3 02:05 PM Saturday\t2024",
        ),
        (
            "SELECT MD5('a'), SHA1('a'), HEX('ab'), UNHEX('4142')",
            "0cc175b9c0f1b6a831c399e269772661\t86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\t6162\tAB",
        ),
        (
            "SELECT CAST('12abc' AS SIGNED), CAST(-1 AS UNSIGNED), CAST(1.25 AS CHAR), CAST('1.5' AS DECIMAL(5,1))",
            "12\t18446744073709551615\t1.25\t1.5",
        ),
        ("SELECT 'a' LIKE 'A', 'a' = 'A ', BINARY 'a' = 'A', 'abc' LIKE 'a\\%c'", "1\t1\t0\t0"),
        ("SELECT 1 = '1x', NULL <=> NULL, 3 BETWEEN 1 AND 5, 2 IN (1,NULL)", "1\t1\t1\tNULL"),
        (
            "SELECT JSON_EXTRACT('{\"a\":[1,2]}','$.a[1]'), JSON_OBJECT('k',1,'b','x'), JSON_VALID('{')",
            "2\t{\"b\": \"x\", \"k\": 1}\t0",
        ),
        (
            "SELECT GREATEST(1,5,3), LEAST('b','a'), FIELD('b','a','b'), FIND_IN_SET('c','a,b,c')",
            "5\ta\t2\t3",
        ),
        (
            "SELECT 10/4, 10 DIV 4, 2+2*3, -7 % 3, 1 << 4, 5 & 6, ~0",
            "2.5000\t2\t8\t-1\t16\t4\t18446744073709551615",
        ),
        (
            "SELECT UNIX_TIMESTAMP('2024-01-01 00:00:00'), FROM_UNIXTIME(1704067200)",
            "1704067200\t2024-01-01 00:00:00",
        ),
        (
            "SELECT STR_TO_DATE('3/2/2024','%d/%m/%Y'), LAST_DAY('2024-02-05'), DAYNAME('2024-02-05')",
            "2024-02-03\t2024-02-29\tMonday",
        ),
        (
            "SELECT CONV('ff',16,10), BIN(5), INET_ATON('1.2.3.4'), CRC32('a')",
            "255\t101\t16909060\t3904355907",
        ),
        (
            "SELECT TO_BASE64('abc'), FROM_BASE64('YWJj'), FORMAT(1234567.891,2), ELT(2,'a','b')",
            "YWJj\tabc\t1,234,567.89\tb",
        ),
        (
            "SELECT TRIM('  a '), TRIM(LEADING 'x' FROM 'xxa'), REPLACE('abab','a','c'), INSTR('abc','C')",
            "a\ta\tcbcb\t3",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(answer(s, text).unwrap_or_else(|e| e.to_string()), expected, "{text}");
    }
    assert_eq!(error(s, "SELECT 9223372036854775807 + 1"), 1690);
    assert_eq!(error(s, "SELECT 1 - CAST(2 AS UNSIGNED)"), 1690);
    assert_eq!(error(s, "SELECT concat()"), 1582);
}

#[test]
fn several_statements_in_one_text_are_taken_one_by_one() {
    let sql = server();
    let s = &mut session(&sql);
    s.set_multi_statements(true);
    let text = b"SELECT 1; -- one\n SELECT ';' ;";
    let (_, taken) = s.query(text, ExecutionMode::POOL).expect("runs");
    // A comment belongs to what follows it, as in MySQL.
    assert_eq!(&text[taken..], b"-- one\n SELECT ';' ;");
    let (_, rest) = s.query(&text[taken..], ExecutionMode::POOL).expect("runs");
    assert_eq!(taken + rest, text.len());
    s.set_multi_statements(false);
    assert_eq!(s.query(text, ExecutionMode::POOL).err().map(|e| e.code().number()), Some(1064));
}

#[test]
fn an_error_says_where_it_is() {
    let sql = server();
    let s = &mut session(&sql);
    let message = answer(s, "SELECT 1\nFROM t WHERE x = = 3").err().map(|e| e.into_message());
    let message = message.unwrap_or_default();
    assert!(message.ends_with("near '= 3' at line 2"), "{message}");
    let message = answer(s, "CREATE TABLE t (a INT,, b INT)").err().map(|e| e.into_message());
    assert!(message.unwrap_or_default().contains("near ', b INT)' at line 1"));
}

#[test]
fn unusual_conditions_still_find_the_right_rows() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (a VARCHAR(5), b TINYINT, c DECIMAL(5,2), d ENUM('x','y'), PRIMARY KEY (a, b), KEY (c), KEY (d))",
    );
    run(
        s,
        "INSERT INTO t VALUES ('1',1,1.5,'x'),('01',2,2.5,'y'),('b',-3,NULL,NULL),('B ',4,9,'x')",
    );
    // A number against a text column compares as a number, whatever the index.
    assert_eq!(run(s, "SELECT b FROM t WHERE a = 1 ORDER BY b"), "1\n2");
    assert_eq!(run(s, "SELECT b FROM t WHERE a = 'b' ORDER BY b"), "-3\n4");
    assert_eq!(run(s, "SELECT b FROM t WHERE a='b' AND b > -200 AND b < 300"), "-3\n4");
    assert_eq!(run(s, "SELECT b FROM t WHERE a='b' AND b > 200"), "");
    assert_eq!(run(s, "SELECT b FROM t WHERE c IS NULL"), "-3");
    assert_eq!(run(s, "SELECT b FROM t WHERE c >= '2.5' ORDER BY c DESC"), "4\n2");
    assert_eq!(run(s, "SELECT b FROM t WHERE c = 1.50"), "1");
    assert_eq!(run(s, "SELECT b FROM t WHERE c = 1.501"), "");
    assert_eq!(run(s, "SELECT b FROM t WHERE d = 'X' ORDER BY b"), "1\n4");
    assert_eq!(run(s, "SELECT b FROM t WHERE a LIKE 'b%' ORDER BY b"), "-3\n4");
    assert_eq!(
        run(s, "SELECT b FROM t WHERE a IN ('b','1') AND b IN (4,1,7) ORDER BY b DESC"),
        "4\n1"
    );
    assert_eq!(run(s, "SELECT b FROM t WHERE NOT (c > 2) OR c IS NULL ORDER BY b LIMIT 1,5"), "1");
    assert_eq!(run(s, "SELECT a FROM t WHERE (a, b) = ('b', 4)"), "B ");
}

#[test]
fn a_chain_of_operators_is_refused_before_it_overflows_a_stack() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    run(s, "INSERT INTO t VALUES (1,1)");
    let long =
        |times: usize, what: &str| format!("SELECT id FROM t WHERE v=1{}", what.repeat(times));
    assert_eq!(run(s, &long(2000, " AND v=1")), "1");
    assert_eq!(run(s, &long(2000, " OR v=2")), "1");
    assert_eq!(error(s, &long(300_000, " OR v=2")), 1436);
    assert_eq!(error(s, &long(300_000, "+1")), 1436);
    assert_eq!(run(s, &long(300, "+0")), "1");
    let nested = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(error(s, &nested), 1436);
    let mixed = format!("SELECT {}1{}", "(".repeat(150), "+1+1+1+1+1)".repeat(150));
    assert_eq!(error(s, &mixed), 1436);
    // No chain that was parsed may overflow the stack of a thread when it is bound or dropped.
    for link in [" = 1", " <=> v", " < v", " LIKE 'a'", " IS NULL", " XOR v", " | 1", " - 1"] {
        for times in [600, 1000, 2400] {
            assert_eq!(error(s, &long(times, link)), 1436, "{link}");
            let change = format!("UPDATE t SET v = 1{}", link.repeat(times));
            assert_eq!(error(s, &change), 1436, "{link}");
        }
        assert!(run(s, &long(100, link)).lines().count() <= 1, "{link}");
    }
}

/// The figures of a statement without rows.
fn done(reply: Reply) -> OkFigures {
    match reply {
        Reply::Done(done) => done,
        Reply::Rows(_) | Reply::LoadLocal(_) => panic!("no rows were asked for"),
    }
}

#[test]
fn a_prepared_statement_ran_in_the_database_of_the_moment() {
    let sql = server();
    let s = &mut session(&sql);
    for (database, value) in [("pa", 1), ("pb", 2)] {
        run(s, &format!("CREATE DATABASE {database}"));
        run(s, &format!("CREATE TABLE {database}.t (a INT PRIMARY KEY)"));
        run(s, &format!("INSERT INTO {database}.t VALUES ({value})"));
    }
    run(s, "USE pa");
    run(s, "PREPARE r FROM 'SELECT a, DATABASE() FROM t'");
    run(s, "PREPARE w FROM 'INSERT INTO t VALUES (5)'");
    run(s, "PREPARE d FROM 'CREATE TABLE n (a INT)'");
    run(s, "PREPARE l FROM 'SHOW TABLES'");
    let read = s.prepare(b"SELECT COUNT(*), DATABASE() FROM t WHERE a < ?").expect("prepares");
    let write = s.prepare(b"DELETE FROM t WHERE a = ?").expect("prepares");
    run(s, "USE pb");
    run(s, "PREPARE gone FROM 'DROP DATABASE pb'");
    assert_eq!(run(s, "EXECUTE r"), "1\tpa");
    assert_eq!(run(s, "EXECUTE w"), "ok 1");
    assert_eq!(run(s, "EXECUTE d"), "ok 0");
    assert_eq!(run(s, "EXECUTE l"), "n\nt");
    let execute = |s: &mut Session, id, value| {
        let reply = s.execute(id, &[Datum::Int(value)], ExecutionMode::POOL).expect("runs");
        shown(s, reply).expect("shows")
    };
    assert_eq!(execute(s, read.id, 9), "2\tpa");
    assert_eq!(execute(s, write.id, 1), "ok 1");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a), DATABASE() FROM pa.t"), "5\tpb");
    assert_eq!(run(s, "SELECT a FROM t"), "2");
    assert_eq!(s.database(), Some("pb"));
    // One that fails leaves the session where it is, too.
    run(s, "DROP DATABASE pa");
    assert_eq!(error(s, "EXECUTE r"), 1049);
    assert_eq!(s.database(), Some("pb"));
    run(s, "CREATE DATABASE pa");
    assert_eq!(error(s, "EXECUTE r"), 1146);
    assert_eq!(s.database(), Some("pb"));
    run(s, "USE pa");
    assert_eq!(run(s, "EXECUTE gone"), "ok 1");
    assert_eq!(s.database(), Some("pa"));
    // The database that the session is in may be what is dropped.
    run(s, "PREPARE gone FROM 'DROP DATABASE test'");
    run(s, "USE test");
    run(s, "EXECUTE gone");
    assert_eq!(s.database(), None);
}

#[test]
fn a_comment_alone_was_an_empty_query() {
    let sql = server();
    let s = &mut session(&sql);
    let comments = [
        "-- x",
        "# x\n",
        "/* x */",
        "/* x */;",
        "/*!99999 SET @a = 1 */",
        "/*!40101 */;",
        "-- x\n;;",
    ];
    for several in [false, true] {
        s.set_multi_statements(several);
        for comment in comments {
            assert_eq!(run(s, comment), "ok 0", "{comment}");
        }
        for empty in ["", " ", ";", " ;; \n"] {
            assert_eq!(error(s, empty), 1065, "{empty:?}");
        }
        for wrong in [";SELECT 1", "-- x\n;SELECT 1", "/* x", "SELECT 1 /* x"] {
            assert_eq!(error(s, wrong), 1064, "{wrong}");
        }
        for one in ["SELECT 1;", "SELECT 1;;", "SELECT 1; ;\n"] {
            let (_, taken) = s.query(one.as_bytes(), ExecutionMode::POOL).expect("runs");
            assert_eq!(taken, one.len(), "{one}");
        }
        // Where there may be several statements, a comment behind the last is one.
        let (_, taken) = s.query(b"SELECT 1; -- x", ExecutionMode::POOL).expect("runs");
        assert_eq!(taken, if several { 10 } else { 14 });
    }
    assert_eq!(s.prepare(b"-- x").err().map(|e| e.code().number()), Some(1295));
    assert_eq!(s.prepare(b";").err().map(|e| e.code().number()), Some(1065));
    assert!(s.prepare(b"SELECT 1;; -- x").is_err());
    assert!(s.prepare(b"SELECT 1; -- x").is_ok());
}

#[test]
fn columns_of_derived_tables_had_no_table() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(5))");
    let mut announced = |query: &str| -> Vec<String> {
        let (reply, _) = s.query(query.as_bytes(), ExecutionMode::POOL).expect("runs");
        let Reply::Rows(rows) = reply else { panic!("no rows") };
        let column = |c: &results::ResultColumn| {
            [&*c.database, &c.table, &c.org_table, &c.name, &c.org_name].join("|")
        };
        rows.columns().iter().map(column).collect()
    };
    for (query, columns) in [
        ("SELECT * FROM (SELECT a, a + 1 AS c FROM t) d", ["test|d|t|a|a", "|d||c|c"].as_slice()),
        ("SELECT x.n AS q FROM (SELECT MAX(b) AS n FROM t GROUP BY a) x", &["|x||q|n"]),
        ("WITH w AS (SELECT b AS z FROM t) SELECT z FROM w", &["test|w|t|z|z"]),
        ("SELECT * FROM (SELECT a FROM t UNION SELECT 2) u", &["|u||a|a"]),
        ("SELECT * FROM (SELECT * FROM (SELECT a FROM t) i) o", &["test|o|t|a|a"]),
        ("SELECT d.c + 1 FROM (SELECT COUNT(*) AS c FROM t) d", &["|||d.c + 1|"]),
        ("SELECT a AS k FROM t", &["test|t|t|k|a"]),
    ] {
        assert_eq!(announced(query), columns, "{query}");
    }
}

#[test]
fn on_duplicate_key_update_was_an_alias_behind_a_select_without_from() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9))");
    run(s, "INSERT INTO t VALUES (1, 'x')");
    run(s, "INSERT INTO t SELECT 1, 'q' ON DUPLICATE KEY UPDATE b = 'dup'");
    assert_eq!(run(s, "SELECT * FROM t"), "1\tdup");
    run(
        s,
        "INSERT INTO t (a, b) SELECT 1, 'q' UNION SELECT 2, 'r' ON DUPLICATE KEY UPDATE b = VALUES(b)",
    );
    assert_eq!(run(s, "SELECT * FROM t"), "1\tq\n2\tr");
    run(
        s,
        "INSERT INTO t SELECT 1 AS x, 'q' UNION ALL SELECT 3, 'z' ON DUPLICATE KEY UPDATE b = CONCAT(VALUES(b), 1)",
    );
    assert_eq!(run(s, "SELECT * FROM t"), "1\tq1\n2\tr\n3\tz");
    assert_eq!(error(s, "INSERT INTO t SELECT 5 AS x, 'q' ON DUPLICATE KEY UPDATE b = x"), 1054);
}

#[test]
fn an_operand_may_be_a_query_whose_first_part_is_in_brackets() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE n (a INT)");
    run(s, "INSERT INTO n VALUES (8), (1), (5)");
    let both = "((SELECT a FROM n WHERE a > 7 AND a = o.a) UNION (SELECT 1 FROM n WHERE o.a = 1))";
    let asked = |condition: &str| format!("SELECT a FROM n o WHERE {condition} ORDER BY a");
    assert_eq!(run(s, &asked(&format!("{both} IS NOT NULL"))), "1\n8");
    assert_eq!(run(s, &asked(&format!("a IN {both}"))), "1\n8");
    assert_eq!(run(s, &asked(&format!("1 + {both} > 2"))), "8");
    for (statement, wanted) in [
        ("SELECT ((SELECT 1) UNION SELECT 1)", "1"),
        ("SELECT (((SELECT 2) UNION (SELECT 2)) + 1)", "3"),
        ("SELECT ((SELECT a FROM n) ORDER BY a LIMIT 1)", "1"),
        ("SELECT ((SELECT a FROM n ORDER BY a LIMIT 1) EXCEPT (SELECT 3))", "1"),
        ("SELECT ((SELECT 1) + 1), ((SELECT 2))", "2\t2"),
        ("SELECT (SELECT 1) UNION (SELECT 2) ORDER BY 1", "1\n2"),
        ("SELECT ((((SELECT 1) UNION (SELECT 1))))", "1"),
    ] {
        assert_eq!(run(s, statement), wanted, "{statement}");
    }
    assert_eq!(error(s, "SELECT ((SELECT a FROM n) UNION SELECT 2)"), 1242);
    assert_eq!(error(s, "SELECT ((SELECT 1) UNION"), 1064);
}
