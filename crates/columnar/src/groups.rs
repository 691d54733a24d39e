//! Counting rows by groups: of each segment, one row stands for all that are alike in some columns,
//! with how many there are. Codes of words and offsets of numbers are places in an array, so that
//! nothing is hashed and no value is looked at more than once a group.
//!
//! Invariants
//! 1. The counts of all groups that are given add up to the rows that the tests leave; a group may
//!    be given several times, by each segment once, and recent rows one by one.
//!
//! Not here: putting groups of several segments together.

use rows::error::Result;

use crate::column::Column;
use crate::scan::{Batch, Batches, Source, Step};

/// Groups of a segment, at most: more are counted row by row.
const GROUPS_MAX: usize = 1 << 17;

/// Rows that stand for groups, and how many rows each stands for.
pub struct GroupBatch {
    /// The rows.
    pub rows: Batch,
    /// For each of them.
    pub counts: Vec<i64>,
}

/// An iterator over groups of equal rows.
pub struct Groups {
    of: Batches,
    failed: bool,
}

/// How a row's group is found among those of a segment.
struct Place<'a> {
    column: &'a Column,
    /// Codes of the column.
    codes: usize,
    /// Groups of the columns before.
    stride: usize,
}

impl Groups {
    pub(crate) fn new(of: Batches) -> Groups {
        Groups { of, failed: false }
    }

    fn step(&mut self) -> Result<Option<GroupBatch>> {
        loop {
            let Some(step) = self.of.begin_step()? else { return Ok(None) };
            let reading = match step {
                Step::Rows(rows) if rows.rows == 0 => continue,
                Step::Rows(rows) => {
                    let counts = vec![1; rows.rows];
                    return Ok(Some(GroupBatch { rows, counts }));
                }
                Step::Segment(reading) => reading,
            };
            let places = places(&reading.columns, reading.live.segment.rows as usize);
            let Some((places, groups)) = places else {
                self.of.go_on(reading);
                continue;
            };
            let (mut counts, mut firsts) = (vec![0i64; groups], vec![0u32; groups]);
            let mut at = Vec::new();
            let mut next = 0;
            while let Some(selection) = self.of.select(&reading, &mut next) {
                if groups == 1 {
                    firsts[0] = selection.first().unwrap_or(0);
                    counts[0] += selection.len() as i64;
                    continue;
                }
                at.clear();
                at.resize(selection.len(), 0u32);
                for place in &places {
                    place.column.add_codes(&selection, place.codes, place.stride, &mut at);
                }
                let mut group = at.iter();
                selection.try_each(|row| {
                    let group = *group.next().expect("one for each row") as usize;
                    if counts[group] == 0 {
                        firsts[group] = row as u32;
                    }
                    counts[group] += 1;
                    Ok(())
                })?;
            }
            let found = firsts.into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let (rows, counts): (Vec<u32>, Vec<i64>) = found.unzip();
            if rows.is_empty() {
                continue;
            }
            let rows = self.of.arrays(&reading, &crate::column::Selection::Rows(rows))?;
            return Ok(Some(GroupBatch { rows, counts }));
        }
    }
}

/// The places of groups by some columns, and how many there are; `None` for too many.
fn places(columns: &[Source], rows: usize) -> Option<(Vec<Place<'_>>, usize)> {
    let mut groups = 1usize;
    let mut places = Vec::with_capacity(columns.len());
    for source in columns {
        match source {
            Source::Column(_, column) => {
                let codes = column.codes()?;
                places.push(Place { column, codes, stride: groups });
                groups = groups.checked_mul(codes)?;
            }
            Source::Absent(_) => {}
            Source::RowId(_) | Source::Key(_) => return None,
        }
        if groups > GROUPS_MAX || groups > rows.saturating_mul(2).max(1 << 10) {
            return None;
        }
    }
    Some((places, groups))
}

impl Iterator for Groups {
    type Item = Result<GroupBatch>;

    fn next(&mut self) -> Option<Result<GroupBatch>> {
        if self.failed {
            return None;
        }
        let next = self.step().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}
