//! `rowhouse restore`: makes a data directory of a backup.
//!
//! Not here: how an unfinished one is told from a whole one (`data_dir`), files (`rows_rocks`).

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use clap::{ArgMatches, Command};
use indicatif::HumanBytes;
use rows_rocks::Backups;

use super::backup::{directory, number};
use super::progress::Progress;
use crate::data_dir::DataDir;
use crate::logging;
use crate::settings::Settings;

/// The command's flags.
pub fn grammar() -> Command {
    Command::new("restore")
        .about("Makes a new data directory of a backup")
        .arg(directory())
        .arg(number())
}

/// Restores the latest backup, or that of a number, into an empty place.
///
/// # Errors
/// Those of reading the backup and of writing the data directory, which is refused as `Unfinished`
/// from then on until a restore succeeds.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    let started = Instant::now();
    let directory: &PathBuf = flags.get_one("directory").context("a directory is needed")?;
    let backups = Backups::to_read(directory)?;
    let backup = backups.get(flags.get_one("number").copied())?;
    let mut progress = Progress::of_bytes("copying");
    DataDir::make_of(&settings.data_dir, |rows| {
        let tell = &mut |done, of| progress.tell(done, of);
        backups.restore(&backup, rows, tell).map_err(anyhow::Error::from)
    })?;
    drop(progress);
    let (number, files, bytes) = (backup.number, backup.files(), HumanBytes(backup.bytes()));
    let (place, seconds) = (settings.data_dir.display(), started.elapsed().as_secs_f64());
    super::print(&format!(
        "backup {number} restored to {place}: {files} files, {bytes}, in {seconds:.1} s\n"
    ))
}
