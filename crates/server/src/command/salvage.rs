//! `rowhouse salvage`: opens a data directory whose log is damaged where it was synced, without the
//! writes from the damage on. What it gives up is kept aside and told. With `--into` it then writes
//! what can be read into a new data directory: sound tables whole, of damaged ones the rows that
//! are left. Where files of rows are missing or were cut short nothing is given up: that is done in
//! a view of the data directory without them.
//!
//! Not here: what such damage is (`rows_rocks::DamagedLog`), how rows are read around it
//! (`rows::salvage`).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
use rows::error::Error;
use rows::schema::TableId;
use rows::{Engine, EngineOptions};
use rows_rocks::{DamagedLog, LostFile, RocksOptions, RocksStore};

use super::check::{self, ExaminedStore};
use crate::data_dir::DataDir;
use crate::logging;
use crate::settings::Settings;

const ASIDE: &str = "damaged-";
const MANIFEST: &str = "MANIFEST-";

/// The command's flags.
pub fn grammar() -> Command {
    Command::new("salvage")
        .about("Gives up the writes behind a damage of the log, so that a server starts again")
        .arg(
            Arg::new("into")
                .long("into")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Writes all that can be read, also of damaged tables, into a new data directory"),
        )
}

/// Salvages and checks; exit code 1 when what is left is damaged, too.
///
/// # Errors
/// Those of opening the data directory, and of writing the rows that can be read into another one.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    let into = flags.get_one::<PathBuf>("into");
    let data_dir = DataDir::take(&settings.data_dir)?;
    check::around_lost_files(&data_dir.rows(), settings, |rows, lost| {
        give_up_damaged_log(rows, lost, settings)?;
        look(rows, lost, into, settings)
    })
}

/// Opens the store once, without the writes behind a damage of the log.
fn give_up_damaged_log(rows: &Path, lost: &[LostFile], settings: &Settings) -> anyhow::Result<()> {
    let is_view = !lost.is_empty();
    let memory_bytes = settings.store_memory() as usize;
    let options = RocksOptions { memory_bytes, compacts: !is_view, ..Default::default() };
    let Some(damaged) = damage(RocksStore::open(rows, &options))? else {
        return super::print("the log is sound: nothing was given up\n").map(drop);
    };
    // Of a view the log is a copy.
    let aside = (!is_view).then(|| put_aside(rows)).transpose();
    let aside = aside.context("cannot put the log aside; nothing was changed")?;
    let options = RocksOptions { gives_up_damaged_log: true, ..options };
    drop(RocksStore::open(rows, &options).context("cannot open the rows without the damage")?);
    let mut text = format!("{} was damaged at byte {}\n", damaged.file.display(), damaged.place);
    text.push_str(&match damaged.lost {
        Some((first, last)) => {
            format!("given up: the synced writes {first} to {last}, and all behind them\n")
        }
        None => "given up: all writes behind that place\n".to_owned(),
    });
    if let Some(aside) = aside {
        text.push_str(&format!("the log as it was: {}\n", aside.display()));
    }
    super::print(&text).map(drop)
}

/// Checks what there is, and writes what can be read of it where that is asked for.
fn look(
    rows: &Path,
    lost: &[LostFile],
    into: Option<&PathBuf>,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let examined = ExaminedStore::of(rows, lost, settings)?;
    examined.tell()?;
    let Some(into) = into else {
        let is_sound = examined.report.damaged == 0;
        examined.close()?;
        if is_sound {
            return Ok(ExitCode::SUCCESS);
        }
        check::advise()?;
        return Ok(ExitCode::FAILURE);
    };
    let Some(engine) = examined.engine() else {
        bail!(
            "the definitions of tables cannot be read, and without them no row; restore a backup"
        );
    };
    let mut code = ExitCode::SUCCESS;
    DataDir::make_of(into, |made| -> anyhow::Result<()> {
        write_readable(engine, &examined.report.damaged_tables, made, settings)?;
        super::print("checking what was written\n")?;
        code = check::examine(made, settings)?;
        Ok(())
    })?;
    super::print(&format!("written to {}: start a server on it\n", into.display()))?;
    examined.close()?;
    Ok(code)
}

/// Writes sound tables whole into a new store, and of damaged ones the rows that can be read.
fn write_readable(
    from: &Arc<Engine>,
    damaged: &BTreeSet<TableId>,
    made: &Path,
    settings: &Settings,
) -> anyhow::Result<()> {
    let memory_bytes = settings.memory as usize;
    let options = RocksOptions { memory_bytes, ..Default::default() };
    let plain = RocksStore::open(made, &options).context("cannot make the new rows")?;
    let without = from.salvage_definitions(damaged, &plain).context("cannot write definitions")?;
    for table in without {
        super::print(&format!("{table}: its columnar index is left out; add it again\n"))?;
    }
    let tables = from.catalog().all_tables();
    let (broken, sound): (Vec<_>, Vec<_>) =
        tables.into_iter().partition(|table| damaged.contains(&table.id));
    for table in &sound {
        let named = || format!("cannot write {}.{}", table.database, table.name);
        from.salvage_whole(table, &plain).with_context(named)?;
    }
    super::print(&format!("{} tables were written whole\n", sound.len()))?;
    drop(plain);
    let options = EngineOptions { make_rules: sql::make_rules, ..EngineOptions::default() };
    let to = Engine::open(Arc::new(check::open(made, settings)?), options)
        .context("cannot open the new rows")?;
    for table in broken {
        let name = format!("{}.{}", table.database, table.name);
        let salvaged = from.salvage_rows(&table, &to);
        let salvaged = salvaged.with_context(|| format!("cannot write {name}"))?;
        let (rows, gaps, undecoded) = (salvaged.rows, salvaged.gaps, salvaged.damaged);
        super::print(&format!(
            "{name}: {rows} rows were written; {gaps} places could not be read, {undecoded} rows \
             are damaged\n"
        ))?;
    }
    to.close().context("cannot close the new rows")
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
