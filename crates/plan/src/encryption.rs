//! What SQL knows of TLS: whether the server speaks it, how certificates are read again, and how
//! the client of a session is encrypted.
//!
//! Not here: TLS itself (crate `tls`), which clients must be encrypted (`doors::mysql`).

use std::fmt;
use std::sync::Arc;

/// Reads certificates again; says why that cannot be done.
type Reload = dyn Fn() -> Result<(), String> + Send + Sync;

/// The TLS of a server that speaks it.
#[derive(Clone)]
pub struct ServerTls {
    /// `@@require_secure_transport`.
    pub is_required: bool,
    /// ALTER INSTANCE RELOAD TLS.
    pub reload: Arc<Reload>,
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerTls").field("is_required", &self.is_required).finish_non_exhaustive()
    }
}

/// How the client of a session is encrypted; empty texts where it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTls {
    /// `Ssl_version` of SHOW STATUS.
    pub version: &'static str,
    /// `Ssl_cipher`.
    pub cipher: &'static str,
}
