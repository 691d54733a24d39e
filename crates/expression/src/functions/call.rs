//! A call of a function while it is evaluated.

use values::datum::Datum;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};

/// A call over a row.
#[derive(Clone, Copy)]
pub(crate) struct Call<'c, 'a> {
    /// What is called.
    pub function: Function,
    /// The call itself: its type is the result's.
    pub node: &'a Node,
    /// Its arguments.
    pub arguments: &'a [Node],
    /// The row, and what is the same for all rows.
    pub scope: &'c Scope<'a>,
}

/// What computes a function of its arguments' values.
pub(crate) type OfValues = for<'a> fn(&Call<'_, 'a>, &[Cell<'a>]) -> Result<Cell<'a>>;

/// What computes a function.
#[derive(Clone, Copy)]
pub(crate) enum Evaluation {
    /// It evaluates arguments itself: some of them, one several times, or none.
    Lazy(for<'a> fn(&Call<'_, 'a>) -> Result<Cell<'a>>),
    /// It is given the values of all arguments.
    Values(OfValues),
    /// As `Values`, and the result is NULL where any of them is: it is not asked then.
    NotNull(OfValues),
}

impl Evaluation {
    /// The value of a call.
    #[inline]
    pub(crate) fn value<'a>(self, call: &Call<'_, 'a>) -> Result<Cell<'a>> {
        match self {
            Evaluation::Lazy(compute) => compute(call),
            Evaluation::Values(compute) => of_values(call, |cells| compute(call, cells)),
            Evaluation::NotNull(compute) => of_values(call, |cells| {
                if cells.iter().any(Cell::is_null) { Ok(NULL) } else { compute(call, cells) }
            }),
        }
    }
}

fn of_values<'a>(
    call: &Call<'_, 'a>,
    compute: impl FnOnce(&[Cell<'a>]) -> Result<Cell<'a>>,
) -> Result<Cell<'a>> {
    let scope = call.scope;
    let mut held = scope.limits.hold();
    if let [argument] = call.arguments {
        let cell = argument.evaluate(scope)?;
        held.add(cell.uncounted_bytes())?;
        return compute(std::slice::from_ref(&cell));
    }
    let mut cells = Vec::with_capacity(call.arguments.len());
    for argument in call.arguments {
        let cell = argument.evaluate(scope)?;
        held.add(cell.uncounted_bytes())?;
        cells.push(cell);
    }
    compute(&cells)
}

/// A whole number argument.
pub(crate) fn whole(cell: &Cell<'_>, scope: &Scope<'_>) -> Option<i64> {
    let number = scope.integer(cell)?.to_i128();
    Some(number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
}

/// A datum made of a number.
pub(crate) fn int<'a>(value: i64) -> Cell<'a> {
    Cell::Plain(Datum::Int(value))
}
