//! Collations of Unicode's weights in tables; their answers stand next to MySQL's in
//! `tests/oracle/sql/collations.sql`.

use crate::harness::{error, run, server, session};

#[test]
fn emoji_are_told_apart_and_accents_are_not() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(9) UNIQUE) COLLATE=utf8mb4_0900_ai_ci");
    run(s, "INSERT INTO u VALUES (1, '😀'), (2, '🎂'), (3, 'a'), (4, 'a ')");
    assert_eq!(error(s, "INSERT INTO u VALUES (5, 'Ä')"), 1062);
    assert_eq!(run(s, "SELECT id FROM u WHERE a = 'Á'"), "3");
    assert_eq!(run(s, "SELECT id FROM u WHERE a LIKE 'A%' ORDER BY id"), "3\n4");
    assert_eq!(run(s, "SELECT id FROM u WHERE a = '🎂'"), "2");
}

#[test]
fn an_alter_to_another_collation_makes_the_keys_anew_and_refuses_what_would_collide() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) UNIQUE) COLLATE=utf8mb4_0900_as_cs");
    run(s, "INSERT INTO t VALUES (1, 'b'), (2, 'B'), (3, 'a')");
    let convert = "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE";
    assert_eq!(error(s, &format!("{convert} utf8mb4_0900_ai_ci")), 1062);
    assert_eq!(run(s, "SELECT id FROM t WHERE a = 'B'"), "2");
    run(s, "DELETE FROM t WHERE id = 1");
    run(s, &format!("{convert} utf8mb4_0900_ai_ci"));
    assert_eq!(run(s, "SELECT id FROM t WHERE a = 'b'"), "2");
    assert_eq!(run(s, "SELECT id FROM t ORDER BY a"), "3\n2");
    assert!(run(s, "SHOW CREATE TABLE t").contains("COLLATE=utf8mb4_0900_ai_ci"));
}

#[test]
fn a_long_text_has_a_key_of_three_levels_unless_its_accents_are_too_many() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a VARCHAR(768) COLLATE utf8mb4_0900_as_cs PRIMARY KEY)");
    for text in ["REPEAT('u', 768)", "REPEAT('ü', 600)"] {
        run(s, &format!("INSERT INTO t VALUES ({text})"));
        assert_eq!(run(s, &format!("SELECT COUNT(*) FROM t WHERE a = {text}")), "1");
    }
    assert_eq!(error(s, "INSERT INTO t VALUES (REPEAT('ü', 768))"), 1118);
}

#[test]
fn letters_of_several_characters_are_found_by_their_keys() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_cs_0900_ai_ci PRIMARY KEY)");
    run(
        s,
        "INSERT INTO t VALUES ('chata'), ('cukr'), ('had'), ('igla'), ('CHLEB'), ('c'), ('šach')",
    );
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT a FROM t ORDER BY a"), "c\ncukr\nhad\nchata\nCHLEB\nigla\nšach");
        assert_eq!(run(s, "SELECT a FROM t WHERE a LIKE 'c%' ORDER BY a"), "c\ncukr\nchata\nCHLEB");
        assert_eq!(run(s, "SELECT a FROM t WHERE a LIKE 'ch%' ORDER BY a"), "chata\nCHLEB");
        assert_eq!(
            run(s, "SELECT a FROM t WHERE a > 'h' AND a < 'i' ORDER BY a"),
            "had\nchata\nCHLEB"
        );
        assert_eq!(run(s, "SELECT MAX(a), COUNT(DISTINCT LEFT(a, 2)) FROM t"), "šach\t6");
    }
    assert_eq!(error(s, "INSERT INTO t VALUES ('Chata')"), 1062);
    assert!(run(s, "SHOW CREATE TABLE t").contains("COLLATE utf8mb4_cs_0900_ai_ci"));
    let shown = "SELECT ID, PAD_ATTRIBUTE, SORTLEN FROM information_schema.COLLATIONS \
                 WHERE COLLATION_NAME = 'utf8mb4_cs_0900_ai_ci'";
    assert_eq!(run(s, shown), "266\tNO PAD\t0");
}

#[test]
fn literals_compare_by_collation_connection_and_not_by_the_default() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9))");
    run(s, "INSERT INTO t VALUES (1, 'x')");
    run(s, "SET @v = 'a'");
    let asked = "SELECT 'a' = 'A', UPPER('b') = 'b', @v = 'A', CONCAT(1, 'a') = '1A', a = 'X' \
                 FROM t WHERE id = 1";
    for _ in 0..3 {
        assert_eq!(run(s, asked), "1\t1\t1\t1\t1");
    }
    run(s, "SET NAMES utf8mb4 COLLATE utf8mb4_bin");
    for _ in 0..3 {
        // A variable keeps the collation that it was given with.
        assert_eq!(run(s, asked), "0\t0\t1\t0\t1", "a kept plan is one of another collation");
    }
    assert_eq!(run(s, "SELECT COLLATION('a'), COERCIBILITY('a')"), "utf8mb4_bin\t4");
    run(s, "CREATE VIEW w AS SELECT 'a' = 'A' AS same");
    run(s, "SET collation_connection = utf8mb4_0900_ai_ci");
    assert_eq!(run(s, asked), "1\t1\t1\t1\t1");
    assert_eq!(run(s, "SELECT 'a' = 'a ', same FROM w"), "0\t0", "a view keeps its collation");
}

#[test]
fn a_login_has_the_collation_that_it_asks_for() {
    let server = server();
    for (number, name) in [
        (45, "utf8mb4_general_ci"),
        (224, "utf8mb4_unicode_ci"),
        (255, "utf8mb4_0900_ai_ci"),
        (48, "latin1_general_ci"),
        (58, "cp1257_bin"),
        // The shorter UTF-8 is the longer one here; a wide set cannot be a client's.
        (33, "utf8mb4_general_ci"),
        (54, "utf8mb4_general_ci"),
    ] {
        let s = &mut session(&server);
        s.set_login_collation(number).unwrap();
        assert_eq!(run(s, "SELECT @@collation_connection"), name);
    }
}

#[test]
fn tables_take_the_collation_of_their_database_where_they_say_nothing_of_it() {
    let s = &mut session(&server());
    run(s, "CREATE DATABASE exact COLLATE utf8mb4_bin");
    run(s, "CREATE TABLE exact.t (a VARCHAR(9) UNIQUE, b VARCHAR(9) COLLATE utf8mb4_general_ci)");
    // The collation of the server would take one for the other.
    run(s, "INSERT INTO exact.t VALUES ('a', 'x'), ('A', 'X')");
    assert_eq!(run(s, "SELECT COUNT(*) FROM exact.t WHERE a = 'A'"), "1");
    assert_eq!(run(s, "SELECT COUNT(*) FROM exact.t WHERE b = 'x'"), "2");
    run(s, "USE exact");
    run(s, "CREATE TABLE u (a VARCHAR(9)) CHARACTER SET utf8mb4");
    assert!(run(s, "SHOW CREATE TABLE u").contains("COLLATE=utf8mb4_general_ci"));
    run(s, "CREATE TEMPORARY TABLE v (a VARCHAR(9))");
    run(s, "INSERT INTO v VALUES ('a'), ('A')");
    assert_eq!(run(s, "SELECT COUNT(*) FROM v WHERE a = 'A'"), "1");
    run(s, "ALTER TABLE t ADD c VARCHAR(9)");
    let collation = "SELECT collation_name FROM information_schema.columns WHERE column_name = 'c'";
    assert_eq!(run(s, collation), "utf8mb4_bin");
}

#[test]
fn a_database_says_its_collation_and_keeps_it_until_it_is_altered_or_dropped() {
    let s = &mut session(&server());
    let told = "SELECT default_character_set_name, default_collation_name \
                FROM information_schema.schemata WHERE schema_name = 'e'";
    run(
        s,
        "CREATE DATABASE e DEFAULT CHARACTER SET = utf8mb4 DEFAULT COLLATE = utf8mb4_0900_ai_ci",
    );
    assert_eq!(run(s, told), "utf8mb4\tutf8mb4_0900_ai_ci");
    let shown = run(s, "SHOW CREATE DATABASE e");
    assert!(shown.contains("DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci"), "{shown}");
    let variables = "SELECT @@collation_database, @@character_set_database";
    assert_eq!(run(s, variables), "utf8mb4_general_ci\tutf8mb4");
    run(s, "USE e");
    assert_eq!(run(s, variables), "utf8mb4_0900_ai_ci\tutf8mb4");
    run(s, "CREATE TABLE before_it (a VARCHAR(9))");
    run(s, "ALTER DATABASE COLLATE utf8mb4_unicode_ci");
    assert_eq!(run(s, told), "utf8mb4\tutf8mb4_unicode_ci");
    assert_eq!(run(s, variables), "utf8mb4_unicode_ci\tutf8mb4");
    assert!(run(s, "SHOW CREATE TABLE before_it").contains("COLLATE=utf8mb4_0900_ai_ci"));
    run(s, "ALTER DATABASE e CHARACTER SET binary");
    assert_eq!(run(s, told), "binary\tbinary");
    run(s, "ALTER DATABASE e ENCRYPTION = 'N'");
    assert_eq!(run(s, told), "binary\tbinary");
    assert_eq!(error(s, "ALTER DATABASE nowhere COLLATE utf8mb4_bin"), 1049);
    assert_eq!(error(s, "ALTER DATABASE e COLLATE nothing_ci"), 1273);
    assert_eq!(error(s, "CREATE DATABASE f CHARACTER SET nothing"), 1115);
    run(s, "DROP DATABASE e");
    assert_eq!(run(s, variables), "utf8mb4_general_ci\tutf8mb4");
    run(s, "CREATE DATABASE e");
    assert_eq!(run(s, told), "utf8mb4\tutf8mb4_general_ci");
    assert_eq!(error(s, "ALTER DATABASE mysql COLLATE utf8mb4_bin"), 3552);
}

#[test]
fn orders_that_differ_in_their_collation_alone_were_one() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) COLLATE utf8mb4_bin)");
    run(s, "INSERT INTO t VALUES (1, 'chata'), (2, 'had'), (3, 'aa'), (4, 'z'), (5, 'Z')");
    let by = |collation: &str| format!("a COLLATE utf8mb4_{collation}");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let listed = |collation| format!("GROUP_CONCAT(id ORDER BY {}, id)", by(collation));
        let query = format!("SELECT {}, {} FROM t", listed("czech_ci"), listed("danish_ci"));
        assert_eq!(run(s, &query), "3,2,1,4,5\t1,2,4,5,3", "{executor}");
        let counted = |collation| format!("COUNT(DISTINCT {})", by(collation));
        let query = format!("SELECT {}, {} FROM t", counted("bin"), counted("danish_ci"));
        assert_eq!(run(s, &query), "5\t4", "{executor}");
        let same = |collation| format!("{} = 'Z'", by(collation));
        let query = format!("SELECT SUM({}), SUM({}) FROM t", same("bin"), same("danish_ci"));
        assert_eq!(run(s, &query), "1\t2", "{executor}");
        let least = |collation| format!("MAX({})", by(collation));
        let query = format!("SELECT {}, {} FROM t", least("bin"), least("danish_ci"));
        assert_eq!(run(s, &query), "z\taa", "{executor}");
    }
}
