//! What the soak does, phase after phase: at which doors, by how many clients, and what else goes
//! on meanwhile.
//!
//! Not here: how a request is made (`client`), when a phase is good (`judge`).

use super::client::ClientDoor;

const MEMCACHED: &[ClientDoor] = &[ClientDoor::Memcached];
const HANDLERSOCKET: &[ClientDoor] = &[ClientDoor::HandlerSocket];
const MYSQL: &[ClientDoor] = &[ClientDoor::Mysql];
const ALL: &[ClientDoor] = &[ClientDoor::Memcached, ClientDoor::HandlerSocket, ClientDoor::Mysql];

/// What clients ask for, by weight.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// A row is read.
    pub read: u32,
    /// A row is set to a new value.
    pub set: u32,
    /// A row is set to the value that it has.
    pub repeat: u32,
    /// A number is counted up.
    pub count: u32,
    /// Two rows are set in one transaction; a set where there are none.
    pub transact: u32,
    /// Percent of reads and sets that are for the hot rows of all clients.
    pub hot_percent: u32,
    /// Longest values.
    pub bytes_max: u32,
}

/// What goes on beside the clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    /// Nothing.
    Nothing,
    /// The table is altered, others are made and dropped.
    SchemaChanges,
    /// Backups are taken.
    Backups,
}

/// A part of the soak.
#[derive(Debug, Clone, Copy)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// Where its clients come in, in turn.
    pub doors: &'static [ClientDoor],
    /// How many there are.
    pub clients: usize,
    /// What they want.
    pub work: Work,
    /// What else goes on.
    pub beside: Disturbance,
    /// Clients a second that leave in the middle of a request, for whom others come.
    pub leaving: u32,
    /// How much of the soak's time it takes.
    pub share: f64,
}

const MIXED: Work =
    Work { read: 60, set: 25, repeat: 5, count: 5, transact: 5, hot_percent: 30, bytes_max: 4_000 };

const fn phase(
    name: &'static str,
    doors: &'static [ClientDoor],
    clients: usize,
    work: Work,
) -> Phase {
    Phase { name, doors, clients, work, beside: Disturbance::Nothing, leaving: 0, share: 1.0 }
}

const REPEATS: Work = Work { read: 0, set: 0, repeat: 1, count: 0, transact: 0, ..MIXED };
const COUNTS: Work = Work { read: 0, set: 0, repeat: 0, count: 1, transact: 0, ..MIXED };
const LARGE: Work = Work { read: 50, set: 50, repeat: 0, count: 0, transact: 0, ..MIXED };

/// All phases, in their order.
pub const PHASES: [Phase; 12] = [
    Phase { share: 2.0, ..phase("sets that repeat their value", MEMCACHED, 64, REPEATS) },
    phase("repeated values at every door", ALL, 64, REPEATS),
    phase("memcached alone", MEMCACHED, 64, MIXED),
    phase("handlersocket alone", HANDLERSOCKET, 64, MIXED),
    phase("sql alone", MYSQL, 64, MIXED),
    phase("one client of each door", ALL, 3, MIXED),
    phase("counters of all", ALL, 64, COUNTS),
    Phase { leaving: 40, ..phase("clients that leave", ALL, 256, MIXED) },
    Phase { beside: Disturbance::SchemaChanges, ..phase("schema changes beside", ALL, 64, MIXED) },
    Phase { beside: Disturbance::Backups, ..phase("backups beside", ALL, 64, MIXED) },
    phase("values up to 1 MB", ALL, 16, Work { bytes_max: 1_000_000, ..LARGE }),
    phase("1,024 clients", ALL, 1_024, MIXED),
];
