//! What the page says, before it is Markdown or HTML.

use serde_json::Value;

use super::documents::{DocumentedExperiment, EXPERIMENTS};
use super::stored::StoredResult;
use crate::report::{Measurement, Ratio, Report, thousands};

/// A figure's text that is longer stays in its file.
const FIGURE_CHARS_MAX: usize = 160;

/// A table: its head, and rows of as many cells.
pub struct PageTable {
    /// Names of the columns.
    pub head: Vec<&'static str>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

/// The whole page.
pub struct MeasuredPage {
    /// All ratios below 1, the worst first.
    pub losses: PageTable,
    /// Each experiment.
    pub experiments: Vec<ExperimentPart>,
}

/// One experiment.
pub struct ExperimentPart {
    /// What it is, and what the documents say.
    pub about: &'static DocumentedExperiment,
    /// Its stored results, newest first; none, where none is kept.
    pub results: Vec<ResultPart>,
}

/// One stored result.
pub struct ResultPart {
    /// The file's name without its ending.
    pub name: String,
    /// Facts of the run: what and where.
    pub facts: Vec<(&'static str, String)>,
    /// Ours beside the peers', losses first; of what has no peer, what was measured.
    pub table: PageTable,
    /// Further figures.
    pub figures: Vec<String>,
    /// What could not run, and why.
    pub not_run: Vec<String>,
    /// Names of drawings.
    pub drawings: Vec<String>,
}

impl MeasuredPage {
    /// The page of these results.
    pub fn of(results: &[StoredResult]) -> MeasuredPage {
        let mut losses: Vec<(&StoredResult, &Ratio)> = results
            .iter()
            .flat_map(|result| result.report.ratios.iter().map(move |ratio| (result, ratio)))
            .filter(|(_, ratio)| is_loss(ratio))
            .collect();
        losses.sort_by(|a, b| a.1.throughput.median.total_cmp(&b.1.throughput.median));
        let rows = losses.into_iter().map(|(result, ratio)| {
            let mut row = vec![result.report.experiment.clone()];
            row.extend(comparison(&result.report, ratio));
            row
        });
        let mut head = vec!["experiment"];
        head.extend(COMPARISON);
        let losses = PageTable { head, rows: rows.collect() };
        let part = |about: &'static DocumentedExperiment| {
            let of_it = results.iter().filter(|result| result.report.experiment == about.name);
            let results = of_it.rev().map(|result| ResultPart::of(result, about)).collect();
            ExperimentPart { about, results }
        };
        MeasuredPage { losses, experiments: EXPERIMENTS.iter().map(part).collect() }
    }
}

/// Whether it is ours against a peer, and the peer is ahead.
fn is_loss(ratio: &Ratio) -> bool {
    let is_ours = |name: &str| name.starts_with("rowhouse");
    let is_measured = ratio.throughput.median > 0.0;
    is_measured && ratio.throughput.median < 1.0 && is_ours(&ratio.ours) && !is_ours(&ratio.peer)
}

const COMPARISON: [&str; 7] =
    ["what", "ours", "per s", "peer", "per s", "ratio (rounds)", "per CPU s"];

fn comparison(report: &Report, ratio: &Ratio) -> Vec<String> {
    let rate = |contender: &str| {
        amount(report.spread(&ratio.mode, contender, |window| window.rate).median)
    };
    let spread = ratio.throughput;
    let per_cpu = ratio.per_cpu_second.median;
    vec![
        ratio.mode.clone(),
        ratio.ours.clone(),
        rate(&ratio.ours),
        ratio.peer.clone(),
        rate(&ratio.peer),
        if spread.min == spread.max {
            format!("{:.2}", spread.median)
        } else {
            format!("{:.2} ({:.2}..{:.2})", spread.median, spread.min, spread.max)
        },
        // A run too short for the kernel's clock ticks has no such figure.
        if per_cpu > 0.0 { format!("{per_cpu:.2}") } else { "-".to_owned() },
    ]
}

impl ResultPart {
    fn of(result: &StoredResult, about: &DocumentedExperiment) -> ResultPart {
        let report = &result.report;
        let machine = &report.machine;
        let mut facts = vec![
            ("started", machine.started.clone()),
            (
                "machine",
                format!("{}, {} cores, {} GiB", machine.cpu, machine.cores, machine.memory_gib),
            ),
            ("commit", machine.commit.clone()),
            ("durability", durability(report)),
        ];
        let versions = report.versions.iter().map(|(name, version)| match version.contains(name) {
            true => version.clone(),
            false => format!("{name} {version}"),
        });
        facts.push(("versions", versions.collect::<Vec<_>>().join("; ")));
        if result.is_provisional() {
            let load = result.load();
            facts.push(("provisional", format!("other work ran before it (load average {load})")));
        }
        let shown = report
            .figures
            .iter()
            .filter(|(name, _)| about.figures.iter().any(|part| name.contains(part)));
        ResultPart {
            name: result.name.clone(),
            facts,
            table: table(report),
            figures: shown.map(|(name, value)| format!("{name}: {}", figure(value))).collect(),
            not_run: report.not_run.iter().map(|(name, why)| format!("{name}: {why}")).collect(),
            drawings: result.drawings.clone(),
        }
    }
}

/// What the settings say about durability.
fn durability(report: &Report) -> String {
    let says = |name: &&String| {
        ["durability", "every-", "os", "memcached"].iter().any(|word| name.starts_with(word))
    };
    let settings = report.settings.iter().filter(|(name, _)| says(name));
    let said: Vec<String> = settings
        .map(|(name, value)| match name.as_str() {
            "durability" => value.clone(),
            _ => format!("{name}: {value}"),
        })
        .collect();
    if said.is_empty() { "the settings' default".to_owned() } else { said.join("; ") }
}

fn table(report: &Report) -> PageTable {
    if report.ratios.is_empty() {
        let rows = report.modes().into_iter().flat_map(|mode| {
            let contenders = report.contenders(&mode);
            contenders.into_iter().map(move |contender| {
                let of = |figure: fn(&Measurement) -> f64| {
                    report.spread(&mode, &contender, figure).median
                };
                let (rate, p99) = (of(|window| window.rate), of(|window| window.p99_us));
                vec![mode.clone(), contender.clone(), amount(rate), amount(p99)]
            })
        });
        return PageTable { head: vec!["what", "of", "per s", "p99 us"], rows: rows.collect() };
    }
    let mut ratios: Vec<&Ratio> = report.ratios.iter().collect();
    // Losses first; the others in the order of the experiment.
    ratios.sort_by(|a, b| {
        let place = |ratio: &Ratio| if is_loss(ratio) { ratio.throughput.median } else { 1.0 };
        place(a).total_cmp(&place(b))
    });
    let rows = ratios.into_iter().map(|ratio| comparison(report, ratio)).collect();
    PageTable { head: COMPARISON.to_vec(), rows }
}

/// A figure in a line; of what is longer, how much it is.
fn figure(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        _ if text.len() <= FIGURE_CHARS_MAX => text,
        Value::Array(entries) => format!("{} entries", entries.len()),
        _ => "see the file".to_owned(),
    }
}

/// An amount with at least two digits that count.
fn amount(value: f64) -> String {
    if value < 100.0 && value.fract() != 0.0 { format!("{value:.2}") } else { thousands(value) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::spread::Spread;

    fn result(ratios: &[(&str, &str, f64)]) -> StoredResult {
        let mut report = Report::new("lookup");
        report.machine.load_at_start = "2.50 1.00 1.00 1/82 6767".to_owned();
        report.not_run.insert("absent peer".to_owned(), "not installed".to_owned());
        for (ours, peer, median) in ratios {
            let spread = Spread { median: *median, min: *median, max: *median };
            report.ratios.push(Ratio {
                mode: "m".to_owned(),
                ours: (*ours).to_owned(),
                peer: (*peer).to_owned(),
                throughput: spread,
                per_cpu_second: spread,
                p99: spread,
            });
        }
        StoredResult { name: "lookup-1".to_owned(), report, drawings: Vec::new() }
    }

    #[test]
    fn losses_come_first_and_the_worst_before_them() {
        let results = [result(&[
            ("rowhouse", "memcached", 2.0),
            ("rowhouse", "redis", 0.9),
            ("rowhouse tyrant", "rowhouse", 0.5),
            ("mariadb", "memcached", 0.1),
            ("rowhouse", "echo", 0.2),
        ])];
        let page = MeasuredPage::of(&results);
        let peers: Vec<&str> = page.losses.rows.iter().map(|row| row[4].as_str()).collect();
        assert_eq!(peers, ["echo", "redis"]);
        let lookup = &page.experiments[0].results[0];
        let peers: Vec<&str> = lookup.table.rows.iter().map(|row| row[3].as_str()).collect();
        assert_eq!(peers, ["echo", "redis", "memcached", "rowhouse", "memcached"]);
        assert_eq!(lookup.not_run, ["absent peer: not installed"]);
        assert!(lookup.facts.iter().any(|(name, _)| *name == "provisional"));
        let text = super::super::markdown::text(&page);
        assert!(text.contains("absent peer: not installed"), "{text}");
        let html = super::super::html::text(&page, Path::new(".")).unwrap();
        assert!(html.contains("absent peer: not installed"), "{html}");
    }

    #[test]
    fn every_experiment_of_the_lab_is_on_the_page() {
        let commands = <crate::Arguments as clap::CommandFactory>::command();
        let commands: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
        for command in commands {
            let is_measured = !matches!(command, "echo-server" | "report" | "help");
            let is_there = EXPERIMENTS.iter().any(|experiment| experiment.name == command);
            assert_eq!(is_there, is_measured, "{command}");
        }
    }
}
