//! Aggregates over the rows of a group.
//!
//! Invariants
//! 1. NULL is passed over, by COUNT as well; what has seen nothing else gives NULL, 0 for COUNT,
//!    and the neutral bits for BIT_AND and its kin.
//! 2. Sums of exact numbers are exact.
//!
//! Not here: result types (`plan::tree::aggregate`).

use std::cmp::Ordering;

use expression::{
    Cell, JsonMembers, Node, Number, Ordinals, Scope, combine_bytes, compare, json_element,
    quotient,
};
use values::ErrorCode;
use values::convert::convert;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::ordinal::{ordinal_of, to_signed, value_of};
use values::types::{Collation, ColumnType};

use super::key::{KEY_BYTES, KeySet, push, push_descending};
use super::variable;
use plan::tree::{Aggregate, AggregateFunction};
use results::{Result, SqlError};

/// The longest string of bytes whose bits BIT_AND and its kin take (MySQL 9.7).
const COMBINED_BYTES_MAX: usize = 511;

/// The state of one aggregate of one group.
pub(super) struct Accumulator {
    /// Keys of the values seen, for DISTINCT.
    seen: Option<KeySet>,
    state: AccumulatorState,
}

enum AccumulatorState {
    Count(i64),
    /// Integers, other exact numbers, how many of both.
    Exact(i128, Option<Decimal>, u64),
    /// Doubles, how many.
    Inexact(f64, u64),
    Extreme(Option<Value>),
    /// The ordinal of the smallest or largest value.
    ExtremeOrdinal(Option<u64>),
    First(Option<Value>),
    Bits(u64),
    /// Of strings of bytes, once there are some.
    ByteString(Option<Vec<u8>>),
    /// How many, their mean, the sum of squared distances from it (Welford).
    Spread(u64, f64, f64),
    /// Texts of GROUP_CONCAT, or elements of a JSON array that are sorted, told apart or limited.
    Concat {
        /// Parts with what they are sorted by.
        parts: Vec<(Vec<u8>, Vec<u8>)>,
        bytes: usize,
        bytes_max: usize,
    },
    /// The elements of another JSON array, once there are some.
    Elements(Option<Vec<u8>>),
    /// The members of a JSON object, once there are some, and how many bytes they have.
    Members(Option<JsonMembers>, usize),
}

/// `group_concat_max_len`.
pub(super) fn concat_bytes_max(scope: &Scope<'_>) -> Result<usize> {
    let bytes_max = variable(scope, "group_concat_max_len", 1024)?;
    Ok(bytes_max.min(scope.limits.value_bytes_max()))
}

impl Accumulator {
    pub fn new(aggregate: &Aggregate, concat_bytes_max: usize) -> Accumulator {
        use AggregateFunction as F;
        let state = match aggregate.function {
            // What GROUPING says follows from the group, not from its rows.
            F::CountRows | F::Count | F::Grouping => AccumulatorState::Count(0),
            F::Sum | F::Average => match aggregate.ty {
                ColumnType::Decimal { .. } => AccumulatorState::Exact(0, None, 0),
                _ => AccumulatorState::Inexact(0.0, 0),
            },
            F::Minimum | F::Maximum => AccumulatorState::Extreme(None),
            F::AnyValue => AccumulatorState::First(None),
            _ if aggregate.combines_bytes() => AccumulatorState::ByteString(None),
            F::BitAnd => AccumulatorState::Bits(u64::MAX),
            F::BitOr | F::BitXor => AccumulatorState::Bits(0),
            F::DeviationOfAll | F::DeviationOfSample | F::VarianceOfAll | F::VarianceOfSample => {
                AccumulatorState::Spread(0, 0.0, 0.0)
            }
            F::GroupConcat => AccumulatorState::Concat {
                parts: Vec::new(),
                bytes: 0,
                bytes_max: concat_bytes_max,
            },
            F::JsonArray if aggregate.keeps_values() => {
                AccumulatorState::Concat { parts: Vec::new(), bytes: 0, bytes_max: usize::MAX }
            }
            F::JsonArray => AccumulatorState::Elements(None),
            F::JsonObject => AccumulatorState::Members(None, 0),
        };
        // The least of distinct values is the least of all.
        let distinct = aggregate.distinct && !matches!(aggregate.function, F::Minimum | F::Maximum);
        Accumulator { seen: distinct.then(KeySet::default), state }
    }

    /// How an aggregate takes ordinals instead of values, if it does (`add_ordinal`).
    pub fn ordinals(aggregate: &Aggregate) -> Option<Ordinals<'_>> {
        use AggregateFunction as F;
        let [argument] = aggregate.arguments.as_slice() else { return None };
        let does = match aggregate.function {
            F::Minimum | F::Maximum => aggregate.ty == argument.ty,
            F::Count => !aggregate.distinct,
            F::Sum | F::Average => {
                let exact = matches!(aggregate.ty, ColumnType::Decimal { .. });
                exact && !aggregate.distinct && matches!(argument.ty, ColumnType::Int { .. })
            }
            _ => false,
        };
        Ordinals::of(argument).filter(|_| does)
    }

    /// One that takes ordinals.
    pub fn of_ordinals(aggregate: &Aggregate) -> Accumulator {
        match Accumulator::new(aggregate, 0) {
            Accumulator { seen, state: AccumulatorState::Extreme(_) } => {
                Accumulator { seen, state: AccumulatorState::ExtremeOrdinal(None) }
            }
            other => other,
        }
    }

    /// Counts so many rows more.
    pub fn count_rows(&mut self, rows: u64) {
        if let AccumulatorState::Count(count) = &mut self.state {
            *count = count.saturating_add_unsigned(rows);
        }
    }

    /// Adds a row's ordinal, which is not NULL.
    #[inline]
    pub fn add_ordinal(&mut self, aggregate: &Aggregate, ordinal: u64) {
        match &mut self.state {
            AccumulatorState::Count(count) => *count += 1,
            AccumulatorState::ExtremeOrdinal(best) => {
                let before = best.unwrap_or(ordinal);
                *best = Some(match aggregate.function {
                    AggregateFunction::Minimum => before.min(ordinal),
                    _ => before.max(ordinal),
                });
            }
            AccumulatorState::Exact(whole, _, count) => {
                let unsigned = aggregate.arguments.first().is_some_and(|argument| {
                    matches!(argument.ty, ColumnType::Int { unsigned: true, .. })
                });
                *whole += match unsigned {
                    true => i128::from(ordinal),
                    false => i128::from(to_signed(ordinal)),
                };
                *count += 1;
            }
            _ => {}
        }
    }

    /// Takes what is known of all rows: a count, or the smallest or largest value.
    pub fn know(&mut self, value: Value) {
        match (&mut self.state, value) {
            (AccumulatorState::Count(count), Value::Int(rows)) => *count = rows,
            (AccumulatorState::Extreme(best), value) => *best = Some(value),
            (AccumulatorState::ExtremeOrdinal(best), value) => {
                *best = ordinal_of(&value.as_datum())
            }
            _ => {}
        }
    }

    /// Adds a row; how much more memory it takes.
    ///
    /// # Errors
    /// Those of evaluating the arguments, and of memory that is not to be had.
    pub fn add(&mut self, aggregate: &Aggregate, row: &Scope<'_>) -> Result<usize> {
        let [argument, rest @ ..] = aggregate.arguments.as_slice() else {
            if let AccumulatorState::Count(count) = &mut self.state {
                *count += 1;
            }
            return Ok(0);
        };
        let cell = argument.evaluate(row)?;
        if let AccumulatorState::Elements(_) | AccumulatorState::Members(..) = self.state {
            return self.add_to_json(argument, cell, rest, row);
        }
        // Of a JSON array NULL is an element.
        if cell.is_null() && aggregate.function != AggregateFunction::JsonArray {
            if let AccumulatorState::First(first @ None) = &mut self.state {
                *first = Some(Value::Null);
            }
            return Ok(0);
        }
        let mut bytes = 0;
        if let Some(seen) = &mut self.seen {
            let mut key = Vec::new();
            push(&argument.ty, cell.datum(), &mut key);
            for node in rest {
                let further = node.evaluate(row)?;
                if further.is_null() {
                    return Ok(0);
                }
                push(&node.ty, further.datum(), &mut key);
            }
            if seen.contains(&key) {
                return Ok(0);
            }
            bytes += key.len() + KEY_BYTES;
            seen.insert(key);
        }
        Ok(bytes + self.add_value(aggregate, argument, cell, row)?)
    }

    /// Adds an element, also NULL, or a member. What is too long already grows no more.
    fn add_to_json(
        &mut self,
        argument: &Node,
        cell: Cell<'_>,
        rest: &[Node],
        row: &Scope<'_>,
    ) -> Result<usize> {
        let bytes_max = row.limits.value_bytes_max();
        match (&mut self.state, rest) {
            (AccumulatorState::Elements(elements), _) => {
                let text = elements.get_or_insert_default();
                let before = text.len();
                if before > bytes_max {
                    return Ok(0);
                }
                if before > 0 {
                    text.extend_from_slice(b", ");
                }
                json_element(argument.json_type(), cell.datum(), row.zone, text);
                Ok(text.len() - before)
            }
            (AccumulatorState::Members(members, bytes), [value]) => {
                if cell.is_null() {
                    return Err(expression::Error::null_member_name().into());
                }
                if *bytes > bytes_max {
                    return Ok(0);
                }
                let (mut name, mut element) = (Vec::new(), Vec::new());
                argument.write_text(cell.datum(), row.zone, &mut name);
                json_element(
                    value.json_type(),
                    value.evaluate(row)?.datum(),
                    row.zone,
                    &mut element,
                );
                let more = name.len() + element.len();
                *bytes += more;
                members
                    .get_or_insert_default()
                    .insert(String::from_utf8_lossy(&name).into_owned(), element);
                Ok(more + KEY_BYTES)
            }
            _ => Ok(0),
        }
    }

    fn add_value(
        &mut self,
        aggregate: &Aggregate,
        argument: &Node,
        cell: Cell<'_>,
        row: &Scope<'_>,
    ) -> Result<usize> {
        match &mut self.state {
            AccumulatorState::Count(count) => *count += 1,
            AccumulatorState::Exact(whole, exact, count) => {
                let Some(number) = row.number(&cell) else { return Ok(0) };
                *count += 1;
                match number {
                    Number::Int(v) => *whole += i128::from(v),
                    Number::UInt(v) => *whole += i128::from(v),
                    other => {
                        let Some(value) = other.to_decimal() else { return Ok(0) };
                        let sum = exact.unwrap_or(Decimal::from_i128(0, 0));
                        *exact = Some(sum.checked_add(value).unwrap_or(sum));
                    }
                }
            }
            AccumulatorState::Inexact(sum, count) => {
                let Some(number) = row.number(&cell) else { return Ok(0) };
                *sum += number.to_f64();
                *count += 1;
            }
            AccumulatorState::Extreme(best) => {
                let cell = own_cell(aggregate, argument, cell, row);
                let better = best.as_ref().is_none_or(|best| {
                    let rule = aggregate.ty.collation().unwrap_or(Collation::Binary);
                    let (a, b, ty) = (cell.datum(), best.as_datum(), &aggregate.ty);
                    let wanted = match aggregate.function {
                        AggregateFunction::Minimum => Ordering::Less,
                        _ => Ordering::Greater,
                    };
                    compare((a, ty), (b, ty), rule, row.zone) == Some(wanted)
                });
                if better {
                    *best = Some(cell.into_value());
                }
            }
            AccumulatorState::First(first) => {
                if first.is_none() {
                    *first = Some(cell.into_value());
                }
            }
            AccumulatorState::Bits(bits) => {
                let Some(number) = row.bits(&aggregate.arguments[0], &cell) else {
                    return Ok(0);
                };
                let of_value = number.to_bits();
                match aggregate.function {
                    AggregateFunction::BitAnd => *bits &= of_value,
                    AggregateFunction::BitOr => *bits |= of_value,
                    _ => *bits ^= of_value,
                }
            }
            AccumulatorState::ByteString(bytes) => {
                let mut buffer = Vec::new();
                let value = argument.bytes_of(cell.datum(), row.zone, &mut buffer);
                if value.len() > COMBINED_BYTES_MAX {
                    return Err(SqlError::new(
                        ErrorCode::InvalidBitwiseAggregateOperandsSize,
                        "Aggregate bitwise functions cannot accept arguments longer than 511 \
                         bytes; consider using the SUBSTRING() function",
                    ));
                }
                let Some(bytes) = bytes else {
                    *bytes = Some(value.to_vec());
                    return Ok(value.len());
                };
                combine_bytes(
                    bytes,
                    value,
                    match aggregate.function {
                        AggregateFunction::BitAnd => |a, b| a & b,
                        AggregateFunction::BitOr => |a, b| a | b,
                        _ => |a, b| a ^ b,
                    },
                )?;
            }
            AccumulatorState::Spread(count, mean, squares) => {
                let Some(number) = row.number(&cell) else { return Ok(0) };
                let value = number.to_f64();
                *count += 1;
                let before = value - *mean;
                *mean += before / *count as f64;
                *squares += before * (value - *mean);
            }
            AccumulatorState::Concat { parts, bytes, bytes_max } => {
                // Unsorted, what comes behind the longest result is of no use. There is a separator
                // less than there are parts.
                let longest = bytes_max.saturating_add(aggregate.separator.len());
                if aggregate.order.is_empty() && aggregate.limit.is_none() && *bytes > longest {
                    return Ok(0);
                }
                let mut key = Vec::new();
                for (node, descending) in &aggregate.order {
                    let push = if *descending { push_descending } else { push };
                    push(&node.ty, node.evaluate(row)?.datum(), &mut key);
                }
                let mut text = Vec::new();
                match cell {
                    cell if aggregate.function == AggregateFunction::JsonArray => {
                        json_element(argument.json_type(), cell.datum(), row.zone, &mut text);
                    }
                    Cell::Owned(own) | Cell::Counted(own, _) => text = own,
                    plain => argument.write_text(plain.datum(), row.zone, &mut text),
                }
                *bytes += text.len() + aggregate.separator.len();
                let more = key.len() + text.len() + KEY_BYTES;
                parts.push((key, text));
                return Ok(more);
            }
            // `add_to_json` and `add_ordinal` have added to them.
            AccumulatorState::Elements(_)
            | AccumulatorState::Members(..)
            | AccumulatorState::ExtremeOrdinal(_) => {}
        }
        row.limits.check_refused()?;
        Ok(0)
    }

    /// The result over the rows so far; more may follow.
    ///
    /// # Errors
    /// Those of the function over these values: a sum out of range, for one.
    pub fn result(&mut self, aggregate: &Aggregate, scope: &Scope<'_>) -> Result<Value> {
        use AggregateFunction as F;
        Ok(match &mut self.state {
            AccumulatorState::Count(count) => Value::Int(*count),
            AccumulatorState::Exact(_, _, 0) | AccumulatorState::Inexact(_, 0) => Value::Null,
            AccumulatorState::Exact(whole, exact, count) => {
                let whole = Decimal::from_i128(*whole, 0);
                let sum = exact.map_or(Some(whole), |exact| exact.checked_add(whole));
                let value = match aggregate.function {
                    F::Average => {
                        let count = Decimal::from_i128(i128::from(*count), 0);
                        sum.and_then(|sum| quotient(sum, count, aggregate.more_digits()))
                    }
                    _ => sum,
                };
                match value {
                    None => Value::Null,
                    Some(value) => shown(aggregate, Value::Decimal(value), scope),
                }
            }
            AccumulatorState::Inexact(sum, count) => match aggregate.function {
                F::Average => Value::Double(*sum / *count as f64),
                _ => Value::Double(*sum),
            },
            AccumulatorState::Extreme(Some(value @ Value::Decimal(_))) => {
                shown(aggregate, value.clone(), scope)
            }
            AccumulatorState::Extreme(value) | AccumulatorState::First(value) => {
                value.clone().unwrap_or(Value::Null)
            }
            AccumulatorState::ExtremeOrdinal(None) => Value::Null,
            AccumulatorState::ExtremeOrdinal(Some(ordinal)) => {
                match value_of(&aggregate.ty, *ordinal) {
                    Some(value) => value,
                    None => return Err(SqlError::other("a column that is no value")),
                }
            }
            AccumulatorState::Bits(bits) => Value::UInt(*bits),
            AccumulatorState::ByteString(Some(bytes)) => Value::Bytes(bytes.clone()),
            // As long as they may be, which of a BLOB is too long.
            AccumulatorState::ByteString(None) => {
                let length = match aggregate.ty {
                    ColumnType::VarBinary { bytes } => bytes as usize,
                    _ => 0,
                };
                let byte = if aggregate.function == F::BitAnd { 0xff } else { 0 };
                Value::Bytes(vec![byte; length.min(COMBINED_BYTES_MAX)])
            }
            AccumulatorState::Spread(count, _, squares) => {
                let sample =
                    matches!(aggregate.function, F::DeviationOfSample | F::VarianceOfSample);
                let of = count.saturating_sub(u64::from(sample));
                if of == 0 {
                    return Ok(Value::Null);
                }
                let variance = *squares / of as f64;
                if !variance.is_finite() {
                    let shown = match aggregate.function {
                        F::DeviationOfAll => "std",
                        F::DeviationOfSample => "stddev_samp",
                        F::VarianceOfAll => "variance",
                        _ => "var_samp",
                    };
                    return Err(SqlError::new(
                        ErrorCode::DataOutOfRange,
                        format!("DOUBLE value is out of range in '{shown}()'"),
                    ));
                }
                match aggregate.function {
                    F::DeviationOfAll | F::DeviationOfSample => Value::Double(variance.sqrt()),
                    _ => Value::Double(variance),
                }
            }
            AccumulatorState::Concat { parts, bytes_max, .. } => {
                if parts.is_empty() {
                    return Ok(Value::Null);
                }
                if !aggregate.order.is_empty() {
                    parts.sort_by(|a, b| a.0.cmp(&b.0));
                }
                let parts = match &aggregate.limit {
                    Some(limit) => taken(parts, limit, scope)?,
                    None => &parts[..],
                };
                if aggregate.function == F::JsonArray {
                    return json_array(parts, scope);
                }
                Value::Bytes(joined(parts, &aggregate.separator, *bytes_max, scope)?)
            }
            AccumulatorState::Elements(None) | AccumulatorState::Members(None, _) => Value::Null,
            AccumulatorState::Elements(Some(text)) => bracketed(text, scope)?,
            AccumulatorState::Members(Some(members), _) => {
                let text = members.print();
                match scope.room("json_objectagg", text.len())? {
                    Some(_) => Value::Bytes(text),
                    None => Value::Null,
                }
            }
        })
    }
}

/// A number with the digits that are shown of it, if it does not keep more.
fn shown(aggregate: &Aggregate, value: Value, scope: &Scope<'_>) -> Value {
    match aggregate.keeps_digits {
        true => value,
        false => convert(&aggregate.ty, value.as_datum(), scope.zone).value,
    }
}

/// The parts that LIMIT leaves.
fn taken<'p>(
    parts: &'p [(Vec<u8>, Vec<u8>)],
    limit: &[Node; 2],
    scope: &Scope<'_>,
) -> Result<&'p [(Vec<u8>, Vec<u8>)]> {
    let mut numbers = [0; 2];
    for (number, node) in numbers.iter_mut().zip(limit) {
        let value = scope.integer(&node.evaluate(scope)?).map_or(0, Number::to_i128);
        *number = usize::try_from(value.max(0)).unwrap_or(usize::MAX);
    }
    let [offset, count] = numbers;
    let rest = parts.get(offset..).unwrap_or_default();
    Ok(&rest[..count.min(rest.len())])
}

fn json_array(parts: &[(Vec<u8>, Vec<u8>)], scope: &Scope<'_>) -> Result<Value> {
    let elements: Vec<&[u8]> = parts.iter().map(|(_, text)| text.as_slice()).collect();
    bracketed(&elements.join(&b", "[..]), scope)
}

/// A JSON array of elements that are joined; NULL when it is too long.
fn bracketed(elements: &[u8], scope: &Scope<'_>) -> Result<Value> {
    Ok(match scope.room("json_arrayagg", elements.len() + 2)? {
        Some(_) => Value::Bytes([b"[", elements, b"]"].concat()),
        None => Value::Null,
    })
}

/// A value of MIN or MAX: an ENUM or SET by its words.
fn own_cell<'a>(
    aggregate: &Aggregate,
    argument: &Node,
    cell: Cell<'a>,
    row: &Scope<'_>,
) -> Cell<'a> {
    match (&aggregate.ty, cell.datum()) {
        (ColumnType::VarChar { .. }, datum @ (Datum::Enum(_) | Datum::Set(_))) => {
            let mut word = Vec::new();
            argument.write_text(datum, row.zone, &mut word);
            Cell::Owned(word)
        }
        _ => cell,
    }
}

/// The parts with the separator between them, cut at so many bytes and never within a character.
fn joined(
    parts: &[(Vec<u8>, Vec<u8>)],
    separator: &[u8],
    bytes_max: usize,
    scope: &Scope<'_>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (n, (_, text)) in parts.iter().enumerate() {
        if n > 0 {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(text);
        if out.len() > bytes_max {
            let mut end = bytes_max;
            // A byte of the form 10xxxxxx continues a character.
            while end > 0 && out[end] & 0b1100_0000 == 0b1000_0000 {
                end -= 1;
            }
            out.truncate(end);
            let message = format!("Row {} was cut by GROUP_CONCAT()", n + 1);
            if scope.limits.is_strict() {
                return Err(SqlError::new(ErrorCode::CutValueGroupConcat, message));
            }
            scope.warn(ErrorCode::CutValueGroupConcat, || message);
            break;
        }
    }
    Ok(out)
}
