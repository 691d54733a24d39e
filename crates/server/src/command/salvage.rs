//! `rowhouse salvage`: opens a data directory whose log is damaged where it was synced, without
//! the writes from the damage on. What it gives up is kept aside and told.
//!
//! Not here: what such damage is (`rows_rocks::DamagedLog`).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Command;
use rows::error::Error;
use rows_rocks::{DamagedLog, RocksOptions, RocksStore};

use super::check;
use crate::data_dir::DataDir;
use crate::logging;
use crate::settings::Settings;

const ASIDE: &str = "damaged-";
const MANIFEST: &str = "MANIFEST-";

/// The command's flags.
pub fn grammar() -> Command {
    Command::new("salvage")
        .about("Gives up the writes behind a damage of the log, so that a server starts again")
}

/// Salvages and checks; exit code 1 when what is left is damaged, too.
pub fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    let data_dir = DataDir::take(&settings.data_dir)?;
    let rows = data_dir.rows();
    let options =
        RocksOptions { memory_bytes: settings.store_memory() as usize, ..Default::default() };
    let Some(damaged) = damage(RocksStore::open(&rows, &options))? else {
        super::print("the log is sound: nothing was given up\n")?;
        return check::examine(&rows, settings);
    };
    let aside = put_aside(&rows).context("cannot put the log aside; nothing was changed")?;
    let options = RocksOptions { gives_up_damaged_log: true, ..options };
    drop(RocksStore::open(&rows, &options).context("cannot open the rows without the damage")?);
    let mut text = format!("{} was damaged at byte {}\n", damaged.file.display(), damaged.place);
    text.push_str(&match damaged.lost {
        Some((first, last)) => {
            format!("given up: the synced writes {first} to {last}, and all behind them\n")
        }
        None => "given up: all writes behind that place\n".to_owned(),
    });
    text.push_str(&format!("the log as it was: {}\n", aside.display()));
    super::print(&text)?;
    check::examine(&rows, settings)
}

/// The damage for which a directory was not opened, if that is why.
fn damage(opened: rows::Result<RocksStore>) -> anyhow::Result<Option<DamagedLog>> {
    let error = match opened {
        Ok(_) => return Ok(None),
        Err(error) => error,
    };
    if let Error::Store { source, .. } = &error
        && let Some(damaged) = source.downcast_ref::<DamagedLog>()
    {
        return Ok(Some(damaged.clone()));
    }
    Err(anyhow::Error::from(error)
        .context("nothing was changed: the rows cannot be opened, and not for damage of the log"))
}

/// Copies the logs and the lists of files, synced, into a directory of their own.
fn put_aside(rows: &Path) -> io::Result<PathBuf> {
    let free = |number: &u64| !rows.join(format!("{ASIDE}{number}")).exists();
    let number = (1..).find(free).unwrap_or(u64::MAX);
    let aside = rows.join(format!("{ASIDE}{number}"));
    fs::create_dir(&aside)?;
    for entry in fs::read_dir(rows)? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".log") || text.starts_with(MANIFEST) || text == "CURRENT" {
            fs::copy(rows.join(&name), aside.join(&name))?;
            File::open(aside.join(&name))?.sync_all()?;
        }
    }
    File::open(&aside)?.sync_all()?;
    File::open(rows)?.sync_all()?;
    Ok(aside)
}
