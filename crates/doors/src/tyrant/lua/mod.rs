//! Lua: functions of a script that clients call (`ext`), and that run every so many seconds.
//!
//! - `scripts`: what all calls share, and a call from its beginning to its end
//! - `states`: which state a call gets; `state`: one Lua state with its limits; `points`: how often
//!   it asks for them
//! - `host`: the functions with which a script reaches records; `plain`: those that need none
//! - `prelude.lua`: the functions that are written in Lua itself
//! - `locks`, `stash`: what scripts share besides records
//! - `periodic`: functions that run by themselves
//!
//! The language is Luau, the dialect of Lua 5.1 (which the original has) that is made for scripts
//! whose time must end: decision 0033. Functions and where they differ:
//! `docs/tyrant-differences.md`.

mod host;
mod locks;
mod periodic;
mod plain;
mod points;
mod scripts;
mod stash;
mod state;
mod states;

pub use periodic::{Clockwork, Periodic};
pub use scripts::{ScriptOptions, Scripts};
