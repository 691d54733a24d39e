//! The pages of a column as the decoder gets them: decompressed, and where their own bytes say how
//! much there is of something, looked over.
//!
//! Invariants
//! 1. The decoder sees no page of differences that says it has more values than its header has, nor
//!    one whose texts, written out, the statement has no memory for.
//! 2. What a page takes is counted for as long as the rows that are read at a time may have values
//!    of it.
//!
//! Not here: headers, which are looked at before there is room for their pages (`pages`).

use std::sync::Arc;

use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::serialized_reader::SerializedPageReader;

use super::differences::Differences;
use super::pages::{ColumnBytes, PageSource, Refusal};

/// Reads the pages of a column, each behind the one before.
pub(super) struct CountedPages {
    pages: SerializedPageReader<PageSource>,
    of: Arc<ColumnBytes>,
    /// The largest repetition level and definition level.
    levels: [i16; 2],
}

impl CountedPages {
    /// Of a column of a row group of so many rows.
    pub(super) fn new(
        of: ColumnBytes,
        column: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<CountedPages> {
        let of = Arc::new(of);
        let source = PageSource(Arc::clone(&of));
        // Without an index of places: each page is found behind the one before, and looked at.
        let pages = SerializedPageReader::new(Arc::new(source), column, rows, None)?;
        let descr = column.column_descr();
        let levels = [descr.max_rep_level(), descr.max_def_level()];
        Ok(CountedPages { pages, of, levels })
    }

    /// Counts a page, and what decoding takes beside it.
    fn take_room(&self, page: &Page) -> std::result::Result<(), Refusal> {
        let values = values_of(page, self.levels);
        let values = values.ok_or_else(|| self.of.damaged("a page is shorter than its levels"))?;
        let wrong = |_| self.of.damaged("a page of differences that are none, or of too many");
        let found = match page.is_data_page() {
            true => Differences::of(page.encoding(), values, page.num_values()).map_err(wrong)?,
            false => None,
        };
        let Some(differences) = found else { return self.of.count_page(0) };
        self.of.count_page(differences.lengths_bytes)?;
        self.of.count_more(differences.texts_bytes().map_err(wrong)?)
    }
}

impl PageReader for CountedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        match self.take_room(&page) {
            Ok(()) => Ok(Some(page)),
            Err(refusal) => Err(ParquetError::from(self.of.refused(refusal))),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for CountedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// The values of a page, which stand behind their levels; `None` when those are longer than it.
fn values_of(page: &Page, levels_max: [i16; 2]) -> Option<&[u8]> {
    match page {
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let encodings = [*rep_level_encoding, *def_level_encoding];
            let mut rest = &buf[..];
            for (encoding, level_max) in encodings.into_iter().zip(levels_max) {
                rest = rest.get(levels_bytes(encoding, level_max, *num_values, rest)?..)?;
            }
            Some(rest)
        }
        Page::DataPageV2 { buf, rep_levels_byte_len, def_levels_byte_len, .. } => {
            let levels = rep_levels_byte_len.checked_add(*def_levels_byte_len)?;
            buf.get(levels as usize..)
        }
        Page::DictionaryPage { buf, .. } => Some(buf),
    }
}

/// How many bytes the levels have with which a page of version 1 begins; `None` when they are not
/// known.
fn levels_bytes(encoding: Encoding, level_max: i16, values: u32, page: &[u8]) -> Option<usize> {
    if level_max <= 0 {
        return Some(0);
    }
    match encoding {
        Encoding::RLE => {
            let length = i32::from_le_bytes(*page.first_chunk()?);
            usize::try_from(length).ok()?.checked_add(size_of::<i32>())
        }
        #[expect(deprecated, reason = "files that have it are still read")]
        Encoding::BIT_PACKED => {
            let bits = u64::from(level_max.unsigned_abs().ilog2() + 1);
            usize::try_from((u64::from(values) * bits).div_ceil(8)).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn page(bytes: &'static [u8], levels: Encoding) -> Page {
        Page::DataPage {
            buf: Bytes::from_static(bytes),
            num_values: 9,
            encoding: Encoding::DELTA_BYTE_ARRAY,
            def_level_encoding: levels,
            rep_level_encoding: levels,
            statistics: None,
        }
    }

    #[test]
    fn values_begin_behind_the_levels_that_there_are() {
        let none = page(b"values", Encoding::RLE);
        assert_eq!(values_of(&none, [0, 0]), Some(&b"values"[..]));
        let both = page(b"\x01\0\0\0r\x02\0\0\0ddvalues", Encoding::RLE);
        assert_eq!(values_of(&both, [1, 2]), Some(&b"values"[..]));
        assert_eq!(values_of(&both, [0, 1]), Some(&b"\x02\0\0\0ddvalues"[..]));
        // Nine levels up to 3 have 18 bits, up to 4 they have 27.
        #[expect(deprecated, reason = "files that have it are still read")]
        let packed = page(b"1234567values", Encoding::BIT_PACKED);
        assert_eq!(values_of(&packed, [3, 4]), Some(&b"values"[..]));
        let short = page(b"\x7f\0\0\0r", Encoding::RLE);
        assert_eq!(values_of(&short, [1, 0]), None);
        let negative = page(b"\xff\xff\xff\xffr", Encoding::RLE);
        assert_eq!(values_of(&negative, [0, 1]), None);
        assert_eq!(values_of(&page(b"values", Encoding::PLAIN), [0, 1]), None);
        let second = |rep_levels_byte_len, def_levels_byte_len| Page::DataPageV2 {
            buf: Bytes::from_static(b"12345values"),
            num_values: 9,
            encoding: Encoding::DELTA_BYTE_ARRAY,
            num_nulls: 0,
            num_rows: 9,
            def_levels_byte_len,
            rep_levels_byte_len,
            is_compressed: false,
            statistics: None,
        };
        assert_eq!(values_of(&second(2, 3), [1, 1]), Some(&b"values"[..]));
        assert_eq!(values_of(&second(2, 30), [1, 1]), None);
        assert_eq!(values_of(&second(u32::MAX, 1), [1, 1]), None);
    }
}
