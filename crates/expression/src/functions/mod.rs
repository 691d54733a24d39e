//! The functions: what is true of each, and what it computes, by family.

pub(crate) mod address;
pub(crate) mod cipher;
pub(crate) mod function;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod regular;
pub(crate) mod session;
pub(crate) mod text;
pub mod time;
