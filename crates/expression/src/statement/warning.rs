//! Warnings: what a statement found wrong and went on.
//!
//! Invariants
//! 1. At most `WARNINGS_MAX` are kept; all are counted.
//!
//! Not here: errors, which end a statement (`error`).

use std::sync::Arc;

use values::ErrorCode;
use values::condition::SignaledCondition;

use crate::statement::error::shortened;

/// Most warnings kept for SHOW WARNINGS (MySQL's max_error_count).
pub const WARNINGS_MAX: usize = 1024;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Something was changed or left out.
    Warning,
    /// The statement's error.
    Error,
}

impl Level {
    /// The word that SHOW WARNINGS prints.
    pub fn word(self) -> &'static str {
        match self {
            Level::Note => "Note",
            Level::Warning => "Warning",
            Level::Error => "Error",
        }
    }
}

/// One line of SHOW WARNINGS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How bad it is.
    pub level: Level,
    /// Which of MySQL's errors.
    pub code: ErrorCode,
    /// The words.
    pub message: String,
    /// What SIGNAL said of it.
    pub signaled: Option<Arc<SignaledCondition>>,
}

impl Warning {
    /// MySQL's number.
    pub fn number(&self) -> u16 {
        self.signaled.as_ref().map_or(self.code.number(), |signaled| signaled.number)
    }

    /// Its SQLSTATE.
    pub fn sqlstate(&self) -> &[u8; 5] {
        self.signaled.as_ref().map_or(self.code.sqlstate(), |signaled| &signaled.sqlstate)
    }
}

/// The warnings of a statement.
#[derive(Debug, Default)]
pub struct Warnings {
    list: Vec<Warning>,
    count: u64,
}

impl Warnings {
    /// Adds one.
    pub fn push(&mut self, level: Level, code: ErrorCode, message: impl Into<String>) {
        let message = shortened(message.into());
        self.push_warning(Warning { level, code, message, signaled: None });
    }

    /// Adds one as it is.
    pub fn push_warning(&mut self, warning: Warning) {
        self.count += 1;
        if self.list.len() < WARNINGS_MAX {
            self.list.push(warning);
        }
    }

    /// Adds a warning of a row.
    pub fn push_each(&mut self, code: ErrorCode, message: String) {
        self.push(Level::Warning, code, message);
    }

    /// Adds one that says the same of every row, if it is not there.
    pub fn push_once(&mut self, code: ErrorCode, message: String) {
        let message = shortened(message);
        let is_same = |warning: &Warning| warning.code == code && warning.message == message;
        if !self.list.iter().any(is_same) {
            self.push(Level::Warning, code, message);
        }
    }

    /// Adds those of another list.
    pub fn append(&mut self, other: Warnings) {
        let (kept, count) = (other.list.len() as u64, other.count);
        for warning in other.list {
            self.push_warning(warning);
        }
        self.count += count - kept;
    }

    /// The first ones of so many.
    pub fn first_of(count: u64, first: impl Iterator<Item = Warning>) -> Warnings {
        Warnings { list: first.take(WARNINGS_MAX).collect(), count }
    }

    /// Adds one whose code and words are made only if they are kept.
    pub fn push_with(&mut self, level: Level, make: impl FnOnce() -> (ErrorCode, String)) {
        self.count += 1;
        if self.list.len() < WARNINGS_MAX {
            let (code, message) = make();
            self.list.push(Warning { level, code, message: shortened(message), signaled: None });
        }
    }

    /// Those kept.
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many there were, as an OK packet says it.
    pub fn count_u16(&self) -> u16 {
        u16::try_from(self.count).unwrap_or(u16::MAX)
    }
}
