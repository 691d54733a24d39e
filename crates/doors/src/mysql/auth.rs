//! Authentication: accounts, and the exchange that proves a password.
//!
//! ```text
//! client                                server
//!   login, method, proof           ->     the method's check on the scramble
//!                                  <-     OK, or ERR 1045, or
//!                                  <-     switch: "use that method, on this scramble"
//!   proof                          ->
//!                                  <-     fast: OK   (mysql_native_password, known digest)
//!                                  <-     full: "send the password"   (only a slow hash is known)
//!   "your public key"              ->
//!                                  <-     key
//!   RSA(password xor scramble)     ->     OK or ERR     (or, where nobody listens, the password)
//! ```
//!
//! Methods that sign fresh bytes (`passwords::signed`) begin with a switch; parsec's client asks
//! for its salt in between. An account with several ways is asked for them in their order, each by
//! a switch; only the last one's failure is the login's.
//!
//! Invariants
//! 1. A password is kept only as digests; what crosses the network is never enough to log in again,
//!    with either method, unless a client chooses to send its password bare.
//! 2. An account whose password is known as both digests takes either method, so that no client
//!    needs a second round trip.
//! 3. Slow work (RSA, the slow hash, reading who a user of the system is) is done only where
//!    waiting is allowed.
//! 4. A name that nobody has is answered as one with another password: where some account has a
//!    slow hash, by the exchange that such an account needs, and in its time.
//!
//! Not here: the arithmetic (crate `passwords`), which addresses may connect (crate `server`),
//! privileges, the packets around the exchange (`handshake`, `encode`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use passwords::{
    CACHING_SHA2, KeyPair, NATIVE, PUBLIC_KEY_REQUEST, Scramble, caching_sha2_digest,
    caching_sha2_proves, certificate_proof, equal_secretly, native_digest, native_proves,
};

use super::handshake::Login;
use crate::peer::peer_tls;
use access::host::Peer;
use access::secret::{NO_PASSWORD, Plugin};
use access::{AccessControl, AccountName, LoginBlock, TlsNeed};
use passwords::crypt::{self, StoredHash};
use passwords::signed::{
    CLIENT_ED25519, Nonce, PARSEC, ParsecHint, ParsecKey, PublicKey, ed25519_key, is_signed,
    public_key,
};
use tls::Encryption;

/// Passwords that are remembered as proved.
const PROVEN_MAX: usize = 65_536;

/// What is known of an account's password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// The empty password.
    Empty,
    /// Both digests of a password that was known when the account was configured.
    Both {
        /// SHA1(SHA1(password)).
        native: [u8; 20],
        /// SHA256(SHA256(password)).
        sha2: [u8; 32],
    },
    /// A password that nobody has.
    Nobody,
    /// MySQL's `*` and 40 hexadecimal digits: mysql_native_password only.
    Native([u8; 20]),
    /// MySQL's `$A$...`: caching_sha2_password only.
    Slow(StoredHash),
    /// MariaDB's ed25519: a public key.
    Signed(PublicKey),
    /// MariaDB's parsec.
    Parsec(ParsecKey),
    /// No password: at the other end of a UNIX socket is the user of the system who is called so,
    /// or with an empty name the one who is called as the client calls itself.
    Socket(String),
}

impl Secret {
    /// From a configured password: empty, one of MySQL's stored forms, or the password itself.
    pub fn new(password: &str) -> Secret {
        if password.is_empty() {
            return Secret::Empty;
        }
        if let Some(native) = password.strip_prefix('*').and_then(hexadecimal) {
            return Secret::Native(native);
        }
        if let Some(hash) = StoredHash::parse(password.as_bytes()) {
            return Secret::Slow(hash);
        }
        let password = password.as_bytes();
        Secret::Both { native: native_digest(password), sha2: caching_sha2_digest(password) }
    }

    /// What an account stores for a plugin.
    fn stored(plugin: Plugin, stored: &str) -> Secret {
        match plugin {
            Plugin::Socket => Secret::Socket(stored.to_owned()),
            _ if stored.is_empty() => Secret::Empty,
            Plugin::Native if stored == NO_PASSWORD => Secret::Nobody,
            Plugin::CachingSha2 | Plugin::Native => Secret::new(stored),
            Plugin::Ed25519 => ed25519_key(stored).map_or(Secret::Nobody, Secret::Signed),
            Plugin::Parsec => ParsecKey::parse(stored).map_or(Secret::Nobody, Secret::Parsec),
        }
    }

    /// The method that proves it, where a client began with another one; `None`: any will do.
    fn method(&self) -> Option<&'static str> {
        match self {
            Secret::Native(_) | Secret::Nobody => Some(NATIVE),
            Secret::Slow(_) => Some(CACHING_SHA2),
            Secret::Signed(_) => Some(CLIENT_ED25519),
            Secret::Parsec(_) => Some(PARSEC),
            Secret::Empty | Secret::Both { .. } | Secret::Socket(_) => None,
        }
    }

    /// Whether it takes long to try a password.
    fn is_slow(&self) -> bool {
        matches!(self, Secret::Slow(_) | Secret::Parsec(_))
    }

    /// Whether a configured text is one of MySQL's stored forms of a password.
    pub fn is_stored_form(text: &str) -> bool {
        matches!(Secret::new(text), Secret::Native(_) | Secret::Slow(_))
    }

    fn matches(&self, password: &[u8]) -> bool {
        match self {
            Secret::Empty => password.is_empty(),
            Secret::Both { sha2, .. } => equal_secretly(&caching_sha2_digest(password), sha2),
            Secret::Native(native) => equal_secretly(&native_digest(password), native),
            Secret::Slow(hash) => hash.matches(password),
            Secret::Signed(key) => equal_secretly(&public_key(password), key),
            Secret::Parsec(key) => key.matches(password),
            Secret::Nobody | Secret::Socket(_) => false,
        }
    }
}

/// A name that may log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The user name, compared with case.
    pub name: String,
    /// Its password.
    pub secret: Secret,
}

/// All accounts of a server, shared by its connections. A clone remembers the same proved
/// passwords: what one door has proved another one knows.
#[derive(Clone, Debug)]
pub struct Users {
    secrets: Arc<HashMap<String, Secret>>,
    /// Those of SQL; a name that is among the configured ones is theirs.
    accounts: Option<Arc<AccessControl>>,
    /// SHA256(SHA256(password)) of slow hashes whose password was proved since the start: the
    /// "caching" of caching_sha2_password.
    proven: Arc<Mutex<HashMap<ProvenKey, [u8; 32]>>>,
    key: Arc<OnceLock<Option<KeyPair>>>,
    /// What nobody's password makes.
    decoy: Arc<OnceLock<Secret>>,
}

/// Salt and hash.
type ProvenKey = ([u8; crypt::SALT_BYTES], [u8; crypt::HASH_CHARS]);

/// What a login has to prove, and whose it is.
#[derive(Clone, Debug)]
struct Credential {
    /// The ways to log in, in their order, at least one: each with its password, and the one before
    /// it if that still holds.
    ways: Vec<Vec<Secret>>,
    account: Option<AccountName>,
    is_locked: bool,
    tls_need: TlsNeed,
    /// Nobody's: proving it helps nobody.
    is_decoy: bool,
}

impl Users {
    /// No configured users: those of SQL alone, among which `root` of a fresh server is.
    pub fn unconfigured() -> Users {
        Users::new([])
    }

    /// These accounts; of two with the same name the last counts.
    pub fn new(accounts: impl IntoIterator<Item = Account>) -> Users {
        let secrets = accounts.into_iter().map(|account| (account.name, account.secret));
        Users {
            secrets: Arc::new(secrets.collect()),
            accounts: None,
            proven: Arc::default(),
            key: Arc::default(),
            decoy: Arc::default(),
        }
    }

    /// These and the accounts of SQL.
    pub(crate) fn with_accounts(self, accounts: &Arc<AccessControl>) -> Users {
        if !self.secrets.is_empty() {
            accounts.close_first_account();
        }
        Users { accounts: Some(Arc::clone(accounts)), ..self }
    }

    /// What a client has to prove that calls itself so.
    fn credential(&self, user: &str, host: &str) -> Option<Credential> {
        let of = |ways, account, is_locked| Credential {
            ways,
            account,
            is_locked,
            tls_need: TlsNeed::None,
            is_decoy: false,
        };
        if let Some(secret) = self.secrets.get(user) {
            return Some(of(vec![vec![secret.clone()]], None, false));
        }
        let accounts = self.accounts.as_ref()?;
        let grants = accounts.grants();
        if let Some((name, account)) = grants.login(user, &Peer { host })
            && !accounts.is_closed(name, account)
        {
            let retained = account.retained.as_deref().filter(|stored| !stored.is_empty());
            let mut ways: Vec<Vec<Secret>> = account
                .ways()
                .map(|(plugin, stored)| vec![Secret::stored(plugin, stored)])
                .collect();
            ways[0].extend(retained.map(|stored| Secret::stored(account.plugin, stored)));
            let credential = of(ways, Some(name.clone()), account.locked);
            return Some(Credential { tls_need: account.tls_need.clone(), ..credential });
        }
        let is_slow = grants
            .accounts()
            .values()
            .any(|account| account.plugin == Plugin::CachingSha2 && !account.stored.is_empty());
        is_slow.then(|| Credential { is_decoy: true, ..of(vec![vec![self.decoy()]], None, false) })
    }

    /// Whether a user of the settings file has this name.
    pub(crate) fn is_configured(&self, user: &str) -> bool {
        self.secrets.contains_key(user)
    }

    /// Whether nobody can log in but `root` of a fresh server, who has no password.
    pub(crate) fn are_fresh(&self) -> bool {
        self.secrets.is_empty() && self.accounts.as_ref().is_none_or(|all| all.is_fresh())
    }

    /// Whether a client that sends its password is let in, without an exchange. `encryption`: how
    /// its connection is encrypted, if it is.
    pub(crate) fn prove(
        &self,
        user: &str,
        host: &str,
        password: &[u8],
        encryption: Option<&Encryption>,
        may_wait: bool,
    ) -> PasswordVerdict {
        let Some(mut credential) = self.credential(user, host) else {
            return PasswordVerdict::Denied;
        };
        let is_by_socket = |way: &Vec<Secret>| matches!(way[..], [Secret::Socket(_)]);
        if credential.ways.iter().all(is_by_socket) {
            // No password is right, and none takes less time than a wrong one.
            credential.ways = vec![vec![self.decoy()]];
            credential.is_decoy = true;
        }
        let digest = caching_sha2_digest(password);
        let is_known = |secret: &Secret| match secret {
            Secret::Slow(hash) => {
                self.proven_digest(hash).is_some_and(|proven| equal_secretly(&proven, &digest))
            }
            Secret::Parsec(_) => false,
            quick => quick.matches(password),
        };
        let secrets = || credential.ways.iter().flatten();
        let mut is_proven = secrets().any(is_known);
        if !is_proven {
            for secret in secrets().filter(|secret| secret.is_slow()) {
                if !may_wait {
                    return PasswordVerdict::Wait;
                }
                if secret.matches(password) && !credential.is_decoy {
                    self.remember(secret, password);
                    is_proven = true;
                    break;
                }
            }
        }
        let is_open = self.note_login(credential.account.as_ref(), is_proven).is_ok();
        let tls = encryption.map(peer_tls);
        let is_let_in = is_proven
            && is_open
            && !credential.is_locked
            && credential.tls_need.is_met(tls.as_ref());
        match is_let_in {
            true => PasswordVerdict::Accepted(credential.account),
            false => PasswordVerdict::Denied,
        }
    }

    /// Takes note of a login that was decided: of which account, and whether its password was
    /// proved.
    ///
    /// # Errors
    /// The account is locked after failed logins.
    pub(crate) fn note_login(
        &self,
        account: Option<&AccountName>,
        is_proven: bool,
    ) -> Result<(), LoginBlock> {
        match (account, &self.accounts) {
            (Some(name), Some(accounts)) => accounts.note_login(name, is_proven),
            _ => Ok(()),
        }
    }

    fn decoy(&self) -> Secret {
        let made = || {
            let password: String = new_scramble().iter().map(|byte| char::from(*byte)).collect();
            Secret::new(&Plugin::CachingSha2.store(&password))
        };
        self.decoy.get_or_init(made).clone()
    }

    /// The key pair, made at its first use; `None` when the system gives no randomness.
    fn key(&self) -> Option<&KeyPair> {
        self.key.get_or_init(KeyPair::new).as_ref()
    }

    fn proven_digest(&self, hash: &StoredHash) -> Option<[u8; 32]> {
        self.proven.lock().expect("no panic while held").get(&hash.key()).copied()
    }

    fn remember(&self, secret: &Secret, password: &[u8]) {
        let Secret::Slow(hash) = secret else { return };
        let digest = caching_sha2_digest(password);
        let mut proven = self.proven.lock().expect("no panic while held");
        if proven.len() >= PROVEN_MAX {
            proven.clear();
        }
        proven.insert(hash.key(), digest);
    }

    /// The password in a client's answer to `AskPassword`, without its final zero: sealed, or bare,
    /// as MySQL's clients send it where nobody can listen (a UNIX socket).
    fn password(&self, answer: &[u8], scramble: &Scramble) -> Option<Vec<u8>> {
        // No client can have sealed it with a key that was not made yet.
        let key = self.key.get().and_then(Option::as_ref);
        let sealed = key.and_then(|key| key.open(answer, scramble));
        sealed.or_else(|| answer.strip_suffix(&[0]).map(<[u8]>::to_vec))
    }
}

/// What is said to a client that has sent its password itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PasswordVerdict {
    /// It is let in: as an account of SQL, or as a configured user.
    Accepted(Option<AccountName>),
    /// It is not.
    Denied,
    /// The same must be asked where waiting is allowed.
    Wait,
}

/// What to do next about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Let the client in. `fast`: after telling it `FAST_SUCCESS`.
    Accept {
        /// Whether the method expects `FAST_SUCCESS` before OK.
        fast: bool,
    },
    /// Error 1045. `password`: whether the client gave one.
    Deny {
        /// Whether the client used a password, which the error says.
        password: bool,
    },
    /// Ask the client to use another method, on the same scramble.
    Switch(&'static str),
    /// Ask for the password itself.
    AskPassword,
    /// Tell the client what its method makes the proof from.
    Tell(ParsecHint),
    /// Send the public key.
    SendKey(&'a str),
    /// The same packet must be looked at where waiting is allowed.
    Wait,
}

/// A login under way.
#[derive(Debug)]
pub struct Exchange {
    user: String,
    scramble: Scramble,
    /// Fresh bytes of the methods that sign them.
    nonce: Nonce,
    method: &'static str,
    full: bool,
    /// Which way of the account is tried.
    way: usize,
    /// Whether the client understands a request for another method.
    can_switch: bool,
    /// Whether it was told what parsec makes the proof from.
    is_told: bool,
    credential: Option<Credential>,
    /// The user of the system who has connected through a UNIX socket, by its number.
    peer_uid: Option<u32>,
}

/// Fresh bytes for a greeting; printable, as some clients treat them as a C string.
pub fn new_scramble() -> Scramble {
    std::array::from_fn(|_| {
        // '$' separates fields in MySQL's stored form; the server there leaves it out as well.
        match rand::random_range(33..=126u8) {
            b'$' => b'!',
            byte => byte,
        }
    })
}

impl Exchange {
    /// Begins with the client's login and says what to do next.
    pub fn begin<'a>(
        users: &'a Users,
        login: &Login<'_>,
        scramble: Scramble,
        host: &str,
        peer_uid: Option<u32>,
    ) -> (Exchange, Step<'a>) {
        let user = String::from_utf8_lossy(login.user).into_owned();
        // A client that names no method speaks the one from before there were names.
        let named = if login.method.is_empty() { NATIVE.as_bytes() } else { login.method };
        let known = [NATIVE, CACHING_SHA2].into_iter().find(|name| name.as_bytes() == named);
        let credential = users.credential(&user, host);
        let method = known.unwrap_or(CACHING_SHA2);
        let can_switch = !login.method.is_empty();
        let mut exchange = Exchange {
            user,
            scramble,
            nonce: rand::random(),
            method,
            full: false,
            way: 0,
            can_switch,
            is_told: false,
            credential,
            peer_uid,
        };
        if exchange.is_by_socket() {
            return (exchange, Step::Wait);
        }
        let secret = exchange.secrets().first();
        let wanted = secret.and_then(Secret::method).unwrap_or(exchange.method);
        // An empty proof may mean that the client had no scramble for its method: it named another
        // than the greeting did, or (MySQL's own library) it changes its user.
        let unproven = is_empty_proof(login.proof) && !matches!(secret, Some(Secret::Empty));
        if known != Some(wanted) || unproven {
            exchange.method = wanted;
            // A client that names no method does not understand the request either.
            let step = match can_switch {
                false => Step::Deny { password: !is_empty_proof(login.proof) },
                true => Step::Switch(wanted),
            };
            return (exchange, step);
        }
        let step = exchange.check(users, login.proof);
        let step = exchange.or_next_way(step);
        (exchange, step)
    }

    /// What proves the way that is tried; nothing of a name that nobody has.
    fn secrets(&self) -> &[Secret] {
        self.credential.as_ref().map_or(&[], |credential| &credential.ways[self.way])
    }

    /// Where the client has failed and its account has another way, that is tried.
    fn or_next_way<'a>(&mut self, step: Step<'a>) -> Step<'a> {
        let ways = self.credential.as_ref().map_or(0, |credential| credential.ways.len());
        if !matches!(step, Step::Deny { .. }) || self.way + 1 >= ways {
            return step;
        }
        self.way += 1;
        self.full = false;
        if self.is_by_socket() {
            return Step::Wait;
        }
        if !self.can_switch {
            return step;
        }
        self.method = self.secrets().first().and_then(Secret::method).unwrap_or(NATIVE);
        Step::Switch(self.method)
    }

    /// What the client is sent with a request for the method.
    pub fn fresh_bytes(&self) -> Vec<u8> {
        match self.method {
            CLIENT_ED25519 | PARSEC => self.nonce.to_vec(),
            // A text in C, to clients.
            _ => [&self.scramble[..], &[0]].concat(),
        }
    }

    /// The user name that was given.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What proves to a client that was let in that a certificate is the server's own, if its
    /// method has that.
    pub fn certificate_proof(&self, fingerprint: &[u8; 32]) -> Option<String> {
        let stored = match self.secrets().first()? {
            Secret::Both { native, .. } | Secret::Native(native) if self.method == NATIVE => {
                native.to_vec()
            }
            Secret::Signed(key) => key.to_vec(),
            Secret::Parsec(key) => key.bytes(),
            _ => return None,
        };
        Some(certificate_proof(&stored, &self.scramble, fingerprint))
    }

    /// The account of SQL that the client is; `None` for a configured user.
    pub fn account(&self) -> Option<&AccountName> {
        self.credential.as_ref()?.account.as_ref()
    }

    /// Whether that is locked: nobody comes in.
    pub fn is_locked(&self) -> bool {
        self.credential.as_ref().is_some_and(|credential| credential.is_locked)
    }

    /// How the connection must be encrypted.
    pub fn tls_need(&self) -> &TlsNeed {
        self.credential.as_ref().map_or(&TlsNeed::None, |credential| &credential.tls_need)
    }

    /// The client's next packet.
    pub fn answer<'a>(&mut self, users: &'a Users, payload: &[u8], may_wait: bool) -> Step<'a> {
        let step = self.try_answer(users, payload, may_wait);
        self.or_next_way(step)
    }

    fn try_answer<'a>(&mut self, users: &'a Users, payload: &[u8], may_wait: bool) -> Step<'a> {
        if let (false, [Secret::Parsec(key), ..]) = (self.is_told, self.secrets()) {
            let told = key.told();
            self.is_told = true;
            return match payload {
                [] => Step::Tell(told),
                _ => Step::Deny { password: true },
            };
        }
        if !self.full && !self.is_by_socket() {
            return self.check(users, payload);
        }
        if !may_wait {
            return Step::Wait;
        }
        if self.is_by_socket() {
            return self.check_peer();
        }
        if payload == PUBLIC_KEY_REQUEST {
            return match users.key() {
                Some(key) => Step::SendKey(key.public_pem()),
                None => Step::Deny { password: true },
            };
        }
        let password = users.password(payload, &self.scramble);
        let (Some(password), Some(credential)) = (password, &self.credential) else {
            return Step::Deny { password: true };
        };
        match self.secrets().iter().find(|secret| secret.matches(&password)) {
            Some(secret) if !credential.is_decoy => {
                users.remember(secret, &password);
                Step::Accept { fast: false }
            }
            _ => Step::Deny { password: true },
        }
    }

    /// Whether the account is one of those who come through a UNIX socket.
    pub fn is_by_socket(&self) -> bool {
        matches!(self.secrets(), [Secret::Socket(_)])
    }

    /// Asks the system who is at the other end of the socket.
    fn check_peer(&self) -> Step<'static> {
        let name = self.peer_uid.and_then(system_user);
        let is_so = |secret: &Secret, name: &str| match secret {
            Secret::Socket(wanted) => *wanted == name || self.user == name,
            _ => false,
        };
        match (self.secrets(), name) {
            ([secret, ..], Some(name)) if is_so(secret, &name) => Step::Accept { fast: false },
            _ => Step::Deny { password: false },
        }
    }

    /// Checks a proof by the current method.
    fn check(&mut self, users: &Users, proof: &[u8]) -> Step<'static> {
        let password = !is_empty_proof(proof);
        let deny = Step::Deny { password };
        let fast = self.method == CACHING_SHA2;
        let proves = |digest: [u8; 32]| caching_sha2_proves(proof, &self.scramble, &digest);
        let mut needs_password = false;
        for secret in self.secrets() {
            let is_proven = match secret {
                Secret::Empty => !password,
                Secret::Nobody | Secret::Socket(_) => false,
                Secret::Signed(key) => is_signed(key, &self.nonce, proof),
                Secret::Parsec(key) => key.proves(&self.nonce, proof),
                Secret::Both { sha2, .. } if fast => proves(*sha2),
                Secret::Both { native, .. } | Secret::Native(native) => {
                    native_proves(proof, &self.scramble, native)
                }
                Secret::Slow(hash) => {
                    needs_password |= password;
                    users.proven_digest(hash).is_some_and(proves)
                }
            };
            if is_proven {
                let is_sealed = matches!(secret, Secret::Both { .. } | Secret::Slow(_));
                return Step::Accept { fast: fast && is_sealed };
            }
        }
        if needs_password {
            self.full = true;
            return Step::AskPassword;
        }
        deny
    }
}

/// Clients prove the empty password by nothing or, as a C string, by a zero byte.
fn is_empty_proof(proof: &[u8]) -> bool {
    matches!(proof, [] | [0])
}

/// The name of a user of the system, by `/etc/passwd`.
fn system_user(uid: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.get(2).is_some_and(|own| own.parse() == Ok(uid)))?;
    found.first().map(|name| (*name).to_owned())
}

fn hexadecimal(digits: &str) -> Option<[u8; 20]> {
    let mut bytes = [0; 20];
    if digits.len() != 40 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
