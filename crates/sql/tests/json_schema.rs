//! JSON_SCHEMA_VALID and JSON_SCHEMA_VALIDATION_REPORT. MySQL 9.7 answers as these tests say.

use crate::harness::{error, run, server, session};

/// Schema, document, and where the first requirement fails: in the document, in the schema, and
/// the word; nothing where it is valid.
const CASES: [(&str, &str, &str); 52] = [
    (r#"{"type":"object"}"#, "[]", "# # type"),
    (r#"{"type":"object"}"#, "{}", ""),
    (r#"{"type":["string","null"]}"#, "1", "# # type"),
    (r#"{"type":["string","null"]}"#, "null", ""),
    (r#"{"type":"integer"}"#, "1.0", "# # type"),
    (r#"{"type":"number"}"#, "1", ""),
    (r#"{"type":"nosuch"}"#, "1", "# # type"),
    (r#"{"enum":[1,"a"]}"#, "2", "# # enum"),
    (r#"{"enum":[1,"a"]}"#, "1.0", ""),
    (
        r#"{"properties":{"a":{"properties":{"b":{"minLength":3}}}}}"#,
        r#"{"a":{"b":"xy"}}"#,
        "#/a/b #/properties/a/properties/b minLength",
    ),
    (r#"{"maxLength":2}"#, r#""äöü""#, "# # maxLength"),
    (r#"{"maxLength":3}"#, r#""äöü""#, ""),
    (r#"{"minLength":-1}"#, r#""""#, ""),
    (r#"{"pattern":"^a+$"}"#, r#""b""#, "# # pattern"),
    (r#"{"pattern":"("}"#, r#""b""#, ""),
    (r#"{"minimum":5,"exclusiveMinimum":true}"#, "5", "# # minimum"),
    (r#"{"minimum":5}"#, "5", ""),
    (r#"{"maximum":5,"exclusiveMaximum":true}"#, "5", "# # maximum"),
    (r#"{"exclusiveMaximum":5}"#, "5", ""),
    (r#"{"multipleOf":3}"#, "5", "# # multipleOf"),
    (r#"{"multipleOf":0.1}"#, "0.3", ""),
    (r#"{"items":{"type":"string"}}"#, r#"["a",1]"#, "#/1 #/items type"),
    (
        r#"{"items":[{"type":"string"}],"additionalItems":false}"#,
        r#"["a",1]"#,
        "#/1 # additionalItems",
    ),
    (
        r#"{"items":[{"type":"string"}],"additionalItems":{"type":"null"}}"#,
        r#"["a",1]"#,
        "#/1 #/additionalItems type",
    ),
    (r#"{"minItems":2}"#, "[1]", "# # minItems"),
    (r#"{"maxItems":0}"#, "[1]", "# # maxItems"),
    (r#"{"uniqueItems":true}"#, "[1,1.0]", "#/1 # uniqueItems"),
    (r#"{"minProperties":1}"#, "{}", "# # minProperties"),
    (r#"{"maxProperties":0}"#, r#"{"a":1}"#, "# # maxProperties"),
    (
        r#"{"additionalProperties":false,"properties":{"a":{}},"patternProperties":{"^x":{}}}"#,
        r#"{"a":1,"x1":2,"z":3}"#,
        "#/z # additionalProperties",
    ),
    (
        r#"{"additionalProperties":{"type":"string"}}"#,
        r#"{"a":1}"#,
        "#/a #/additionalProperties type",
    ),
    (
        r#"{"patternProperties":{"^x":{"type":"string"}}}"#,
        r#"{"x1":2}"#,
        "#/x1 # patternProperties",
    ),
    (r#"{"dependencies":{"a":["b"]}}"#, r#"{"a":1}"#, "# # dependencies"),
    (r#"{"dependencies":{"a":{"required":["c"]}}}"#, r#"{"a":1}"#, "# # dependencies"),
    (r#"{"allOf":[{"type":"string"},{"maxLength":1}]}"#, r#""ab""#, "# # allOf"),
    (r#"{"anyOf":[{"type":"string"},{"maximum":1}]}"#, "2", "# # anyOf"),
    (r#"{"oneOf":[{"type":"integer"},{"maximum":1}]}"#, "1", "# # oneOf"),
    (r#"{"oneOf":[{"type":"string"},{"maximum":1}]}"#, "2", "# # oneOf"),
    (r#"{"oneOf":[{"type":"string"},{"maximum":1}]}"#, "1", ""),
    (r#"{"not":{"type":"integer"}}"#, "2", "# # not"),
    (
        r##"{"$ref":"#/definitions/p","definitions":{"p":{"type":"string"}}}"##,
        "2",
        "# #/definitions/p type",
    ),
    (
        r##"{"properties":{"a":{"$ref":"#/definitions/p"}},"definitions":{"p":{"type":"string"}}}"##,
        r#"{"a":2}"#,
        "#/a #/definitions/p type",
    ),
    (r##"{"$ref":"#/nosuch"}"##, "2", ""),
    (r##"{"$ref":"#"}"##, "2", ""),
    (
        r##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##,
        r#"{"next":{"next":[]}}"#,
        "#/next/next # type",
    ),
    (r#"{"format":"email"}"#, r#""x""#, ""),
    (r#"{"required":[]}"#, "{}", ""),
    (r#"{"required":["a"]}"#, "{}", "# # required"),
    (
        r#"{"properties":{"a/b~c":{"type":"string"}}}"#,
        r#"{"a/b~c":1}"#,
        "#/a~1b~0c #/properties/a~1b~0c type",
    ),
    (
        r#"{"properties":{"a b":{"type":"string"}}}"#,
        r#"{"a b":1}"#,
        "#/a%20b #/properties/a%20b type",
    ),
    (r#"{"type":"string","maxLength":1,"minLength":5}"#, r#""abc""#, "# # minLength"),
    (
        r#"{"required":["b"],"properties":{"a":{"type":"string"}}}"#,
        r#"{"a":1}"#,
        "#/a #/properties/a type",
    ),
];

#[test]
fn the_first_requirement_that_fails_is_told() {
    let sql = server();
    let s = &mut session(&sql);
    for (schema, document, wanted) in CASES {
        let arguments = format!("'{schema}', '{document}'");
        let report = run(s, &format!("SELECT JSON_SCHEMA_VALIDATION_REPORT({arguments})"));
        let expected = match wanted.split(' ').collect::<Vec<_>>().as_slice() {
            [at, of, word] => format!(
                "{{\"valid\": false, \"reason\": \"The JSON document location '{at}' failed \
                 requirement '{word}' at JSON Schema location '{of}'\", \"schema-location\": \"{of}\", \
                 \"document-location\": \"{at}\", \"schema-failed-keyword\": \"{word}\"}}"
            ),
            _ => "{\"valid\": true}".to_owned(),
        };
        assert_eq!(report, expected, "{arguments}");
        let valid = run(s, &format!("SELECT JSON_SCHEMA_VALID({arguments})"));
        assert_eq!(valid, if wanted.is_empty() { "1" } else { "0" }, "{arguments}");
    }
}

#[test]
fn what_is_no_schema_is_an_error() {
    let sql = server();
    let s = &mut session(&sql);
    for (arguments, code) in [
        ("'[]', '1'", 3853),
        ("'true', '1'", 3853),
        ("'{', '1'", 3141),
        ("'{}', '{'", 3141),
        ("'{}', 1", 3146),
        (r#"'{"$ref":"http://x/y"}', '1'"#, 1235),
    ] {
        let statement = format!("SELECT JSON_SCHEMA_VALID({arguments})");
        assert_eq!(error(s, &statement), code, "{arguments}");
    }
    assert_eq!(
        run(s, "SELECT JSON_SCHEMA_VALID(NULL, '1'), JSON_SCHEMA_VALID('{}', NULL)"),
        "NULL\tNULL"
    );
}

#[test]
fn a_column_is_checked_by_a_condition() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, d JSON,
         CHECK (JSON_SCHEMA_VALID('{\"required\":[\"a\"]}', d)))",
    );
    run(s, "INSERT INTO t VALUES (1, '{\"a\":1}'), (2, NULL)");
    assert_eq!(error(s, "INSERT INTO t VALUES (3, '{}')"), 3819);
    for executor in ["auto", "rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let valid = "SELECT id FROM t WHERE JSON_SCHEMA_VALID('{\"properties\":{\"a\":{\"minimum\":1}}}', d)";
        assert_eq!(run(s, valid), "1");
    }
}
