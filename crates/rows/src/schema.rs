//! What a table is: columns, indexes, and the layout of its rows that follows from them.
//!
//! Invariants
//! 1. A `Table` is immutable; a schema change makes a new one with a higher `version`.
//! 2. A column's `slot` is its place in stored rows. Slots are handed out in order and never
//!    reused, so rows written before a column was added or dropped stay readable.
//! 3. `indexes[0]` is the primary key. A table without one has the hidden row id as its key:
//!    an index without parts.
//!
//! Not here: a column (`column`), where definitions are kept (`catalog`), bytes of rows and keys
//! (`row`, `key`).

mod column;

pub use column::{Column, ColumnVisibility, ComputedColumn, DefaultValue};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use values::datum::Value;
use values::full_text::TextRules;
use values::member::MemberKind;
use values::row::{RowColumn, RowLayout};
use values::types::{Collation, ColumnType};

use crate::foreign_key::ForeignKey;
use crate::partitioning::Partitioning;
use crate::temporary_ids::is_temporary_id;

/// Number of a table's key range. Never reused; 0 is the catalog itself.
pub type TableId = u32;
/// Number of an index within its table. Never reused; 1 is the primary key.
pub type IndexId = u16;
/// The name by which MySQL knows the key of a row that is a whole number.
pub const ROW_ID: &str = "_rowid";

/// A condition that every row must fulfil: CHECK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckDefinition {
    /// Its name within the table.
    pub name: String,
    /// The condition, as text (`rules`).
    pub condition: String,
    /// NOT ENFORCED: no row has to fulfil it. Since catalog format 24.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unenforced: bool,
}

impl CheckDefinition {
    /// The name of a table's condition that was given none.
    pub fn generated_name(table: &str, number: u64) -> String {
        format!("{table}_chk_{number}")
    }

    /// The number in such a name.
    pub fn number(&self, table: &str) -> Option<u64> {
        self.name.strip_prefix(table)?.strip_prefix("_chk_")?.parse().ok()
    }
}

/// A type in the catalog: FLOAT and DOUBLE without digits are words, as they were before these
/// could have some.
mod stored_type {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use values::types::ColumnType;

    #[derive(Serialize, Deserialize)]
    enum WithoutDigits {
        Float,
        Double,
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum TypeInCatalog {
        Word(WithoutDigits),
        Type(ColumnType),
    }

    pub(super) fn serialize<S: Serializer>(ty: &ColumnType, to: S) -> Result<S::Ok, S::Error> {
        match ty {
            ColumnType::Float(None) => WithoutDigits::Float.serialize(to),
            ColumnType::Double(None) => WithoutDigits::Double.serialize(to),
            other => other.serialize(to),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ColumnType, D::Error> {
        Ok(match TypeInCatalog::deserialize(from)? {
            TypeInCatalog::Word(WithoutDigits::Float) => ColumnType::Float(None),
            TypeInCatalog::Word(WithoutDigits::Double) => ColumnType::Double(None),
            TypeInCatalog::Type(ty) => ty,
        })
    }
}

/// A column's part in an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    /// Position in `Table::columns`.
    pub column: usize,
    /// Only this many leading characters (bytes for binary strings) are in the key.
    pub prefix: Option<u32>,
    /// DESC: greater values come first. Since catalog format 16; before, the word meant nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub descending: bool,
}

impl IndexPart {
    /// Its column, where the key has all of it.
    pub fn whole(&self) -> Option<usize> {
        self.prefix.is_none().then_some(self.column)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether an index can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexState {
    /// Being filled beside writers (`alter::online`): a mark of its number alone, in the catalog
    /// only. What a crash leaves there under this number is removed at the next start.
    Building,
    /// Complete.
    Ready,
}

/// An index, the primary key included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Its number within the table.
    pub id: IndexId,
    /// `PRIMARY` for the primary key.
    pub name: String,
    /// Whether two rows may not share a key without NULLs.
    pub unique: bool,
    /// Key columns in order.
    pub parts: Vec<IndexPart>,
    /// Whether readers may use it.
    pub state: IndexState,
    /// COMMENT '...'.
    pub comment: String,
    /// INVISIBLE: kept up, and not used where the optimizer chooses. Since catalog format 16.
    #[serde(default, skip_serializing_if = "is_default")]
    pub invisible: bool,
    /// USING BTREE, which is shown again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub explicit_btree: bool,
    /// Nobody asked for it but a foreign key: it goes when another index serves that as well.
    #[serde(default, skip_serializing_if = "is_default")]
    pub implied: bool,
}

/// An index of a member of the objects in a JSON column: no index of a column, so that nobody takes
/// it for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberIndex {
    /// Its number, of the same row of numbers as those of other indexes.
    pub id: IndexId,
    /// Name of the column.
    pub column: String,
    /// The member's name; a member of a column has one index at most.
    pub member: String,
    /// What it has entries of.
    pub kind: MemberKind,
}

/// A full-text index: of the words of some columns, which together are one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullTextIndex {
    /// Its number, of the same row of numbers as those of other indexes.
    pub id: IndexId,
    /// Its name, which no other index of the table has.
    pub name: String,
    /// Names of its columns, which have one collation.
    pub columns: Vec<String>,
    /// Which words have entries: as the settings were when it was made.
    pub rules: TextRules,
    /// COMMENT '...'.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// INVISIBLE.
    #[serde(default, skip_serializing_if = "is_default")]
    pub invisible: bool,
}

/// A multi-valued index: of the elements of an array, with other parts before and behind them. A
/// row has an entry for each element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultiValuedIndex {
    /// Its number, name and parts. The column of the array is one of indexes, and has the keys of
    /// its elements (`expression`, `typed_array`).
    #[serde(flatten)]
    pub index: Index,
    /// Which of the parts is the array.
    pub array: usize,
    /// The type of its elements.
    #[serde(with = "stored_type")]
    pub element: ColumnType,
}

impl MultiValuedIndex {
    /// The column of the array.
    pub fn array_column(&self) -> usize {
        self.index.parts[self.array].column
    }
}

/// The columnar index of a table of rows: some of its columns, kept by column as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnarIndex {
    /// Its number, of the same row of numbers as those of other indexes.
    pub id: IndexId,
    /// Its name, which no other index of the table has.
    pub name: String,
    /// Names of columns, as said; those of the primary key are kept in any case.
    pub columns: Vec<String>,
    /// COMMENT '...'.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// When rows leave a table by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// EXPIRES_BY: the integer column of the Unix second at which a row is gone (`expiry`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_by: Option<String>,
    /// MAX_BYTES: the table is a cache, whose least recently used rows leave when keys and rows
    /// have more bytes than this (`evict`); 0: it is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes_max: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Retention {
    /// Whether rows stay until they are deleted.
    pub fn is_forever(&self) -> bool {
        *self == Retention::default()
    }
}

/// A table's definition as the catalog stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableDefinition {
    /// The key range of its rows.
    pub id: TableId,
    /// Counts its schema changes.
    pub version: u64,
    /// Database name.
    pub database: String,
    /// Table name.
    pub name: String,
    /// Columns in the order of `SELECT *`.
    pub columns: Vec<Column>,
    /// `indexes[0]` is the primary key or the hidden row id.
    pub indexes: Vec<Index>,
    /// The types of all slots ever handed out, in order; dropped columns included.
    pub slots: Vec<ColumnType>,
    /// The next index number.
    pub next_index: IndexId,
    /// AUTO_INCREMENT starts at least here.
    pub auto_increment_base: u64,
    /// COMMENT '...'.
    pub comment: String,
    /// ENGINE= as given, shown again by SHOW CREATE TABLE.
    pub engine: String,
    /// Options of other servers' storage by name, in capitals, as said: without effect here, and
    /// shown again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage_options: BTreeMap<String, String>,
    /// Creation time, Unix seconds.
    pub created: u64,
    /// When rows leave by themselves. Since catalog format 2.
    #[serde(default, skip_serializing_if = "Retention::is_forever")]
    pub retention: Retention,
    /// Whether rows are stored by column, once they have rested for a while. Since catalog format
    /// 3; before, ENGINE=COLUMNAR was a name like any other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub columnar: bool,
    /// Indexes of members of JSON. Since catalog format 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberIndex>,
    /// Full-text indexes. Since catalog format 17.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub full_texts: Vec<FullTextIndex>,
    /// Multi-valued indexes. Since catalog format 22.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub multi_valued: Vec<MultiValuedIndex>,
    /// Since catalog format 6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columnar_index: Option<ColumnarIndex>,
    /// Conditions of the table. Since catalog format 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckDefinition>,
    /// Since catalog format 12.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
    /// The collation of text columns that come without one. Definitions of earlier versions do not
    /// say it; it is that of most of their columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<Collation>,
    /// PARTITION BY. Since catalog format 18.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitioning: Option<Partitioning>,
}

/// ENGINE= of tables that are stored by column.
pub const COLUMNAR: &str = "COLUMNAR";

impl TableDefinition {
    /// Whether it is a temporary table, of one session.
    #[inline]
    pub fn is_temporary(&self) -> bool {
        is_temporary_id(self.id)
    }

    /// Where the columns are in the table's rows.
    ///
    /// # Panics
    /// When a column's slot is not among the slots.
    pub fn row_layout(&self) -> RowLayout {
        let columns = self.columns.iter().map(|column| RowColumn {
            slot: column.slot,
            ty: &column.ty,
            absent: column.absent.as_deref(),
        });
        RowLayout::new(&self.slots, columns)
    }

    /// The numbers of all its indexes, of whatever kind.
    pub(crate) fn stored_indexes(&self) -> impl Iterator<Item = IndexId> {
        let columnar = self.columnar_index.iter().map(|index| index.id);
        self.indexes.iter().map(|index| index.id).chain(self.listed_indexes()).chain(columnar)
    }

    /// The numbers of the indexes that have several entries for a row, or none, in the order in
    /// which they follow the others: those of members, full-text ones, multi-valued ones.
    pub(crate) fn listed_indexes(&self) -> impl Iterator<Item = IndexId> {
        let members = self.members.iter().map(|member| member.id);
        let full_texts = self.full_texts.iter().map(|index| index.id);
        members.chain(full_texts).chain(self.multi_valued.iter().map(|of| of.index.id))
    }

    /// The indexes that have parts of columns, multi-valued ones behind the others.
    pub fn indexes_with_parts(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().chain(self.multi_valued.iter().map(|of| &of.index))
    }

    /// Whether a column, by its position, is a part of one of them.
    pub(crate) fn is_in_index(&self, column: usize) -> bool {
        let mut parts = self.indexes_with_parts().flat_map(|index| &index.parts);
        parts.any(|part| part.column == column)
    }

    /// The same as they are shown, in MySQL's order: unique ones without NULLs, other unique ones,
    /// those with prefixes behind those without; then the others, each as they were made.
    pub fn indexes_in_order(&self) -> Vec<&Index> {
        let mut indexes: Vec<&Index> = self.indexes_with_parts().collect();
        let rank = |index: &&Index| match index.unique {
            false => (true, false, false, index.id),
            true => {
                let mut parts = index.parts.iter();
                let may_be_null = parts.any(|part| self.columns[part.column].nullable);
                let has_prefix = index.parts.iter().any(|part| part.prefix.is_some());
                (false, may_be_null, has_prefix, index.id)
            }
        };
        indexes[1..].sort_by_key(rank);
        indexes
    }

    /// The same, to be changed.
    pub(crate) fn indexes_with_parts_mut(&mut self) -> impl Iterator<Item = &mut Index> {
        self.indexes.iter_mut().chain(self.multi_valued.iter_mut().map(|of| &mut of.index))
    }

    /// Position of a multi-valued index by name, without regard to case.
    pub fn multi_valued_index(&self, name: &str) -> Option<usize> {
        self.multi_valued.iter().position(|of| of.index.name.eq_ignore_ascii_case(name))
    }

    /// Notes whether `engine` says that rows are stored by column.
    pub(crate) fn follow_engine(&mut self) {
        self.columnar = self.engine.eq_ignore_ascii_case(COLUMNAR);
    }

    /// Marks numbers as those of indexes that are being filled, until they are indexes or nothing.
    pub(crate) fn mark_unfinished(&mut self, ids: impl IntoIterator<Item = IndexId>) {
        self.indexes.extend(ids.into_iter().map(|id| Index {
            id,
            name: String::new(),
            unique: false,
            parts: Vec::new(),
            state: IndexState::Building,
            comment: String::new(),
            invisible: false,
            explicit_btree: false,
            implied: false,
        }));
    }

    /// Removes such marks, and gives their numbers.
    pub(crate) fn drop_unfinished(&mut self) -> Vec<IndexId> {
        let is_mark = |index: &mut Index| index.state == IndexState::Building;
        self.indexes.extract_if(.., is_mark).map(|index| index.id).collect()
    }

    /// Whether the key is the hidden row id.
    pub fn has_hidden_key(&self) -> bool {
        self.indexes[0].parts.is_empty()
    }

    /// How many keys of its columns are unique, the primary one included.
    pub fn unique_keys(&self) -> usize {
        self.indexes.iter().filter(|index| index.unique && !index.parts.is_empty()).count()
    }

    /// The primary key, or the first unique one without NULLs, which stands for it.
    pub fn key_of_rows(&self) -> Option<&Index> {
        let has_nulls = |index: &Index| index.parts.iter().any(|p| self.columns[p.column].nullable);
        match self.has_hidden_key() {
            true => self.indexes[1..].iter().find(|index| index.unique && !has_nulls(index)),
            false => self.indexes.first(),
        }
    }

    /// The column that `_rowid` names, if no column is called so: a whole number that is all of
    /// this key.
    pub fn row_id_column(&self) -> Option<usize> {
        let [part] = &self.key_of_rows()?.parts[..] else { return None };
        let is_whole =
            matches!(self.columns[part.column].ty, ColumnType::Int { .. } | ColumnType::Year);
        is_whole.then_some(part.column)
    }

    /// Position of a column by name, `_rowid` included.
    pub fn column_or_row_id(&self, name: &str) -> Option<usize> {
        let row_id = || name.eq_ignore_ascii_case(ROW_ID).then(|| self.row_id_column());
        self.column(name).or_else(|| row_id().flatten())
    }

    /// What contradicts itself in a definition read from the disk, so that nothing that relies on
    /// it can be done; `None` when it can be used. Names and limits were checked when it was made
    /// (`ddl`).
    pub fn fault(&self) -> Option<&'static str> {
        if self.indexes.is_empty() {
            return Some("a table definition has no key");
        }
        let mut taken = vec![false; self.slots.len()];
        for column in &self.columns {
            let Some(ty) = self.slots.get(usize::from(column.slot)) else {
                return Some("a table definition has a column without a slot");
            };
            if std::mem::replace(&mut taken[usize::from(column.slot)], true) {
                return Some("a table definition has two columns in one slot");
            }
            if ty.fixed_bytes() != column.ty.fixed_bytes() {
                return Some("a table definition has a column that does not fit its slot");
            }
        }
        let types = self.slots.iter().chain(self.columns.iter().map(|column| &column.ty));
        if !types.into_iter().all(ColumnType::is_possible) {
            return Some("a table definition has an impossible type");
        }
        if self.named_columns().iter().any(Column::is_of_index) {
            return Some("a table definition has a column of an index among the others");
        }
        if self.partitioning.is_some() != self.partition_column().is_some() {
            return Some("a table definition has partitions without their numbers");
        }
        let parts = self.indexes.iter().flat_map(|index| &index.parts);
        for part in parts {
            match self.columns.get(part.column) {
                None => return Some("a table definition has a key of a column that is not there"),
                Some(column) if column.ty == ColumnType::Json => {
                    return Some("a table definition has JSON in a key");
                }
                Some(_) => {}
            }
        }
        for index in &self.members {
            let column = self.column(&index.column).map(|at| &self.columns[at]);
            if !column.is_some_and(|column| column.ty == ColumnType::Json) {
                return Some("a table definition has an index of members of what is no JSON");
            }
        }
        for of in &self.multi_valued {
            let is_there = |part: &IndexPart| part.column < self.columns.len();
            if of.array >= of.index.parts.len() || !of.index.parts.iter().all(is_there) {
                return Some("a table definition has a multi-valued index of what is not there");
            }
            if !self.columns[of.array_column()].is_of_index() || !of.element.is_possible() {
                return Some("a table definition has a multi-valued index of what is no array");
            }
        }
        for index in &self.full_texts {
            let is_text = |name: &String| {
                self.column(name).is_some_and(|at| text_collation(&self.columns[at].ty).is_some())
            };
            if index.columns.is_empty() || !index.columns.iter().all(is_text) {
                return Some("a table definition has a full-text index of what is no text");
            }
        }
        if let Some(index) = &self.columnar_index
            && !index.columns.iter().all(|name| self.column(name).is_some())
        {
            return Some("a table definition has a columnar index of a column that is not there");
        }
        if self.foreign_columns().is_none() {
            return Some("a table definition has a foreign key without its columns or its index");
        }
        None
    }

    /// Position of a full-text index by name, without regard to case.
    pub fn full_text(&self, name: &str) -> Option<usize> {
        self.full_texts.iter().position(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// Position of a full-text index that is visible, of just these columns in whatever order.
    pub fn full_text_of(&self, columns: &[usize]) -> Option<usize> {
        self.full_texts.iter().position(|index| {
            let own = index.columns.iter().filter_map(|name| self.column(name));
            let mut own: Vec<usize> = own.collect();
            let mut columns = columns.to_vec();
            own.sort_unstable();
            columns.sort_unstable();
            if index.invisible {
                return false;
            }
            columns.dedup();
            own == columns
        })
    }

    /// The columnar index, if it has this name; compared without regard to case.
    pub fn columnar_index_named(&self, name: &str) -> Option<&ColumnarIndex> {
        self.columnar_index.as_ref().filter(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// Positions of the columns that the columnar index has, ascending: those of the primary key,
    /// and those that it names.
    pub fn columnar_columns(&self, index: &ColumnarIndex) -> Vec<usize> {
        let keys = self.indexes[0].parts.iter().map(|part| part.column);
        let named = index.columns.iter().filter_map(|name| self.column(name));
        let mut columns: Vec<usize> = keys.chain(named).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Position of the index of a member.
    pub fn member(&self, column: &str, member: &str) -> Option<usize> {
        let is_of = |index: &MemberIndex| {
            index.column.eq_ignore_ascii_case(column) && index.member == member
        };
        self.members.iter().position(is_of)
    }

    /// Position of a column by name, without regard to case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.named_columns().iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The columns that have names: all but those of indexes, which stand behind them.
    pub fn named_columns(&self) -> &[Column] {
        let of_index = self.columns.iter().rev().take_while(|column| column.is_of_index());
        &self.columns[..self.columns.len() - of_index.count()]
    }

    /// Positions of the columns that `*` stands for: those with names that are not invisible.
    pub fn listed_columns(&self) -> impl Iterator<Item = usize> {
        let named = self.named_columns().iter().enumerate();
        named.filter(|(_, column)| !column.invisible).map(|(position, _)| position)
    }

    /// The expression that a part of an index is, as text (`rules`); `None` of a column.
    pub fn part_expression(&self, part: &IndexPart) -> Option<&str> {
        let column = &self.columns[part.column];
        let computed = column.computed.as_ref().filter(|_| column.is_of_index());
        computed.map(|computed| &*computed.expression)
    }

    /// Position of an index by name, without regard to case.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.indexes.iter().position(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// Whether an index of any kind has this name; compared without regard to case.
    pub fn has_index_named(&self, name: &str) -> bool {
        self.index(name).is_some()
            || self.full_text(name).is_some()
            || self.multi_valued_index(name).is_some()
            || self.columnar_index_named(name).is_some()
    }

    /// Positions of the indexes that have parts, in the order of SHOW INDEX: the primary key,
    /// unique ones without nullable columns, other unique ones, the rest.
    pub fn index_order(&self) -> Vec<usize> {
        let has_nullable =
            |index: &Index| index.parts.iter().any(|part| self.columns[part.column].nullable);
        let mut order: Vec<usize> =
            (0..self.indexes.len()).filter(|at| !self.indexes[*at].parts.is_empty()).collect();
        order.sort_by_key(|at| {
            let index = &self.indexes[*at];
            (*at != 0, !index.unique, index.unique && has_nullable(index))
        });
        order
    }

    /// Makes the conditions that earlier versions kept behind columns conditions of the table.
    pub(crate) fn take_checks_of_columns(&mut self) {
        let taken: Vec<String> =
            self.columns.iter_mut().filter_map(|column| column.check.take()).collect();
        for condition in taken {
            let name = self.free_check_name();
            self.checks.push(CheckDefinition { name, condition, unenforced: false });
        }
    }

    /// The name of a further condition that was given none: MySQL counts on from the greatest
    /// number that is there.
    pub(crate) fn free_check_name(&self) -> String {
        let numbers = self.checks.iter().filter_map(|check| check.number(&self.name));
        CheckDefinition::generated_name(&self.name, numbers.max().unwrap_or(0) + 1)
    }

    /// Position of a condition by name, without regard to case.
    pub fn check(&self, name: &str) -> Option<usize> {
        self.checks.iter().position(|check| check.name.eq_ignore_ascii_case(name))
    }

    /// Gives conditions that are named by the table names of its new one.
    pub(crate) fn rename_checks(&mut self, from: &str, to: &str) {
        for check in &mut self.checks {
            if let Some(number) = check.number(from) {
                check.name = CheckDefinition::generated_name(to, number);
            }
        }
    }

    /// Position of the AUTO_INCREMENT column.
    pub fn auto_increment(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.auto_increment)
    }
}

/// The collation of a text column that may be part of a full-text index.
pub fn text_collation(ty: &ColumnType) -> Option<Collation> {
    match ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => {
            Some(*collation).filter(|collation| *collation != Collation::Binary)
        }
        _ => None,
    }
}

/// A full row of values in column order.
pub type RowValues = Vec<Value>;

#[cfg(test)]
mod tests {
    use values::types::{FixedPoint, IntWidth};

    use super::*;

    #[test]
    fn a_condition_that_an_earlier_version_kept_behind_a_column_is_one_of_the_table() {
        let column = |name: &str| {
            let ty = ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
            serde_json::to_value(Column::new(name, ty)).expect("JSON")
        };
        let mut stored = column("a");
        stored["check"] = "`a` > 0".into();
        let text = serde_json::json!({
            "id": 1, "version": 1, "database": "d", "name": "t", "comment": "", "engine": "InnoDB",
            "columns": [stored, column("b")], "slots": [], "indexes": [], "next_index": 1,
            "auto_increment_base": 0, "created": 0,
            "checks": [{"name": "t_chk_4", "condition": "`b` > 0"}],
        });
        let mut definition: TableDefinition = serde_json::from_value(text).expect("a definition");
        definition.take_checks_of_columns();
        let names: Vec<&str> = definition.checks.iter().map(|check| &*check.name).collect();
        assert_eq!(names, ["t_chk_4", "t_chk_5"]);
        assert_eq!(definition.checks[1].condition, "`a` > 0");
        let again = serde_json::to_value(&definition).expect("JSON");
        assert!(again["columns"][0].get("check").is_none());
    }

    #[test]
    fn a_type_without_digits_is_the_word_that_it_was_before_there_were_any() {
        let stored = |ty: &ColumnType| {
            let text = serde_json::to_value(Column::new("c", ty.clone())).expect("JSON");
            let column: Column = serde_json::from_value(text.clone()).expect("a column");
            assert_eq!(column.ty, *ty);
            text["ty"].clone()
        };
        assert_eq!(stored(&ColumnType::Double(None)), "Double");
        assert_eq!(stored(&ColumnType::Float(None)), "Float");
        assert_eq!(stored(&ColumnType::Date), "Date");
        let digits = FixedPoint::new(8, 2);
        let expected = serde_json::json!({"Double": {"precision": 8, "scale": 2}});
        assert_eq!(stored(&ColumnType::Double(digits)), expected);
        let expected = serde_json::json!({"Float": {"precision": 8, "scale": 2}});
        assert_eq!(stored(&ColumnType::Float(digits)), expected);
        stored(&ColumnType::Decimal { precision: 8, scale: 2 });
    }
}
