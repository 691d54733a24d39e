//! CHECKSUM TABLE, and what SHOW CREATE TABLE says of long columns.

use crate::harness::{error, run, server, session};
use sql::Session;

fn checksum(s: &mut Session, table: &str) -> String {
    let line = run(s, &format!("CHECKSUM TABLE {table}"));
    let (name, sum) = line.split_once('\t').expect("two columns");
    assert!(name.ends_with(&format!(".{table}")), "{line}");
    sum.to_string()
}

#[test]
fn tables_of_equal_rows_have_one_checksum() {
    let sql = server();
    let s = &mut session(&sql);
    let columns = "id INT PRIMARY KEY, v VARCHAR(9), n DECIMAL(6,2), d DOUBLE, t TIMESTAMP NULL";
    run(s, &format!("CREATE TABLE a ({columns})"));
    run(s, &format!("CREATE TABLE b ({columns}, KEY (v))"));
    run(s, &format!("CREATE TABLE c ({columns}) ENGINE=COLUMNAR"));
    assert_eq!(checksum(s, "a"), "0");
    run(
        s,
        "INSERT INTO a VALUES (1, 'x', 1.5, 0.1, '2024-01-31 10:00:00'), (2, NULL, NULL, -0.5, NULL)",
    );
    run(s, "INSERT INTO b SELECT * FROM a ORDER BY id DESC");
    run(s, "INSERT INTO c SELECT * FROM a");
    let sum = checksum(s, "a");
    assert_ne!(sum, "0");
    for table in ["b", "c"] {
        assert_eq!(checksum(s, table), sum, "{table}");
    }
    run(s, "SET time_zone = '+05:30'");
    assert_eq!(checksum(s, "a"), sum);
    for (change, back) in [
        ("UPDATE b SET v = 'y' WHERE id = 1", "UPDATE b SET v = 'x' WHERE id = 1"),
        ("UPDATE b SET v = '' WHERE id = 2", "UPDATE b SET v = NULL WHERE id = 2"),
        ("DELETE FROM b WHERE id = 2", "INSERT INTO b SELECT * FROM a WHERE id = 2"),
    ] {
        run(s, change);
        assert_ne!(checksum(s, "b"), sum, "{change}");
        run(s, back);
        assert_eq!(checksum(s, "b"), sum, "{back}");
    }
    // Own writes count, and those of others that came after the snapshot do not.
    run(s, "BEGIN");
    run(s, "DELETE FROM a WHERE id = 2");
    assert_ne!(checksum(s, "a"), sum);
    let other = &mut session(&sql);
    run(other, "DELETE FROM b");
    assert_eq!(checksum(other, "a"), sum);
    assert_eq!(checksum(s, "b"), sum);
    run(s, "ROLLBACK");
    assert_eq!(checksum(s, "b"), "0");
}

#[test]
fn the_checksum_of_no_table_is_null() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE a (id INT PRIMARY KEY)");
    let both = run(s, "CHECKSUM TABLE a, nothing EXTENDED");
    assert!(both.contains(".a\t0\n"), "{both}");
    assert!(both.ends_with(".nothing\tNULL"), "{both}");
    assert!(run(s, "SHOW WARNINGS").contains("1146"));
    assert!(run(s, "CHECKSUM TABLES a QUICK").ends_with("\tNULL"));
    assert_eq!(error(s, "CHECKSUM a"), 1064);
}

#[test]
fn a_table_with_long_texts_is_made_anew_by_what_is_shown_of_it() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE a (x VARCHAR(20000), y VARCHAR(5000) COLLATE utf8mb3_bin, z VARCHAR(5000) \
         CHARACTER SET utf8mb4) CHARSET latin1",
    );
    let shown = run(s, "SHOW CREATE TABLE a");
    let statement = shown.split_once('\t').expect("two columns").1.replace("\\n", "\n");
    run(s, "DROP TABLE a");
    run(s, &statement);
    assert_eq!(run(s, "SHOW CREATE TABLE a"), shown);
    assert_eq!(error(s, "ALTER TABLE a MODIFY x VARCHAR(65536)"), 1074);
    assert_eq!(error(s, "ALTER TABLE a MODIFY x VARCHAR(21846) CHARACTER SET utf8mb3"), 1074);
    run(s, "ALTER TABLE a MODIFY x VARCHAR(20001) CHARACTER SET ascii, ADD COLUMN n INT");
}
