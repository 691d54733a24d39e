//! Expressions: what they are, which types and collations they have, and their values over one row.
//!
//! Whoever has bound a statement's names makes a `Node` (`make`, `node`); `Node::evaluate` gives its
//! value over a `Scope`, for the row executor, for functions of long queries and for rules of tables
//! alike. Values keep their kind at run time (a `?` has no type before), so operators look at what
//! they are given; the static type of a node says how its text looks and what a result column is.
//!
//! Layers, bottom up:
//! - what a statement lets its expressions do: `warning`, `kill`, `limits`, `context`
//! - what they are: `node`, `subquery`, `slot`; what operands make: `make`, `common`, `digits`
//! - the row at hand: `frame`, and `Scope` of `scope`
//! - values: `value`, `number`, `arithmetic`, `compare`, `cast`, `ordinals`, and functions by kind
//!   (`function`, `*_call`, `json*`, `time_*`, `moment`)
//! - nodes over a row: `evaluate`, with `condition` and `shifting`; what is the same for all rows: `once`, `lists`
//!
//! Invariants
//! 1. Nothing here knows a syntax tree, a session, a table or a store.
//! 2. One expression has one meaning: nobody else computes types, coercions or collations.
//!
//! Not here: names and syntax (crate `sql`, `bind`), queries, conversion to a column's domain
//! (`values::convert`).

mod address_call;
mod arithmetic;
mod beside;
mod cast;
mod charset_call;
mod cipher_call;
mod common;
mod compare;
mod compress_call;
mod condition;
mod context;
mod digest_call;
mod digits;
mod error;
mod evaluate;
mod frame;
mod function;
mod json;
mod json_combine;
mod json_document;
mod json_edit;
mod json_layout;
mod json_normal;
mod json_order;
mod json_path;
mod json_search;
mod json_text;
mod kill;
pub mod limits;
mod lists;
mod make;
pub mod moment;
mod moments_read;
mod node;
mod number;
mod number_call;
mod once;
mod ordinals;
mod regular_call;
mod scope;
mod session_call;
mod shifting;
mod slot;
mod subquery;
mod text_call;
mod texts;
mod time_call;
mod time_format;
mod time_parse;
mod time_sum;
mod value;
pub mod warning;
mod word_call;

pub use arithmetic::quotient;
pub use beside::{as_key, beside, exact_beside, halves};
pub use cast::{fit, is_number};
pub use charset_call::{charset_of, converted_to, read_as, seen_as_bytes, written_in};
pub use common::{as_signed, common_type, display_chars};
pub use compare::compare;
pub use context::{Server, SideEffects, StatementContext, SystemVariables};
pub use digits::number_digits;
pub use error::{Error, Result, shortened};
pub use frame::{Enclosing, Joined, JoinedRow, Subqueries};
pub use function::Function;
pub use json::{JsonMembers, json_element};
pub use json_order::{write_json_comparison_key, write_json_key};
pub use kill::{KillMark, ThreadGuard};
pub use limits::Limits;
pub use lists::List;
pub use make::{
    among, arithmetic_node, boolean, call_node, case_condition, common_rule, compared,
    keeps_digits, seen_beside, shift_node, temporal_number, within,
};
pub use moment::Unit;
pub use node::{
    Arithmetic, BIGINT, BIGINT_UNSIGNED, Comparison, Kind, Node, TRUTH, UNTYPED, common_collation,
    text_type, type_collation,
};
pub use number::{Number, leading_exact};
pub use number_call::Random;
pub use once::{Known, Once};
pub use ordinals::{Ordinals, ordinal_beside};
pub use scope::{Environment, RowView, Scope};
pub use slot::{KEY_COLUMN, parts_of, slot};
pub use subquery::{BoundQuery, Quantifier, Subquery, SubqueryForm};
pub use value::{Cell, bytes_of, text_of};
pub use warning::{Level, Warning, Warnings};
