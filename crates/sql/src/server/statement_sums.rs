//! What statements took, added up: by what they are called, for each connection, and for each
//! account.
//!
//! Invariants
//! 1. Noting a statement writes to memory of its own connection alone. What a connection took is
//!    added to its account's when it goes.
//! 2. There are at most so many accounts; what comes later is one of no name.
//!
//! Not here: statements by digest (`digests`), names (`statement_names`).

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

use super::history::StatementOutcome;
use super::statement_names::StatementName;

/// Accounts that sums are kept for: users by host.
const ACCOUNTS_MAX: usize = 1000;

/// What some statements took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementSum {
    /// How many there were.
    pub count: u64,
    /// Microseconds of all.
    pub micros: u64,
    /// Of the quickest.
    pub micros_min: u64,
    /// Of the slowest.
    pub micros_max: u64,
    /// Microseconds of waits for locks.
    pub lock_micros: u64,
    /// How many failed.
    pub errors: u64,
    /// Their warnings.
    pub warnings: u64,
    /// Rows that they changed.
    pub affected: u64,
    /// Rows that they gave.
    pub sent: u64,
    /// Rows that they looked at.
    pub examined: u64,
    /// The most memory that one of them had, in bytes.
    pub memory_max: u64,
    /// How many read all rows of a table.
    pub table_scans: u64,
}

impl Default for StatementSum {
    fn default() -> StatementSum {
        StatementSum {
            count: 0,
            micros: 0,
            micros_min: u64::MAX,
            micros_max: 0,
            lock_micros: 0,
            errors: 0,
            warnings: 0,
            affected: 0,
            sent: 0,
            examined: 0,
            memory_max: 0,
            table_scans: 0,
        }
    }
}

impl StatementSum {
    /// A statement has ended.
    pub fn note(&mut self, outcome: &StatementOutcome, micros: u64) {
        self.add(&StatementSum {
            count: 1,
            micros,
            micros_min: micros,
            micros_max: micros,
            lock_micros: outcome.lock_micros,
            errors: u64::from(outcome.status != 0),
            warnings: outcome.warnings,
            affected: outcome.affected,
            sent: outcome.sent,
            examined: outcome.examined,
            memory_max: outcome.memory_bytes,
            table_scans: u64::from(outcome.is_table_scan),
        });
    }

    /// With others.
    pub fn add(&mut self, other: &StatementSum) {
        self.count += other.count;
        self.micros += other.micros;
        self.micros_min = self.micros_min.min(other.micros_min);
        self.micros_max = self.micros_max.max(other.micros_max);
        self.lock_micros += other.lock_micros;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.affected += other.affected;
        self.sent += other.sent;
        self.examined += other.examined;
        self.memory_max = self.memory_max.max(other.memory_max);
        self.table_scans += other.table_scans;
    }
}

/// Sums by name; few names are used by one connection.
#[derive(Clone, Debug, Default)]
pub struct NamedSums(Vec<(StatementName, StatementSum)>);

impl NamedSums {
    /// The sum of a name.
    pub fn of(&mut self, name: StatementName) -> &mut StatementSum {
        let at = match self.0.iter().position(|(known, _)| *known == name) {
            Some(at) => at,
            None => {
                self.0.push((name, StatementSum::default()));
                self.0.len() - 1
            }
        };
        &mut self.0[at].1
    }

    /// With others.
    pub fn add(&mut self, others: &NamedSums) {
        for (name, sum) in &others.0 {
            self.of(*name).add(sum);
        }
    }

    /// All names and their sums.
    pub fn iter(&self) -> impl Iterator<Item = &(StatementName, StatementSum)> {
        self.0.iter()
    }

    /// All together.
    pub fn total(&self) -> StatementSum {
        let mut total = StatementSum::default();
        self.0.iter().for_each(|(_, sum)| total.add(sum));
        total
    }

    /// Nothing again.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What the connections of an account took.
#[derive(Clone, Debug, Default)]
pub struct AccountSum {
    /// Connections now.
    pub connections: u64,
    /// Connections so far.
    pub connections_total: u64,
    /// What their statements took.
    pub statements: NamedSums,
}

impl AccountSum {
    /// With others.
    pub fn add(&mut self, other: &AccountSum) {
        self.connections += other.connections;
        self.connections_total += other.connections_total;
        self.statements.add(&other.statements);
    }
}

/// User and host.
pub type AccountKey = (String, String);

/// What connections took that are gone, and how many there were of each account.
#[derive(Debug, Default)]
pub struct AccountSums(Mutex<HashMap<AccountKey, AccountSum>>);

impl AccountSums {
    fn change(&self, (user, host): (&str, &str), change: impl FnOnce(&mut AccountSum)) {
        let mut sums = self.0.lock();
        let key = (user.to_owned(), host.to_owned());
        let key = match sums.contains_key(&key) || sums.len() < ACCOUNTS_MAX {
            true => key,
            false => AccountKey::default(),
        };
        change(sums.entry(key).or_default());
    }

    /// A connection has come.
    pub fn join(&self, account: (&str, &str)) {
        self.change(account, |sum| sum.connections_total += 1);
    }

    /// A connection goes, whose statements took this.
    pub fn part(&self, account: (&str, &str), took: &NamedSums) {
        self.change(account, |sum| sum.statements.add(took));
    }

    /// Forgets what statements took.
    pub fn forget(&self) {
        self.0.lock().values_mut().for_each(|sum| sum.statements.clear());
    }

    /// All accounts, in order.
    pub fn all(&self) -> BTreeMap<AccountKey, AccountSum> {
        self.0.lock().iter().map(|(key, sum)| (key.clone(), sum.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_account_took_stays_when_its_connections_go() {
        let accounts = AccountSums::default();
        let name = StatementName::of(b"SELECT 1");
        for micros in [5, 7] {
            accounts.join(("app", "h"));
            let mut took = NamedSums::default();
            took.of(name).note(&StatementOutcome { sent: 2, ..Default::default() }, micros);
            accounts.part(("app", "h"), &took);
        }
        let all = accounts.all();
        let sum = &all[&("app".to_owned(), "h".to_owned())];
        assert_eq!(sum.connections_total, 2);
        let total = sum.statements.total();
        assert_eq!((total.count, total.micros, total.sent), (2, 12, 4));
        assert_eq!((total.micros_min, total.micros_max), (5, 7));
        accounts.forget();
        assert_eq!(accounts.all().values().next().unwrap().statements.total().count, 0);
    }

    #[test]
    fn accounts_beyond_those_there_is_room_for_are_one() {
        let accounts = AccountSums::default();
        for number in 0..ACCOUNTS_MAX + 5 {
            accounts.join((&number.to_string(), "h"));
        }
        let all = accounts.all();
        assert_eq!(all.len(), ACCOUNTS_MAX + 1);
        assert_eq!(all[&AccountKey::default()].connections_total, 5);
    }
}
