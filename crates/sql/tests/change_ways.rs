//! The way to the rows of UPDATE, DELETE and locking reads: where several indexes narrow what is
//! read, the table says which of them, as for any SELECT.

use crate::harness::{run, server, session};
use sql::Session;

const ROWS: usize = 3000;

/// All rows but a few have one state; `made` is as good as unique.
fn fill(session: &mut Session) {
    run(
        session,
        "CREATE TABLE jobs (id INT PRIMARY KEY, state VARCHAR(10), made INT, n INT, KEY state (state), \
         KEY made (made))",
    );
    let row = |n: usize| {
        let state = if n.is_multiple_of(500) { "new" } else { "done" };
        format!("({n}, '{state}', {n}, 0)")
    };
    let rows: Vec<String> = (0..ROWS).map(row).collect();
    run(session, &format!("INSERT INTO jobs VALUES {}", rows.join(",")));
}

/// The column `key` of EXPLAIN's only line.
fn key(session: &mut Session, statement: &str) -> String {
    let line = run(session, &format!("EXPLAIN {statement}"));
    line.split('\t').nth(6).unwrap_or_else(|| panic!("{statement}: {line}")).to_owned()
}

/// The forms of a statement over the rows of a condition.
fn forms(condition: &str) -> [String; 4] {
    [
        format!("UPDATE jobs SET n = n + 1 WHERE {condition}"),
        format!("DELETE FROM jobs WHERE {condition}"),
        format!("SELECT n FROM jobs WHERE {condition} FOR UPDATE"),
        format!("SELECT n FROM jobs WHERE {condition} FOR SHARE"),
    ]
}

#[test]
fn what_is_written_or_locked_is_found_by_the_index_that_leaves_the_fewest_rows() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (condition, expected) in [
        ("state = 'done' AND made BETWEEN 10 AND 12", "made"),
        ("state = 'new' AND made BETWEEN 10 AND 2900", "state"),
        ("state = 'new' AND made > 2", "state"),
        ("state = 'done' AND made = 7", "made"),
        ("state = 'done' AND made = 7 AND id = 7", "PRIMARY"),
        ("state = 'done'", "state"),
    ] {
        for statement in forms(condition) {
            assert_eq!(key(session, &statement), expected, "{statement}");
        }
    }
}

#[test]
fn a_kept_way_is_chosen_again_when_the_table_has_another_size() {
    let sql = server();
    let session = &mut session(&sql);
    run(
        session,
        "CREATE TABLE jobs (id INT PRIMARY KEY, state VARCHAR(10), made INT, n INT, KEY state (state), \
         KEY made (made))",
    );
    run(session, "INSERT INTO jobs VALUES (1, 'done', 11, 0), (2, 'new', 20, 0)");
    let statement = "UPDATE jobs SET n = n + 1 WHERE state = 'done' AND made BETWEEN 10 AND 12";
    // A shape is kept when it comes again.
    for _ in 0..3 {
        run(session, statement);
    }
    run(session, "DROP TABLE jobs");
    fill(session);
    let made = sql.counters().plans_made.get();
    run(session, statement);
    assert!(sql.counters().plans_made.get() > made, "another table");
    run(session, statement);
    run(session, "DELETE FROM jobs WHERE id > 20");
    let made = sql.counters().plans_made.get();
    run(session, statement);
    assert!(sql.counters().plans_made.get() > made, "another size");
    assert_eq!(run(session, "SELECT n FROM jobs WHERE made BETWEEN 9 AND 13"), "0\n3\n3\n3\n0");
}

#[test]
fn order_and_limit_hold_whichever_way_is_taken() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    run(
        session,
        "UPDATE jobs SET n = 1 WHERE state = 'done' AND made > 100 ORDER BY made DESC LIMIT 3",
    );
    assert_eq!(run(session, "SELECT id FROM jobs WHERE n = 1 ORDER BY id"), "2997\n2998\n2999");
    run(
        session,
        "DELETE FROM jobs WHERE state = 'done' AND made BETWEEN 10 AND 40 ORDER BY id DESC LIMIT 2",
    );
    let left = "SELECT COUNT(*), MAX(made) FROM jobs WHERE made BETWEEN 10 AND 40";
    assert_eq!(run(session, left), "29\t38");
    let locked = "SELECT id FROM jobs WHERE state = 'done' AND made BETWEEN 10 AND 40 ORDER BY id DESC \
                  LIMIT 2 FOR UPDATE";
    assert_eq!(run(session, locked), "38\n37");
}
