//! The audit log: who came, who was kept out, and what was changed, as lines of JSON.
//!
//! ```text
//! event  what happened, and its line
//! choice which events are wanted
//! log    the queue: those who tell of an event wait for nobody
//! file   the file: written by one thread, turned over by size
//! ```
//!
//! Invariants
//! 1. No line holds a password: texts of statements come without them (`sql`), and what a client
//!    shows at a login is not told.
//!
//! Not here: who tells of events (crates `sql` and `doors`), settings (crate `server`).

mod choice;
mod event;
mod file;
mod log;

pub use choice::{AuditChoice, AuditClass};
pub use event::{AuditEvent, AuditSubject};
pub use file::AuditFileOptions;
pub use log::{AuditFailurePolicy, AuditLog, AuditOptions};
