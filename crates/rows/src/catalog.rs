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
//! Not here: what a definition must fulfil (`ddl`), its use (`table`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};
use values::language::Language;
use values::types::{Collation, ColumnType, TextDefaults};

use crate::error::{Error, Result, Thing};
use crate::event::{EventDefinition, EventId};
use crate::foreign_key::{ForeignKey, FullName, Reference, Referring, followers};
use crate::ingestion::TableStore;
use crate::rules::MakeRules;
use crate::schema::{Column, DefaultValue, Index, IndexId, TableDefinition, TableId};
use crate::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store};
use crate::table::{Table, TableState};
use crate::view::{View, ViewDefinition};

/// Format of the catalog and of all rows under it.
pub const CATALOG_FORMAT: u32 = FORMAT_UNENFORCED;
/// The first format.
const FORMAT_FIRST: u32 = 1;
/// Definitions may have a `retention`, which earlier versions would pass over.
const FORMAT_RETENTION: u32 = 2;
/// There may be events, which earlier versions do not know.
const FORMAT_EVENTS: u32 = 4;
/// Tables may have indexes of members, which earlier versions would not keep up.
const FORMAT_MEMBERS: u32 = 5;
/// There may be segments with columns that earlier versions take for damaged. Versions that knew 3
/// and 6 had tables and indexes by column, but none of these columns.
const FORMAT_COLUMNS: u32 = 7;
/// Tables may have rules, which earlier versions would not obey.
const FORMAT_RULES: u32 = 8;
/// There may be accounts, which earlier versions would let nobody be.
const FORMAT_ACCOUNTS: u32 = 9;
/// FLOAT and DOUBLE may have digits, which earlier versions do not know.
const FORMAT_DIGITS: u32 = 10;
/// There may be views, which earlier versions do not know.
const FORMAT_VIEWS: u32 = 11;
/// Tables may have foreign keys, which earlier versions would not obey.
const FORMAT_FOREIGN_KEYS: u32 = 12;
/// Text may compare by Unicode's weights, which earlier versions do not know.
const FORMAT_COLLATIONS: u32 = 13;
/// Events and views may have the rights of an account alone, where earlier versions would give them
/// all.
const FORMAT_DEFINERS: u32 = 14;
/// Columns may be SET and BIT, and have collations of languages, which earlier versions do not
/// know.
const FORMAT_BITS: u32 = 15;
/// Parts of indexes may be expressions, whose columns earlier versions would show, and descend;
/// indexes may be invisible.
const FORMAT_KEYS: u32 = 16;
/// Tables may have full-text indexes, which earlier versions would not keep up.
const FORMAT_FULL_TEXT: u32 = 17;
/// Tables may have partitions, whose numbers stand in all of their keys.
const FORMAT_PARTITIONS: u32 = 18;
/// Texts may be ordered by languages that earlier versions do not know.
const FORMAT_LANGUAGES: u32 = 19;
/// There may be prepared transactions, which earlier versions would forget.
const FORMAT_PREPARED: u32 = 20;
/// Columns may be invisible, which earlier versions would show, with zeros in front, and without
/// the default that a column has which allows NULL.
const FORMAT_INVISIBLE: u32 = 21;
/// Tables may have multi-valued indexes, which earlier versions would not keep up.
const FORMAT_MULTI_VALUED: u32 = 22;
/// Texts may be of other character sets than utf8mb4, which earlier versions kept as that.
const FORMAT_CHARACTER_SETS: u32 = 23;
/// A CHECK may be NOT ENFORCED, which earlier versions would enforce.
const FORMAT_UNENFORCED: u32 = 24;
const KIND_FORMAT: u8 = 1;
const KIND_DATABASE: u8 = 2;
const KIND_TABLE: u8 = 3;
const KIND_NEXT_ID: u8 = 4;
const KIND_RECLAIM: u8 = 5;
const KIND_EVENT: u8 = 6;
const KIND_ACCOUNT: u8 = 7;

/// An account as it is stored: its name and what is known of it, which crate `access` reads.
pub type AccountRecord = (Vec<u8>, Vec<u8>);
const KIND_VIEW: u8 = 8;
const KIND_PREPARED: u8 = 9;

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

/// One change of the catalog as a batch for the store and a change of memory after it.
pub(crate) struct CatalogChange<'c> {
    catalog: &'c Catalog,
    changes: MutexGuard<'c, Changes>,
    batch: Batch,
    /// The format that what is stored needs.
    format: u32,
    /// What tables of a database take from now on; nothing of one that was dropped.
    text_defaults: Vec<(String, TextDefaults)>,
    /// Events as they will be; `None`: dropped.
    events: Vec<(EventId, Option<Arc<EventDefinition>>)>,
    /// Views that are gone, and those that are there from now on.
    views: (Vec<Arc<View>>, Vec<Arc<View>>),
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

    /// Starts a change; others wait until it is over.
    pub(crate) fn change(&self) -> CatalogChange<'_> {
        CatalogChange {
            catalog: self,
            changes: self.changes.lock(),
            batch: Batch::default(),
            format: FORMAT_FIRST,
            text_defaults: Vec::new(),
            events: Vec::new(),
            views: (Vec::new(), Vec::new()),
        }
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

    /// Has the store say that there may be prepared transactions, before there is one.
    ///
    /// # Errors
    /// Those of the write.
    pub(crate) fn expect_prepared(&self, store: &dyn Store) -> Result<()> {
        let mut change = self.change();
        if change.changes.format >= FORMAT_PREPARED {
            return Ok(());
        }
        change.format = FORMAT_PREPARED;
        change.finish(store, Durability::EveryCommit, |_| ())
    }

    /// The keys of prepared transactions: each has a number, and parts that are counted.
    pub(crate) fn prepared_range() -> KeyRange {
        let start = catalog_key(KIND_PREPARED, &[]);
        KeyRange { start, end: catalog_key(KIND_PREPARED + 1, &[]) }
    }

    /// The key of a part of a prepared transaction.
    pub(crate) fn prepared_key(number: u64, part: u32) -> Vec<u8> {
        let mut key = catalog_key(KIND_PREPARED, &number.to_be_bytes());
        key.extend_from_slice(&part.to_be_bytes());
        key
    }

    /// Number and part that such a key says.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn prepared_part(key: &[u8]) -> Result<(u64, u32)> {
        let start = catalog_key(KIND_PREPARED, &[]).len();
        let read = |rest: &[u8]| {
            let (number, part) = rest.split_first_chunk()?;
            let part = part.try_into().ok()?;
            Some((u64::from_be_bytes(*number), u32::from_be_bytes(part)))
        };
        let why = "length of the key of a prepared transaction";
        key.get(start..).and_then(read).ok_or_else(|| Error::Corrupt { key: key.to_vec(), why })
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

    /// The batch that forgets reclaimed ranges.
    pub(crate) fn reclaimed(ids: &[TableId]) -> Batch {
        let key = |id: &TableId| catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        Batch { changes: ids.iter().map(key).map(Change::delete).collect() }
    }
}

impl CatalogChange<'_> {
    /// A table id that was never used.
    pub(crate) fn new_table_id(&mut self) -> TableId {
        let id = self.changes.next_id;
        self.changes.next_id = id.checked_add(1).expect("table ids exhausted");
        let next = self.changes.next_id.to_le_bytes().to_vec();
        self.batch.changes.push(Change::put(catalog_key(KIND_NEXT_ID, &[]), next));
        id
    }

    /// Stores a definition.
    pub(crate) fn put_table(&mut self, definition: &TableDefinition) {
        self.format = self.format.max(format_of(definition));
        let key = catalog_key(KIND_TABLE, &definition.id.to_be_bytes());
        let value = serde_json::to_vec(definition).expect("definitions are plain data");
        self.batch.changes.push(Change::put(key, value));
    }

    /// Removes a definition; rows and entries go by `Engine::reclaim`, when nobody can find the
    /// table.
    pub(crate) fn delete_table(&mut self, id: TableId) {
        let key = catalog_key(KIND_TABLE, &id.to_be_bytes());
        self.batch.changes.push(Change::delete(key));
    }

    /// Notes that all rows and entries of a table id are to go, also after a crash.
    pub(crate) fn note_dropped(&mut self, id: TableId) {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::put(key, Vec::new()));
    }

    /// Forgets such a note: the range is in use now.
    pub(crate) fn keep_range(&mut self, id: TableId) {
        let key = catalog_key(KIND_RECLAIM, &id.to_be_bytes());
        self.batch.changes.push(Change::delete(key));
    }

    /// Removes a range of keys, such as an index's.
    pub(crate) fn delete_range(&mut self, range: KeyRange) {
        self.batch.changes.push(Change::DeleteRange(range));
    }

    /// Stores an event.
    pub(crate) fn put_event(&mut self, event: EventDefinition) {
        let format = if event.is_by_account { FORMAT_DEFINERS } else { FORMAT_EVENTS };
        self.format = self.format.max(format);
        let value = serde_json::to_vec(&event).expect("definitions are plain data");
        self.batch.changes.push(Change::put(event_key(event.id), value));
        self.events.push((event.id, Some(Arc::new(event))));
    }

    /// Removes an event.
    pub(crate) fn delete_event(&mut self, id: EventId) {
        self.batch.changes.push(Change::delete(event_key(id)));
        self.events.push((id, None));
    }

    /// Stores an account.
    pub(crate) fn put_account(&mut self, (name, value): &AccountRecord) {
        self.format = self.format.max(FORMAT_ACCOUNTS);
        self.batch.changes.push(Change::put(catalog_key(KIND_ACCOUNT, name), value.clone()));
    }

    /// Stores a view, in the place of another one.
    pub(crate) fn put_view(&mut self, view: ViewDefinition, replaced: Option<Arc<View>>) {
        let format = if view.is_by_account { FORMAT_DEFINERS } else { FORMAT_VIEWS };
        self.format = self.format.max(format);
        let value = serde_json::to_vec(&view).expect("definitions are plain data");
        self.batch.changes.push(Change::put(view_key(view.id), value));
        self.views.0.extend(replaced);
        self.views.1.push(View::new(view));
    }

    /// Removes a view.
    pub(crate) fn delete_view(&mut self, view: Arc<View>) {
        self.batch.changes.push(Change::delete(view_key(view.id)));
        self.views.0.push(view);
    }

    /// Stores a database.
    pub(crate) fn put_database(&mut self, name: &str, text: TextDefaults) {
        // Versions that know no default of a database pass over it, those that do must know what it
        // names.
        self.format = self.format.max(text.collation.map_or(FORMAT_FIRST, format_of_collation));
        let key = catalog_key(KIND_DATABASE, name.as_bytes());
        let value = serde_json::to_vec(&text).expect("definitions are plain data");
        self.batch.changes.push(Change::put(key, value));
        self.text_defaults.push((name.to_owned(), text));
    }

    /// Removes a database.
    pub(crate) fn delete_database(&mut self, name: &str) {
        self.text_defaults.push((name.to_owned(), TextDefaults::default()));
        self.batch.changes.push(Change::delete(catalog_key(KIND_DATABASE, name.as_bytes())));
    }

    /// Writes the batch, then changes memory by `apply`.
    pub(crate) fn finish<T>(
        mut self,
        store: &dyn Store,
        durability: Durability,
        apply: impl FnOnce(&mut BTreeMap<String, Tables>) -> T,
    ) -> Result<T> {
        let format = self.format.max(self.changes.format);
        if format > self.changes.format {
            self.batch.changes.push(put_format(format));
        }
        store.write(&self.batch, durability)?;
        self.changes.format = format;
        let mut text_defaults = self.catalog.text_defaults.write();
        for (database, text) in self.text_defaults {
            keep_text_defaults(&mut text_defaults, &database, text);
        }
        drop(text_defaults);
        let mut events = self.catalog.events.write();
        for (id, event) in self.events {
            match event {
                Some(event) => events.insert(id, event),
                None => events.remove(&id),
            };
        }
        drop(events);
        let mut views = self.catalog.views.write();
        for gone in self.views.0 {
            if let Some(of_database) = views.get_mut(&gone.database) {
                of_database.remove(&gone.name);
            }
            gone.replace();
        }
        for view in self.views.1 {
            views.entry(view.database.clone()).or_default().insert(view.name.clone(), view);
        }
        drop(views);
        let mut databases = self.catalog.databases.write();
        let result = apply(&mut databases);
        // Without a foreign key there never was anything to relate.
        if format >= FORMAT_FOREIGN_KEYS {
            relate(&databases);
        }
        drop(databases);
        drop(self.changes);
        Ok(result)
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

/// Tells every table which others refer to it, as far as that is not what it knows.
fn relate(databases: &BTreeMap<String, Tables>) {
    let mut referring: Referring<'_> = HashMap::new();
    for child in databases.values().flat_map(HashMap::values) {
        for key in &child.foreign_keys {
            let parent = (&*key.parent_database, &*key.parent_table);
            let name = (&*child.database, &*child.name);
            referring.entry(parent).or_default().push((name, key));
        }
    }
    for of_parent in referring.values_mut() {
        of_parent.sort_unstable_by_key(|(child, key)| (*child, &key.name));
    }
    let tables = || databases.values().flat_map(HashMap::values);
    let is_known = |table: &Arc<Table>| {
        let known = table.references();
        let now = referring_to(&referring, table);
        known.len() == now.len()
            && known.iter().zip(now).all(|(known, (child, key))| {
                ((&*known.database, &*known.table), &known.key) == (*child, *key)
            })
    };
    if tables().all(is_known) {
        return;
    }
    // Whoever refers to a table may follow others, too.
    for table in tables() {
        let of_table =
            referring_to(&referring, table).iter().map(|((database, name), key)| Reference {
                database: database.to_string(),
                table: name.to_string(),
                key: ForeignKey::clone(key),
            });
        let followers = followers(&referring, (&table.database, &table.name));
        table.state.set_references(of_table.collect(), followers);
    }
}

/// The foreign keys that refer to a table.
fn referring_to<'r>(
    referring: &'r Referring<'r>,
    table: &'r Table,
) -> &'r [(FullName<'r>, &'r ForeignKey)] {
    let name = (&*table.database, &*table.name);
    referring.get(&name).map_or(&[], Vec::as_slice)
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

/// The first format whose versions keep a table as it must be kept.
fn format_of(definition: &TableDefinition) -> u32 {
    let is_of_21 = |column: &Column| {
        column.invisible || column.zerofill.is_some() || column.default == DefaultValue::Dropped
    };
    let of_parts = match definition {
        definition if definition.checks.iter().any(|check| check.unenforced) => FORMAT_UNENFORCED,
        definition if !definition.multi_valued.is_empty() => FORMAT_MULTI_VALUED,
        definition if definition.columns.iter().any(is_of_21) => FORMAT_INVISIBLE,
        definition if definition.partitioning.is_some() => FORMAT_PARTITIONS,
        definition if !definition.full_texts.is_empty() => FORMAT_FULL_TEXT,
        definition if definition.indexes.iter().any(|index| has_key_parts(definition, index)) => {
            FORMAT_KEYS
        }
        definition if definition.columns.iter().any(has_bits) => FORMAT_BITS,
        definition if !definition.foreign_keys.is_empty() => FORMAT_FOREIGN_KEYS,
        definition if definition.columns.iter().any(has_digits) => FORMAT_DIGITS,
        definition if definition.has_rules() => FORMAT_RULES,
        definition if definition.columnar || definition.columnar_index.is_some() => FORMAT_COLUMNS,
        definition if !definition.members.is_empty() => FORMAT_MEMBERS,
        definition if !definition.retention.is_forever() => FORMAT_RETENTION,
        _ => FORMAT_FIRST,
    };
    collations_of(definition).map(format_of_collation).fold(of_parts, u32::max)
}

/// The first format whose versions know a collation.
fn format_of_collation(collation: Collation) -> u32 {
    match collation {
        Collation::Numbered(_) => FORMAT_CHARACTER_SETS,
        collation if is_of_newer_language(collation) => FORMAT_LANGUAGES,
        Collation::Utf8Mb4OfLanguage(_) => FORMAT_BITS,
        Collation::Binary | Collation::Utf8Mb4Bin | Collation::Utf8Mb4GeneralCi => FORMAT_FIRST,
        _ => FORMAT_COLLATIONS,
    }
}

/// Whether it is a language's by Unicode 9.0.0, or by 4.0.0 with contractions.
fn is_of_newer_language(collation: Collation) -> bool {
    matches!(
        collation,
        Collation::Utf8Mb40900OfLanguage(..)
            | Collation::Utf8Mb4OfLanguage(
                Language::Croatian
                    | Language::Czech
                    | Language::Danish
                    | Language::Lithuanian
                    | Language::Slovak
                    | Language::TraditionalSpanish
            )
    )
}

fn collations_of(definition: &TableDefinition) -> impl Iterator<Item = Collation> {
    let of_columns = definition.columns.iter().filter_map(|column| column.ty.collation());
    of_columns.chain(definition.collation)
}

/// Whether an index is invisible, or has parts that are expressions or descend.
fn has_key_parts(definition: &TableDefinition, index: &Index) -> bool {
    index.invisible
        || index
            .parts
            .iter()
            .any(|part| part.descending || definition.columns[part.column].is_of_index())
}

fn has_digits(column: &Column) -> bool {
    matches!(column.ty, ColumnType::Float(Some(_)) | ColumnType::Double(Some(_)))
}

fn has_bits(column: &Column) -> bool {
    matches!(column.ty, ColumnType::Set { .. } | ColumnType::Bit { .. })
}

fn put_format(format: u32) -> Change {
    Change::put(catalog_key(KIND_FORMAT, &[]), format.to_le_bytes().to_vec())
}

fn event_key(id: EventId) -> Vec<u8> {
    catalog_key(KIND_EVENT, &id.to_be_bytes())
}

fn view_key(id: u32) -> Vec<u8> {
    catalog_key(KIND_VIEW, &id.to_be_bytes())
}

fn catalog_key(kind: u8, rest: &[u8]) -> Vec<u8> {
    let mut key = vec![0, 0, 0, 0, kind];
    key.extend_from_slice(rest);
    key
}

fn read_u32(key: &[u8], value: &[u8]) -> Result<u32> {
    let bytes = value.try_into().map_err(|_| Error::Corrupt {
        key: key.to_vec(),
        why: "catalog number is not four bytes",
    })?;
    Ok(u32::from_le_bytes(bytes))
}
