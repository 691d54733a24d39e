//! Nodes over a row, and the short ways for columns: their ordinals and texts.

pub(crate) mod cast;
pub(crate) mod common;
pub(crate) mod compared_as_number;
pub(crate) mod condition;
pub(crate) mod evaluate;
pub(crate) mod lists;
pub(crate) mod once;
pub(crate) mod ordinals;
pub(crate) mod shifting;
pub(crate) mod texts;
