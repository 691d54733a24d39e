//! The soak: does a sustained load of every kind keep its rate, does memory stay, and is nothing
//! left when the last client has gone?
//!
//! ```text
//! for each durability: a server, its rows
//!   for each phase (phases.rs): clients work, second by second (load, watch), beside them what
//!     else goes on (disturbances); then all leave, and must be gone; then every own row is read back
//! judged (judge), reported with every second, drawn over time; a failed check is exit code 1
//! ```
//! Not here: comparing with peers; what a request costs.

mod client;
mod disturbances;
mod judge;
mod left;
mod load;
mod phases;
mod rows;
mod values;
mod watch;

use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;

use self::client::{ClientDoor, Visitor};
use self::disturbances::{Occurrence, ServerPlace};
use self::judge::SecondLine;
use self::phases::{PHASES, Phase};
use self::values::SLOTS;
use self::watch::Watch;
use super::progress;
use crate::machine::raise_file_limit;
use crate::own_program;
use crate::peers::{Durability, Rowhouse, RowhouseSettings};
use crate::plot::{Drawing, Mark, Panel};
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};

/// Files that the lab and the server need besides connections.
const OTHER_FILES: u64 = 2_000;

/// Options of `soak`.
#[derive(Debug, Clone, Args)]
pub struct SoakOptions {
    /// The rowhouse program; without it, the one beside this program.
    #[arg(long)]
    rowhouse: Option<PathBuf>,
    /// Seconds of load, all phases of all durabilities together.
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// Only clients of these doors.
    #[arg(long, value_delimiter = ',')]
    doors: Vec<ClientDoor>,
    /// Durabilities, each with a server of its own.
    #[arg(long, value_delimiter = ',', default_values = ["every-commit", "every-second", "os"])]
    durability: Vec<Durability>,
    /// Only phases whose name contains one of these.
    #[arg(long)]
    only: Vec<String>,
    /// At most so many clients, up to 1,024.
    #[arg(long, default_value_t = SLOTS as usize)]
    clients_max: usize,
    /// Rowhouse's memory setting in MiB.
    #[arg(long, default_value_t = 512)]
    memory_mib: u32,
    /// Rowhouse's event loops; without it, one per core.
    #[arg(long)]
    server_threads: Option<usize>,
    /// Further flags for rowhouse, such as --flag=--recovery-seconds-max=1.
    #[arg(long)]
    flag: Vec<String>,
    /// Seed of all choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the result as JSON and the plot in this directory.
    #[arg(long)]
    results: Option<PathBuf>,
}

/// What was found out so far.
struct Findings {
    report: Report,
    lines: Vec<SecondLine>,
    failures: Vec<String>,
    explained: Vec<String>,
    cores: f64,
}

/// Runs the soak.
pub fn run(options: &SoakOptions) -> Result<()> {
    ensure!((3..=SLOTS as usize).contains(&options.clients_max), "3 to {SLOTS} clients");
    raise_file_limit(options.clients_max as u64 + OTHER_FILES)?;
    let phases = options.phases();
    ensure!(!phases.is_empty(), "no phase is left of these doors and names");
    let mut report = Report::new("soak");
    report.setting("seconds of load", options.seconds);
    report.setting("rowhouse memory", format!("{} MiB", options.memory_mib));
    report.setting("seed", options.seed);
    report.setting("phases", phases.len());
    let cores = thread::available_parallelism().map_or(1, usize::from) as f64;
    let (lines, failures, explained) = (Vec::new(), Vec::new(), Vec::new());
    let mut findings = Findings { report, lines, failures, explained, cores };
    for &durability in &options.durability {
        let label = format!("rowhouse {}", durability.name());
        let outcome = one_server(options, durability, &label, &phases, &mut findings);
        if let Err(error) = outcome {
            findings.failures.push(format!("{label}: {error:#}"));
        }
    }
    findings.finish(options)
}

impl SoakOptions {
    /// The phases that are left, with their doors and clients.
    fn phases(&self) -> Vec<(Phase, Vec<ClientDoor>)> {
        let wanted = |phase: &&Phase| {
            self.only.is_empty() || self.only.iter().any(|part| phase.name.contains(part.as_str()))
        };
        let with_doors = |phase: &Phase| {
            let is_open = |door: &ClientDoor| self.doors.is_empty() || self.doors.contains(door);
            let doors: Vec<ClientDoor> = phase.doors.iter().copied().filter(is_open).collect();
            let clients = phase.clients.min(self.clients_max);
            (Phase { clients, ..*phase }, doors)
        };
        let all = PHASES.iter().filter(wanted).map(with_doors);
        all.filter(|(_, doors)| !doors.is_empty()).collect()
    }

    fn settings(&self, durability: Durability) -> Result<RowhouseSettings> {
        let beside = || Ok(own_program()?.with_file_name("rowhouse"));
        let program = self.rowhouse.clone().map_or_else(beside, Ok::<_, anyhow::Error>)?;
        let program = program.canonicalize().with_context(|| program.display().to_string())?;
        let threads = self.server_threads;
        let threads =
            threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        let memory = format!("{}MiB", self.memory_mib);
        Ok(RowhouseSettings { program, memory, durability, threads, flags: self.flag.clone() })
    }
}

/// All phases on a server of one durability.
fn one_server(
    options: &SoakOptions,
    durability: Durability,
    label: &str,
    phases: &[(Phase, Vec<ClientDoor>)],
    findings: &mut Findings,
) -> Result<()> {
    let settings = options.settings(durability)?;
    let peer = Rowhouse::start(&settings)?;
    findings.report.versions.insert(label.to_owned(), peer.version.clone());
    let place = ServerPlace {
        program: settings.program,
        data_dir: peer.data_dir(),
        mysql: peer.doors.mysql.context("no MySQL door")?,
    };
    let idle = left::Idle::of(&peer);
    rows::make(&place)?;
    let mut visitors: Vec<Visitor> = Vec::new();
    let shares: f64 = phases.iter().map(|(phase, _)| phase.share).sum();
    let seconds = options.seconds as f64 / options.durability.len() as f64;
    for (phase, doors) in phases {
        let length = Duration::from_secs(((seconds * phase.share / shares) as u64).max(2));
        let slots = visitors.len() as u32..phase.clients as u32;
        visitors.extend(slots.map(|slot| Visitor::new(slot, options.seed, phase.work)));
        let waiting = visitors.split_off(phase.clients);
        let turn = SoakTurn { options, phase, doors, length, place: &place, peer: &peer, label };
        visitors = turn.run(visitors, findings)?;
        visitors.extend(waiting);
        let remains = idle.wait(&peer, left::Patience::of(phase));
        let stuck = !remains.is_empty();
        let told = remains.into_iter().map(|what| format!("{label}, {}: {what}", phase.name));
        findings.failures.extend(told);
        ensure!(!stuck, "given up: what is left of {} would spoil the next phases", phase.name);
        let wrong = rows::verify(&place, &mut visitors)?;
        let told = wrong.into_iter().map(|what| format!("{label}, {}: {what}", phase.name));
        findings.failures.extend(told);
    }
    let threads = idle.wait_for_threads(&peer);
    findings.failures.extend(threads.map(|what| format!("{label}: {what}")));
    let log = peer.server.log();
    for line in log.lines().filter(|line| line.contains("panicked") || line.contains(" ERROR ")) {
        findings.failures.push(format!("{label}: logged: {line}"));
    }
    Ok(())
}

/// One phase on one server.
struct SoakTurn<'a> {
    options: &'a SoakOptions,
    phase: &'a Phase,
    doors: &'a [ClientDoor],
    length: Duration,
    place: &'a ServerPlace,
    peer: &'a Rowhouse,
    label: &'a str,
}

impl SoakTurn<'_> {
    /// Lets the visitors work, and notes what was seen and what is against it.
    fn run(&self, mut visitors: Vec<Visitor>, findings: &mut Findings) -> Result<Vec<Visitor>> {
        for (at, visitor) in visitors.iter_mut().enumerate() {
            visitor.come(self.doors[at % self.doors.len()], self.phase.work);
        }
        let (mut events, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        // Connecting a thousand clients takes its time, and belongs to no second.
        let from = Instant::now() + Duration::from_millis(visitors.len() as u64 / 2 + 20);
        let connect = |visitor: &Visitor| self.connect(visitor);
        let plan = load::LoadPlan {
            from,
            length: self.length,
            leaving: self.phase.leaving,
            seed: self.options.seed,
            connect: &connect,
        };
        let (mut glances, mut beside) = (Vec::new(), Ok(()));
        let (kind, place) = (self.phase.beside, self.place);
        let loaded = thread::scope(|scope| {
            let load = scope.spawn(|| load::run(visitors, &plan));
            let other = scope.spawn(|| disturbances::run(kind, place, from, &stop, &events));
            let mut watch = Watch::new(self.peer.server.pid(), &place.data_dir);
            for second in 1..=self.length.as_secs() {
                sleep_until(from + Duration::from_secs(second));
                glances.push(watch.glance());
            }
            stop.store(true, Ordering::Relaxed);
            beside = other.join().unwrap_or_else(|_| bail!("what goes on beside panicked"));
            load.join().unwrap_or_else(|_| bail!("the load panicked"))
        })?;
        let at = findings.lines.len();
        let phase = format!("{}, {}", self.label, self.phase.name);
        let seen = loaded.seconds.iter().cloned();
        let line = |(second, (seen, glance))| {
            let (phase, at) = (phase.clone(), at + second);
            SecondLine { phase, at, seen, glance, reasons: Vec::new() }
        };
        let mut lines: Vec<SecondLine> = seen.zip(glances).enumerate().map(line).collect();
        let events: &[Occurrence] = events.get_mut().expect("nobody panicked");
        judge::explain(&mut lines, events, findings.cores);
        if let Err(error) = beside {
            findings.failures.push(format!("{phase}: beside the clients: {error:#}"));
        }
        findings.add(self, &phase, lines, &loaded);
        Ok(loaded.visitors)
    }

    fn connect(&self, visitor: &Visitor) -> Result<TcpStream> {
        match visitor.door {
            ClientDoor::Memcached => self.peer.memcached(),
            ClientDoor::HandlerSocket => self.peer.handlersocket_write(&[
                "1\tsoak\trows\tPRIMARY\tv".to_owned(),
                "2\tsoak\tcounters\tPRIMARY\tn".to_owned(),
            ]),
            ClientDoor::Mysql => {
                mysql::MysqlSession::connect(self.place.mysql, "soak")?.into_stream()
            }
        }
    }
}

impl Findings {
    /// Notes a phase that is over.
    fn add(
        &mut self,
        turn: &SoakTurn<'_>,
        phase: &str,
        lines: Vec<SecondLine>,
        loaded: &load::LoadOutcome,
    ) {
        let (failures, explained) = judge::judge(&lines, self.cores);
        self.failures.extend(failures);
        self.explained.extend(explained);
        self.failures.extend(judge::judge_memory(&lines, f64::from(turn.options.memory_mib)));
        let mut total = loaded.total.clone();
        if turn.phase.beside == phases::Disturbance::SchemaChanges {
            // Errors are an answer to who meets a schema change, and change nothing.
            let name = format!("{phase}: refused while the schema changed");
            self.report.figures.insert(name, json!(std::mem::take(&mut total.refused)));
        }
        if loaded.unanswered > 0 {
            let unanswered = loaded.unanswered;
            self.failures.push(format!("{phase}: {unanswered} requests were never answered"));
        }
        if total.bad() > 0 {
            let first = total.first_bad.as_deref().unwrap_or("?");
            let (wrong, refused, broken) = (total.wrong, total.refused, total.broken);
            self.failures.push(format!(
                "{phase}: {wrong} wrong replies, {refused} errors, {broken} lost connections; the \
                 first: {first}"
            ));
        }
        let rates = lines.iter().map(|line| line.seen.requests as f64);
        let rate = crate::spread::Spread::of(rates);
        let cpu: f64 = lines.iter().map(|line| line.glance.server_cores).sum();
        let peak = lines.iter().map(|line| line.glance.rss_mib).fold(0.0, f64::max);
        (total.server_cpu, total.server_rss) = (cpu, (peak * f64::from(1 << 20)) as u64);
        progress(&format!(
            "{phase}: {:.0}/s ({:.0}..{:.0}), p99 {:.1} ms, {peak:.0} MiB",
            rate.median,
            rate.min,
            rate.max,
            total.latency_us(0.99) / 1e3,
        ));
        let clients = turn.phase.clients;
        let window = Measurement::new(turn.phase.name, turn.label, 0, clients, &total);
        self.report.measurements.push(window);
        self.lines.extend(lines);
    }

    /// Reports, keeps what is to be kept, and fails if a check has.
    fn finish(mut self, options: &SoakOptions) -> Result<()> {
        self.report.figures.insert("slow for a reason".to_owned(), json!(self.explained));
        self.report.figures.insert("failed".to_owned(), json!(self.failures));
        self.report.print(Layout::Requests, &mut std::io::stdout().lock())?;
        if let Some(directory) = &options.results {
            let drawing = self.drawing(options);
            let lines = self.lines.iter().map(|line| json!(line));
            self.report.seconds = lines.collect();
            let name = self.report.save(directory)?;
            drawing.save(&directory.join(name + ".svg"))?;
        }
        for failure in &self.failures {
            eprintln!("FAILED {failure}");
        }
        match self.failures.len() {
            0 => Ok(()),
            count => bail!("{count} checks of the soak failed"),
        }
    }

    /// Everything over time, the phases side by side.
    fn drawing(&self, options: &SoakOptions) -> Drawing {
        let mut marks: Vec<Mark> = Vec::new();
        let mut last = None;
        for line in &self.lines {
            if last != Some(&line.phase) {
                let name = line.phase.strip_prefix("rowhouse ").unwrap_or(&line.phase);
                marks.push(Mark { at: line.at as f64, name: name.to_owned() });
                last = Some(&line.phase);
            }
        }
        let panel = |name: &str, limit: Option<f64>, figure: &dyn Fn(&SecondLine) -> f64| Panel {
            name: name.to_owned(),
            limit,
            points: self.lines.iter().map(|line| (line.at as f64, figure(line))).collect(),
            stalls: Vec::new(),
        };
        let limit = f64::from(options.memory_mib);
        let panels = vec![
            panel("requests per second", None, &|line| line.seen.requests as f64),
            panel("p99 latency (ms)", None, &|line| line.seen.p99_us / 1e3),
            panel("resident memory (MiB)", Some(limit), &|line| line.glance.rss_mib),
            panel("server threads", None, &|line| line.glance.threads as f64),
            panel("row locks", None, &|line| line.glance.locks.unwrap_or(0) as f64),
            panel("open files", None, &|line| line.glance.files as f64),
            panel("server CPU (cores)", Some(self.cores), &|line| line.glance.server_cores),
        ];
        Drawing::over_time("soak", "seconds of load", panels, marks)
    }
}

fn sleep_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()));
}
