//! More writers: inserts by 1 to 128 connections. More of them must never be slower.

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::fleet::*;
use super::writing::{WriteKind, WriteLedger, one_window};
use super::{Common, progress};
use crate::peers::Durability;
use crate::plot::Drawing;
use crate::report::{Layout, Report};
use crate::users::Users;

/// Options of `writers`.
#[derive(Debug, Clone, Args)]
pub struct WritersOptions {
    #[command(flatten)]
    common: Common,
    /// Rows loaded before.
    #[arg(long, default_value_t = 100_000)]
    rows: u32,
    /// Numbers of connections.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64,128")]
    connections: Vec<usize>,
    /// Durability: rowhouse's policy, or what comes nearest elsewhere.
    #[arg(long, default_value = "every-second")]
    durability: Durability,
}

/// Runs the experiment.
pub fn run(options: &WritersOptions) -> Result<()> {
    let common = &options.common;
    let users = Users { seed: common.seed, rows: options.rows };
    let mut report = Report::new("writers");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("durability", options.durability.name());
    report.setting("memcached", "not durable");
    report.setting("innodb flush_log", options.durability.flush_log());
    let settings = FleetSettings::new(Some(options.durability), users);
    let fleet = Fleet::start(common, &settings, &mut report);
    let targets = fleet.writers();
    let mut ledgers = WriteLedger::for_all(users, targets.len());
    for round in 0..common.rounds {
        for &connections in &options.connections {
            let mode = mode(connections);
            for (target, ledger) in targets.iter().zip(&mut ledgers) {
                let label = format!("{}, {mode}", target.name);
                if !common.wants(target.name) || report.not_run.contains_key(&label) {
                    continue;
                }
                let window = one_window(
                    target,
                    ledger,
                    &mode,
                    WriteKind::Insert,
                    connections,
                    round,
                    common,
                );
                if let Some(measurement) = report.keep(&label, window) {
                    progress(&format!("{label}, round {round}: {:.0}/s", measurement.rate));
                    report.measurements.push(measurement);
                }
            }
        }
    }
    let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
    let series = series(&report, &names, &options.connections);
    for (name, points) in &series {
        let (lowest, over_one) = dip(points);
        let figures = json!({ "lowest over best of fewer": lowest, "best over one": over_one });
        report.figures.insert(format!("{name}, 8 connections and more"), figures);
    }
    let title = format!("inserts per second, {}", options.durability.name());
    let drawing = Drawing::lines(&title, "connections", "inserts per second", series);
    common.finish(&report, Layout::Requests, &drawing)
}

fn mode(connections: usize) -> String {
    format!("inserts, {connections} connections")
}

fn series(
    report: &Report,
    names: &[&str],
    connections: &[usize],
) -> Vec<(String, Vec<(f64, f64)>)> {
    let points = |name: &str| -> Vec<(f64, f64)> {
        let rate = |count: usize| report.spread(&mode(count), name, |window| window.rate).median;
        let points = connections.iter().map(|count| (*count as f64, rate(*count)));
        points.filter(|point| point.1 > 0.0).collect()
    };
    let all = names.iter().map(|name| ((*name).to_owned(), points(name)));
    all.filter(|(_, points)| !points.is_empty()).collect()
}

/// From 8 connections on: the lowest rate over the best with fewer connections, and the best rate
/// over that of a single connection.
fn dip(points: &[(f64, f64)]) -> (f64, f64) {
    let (mut best, mut lowest) = (0.0f64, f64::INFINITY);
    for (count, rate) in points {
        if *count >= 8.0 && best > 0.0 {
            lowest = lowest.min(rate / best);
        }
        best = best.max(*rate);
    }
    let one = points.first().map_or(f64::NAN, |point| point.1);
    let round = |value: f64| (value * 100.0).round() / 100.0;
    (round(lowest), round(best / one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dip_is_the_fall_below_the_best_with_fewer_connections() {
        let rising = [(1.0, 10.0), (8.0, 20.0), (16.0, 30.0)];
        assert_eq!(dip(&rising), (1.5, 3.0));
        let falling = [(1.0, 10.0), (8.0, 40.0), (16.0, 30.0)];
        assert_eq!(dip(&falling), (0.75, 4.0));
    }
}
