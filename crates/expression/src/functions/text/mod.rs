//! Functions of texts and bytes.

pub(crate) mod calls;
pub(crate) mod charset;
pub(crate) mod words;
