//! `TlsNeed`: how an account's connections must be encrypted (REQUIRE).
//!
//! Not here: encryption and reading certificates (crate `tls`), the moment at which it is asked
//! (`doors::mysql`).

use serde::{Deserialize, Serialize};

/// REQUIRE.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TlsNeed {
    /// NONE.
    #[default]
    None,
    /// SSL: by TLS.
    Encrypted,
    /// X509: by TLS, with a certificate that the authorities of the settings have signed.
    Certificate,
    /// SUBJECT, ISSUER, CIPHER: by TLS that is like this.
    Specified(TlsDetails),
}

/// What TLS must be like; an empty text says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsDetails {
    /// The subject of the client's certificate, as OpenSSL writes it on a line.
    pub subject: String,
    /// Its issuer.
    pub issuer: String,
    /// The cipher suite by OpenSSL's name.
    pub cipher: String,
}

/// How a connection is encrypted, and whom its client's certificate names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerTls {
    /// Subject and issuer of the client's certificate, each as OpenSSL writes it on a line; `None`
    /// without a certificate that the authorities of the settings have signed.
    pub certificate: Option<(String, String)>,
    /// The cipher suite by OpenSSL's name.
    pub cipher: &'static str,
}

impl TlsNeed {
    /// As `ssl_type` of `mysql.user` has it.
    pub const fn kind(&self) -> &'static str {
        match self {
            TlsNeed::None => "",
            TlsNeed::Encrypted => "ANY",
            TlsNeed::Certificate => "X509",
            TlsNeed::Specified(_) => "SPECIFIED",
        }
    }

    /// What must be so of a connection that is specified.
    pub fn details(&self) -> TlsDetails {
        match self {
            TlsNeed::Specified(details) => details.clone(),
            _ => TlsDetails::default(),
        }
    }

    /// Whether a connection is as it must be; `tls`: how it is encrypted, if it is.
    pub fn is_met(&self, tls: Option<&PeerTls>) -> bool {
        let Some(tls) = tls else { return self.is_none() };
        match self {
            TlsNeed::None | TlsNeed::Encrypted => true,
            TlsNeed::Certificate => tls.certificate.is_some(),
            TlsNeed::Specified(TlsDetails { subject, issuer, cipher }) => {
                let names_it = |wanted: &String, name: fn(&(String, String)) -> &String| {
                    wanted.is_empty() || tls.certificate.as_ref().is_some_and(|c| name(c) == wanted)
                };
                names_it(subject, |certificate| &certificate.0)
                    && names_it(issuer, |certificate| &certificate.1)
                    && (cipher.is_empty() || cipher == tls.cipher)
            }
        }
    }

    /// Whether it is none.
    pub fn is_none(&self) -> bool {
        *self == TlsNeed::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_meets_what_is_specified_in_all_of_it() {
        let certificate = Some(("/CN=app".to_owned(), "/CN=ca".to_owned()));
        let tls = PeerTls { certificate, cipher: "AES" };
        let bare = PeerTls { certificate: None, ..tls.clone() };
        let need = |subject: &str, issuer: &str, cipher: &str| {
            TlsNeed::Specified(TlsDetails {
                subject: subject.into(),
                issuer: issuer.into(),
                cipher: cipher.into(),
            })
        };
        assert!(need("/CN=app", "/CN=ca", "AES").is_met(Some(&tls)));
        for other in [need("/CN=ap", "", ""), need("", "/CN=app", ""), need("", "", "DES")] {
            assert!(!other.is_met(Some(&tls)), "{other:?}");
        }
        assert!(need("", "", "AES").is_met(Some(&bare)), "a cipher alone wants no certificate");
        assert!(!need("", "/CN=ca", "").is_met(Some(&bare)) && !need("", "", "AES").is_met(None));
        assert!(
            !TlsNeed::Certificate.is_met(Some(&bare)) && TlsNeed::Encrypted.is_met(Some(&bare))
        );
        assert!(!TlsNeed::Encrypted.is_met(None) && TlsNeed::None.is_met(None));
    }
}
