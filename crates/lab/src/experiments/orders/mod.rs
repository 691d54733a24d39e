//! Orders: TPC-C's five transactions on Rowhouse and on MariaDB's InnoDB, side by side.
//!
//! Both are filled with the same rows, verified, run in turn by so many terminals without think
//! time, and verified again: the consistency conditions 1 to 12, and that every acknowledged
//! order, payment and delivery is there. It is the specification's work, not an audited result:
//! no think time, no foreign keys, terminals beside the server.
//!
//! Statements are prepared ones with typed parameters; BEGIN, COMMIT and ROLLBACK are text.

mod load;
mod scale;
mod schema;
mod statements;
mod terminal;
mod transactions;
mod verify;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use self::scale::OrdersScale;
use self::terminal::TerminalOutcome;
use self::transactions::{Books, Desk, TransactionKind};
use super::loading::DATABASE;
use super::{Common, progress};
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse};
use crate::plot::Drawing;
use crate::protocols::mysql::MysqlSession;
use crate::report::{Layout, Measurement, Report};

const ROWHOUSE: &str = "rowhouse";
const MARIADB: &str = "mariadb innodb";

/// Options of `orders`.
#[derive(Debug, Clone, Args)]
pub struct OrdersOptions {
    #[command(flatten)]
    common: Common,
    /// Warehouses.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    warehouses: u16,
    /// Customers of each district, and its first orders; the specification has 3,000.
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(10..=3_000))]
    customers: u32,
    /// Items; the specification has 100,000.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    items: u32,
    /// Numbers of terminals.
    #[arg(long, value_delimiter = ',', default_value = "1,8,32")]
    terminals: Vec<usize>,
    /// Durability: rowhouse's policy, or what comes nearest in InnoDB.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
    /// MariaDB's buffer pool in MiB.
    #[arg(long, default_value_t = 4096)]
    buffer_pool_mib: u32,
}

impl OrdersOptions {
    fn scale(&self) -> OrdersScale {
        OrdersScale {
            warehouses: i64::from(self.warehouses),
            customers: i64::from(self.customers),
            items: i64::from(self.items),
        }
    }
}

/// A filled server.
struct OrdersContender {
    name: &'static str,
    server: OrdersPeer,
    /// What it has acknowledged.
    books: Books,
}

enum OrdersPeer {
    Rowhouse(Rowhouse),
    MariaDb(MariaDb),
}

impl OrdersContender {
    fn session(&self, database: &str) -> Result<MysqlSession> {
        match &self.server {
            OrdersPeer::Rowhouse(peer) => peer.session(database),
            OrdersPeer::MariaDb(peer) => peer.session(database),
        }
    }

    fn pid(&self) -> u32 {
        match &self.server {
            OrdersPeer::Rowhouse(peer) => peer.server.pid(),
            OrdersPeer::MariaDb(peer) => peer.server.pid(),
        }
    }
}

/// Runs the experiment.
pub fn run(options: &OrdersOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("orders");
    common.note(&mut report);
    report.setting("warehouses", options.warehouses);
    report.setting("customers per district", options.customers);
    report.setting("items", options.items);
    let (policy, flush_log) = (options.durability.name(), options.durability.flush_log());
    report.setting("durability", format!("rowhouse {policy}; innodb flush_log={flush_log}"));
    let mut contenders = Vec::new();
    for name in [ROWHOUSE, MARIADB] {
        if common.wants(name) {
            let contender = start(name, options, &mut report);
            contenders.extend(report.keep(name, contender));
        }
    }
    let mut retried: BTreeMap<String, BTreeMap<u16, u64>> = BTreeMap::new();
    for &terminals in &options.terminals {
        for round in 0..common.rounds {
            for contender in &mut contenders {
                let label = format!("{}, {}", contender.name, mode(terminals));
                let window = one_window(contender, terminals, round, options);
                let Some(outcome) = report.keep(&label, window) else { continue };
                progress(&format!("{label}, round {round}: {:.0}/s", outcome.all.rate()));
                for (code, count) in &outcome.retried {
                    *retried.entry(label.clone()).or_default().entry(*code).or_default() += count;
                }
                note(&mut report, contender.name, terminals, round, &outcome);
            }
        }
    }
    for (label, codes) in retried {
        report
            .figures
            .insert(format!("{label}: taken back and tried again, by error"), json!(codes));
    }
    let mut violated = Vec::new();
    for contender in &contenders {
        let found = check(contender, options, "at the end", &mut report);
        violated.extend(report.keep(&format!("{}, conditions", contender.name), found));
    }
    note_rates(&mut report, &options.terminals);
    report.compare(&[(ROWHOUSE, MARIADB)]);
    let drawing = Drawing::bars(&report, "transactions per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)?;
    match violated.concat() {
        violated if violated.is_empty() => Ok(()),
        violated => bail!("violated: {}", violated.join("; ")),
    }
}

fn start(
    name: &'static str,
    options: &OrdersOptions,
    report: &mut Report,
) -> Result<OrdersContender> {
    let durability = options.durability;
    let (server, version) = if name == ROWHOUSE {
        let peer = Rowhouse::start(&options.common.rowhouse(durability)?)?;
        let version = peer.version.clone();
        (OrdersPeer::Rowhouse(peer), version)
    } else {
        let peer = MariaDb::start(MariaDbSettings {
            buffer_pool_mib: options.buffer_pool_mib,
            flush_log: durability.flush_log(),
            handlersocket_threads: 1,
        })?;
        let version = peer.version.clone();
        (OrdersPeer::MariaDb(peer), version)
    };
    report.versions.insert(name.to_owned(), version);
    let contender = OrdersContender { name, server, books: Books::default() };
    let began = Instant::now();
    load::load(&mut contender.session("")?, options.scale(), options.common.seed)?;
    let took = began.elapsed().as_secs_f64();
    report.figures.insert(format!("{name}: filled in seconds"), json!(took.round()));
    let violated = check(&contender, options, "when filled", report)?;
    if !violated.is_empty() {
        bail!("violated when filled: {}", violated.join("; "));
    }
    Ok(contender)
}

/// Verifies; gives what is violated.
fn check(
    contender: &OrdersContender,
    options: &OrdersOptions,
    when: &str,
    report: &mut Report,
) -> Result<Vec<String>> {
    let began = Instant::now();
    let mut session = contender.session(DATABASE)?;
    let violated = verify::verify(&mut session, options.scale(), contender.books)?;
    let (name, took) = (contender.name, began.elapsed().as_secs_f64());
    progress(&format!("{name}, conditions {when}: {} violated, {took:.0} s", violated.len()));
    let said = if violated.is_empty() { json!("all hold") } else { json!(violated) };
    report.figures.insert(format!("{name}: conditions 1 to 12 {when}"), said);
    Ok(violated)
}

fn one_window(
    contender: &mut OrdersContender,
    terminals: usize,
    round: usize,
    options: &OrdersOptions,
) -> Result<TerminalOutcome> {
    let common = &options.common;
    let desk = |number: usize| {
        let warehouse = number as i64 % i64::from(options.warehouses) + 1;
        Desk::new(contender.session(DATABASE)?, warehouse)
    };
    let desks = (0..terminals).map(desk).collect::<Result<Vec<Desk>>>()?;
    let seed = common.seed ^ ((round as u64) << 32) ^ ((terminals as u64) << 48);
    let (scale, pid) = (options.scale(), contender.pid());
    let warm = common.warm.unwrap_or(common.seconds / 3.0);
    let outcome = terminal::run(desks, scale, seed, warm, common.seconds, pid);
    contender.books.add(outcome.books);
    Ok(outcome)
}

fn mode(terminals: usize) -> String {
    format!("{terminals} terminals")
}

fn kind_mode(terminals: usize, kind: TransactionKind) -> String {
    format!("{}, {}", mode(terminals), kind.name())
}

fn note(
    report: &mut Report,
    name: &str,
    terminals: usize,
    round: usize,
    outcome: &TerminalOutcome,
) {
    let all = Measurement::new(&mode(terminals), name, round, terminals, &outcome.all);
    report.measurements.push(all);
    for (kind, sample) in &outcome.kinds {
        let mode = kind_mode(terminals, *kind);
        report.measurements.push(Measurement::new(&mode, name, round, terminals, sample));
    }
}

/// Transactions a minute by kind, as this work is usually counted: `tpmC` is that of new orders.
fn note_rates(report: &mut Report, terminals: &[usize]) {
    for &terminals in terminals {
        for name in report.contenders(&mode(terminals)) {
            let rates = TransactionKind::MIX.iter().map(|(kind, _)| {
                let rate =
                    report.spread(&kind_mode(terminals, *kind), &name, |window| window.rate * 60.0);
                (kind.name().to_owned(), json!(rate.median.round()))
            });
            let rates: serde_json::Map<_, _> = rates.collect();
            report.figures.insert(format!("{name}, {}: per minute", mode(terminals)), json!(rates));
        }
    }
}
