//! The echo loop on epoll: level-triggered, one read and one write per connection and turn.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use anyhow::Result;
use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::fd::{AsFd, OwnedFd};

use super::Arrivals;

const READ_BYTES: usize = 64 * 1024;
const EVENTS_MAX: usize = 1024;

/// Serves; fails on an error of epoll itself.
pub fn echo_loop(arrivals: &Arrivals) -> Result<()> {
    const WAKE: u64 = u64::MAX;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    register(&poll, &arrivals.wake, WAKE)?;
    arrivals.announce();
    let mut connections: HashMap<u64, EpollConnection> = HashMap::new();
    let mut next = 0u64;
    let mut buffer = vec![0u8; READ_BYTES];
    let mut events = Vec::with_capacity(EVENTS_MAX);
    loop {
        match epoll::wait(&poll, spare_capacity(&mut events), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let token = event.data.u64();
            if token == WAKE {
                arrivals.reset();
                while let Ok(stream) = arrivals.streams.try_recv() {
                    stream.set_nonblocking(true)?;
                    register(&poll, &stream, next)?;
                    connections.insert(next, EpollConnection { stream, unsent: Vec::new() });
                    next += 1;
                }
                continue;
            }
            let Some(connection) = connections.get_mut(&token) else {
                continue;
            };
            let had_unsent = !connection.unsent.is_empty();
            if connection.turn(&mut buffer).is_err() {
                epoll::delete(&poll, &connection.stream)?;
                connections.remove(&token);
                continue;
            }
            let has_unsent = !connection.unsent.is_empty();
            if had_unsent != has_unsent {
                // While replies wait, nothing more is read: a slow reader is its own limit.
                let flags = if has_unsent { epoll::EventFlags::OUT } else { epoll::EventFlags::IN };
                let data = epoll::EventData::new_u64(token);
                epoll::modify(&poll, &connection.stream, data, flags)?;
            }
        }
    }
}

fn register(poll: &OwnedFd, source: impl AsFd, token: u64) -> Result<()> {
    Ok(epoll::add(poll, source, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
}

struct EpollConnection {
    stream: TcpStream,
    unsent: Vec<u8>,
}

impl EpollConnection {
    /// One write of what waits, or one read and one write of what came.
    fn turn(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if !self.unsent.is_empty() {
            let sent = pass_block(self.stream.write(&self.unsent))?;
            self.unsent.drain(..sent);
            return Ok(());
        }
        let bytes = match self.stream.read(buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            other => pass_block(other)?,
        };
        if bytes > 0 {
            let sent = pass_block(self.stream.write(&buffer[..bytes]))?;
            self.unsent.extend_from_slice(&buffer[sent..bytes]);
        }
        Ok(())
    }
}

fn pass_block(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
        {
            Ok(0)
        }
        other => other,
    }
}
