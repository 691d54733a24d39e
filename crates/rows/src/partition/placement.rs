//! Which partition a row is of, and which ones a condition on its columns leaves.
//!
//! ```text
//! RANGE           the first whose bound is greater; NULL is less than all
//! LIST            the one that lists the value
//! HASH            number modulo n, without its sign; NULL is 0
//! LINEAR          the low bits of the number, one less where there is no such partition
//! KEY             as HASH, of a hash of the columns' keys
//! COLUMNS         as RANGE and LIST, of the columns' keys, so that they compare by their collations
//! ```
//!
//! Invariants
//! 1. What `among` gives holds the partition of every row whose columns are in the domains.
//!
//! Not here: when rows are asked (`rules`), conditions (crate `plan`).

use std::collections::HashMap;
use std::ops::Bound;

use expression::{Function, Kind, Node, Number};
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::key::encode_part;
use values::temporal::Zone;
use values::text::write_untyped;
use values::types::ColumnType;

use crate::broken_rule::BrokenRule;
use crate::error::{Error, Result};
use crate::partition_fault::PartitionFault;
use crate::partitioning::{PartitionId, PartitionMethod, PartitionValue, Partitioning};
use crate::schema::TableDefinition;

/// Combinations of values that are placed one by one.
const COMBINATIONS_MAX: usize = 4096;
/// Whole numbers of a range that are placed one by one.
const WALKED_MAX: i128 = 64;

/// What a column may hold in the rows that are wanted.
#[derive(Clone, Debug)]
pub enum ColumnDomain {
    /// Anything.
    Any,
    /// One of these.
    Values(Vec<Value>),
    /// No NULL, and what is between these.
    Between(Bound<Value>, Bound<Value>),
}

/// How a table's rows are divided, ready to be asked.
#[derive(Clone, Debug)]
pub struct PartitionRule {
    /// Position of the column that has the partition's number.
    pub column: usize,
    /// What partitions are told by: an expression, or columns.
    inputs: Vec<Node>,
    /// Positions of the columns in these.
    columns: Vec<usize>,
    /// Of the columns.
    types: Vec<ColumnType>,
    /// Whether the number grows with the only column.
    monotone: Option<Monotone>,
    places: Places,
    /// In order.
    ids: Vec<PartitionId>,
    /// Those that a statement names, of which its rows must be.
    named: Option<Vec<PartitionId>>,
}

/// How a number comes of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Monotone {
    Itself,
    Days,
    Seconds,
    Year,
    Epoch,
}

#[derive(Clone, Debug)]
enum Places {
    /// Upper bounds; `None` is MAXVALUE.
    Range(Vec<Option<i128>>),
    List(HashMap<Option<i128>, PartitionId>),
    RangeColumns(Vec<Vec<Option<Vec<u8>>>>),
    ListColumns(HashMap<Vec<Vec<u8>>, PartitionId>),
    Hash {
        linear: bool,
    },
    Key {
        linear: bool,
    },
}

/// One column's wanted keys.
enum KeyDomain {
    Any,
    Keys(Vec<Vec<u8>>),
    Between(Bound<Vec<u8>>, Bound<Vec<u8>>),
}

impl PartitionRule {
    /// Of a definition with partitions; `inputs` are over its rows.
    ///
    /// # Errors
    /// `Definition` where values do not grow, or come twice, or are of another kind.
    pub fn new(definition: &TableDefinition, inputs: Vec<Node>) -> Result<PartitionRule> {
        let (Some(partitioning), Some(column)) =
            (&definition.partitioning, definition.partition_column())
        else {
            return Err(BrokenRule::Partitioning(PartitionFault::None).into());
        };
        let mut columns = Vec::new();
        for input in &inputs {
            input.visit(&mut |node| {
                if let Kind::Column(at) = node.kind
                    && !columns.contains(&at)
                {
                    columns.push(at);
                }
            });
        }
        let types = columns.iter().map(|at| definition.columns[*at].ty.clone()).collect();
        let monotone = match &inputs[..] {
            [input] if !partitioning.is_by_columns() => monotone_of(input),
            _ => None,
        };
        let mut rule = PartitionRule {
            column,
            inputs,
            columns,
            types,
            monotone,
            places: Places::Hash { linear: partitioning.linear },
            ids: partitioning.partitions.iter().map(|partition| partition.id).collect(),
            named: None,
        };
        rule.places = rule.places_of(definition, partitioning)?;
        Ok(rule)
    }

    fn places_of(
        &self,
        definition: &TableDefinition,
        partitioning: &Partitioning,
    ) -> Result<Places> {
        let fault = |fault: PartitionFault| Error::from(BrokenRule::Partitioning(fault));
        let number = |value: &PartitionValue| -> Result<Option<i128>> {
            let PartitionValue::Text(text) = value else { return Ok(None) };
            text.parse().map(Some).map_err(|_| fault(PartitionFault::FieldNotFound))
        };
        let key = |at: usize, value: &PartitionValue| -> Result<Option<Vec<u8>>> {
            let column = &definition.columns[self.columns[at]];
            let datum = match value {
                PartitionValue::Maximum => return Ok(None),
                PartitionValue::Null => Value::Null,
                PartitionValue::Text(text) => {
                    let converted = column.from_text(text.as_bytes(), Zone::UTC);
                    match converted.issue {
                        Some(_) => {
                            return Err(fault(PartitionFault::FieldType(column.name.clone())));
                        }
                        None => converted.value,
                    }
                }
            };
            Ok(Some(self.key_of(at, datum.as_datum())))
        };
        let partitions = &partitioning.partitions;
        let by_columns = partitioning.is_by_columns();
        Ok(match partitioning.method {
            PartitionMethod::Hash => Places::Hash { linear: partitioning.linear },
            PartitionMethod::Key => Places::Key { linear: partitioning.linear },
            PartitionMethod::Range if by_columns => {
                let mut bounds: Vec<Vec<Option<Vec<u8>>>> = Vec::new();
                for partition in partitions {
                    let row = partition.values.first().map(Vec::as_slice).unwrap_or_default();
                    let keys = row.iter().enumerate().map(|(at, value)| key(at, value));
                    let bound = keys.collect::<Result<Vec<_>>>()?;
                    if bounds.last().is_some_and(|last| !is_less(last, &bound)) {
                        return Err(fault(PartitionFault::NotIncreasing));
                    }
                    bounds.push(bound);
                }
                Places::RangeColumns(bounds)
            }
            PartitionMethod::Range => {
                let mut bounds: Vec<Option<i128>> = Vec::new();
                for partition in partitions {
                    let value = partition.values.first().and_then(|row| row.first());
                    let bound = value.map_or(Ok(None), number)?;
                    match bounds.last() {
                        Some(None) => return Err(fault(PartitionFault::MaximumNotLast)),
                        Some(Some(last)) if bound.is_some_and(|bound| bound <= *last) => {
                            return Err(fault(PartitionFault::NotIncreasing));
                        }
                        _ => bounds.push(bound),
                    }
                }
                Places::Range(bounds)
            }
            PartitionMethod::List if by_columns => {
                let mut listed = HashMap::new();
                for partition in partitions {
                    for row in &partition.values {
                        let keys = row.iter().enumerate().map(|(at, value)| key(at, value));
                        let keys: Vec<Vec<u8>> =
                            keys.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
                        if listed.insert(keys, partition.id).is_some() {
                            return Err(fault(PartitionFault::ListedTwice));
                        }
                    }
                }
                Places::ListColumns(listed)
            }
            PartitionMethod::List => {
                let mut listed = HashMap::new();
                for partition in partitions {
                    for value in partition.values.iter().flatten() {
                        if listed.insert(number(value)?, partition.id).is_some() {
                            return Err(fault(PartitionFault::ListedTwice));
                        }
                    }
                }
                Places::List(listed)
            }
        })
    }

    /// Positions of the columns that partitions are told by.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Refuses rows of other partitions from now on.
    pub(crate) fn limit_to(&mut self, ids: &[PartitionId]) {
        self.named = Some(ids.to_vec());
    }

    /// Refuses the partition of a row that is to be stored, if a statement names others.
    ///
    /// # Errors
    /// `Expression`.
    pub(crate) fn check_named(&self, id: PartitionId) -> Result<PartitionId> {
        match &self.named {
            Some(named) if !named.contains(&id) => Err(expression::Error::new(
                ErrorCode::RowDoesNotMatchGivenPartitionSet,
                "Found a row not matching the given partition set",
            )
            .into()),
            _ => Ok(id),
        }
    }

    /// The numbers of all partitions, in order.
    pub fn ids(&self) -> &[PartitionId] {
        &self.ids
    }

    /// The expressions that partitions are told by.
    pub(crate) fn inputs(&self) -> &[Node] {
        &self.inputs
    }

    fn key_of(&self, at: usize, datum: Datum<'_>) -> Vec<u8> {
        let mut key = Vec::new();
        encode_part(&self.types[at], true, None, datum, &mut key);
        key
    }

    /// The partition of what the inputs are for a row.
    ///
    /// # Errors
    /// `Expression` where there is none for it.
    pub(crate) fn of_values(&self, values: &[Value]) -> Result<PartitionId> {
        let missing = |shown: &str| {
            let message = format!("Table has no partition for value {shown}");
            Error::from(expression::Error::new(ErrorCode::NoPartitionForValue, message))
        };
        let first = values.first().and_then(|value| whole_number(value.as_datum()));
        let shown = || first.map_or_else(|| "NULL".to_owned(), |number| number.to_string());
        let keys = || -> Vec<Vec<u8>> {
            values.iter().enumerate().map(|(at, value)| self.key_of(at, value.as_datum())).collect()
        };
        match &self.places {
            Places::Range(bounds) => {
                let Some(number) = first else { return Ok(self.ids[0]) };
                let at = bounds.partition_point(|bound| bound.is_some_and(|it| it <= number));
                self.ids.get(at).copied().ok_or_else(|| missing(&shown()))
            }
            Places::List(listed) => listed.get(&first).copied().ok_or_else(|| missing(&shown())),
            Places::RangeColumns(bounds) => {
                let keys: Vec<Option<Vec<u8>>> = keys().into_iter().map(Some).collect();
                let at = bounds.partition_point(|bound| !is_less(&keys, bound));
                self.ids.get(at).copied().ok_or_else(|| missing("from column_list"))
            }
            Places::ListColumns(listed) => {
                listed.get(&keys()).copied().ok_or_else(|| missing("from column_list"))
            }
            Places::Hash { linear: false } => {
                let rest = first.unwrap_or(0) % self.ids.len() as i128;
                Ok(self.ids[rest.unsigned_abs() as usize])
            }
            Places::Hash { linear: true } => Ok(self.linear(first.unwrap_or(0) as u64)),
            Places::Key { linear } => {
                let hash = hash_of(&keys());
                Ok(match linear {
                    true => self.linear(hash),
                    false => self.ids[(hash % self.ids.len() as u64) as usize],
                })
            }
        }
    }

    fn linear(&self, number: u64) -> PartitionId {
        let count = self.ids.len() as u64;
        let mask = count.next_power_of_two() - 1;
        let at = number & mask;
        let at = if at >= count { number & (mask >> 1) } else { at };
        self.ids[at as usize]
    }

    /// The partitions, ascending by number, in which rows with such columns may be; `domains` are
    /// in the order of `columns`, and `evaluate` gives the inputs for values of these.
    ///
    /// # Errors
    /// Of `evaluate`.
    pub fn among(
        &self,
        domains: &[ColumnDomain],
        evaluate: &dyn Fn(&[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<PartitionId>> {
        let mut ids = match self.enumerated(domains) {
            Some(rows) => {
                let mut ids = Vec::with_capacity(rows.len());
                for row in rows {
                    match self.of_values(&evaluate(&row)?) {
                        Ok(id) => ids.push(id),
                        // No row has such a value.
                        Err(Error::Expression(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
                ids
            }
            None => self.by_ranges(domains, evaluate)?,
        };
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// All combinations of the columns' values, if they are few.
    fn enumerated(&self, domains: &[ColumnDomain]) -> Option<Vec<Vec<Value>>> {
        let mut rows: Vec<Vec<Value>> = vec![Vec::with_capacity(domains.len())];
        for domain in domains {
            let walked;
            let values = match domain {
                ColumnDomain::Any => return None,
                ColumnDomain::Values(values) => values,
                ColumnDomain::Between(low, high) => {
                    walked = walked_values(low, high)?;
                    &walked
                }
            };
            if rows.len().saturating_mul(values.len()) > COMBINATIONS_MAX {
                return None;
            }
            let longer = |row: &Vec<Value>| {
                let row = row.clone();
                values.iter().map(move |value| {
                    let mut row = row.clone();
                    row.push(value.clone());
                    row
                })
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        Some(rows)
    }

    fn by_ranges(
        &self,
        domains: &[ColumnDomain],
        evaluate: &dyn Fn(&[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<PartitionId>> {
        let all = || Ok(self.ids.clone());
        match &self.places {
            Places::Hash { .. } | Places::Key { .. } => all(),
            Places::RangeColumns(bounds) => Ok(self.ranges_of_columns(bounds, domains)),
            Places::ListColumns(listed) => {
                let domains = self.key_domains(domains);
                let holds = |keys: &Vec<Vec<u8>>| {
                    keys.iter().zip(&domains).all(|(key, domain)| domain.holds(key))
                };
                Ok(listed.iter().filter(|(keys, _)| holds(keys)).map(|(_, id)| *id).collect())
            }
            Places::Range(_) | Places::List(_) => {
                let (Some(monotone), [ColumnDomain::Between(low, high)]) = (self.monotone, domains)
                else {
                    return all();
                };
                let number = |value: &Value| -> Result<Option<i128>> {
                    let values = evaluate(std::slice::from_ref(value))?;
                    Ok(values.first().and_then(|value| whole_number(value.as_datum())))
                };
                let least = match low {
                    Bound::Unbounded => None,
                    Bound::Included(value) => number(value)?,
                    Bound::Excluded(value) => {
                        let is_next = monotone == Monotone::Itself
                            || monotone == Monotone::Days && matches!(value, Value::Date(_));
                        number(value)?.map(|number| number + i128::from(is_next))
                    }
                };
                let most = match high {
                    Bound::Unbounded => None,
                    Bound::Included(value) => number(value)?,
                    Bound::Excluded(value) => {
                        let is_before = monotone.begins_at(value);
                        number(value)?.map(|number| number - i128::from(is_before))
                    }
                };
                let may_be_null = monotone.may_be_null(low, high);
                Ok(self.numbers_between(least, most, may_be_null))
            }
        }
    }

    /// Partitions of numbers from one to another, both included, and of NULL if that may be.
    fn numbers_between(
        &self,
        least: Option<i128>,
        most: Option<i128>,
        may_be_null: bool,
    ) -> Vec<PartitionId> {
        if least.zip(most).is_some_and(|(least, most)| least > most) {
            return Vec::new();
        }
        match &self.places {
            Places::List(listed) => {
                let is_in = |number: &Option<i128>| match number {
                    None => may_be_null,
                    Some(number) => {
                        least.is_none_or(|least| least <= *number)
                            && most.is_none_or(|most| *number <= most)
                    }
                };
                listed.iter().filter(|(number, _)| is_in(number)).map(|(_, id)| *id).collect()
            }
            Places::Range(bounds) => {
                let place = |number: i128| {
                    bounds.partition_point(|bound| bound.is_some_and(|it| it <= number))
                };
                let first = least.map_or(0, place);
                let last = most.map_or(bounds.len(), place).min(bounds.len().saturating_sub(1));
                let found = if first <= last { &self.ids[first..=last] } else { &[] };
                let null = (may_be_null && first > 0).then(|| self.ids[0]);
                null.into_iter().chain(found.iter().copied()).collect()
            }
            _ => self.ids.clone(),
        }
    }

    fn key_domains(&self, domains: &[ColumnDomain]) -> Vec<KeyDomain> {
        let key = |at: usize, value: &Value| self.key_of(at, value.as_datum());
        let bound = |at: usize, bound: &Bound<Value>| bound.as_ref().map(|value| key(at, value));
        let domains = domains.iter().enumerate();
        let of = domains.map(|(at, domain)| match domain {
            ColumnDomain::Any => KeyDomain::Any,
            ColumnDomain::Values(values) => {
                KeyDomain::Keys(values.iter().map(|value| key(at, value)).collect())
            }
            ColumnDomain::Between(low, high) => {
                // NULL is less than all, and not wanted.
                let low = match bound(at, low) {
                    Bound::Unbounded => Bound::Excluded(key(at, &Value::Null)),
                    low => low,
                };
                KeyDomain::Between(low, bound(at, high))
            }
        });
        of.collect()
    }

    /// By the leading columns: those with one value, and the next one's least and most.
    fn ranges_of_columns(
        &self,
        bounds: &[Vec<Option<Vec<u8>>>],
        domains: &[ColumnDomain],
    ) -> Vec<PartitionId> {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        // Whether the last of `high` is itself not wanted.
        let mut open = false;
        for domain in self.key_domains(domains) {
            match domain {
                KeyDomain::Any => break,
                KeyDomain::Keys(keys) => {
                    let (Some(least), Some(most)) = (keys.iter().min(), keys.iter().max()) else {
                        return Vec::new();
                    };
                    let is_one = least == most;
                    low.push(Some(least.clone()));
                    high.push(Some(most.clone()));
                    if !is_one {
                        break;
                    }
                }
                KeyDomain::Between(least, most) => {
                    match least {
                        Bound::Included(key) | Bound::Excluded(key) => low.push(Some(key)),
                        Bound::Unbounded => {}
                    }
                    match most {
                        Bound::Included(key) => high.push(Some(key)),
                        Bound::Excluded(key) => {
                            high.push(Some(key));
                            open = true;
                        }
                        Bound::Unbounded => {}
                    }
                    break;
                }
            }
        }
        let all = self.columns.len();
        let mut ids = Vec::new();
        for (at, bound) in bounds.iter().enumerate() {
            // Its rows are less than its bound: all of them less than `low`?
            let order = compare_prefix(bound, &low);
            let is_below = order.is_lt() || order.is_eq() && low.len() == all && !low.is_empty();
            let is_above = at.checked_sub(1).is_some_and(|before| {
                let order = compare_prefix(&bounds[before], &high);
                order.is_gt() || order.is_eq() && open && high.len() == all
            });
            if !is_below && !is_above {
                ids.push(self.ids[at]);
            }
        }
        ids
    }
}

impl KeyDomain {
    fn holds(&self, key: &Vec<u8>) -> bool {
        match self {
            KeyDomain::Any => true,
            KeyDomain::Keys(keys) => keys.contains(key),
            KeyDomain::Between(low, high) => {
                (match low {
                    Bound::Unbounded => true,
                    Bound::Included(low) => low <= key,
                    Bound::Excluded(low) => low < key,
                }) && (match high {
                    Bound::Unbounded => true,
                    Bound::Included(high) => key <= high,
                    Bound::Excluded(high) => key < high,
                })
            }
        }
    }
}

impl Monotone {
    /// Whether what is less than a value has a lesser number.
    fn begins_at(self, value: &Value) -> bool {
        let parts = match value {
            Value::Int(_) | Value::UInt(_) => return self == Monotone::Itself,
            Value::Date(_) | Value::DateTime(_) | Value::Timestamp(_) => text_of(value),
            _ => return false,
        };
        let behind = |at: usize| parts.get(at..).unwrap_or_default();
        let is_midnight = behind(10).iter().all(|byte| matches!(byte, b' ' | b'0' | b':' | b'.'));
        match self {
            Monotone::Itself => false,
            Monotone::Days => is_midnight,
            Monotone::Seconds | Monotone::Epoch => {
                behind(19).iter().all(|byte| matches!(byte, b'0' | b'.'))
            }
            Monotone::Year => is_midnight && behind(4).starts_with(b"-01-01"),
        }
    }

    /// Whether a value between two bounds may have no number: a date without a day or a month.
    fn may_be_null(self, low: &Bound<Value>, high: &Bound<Value>) -> bool {
        if !matches!(self, Monotone::Days | Monotone::Seconds) {
            return false;
        }
        let month = |bound: &Bound<Value>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => {
                text_of(value).get(..7).map(<[u8]>::to_vec)
            }
            Bound::Unbounded => None,
        };
        !matches!((month(low), month(high)), (Some(low), Some(high)) if low == high)
    }
}

fn text_of(value: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    write_untyped(value.as_datum(), Zone::UTC, &mut text);
    text
}

fn monotone_of(input: &Node) -> Option<Monotone> {
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(_));
    match &input.kind {
        Kind::Column(_) => matches!(input.ty, ColumnType::Int { .. }).then_some(Monotone::Itself),
        Kind::Call(function, arguments) => match &arguments[..] {
            [argument] if is_column(argument) => match function {
                Function::ToDays => Some(Monotone::Days),
                Function::ToSeconds => Some(Monotone::Seconds),
                Function::Year => Some(Monotone::Year),
                Function::UnixTimestamp => Some(Monotone::Epoch),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The whole numbers of a range, if they are few.
fn walked_values(low: &Bound<Value>, high: &Bound<Value>) -> Option<Vec<Value>> {
    let end = |bound: &Bound<Value>, step: i128| match bound {
        Bound::Included(Value::Int(number)) => Some(i128::from(*number)),
        Bound::Included(Value::UInt(number)) => Some(i128::from(*number)),
        Bound::Excluded(Value::Int(number)) => Some(i128::from(*number) + step),
        Bound::Excluded(Value::UInt(number)) => Some(i128::from(*number) + step),
        _ => None,
    };
    let unsigned = matches!(low, Bound::Included(Value::UInt(_)) | Bound::Excluded(Value::UInt(_)));
    let (least, most) = (end(low, 1)?, end(high, -1)?);
    let value = |number: i128| match unsigned {
        true => Value::UInt(number as u64),
        false => Value::Int(number as i64),
    };
    (most - least < WALKED_MAX).then(|| (least..=most).map(value).collect())
}

/// A value as a whole number, if it is not NULL.
pub(super) fn whole_number(datum: Datum<'_>) -> Option<i128> {
    let (number, _) = Number::of(datum, Zone::UTC)?;
    match number {
        Number::Int(number) => Some(i128::from(number)),
        Number::UInt(number) => Some(i128::from(number)),
        Number::Decimal(number) => number.truncate(0)?.to_i128(),
        Number::Double(number) => Some(number as i128),
    }
}

/// Whether one bound is less than another; `None` is MAXVALUE.
fn is_less(one: &[Option<Vec<u8>>], other: &[Option<Vec<u8>>]) -> bool {
    for (one, other) in one.iter().zip(other) {
        match (one, other) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) => return one < other,
            (Some(_), None) => return true,
            (None, _) => return false,
        }
    }
    false
}

/// How a bound compares with a prefix of values, as far as that goes.
fn compare_prefix(bound: &[Option<Vec<u8>>], prefix: &[Option<Vec<u8>>]) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    for (one, other) in bound.iter().zip(prefix) {
        let order = match (one, other) {
            (Some(one), Some(other)) => one.cmp(other),
            (None, _) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// FNV-1a of the columns' keys, mixed so that its low bits depend on all of them.
fn hash_of(keys: &[Vec<u8>]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in keys.iter().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ hash >> 32
}
