//! The status door: answers `rowhouse status` and `rowhouse backup` on a UNIX socket in the data
//! directory.
//!
//! ```text
//! client: status\n
//! server: name TAB value\n   for every figure, then the end of the stream
//! client: checkpoint\n       from who holds the lock of `frozen`
//! server: done TAB\n         the state of this moment is in `frozen`; or error TAB why\n
//! ```
//! Whoever may write in the data directory may ask; the socket's permissions are the directory's.
//!
//! Not here: where figures come from (`rows::metrics`), how they are shown (`command::status`),
//! what is made of a checkpoint (`command::backup`).

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use doors::{Conversation, Input, Next, Turn};

use crate::causes::with_causes;
use crate::frozen;
use crate::net::address::connect_unix;

const STATUS: &[u8] = b"status\n";
const CHECKPOINT: &[u8] = b"checkpoint\n";
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to write its buffers to the disk.
const CHECKPOINT_PATIENCE: Duration = Duration::from_secs(600);
/// More than a report ever has.
const REPORT_BYTES_MAX: u64 = 1024 * 1024;

/// A conversation with a command of the same program.
pub struct StatusDoor {
    data_dir: PathBuf,
}

impl StatusDoor {
    /// For the server of a data directory.
    pub fn new(data_dir: PathBuf) -> StatusDoor {
        StatusDoor { data_dir }
    }
}

impl Conversation for StatusDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let said = input.bytes();
        let begun = |request: &[u8]| said.len() < request.len() && request.starts_with(said);
        if begun(STATUS) || begun(CHECKPOINT) {
            return Next::Input;
        }
        let checkpoint = said.starts_with(CHECKPOINT);
        if !checkpoint && !said.starts_with(STATUS) {
            out.extend_from_slice(b"error\tthe requests are: status, checkpoint\n");
            return Next::Close;
        }
        // The store's figures may ask the file system; a checkpoint waits for the disk.
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(input.len());
        if checkpoint {
            out.extend_from_slice(
                match frozen::make(turn.engine().store(), &self.data_dir) {
                    Ok(()) => "done\t\n".to_owned(),
                    Err(error) => format!("error\t{}\n", with_causes(&error)),
                }
                .as_bytes(),
            );
        } else {
            for (name, value) in turn.engine().metrics().figures() {
                out.extend_from_slice(format!("{name}\t{value}\n").as_bytes());
            }
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
    request(socket, STATUS, PATIENCE)
}

/// Asks the server behind a status socket to freeze its state for the caller, who holds the lock
/// of `frozen`.
pub fn ask_for_checkpoint(socket: &Path) -> io::Result<()> {
    let said = request(socket, CHECKPOINT, CHECKPOINT_PATIENCE)?;
    match said.first().map(|(word, why)| (word.as_str(), why)) {
        Some(("done", _)) => Ok(()),
        Some((_, why)) => Err(io::Error::other(why.clone())),
        None => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server ended")),
    }
}

fn request(socket: &Path, request: &[u8], patience: Duration) -> io::Result<Vec<(String, String)>> {
    let mut stream = connect_unix(socket)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let mut report = String::new();
    stream.take(REPORT_BYTES_MAX).read_to_string(&mut report)?;
    let figures = report.lines().filter_map(|line| line.split_once('\t'));
    Ok(figures.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
