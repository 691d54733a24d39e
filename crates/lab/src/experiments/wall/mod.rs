//! The wall that memory is: what is left of a server's speed when its data are some times the
//! memory.
//!
//! The question of the second source document, whose game went from 13,000 transactions a second to
//! 964 (MySQL to 160) where memory held a tenth of the data. Here every server runs in a group of
//! processes with a limit of memory, so that the page cache counts as well; half of the limit is
//! its own memory setting. The data are the game's players and accounts. They grow step by step,
//! and at each step all servers in turn get look-ups (of players and accounts alike), updates (of
//! players, which are half of the data) and the game itself, each row as likely as any other.
//!
//! Every answer is judged by its contents, and at the end every changed player is read back.
//!
//! Tokyo Cabinet, a library, plays inside a program of its own, within the same limit.

mod contender;
mod embedded;
mod server;
mod session;

use anyhow::{Result, bail, ensure};
use clap::Args;
use serde_json::json;

use super::game::world::World;
use super::memory_limit::MemoryLimit;
use super::{Common, progress};
use crate::peers::{Durability, Engine, TOKYO_CABINET};
use crate::plot::Drawing;
use crate::report::{Layout, Measurement, Report};
use contender::WallContender;
use embedded::EmbeddedProgram;
use server::ServerContender;

const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks];
const LOADS: [RequestKind; 3] = [RequestKind::LookUps, RequestKind::Updates, RequestKind::Game];
/// Bytes of a row beside its note: an address, a number, what a text of a row needs.
const ROW_BYTES: u64 = 40;

/// What clients ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    LookUps,
    Updates,
    Game,
}

impl RequestKind {
    fn name(self) -> &'static str {
        match self {
            RequestKind::LookUps => "look-ups",
            RequestKind::Updates => "updates",
            RequestKind::Game => "game",
        }
    }

    /// Its name in tables, with data that are so many times the memory.
    fn mode(self, multiple: f64) -> String {
        format!("{}, data {multiple} times the memory", self.name())
    }
}

/// Options of `wall`.
#[derive(Debug, Clone, Args)]
pub struct WallOptions {
    #[command(flatten)]
    common: Common,
    /// The limit of each server's memory in MiB, page cache included.
    #[arg(long, default_value_t = 256)]
    group_mib: u32,
    /// Data, in multiples of the limit, ascending.
    #[arg(long, value_delimiter = ',', default_value = "0.5,1,2,5,10")]
    multiples: Vec<f64>,
    /// Bytes of note in each row, which has 40 more.
    #[arg(long, default_value_t = 360)]
    note: usize,
    /// Connections.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Threads of Tokyo Cabinet, which has no connections; without it, as many as the others'
    /// connections.
    #[arg(long)]
    embedded_threads: Option<usize>,
    /// Durability: rowhouse's policy, or what comes nearest elsewhere.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// Without groups of processes: the page cache is as large as the machine lets it be.
    #[arg(long)]
    unbounded: bool,
}

impl WallOptions {
    fn embedded_threads(&self) -> usize {
        self.embedded_threads.unwrap_or(self.connections).max(1)
    }

    /// Players, of as many accounts, of so many times the memory.
    fn rows(&self, multiple: f64) -> u32 {
        let row_bytes = self.note as u64 + ROW_BYTES;
        let bytes = multiple * f64::from(self.group_mib) * f64::from(1 << 20);
        (bytes / (2 * row_bytes) as f64) as u32
    }
}

/// Runs the experiment.
pub fn run(options: &WallOptions) -> Result<()> {
    let common = &options.common;
    ensure!(options.multiples.is_sorted(), "multiples ascend");
    let most = options.multiples.last().map_or(0, |multiple| options.rows(*multiple));
    ensure!(most as usize >= options.connections, "there are more connections than players");
    let world = World { seed: common.seed, rows: most, note_bytes: options.note };
    let mut report = Report::new("wall");
    note(options, &mut report);
    let limit = match options.unbounded {
        true => MemoryLimit::unbounded(options.group_mib / 2, &mut report),
        false => MemoryLimit::grouped(options.group_mib, &mut report)?,
    };
    let mut contenders = start(options, limit, world, &mut report)?;
    for &multiple in &options.multiples {
        contenders.retain_mut(|contender| {
            let rows = options.rows(multiple);
            progress(&format!("{}: growing to {rows} players and accounts", contender.name()));
            let label = format!("{}, {multiple} times the memory", contender.name());
            report.keep(&label, contender.grow(rows)).is_some()
        });
        for load in LOADS {
            for round in 0..common.rounds {
                for contender in &mut contenders {
                    one_window(contender.as_mut(), load, multiple, round, options, &mut report);
                }
            }
        }
        for contender in &contenders {
            let megabytes = contender.disk_bytes() / 1_000_000;
            let name = format!("{}: MB on disk, {multiple} times the memory", contender.name());
            report.figures.insert(name, json!(megabytes));
        }
    }
    let mut differ = Vec::new();
    for contender in &mut contenders {
        match contender.verify() {
            Ok(players) => {
                let name = format!("{}: changed players read back", contender.name());
                report.figures.insert(name, json!(players));
            }
            Err(error) => differ.push(format!("{}: {error:#}", contender.name())),
        }
    }
    let ours = Engine::Rowhouse.name();
    let others = [Engine::InnoDb.name(), Engine::MyRocks.name(), TOKYO_CABINET];
    report.compare(&others.map(|other| (ours, other)));
    common.finish(&report, Layout::Requests, &drawing(&report, options))?;
    if !differ.is_empty() {
        bail!("data that differ from what was acknowledged: {}", differ.join("; "));
    }
    Ok(())
}

fn note(options: &WallOptions, report: &mut Report) {
    options.common.note(report);
    report.setting("bytes of a row", options.note as u64 + ROW_BYTES);
    report.setting("connections", options.connections);
    let flush_log = options.durability.flush_log();
    let durability = options.durability.name();
    report.setting("durability", format!("rowhouse {durability}; mariadb flush_log={flush_log}"));
    let threads = options.connections;
    let threads = format!("{threads} for reading, 1 for writing, as the plugin demands");
    report.setting("mariadb handlersocket threads", threads);
    let threads = options.embedded_threads();
    let durability = match options.durability {
        Durability::EveryCommit => "a sync after each write",
        Durability::EverySecond => "a sync each second",
        Durability::Os => "no sync",
    };
    let embedded = format!(
        "no door and no connections: {threads} threads of the program that has the library inside, so its \
         CPU time is the client's as well; a hash database, not compressed, two buckets a record, mapped \
         as a whole where three quarters of the memory hold it, otherwise its buckets alone, tidied by \
         itself (dfunit 8), {durability}"
    );
    report.setting(TOKYO_CABINET, embedded);
}

/// Those that could be started, each within the limit.
fn start(
    options: &WallOptions,
    limit: MemoryLimit,
    world: World,
    report: &mut Report,
) -> Result<Vec<Box<dyn WallContender>>> {
    let common = &options.common;
    let settings = common.rowhouse(options.durability)?;
    let mut contenders = Vec::new();
    let mut keep = |name, started: Result<Box<dyn WallContender>>| {
        let Some(contender) = report.keep(name, started) else { return };
        report.versions.insert(name.to_owned(), contender.version().to_owned());
        contenders.push(contender);
    };
    for engine in ENGINES.into_iter().filter(|engine| common.wants(engine.name())) {
        progress(&format!("starting {}", engine.name()));
        let started = ServerContender::start(engine, &settings, limit, world, options);
        keep(engine.name(), started.map(|server| Box::new(server) as _));
    }
    if common.wants(TOKYO_CABINET) {
        progress(&format!("starting {TOKYO_CABINET}"));
        let started = EmbeddedProgram::start(limit, world, options);
        keep(TOKYO_CABINET, started.map(|embedded| Box::new(embedded) as _));
    }
    Ok(contenders)
}

/// One window of one contender, after it has come to rest.
fn one_window(
    contender: &mut dyn WallContender,
    load: RequestKind,
    multiple: f64,
    round: usize,
    options: &WallOptions,
    report: &mut Report,
) {
    let mode = load.mode(multiple);
    let name = contender.name();
    let label = format!("{name}, {mode}");
    if report.not_run.contains_key(&label) {
        return;
    }
    let waited = contender.calm_down();
    let rows = u64::from(options.rows(multiple));
    let seed = options.common.seed ^ ((round as u64) << 32) ^ (rows << 40);
    let window = contender.window(load, seed, options);
    let Some(window) = report.keep(&label, window) else { return };
    let figures = Measurement::new(&mode, name, round, window.connections, &window.sample);
    progress(&format!(
        "{label}, round {round}: {:.0}/s, {:.0} us server CPU, {:.2} KiB read",
        figures.rate, figures.server_us, figures.disk_read_kib
    ));
    report.seconds.push(json!({
        "contender": name, "mode": mode, "round": round,
        "answers in each second": window.seconds,
        "seconds waited for its own work before": (waited * 10.0).round() / 10.0,
        "stale reads": window.stale,
    }));
    report.measurements.push(figures);
}

/// A chart for each load: requests per second over multiples of the memory.
fn drawing(report: &Report, options: &WallOptions) -> Drawing {
    let charts = LOADS.map(|load| {
        let names = ENGINES.map(Engine::name).into_iter().chain([TOKYO_CABINET]);
        let series = names.filter_map(|name| {
            let rate = |multiple: &f64| {
                let mode = load.mode(*multiple);
                let rate = report.spread(&mode, name, |window| window.rate).median;
                (rate > 0.0).then_some((*multiple, rate))
            };
            let points: Vec<_> = options.multiples.iter().filter_map(rate).collect();
            (!points.is_empty()).then(|| (name.to_owned(), points))
        });
        (load.name().to_owned(), series.collect())
    });
    let title = format!("wall: {} MiB of memory, {}", options.group_mib, options.durability.name());
    Drawing::charts(&title, "data in multiples of the memory", "requests per second", charts.into())
}
