//! Marks what a planned SELECT needs to evaluate but once for all of its rows (`expression::Once`).
//!
//! This comes last: what plans are made of are expressions as they were written.
//!
//! Not here: keys of indexes, which are evaluated for each range that is looked up.

use expression::Node;

use crate::tree::{JoinStep, Member, Select};

/// In the conditions of a step.
pub fn of_step(step: &mut JoinStep) {
    step.filters.iter_mut().chain(&mut step.after).for_each(Node::evaluate_once);
    match &mut step.member {
        Member::Scan(scan) => {
            scan.terms.iter_mut().for_each(Node::evaluate_once);
            scan.access.iter_mut().for_each(|access| access.evaluate_once());
        }
        Member::Group(steps, _) => steps.iter_mut().for_each(of_step),
    }
}

/// In what groups are made of and chosen by.
pub fn of_groups(select: &mut Select) {
    let aggregates = select.grouping.iter_mut().flat_map(|grouping| &mut grouping.aggregates);
    aggregates.flat_map(|aggregate| &mut aggregate.arguments).for_each(Node::evaluate_once);
    select.having.iter_mut().for_each(Node::evaluate_once);
}
