//! Conditions on values: comparisons, IN, BETWEEN and LIKE.
//!
//! Invariants
//! 1. `None` is unknown: one side was NULL, or is nothing that can be compared.
//! 2. What a column's ordinal or borrowed text decides is decided without a value being made.
//!
//! Not here: AND, OR, NOT (`evaluate`), the order of two values (`compare`).

use std::cmp::Ordering;

use values::collation;
use values::datum::Datum;
use values::types::{Collation, ColumnType};

use crate::evaluation::cast::is_number;
use crate::evaluation::compared_as_number::{beside, sides};
use crate::evaluation::ordinals::Column;
use crate::evaluation::texts::Place;
use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::list::List;
use crate::tree::node::{Comparison, Node};
use crate::value::cell::{Cell, NULL};
use crate::value::compare::{
    as_time_among, compare, compare_shown, is_moment, is_plain_number, time_of_whole,
};
use crate::value::json::conversion::json_scalar;
use crate::value::number::{Number, is_blank};

/// Most steps of a search that looks for no end of the statement.
const UNCHECKED_STEPS_MAX: usize = 1 << 16;

/// What a comparison of two expressions comes to; `None` is unknown.
///
/// # Errors
/// Those of evaluating either side.
pub fn compare_nodes(
    op: Comparison,
    a: &Node,
    b: &Node,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<bool>> {
    if let Some(column) = Column::of(a, scope)?
        && let Some(known) = column.known(b, scope)
    {
        return Ok(match column.ordinal {
            Some(ordinal) => Some(op.holds(ordinal.cmp(&known))),
            None => (op == Comparison::NullSafeEqual).then_some(false),
        });
    }
    if are_texts(a, b)
        && let (Place::Text(left), Place::Text(right)) = (a.place(scope)?, b.place(scope)?)
    {
        return Ok(Some(op.holds(collation::compare(rule, left, right))));
    }
    let (left, right) = (a.evaluate(scope)?, b.evaluate(scope)?);
    if op == Comparison::NullSafeEqual && (left.is_null() || right.is_null()) {
        return Ok(Some(left.is_null() && right.is_null()));
    }
    let order = order_shown((a, left.datum()), (b, right.datum()), rule, scope)?;
    Ok(order.map(|order| op.holds(order)))
}

/// As `order_of`, beside an operator (`compare_shown`).
///
/// # Errors
/// Those of `order_of`.
pub fn order_shown(
    (a, left): (&Node, Datum<'_>),
    (b, right): (&Node, Datum<'_>),
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<Ordering>> {
    let (left, right) = checked_sides((a, left), (b, right), scope)?;
    Ok(compare_shown((left, &a.ty), (right, &b.ty), rule, scope.zone))
}

/// The order of the values of two nodes.
///
/// # Errors
/// Those of `check_texts`.
pub fn order_of(
    (a, left): (&Node, Datum<'_>),
    (b, right): (&Node, Datum<'_>),
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<Ordering>> {
    let (left, right) = checked_sides((a, left), (b, right), scope)?;
    Ok(compare((left, &a.ty), (right, &b.ty), rule, scope.zone))
}

/// As `order_of`, for a value that is compared with one after the other: that it is no number is
/// told beside the first number.
///
/// # Errors
/// Those of `order_of`.
pub(crate) fn order_told(
    (a, left): (&Node, Datum<'_>),
    (b, right): (&Node, Datum<'_>),
    rule: Collation,
    scope: &Scope<'_>,
    is_told: &mut bool,
) -> Result<Option<Ordering>> {
    if *is_told && !scope.is_strict() {
        let (left, right) = sides((a, left), (b, right), scope);
        return Ok(compare((left, &a.ty), (right, &b.ty), rule, scope.zone));
    }
    *is_told |= is_plain_number(right);
    order_of((a, left), (b, right), rule, scope)
}

/// Two values as each is beside the other.
///
/// # Errors
/// Those of `check_texts`.
fn checked_sides<'v>(
    (a, left): (&Node, Datum<'v>),
    (b, right): (&Node, Datum<'v>),
    scope: &Scope<'_>,
) -> Result<(Datum<'v>, Datum<'v>)> {
    check_texts([(a, left), (b, right)].into_iter(), scope)?;
    check_decimals([(a, left), (b, right)], scope)?;
    Ok(sides((a, left), (b, right), scope))
}

/// In a strict write a text that is compared with a number, a moment or a time of day has to be
/// one: without that `s = 0` would be true of every word, `d <> 'abc'` of every day, and an UPDATE
/// change all of those rows. Elsewhere a text that is no number is warned of for each row, but the
/// one that is the same for all rows beside a number of a row, of which `sides` tells once. Only
/// TEXT and BLOB columns may be any number, and a YEAR be beside any text.
///
/// # Errors
/// 1292.
fn check_texts<'t>(
    sides: impl Iterator<Item = (&'t Node, Datum<'t>)> + Clone,
    scope: &Scope<'_>,
) -> Result<()> {
    let is_year = |(node, _): (&Node, _)| node.is_stored() && node.ty == ColumnType::Year;
    if !sides.clone().any(is_read_text) || sides.clone().any(is_year) {
        return scope.limits.check_refused();
    }
    if !scope.is_strict() {
        warn_of_texts(sides, scope);
        return Ok(());
    }
    let is_any = |is_it: fn(Datum<'_>) -> bool| sides.clone().any(|(_, datum)| is_it(datum));
    let are_numbers = is_any(is_plain_number);
    let check: fn(&Scope<'_>, Datum<'_>) = if are_numbers {
        |scope, text| _ = scope.number(&Cell::Plain(text))
    } else if is_any(is_moment) {
        |scope, text| _ = scope.moment(text)
    } else if is_any(|datum| matches!(datum, Datum::Time(_))) {
        |scope, text| match text {
            // It is a text beside the text of a time.
            Datum::Bytes(text) if is_blank(text) || time_of_whole(text).is_some() => {}
            Datum::Bytes(text) => scope.distrust_time(text),
            _ => {}
        }
    } else {
        return Ok(());
    };
    for (node, text) in sides.filter(|side| is_read_text(*side)) {
        if !(are_numbers && is_any_number(node)) {
            check(scope, text);
        }
    }
    scope.limits.check_refused()
}

/// Whether a value is a text that is read as what it is compared with.
fn is_read_text((node, datum): (&Node, Datum<'_>)) -> bool {
    matches!(datum, Datum::Bytes(_)) && !node.is_digits_literal() && node.ty != ColumnType::Json
}

/// Warns of texts that are compared with a number and are none.
fn warn_of_texts<'t>(
    sides: impl Iterator<Item = (&'t Node, Datum<'t>)> + Clone,
    scope: &Scope<'_>,
) {
    let number = sides.clone().find(|(_, datum)| is_plain_number(*datum));
    let Some((other, _)) = number else { return };
    for (node, text) in sides.filter(|side| is_read_text(*side)) {
        let is_told_once = || node.is_fixed() && !other.is_fixed();
        if !is_any_number(node) && !is_told_once() {
            scope.warn_of_row_text(text);
        }
    }
}

/// Whether the text of a node is the number that it begins with, whatever follows.
fn is_any_number(node: &Node) -> bool {
    node.is_stored() && node.is_long()
}

/// A DECIMAL of a row that is compared with nothing: what is the number 0 beside other numbers is
/// refused there (MySQL 9.7: tests/oracle/sql/words-beside-days.sql).
///
/// # Errors
/// 1292 in a strict write.
fn check_decimals([a, b]: [(&Node, Datum<'_>); 2], scope: &Scope<'_>) -> Result<()> {
    let nothing = match (a, b) {
        ((a, Datum::Decimal(_)), (b, Datum::Bytes(text)))
        | ((b, Datum::Bytes(text)), (a, Datum::Decimal(_)))
            if is_blank(text) && b.is_fixed() && !a.is_fixed() =>
        {
            text
        }
        _ => return Ok(()),
    };
    if scope.is_strict() {
        scope.distrust_decimal(nothing);
    }
    scope.limits.check_refused()
}

/// Whether an expression is in a list; `None` is unknown.
///
/// # Errors
/// Those of evaluating the expression or a member of the list.
pub fn in_list(a: &Node, list: &List, rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    if let Some(column) = Column::of(a, scope)?
        && let Some(found) = ordinal_in_list(&column, list, scope)
    {
        return Ok(found);
    }
    let place = match a.is_text() {
        true => a.place(scope)?,
        false => Place::Other,
    };
    let value = match place {
        Place::Other => a.evaluate(scope)?,
        Place::Text(text) => Cell::Plain(Datum::Bytes(text)),
        Place::Null => NULL,
    };
    if a.is_text()
        && let Datum::Bytes(text) = value.datum()
        && let Some(found) =
            scope.known.and_then(|known| known.lists.has_text(list, (a, rule), text, scope))
    {
        return Ok(found);
    }
    let mut unknown = value.is_null();
    // A text that is no number is told of once, however many numbers it is compared with.
    let mut is_told = false;
    for node in list.iter() {
        if let Place::Text(text) = place
            && are_texts(a, node)
            && let Place::Text(item) = node.place(scope)?
        {
            match collation::compare(rule, text, item) {
                Ordering::Equal => return Ok(Some(true)),
                _ => continue,
            }
        }
        let item = node.evaluate(scope)?;
        let listed = match value.datum() {
            Datum::Time(_) if list.len() > 1 => as_time_among(item.datum()),
            _ => item.datum(),
        };
        match order_told((a, value.datum()), (node, listed), rule, scope, &mut is_told)? {
            Some(Ordering::Equal) => return Ok(Some(true)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok((!unknown).then_some(false))
}

/// Whether a column's value is in a list, where both have ordinals.
fn ordinal_in_list(column: &Column<'_>, list: &List, scope: &Scope<'_>) -> Option<Option<bool>> {
    let found = scope.known.and_then(|known| known.lists.has_ordinal(list, column, scope));
    found.or_else(|| column.is_among(list, scope))
}

/// Whether two are compared as texts, if their values are ones: JSON is not.
pub fn are_texts(a: &Node, b: &Node) -> bool {
    let is_text = |node: &Node| node.ty != ColumnType::Json && node.is_text();
    is_text(a) && is_text(b)
}

/// Whether the first lies between the other two; `None` is unknown.
///
/// # Errors
/// Those of evaluating any of the three.
pub fn between(nodes: &[Node; 3], rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    let [a, low, high] = nodes;
    if let Some(column) = Column::of(a, scope)?
        && let Some(bounds) = column.known(low, scope).zip(column.known(high, scope))
    {
        return Ok(column.ordinal.map(|ordinal| (bounds.0..=bounds.1).contains(&ordinal)));
    }
    let value = a.evaluate(scope)?;
    let (bottom, top) = (low.evaluate(scope)?, high.evaluate(scope)?);
    // All three are compared as one kind: with a number among texts, as numbers.
    let mut kinds = [(a, value.datum()), (low, bottom.datum()), (high, top.datum())];
    check_texts(kinds.into_iter(), scope)?;
    // Beside a time both bounds are texts only if neither says one.
    let says_time = |(_, kind): &(&Node, Datum<'_>)| !matches!(kind, Datum::Bytes(text) if time_of_whole(text).is_none());
    if matches!(kinds[0].1, Datum::Time(_)) && kinds[1..].iter().any(says_time) {
        kinds = kinds.map(|(node, kind)| (node, as_time_among(kind)));
    }
    let number = kinds.into_iter().find(|(_, kind)| is_plain_number(*kind));
    let is_text = |kind: Datum<'_>| matches!(kind, Datum::Bytes(_) | Datum::Null);
    // One that is NULL in this row as well.
    let has_number =
        number.is_some() || kinds.iter().any(|(node, kind)| kind.is_null() && is_number(&node.ty));
    let numeric =
        has_number && kinds.iter().all(|(_, kind)| is_plain_number(*kind) || is_text(*kind));
    // A text between two texts is a number beside the third value.
    let seen = |side: (&Node, Datum<'_>)| -> Datum<'static> {
        let number = match side {
            (node, Datum::Bytes(document)) if node.is_json_as_text() => {
                Number::of(json_scalar(document).datum(), scope.zone)
            }
            _ => {
                let beside_it = number.map_or(side.1, |number| beside(side, number));
                Number::of(beside_it, scope.zone)
            }
        };
        number.map_or(Datum::Null, |(number, _)| number.datum())
    };
    let order = |bound: (&Node, Datum<'_>)| match numeric {
        true => {
            let sides = sides(kinds[0], bound, scope);
            let (value, bound) = ((a, sides.0), (bound.0, sides.1));
            compare((seen(value), &a.ty), (seen(bound), &bound.0.ty), rule, scope.zone)
        }
        false => compare((kinds[0].1, &a.ty), (bound.1, &bound.0.ty), rule, scope.zone),
    };
    let above = order(kinds[1]).map(Ordering::is_ge);
    let below = order(kinds[2]).map(Ordering::is_le);
    Ok(match (above, below) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    })
}

/// Whether a text matches a pattern of LIKE; `None` is unknown.
///
/// # Errors
/// Those of evaluating either side, and of a pattern that takes too long.
pub fn like(
    a: &Node,
    pattern: &Node,
    escape: Option<char>,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<bool>> {
    match (a.place(scope)?, pattern.place(scope)?) {
        (Place::Text(text), Place::Text(pattern)) => {
            return like_text(text, pattern, escape, rule, scope).map(Some);
        }
        (Place::Null, Place::Text(_)) => return Ok(None),
        _ => {}
    }
    let (text, pattern_cell) = (a.evaluate(scope)?, pattern.evaluate(scope)?);
    if text.is_null() || pattern_cell.is_null() {
        return Ok(None);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let text = a.bytes_of(text.datum(), scope.zone, &mut left);
    let pattern = pattern.bytes_of(pattern_cell.datum(), scope.zone, &mut right);
    like_text(text, pattern, escape, rule, scope).map(Some)
}

fn like_text(
    text: &[u8],
    pattern: &[u8],
    escape: Option<char>,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<bool> {
    let steps = text.len().saturating_mul(pattern.len());
    scope.limits.search(steps)?;
    let found = collation::like(rule, text, pattern, escape);
    if steps > UNCHECKED_STEPS_MAX {
        // It gives up in the middle when the statement is to end.
        scope.limits.check()?;
    }
    Ok(found)
}
