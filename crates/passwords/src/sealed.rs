//! A password on its way under the server's public key.
//!
//! Whoever answers in the server's place can give a key of its own: this protects from listeners
//! only, as in MySQL.

use rsa::pkcs8::{DecodePublicKey, EncodePublicKey, LineEnding};
use rsa::rand_core::OsRng;
use rsa::{Oaep, RsaPrivateKey, RsaPublicKey};
use sha1::Sha1;

use crate::Scramble;

const RSA_BITS: usize = 2048;

/// A server's keys.
#[derive(Debug)]
pub struct KeyPair {
    private: RsaPrivateKey,
    public_pem: String,
}

impl KeyPair {
    /// A fresh one; takes a moment. `None` when the system gives no randomness.
    pub fn new() -> Option<KeyPair> {
        let private = RsaPrivateKey::new(&mut OsRng, RSA_BITS).ok()?;
        let public_pem = private.to_public_key().to_public_key_pem(LineEnding::LF).ok()?;
        Some(KeyPair { private, public_pem })
    }

    /// The key for clients.
    pub fn public_pem(&self) -> &str {
        &self.public_pem
    }

    /// The password that a client has sealed.
    pub fn open(&self, message: &[u8], scramble: &Scramble) -> Option<Vec<u8>> {
        let opened = self.private.decrypt_blinded(&mut OsRng, Oaep::new::<Sha1>(), message);
        let mut password = opened.ok()?;
        hide(&mut password, scramble);
        (password.pop() == Some(0)).then_some(password)
    }
}

/// A password for the owner of a public key alone; `None` when the key is none, or the password is
/// longer than fits (214 bytes with MySQL's usual keys).
pub fn seal(password: &[u8], scramble: &Scramble, public_pem: &str) -> Option<Vec<u8>> {
    let key = RsaPublicKey::from_public_key_pem(public_pem).ok()?;
    let mut hidden = [password, &[0]].concat();
    hide(&mut hidden, scramble);
    key.encrypt(&mut OsRng, Oaep::new::<Sha1>(), &hidden).ok()
}

/// Its own inverse.
fn hide(bytes: &mut [u8], scramble: &Scramble) {
    bytes.iter_mut().zip(scramble.iter().cycle()).for_each(|(byte, hiding)| *byte ^= hiding);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRAMBLE: Scramble = *b"abcdefghijklmnopqrst";

    #[test]
    fn a_sealed_password_is_opened_by_its_key_and_scramble_alone() {
        let (keys, others) = (KeyPair::new().unwrap(), KeyPair::new().unwrap());
        let password = "secret and longer than a scramble".as_bytes();
        let message = seal(password, &SCRAMBLE, keys.public_pem()).unwrap();
        assert_eq!(keys.open(&message, &SCRAMBLE).as_deref(), Some(password));
        assert_eq!(others.open(&message, &SCRAMBLE), None);
        assert_ne!(keys.open(&message, b"bbcdefghijklmnopqrst").as_deref(), Some(password));
        assert_eq!(seal(&[b'x'; 300], &SCRAMBLE, keys.public_pem()), None);
        assert_eq!(seal(password, &SCRAMBLE, "no key"), None);
    }
}
