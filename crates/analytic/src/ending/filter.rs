//! Joins that ask between two comparisons of rows whether their execution is to go on.
//!
//! For one batch of one side a join may go through all rows of the other before it gives a row or
//! takes another batch. What it evaluates for them is the condition on both sides, so that asks. A
//! join that only finds out whether there is such a row, and has no condition beside equal keys,
//! gets one that is always true.
//!
//! Not here: what is asked (`resources::interrupt`), who says for whom a thread works (`node`).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::{DataFusionError, JoinType, Result};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::lit;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder, SortMergeJoinExec,
};

/// The same join with a condition that asks; `None` for what is no join, or gives rows as it finds
/// them.
pub(super) fn asking(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        let Some(filter) = asking_filter(join.filter(), *join.join_type()) else { return Ok(None) };
        let (left, right) = (Arc::clone(join.left()), Arc::clone(join.right()));
        let builder = NestedLoopJoinExecBuilder::new(left, right, *join.join_type())
            .with_filter(Some(filter))
            .with_projection_ref(join.projection().clone());
        return Ok(Some(Arc::new(builder.build()?)));
    }
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let Some(filter) = asking_filter(join.filter(), *join.join_type()) else { return Ok(None) };
        return join.builder().with_filter(Some(filter)).build_exec().map(Some);
    }
    if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
        // Without a condition each row of either side is looked at once.
        let Some(filter) = join.filter() else { return Ok(None) };
        let join = SortMergeJoinExec::try_new(
            Arc::clone(join.left()),
            Arc::clone(join.right()),
            join.on().to_vec(),
            Some(around(filter)),
            join.join_type(),
            join.sort_options().to_vec(),
            join.null_equality(),
        )?;
        return Ok(Some(Arc::new(join)));
    }
    Ok(None)
}

fn asking_filter(filter: Option<&JoinFilter>, join_type: JoinType) -> Option<JoinFilter> {
    use JoinType::{LeftAnti, LeftMark, LeftSemi, RightAnti, RightMark, RightSemi};
    match (filter, join_type) {
        (Some(filter), _) => Some(around(filter)),
        (None, LeftAnti | LeftMark | LeftSemi | RightAnti | RightMark | RightSemi) => {
            let always = Arc::new(Asking { condition: lit(true) });
            Some(JoinFilter::new(always, Vec::new(), Arc::new(Schema::empty())))
        }
        (None, _) => None,
    }
}

fn around(filter: &JoinFilter) -> JoinFilter {
    let asking = Arc::new(Asking { condition: Arc::clone(filter.expression()) });
    JoinFilter::new(asking, filter.column_indices().to_vec(), Arc::clone(filter.schema()))
}

/// A condition that asks first.
#[derive(Debug, Eq)]
struct Asking {
    condition: Arc<dyn PhysicalExpr>,
}

// Deriving it would move the condition out of its place.
impl PartialEq for Asking {
    fn eq(&self, other: &Asking) -> bool {
        self.condition.eq(&other.condition)
    }
}

impl Hash for Asking {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.hash(state);
    }
}

impl fmt::Display for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.condition, f)
    }
}

impl PhysicalExpr for Asking {
    fn data_type(&self, schema: &Schema) -> Result<DataType> {
        self.condition.data_type(schema)
    }

    fn nullable(&self, schema: &Schema) -> Result<bool> {
        self.condition.nullable(schema)
    }

    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.condition.return_field(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        super::check()?;
        self.condition.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.condition]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let condition = children
            .pop()
            .ok_or_else(|| DataFusionError::Internal("a condition of nothing".to_owned()))?;
        Ok(Arc::new(Asking { condition }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt_sql(f)
    }
}
