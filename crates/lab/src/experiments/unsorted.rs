//! The documents' form of a bulk load: rows of random keys of 8 bytes, of which the rest is padding, as
//! '|'-separated text in no order.
//!
//! The limit is what nobody can do without: the keys sorted, the data written and read once, in order.

use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use anyhow::{Result, ensure};

use super::loading::DATABASE;
use super::progress;
use super::timed::timed;
use crate::generator::Sample;
use crate::peers::{Engine, RowhouseSettings};
use crate::report::{Measurement, Report};
use crate::users::mix;

/// The name of the limit in reports.
pub const LIMIT: &str = "limit: sort, write, read";
/// Likewise.
pub const MYROCKS: &str = "mariadb myrocks";
const ENGINES: [Engine; 3] = [Engine::Rowhouse, Engine::InnoDb, Engine::MyRocks];
/// Rows that are looked up after the load.
const CHECKED: u64 = 100;
/// Text that is sent at a time.
const PIECE_ROWS: u64 = 4_000;

/// The rows of a load.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Decides the keys.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// Keys of the table: the primary one, then secondary ones.
    pub keys: usize,
    /// Bytes of a row: 8 for each key, the rest padding.
    pub bytes: usize,
}

impl Rows {
    /// Key `key` of a row; the primary ones are all different.
    fn key(self, row: u64, key: usize) -> u64 {
        // `mix` gives each input another output.
        mix(row ^ (self.seed << 40) ^ ((key as u64) << 56)) >> 1
    }

    fn padding(self) -> usize {
        self.bytes.saturating_sub(8 * self.keys)
    }

    fn create(self, engine: Engine) -> String {
        let mut parts = vec!["k0 BIGINT NOT NULL PRIMARY KEY".to_owned()];
        parts.extend((1..self.keys).map(|key| format!("k{key} BIGINT NOT NULL, KEY (k{key})")));
        parts.push(format!("padding VARCHAR({}) NOT NULL", self.padding().max(1)));
        format!("CREATE TABLE loaded ({}){}", parts.join(", "), engine.clause())
    }

    fn push_line(self, row: u64, out: &mut Vec<u8>) {
        for key in 0..self.keys {
            // Writing to memory does not fail.
            let _ = write!(out, "{}|", self.key(row, key));
        }
        let mut letters = mix(!row ^ self.seed);
        for at in 0..self.padding() {
            if at % 8 == 0 {
                letters = mix(letters);
            }
            out.push(b'a' + (letters >> (at % 8 * 8)) as u8 % 26);
        }
        out.push(b'\n');
    }

    fn pieces(self) -> impl Iterator<Item = Vec<u8>> {
        (0..self.count.div_ceil(PIECE_ROWS)).map(move |piece| {
            let mut text = Vec::new();
            let first = piece * PIECE_ROWS;
            (first..self.count.min(first + PIECE_ROWS))
                .for_each(|row| self.push_line(row, &mut text));
            text
        })
    }
}

/// Every contender in turn.
pub fn round(
    rows: Rows,
    round: usize,
    settings: &RowhouseSettings,
    memory_mib: u32,
    wants: &dyn Fn(&str) -> bool,
    report: &mut Report,
) {
    let keys = if rows.keys == 1 { "key" } else { "keys" };
    let mode = format!("LOAD DATA, unsorted, {} {keys}, rows of {} bytes", rows.keys, rows.bytes);
    let mut keep = |name: &str, loaded: Result<(Sample, String)>| {
        if let Some((sample, version)) = report.keep(name, loaded) {
            let measurement = Measurement::new(&mode, name, round, 1, &sample);
            let (rate, mib) = (measurement.rows_rate, measurement.server_mib);
            progress(&format!("{name}, {mode}: {rate:.0} rows/s, peak {mib:.0} MiB"));
            report.versions.insert(name.to_owned(), version);
            report.measurements.push(measurement);
        }
    };
    for engine in ENGINES {
        if wants(engine.name()) {
            keep(engine.name(), load(rows, engine, settings, memory_mib));
        }
    }
    if wants(LIMIT) {
        keep(LIMIT, limit(rows).map(|sample| (sample, "this program".to_owned())));
    }
}

fn load(
    rows: Rows,
    engine: Engine,
    settings: &RowhouseSettings,
    memory_mib: u32,
) -> Result<(Sample, String)> {
    let server = engine.start(settings, memory_mib)?;
    let mut session = server.session()?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute(&rows.create(engine))?;
    let (before, behind) = engine.around_load();
    let sample = timed(server.pid(), |sample| {
        before.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
        let sql = "LOAD DATA LOCAL INFILE 'f' INTO TABLE loaded FIELDS TERMINATED BY '|'";
        let (loaded, info) = session.load_data(sql, rows.pieces())?;
        ensure!(loaded == rows.count, "{loaded} rows were loaded: {info}");
        behind.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
        (sample.requests, sample.rows) = (loaded, loaded);
        Ok(())
    })?;
    let counted = session.number("SELECT COUNT(*) FROM loaded")?;
    ensure!(counted == rows.count, "{counted} of {} rows are there", rows.count);
    for check in 0..CHECKED.min(rows.count) {
        let row = mix(rows.seed ^ check) % rows.count;
        for key in 0..rows.keys {
            let sql = format!(
                "SELECT k0 FROM loaded FORCE INDEX ({}) WHERE k{key} = {}",
                if key == 0 { "PRIMARY".to_owned() } else { format!("k{key}") },
                rows.key(row, key)
            );
            let found = session.number(&sql)?;
            ensure!(found == rows.key(row, 0), "{sql} found {found}");
        }
    }
    Ok((sample, server.version().to_owned()))
}

/// Writes the text once, sorts the keys meanwhile taken out of it, and reads it once.
fn limit(rows: Rows) -> Result<Sample> {
    timed(std::process::id(), |sample| {
        let mut file = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
        let mut keys: Vec<Vec<(u64, u64)>> = vec![Vec::new(); rows.keys];
        for (piece, text) in rows.pieces().enumerate() {
            file.write_all(&text)?;
            let first = piece as u64 * PIECE_ROWS;
            for row in first..rows.count.min(first + PIECE_ROWS) {
                for (key, sorted) in keys.iter_mut().enumerate() {
                    sorted.push((rows.key(row, key), row));
                }
            }
        }
        keys.iter_mut().for_each(|sorted| sorted.sort_unstable());
        let mut file = file.into_inner()?;
        file.sync_all()?;
        file.seek(SeekFrom::Start(0))?;
        let mut piece = vec![0; 1 << 20];
        while file.read(&mut piece)? > 0 {}
        let different = keys[0].windows(2).all(|pair| pair[0].0 != pair[1].0);
        ensure!(different, "two rows have one primary key");
        (sample.requests, sample.rows) = (rows.count, rows.count);
        Ok(())
    })
}
