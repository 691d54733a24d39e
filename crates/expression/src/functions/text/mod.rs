//! Functions of texts and bytes.

pub(crate) mod bit_strings;
pub(crate) mod calls;
pub(crate) mod charset;
mod number_forms;
pub(crate) mod words;
