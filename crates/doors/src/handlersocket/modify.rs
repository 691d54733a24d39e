//! Writes: insert, and find and modify (`U`, `D`, `+`, `-`, each also with `?`).
//!
//! Invariants
//! 1. Rows are found first and changed after, so a change never meets its own results.
//! 2. A row that another writer changed between being found and being locked makes the whole
//!    request start again with its locks held; so what is changed is what was judged.
//! 3. A request is all or nothing.
//! 4. What was found is held within the memory for clients; for more the request is refused.
//!
//! Not here: finding and filters (`execute`).

use std::collections::HashSet;
use std::sync::Arc;

use resources::budget::{Budget, Share};
use rows::{Error, FindOp, RowChange, Transaction};
use values::RowRef;
use values::convert::convert;
use values::text::write_text;
use values::{ColumnType, Datum, Value, Zone};

use crate::conversation::Turn;
use crate::handlersocket::coerce::{default_value, stored};
use crate::handlersocket::command::{HandlerSocketRefusal, IndexRequest, VALUES_MAX};
use crate::handlersocket::decode::{self, unescape};
use crate::handlersocket::encode;
use crate::handlersocket::execute::{AnswerTime, HandlerSocketFailure};
use crate::handlersocket::find::FilterTest;
use crate::handlersocket::handle::Handle;

impl Handle {
    /// `+`: adds a row.
    pub(super) fn insert(
        &self,
        request: &IndexRequest<'_>,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        let columns = &self.table.columns;
        let mut row: Vec<Option<Value>> = vec![None; columns.len()];
        let mut give = |position: &usize, token: &[u8]| -> Result<(), HandlerSocketRefusal> {
            let column = &columns[*position];
            row[*position] = match unescape(token)? {
                Some(text) => Some(stored(column, &text)?),
                None if column.nullable => Some(Value::Null),
                None => None,
            };
            Ok(())
        };
        if request.announced > VALUES_MAX {
            let tokens = decode::tokens(request.many).take(request.announced);
            self.columns.iter().zip(tokens).try_for_each(|(at, token)| give(at, token))?;
        } else {
            let tokens = request.values.as_slice();
            self.columns.iter().zip(tokens).try_for_each(|(at, token)| give(at, token))?;
        }
        let now = turn.engine().clock().unix_micros();
        let given: Vec<bool> = row.iter().map(Option::is_some).collect();
        let mut row: Vec<Value> = row
            .into_iter()
            .zip(columns)
            .map(|(value, column)| value.unwrap_or_else(|| default_value(column, now)))
            .collect();
        let clock = &**turn.engine().clock();
        self.table.fill_defaults(&mut row, &|at| given[at], clock, Zone::UTC)?;
        let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
        let inserted = turn.transaction()?.insert(&self.table, &datums)?;
        match self.table.auto_increment() {
            Some(_) => encode::number(inserted.generated.unwrap_or(0), out),
            None => encode::done(out),
        }
        Ok(AnswerTime::AfterCommit)
    }

    /// Find and modify.
    pub(super) fn modify(
        &self,
        request: &IndexRequest<'_>,
        op: FindOp,
        tests: &[FilterTest],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        let modification = Modification::of(self, request)?;
        let reach = turn.reach();
        let engine = turn.engine();
        let transaction = turn.transaction()?;
        let start = transaction.savepoint();
        let (mark, reply_max) = (out.len(), engine.budget().reply_bytes_max());
        loop {
            if modification.shows_old {
                encode::head(self.columns.len(), out);
            }
            let mut found = FoundRows::new(engine.budget(), request.list.is_some());
            self.visit(engine, transaction.view(), request, op, tests, reach, &mut |row| {
                found.add(row.key, row.row.version())?;
                if !modification.shows_old {
                    return Ok(());
                }
                if out.len() - mark > reply_max {
                    return Err(Error::NoMemory);
                }
                self.write_row(&row.row, out)
            })?;
            match self.change_all(transaction, &found, &modification) {
                Ok(Some(count)) => {
                    match modification.shows_old {
                        true => out.push(b'\n'),
                        false => encode::number(count, out),
                    }
                    return Ok(AnswerTime::AfterCommit);
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
        found: &FoundRows,
        modification: &Modification,
    ) -> rows::Result<Option<u64>> {
        let mut count = 0;
        for (key, version) in found.rows() {
            let mut outdated = false;
            let mut left_alone = false;
            let changed = transaction.change_row::<Error>(&self.table, key, &mut |row| {
                if row.version() != version {
                    outdated = true;
                    return Ok(RowChange::Keep);
                }
                let change = modification.change(self, &row)?;
                left_alone = change.is_none();
                Ok(change.unwrap_or(RowChange::Keep))
            })?;
            if outdated || changed == rows::ChangeOutcome::Missing {
                return Ok(None);
            }
            count += u64::from(!left_alone);
        }
        Ok(Some(count))
    }
}

/// Keys and versions of the rows found, in the order they were found.
struct FoundRows {
    keys: Vec<u8>,
    /// Where each key ends, and the row's version.
    ends: Vec<(usize, u64)>,
    /// The keys once more when a row may be named twice: it is changed once.
    seen: Option<HashSet<Vec<u8>>>,
    share: Share,
}

/// Memory of a key in a set besides its bytes, about.
const SEEN_BYTES: usize = 64;

impl FoundRows {
    fn new(budget: &Arc<Budget>, may_repeat: bool) -> FoundRows {
        let seen = may_repeat.then(HashSet::new);
        FoundRows { keys: Vec::new(), ends: Vec::new(), seen, share: budget.share() }
    }

    fn add(&mut self, key: &[u8], version: u64) -> rows::Result<()> {
        let mut each = size_of::<(usize, u64)>();
        let mut copies = 1;
        if let Some(seen) = &mut self.seen {
            if seen.contains(key) {
                return Ok(());
            }
            seen.insert(key.to_vec());
            each += SEEN_BYTES;
            copies = 2;
        }
        self.keys.extend_from_slice(key);
        self.ends.push((self.keys.len(), version));
        Ok(self.share.keep_up_with(self.keys.len() * copies + self.ends.len() * each)?)
    }

    fn rows(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, version))| (&self.keys[start..*end], *version))
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
    fn of(
        handle: &Handle,
        request: &IndexRequest<'_>,
    ) -> Result<Modification, HandlerSocketRefusal> {
        let kind = request.modify[0];
        let shows_old = request.modify.get(1) == Some(&b'?');
        let (mut sets, mut operands) = (Vec::new(), Vec::new());
        let tokens = request.modify_values.as_slice();
        if kind == b'U' && tokens.len() < handle.columns.len() {
            return Err(HandlerSocketRefusal::VALUES);
        }
        for (position, token) in handle.columns.iter().zip(tokens) {
            let column = &handle.table.columns[*position];
            match (kind, unescape(token)?) {
                (b'U', Some(text)) => sets.push((*position, stored(column, &text)?)),
                (b'U', None) if column.nullable => sets.push((*position, Value::Null)),
                (b'+' | b'-', Some(text)) => operands.push((*position, leading_integer(&text))),
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
        let mut sets: Vec<(usize, Value)> = Vec::with_capacity(self.operands.len());
        for (position, operand) in &self.operands {
            let column = &handle.table.columns[*position];
            // A column that is opened twice is added to twice.
            let earlier = sets.iter().rfind(|(at, _)| at == position);
            let old = match earlier {
                Some((_, value)) => value.as_datum(),
                None => row.column(*position)?,
            };
            if old.is_null() {
                continue;
            }
            let old = as_integer(&column.ty, old);
            let new = match self.kind {
                b'+' => old + i128::from(*operand),
                _ => old - i128::from(*operand),
            };
            if self.kind == b'-' && ((old > 0 && new < 0) || (old < 0 && new > 0)) {
                return Ok(None);
            }
            let new = column.convert(as_datum(new), Zone::UTC).value;
            sets.push((*position, new));
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

/// What C's `isspace` takes: text columns are read past it, operands are not.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The digits of a time as one number, `2020-01-02 03:04:05.6` as 20200102030405.
fn time_as_integer(ty: &ColumnType, datum: Datum<'_>) -> i128 {
    let mut text = Vec::new();
    write_text(ty, datum, Zone::UTC, &mut text);
    let whole = text.iter().take_while(|byte| **byte != b'.');
    let digits = whole.filter(|byte| byte.is_ascii_digit());
    let value = digits.fold(0, |value, byte| value * 10 + i128::from(byte - b'0'));
    if text.first() == Some(&b'-') { -value } else { value }
}

/// The nearest integer a column can hold at all; the column's own range comes after.
fn as_datum(value: i128) -> Datum<'static> {
    match i64::try_from(value) {
        Ok(value) => Datum::Int(value),
        Err(_) if value > 0 => Datum::UInt(u64::try_from(value).unwrap_or(u64::MAX)),
        Err(_) => Datum::Int(i64::MIN),
    }
}

/// A column's value as the integer that arithmetic starts from.
fn as_integer(ty: &ColumnType, datum: Datum<'_>) -> i128 {
    match datum {
        Datum::Int(value) => i128::from(value),
        Datum::UInt(value) => i128::from(value),
        Datum::Bytes(bytes) => {
            let start = bytes.iter().position(|byte| !is_blank(*byte)).unwrap_or(bytes.len());
            i128::from(leading_integer(&bytes[start..]))
        }
        Datum::Enum(number) => i128::from(number),
        Datum::Set(number) => i128::from(number),
        Datum::Year(year) => i128::from(year),
        Datum::Double(value) => value.round_ties_even() as i128,
        Datum::Float(value) => value.round_ties_even() as i128,
        Datum::Date(_) | Datum::Time(_) | Datum::DateTime(_) | Datum::Timestamp(_) => {
            time_as_integer(ty, datum)
        }
        other => {
            let big = ColumnType::Int {
                width: values::types::IntWidth::Big,
                unsigned: false,
                boolean: false,
            };
            match convert(&big, other, Zone::UTC).value {
                Value::Int(value) => i128::from(value),
                _ => 0,
            }
        }
    }
}
