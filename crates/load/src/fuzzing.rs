//! The decoders of this crate for its fuzz targets, which are another package.
//!
//! Not here: what must hold (package `fuzz`). Nothing else may use this.

use std::io::{self, Read, Write};

use crate::client::{Client, Rows};
use crate::error::Error;
use crate::login::Login;
use crate::split::Splitter;

/// Statements with their lines; then whether a dump lacks its end, or what was wrong.
pub type SplitStatements = (Vec<(u64, Vec<u8>)>, Result<bool, String>);

/// The statements, of at most so many bytes, of a text that is read in pieces.
pub fn statements(text: &[u8], read_bytes: usize, statement_bytes_max: usize) -> SplitStatements {
    let mut splitter = Splitter::reading(text, statement_bytes_max, read_bytes);
    let mut found = Vec::new();
    loop {
        match splitter.statement() {
            Ok(Some(statement)) => found.push((statement.line, statement.text.to_vec())),
            Ok(None) => {
                assert_eq!(splitter.bytes_used(), text.len() as u64);
                return (found, Ok(splitter.is_unfinished()));
            }
            Err(error) => return (found, Err(error.to_string())),
        }
    }
}

/// What a client reads of a server that sends these bytes in pieces, whatever it is asked: the
/// client logs in, over a link that is private or not, and asks until the connection is of no use
/// any more.
pub fn answers(server: &[u8], read_bytes: usize, private: bool) -> Vec<String> {
    let server = Server { bytes: server.to_vec(), at: 0, read_bytes: read_bytes.max(1) };
    let login = Login { user: "u".to_owned(), password: "p".to_owned(), private };
    let mut answers = Vec::new();
    let mut client = match Client::login(Box::new(server), &login, None) {
        Ok(client) => client,
        Err(error) => return vec![error.to_string()],
    };
    for number in 0.. {
        let answer = if number % 2 == 0 {
            client.query("q").and_then(|rows| read(rows, &mut answers))
        } else {
            client.execute(b"e").map(|done| answers.push(format!("{done:?}")))
        };
        if let Err(error) = answer {
            answers.push(error.to_string());
            if !matches!(error, Error::Server { .. } | Error::File(_)) {
                break;
            }
        }
    }
    answers
}

fn read(mut rows: Rows<'_>, answers: &mut Vec<String>) -> Result<(), Error> {
    answers.push(format!("{:?}", rows.columns));
    let width = rows.columns.len();
    while let Some(mut row) = rows.row()? {
        for _ in 0..width {
            let value = row.value()?;
            answers.push(value.map_or("NULL".to_owned(), |value| value.escape_ascii().to_string()));
        }
    }
    Ok(())
}

/// Sends its bytes and hears nothing.
struct Server {
    bytes: Vec<u8>,
    at: usize,
    read_bytes: usize,
}

impl Read for Server {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = (self.bytes.len() - self.at).min(self.read_bytes).min(to.len());
        to[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

impl Write for Server {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
