//! Numeric functions.

use rows::datum::Datum;
use rows::types::ColumnType;

use super::arithmetic;
use super::evaluate::Scope;
use super::function::{Function, int, whole};
use super::node::{Arithmetic, BIGINT, Kind, Node};
use super::number::Number;
use super::value::{Cell, NULL};
use crate::error::Result;

/// The result type of ROUND, ABS and their like: the argument's kind of number.
pub fn result(function: Function, arguments: &[Node]) -> ColumnType {
    let Some(first) = arguments.first() else { return BIGINT };
    match (&first.ty, function) {
        (_, Function::UnixTimestamp) => match &first.ty {
            ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } if *fsp > 0 => {
                ColumnType::Decimal { precision: 10 + fsp, scale: *fsp }
            }
            _ => BIGINT,
        },
        (ColumnType::Int { .. }, _) => first.ty.clone(),
        (ColumnType::Decimal { precision, scale }, Function::Round | Function::Truncate) => {
            let digits = match arguments.get(1).map(|node| &node.kind) {
                Some(Kind::Constant(value)) => {
                    Number::of(value.as_datum(), rows::temporal::Zone::UTC)
                        .map_or(0, |(number, _)| number.to_i128().clamp(0, 30) as u8)
                }
                Some(_) => *scale,
                None => 0,
            };
            let kept = digits.min(*scale);
            ColumnType::Decimal { precision: (precision - scale + kept + 1).min(65), scale: kept }
        }
        (ColumnType::Decimal { .. }, _) => first.ty.clone(),
        _ => ColumnType::Double,
    }
}

fn double<'a>(value: f64) -> Cell<'a> {
    if value.is_finite() { Cell::Plain(Datum::Double(value)) } else { NULL }
}

/// The value, or `None` when it is not a numeric function.
pub fn call<'a>(
    function: Function,
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Result<Option<Cell<'a>>> {
    let unary: Option<fn(f64) -> f64> = match function {
        Function::Sqrt => Some(f64::sqrt),
        Function::Exp => Some(f64::exp),
        Function::Sin => Some(f64::sin),
        Function::Cos => Some(f64::cos),
        Function::Tan => Some(f64::tan),
        Function::Radians => Some(f64::to_radians),
        Function::Degrees => Some(f64::to_degrees),
        Function::Ln => Some(f64::ln),
        Function::Log2 => Some(f64::log2),
        Function::Log10 => Some(f64::log10),
        Function::Log if cells.len() == 1 => Some(f64::ln),
        Function::Atan if cells.len() == 1 => Some(f64::atan),
        _ => None,
    };
    if let Some(compute) = unary {
        let number = scope.number(cells[0].datum());
        return Ok(Some(number.map_or(NULL, |number| double(compute(number.to_f64())))));
    }
    match function {
        Function::Pi => return Ok(Some(double(std::f64::consts::PI))),
        Function::Rand => return Ok(Some(double(random(cells, scope)))),
        Function::Abs
        | Function::Ceiling
        | Function::Floor
        | Function::Round
        | Function::Truncate
        | Function::Mod
        | Function::Power
        | Function::Log
        | Function::Atan
        | Function::Sign
        | Function::BitCount => {}
        _ => return Ok(None),
    }
    let Some(first) = scope.number(cells[0].datum()) else { return Ok(Some(NULL)) };
    let second = match cells.get(1) {
        None => None,
        Some(cell) => match scope.number(cell.datum()) {
            Some(number) => Some(number),
            None => return Ok(Some(NULL)),
        },
    };
    let second_double = second.map_or(0.0, Number::to_f64);
    Ok(Some(match function {
        Function::Abs => match first {
            Number::Int(v) if v < 0 => Cell::Plain(arithmetic::negate(first)?.datum()),
            Number::Double(v) => double(v.abs()),
            Number::Decimal(v) => Cell::Plain(Datum::Decimal(v.abs())),
            other => Cell::Plain(other.datum()),
        },
        Function::Ceiling | Function::Floor => round_to_whole(function, first),
        Function::Round | Function::Truncate => {
            let digits = cells.get(1).and_then(|cell| whole(cell, scope)).unwrap_or(0);
            round(first, digits, function == Function::Truncate)
        }
        Function::Mod => {
            let second = second.unwrap_or(Number::Int(0));
            match arithmetic::compute(Arithmetic::Modulo, first, second, false)? {
                Some(number) => Cell::Plain(number.datum()),
                None => NULL,
            }
        }
        Function::Power => double(first.to_f64().powf(second_double)),
        Function::Log => double(second_double.ln() / first.to_f64().ln()),
        Function::Atan => double(first.to_f64().atan2(second_double)),
        Function::Sign => {
            let value = first.to_f64();
            int(if value > 0.0 { 1 } else { -i64::from(value < 0.0) })
        }
        _ => int(i64::from(first.to_bits().count_ones())),
    }))
}

fn round_to_whole<'a>(function: Function, number: Number) -> Cell<'a> {
    match number {
        Number::Double(v) => double(if function == Function::Floor { v.floor() } else { v.ceil() }),
        Number::Decimal(v) => {
            let Some(cut) = v.truncate(0) else { return NULL };
            let one = rows::decimal::Decimal::from(1i64);
            let whole = match function {
                Function::Floor if v < cut => cut.checked_sub(one),
                Function::Ceiling if v > cut => cut.checked_add(one),
                _ => Some(cut),
            };
            match whole.map(|whole| (whole, whole.to_i64())) {
                Some((_, Some(small))) => int(small),
                Some((large, None)) => Cell::Plain(Datum::Decimal(large)),
                None => NULL,
            }
        }
        other => Cell::Plain(other.datum()),
    }
}

fn round<'a>(number: Number, digits: i64, cut: bool) -> Cell<'a> {
    let digits = digits.clamp(-38, 30);
    match number {
        Number::Double(v) => {
            let factor = 10f64.powi(digits.unsigned_abs() as i32);
            let apply = |v: f64| if cut { v.trunc() } else { v.round() };
            let value = if digits >= 0 {
                let scaled = v * factor;
                if scaled.is_finite() { apply(scaled) / factor } else { v }
            } else {
                apply(v / factor) * factor
            };
            double(value)
        }
        Number::Decimal(v) if digits >= 0 => {
            let scale = (digits as u8).min(v.scale());
            let value = if cut { v.truncate(scale) } else { v.rescale(scale) };
            value.map_or(NULL, |value| Cell::Plain(Datum::Decimal(value)))
        }
        other if digits >= 0 => Cell::Plain(other.datum()),
        other => {
            let unit = 10i128.pow((-digits) as u32);
            let value = other.to_i128();
            let half = if cut { 0 } else { unit / 2 * value.signum() };
            let rounded = (value + half) / unit * unit;
            match (other, i64::try_from(rounded)) {
                (Number::UInt(_), _) => {
                    u64::try_from(rounded).map_or(NULL, |v| Cell::Plain(Datum::UInt(v)))
                }
                (Number::Decimal(_), _) => {
                    Cell::Plain(Datum::Decimal(rows::decimal::Decimal::from_i128(rounded, 0)))
                }
                (_, Ok(v)) => int(v),
                (_, Err(_)) => NULL,
            }
        }
    }
}

/// A number in [0, 1): from a seed by MySQL's generator, else unforeseeable.
fn random(cells: &[Cell<'_>], scope: &Scope<'_>) -> f64 {
    const MAX: u64 = 0x3FFF_FFFF;
    match cells.first().map(|cell| whole(cell, scope).unwrap_or(0)) {
        Some(seed) => {
            let seed = seed as u32;
            let first = u64::from(seed.wrapping_mul(0x10001).wrapping_add(55_555_555)) % MAX;
            let second = u64::from(seed.wrapping_mul(0x1000_0001)) % MAX;
            let first = (first * 3 + second) % MAX;
            first as f64 / MAX as f64
        }
        None => (super::session_call::random_bits() >> 11) as f64 / (1u64 << 53) as f64,
    }
}
