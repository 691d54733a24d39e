//! Numeric functions.

use values::ErrorCode;
use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::Zone;
use values::types::{ColumnType, FixedPoint};

use crate::functions::call::{Call, int, whole};
use crate::functions::make::{computed_double, is_byte_string, temporal_number};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::statement::random::Random;
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node};
use crate::value::arithmetic;
use crate::value::arithmetic::Arithmetic;
use crate::value::cell::{Cell, NULL};
use crate::value::number::Number;
use crate::value::types::{BIGINT, BIGINT_UNSIGNED};

/// The result type of ABS, MOD and the like: the argument's kind of number.
pub(crate) fn same_type(arguments: &[Node]) -> ColumnType {
    let Some(first) = arguments.first() else { return BIGINT };
    match &first.ty {
        ColumnType::Int { .. } | ColumnType::Decimal { .. } => first.ty.clone(),
        ColumnType::Year | ColumnType::Bit { .. } => BIGINT_UNSIGNED,
        ty @ (ColumnType::Float(_) | ColumnType::Double(_)) => computed_double(ty.decimals()),
        // A time is its number, as a DOUBLE (MySQL 9.7: tests/oracle/sql/newest.sql).
        ty => computed_double(temporal_number(ty).map(|(_, digits)| digits)),
    }
}

/// PI() is shown with six digits behind the point; it is computed with all it has.
pub(crate) fn pi_type(_: &[Node]) -> ColumnType {
    ColumnType::Double(FixedPoint::new(8, 6))
}

/// The result type of ROUND and TRUNCATE.
pub(crate) fn rounded_type(arguments: &[Node]) -> ColumnType {
    let (precision, scale) = match same_type(arguments) {
        ColumnType::Decimal { precision, scale } => (precision, scale),
        // Those of a DOUBLE are as many as are left of it.
        ColumnType::Double(_) => return ColumnType::Double(None),
        exact => return exact,
    };
    // Digits that it has not are not shown (MySQL 9.7: tests/oracle/sql/beyond-bigint.sql).
    let digits = match arguments.get(1).and_then(known_digits) {
        Some(digits) => digits.clamp(0, i64::from(scale)) as u8,
        None if arguments.len() > 1 => scale,
        None => 0,
    };
    ColumnType::Decimal { precision: (precision - scale + digits + 1).min(65), scale: digits }
}

/// The digits that ROUND and TRUNCATE are asked for, where they are known before the statement
/// runs.
fn known_digits(node: &Node) -> Option<i64> {
    let Kind::Constant(value) = &node.kind else { return None };
    let (number, _) = Number::of_whole(value.as_datum(), Zone::UTC)?;
    Some(number.to_i128().clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}

/// The result type of FLOOR and CEILING: an integer where every value fits one.
pub(crate) fn whole_type(arguments: &[Node]) -> ColumnType {
    match arguments.first().map(|node| &node.ty) {
        Some(
            ColumnType::Int { unsigned: true, .. } | ColumnType::Bit { .. } | ColumnType::Year,
        ) => BIGINT_UNSIGNED,
        Some(ColumnType::Int { .. }) => BIGINT,
        Some(ColumnType::Decimal { precision, scale }) => match precision - scale {
            0..=17 => BIGINT,
            digits => ColumnType::Decimal { precision: (digits + 1).min(65), scale: 0 },
        },
        _ => ColumnType::Double(None),
    }
}

/// Error 1690 for what is no number.
fn in_range<'a>(function: Function, value: f64) -> Result<Cell<'a>> {
    if value.is_finite() {
        return Ok(Cell::Plain(Datum::Double(value)));
    }
    let name = function.name().to_lowercase();
    Err(Error::new(
        ErrorCode::DataOutOfRange,
        format!("DOUBLE value is out of range in '{name}()'"),
    ))
}

fn double<'a>(value: f64) -> Cell<'a> {
    if value.is_finite() { Cell::Plain(Datum::Double(value)) } else { NULL }
}

/// A function of one double.
pub(crate) fn of_double<'a>(
    call: &Call<'_, 'a>,
    cells: &[Cell<'a>],
    compute: fn(f64) -> f64,
) -> Result<Cell<'a>> {
    let number = call.scope.number(&cells[0]);
    Ok(number.map_or(NULL, |number| double(compute(number.to_f64()))))
}

/// LN, LOG2, LOG10, and LOG of one argument or to a base.
pub(crate) fn log<'a>(
    call: &Call<'_, 'a>,
    cells: &[Cell<'a>],
    compute: fn(f64) -> f64,
) -> Result<Cell<'a>> {
    let mut numbers = [0.0; 2];
    for (number, cell) in numbers.iter_mut().zip(cells) {
        match call.scope.number(cell) {
            Some(known) => *number = known.to_f64(),
            None => return Ok(NULL),
        }
    }
    let has_one = numbers[..cells.len()].iter().all(|number| *number > 0.0);
    // No number has a power that is the base of none (MySQL 9.7: tests/oracle/sql/newest.sql).
    if !has_one || cells.len() == 2 && numbers[0] == 1.0 {
        call.scope.no_logarithm()?;
        return Ok(NULL);
    }
    Ok(match cells {
        [_] => double(compute(numbers[0])),
        _ => double(numbers[1].ln() / numbers[0].ln()),
    })
}

/// ATAN, of one argument or of the two sides.
pub(crate) fn atan<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    match cells {
        [_] => of_double(call, cells, f64::atan),
        _ => of_numbers(call, cells),
    }
}

/// PI.
pub(crate) fn pi<'a>(_: &Call<'_, 'a>) -> Result<Cell<'a>> {
    Ok(double(std::f64::consts::PI))
}

/// RAND.
pub(crate) fn rand<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    Ok(double(random(call.node, cells, call.scope)))
}

/// The values of the other ones.
pub(crate) fn of_numbers<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, node, scope, arguments } = *call;
    let first = match function {
        Function::BitCount if is_byte_string(&arguments[0]) => {
            let Datum::Bytes(bytes) = cells[0].datum() else { return Ok(NULL) };
            return Ok(int(bytes.iter().map(|byte| i64::from(byte.count_ones())).sum()));
        }
        Function::BitCount => scope.bits(&arguments[0], &cells[0]),
        _ => scope.number(&cells[0]),
    };
    let Some(first) = first else { return Ok(NULL) };
    let first = match node.ty {
        // A time's number is exact until here.
        ColumnType::Double(_) => Number::Double(first.to_f64()),
        _ => first,
    };
    let is_rounded = matches!(function, Function::Round | Function::Truncate);
    let second = match cells.get(1) {
        None => None,
        Some(cell) if is_rounded && !cell.is_null() => None,
        Some(cell) => match scope.number(cell) {
            Some(number) => Some(number),
            None => return Ok(NULL),
        },
    };
    let second_double = second.map_or(0.0, Number::to_f64);
    Ok(match function {
        Function::Abs => match first {
            Number::Int(v) if v < 0 => Cell::Plain(arithmetic::negate(first, true)?.datum()),
            Number::Double(v) => double(v.abs()),
            Number::Decimal(v) => Cell::Plain(Datum::Decimal(v.abs())),
            other => Cell::Plain(other.datum()),
        },
        Function::Ceiling | Function::Floor => round_to_whole(function, first, &node.ty),
        Function::Round | Function::Truncate => {
            let digits = cells.get(1).and_then(|cell| whole(cell, scope)).unwrap_or(0);
            round(first, digits, function)?
        }
        Function::Mod => {
            let second = second.unwrap_or(Number::Int(0));
            match arithmetic::compute(Arithmetic::Modulo, first, second, scope.mode)? {
                Some(number) => Cell::Plain(number.datum()),
                None => NULL,
            }
        }
        Function::Power => in_range(function, first.to_f64().powf(second_double))?,
        Function::Exp => in_range(function, first.to_f64().exp())?,
        Function::Cot => in_range(function, 1.0 / first.to_f64().tan())?,
        Function::Atan => double(first.to_f64().atan2(second_double)),
        Function::Sign => {
            let value = first.to_f64();
            int(if value > 0.0 { 1 } else { -i64::from(value < 0.0) })
        }
        Function::BitCount => int(i64::from(first.to_bits().count_ones())),
        _ => return Err(Error::unknown_function(function.name())),
    })
}

fn round_to_whole<'a>(function: Function, number: Number, ty: &ColumnType) -> Cell<'a> {
    match number {
        Number::Double(v) => double(if function == Function::Floor { v.floor() } else { v.ceil() }),
        Number::Decimal(v) => {
            let Some(cut) = v.truncate(0) else { return NULL };
            let one = Decimal::from(1i64);
            let whole = match function {
                Function::Floor if v < cut => cut.checked_sub(one),
                Function::Ceiling if v > cut => cut.checked_add(one),
                _ => Some(cut),
            };
            match whole {
                Some(whole) if matches!(ty, ColumnType::Decimal { .. }) => {
                    Cell::Plain(Datum::Decimal(whole))
                }
                Some(whole) => match whole.to_i64() {
                    Some(value) => int(value),
                    // Of a literal of more digits than those that its type was made of.
                    None => Cell::Plain(Datum::Decimal(whole)),
                },
                None => NULL,
            }
        }
        other => Cell::Plain(other.datum()),
    }
}

/// A double with so many digits behind its point, half to even as `rint` in MySQL's
/// my_double_round.
pub fn round_double(value: f64, digits: i64) -> f64 {
    scaled(value, digits, f64::round_ties_even)
}

fn scaled(value: f64, digits: i64, apply: fn(f64) -> f64) -> f64 {
    let factor = power_of_ten(digits.unsigned_abs());
    match digits {
        ..0 if factor.is_infinite() => 0.0,
        ..0 => apply(value / factor) * factor,
        _ => {
            let scaled = value * factor;
            if scaled.is_finite() { apply(scaled) / factor } else { value }
        }
    }
}

/// The double nearest to a power of ten; infinite beyond those that there are.
fn power_of_ten(exponent: u64) -> f64 {
    /// The last that a double holds exactly.
    const EXACT: u64 = 22;
    match exponent {
        ..=EXACT => 10f64.powi(exponent as i32),
        _ => format!("1e{exponent}").parse().unwrap_or(f64::INFINITY),
    }
}

/// Error 1690 for a whole number that its kind does not hold.
fn whole_out_of_range<'a>(function: Function, kind: &str) -> Result<Cell<'a>> {
    let name = function.name().to_lowercase();
    Err(Error::new(
        ErrorCode::DataOutOfRange,
        format!("{kind} value is out of range in '{name}()'"),
    ))
}

fn round<'a>(number: Number, digits: i64, function: Function) -> Result<Cell<'a>> {
    let cut = function == Function::Truncate;
    if let Number::Double(value) = number {
        let apply = if cut { f64::trunc } else { f64::round_ties_even };
        return Ok(double(scaled(value, digits, apply)));
    }
    // No DECIMAL has more, and those that one has not add nothing to it.
    let digits = digits.clamp(-75, i64::from(Decimal::SCALE_MAX));
    Ok(match number {
        Number::Decimal(v) if digits >= i64::from(v.scale()) => Cell::Plain(Datum::Decimal(v)),
        Number::Decimal(v) if digits >= 0 => {
            let scale = digits as u8;
            let value = if cut { v.truncate(scale) } else { v.rescale(scale) };
            value.map_or(NULL, |value| Cell::Plain(Datum::Decimal(value)))
        }
        other if digits >= 0 => Cell::Plain(other.datum()),
        Number::Decimal(v) => Cell::Plain(Datum::Decimal(rounded_whole(v, -digits, cut))),
        Number::UInt(_) if digits < -20 => Cell::Plain(Datum::UInt(0)),
        _ if digits < -20 => int(0),
        other => {
            let unit = 10i128.pow((-digits) as u32);
            let value = other.to_i128();
            let half = if cut { 0 } else { unit / 2 * value.signum() };
            let rounded = (value + half) / unit * unit;
            match (other, i64::try_from(rounded)) {
                (Number::UInt(_), _) => match u64::try_from(rounded) {
                    Ok(value) => Cell::Plain(Datum::UInt(value)),
                    Err(_) => return whole_out_of_range(function, "BIGINT UNSIGNED"),
                },
                (_, Ok(v)) => int(v),
                (_, Err(_)) => return whole_out_of_range(function, "BIGINT"),
            }
        }
    })
}

/// A DECIMAL without so many digits before its point.
fn rounded_whole(value: Decimal, digits: i64, cut: bool) -> Decimal {
    if digits > i64::from(Decimal::PRECISION_MAX) {
        return Decimal::ZERO;
    }
    let ten = Decimal::from(10i64);
    let unit =
        (0..digits).fold(Decimal::from(1i64), |unit, _| unit.checked_mul(ten).unwrap_or(unit));
    let (whole, rest) = match (value.truncate(0), value.checked_rem(unit)) {
        (Some(whole), Some(rest)) => (whole, rest),
        _ => return value,
    };
    let rest_digits = rest.truncate(0).unwrap_or(Decimal::ZERO);
    let below = whole.checked_sub(rest_digits).unwrap_or(whole);
    let is_up = !cut && rest.abs().checked_add(rest.abs()).is_some_and(|twice| twice >= unit);
    let further = match (is_up, value.is_negative()) {
        (false, _) => Some(below),
        (true, false) => below.checked_add(unit),
        (true, true) => below.checked_sub(unit),
    };
    further.unwrap_or(below)
}

/// A number in [0, 1): from a seed by MySQL's generator, else unforeseeable.
fn random(node: &Node, cells: &[Cell<'_>], scope: &Scope<'_>) -> f64 {
    let Some(cell) = cells.first() else {
        return (crate::functions::session::random_bits() >> 11) as f64 / (1u64 << 53) as f64;
    };
    let seed = whole(cell, scope).unwrap_or(0);
    let constant = matches!(&node.kind, Kind::Call(_, arguments) if arguments[0].is_constant());
    match scope.context {
        // One sequence for the whole statement.
        Some(context) if constant => {
            let place = std::ptr::from_ref(node).addr();
            let mut sequences = context.random.lock();
            sequences.entry(place).or_insert_with(|| Random::seeded(seed)).next()
        }
        _ => Random::seeded(seed).next(),
    }
}
