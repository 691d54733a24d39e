//! The server's side of TLS before a connection: certificate, key, authorities of clients, and how
//! they are read again while the server runs.
//!
//! Invariants
//! 1. What is in use is whole: a certificate, its own key, and authorities that were read together.
//!    Files that are wrong change nothing.
//! 2. A connection keeps what it began with.
//!
//! Not here: the handshake (`channel`), when files are read again (crate `server`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use sha2::{Digest as _, Sha256};

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, and those between it and an authority (PEM).
    pub certificate: PathBuf,
    /// Its key (PEM).
    pub key: PathBuf,
    /// Authorities that sign clients' certificates (PEM); without them no client is asked for one.
    pub client_ca: Option<PathBuf>,
}

/// Why TLS cannot be spoken.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is not what it should be.
    #[error("cannot use {path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A certificate of our own cannot be made.
    #[error("cannot make a certificate: {0}")]
    Make(String),
}

impl TlsError {
    pub(crate) fn file(path: &Path, why: impl std::fmt::Display) -> TlsError {
        TlsError::File { path: path.display().to_string(), why: why.to_string() }
    }
}

/// What connections begin with: the same for all that begin between two readings of the files.
pub(crate) struct Identity {
    /// A client may show a certificate, where there are authorities.
    pub(crate) asks: Arc<ServerConfig>,
    /// It must.
    pub(crate) demands: Arc<ServerConfig>,
    pub(crate) fingerprint: [u8; 32],
}

/// Accepts encrypted connections.
pub struct Acceptor {
    files: TlsFiles,
    identity: RwLock<Arc<Identity>>,
}

impl Acceptor {
    /// With what the files hold.
    ///
    /// # Errors
    /// `TlsError::File`, by the file that is wrong.
    pub fn new(files: TlsFiles) -> Result<Acceptor, TlsError> {
        let identity = RwLock::new(Arc::new(read(&files)?));
        Ok(Acceptor { files, identity })
    }

    /// Reads the files again; connections that begin from now on have what they hold.
    ///
    /// # Errors
    /// `TlsError::File`; then nothing has changed.
    pub fn reload(&self) -> Result<(), TlsError> {
        *self.identity.write() = Arc::new(read(&self.files)?);
        Ok(())
    }

    /// Whether clients are asked for a certificate.
    pub fn asks_for_certificates(&self) -> bool {
        self.files.client_ca.is_some()
    }

    pub(crate) fn identity(&self) -> Arc<Identity> {
        self.identity.read().clone()
    }
}

fn read(files: &TlsFiles) -> Result<Identity, TlsError> {
    let chain = certificates(&files.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| TlsError::file(&files.key, error))?;
    let fingerprint = Sha256::digest(&chain[0]).into();
    let authorities = match &files.client_ca {
        None => None,
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).map_err(|error| TlsError::file(path, error))?;
            }
            Some((path, Arc::new(roots)))
        }
    };
    let config = |demands: bool| {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::file(&files.certificate, error))?;
        let builder = match &authorities {
            None => builder.with_no_client_auth(),
            Some((path, roots)) => {
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider);
                let verifier = if demands { verifier } else { verifier.allow_unauthenticated() };
                let verifier = verifier.build().map_err(|error| TlsError::file(path, error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let chosen = builder.with_single_cert(chain.clone(), key.clone_key());
        let mut config = chosen.map_err(|error| {
            let pair = format!("{} with {}", files.certificate.display(), files.key.display());
            TlsError::File { path: pair, why: error.to_string() }
        })?;
        // Tickets, which the client keeps: the server remembers no sessions.
        config.ticketer =
            ring::Ticketer::new().map_err(|error| TlsError::file(&files.certificate, error))?;
        config.send_tls13_tickets = 1;
        Ok(Arc::new(config))
    };
    Ok(Identity { asks: config(false)?, demands: config(true)?, fingerprint })
}

pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| TlsError::file(path, error))?;
    match chain.is_empty() {
        true => Err(TlsError::file(path, "it holds no certificate")),
        false => Ok(chain),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::make_own_certificate;

    #[test]
    fn wrong_files_are_told_by_name_and_change_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let files = |certificate: &str, key: &str| TlsFiles {
            certificate: at(certificate),
            key: at(key),
            client_ca: None,
        };
        let (first, second) = (files("a.pem", "a-key.pem"), files("b.pem", "b-key.pem"));
        make_own_certificate(&first, "a").unwrap();
        make_own_certificate(&second, "b").unwrap();
        let acceptor = Acceptor::new(first.clone()).unwrap();
        let before = acceptor.identity().fingerprint;
        // A key of another certificate, no certificate, no file.
        fs::copy(&second.key, &first.key).unwrap();
        let wrong = acceptor.reload().unwrap_err().to_string();
        assert!(wrong.contains("a.pem with") && wrong.contains("a-key.pem"), "{wrong}");
        fs::write(&first.certificate, "nonsense").unwrap();
        let wrong = acceptor.reload().unwrap_err().to_string();
        assert!(wrong.contains("a.pem: it holds no certificate"), "{wrong}");
        fs::remove_file(&first.certificate).unwrap();
        assert!(acceptor.reload().unwrap_err().to_string().contains("a.pem"));
        assert_eq!(acceptor.identity().fingerprint, before);
        fs::copy(&second.certificate, &first.certificate).unwrap();
        acceptor.reload().unwrap();
        assert_ne!(acceptor.identity().fingerprint, before);
    }

    #[test]
    fn authorities_of_clients_must_be_there() {
        let directory = tempfile::tempdir().unwrap();
        let mut files = TlsFiles {
            certificate: directory.path().join("c.pem"),
            key: directory.path().join("k.pem"),
            client_ca: Some(directory.path().join("ca.pem")),
        };
        make_own_certificate(&files, "a").unwrap();
        let missing = Acceptor::new(files.clone()).map(|_| ()).unwrap_err().to_string();
        assert!(missing.contains("ca.pem"), "{missing}");
        files.client_ca = Some(files.certificate.clone());
        assert!(Acceptor::new(files).unwrap().asks_for_certificates());
    }
}
