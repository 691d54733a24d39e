//! Arithmetic of integers and doubles: exact within 64 bits or error 1690, NULL for a division
//! by zero.
//!
//! Invariants
//! 1. Integers may be signed or unsigned on either side; the result's signedness was decided
//!    when the statement was bound, and a value outside of it is an error, never wrapped.
//!
//! Not here: DECIMAL (`decimal`), type rules (`plan::bind::arithmetic`).

use std::sync::Arc;

use columnar::arrow::ColumnReader;
use datafusion::arrow::array::{ArrayRef, Float64Builder, Int64Builder, UInt64Builder};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use results::SqlError;
use values::ErrorCode;
use values::datum::Datum;
use values::types::{ColumnType, IntWidth};

use super::super::failure::raise;

/// What to do with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// DIV
    Whole,
    /// `%`
    Remainder,
}

impl Operation {
    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Operation::Add => "+",
            Operation::Subtract => "-",
            Operation::Multiply => "*",
            Operation::Divide => "/",
            Operation::Whole => "DIV",
            Operation::Remainder => "%",
        }
    }
}

/// The domain of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NumberDomain {
    /// BIGINT.
    Signed,
    /// BIGINT UNSIGNED.
    Unsigned,
    /// DOUBLE.
    Double,
}

/// One operation on two columns. Integer results take Int64 or UInt64 columns, double results
/// Float64 columns.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arithmetic {
    operation: Operation,
    numbers: NumberDomain,
    signature: Signature,
}

impl Arithmetic {
    pub(crate) fn new(operation: Operation, numbers: NumberDomain) -> Arithmetic {
        Arithmetic { operation, numbers, signature: Signature::any(2, Volatility::Immutable) }
    }

    /// The result for two integers; `None` is NULL.
    fn whole(&self, left: i128, right: i128) -> Option<i128> {
        Some(match self.operation {
            Operation::Add => left + right,
            Operation::Subtract => left - right,
            Operation::Multiply => left * right,
            Operation::Divide | Operation::Whole => left.checked_div(right)?,
            Operation::Remainder => left.checked_rem(right)?,
        })
    }

    fn double(&self, left: f64, right: f64) -> Result<Option<f64>> {
        let value = match self.operation {
            Operation::Add => left + right,
            Operation::Subtract => left - right,
            Operation::Multiply => left * right,
            _ if right == 0.0 => return Ok(None),
            Operation::Divide => left / right,
            Operation::Whole => (left / right).trunc(),
            Operation::Remainder => left % right,
        };
        if value.is_finite() { Ok(Some(value)) } else { Err(self.out_of_range("DOUBLE")) }
    }

    fn out_of_range(&self, what: &str) -> datafusion::common::DataFusionError {
        let sign = self.operation.sign();
        raise(SqlError::new(
            ErrorCode::DataOutOfRange,
            format!("{what} value is out of range in '{sign}'"),
        ))
    }

    fn integers(
        &self,
        left: &ArithmeticSide<'_>,
        right: &ArithmeticSide<'_>,
        rows: usize,
    ) -> Result<ArrayRef> {
        let mut signed = Int64Builder::with_capacity(if self.is_signed() { rows } else { 0 });
        let mut unsigned = UInt64Builder::with_capacity(if self.is_signed() { 0 } else { rows });
        for row in 0..rows {
            let value = match (left.integer(row), right.integer(row)) {
                (Some(left), Some(right)) => self.whole(left, right),
                _ => None,
            };
            if self.is_signed() {
                let value = value.map(i64::try_from).transpose();
                signed.append_option(value.map_err(|_| self.out_of_range("BIGINT"))?);
            } else {
                let value = value.map(u64::try_from).transpose();
                unsigned.append_option(value.map_err(|_| self.out_of_range("BIGINT UNSIGNED"))?);
            }
        }
        Ok(if self.is_signed() { Arc::new(signed.finish()) } else { Arc::new(unsigned.finish()) })
    }

    fn is_signed(&self) -> bool {
        self.numbers == NumberDomain::Signed
    }

    fn doubles(
        &self,
        left: &ArithmeticSide<'_>,
        right: &ArithmeticSide<'_>,
        rows: usize,
    ) -> Result<ArrayRef> {
        let mut values = Float64Builder::with_capacity(rows);
        for row in 0..rows {
            values.append_option(match (left.double(row), right.double(row)) {
                (Some(left), Some(right)) => self.double(left, right)?,
                _ => None,
            });
        }
        Ok(Arc::new(values.finish()))
    }
}

impl ScalarUDFImpl for Arithmetic {
    fn name(&self) -> &str {
        self.operation.sign()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.numbers {
            NumberDomain::Signed => DataType::Int64,
            NumberDomain::Unsigned => DataType::UInt64,
            NumberDomain::Double => DataType::Float64,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let arrays: Vec<(ArrayRef, bool)> = args
            .args
            .into_iter()
            .map(|arg| match arg {
                ColumnarValue::Array(array) => Ok((array, false)),
                ColumnarValue::Scalar(scalar) => Ok((scalar.to_array_of_size(1)?, true)),
            })
            .collect::<Result<_>>()?;
        let (left, right) = (ArithmeticSide::new(&arrays[0])?, ArithmeticSide::new(&arrays[1])?);
        let array = match self.numbers {
            NumberDomain::Double => self.doubles(&left, &right, rows)?,
            _ => self.integers(&left, &right, rows)?,
        };
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?));
        }
        Ok(ColumnarValue::Array(array))
    }
}

struct ArithmeticSide<'a> {
    reader: ColumnReader<'a>,
    single: bool,
}

impl<'a> ArithmeticSide<'a> {
    fn new((array, single): &'a (ArrayRef, bool)) -> Result<ArithmeticSide<'a>> {
        let ty = match array.data_type() {
            DataType::UInt64 => int(true),
            DataType::Float64 => ColumnType::Double(None),
            _ => int(false),
        };
        Ok(ArithmeticSide {
            reader: ColumnReader::new(&ty, array).map_err(raise)?,
            single: *single,
        })
    }

    fn datum(&self, row: usize) -> Datum<'a> {
        self.reader.datum(if self.single { 0 } else { row })
    }

    fn integer(&self, row: usize) -> Option<i128> {
        match self.datum(row) {
            Datum::Int(value) => Some(i128::from(value)),
            Datum::UInt(value) => Some(i128::from(value)),
            _ => None,
        }
    }

    fn double(&self, row: usize) -> Option<f64> {
        match self.datum(row) {
            Datum::Double(value) => Some(value),
            _ => None,
        }
    }
}

fn int(unsigned: bool) -> ColumnType {
    ColumnType::Int { width: IntWidth::Big, unsigned, boolean: false }
}
