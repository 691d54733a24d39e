//! Logging in at doors whose clients send the password itself: who may come without that, and whom
//! a client acts as.
//!
//! Invariants
//! 1. Without a login a client acts as the account that a setting names. Where it names none, only
//!    clients of this machine may do something.
//! 2. A login that fails takes away what its client could do before; it is answered late, and a
//!    third one ends the connection.
//! 3. Asking for a client's rights before a request is one load and one comparison; whether its
//!    account has limits is one comparison more.
//! 4. A client whose account has as many connections as it may have is as one that has not logged
//!    in, and is told why.
//!
//! Not here: passwords (`accounts`), the words of each protocol (`login` of each door).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use access::audit::{AuditEvent, AuditSubject};
use access::host::Peer;
use access::{AccountMeter, AccountName, AccountSeat, LimitReached, Rights};
use resources::interrupt::{self, Working};
use resources::owner::{CountedBytes, Owner};
use sql::{ClientUser, DoorProcess, DoorWork};
use tls::Encryption;
use values::ErrorCode;

use crate::accesses::ClientAccesses;
use crate::accounts::{DoorAccounts, DoorPrincipal, PasswordLogin};
use crate::failed_logins::FailedLogins;
use crate::key_requests::{self, KeyRequestTally};

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
    door: &'static str,
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
    /// Its password is right, but its account is at a limit: `DoorClient::beyond`.
    Limited,
    /// The same must be asked where waiting is allowed.
    Wait,
}

/// One client: where it comes from, and whom it acts as.
#[derive(Debug)]
pub struct DoorClient {
    logins: Arc<DoorLogins>,
    /// `None`: this machine.
    peer: Option<IpAddr>,
    /// The address of one of this machine; `None`: it came through a UNIX socket.
    loopback: Option<IpAddr>,
    encryption: Option<Arc<Encryption>>,
    /// `None`: it has to log in first.
    principal: Option<DoorPrincipal>,
    failures: u32,
    /// Its place among the connections of its account.
    seat: Option<AccountSeat>,
    /// The limit that keeps it out.
    beyond: Option<LimitReached>,
    /// That the audit log knows of its login.
    noted: Option<NotedLogin>,
    /// Whether the request in front is counted.
    is_counted: bool,
    /// Whether it is served where it may wait.
    is_working: bool,
    /// Where the process list shows it.
    process: Option<Arc<DoorProcess>>,
    /// What the audit log is to have of its requests; `None`: nothing.
    accesses: Option<Arc<ClientAccesses>>,
    /// Its requests that are not answered yet.
    requests: KeyRequestTally,
    /// Its buffers, where its account's memory has a limit.
    buffers: Option<CountedBytes>,
}

/// A login that the audit log was told of; dropping it tells of its end.
#[derive(Debug)]
struct NotedLogin {
    logins: Arc<DoorLogins>,
    connection: u32,
    user: String,
    host: String,
}

impl Drop for NotedLogin {
    fn drop(&mut self) {
        let (connection, user, host) = (self.connection, &*self.user, &*self.host);
        self.logins.audit((connection, user, host), &AuditEvent::Disconnect);
    }
}

impl DoorLogins {
    /// Of a door by its name.
    pub fn new(
        door: &'static str,
        accounts: Arc<DoorAccounts>,
        without_login: WithoutLogin,
    ) -> DoorLogins {
        DoorLogins { door, accounts, without_login, failed: FailedLogins::new(door) }
    }

    /// Tells the audit log of a login: connection, user, host.
    fn audit(&self, (connection, user, host): (u32, &str, &str), event: &AuditEvent<'_>) {
        if let Some(audit) = self.accounts.audit() {
            audit.note(&AuditSubject { connection, door: self.door, user, host }, event);
        }
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
    /// A client that has just connected; without an address it came through a UNIX socket.
    pub fn new(logins: Arc<DoorLogins>, address: Option<IpAddr>) -> DoorClient {
        let mut client = DoorClient::with_secret(logins, address);
        let principal = client.logins.standing(client.peer);
        client.act_as(principal);
        client
    }

    /// One that has to show its door's secret, or to log in.
    pub fn with_secret(logins: Arc<DoorLogins>, address: Option<IpAddr>) -> DoorClient {
        DoorClient {
            logins,
            peer: address.filter(|address| !address.is_loopback()),
            loopback: address.filter(IpAddr::is_loopback),
            encryption: None,
            principal: None,
            failures: 0,
            seat: None,
            beyond: None,
            noted: None,
            is_counted: false,
            is_working: false,
            process: None,
            accesses: None,
            requests: KeyRequestTally::default(),
            buffers: None,
        }
    }

    /// The same client, of which nothing is known yet: whom a single request names.
    #[must_use]
    pub fn unknown(&self) -> DoorClient {
        let (encryption, process) = (self.encryption.clone(), self.process.clone());
        DoorClient {
            encryption,
            process,
            ..DoorClient::with_secret(Arc::clone(&self.logins), self.peer.or(self.loopback))
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

    /// Its rights, and where its requests are noted.
    pub(crate) fn standing(&self) -> (&Rights, Option<&Arc<ClientAccesses>>) {
        (self.rights(), self.accesses())
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
            let host = self.host();
            let named = (&*user, Peer { host: &host, loopback: self.loopback });
            let certified = self.logins.accounts.certified(named, encryption);
            if certified.is_some() && self.act_as(certified) {
                self.note_login();
            }
        }
    }

    /// The process list shows it from now on.
    pub fn be_listed(&mut self, process: &Arc<DoorProcess>) {
        self.process = Some(Arc::clone(process));
        self.show();
    }

    /// Acts as somebody else from now on; whether it may ask for something.
    fn act_as(&mut self, principal: Option<DoorPrincipal>) -> bool {
        (self.seat, self.noted) = (None, None);
        (self.principal, self.beyond) = (None, None);
        if let Some(principal) = principal {
            match principal.admit() {
                Ok(seat) => (self.seat, self.principal) = (seat, Some(principal)),
                Err(reached) => self.beyond = Some(reached),
            }
        }
        let meter = self.principal.as_ref().and_then(DoorPrincipal::meter);
        let ceiling = meter.and_then(AccountMeter::memory_ceiling);
        let owner = ceiling.map(|ceiling| Arc::new(Owner::beneath(Some(ceiling))));
        self.buffers = owner.map(CountedBytes::of);
        let user = self.principal.as_ref().map(|principal| principal.user().unwrap_or_default());
        self.accesses = user.and_then(|user| ClientAccesses::of(&self.logins.accounts, user));
        self.show();
        self.is_in()
    }

    /// Another login takes its place among the connections of its account.
    pub fn give_seat_up(&mut self) {
        self.seat = None;
    }

    /// The limit of its account that keeps it out.
    pub fn beyond(&self) -> Option<&LimitReached> {
        self.beyond.as_ref()
    }

    /// Its connection has so many bytes of buffers.
    #[inline]
    pub fn note_buffers(&mut self, bytes: usize) {
        if let Some(buffers) = &mut self.buffers {
            buffers.set(bytes);
        }
    }

    /// What its requests draw of memory is its account's, where that has a limit and the request is
    /// served where it may wait, until what this gives is dropped.
    pub(crate) fn draw(&self, may_wait: bool) -> Option<Working> {
        let buffers = self.buffers.as_ref().filter(|_| may_wait)?;
        Some(interrupt::working_for(Arc::clone(buffers.owner())))
    }

    /// The memory that its account may have, if it has more: asked of each piece of a request that
    /// comes.
    ///
    /// # Errors
    /// The limit.
    #[inline]
    pub fn check_memory(&self) -> Result<(), LimitReached> {
        match &self.buffers {
            None => Ok(()),
            Some(buffers) => match buffers.owner().exceeded() {
                None => Ok(()),
                Some(bytes_max) => Err(LimitReached::Account {
                    user: self.user().unwrap_or_default().to_owned(),
                    resource: "max_memory",
                    limit: bytes_max as u64,
                }),
            },
        }
    }

    /// Counts the request in front, once, if its account has limits.
    ///
    /// # Errors
    /// The limit that it is beyond: it is to be refused.
    #[inline]
    pub fn count_request(&mut self, is_update: impl FnOnce() -> bool) -> Result<(), LimitReached> {
        self.check_memory()?;
        match self.principal.as_ref().and_then(DoorPrincipal::meter) {
            Some(meter) if !self.is_counted => {
                meter.count_request()?;
                self.is_counted = true;
                if is_update() { meter.count_update() } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// A turn begins; where it may wait, KILL ends its requests until what this gives is dropped.
    pub(crate) fn begin_turn(&mut self, may_wait: bool) -> Option<DoorWork> {
        self.is_working = may_wait;
        key_requests::forget();
        self.process.as_ref().filter(|_| may_wait).map(DoorProcess::work)
    }

    /// The request in front is answered.
    #[inline]
    pub fn end_request(&mut self) {
        self.is_counted = false;
        self.outlive_kill();
        self.requests.add();
        if let Some(accesses) = &self.accesses {
            self.tell(accesses);
        }
    }

    /// What was asked before is answered, this long after it came: the digests and the slow log are
    /// told.
    pub fn note_answered(&mut self, took: Duration) {
        let mut requests = std::mem::take(&mut self.requests);
        match self.logins.accounts.told() {
            Some(sql) => requests.answer((sql, self.logins.door), took, |answered| {
                let user = self.user().unwrap_or_default();
                sql.log_slow_requests(answered, self.connection(), (user, &self.host()));
            }),
            None => requests.clear(),
        }
        self.requests = requests;
    }

    /// A KILL QUERY of the request that is answered does not end the next one.
    #[inline]
    pub(crate) fn outlive_kill(&self) {
        if self.is_working
            && let Some(process) = &self.process
        {
            process.end_request();
        }
    }

    #[cold]
    fn tell(&self, accesses: &ClientAccesses) {
        let (connection, door, host) = (self.connection(), self.logins.door, self.host());
        let user = self.user().unwrap_or_default();
        accesses.tell(&AuditSubject { connection, door, user, host: &host });
    }

    /// The request in front is begun again, here or elsewhere.
    #[inline]
    pub fn forget_accesses(&self) {
        key_requests::forget();
        if let Some(accesses) = &self.accesses {
            accesses.forget();
        }
    }

    /// What the audit log is to have of its requests; `None`: nothing.
    #[inline]
    pub(crate) fn accesses(&self) -> Option<&Arc<ClientAccesses>> {
        self.accesses.as_ref()
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

    /// It has shown the secret; whether it may ask for something.
    pub fn show_secret(&mut self) -> bool {
        self.failures = 0;
        let is_in = self.act_as(Some(self.logins.trusted()));
        if is_in {
            self.note_login();
        }
        is_in
    }

    /// It has said that it needs no login: it acts as one that has not said anything.
    pub fn go_without(&mut self) -> bool {
        self.act_as(self.logins.standing(self.peer))
    }

    /// It sends a password; the audit log is told what became of that.
    pub fn log_in(&mut self, user: &str, password: &[u8], may_wait: bool) -> LoginOutcome {
        let outcome = self.prove(user, password, may_wait);
        if outcome == LoginOutcome::Accepted {
            self.note_login();
        }
        outcome
    }

    /// The audit log is told that it has logged in.
    pub fn note_login(&mut self) {
        if self.logins.accounts.audit().is_none() {
            return;
        }
        let (connection, host) = (self.connection(), self.host());
        let user = self.user().unwrap_or_default().to_owned();
        self.logins.audit((connection, &user, &host), &AuditEvent::Connect { status: 0 });
        self.noted = Some(NotedLogin { logins: Arc::clone(&self.logins), connection, user, host });
    }

    /// It is the same login as one before, which this takes the place of.
    pub fn continue_login(&mut self, before: &mut DoorClient) {
        self.noted = before.noted.take();
    }

    fn note_refused(&self, user: &str, status: u16) {
        let event = AuditEvent::Connect { status };
        self.logins.audit((self.connection(), user, &self.host()), &event);
    }

    /// Its connection's number, if it is listed.
    fn connection(&self) -> u32 {
        self.process.as_ref().map_or(0, |process| process.id())
    }

    /// It sends a password. Of one that is right the audit log is told by `note_login`.
    pub fn prove(&mut self, user: &str, password: &[u8], may_wait: bool) -> LoginOutcome {
        let host = self.host();
        let encryption = self.encryption.as_deref();
        let peer = Peer { host: &host, loopback: self.loopback };
        match self.logins.accounts.log_in((user, peer), password, encryption, may_wait) {
            PasswordLogin::Accepted(principal) => {
                self.failures = 0;
                match self.act_as(Some(principal)) {
                    true => LoginOutcome::Accepted,
                    false => {
                        let reached = self.beyond.as_ref().map(sql::limit_reached);
                        let status = reached.map_or(0, |error| error.code().number());
                        self.note_refused(user, status);
                        LoginOutcome::Limited
                    }
                }
            }
            PasswordLogin::Denied => LoginOutcome::Denied(self.deny(user)),
            PasswordLogin::Wait => LoginOutcome::Wait,
        }
    }

    /// What it has shown is wrong: how late it is told so.
    pub fn deny(&mut self, user: &str) -> Duration {
        self.act_as(None);
        self.failures += 1;
        self.note_refused(user, ErrorCode::AccessDenied.number());
        self.logins.failed.note(user, self.peer)
    }

    /// Its host as SQL shows it.
    pub fn host(&self) -> String {
        self.peer.map_or_else(|| "localhost".to_owned(), |peer| peer.to_string())
    }
}
