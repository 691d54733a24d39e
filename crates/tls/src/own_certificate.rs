//! The certificate that a server makes itself, where none is set.
//!
//! It proves to a client that it talks to the server it talked to before, if the client keeps the
//! certificate, and it lets a connection be encrypted. Nobody else has signed it.
//!
//! Invariants
//! 1. The key is readable by its owner alone from the moment its file is there.
//! 2. A crash leaves no certificate beside a key that is not its own.
//!
//! Not here: when it is made (crate `server`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};

use super::acceptor::{TlsError, TlsFiles};

/// The name that a certificate of our own has.
const COMMON_NAME: &str = "Rowhouse server";

/// Makes a key (ECDSA on P-256) and a certificate of it (X.509 version 3), for this machine's name
/// and its own addresses, where `files` say.
///
/// It has no end: nobody but its server's clients trusts it, and they by its fingerprint.
///
/// # Errors
/// `TlsError::Make` when the files cannot be written.
pub fn make_own_certificate(files: &TlsFiles, host: &str) -> Result<(), TlsError> {
    let made = |error: &dyn std::fmt::Display| TlsError::Make(error.to_string());
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    // A host may have a name that no certificate can hold.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if host != "localhost" && !host.is_empty() && host.bytes().all(is_plain) {
        names.push(host.to_owned());
    }
    let mut params = CertificateParams::new(names).map_err(|error| made(&error))?;
    params.distinguished_name.push(DnType::CommonName, COMMON_NAME);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(9999, 12, 31);
    let key = KeyPair::generate().map_err(|error| made(&error))?;
    let certificate = params.self_signed(&key).map_err(|error| made(&error))?;
    let write = || {
        match fs::remove_file(&files.certificate) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        replace(&files.key, key.serialize_pem().as_bytes(), 0o600)?;
        replace(&files.certificate, certificate.pem().as_bytes(), 0o644)
    };
    write().map_err(|error| made(&error))
}

/// Puts a file in its place as a whole, and onto the disk.
fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::Acceptor;

    #[test]
    fn what_is_made_can_be_used_and_its_key_is_its_owners_alone() {
        let directory = tempfile::tempdir().unwrap();
        let files = TlsFiles {
            certificate: directory.path().join("c.pem"),
            key: directory.path().join("k.pem"),
            client_ca: None,
        };
        for host in ["db.example", "a host with spaces", ""] {
            make_own_certificate(&files, host).unwrap();
            Acceptor::new(files.clone()).unwrap();
            let mode = fs::metadata(&files.key).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let files = TlsFiles {
            certificate: missing.join("c.pem"),
            key: missing.join("k.pem"),
            client_ca: None,
        };
        let error = make_own_certificate(&files, "a").unwrap_err().to_string();
        assert!(error.starts_with("cannot make a certificate"), "{error}");
    }
}
