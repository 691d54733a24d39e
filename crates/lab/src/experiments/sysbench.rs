//! sysbench: every OLTP script of the program that people try first, on Rowhouse and on MariaDB's
//! InnoDB in turn, under the same durability.
//!
//! ```text
//! for each script: tables are made again on both
//!   for each number of threads, for each round: both in turn, so many seconds
//! ```
//! A request is one of sysbench's transactions; its times are those of sysbench's own histogram.
//! Figures tell the slowest second next to the median one, without the first: a rate that collapses
//! does not show in a mean.
//!
//! Not here: installing sysbench (`scripts/install-peers`).

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;

use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, EngineServer, die_with_parent};
use crate::plot::Drawing;
use crate::process;
use crate::report::{Layout, Measurement, Report};
use crate::spread::Spread;

const ENGINES: [Engine; 2] = [Engine::Rowhouse, Engine::InnoDb];
pub(super) const DATABASE: &str = "sbtest";
/// Those that read come first: what writes leave behind is not theirs.
const SCRIPTS: [&str; 9] = [
    "oltp_point_select",
    "oltp_read_only",
    "select_random_ranges",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "oltp_insert",
    "oltp_delete",
];

/// Options of `sysbench`.
#[derive(Debug, Clone, Args)]
pub struct SysbenchOptions {
    #[command(flatten)]
    common: Common,
    /// Tables.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    tables: u32,
    /// Rows of each table.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,8,64")]
    threads: Vec<usize>,
    /// Only scripts whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    script: Vec<String>,
    /// Durability: rowhouse's policy, or what comes nearest in InnoDB.
    #[arg(long, default_value = "every-commit")]
    durability: Durability,
    /// Memory for each server's caches, in MiB.
    #[arg(long, default_value_t = 1024)]
    memory_mib: u32,
}

impl SysbenchOptions {
    fn sysbench_tables(&self) -> Tables {
        Tables { count: self.tables, rows: self.rows, seed: self.common.seed }
    }

    fn wants(&self, script: &str) -> bool {
        self.script.is_empty() || self.script.iter().any(|part| script.contains(part.as_str()))
    }
}

/// Runs the experiment.
pub fn run(options: &SysbenchOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("sysbench");
    common.note(&mut report);
    report.setting("tables", options.tables);
    report.setting("rows per table", options.rows);
    report.setting("caches in MiB", options.memory_mib);
    let (policy, flush_log) = (options.durability.name(), options.durability.flush_log());
    report.setting("durability", format!("rowhouse {policy}; innodb flush_log={flush_log}"));
    let program = version()?;
    report.versions.insert("sysbench".to_owned(), program);
    let (durability, memory_mib) = (options.durability, options.memory_mib);
    let servers = common.engines(&ENGINES, durability, memory_mib, &mut report);
    for script in SCRIPTS.iter().filter(|script| options.wants(script)) {
        let mut filled = Vec::new();
        for server in &servers {
            let label = format!("{}, {script}: tables", server.engine().name());
            filled.extend(
                report
                    .keep(&label, options.sysbench_tables().prepare(server, script))
                    .map(|()| server),
            );
        }
        for &threads in &options.threads {
            for round in 0..common.rounds {
                for server in &filled {
                    one_window(server, script, threads, round, options, &mut report);
                }
            }
        }
    }
    report.compare(&[(Engine::Rowhouse.name(), Engine::InnoDb.name())]);
    let drawing = Drawing::bars(&report, "transactions per second", |window| window.rate);
    common.finish(&report, Layout::Requests, &drawing)
}

pub(super) fn version() -> Result<String> {
    let output = Command::new("sysbench").arg("--version").output();
    let output = output.context("sysbench is not installed (scripts/install-peers installs it)")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Tables of sysbench.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables {
    pub count: u32,
    /// Of each.
    pub rows: u32,
    pub seed: u64,
}

impl Tables {
    /// sysbench on a server, as far as all its commands are alike.
    fn command(self, server: &EngineServer, script: &str) -> Result<Command> {
        let mut command = Command::new("sysbench");
        command.args([script, "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-user=root"]);
        command.arg(format!("--mysql-port={}", server.mysql_port()?));
        command.arg(format!("--mysql-db={DATABASE}"));
        command.arg(format!("--tables={}", self.count));
        command.arg(format!("--table-size={}", self.rows));
        command.arg(format!("--rand-seed={}", self.seed));
        Ok(command)
    }

    /// Makes them again.
    pub fn prepare(self, server: &EngineServer, script: &str) -> Result<()> {
        let mut session = server.session()?;
        session.execute(&format!("DROP DATABASE IF EXISTS {DATABASE}"))?;
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        let mut command = self.command(server, script)?;
        command.arg("prepare");
        output_of(command).map(drop)
    }

    /// Runs a script; what came of it, and the rate of each second but the first.
    pub fn run(
        self,
        server: &EngineServer,
        script: &str,
        threads: usize,
        seconds: f64,
    ) -> Result<(Sample, Vec<f64>)> {
        let mut command = self.command(server, script)?;
        command.arg(format!("--threads={threads}"));
        command.arg(format!("--time={}", seconds.ceil().max(1.0)));
        command.args(["--report-interval=1", "--histogram=on", "run"]);
        let client = || process::ended_children_cpu_seconds().unwrap_or(0.0);
        let before = process::cpu_seconds(server.pid()).context("the server is gone")?;
        let client_before = client();
        let printed = output_of(command)?;
        let mut sample = read(&printed)?;
        sample.server_cpu = process::cpu_seconds(server.pid()).unwrap_or(before) - before;
        sample.client_cpu = client() - client_before;
        sample.server_rss = process::rss_peak(server.pid()).unwrap_or(0);
        Ok((sample, rates(&printed)))
    }
}

/// Runs it to its end; what it printed.
fn output_of(command: Command) -> Result<String> {
    let mut command = die_with_parent(command);
    let output = command.stdin(Stdio::null()).output().context("sysbench")?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let fatal = printed.lines().chain(told.lines()).find(|line| line.contains("FATAL"));
        bail!("sysbench: {}", fatal.unwrap_or("ended with an error"));
    }
    Ok(printed)
}

/// One window, into the report.
fn one_window(
    server: &EngineServer,
    script: &str,
    threads: usize,
    round: usize,
    options: &SysbenchOptions,
    report: &mut Report,
) {
    let (name, mode) = (server.engine().name(), format!("{script}, {threads} threads"));
    let window = options.sysbench_tables().run(server, script, threads, options.common.seconds);
    let Some((sample, seconds)) = report.keep(&format!("{name}, {mode}"), window) else { return };
    let measured = Measurement::new(&mode, name, round, threads, &sample);
    let (rate, cpu, client) = (measured.rate, measured.server_us, measured.client_us);
    progress(&format!(
        "{name}, {mode}, round {round}: {rate:.0}/s, {cpu:.0} us server CPU, {client:.0} us client's"
    ));
    let seconds = Spread::of(seconds);
    if seconds.median > 0.0 {
        let figure = json!((seconds.min / seconds.median * 100.0).round() / 100.0);
        let name = format!("{name}, {mode}, round {round}: slowest second over median one");
        report.figures.insert(name, figure);
    }
    report.measurements.push(measured);
}

/// A number behind a word of sysbench's summary.
fn number_behind(printed: &str, word: &str) -> Option<f64> {
    let line = printed.lines().find_map(|line| line.trim().strip_prefix(word))?;
    let number = line.trim().trim_end_matches('s');
    number.split_ascii_whitespace().next()?.trim_end_matches('s').parse().ok()
}

/// Reads what sysbench prints at the end. Deadlocks and the like are tried again by it, and count
/// as nothing.
fn read(printed: &str) -> Result<Sample> {
    let mut sample = Sample::new();
    let transactions = number_behind(printed, "transactions:").context("no transactions")?;
    sample.requests = transactions as u64;
    sample.rows = sample.requests;
    sample.seconds = number_behind(printed, "total time:").context("no total time")?;
    for line in printed.lines() {
        // `  0.105 |******      1234`: milliseconds, a bar, how many.
        let Some((millis, rest)) = line.split_once(" |") else { continue };
        let count = rest.trim_start_matches('*').trim();
        let (Ok(millis), Ok(count)) = (millis.trim().parse::<f64>(), count.parse::<u64>()) else {
            continue;
        };
        sample.latency.saturating_record_n(((millis * 1e6) as u64).max(1), count);
    }
    ensure!(sample.requests == 0 || !sample.latency.is_empty(), "no histogram");
    Ok(sample)
}

/// The rate of each second that sysbench tells of, but for the first, in which it connects.
fn rates(printed: &str) -> Vec<f64> {
    let rate = |line: &str| line.split_once(" tps: ")?.1.split(' ').next()?.parse().ok();
    printed.lines().filter(|line| line.starts_with("[ ")).filter_map(rate).skip(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sysbench_prints_is_read() {
        let printed = "[ 1s ] thds: 8 tps: 90.00 qps: 1440.00 (r/w/o: 1/2/3) lat (ms,95%): 5.57\n\
            [ 2s ] thds: 8 tps: 100.50 qps: 1608.00 (r/w/o: 1/2/3) lat (ms,95%): 5.57\n\
            Latency histogram (values are in milliseconds)\n\
            \x20      value  ------------- distribution ------------- count\n\
            \x20      0.105 |*********                                7\n\
            \x20      2.000 |**                                       3\n\
            SQL statistics:\n    transactions:                        10     (95.25 per sec.)\n\
            General statistics:\n    total time:                          2.0049s\n";
        let sample = read(printed).unwrap();
        assert_eq!((sample.requests, sample.seconds), (10, 2.0049));
        assert_eq!(sample.latency.len(), 10);
        assert_eq!(sample.latency_us(0.5).round(), 105.0);
        assert_eq!(rates(printed), [100.5]);
        assert!(read("nothing").is_err());
    }
}
