//! Expressions that are evaluated here, over one row: values of INSERT and UPDATE, conditions of
//! look-ups, UPDATE and DELETE, defaults, and SELECT without a table.
//!
//! `bind` makes a `Node` of a parsed expression, `Node::evaluate` gives its value. Values keep
//! their kind at run time (a `?` has no type before), so operators look at what they are given;
//! the static type of a node says how its text looks and what a result column is.
//!
//! Not here: queries (`analytic`), conversion to a column's domain (`values::convert`).

mod arithmetic;
mod bind;
mod cast;
mod common;
mod compare;
mod digest_call;
mod digits;
mod evaluate;
mod frame;
mod function;
mod json;
pub mod moment;
mod node;
mod number;
mod number_call;
mod ordinals;
mod regular_call;
mod session_call;
mod text_call;
mod texts;
mod time_call;
mod time_format;
mod value;

pub use bind::{
    BindFailure, Bound, IncomingNames, Names, Resolver, arithmetic_node, bind, boolean, call_node,
    column_node, common_rule, elsewhere, shift_node,
};
pub use cast::fit;
pub use common::common_type;
pub use compare::compare;
pub use evaluate::{Environment, RowView, Scope};
pub use frame::{Enclosing, Joined, JoinedRow, Subqueries};
pub use function::Function;
pub use json::{JsonMembers, json_element};
pub use moment::Unit;
pub use node::{
    Arithmetic, BIGINT, BIGINT_UNSIGNED, Comparison, Kind, Node, text_type, type_collation,
};
pub use number::Number;
pub use number_call::Random;
pub use ordinals::{Ordinals, ordinal_beside};
pub use value::{Cell, text_of};
