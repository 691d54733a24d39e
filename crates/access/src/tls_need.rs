//! `TlsNeed`: how an account's connections must be encrypted (REQUIRE).
//!
//! Not here: encryption (crate `tls`), the moment at which it is asked (`doors::mysql`).

use serde::{Deserialize, Serialize};

/// REQUIRE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TlsNeed {
    /// NONE.
    #[default]
    None,
    /// SSL: by TLS.
    Encrypted,
    /// X509: by TLS, with a certificate that the authorities of the settings have signed.
    Certificate,
}

impl TlsNeed {
    /// As statements say it.
    pub const fn words(self) -> &'static str {
        match self {
            TlsNeed::None => "NONE",
            TlsNeed::Encrypted => "SSL",
            TlsNeed::Certificate => "X509",
        }
    }

    /// Whether a connection is as it must be; `certificate`: that of the client, empty without one,
    /// where it is encrypted.
    pub fn is_met(self, certificate: Option<&[u8]>) -> bool {
        match self {
            TlsNeed::None => true,
            TlsNeed::Encrypted => certificate.is_some(),
            TlsNeed::Certificate => certificate.is_some_and(|certificate| !certificate.is_empty()),
        }
    }

    /// Whether it is none.
    pub fn is_none(&self) -> bool {
        *self == TlsNeed::None
    }
}
