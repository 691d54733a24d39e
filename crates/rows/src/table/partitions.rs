//! Partitions in keys: which one a key is in, and the ranges of those that are read.
//!
//! Not here: which partition a row is of (`partition`), which ones a condition leaves (crate
//! `plan`).

use std::ops::Bound;

use values::datum::Datum;

use super::ranges::{FindOp, index_range, successor};
use super::version::Table;
use crate::error::{Error, Result};
use crate::partition::{ColumnDomain, PartitionId, PartitionRule};
use crate::schema::{IndexId, TableId};
use crate::store::{Direction, KeyRange};

impl Table {
    /// Position of the column that has the number of a row's partition; `None` in a table without
    /// partitions.
    #[inline]
    pub fn partition_column(&self) -> Option<usize> {
        self.partition_column
    }

    /// How rows are divided; `None` in a table without partitions.
    ///
    /// # Errors
    /// As `rules`.
    pub fn partition_rule(&self) -> Result<Option<&PartitionRule>> {
        match self.partition_column {
            None => Ok(None),
            Some(_) => Ok(self.rules()?.and_then(|rules| rules.partition.as_ref())),
        }
    }

    /// The same table for a statement whose rows must be of some partitions.
    ///
    /// # Errors
    /// As `rules`.
    pub fn within_partitions(&self, ids: &[PartitionId]) -> Result<Table> {
        let mut rules = self.rules()?.cloned().unwrap_or_default();
        if let Some(partition) = &mut rules.partition {
            partition.limit_to(ids);
        }
        Ok(self.with_rules(rules))
    }

    /// The partition that a whole key of a unique index is in; `None` if no partition is for such
    /// values, or they do not say which.
    ///
    /// # Errors
    /// `Expression`.
    pub(super) fn partition_of_key(
        &self,
        index: usize,
        values: &[Datum<'_>],
    ) -> Result<Option<PartitionId>> {
        let (definition, Some(rule)) = (&self.indexes[index], self.partition_rule()?) else {
            return Ok(None);
        };
        if !definition.unique
            || definition.parts.is_empty()
            || values.len() < definition.parts.len()
        {
            return Ok(None);
        }
        let mut row = vec![Datum::Null; self.columns.len()];
        for (part, value) in definition.parts.iter().zip(values) {
            row[part.column] = *value;
        }
        match rule.of_row(&row) {
            Ok(id) => Ok(Some(id)),
            Err(Error::Expression(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All keys of an index, as one range for each partition.
    pub(crate) fn index_ranges(&self, index: usize) -> Vec<KeyRange> {
        let whole = self.index_range(index);
        match &self.partitioning {
            None => vec![whole],
            Some(partitioning) => {
                let ids = partitioning.partitions.iter().map(|partition| partition.id);
                ids.map(|id| partition_range(self.id, self.indexes[index].id, id)).collect()
            }
        }
    }

    /// The ranges of a HandlerSocket-style find on the leading parts of an index's definition, as
    /// `op_range`: several are to be merged by what is behind the partition.
    ///
    /// # Errors
    /// As `op_range`.
    pub fn op_ranges(
        &self,
        index: usize,
        op: FindOp,
        values: &[Datum<'_>],
    ) -> Result<(Vec<KeyRange>, Direction)> {
        if self.partitioning.is_none() {
            let (range, direction) = self.op_range(index, op, values)?;
            return Ok((vec![range], direction));
        }
        let is_one = op == FindOp::Equal
            && self.indexes[index].unique
            && values.len() == self.indexes[index].parts.len()
            && !values.iter().any(Datum::is_null);
        let ids = match is_one {
            true => self.partition_of_key(index, values)?.into_iter().collect(),
            false => self.partitions_of_find(index, op, values)?,
        };
        let mut ranges = Vec::with_capacity(ids.len());
        let mut direction = Direction::Forward;
        for id in ids {
            let mut all = vec![Datum::UInt(u64::from(id))];
            all.extend_from_slice(values);
            let (range, towards) = self.op_range(index, op, &all)?;
            let within = partition_range(self.id, self.indexes[index].id, id);
            direction = towards;
            ranges.push(KeyRange {
                start: range.start.max(within.start),
                end: if range.end.is_empty() { within.end } else { range.end.min(within.end) },
            });
        }
        if op == FindOp::Less || op == FindOp::LessEqual {
            direction = Direction::Backward;
        }
        Ok((ranges, direction))
    }
}

impl Table {
    /// The partitions in which a find may meet rows, by what it says of the columns that tell them.
    fn partitions_of_find(
        &self,
        index: usize,
        op: FindOp,
        values: &[Datum<'_>],
    ) -> Result<Vec<PartitionId>> {
        let Some(rule) = self.partition_rule()? else { return Ok(Vec::new()) };
        let parts = self.own_parts(index);
        let domain = |column: &usize| {
            let at = parts.iter().position(|part| part.column == *column && part.prefix.is_none());
            let said = at.and_then(|at| Some((at, &parts[at], values.get(at)?)));
            let Some((at, part, value)) = said else { return ColumnDomain::Any };
            let bound = || Bound::Included(value.to_value());
            match op {
                FindOp::Equal => ColumnDomain::Values(vec![value.to_value()]),
                // Keys compare as a whole: of those behind the first part nothing is said.
                _ if at > 0 || part.descending || value.is_null() => ColumnDomain::Any,
                FindOp::Greater | FindOp::GreaterEqual => {
                    ColumnDomain::Between(bound(), Bound::Unbounded)
                }
                // NULL is less than all.
                FindOp::Less | FindOp::LessEqual if part.nullable => ColumnDomain::Any,
                FindOp::Less | FindOp::LessEqual => {
                    ColumnDomain::Between(Bound::Unbounded, bound())
                }
            }
        };
        let domains: Vec<ColumnDomain> = rule.columns().iter().map(domain).collect();
        self.partitions_among(rule, &domains)
    }

    /// The partitions, ascending by number, in which rows with such columns may be; `domains` are
    /// in the order of `PartitionRule::columns`.
    ///
    /// # Errors
    /// `Expression`.
    pub fn partitions_among(
        &self,
        rule: &PartitionRule,
        domains: &[ColumnDomain],
    ) -> Result<Vec<PartitionId>> {
        rule.among(domains, &|values| {
            let mut row = vec![Datum::Null; self.columns.len()];
            for (at, value) in rule.columns().iter().zip(values) {
                row[*at] = value.as_datum();
            }
            rule.inputs_of(&row)
        })
    }
}

/// All keys of an index's rows or entries in a partition.
pub(crate) fn partition_range(table: TableId, index: IndexId, id: PartitionId) -> KeyRange {
    let mut start = index_range(table, index).start;
    start.extend_from_slice(&id.to_be_bytes());
    KeyRange { end: successor(&start), start }
}
