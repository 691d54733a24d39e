//! `Secret`: what is known of a password, and whether a password is that one.
//!
//! Not here: whose it is (`auth`), proofs that come over the wire (`exchange`), the arithmetic
//! (crate `passwords`).

use access::secret::{NO_PASSWORD, Plugin};
use passwords::crypt::StoredHash;
use passwords::signed::{CLIENT_ED25519, PARSEC, ParsecKey, PublicKey, ed25519_key, public_key};
use passwords::{CACHING_SHA2, NATIVE, caching_sha2_digest, equal_secretly, native_digest};

/// What is known of an account's password.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    pub(super) fn stored(plugin: Plugin, stored: &str) -> Secret {
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
    pub(super) fn method(&self) -> Option<&'static str> {
        match self {
            Secret::Native(_) | Secret::Nobody => Some(NATIVE),
            Secret::Slow(_) => Some(CACHING_SHA2),
            Secret::Signed(_) => Some(CLIENT_ED25519),
            Secret::Parsec(_) => Some(PARSEC),
            Secret::Empty | Secret::Both { .. } | Secret::Socket(_) => None,
        }
    }

    /// By what it takes long to try a password, if it does.
    pub(super) fn slow_kind(&self) -> Option<SlowKind> {
        match self {
            Secret::Slow(_) => Some(SlowKind::Crypt),
            Secret::Parsec(_) => Some(SlowKind::Derived),
            _ => None,
        }
    }

    /// How long, in rounds of its kind.
    pub(super) fn rounds(&self) -> u64 {
        match self {
            Secret::Slow(hash) => hash.rounds(),
            Secret::Parsec(key) => key.rounds(),
            _ => 0,
        }
    }

    /// Shows a client nothing that it could know from an account that has the same.
    pub(super) fn disguise(&mut self, user: &str) {
        if let Secret::Parsec(key) = self {
            let seed = caching_sha2_digest(&[&key.bytes(), user.as_bytes()].concat());
            key.salt_again(&seed);
        }
    }

    /// Whether a configured text is one of MySQL's stored forms of a password.
    pub fn is_stored_form(text: &str) -> bool {
        matches!(Secret::new(text), Secret::Native(_) | Secret::Slow(_))
    }

    /// Whether this was made from `password`.
    pub(super) fn matches(&self, password: &[u8]) -> bool {
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

/// By what a secret takes long to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlowKind {
    /// The hash of caching_sha2_password.
    Crypt,
    /// The key of parsec.
    Derived,
}

impl SlowKind {
    /// All of them, by their numbers.
    pub const ALL: [SlowKind; SlowKind::COUNT] = [SlowKind::Crypt, SlowKind::Derived];
    /// How many there are.
    pub const COUNT: usize = 2;
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
