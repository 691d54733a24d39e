//! The load generator: many connections in few threads, each request timed and its reply checked.
//!
//! A *session* is one client of a workload: it writes requests and judges replies, without knowing
//! of sockets. A *connection* carries one session over one or more sockets (its lanes). `drive`
//! spreads connections over threads, each with an epoll of its own, and counts only what completes
//! inside the measured window; what is sent before its end is awaited and judged, but not counted.
//!
//! Not here: protocols (`protocols`), what is asked (`experiments`), servers (`peers`).

mod connection;
mod drive;
mod pause;
mod sample;
mod spent;
mod wire;

pub use connection::{Client, ClientConnection, CountedWindow, Lanes, TurnOutcome};
pub use drive::{WindowPlan, drive};
pub use pause::Pause;
pub use sample::Sample;
pub use spent::ResourcesSpent;
pub use wire::Wire;

/// What a session made of the unread bytes of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// No whole reply yet; offer again with more bytes.
    Incomplete,
    /// This many bytes were a reply, and the request goes on (a further step was written).
    Step(usize),
    /// The oldest request is complete.
    Done {
        /// Length of the reply in bytes.
        bytes: usize,
        /// Rows (keys) that the request asked for.
        rows: u32,
        /// Whether the reply was what the request demands.
        verdict: Verdict,
    },
}

/// Whether a reply was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Byte for byte what the request demands.
    Right,
    /// A success that says something else than it must.
    Wrong,
    /// The server answered an error.
    Refused,
}

/// One client of a workload.
pub trait ClientSession: Send {
    /// Writes the next request; `false` if there is none (the session has finished).
    fn start(&mut self, lanes: &mut Lanes) -> bool;

    /// Judges the unread bytes of `lane`. Replies of one lane belong to its requests in order.
    fn reply(&mut self, lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress;
}
