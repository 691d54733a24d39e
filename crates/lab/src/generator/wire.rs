//! A connected socket, in plain text or within TLS.
//!
//! Invariants
//! 1. What was decrypted is read before the socket is waited for again: nothing wakes for it.
//!
//! Not here: who the server is. The lab asks its own servers on this machine and verifies nothing.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use tls::{Connector, EncryptedStream};

/// A connected socket.
pub enum Wire {
    /// Bytes as they are.
    Plain(TcpStream),
    /// Within TLS, past the handshake.
    Encrypted(Box<EncryptedStream<TcpStream>>),
}

impl From<TcpStream> for Wire {
    fn from(stream: TcpStream) -> Wire {
        Wire::Plain(stream)
    }
}

impl Wire {
    /// Shakes hands on a connected socket.
    ///
    /// # Errors
    /// Of the socket, and of TLS.
    pub fn encrypted(stream: TcpStream, connector: &Connector) -> io::Result<Wire> {
        let (stream, _) = connector.encrypt("localhost", stream)?;
        Ok(Wire::Encrypted(Box::new(stream)))
    }

    /// The socket itself.
    pub fn socket(&self) -> &TcpStream {
        match self {
            Wire::Plain(stream) => stream,
            Wire::Encrypted(wire) => &wire.sock,
        }
    }

    /// Sends what was written and is not gone yet; `true` if some is left.
    ///
    /// # Errors
    /// Of the socket.
    pub fn send_rest(&mut self) -> io::Result<bool> {
        let Wire::Encrypted(wire) = self else { return Ok(false) };
        while wire.conn.wants_write() {
            match wire.conn.write_tls(&mut wire.sock) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

impl Read for Wire {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let wire = match self {
            Wire::Plain(stream) => return stream.read(out),
            Wire::Encrypted(wire) => wire,
        };
        loop {
            match wire.conn.reader().read(out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            if wire.conn.read_tls(&mut wire.sock)? == 0 {
                return Ok(0);
            }
            wire.conn.process_new_packets().map_err(io::Error::other)?;
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Wire::Plain(stream) => stream.write(bytes),
            Wire::Encrypted(wire) => match wire.conn.writer().write(bytes)? {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                taken => Ok(taken),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
