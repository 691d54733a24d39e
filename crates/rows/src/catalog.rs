//! The catalog: which databases and tables exist, in memory for every operation and in the store
//! for the next start.
//!
//! Catalog keys start with table id 0, then one byte of kind:
//! ```text
//! 00000000 01                  catalog format, u32 little-endian: 1; 2 once a definition says
//!                              when rows leave (`Retention`), 3 once one is stored by column, 4
//!                              once there was an event, 5 once there was an index of members,
//!                              6 once there was a columnar index, 7 once one that has either of
//!                              both knows columns by planes and columns that follow from others,
//!                              8 once a definition had an expression (`rules`), 9 once accounts
//!                              were changed, 10 once a definition had a FLOAT(M,D) or DOUBLE(M,D),
//!                              11 once there was a view, 12 once a definition had a
//!                              foreign key, 13 once a definition had a collation of
//!                              Unicode's weights, 14 once a view or an event had the rights of an
//!                              account, 15 once a definition had a SET or BIT, or a
//!                              collation of a language, 16 once an index had a part
//!                              that is an expression or descends, or was invisible, 17 once
//!                              there was a full-text index, 18 once a table had partitions, 19
//!                              once a definition had a collation of a language by Unicode
//!                              9.0.0, or of one with contractions, 20 once a transaction was
//!                              prepared, 21 once a column was invisible, had ZEROFILL, or had
//!                              lost its default, 22 once there was a multi-valued index, 23 once
//!                              a definition had a collation of another character set than utf8mb4,
//!                              24 once one had a CHECK that is NOT ENFORCED
//! 00000000 02 name             a database; value: its `TextDefaults` as JSON
//! 00000000 03 table id u32 BE  a table; value: its `TableDefinition` as JSON
//! 00000000 04                  next table id, u32 little-endian
//! 00000000 05 table id u32 BE  key range of a dropped table whose space is not back yet
//! 00000000 06 event id u32 BE  an event; value: its `EventDefinition` as JSON
//! 00000000 07 name             an account; name and value: JSON, which crate `access` reads
//! 00000000 08 view id u32 BE   a view; value: its `ViewDefinition` as JSON
//! 00000000 09 number u64 BE | part u32 BE    a part of a prepared transaction (`prepared::record`)
//! ```
//!
//! Invariants
//! 1. The store is changed before memory is, under the catalog's change lock.
//! 2. Table ids are never reused, so a key range belongs to one table for ever.
//! 3. Names of databases and tables compare as bytes (MySQL on Linux); columns and indexes
//!    compare without case (`TableDefinition`).
//!
//! Not here: what a definition must fulfil (`ddl`), its use (`table`), a change (`change`), which
//! format a definition needs (`format`).

mod change;
mod entries;
mod format;
mod relations;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use values::types::TextDefaults;

use self::entries::{
    KIND_ACCOUNT, KIND_DATABASE, KIND_EVENT, KIND_FORMAT, KIND_NEXT_ID, KIND_PREPARED,
    KIND_RECLAIM, KIND_TABLE, KIND_VIEW, catalog_key, put_format, read_u32,
};
pub use self::format::CATALOG_FORMAT;
use self::format::{FORMAT_FIRST, format_of, format_of_collation};
use self::relations::relate;

use crate::error::{Error, Result, Thing};
use crate::event::{EventDefinition, EventId};
use crate::foreign_key::{ForeignKey, Reference};
use crate::ingestion::TableStore;
use crate::rules::MakeRules;
use crate::schema::{IndexId, TableDefinition, TableId};
use crate::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store};
use crate::table::{Table, TableState};
use crate::view::{View, ViewDefinition};
pub(crate) use change::CatalogChange;

/// An account as it is stored: its name and what is known of it, which crate `access` reads.
pub type AccountRecord = (Vec<u8>, Vec<u8>);

/// The tables of one database by name.
pub(crate) type Tables = HashMap<String, Arc<Table>>;

/// The views of each database by name.
type Views = BTreeMap<String, BTreeMap<String, Arc<View>>>;

/// All definitions.
pub struct Catalog {
    make_rules: MakeRules,
    databases: RwLock<BTreeMap<String, Tables>>,
    /// What tables of a database take, where it says so.
    text_defaults: RwLock<BTreeMap<String, TextDefaults>>,
    events: RwLock<BTreeMap<EventId, Arc<EventDefinition>>>,
    /// What was stored of accounts at the start.
    accounts: Vec<AccountRecord>,
    views: RwLock<Views>,
    changes: Mutex<Changes>,
}

/// What only one schema change at a time may touch.
pub(crate) struct Changes {
    next_id: TableId,
    format: u32,
    /// What a crash has cut short, by table: numbers of indexes that were being filled.
    unfinished: Vec<(TableDefinition, Vec<IndexId>)>,
}

impl Catalog {
    /// Reads the catalog; an empty store gets a new one.
    pub(crate) fn load(store: &dyn TableStore, make_rules: MakeRules) -> Result<Catalog> {
        let mut databases: BTreeMap<String, Tables> = BTreeMap::new();
        let mut text_defaults = BTreeMap::new();
        let mut events = BTreeMap::new();
        let mut accounts = Vec::new();
        let mut views = Views::new();
        let mut next_id: TableId = 1;
        let (mut format, mut needed) = (None, FORMAT_FIRST);
        let mut unfinished = Vec::new();
        let range = KeyRange { start: vec![0; 4], end: vec![0, 0, 0, 1] };
        let mut cursor = store.scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let (key, value) = (cursor.key(), cursor.value());
            let damaged = |why| Error::Corrupt { key: key.to_vec(), why };
            match key[4..].split_first() {
                Some((&KIND_FORMAT, _)) => format = Some(read_u32(key, value)?),
                Some((&KIND_DATABASE, name)) => {
                    let name = String::from_utf8(name.to_vec())
                        .map_err(|_| damaged("database name is not UTF-8"))?;
                    let text: TextDefaults = serde_json::from_slice(value)
                        .map_err(|_| damaged("database does not decode"))?;
                    needed = needed.max(text.collation.map_or(FORMAT_FIRST, format_of_collation));
                    keep_text_defaults(&mut text_defaults, &name, text);
                    databases.entry(name).or_default();
                }
                Some((&KIND_TABLE, _)) => {
                    let mut definition: TableDefinition = serde_json::from_slice(value)
                        .map_err(|_| damaged("table definition does not decode"))?;
                    definition.take_checks_of_columns();
                    let building = definition.drop_unfinished();
                    if !building.is_empty() {
                        unfinished.push((definition.clone(), building));
                    }
                    if let Some(why) = definition.fault() {
                        return Err(damaged(why));
                    }
                    needed = needed.max(format_of(&definition));
                    let table = current(store, make_rules, definition, Arc::default());
                    databases
                        .entry(table.database.clone())
                        .or_default()
                        .insert(table.name.clone(), table);
                }
                Some((&KIND_NEXT_ID, _)) => next_id = read_u32(key, value)?,
                Some((&KIND_RECLAIM, _)) => {}
                Some((&KIND_EVENT, id)) => {
                    let event: EventDefinition = serde_json::from_slice(value)
                        .map_err(|_| damaged("event definition does not decode"))?;
                    if *id != event.id.to_be_bytes() || !databases.contains_key(&event.database) {
                        return Err(damaged("event of another number or of no database"));
                    }
                    events.insert(event.id, Arc::new(event));
                }
                Some((&KIND_ACCOUNT, name)) => accounts.push((name.to_vec(), value.to_vec())),
                Some((&KIND_VIEW, id)) => {
                    let view: ViewDefinition = serde_json::from_slice(value)
                        .map_err(|_| damaged("view definition does not decode"))?;
                    if *id != view.id.to_be_bytes() || !databases.contains_key(&view.database) {
                        return Err(damaged("view of another number or of no database"));
                    }
                    let view = View::new(view);
                    let of_database = views.entry(view.database.clone()).or_default();
                    of_database.insert(view.name.clone(), view);
                }
                // Read when there is an engine that can hold them.
                Some((&KIND_PREPARED, _)) => {}
                _ => return Err(damaged("unknown kind of catalog entry")),
            }
        }
        drop(cursor);
        let format = match format {
            Some(format @ FORMAT_FIRST..=CATALOG_FORMAT) if format >= needed => format,
            Some(FORMAT_FIRST..=CATALOG_FORMAT) | None => {
                // What an earlier version made is from now on kept as this one keeps it.
                let changes = vec![put_format(needed)];
                store.write(&Batch { changes }, Durability::EveryCommit)?;
                needed
            }
            Some(found) => {
                let (what, known) = ("the catalog of the data directory", CATALOG_FORMAT);
                return Err(Error::Newer { what, found, known });
            }
        };
        relate(&databases);
        let changes = Mutex::new(Changes { next_id, format, unfinished });
        let (databases, events) = (RwLock::new(databases), RwLock::new(events));
        let (views, text_defaults) = (RwLock::new(views), RwLock::new(text_defaults));
        Ok(Catalog { make_rules, databases, text_defaults, events, accounts, views, changes })
    }

    /// What makes the rules of a definition.
    pub(crate) fn make_rules(&self) -> MakeRules {
        self.make_rules
    }

    /// All events, by number.
    pub fn events(&self) -> Vec<Arc<EventDefinition>> {
        self.events.read().values().cloned().collect()
    }

    /// An event by number.
    pub fn event(&self, id: EventId) -> Option<Arc<EventDefinition>> {
        self.events.read().get(&id).cloned()
    }

    /// An event by name.
    pub fn event_named(&self, database: &str, name: &str) -> Option<Arc<EventDefinition>> {
        self.events.read().values().find(|event| event.is_named(database, name)).cloned()
    }

    /// The accounts that were stored when the catalog was read. Later changes of them are known to
    /// whoever makes them.
    pub fn accounts_at_start(&self) -> &[AccountRecord] {
        &self.accounts
    }

    /// A view by name.
    pub fn view(&self, database: &str, name: &str) -> Option<Arc<View>> {
        self.views.read().get(database)?.get(name).cloned()
    }

    /// All views of a database, sorted by name.
    pub fn views(&self, database: &str) -> Vec<Arc<View>> {
        let views = self.views.read();
        views.get(database).into_iter().flat_map(BTreeMap::values).cloned().collect()
    }

    /// Names of all databases, sorted.
    pub fn databases(&self) -> Vec<String> {
        self.databases.read().keys().cloned().collect()
    }

    /// Whether a database exists.
    pub fn has_database(&self, name: &str) -> bool {
        self.databases.read().contains_key(name)
    }

    /// What tables of a database take that say nothing of it themselves.
    pub fn text_defaults(&self, database: &str) -> TextDefaults {
        self.text_defaults.read().get(database).copied().unwrap_or_default()
    }

    /// A table by name.
    ///
    /// # Errors
    /// `NotFound`, of the database or the table.
    pub fn table(&self, database: &str, name: &str) -> Result<Arc<Table>> {
        let databases = self.databases.read();
        let tables = databases.get(database).ok_or_else(|| no_database(database))?;
        tables.get(name).cloned().ok_or_else(|| no_table(database, name))
    }

    /// All tables of a database, sorted by name.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn tables(&self, database: &str) -> Result<Vec<Arc<Table>>> {
        let databases = self.databases.read();
        let tables = databases.get(database).ok_or_else(|| no_database(database))?;
        let mut tables: Vec<_> = tables.values().cloned().collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tables)
    }

    /// The foreign keys of a database, each with its table's name.
    pub(crate) fn foreign_keys(&self, database: &str) -> Vec<(String, ForeignKey)> {
        let databases = self.databases.read();
        let tables = databases.get(database).into_iter().flat_map(HashMap::values);
        tables
            .flat_map(|table| {
                table.foreign_keys.iter().map(|key| (table.name.clone(), key.clone()))
            })
            .collect()
    }

    /// What refers to a table that need not be there.
    pub(crate) fn references_to(&self, database: &str, name: &str) -> Vec<Reference> {
        let databases = self.databases.read();
        let mut references = Vec::new();
        for child in databases.values().flat_map(HashMap::values) {
            for key in child.foreign_keys.iter().filter(|key| key.refers_to(database, name)) {
                references.push(Reference {
                    database: child.database.clone(),
                    table: child.name.clone(),
                    key: key.clone(),
                });
            }
        }
        references
    }

    /// All tables.
    pub fn all_tables(&self) -> Vec<Arc<Table>> {
        self.databases.read().values().flat_map(HashMap::values).cloned().collect()
    }

    /// The key ranges of dropped tables whose space is still to be given back.
    pub(crate) fn reclaims(store: &dyn Store) -> Result<Vec<TableId>> {
        let start = catalog_key(KIND_RECLAIM, &[]);
        let end = catalog_key(KIND_RECLAIM + 1, &[]);
        let mut cursor = store.scan(&KeyRange { start, end }, Direction::Forward, Reach::Disk)?;
        let mut ids = Vec::new();
        while cursor.advance()? {
            let id = cursor.key()[5..].try_into().map_err(|_| Error::Corrupt {
                key: cursor.key().to_vec(),
                why: "reclaim entry key length",
            })?;
            ids.push(TableId::from_be_bytes(id));
        }
        Ok(ids)
    }

    /// Tables with numbers of indexes that were being filled when the server ended, and are none.
    pub(crate) fn take_unfinished(&self) -> Vec<(TableDefinition, Vec<IndexId>)> {
        std::mem::take(&mut self.changes.lock().unfinished)
    }

    /// Writes all definitions of one store into another that is empty. A table that `changed` says
    /// it has changed is written so, and named.
    ///
    /// # Errors
    /// Those of both stores, `Corrupt`.
    pub(crate) fn copy(
        from: &dyn Read,
        to: &dyn Store,
        changed: impl Fn(&mut TableDefinition) -> bool,
    ) -> Result<Vec<String>> {
        let (mut batch, mut named) = (Batch::default(), Vec::new());
        let range = KeyRange { start: vec![0; 4], end: vec![0, 0, 0, 1] };
        let mut cursor = from.scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let (key, mut value) = (cursor.key().to_vec(), cursor.value().to_vec());
            if key[4..].first() == Some(&KIND_TABLE) {
                let why = "table definition does not decode";
                let mut definition: TableDefinition = serde_json::from_slice(&value)
                    .map_err(|_| Error::Corrupt { key: key.clone(), why })?;
                if changed(&mut definition) {
                    named.push(format!("{}.{}", definition.database, definition.name));
                    value = serde_json::to_vec(&definition).expect("definitions are plain data");
                }
            }
            batch.changes.push(Change::put(key, value));
        }
        to.write(&batch, Durability::EveryCommit)?;
        Ok(named)
    }
}

/// Only what says something is kept.
fn keep_text_defaults(
    kept: &mut BTreeMap<String, TextDefaults>,
    database: &str,
    text: TextDefaults,
) {
    match text == TextDefaults::default() {
        true => kept.remove(database),
        false => kept.insert(database.to_owned(), text),
    };
}

/// A table that operations must use from now on.
pub(crate) fn current(
    store: &dyn TableStore,
    make_rules: MakeRules,
    definition: TableDefinition,
    state: Arc<TableState>,
) -> Arc<Table> {
    state.keep(&definition);
    state.set_version(definition.version);
    state.tell_columns(definition.columnar_index.as_ref().map(|index| index.id));
    let table = Arc::new(Table::new(definition, state, make_rules));
    store.know(&table);
    table
}

/// Has a name of a database stand for a table from now on.
pub(crate) fn put_table(databases: &mut BTreeMap<String, Tables>, table: Arc<Table>) {
    let tables = databases.entry(table.database.clone()).or_default();
    tables.insert(table.name.clone(), table);
}

pub(crate) fn no_database(name: &str) -> Error {
    Error::NotFound { what: Thing::Database, name: name.to_string() }
}

/// The error for a table that is not there.
pub fn no_table(database: &str, name: &str) -> Error {
    Error::NotFound { what: Thing::Table, name: format!("{database}.{name}") }
}
