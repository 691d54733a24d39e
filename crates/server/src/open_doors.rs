//! Which doors are open, where, and what conversation begins at each: the one place where
//! settings, listeners and protocols meet.
//!
//! Adding a door: a row in `LISTENERS`, and an arm in `door`.
//!
//! Invariants
//! 1. Listeners are bound before the rows are opened: a port in use is told at once, and clients
//!    that come early wait in the backlog until the rows are ready.
//!
//! Not here: accepting (`net::acceptor`), what settings mean (`settings`).

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use doors::handlersocket::{HandlerSocket, PortAccess};
use doors::memcached::{self, Memcached};
use doors::mysql::{Account, Mysql, MysqlDoor, Secret, TlsUse, Users};
use doors::{DoorAccounts, DoorClient, DoorLogins, WithoutLogin};
use plan::encryption::ServerTls;
use resources::background::give_way;
use resources::budget::Budget;
use rows::Engine;
use sql::{Sql, SqlOptions};
use tls::Acceptor;

use crate::certificates::hostname;
use crate::data_dir::DataDir;
use crate::door_figures::{address, any_address, show_audit, show_count, show_failed_logins};
use crate::http::{self, UNAVAILABLE};
use crate::net::address::Listener;
use crate::net::connection::{Door, DoorTls, Peer};
use crate::net::connection_places::Admission;
use crate::net::poller::READ_BYTES;
use crate::page::{self, PageDoor, PageShared};
use crate::prometheus::{self, MetricsDoor};
use crate::settings::{Port, Settings, SocketSetting, TYRANT_DATABASES_MAX};
use crate::status::StatusDoor;
use crate::tyrant_doors::{self, Last};
use crate::upkeep;

/// The largest request of the status door.
const STATUS_BYTES_MAX: usize = 1024;

/// Commands that may ask the status door at once.
const STATUS_CONNECTIONS_MAX: usize = 64;

/// The doors that can be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DoorKind {
    Mysql,
    HandlerSocket,
    HandlerSocketWrite,
    Memcached,
    Tyrant,
    /// That of a further database, by its position in the settings.
    TyrantMore(usize),
    Metrics,
    /// The operator's page.
    Page,
    Status,
    /// The MySQL protocol for who looks after the server, at a socket in the data directory.
    Admin,
}

/// Names of the doors of further Tyrant databases.
const TYRANT_MORE: [&str; TYRANT_DATABASES_MAX] = [
    "tyrant-2",
    "tyrant-3",
    "tyrant-4",
    "tyrant-5",
    "tyrant-6",
    "tyrant-7",
    "tyrant-8",
    "tyrant-9",
    "tyrant-10",
    "tyrant-11",
    "tyrant-12",
    "tyrant-13",
    "tyrant-14",
    "tyrant-15",
    "tyrant-16",
];

impl DoorKind {
    /// Whether its place is in the data directory, and not one that clients are told of.
    fn is_private(self) -> bool {
        matches!(self, DoorKind::Status | DoorKind::Admin)
    }

    /// Whether its clients ask for rows by key, and speak no SQL.
    fn is_of_keys(self) -> bool {
        match self {
            DoorKind::HandlerSocket
            | DoorKind::HandlerSocketWrite
            | DoorKind::Memcached
            | DoorKind::Tyrant
            | DoorKind::TyrantMore(_) => true,
            DoorKind::Mysql
            | DoorKind::Metrics
            | DoorKind::Page
            | DoorKind::Status
            | DoorKind::Admin => false,
        }
    }

    /// Which places its clients take.
    fn admission(self, settings: &Settings) -> Admission {
        let most = &settings.door_connections_max;
        let (connections_max, kept) = match self {
            DoorKind::Mysql => (most.mysql, settings.admin_connections),
            DoorKind::HandlerSocket | DoorKind::HandlerSocketWrite => (most.handlersocket, 0),
            DoorKind::Memcached => (most.memcached, 0),
            DoorKind::Tyrant | DoorKind::TyrantMore(_) => (most.tyrant, 0),
            // An operator, a scraper or `rowhouse status` gets in when the server is full.
            DoorKind::Metrics | DoorKind::Page | DoorKind::Status => {
                return Admission::Own { connections_max: STATUS_CONNECTIONS_MAX };
            }
            DoorKind::Admin => {
                return Admission::Own { connections_max: settings.admin_connections };
            }
        };
        Admission::Clients { connections_max, kept }
    }

    fn name(self) -> &'static str {
        match self {
            DoorKind::Mysql => "mysql",
            DoorKind::HandlerSocket => "handlersocket",
            DoorKind::HandlerSocketWrite => "handlersocket-write",
            DoorKind::Memcached => "memcached",
            DoorKind::Tyrant => "tyrant",
            // The settings have no more of them.
            DoorKind::TyrantMore(position) => TYRANT_MORE[position],
            DoorKind::Metrics => "metrics",
            DoorKind::Page => "page",
            DoorKind::Status => "status",
            DoorKind::Admin => "admin",
        }
    }
}

/// A door as a port has it: some have one in plain text, and one inside TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DoorPlace {
    kind: DoorKind,
    is_tls: bool,
}

impl DoorPlace {
    /// Its name in settings, logs and metrics.
    fn name(self) -> &'static str {
        match (self.is_tls, self.kind) {
            (true, DoorKind::HandlerSocket) => "handlersocket-tls",
            (true, DoorKind::HandlerSocketWrite) => "handlersocket-write-tls",
            (true, DoorKind::Memcached) => "memcached-tls",
            (true, DoorKind::Tyrant) => "tyrant-tls",
            (true, DoorKind::Metrics) => "metrics-tls",
            (true, DoorKind::Page) => "page-tls",
            (_, kind) => kind.name(),
        }
    }
}

/// Where a door may listen, by the settings.
struct DoorAddress {
    kind: DoorKind,
    is_tls: bool,
    port: Port,
    socket: Option<SocketSetting>,
}

/// Doors that can be served.
pub struct OpenDoors {
    /// The doors.
    pub doors: Vec<Door>,
    /// Listeners with the positions of their doors.
    pub listeners: Vec<(usize, Listener)>,
    /// What is to be done when nobody is served any more, before the rows are closed.
    pub last: Vec<Last>,
    /// What the MySQL door and events speak SQL to.
    pub sql: Arc<Sql>,
    /// Where the metrics door finds the loops' counters.
    pub metrics: prometheus::Sources,
}

/// Listeners that are bound but not served yet.
pub struct BoundListeners {
    listeners: Vec<(DoorPlace, Listener)>,
}

impl BoundListeners {
    /// Binds what the settings open, and the sockets in the data directory.
    ///
    /// # Errors
    /// The first address that cannot be listened on, by the name of its door.
    pub fn new(settings: &Settings, data_dir: &DataDir) -> anyhow::Result<BoundListeners> {
        let private = |path| Some(SocketSetting { path, mode: 0o600, group: None });
        let address = |kind, port, socket| DoorAddress { kind, is_tls: false, port, socket };
        let socket = |setting: &Option<SocketSetting>| setting.clone();
        let places = [
            address(DoorKind::Mysql, settings.mysql_port, socket(&settings.mysql_socket)),
            address(DoorKind::HandlerSocket, settings.handlersocket_port, None),
            address(DoorKind::HandlerSocketWrite, settings.handlersocket_write_port, None),
            address(
                DoorKind::Memcached,
                settings.memcached_port,
                socket(&settings.memcached_socket),
            ),
            address(DoorKind::Tyrant, settings.tyrant_port, socket(&settings.tyrant_socket)),
            address(DoorKind::Metrics, settings.metrics_port, None),
            address(DoorKind::Page, settings.admin_port, None),
            address(DoorKind::Status, Port::Off, private(data_dir.status_socket())),
            address(DoorKind::Admin, Port::Off, private(data_dir.admin_socket())),
        ];
        let more = settings.tyrant_databases.iter().enumerate();
        let more =
            more.map(|(position, more)| address(DoorKind::TyrantMore(position), more.port, None));
        let tls = &settings.tls;
        let encrypted = [
            (DoorKind::HandlerSocket, tls.handlersocket_port),
            (DoorKind::HandlerSocketWrite, tls.handlersocket_write_port),
            (DoorKind::Memcached, tls.memcached_port),
            (DoorKind::Tyrant, tls.tyrant_port),
            (DoorKind::Metrics, tls.metrics_port),
            (DoorKind::Page, tls.admin_port),
        ];
        let encrypted =
            encrypted.map(|(kind, port)| DoorAddress { is_tls: true, ..address(kind, port, None) });
        let mut listeners = Vec::new();
        let places = places.into_iter().chain(more).chain(encrypted);
        for DoorAddress { kind, is_tls, port, socket } in places {
            let place = DoorPlace { kind, is_tls };
            if let Some(port) = port.to_bind() {
                let ip = match kind {
                    DoorKind::Metrics | DoorKind::Page if !is_tls => {
                        IpAddr::from(Ipv4Addr::LOCALHOST)
                    }
                    _ => settings.listen,
                };
                let address = SocketAddr::new(ip, port);
                let listener = Listener::tcp(address)
                    .with_context(|| refused(place, "port", &address.to_string()))?;
                listeners.push((place, listener));
            }
            if let Some(SocketSetting { path, mode, group }) = socket {
                let listener = Listener::unix(&path)
                    .and_then(|listener| listener.open_to(mode, group).map(|()| listener))
                    .with_context(|| refused(place, "socket", &path.display().to_string()))?;
                listeners.push((place, listener));
            }
        }
        Ok(BoundListeners { listeners })
    }

    /// The doors' addresses as the ready line names them: `mysql=127.0.0.1:3306`.
    pub fn addresses(&self) -> Vec<(String, String)> {
        let public = self.listeners.iter().filter(|(place, _)| !place.kind.is_private());
        public
            .map(|(place, listener)| {
                let suffix = if listener.is_tcp() { "" } else { "-socket" };
                (format!("{}{suffix}", place.name()), listener.to_string())
            })
            .collect()
    }

    /// Puts conversations behind the listeners; `acceptor` is there unless TLS is off.
    ///
    /// # Errors
    /// Those of files that the settings name, of making a door's table, and of starting SQL.
    pub fn open(
        self,
        settings: &Settings,
        engine: &Arc<Engine>,
        acceptor: Option<&Arc<Acceptor>>,
    ) -> anyhow::Result<OpenDoors> {
        check_files(settings)?;
        let options = SqlOptions {
            tls: acceptor.map(|acceptor| server_tls(settings, acceptor)),
            ..sql_options(settings, engine, self.port(DoorKind::Mysql))
        };
        let memcached_port = self.port(DoorKind::Memcached);
        let sql =
            Sql::new(engine.clone(), &options, analytic::start).context("cannot start SQL")?;
        let mut places: Vec<DoorPlace> = Vec::new();
        let mut listeners = Vec::new();
        for (place, listener) in self.listeners {
            let position = places.iter().position(|known| *known == place).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            });
            listeners.push((position, listener));
        }
        show_audit(engine, &sql);
        let cache = memcached_shared(settings, engine, memcached_port)?;
        count_doubted(engine)?;
        let mut last = Vec::new();
        let metrics = prometheus::Sources::default();
        let stash = Budget::new(settings.stash_memory() as usize);
        let users = users(settings);
        let accounts = Arc::new(DoorAccounts::of(users.clone(), &sql));
        let own = DoorShared { users, accounts, cache, stash, metrics: metrics.clone() };
        let mut plain: Vec<(DoorKind, Door)> = Vec::new();
        let mut doors = Vec::new();
        for place in places {
            let known = plain.iter().find(|(kind, _)| *kind == place.kind);
            let its_door = match known {
                Some((_, door)) => door.clone(),
                None => {
                    let made = door(place.kind, settings, engine, &sql, &own, &mut last)?;
                    plain.push((place.kind, made.clone()));
                    made
                }
            };
            doors.push(spoken_to(its_door, place, acceptor));
        }
        Ok(OpenDoors { doors, listeners, last, sql, metrics })
    }

    /// The TCP port of a door, 0 when it has none.
    fn port(&self, kind: DoorKind) -> u16 {
        let listeners = self.listeners.iter().filter(|(of, _)| of.kind == kind && !of.is_tls);
        let mut ports = listeners.filter_map(|(_, listener)| listener.port());
        ports.next().unwrap_or(0)
    }
}

/// Why a door cannot be opened, and which setting moves or closes it.
fn refused(place: DoorPlace, setting: &str, address: &str) -> String {
    let door = place.name();
    let said = format!("the {door} door cannot listen on {address}");
    match (place.kind, setting) {
        // Their place is that of the data directory.
        (DoorKind::Status | DoorKind::Admin, _) => said,
        (DoorKind::TyrantMore(_), _) => format!("{said}: give it another port in tyrant-databases"),
        (DoorKind::Page, "port") => {
            let port = if place.is_tls { "admin-tls-port" } else { "admin-port" };
            format!("{said}: set {port} to another port, or to off to close the door")
        }
        (_, "port") => {
            format!("{said}: set {door}-port to another port, or to off to close the door")
        }
        _ => format!("{said}: set {door}-{setting} to another path, or to none"),
    }
}

/// A door with the way its clients are encrypted.
fn spoken_to(door: Door, place: DoorPlace, acceptor: Option<&Arc<Acceptor>>) -> Door {
    let tls = |from_first_byte| {
        acceptor.map(|acceptor| DoorTls { acceptor: Arc::clone(acceptor), from_first_byte })
    };
    match place {
        // A refusal comes before TLS, where its client would not understand it.
        DoorPlace { is_tls: true, .. } => {
            Door { name: place.name(), refusal: Vec::new(), tls: tls(true), ..door }
        }
        DoorPlace { kind: DoorKind::Mysql, .. } => Door { tls: tls(false), ..door },
        _ => door,
    }
}

/// Makes the tables of the memcached door, and starts what is done beside all clients.
fn memcached_shared(
    settings: &Settings,
    engine: &Arc<Engine>,
    port: u16,
) -> anyhow::Result<Arc<memcached::MemcachedShared>> {
    memcached::prepare(engine).context("cannot make the tables of the memcached door")?;
    let options = memcached::MemcachedOptions {
        port,
        connections_max: settings.connections_max.min(settings.door_connections_max.memcached),
        item_bytes_max: settings.item_max,
        ..memcached::MemcachedOptions::default()
    };
    let shared = Arc::new(memcached::MemcachedShared::new(engine, options));
    shared.let_containers_expire(engine).context("cannot read rowhouse.containers")?;
    upkeep::start(engine, &shared)?;
    Ok(shared)
}

/// Counts the rows of tables again whose numbers a crash may have left behind, in a thread that
/// ends when that is done.
fn count_doubted(engine: &Arc<Engine>) -> anyhow::Result<()> {
    let engine = Arc::clone(engine);
    std::thread::Builder::new()
        .name("rowhouse-count".into())
        .spawn(move || {
            give_way(0);
            if let Err(error) = engine.count_doubted(&|| engine.is_closed()) {
                tracing::warn!(%error, "numbers of rows are about right: they were not counted");
            }
        })
        .context("cannot start the thread that counts rows")?;
    Ok(())
}

/// What doors of one kind share.
struct DoorShared {
    /// Those of the settings file, and the passwords that were proved at any door.
    users: Users,
    /// Those that can log in at doors other than the MySQL door.
    accounts: Arc<DoorAccounts>,
    cache: Arc<memcached::MemcachedShared>,
    /// For the stashes of Lua scripts.
    stash: Arc<Budget>,
    /// Where the metrics door finds the loops' counters.
    metrics: prometheus::Sources,
}

impl DoorShared {
    /// How clients of a door come in, and whom they act as without a login by a setting.
    fn logins(
        &self,
        door: &'static str,
        setting: &'static str,
        without_login: &WithoutLogin,
    ) -> Arc<DoorLogins> {
        if let WithoutLogin::Account(name) = without_login
            && !self.accounts.has(name)
        {
            let account = name.plain();
            tracing::warn!(setting, %account, "there is no such account: it may do nothing");
        }
        let accounts = Arc::clone(&self.accounts);
        Arc::new(DoorLogins::new(door, accounts, without_login.clone()))
    }
}

/// Opens a door; the process list shows the clients of those that are for rows and speak no SQL.
fn door(
    kind: DoorKind,
    settings: &Settings,
    engine: &Arc<Engine>,
    sql: &Arc<Sql>,
    own: &DoorShared,
    last: &mut Vec<Last>,
) -> anyhow::Result<Door> {
    let opened = spoken_at(kind, settings, engine, sql, own, last)?;
    Ok(Door { listed_in: kind.is_of_keys().then(|| Arc::clone(sql.door_clients())), ..opened })
}

/// What is spoken at a door, and to whom.
fn spoken_at(
    kind: DoorKind,
    settings: &Settings,
    engine: &Arc<Engine>,
    sql: &Arc<Sql>,
    own: &DoorShared,
    last: &mut Vec<Last>,
) -> anyhow::Result<Door> {
    let name = kind.name();
    let admission = kind.admission(settings);
    let page_shared = || PageShared {
        sql: Arc::clone(sql),
        metrics: own.metrics.clone(),
        settings: settings.shown.clone(),
        data_dir: settings.data_dir.clone(),
    };
    let mut tyrant = |database, is_first| {
        let scripts = (is_first, &own.stash);
        let logins = own.logins(name, "tyrant-user", &settings.tyrant_user);
        let named = (name, admission);
        let (door, ends) = tyrant_doors::open(settings, engine, named, database, logins, scripts)?;
        last.extend(ends);
        Ok::<_, anyhow::Error>(door)
    };
    Ok(match kind {
        DoorKind::Mysql | DoorKind::Admin => {
            let door = MysqlDoor::new(sql.clone(), own.users.clone());
            let door = door.with_packet_bytes_max(settings.packet_max);
            let door = door.with_tls(settings.tls.mysql);
            // Clients of this machine do not ask whose certificate it is.
            let is_doubted = settings.tls.certificate.is_none() && !settings.listen.is_loopback();
            let door = Arc::new(match is_doubted && settings.tls.mysql != TlsUse::Off {
                true => door.with_native_first(),
                false => door,
            });
            let counted = Arc::clone(&door);
            show_count(engine, format!("{name}_failed_logins"), move || {
                counted.failed_logins().count()
            });
            let (mut refusal, mut overload, mut fault) = (Vec::new(), Vec::new(), Vec::new());
            MysqlDoor::refuse(&mut refusal);
            Mysql::overload(&mut overload);
            Mysql::fault(&mut fault);
            Door {
                name,
                admission,
                limit_set: (kind == DoorKind::Mysql).then(|| sql.connections_max()),
                converse: Arc::new(move |peer| {
                    let conversation =
                        Mysql::new(door.clone(), peer.id, host(peer)).at_loopback(loopback(peer));
                    match peer.address {
                        Some(_) => Box::new(conversation),
                        None => Box::new(conversation.at_socket(peer.uid)),
                    }
                }),
                refusal,
                overload,
                fault,
                // A request, the packet headers in it, and what follows it in the same read.
                input_bytes_max: settings.packet_max + 16 * READ_BYTES,
                tls: None,
                listed_in: None,
            }
        }
        DoorKind::HandlerSocket | DoorKind::HandlerSocketWrite => {
            let writable = kind == DoorKind::HandlerSocketWrite;
            let secret = match writable {
                true => &settings.handlersocket_write_secret,
                false => &settings.handlersocket_secret,
            };
            let secret = (!secret.is_empty()).then(|| secret.clone());
            let logins = own.logins(name, "handlersocket-user", &settings.handlersocket_user);
            show_failed_logins(engine, name, &logins);
            let access = Arc::new(PortAccess { writable, secret, logins });
            Door {
                name,
                admission,
                limit_set: None,
                converse: Arc::new(move |peer| {
                    Box::new(HandlerSocket::new(access.clone(), any_address(peer)))
                }),
                refusal: b"2\t1\ttoo many connections\n".to_vec(),
                overload: b"1\t1\t128\n".to_vec(),
                fault: b"1\t1\t168\n".to_vec(),
                input_bytes_max: settings.line_max + READ_BYTES,
                tls: None,
                listed_in: None,
            }
        }
        DoorKind::Memcached => {
            let cache = own.cache.clone();
            let logins = own.logins(name, "memcached-user", &settings.memcached_user);
            show_failed_logins(engine, name, &logins);
            // A line, a value, and what follows it in the same read.
            let input_bytes_max = 2 * cache.options.item_bytes_max + 16 * READ_BYTES;
            Door {
                name,
                admission,
                limit_set: None,
                converse: Arc::new(move |peer| {
                    let client = DoorClient::new(logins.clone(), any_address(peer));
                    Box::new(Memcached::new(cache.clone(), client))
                }),
                refusal: b"ERROR Too many open connections\r\n".to_vec(),
                overload: b"SERVER_ERROR out of memory storing object\r\n".to_vec(),
                fault: b"SERVER_ERROR internal error\r\n".to_vec(),
                input_bytes_max,
                tls: None,
                listed_in: None,
            }
        }
        DoorKind::Tyrant => tyrant(&settings.tyrant_database, true)?,
        DoorKind::TyrantMore(position) => {
            tyrant(&settings.tyrant_databases[position].database, false)?
        }
        DoorKind::Metrics => {
            let metrics = own.metrics.clone();
            Door {
                name,
                admission,
                limit_set: None,
                converse: Arc::new(move |_| Box::new(MetricsDoor::new(metrics.clone()))),
                refusal: UNAVAILABLE.to_vec(),
                overload: UNAVAILABLE.to_vec(),
                fault: UNAVAILABLE.to_vec(),
                input_bytes_max: http::HEAD_BYTES_MAX + READ_BYTES,
                tls: None,
                listed_in: None,
            }
        }
        DoorKind::Page => {
            let accounts = Arc::clone(&own.accounts);
            let logins = Arc::new(DoorLogins::new(name, accounts, WithoutLogin::Nobody));
            show_failed_logins(engine, name, &logins);
            let shared = Arc::new(page_shared());
            Door {
                name,
                admission,
                limit_set: None,
                converse: Arc::new(move |peer| {
                    let stranger = DoorClient::with_secret(Arc::clone(&logins), any_address(peer));
                    Box::new(PageDoor::new(Arc::clone(&shared), peer.id, stranger))
                }),
                refusal: UNAVAILABLE.to_vec(),
                overload: UNAVAILABLE.to_vec(),
                fault: UNAVAILABLE.to_vec(),
                input_bytes_max: http::HEAD_BYTES_MAX + page::BODY_BYTES_MAX + READ_BYTES,
                tls: None,
                listed_in: None,
            }
        }
        DoorKind::Status => {
            let shared = Arc::new(page_shared());
            Door {
                name,
                admission,
                limit_set: None,
                converse: Arc::new(move |peer| {
                    Box::new(StatusDoor::new(Arc::clone(&shared), peer.id))
                }),
                refusal: b"error\ttoo many connections\n".to_vec(),
                overload: b"error\tout of memory\n".to_vec(),
                fault: b"error\tinternal error\n".to_vec(),
                input_bytes_max: STATUS_BYTES_MAX,
                tls: None,
                listed_in: None,
            }
        }
    })
}

fn users(settings: &Settings) -> Users {
    if settings.users.is_empty() {
        return Users::unconfigured();
    }
    Users::new(
        settings
            .users
            .iter()
            .map(|user| Account { name: user.name.clone(), secret: Secret::new(&user.password) }),
    )
}

/// Refuses folders for files of SQL that hold the rows' own files, or lie among them.
fn check_files(settings: &Settings) -> anyhow::Result<()> {
    let data_dir = settings.data_dir.canonicalize().context("cannot find the data directory")?;
    for folder in &settings.files {
        let found = folder.canonicalize();
        let found = found.with_context(|| {
            format!("cannot find {}; `files` names folders that are there", folder.display())
        })?;
        if found.starts_with(&data_dir) || data_dir.starts_with(&found) {
            anyhow::bail!(
                "{} and the data directory must lie apart: have `files` name another folder",
                folder.display()
            );
        }
    }
    Ok(())
}

/// What SQL knows of the server's TLS.
fn server_tls(settings: &Settings, acceptor: &Arc<Acceptor>) -> ServerTls {
    let acceptor = Arc::clone(acceptor);
    ServerTls {
        is_required: settings.tls.mysql == TlsUse::Required,
        reload: Arc::new(move || acceptor.reload().map_err(|error| error.to_string())),
    }
}

/// What SQL knows of the server; `port` is that of the MySQL door.
pub(crate) fn sql_options(settings: &Settings, engine: &Engine, port: u16) -> SqlOptions {
    SqlOptions {
        memory_bytes: settings.query_memory() as usize,
        threads: settings.threads,
        port,
        connections_max: settings.connections_max.min(settings.door_connections_max.mysql),
        data_dir: settings.data_dir.display().to_string(),
        temp_dir: engine.spill().map(|directory| directory.path().to_path_buf()),
        hostname: hostname(),
        tls: None,
        packet_bytes_max: settings.packet_max,
        statement_time_max: settings.statement_timeout,
        files: settings.files.clone(),
        event_scheduler: settings.event_scheduler,
        event_time_max: settings.event_timeout,
        audit: settings.audit.clone(),
        digests: settings.digests,
        logs: settings.logs.clone(),
        long_query_time: settings.long_query_time,
    }
}

/// The client's address where it is one of this machine.
fn loopback(peer: Peer) -> Option<IpAddr> {
    any_address(peer).filter(IpAddr::is_loopback)
}

/// The client's host as SQL shows it.
fn host(peer: Peer) -> String {
    address(peer).map_or_else(|| "localhost".to_owned(), |address| address.to_string())
}
