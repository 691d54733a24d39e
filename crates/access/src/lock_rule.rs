//! `LockRule`: after how many failed logins an account lets nobody in, and for how long.
//!
//! Not here: counting them (`login_lock`).

use serde::{Deserialize, Serialize};

/// FAILED_LOGIN_ATTEMPTS and PASSWORD_LOCK_TIME; with either at 0 nothing is locked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRule {
    /// Failed logins in a row.
    pub attempts: u16,
    /// How long it is locked then.
    pub time: LockTime,
}

/// PASSWORD_LOCK_TIME.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockTime {
    /// So many days.
    Days(u16),
    /// Until somebody unlocks it.
    Unbounded,
}

impl Default for LockTime {
    fn default() -> LockTime {
        LockTime::Days(0)
    }
}

impl LockRule {
    /// Whether it says nothing.
    pub fn is_default(&self) -> bool {
        *self == LockRule::default()
    }

    /// Whether failures are counted.
    pub fn is_active(&self) -> bool {
        self.attempts > 0 && self.time != LockTime::Days(0)
    }
}

/// Why an account lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginBlock {
    /// The rule that has closed it.
    pub rule: LockRule,
    /// Days until it is open again, begun ones as well; `None`: until somebody unlocks it.
    pub remaining: Option<u16>,
}
