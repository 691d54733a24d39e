//! JSON: what texts of clients are documents, documents as MySQL prints them, and as trees.
//!
//! A column of type JSON has the printed text: readers of any door see what MySQL would show.
//!
//! Not here: documents of values of SQL, their order, paths and functions (crate `expression`);
//! members of stored documents as texts (`member`).

mod document;
mod printed;
mod reader;

pub use document::{Json, ObjectMembers, write_string};
pub use printed::printed;
pub use reader::{JsonFault, check};
