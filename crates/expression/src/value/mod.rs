//! Values in flight, as numbers, compared, computed with and cast.

pub(crate) mod arithmetic;
pub(crate) mod cast;
pub(crate) mod cell;
pub(crate) mod compare;
pub(crate) mod number;
pub(crate) mod random;
