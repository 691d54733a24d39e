//! `rowhouse check`: reads everything in a data directory and says what does not hold.
//!
//! Not here: the check itself (`rows::check`).

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use rows::store::Durability;
use rows::{Engine, EngineOptions};
use rows_rocks::{RocksOptions, RocksStore};

use crate::data_dir::DataDir;
use crate::logging;
use crate::settings::Settings;

/// Checks the data directory; exit code 1 when there is damage.
pub fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    logging::start("warn", settings.log_format);
    let data_dir = DataDir::take(&settings.data_dir)?;
    let options = RocksOptions { memory_bytes: settings.memory as usize, ..Default::default() };
    let store = RocksStore::open(&data_dir.rows(), &options).context("cannot open the rows")?;
    let options = EngineOptions { durability: Durability::EveryCommit, ..Default::default() };
    let engine = Engine::open(Arc::new(store), options).context("cannot open the catalog")?;
    let started = Instant::now();
    let report = engine.check(&mut |table| eprintln!("checking {table}"))?;
    engine.close()?;
    let (tables, rows, entries) = (report.tables, report.rows, report.entries);
    let seconds = started.elapsed().as_secs_f64();
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
    match report.damaged {
        0 => text.push_str("no damage found\n"),
        damaged => text.push_str(&format!("{damaged} damages found\n")),
    }
    super::print(&text)?;
    Ok(if report.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
