//! Keys over several values: one byte string that is equal for equal tuples, and one that sorts
//! as ORDER BY would. For COUNT(DISTINCT a, b) and the ORDER BY inside GROUP_CONCAT.
//!
//! Invariants
//! 1. Parts are self-delimiting, so tuples never run into each other.
//!
//! Not here: the key bytes (`values::key`).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use columnar::arrow::ColumnReader;
use datafusion::arrow::array::{ArrayRef, BinaryViewBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use expression::write_json_key;
use values::datum::Datum;
use values::key;
use values::types::{Collation, ColumnType, LobSize};

use super::super::columns::{collation_of, is_string};
use super::super::failure::raise;

/// Appends a value's part of a key; `stored` is the type whose bytes those are.
fn append_part(ty: &ColumnType, stored: &ColumnType, datum: Datum<'_>, out: &mut Vec<u8>) {
    match (ty, datum) {
        (ColumnType::Json, Datum::Bytes(document)) => {
            out.push(1);
            write_json_key(document, out);
        }
        _ => key::encode_part(stored, true, None, datum, out),
    }
}

/// The type whose key bytes stand for values of `ty`; long and JSON text have none of their own.
fn key_type(ty: &ColumnType) -> ColumnType {
    if !is_string(ty) {
        return ty.clone();
    }
    match collation_of(ty) {
        Collation::Binary => ColumnType::Blob { size: LobSize::Long },
        collation => ColumnType::Text { size: LobSize::Long, collation },
    }
}

fn keys(
    arguments: &[ColumnType],
    args: &ScalarFunctionArgs,
    mut append: impl FnMut(usize, &ColumnType, Datum<'_>, &mut Vec<u8>) -> bool,
) -> Result<ArrayRef> {
    let arrays = ColumnarValue::values_to_arrays(&args.args)?;
    let readers = arrays
        .iter()
        .zip(arguments)
        .map(|(array, ty)| ColumnReader::new(ty, array).map_err(raise))
        .collect::<Result<Vec<_>>>()?;
    let types: Vec<ColumnType> = arguments.iter().map(key_type).collect();
    let rows = arrays.first().map_or(0, |array| array.len());
    let mut keys = BinaryViewBuilder::with_capacity(rows);
    let mut bytes = Vec::new();
    for row in 0..rows {
        bytes.clear();
        let whole = readers
            .iter()
            .zip(&types)
            .enumerate()
            .all(|(at, (reader, ty))| append(at, ty, reader.datum(row), &mut bytes));
        if whole { keys.append_value(&bytes) } else { keys.append_null() }
    }
    Ok(Arc::new(keys.finish()))
}

/// A function's name with the collations of its arguments: DataFusion knows columns by what they
/// are called, so that functions which differ in them alone would be one.
fn named(function: &str, arguments: &[ColumnType]) -> String {
    let collations = arguments.iter().filter_map(|ty| ty.collation().map(Collation::name));
    collations.fold(function.to_owned(), |name, collation| name + "_" + collation)
}

/// NULL if any value is NULL, else a key of all values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TupleKey {
    arguments: Vec<ColumnType>,
    name: String,
    signature: Signature,
}

impl TupleKey {
    pub(crate) fn new(arguments: Vec<ColumnType>) -> TupleKey {
        let signature = Signature::any(arguments.len(), Volatility::Immutable);
        let name = named("tuple_key", &arguments);
        TupleKey { arguments, name, signature }
    }
}

impl Hash for TupleKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.arguments.len().hash(state);
    }
}

impl ScalarUDFImpl for TupleKey {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = keys(&self.arguments, &args, |at, stored, datum, out| {
            append_part(&self.arguments[at], stored, datum, out);
            !datum.is_null()
        })?;
        Ok(ColumnarValue::Array(array))
    }
}

/// A key that sorts as ORDER BY would; never NULL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SortKey {
    arguments: Vec<ColumnType>,
    descending: Vec<bool>,
    name: String,
    signature: Signature,
}

impl SortKey {
    /// One flag per argument: whether it sorts downwards.
    pub(crate) fn new(arguments: Vec<ColumnType>, descending: Vec<bool>) -> SortKey {
        let signature = Signature::any(arguments.len(), Volatility::Immutable);
        let mut name = named("sort_key", &arguments);
        name.extend(descending.iter().map(|descending| if *descending { '-' } else { '+' }));
        SortKey { arguments, descending, name, signature }
    }
}

impl Hash for SortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.descending.hash(state);
    }
}

impl ScalarUDFImpl for SortKey {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = keys(&self.arguments, &args, |at, stored, datum, out| {
            let start = out.len();
            append_part(&self.arguments[at], stored, datum, out);
            if self.descending[at] {
                out[start..].iter_mut().for_each(|byte| *byte = !*byte);
            }
            true
        })?;
        Ok(ColumnarValue::Array(array))
    }
}
