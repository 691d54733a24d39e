//! The type that several expressions have in common, and the value of the one that is chosen as a
//! value of it: of IF, COALESCE, CASE, GREATEST and their kin.
//!
//! Numbers become the widest kind among them, whole ones of both signs a DECIMAL; a number with
//! anything else becomes text, a day with a time a DATETIME (MySQL 8.0 manual, 14.5).
//!
//! Invariants
//! 1. A value chosen is of the kind of the node's type, so that its user sees the same as
//!    the client would: `CONCAT(IF(1, 1, 2.50))` is '1.00'.
//!
//! Not here: types of a UNION's columns (crate `sql`, `bind::query`).

use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::types::{Collation, ColumnType, FixedPoint, IntWidth};

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node, result_collation};
use crate::value::cell::Cell;
use crate::value::number::Number;
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, RESULT_BYTES_MAX, RESULT_CHARS_MAX, text_type};

/// About how many characters a value of the type prints as.
pub fn display_chars(ty: &ColumnType) -> u32 {
    match ty {
        ColumnType::Int { width: IntWidth::Big, .. } => 20,
        // With a sign; a MEDIUMINT has one in MySQL's reckoning, too, that it does not need.
        ColumnType::Int { width, unsigned, .. } => {
            let sign = u32::from(*width == IntWidth::Medium || !unsigned);
            u32::from(whole_digits(*width, *unsigned)) + sign
        }
        ColumnType::Float(None) => 12,
        ColumnType::Double(None) => 22,
        ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)) => {
            u32::from(digits.precision) + 2
        }
        ColumnType::Decimal { precision, .. } => u32::from(*precision) + 2,
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => *chars,
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => {
            (*bytes).min(RESULT_BYTES_MAX)
        }
        ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json => RESULT_CHARS_MAX,
        ColumnType::Date => 10,
        ColumnType::Time { fsp } => 10 + fraction_chars(*fsp),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => 19 + fraction_chars(*fsp),
        ColumnType::Year => 4,
        ColumnType::Enum { .. } | ColumnType::Set { .. } => ty.listed_chars().max(1) as u32,
        ColumnType::Bit { bits } => u32::from(*bits),
    }
}

/// About how many characters a node's value prints as, the zeros of ZEROFILL included.
pub fn shown_chars(node: &Node) -> u32 {
    display_chars(&node.ty).max(u32::from(node.zerofill))
}

/// What a fraction of so many digits takes, with its point.
fn fraction_chars(fsp: u8) -> u32 {
    if fsp == 0 { 0 } else { u32::from(fsp) + 1 }
}

/// Digits of whole numbers of a width.
fn whole_digits(width: IntWidth, unsigned: bool) -> u8 {
    match width {
        IntWidth::Tiny => 3,
        IntWidth::Small => 5,
        IntWidth::Medium => 8,
        IntWidth::Int => 10,
        IntWidth::Big => 19 + u8::from(unsigned),
    }
}

/// Whether it is NULL whatever happens, and of no type.
fn is_null(node: &Node) -> bool {
    match &node.kind {
        Kind::Constant(value) => value.is_null(),
        // A `?` that was bound as NULL.
        Kind::Parameter(_) => node.ty == ColumnType::VarBinary { bytes: 0 },
        Kind::Call(Function::NullIf, arguments) => arguments.first().is_some_and(is_null),
        _ => false,
    }
}

/// Whether it is a literal or `?` of which nothing was known when it was bound, and no text.
fn is_untyped(node: &Node, scope: &Scope<'_>) -> bool {
    let Kind::Parameter(number) = node.kind else { return false };
    let value = scope.parameters.get(usize::from(number));
    node.is_untyped() && !matches!(value, Some(Datum::Bytes(_) | Datum::Null) | None)
}

/// How many digits a whole number has that is written in the statement.
fn written_digits(node: &Node) -> Option<u8> {
    let number = match node.kind {
        Kind::Constant(Value::Int(number)) => number.unsigned_abs(),
        Kind::Constant(Value::UInt(number)) => number,
        _ => return None,
    };
    Some(number.checked_ilog10().map_or(1, |digits| digits as u8 + 1))
}

/// What types have in common beside which a whole number that is written counts with its digits.
#[derive(Clone, Copy)]
enum CommonKind {
    /// Whole numbers; or inexact ones, where the width makes a difference (`both`).
    Whole,
    /// Exact numbers, some of them with a fraction or bits.
    Exact,
    /// Not all are numbers.
    Text,
}

impl CommonKind {
    fn of<'t>(mut types: impl Iterator<Item = &'t ColumnType>) -> CommonKind {
        use ColumnType as T;
        types
            .try_fold(CommonKind::Whole, |kind, ty| match (kind, ty) {
                (_, T::Int { .. } | T::Year | T::Float(_) | T::Double(_)) => Ok(kind),
                (_, T::Decimal { .. } | T::Bit { .. }) => Ok(CommonKind::Exact),
                _ => Err(CommonKind::Text),
            })
            .unwrap_or_else(|text| text)
    }
}

/// The type that values of several nodes have in common.
pub fn common_type(nodes: &[Node]) -> ColumnType {
    let known = nodes.iter().filter(|node| !is_null(node));
    let are_written = known.clone().any(|node| written_digits(node).is_some());
    let kind = match are_written {
        true => CommonKind::of(known.clone().map(|node| &node.ty)),
        false => CommonKind::Whole,
    };
    let mut types = known.map(|node| match (kind, written_digits(node)) {
        (CommonKind::Exact, Some(digits)) => ColumnType::Decimal { precision: digits, scale: 0 },
        (CommonKind::Text, Some(digits)) => {
            let sign = u32::from(matches!(node.kind, Kind::Constant(Value::Int(..0))));
            text_type(u32::from(digits) + sign)
        }
        _ => node.ty.clone(),
    });
    let Some(first) = types.next() else { return ColumnType::VarBinary { bytes: 0 } };
    let common = types.fold(first, |common, ty| both(&common, &ty));
    let is_text = |node: &&Node| node.is_text() || matches!(node.ty, ColumnType::Bit { .. });
    let texts = nodes.iter().filter(is_text).filter(|node| !is_null(node));
    let texts = texts.map(Node::text_collation);
    let rule = texts.reduce(result_collation).map(|(rule, _)| rule);
    match &common {
        ColumnType::VarChar { chars, .. } => {
            let collation = rule.unwrap_or(Collation::Utf8Mb4GeneralCi);
            let zeros = nodes.iter().map(|node| u32::from(node.zerofill)).max();
            ColumnType::VarChar { chars: (*chars).max(zeros.unwrap_or(0)), collation }
        }
        // Bytes that insist on nothing (UNHEX) are text beside a column of text.
        ColumnType::VarBinary { bytes } if rule.is_some_and(|rule| rule != Collation::Binary) => {
            let collation = rule.unwrap_or(Collation::Utf8Mb4GeneralCi);
            ColumnType::VarChar { chars: (*bytes).min(RESULT_CHARS_MAX), collation }
        }
        // An ENUM or SET that was chosen is its words.
        ColumnType::Enum { collation, .. } | ColumnType::Set { collation, .. } => {
            ColumnType::VarChar { chars: display_chars(&common), collation: *collation }
        }
        // A literal of digits is bytes here.
        ColumnType::Binary { bytes } => ColumnType::VarBinary { bytes: *bytes },
        _ => common,
    }
}

/// Digits before and behind the point that hold every number of an exact type.
fn exact_digits(ty: &ColumnType) -> (u8, u8) {
    match ty {
        ColumnType::Decimal { precision, scale } => (precision - scale, *scale),
        ColumnType::Year => (4, 0),
        ColumnType::Bit { bits } => (*bits, 0),
        ColumnType::Int { width, unsigned, .. } => (whole_digits(*width, *unsigned), 0),
        _ => (20, 0),
    }
}

/// The digits of what is a FLOAT or DOUBLE of either type: as many before the point, and behind it,
/// as the one with more; none where one of them has none.
fn common_digits(a: &ColumnType, b: &ColumnType) -> Option<FixedPoint> {
    let scale = a.decimals()?.max(b.decimals()?);
    let whole = |ty: &ColumnType| match ty {
        ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)) => {
            digits.precision - digits.scale
        }
        // A sign takes a place.
        _ => exact_digits(ty).0.saturating_add(1),
    };
    FixedPoint::new(whole(a).max(whole(b)).saturating_add(scale), scale)
}

fn both(a: &ColumnType, b: &ColumnType) -> ColumnType {
    use ColumnType as T;
    let whole = |ty: &T| matches!(ty, T::Int { .. } | T::Year | T::Bit { .. });
    let unsigned = |ty: &T| matches!(ty, T::Int { unsigned: true, .. } | T::Year | T::Bit { .. });
    let exact = |ty: &T| whole(ty) || matches!(ty, T::Decimal { .. });
    let number = |ty: &T| exact(ty) || matches!(ty, T::Float(_) | T::Double(_));
    let dated = |ty: &T| matches!(ty, T::Date | T::DateTime { .. } | T::Timestamp { .. });
    let temporal = |ty: &T| dated(ty) || matches!(ty, T::Time { .. });
    // The text of a BIT is its bytes.
    let bytes = |ty: &T| ty.is_binary_string() || matches!(ty, T::Bit { .. });
    match (a, b) {
        _ if a == b => a.clone(),
        (T::Bit { bits: x }, T::Bit { bits: y }) => T::Bit { bits: *x.max(y) },
        _ if unsigned(a) && unsigned(b) => BIGINT_UNSIGNED,
        // A signed number with bits, none of which is a sign: as MySQL 9.7 has it.
        (T::Bit { bits }, other) | (other, T::Bit { bits }) if whole(other) => {
            T::Decimal { precision: exact_digits(other).0.max(*bits), scale: 0 }
        }
        _ if whole(a) && whole(b) && unsigned(a) != unsigned(b) => mixed_signs(a, b),
        _ if whole(a) && whole(b) => BIGINT,
        _ if exact(a) && exact(b) => {
            let ((x, s), (y, t)) = (exact_digits(a), exact_digits(b));
            let scale = s.max(t);
            T::Decimal { precision: (x.max(y) + scale).min(65), scale }
        }
        (T::Float(_), T::Float(_)) => T::Float(common_digits(a, b)),
        (T::Float(_), T::Int { width, .. }) | (T::Int { width, .. }, T::Float(_))
            if matches!(width, IntWidth::Tiny | IntWidth::Small | IntWidth::Medium) =>
        {
            T::Float(common_digits(a, b))
        }
        // A BIGINT in front makes a DOUBLE (MySQL 9.7 and MariaDB 10.11:
        // tests/oracle/sql/branches.sql).
        (T::Float(_), T::Int { width: IntWidth::Big, .. }) => T::Float(common_digits(a, b)),
        (T::Float(_), T::Year) | (T::Year, T::Float(_)) => T::Float(common_digits(a, b)),
        _ if number(a) && number(b) => T::Double(common_digits(a, b)),
        (T::Time { fsp: x }, T::Time { fsp: y }) => T::Time { fsp: *x.max(y) },
        _ if temporal(a) && temporal(b) => T::DateTime { fsp: a.fsp().max(b.fsp()) },
        _ if bytes(a) || bytes(b) => {
            T::VarBinary { bytes: display_chars(a).max(display_chars(b)).min(RESULT_BYTES_MAX) }
        }
        _ => text_type(display_chars(a).max(display_chars(b))),
    }
}

/// A signed with an unsigned number: a DECIMAL where no integer holds both.
fn mixed_signs(a: &ColumnType, b: &ColumnType) -> ColumnType {
    let large = |ty: &ColumnType| {
        matches!(ty, ColumnType::Int { width: IntWidth::Big, unsigned: true, .. })
    };
    if large(a) || large(b) { ColumnType::Decimal { precision: 20, scale: 0 } } else { BIGINT }
}

/// A whole number of either sign as one of a kind, so that equal ones of several branches have one
/// key; `None` for what is no whole number, or none of that kind.
pub fn as_signed(datum: Datum<'_>, unsigned: bool) -> Option<Datum<'static>> {
    match (datum, unsigned) {
        (Datum::UInt(value), false) => i64::try_from(value).ok().map(Datum::Int),
        (Datum::Int(value), true) => u64::try_from(value).ok().map(Datum::UInt),
        (Datum::Year(value), false) => Some(Datum::Int(i64::from(value))),
        (Datum::Year(value), true) => Some(Datum::UInt(u64::from(value))),
        _ => None,
    }
}

/// The value of one of several nodes, as a value of what they have in common.
///
/// # Errors
/// Those of evaluating the chosen one.
pub fn chosen_of<'a>(
    node: &'a Node,
    among: &'a [Node],
    chosen: usize,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let cell = among[chosen].evaluate(scope)?;
    Ok(settle(node, &among[chosen], among, cell, scope))
}

/// The value `cell` of `chosen`, which is one of `among`, as one of the node's own type.
pub fn settle<'a>(
    node: &Node,
    chosen: &Node,
    among: &[Node],
    cell: Cell<'a>,
    scope: &Scope<'a>,
) -> Cell<'a> {
    use ColumnType as T;
    let datum = cell.datum();
    match (&node.ty, datum) {
        (T::Int { unsigned, .. }, _) => match as_signed(datum, *unsigned) {
            Some(same) => Cell::Plain(same),
            None => cell,
        },
        (_, Datum::Null)
        | (T::Year, _)
        | (T::Decimal { .. }, Datum::Decimal(_))
        | (T::Double(_), Datum::Double(_))
        | (T::Float(_), Datum::Float(_) | Datum::Bytes(_)) => cell,
        (T::Decimal { .. }, Datum::Int(value)) => Cell::Plain(Datum::Decimal(Decimal::from(value))),
        (T::Decimal { .. }, Datum::UInt(value)) => {
            Cell::Plain(Datum::Decimal(Decimal::from(value)))
        }
        (T::Decimal { .. }, Datum::Year(value)) => {
            Cell::Plain(Datum::Decimal(Decimal::from(u64::from(value))))
        }
        (T::Double(_), Datum::Bytes(_)) => cell,
        (T::Double(_), other) => match Number::of(other, scope.zone) {
            Some((number, _)) => Cell::Plain(Datum::Double(number.to_f64())),
            None => cell,
        },
        (T::Float(_), other) => match Number::of(other, scope.zone) {
            Some((number, _)) => Cell::Plain(Datum::Float(number.to_f64() as f32)),
            None => cell,
        },
        (T::DateTime { .. }, Datum::Date(_) | Datum::Timestamp(_) | Datum::Time(_)) => {
            match scope.moment(datum) {
                Some(moment) => Cell::Plain(Datum::DateTime(moment)),
                None => cell,
            }
        }
        (T::Char { .. } | T::VarChar { .. } | T::Text { .. }, Datum::Bytes(_))
        | (T::Binary { .. } | T::VarBinary { .. } | T::Blob { .. }, Datum::Bytes(_)) => cell,
        // What a parameter is was not known when the common type was chosen.
        (
            T::Char { .. }
            | T::VarChar { .. }
            | T::Text { .. }
            | T::Binary { .. }
            | T::VarBinary { .. }
            | T::Blob { .. },
            _,
        ) if !among.iter().any(|node| is_untyped(node, scope)) => {
            let mut text = Vec::new();
            chosen.write_text(datum, scope.zone, &mut text);
            Cell::Owned(text)
        }
        _ => cell,
    }
}
