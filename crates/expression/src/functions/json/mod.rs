//! Functions of JSON.
//!
//! Not here: documents (`value::json`).

pub(crate) mod attributes;
pub(crate) mod calls;
pub(crate) mod combine;
pub(crate) mod edit;
pub(crate) mod layout;
pub(crate) mod normal;
pub(crate) mod path;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod single_value;
pub(crate) mod text;
pub(crate) mod typed_array;
