//! Logging in: the client's side of the exchange that proves a password.
//!
//! ```text
//! greeting: scramble, method     ->
//!                                <-    ("TLS", and everything from here on inside it)
//!                                <-    user, proof by that method
//! OK, or: another method         ->
//!                                <-    proof by that one
//! OK, or (caching_sha2_password): the password is known, OK follows; or: send the password
//!                                <-    "your public key", then the password sealed with it
//!     or (parsec)                <-    nothing: what is the secret made from?
//! salt and factor                ->
//!                                <-    signature
//! ```
//! An account with several ways to log in asks for one after another; MariaDB's methods that sign
//! (`passwords::signed`) come by such a request alone, which brings what is to be signed.
//!
//! Over a private link the password is sent as it is, which is what MySQL expects there.
//!
//! Invariants
//! 1. The password itself goes to nobody but a server that is verified: by its certificate, or as
//!    the other end of a private link.
//! 2. A server whose certificate nothing has verified proves in its last word that it knows the
//!    password and has shown this certificate (MariaDB's zero-configuration TLS), or is refused.
//!
//! Not here: the arithmetic of proofs (crate `passwords`), TLS itself (whoever makes a
//! `LinkEncryption`).

use std::io;

use passwords::signed::{
    CLIENT_ED25519, Nonce, PARSEC, ParsecKey, parsec_answer, public_key, sign,
};
use passwords::{
    CACHING_SHA2, FAST_SUCCESS, FULL_AUTHENTICATION, NATIVE, PUBLIC_KEY_REQUEST, Scramble,
    caching_sha2_proof, certificate_proof, equal_secretly, native_digest, native_proof, seal,
};

use crate::error::{Error, Result};
use crate::wire::{Cursor, EOF, ERROR, Link, OK, Packets, refusal};

/// LONG_PASSWORD, LONG_FLAG, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 1 | 1 << 2 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19;
/// SSL: the rest is said inside TLS.
const TLS_CAPABILITY: u32 = 1 << 11;
/// The largest packet that this client names; the server has a limit of its own.
const PACKET_BYTES_MAX: u32 = 1 << 30;
/// utf8mb4_general_ci.
const CHARACTER_SET: u8 = 45;
const MORE_DATA: u8 = 1;
/// More than any login takes.
const PACKETS_MAX: usize = 32;

/// The user that logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// User name.
    pub user: String,
    /// Password; empty for none.
    pub password: String,
    /// Nobody can listen: a socket of this machine, or a server in this process.
    pub private: bool,
}

/// Encrypts a link; gives it with SHA-256 of the certificate that the server has shown.
pub type Encrypt = dyn FnOnce(Box<dyn Link>) -> io::Result<(Box<dyn Link>, [u8; 32])>;

/// How a link is encrypted once the server has heard that it will be.
pub struct LinkEncryption {
    /// What does it.
    pub encrypt: Box<Encrypt>,
    /// Whether that has verified the server's certificate.
    pub is_verified: bool,
}

/// What is known of the server at the other end.
#[derive(Clone, Copy)]
enum Peer {
    /// Nobody else can listen or answer.
    Private,
    /// Anybody may listen.
    Plain,
    /// It has shown a certificate with this fingerprint, which nothing has verified.
    Unproven([u8; 32]),
}

/// A method that this client speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Native,
    CachingSha2,
    Ed25519,
    Parsec,
}

/// Methods that a login may begin with.
const FIRST: [Method; 2] = [Method::Native, Method::CachingSha2];
/// All of them.
const ALL: [Method; 4] = [Method::Native, Method::CachingSha2, Method::Ed25519, Method::Parsec];

impl Method {
    fn named(name: &[u8], among: &[Method]) -> Option<Method> {
        among.iter().copied().find(|method| method.name().as_bytes() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Method::Native => NATIVE,
            Method::CachingSha2 => CACHING_SHA2,
            Method::Ed25519 => CLIENT_ED25519,
            Method::Parsec => PARSEC,
        }
    }

    /// An empty password is proved by nothing, and so is one that is signed for when the server has
    /// said what.
    fn proof(self, password: &str, scramble: &Scramble) -> Vec<u8> {
        let password = password.as_bytes();
        match self {
            _ if password.is_empty() => Vec::new(),
            Method::Native => native_proof(password, scramble).to_vec(),
            Method::CachingSha2 => caching_sha2_proof(password, scramble).to_vec(),
            Method::Ed25519 | Method::Parsec => Vec::new(),
        }
    }
}

/// What the server has said last of how a login is proved.
struct ProofRequest {
    method: Method,
    scramble: Scramble,
    /// Fresh bytes of the methods that sign them.
    nonce: Nonce,
    /// What the server stores of the password, if that proves its certificate.
    stored: Option<Vec<u8>>,
}

impl ProofRequest {
    fn new(method: Method, scramble: Scramble, login: &Login) -> ProofRequest {
        let mut asked = ProofRequest { method, scramble, nonce: [0; 32], stored: None };
        asked.stored = asked.stored_digest(login);
        asked
    }

    /// What is stored by methods that need nothing else for it.
    fn stored_digest(&self, login: &Login) -> Option<Vec<u8>> {
        let password = login.password.as_bytes();
        match self.method {
            _ if password.is_empty() => None,
            Method::Native => Some(native_digest(password).to_vec()),
            Method::Ed25519 => Some(public_key(password).to_vec()),
            Method::CachingSha2 | Method::Parsec => None,
        }
    }

    /// The server asks for another method: gives the answer.
    fn switch(&mut self, mut request: Cursor<'_>, login: &Login) -> Result<Vec<u8>> {
        let name = request.until_zero();
        self.method = Method::named(name, &ALL).ok_or_else(|| other_method(name))?;
        self.stored = self.stored_digest(login);
        match self.method {
            Method::Native | Method::CachingSha2 => {
                self.scramble = of_bytes(request.until_zero())?;
                Ok(self.method.proof(&login.password, &self.scramble))
            }
            Method::Ed25519 | Method::Parsec => {
                let fresh = request.0.first_chunk();
                self.nonce =
                    *fresh.ok_or(Error::Protocol("what is to be signed is not 32 bytes long"))?;
                match self.method {
                    Method::Ed25519 => Ok(sign(login.password.as_bytes(), &self.nonce).to_vec()),
                    _ => Ok(Vec::new()),
                }
            }
        }
    }

    /// parsec: the server tells what the secret is made from.
    fn sign_salted(&mut self, told: &[u8], login: &Login) -> Result<Vec<u8>> {
        let password = login.password.as_bytes();
        let answer = parsec_answer(password, &self.nonce, told, &rand::random());
        let answer = answer.ok_or(Error::Protocol("salt and factor of parsec make no sense"))?;
        self.stored = ParsecKey::told_of(told, password).map(|key| key.bytes());
        Ok(answer)
    }
}

/// Logs in over a fresh link, on which the server greets.
pub(crate) fn log_in(
    packets: &mut Packets,
    login: &Login,
    encryption: Option<LinkEncryption>,
) -> Result<()> {
    let Greeting { scramble, method, offers_tls } = greeting(packets.receive()?)?;
    let (mut capabilities, mut peer) = (CAPABILITIES, Peer::Plain);
    if login.private {
        peer = Peer::Private;
    }
    if let Some(LinkEncryption { encrypt, is_verified }) = encryption {
        if !offers_tls {
            return Err(Error::Source("the server speaks no TLS".to_owned()));
        }
        capabilities |= TLS_CAPABILITY;
        packets.send(&front(capabilities), &[])?;
        let fingerprint = packets.exchange_link(encrypt)?;
        peer = if is_verified { Peer::Private } else { Peer::Unproven(fingerprint) };
    }
    packets.send(&response(login, method, &scramble, capabilities), &[])?;
    let mut asked = ProofRequest::new(method, scramble, login);
    for _ in 0..PACKETS_MAX {
        let payload = packets.receive()?;
        let cursor = Cursor(payload.get(1..).unwrap_or_default());
        match payload.first() {
            Some(&OK) => return check_proof(cursor, &asked, peer),
            Some(&ERROR) => return Err(refusal(payload)),
            Some(&EOF) => {
                let answer = asked.switch(cursor, login)?;
                packets.send(&answer, &[])?;
            }
            Some(&MORE_DATA) => match cursor.0 {
                [FAST_SUCCESS] => {}
                [FULL_AUTHENTICATION] => tell_password(packets, login, &asked.scramble, peer)?,
                _ => return Err(UNEXPECTED),
            },
            Some(_) if asked.method == Method::Parsec => {
                let answer = asked.sign_salted(payload, login)?;
                packets.send(&answer, &[])?;
            }
            _ => return Err(UNEXPECTED),
        }
    }
    Err(UNEXPECTED)
}

const UNEXPECTED: Error = Error::Protocol("the login is answered by something else");

fn unproven() -> Error {
    Error::Source(
        "the server's certificate is not verified, and the account's password does not prove it: \
         that takes an account of mysql_native_password, ed25519 or parsec with a password; name \
         the certificate, or its authority, by --tls-ca"
            .to_owned(),
    )
}

/// A server whose certificate nothing has verified proves it in its last word: a byte that says
/// how, and the proof, behind the figures of OK.
fn check_proof(mut ok: Cursor<'_>, asked: &ProofRequest, peer: Peer) -> Result<()> {
    let Peer::Unproven(fingerprint) = peer else { return Ok(()) };
    let stored = asked.stored.as_ref().ok_or_else(unproven)?;
    ok.lenenc()?;
    ok.lenenc()?;
    ok.bytes(4)?;
    let told = ok.lenenc_bytes().unwrap_or_default();
    let proof = format!("\x01{}", certificate_proof(stored, &asked.scramble, &fingerprint));
    match equal_secretly(told, proof.as_bytes()) {
        true => Ok(()),
        false => Err(unproven()),
    }
}

/// What a server greets with.
struct Greeting {
    scramble: Scramble,
    /// The method to begin with.
    method: Method,
    offers_tls: bool,
}

fn greeting(greeting: &[u8]) -> Result<Greeting> {
    if greeting.first() == Some(&ERROR) {
        return Err(refusal(greeting));
    }
    let mut cursor = Cursor(greeting);
    if cursor.u8()? != 10 {
        return Err(Error::Protocol("this is no MySQL server's greeting"));
    }
    cursor.until_zero();
    cursor.bytes(4)?;
    let first = cursor.bytes(8)?;
    cursor.bytes(1)?;
    let offers_tls = u32::from(cursor.u16()?) & TLS_CAPABILITY != 0;
    cursor.bytes(1 + 2 + 2 + 1 + 10)?;
    let scramble = of_bytes(&[first, cursor.bytes(12)?].concat())?;
    // A zero lies between; servers from before there were names send nothing more.
    let name = cursor.0.get(1..).map_or(&[][..], |name| Cursor(name).until_zero());
    // Whoever wants a method that is not spoken here may still take the old one from this user.
    let method = Method::named(name, &FIRST).unwrap_or(Method::Native);
    Ok(Greeting { scramble, method, offers_tls })
}

fn of_bytes(bytes: &[u8]) -> Result<Scramble> {
    bytes.try_into().map_err(|_| Error::Protocol("a scramble is not 20 bytes long"))
}

/// The front of a response, which is all of a request for TLS.
fn front(capabilities: u32) -> Vec<u8> {
    let mut front = Vec::new();
    front.extend_from_slice(&capabilities.to_le_bytes());
    front.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
    front.push(CHARACTER_SET);
    front.extend_from_slice(&[0; 23]);
    front
}

fn response(login: &Login, method: Method, scramble: &Scramble, capabilities: u32) -> Vec<u8> {
    let mut response = front(capabilities);
    response.extend_from_slice(login.user.as_bytes());
    response.push(0);
    let proof = method.proof(&login.password, scramble);
    response.push(proof.len() as u8);
    response.extend_from_slice(&proof);
    response.extend_from_slice(method.name().as_bytes());
    response.push(0);
    response
}

/// caching_sha2_password, when the server does not know the password's digest.
fn tell_password(
    packets: &mut Packets,
    login: &Login,
    scramble: &Scramble,
    peer: Peer,
) -> Result<()> {
    match peer {
        Peer::Private => return packets.send(login.password.as_bytes(), &[0]),
        Peer::Plain => {}
        Peer::Unproven(_) => return Err(unproven()),
    }
    packets.send(PUBLIC_KEY_REQUEST, &[])?;
    let payload = packets.receive()?;
    let key = match payload.split_first() {
        Some((&MORE_DATA, key)) => std::str::from_utf8(key).unwrap_or_default(),
        Some((&ERROR, _)) => return Err(refusal(payload)),
        _ => return Err(UNEXPECTED),
    };
    let sealed = seal(login.password.as_bytes(), scramble, key);
    let refused = Error::Protocol("its public key is none, or too short for the password");
    packets.send(&sealed.ok_or(refused)?, &[])
}

fn other_method(method: &[u8]) -> Error {
    let method = String::from_utf8_lossy(method);
    Error::Source(format!(
        "the account wants to log in by {method}, which this client does not speak: it speaks \
         {CACHING_SHA2}, {NATIVE}, {CLIENT_ED25519} and {PARSEC}"
    ))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    const SCRAMBLE: Scramble = *b"abcdefghijklmnopqrst";

    /// Says what it has to say, whatever is written to it.
    struct Scripted {
        said: Vec<u8>,
        at: usize,
    }

    impl Read for Scripted {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            // A packet at a time, as a server does that waits for answers.
            let rest = &self.said[self.at..];
            let length = rest.get(..3).map_or(0, |head| 4 + usize::from(head[0]));
            let count = rest.len().min(length);
            to[..count].copy_from_slice(&rest[..count]);
            self.at += count;
            Ok(count)
        }
    }

    impl Write for Scripted {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            Ok(from.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn packet(payload: &[u8]) -> Vec<u8> {
        [&[payload.len() as u8, 0, 0, 0], payload].concat()
    }

    fn greeting_of(capabilities: u16, method: &str) -> Vec<u8> {
        let mut greeting = b"\x0a9.7.0\0\x01\0\0\0".to_vec();
        greeting.extend_from_slice(&SCRAMBLE[..8]);
        greeting.push(0);
        greeting.extend_from_slice(&capabilities.to_le_bytes());
        greeting.extend_from_slice(&[45, 2, 0, 8, 0, 21]);
        greeting.extend_from_slice(&[0; 10]);
        greeting.extend_from_slice(&SCRAMBLE[8..]);
        greeting.push(0);
        greeting.extend_from_slice(method.as_bytes());
        greeting.push(0);
        packet(&greeting)
    }

    /// A login inside TLS by a certificate with the fingerprint 7, 7, .. that nothing has verified.
    fn outcome(greeting: &[u8], answer: &[u8]) -> Result<()> {
        let said = [greeting, &packet(answer)].concat();
        let mut packets = Packets::new(Box::new(Scripted { said, at: 0 }));
        let login = Login { user: "u".into(), password: "secret".into(), private: false };
        let encrypt = |link| Ok((link, [7; 32]));
        let encryption = LinkEncryption { encrypt: Box::new(encrypt), is_verified: false };
        log_in(&mut packets, &login, Some(encryption))
    }

    fn ok_with(proof: &str) -> Vec<u8> {
        let told = format!("\x01{proof}");
        [&[0, 0, 0, 2, 0, 0, 0, told.len() as u8], told.as_bytes()].concat()
    }

    #[test]
    fn a_server_whose_certificate_nothing_has_verified_proves_it_by_the_password() {
        let greeting = greeting_of(1 << 11, NATIVE);
        let proof =
            |fingerprint| certificate_proof(&native_digest(b"secret"), &SCRAMBLE, &fingerprint);
        assert!(outcome(&greeting, &ok_with(&proof([7; 32]))).is_ok());
        for wrong in [ok_with(&proof([8; 32])), ok_with(""), vec![0, 0, 0, 2, 0, 0, 0]] {
            let refused = outcome(&greeting, &wrong).unwrap_err().to_string();
            assert!(refused.contains("not verified"), "{refused}");
        }
        // Whoever is not verified is not told the password, and cannot prove itself without one.
        let greeting = greeting_of(1 << 11, CACHING_SHA2);
        for answer in [vec![MORE_DATA, FULL_AUTHENTICATION], ok_with(&proof([7; 32]))] {
            let refused = outcome(&greeting, &answer).unwrap_err().to_string();
            assert!(refused.contains("not verified"), "{refused}");
        }
        let refused = outcome(&greeting_of(0, NATIVE), &ok_with("")).unwrap_err().to_string();
        assert_eq!(refused, "the server speaks no TLS");
    }
}
