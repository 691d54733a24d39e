//! JSON_TABLE: the rows that MySQL 9.7 gives to the same statements
//! (tests/oracle/sql/json-table.sql has more of them).

use crate::harness::{error, run, server, session};

/// A query of a document's rows.
fn rows(document: &str, path: &str, columns: &str) -> String {
    format!("SELECT * FROM JSON_TABLE('{document}', '{path}' COLUMNS ({columns})) t")
}

#[test]
fn parts_of_a_document_are_rows_with_their_numbers_and_members() {
    let sql = server();
    let s = &mut session(&sql);
    let columns = "n FOR ORDINALITY, a INT PATH '$.a', b VARCHAR(9) PATH '$.b', \
                   e INT EXISTS PATH '$.b'";
    let query = rows("[{\"a\":1,\"b\":\"x\"},{\"a\":\"2\"},{\"b\":null}]", "$[*]", columns);
    assert_eq!(run(s, &query), "1\t1\tx\t1\n2\t2\tNULL\t0\n3\tNULL\tNULL\t1");
    assert_eq!(run(s, &rows("{}", "$[*]", "a INT PATH '$'")), "");
    let query = "SELECT v FROM JSON_TABLE('[3,1,2]', '$[*]' COLUMNS (v INT PATH '$')) t \
                 ORDER BY v DESC LIMIT 2";
    assert_eq!(run(s, query), "3\n2");
}

#[test]
fn nested_paths_make_rows_one_after_the_other() {
    let sql = server();
    let s = &mut session(&sql);
    let columns = "a INT PATH '$.a', NESTED PATH '$.k[*]' COLUMNS (o FOR ORDINALITY, \
                   k INT PATH '$'), NESTED PATH '$.l[*]' COLUMNS (l CHAR(3) PATH '$')";
    let document = "[{\"a\":1,\"k\":[10,20],\"l\":[\"x\"]},{\"a\":2,\"k\":[]},{\"a\":3,\"k\":[7]}]";
    let expected = "1\t1\t10\tNULL\n1\t2\t20\tNULL\n1\tNULL\tNULL\tx\n2\tNULL\tNULL\tNULL\n\
                    3\t1\t7\tNULL";
    assert_eq!(run(s, &rows(document, "$[*]", columns)), expected);
}

#[test]
fn what_is_empty_or_no_value_of_the_type_is_null_a_default_or_an_error() {
    let sql = server();
    let s = &mut session(&sql);
    let documents = "[{\"a\":\"x\"},{},{\"a\":[1]}]";
    let query = |clauses: &str| rows(documents, "$[*]", &format!("a INT PATH '$.a' {clauses}"));
    assert_eq!(run(s, &query("")), "NULL\nNULL\nNULL");
    assert_eq!(run(s, &query("DEFAULT '5' ON EMPTY DEFAULT '6' ON ERROR")), "6\n5\n6");
    assert_eq!(error(s, &query("ERROR ON ERROR")), 3156);
    assert_eq!(error(s, &query("ERROR ON EMPTY")), 3665);
    assert_eq!(error(s, &query("DEFAULT 'x' ON EMPTY")), 3141);
    assert_eq!(error(s, &query("DEFAULT '\"x\"' ON EMPTY")), 3156);
    let one = |ty: &str, path: &str| {
        rows(
            "[{\"a\":[1,2],\"s\":\"abcd\"}]",
            "$[*]",
            &format!("v {ty} PATH '{path}' ERROR ON ERROR"),
        )
    };
    assert_eq!(error(s, &one("INT", "$.a")), 3666);
    assert_eq!(error(s, &one("VARCHAR(3)", "$.s")), 3669);
    assert_eq!(run(s, &one("JSON", "$.a[*]")), "[1, 2]");
}

#[test]
fn it_sees_the_tables_before_it_and_may_stand_wherever_a_table_does() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE jt (id INT PRIMARY KEY, j JSON)");
    run(s, "INSERT INTO jt VALUES (1,'[1,2]'),(2,'[]'),(3,'[{\"a\":5}]'),(4,NULL)");
    let table =
        |document: &str| format!("JSON_TABLE({document}, '$[*]' COLUMNS (v JSON PATH '$')) t");
    for (query, expected) in [
        (format!("SELECT id, v FROM jt, {}", table("j")), "1\t1\n1\t2\n3\t{\"a\": 5}"),
        (
            format!("SELECT id, v FROM jt LEFT JOIN {} ON TRUE", table("jt.j")),
            "1\t1\n1\t2\n2\tNULL\n3\t{\"a\": 5}\n4\tNULL",
        ),
        (
            format!("SELECT id, (SELECT COUNT(*) FROM {}) FROM jt", table("jt.j")),
            "1\t2\n2\t0\n3\t1\n4\t0",
        ),
        (format!("SELECT id FROM jt WHERE id IN (SELECT v FROM {})", table("'[1,4]'")), "1\n4"),
    ] {
        assert_eq!(run(s, &query), expected, "{query}");
    }
    run(s, "SET rowhouse_executor = 'columns'");
    assert_eq!(error(s, &format!("SELECT id, v FROM jt, {}", table("j"))), 1235);
    run(s, "SET rowhouse_executor = 'auto'");
    assert_eq!(error(s, &format!("SELECT * FROM {}, jt", table("j"))), 1054);
    run(s, &format!("CREATE VIEW jv AS SELECT id, v FROM jt, {}", table("j")));
    assert_eq!(run(s, "SELECT id FROM jv WHERE v = 2"), "1");
    assert!(run(s, "SHOW CREATE VIEW jv").contains("columns (`v` json path '$'))"));
    let query = format!("SELECT v FROM {} WHERE v > ?", table("?")).replace('\'', "''");
    run(s, &format!("PREPARE p FROM '{query}'"));
    run(s, "SET @j = '[1,5,9]', @n = 3");
    assert_eq!(run(s, "EXECUTE p USING @j, @n"), "5\n9");
    run(s, &format!("UPDATE jt, {} SET jt.id = jt.id + 100 WHERE t.v = 2", table("jt.j")));
    run(s, &format!("DELETE jt FROM jt, {} WHERE t.v = 1", table("jt.j")));
    run(s, &format!("INSERT INTO jt SELECT v + 50, NULL FROM {}", table("'[1,2]'")));
    assert_eq!(run(s, "SELECT id FROM jt ORDER BY id"), "2\n3\n4\n51\n52");
}

#[test]
fn documents_paths_and_names_that_are_wrong_are_told() {
    let sql = server();
    let s = &mut session(&sql);
    for (query, code) in [
        (rows("x", "$[*]", "i INT PATH '$'"), 3141),
        ("SELECT * FROM JSON_TABLE(5, '$' COLUMNS (i INT PATH '$')) t".to_owned(), 3146),
        (rows("{}", "bad", "i INT PATH '$'"), 3143),
        (rows("{}", "$", "i INT PATH 'bad'"), 3143),
        (rows("{}", "$", "i INT PATH '$', I INT PATH '$'"), 1060),
        ("SELECT * FROM JSON_TABLE('{}', '$' COLUMNS (i INT PATH '$'))".to_owned(), 3667),
        (rows("{}", "$", "i INT PATH '$.b' DEFAULT 5 ON EMPTY"), 1235),
    ] {
        assert_eq!(error(s, &query), code, "{query}");
    }
}
