//! The operator's page: one page of ours over HTTP at `admin-port`, and what it asks for as JSON.
//! `rowhouse top` asks for the same.
//!
//! Not here: what SQL answers already: the page's views are statements (`views`) that run as a
//! session of whoever has logged in.

mod answers;
mod door;
mod now;
mod views;

pub use door::{BODY_BYTES_MAX, PageDoor, PageShared};
pub use now::{now, now_by_figures, parts};
pub use views::TOP;
