//! Connections: listeners, event loops, the pool of threads that may wait.

pub mod acceptor;
pub mod address;
mod balance;
mod busy_poll;
mod commits;
mod company;
pub mod connection;
pub mod crew;
pub mod event_loop;
mod expectation;
mod giving_way;
pub mod latency;
mod lifecycle;
pub mod limits;
mod locality;
mod lock_waits;
pub mod mailbox;
mod memory;
pub mod metrics;
mod moving;
pub mod poller;
pub mod pool;
mod reading;
mod sending;
pub mod server;
mod slots;
pub mod socket;
