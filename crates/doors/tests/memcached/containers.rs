//! Containers: keys with a prefix are rows of ordinary tables.

use std::time::Duration;

use rows::NewTable;
use rows::ddl::NewIndex;
use rows::schema::Column;
use rows::store::{Durability, LockWait};
use values::types::IntWidth;
use values::{Collation, ColumnType, Datum};

use super::client::House;

/// A house with the table `app.users(id, name, city)` for a container.
pub fn house() -> House {
    let house = House::new();
    let text = ColumnType::VarChar { chars: 5, collation: Collation::Utf8Mb4GeneralCi };
    let id = ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
    house.engine.create_database("app").expect("new");
    let columns = vec![
        Column::new("id", id),
        Column::new("name", text.clone()),
        Column { nullable: true, ..Column::new("city", text) },
    ];
    let table = NewTable::new("app", "users", columns, vec![NewIndex::primary(&["id"])]);
    house.engine.create_table(table).expect("new");
    house
}

/// Makes `user` the container of that table.
pub fn define(house: &House, values: &str) {
    let table = house.engine.catalog().table("rowhouse", "containers").expect("prepared");
    let row = ["user", "app", "users", "id", values, "|", "", ""];
    let row: Vec<Datum<'_>> = row.iter().map(|text| Datum::Bytes(text.as_bytes())).collect();
    let mut transaction =
        house.engine.begin(LockWait::AtMost(Duration::from_secs(5))).expect("memory");
    transaction.replace(&table, &row).expect("memory");
    transaction.commit(Durability::Os).expect("memory");
}

#[test]
fn a_container_is_effective_as_soon_as_it_is_defined_or_changed() {
    let house = house();
    let mut client = house.client();
    client.expect(&[("set user:1 0 0 1\nx\nget user:1\n", "STORED\nVALUE user:1 0 1\nx\nEND\n")]);
    define(&house, "name,city");
    client.expect(&[
        ("get user:1\n", "END\n"),
        ("set user:1 0 0 7\nAda|Rom\n", "STORED\n"),
        ("get user:1 @@user.1\n", "VALUE user:1 0 7\nAda|Rom\nVALUE @@user.1 0 7\nAda|Rom\nEND\n"),
    ]);
    define(&house, "city");
    client.expect(&[("get user:1\n", "VALUE user:1 0 3\nRom\nEND\n")]);
    define(&house, "nothing");
    client.expect(&[("get user:1\n", "SERVER_ERROR container user: no such column nothing\n")]);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let house = house();
    define(&house, "name,city");
    house.client().expect(&[
        ("set user:1 0 0 3\nAda\n", "STORED\n"),
        ("get user:1\n", "VALUE user:1 0 4\nAda|\nEND\n"),
        ("set user:1 0 0 6\nAda123\n", "CLIENT_ERROR value does not fit column name\n"),
        ("set user:x 0 0 3\nAda\n", "CLIENT_ERROR key does not fit the container\n"),
        ("get user:x\n", "END\n"),
        ("get user:1\n", "VALUE user:1 0 4\nAda|\nEND\n"),
        ("touch user:1 5\n", "CLIENT_ERROR the container has no expiry column\n"),
        ("flush_all\nget user:1\n", "OK\nVALUE user:1 0 4\nAda|\nEND\n"),
        ("delete user:1\nget user:1\n", "DELETED\nEND\n"),
    ]);
}

#[test]
fn tables_of_the_door_that_were_dropped_stayed_away_until_a_restart() {
    let house = House::new();
    let mut client = house.client();
    let patience = house.engine.patience();
    let is_there = |database, name| house.engine.catalog().table(database, name).is_ok();
    client.expect(&[("set a 0 0 1\nx\n", "STORED\n")]);
    house
        .engine
        .drop_database("kv", rows::foreign_key::ForeignKeyChecks::On, &patience)
        .expect("it is there");
    client.expect(&[
        ("get a\n", "END\n"),
        ("set a 3 0 1\ny\nget a\n", "STORED\nVALUE a 3 1\ny\nEND\n"),
    ]);
    house.engine.drop_table("kv", "cache", &patience).expect("it is there");
    house
        .client()
        .expect(&[("incr a 1\n", "NOT_FOUND\n"), ("ms a 1\nz\nmg a v t\n", "HD\nVA 1 t-1\nz\n")]);
    // Behind a write of the same turn to a container, and at a flush that is due.
    client.expect(&[("flush_all 5\n", "OK\n")]);
    house
        .engine
        .drop_database("kv", rows::foreign_key::ForeignKeyChecks::On, &patience)
        .expect("it is there");
    house.pass(6);
    client.expect(&[("add a 0 0 1\nx\n", "STORED\n")]);
    // Nobody asks for containers: a sweep makes them, unless they have just gone.
    for (database, name) in [("rowhouse", "containers"), ("kv", "cache")] {
        house
            .engine
            .drop_database(database, rows::foreign_key::ForeignKeyChecks::On, &patience)
            .expect("it is there");
        house.shared.sweep(&house.engine).expect("memory");
        assert!(!is_there(database, name), "a dump that is loaded makes it itself");
        house.shared.sweep(&house.engine).expect("memory");
        assert!(is_there(database, name));
    }
}
