//! From a parsed query to a plan: what its names mean, and the cheapest way to its rows.
//!
//! ```text
//! syntax tree -> bind (names, types) -> tree -> optimize (order of joins, indexes) -> tree with steps
//!                  relations, listing           point: what a condition says of an index's keys
//! ```
//! `context` is what a statement has around it, `long` what runs queries over many rows.
//!
//! Not here: parsing (crate `syntax`), values of expressions (`expression`), running a plan
//! (`executor`, `analytic`), sessions and statements that write (`sql`).

pub mod bind;
pub mod column_default;
pub mod context;
pub mod encryption;
pub mod estimate;
pub mod index_use;
pub mod listing;
pub mod long;
pub mod optimize;
pub mod point;
pub mod process_line;
pub mod relations;
pub mod samples;
pub mod terms;
pub mod tree;
pub mod variables;
