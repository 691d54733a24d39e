//! Comparing text by collation: keys that compare as bytes, and comparisons of two texts.
//!
//! Grouping, joining, DISTINCT and ORDER BY work on keys; a comparison with a constant is made
//! directly, so that the constant's text stays visible to the index range finder (`scan`).
//!
//! Invariants
//! 1. Two texts have the same key exactly when the collation calls them equal, and keys order
//!    as the texts do.
//!
//! Not here: the weights (`values::collation`).

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray, BinaryViewBuilder, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, Operator, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use values::collation;
use values::types::Collation;

use super::words::of_words;

/// The key of a text under a collation.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct CollationKey {
    collation: Collation,
    /// With the collation: DataFusion knows columns by what they are called.
    name: String,
    signature: Signature,
}

impl CollationKey {
    pub(crate) fn new(collation: Collation) -> CollationKey {
        let name = format!("collation_key_{}", collation.name());
        CollationKey { collation, name, signature: Signature::any(1, Volatility::Immutable) }
    }

    fn key_array(&self, texts: &BinaryViewArray) -> Result<ArrayRef> {
        let keys = of_words(texts, |rows| Ok(self.keys(texts, rows.iter().copied())))?;
        Ok(keys.unwrap_or_else(|| self.keys(texts, 0..texts.len())))
    }

    /// The keys of some rows.
    fn keys(
        &self,
        texts: &BinaryViewArray,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> ArrayRef {
        let mut keys = BinaryViewBuilder::with_capacity(rows.len());
        let mut key = Vec::new();
        for row in rows {
            if texts.is_null(row) {
                keys.append_null();
            } else {
                key.clear();
                values::key::write_weights(self.collation, texts.value(row), &mut key);
                keys.append_value(&key);
            }
        }
        Arc::new(keys.finish())
    }
}

impl ScalarUDFImpl for CollationKey {
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
        match &args.args[..] {
            [ColumnarValue::Array(array)] => match as_bytes(array) {
                Some(texts) => Ok(ColumnarValue::Array(self.key_array(texts)?)),
                None => Ok(ColumnarValue::Scalar(ScalarValue::BinaryView(None))),
            },
            [ColumnarValue::Scalar(ScalarValue::BinaryView(Some(text)))] => {
                let mut key = Vec::new();
                values::key::write_weights(self.collation, text, &mut key);
                Ok(ColumnarValue::Scalar(ScalarValue::BinaryView(Some(key))))
            }
            [ColumnarValue::Scalar(scalar)] if scalar.is_null() => {
                Ok(ColumnarValue::Scalar(ScalarValue::BinaryView(None)))
            }
            _ => internal_err!("collation_key of something that is no text"),
        }
    }
}

fn as_bytes(array: &ArrayRef) -> Option<&BinaryViewArray> {
    array.as_any().downcast_ref::<BinaryViewArray>()
}

/// `text op text` under a collation.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextComparison {
    op: Operator,
    collation: Collation,
    name: String,
    signature: Signature,
}

impl TextComparison {
    pub(crate) fn new(op: Operator, collation: Collation) -> TextComparison {
        let word = match op {
            Operator::Eq => "eq",
            Operator::NotEq => "ne",
            Operator::Lt => "lt",
            Operator::LtEq => "le",
            Operator::Gt => "gt",
            _ => "ge",
        };
        let name = format!("text_{word}_{}", collation.name());
        TextComparison { op, collation, name, signature: Signature::any(2, Volatility::Immutable) }
    }

    /// The comparison, for the index range finder.
    pub(crate) fn op(&self) -> Operator {
        self.op
    }

    /// The collation under which it compares.
    pub(crate) fn collation(&self) -> Collation {
        self.collation
    }

    fn holds(&self, left: &[u8], right: &[u8]) -> bool {
        match self.op {
            Operator::Eq => collation::equal(self.collation, left, right),
            Operator::NotEq => !collation::equal(self.collation, left, right),
            op => {
                let order = collation::compare(self.collation, left, right);
                match op {
                    Operator::Lt => order == Ordering::Less,
                    Operator::LtEq => order != Ordering::Greater,
                    Operator::Gt => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        }
    }
}

impl ScalarUDFImpl for TextComparison {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else {
            return internal_err!("text comparison takes two texts");
        };
        if let (ColumnarValue::Scalar(left), ColumnarValue::Scalar(right)) = (left, right) {
            let truth = match (left, right) {
                (ScalarValue::BinaryView(Some(l)), ScalarValue::BinaryView(Some(r))) => {
                    Some(self.holds(l, r))
                }
                _ => None,
            };
            return Ok(ColumnarValue::Scalar(ScalarValue::Boolean(truth)));
        }
        let (left, right) = (CollationSide::new(left), CollationSide::new(right));
        let truth = |row: usize| Some(self.holds(left.at(row)?, right.at(row)?));
        let each = |rows: &[usize]| -> ArrayRef {
            Arc::new(rows.iter().map(|row| truth(*row)).collect::<BooleanArray>())
        };
        let of_words = match (&left, &right) {
            (CollationSide::Many(texts), CollationSide::One(_))
            | (CollationSide::One(_), CollationSide::Many(texts)) => {
                of_words(texts, |rows| Ok(each(rows)))?
            }
            _ => None,
        };
        let all = || Arc::new((0..args.number_rows).map(truth).collect::<BooleanArray>());
        Ok(ColumnarValue::Array(of_words.unwrap_or_else(|| all())))
    }
}

enum CollationSide<'a> {
    Nothing,
    One(&'a [u8]),
    Many(&'a BinaryViewArray),
}

impl<'a> CollationSide<'a> {
    fn new(value: &'a ColumnarValue) -> CollationSide<'a> {
        match value {
            ColumnarValue::Scalar(ScalarValue::BinaryView(Some(text))) => CollationSide::One(text),
            ColumnarValue::Scalar(_) => CollationSide::Nothing,
            ColumnarValue::Array(array) => {
                as_bytes(array).map_or(CollationSide::Nothing, CollationSide::Many)
            }
        }
    }

    fn at(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            CollationSide::Nothing => None,
            CollationSide::One(text) => Some(text),
            CollationSide::Many(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
}
