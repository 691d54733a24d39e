//! Rows on their way into a segment.
//!
//! Not here: who writes the segment (`ingest`, `mover`).

use std::ops::Range;
use std::sync::Arc;

use rows::error::Result;
use rows::ingestion::RowBlock;
use rows::table::{PREFIX_BYTES, Table};
use values::Datum;
use values::row::{RowError, RowRef};
use values::types::{ColumnType, IntWidth};

use crate::column::{EncodedColumn, Encoder, Follows, Gather, sources_of};
use crate::keys::{Home, ROW_ID_SLOT, SegmentId, VERSION_SLOT, column};
use crate::segment::Segment;

/// Rows of a full segment.
pub(crate) const ROWS_MAX: u32 = 1 << 16;

/// Rows of a block that are taken apart together: so many that what follows of each column is
/// in the processor's cache.
const ROWS_AT_ONCE: usize = 256;

/// A segment in the making.
pub(crate) struct SegmentBuilder {
    table: Arc<Table>,
    /// By slot; the column of the table, or a number of its own.
    columns: Vec<(u16, ValueSource, Gather)>,
    encoder: Encoder,
    rows: u32,
    bytes: usize,
    bytes_max: usize,
    /// Whether it has all columns of its rows.
    is_whole: bool,
}

/// What a value that is no text counts, of rows that are not kept whole.
const VALUE_BYTES: usize = 8;

enum ValueSource {
    Column(usize),
    RowId,
    Version,
}

/// A segment's columns, ready to be stored.
pub(crate) struct BuiltSegment {
    pub segment: Segment,
    pub columns: Vec<(u16, EncodedColumn)>,
}

impl BuiltSegment {
    /// Keys and values of the columns.
    pub fn into_entries(self, home: impl Into<Home>, id: SegmentId) -> Vec<(Vec<u8>, Vec<u8>)> {
        let home = home.into();
        let entry = |(slot, encoded): (u16, EncodedColumn)| (column(home, id, slot), encoded.bytes);
        self.columns.into_iter().map(entry).collect()
    }
}

/// The type under which numbers of our own are kept.
pub(crate) const OWN_NUMBER: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: true, boolean: false };

impl SegmentBuilder {
    /// A segment that is full at `ROWS_MAX` rows, or when its rows have so many bytes.
    ///
    /// # Errors
    /// `Store` when the compression cannot begin.
    pub fn new(table: &Arc<Table>, bytes_max: usize) -> Result<SegmentBuilder> {
        let mut builder = SegmentBuilder::of(table, 0..table.columns.len(), bytes_max)?;
        builder.is_whole = true;
        builder.columns.push((VERSION_SLOT, ValueSource::Version, Gather::new(&OWN_NUMBER)));
        Ok(builder)
    }

    /// The same of a columnar index: its columns alone, and no versions.
    ///
    /// # Errors
    /// As `new`.
    pub fn of_index(table: &Arc<Table>, bytes_max: usize) -> Result<SegmentBuilder> {
        let kept = table.columns_kept().unwrap_or_default();
        SegmentBuilder::of(table, kept.iter().copied(), bytes_max)
    }

    fn of(
        table: &Arc<Table>,
        positions: impl Iterator<Item = usize>,
        bytes_max: usize,
    ) -> Result<SegmentBuilder> {
        let column = |at: usize| {
            let column = &table.columns[at];
            (column.slot, ValueSource::Column(at), Gather::new(&column.ty))
        };
        let mut columns: Vec<(u16, ValueSource, Gather)> = positions.map(column).collect();
        if table.has_hidden_key() {
            columns.push((ROW_ID_SLOT, ValueSource::RowId, Gather::new(&OWN_NUMBER)));
        }
        // What is behind all of these comes last: the slot of versions is the largest.
        columns.sort_by_key(|(slot, _, _)| *slot);
        let (table, encoder) = (Arc::clone(table), Encoder::new()?);
        Ok(SegmentBuilder {
            table,
            columns,
            encoder,
            rows: 0,
            bytes: 0,
            bytes_max,
            is_whole: false,
        })
    }

    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn is_full(&self) -> bool {
        self.rows >= ROWS_MAX || self.bytes >= self.bytes_max
    }

    /// Adds a row, which is of the table's layout or, for a columnar index, of the columns alone
    /// that it has; gives its position.
    ///
    /// # Errors
    /// `Corrupt`, of the row.
    pub fn add(&mut self, key: &[u8], row: &RowRef<'_>, version: u64) -> Result<u32> {
        let position = self.add_values(key, version, |at| Ok(row.column(at)?))?;
        if self.is_whole {
            self.bytes += key.len() + row.bytes().len();
        }
        Ok(position)
    }

    /// Adds a row by the values of its columns, which are given by their positions in the table;
    /// gives its position.
    ///
    /// # Errors
    /// Those of a value.
    pub fn add_values<'v>(
        &mut self,
        key: &[u8],
        version: u64,
        mut value: impl FnMut(usize) -> Result<Datum<'v>>,
    ) -> Result<u32> {
        let row_id = key[PREFIX_BYTES..].first_chunk().map_or(0, |id| u64::from_be_bytes(*id));
        let mut kept = self.columns.len() * VALUE_BYTES;
        for (_, source, gather) in &mut self.columns {
            let datum = match source {
                ValueSource::Column(at) => value(*at)?,
                ValueSource::RowId => Datum::UInt(row_id),
                ValueSource::Version => Datum::UInt(version),
            };
            if let Datum::Bytes(text) = datum {
                kept += text.len();
            }
            gather.append(datum)?;
        }
        self.rows += 1;
        if !self.is_whole {
            self.bytes += kept;
        }
        Ok(self.rows - 1)
    }

    /// Adds rows of a block, which the segment has room for, all with one version.
    ///
    /// # Errors
    /// `Corrupt`, of a row.
    pub fn add_rows(&mut self, block: &RowBlock, rows: Range<usize>, version: u64) -> Result<()> {
        let layout = &self.table.layout;
        let mut first = rows.start;
        while first < rows.end {
            let some = first..rows.end.min(first + ROWS_AT_ONCE);
            let refs = some.clone().map(|at| RowRef::new(layout, block.row(at)));
            let refs: std::result::Result<Vec<_>, RowError> = refs.collect();
            let refs = refs?;
            for (_, source, gather) in &mut self.columns {
                match source {
                    ValueSource::Column(at) => {
                        gather.append_column(&refs, *at)?;
                    }
                    ValueSource::RowId => some
                        .clone()
                        .try_for_each(|at| gather.append(Datum::UInt(block.row_id(at))))?,
                    ValueSource::Version => {
                        refs.iter().try_for_each(|_| gather.append(Datum::UInt(version)))?
                    }
                }
            }
            first = some.end;
        }
        self.rows += rows.len() as u32;
        self.bytes += block.row_bytes(rows);
        Ok(())
    }

    /// The segment; the next one begins.
    ///
    /// # Errors
    /// `Store` when a compression fails.
    pub fn finish(&mut self) -> Result<BuiltSegment> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let encoder = &mut self.encoder;
        let gathered: Vec<&Gather> = self.columns.iter().map(|(_, _, gather)| gather).collect();
        let sources = sources_of(&gathered, encoder);
        let slots: Vec<u16> = self.columns.iter().map(|(slot, _, _)| *slot).collect();
        let finish = |((slot, _, gather), source): (&mut (u16, ValueSource, Gather), _)| {
            let source: Option<Follows> = source;
            let encoded = match source {
                None => gather.finish(encoder),
                Some(from) => gather.finish_following(slots[from.column], &from.rows, encoder),
            };
            encoded.map(|encoded| (*slot, encoded))
        };
        let columns = self.columns.iter_mut().zip(sources).map(finish);
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok(BuiltSegment { segment: Segment::new(rows, &columns), columns })
    }
}
