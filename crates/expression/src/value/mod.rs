//! Values in flight, as numbers, compared and computed with; documents of JSON; their types.

pub(crate) mod arithmetic;
pub(crate) mod cell;
pub(crate) mod compare;
pub(crate) mod json;
pub mod moment;
pub(crate) mod moments_read;
pub(crate) mod number;
pub(crate) mod types;
pub(crate) mod user_variable;
