//! Warnings of a bulk load, told in the order of its rows, in whatever order they were found.
//!
//! Not here: which rows are left out (`rows::bulk`).

use std::collections::BTreeMap;

use expression::warning::WARNINGS_MAX;
use expression::{Level, Warning, Warnings};
use rows::error::Error;

use results::SqlError;

/// Warnings, by row and in the order in which a row got them.
#[derive(Default)]
pub(super) struct RowWarnings {
    first: BTreeMap<(u64, usize), Warning>,
    count: u64,
}

impl RowWarnings {
    /// Adds what was said while rows were made; `rows`: the row of each warning that was kept.
    pub fn add(&mut self, warnings: &Warnings, rows: &[u64]) {
        self.count += warnings.count();
        for (place, (warning, row)) in warnings.list().iter().zip(rows).enumerate() {
            self.insert(*row, place, warning.clone());
        }
    }

    /// Adds that so many rows were left out; why is known of the first ones.
    pub fn add_left_out(&mut self, count: u64, told: Vec<(u64, Error)>) {
        self.count += count;
        for (row, error) in told {
            let error = SqlError::from(error);
            let (level, code) = (Level::Warning, error.code());
            let message = error.into_message();
            self.insert(row, usize::MAX, Warning { level, code, message, signaled: None });
        }
    }

    fn insert(&mut self, row: u64, place: usize, warning: Warning) {
        self.first.insert((row, place), warning);
        if self.first.len() > WARNINGS_MAX {
            self.first.pop_last();
        }
    }

    /// As the statement's warnings.
    pub fn into_warnings(self) -> Warnings {
        Warnings::first_of(self.count, self.first.into_values())
    }
}
