//! The pages of one row group, as the decoder asks for them: read in pieces, looked at before they
//! are believed, and counted.
//!
//! A page's header says how many bytes it has once it is decompressed, and the decoder makes room
//! for as many at once.
//!
//! Invariants
//! 1. No page is larger than its column says that it is altogether, but for small ones, of which
//!    some writers say nothing; none has more values than its column, nor a dictionary more than
//!    bytes. None is of places in a dictionary that there is not.
//! 2. A column's dictionary and its pages are counted in the statement's memory, as they are in the
//!    file and as they are decoded: a page from before there is room for it until the rows were
//!    given that are read at a time, as they are views of it.
//!
//! Not here: which row groups and columns are read (`reading`), what pages hold (`page_reader`).

use std::io::{self, Read};
use std::iter::once;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::arrow::arrow_reader::RowGroups;
use ::parquet::basic::Type;
use ::parquet::column::page::{PageIterator, PageReader};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;
use expression::Limits;
use expression::limits::{LARGE_BYTES, Room};
use parking_lot::Mutex;

use super::opened::OpenedFile;
use super::page_header::{PageSizes, page_sizes};
use super::page_reader::CountedPages;
use super::thrift::Unknown;
use results::{Result, SqlError};

/// What is left of a column is read at once up to here; else each page by itself.
const WHOLE_BYTES_MAX: u64 = 128 << 10;
/// Bytes in which headers usually are, and the most that one may have.
pub(super) const HEADER_BYTES: usize = 4 << 10;
const HEADER_BYTES_MAX: usize = 16 << 20;
/// Larger pages are refused where their column says that all of it is smaller.
const PAGE_BYTES_UNDOUBTED: u64 = 16 << 20;
/// Memory for a text as a view, and the most for a number.
const VALUE_BYTES: u64 = 16;
/// Memory for the two levels of a value.
const LEVELS_BYTES: u64 = 4;

/// Why a page was not given to the decoder.
pub(super) enum Refusal {
    /// What the statement is told.
    Error(SqlError),
    /// A column that is read by places in its dictionary has a page of values.
    NoWords(usize),
}

/// The last refusal: the decoder passes on words alone.
pub(super) type Refusals = Arc<Mutex<Option<Refusal>>>;

/// A row group of a file.
pub(super) struct Pages {
    pub file: Arc<OpenedFile>,
    pub metadata: Arc<ParquetMetaData>,
    pub group: usize,
    pub limits: Arc<Limits>,
    pub refusals: Refusals,
    /// The columns, by their numbers in the file, of which nothing but places is decoded.
    pub by_words: Vec<usize>,
    /// How often rows were asked for.
    pub batches: Arc<AtomicU64>,
}

impl RowGroups for Pages {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.group).num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.group);
        let of = group.column(column);
        let reader = CountedPages::new(ColumnBytes::new(self, column, of), of, self.num_rows())?;
        Ok(Box::new(OneChunk(once(Ok(Box::new(reader))))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(once(self.metadata.row_group(self.group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// A column has one chunk in a row group.
struct OneChunk(std::iter::Once<ParquetResult<Box<dyn PageReader>>>);

impl Iterator for OneChunk {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl PageIterator for OneChunk {}

/// Memory for a value of a column once it is decoded, be it NULL or a place in a dictionary; in
/// bytes.
pub(super) fn value_bytes(column: &ColumnChunkMetaData) -> u64 {
    match column.column_descr().physical_type() {
        Type::FIXED_LEN_BYTE_ARRAY => column.column_descr().type_length().max(0) as u64,
        _ => VALUE_BYTES,
    }
}

/// The bytes of a column in a row group.
pub(super) struct ColumnBytes {
    file: Arc<OpenedFile>,
    limits: Arc<Limits>,
    refusals: Refusals,
    /// Its number, if its pages must be places in a dictionary.
    by_words: Option<usize>,
    /// Where it ends in the file.
    end: u64,
    uncompressed: u64,
    values: u64,
    /// Memory for each value of a page, where a row may have any number of them.
    repeated_bytes: u64,
    batches: Arc<AtomicU64>,
    state: Mutex<PagesState>,
}

/// What is in memory of a column.
#[derive(Default)]
struct PagesState {
    /// Bytes, and where they begin in the file.
    window: (u64, Bytes),
    /// Whether there was a dictionary.
    has_dictionary: bool,
    dictionary: Room,
    coming: Coming,
    pages: HeldPages,
}

/// A page whose header was looked at.
#[derive(Default)]
struct Coming {
    dictionary: bool,
    bytes: u64,
    room: Room,
}

/// The pages of which the rows that are read at a time may have values.
#[derive(Default)]
struct HeldPages {
    /// Which rows.
    batch: u64,
    bytes: u64,
    /// Of the last page alone.
    last_bytes: u64,
    room: Room,
}

impl HeldPages {
    /// Adds a page of which rows are read now.
    fn add(&mut self, bytes: u64, batch: u64, limits: &Limits) -> expression::Result<()> {
        if self.batch != batch {
            // Only of the last page more values may come.
            self.batch = batch;
            self.bytes = self.last_bytes;
            self.room = Room::default();
        }
        self.last_bytes = 0;
        self.add_to_last(bytes, limits)
    }

    /// Adds to the last page.
    fn add_to_last(&mut self, bytes: u64, limits: &Limits) -> expression::Result<()> {
        self.last_bytes = self.last_bytes.saturating_add(bytes);
        self.bytes = self.bytes.saturating_add(bytes);
        match usize::try_from(self.bytes).unwrap_or(usize::MAX) {
            few if few < LARGE_BYTES => Ok(()),
            bytes => self.room.grow_to(bytes, limits),
        }
    }
}

impl ColumnBytes {
    fn new(pages: &Pages, number: usize, column: &ColumnChunkMetaData) -> ColumnBytes {
        let (start, bytes) = column.byte_range();
        let at_least = |number: i64| u64::try_from(number).unwrap_or(0);
        ColumnBytes {
            file: Arc::clone(&pages.file),
            limits: Arc::clone(&pages.limits),
            refusals: Arc::clone(&pages.refusals),
            by_words: Some(number).filter(|number| pages.by_words.contains(number)),
            end: start.saturating_add(bytes),
            uncompressed: at_least(column.uncompressed_size()),
            values: at_least(column.num_values()),
            repeated_bytes: match column.column_descr().max_rep_level() > 0 {
                true => value_bytes(column) + LEVELS_BYTES,
                false => 0,
            },
            batches: Arc::clone(&pages.batches),
            state: Mutex::default(),
        }
    }

    /// At least so many bytes from a position on, or all that the column has.
    fn bytes_at(&self, at: u64, bytes_min: usize) -> Result<Bytes> {
        let left = self.end.saturating_sub(at);
        let wanted = bytes_min.min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut state = self.state.lock();
        let (start, window) = &state.window;
        let known = at.checked_sub(*start).map(|skipped| skipped as usize);
        if let Some(known) = known.filter(|known| known + wanted <= window.len()) {
            return Ok(window.slice(known..));
        }
        let ahead = if left <= WHOLE_BYTES_MAX { left as usize } else { 0 };
        let bytes = Bytes::from(self.file.read(at, wanted.max(ahead))?);
        state.window = (at, bytes.clone());
        Ok(bytes)
    }

    /// Looks at the header that begins at a position, and makes room for its page.
    fn admit(&self, at: u64) -> std::result::Result<(), Refusal> {
        let mut wanted = HEADER_BYTES;
        let sizes = loop {
            let bytes = self.bytes_at(at, wanted).map_err(Refusal::Error)?;
            match page_sizes(&bytes) {
                Ok(sizes) => break sizes,
                Err(Unknown::Incomplete) if bytes.len() >= wanted && wanted < HEADER_BYTES_MAX => {
                    wanted *= 8;
                }
                Err(_) => return Err(self.damaged("a page has no header")),
            }
        };
        let PageSizes { dictionary, uncompressed, values, .. } = sizes;
        if let Some(number) = self.by_words
            && !dictionary
            && !sizes.has_places()
        {
            return Err(Refusal::NoWords(number));
        }
        let bytes_max = self.uncompressed.max(PAGE_BYTES_UNDOUBTED);
        if uncompressed > bytes_max {
            return Err(self.damaged(format_args!(
                "a page of {uncompressed} bytes in a column of {}",
                self.uncompressed
            )));
        }
        let values_max = if dictionary { uncompressed } else { self.values };
        if values > values_max {
            return Err(self.damaged(format_args!(
                "a page of {values} values, where there may be {values_max}"
            )));
        }
        let each = if dictionary { VALUE_BYTES } else { self.repeated_bytes };
        let bytes = (uncompressed * 2).saturating_add(values.saturating_mul(each));
        let mut state = self.state.lock();
        state.has_dictionary |= dictionary;
        // The decoder would panic.
        if !dictionary && sizes.has_places() && !state.has_dictionary {
            return Err(self.damaged("a page of places in a dictionary that there is not"));
        }
        // A page before that was passed over.
        state.coming = Coming::default();
        let room = self.limits.take(usize::try_from(bytes).unwrap_or(usize::MAX));
        let room = room.map_err(|error| Refusal::Error(error.into()))?;
        state.coming = Coming { dictionary, bytes, room };
        Ok(())
    }

    /// Counts the page whose header was looked at last, and so much more, now that it is there.
    pub(super) fn count_page(&self, more: u64) -> std::result::Result<(), Refusal> {
        let mut state = self.state.lock();
        let Coming { dictionary, bytes, room } = std::mem::take(&mut state.coming);
        if dictionary {
            state.dictionary = room;
            return Ok(());
        }
        drop(room);
        let bytes = bytes.saturating_add(more);
        let batch = self.batches.load(Ordering::Relaxed);
        let counted = state.pages.add(bytes, batch, &self.limits);
        counted.map_err(|error| Refusal::Error(error.into()))
    }

    /// Counts so much more for the last page.
    pub(super) fn count_more(&self, more: u64) -> std::result::Result<(), Refusal> {
        let counted = self.state.lock().pages.add_to_last(more, &self.limits);
        counted.map_err(|error| Refusal::Error(error.into()))
    }

    pub(super) fn damaged(&self, why: impl std::fmt::Display) -> Refusal {
        Refusal::Error(self.file.damaged(why))
    }

    /// Remembers a refusal beyond the decoder.
    pub(super) fn refused(&self, refusal: Refusal) -> io::Error {
        *self.refusals.lock() = Some(refusal);
        io::Error::other("refused")
    }
}

/// A column's bytes as the decoder asks for them.
pub(super) struct PageSource(pub(super) Arc<ColumnBytes>);

/// What begins with the header of a page, if it is read at all.
pub(super) struct Header {
    of: Arc<ColumnBytes>,
    at: u64,
    begun: bool,
    /// Behind what was read.
    ahead: Bytes,
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.begun, true) {
            self.of.admit(self.at).map_err(|refusal| self.of.refused(refusal))?;
        }
        if self.ahead.is_empty() {
            let ahead = self.of.bytes_at(self.at, 1);
            self.ahead = ahead.map_err(|error| self.of.refused(Refusal::Error(error)))?;
            // A reader that passes over bytes would not mind their end, as often as the header
            // tells it to.
            if self.ahead.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let count = buffer.len().min(self.ahead.len());
        buffer[..count].copy_from_slice(&self.ahead.split_to(count));
        self.at += count as u64;
        Ok(count)
    }
}

impl Length for PageSource {
    fn len(&self) -> u64 {
        self.0.file.bytes()
    }
}

impl ChunkReader for PageSource {
    type T = Header;

    fn get_read(&self, start: u64) -> ParquetResult<Header> {
        Ok(Header { of: Arc::clone(&self.0), at: start, begun: false, ahead: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.0.bytes_at(start, length);
        let bytes = bytes.map_err(|error| self.0.refused(Refusal::Error(error)))?;
        match bytes.len() >= length {
            true => Ok(bytes.slice(..length)),
            false => Err(ParquetError::EOF(format!("{length} bytes at {start} are not there"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use resources::budget::Budget;

    use super::*;

    #[test]
    fn pages_are_held_until_the_rows_were_given_that_may_have_values_of_them() {
        let budget = Budget::new(4 << 20);
        let limits = Limits::new(1 << 20, &budget, &Arc::default());
        let mut pages = HeldPages::default();
        // Each alone is too little to be counted.
        for _ in 0..1000 {
            pages.add(1000, 1, &limits).unwrap();
        }
        assert_eq!(budget.used(), 1_000_000);
        pages.add(1_000_000, 1, &limits).unwrap();
        pages.add_to_last(500_000, &limits).unwrap();
        assert_eq!(budget.used(), 2_500_000);
        assert!(pages.add(1_000_000, 1, &limits).is_err());
        // The last page goes on among the next rows.
        pages.add(100_000, 2, &limits).unwrap();
        assert_eq!(budget.used(), 1_100_000);
        pages.add(100_000, 3, &limits).unwrap();
        assert_eq!(budget.used(), 200_000);
        drop(pages);
        assert_eq!(budget.used(), 0);
    }
}
