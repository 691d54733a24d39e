//! How a client's connection is encrypted, as accounts ask for it.
//!
//! Not here: what an account asks (`access::tls_need`).

use access::PeerTls;
use tls::Encryption;

/// The cipher, and whom the client's certificate names.
pub(crate) fn peer_tls(encryption: &Encryption) -> PeerTls {
    PeerTls { certificate: encryption.peer_lines(), cipher: encryption.cipher }
}
