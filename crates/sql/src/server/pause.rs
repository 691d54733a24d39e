//! How a statement waits for what other statements have: it looks again and again whether it is to
//! end.
//!
//! Not here: what is waited for (`locks`, `line`, `statement_admission`), waits of rows' locks
//! (crate `rows`).

use std::time::{Duration, Instant};

use expression::{KillMark, Result};
use parking_lot::{Condvar, MutexGuard};

/// Longest sleep between two looks at the kill mark.
const STEP: Duration = Duration::from_millis(100);

/// Waits for a moment in which something may have changed; `false` when the deadline has passed, if
/// there is one.
///
/// # Errors
/// Those of `kill`.
pub(super) fn pause<T>(
    changed: &Condvar,
    state: &mut MutexGuard<'_, T>,
    kill: &KillMark,
    deadline: Option<Instant>,
) -> Result<bool> {
    kill.check()?;
    let left = deadline.map_or(STEP, |end| end.saturating_duration_since(Instant::now()));
    if left.is_zero() {
        return Ok(false);
    }
    changed.wait_for(state, left.min(STEP));
    Ok(true)
}
