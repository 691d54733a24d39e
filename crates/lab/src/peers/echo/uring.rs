//! The echo loop on io_uring: received bytes are sent from the buffer that they came in.
//!
//! Every connection has one multishot receive under way all the time, and at most one send, so that
//! what came first leaves first. A client that does not read keeps its buffers; when a ring has no
//! more, receives end and are begun anew once one is returned.
//!
//! Sockets are in blocking mode: of one in non-blocking mode the ring would report that it would
//! block instead of waiting for it.

use std::collections::VecDeque;
use std::net::TcpStream;

use anyhow::Result;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::SendFlags;

use super::Arrivals;
use super::ring::{Event, Lent, Ring};

/// Which ways of io_uring are used.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// Task work is deferred until the loop waits.
    pub deferred: bool,
    /// Sockets and ring are registered.
    pub registered: bool,
    /// Sends are system calls of their own.
    pub direct: bool,
}

/// Serves; fails if the kernel does not allow a ring.
pub fn echo_loop(setup: Setup, arrivals: &Arrivals) -> Result<()> {
    let mut ring = Ring::new(setup.deferred, setup.registered)?;
    // The ring is never freed, and watches for as long: so must the descriptor live.
    let wake: &'static _ = Box::leak(Box::new(arrivals.wake.try_clone()?));
    ring.watch(AsFd::as_fd(wake))?;
    arrivals.announce();
    let mut served = Served { ring, direct: setup.direct, slots: Vec::new(), starved: Vec::new() };
    let mut events = Vec::new();
    loop {
        served.ring.wait(&mut events)?;
        for event in events.drain(..) {
            match event {
                Event::Wake => {
                    arrivals.reset();
                    while let Ok(stream) = arrivals.streams.try_recv() {
                        served.welcome(stream)?;
                    }
                }
                Event::Received { token, lent, more } => served.received(token, lent, more)?,
                Event::Starved { token } => {
                    served.slots[token as usize].receiving = false;
                    served.starved.push(token);
                }
                Event::Ended { token } => {
                    let connection = &mut served.slots[token as usize];
                    (connection.receiving, connection.ended) = (false, true);
                    served.leave(token)?;
                }
                Event::Sent { token, lent, taken } => served.sent(token, lent, taken)?,
            }
        }
        served.feed()?;
    }
}

/// A slot for a connection; its index is the connection's token.
#[derive(Default)]
struct Connection {
    /// `None`: the slot is free.
    stream: Option<TcpStream>,
    /// What came and is not being sent yet.
    waiting: VecDeque<Lent>,
    sending: bool,
    receiving: bool,
    /// Nothing more is to be received or sent.
    ended: bool,
}

impl Connection {
    fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.stream.as_ref().map(AsFd::as_fd)
    }
}

struct Served {
    ring: Ring,
    direct: bool,
    slots: Vec<Connection>,
    /// Connections whose receive is to be begun anew.
    starved: Vec<u32>,
}

impl Served {
    fn welcome(&mut self, stream: TcpStream) -> Result<()> {
        let free = self.slots.iter().position(|slot| slot.stream.is_none());
        let index = free.unwrap_or_else(|| {
            self.slots.push(Connection::default());
            self.slots.len() - 1
        });
        let token = index as u32;
        self.ring.register(stream.as_fd(), token)?;
        self.ring.receive(stream.as_fd(), token)?;
        let stream = Some(stream);
        self.slots[index] = Connection { stream, receiving: true, ..Connection::default() };
        Ok(())
    }

    fn received(&mut self, token: u32, lent: Lent, more: bool) -> Result<()> {
        let connection = &mut self.slots[token as usize];
        connection.waiting.push_back(lent);
        if !more {
            connection.receiving = false;
            self.starved.push(token);
        }
        self.send(token)
    }

    fn sent(&mut self, token: u32, mut lent: Lent, taken: std::io::Result<usize>) -> Result<()> {
        let connection = &mut self.slots[token as usize];
        connection.sending = false;
        match taken {
            Ok(bytes) if lent.advance(bytes) => self.ring.give_back(lent),
            Ok(_) => connection.waiting.push_front(lent),
            Err(_) => {
                connection.ended = true;
                self.ring.give_back(lent);
            }
        }
        self.send(token)
    }

    /// Sends what waits, unless a send is under way.
    fn send(&mut self, token: u32) -> Result<()> {
        let connection = &mut self.slots[token as usize];
        if connection.ended {
            return self.leave(token);
        }
        let Some(stream) = &connection.stream else {
            return Ok(());
        };
        while !connection.sending
            && let Some(mut lent) = connection.waiting.pop_front()
        {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let bytes = self.ring.bytes(&lent);
            let taken = if self.direct { rustix::net::send(stream, bytes, flags) } else { Ok(0) };
            // What the socket does not take at once, an error too, is left to the ring.
            if lent.advance(taken.unwrap_or(0)) {
                self.ring.give_back(lent);
            } else {
                self.ring.send(stream.as_fd(), token, lent)?;
                connection.sending = true;
            }
        }
        Ok(())
    }

    /// Closes an ended connection, and frees its slot once nothing is under way.
    fn leave(&mut self, token: u32) -> Result<()> {
        let connection = &mut self.slots[token as usize];
        while let Some(lent) = connection.waiting.pop_front() {
            self.ring.give_back(lent);
        }
        if let Some(socket) = connection.socket()
            && connection.receiving
        {
            // Ends the receive.
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
        } else if connection.stream.is_some() && !connection.sending {
            self.ring.forget(token)?;
            connection.stream = None;
        }
        Ok(())
    }

    /// Begins the receives anew that have ended for want of buffers.
    fn feed(&mut self) -> Result<()> {
        if !self.ring.can_receive() {
            return Ok(());
        }
        for token in std::mem::take(&mut self.starved) {
            let connection = &mut self.slots[token as usize];
            if let Some(stream) = &connection.stream
                && !connection.ended
                && !connection.receiving
            {
                self.ring.receive(stream.as_fd(), token)?;
                connection.receiving = true;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc;
    use std::thread;

    use rustix::event::{EventfdFlags, eventfd};

    use super::*;

    /// More than all buffers of a ring and of the sockets hold.
    const BYTES: usize = 24 << 20;

    #[test]
    fn bytes_come_back_in_order_also_when_every_buffer_was_lent() {
        for direct in [false, true] {
            let setup = Setup { deferred: true, registered: direct, direct };
            let (send, streams) = mpsc::channel();
            let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).unwrap();
            let (waker, (started, has_started)) = (wake.try_clone().unwrap(), mpsc::channel());
            let arrivals = Arrivals { streams, wake, started };
            thread::spawn(move || echo_loop(setup, &arrivals));
            if has_started.recv().is_err() {
                // This kernel allows no ring: nothing is there to be tested.
                return;
            }
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            send.send(listener.accept().unwrap().0).unwrap();
            rustix::io::write(&waker, &1u64.to_ne_bytes()).unwrap();
            let sent: Vec<u8> = (0..BYTES as u32 / 4).flat_map(u32::to_ne_bytes).collect();
            let mut writer = client.try_clone().unwrap();
            thread::scope(|scope| {
                let (full, is_full) = mpsc::channel();
                let sent = &sent;
                scope.spawn(move || {
                    // Written until nothing more fits, before anything is read.
                    writer.set_nonblocking(true).unwrap();
                    let mut at = 0;
                    while let Ok(bytes) = writer.write(&sent[at..]) {
                        at += bytes;
                    }
                    writer.set_nonblocking(false).unwrap();
                    full.send(()).unwrap();
                    writer.write_all(&sent[at..]).unwrap();
                });
                is_full.recv().unwrap();
                let mut back = vec![0; BYTES];
                client.read_exact(&mut back).unwrap();
                assert!(back == *sent, "direct: {direct}");
            });
        }
    }
}
