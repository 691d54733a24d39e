//! Columns of other character sets than utf8mb4: kept and shown as declared, compared by their own
//! collations, mixed by MySQL's rules. Their answers stand next to MySQL's in
//! `tests/oracle/sql/columns-in-character-sets.sql`.

use crate::harness::{error, run, server, session};

#[test]
fn columns_are_shown_as_they_were_declared() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (a VARCHAR(5), b VARCHAR(5) COLLATE latin1_bin, c CHAR(3) BINARY, \
         d NCHAR(3), e CHAR(3) ASCII, f ENUM('a') CHARACTER SET koi8r, g TEXT CHARACTER SET utf16, \
         h VARCHAR(5) CHARACTER SET utf8mb4) CHARSET=latin1",
    );
    let shown = run(s, "SHOW CREATE TABLE t");
    for line in [
        "`a` varchar(5) DEFAULT NULL",
        "`b` varchar(5) CHARACTER SET latin1 COLLATE latin1_bin",
        "`c` char(3) CHARACTER SET latin1 COLLATE latin1_bin",
        "`d` char(3) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci",
        "`e` char(3) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL",
        "`f` enum('a') CHARACTER SET koi8r COLLATE koi8r_general_ci",
        "`h` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "DEFAULT CHARSET=latin1",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("CHARSET=latin1 COLLATE"), "{shown}");
    let told = "SELECT column_name, character_maximum_length, character_octet_length, \
                character_set_name, collation_name FROM information_schema.columns \
                WHERE table_name = 't' AND column_name IN ('a', 'd', 'g', 'h') ORDER BY 1";
    assert_eq!(
        run(s, told),
        "a\t5\t5\tlatin1\tlatin1_swedish_ci\nd\t3\t9\tutf8mb3\tutf8mb3_general_ci\n\
         g\t32767\t65535\tutf16\tutf16_general_ci\nh\t5\t20\tutf8mb4\tutf8mb4_general_ci"
    );
    run(s, "CREATE TABLE u LIKE t");
    assert_eq!(run(s, "SHOW CREATE TABLE u").replace("`u`", "`t`")[1..], shown[1..]);
    run(s, "CREATE TABLE v AS SELECT a, d, CONCAT(a, d) AS m FROM t");
    let shown = run(s, "SHOW CREATE TABLE v");
    assert!(shown.contains("`a` varchar(5) CHARACTER SET latin1 DEFAULT NULL"), "{shown}");
    assert!(shown.contains("`m` varchar(8) CHARACTER SET utf8mb3 DEFAULT NULL"), "{shown}");
    run(s, "ALTER TABLE t CONVERT TO CHARACTER SET cp1251");
    let shown = run(s, "SHOW CREATE TABLE t");
    assert!(
        shown.contains("`g` text CHARACTER SET cp1251 COLLATE cp1251_general_ci,")
            && shown.contains("DEFAULT CHARSET=cp1251"),
        "{shown}"
    );
    run(s, "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4");
    run(s, "ALTER TABLE t MODIFY a VARCHAR(5) CHARSET hp8");
    let shown = run(s, "SHOW CREATE TABLE t");
    assert!(
        shown.contains("`g` mediumtext CHARACTER SET utf8mb4") && shown.contains("hp8_english_ci"),
        "{shown}"
    );
    for (statement, number) in [
        ("CREATE TABLE w (a INT) CHARSET=latin1 COLLATE utf8mb4_bin", 1253),
        ("CREATE TABLE w (a CHAR(1) CHARACTER SET latin1 COLLATE utf8mb4_bin)", 1253),
        ("ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE utf8mb4_bin", 1253),
        ("CREATE TABLE w (a VARCHAR(65536)) CHARSET=latin1", 1074),
        ("CREATE TABLE w (a VARCHAR(21846)) CHARSET=utf8mb3", 1074),
        ("CREATE TABLE w (a CHAR(1) COLLATE utf8mb3_sv_0900_ai_ci)", 1273),
    ] {
        assert_eq!(error(s, statement), number, "{statement}");
    }
}

#[test]
fn unique_keys_and_orders_are_those_of_the_declared_collation() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) UNIQUE, b VARCHAR(9) COLLATE \
         latin1_general_cs, KEY (b)) CHARSET=latin1",
    );
    run(s, "INSERT INTO t VALUES (1, 'u', 'a'), (2, 'ü', 'A'), (3, 'ä', 'ä'), (4, 'z', 'b')");
    assert_eq!(error(s, "INSERT INTO t VALUES (5, 'Y', '')"), 1062);
    assert_eq!(error(s, "INSERT INTO t VALUES (5, 'U ', '')"), 1062);
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT id FROM t WHERE a = 'y'"), "2", "{executor}");
        assert_eq!(run(s, "SELECT id FROM t WHERE a LIKE 'Y%'"), "2");
        assert_eq!(run(s, "SELECT id FROM t WHERE b = 'A'"), "2");
        assert_eq!(run(s, "SELECT GROUP_CONCAT(id ORDER BY a) FROM t"), "1,2,4,3");
        assert_eq!(run(s, "SELECT id FROM t ORDER BY b"), "2\n1\n3\n4");
        assert_eq!(run(s, "SELECT MIN(a), MAX(a), COUNT(DISTINCT b) FROM t"), "u\tä\t4");
        assert_eq!(run(s, "SELECT id FROM t WHERE a > 'z' AND a < 'ö'"), "3");
        assert_eq!(
            run(s, "SELECT HEX(a), LENGTH(a), CHARSET(a) FROM t WHERE id = 3"),
            "E4\t1\tlatin1"
        );
    }
    // What is equal under another rule is refused, and nothing changes.
    assert_eq!(error(s, "ALTER TABLE t MODIFY a VARCHAR(9) COLLATE latin1_german1_ci"), 1062);
    assert_eq!(run(s, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t WHERE a IN ('U', 'Y')"), "1,2");
}

#[test]
fn characters_that_a_set_has_not_are_refused_or_marked() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (a VARCHAR(9), b VARCHAR(9) CHARSET utf8mb3, c TINYTEXT) CHARSET=latin1",
    );
    for value in ["(a) VALUES ('ж')", "(b) VALUES ('a😀')", "(c) VALUES ('你好你好')"] {
        assert_eq!(error(s, &format!("INSERT INTO t {value}")), 1366);
    }
    run(s, "INSERT IGNORE INTO t VALUES ('aжb', 'a😀', REPEAT('ä', 255))");
    assert_eq!(
        run(s, "SHOW WARNINGS").lines().next(),
        Some("Warning\t1366\tIncorrect string value: '\\xD0\\xB6b' for column 'a' at row 1")
    );
    assert_eq!(run(s, "SELECT a, b, LENGTH(c), CHAR_LENGTH(c) FROM t"), "a?b\ta?\t255\t255");
    run(s, "CREATE TABLE u (a VARCHAR(9))");
    run(s, "INSERT INTO u VALUES ('ж')");
    assert_eq!(error(s, "INSERT INTO t (a) SELECT a FROM u"), 1366);
    assert_eq!(error(s, "ALTER TABLE u CONVERT TO CHARACTER SET latin1"), 1366);
    run(s, "ALTER TABLE u CONVERT TO CHARACTER SET koi8r");
    assert_eq!(run(s, "SELECT a, HEX(a) FROM u"), "ж\tD6");
}

#[test]
fn texts_of_different_sets_mix_where_one_has_all_characters_of_the_other() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (a VARCHAR(5) CHARSET latin1, b VARCHAR(5) CHARSET ascii, c VARCHAR(5) \
         CHARSET cp1251, d VARCHAR(5), e VARCHAR(5) COLLATE utf8mb4_bin, f VARCHAR(5) COLLATE \
         utf8mb4_unicode_ci, g VARCHAR(5) CHARSET utf8mb3, i VARCHAR(5) COLLATE latin1_german1_ci, \
         j VARCHAR(5) COLLATE utf8mb4_0900_ai_ci)",
    );
    run(s, "INSERT INTO t VALUES ('ä', 'a', 'ж', 'ä', 'ä', 'ä', 'ä', 'ü', 'ä')");
    for (expression, number) in [
        ("a = c", 1267),
        ("a = i", 1267),
        ("f = j", 1267),
        ("CONCAT(a, c)", 1267),
        ("IFNULL(a, c)", 1267),
        ("COALESCE(a, b, c)", 1270),
        ("a = 'ж'", 3854),
        ("b = 'ä'", 3854),
        ("a IN ('ж')", 3854),
        ("a LIKE 'ж'", 3854),
        ("a BETWEEN 'a' AND 'ж'", 3854),
        ("CONCAT(a, 'ж')", 3854),
        ("a COLLATE utf8mb4_bin", 1253),
        ("'a' COLLATE latin1_bin", 1253),
    ] {
        assert_eq!(error(s, &format!("SELECT {expression} FROM t")), number, "{expression}");
    }
    for (expression, value) in [
        ("a = b", "0"),
        ("b = c", "0"),
        ("a = d", "1"),
        ("d = e", "1"),
        ("a = g", "1"),
        ("d = g", "1"),
        ("c = g", "0"),
        ("c = 'ж'", "1"),
        ("i = 'Y'", "0"),
        ("a = CAST('ä' AS CHAR)", "1"),
        ("a COLLATE latin1_bin = i", "0"),
        ("CHARSET(CONCAT(a, 'x'))", "latin1"),
        ("COLLATION(CONCAT(a, g))", "utf8mb3_general_ci"),
        ("COLLATION(IFNULL(a, 'x'))", "latin1_swedish_ci"),
        ("COLLATION(CONVERT(d USING koi8u))", "koi8u_general_ci"),
        ("COERCIBILITY(_latin1'x')", "4"),
        ("HEX(c)", "E6"),
        ("HEX(g)", "C3A4"),
        ("MD5(a) = MD5(X'E4')", "1"),
        ("a = 1", "0"),
    ] {
        for executor in ["rows", "columns"] {
            run(s, &format!("SET rowhouse_executor = '{executor}'"));
            assert_eq!(run(s, &format!("SELECT {expression} FROM t")), value, "{expression}");
        }
    }
}

#[test]
fn sets_and_collations_are_listed_and_a_connection_takes_the_databases() {
    let s = &mut session(&server());
    let count = |what: &str| format!("SELECT COUNT(*) FROM information_schema.{what}");
    assert_eq!(run(s, &count("character_sets")), "41");
    assert_eq!(run(s, &count("collations")), "285");
    assert_eq!(
        run(s, "SHOW COLLATION LIKE 'latin2_c%'"),
        "latin2_croatian_ci\tlatin2\t27\t\tYes\t1\tPAD SPACE\n\
         latin2_czech_cs\tlatin2\t2\t\tYes\t4\tPAD SPACE"
    );
    assert_eq!(run(s, "SHOW CHARACTER SET LIKE 'sw%'"), "swe7\t7bit Swedish\tswe7_swedish_ci\t1");
    run(s, "CREATE DATABASE l CHARACTER SET latin1");
    assert!(run(s, "SHOW CREATE DATABASE l").contains("DEFAULT CHARACTER SET latin1 */"));
    run(s, "USE l");
    run(s, "SET CHARACTER SET utf8mb4");
    let connection = "SELECT @@collation_connection, @@character_set_connection";
    assert_eq!(run(s, connection), "latin1_swedish_ci\tlatin1");
    run(s, "SET NAMES latin1");
    assert_eq!(run(s, "SELECT COLLATION('a'), CHARSET('a')"), "latin1_swedish_ci\tlatin1");
    let by_name = "SELECT COUNT(*) FROM information_schema.schemata \
                   WHERE schema_name COLLATE utf8_bin = 'l' AND schema_name COLLATE utf8_bin <> 'L'";
    assert_eq!(run(s, by_name), "1");
    assert_eq!(error(s, "SELECT 'a' COLLATE utf8mb4_bin"), 1253);
    run(s, "CREATE TABLE t (a CHAR(1))");
    assert!(run(s, "SHOW CREATE TABLE t").contains("DEFAULT CHARSET=latin1"));
}

#[test]
fn alter_table_kept_utf8_where_a_text_of_another_set_became_bytes() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE m (id INT PRIMARY KEY, s VARCHAR(20) CHARACTER SET latin1)");
    run(s, "INSERT INTO m VALUES (1, 'Ã©'), (2, NULL)");
    run(s, "ALTER TABLE m MODIFY s VARBINARY(20)");
    assert_eq!(run(s, "SELECT HEX(s) FROM m WHERE id = 1"), "C3A9");
    run(s, "ALTER TABLE m MODIFY s VARCHAR(20) CHARACTER SET utf8mb4");
    assert_eq!(run(s, "SELECT s FROM m"), "é\nNULL");
    run(s, "ALTER TABLE m MODIFY s BLOB");
    run(s, "ALTER TABLE m MODIFY s TEXT CHARACTER SET latin1");
    assert_eq!(run(s, "SELECT s, CHAR_LENGTH(s) FROM m WHERE id = 1"), "Ã©\t2");
}

#[test]
fn words_of_another_set_kept_utf8_as_bytes_and_bytes_were_read_as_utf8() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('é') CHARACTER SET latin1, \
         s SET('é') CHARACTER SET latin1, a VARCHAR(9) CHARACTER SET latin1, \
         w VARCHAR(9) CHARACTER SET utf16)",
    );
    run(s, "INSERT INTO t VALUES (1, 'é', 'é', X'C3A9', X'00E9')");
    assert_eq!(run(s, "SELECT a, w FROM t"), "Ã©\té");
    run(s, "CREATE TABLE b (id INT, e BLOB, s VARBINARY(9), a VARBINARY(9), w BLOB)");
    run(s, "INSERT INTO b SELECT * FROM t");
    assert_eq!(run(s, "SELECT HEX(e), HEX(s), HEX(a), HEX(w) FROM b"), "E9\tE9\tC3A9\t00E9");
    run(s, "DELETE FROM t");
    run(s, "INSERT INTO t SELECT * FROM b");
    assert_eq!(run(s, "SELECT e, s, a, w FROM t"), "é\té\tÃ©\té");
    run(s, "UPDATE t SET a = X'E4'");
    assert_eq!(run(s, "SELECT a FROM t"), "ä");
    assert_eq!(error(s, "UPDATE t SET w = X'D800'"), 1366);
}

#[test]
fn cast_read_bytes_as_utf8_and_ord_saw_utf8_in_every_set() {
    let s = &mut session(&server());
    let cast = "SELECT CAST(X'E4' AS CHAR CHARACTER SET latin1), \
                CAST(X'D0B1' AS CHAR CHARACTER SET latin1), \
                HEX(CAST(X'C3A4' AS CHAR(1) CHARACTER SET cp1251))";
    assert_eq!(run(s, cast), "ä\tÐ±\tC3");
    assert_eq!(run(s, "SELECT CONVERT(0xE4 USING sjis), CHAR(228 USING sjis)"), "NULL\tNULL");
    let bits = "SELECT _latin1 b'11101001', HEX(_latin1 B'11101001'), _cp1251 0b11111111";
    assert_eq!(run(s, bits), "é\tE9\tя");
    let codes = "SELECT ORD(_latin1 X'C3A4'), ORD(_gbk X'B0A1'), ORD('ä'), ORD(BINARY 'ä')";
    assert_eq!(run(s, codes), "195\t45217\t50084\t195");
}

#[test]
fn ciphers_saw_utf8_in_every_set_and_letters_without_a_capital_were_lost() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, l VARCHAR(9) CHARACTER SET latin1, \
         g VARCHAR(9) CHARACTER SET gbk)",
    );
    run(s, "INSERT INTO t VALUES (1, 'é', 'é')");
    let same = "SELECT AES_ENCRYPT(l, 'k') = AES_ENCRYPT(X'E9', 'k'), \
                HEX(UNCOMPRESS(COMPRESS(l))), HEX(AES_DECRYPT(AES_ENCRYPT(g, l), X'E9')) FROM t";
    assert_eq!(run(s, same), "1\tE9\tA8A6");
    assert_eq!(run(s, "SELECT UPPER(g), HEX(UPPER(g)), UPPER(l) FROM t"), "é\tA8A6\tÉ");
}
