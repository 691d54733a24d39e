//! Making, dropping, emptying and renaming databases and tables.
//!
//! Every change is one batch: definitions, the deletion of all rows and entries of a dropped
//! table as one range, and a note to give the space back. So dropping a table of any size
//! returns at once, and a crash leaves either the old or the new state.
//!
//! Invariants
//! 1. A change closes the table's gate first: writers inside finish, later ones see the new
//!    version or an error.
//! 2. A stored definition has passed `validate`.
//!
//! Not here: changes of columns and indexes (`alter`).

use std::sync::Arc;

use crate::catalog::{Catalog, current, no_database, no_table};
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::schema::{
    Column, DefaultValue, Index, IndexPart, IndexState, Retention, TableDefinition,
};
use crate::store::{Batch, Change, Durability};
use crate::table::{ClosedGate, PRIMARY, Table, table_range};
use crate::types::ColumnType;

/// Most columns of a table, as in InnoDB.
pub const COLUMNS_MAX: usize = 1017;
/// Most indexes of a table besides the primary key, as in InnoDB.
pub const INDEXES_MAX: usize = 64;
/// Most parts of an index, as in InnoDB.
pub const INDEX_PARTS_MAX: usize = 16;
/// Most characters of a name.
pub const NAME_CHARS_MAX: usize = 64;

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
    /// First AUTO_INCREMENT value; 0 and 1 mean 1.
    pub auto_increment_base: u64,
    /// When rows leave by themselves.
    pub retention: Retention,
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
    /// Column names with prefix lengths.
    pub parts: Vec<(String, Option<u32>)>,
    /// COMMENT.
    pub comment: String,
}

impl Engine {
    /// Makes a database.
    ///
    /// # Errors
    /// `Exists`, `Definition` for a bad name.
    pub fn create_database(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let mut change = self.catalog().change();
        if self.catalog().has_database(name) {
            return Err(Error::Exists { what: Thing::Database, name: name.to_string() });
        }
        change.put_database(name);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.entry(name.to_string()).or_default();
        })
    }

    /// Drops a database with its tables; says how many.
    ///
    /// # Errors
    /// `NotFound`, `LockTimeout` when writers do not leave a table.
    pub fn drop_database(&self, name: &str) -> Result<usize> {
        let (mut change, tables, gates) = loop {
            let tables = self.catalog().tables(name)?;
            let gates = self.close_all(&tables)?;
            let change = self.catalog().change();
            let now = self.catalog().tables(name)?;
            // A table that came or changed meanwhile has no closed gate: begin again.
            if now.iter().map(|table| table.id).eq(tables.iter().map(|table| table.id)) {
                break (change, now, gates);
            }
        };
        for table in &tables {
            change.delete_table(table.id);
            change.drop_range(table.id);
        }
        change.delete_database(name);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.remove(name);
            tables.iter().for_each(|table| table.state.set_version(u64::MAX));
        })?;
        drop(gates);
        for table in &tables {
            self.reclaim(table.id)?;
        }
        Ok(tables.len())
    }

    /// Makes a table.
    ///
    /// # Errors
    /// `Exists`, `NotFound` of the database, `Definition`.
    pub fn create_table(&self, new: NewTable) -> Result<Arc<Table>> {
        let mut definition = define(new, self.clock().unix_micros() / 1_000_000)?;
        let mut change = self.catalog().change();
        if self.find_table(&definition.database, &definition.name)?.is_some() {
            let name = format!("{}.{}", definition.database, definition.name);
            return Err(Error::Exists { what: Thing::Table, name });
        }
        definition.id = change.new_table_id();
        change.put_table(&definition);
        change.finish(&**self.store(), self.durability(), |databases| {
            let table = Arc::new(current(definition, Arc::default()));
            let tables = databases.entry(table.database.clone()).or_default();
            tables.insert(table.name.clone(), Arc::clone(&table));
            table
        })
    }

    /// Drops a table; its space comes back in the background.
    ///
    /// # Errors
    /// `NotFound`, `LockTimeout` when writers do not leave it.
    pub fn drop_table(&self, database: &str, name: &str) -> Result<()> {
        let table = self.catalog().table(database, name)?;
        let gate = table.state.close(self.lock_wait_max())?;
        let mut change = self.catalog().change();
        let table = self.catalog().table(database, name)?;
        change.delete_table(table.id);
        change.drop_range(table.id);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.get_mut(database).and_then(|tables| tables.remove(name));
            table.state.set_version(u64::MAX);
        })?;
        drop(gate);
        self.reclaim(table.id)
    }

    /// Removes all rows of a table by giving it a new key range; AUTO_INCREMENT starts again.
    ///
    /// # Errors
    /// As `drop_table`.
    pub fn truncate_table(&self, database: &str, name: &str) -> Result<()> {
        let table = self.catalog().table(database, name)?;
        let gate = table.state.close(self.lock_wait_max())?;
        let mut change = self.catalog().change();
        let table = self.catalog().table(database, name)?;
        let mut definition = table.definition.clone();
        definition.id = change.new_table_id();
        definition.version += 1;
        definition.auto_increment_base = 1;
        change.delete_table(table.id);
        change.drop_range(table.id);
        change.put_table(&definition);
        change.finish(&**self.store(), self.durability(), |databases| {
            table.state.reset_counters();
            let renewed = Arc::new(current(definition, Arc::clone(&table.state)));
            renewed.inherit(&table);
            if let Some(tables) = databases.get_mut(database) {
                tables.insert(name.to_string(), renewed);
            }
        })?;
        drop(gate);
        self.reclaim(table.id)
    }

    /// Renames tables, one after another, all or none: `((database, name), (database, name))`.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `LockTimeout`.
    pub fn rename_tables(&self, renames: &[((&str, &str), (&str, &str))]) -> Result<()> {
        let mut sources: Vec<Arc<Table>> = Vec::new();
        for ((database, name), _) in renames {
            // A name that only an earlier rename of this list makes has no table yet.
            if let Some(table) = self.find_table(database, name)?
                && !sources.iter().any(|known| known.id == table.id)
            {
                sources.push(table);
            }
        }
        let gates = self.close_all(&sources)?;
        let mut change = self.catalog().change();
        let mut moved: Vec<(TableDefinition, Arc<Table>)> = Vec::new();
        for ((from_database, from), (to_database, to)) in renames {
            check_name(to)?;
            if !self.catalog().has_database(to_database) {
                return Err(no_database(to_database));
            }
            let position = moved.iter().position(|(definition, _)| {
                definition.database == *from_database && definition.name == *from
            });
            let taken_by_move = moved.iter().any(|(definition, _)| {
                definition.database == *to_database && definition.name == *to
            });
            let freed =
                moved.iter().any(|(_, table)| table.database == *to_database && table.name == *to);
            let exists = self.find_table(to_database, to)?.is_some() && !freed;
            if taken_by_move || exists {
                let name = format!("{to_database}.{to}");
                return Err(Error::Exists { what: Thing::Table, name });
            }
            let at = match position {
                Some(at) => at,
                None => {
                    let table = self.catalog().table(from_database, from)?;
                    if moved.iter().any(|(_, old)| old.id == table.id) {
                        return Err(no_table(from_database, from));
                    }
                    if !sources.iter().any(|source| Arc::ptr_eq(&source.state, &table.state)) {
                        return Err(Error::SchemaChanged);
                    }
                    moved.push((table.definition.clone(), table));
                    moved.len() - 1
                }
            };
            let definition = &mut moved[at].0;
            definition.database = to_database.to_string();
            definition.name = to.to_string();
        }
        for (definition, table) in &mut moved {
            definition.version = table.version + 1;
            change.put_table(definition);
        }
        change.finish(&**self.store(), self.durability(), |databases| {
            for (_, old) in &moved {
                databases.get_mut(&old.database).and_then(|tables| tables.remove(&old.name));
            }
            for (definition, old) in moved {
                let table = Arc::new(current(definition, Arc::clone(&old.state)));
                table.inherit(&old);
                let tables = databases.entry(table.database.clone()).or_default();
                tables.insert(table.name.clone(), table);
            }
        })?;
        drop(gates);
        Ok(())
    }

    /// Closes the gates of several tables, in the order of their ids so that two such changes
    /// do not wait for each other.
    fn close_all(&self, tables: &[Arc<Table>]) -> Result<Vec<ClosedGate>> {
        let mut ordered: Vec<&Arc<Table>> = tables.iter().collect();
        ordered.sort_by_key(|table| table.id);
        ordered.iter().map(|table| table.state.close(self.lock_wait_max())).collect()
    }

    /// About how many bytes a table takes.
    pub fn approximate_bytes(&self, table: &Table) -> Result<u64> {
        self.store().approximate_bytes(&table.full_range())
    }

    pub(crate) fn find_table(&self, database: &str, name: &str) -> Result<Option<Arc<Table>>> {
        match self.catalog().table(database, name) {
            Ok(table) => Ok(Some(table)),
            Err(Error::NotFound { what: Thing::Table, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the space of a dropped table id back and forgets the note about it.
    pub(crate) fn reclaim(&self, id: u32) -> Result<()> {
        self.store().reclaim(&table_range(id))?;
        // Losing this note's removal only makes the next start reclaim once more.
        self.store().write(&Catalog::reclaimed(id), Durability::Os)
    }

    /// Repeats the reclaims that a crash may have interrupted.
    pub(crate) fn resume_reclaims(&self) -> Result<()> {
        for id in Catalog::reclaims(&**self.store())? {
            // A copy that a crash cut short has rows in the range still.
            let changes = vec![Change::DeleteRange(table_range(id))];
            self.store().write(&Batch { changes }, Durability::Os)?;
            self.reclaim(id)?;
        }
        Ok(())
    }
}

/// Makes a definition (without id) and checks it.
fn define(new: NewTable, created: u64) -> Result<TableDefinition> {
    check_name(&new.name)?;
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
        created,
        retention: new.retention,
    };
    let mut primary_seen = false;
    for index in &new.indexes {
        if index.primary && std::mem::replace(&mut primary_seen, true) {
            return Err(broken("Multiple primary key defined"));
        }
        add_index(&mut definition, index, IndexState::Ready)?;
    }
    validate(&definition)?;
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
    }
}

/// Adds an index to a definition: the primary key takes the place of the hidden one.
pub(crate) fn add_index(
    definition: &mut TableDefinition,
    new: &NewIndex,
    state: IndexState,
) -> Result<()> {
    let mut parts = Vec::with_capacity(new.parts.len());
    for (name, prefix) in &new.parts {
        let column = definition
            .column(name)
            .ok_or_else(|| broken_owned(format!("Key column '{name}' doesn't exist in table")))?;
        if parts.iter().any(|part: &IndexPart| part.column == column) {
            return Err(broken_owned(format!("Duplicate column name '{name}'")));
        }
        // A prefix of the whole column is no prefix.
        let whole = match definition.columns[column].ty {
            ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => Some(chars),
            ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => Some(bytes),
            _ => None,
        };
        let prefix = prefix.filter(|prefix| whole.is_none_or(|whole| *prefix < whole));
        parts.push(IndexPart { column, prefix });
    }
    let comment = new.comment.clone();
    if new.primary {
        for part in &parts {
            definition.columns[part.column].nullable = false;
        }
        let (id, name) = (PRIMARY, "PRIMARY".to_string());
        definition.indexes[0] = Index { id, name, unique: true, parts, state, comment };
        return Ok(());
    }
    let name = match &new.name {
        Some(name) => name.clone(),
        None => free_index_name(definition, &new.parts[0].0),
    };
    if definition.index(&name).is_some() && !name.eq_ignore_ascii_case("PRIMARY") {
        return Err(Error::Exists { what: Thing::Index, name });
    }
    if name.eq_ignore_ascii_case("PRIMARY") {
        return Err(broken("Incorrect index name 'PRIMARY'"));
    }
    let id = definition.next_index;
    definition.next_index = id.checked_add(1).ok_or_else(|| broken("Too many keys"))?;
    definition.indexes.push(Index { id, name, unique: new.unique, parts, state, comment });
    Ok(())
}

/// MySQL's name for an index without one: its first column, numbered from `_2` when taken.
fn free_index_name(definition: &TableDefinition, column: &str) -> String {
    let mut name = column.to_string();
    let mut number = 2;
    while definition.index(&name).is_some() {
        name = format!("{column}_{number}");
        number += 1;
    }
    name
}

/// Checks the rules every stored definition fulfils.
pub(crate) fn validate(definition: &TableDefinition) -> Result<()> {
    if definition.columns.is_empty() {
        return Err(broken("A table must have at least 1 column"));
    }
    if definition.columns.len() > COLUMNS_MAX || definition.slots.len() > usize::from(u16::MAX) {
        return Err(broken("Too many columns"));
    }
    if definition.indexes.len() > INDEXES_MAX + 1 {
        return Err(broken("Too many keys specified; max 64 keys allowed"));
    }
    for (position, column) in definition.columns.iter().enumerate() {
        check_name(&column.name)?;
        if definition.column(&column.name) != Some(position) {
            return Err(broken_owned(format!("Duplicate column name '{}'", column.name)));
        }
        validate_column(definition, position, column)?;
    }
    if definition.columns.iter().filter(|column| column.auto_increment).count() > 1 {
        return Err(broken(AUTO_INCREMENT_RULE));
    }
    validate_retention(definition)?;
    definition.indexes.iter().try_for_each(|index| validate_index(definition, index))
}

/// The smallest limit: a table in cache mode should hold some rows.
const CACHE_BYTES_MIN: u64 = 64 << 10;

fn validate_retention(definition: &TableDefinition) -> Result<()> {
    if (1..CACHE_BYTES_MIN).contains(&definition.retention.bytes_max) {
        return Err(broken_owned(format!("MAX_BYTES must be 0 or at least {CACHE_BYTES_MIN}")));
    }
    let Some(name) = &definition.retention.expires_by else { return Ok(()) };
    let Some(position) = definition.column(name) else {
        return Err(broken_owned(format!("EXPIRES_BY column '{name}' doesn't exist in table")));
    };
    if !matches!(definition.columns[position].ty, ColumnType::Int { .. }) {
        return Err(broken_owned(format!("EXPIRES_BY column '{name}' must be an integer")));
    }
    Ok(())
}

const AUTO_INCREMENT_RULE: &str = "Incorrect table definition; there can be only one auto column \
                                   and it must be defined as a key";

fn validate_column(definition: &TableDefinition, position: usize, column: &Column) -> Result<()> {
    let name = &column.name;
    let wrong = |what: &str| Err(broken_owned(format!("{what} for column '{name}'")));
    match &column.ty {
        ColumnType::Decimal { precision, scale }
            if (*precision == 0 || *precision > 65 || *scale > 30 || scale > precision) =>
        {
            return wrong("Incorrect precision or scale");
        }
        ColumnType::Char { chars, .. } if *chars > 255 => return wrong("Too big length"),
        ColumnType::Binary { bytes } if *bytes > 255 => return wrong("Too big length"),
        ColumnType::VarChar { chars, .. } if *chars > 65_535 => return wrong("Too big length"),
        ColumnType::VarBinary { bytes } if *bytes > 65_535 => return wrong("Too big length"),
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp }
            if *fsp > 6 =>
        {
            return wrong("Too big precision");
        }
        ColumnType::Enum { values, .. } if values.is_empty() || values.len() > 65_535 => {
            return wrong("Wrong number of ENUM values");
        }
        _ => {}
    }
    if column.auto_increment {
        let numeric =
            matches!(column.ty, ColumnType::Int { .. } | ColumnType::Float | ColumnType::Double);
        if !numeric {
            return wrong("Incorrect column specifier");
        }
        let leads = |index: &Index| index.parts.first().is_some_and(|p| p.column == position);
        if !definition.indexes.iter().any(leads) {
            return Err(broken(AUTO_INCREMENT_RULE));
        }
    }
    if !column.nullable && column.default == DefaultValue::Literal(None) {
        return wrong("Invalid default value");
    }
    Ok(())
}

fn validate_index(definition: &TableDefinition, index: &Index) -> Result<()> {
    if index.parts.len() > INDEX_PARTS_MAX {
        return Err(broken("Too many key parts specified; max 16 parts allowed"));
    }
    if index.parts.is_empty() && index.id != PRIMARY {
        return Err(broken("A key must have at least one part"));
    }
    check_name(&index.name)?;
    for part in &index.parts {
        let column = &definition.columns[part.column];
        let name = &column.name;
        let long = matches!(column.ty, ColumnType::Text { .. } | ColumnType::Blob { .. });
        if long && part.prefix.is_none() {
            return Err(broken_owned(format!(
                "BLOB/TEXT column '{name}' used in key specification without a key length"
            )));
        }
        if column.ty == ColumnType::Json {
            return Err(broken_owned(format!(
                "JSON column '{name}' supports indexing only via generated columns on a \
                 specified JSON path."
            )));
        }
        let stringy = long
            || matches!(
                column.ty,
                ColumnType::Char { .. }
                    | ColumnType::VarChar { .. }
                    | ColumnType::Binary { .. }
                    | ColumnType::VarBinary { .. }
            );
        if part.prefix == Some(0) || (part.prefix.is_some() && !stringy) {
            return Err(broken("Incorrect prefix key"));
        }
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    let chars = name.chars().count();
    if chars == 0 || chars > NAME_CHARS_MAX || name.contains('\0') || name.ends_with(' ') {
        return Err(broken_owned(format!("Incorrect name '{name}'")));
    }
    Ok(())
}

pub(crate) fn broken(why: &str) -> Error {
    Error::Definition { why: why.to_string() }
}

pub(crate) fn broken_owned(why: String) -> Error {
    Error::Definition { why }
}
