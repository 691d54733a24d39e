//! Places for connections: how many there are, which doors they belong to, and who has them.
//!
//! ```text
//! max-connections                 clients of all doors together; each door may have a limit below it
//! admin-connections, once more    kept for clients of the MySQL door that come from this machine
//! status, admin and metrics       places of their own, which nobody else can take
//! ```
//!
//! Invariants
//! 1. A place is taken before a connection begins and given back with the connection, by `Drop`,
//!    whichever way it ends.
//! 2. Only the acceptor takes places, one client after the other: a limit is never exceeded.
//!
//! Not here: what a client is told that finds none (`acceptor`).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Peers that a log line names.
const PEERS_NAMED: usize = 3;

/// Which places a door's clients take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Those for clients, but no more than so many.
    Clients {
        /// The door's own limit.
        connections_max: usize,
        /// Places above the limit for all doors, for clients that come from this machine.
        kept: usize,
    },
    /// Those of this door alone.
    Own {
        /// How many.
        connections_max: usize,
    },
}

impl Admission {
    /// For clients, without a limit of the door's own.
    pub const CLIENTS: Admission = Admission::Clients { connections_max: usize::MAX, kept: 0 };

    /// How many connections the door may have, where so many are allowed at all doors.
    pub fn most(self, of_all: usize) -> usize {
        match self {
            Admission::Clients { connections_max, .. } => connections_max.min(of_all),
            Admission::Own { connections_max } => connections_max,
        }
    }
}

/// Which limit a client has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// That of all doors.
    Server,
    /// That of its door.
    Door,
}

/// One door's places.
#[derive(Debug)]
struct DoorPlaces {
    name: &'static str,
    admission: Admission,
    /// The door's own limit as it was set while the server runs, below that of its admission.
    limit_set: Option<Arc<AtomicUsize>>,
    taken: AtomicUsize,
}

/// The places of a server.
#[derive(Debug)]
pub struct Places {
    connections_max: usize,
    doors: Vec<DoorPlaces>,
    /// Connections by the host that they come from; `None`: through a UNIX socket.
    hosts: Mutex<HashMap<Option<IpAddr>, usize>>,
}

/// A connection's place.
#[derive(Debug)]
pub struct ConnectionPlace {
    places: Arc<Places>,
    door: usize,
    host: Option<IpAddr>,
}

impl Places {
    /// So many for clients of all doors, which are given by name and admission; of some there is a
    /// limit that is set while the server runs.
    pub fn new(
        connections_max: usize,
        doors: impl IntoIterator<Item = (&'static str, Admission, Option<Arc<AtomicUsize>>)>,
    ) -> Places {
        let places = |(name, admission, limit_set)| DoorPlaces {
            name,
            admission,
            limit_set,
            taken: AtomicUsize::new(0),
        };
        Places {
            connections_max,
            doors: doors.into_iter().map(places).collect(),
            hosts: Mutex::default(),
        }
    }

    /// A place for a client of a door.
    ///
    /// # Errors
    /// `Full`, when the door's places are taken, or those for all clients.
    pub fn take(
        self: &Arc<Self>,
        door: usize,
        from: Option<SocketAddr>,
    ) -> Result<ConnectionPlace, Full> {
        let host = from.map(|address| address.ip().to_canonical());
        let taken_here = self.doors[door].taken.load(Ordering::Relaxed);
        let is_local = host.is_none_or(|host| host.is_loopback());
        if taken_here >= self.doors[door].most(usize::MAX) {
            return Err(Full::Door);
        }
        match self.doors[door].admission {
            Admission::Clients { kept, .. } => {
                let kept = if is_local { kept } else { 0 };
                if self.taken_by_clients() >= self.connections_max.saturating_add(kept) {
                    return Err(Full::Server);
                }
            }
            Admission::Own { .. } => {}
        }
        self.doors[door].taken.fetch_add(1, Ordering::Relaxed);
        *self.hosts.lock().entry(host).or_default() += 1;
        Ok(ConnectionPlace { places: Arc::clone(self), door, host })
    }

    /// How many places a limit allows.
    pub fn most(&self, door: usize, full: Full) -> usize {
        match full {
            Full::Server => self.connections_max,
            Full::Door => self.doors[door].most(self.connections_max),
        }
    }

    /// Connections of the doors that share the limit for all.
    fn taken_by_clients(&self) -> usize {
        let shared = self.doors.iter().filter(|door| door.shares());
        shared.map(|door| door.taken.load(Ordering::Relaxed)).sum()
    }

    /// How the places are taken, for the log: `memcached 38, mysql 2`.
    pub fn by_door(&self) -> String {
        let taken = self.doors.iter().map(|door| (door.name, door.taken.load(Ordering::Relaxed)));
        listed(taken.filter(|(_, taken)| *taken > 0), usize::MAX)
    }

    /// Where most connections come from, for the log: `10.0.0.7 38, UNIX sockets 2`.
    pub fn by_host(&self) -> String {
        let named = |(host, taken): (&Option<IpAddr>, &usize)| {
            (host.map_or_else(|| "UNIX sockets".to_owned(), |host| host.to_string()), *taken)
        };
        let hosts: Vec<_> = self.hosts.lock().iter().map(named).collect();
        listed(hosts.into_iter(), PEERS_NAMED)
    }
}

impl DoorPlaces {
    /// How many connections the door may have now, where so many are allowed at all doors.
    fn most(&self, of_all: usize) -> usize {
        let set = self.limit_set.as_ref().map_or(usize::MAX, |set| set.load(Ordering::Relaxed));
        self.admission.most(of_all).min(set)
    }

    fn shares(&self) -> bool {
        matches!(self.admission, Admission::Clients { .. })
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.places.doors[self.door].taken.fetch_sub(1, Ordering::Relaxed);
        let mut hosts = self.places.hosts.lock();
        if let Some(taken) = hosts.get_mut(&self.host) {
            *taken -= 1;
            if *taken == 0 {
                hosts.remove(&self.host);
            }
        }
    }
}

/// Names with their numbers, the largest first, so many at most.
fn listed<N: AsRef<str>>(counted: impl Iterator<Item = (N, usize)>, most: usize) -> String {
    let mut counted: Vec<(N, usize)> = counted.collect();
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.as_ref().cmp(b.0.as_ref())));
    let mut text = String::new();
    for (position, (name, count)) in counted.iter().take(most).enumerate() {
        let between = if position > 0 { ", " } else { "" };
        let _ = write!(text, "{between}{} {count}", name.as_ref());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: usize = 0;
    const MEMCACHED: usize = 1;
    const STATUS: usize = 2;

    fn places() -> Arc<Places> {
        places_with(None)
    }

    /// The same with a limit of the first door's that is set.
    fn places_with(limit_set: Option<Arc<AtomicUsize>>) -> Arc<Places> {
        let clients = |connections_max, kept| Admission::Clients { connections_max, kept };
        Arc::new(Places::new(
            4,
            [
                ("mysql", clients(usize::MAX, 2), limit_set),
                ("memcached", clients(3, 0), None),
                ("status", Admission::Own { connections_max: 2 }, None),
            ],
        ))
    }

    #[test]
    fn a_limit_that_is_set_holds_for_the_next_client_of_its_door() {
        let set = Arc::new(AtomicUsize::new(4));
        let (places, far) = (places_with(Some(Arc::clone(&set))), from("10.0.0.7"));
        let taken = [places.take(MYSQL, far).unwrap(), places.take(MYSQL, far).unwrap()];
        set.store(1, Ordering::Relaxed);
        assert_eq!(places.take(MYSQL, far).unwrap_err(), Full::Door);
        assert_eq!(places.most(MYSQL, Full::Door), 1);
        assert!(places.take(MEMCACHED, far).is_ok());
        set.store(3, Ordering::Relaxed);
        assert!(places.take(MYSQL, far).is_ok());
        drop(taken);
    }

    fn from(host: &str) -> Option<SocketAddr> {
        Some(SocketAddr::new(host.parse().unwrap(), 7))
    }

    #[test]
    fn a_door_has_a_limit_below_that_of_all_doors() {
        let places = places();
        let far = from("10.0.0.7");
        let taken: Vec<ConnectionPlace> =
            (0..3).map(|_| places.take(MEMCACHED, far).unwrap()).collect();
        assert_eq!(places.take(MEMCACHED, far).unwrap_err(), Full::Door);
        let _last = places.take(MYSQL, far).unwrap();
        assert_eq!(places.take(MYSQL, far).unwrap_err(), Full::Server);
        assert_eq!(places.by_door(), "memcached 3, mysql 1");
        drop(taken);
        assert_eq!(places.by_host(), "10.0.0.7 1");
        assert!(places.take(MEMCACHED, far).is_ok());
    }

    #[test]
    fn clients_of_the_machine_and_the_status_socket_were_shut_out_by_other_clients() {
        let places = places();
        let _taken: Vec<ConnectionPlace> =
            (0..4).map(|_| places.take(MYSQL, from("10.0.0.7")).unwrap()).collect();
        assert_eq!(places.take(MYSQL, from("10.0.0.7")).unwrap_err(), Full::Server);
        let mapped = places.take(MYSQL, from("::ffff:127.0.0.1")).unwrap();
        let _socket = places.take(MYSQL, None).unwrap();
        assert_eq!(places.take(MYSQL, from("127.0.0.1")).unwrap_err(), Full::Server);
        // They are kept at that door only.
        drop(mapped);
        assert_eq!(places.take(MEMCACHED, None).unwrap_err(), Full::Server);
        let _asking = [STATUS, STATUS].map(|door| places.take(door, None).unwrap());
        assert_eq!(places.take(STATUS, None).unwrap_err(), Full::Door);
        assert_eq!(places.by_host(), "10.0.0.7 4, UNIX sockets 3");
    }
}
