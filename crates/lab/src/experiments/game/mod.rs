//! The game of the second source document: read a player by number, change and write it back, then
//! look an account up by an address found in that row. Two reads and one write.
//!
//! Every variant is not only timed but verified. The lab knows for each player how many changes
//! were acknowledged, so it counts *stale reads* (a read that misses a change acknowledged before
//! it was sent), *lost updates* (acknowledged changes that are not there at the end) and, with a
//! cache in front, *stale copies* (cached rows that differ from the database at the end). A part of
//! the transactions goes to a few popular players, as in any game. That hides most races, so each
//! variant then plays one more window with half of the transactions on a handful of players.

pub mod doors;
pub mod session;
pub mod table;
pub mod world;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use super::{Common, progress};
use crate::generator::{Client, drive};
use crate::peers::Durability;
use crate::plot::Drawing;
use crate::report::{Layout, Measurement, Report};
use session::{Differences, Game, GameLedger, Popularity, Scores};
use table::*;
use world::World;

/// Whose ratio is of interest.
const PAIRS: &[(&str, &str)] = &[
    (ROWHOUSE_HANDLERSOCKET, MEMCACHED_SET),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_CACHED),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_SQL),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_HANDLERSOCKET),
    (ROWHOUSE_SET, MEMCACHED_SET),
    (ROWHOUSE_CAS, MEMCACHED_CAS),
    (ROWHOUSE_SET, REDIS_SET),
    (ROWHOUSE_TYRANT, ROWHOUSE_SET),
    (ROWHOUSE_SQL, MARIADB_SQL),
];

/// Options of `game`.
#[derive(Debug, Clone, Args)]
pub struct GameOptions {
    #[command(flatten)]
    common: Common,
    /// Players; there are as many accounts.
    #[arg(long, default_value_t = 2_000_000)]
    rows: u32,
    /// Bytes of note in each row, which nobody looks at but everybody carries.
    #[arg(long, default_value_t = 100)]
    note: usize,
    /// Numbers of connections.
    #[arg(long, value_delimiter = ',', default_value = "32")]
    connections: Vec<usize>,
    /// Popular players.
    #[arg(long, default_value_t = 100)]
    popular: u32,
    /// Transactions on popular players, in percent.
    #[arg(long, default_value_t = 10)]
    popular_percent: u32,
    /// Players that half of the transactions go to in the window that looks for races.
    #[arg(long, default_value_t = 10)]
    contested: u32,
    /// Durability: rowhouse's policy, or what comes nearest elsewhere.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// MariaDB's buffer pool in MiB.
    #[arg(long, default_value_t = 4096)]
    buffer_pool_mib: u32,
}

/// Runs the experiment.
pub fn run(options: &GameOptions) -> Result<()> {
    let common = &options.common;
    let world = World { seed: common.seed, rows: options.rows, note_bytes: options.note };
    let mut report = Report::new("game");
    common.note(&mut report);
    report.setting("players, accounts", options.rows);
    report.setting("note bytes per row", options.note);
    let (percent, popular) = (options.popular_percent, options.popular);
    report.setting("popularity", format!("{percent}% of transactions on {popular} players"));
    let durability = options.durability;
    let flush_log = durability.flush_log();
    report.setting(
        "durability",
        format!(
            "rowhouse {}; innodb flush_log={flush_log}; redis {:?}; memcached none",
            durability.name(),
            append_fsync(durability)
        ),
    );
    let table = ServerTable::start(options, world, &mut report);
    let variants = table.variants();
    let ledgers: Vec<GameLedger> = (0..LEDGERS).map(|_| GameLedger::new(options.rows)).collect();
    let windows = GameWindows { options, world, variants: &variants, ledgers: &ledgers };
    for &connections in &options.connections {
        let usual = Popularity { rows: popular.min(options.rows), percent };
        for round in 0..common.rounds {
            windows.play(&usual, &mode(connections), connections, round, &mut report);
        }
    }
    let most = options.connections.iter().copied().max().unwrap_or(1);
    let contested = Popularity { rows: options.contested.clamp(1, options.rows), percent: 50 };
    let races = format!("{}, half of it on {} players", mode(most), contested.rows);
    windows.play(&contested, &races, most, common.rounds, &mut report);
    for variant in &variants {
        let checked = check(variant, &ledgers[variant.ledger], world, &mut report);
        report.keep(&format!("{}, check at the end", variant.name), checked);
    }
    note_pauses(&mut report, &variants);
    report.compare(PAIRS);
    let drawing = drawing(&report, &variants, options);
    common.finish(&report, Layout::Requests, &drawing)?;
    for variant in variants.iter().filter(|variant| variant.exact) {
        for what in ["stale reads", "lost updates"] {
            let name = format!("{}: {what}", variant.name);
            if report.figures.get(&name).is_some_and(|count| count != &json!(0)) {
                bail!("{name} must be none");
            }
        }
    }
    Ok(())
}

/// What windows are played with.
struct GameWindows<'a> {
    options: &'a GameOptions,
    world: World,
    variants: &'a [Variant<'a>],
    ledgers: &'a [GameLedger],
}

impl GameWindows<'_> {
    /// One window of every variant in turn. One that fails in a mode is noted and left out of it.
    fn play(
        &self,
        popularity: &Popularity,
        mode: &str,
        connections: usize,
        round: usize,
        report: &mut Report,
    ) {
        for variant in self.variants {
            let label = format!("{}, {mode}", variant.name);
            let wanted = self.options.common.wants(variant.name);
            if !wanted || report.not_run.contains_key(&label) {
                continue;
            }
            let window = self.one(variant, popularity, mode, connections, round);
            if let Some((measurement, stale)) = report.keep(&label, window) {
                progress(&format!("{label}, round {round}: {:.0}/s", measurement.rate));
                add(report, &format!("{}: stale reads", variant.name), stale);
                report.measurements.push(measurement);
            }
        }
    }

    /// One window; gives its figures and the number of stale reads.
    fn one(
        &self,
        variant: &Variant<'_>,
        popularity: &Popularity,
        mode: &str,
        connections: usize,
        round: usize,
    ) -> Result<(Measurement, u64)> {
        let common = &self.options.common;
        let ledger = &self.ledgers[variant.ledger];
        let seed = common.seed ^ ((round as u64) << 32) ^ ((connections as u64) << 48);
        let mut clients = Vec::with_capacity(connections);
        for number in 0..connections as u64 {
            let (door, streams) = (variant.connect)()?;
            let session = Game::new(door, self.world, ledger.clone(), *popularity, seed, number);
            clients.push(Client::with_lanes(session, streams));
        }
        let (sample, sessions) = drive(clients, &common.plan(1, variant.servers.clone()))?;
        let stale = sessions.iter().map(|session| session.stale).sum();
        Ok((Measurement::new(mode, variant.name, round, connections, &sample), stale))
    }
}

fn mode(connections: usize) -> String {
    format!("{connections} connections")
}

/// Compares what is there with what was acknowledged.
fn check(
    variant: &Variant<'_>,
    ledger: &GameLedger,
    world: World,
    report: &mut Report,
) -> Result<()> {
    let changed = ledger.changed();
    if changed.is_empty() {
        return Ok(());
    }
    let scores = Scores::read(&variant.truth, world, &changed)?;
    let Differences { lost, unasked } = Differences::between(ledger, &scores, &changed);
    add(report, &format!("{}: lost updates", variant.name), lost);
    add(report, &format!("{}: changes that nobody asked for", variant.name), unasked);
    if let Some(copies) = &variant.copies {
        let copies = Scores::read(copies, world, &changed)?;
        let differs = |id: &&u32| copies.of(**id).is_some_and(|copy| Some(copy) != scores.of(**id));
        let stale = changed.iter().filter(differs).count() as u64;
        add(report, &format!("{}: stale copies at the end", variant.name), stale);
    }
    Ok(())
}

fn add(report: &mut Report, name: &str, count: u64) {
    let so_far = report.figures.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
    report.figures.insert(name.to_owned(), json!(so_far + count));
}

/// Notes every variant's longest standstill, in which window it was, and whose it may have been.
fn note_pauses(report: &mut Report, variants: &[Variant<'_>]) {
    let hundredths = |part: f64| (part * 100.0).round() / 100.0;
    let milliseconds = |us: f64| (us / 100.0).round() / 10.0;
    for variant in variants {
        let windows = report.measurements.iter().filter(|window| window.contender == variant.name);
        let Some(worst) = windows.max_by(|a, b| a.pause_us.total_cmp(&b.pause_us)) else {
            continue;
        };
        let pause = json!({
            "ms": milliseconds(worst.pause_us),
            "of it the client got no core, ms": milliseconds(worst.pause_client_us),
            "others' part of the machine": hundredths(worst.others),
            "part with a disk awaited": hundredths(worst.disk_waited),
            "window": format!("{}, round {}", worst.mode, worst.round),
        });
        report.figures.insert(format!("{}: longest pause", variant.name), pause);
    }
}

fn drawing(report: &Report, variants: &[Variant<'_>], options: &GameOptions) -> Drawing {
    if options.connections.len() == 1 {
        return Drawing::bars(report, "transactions per second", |window| window.rate);
    }
    let points = |name: &str| -> Vec<(f64, f64)> {
        let rate = |count: usize| report.spread(&mode(count), name, |window| window.rate).median;
        options.connections.iter().map(|count| (*count as f64, rate(*count))).collect()
    };
    let series = variants.iter().map(|variant| (variant.name.to_owned(), points(variant.name)));
    let title = format!("game, transactions per second, {}", options.durability.name());
    Drawing::lines(&title, "connections", "transactions per second", series.collect())
}
