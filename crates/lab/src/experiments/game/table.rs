//! The servers of the game, and the ways to play that they make possible.

use anyhow::Result;

use super::GameOptions;
use super::doors::{self, GameDoor};
use super::world::World;
use crate::experiments::{Common, progress};
use crate::peers::{
    AppendFsync, Durability, MariaDb, MariaDbSettings, MemcachedServer, Redis, Rowhouse,
};
use crate::report::Report;

/// memcached alone, writing back what was read plus one.
pub const MEMCACHED_SET: &str = "memcached get+set";
/// memcached alone, trying again when somebody else was quicker.
pub const MEMCACHED_CAS: &str = "memcached gets+cas";
/// Redis alone, writing back what was read plus one.
pub const REDIS_SET: &str = "redis get+set";
/// MariaDB by statements.
pub const MARIADB_SQL: &str = "mariadb sql";
/// MariaDB by statements behind memcached: read-through, delete on update.
pub const MARIADB_CACHED: &str = "mariadb+memcached";
/// MariaDB by HandlerSocket.
pub const MARIADB_HANDLERSOCKET: &str = "mariadb handlersocket";
/// Rowhouse by statements.
pub const ROWHOUSE_SQL: &str = "rowhouse sql";
/// Rowhouse by its HandlerSocket door.
pub const ROWHOUSE_HANDLERSOCKET: &str = "rowhouse handlersocket";
/// Rowhouse by its memcached door, as `memcached get+set`.
pub const ROWHOUSE_SET: &str = "rowhouse memcached get+set";
/// Rowhouse by its memcached door, as `memcached gets+cas`.
pub const ROWHOUSE_CAS: &str = "rowhouse memcached gets+cas";
/// Rowhouse by its Tyrant door, writing back what was read plus one.
pub const ROWHOUSE_TYRANT: &str = "rowhouse tyrant get+put";

/// Opens one connection of a variant.
pub type Connect<'a> = Box<dyn Fn() -> Result<(Box<dyn GameDoor>, Vec<std::net::TcpStream>)> + 'a>;

/// One way to play.
pub struct Variant<'a> {
    /// Name in tables.
    pub name: &'static str,
    /// Its processes.
    pub servers: Vec<u32>,
    /// Index of its ledger: variants on the same rows share one.
    pub ledger: usize,
    /// How players reach it.
    pub connect: Connect<'a>,
    /// Reads what is true at the end; may differ from what players read.
    pub truth: Connect<'a>,
    /// Reads the copies of a cache in front.
    pub copies: Option<Connect<'a>>,
    /// Its writes are single operations that cannot lose each other's effect.
    pub exact: bool,
}

/// The servers that could be started and filled.
pub struct ServerTable {
    /// One per way of writing, since both keep their players under the same keys.
    memcached_set: Option<MemcachedServer>,
    memcached_cas: Option<MemcachedServer>,
    cache: Option<MemcachedServer>,
    redis: Option<Redis>,
    mariadb: Option<MariaDb>,
    rowhouse: Option<Rowhouse>,
    /// The memcached door exists and holds the players.
    rowhouse_keys: bool,
    /// So does the Tyrant door.
    rowhouse_records: bool,
}

/// Ledgers: one per set of rows that variants share.
pub const LEDGERS: usize = 9;
/// The database with a cache in front has rows of its own: others change theirs behind its back.
const CACHED_DATABASE: &str = "cached";
const DATABASE: &str = "game";
/// The memcached door keeps the players of its two variants under different keys.
const CAS_PREFIX: &str = "cas-";

impl ServerTable {
    /// Starts and fills all that are wanted; notes versions, and what could not run.
    pub fn start(options: &GameOptions, world: World, report: &mut Report) -> ServerTable {
        let common = &options.common;
        let threads = common.server_threads();
        let wants = |names: &[&str]| common.wants_any(names);
        let memcached = |report: &mut Report, name: &str| {
            progress(&format!("filling {name}"));
            report.keep(name, start_memcached(world, threads))
        };
        let mut table = ServerTable {
            memcached_set: None,
            memcached_cas: None,
            cache: None,
            redis: None,
            mariadb: None,
            rowhouse: None,
            rowhouse_keys: false,
            rowhouse_records: false,
        };
        if wants(&[MEMCACHED_SET]) {
            table.memcached_set = memcached(report, MEMCACHED_SET);
        }
        if wants(&[MEMCACHED_CAS]) {
            table.memcached_cas = memcached(report, MEMCACHED_CAS);
        }
        if wants(&[MARIADB_CACHED]) {
            table.cache = memcached(report, MARIADB_CACHED);
        }
        if wants(&[REDIS_SET]) {
            progress("filling redis");
            table.redis = report.keep(REDIS_SET, start_redis(options.durability, world));
        }
        if wants(&[MARIADB_SQL, MARIADB_CACHED, MARIADB_HANDLERSOCKET]) {
            progress("loading mariadb");
            let with_cache = table.cache.is_some();
            table.mariadb = report.keep("mariadb", start_mariadb(options, world, with_cache));
        }
        let ours =
            [ROWHOUSE_SQL, ROWHOUSE_HANDLERSOCKET, ROWHOUSE_SET, ROWHOUSE_CAS, ROWHOUSE_TYRANT];
        if wants(&ours) {
            progress("loading rowhouse");
            table.rowhouse = report.keep("rowhouse", start_rowhouse(options, world));
        }
        table.note(common, world, report);
        table
    }

    fn note(&mut self, common: &Common, world: World, report: &mut Report) {
        let mut version = |name: &str, version: Option<&String>| {
            if let Some(version) = version {
                report.versions.insert(name.to_owned(), version.clone());
            }
        };
        let caches = [&self.memcached_set, &self.memcached_cas, &self.cache];
        version("memcached", caches.into_iter().flatten().next().map(|peer| &peer.version));
        version("redis", self.redis.as_ref().map(|peer| &peer.version));
        version("mariadb", self.mariadb.as_ref().map(|peer| &peer.version));
        version("rowhouse", self.rowhouse.as_ref().map(|peer| &peer.version));
        if let Some(Err(why)) = self.mariadb.as_ref().map(|peer| &peer.handlersocket) {
            report.not_run.insert(MARIADB_HANDLERSOCKET.to_owned(), why.clone());
        }
        if let Some(peer) = &self.rowhouse
            && common.wants_any(&[ROWHOUSE_SET, ROWHOUSE_CAS])
        {
            let filled = world
                .fill_keys("", || peer.memcached())
                .and_then(|()| world.fill_keys(CAS_PREFIX, || peer.memcached()));
            self.rowhouse_keys = report.keep("rowhouse memcached", filled).is_some();
        }
        if let Some(peer) = &self.rowhouse
            && common.wants(ROWHOUSE_TYRANT)
        {
            let filled = world.fill_tyrant(|| peer.tyrant());
            self.rowhouse_records = report.keep(ROWHOUSE_TYRANT, filled).is_some();
        }
    }

    /// All ways to play.
    pub fn variants<'a>(&'a self) -> Vec<Variant<'a>> {
        let mut all = Vec::new();
        let memcached = |peer: &'a MemcachedServer, cas: bool| -> Connect<'a> {
            Box::new(move || Ok((doors::keys("", cas), vec![peer.connect()?])))
        };
        let mut by_memcached = |name, ledger, peer: &'a MemcachedServer, cas| {
            let (connect, truth) = (memcached(peer, cas), memcached(peer, cas));
            let servers = vec![peer.server.pid()];
            let exact = false;
            all.push(Variant { name, servers, ledger, connect, truth, copies: None, exact });
        };
        if let Some(peer) = &self.memcached_set {
            by_memcached(MEMCACHED_SET, 0, peer, false);
        }
        if let Some(peer) = &self.memcached_cas {
            by_memcached(MEMCACHED_CAS, 1, peer, true);
        }
        if let Some(peer) = &self.redis {
            let connect =
                || -> Connect<'a> { Box::new(move || Ok((doors::redis(), vec![peer.connect()?]))) };
            let servers = vec![peer.server.pid()];
            let (connect, truth) = (connect(), connect());
            let (name, ledger, exact) = (REDIS_SET, 2, false);
            all.push(Variant { name, servers, ledger, connect, truth, copies: None, exact });
        }
        if let Some(peer) = &self.mariadb {
            all.extend(self.mariadb_variants(peer));
        }
        if let Some(peer) = &self.rowhouse {
            all.extend(self.rowhouse_variants(peer));
        }
        all
    }

    fn mariadb_variants<'a>(&'a self, peer: &'a MariaDb) -> Vec<Variant<'a>> {
        let pid = peer.server.pid();
        let sql = |database: &'static str| -> Connect<'a> {
            Box::new(move || Ok((doors::sql(), vec![peer.session(database)?.into_stream()?])))
        };
        let variant = |name, servers, ledger, connect, truth| Variant {
            name,
            servers,
            ledger,
            connect,
            truth,
            copies: None,
            exact: false,
        };
        let mut all = vec![variant(MARIADB_SQL, vec![pid], 3, sql(DATABASE), sql(DATABASE))];
        if peer.handlersocket.is_ok() {
            let connect: Connect<'a> = Box::new(move || {
                let (read, write) = doors::handlersocket_indexes(DATABASE);
                let streams =
                    vec![peer.handlersocket_read(&read)?, peer.handlersocket_write(&write)?];
                Ok((doors::handlersocket(), streams))
            });
            all.push(variant(MARIADB_HANDLERSOCKET, vec![pid], 3, connect, sql(DATABASE)));
        }
        if let Some(cache) = &self.cache {
            let connect: Connect<'a> = Box::new(move || {
                let database = peer.session(CACHED_DATABASE)?.into_stream()?;
                Ok((doors::cache_aside(), vec![cache.connect()?, database]))
            });
            let copies: Connect<'a> =
                Box::new(move || Ok((doors::keys("", false), vec![cache.connect()?])));
            let servers = vec![pid, cache.server.pid()];
            let cached = variant(MARIADB_CACHED, servers, 4, connect, sql(CACHED_DATABASE));
            all.push(Variant { copies: Some(copies), ..cached });
        }
        all
    }

    fn rowhouse_variants<'a>(&'a self, peer: &'a Rowhouse) -> Vec<Variant<'a>> {
        let variant = |name, ledger, connect, truth, exact| Variant {
            name,
            servers: vec![peer.server.pid()],
            ledger,
            connect,
            truth,
            copies: None,
            exact,
        };
        let sql = || -> Connect<'a> {
            Box::new(move || Ok((doors::sql(), vec![peer.session(DATABASE)?.into_stream()?])))
        };
        let mut all = vec![variant(ROWHOUSE_SQL, 5, sql(), sql(), true)];
        if peer.doors.handlersocket.is_some() && peer.doors.handlersocket_write.is_some() {
            let connect: Connect<'a> = Box::new(move || {
                let (read, write) = doors::handlersocket_indexes(DATABASE);
                let streams =
                    vec![peer.handlersocket_read(&read)?, peer.handlersocket_write(&write)?];
                Ok((doors::handlersocket(), streams))
            });
            all.push(variant(ROWHOUSE_HANDLERSOCKET, 5, connect, sql(), true));
        }
        if self.rowhouse_keys {
            let keys = |prefix: &'static str, cas| -> Connect<'a> {
                Box::new(move || Ok((doors::keys(prefix, cas), vec![peer.memcached()?])))
            };
            all.push(variant(ROWHOUSE_SET, 6, keys("", false), keys("", false), false));
            let (connect, truth) = (keys(CAS_PREFIX, true), keys(CAS_PREFIX, true));
            all.push(variant(ROWHOUSE_CAS, 7, connect, truth, true));
        }
        if self.rowhouse_records {
            let records =
                || -> Connect<'a> { Box::new(move || Ok((doors::tyrant(), vec![peer.tyrant()?]))) };
            all.push(variant(ROWHOUSE_TYRANT, 8, records(), records(), false));
        }
        all
    }
}

fn start_memcached(world: World, threads: usize) -> Result<MemcachedServer> {
    // Everything fits: the cache of the source document's best case.
    let peer = MemcachedServer::start(1024 + world.megabytes() * 2, threads)?;
    world.fill_keys("", || peer.connect())?;
    Ok(peer)
}

fn start_redis(durability: Durability, world: World) -> Result<Redis> {
    let peer = Redis::start(append_fsync(durability))?;
    world.fill_redis(|| peer.connect())?;
    Ok(peer)
}

fn start_mariadb(options: &GameOptions, world: World, with_cache: bool) -> Result<MariaDb> {
    let peer = MariaDb::start(MariaDbSettings {
        buffer_pool_mib: options.buffer_pool_mib,
        flush_log: options.durability.flush_log(),
        handlersocket_threads: 2,
    })?;
    world.load(&mut peer.session("")?, DATABASE)?;
    if with_cache {
        world.load(&mut peer.session("")?, CACHED_DATABASE)?;
    }
    Ok(peer)
}

fn start_rowhouse(options: &GameOptions, world: World) -> Result<Rowhouse> {
    let peer = Rowhouse::start(&options.common.rowhouse(options.durability)?)?;
    world.load(&mut peer.session("")?, DATABASE)?;
    Ok(peer)
}

/// Redis's setting that comes nearest to a policy.
pub fn append_fsync(durability: Durability) -> AppendFsync {
    match durability {
        Durability::EveryCommit => AppendFsync::Always,
        Durability::EverySecond => AppendFsync::EverySecond,
        Durability::Os => AppendFsync::No,
    }
}
