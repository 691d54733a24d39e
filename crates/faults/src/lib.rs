//! Disks that fail, for tests: a file layer beneath a running server, and what a cut of the power
//! would leave of its files.
//!
//! A process is started with the layer preloaded (`Layer`); every change below one directory and
//! every sync becomes a record of a journal (`Journal`), from which `Disk` makes "the disk after
//! the cut" at any moment and for any seed. So one recorded run gives any number of cuts. The same
//! layer makes writes and syncs fail on demand. `mounts` gives a test a small disk of its own.
//!
//! Not here: what a server promises, and whether it is kept (the tests of `rows-rocks` and
//! `server`).

mod dice;
mod disk;
mod edits;
mod journal;
mod layer;
mod mounts;

pub use dice::Dice;
pub use disk::Disk;
pub use journal::{Journal, Kind, Record};
pub use layer::{Fault, Layer, Position};
pub use mounts::{in_namespace, on_small_disk};
