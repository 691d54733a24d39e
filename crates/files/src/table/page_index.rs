//! What a file says of the pages of one column of a row group: where they begin, by row, and
//! between which values theirs lie.
//!
//! ```text
//! ColumnIndex   1 null pages list<bool>, 2 smallest values list<binary>, 3 largest values list<binary>
//! OffsetIndex   1 list of structs, whose 3 is the number of a page's first row i64
//! ```
//! (Parquet's format, `parquet.thrift` and `PageIndex.md`; Thrift's compact protocol.)
//!
//! Invariants
//! 1. What is not understood says nothing: all rows are read then.
//!
//! Not here: which values are wanted (`analytic::scan`), texts, which are ordered by bytes there.

use std::ops::Range;
use std::sync::Arc;

use ::parquet::file::metadata::ColumnChunkMetaData;
use arrow::array::{
    Array, ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, make_array,
};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use values::types::ColumnType;

use super::convert::converted;
use super::opened::OpenedFile;
use super::parquet::ParquetFile;
use super::thrift::{Cursor, ThriftResult, Unknown, wire};

/// Longer indexes are not read.
const INDEX_BYTES_MAX: usize = 16 << 20;

/// The pages of a column of a row group.
#[derive(Debug)]
pub struct ColumnPages {
    /// The first row of each, and how many there are in all.
    pub rows: Vec<usize>,
    /// The smallest value of each, or NULL if that is not known.
    pub low: ArrayRef,
    /// The largest.
    pub high: ArrayRef,
}

impl ColumnPages {
    /// The rows of one of them.
    pub fn rows_of(&self, page: usize) -> Range<usize> {
        self.rows[page]..self.rows[page + 1]
    }
}

impl ParquetFile {
    /// The pages of a column of numbers or times, if the file tells of them.
    pub(super) fn pages(
        &self,
        file: &OpenedFile,
        group: usize,
        position: usize,
        ty: &ColumnType,
    ) -> Option<ColumnPages> {
        let column = self.metadata().row_group(group).column(self.leaf_of(position)?);
        let (first_rows, values) = index_of(file, column)?;
        let rows = first_rows.into_iter().chain([self.rows_of(group) as usize]);
        let rows: Vec<usize> = rows.collect();
        let pages = rows.len() - 1;
        if values.len() != pages || rows.first() != Some(&0) || !rows.is_sorted() {
            return None;
        }
        let form = self.schema().field(position).data_type();
        let bounds = |which: fn(&(Vec<u8>, Vec<u8>)) -> &[u8]| {
            let each = values.iter().map(|page| page.as_ref().map(which));
            converted(ty, &array_of(form, each)?).ok()
        };
        Some(ColumnPages { rows, low: bounds(|page| &page.0)?, high: bounds(|page| &page.1)? })
    }
}

/// The smallest and the largest value of a page; `None` where all are NULL.
type PageBounds = Option<(Vec<u8>, Vec<u8>)>;

/// The first row of each page, and its bounds.
fn index_of(
    file: &OpenedFile,
    column: &ColumnChunkMetaData,
) -> Option<(Vec<usize>, Vec<PageBounds>)> {
    let bytes = |offset: Option<i64>, length: Option<i32>| {
        let (offset, length) = (u64::try_from(offset?).ok()?, usize::try_from(length?).ok()?);
        file.read(offset, Some(length).filter(|length| *length <= INDEX_BYTES_MAX)?).ok()
    };
    let offsets = bytes(column.offset_index_offset(), column.offset_index_length())?;
    let values = bytes(column.column_index_offset(), column.column_index_length())?;
    Some((first_rows(&offsets).ok()?, bounds(&values).ok()?))
}

fn first_rows(bytes: &[u8]) -> ThriftResult<Vec<usize>> {
    let (mut cursor, mut last, mut rows) = (Cursor(bytes), 0, Vec::new());
    while let Some((id, ty)) = cursor.field(&mut last)? {
        if (id, ty) != (1, wire::LIST) {
            cursor.skip(ty)?;
            continue;
        }
        let (ty, count) = cursor.list()?;
        for _ in 0..count {
            if ty != wire::STRUCT {
                return Err(Unknown::Wrong);
            }
            let (mut first, mut last) = (None, 0);
            while let Some((id, ty)) = cursor.field(&mut last)? {
                match (id, ty) {
                    (3, wire::I64) => first = usize::try_from(cursor.signed()?).ok(),
                    _ => cursor.skip(ty)?,
                }
            }
            rows.push(first.ok_or(Unknown::Wrong)?);
        }
    }
    Ok(rows)
}

fn bounds(bytes: &[u8]) -> ThriftResult<Vec<PageBounds>> {
    let (mut cursor, mut last) = (Cursor(bytes), 0);
    let (mut nulls, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((id, ty)) = cursor.field(&mut last)? {
        let into = match (id, ty) {
            (1, wire::LIST) => {
                let (_, count) = cursor.list()?;
                for _ in 0..count {
                    nulls.push(cursor.byte()? == wire::TRUE);
                }
                continue;
            }
            (2, wire::LIST) => &mut low,
            (3, wire::LIST) => &mut high,
            _ => {
                cursor.skip(ty)?;
                continue;
            }
        };
        let (ty, count) = cursor.list()?;
        for _ in 0..count {
            if ty != wire::BINARY {
                return Err(Unknown::Wrong);
            }
            into.push(cursor.binary()?.to_vec());
        }
    }
    if nulls.len() != low.len() || low.len() != high.len() {
        return Err(Unknown::Wrong);
    }
    let each = nulls.into_iter().zip(low.into_iter().zip(high));
    Ok(each.map(|(is_null, bounds)| Some(bounds).filter(|_| !is_null)).collect())
}

/// Values as the file has them, little-endian, in an array of the type under which it is read.
fn array_of<'v>(
    form: &DataType,
    values: impl Iterator<Item = Option<&'v [u8]>>,
) -> Option<ArrayRef> {
    fn fixed<const N: usize>(value: Option<&[u8]>) -> Option<Option<[u8; N]>> {
        value.map(|value| value.try_into().ok()).map_or(Some(None), |value| value.map(Some))
    }
    use DataType as D;
    let array: ArrayRef = match form {
        D::Int8
        | D::Int16
        | D::Int32
        | D::UInt8
        | D::UInt16
        | D::UInt32
        | D::Date32
        | D::Time32(_) => {
            let each = values.map(|value| Some(fixed(value)?.map(i32::from_le_bytes)));
            Arc::new(each.collect::<Option<Int32Array>>()?)
        }
        D::Int64 | D::UInt64 | D::Timestamp(..) | D::Time64(_) | D::Duration(_) => {
            let each = values.map(|value| Some(fixed(value)?.map(i64::from_le_bytes)));
            Arc::new(each.collect::<Option<Int64Array>>()?)
        }
        D::Float32 => {
            let each = values.map(|value| Some(fixed(value)?.map(f32::from_le_bytes)));
            Arc::new(each.collect::<Option<Float32Array>>()?)
        }
        D::Float64 => {
            let each = values.map(|value| Some(fixed(value)?.map(f64::from_le_bytes)));
            Arc::new(each.collect::<Option<Float64Array>>()?)
        }
        _ => return None,
    };
    match form {
        D::Int8 | D::Int16 | D::UInt8 | D::UInt16 => cast(&array, form).ok(),
        // Of the same width: other names for the same bits.
        _ => {
            let data = array.to_data().into_builder().data_type(form.clone());
            data.build().ok().map(make_array)
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::UInt32Type;

    use super::*;

    #[test]
    fn indexes_are_read_and_what_is_cut_off_is_none() {
        // Two pages, from rows 0 and 300 on.
        let offsets =
            [0x19, 0x2c, 0x16, 8, 0x15, 20, 0x16, 0, 0, 0x16, 28, 0x15, 20, 0x16, 0xd8, 4, 0, 0];
        assert_eq!(first_rows(&offsets).unwrap(), [0, 300]);
        // The second has no values.
        let values = [
            0x19, 0x22, 2, 1, 0x19, 0x28, 4, 1, 0, 0, 0, 0, 0x19, 0x28, 4, 9, 0, 0, 0, 0, 0x15, 0,
            0,
        ];
        let found = bounds(&values).unwrap();
        assert_eq!(found, [Some((vec![1, 0, 0, 0], vec![9, 0, 0, 0])), None]);
        for end in 0..offsets.len() {
            first_rows(&offsets[..end]).unwrap_err();
        }
        for end in 0..values.len() {
            bounds(&values[..end]).unwrap_err();
        }
    }

    #[test]
    fn a_value_of_another_width_makes_no_array() {
        let values = [Some(&[0xff, 0xff, 0xff, 0xff][..]), None];
        let array = array_of(&DataType::UInt32, values.into_iter()).unwrap();
        assert_eq!(array.as_primitive::<UInt32Type>().value(0), u32::MAX);
        assert!(array.is_null(1));
        assert!(array_of(&DataType::Int64, values.into_iter()).is_none());
        assert!(array_of(&DataType::Utf8View, values.into_iter()).is_none());
    }
}
