//! A server of the wall in its group of processes, with the rows that it has so far.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};

use super::contender::{WallContender, WindowOutcome};
use super::session::{CountingSession, Single, SingleRequests, each_second};
use super::{RequestKind, WallOptions};
use crate::experiments::game::doors::{self, GameDoor};
use crate::experiments::game::session::{Differences, Game, GameLedger, Popularity, Scores};
use crate::experiments::game::table::Connect;
use crate::experiments::game::world::World;
use crate::experiments::memory_limit::MemoryLimit;
use crate::generator::{Client, ClientSession, Sample, drive};
use crate::peers::{Engine, EngineServer, RowhouseSettings, bytes_below};

const DATABASE: &str = "wall";
/// Rows of a LOAD DATA: a server that keeps a transaction in memory keeps no more of it.
const LOAD_ROWS_MAX: u32 = 500_000;

/// One of the servers.
pub struct ServerContender {
    server: EngineServer,
    world: World,
    ledger: GameLedger,
}

impl ServerContender {
    /// Starts it without rows; `world` says how many there may be.
    pub fn start(
        engine: Engine,
        settings: &RowhouseSettings,
        limit: MemoryLimit,
        world: World,
        options: &WallOptions,
    ) -> Result<ServerContender> {
        let common = limit.settings(options.durability, options.connections)?;
        let server = engine.start(settings, common)?;
        World::create(&mut server.session()?, DATABASE, engine.clause())?;
        let ledger = GameLedger::new(world.rows);
        let world = World { rows: 0, ..world };
        Ok(ServerContender { server, world, ledger })
    }

    /// Drives as many clients as there are connections, and counts their answers by the second.
    fn drive<S: ClientSession>(
        &self,
        client: impl Fn(Box<dyn GameDoor>, u64) -> S,
        options: &WallOptions,
    ) -> Result<(Sample, Vec<CountingSession<S>>, Vec<u64>)> {
        let answers = Arc::new(AtomicU64::new(0));
        let mut clients = Vec::with_capacity(options.connections);
        for number in 0..options.connections as u64 {
            let (door, streams) = self.connect()?;
            let session =
                CountingSession { session: client(door, number), answers: Arc::clone(&answers) };
            clients.push(Client::with_lanes(session, streams));
        }
        let plan = options.common.plan(1, vec![self.server.pid()]);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let seconds = scope.spawn(|| each_second(&answers, &over));
            let driven = drive(clients, &plan);
            over.store(true, Ordering::Relaxed);
            let seconds = seconds.join().ok().context("the thread that counts answers")?;
            let (sample, sessions) = driven?;
            Ok((sample, sessions, seconds))
        })
    }

    fn connect(&self) -> Result<(Box<dyn GameDoor>, Vec<TcpStream>)> {
        let (read, write) = doors::handlersocket_indexes(DATABASE);
        let streams =
            vec![self.server.handlersocket_read(&read)?, self.server.handlersocket_write(&write)?];
        Ok((doors::handlersocket(), streams))
    }
}

impl WallContender for ServerContender {
    fn name(&self) -> &'static str {
        self.server.engine().name()
    }

    fn version(&self) -> &str {
        self.server.version()
    }

    fn pid(&self) -> u32 {
        self.server.pid()
    }

    fn disk_bytes(&self) -> u64 {
        bytes_below(&self.server.files_of(DATABASE))
    }

    fn grow(&mut self, rows: u32) -> Result<()> {
        let mut session = self.server.session()?;
        session.execute(&format!("USE {DATABASE}"))?;
        if self.server.engine() == Engine::MyRocks {
            // Without, it keeps all rows of a statement in memory, and is ended for that.
            session.execute("SET SESSION rocksdb_commit_in_the_middle = 1")?;
        }
        while self.world.rows < rows {
            let to = rows.min(self.world.rows + LOAD_ROWS_MAX);
            self.world.load_more(&mut session, self.world.rows + 1..=to)?;
            self.world.rows = to;
        }
        Ok(())
    }

    fn window(
        &mut self,
        load: RequestKind,
        seed: u64,
        options: &WallOptions,
    ) -> Result<WindowOutcome> {
        let single = match load {
            RequestKind::LookUps => Single::LookUp,
            RequestKind::Updates => Single::Update,
            RequestKind::Game => {
                let everybody = Popularity { rows: self.world.rows, percent: 0 };
                let player = |door, number| {
                    Game::new(door, self.world, self.ledger.clone(), everybody, seed, number)
                };
                let (sample, sessions, seconds) = self.drive(player, options)?;
                let stale = sessions.iter().map(|counted| counted.session.stale).sum();
                return Ok(WindowOutcome {
                    sample,
                    connections: options.connections,
                    seconds,
                    stale,
                });
            }
        };
        let client = |door, number| {
            SingleRequests::new(door, self.world, self.ledger.clone(), single, seed, number)
        };
        let (sample, _, seconds) = self.drive(client, options)?;
        Ok(WindowOutcome { sample, connections: options.connections, seconds, stale: 0 })
    }

    fn verify(&mut self) -> Result<u64> {
        let changed = self.ledger.changed();
        if changed.is_empty() {
            return Ok(0);
        }
        let connect: Connect<'_> = Box::new(|| self.connect());
        let scores = Scores::read(&connect, self.world, &changed)?;
        let differences = Differences::between(&self.ledger, &scores, &changed);
        ensure!(differences == Differences::default(), "{differences:?}");
        Ok(changed.len() as u64)
    }
}
