//! What the settings say of TLS, and what a server on a public address needs of it.
//!
//! Not here: reading the files (`tls::Acceptor`), where the ports are bound (`open_doors`).

use std::path::PathBuf;

use doors::mysql::TlsUse;

use super::{Port, Settings, SettingsError, Values, value};

/// How TLS is spoken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// Whether clients of the MySQL port are encrypted.
    pub mysql: TlsUse,
    /// Certificate and key of the server; `None`: its own.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Authorities of clients' certificates.
    pub client_ca: Option<PathBuf>,
    /// The HandlerSocket door for reading, inside TLS.
    pub handlersocket_port: Port,
    /// The HandlerSocket door for writing, inside TLS.
    pub handlersocket_write_port: Port,
    /// The memcached door, inside TLS.
    pub memcached_port: Port,
    /// The Tyrant door, inside TLS.
    pub tyrant_port: Port,
    /// The metrics door, inside TLS.
    pub metrics_port: Port,
    /// The operator's page, inside TLS.
    pub admin_port: Port,
    /// Whether others may be spoken to in plain text.
    pub plain_on_network: bool,
}

impl TlsSettings {
    /// Of these values, the words of choices among them.
    ///
    /// # Errors
    /// A port that is none, a certificate without its key, ports for TLS that is off.
    pub(super) fn of(
        values: &Values,
        tls: &str,
        plain_text: &str,
    ) -> Result<TlsSettings, SettingsError> {
        let refuse = |why: &str| Err(SettingsError::Contradiction(why.to_owned()));
        let certificate = values.get("tls-certificate", value::path)?;
        let key = values.get("tls-key", value::path)?;
        let certificate = match (certificate, key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            (Some(_), None) => return refuse("tls-certificate is set, but not the tls-key to it"),
            (None, Some(_)) => return refuse("tls-key is set, but not the tls-certificate to it"),
        };
        let settings = TlsSettings {
            mysql: match tls {
                "off" => TlsUse::Off,
                "required" => TlsUse::Required,
                _ => TlsUse::Offered,
            },
            certificate,
            client_ca: values.get("tls-ca", value::path)?,
            handlersocket_port: values.get("handlersocket-tls-port", value::port)?,
            handlersocket_write_port: values.get("handlersocket-write-tls-port", value::port)?,
            memcached_port: values.get("memcached-tls-port", value::port)?,
            tyrant_port: values.get("tyrant-tls-port", value::port)?,
            metrics_port: values.get("metrics-tls-port", value::port)?,
            admin_port: values.get("admin-tls-port", value::port)?,
            plain_on_network: plain_text == "allow",
        };
        if settings.mysql == TlsUse::Off {
            for (name, port) in settings.ports() {
                if port != Port::Off {
                    return refuse(&format!("{name} is open, but tls = \"off\""));
                }
            }
        }
        Ok(settings)
    }

    /// Whether no client depends on TLS.
    pub fn is_only_offered(&self) -> bool {
        self.mysql == TlsUse::Offered && self.ports().iter().all(|(_, port)| *port == Port::Off)
    }

    /// The ports that speak TLS from the first byte on, by their settings.
    pub fn ports(&self) -> [(&'static str, Port); 6] {
        [
            ("handlersocket-tls-port", self.handlersocket_port),
            ("handlersocket-write-tls-port", self.handlersocket_write_port),
            ("memcached-tls-port", self.memcached_port),
            ("tyrant-tls-port", self.tyrant_port),
            ("metrics-tls-port", self.metrics_port),
            ("admin-tls-port", self.admin_port),
        ]
    }
}

impl Settings {
    /// Why a server that others can reach is not safe: plain text, or nobody to be told from
    /// another inside TLS.
    pub(super) fn public_without_tls(&self) -> Option<String> {
        let tls = &self.tls;
        let plain = [
            ("handlersocket-port", self.handlersocket_port),
            ("handlersocket-write-port", self.handlersocket_write_port),
            ("memcached-port", self.memcached_port),
            ("tyrant-port", self.tyrant_port),
        ];
        let allow = "or say plain-text-on-network = \"allow\"";
        if !tls.plain_on_network {
            if self.mysql_port != Port::Off && tls.mysql != TlsUse::Required {
                return Some(format!("set tls = \"required\", {allow}"));
            }
            if let Some((name, _)) = plain.iter().find(|(_, port)| *port != Port::Off) {
                let of_tls = name.replace("-port", "-tls-port");
                let instead = format!("set {name} = \"off\", and {of_tls} instead");
                return Some(format!("{instead}, {allow}"));
            }
        }
        let is_open = tls.metrics_port != Port::Off && tls.client_ca.is_none();
        is_open.then(|| {
            "metrics-tls-port lets everybody in: set tls-ca, or metrics-tls-port = \"off\""
                .to_owned()
        })
    }
}
