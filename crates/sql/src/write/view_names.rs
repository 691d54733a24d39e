//! The names of a view's columns in a statement that writes through it, for what they are of the
//! table's.
//!
//! Invariants
//! 1. What the view does not name is unknown, though its table have it.
//!
//! Not here: which views are written through (`through_view`).

use std::ops::ControlFlow;

use rows::table::Table;
use sqlparser::ast::{Expr, Ident, Query, VisitMut, VisitorMut};

use results::{Result, SqlError};

/// The column that an expression is.
pub fn plain_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(name) => Some(&name.value),
        _ => None,
    }
}

/// Whether a view's column is the table's of the same name.
pub fn same_name(own: &str, expr: &Expr, name: &str) -> bool {
    own.eq_ignore_ascii_case(name)
        && plain_name(expr).is_some_and(|other| other.eq_ignore_ascii_case(name))
}

/// The names of a view's columns, for what they are.
pub struct ViewNames<'a> {
    /// The name that the view goes by.
    pub shown: &'a str,
    /// Its columns.
    pub columns: &'a [(String, Expr)],
    /// The table, whose other columns are unknown, and the clause that they are unknown in.
    pub unknown: Option<(&'a Table, &'a str)>,
    /// What a name without a table means.
    pub alone: NamesAlone,
}

/// What a name without a table means in a sub-query, where it may be a column of that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NamesAlone {
    /// Where it is bound it is looked for among `updatable_view::UpdatableView::names_within`
    /// alone.
    Own,
    /// It is refused if it could be another column of the table: it is bound over a row that has
    /// all of them.
    Refused,
}

impl ViewNames<'_> {
    /// Replaces them in a part of a statement.
    ///
    /// # Errors
    /// 1054; 1235 for what a sub-query cannot name.
    pub fn replace_in(&self, part: &mut impl VisitMut) -> Result<()> {
        let mut replacing = Replacing { names: self, within: 0 };
        match part.visit(&mut replacing) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

struct Replacing<'a> {
    names: &'a ViewNames<'a>,
    /// How many queries are around what is visited.
    within: usize,
}

impl VisitorMut for Replacing<'_> {
    type Break = SqlError;

    fn pre_visit_query(&mut self, _query: &mut Query) -> ControlFlow<SqlError> {
        self.within += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<SqlError> {
        self.within -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        let ViewNames { shown, columns, unknown, alone } = self.names;
        let (qualifier, name) = match &*expr {
            Expr::Identifier(name) if self.within == 0 => (None, &name.value),
            Expr::Identifier(name) => {
                let shows = |(own, other): &(String, Expr)| same_name(own, other, &name.value);
                return match unknown {
                    Some((table, _))
                        if *alone == NamesAlone::Refused
                            && table.column(&name.value).is_some()
                            && !columns.iter().any(shows) =>
                    {
                        let name = &name.value;
                        ControlFlow::Break(SqlError::unsupported(format_args!(
                            "the name '{name}' without its table in a sub-query of a statement \
                             that writes through a view"
                        )))
                    }
                    _ => ControlFlow::Continue(()),
                };
            }
            Expr::CompoundIdentifier(names) => match &names[..] {
                [.., qualifier, name] => (Some(&qualifier.value), &name.value),
                _ => return ControlFlow::Continue(()),
            },
            _ => return ControlFlow::Continue(()),
        };
        if qualifier.is_some_and(|qualifier| qualifier != shown) {
            return ControlFlow::Continue(());
        }
        match columns.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((_, other)) if self.within == 0 => {
                *expr = match plain_name(other) {
                    Some(_) => other.clone(),
                    None => Expr::Nested(Box::new(other.clone())),
                };
            }
            // Seen from within a query, the row's columns are named with its table.
            Some((_, other)) => {
                let Some(name) = plain_name(other) else {
                    let what = "a computed column of a view in a sub-query";
                    return ControlFlow::Break(SqlError::unsupported(what));
                };
                let parts = [*shown, name].map(|part| Ident::with_quote('`', part)).to_vec();
                *expr = Expr::CompoundIdentifier(parts);
            }
            None => {
                if let Some((table, clause)) = unknown
                    && table.column(name).is_some()
                {
                    return ControlFlow::Break(SqlError::unknown_column(name, clause));
                }
            }
        }
        ControlFlow::Continue(())
    }
}
