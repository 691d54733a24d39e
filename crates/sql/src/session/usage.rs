//! What a session's account may use: its statements are counted, and have a time.
//!
//! Invariants
//! 1. A statement that is repeated where it may wait is counted once; one that a statement of the
//!    client's carries out (EXECUTE) is a part of that, but may be the update that it is counted
//!    as.
//!
//! Not here: the counts (`access::usage`), connections (`doors`).

use std::time::Duration;

use access::LimitReached;
use values::ErrorCode;

use super::Session;
use results::{Result, SqlError};

/// Words that statements begin with which change something (CF_CHANGES_DATA of MySQL 8.4).
const UPDATES: [&[u8]; 12] = [
    b"insert",
    b"replace",
    b"update",
    b"delete",
    b"load",
    b"create",
    b"alter",
    b"drop",
    b"truncate",
    b"rename",
    b"grant",
    b"revoke",
];

/// What of a statement has not been counted yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UncountedUse {
    request: bool,
    update: bool,
}

impl UncountedUse {
    /// Of a statement that begins.
    pub(super) const ALL: UncountedUse = UncountedUse { request: true, update: true };
}

/// MySQL's error for a limit that somebody has come to: 1226, 1203; 3164 for a log that is full.
pub fn limit_reached(reached: &LimitReached) -> SqlError {
    let code = match reached {
        LimitReached::Account { .. } => ErrorCode::UserLimitReached,
        LimitReached::Global { .. } => ErrorCode::TooManyUserConnections,
        LimitReached::Unaudited => ErrorCode::AuditApiAbort,
    };
    SqlError::new(code, reached.to_string())
}

impl Session {
    /// Counts a statement by its first word, if its account has limits.
    ///
    /// # Errors
    /// 1226.
    #[inline]
    pub(super) fn count_use(&mut self, word: &[u8]) -> Result<()> {
        match self.principal.meter {
            None => Ok(()),
            Some(_) => self.count_metered(word),
        }
    }

    fn count_metered(&mut self, word: &[u8]) -> Result<()> {
        let Some(meter) = &self.principal.meter else { return Ok(()) };
        if self.uncounted.request {
            meter.count_request().map_err(|reached| limit_reached(&reached))?;
            self.uncounted.request = false;
        }
        let is_update = UPDATES.iter().any(|known| word.eq_ignore_ascii_case(known));
        if is_update && self.uncounted.update {
            meter.count_update().map_err(|reached| limit_reached(&reached))?;
            self.uncounted.update = false;
        }
        Ok(())
    }

    /// How long a statement may take: by `max_statement_time` and by the account.
    pub(super) fn statement_time(&self) -> Option<Duration> {
        let meter = self.principal.meter.as_ref();
        let of_account = meter.and_then(|meter| meter.limits().statement_time());
        of_account.into_iter().chain(self.variables.statement_time).min()
    }
}
