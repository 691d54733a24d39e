//! What a definition says of a table's partitions.
//!
//! Not here: the rules that it must fulfil, which partition a row is of, statements that change
//! them (`partition`).

use serde::{Deserialize, Serialize};

/// Number of a partition within its table; never reused, and never 0.
pub type PartitionId = u32;

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
    /// Its subpartitions, where they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subpartitions: Vec<Subpartition>,
}

/// A subpartition: a name for some of its partition's rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subpartition {
    /// Its name.
    pub name: String,
    /// COMMENT.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// SUBPARTITION BY: kept and shown. Rows lie by partitions alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subpartitioning {
    /// HASH or KEY.
    pub method: PartitionMethod,
    /// LINEAR.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linear: bool,
    /// What by.
    pub by: PartitionedBy,
    /// How many each partition has.
    pub count: u32,
    /// How they were written.
    pub naming: PartitionNaming,
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
    /// SUBPARTITION BY.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subpartitioning: Option<Subpartitioning>,
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

    /// The subpartitions of a partition, those that were not written by the names that MySQL gives
    /// them; none in a table without.
    pub fn subpartitions(&self, partition: &Partition) -> Vec<Subpartition> {
        match &self.subpartitioning {
            None => Vec::new(),
            Some(_) if !partition.subpartitions.is_empty() => partition.subpartitions.clone(),
            Some(by) => {
                let name = |at: u32| format!("{}sp{at}", partition.name);
                let named =
                    |at| Subpartition { name: name(at), comment: partition.comment.clone() };
                (0..by.count).map(named).collect()
            }
        }
    }

    /// What rows are divided by: into partitions, and these.
    pub(crate) fn all_by(&self) -> impl Iterator<Item = &PartitionedBy> {
        [&self.by].into_iter().chain(self.subpartitioning.as_ref().map(|within| &within.by))
    }

    /// The same, to be changed.
    pub(crate) fn all_by_mut(&mut self) -> impl Iterator<Item = &mut PartitionedBy> {
        let within = self.subpartitioning.as_mut().map(|within| &mut within.by);
        [&mut self.by].into_iter().chain(within)
    }

    /// Gives a partition the next number.
    pub(crate) fn take_id(&mut self) -> PartitionId {
        self.next += 1;
        self.next - 1
    }

    /// Names and numbers of `count` partitions behind those that there are, named by their places.
    pub(crate) fn push_counted(&mut self, count: usize) {
        for _ in 0..count {
            let (id, at) = (self.take_id(), self.partitions.len());
            let name = format!("p{at}");
            self.partitions.push(Partition {
                id,
                name,
                values: Vec::new(),
                comment: String::new(),
                subpartitions: Vec::new(),
            });
        }
    }

    /// Gives all partitions new numbers: rows are divided otherwise.
    pub(crate) fn renumber(&mut self) {
        for at in 0..self.partitions.len() {
            self.partitions[at].id = self.take_id();
        }
    }
}
