//! The rules of a table's definition, each as what a definition does that breaks it.
//!
//! The words are MySQL's where it has the rule, and for people to read: nobody looks into them to
//! know which rule it was.
//!
//! Not here: which definitions break them (`ddl::rules`), MySQL's codes (crate `sql`).

use crate::partition_fault::PartitionFault;
use crate::thing::Thing;

/// What a table's definition does and may not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenRule {
    /// A table without columns.
    #[error("A table must have at least 1 column")]
    NoColumns,
    /// A table of which no column is visible.
    #[error("A table must have at least one visible column.")]
    NoVisibleColumn,
    /// ALTER TABLE takes the last column away.
    #[error("You can't delete all columns with ALTER TABLE; use DROP TABLE instead")]
    AllColumnsDropped,
    /// More columns, or places of them in rows, than a table may have.
    #[error("Too many columns")]
    TooManyColumns,
    /// More indexes than a table may have.
    #[error("Too many keys specified; max 64 keys allowed")]
    TooManyIndexes,
    /// A key whose columns are longer than so many bytes.
    #[error("Specified key was too long; max key length is {0} bytes")]
    KeyTooLong(u64),
    /// Columns that are too long together.
    #[error(
        "Row size too large. The maximum row size for the used table type, not counting BLOBs, is 65535. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs"
    )]
    RowTooLong,
    /// Two columns of this name, or one twice in an index.
    #[error("Duplicate column name '{0}'")]
    DuplicateColumn(String),
    /// AUTO_INCREMENT of two columns, or of one that leads no index.
    #[error(
        "Incorrect table definition; there can be only one auto column and it must be defined as a key"
    )]
    AutoIncrement,
    /// AUTO_INCREMENT of a column that is no number.
    #[error("Incorrect column specifier for column '{0}'")]
    AutoIncrementType(String),
    /// A DECIMAL with digits that there are not.
    #[error("Incorrect precision or scale for column '{0}'")]
    Precision(String),
    /// A text that may be longer than its type may.
    #[error("Too big length for column '{0}'")]
    ColumnLength(String),
    /// A time with more than six digits of seconds.
    #[error("Too big precision for column '{0}'")]
    TimePrecision(String),
    /// An ENUM of no value, or of too many.
    #[error("Wrong number of ENUM values for column '{0}'")]
    EnumValues(String),
    /// A word of an ENUM or SET that is too long.
    #[error("Too long enumeration/set value for column {0}.")]
    LongWord(String),
    /// A SET of no member, or of too many.
    #[error("Too many strings for column {0} and SET")]
    SetValues(String),
    /// A BIT of no bit, or of too many.
    #[error("Display width out of range for column '{0}' (max = 64)")]
    Bits(String),
    /// A computed column with a value of its own.
    #[error("Incorrect usage of DEFAULT and generated column '{0}'")]
    ComputedDefault(String),
    /// A primary key of a computed column that is VIRTUAL.
    #[error(
        "'Defining a virtual generated column as primary key' is not supported for generated \
         columns."
    )]
    VirtualPrimaryKey,
    /// NULL as the default of a column that is NOT NULL.
    #[error("Invalid default value for column '{0}'")]
    NullDefault(String),
    /// A temporary table of a kind that there is not.
    #[error("This server does not support temporary tables {0}")]
    Temporary(&'static str),
    /// A view is renamed into another database.
    #[error("Changing schema from '{from}' to '{to}' is not allowed")]
    ViewLeavesDatabase {
        /// The database that it is in.
        from: String,
        /// The database that it was to be in.
        to: String,
    },
    /// A new column whose default would be another at every look at a row.
    #[error("Rows that exist cannot be given values by such a default of column '{0}'")]
    ChangingDefault(String),
    /// Two primary keys.
    #[error("Multiple primary key defined")]
    MultiplePrimaryKeys,
    /// An index of more columns than it may have.
    #[error("Too many key parts specified; max 16 parts allowed")]
    TooManyKeyParts,
    /// An index of no column.
    #[error("A key must have at least one part")]
    NoKeyParts,
    /// An index of a column that is not there.
    #[error("Key column '{0}' doesn't exist in table")]
    KeyColumn(String),
    /// An index of a whole TEXT or BLOB.
    #[error("BLOB/TEXT column '{0}' used in key specification without a key length")]
    TextKeyWithoutLength(String),
    /// An index of a JSON column.
    #[error(
        "JSON column '{0}' supports indexing only via generated columns on a specified JSON path."
    )]
    JsonKey(String),
    /// A prefix of nothing.
    #[error("Key part '{0}' length cannot be 0")]
    EmptyPrefix(String),
    /// A prefix of what is no text.
    #[error(
        "Incorrect prefix key; the used key part isn't a string, the used length is longer than the \
         key part, or the storage engine doesn't support unique prefix keys"
    )]
    PrefixKey,
    /// An index with the primary key's name.
    #[error("Incorrect index name 'PRIMARY'")]
    PrimaryName,
    /// Two conditions of this name.
    #[error("Duplicate check constraint name '{0}'.")]
    DuplicateCheck(String),
    /// A condition of this name is not there.
    #[error("Check constraint '{0}' is not found in the table.")]
    NoSuchCheck(String),
    /// A condition that names a column that is not there.
    #[error("Check constraint '{check}' refers to non-existing column '{column}'.")]
    CheckOfNoColumn {
        /// The condition.
        check: String,
        /// The column.
        column: String,
    },
    /// A condition behind a column that names another.
    #[error("Column check constraint '{0}' references other column.")]
    CheckOfOtherColumn(String),
    /// A condition of a number that the engine makes up.
    #[error("Check constraint '{0}' cannot refer to an auto-increment column.")]
    CheckOfAutoIncrement(String),
    /// A column goes that a condition has beside others.
    #[error(
        "Check constraint '{check}' uses column '{column}', hence column cannot be dropped or renamed."
    )]
    CheckedColumn {
        /// The condition.
        check: String,
        /// The column.
        column: String,
    },
    /// A foreign key with a name that another of the database has.
    #[error("Duplicate foreign key constraint name '{0}'")]
    DuplicateForeignKey(String),
    /// A foreign key of more columns than it refers to, or of fewer.
    #[error(
        "Incorrect foreign key definition for '{0}': Key reference and table reference don't match"
    )]
    ForeignKeyColumns(String),
    /// A foreign key that refers to no table.
    #[error("Failed to open the referenced table '{0}'")]
    NoParentTable(String),
    /// A foreign key that refers to a column that is not there.
    #[error(
        "Failed to add the foreign key constraint. Missing column '{column}' for constraint '{key}' \
         in the referenced table '{table}'"
    )]
    NoParentColumn {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
        /// The table that it refers to.
        table: String,
    },
    /// A foreign key that refers to what is no unique key.
    #[error(
        "Failed to add the foreign key constraint. Missing unique key for constraint '{key}' in the \
         referenced table '{table}'"
    )]
    NoParentKey {
        /// The foreign key.
        key: String,
        /// The table that it refers to.
        table: String,
    },
    /// A foreign key whose values cannot be compared with those that it refers to.
    #[error(
        "Referencing column '{column}' and referenced column '{parent_column}' in foreign key \
         constraint '{key}' are incompatible."
    )]
    IncompatibleColumns {
        /// The child's column.
        column: String,
        /// The parent's.
        parent_column: String,
        /// The foreign key.
        key: String,
    },
    /// A table that does not fit the foreign keys that wait for it.
    #[error("Cannot add foreign key constraint")]
    ForeignKeyRefused,
    /// SET NULL of a column that may not be NULL.
    #[error(
        "Column '{column}' cannot be NOT NULL: needed in a foreign key constraint '{key}' SET NULL"
    )]
    SetNullOfNotNull {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
    },
    /// A foreign key that would give a computed column values.
    #[error("Cannot define foreign key with {0} clause on a generated column.")]
    ForeignKeyOfComputed(String),
    /// A foreign key of a virtual column.
    #[error("Foreign key '{key}' uses virtual column '{column}' which is not supported.")]
    ForeignKeyOfVirtual {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
    },
    /// An index goes that a foreign key needs.
    #[error("Cannot drop index '{0}': needed in a foreign key constraint")]
    NeededIndex(String),
    /// A column goes that a foreign key has.
    #[error("Cannot drop column '{column}': needed in a foreign key constraint '{key}'")]
    ForeignKeyColumnDropped {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
    },
    /// A column goes that a foreign key refers to.
    #[error(
        "Cannot drop column '{column}': needed in a foreign key constraint '{key}' of table '{child}'"
    )]
    ReferencedColumnDropped {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
        /// Its table.
        child: String,
    },
    /// The values of a column that a foreign key has would change.
    #[error("Cannot change column '{column}': used in a foreign key constraint '{key}'")]
    ForeignKeyColumnChanged {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
    },
    /// The values of a column that a foreign key refers to would change.
    #[error(
        "Cannot change column '{column}': used in a foreign key constraint '{key}' of table '{child}'"
    )]
    ReferencedColumnChanged {
        /// The column.
        column: String,
        /// The foreign key.
        key: String,
        /// Its table.
        child: String,
    },
    /// A table goes that another one refers to.
    #[error(
        "Cannot drop table '{table}' referenced by a foreign key constraint '{key}' on table '{child}'."
    )]
    DropOfParent {
        /// The table.
        table: String,
        /// The foreign key.
        key: String,
        /// Its table.
        child: String,
    },
    /// A table would be emptied that another one refers to.
    #[error(
        "Cannot truncate a table referenced in a foreign key constraint (`{database}`.`{child}`, \
         CONSTRAINT `{key}`)"
    )]
    TruncateOfParent {
        /// The child's database.
        database: String,
        /// The child.
        child: String,
        /// The foreign key.
        key: String,
    },
    /// A foreign key of a columnar table, or one that refers to such a table.
    #[error("ENGINE=COLUMNAR cannot be combined with FOREIGN KEY")]
    ForeignKeyColumnar,
    /// A foreign key that would keep rows which expire.
    #[error(
        "Foreign key '{0}' refers to a table with EXPIRES_BY, whose rows go by themselves: it must \
         say ON DELETE CASCADE or ON DELETE SET NULL"
    )]
    ForeignKeyOfExpiring(String),
    /// Partitions that may not be so.
    #[error(transparent)]
    Partitioning(PartitionFault),
    /// A name that is none, or ends in a space.
    #[error("Incorrect {0} name '{1}'")]
    Name(Thing, String),
    /// A name of more characters than one may have.
    #[error("Identifier name '{0}' is too long")]
    LongName(String),
    /// A primary key, or the key that stands for one, that is invisible.
    #[error("A primary key index cannot be invisible")]
    InvisiblePrimaryKey,
    /// An index that is not there.
    #[error("Key '{name}' doesn't exist in table '{table}'")]
    NoSuchIndex {
        /// The index.
        name: String,
        /// The table.
        table: String,
    },
    /// A key part that is JSON.
    #[error(
        "Cannot create a functional index on a function that returns a JSON or GEOMETRY value."
    )]
    FunctionalJson,
    /// A key part that is a text without end.
    #[error(
        "Cannot create a functional index on an expression that returns a BLOB or TEXT. Please \
         consider using CAST."
    )]
    FunctionalText,
    /// A column goes, or gets another name, that a key part names.
    #[error("Column '{0}' has a functional index dependency and cannot be dropped or renamed.")]
    FunctionalDependency(String),
    /// An index of several arrays.
    #[error(
        "This version of Rowhouse doesn't yet support 'more than one multi-valued key part per \
         index'"
    )]
    MultiValuedParts,
    /// A multi-valued index of a table that is stored by column.
    #[error("A table stored by column cannot have multi-valued indexes")]
    MultiValuedColumnar,
    /// A full-text index of what is no text, or of texts of several collations.
    #[error("Column '{0}' cannot be part of FULLTEXT index")]
    FullTextColumn(String),
    /// A full-text index of a table that cannot have one.
    #[error("The used table type doesn't support FULLTEXT indexes")]
    FullTextTable,
    /// A full-text index of a temporary table.
    #[error("Cannot create FULLTEXT index on temporary InnoDB table")]
    FullTextTemporary,
    /// An index of members of a column that has none.
    #[error("Column '{0}' has indexes of members, and must be JSON")]
    MemberColumn(String),
    /// A member without a name, or with too long a one.
    #[error("Incorrect member name '{0}'")]
    MemberName(String),
    /// Two indexes of a member.
    #[error("Duplicate index of member '{0}'")]
    DuplicateMember(String),
    /// A cache of fewer bytes than a few rows take.
    #[error("MAX_BYTES must be 0 or at least {0}")]
    CacheTooSmall(u64),
    /// EXPIRES_BY of a column that is not there.
    #[error("EXPIRES_BY column '{0}' doesn't exist in table")]
    ExpiryColumn(String),
    /// EXPIRES_BY of a column that is no whole number.
    #[error("EXPIRES_BY column '{0}' must be an integer")]
    ExpiryType(String),
    /// A columnar table that rows would leave one by one.
    #[error("ENGINE=COLUMNAR cannot be combined with EXPIRES_BY or MAX_BYTES")]
    ColumnarRetention,
    /// Two columnar indexes.
    #[error("A table can have only one columnar index")]
    ColumnarIndexTwice,
    /// A columnar index of a columnar table.
    #[error("A table with ENGINE=COLUMNAR cannot have a columnar index")]
    ColumnarIndexOfColumnar,
    /// A columnar index of a table that rows leave one by one.
    #[error("A columnar index cannot be combined with EXPIRES_BY or MAX_BYTES")]
    ColumnarIndexRetention,
    /// A columnar index dropped and made in one statement.
    #[error("A columnar index is dropped by a statement of its own")]
    ColumnarIndexReplaced,
    /// A table that a door relies on has another shape than the door made it with.
    #[error("{table} lacks {what}")]
    DoorTable {
        /// The table, as `db.table`.
        table: &'static str,
        /// What is missing.
        what: String,
    },
}
