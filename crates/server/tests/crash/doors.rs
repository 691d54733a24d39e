//! A server on the disk that a cut has left: it starts, and its doors show what the store holds.

use std::path::Path;

use crate::found::Found;
use crate::load::Lines;
use crate::mysql::Mysql;
use crate::support::{Running, run};

/// Rows and items that are asked for one by one.
const ASKED_MAX: usize = 40;

/// Starts, asks, kills, and runs `rowhouse check`; the error says what is not as found.
pub fn look_through_doors(data_dir: &Path, found: &Found) -> Result<(), String> {
    let server = Running::start(data_dir, &[]);
    if found.contains_key("cuts.ledger") {
        ask_for_rows(&server, found)?;
    }
    if found.contains_key("cuts.by_column") {
        ask_by_column(&server, found)?;
    }
    ask_for_items(&server, found)?;
    server.kill();
    let checked = run(&["check", &format!("--data-dir={}", data_dir.display())]);
    let said = String::from_utf8_lossy(&checked.stdout);
    match checked.status.success() && said.ends_with("no damage found\n") {
        true => Ok(()),
        false => Err(format!("rowhouse check: {said}")),
    }
}

fn ask_for_rows(server: &Running, found: &Found) -> Result<(), String> {
    let mut client = Mysql::login(server.connect("mysql")).map_err(|why| why.to_string())?;
    let count = client.query("SELECT COUNT(*) FROM cuts.ledger").map_err(|why| why.to_string())?;
    let rows: Vec<(&str, &str)> = found
        .iter()
        .filter_map(|(name, row)| Some((name.strip_prefix("cuts.ledger/")?, row.as_str())))
        .collect();
    let counted = count[0][0].as_deref().unwrap_or_default();
    if counted != rows.len().to_string() {
        return Err(format!("{counted} rows are counted, {} are there", rows.len()));
    }
    // By the secondary index.
    let mut lines = Lines::new(server.connect("handlersocket"));
    lines.ask("P\t1\tcuts\tledger\tby_words\tid,account,serial,words,padding\n");
    for (key, row) in rows.iter().take(ASKED_MAX) {
        let words = row.split('|').nth(2).unwrap_or_default();
        let reply = lines.ask(&format!("1\t=\t1\t{words}\t10\t0\n")).unwrap_or_default();
        // Rows of one transaction have the same words.
        let expected = format!("{key}\t{}", row.replace('|', "\t"));
        if !reply.contains(&expected) {
            return Err(format!("index by_words gives {reply:?} for {expected:?}"));
        }
    }
    Ok(())
}

/// The columnar table as a whole, by column and row by row.
fn ask_by_column(server: &Running, found: &Found) -> Result<(), String> {
    let mut client = Mysql::login(server.connect("mysql")).map_err(|why| why.to_string())?;
    let rows = found.iter().filter(|(name, _)| name.starts_with("cuts.by_column/"));
    let serials = rows.map(|(_, row)| row.split('|').nth(1).and_then(|text| text.parse().ok()));
    let serials: Vec<u64> = serials.map(|serial| serial.expect("a number")).collect();
    let expected = [serials.len() as u64, serials.iter().sum()].map(|sum| Some(sum.to_string()));
    for executor in ["columns", "rows"] {
        let mut ask = |text: &str| client.query(text).map_err(|why| format!("{text}: {why}"));
        ask(&format!("SET SESSION rowhouse_executor = '{executor}'"))?;
        let sums = ask("SELECT COUNT(*), COALESCE(SUM(serial), 0) FROM cuts.by_column")?;
        if sums != [expected.to_vec()] {
            return Err(format!("{executor} give {sums:?}, {expected:?} are there"));
        }
    }
    Ok(())
}

fn ask_for_items(server: &Running, found: &Found) -> Result<(), String> {
    let mut lines = Lines::new(server.connect("memcached"));
    let items = found.iter().filter_map(|(name, row)| Some((name.strip_prefix("kv.cache/")?, row)));
    for (key, row) in items.take(ASKED_MAX) {
        let head = lines.ask(&format!("get {key}\r\n")).unwrap_or_default();
        let value = lines.line().unwrap_or_default();
        if !head.starts_with("VALUE") || row.split('|').next() != Some(&value) {
            return Err(format!("{key} is {head:?} {value:?}, not {row:?}"));
        }
        lines.line();
    }
    Ok(())
}
