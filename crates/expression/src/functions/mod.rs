//! The functions: what is true of each, and what it computes, by family.

pub(crate) mod address;
pub mod amounts;
pub(crate) mod call;
pub(crate) mod cipher;
pub(crate) mod control;
pub(crate) mod definition;
pub(crate) mod full_text;
pub(crate) mod json;
pub(crate) mod make;
pub(crate) mod number;
mod registry;
pub(crate) mod regular;
pub(crate) mod result;
pub(crate) mod session;
pub(crate) mod sys;
pub(crate) mod text;
pub mod time;
