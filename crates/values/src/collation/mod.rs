//! Comparing text under a collation.

mod compare;
mod like;
mod names;
mod plain;
#[cfg(test)]
mod tests;
mod weights;

pub use compare::{compare, equal, write_shown_weights, write_weights};
pub use like::like;
pub(crate) use weights::{next_character, weight};
