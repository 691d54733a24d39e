//! Statistics of a table that need no scan: how many rows there are, in how many of them a column
//! has a value, and which of its values is the smallest or the largest.
//!
//! Each segment has them for all its rows. Where some of these are dead, or not the table's yet,
//! that one column is read, and only if it could matter; recent rows are always read.
//!
//! Invariants
//! 1. They are what a scan of the same view would find.
//!
//! Not here: what they are used for (`executor`).

use resources::interrupt;
use rows::error::{Error, Result};
use rows::store::{Direction, Reach};
use values::RowRef;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use crate::column::{Column, Shape, datum_of, number_of, shape_of};
use crate::dead_rows::alive;
use crate::keys::{self, RECENT};
use crate::scan::{RECENT_ROWS, TableColumns};
use crate::state::Live;

/// What may be asked; columns are given by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// How many rows there are.
    Rows,
    /// How many of them have a value in a column.
    Values(usize),
    /// A column's smallest value.
    Smallest(usize),
    /// A column's largest value.
    Largest(usize),
}

/// Whether a type's smallest and largest values are known.
pub fn has_extremes(ty: &ColumnType) -> bool {
    matches!(shape_of(ty), Shape::Number { .. })
}

/// What an answer has come to.
enum Answer {
    Count(u64),
    Extreme(Extreme),
}

/// The best number yet of a column, which orders as an unsigned one after two flips: one for
/// signed numbers, and one where the largest is sought, which is so the smallest.
struct Extreme {
    at: usize,
    slot: u16,
    sign: u64,
    turn: u64,
    best: Option<u64>,
}

impl Extreme {
    fn ordered(&self, number: u64) -> u64 {
        number ^ self.sign ^ self.turn
    }

    fn add(&mut self, number: u64) {
        let ordered = self.ordered(number);
        self.best = Some(self.best.map_or(ordered, |best| best.min(ordered)));
    }

    /// The better end of a range.
    fn end(&self, (smallest, largest): (u64, u64)) -> u64 {
        if self.turn == 0 { smallest } else { largest }
    }
}

impl TableColumns {
    /// Answers some questions about the table: counts are integers, and there is no smallest value
    /// where there is none at all.
    ///
    /// # Errors
    /// `Corrupt`, `Store`; `LockTimeout` when the statement is to end.
    pub fn known(&self, questions: &[Question]) -> Result<Vec<Value>> {
        let mut answers: Vec<Answer> = questions.iter().map(|asked| self.begin(*asked)).collect();
        if self.has_recent() {
            self.add_recent(questions, &mut answers)?;
        }
        for (asked, answer) in questions.iter().zip(&mut answers) {
            match (asked, answer) {
                (Question::Values(at), Answer::Count(count)) => {
                    for live in self.segments() {
                        *count += self.values_of(live, *at)?;
                    }
                }
                (_, Answer::Count(count)) => {
                    *count += self.segments().map(|live| u64::from(live.rows())).sum::<u64>();
                }
                (_, Answer::Extreme(extreme)) => self.add_segments(extreme)?,
            }
        }
        answers.into_iter().map(|answer| self.value(answer)).collect()
    }

    fn begin(&self, asked: Question) -> Answer {
        let (at, turn) = match asked {
            Question::Rows | Question::Values(_) => return Answer::Count(0),
            Question::Smallest(at) => (at, 0),
            Question::Largest(at) => (at, u64::MAX),
        };
        let column = &self.table().columns[at];
        let sign = match shape_of(&column.ty) {
            Shape::Number { unsigned: false } => 1 << 63,
            _ => 0,
        };
        Answer::Extreme(Extreme { at, slot: column.slot, sign, turn, best: None })
    }

    fn value(&self, answer: Answer) -> Result<Value> {
        let extreme = match answer {
            Answer::Count(count) => return Ok(Value::Int(count as i64)),
            Answer::Extreme(extreme) => extreme,
        };
        let Some(best) = extreme.best else { return Ok(Value::Null) };
        let ty = &self.table().columns[extreme.at].ty;
        let wrong = || Error::Corrupt {
            key: Vec::new(),
            why: "a column of a segment has a number that its type has not",
        };
        Ok(datum_of(ty, extreme.ordered(best)).ok_or_else(wrong)?.to_value())
    }

    /// Adds rows that are no part of a segment.
    fn add_recent(&self, questions: &[Question], answers: &mut [Answer]) -> Result<()> {
        let table = self.table();
        let reads_rows = questions.iter().any(|asked| *asked != Question::Rows);
        let range = keys::range(table.id, RECENT);
        let mut cursor = self.view().scan(&range, Direction::Forward, Reach::Disk)?;
        let mut row_keys = Vec::new();
        let mut rows = 0;
        loop {
            let is_over = !cursor.advance()?;
            if !is_over {
                rows += 1;
                if reads_rows {
                    row_keys.push(keys::row_of_recent(table.id, cursor.key()));
                }
            }
            if row_keys.len() == RECENT_ROWS || is_over && !row_keys.is_empty() {
                self.view().get_many(&row_keys, Reach::Disk, &mut |at, row| {
                    let key = || row_keys[at].clone();
                    let why = "a row is missing";
                    let row = row.ok_or_else(|| Error::Corrupt { key: key(), why })?;
                    add_row(&RowRef::new(&table.layout, row)?, &table.columns, questions, answers)
                })?;
                row_keys.clear();
            }
            if is_over {
                break;
            }
            if rows % RECENT_ROWS as u64 == 0 {
                check()?;
            }
        }
        for (asked, answer) in questions.iter().zip(answers) {
            if let (Question::Rows, Answer::Count(count)) = (asked, answer) {
                *count += rows;
            }
        }
        Ok(())
    }

    /// In how many rows of a segment a column has a value.
    fn values_of(&self, live: &Live, at: usize) -> Result<u64> {
        let Some(known) = live.segment.column(self.table().columns[at].slot) else {
            let is_null = self.table().layout.absent(at).is_null();
            return Ok(if is_null { 0 } else { u64::from(live.rows()) });
        };
        if known.nulls == 0 {
            return Ok(u64::from(live.rows()));
        }
        if live.is_whole() {
            return Ok(u64::from(live.segment.rows.saturating_sub(known.nulls)));
        }
        check()?;
        let column = self.stored_column(live, known.slot)?;
        let is_value = |row: &u32| !column.is_null(*row as usize);
        if live.segment.sealed == live.segment.rows {
            let values = u64::from(live.segment.rows.saturating_sub(known.nulls));
            let dead = live.dead.iter().filter(is_value).count() as u64;
            return Ok(values.saturating_sub(dead));
        }
        let mut count = 0;
        alive(0..live.segment.sealed as usize, &live.dead).try_each(|row| {
            count += u64::from(!column.is_null(row));
            Ok(())
        })?;
        Ok(count)
    }

    /// Adds all segments, the most promising first.
    fn add_segments(&self, extreme: &mut Extreme) -> Result<()> {
        let table = self.table();
        let mut ends = Vec::new();
        for live in self.segments().filter(|live| live.rows() > 0) {
            match live.segment.column(extreme.slot) {
                Some(known) => {
                    if let Some(range) = known.range {
                        ends.push((extreme.ordered(extreme.end(range)), extreme.end(range), live));
                    }
                }
                None => {
                    let absent = table.layout.absent(extreme.at);
                    if !absent.is_null() {
                        extreme.add(number_of(&table.columns[extreme.at].ty, absent)?);
                    }
                }
            }
        }
        ends.sort_unstable_by_key(|(ordered, ..)| *ordered);
        for (ordered, end, live) in ends {
            if extreme.best.is_some_and(|best| best <= ordered) {
                break;
            }
            if live.is_whole() {
                extreme.add(end);
                break;
            }
            check()?;
            let column = self.stored_column(live, extreme.slot)?;
            if is_alive(&column, live, end) {
                extreme.add(end);
                break;
            }
            alive(0..live.segment.sealed as usize, &live.dead).try_each(|row| {
                match column.number(row) {
                    Some(number) if !column.is_null(row) => extreme.add(number),
                    _ => {}
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Whether a segment's end of a column's range is surely that of a row which is alive: no other
/// row has it, as far as that is cheap to tell.
fn is_alive(column: &Column, live: &Live, end: u64) -> bool {
    let has_end = |row: u32| column.number(row as usize) == Some(end);
    live.segment.sealed == live.segment.rows && !live.dead.iter().any(has_end)
}

fn add_row(
    row: &RowRef<'_>,
    columns: &[rows::schema::Column],
    questions: &[Question],
    answers: &mut [Answer],
) -> Result<()> {
    for (asked, answer) in questions.iter().zip(answers) {
        match (asked, answer) {
            (Question::Values(at), Answer::Count(count)) => {
                *count += u64::from(!row.is_null(*at));
            }
            (_, Answer::Count(_)) => {}
            (_, Answer::Extreme(extreme)) => match row.column(extreme.at)? {
                Datum::Null => {}
                datum => extreme.add(number_of(&columns[extreme.at].ty, datum)?),
            },
        }
    }
    Ok(())
}

/// Ends where the statement is to end.
fn check() -> Result<()> {
    if interrupt::is_wanted() { Err(Error::LockTimeout) } else { Ok(()) }
}
