//! The text of values, exactly as MySQL prints it.

mod float;
#[cfg(test)]
mod tests;
mod value;

pub use crate::digits::{write_i64, write_u64};
pub use float::{
    write_f32, write_f32_in_text, write_f64, write_f64_in_text, write_f64_within, write_fixed,
};
pub use value::{fill_with_zeros, write_text, write_untyped};
