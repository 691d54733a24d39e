//! Comments that are too long, refused in strict mode and cut elsewhere. Numbers and lengths are
//! those of MySQL 9.7.

use crate::harness::{error, run, server, session};

#[test]
fn comments_of_any_length_were_kept() {
    let sql = server();
    let s = &mut session(&sql);
    let (part, table) = ("ä".repeat(1024), "ä".repeat(2048));
    run(
        s,
        &format!(
            "CREATE TABLE t (a INT COMMENT '{part}', KEY k (a) COMMENT '{part}') COMMENT='{table}'"
        ),
    );
    let refused = [
        (format!("CREATE TABLE u (a INT COMMENT '{part}x')"), 1629),
        (format!("CREATE TABLE u (a INT) COMMENT='{table}x'"), 1628),
        (format!("CREATE TEMPORARY TABLE u (a INT, KEY (a) COMMENT '{part}x')"), 1688),
        (
            format!(
                "CREATE TABLE u (a INT) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (1) \
                 COMMENT='{part}x')"
            ),
            1793,
        ),
        (format!("ALTER TABLE t MODIFY a INT COMMENT '{part}x'"), 1629),
        (format!("ALTER TABLE t ADD b INT COMMENT '{part}x'"), 1629),
        (format!("ALTER TABLE t COMMENT='{table}x'"), 1628),
        (format!("ALTER TABLE t ADD KEY l (a) COMMENT '{part}x'"), 1688),
        (format!("CREATE INDEX l ON t (a) COMMENT '{part}x'"), 1688),
    ];
    for (statement, number) in &refused {
        let start: String = statement.chars().take(60).collect();
        assert_eq!(error(s, statement), *number, "{start}");
    }
    run(s, "SET sql_mode = ''");
    run(
        s,
        &format!(
            "CREATE TABLE u (a INT COMMENT '{part}x', KEY k (a) COMMENT '{part}x') COMMENT='{table}x'"
        ),
    );
    assert_eq!(run(s, "SELECT @@warning_count"), "3");
    let lengths = "SELECT CHAR_LENGTH(table_comment) FROM information_schema.tables \
                   WHERE table_name = 'u' UNION ALL \
                   SELECT CHAR_LENGTH(column_comment) FROM information_schema.columns \
                   WHERE table_name = 'u' UNION ALL \
                   SELECT CHAR_LENGTH(index_comment) FROM information_schema.statistics \
                   WHERE table_name = 'u'";
    assert_eq!(run(s, lengths), "2048\n1024\n1024");
}
