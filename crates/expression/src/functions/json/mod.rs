//! Functions of JSON, and documents as trees.

pub(crate) mod attributes;
pub(crate) mod calls;
pub(crate) mod combine;
pub(crate) mod conversion;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod layout;
pub(crate) mod normal;
pub(crate) mod order;
pub(crate) mod path;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod single_value;
pub(crate) mod text;
