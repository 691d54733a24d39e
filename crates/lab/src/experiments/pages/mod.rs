//! Pages: what a blog, a shop and an office's administration ask their database for each page, on
//! Rowhouse and on MariaDB's InnoDB, side by side; and single statements, each for itself.
//!
//! ```text
//! for each site: both are filled with the same rows
//!   for each page: the same visits on both, rows compared; then, in turn, windows of visits over
//!   one connection, as text, each statement timed; a page costs the sum of its statements' medians
//! ```
//! Asked of a page: at most MariaDB's sum / 1.3, of a single statement / 1.5. A row that differs or
//! a statement that is refused fails the run; figures name the statement that compares worst, with
//! Rowhouse's EXPLAIN of it.

mod blog;
mod office;
mod shop;
mod single;
mod site;
mod view;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use self::site::Site;
use self::view::{Page, PageVisits, StatementAnswer, View};
use super::dice::Dice;
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, MariaDb, MariaDbSettings, Rowhouse};
use crate::plot::Drawing;
use crate::process;
use crate::protocols::mysql::{MysqlSession, TextRow};
use crate::report::{Layout, Measurement, Report};
use crate::spread::Spread;

const ROWHOUSE: &str = "rowhouse";
const MARIADB: &str = "mariadb innodb";
const SITES: [Site; 4] = [single::SINGLE, blog::BLOG, shop::SHOP, office::OFFICE];
/// Differences that are told of each page.
const TOLD_MAX: usize = 3;

/// Options of `pages`.
#[derive(Debug, Clone, Args)]
pub struct PagesOptions {
    #[command(flatten)]
    common: Common,
    /// Size of the sites in percent: 100 is 4,000 posts, 5,000 products, 2,000 users.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
    size: i64,
    /// Visits of each page whose rows are compared.
    #[arg(long, default_value_t = 20)]
    compared: u64,
    /// Only pages whose name contains one of these, such as `blog` or `shop: product`.
    #[arg(long)]
    page: Vec<String>,
    /// MariaDB's buffer pool in MiB.
    #[arg(long, default_value_t = 1024)]
    buffer_pool_mib: u32,
}

impl PagesOptions {
    fn wants_page(&self, page: &Page) -> bool {
        self.page.is_empty() || self.page.iter().any(|part| page.name.contains(part.as_str()))
    }
}

/// A server, and a session for the site at hand.
struct PagesContender {
    name: &'static str,
    server: PagesPeer,
}

enum PagesPeer {
    Rowhouse(Rowhouse),
    MariaDb(MariaDb),
}

impl PagesContender {
    fn session(&self, site: &Site) -> Result<MysqlSession> {
        let mut session = match &self.server {
            PagesPeer::Rowhouse(peer) => peer.session(site.name)?,
            PagesPeer::MariaDb(peer) => peer.session(site.name)?,
        };
        session.execute(site.hello)?;
        Ok(session)
    }

    fn load(&self, site: &Site, seed: u64, size: i64) -> Result<()> {
        let mut session = match &self.server {
            PagesPeer::Rowhouse(peer) => peer.session("")?,
            PagesPeer::MariaDb(peer) => peer.session("")?,
        };
        site.load(&mut session, seed, size).with_context(|| format!("filling {}", site.name))
    }

    fn pid(&self) -> u32 {
        match &self.server {
            PagesPeer::Rowhouse(peer) => peer.server.pid(),
            PagesPeer::MariaDb(peer) => peer.server.pid(),
        }
    }
}

/// What was seen of one page, by contender and round.
type PageWindows = BTreeMap<(&'static str, usize), PageVisits>;

/// Runs the experiment.
pub fn run(options: &PagesOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("pages");
    common.note(&mut report);
    report.setting("size of the sites in percent", options.size);
    report.setting("statements", "text, one connection");
    let mut contenders = Vec::new();
    for name in [ROWHOUSE, MARIADB] {
        if common.wants(name) {
            let contender = start(name, options, &mut report);
            contenders.extend(report.keep(name, contender));
        }
    }
    for site in &SITES {
        if !site.pages.iter().any(|page| options.wants_page(page)) {
            continue;
        }
        let mut there = Vec::new();
        for contender in &contenders {
            progress(&format!("filling {} of {}", site.name, contender.name));
            let loaded = contender.load(site, common.seed, options.size);
            let session = loaded.and_then(|()| contender.session(site));
            let label = format!("{}, {}", contender.name, site.name);
            there.extend(report.keep(&label, session).map(|session| (contender, session)));
        }
        for (number, page) in (0..).zip(site.pages) {
            if options.wants_page(page) {
                let shown = one_page(page, number, &mut there, options, &mut report);
                report.keep(page.name, shown);
            }
        }
    }
    report.compare(&[(ROWHOUSE, MARIADB)]);
    let drawing = Drawing::bars(&report, "server CPU us per page", |window| window.server_us);
    common.finish(&report, Layout::Requests, &drawing)
}

fn start(
    name: &'static str,
    options: &PagesOptions,
    report: &mut Report,
) -> Result<PagesContender> {
    let (server, version) = if name == ROWHOUSE {
        let peer = Rowhouse::start(&options.common.rowhouse(Durability::EverySecond)?)?;
        let version = peer.version.clone();
        (PagesPeer::Rowhouse(peer), version)
    } else {
        let peer = MariaDb::start(MariaDbSettings {
            buffer_pool_mib: options.buffer_pool_mib,
            flush_log: 2,
            handlersocket_threads: 1,
        })?;
        let version = peer.version.clone();
        (PagesPeer::MariaDb(peer), version)
    };
    report.versions.insert(name.to_owned(), version);
    Ok(PagesContender { name, server })
}

fn one_page(
    page: &Page,
    number: u64,
    there: &mut [(&PagesContender, MysqlSession)],
    options: &PagesOptions,
    report: &mut Report,
) -> Result<()> {
    let common = &options.common;
    let differences = compare(page, number, there, options)?;
    let mut windows = PageWindows::new();
    for round in 0..common.rounds {
        for (contender, session) in there.iter_mut() {
            let visits = Visits { page, number, round, common };
            let (mut sample, seen) = visits.window(session, contender.pid())?;
            if let Some(told) = seen.refused.first() {
                sample.note_bad("refused", told.as_bytes());
            }
            if let (ROWHOUSE, 0, Some(told)) = (contender.name, round, differences.first()) {
                sample.wrong += differences.len() as u64;
                sample.note_bad("differs", told.as_bytes());
            }
            let measured = Measurement::new(page.name, contender.name, round, 1, &sample);
            let (name, p50) = (contender.name, measured.p50_us);
            progress(&format!("{name}, {}, round {round}: {p50:.0} us", page.name));
            report.measurements.push(measured);
            windows.insert((contender.name, round), seen);
        }
    }
    if !differences.is_empty() {
        let shown = &differences[..differences.len().min(TOLD_MAX)];
        report.figures.insert(format!("{}: differences", page.name), json!(shown));
    }
    let ours = there.iter_mut().find(|(contender, _)| contender.name == ROWHOUSE);
    note(page, &windows, common.rounds, ours.map(|(_, session)| session), report)
}

/// The same visits on both servers. Gives each statement whose rows differ, once.
fn compare(
    page: &Page,
    number: u64,
    there: &mut [(&PagesContender, MysqlSession)],
    options: &PagesOptions,
) -> Result<Vec<String>> {
    let mut differences: BTreeMap<&str, String> = BTreeMap::new();
    for visit in 0..options.compared {
        let mut answers: Vec<Vec<StatementAnswer>> = Vec::new();
        for (_, session) in there.iter_mut() {
            let mut seen = PageVisits { answers: Some(Vec::new()), ..PageVisits::default() };
            let mut dice = Dice::new(options.common.seed, &[number, visit]);
            (page.visit)(&mut View::new(session, &mut seen), &mut dice)?;
            answers.push(seen.answers.unwrap_or_default());
        }
        let [ours, theirs] = &answers[..] else { continue };
        let differs = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs);
        if let Some((ours, theirs)) = differs {
            let (sql, ours_rows, theirs_rows) = (&ours.sql, &ours.rows, &theirs.rows);
            let at = ours_rows.iter().zip(theirs_rows).position(|(ours, theirs)| ours != theirs);
            let at = at.unwrap_or(ours_rows.len().min(theirs_rows.len()));
            let told = format!(
                "{}: {} rows here, {} there; row {at} is {}, there {}; {sql}",
                ours.name,
                ours_rows.len(),
                theirs_rows.len(),
                shown(ours_rows.get(at)),
                shown(theirs_rows.get(at)),
            );
            differences.entry(ours.name).or_insert(told);
        }
    }
    Ok(differences.into_values().collect())
}

fn shown(row: Option<&TextRow>) -> String {
    const VALUE_BYTES_MAX: usize = 40;
    let Some(row) = row else { return "missing".to_owned() };
    let values = row.iter().map(|value| match value {
        Some(bytes) => bytes[..bytes.len().min(VALUE_BYTES_MAX)].escape_ascii().to_string(),
        None => "NULL".to_owned(),
    });
    format!("({})", values.collect::<Vec<_>>().join(", "))
}

/// One window of visits.
struct Visits<'a> {
    page: &'a Page,
    number: u64,
    round: usize,
    common: &'a Common,
}

impl Visits<'_> {
    fn window(&self, session: &mut MysqlSession, server: u32) -> Result<(Sample, PageVisits)> {
        let common = self.common;
        let warm = Duration::from_secs_f64(common.warm.unwrap_or(common.seconds / 3.0));
        let mut visit = 0;
        let began = Instant::now();
        let mut unseen = PageVisits::default();
        // A window has at least one visit, and so has the warm-up, however short they are.
        while visit == 0 || began.elapsed() < warm {
            self.visit(session, &mut unseen, visit)?;
            visit += 1;
        }
        let spent = || {
            let of = |pid| process::cpu_seconds(pid).unwrap_or(0.0);
            (of(server), of(std::process::id()), process::machine_cpu_seconds().unwrap_or(0.0))
        };
        let (mut sample, mut seen) = (Sample::new(), PageVisits::default());
        let (before, began) = (spent(), Instant::now());
        let window = Duration::from_secs_f64(common.seconds);
        while sample.requests == 0 || began.elapsed() < window {
            let visit_began = Instant::now();
            self.visit(session, &mut seen, visit)?;
            visit += 1;
            let took = visit_began.elapsed();
            sample.pause.length = sample.pause.length.max(took);
            sample.count(took.as_nanos() as u64, 1);
        }
        let after = spent();
        sample.seconds = began.elapsed().as_secs_f64();
        sample.server_cpu = after.0 - before.0;
        sample.client_cpu = after.1 - before.1;
        let all = after.2 - before.2;
        sample.others_cpu = (all - sample.server_cpu - sample.client_cpu).max(0.0);
        sample.server_rss = process::rss_peak(server).unwrap_or(0);
        sample.refused = seen.refusals;
        Ok((sample, seen))
    }

    fn visit(&self, session: &mut MysqlSession, seen: &mut PageVisits, visit: u64) -> Result<()> {
        let mut dice = Dice::new(self.common.seed, &[self.number, self.round as u64, visit]);
        (self.page.visit)(&mut View::new(session, seen), &mut dice)
    }
}

/// Notes what a page costs, statement by statement.
fn note(
    page: &Page,
    windows: &PageWindows,
    rounds: usize,
    ours: Option<&mut MysqlSession>,
    report: &mut Report,
) -> Result<()> {
    let sum = |name: &'static str, round: usize| -> Option<f64> {
        Some(tenths(windows.get(&(name, round))?.sum()))
    };
    let sums = |name| Spread::of((0..rounds).filter_map(|round| sum(name, round)));
    let faster = |round| Some(hundredths(sum(MARIADB, round)? / sum(ROWHOUSE, round)?));
    let figures = json!({
        ROWHOUSE: sums(ROWHOUSE),
        MARIADB: sums(MARIADB),
        "times faster": Spread::of((0..rounds).filter_map(faster)),
    });
    report.figures.insert(format!("{}: sum of medians in us", page.name), figures);
    let Some(first) = windows.get(&(ROWHOUSE, 0)) else { return Ok(()) };
    let mut statements = serde_json::Map::new();
    let mut worst: Option<(f64, &str, &str)> = None;
    for (number, asked) in (1..).zip(&first.asked) {
        let of = |name| {
            let of_round = |round| windows.get(&(name, round))?.median(asked);
            Spread::of((0..rounds).filter_map(of_round)).median
        };
        let (ours, theirs) = (of(ROWHOUSE), of(MARIADB));
        let faster = theirs / ours;
        let shown = json!([tenths(ours), tenths(theirs), hundredths(faster)]);
        statements.insert(format!("{number:02} {}", asked.name), shown);
        if theirs > 0.0 && worst.is_none_or(|(so_far, ..)| faster < so_far) {
            worst = Some((faster, asked.name, &asked.sql));
        }
    }
    let name = format!("{}: statements in us, ours, MariaDB's, times faster", page.name);
    report.figures.insert(name, Value::Object(statements));
    if let (Some((_, statement, sql)), Some(session)) = (worst, ours) {
        let explained = session.query(&format!("EXPLAIN {sql}"))?;
        let line = |row: &TextRow| {
            let values = row.iter().flatten().map(|value| String::from_utf8_lossy(value));
            values.collect::<Vec<_>>().join(" ")
        };
        let explained: Vec<String> = explained.iter().map(line).collect();
        let figures = json!({ "statement": statement, "sql": sql, "explain": explained });
        report.figures.insert(format!("{}: worst against MariaDB", page.name), figures);
    }
    Ok(())
}

fn tenths(of: f64) -> f64 {
    (of * 10.0).round() / 10.0
}

fn hundredths(of: f64) -> f64 {
    (of * 100.0).round() / 100.0
}
