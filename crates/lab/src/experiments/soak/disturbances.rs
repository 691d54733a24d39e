//! Disturbances of a phase's clients: schema changes and backups. Each is noted with its time, as a
//! reason why clients may have been slower.
//!
//! Not here: whether that was reason enough (`judge`).

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::phases::Disturbance;
use crate::protocols::mysql;

/// Between two of them.
const PAUSE: Duration = Duration::from_millis(300);
const STEP: Duration = Duration::from_millis(20);

/// Something that went on, with its seconds since the beginning of its phase.
#[derive(Debug, Clone, Serialize)]
pub struct Occurrence {
    /// What.
    pub what: String,
    /// When it began.
    pub from: f64,
    /// When it ended.
    pub to: f64,
}

/// Where the server is found.
#[derive(Debug, Clone)]
pub struct ServerPlace {
    /// The program.
    pub program: PathBuf,
    /// Its data directory.
    pub data_dir: PathBuf,
    /// Its MySQL door.
    pub mysql: u16,
}

/// Does it again and again until the phase stops.
pub fn run(
    beside: Disturbance,
    place: &ServerPlace,
    from: Instant,
    stop: &AtomicBool,
    events: &Mutex<Vec<Occurrence>>,
) -> Result<()> {
    while Instant::now() < from {
        thread::sleep(STEP);
    }
    let note = |what: &str, began: Instant| {
        let at = |moment: Instant| moment.saturating_duration_since(from).as_secs_f64();
        let event = Occurrence { what: what.to_owned(), from: at(began), to: at(Instant::now()) };
        events.lock().expect("no panic while held").push(event);
    };
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        match beside {
            Disturbance::Nothing => return Ok(()),
            Disturbance::SchemaChanges => schema_changes(place, round, &note)?,
            Disturbance::Backups => backup(place, &note)?,
        }
        round += 1;
        let again = Instant::now() + PAUSE;
        while Instant::now() < again && !stop.load(Ordering::Relaxed) {
            thread::sleep(STEP);
        }
    }
    Ok(())
}

fn schema_changes(place: &ServerPlace, round: u32, note: &dyn Fn(&str, Instant)) -> Result<()> {
    let mut session = mysql::MysqlSession::connect(place.mysql, "soak")?;
    let statements = [
        format!("CREATE TABLE beside{round} (id INT PRIMARY KEY, v VARCHAR(50), KEY (v))"),
        "ALTER TABLE rows ADD COLUMN added INT".to_owned(),
        format!("INSERT INTO beside{round} VALUES (1, 'a'), (2, 'b')"),
        "ALTER TABLE rows DROP COLUMN added".to_owned(),
        format!("DROP TABLE beside{round}"),
    ];
    for statement in statements {
        let began = Instant::now();
        session.execute(&statement)?;
        note(&statement, began);
    }
    Ok(())
}

fn backup(place: &ServerPlace, note: &dyn Fn(&str, Instant)) -> Result<()> {
    let backups = place.data_dir.with_file_name("backups");
    let began = Instant::now();
    let mut command = Command::new(&place.program);
    command.arg("backup").arg(&backups).args(["--keep", "2"]);
    command.arg("--data-dir").arg(&place.data_dir).stdin(Stdio::null());
    let output = command.output().context("rowhouse backup")?;
    note("backup", began);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "the backup failed: {said}");
    Ok(())
}
