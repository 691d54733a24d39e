//! Changing the columns and indexes of a table.
//!
//! - `plan`: from alterations to the new definition and what must be done to the rows
//! - `rebuild`: doing it, for the changes that cannot be had by a new definition alone
//! - `online`: new indexes, beside those who write to the table
//! - `fill`: their entries as of one state; `follow`: what has changed since

mod fill;
mod follow;
mod online;
mod plan;
mod rebuild;
#[cfg(test)]
mod tests;

pub use plan::{Alteration, Place, implicit_default};
pub use rebuild::{AlterOutcome, AlterWork};
