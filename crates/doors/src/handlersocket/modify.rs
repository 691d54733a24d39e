//! Writes: insert, and find and modify (`U`, `D`, `+`, `-`, each also with `?`).
//!
//! Invariants
//! 1. Rows are found first and changed after, so a change never meets its own results.
//! 2. A row that another writer changed between being found and being locked makes the whole
//!    request start again with its locks held; so what is changed is what was judged.
//! 3. A request is all or nothing.
//!
//! Not here: finding and filters (`execute`).

use rows::convert::{convert, from_text};
use rows::schema::{Column, DefaultValue};
use rows::{Datum, Error, FindOp, RowChange, RowRef, Transaction, Value, Zone};

use crate::conversation::Turn;
use crate::handlersocket::command::{Refusal, Request};
use crate::handlersocket::decode::unescape;
use crate::handlersocket::encode;
use crate::handlersocket::execute::{Failure, Served, Test};
use crate::handlersocket::handle::Handle;

impl Handle {
    /// `+`: adds a row.
    pub(super) fn insert(
        &self,
        request: &Request<'_>,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Failure> {
        let columns = &self.table.columns;
        let mut row: Vec<Option<Value>> = vec![None; columns.len()];
        for (position, token) in self.columns.iter().zip(request.values.as_slice()) {
            let column = &columns[*position];
            row[*position] = match unescape(token)? {
                Some(bytes) => Some(from_text(&column.ty, &bytes, Zone::UTC).value),
                None if column.nullable => Some(Value::Null),
                None => None,
            };
        }
        let row: Vec<Value> = row
            .into_iter()
            .zip(columns)
            .map(|(value, column)| value.unwrap_or_else(|| left_out(column)))
            .collect();
        let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
        let inserted = turn.transaction()?.insert(&self.table, &datums)?;
        match self.table.auto_increment() {
            Some(_) => encode::number(inserted.generated.unwrap_or(0), out),
            None => encode::done(out),
        }
        Ok(Served::AfterCommit)
    }

    /// Find and modify.
    pub(super) fn modify(
        &self,
        request: &Request<'_>,
        op: FindOp,
        tests: &[Test],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Failure> {
        let modification = Modification::of(self, request)?;
        let reach = turn.reach();
        let engine = turn.engine();
        let transaction = turn.transaction()?;
        let start = transaction.savepoint();
        let mark = out.len();
        loop {
            if modification.shows_old {
                encode::head(self.columns.len(), out);
            }
            let mut found = Vec::new();
            self.visit(engine, transaction.view(), request, op, tests, reach, &mut |row| {
                found.push((row.key.to_vec(), row.row.version()));
                if modification.shows_old { self.write_row(&row.row, out) } else { Ok(()) }
            })?;
            match self.change_all(transaction, &found, &modification) {
                Ok(Some(count)) => {
                    match modification.shows_old {
                        true => out.push(b'\n'),
                        false => encode::number(count, out),
                    }
                    return Ok(Served::AfterCommit);
                }
                Ok(None) => {
                    transaction.rollback_to(start);
                    out.truncate(mark);
                }
                Err(error) => {
                    transaction.rollback_to(start);
                    return Err(error.into());
                }
            }
        }
    }

    /// Changes the found rows; `None` when one of them is no longer what was found.
    fn change_all(
        &self,
        transaction: &mut Transaction,
        found: &[(Vec<u8>, u64)],
        modification: &Modification,
    ) -> rows::Result<Option<u64>> {
        let mut count = 0;
        for (key, version) in found {
            let mut outdated = false;
            let mut left_alone = false;
            let changed = transaction.change_row(&self.table, key, &mut |row| {
                if row.version() != *version {
                    outdated = true;
                    return Ok(RowChange::Keep);
                }
                let change = modification.change(self, &row)?;
                left_alone = change.is_none();
                Ok(change.unwrap_or(RowChange::Keep))
            })?;
            if outdated || changed == rows::Changed::Missing {
                return Ok(None);
            }
            count += u64::from(!left_alone);
        }
        Ok(Some(count))
    }
}

/// The default of a column that an insert left out, never NULL, as in the original.
fn left_out(column: &Column) -> Value {
    let zero = || from_text(&column.ty, &zero_text(column), Zone::UTC).value;
    match &column.default {
        _ if column.auto_increment => Value::Null,
        DefaultValue::Literal(Some(text)) => from_text(&column.ty, text, Zone::UTC).value,
        _ => zero(),
    }
}

/// The text of a column's zero value: a nullable ENUM has '' there, not its first word.
fn zero_text(column: &Column) -> Vec<u8> {
    match column.ty {
        rows::ColumnType::Enum { .. } if column.nullable => Vec::new(),
        rows::ColumnType::Json => Vec::new(),
        _ => rows::alter::implicit_default(&column.ty),
    }
}

/// What a request does with each row.
struct Modification {
    kind: u8,
    shows_old: bool,
    /// New values for `U`, by column position.
    sets: Vec<(usize, Value)>,
    /// Operands for `+` and `-`, by column position; NULL ones are left out.
    operands: Vec<(usize, i64)>,
}

impl Modification {
    fn of(handle: &Handle, request: &Request<'_>) -> Result<Modification, Refusal> {
        let kind = request.modify[0];
        let shows_old = request.modify.get(1) == Some(&b'?');
        let (mut sets, mut operands) = (Vec::new(), Vec::new());
        let tokens = request.modify_values.as_slice();
        for (number, position) in handle.columns.iter().enumerate() {
            let token = tokens.get(number).copied().unwrap_or_default();
            let value = unescape(token)?;
            let column = &handle.table.columns[*position];
            match kind {
                b'U' => {
                    let value = match value {
                        Some(bytes) => from_text(&column.ty, &bytes, Zone::UTC).value,
                        None if column.nullable => Value::Null,
                        None => from_text(&column.ty, &zero_text(column), Zone::UTC).value,
                    };
                    sets.push((*position, value));
                }
                b'+' | b'-' => {
                    if let Some(bytes) = value {
                        operands.push((*position, leading_integer(&bytes)));
                    }
                }
                _ => {}
            }
        }
        Ok(Modification { kind, shows_old, sets, operands })
    }

    /// The change for a row; `None` leaves it alone and does not count it.
    fn change(&self, handle: &Handle, row: &RowRef<'_>) -> Result<Option<RowChange>, Error> {
        match self.kind {
            b'D' => return Ok(Some(RowChange::Delete)),
            b'U' => return Ok(Some(RowChange::Set(self.sets.clone()))),
            _ => {}
        }
        let mut sets = Vec::with_capacity(self.operands.len());
        for (position, operand) in &self.operands {
            let column = &handle.table.columns[*position];
            let old = row.column(*position)?;
            if old.is_null() {
                continue;
            }
            let old = as_integer(old);
            let new = match self.kind {
                b'+' => old.wrapping_add(*operand),
                _ => old.wrapping_sub(*operand),
            };
            if self.kind == b'-' && ((old > 0 && new < 0) || (old < 0 && new > 0)) {
                return Ok(None);
            }
            sets.push((*position, convert(&column.ty, Datum::Int(new), Zone::UTC).value));
        }
        Ok(Some(RowChange::Set(sets)))
    }
}

/// An integer like C's `atoll`: a sign, digits, then whatever; wraps.
fn leading_integer(bytes: &[u8]) -> i64 {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    let value = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0i64, |value, byte| value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0')));
    if negative { value.wrapping_neg() } else { value }
}

/// A column's value as the integer that arithmetic starts from.
fn as_integer(datum: Datum<'_>) -> i64 {
    match datum {
        Datum::Int(value) => value,
        Datum::UInt(value) => value as i64,
        Datum::Bytes(bytes) => leading_integer(bytes),
        Datum::Enum(number) => i64::from(number),
        Datum::Year(year) => i64::from(year),
        Datum::Double(value) => value.round_ties_even() as i64,
        Datum::Float(value) => value.round_ties_even() as i64,
        other => {
            let big = rows::ColumnType::Int {
                width: rows::types::IntWidth::Big,
                unsigned: false,
                boolean: false,
            };
            match convert(&big, other, Zone::UTC).value {
                Value::Int(value) => value,
                _ => 0,
            }
        }
    }
}
