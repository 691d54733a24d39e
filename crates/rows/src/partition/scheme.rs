//! The column of partitions' numbers, and the rules that partitions must fulfil.
//!
//! Not here: which partition a row is of (`placement`), statements that change them (`change`).

use std::collections::HashSet;

use values::types::{ColumnType, IntWidth};

use crate::broken_rule::BrokenRule;
use crate::error::Result;
use crate::partition_fault::PartitionFault;
use crate::partitioning::{PartitionMethod, PartitionedBy, Partitioning};
use crate::schema::{Column, ColumnVisibility, ComputedColumn, Index, TableDefinition};

/// Bytes of a partition's number in a key.
pub(crate) const PARTITION_BYTES: usize = 4;
/// Most partitions of a table, as in MySQL.
pub(super) const PARTITIONS_MAX: usize = 8192;

impl TableDefinition {
    /// Position of the column that has the number of a row's partition.
    pub fn partition_column(&self) -> Option<usize> {
        let first = self.named_columns().len();
        let is_of_partition = |column: &Column| column.visibility == ColumnVisibility::OfPartition;
        self.columns[first..].iter().position(is_of_partition).map(|at| first + at)
    }

    /// Names of the columns by which a KEY divides, or COLUMNS; none where it is an expression.
    pub fn partition_columns(&self) -> Vec<String> {
        let Some(partitioning) = &self.partitioning else { return Vec::new() };
        match &partitioning.by {
            PartitionedBy::Expression(_) => Vec::new(),
            PartitionedBy::Columns(names) if names.is_empty() => {
                let parts = self.standing_key().into_iter().flat_map(|index| &index.parts);
                parts.map(|part| self.columns[part.column].name.clone()).collect()
            }
            PartitionedBy::Columns(names) => names.clone(),
        }
    }

    /// The primary key, or the first unique key without NULLs in its place.
    fn standing_key(&self) -> Option<&Index> {
        let has_nulls =
            |index: &Index| index.parts.iter().any(|part| self.columns[part.column].nullable);
        match self.has_hidden_key() {
            true => self.indexes[1..].iter().find(|index| index.unique && !has_nulls(index)),
            false => self.indexes.first(),
        }
    }

    /// Whether partitions, or subpartitions, are told by this column.
    pub(crate) fn is_partitioned_by(&self, name: &str) -> bool {
        self.partitioning.iter().flat_map(Partitioning::all_by).any(|by| match by {
            PartitionedBy::Columns(names) => names.iter().any(|of| of.eq_ignore_ascii_case(name)),
            PartitionedBy::Expression(text) => {
                ComputedColumn { expression: text.clone(), stored: true }.names(name)
            }
        })
    }
}

/// Gives a definition with partitions the column of their numbers, behind all others.
pub(crate) fn add_partition_column(definition: &mut TableDefinition) -> Result<()> {
    let expression = match definition.partitioning.as_ref().map(|partitioning| &partitioning.by) {
        None => return Ok(()),
        Some(PartitionedBy::Expression(text)) => text.clone(),
        Some(PartitionedBy::Columns(names)) => {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(",")
        }
    };
    let ty = ColumnType::Int { width: IntWidth::Int, unsigned: true, boolean: false };
    let slot = definition.slots.len();
    definition.slots.push(ty.clone());
    definition.columns.push(Column {
        slot: u16::try_from(slot).map_err(|_| BrokenRule::TooManyColumns)?,
        computed: Some(ComputedColumn { expression, stored: true }),
        visibility: ColumnVisibility::OfPartition,
        ..Column::new("!hidden!partition", ty)
    });
    Ok(())
}

/// Checks what a definition says of partitions, but for values and expressions, which the rules are
/// made of.
pub(crate) fn validate_partitioning(definition: &TableDefinition) -> Result<()> {
    let Some(partitioning) = &definition.partitioning else { return Ok(()) };
    let fault = |fault: PartitionFault| Err(BrokenRule::Partitioning(fault).into());
    if !definition.foreign_keys.is_empty() {
        return fault(PartitionFault::ForeignKey);
    }
    if definition.columnar || definition.columnar_index.is_some() {
        return fault(PartitionFault::With("columnar tables and indexes"));
    }
    if !definition.members.is_empty() {
        return fault(PartitionFault::With("MEMBER_INDEXES"));
    }
    if definition.retention.bytes_max > 0 {
        return fault(PartitionFault::With("MAX_BYTES"));
    }
    if partitioning.partitions.is_empty() {
        return fault(PartitionFault::NotDefined("RANGE"));
    }
    let within = partitioning.subpartitioning.as_ref().map_or(1, |within| within.count as usize);
    if partitioning.partitions.len().saturating_mul(within) > PARTITIONS_MAX {
        return fault(PartitionFault::TooMany);
    }
    let mut names = HashSet::new();
    for partition in &partitioning.partitions {
        let within = partitioning.subpartitions(partition).into_iter().map(|within| within.name);
        for name in [partition.name.clone()].into_iter().chain(within) {
            if !names.insert(name.to_lowercase()) {
                return fault(PartitionFault::DuplicateName(name));
            }
        }
    }
    let columns = definition.partition_columns();
    if partitioning.is_by_columns() && columns.is_empty() {
        return fault(PartitionFault::FieldNotFound);
    }
    let within = partitioning.subpartitioning.as_ref();
    if let Some(PartitionedBy::Columns(names)) = within.map(|within| &within.by)
        && names.iter().any(|name| definition.column(name).is_none())
    {
        return fault(PartitionFault::FieldNotFound);
    }
    let mut named = HashSet::new();
    for name in &columns {
        if partitioning.is_by_columns() && !named.insert(name.to_lowercase()) {
            return fault(PartitionFault::FieldTwice(name.to_string()));
        }
        let Some(at) = definition.column(name) else {
            return fault(PartitionFault::FieldNotFound);
        };
        let ty = &definition.columns[at].ty;
        if matches!(ty, ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json) {
            return fault(PartitionFault::Blob);
        }
        let is_ordered = !matches!(
            ty,
            ColumnType::Timestamp { .. }
                | ColumnType::Float(_)
                | ColumnType::Double(_)
                | ColumnType::Decimal { .. }
                | ColumnType::Enum { .. }
                | ColumnType::Set { .. }
                | ColumnType::Bit { .. }
                | ColumnType::Year
        );
        if partitioning.method != PartitionMethod::Key && !is_ordered {
            return fault(PartitionFault::FieldType(name.clone()));
        }
    }
    // The columns of KEY () are not named.
    let told_by = |name: &str| {
        columns.iter().any(|of| of.eq_ignore_ascii_case(name)) || definition.is_partitioned_by(name)
    };
    for index in definition.indexes_with_parts().filter(|index| index.unique) {
        if index.parts.is_empty() {
            continue;
        }
        let is_missing = definition.named_columns().iter().enumerate().any(|(at, column)| {
            told_by(&column.name)
                && !index.parts.iter().any(|part| part.column == at && part.prefix.is_none())
        });
        if is_missing {
            let primary = index.name.eq_ignore_ascii_case("PRIMARY");
            let what = if primary { "PRIMARY KEY" } else { "UNIQUE INDEX" };
            return fault(PartitionFault::UniqueKey(what));
        }
    }
    Ok(())
}
