//! The server's certificate: that of the settings, or one of its own, which it makes at its first
//! start.
//!
//! Invariants
//! 1. A certificate of our own that is there is used as it is: clients may have kept it.
//! 2. One that cannot be made (a full disk) keeps nobody from a server that only offers TLS.
//!
//! Not here: TLS (crate `tls`).

use std::sync::Arc;

use anyhow::Context as _;
use doors::mysql::TlsUse;
use tls::{Acceptor, TlsFiles, make_own_certificate};

use crate::data_dir::DataDir;
use crate::settings::Settings;

/// What accepts encrypted connections; `None` where TLS is off.
///
/// # Errors
/// Those of the settings' files, and of a certificate of our own that can be neither made nor used.
pub fn acceptor(settings: &Settings, data_dir: &DataDir) -> anyhow::Result<Option<Arc<Acceptor>>> {
    let tls = &settings.tls;
    if tls.mysql == TlsUse::Off {
        return Ok(None);
    }
    let client_ca = tls.client_ca.clone();
    if let Some((certificate, key)) = tls.certificate.clone() {
        let files = TlsFiles { certificate, key, client_ca };
        return Ok(Some(Arc::new(Acceptor::new(files)?)));
    }
    let (certificate, key) = data_dir.own_certificate();
    let files = TlsFiles { certificate, key, client_ca };
    if !(files.certificate.exists() && files.key.exists()) {
        match make_own_certificate(&files, &hostname()) {
            Ok(()) => {}
            Err(error) if tls.is_only_offered() => {
                tracing::warn!(%error, "no certificate for TLS: connections are not encrypted");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        let certificate = files.certificate.display();
        tracing::info!(%certificate, "made a certificate for TLS");
    }
    let acceptor = Acceptor::new(files)
        .context("remove tls-certificate.pem and tls-key.pem to have new ones made")?;
    Ok(Some(Arc::new(acceptor)))
}

/// The name of this machine.
pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".to_owned(), |name| name.trim_end().to_owned())
}

/// Reads certificate and key again, as SIGHUP asks for.
pub fn reload_at_hangup(acceptor: Option<&Acceptor>) {
    match acceptor.map(Acceptor::reload) {
        None => tracing::info!("SIGHUP: nothing to read anew, TLS is off; SIGTERM stops"),
        Some(Ok(())) => tracing::info!("SIGHUP: certificates were read again; SIGTERM stops"),
        Some(Err(error)) => {
            tracing::error!(%error, "SIGHUP: certificates cannot be read, the old ones stay");
        }
    }
}
