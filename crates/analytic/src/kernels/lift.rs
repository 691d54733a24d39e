//! A function of single values as a function of columns.
//!
//! Invariants
//! 1. The evaluator sees datums of exactly the argument types and returns values of the result
//!    type, or NULL.
//! 2. Long texts that a function makes count in the statement's memory as long as a column of
//!    them lives (`columns::counted`), and one text for all rows is there once.
//!
//! Not here: the evaluators.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use columnar::arrow::{ColumnReader, ColumnWriter, arrow_type};
use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray, BooleanBuilder};
use datafusion::arrow::buffer::ScalarBuffer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use plan::context::SqlContext;
use results::SqlError;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::super::columns::counted;
use super::super::failure::raise;
use super::super::plan_cache::Statement;
use super::words::of_words;

/// Evaluates a function for one row.
pub(crate) type Evaluate =
    Arc<dyn Fn(&[Datum<'_>]) -> std::result::Result<Value, SqlError> + Send + Sync>;

/// As `Evaluate`, of one that asks its statement.
pub(crate) type EvaluateFor =
    Arc<dyn Fn(&[Datum<'_>], &SqlContext) -> std::result::Result<Value, SqlError> + Send + Sync>;

/// How a function is evaluated.
enum Evaluation {
    /// From its arguments alone.
    Alone(Evaluate),
    /// With the statement that it runs for: what it makes is counted, and it ends with that.
    For(Arc<Statement>, EvaluateFor),
}

/// A function that is evaluated row by row.
pub(crate) struct RowFunction {
    name: String,
    /// All that the result depends on besides the arguments; decides equality.
    identity: String,
    arguments: Vec<ColumnType>,
    /// `None`: a truth value.
    result: Option<ColumnType>,
    evaluation: Evaluation,
    signature: Signature,
}

impl RowFunction {
    /// A function; `identity` tells functions of the same name and types apart. `volatile` when
    /// equal arguments may give different results.
    pub(crate) fn new(
        name: &str,
        identity: &str,
        arguments: Vec<ColumnType>,
        result: Option<ColumnType>,
        volatile: bool,
        evaluate: Evaluate,
    ) -> RowFunction {
        let evaluation = Evaluation::Alone(evaluate);
        RowFunction::made(name, identity, arguments, result, volatile, evaluation)
    }

    /// A function that asks the statement that it runs for.
    pub(crate) fn of_statement(
        name: &str,
        arguments: Vec<ColumnType>,
        result: Option<ColumnType>,
        volatile: bool,
        statement: &Arc<Statement>,
        evaluate: EvaluateFor,
    ) -> RowFunction {
        let evaluation = Evaluation::For(Arc::clone(statement), evaluate);
        RowFunction::made(name, "", arguments, result, volatile, evaluation)
    }

    fn made(
        name: &str,
        identity: &str,
        arguments: Vec<ColumnType>,
        result: Option<ColumnType>,
        volatile: bool,
        evaluation: Evaluation,
    ) -> RowFunction {
        let volatility = if volatile { Volatility::Volatile } else { Volatility::Immutable };
        let signature = if arguments.is_empty() {
            Signature::nullary(volatility)
        } else {
            Signature::any(arguments.len(), volatility)
        };
        let identity = format!("{identity} {arguments:?} {result:?}");
        let name = name.to_owned();
        RowFunction { name, identity, arguments, result, evaluation, signature }
    }
}

impl std::fmt::Debug for RowFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.identity)
    }
}

impl PartialEq for RowFunction {
    fn eq(&self, other: &RowFunction) -> bool {
        self.name == other.name && self.identity == other.identity
    }
}

impl Eq for RowFunction {}

impl Hash for RowFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.identity.hash(state);
    }
}

impl ScalarUDFImpl for RowFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(self.result.as_ref().map_or(DataType::Boolean, arrow_type))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = !args.args.is_empty()
            && args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let arguments =
            args.args.into_iter().map(Argument::new).collect::<Result<Vec<Argument>>>()?;
        let array = match self.words(&arguments) {
            Some(texts) => {
                of_words(texts, |rows| self.evaluated(&arguments, rows.iter().copied()))?
            }
            None => None,
        };
        let array = match array {
            Some(array) => array,
            None => self.evaluated(&arguments, 0..rows)?,
        };
        if constant {
            return one_for_all(&array, args.number_rows);
        }
        Ok(ColumnarValue::Array(array))
    }
}

impl RowFunction {
    /// The texts that decide what comes of a row, if nothing else does.
    fn words<'a>(&self, arguments: &'a [Argument]) -> Option<&'a BinaryViewArray> {
        let mut columns = arguments.iter().filter(|argument| !argument.single);
        let (column, other) = (columns.next()?, columns.next());
        let decides = other.is_none() && self.signature.volatility == Volatility::Immutable;
        column.array.as_any().downcast_ref().filter(|_| decides)
    }

    /// What comes of some rows.
    fn evaluated(
        &self,
        arguments: &[Argument],
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<ArrayRef> {
        let readers = arguments
            .iter()
            .zip(&self.arguments)
            .map(|(argument, ty)| {
                let reader = ColumnReader::new(ty, &argument.array).map_err(raise)?;
                Ok((reader, argument.single))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut datums: Vec<Datum<'_>> = Vec::with_capacity(readers.len());
        let mut output = Output::new(self.result.as_ref(), rows.len());
        // Once for all rows: what asks for it may be told that the statement is over.
        let asked = match &self.evaluation {
            Evaluation::Alone(evaluate) => LiftEvaluation::Nobody(evaluate),
            Evaluation::For(statement, evaluate) => {
                LiftEvaluation::Statement(statement.facts().map_err(raise)?, evaluate)
            }
        };
        let mut held = match &asked {
            LiftEvaluation::Nobody(_) => None,
            LiftEvaluation::Statement(facts, _) => Some(facts.limits.hold()),
        };
        for (count, row) in rows.enumerate() {
            datums.clear();
            datums.extend(
                readers.iter().map(|(reader, single)| reader.datum(if *single { 0 } else { row })),
            );
            let value = match &asked {
                LiftEvaluation::Nobody(evaluate) => evaluate(&datums),
                LiftEvaluation::Statement(facts, evaluate) => evaluate(&datums, facts),
            };
            let value = value.map_err(raise)?;
            if let Some(held) = &mut held {
                let bytes = long_bytes(&value);
                held.add(bytes).map_err(raise)?;
                if bytes > 0 || count.is_multiple_of(ROWS_UNCHECKED) {
                    held.limits().check().map_err(raise)?;
                }
            }
            output.push(value)?;
        }
        let array = output.finish();
        match held {
            Some(held) => counted(array, held.into_room()),
            None => Ok(array),
        }
    }
}

/// An evaluation under way.
enum LiftEvaluation<'f> {
    Nobody(&'f Evaluate),
    Statement(Arc<SqlContext>, &'f EvaluateFor),
}

/// Rows between two looks whether the statement is to go on.
const ROWS_UNCHECKED: usize = 256;
/// Texts up to this length are copied for each row where one is wanted for all.
const COPIED_BYTES_MAX: usize = 64;

/// Bytes of a value that views do not hold in themselves.
fn long_bytes(value: &Value) -> usize {
    match value {
        Value::Bytes(bytes) if bytes.len() > 12 => bytes.len(),
        _ => 0,
    }
}

/// The one value of an array for so many rows: a scalar, or for a longer text a column whose rows
/// all show the same bytes, because DataFusion would copy a scalar for each.
pub(crate) fn one_for_all(array: &ArrayRef, rows: usize) -> Result<ColumnarValue> {
    let texts = array.as_any().downcast_ref::<BinaryViewArray>();
    match texts {
        Some(texts) if texts.is_valid(0) && texts.value(0).len() > COPIED_BYTES_MAX => {
            let views: ScalarBuffer<u128> = std::iter::repeat_n(texts.views()[0], rows).collect();
            let buffers = texts.data_buffers().to_vec();
            let all = BinaryViewArray::try_new(views, buffers, None)?;
            Ok(ColumnarValue::Array(Arc::new(all)))
        }
        _ => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(array, 0)?)),
    }
}

/// An argument; a scalar stays one value for all rows.
struct Argument {
    array: ArrayRef,
    single: bool,
}

impl Argument {
    fn new(value: ColumnarValue) -> Result<Argument> {
        Ok(match value {
            ColumnarValue::Array(array) => Argument { array, single: false },
            ColumnarValue::Scalar(scalar) => {
                Argument { array: scalar.to_array_of_size(1)?, single: true }
            }
        })
    }
}

enum Output {
    Truth(BooleanBuilder),
    Values(ColumnWriter),
}

impl Output {
    fn new(ty: Option<&ColumnType>, rows: usize) -> Output {
        match ty {
            None => Output::Truth(BooleanBuilder::with_capacity(rows)),
            Some(ty) => Output::Values(ColumnWriter::new(ty, rows)),
        }
    }

    fn push(&mut self, value: Value) -> Result<()> {
        match self {
            Output::Truth(to) => match value {
                Value::Null => to.append_null(),
                Value::Int(truth) => to.append_value(truth != 0),
                Value::UInt(truth) => to.append_value(truth != 0),
                _ => to.append_null(),
            },
            Output::Values(to) => to.append(value.as_datum()).map_err(raise)?,
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Output::Truth(mut to) => Arc::new(to.finish()),
            Output::Values(mut to) => to.finish(),
        }
    }
}
