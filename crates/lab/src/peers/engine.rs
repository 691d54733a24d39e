//! Servers of SQL that are measured by the same statements: Rowhouse, MariaDB with the storage
//! engine that is in question, and MySQL.
//!
//! Invariants
//! 1. All have the same memory for their caches, and the same durability, where the engine can:
//!    MyISAM cannot.
//! 2. In a group, none has a buffer that alone would fill it.

use std::net::TcpStream;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use super::mysql::MySql;
use super::{Durability, MariaDb, MariaDbSettings, MemoryGroup, Rowhouse, RowhouseSettings};
use crate::protocols::mysql;

/// MiB that MariaDB gives to the cache of an engine that is not measured.
const OTHER_CACHE_MIB: u32 = 16;

/// The engine that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Rowhouse.
    Rowhouse,
    /// MariaDB's InnoDB.
    InnoDb,
    /// MariaDB's MyRocks.
    MyRocks,
    /// MariaDB's MyISAM, which is not durable.
    MyIsam,
    /// The newest MySQL's InnoDB.
    MySql,
}

/// How one is started, whichever it is.
#[derive(Debug)]
pub struct EngineSettings {
    /// Memory for its caches, in MiB.
    pub memory_mib: u32,
    /// What an acknowledged write has survived.
    pub durability: Durability,
    /// Threads of MariaDB's HandlerSocket read port.
    pub handlersocket_threads: usize,
    /// A limit for all it does.
    pub group: Option<MemoryGroup>,
}

/// A running one.
pub struct EngineServer {
    engine: Engine,
    server: Either,
    /// Behind the server, since it is dropped after it.
    _group: Option<MemoryGroup>,
}

enum Either {
    Rowhouse(Rowhouse),
    MariaDb(MariaDb),
    MySql(MySql),
}

impl Engine {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Rowhouse => "rowhouse",
            Engine::InnoDb => "mariadb innodb",
            Engine::MyRocks => "mariadb myrocks",
            Engine::MyIsam => "mariadb myisam",
            Engine::MySql => "mysql innodb",
        }
    }

    /// What stands behind a CREATE TABLE.
    pub fn clause(self) -> &'static str {
        match self {
            Engine::Rowhouse => "",
            Engine::InnoDb | Engine::MySql => " ENGINE=InnoDB",
            Engine::MyRocks => " ENGINE=ROCKSDB COLLATE=utf8mb4_bin",
            Engine::MyIsam => " ENGINE=MyISAM",
        }
    }

    /// What a session says before and behind a load of many rows, where that is not one statement's
    /// matter.
    pub fn around_load(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Engine::MyRocks => (
                &[
                    "SET SESSION rocksdb_bulk_load_allow_unsorted = 1",
                    "SET SESSION rocksdb_bulk_load = 1",
                ],
                &["SET SESSION rocksdb_bulk_load = 0"],
            ),
            Engine::Rowhouse | Engine::InnoDb | Engine::MyIsam | Engine::MySql => (&[], &[]),
        }
    }

    /// Starts it on an empty directory by settings that are common to all; those of Rowhouse say
    /// the rest of its own.
    pub fn start(
        self,
        settings: &RowhouseSettings,
        common: EngineSettings,
    ) -> Result<EngineServer> {
        let EngineSettings { memory_mib, durability, handlersocket_threads, .. } = common;
        let server = if self == Engine::Rowhouse {
            let memory = format!("{memory_mib}MiB");
            let settings = RowhouseSettings { memory, durability, ..settings.clone() };
            Either::Rowhouse(Rowhouse::start_in(common.group.as_ref(), &settings)?)
        } else if self == Engine::MySql {
            Either::MySql(MySql::start(memory_mib, durability.flush_log())?)
        } else {
            let settings = MariaDbSettings {
                buffer_pool_mib: self.own_cache_mib(Engine::InnoDb, memory_mib),
                flush_log: durability.flush_log(),
                handlersocket_threads,
            };
            let flags = self.mariadb_flags(&common);
            Either::MariaDb(MariaDb::start_with(settings, &flags, common.group.as_ref())?)
        };
        let started = EngineServer { engine: self, server, _group: common.group };
        if self == Engine::MyRocks {
            let there = "SELECT COUNT(*) FROM information_schema.engines WHERE engine='ROCKSDB'";
            let there = started.session()?.number(there)?;
            ensure!(there == 1, "MyRocks is not installed (scripts/install-peers installs it)");
        }
        Ok(started)
    }

    /// MiB of an engine's cache in a MariaDB that is measured for this one: little if it is
    /// another's.
    fn own_cache_mib(self, engine: Engine, memory_mib: u32) -> u32 {
        if self == engine { memory_mib } else { OTHER_CACHE_MIB }
    }

    /// Flags of a MariaDB that is measured for this engine, beside those that it always has.
    fn mariadb_flags(self, common: &EngineSettings) -> Vec<String> {
        let memory_mib = common.memory_mib;
        let key_buffer_mib = self.own_cache_mib(Engine::MyIsam, memory_mib);
        let mut flags = vec![format!("--key-buffer-size={key_buffer_mib}M")];
        if self == Engine::MyRocks {
            // As small as it gets where most of the data rest, as Rowhouse does it.
            let mut family = "compression=kLZ4Compression;bottommost_compression=kZSTD".to_owned();
            if common.group.is_some() {
                // Its own buffers, of 64 MiB each, would alone fill a small group; and so would
                // what a bulk load sorts, 64 MiB for each key, and 1 GiB to merge them.
                let buffer_mib = (memory_mib / 16).max(1);
                family += &format!(";write_buffer_size={buffer_mib}m;max_write_buffer_number=3");
                let merged_mib = memory_mib / 4;
                flags.push(format!("--loose-rocksdb-merge-buf-size={buffer_mib}M"));
                flags.push(format!("--loose-rocksdb-merge-combine-read-size={merged_mib}M"));
            }
            let flush_log = common.durability.flush_log();
            flags.push("--plugin-load-add=ha_rocksdb".to_owned());
            flags.push(format!("--loose-rocksdb-block-cache-size={memory_mib}M"));
            flags.push(format!("--loose-rocksdb-default-cf-options={family}"));
            flags.push(format!("--loose-rocksdb-flush-log-at-trx-commit={flush_log}"));
        }
        if common.group.is_some() {
            // Caches of engines that nobody asks, 128 MiB of it: a small group is full of them.
            flags.push("--aria-pagecache-buffer-size=8M".to_owned());
            flags.push("--innodb-log-buffer-size=4M".to_owned());
        }
        flags
    }
}

impl EngineServer {
    /// Which it is.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// A signed-in session without a database.
    pub fn session(&self) -> Result<mysql::MysqlSession> {
        match &self.server {
            Either::Rowhouse(peer) => peer.session(""),
            Either::MariaDb(peer) => peer.session(""),
            Either::MySql(peer) => mysql::MysqlSession::connect(peer.port, ""),
        }
    }

    /// The port of its MySQL door.
    pub fn mysql_port(&self) -> Result<u16> {
        match &self.server {
            Either::Rowhouse(peer) => peer.doors.mysql.context("no MySQL door"),
            Either::MariaDb(peer) => Ok(peer.port),
            Either::MySql(peer) => Ok(peer.port),
        }
    }

    /// A connection to HandlerSocket's read port with these indexes opened.
    pub fn handlersocket_read(&self, indexes: &[String]) -> Result<TcpStream> {
        match &self.server {
            Either::Rowhouse(peer) => peer.handlersocket_read(indexes),
            Either::MariaDb(peer) => peer.handlersocket_read(indexes),
            Either::MySql(_) => bail!("MySQL has no HandlerSocket"),
        }
    }

    /// A connection to HandlerSocket's write port with these indexes opened.
    pub fn handlersocket_write(&self, indexes: &[String]) -> Result<TcpStream> {
        match &self.server {
            Either::Rowhouse(peer) => peer.handlersocket_write(indexes),
            Either::MariaDb(peer) => peer.handlersocket_write(indexes),
            Either::MySql(_) => bail!("MySQL has no HandlerSocket"),
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        match &self.server {
            Either::Rowhouse(peer) => peer.server.pid(),
            Either::MariaDb(peer) => peer.server.pid(),
            Either::MySql(peer) => peer.server.pid(),
        }
    }

    /// Its version.
    pub fn version(&self) -> &str {
        match &self.server {
            Either::Rowhouse(peer) => &peer.version,
            Either::MariaDb(peer) => &peer.version,
            Either::MySql(peer) => &peer.version,
        }
    }

    /// Where the rows of a database are, logs of their changes left out as far as they lie
    /// elsewhere.
    pub fn files_of(&self, database: &str) -> PathBuf {
        match &self.server {
            Either::Rowhouse(peer) => peer.data_dir(),
            Either::MariaDb(peer) => {
                let data = peer.server.dir().join("data");
                data.join(if self.engine == Engine::MyRocks { "#rocksdb" } else { database })
            }
            Either::MySql(peer) => peer.server.dir().join("data").join(database),
        }
    }
}
