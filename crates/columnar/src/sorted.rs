//! Sorted writes of a transaction that is larger than memory, with the notes that go with them.
//!
//! Notes lie behind all rows and entries of their table. Of each row it is remembered in bits what
//! notes it wants: whether it becomes recent, or is so no more, by its place among the rows; and
//! which rows of which segments are dead. At the table's end, if any row wants the first of these,
//! the rows are gone over once more.
//!
//! Invariants
//! 1. Keys ascend, as `LocalStore::apply_sorted` asks.
//! 2. Memory is two bits for each row, however large they are.
//!
//! Not here: what makes a note (`notes`).

use std::collections::BTreeMap;
use std::sync::Arc;

use rows::error::Result;
use rows::local::{Passes, SortedWrite, SortedWrites};
use rows::schema::TableId;
use rows::store::{Reach, Read};

use crate::keys::{self, Place, SegmentId};
use crate::notes::{Note, NoteCounts};
use crate::tables::{KnownTable, Tables};

/// The iterator that adds notes to the writes of a pass.
pub(crate) struct NotedWrites<'p, 'a> {
    inner: &'p dyn Read,
    tables: &'p Tables,
    passes: &'p Passes<'a>,
    writes: Box<SortedWrites<'a>>,
    stage: Stage<'a>,
    /// Of the table whose rows are given out now.
    noted: Option<TableNotes>,
    /// The first write behind the notes that are given out now.
    ahead: Option<SortedWrite>,
    counted: NoteCounts,
}

/// What is given out.
enum Stage<'a> {
    Writes,
    /// Notes of rows that become recent or are so no more: the rows once more, and how many of them
    /// have been looked at.
    Recent(Box<SortedWrites<'a>>, usize),
    Dead,
}

/// Notes of a table.
struct TableNotes {
    known: Arc<KnownTable>,
    rows: usize,
    /// By row.
    recent: Bits,
    /// By segment and position.
    dead: BTreeMap<SegmentId, Bits>,
}

/// A set of small numbers.
#[derive(Default)]
struct Bits {
    words: Vec<u64>,
    /// Words that have become empty from the first on.
    emptied: usize,
}

impl Bits {
    fn set(&mut self, bit: usize) {
        if self.words.len() <= bit / 64 {
            self.words.resize(bit / 64 + 1, 0);
        }
        self.words[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether none was ever set.
    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn has(&self, bit: usize) -> bool {
        self.words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Takes out the smallest; none is set any more from then on.
    fn pop_first(&mut self) -> Option<usize> {
        while let Some(word) = self.words.get_mut(self.emptied) {
            if *word == 0 {
                self.emptied += 1;
                continue;
            }
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            return Some(self.emptied * 64 + bit);
        }
        None
    }
}

impl<'p, 'a> NotedWrites<'p, 'a> {
    pub fn new(
        inner: &'p dyn Read,
        tables: &'p Tables,
        passes: &'p Passes<'a>,
    ) -> NotedWrites<'p, 'a> {
        NotedWrites {
            inner,
            tables,
            passes,
            writes: passes(),
            stage: Stage::Writes,
            noted: None,
            ahead: None,
            counted: NoteCounts::default(),
        }
    }

    /// What is to be counted when all of it is written.
    pub fn into_counted(self) -> NoteCounts {
        self.counted
    }

    fn step(&mut self) -> Result<Option<SortedWrite>> {
        loop {
            match &mut self.stage {
                Stage::Writes => {
                    let next = match self.ahead.take() {
                        Some(next) => Some(next),
                        None => self.writes.next().transpose()?,
                    };
                    if let Some(noted) = &self.noted
                        && next.as_ref().and_then(|(key, _)| table_of(key)) != Some(noted.known.id)
                    {
                        self.ahead = next;
                        self.stage = match noted.recent.is_empty() {
                            true => Stage::Dead,
                            false => Stage::Recent((self.passes)(), 0),
                        };
                        continue;
                    }
                    if let Some((key, value)) = &next {
                        self.note(key, value.is_some())?;
                    }
                    return Ok(next);
                }
                Stage::Recent(rows, looked_at) => {
                    let Some(noted) = &self.noted else { return Ok(None) };
                    let id = noted.known.id;
                    if *looked_at == noted.rows {
                        self.stage = Stage::Dead;
                        continue;
                    }
                    let Some((key, value)) = rows.next().transpose()? else { return Ok(None) };
                    if keys::table_of_row(&key) != Some(id) {
                        continue;
                    }
                    *looked_at += 1;
                    if noted.recent.has(*looked_at - 1) {
                        return Ok(Some((keys::recent(id, &key), value.map(|_| Vec::new()))));
                    }
                }
                Stage::Dead => {
                    let Some(noted) = &mut self.noted else { return Ok(None) };
                    let id = noted.known.id;
                    let Some(mut entry) = noted.dead.first_entry() else {
                        self.noted = None;
                        self.stage = Stage::Writes;
                        continue;
                    };
                    let segment = *entry.key();
                    match entry.get_mut().pop_first() {
                        Some(position) => {
                            let place = Place { segment, position: position as u32 };
                            return Ok(Some((keys::dead(id, place), Some(Vec::new()))));
                        }
                        None => drop(entry.remove()),
                    }
                }
            }
        }
    }

    fn note(&mut self, key: &[u8], put: bool) -> Result<()> {
        let Some(known) = self.tables.of_row(key) else { return Ok(()) };
        let note = Note::of(self.inner, &known, key, put, Reach::Disk)?;
        self.counted.add(&known, put, &note, self.tables);
        let noted = self.noted.get_or_insert_with(|| TableNotes {
            known,
            rows: 0,
            recent: Bits::default(),
            dead: BTreeMap::new(),
        });
        if note.recent {
            noted.recent.set(noted.rows);
        }
        if let Some(place) = note.dead {
            noted.dead.entry(place.segment).or_default().set(place.position as usize);
        }
        noted.rows += 1;
        Ok(())
    }
}

impl Iterator for NotedWrites<'_, '_> {
    type Item = Result<SortedWrite>;

    fn next(&mut self) -> Option<Result<SortedWrite>> {
        self.step().transpose()
    }
}

/// The table in whose range a key lies.
fn table_of(key: &[u8]) -> Option<TableId> {
    key.first_chunk::<4>().map(|id| TableId::from_be_bytes(*id))
}
