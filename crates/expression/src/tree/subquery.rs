//! A sub-query in an expression: what is asked of its rows. The query itself is whatever the binder
//! made of it, and is run by the evaluator (`frame::Subqueries`).
//!
//! Not here: queries (crate `sql`, `tree`).

use std::any::Any;
use std::fmt::Debug;

use crate::tree::node::{Comparison, Node};

/// A query within an expression, which only those know who have bound it.
pub trait BoundQuery: Any + Debug + Send + Sync {
    /// Its number, unique within a statement.
    fn id(&self) -> usize;

    /// A copy.
    fn copy(&self) -> Box<dyn BoundQuery>;
}

/// What a sub-query is asked for.
#[derive(Clone, Debug)]
pub enum SubqueryForm {
    /// Its value; NULL where it has no row.
    Scalar,
    /// [NOT] EXISTS.
    Exists {
        /// NOT.
        negated: bool,
    },
    /// Operands compared with its rows: with any of them, with all, or with the only one.
    Compare {
        /// What is compared, as many as it has columns.
        operands: Vec<Node>,
        /// The comparison.
        comparison: Comparison,
        /// With which rows.
        quantifier: Quantifier,
    },
}

/// Which of a sub-query's rows a comparison is to hold for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Any: IN, ANY, SOME.
    Any,
    /// All; NOT IN is `<> ALL`.
    All,
    /// The only row there may be.
    Only,
}

/// A sub-query in an expression.
#[derive(Debug)]
pub struct Subquery {
    /// The query.
    pub bound: Box<dyn BoundQuery>,
    /// What it is asked for.
    pub form: SubqueryForm,
    /// Columns of enclosing SELECTs that it refers to: levels, from 1, and slots.
    pub free: Vec<(u16, usize)>,
    /// Whether it may give other rows each time: it assigns variables, or asks for chance.
    pub is_volatile: bool,
}

impl Subquery {
    /// A sub-query of which it is not known yet what it refers to.
    pub fn new(bound: Box<dyn BoundQuery>, form: SubqueryForm) -> Subquery {
        Subquery { bound, form, free: Vec::new(), is_volatile: false }
    }

    /// Whether its rows may be others for each enclosing row: it depends on that, or is volatile.
    pub fn is_correlated(&self) -> bool {
        !self.free.is_empty() || self.is_volatile
    }

    /// Whether it is `x IN (query)` of a query that depends on nothing outside.
    pub fn is_membership(&self) -> bool {
        let any_equal = matches!(
            &self.form,
            SubqueryForm::Compare {
                comparison: Comparison::Equal,
                quantifier: Quantifier::Any,
                ..
            }
        );
        any_equal && !self.is_correlated()
    }

    /// Whether it is `x NOT IN (query)` of one value and a query that depends on nothing outside.
    pub fn is_absence(&self) -> bool {
        match &self.form {
            SubqueryForm::Compare { operands, comparison, quantifier } => {
                operands.len() == 1
                    && (*comparison, *quantifier) == (Comparison::NotEqual, Quantifier::All)
                    && !self.is_correlated()
            }
            SubqueryForm::Scalar | SubqueryForm::Exists { .. } => false,
        }
    }

    /// The expressions that are evaluated outside of it.
    pub fn operands(&self) -> &[Node] {
        match &self.form {
            SubqueryForm::Compare { operands, .. } => operands,
            _ => &[],
        }
    }

    /// As `operands`.
    pub fn operands_mut(&mut self) -> &mut [Node] {
        match &mut self.form {
            SubqueryForm::Compare { operands, .. } => operands,
            _ => &mut [],
        }
    }
}

impl Clone for Subquery {
    fn clone(&self) -> Subquery {
        let Subquery { bound, form, free, is_volatile } = self;
        let (form, free) = (form.clone(), free.clone());
        Subquery { bound: bound.copy(), form, free, is_volatile: *is_volatile }
    }
}

/// One sub-query is another when both stand in the same place of the statement.
impl PartialEq for Subquery {
    fn eq(&self, other: &Subquery) -> bool {
        self.bound.id() == other.bound.id()
    }
}
