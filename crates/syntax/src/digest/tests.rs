//! Digests of statements, as MySQL 9.7 tells them.

use super::*;

fn text(statement: &str) -> String {
    digest_text(statement.as_bytes(), SqlMode::default())
}

#[test]
fn digests_end_where_their_room_does() {
    let names: Vec<String> = (0..400).map(|n| format!("a{n}")).collect();
    // MySQL 9.7 has room for so many.
    assert!(text(&format!("select {} from t", names.join(","))).ends_with(" `a111` , `a112` ,"));
    assert_eq!(text(&format!("select {}", "x".repeat(2000))), "SELECT");
    let rows = vec!["(1,2)"; 100_000].join(",");
    assert_eq!(
        text(&format!("insert into t values {rows}")),
        "INSERT INTO `t` VALUES (...) /* , ... */"
    );
}

#[test]
fn modes_decide_what_quotes_and_spaces_mean() {
    let ansi = SqlMode::parse("ANSI_QUOTES,IGNORE_SPACE,NO_BACKSLASH_ESCAPES").unwrap();
    let statement = br#"select "a", count (*), 'x\' from t"#;
    assert_eq!(digest_text(statement, ansi), "SELECT `a` , COUNT ( * ) , ? FROM `t`");
    assert_eq!(
        digest_text(br#"select "a", count (*), 'x' from t"#, SqlMode::default()),
        "SELECT ? , `count` ( * ) , ? FROM `t`"
    );
}

#[test]
fn what_is_no_statement_has_a_text_too() {
    for (statement, expected) in [
        ("", ""),
        ("select 'open", "SELECT ?"),
        ("select `open", "SELECT `open`"),
        ("select /*+ BKA(", "SELECT /*+ BKA ("),
        ("select /* begun", "SELECT / * `begun`"),
        (")))", ") ) )"),
        ("a.1.5e", "`a` . `1` . `5e`"),
        ("@", "@"),
        ("@@", "@@"),
        ("\u{1}", "\u{1}"),
    ] {
        assert_eq!(text(statement), expected, "{statement}");
    }
}

/// Statements, and their digests' texts by MySQL 9.7.
const ANSWERS: &str = include_str!("answers.tsv");

#[test]
fn texts_are_those_of_mysql() {
    let mut wrong = Vec::new();
    for (statement, expected) in ANSWERS.lines().filter_map(|line| line.split_once('\t')) {
        let opened = crate::scan::open_version_comments(statement.as_bytes(), SqlMode::default());
        let ours = text(
            &opened.map_or(statement.to_string(), |opened| String::from_utf8(opened).unwrap()),
        );
        if ours != expected {
            wrong.push(format!("{statement}\n  MySQL {expected}\n  ours  {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
