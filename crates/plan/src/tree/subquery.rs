//! The query of a sub-query, which the expression that it stands in knows nothing of.
//!
//! Copies of an expression share it until one of them is changed: a condition stands in several
//! places of a plan, and each sub-query within would double what is around it.
//!
//! Not here: what is asked of its rows (`expression::Subquery`).

use std::any::Any;
use std::sync::Arc;

use expression::{BoundQuery, Node, Subquery, SubqueryForm};
use values::types::Collation;

use super::{Class, Query};

/// A sub-query's question as a look-up: whether one of the rows of a query that depends on nothing
/// outside equals a row at hand. A row with NULL equals none.
#[derive(Clone, Debug)]
pub struct Members {
    /// What is looked up, over the row outside.
    pub operands: Vec<Node>,
    /// How each of them compares.
    pub rules: Vec<(Class, Collation)>,
    /// The rows, with as many columns.
    pub query: Query,
}

/// What stands in a `Subquery`.
#[derive(Clone, Debug)]
struct Inside {
    query: Arc<Query>,
    members: Option<Arc<Members>>,
}

impl BoundQuery for Inside {
    fn id(&self) -> usize {
        self.query.id
    }

    fn copy(&self) -> Box<dyn BoundQuery> {
        Box::new(self.clone())
    }
}

fn inside(subquery: &Subquery) -> &Inside {
    let bound: &dyn Any = &*subquery.bound;
    bound.downcast_ref().expect("sub-queries are made here")
}

fn inside_mut(subquery: &mut Subquery) -> &mut Inside {
    let bound: &mut dyn Any = &mut *subquery.bound;
    bound.downcast_mut().expect("sub-queries are made here")
}

/// A sub-query with its query.
pub trait AskedQuery {
    /// A sub-query of which it is not known yet what it refers to.
    fn asking(query: Query, form: SubqueryForm) -> Self;

    /// Its query.
    fn query(&self) -> &Query;

    /// As `query`.
    fn query_mut(&mut self) -> &mut Query;

    /// The same question as a look-up, if a row only has to be there.
    fn members(&self) -> Option<&Members>;

    /// As `members`.
    fn members_mut(&mut self) -> Option<&mut Members>;

    /// Says how the question is a look-up.
    fn set_members(&mut self, members: Option<Members>);
}

impl AskedQuery for Subquery {
    fn asking(query: Query, form: SubqueryForm) -> Subquery {
        Subquery::new(Box::new(Inside { query: Arc::new(query), members: None }), form)
    }

    fn query(&self) -> &Query {
        &inside(self).query
    }

    fn query_mut(&mut self) -> &mut Query {
        Arc::make_mut(&mut inside_mut(self).query)
    }

    fn members(&self) -> Option<&Members> {
        inside(self).members.as_deref()
    }

    fn members_mut(&mut self) -> Option<&mut Members> {
        inside_mut(self).members.as_mut().map(Arc::make_mut)
    }

    fn set_members(&mut self, members: Option<Members>) {
        inside_mut(self).members = members.map(Arc::new);
    }
}
