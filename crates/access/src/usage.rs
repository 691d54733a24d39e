//! What accounts use, against their limits: connections at all doors, requests, memory.
//!
//! Invariants
//! 1. Connections of one account are counted over all doors, whatever its limits are, so that a
//!    limit that is set later holds for those there are.
//! 2. An account whose requests have no limit has no `AccountMeter`: a request asks whether there
//!    is one, and nothing else.
//! 3. What was refused is not counted, but for connections, as in MySQL: one that comes too many is
//!    none.
//! 4. Counts of an hour start again an hour after the first one, as in MySQL 8.4 (manual, 8.2.21).
//!
//! Not here: the limits themselves (`limits`), how each door tells that one is reached (`doors`).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use resources::owner::{MemoryCeiling, Owner};

use crate::account::AccountName;
use crate::limits::AccountLimits;

const HOUR: Duration = Duration::from_secs(3600);
const SECOND: Duration = Duration::from_secs(1);
/// Accounts that are not there any more, and whose usage may still be remembered.
const GONE_MAX: usize = 1024;

/// A limit that somebody has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// A limit of the account.
    Account {
        /// The account's user.
        user: String,
        /// What MySQL calls it.
        resource: &'static str,
        /// The limit.
        limit: u64,
    },
    /// `@@max_user_connections`, which holds where an account has no such limit of its own.
    Global {
        /// The account's user.
        user: String,
    },
    /// The audit log takes no lines, and is to have all logins.
    Unaudited,
}

/// MySQL's words.
impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitReached::Account { user, resource, limit } => write!(
                f,
                "User '{user}' has exceeded the '{resource}' resource (current value: {limit})"
            ),
            LimitReached::Unaudited => {
                write!(f, "Aborted by Audit API ('the audit log cannot be written';1).")
            }
            LimitReached::Global { user } => {
                write!(
                    f,
                    "User {user} already has more than 'max_user_connections' active \
                           connections"
                )
            }
        }
    }
}

/// Counts since a moment.
#[derive(Clone, Copy, Debug, Default)]
struct UsageCounts {
    hour: Option<Instant>,
    queries: u32,
    updates: u32,
    connections: u32,
    second: Option<Instant>,
    requests: u32,
}

impl UsageCounts {
    /// Forgets what is over.
    fn pass(&mut self, now: Instant) {
        if self.hour.is_none_or(|since| now.saturating_duration_since(since) >= HOUR) {
            *self = UsageCounts { hour: Some(now), ..UsageCounts::default() };
        }
        if self.second.is_none_or(|since| now.saturating_duration_since(since) >= SECOND) {
            (self.second, self.requests) = (Some(now), 0);
        }
    }
}

/// What an account uses.
#[derive(Debug, Default)]
struct AccountUsage {
    connections: AtomicU32,
    counts: Mutex<UsageCounts>,
    /// Memory of its sessions.
    memory: Arc<Owner>,
}

/// What counts the requests of an account that has limits.
#[derive(Clone, Debug)]
pub struct AccountMeter {
    user: String,
    limits: AccountLimits,
    usage: Arc<AccountUsage>,
}

impl AccountMeter {
    /// The limits.
    pub fn limits(&self) -> &AccountLimits {
        &self.limits
    }

    /// A request begins.
    ///
    /// # Errors
    /// The limit that it would be beyond; then it is not counted.
    pub fn count_request(&self) -> Result<(), LimitReached> {
        self.count_request_at(Instant::now())
    }

    fn count_request_at(&self, now: Instant) -> Result<(), LimitReached> {
        if !self.limits.count_requests() {
            return Ok(());
        }
        let mut counts = self.usage.counts.lock();
        counts.pass(now);
        let (per_hour, per_second) =
            (self.limits.queries_per_hour, self.limits.requests_per_second);
        if per_second > 0 && counts.requests >= per_second {
            return Err(self.reached("max_requests_per_second", per_second));
        }
        if per_hour > 0 && counts.queries >= per_hour {
            return Err(self.reached("max_questions", per_hour));
        }
        counts.requests += 1;
        counts.queries = counts.queries.saturating_add(1);
        Ok(())
    }

    /// The request that was counted changes something.
    ///
    /// # Errors
    /// As `count_request`.
    pub fn count_update(&self) -> Result<(), LimitReached> {
        let limit = self.limits.updates_per_hour;
        if limit == 0 {
            return Ok(());
        }
        let mut counts = self.usage.counts.lock();
        counts.pass(Instant::now());
        if counts.updates >= limit {
            return Err(self.reached("max_updates", limit));
        }
        counts.updates += 1;
        Ok(())
    }

    /// What a session's memory is counted in besides its own sum.
    pub fn memory_ceiling(&self) -> Option<MemoryCeiling> {
        let bytes_max = usize::try_from(self.limits.memory_bytes).unwrap_or(usize::MAX);
        (bytes_max > 0).then(|| MemoryCeiling { sum: Arc::clone(&self.usage.memory), bytes_max })
    }

    fn reached(&self, resource: &'static str, limit: u32) -> LimitReached {
        LimitReached::Account { user: self.user.clone(), resource, limit: limit.into() }
    }
}

/// A connection of an account; dropping it ends that.
#[derive(Debug)]
pub struct AccountSeat(Arc<AccountUsage>);

impl Drop for AccountSeat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What all accounts use.
#[derive(Debug, Default)]
pub struct AccountUsages {
    of: Mutex<HashMap<AccountName, Arc<AccountUsage>>>,
    /// `@@max_user_connections`.
    connections_max: AtomicU32,
}

impl AccountUsages {
    fn usage(&self, name: &AccountName) -> Arc<AccountUsage> {
        let mut of = self.of.lock();
        if let Some(known) = of.get(name) {
            return Arc::clone(known);
        }
        let usage = Arc::<AccountUsage>::default();
        of.insert(name.clone(), Arc::clone(&usage));
        usage
    }

    /// Sets `@@max_user_connections`; 0 is no limit.
    pub fn set_connections_max(&self, most: u32) {
        self.connections_max.store(most, Ordering::Relaxed);
    }

    /// What counts the requests of an account; `None` where it has no limits.
    pub fn meter(&self, name: &AccountName, limits: &AccountLimits) -> Option<Arc<AccountMeter>> {
        if limits.is_none() {
            return None;
        }
        let usage = self.usage(name);
        Some(Arc::new(AccountMeter { user: name.user.clone(), limits: *limits, usage }))
    }

    /// A connection of an account begins.
    ///
    /// # Errors
    /// The limit that it is beyond.
    pub fn admit(
        &self,
        name: &AccountName,
        limits: &AccountLimits,
    ) -> Result<AccountSeat, LimitReached> {
        let usage = self.usage(name);
        let user = || name.user.clone();
        let mut counts = usage.counts.lock();
        counts.pass(Instant::now());
        let connections = usage.connections.load(Ordering::Relaxed);
        let (own, all) = (limits.user_connections, self.connections_max.load(Ordering::Relaxed));
        if own == 0 && all > 0 && connections >= all {
            return Err(LimitReached::Global { user: user() });
        }
        let reached = |resource, limit: u32| LimitReached::Account {
            user: user(),
            resource,
            limit: limit.into(),
        };
        if own > 0 && connections >= own {
            return Err(reached("max_user_connections", own));
        }
        let per_hour = limits.connections_per_hour;
        if per_hour > 0 && counts.connections >= per_hour {
            return Err(reached("max_connections_per_hour", per_hour));
        }
        counts.connections = counts.connections.saturating_add(1);
        usage.connections.fetch_add(1, Ordering::Relaxed);
        drop(counts);
        Ok(AccountSeat(usage))
    }

    /// FLUSH USER_RESOURCES: counts of the hour start again.
    pub fn reset(&self) {
        for usage in self.of.lock().values() {
            *usage.counts.lock() = UsageCounts::default();
        }
    }

    /// The same for one account: a limit of it was set.
    pub fn reset_one(&self, name: &AccountName) {
        if let Some(usage) = self.of.lock().get(name) {
            *usage.counts.lock() = UsageCounts::default();
        }
    }

    /// Forgets what nobody uses of accounts that are not there any more.
    pub fn forget_gone(&self, is_there: impl Fn(&AccountName) -> bool, accounts: usize) {
        let mut of = self.of.lock();
        if of.len() > accounts + GONE_MAX {
            of.retain(|name, usage| Arc::strong_count(usage) > 1 || is_there(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bob() -> AccountName {
        AccountName::new("bob", "%")
    }

    #[test]
    fn connections_are_counted_until_they_end_and_by_the_hour() {
        let usages = AccountUsages::default();
        let limits = AccountLimits {
            user_connections: 1,
            connections_per_hour: 2,
            ..AccountLimits::default()
        };
        let first = usages.admit(&bob(), &limits).unwrap();
        let refused = usages.admit(&bob(), &limits).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "User 'bob' has exceeded the 'max_user_connections' resource (current value: 1)"
        );
        drop(first);
        drop(usages.admit(&bob(), &limits).unwrap());
        let refused = usages.admit(&bob(), &limits).unwrap_err();
        assert!(refused.to_string().contains("'max_connections_per_hour' resource"), "{refused}");
        usages.reset();
        let _again = usages.admit(&bob(), &limits).unwrap();

        let free = AccountLimits::default();
        usages.set_connections_max(1);
        assert!(matches!(usages.admit(&bob(), &free), Err(LimitReached::Global { .. })));
        usages.set_connections_max(0);
        usages.admit(&bob(), &free).unwrap();
    }

    #[test]
    fn requests_are_counted_by_the_hour_and_the_second() {
        let usages = AccountUsages::default();
        assert!(usages.meter(&bob(), &AccountLimits::default()).is_none());
        let limits = AccountLimits {
            queries_per_hour: 3,
            requests_per_second: 2,
            ..AccountLimits::default()
        };
        let meter = usages.meter(&bob(), &limits).unwrap();
        let now = Instant::now();
        let resource = |at: Instant| match meter.count_request_at(at) {
            Ok(()) => "",
            Err(LimitReached::Account { resource, .. }) => resource,
            Err(other) => panic!("{other}"),
        };
        assert_eq!([now, now].map(resource), ["", ""]);
        assert_eq!(resource(now), "max_requests_per_second");
        assert_eq!(resource(now + SECOND), "");
        assert_eq!(resource(now + SECOND), "max_questions");
        assert_eq!(resource(now + HOUR), "", "another hour");
    }

    #[test]
    fn updates_have_a_limit_of_their_own() {
        let usages = AccountUsages::default();
        let limits = AccountLimits { updates_per_hour: 1, ..AccountLimits::default() };
        let meter = usages.meter(&bob(), &limits).unwrap();
        (0..9).for_each(|_| meter.count_request().unwrap());
        meter.count_update().unwrap();
        assert!(meter.count_update().unwrap_err().to_string().contains("'max_updates'"));
        usages.reset_one(&bob());
        meter.count_update().unwrap();
    }
}
