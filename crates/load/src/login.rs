//! Logging in: the client's side of the exchange that proves a password.
//!
//! ```text
//! greeting: scramble, method     ->
//!                                <-    user, proof by that method
//! OK, or: another method         ->
//!                                <-    proof by that one
//! OK, or (caching_sha2_password): the password is known, OK follows; or: send the password
//!                                <-    "your public key", then the password sealed with it
//! ```
//! Over a private link the password is sent as it is, which is what MySQL expects there.
//!
//! Not here: the arithmetic of proofs (crate `passwords`), TLS.

use passwords::{
    CACHING_SHA2, FAST_SUCCESS, FULL_AUTHENTICATION, NATIVE, PUBLIC_KEY_REQUEST, Scramble,
    caching_sha2_proof, native_proof, seal,
};

use crate::error::{Error, Result};
use crate::wire::{Cursor, EOF, ERROR, OK, Packets, refusal};

/// LONG_PASSWORD, LONG_FLAG, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 1 | 1 << 2 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19;
/// The largest packet that this client names; the server has a limit of its own.
const PACKET_BYTES_MAX: u32 = 1 << 30;
/// utf8mb4_general_ci.
const CHARACTER_SET: u8 = 45;
const MORE_DATA: u8 = 1;
/// More than any login takes.
const PACKETS_MAX: usize = 10;

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

/// A method that this client speaks.
#[derive(Clone, Copy)]
enum Method {
    Native,
    CachingSha2,
}

impl Method {
    fn named(name: &[u8]) -> Option<Method> {
        let known = [Method::Native, Method::CachingSha2];
        known.into_iter().find(|method| method.name().as_bytes() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Method::Native => NATIVE,
            Method::CachingSha2 => CACHING_SHA2,
        }
    }

    /// An empty password is proved by nothing.
    fn proof(self, password: &str, scramble: &Scramble) -> Vec<u8> {
        let password = password.as_bytes();
        match self {
            _ if password.is_empty() => Vec::new(),
            Method::Native => native_proof(password, scramble).to_vec(),
            Method::CachingSha2 => caching_sha2_proof(password, scramble).to_vec(),
        }
    }
}

/// Logs in over a fresh link, on which the server greets.
pub(crate) fn log_in(packets: &mut Packets, login: &Login) -> Result<()> {
    let (mut scramble, method) = greeting(packets.receive()?)?;
    packets.send(&response(login, method, &scramble), &[])?;
    for _ in 0..PACKETS_MAX {
        let payload = packets.receive()?;
        let mut cursor = Cursor(payload.get(1..).unwrap_or_default());
        match payload.first() {
            Some(&OK) => return Ok(()),
            Some(&ERROR) => return Err(refusal(payload)),
            Some(&EOF) => {
                let name = cursor.until_zero();
                let method = Method::named(name).ok_or_else(|| other_method(name))?;
                scramble = of_bytes(cursor.until_zero())?;
                packets.send(&method.proof(&login.password, &scramble), &[])?;
            }
            Some(&MORE_DATA) => match cursor.0 {
                [FAST_SUCCESS] => {}
                [FULL_AUTHENTICATION] => tell_password(packets, login, &scramble)?,
                _ => return Err(UNEXPECTED),
            },
            _ => return Err(UNEXPECTED),
        }
    }
    Err(UNEXPECTED)
}

const UNEXPECTED: Error = Error::Protocol("the login is answered by something else");

/// The scramble, and the method to begin with.
fn greeting(greeting: &[u8]) -> Result<(Scramble, Method)> {
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
    cursor.bytes(1 + 2 + 1 + 2 + 2 + 1 + 10)?;
    let scramble = of_bytes(&[first, cursor.bytes(12)?].concat())?;
    // A zero lies between; servers from before there were names send nothing more.
    let name = cursor.0.get(1..).map_or(&[][..], |name| Cursor(name).until_zero());
    // Whoever wants a method that is not spoken here may still take the old one from this user.
    Ok((scramble, Method::named(name).unwrap_or(Method::Native)))
}

fn of_bytes(bytes: &[u8]) -> Result<Scramble> {
    bytes.try_into().map_err(|_| Error::Protocol("a scramble is not 20 bytes long"))
}

fn response(login: &Login, method: Method, scramble: &Scramble) -> Vec<u8> {
    let mut response = Vec::new();
    response.extend_from_slice(&CAPABILITIES.to_le_bytes());
    response.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
    response.push(CHARACTER_SET);
    response.extend_from_slice(&[0; 23]);
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
fn tell_password(packets: &mut Packets, login: &Login, scramble: &Scramble) -> Result<()> {
    if login.private {
        return packets.send(login.password.as_bytes(), &[0]);
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
         {CACHING_SHA2} and {NATIVE}"
    ))
}
