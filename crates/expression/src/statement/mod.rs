//! What a statement lets its expressions do: its context, limits, kill mark, warnings and errors.

pub(crate) mod block_mode;
pub(crate) mod context;
pub(crate) mod error;
pub(crate) mod kill;
pub mod limits;
pub(crate) mod random;
pub(crate) mod time_names;
pub mod warning;
