//! WITH RECURSIVE: a UNION whose first sides give the rows to begin with, and whose others, which
//! name the table itself, make further rows of those that were added last.
//!
//! Columns have the types of the first sides (MySQL 8.0 manual, 15.2.20).
//!
//! Not here: running it (`executor::recursion`).

use std::ops::ControlFlow;

use sqlparser::ast;
use syntax::names::name_parts;
use values::ErrorCode;

use super::query::{rename, unwrapped};
use super::scope::QueryScope;
use super::{Binder, CommonRows, CommonTable};
use crate::bind::scalar::{Bound, unsupported};
use crate::tree::{Body, Query, Recursion, SetOperator};
use results::{Result, SqlError};

/// Whether a table of WITH RECURSIVE names itself.
pub(super) fn is_recursive(cte: &ast::Cte) -> bool {
    names(&*cte.query.body, &cte.alias.name.value)
}

/// The sides to begin with, the sides that add rows, and whether equal rows stay. 3573 and 3574
/// where there is nothing to begin with.
fn parts_of(cte: &ast::Cte) -> Result<(Vec<&ast::SetExpr>, Vec<&ast::SetExpr>, bool)> {
    let name = &cte.alias.name.value;
    let (mut first, all) = sides_of(&cte.query.body);
    let at = first.iter().position(|side| names(*side, name)).unwrap_or(first.len());
    if at == 0 {
        return Err(match first.len() {
            1 => wrong(cte, ErrorCode::CteRecursiveRequiresUnion, "should contain a UNION"),
            _ => wrong(
                cte,
                ErrorCode::CteRecursiveRequiresNonrecursive,
                "should have one or more non-recursive query blocks followed by one or more \
                 recursive ones",
            ),
        });
    }
    let next = first.split_off(at);
    Ok((first, next, all))
}

fn wrong(cte: &ast::Cte, code: ErrorCode, what: &str) -> SqlError {
    let name = &cte.alias.name.value;
    SqlError::new(code, format!("Recursive Common Table Expression '{name}' {what}"))
}

fn names(part: &impl ast::Visit, name: &str) -> bool {
    struct Search<'n>(&'n str);

    impl ast::Visitor for Search<'_> {
        type Break = ();

        fn pre_visit_relation(&mut self, relation: &ast::ObjectName) -> ControlFlow<()> {
            match name_parts(relation).as_slice() {
                [one] if one.value == self.0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }

    ast::Visit::visit(part, &mut Search(name)).is_break()
}

impl Binder<'_> {
    /// Binds a table of WITH RECURSIVE that names itself; `around`: the SELECTs that it stands in.
    pub(super) fn recursion(
        &self,
        cte: &ast::Cte,
        around: Option<&QueryScope<'_>>,
    ) -> Bound<Query> {
        let before = self.ctes.borrow().len();
        let bound = self.nested(|| self.recursion_within(cte, around));
        self.ctes.borrow_mut().truncate(before);
        bound
    }

    fn recursion_within(&self, cte: &ast::Cte, around: Option<&QueryScope<'_>>) -> Bound<Query> {
        let query = &*cte.query;
        if query.with.is_some() || query.order_by.is_some() || !query.locks.is_empty() {
            return unsupported("ORDER BY or WITH of a recursive table");
        }
        let (seeds, steps, all) = parts_of(cte)?;
        let mut seed = self.union_of(&seeds, all, around)?;
        rename(&mut seed.columns, &cte.alias)?;
        // Whatever is added may be NULL.
        seed.columns.iter_mut().for_each(|column| {
            column.nullable = true;
            column.origin = None;
        });
        let id = self.id();
        let rows = CommonRows::Added {
            recursion: id,
            columns: seed.columns.clone(),
            nesting: self.nesting.get(),
        };
        let name = cte.alias.name.value.clone();
        self.ctes.borrow_mut().push(CommonTable { name, rows, relations: 1, around: 0 });
        let next = self.union_of(&steps, true, around)?;
        if next.columns.len() != seed.columns.len() {
            return Err(SqlError::new(
                ErrorCode::WrongNumberOfColumns,
                "The used SELECT statements have a different number of columns",
            )
            .into());
        }
        for side in steps {
            if let ast::SetExpr::Select(select) = side
                && select.distinct.is_some()
            {
                return unsupported("DISTINCT in a recursive query");
            }
        }
        if sums_up(&next) {
            let what = "can contain neither aggregation nor window functions in recursive query \
                        block";
            return Err(wrong(cte, ErrorCode::CteRecursiveForbidsAggregation, what).into());
        }
        let columns = seed.columns.clone();
        let body = Body::Recursion(Box::new(Recursion { id, all, first: seed, next }));
        let mut bound = self.query_of(body, columns);
        self.limits(&mut bound, query)?;
        Ok(bound)
    }

    fn union_of(
        &self,
        sides: &[&ast::SetExpr],
        all: bool,
        around: Option<&QueryScope<'_>>,
    ) -> Bound<Query> {
        let mut bound = self.set_expression(sides[0], around)?;
        for side in &sides[1..] {
            let right = self.set_expression(side, around)?;
            bound = self.combined(SetOperator::Union, all, bound, right)?;
        }
        Ok(bound)
    }
}

/// The sides of a UNION, from the left, and whether equal rows stay.
fn sides_of(body: &ast::SetExpr) -> (Vec<&ast::SetExpr>, bool) {
    let (mut sides, mut every, mut rest) = (Vec::new(), true, body);
    while let ast::SetExpr::SetOperation {
        op: ast::SetOperator::Union,
        set_quantifier,
        left,
        right,
    } = rest
    {
        every &= matches!(set_quantifier, ast::SetQuantifier::All);
        sides.push(unwrapped(right));
        rest = left;
    }
    sides.push(unwrapped(rest));
    sides.reverse();
    (sides, every)
}

/// Whether some side of a recursive query has aggregates or window functions.
fn sums_up(query: &Query) -> bool {
    match &query.body {
        Body::Select(select) => select.grouping.is_some() || select.windowing.is_some(),
        Body::Set(set) => set.sides.iter().any(sums_up),
        Body::Recursion(_) | Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => false,
    }
}
