//! TLS as the server and its own client programs speak it: certificates, and a channel that turns
//! plain bytes into sealed ones and back.
//!
//! Invariants
//! 1. Nothing here has a socket: sealed bytes come in and go out as slices and buffers.
//! 2. A private key is read from a file that others may not read, or made in one.
//!
//! Not here: which connections are encrypted (`doors`, `server`), what a client's certificate
//! allows it (whoever asks for `Encryption`).

mod acceptor;
mod certificate_name;
mod channel;
mod connector;
mod encryption;
mod own_certificate;

pub use acceptor::{Acceptor, TlsError, TlsFiles};
pub use channel::{Channel, ChannelError, ChannelState};
pub use connector::{Connector, EncryptedStream};
pub use encryption::{Encryption, cipher_name, version_name};
pub use own_certificate::make_own_certificate;
