//! EXISTS of a sub-query that depends on the row at hand: the sub-query is run until it has a row,
//! or the row is looked up among the sub-query's members (`plan::tree::Members`).
//!
//! Which is cheaper depends on how many rows will ask, which nobody knows. So each asks by itself
//! until this has looked at as many rows as finding the members is thought to; then they are found.
//! They are found at once where the plan has no doubt (`SelectPlan::members_first`).
//!
//! Invariants
//! 1. Both ways give the same answer: which is taken, shows in time alone.
//! 2. Members that are too many for the memory lie in files; where there is no room for files they
//!    are given up, once.
//!
//! Not here: what the members are (`plan::optimize::unnest`).

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::rc::Rc;

use expression::{Environment, Ordinals, Scope, Subquery, ordinal_beside};
use rows::local::KeySet;

use super::buffer::push_key;
use super::drawn::DrawnBytes;
use super::join::over;
use super::key::push_equal_row;
use super::residual::all_hold;
use super::{Execution, Flow};
use plan::optimize::BEGIN_ROWS;
use plan::tree::{AskedQuery, Body, Members, Query, row_count};
use results::Result;

/// Most bytes of one sub-query's members in memory.
const MEMBERS_BYTES_MAX: usize = 24 << 20;
/// Memory for them is taken in steps of so many bytes.
const DRAWN_BYTES: usize = 4 << 10;

/// How one sub-query is asked.
#[derive(Default)]
pub(super) struct Membership {
    /// Rows that those looked at who asked by themselves.
    spent: Cell<f64>,
    /// The members, once they were found; `None` if they are too many.
    found: OnceCell<Option<FoundMembers>>,
}

/// The members of a sub-query.
enum FoundMembers {
    /// By their ordinals, where one integer or date is looked up.
    Ordinals(HashSet<u64, foldhash::fast::RandomState>),
    /// By keys.
    Keys(KeySet),
}

impl FoundMembers {
    /// Whether the row of `scope` is among them.
    fn has(&self, members: &Members, scope: &Scope<'_>) -> Result<bool> {
        match (self, members.operands.as_slice(), members.query.columns.as_slice()) {
            (FoundMembers::Ordinals(ordinals), [operand], [column]) => {
                let cell = operand.evaluate(scope)?;
                let ordinal = ordinal_beside(&column.ty, &cell.datum());
                Ok(ordinal.is_some_and(|ordinal| ordinals.contains(&ordinal)))
            }
            (FoundMembers::Keys(keys), operands, _) => {
                let mut key = Vec::with_capacity(24);
                let has_key = push_key(operands, &members.rules, scope, &mut key)?;
                Ok(has_key && keys.contains(&key)?)
            }
            _ => Ok(false),
        }
    }
}

/// What the ordinal of a member takes in a set, about.
const ORDINAL_BYTES: usize = 20;

impl Execution<'_> {
    /// Whether a sub-query has a row for the row of `scope`.
    pub(super) fn exists(&self, subquery: &Subquery, scope: &Scope<'_>) -> Result<bool> {
        let Some(members) = subquery.members() else {
            return self.has_row(subquery.query(), scope);
        };
        let membership = self.membership(subquery.query().id);
        if membership.found.get().is_none() && membership.spent.get() >= members.query.cost {
            let found = match self.find_ordinals(members, scope)? {
                Some(ordinals) => Some(FoundMembers::Ordinals(ordinals)),
                None => self.find_members(members, scope)?.map(FoundMembers::Keys),
            };
            membership.found.get_or_init(|| found);
        }
        if let Some(Some(found)) = membership.found.get() {
            self.look(1)?;
            return found.has(members, scope);
        }
        let before = self.rows_seen.get();
        let found = self.has_row(subquery.query(), scope)?;
        let looked_at = (self.rows_seen.get() - before) as f64;
        membership.spent.set(membership.spent.get() + BEGIN_ROWS + looked_at);
        Ok(found)
    }

    /// The members of a sub-query are found when the first row asks.
    pub(super) fn find_members_first(&self, id: usize) {
        self.membership(id).spent.set(f64::INFINITY);
    }

    fn membership(&self, id: usize) -> Rc<Membership> {
        Rc::clone(self.memberships.borrow_mut().entry(id).or_default())
    }

    /// Whether a query has a row within the row of `scope`.
    fn has_row(&self, query: &Query, scope: &Scope<'_>) -> Result<bool> {
        let mut found = false;
        match &query.body {
            // What its rows look like, nobody asks.
            Body::Select(select)
                if select.is_plain() && !select.locks_rows() && query.offset.is_none() =>
            {
                let enclosing = Execution::enclosing(scope);
                let enclosing = Some(&enclosing);
                let environment = Environment { enclosing, ..*scope.environment };
                let inner = environment.scope();
                let possible = row_count(query.limit.as_ref(), &inner)? != Some(0)
                    && all_hold(&select.plan.once, &over(&inner, None))?;
                if possible {
                    self.join(&select.relations, &select.plan.steps, None, &inner, &mut |_| {
                        found = true;
                        Ok(Flow::Stop)
                    })?;
                }
            }
            _ => self.run_within(query, scope, &mut |_| {
                found = true;
                Ok(Flow::Stop)
            })?,
        }
        Ok(found)
    }

    /// The ordinals of all members; `None` if they have none, or are too many.
    fn find_ordinals(
        &self,
        members: &Members,
        scope: &Scope<'_>,
    ) -> Result<Option<HashSet<u64, foldhash::fast::RandomState>>> {
        let Body::Select(select) = &members.query.body else { return Ok(None) };
        let ([output], [_]) = (select.outputs.as_slice(), members.operands.as_slice()) else {
            return Ok(None);
        };
        let Some(ordinals) = Ordinals::of(output).filter(|_| select.is_plain()) else {
            return Ok(None);
        };
        let inner = scope.environment.scope();
        let mut found = HashSet::default();
        if !all_hold(&select.plan.once, &over(&inner, None))? {
            return Ok(Some(found));
        }
        let (mut drawn, mut is_whole) = (DrawnBytes::nothing(self), true);
        self.join(&select.relations, &select.plan.steps, None, &inner, &mut |link| {
            if let Some(ordinal) = ordinals.get(&over(&inner, link))?
                && found.insert(ordinal)
            {
                drawn.keep_up_with(found.len() * ORDINAL_BYTES, DRAWN_BYTES)?;
                is_whole = found.len() * ORDINAL_BYTES <= MEMBERS_BYTES_MAX;
            }
            Ok(if is_whole { Flow::Continue } else { Flow::Stop })
        })?;
        if is_whole {
            drawn.stay();
        }
        Ok(is_whole.then_some(found))
    }

    /// The keys of all members; `None` if they are too many.
    fn find_members(&self, members: &Members, scope: &Scope<'_>) -> Result<Option<KeySet>> {
        let (mut keys, mut key) = (KeySet::default(), Vec::new());
        let (mut drawn, mut is_whole) = (DrawnBytes::nothing(self), true);
        self.run_within(&members.query, scope, &mut |row| {
            key.clear();
            // A row with NULL equals nothing.
            if !push_equal_row(&row, &members.rules, &mut key) || keys.contains(&key)? {
                return Ok(Flow::Continue);
            }
            // In a file they are as many as they like.
            is_whole = self.overflow.is_some() || keys.bytes() <= MEMBERS_BYTES_MAX;
            if !is_whole {
                return Ok(Flow::Stop);
            }
            drawn.insert(&mut keys, key.clone())?;
            Ok(Flow::Continue)
        })?;
        if is_whole {
            drawn.stay();
        }
        Ok(is_whole.then_some(keys))
    }
}
