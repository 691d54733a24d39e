//! Results: what was measured in each round, tables for people, JSON for keeping.
//!
//! Ratios are of medians; their spread is of the ratios round by round, since rounds take turns and
//! so share the machine's mood.

mod print;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::generator::Sample;
use crate::machine::Machine;
use crate::spread::Spread;
pub use print::thousands;

/// One window of one contender. Of a stored one, a figure that it lacks is 0.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    /// What was asked, such as `one in flight`.
    pub mode: String,
    /// The contender that answered.
    pub contender: String,
    /// Round, from 0.
    pub round: usize,
    /// Connections.
    pub connections: usize,
    /// Length of the window in seconds.
    pub seconds: f64,
    /// Requests completed in it.
    pub requests: u64,
    /// Requests per second.
    pub rate: f64,
    /// Rows (keys) per second.
    pub rows_rate: f64,
    /// Server CPU time per request, in microseconds.
    pub server_us: f64,
    /// Requests per second of server CPU time.
    pub per_cpu_second: f64,
    /// Client CPU time per request, in microseconds.
    pub client_us: f64,
    /// Latency in microseconds.
    pub p50_us: f64,
    /// Latency in microseconds.
    pub p99_us: f64,
    /// Latency in microseconds.
    pub p999_us: f64,
    /// Latency in microseconds.
    pub max_us: f64,
    /// The longest time in which nothing was completed, in microseconds.
    pub pause_us: f64,
    /// For how much of it the client itself got no core, in microseconds.
    pub pause_client_us: f64,
    /// Part of the machine's CPU time that others took, neither server nor client, 0..=1.
    pub others: f64,
    /// Part of the window in which some thread of the machine waited for a disk, 0..=1.
    pub disk_waited: f64,
    /// KiB that the server read from disks, per request.
    pub disk_read_kib: f64,
    /// KiB that the server wrote to disks, per request.
    pub disk_written_kib: f64,
    /// Peak resident memory of the server in MiB.
    pub server_mib: f64,
    /// Replies with wrong contents.
    pub wrong: u64,
    /// Error replies.
    pub refused: u64,
    /// Connections lost.
    pub broken: u64,
    /// The first bad reply.
    pub first_bad: Option<String>,
}

impl Measurement {
    /// Puts a sample into figures.
    pub fn new(
        mode: &str,
        contender: &str,
        round: usize,
        connections: usize,
        sample: &Sample,
    ) -> Measurement {
        let requests = sample.requests.max(1) as f64;
        Measurement {
            mode: mode.to_owned(),
            contender: contender.to_owned(),
            round,
            connections,
            seconds: sample.seconds,
            requests: sample.requests,
            rate: sample.rate(),
            rows_rate: sample.rows as f64 / sample.seconds.max(1e-9),
            server_us: sample.server_cpu / requests * 1e6,
            // A window too short for the kernel's clock ticks has no such figure.
            per_cpu_second: if sample.server_cpu > 0.0 {
                sample.requests as f64 / sample.server_cpu
            } else {
                0.0
            },
            client_us: sample.client_cpu / requests * 1e6,
            p50_us: sample.latency_us(0.5),
            p99_us: sample.latency_us(0.99),
            p999_us: sample.latency_us(0.999),
            max_us: sample.latency_us(1.0),
            pause_us: sample.pause.length.as_secs_f64() * 1e6,
            pause_client_us: sample.pause.client.as_secs_f64() * 1e6,
            // Clock ticks are coarse: a window may seem to have more CPU time than there was.
            others: (sample.others_cpu / (sample.seconds * cores()).max(1e-9)).min(1.0),
            disk_waited: (sample.disk_waited / sample.seconds.max(1e-9)).min(1.0),
            disk_read_kib: sample.disk_read as f64 / 1024.0 / requests,
            disk_written_kib: sample.disk_written as f64 / 1024.0 / requests,
            server_mib: sample.server_rss as f64 / f64::from(1 << 20),
            wrong: sample.wrong,
            refused: sample.refused,
            broken: sample.broken,
            first_bad: sample.first_bad.clone(),
        }
    }

    /// A figure per request as one per row.
    fn per_row(&self, per_request: f64) -> f64 {
        per_request * self.rate / self.rows_rate.max(1e-9)
    }

    /// Rows per second of server CPU time.
    fn rows_per_cpu_second(&self) -> f64 {
        self.per_cpu_second * self.rows_rate / self.rate.max(1e-9)
    }

    fn bad(&self) -> u64 {
        self.wrong + self.refused + self.broken
    }
}

/// One contender's figure set over one other's, in one mode.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ratio {
    /// What was asked.
    pub mode: String,
    /// The one above the line.
    pub ours: String,
    /// The one below.
    pub peer: String,
    /// Requests per second.
    pub throughput: Spread,
    /// Requests per second of server CPU time.
    pub per_cpu_second: Spread,
    /// 99th percentile of latency (smaller is better).
    pub p99: Spread,
}

/// Which columns a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Requests with their latencies.
    Requests,
    /// Rows with memory.
    Rows,
}

/// Everything one run found out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The experiment's name.
    pub experiment: String,
    /// Machine, commit, moment.
    pub machine: Machine,
    /// Versions of all that ran.
    pub versions: BTreeMap<String, String>,
    /// Settings that decide the result: durability, threads, memory, rows, seconds.
    pub settings: BTreeMap<String, String>,
    /// What could not run, and why.
    pub not_run: BTreeMap<String, String>,
    /// Every window.
    pub measurements: Vec<Measurement>,
    /// Ratios of the medians.
    pub ratios: Vec<Ratio>,
    /// Figures of this experiment that are not windows of load.
    pub figures: BTreeMap<String, serde_json::Value>,
    /// Second by second, where that is what the experiment is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<serde_json::Value>,
}

impl Report {
    /// An empty report of an experiment that starts now.
    pub fn new(experiment: &str) -> Report {
        Report {
            experiment: experiment.to_owned(),
            machine: Machine::look(),
            versions: BTreeMap::new(),
            settings: BTreeMap::new(),
            not_run: BTreeMap::new(),
            measurements: Vec::new(),
            ratios: Vec::new(),
            figures: BTreeMap::new(),
            seconds: Vec::new(),
        }
    }

    /// Notes a setting.
    pub fn setting(&mut self, name: &str, value: impl ToString) {
        self.settings.insert(name.to_owned(), value.to_string());
    }

    /// Keeps the value, or notes why there is none.
    pub fn keep<T>(&mut self, name: &str, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.not_run.insert(name.to_owned(), format!("{error:#}"));
                None
            }
        }
    }

    /// Modes in the order they were first measured.
    pub fn modes(&self) -> Vec<String> {
        in_order(self.measurements.iter().map(|measurement| &measurement.mode))
    }

    /// Contenders of a mode in the order they were first measured.
    pub fn contenders(&self, mode: &str) -> Vec<String> {
        let of_mode = self.measurements.iter().filter(|measurement| measurement.mode == mode);
        in_order(of_mode.map(|measurement| &measurement.contender))
    }

    /// A figure of one contender over the rounds.
    pub fn spread(
        &self,
        mode: &str,
        contender: &str,
        figure: impl Fn(&Measurement) -> f64,
    ) -> Spread {
        Spread::of(self.windows(mode, contender).map(figure))
    }

    fn windows<'a>(
        &'a self,
        mode: &'a str,
        contender: &'a str,
    ) -> impl Iterator<Item = &'a Measurement> {
        self.measurements.iter().filter(move |measurement| {
            measurement.mode == mode && measurement.contender == contender
        })
    }

    /// Adds the ratios of these pairs in every mode that measured both.
    pub fn compare(&mut self, pairs: &[(&str, &str)]) {
        let mut ratios = Vec::new();
        for mode in self.modes() {
            let there = self.contenders(&mode);
            for (ours, peer) in pairs {
                if [ours, peer].iter().all(|name| there.iter().any(|is| is == **name)) {
                    let ratio =
                        |figure: fn(&Measurement) -> f64| self.ratio(&mode, ours, peer, figure);
                    ratios.push(Ratio {
                        mode: mode.clone(),
                        ours: (*ours).to_owned(),
                        peer: (*peer).to_owned(),
                        throughput: ratio(|window| window.rate),
                        per_cpu_second: ratio(|window| window.per_cpu_second),
                        p99: ratio(|window| window.p99_us),
                    });
                }
            }
        }
        self.ratios.extend(ratios);
    }

    fn ratio(&self, mode: &str, ours: &str, peer: &str, figure: fn(&Measurement) -> f64) -> Spread {
        let ours_peer = self.windows(mode, ours).zip(self.windows(mode, peer));
        let rounds = ours_peer.map(|(ours, peer)| figure(ours) / figure(peer));
        let spread = Spread::of(rounds.filter(|ratio| ratio.is_finite()));
        let medians =
            self.spread(mode, ours, figure).median / self.spread(mode, peer, figure).median;
        Spread { median: if medians.is_finite() { medians } else { 0.0 }, ..spread }
    }

    /// Bad replies of all windows together.
    pub fn bad(&self) -> u64 {
        self.measurements.iter().map(Measurement::bad).sum()
    }

    /// Keeps the report as JSON in a directory; gives the file's name without its ending.
    pub fn save(&self, directory: &Path) -> Result<String> {
        fs::create_dir_all(directory)?;
        let moment: String =
            self.machine.started.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = format!("{}-{moment}", self.experiment);
        let file = directory.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(self)?;
        fs::write(&file, text + "\n").with_context(|| file.display().to_string())?;
        Ok(name)
    }
}

fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1, usize::from) as f64
}

fn in_order<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if !seen.contains(name) {
            seen.push(name.clone());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::new("test");
        for (contender, rates) in [("ours", [200u64, 300]), ("peer", [100, 100])] {
            for (round, rate) in rates.into_iter().enumerate() {
                let mut sample = Sample::new();
                (sample.requests, sample.seconds, sample.server_cpu) = (rate, 1.0, 0.5);
                report.measurements.push(Measurement::new("m", contender, round, 1, &sample));
            }
        }
        report
    }

    #[test]
    fn ratios_are_of_medians_and_their_spread_is_over_rounds() {
        let mut report = report();
        report.compare(&[("ours", "peer"), ("ours", "absent")]);
        let [ratio] = &report.ratios[..] else { panic!("one pair was measured") };
        assert_eq!(ratio.throughput, Spread { median: 2.5, min: 2.0, max: 3.0 });
        assert_eq!(ratio.per_cpu_second, Spread { median: 2.5, min: 2.0, max: 3.0 });
    }

    #[test]
    fn a_row_has_its_part_of_a_request_that_has_many() {
        let mut sample = Sample::new();
        (sample.requests, sample.rows, sample.seconds) = (10, 1_000, 2.0);
        (sample.server_cpu, sample.disk_written) = (0.5, 250 * 1024);
        let measurement = Measurement::new("m", "ours", 0, 1, &sample);
        assert_eq!(measurement.per_row(measurement.disk_written_kib), 0.25);
        assert_eq!(measurement.per_row(measurement.server_us), 500.0);
        assert_eq!(measurement.rows_per_cpu_second(), 2_000.0);
    }

    #[test]
    fn a_report_is_printed_and_saved() {
        let mut report = report();
        report.compare(&[("ours", "peer")]);
        report.keep::<()>("absent peer", Err(anyhow::anyhow!("not installed")));
        let mut text = Vec::new();
        report.print(Layout::Requests, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("2.50x (2.00..3.00)"), "{text}");
        assert!(text.contains("not run: absent peer: not installed"), "{text}");
        let dir = tempfile::tempdir().unwrap();
        let name = report.save(dir.path()).unwrap();
        let json = fs::read(dir.path().join(name + ".json")).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["measurements"].as_array().unwrap().len(), 4);
    }
}
