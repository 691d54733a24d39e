//! A long text of the statement as a function without arguments. As a literal it would be copied
//! whenever DataFusion copies a piece of the plan, and for every row that asks for it.
//!
//! Not here: short texts, which are literals.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::lift::one_for_all;

/// Texts above so many bytes are functions.
const LITERAL_BYTES_MAX: usize = 1024;

/// The text.
#[derive(Debug)]
pub(crate) struct LongText {
    /// Of one row.
    text: ArrayRef,
    signature: Signature,
}

impl LongText {
    /// A text as a function, if it is too long for a literal.
    pub(crate) fn of(text: &[u8]) -> Option<LongText> {
        (text.len() > LITERAL_BYTES_MAX).then(|| LongText::new(text))
    }

    fn new(text: &[u8]) -> LongText {
        // Volatile is what DataFusion does not evaluate while it plans.
        let signature = Signature::nullary(Volatility::Volatile);
        LongText { text: Arc::new(BinaryViewArray::from_iter_values([text])), signature }
    }
}

impl PartialEq for LongText {
    fn eq(&self, other: &LongText) -> bool {
        Arc::ptr_eq(&self.text, &other.text)
    }
}

impl Eq for LongText {}

impl Hash for LongText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.get_buffer_memory_size().hash(state);
    }
}

impl ScalarUDFImpl for LongText {
    fn name(&self) -> &str {
        "long_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::BinaryView)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        one_for_all(&self.text, args.number_rows)
    }
}
