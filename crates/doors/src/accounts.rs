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
//! Not here: the exchange of the MySQL door (`mysql::auth`), whom a client acts as that has not
//! logged in (`logins`), what each request needs (`execute` of each door).

use std::sync::Arc;

use access::audit::AuditLog;
use access::host::Peer;
use access::{
    AccessControl, AccountMeter, AccountName, AccountSeat, LimitReached, Principal, Rights,
};
use sql::Sql;
use tls::Encryption;

use crate::mysql::{PasswordVerdict, Users};
use crate::peer::peer_tls;

/// The accounts of a server, as a door asks for them.
pub struct DoorAccounts {
    users: Users,
    control: Arc<AccessControl>,
    /// Told of requests by key; `None`: nobody is.
    told: Option<Arc<Sql>>,
}

impl std::fmt::Debug for DoorAccounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DoorAccounts").field("users", &self.users).finish_non_exhaustive()
    }
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
    /// The user of the settings file that it is.
    configured: Option<Arc<str>>,
}

impl DoorAccounts {
    /// The users of the settings file, and the accounts of SQL.
    pub fn new(users: Users, control: &Arc<AccessControl>) -> DoorAccounts {
        let users = users.with_accounts(control);
        DoorAccounts { users, control: Arc::clone(control), told: None }
    }

    /// Those of a server, whose digests and slow log have the requests by key of these accounts.
    pub fn of(users: Users, sql: &Arc<Sql>) -> DoorAccounts {
        let told = sql.notes_key_requests().then(|| Arc::clone(sql));
        DoorAccounts { told, ..DoorAccounts::new(users, sql.access()) }
    }

    /// What is told of requests by key.
    #[inline]
    pub fn told(&self) -> Option<&Arc<Sql>> {
        self.told.as_ref()
    }

    /// The audit log, if there is one.
    pub fn audit(&self) -> Option<&AuditLog> {
        self.control.audit()
    }

    /// Whether nobody can log in but `root` of a fresh server, who has no password.
    pub fn are_fresh(&self) -> bool {
        self.users.are_fresh()
    }

    /// One who may do everything, and has no name.
    pub fn unrestricted(&self) -> DoorPrincipal {
        let control = Arc::clone(&self.control);
        DoorPrincipal { principal: control.superuser(), control, configured: None }
    }

    /// A user of the settings file.
    fn configured(&self, user: &str) -> DoorPrincipal {
        DoorPrincipal { configured: Some(user.into()), ..self.unrestricted() }
    }

    /// An account, with the roles that are active after a login.
    fn account(&self, name: &AccountName) -> DoorPrincipal {
        DoorPrincipal { principal: self.control.at_login(name), ..self.unrestricted() }
    }

    /// Whether a setting's account is there: one of SQL, or a user of the settings file.
    pub fn has(&self, name: &AccountName) -> bool {
        self.is_configured(name) || self.control.grants().account(name).is_some()
    }

    fn is_configured(&self, name: &AccountName) -> bool {
        name.host == "%" && self.users.is_configured(&name.user)
    }

    /// The account of a setting; one that is not there may do nothing.
    pub fn acting_as(&self, name: &AccountName) -> DoorPrincipal {
        match self.is_configured(name) {
            true => self.configured(&name.user),
            false => self.account(name),
        }
    }

    /// A client whose certificate bears the name of an account; `None` where none has that name.
    pub fn certified(
        &self,
        (user, peer): (&str, Peer<'_>),
        encryption: &Encryption,
    ) -> Option<DoorPrincipal> {
        if self.users.is_configured(user) {
            return Some(self.configured(user));
        }
        let grants = self.control.grants();
        let (name, account) = grants.login(user, &peer)?;
        // An account that anybody may use is nobody's name.
        let is_named = name.user == user && !account.locked;
        let is_let_in = is_named
            && account.tls_need.is_met(Some(&peer_tls(encryption)))
            && !self.control.is_blocked(name, account)
            && !self.control.is_closed(name, account);
        is_let_in.then(|| self.account(name))
    }

    /// Lets a client in that sends a password, or does not.
    pub fn log_in(
        &self,
        (user, peer): (&str, Peer<'_>),
        password: &[u8],
        encryption: Option<&Encryption>,
        may_wait: bool,
    ) -> PasswordLogin {
        match self.users.prove(user, peer, password, encryption, may_wait) {
            PasswordVerdict::Accepted(Some(account)) => {
                PasswordLogin::Accepted(self.account(&account))
            }
            PasswordVerdict::Accepted(None) => PasswordLogin::Accepted(self.configured(user)),
            PasswordVerdict::Denied => PasswordLogin::Denied,
            PasswordVerdict::Wait => PasswordLogin::Wait,
        }
    }
}

impl DoorPrincipal {
    /// The account that it is; `None`: a user of the settings file, or one without a name.
    pub fn account(&self) -> Option<&AccountName> {
        self.principal.account.as_ref()
    }

    /// Makes out again what it may do if accounts have changed.
    #[inline]
    pub fn renew(&mut self) {
        if self.principal.version != self.control.version() {
            self.principal = self.control.renewed(&self.principal);
        }
    }

    /// What it may do, as of the last `renew`.
    #[inline]
    pub fn rights(&self) -> &Rights {
        match self.principal.is_expired {
            true => &access::rights::NONE,
            false => &self.principal.rights,
        }
    }

    /// A connection of it begins; one without a name has no limits, and no seat.
    ///
    /// # Errors
    /// The limit that it is beyond.
    pub fn admit(&self) -> Result<Option<AccountSeat>, LimitReached> {
        let configured = self.configured.as_ref().map(|user| AccountName::new(&**user, "%"));
        let name = self.principal.account.clone().or(configured);
        name.map(|name| self.control.admit(&name)).transpose()
    }

    /// What counts its requests; `None`: nothing has a limit.
    #[inline]
    pub fn meter(&self) -> Option<&AccountMeter> {
        self.principal.meter.as_deref()
    }

    /// The user's name; `None` for one that has none.
    pub fn user(&self) -> Option<&str> {
        let account = self.principal.account.as_ref().map(|name| &*name.user);
        account.or(self.configured.as_deref())
    }
}
