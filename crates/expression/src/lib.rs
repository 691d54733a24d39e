//! Expressions: what they are, which types and collations they have, and their values over one row.
//!
//! The binder of a statement's names makes a `Node` (`make`, `node`); `Node::evaluate` gives its
//! value over a `Scope`, for the row executor, for functions of long queries and for rules of
//! tables alike. Values keep their kind at run time (a `?` has no type before), so operators look
//! at what they are given; the static type of a node says how its text looks and what a result
//! column is.
//!
//! Layers, bottom up:
//! - `statement`: what a statement lets its expressions do
//! - `value`: values, moments, documents of JSON, what operators make of numbers
//! - `tree`: what they are, and which functions there are
//! - `row`: the row at hand, and what those before it found out
//! - `evaluation`: nodes over a row, CAST; the type that several have in common; what is read of
//!   rows by shorter ways
//! - `functions`: the functions, a folder or file for each family; what operands make
//!
//! A call is evaluated by what its function's row of the table names, so `evaluation` names no
//! function's code.
//!
//! Invariants
//! 1. Nothing here knows a syntax tree, a session, a table or a store.
//! 2. One expression has one meaning: nobody else computes types, coercions or collations.
//!
//! Not here: names and syntax (crate `sql`, `bind`), queries, conversion to a column's domain
//! (`values::convert`).

mod evaluation;
mod functions;
mod row;
mod statement;
mod tree;
mod value;

pub use functions::amounts;
pub use statement::{limits, warning};
pub use value::moment;

pub use evaluation::cast::{fit, is_number};
pub use evaluation::common::{as_signed, common_type, display_chars, shown_chars};
pub use evaluation::compared_as_number::{as_key, beside, exact_beside, halves};
pub use evaluation::ordinals::{Ordinals, ordinal_beside};
pub use functions::definition::Family;
pub use functions::full_text::{
    RankedSearch, SearchStatistics, SearchTerms, SearchWord, TextSearch,
};
pub use functions::json::attributes::{object_of_text, patched_object};
pub use functions::json::rows::{JsonOtherwise, JsonParts, JsonTable, TakeRow};
pub use functions::json::single_value::{ON_DEFAULT, ON_ERROR};
pub use functions::json::typed_array::{
    ElementSearch, array_node, array_parts, element_keys, search_node, search_parts,
    shared_elements, shown_elements,
};
pub use functions::make::{
    among, arithmetic_node, boolean, bytes_node, call_node, case_condition, common_rule, compared,
    computed_double, is_byte_string, is_time_beside_untyped, keeps_digits, read_as_time,
    seen_beside, shift_node, temporal_number, time_as_text, time_beside, within,
};
pub use functions::sys::{SETTINGS as SYS_SETTINGS, shortened_statement};
pub use functions::text::bit_strings::combine_bytes;
pub use functions::text::charset::{charset_of, converted_to, in_one_charset, seen_as_bytes};
pub use functions::time::carried::{moment_as_integer, moment_as_number};
pub use functions::time::digits::number_digits;
pub use row::frame::{Enclosing, JoinedRow, JoinedRows, Subqueries};
pub use row::memo::ExecutionMemo;
pub use row::scope::{Environment, RowView, Scope};
pub use statement::block_mode::BlockMode;
pub use statement::context::{
    Server, SideEffects, StatementContext, SystemVariables, UserVariable,
};
pub use statement::error::{Error, QueryError, Result, shortened};
pub use statement::kill::{KillMark, ThreadGuard, TimeLimit};
pub use statement::limits::Limits;
pub use statement::random::Random;
pub use statement::time_names::TimeNames;
pub use statement::warning::{Level, Warning, Warnings};
pub use tree::function::Function;
pub use tree::list::List;
pub use tree::node::{
    Comparison, Kind, Node, UNDECIDED, common_collation, mixed_result, result_collation,
};
pub use tree::once::OnceNode;
pub use tree::slot::{KEY_COLUMN, parts_of, slot};
pub use tree::subquery::{BoundQuery, Quantifier, Subquery, SubqueryForm};
pub use value::arithmetic::{Arithmetic, quotient};
pub use value::cell::{Cell, bytes_of, text_of};
pub use value::compare::{
    compare, compare_shown, is_day_of_mode, says_day, says_time, time_of_whole, tolerance,
};
pub use value::json::conversion::{JsonMembers, json_element, json_scalar, json_scalar_for};
pub use value::json::order::{write_json_comparison_key, write_json_key};
pub use value::moment::Unit;
pub use value::number::{Number, is_blank, leading_exact, leading_number};
pub use value::types::{
    BIGINT, BIGINT_UNSIGNED, RESULT_BYTES_MAX, RESULT_CHARS_MAX, TRUTH, UNTYPED, text_type,
};
