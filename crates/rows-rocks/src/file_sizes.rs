//! What all files of rows have, by the first bytes of keys and by the files' age.
//!
//! Not here: what a range takes (`sizes`), what is written in each file (`prefix_sizes`).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::Mutex;
use rows::store::{EntryLayer, KeyRange};

use crate::internals::prefix_sizes::{FileShares, Share};

/// What all files have, kept until a file comes or goes.
#[derive(Default)]
pub(crate) struct KnownSizes(pub Mutex<Option<Arc<FileSizes>>>);

/// A place in the order of age: levels from the last one on, then new files by their writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Age {
    Level(std::cmp::Reverse<u64>),
    New { sequence: u64 },
}

/// Of one set of files.
pub(crate) struct FileSizes {
    /// RocksDB's number of the set.
    pub version: u64,
    /// By the first bytes of keys and by age.
    shares: BTreeMap<Vec<u8>, BTreeMap<Age, Share>>,
    /// Files of which only the whole is known.
    whole: Vec<(Age, FileShares)>,
}

impl FileSizes {
    pub fn of(version: u64, files: Vec<FileShares>) -> FileSizes {
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
    pub fn within(&self, range: &KeyRange) -> BTreeMap<Age, Share> {
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
    pub fn is_cut_by(&self, range: &KeyRange) -> bool {
        !self.cut_by(range).is_empty()
    }

    /// Those shares and files.
    pub fn cut_by(&self, range: &KeyRange) -> Vec<(Age, Share)> {
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

pub(crate) fn layer(share: &Share) -> EntryLayer {
    let Share { puts, put_bytes, removals, .. } = *share;
    EntryLayer { entries: puts, bytes: put_bytes, removals }
}

pub(crate) fn add(to: &mut Share, share: Share) {
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
