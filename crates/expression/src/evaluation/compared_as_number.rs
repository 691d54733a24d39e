//! A value that is compared with a number: a literal of digits is a number there, and a text the
//! number that it says.
//!
//! ```text
//! id = '1234567890123456789'   exactly that number, as MySQL and MariaDB read such a text as the column's value
//! id = b.t                     exactly as well, as MariaDB and MySQL's look-ups in an index have it
//! price = '19.99'              exactly, as the text is the same for all rows
//! price = b.t, t = 5, 5 = '5'  DOUBLE, as MySQL 8.0's manual (14.3) says of a text and a number
//! id = 1e18                    exactly that number, though it is a DOUBLE: it is the same for all rows
//! ```
//!
//! Invariants
//! 1. Comparisons, keys of indexes, sub-queries and plans of long queries all ask here, so that
//!    they agree.
//!
//! Not here: the order of two values (`compare`).

use values::datum::Datum;
use values::decimal::Decimal;
use values::types::ColumnType;

use crate::row::scope::Scope;
use crate::tree::node::{Kind, Node};
use crate::value::cell::Cell;
use crate::value::compare::is_plain_number;
use crate::value::number::{leading_exact, number_of_digits};

impl Node {
    /// Whether its value is the same for all rows of an execution, those of enclosing queries
    /// included.
    pub fn is_fixed(&self) -> bool {
        let mut fixed = true;
        match &self.kind {
            Kind::Constant(_) | Kind::Parameter(_) | Kind::Once(_) | Kind::UserVariable(_) => {}
            Kind::Column(_)
            | Kind::Incoming(_)
            | Kind::Outer(..)
            | Kind::Aggregate(_)
            | Kind::Window(_)
            | Kind::Assign(..) => fixed = false,
            Kind::Call(function, _) if function.is_volatile() => fixed = false,
            Kind::Subquery(subquery) if subquery.is_correlated() => fixed = false,
            _ => self.each_child(&mut |child| fixed &= child.is_fixed()),
        }
        fixed
    }
}

/// A node's value as what it is beside that of another.
pub fn beside<'d>((node, datum): (&Node, Datum<'d>), other: (&Node, Datum<'_>)) -> Datum<'d> {
    read_beside((node, datum), other).0
}

/// Both sides as what they are beside each other; a text that is the same for all rows, and no
/// number, is told of once.
pub(crate) fn sides<'l, 'r>(
    left: (&Node, Datum<'l>),
    right: (&Node, Datum<'r>),
    scope: &Scope<'_>,
) -> (Datum<'l>, Datum<'r>) {
    let (seen_left, seen_right) = (read_beside(left, right), read_beside(right, left));
    for ((node, datum), (_, whole)) in [(left, seen_left), (right, seen_right)] {
        if let (Datum::Bytes(text), false) = (datum, whole)
            && node.is_fixed()
        {
            scope.warn_of_text(text);
        }
    }
    (seen_left.0, seen_right.0)
}

/// The value that a node has as a key of a column of a type, with a warning for a text that is
/// none.
pub fn as_key<'d>(node: &Node, datum: Datum<'d>, ty: &ColumnType, scope: &Scope<'_>) -> Datum<'d> {
    if !matches!(datum, Datum::Bytes(_) | Datum::Double(_)) || node.ty == ColumnType::Json {
        return datum;
    }
    let number = match ty {
        ColumnType::Int { .. } | ColumnType::Bit { .. } => Datum::Int(0),
        ColumnType::Decimal { .. } => Datum::Decimal(Decimal::ZERO),
        _ => return datum,
    };
    let fixed = node.is_fixed();
    let (seen, whole) = exact_beside((datum, || fixed), (number, || false));
    if let (Datum::Bytes(text), false, true) = (datum, whole, fixed) {
        // Where rows are written, a text that is no number is not to decide which.
        match scope.strict || scope.limits.is_strict() {
            true => _ = scope.number(&Cell::Plain(datum)),
            false => scope.warn_of_text(text),
        }
    }
    seen
}

fn read_beside<'d>(
    (node, datum): (&Node, Datum<'d>),
    (other_node, other): (&Node, Datum<'_>),
) -> (Datum<'d>, bool) {
    match datum {
        Datum::Bytes(bytes) if is_plain_number(other) && node.is_digits_literal() => {
            (Datum::UInt(number_of_digits(bytes)), true)
        }
        Datum::Bytes(_) | Datum::Double(_) if node.ty != ColumnType::Json => {
            exact_beside((datum, || node.is_fixed()), (other, || other_node.is_fixed()))
        }
        _ => (datum, true),
    }
}

/// A text or a DOUBLE, each told whether it is the same for all rows, as what it is beside another
/// value; JSON is no text. The flag says that all of a text belongs to the number.
pub fn exact_beside<'d>(
    (datum, is_fixed): (Datum<'d>, impl Fn() -> bool),
    (other, is_other_fixed): (Datum<'_>, impl Fn() -> bool),
) -> (Datum<'d>, bool) {
    let is_exact = match other {
        Datum::Int(_) | Datum::UInt(_) => true,
        Datum::Decimal(_) => matches!(datum, Datum::Bytes(_)) && is_fixed(),
        _ => false,
    };
    if !is_exact || is_other_fixed() {
        return (datum, true);
    }
    match datum {
        Datum::Bytes(text) => {
            let (number, whole) = leading_exact(text);
            (number.datum(), whole)
        }
        // Others lie between whole numbers that are told apart as DOUBLE.
        Datum::Double(value) if value.fract() == 0.0 && value.abs() < WHOLE_MAX && is_fixed() => {
            (whole_datum(value as i128), true)
        }
        _ => (datum, true),
    }
}

/// Beyond all whole numbers that columns hold.
const WHOLE_MAX: f64 = 1e30;

fn whole_datum(value: i128) -> Datum<'static> {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => Datum::Int(value),
        (_, Ok(value)) => Datum::UInt(value),
        _ => Datum::Decimal(Decimal::from_i128(value, 0)),
    }
}

/// The number that a text says as a multiple of a half, so that it compares with whole numbers as
/// the number itself does: what lies between two of them is in their middle, what is beyond all of
/// them is far away.
pub fn halves(text: &[u8]) -> Decimal {
    const FAR: i128 = 10i128.pow(25);
    let number = leading_exact(text).0;
    let beyond = Decimal::from_i128(if number.to_f64() < 0.0 { -FAR } else { FAR }, 0);
    let Some(value) = number.to_decimal() else { return beyond };
    let whole = value.truncate(0).and_then(Decimal::to_i128).filter(|whole| whole.abs() < FAR);
    let Some(whole) = whole else { return beyond };
    let is_whole = value == Decimal::from_i128(whole, 0);
    Decimal::from_i128(
        match (is_whole, value.is_negative()) {
            (true, _) => whole * 10,
            (false, false) => whole * 10 + 5,
            (false, true) => whole * 10 - 5,
        },
        1,
    )
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::value::number::Number;

    #[test]
    fn halves_of_texts_compare_with_whole_numbers_as_the_numbers_do() {
        let texts =
            ["5", "5.5", "-5.5", "4.999", "-5", "0", "-0.1", "1e3", "x", "9223372036854775808"];
        let numbers = [-6, -5, -4, -1, 0, 1, 4, 5, 6, 999, 1000, i64::MAX, i64::MIN];
        let far = ["1e60", "-1e60", "1e300", "99999999999999999999999999999999"];
        for text in texts.into_iter().chain(far) {
            for number in numbers {
                let exact = match leading_exact(text.as_bytes()).0 {
                    Number::Double(value) if value < 0.0 => Ordering::Less,
                    Number::Double(_) => Ordering::Greater,
                    exact => exact.to_decimal().unwrap().cmp(&Decimal::from(number)),
                };
                assert_eq!(halves(text.as_bytes()).cmp(&Decimal::from(number)), exact, "{text}");
            }
        }
    }

    #[test]
    fn a_text_beside_a_whole_number_of_rows_is_that_number_and_not_its_neighbours() {
        let text = Datum::Bytes(b"1234567890123456789");
        let beside = |other, fixed: bool, other_fixed: bool| {
            exact_beside((text, || fixed), (other, || other_fixed)).0
        };
        let exact = Datum::Int(1_234_567_890_123_456_789);
        assert_eq!(beside(Datum::Int(1), true, false), exact);
        assert_eq!(beside(Datum::UInt(1), false, false), exact);
        assert_eq!(beside(Datum::Decimal(Decimal::ZERO), true, false), exact);
        // As DOUBLE.
        assert_eq!(beside(Datum::Decimal(Decimal::ZERO), false, false), text);
        assert_eq!(beside(Datum::Int(1), false, true), text);
        assert_eq!(beside(Datum::Double(1.0), true, false), text);
    }
}
