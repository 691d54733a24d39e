//! MATCH .. AGAINST: the index finds what a look at all texts does, and in its order; answers next
//! to MySQL's are in `tests/oracle/sql/full-text.sql`.

use crate::harness::{error, run, server, session};
use sql::Session;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }

    fn text(&mut self) -> String {
        const WORDS: [&str; 14] = [
            "apple",
            "Apples",
            "banana",
            "cherry",
            "the",
            "pie",
            "with",
            "caf\u{e9}",
            "CAFE",
            "ab",
            "apricot",
            "\u{751f}\u{65e5}",
            "stra\u{df}e",
            "pies",
        ];
        let words = self.below(9);
        let word = |numbers: &mut Numbers| WORDS[numbers.below(WORDS.len() as u64) as usize];
        (0..words)
            .map(|_| word(self))
            .collect::<Vec<_>>()
            .join([" ", ", ", "-"][self.below(3) as usize])
    }
}

const SEARCHES: [(&str, &str); 16] = [
    ("apple pie", ""),
    ("cafe", ""),
    ("\"apple pie\" banana", ""),
    ("the with", ""),
    ("+apple -pie", "IN BOOLEAN MODE"),
    ("+apple >pie <banana", "IN BOOLEAN MODE"),
    ("ap*", "IN BOOLEAN MODE"),
    ("+ap* -apricot", "IN BOOLEAN MODE"),
    ("banana ~pie", "IN BOOLEAN MODE"),
    ("+(apple cherry) +(>pie <pies)", "IN BOOLEAN MODE"),
    ("\"apple pie\"", "IN BOOLEAN MODE"),
    ("+\"banana cherry\" -the apple", "IN BOOLEAN MODE"),
    ("\"apple cherry\" @3", "IN BOOLEAN MODE"),
    ("+the +apple", "IN BOOLEAN MODE"),
    ("-apple", "IN BOOLEAN MODE"),
    ("apricot", "WITH QUERY EXPANSION"),
];

/// That each search finds by the index what it finds in the texts, the most relevant first.
fn agree(s: &mut Session) {
    for (text, mode) in SEARCHES {
        let search = format!("MATCH (a, b) AGAINST ('{text}' {mode})");
        let by_index = run(s, &format!("SELECT id, {search} FROM t WHERE {search}"));
        // OR finds nothing by an index.
        let by_texts = run(
            s,
            &format!(
                "SELECT id, {search} AS r FROM t WHERE {search} OR id < 0 ORDER BY r DESC, id"
            ),
        );
        let by_score =
            run(s, &format!("SELECT id, {search} AS r FROM t HAVING r <> 0 ORDER BY r DESC, id"));
        assert_eq!(by_index, by_texts, "{search}");
        assert_eq!(by_index, by_score, "{search}");
        let limited =
            format!("SELECT id, {search} AS r FROM t WHERE {search} ORDER BY r DESC LIMIT 3");
        let first: Vec<&str> = by_index.lines().take(3).collect();
        assert_eq!(run(s, &limited), first.join("\n"), "{search}");
    }
}

#[test]
fn searches_agree_with_the_texts_after_random_writes() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(200), b TEXT, FULLTEXT KEY ab (a, b))");
    let mut numbers = Numbers(7);
    for round in 0..6 {
        for _ in 0..60 {
            let (id, a, b) = (numbers.below(80), numbers.text(), numbers.text());
            run(
                s,
                &match numbers.below(6) {
                    0 => format!("DELETE FROM t WHERE id = {id}"),
                    1 => format!("UPDATE t SET a = '{a}' WHERE id = {id}"),
                    2 => {
                        format!("UPDATE t SET b = NULL WHERE MATCH (a, b) AGAINST ('{b}') LIMIT 1")
                    }
                    3 => format!(
                        "INSERT INTO t VALUES ({id}, '{a}', '{b}') ON DUPLICATE KEY UPDATE b = '{a}'"
                    ),
                    _ => format!("REPLACE INTO t VALUES ({id}, '{a}', '{b}')"),
                },
            );
        }
        agree(s);
        if round == 2 {
            run(s, "ALTER TABLE t DROP INDEX ab");
            run(s, "CREATE FULLTEXT INDEX ab ON t (a, b)");
            agree(s);
        }
    }
    run(s, "BEGIN");
    run(s, "DELETE FROM t WHERE MATCH (a, b) AGAINST ('banana')");
    run(s, "INSERT INTO t VALUES (900, 'banana banana', 'fresh')");
    agree(s);
    assert_eq!(run(s, "SELECT id FROM t WHERE MATCH (a, b) AGAINST ('banana fresh')"), "900");
    run(s, "ROLLBACK");
    agree(s);
}

#[test]
fn a_limit_by_relevance_reads_no_more_rows() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(200), FULLTEXT KEY (a))");
    run(s, "SET cte_max_recursion_depth = 10000");
    run(
        s,
        "INSERT INTO t (a) WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < \
         5000) SELECT CONCAT('common', IF(i % 500 = 7, ' common rare', ''), ' word', i) FROM n",
    );
    let search = "MATCH (a) AGAINST ('common')";
    let query = format!("SELECT id FROM t WHERE {search} ORDER BY {search} DESC LIMIT 3");
    let explained = run(s, &format!("EXPLAIN {query}"));
    assert!(explained.contains("\tfulltext\ta\ta\t0\tconst\t"), "{explained}");
    assert!(!explained.contains("filesort"), "{explained}");
    assert_eq!(run(s, &query), "7\n507\n1007");
    let query =
        "SELECT id FROM t WHERE MATCH (a) AGAINST ('+common +rare' IN BOOLEAN MODE) LIMIT 2";
    assert_eq!(run(s, query), "7\n507");
}

#[test]
fn a_relevance_above_a_literal_is_looked_up_as_well() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(200), FULLTEXT KEY (a))");
    run(s, "INSERT INTO t VALUES (1, 'one two'), (2, 'two two'), (3, 'three'), (4, NULL)");
    let two = "MATCH (a) AGAINST ('two')";
    for (condition, found) in [
        (format!("{two} > 0"), "2\n1"),
        (format!("0 < {two}"), "2\n1"),
        (format!("{two} > 0.1"), "2"),
        (format!("{two} > 1e-3 AND id > 1"), "2"),
    ] {
        let query = format!("SELECT id FROM t WHERE {condition}");
        let explained = run(s, &format!("EXPLAIN {query}"));
        assert!(explained.contains("\tfulltext\t"), "{condition}: {explained}");
        assert_eq!(run(s, &query), found, "{condition}");
    }
    // The plan of one literal is not that of another one.
    assert_eq!(run(s, &format!("SELECT id FROM t WHERE {two} > -1 ORDER BY id")), "1\n2\n3\n4");
    run(s, "DELETE FROM t WHERE MATCH (a) AGAINST ('three') > 0");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "3");
}

#[test]
fn a_relevance_is_a_number_where_no_row_is_committed() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(200), FULLTEXT KEY (a))");
    run(s, "BEGIN");
    run(s, "INSERT INTO t VALUES (1, 'one two'), (2, 'two')");
    let one = "MATCH (a) AGAINST ('one')";
    let relevance = format!("SELECT id, {one} > 0 AND {one} < 1 FROM t");
    assert_eq!(run(s, &relevance), "1\t1\n2\t0");
    run(s, "ROLLBACK");
}

#[test]
fn phrases_are_found_beside_words() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(200), FULLTEXT KEY (a))");
    run(
        s,
        "INSERT INTO t VALUES (1, 'red apple pie'), (2, 'apple red'), (3, 'red'), (4, 'pie'), \
         (5, 'green apple pie')",
    );
    for (search, found) in [
        ("\"red apple\"", "1"),
        ("\"red apple\" pie", "1\n4\n5"),
        ("pie -\"red apple\"", "4\n5"),
        ("+red -(\"red apple\" green)", "2\n3"),
        ("+\"apple pie\" red", "1\n5"),
    ] {
        let query = format!(
            "SELECT id FROM t WHERE MATCH (a) AGAINST ('{search}' IN BOOLEAN MODE) ORDER BY id"
        );
        assert_eq!(run(s, &query), found, "{search}");
    }
}

#[test]
fn joins_views_derived_tables_and_statements_that_write_take_searches() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (k INT, a VARCHAR(200), FULLTEXT KEY (a), KEY (k))");
    run(s, "INSERT INTO t VALUES (1, 'apple pie'), (2, 'apple apple'), (3, 'banana'), (4, NULL)");
    run(s, "CREATE TABLE u (k INT PRIMARY KEY, n VARCHAR(9))");
    run(s, "INSERT INTO u VALUES (1, 'one'), (2, 'two'), (3, 'three')");
    let join = "SELECT n FROM t JOIN u ON t.k = u.k WHERE MATCH (t.a) AGAINST ('apple')";
    assert_eq!(run(s, join), "two\none");
    let join = "SELECT n, MATCH (x.a) AGAINST ('pie') > 0 FROM u LEFT JOIN t x ON x.k = u.k AND \
                MATCH (x.a) AGAINST ('pie') ORDER BY n";
    assert_eq!(run(s, join), "one\t1\nthree\t0\ntwo\t0");
    run(
        s,
        "CREATE VIEW v AS SELECT k, a FROM t WHERE MATCH (a) AGAINST ('+apple' IN BOOLEAN MODE)",
    );
    assert_eq!(run(s, "SELECT k FROM v WHERE MATCH (a) AGAINST ('pie')"), "1");
    let shown = run(s, "SHOW CREATE VIEW v");
    assert!(shown.contains("(match `t`.`a` against ('+apple' in boolean mode))"), "{shown}");
    let derived = "SELECT k FROM (SELECT * FROM t) d WHERE MATCH (a) AGAINST ('banana')";
    assert_eq!(run(s, derived), "3");
    run(s, "PREPARE p FROM 'SELECT k FROM t WHERE MATCH (a) AGAINST (?)'");
    run(s, "SET @w = 'banana'");
    assert_eq!(run(s, "EXECUTE p USING @w"), "3");
    run(s, "SET @w = 'pie'");
    assert_eq!(run(s, "EXECUTE p USING @w"), "1");
    assert_eq!(run(s, "SELECT k FROM t WHERE MATCH (a) AGAINST (@w)"), "1");
    let joined = "SELECT k FROM t WHERE MATCH (a) AGAINST (CONCAT('+', @w, '*') IN BOOLEAN MODE)";
    assert_eq!(run(s, joined), "1");
    run(s, "UPDATE t SET a = 'cherry' WHERE MATCH (a) AGAINST ('pie')");
    run(s, "UPDATE t JOIN u ON t.k = u.k SET n = 'x' WHERE MATCH (a) AGAINST ('cherry')");
    assert_eq!(run(s, "SELECT n FROM u ORDER BY k"), "x\ntwo\nthree");
    run(s, "DELETE FROM t WHERE MATCH (a) AGAINST ('cherry banana')");
    assert_eq!(run(s, "SELECT k FROM t ORDER BY k"), "2\n4");
    let status = run(s, "CHECK TABLE t");
    assert!(status.ends_with("status\tOK"), "{status}");
}

#[test]
fn definitions_are_shown_as_mysql_shows_them() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE e (id INT, b VARCHAR(10), c TEXT, KEY (b), FULLTEXT INDEX (b, c) WITH PARSER \
         ngram COMMENT 'hi', FULLTEXT (c(5)), FULLTEXT x (c) INVISIBLE, UNIQUE (id))",
    );
    let shown = run(s, "SHOW CREATE TABLE e");
    let keys = "UNIQUE KEY `id` (`id`),\n  KEY `b` (`b`),\n  FULLTEXT KEY `b_2` (`b`,`c`) COMMENT \
                'hi' /*!50100 WITH PARSER `ngram` */ ,\n  FULLTEXT KEY `c` (`c`),\n  FULLTEXT KEY \
                `x` (`c`) /*!80000 INVISIBLE */\n)";
    assert!(shown.contains(keys), "{shown}");
    let text = shown.split_once('\t').map_or("", |(_, text)| text).to_owned();
    run(s, "DROP TABLE e");
    run(s, &text);
    assert_eq!(run(s, "SHOW CREATE TABLE e"), shown);
    run(s, "CREATE TABLE f LIKE e");
    assert_eq!(run(s, "SHOW CREATE TABLE f"), shown.replace("`e`", "`f`").replacen('e', "f", 1));
    assert_eq!(
        run(
            s,
            "SELECT INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, COLLATION, INDEX_TYPE, IS_VISIBLE FROM \
             information_schema.STATISTICS WHERE TABLE_NAME = 'e' AND INDEX_TYPE = 'FULLTEXT'",
        ),
        "b_2\t1\tb\tNULL\tFULLTEXT\tYES\nb_2\t2\tc\tNULL\tFULLTEXT\tYES\nc\t1\tc\tNULL\tFULLTEXT\t\
         YES\nx\t1\tc\tNULL\tFULLTEXT\tNO"
    );
    assert_eq!(
        run(s, "SELECT COLUMN_KEY FROM information_schema.COLUMNS WHERE TABLE_NAME = 'e'"),
        "UNI\nMUL\nMUL"
    );
    run(s, "ALTER TABLE e DROP INDEX x, ADD FULLTEXT KEY y (b), RENAME INDEX c TO z");
    run(s, "ALTER TABLE e DROP COLUMN c");
    let shown = run(s, "SHOW CREATE TABLE e");
    assert!(shown.contains("FULLTEXT KEY `b_2` (`b`) COMMENT"), "{shown}");
    assert!(shown.contains("FULLTEXT KEY `y` (`b`)\n"), "{shown}");
}

#[test]
fn stopwords_are_left_out_as_the_session_says_when_the_index_is_made() {
    let s = &mut session(&server());
    run(s, "SET innodb_ft_enable_stopword = OFF");
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b TEXT, FULLTEXT (a))");
    run(s, "SET innodb_ft_enable_stopword = ON");
    run(s, "ALTER TABLE t ADD FULLTEXT (b)");
    run(s, "INSERT INTO t VALUES (1, 'with you', 'with you')");
    assert_eq!(run(s, "SELECT id FROM t WHERE MATCH (a) AGAINST ('with')"), "1");
    assert_eq!(run(s, "SELECT id FROM t WHERE MATCH (b) AGAINST ('with')"), "");
    run(s, "UPDATE t SET a = 'x', b = 'x'");
    assert!(run(s, "CHECK TABLE t").ends_with("status\tOK"));
    let shown = run(s, "SHOW VARIABLES LIKE 'innodb_ft_m%_token_size'");
    assert_eq!(shown, "innodb_ft_max_token_size\t84\ninnodb_ft_min_token_size\t3");
    let words = "SELECT COUNT(*), MIN(value), MAX(value) \
                 FROM information_schema.innodb_ft_default_stopword";
    assert_eq!(run(s, words), "36\ta\twww");
}

#[test]
fn what_mysql_refuses_has_its_numbers() {
    let s = &mut session(&server());
    for (definition, number) in [
        ("id INT, FULLTEXT (id)", 1283),
        ("b BLOB, FULLTEXT (b)", 1283),
        ("j JSON, FULLTEXT (j)", 3152),
        ("a TEXT COLLATE utf8mb4_bin, b TEXT COLLATE utf8mb4_general_ci, FULLTEXT (a, b)", 1283),
        ("a TEXT, FULLTEXT (a DESC)", 1221),
        ("a TEXT, FULLTEXT ((LOWER(a)))", 3759),
        ("a TEXT, FULLTEXT (x)", 1072),
        ("a TEXT, FULLTEXT (a) WITH PARSER no", 1128),
        ("a TEXT, UNIQUE FULLTEXT (a)", 1064),
        ("a POINT, SPATIAL (a)", 1235),
    ] {
        assert_eq!(error(s, &format!("CREATE TABLE e ({definition})")), number, "{definition}");
    }
    assert_eq!(error(s, "CREATE TEMPORARY TABLE e (a TEXT, FULLTEXT (a))"), 1796);
    assert_eq!(error(s, "CREATE TABLE e (a TEXT, FULLTEXT (a)) ENGINE=COLUMNAR"), 1214);
    run(s, "CREATE TABLE t (id INT, a TEXT, b TEXT, FULLTEXT (a, b))");
    for (query, number) in [
        ("SELECT id FROM t WHERE MATCH (a) AGAINST ('x')", 1191),
        ("SELECT id FROM t WHERE MATCH (a, id) AGAINST ('x')", 1191),
        ("SELECT id FROM t WHERE MATCH (a, b) AGAINST (a)", 1210),
        ("SELECT id FROM t WHERE MATCH (a, c) AGAINST ('x')", 1054),
        ("SELECT id FROM t WHERE MATCH (a, b) AGAINST ('+' IN BOOLEAN MODE)", 1064),
        ("SELECT id FROM t WHERE MATCH (a, b) AGAINST ('(x' IN BOOLEAN MODE)", 1064),
    ] {
        assert_eq!(error(s, query), number, "{query}");
    }
}
