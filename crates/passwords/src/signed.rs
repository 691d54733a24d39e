//! Passwords that are proved by a signature of fresh bytes (Ed25519, RFC 8032), MariaDB's ways:
//!
//! ```text
//! ed25519   secret = the password                                 stored: the public key in base 64
//!           proof  = signature of the server's 32 bytes
//! parsec    secret = PBKDF2-HMAC-SHA512(password, salt, 1024 << factor)
//!           stored: P<factor>:<salt in base 64>:<public key in base 64>
//!           proof  = 32 bytes of the client's, signature of the server's 32 bytes and of those
//! ```
//!
//! Invariants
//! 1. What is stored proves nothing: nobody can log in with it, here or elsewhere.
//!
//! Not here: the exchange (`doors::mysql`), making salts (`access`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::clamp_integer;
use curve25519_dalek::{EdwardsPoint, Scalar};
use sha2::{Digest, Sha512};

use crate::crypt::note_rounds;
use crate::equal_secretly;

/// MariaDB's method, as accounts have it.
pub const ED25519: &str = "ed25519";
/// The same, as clients call it.
pub const CLIENT_ED25519: &str = "client_ed25519";
/// MariaDB's method since 11.6.
pub const PARSEC: &str = "parsec";

/// Bytes that a signature is made of.
pub const SIGNATURE_BYTES: usize = 64;
/// Bytes of a salt of parsec.
pub const PARSEC_SALT_BYTES: usize = 18;
/// Rounds of parsec with the factor 0; each factor doubles them.
const ROUNDS: u32 = 1024;
/// The highest factor that clients accept.
const FACTOR_MAX: u8 = 3;
/// Bytes of a block of SHA-512.
const BLOCK_BYTES: usize = 128;

/// Fresh bytes of one side.
pub type Nonce = [u8; 32];
/// What a client of parsec makes its secret from, besides the password: `P`, factor, salt.
pub type ParsecHint = [u8; 2 + PARSEC_SALT_BYTES];
/// A public key.
pub type PublicKey = [u8; 32];

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    parts.iter().fold(Sha512::new(), |digest, part| digest.chain_update(part)).finalize().into()
}

fn halves(digest: [u8; 64]) -> ([u8; 32], [u8; 32]) {
    (std::array::from_fn(|at| digest[at]), std::array::from_fn(|at| digest[at + 32]))
}

/// The public key of a secret.
pub fn public_key(secret: &[u8]) -> PublicKey {
    EdwardsPoint::mul_base_clamped(halves(sha512(&[secret])).0).compress().to_bytes()
}

/// A message signed by a secret.
pub fn sign(secret: &[u8], message: &[u8]) -> [u8; SIGNATURE_BYTES] {
    let (key, prefix) = halves(sha512(&[secret]));
    let once = Scalar::from_bytes_mod_order_wide(&sha512(&[&prefix, message]));
    let point = EdwardsPoint::mul_base(&once).compress().to_bytes();
    let challenge = sha512(&[&point, &public_key(secret), message]);
    let challenge = Scalar::from_bytes_mod_order_wide(&challenge);
    let sum = once + challenge * Scalar::from_bytes_mod_order(clamp_integer(key));
    let mut signature = [0; SIGNATURE_BYTES];
    signature[..32].copy_from_slice(&point);
    signature[32..].copy_from_slice(sum.as_bytes());
    signature
}

/// Whether a message was signed by the secret of a public key.
pub fn is_signed(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    let Ok(signature) = <[u8; SIGNATURE_BYTES]>::try_from(signature) else { return false };
    let (point, sum) = halves(signature);
    let Some(public) = CompressedEdwardsY(*key).decompress() else { return false };
    let Some(sum) = Scalar::from_canonical_bytes(sum).into_option() else { return false };
    let challenge = Scalar::from_bytes_mod_order_wide(&sha512(&[&point, key, message]));
    let expected =
        EdwardsPoint::vartime_double_scalar_mul_basepoint(&challenge, &-public, &sum).compress();
    equal_secretly(expected.as_bytes(), &point)
}

/// What ed25519 stores of a password.
pub fn ed25519_stored(password: &[u8]) -> String {
    STANDARD_NO_PAD.encode(public_key(password))
}

/// The public key in a stored form of ed25519; `None` when it is none.
pub fn ed25519_key(stored: &str) -> Option<PublicKey> {
    STANDARD_NO_PAD.decode(stored.trim_end_matches('=')).ok()?.try_into().ok()
}

/// What parsec stores of a password.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ParsecKey {
    factor: u8,
    salt: [u8; PARSEC_SALT_BYTES],
    key: PublicKey,
}

impl std::fmt::Debug for ParsecKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ParsecKey(..)")
    }
}

impl ParsecKey {
    /// Of a password, with a fresh salt.
    pub fn new(password: &[u8], salt: [u8; PARSEC_SALT_BYTES]) -> ParsecKey {
        let key = public_key(&derived(password, &salt, 0));
        ParsecKey { factor: 0, salt, key }
    }

    /// Of a password and what a client was told of its salt; `None` when that makes no sense.
    pub fn told_of(told: &[u8], password: &[u8]) -> Option<ParsecKey> {
        let (&[b'P', factor], salt) = told.split_first_chunk::<2>()? else { return None };
        let salt = <[u8; PARSEC_SALT_BYTES]>::try_from(salt).ok()?;
        let secret = (factor <= FACTOR_MAX).then(|| derived(password, &salt, factor))?;
        Some(ParsecKey { factor, salt, key: public_key(&secret) })
    }

    /// Reads the stored form; `None` when it is none.
    pub fn parse(stored: &str) -> Option<ParsecKey> {
        let mut parts = stored.split(':');
        let (head, salt, key) = (parts.next()?, parts.next()?, parts.next()?);
        let factor: u8 = head.strip_prefix('P')?.parse().ok()?;
        let decode = |part: &str| STANDARD_NO_PAD.decode(part.trim_end_matches('=')).ok();
        let salt = decode(salt)?.try_into().ok()?;
        let key = decode(key)?.try_into().ok()?;
        let is_whole = parts.next().is_none() && factor <= FACTOR_MAX;
        is_whole.then_some(ParsecKey { factor, salt, key })
    }

    /// The stored form.
    pub fn stored(&self) -> String {
        let [salt, key] = [&self.salt[..], &self.key].map(|part| STANDARD_NO_PAD.encode(part));
        format!("P{}:{salt}:{key}", self.factor)
    }

    /// What a client is told, from which it makes the secret out of its password.
    pub fn told(&self) -> ParsecHint {
        let mut told = [b'P', self.factor].into_iter().chain(self.salt);
        std::array::from_fn(|_| told.next().unwrap_or_default())
    }

    /// Another salt, made of these bytes: for a key that nobody is to be let in by.
    pub fn salt_again(&mut self, seed: &[u8; 32]) {
        let mut bytes = seed.iter().copied();
        self.salt = std::array::from_fn(|_| bytes.next().unwrap_or_default());
    }

    /// The rounds of hashes that it takes to try a password.
    pub fn rounds(&self) -> u64 {
        (ROUNDS << self.factor).into()
    }

    /// All that is kept, as a certificate is proved by it.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.told()[..], &self.key].concat()
    }

    /// Whether an answer of a client to these bytes was made with the password.
    pub fn proves(&self, nonce: &Nonce, answer: &[u8]) -> bool {
        let Some((own, signature)) = answer.split_first_chunk::<32>() else { return false };
        is_signed(&self.key, &[&nonce[..], own].concat(), signature)
    }

    /// Whether this was made from `password`.
    pub fn matches(&self, password: &[u8]) -> bool {
        let key = public_key(&derived(password, &self.salt, self.factor));
        equal_secretly(&key, &self.key)
    }
}

/// A client's answer to the server's bytes and what it was told.
///
/// `None` when that makes no sense.
pub fn parsec_answer(password: &[u8], nonce: &Nonce, told: &[u8], own: &Nonce) -> Option<Vec<u8>> {
    let (salt, &[b'P', factor]) =
        told.split_last_chunk::<PARSEC_SALT_BYTES>().map(|(a, b)| (b, a))?
    else {
        return None;
    };
    let secret = (factor <= FACTOR_MAX).then(|| derived(password, salt, factor))?;
    let signature = sign(&secret, &[&nonce[..], own].concat());
    Some([&own[..], &signature].concat())
}

/// PBKDF2 (RFC 8018) by HMAC-SHA512: 32 bytes, which one block of its digest has.
fn derived(password: &[u8], salt: &[u8], factor: u8) -> [u8; 32] {
    let mut key = [0; BLOCK_BYTES];
    match password.len() > BLOCK_BYTES {
        true => key[..64].copy_from_slice(&sha512(&[password])),
        false => key[..password.len()].copy_from_slice(password),
    }
    let [inner, outer] =
        [0x36, 0x5C].map(|pad| Sha512::new().chain_update(key.map(|byte| byte ^ pad)));
    let hmac = |parts: &[&[u8]]| -> [u8; 64] {
        let digest = parts.iter().fold(inner.clone(), |digest, part| digest.chain_update(part));
        outer.clone().chain_update(digest.finalize()).finalize().into()
    };
    note_rounds(ROUNDS << factor);
    let mut block = hmac(&[salt, &1u32.to_be_bytes()]);
    let mut sum = block;
    for _ in 1..ROUNDS << factor {
        block = hmac(&[&block]);
        sum.iter_mut().zip(block).for_each(|(sum, byte)| *sum ^= byte);
    }
    halves(sum).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_message_and_key_alone() {
        // RFC 8032, 7.1, test 2: its secret is 32 bytes, as any password may be.
        let secret = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
        let key = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
        let signed = hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
        assert_eq!(public_key(&secret)[..], key);
        assert_eq!(sign(&secret, &[0x72])[..], signed);
        let key = public_key(&secret);
        assert!(is_signed(&key, &[0x72], &signed));
        assert!(!is_signed(&key, &[0x73], &signed) && !is_signed(&key, &[0x72], &signed[1..]));
        assert!(!is_signed(&public_key(b"other"), &[0x72], &signed));
        // s plus the order of the group: the same sum, which a second signature must not have.
        let mut again = signed;
        again[63] |= 0xE0;
        assert!(!is_signed(&key, &[0x72], &again));
    }

    #[test]
    fn what_mariadb_stores_of_a_password_is_known() {
        // SELECT ed25519_password('secret') of MariaDB's manual.
        let stored = "ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY";
        assert_eq!(ed25519_stored(b"secret"), stored);
        let key = ed25519_key(stored).unwrap();
        assert!(is_signed(&key, &[7; 32], &sign(b"secret", &[7; 32])));
        assert!(ed25519_key("invalid").is_none());
    }

    #[test]
    fn parsec_proves_its_password_alone() {
        let key = ParsecKey::new(b"secret", *b"123456789012345678");
        let again = ParsecKey::parse(&key.stored()).unwrap();
        assert_eq!(again, key);
        assert_eq!(ParsecKey::told_of(&key.told(), b"secret"), Some(again));
        assert_eq!(ParsecKey::told_of(&key.told()[1..], b"secret"), None);
        assert!(key.matches(b"secret") && !key.matches(b"Secret"));
        let (nonce, own) = ([1; 32], [2; 32]);
        let answer = parsec_answer(b"secret", &nonce, &key.told(), &own).unwrap();
        assert!(key.proves(&nonce, &answer) && !key.proves(&own, &answer));
        let wrong = parsec_answer(b"Secret", &nonce, &key.told(), &own).unwrap();
        assert!(!key.proves(&nonce, &wrong) && !key.proves(&nonce, b""));
        for bad in ["", "P0", "P0:a:b", "P4:lhXyNv1cIxpB8EnTxR7ON7S7:1l3r", "$A$005$"] {
            assert!(ParsecKey::parse(bad).is_none(), "{bad}");
        }
        let manual = "P0:lhXyNv1cIxpB8EnTxR7ON7S7:1l3rWRW1/jw45yrvYXB8eh02wzk7lcJcz4CMcWw2b+8";
        assert_eq!(ParsecKey::parse(manual).unwrap().stored(), manual);
    }

    fn hex(digits: &str) -> Vec<u8> {
        let digits: Vec<char> = digits.chars().filter(char::is_ascii_hexdigit).collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
        digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
    }
}
