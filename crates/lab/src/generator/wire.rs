//! A connected socket, in plain text or within TLS.
//!
//! Invariants
//! 1. What was decrypted is read before the socket is waited for again: nothing wakes for it.
//!
//! Not here: who the server is. The lab asks its own servers on this machine and verifies nothing.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};

/// A connected socket.
pub enum Wire {
    /// Bytes as they are.
    Plain(TcpStream),
    /// Within TLS, past the handshake.
    Encrypted(Box<EncryptedWire>),
}

/// A socket and what encrypts it.
pub struct EncryptedWire {
    stream: TcpStream,
    tls: ClientConnection,
}

impl From<TcpStream> for Wire {
    fn from(stream: TcpStream) -> Wire {
        Wire::Plain(stream)
    }
}

impl Wire {
    /// Shakes hands on a connected socket.
    ///
    /// # Errors
    /// Of the socket, and of TLS.
    pub fn encrypted(mut stream: TcpStream, config: &Arc<ClientConfig>) -> io::Result<Wire> {
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let mut tls = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        while tls.is_handshaking() {
            tls.complete_io(&mut stream)?;
        }
        Ok(Wire::Encrypted(Box::new(EncryptedWire { stream, tls })))
    }

    /// The socket itself.
    pub fn socket(&self) -> &TcpStream {
        match self {
            Wire::Plain(stream) => stream,
            Wire::Encrypted(wire) => &wire.stream,
        }
    }

    /// Sends what was written and is not gone yet; `true` if some is left.
    ///
    /// # Errors
    /// Of the socket.
    pub fn send_rest(&mut self) -> io::Result<bool> {
        let Wire::Encrypted(wire) = self else { return Ok(false) };
        while wire.tls.wants_write() {
            match wire.tls.write_tls(&mut wire.stream) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

impl Read for Wire {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let wire = match self {
            Wire::Plain(stream) => return stream.read(out),
            Wire::Encrypted(wire) => wire,
        };
        loop {
            match wire.tls.reader().read(out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            if wire.tls.read_tls(&mut wire.stream)? == 0 {
                return Ok(0);
            }
            wire.tls.process_new_packets().map_err(io::Error::other)?;
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Wire::Plain(stream) => stream.write(bytes),
            Wire::Encrypted(wire) => match wire.tls.writer().write(bytes)? {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                taken => Ok(taken),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How clients of the lab encrypt.
///
/// # Errors
/// None with the versions and ciphers that are built in.
pub fn client_config() -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(AnyServer(Arc::clone(&provider)));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Takes every certificate.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _others: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _status: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
