//! Where a query looks for records if conditions on the primary key, or on columns of SQL that have
//! an index, say it: at some keys, or in ranges.
//!
//! Invariants
//! 1. What is found may be too much, as conditions are asked of each record once more; it never
//!    lacks a record that meets them.
//! 2. Ranges do not overlap, so that no record is found twice.
//!
//! Not here: looking (`search`), what conditions mean (`condition`), which way by member indexes is
//! the best (`ways`).

use std::ops::Bound;

use rows::Table;
use rows::store::KeyRange;
use values::convert::from_text;
use values::{ColumnType, Datum, Value, Zone};

use crate::tyrant::condition::ColumnTest;
use crate::tyrant::database::Database;
use crate::tyrant::query::Query;

/// Where records are looked for.
#[derive(Debug)]
pub enum SearchAccess<'q> {
    /// At these keys.
    Keys(Vec<&'q [u8]>),
    /// At keys that begin so.
    Prefix(&'q [u8]),
    /// In these ranges of an index.
    Index {
        /// Its position.
        index: usize,
        /// Its ranges, in order.
        ranges: Vec<KeyRange>,
    },
}

impl SearchAccess<'_> {
    /// Where a query's conditions say that its records are; `None` where they do not.
    ///
    /// # Errors
    /// Those of making keys.
    pub fn of<'q>(query: &'q Query, database: &Database) -> rows::Result<Option<SearchAccess<'q>>> {
        let conditions = &query.conditions;
        let wanted =
            || conditions.iter().filter(|condition| condition.indexed && !condition.negated);
        for condition in wanted().filter(|condition| condition.column.is_empty()) {
            match &condition.test {
                ColumnTest::Equal(key) => return Ok(Some(SearchAccess::Keys(vec![key]))),
                ColumnTest::IsAny(keys) => {
                    let mut keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                    keys.sort_unstable();
                    keys.dedup();
                    return Ok(Some(SearchAccess::Keys(keys)));
                }
                ColumnTest::Begins(prefix) if database.has_raw_keys() => {
                    return Ok(Some(SearchAccess::Prefix(prefix)));
                }
                _ => {}
            }
        }
        for condition in wanted() {
            if let Some(column) = database.column_named(&condition.column)
                && let Some(index) = index_of(database.table(), column)
                && let Some(ranges) = ranges(database.table(), index, &condition.test)?
            {
                return Ok(Some(SearchAccess::Index { index, ranges }));
            }
        }
        Ok(None)
    }

    /// What a hint says of it.
    pub fn words(&self) -> &'static str {
        match self {
            SearchAccess::Keys(_) => "using the primary key",
            SearchAccess::Prefix(_) => "using a range of the primary key",
            SearchAccess::Index { .. } => "using an index",
        }
    }
}

/// An index that begins with a whole column.
pub(super) fn index_of(table: &Table, column: usize) -> Option<usize> {
    let begins_so = |index: &usize| {
        let codec = &table.codecs[*index];
        let first = codec.parts.first();
        codec.ready && first.is_some_and(|part| part.column == column && part.prefix.is_none())
    };
    (1..table.codecs.len()).find(begins_so)
}

/// The ranges in which a test can hold; `None` when they are not known.
fn ranges(table: &Table, index: usize, test: &ColumnTest) -> rows::Result<Option<Vec<KeyRange>>> {
    let ty = &table.codecs[index].parts[0].ty;
    if let (ColumnTest::Begins(prefix), ColumnType::VarBinary { .. }) = (test, ty) {
        return Ok(Some(vec![beginning(table, index, prefix)?]));
    }
    let values: Option<Vec<Value>> = match test {
        ColumnTest::Equal(text) => value(ty, text).map(|value| vec![value]),
        ColumnTest::IsAny(texts) => texts.iter().map(|text| value(ty, text)).collect(),
        // The number of a text that begins with one is another thing than the text.
        _ if !matches!(ty, ColumnType::Int { .. }) => None,
        ColumnTest::NumberEqual(number) => whole(ty, *number).map(|value| vec![value]),
        ColumnTest::NumberAny(numbers) => numbers.iter().map(|number| whole(ty, *number)).collect(),
        ColumnTest::Greater(least) | ColumnTest::GreaterEqual(least) => {
            return between(table, index, whole(ty, least.floor()), None);
        }
        ColumnTest::Less(most) | ColumnTest::LessEqual(most) => {
            return between(table, index, None, whole(ty, most.ceil()));
        }
        ColumnTest::Between(least, most) => {
            let (least, most) = (whole(ty, least.floor()), whole(ty, most.ceil()));
            return between(table, index, least, most);
        }
        _ => None,
    };
    let Some(values) = values else { return Ok(None) };
    let range = |value: &Value| table.prefix_range(index, &[value.as_datum()]);
    let mut ranges = values.iter().map(range).collect::<rows::Result<Vec<KeyRange>>>()?;
    ranges.sort_unstable_by(|a, b| a.start.cmp(&b.start));
    // Texts that the column takes for equal have one range.
    ranges.dedup_by(|a, b| a.start == b.start);
    Ok(Some(ranges))
}

/// The range of bytes that begin so.
fn beginning(table: &Table, index: usize, prefix: &[u8]) -> rows::Result<KeyRange> {
    let mut behind = prefix.to_vec();
    while behind.pop_if(|last| *last == u8::MAX).is_some() {}
    if let Some(last) = behind.last_mut() {
        *last += 1;
    }
    let end = match behind.is_empty() {
        true => Bound::Unbounded,
        false => Bound::Excluded(Datum::Bytes(&behind)),
    };
    table.between_range(index, &[], Bound::Included(Datum::Bytes(prefix)), end)
}

fn between(
    table: &Table,
    index: usize,
    least: Option<Value>,
    most: Option<Value>,
) -> rows::Result<Option<Vec<KeyRange>>> {
    if least.is_none() && most.is_none() {
        return Ok(None);
    }
    let bound = |value: &Option<Value>| -> Bound<Datum<'static>> {
        match value {
            Some(Value::Int(number)) => Bound::Included(Datum::Int(*number)),
            Some(Value::UInt(number)) => Bound::Included(Datum::UInt(*number)),
            _ => Bound::Unbounded,
        }
    };
    let range = table.between_range(index, &[], bound(&least), bound(&most))?;
    Ok(Some(vec![range]))
}

/// A text as a value that a row may hold; `None` when it has to be looked for.
fn value(ty: &ColumnType, text: &[u8]) -> Option<Value> {
    let converted = from_text(ty, text, Zone::UTC);
    (converted.issue.is_none() && !converted.note).then_some(converted.value)
}

/// A whole number as a value of a column.
fn whole(ty: &ColumnType, number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < 1e15)
        .then(|| value(ty, (number as i64).to_string().as_bytes()))
        .flatten()
}
