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
    let house = House::new();
    let mut client = house.client();
    client.expect(&[(record(0x10, "a", "1"), vec![0])]);
    let patience = house.engine.patience();
    house.engine.drop_table("tyrant", "records", &patience).expect("it is there");
    client.expect(&[
        (keyed(0x30, "a"), vec![1]),
        (record(0x18, "a", "1"), vec![]),
        (record(0x10, "a", "1"), vec![1]),
    ]);
    let database = doors::tyrant::DatabaseName::parse("tyrant.records(k, v)").expect("a name");
    doors::tyrant::prepare(&house.engine, &database).expect("it is missing");
    client.expect(&[
        (keyed(0x30, "a"), vec![1]),
        (record(0x10, "a", "2"), vec![0]),
        (keyed(0x30, "a"), done(&["2"])),
    ]);
}
