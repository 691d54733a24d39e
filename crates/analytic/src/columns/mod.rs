//! Values as DataFusion has them: scalars, classes of types, texts that count in a statement's
//! memory.
//!
//! Not here: which Arrow type carries which MySQL type (`columnar::arrow`), conversions between
//! MySQL types (`kernels`).

mod counted;
mod scalar;
mod types;

pub(super) use counted::counted;
pub(super) use scalar::{scalar_of, value_of};
pub(super) use types::{Class, class_of, collation_of, is_string};
