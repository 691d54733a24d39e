//! What answers the queries: a server of SQL, or a database inside a process of its own.
//!
//! Not here: what they are asked (`queries`) and what is made of their times (`mod`).

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::embedded::{Embedded, Product};
use super::flights::Flights;
use super::queries::Rows;
use super::{COLUMNS, MARIADB, MONETDB, Options, ROWS, table};
use crate::experiments::loading::DATABASE;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse, Server, bytes_below};
use crate::process;
use crate::protocols::mysql;

/// A server that answers the queries.
pub enum Contender {
    /// By column or by row.
    Rowhouse(Rowhouse, mysql::Session),
    /// InnoDB.
    MariaDb(MariaDb, mysql::Session),
    /// DuckDB or MonetDB.
    Embedded(Embedded),
}

impl Contender {
    /// Starts one of them; the folder is where the text is.
    pub fn start(name: &str, options: &Options, folder: &Path) -> Result<Contender> {
        let common = &options.common;
        match name {
            COLUMNS | ROWS => {
                let mut settings = common.rowhouse(Durability::EveryCommit)?;
                settings.flags.push(format!("--files={}", folder.display()));
                let peer = Rowhouse::start(&settings)?;
                let session = peer.session("")?;
                Ok(Contender::Rowhouse(peer, session))
            }
            MARIADB => {
                let buffer_pool_mib = options.buffer_pool_mib;
                let settings =
                    MariaDbSettings { buffer_pool_mib, flush_log: 1, handlersocket_threads: 1 };
                let peer = MariaDb::start(settings)?;
                let session = peer.session("")?;
                Ok(Contender::MariaDb(peer, session))
            }
            name => {
                let product = if name == MONETDB { Product::MonetDb } else { Product::DuckDb };
                Embedded::start(product, common.server_threads()).map(Contender::Embedded)
            }
        }
    }

    /// Ends its process, starts it on the same data, and forgets what the machine had read of them,
    /// where that is allowed.
    pub fn begin_again(&mut self) -> Result<()> {
        match self {
            Contender::Rowhouse(peer, session) => {
                again(&mut peer.server, peer.doors.mysql.context("no MySQL door")?)?;
                *session = peer.session(DATABASE)?;
            }
            Contender::MariaDb(peer, session) => {
                again(&mut peer.server, peer.port)?;
                *session = peer.session(DATABASE)?;
            }
            Contender::Embedded(peer) => peer.start_again()?,
        }
        process::drop_page_cache();
        Ok(())
    }

    /// What it says that it is.
    pub fn version(&self) -> &str {
        match self {
            Contender::Rowhouse(peer, _) => &peer.version,
            Contender::MariaDb(peer, _) => &peer.version,
            Contender::Embedded(peer) => &peer.version,
        }
    }

    /// Bytes of its files.
    pub fn disk_bytes(&self) -> u64 {
        match self {
            Contender::Rowhouse(peer, _) => bytes_below(&peer.data_dir()),
            Contender::MariaDb(peer, _) => {
                bytes_below(&peer.server.dir().join("data").join(DATABASE))
            }
            Contender::Embedded(peer) => peer.file_bytes(),
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match self {
            Contender::Rowhouse(peer, _) => peer.server.pid(),
            Contender::MariaDb(peer, _) => peer.server.pid(),
            Contender::Embedded(peer) => peer.pid(),
        }
    }

    /// The rows that a statement gives.
    pub fn ask(&mut self, sql: &str) -> Result<Rows> {
        let session = match self {
            Contender::Rowhouse(_, session) | Contender::MariaDb(_, session) => session,
            Contender::Embedded(peer) => return peer.run(sql),
        };
        let text = |cell: Option<Vec<u8>>| cell.map(|cell| String::from_utf8_lossy(&cell).into());
        let rows = session.query(sql)?;
        Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
    }

    /// Makes the table and loads the text.
    pub fn load(
        &mut self,
        options: &Options,
        engine: &str,
        flights: Flights,
        text: &Path,
    ) -> Result<()> {
        let (session, indexed) = match self {
            Contender::Rowhouse(_, session) | Contender::MariaDb(_, session) => {
                (session, options.indexed && !engine.contains("COLUMNAR"))
            }
            Contender::Embedded(peer) => {
                peer.run(&table::create("", false))?;
                return peer.product.load(text).iter().try_for_each(|sql| peer.run(sql).map(drop));
            }
        };
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        session.execute(&table::create(engine, indexed))?;
        let load =
            |from: &str| format!("LOAD DATA {from} INTO TABLE ontime FIELDS TERMINATED BY '|'");
        let rows = if options.local {
            session.load_data(&load("LOCAL INFILE 'f'"), pieces(text)?)?.0
        } else {
            session.execute(&load(&format!("INFILE '{}'", text.display())))?
        };
        ensure!(rows == flights.rows, "{rows} flights were loaded");
        Ok(())
    }
}

/// Ends a server and starts it on the same data.
fn again(server: &mut Server, port: u16) -> Result<()> {
    server.stop()?;
    server.start_again()?;
    server.wait_port(port)
}

/// The text's bytes, as a client sends them.
fn pieces(text: &Path) -> Result<impl Iterator<Item = Vec<u8>>> {
    const PIECE_BYTES: usize = 1 << 20;
    let mut file = File::open(text)?;
    Ok(std::iter::from_fn(move || {
        let mut piece = vec![0; PIECE_BYTES];
        // One that cannot be read on ends the text, and rows are missing.
        let bytes = file.read(&mut piece).ok()?;
        piece.truncate(bytes);
        (bytes > 0).then_some(piece)
    }))
}
