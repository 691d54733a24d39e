//! A column of some rows that may know the words of its texts.
//!
//! Not here: who makes it (files), what values are in arrays (`crate::arrow`).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, BooleanArray, Int32Array};
use arrow_schema::ArrowError;

/// The values of a column.
#[derive(Clone, Debug)]
pub enum ColumnArray {
    /// Texts: the place of each row's among the words, and the words, none of which is NULL. What
    /// is known of the words of one batch holds for the next if they are the same array.
    Words(Int32Array, BinaryViewArray),
    /// Anything, in the form of `values`.
    Plain(ArrayRef),
}

impl ColumnArray {
    /// The values, in the form of `values`.
    ///
    /// # Errors
    /// When a place is none of a word.
    pub fn array(&self) -> Result<ArrayRef, ArrowError> {
        match self {
            ColumnArray::Words(places, words) => arrow_select::take::take(words, places, None),
            ColumnArray::Plain(array) => Ok(Arc::clone(array)),
        }
    }

    /// Those of some rows.
    ///
    /// # Errors
    /// When the rows are others than its own.
    pub fn filtered(&self, rows: &BooleanArray) -> Result<ColumnArray, ArrowError> {
        Ok(match self {
            ColumnArray::Words(places, words) => {
                let places = arrow_select::filter::filter(places, rows)?;
                ColumnArray::Words(places.as_primitive().clone(), words.clone())
            }
            ColumnArray::Plain(array) => {
                ColumnArray::Plain(arrow_select::filter::filter(array, rows)?)
            }
        })
    }
}

/// Whether two arrays of words are one, of which the first is still there: the place in memory
/// tells.
pub fn is_same(one: &BinaryViewArray, other: &BinaryViewArray) -> bool {
    one.len() == other.len() && one.views().as_ptr() == other.views().as_ptr()
}
