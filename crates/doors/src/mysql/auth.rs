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
//! Invariants
//! 1. A password is kept only as digests; what crosses the network is never enough to log in
//!    again, with either method, unless a client chooses to send its password bare.
//! 2. An account whose password is known as both digests takes either method, so that no client
//!    needs a second round trip.
//! 3. Slow work (RSA, the slow hash) is done only where waiting is allowed.
//!
//! Not here: the arithmetic (crate `passwords`), which addresses may connect (crate `server`),
//! privileges, the packets around the exchange (`handshake`, `encode`).

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use passwords::{
    CACHING_SHA2, KeyPair, NATIVE, PUBLIC_KEY_REQUEST, Scramble, caching_sha2_digest,
    caching_sha2_proves, certificate_proof, equal_secretly, native_digest, native_proves,
};

use super::handshake::Login;
use passwords::crypt::StoredHash;

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
    /// MySQL's `*` and 40 hexadecimal digits: mysql_native_password only.
    Native([u8; 20]),
    /// MySQL's `$A$...`: caching_sha2_password only.
    Slow(StoredHash),
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

/// All accounts of a server, shared by its connections.
#[derive(Debug)]
pub struct Users {
    secrets: HashMap<String, Secret>,
    /// SHA256(SHA256(password)) of `Secret::Slow` accounts that have logged in since the start:
    /// the "caching" of caching_sha2_password.
    proven: Mutex<HashMap<String, [u8; 32]>>,
    key: OnceLock<Option<KeyPair>>,
}

impl Users {
    /// What holds until users are configured: `root` without a password.
    pub fn unconfigured() -> Users {
        Users::new([Account { name: "root".to_owned(), secret: Secret::Empty }])
    }

    /// These accounts; of two with the same name the last counts.
    pub fn new(accounts: impl IntoIterator<Item = Account>) -> Users {
        let secrets = accounts.into_iter().map(|account| (account.name, account.secret)).collect();
        Users { secrets, proven: Mutex::default(), key: OnceLock::new() }
    }

    /// The key pair, made at its first use; `None` when the system gives no randomness.
    fn key(&self) -> Option<&KeyPair> {
        self.key.get_or_init(KeyPair::new).as_ref()
    }

    fn proven_digest(&self, user: &str) -> Option<[u8; 32]> {
        self.proven.lock().expect("no panic while held").get(user).copied()
    }

    fn remember(&self, user: &str, password: &[u8]) {
        let digest = caching_sha2_digest(password);
        self.proven.lock().expect("no panic while held").insert(user.to_owned(), digest);
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
    method: &'static str,
    full: bool,
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
    ) -> (Exchange, Step<'a>) {
        let user = String::from_utf8_lossy(login.user).into_owned();
        // A client that names no method speaks the one from before there were names.
        let named = if login.method.is_empty() { NATIVE.as_bytes() } else { login.method };
        let known = [NATIVE, CACHING_SHA2].into_iter().find(|name| name.as_bytes() == named);
        let mut exchange =
            Exchange { user, scramble, method: known.unwrap_or(CACHING_SHA2), full: false };
        let secret = users.secrets.get(&exchange.user);
        let wanted = match secret {
            Some(Secret::Native(_)) => NATIVE,
            Some(Secret::Slow(_)) => CACHING_SHA2,
            Some(Secret::Empty | Secret::Both { .. }) | None => exchange.method,
        };
        // An empty proof may mean that the client had no scramble for its method: it named another
        // than the greeting did, or (MySQL's own library) it changes its user.
        let unproven = is_empty_proof(login.proof) && !matches!(secret, Some(Secret::Empty));
        if known != Some(wanted) || unproven {
            exchange.method = wanted;
            // A client that names no method does not understand the request either.
            let step = match login.method {
                b"" => Step::Deny { password: !is_empty_proof(login.proof) },
                _ => Step::Switch(wanted),
            };
            return (exchange, step);
        }
        let step = exchange.check(users, login.proof);
        (exchange, step)
    }

    /// The user name that was given.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What proves to a client that was let in that a certificate is the server's own, if its
    /// method has that.
    pub fn certificate_proof(&self, users: &Users, fingerprint: &[u8; 32]) -> Option<String> {
        match users.secrets.get(&self.user) {
            Some(Secret::Both { native, .. } | Secret::Native(native)) if self.method == NATIVE => {
                Some(certificate_proof(native, &self.scramble, fingerprint))
            }
            _ => None,
        }
    }

    /// The client's next packet.
    pub fn answer<'a>(&mut self, users: &'a Users, payload: &[u8], may_wait: bool) -> Step<'a> {
        if !self.full {
            return self.check(users, payload);
        }
        if !may_wait {
            return Step::Wait;
        }
        if payload == PUBLIC_KEY_REQUEST {
            return match users.key() {
                Some(key) => Step::SendKey(key.public_pem()),
                None => Step::Deny { password: true },
            };
        }
        let password = users.password(payload, &self.scramble);
        match (password, users.secrets.get(&self.user)) {
            (Some(password), Some(secret)) if secret.matches(&password) => {
                users.remember(&self.user, &password);
                Step::Accept { fast: false }
            }
            _ => Step::Deny { password: true },
        }
    }

    /// Checks a proof by the current method.
    fn check(&mut self, users: &Users, proof: &[u8]) -> Step<'static> {
        let password = !is_empty_proof(proof);
        let deny = Step::Deny { password };
        let fast = self.method == CACHING_SHA2;
        let proves = |digest: [u8; 32]| caching_sha2_proves(proof, &self.scramble, &digest);
        match users.secrets.get(&self.user) {
            None => deny,
            Some(Secret::Empty) if !password => Step::Accept { fast: false },
            Some(Secret::Empty) => deny,
            Some(Secret::Both { sha2, .. }) if fast => {
                if proves(*sha2) {
                    Step::Accept { fast }
                } else {
                    deny
                }
            }
            Some(Secret::Both { native, .. } | Secret::Native(native)) => {
                let proven = native_proves(proof, &self.scramble, native);
                if proven { Step::Accept { fast: false } } else { deny }
            }
            Some(Secret::Slow(_)) if !password => deny,
            Some(Secret::Slow(_)) => match users.proven_digest(&self.user) {
                Some(digest) if proves(digest) => Step::Accept { fast },
                _ => {
                    self.full = true;
                    Step::AskPassword
                }
            },
        }
    }
}

/// Clients prove the empty password by nothing or, as a C string, by a zero byte.
fn is_empty_proof(proof: &[u8]) -> bool {
    matches!(proof, [] | [0])
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
