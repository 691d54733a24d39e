//! MySQL's stored form of a caching_sha2_password account: `$A$005$` + salt + hash.
//!
//! ```text
//! $A$ iterations / 1000 in 3 hexadecimal digits $ salt, 20 bytes | hash, 43 characters
//! ```
//! The hash is that of the SHA-crypt scheme (Drepper, "Unix crypt using SHA-256", 2007) over the
//! password and the 20-byte salt, in the scheme's own base 64. So accounts can be moved here
//! from `mysql.user` without knowing their passwords.
//!
//! Not here: proofs that come over the wire (the crate's own functions), making salts (`access`).

use std::cell::Cell;

use sha2::{Digest, Sha256};

use crate::equal_secretly;

/// Bytes of a salt.
pub const SALT_BYTES: usize = 20;
/// Characters of a hash.
pub const HASH_CHARS: usize = 43;
/// Passwords longer than this are refused unread by MySQL too; the scheme's cost grows with
/// the password's length.
const PASSWORD_BYTES_MAX: usize = 256;

thread_local! {
    static ROUNDS: Cell<u64> = const { Cell::new(0) };
}

/// Rounds of hashes that this thread has computed: the work of a login, whatever the machine's
/// speed.
pub fn rounds_computed() -> u64 {
    ROUNDS.get()
}

/// So many more were computed.
pub(crate) fn note_rounds(rounds: u32) {
    ROUNDS.set(ROUNDS.get() + u64::from(rounds));
}

/// A stored password.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct StoredHash {
    rounds: u32,
    salt: [u8; SALT_BYTES],
    hash: [u8; HASH_CHARS],
}

impl StoredHash {
    /// Reads the stored form; `None` when it is none.
    pub fn parse(stored: &[u8]) -> Option<StoredHash> {
        let rest = stored.strip_prefix(b"$A$")?;
        let (digits, rest) = rest.split_at_checked(3)?;
        let rest = rest.strip_prefix(b"$")?;
        let thousands = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        let (salt, hash) = rest.split_first_chunk::<SALT_BYTES>()?;
        let hash: [u8; HASH_CHARS] = hash.try_into().ok()?;
        let valid = (5..=0xFFF).contains(&thousands);
        valid.then_some(StoredHash { rounds: thousands * 1000, salt: *salt, hash })
    }

    /// What tells it from others: its salt and its hash.
    pub fn key(&self) -> ([u8; SALT_BYTES], [u8; HASH_CHARS]) {
        (self.salt, self.hash)
    }

    /// The rounds of hashes that it takes to try a password.
    pub fn rounds(&self) -> u64 {
        self.rounds.into()
    }

    /// Whether this was made from `password`.
    pub fn matches(&self, password: &[u8]) -> bool {
        password.len() <= PASSWORD_BYTES_MAX
            && equal_secretly(&sha256_crypt(password, &self.salt, self.rounds), &self.hash)
    }
}

impl std::fmt::Debug for StoredHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredHash(..)")
    }
}

/// The scheme's hash, encoded. The names A, B, P, S are those of its specification.
fn sha256_crypt(password: &[u8], salt: &[u8], rounds: u32) -> [u8; HASH_CHARS] {
    let b = Sha256::new().chain_update(password).chain_update(salt).chain_update(password);
    let b: [u8; 32] = b.finalize().into();
    let mut a = Sha256::new().chain_update(password).chain_update(salt);
    a.update(repeated(&b, password.len()));
    let mut bits = password.len();
    while bits > 0 {
        a.update(if bits & 1 == 1 { &b[..] } else { password });
        bits >>= 1;
    }
    let mut digest: [u8; 32] = a.finalize().into();

    let mut dp = Sha256::new();
    for _ in 0..password.len() {
        dp.update(password);
    }
    let p = repeated(&dp.finalize().into(), password.len());
    let mut ds = Sha256::new();
    for _ in 0..16 + digest[0] as usize {
        ds.update(salt);
    }
    let s = repeated(&ds.finalize().into(), salt.len());

    note_rounds(rounds);
    for round in 0..rounds {
        let mut c = Sha256::new();
        c.update(if round & 1 == 1 { &p[..] } else { &digest });
        if round % 3 != 0 {
            c.update(&s);
        }
        if round % 7 != 0 {
            c.update(&p);
        }
        c.update(if round & 1 == 1 { &digest[..] } else { &p });
        digest = c.finalize().into();
    }
    encode(&digest)
}

/// `digest` over and over, to `length` bytes.
fn repeated(digest: &[u8; 32], length: usize) -> Vec<u8> {
    digest.iter().copied().cycle().take(length).collect()
}

/// The scheme's base 64: groups of three bytes taken from the three thirds of the digest.
fn encode(digest: &[u8; 32]) -> [u8; HASH_CHARS] {
    const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const ORDER: [[usize; 3]; 10] = [
        [0, 10, 20],
        [21, 1, 11],
        [12, 22, 2],
        [3, 13, 23],
        [24, 4, 14],
        [15, 25, 5],
        [6, 16, 26],
        [27, 7, 17],
        [18, 28, 8],
        [9, 19, 29],
    ];
    let mut out = [0; HASH_CHARS];
    let mut at = 0;
    let mut put = |mut group: u32, chars: usize| {
        for _ in 0..chars {
            out[at] = ALPHABET[(group & 0x3F) as usize];
            at += 1;
            group >>= 6;
        }
    };
    for [high, middle, low] in ORDER {
        let group = [digest[high], digest[middle], digest[low]];
        put(u32::from_be_bytes([0, group[0], group[1], group[2]]), 4);
    }
    put(u32::from_be_bytes([0, 0, digest[31], digest[30]]), 3);
    out
}

/// The stored form of a password, with a printable salt.
pub fn stored_form(password: &[u8], salt: &[u8; SALT_BYTES]) -> String {
    let mut stored = String::from("$A$005$");
    stored.extend(salt.iter().map(|byte| char::from(*byte)));
    stored.extend(sha256_crypt(password, salt, 5000).map(char::from));
    stored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors_of_the_scheme_come_out() {
        // The first two from the specification's table, all four as crypt(3) of glibc gives them.
        let vectors: [(&str, &str, u32, &str); 4] = [
            ("Hello world!", "saltstring", 5000, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
            (
                "Hello world!",
                "saltstringsaltst",
                10000,
                "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA",
            ),
            ("", "saltstringsaltst", 5000, "fZ6M5HzkVbdG/lB/Id.WJL8Z4MwBAkXlboKmx8NceL8"),
            (
                "a very much longer password than thirty two bytes, so that it cycles",
                "abc",
                5000,
                "3MvZuCF5Z/qTjlauEG8pc8uoKJXu99CusMzxEYD2b.A",
            ),
        ];
        for (password, salt, rounds, hash) in vectors {
            let got = sha256_crypt(password.as_bytes(), salt.as_bytes(), rounds);
            assert_eq!(std::str::from_utf8(&got), Ok(hash), "{password} {salt}");
        }
    }

    #[test]
    fn only_the_stored_form_is_read() {
        let mut stored = stored_form(b"secret", &[b's'; 20]).into_bytes();
        let hash = StoredHash::parse(&stored).expect("the stored form");
        assert!(hash.matches(b"secret"));
        assert!(!hash.matches(b"Secret"));
        stored.pop();
        assert_eq!(StoredHash::parse(&stored), None);
        assert_eq!(StoredHash::parse(b"$A$"), None);
        assert_eq!(StoredHash::parse("$A$\u{e9}05$".as_bytes()), None);
    }
}
