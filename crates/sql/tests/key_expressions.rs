//! Key parts that are expressions, and parts that descend: which statements use them, how they are
//! shown, what may not be one. Answers next to MySQL 9.7's are in
//! `tests/oracle/sql/key-expressions.sql`.

use crate::harness::{answer, run, server, session};
use sql::Session;

/// Type, key and Extra of EXPLAIN's only line.
fn way(s: &mut Session, query: &str) -> (String, String) {
    let shown = run(s, &format!("EXPLAIN {query}"));
    let cells: Vec<&str> = shown.split('\t').collect();
    (format!("{} {}", cells[4], cells[6]), cells[11].to_owned())
}

fn error(s: &mut Session, statement: &str) -> u16 {
    answer(s, statement).expect_err(statement).code().number()
}

fn fill(s: &mut Session) {
    run(
        s,
        "CREATE TABLE p (id INT PRIMARY KEY, name VARCHAR(20), n INT, doc JSON, \
         KEY low ((LOWER(name))), UNIQUE KEY u ((n * 10 + 1), name), \
         KEY zip ((CAST(doc->>'$.zip' AS UNSIGNED))), KEY d (n DESC, id))",
    );
    let row = |id: u32| format!("({id}, 'Name{id}', {}, '{{\"zip\": {}}}')", id % 7, id * 3);
    let rows: Vec<String> = (1..=500).map(row).collect();
    run(s, &format!("INSERT INTO p VALUES {}", rows.join(",")));
}

#[test]
fn an_expression_that_an_index_has_is_looked_up_there() {
    let s = &mut session(&server());
    fill(s);
    for (condition, key, ids) in [
        ("LOWER(name) = 'name7'", "ref low", "7"),
        ("lower( p.name ) IN ('name7', 'name9')", "range low", "7\n9"),
        ("n * 10 + 1 = 31 AND name = 'Name10'", "const u", "10"),
        ("CAST(doc->>'$.zip' AS UNSIGNED) BETWEEN 6 AND 10", "range zip", "2\n3"),
    ] {
        for _ in 0..3 {
            let query = format!("SELECT id FROM p WHERE {condition} ORDER BY id");
            assert_eq!(run(s, &query), ids, "{condition}");
        }
        let (found, _) = way(s, &format!("SELECT id FROM p WHERE {condition}"));
        assert_eq!(found, key, "{condition}");
    }
    let (found, _) = way(s, "UPDATE p SET n = 1 WHERE LOWER(name) = 'name7'");
    assert_eq!(found, "ref low");
    let (found, extra) = way(s, "SELECT name FROM p ORDER BY LOWER(name) LIMIT 3");
    assert!(found == "index low" && !extra.contains("filesort"), "{found} {extra}");
    // Another literal is another expression.
    let (found, _) = way(s, "SELECT id FROM p WHERE n * 11 + 1 = 34 AND id > 0");
    assert_eq!(found, "range PRIMARY");
    assert_eq!(run(s, "SELECT id FROM p WHERE n * 11 + 1 = 34 AND name = 'Name10'"), "10");
    assert_eq!(run(s, "SELECT id FROM p WHERE n * 10 + 2 = 32 AND name = 'Name10'"), "10");
    // A row that an outer join makes of NULLs is not in the index.
    run(s, "CREATE TABLE o (id INT PRIMARY KEY)");
    run(s, "CREATE TABLE x (id INT PRIMARY KEY, a INT, KEY ((COALESCE(a, 5))))");
    run(s, "INSERT INTO o VALUES (1), (2)");
    run(s, "INSERT INTO x VALUES (1, 7)");
    let query = "SELECT o.id FROM o LEFT JOIN x USING (id) WHERE COALESCE(a, 5) = 5";
    assert_eq!(run(s, query), "2");
}

#[test]
fn writes_keep_the_entries_and_nobody_sees_the_column() {
    let s = &mut session(&server());
    fill(s);
    let by_index = "SELECT id FROM p FORCE INDEX (low) WHERE LOWER(name) = 'z'";
    run(s, "UPDATE p SET name = 'Z' WHERE id = 4");
    assert_eq!(run(s, by_index), "4");
    assert_eq!(error(s, "INSERT INTO p VALUES (900, 'Z', 4, NULL)"), 1062);
    run(s, "INSERT INTO p VALUES (900, 'Z', 4, NULL) ON DUPLICATE KEY UPDATE n = 999");
    assert_eq!(run(s, "SELECT n FROM p WHERE id = 4"), "999");
    assert_eq!(run(s, "REPLACE INTO p VALUES (901, 'z', 999, NULL)"), "ok 2");
    assert_eq!(run(s, by_index), "901");
    run(s, "DELETE FROM p WHERE LOWER(name) = 'z'");
    assert_eq!(run(s, by_index), "");
    assert_eq!(run(s, "SELECT * FROM p WHERE id = 2"), "2\tName2\t2\t{\"zip\": 6}");
    assert_eq!(
        run(s, "SELECT COUNT(*) FROM information_schema.columns WHERE table_name = 'p'"),
        "4"
    );
    assert_eq!(error(s, "SELECT `!hidden!low!0!0` FROM p"), 1054);
    assert_eq!(error(s, "INSERT INTO p VALUES (902, 'a', 1, NULL, 'a')"), 1136);
    run(s, "CREATE TABLE q LIKE p");
    run(s, "INSERT INTO q SELECT * FROM p");
    assert_eq!(run(s, "SELECT id FROM q FORCE INDEX (low) WHERE LOWER(name) = 'name9'"), "9");
    assert_eq!(run(s, "SELECT a.id FROM p a NATURAL JOIN q b WHERE LOWER(a.name) = 'name3'"), "3");
}

#[test]
fn tables_are_altered_around_them() {
    let s = &mut session(&server());
    fill(s);
    assert_eq!(error(s, "ALTER TABLE p DROP COLUMN name"), 3837);
    assert_eq!(error(s, "ALTER TABLE p RENAME COLUMN n TO m"), 3837);
    assert_eq!(error(s, "ALTER TABLE p CHANGE n m INT"), 3837);
    run(s, "ALTER TABLE p ADD COLUMN more INT DEFAULT 3 AFTER id, ADD COLUMN last INT");
    run(s, "CREATE UNIQUE INDEX whole ON p ((CONCAT(id, '-', more)) DESC)");
    assert_eq!(run(s, "SELECT id FROM p WHERE CONCAT(id, '-', more) = '17-3'"), "17");
    assert_eq!(error(s, "ALTER TABLE p ADD UNIQUE KEY ((n % 3))"), 1062);
    run(s, "ALTER TABLE p MODIFY name VARCHAR(40)");
    run(s, "UPDATE p SET name = 'An even longer name than before' WHERE id = 5");
    let query = "SELECT id FROM p WHERE LOWER(name) = 'an even longer name than before'";
    assert_eq!((run(s, query), way(s, query).0), ("5".to_owned(), "ref low".to_owned()));
    run(s, "ALTER TABLE p DROP INDEX low, DROP INDEX u, DROP COLUMN name");
    let shown = run(s, "SHOW CREATE TABLE p");
    for line in [
        "KEY `zip` ((cast(json_unquote(json_extract(`doc`,_utf8mb4'$.zip')) as unsigned)))",
        "KEY `d` (`n` DESC,`id`)",
        "UNIQUE KEY `whole` ((concat(`id`,_utf8mb4'-',`more`)) DESC)",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(run(s, "SELECT * FROM p WHERE id = 2"), "2\t3\t2\t{\"zip\": 6}\tNULL");
    let listed = run(
        s,
        "SELECT column_name, collation, expression FROM information_schema.statistics \
         WHERE table_name = 'p' AND index_name IN ('whole', 'd') ORDER BY index_name, seq_in_index",
    );
    let whole = "NULL\tD\tconcat(`id`,_utf8mb4\\'-\\',`more`)";
    assert_eq!(listed, format!("n\tD\tNULL\nid\tA\tNULL\n{whole}"));
}

#[test]
fn what_may_not_be_a_part_is_refused() {
    let s = &mut session(&server());
    for (columns, number) in [
        ("a INT, KEY ((a))", 3762),
        ("a INT, PRIMARY KEY ((a + 1))", 3756),
        ("a TEXT, KEY ((CONCAT(a, 'x')))", 3757),
        ("j JSON, KEY ((j->'$.a'))", 3753),
        ("j JSON, KEY ((j->>'$.a'))", 3757),
        ("a INT, KEY ((RAND()))", 3758),
        ("a INT, KEY ((a + b))", 1054),
        ("a INT AUTO_INCREMENT PRIMARY KEY, KEY ((a + 1))", 3754),
        ("a INT, b INT, FOREIGN KEY ((a + 1)) REFERENCES p (id)", 1064),
        ("a INT, KEY ((a + 1)(3))", 1064),
    ] {
        assert_eq!(error(s, &format!("CREATE TABLE t ({columns})")), number, "{columns}");
    }
    run(s, "CREATE TABLE t (a INT, b INT, KEY ((a + b)), KEY ((a - b), b))");
    let names = "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_name = 't' ORDER BY 1";
    assert_eq!(run(s, names), "functional_index\nfunctional_index_2");
}

#[test]
fn a_descending_part_orders_the_other_way_round() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE m (id INT PRIMARY KEY, a INT, b VARCHAR(9), c DECIMAL(5,1) NOT NULL, \
         KEY ab (a DESC, b), KEY bc (b DESC, c DESC), UNIQUE KEY ca (c DESC, a, id DESC))",
    );
    let row = |id: i32| {
        let a = if id % 6 == 0 { "NULL".to_owned() } else { (id % 5 - 2).to_string() };
        let b = if id % 7 == 0 {
            "NULL".to_owned()
        } else {
            format!("'{}'", "xyz".repeat(id as usize % 3))
        };
        format!("({id}, {a}, {b}, {}.5)", id % 9 - 4)
    };
    let rows: Vec<String> = (1..=300).map(row).collect();
    run(s, &format!("INSERT INTO m VALUES {}", rows.join(",")));
    for (order, key) in [
        ("a DESC, b", "ab"),
        ("a, b DESC", "ab"),
        ("b DESC, c DESC", "bc"),
        ("b, c", "bc"),
        ("c DESC, a, id DESC", "ca"),
        ("c, a DESC, id", "ca"),
    ] {
        let columns = order.replace(" DESC", "");
        let query =
            format!("SELECT {columns} FROM m FORCE INDEX ({key}) ORDER BY {order} LIMIT 50");
        let (found, extra) = way(s, &query);
        assert!(
            found == format!("index {key}") && !extra.contains("filesort"),
            "{order}: {found} {extra}"
        );
        let sorted = format!(
            "SELECT {columns} FROM (SELECT DISTINCT * FROM m IGNORE INDEX (ab, bc, ca)) q \
             ORDER BY {order} LIMIT 50"
        );
        assert_eq!(run(s, &query), run(s, &sorted), "{order}");
    }
    let (_, extra) = way(s, "SELECT a FROM m FORCE INDEX (ab) ORDER BY a DESC, b DESC LIMIT 5");
    assert!(extra.contains("filesort"), "{extra}");
    for condition in [
        "a > 0",
        "a >= 0",
        "a < 0",
        "a <= 0",
        "a BETWEEN -1 AND 1",
        "a IS NULL",
        "a IS NOT NULL",
        "a = 1 AND b > 'x'",
        "a = 1 AND b LIKE 'xy%'",
        "a IN (1, 2)",
        "a > -1 OR a < -1",
    ] {
        let ids = |hint: &str| {
            format!("SELECT id FROM m {hint} INDEX (ab) WHERE {condition} ORDER BY id")
        };
        assert_eq!(run(s, &ids("FORCE")), run(s, &ids("IGNORE")), "{condition}");
    }
    for condition in ["b LIKE 'xy%'", "b > 'xyz'", "b <= 'xyz'", "b IS NULL", "b = 'xyz' AND c < 0"]
    {
        let ids = |hint: &str| {
            format!("SELECT id FROM m {hint} INDEX (bc) WHERE {condition} ORDER BY id")
        };
        assert_eq!(run(s, &ids("FORCE")), run(s, &ids("IGNORE")), "{condition}");
    }
    for query in ["MIN(a)", "MAX(a)", "MIN(b)", "MAX(b)", "MIN(c)", "MAX(c)", "COUNT(DISTINCT a)"] {
        let of = |hint: &str| format!("SELECT {query} FROM m {hint} INDEX (ab, bc, ca)");
        assert_eq!(run(s, &of("FORCE")), run(s, &of("IGNORE")), "{query}");
    }
    let groups = |hint: &str| {
        format!("SELECT c, MIN(a), MAX(a) FROM m {hint} INDEX (ca) GROUP BY c ORDER BY c")
    };
    assert_eq!(run(s, &groups("FORCE")), run(s, &groups("IGNORE")));
    run(s, "CREATE TABLE k (a INT, b INT, PRIMARY KEY (a DESC, b), KEY (b DESC))");
    run(s, "INSERT INTO k VALUES (1, 1), (2, 2), (2, 1), (3, 1)");
    assert_eq!(run(s, "SELECT a, b FROM k ORDER BY a DESC, b"), "3\t1\n2\t1\n2\t2\n1\t1");
    assert_eq!(run(s, "SELECT a, b FROM k WHERE b = 1 AND a > 1 ORDER BY a"), "2\t1\n3\t1");
    assert_eq!(error(s, "INSERT INTO k VALUES (2, 2)"), 1062);
    run(s, "ALTER TABLE k DROP PRIMARY KEY, ADD PRIMARY KEY (a, b DESC)");
    assert_eq!(error(s, "INSERT INTO k VALUES (2, 2)"), 1062);
    assert_eq!(run(s, "SELECT a, b FROM k ORDER BY a, b DESC"), "1\t1\n2\t2\n2\t1\n3\t1");
    assert_eq!(run(s, "SELECT b FROM k WHERE a = 2 AND b = 1"), "1");
}

#[test]
fn an_invisible_index_is_kept_up_and_not_chosen() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE v (id INT PRIMARY KEY, a INT, b INT, KEY ka (a) INVISIBLE, \
         UNIQUE KEY kb (b) COMMENT 'b' INVISIBLE)",
    );
    let rows: Vec<String> = (1..=300).map(|id| format!("({id}, {}, {id})", id % 50)).collect();
    run(s, &format!("INSERT INTO v VALUES {}", rows.join(",")));
    let query = "SELECT COUNT(*) FROM v WHERE a = 7";
    assert_eq!((run(s, query), way(s, query).0), ("6".to_owned(), "ALL NULL".to_owned()));
    assert_eq!(way(s, "DELETE FROM v WHERE a = 7").0, "ALL NULL");
    assert_eq!(error(s, "INSERT INTO v VALUES (900, 1, 5)"), 1062);
    assert_eq!(error(s, "SELECT * FROM v FORCE INDEX (ka) WHERE a = 7"), 1176);
    let shown = run(s, "SHOW CREATE TABLE v");
    assert!(shown.contains("KEY `ka` (`a`) /*!80000 INVISIBLE */"), "{shown}");
    assert!(shown.contains("(`b`) COMMENT 'b' /*!80000 INVISIBLE */"), "{shown}");
    run(s, "SET optimizer_switch = 'use_invisible_indexes=on'");
    assert_eq!(way(s, query).0, "ref ka");
    assert_eq!(run(s, query), "6");
    run(s, "SET optimizer_switch = 'use_invisible_indexes=off'");
    assert_eq!(way(s, query).0, "ALL NULL");
    run(s, "ALTER TABLE v ALTER INDEX ka VISIBLE, ALTER INDEX kb VISIBLE");
    assert_eq!((run(s, query), way(s, query).0), ("6".to_owned(), "ref ka".to_owned()));
    run(s, "ALTER TABLE v ALTER INDEX ka INVISIBLE");
    assert_eq!(
        run(
            s,
            "SELECT DISTINCT index_name, is_visible FROM information_schema.statistics WHERE table_name = 'v' ORDER BY 1"
        ),
        "ka\tNO\nkb\tYES\nPRIMARY\tYES"
    );
    assert_eq!(error(s, "ALTER TABLE v ALTER INDEX none INVISIBLE"), 1176);
    assert_eq!(error(s, "ALTER TABLE v ALTER INDEX `PRIMARY` INVISIBLE"), 3522);
    assert_eq!(error(s, "CREATE TABLE w (a INT, PRIMARY KEY (a) INVISIBLE)"), 3522);
    assert_eq!(error(s, "CREATE TABLE w (a INT NOT NULL, UNIQUE KEY (a) INVISIBLE)"), 3522);
}

#[test]
fn defaults_and_conditions_stand_as_mysql_writes_them() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE d (id INT PRIMARY KEY, a INT DEFAULT (3 + 5), b VARCHAR(9) DEFAULT \
         (CONCAT('x', 'y')), c DECIMAL(8,2) DEFAULT 1.5, t DATETIME DEFAULT (NOW()), \
         g INT AS (a * 2 + 1), n INT DEFAULT 7, CHECK (a > 0), CONSTRAINT aa CHECK (a < 99), \
         CHECK (b <> 'q'))",
    );
    let shown = run(s, "SHOW CREATE TABLE d");
    for line in [
        "`a` int DEFAULT ((3 + 5))",
        "DEFAULT (concat(_utf8mb4'x',_utf8mb4'y'))",
        "`c` decimal(8,2) DEFAULT '1.50'",
        "`t` datetime DEFAULT (now())",
        "GENERATED ALWAYS AS (((`a` * 2) + 1)) VIRTUAL",
        "`n` int DEFAULT '7'",
        "CONSTRAINT `aa` CHECK ((`a` < 99))",
        "CONSTRAINT `d_chk_1` CHECK ((`a` > 0))",
        "CONSTRAINT `d_chk_2` CHECK ((`b` <> _utf8mb4'q'))",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let listed = "SELECT column_default, extra FROM information_schema.columns \
                  WHERE table_name = 'd' AND column_name IN ('a', 'b', 'c') ORDER BY column_name";
    let b = "concat(_utf8mb4\\'x\\',_utf8mb4\\'y\\')\tDEFAULT_GENERATED";
    assert_eq!(run(s, listed), format!("(3 + 5)\tDEFAULT_GENERATED\n{b}\n1.50\t"));
    run(s, "INSERT INTO d (id) VALUES (1)");
    assert_eq!(run(s, "SELECT a, b, c, g, n FROM d"), "8\txy\t1.50\t17\t7");
    // What is shown makes the same table.
    let (_, statement) = shown.split_once('\t').expect("two columns");
    let statement = statement.to_owned();
    run(s, "DROP TABLE d");
    run(s, &statement);
    assert_eq!(run(s, "SHOW CREATE TABLE d"), shown);
    run(s, "ALTER TABLE d ADD CHECK (n < 50)");
    run(s, "RENAME TABLE d TO e");
    run(s, "CREATE TABLE f LIKE e");
    let names = "SELECT GROUP_CONCAT(constraint_name ORDER BY constraint_name) FROM \
                 information_schema.check_constraints GROUP BY table_name ORDER BY table_name";
    assert_eq!(run(s, names), "aa,e_chk_1,e_chk_2,e_chk_3\nf_chk_1,f_chk_2,f_chk_3,f_chk_4");
}
