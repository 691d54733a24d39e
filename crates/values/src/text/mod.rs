//! The text of values, exactly as MySQL prints it.

mod float;
mod integer;
#[cfg(test)]
mod tests;
mod value;

pub use float::{write_f32, write_f64, write_f64_within, write_fixed};
pub use integer::{write_i64, write_u64};
pub use value::{write_text, write_untyped};
