//! The pages of one row group, as the decoder asks for them: read in pieces, looked at before they are
//! believed, and counted.
//!
//! A page's header says how many bytes it has once it is decompressed, and the decoder makes room for as
//! many at once.
//!
//! Invariants
//! 1. No page is larger than its column says that it is altogether, but for small ones, of which
//!    some writers say nothing; none has more values than its column, nor a dictionary more than bytes.
//!    None is of places in a dictionary that there is not.
//! 2. A column's dictionary and its page at hand are counted in the statement's memory, as they are in
//!    the file and as they are decoded.
//!
//! Not here: which row groups and columns are read (`reading`).

use std::io::{self, Read};
use std::iter::once;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::RowGroups;
use ::parquet::column::page::{PageIterator, PageReader};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;
use expression::Limits;
use expression::limits::Room;
use parking_lot::Mutex;

use super::opened::OpenedFile;
use super::page_header::{PageSizes, page_sizes};
use super::thrift::Unknown;
use crate::error::{Result, SqlError};

/// What is left of a column is read at once up to here; else each page by itself.
const WHOLE_BYTES_MAX: u64 = 128 << 10;
/// Bytes in which headers usually are, and the most that one may have.
pub(super) const HEADER_BYTES: usize = 4 << 10;
const HEADER_BYTES_MAX: usize = 16 << 20;
/// Larger pages are refused where their column says that all of it is smaller.
const PAGE_BYTES_UNDOUBTED: u64 = 16 << 20;

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
}

impl RowGroups for Pages {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.group).num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.group);
        let of = group.column(column);
        let source = PageSource(Arc::new(ColumnBytes::new(self, column, of)));
        // Without an index of places: each page is found behind the one before, and looked at.
        let reader = SerializedPageReader::new(Arc::new(source), of, self.num_rows(), None)?;
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

/// The bytes of a column in a row group.
struct ColumnBytes {
    file: Arc<OpenedFile>,
    limits: Arc<Limits>,
    refusals: Refusals,
    /// Its number, if its pages must be places in a dictionary.
    by_words: Option<usize>,
    /// Where it ends in the file.
    end: u64,
    uncompressed: u64,
    values: u64,
    state: Mutex<State>,
}

/// What is in memory of a column.
#[derive(Default)]
struct State {
    /// Bytes, and where they begin in the file.
    window: (u64, Bytes),
    /// Whether there was a dictionary.
    has_dictionary: bool,
    dictionary: Room,
    page: Room,
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
        let bytes = uncompressed as usize * 2;
        let mut state = self.state.lock();
        state.has_dictionary |= dictionary;
        // The decoder would panic.
        if !dictionary && sizes.has_places() && !state.has_dictionary {
            return Err(self.damaged("a page of places in a dictionary that there is not"));
        }
        let room = if dictionary { &mut state.dictionary } else { &mut state.page };
        // The page before is not there any more.
        *room = Room::default();
        *room = self.limits.take(bytes).map_err(|error| Refusal::Error(error.into()))?;
        Ok(())
    }

    fn damaged(&self, why: impl std::fmt::Display) -> Refusal {
        Refusal::Error(self.file.damaged(why))
    }

    /// Remembers a refusal beyond the decoder.
    fn refused(&self, refusal: Refusal) -> io::Error {
        *self.refusals.lock() = Some(refusal);
        io::Error::other("refused")
    }
}

/// A column's bytes as the decoder asks for them.
struct PageSource(Arc<ColumnBytes>);

/// What begins with the header of a page, if it is read at all.
struct Header {
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
            // Who passes over bytes would not mind their end, as often as the header tells it to.
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
