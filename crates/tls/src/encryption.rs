//! What is known of an encrypted connection once its handshake is done.
//!
//! Not here: the handshake (`channel`).

use rustls::{CipherSuite, ProtocolVersion};

use crate::certificate_name::{common_name, lines};

/// The facts of an encrypted connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encryption {
    /// `TLSv1.2` or `TLSv1.3`.
    pub version: &'static str,
    /// The cipher suite, as OpenSSL and MySQL name it.
    pub cipher: &'static str,
    /// SHA-256 of the server's certificate.
    pub fingerprint: [u8; 32],
    /// The client's certificate (DER), which the authorities of the settings have signed; empty
    /// when it showed none.
    pub peer_certificate: Vec<u8>,
    /// Whether it went on from an earlier session, without the costly part of the handshake.
    pub is_resumed: bool,
}

impl Encryption {
    /// The common name of the subject of the client's certificate, if it showed one that has one
    /// alone.
    pub fn peer_name(&self) -> Option<String> {
        common_name(&self.peer_certificate)
    }

    /// Subject and issuer of the client's certificate, each on a line as OpenSSL writes it, if it
    /// showed one.
    pub fn peer_lines(&self) -> Option<(String, String)> {
        lines(&self.peer_certificate)
    }
}

/// A version of the protocol as MySQL names it.
pub fn version_name(version: Option<ProtocolVersion>) -> &'static str {
    match version {
        Some(ProtocolVersion::TLSv1_3) => "TLSv1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLSv1.2",
        _ => "",
    }
}

/// A cipher suite as OpenSSL and MySQL name it.
pub fn cipher_name(suite: Option<CipherSuite>) -> &'static str {
    use CipherSuite as Suite;
    match suite {
        Some(Suite::TLS13_AES_256_GCM_SHA384) => "TLS_AES_256_GCM_SHA384",
        Some(Suite::TLS13_AES_128_GCM_SHA256) => "TLS_AES_128_GCM_SHA256",
        Some(Suite::TLS13_CHACHA20_POLY1305_SHA256) => "TLS_CHACHA20_POLY1305_SHA256",
        Some(Suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384) => "ECDHE-ECDSA-AES256-GCM-SHA384",
        Some(Suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256) => "ECDHE-ECDSA-AES128-GCM-SHA256",
        Some(Suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256) => {
            "ECDHE-ECDSA-CHACHA20-POLY1305"
        }
        Some(Suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) => "ECDHE-RSA-AES256-GCM-SHA384",
        Some(Suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256) => "ECDHE-RSA-AES128-GCM-SHA256",
        Some(Suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256) => "ECDHE-RSA-CHACHA20-POLY1305",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_that_is_spoken_has_a_name() {
        for suite in rustls::crypto::ring::ALL_CIPHER_SUITES {
            assert_ne!(cipher_name(Some(suite.suite())), "", "{suite:?}");
        }
        assert_eq!((cipher_name(None), version_name(None)), ("", ""));
    }
}
