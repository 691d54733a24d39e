//! Operators on numbers, with MySQL's rules of result types and overflow.
//!
//! Whole numbers stay whole except under `/`; one unsigned side makes the result unsigned, under
//! `%` the left one alone; a decimal makes it decimal; a double or a text makes it double.
//!
//! A quotient of exact numbers is computed with more digits than its type shows, in groups of
//! nine as MySQL's decimals have them, so that `2/3*3` is 2.

use values::ErrorCode;
use values::SqlMode;
use values::decimal::Decimal;

use crate::statement::error::{Error, Result};
use crate::value::number::Number;

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// DIV
    IntegerDivide,
    /// `%`, MOD
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

impl Arithmetic {
    /// Whether it is one of the 64 bits of whole numbers.
    pub fn is_of_bits(self) -> bool {
        use Arithmetic as A;
        matches!(self, A::BitAnd | A::BitOr | A::BitXor | A::ShiftLeft | A::ShiftRight)
    }
}

/// The result; `None` for a division by zero.
///
/// # Errors
/// When the result is out of its type's range.
pub fn compute(op: Arithmetic, a: Number, b: Number, mode: SqlMode) -> Result<Option<Number>> {
    match op {
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply => {
            sum_or_product(op, a, b, mode.no_unsigned_subtraction()).map(Some)
        }
        Arithmetic::Divide => divide(a, b, mode.division_digits()),
        Arithmetic::IntegerDivide => integer_divide(a, b),
        Arithmetic::Modulo => modulo(a, b),
        Arithmetic::BitAnd => Ok(Some(Number::UInt(a.to_bits() & b.to_bits()))),
        Arithmetic::BitOr => Ok(Some(Number::UInt(a.to_bits() | b.to_bits()))),
        Arithmetic::BitXor => Ok(Some(Number::UInt(a.to_bits() ^ b.to_bits()))),
        Arithmetic::ShiftLeft => Ok(Some(Number::UInt(shift(a, b, u64::checked_shl)))),
        Arithmetic::ShiftRight => Ok(Some(Number::UInt(shift(a, b, u64::checked_shr)))),
    }
}

fn shift(a: Number, b: Number, by: fn(u64, u32) -> Option<u64>) -> u64 {
    let count = u32::try_from(b.to_bits()).unwrap_or(u32::MAX);
    by(a.to_bits(), count).unwrap_or(0)
}

/// Error 1690.
fn out_of_range(kind: &str, op: Arithmetic, a: Number, b: Number) -> Error {
    let sign = match op {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::IntegerDivide => "DIV",
        _ => "/",
    };
    Error::new(
        ErrorCode::DataOutOfRange,
        format!("{kind} value is out of range in '({} {sign} {})'", show(a), show(b)),
    )
}

fn show(number: Number) -> String {
    match number {
        Number::Int(v) => v.to_string(),
        Number::UInt(v) => v.to_string(),
        Number::Decimal(v) => v.to_string(),
        Number::Double(v) => v.to_string(),
    }
}

/// A whole result within the range of its kind.
fn whole(value: i128, unsigned: bool, op: Arithmetic, a: Number, b: Number) -> Result<Number> {
    if unsigned {
        u64::try_from(value)
            .map(Number::UInt)
            .map_err(|_| out_of_range("BIGINT UNSIGNED", op, a, b))
    } else {
        i64::try_from(value).map(Number::Int).map_err(|_| out_of_range("BIGINT", op, a, b))
    }
}

fn sum_or_product(op: Arithmetic, a: Number, b: Number, signed_minus: bool) -> Result<Number> {
    if let (Number::Int(x), Number::Int(y)) = (a, b) {
        let result = match op {
            Arithmetic::Add => x.checked_add(y),
            Arithmetic::Subtract => x.checked_sub(y),
            _ => x.checked_mul(y),
        };
        return result.map(Number::Int).ok_or_else(|| out_of_range("BIGINT", op, a, b));
    }
    match (a, b) {
        (Number::Int(_) | Number::UInt(_), Number::Int(_) | Number::UInt(_)) => {
            let (x, y) = (a.to_i128(), b.to_i128());
            let value = match op {
                Arithmetic::Add => x + y,
                Arithmetic::Subtract => x - y,
                _ => x * y,
            };
            let unsigned = !(op == Arithmetic::Subtract && signed_minus);
            whole(value, unsigned, op, a, b)
        }
        (Number::Double(_), _) | (_, Number::Double(_)) => {
            let (x, y) = (a.to_f64(), b.to_f64());
            let value = match op {
                Arithmetic::Add => x + y,
                Arithmetic::Subtract => x - y,
                _ => x * y,
            };
            finite(value, op, a, b)
        }
        _ => {
            let (Some(x), Some(y)) = (a.to_decimal(), b.to_decimal()) else {
                return Err(out_of_range("DECIMAL", op, a, b));
            };
            let value = match op {
                Arithmetic::Add => x.checked_add(y),
                Arithmetic::Subtract => x.checked_sub(y),
                _ => x.checked_mul(y),
            };
            decimal(value, op, a, b)
        }
    }
}

fn finite(value: f64, op: Arithmetic, a: Number, b: Number) -> Result<Number> {
    if value.is_finite() {
        Ok(Number::Double(value))
    } else {
        Err(out_of_range("DOUBLE", op, a, b))
    }
}

fn decimal(value: Option<Decimal>, op: Arithmetic, a: Number, b: Number) -> Result<Number> {
    match value {
        Some(value) if value.whole_digits() <= Decimal::PRECISION_MAX => Ok(Number::Decimal(value)),
        _ => Err(out_of_range("DECIMAL", op, a, b)),
    }
}

fn divide(a: Number, b: Number, digits: u8) -> Result<Option<Number>> {
    if !b.is_true() {
        return Ok(None);
    }
    let op = Arithmetic::Divide;
    if matches!(a, Number::Double(_)) || matches!(b, Number::Double(_)) {
        return finite(a.to_f64() / b.to_f64(), op, a, b).map(Some);
    }
    let (Some(x), Some(y)) = (a.to_decimal(), b.to_decimal()) else {
        return Err(out_of_range("DECIMAL", op, a, b));
    };
    decimal(quotient(x, y, digits), op, a, b).map(Some)
}

/// A quotient with all digits that it is computed with, also of a sum and a count; `None` for one
/// that is too large, and for a division by zero. `digits`: how many it shows more than `x`.
pub fn quotient(x: Decimal, y: Decimal, digits: u8) -> Option<Decimal> {
    // The digits shown come first: where there is no room for more, they are rounded.
    let shown = (x.scale() + digits).min(Decimal::SCALE_MAX);
    let scale = quotient_scale(x.scale(), y.scale(), digits).clamp(shown, Decimal::SCALE_MAX);
    x.checked_div_down(y, scale).or_else(|| x.checked_div(y, shown))
}

/// Digits of one word of MySQL's decimals.
const GROUP_DIGITS: u8 = 9;

/// Digits behind the point that a quotient is computed with (`do_div_mod` in MySQL's decimal.c).
fn quotient_scale(left: u8, right: u8, digits: u8) -> u8 {
    let whole_groups = |digits: u8| digits.div_ceil(GROUP_DIGITS) * GROUP_DIGITS;
    let (x, y) = (whole_groups(left), whole_groups(right));
    let spare = (x - left) + (y - right);
    whole_groups(x + y + digits.saturating_sub(spare))
}

fn integer_divide(a: Number, b: Number) -> Result<Option<Number>> {
    if !b.is_true() {
        return Ok(None);
    }
    let op = Arithmetic::IntegerDivide;
    let unsigned = matches!(a, Number::UInt(_)) || matches!(b, Number::UInt(_));
    let value = match (a, b) {
        (Number::Int(_) | Number::UInt(_), Number::Int(_) | Number::UInt(_)) => {
            a.to_i128() / b.to_i128()
        }
        _ => {
            // A DOUBLE by the digits that say it (MySQL 9.7: tests/oracle/sql/branches.sql).
            let exact = a
                .to_decimal()
                .zip(b.to_decimal())
                .and_then(|(x, y)| x.checked_sub(x.checked_rem(y)?)?.checked_div(y, 0)?.to_i128());
            let quotient = (a.to_f64() / b.to_f64()).trunc();
            match exact {
                Some(quotient) => quotient,
                None if quotient.is_finite() && quotient.abs() < 1e30 => quotient as i128,
                None => return Err(out_of_range("BIGINT", op, a, b)),
            }
        }
    };
    whole(value, unsigned, op, a, b).map(Some)
}

fn modulo(a: Number, b: Number) -> Result<Option<Number>> {
    if !b.is_true() {
        return Ok(None);
    }
    let value = match (a, b) {
        (Number::Int(x), Number::Int(y)) => Number::Int(x.wrapping_rem(y)),
        (Number::Int(_) | Number::UInt(_), Number::Int(_) | Number::UInt(_)) => {
            let rest = a.to_i128() % b.to_i128();
            match a {
                Number::UInt(_) => Number::UInt(rest.unsigned_abs() as u64),
                _ => Number::Int(rest as i64),
            }
        }
        (Number::Double(_), _) | (_, Number::Double(_)) => Number::Double(a.to_f64() % b.to_f64()),
        _ => {
            let rest = a.to_decimal().zip(b.to_decimal()).and_then(|(x, y)| x.checked_rem(y));
            return decimal(rest, Arithmetic::Modulo, a, b).map(Some);
        }
    };
    Ok(Some(value))
}

/// `-x`. A whole one is an error where no BIGINT holds it; of literals, whose types say what they
/// come to, it is a DECIMAL (MySQL 9.7 answers so: tests/oracle/sql/beyond-bigint.sql).
///
/// # Errors
/// 1690.
pub fn negate(a: Number, is_whole: bool) -> Result<Number> {
    let beyond = |value: Decimal| match is_whole {
        true => {
            let shown = Number::Decimal(value);
            Err(Error::new(
                ErrorCode::DataOutOfRange,
                format!("BIGINT value is out of range in '-({})'", show(shown)),
            ))
        }
        false => Ok(Number::Decimal(value.negate())),
    };
    match a {
        Number::Int(v) => v.checked_neg().map_or_else(|| beyond(Decimal::from(v)), whole_number),
        Number::UInt(v) if v <= 1 << 63 => Ok(Number::Int((v as i64).wrapping_neg())),
        Number::UInt(v) => beyond(Decimal::from(v)),
        Number::Decimal(v) => Ok(Number::Decimal(v.negate())),
        Number::Double(v) => Ok(Number::Double(-v)),
    }
}

fn whole_number(value: i64) -> Result<Number> {
    Ok(Number::Int(value))
}
