//! The lock after failed logins: an account with FAILED_LOGIN_ATTEMPTS and PASSWORD_LOCK_TIME is
//! closed for some days once so many logins have failed one after another (MySQL 8.4 manual,
//! 8.2.15).
//!
//! Invariants
//! 1. Counts live in memory: a server that starts again has forgotten them, as MySQL's have. There
//!    is one for each account that has both options and a failure, and none for a name that nobody
//!    has.
//! 2. A locked account lets nobody in, whatever is proved. Attempts that come meanwhile do not
//!    prolong the lock.
//! 3. Whatever is said of the account's lock, ACCOUNT UNLOCK, and the account's end forget its
//!    count.
//!
//! Not here: ACCOUNT LOCK (`account`), the delay of answers to failed logins
//! (`doors::failed_logins`), words (`doors`).

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::account::AccountName;
use crate::lock_rule::{LockRule, LockTime, LoginBlock};
use crate::password_policy::DAY_SECONDS;

/// What is remembered of one account.
#[derive(Clone, Copy, Debug)]
enum FailureCount {
    /// Failures in a row.
    Open(u16),
    /// Locked at this second since the epoch.
    Locked(u64),
}

/// The counts of all accounts.
#[derive(Debug, Default)]
pub(crate) struct LoginLocks {
    counts: Mutex<HashMap<AccountName, FailureCount>>,
}

impl LoginLocks {
    /// Takes note of a login of an account with this rule, at `now` in seconds since the epoch.
    ///
    /// # Errors
    /// The account is locked, since this login if need be.
    pub(crate) fn note(
        &self,
        name: &AccountName,
        rule: LockRule,
        is_proven: bool,
        now: u64,
    ) -> Result<(), LoginBlock> {
        if !rule.is_active() {
            return Ok(());
        }
        let mut counts = self.counts.lock();
        let count = match counts.get(name) {
            Some(FailureCount::Locked(since)) => match remaining(rule, *since, now) {
                Some(block) => return Err(block),
                None => 0,
            },
            Some(FailureCount::Open(count)) => *count,
            None => 0,
        };
        if is_proven {
            counts.remove(name);
            return Ok(());
        }
        let count = count.saturating_add(1);
        if count < rule.attempts {
            counts.insert(name.clone(), FailureCount::Open(count));
            return Ok(());
        }
        counts.insert(name.clone(), FailureCount::Locked(now));
        remaining(rule, now, now).map_or(Ok(()), Err)
    }

    /// Why an account with this rule lets nobody in, if it does not.
    pub(crate) fn block(&self, name: &AccountName, rule: LockRule, now: u64) -> Option<LoginBlock> {
        match self.counts.lock().get(name)? {
            FailureCount::Locked(since) if rule.is_active() => remaining(rule, *since, now),
            _ => None,
        }
    }

    /// What has failed of an account is forgotten, and it is open.
    pub(crate) fn forget(&self, name: &AccountName) {
        self.counts.lock().remove(name);
    }

    /// The same of all accounts.
    pub(crate) fn forget_all(&self) {
        self.counts.lock().clear();
    }
}

/// The lock that has begun at `since`, if it lasts.
fn remaining(rule: LockRule, since: u64, now: u64) -> Option<LoginBlock> {
    let LockTime::Days(days) = rule.time else {
        return Some(LoginBlock { rule, remaining: None });
    };
    let past = now.saturating_sub(since);
    let left = (u64::from(days) * DAY_SECONDS).checked_sub(past).filter(|left| *left > 0)?;
    // At most as many as the rule has.
    Some(LoginBlock { rule, remaining: Some(left.div_ceil(DAY_SECONDS) as u16) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bob() -> AccountName {
        AccountName::new("bob", "%")
    }

    #[test]
    fn failures_in_a_row_lock_an_account_for_its_days() {
        let locks = LoginLocks::default();
        let rule = LockRule { attempts: 2, time: LockTime::Days(3) };
        let note =
            |is_proven, now| locks.note(&bob(), rule, is_proven, now).map_err(|b| b.remaining);
        assert_eq!(note(false, 0), Ok(()));
        assert_eq!(note(true, 0), Ok(()), "which begins the count again");
        assert_eq!(note(false, 0), Ok(()));
        assert_eq!(note(false, 0), Err(Some(3)));
        assert_eq!(note(true, 1), Err(Some(3)), "whatever is proved");
        assert_eq!(note(true, 2 * DAY_SECONDS), Err(Some(1)));
        assert_eq!(locks.block(&bob(), rule, 2 * DAY_SECONDS).unwrap().remaining, Some(1));
        assert_eq!(note(false, 3 * DAY_SECONDS), Ok(()), "and the count is a new one");
        assert_eq!(locks.block(&bob(), rule, 3 * DAY_SECONDS), None);
        assert_eq!(note(false, 3 * DAY_SECONDS), Err(Some(3)));
    }

    #[test]
    fn an_unbounded_lock_ends_when_it_is_forgotten_and_half_a_rule_locks_nobody() {
        let locks = LoginLocks::default();
        let rule = LockRule { attempts: 1, time: LockTime::Unbounded };
        let block = locks.note(&bob(), rule, false, 0).unwrap_err();
        assert_eq!(block, LoginBlock { rule, remaining: None });
        assert!(locks.note(&bob(), rule, true, u64::MAX).is_err());
        locks.forget(&bob());
        assert_eq!(locks.note(&bob(), rule, true, 0), Ok(()));
        for half in [
            LockRule { attempts: 1, time: LockTime::Days(0) },
            LockRule { attempts: 0, time: LockTime::Unbounded },
        ] {
            assert_eq!(locks.note(&bob(), half, false, 0), Ok(()));
        }
        assert!(locks.counts.lock().is_empty());
    }
}
