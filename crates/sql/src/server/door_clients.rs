//! Clients of the doors that speak no SQL, as the process list shows them and KILL ends them.
//!
//! Invariants
//! 1. A request writes nothing here. A client is listed when it connects, named when it logs in,
//!    and what it does, for how long and with how much memory is noted about once a second, by the
//!    loop that serves it.
//! 2. A client stays listed exactly as long as its `ClientListing`, which its connection holds.
//! 3. Neither a key nor a value is ever shown.
//! 4. KILL QUERY ends the request that is served where it may wait, and no other one; the loops'
//!    are over before anybody could ask for it.
//!
//! Not here: sessions of SQL (`processes`), how a killed connection ends (crate `server`).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::Mutex;
use plan::process_line::ProcessLine;
use resources::interrupt::{self, Interrupt};

/// What MySQL calls a client that has not logged in yet.
const UNAUTHENTICATED: &str = "unauthenticated user";

/// Whom a client acts as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClientUser {
    /// It has to log in first.
    #[default]
    Unknown,
    /// One without a name: a client of this machine, or one that knows a door's secret.
    Nameless,
    /// A user.
    Named(String),
}

/// What a client does, as its loop saw it last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientActivity {
    /// When bytes last came or left, microseconds since the epoch.
    pub active_at: u64,
    /// What its request waits for, in the process list's words; empty while it has none.
    pub state: &'static str,
    /// Bytes that the connection has of the memory for clients.
    pub memory_bytes: usize,
}

/// No request is served where it may wait.
const REQUEST_NONE: u8 = 0;
/// One is.
const REQUEST_WORKS: u8 = 1;
/// One is, and KILL QUERY was said of it.
const REQUEST_ENDS: u8 = 2;

/// A client of a door.
#[derive(Debug)]
pub struct DoorProcess {
    id: u32,
    door: &'static str,
    address: Option<IpAddr>,
    is_killed: AtomicBool,
    request: AtomicU8,
    state: Mutex<(ClientUser, ClientActivity)>,
}

impl DoorProcess {
    /// Its connection's number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// It has logged in as somebody else.
    pub fn set_user(&self, user: ClientUser) {
        self.state.lock().0 = user;
    }

    /// What it does now.
    pub fn note(&self, activity: ClientActivity) {
        self.state.lock().1 = activity;
    }

    /// KILL: its loop closes it within a second.
    pub fn kill(&self) {
        self.is_killed.store(true, Ordering::Relaxed);
    }

    /// KILL QUERY: the request that is served where it may wait ends soon.
    pub fn kill_request(&self) {
        let order = Ordering::Relaxed;
        // Where there is none that is no mistake, and nothing is done.
        let _ = self.request.compare_exchange(REQUEST_WORKS, REQUEST_ENDS, order, order);
    }

    /// Its requests are served where they may wait, by this thread, until this is dropped.
    pub fn work(self: &Arc<DoorProcess>) -> DoorWork {
        self.request.store(REQUEST_WORKS, Ordering::Relaxed);
        let process = Arc::clone(self);
        DoorWork { _working: interrupt::working(Arc::clone(self) as Arc<dyn Interrupt>), process }
    }

    /// The request is answered; a KILL QUERY of it does not end the next one.
    pub fn end_request(&self) {
        self.request.store(REQUEST_WORKS, Ordering::Relaxed);
    }

    /// Whether KILL was said of it.
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(Ordering::Relaxed)
    }

    /// Its line in the process list: its door stands where SQL's clients have their command.
    pub fn line(&self) -> ProcessLine {
        let (user, activity) = self.state.lock().clone();
        let (user, owner) = match user {
            ClientUser::Unknown => (UNAUTHENTICATED.to_owned(), None),
            ClientUser::Nameless => (String::new(), None),
            ClientUser::Named(name) => (name.clone(), Some(name)),
        };
        ProcessLine {
            id: self.id,
            user,
            owner,
            host: self.address.map_or_else(|| "localhost".to_owned(), |ip| ip.to_string()),
            database: None,
            command: self.door,
            since: activity.active_at,
            number: 0,
            state: activity.state.into(),
            info: None,
            memory_bytes: activity.memory_bytes,
        }
    }
}

impl Interrupt for DoorProcess {
    fn is_wanted(&self) -> bool {
        self.request.load(Ordering::Relaxed) == REQUEST_ENDS || self.is_killed()
    }
}

/// A thread that serves a client's requests where they may wait.
pub struct DoorWork {
    _working: interrupt::Working,
    process: Arc<DoorProcess>,
}

impl Drop for DoorWork {
    fn drop(&mut self) {
        self.process.request.store(REQUEST_NONE, Ordering::Relaxed);
    }
}

/// All clients of doors that speak no SQL.
#[derive(Debug, Default)]
pub struct DoorClients {
    list: Mutex<BTreeMap<u32, Arc<DoorProcess>>>,
}

/// That a client is listed; dropping it takes the client off the list.
#[derive(Debug)]
pub struct ClientListing {
    clients: Arc<DoorClients>,
    process: Arc<DoorProcess>,
}

impl ClientListing {
    /// The client.
    pub fn process(&self) -> &Arc<DoorProcess> {
        &self.process
    }
}

impl Drop for ClientListing {
    fn drop(&mut self) {
        self.clients.list.lock().remove(&self.process.id);
    }
}

impl DoorClients {
    /// A client connects to a door from an address; `None`: from this machine.
    pub fn join(
        self: &Arc<DoorClients>,
        id: u32,
        door: &'static str,
        address: Option<IpAddr>,
        now: u64,
    ) -> ClientListing {
        let activity = ClientActivity { active_at: now, ..ClientActivity::default() };
        let process = Arc::new(DoorProcess {
            id,
            door,
            address,
            is_killed: AtomicBool::new(false),
            request: AtomicU8::new(REQUEST_NONE),
            state: Mutex::new((ClientUser::Unknown, activity)),
        });
        self.list.lock().insert(id, Arc::clone(&process));
        ClientListing { clients: Arc::clone(self), process }
    }

    /// A client by its connection's number.
    pub fn find(&self, id: u32) -> Option<Arc<DoorProcess>> {
        self.list.lock().get(&id).cloned()
    }

    /// All, by number.
    pub fn lines(&self) -> Vec<ProcessLine> {
        let list: Vec<Arc<DoorProcess>> = self.list.lock().values().cloned().collect();
        list.iter().map(|process| process.line()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_listed_as_long_as_its_connection_holds_the_listing() {
        let clients = Arc::new(DoorClients::default());
        let listing = clients.join(7, "memcached", None, 5);
        let [line] = &clients.lines()[..] else { panic!("one client") };
        assert_eq!((line.id, &*line.user, line.command), (7, UNAUTHENTICATED, "memcached"));
        assert!(!line.belongs_to(UNAUTHENTICATED), "nobody can take that name");
        listing.process().set_user(ClientUser::Named("bob".into()));
        let activity = ClientActivity { active_at: 9, state: "executing", memory_bytes: 3 };
        listing.process().note(activity);
        let line = clients.find(7).expect("listed").line();
        assert!(line.belongs_to("bob"));
        assert_eq!((line.since, &*line.state, line.memory_bytes), (9, "executing", 3));
        clients.find(7).expect("listed").kill();
        assert!(listing.process().is_killed());
        drop(listing);
        assert!(clients.find(7).is_none() && clients.lines().is_empty());
    }

    #[test]
    fn a_kill_of_a_request_ends_the_one_that_is_served_and_no_other() {
        let clients = Arc::new(DoorClients::default());
        let listing = clients.join(8, "memcached", None, 5);
        let process = listing.process();
        process.kill_request();
        let work = process.work();
        assert!(!interrupt::is_wanted(), "it was said of no request");
        process.kill_request();
        assert!(interrupt::is_wanted());
        process.end_request();
        assert!(!interrupt::is_wanted(), "the next one goes on");
        process.kill_request();
        drop(work);
        assert!(!interrupt::is_wanted(), "nothing is served");
    }
}
