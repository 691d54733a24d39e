//! The door on a table of somebody's own: typed columns, parts of keys joined.

use rows::NewTable;
use rows::ddl::NewIndex;
use rows::schema::Column;
use values::types::IntWidth;
use values::{Collation, ColumnType};

use super::client::{House, counted, done, keyed, record, request};

/// The door on `app.visits(id, day, place, note)`, with the first two as its key.
fn house() -> House {
    let House { engine, .. } = House::new();
    let int = || ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
    let text = || ColumnType::VarChar { chars: 5, collation: Collation::Utf8Mb4GeneralCi };
    engine.create_database("app").expect("new");
    let columns = vec![
        Column::new("id", int()),
        Column::new("day", int()),
        Column::new("place", text()),
        Column::new("note", text()),
    ];
    let primary = NewIndex::primary(&["id", "day"]);
    engine.create_table(NewTable::new("app", "visits", columns, vec![primary])).expect("new");
    House::on(engine, "app.visits(id, day, place, note)", false)
}

#[test]
fn keys_and_values_are_those_of_the_columns() {
    let house = house();
    house.client().expect(&[
        (record(0x10, "7|1", "Rome|rain"), vec![0]),
        (record(0x10, "12|1", "Oslo|sun"), vec![0]),
        (keyed(0x30, "7|1"), done(&["Rome|rain"])),
        (keyed(0x30, "7"), vec![1]),
        (keyed(0x30, "seven|1"), vec![1]),
        (record(0x10, "seven|1", "Rome|rain"), vec![1]),
        (record(0x10, "7|1", "Constantinople|rain"), vec![1]),
        (record(0x10, "7|1", "Rome"), vec![1]),
        (keyed(0x30, "7|1"), done(&["Rome|rain"])),
        // In the order of the rows; what begins alike is looked for among all.
        (request(0x58, &[1, -1], &["1"]), counted(&["12|1"])),
        (request(0x58, &[0, -1], &[""]), counted(&["7|1", "12|1"])),
        (keyed(0x20, "7|1"), vec![0]),
        (keyed(0x30, "7|1"), vec![1]),
    ]);
}

#[test]
fn a_table_that_is_dropped_fails_every_request_and_serves_again_when_it_is_back() {
    let house = House::with("house.gone(k, v)", false);
    let mut client = house.client();
    client.expect(&[(record(0x10, "a", "1"), vec![0])]);
    let patience = house.engine.patience();
    house.engine.drop_table("house", "gone", &patience).expect("it is there");
    client.expect(&[
        (keyed(0x30, "a"), vec![1]),
        (record(0x18, "a", "1"), vec![]),
        (record(0x10, "a", "1"), vec![1]),
    ]);
    let database = doors::tyrant::DatabaseName::parse("house.gone(k, v)").expect("a name");
    doors::tyrant::prepare(&house.engine, &database).expect("it is missing");
    client.expect(&[
        (keyed(0x30, "a"), vec![1]),
        (record(0x10, "a", "2"), vec![0]),
        (keyed(0x30, "a"), done(&["2"])),
    ]);
}

#[test]
fn a_table_of_the_doors_own_that_was_dropped_stayed_away_until_a_restart() {
    let house = House::new();
    let mut client = house.client();
    let patience = house.engine.patience();
    for _ in 0..2 {
        client.expect(&[
            (keyed(0x30, "a"), vec![1]),
            (record(0x10, "a", "1"), vec![0]),
            (keyed(0x30, "a"), done(&["1"])),
        ]);
        house.engine.drop_table("tyrant", "records", &patience).expect("it is there");
        house.client().expect(&[(record(0x10, "b", "1"), vec![0])]);
        house
            .engine
            .drop_database("tyrant", rows::foreign_key::ForeignKeyChecks::On, &patience)
            .expect("it is there");
    }
}

#[test]
fn the_built_in_table_named_without_its_columns_took_no_put() {
    // Missing, and made by the setting's default before.
    for made in [false, true] {
        let house = House::with("tyrant.records(k, v)", false);
        if !made {
            let patience = house.engine.patience();
            house
                .engine
                .drop_database("tyrant", rows::foreign_key::ForeignKeyChecks::On, &patience)
                .expect("it is there");
        }
        let house = House::on(house.engine.clone(), "tyrant.records", false);
        house
            .client()
            .expect(&[(record(0x10, "a", "hello"), vec![0]), (keyed(0x30, "a"), done(&["hello"]))]);
        let table = house.engine.catalog().table("tyrant", "records").expect("it is there");
        assert!(table.column("v").is_some() && table.columns.len() == 2, "made: {made}");
    }
    // What a server of before has made of it stays what it is.
    let house = House::with("tyrant.documents", false);
    let patience = house.engine.patience();
    house
        .engine
        .rename_tables(&[(("tyrant", "documents"), ("tyrant", "records"))], &patience)
        .expect("it is there");
    let house = House::on(house.engine.clone(), "tyrant.records", false);
    let put = super::client::misc("put", &["a", "name", "Ann"]);
    house.client().expect(&[(put, counted(&[]))]);
}
