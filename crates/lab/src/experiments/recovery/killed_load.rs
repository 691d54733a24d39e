//! A load that is killed: LOAD DATA LOCAL of the documents' unsorted rows, kill -9 when nine tenths
//! of the text are sent, then the time from the new start to the first answer.
//!
//! A load is one statement, so nothing of it may be left: no row in any of the table's indexes, and
//! no bytes on disk that were not there before it.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::{ROWHOUSE, RecoveryOptions, start_again};
use crate::experiments::load::{LoadTable, TABLE, unsorted::UnsortedRows};
use crate::experiments::loading::DATABASE;
use crate::experiments::progress;
use crate::generator::Sample;
use crate::peers::{Engine, Rowhouse, bytes_below};
use crate::protocols::mysql;
use crate::report::{Measurement, Report};

/// The part of the text that is sent before the kill.
const SENT_PART: f64 = 0.9;
/// The primary key and three others, as iiBench's table has them.
const KEYS: usize = 4;
const ROW_BYTES: usize = 256;
/// When the bytes on disk are looked at once more after the first answer.
const GIVEN_BACK: Duration = Duration::from_secs(5);
/// Bytes that a start writes itself, into logs and the like.
const OWN_BYTES_MAX: u64 = 4 << 20;

/// Loads, kills and starts again, on an empty directory in each round.
pub fn run(gib: f64, options: &RecoveryOptions, report: &mut Report) -> Result<()> {
    let mode = format!("LOAD DATA of {gib} GiB, killed at nine tenths");
    for round in 0..options.common.rounds {
        let mut peer = Rowhouse::start(&options.common.rowhouse(options.policy)?)?;
        report.versions.insert(ROWHOUSE.to_owned(), peer.version.clone());
        let (sample, figures) = one_kill(&mut peer, gib, options.common.seed)?;
        progress(&format!("{ROWHOUSE}, {mode}: {figures}"));
        report.figures.insert(format!("{ROWHOUSE}, {mode}, round {round}"), figures);
        report.measurements.push(Measurement::new(&mode, ROWHOUSE, round, 1, &sample));
    }
    Ok(())
}

fn one_kill(peer: &mut Rowhouse, gib: f64, seed: u64) -> Result<(Sample, serde_json::Value)> {
    let mut session = peer.session("")?;
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    // Rows come as long as they are wanted: it is bytes that end the load.
    let rows = UnsortedRows { seed, count: u64::MAX, keys: KEYS, bytes: ROW_BYTES };
    session.execute(&rows.create(Engine::Rowhouse))?;
    let bytes_there = |peer: &Rowhouse| bytes_below(&peer.data_dir());
    let before = bytes_there(peer);
    let began = Instant::now();
    let sent = load_until_killed(peer, &mut session, rows, gib)?;
    let loading = began.elapsed().as_secs_f64();
    let at_kill = bytes_there(peer);

    let port = peer.doors.mysql.context("no MySQL door")?;
    let first = format!("SELECT k0 FROM {TABLE} LIMIT 1");
    let (mut session, seconds) =
        start_again(&mut peer.server, port, |session| session.query(&first).map(drop))?;
    let at_answer = bytes_there(peer);
    let mut sample = Sample::new();
    sample.seconds = seconds;
    sample.count((seconds * 1e9) as u64, 1);
    let mut judge = |is_right: bool, what: String| {
        if !is_right {
            sample.wrong += 1;
            sample.note_bad("wrong", what.as_bytes());
        }
    };
    for key in 0..KEYS {
        let index = rows.index(key);
        let count = format!("SELECT COUNT(*) FROM {TABLE} FORCE INDEX ({index}) WHERE k{key} >= 0");
        let there = session.number(&count)?;
        judge(there == 0, format!("{there} rows of the killed load are in {index}"));
    }
    thread::sleep(GIVEN_BACK);
    let later = bytes_there(peer);
    let kept = later.saturating_sub(before);
    judge(kept <= OWN_BYTES_MAX, format!("{kept} bytes of the killed load are on disk"));
    let mib = |bytes: u64| (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0;
    let figures = json!({
        "ms": (seconds * 1e3).round(),
        "MiB of text sent": mib(sent),
        "MiB of text per second": mib((sent as f64 / loading) as u64),
        "MiB on disk before": mib(before),
        "at the kill": mib(at_kill),
        "at the first answer": mib(at_answer),
        "5 s later": mib(later),
    });
    Ok((sample, figures))
}

/// Sends the text until its ninth tenth is reached, and kills the server; gives the bytes sent.
fn load_until_killed(
    peer: &mut Rowhouse,
    session: &mut mysql::MysqlSession,
    rows: UnsortedRows,
    gib: f64,
) -> Result<u64> {
    let bytes = (gib * SENT_PART * f64::from(1 << 30)) as u64;
    let (mut sent, mut killed) = (0, None);
    let text = rows.text().map_while(|piece| {
        if sent >= bytes {
            killed = Some(peer.server.kill());
            return None;
        }
        sent += piece.len() as u64;
        Some(piece)
    });
    let sql = format!("LOAD DATA LOCAL INFILE 'f' INTO TABLE {TABLE}{}", rows.fields());
    let answer = session.load_data(&sql, text);
    match (killed, answer) {
        (None, Err(error)) => Err(error.context("the load failed before it was killed")),
        (None, Ok(_)) => bail!("the load ended before it was killed"),
        (Some(killed), answer) => {
            killed?;
            ensure!(answer.is_err(), "a load was acknowledged by a server that was killed before");
            Ok(sent)
        }
    }
}
