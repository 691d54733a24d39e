//! Multi-valued indexes: which statements use them, how they are shown, what may not be one, and
//! that answers are those of a table without them. Answers next to MySQL 9.7's are in
//! `tests/oracle/sql/multi-valued.sql`.

use std::collections::BTreeSet;

use crate::harness::{answer, run, server, session};
use sql::Session;

/// Type, key and parts of EXPLAIN's only line.
fn way(s: &mut Session, query: &str) -> String {
    let shown = run(s, &format!("EXPLAIN {query}"));
    let cells: Vec<&str> = shown.split('\t').collect();
    format!("{} {} {}", cells[4], cells[6], cells[8])
}

fn error(s: &mut Session, statement: &str) -> u16 {
    answer(s, statement).expect_err(statement).code().number()
}

fn fill(s: &mut Session) {
    run(
        s,
        "CREATE TABLE p (id INT PRIMARY KEY, shop INT, doc JSON, \
         KEY tags ((CAST(doc->'$.tags' AS CHAR(20) ARRAY))), \
         KEY zips (shop, (CAST(doc->'$.zips' AS UNSIGNED ARRAY)), id), \
         UNIQUE KEY codes ((CAST(doc->'$.codes' AS SIGNED ARRAY))))",
    );
    let row = |id: u32| {
        let (a, b) = (id % 50, id % 7);
        format!(
            "({id}, {}, '{{\"tags\": [\"t{a}\", \"t{b}\"], \"zips\": [{a}, {}, {a}], \
             \"codes\": [{}, {}]}}')",
            id % 3,
            id % 90,
            id * 2,
            id * 2 + 1,
        )
    };
    let rows: Vec<String> = (1..=500).map(row).collect();
    run(s, &format!("INSERT INTO p VALUES {}", rows.join(",")));
}

#[test]
fn elements_are_looked_up_in_the_index() {
    let s = &mut session(&server());
    fill(s);
    for (condition, key, ids) in [
        (
            "'t49' MEMBER OF (doc->'$.tags')",
            "ref tags const",
            "49\n99\n149\n199\n249\n299\n349\n399\n449\n499",
        ),
        (
            "shop = 1 AND 49 MEMBER OF (p.doc->'$.zips')",
            "ref zips const,const",
            "49\n139\n199\n229\n319\n349\n409\n499",
        ),
        ("shop = 1 AND 49 MEMBER OF (doc->'$.zips') AND id = 139", "const PRIMARY const", "139"),
        ("77 MEMBER OF (doc->'$.codes')", "ref codes const", "38"),
        ("JSON_CONTAINS(doc->'$.codes', '[76, 77]')", "range codes NULL", "38"),
        ("JSON_CONTAINS(doc->'$.codes', '[76, 78]')", "range codes NULL", ""),
        ("JSON_OVERLAPS(doc->'$.codes', '[76, 77, 78, -1]')", "range codes NULL", "38\n39"),
        ("JSON_OVERLAPS('[800, 76, 77]', doc->'$.codes')", "range codes NULL", "38\n400"),
        ("JSON_OVERLAPS(doc->'$.codes', '[]')", "range codes NULL", ""),
    ] {
        for _ in 0..3 {
            let query = format!("SELECT id FROM p WHERE {condition} ORDER BY id");
            assert_eq!(run(s, &query), ids, "{condition}");
        }
        assert_eq!(way(s, &format!("SELECT id FROM p WHERE {condition}")), key, "{condition}");
    }
    // Without what stands before the array, and of a value of another type, there is no look-up.
    for condition in [
        "49 MEMBER OF (doc->'$.zips')",
        "'77' MEMBER OF (doc->'$.codes')",
        "id MEMBER OF (doc->'$.codes')",
    ] {
        assert_eq!(way(s, &format!("SELECT id FROM p WHERE {condition}")), "ALL NULL NULL");
    }
    let query = "SELECT id FROM p IGNORE INDEX (codes) WHERE 77 MEMBER OF (doc->'$.codes')";
    assert_eq!((run(s, query), way(s, query)), ("38".to_owned(), "ALL NULL NULL".to_owned()));
    // All rows have all of nothing.
    assert_eq!(run(s, "SELECT COUNT(*) FROM p WHERE JSON_CONTAINS(doc->'$.codes', '[]')"), "500");
    assert_eq!(
        way(s, "UPDATE p SET shop = 1 WHERE 77 MEMBER OF (doc->'$.codes')"),
        "ref codes const"
    );
    assert_eq!(way(s, "DELETE FROM p WHERE 77 MEMBER OF (doc->'$.codes')"), "ref codes const");
}

#[test]
fn longer_queries_and_joins_look_elements_up() {
    let s = &mut session(&server());
    fill(s);
    run(s, "CREATE TABLE o (id INT PRIMARY KEY, v INT)");
    run(s, "INSERT INTO o VALUES (38, 1), (39, 2)");
    for (query, rows) in [
        (
            "SELECT o.v, p.id FROM o JOIN p ON p.id = o.id AND 77 MEMBER OF (p.doc->'$.codes')",
            "1\t38",
        ),
        (
            "SELECT COUNT(*), MAX(id) FROM p WHERE JSON_OVERLAPS(doc->'$.codes', '[76, 77, 78]')",
            "2\t39",
        ),
        ("SELECT v FROM o WHERE id IN (SELECT id FROM p WHERE 77 MEMBER OF (doc->'$.codes'))", "1"),
        ("SELECT d.id FROM (SELECT id FROM p WHERE 77 MEMBER OF (doc->'$.codes')) d", "38"),
        (
            "SELECT o.id FROM o LEFT JOIN p ON 77 MEMBER OF (p.doc->'$.codes') AND p.id = o.id \
          WHERE p.id IS NULL",
            "39",
        ),
        (
            "SELECT id FROM p WHERE 77 MEMBER OF (doc->'$.codes') UNION ALL \
          SELECT id FROM p WHERE 79 MEMBER OF (doc->'$.codes')",
            "38\n39",
        ),
    ] {
        assert_eq!(run(s, query), rows, "{query}");
    }
    let shown = run(
        s,
        "EXPLAIN FORMAT=TREE SELECT o.v FROM p JOIN o ON o.v > 0 \
                        WHERE 77 MEMBER OF (p.doc->'$.codes')",
    );
    assert!(shown.contains("codes"), "{shown}");
}

#[test]
fn writes_keep_the_entries() {
    let s = &mut session(&server());
    fill(s);
    let by = |s: &mut Session, code: i64| {
        let query = format!("SELECT id FROM p WHERE {code} MEMBER OF (doc->'$.codes')");
        assert_eq!(way(s, &query), "ref codes const");
        run(s, &query)
    };
    run(s, "UPDATE p SET doc = '{\"codes\": [-1, 8, -1]}' WHERE id = 4");
    assert_eq!((by(s, -1), by(s, 8), by(s, 9)), ("4".into(), "4".into(), String::new()));
    run(s, "UPDATE p SET id = 1004 WHERE id = 4");
    assert_eq!(by(s, 8), "1004");
    let error_of =
        |s: &mut Session, statement: &str| answer(s, statement).expect_err(statement).to_string();
    let taken = error_of(s, "INSERT INTO p VALUES (900, 1, '{\"codes\": [5000, 20, 8]}')");
    assert!(taken.contains("1062") && taken.contains("'[8, 20, ' for key 'p.codes'"), "{taken}");
    assert_eq!(
        run(s, "INSERT IGNORE INTO p VALUES (900, 1, '{\"codes\": [8]}')"),
        "ok 0 warnings 1"
    );
    run(s, "INSERT INTO p VALUES (900, 1, '{\"codes\": 8}') ON DUPLICATE KEY UPDATE shop = 99");
    assert_eq!(run(s, "SELECT id FROM p WHERE shop = 99"), "1004");
    run(s, "REPLACE INTO p VALUES (901, 1, '{\"codes\": [8, 20]}')");
    assert_eq!((by(s, 8), by(s, 20), by(s, -1)), ("901".into(), "901".into(), String::new()));
    assert_eq!(run(s, "SELECT COUNT(*) FROM p"), "499");
    run(s, "DELETE FROM p WHERE JSON_OVERLAPS(doc->'$.codes', '[8, 20, 22]')");
    assert_eq!(run(s, "SELECT COUNT(*) FROM p"), "497");
    run(s, "START TRANSACTION");
    run(s, "INSERT INTO p VALUES (950, 1, '{\"codes\": [8]}')");
    assert_eq!(by(s, 8), "950");
    run(s, "ROLLBACK");
    assert_eq!(by(s, 8), "");
    // A scalar is an array of it; neither NULL nor an empty array has entries.
    run(
        s,
        "INSERT INTO p VALUES (951, 1, '{\"codes\": 8}'), (952, 1, NULL), (953, 1, '{\"codes\": []}')",
    );
    assert_eq!(by(s, 8), "951");
    assert_eq!(run(s, "SELECT * FROM p WHERE id = 951"), "951\t1\t{\"codes\": 8}");
    assert_eq!(run(s, "CHECK TABLE p").split('\t').next_back(), Some("OK"));
}

#[test]
fn the_index_is_shown_and_altered_as_others_are() {
    let s = &mut session(&server());
    fill(s);
    let shown = run(s, "SHOW CREATE TABLE p");
    for line in [
        "UNIQUE KEY `codes` ((cast(json_extract(`doc`,_utf8mb4'$.codes') as signed array))),\n  KEY `tags`",
        "KEY `tags` ((cast(json_extract(`doc`,_utf8mb4'$.tags') as char(20) array)))",
        "KEY `zips` (`shop`,(cast(json_extract(`doc`,_utf8mb4'$.zips') as unsigned array)),`id`)",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let listed = run(
        s,
        "SELECT index_name, seq_in_index, non_unique, column_name, nullable, expression \
         FROM information_schema.statistics WHERE table_name = 'p' AND index_name = 'zips'",
    );
    let array = "cast(json_extract(`doc`,_utf8mb4\\'$.zips\\') as unsigned array)";
    assert_eq!(
        listed,
        format!(
            "zips\t1\t1\tshop\tYES\tNULL\nzips\t2\t1\tNULL\tYES\t{array}\nzips\t3\t1\tid\t\tNULL"
        )
    );
    assert_eq!(error(s, "ALTER TABLE p DROP COLUMN doc"), 3837);
    assert_eq!(error(s, "ALTER TABLE p RENAME COLUMN doc TO d"), 3837);
    run(s, "ALTER TABLE p ADD COLUMN more INT FIRST, RENAME INDEX codes TO numbers");
    let query = "SELECT id FROM p WHERE 77 MEMBER OF (doc->'$.codes')";
    assert_eq!((run(s, query), way(s, query)), ("38".into(), "ref numbers const".into()));
    run(s, "ALTER TABLE p ALTER INDEX numbers INVISIBLE");
    assert_eq!((run(s, query), way(s, query)), ("38".into(), "ALL NULL NULL".into()));
    run(s, "ALTER TABLE p ALTER INDEX numbers VISIBLE, DROP COLUMN shop");
    assert_eq!((run(s, query), way(s, query)), ("38".into(), "ref numbers const".into()));
    let by_zip = "SELECT COUNT(*) FROM p WHERE 3 MEMBER OF (doc->'$.zips')";
    assert_eq!((run(s, by_zip), way(s, by_zip)), ("14".into(), "ref zips const".into()));
    run(s, "CREATE TABLE q LIKE p");
    run(s, "INSERT INTO q SELECT * FROM p");
    let copied = run(s, "SHOW CREATE TABLE q").replace("`q`", "`p`");
    assert_eq!(
        copied.split_once('\t').map(|of| of.1.to_owned()),
        run(s, "SHOW CREATE TABLE p").split_once('\t').map(|of| of.1.to_owned())
    );
    assert_eq!(run(s, "SELECT id FROM q WHERE 77 MEMBER OF (doc->'$.codes')"), "38");
    run(s, "DROP INDEX numbers ON p");
    assert_eq!((run(s, query), way(s, query)), ("38".into(), "ALL NULL NULL".into()));
    run(s, "CREATE UNIQUE INDEX numbers ON p ((CAST(doc->'$.codes' AS SIGNED ARRAY)))");
    assert_eq!((run(s, query), way(s, query)), ("38".into(), "ref numbers const".into()));
    assert_eq!(
        error(s, "ALTER TABLE p ADD UNIQUE KEY ((CAST(doc->'$.tags' AS CHAR(9) ARRAY)))"),
        1062
    );
    assert_eq!(run(s, "CHECK TABLE p, q").matches("OK").count(), 2);
    // Rows of a temporary table, and of one with partitions.
    run(s, "CREATE TEMPORARY TABLE y (id INT, j JSON, KEY ((CAST(j AS DATE ARRAY))))");
    run(s, "INSERT INTO y VALUES (1, '[\"2020-01-02\", \"2021-01-02\"]'), (2, '\"2022-01-02\"')");
    let query = "SELECT id FROM y WHERE DATE'2021-01-02' MEMBER OF (j)";
    assert_eq!((run(s, query), way(s, query)), ("1".into(), "ref functional_index const".into()));
    run(
        s,
        "CREATE TABLE z (id INT PRIMARY KEY, j JSON, KEY e ((CAST(j AS UNSIGNED ARRAY))), \
         UNIQUE KEY u (id, (CAST(j AS UNSIGNED ARRAY)))) PARTITION BY HASH (id) PARTITIONS 4",
    );
    run(s, "INSERT INTO z VALUES (1, '[1, 2]'), (2, '[2, 3]'), (3, '[3]'), (4, '[9]')");
    let query = "SELECT id FROM z FORCE INDEX (e) WHERE JSON_OVERLAPS(j, '[2, 3]')";
    assert_eq!((run(s, query), way(s, query)), ("1\n2\n3".into(), "range e NULL".into()));
    let query = "SELECT id FROM z WHERE 3 MEMBER OF (j) AND id > 2";
    assert_eq!(run(s, query), "3");
    run(s, "ALTER TABLE z COALESCE PARTITION 3");
    assert_eq!(run(s, "SELECT COUNT(*) FROM z WHERE 2 MEMBER OF (j)"), "2");
    assert_eq!(run(s, "CHECK TABLE z").split('\t').next_back(), Some("OK"));
}

#[test]
fn what_is_no_element_is_refused() {
    let s = &mut session(&server());
    for (columns, number) in [
        ("j JSON, KEY ((CAST(j AS UNSIGNED ARRAY)), (CAST(j->'$.a' AS UNSIGNED ARRAY)))", 1235),
        ("j JSON, KEY ((CAST(j AS CHAR ARRAY)))", 1235),
        ("j JSON, KEY ((CAST(j AS CHAR(513) ARRAY)))", 1235),
        ("j JSON, KEY ((CAST(j AS FLOAT ARRAY)))", 1235),
        ("j JSON, KEY ((CAST(j AS DOUBLE ARRAY)))", 1235),
        ("j JSON, KEY ((CAST(j AS JSON ARRAY)))", 1235),
        ("j JSON, KEY ((1 + CAST(j AS UNSIGNED ARRAY)))", 1235),
        ("j JSON, PRIMARY KEY ((CAST(j AS UNSIGNED ARRAY)))", 3756),
        ("j JSON, KEY ((CAST(j AS UNSIGNED ARRAY)) DESC)", 1221),
        ("j JSON, FULLTEXT KEY ((CAST(j AS UNSIGNED ARRAY)))", 3759),
        ("j JSON, x INT AS (CAST(j AS UNSIGNED ARRAY))", 1235),
    ] {
        assert_eq!(error(s, &format!("CREATE TABLE t (id INT, {columns})")), number, "{columns}");
    }
    let columnar =
        "CREATE TABLE t (id INT, j JSON, KEY ((CAST(j AS UNSIGNED ARRAY)))) ENGINE=COLUMNAR";
    assert_eq!(error(s, columnar), 1235);
    assert_eq!(error(s, "SELECT CAST('[1]' AS UNSIGNED ARRAY)"), 1235);
    for (ty, document, number) in [
        ("UNSIGNED", "[-1]", 3752),
        ("UNSIGNED", "[null]", 3903),
        ("UNSIGNED", "null", 3903),
        ("UNSIGNED", "[\"x\"]", 3903),
        ("UNSIGNED", "{\"a\": 1}", 1235),
        ("UNSIGNED", "[[1]]", 3908),
        ("UNSIGNED", "[1e30]", 3904),
        ("DECIMAL(5,1)", "[99999]", 3752),
        ("CHAR(3)", "[\"abcd\"]", 3907),
        ("DATE", "[\"2020-13-01\"]", 3751),
        ("TIME", "[\"900:00:00\"]", 3751),
    ] {
        run(s, "DROP TABLE IF EXISTS t");
        run(
            s,
            &format!(
                "CREATE TABLE t (id INT PRIMARY KEY, j JSON, KEY x ((CAST(j AS {ty} ARRAY))))"
            ),
        );
        let insert = format!("INSERT INTO t VALUES (1, '{document}')");
        assert_eq!(error(s, &insert), number, "{ty} {document}");
        // Nor is it there once such an index is made.
        run(s, "ALTER TABLE t DROP INDEX x");
        run(s, &insert);
        let add = format!("ALTER TABLE t ADD KEY x ((CAST(j AS {ty} ARRAY)))");
        assert_eq!(error(s, &add), number, "{ty} {document}");
    }
    let many: Vec<String> = (0..70_000).map(|number: u32| number.to_string()).collect();
    run(s, "DROP TABLE t");
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON, KEY x ((CAST(j AS UNSIGNED ARRAY))))");
    assert_eq!(error(s, &format!("INSERT INTO t VALUES (1, '[{}]')", many.join(","))), 3905);
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn array(&mut self, element: &dyn Fn(u64) -> String) -> String {
        let items: Vec<String> = (0..self.roll(5)).map(|_| element(self.roll(12))).collect();
        match self.roll(9) {
            0 => "null".to_owned(),
            1 if !items.is_empty() => items[0].clone(),
            _ => format!("[{}]", items.join(",")),
        }
    }
}

/// Random arrays are written in random ways, to a table with indexes and to one without; after each
/// round all searches have the same answers in both.
#[test]
fn answers_with_the_index_are_those_without() {
    let s = &mut session(&server());
    let kinds: [(&str, &dyn Fn(u64) -> String, &dyn Fn(u64) -> String); 5] = [
        ("UNSIGNED", &|n| n.to_string(), &|n| n.to_string()),
        ("SIGNED", &|n| format!("{}", n as i64 - 6), &|n| format!("{}", n as i64 - 6)),
        ("CHAR(4)", &|n| format!("\"k{n}\""), &|n| format!("'k{n}'")),
        ("DECIMAL(6,2)", &|n| format!("{n}.25"), &|n| format!("{n}.25")),
        ("DATE", &|n| format!("\"2020-01-{:02}\"", n + 1), &|n| format!("'2020-01-{:02}'", n + 1)),
    ];
    for (seed, (ty, element, literal)) in kinds.into_iter().enumerate() {
        let mut dice = Dice(seed as u64 + 7);
        run(s, "DROP TABLE IF EXISTS a, b");
        run(
            s,
            &format!(
                "CREATE TABLE a (id INT PRIMARY KEY, g INT, d JSON, \
                 KEY x ((CAST(d->'$.v' AS {ty} ARRAY))), \
                 KEY y (g, (CAST(d->'$.v' AS {ty} ARRAY))))"
            ),
        );
        run(s, "CREATE TABLE b (id INT PRIMARY KEY, g INT, d JSON)");
        for round in 0..30 {
            for _ in 0..12 {
                let (id, g) = (dice.roll(60), dice.roll(3));
                let array = match dice.array(element) {
                    null if null == "null" => "{}".to_owned(),
                    array => format!("{{\"v\": {array}}}"),
                };
                let sought = literal(dice.roll(12));
                let statement = match dice.roll(7) {
                    0 => {
                        format!("DELETE FROM THEM WHERE {sought} MEMBER OF (d->'$.v') AND g = {g}")
                    }
                    1 => {
                        format!("UPDATE THEM SET d = '{array}' WHERE {sought} MEMBER OF (d->'$.v')")
                    }
                    2 => {
                        format!("UPDATE THEM SET id = id + 1000 * {g} WHERE id = {id} AND {g} > 0")
                    }
                    3 => format!(
                        "UPDATE THEM SET g = {g}, d = JSON_SET(d, '$.w', 1) WHERE id < {id}"
                    ),
                    _ => format!("REPLACE INTO THEM VALUES ({id}, {g}, '{array}')"),
                };
                let rolls_back = dice.roll(6) == 0;
                for table in ["a", "b"] {
                    if rolls_back {
                        run(s, "START TRANSACTION");
                    }
                    // A key that moves may be taken, in both alike.
                    let _ = answer(s, &statement.replace("THEM", table));
                    if rolls_back {
                        run(s, "ROLLBACK");
                    }
                }
            }
            let document = |dice: &mut Dice| {
                let items: Vec<String> =
                    (0..dice.roll(4)).map(|_| element(dice.roll(12))).collect();
                format!("'[{}]'", items.join(","))
            };
            let (one, few, all) =
                (literal(dice.roll(12)), document(&mut dice), document(&mut dice));
            for condition in [
                format!("{one} MEMBER OF (d->'$.v')"),
                format!("g = 1 AND {one} MEMBER OF (d->'$.v')"),
                format!("JSON_OVERLAPS(d->'$.v', {few})"),
                format!("g = 2 AND JSON_OVERLAPS({few}, d->'$.v')"),
                format!("NOT {one} MEMBER OF (d->'$.v')"),
                format!("{one} MEMBER OF (d->'$.v') OR id < 5"),
                format!(
                    "JSON_LENGTH(d->'$.v') > 0 AND JSON_CONTAINS(d->'$.v', {all}) \
                         AND JSON_TYPE(d->'$.v') = 'ARRAY'"
                ),
            ] {
                let of = |s: &mut Session, table: &str| {
                    run(s, &format!("SELECT id, g FROM {table} WHERE {condition} ORDER BY id"))
                };
                assert_eq!(of(s, "a"), of(s, "b"), "{ty}, round {round}: {condition}");
            }
        }
        let ids: BTreeSet<String> = run(s, "SELECT id FROM a").lines().map(str::to_owned).collect();
        assert!(ids.len() > 10, "{ty}: {} rows", ids.len());
        assert_eq!(run(s, "CHECK TABLE a").split('\t').next_back(), Some("OK"));
    }
}
