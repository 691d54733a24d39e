//! Files that statements read and make: `FILE(...)` in queries, LOAD DATA, INTO OUTFILE.
//!
//! `folders` opens them beneath the folders that the settings allow, `table` has their rows.
//!
//! Not here: LOAD DATA itself (`sql::load`), the store's own files.

pub mod folders;
pub mod table;
