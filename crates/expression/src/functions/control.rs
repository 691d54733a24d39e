//! Functions that choose between values: IF, IFNULL, COALESCE, NULLIF, ELT, INTERVAL, GREATEST,
//! LEAST and their kin.
//!
//! Invariants
//! 1. What is not chosen is evaluated only if the choice asks for it.
//!
//! Not here: CASE (`evaluation`), the type that values have in common (`evaluation::common`).

use std::cmp::Ordering;

use values::datum::Datum;
use values::types::{Collation, ColumnType};

use crate::evaluation::common::{chosen_of, settle};
use crate::evaluation::condition::order_shown;
use crate::functions::call::{Call, int};
use crate::functions::make::{common_rule, is_moment};
use crate::functions::time::digits::{fraction_digits, written_digits};
use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node, result_collation};
use crate::value::cell::{Cell, NULL, text_of};
use crate::value::compare::compare;
use crate::value::number::Number;

/// IF.
pub(crate) fn choose<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { node, arguments, scope, .. } = *call;
    let chosen = if arguments[0].holds(scope)? { 0 } else { 1 };
    chosen_of(node, &arguments[1..], chosen, scope)
}

/// NVL2.
pub(crate) fn choose_by_null<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { node, arguments, scope, .. } = *call;
    let chosen = usize::from(arguments[0].evaluate(scope)?.is_null());
    chosen_of(node, &arguments[1..], chosen, scope)
}

/// IFNULL and COALESCE.
pub(crate) fn first_known<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { node, arguments, scope, .. } = *call;
    for argument in arguments {
        let cell = argument.evaluate(scope)?;
        if !cell.is_null() {
            return Ok(settle(node, argument, arguments, cell, scope));
        }
    }
    Ok(NULL)
}

/// NULLIF.
pub(crate) fn null_if<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { node, arguments, scope, .. } = *call;
    let (a, b) = (arguments[0].evaluate(scope)?, arguments[1].evaluate(scope)?);
    let rule = common_rule(arguments.iter());
    let order = order_shown((&arguments[0], a.datum()), (&arguments[1], b.datum()), rule, scope)?;
    if order == Some(Ordering::Equal) {
        return Ok(NULL);
    }
    match a.datum() {
        Datum::Enum(_) | Datum::Set(_) => {
            Ok(settle(node, &arguments[0], &arguments[..1], a, scope))
        }
        _ => Ok(a),
    }
}

/// ISNULL.
pub(crate) fn is_null<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    Ok(Cell::truth(call.arguments[0].evaluate(call.scope)?.is_null()))
}

/// NAME_CONST.
pub(crate) fn named<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    call.arguments[1].evaluate(call.scope)
}

/// ELT.
pub(crate) fn elt<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { arguments, scope, .. } = *call;
    let Some(position) = scope.integer(&arguments[0].evaluate(scope)?) else {
        return Ok(NULL);
    };
    match usize::try_from(position.to_i128()) {
        Ok(n) if (1..arguments.len()).contains(&n) => word_of(&arguments[n], scope),
        _ => Ok(NULL),
    }
}

/// A node's value as text, whatever its type.
fn word_of<'a>(node: &'a Node, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let cell = node.evaluate(scope)?;
    if matches!(cell.datum(), Datum::Null | Datum::Bytes(_)) {
        return Ok(cell);
    }
    let mut text = Vec::new();
    node.write_text(cell.datum(), scope.zone, &mut text);
    Ok(Cell::Owned(text))
}

/// GREATEST and LEAST: among texts everything is one, so that 2 is above '10'; a day or a moment
/// among them makes moments of all.
pub(crate) fn extreme<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { function, node, arguments, scope } = *call;
    let rule = arguments.iter().map(Node::collation).reduce(result_collation);
    let rule = rule.map_or(Collation::Utf8Mb4GeneralCi, |(rule, _)| rule);
    let wanted = match function {
        Function::Greatest => Ordering::Greater,
        _ => Ordering::Less,
    };
    let with_moments = node.is_text() && arguments.iter().any(is_moment);
    let as_texts = node.is_text() && !with_moments;
    let value_of = |argument: &'a Node| -> Result<(Cell<'a>, &'a ColumnType)> {
        let cell = argument.evaluate(scope)?;
        Ok(match as_texts {
            true => (settle(node, argument, arguments, cell, scope), &node.ty),
            false => (cell, &argument.ty),
        })
    };
    let mut best = (value_of(&arguments[0])?, &arguments[0]);
    for argument in &arguments[1..] {
        let (cell, ty) = value_of(argument)?;
        let (of_best, best_type) = &best.0;
        match compare((cell.datum(), ty), (of_best.datum(), best_type), rule, scope.zone) {
            None => return Ok(NULL),
            Some(order) if order == wanted => best = ((cell, ty), argument),
            Some(_) => {}
        }
    }
    let ((cell, _), chosen) = best;
    Ok(match as_texts {
        true => cell,
        false if with_moments => text_of_moment(cell, arguments, scope),
        false => settle(node, chosen, arguments, cell, scope),
    })
}

/// What was chosen among days, moments and others, as text of the kind that those among them have.
fn text_of_moment<'a>(cell: Cell<'a>, arguments: &[Node], scope: &Scope<'_>) -> Cell<'a> {
    let Some(moment) = scope.moment(cell.datum()) else { return cell };
    let has_moment = |node: &Node| is_moment(node) && node.ty != ColumnType::Date;
    let fsp = arguments.iter().map(|node| digits_of(node, scope)).max().unwrap_or(0);
    let (kind, shown) = match arguments.iter().any(has_moment) {
        true => (ColumnType::DateTime { fsp }, Datum::DateTime(moment)),
        false => (ColumnType::Date, Datum::Date(moment.date())),
    };
    let mut text = Vec::new();
    text_of(&kind, shown, scope.zone, &mut text);
    Cell::Owned(text)
}

/// Digits of a second's fraction that an argument brings along: of a text those that it is written
/// with, or six.
fn digits_of(node: &Node, scope: &Scope<'_>) -> u8 {
    match (&node.kind, node.evaluate(scope)) {
        (Kind::Parameter(_), Ok(cell)) => match cell.datum() {
            Datum::Bytes(text) => written_digits(text),
            _ => fraction_digits(node),
        },
        _ => fraction_digits(node),
    }
}

/// INTERVAL: how many of the numbers behind the first one are not above it, up to one that is; NULL
/// is not, and -1 is for NULL in the first place.
pub(crate) fn interval<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let Call { arguments, scope, .. } = *call;
    let number = |argument: &'a Node| -> Result<Option<Number>> {
        Ok(scope.number(&argument.evaluate(scope)?))
    };
    let Some(wanted) = number(&arguments[0])? else { return Ok(int(-1)) };
    for (at, argument) in arguments[1..].iter().enumerate() {
        let Some(bound) = number(argument)? else { continue };
        let order = match (wanted.to_decimal(), bound.to_decimal()) {
            (Some(wanted), Some(bound)) => Some(wanted.cmp(&bound)),
            _ => wanted.to_f64().partial_cmp(&bound.to_f64()),
        };
        if order == Some(Ordering::Less) {
            return Ok(int(at as i64));
        }
    }
    Ok(int(arguments.len() as i64 - 1))
}
