//! Accounts at doors whose clients send the password itself: who logs in, and what a connection may
//! do.
//!
//! Invariants
//! 1. What takes as long as a slow hash is done only where waiting is allowed. A name that nobody
//!    has takes as long as a wrong password.
//! 2. A connection asks for its rights before each request: that is one load and one comparison, so
//!    a REVOKE holds for the next request.
//! 3. An account that is not there any more, or whose password is expired, may do nothing.
//!
//! Not here: the exchange of the MySQL door (`mysql::auth`), late answers to failures
//! (`failed_logins`), what each request needs (`execute` of each door).

use std::sync::Arc;

use access::{AccessControl, AccountName, Principal, Rights};
use tls::Encryption;

use crate::mysql::{PasswordVerdict, Users};

/// The accounts of a server, as a door asks for them.
#[derive(Debug)]
pub struct DoorAccounts {
    users: Users,
    control: Arc<AccessControl>,
}

/// What became of a login.
#[derive(Debug)]
pub enum PasswordLogin {
    /// The client is in.
    Accepted(DoorPrincipal),
    /// It is not.
    Denied,
    /// The same must be asked where waiting is allowed.
    Wait,
}

/// Whom a connection acts as.
#[derive(Clone, Debug)]
pub struct DoorPrincipal {
    control: Arc<AccessControl>,
    principal: Principal,
}

impl DoorAccounts {
    /// The users of the settings file, and the accounts of SQL.
    pub fn new(users: Users, control: &Arc<AccessControl>) -> DoorAccounts {
        DoorAccounts { users: users.with_accounts(control), control: Arc::clone(control) }
    }

    /// Whether nobody can log in but `root` of a fresh server, who has no password.
    pub fn are_fresh(&self) -> bool {
        self.users.are_fresh()
    }

    /// Whom connections act as that have not logged in: an account, or one who may do everything.
    pub fn standing_for(&self, account: Option<&AccountName>) -> DoorPrincipal {
        let control = Arc::clone(&self.control);
        let principal = match account {
            Some(name) => control.at_login(name),
            None => control.superuser(),
        };
        DoorPrincipal { control, principal }
    }

    /// Lets a client in that comes from `host` and sends a password, or does not.
    pub fn log_in(
        &self,
        (user, host): (&str, &str),
        password: &[u8],
        encryption: Option<&Encryption>,
        may_wait: bool,
    ) -> PasswordLogin {
        let certificate = encryption.map(|own| own.peer_certificate.as_slice());
        match self.users.prove(user, host, password, certificate, may_wait) {
            PasswordVerdict::Accepted(account) => {
                PasswordLogin::Accepted(self.standing_for(account.as_ref()))
            }
            PasswordVerdict::Denied => PasswordLogin::Denied,
            PasswordVerdict::Wait => PasswordLogin::Wait,
        }
    }
}

impl DoorPrincipal {
    /// Makes out again what it may do if accounts have changed.
    #[inline]
    pub fn renew(&mut self) {
        if self.principal.version != self.control.version() {
            self.principal = self.control.renewed(&self.principal);
        }
    }

    /// What it may do, as of the last `renew`; `None`: nothing.
    pub fn rights(&self) -> Option<&Rights> {
        (!self.principal.is_expired).then_some(&self.principal.rights)
    }

    /// The number of its rights, which is another one when they are others.
    #[inline]
    pub fn rights_number(&self) -> u64 {
        match self.principal.is_expired {
            true => access::rights::NOTHING,
            false => self.principal.rights.number,
        }
    }

    /// The user's name; `None` for one that is no account.
    pub fn user(&self) -> Option<&str> {
        self.principal.account.as_ref().map(|name| &*name.user)
    }
}
