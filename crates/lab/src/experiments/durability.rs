//! The price of safety: updates and inserts by 64 connections under each durability policy.
//!
//! Every policy has fresh servers, each set to what comes nearest: rowhouse's policy, Redis's
//! appendfsync, InnoDB's flush_log. memcached keeps nothing under any of them. Tokyo Cabinet is a
//! library, so it shows what one writer without a network can do.

use anyhow::Result;
use clap::Args;

use super::fleet::*;
use super::writing::{WriteKind, WriteLedger, one_window};
use super::{Common, progress};
use crate::peers::{Durability, TOKYO_CABINET, TokyoCabinet};
use crate::plot::Drawing;
use crate::report::{Layout, Measurement, Report};
use crate::users::Users;

const POLICIES: [Durability; 3] =
    [Durability::EveryCommit, Durability::EverySecond, Durability::Os];

/// Whose ratio is of interest.
const PAIRS: &[(&str, &str)] = &[
    (ROWHOUSE_MEMCACHED, REDIS),
    (ROWHOUSE_MEMCACHED, MEMCACHED),
    (ROWHOUSE_MEMCACHED, MARIADB_HANDLERSOCKET),
    (ROWHOUSE_MEMCACHED, MARIADB_TEXT),
    (ROWHOUSE_HANDLERSOCKET, MARIADB_HANDLERSOCKET),
    (ROWHOUSE_HANDLERSOCKET, REDIS),
    (ROWHOUSE_TEXT, MARIADB_TEXT),
    (ROWHOUSE_MEMCACHED, TOKYO_CABINET),
];

/// Options of `durability`.
#[derive(Debug, Clone, Args)]
pub struct DurabilityOptions {
    #[command(flatten)]
    common: Common,
    /// Rows loaded before.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Only these policies.
    #[arg(long)]
    policy: Vec<Durability>,
}

/// Runs the experiment.
pub fn run(options: &DurabilityOptions) -> Result<()> {
    let common = &options.common;
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("durability");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("connections", options.connections);
    report.setting("every-commit", "rowhouse every-commit; redis always; innodb flush_log=1");
    report.setting("every-second", "rowhouse every-second; redis everysec; innodb flush_log=2");
    report.setting("os", "rowhouse os; redis appendfsync no; innodb flush_log=0");
    report.setting("memcached", "not durable under any policy");
    report.setting(TOKYO_CABINET, "one thread; a sync after each write, each second, or none");
    let library = match common.wants(TOKYO_CABINET) {
        true => report.keep(TOKYO_CABINET, TokyoCabinet::compile()),
        false => None,
    };
    for policy in POLICIES {
        if options.policy.is_empty() || options.policy.contains(&policy) {
            one_policy(options, policy, users, library.as_ref(), &mut report);
        }
    }
    report.compare(PAIRS);
    let drawing = Drawing::bars(&report, "requests per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

fn one_policy(
    options: &DurabilityOptions,
    policy: Durability,
    users: Users,
    library: Option<&TokyoCabinet>,
    report: &mut Report,
) {
    let common = &options.common;
    let settings = FleetSettings::new(Some(policy), users);
    let fleet = Fleet::start(common, &settings, report);
    let targets = fleet.writers();
    let mut ledgers = WriteLedger::for_all(users, targets.len());
    for (kind, what) in [(WriteKind::Update, "update"), (WriteKind::Insert, "insert")] {
        let mode = format!("{what}, {}", policy.name());
        for round in 0..common.rounds {
            if let Some(library) = library {
                let plan = common.plan(1, Vec::new());
                let window = library.window(users.rows, plan.warm, plan.measure, what, policy);
                let label = format!("{TOKYO_CABINET}, {mode}");
                if let Some(sample) = report.keep(&label, window) {
                    let measurement = Measurement::new(&mode, TOKYO_CABINET, round, 1, &sample);
                    progress(&format!("{label}, round {round}: {:.0}/s", measurement.rate));
                    report.measurements.push(measurement);
                }
            }
            for (target, ledger) in targets.iter().zip(&mut ledgers) {
                let label = format!("{}, {mode}", target.name);
                if !common.wants(target.name) || report.not_run.contains_key(&label) {
                    continue;
                }
                let connections = options.connections;
                let window = one_window(target, ledger, &mode, kind, connections, round, common);
                if let Some(measurement) = report.keep(&label, window) {
                    progress(&format!("{label}, round {round}: {:.0}/s", measurement.rate));
                    report.measurements.push(measurement);
                }
            }
        }
    }
}
