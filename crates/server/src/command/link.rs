//! How `dump` and `load` reach the rows: through a running server's MySQL door, or, when none runs,
//! through the same door's conversation in this process.
//!
//! ```text
//! --host, --port, --socket given    that server
//! status.sock answers               admin.sock next to it; or, when all places are taken there, its
//!                                   MySQL door, as the status names it
//! otherwise                         the data directory, locked and opened here
//! ```
//!
//! Invariants
//! 1. Both ways speak the same protocol to the same code: what a dump holds does not depend on
//!    whether the server runs.
//!
//! Not here: the protocol's client (crate `load`).

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ::load::{Client, Link, LinkEncryption, Login};
use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use doors::mysql::{Account, Mysql, MysqlDoor, Secret, Users};
use doors::{Conversation, Input, Next, Turn};
use rows::{Engine, Group};
use tls::Connector;

use super::serve::open_rows;
use crate::data_dir::{DataDir, admin_socket, status_socket};
use crate::logging;
use crate::net::address::connect_unix;
use crate::open_doors::sql_options;
use crate::settings::Settings;
use crate::status::{AskError, ask};

/// How long a server may stay silent: statements of a load may wait for a schema change.
const PATIENCE: Duration = Duration::from_secs(600);
/// The port of `--host` alone.
const MYSQL_PORT: u16 = 3306;
/// Flags that are called as settings of a server are, and are none.
const TLS: &str = "way-tls";
const TLS_CA: &str = "way-tls-ca";
/// A connection's number where there is no other.
const ONLY_CONNECTION: u32 = 1;

/// A client, and what it needs to stay open.
pub struct RowsLink {
    /// Logged in.
    pub client: Client,
    /// The data directory opened here, if no server runs.
    local: Option<(DataDir, Arc<Engine>)>,
}

/// Adds the flags that name a server and a user.
pub fn with_flags(command: Command) -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help).help_heading("Server")
    };
    command
        .arg(flag("host", "HOST", "A server elsewhere, instead of that of the data directory"))
        .arg(flag("port", "PORT", "Its MySQL port [default: 3306]"))
        .arg(flag("socket", "PATH", "Its MySQL socket").conflicts_with_all(["host", "port"]))
        .arg(flag("user", "NAME", "Who logs in [default: root]"))
        .arg(flag("password", "TEXT", "The user's password [env: MYSQL_PWD]"))
        .arg(
            flag(TLS_CA, "FILE", "Inside TLS: the server's certificate, or who signed it (PEM)")
                .long("tls-ca")
                .conflicts_with("socket"),
        )
        .arg(
            Arg::new(TLS)
                .long("tls")
                .action(ArgAction::SetTrue)
                .help("Inside TLS; without --tls-ca the server proves itself by the password")
                .help_heading("Server")
                .conflicts_with("socket"),
        )
}

/// Whether the flags name a server elsewhere, instead of that of the data directory.
pub fn names_a_server(flags: &ArgMatches) -> bool {
    ["host", "port", "socket"].iter().any(|name| flags.contains_id(name))
}

/// Reaches the rows. `make` makes a data directory that is missing.
///
/// # Errors
/// When nobody serves the address that is given, the login is refused, or the data directory
/// cannot be opened here.
pub fn reach(settings: &Settings, flags: &ArgMatches, make: bool) -> anyhow::Result<RowsLink> {
    logging::start("warn", settings.log_format);
    let text = |name: &str| flags.get_one::<String>(name).cloned();
    let password = text("password").or_else(|| std::env::var("MYSQL_PWD").ok());
    let mut encryption = None;
    let (private, stream) = match (text("socket"), text("host"), text("port")) {
        (Some(path), _, _) => unix(Path::new(&path))?,
        (None, None, None) => match ask(&status_socket(&settings.data_dir)) {
            Ok(figures) => door_of(&figures, settings)?,
            Err(AskError::Nobody(_)) => return open_here(settings, make),
            Err(error) => return Err(error.into()),
        },
        (None, host, port) => {
            let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
            let port = port.map_or(Ok(MYSQL_PORT), |port| port.parse());
            let port = port.context("--port is a number up to 65535")?;
            encryption = encrypted(flags, &host)?;
            // A name, an IPv4 address, or an IPv6 address, which needs brackets before a port.
            match host.contains(':') && !host.starts_with('[') {
                true => tcp(&format!("[{host}]:{port}"))?,
                false => tcp(&format!("{host}:{port}"))?,
            }
        }
    };
    let login = Login {
        user: text("user").unwrap_or_else(|| "root".to_owned()),
        password: password.unwrap_or_default(),
        private,
    };
    let refused = "cannot log in (--user, --password)";
    let client = Client::login(stream, &login, encryption).context(refused)?;
    Ok(RowsLink { client, local: None })
}

/// How the way to a host is encrypted, if the flags say so.
fn encrypted(flags: &ArgMatches, host: &str) -> anyhow::Result<Option<LinkEncryption>> {
    let authority = flags.get_one::<String>(TLS_CA);
    let connector = match authority {
        Some(path) => Connector::trusting(Path::new(path))?,
        None if flags.get_flag(TLS) => Connector::unproven()?,
        None => return Ok(None),
    };
    let host = host.trim_matches(['[', ']']).to_owned();
    let encrypt = move |link: Box<dyn Link>| {
        let (stream, fingerprint) = connector.encrypt(&host, link)?;
        let link: Box<dyn Link> = Box::new(stream);
        Ok((link, fingerprint))
    };
    let is_verified = authority.is_some();
    Ok(Some(LinkEncryption { encrypt: Box::new(encrypt), is_verified }))
}

/// A way to a server, and whether nobody can listen on it.
type Way = (bool, Box<dyn Link>);

/// The way to the running server whose status this is.
fn door_of(figures: &[(String, String)], settings: &Settings) -> anyhow::Result<Way> {
    let find = |name: &str| figures.iter().find(|(known, _)| known == name).map(|(_, at)| at);
    let number = |name: &str| find(name).and_then(|figure| figure.parse::<u64>().ok());
    let places = (number("admin_connections"), number("admin_connections_max"));
    if matches!(places, (Some(taken), Some(most)) if taken < most) {
        return unix(&admin_socket(&settings.data_dir));
    }
    if let Some(path) = find("address_mysql_socket") {
        return unix(Path::new(path));
    }
    match find("address_mysql") {
        Some(address) => tcp(address),
        None => bail!(
            "the server of {} has no MySQL door open: set mysql-port or mysql-socket, or stop it",
            settings.data_dir.display()
        ),
    }
}

fn unix(path: &Path) -> anyhow::Result<Way> {
    let stream = connect_unix(path);
    let stream = stream.with_context(|| format!("cannot connect to {}", path.display()))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok((true, Box::new(stream)))
}

fn tcp(address: &str) -> anyhow::Result<Way> {
    let stream = TcpStream::connect(address);
    let stream = stream.with_context(|| {
        format!("cannot connect to {address}: is a server up there, and its MySQL door open?")
    })?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok((false, Box::new(stream)))
}

/// Opens the data directory in this process.
fn open_here(settings: &Settings, make: bool) -> anyhow::Result<RowsLink> {
    let data_dir = match make {
        true => DataDir::take_or_make(&settings.data_dir)?,
        false => DataDir::take(&settings.data_dir)?,
    };
    let (engine, _) = open_rows(settings, &data_dir)?;
    let sql = sql::Sql::new(engine.clone(), &sql_options(settings, &engine, 0), analytic::start)
        .context("cannot start SQL")?;
    // Whoever may read the data directory may do everything, whatever its accounts say.
    let owner = Account { name: "root".to_owned(), secret: Secret::Empty };
    let door = MysqlDoor::new(sql, Users::new([owner]));
    let door = Arc::new(door.with_packet_bytes_max(settings.packet_max));
    let conversation = Mysql::new(door, ONLY_CONNECTION, "localhost");
    let here = LocalLink::new(engine.clone(), conversation);
    let login = Login { user: "root".to_owned(), password: String::new(), private: true };
    let client = Client::login(Box::new(here), &login, None).context("cannot log in")?;
    Ok(RowsLink { client, local: Some((data_dir, engine)) })
}

impl RowsLink {
    /// Closes in good order, and ends the program.
    ///
    /// # Errors
    /// Those of closing the rows that were opened here.
    pub fn end(self, success: bool) -> anyhow::Result<ExitCode> {
        drop(self.client);
        if let Some((data_dir, engine)) = self.local {
            engine.close().context("cannot close the rows")?;
            drop(engine);
            drop(data_dir);
            // As in `serve`: threads that still end must not meet the C++ library's destructors.
            signal_hook::low_level::exit(if success { 0 } else { 1 });
        }
        Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// A conversation with the MySQL door without a socket between.
struct LocalLink {
    engine: Arc<Engine>,
    conversation: Mysql,
    input: Input,
    out: Vec<u8>,
    /// How much of `out` was read.
    read: usize,
    closed: bool,
}

impl LocalLink {
    fn new(engine: Arc<Engine>, mut conversation: Mysql) -> LocalLink {
        let mut out = Vec::new();
        conversation.greet(&mut out);
        LocalLink { engine, conversation, input: Input::new(), out, read: 0, closed: false }
    }

    /// Serves what was written until there is an answer.
    fn serve(&mut self) {
        self.out.clear();
        self.read = 0;
        while self.out.is_empty() && !self.closed {
            let mut group = Group::new();
            let mut turn = Turn::in_pool(&self.engine, &mut group);
            let next = self.conversation.turn(&mut self.input, &mut self.out, &mut turn);
            let committed = match group.take() {
                Some((transaction, durability)) => transaction.commit(durability),
                None => Ok(()),
            };
            if let Err(error) = committed {
                self.out.clear();
                self.conversation.commit_failed(&error, &mut self.out);
            }
            match next {
                Next::Close => self.closed = true,
                // Nothing more can come from a client that waits for an answer.
                Next::Input => return,
                Next::Again | Next::Offload | Next::Commit | Next::Encrypt | Next::Later(_) => {}
            }
        }
    }
}

impl Read for LocalLink {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.read == self.out.len() {
            self.serve();
        }
        let rest = &self.out[self.read..];
        let count = rest.len().min(to.len());
        to[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

impl Write for LocalLink {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.input.extend(from);
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
