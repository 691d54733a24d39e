//! The status door: answers `rowhouse status` on a UNIX socket in the data directory.
//!
//! ```text
//! client: status\n
//! server: name TAB value\n   for every figure, then the end of the stream
//! ```
//! Whoever may write in the data directory may ask; the socket's permissions are the directory's.
//!
//! Not here: where figures come from (`rows::metrics`), how they are shown (`command::status`).

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use doors::{Conversation, Input, Next, Turn};

use crate::net::address::connect_unix;

/// The one request.
const REQUEST: &[u8] = b"status\n";
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than a report ever has.
const REPORT_BYTES_MAX: u64 = 1024 * 1024;

/// A conversation with somebody who asks for the status.
pub struct StatusDoor;

impl Conversation for StatusDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        if input.len() < REQUEST.len() && REQUEST.starts_with(input.bytes()) {
            return Next::Input;
        }
        if !input.bytes().starts_with(REQUEST) {
            out.extend_from_slice(b"error\tthe one request is: status\n");
            return Next::Close;
        }
        // The store's figures may ask the file system.
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(input.len());
        for (name, value) in turn.engine().metrics().figures() {
            out.extend_from_slice(format!("{name}\t{value}\n").as_bytes());
        }
        turn.served(1);
        Next::Close
    }

    fn commit_failed(&mut self, _error: &rows::Error, _out: &mut Vec<u8>) {
        // Nothing is ever written here.
    }
}

/// Asks the server behind a status socket for its figures, by name.
pub fn ask(socket: &Path) -> io::Result<Vec<(String, String)>> {
    let mut stream = connect_unix(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(REQUEST)?;
    let mut report = String::new();
    stream.take(REPORT_BYTES_MAX).read_to_string(&mut report)?;
    let figures = report.lines().filter_map(|line| line.split_once('\t'));
    Ok(figures.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
