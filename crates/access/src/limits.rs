//! `AccountLimits`: how much an account may use (WITH MAX_QUERIES_PER_HOUR and its kin).
//!
//! | clause | limits | from |
//! |---|---|---|
//! | MAX_QUERIES_PER_HOUR | statements, and requests at other doors | MySQL |
//! | MAX_UPDATES_PER_HOUR | those of them that change something | MySQL |
//! | MAX_CONNECTIONS_PER_HOUR | connections that begin | MySQL |
//! | MAX_USER_CONNECTIONS | connections at one time | MySQL |
//! | MAX_STATEMENT_TIME | seconds that a statement may take, with a fraction | MariaDB |
//! | MAX_REQUESTS_PER_SECOND | as MAX_QUERIES_PER_HOUR | ours |
//! | MAX_MEMORY | bytes that its connections may have of the memory for clients | ours |
//!
//! Invariants
//! 1. 0 is no limit.
//!
//! Not here: what has been used (`usage`).

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much an account may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountLimits {
    /// MAX_QUERIES_PER_HOUR.
    pub queries_per_hour: u32,
    /// MAX_UPDATES_PER_HOUR.
    pub updates_per_hour: u32,
    /// MAX_CONNECTIONS_PER_HOUR.
    pub connections_per_hour: u32,
    /// MAX_USER_CONNECTIONS.
    pub user_connections: u32,
    /// MAX_STATEMENT_TIME, in microseconds.
    pub statement_micros: u64,
    /// MAX_REQUESTS_PER_SECOND.
    pub requests_per_second: u32,
    /// MAX_MEMORY, in bytes.
    pub memory_bytes: u64,
}

impl AccountLimits {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == AccountLimits::default()
    }

    /// Whether each request has to be counted.
    pub fn count_requests(&self) -> bool {
        self.queries_per_hour > 0 || self.updates_per_hour > 0 || self.requests_per_second > 0
    }

    /// How long a statement may take.
    pub fn statement_time(&self) -> Option<Duration> {
        (self.statement_micros > 0).then(|| Duration::from_micros(self.statement_micros))
    }

    /// As a statement says it, WITH in front; empty without limits.
    pub fn clause(&self) -> String {
        let seconds = self.statement_micros as f64 / 1e6;
        let limits = [
            ("MAX_QUERIES_PER_HOUR", self.queries_per_hour.to_string()),
            ("MAX_UPDATES_PER_HOUR", self.updates_per_hour.to_string()),
            ("MAX_CONNECTIONS_PER_HOUR", self.connections_per_hour.to_string()),
            ("MAX_USER_CONNECTIONS", self.user_connections.to_string()),
            ("MAX_STATEMENT_TIME", seconds.to_string()),
            ("MAX_REQUESTS_PER_SECOND", self.requests_per_second.to_string()),
            ("MAX_MEMORY", self.memory_bytes.to_string()),
        ];
        let set = limits.iter().filter(|(_, value)| value != "0");
        let words: String = set.map(|(name, value)| format!(" {name} {value}")).collect();
        if words.is_empty() { words } else { format!(" WITH{words}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_shown_as_it_is_set_and_none_is_not_shown() {
        assert_eq!(AccountLimits::default().clause(), "");
        let limits = AccountLimits {
            queries_per_hour: 3,
            user_connections: 2,
            statement_micros: 1_500_000,
            ..AccountLimits::default()
        };
        assert_eq!(
            limits.clause(),
            " WITH MAX_QUERIES_PER_HOUR 3 MAX_USER_CONNECTIONS 2 MAX_STATEMENT_TIME 1.5"
        );
        let stored = serde_json::to_string(&limits).unwrap();
        assert_eq!(serde_json::from_str::<AccountLimits>(&stored).unwrap(), limits);
        assert!(serde_json::from_str::<AccountLimits>("{}").unwrap().is_none());
    }
}
