//! The experiments, one file each, and the options they share.

pub mod batches;
pub mod cache;
pub mod cliffs;
pub mod documents;
pub mod durability;
pub mod game;
pub mod handshakes;
pub mod idle;
pub mod iibench;
pub mod indexing;
pub mod live;
pub mod load;
pub mod logins;
pub mod lookup;
pub mod nasty;
pub mod ontime;
pub mod orders;
pub mod pages;
pub mod recovery;
pub mod size;
pub mod soak;
pub mod sysbench;
pub mod tables;
pub mod tls;
pub mod wall;
pub mod watched;
pub mod writers;

mod dice;
mod fleet;
mod loading;
mod memory_limit;
mod pace;
mod rounds;
mod timed;
mod writing;

pub use rounds::ReadingOptions;

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::generator::WindowPlan;
use crate::own_program;
use crate::peers::{Durability, Engine, EngineServer, EngineSettings, RowhouseSettings};
use crate::plot::Drawing;
use crate::report::{Layout, Report};

/// What every experiment takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// The rowhouse program; without it, the one beside this program.
    #[arg(long)]
    rowhouse: Option<PathBuf>,
    /// Rounds; in each, every contender has its turn.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Length of a measured window in seconds.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Length of the warm-up before each window in seconds; without it, a third of the window.
    #[arg(long)]
    warm: Option<f64>,
    /// Client threads.
    #[arg(long, default_value_t = 1)]
    client_threads: usize,
    /// Threads of rowhouse, memcached and the echo server; without it, one per core.
    #[arg(long)]
    server_threads: Option<usize>,
    /// Rowhouse's memory setting.
    #[arg(long, default_value = "4GiB")]
    memory: String,
    /// Further flags for rowhouse, such as --flag=--recovery-seconds-max=1.
    #[arg(long)]
    flag: Vec<String>,
    /// Seed of rows and choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only contenders whose name contains one of these.
    #[arg(long)]
    only: Vec<String>,
    /// Keep the result as JSON (and the plot, if there is one) in this directory.
    #[arg(long)]
    results: Option<PathBuf>,
}

impl Common {
    fn server_threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.server_threads.unwrap_or_else(cores)
    }

    fn wants(&self, contender: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| contender.contains(part.as_str()))
    }

    /// Whether any contender with this beginning is wanted.
    fn wants_any(&self, contenders: &[&str]) -> bool {
        contenders.iter().any(|contender| self.wants(contender))
    }

    fn rowhouse(&self, durability: Durability) -> Result<RowhouseSettings> {
        let beside = || Ok(own_program()?.with_file_name("rowhouse"));
        let program = self.rowhouse.clone().map_or_else(beside, Ok::<_, anyhow::Error>)?;
        if !program.is_file() {
            bail!("there is no program at {} (--rowhouse names another)", program.display());
        }
        let program = program.canonicalize().context("the rowhouse program")?;
        let (memory, threads) = (self.memory.clone(), self.server_threads());
        Ok(RowhouseSettings { program, memory, durability, threads, flags: self.flag.clone() })
    }

    /// Starts one of the servers that are measured by the same statements, with so much memory.
    fn engine(
        &self,
        engine: Engine,
        durability: Durability,
        memory_mib: u32,
    ) -> Result<EngineServer> {
        let common =
            EngineSettings { memory_mib, durability, handlersocket_threads: 1, group: None };
        engine.start(&self.rowhouse(durability)?, common)
    }

    /// The same for those of several that are wanted; who does not start is told of in the report.
    fn engines(
        &self,
        engines: &[Engine],
        durability: Durability,
        memory_mib: u32,
        report: &mut Report,
    ) -> Vec<EngineServer> {
        let mut servers = Vec::new();
        for engine in engines.iter().filter(|engine| self.wants(engine.name())) {
            let started = self.engine(*engine, durability, memory_mib);
            if let Some(server) = report.keep(engine.name(), started) {
                report.versions.insert(engine.name().to_owned(), server.version().to_owned());
                servers.push(server);
            }
        }
        servers
    }

    fn plan(&self, depth: usize, servers: Vec<u32>) -> WindowPlan {
        let warm = self.warm.unwrap_or(self.seconds / 3.0);
        WindowPlan { warm, measure: self.seconds, depth, threads: self.client_threads, servers }
    }

    fn note(&self, report: &mut Report) {
        report.setting("rounds", self.rounds);
        report.setting("seconds per window", self.seconds);
        report.setting("client threads", self.client_threads);
        report.setting("server threads (rowhouse, memcached, echo)", self.server_threads());
        report.setting("seed", self.seed);
        report.setting("rowhouse memory", &self.memory);
        if !self.flag.is_empty() {
            report.setting("rowhouse flags", self.flag.join(" "));
        }
    }

    /// Keeps the report if asked, and prints it; an experiment with bad replies has failed.
    fn finish(&self, report: &Report, layout: Layout, drawing: &Drawing) -> Result<()> {
        self.finish_drawn(report, layout, &[("", drawing)])
    }

    /// The same with several drawings, each with what stands behind the report's name.
    fn finish_drawn(
        &self,
        report: &Report,
        layout: Layout,
        drawings: &[(&str, &Drawing)],
    ) -> Result<()> {
        // First of all: nobody may be there any more to read what is printed.
        if let Some(directory) = &self.results {
            let name = report.save(directory)?;
            for (what, drawing) in drawings {
                drawing.save(&directory.join(format!("{name}{what}.svg")))?;
            }
        }
        report.print(layout, &mut io::stdout().lock())?;
        match report.bad() {
            0 => Ok(()),
            bad => bail!("{bad} bad replies or lost connections; the table says whose"),
        }
    }
}

/// Progress for whoever waits; results go to stdout, this to stderr.
fn progress(what: &str) {
    eprintln!("lab: {what}");
}
