//! Queries within a SELECT: its derived tables, and the sub-queries of its expressions. They are
//! planned before it, and cost something at each row for which they are run.
//!
//! A sub-query that depends on nothing outside is run once. One that has members is run for the
//! rows at hand until that has cost as much as to find all members, which are looked up from then
//! on: at most twice what the better of both ways costs, whatever was guessed. Where the guess is
//! that so many rows will ask that there is no doubt, they are found at once.
//!
//! Not here: what a sub-query is made (`unnest`, `rewrite`), running it (`executor`).

use expression::{Kind, Node, Subquery, SubqueryForm};

use super::{Sizes, plan_query};
use crate::tree::{AskedQuery, Select, Source};
use results::Result;

/// What it costs to begin to run a sub-query, in rows.
pub const BEGIN_ROWS: f64 = 4.0;

/// Plans the derived tables and sub-queries of a SELECT.
///
/// # Errors
/// Those of planning one of them.
pub fn plan_queries(select: &mut Select, sizes: &Sizes<'_>) -> Result<()> {
    for relation in &mut select.relations {
        if let Source::Query(query) = &mut relation.source {
            plan_query(query, sizes)?;
        }
    }
    let mut result = Ok(());
    each_node_mut(select, &mut |node| {
        if result.is_ok() {
            result = plan_node(node, sizes);
        }
    });
    result
}

/// Plans the sub-queries of an expression.
///
/// # Errors
/// Those of planning one of them.
pub fn plan_node(node: &mut Node, sizes: &Sizes<'_>) -> Result<()> {
    if let Kind::Subquery(subquery) = &mut node.kind {
        plan_query(subquery.query_mut(), sizes)?;
        if let Some(members) = subquery.members_mut() {
            plan_query(&mut members.query, sizes)?;
        }
    }
    let mut result = Ok(());
    node.each_child_mut(&mut |child| {
        if result.is_ok() {
            result = plan_node(child, sizes);
        }
    });
    result
}

/// Calls `each` with every expression of a SELECT.
fn each_node_mut(select: &mut Select, each: &mut dyn FnMut(&mut Node)) {
    if let Some(join) = &mut select.join {
        join.each_term_mut(each);
    }
    if let Some(grouping) = &mut select.grouping {
        grouping.each_node_mut(each);
    }
    let inputs = select.windowing.iter_mut().flat_map(|windowing| &mut windowing.inputs);
    let nodes = select.conditions.iter_mut().chain(&mut select.having).chain(&mut select.outputs);
    nodes.chain(inputs).for_each(each);
}

/// What the queries within a SELECT cost, in rows looked at.
pub struct Efforts {
    /// Derived tables.
    pub once: f64,
    /// Of each joined row.
    pub by_row: Effort,
    /// Of each row of the result.
    pub by_output: Effort,
}

impl Efforts {
    /// Of a SELECT whose inner queries are planned.
    pub fn of(select: &Select) -> Efforts {
        let mut efforts =
            Efforts { once: 0.0, by_row: Effort::default(), by_output: Effort::default() };
        for relation in &select.relations {
            if let (Source::Query(query), None) = (&relation.source, &relation.lateral) {
                efforts.once += query.cost;
            }
        }
        if let Some(join) = &select.join {
            join.each_term(&mut |node| efforts.by_row.add(node));
        }
        select.conditions.iter().for_each(|node| efforts.by_row.add(node));
        if let Some(grouping) = &select.grouping {
            let arguments = grouping.aggregates.iter().flat_map(|a| &a.arguments);
            let nodes = grouping.keys.iter().chain(&grouping.others).chain(arguments);
            nodes.for_each(|node| efforts.by_row.add(node));
        }
        let inputs = select.windowing.iter().flat_map(|windowing| &windowing.inputs);
        let nodes = select.having.iter().chain(&select.outputs).chain(inputs);
        nodes.for_each(|node| efforts.by_output.add(node));
        efforts
    }
}

/// What evaluating expressions costs.
#[derive(Default)]
pub struct Effort {
    /// Once, whatever the rows.
    once: f64,
    /// For each row.
    each: f64,
    /// For each row, but no more than finding the members.
    looked_up: Vec<LookedUp>,
}

/// A sub-query that has members.
struct LookedUp {
    /// Of its query.
    id: usize,
    /// What a row costs that asks by itself.
    each: f64,
    /// What finding all members costs.
    all: f64,
}

/// How many times what finding the members costs all rows that ask have to be thought to cost, if
/// these are not to ask by themselves first.
const NO_DOUBT: f64 = 2.0;

impl Effort {
    /// Of one expression.
    pub fn of(node: &Node) -> Effort {
        let mut effort = Effort::default();
        effort.add(node);
        effort
    }

    fn add(&mut self, node: &Node) {
        node.visit(&mut |node| {
            if let Kind::Subquery(subquery) = &node.kind {
                self.add_subquery(subquery);
            }
        });
    }

    fn add_subquery(&mut self, subquery: &Subquery) {
        let query = subquery.query();
        let cost = match subquery.form {
            // The first row ends it.
            SubqueryForm::Exists { .. } => BEGIN_ROWS + query.cost / query.rows.max(1.0),
            _ => BEGIN_ROWS + query.cost,
        };
        match subquery.members() {
            _ if !subquery.is_correlated() => self.once += cost,
            Some(members) => {
                self.looked_up.push(LookedUp { id: query.id, each: cost, all: members.query.cost });
            }
            None => self.each += cost,
        }
    }

    /// What so many rows cost.
    pub fn of_rows(&self, rows: f64) -> f64 {
        let looked_up = |one: &LookedUp| (rows * one.each).min(one.all + rows);
        self.once + self.each * rows + self.looked_up.iter().map(looked_up).sum::<f64>()
    }

    /// The sub-queries whose members had better be found before the first of so many rows asks.
    pub fn members_first(&self, rows: f64) -> impl Iterator<Item = usize> {
        let first = move |one: &&LookedUp| rows * one.each > one.all * NO_DOUBT;
        self.looked_up.iter().filter(first).map(|one| one.id)
    }
}
