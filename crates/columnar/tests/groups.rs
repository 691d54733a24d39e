//! Counts by groups, made on codes, are those of the rows that are alive: whichever died, of
//! whichever segment.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{House, Row, begin, datums, open, table};
use columnar::arrow::ColumnReader;
use columnar::{GroupBatch, GroupStep, Grouping, ScanRequest, columns_of};
use rows::store::Durability;
use rows::{RowChange, Table};

type Counts = BTreeMap<(Option<i64>, Option<String>), i64>;

fn row(id: i64) -> Row {
    let word = (id % 11 != 0).then(|| format!("word {id}"));
    (id, (id % 7 != 0).then_some(id / 100), word)
}

/// By `n`, and by `word` as well if that is asked for.
fn counted(house: &House, table: &Arc<Table>, by_word: bool) -> Counts {
    let view = house.engine.store().snapshot().unwrap();
    let columns = columns_of(&*view, table).unwrap().expect("a view of the store itself");
    let positions: &[usize] = if by_word { &[1, 2] } else { &[1] };
    let mut out = Counts::new();
    let mut add = |groups: GroupBatch| {
        let reader = |at: usize| {
            let array = groups.keys.columns.get(at)?;
            Some(ColumnReader::new(&table.columns[positions[at]].ty, array).unwrap())
        };
        let (numbers, words) = (reader(0).expect("a key"), reader(1));
        for (at, count) in groups.counts.iter().enumerate() {
            assert!(*count > 0, "a group without rows");
            let word = words.as_ref().map(|words| words.datum(at));
            let key = crate::common::row_of(&[
                values::Datum::Int(0),
                numbers.datum(at),
                word.unwrap_or(values::Datum::Null),
            ]);
            *out.entry((key.1, key.2)).or_default() += count;
        }
    };
    for part in columns.parts(2, &[]) {
        let wanted =
            ScanRequest { positions: positions.into(), tests: Arc::new([]), batch_rows: 1000 };
        let keys = (0..positions.len()).collect::<Vec<_>>().into();
        let grouping = Grouping { keys, values: Arc::new([]), totals: false };
        let mut groups = columns.clone().read_groups(part, wanted, grouping);
        for grouped in groups.by_ref() {
            match grouped.unwrap() {
                GroupStep::Alone(keys, _) => {
                    let counts = vec![1; keys.rows];
                    add(GroupBatch { keys, counts });
                }
                GroupStep::Rows(..) | GroupStep::Totals(_) => panic!("no values are wanted"),
                GroupStep::Segment => {}
            }
        }
        add(groups.table().drain().unwrap());
    }
    out
}

fn assert_counts(house: &House, table: &Arc<Table>, rows: &[Row]) {
    for by_word in [false, true] {
        let mut expected = Counts::new();
        for (_, n, word) in rows {
            let word = word.clone().filter(|_| by_word);
            *expected.entry((*n, word)).or_default() += 1;
        }
        assert_eq!(counted(house, table, by_word), expected);
    }
}

#[test]
fn rows_that_died_are_in_no_group() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    let mut rows: Vec<Row> = (0..9000).map(row).collect();
    for some in rows.chunks(4500) {
        let mut transaction = begin(&house.engine);
        for row in some {
            transaction.insert(&table, &datums(row)).unwrap();
        }
        transaction.commit(Durability::Os).unwrap();
        for _ in 0..3 {
            house.store.move_rows(&house.engine).unwrap();
        }
        let until = some[some.len() - 1].0 as usize;
        assert_counts(&house, &table, &rows[..=until]);
    }
    // Some of many groups, all of some, all NULLs, then nearly all.
    let deaths: [fn(&Row) -> bool; 4] = [
        |row| row.0 % 50 == 3,
        |row| row.1.is_some_and(|n| (20..23).contains(&n)),
        |row| row.1.is_none(),
        |row| row.0 > 10,
    ];
    for dies in deaths {
        let mut transaction = begin(&house.engine);
        for row in rows.iter().filter(|row| dies(row)) {
            let key = table.row_key(&datums(row)[..1]).unwrap();
            let change = &mut |_: values::RowRef<'_>| Ok(RowChange::Delete);
            transaction.change_row::<rows::Error>(&table, &key, change).unwrap();
        }
        transaction.commit(Durability::Os).unwrap();
        rows.retain(|row| !dies(row));
        assert_counts(&house, &table, &rows);
    }
}
