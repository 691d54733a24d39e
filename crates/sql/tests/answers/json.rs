//! Answers about JSON that were wrong once.

use crate::harness::{error, run, server, session};

#[test]
fn json_compared_as_text_and_booleans_became_numbers() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)");
    run(
        s,
        "INSERT INTO t VALUES (1, '{\"a\":1,\"s\":\"x\",\"b\":true}'), (2, '{\"a\":2,\"b\":false}')",
    );
    for condition in
        ["j->'$.a' = 1", "j->>'$.s' = 'x'", "json_extract(j, '$.s') = 'x'", "j->'$.b' = true"]
    {
        assert_eq!(run(s, &format!("SELECT id FROM t WHERE {condition}")), "1", "{condition}");
    }
    assert_eq!(
        run(s, "SELECT json_object('b', true, 'n', 1.50), json_array(1 = 1, 2)"),
        "{\"b\": true, \"n\": 1.50}\t[true, 2]"
    );
}

#[test]
fn json_was_sorted_and_grouped_as_text_by_both_executors() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)");
    run(
        s,
        "INSERT INTO t VALUES (1, '\"b\"'), (2, '10'), (3, '9'), (4, '[1,2]'), (5, '[3]'), (6, '{\"a\":1}'),
         (7, 'null'), (8, NULL), (9, 'true'), (10, 'false'), (11, '10.0'), (12, '{\"a\":1,\"b\":2}'),
         (13, '{\"b\":2, \"a\":1}'), (14, '-3')",
    );
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (query, rows) in [
            ("SELECT id FROM t ORDER BY j, id", "8 7 14 3 2 11 1 6 12 13 5 4 10 9"),
            ("SELECT id FROM t ORDER BY j DESC, id", "9 10 4 5 12 13 6 1 2 11 3 14 7 8"),
            ("SELECT MIN(id) FROM t GROUP BY j HAVING COUNT(*) > 1 ORDER BY 1", "2 12"),
            ("SELECT COUNT(*) FROM (SELECT DISTINCT j FROM t) d", "12"),
            ("SELECT COUNT(DISTINCT j) FROM t", "11"),
            ("SELECT CONCAT(MIN(j), ' ', MAX(j)) FROM t WHERE id IN (2, 3)", "9 10"),
            ("SELECT CONCAT(MIN(j), ' ', MAX(j)) FROM t", "null true"),
            ("SELECT a.id FROM t a JOIN t b ON a.j = b.j AND a.id < b.id ORDER BY 1", "2 12"),
            ("SELECT id FROM t WHERE j IN (SELECT j FROM t WHERE id = 11) ORDER BY id", "2 11"),
            ("SELECT RANK() OVER (ORDER BY j) r FROM t WHERE id IN (2, 3, 11) ORDER BY 1", "1 2 2"),
        ] {
            assert_eq!(run(s, query).replace('\n', " "), rows, "{executor}: {query}");
        }
    }
}

#[test]
fn json_null_was_not_its_text_in_case_and_a_column_no_candidate_of_json_contains() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)");
    run(
        s,
        "INSERT INTO t VALUES (1, '{\"a\": null}'), (2, '{\"a\": \"x\"}'), (3, '{\"a\": true}')",
    );
    let chosen =
        "CASE j->'$.a' WHEN 'null' THEN 1 WHEN 'x' THEN 2 WHEN '\"x\"' THEN 3 WHEN 1 THEN 4 END";
    assert_eq!(run(s, &format!("SELECT {chosen} FROM t ORDER BY id")), "1\n3\n4");
    assert_eq!(run(s, "SELECT id FROM t WHERE j->'$.a' = 'null'"), "");
    let holds = "json_contains('{\"a\": \"x\", \"b\": 1}', j)";
    assert_eq!(run(s, &format!("SELECT id FROM t WHERE {holds}")), "2");
    assert_eq!(run(s, "SELECT SUM(j->'$.a') FROM t"), "1");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT id FROM t WHERE j->'$.a' ORDER BY id"), "1\n2\n3");
        assert_eq!(run(s, "SELECT IF(j->'$.a', 1, 0) FROM t ORDER BY id"), "0\n0\n1");
    }
}

#[test]
fn json_functions_let_paths_and_words_pass_that_mysql_refuses() {
    let sql = server();
    let s = &mut session(&sql);
    for (call, number) in [
        ("json_remove('{\"a\":1}', '$')", 3153),
        ("json_set('{\"a\":1}', '$.*', 1)", 3149),
        ("json_insert('[1]', '$[0 to 1]', 1)", 3149),
        ("json_contains('{\"a\":1}', '1', '$**.a')", 3149),
        ("json_contains_path('{\"a\":1}', 'two', '$.a')", 3154),
        ("json_extract('[1]', '$[1 to 0]')", 3143),
        ("json_extract(1, '$')", 3146),
        ("json_set('{}', '$.a')", 1582),
        ("json_set('{}', '$.a', 1, '$.b')", 1582),
        ("json_array_insert('[1]', '$.a', 0)", 3165),
    ] {
        assert_eq!(error(s, &format!("SELECT {call}")), number, "{call}");
    }
    for (call, value) in [
        ("json_contains_path('{\"a\":1}', NULL, '$.a')", "NULL"),
        ("json_contains_path('{\"a\":1}', 'one', '$.a', NULL)", "1"),
        ("json_merge_preserve('[1]', NULL)", "NULL"),
        ("json_set('1', '$[last-1]', 2)", "[2, 1]"),
        ("json_keys('{\"bb\":1,\"c\":2}')", "[\"c\", \"bb\"]"),
        (
            "json_object('t', TIME'10:11:12', 'n', 1.50)",
            "{\"n\": 1.50, \"t\": \"10:11:12.000000\"}",
        ),
        ("2 MEMBER OF ('[1, 2]')", "1"),
        ("json_storage_size('{\"a\":1}')", "13"),
        ("cast('{\"b\":1,\"a\":2}' AS JSON)", "{\"a\": 2, \"b\": 1}"),
    ] {
        assert_eq!(run(s, &format!("SELECT {call}")), value, "{call}");
    }
}

#[test]
fn field_compared_json_as_json_where_texts_alone_stand() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE j (id INT PRIMARY KEY, d JSON)");
    run(s, "INSERT INTO j VALUES (1, '{\"a\": null}'), (2, '{\"a\": \"x\"}'), (3, '{\"a\": 1}')");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let found =
            "SELECT FIELD(JSON_EXTRACT(d, '$.a'), 'null', 'x', '1', '\"x\"') FROM j ORDER BY id";
        assert_eq!(run(s, found), "1\n4\n3", "{executor}");
    }
}

#[test]
fn documents_were_stored_as_the_texts_that_came_in() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, j JSON, t TEXT, l JSON) ENGINE=COLUMNAR");
    run(s, "INSERT INTO t VALUES (1, '{\"b\":1,\"a\":[1,2],\"b\":{}}', ' [1,{}] ', NULL)");
    run(s, "UPDATE t SET l = t");
    run(s, "ALTER TABLE t MODIFY t JSON");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT j, t, l FROM t"), "{\"a\": [1, 2], \"b\": {}}\t[1, {}]\t[1, {}]");
    }
    // Digits that serde_json takes for those of a neighbour.
    assert_eq!(run(s, "SELECT JSON_EXTRACT('[36.24489171403271]', '$[0]')"), "36.24489171403271");
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    let insert = format!("INSERT IGNORE INTO t (id, j) VALUES (2, '{deep}')");
    assert_eq!(error(s, &insert), 3157);
}
