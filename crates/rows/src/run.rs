//! A run: writes that did not fit into memory, sorted, in a temporary file.
//!
//! ```text
//! file    block, block, ..        each of whole entries, 4 to 64 KiB long; of a sort's run in
//!                                 LZ4's block form where that is shorter by a quarter
//! entry   kind u8, key length u32, value length u32, key, value
//! kind    0 not written after all, 1 a removal, 2 a value
//! behind  pages of the filter, of a run that was merged of others
//! ```
//! Of each block its place, checksum and last key are in memory, and, where single keys are looked
//! up, there is a filter over all keys that says which look-ups need not be made: in memory while a
//! run is small, else in the file, of which a look-up reads one page. So the memory of runs hardly
//! grows with what is written.
//!
//! Invariants
//! 1. Keys ascend strictly within a run.
//! 2. What is read is what was written: checksums of blocks and of pages of filters are compared.
//!
//! Not here: several runs together (`local::own`, `bulk::merge`).

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::quality::FixedState;
use resources::spill::{SpillDirectory, SpillFile};

use crate::error::{Error, Result};
use crate::store::{Direction, KeyRange};

const BLOCK_BYTES: usize = 16 << 10;
const HEAD_BYTES: usize = 9;
/// The part of a block that has to be saved; where it is not, so many blocks are not tried. An
/// eighth, which heads and beginnings of keys save in most sorts of texts, takes more time than
/// writing and reading it.
const WORTH_PART: usize = 4;
const UNTRIED: usize = 15;
/// Of a run that is read from end to end the system is asked for at least so many bytes before they
/// are read, twice as many at a time: merges go through many runs at once, of which it would see
/// none as read in order.
const AHEAD_BYTES: u64 = 64 << 10;
/// Bits of the filter for a key, and how many of them a key sets: three of a thousand look-ups of
/// absent keys are made in vain. Each of these reads a block; with 8 bits and two of a hundred they
/// were a fifth of the time of a large DELETE.
const FILTER_BITS: usize = 12;
const FILTER_PROBES: u64 = 6;
/// Words of a filter's page; the last one is the checksum of the others.
const PAGE_WORDS: usize = 64;
const PAGE_BITS: u64 = (PAGE_WORDS as u64 - 1) * 64;
const PAGE_BYTES: usize = PAGE_WORDS * 8;
/// Most pages of a filter, which is in memory while its run is written: 32 MiB, of 22M keys. A run
/// of more keys has fewer bits for each.
const PAGES_MAX: usize = 1 << 16;
/// So many are written at once.
const PAGES_WRITTEN: usize = 128;

const UNWRITTEN: u8 = 0;
const REMOVED: u8 = 1;
const PUT: u8 = 2;

/// What a transaction has written under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// Nothing after all: what lies beneath counts. Left by a rollback over spilled writes.
    Unwritten,
    /// A removal.
    Removed,
    /// A value.
    Put(Bytes),
}

impl Write {
    pub fn of(kind: u8, value: &[u8]) -> Write {
        match kind {
            UNWRITTEN => Write::Unwritten,
            REMOVED => Write::Removed,
            _ => Write::Put(Bytes::copy_from_slice(value)),
        }
    }

    pub fn kind(&self) -> u8 {
        self.seen().kind()
    }

    /// The value; empty when there is none.
    pub fn value(&self) -> &[u8] {
        self.seen().value().unwrap_or_default()
    }

    pub fn seen(&self) -> SeenWrite<'_> {
        match self {
            Write::Unwritten => SeenWrite::Unwritten,
            Write::Removed => SeenWrite::Removed,
            Write::Put(value) => SeenWrite::Put(value),
        }
    }
}

/// A write as it is looked at, wherever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeenWrite<'a> {
    Unwritten,
    Removed,
    Put(&'a [u8]),
}

impl<'a> SeenWrite<'a> {
    fn of(kind: u8, value: &'a [u8]) -> SeenWrite<'a> {
        match kind {
            UNWRITTEN => SeenWrite::Unwritten,
            REMOVED => SeenWrite::Removed,
            _ => SeenWrite::Put(value),
        }
    }

    fn kind(self) -> u8 {
        match self {
            SeenWrite::Unwritten => UNWRITTEN,
            SeenWrite::Removed => REMOVED,
            SeenWrite::Put(_) => PUT,
        }
    }

    /// The value, if there is one.
    pub fn value(self) -> Option<&'a [u8]> {
        match self {
            SeenWrite::Put(value) => Some(value),
            SeenWrite::Unwritten | SeenWrite::Removed => None,
        }
    }
}

/// What the filters of all runs go by.
#[derive(Clone, Copy)]
pub(crate) struct KeyHash(u64);

impl KeyHash {
    pub fn of(key: &[u8]) -> KeyHash {
        KeyHash(hasher().hash_one(key))
    }
}

/// Sorted writes in a file.
pub(crate) struct Run {
    file: SpillFile,
    blocks: Vec<Block>,
    /// None where single keys are not looked up.
    filter: Option<FilterPlace>,
    /// Entries.
    pub count: usize,
    /// How often it was merged of others.
    pub level: u8,
    /// Bytes of memory.
    pub bytes: usize,
}

/// Where a run has its filter.
enum FilterPlace {
    Memory(Filter),
    /// From here on in its file, so many pages.
    File(u64, usize),
}

struct Block {
    at: u64,
    /// In the file.
    length: u32,
    /// Of its entries; the same if they are not compressed.
    bytes: u32,
    checksum: u64,
    last: Box<[u8]>,
}

impl Block {
    fn end(&self) -> u64 {
        self.at + u64::from(self.length)
    }
}

impl Run {
    /// What is written under a key, with its value in `value`; `None` when the run has nothing.
    ///
    /// # Errors
    /// Those of reading the file, and `Corrupt` when a block of it does not decode.
    pub fn get(&self, hash: KeyHash, key: &[u8], value: &mut Vec<u8>) -> Result<Option<u8>> {
        if !self.may_hold(hash)? {
            return Ok(None);
        }
        let block = self.blocks.partition_point(|block| *block.last < *key);
        if block == self.blocks.len() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.read(block, &mut Vec::new(), &mut bytes)?;
        let mut at = 0;
        while at < bytes.len() {
            let entry = BlockEntry::at(&bytes, at);
            let found = &bytes[entry.key.clone()];
            if found >= key {
                if found != key {
                    break;
                }
                value.clear();
                value.extend_from_slice(&bytes[entry.value]);
                return Ok(Some(entry.kind));
            }
            at = entry.value.end;
        }
        Ok(None)
    }

    /// Whether a look-up of a key has to be made.
    fn may_hold(&self, hash: KeyHash) -> Result<bool> {
        match &self.filter {
            None => Ok(true),
            Some(FilterPlace::Memory(filter)) => {
                Ok(may_hold(filter.page(hash.page(filter.pages())), hash))
            }
            Some(FilterPlace::File(at, pages)) => {
                let mut bytes = [0; PAGE_BYTES];
                self.file.read_at(&mut bytes, at + (hash.page(*pages) * PAGE_BYTES) as u64)?;
                let mut words = [0; PAGE_WORDS];
                for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
                if words[PAGE_WORDS - 1] != checksum_of(&words) {
                    return Err(damaged());
                }
                Ok(may_hold(&words, hash))
            }
        }
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        let blocks = self.blocks.last().map_or(0, Block::end);
        match self.filter {
            Some(FilterPlace::File(at, pages)) => at + (pages * PAGE_BYTES) as u64,
            _ => blocks,
        }
    }

    /// Its entries in a range.
    pub fn cursor(&self, range: &KeyRange, direction: Direction) -> RunCursor<'_> {
        let next = match direction {
            Direction::Forward => self.blocks.partition_point(|b| *b.last < *range.start),
            // Behind the last block that can hold a key before the end.
            Direction::Backward if range.end.is_empty() => self.blocks.len(),
            Direction::Backward => {
                let before = self.blocks.partition_point(|b| *b.last < *range.end);
                (before + 1).min(self.blocks.len())
            }
        };
        // Of the others single blocks are wanted.
        let ahead = self.filter.is_none() && direction == Direction::Forward;
        RunCursor {
            run: self,
            range: range.clone(),
            direction,
            next,
            asked: 0,
            end: if ahead { self.end_of(range) } else { 0 },
            block: Vec::new(),
            stored: Vec::new(),
            places: Vec::new(),
            entry: BlockEntry { kind: UNWRITTEN, key: 0..0, value: 0..0 },
            begun: false,
        }
    }

    /// Where in the file the last block ends that a range needs.
    fn end_of(&self, range: &KeyRange) -> u64 {
        let last = match range.end.is_empty() {
            true => self.blocks.len(),
            false => self.blocks.partition_point(|block| *block.last < *range.end) + 1,
        };
        self.blocks[..last.min(self.blocks.len())].last().map_or(0, Block::end)
    }

    /// The last key of each block: keys at about equal distances.
    pub fn block_keys(&self) -> impl Iterator<Item = &[u8]> {
        self.blocks.iter().map(|block| &block.last[..])
    }

    /// Puts the entries of a block into `entries`; `stored` is for its bytes in the file.
    fn read(&self, block: usize, stored: &mut Vec<u8>, entries: &mut Vec<u8>) -> Result<()> {
        let Block { at, length, bytes, checksum, .. } = self.blocks[block];
        stored.resize(length as usize, 0);
        self.file.read_at(stored, at)?;
        if hasher().hash_one(&stored[..]) != checksum {
            return Err(damaged());
        }
        if length == bytes {
            std::mem::swap(stored, entries);
            return Ok(());
        }
        entries.resize(bytes as usize, 0);
        match lz4_flex::block::decompress_into(stored, entries) {
            Ok(length) if length == bytes as usize => Ok(()),
            _ => Err(damaged()),
        }
    }
}

fn damaged() -> Error {
    let why = "a temporary file is not what was written";
    Error::Corrupt { key: Vec::new(), why }
}

/// Where the parts of an entry are in its block.
#[derive(Clone)]
struct BlockEntry {
    kind: u8,
    key: Range<usize>,
    value: Range<usize>,
}

impl BlockEntry {
    fn at(block: &[u8], at: usize) -> BlockEntry {
        let number = |at: usize| {
            u32::from_le_bytes(block[at..at + 4].try_into().expect("four bytes")) as usize
        };
        let key = at + HEAD_BYTES..at + HEAD_BYTES + number(at + 1);
        let value = key.end..key.end + number(at + 5);
        BlockEntry { kind: block[at], key, value }
    }
}

/// Writes a run.
pub(crate) struct RunWriter {
    file: SpillFile,
    blocks: Vec<Block>,
    filter: Option<Filter>,
    block: Vec<u8>,
    block_bytes: usize,
    compressed: Vec<u8>,
    /// Blocks to come that are written as they are, since the one before them got hardly smaller.
    uncompressed: usize,
    /// Where the last key is in the block.
    last: Range<usize>,
    at: u64,
    count: usize,
    level: u8,
}

impl RunWriter {
    /// Begins one of at most so many entries, whose keys can be looked up.
    ///
    /// # Errors
    /// Those of making the file.
    pub fn new(directory: &Arc<SpillDirectory>, entries: usize, level: u8) -> Result<RunWriter> {
        let filter = Some(Filter::new(entries));
        RunWriter::with_blocks(directory, "writes", filter, BLOCK_BYTES, level)
    }

    /// Begins one that is only read from end to end, in blocks of about so many bytes.
    ///
    /// # Errors
    /// Those of making the file.
    pub fn of_sort(
        directory: &Arc<SpillDirectory>,
        block_bytes: usize,
        level: u8,
    ) -> Result<RunWriter> {
        let writer = RunWriter::with_blocks(directory, "sort", None, block_bytes, level)?;
        writer.file.read_only_as_asked();
        Ok(writer)
    }

    fn with_blocks(
        directory: &Arc<SpillDirectory>,
        what: &str,
        filter: Option<Filter>,
        block_bytes: usize,
        level: u8,
    ) -> Result<RunWriter> {
        Ok(RunWriter {
            file: directory.file(what)?,
            blocks: Vec::new(),
            filter,
            block: Vec::with_capacity(block_bytes + block_bytes / 8),
            block_bytes,
            compressed: Vec::new(),
            uncompressed: 0,
            last: 0..0,
            at: 0,
            count: 0,
            level,
        })
    }

    /// Adds the next entry; keys ascend.
    ///
    /// # Errors
    /// Those of writing the file, which is of no use then.
    pub fn add(&mut self, key: &[u8], write: SeenWrite<'_>) -> Result<()> {
        debug_assert!(self.last_key().is_none_or(|last| last < key), "keys of a run ascend");
        let value = write.value().unwrap_or_default();
        let mut head = [write.kind(); HEAD_BYTES];
        head[1..5].copy_from_slice(&(key.len() as u32).to_le_bytes());
        head[5..].copy_from_slice(&(value.len() as u32).to_le_bytes());
        self.block.extend_from_slice(&head);
        self.last = self.block.len()..self.block.len() + key.len();
        self.block.extend_from_slice(key);
        self.block.extend_from_slice(value);
        if let Some(filter) = &mut self.filter {
            filter.add(KeyHash::of(key));
        }
        self.count += 1;
        if self.block.len() >= self.block_bytes { self.end_block() } else { Ok(()) }
    }

    fn last_key(&self) -> Option<&[u8]> {
        match self.block.is_empty() {
            true => self.blocks.last().map(|block| &*block.last),
            false => Some(&self.block[self.last.clone()]),
        }
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let bytes = self.block.len();
        // Look-ups of single keys would undo a whole block for each.
        let packed = match self.filter {
            Some(_) => None,
            None if self.uncompressed > 0 => {
                self.uncompressed -= 1;
                None
            }
            None => {
                self.compressed.resize(lz4_flex::block::get_maximum_output_size(bytes), 0);
                let length = lz4_flex::block::compress_into(&self.block, &mut self.compressed);
                let saved = length.ok().filter(|length| *length < bytes - bytes / WORTH_PART);
                self.uncompressed = if saved.is_none() { UNTRIED } else { 0 };
                saved
            }
        };
        let stored = packed.map_or(&self.block[..], |length| &self.compressed[..length]);
        self.file.write_at(stored, self.at)?;
        self.blocks.push(Block {
            at: self.at,
            length: stored.len() as u32,
            bytes: bytes as u32,
            checksum: hasher().hash_one(stored),
            last: self.block[self.last.clone()].into(),
        });
        self.at += stored.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends it.
    ///
    /// # Errors
    /// Those of writing the file, which is of no use then.
    pub fn finish(mut self) -> Result<Run> {
        self.end_block()?;
        let RunWriter { file, mut blocks, filter, at, count, level, .. } = self;
        blocks.shrink_to_fit();
        let of_block = |block: &Block| size_of::<Block>() + block.last.len() + size_of::<usize>();
        let filter = match filter {
            Some(filter) if level > 0 => {
                filter.write(&file, at)?;
                Some(FilterPlace::File(at, filter.pages()))
            }
            filter => filter.map(FilterPlace::Memory),
        };
        let filter_bytes = match &filter {
            Some(FilterPlace::Memory(filter)) => filter.words.len() * 8,
            _ => 0,
        };
        let bytes = filter_bytes + blocks.iter().map(of_block).sum::<usize>();
        Ok(Run { file, blocks, filter, count, level, bytes })
    }
}

/// A position among the entries of a run in a range.
pub(crate) struct RunCursor<'a> {
    run: &'a Run,
    range: KeyRange,
    direction: Direction,
    /// The next block forwards; backwards, the one after it.
    next: usize,
    /// To where in the file the system was asked to read, and where it need not go on.
    asked: u64,
    end: u64,
    block: Vec<u8>,
    stored: Vec<u8>,
    /// Backwards: where the entries of the block are that come before the current one.
    places: Vec<u32>,
    /// The current entry; before the first one, nothing.
    entry: BlockEntry,
    /// Whether the current entry lies behind where the range begins, in this direction.
    begun: bool,
}

impl RunCursor<'_> {
    /// Moves to the next entry; `false` at the end.
    ///
    /// # Errors
    /// As `Run::get`.
    pub fn advance(&mut self) -> Result<bool> {
        loop {
            let next = match self.direction {
                Direction::Forward => {
                    Some(self.entry.value.end).filter(|next| *next < self.block.len())
                }
                Direction::Backward => self.places.pop().map(|place| place as usize),
            };
            let next = match next {
                Some(next) => next,
                None => match self.load()? {
                    Some(first) => first,
                    None => return Ok(false),
                },
            };
            self.entry = BlockEntry::at(&self.block, next);
            let key = self.key();
            let before = || key < &self.range.start[..];
            let behind = || !self.range.end.is_empty() && key >= &self.range.end[..];
            let (early, late) = match self.direction {
                Direction::Forward => (!self.begun && before(), behind()),
                Direction::Backward => (!self.begun && behind(), before()),
            };
            if late {
                return Ok(false);
            }
            if !early {
                self.begun = true;
                return Ok(true);
            }
        }
    }

    /// Reads the next block; gives where its first entry is in this direction.
    fn load(&mut self) -> Result<Option<usize>> {
        let block = match self.direction {
            Direction::Forward if self.next < self.run.blocks.len() => {
                self.next += 1;
                self.next - 1
            }
            Direction::Backward if self.next > 0 => {
                self.next -= 1;
                self.next
            }
            _ => return Ok(None),
        };
        self.ask_ahead(block);
        self.run.read(block, &mut self.stored, &mut self.block)?;
        if self.direction == Direction::Forward {
            return Ok(Some(0));
        }
        let mut at = 0;
        while at < self.block.len() {
            self.places.push(at as u32);
            at = BlockEntry::at(&self.block, at).value.end;
        }
        Ok(self.places.pop().map(|place| place as usize))
    }

    /// Has the system read what comes behind a block that is to be read now.
    fn ask_ahead(&mut self, block: usize) {
        let behind = self.run.blocks[block].end();
        if self.asked < self.end.min(behind + AHEAD_BYTES) {
            let from = self.asked.max(behind);
            self.asked = self.end.min(behind + 2 * AHEAD_BYTES);
            self.run.file.will_read(from..self.asked);
        }
    }

    /// Key of the current entry. Only after `advance` gave `true`.
    pub fn key(&self) -> &[u8] {
        &self.block[self.entry.key.clone()]
    }

    /// The write of the current entry. Only after `advance` gave `true`.
    pub fn write(&self) -> SeenWrite<'_> {
        SeenWrite::of(self.entry.kind, &self.block[self.entry.value.clone()])
    }
}

/// A Bloom filter over keys.
struct Filter {
    /// Of whole pages.
    words: Vec<u64>,
}

impl KeyHash {
    /// Which of so many pages of a filter a key is in.
    fn page(self, pages: usize) -> usize {
        ((u128::from(self.0) * pages as u128) >> 64) as usize
    }

    /// The bits of a key in its page, as a word and a bit in it.
    fn places(self) -> impl Iterator<Item = (usize, u64)> {
        // Which page it is the highest bits say.
        let (first, step) = (self.0 & 0xffff_ffff, (self.0 >> 7) | 1);
        (0..FILTER_PROBES).map(move |probe| {
            let bit = first.wrapping_add(probe.wrapping_mul(step & 0xffff_ffff)) % PAGE_BITS;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

impl Filter {
    fn new(entries: usize) -> Filter {
        let pages = (entries * FILTER_BITS).div_ceil(PAGE_BITS as usize).clamp(1, PAGES_MAX);
        Filter { words: vec![0; pages * PAGE_WORDS] }
    }

    fn pages(&self) -> usize {
        self.words.len() / PAGE_WORDS
    }

    fn page(&self, page: usize) -> &[u64; PAGE_WORDS] {
        &self.words.as_chunks().0[page]
    }

    fn add(&mut self, hash: KeyHash) {
        let first = hash.page(self.pages()) * PAGE_WORDS;
        for (word, bit) in hash.places() {
            self.words[first + word] |= bit;
        }
    }

    /// Writes its pages, each with its checksum, from a place in a file on.
    fn write(&self, file: &SpillFile, mut at: u64) -> Result<()> {
        let mut bytes = Vec::with_capacity(PAGES_WRITTEN * PAGE_BYTES);
        for pages in self.words.chunks(PAGES_WRITTEN * PAGE_WORDS) {
            bytes.clear();
            for page in pages.as_chunks::<PAGE_WORDS>().0 {
                let words = page[..PAGE_WORDS - 1].iter().copied().chain([checksum_of(page)]);
                bytes.extend(words.flat_map(u64::to_le_bytes));
            }
            file.write_at(&bytes, at)?;
            at += bytes.len() as u64;
        }
        Ok(())
    }
}

fn may_hold(page: &[u64; PAGE_WORDS], hash: KeyHash) -> bool {
    hash.places().all(|(word, bit)| page[word] & bit != 0)
}

fn checksum_of(page: &[u64; PAGE_WORDS]) -> u64 {
    hasher().hash_one(&page[..PAGE_WORDS - 1])
}

/// For checksums and filters, of this process alone.
pub(crate) fn hasher() -> FixedState {
    FixedState::with_seed(0x7370_696c_6c65_6421)
}
