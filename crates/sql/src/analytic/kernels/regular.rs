//! REGEXP: matching by the regular expressions that DataFusion brings.
//!
//! Invariants
//! 1. A pattern is compiled once per distinct pattern of a batch, not per row.
//!
//! Not here: MySQL's own flavour where it differs (`[[:<:]]` word bounds).

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray, BooleanArray, StringArray};
use datafusion::arrow::compute::kernels::regexp::regexp_is_match;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::super::failure::raise;
use crate::error::SqlError;

/// `text REGEXP pattern`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(in crate::analytic) struct RegularExpression {
    folds: bool,
    signature: Signature,
}

/// The function; `folds` when upper and lower case are the same.
pub(in crate::analytic) fn regular_expression(folds: bool) -> RegularExpression {
    RegularExpression { folds, signature: Signature::any(2, Volatility::Immutable) }
}

fn texts(value: &ColumnarValue, rows: usize) -> Result<StringArray> {
    let array: ArrayRef = match value {
        ColumnarValue::Array(array) => Arc::clone(array),
        ColumnarValue::Scalar(scalar) => scalar.to_array_of_size(rows)?,
    };
    let Some(bytes) = array.as_any().downcast_ref::<BinaryViewArray>() else {
        return internal_err!("REGEXP takes texts");
    };
    Ok(bytes.iter().map(|text| text.map(String::from_utf8_lossy)).collect())
}

impl ScalarUDFImpl for RegularExpression {
    fn name(&self) -> &str {
        "regexp_like"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let (tested, patterns) = (texts(&args.args[0], rows)?, texts(&args.args[1], rows)?);
        let flags: Option<StringArray> = self.folds.then(|| (0..rows).map(|_| Some("i")).collect());
        let matches: BooleanArray =
            regexp_is_match(&tested, &patterns, flags.as_ref()).map_err(|error| {
                raise(SqlError::new(3692, format!("Illegal regular expression: {error}")))
            })?;
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&matches, 0)?));
        }
        Ok(ColumnarValue::Array(Arc::new(matches)))
    }
}
