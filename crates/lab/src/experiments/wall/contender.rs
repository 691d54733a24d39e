//! A server of the wall in its group of processes, with the rows that it has so far.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::session::{Asking, Counted, Single, each_second};
use super::{Load, Options};
use crate::experiments::game::doors::{self, Door};
use crate::experiments::game::session::{Differences, Game, Ledger, Popularity, Scores};
use crate::experiments::game::table::Connect;
use crate::experiments::game::world::World;
use crate::experiments::memory_limit::MemoryLimit;
use crate::generator::{Client, Sample, Session, drive};
use crate::peers::{Engine, EngineServer, RowhouseSettings, bytes_below};
use crate::process;
use crate::report::Measurement;

const DATABASE: &str = "wall";
/// After a load or a window, a server's own work is awaited: until it takes less than this part of a core,
/// but not for longer than this.
const CALM_CORES: f64 = 0.05;
const CALM_SECONDS_MAX: f64 = 10.0;
const CALM_LOOK: Duration = Duration::from_millis(250);
/// Rows of a LOAD DATA: a server that keeps a transaction in memory keeps no more of it.
const LOAD_ROWS_MAX: u32 = 500_000;

/// One of the servers.
pub struct Contender {
    /// Its name in reports.
    pub name: &'static str,
    server: EngineServer,
    world: World,
    ledger: Ledger,
}

impl Contender {
    /// Starts it without rows; `world` says how many there may be.
    pub fn start(
        engine: Engine,
        settings: &RowhouseSettings,
        limit: MemoryLimit,
        world: World,
        options: &Options,
    ) -> Result<Contender> {
        let common = limit.settings(options.durability, options.connections)?;
        let server = engine.start(settings, common)?;
        World::create(&mut server.session()?, DATABASE, engine.clause())?;
        let ledger = Ledger::new(world.rows);
        let world = World { rows: 0, ..world };
        Ok(Contender { name: engine.name(), server, world, ledger })
    }

    /// Its version.
    pub fn version(&self) -> &str {
        self.server.version()
    }

    /// Bytes of its files.
    pub fn disk_bytes(&self) -> u64 {
        bytes_below(&self.server.files_of(DATABASE))
    }

    /// Loads rows until there are so many players and as many accounts.
    pub fn grow(&mut self, rows: u32) -> Result<()> {
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

    /// Waits until it has little to do by itself; gives the seconds.
    pub fn calm_down(&self) -> f64 {
        let began = Instant::now();
        let spent = || process::cpu_seconds(self.server.pid()).unwrap_or(0.0);
        while began.elapsed().as_secs_f64() < CALM_SECONDS_MAX {
            let (from, before) = (Instant::now(), spent());
            std::thread::sleep(CALM_LOOK);
            if (spent() - before) / from.elapsed().as_secs_f64() < CALM_CORES {
                break;
            }
        }
        began.elapsed().as_secs_f64()
    }

    /// One window; gives its figures, the answers in each second from the start of its warm-up on, and
    /// the number of stale reads.
    pub fn window(
        &self,
        load: Load,
        mode: &str,
        round: usize,
        options: &Options,
    ) -> Result<(Measurement, Vec<u64>, u64)> {
        let seed =
            options.common.seed ^ ((round as u64) << 32) ^ (u64::from(self.world.rows) << 40);
        let single = match load {
            Load::LookUps => Single::LookUp,
            Load::Updates => Single::Update,
            Load::Game => {
                let everybody = Popularity { rows: self.world.rows, percent: 0 };
                let player = |door, number| {
                    Game::new(door, self.world, self.ledger.clone(), everybody, seed, number)
                };
                let (sample, sessions, seconds) = self.drive(player, options)?;
                let stale = sessions.iter().map(|counted| counted.session.stale).sum();
                let figures =
                    Measurement::new(mode, self.name, round, options.connections, &sample);
                return Ok((figures, seconds, stale));
            }
        };
        let client =
            |door, number| Asking::new(door, self.world, self.ledger.clone(), single, seed, number);
        let (sample, _, seconds) = self.drive(client, options)?;
        let figures = Measurement::new(mode, self.name, round, options.connections, &sample);
        Ok((figures, seconds, 0))
    }

    /// Drives as many clients as there are connections, and counts their answers by the second.
    fn drive<S: Session>(
        &self,
        client: impl Fn(Box<dyn Door>, u64) -> S,
        options: &Options,
    ) -> Result<(Sample, Vec<Counted<S>>, Vec<u64>)> {
        let answers = Arc::new(AtomicU64::new(0));
        let mut clients = Vec::with_capacity(options.connections);
        for number in 0..options.connections as u64 {
            let (door, streams) = self.connect()?;
            let session = Counted { session: client(door, number), answers: Arc::clone(&answers) };
            clients.push(Client { session, streams });
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

    /// Reads every changed player back.
    ///
    /// # Errors
    /// What is there differs from what was acknowledged, or cannot be read.
    pub fn verify(&self) -> Result<usize> {
        let changed = self.ledger.changed();
        if changed.is_empty() {
            return Ok(0);
        }
        let connect: Connect<'_> = Box::new(|| self.connect());
        let scores = Scores::read(&connect, self.world, &changed)?;
        let differences = Differences::between(&self.ledger, &scores, &changed);
        ensure!(differences == Differences::default(), "{differences:?}");
        Ok(changed.len())
    }

    fn connect(&self) -> Result<(Box<dyn Door>, Vec<TcpStream>)> {
        let (read, write) = doors::handlersocket_indexes(DATABASE);
        let streams =
            vec![self.server.handlersocket_read(&read)?, self.server.handlersocket_write(&write)?];
        Ok((doors::handlersocket(), streams))
    }
}
