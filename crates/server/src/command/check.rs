//! `rowhouse check`: reads everything in a data directory, or in a backup, and says what does not
//! hold.
//!
//! Not here: the check itself (`rows::check`), checksums of a backup's files (`rows_rocks`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use columnar::ColumnStore;
use rows::check::{CheckReport, LostKeys, check_without_definitions};
use rows::store::{Durability, Store as _};
use rows::{Engine, EngineOptions};
use rows_rocks::{Backups, LostFile, RocksOptions, RocksStore, look_without, lost_files};

use super::backup::number;
use super::progress::Progress;
use crate::data_dir::DataDir;
use crate::logging;
use crate::settings::Settings;

/// The command's flags.
pub fn grammar() -> Command {
    let backup = Arg::new("backup").long("backup").value_name("DIR");
    let backup = backup.value_parser(value_parser!(PathBuf));
    Command::new("check")
        .about("Reads every row and index entry of a stopped server, or a backup, and compares")
        .arg(backup.help("Checks a backup in this directory instead of a data directory"))
        .arg(number().requires("backup"))
}

/// Checks the data directory or a backup; exit code 1 when there is damage.
///
/// # Errors
/// Those of opening the data directory or the backup: what is read and damaged is no error, but
/// exit code 1.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    if let Some(directory) = flags.get_one::<PathBuf>("backup") {
        return check_backup(directory, flags.get_one("number").copied(), settings);
    }
    let data_dir = DataDir::take(&settings.data_dir)?;
    let code = examine(&data_dir.rows(), settings)?;
    if code != ExitCode::SUCCESS {
        advise()?;
    }
    Ok(code)
}

/// Prints what to do about damage.
pub(super) fn advise() -> anyhow::Result<()> {
    super::print(
        "restore a backup, or have what can be read written into a new data directory: rowhouse \
         salvage --into NEW\n",
    )
    .map(drop)
}

/// First every file by its checksum, then rows and index entries.
fn check_backup(
    directory: &Path,
    number: Option<u64>,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let backups = Backups::to_read(directory)?;
    let backup = backups.get(number)?;
    let mut progress = Progress::of_bytes("reading");
    let damages = backups.verify(&backup, &mut |done, of| progress.tell(done, of))?;
    drop(progress);
    let damaged = damages.len();
    let mut text = format!("backup {}: {} files read\n", backup.number, backup.files());
    for damage in damages {
        text.push_str(&format!("damaged: {}: {}\n", damage.file.display(), damage.why));
    }
    if damaged > 0 {
        text.push_str(&format!("{damaged} damages found\n"));
    }
    super::print(&text)?;
    if damaged > 0 {
        return Ok(ExitCode::FAILURE);
    }
    backups.with_scratch(&backup, |rows| examine(rows, settings))?
}

/// Reads the rows of a store's directory, prints what was found; exit code 1 when there is damage.
pub(super) fn examine(rows: &Path, settings: &Settings) -> anyhow::Result<ExitCode> {
    around_lost_files(rows, settings, |rows, lost| {
        let examined = ExaminedStore::of(rows, lost, settings)?;
        examined.tell()?;
        let is_sound = examined.report.damaged == 0;
        examined.close()?;
        Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// Looks at a store's directory; where files of rows are missing or were cut short, at a view of it
/// without these.
pub(super) fn around_lost_files<T>(
    rows: &Path,
    settings: &Settings,
    look: impl FnOnce(&Path, &[LostFile]) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let lost = lost_files(rows, &options(settings)).context("cannot look for the files of rows")?;
    match lost.is_empty() {
        true => look(rows, &lost),
        false => look_without(rows, &lost, |view| look(view, &lost))?,
    }
}

/// A store that was read, and what was found.
pub(super) struct ExaminedStore {
    /// `None`: its definitions cannot be read.
    engine: Option<Arc<Engine>>,
    pub(super) report: CheckReport,
    seconds: f64,
}

impl ExaminedStore {
    /// Reads everything, where these files are not in the directory.
    pub(super) fn of(
        rows: &Path,
        lost: &[LostFile],
        settings: &Settings,
    ) -> anyhow::Result<ExaminedStore> {
        let lost_keys = |file: &LostFile| LostKeys { range: file.keys.clone(), why: file.story() };
        let lost: Vec<_> = lost.iter().map(lost_keys).collect();
        let store = open(rows, settings)?;
        // The partitions of keys are told by expressions.
        let options = EngineOptions {
            durability: Durability::EveryCommit,
            make_rules: sql::make_rules,
            ..Default::default()
        };
        let started = Instant::now();
        let engine = match Engine::open(Arc::new(store.clone()), options) {
            Ok(engine) => engine,
            Err(error @ (rows::Error::Store { .. } | rows::Error::Corrupt { .. })) => {
                let mut report = check_without_definitions(&*store.snapshot()?)?;
                let whys = lost.iter().map(|keys| keys.why.clone());
                let whys: Vec<_> = whys.chain([error.to_string()]).collect();
                report.damaged += whys.len() as u64;
                let told = whys.iter().map(|why| format!("the definitions cannot be read: {why}"));
                report.damages.splice(0..0, told);
                let seconds = started.elapsed().as_secs_f64();
                return Ok(ExaminedStore { engine: None, report, seconds });
            }
            Err(error) => return Err(error).context("cannot open the catalog"),
        };
        let progress = &mut |table: &str| super::tell(&format!("checking {table}"));
        let mut report = engine.check_around(&lost, progress)?;
        for (table, damage) in store.check()? {
            report.damage(&table, &damage);
        }
        let seconds = started.elapsed().as_secs_f64();
        Ok(ExaminedStore { engine: Some(engine), report, seconds })
    }

    /// What was read, to read more of it.
    pub(super) fn engine(&self) -> Option<&Arc<Engine>> {
        self.engine.as_ref()
    }

    /// Prints what was found.
    pub(super) fn tell(&self) -> anyhow::Result<()> {
        let (report, seconds) = (&self.report, self.seconds);
        let (tables, rows, entries) = (report.tables, report.rows, report.entries);
        let mut text = format!(
            "{tables} tables, {rows} rows and {entries} index entries read in {seconds:.1} s\n"
        );
        for damage in &report.damages {
            text.push_str(&format!("damaged: {damage}\n"));
        }
        let untold = report.damaged.saturating_sub(report.damages.len() as u64);
        if untold > 0 {
            text.push_str(&format!("and {untold} more\n"));
        }
        for readable in &report.readable {
            text.push_str(&format!("{readable}\n"));
        }
        match report.damaged {
            0 => text.push_str("no damage found\n"),
            damaged => text.push_str(&format!("{damaged} damages found\n")),
        }
        super::print(&text).map(drop)
    }

    /// Closes the store in good order.
    pub(super) fn close(self) -> anyhow::Result<()> {
        match self.engine {
            Some(engine) => Ok(engine.close()?),
            None => Ok(()),
        }
    }
}

/// Opens a store to look at it, or to fill it.
pub(super) fn open(rows: &Path, settings: &Settings) -> anyhow::Result<ColumnStore<RocksStore>> {
    let options = options(settings);
    let columns_bytes = options.lendable_bytes();
    let store = RocksStore::open(rows, &options).context("cannot open the rows")?;
    Ok(ColumnStore::new(store, columns_bytes))
}

/// Options of a store that is only looked at, or filled once.
fn options(settings: &Settings) -> RocksOptions {
    RocksOptions {
        memory_bytes: settings.memory as usize,
        compacts: false,
        ..RocksOptions::default()
    }
}
