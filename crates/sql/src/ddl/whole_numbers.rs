//! Whole numbers in a table that is made of a query: INT where MySQL 9.7 makes one, BIGINT
//! otherwise (tests/oracle/sql/made-of-queries.sql).
//!
//! Expressions are reckoned as BIGINT, whatever they are made of. A column for their values is an
//! INT where a condition, or a function of few digits, gives them, or numbers that are so small
//! themselves.
//!
//! Invariants
//! 1. An INT is made only where every value is one.
//!
//! Not here: columns of tables, which keep their types (`of_query`).

use expression::{Arithmetic, Function, Kind, Node};
use values::datum::Value;
use values::types::{ColumnType, IntWidth};

/// Digits of a literal that is an INT.
const LITERAL_DIGITS_MAX: u32 = 8;
/// Digits of a sum or a product that is one.
const RESULT_DIGITS_MAX: u32 = 9;

/// The type of a column for an expression's values where MySQL makes a smaller one of it than it is
/// reckoned with.
pub fn smaller_type(node: &Node) -> Option<ColumnType> {
    let is_made = !matches!(node.kind, Kind::Column(_) | Kind::Outer(..) | Kind::Aggregate(_));
    let is_whole = matches!(node.ty, ColumnType::Int { .. });
    let unsigned = fits(node).filter(|_| is_made && is_whole)?;
    Some(ColumnType::Int { width: IntWidth::Int, unsigned, boolean: false })
}

/// Whether an expression's values have no sign; `None` where its values are not those of an INT.
fn fits(node: &Node) -> Option<bool> {
    match &node.kind {
        Kind::Constant(Value::Int(_) | Value::UInt(_)) => {
            (digits(node)? <= LITERAL_DIGITS_MAX).then_some(false)
        }
        Kind::Compare(..)
        | Kind::And(_)
        | Kind::Or(_)
        | Kind::Xor(..)
        | Kind::Not(_)
        | Kind::IsNull(..)
        | Kind::IsTruth(..)
        | Kind::InList(..)
        | Kind::Between(..)
        | Kind::Like(..) => Some(false),
        Kind::Column(_) | Kind::Outer(..) | Kind::Aggregate(_) => width(&node.ty),
        Kind::Negate(of) => fits(of).filter(|unsigned| !unsigned),
        Kind::Case(_, branches, otherwise, _) => {
            let values = branches.iter().map(|(_, then)| then).chain(otherwise.as_deref());
            all_fit(values)
        }
        Kind::Arithmetic(Arithmetic::IntegerDivide, a, b) => {
            let unsigned = fits(a)?;
            let is_whole =
                matches!(b.ty, ColumnType::Int { .. } | ColumnType::Year | ColumnType::Date);
            is_whole.then(|| unsigned || is_unsigned(b))
        }
        Kind::Arithmetic(Arithmetic::Modulo, a, b) => {
            fits(b)?;
            fits(a)
        }
        Kind::Arithmetic(Arithmetic::Add | Arithmetic::Subtract, a, b) => {
            let most = digits(a)?.max(digits(b)?) + 1;
            is_small_signed(most, a, b)
        }
        Kind::Arithmetic(Arithmetic::Multiply, a, b) => {
            is_small_signed(digits(a)? + digits(b)?, a, b)
        }
        Kind::Call(function, arguments) => of_call(*function, arguments),
        _ => None,
    }
}

fn of_call(function: Function, arguments: &[Node]) -> Option<bool> {
    use Function as F;
    match function {
        F::Crc32 => Some(true),
        F::Length
        | F::CharLength
        | F::Locate
        | F::Instr
        | F::Ascii
        | F::Field
        | F::FindInSet
        | F::Strcmp
        | F::Interval
        | F::IsNull
        | F::Month
        | F::Day
        | F::Hour
        | F::Minute
        | F::Second
        | F::Quarter
        | F::DayOfWeek
        | F::Weekday
        | F::DayOfYear
        | F::Week
        | F::WeekOfYear
        | F::YearWeek
        | F::DateDiff
        | F::ToDays
        | F::TimeToSec
        | F::RegexpLike
        | F::Coercibility => Some(false),
        F::If => all_fit(arguments[1..].iter()),
        F::Coalesce | F::Greatest | F::Least => all_fit(arguments.iter()),
        F::NullIf | F::Abs => fits(&arguments[0]),
        _ => None,
    }
}

/// What all of them have in common; NULL is nothing.
fn all_fit<'n>(mut values: impl Iterator<Item = &'n Node>) -> Option<bool> {
    let is_null = |node: &Node| matches!(&node.kind, Kind::Constant(value) if value.is_null());
    let mut common = None;
    values.try_for_each(|node| {
        if is_null(node) {
            return Some(());
        }
        let unsigned = fits(node)?;
        (*common.get_or_insert(unsigned) == unsigned).then_some(())
    })?;
    common
}

fn is_small_signed(most: u32, a: &Node, b: &Node) -> Option<bool> {
    let is_signed = !is_unsigned(a) && !is_unsigned(b);
    (is_signed && most <= RESULT_DIGITS_MAX).then_some(false)
}

fn is_unsigned(node: &Node) -> bool {
    matches!(node.ty, ColumnType::Int { unsigned: true, .. } | ColumnType::Year)
}

/// Whether a column's type is without a sign; `None` for what is no INT or smaller. A day is the
/// number of its digits.
fn width(ty: &ColumnType) -> Option<bool> {
    match ty {
        ColumnType::Year => Some(true),
        ColumnType::Date => Some(false),
        ColumnType::Int { width: IntWidth::Big, .. } => None,
        ColumnType::Int { unsigned, .. } => Some(*unsigned),
        _ => None,
    }
}

/// Digits of a literal, of a column's type, and of the number that a day is.
fn digits(node: &Node) -> Option<u32> {
    let of = |value: u64| value.checked_ilog10().unwrap_or(0) + 1;
    match (&node.kind, &node.ty) {
        (Kind::Constant(Value::Int(value)), _) => Some(of(value.unsigned_abs())),
        (Kind::Constant(Value::UInt(value)), _) => Some(of(*value)),
        (Kind::Column(_) | Kind::Outer(..), ColumnType::Int { width, .. }) => match width {
            IntWidth::Tiny => Some(3),
            IntWidth::Small => Some(5),
            IntWidth::Medium => Some(8),
            IntWidth::Int | IntWidth::Big => None,
        },
        (Kind::Column(_) | Kind::Outer(..), ColumnType::Date) => Some(8),
        _ => None,
    }
}
