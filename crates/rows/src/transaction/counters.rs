//! Numbers that the engine makes up: AUTO_INCREMENT values and hidden row ids.
//!
//! Invariants
//! 1. A number is handed out once, whatever becomes of its row; but a row that is to be put in
//!    again where waiting is allowed gives its number back if nobody has had the next, a row that
//!    became the change of another gives it to the statement's next one (`number_again`), and the
//!    last number that a column can hold may be handed out again (`NumberRules::repeats_last`).
//! 2. A row that was refused does not move the counter past its own value.
//! 3. Before a row that came with a number can be seen or its lock is free, the table knows of the
//!    number (`TableState::given_to`).
//! 4. A number whose row is gone is not given again after the next start (`KeptNumbers`).
//!
//! Not here: numbers of loads (`bulk`).

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use values::convert::Issue;
use values::datum::Datum;
use values::types::ColumnType;

use super::life::Transaction;
use super::number_rules::NumberRules;
use crate::engine::Engine;
use crate::error::{CallerError, Error, Result};
use crate::find::{Flow, row_at};
use crate::store::{Batch, Direction, Durability, Reach};
use crate::table::{KeptNumbers, Table};

/// Numbers of rows of a statement that were not put in: its next rows get them (MySQL 9.7:
/// tests/oracle/sql/writes-read-again.sql).
#[derive(Debug, Default)]
pub struct UnusedNumbers {
    /// Ascending.
    numbers: VecDeque<u64>,
    /// Whether the counter moves for each row, also for one that gets such a number.
    pub draws_each: bool,
}

impl UnusedNumbers {
    fn take(&mut self) -> Option<u64> {
        self.numbers.pop_front()
    }
}

impl Transaction {
    /// The AUTO_INCREMENT value for a row that leaves it to the engine.
    pub(super) fn generate(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<Option<u64>> {
        let Some(position) = table.auto_increment() else { return Ok(None) };
        let ty = &table.columns[position].ty;
        match row[position] {
            Datum::Int(0) | Datum::UInt(0) if self.number_rules.zero_is_value => Ok(None),
            Datum::Null | Datum::Int(0) | Datum::UInt(0) => {
                let Some(unused) = self.unused_numbers.as_mut().and_then(UnusedNumbers::take)
                else {
                    return self.draw(table, ty).map(Some);
                };
                let draws = self.unused_numbers.as_ref().is_some_and(|unused| unused.draws_each);
                if draws {
                    let drawn = self.draw(table, ty)?;
                    self.unused_numbers
                        .iter_mut()
                        .for_each(|unused| unused.numbers.push_back(drawn));
                }
                Ok(Some(unused))
            }
            _ => Ok(None),
        }
    }

    /// A number that nobody had before.
    fn draw(&mut self, table: &Table, ty: &ColumnType) -> Result<u64> {
        if let Some(number) = self.expected.number(table.id) {
            return Ok(number);
        }
        let (rules, value_max) = (self.number_rules, auto_increment_max(ty));
        if let Some(said) = self.next_number {
            let number = said.min(value_max);
            self.next_number = Some(rules.at_or_above(number.saturating_add(1)));
            self.engine.note_auto_increment(table, number)?;
            return Ok(number);
        }
        self.engine.next_auto_increment(table, value_max, rules)
    }

    /// Gives the number of a row back that was not put in because it would have to wait: the row
    /// comes again, and gets a number again. That of a row that was refused is the next row's, if
    /// the statement has it so.
    pub(super) fn give_back_unless_put<T, E: CallerError>(
        &mut self,
        table: &Table,
        generated: Option<u64>,
        put: &Result<T, E>,
    ) {
        if let (Some(value), Err(error)) = (generated, put) {
            if !error.would_wait() {
                self.note_unused(generated);
                return;
            }
            if self.unused_numbers.as_ref().is_some_and(|unused| !unused.numbers.is_empty()) {
                self.note_unused(generated);
                return;
            }
            if self.expected.put_back(table.id, value) {
                return;
            }
            if let Some(next) = &mut self.next_number {
                *next = value;
                return;
            }
            let next = &table.state.auto_increment;
            // If another number was handed out since, this one is a gap.
            let _ = next.compare_exchange(value + 1, value, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// The row that was to have this number is not put in.
    pub(super) fn note_unused(&mut self, generated: Option<u64>) {
        if let (Some(unused), Some(number)) = (&mut self.unused_numbers, generated) {
            unused.numbers.push_front(number);
        }
    }

    /// A row with these values leaves the table, or gets another number: the counter is written
    /// down unless that tells more already.
    pub(super) fn note_leaving(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        let Some(position) = table.auto_increment().filter(|_| !table.is_temporary()) else {
            return Ok(());
        };
        if let Some(number) = as_counter(row[position]) {
            // While the row is there.
            self.engine.auto_increment_next(table)?;
            self.sizes.note_leaving(table, number);
        }
        Ok(())
    }

    /// Moves the AUTO_INCREMENT counter past the value that a row came with and is in by now; that
    /// of a row which was refused leaves it alone.
    pub(super) fn note_given(
        &self,
        table: &Table,
        row: &[Datum<'_>],
        generated: Option<u64>,
    ) -> Result<()> {
        if generated.is_some() {
            // The counter is behind it.
            return Ok(());
        }
        match table.auto_increment().and_then(|position| as_counter(row[position])) {
            Some(value) => self.engine.note_auto_increment(table, value),
            None => Ok(()),
        }
    }
}

pub(super) fn with_generated<'a>(table: &Table, row: &[Datum<'a>], value: u64) -> Vec<Datum<'a>> {
    let position = table.auto_increment().expect("generated only for such a column");
    let mut row = row.to_vec();
    row[position] = auto_increment_value(&table.columns[position].ty, value);
    row
}

/// A counter's value as one of a column's.
pub(crate) fn auto_increment_value(ty: &ColumnType, value: u64) -> Datum<'static> {
    match ty {
        ColumnType::Int { unsigned: true, .. } => Datum::UInt(value),
        ColumnType::Float(_) => Datum::Float(value as f32),
        ColumnType::Double(_) => Datum::Double(value as f64),
        _ => Datum::Int(value as i64),
    }
}

/// A value as the AUTO_INCREMENT counter sees it; negative ones do not move the counter.
pub(crate) fn as_counter(value: Datum<'_>) -> Option<u64> {
    match value {
        Datum::Int(value) => u64::try_from(value).ok(),
        Datum::UInt(value) => Some(value),
        Datum::Float(value) if value > 0.0 => Some(value as u64),
        Datum::Double(value) if value > 0.0 => Some(value as u64),
        _ => None,
    }
}

/// The largest value that AUTO_INCREMENT may reach in a column of this type.
pub(crate) fn auto_increment_max(ty: &ColumnType) -> u64 {
    match ty {
        ColumnType::Int { width, unsigned: true, .. } => width.unsigned_max(),
        ColumnType::Int { width, .. } => width.max() as u64,
        ColumnType::Float(_) => 1 << 24,
        _ => 1 << 53,
    }
}

impl Engine {
    /// Hands out the next AUTO_INCREMENT value of a table.
    fn next_auto_increment(
        &self,
        table: &Table,
        value_max: u64,
        rules: NumberRules,
    ) -> Result<u64> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        let taken =
            table.state.auto_increment.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |next| {
                let value = rules.at_or_above(next);
                (value <= value_max && value < u64::MAX).then(|| value + 1)
            });
        match taken {
            Ok(next) => Ok(rules.at_or_above(next)),
            Err(next) if rules.refuses_rounded && next <= value_max => {
                let position = table.auto_increment().unwrap_or_default();
                Err(Error::Value {
                    column: table.columns[position].name.clone(),
                    issue: Issue::OutOfRange,
                    value: rules.at_or_above(next).to_string(),
                })
            }
            Err(_) if rules.repeats_last && value_max < u64::MAX => Ok(value_max),
            Err(_) => Err(Error::Exhausted),
        }
    }

    /// Moves the counter past a value that came with a row.
    fn note_auto_increment(&self, table: &Table, given: u64) -> Result<()> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        table.state.auto_increment.fetch_max(given.saturating_add(1), Ordering::SeqCst);
        table.state.given_to.fetch_max(given.saturating_add(1), Ordering::SeqCst);
        Ok(())
    }

    /// Whether no row has this number or a higher one, but for those that were handed out: of a
    /// number that was, and of a table whose primary key such numbers are. For who has entered the
    /// table and locked the keys in question: who had put a row there before has said so (invariant
    /// 3).
    ///
    /// # Errors
    /// Of reading the last row, once.
    pub(super) fn is_above_rows(&self, table: &Table, number: u64) -> Result<bool> {
        let state = &table.state;
        self.load_counter(table, &state.stored_to, Engine::last_stored_number)?;
        let taken_to =
            state.stored_to.load(Ordering::SeqCst).max(state.given_to.load(Ordering::SeqCst));
        Ok(number >= taken_to)
    }

    /// The number of the last row that is stored, whether it is expired or not.
    fn last_stored_number(&self, table: &Table) -> Result<u64> {
        let Some(position) = table.auto_increment() else { return Ok(u64::MAX) };
        let mut cursor =
            self.store().scan(&table.index_range(0), Direction::Backward, Reach::Disk)?;
        if !cursor.advance()? {
            return Ok(0);
        }
        let row = row_at(table, cursor.key(), cursor.value())?;
        Ok(as_counter(row.column(position)?).unwrap_or(0))
    }

    /// The next AUTO_INCREMENT value, as SHOW TABLE STATUS shows it.
    ///
    /// # Errors
    /// Those of reading the last value in the store, the first time.
    pub fn auto_increment_next(&self, table: &Table) -> Result<u64> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        Ok(table.state.auto_increment.load(Ordering::SeqCst))
    }

    /// Hands out no hidden row id that a row's key has.
    pub(super) fn note_row_id(&self, table: &Table, row_key: &[u8]) -> Result<()> {
        let id = row_key.last_chunk().filter(|_| table.has_hidden_key());
        let Some(id) = id.map(|id| u64::from_be_bytes(*id)) else { return Ok(()) };
        self.load_counter(table, &table.state.row_id, Engine::last_row_id)?;
        table.state.row_id.fetch_max(id.saturating_add(1), Ordering::SeqCst);
        Ok(())
    }

    /// The highest hidden row id in use.
    fn last_row_id(&self, table: &Table) -> Result<u64> {
        let mut last = 0;
        for range in table.index_ranges(0) {
            let mut cursor = self.store().scan(&range, Direction::Backward, Reach::Disk)?;
            if !cursor.advance()? {
                continue;
            }
            let key = cursor.key();
            let id = key[range.start.len()..]
                .try_into()
                .map_err(|_| Error::Corrupt { key: key.to_vec(), why: "row id length" })?;
            last = u64::from_be_bytes(id).max(last);
        }
        Ok(last)
    }

    /// The highest AUTO_INCREMENT value in use or written down, or one below the table's declared
    /// start.
    fn last_auto_increment(&self, table: &Table) -> Result<u64> {
        let kept = self.read_kept_numbers(table)?;
        let base = table.auto_increment_base.max(kept).saturating_sub(1);
        let Some(position) = table.auto_increment() else { return Ok(base) };
        let index = table.indexes.iter().zip(&table.codecs).position(|(index, codec)| {
            codec.ready && index.parts.first().is_some_and(|part| part.column == position)
        });
        let Some(index) = index else { return Ok(base) };
        let mut last = 0;
        let direction = match table.indexes[index].parts[0].descending {
            true => Direction::Forward,
            false => Direction::Backward,
        };
        let view = self.latest();
        for range in table.index_ranges(index) {
            self.find(view, table, index, &range, direction, Reach::Disk, &mut |found| {
                last = as_counter(found.row.column(position)?).unwrap_or(0).max(last);
                Ok(Flow::Stop)
            })?;
        }
        Ok(last.max(base))
    }

    /// The next value that is written down of a table; 0: none is.
    fn read_kept_numbers(&self, table: &Table) -> Result<u64> {
        let range = KeptNumbers::range(table.id);
        let mut cursor = self.latest().scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            table.state.kept_numbers.note_stored(cursor.entry().0)?;
        }
        Ok(table.state.kept_numbers.highest())
    }

    /// Writes all counters down that have been read, so that numbers whose rows were rolled back
    /// are not given again either. A crash may give these again.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub(crate) fn keep_next_numbers(&self) -> Result<()> {
        self.catalog().all_tables().into_iter().try_for_each(|table| {
            table.keep_next_number(|changes| self.store().write(&Batch { changes }, Durability::Os))
        })
    }

    /// Hands out the next hidden row id of a table.
    pub(crate) fn next_row_id(&self, table: &Table) -> Result<u64> {
        self.load_counter(table, &table.state.row_id, Engine::last_row_id)?;
        Ok(table.state.row_id.fetch_add(1, Ordering::SeqCst))
    }
}
