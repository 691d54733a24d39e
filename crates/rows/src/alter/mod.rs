//! Changing the columns and indexes of a table.
//!
//! - `plan`: from what is asked for (`alteration`) to the new definition and what must be done to
//!   the rows
//! - `carry_out`: doing it, for the changes that are had by a new definition alone
//! - `online`: new indexes and copies, while other clients write to the table
//! - `conversion`: the zone and the modes by which values of rows that exist are converted
//! - `making`: what is made of a row there: entries of new indexes, or (`copying`) a row of a copy
//! - `fill`: of the rows of one state; `follow`: of what has changed since (`changed_rows`), with
//!   writers slowed down if need be (`pulse`)
//! - `temporary`: all of it for temporary tables, which nobody else writes to

mod alteration;
mod carry_out;
mod changed_rows;
mod conversion;
mod copying;
mod fill;
mod follow;
mod making;
mod online;
mod plan;
mod pulse;
mod temporary;
#[cfg(test)]
mod tests;

pub use alteration::{Alteration, ColumnPlace};
pub use carry_out::{AlterOutcome, AlterWork};
pub use conversion::ConversionRules;
pub use plan::implicit_default;
