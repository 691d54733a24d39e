//! Comparing text under a collation.

mod charset_weights;
mod compare;
mod contractions;
mod leveled;
mod like;
mod names;
mod numbered;
mod plain;
mod sequence;
#[cfg(test)]
mod tests;
mod unicode;
mod weights;

pub use compare::{compare, equal, shown_weight_bytes, write_shown_weights};
pub(crate) use leveled::LeveledRule;
pub use like::{like, like_beginning};
pub use names::collations;
pub(crate) use sequence::SequenceRule;
pub(crate) use unicode::TextWeights;
pub(crate) use weights::{next_character, weight};
