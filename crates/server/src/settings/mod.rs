//! Settings: what can be chosen, and what was.
//!
//! Invariants
//! 1. `Settings` is checked as a whole: what does not go together is refused at the start.
//!
//! Not here: the command line's grammar (`command`).

mod audit;
pub mod load;
pub mod sample;
pub mod table;
pub mod tls;
pub mod value;
mod warnings;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use access::audit::AuditOptions;
use doors::WithoutLogin;
use doors::tyrant::{DatabaseName, Periodic};
use plan::variables::LogOutput;
use rows::store::Durability;
use sql::LogOptions;

pub use load::{GivenSetting, SettingsError, User, Values};
pub use tls::TlsSettings;
pub use value::Port;

/// The least memory that a server runs with.
const MEMORY_MIN: u64 = 64 << 20;
/// The most: RocksDB lays the table of its cache out for it, in addresses that a process has.
const MEMORY_MAX: u64 = 16 << 40;
/// What the program takes before it serves anybody: measured, with its code, of which large queries
/// use most, and some threads' stacks.
const PROGRAM_BYTES: u64 = 72 << 20;
/// The part of the memory, and at most so many bytes, for what nobody counts: compactions at work,
/// and what the allocator has had back and not yet given to the system.
const UNCOUNTED_PART: u64 = 8;
const UNCOUNTED_MAX: u64 = 32 << 20;
/// The most event loops.
const THREADS_MAX: usize = 1024;
/// The most connections that may be asked for.
const CONNECTIONS_MAX: usize = 10_000_000;
/// The most places for administration: the files that they need are kept free for them.
const ADMIN_CONNECTIONS_MAX: usize = 100;
/// The least that a request may need.
const REQUEST_BYTES_MIN: u64 = 1024;
/// The most that a request may be allowed.
const REQUEST_BYTES_MAX: u64 = 1 << 30;

/// The largest item that may be allowed: rows are a little larger, and have a limit of their own.
const ITEM_BYTES_MAX: u64 = rows::transaction::ROW_BYTES_MAX as u64 - (1 << 20);

/// The most that a request of the Tyrant door may be allowed: the original's limit of an argument.
const TYRANT_REQUEST_BYTES_MAX: u64 = 256 << 20;
/// Most further databases of the Tyrant doors.
pub const TYRANT_DATABASES_MAX: usize = 15;
/// The least that a Lua state can be with its libraries.
const LUA_MEMORY_MIN: u64 = 1 << 20;
/// Most Lua states of a door: each that serves has a thread of the pool, which others need, too.
const LUA_STATES_MAX: usize = 64;

/// What was chosen.
pub struct Settings {
    /// Directory of the rows.
    pub data_dir: PathBuf,
    /// Bytes for caches, write buffers and running queries.
    pub memory: u64,
    /// Where temporary files go; `None`: within the data directory.
    pub temp_dir: Option<PathBuf>,
    /// What acknowledged means.
    pub durability: Durability,
    /// How long a row lock is waited for.
    pub lock_wait: Duration,
    /// How long a start may take after a crash.
    pub recovery_max: Duration,
    /// Address that all doors listen on.
    pub listen: IpAddr,
    /// Where the MySQL door listens.
    pub mysql_port: Port,
    /// Its UNIX socket.
    pub mysql_socket: Option<SocketSetting>,
    /// Where the reading HandlerSocket door listens.
    pub handlersocket_port: Port,
    /// Where the writing HandlerSocket door listens.
    pub handlersocket_write_port: Port,
    /// Where the memcached door listens.
    pub memcached_port: Port,
    /// Its UNIX socket.
    pub memcached_socket: Option<SocketSetting>,
    /// Where the Tyrant door listens.
    pub tyrant_port: Port,
    /// Its UNIX socket.
    pub tyrant_socket: Option<SocketSetting>,
    /// The table that it opens on.
    pub tyrant_database: DatabaseName,
    /// Where its command `copy` takes backups; `None`: nowhere.
    pub tyrant_copies: Option<PathBuf>,
    /// Whether its command `vanish` is obeyed.
    pub tyrant_vanish: bool,
    /// Further databases, each with a port of its own.
    pub tyrant_databases: Vec<TyrantDatabase>,
    /// Further names of this server in HTTP.
    pub tyrant_hosts: Vec<String>,
    /// The script of the Tyrant doors.
    pub tyrant_lua: Option<PathBuf>,
    /// Time after which a call of its functions is ended; zero: never.
    pub tyrant_lua_timeout: Duration,
    /// Most bytes of a Lua state.
    pub tyrant_lua_memory: usize,
    /// Lua states of a door.
    pub tyrant_lua_states: usize,
    /// Bytes for the stashes of Lua scripts.
    pub tyrant_lua_stash: u64,
    /// Functions that run by themselves.
    pub tyrant_periodic: Vec<Periodic>,
    /// How TLS is spoken.
    pub tls: TlsSettings,
    /// Where the metrics door listens.
    pub metrics_port: Port,
    /// Where the operator's page is.
    pub admin_port: Port,
    /// Event loops.
    pub threads: usize,
    /// Connections at all doors.
    pub connections_max: usize,
    /// Those of them that one door may have.
    pub door_connections_max: DoorConnections,
    /// Places kept for administration beyond them.
    pub admin_connections: usize,
    /// Silence after which a connection is closed; zero: never.
    pub idle_timeout: Duration,
    /// Time within which a client must have logged in; zero: any.
    pub login_timeout: Duration,
    /// Time within which all of a request must have come; zero: any.
    pub request_timeout: Duration,
    /// Time after which a client that takes no output is closed.
    pub send_timeout: Duration,
    /// How long an event loop polls before it sleeps; zero: never.
    pub busy_poll: Duration,
    /// Time after which a client that vanished without a word is given up; zero: the system's.
    pub vanished_timeout: Duration,
    /// How long a stop waits for requests in flight.
    pub shutdown_timeout: Duration,
    /// Largest request at the MySQL door, in bytes.
    pub packet_max: usize,
    /// Time after which a statement is ended; zero: never.
    pub statement_timeout: Duration,
    /// The audit log, if there is one.
    pub audit: Option<AuditOptions>,
    /// Whether statements and requests are counted by digest.
    pub digests: bool,
    /// The slow log and the general log.
    pub logs: LogOptions,
    /// From when on a statement is slow.
    pub long_query_time: Duration,
    /// Folders whose files SQL may read and make.
    pub files: Vec<PathBuf>,
    /// Whether events run.
    pub event_scheduler: bool,
    /// Time after which a run of an event is ended; zero: never.
    pub event_timeout: Duration,
    /// Longest HandlerSocket line, in bytes.
    pub line_max: usize,
    /// Largest memcached item, in bytes.
    pub item_max: usize,
    /// Largest request at the Tyrant door, in bytes.
    pub tyrant_request_max: usize,
    /// Secret of the reading HandlerSocket door; empty: none.
    pub handlersocket_secret: String,
    /// Secret of the writing HandlerSocket door; empty: none.
    pub handlersocket_write_secret: String,
    /// Whom clients of the HandlerSocket doors act as that have not logged in.
    pub handlersocket_user: WithoutLogin,
    /// The same at the memcached door.
    pub memcached_user: WithoutLogin,
    /// The same at the Tyrant doors.
    pub tyrant_user: WithoutLogin,
    /// What is logged.
    pub log_level: &'static str,
    /// How it is logged.
    pub log_format: &'static str,
    /// File for the process number.
    pub pid_file: Option<PathBuf>,
    /// The users that may come in; empty: `root` without a password.
    pub users: Vec<User>,
    /// What is allowed, but surely not meant.
    pub warnings: Vec<String>,
    /// All settings as they were given.
    pub shown: Vec<GivenSetting>,
}

impl Settings {
    /// Parses and checks what was given.
    ///
    /// # Errors
    /// The first setting whose text is none of its kind, or that does not go with another one.
    pub fn new(values: &Values) -> Result<Settings, SettingsError> {
        let choice = |name: &'static str| {
            let words = match table::find(name).map(|setting| setting.kind) {
                Some(table::SettingKind::Choice(words)) => words,
                _ => &[],
            };
            values.get(name, |text| value::choice(words, text))
        };
        let secret = |name| values.get(name, |text| Ok(text.to_owned()));
        let listen = values.get("listen", value::ip)?;
        let without_login = |name| {
            let said = values.get(name, value::without_login)?;
            let otherwise = match listen.is_loopback() {
                true => WithoutLogin::ThisMachine,
                false => WithoutLogin::Nobody,
            };
            Ok::<_, SettingsError>(said.unwrap_or(otherwise))
        };
        let request = |name, bytes_max| {
            let range = REQUEST_BYTES_MIN..=bytes_max;
            let bytes = values.get(name, |text| size_within(value::size(text)?, range))?;
            Ok::<_, SettingsError>(bytes as usize)
        };
        let connections = |name, least| {
            values.get(name, |text| within(value::count(text)?, least..=CONNECTIONS_MAX))
        };
        let of_door = |name| match connections(name, 0)? {
            0 => Ok::<_, SettingsError>(usize::MAX),
            connections => Ok(connections),
        };
        let socket = |[path, mode, group]: [&'static str; 3]| {
            let (mode, group) = (values.get(mode, value::mode)?, values.get(group, value::group)?);
            let path = values.get(path, value::path)?;
            Ok::<_, SettingsError>(path.map(|path| SocketSetting { path, mode, group }))
        };
        let data_dir = |text: &str| value::path(text)?.ok_or("expected a directory".to_owned());
        let data_dir = values.get("data-dir", data_dir)?;
        let log_file = |setting, name| {
            let path = values.get(setting, value::path)?;
            Ok::<_, SettingsError>(path.unwrap_or_else(|| data_dir.join(name)))
        };
        let mut settings = Settings {
            data_dir: data_dir.clone(),
            memory: values
                .get("memory", |text| size_within(value::size(text)?, MEMORY_MIN..=MEMORY_MAX))?,
            temp_dir: values.get("temp-dir", value::path)?,
            durability: values.get("durability", value::durability)?,
            lock_wait: values.get("lock-wait-timeout", value::duration)?,
            recovery_max: Duration::from_secs(
                values.get("recovery-seconds-max", value::count)?.max(1) as u64,
            ),
            listen,
            mysql_port: values.get("mysql-port", value::port)?,
            mysql_socket: socket(["mysql-socket", "mysql-socket-mode", "mysql-socket-group"])?,
            handlersocket_port: values.get("handlersocket-port", value::port)?,
            handlersocket_write_port: values.get("handlersocket-write-port", value::port)?,
            memcached_port: values.get("memcached-port", value::port)?,
            memcached_socket: socket([
                "memcached-socket",
                "memcached-socket-mode",
                "memcached-socket-group",
            ])?,
            tyrant_port: values.get("tyrant-port", value::port)?,
            tyrant_socket: socket(["tyrant-socket", "tyrant-socket-mode", "tyrant-socket-group"])?,
            tyrant_database: values.get("tyrant-database", DatabaseName::parse)?,
            tyrant_copies: values.get("tyrant-copies", value::path)?,
            tyrant_vanish: choice("tyrant-vanish")? == "allow",
            tyrant_databases: values.get("tyrant-databases", tyrant_databases)?,
            tyrant_hosts: values
                .get("tyrant-hosts", |text| value::list(text, |name| Ok(name.to_owned())))?,
            tyrant_lua: values.get("tyrant-lua", value::path)?,
            tyrant_lua_timeout: values.get("tyrant-lua-timeout", value::duration)?,
            tyrant_lua_memory: values.get("tyrant-lua-memory", |text| {
                size_within(value::size(text)?, LUA_MEMORY_MIN..=u64::MAX)
            })? as usize,
            tyrant_lua_stash: values.get("tyrant-lua-stash", value::size)?,
            tyrant_lua_states: values
                .get("tyrant-lua-states", |text| within(value::count(text)?, 1..=LUA_STATES_MAX))?,
            tyrant_periodic: values
                .get("tyrant-periodic", |text| value::list(text, Periodic::parse))?,
            tls: TlsSettings::of(values, choice("tls")?, choice("plain-text-on-network")?)?,
            metrics_port: values.get("metrics-port", value::port)?,
            admin_port: values.get("admin-port", value::port)?,
            threads: match values
                .get("threads", |text| within(value::count(text)?, 0..=THREADS_MAX))?
            {
                0 => resources::background::cores(),
                threads => threads,
            },
            connections_max: connections("max-connections", 1)?,
            door_connections_max: DoorConnections {
                mysql: of_door("mysql-max-connections")?,
                handlersocket: of_door("handlersocket-max-connections")?,
                memcached: of_door("memcached-max-connections")?,
                tyrant: of_door("tyrant-max-connections")?,
            },
            admin_connections: values.get("admin-connections", |text| {
                within(value::count(text)?, 1..=ADMIN_CONNECTIONS_MAX)
            })?,
            idle_timeout: values.get("idle-timeout", value::duration)?,
            login_timeout: values.get("login-timeout", value::duration)?,
            request_timeout: values.get("request-timeout", value::duration)?,
            send_timeout: values.get("send-timeout", value::duration)?,
            busy_poll: values.get("busy-poll", value::duration)?,
            vanished_timeout: values.get("vanished-timeout", value::duration)?,
            shutdown_timeout: values.get("shutdown-timeout", value::duration)?,
            packet_max: request("max-allowed-packet", REQUEST_BYTES_MAX)?,
            statement_timeout: values.get("statement-timeout", value::duration)?,
            audit: audit::options(values, choice("audit-log-failure")?)?,
            digests: choice("performance-schema")? == "on",
            logs: LogOptions {
                output: LogOutput::of(choice("log-output")?).unwrap_or_default(),
                slow: choice("slow-query-log")? == "on",
                slow_file: log_file("slow-query-log-file", "slow.log")?,
                unindexed: choice("log-queries-not-using-indexes")? == "on",
                extra: choice("log-slow-extra")? == "on",
                general: choice("general-log")? == "on",
                general_file: log_file("general-log-file", "general.log")?,
            },
            long_query_time: values.get("long-query-time", value::duration)?,
            files: values.get("files", value::paths)?,
            event_scheduler: choice("event-scheduler")? == "on",
            event_timeout: values.get("event-timeout", value::duration)?,
            line_max: request("handlersocket-max-line", REQUEST_BYTES_MAX)?,
            item_max: request("memcached-item-max", ITEM_BYTES_MAX)?,
            tyrant_request_max: request("tyrant-max-request", TYRANT_REQUEST_BYTES_MAX)?,
            handlersocket_secret: secret("handlersocket-secret")?,
            handlersocket_write_secret: secret("handlersocket-write-secret")?,
            handlersocket_user: without_login("handlersocket-user")?,
            memcached_user: without_login("memcached-user")?,
            tyrant_user: without_login("tyrant-user")?,
            log_level: choice("log-level")?,
            log_format: choice("log-format")?,
            pid_file: values.get("pid-file", value::path)?,
            users: values.users.clone(),
            warnings: Vec::new(),
            shown: values.shown(),
        };
        if !settings.tyrant_periodic.is_empty() && settings.tyrant_lua.is_none() {
            let why = "tyrant-periodic names functions, but tyrant-lua no script";
            return Err(SettingsError::Contradiction(why.into()));
        }
        if settings.stash_memory() > settings.memory / 4 {
            let why = "tyrant-lua-stash is more than a quarter of memory";
            return Err(SettingsError::Contradiction(why.into()));
        }
        settings.check_public()?;
        settings.warnings = warnings::of(&settings, values);
        Ok(settings)
    }

    /// What is left of `memory` when the program itself is there: code, threads, tables of the
    /// store, and what the allocator cannot use; and what scripts may keep.
    fn shared_memory(&self) -> u64 {
        let uncounted = (self.memory / UNCOUNTED_PART).min(UNCOUNTED_MAX);
        self.memory - (PROGRAM_BYTES + uncounted).min(self.memory / 2) - self.stash_memory()
    }

    /// Bytes of `memory` for the stashes of Lua scripts.
    pub fn stash_memory(&self) -> u64 {
        if self.tyrant_lua.is_some() { self.tyrant_lua_stash } else { 0 }
    }

    /// Bytes of `memory` for running analytic queries.
    pub fn query_memory(&self) -> u64 {
        self.shared_memory() / 100 * 15
    }

    /// Bytes of `memory` for the store: its caches and write buffers.
    pub fn store_memory(&self) -> u64 {
        self.shared_memory() / 100 * 38
    }

    /// Bytes of `memory` for rows that are looked up by key.
    pub fn row_cache_memory(&self) -> u64 {
        self.shared_memory() / 100 * 22
    }

    /// Bytes of `memory` for what clients make the server keep: buffers of connections, open
    /// transactions, prepared statements, statements under way.
    pub fn client_memory(&self) -> u64 {
        let others = self.query_memory() + self.store_memory() + self.row_cache_memory();
        self.shared_memory() - others
    }

    /// A server that others can reach lets nobody in who cannot prove who he is.
    fn check_public(&self) -> Result<(), SettingsError> {
        if self.listen.is_loopback() {
            return Ok(());
        }
        let refuse = |why: &str| {
            let listen = self.listen;
            Err(SettingsError::Contradiction(format!("listen = {listen} is public: {why}")))
        };
        if self.users.is_empty() && self.mysql_port != Port::Off {
            return refuse("configure [[users]], or close the MySQL door (mysql-port = \"off\")");
        }
        if let Some(why) = self.public_without_tls() {
            return refuse(&why);
        }
        Ok(())
    }
}

/// Connections that one door may have, by kind of door; `usize::MAX`: as many as all doors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoorConnections {
    /// The MySQL door.
    pub mysql: usize,
    /// Each of the HandlerSocket doors.
    pub handlersocket: usize,
    /// The memcached door.
    pub memcached: usize,
    /// Each of the Tyrant doors.
    pub tyrant: usize,
}

/// A door's UNIX socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketSetting {
    /// Where it is.
    pub path: PathBuf,
    /// The users that may connect.
    pub mode: u32,
    /// Its group; `None`: the server's.
    pub group: Option<u32>,
}

/// A further database of the Tyrant doors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TyrantDatabase {
    /// Where its door listens.
    pub port: Port,
    /// The table that it opens on.
    pub database: DatabaseName,
}

/// `1979 = tyrant.documents; 1980 = house.user(id, name)`.
fn tyrant_databases(text: &str) -> Result<Vec<TyrantDatabase>, String> {
    let databases = value::list(text, |one| {
        let why = "expected a port and a table, such as 1979 = tyrant.documents";
        let (port, database) = one.split_once('=').ok_or(why)?;
        let (port, database) = (value::port(port.trim())?, DatabaseName::parse(database)?);
        Ok(TyrantDatabase { port, database })
    })?;
    match databases.len() > TYRANT_DATABASES_MAX {
        true => Err(format!("expected {} databases at most", TYRANT_DATABASES_MAX)),
        false => Ok(databases),
    }
}

/// As `within`, in a size's words; `u64::MAX` is no limit.
fn size_within(bytes: u64, range: std::ops::RangeInclusive<u64>) -> Result<u64, String> {
    match (within(bytes, range.clone()), *range.end()) {
        (Ok(bytes), _) => Ok(bytes),
        (_, u64::MAX) => Err(format!("expected {} or more", value::size_text(*range.start()))),
        (_, end) => {
            let (start, end) = (value::size_text(*range.start()), value::size_text(end));
            Err(format!("expected {start} to {end}"))
        }
    }
}

fn within<T: PartialOrd + std::fmt::Display>(
    value: T,
    range: std::ops::RangeInclusive<T>,
) -> Result<T, String> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(format!("expected {} to {}", range.start(), range.end()))
}

#[cfg(test)]
mod tests;
