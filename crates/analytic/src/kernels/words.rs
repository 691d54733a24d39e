//! Functions of a text column that has few different texts, made of each of these once.
//!
//! A segment's column shows a word wherever it stands by the same view, so that rows which are
//! equal are known by their views, and no text is compared.
//!
//! Not here: what is made of the texts.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::common::Result;
use foldhash::fast::RandomState;

/// Rows for each different text, below which something is made of every row.
const ROWS_PER_WORD_MIN: usize = 8;

/// What `make` makes of some rows, one of each different text and one that is NULL, for every row;
/// `None` when the texts are too many to be worth it.
pub(super) fn of_words(
    texts: &BinaryViewArray,
    make: impl FnOnce(&[usize]) -> Result<ArrayRef>,
) -> Result<Option<ArrayRef>> {
    let words_max = texts.len() / ROWS_PER_WORD_MIN;
    let mut known: HashMap<Option<u128>, u32, RandomState> = HashMap::default();
    let (mut words, mut numbers) = (Vec::new(), Vec::with_capacity(texts.len()));
    for (row, view) in texts.views().iter().enumerate() {
        let text = texts.is_valid(row).then_some(*view);
        let number = *known.entry(text).or_insert_with(|| {
            words.push(row);
            words.len() as u32 - 1
        });
        if words.len() > words_max {
            return Ok(None);
        }
        numbers.push(number);
    }
    let made = make(&words)?;
    Ok(Some(take(&made, &UInt32Array::from(numbers), None)?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{AsArray, Int64Array};
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    fn lengths(texts: &BinaryViewArray, made: &mut usize) -> Option<Vec<Option<i64>>> {
        let of = of_words(texts, |rows| {
            *made = rows.len();
            let length = |row: &usize| texts.is_valid(*row).then(|| texts.value(*row).len() as i64);
            Ok(Arc::new(rows.iter().map(length).collect::<Int64Array>()))
        });
        let of = of.unwrap()?;
        Some(of.as_primitive::<Int64Type>().iter().collect())
    }

    #[test]
    fn each_word_is_seen_once_and_null_is_one() {
        let row = |row: usize| match row % 3 {
            0 => None,
            1 => Some(&b"a"[..]),
            _ => Some(&b"twelve bytes and more"[..]),
        };
        let texts: BinaryViewArray = (0..30).map(row).collect();
        // Long texts that were not written as one word have views of their own.
        let mut made = 0;
        assert_eq!(lengths(&texts, &mut made), None);
        let few = take(
            &texts.slice(0, 3),
            &UInt32Array::from_iter_values((0..30).map(|row| row % 3)),
            None,
        );
        let few = few.unwrap();
        let expected: Vec<Option<i64>> =
            (0..30).map(|at| row(at).map(|text| text.len() as i64)).collect();
        assert_eq!(lengths(few.as_binary_view(), &mut made), Some(expected));
        assert_eq!(made, 3);
    }
}
