//! CHECK as MySQL 9.7 has it: the order of conditions, NOT ENFORCED, names within a database.

use std::sync::Arc;

use crate::harness::{answer, error, run, server, session};
use rows::memory::MemoryStore;
use rows::store::{Batch, Change, Durability, Reach, Store};
use rows::{Engine, EngineOptions};
use sql::{Sql, SqlOptions};

#[test]
fn conditions_are_looked_at_in_the_order_of_their_names() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a INT, CONSTRAINT z CHECK (a > 0), CONSTRAINT B CHECK (a > 1))");
    let refused = answer(s, "INSERT INTO t VALUES (-1)").expect_err("refused").to_string();
    assert!(refused.contains("'B'"), "{refused}");
}

#[test]
fn a_condition_that_is_not_enforced_is_kept_shown_and_enforced_later() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a INT CHECK (a > 0) NOT ENFORCED, CONSTRAINT c CHECK (a < 9))");
    run(s, "INSERT INTO t VALUES (-1)");
    assert_eq!(error(s, "INSERT INTO t VALUES (10)"), 3819);
    let line = "CONSTRAINT `t_chk_1` CHECK ((`a` > 0)) /*!80016 NOT ENFORCED */";
    let shown = run(s, "SHOW CREATE TABLE t");
    assert!(shown.contains(line), "{shown}");
    let (_, text) = shown.split_once('\t').expect("two columns");
    run(s, "CREATE DATABASE other");
    run(s, "USE other");
    run(s, text);
    assert!(run(s, "SHOW CREATE TABLE t").contains(line), "what is shown makes the same table");
    run(s, "USE test");
    assert_eq!(error(s, "ALTER TABLE t ALTER CHECK t_chk_1 ENFORCED"), 3819);
    run(s, "DELETE FROM t");
    run(s, "ALTER TABLE t ALTER CHECK t_chk_1 ENFORCED, ALTER CONSTRAINT c NOT ENFORCED");
    assert_eq!(error(s, "INSERT INTO t VALUES (-1)"), 3819);
    run(s, "INSERT INTO t VALUES (10)");
    assert_eq!(error(s, "ALTER TABLE t ALTER CHECK nope ENFORCED"), 3821);
    assert_eq!(error(s, "ALTER TABLE t ALTER CONSTRAINT nope ENFORCED"), 3940);
    assert_eq!(error(s, "ALTER TABLE t ADD CHECK (RAND() > a) NOT ENFORCED"), 3814);
}

#[test]
fn a_name_of_a_condition_is_one_of_the_database() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a INT, CONSTRAINT c CHECK (a > 0))");
    assert_eq!(error(s, "CREATE TABLE u (a INT, CONSTRAINT C CHECK (a > 0))"), 3822);
    run(s, "CREATE TABLE u (a INT)");
    assert_eq!(error(s, "ALTER TABLE u ADD CONSTRAINT c CHECK (a > 0)"), 3822);
    run(s, "ALTER TABLE t DROP CHECK c, ADD CONSTRAINT c CHECK (a > 1)");
    run(s, "CREATE TEMPORARY TABLE v (a INT, CONSTRAINT c CHECK (a > 0))");
    run(s, "DROP TABLE t");
    run(s, "ALTER TABLE u ADD CONSTRAINT c CHECK (a > 0), ADD CONSTRAINT c UNIQUE (a)");
    assert_eq!(error(s, "ALTER TABLE u DROP CONSTRAINT c"), 3939);
    run(s, "ALTER TABLE u DROP CHECK c");
    run(s, "ALTER TABLE u DROP CONSTRAINT c");
}

#[test]
fn a_condition_that_is_not_enforced_is_of_a_format_of_its_own_and_old_ones_are_enforced() {
    let store = Arc::new(MemoryStore::new());
    let open = || {
        let options = EngineOptions { make_rules: sql::make_rules, ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).expect("opens");
        Sql::new(engine, &SqlOptions::default(), analytic::start).expect("starts")
    };
    let format = |sql: &Arc<Sql>| {
        let mut format = Vec::new();
        let found = sql.engine().latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format);
        assert!(found.expect("reads"));
        format
    };
    let first = open();
    run(&mut session(&first), "CREATE TABLE t (a INT, CHECK (a > 0))");
    drop(first);
    // As the version before this one leaves it.
    let earlier = Change::put(vec![0, 0, 0, 0, 1], vec![23, 0, 0, 0]);
    store.write(&Batch { changes: vec![earlier] }, Durability::Os).expect("writes");
    let sql = open();
    assert_eq!(format(&sql), [23, 0, 0, 0]);
    let s = &mut session(&sql);
    assert_eq!(error(s, "INSERT INTO t VALUES (-1)"), 3819);
    run(s, "ALTER TABLE t ALTER CHECK t_chk_1 NOT ENFORCED");
    assert_eq!(format(&sql), [24, 0, 0, 0]);
    run(&mut session(&open()), "INSERT INTO t VALUES (-1)");
}
