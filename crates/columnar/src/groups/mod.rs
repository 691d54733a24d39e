//! Grouping the rows of a part by columns, without hashing them.
//!
//! A value of a key column has a number: that of an integer is its distance to the smallest there
//! is, that of a text its place among the texts seen so far, to which a segment's words are
//! translated once. The numbers of a row's keys make its *slot*, and a map leads from slots to
//! groups, which are numbered as they come:
//! ```text
//! row -> code in the segment -> number -> slot = sum of number * stride -> group
//! ```
//!
//! Invariants
//! 1. The counts of all groups that are given, with the rows that stand alone, add up to the rows
//!    that the tests leave. A group may be given several times.
//! 2. Memory is that of the groups found since they were last drained, and a segment's.
//!
//! Not here: what is computed of the rows of a group, putting groups of several parts together.

mod array;
mod key;
mod map;
mod of_table;
mod table;
mod total;

pub use self::array::{ColumnArray, is_same};
pub use self::table::{ArrayKey, GroupTable};
pub use self::total::Total;

use std::sync::Arc;

use arrow_array::ArrayRef;
use rows::error::Result;

use self::key::{Key, KeyCode};
use crate::column::Selection;
use crate::dead_rows::dead_in;
use crate::scan::{Batch, Batches, Reading, Step};

/// What rows are grouped by and what else of them is wanted: places among the wanted columns.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The columns whose values make a group.
    pub keys: Arc<[usize]>,
    /// What is given of each row besides its group.
    pub values: Arc<[usize]>,
    /// Whether of the values only totals are given, where there are such; without keys.
    pub totals: bool,
}

/// What comes next of a part.
pub enum GroupStep {
    /// Some rows: the group of each, and the values that are wanted of them. Only where values
    /// are wanted.
    Rows(Vec<usize>, Batch),
    /// Rows that each stand for themselves: the keys and the values.
    Alone(Batch, Batch),
    /// What the values of a segment's rows come to, all of which are of the only group; and as
    /// `Segment`.
    Totals(Vec<Total>),
    /// The rows of a segment have their groups: a moment to drain them.
    Segment,
}

/// Groups, and how many rows each has.
pub struct GroupBatch {
    /// The keys of each.
    pub keys: Batch,
    /// For each of them.
    pub counts: Vec<i64>,
}

/// Groups by what their keys' values are numbered: a value is there once, however many groups have
/// it.
pub struct CodedGroups {
    /// For each key its values, and for each group which of them it has.
    pub keys: Vec<(ArrayRef, Vec<u32>)>,
}

/// An iterator over the rows of a part by groups; an error is the last that it gives.
pub struct Groups {
    of: Batches,
    grouping: Grouping,
    /// Without keys where one of them cannot be grouped by.
    table: GroupTable,
    current: Option<GroupedSegment>,
    /// The ends of the totals that were given, by value.
    ends: Vec<Option<(u64, u64)>>,
}

/// A segment that is being read.
struct GroupedSegment {
    reading: Reading,
    /// What each key adds to a row's slot; `None` where the rows stand alone.
    coded: Option<Vec<KeyCode>>,
}

impl Groups {
    /// Of about so many rows.
    pub(crate) fn new(of: Batches, rows: u64, grouping: Grouping, keys: Vec<Key>) -> Groups {
        let ends = vec![None; grouping.values.len()];
        Groups { of, grouping, table: GroupTable::of(keys, rows), current: None, ends }
    }

    /// The groups, which are not to be drained between two batches of a segment.
    pub fn table(&mut self) -> &mut GroupTable {
        &mut self.table
    }

    fn step(&mut self) -> Result<Option<GroupStep>> {
        loop {
            if let Some(mut segment) = self.current.take() {
                // Where rows are only counted, the dead ones are taken off again: they are few.
                let all = segment.coded.is_some()
                    && self.grouping.values.is_empty()
                    && segment.reading.tests.is_empty();
                let selection = match all {
                    true => self.of.next_range(&mut segment.reading).map(Selection::Range),
                    false => self.of.select(&mut segment.reading),
                };
                let Some(selection) = selection else { return Ok(Some(GroupStep::Segment)) };
                let grouped = match &segment.coded {
                    Some(coded) => self.group(&segment.reading, coded, &selection)?,
                    None => Some(self.alone(&segment.reading, &selection)?),
                };
                self.current = Some(segment);
                match grouped {
                    Some(grouped) => return Ok(Some(grouped)),
                    None => continue,
                }
            }
            match self.of.begin_step()? {
                None => return Ok(None),
                Some(Step::Rows(rows)) if rows.rows == 0 => {}
                Some(Step::Rows(rows)) if self.grouping.keys.is_empty() => {
                    if let Some(grouped) = self.only(rows)? {
                        return Ok(Some(grouped));
                    }
                }
                Some(Step::Rows(rows)) => {
                    let pick = |places: &[usize]| Batch {
                        columns: places.iter().map(|at| Arc::clone(&rows.columns[*at])).collect(),
                        rows: rows.rows,
                    };
                    let (keys, values) = (&self.grouping.keys, &self.grouping.values);
                    return Ok(Some(GroupStep::Alone(pick(keys), pick(values))));
                }
                Some(Step::Segment(reading)) if self.grouping.totals => {
                    return self.total(reading).map(Some);
                }
                Some(Step::Segment(reading)) => {
                    let coded = self.code(&reading)?;
                    self.current = Some(GroupedSegment { reading, coded });
                }
            }
        }
    }

    /// Rows that are of no segment, where there is only one group.
    fn only(&mut self, rows: Batch) -> Result<Option<GroupStep>> {
        let wanted = &self.grouping.values;
        let all = Selection::Range(0..rows.rows);
        let groups = self.table.place_all(&all, &[], !wanted.is_empty())?;
        if wanted.is_empty() {
            return Ok(None);
        }
        let columns = wanted.iter().map(|at| Arc::clone(&rows.columns[*at])).collect();
        Ok(Some(GroupStep::Rows(groups, Batch { columns, rows: rows.rows })))
    }

    /// What a segment's rows come to.
    fn total(&mut self, mut reading: Reading) -> Result<GroupStep> {
        let types = self.grouping.values.iter().map(|at| self.of.type_of(*at));
        let mut totals: Vec<Total> = types.map(Total::new).collect();
        let all_dead = reading.live.dead.clone();
        let mut rows_alive = 0;
        loop {
            // Where there are no tests, the dead ones are taken off again.
            let rows = match reading.tests.is_empty() {
                true => self.of.next_range(&mut reading).map(Selection::Range),
                false => self.of.select(&mut reading),
            };
            let Some(rows) = rows else { break };
            let dead = match reading.tests.is_empty() {
                true => dead_in(&rows, &all_dead),
                false => Vec::new(),
            };
            let alive = rows.len() - dead.len();
            if alive == 0 {
                continue;
            }
            rows_alive += alive;
            self.table.place_all(&rows, &dead, false)?;
            let sources = self.grouping.values.iter().map(|at| &reading.columns[*at]);
            for ((total, source), ends) in totals.iter_mut().zip(sources).zip(&mut self.ends) {
                total.add(source, (&rows, &dead), |at| self.of.absent(at), ends)?;
            }
        }
        Ok(if rows_alive == 0 { GroupStep::Segment } else { GroupStep::Totals(totals) })
    }

    /// What the keys add to the slots of a segment's rows; `None` when they have no codes, or there
    /// would be more slots than numbers.
    fn code(&mut self, reading: &Reading) -> Result<Option<Vec<KeyCode>>> {
        if self.table.keys() < self.grouping.keys.len() {
            return Ok(None);
        }
        self.table.code(self.grouping.keys.iter().map(|at| &reading.columns[*at]))
    }

    /// Puts rows into their groups.
    fn group(
        &mut self,
        reading: &Reading,
        coded: &[KeyCode],
        selection: &Selection,
    ) -> Result<Option<GroupStep>> {
        let dead = dead_in(selection, &reading.live.dead);
        let wanted = !self.grouping.values.is_empty();
        let groups = self.table.place(coded, selection, &dead, wanted);
        if !wanted {
            return Ok(None);
        }
        Ok(Some(GroupStep::Rows(groups, self.read(reading, &self.grouping.values, selection)?)))
    }

    fn alone(&self, reading: &Reading, selection: &Selection) -> Result<GroupStep> {
        let keys = self.read(reading, &self.grouping.keys, selection)?;
        Ok(GroupStep::Alone(keys, self.read(reading, &self.grouping.values, selection)?))
    }

    /// Some of the wanted columns.
    fn read(&self, reading: &Reading, which: &[usize], selection: &Selection) -> Result<Batch> {
        self.of.arrays(which.iter().map(|at| &reading.columns[*at]), selection)
    }
}

impl Iterator for Groups {
    type Item = Result<GroupStep>;

    fn next(&mut self) -> Option<Result<GroupStep>> {
        self.step().transpose()
    }
}
