//! Rows of a load that share a unique key: which of them are kept.
//!
//! Rows that share a key come one after another when an index is merged, in the order of their
//! numbers. Rows that were there before the load are as if they were of number `THERE`, the first:
//!
//! | | row by row | here |
//! |---|---|---|
//! | Replace | each row takes the place of all before it that share a key with it | the last of each key is kept, the others are lost, whatever becomes of those |
//! | Ignore, one unique index | the first of each key stays | the same |
//! | Ignore, several | a row is left out if one that *is there* shares a key with it | all rows of shared keys are sorted by number and gone through in that order |
//! | Error | the first row that shares a key with one before it ends the load | the one of the smallest number |
//!
//! What was there cannot be taken out of the table by files: a load that replaces such rows goes on
//! as a large transaction (`Build::replace`).
//!
//! So a load is merged twice if there are such rows: the first pass finds them, and its files are
//! given up; the second leaves out what was lost.
//!
//! Invariants
//! 1. After the first pass, and `settle`, exactly those rows are lost that must not appear.
//! 2. Memory: a bit for each row of the load, and with several unique indexes one for each shared
//!    key, once anything is shared.
//!
//! Entries of rows with a NULL in a unique index end with the primary key. They meet only where
//! that is shared too, and say the same once more.
//!
//! Not here: the merge itself (`merge`), what is told of a row that was left out (crate `sql`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use resources::budget::Share;
use resources::spill::SpillDirectory;

use super::build::go_on;
use super::existing::Existing;
use super::merge::Merge;
use super::progress::Progress;
use super::sorter::{FreeChunks, RunForm, Sorter};
use values::temporal::Zone;

use crate::error::{Error, Result};
use crate::find::row_at;
use crate::store::{Cursor, KeyRange, Read};
use crate::table::Table;
use crate::transaction::duplicate;

/// What to do with a row whose key is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDuplicate {
    /// It is an error.
    Error,
    /// The new row is left out.
    Ignore,
    /// The old row goes.
    Replace,
}

/// The number of rows that were there before; those of a load count from 1.
const THERE: u64 = 0;

/// Rows that were left out of which it is told why: the first ones.
const TOLD_MAX: usize = 1024;
/// Memory for the rows of shared keys before they go to the disk.
const CONTESTED_BYTES: usize = 1 << 20;
const BITS: u64 = u64::BITS as u64;

/// Why a row was left out.
pub(super) struct LeftOutRow {
    /// The index whose key was taken.
    index: usize,
    /// The same as an error; made when the row is met in the second pass.
    error: Option<Error>,
}

/// What is known of shared keys.
pub(super) struct Duplicates {
    on_duplicate: OnDuplicate,
    /// Whether several indexes are unique.
    several: bool,
    rows: u64,
    share: Mutex<Share>,
    found: AtomicBool,
    /// Whether rows that were there are to be replaced.
    replaces: AtomicBool,
    lost: OnceLock<Box<[AtomicU64]>>,
    lost_count: AtomicU64,
    told: Mutex<BTreeMap<u64, LeftOutRow>>,
    /// By row, then index: the number of the shared key.
    contested: Mutex<(Sorter, FreeChunks)>,
    shared_keys: AtomicU64,
}

impl Duplicates {
    /// For a load of so many rows.
    pub fn new(on_duplicate: OnDuplicate, several: bool, rows: u64, share: Share) -> Duplicates {
        let contested =
            (Sorter::new(0, RunForm::SMALL), FreeChunks::new(RunForm::SMALL.block_bytes));
        Duplicates {
            on_duplicate,
            several,
            rows,
            share: Mutex::new(share),
            found: AtomicBool::new(false),
            replaces: AtomicBool::new(false),
            lost: OnceLock::new(),
            lost_count: AtomicU64::new(0),
            told: Mutex::default(),
            contested: Mutex::new(contested),
            shared_keys: AtomicU64::new(0),
        }
    }

    /// Whether any key is shared.
    pub fn found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }

    /// Whether rows that were there before the load are to be replaced.
    pub fn replaces(&self) -> bool {
        self.replaces.load(Ordering::Relaxed)
    }

    /// Rows that are not kept.
    pub fn lost_count(&self) -> u64 {
        self.lost_count.load(Ordering::Relaxed)
    }

    /// The first row that is in the way of a load without duplicates, and the index.
    pub fn first(&self) -> Option<(u64, usize)> {
        self.told.lock().first_key_value().map(|(number, told)| (*number, told.index))
    }

    /// The first rows that were left out, by number, and why.
    pub fn into_told(self) -> Vec<(u64, Error)> {
        let told = self.told.into_inner().into_iter();
        told.filter_map(|(number, told)| Some((number, told.error?))).collect()
    }

    /// Two rows share a key of an index; `key` is the number of that shared key, if it has one.
    fn note(
        &self,
        directory: Option<&Arc<SpillDirectory>>,
        index: usize,
        earlier: u64,
        later: u64,
        key: &mut Option<u64>,
    ) -> Result<()> {
        self.found.store(true, Ordering::Relaxed);
        match self.on_duplicate {
            OnDuplicate::Error => self.tell(later, index),
            OnDuplicate::Replace if earlier == THERE => {
                self.replaces.store(true, Ordering::Relaxed);
            }
            OnDuplicate::Replace => self.lose(earlier)?,
            OnDuplicate::Ignore if !self.several => {
                self.lose(later)?;
                self.tell(later, index);
            }
            OnDuplicate::Ignore => {
                let (contested, free) = &mut *self.contested.lock();
                let mut add = |row: u64, key: u64| {
                    contested.add(&row.to_be_bytes(), index as u64, &key.to_le_bytes(), free);
                };
                let known = key.unwrap_or_else(|| {
                    let new = self.shared_keys.fetch_add(1, Ordering::Relaxed);
                    add(earlier, new);
                    new
                });
                *key = Some(known);
                add(later, known);
                if let Some(directory) = directory
                    && contested.memory_bytes() > CONTESTED_BYTES
                {
                    contested.spill(directory, free)?;
                }
            }
        }
        Ok(())
    }

    /// Decides, once the first pass is over, about rows that share keys of several indexes.
    ///
    /// # Errors
    /// `NoMemory`, those of reading runs, `LockTimeout` when it was interrupted.
    pub fn settle(&self) -> Result<()> {
        let mut contested =
            std::mem::replace(&mut self.contested.lock().0, Sorter::new(0, RunForm::SMALL));
        if contested.entries() == 0 {
            return Ok(());
        }
        let words = self.shared_keys.load(Ordering::Relaxed).div_ceil(BITS) as usize;
        self.draw(words * size_of::<u64>())?;
        let mut taken = vec![0_u64; words];
        contested.sort();
        let sorters = [contested];
        let mut merge = Merge::of_sorters(&sorters, &KeyRange::default())?;
        let mut row = RowInQuestion::default();
        let mut count = 0;
        while merge.advance()? {
            count += 1;
            go_on(count)?;
            let (number, index) = merge.numbered();
            let why = "a note of a key that rows share";
            let damaged = || Error::Corrupt { key: Vec::new(), why };
            let number = u64::from_be_bytes(number.try_into().map_err(|_| damaged())?);
            let key = u64::from_le_bytes(merge.value().try_into().map_err(|_| damaged())?);
            if number != row.number {
                self.decide(&mut row, &mut taken)?;
                row.number = number;
            }
            row.keys.push((index as usize, key));
        }
        self.decide(&mut row, &mut taken)
    }

    /// Leaves a row out, or gives it its keys.
    fn decide(&self, row: &mut RowInQuestion, taken: &mut [u64]) -> Result<()> {
        let bit = |key: u64| ((key / BITS) as usize, 1 << (key % BITS));
        let is_taken = |(_, key): &&(usize, u64)| {
            let (word, bit) = bit(*key);
            taken[word] & bit != 0
        };
        match row.keys.iter().find(is_taken) {
            Some((index, _)) => {
                self.lose(row.number)?;
                self.tell(row.number, *index);
            }
            None => {
                for (_, key) in &row.keys {
                    let (word, bit) = bit(*key);
                    taken[word] |= bit;
                }
            }
        }
        row.keys.clear();
        Ok(())
    }

    fn draw(&self, more: usize) -> Result<()> {
        let mut share = self.share.lock();
        let bytes = share.bytes() + more;
        Ok(share.grow_to(bytes)?)
    }

    fn lose(&self, number: u64) -> Result<()> {
        if self.lost.get().is_none() {
            self.draw((self.rows / 8) as usize)?;
        }
        // Numbers count from 1.
        let words = || (0..=self.rows / BITS).map(|_| AtomicU64::new(0)).collect();
        let lost = self.lost.get_or_init(words);
        let bit = 1 << (number % BITS);
        if lost[(number / BITS) as usize].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            self.lost_count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_lost(&self, number: u64) -> bool {
        self.lost.get().is_some_and(|lost| {
            lost[(number / BITS) as usize].load(Ordering::Relaxed) & (1 << (number % BITS)) != 0
        })
    }

    fn tell(&self, number: u64, index: usize) {
        let mut told = self.told.lock();
        match told.entry(number) {
            Entry::Vacant(vacant) => {
                vacant.insert(LeftOutRow { index, error: None });
            }
            Entry::Occupied(mut known) => {
                known.get_mut().index = known.get().index.min(index);
            }
        }
        if told.len() > TOLD_MAX {
            told.pop_last();
        }
    }

    /// A row that was left out is met: says why, if it is one of those of which it is told.
    fn explain(&self, number: u64, table: &Table, key: &[u8], row: &[u8]) -> Result<()> {
        if let Some(told) = self.told.lock().get_mut(&number) {
            told.error = Some(duplicate_of(table, told.index, key, row)?);
        }
        Ok(())
    }
}

/// The error of a stored row whose key in an index is taken.
///
/// # Errors
/// `Corrupt`.
pub(super) fn duplicate_of(table: &Table, index: usize, key: &[u8], row: &[u8]) -> Result<Error> {
    Ok(duplicate(table, index, &row_at(table, key, row)?.values()?, Zone::UTC))
}

/// A row of shared keys, with these: by index, then the number of the key.
#[derive(Default)]
struct RowInQuestion {
    number: u64,
    keys: Vec<(usize, u64)>,
}

/// Which time the entries are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryPass {
    /// Shared keys are found. Once there is one the entries need not be shown any more.
    First,
    /// Lost rows are passed over.
    Second,
}

/// What all cursors of a load need.
#[derive(Clone, Copy)]
pub(super) struct Pruning<'a> {
    pub table: &'a Table,
    pub duplicates: &'a Duplicates,
    pub directory: Option<&'a Arc<SpillDirectory>>,
    pub progress: &'a Progress,
    pub pass: EntryPass,
    /// The table's rows, if it has any.
    pub existing: Option<&'a dyn Read>,
}

/// The entries of an index in a range that are kept.
pub(super) struct KeptEntries<'a> {
    of: Pruning<'a>,
    index: usize,
    merge: Merge<'a>,
    last: Vec<u8>,
    last_number: u64,
    /// The number of the shared key that `last` is.
    shared: Option<u64>,
    /// What is there already, where that is to be looked for.
    existing: Option<Existing<'a>>,
    count: u64,
}

/// Entries between two looks whether to go on.
const COUNT_EVERY: u64 = 1024;

impl<'a> KeptEntries<'a> {
    /// Before the first entry of a range.
    ///
    /// # Errors
    /// Those of looking at what is there.
    pub fn new(
        of: Pruning<'a>,
        index: usize,
        range: &KeyRange,
        merge: Merge<'a>,
    ) -> Result<KeptEntries<'a>> {
        let existing = match of.existing {
            Some(view) if of.pass == EntryPass::First && is_unique(of.table, index) => {
                Existing::of(view, of.table, index, range)?
            }
            _ => None,
        };
        let (last, last_number) = (Vec::new(), THERE);
        Ok(KeptEntries { of, index, merge, last, last_number, shared: None, existing, count: 0 })
    }

    fn is_unique(&self) -> bool {
        is_unique(self.of.table, self.index)
    }

    /// Whether the entry is to be shown, in the first pass.
    fn is_first(&mut self) -> Result<bool> {
        let (key, number) = self.merge.numbered();
        if self.count > 1 && key == self.last {
            if self.is_unique() {
                let Pruning { duplicates, directory, .. } = self.of;
                let earlier = self.last_number;
                duplicates.note(directory, self.index, earlier, number, &mut self.shared)?;
            }
            self.last_number = number;
            return Ok(false);
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        (self.last_number, self.shared) = (number, None);
        if let Some(existing) = &mut self.existing
            && existing.has(key)?
        {
            let Pruning { duplicates, directory, .. } = self.of;
            duplicates.note(directory, self.index, THERE, number, &mut self.shared)?;
        }
        Ok(!self.of.duplicates.found())
    }

    /// Whether the entry is to be shown, in the second pass.
    fn is_kept(&self) -> Result<bool> {
        let (key, number) = self.merge.numbered();
        let Pruning { duplicates, table, .. } = self.of;
        let lost = duplicates.is_lost(number);
        if lost && self.index == 0 {
            duplicates.explain(number, table, key, self.merge.value())?;
        }
        Ok(!lost)
    }
}

/// Whether an index of a table tells rows apart.
pub(super) fn is_unique(table: &Table, index: usize) -> bool {
    // Member indexes and full-text ones follow upon the others, and multi-valued ones upon those.
    let codec = table.codec_if_any(index);
    codec.is_some_and(|codec| codec.unique) && (index > 0 || !table.has_hidden_key())
}

impl Cursor for KeptEntries<'_> {
    fn advance(&mut self) -> Result<bool> {
        loop {
            if !self.merge.advance()? {
                self.of.progress.add(self.count % COUNT_EVERY);
                return Ok(false);
            }
            self.count += 1;
            go_on(self.count)?;
            if self.count.is_multiple_of(COUNT_EVERY) {
                self.of.progress.add(COUNT_EVERY);
            }
            let shown = match self.of.pass {
                EntryPass::First => self.is_first()?,
                EntryPass::Second => self.is_kept()?,
            };
            if shown {
                return Ok(true);
            }
            if self.of.pass == EntryPass::First && !self.is_unique() && self.of.duplicates.found() {
                // There is nothing to be found here, and these files will not be used.
                return Ok(false);
            }
        }
    }

    fn key(&self) -> &[u8] {
        self.merge.numbered().0
    }

    fn value(&self) -> &[u8] {
        self.merge.value()
    }
}
