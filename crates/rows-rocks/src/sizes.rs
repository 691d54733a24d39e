//! What ranges of keys take: bytes on disk, and before compression, by what is noted of each file
//! (`prefix_sizes`) and by walking write buffers.
//!
//! No file is read but the ends of those that are not open, once for each set of files; and no
//! block of data. Of write buffers the range itself is walked.
//!
//! Invariants
//! 1. What is told is of one set of files and the buffers above it, unless files come and go faster
//!    than it can be asked.
//!
//! Files of earlier versions, where it is not noted whose bytes are in them, count by RocksDB's
//! estimate, as do ranges that end within the rows of a table. Not here: what the planner asks,
//! which is quicker and rougher (`status`).

use std::collections::BTreeMap;
use std::sync::Arc;

use rocksdb::{ReadOptions, ReadTier};
use rows::error::Result;
use rows::store::{EntryLayer, KeyRange, RangeSizes};

use crate::file_sizes::{Age, FileSizes, add, layer};
use crate::internals::failure::of_read;
use crate::internals::prefix_sizes::{Share, shares_of_files};
use crate::open_database::OpenDatabase;

/// How often it is asked again because files came or went meanwhile.
const TRIES: usize = 4;

impl OpenDatabase {
    pub(crate) fn sizes(&self, range: &KeyRange) -> Result<RangeSizes> {
        for _ in 1..TRIES {
            let files = self.file_sizes()?;
            let sizes = self.sizes_within(&files, range)?;
            if self.files_version() == files.version {
                return Ok(sizes);
            }
        }
        self.sizes_within(&*self.file_sizes()?, range)
    }

    fn files_version(&self) -> u64 {
        self.property("rocksdb.current-super-version-number").unwrap_or(0)
    }

    /// What all files have, asked again where they are others than before.
    fn file_sizes(&self) -> Result<Arc<FileSizes>> {
        // Callers that come meanwhile wait, instead of asking as well.
        let mut known = self.sizes.0.lock();
        if let Some(known) = known.as_ref().filter(|known| known.version == self.files_version()) {
            return Ok(Arc::clone(known));
        }
        let version = self.files_version();
        let sizes = Arc::new(FileSizes::of(version, shares_of_files(&self.database)?));
        *known = Some(Arc::clone(&sizes));
        Ok(sizes)
    }

    fn sizes_within(&self, files: &FileSizes, range: &KeyRange) -> Result<RangeSizes> {
        if range.is_empty() {
            return Ok(RangeSizes::default());
        }
        let mut by_age = files.within(range);
        if files.is_cut_by(range) {
            self.add_estimate(files, range, &mut by_age);
        }
        let is_new = |(age, _): &(&Age, &Share)| matches!(age, Age::New { .. });
        let new = by_age.iter().filter(is_new).map(|(_, share)| share.puts + share.removals);
        let mut sizes = RangeSizes {
            new_entries: new.sum(),
            disk_bytes: by_age.values().map(|share| share.file_bytes).sum(),
            layers: by_age.values().map(layer).collect(),
        };
        let buffered = self.buffered(range)?;
        sizes.disk_bytes += buffered.bytes;
        sizes.new_entries += buffered.entries;
        sizes.layers.push(buffered);
        Ok(sizes)
    }

    /// Adds what is not known of a range by RocksDB's estimate of the whole of it, in the
    /// proportions of the files that it is in.
    fn add_estimate(&self, files: &FileSizes, range: &KeyRange, by_age: &mut BTreeMap<Age, Share>) {
        let known: u64 = by_age.values().map(|share| share.file_bytes).sum();
        let unknown = self.file_bytes(range).saturating_sub(known);
        let cut: Vec<(Age, Share)> = files.cut_by(range);
        let all: u64 = cut.iter().map(|(_, share)| share.file_bytes).sum();
        let part = |of: u64| {
            let part = u128::from(of) * u128::from(unknown);
            part.checked_div(u128::from(all)).unwrap_or(0) as u64
        };
        for (age, Share { puts, put_bytes, removals, file_bytes }) in cut {
            let (puts, put_bytes, removals) = (part(puts), part(put_bytes), part(removals));
            let share = Share { puts, put_bytes, removals, file_bytes: part(file_bytes) };
            add(by_age.entry(age).or_default(), share);
        }
    }

    /// What write buffers have of a range: entries that nobody has written again or removed since.
    fn buffered(&self, range: &KeyRange) -> Result<EntryLayer> {
        let mut options = ReadOptions::default();
        options.set_read_tier(ReadTier::Memtable);
        options.set_iterate_lower_bound(range.start.clone());
        if !range.end.is_empty() {
            options.set_iterate_upper_bound(range.end.clone());
        }
        let mut entries = self.database.raw_iterator_opt(options);
        let mut buffered = EntryLayer::default();
        entries.seek_to_first();
        while let Some((key, value)) = entries.item() {
            buffered.entries += 1;
            buffered.bytes += (key.len() + value.len()) as u64;
            entries.next();
        }
        entries.status().map_err(|error| of_read("walking write buffers", error))?;
        Ok(buffered)
    }
}

#[cfg(test)]
mod tests;
