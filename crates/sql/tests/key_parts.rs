//! Terms about the primary key narrow what is read of an index that is not unique, since its
//! entries end with it; answers next to MariaDB's are in `tests/oracle/sql/key-parts.sql`.

use crate::harness::{run, server, session};
use sql::Session;

fn fill(s: &mut Session) {
    run(s, "CREATE TABLE n (id INT PRIMARY KEY, a INT, s VARCHAR(20), KEY (a), KEY (s(3)))");
    let row = |id: u32| format!("({id}, {}, 'text{}')", id % 2, id % 4);
    let rows: Vec<String> = (1..=4000).map(row).collect();
    run(s, &format!("INSERT INTO n VALUES {}", rows.join(",")));
}

/// Type, key, key_len, rows and Extra of EXPLAIN's only line.
fn way(s: &mut Session, query: &str) -> (String, u64, String) {
    let shown = run(s, &format!("EXPLAIN {query}"));
    let cells: Vec<&str> = shown.split('\t').collect();
    let rows = cells[9].parse().expect("a number of rows");
    (format!("{} {} {}", cells[4], cells[6], cells[7]), rows, cells[11].to_owned())
}

#[test]
fn a_range_of_the_primary_key_is_one_of_the_index() {
    let s = &mut session(&server());
    fill(s);
    let (key, rows, extra) = way(s, "SELECT * FROM n WHERE a = 1 AND id > 3980");
    assert_eq!(key, "range a 9");
    assert!(rows < 40, "{rows} of which ten are found");
    assert!(!extra.contains("Using where"), "{extra}");
    let (key, rows, _) = way(s, "UPDATE n SET s = 'x' WHERE a = 1 AND id BETWEEN 100 AND 110");
    assert!(key == "range a 9" && rows < 40, "{key} {rows}");
    let (key, ..) = way(s, "SELECT * FROM n FORCE INDEX (s) WHERE s = 'text3' AND id < 30");
    assert_eq!(key, "range s 19", "behind a part of a text, too");
    let (key, ..) = way(s, "SELECT * FROM n WHERE a = 1 AND id = 7");
    assert_eq!(key, "const PRIMARY 4");
}

#[test]
fn pages_by_the_last_key_seen_come_in_the_order_of_the_index() {
    let s = &mut session(&server());
    fill(s);
    for (order, end) in [("id DESC", "id < 2000"), ("id", "id > 2000")] {
        let query = format!("SELECT * FROM n WHERE a = 0 AND {end} ORDER BY {order} LIMIT 3");
        let (key, _, extra) = way(s, &query);
        assert_eq!(key, "range a 9", "{query}");
        assert!(!extra.contains("filesort"), "{query}: {extra}");
    }
    let query = "SELECT id FROM n WHERE a = 0 AND id < 2000 ORDER BY id DESC LIMIT 3";
    assert_eq!(run(s, query), "1998\n1996\n1994");
}

#[test]
fn a_list_of_primary_keys_does_not_multiply_with_that_of_the_index() {
    let s = &mut session(&server());
    fill(s);
    let ids: Vec<String> = (1..=300).map(|id| id.to_string()).collect();
    let query = format!("SELECT COUNT(s) FROM n WHERE a IN (0, 1) AND id IN ({})", ids.join(","));
    let (key, rows, _) = way(s, &query);
    assert!(key == "range PRIMARY 4" && rows <= 300, "{key} {rows}");
    assert_eq!(run(s, &query), "300");
}

#[test]
fn who_comes_behind_a_row_is_found_without_those_before() {
    let s = &mut session(&server());
    fill(s);
    let query = "SELECT COUNT(*) FROM n x WHERE EXISTS \
                 (SELECT 1 FROM n y WHERE y.a = x.a AND y.id > x.id)";
    assert!(
        run(s, &format!("EXPLAIN FORMAT=TREE {query}")).contains("Range of y by a, index only")
    );
    assert_eq!(run(s, query), "3998");
}

#[test]
fn entries_longer_than_keys_can_be_are_found() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE w (k VARCHAR(750) PRIMARY KEY, a VARCHAR(750), n INT, KEY (a))");
    let (long, other) = ("你".repeat(745), "好".repeat(745));
    run(s, &format!("INSERT INTO w VALUES ('{long}', '{other}', 1), ('{other}', '{long}', 2)"));
    for condition in ["k = '#'", "k > '一' AND k <= '#'", "k LIKE '#%'", "k BETWEEN '#' AND '#'"] {
        let condition = condition.replace('#', &long);
        let query = format!("SELECT n FROM w FORCE INDEX (a) WHERE a = '{other}' AND {condition}");
        assert_eq!(run(s, &query), "1", "{condition}");
    }
}
