//! How a password is proved in the MySQL protocol: what a server and a client of it both compute.
//!
//! ```text
//! mysql_native_password   proof = SHA1(password) xor SHA1(scramble, digest)
//!                         digest = SHA1(SHA1(password))
//! ed25519, parsec         see `signed`
//! caching_sha2_password   proof = SHA256(password) xor SHA256(digest, scramble)
//!                         digest = SHA256(SHA256(password))
//!   if the server does not know the digest: RSA(password, a zero byte, xor scramble)
//! ```
//!
//! Invariants
//! 1. A listener to a proof learns neither the password nor the digest.
//!
//! Not here: packets, accounts and the order of the exchange (`doors::mysql`, `load`).

pub mod crypt;
mod sealed;
pub mod signed;

pub use sealed::{KeyPair, seal};

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The method of MySQL before 8.0 and of MariaDB.
pub const NATIVE: &str = "mysql_native_password";
/// The default method of MySQL since 8.0.
pub const CACHING_SHA2: &str = "caching_sha2_password";

/// caching_sha2_password: the server's "the digest matched, OK follows".
pub const FAST_SUCCESS: u8 = 3;
/// caching_sha2_password: the server's "send the password itself".
pub const FULL_AUTHENTICATION: u8 = 4;
/// caching_sha2_password: the client's request for the public key.
pub const PUBLIC_KEY_REQUEST: &[u8] = &[2];

/// Fresh bytes of the server, which a proof holds for.
pub type Scramble = [u8; 20];

/// What a server keeps for mysql_native_password.
pub fn native_digest(password: &[u8]) -> [u8; 20] {
    Sha1::digest(Sha1::digest(password)).into()
}

/// What a server keeps for the fast way of caching_sha2_password.
pub fn caching_sha2_digest(password: &[u8]) -> [u8; 32] {
    Sha256::digest(Sha256::digest(password)).into()
}

/// A client's proof by mysql_native_password.
pub fn native_proof(password: &[u8], scramble: &Scramble) -> [u8; 20] {
    let once = Sha1::digest(password).into();
    xor(once, native_mask(scramble, &native_digest(password)))
}

/// A client's proof by caching_sha2_password.
pub fn caching_sha2_proof(password: &[u8], scramble: &Scramble) -> [u8; 32] {
    let once = Sha256::digest(password).into();
    xor(once, caching_sha2_mask(scramble, &caching_sha2_digest(password)))
}

/// Whether a proof by mysql_native_password was made with the password of a digest.
pub fn native_proves(proof: &[u8], scramble: &Scramble, digest: &[u8; 20]) -> bool {
    <[u8; 20]>::try_from(proof).is_ok_and(|proof| {
        let once = xor(proof, native_mask(scramble, digest));
        equal_secretly(&Sha1::digest(once), digest)
    })
}

/// Whether a proof by caching_sha2_password was made with the password of a digest.
pub fn caching_sha2_proves(proof: &[u8], scramble: &Scramble, digest: &[u8; 32]) -> bool {
    <[u8; 32]>::try_from(proof).is_ok_and(|proof| {
        let once = xor(proof, caching_sha2_mask(scramble, digest));
        equal_secretly(&Sha256::digest(once), digest)
    })
}

/// A server's proof that a certificate is its own, to a client that knows the password and was
/// shown that certificate: nobody between the two can make it. MariaDB's: what the server keeps of
/// the password, the scramble, and SHA-256 of the certificate.
pub fn certificate_proof(stored: &[u8], scramble: &Scramble, fingerprint: &[u8; 32]) -> String {
    let digest = Sha256::new().chain_update(stored).chain_update(scramble);
    let digest = digest.chain_update(fingerprint).finalize();
    digest.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Equality in a time that does not depend on where the first difference is.
pub fn equal_secretly(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |sum, (left, right)| sum | (left ^ right)) == 0
}

fn native_mask(scramble: &Scramble, digest: &[u8; 20]) -> [u8; 20] {
    Sha1::new().chain_update(scramble).chain_update(digest).finalize().into()
}

fn caching_sha2_mask(scramble: &Scramble, digest: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update(digest).chain_update(scramble).finalize().into()
}

fn xor<const N: usize>(left: [u8; N], right: [u8; N]) -> [u8; N] {
    std::array::from_fn(|at| left[at] ^ right[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRAMBLE: Scramble = *b"abcdefghijklmnopqrst";

    #[test]
    fn a_certificate_is_proved_by_password_scramble_and_fingerprint() {
        let scramble: Scramble = std::array::from_fn(|at| at as u8 + 1);
        let stored = native_digest(b"secret");
        let proof = certificate_proof(&stored, &scramble, &[7; 32]);
        // As another implementation of SHA-1 and SHA-256 has it.
        assert_eq!(proof, "F3A48196F33A26CEE9FAB9A6E4AC7B620FF0E1E3E503C5317EC632DB1F594151");
        assert_ne!(proof, certificate_proof(&stored, &scramble, &[8; 32]));
    }

    #[test]
    fn a_proof_holds_for_its_password_and_scramble_alone() {
        let (native, sha2) = (native_digest(b"secret"), caching_sha2_digest(b"secret"));
        for (password, scramble, holds) in [
            ("secret", SCRAMBLE, true),
            ("Secret", SCRAMBLE, false),
            ("secret", *b"bbcdefghijklmnopqrst", false),
        ] {
            let proof = native_proof(password.as_bytes(), &scramble);
            assert_eq!(native_proves(&proof, &SCRAMBLE, &native), holds, "{password}");
            assert!(!native_proves(&proof[..19], &SCRAMBLE, &native));
            let proof = caching_sha2_proof(password.as_bytes(), &scramble);
            assert_eq!(caching_sha2_proves(&proof, &SCRAMBLE, &sha2), holds, "{password}");
            assert!(!caching_sha2_proves(&proof[..31], &SCRAMBLE, &sha2));
        }
    }

    #[test]
    fn the_digest_of_the_native_method_is_that_of_mysql() {
        // SELECT PASSWORD('secret') of MySQL 5.7 and MariaDB.
        let digits: String =
            native_digest(b"secret").iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(digits, "14E65567ABDB5135D0CFD9A70B3032C179A49EE7");
    }
}
