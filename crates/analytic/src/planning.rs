//! From a bound query to what runs: DataFusion's rules, applied one by one so that a statement
//! that is to end ends between two nodes of a plan.
//!
//! DataFusion's own loops also check the plan before and after; they visit what is nested in a
//! sub-query twice on each level, so that thirty levels take minutes. Those checks find mistakes
//! of planners, not of users, and are left out.
//!
//! Invariants
//! 1. A plan of more than `NODES_MAX` nodes is refused before anything is done with it.
//!
//! Not here: which rules there are (DataFusion's defaults), running the plan (`stream`).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion, TreeNodeRewriter};
use datafusion::common::{Result as PlanResult, internal_err};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_plan::ExecutionPlan;
use expression::Limits;
use results::{Result, SqlError};
use tokio::runtime::Handle;
use values::ErrorCode;

use super::failure::{no_plan, raise};

/// Most nodes of a plan, those in sub-queries included.
const NODES_MAX: usize = 10_000;

/// The plan to run.
///
/// # Errors
/// 1235 for what DataFusion has no plan for; 1436 for what is too large; the limits' when
/// the statement is to end.
pub(super) fn physical_plan(
    state: &SessionState,
    threads: &Handle,
    plan: LogicalPlan,
    limits: &Limits,
) -> Result<Arc<dyn ExecutionPlan>> {
    check_size(&plan)?;
    let plan = analysed(state, plan, limits).map_err(no_plan)?;
    let plan = optimised(state, plan, limits).map_err(no_plan)?;
    limits.check()?;
    let planned = threads.block_on(state.query_planner().create_physical_plan(&plan, state));
    limits.check()?;
    planned.map_err(no_plan)
}

/// Refuses a plan that is too large.
pub(super) fn check_size(plan: &LogicalPlan) -> Result<()> {
    let mut count = 0;
    let counted = plan.apply_with_subqueries(|_| {
        count += 1;
        Ok(if count > NODES_MAX { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    counted.map_err(no_plan)?;
    if count > NODES_MAX {
        return Err(SqlError::new(
            ErrorCode::StackOverrun,
            format!("The statement is too complex: its plan has more than {NODES_MAX} nodes"),
        ));
    }
    Ok(())
}

fn analysed(
    state: &SessionState,
    mut plan: LogicalPlan,
    limits: &Limits,
) -> PlanResult<LogicalPlan> {
    for rule in &state.analyzer().rules {
        limits.check().map_err(raise)?;
        plan = rule.analyze(plan, &state.options())?;
    }
    Ok(plan)
}

/// Applies the rules until a pass leads to a plan that was there before.
fn optimised(
    state: &SessionState,
    mut plan: LogicalPlan,
    limits: &Limits,
) -> PlanResult<LogicalPlan> {
    let hasher = RandomState::new();
    let mut seen = HashSet::from([hasher.hash_one(&plan)]);
    for _ in 0..state.options().optimizer.max_passes {
        let mut nested = has_subqueries(&plan);
        for rule in &state.optimizer().rules {
            limits.check().map_err(raise)?;
            let schema = Arc::clone(plan.schema());
            let rule = rule.as_ref();
            let changed = match rule.apply_order() {
                None => rule.rewrite(plan, state)?,
                Some(order) => {
                    let mut each = EachNode { order, rule, config: state, limits };
                    match nested {
                        true => plan.rewrite_with_subqueries(&mut each)?,
                        false => plan.rewrite(&mut each)?,
                    }
                }
            };
            plan = changed.data;
            if changed.transformed {
                nested = has_subqueries(&plan);
            }
            if !plan.schema().logically_equivalent_names_and_types(&schema) {
                return internal_err!("rule {} changed what the query gives", rule.name());
            }
        }
        if !seen.insert(hasher.hash_one(&plan)) {
            break;
        }
    }
    Ok(plan)
}

fn has_subqueries(plan: &LogicalPlan) -> bool {
    let nested = |expr: &Expr| {
        matches!(
            expr,
            Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
        )
    };
    let mut found = false;
    let visited = plan.apply(|node| {
        node.apply_expressions(|expr| {
            found |= expr.exists(|part| Ok(nested(part)))?;
            Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    });
    found || visited.is_err()
}

/// A rule at every node of a plan.
struct EachNode<'a> {
    order: ApplyOrder,
    rule: &'a dyn OptimizerRule,
    config: &'a dyn OptimizerConfig,
    limits: &'a Limits,
}

impl EachNode<'_> {
    fn at(&self, order: ApplyOrder, node: LogicalPlan) -> PlanResult<Transformed<LogicalPlan>> {
        if self.order != order {
            return Ok(Transformed::no(node));
        }
        self.limits.check().map_err(raise)?;
        self.rule.rewrite(node, self.config)
    }
}

impl TreeNodeRewriter for EachNode<'_> {
    type Node = LogicalPlan;

    fn f_down(&mut self, node: LogicalPlan) -> PlanResult<Transformed<LogicalPlan>> {
        self.at(ApplyOrder::TopDown, node)
    }

    fn f_up(&mut self, node: LogicalPlan) -> PlanResult<Transformed<LogicalPlan>> {
        self.at(ApplyOrder::BottomUp, node)
    }
}
