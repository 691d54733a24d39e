//! Where a query looks for records: by keys, in a range of the primary key or of an index, by what
//! member indexes have of documents, in the order that is wanted, or everywhere.
//!
//! Invariants
//! 1. What is found may be too much, as conditions are asked of each record once more; it never lacks
//!    a record that meets them.
//! 2. Ranges do not overlap, so that no record is found twice.
//!
//! Not here: looking (`search`), what conditions mean (`condition`), what a member index has of them
//! (`lookup`).

use std::ops::Bound;

use rows::convert::from_text;
use rows::store::KeyRange;
use rows::table::MemberCodec;
use rows::{ColumnType, Datum, Engine, Lookup, Table, Value, Zone};

use crate::tyrant::condition::{Condition, Test};
use crate::tyrant::database::Database;
use crate::tyrant::lookup::{self, Place};
use crate::tyrant::query::Query;
use crate::tyrant::walk::Walk;

/// A part of an index above which it is quicker to read all records, in the order they lie in; of few
/// records nobody knows it well, and nothing takes long.
const INDEX_PART: u64 = 4;
const FEW_RECORDS: u64 = 1_000;
/// Records that are looked at in the wanted order, before other ways are tried.
const WALK_LOOKS_MAX: usize = 50_000;
/// Records that are found and sorted rather than gone through in order; for each one wanted, and at
/// least.
const SORTED_PER_HIT: u64 = 10;
const SORTED_MIN: u64 = 1_000;

/// Where records are looked for.
#[derive(Debug)]
pub enum Access<'q> {
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
    /// By parts that member indexes have.
    Lookup(Lookup),
    /// In a range of a member index.
    Span(KeyRange),
    /// In the order that is wanted, looking at so many at most; then otherwise.
    Walk(Walk, usize, Box<Access<'q>>),
    /// Everywhere.
    All,
}

impl Access<'_> {
    /// The best way to records that meet all conditions.
    ///
    /// `needed`: how many of them, in the query's order.
    ///
    /// # Errors
    /// Those of making keys, and of the store.
    pub fn of<'q>(
        query: &'q Query,
        needed: usize,
        database: &Database,
        engine: &Engine,
    ) -> rows::Result<Access<'q>> {
        let conditions = &query.conditions;
        let wanted =
            || conditions.iter().filter(|condition| condition.indexed && !condition.negated);
        for condition in wanted().filter(|condition| condition.column.is_empty()) {
            match &condition.test {
                Test::Equal(key) => return Ok(Access::Keys(vec![key])),
                Test::IsAny(keys) => {
                    let mut keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                    keys.sort_unstable();
                    keys.dedup();
                    return Ok(Access::Keys(keys));
                }
                Test::Begins(prefix) if database.has_raw_keys() => {
                    return Ok(Access::Prefix(prefix));
                }
                _ => {}
            }
        }
        for condition in wanted() {
            if let Some(column) = database.column_named(&condition.column)
                && let Some(index) = index_of(database.table(), column)
                && let Some(ranges) = ranges(database.table(), index, &condition.test)?
            {
                return Ok(Access::Index { index, ranges });
            }
        }
        match database.document() {
            Some(column) => of_members(query, needed, column, database.table(), engine),
            None => Ok(Access::All),
        }
    }

    /// What a hint says of it.
    pub fn words(&self) -> &'static str {
        match self {
            Access::Keys(_) => "using the primary key",
            Access::Prefix(_) => "using a range of the primary key",
            Access::Index { .. } | Access::Lookup(_) | Access::Span(_) => "using an index",
            Access::Walk(..) => "using an index in its order",
            Access::All => "scanning the whole table",
        }
    }
}

/// The best way that member indexes know.
fn of_members<'q>(
    query: &'q Query,
    needed: usize,
    column: usize,
    table: &Table,
    engine: &Engine,
) -> rows::Result<Access<'q>> {
    let order = query.order.as_ref().filter(|(name, _)| !name.is_empty());
    let index_of = |name: &[u8]| table.member_index(column, name);
    // Of those conditions that name parts, all are looked up at once; of those that name a range, the
    // smallest.
    let (mut lookups, mut least, mut span) = (Vec::new(), Portion::ALL, None);
    let mut in_order = None;
    let usable = |condition: &&Condition| condition.indexed && !condition.negated;
    for condition in query.conditions.iter().filter(usable) {
        let Some(index) = index_of(&condition.column) else { continue };
        let codec = &table.member_codecs[index];
        match lookup::place(codec, &condition.test) {
            Some(Place::Lookup(lookup)) => {
                let portion = Portion::of(engine, codec, engine.lookup_bytes(&lookup)?)?;
                least = if portion.is_below(&least) { portion } else { least };
                lookups.push(lookup);
            }
            Some(Place::Span(range)) => {
                let bytes = engine.store().approximate_bytes(&range)?;
                let portion = Portion::of(engine, codec, bytes)?;
                if order.is_some_and(|(name, _)| *name == condition.column) {
                    in_order = Some(range.clone());
                }
                if span.as_ref().is_none_or(|(known, _)| portion.is_below(known)) {
                    span = Some((portion, range));
                }
            }
            None => {}
        }
    }
    let (portion, access) = match (lookup::all_of(lookups), span) {
        (Some(lookup), Some((portion, _))) if !portion.is_below(&least) => {
            (least, Access::Lookup(lookup))
        }
        (Some(lookup), None) => (least, Access::Lookup(lookup)),
        (_, Some((portion, range))) => (portion, Access::Span(range)),
        (None, None) => (Portion::ALL, Access::All),
    };
    let walk = order.filter(|_| needed <= WALK_LOOKS_MAX).and_then(|(name, order)| {
        let index = index_of(name)?;
        Walk::of(&table.member_codecs[index], index, *order, in_order)
    });
    let rows = engine.row_count(table)?.unwrap_or(u64::MAX);
    let access = if rows > FEW_RECORDS && portion.is_most() { Access::All } else { access };
    let sorted_max = SORTED_MIN.max((needed as u64).saturating_mul(SORTED_PER_HIT));
    Ok(match walk {
        Some(walk) if portion.of_rows(rows) > sorted_max => {
            Access::Walk(walk, WALK_LOOKS_MAX, Box::new(access))
        }
        _ => access,
    })
}

/// About how much of an index is looked at.
#[derive(Clone, Copy, Debug)]
struct Portion {
    bytes: u64,
    of: u64,
}

impl Portion {
    const ALL: Portion = Portion { bytes: 1, of: 1 };

    fn of(engine: &Engine, codec: &MemberCodec, bytes: u64) -> rows::Result<Portion> {
        let of = engine.store().approximate_bytes(&codec.all())?.max(1);
        Ok(Portion { bytes: bytes.min(of), of })
    }

    fn is_below(&self, other: &Portion) -> bool {
        u128::from(self.bytes) * u128::from(other.of)
            < u128::from(other.bytes) * u128::from(self.of)
    }

    fn is_most(&self) -> bool {
        self.bytes > self.of / INDEX_PART
    }

    fn of_rows(&self, rows: u64) -> u64 {
        (u128::from(rows) * u128::from(self.bytes) / u128::from(self.of)) as u64
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
fn ranges(table: &Table, index: usize, test: &Test) -> rows::Result<Option<Vec<KeyRange>>> {
    let ty = &table.codecs[index].parts[0].ty;
    if let (Test::Begins(prefix), ColumnType::VarBinary { .. }) = (test, ty) {
        return Ok(Some(vec![beginning(table, index, prefix)?]));
    }
    let values: Option<Vec<Value>> = match test {
        Test::Equal(text) => value(ty, text).map(|value| vec![value]),
        Test::IsAny(texts) => texts.iter().map(|text| value(ty, text)).collect(),
        // The number of a text that begins with one is another thing than the text.
        _ if !matches!(ty, ColumnType::Int { .. }) => None,
        Test::NumberEqual(number) => whole(ty, *number).map(|value| vec![value]),
        Test::NumberAny(numbers) => numbers.iter().map(|number| whole(ty, *number)).collect(),
        Test::Greater(least) | Test::GreaterEqual(least) => {
            return between(table, index, whole(ty, least.floor()), None);
        }
        Test::Less(most) | Test::LessEqual(most) => {
            return between(table, index, None, whole(ty, most.ceil()));
        }
        Test::Between(least, most) => {
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
