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
//! a switch; only the last one's failure is the login's. A password that is retained belongs to the
//! way that SET PASSWORD changes.
//!
//! Invariants
//! 1. A password is kept only as digests; what crosses the network is never enough to log in again,
//!    with either method, unless a client chooses to send its password bare.
//! 2. An account whose password is known as both digests takes either method, so that no client
//!    needs a second round trip.
//! 3. Slow work (RSA, the slow hash, reading who a user of the system is) is done only where
//!    waiting is allowed.
//! 4. A name that nobody has is answered as one with another password. In the exchange it is asked
//!    what some account is asked, which the name alone chooses; at doors that are sent the password
//!    every wrong one takes the same work, whichever ways an account has.
//!
//! Not here: the arithmetic (crate `passwords`), which addresses may connect (crate `server`),
//! privileges, the packets around the exchange (`handshake`, `encode`).

mod exchange;
mod secret;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock};

use passwords::crypt::{self, StoredHash};
use passwords::{KeyPair, Scramble, caching_sha2_digest, equal_secretly};

use access::host::Peer;
use access::{AccessControl, AccountName, Grants, LoginBlock, TlsNeed};
use tls::Encryption;

use crate::peer::peer_tls;

pub use exchange::{Exchange, Step};
pub use secret::Secret;
use secret::SlowKind;

/// Passwords that are remembered as proved.
const PROVEN_MAX: usize = 65_536;
/// Accounts of which one is chosen for a name that nobody has.
const DECOYS_MAX: usize = 256;

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
    slow_work: Arc<Mutex<Option<SlowWork>>>,
}

/// What a wrong password is tried on, so that all of them take the same work.
#[derive(Clone, Debug)]
struct SlowWork {
    /// Of the accounts at this version.
    version: u64,
    /// Of each slow kind, the secrets of the account that has most work with them.
    secrets: Arc<[Vec<Secret>; SlowKind::COUNT]>,
}

/// Salt and hash.
type ProvenKey = ([u8; crypt::SALT_BYTES], [u8; crypt::HASH_CHARS]);

/// The password of a way to log in, and the one before it if that still holds.
type LoginSecrets = Vec<Secret>;

/// What a login has to prove, and whose it is.
#[derive(Clone, Debug)]
struct Credential {
    /// The ways to log in, in their order, at least one.
    ways: Vec<LoginSecrets>,
    account: Option<AccountName>,
    is_locked: bool,
    tls_need: TlsNeed,
    /// Nobody's: proving it helps nobody.
    is_decoy: bool,
}

impl Credential {
    /// A user of the settings file, until more is said.
    fn of(ways: Vec<LoginSecrets>) -> Credential {
        Credential {
            ways,
            account: None,
            is_locked: false,
            tls_need: TlsNeed::None,
            is_decoy: false,
        }
    }
}

/// The ways of an account of SQL.
fn ways(account: &access::Account) -> Vec<LoginSecrets> {
    let mut ways: Vec<LoginSecrets> =
        account.ways().map(|(plugin, stored)| vec![Secret::stored(plugin, stored)]).collect();
    let retained = account.retained.as_deref().filter(|stored| !stored.is_empty());
    if let (Some(place), Some((plugin, _)), Some(retained)) =
        (account.password_place(), account.password_way(), retained)
    {
        ways[place].push(Secret::stored(plugin, retained));
    }
    ways
}

/// The work that secrets of a kind are.
fn rounds_of<'a>(kind: SlowKind, secrets: impl IntoIterator<Item = &'a Secret>) -> u64 {
    let of_kind = secrets.into_iter().filter(|secret| secret.slow_kind() == Some(kind));
    of_kind.map(Secret::rounds).sum()
}

/// The work that a wrong password takes beyond that of the account's own secrets.
fn work_off(work: &[Vec<Secret>; SlowKind::COUNT], own: &[&Secret], password: &[u8]) {
    for (kind, secrets) in SlowKind::ALL.into_iter().zip(work) {
        let mut done = rounds_of(kind, own.iter().copied());
        let most = rounds_of(kind, secrets);
        for secret in secrets {
            if done < most {
                // Somebody else's password: whether it is right helps nobody.
                std::hint::black_box(secret.matches(password));
                done += secret.rounds();
            }
        }
    }
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
            slow_work: Arc::default(),
        }
    }

    /// These and the accounts of SQL.
    pub(crate) fn with_accounts(self, accounts: &Arc<AccessControl>) -> Users {
        if !self.secrets.is_empty() {
            accounts.close_first_account();
        }
        Users { accounts: Some(Arc::clone(accounts)), ..self }
    }

    /// What a client has to prove that calls itself so: for a name that nobody has something that
    /// helps it nothing.
    fn credential(&self, user: &str, peer: Peer<'_>) -> Option<Credential> {
        self.known(user, peer).or_else(|| self.decoy(user))
    }

    /// What somebody has to prove who is called so.
    fn known(&self, user: &str, peer: Peer<'_>) -> Option<Credential> {
        if let Some(secret) = self.secrets.get(user) {
            return Some(Credential::of(vec![vec![secret.clone()]]));
        }
        let accounts = self.accounts.as_ref()?;
        let grants = accounts.grants();
        let (name, account) = grants.login(user, &peer)?;
        let credential = Credential {
            account: Some(name.clone()),
            is_locked: account.locked,
            tls_need: account.tls_need.clone(),
            ..Credential::of(ways(account))
        };
        (!accounts.is_closed(name, account)).then_some(credential)
    }

    /// The ways of some account with a password, for a name that nobody has. The choice is by the
    /// name and by what is stored: the name gets the same each time, and nobody can tell which.
    fn decoy(&self, user: &str) -> Option<Credential> {
        let grants = self.grants();
        let configured = self.secrets.values().map(|secret| vec![vec![secret.clone()]]);
        let accounts = grants.iter().flat_map(|grants| grants.accounts().values());
        let all = configured.chain(accounts.map(|account| ways(account)));
        let is_closed = |ways: &Vec<LoginSecrets>| {
            let mut secrets = ways.iter().flatten();
            secrets.clone().all(|secret| *secret != Secret::Empty)
                && secrets.any(|secret| !matches!(secret, Secret::Socket(_)))
        };
        let choice = |ways: &Vec<LoginSecrets>| {
            let mut hasher = DefaultHasher::new();
            (user, ways).hash(&mut hasher);
            hasher.finish()
        };
        let mut ways = all.filter(is_closed).take(DECOYS_MAX).max_by_key(choice)?;
        for secret in ways.iter_mut().flatten() {
            secret.disguise(user);
        }
        Some(Credential { is_decoy: true, ..Credential::of(ways) })
    }

    fn grants(&self) -> Option<Arc<Grants>> {
        self.accounts.as_ref().map(|accounts| accounts.grants())
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
    pub(crate) fn prove<'p>(
        &self,
        user: &str,
        peer: impl Into<Peer<'p>>,
        password: &[u8],
        encryption: Option<&Encryption>,
        may_wait: bool,
    ) -> PasswordVerdict {
        let credential = self.known(user, peer.into());
        let ways = credential.as_ref().map_or(&[][..], |credential| &credential.ways);
        let secrets: Vec<&Secret> = ways.iter().flatten().collect();
        let digest = caching_sha2_digest(password);
        let is_known = |secret: &&Secret| match secret {
            Secret::Slow(hash) => {
                self.proven_digest(hash).is_some_and(|proven| equal_secretly(&proven, &digest))
            }
            Secret::Parsec(_) => false,
            quick => quick.matches(password),
        };
        let mut is_proven = secrets.iter().any(is_known);
        if !is_proven {
            let work = self.slow_work();
            if !may_wait && work.iter().flatten().next().is_some() {
                return PasswordVerdict::Wait;
            }
            let proved = secrets
                .iter()
                .find(|secret| secret.slow_kind().is_some() && secret.matches(password));
            match proved {
                Some(secret) => self.remember(secret, password),
                None => work_off(&work, &secrets, password),
            }
            is_proven = proved.is_some();
        }
        let Some(credential) = credential else { return PasswordVerdict::Denied };
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

    /// What a wrong password is tried on, by kind.
    fn slow_work(&self) -> Arc<[Vec<Secret>; SlowKind::COUNT]> {
        let grants = self.grants();
        let version = grants.as_ref().map_or(0, |grants| grants.version);
        let mut kept = self.slow_work.lock().expect("no panic while held");
        if let Some(work) = kept.as_ref().filter(|work| work.version == version) {
            return Arc::clone(&work.secrets);
        }
        let mut most: [Vec<Secret>; SlowKind::COUNT] = Default::default();
        let accounts = grants.iter().flat_map(|grants| grants.accounts().values());
        let of_accounts = accounts.map(|account| ways(account).into_iter().flatten().collect());
        let configured = self.secrets.values().map(|secret| vec![secret.clone()]);
        for secrets in of_accounts.chain(configured) {
            for kind in SlowKind::ALL {
                if rounds_of(kind, &secrets) > rounds_of(kind, &most[kind as usize]) {
                    let of_kind = |secret: &&Secret| secret.slow_kind() == Some(kind);
                    most[kind as usize] = secrets.iter().filter(of_kind).cloned().collect();
                }
            }
        }
        let secrets = Arc::new(most);
        *kept = Some(SlowWork { version, secrets: Arc::clone(&secrets) });
        secrets
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

#[cfg(test)]
mod tests;
