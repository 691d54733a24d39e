//! The status door: answers `rowhouse status`, `rowhouse top` and `rowhouse backup` on a UNIX
//! socket in the data directory.
//!
//! ```text
//! client: status\n
//! server: name TAB value\n   for every figure, then the end of the stream; or error TAB why\n
//! client: top\n
//! server: top TAB JSON\n     what the page's first screen shows, in one line; or error TAB why\n
//! client: checkpoint\n       from who holds the lock of `frozen`
//! server: done TAB\n         the state of this moment is in `frozen`; or error TAB why\n
//! ```
//! Its connections are not counted with those of clients: it answers also when all places are
//! taken. A user who may write in the data directory may ask; the socket's permissions are the
//! directory's.
//!
//! Not here: where figures come from (`rows::metrics`), how they are shown (`command::status`),
//! what is made of a checkpoint (`command::backup`).

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use doors::{Conversation, Input, Next, Turn};
use results::SqlError;
use serde_json::Value;
use sql::Session;

use crate::causes::with_causes;
use crate::frozen;
use crate::net::address::connect_unix;
use crate::page::{self, PageShared};

const STATUS: &[u8] = b"status\n";
const CHECKPOINT: &[u8] = b"checkpoint\n";
const TOP: &[u8] = b"top\n";
/// The figure that no whole report is without.
const VERSION_FIGURE: &str = "version";
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to write its buffers to the disk.
const CHECKPOINT_PATIENCE: Duration = Duration::from_secs(600);
/// More than a report ever has.
const REPORT_BYTES_MAX: u64 = 1024 * 1024;

/// A conversation with a command of the same program.
pub struct StatusDoor {
    shared: Arc<PageShared>,
    connection_id: u32,
}

impl StatusDoor {
    /// For the server whose page shares this.
    pub fn new(shared: Arc<PageShared>, connection_id: u32) -> StatusDoor {
        StatusDoor { shared, connection_id }
    }

    /// What the page's first screen shows, and who waits. Whoever may read the data directory may
    /// see everything, whatever its accounts say.
    fn top(&self, turn: &Turn<'_>) -> Result<String, SqlError> {
        let figures = turn.engine().metrics().figures();
        let mut said = page::now(figures, &self.shared.metrics, &self.shared.data_dir);
        let mut session =
            Session::new(&self.shared.sql, self.connection_id, "root", "localhost", None)?;
        said.append(&mut page::parts(&mut session, page::TOP));
        Ok(Value::Object(said).to_string())
    }
}

impl Conversation for StatusDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let said = input.bytes();
        let begun = |request: &[u8]| said.len() < request.len() && request.starts_with(said);
        if begun(STATUS) || begun(CHECKPOINT) || begun(TOP) {
            return Next::Input;
        }
        let (checkpoint, top) = (said.starts_with(CHECKPOINT), said.starts_with(TOP));
        if !checkpoint && !top && !said.starts_with(STATUS) {
            out.extend_from_slice(b"error\tthe requests are: status, top, checkpoint\n");
            return Next::Close;
        }
        // The store's figures may ask the file system; a checkpoint waits for the disk.
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(input.len());
        if checkpoint {
            out.extend_from_slice(
                match frozen::make(&**turn.engine().store(), &self.shared.data_dir) {
                    Ok(()) => "done\t\n".to_owned(),
                    Err(error) => format!("error\t{}\n", with_causes(&error)),
                }
                .as_bytes(),
            );
        } else if top {
            out.extend_from_slice(
                match self.top(turn) {
                    Ok(said) => format!("top\t{said}\n"),
                    Err(error) => format!("error\t{}\n", error.message()),
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

    fn is_known(&self) -> bool {
        // One that connects and asks nothing is closed after a while, so that others find a place.
        false
    }

    fn commit_failed(&mut self, _error: &rows::Error, _out: &mut Vec<u8>) {
        // Nothing is ever written here.
    }
}

/// Why a server was not asked, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody listens at the socket.
    #[error(
        "no server answers: {0}; start it (`rowhouse serve`), or name its directory (--data-dir)"
    )]
    Nobody(#[source] io::Error),
    /// It could not be asked, or did not answer in time.
    #[error("the server does not answer: {0}; see its log")]
    Failed(#[source] io::Error),
    /// The server says why it does not.
    #[error("the server refuses: {0}; its log says more")]
    Refused(String),
    /// The answer is not whole.
    #[error("the server's answer ends too early; ask again, and see its log")]
    CutShort,
}

/// Asks the server behind a status socket for its figures, by name.
///
/// # Errors
/// When nobody is there, or no whole answer has come.
pub fn ask(socket: &Path) -> Result<Vec<(String, String)>, AskError> {
    let figures = request(socket, STATUS, PATIENCE)?;
    match figures.iter().any(|(name, _)| name == VERSION_FIGURE) {
        true => Ok(figures),
        false => Err(AskError::CutShort),
    }
}

/// Asks the server behind a status socket for what the page's first screen shows, as JSON.
///
/// # Errors
/// When nobody is there, or no whole answer has come.
pub fn ask_for_top(socket: &Path) -> Result<Value, AskError> {
    let said = request(socket, TOP, PATIENCE)?;
    let said = said.first().filter(|(word, _)| word == "top");
    said.and_then(|(_, said)| serde_json::from_str(said).ok()).ok_or(AskError::CutShort)
}

/// Asks the server behind a status socket to freeze its state for the caller, who holds the lock
/// of `frozen`.
///
/// # Errors
/// When nobody is there, or the server does not say that it is done.
pub fn ask_for_checkpoint(socket: &Path) -> Result<(), AskError> {
    let said = request(socket, CHECKPOINT, CHECKPOINT_PATIENCE)?;
    match said.first() {
        Some((word, _)) if word == "done" => Ok(()),
        _ => Err(AskError::CutShort),
    }
}

fn request(
    socket: &Path,
    request: &[u8],
    patience: Duration,
) -> Result<Vec<(String, String)>, AskError> {
    let stream = connect_unix(socket).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => AskError::Nobody(error),
        _ => AskError::Failed(error),
    })?;
    let report = converse(stream, request, patience).map_err(AskError::Failed)?;
    if let Some(why) = report.strip_prefix("error\t") {
        return Err(AskError::Refused(why.trim_end().to_owned()));
    }
    let figures = report.lines().filter_map(|line| line.split_once('\t'));
    Ok(figures.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn converse(mut stream: UnixStream, request: &[u8], patience: Duration) -> io::Result<String> {
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // A server that turns its client away may have closed before the request is sent: what it
    // said is there all the same.
    let sent = stream.write_all(request);
    let mut report = String::new();
    stream.take(REPORT_BYTES_MAX).read_to_string(&mut report)?;
    match sent {
        Err(error) if report.is_empty() => Err(error),
        _ => Ok(report),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// What is made of an answer.
    fn told(answer: &'static str) -> Result<Vec<(String, String)>, AskError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("status.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; STATUS.len()];
            stream.read_exact(&mut asked).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let told = ask(&path);
        server.join().unwrap();
        told
    }

    #[test]
    fn a_refusal_was_taken_for_a_report_without_figures() {
        let refused = told("error\ttoo many connections\n").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the server refuses: too many connections; its log says more"
        );
        for cut_short in ["", "uptime_seconds\t7\n", "vers"] {
            let error = told(cut_short).unwrap_err();
            assert!(matches!(error, AskError::CutShort), "{cut_short}: {error}");
        }
        let whole = told("uptime_seconds\t7\nversion\t1\n").unwrap();
        assert_eq!(whole[1], ("version".to_owned(), "1".to_owned()));
    }

    #[test]
    fn a_place_where_nobody_listens_is_told_from_a_server_that_does_not_answer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("status.sock");
        assert!(matches!(ask(&path), Err(AskError::Nobody(_))));
        drop(UnixListener::bind(&path).unwrap());
        assert!(matches!(ask(&path), Err(AskError::Nobody(_))));
        std::fs::write(directory.path().join("file"), "").unwrap();
        assert!(matches!(ask(&directory.path().join("file/x")), Err(AskError::Failed(_))));
    }
}
