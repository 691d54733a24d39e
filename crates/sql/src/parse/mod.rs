//! Reading statements: from text to what was written, before names are looked up.

pub mod alter;
pub mod change;
pub mod cursor;
pub mod dialect;
pub mod event;
pub mod load;
pub mod set;
pub mod show;
pub mod statement;
pub mod table;
pub mod types;

pub use cursor::{Cursor, TableName};
