//! TLS as a client speaks it: what our own programs reach a server by.
//!
//! Invariants
//! 1. A server's certificate is one of those that are trusted, byte by byte, or an authority among
//!    them has signed it for the server's name. So the certificate that a server has made for
//!    itself can be handed out, whatever its clients call that machine.
//! 2. Without any that is trusted, whoever answers has the key of the certificate that it shows,
//!    and nothing more is known: the caller has to ask for a proof
//!    (`passwords::certificate_proof`).
//!
//! Not here: how a server is asked for TLS (`load::login`).

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    StreamOwned,
};
use sha2::{Digest as _, Sha256};

use crate::acceptor::{TlsError, certificates};

/// Begins encrypted connections.
#[derive(Debug)]
pub struct Connector {
    config: Arc<ClientConfig>,
}

/// An encrypted stream, as a client has it.
pub type EncryptedStream<S> = StreamOwned<ClientConnection, S>;

impl Connector {
    /// One that trusts the certificates of a file (PEM).
    ///
    /// # Errors
    /// `TlsError::File` when the file holds no certificates.
    pub fn trusting(path: &Path) -> Result<Connector, TlsError> {
        let pinned = certificates(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in &pinned {
            roots.add(certificate.clone()).map_err(|error| TlsError::file(path, error))?;
        }
        let provider = Arc::new(ring::default_provider());
        let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = builder.build().map_err(|error| TlsError::file(path, error))?;
        Connector::with(Trust::These { pinned, verifier })
            .map_err(|error| TlsError::file(path, error))
    }

    /// One that takes any certificate, which has to be proved afterwards.
    ///
    /// # Errors
    /// Those of rustls, whose defaults must fit each other.
    pub fn unproven() -> Result<Connector, TlsError> {
        Connector::with(Trust::Unproven).map_err(|error| TlsError::Make(error.to_string()))
    }

    fn with(trust: Trust) -> Result<Connector, Error> {
        let provider = Arc::new(ring::default_provider());
        let verifier = Arc::new(ServerTrust { trust, provider: Arc::clone(&provider) });
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        Ok(Connector { config: Arc::new(builder.with_no_client_auth()) })
    }

    /// Encrypts a stream to a server of this name or address; gives it when the handshake is done,
    /// with SHA-256 of the server's certificate.
    ///
    /// # Errors
    /// Those of the stream, and `InvalidData` where the server is not trusted or speaks no TLS.
    pub fn encrypt<S: Read + Write>(
        &self,
        host: &str,
        mut stream: S,
    ) -> io::Result<(EncryptedStream<S>, [u8; 32])> {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let mut connection =
            ClientConnection::new(Arc::clone(&self.config), name).map_err(invalid)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        let certificate = connection.peer_certificates().and_then(|chain| chain.first());
        let fingerprint = certificate.map(|certificate| Sha256::digest(certificate).into());
        let fingerprint = fingerprint.ok_or(Error::NoCertificatesPresented).map_err(invalid)?;
        Ok((StreamOwned::new(connection, stream), fingerprint))
    }
}

/// Which servers are trusted.
#[derive(Debug)]
enum Trust {
    These { pinned: Vec<CertificateDer<'static>>, verifier: Arc<WebPkiServerVerifier> },
    Unproven,
}

/// Asked by rustls whether a server is trusted.
#[derive(Debug)]
struct ServerTrust {
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for ServerTrust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.trust {
            Trust::These { pinned, verifier } if !pinned.contains(end_entity) => verifier
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now),
            Trust::These { .. } | Trust::Unproven => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
