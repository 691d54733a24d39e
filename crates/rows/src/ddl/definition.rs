//! Definitions of new tables and indexes, as the catalog stores them.
//!
//! Invariants
//! 1. The primary index is the first, hidden when the table has no primary key.
//! 2. Numbers of indexes are handed out once for each table.
//!
//! Not here: what a definition must fulfil (`rules`).

use std::collections::BTreeMap;
use std::sync::Arc;

use values::full_text::TextRules;
use values::member::MemberKind;
use values::types::{Collation, ColumnType, IntWidth};

use super::rules::{check_length, check_name, validate};
use super::sizes::check_sizes;
use crate::broken_rule::BrokenRule;
use crate::error::{Error, Result, Thing};
use crate::foreign_key::{ForeignKey, ForeignKeyChecks, ReferentialAction};
use crate::partition::{PartitionChange, Partitioning, apply_change};
use crate::rules::{MakeRules, names_in};
use crate::schema::{
    CheckDefinition, Column, ColumnVisibility, ColumnarIndex, ComputedColumn, FullTextIndex, Index,
    IndexId, IndexPart, IndexState, MemberIndex, MultiValuedIndex, Retention, TableDefinition,
};
use crate::table::{PRIMARY, Table};

/// The engine shown for tables that were made without one.
pub const ENGINE: &str = "InnoDB";

/// What a new table is to be.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Database, which must exist.
    pub database: String,
    /// Name.
    pub name: String,
    /// Columns in order; their slots are handed out here.
    pub columns: Vec<Column>,
    /// Indexes; at most one primary.
    pub indexes: Vec<NewIndex>,
    /// COMMENT.
    pub comment: String,
    /// ENGINE as given.
    pub engine: String,
    /// Options of other servers' storage, by name.
    pub storage_options: BTreeMap<String, String>,
    /// First AUTO_INCREMENT value; 0 and 1 mean 1.
    pub auto_increment_base: u64,
    /// When rows leave by themselves.
    pub retention: Retention,
    /// Indexes of members of JSON.
    pub members: Vec<NewMember>,
    /// Full-text indexes.
    pub full_texts: Vec<NewFullText>,
    /// A columnar index.
    pub columnar_index: Option<NewColumnarIndex>,
    /// Conditions of the table.
    pub checks: Vec<NewCheck>,
    /// Foreign keys.
    pub foreign_keys: Vec<NewForeignKey>,
    /// Whether what they refer to must be there.
    pub foreign_key_checks: ForeignKeyChecks,
    /// The collation of text columns that come without one.
    pub collation: Option<Collation>,
    /// PARTITION BY; numbers are handed out here.
    pub partitioning: Option<Partitioning>,
}

/// What a new foreign key is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewForeignKey {
    /// Name; made up from the table's when `None`.
    pub name: Option<String>,
    /// The name of the index that it gets if there is none; that of its first column when `None`.
    pub index: Option<String>,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The parent's database and name.
    pub parent: (String, String),
    /// Names of the columns that it refers to; none: the parent's primary key.
    pub parent_columns: Vec<String>,
    /// What becomes of rows when their parent goes.
    pub on_delete: ReferentialAction,
    /// What becomes of them when it gets another key.
    pub on_update: ReferentialAction,
}

impl NewTable {
    /// A table of which nothing is said but its columns and indexes.
    pub fn new(
        database: &str,
        name: &str,
        columns: Vec<Column>,
        indexes: Vec<NewIndex>,
    ) -> NewTable {
        NewTable {
            database: database.to_owned(),
            name: name.to_owned(),
            columns,
            indexes,
            comment: String::new(),
            engine: ENGINE.to_owned(),
            storage_options: BTreeMap::new(),
            auto_increment_base: 0,
            retention: Retention::default(),
            members: Vec::new(),
            full_texts: Vec::new(),
            columnar_index: None,
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            foreign_key_checks: ForeignKeyChecks::On,
            collation: None,
            partitioning: None,
        }
    }
}

/// A condition as it is to be added (CHECK).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCheck {
    /// Name; made up when `None`.
    pub name: Option<String>,
    /// The condition, as text (`rules`).
    pub condition: String,
    /// The column that it stands behind, the only one that it may name.
    pub column: Option<String>,
    /// NOT ENFORCED.
    pub unenforced: bool,
}

impl NewCheck {
    /// A condition of the table without a name.
    pub fn of(condition: &str) -> NewCheck {
        NewCheck { name: None, condition: condition.to_owned(), column: None, unenforced: false }
    }
}

/// What a new columnar index is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewColumnarIndex {
    /// Name; made up from the first column when `None`.
    pub name: Option<String>,
    /// Names of columns.
    pub columns: Vec<String>,
    /// COMMENT.
    pub comment: String,
}

impl From<&ColumnarIndex> for NewColumnarIndex {
    fn from(index: &ColumnarIndex) -> NewColumnarIndex {
        let ColumnarIndex { name, columns, comment, .. } = index.clone();
        NewColumnarIndex { name: Some(name), columns, comment }
    }
}

/// What a new index is to be.
#[derive(Clone, Debug)]
pub struct NewIndex {
    /// Name; made up from the first column when `None`.
    pub name: Option<String>,
    /// UNIQUE.
    pub unique: bool,
    /// PRIMARY KEY.
    pub primary: bool,
    /// What its keys consist of.
    pub parts: Vec<NewKeyPart>,
    /// COMMENT.
    pub comment: String,
    /// INVISIBLE.
    pub invisible: bool,
    /// USING BTREE.
    pub explicit_btree: bool,
    /// Whether it is made for a foreign key alone.
    pub implied: bool,
}

/// What a part of a new index is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKeyPart {
    /// What it is of.
    pub of: KeyPartSource,
    /// DESC.
    pub descending: bool,
}

/// What a part of an index is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPartSource {
    /// A column, by name, with the length of its prefix.
    Column(String, Option<u32>),
    /// An expression, as text (`rules`).
    Expression(String),
    /// An array, of whose elements a multi-valued index is, as text (`rules`).
    Array(String),
}

impl NewKeyPart {
    /// A whole column.
    pub fn column(name: &str) -> NewKeyPart {
        NewKeyPart { of: KeyPartSource::Column(name.to_owned(), None), descending: false }
    }

    /// The column, and the length of its prefix.
    pub fn as_column(&self) -> Option<(&str, Option<u32>)> {
        match &self.of {
            KeyPartSource::Column(name, prefix) => Some((name, *prefix)),
            KeyPartSource::Expression(_) | KeyPartSource::Array(_) => None,
        }
    }

    /// As a definition has it.
    pub fn of_index(definition: &TableDefinition, part: &IndexPart) -> NewKeyPart {
        let is_array = definition.multi_valued.iter().any(|of| of.array_column() == part.column);
        let of = match definition.part_expression(part) {
            Some(array) if is_array => KeyPartSource::Array(array.to_owned()),
            Some(expression) => KeyPartSource::Expression(expression.to_owned()),
            None => {
                let name = definition.columns[part.column].name.clone();
                KeyPartSource::Column(name, part.prefix)
            }
        };
        NewKeyPart { of, descending: part.descending }
    }
}

impl NewIndex {
    /// The primary key over whole columns.
    pub fn primary(columns: &[&str]) -> NewIndex {
        NewIndex {
            name: None,
            unique: true,
            primary: true,
            parts: columns.iter().map(|column| NewKeyPart::column(column)).collect(),
            comment: String::new(),
            invisible: false,
            explicit_btree: false,
            implied: false,
        }
    }
}

/// What a new index of a member is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// Name of the column.
    pub column: String,
    /// The member's name.
    pub member: String,
    /// What it has entries of.
    pub kind: MemberKind,
}

impl From<&MemberIndex> for NewMember {
    fn from(index: &MemberIndex) -> NewMember {
        let MemberIndex { column, member, kind, .. } = index.clone();
        NewMember { column, member, kind }
    }
}

/// What a new full-text index is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewFullText {
    /// Name; made up from the first column when `None`.
    pub name: Option<String>,
    /// Names of columns.
    pub columns: Vec<String>,
    /// Which words have entries.
    pub rules: TextRules,
    /// COMMENT.
    pub comment: String,
    /// INVISIBLE.
    pub invisible: bool,
}

impl From<&FullTextIndex> for NewFullText {
    fn from(index: &FullTextIndex) -> NewFullText {
        let FullTextIndex { name, columns, rules, comment, invisible, .. } = index.clone();
        NewFullText { name: Some(name), columns, rules, comment, invisible }
    }
}

/// A table that is only shown: its rows are made when a statement reads it, and the store has none
/// of them.
///
/// # Errors
/// `Definition` of what is no table.
pub fn listed_table(new: NewTable, make_rules: MakeRules) -> Result<Table> {
    Ok(Table::new(define(new, 0)?, Arc::default(), make_rules))
}

/// Makes a definition (without id) and checks it.
pub(super) fn define(new: NewTable, created: u64) -> Result<TableDefinition> {
    check_name(Thing::Table, &new.name)?;
    let mut columns = new.columns;
    for (slot, column) in columns.iter_mut().enumerate() {
        column.slot = slot as u16;
        column.absent = None;
    }
    let mut definition = TableDefinition {
        id: 0,
        version: 1,
        database: new.database,
        name: new.name,
        slots: columns.iter().map(|column| column.ty.clone()).collect(),
        columns,
        indexes: vec![hidden_key()],
        next_index: PRIMARY + 1,
        auto_increment_base: new.auto_increment_base.max(1),
        comment: new.comment,
        engine: new.engine,
        storage_options: new.storage_options,
        created,
        retention: new.retention,
        columnar: false,
        members: Vec::new(),
        full_texts: Vec::new(),
        multi_valued: Vec::new(),
        columnar_index: None,
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        collation: new.collation,
        partitioning: None,
    };
    definition.follow_engine();
    let mut primary_seen = false;
    for index in &new.indexes {
        if index.primary && std::mem::replace(&mut primary_seen, true) {
            return Err(BrokenRule::MultiplePrimaryKeys.into());
        }
        add_index(&mut definition, index, IndexState::Ready)?;
    }
    new.members.iter().try_for_each(|member| add_member(&mut definition, member))?;
    new.full_texts.iter().try_for_each(|index| add_full_text(&mut definition, index))?;
    if let Some(index) = &new.columnar_index {
        add_columnar_index(&mut definition, index)?;
    }
    let mut unnamed = 0;
    for check in new.checks {
        // MySQL counts those without a name, whatever the others are called.
        let name = check.name.filter(|name| !name.is_empty()).unwrap_or_else(|| {
            unnamed += 1;
            CheckDefinition::generated_name(&definition.name, unnamed)
        });
        add_check(&mut definition, &NewCheck { name: Some(name), ..check })?;
    }
    for key in &new.foreign_keys {
        add_foreign_key(&mut definition, key)?;
    }
    if let Some(partitioning) = new.partitioning {
        apply_change(&mut definition, PartitionChange::Divide(partitioning))?;
    }
    validate(&definition)?;
    check_sizes(&definition, None)?;
    Ok(definition)
}

/// The primary index of a table without a primary key.
pub(crate) fn hidden_key() -> Index {
    Index {
        id: PRIMARY,
        name: "PRIMARY".into(),
        unique: true,
        parts: Vec::new(),
        state: IndexState::Ready,
        comment: String::new(),
        invisible: false,
        explicit_btree: false,
        implied: false,
    }
}

/// Adds an index to a definition: the primary key takes the place of the hidden one.
pub(crate) fn add_index(
    definition: &mut TableDefinition,
    new: &NewIndex,
    state: IndexState,
) -> Result<()> {
    let name = match &new.name {
        _ if new.primary => String::new(),
        Some(name) => name.clone(),
        None => free_index_name(definition, &new.parts),
    };
    let mut parts = Vec::with_capacity(new.parts.len());
    let mut array = None;
    for (number, part) in new.parts.iter().enumerate() {
        if let KeyPartSource::Array(_) = &part.of
            && array.replace(number).is_some()
        {
            return Err(BrokenRule::MultiValuedParts.into());
        }
        let (name, prefix) = match &part.of {
            KeyPartSource::Column(name, prefix) => (name, *prefix),
            KeyPartSource::Expression(text) | KeyPartSource::Array(text) => {
                let column = push_column_of_index(definition, &name, number, text)?;
                parts.push(IndexPart { column, prefix: None, descending: part.descending });
                continue;
            }
        };
        let column =
            definition.column(name).ok_or_else(|| BrokenRule::KeyColumn(name.to_string()))?;
        if parts.iter().any(|part: &IndexPart| part.column == column) {
            return Err(BrokenRule::DuplicateColumn(name.to_string()).into());
        }
        // A prefix of the whole column is no prefix.
        let whole = match definition.columns[column].ty {
            ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => Some(chars),
            ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => Some(bytes),
            _ => None,
        };
        let prefix = prefix.filter(|prefix| whole.is_none_or(|whole| *prefix < whole));
        parts.push(IndexPart { column, prefix, descending: part.descending });
    }
    let (comment, invisible) = (new.comment.clone(), new.invisible);
    let (explicit_btree, implied) = (new.explicit_btree, new.implied);
    if new.primary {
        for part in &parts {
            definition.columns[part.column].nullable = false;
        }
        let (id, name) = (PRIMARY, "PRIMARY".to_string());
        definition.indexes[0] = Index {
            id,
            name,
            unique: true,
            parts,
            state,
            comment,
            invisible,
            explicit_btree,
            implied,
        };
        return Ok(());
    }
    if name.eq_ignore_ascii_case("PRIMARY") {
        return Err(BrokenRule::PrimaryName.into());
    }
    if definition.has_index_named(&name) {
        return Err(Error::Exists { what: Thing::Index, name });
    }
    let id = take_index_id(definition)?;
    let unique = new.unique;
    let index =
        Index { id, name, unique, parts, state, comment, invisible, explicit_btree, implied };
    match array {
        None => definition.indexes.push(index),
        // Its type is not known yet (`functional`).
        Some(array) => {
            let element = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
            definition.multi_valued.push(MultiValuedIndex { index, array, element });
        }
    }
    Ok(())
}

/// Adds an index of a member to a definition.
pub(crate) fn add_member(definition: &mut TableDefinition, new: &NewMember) -> Result<()> {
    let id = take_index_id(definition)?;
    let NewMember { column, member, kind } = new.clone();
    definition.members.push(MemberIndex { id, column, member, kind });
    Ok(())
}

/// Adds a full-text index to a definition.
pub(crate) fn add_full_text(definition: &mut TableDefinition, new: &NewFullText) -> Result<()> {
    let NewFullText { name, columns, rules, comment, invisible } = new.clone();
    let Some(first) = columns.first() else {
        return Err(BrokenRule::NoKeyParts.into());
    };
    let name = name.unwrap_or_else(|| numbered_index_name(definition, first));
    if name.eq_ignore_ascii_case("PRIMARY") {
        return Err(BrokenRule::PrimaryName.into());
    }
    if definition.has_index_named(&name) {
        return Err(Error::Exists { what: Thing::Index, name });
    }
    let id = take_index_id(definition)?;
    let columns = columns.into_iter().map(|name| {
        let known = definition.column(&name).map(|at| definition.columns[at].name.clone());
        known.unwrap_or(name)
    });
    let columns = columns.collect();
    definition.full_texts.push(FullTextIndex { id, name, columns, rules, comment, invisible });
    Ok(())
}

/// Adds a columnar index to a definition.
pub(crate) fn add_columnar_index(
    definition: &mut TableDefinition,
    new: &NewColumnarIndex,
) -> Result<()> {
    if definition.columnar_index.is_some() {
        return Err(BrokenRule::ColumnarIndexTwice.into());
    }
    let NewColumnarIndex { name, columns, comment } = new.clone();
    let Some(first) = columns.first() else {
        return Err(BrokenRule::NoKeyParts.into());
    };
    let name = name.unwrap_or_else(|| numbered_index_name(definition, first));
    if definition.has_index_named(&name) {
        return Err(Error::Exists { what: Thing::Index, name });
    }
    let id = take_index_id(definition)?;
    definition.columnar_index = Some(ColumnarIndex { id, name, columns, comment });
    Ok(())
}

/// Adds a condition to a definition.
pub(crate) fn add_check(definition: &mut TableDefinition, new: &NewCheck) -> Result<()> {
    let name = match new.name.as_ref().filter(|name| !name.is_empty()) {
        None => definition.free_check_name(),
        Some(name) => name.clone(),
    };
    check_length(&name)?;
    if definition.check(&name).is_some() {
        return Err(BrokenRule::DuplicateCheck(name).into());
    }
    for named in names_in(&new.condition) {
        if new.column.as_ref().is_some_and(|column| !column.eq_ignore_ascii_case(&named)) {
            return Err(BrokenRule::CheckOfOtherColumn(name).into());
        }
        let column = definition.column(&named).map(|at| &definition.columns[at]);
        if column.is_some_and(|column| column.auto_increment) {
            return Err(BrokenRule::CheckOfAutoIncrement(name).into());
        }
    }
    let (condition, unenforced) = (new.condition.clone(), new.unenforced);
    definition.checks.push(CheckDefinition { name, condition, unenforced });
    Ok(())
}

/// Adds a foreign key to a definition, and the index that it needs. Whether there is what it refers
/// to is looked at later (`relations`).
pub(crate) fn add_foreign_key(definition: &mut TableDefinition, new: &NewForeignKey) -> Result<()> {
    let name = match &new.name {
        Some(name) => name.clone(),
        None => definition.free_foreign_key_name(&definition.name),
    };
    check_length(&name)?;
    if !new.parent_columns.is_empty() && new.parent_columns.len() != new.columns.len() {
        let shown = new.name.clone().unwrap_or_else(|| "foreign key without name".to_owned());
        return Err(BrokenRule::ForeignKeyColumns(shown).into());
    }
    let mut columns = Vec::new();
    for column in &new.columns {
        let at = definition.column(column).ok_or_else(|| BrokenRule::KeyColumn(column.clone()))?;
        if columns.contains(&at) {
            return Err(BrokenRule::DuplicateColumn(column.clone()).into());
        }
        columns.push(at);
    }
    if definition.foreign_key(&name).is_some() {
        return Err(BrokenRule::DuplicateForeignKey(name).into());
    }
    if definition.index_beginning_with(&columns).is_none() {
        let parts = new.columns.iter().map(|column| NewKeyPart::column(column)).collect();
        let index = NewIndex {
            name: new.index.clone(),
            unique: false,
            primary: false,
            parts,
            comment: String::new(),
            invisible: false,
            explicit_btree: false,
            implied: true,
        };
        add_index(definition, &index, IndexState::Ready)?;
    }
    definition.foreign_keys.push(ForeignKey {
        name,
        columns: columns.iter().map(|at| definition.columns[*at].name.clone()).collect(),
        parent_database: new.parent.0.clone(),
        parent_table: new.parent.1.clone(),
        parent_columns: new.parent_columns.clone(),
        on_delete: new.on_delete,
        on_update: new.on_update,
    });
    Ok(())
}

/// The number of one more index, of any kind.
pub(crate) fn take_index_id(definition: &mut TableDefinition) -> Result<IndexId> {
    let id = definition.next_index;
    definition.next_index = id.checked_add(1).ok_or(BrokenRule::TooManyIndexes)?;
    Ok(id)
}

/// A column that has the values of an index's part, behind all others. Its type is that of the
/// expression (`functional`), which nobody has looked at so far.
fn push_column_of_index(
    definition: &mut TableDefinition,
    index: &str,
    part: usize,
    expression: &str,
) -> Result<usize> {
    let ty = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
    let slot = definition.slots.len();
    definition.slots.push(ty.clone());
    definition.columns.push(Column {
        nullable: true,
        slot: u16::try_from(slot).map_err(|_| BrokenRule::TooManyColumns)?,
        computed: Some(ComputedColumn { expression: expression.to_owned(), stored: false }),
        visibility: ColumnVisibility::OfIndex,
        // As MySQL names them; nobody asks for it.
        ..Column::new(&format!("!hidden!{index}!{part}!0"), ty)
    });
    Ok(definition.columns.len() - 1)
}

/// MySQL's name for an index without one: its first column, or `functional_index` if one of its
/// parts is an expression.
fn free_index_name(definition: &TableDefinition, parts: &[NewKeyPart]) -> String {
    let columns: Option<Vec<_>> = parts.iter().map(NewKeyPart::as_column).collect();
    let first = columns.and_then(|columns| Some(columns.first()?.0));
    // The column is written in whatever case.
    let column = first.and_then(|name| Some(&definition.columns[definition.column(name)?].name));
    let name = column.map(|name| name.to_string());
    numbered_index_name(definition, name.as_deref().or(first).unwrap_or("functional_index"))
}

/// A name for an index, numbered from `_2` when taken.
fn numbered_index_name(definition: &TableDefinition, column: &str) -> String {
    let mut name = column.to_string();
    let mut number = 2;
    while definition.has_index_named(&name) {
        name = format!("{column}_{number}");
        number += 1;
    }
    name
}
