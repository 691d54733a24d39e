//! What is known of a columnar table without a scan is what a scan comes to, whatever became of its
//! rows.

use std::sync::Arc;

use crate::common::{House, Row, begin, datums, open, row, settle, table};
use columnar::{Question, columns_of};
use rows::alter::{Alteration, ColumnPlace};
use rows::schema::{Column, DefaultValue};
use rows::store::{Durability, Read};
use rows::{RowChange, Table};
use values::{Datum, Value};

const QUESTIONS: [Question; 7] = [
    Question::Rows,
    Question::Values(1),
    Question::Values(2),
    Question::Smallest(0),
    Question::Largest(0),
    Question::Smallest(1),
    Question::Largest(1),
];

fn expected(rows: &[Row]) -> Vec<Value> {
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Int);
    let count = |count: usize| Value::Int(count as i64);
    let numbers = || rows.iter().filter_map(|row| row.1);
    vec![
        count(rows.len()),
        count(numbers().count()),
        count(rows.iter().filter(|row| row.2.is_some()).count()),
        number(rows.iter().map(|row| row.0).min()),
        number(rows.iter().map(|row| row.0).max()),
        number(numbers().min()),
        number(numbers().max()),
    ]
}

fn known(view: &dyn Read, table: &Table, questions: &[Question]) -> Vec<Value> {
    columns_of(view, table).unwrap().expect("a view of the store itself").known(questions).unwrap()
}

fn assert_known(house: &House, table: &Table, rows: &[Row]) {
    let view = house.engine.store().snapshot().unwrap();
    assert_eq!(known(&*view, table, &QUESTIONS), expected(rows));
}

/// Removes or changes the rows for which it says so.
fn change(
    house: &House,
    table: &Arc<Table>,
    rows: &mut Vec<Row>,
    to: impl Fn(&Row) -> Option<Option<Row>>,
) {
    let mut transaction = begin(&house.engine);
    let mut after = Vec::new();
    for row in rows.drain(..) {
        let Some(new) = to(&row) else {
            after.push(row);
            continue;
        };
        let key = table.row_key(&datums(&row)[..1]).unwrap();
        let values = new
            .as_ref()
            .map(|row| datums(row).iter().map(Datum::to_value).enumerate().collect::<Vec<_>>());
        let change = &mut |_: values::RowRef<'_>| {
            Ok(values.clone().map_or(RowChange::Delete, RowChange::Set))
        };
        transaction.change_row::<rows::Error>(table, &key, change).unwrap();
        after.extend(new);
    }
    transaction.commit(Durability::Os).unwrap();
    *rows = after;
}

#[test]
fn what_is_known_is_what_the_rows_say() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    assert_known(&house, &table, &[]);
    let mut rows: Vec<Row> = (0..9000).map(row).collect();
    for some in rows.chunks(3000) {
        let mut transaction = begin(&house.engine);
        for row in some {
            transaction.insert(&table, &datums(row)).unwrap();
        }
        transaction.commit(Durability::Os).unwrap();
        settle(&house);
    }
    assert_known(&house, &table, &rows);
    let before = house.engine.store().snapshot().unwrap();
    let whole = expected(&rows);
    // Neither end is touched, then the ends go: of one segment, of all, by removal and by change.
    change(&house, &table, &mut rows, |row| (row.0 % 500 == 250).then_some(None));
    assert_known(&house, &table, &rows);
    change(&house, &table, &mut rows, |row| (row.0 < 10 || row.0 > 8990).then_some(None));
    assert_known(&house, &table, &rows);
    change(&house, &table, &mut rows, |row| (row.1 == Some(499)).then_some(None));
    assert_known(&house, &table, &rows);
    change(&house, &table, &mut rows, |row| {
        (row.1 == Some(-500)).then(|| Some((row.0, None, row.2.clone())))
    });
    assert_known(&house, &table, &rows);
    change(&house, &table, &mut rows, |row| {
        (row.0 == 5000).then_some(Some((row.0, Some(7777), None)))
    });
    assert_known(&house, &table, &rows);
    assert_eq!(known(&*before, &table, &QUESTIONS), whole, "the snapshot of before");
    settle(&house);
    assert_known(&house, &table, &rows);
    // No value at all is left in one column, then no row.
    change(&house, &table, &mut rows, |row| row.1.map(|_| Some((row.0, None, row.2.clone()))));
    assert_known(&house, &table, &rows);
    settle(&house);
    assert_known(&house, &table, &rows);
    change(&house, &table, &mut rows, |_| Some(None));
    assert_known(&house, &table, &rows);
    settle(&house);
    assert_known(&house, &table, &rows);
}

#[test]
fn a_column_that_is_younger_than_segments_has_its_default_there() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    let rows: Vec<Row> = (0..3000).map(row).collect();
    let mut transaction = begin(&house.engine);
    for row in &rows {
        transaction.insert(&table, &datums(row)).unwrap();
    }
    transaction.commit(Durability::Os).unwrap();
    settle(&house);
    let column = |name: &str, default| Column {
        default: DefaultValue::Literal(default),
        nullable: true,
        ..Column::new(name, crate::common::int())
    };
    for (name, default) in [("seven", Some(b"7".to_vec())), ("nothing", None)] {
        let added = Alteration::AddColumn {
            column: column(name, default),
            place: ColumnPlace::Keep,
            now: None,
        };
        house.engine.alter_table("d", "t", vec![added], &house.engine.patience()).unwrap();
    }
    let table = house.engine.catalog().table("d", "t").unwrap();
    let view = house.engine.store().snapshot().unwrap();
    let ask =
        [3, 4].map(|at| [Question::Values(at), Question::Smallest(at), Question::Largest(at)]);
    let seven = [Value::Int(3000), Value::Int(7), Value::Int(7)];
    let nothing = [Value::Int(0), Value::Null, Value::Null];
    assert_eq!(known(&*view, &table, &ask.concat()), [seven, nothing].concat());
}
