//! Aggregate functions of all rows whose states a segment's totals are: COUNT, SUM, MIN and MAX of
//! a column of numbers, without an array of its values, and without a cast of each.
//!
//! Not here: the totals themselves (`columnar`), functions by groups (`states`).

use std::sync::Arc;

use columnar::Total;
use datafusion::arrow::array::{ArrayRef, Decimal128Array, Int64Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column};

use super::super::failure::raise;

/// A function whose state comes of a total.
#[derive(Debug)]
pub(super) struct TotalOf {
    /// Among the values that the scan gives.
    pub(super) value: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Count,
    /// Of a type, in whose units of the last digit a unit of the column's numbers is so many.
    Sum(DataType, i128),
    End {
        largest: bool,
    },
}

impl TotalOf {
    /// Of a function of values; `None` where its state is something else.
    pub(super) fn of(
        function: &AggregateFunctionExpr,
        arguments: &[Arc<dyn PhysicalExpr>],
        values: &SchemaRef,
    ) -> Option<TotalOf> {
        let fields = function.state_fields().ok()?;
        let ([argument], [field], false) = (arguments, &fields[..], function.is_distinct()) else {
            return None;
        };
        let column = |of: &Arc<dyn PhysicalExpr>| Some(of.downcast_ref::<Column>()?.index());
        let own = column(argument);
        let (value, form) = match function.fun().name() {
            "count" if *field.data_type() == DataType::Int64 => (own?, Form::Count),
            "min" | "max" => {
                let value = own?;
                let is_as_it_is = field.data_type() == values.field(value).data_type();
                let largest = function.fun().name() == "max";
                (value, is_as_it_is.then_some(Form::End { largest })?)
            }
            "sum" => {
                let value = match argument.downcast_ref::<CastExpr>() {
                    Some(cast) => column(cast.expr())?,
                    None => own?,
                };
                let of = values.field(value).data_type();
                (value, Form::Sum(field.data_type().clone(), units(of, field.data_type())?))
            }
            _ => return None,
        };
        Some(TotalOf { value, form })
    }

    /// The function's state, of one group.
    pub(super) fn state(&self, total: &Total) -> Result<ArrayRef> {
        Ok(match &self.form {
            Form::Count => Arc::new(Int64Array::from(vec![total.count() as i64])),
            Form::Sum(ty, units) => {
                let in_units = |sum: i128| {
                    let sum = sum.checked_mul(*units);
                    sum.ok_or_else(|| DataFusionError::Internal("a sum beyond its type".into()))
                };
                let sum = total.sum().map(in_units).transpose()?;
                Arc::new(Decimal128Array::from(vec![sum]).with_data_type(ty.clone()))
            }
            Form::End { largest } => total.end(*largest).map_err(raise)?,
        })
    }
}

/// How many units of a sum's last digit one of a column's numbers is.
fn units(of: &DataType, sum: &DataType) -> Option<i128> {
    let DataType::Decimal128(_, scale) = sum else { return None };
    let digits = match of {
        DataType::Int64 | DataType::UInt64 => *scale,
        DataType::Decimal128(_, own) => scale.checked_sub(*own)?,
        _ => return None,
    };
    10i128.checked_pow(u32::try_from(digits).ok()?)
}
