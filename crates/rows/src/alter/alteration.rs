//! What ALTER TABLE and its relatives ask for: one change of a table at a time.
//!
//! Not here: what they come to together (`plan`), their syntax (crate `syntax`).

use std::collections::BTreeMap;

use crate::ddl::{NewCheck, NewColumnarIndex, NewForeignKey, NewFullText, NewIndex, NewMember};
use values::types::Collation;

use crate::partition::PartitionChange;
use crate::schema::{Column, DefaultValue};

/// Where a column goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnPlace {
    /// Where it is; at the end for a new one.
    Keep,
    /// Before all others.
    First,
    /// Behind the named column.
    After(String),
}

/// One change of a table.
#[derive(Clone, Debug)]
pub enum Alteration {
    /// ADD COLUMN.
    AddColumn {
        /// The column; its slot is handed out here.
        column: Column,
        /// Where.
        place: ColumnPlace,
        /// Text form of the default for rows that exist, where it is CURRENT_TIMESTAMP or an
        /// expression that asks no row.
        now: Option<Vec<u8>>,
    },
    /// DROP COLUMN.
    DropColumn(String),
    /// MODIFY or CHANGE COLUMN.
    ModifyColumn {
        /// Its name so far.
        name: String,
        /// What it is to be.
        column: Column,
        /// Where.
        place: ColumnPlace,
    },
    /// RENAME COLUMN.
    RenameColumn {
        /// Its name so far.
        from: String,
        /// Its new name.
        to: String,
    },
    /// ALTER COLUMN SET or DROP DEFAULT.
    SetDefault {
        /// The column.
        name: String,
        /// Its new default.
        default: DefaultValue,
    },
    /// ADD INDEX, UNIQUE or PRIMARY KEY.
    AddIndex(NewIndex),
    /// DROP INDEX.
    DropIndex(String),
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// RENAME INDEX.
    RenameIndex {
        /// Its name so far.
        from: String,
        /// Its new name.
        to: String,
    },
    /// ALTER COLUMN .. SET VISIBLE or SET INVISIBLE.
    SetColumnVisibility {
        /// The column.
        name: String,
        /// Whether it is invisible from now on.
        invisible: bool,
    },
    /// ALTER INDEX .. VISIBLE or INVISIBLE.
    SetIndexVisibility {
        /// The index.
        name: String,
        /// Whether it is invisible from now on.
        invisible: bool,
    },
    /// RENAME TO.
    RenameTable {
        /// Database.
        database: String,
        /// Name.
        name: String,
    },
    /// COMMENT.
    SetComment(String),
    /// DEFAULT COLLATE, of columns that are added later.
    SetCollation(Collation),
    /// ENGINE.
    SetEngine(String),
    /// The options of other servers' storage that are to be shown.
    SetStorageOptions(BTreeMap<String, String>),
    /// AUTO_INCREMENT.
    SetAutoIncrement(u64),
    /// EXPIRES_BY; `None` lets rows stay.
    SetExpiry(Option<String>),
    /// MAX_BYTES; 0 lets rows stay.
    SetBytesMax(u64),
    /// Gives a member of JSON an index, in the place of one of another kind.
    SetMember(NewMember),
    /// Drops the index of a member.
    DropMember {
        /// The column.
        column: String,
        /// The member's name.
        member: String,
    },
    /// MEMBER_INDEXES: these, and no others.
    SetMembers(Vec<NewMember>),
    /// ADD FULLTEXT INDEX.
    AddFullText(NewFullText),
    /// ADD COLUMNAR INDEX.
    AddColumnarIndex(NewColumnarIndex),
    /// ADD CONSTRAINT ... CHECK.
    AddCheck(NewCheck),
    /// DROP CONSTRAINT of a condition.
    DropCheck(String),
    /// ALTER CHECK ... [NOT] ENFORCED.
    SetCheckEnforcement {
        /// The condition's name.
        name: String,
        /// Whether rows must fulfil it from now on.
        enforced: bool,
    },
    /// ADD FOREIGN KEY.
    AddForeignKey(NewForeignKey),
    /// DROP FOREIGN KEY.
    DropForeignKey(String),
    /// What is said of partitions.
    Partitions(PartitionChange),
}
