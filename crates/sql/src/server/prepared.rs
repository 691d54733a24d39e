//! How many prepared statements there are in the server, of all connections together.
//!
//! Invariants
//! 1. A statement is counted until it is closed, or its connection is.
//!
//! Not here: the statements (`session::prepared`), their memory (`resources::budget`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use values::ErrorCode;

use plan::variables::{GlobalVariables, definition};
use results::{Result, SqlError};

/// The variable that says how many there may be.
const VARIABLE: &str = "max_prepared_stmt_count";

/// The number of prepared statements.
#[derive(Debug, Default)]
pub struct PreparedStatements(Arc<AtomicUsize>);

/// A prepared statement that is counted until this is dropped.
#[derive(Debug)]
pub struct CountedStatement(Arc<AtomicUsize>);

impl PreparedStatements {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// One more.
    ///
    /// # Errors
    /// 1461 when there are as many as `max_prepared_stmt_count` says.
    pub fn add(&self, globals: &GlobalVariables) -> Result<CountedStatement> {
        let most = definition(VARIABLE).and_then(|most| globals.text(most).parse().ok());
        let most: usize = most.unwrap_or(usize::MAX);
        let counted = CountedStatement(Arc::clone(&self.0));
        if self.0.fetch_add(1, Ordering::Relaxed) >= most {
            let message =
                format!("Can't create more than {VARIABLE} statements (current value: {most})");
            return Err(SqlError::new(ErrorCode::PreparedStatementCount, message));
        }
        Ok(counted)
    }
}

impl Drop for CountedStatement {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
