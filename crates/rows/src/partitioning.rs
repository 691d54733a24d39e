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
