//! Stored passwords: the plugins by which accounts prove them, and what each keeps.
//!
//! ```text
//! caching_sha2_password   $A$005$, salt, hash (passwords::crypt)     $mysql in hexadecimal: 0x24..
//! mysql_native_password   *, 40 hexadecimal digits
//! ed25519                 a public key in base 64 (passwords::signed)
//! parsec                  P0:, salt, :, a public key, in base 64
//! auth_socket             a user of the system, or nothing: the one called as the account is
//! ```
//! The empty text is the empty password, with any of the first four; the last has no passwords.
//!
//! Not here: proofs (`passwords`), the exchange (`doors::mysql`).

use std::fmt::Write as _;

use passwords::signed::{self, ED25519, PARSEC, ParsecKey};
use passwords::{CACHING_SHA2, NATIVE, crypt, equal_secretly, native_digest};
use serde::{Deserialize, Serialize};

/// The plugin of those who come through a UNIX socket.
const SOCKET: &str = "auth_socket";

/// What mysql_native_password stores of a password that nobody has: `root` of MariaDB's packages
/// comes in through a socket alone.
pub const NO_PASSWORD: &str = "invalid";

/// By what an account proves who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plugin {
    /// MySQL's default since 8.0, and ours.
    #[serde(rename = "caching_sha2_password")]
    CachingSha2,
    /// That of MySQL before 8.0 and of MariaDB.
    #[serde(rename = "mysql_native_password")]
    Native,
    /// MariaDB's, by a signature.
    #[serde(rename = "ed25519")]
    Ed25519,
    /// MariaDB's since 11.6, by a signature whose key is made slowly.
    #[serde(rename = "parsec")]
    Parsec,
    /// The user of the system at the other end of a UNIX socket; `unix_socket` in MariaDB.
    #[serde(rename = "auth_socket")]
    Socket,
}

impl Plugin {
    /// The plugin of a name in any case.
    pub fn named(name: &str) -> Option<Plugin> {
        let name = if name.eq_ignore_ascii_case("unix_socket") { SOCKET } else { name };
        [Plugin::CachingSha2, Plugin::Native, Plugin::Ed25519, Plugin::Parsec, Plugin::Socket]
            .into_iter()
            .find(|plugin| plugin.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Plugin::CachingSha2 => CACHING_SHA2,
            Plugin::Native => NATIVE,
            Plugin::Ed25519 => ED25519,
            Plugin::Parsec => PARSEC,
            Plugin::Socket => SOCKET,
        }
    }

    /// Whether its accounts have passwords.
    pub fn has_passwords(self) -> bool {
        self != Plugin::Socket
    }

    /// What is stored of a password; of one that means nothing, nothing.
    pub fn store(self, password: &str) -> String {
        if password.is_empty() {
            return String::new();
        }
        match self {
            Plugin::CachingSha2 => crypt::stored_form(password.as_bytes(), &salt()),
            Plugin::Native => {
                let mut stored = String::from("*");
                for byte in native_digest(password.as_bytes()) {
                    let _ = write!(stored, "{byte:02X}");
                }
                stored
            }
            Plugin::Ed25519 => signed::ed25519_stored(password.as_bytes()),
            Plugin::Parsec => ParsecKey::new(password.as_bytes(), rand::random()).stored(),
            Plugin::Socket => String::new(),
        }
    }

    /// Whether a text is what this plugin stores.
    pub fn is_stored_form(self, stored: &str) -> bool {
        stored.is_empty()
            || match self {
                Plugin::CachingSha2 => crypt::StoredHash::parse(stored.as_bytes()).is_some(),
                // As MariaDB says it of a password that nobody has.
                Plugin::Native if stored == NO_PASSWORD => true,
                Plugin::Native => stored.strip_prefix('*').is_some_and(|digits| {
                    digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
                }),
                Plugin::Ed25519 => signed::ed25519_key(stored).is_some(),
                Plugin::Parsec => ParsecKey::parse(stored).is_some(),
                Plugin::Socket => stored.bytes().all(|byte| byte.is_ascii_graphic()),
            }
    }
}

/// Whether what is stored was made of a password, by whichever plugin.
pub fn is_stored_of(stored: &str, password: &str) -> bool {
    if let Some(key) = ParsecKey::parse(stored) {
        return key.matches(password.as_bytes());
    }
    if let Some(key) = signed::ed25519_key(stored) {
        return equal_secretly(&signed::public_key(password.as_bytes()), &key);
    }
    match crypt::StoredHash::parse(stored.as_bytes()) {
        Some(hash) => hash.matches(password.as_bytes()),
        None if stored.is_empty() => password.is_empty(),
        None => equal_secretly(Plugin::Native.store(password).as_bytes(), stored.as_bytes()),
    }
}

/// A password with letters of both cases, digits and other signs, none of which a quote ends or
/// escapes.
pub fn random_password(length: usize) -> String {
    const KINDS: [&[u8]; 4] = [
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        b"abcdefghijklmnopqrstuvwxyz",
        b"0123456789",
        b".,;:-_+*/%&@!()[]{}<>",
    ];
    let all = KINDS.concat();
    let mut letters: Vec<u8> =
        (KINDS.len()..length).map(|_| all[rand::random_range(0..all.len())]).collect();
    // One of each kind, at places that nobody knows.
    for kind in KINDS {
        let at = rand::random_range(0..=letters.len());
        letters.insert(at, kind[rand::random_range(0..kind.len())]);
    }
    letters.into_iter().map(char::from).collect()
}

/// Fresh letters and digits, which need no quoting where a stored form is shown.
fn salt() -> [u8; crypt::SALT_BYTES] {
    const LETTERS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::array::from_fn(|_| LETTERS[rand::random_range(0..LETTERS.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_password_has_its_length_and_all_kinds_of_letters() {
        for length in [5, 20, 255] {
            let password = random_password(length);
            assert_eq!(password.len(), length);
            assert!(password.bytes().any(|byte| byte.is_ascii_uppercase()), "{password}");
            assert!(password.bytes().any(|byte| byte.is_ascii_lowercase()), "{password}");
            assert!(password.bytes().any(|byte| byte.is_ascii_digit()), "{password}");
            assert!(password.bytes().any(|byte| byte.is_ascii_punctuation()), "{password}");
            assert!(!password.contains(['\'', '"', '\\', '`']), "{password}");
            assert_ne!(password, random_password(length));
        }
    }

    #[test]
    fn what_is_stored_is_known_as_that_and_proves_its_password_alone() {
        for plugin in [Plugin::CachingSha2, Plugin::Native, Plugin::Ed25519, Plugin::Parsec] {
            let stored = plugin.store("secret");
            assert!(plugin.is_stored_form(&stored), "{stored}");
            assert!(!plugin.is_stored_form("secret"));
            assert!(is_stored_of(&stored, "secret") && !is_stored_of(&stored, "Secret"));
            assert!(is_stored_of("", "") && !is_stored_of(&stored, "") && !is_stored_of("", "x"));
            assert_eq!(plugin.store(""), "");
            assert_eq!(Plugin::named(&plugin.name().to_uppercase()), Some(plugin));
        }
        let stored = Plugin::CachingSha2.store("secret");
        let hash = crypt::StoredHash::parse(stored.as_bytes()).unwrap();
        assert!(hash.matches(b"secret") && !hash.matches(b"Secret"));
        assert_ne!(stored, Plugin::CachingSha2.store("secret"), "each has a salt of its own");
        // PASSWORD('secret') of MySQL 5.7 and MariaDB.
        let native = "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7";
        assert_eq!(Plugin::Native.store("secret"), native);
    }
}
