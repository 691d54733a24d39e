//! Accounts, roles and privileges: which account a client that connects is, and what it may do.
//!
//! ```text
//! host       patterns of hosts, and which of several is the most specific
//! privilege  the privileges there are, and at which levels they can be granted
//! account    an account: how it logs in, and what it was granted
//! tls_need   how an account's connections must be encrypted
//! password_policy   how long a password holds, and which may not come again
//! lock_rule  after how many failed logins an account is locked, and for how long
//! login_lock failed logins, counted
//! attributes what was written to an account beside its rights, as MySQL keeps it
//! limits     how much an account may use
//! usage      what accounts use, against their limits
//! audit      a log of who came and what was changed
//! grants     all accounts at one moment; which of them a login means
//! rights     what an account with some active roles may do
//! edit       changes of accounts, as statements make them
//! definer    rights under which something was bound that others run
//! shown      accounts and grants as statements that make them
//! control    the accounts of a server: the present ones, their version, changes
//! ```
//!
//! Invariants
//! 1. Whoever asks compares one number with the version of the rights that it holds; only a change
//!    makes it ask for them again.
//! 2. What is not granted is refused: there is no default but `root` of a fresh server.
//!
//! Not here: statements (crate `sql`), the exchange of a login (`doors::mysql`), where accounts are
//! stored (`rows::catalog`).

pub mod account;
pub mod attributes;
pub mod audit;
pub mod control;
pub mod definer;
pub mod edit;
pub mod grants;
pub mod host;
pub mod limits;
pub mod lock_rule;
pub mod login_lock;
pub mod password_policy;
pub mod privilege;
pub mod rights;
pub mod secret;
pub mod shown;
pub mod tls_need;
pub mod usage;

pub use account::{Account, AccountName};
pub use control::{AccessControl, RecordChange};
pub use definer::DefinerRights;
pub use edit::{Edit, EditError};
pub use grants::Grants;
pub use limits::AccountLimits;
pub use lock_rule::{LockRule, LockTime, LoginBlock};
pub use password_policy::{PasswordLifetime, PasswordPolicy, PolicyDefaults};
pub use privilege::{Level, Privilege, PrivilegeSet};
pub use rights::{ColumnAccess, Principal, Rights};
pub use tls_need::{PeerTls, TlsDetails, TlsNeed};
pub use usage::{AccountMeter, AccountSeat, LimitReached};
