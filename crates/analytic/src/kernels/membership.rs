//! `text IN ('a', 'b', ...)` under a collation.
//!
//! Invariants
//! 1. The listed texts are literals, visible to the index range finder (`scan::terms`).
//!
//! Not here: lists of numbers, which are DataFusion's.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, BinaryViewArray, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use values::types::Collation;

/// Whether the first text equals one of the others.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextMembership {
    collation: Collation,
    name: String,
    signature: Signature,
}

impl TextMembership {
    /// With so many listed texts.
    pub(crate) fn new(collation: Collation, texts: usize) -> TextMembership {
        let name = format!("text_in_{}", collation.name());
        let signature = Signature::any(texts + 1, Volatility::Immutable);
        TextMembership { collation, name, signature }
    }

    /// The collation under which it compares.
    pub(crate) fn collation(&self) -> Collation {
        self.collation
    }

    fn key(&self, text: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(2 * text.len() + 4);
        values::key::write_weights(self.collation, text, &mut key);
        key
    }
}

impl ScalarUDFImpl for TextMembership {
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
        let Some((tested, texts)) = args.args.split_first() else {
            return internal_err!("text_in takes a text");
        };
        let mut members = HashSet::with_capacity(texts.len());
        let mut unknown = false;
        for text in texts {
            match text {
                ColumnarValue::Scalar(ScalarValue::BinaryView(Some(text))) => {
                    members.insert(self.key(text));
                }
                ColumnarValue::Scalar(scalar) if scalar.is_null() => unknown = true,
                _ => return internal_err!("text_in takes literals"),
            }
        }
        let mut key = Vec::new();
        let mut holds = |text: &[u8]| {
            key.clear();
            values::key::write_weights(self.collation, text, &mut key);
            match members.contains(&key) {
                true => Some(true),
                false if unknown => None,
                false => Some(false),
            }
        };
        Ok(match tested {
            ColumnarValue::Scalar(ScalarValue::BinaryView(Some(text))) => {
                ColumnarValue::Scalar(ScalarValue::Boolean(holds(text)))
            }
            ColumnarValue::Scalar(_) => ColumnarValue::Scalar(ScalarValue::Boolean(None)),
            ColumnarValue::Array(array) => {
                let texts = array.as_any().downcast_ref::<BinaryViewArray>();
                let truths: BooleanArray = match texts {
                    Some(texts) => texts.iter().map(|text| holds(text?)).collect(),
                    None => BooleanArray::new_null(array.len()),
                };
                ColumnarValue::Array(Arc::new(truths))
            }
        })
    }
}
