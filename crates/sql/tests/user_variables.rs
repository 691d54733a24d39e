//! Names of user variables in quotes and with points, and operators that stand directly before one.
//! Their answers stand next to MySQL's in `tests/oracle/sql/user-variables.sql`.

use crate::harness::{run, server, session};

#[test]
fn a_variable_with_its_name_in_quotes_was_another_one_and_null() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a INT)");
    run(s, "INSERT INTO t VALUES (1, 5), (2, 6), (3, 7)");
    run(s, "SET @u = 6, @`a b` = 7, @'c' = 8, @\"d\" = 9, @e.f = 10, @e = 1, @5 = 11");
    assert_eq!(run(s, "SELECT @u, @`u`, @'u', @\"u\", @`U` + 1"), "6\t6\t6\t6\t7");
    assert_eq!(run(s, "SELECT @`a b`, @c, @'d', @e.f, @`e.f`, @e, @5"), "7\t8\t9\t10\t10\t1\t11");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT id FROM t WHERE a = @`u`"), "2", "{executor}");
        assert_eq!(run(s, "SELECT id FROM t WHERE a IN (@'u', 0)"), "2", "{executor}");
    }
    run(s, "SET rowhouse_executor = 'auto'");
    run(s, "INSERT INTO t VALUES (4, @'c')");
    run(s, "UPDATE t SET a = @\"d\" WHERE id = 1");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a ORDER BY id) FROM t"), "9,6,7,8");
    run(s, "SELECT MAX(a), MIN(a) FROM t INTO @`most of all`, @'least'");
    assert_eq!(run(s, "SELECT @`most of all`, @least"), "9\t6");
    run(s, "PREPARE p FROM 'SELECT ? + @`u`'");
    assert_eq!(run(s, "EXECUTE p USING @`a b`"), "13");
    assert_eq!(run(s, "SELECT @`w` := 5, @w"), "5\t5");
}

#[test]
fn an_operator_directly_before_a_variable_was_one_of_postgresql() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a INT)");
    run(s, "INSERT INTO t VALUES (1, 5), (2, 6), (3, 7)");
    run(s, "SET @u = 6");
    assert_eq!(run(s, "SELECT id FROM t WHERE a<@u"), "1");
    assert_eq!(run(s, "SELECT id FROM t WHERE a<@`u`"), "1");
    assert_eq!(run(s, "SELECT id FROM t WHERE a<@@div_precision_increment+2"), "1");
    assert_eq!(run(s, "SELECT a^@u FROM t WHERE id = 1"), "3");
    assert_eq!(run(s, "SELECT 5<@u, 7<@u"), "1\t0");
}

#[test]
fn bytes_in_a_variable_were_a_text_that_found_and_removed_more() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), KEY (a))");
    run(s, "INSERT INTO t VALUES (1, 'aa'), (2, 'AA'), (3, 'Aa'), (4, '05'), (5, '5')");
    run(s, "SET @v = UNHEX('4141'), @n = 5");
    assert_eq!(run(s, "SELECT @v = 'aa', COLLATION(@v)"), "0\tbinary");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT id FROM t WHERE a = @v"), "2", "{executor}");
        assert_eq!(run(s, "SELECT GROUP_CONCAT(id) FROM t WHERE a = @n"), "4,5", "{executor}");
    }
    run(s, "SET rowhouse_executor = 'auto'");
    run(s, "DELETE FROM t WHERE a = @v");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"), "1,3,4,5");
    run(s, "SET @v = 'aa'");
    run(s, "DELETE FROM t WHERE a = @v");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"), "4,5", "a plan was kept");
    run(s, "DELETE FROM t WHERE a = @n");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0", "a number is compared as one");
}

#[test]
fn assignments_of_a_list_were_made_before_the_rows_were_sorted() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (g INT, a INT, KEY (g))");
    run(s, "INSERT INTO t VALUES (1, 5), (2, 3), (1, 3), (2, 4), (1, 2), (2, 5), (1, 1)");
    let numbered = "SELECT @n := @n + 1 AS n, a FROM t, (SELECT @n := 0) i ORDER BY a, g";
    let in_order = "1\t1\n2\t2\n3\t3\n4\t3\n5\t4\n6\t5\n7\t5";
    assert_eq!(run(s, numbered), in_order);
    // The two highest of each group.
    let highest = "SELECT g, a FROM (SELECT g, a, @n := IF(@g = g, @n + 1, 1) AS n, @g := g \
                   FROM t, (SELECT @n := 0, @g := 0) i ORDER BY g, a DESC) q WHERE n <= 2";
    assert_eq!(run(s, highest), "1\t5\n1\t3\n2\t5\n2\t4");
    run(s, "SET @n = 0");
    assert_eq!(run(s, "SELECT @n := @n + 1, a FROM t ORDER BY a LIMIT 2"), "1\t1\n2\t2");
    assert_eq!(run(s, "SELECT @n"), "2", "what LIMIT leaves out is not counted");
    run(s, "CREATE TABLE u SELECT @n := @n + 1 AS n, a FROM t ORDER BY a DESC, g");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a ORDER BY n) FROM u"), "5,5,4,3,3,2,1");
    run(s, "SET @n = 0");
    run(s, "INSERT INTO u SELECT 100 + (@n := @n + 1), a FROM t ORDER BY a LIMIT 3");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a ORDER BY n) FROM u WHERE n > 100"), "1,2,3");
    run(s, "PREPARE p FROM 'SELECT @n := @n + ?, a FROM t WHERE g = ? ORDER BY a'");
    run(s, "SET @n = 0, @step = 10, @g = 2");
    assert_eq!(run(s, "EXECUTE p USING @step, @g"), "10\t3\n20\t4\n30\t5");
}
