//! `PasswordPolicy`: what an account's passwords must be like over time. How long one holds, which
//! earlier ones must not come again, and whether the present one has to be said to change it.
//!
//! ```text
//! PASSWORD EXPIRE [DEFAULT | NEVER | INTERVAL n DAY]
//! PASSWORD HISTORY [DEFAULT | n]           not one of the last n
//! PASSWORD REUSE INTERVAL [DEFAULT | n DAY]    not one that was set within n days
//! PASSWORD REQUIRE CURRENT [DEFAULT | OPTIONAL]
//! ```
//!
//! Invariants
//! 1. DEFAULT means the server's variables at the time when it is asked: they are not copied into
//!    an account.
//!
//! Not here: checking a password (`secret`), who is asked for the present one (`sql`), the lock
//! after failed logins (`login_lock`).

use serde::{Deserialize, Serialize};

/// Seconds of a day.
pub(crate) const DAY_SECONDS: u64 = 24 * 60 * 60;
/// Earlier passwords that are kept of an account: as many as HISTORY can ask for.
const EARLIER_MAX: usize = u16::MAX as usize;

/// What an account's passwords must be like; `None`: as the server's variables say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordPolicy {
    /// How long one holds.
    #[serde(default)]
    pub lifetime: PasswordLifetime,
    /// Of so many earlier ones none may come again.
    #[serde(default)]
    pub history: Option<u16>,
    /// None may come again that was set within so many days.
    #[serde(default)]
    pub reuse_days: Option<u16>,
    /// Whether changing the password takes the present one.
    #[serde(default)]
    pub require_current: Option<bool>,
}

/// How long a password holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PasswordLifetime {
    /// As `default_password_lifetime` says.
    #[default]
    Default,
    /// For ever.
    Never,
    /// So many days.
    Days(u16),
}

/// What the server's variables say where an account says DEFAULT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyDefaults {
    /// default_password_lifetime; 0: for ever.
    pub lifetime_days: u16,
    /// password_history.
    pub history: u32,
    /// password_reuse_interval.
    pub reuse_days: u32,
    /// password_require_current.
    pub require_current: bool,
}

/// A password that an account has, or had before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPassword {
    /// What is stored of it.
    pub stored: String,
    /// What is stored of those that were set with it, for other ways to log in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<String>,
    /// When it was set: seconds since the epoch.
    pub set_at: u64,
}

impl EarlierPassword {
    /// What is stored of all that were set at once.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.stored).chain(self.further.iter().map(String::as_str))
    }
}

impl PasswordPolicy {
    /// Whether it is what an account has of which nothing is said.
    pub fn is_default(&self) -> bool {
        *self == PasswordPolicy::default()
    }

    /// Whether a password that was set at `set_at` holds no longer at `now`.
    pub fn is_outlived(&self, set_at: u64, now: u64, defaults: &PolicyDefaults) -> bool {
        let days = match self.lifetime {
            PasswordLifetime::Default => defaults.lifetime_days,
            PasswordLifetime::Never => 0,
            PasswordLifetime::Days(days) => days,
        };
        days > 0 && now >= set_at.saturating_add(u64::from(days) * DAY_SECONDS)
    }

    /// Whether the password at this place among the earlier ones, the last first, may not come
    /// again.
    pub fn is_barred(
        &self,
        place: usize,
        earlier: &EarlierPassword,
        now: u64,
        defaults: &PolicyDefaults,
    ) -> bool {
        let history = self.history.map_or(defaults.history, u32::from);
        let days = self.reuse_days.map_or(defaults.reuse_days, u32::from);
        let until = earlier.set_at.saturating_add(u64::from(days) * DAY_SECONDS);
        place < EARLIER_MAX && (place < history as usize || days > 0 && now < until)
    }

    /// Whether changing the password takes the present one.
    pub fn requires_current(&self, defaults: &PolicyDefaults) -> bool {
        self.require_current.unwrap_or(defaults.require_current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: PolicyDefaults =
        PolicyDefaults { lifetime_days: 10, history: 1, reuse_days: 0, require_current: false };

    #[test]
    fn a_password_holds_as_long_as_the_account_says_or_else_the_server() {
        let outlived = |lifetime, days: u64| {
            let policy = PasswordPolicy { lifetime, ..PasswordPolicy::default() };
            policy.is_outlived(1000, 1000 + days * DAY_SECONDS, &DEFAULTS)
        };
        assert!(!outlived(PasswordLifetime::Default, 9) && outlived(PasswordLifetime::Default, 10));
        assert!(!outlived(PasswordLifetime::Days(30), 29));
        assert!(outlived(PasswordLifetime::Days(30), 30));
        assert!(!outlived(PasswordLifetime::Never, 10_000));
        let policy = PasswordPolicy::default();
        assert!(!policy.is_outlived(0, u64::MAX, &PolicyDefaults::default()), "0 is for ever");
    }

    #[test]
    fn a_password_is_barred_by_its_place_or_by_its_age() {
        let earlier = EarlierPassword { stored: String::new(), further: Vec::new(), set_at: 1000 };
        let barred = |history, reuse_days, place, days: u64| {
            let policy = PasswordPolicy { history, reuse_days, ..PasswordPolicy::default() };
            policy.is_barred(place, &earlier, 1000 + days * DAY_SECONDS, &DEFAULTS)
        };
        assert!(barred(None, None, 0, 0) && !barred(None, None, 1, 0), "as the server says");
        assert!(barred(Some(3), None, 2, 500) && !barred(Some(3), None, 3, 500));
        assert!(barred(Some(0), Some(7), 40, 6) && !barred(Some(0), Some(7), 0, 7));
    }
}
