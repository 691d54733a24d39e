//! CSV and JSON lines.

use super::house::House;

/// The columns that a query over files has, as a table has them.
fn types_of(h: &mut House, call: &str) -> String {
    h.run("DROP TABLE IF EXISTS typed");
    h.run(&format!("CREATE TABLE typed AS SELECT * FROM {call} LIMIT 0"));
    h.run(
        "SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'typed' \
         ORDER BY ORDINAL_POSITION",
    )
    .replace('\t', " ")
    .replace('\n', ", ")
}

#[test]
fn csv_is_read_with_the_types_that_its_values_show() {
    let mut h = House::new();
    h.write(
        "a.csv",
        "id,name,price,day,seen,ok,zip,note\n1,Ann,1.5,2024-01-31,2024-01-31 10:00:00,true,00123,\n\
         2,\"Bob, \"\"B\"\"\",2,2024-02-01,2024-02-01T11:00:00.5,false,12345,\"two\nlines\"\n\
         3,\\N,,,,,,x",
    );
    assert_eq!(
        types_of(&mut h, "FILE('a.csv')"),
        "id bigint, name longtext, price double, day date, seen datetime(6), ok tinyint(1), zip \
         longtext, note longtext"
    );
    assert_eq!(
        h.run("SELECT * FROM FILE('a.csv') ORDER BY id"),
        "1\tAnn\t1.5\t2024-01-31\t2024-01-31 10:00:00.000000\t1\t00123\tNULL\n\
         2\tBob, \"B\"\t2\t2024-02-01\t2024-02-01 11:00:00.500000\t0\t12345\ttwo\nlines\n\
         3\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tx"
    );
    assert_eq!(h.run("SELECT SUM(price), COUNT(note) FROM FILE('a.csv') WHERE id < 3"), "3.5\t1");
    let plan = h.run("EXPLAIN SELECT id FROM FILE('a.csv')");
    assert!(plan.contains("FileScan: 1 CSV file 'a.csv', columns [id]"), "{plan}");
}

#[test]
fn options_say_how_csv_is_written() {
    let mut h = House::new();
    h.write("a.txt", "1|'a|b'|-\n2|'it\\'s'|x\n");
    let form = "format => 'csv', header => FALSE, delimiter => '|', quote => '''', escape => '\\\\', \
                nulls => '-'";
    assert_eq!(
        h.run(&format!("SELECT c1, c2, c3 FROM FILE('a.txt', {form})")),
        "1\ta|b\tNULL\n2\tit's\tx"
    );
    let typed =
        format!("FILE('a.txt', {form}, columns => 'n SMALLINT UNSIGNED, t VARCHAR(4), c CHAR(1)')");
    assert_eq!(types_of(&mut h, &typed), "n smallint unsigned, t varchar(4), c char(1)");
    assert_eq!(h.run(&format!("SELECT n + 1, t FROM {typed}")), "2\ta|b\n3\tit's");
    // With an equals sign, and a tabulator by the name's end.
    h.write("b.tsv", "a\tb\n1\t\"x\ty\"\n");
    assert_eq!(h.run("SELECT b FROM FILE('b.tsv', header = TRUE)"), "x\ty");
    // NULL is what nulls says, and nothing else.
    h.write("c.csv", "a,b\n,\"\"\nNA,\\N\n");
    assert_eq!(h.run("SELECT HEX(a), HEX(b) FROM FILE('c.csv', nulls => 'NA')"), "\t\nNULL\t5C4E");
    for (call, names) in [
        ("FILE('a.csv', heading => TRUE)", "heading"),
        ("FILE('a.csv', header => 'yes')", "header"),
        ("FILE('a.csv', delimiter => '||')", "delimiter"),
        ("FILE('a.csv', delimiter => '')", "delimiter"),
        ("FILE('a.csv', format => 'xml')", "xml"),
        ("FILE('a.csv', TRUE)", "=>"),
        ("FILE(1)", "path"),
        ("FILE()", "path"),
        ("FILE('a.txt')", "a.txt"),
        ("FILE('c.csv', columns => 'a INT')", "2 fields"),
        ("FILE('c.csv', delimiter => '\"')", "quote"),
        ("FILE('d.jsonl', header => TRUE)", "header"),
    ] {
        h.write("d.jsonl", "{\"a\": 1}\n");
        h.write("a.csv", "a\n1\n");
        h.refused_with(&format!("SELECT * FROM {call}"), 1210, &[names]);
    }
    h.refused_with("SELECT * FROM FILE('c.csv', columns => 'a INTT, b INT')", 1064, &[]);
}

#[test]
fn what_is_no_value_of_its_column_is_an_error_that_says_where() {
    let mut h = House::new();
    let mut text = "n,t\n".to_owned();
    for n in 0..200_000 {
        text.push_str(&format!("{n},row {n}\n"));
    }
    h.write("long.csv", &text);
    let sum = "SELECT COUNT(*), SUM(n), COUNT(DISTINCT t) FROM FILE('long.csv')";
    assert_eq!(h.run(sum), "200000\t19999900000\t200000");
    text.push_str("no number,x\n");
    h.write("long.csv", &text);
    h.refused_with(
        "SELECT SUM(n) FROM FILE('long.csv')",
        1366,
        &["long.csv", "'n'", "no number", "200002"],
    );
    h.write("long.csv", text.replace("no number,x", "1,2,3"));
    h.refused_with("SELECT SUM(n) FROM FILE('long.csv')", 3000, &["long.csv"]);
    h.write("few.csv", "a,b\n1\n");
    h.refused_with("SELECT * FROM FILE('few.csv')", 3000, &["few.csv"]);
    h.write("bytes.csv", b"a\n\xff\xfe\n");
    h.refused_with("SELECT * FROM FILE('bytes.csv')", 3000, &["bytes.csv"]);
    h.write("small.csv", "a\n300\n");
    h.refused_with(
        "SELECT * FROM FILE('small.csv', columns => 'a TINYINT')",
        1264,
        &["300", "'a'"],
    );
    h.write("empty.csv", "");
    h.refused_with("SELECT * FROM FILE('empty.csv')", 3000, &["empty.csv"]);
    h.write("twice.csv", "a,A\n1,2\n");
    h.refused_with("SELECT * FROM FILE('twice.csv')", 1060, &["twice.csv"]);
    crate::harness::await_memory(&h.sql);
}

#[test]
fn several_csv_files_are_one_table_of_the_wider_types() {
    let mut h = House::new();
    h.write("p/1.csv", "\u{feff}a,b\n1,2024-01-01\n");
    h.write("p/2.csv", "a,b\r\n2.5,2024-01-01 10:00:00\r\n");
    h.write("p/3.csv", "a,b\n");
    assert_eq!(types_of(&mut h, "FILE('p/*.csv')"), "a double, b datetime");
    assert_eq!(
        h.run("SELECT * FROM FILE('p/*.csv') ORDER BY a"),
        "1\t2024-01-01 00:00:00\n2.5\t2024-01-01 10:00:00"
    );
    h.write("p/4.csv", "a,c\n1,2\n");
    h.refused_with("SELECT * FROM FILE('p/*.csv')", 1210, &["p/4.csv", "'c'", "p/1.csv"]);
}

#[test]
fn changes_of_tables_look_into_files() {
    let mut h = House::new();
    h.write("1.csv", "id,v\n1,10\n2,20\n");
    h.write("2.csv", "id,v\n2,22\n3,33\n");
    h.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    h.run("INSERT INTO t SELECT id, 0 FROM FILE('*.csv') GROUP BY id");
    h.run("UPDATE t JOIN FILE('1.csv') f USING (id) SET t.v = f.v");
    h.run("UPDATE t JOIN FILE('2.csv') f USING (id) SET t.v = t.v + f.v");
    assert_eq!(h.run("SELECT * FROM t"), "1\t10\n2\t42\n3\t33");
    h.run("REPLACE INTO t SELECT * FROM FILE('1.csv')");
    h.run("DELETE FROM t WHERE id NOT IN (SELECT id FROM FILE('2.csv'))");
    assert_eq!(h.run("SELECT * FROM t"), "2\t20\n3\t33");
    h.run("INSERT INTO t SELECT * FROM FILE('2.csv') ON DUPLICATE KEY UPDATE v = -VALUES(v)");
    assert_eq!(h.run("SELECT * FROM t"), "2\t-22\n3\t-33");
    h.run("SET @a = (SELECT SUM(v) FROM FILE('*.csv'))");
    assert_eq!(h.run("SELECT @a"), "85");
}

#[test]
fn large_files_with_line_feeds_in_quotes_are_cut_where_records_end() {
    let mut h = House::new();
    let mut text = "n,t\n".to_owned();
    for n in 0..150_000 {
        text.push_str(&format!("{n},\"line {n}\n\"\"and\"\" \n more,\"\n"));
    }
    h.write("q.csv", &text);
    assert!(text.len() > 3 << 20);
    assert_eq!(
        h.run(
            "SELECT COUNT(*), SUM(n), MIN(LENGTH(t)), MAX(t LIKE '%\"and\"%') FROM FILE('q.csv')"
        ),
        "150000\t11249925000\t20\t1"
    );
}

#[test]
fn json_lines_are_rows_and_their_members_columns() {
    let mut h = House::new();
    h.write(
        "a.jsonl",
        "{\"id\": 1, \"t\": \"x\\u00e9\", \"in\": {\"b\": [1, null]}, \"d\": 1}\n\n\
         {\"t\": \"y\", \"id\": 2, \"d\": 2.5, \"ok\": true, \"mixed\": 1}\n\
         {\"id\": 3, \"d\": null, \"in\": [], \"mixed\": \"two\"}",
    );
    assert_eq!(
        types_of(&mut h, "FILE('a.jsonl')"),
        "d double, id bigint, in json, mixed longtext, ok tinyint(1), t longtext"
    );
    assert_eq!(
        h.run("SELECT id, t, JSON_EXTRACT(`in`, '$.b[0]'), d, ok, mixed FROM FILE('a.jsonl') ORDER BY id"),
        "1\txé\t1\t1\tNULL\tNULL\n2\ty\tNULL\t2.5\t1\t1\n3\tNULL\tNULL\tNULL\tNULL\ttwo"
    );
    assert_eq!(
        h.run("SELECT d, t FROM FILE('a.jsonl', columns => 'd DECIMAL(4,1), t VARCHAR(3)') WHERE d > 2"),
        "2.5\ty"
    );
    h.write("b.json", "{\"a\": 1}\n[1]\n");
    h.refused_with("SELECT * FROM FILE('b.json')", 3000, &["b.json", "line 2"]);
    h.write("c.json", "{\"a\": 1}\n{\"a\": ");
    h.refused_with("SELECT * FROM FILE('c.json')", 3000, &["c.json", "line 2"]);
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    h.write("deep.json", deep);
    h.refused_with("SELECT * FROM FILE('deep.json')", 3000, &["deep.json"]);
}
