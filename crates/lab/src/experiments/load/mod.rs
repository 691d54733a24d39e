//! Bulk load: LOAD DATA LOCAL INFILE into a table with a secondary index (`indexed`), and of the
//! documents' rows in no order with 1 and 4 keys, of 64 and 256 bytes (`unsorted`); rows per
//! second, memory.
//!
//! `--beside` asks what others feel of it (`others`); such a load is told apart, since they take
//! their part.
//!
//! A drawing of its own shows how many rows each server took over time, with stalls shaded.
//!
//! Every load has each server afresh on an empty directory, so that peak memory belongs to this
//! load alone. The lab makes the text as it sends it; the client's cost is the same for all.

mod indexed;
mod intake;
mod limit;
mod others;
pub mod unsorted;

use std::thread;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::loading::TableLoad;
use super::memory_limit::{GroupOption, MemoryLimit};
use super::pace::{Pace, PaceOutcome};
use super::{Common, progress};
use crate::generator::Sample;
use crate::peers::{Durability, Engine, RowhouseSettings};
use crate::plot::{Drawing, Panel};
use crate::protocols::mysql;
use crate::report::{Layout, Measurement, Report};
use crate::users::Users;
use limit::LIMIT;
use others::OtherClients;
use unsorted::UnsortedRows;

const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks];
/// The name of every table that is loaded.
pub const TABLE: &str = "loaded";

/// Options of `load`.
#[derive(Debug, Clone, Args)]
pub struct LoadOptions {
    #[command(flatten)]
    common: Common,
    /// Only one of the two parts.
    #[arg(long)]
    part: Option<LoadedPart>,
    /// Rows of each table.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
    /// Keys of the tables of unsorted rows.
    #[arg(long, value_delimiter = ',', default_value = "1,4")]
    keys: Vec<usize>,
    /// Bytes of their rows.
    #[arg(long, value_delimiter = ',', default_value = "64,256")]
    row_bytes: Vec<usize>,
    /// Memory of each server in MiB; in a group it is half of that.
    #[arg(long, default_value_t = 512)]
    memory_mib: u32,
    #[command(flatten)]
    group: GroupOption,
    /// Beside each load, one connection looks up rows of another table and one updates some.
    #[arg(long)]
    beside: bool,
}

/// What is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LoadedPart {
    /// A table with a secondary index, in the order of its key.
    Indexed,
    /// The documents' rows, in no order.
    Unsorted,
}

impl LoadOptions {
    fn wants(&self, part: LoadedPart) -> bool {
        self.part.is_none_or(|only| only == part)
    }
}

/// A table with its text.
pub trait LoadTable {
    /// What its load is called in the report.
    fn mode(&self) -> String;

    /// How many it has.
    fn rows(&self) -> u64;

    /// Bytes of what is in a row, by any engine's reckoning: numbers as such, texts as they are.
    fn row_bytes(&self) -> u64;

    /// The CREATE TABLE of `TABLE`.
    fn create(&self, engine: Engine) -> String;

    /// What its text has between columns, as LOAD DATA says it.
    fn fields(&self) -> &'static str;

    /// The text, piece by piece.
    fn text(&self) -> Box<dyn Iterator<Item = Vec<u8>> + '_>;

    /// Some rows are found by every index, with the right contents.
    fn verify(&self, session: &mut mysql::MysqlSession) -> Result<()>;
}

/// How all servers are started and asked.
struct Servers<'a> {
    options: &'a LoadOptions,
    settings: RowhouseSettings,
    limit: MemoryLimit,
}

/// Runs the experiment.
pub fn run(options: &LoadOptions) -> Result<()> {
    let common = &options.common;
    let mut report = Report::new("load");
    common.note(&mut report);
    report.setting("rows", options.rows);
    report.setting("durability", "every load is synced before its answer");
    let servers = Servers {
        options,
        settings: common.rowhouse(Durability::EveryCommit)?,
        limit: options.group.limit(options.memory_mib, &mut report)?,
    };
    let users = Users { seed: common.seed, rows: options.rows };
    let mut panels = Vec::new();
    if options.wants(LoadedPart::Indexed) {
        for round in 0..common.rounds {
            every_server(&users, round, &servers, &mut report, &mut panels);
        }
    }
    for rows in unsorted(options) {
        for round in 0..common.rounds {
            every_server(&rows, round, &servers, &mut report, &mut panels);
            if common.wants(LIMIT) {
                let loaded = limit::least(rows, servers.limit);
                keep(&rows, &rows.mode(), LIMIT, round, loaded, &mut report);
            }
        }
    }
    let ours = Engine::Rowhouse.name();
    let others = [Engine::InnoDb.name(), Engine::MyRocks.name(), LIMIT];
    report.compare(&others.map(|other| (ours, other)));
    let drawing = Drawing::bars(&report, "rows per second", |window| window.rows_rate);
    let title = format!("load: {} rows", options.rows);
    let over_time = Drawing::over_time(&title, "seconds", panels, Vec::new());
    common.finish_drawn(&report, Layout::Rows, &[("", &drawing), ("-over-time", &over_time)])
}

/// The tables of unsorted rows that are wanted.
fn unsorted(options: &LoadOptions) -> Vec<UnsortedRows> {
    if !options.wants(LoadedPart::Unsorted) {
        return Vec::new();
    }
    let (seed, count) = (options.common.seed, u64::from(options.rows));
    let sizes = |keys| options.row_bytes.iter().map(move |&bytes| (keys, bytes));
    let tables = options.keys.iter().flat_map(|&keys| sizes(keys));
    tables.map(|(keys, bytes)| UnsortedRows { seed, count, keys, bytes }).collect()
}

/// Every wanted server loads the table in turn; how each went over time is drawn of the first
/// round.
fn every_server(
    table: &dyn LoadTable,
    round: usize,
    servers: &Servers<'_>,
    report: &mut Report,
    panels: &mut Vec<Panel>,
) {
    let options = servers.options;
    let mode = match options.beside {
        true => format!("{}, others beside", table.mode()),
        false => table.mode(),
    };
    for engine in ENGINES.into_iter().filter(|engine| options.common.wants(engine.name())) {
        let label = format!("{}, {mode}, round {round}", engine.name());
        let loaded = load(table, engine, servers, &label, report).map(|(sample, paced)| {
            report.seconds.push(intake::told(engine.name(), &mode, round, &paced));
            if round == 0 {
                panels.push(intake::panel(&format!("{}, {mode}", engine.name()), paced));
            }
            sample
        });
        keep(table, &mode, engine.name(), round, loaded, report);
    }
}

/// Loads into a fresh server; what that took, and how it went over time.
fn load(
    table: &dyn LoadTable,
    engine: Engine,
    servers: &Servers<'_>,
    label: &str,
    report: &mut Report,
) -> Result<(Sample, PaceOutcome)> {
    let Servers { options, settings, limit } = servers;
    let server = engine.start(settings, limit.settings(Durability::EveryCommit, 1)?)?;
    report.versions.insert(engine.name().to_owned(), server.version().to_owned());
    let mut session = server.session()?;
    let (create, fields, rows) = (&table.create(engine), table.fields(), table.rows());
    let load = TableLoad { table: TABLE, create, fields, rows };
    let mut loading = || {
        let mut pace = Pace::default();
        let text = table.text().inspect(|piece| pace.note(intake::lines(piece)));
        let sample = load.timed(&server, &mut session, text)?;
        Ok((sample, pace.end()))
    };
    let loaded = if options.beside {
        let mut others = OtherClients::new(&server, options.common.seed)?;
        let length = Duration::from_secs_f64(options.common.seconds);
        let ((), alone) = others.during(|| {
            thread::sleep(length);
            Ok(())
        })?;
        let (loaded, beside) = others.during(loading)?;
        others.verify()?;
        let told = json!({ "alone": alone.told(), "beside": beside.told() });
        progress(&format!("{label}: others {told}"));
        report.figures.insert(format!("{label}: others"), told);
        loaded
    } else {
        loading()?
    };
    table.verify(&mut session)?;
    Ok(loaded)
}

fn keep(
    table: &dyn LoadTable,
    mode: &str,
    name: &str,
    round: usize,
    loaded: Result<Sample>,
    report: &mut Report,
) {
    let Some(sample) = report.keep(&format!("{name}, {mode}"), loaded) else { return };
    let measurement = Measurement::new(mode, name, round, 1, &sample);
    let (rate, mib) = (measurement.rows_rate, measurement.server_mib);
    let written = sample.disk_written as f64 / (table.rows() * table.row_bytes()) as f64;
    progress(&format!(
        "{name}, {mode}, round {round}: {rate:.0} rows/s, peak {mib:.0} MiB, \
         {written:.1} times the rows written to disk"
    ));
    let figures = json!({ "bytes written over bytes of the rows": written });
    report.figures.insert(format!("{name}, {mode}, round {round}"), figures);
    report.measurements.push(measurement);
}
