//! MySQL's statements as text: the one lexer, and what each statement says before names are looked
//! up.
//!
//! ```text
//! text -> scan       shape and literals, where the statement ends, bodies of events; select_list: items as written
//! text -> cursor     tokens, read word by word; expressions and queries are sqlparser's
//!      -> statement  which statement it is: table, alter, change, show, set, load, event,
//!                 account, grant, view, xa; view_text: the text that a view keeps, and a definition shows
//! ```
//!
//! Invariants
//! 1. Nothing here knows a table, a session or a value of an expression.
//! 2. Whatever the text, memory and the depth of the stack are bounded.
//!
//! Not here: what statements mean (crate `sql`), splitting files into statements for a client
//! (crate `load`), whose delimiters are its own.

pub mod account;
pub mod alter;
mod brackets;
mod call;
pub mod change;
pub mod cursor;
mod depth;
mod derived_names;
pub mod diagnostics;
pub mod dialect;
pub mod digest;
mod error;
pub mod event;
pub mod grant;
pub mod handler;
pub mod keywords;
pub mod load;
mod location;
pub mod names;
pub mod partition;
pub mod placeholder;
mod query_list;
pub mod rule;
pub mod scan;
mod select_list;
pub mod set;
pub mod show;
pub mod statement;
pub mod table;
pub mod table_options;
mod token_forms;
pub mod types;
mod user_variables;
pub mod view;
mod view_text;
pub mod xa;

pub use call::{JSON_EMPTY, JSON_ERROR, MATCH, argument_word, plain_call};
pub use cursor::Cursor;
pub use depth::STATEMENT_STACK_BYTES;
pub use error::{Error, Result, too_deep};
pub use names::TableName;
pub use select_list::{is_list_in_brackets, item_texts};
pub use view_text::{definition_text, view_query, view_text};
