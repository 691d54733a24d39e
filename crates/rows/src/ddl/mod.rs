//! Making, dropping, emptying and renaming databases and tables; events, views, accounts.
//!
//! Every change is one batch: definitions, the deletion of all rows and entries of a dropped table
//! as one range, and a note to give the space back. So dropping a table of any size returns at
//! once, and a crash leaves either the old or the new state.
//!
//! Where to look: `definition` makes what is stored of a new table, `rules` what it must fulfil,
//! `databases`, `tables`, `temporary`, `events` and `views` the changes, `space` gives the room of
//! what was dropped back.
//!
//! Invariants
//! 1. A change closes the table's gate first: writers inside finish, later ones see the new version
//!    or an error.
//! 2. A stored definition has passed `validate`.
//!
//! Not here: changes of columns and indexes (`alter`).

mod accounts;
mod databases;
mod definition;
mod events;
mod exchange;
mod functional;
mod relations;
mod rules;
mod sizes;
mod space;
mod tables;
mod temporary;
mod views;

pub use definition::{
    ENGINE, KeyPartSource, NewCheck, NewColumnarIndex, NewForeignKey, NewFullText, NewIndex,
    NewKeyPart, NewMember, NewTable, listed_table,
};
pub(crate) use definition::{
    add_check, add_columnar_index, add_foreign_key, add_full_text, add_index, add_member,
    hidden_key, take_index_id,
};
pub(crate) use functional::{check_key_parts, type_key_parts};
pub(crate) use relations::Relations;
pub use rules::{COLUMNS_MAX, INDEX_PARTS_MAX, INDEXES_MAX, NAME_CHARS_MAX, check_name};
pub(crate) use rules::{validate, widens};
pub(crate) use sizes::check_sizes;
pub(crate) use temporary::check_temporary;
