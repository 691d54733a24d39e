//! DECIMAL: exact decimal numbers up to MySQL's 65 digits, with room for intermediate results.

mod arithmetic;
mod number;
mod parse;
#[cfg(test)]
mod tests;
mod wide;

pub use number::{Decimal, Fit, pow10};
pub use parse::ReadDecimal;
pub(crate) use parse::{is_space, read_exponent, skip_spaces};
