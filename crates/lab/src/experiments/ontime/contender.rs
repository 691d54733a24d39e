//! What answers the queries: a server of SQL, or a database inside a process of its own.
//!
//! Not here: what they are asked (`queries`) and what is made of their times (`mod`).

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::embedded::{EmbeddedDatabase, Product};
use super::flights::Flights;
use super::queries::ResultCells;
use super::{COLUMNS, MARIADB, MONETDB, OntimeOptions, ROWS, table};
use crate::experiments::loading::DATABASE;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse, Server, bytes_below};
use crate::process;
use crate::protocols::mysql;

/// A server that answers the queries.
pub enum OntimeContender {
    /// By column or by row.
    Rowhouse(Rowhouse, mysql::MysqlSession),
    /// InnoDB.
    MariaDb(MariaDb, mysql::MysqlSession),
    /// DuckDB or MonetDB.
    Embedded(EmbeddedDatabase),
}

impl OntimeContender {
    /// Starts one of them; the folder is where the text is.
    pub fn start(name: &str, options: &OntimeOptions, folder: &Path) -> Result<OntimeContender> {
        let common = &options.common;
        match name {
            COLUMNS | ROWS => {
                let mut settings = common.rowhouse(Durability::EveryCommit)?;
                settings.flags.push(format!("--files={}", folder.display()));
                let peer = Rowhouse::start(&settings)?;
                let session = peer.session("")?;
                Ok(OntimeContender::Rowhouse(peer, session))
            }
            MARIADB => {
                let buffer_pool_mib = options.buffer_pool_mib;
                let settings =
                    MariaDbSettings { buffer_pool_mib, flush_log: 1, handlersocket_threads: 1 };
                let peer = MariaDb::start(settings)?;
                let session = peer.session("")?;
                Ok(OntimeContender::MariaDb(peer, session))
            }
            name => {
                let product = if name == MONETDB { Product::MonetDb } else { Product::DuckDb };
                EmbeddedDatabase::start(product, common.server_threads())
                    .map(OntimeContender::Embedded)
            }
        }
    }

    /// Ends its process, starts it on the same data, and forgets what the machine had read of them,
    /// where that is allowed.
    pub fn begin_again(&mut self) -> Result<()> {
        match self {
            OntimeContender::Rowhouse(peer, session) => {
                again(&mut peer.server, peer.doors.mysql.context("no MySQL door")?)?;
                *session = peer.session(DATABASE)?;
            }
            OntimeContender::MariaDb(peer, session) => {
                again(&mut peer.server, peer.port)?;
                *session = peer.session(DATABASE)?;
            }
            OntimeContender::Embedded(peer) => peer.start_again()?,
        }
        process::drop_page_cache();
        Ok(())
    }

    /// What it says that it is.
    pub fn version(&self) -> &str {
        match self {
            OntimeContender::Rowhouse(peer, _) => &peer.version,
            OntimeContender::MariaDb(peer, _) => &peer.version,
            OntimeContender::Embedded(peer) => &peer.version,
        }
    }

    /// Bytes of its files.
    pub fn disk_bytes(&self) -> u64 {
        match self {
            OntimeContender::Rowhouse(peer, _) => bytes_below(&peer.data_dir()),
            OntimeContender::MariaDb(peer, _) => {
                bytes_below(&peer.server.dir().join("data").join(DATABASE))
            }
            OntimeContender::Embedded(peer) => peer.file_bytes(),
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match self {
            OntimeContender::Rowhouse(peer, _) => peer.server.pid(),
            OntimeContender::MariaDb(peer, _) => peer.server.pid(),
            OntimeContender::Embedded(peer) => peer.pid(),
        }
    }

    /// The rows that a statement gives.
    pub fn ask(&mut self, sql: &str) -> Result<ResultCells> {
        let session = match self {
            OntimeContender::Rowhouse(_, session) | OntimeContender::MariaDb(_, session) => session,
            OntimeContender::Embedded(peer) => return peer.run(sql),
        };
        let text = |cell: Option<Vec<u8>>| cell.map(|cell| String::from_utf8_lossy(&cell).into());
        let rows = session.query(sql)?;
        Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
    }

    /// Makes the table and loads the text.
    pub fn load(
        &mut self,
        options: &OntimeOptions,
        engine: &str,
        flights: Flights,
        text: &Path,
    ) -> Result<()> {
        let (session, indexed) = match self {
            OntimeContender::Rowhouse(_, session) | OntimeContender::MariaDb(_, session) => {
                (session, options.indexed && !engine.contains("COLUMNAR"))
            }
            OntimeContender::Embedded(peer) => {
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
