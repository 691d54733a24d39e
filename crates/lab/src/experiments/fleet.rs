//! The servers of an experiment on the rows of `user`: started, filled, and reachable as readers
//! and writers under the names that tables show.
//!
//! Not here: how each server starts (`peers`), what it is asked (`protocols`).

use std::net::TcpStream;

use anyhow::{Context as _, Result};
use tls::Connector;

use super::loading::{DATABASE, UserFiller, fill, load_users};
use super::{Common, progress};
use crate::generator::Wire;
use crate::peers::{
    AppendFsync, Durability, EchoServer, MariaDb, MariaDbSettings, MemcachedServer, Redis, Rowhouse,
};
use crate::protocols::{self, Reader, Writer, handlersocket, mysql};
use crate::report::Report;
use crate::users::Users;

/// The echo server.
pub const ECHO: &str = "echo (limit)";
/// memcached, which is not durable under any policy.
pub const MEMCACHED: &str = "memcached";
/// Redis.
pub const REDIS: &str = "redis";
/// MariaDB by statements in text.
pub const MARIADB_TEXT: &str = "mariadb sql text";
/// MariaDB by prepared statements.
pub const MARIADB_PREPARED: &str = "mariadb sql prepared";
/// MariaDB by its HandlerSocket plugin.
pub const MARIADB_HANDLERSOCKET: &str = "mariadb handlersocket";
/// Rowhouse by statements in text.
pub const ROWHOUSE_TEXT: &str = "rowhouse sql text";
/// Rowhouse by prepared statements.
pub const ROWHOUSE_PREPARED: &str = "rowhouse sql prepared";
/// Rowhouse by its HandlerSocket door.
pub const ROWHOUSE_HANDLERSOCKET: &str = "rowhouse handlersocket";
/// Rowhouse by its memcached door.
pub const ROWHOUSE_MEMCACHED: &str = "rowhouse memcached";
/// Rowhouse by its Tyrant door.
pub const ROWHOUSE_TYRANT: &str = "rowhouse tyrant";

/// A server with the rows that each door reads.
///
/// # Errors
/// Of the server, and of loading.
pub fn filled(common: &Common, users: Users, flags: &[String]) -> Result<Rowhouse> {
    let mut settings = common.rowhouse(Durability::EveryCommit)?;
    settings.flags.extend_from_slice(flags);
    let server = Rowhouse::start(&settings)?;
    load_users(&mut server.session("")?, users)?;
    fill(users.rows, || server.memcached(), || filler(keys(users), users))?;
    fill(users.rows, || server.tyrant(), || filler(records(users), users))?;
    Ok(server)
}

/// One new connection within TLS.
///
/// # Errors
/// Of the socket, and of TLS.
pub fn within_tls(port: u16, connector: &Connector) -> Result<Wire> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    Wire::encrypted(stream, connector).context("TLS")
}

/// One new connection to a reader of batches of this size.
pub type ConnectReader<'a> = Box<dyn Fn(usize) -> Result<(Box<dyn Reader>, Wire)> + 'a>;
/// One new connection to a writer.
pub type ConnectWriter<'a> = Box<dyn Fn() -> Result<(Box<dyn Writer>, TcpStream)> + 'a>;

/// Someone who answers look-ups.
pub struct Readable<'a> {
    /// Name in tables.
    pub name: &'static str,
    /// Its process.
    pub pid: u32,
    /// How to reach it.
    pub connect: ConnectReader<'a>,
}

/// Someone who takes writes.
pub struct Writable<'a> {
    /// Name in tables.
    pub name: &'static str,
    /// Its process.
    pub pid: u32,
    /// How to reach it for writing.
    pub connect: ConnectWriter<'a>,
    /// How to reach it for reading back.
    pub read: ConnectReader<'a>,
}

/// How the servers are started.
#[derive(Debug, Clone, Copy)]
pub struct FleetSettings {
    /// What acknowledged writes survive; `None` if the experiment only reads.
    pub policy: Option<Durability>,
    /// Threads of MariaDB's HandlerSocket read port.
    pub handlersocket_threads: usize,
    /// MariaDB's buffer pool in MiB.
    pub buffer_pool_mib: u32,
    /// Whether the echo server takes part.
    pub echo: bool,
    /// Rows of `user`.
    pub users: Users,
}

impl FleetSettings {
    /// What most experiments want of the peers.
    pub fn new(policy: Option<Durability>, users: Users) -> FleetSettings {
        FleetSettings {
            policy,
            handlersocket_threads: 2,
            buffer_pool_mib: 1024,
            echo: false,
            users,
        }
    }
}

/// The servers that could be started and filled.
pub struct Fleet {
    users: Users,
    echo: Option<EchoServer>,
    memcached: Option<MemcachedServer>,
    redis: Option<Redis>,
    mariadb: Option<MariaDb>,
    rowhouse: Option<Rowhouse>,
    /// The memcached door exists and holds the rows.
    rowhouse_keys: bool,
    /// So does the Tyrant door.
    rowhouse_records: bool,
}

impl Fleet {
    /// Starts and fills all that are wanted; notes versions, and what could not run.
    pub fn start(common: &Common, settings: &FleetSettings, report: &mut Report) -> Fleet {
        let (users, threads) = (settings.users, common.server_threads());
        let mut fleet = Fleet {
            users,
            echo: None,
            memcached: None,
            redis: None,
            mariadb: None,
            rowhouse: None,
            rowhouse_keys: false,
            rowhouse_records: false,
        };
        if settings.echo && common.wants(ECHO) {
            fleet.echo = report.keep(ECHO, EchoServer::start(threads));
        }
        if common.wants(MEMCACHED) {
            fleet.memcached = report.keep(MEMCACHED, start_memcached(users, threads));
        }
        if common.wants(REDIS) {
            fleet.redis = report.keep(REDIS, start_redis(settings));
        }
        if common.wants_any(&[MARIADB_TEXT, MARIADB_PREPARED, MARIADB_HANDLERSOCKET]) {
            fleet.mariadb = report.keep("mariadb", start_mariadb(settings));
        }
        let ours = [
            ROWHOUSE_TEXT,
            ROWHOUSE_PREPARED,
            ROWHOUSE_HANDLERSOCKET,
            ROWHOUSE_MEMCACHED,
            ROWHOUSE_TYRANT,
        ];
        if common.wants_any(&ours) {
            fleet.rowhouse = report.keep("rowhouse", start_rowhouse(common, settings));
        }
        fleet.note(common, report);
        fleet
    }

    /// Notes versions and which doors are missing, and fills the memcached and Tyrant doors.
    fn note(&mut self, common: &Common, report: &mut Report) {
        let users = self.users;
        let versions = &mut report.versions;
        if let Some(peer) = &self.memcached {
            versions.insert("memcached".into(), peer.version.clone());
        }
        if let Some(peer) = &self.redis {
            versions.insert("redis".into(), peer.version.clone());
        }
        if let Some(peer) = &self.mariadb {
            versions.insert("mariadb".into(), peer.version.clone());
            if let Err(why) = &peer.handlersocket {
                report.not_run.insert(MARIADB_HANDLERSOCKET.into(), why.clone());
            }
        }
        if let Some(peer) = &self.rowhouse {
            versions.insert("rowhouse".into(), peer.version.clone());
            if peer.doors.handlersocket.is_none() {
                let why = "no HandlerSocket door in the ready line".to_owned();
                report.not_run.insert(ROWHOUSE_HANDLERSOCKET.into(), why);
            }
            if common.wants(ROWHOUSE_MEMCACHED) {
                let filled = fill(users.rows, || peer.memcached(), || filler(keys(users), users));
                self.rowhouse_keys = report.keep(ROWHOUSE_MEMCACHED, filled).is_some();
            }
            if common.wants(ROWHOUSE_TYRANT) {
                let filled = fill(users.rows, || peer.tyrant(), || filler(records(users), users));
                self.rowhouse_records = report.keep(ROWHOUSE_TYRANT, filled).is_some();
            }
        }
    }

    /// All who answer look-ups.
    pub fn readers<'a>(&'a self) -> Vec<Readable<'a>> {
        let users = self.users;
        let mut all = Vec::new();
        let mut add = |name, pid, connect: ConnectReader<'a>| {
            all.push(Readable { name, pid, connect });
        };
        if let Some(peer) = &self.echo {
            let reader = move || Box::new(protocols::echo::EchoSession::new(users)) as _;
            add(ECHO, peer.server.pid(), Box::new(move |_| Ok((reader(), peer.connect()?.into()))));
        }
        if let Some(peer) = &self.memcached {
            add(MEMCACHED, peer.server.pid(), read_keys(users, || peer.connect()));
        }
        if let Some(peer) = &self.redis {
            let reader = move || Box::new(protocols::resp::Resp::new(users)) as _;
            add(
                REDIS,
                peer.server.pid(),
                Box::new(move |_| Ok((reader(), peer.connect()?.into()))),
            );
        }
        if let Some(peer) = &self.mariadb {
            let pid = peer.server.pid();
            add(MARIADB_TEXT, pid, read_text(users, || peer.session(DATABASE)));
            add(MARIADB_PREPARED, pid, read_prepared(users, || peer.session(DATABASE)));
            if peer.handlersocket.is_ok() {
                let connect = || peer.handlersocket_read(&[user_index()]);
                add(MARIADB_HANDLERSOCKET, pid, read_handlersocket(users, connect));
            }
        }
        if let Some(peer) = &self.rowhouse {
            let pid = peer.server.pid();
            add(ROWHOUSE_TEXT, pid, read_text(users, || peer.session(DATABASE)));
            add(ROWHOUSE_PREPARED, pid, read_prepared(users, || peer.session(DATABASE)));
            if peer.doors.handlersocket.is_some() {
                let connect = || peer.handlersocket_read(&[user_index()]);
                add(ROWHOUSE_HANDLERSOCKET, pid, read_handlersocket(users, connect));
            }
            if self.rowhouse_keys {
                add(ROWHOUSE_MEMCACHED, pid, read_keys(users, || peer.memcached()));
            }
            if self.rowhouse_records {
                add(ROWHOUSE_TYRANT, pid, read_records(users, || peer.tyrant()));
            }
        }
        all
    }

    /// All who take writes.
    pub fn writers<'a>(&'a self) -> Vec<Writable<'a>> {
        let users = self.users;
        let mut all = Vec::new();
        let mut add = |name, pid, connect: ConnectWriter<'a>, read: ConnectReader<'a>| {
            all.push(Writable { name, pid, connect, read });
        };
        if let Some(peer) = &self.memcached {
            let connect = move || Ok((Box::new(keys(users)) as _, peer.connect()?));
            let read = read_keys(users, || peer.connect());
            add(MEMCACHED, peer.server.pid(), Box::new(connect), read);
        }
        if let Some(peer) = &self.redis {
            let protocol = move || protocols::resp::Resp::new(users);
            let connect = move || Ok((Box::new(protocol()) as _, peer.connect()?));
            let read = move |_| Ok((Box::new(protocol()) as _, peer.connect()?.into()));
            add(REDIS, peer.server.pid(), Box::new(connect), Box::new(read));
        }
        if let Some(peer) = &self.mariadb {
            let pid = peer.server.pid();
            let read = || read_text(users, || peer.session(DATABASE));
            add(MARIADB_TEXT, pid, write_text(users, || peer.session(DATABASE)), read());
            if peer.handlersocket.is_ok() {
                let connect = || peer.handlersocket_write(&[user_index(), insert_index()]);
                add(MARIADB_HANDLERSOCKET, pid, write_handlersocket(users, connect), read());
            }
        }
        if let Some(peer) = &self.rowhouse {
            let pid = peer.server.pid();
            let read = || read_text(users, || peer.session(DATABASE));
            add(ROWHOUSE_TEXT, pid, write_text(users, || peer.session(DATABASE)), read());
            if peer.doors.handlersocket_write.is_some() {
                let connect = || peer.handlersocket_write(&[user_index(), insert_index()]);
                add(ROWHOUSE_HANDLERSOCKET, pid, write_handlersocket(users, connect), read());
            }
            if self.rowhouse_keys {
                let connect = move || Ok((Box::new(keys(users)) as _, peer.memcached()?));
                let read = read_keys(users, || peer.memcached());
                add(ROWHOUSE_MEMCACHED, pid, Box::new(connect), read);
            }
            if self.rowhouse_records {
                let connect = move || Ok((Box::new(records(users)) as _, peer.tyrant()?));
                let read = read_records(users, || peer.tyrant());
                add(ROWHOUSE_TYRANT, pid, Box::new(connect), read);
            }
        }
        all
    }
}

/// What fills a server by a protocol.
pub fn filler<W>(writer: W, users: Users) -> UserFiller<W> {
    UserFiller { writer, users }
}

/// The index that is read by key.
pub fn user_index() -> String {
    handlersocket::user_index(DATABASE)
}

fn insert_index() -> String {
    handlersocket::insert_index(DATABASE)
}

/// The protocol of memcached's doors.
pub fn keys(users: Users) -> protocols::memcached::MemcachedSession {
    protocols::memcached::MemcachedSession::new(users)
}

/// Reads by the protocol of memcached.
pub fn read_keys<'a, W: Into<Wire> + 'a>(
    users: Users,
    connect: impl Fn() -> Result<W> + 'a,
) -> ConnectReader<'a> {
    Box::new(move |_| Ok((Box::new(keys(users)) as _, connect()?.into())))
}

/// The protocol of the Tyrant door.
pub fn records(users: Users) -> protocols::tyrant::Tyrant {
    protocols::tyrant::Tyrant::new(users)
}

/// Reads by the protocol of Tokyo Tyrant.
pub fn read_records<'a>(
    users: Users,
    connect: impl Fn() -> Result<TcpStream> + 'a,
) -> ConnectReader<'a> {
    Box::new(move |_| Ok((Box::new(records(users)) as _, connect()?.into())))
}

/// Reads by statements in text.
pub fn read_text<'a>(
    users: Users,
    session: impl Fn() -> Result<mysql::MysqlSession> + 'a,
) -> ConnectReader<'a> {
    Box::new(move |_| Ok((Box::new(mysql::Text::new(users)) as _, session()?.into_wire()?)))
}

fn write_text<'a>(
    users: Users,
    session: impl Fn() -> Result<mysql::MysqlSession> + 'a,
) -> ConnectWriter<'a> {
    Box::new(move || Ok((Box::new(mysql::Text::new(users)) as _, session()?.into_stream()?)))
}

/// Reads by prepared statements.
pub fn read_prepared<'a>(
    users: Users,
    session: impl Fn() -> Result<mysql::MysqlSession> + 'a,
) -> ConnectReader<'a> {
    Box::new(move |batch| {
        let mut session = session()?;
        let reader = mysql::PreparedSession::new(users, &mut session, batch)?;
        Ok((Box::new(reader) as _, session.into_wire()?))
    })
}

/// Reads by the protocol of HandlerSocket.
pub fn read_handlersocket<'a>(
    users: Users,
    connect: impl Fn() -> Result<TcpStream> + 'a,
) -> ConnectReader<'a> {
    Box::new(move |_| {
        Ok((Box::new(handlersocket::HandlerSocketSession::new(users)) as _, connect()?.into()))
    })
}

fn write_handlersocket<'a>(
    users: Users,
    connect: impl Fn() -> Result<TcpStream> + 'a,
) -> ConnectWriter<'a> {
    Box::new(move || {
        Ok((Box::new(handlersocket::HandlerSocketSession::new(users)) as _, connect()?))
    })
}

fn start_memcached(users: Users, threads: usize) -> Result<MemcachedServer> {
    progress("filling memcached");
    // Room for what the writing experiments insert, too: it must not evict, only refuse or hold.
    let peer = MemcachedServer::start(4096 + users.rows / 4_000, threads)?;
    fill(users.rows, || peer.connect(), || filler(keys(users), users))?;
    Ok(peer)
}

fn start_redis(settings: &FleetSettings) -> Result<Redis> {
    progress("filling redis");
    let users = settings.users;
    let peer = Redis::start(match settings.policy {
        None => AppendFsync::NoFile,
        Some(Durability::Os) => AppendFsync::No,
        Some(Durability::EverySecond) => AppendFsync::EverySecond,
        Some(Durability::EveryCommit) => AppendFsync::Always,
    })?;
    fill(users.rows, || peer.connect(), || filler(protocols::resp::Resp::new(users), users))?;
    Ok(peer)
}

fn start_mariadb(settings: &FleetSettings) -> Result<MariaDb> {
    progress("loading mariadb");
    let peer = MariaDb::start(MariaDbSettings {
        buffer_pool_mib: settings.buffer_pool_mib,
        flush_log: settings.policy.unwrap_or(Durability::EveryCommit).flush_log(),
        handlersocket_threads: settings.handlersocket_threads,
    })?;
    load_users(&mut peer.session("")?, settings.users)?;
    Ok(peer)
}

fn start_rowhouse(common: &Common, settings: &FleetSettings) -> Result<Rowhouse> {
    progress("loading rowhouse");
    let policy = settings.policy.unwrap_or(Durability::EveryCommit);
    let peer = Rowhouse::start(&common.rowhouse(policy)?)?;
    load_users(&mut peer.session("")?, settings.users)?;
    Ok(peer)
}
