//! Events: jobs inside the server, run by its clock (decision 0034).
//!
//! ```text
//! CREATE EVENT -> session::events -> catalog ---> queue (when) -> scheduler (threads) -> job (one run)
//!                                       ^                                                  |
//!                                       +------------- RunRecord: begun, ended ------------+
//! ```
//!
//! Invariants
//! 1. An event runs once at a time; a moment that comes while it runs is passed over.
//! 2. That a run begins is on the disk before it does, so a one-time event runs at most once.
//! 3. A recurring event has no runs to make up for: what came due while no scheduler was at work is
//!    passed over. A one-time event that came due then runs as soon as one is.
//!
//! Not here: the grammar (`syntax::event`), statements about events (`session::events`), what is
//! stored (`rows::event`).

mod job;
mod queue;
mod scheduler;

pub use scheduler::EventScheduler;
