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
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::Mutex;
use rocksdb::{ReadOptions, ReadTier};
use rows::error::Result;
use rows::sizes::{EntryLayer, RangeSizes};
use rows::store::KeyRange;

use crate::failure::of_read;
use crate::prefix_sizes::{FileShares, Share, shares_of_files};
use crate::store::OpenDatabase;

/// How often it is asked again because files came or went meanwhile.
const TRIES: usize = 4;

/// What all files have, kept until a file comes or goes.
#[derive(Default)]
pub(crate) struct KnownSizes(Mutex<Option<Arc<FileSizes>>>);

/// A place in the order of age: levels from the last one on, then new files by their writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    Level(std::cmp::Reverse<u64>),
    New { sequence: u64 },
}

/// Of one set of files.
struct FileSizes {
    /// RocksDB's number of the set.
    version: u64,
    /// By the first bytes of keys and by age.
    shares: BTreeMap<Vec<u8>, BTreeMap<Age, Share>>,
    /// Files of which only the whole is known.
    whole: Vec<(Age, FileShares)>,
}

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

impl FileSizes {
    fn of(version: u64, files: Vec<FileShares>) -> FileSizes {
        let mut sizes = FileSizes { version, shares: BTreeMap::new(), whole: Vec::new() };
        for mut file in files {
            let age = match file.level {
                0 => Age::New { sequence: file.sequence },
                level => Age::Level(std::cmp::Reverse(level)),
            };
            match file.shares.take() {
                None => sizes.whole.push((age, file)),
                Some(shares) => {
                    for (prefix, share) in shares {
                        add(sizes.shares.entry(prefix).or_default().entry(age).or_default(), share);
                    }
                }
            }
        }
        sizes
    }

    /// What lies wholly within a range.
    fn within(&self, range: &KeyRange) -> BTreeMap<Age, Share> {
        let mut by_age: BTreeMap<Age, Share> = BTreeMap::new();
        for (_, shares) in self.from(&range.start).take_while(|(prefix, _)| ends_in(prefix, range))
        {
            shares.iter().for_each(|(age, share)| add(by_age.entry(*age).or_default(), *share));
        }
        for (age, file) in &self.whole {
            if file.first_key >= range.start && is_before_end(&file.last_key, range) {
                add(by_age.entry(*age).or_default(), file.whole);
            }
        }
        by_age
    }

    /// Whether there are shares or files of which a part lies within a range.
    fn is_cut_by(&self, range: &KeyRange) -> bool {
        !self.cut_by(range).is_empty()
    }

    /// Those shares and files.
    fn cut_by(&self, range: &KeyRange) -> Vec<(Age, Share)> {
        let mut cut = Vec::new();
        // A share that a range begins in, and one that it ends in.
        let before = (Bound::Unbounded, Bound::Excluded(&range.start[..]));
        let begun = self.shares.range::<[u8], _>(before).next_back();
        let begun = begun.filter(|(prefix, _)| range.start.starts_with(prefix));
        let ended = self.from(&range.start).find(|(prefix, _)| !ends_in(prefix, range));
        let ended = ended.filter(|(prefix, _)| is_before_end(prefix, range));
        for (_, shares) in begun.into_iter().chain(ended) {
            cut.extend(shares.iter().map(|(age, share)| (*age, *share)));
        }
        for (age, file) in &self.whole {
            let overlaps = file.last_key >= range.start && is_before_end(&file.first_key, range);
            if overlaps && (file.first_key < range.start || !is_before_end(&file.last_key, range)) {
                cut.push((*age, file.whole));
            }
        }
        cut
    }

    fn from(&self, start: &[u8]) -> impl Iterator<Item = (&Vec<u8>, &BTreeMap<Age, Share>)> {
        self.shares.range::<[u8], _>((Bound::Included(start), Bound::Unbounded))
    }
}

fn layer(share: &Share) -> EntryLayer {
    let Share { puts, put_bytes, removals, .. } = *share;
    EntryLayer { entries: puts, bytes: put_bytes, removals }
}

fn add(to: &mut Share, share: Share) {
    to.puts += share.puts;
    to.put_bytes += share.put_bytes;
    to.removals += share.removals;
    to.file_bytes += share.file_bytes;
}

fn is_before_end(key: &[u8], range: &KeyRange) -> bool {
    range.end.is_empty() || key < &range.end[..]
}

/// Whether all keys that begin so lie before a range's end.
fn ends_in(prefix: &[u8], range: &KeyRange) -> bool {
    is_before_end(prefix, range) && !range.end.starts_with(prefix)
}

#[cfg(test)]
mod tests;
