//! Where items lie: the built-in table, and containers, which map key prefixes to tables.
//!
//! ```text
//! kv.cache              k VARBINARY(250) PRIMARY KEY, v LONGBLOB, flags INT UNSIGNED,
//!                       expires_at BIGINT, stale TINYINT UNSIGNED
//! rowhouse.containers   name VARCHAR(64) PRIMARY KEY, db, tbl, key_columns, value_columns,
//!                       `separator`, flags_column, expiry_column
//! ```
//! Lists of columns are comma separated; the separator (default `|`) joins values, and parts of
//! keys. `expires_at` is an absolute Unix second, 0 for never.
//!
//! Invariants
//! 1. Containers are read again when a write to their table has been acknowledged since, or when
//!    a table they name has changed.
//! 2. A container that makes no sense refuses every use with the reason, and hurts no other.
//! 3. What the client may do with the items of a place is made out when the place is looked at
//!    again, and when the number of the client's rights is another one.
//!
//! Not here: what is done with items (`execute`), bytes of rows (`item`).

use std::collections::HashMap;
use std::sync::Arc;

use access::{LimitReached, Rights};
use rows::BrokenRule;
use rows::schema::{Column, DefaultValue};
use rows::store::{Direction, Reach};
use rows::{Alteration, Engine, Error, Flow, Table};
use values::types::{IntWidth, LobSize};
use values::{Collation, ColumnType, Datum};

use crate::accesses::ClientAccesses;
use crate::key_requests;
use crate::memcached::command::{MemcachedRefusal, MemcachedTrouble};
use crate::memcached::rights::ItemRights;
use crate::own_table;

/// The expiry column of the built-in table.
const EXPIRES_AT: &str = "expires_at";

/// A table as items see it.
#[derive(Clone, Debug)]
pub struct MemcachedPlace {
    /// The table.
    pub table: Arc<Table>,
    /// Columns that hold the value, in order.
    pub values: Vec<usize>,
    /// Between values, and between parts of keys.
    pub separator: Vec<u8>,
    /// The column of the client's flags.
    pub flags: Option<usize>,
    /// The column of the expiry time.
    pub expires: Option<usize>,
    /// The column of the stale mark.
    pub stale: Option<usize>,
    /// Whether key and value are one binary column each, which takes any bytes as they are.
    pub raw: bool,
    /// What the client may do with items.
    pub rights: ItemRights,
    /// Where it is noted what the client does with them, if the audit log is to have that.
    pub accesses: Option<Arc<ClientAccesses>>,
}

/// Why a client may not do something with items.
#[derive(Debug)]
pub(crate) enum DeniedAccess {
    /// It has not the rights.
    Rights,
    /// The audit log takes no lines, and is to have it.
    Unaudited(LimitReached),
}

impl From<DeniedAccess> for MemcachedTrouble {
    fn from(denied: DeniedAccess) -> MemcachedTrouble {
        MemcachedTrouble::Refused(match denied {
            DeniedAccess::Rights => MemcachedRefusal::Denied,
            DeniedAccess::Unaudited(reached) => {
                MemcachedRefusal::Server(reached.to_string().into())
            }
        })
    }
}

/// All containers, as of one state of their table.
#[derive(Debug, Default)]
pub struct Containers {
    by_name: HashMap<Vec<u8>, Result<MemcachedPlace, String>>,
    /// The table and its `changes` before it was read.
    read: Option<(Arc<Table>, u64)>,
}

/// The places one conversation knows.
#[derive(Debug, Default)]
pub struct Places {
    home: Option<MemcachedPlace>,
    containers: Containers,
    /// The number of the rights that those of the places are from.
    rights_number: u64,
    /// Where it is noted what the client does.
    accesses: Option<Arc<ClientAccesses>>,
}

/// The tables that the door makes for itself: that of all keys without a container, and that of
/// containers.
pub const OWN_TABLES: [(&str, &str); 2] = [("kv", "cache"), ("rowhouse", "containers")];

/// Makes the built-in tables that are missing, and lets the rows of `kv.cache` expire.
///
/// # Errors
/// Those of the engine.
pub fn prepare(engine: &Engine) -> rows::Result<()> {
    for ((database, name), columns) in
        OWN_TABLES.into_iter().zip([home_columns(), container_columns()])
    {
        own_table::make(engine, database, name, columns)?;
    }
    // Also in data directories of the time when only this door knew of expiry.
    let cache = engine.catalog().table("kv", "cache")?;
    let home_column = cache.column(EXPIRES_AT).is_some();
    if home_column && cache.retention.expires_by.is_none() {
        let alteration = Alteration::SetExpiry(Some(EXPIRES_AT.into()));
        engine.alter_table("kv", "cache", vec![alteration], &engine.patience())?;
    }
    Ok(())
}

fn column(name: &str, ty: ColumnType, default: Option<&str>) -> Column {
    let default = default
        .map_or(DefaultValue::None, |text| DefaultValue::Literal(Some(text.as_bytes().to_vec())));
    Column { default, ..Column::new(name, ty) }
}

fn home_columns() -> Vec<Column> {
    let int = |width, unsigned| ColumnType::Int { width, unsigned, boolean: false };
    vec![
        column("k", ColumnType::VarBinary { bytes: 250 }, None),
        column("v", ColumnType::Blob { size: LobSize::Long }, None),
        column("flags", int(IntWidth::Int, true), Some("0")),
        column(EXPIRES_AT, int(IntWidth::Big, false), Some("0")),
        column("stale", int(IntWidth::Tiny, true), Some("0")),
    ]
}

fn container_columns() -> Vec<Column> {
    let text = |chars| ColumnType::VarChar { chars, collation: Collation::Utf8Mb4Bin };
    vec![
        column("name", text(64), None),
        column("db", text(64), None),
        column("tbl", text(64), None),
        column("key_columns", text(1024), None),
        column("value_columns", text(4096), None),
        column("separator", text(16), Some("|")),
        column("flags_column", text(64), Some("")),
        column("expiry_column", text(64), Some("")),
    ]
}

impl MemcachedPlace {
    fn home(engine: &Engine) -> rows::Result<MemcachedPlace> {
        let table = engine.catalog().table("kv", "cache")?;
        let lacks = |what| Error::Definition(BrokenRule::DoorTable { table: "kv.cache", what });
        let named =
            |name: &str| table.column(name).ok_or_else(|| lacks(format!("the column {name}")));
        let key_only = table.codecs[0].parts.len() == 1
            && table.codecs[0].parts[0].column == named("k")?
            && table.codecs[0].parts[0].prefix.is_none();
        if !key_only {
            return Err(lacks("the primary key k".into()));
        }
        Ok(MemcachedPlace {
            values: vec![named("v")?],
            separator: Vec::new(),
            flags: Some(named("flags")?),
            expires: Some(named(EXPIRES_AT)?),
            stale: table.column("stale"),
            raw: true,
            rights: ItemRights::NONE,
            accesses: None,
            table,
        })
    }

    /// A place by the columns of a row of `rowhouse.containers`, name excluded.
    pub(crate) fn container(engine: &Engine, row: &[String]) -> Result<MemcachedPlace, String> {
        let [database, name, keys, values, separator, flags, expires] = row else {
            return Err("rowhouse.containers lacks columns".into());
        };
        let table = engine
            .catalog()
            .table(database, name)
            .map_err(|_| format!("no such table {database}.{name}"))?;
        let named = |name: &str| {
            let name = name.trim();
            table.column(name).ok_or_else(|| format!("no such column {name}"))
        };
        let list = |names: &str| names.split(',').map(named).collect::<Result<Vec<_>, _>>();
        let optional = |name: &str| match name.trim() {
            "" | "0" => Ok(None),
            name => named(name).map(Some),
        };
        let keys = list(keys)?;
        let values = list(values)?;
        let parts = table.own_parts(0);
        let fits = !parts.is_empty()
            && parts.len() == keys.len()
            && parts.iter().zip(&keys).all(|(p, key)| p.column == *key && p.prefix.is_none());
        if !fits {
            return Err("key_columns must be the primary key".into());
        }
        if keys.iter().any(|key| table.columns[*key].computed.is_some()) {
            return Err("a key column cannot be a generated column".into());
        }
        if separator.is_empty() && (keys.len() > 1 || values.len() > 1) {
            return Err("several columns need a separator".into());
        }
        let (flags, expires) = (optional(flags)?, optional(expires)?);
        let integer = |column: Option<usize>| {
            column.is_none_or(|at| matches!(table.columns[at].ty, ColumnType::Int { .. }))
        };
        if !integer(flags) || !integer(expires) {
            return Err("flags_column and expiry_column must be integers".into());
        }
        if expires.is_some() && table.is_kept_by_others() {
            return Err("rows that foreign keys need cannot expire by expiry_column".into());
        }
        if values.iter().any(|value| keys.contains(value)) {
            return Err("a key column cannot be a value column".into());
        }
        let separator = separator.as_bytes().to_vec();
        let rights = ItemRights::NONE;
        let (stale, raw) = (None, false);
        let accesses = None;
        Ok(MemcachedPlace {
            table,
            values,
            separator,
            flags,
            expires,
            stale,
            raw,
            rights,
            accesses,
        })
    }

    /// Refuses what needs rights that the client has not; what it does is noted where the audit log
    /// is to have that.
    #[inline]
    pub(crate) fn ask(&self, needed: ItemRights, key: Option<&[u8]>) -> Result<(), DeniedAccess> {
        let allowed = self.rights.allow(needed);
        key_requests::note(needed.operation().unwrap_or("read"), &self.table, None, allowed);
        if let Some(accesses) = &self.accesses
            && let Some(operation) = needed.operation().or((!allowed).then_some("read"))
        {
            let noted = accesses.note(&self.table, operation, key, allowed);
            noted.map_err(DeniedAccess::Unaudited)?;
        }
        if allowed { Ok(()) } else { Err(DeniedAccess::Rights) }
    }
}

impl Containers {
    fn read(engine: &Engine, reach: Reach) -> rows::Result<Containers> {
        let table = match engine.catalog().table("rowhouse", "containers") {
            Ok(table) => table,
            Err(Error::NotFound { .. }) => return Ok(Containers::default()),
            Err(error) => return Err(error),
        };
        let changes = table.changes();
        let mut by_name = HashMap::new();
        let names = [
            "name",
            "db",
            "tbl",
            "key_columns",
            "value_columns",
            "separator",
            "flags_column",
            "expiry_column",
        ];
        let columns: Vec<Option<usize>> = names.iter().map(|name| table.column(name)).collect();
        let range = table.index_range(0);
        let view = engine.latest();
        engine.find(view, &table, 0, &range, Direction::Forward, reach, &mut |found| {
            let mut texts = Vec::with_capacity(columns.len());
            for column in &columns {
                texts.push(match column {
                    Some(at) => match found.row.column(*at)? {
                        Datum::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
                        _ => String::new(),
                    },
                    None => String::new(),
                });
            }
            let place = MemcachedPlace::container(engine, &texts[1..]);
            by_name.insert(texts.swap_remove(0).into_bytes(), place);
            Ok(Flow::Continue)
        })?;
        Ok(Containers { by_name, read: Some((table, changes)) })
    }

    fn is_current(&self) -> bool {
        let Some((table, changes)) = &self.read else { return false };
        table.is_current()
            && table.changes() == *changes
            && self
                .by_name
                .values()
                .all(|place| place.as_ref().is_ok_and(|place| place.table.is_current()))
    }
}

impl Places {
    /// Looks again at what has changed, for a client with these rights, whose requests are noted
    /// there.
    ///
    /// # Errors
    /// `WouldWait` and what reading tables gives; `NotFound` when `kv.cache` was dropped.
    pub fn refresh(
        &mut self,
        engine: &Engine,
        reach: Reach,
        (rights, accesses): (&Rights, Option<&Arc<ClientAccesses>>),
    ) -> rows::Result<()> {
        let mut is_known = self.rights_number == rights.number
            && ClientAccesses::are_same(self.accesses.as_ref(), accesses);
        if !self.containers.is_current() {
            self.containers = Containers::read(engine, reach)?;
            is_known = false;
        }
        let mut home = Ok(());
        if !self.home.as_ref().is_some_and(|home| home.table.is_current()) {
            self.home = None;
            home = MemcachedPlace::home(engine).map(|home| self.home = Some(home));
            is_known = false;
        }
        if !is_known {
            let containers = self.containers.by_name.values_mut().flatten();
            for place in containers.chain(&mut self.home) {
                place.rights = ItemRights::of(place, rights);
                place.accesses = accesses.cloned();
            }
            self.accesses = accesses.cloned();
            self.rights_number = rights.number;
        }
        home
    }

    /// The place of a key and the part of the key that counts there.
    ///
    /// # Errors
    /// The reason why a container cannot be used, as a sentence.
    pub fn of<'p, 'k>(&'p self, key: &'k [u8]) -> Result<(&'p MemcachedPlace, &'k [u8]), String> {
        if !self.containers.by_name.is_empty()
            && let Some((name, rest)) = split_key(key)
            && let Some(place) = self.containers.by_name.get(name)
        {
            return match place {
                Ok(place) => Ok((place, rest)),
                Err(why) => {
                    let name = String::from_utf8_lossy(name);
                    Err(format!("container {name}: {why}"))
                }
            };
        }
        match &self.home {
            Some(home) => Ok((home, key)),
            None => Err("no table kv.cache".into()),
        }
    }

    /// The tables of containers with the columns by which their rows expire; of several such
    /// columns that of the container whose name comes first.
    pub fn expiring(&self) -> Vec<(Arc<Table>, usize)> {
        let mut named: Vec<_> = self.containers.by_name.iter().collect();
        named.sort_unstable_by_key(|(name, _)| *name);
        let mut expiring: Vec<(Arc<Table>, usize)> = Vec::new();
        for place in named.into_iter().filter_map(|(_, place)| place.as_ref().ok()) {
            if let Some(column) = place.expires
                && !expiring.iter().any(|(table, _)| table.is_version_of(&place.table))
            {
                expiring.push((Arc::clone(&place.table), column));
            }
        }
        expiring
    }

    /// The built-in table.
    pub fn home(&self) -> Option<&MemcachedPlace> {
        self.home.as_ref()
    }
}

/// `user:101` and `@@user.101` name a container and a key in it.
fn split_key(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, mark) = match key.strip_prefix(b"@@") {
        Some(rest) => (rest, b'.'),
        None => (key, b':'),
    };
    let at = memchr::memchr(mark, key)?;
    Some((&key[..at], &key[at + 1..]))
}
