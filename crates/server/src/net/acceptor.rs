//! The acceptor: one thread that takes clients from all listeners and spreads them over loops.
//!
//! One acceptor rather than a listener per loop (SO_REUSEPORT): the kernel spreads by a hash of
//! addresses, so that of 64 connections one loop of two may get 40; here each goes to the serving
//! loop (`balance`) with the fewest, also after clients have left. A storm of connects costs the
//! loops nothing.
//!
//! Invariants
//! 1. No more connections are open than the limits say (`connection_places`); a client that comes
//!    above one is told so in the door's words, and the log says at times who holds the places.
//! 2. When the kernel has no file descriptor or memory for another connection, clients wait in the
//!    backlog, and the acceptor tries again shortly after, without spinning.
//!
//! Not here: what happens on a connection (`event_loop`).

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use resources::log_rate::LogRate;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, SocketFlags};

use super::address::Listener;
use super::connection::{Newcomer, Peer, shown_address};
use super::connection_places::{Full, Places};
use super::event_loop::LoopShared;
use super::limits::{KEEPALIVE_PROBES, Limits};
use super::mailbox::Message;

/// Clients taken from one listener before the others have their turn.
const ACCEPTS_MAX: usize = 64;
/// How long to leave clients in the backlog when the kernel has no room for them.
const PAUSE: Duration = Duration::from_millis(100);
/// Turned-away clients whose sockets are kept for `REFUSED_KEPT`, so that they can read why.
const REFUSED_MAX: usize = 64;
const REFUSED_KEPT: Duration = Duration::from_secs(1);
/// How often the log says of one door that clients are turned away.
const REFUSALS_LOGGED: Duration = Duration::from_secs(10);

/// Ends an acceptor from another thread.
pub struct StopSignal {
    stop: AtomicBool,
    wake: OwnedFd,
}

impl StopSignal {
    /// A signal not given yet.
    ///
    /// # Errors
    /// When the system gives no further file.
    pub fn new() -> io::Result<StopSignal> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let wake = rustix::event::eventfd(0, flags)?;
        Ok(StopSignal { stop: AtomicBool::new(false), wake })
    }

    /// Tells the acceptor to end.
    pub fn give(&self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

/// Takes clients from listeners.
pub struct Acceptor {
    /// Listeners with the positions of their doors.
    listeners: Vec<(usize, Listener)>,
    /// What the loops share.
    shared: LoopShared,
    /// The connections that there may be.
    places: Arc<Places>,
    /// Log lines of clients that are turned away, by door.
    refusals: Vec<LogRate>,
    /// Ends the acceptor.
    stop: Arc<StopSignal>,
}

impl Acceptor {
    /// For these listeners, until the signal is given.
    pub fn new(
        listeners: Vec<(usize, Listener)>,
        shared: LoopShared,
        stop: Arc<StopSignal>,
    ) -> Acceptor {
        let doors = shared.doors.iter().map(|door| {
            let limit_set = door.limit_set.as_ref().map(Arc::clone);
            (door.name, door.admission, limit_set)
        });
        let places = Arc::new(Places::new(shared.limits.connections_max, doors));
        let refusals = shared.doors.iter().map(|_| LogRate::of(1, REFUSALS_LOGGED)).collect();
        Acceptor { listeners, shared, places, refusals, stop }
    }

    /// Accepts until told to stop; the listeners are closed then.
    pub fn run(self) {
        let mut ids: u32 = 0;
        let mut refused: VecDeque<(Instant, OwnedFd)> = VecDeque::new();
        loop {
            let mut watched = vec![PollFd::new(&self.stop.wake, PollFlags::IN)];
            let listeners = self.listeners.iter();
            watched.extend(listeners.map(|(_, each)| PollFd::new(each, PollFlags::IN)));
            let timeout = (!refused.is_empty()).then_some(timespec(REFUSED_KEPT));
            let polled = rustix::event::poll(&mut watched, timeout.as_ref());
            if self.stop.stop.load(Ordering::SeqCst) {
                return;
            }
            while refused.front().is_some_and(|(since, _)| since.elapsed() >= REFUSED_KEPT)
                || refused.len() > REFUSED_MAX
            {
                refused.pop_front();
            }
            if polled.is_err() {
                continue;
            }
            for (position, watch) in watched.iter().skip(1).enumerate() {
                if !watch.revents().is_empty() {
                    self.accept_from(position, &mut ids, &mut refused);
                }
            }
        }
    }

    fn accept_from(
        &self,
        position: usize,
        ids: &mut u32,
        refused: &mut VecDeque<(Instant, OwnedFd)>,
    ) {
        let (door, listener) = &self.listeners[position];
        for _ in 0..ACCEPTS_MAX {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            let (socket, address) = match rustix::net::acceptfrom_with(listener, flags) {
                Ok(accepted) => accepted,
                Err(Errno::AGAIN) => return,
                // The client left while it waited in the backlog, or a signal came.
                Err(Errno::CONNABORTED | Errno::INTR | Errno::PROTO | Errno::PERM) => continue,
                Err(error) => return self.pause(error),
            };
            let address = address.and_then(|address| SocketAddr::try_from(address).ok());
            let place = match self.places.take(*door, address) {
                Ok(place) => Some(place),
                Err(full) => {
                    self.refuse(*door, address, full, &socket);
                    refused.push_back((Instant::now(), socket));
                    continue;
                }
            };
            let mut uid = None;
            if listener.is_tcp() {
                let _ = rustix::net::sockopt::set_tcp_nodelay(&socket, true);
                watch_for_silence(&socket, &self.shared.limits);
            } else {
                let credentials = rustix::net::sockopt::socket_peercred(&socket).ok();
                uid = credentials.map(|credentials| credentials.uid.as_raw());
            }
            *ids = ids.wrapping_add(1).max(1);
            let peer = Peer { id: *ids, address, uid };
            self.hand_over(Newcomer { socket, door: *door, peer, place });
        }
    }

    /// Tells a client that there is no place for it, and at times the log, which says who has them.
    fn refuse(&self, door: usize, peer: Option<SocketAddr>, full: Full, socket: &OwnedFd) {
        let metrics = &self.shared.metrics;
        metrics.refused[door].fetch_add(1, Ordering::Relaxed);
        let door_is = &self.shared.doors[door];
        let _ = rustix::net::send(socket, &door_is.refusal, SendFlags::NOSIGNAL);
        let _ = rustix::net::shutdown(socket, Shutdown::Write);
        let Some(more) = self.refusals[door].next(Instant::now()) else { return };
        let peer = shown_address(peer);
        tracing::warn!(
            door = door_is.name,
            peer,
            limit = self.places.most(door, full),
            taken_at = %self.places.by_door(),
            taken_from = %self.places.by_host(),
            more,
            "{}",
            match full {
                Full::Server => "too many connections (max-connections): a client is turned away",
                Full::Door => "too many connections at this door: a client is turned away",
            },
        );
    }

    fn hand_over(&self, newcomer: Newcomer) {
        let serving = self.shared.balance.serving();
        let loops = &self.shared.metrics.loops;
        let locality = &self.shared.balance.locality;
        let home = if locality.is_pinned() { locality.home_of(&newcomer.socket) } else { None };
        let fewest = || (0..serving).min_by_key(|at| loops[*at].live.load(Ordering::Relaxed));
        if let Some(at) = home.or_else(fewest) {
            let (counters, mailbox) = (&loops[at], &self.shared.mailboxes[at]);
            counters.live.fetch_add(1, Ordering::Relaxed);
            mailbox.post(Message::Newcomer(newcomer));
        }
    }

    /// The kernel has no room for another connection: lets clients wait a little.
    fn pause(&self, error: Errno) {
        let earlier = self.shared.metrics.accept_errors.fetch_add(1, Ordering::Relaxed);
        // Once in ten seconds is enough for the log.
        if earlier.is_multiple_of(100) {
            tracing::warn!(%error, "cannot accept a client; it waits");
        }
        let mut watched = [PollFd::from_borrowed_fd(self.stop.wake.as_fd(), PollFlags::IN)];
        let _ = rustix::event::poll(&mut watched, Some(&timespec(PAUSE)));
    }
}

/// Has the kernel find out about clients that vanished without a word.
fn watch_for_silence(socket: &OwnedFd, limits: &Limits) {
    use rustix::net::sockopt;
    let vanished = limits.vanished.as_millis().div_ceil(1000) as u32;
    if vanished == 0 {
        return;
    }
    // The kernel asks in the second half of the time, once a second at most.
    let half = (vanished / 2).max(1);
    let interval = half.div_ceil(KEEPALIVE_PROBES);
    let seconds = |count: u32| Duration::from_secs(count.into());
    let _ = sockopt::set_socket_keepalive(socket, true);
    let _ = sockopt::set_tcp_keepidle(socket, seconds(half));
    let _ = sockopt::set_tcp_keepintvl(socket, seconds(interval));
    let _ = sockopt::set_tcp_keepcnt(socket, half.div_ceil(interval));
    // It does not ask while a reply is on its way, which it sends again for a quarter of an hour.
    // This ends that; but also a client that only takes nothing, for which there is `stalled`.
    if !limits.stalled.is_zero() && limits.stalled <= limits.vanished {
        let _ = sockopt::set_tcp_user_timeout(socket, vanished.saturating_mul(1000));
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: duration.subsec_nanos().into() }
}
