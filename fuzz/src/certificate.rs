//! The certificates of clients: their names, whatever their bytes are.

use tls::Encryption;

use crate::memory::within;

/// Reads the input as the certificate that a client has shown.
pub fn check(input: &[u8]) {
    let encryption = Encryption {
        version: "",
        cipher: "",
        fingerprint: [0; 32],
        peer_certificate: input.to_vec(),
        is_resumed: false,
    };
    // Each element of its structure, and each byte of a name in four letters.
    let bytes_max = 4096 + 64 * input.len();
    let name = within(bytes_max, || encryption.peer_name());
    let lines = within(bytes_max, || encryption.peer_lines());
    if let Some(name) = &name {
        assert!(!name.is_empty() && !name.contains('\0'), "{name:?}");
        let has_it = |(subject, _): &(String, String)| subject.contains("/CN=");
        assert!(lines.as_ref().is_none_or(has_it), "{lines:?}");
    }
    if let Some((subject, issuer)) = lines {
        let is_plain = |line: &str| line.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        assert!(is_plain(&subject) && is_plain(&issuer), "{subject} {issuer}");
    }
}
