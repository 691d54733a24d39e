//! What a definition or a statement says of partitions and may not, in MySQL's words.
//!
//! Not here: MySQL's numbers (crate `results`).

/// What is wrong with partitions as they are said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionFault {
    /// A table that has what partitioned ones have not.
    #[error("This server does not support partitions of tables with {0}")]
    With(&'static str),
    /// A table of partitions with foreign keys, or that foreign keys refer to.
    #[error("Foreign keys are not yet supported in conjunction with partitioning")]
    ForeignKey,
    /// A temporary table with partitions.
    #[error("Cannot create temporary table with partitions")]
    Temporary,
    /// A unique key without a column that partitions are told by.
    #[error(
        "A {0} must include all columns in the table's partitioning function (prefixed columns are \
         not considered)."
    )]
    UniqueKey(&'static str),
    /// Partitions without their values.
    #[error("For {0} partitions each partition must be defined")]
    NotDefined(&'static str),
    /// More than there may be.
    #[error("Too many partitions (including subpartitions) were defined")]
    TooMany,
    /// Two of one name.
    #[error("Duplicate partition name {0}")]
    DuplicateName(String),
    /// A column that is not there.
    #[error("Field in list of fields for partition function not found in table")]
    FieldNotFound,
    /// A column that is named twice.
    #[error("Duplicate partition field name '{0}'")]
    FieldTwice(String),
    /// A text without end.
    #[error("A BLOB field is not allowed in partition function")]
    Blob,
    /// A column of a type that has no order here.
    #[error("Field '{0}' is of a not allowed type for this type of partitioning")]
    FieldType(String),
    /// Bounds that do not grow.
    #[error("VALUES LESS THAN value must be strictly increasing for each partition")]
    NotIncreasing,
    /// MAXVALUE before the last.
    #[error("MAXVALUE can only be used in last partition definition")]
    MaximumNotLast,
    /// One value in two lists, or twice.
    #[error("Multiple definition of same constant in list partitioning")]
    ListedTwice,
    /// VALUES IN or LESS THAN where the other belongs.
    #[error("Only {method} PARTITIONING can use VALUES {values} in partition definition")]
    WrongValues {
        /// The method that has such values.
        method: &'static str,
        /// The values.
        values: &'static str,
    },
    /// A statement about partitions of a table that has none.
    #[error("Partition management on a not partitioned table is not possible")]
    None,
    /// A name that no partition has.
    #[error("Unknown partition '{name}' in table '{table}'")]
    Unknown {
        /// The name.
        name: String,
        /// The table.
        table: String,
    },
    /// DROP PARTITION of one that is not there.
    #[error("Error in list of partitions to {0}")]
    NotThere(&'static str),
    /// All would go.
    #[error("Cannot remove all partitions, use DROP TABLE instead")]
    AllGone,
    /// DROP PARTITION of a HASH or KEY, REORGANIZE likewise.
    #[error("{0} PARTITION can only be used on RANGE/LIST partitions")]
    OnlyRangeList(&'static str),
    /// COALESCE PARTITION of a RANGE or LIST.
    #[error("COALESCE PARTITION can only be used on HASH/KEY partitions")]
    OnlyHash,
    /// COALESCE PARTITION 0.
    #[error("At least one partition must be coalesced")]
    CoalesceNone,
    /// ADD PARTITION PARTITIONS 0.
    #[error("At least one partition must be added")]
    AddNone,
    /// REORGANIZE without a list of what is not HASH.
    #[error(
        "REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs"
    )]
    ReorganizeNothing,
    /// REORGANIZE of partitions that do not follow each other.
    #[error("When reorganizing a set of partitions they must be in consecutive order")]
    NotConsecutive,
    /// REORGANIZE that leaves a gap or an overlap.
    #[error(
        "Reorganize of range partitions cannot change total ranges except for last partition where \
         it can extend the range"
    )]
    RangeChanged,
    /// A column goes, or gets another name, that partitions are told by.
    #[error(
        "Column '{0}' has a partitioning function dependency and cannot be dropped or renamed."
    )]
    Dependency(String),
    /// EXCHANGE PARTITION with a table that is partitioned itself.
    #[error("Table to exchange with partition is partitioned: '{0}'")]
    ExchangePartitioned(String),
    /// EXCHANGE PARTITION with a table that foreign keys have, or refer to.
    #[error("Table to exchange with partition has foreign key references: '{0}'")]
    ExchangeForeignKey(String),
    /// EXCHANGE PARTITION of tables that are not alike.
    #[error("Tables have different definitions")]
    ExchangeDifferent,
    /// EXCHANGE PARTITION with a row of another partition.
    #[error("Found a row that does not match the partition")]
    ExchangeRow,
}
