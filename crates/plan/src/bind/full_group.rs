//! ONLY_FULL_GROUP_BY: a group gives what all of its rows agree on, and rows that differ in nothing
//! shown are sorted by nothing else.
//!
//! What a SELECT gives of its groups (its list, HAVING, ORDER BY, what windows are over) must be
//! one of GROUP BY's expressions, or be made of aggregates and of columns that follow from the keys
//! (`dependence`); ANY_VALUE is an aggregate here. With DISTINCT an item of ORDER BY is one of the
//! list, or is made of columns of the list. Rules and words are those of MySQL 9.7
//! (tests/oracle/sql/full-groups.sql).
//!
//! Not here: what an expression above a group is then (`grouping`).

use expression::{Kind, Node, parts_of};
use values::ErrorCode;

use super::Binder;
use super::dependence::Dependence;
use super::grouping::AGGREGATES;
use super::scope::QueryScope;
use crate::tree::{
    Aggregate, AskedQuery, Grouping, Join, Relation, SortKey, Window, WindowFunction,
    outer_slots_mut,
};
use results::{Result, SqlError};

/// What a SELECT gives, over joined rows.
pub(super) struct GivenRows<'a> {
    /// The select list, then what is only sorted by.
    pub outputs: &'a mut [Node],
    /// How many of the outputs are the select list.
    pub visible: usize,
    pub order: &'a [SortKey],
    pub having: Option<&'a mut Node>,
    pub functions: &'a mut [WindowFunction],
    /// The names of their windows, as many.
    pub windows: &'a [String],
}

impl GivenRows<'_> {
    /// Calls `each` with every expression.
    pub fn each_node_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        let functions = self.functions.iter_mut().flat_map(|function| function.nodes_mut());
        let having = self.having.as_deref_mut();
        self.outputs.iter_mut().chain(having).chain(functions).for_each(each);
    }
}

/// What an expression fails for.
enum FailingPart {
    Column(usize),
    Aggregate,
}

/// What expressions may be made of.
struct AllowedParts<'a> {
    /// Columns, by slot.
    columns: &'a mut dyn FnMut(usize) -> bool,
    /// Aggregates, by number.
    aggregates: &'a dyn Fn(usize) -> bool,
    /// Whole expressions: what the list gives a name, by which ORDER BY and HAVING ask for it.
    expressions: &'a [Node],
}

/// A SELECT's rows, before they are grouped.
#[derive(Clone, Copy)]
pub(super) struct JoinedRows<'a> {
    pub relations: &'a [Relation],
    pub join: Option<&'a Join>,
    pub conditions: &'a [Node],
}

impl Binder<'_> {
    /// Refuses what ONLY_FULL_GROUP_BY does not let a SELECT give. `asks_for_any`: it only matters
    /// whether it has such a row; then MySQL drops a GROUP BY of which nothing is asked, and any
    /// order.
    ///
    /// # Errors
    /// As `refuse_what_differs` and `refuse_hidden_order`.
    pub(super) fn refuse_unclear(
        &self,
        scope: &QueryScope<'_>,
        rows: JoinedRows<'_>,
        grouping: &Grouping,
        (is_distinct, asks_for_any): (bool, bool),
        given: &mut GivenRows<'_>,
    ) -> Result<()> {
        if !self.mode.get().only_full_group_by() || self.is_described {
            return Ok(());
        }
        let Grouping { keys, rollup, aggregates, .. } = grouping;
        let is_of_all = aggregates.iter().any(|aggregate| !aggregate.is_any_value());
        let is_asked = is_of_all || *rollup || given.having.is_some() || !given.windows.is_empty();
        if is_of_all || !keys.is_empty() && (!asks_for_any || is_asked) {
            refuse_what_differs(scope, rows, grouping, given)?;
        }
        // Groups by what is shown are distinct, and a single row is not sorted.
        let list = &given.outputs[..given.visible];
        let is_one_each = match keys.as_slice() {
            [] => is_of_all,
            keys => !rollup && keys.iter().all(|key| list.contains(key)),
        };
        if is_distinct && !asks_for_any && !is_one_each {
            refuse_hidden_order(scope, aggregates, given)?;
        }
        Ok(())
    }
}

/// Refuses what differs within a group.
///
/// # Errors
/// 1055 beside GROUP BY, 1140 without it.
fn refuse_what_differs(
    scope: &QueryScope<'_>,
    rows: JoinedRows<'_>,
    grouping: &Grouping,
    given: &mut GivenRows<'_>,
) -> Result<()> {
    let GivenRows { outputs, visible, order, having, functions, windows } = given;
    let keys = grouping.keys.as_slice();
    let JoinedRows { relations, join, conditions } = rows;
    let mut dependence = Dependence::of_keys(relations, join, conditions, keys);
    let is_key = |slot: usize| keys.iter().any(|key| key.kind == Kind::Column(slot));
    let mut columns = |slot| is_key(slot) || !grouping.rollup && dependence.determines(slot);
    let mut check = |node: &mut Node, expressions: &[Node], number: usize, place: &str| {
        if keys.contains(node) {
            return Ok(());
        }
        let mut allowed =
            AllowedParts { columns: &mut columns, aggregates: &|_| true, expressions };
        match allowed.failing(node, functions) {
            Some(FailingPart::Column(slot)) => {
                let name = name_of(scope, slot);
                Err(differs(number, place, &name, !keys.is_empty()))
            }
            Some(FailingPart::Aggregate) | None => Ok(()),
        }
    };
    let (list, beyond) = outputs.split_at_mut(*visible);
    for (at, node) in list.iter_mut().enumerate() {
        check(node, &[], at + 1, "SELECT list")?;
    }
    let list = &*list;
    // A single row is not sorted.
    let order: &[SortKey] = if keys.is_empty() { &[] } else { order };
    for (at, key) in order.iter().enumerate() {
        if let Some(beyond_list) = key.position.checked_sub(*visible) {
            check(&mut beyond[beyond_list], list, at + 1, "ORDER BY clause")?;
        }
    }
    if let Some(node) = having {
        check(node, list, 1, "HAVING clause")?;
    }
    for (function, name) in functions.iter().zip(*windows) {
        let Window { partition, order, .. } = function.window.clone();
        let place = format!("PARTITION BY or ORDER BY clause of window '{name}'");
        for (at, mut node) in partition.into_iter().enumerate() {
            check(&mut node, &[], at + 1, &place)?;
        }
        for (at, (mut node, _)) in order.into_iter().enumerate() {
            check(&mut node, &[], at + 1, &place)?;
        }
    }
    Ok(())
}

/// Refuses to sort what DISTINCT gives by what it does not show.
///
/// # Errors
/// 3065 for a column, 3066 for an aggregate.
fn refuse_hidden_order(
    scope: &QueryScope<'_>,
    aggregates: &[Aggregate],
    given: &mut GivenRows<'_>,
) -> Result<()> {
    let GivenRows { outputs, visible, order, functions, .. } = given;
    let (list, beyond) = outputs.split_at_mut(*visible);
    let mut columns = |slot| list.iter().any(|node| node.kind == Kind::Column(slot));
    // ANY_VALUE asks for nothing that is the same whenever it is asked.
    let any = |number: usize| aggregates[number].is_any_value();
    let mut allowed = AllowedParts { columns: &mut columns, aggregates: &any, expressions: &*list };
    for (at, key) in order.iter().enumerate() {
        let Some(beyond_list) = key.position.checked_sub(*visible) else { continue };
        let Some(failed) = allowed.failing(&mut beyond[beyond_list], functions) else { continue };
        let (code, what) = match failed {
            FailingPart::Column(slot) => {
                let name = name_of(scope, slot);
                let what = format!("references column '{name}' which is not in SELECT list");
                (ErrorCode::FieldInOrderNotSelect, what)
            }
            FailingPart::Aggregate => {
                (ErrorCode::AggregateInOrderNotSelect, "contains aggregate function".to_owned())
            }
        };
        let message = format!(
            "Expression #{} of ORDER BY clause is not in SELECT list, {what}; this is incompatible \
             with DISTINCT",
            at + 1
        );
        return Err(SqlError::new(code, message));
    }
    Ok(())
}

/// Error 3028: there are no groups of what a set operation gives.
pub(super) fn aggregate_of_set(number: usize) -> SqlError {
    let message = format!(
        "Expression #{number} of ORDER BY contains aggregate function and applies to a UNION, \
         EXCEPT or INTERSECT"
    );
    SqlError::new(ErrorCode::AggregateOrderForUnion, message)
}

/// Error 3029: an aggregate that only ORDER BY has would make one row of all.
pub(super) fn aggregate_of_all(number: usize) -> SqlError {
    let message = format!(
        "Expression #{number} of ORDER BY contains aggregate function and applies to the result of \
         a non-aggregated query"
    );
    SqlError::new(ErrorCode::AggregateOrderNonAggQuery, message)
}

impl AllowedParts<'_> {
    /// The first part of an expression that is not allowed.
    fn failing(&mut self, node: &mut Node, functions: &[WindowFunction]) -> Option<FailingPart> {
        if self.expressions.contains(node) {
            return None;
        }
        match &mut node.kind {
            Kind::Column(slot) => self.failing_column(*slot),
            Kind::Aggregate(number) => {
                (!(self.aggregates)(*number)).then_some(FailingPart::Aggregate)
            }
            Kind::Window(number) => {
                let mut call = functions.get(*number)?.call.clone();
                call.nodes_mut().into_iter().find_map(|node| self.failing(node, functions))
            }
            Kind::Subquery(subquery) => {
                let mut found = None;
                outer_slots_mut(subquery.query_mut(), &mut |reference| {
                    if let Kind::Outer(_, slot) = reference.kind
                        && parts_of(slot).0 != AGGREGATES
                        && found.is_none()
                    {
                        found = self.failing_column(slot);
                    }
                });
                let mut operands = subquery.operands_mut().iter_mut();
                found.or_else(|| operands.find_map(|operand| self.failing(operand, functions)))
            }
            _ => {
                let mut found = None;
                node.each_child_mut(&mut |child| {
                    if found.is_none() {
                        found = self.failing(child, functions);
                    }
                });
                found
            }
        }
    }

    fn failing_column(&mut self, slot: usize) -> Option<FailingPart> {
        (!(self.columns)(slot)).then_some(FailingPart::Column(slot))
    }
}

fn differs(number: usize, place: &str, name: &str, is_grouped: bool) -> SqlError {
    if is_grouped {
        let message = format!(
            "Expression #{number} of {place} is not in GROUP BY clause and contains nonaggregated \
             column '{name}' which is not functionally dependent on columns in GROUP BY clause; \
             this is incompatible with sql_mode=only_full_group_by"
        );
        return SqlError::new(ErrorCode::WrongFieldWithGroup, message);
    }
    let message = format!(
        "In aggregated query without GROUP BY, expression #{number} of {place} contains \
         nonaggregated column '{name}'; this is incompatible with sql_mode=only_full_group_by"
    );
    SqlError::new(ErrorCode::MixOfGroupFuncAndFields, message)
}

/// A column with its relation, and the database where that has one.
fn name_of(scope: &QueryScope<'_>, slot: usize) -> String {
    let Some((relation, column)) = scope.column_at(slot) else { return String::new() };
    let name = format!("{}.{}", relation.name, column.name);
    match &relation.home {
        Some(database) => format!("{database}.{name}"),
        None => name,
    }
}
