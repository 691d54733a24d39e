//! One run of an event: a session of its own, as its definer's was, that carries out the
//! statements of the body until one fails.
//!
//! Invariants
//! 1. A run is over by the time that the setting `event-timeout` gives it, whatever its statements
//!    say of their own time.
//! 2. What a run leaves uncommitted is rolled back.
//!
//! Not here: when (`queue`), on which thread (`scheduler`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use rows::event::EventDefinition;
use values::ErrorCode;

use crate::event_schedule::statements;
use crate::reply::Reply;
use crate::server::Sql;
use crate::session::Session;
use results::{ExecutionMode, Pace, Result, SqlError};

/// Runs an event as the connection of this number; `time_max` of zero is as long as it takes.
///
/// # Errors
/// That of the first statement that failed.
pub fn run(sql: &Arc<Sql>, id: u32, event: &EventDefinition, time_max: Duration) -> Result<()> {
    let deadline = (!time_max.is_zero()).then(|| Instant::now() + time_max);
    let mut session = Session::of_event(sql, id, event, deadline)?;
    if sql.events().is_stopping() {
        return Err(cut_off());
    }
    let mode = session.mode();
    let outcome = statements(&event.body, mode).iter().try_for_each(|statement| {
        session.check_interrupted()?;
        let (reply, _) = session.query(statement.as_bytes(), ExecutionMode::POOL)?;
        match reply {
            Reply::Done(_) => {}
            // Nobody is there to read them.
            Reply::Rows(mut rows) => {
                while rows.next(ExecutionMode::POOL, &mut |_| Ok(Pace::More))? {}
            }
            Reply::LoadLocal(load) => {
                load.abandon(&mut session);
                let message = "LOAD DATA is not allowed in stored procedures";
                return Err(SqlError::new(ErrorCode::SpBadstatement, message));
            }
        }
        // SLEEP and GET_LOCK, when they are interrupted, give a value.
        session.check_interrupted()
    });
    match outcome {
        Err(error) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
            let limit = format!("{} (the event has run for event-timeout)", error.message());
            Err(SqlError::new(ErrorCode::StatementTimeout, limit))
        }
        outcome => outcome,
    }
}

/// The error of a run that its server cut off.
pub fn cut_off() -> SqlError {
    SqlError::new(ErrorCode::QueryInterrupted, "The run was cut off by the end of the server")
}
