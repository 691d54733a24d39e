//! `rowhouse backup`: takes a backup of a data directory, whether a server runs on it or not.
//!
//! ```text
//! backups locked -> checkpoint (by the server that runs, else by this process) -> copied
//! ```
//! Not here: what a backup is made of (`rows_rocks::Backups`), the checkpoint (`frozen`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::HumanBytes;
use rows_rocks::{Backup, Backups, RocksOptions, RocksStore, Sharing};
use values::temporal::DateTime;

use super::progress::Progress;
use crate::data_dir::{DataDir, DataDirError, status_socket};
use crate::frozen::{self, CheckpointClaim};
use crate::logging;
use crate::private::close_to_others;
use crate::settings::Settings;
use crate::status::{AskError, ask_for_checkpoint};

/// The command's flags.
pub fn grammar() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let keep =
        Arg::new("keep").long("keep").value_name("N").value_parser(value_parser!(u32).range(1..));
    Command::new("backup")
        .about("Takes a backup of a data directory, while its server runs or without one")
        .arg(directory())
        .arg(flag("list", "Lists the backups instead"))
        .arg(flag("full", "Copies every file, also those that earlier backups have"))
        .arg(keep.help("Removes older backups afterwards, so that N are left"))
}

/// The directory of the backups.
pub(super) fn directory() -> Arg {
    let directory = Arg::new("directory").value_name("DIR").required(true);
    directory.value_parser(value_parser!(PathBuf)).help("Directory of the backups")
}

/// Which backup is meant.
pub(super) fn number() -> Arg {
    let number = Arg::new("number").long("number").value_name("N").value_parser(value_parser!(u64));
    number.help("Number of the backup [default: the latest]")
}

/// Takes a backup, or lists them.
///
/// # Errors
/// Those of reading the data directory and of writing to the backups; an unfinished backup is not
/// listed, and the next one removes it.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    let directory: &PathBuf = flags.get_one("directory").context("a directory is needed")?;
    if flags.get_flag("list") {
        return list(&Backups::to_list(directory)?);
    }
    let absolute = |path: &Path| std::path::absolute(path);
    if absolute(directory)?.starts_with(absolute(&settings.data_dir)?) {
        bail!(
            "the backups must not lie in the data directory {}: name a directory elsewhere, best on another disk",
            settings.data_dir.display()
        );
    }
    let started = Instant::now();
    let backups = Backups::to_write(directory)?;
    close_to_others(directory);
    let frozen = freeze(settings)?;
    let sharing = match flags.get_flag("full") {
        true => Sharing::Nothing,
        false => Sharing::Links,
    };
    let mut progress = Progress::of_bytes("copying");
    let backup = backups.add(&frozen.rows(), sharing, &mut |done, of| progress.tell(done, of))?;
    drop(progress);
    drop(frozen);
    let (number, files, seconds) = (backup.number, backup.files(), started.elapsed().as_secs_f64());
    let (all, new) = (HumanBytes(backup.bytes()), HumanBytes(backup.new_bytes));
    super::print(&format!(
        "backup {number}: {files} files, {all}, of which {new} are new, in {seconds:.1} s\n"
    ))?;
    if let Some(count) = flags.get_one::<u32>("keep") {
        for number in backups.keep(*count as usize)? {
            super::print(&format!("backup {number} removed\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Has the state of this moment frozen by who has the store: a running server, or else us.
fn freeze(settings: &Settings) -> anyhow::Result<CheckpointClaim> {
    let data_dir = &settings.data_dir;
    match DataDir::take(data_dir) {
        Ok(taken) => {
            let frozen = CheckpointClaim::claim(data_dir)?;
            let options = RocksOptions {
                memory_bytes: settings.store_memory() as usize,
                recovery_max: settings.recovery_max,
                // Files that are compacted meanwhile could not be shared with earlier backups.
                compacts: false,
                ..Default::default()
            };
            let store =
                RocksStore::open(&taken.rows(), &options).context("cannot open the rows")?;
            frozen::make(&store, data_dir).context("cannot freeze the rows")?;
            Ok(frozen)
        }
        Err(in_use @ DataDirError::InUse { .. }) => {
            let socket = status_socket(data_dir);
            match crate::status::ask(&socket) {
                Ok(_) => {}
                // Another command uses it, `check` for one.
                Err(AskError::Nobody(_)) => return Err(in_use.into()),
                Err(error) => return Err(error).context(in_use.to_string()),
            }
            let frozen = CheckpointClaim::claim(data_dir)?;
            ask_for_checkpoint(&socket).context("the server cannot freeze its rows")?;
            Ok(frozen)
        }
        Err(error) => Err(error.into()),
    }
}

fn list(backups: &Backups) -> anyhow::Result<ExitCode> {
    let mut text = format!(
        "{:>8}  {:<19}  {:>7}  {:>12}  {:>12}\n",
        "number", "taken (UTC)", "files", "bytes", "new"
    );
    let mut code = ExitCode::SUCCESS;
    for number in backups.numbers()? {
        match backups.get(Some(number)) {
            Ok(backup) => text.push_str(&line(&backup)),
            Err(error) => {
                code = ExitCode::FAILURE;
                text.push_str(&format!("{number:>8}  {error}\n"));
            }
        }
    }
    super::print(&text)?;
    Ok(code)
}

fn line(backup: &Backup) -> String {
    let mut taken = Vec::new();
    let micros = i64::try_from(backup.time).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    if let Some(time) = DateTime::from_micros(micros) {
        time.write(0, &mut taken);
    }
    let taken = String::from_utf8_lossy(&taken);
    let (number, files) = (backup.number, backup.files());
    let (all, new) = (backup.bytes(), backup.new_bytes);
    format!("{number:>8}  {taken:<19}  {files:>7}  {all:>12}  {new:>12}\n")
}
