//! Shapes, literals and ends of statements.

use super::*;

fn shape(text: &str) -> (String, usize, Vec<u32>) {
    let mut scanned = Scanned::default();
    scanned.scan(text.as_bytes(), SqlMode::default()).expect("scans");
    (
        String::from_utf8(scanned.shape.clone()).expect("UTF-8"),
        scanned.literals.len(),
        scanned.runs.clone(),
    )
}

#[test]
fn literals_behind_from_are_taken_out_and_those_before_it_stay() {
    let (text, literals, _) = shape("SELECT a, 1  FROM t WHERE id = 17 and b='x''y' LIMIT 3");
    assert_eq!(text, "SELECT a, 1  FROM t WHERE id = ? and b=? LIMIT ?");
    assert_eq!(literals, 3);
}

#[test]
fn rows_of_the_same_shape_are_counted_and_not_repeated() {
    let (text, literals, runs) =
        shape("INSERT INTO t (a,b) VALUES (1,'a'), (2, NULL),(-3,'c') ON DUPLICATE KEY UPDATE a=5");
    assert_eq!(text, "INSERT INTO t (a,b) VALUES (?,?),(-?,?) ON DUPLICATE KEY UPDATE a=?");
    assert_eq!(literals, 7);
    assert_eq!(runs, [2, 1]);
}

/// Whether they are numbers is a matter of what they are given to.
#[test]
fn literals_of_digits_are_marked_in_rows_and_stay_elsewhere() {
    let (text, literals, runs) =
        shape("INSERT INTO t VALUES (0x41,'a'),(x'4142','b'),(b'101','c'),(0b1,'d'),(1,'e')");
    assert_eq!(text, "INSERT INTO t VALUES (?16,?),(?,?)");
    assert_eq!((literals, runs), (10, vec![4, 1]));
    let (text, literals, _) = shape("INSERT INTO t VALUES (0x000102030405060708)");
    assert_eq!((text.as_str(), literals), ("INSERT INTO t VALUES (?256)", 1));
    // Bytes of more digits than a number has are no text of the client's character set.
    let (text, literals, _) = shape("DELETE FROM t WHERE a = 0x000102030405060708 OR b = 'c'");
    assert_eq!((text.as_str(), literals), ("DELETE FROM t WHERE a = ?256 OR b = ?", 2));
    let (text, literals, _) = shape("UPDATE t SET a = 0x41, b = b'1' WHERE c = 0b11 AND d = 1");
    assert_eq!(text, "UPDATE t SET a = 0x41,b = b'1' WHERE c = b'11' AND d = ?");
    assert_eq!(literals, 1);
    // A name may begin so.
    assert_eq!(shape("UPDATE t SET a = 0b12 + 0b1x").0, "UPDATE t SET a = 0b12 + 0b1x");
}

/// Otherwise values would be taken for those of other rows.
#[test]
fn rows_with_anything_but_a_comma_between_them_are_left_to_the_parser() {
    for between in [" ", ",0 ", ",,", ")", ", f(1) "] {
        let (text, literals, runs) =
            shape(&format!("INSERT INTO t VALUES (1,2){between}(3,4)) , date_format(1)"));
        assert!(text.starts_with("INSERT INTO t VALUES (?,?)"), "{text}");
        assert_eq!(text.matches('?').count(), literals, "{text}");
        assert!(runs.iter().all(|run| *run == 1), "{text}: {runs:?}");
    }
}

/// A query gives all rows then: the literals of each have places of their own.
#[test]
fn rows_with_sub_queries_are_all_there() {
    let (text, literals, runs) = shape(
        "INSERT INTO t VALUES (1),(2),((SELECT a+3 FROM s ORDER BY 1 LIMIT 1)),((SELECT 4)),(5)",
    );
    let rows = "(?),((SELECT a+? FROM s ORDER BY 1 LIMIT 1)),((SELECT ?)),(?)";
    assert_eq!(text, format!("INSERT INTO t VALUES {rows}"));
    assert_eq!((literals, runs), (5, vec![2, 1, 1, 1]));
}

#[test]
fn literals_are_taken_out_again_behind_a_sub_query_with_an_order() {
    let (text, ..) =
        shape("DELETE FROM t WHERE id IN (SELECT id FROM s GROUP BY 1 ORDER BY 1) AND b = 7");
    assert_eq!(
        text,
        "DELETE FROM t WHERE id IN (SELECT id FROM s GROUP BY 1 ORDER BY 1) AND b = ?"
    );
}

#[test]
fn literals_that_decide_about_a_type_stay_where_types_count() {
    for (text, kept) in [
        (
            "UPDATE t JOIN s SET a = ROUND(b, 2), c = 3",
            "UPDATE t JOIN s SET a = ROUND(b, 2), c = ?",
        ),
        (
            "INSERT INTO t SELECT ADDTIME(b, '1:00'), 3 FROM s",
            "INSERT INTO t SELECT ADDTIME(b, '1:00'),? FROM s",
        ),
        (
            "SELECT a FROM (SELECT ROUND(a, 2) a FROM t) s",
            "SELECT a FROM (SELECT ROUND(a,2) a FROM t) s",
        ),
        ("SELECT a FROM t WHERE ROUND(a, 2) = 3", "SELECT a FROM t WHERE ROUND(a,?) = ?"),
        (
            "SELECT a FROM t WHERE d > DATE '2024-01-01' AND e = '2'",
            "SELECT a FROM t WHERE d > DATE '2024-01-01' AND e = ?",
        ),
        (
            "SELECT a FROM t WHERE d > TIMESTAMP'2024-01-01'",
            "SELECT a FROM t WHERE d > TIMESTAMP'2024-01-01'",
        ),
    ] {
        assert_eq!(shape(text).0.replace(", ", ","), kept.replace(", ", ","));
    }
}

#[test]
fn order_by_positions_and_lengths_of_types_stay() {
    let (text, ..) = shape("SELECT a FROM t WHERE cast(b AS char(3)) = 'x' ORDER BY 2 LIMIT 5");
    assert_eq!(text, "SELECT a FROM t WHERE cast(b AS char(3)) = ? ORDER BY 2 LIMIT ?");
}

#[test]
fn the_end_of_a_statement_is_its_semicolon_outside_of_strings() {
    let mut scanned = Scanned::default();
    scanned.scan(b"  select ';' from t; select 2", SqlMode::default()).expect("scans");
    assert_eq!(scanned.taken, 21);
    assert_eq!(scanned.shape, b"select ';' from t");
}

#[test]
fn comments_that_mysql_executes_become_text() {
    let text = b"/*!40101 SET NAMES utf8 */;";
    let opened = open_version_comments(text, SqlMode::default()).expect("has one");
    assert_eq!(opened, b"         SET NAMES utf8   ;");
}

fn opened_in(mode: &str, text: &str) -> String {
    let mode = SqlMode::parse(mode).expect("a mode");
    let opened = open_version_comments(text.as_bytes(), mode).expect("has one");
    String::from_utf8(opened).expect("UTF-8")
}

fn opened(text: &str) -> String {
    opened_in("", text)
}

#[test]
fn comments_for_newer_servers_stay_comments_and_ours_become_text() {
    let maria =
        "/*!999999\\- enable the sandbox mode */ /*!100616 SET x=1 */ /*M!999999 x */ SELECT 1";
    assert_eq!(opened(maria), maria);
    assert_eq!(opened("a /*!999999 EXPIRES_BY=`e` */"), "a           EXPIRES_BY=`e`   ");
    assert_eq!(opened("SELECT 1 /*! + 2 */"), "SELECT 1     + 2   ");
    assert_eq!(opened("SELECT '/*!40101 x*/' /*!40101 y*/"), "SELECT '/*!40101 x*/'          y  ");
}

#[test]
fn fewer_than_five_digits_are_a_number_and_no_version() {
    assert_eq!(opened("SELECT /*!1*/, /*!1234*/"), "SELECT    1  ,    1234  ");
}

#[test]
fn comments_that_mariadb_executes_become_text_up_to_its_version() {
    assert_eq!(opened("SELECT 1 /*M! + 2 */"), "SELECT 1      + 2   ");
    assert_eq!(opened("SELECT 1 /*M!100500 + 2 */"), "SELECT 1            + 2   ");
    assert_eq!(opened("/*! a */ /*M!110000 b */"), "    a    /*M!110000 b */");
}

#[test]
fn an_apostrophe_in_a_comment_begins_no_text() {
    for comment in ["-- it's", "# it's", "/* it's */", "--\tit's", "/*!99999 it's */"] {
        let text = format!("{comment}\n/*!40101 SET a='b' */;");
        assert_eq!(opened(&text), format!("{comment}\n         SET a='b'   ;"));
    }
    // Two dashes before anything but a space are no comment.
    assert_eq!(
        opened("SELECT 1--'/*!40101 a*/'/*!40101 b*/"),
        "SELECT 1--'/*!40101 a*/'         b  "
    );
}

#[test]
fn marks_within_texts_names_and_comments_are_no_marks() {
    for inside in ["'/*!40101 a */'", "`/*!40101 a */`", "# /*!40101 a */\n", "/* /*!40101 a */"] {
        assert_eq!(opened(&format!("{inside} /*! b */")), format!("{inside}     b   "));
    }
    assert_eq!(opened("/*!40101 SET a='*/', b=1 */"), "         SET a='*/', b=1   ");
    assert_eq!(opened("/*!40101 a /* b */ c */"), "         a /* b */ c   ");
}

#[test]
fn a_backslash_escapes_only_where_the_mode_says_so() {
    assert_eq!(opened(r"SELECT 'a\'/*!1 b*/'"), r"SELECT 'a\'/*!1 b*/'");
    assert_eq!(opened_in("NO_BACKSLASH_ESCAPES", r"'a\'/*! b*/"), r"'a\'    b  ");
    assert_eq!(opened(r"SELECT `a\`/*! b*/"), r"SELECT `a\`    b  ");
    assert_eq!(opened_in("ANSI_QUOTES", r#""a\"/*! b*/"#), r#""a\"    b  "#);
}

#[test]
fn a_version_comment_without_an_end_stays_one() {
    assert_eq!(opened("/*! a */ 'b' /*! c"), "    a    'b' /*! c");
}

#[test]
fn the_word_of_a_statement_stands_behind_the_queries_of_with() {
    for (text, word) in [
        ("SELECT 1", "SELECT"),
        ("with q as (select 1) select * from q", "select"),
        ("WITH q (a) AS (SELECT ')', `(` FROM t), r AS (SELECT 2) UPDATE t SET a = 1", "UPDATE"),
        ("WITH RECURSIVE q AS (SELECT 1) DELETE FROM t", "DELETE"),
        ("with update_q as (select 1) select 1", "select"),
        ("with `delete` as (select 1) /* update ( */ -- delete (\n values row(1)", "values"),
        ("with q as (select 1)", "with"),
    ] {
        assert_eq!(statement_word(text.as_bytes()), word.as_bytes(), "{text}");
    }
}
