//! What a definition says of a table's partitions, and the rules that it must fulfil.
//!
//! Not here: which partition a row is of (`placement`), statements that change them (`change`).

use serde::{Deserialize, Serialize};
use values::types::{ColumnType, IntWidth};

use super::fault::PartitionFault;
use crate::broken_rule::BrokenRule;
use crate::error::Result;
use crate::schema::{Column, ColumnVisibility, ComputedColumn, Index, TableDefinition};

/// Number of a partition within its table; never reused, and never 0.
pub type PartitionId = u32;

/// Bytes of a partition's number in a key.
pub(crate) const PARTITION_BYTES: usize = 4;
/// Most partitions of a table, as in MySQL.
pub(super) const PARTITIONS_MAX: usize = 8192;

/// How rows are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartitionMethod {
    /// By ranges of values.
    Range,
    /// By lists of values.
    List,
    /// By the remainder of a number.
    Hash,
    /// By a hash of columns' values.
    Key,
}

/// What partitions are told by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartitionedBy {
    /// An expression, as text (`rules`): RANGE, LIST, HASH.
    Expression(String),
    /// Names of columns: RANGE COLUMNS, LIST COLUMNS, KEY. Of KEY none: the primary key's.
    Columns(Vec<String>),
}

/// A value in VALUES LESS THAN or VALUES IN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartitionValue {
    /// NULL.
    Null,
    /// MAXVALUE.
    Maximum,
    /// A number, or a value of the column, as MySQL's text.
    Text(String),
}

/// How a HASH or KEY was given its partitions, which SHOW CREATE TABLE shows again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartitionNaming {
    /// Nothing was said: there is one.
    Implied,
    /// PARTITIONS n.
    Counted,
    /// Each was written.
    Listed,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// Its number.
    pub id: PartitionId,
    /// Its name; compared without case.
    pub name: String,
    /// LESS THAN: one row of values; IN: each row of values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Vec<PartitionValue>>,
    /// COMMENT.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// PARTITION BY.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partitioning {
    /// How rows are divided.
    pub method: PartitionMethod,
    /// LINEAR, of HASH and KEY.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linear: bool,
    /// What by.
    pub by: PartitionedBy,
    /// In the order of their values, or of their numbers in a HASH.
    pub partitions: Vec<Partition>,
    /// How they were written.
    pub naming: PartitionNaming,
    /// The next partition's number.
    pub next: PartitionId,
}

impl Partitioning {
    /// Position of a partition by name, without regard to case.
    pub fn partition(&self, name: &str) -> Option<usize> {
        self.partitions.iter().position(|partition| partition.name.eq_ignore_ascii_case(name))
    }

    /// Whether it is told by columns' values: COLUMNS.
    pub fn is_by_columns(&self) -> bool {
        matches!(self.by, PartitionedBy::Columns(_))
    }

    /// Gives a partition the next number.
    pub(super) fn take_id(&mut self) -> PartitionId {
        self.next += 1;
        self.next - 1
    }

    /// Names and numbers of `count` partitions behind those that there are, named by their places.
    pub(super) fn push_counted(&mut self, count: usize) {
        for _ in 0..count {
            let (id, at) = (self.take_id(), self.partitions.len());
            let name = format!("p{at}");
            self.partitions.push(Partition { id, name, values: Vec::new(), comment: String::new() });
        }
    }

    /// Gives all partitions new numbers: rows are divided otherwise.
    pub(super) fn renumber(&mut self) {
        for at in 0..self.partitions.len() {
            self.partitions[at].id = self.take_id();
        }
    }
}

impl TableDefinition {
    /// Position of the column that has the number of a row's partition.
    pub fn partition_column(&self) -> Option<usize> {
        let first = self.named_columns().len();
        let is_of_partition =
            |column: &Column| column.visibility == ColumnVisibility::OfPartition;
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
        let has_nulls = |index: &Index| {
            index.parts.iter().any(|part| self.columns[part.column].nullable)
        };
        match self.has_hidden_key() {
            true => self.indexes[1..].iter().find(|index| index.unique && !has_nulls(index)),
            false => self.indexes.first(),
        }
    }

    /// Whether partitions are told by this column.
    pub(crate) fn is_partitioned_by(&self, name: &str) -> bool {
        match self.partitioning.as_ref().map(|partitioning| &partitioning.by) {
            None => false,
            Some(PartitionedBy::Columns(names)) => {
                names.iter().any(|of| of.eq_ignore_ascii_case(name))
            }
            Some(PartitionedBy::Expression(text)) => {
                ComputedColumn { expression: text.clone(), stored: true }.names(name)
            }
        }
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
    if partitioning.partitions.len() > PARTITIONS_MAX {
        return fault(PartitionFault::TooMany);
    }
    for (at, partition) in partitioning.partitions.iter().enumerate() {
        if partitioning.partition(&partition.name) != Some(at) {
            return fault(PartitionFault::DuplicateName(partition.name.clone()));
        }
    }
    let columns = definition.partition_columns();
    if partitioning.is_by_columns() && columns.is_empty() {
        return fault(PartitionFault::FieldNotFound);
    }
    for name in &columns {
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
    let told_by = |name: &str| match &partitioning.by {
        PartitionedBy::Columns(_) => columns.iter().any(|of| of.eq_ignore_ascii_case(name)),
        PartitionedBy::Expression(_) => definition.is_partitioned_by(name),
    };
    for index in definition.indexes.iter().filter(|index| index.unique) {
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
