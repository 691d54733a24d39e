//! Tables with partitions: each beside a twin without any, under the same random statements.

use rows::partition::PartitionMethod;
use sql::Session;
use values::ErrorCode;

use crate::harness::{answer, error, run, server, session};

/// Numbers that look random: xorshift64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }

    /// A value of a column, as a literal.
    fn value(&mut self, column: &str) -> String {
        match column {
            "id" => self.below(60).to_string(),
            "k" if self.below(8) == 0 => "NULL".to_owned(),
            "k" => self.below(10).to_string(),
            "d" if self.below(9) == 0 => "NULL".to_owned(),
            "d" => format!(
                "'20{:02}-{:02}-{:02}'",
                18 + self.below(5),
                1 + self.below(12),
                1 + self.below(28)
            ),
            "s" => format!("'{}'", self.one(&["a", "b", "B", "c", "d", "e", "zz"])),
            _ => self.below(1000).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let column = self.one(&["id", "k", "d", "s", "v", "id", "d"]);
        let value = self.value(column);
        match self.below(9) {
            0 | 1 => format!("{column} = {value}"),
            2 => format!("{column} IN ({value}, {})", self.value(column)),
            3 => format!("{column} < {value}"),
            4 => format!("{column} >= {value}"),
            5 => format!("{column} BETWEEN {value} AND {}", self.value(column)),
            6 => format!("{column} > {value} AND {}", self.condition()),
            7 => format!("({column} <= {value} OR {})", self.condition()),
            _ => format!("{column} IS NULL"),
        }
    }
}

/// Columns that a primary key names are NOT NULL in both.
struct Scheme {
    keys: &'static str,
    partitions: &'static str,
    /// Statements about partitions, and what they come to in the twin.
    changes: &'static [(&'static str, &'static str)],
}

const SCHEMES: &[Scheme] = &[
    Scheme {
        keys: "PRIMARY KEY (id), KEY k (k), UNIQUE KEY u (id, k)",
        partitions: "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), \
                     PARTITION p1 VALUES LESS THAN (30), PARTITION p2 VALUES LESS THAN MAXVALUE)",
        changes: &[
            ("TRUNCATE PARTITION p1", "id >= 10 AND id < 30"),
            (
                "REORGANIZE PARTITION p2 INTO (PARTITION p2 VALUES LESS THAN (45), \
                 PARTITION p3 VALUES LESS THAN MAXVALUE)",
                "FALSE",
            ),
            ("DROP PARTITION p3", "id >= 45"),
            ("ADD PARTITION (PARTITION p4 VALUES LESS THAN (50))", "FALSE"),
            ("ADD PARTITION (PARTITION p5 VALUES LESS THAN MAXVALUE)", "FALSE"),
            ("DROP PARTITION p0", "id < 10"),
            ("ADD KEY s (s)", ""),
            ("REBUILD PARTITION ALL", "FALSE"),
        ],
    },
    Scheme {
        keys: "KEY k (k), KEY d (d, k)",
        partitions: "PARTITION BY RANGE (TO_DAYS(d)) (\
                     PARTITION p0 VALUES LESS THAN (TO_DAYS('2019-01-01')), \
                     PARTITION p1 VALUES LESS THAN (TO_DAYS('2020-07-01')), \
                     PARTITION p2 VALUES LESS THAN MAXVALUE)",
        changes: &[
            ("TRUNCATE PARTITION p0, p2", "d IS NULL OR d < '2019-01-01' OR d >= '2020-07-01'"),
            ("DROP PARTITION p1", "d >= '2019-01-01' AND d < '2020-07-01'"),
            ("REMOVE PARTITIONING", "FALSE"),
            ("PARTITION BY HASH (YEAR(d)) PARTITIONS 3", "FALSE"),
        ],
    },
    Scheme {
        keys: "PRIMARY KEY (d, k, id), KEY s (s)",
        partitions: "PARTITION BY RANGE COLUMNS (d, k) (\
                     PARTITION p0 VALUES LESS THAN ('2019-06-15', 5), \
                     PARTITION p1 VALUES LESS THAN ('2021-01-01', MAXVALUE), \
                     PARTITION p2 VALUES LESS THAN (MAXVALUE, MAXVALUE))",
        changes: &[
            ("DROP PARTITION p0", "d < '2019-06-15' OR d = '2019-06-15' AND k < 5"),
            ("ADD UNIQUE KEY u (k, d, id)", ""),
        ],
    },
    Scheme {
        keys: "KEY id (id)",
        partitions: "PARTITION BY LIST (k) (PARTITION p0 VALUES IN (NULL, 0, 5), \
                     PARTITION p1 VALUES IN (1, 2, 3, 4), PARTITION p2 VALUES IN (6, 7, 8, 9))",
        changes: &[
            ("TRUNCATE PARTITION p0", "k IS NULL OR k IN (0, 5)"),
            (
                "REORGANIZE PARTITION p1, p2 INTO (PARTITION p1 VALUES IN (9, 1), \
                 PARTITION p3 VALUES IN (2, 3, 4, 6, 7, 8))",
                "FALSE",
            ),
        ],
    },
    Scheme {
        keys: "PRIMARY KEY (s, id)",
        partitions: "PARTITION BY LIST COLUMNS (s) (PARTITION p0 VALUES IN ('a', 'c'), \
                     PARTITION p1 VALUES IN ('b', 'zz'), PARTITION p2 VALUES IN ('d', 'e'))",
        changes: &[("TRUNCATE PARTITION p1", "s IN ('b', 'zz')")],
    },
    Scheme {
        keys: "PRIMARY KEY (id), KEY k (k, v)",
        partitions: "PARTITION BY HASH (id) PARTITIONS 5",
        changes: &[
            ("COALESCE PARTITION 2", "FALSE"),
            ("ADD PARTITION PARTITIONS 4", "FALSE"),
            ("PARTITION BY LINEAR KEY () PARTITIONS 3", "FALSE"),
        ],
    },
    Scheme {
        keys: "PRIMARY KEY (id), KEY d (d)",
        partitions: "PARTITION BY LINEAR HASH (id) PARTITIONS 6",
        changes: &[("TRUNCATE PARTITION ALL", "TRUE")],
    },
    Scheme {
        keys: "KEY s (s, k)",
        partitions: "PARTITION BY KEY (s, k) PARTITIONS 4",
        changes: &[("DROP KEY s", "")],
    },
];

fn both(session: &mut Session, statement: &str) -> String {
    let of_table = answer(session, &statement.replace("{}", "p"));
    let of_twin = answer(session, &statement.replace("{}", "w"));
    match (of_table, of_twin) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one, other, "{statement}");
            one
        }
        (Err(one), Err(other)) => {
            assert_eq!(one.code(), other.code(), "{statement}: {one}, {other}");
            String::new()
        }
        (Err(one), Ok(_)) => panic!("{statement}: {one}"),
        (Ok(one), Err(other)) => panic!("{statement}: {one}, not {other}"),
    }
}

/// Every row is in the partition that its values say, and nothing else is stored.
fn check(session: &mut Session, sql: &sql::Sql) {
    assert_eq!(sql.engine().check(&mut |_| {}).unwrap().damaged, 0);
    let table = sql.engine().catalog().table("test", "p").unwrap();
    let all: u64 = run(session, "SELECT COUNT(*) FROM p").parse().unwrap();
    let Some(partitioning) = &table.partitioning else { return };
    let mut sum = 0;
    for partition in &partitioning.partitions {
        let counted = format!("SELECT COUNT(v + 0) FROM p PARTITION ({})", partition.name);
        sum += run(session, &counted).parse::<u64>().unwrap();
    }
    assert_eq!(sum, all, "{:?}", partitioning.method);
    // Each is found where its own values lead.
    let keys = run(session, "SELECT id, k, d, s FROM p ORDER BY id, k, d, s");
    for line in keys.lines().step_by(7) {
        let cells: Vec<&str> = line.split('\t').collect();
        let term = |(name, cell): (&str, &&str)| match *cell {
            "NULL" => format!("{name} IS NULL"),
            cell => format!("{name} = '{cell}'"),
        };
        let terms: Vec<String> = ["id", "k", "d", "s"].into_iter().zip(&cells).map(term).collect();
        let found = run(session, &format!("SELECT COUNT(*) FROM p WHERE {}", terms.join(" AND ")));
        assert_ne!(found, "0", "{terms:?}, {:?}", partitioning.method);
    }
}

#[test]
fn a_table_with_partitions_answers_as_one_without() {
    for (number, scheme) in SCHEMES.iter().enumerate() {
        for seed in 1..=3 {
            let sql = server();
            let s = &mut session(&sql);
            let draw = &mut Draw(0x9e37_79b9_7f4a_7c15 ^ ((seed << 20) | (number as u64 + 1)));
            let columns = "id INT NOT NULL, k INT, d DATE, s VARCHAR(10), v INT";
            let keys = scheme.keys;
            run(s, &format!("CREATE TABLE p ({columns}, {keys}) {}", scheme.partitions));
            run(s, &format!("CREATE TABLE w ({columns}, {keys})"));
            let mut changes = scheme.changes.iter();
            for round in 0..120 {
                let insert = draw.one(&["INSERT", "REPLACE", "INSERT"]);
                let rows: Vec<String> = (0..1 + draw.below(6))
                    .map(|_| {
                        let row = ["id", "k", "d", "s", "v"].map(|column| draw.value(column));
                        format!("({})", row.join(", "))
                    })
                    .collect();
                // Where some rows have no partition the two would part.
                let rows = rows.join(", ");
                let insert = format!("{insert} INTO {{}} VALUES {rows}");
                if answer(s, &insert.replace("{}", "p")).is_ok() {
                    run(s, &insert.replace("{}", "w"));
                }
                if sql.engine().catalog().table("test", "p").is_ok() {
                    let left = "SELECT COUNT(*), SUM(v), SUM(id) FROM {}";
                    both(s, left);
                }
                match draw.below(5) {
                    0 => {
                        let column = draw.one(&["v", "k", "s"]);
                        let (value, condition) = (draw.value(column), draw.condition());
                        let update =
                            format!("UPDATE {{}} SET {column} = {value} WHERE {condition}");
                        if answer(s, &update.replace("{}", "p")).is_ok() {
                            run(s, &update.replace("{}", "w"));
                        }
                    }
                    1 => {
                        both(s, &format!("DELETE FROM {{}} WHERE {}", draw.condition()));
                    }
                    _ => {}
                }
                let condition = draw.condition();
                both(s, &format!("SELECT * FROM {{}} WHERE {condition} ORDER BY id, k, d, s, v"));
                both(
                    s,
                    &format!(
                        "SELECT id, k, d FROM {{}} WHERE {condition} ORDER BY {}, id, k, d LIMIT {}",
                        draw.one(&["id DESC, k", "k", "d DESC", "s", "id"]),
                        1 + draw.below(9)
                    ),
                );
                both(
                    s,
                    &format!(
                        "SELECT k, COUNT(*), MIN(d), MAX(id) FROM {{}} WHERE {condition} \
                         GROUP BY k ORDER BY k"
                    ),
                );
                both(s, "SELECT MIN(id), MAX(id), MIN(k), MAX(d), COUNT(DISTINCT s) FROM {}");
                both(s, "SELECT DISTINCT k FROM {} ORDER BY k");
                both(
                    s,
                    &format!(
                        "SELECT COUNT(*), SUM(b.v) FROM {{}} a JOIN {{}} b ON b.id = a.k WHERE a.{}",
                        "v < 500"
                    ),
                );
                if round % 12 == 11 {
                    check(s, &sql);
                    if let Some((change, gone)) = changes.next() {
                        run(s, &format!("ALTER TABLE p {change}"));
                        match *gone {
                            "" => run(s, &format!("ALTER TABLE w {change}")),
                            gone => run(s, &format!("DELETE FROM w WHERE {gone}")),
                        };
                        both(s, "SELECT * FROM {} ORDER BY id, k, d, s, v");
                        check(s, &sql);
                    }
                }
            }
            assert!(number != 0 || changes.next().is_none(), "all changes were made");
        }
    }
}

#[test]
fn conditions_leave_the_partitions_that_can_have_rows() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE r (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (\
         PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), \
         PARTITION p2 VALUES LESS THAN MAXVALUE)",
    );
    run(
        s,
        "CREATE TABLE t (d DATE, k INT, KEY k (k)) PARTITION BY RANGE (TO_DAYS(d)) (\
         PARTITION a VALUES LESS THAN (TO_DAYS('2020-01-01')), \
         PARTITION b VALUES LESS THAN (TO_DAYS('2021-01-01')), \
         PARTITION c VALUES LESS THAN MAXVALUE)",
    );
    run(s, "CREATE TABLE h (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4");
    run(s, "INSERT INTO r VALUES (5, 1), (15, 2), (25, 3)");
    run(s, "INSERT INTO h VALUES (1), (2), (3), (4), (5)");
    run(s, "INSERT INTO t VALUES ('2019-05-05', 1), ('2020-05-05', 2), ('2022-05-05', 3)");
    for (query, partitions) in [
        ("SELECT * FROM r", "p0,p1,p2"),
        ("SELECT * FROM r WHERE id = 5", "p0"),
        ("SELECT * FROM r WHERE id < 10", "p0"),
        ("SELECT * FROM r WHERE id <= 10", "p0,p1"),
        ("SELECT * FROM r WHERE id BETWEEN 5 AND 15", "p0,p1"),
        ("SELECT * FROM r WHERE id IN (3, 30)", "p0,p2"),
        ("SELECT * FROM r WHERE id = 5 OR id = 25", "p0,p2"),
        ("SELECT * FROM r WHERE id > 19", "p2"),
        ("SELECT * FROM r PARTITION (p1)", "p1"),
        ("SELECT * FROM r PARTITION (p1, p2) WHERE id < 30 AND v = 3", "p1,p2"),
        ("SELECT * FROM t WHERE d < '2020-01-01'", "a"),
        ("SELECT * FROM t WHERE d = '2020-03-01'", "b"),
        ("SELECT * FROM t WHERE d BETWEEN '2020-03-01' AND '2020-03-31'", "b"),
        ("SELECT * FROM t WHERE k = 1", "a,b,c"),
        ("SELECT * FROM t WHERE d IS NULL", "a"),
        ("SELECT * FROM h WHERE id = 6", "p2"),
        ("SELECT * FROM h WHERE id IN (1, 5)", "p1"),
        ("SELECT * FROM h WHERE id BETWEEN 2 AND 3", "p2,p3"),
        ("UPDATE r SET v = 1 WHERE id > 15", "p1,p2"),
        ("DELETE FROM r WHERE id = 5", "p0"),
    ] {
        let line = run(s, &format!("EXPLAIN {query}"));
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells[3], partitions, "{query}");
    }
}

#[test]
fn a_row_that_has_another_unique_key_is_found_in_its_partition() {
    let sql = server();
    let s = &mut session(&sql);
    for primary in ["", "PRIMARY KEY (a, id), "] {
        let columns = "a INT NOT NULL, id INT NOT NULL, v INT, j JSON";
        run(
            s,
            &format!(
                "CREATE OR REPLACE TABLE t ({columns}, {primary}UNIQUE KEY u (a, v), \
                 UNIQUE KEY m (a, (CAST(j AS UNSIGNED ARRAY)))) PARTITION BY HASH (a) PARTITIONS 3"
            ),
        );
        run(s, "INSERT INTO t VALUES (1, 1, 1, '[1, 2]'), (2, 1, 1, '[1]')");
        for duplicate in ["(1, 2, 1, '[9]')", "(1, 2, 5, '[7, 2]')"] {
            assert_eq!(error(s, &format!("INSERT INTO t VALUES {duplicate}")), 1062, "{primary}");
            let change = "ON DUPLICATE KEY UPDATE id = id + 10";
            run(s, &format!("INSERT INTO t VALUES {duplicate} {change}"));
        }
        assert_eq!(run(s, "SELECT a, id FROM t ORDER BY a"), "1\t21\n2\t1", "{primary}");
        run(s, "REPLACE INTO t VALUES (1, 3, 1, '[8]')");
        run(s, "REPLACE INTO t VALUES (1, 4, 6, '[8, 9]')");
        assert_eq!(run(s, "SELECT a, id, v FROM t ORDER BY a"), "1\t4\t6\n2\t1\t1", "{primary}");
    }
}

#[test]
fn a_row_goes_to_its_partition_or_nowhere() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE r (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (\
         PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
    );
    run(s, "CREATE TABLE plain (id INT PRIMARY KEY, parent INT)");
    let none = ErrorCode::NoPartitionForValue.number();
    assert_eq!(error(s, "INSERT INTO r VALUES (1, 1), (20, 1)"), none);
    assert_eq!(run(s, "SELECT COUNT(*) FROM r"), "0");
    run(s, "INSERT IGNORE INTO r VALUES (1, 1), (20, 1)");
    assert_eq!(run(s, "SHOW WARNINGS"), "Warning\t1526\tTable has no partition for value 20");
    run(s, "UPDATE r SET id = 11");
    assert_eq!(run(s, "SELECT * FROM r PARTITION (p1)"), "11\t1");
    assert_eq!(run(s, "SELECT * FROM r PARTITION (p0)"), "");
    assert_eq!(error(s, "UPDATE r SET id = 99"), none);
    assert_eq!(error(s, "INSERT INTO r PARTITION (p0) VALUES (12, 1)"), 1748);
    assert_eq!(error(s, "INSERT INTO r PARTITION (p9) VALUES (12, 1)"), 1735);
    assert_eq!(error(s, "UPDATE r PARTITION (p1) SET id = 2"), 1748);
    run(s, "INSERT INTO r PARTITION (p0) VALUES (2, 5)");
    run(s, "DELETE FROM r PARTITION (p0)");
    assert_eq!(run(s, "SELECT id FROM r"), "11");
    assert_eq!(error(s, "SELECT * FROM plain PARTITION (p0)"), 1747);
    assert_eq!(error(s, "ALTER TABLE plain DROP PARTITION p0"), 1505);
    assert_eq!(error(s, "ALTER TABLE r DROP PARTITION p0, p1"), 1508);
    assert_eq!(error(s, "ALTER TABLE r DROP PARTITION p7"), 1507);
    assert_eq!(error(s, "ALTER TABLE r ADD PARTITION (PARTITION p2 VALUES LESS THAN (15))"), 1493);
    assert_eq!(error(s, "ALTER TABLE r ADD PARTITION (PARTITION p1 VALUES LESS THAN (35))"), 1517);
    assert_eq!(error(s, "ALTER TABLE r ADD UNIQUE KEY v (v)"), 1503);
    assert_eq!(error(s, "ALTER TABLE r DROP COLUMN id"), 3855);
    assert_eq!(error(s, "ALTER TABLE r CHANGE id other INT"), 3855);
    assert_eq!(error(s, "ALTER TABLE plain ADD FOREIGN KEY (parent) REFERENCES r (id)"), 1506);
    assert_eq!(error(s, "CREATE TEMPORARY TABLE x (a INT) PARTITION BY HASH (a)"), 1562);
    for (definition, code) in [
        ("a INT) PARTITION BY HASH (b)", 1054),
        ("a INT) PARTITION BY KEY (b)", 1488),
        ("a INT) PARTITION BY HASH (a / 2)", 1564),
        ("a VARCHAR(9)) PARTITION BY HASH (a)", 1659),
        ("a VARCHAR(9)) PARTITION BY HASH (CRC32(a))", 1564),
        ("a TIMESTAMP) PARTITION BY HASH (TO_DAYS(a))", 1486),
        ("a INT) PARTITION BY HASH (1)", 1486),
        ("a INT) PARTITION BY RANGE (a)", 1492),
        ("a INT) PARTITION BY RANGE (a) (PARTITION p VALUES IN (1))", 1480),
        ("a INT) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN ('x'))", 1697),
        ("a INT) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (NULL))", 1566),
        ("a INT) PARTITION BY RANGE COLUMNS (a) (PARTITION p VALUES LESS THAN ('x'))", 1654),
        ("a INT) PARTITION BY LIST (a) (PARTITION p VALUES IN (1, 1))", 1495),
        ("a INT) PARTITION BY HASH (a) PARTITIONS 0", 1504),
        ("a INT) PARTITION BY HASH (a) PARTITIONS 9000", 1499),
        ("a INT PRIMARY KEY, b INT) PARTITION BY HASH (b)", 1503),
        ("a INT, FOREIGN KEY (a) REFERENCES plain (id)) PARTITION BY HASH (a)", 1506),
    ] {
        assert_eq!(error(s, &format!("CREATE TABLE x ({definition}")), code, "{definition}");
    }
}

#[test]
fn what_is_shown_makes_the_same_table() {
    let sql = server();
    let s = &mut session(&sql);
    for (number, scheme) in SCHEMES.iter().enumerate() {
        let columns = "id INT NOT NULL, k INT, d DATE, s VARCHAR(10), v INT";
        let name = format!("t{number}");
        let text =
            format!("CREATE TABLE {name} ({columns}, {}) {}", scheme.keys, scheme.partitions);
        run(s, &text);
        let shown = |s: &mut Session| {
            let shown = run(s, &format!("SHOW CREATE TABLE {name}"));
            shown.split_once('\t').expect("a name and a text").1.to_owned()
        };
        let text = shown(s);
        run(s, &format!("DROP TABLE {name}"));
        run(s, &text);
        assert_eq!(shown(s), text);
        run(s, &format!("CREATE TABLE alike LIKE {name}"));
        run(s, "DROP TABLE alike");
    }
    let table = sql.engine().catalog().table("test", "t0").unwrap();
    assert_eq!(table.partitioning.as_ref().unwrap().method, PartitionMethod::Range);
    assert_eq!(
        run(
            s,
            "SELECT PARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION \
             FROM information_schema.PARTITIONS WHERE TABLE_NAME = 't1'"
        ),
        "p0\tRANGE\tto_days(`d`)\t737425\np1\tRANGE\tto_days(`d`)\t737972\n\
         p2\tRANGE\tto_days(`d`)\tMAXVALUE"
    );
}

#[test]
fn numbers_go_on_over_all_partitions() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE a (id INT AUTO_INCREMENT, k INT, PRIMARY KEY (id, k)) \
         PARTITION BY LIST (k) (PARTITION x VALUES IN (1), PARTITION y VALUES IN (2))",
    );
    run(s, "INSERT INTO a (k) VALUES (1), (2), (1)");
    run(s, "ALTER TABLE a TRUNCATE PARTITION x");
    run(s, "INSERT INTO a (k) VALUES (2), (1)");
    assert_eq!(run(s, "SELECT id, k FROM a ORDER BY id"), "2\t2\n4\t2\n5\t1");
}

#[test]
fn a_change_of_partitions_stands_alone() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE p (id INT) PARTITION BY RANGE (id) (\
         PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))",
    );
    for beside in [
        "ADD COLUMN v INT, DROP PARTITION a",
        "DROP PARTITION a, ADD COLUMN v INT",
        "TRUNCATE PARTITION a, TRUNCATE PARTITION b",
        "DROP PARTITION IF EXISTS a",
    ] {
        assert_eq!(error(s, &format!("ALTER TABLE p {beside}")), 1064, "{beside}");
    }
    run(s, "ALTER TABLE p ALGORITHM = INPLACE, DROP PARTITION a");
    run(s, "ALTER TABLE p ADD COLUMN v INT REMOVE PARTITIONING");
    run(s, "ALTER TABLE p COMMENT = 'c' PARTITION BY HASH (id) PARTITIONS 2");
}

#[test]
fn rows_of_several_partitions_are_in_no_order_of_an_index_over_them() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE p (id INT, v INT, t VARCHAR(9), KEY v (v, id), KEY t (t)) \
         PARTITION BY HASH (id) PARTITIONS 3",
    );
    run(
        s,
        "INSERT INTO p WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 60) \
         SELECT i, i % 7, i FROM n",
    );
    for query in [
        "SELECT v FROM p ORDER BY v",
        "SELECT v, id FROM p WHERE v > 2 ORDER BY v, id",
        "SELECT v, COUNT(*) FROM p GROUP BY v ORDER BY v",
        "SELECT DISTINCT v FROM p FORCE INDEX (v) ORDER BY v",
        "SELECT id FROM p WHERE v = 3 ORDER BY id",
        "SELECT v FROM p PARTITION (p1) ORDER BY v",
        // A number is looked up in no index of texts.
        "SELECT COUNT(*) FROM p PARTITION (p1) WHERE t = 7",
        "SELECT COUNT(*) FROM p PARTITION (p1, p2) WHERE t > 7",
    ] {
        run(s, "SET rowhouse_executor = 'rows'");
        let by_rows = run(s, query);
        run(s, "SET rowhouse_executor = 'columns'");
        assert_eq!(run(s, query), by_rows, "{query}");
    }
}

#[test]
fn an_exchange_keeps_rows_of_one_key_and_numbers_rows_without_one() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "SET cte_max_recursion_depth = 10000");
    for keys in ["PRIMARY KEY (id), UNIQUE KEY u (v, id)", "KEY v (v)"] {
        let columns = format!("id INT NOT NULL, v INT, {keys}");
        run(
            s,
            &format!(
                "CREATE TABLE p ({columns}) PARTITION BY RANGE (id) (\
                 PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20000))"
            ),
        );
        run(s, &format!("CREATE TABLE x ({columns})"));
        let many = "WITH RECURSIVE n AS (SELECT 10 AS i UNION ALL SELECT i + 1 FROM n \
                    WHERE i < 5000)";
        run(s, "INSERT INTO p VALUES (1, 1), (2, 2)");
        run(s, &format!("INSERT INTO p {many} SELECT i, 1 FROM n"));
        run(s, &format!("INSERT INTO x {many} SELECT i, 2 FROM n WHERE i % 2"));
        run(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE x");
        let sums = "SELECT COUNT(*), SUM(v), MIN(id) FROM";
        assert_eq!(run(s, &format!("{sums} p")), "2497\t4993\t1");
        assert_eq!(run(s, &format!("{sums} p PARTITION (p1)")), "2495\t4990\t11");
        assert_eq!(run(s, &format!("{sums} x")), "4991\t4991\t10");
        run(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE x");
        assert_eq!(run(s, &format!("{sums} p")), "4993\t4994\t1");
        assert_eq!(run(s, &format!("{sums} x")), "2495\t4990\t11");
        assert_eq!(sql.engine().check(&mut |_| {}).unwrap().damaged, 0);
        // Rows without a key have one number each in the whole table.
        run(s, "ALTER TABLE p REMOVE PARTITIONING");
        assert_eq!(run(s, &format!("{sums} p")), "4993\t4994\t1");
        assert_eq!(run(s, "SELECT COUNT(*) FROM p WHERE v = 1"), "4992");
        run(s, "DROP TABLE p, x");
    }
}

#[test]
fn a_partition_and_a_table_change_their_rows() {
    let sql = server();
    let s = &mut session(&sql);
    for keys in ["PRIMARY KEY (id), KEY v (v)", "KEY v (v)"] {
        let columns = format!("id INT NOT NULL AUTO_INCREMENT, v INT, KEY id (id), {keys}");
        run(
            s,
            &format!(
                "CREATE TABLE p ({columns}) PARTITION BY RANGE (id) (\
                 PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
            ),
        );
        run(s, &format!("CREATE TABLE x ({columns})"));
        run(s, "CREATE TABLE other (id INT PRIMARY KEY)");
        run(s, "CREATE TABLE divided LIKE p");
        run(s, "INSERT INTO p VALUES (1, 1), (2, 2), (11, 3)");
        run(s, "INSERT INTO x VALUES (12, 4), (13, 5)");
        // Counted before, and counted anew.
        assert_eq!(run(s, "SELECT COUNT(*) FROM p"), "3");
        assert_eq!(run(s, "SELECT COUNT(*) FROM x"), "2");
        assert_eq!(error(s, "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE x"), 1737);
        assert_eq!(run(s, "SELECT id FROM p ORDER BY id"), "1\n2\n11");
        assert_eq!(error(s, "ALTER TABLE p EXCHANGE PARTITION p9 WITH TABLE x"), 1735);
        assert_eq!(error(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE p"), 1066);
        assert_eq!(error(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE other"), 1736);
        assert_eq!(error(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE divided"), 1732);
        assert_eq!(error(s, "ALTER TABLE other EXCHANGE PARTITION p1 WITH TABLE x"), 1505);
        run(s, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE x");
        assert_eq!(run(s, "SELECT * FROM p ORDER BY id"), "1\t1\n2\t2\n12\t4\n13\t5");
        assert_eq!(run(s, "SELECT * FROM x"), "11\t3");
        assert_eq!(run(s, "SELECT COUNT(*) FROM p"), "4");
        assert_eq!(run(s, "SELECT COUNT(*) FROM x"), "1");
        assert_eq!(run(s, "SELECT id FROM p WHERE v = 5"), "13");
        assert_eq!(run(s, "SELECT id FROM x WHERE v = 3"), "11");
        assert_eq!(run(s, "SELECT id FROM p WHERE v = 3"), "");
        run(s, "INSERT INTO x (v) VALUES (7)");
        assert_eq!(run(s, "SELECT MAX(id) FROM x"), "12");
        assert_eq!(sql.engine().check(&mut |_| {}).unwrap().damaged, 0);
        run(s, "DROP TABLE p, x, other, divided");
    }
}

#[test]
fn subpartitions_are_kept_and_shown_and_rows_lie_by_partitions() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE a (id INT, b INT) PARTITION BY RANGE (id) SUBPARTITION BY HASH (b) \
         SUBPARTITIONS 2 (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
    );
    let shown = run(s, "SHOW CREATE TABLE a");
    let text = "/*!50100 PARTITION BY RANGE (`id`)\nSUBPARTITION BY HASH (`b`)\nSUBPARTITIONS 2\n\
                (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,\n \
                PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */";
    assert!(shown.ends_with(text), "{shown}");
    let lines = "SELECT partition_name, subpartition_name, partition_ordinal_position, \
                 subpartition_ordinal_position, subpartition_method, subpartition_expression \
                 FROM information_schema.partitions WHERE table_name = 'a' ORDER BY 3, 4";
    let listed = ["p0\tp0sp0\t1\t1", "p0\tp0sp1\t1\t2", "p1\tp1sp0\t2\t1", "p1\tp1sp1\t2\t2"];
    let listed = listed.map(|line| format!("{line}\tHASH\t`b`")).join("\n");
    assert_eq!(run(s, lines), listed);
    run(s, "INSERT INTO a VALUES (1, 1), (1, 2), (20, 1)");
    assert_eq!(run(s, "SELECT COUNT(*) FROM a PARTITION (p0)"), "2");
    assert_eq!(error(s, "SELECT * FROM a PARTITION (p0sp0)"), 1735);
    assert_eq!(error(s, "ALTER TABLE a DROP PARTITION p0sp0"), 1507);
    assert_eq!(error(s, "ALTER TABLE a DROP COLUMN b"), 3855);
    run(s, "ALTER TABLE a DROP PARTITION p0");
    assert_eq!(run(s, "SELECT id FROM a"), "20");

    run(
        s,
        "CREATE TABLE b (id INT, b INT, d DATE) PARTITION BY LIST COLUMNS (id) SUBPARTITION BY \
         LINEAR KEY (b, d) (PARTITION p0 VALUES IN (1) COMMENT 'c' (SUBPARTITION s0 COMMENT 'x', \
         SUBPARTITION s1), PARTITION p1 VALUES IN (2) (SUBPARTITION s2, SUBPARTITION q3))",
    );
    run(s, "ALTER TABLE b ADD PARTITION (PARTITION p2 VALUES IN (5))");
    let shown = run(s, "SHOW CREATE TABLE b");
    let text = "/*!50500 PARTITION BY LIST  COLUMNS(id)\nSUBPARTITION BY LINEAR KEY (b,d)\n\
                (PARTITION p0 VALUES IN (1)\n (SUBPARTITION s0 COMMENT = 'x' ENGINE = InnoDB,\n  \
                SUBPARTITION s1 COMMENT = 'c' ENGINE = InnoDB),\n PARTITION p1 VALUES IN (2)\n \
                (SUBPARTITION s2 ENGINE = InnoDB,\n  SUBPARTITION q3 ENGINE = InnoDB),\n \
                PARTITION p2 VALUES IN (5)\n (SUBPARTITION p2sp0 ENGINE = InnoDB,\n  \
                SUBPARTITION p2sp1 ENGINE = InnoDB)) */";
    assert!(shown.ends_with(text), "{shown}");
    let definition = shown.split_once('\t').unwrap().1.replace("TABLE `b`", "TABLE `c`");
    run(s, &definition);
    assert_eq!(
        run(s, "SHOW CREATE TABLE c").replace("`c`", "`b`").split_once('\t').unwrap().1,
        shown.split_once('\t').unwrap().1
    );
}

#[test]
fn what_mysql_refuses_of_subpartitions_is_refused() {
    let sql = server();
    let s = &mut session(&sql);
    let one = "(PARTITION p0 VALUES LESS THAN (10))";
    for (columns, scheme, number) in [
        ("", "HASH (id) PARTITIONS 3 SUBPARTITION BY HASH (b) SUBPARTITIONS 2".to_string(), 1500),
        ("", format!("RANGE (id) SUBPARTITION BY RANGE (b) {one}"), 1064),
        ("", format!("RANGE (id) SUBPARTITION BY KEY () {one}"), 1064),
        ("", format!("RANGE (id) SUBPARTITION BY HASH (b) SUBPARTITIONS 0 {one}"), 1504),
        ("", format!("RANGE (id) SUBPARTITION BY HASH (b) SUBPARTITIONS 9000 {one}"), 1499),
        ("", format!("RANGE (id) SUBPARTITION BY KEY (zz) {one}"), 1488),
        ("", format!("RANGE (id) SUBPARTITION BY HASH (zz) {one}"), 1054),
        ("", format!("RANGE (id) SUBPARTITION BY HASH (t) {one}"), 1659),
        (", PRIMARY KEY (id)", format!("RANGE (id) SUBPARTITION BY HASH (b) {one}"), 1503),
        ("", "RANGE (id) (PARTITION p0 VALUES LESS THAN (10) (SUBPARTITION s0))".into(), 1500),
        (
            "",
            "RANGE (id) SUBPARTITION BY HASH (b) SUBPARTITIONS 3 (PARTITION p0 VALUES LESS THAN (10) \
             (SUBPARTITION s0, SUBPARTITION s1))"
                .into(),
            1064,
        ),
        (
            "",
            "RANGE (id) SUBPARTITION BY HASH (b) (PARTITION p0 VALUES LESS THAN (10) (SUBPARTITION s0, \
             SUBPARTITION s1), PARTITION p1 VALUES LESS THAN (20))"
                .into(),
            1064,
        ),
        (
            "",
            "RANGE (id) SUBPARTITION BY HASH (b) (PARTITION p0 VALUES LESS THAN (10) (SUBPARTITION s0, \
             SUBPARTITION s0))"
                .into(),
            1517,
        ),
    ] {
        let create = format!(
            "CREATE TABLE e (id INT, b INT, t VARCHAR(9){columns}) PARTITION BY {scheme}"
        );
        assert_eq!(error(s, &create), number, "{create}");
    }
}

#[test]
fn a_view_writes_to_its_partitions_or_to_those_that_the_statement_names() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (a INT, b INT) PARTITION BY RANGE (a) \
         (PARTITION p VALUES LESS THAN (10), PARTITION q VALUES LESS THAN (20))",
    );
    run(s, "INSERT INTO t VALUES (1, 0), (11, 0)");
    run(s, "CREATE VIEW v AS SELECT a, b FROM t PARTITION (p)");
    run(s, "CREATE VIEW w AS SELECT a, b FROM t");
    run(s, "UPDATE v SET b = 1");
    assert_eq!(run(s, "SELECT a, b FROM t ORDER BY a"), "1\t1\n11\t0");
    assert_eq!(error(s, "INSERT INTO v VALUES (12, 0)"), 1748);
    run(s, "UPDATE w PARTITION (q) SET b = 2");
    assert_eq!(run(s, "SELECT a, b FROM t ORDER BY a"), "1\t1\n11\t2");
    assert_eq!(error(s, "INSERT INTO w PARTITION (q) VALUES (2, 0)"), 1748);
    run(s, "DELETE FROM v");
    assert_eq!(run(s, "SELECT a FROM t"), "11");
}
