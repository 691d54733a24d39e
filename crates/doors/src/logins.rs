//! Logging in at doors whose clients send the password itself: who may come without that, and whom
//! a client acts as.
//!
//! Invariants
//! 1. Without a login a client acts as the account that a setting names. Where it names none, only
//!    clients of this machine may do something.
//! 2. A login that fails takes away what its client could do before; it is answered late, and a
//!    third one ends the connection.
//! 3. Asking for a client's rights before a request is one load and one comparison.
//!
//! Not here: passwords (`accounts`), the words of each protocol (`login` of each door).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use access::{AccountName, Rights};
use sql::{ClientUser, DoorProcess};
use tls::Encryption;

use crate::accounts::{DoorAccounts, DoorPrincipal, PasswordLogin};
use crate::failed_logins::FailedLogins;

/// Logins of one connection that may fail; then it is closed.
const FAILURES_MAX: u32 = 3;

/// Whom clients act as that have not logged in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WithoutLogin {
    /// Those of this machine may do everything, all others nothing.
    #[default]
    ThisMachine,
    /// Nobody may do anything.
    Nobody,
    /// As this account.
    Account(AccountName),
}

/// How clients of one door come in.
#[derive(Debug)]
pub struct DoorLogins {
    accounts: Arc<DoorAccounts>,
    without_login: WithoutLogin,
    failed: FailedLogins,
}

/// What became of a client's login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginOutcome {
    /// It is in.
    Accepted,
    /// It is not, and is told so this late.
    Denied(Duration),
    /// The same must be asked where waiting is allowed.
    Wait,
}

/// One client: where it comes from, and whom it acts as.
#[derive(Debug)]
pub struct DoorClient {
    logins: Arc<DoorLogins>,
    /// `None`: this machine.
    peer: Option<IpAddr>,
    encryption: Option<Arc<Encryption>>,
    /// `None`: it has to log in first.
    principal: Option<DoorPrincipal>,
    failures: u32,
    /// Where the process list shows it.
    process: Option<Arc<DoorProcess>>,
}

impl DoorLogins {
    /// Of a door by its name.
    pub fn new(
        door: &'static str,
        accounts: Arc<DoorAccounts>,
        without_login: WithoutLogin,
    ) -> DoorLogins {
        DoorLogins { accounts, without_login, failed: FailedLogins::new(door) }
    }

    /// Those that have failed.
    pub fn failed(&self) -> &FailedLogins {
        &self.failed
    }

    /// The accounts that can log in.
    pub fn accounts(&self) -> &DoorAccounts {
        &self.accounts
    }

    /// Whom a client acts as that has not logged in; `None`: it has to.
    fn standing(&self, peer: Option<IpAddr>) -> Option<DoorPrincipal> {
        match &self.without_login {
            WithoutLogin::Account(name) => Some(self.accounts.acting_as(name)),
            WithoutLogin::ThisMachine if peer.is_none() => Some(self.accounts.unrestricted()),
            WithoutLogin::ThisMachine | WithoutLogin::Nobody => None,
        }
    }

    /// Whom a client acts as that has shown the secret of its door.
    fn trusted(&self) -> DoorPrincipal {
        match &self.without_login {
            WithoutLogin::Account(name) => self.accounts.acting_as(name),
            WithoutLogin::ThisMachine | WithoutLogin::Nobody => self.accounts.unrestricted(),
        }
    }
}

impl DoorClient {
    /// A client that has just connected; `peer`: `None` for one of this machine.
    pub fn new(logins: Arc<DoorLogins>, peer: Option<IpAddr>) -> DoorClient {
        let principal = logins.standing(peer);
        DoorClient { principal, ..DoorClient::with_secret(logins, peer) }
    }

    /// One that has to show its door's secret, or to log in.
    pub fn with_secret(logins: Arc<DoorLogins>, peer: Option<IpAddr>) -> DoorClient {
        let (encryption, principal, process) = (None, None, None);
        DoorClient { logins, peer, encryption, principal, failures: 0, process }
    }

    /// The same client, of which nothing is known yet: whom a single request names.
    #[must_use]
    pub fn unknown(&self) -> DoorClient {
        let (encryption, process) = (self.encryption.clone(), self.process.clone());
        DoorClient {
            encryption,
            process,
            ..DoorClient::with_secret(Arc::clone(&self.logins), self.peer)
        }
    }

    /// Whether it may ask for something.
    #[inline]
    pub fn is_in(&self) -> bool {
        self.principal.is_some()
    }

    /// The user that it acts as, if that has a name.
    pub fn user(&self) -> Option<&str> {
        self.principal.as_ref().and_then(DoorPrincipal::user)
    }

    /// Makes out again what it may do if accounts have changed.
    #[inline]
    pub fn renew(&mut self) {
        if let Some(principal) = &mut self.principal {
            principal.renew();
        }
    }

    /// What it may do, as of the last `renew`.
    #[inline]
    pub fn rights(&self) -> &Rights {
        self.principal.as_ref().map_or(&access::rights::NONE, DoorPrincipal::rights)
    }

    /// Whether so many logins have failed that the connection ends.
    #[inline]
    pub fn is_given_up(&self) -> bool {
        self.failures >= FAILURES_MAX
    }

    /// The accounts that can log in.
    pub fn accounts(&self) -> &DoorAccounts {
        &self.logins.accounts
    }

    /// The account that it acts as; `None` for a user of the settings file.
    pub fn account(&self) -> Option<&AccountName> {
        self.principal.as_ref().and_then(DoorPrincipal::account)
    }

    /// How its connection is encrypted, if it is.
    pub fn encryption(&self) -> Option<&Encryption> {
        self.encryption.as_deref()
    }

    /// The connection is encrypted. A certificate that the settings' authorities have signed is a
    /// login of the account whose name it bears, if there is one.
    pub fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.encryption = Some(Arc::clone(encryption));
        if let Some(user) = encryption.peer_name() {
            let certified = self.logins.accounts.certified((&user, &self.host()), encryption);
            if certified.is_some() {
                self.act_as(certified);
            }
        }
    }

    /// The process list shows it from now on.
    pub fn be_listed(&mut self, process: &Arc<DoorProcess>) {
        self.process = Some(Arc::clone(process));
        self.show();
    }

    fn act_as(&mut self, principal: Option<DoorPrincipal>) {
        self.principal = principal;
        self.show();
    }

    /// Tells the process list whom it acts as.
    fn show(&self) {
        let Some(process) = &self.process else { return };
        process.set_user(match (self.is_in(), self.user()) {
            (false, _) => ClientUser::Unknown,
            (true, None) => ClientUser::Nameless,
            (true, Some(user)) => ClientUser::Named(user.to_owned()),
        });
    }

    /// It has shown the secret.
    pub fn show_secret(&mut self) {
        self.act_as(Some(self.logins.trusted()));
        self.failures = 0;
    }

    /// It has said that it needs no login: it acts as one that has not said anything.
    pub fn go_without(&mut self) -> bool {
        self.act_as(self.logins.standing(self.peer));
        self.is_in()
    }

    /// It sends a password.
    pub fn log_in(&mut self, user: &str, password: &[u8], may_wait: bool) -> LoginOutcome {
        let host = self.host();
        let encryption = self.encryption.as_deref();
        match self.logins.accounts.log_in((user, &host), password, encryption, may_wait) {
            PasswordLogin::Accepted(principal) => {
                self.act_as(Some(principal));
                self.failures = 0;
                LoginOutcome::Accepted
            }
            PasswordLogin::Denied => LoginOutcome::Denied(self.deny(user)),
            PasswordLogin::Wait => LoginOutcome::Wait,
        }
    }

    /// What it has shown is wrong: how late it is told so.
    pub fn deny(&mut self, user: &str) -> Duration {
        self.act_as(None);
        self.failures += 1;
        self.logins.failed.note(user, self.peer)
    }

    /// Its host as SQL shows it.
    pub fn host(&self) -> String {
        self.peer.map_or_else(|| "localhost".to_owned(), |peer| peer.to_string())
    }
}
