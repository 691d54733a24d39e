//! The connection phase's packets: greeting, the client's response, COM_CHANGE_USER.
//!
//! ```text
//! greeting   10, version 0, connection id 4, scramble 8, 0, capabilities low 2, character set 1,
//!            status 2, capabilities high 2, scramble length 1, zeros 10, scramble 12, 0, method 0
//! response   capabilities 4, packet size 4, character set 1, zeros 23, user 0,
//!            proof (length-encoded, or one length byte), [database 0], [method 0], [attributes]
//! ```
//!
//! A client that wants TLS sends the first 32 bytes of a response alone, and the whole response
//! inside TLS. One that wants it where it was not offered is told so instead of being left with a
//! broken stream.
//!
//! Not here: whether the proof is right (`auth`).

use passwords::Scramble;

use super::cursor::{MalformedPayload, PayloadCursor};
use super::frame::Packets;
use super::numbers::{capability, character_set, status};

/// What the client says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login<'a> {
    /// User name.
    pub user: &'a [u8],
    /// Proof of the password by `method`; empty for an empty password.
    pub proof: &'a [u8],
    /// Database to use; empty for none.
    pub database: &'a [u8],
    /// The authentication method that made the proof; empty when the client names none.
    pub method: &'a [u8],
    /// Number of the character set the client wants to talk in.
    pub character_set: u16,
    /// What the client says of itself (`attributes`); empty when it says nothing.
    pub attributes: &'a [u8],
}

/// The client's first packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response<'a> {
    /// A login with the client's capabilities.
    Login(u32, Login<'a>),
    /// The client wants TLS now.
    TlsRequest,
    /// The protocol before MySQL 4.1, which is not served.
    TooOld,
}

/// Writes the greeting.
pub fn write_greeting(
    packets: &mut Packets<'_>,
    version: &str,
    connection_id: u32,
    scramble: &Scramble,
    method: &str,
    offers_tls: bool,
) {
    packets.packet(|out| {
        let tls = if offers_tls { capability::SSL } else { 0 };
        let capabilities = (capability::SERVER | tls).to_le_bytes();
        out.push(10);
        out.extend_from_slice(version.as_bytes());
        out.push(0);
        out.extend_from_slice(&connection_id.to_le_bytes());
        out.extend_from_slice(&scramble[..8]);
        out.push(0);
        out.extend_from_slice(&capabilities[..2]);
        // A byte, which this number fits.
        out.push(character_set::UTF8MB4_GENERAL_CI as u8);
        out.extend_from_slice(&status::AUTOCOMMIT.to_le_bytes());
        out.extend_from_slice(&capabilities[2..]);
        out.push(scramble.len() as u8 + 1);
        out.extend_from_slice(&[0; 10]);
        out.extend_from_slice(&scramble[8..]);
        out.push(0);
        out.extend_from_slice(method.as_bytes());
        out.push(0);
    });
}

/// Reads the client's response to the greeting; inside TLS, which no client asks for twice, or
/// outside.
///
/// # Errors
/// `MalformedPayload` when it is too short for what its capabilities announce.
pub fn response(payload: &[u8], is_encrypted: bool) -> Result<Response<'_>, MalformedPayload> {
    let mut cursor = PayloadCursor::new(payload);
    let capabilities = PayloadCursor::new(payload).u16()? as u32;
    if capabilities & capability::PROTOCOL_41 == 0 {
        return Ok(Response::TooOld);
    }
    let capabilities = cursor.u32()?;
    cursor.u32()?;
    let character_set = cursor.u8()? as u16;
    cursor.bytes(23)?;
    if capabilities & capability::SSL != 0 && !is_encrypted {
        return if cursor.is_empty() { Ok(Response::TlsRequest) } else { Err(MalformedPayload) };
    }
    let has = |flag: u32| capabilities & flag != 0;
    let user = cursor.until_zero()?;
    let proof = if has(capability::PLUGIN_AUTH_LENENC) {
        cursor.lenenc_bytes()?
    } else if has(capability::SECURE_CONNECTION) {
        let length = cursor.u8()?;
        cursor.bytes(length as usize)?
    } else {
        cursor.until_zero()?
    };
    let database = if has(capability::CONNECT_WITH_DB) { cursor.until_zero_or_end() } else { b"" };
    let method = if has(capability::PLUGIN_AUTH) { cursor.until_zero_or_end() } else { b"" };
    // An application that names itself wrongly may log in all the same.
    let announces = has(capability::CONNECT_ATTRS);
    let attributes = if announces { cursor.lenenc_bytes().unwrap_or_default() } else { b"" };
    Ok(Response::Login(
        capabilities & capability::ACCEPTED,
        Login { user, proof, database, method, character_set, attributes },
    ))
}

/// Reads COM_CHANGE_USER behind its command byte. `capabilities` are the connection's.
///
/// # Errors
/// `MalformedPayload` when it is too short.
pub fn change_user(payload: &[u8], capabilities: u32) -> Result<Login<'_>, MalformedPayload> {
    let mut cursor = PayloadCursor::new(payload);
    let user = cursor.until_zero()?;
    let proof = if capabilities & capability::SECURE_CONNECTION != 0 {
        let length = cursor.u8()?;
        cursor.bytes(length as usize)?
    } else {
        cursor.until_zero()?
    };
    let database = cursor.until_zero_or_end();
    let character_set = if cursor.is_empty() { 0 } else { cursor.u16()? };
    let method =
        if capabilities & capability::PLUGIN_AUTH != 0 { cursor.until_zero_or_end() } else { b"" };
    let announces = capabilities & capability::CONNECT_ATTRS != 0;
    let attributes = if announces { cursor.lenenc_bytes().unwrap_or_default() } else { b"" };
    Ok(Login { user, proof, database, method, character_set, attributes })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A response as MySQL 8's client library sends it.
    pub fn sample_response() -> Vec<u8> {
        let capabilities = capability::SERVER;
        let mut payload = capabilities.to_le_bytes().to_vec();
        payload.extend_from_slice(&(1u32 << 24).to_le_bytes());
        payload.push(255);
        payload.extend_from_slice(&[0; 23]);
        payload.extend_from_slice(b"root\0\x03abcshop\0caching_sha2_password\0");
        payload.extend_from_slice(b"\x0c\x04_pid\x06123456");
        payload
    }

    #[test]
    fn a_full_response_is_read() {
        let payload = sample_response();
        let Ok(Response::Login(capabilities, login)) = response(&payload, false) else {
            panic!("not read as a login");
        };
        assert_eq!(capabilities, capability::SERVER);
        assert_eq!(login.user, b"root");
        assert_eq!(login.proof, b"abc");
        assert_eq!(login.database, b"shop");
        assert_eq!(login.method, b"caching_sha2_password");
        assert_eq!(login.character_set, 255);
        assert_eq!(login.attributes, b"\x04_pid\x06123456");
    }

    #[test]
    fn a_request_for_tls_and_an_old_client_are_told_apart_from_garbage() {
        let mut payload = sample_response();
        payload[1] |= (capability::SSL >> 8) as u8;
        assert_eq!(response(&payload, false), Err(MalformedPayload), "a login outside TLS");
        assert!(matches!(response(&payload, true), Ok(Response::Login(..))));
        payload.truncate(32);
        assert_eq!(response(&payload, true), Err(MalformedPayload), "TLS inside TLS");
        assert_eq!(response(&payload, false), Ok(Response::TlsRequest));
        assert_eq!(response(&[0x85, 0, 0, 0, 0], false), Ok(Response::TooOld));
        assert_eq!(response(&[], false), Err(MalformedPayload));
    }

    #[test]
    fn change_user_is_read_with_and_without_its_tail() {
        let short = change_user(b"bob\0\x00shop\0", capability::SERVER).expect("valid");
        assert_eq!(
            (short.user, short.database, short.method),
            (&b"bob"[..], &b"shop"[..], &b""[..])
        );
        let full =
            change_user(b"bob\0\x02xyshop\0\x2d\0caching_sha2_password\0", capability::SERVER)
                .expect("valid");
        assert_eq!((full.proof, full.character_set), (&b"xy"[..], 45));
        assert_eq!(full.method, b"caching_sha2_password");
    }

    proptest! {
        #[test]
        fn mutated_responses_never_panic(
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            length in any::<prop::sample::Index>(),
        ) {
            let mut payload = sample_response();
            let at = at.index(payload.len());
            payload[at] = byte;
            payload.truncate(length.index(payload.len() + 1));
            let _ = response(&payload, false);
            let _ = change_user(&payload, capability::SERVER);
        }
    }
}
