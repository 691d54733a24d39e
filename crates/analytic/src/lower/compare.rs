//! Comparisons in the form in which DataFusion may join by them, and the scan finds ranges of
//! indexes in them.
//!
//! | one side           | other side       | compared as                                        |
//! |--------------------|------------------|----------------------------------------------------|
//! | anything but text  | a known value    | the side's own type, where the value is one of it  |
//! | text               | text             | text, under the comparison's collation             |
//! | number             | number           | integer, decimal or double, whichever holds both   |
//! | text               | rows' integers   | the number that it says, exactly                   |
//! | a text for all rows | rows' DECIMAL   | the same                                           |
//! | text               | another number   | double                                             |
//! | a day, a moment    | the other        | DATETIME                                           |
//!
//! Invariants
//! 1. A comparison here is what the evaluator's would be; where that is not so it is lifted.
//! 2. A comparison of a column with a known value keeps the column bare and the value a literal
//!    of the column's own Arrow type, so that `scan::terms` can make a range of it.
//!
//! Not here: what comparisons mean (`expression::compare`).

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, lit};
use expression::{
    BIGINT, BIGINT_UNSIGNED, Comparison, Node, compare, compare_shown, exact_beside, halves,
    tolerance,
};
use results::Result;
use values::convert::convert;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::types::{Collation, ColumnType};

use super::super::columns::{Class, class_of, scalar_of};
use super::super::kernels::{CollationKey, RowFunction, TextComparison, TextMembership};
use super::convert::{known, native_cast};
use super::row::Row;
use super::scalar::known_truth;
use super::{Lowering, call};

/// One side of a comparison.
pub(super) struct CompareSide {
    pub(super) expr: Expr,
    pub(super) ty: ColumnType,
    /// Its value, if it is known before the query runs.
    pub(super) known: Option<Value>,
    /// Whether its value is the same for all rows.
    pub(super) fixed: bool,
}

impl CompareSide {
    fn datum(&self) -> Option<Datum<'_>> {
        self.known.as_ref().map(Value::as_datum)
    }
}

/// Two sides in the form in which they are compared.
struct Pair {
    left: Expr,
    right: Expr,
    /// As texts under a collation other than that of their bytes.
    text: Option<Collation>,
}

impl Lowering<'_> {
    /// An expression as a side of a comparison.
    pub(super) fn side(&self, row: &Row<'_>, node: &Node) -> Result<CompareSide> {
        if let Some(exact) = self.known_beyond_its_type(node) {
            let (digits, scale) = (exact.whole_digits(), exact.scale());
            let precision = (digits + scale).clamp(1, Decimal::PRECISION_MAX);
            let (ty, value) = (ColumnType::Decimal { precision, scale }, Value::Decimal(exact));
            return Ok(CompareSide {
                expr: known(&ty, &value),
                ty,
                known: Some(value),
                fixed: true,
            });
        }
        let (expr, known) = (self.value(row, node)?, self.known_value(node));
        // A BIT is a number beside anything.
        let ty = match node.ty {
            ColumnType::Bit { .. } => BIGINT_UNSIGNED,
            _ => node.ty.clone(),
        };
        Ok(CompareSide { expr, ty, known, fixed: node.is_fixed() })
    }

    /// The comparison `node`, of `a` with `b`.
    pub(super) fn comparison(
        &self,
        row: &Row<'_>,
        node: &Node,
        op: Comparison,
        a: &Node,
        b: &Node,
        rule: Collation,
    ) -> Result<Expr> {
        let (left, right) = (self.side(row, a)?, self.side(row, b)?);
        match self.compared(op, &left, &right, rule) {
            Some(expr) => Ok(expr),
            None => self.lifted(row, node, None),
        }
    }

    /// A comparison of two sides, whatever they are.
    pub(super) fn compared_anyhow(
        &self,
        op: Comparison,
        left: CompareSide,
        right: CompareSide,
        rule: Collation,
    ) -> Expr {
        if let Some(expr) = self.compared(op, &left, &right, rule) {
            return expr;
        }
        let (a, b, zone) = (left.ty.clone(), right.ty.clone(), self.zone());
        let fixed = (left.fixed, right.fixed);
        let function = RowFunction::new(
            "compare",
            &format!("{op:?} {rule:?} {zone:?} {fixed:?}"),
            vec![left.ty, right.ty],
            None,
            false,
            Arc::new(move |args| {
                if op == Comparison::NullSafeEqual && (args[0].is_null() || args[1].is_null()) {
                    let same = args[0].is_null() && args[1].is_null();
                    return Ok(Value::Int(i64::from(same)));
                }
                let (mut left, mut right) = (args[0], args[1]);
                if a != ColumnType::Json && b != ColumnType::Json {
                    let (one, other) = ((args[0], || fixed.0), (args[1], || fixed.1));
                    (left, right) = (exact_beside(one, other).0, exact_beside(other, one).0);
                }
                let order = compare_shown((left, &a), (right, &b), rule, zone);
                Ok(order.map_or(Value::Null, |order| Value::Int(i64::from(op.holds(order)))))
            }),
        );
        call(function, vec![left.expr, right.expr])
    }

    /// A comparison of two sides, if DataFusion can be told.
    fn compared(
        &self,
        op: Comparison,
        a: &CompareSide,
        b: &CompareSide,
        rule: Collation,
    ) -> Option<Expr> {
        if a.known.is_some() && b.known.is_none() {
            return self.compared(op.mirrored(), b, a, rule);
        }
        let null = |side: &CompareSide| matches!(side.known, Some(Value::Null));
        if op == Comparison::NullSafeEqual && (null(a) || null(b)) {
            return Some(if null(b) { a.expr.clone().is_null() } else { b.expr.clone().is_null() });
        }
        if null(a) || null(b) {
            return Some(known_truth(None));
        }
        if is_read_exactly(b, a) && b.known.is_some() {
            let exact = self.as_number(b)?;
            return self.compared(op, a, &exact, rule);
        }
        // Of a DECIMAL; a text that is known only when the query runs.
        let is_lifted = |side, other: &CompareSide| {
            is_read_exactly(side, other) && class_of(&other.ty) == Class::Decimal
        };
        if is_lifted(a, b) || is_lifted(b, a) {
            return None;
        }
        let operator = match op {
            Comparison::Equal => Operator::Eq,
            Comparison::NotEqual => Operator::NotEq,
            Comparison::Less => Operator::Lt,
            Comparison::LessEqual => Operator::LtEq,
            Comparison::Greater => Operator::Gt,
            Comparison::GreaterEqual => Operator::GtEq,
            Comparison::NullSafeEqual => Operator::IsNotDistinctFrom,
        };
        let equality =
            matches!(op, Comparison::Equal | Comparison::NotEqual | Comparison::NullSafeEqual);
        let Pair { left, right, text } = self.pair(a, b, rule, equality)?;
        if let Some(tolerance) = tolerance((a.datum(), &a.ty), (b.datum(), &b.ty)) {
            let are_columns = [&left, &right].iter().all(|side| matches!(side, Expr::Column(_)));
            // Values of one column type have been rounded when they were stored.
            if !are_columns || a.ty != b.ty {
                return within_tolerance(op, left, right, tolerance);
            }
        }
        let (left, right) = match text {
            None => (left, right),
            Some(collation) => {
                if b.known.is_some() && op != Comparison::NullSafeEqual {
                    return Some(call(TextComparison::new(operator, collation), vec![left, right]));
                }
                // Keys of both sides let DataFusion hash-join on them.
                let key = |text| call(CollationKey::new(collation), vec![text]);
                (key(left), key(right))
            }
        };
        Some(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), operator, Box::new(right))))
    }

    /// A known text or DOUBLE as the exact number that it is beside one
    /// (`expression::compared_as_number`); `None` where it is no such number, or something else
    /// follows in it, which each row of a strict write is refused for.
    fn as_number(&self, side: &CompareSide) -> Option<CompareSide> {
        let datum = side.known.as_ref()?.as_datum();
        let (number, whole) = exact_beside((datum, || true), (Datum::Int(0), || false));
        if let (Datum::Bytes(text), false) = (datum, whole) {
            if self.facts.limits.is_strict() {
                return None;
            }
            self.warn_of_text(text);
        }
        let value = number.to_value();
        let ty = Node::constant(value.clone()).ty;
        // What stays a DOUBLE is compared as one.
        let fixed = !matches!(value, Value::Double(_));
        Some(CompareSide { expr: known(&ty, &value), ty, known: Some(value), fixed })
    }

    /// A side as it is beside another.
    fn seen_beside(&self, side: CompareSide, other: &CompareSide) -> CompareSide {
        match is_read_exactly(&side, other) {
            true => self.as_number(&side).unwrap_or(side),
            false => side,
        }
    }

    /// A text as the multiple of a half that it is beside whole numbers.
    fn as_halves(&self, expr: Expr, from: &ColumnType) -> Expr {
        self.each(expr, from, &HALVES, "halves", |datum| match datum {
            Datum::Bytes(text) => Value::Decimal(halves(text)),
            _ => Value::Null,
        })
    }

    /// Both sides in a common form; a known value is the right one.
    fn pair(
        &self,
        a: &CompareSide,
        b: &CompareSide,
        rule: Collation,
        equality: bool,
    ) -> Option<Pair> {
        let plain = |left: Expr, right: Expr| Some(Pair { left, right, text: None });
        let (left, right) = (a.expr.clone(), b.expr.clone());
        let json = |side: &CompareSide| side.ty == ColumnType::Json;
        if json(a) || json(b) {
            return None;
        }
        let (x, y) = (class_of(&a.ty), class_of(&b.ty));
        if x.is_string() && y.is_string() {
            let text = (rule != Collation::Binary).then_some(rule);
            return Some(Pair { left, right, text });
        }
        if let (Some(value), false) = (&b.known, x.is_string()) {
            if let ColumnType::Enum { values, .. } = &a.ty
                && y.is_string()
            {
                return if equality { enum_literal(values, value, rule, left) } else { None };
            }
            if let Some(literal) = self.as_one_of(&a.ty, value, &b.ty, rule) {
                return plain(left, literal);
            }
        }
        match (x, y) {
            (Class::Int, Class::Int) => {
                let unsigned =
                    |ty: &ColumnType| matches!(ty, ColumnType::Int { unsigned: true, .. });
                if unsigned(&a.ty) == unsigned(&b.ty) {
                    return plain(left, right);
                }
                let both = ColumnType::Decimal { precision: 20, scale: 0 };
                plain(native_cast(left, &both), native_cast(right, &both))
            }
            (Class::Date, Class::Date)
            | (Class::Time, Class::Time)
            | (Class::Year, Class::Year) => plain(left, right),
            // Which word is less is no matter of their numbers.
            (Class::Enum, Class::Enum) | (Class::Set, Class::Set) if a.ty == b.ty && equality => {
                plain(left, right)
            }
            (Class::Set, Class::Int | Class::Decimal | Class::Real) => {
                let expr = native_cast(left, &BIGINT_UNSIGNED);
                let whole = CompareSide { expr, ty: BIGINT_UNSIGNED, known: None, fixed: a.fixed };
                self.pair(&whole, b, rule, equality)
            }
            (Class::Int | Class::Decimal | Class::Real, Class::Set) => {
                let expr = native_cast(right, &BIGINT_UNSIGNED);
                let whole = CompareSide { expr, ty: BIGINT_UNSIGNED, known: None, fixed: b.fixed };
                self.pair(a, &whole, rule, equality)
            }
            (Class::Enum | Class::Set, Class::Enum | Class::Set) => None,
            (Class::Year | Class::Enum, Class::Int | Class::Decimal | Class::Real) => {
                let expr = native_cast(left, &BIGINT);
                let whole = CompareSide { expr, ty: BIGINT, known: None, fixed: a.fixed };
                self.pair(&whole, b, rule, equality)
            }
            (Class::Int | Class::Decimal | Class::Real, Class::Year | Class::Enum) => {
                let expr = native_cast(right, &BIGINT);
                let whole = CompareSide { expr, ty: BIGINT, known: None, fixed: b.fixed };
                self.pair(a, &whole, rule, equality)
            }
            (Class::Int | Class::Decimal, Class::Int | Class::Decimal) => {
                let both = common_decimal(&a.ty, &b.ty)?;
                let cast = |expr, ty: &ColumnType| match *ty == both {
                    true => expr,
                    false => native_cast(expr, &both),
                };
                plain(cast(left, &a.ty), cast(right, &b.ty))
            }
            _ if x.is_dated() && y.is_dated() => {
                let moment = |ty: &ColumnType| matches!(ty, ColumnType::Timestamp { .. });
                if x == y && moment(&a.ty) == moment(&b.ty) {
                    return plain(left, right);
                }
                let datetime = ColumnType::DateTime { fsp: 6 };
                let left = self.converted(left, &a.ty, &datetime);
                plain(left, self.converted(right, &b.ty, &datetime))
            }
            // A strict write has each text looked at, whether it is a number.
            _ if x.is_string() != y.is_string() && self.facts.limits.is_strict() => None,
            (Class::Int, _) if is_read_exactly(b, a) && y.is_string() => {
                plain(native_cast(left, &HALVES), self.as_halves(right, &b.ty))
            }
            (_, Class::Int) if is_read_exactly(a, b) && x.is_string() => {
                plain(self.as_halves(left, &a.ty), native_cast(right, &HALVES))
            }
            _ if counts(x) && counts(y) && !(x.is_string() && y.is_string()) => {
                plain(self.as_double(left, &a.ty), self.as_double(right, &b.ty))
            }
            _ => None,
        }
    }

    /// A known value as a literal of a type, where comparing with it is comparing with the value.
    fn as_one_of(
        &self,
        ty: &ColumnType,
        value: &Value,
        value_ty: &ColumnType,
        rule: Collation,
    ) -> Option<Expr> {
        // Without rounding: a value must not be cut to what the column has.
        let wide = match ty {
            ColumnType::Int { unsigned: true, .. } => BIGINT_UNSIGNED,
            ColumnType::Int { .. } => BIGINT,
            ColumnType::Time { .. } => ColumnType::Time { fsp: 6 },
            ColumnType::DateTime { .. } => ColumnType::DateTime { fsp: 6 },
            ColumnType::Timestamp { .. } => ColumnType::Timestamp { fsp: 6 },
            // Its neighbours differ by more than a text of it says.
            ColumnType::Float(_)
            | ColumnType::Enum { .. }
            | ColumnType::Set { .. }
            | ColumnType::Json => return None,
            other => other.clone(),
        };
        let own = convert(&wide, value.as_datum(), self.zone()).value;
        let same = (own.as_datum(), &wide);
        let order = compare(same, (value.as_datum(), value_ty), rule, self.zone());
        order?.is_eq().then(|| Expr::Literal(scalar_of(&wide, &own), None))
    }

    /// Whether an expression is one of several known values; `None` where DataFusion cannot be
    /// told.
    pub(super) fn listed(
        &self,
        row: &Row<'_>,
        a: &Node,
        list: &[Node],
        rule: Collation,
    ) -> Result<Option<Expr>> {
        let tested = self.side(row, a)?;
        if tested.known.is_some() {
            return Ok(None);
        }
        let (mut form, mut literals, mut nulls) = (None, Vec::with_capacity(list.len()), false);
        for node in list {
            let item = match self.known_value(node) {
                Some(Value::Null) => {
                    nulls = true;
                    continue;
                }
                Some(_) => self.seen_beside(self.side(row, node)?, &tested),
                None => return Ok(None),
            };
            let Some(pair) = self.pair(&tested, &item, rule, true) else { return Ok(None) };
            if !matches!(pair.right, Expr::Literal(..)) {
                return Ok(None);
            }
            let own = (pair.left, pair.text);
            if form.get_or_insert_with(|| own.clone()) != &own {
                return Ok(None);
            }
            literals.push(pair.right);
        }
        let Some((left, text)) = form else { return Ok(None) };
        if nulls {
            let ty = match &literals[0] {
                Expr::Literal(scalar, _) => scalar.data_type(),
                _ => return Ok(None),
            };
            let Ok(null) = ScalarValue::try_from(&ty) else { return Ok(None) };
            literals.push(Expr::Literal(null, None));
        }
        Ok(Some(match text {
            None => Expr::InList(InList::new(Box::new(left), literals, false)),
            Some(collation) => {
                let function = TextMembership::new(collation, literals.len());
                literals.insert(0, left);
                call(function, literals)
            }
        }))
    }

    /// Whether an expression is between two others, where each comparison is one of its own.
    pub(super) fn within(
        &self,
        row: &Row<'_>,
        [a, low, high]: &[Node; 3],
        rule: Collation,
    ) -> Result<Option<Expr>> {
        let tested = self.side(row, a)?;
        if tested.known.is_some() {
            return Ok(None);
        }
        let low = self.seen_beside(self.side(row, low)?, &tested);
        let high = self.seen_beside(self.side(row, high)?, &tested);
        // A number among texts makes numbers of all three.
        let classes = [&tested, &low, &high].map(|side| class_of(&side.ty));
        let strings = classes.iter().filter(|class| class.is_string()).count();
        if !matches!(strings, 0 | 3) && !classes[0].is_dated() {
            return Ok(None);
        }
        let above = self.compared(Comparison::GreaterEqual, &tested, &low, rule);
        let below = self.compared(Comparison::LessEqual, &tested, &high, rule);
        Ok(above.zip(below).map(|(above, below)| above.and(below)))
    }
}

/// Whether a side, a text or a DOUBLE, is the number that it says beside another, exactly.
fn is_read_exactly(side: &CompareSide, other: &CompareSide) -> bool {
    let (own, class) = (class_of(&side.ty), class_of(&other.ty));
    let is_text = own.is_string() && side.ty != ColumnType::Json;
    let is_double = own == Class::Real && side.fixed && side.known.is_some();
    let is_exact = match class {
        Class::Int => is_text || is_double,
        Class::Decimal => is_text && side.fixed,
        _ => false,
    };
    is_exact && !other.fixed
}

/// Multiples of a half of which every BIGINT is one (`expression::halves`).
const HALVES: ColumnType = ColumnType::Decimal { precision: 28, scale: 1 };

/// Whether values of the class compare as numbers beside a number.
fn counts(class: Class) -> bool {
    matches!(class, Class::Int | Class::Decimal | Class::Real) || class.is_string()
}

/// The number of the only word that a text equals.
fn enum_literal(words: &[String], value: &Value, rule: Collation, left: Expr) -> Option<Pair> {
    let Value::Bytes(text) = value else { return None };
    let equal = |word: &String| values::collation::equal(rule, word.as_bytes(), text);
    let mut found = (1u16..).zip(words).filter(|(_, word)| equal(word));
    let (number, _) = found.next()?;
    if found.next().is_some() || text.is_empty() {
        return None;
    }
    let right = Expr::Literal(ScalarValue::UInt16(Some(number)), None);
    Some(Pair { left, right, text: None })
}

/// The DECIMAL that holds every value of two exact types.
fn common_decimal(a: &ColumnType, b: &ColumnType) -> Option<ColumnType> {
    let digits = |ty: &ColumnType| match ty {
        ColumnType::Decimal { precision, scale } => (*precision - *scale, *scale),
        _ => (20, 0),
    };
    let ((p, s), (q, t)) = (digits(a), digits(b));
    let scale = s.max(t);
    let precision = p.max(q) + scale;
    (precision <= 65).then_some(ColumnType::Decimal { precision, scale })
}

/// Two DOUBLEs beside an operator for which they are equal when they differ by less than so much;
/// `None` where there is no such form. Of a column beside a known value a range is said as well,
/// which is what `scan::terms` reads.
fn within_tolerance(op: Comparison, left: Expr, right: Expr, tolerance: f64) -> Option<Expr> {
    let difference = || left.clone() - right.clone();
    let is_not_above = difference().lt(lit(tolerance));
    let is_not_below = difference().gt(lit(-tolerance));
    let (is_above, is_below) =
        (difference().gt_eq(lit(tolerance)), difference().lt_eq(lit(-tolerance)));
    let bound = match (&left, &right) {
        (Expr::Column(_), Expr::Literal(ScalarValue::Float64(Some(value)), _)) => Some(*value),
        _ => None,
    };
    let from = |term: Expr| match bound {
        Some(value) => term.and(left.clone().gt_eq(lit(value - tolerance))),
        None => term,
    };
    let to = |term: Expr| match bound {
        Some(value) => term.and(left.clone().lt_eq(lit(value + tolerance))),
        None => term,
    };
    Some(match op {
        Comparison::Equal => from(to(is_not_above.and(is_not_below))),
        Comparison::NotEqual => is_above.or(is_below),
        Comparison::Less => to(is_below),
        Comparison::LessEqual => to(is_not_above),
        Comparison::Greater => from(is_above),
        Comparison::GreaterEqual => from(is_not_below),
        Comparison::NullSafeEqual => return None,
    })
}
