//! A page being viewed: its statements in order on one session, each timed, their rows kept where
//! they are to be compared.

use std::time::Instant;

use anyhow::Result;

use crate::experiments::dice::Dice;
use crate::protocols::mysql::{MysqlSession, ServerError, TextRow};
use crate::spread::Spread;

/// A page: what a visit of it asks the database.
pub struct Page {
    /// Its name.
    pub name: &'static str,
    /// Asks everything, in order; choices are the visitor's.
    pub visit: fn(&mut View<'_>, &mut Dice) -> Result<()>,
}

/// Whether a statement fixes the order of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// By its ORDER BY, or because there is one row at most.
    Ordered,
    /// Any order will do.
    AnyOrder,
}

/// The times and a sample of one statement of a page.
#[derive(Debug, Clone)]
pub struct StatementTimes {
    /// Its name.
    pub name: &'static str,
    /// Which of this name it is within a visit, from 0.
    pub time: usize,
    /// Microseconds of each execution.
    pub micros: Vec<f64>,
    /// One wording with literals.
    pub sql: String,
}

/// What visits of a page have seen.
#[derive(Default)]
pub struct PageVisits {
    /// Visits.
    pub visits: usize,
    /// Statements, in the order in which they were first asked.
    pub asked: Vec<StatementTimes>,
    /// Answers to compare, if any are wanted: the statement's name, its text and its rows.
    pub answers: Option<Vec<StatementAnswer>>,
    /// The first refused statements, with the error.
    pub refused: Vec<String>,
    /// How many were refused.
    pub refusals: u64,
}

/// One statement's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementAnswer {
    /// The statement's name.
    pub name: &'static str,
    /// Its text.
    pub sql: String,
    /// Its rows, sorted if their order is not fixed; an error as a row of one value.
    pub rows: Vec<TextRow>,
}

/// A visit under way.
pub struct View<'a> {
    session: &'a mut MysqlSession,
    seen: &'a mut PageVisits,
    /// Names so far.
    names: Vec<&'static str>,
}

/// Refused statements that are told with their errors.
const TOLD_MAX: usize = 5;

impl StatementTimes {
    /// The median of its times.
    pub fn median(&self) -> f64 {
        Spread::of(self.micros.iter().copied()).median
    }
}

impl PageVisits {
    /// The sum of the medians; a statement that not every visit asks counts for its part of them.
    pub fn sum(&self) -> f64 {
        let part = |asked: &StatementTimes| asked.micros.len() as f64 / self.visits.max(1) as f64;
        self.asked.iter().map(|asked| asked.median() * part(asked)).sum()
    }

    /// The median of a statement that was asked.
    pub fn median(&self, of: &StatementTimes) -> Option<f64> {
        let found = self.asked.iter().find(|asked| (asked.name, asked.time) == (of.name, of.time));
        found.map(StatementTimes::median)
    }
}

impl<'a> View<'a> {
    /// A new visit.
    pub fn new(session: &'a mut MysqlSession, seen: &'a mut PageVisits) -> View<'a> {
        seen.visits += 1;
        View { session, seen, names: Vec::new() }
    }

    /// Asks one statement. One that the server refuses gives no rows and is told.
    pub fn ask(
        &mut self,
        name: &'static str,
        order: RowOrder,
        sql: String,
    ) -> Result<Vec<TextRow>> {
        let time = self.names.iter().filter(|asked| **asked == name).count();
        self.names.push(name);
        let mut rows = Vec::new();
        let began = Instant::now();
        let outcome = self.session.each_row(&sql, |row| {
            rows.push(row);
            Ok(())
        });
        let micros = began.elapsed().as_secs_f64() * 1e6;
        let mut error_row = None;
        if let Err(error) = outcome {
            let Some(refused) = error.downcast_ref::<ServerError>() else { return Err(error) };
            self.seen.refusals += 1;
            if self.seen.refused.len() < TOLD_MAX {
                self.seen.refused.push(format!("{name}: {refused}; {sql}"));
            }
            rows.clear();
            error_row = Some(vec![Some(refused.to_string().into_bytes())]);
        }
        if let Some(answers) = &mut self.seen.answers {
            let mut answered = error_row.map_or_else(|| rows.clone(), |row| vec![row]);
            if order == RowOrder::AnyOrder {
                answered.sort();
            }
            answers.push(StatementAnswer { name, sql: sql.clone(), rows: answered });
        }
        let mut known = self.seen.asked.iter_mut();
        match known.find(|asked| (asked.name, asked.time) == (name, time)) {
            Some(asked) => asked.micros.push(micros),
            None => self.seen.asked.push(StatementTimes { name, time, micros: vec![micros], sql }),
        }
        Ok(rows)
    }
}

/// A column of all rows as a list for IN (...); a list that nothing is in if there are none.
pub fn list(rows: &[TextRow], column: usize) -> String {
    let values: Vec<&str> = rows.iter().filter_map(|row| text(row, column)).collect();
    if values.is_empty() { "0".to_owned() } else { values.join(",") }
}

/// A value as text.
pub fn text(row: &TextRow, column: usize) -> Option<&str> {
    std::str::from_utf8(row.get(column)?.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_of_every_other_visit_counts_half() {
        let asked = |name, micros| StatementTimes { name, time: 0, micros, sql: String::new() };
        let asked = vec![asked("always", vec![10.0, 30.0]), asked("seldom", vec![8.0])];
        let seen = PageVisits { visits: 2, asked, ..PageVisits::default() };
        assert_eq!(seen.sum(), 24.0);
        assert_eq!(seen.median(&seen.asked[1]), Some(8.0));
    }
}
