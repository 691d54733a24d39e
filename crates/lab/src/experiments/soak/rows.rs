//! The soak's tables: made with their first values, and read back after each phase.
//!
//! Not here: what may be read (`values`).

use anyhow::{Result, ensure};

use super::client::Visitor;
use super::disturbances::ServerPlace;
use super::values::{
    COUNTERS, FIRST_BYTES, HOT, KnownValue, REPEATED_BYTES, REPEATED_FROM, ROWS, recognize, value,
};
use crate::protocols::mysql;
use crate::users::parse_number;

const CREATE: [&str; 6] = [
    "CREATE DATABASE soak",
    "USE soak",
    "CREATE TABLE rows (id INT UNSIGNED NOT NULL PRIMARY KEY, v MEDIUMBLOB NOT NULL)",
    "CREATE TABLE counters (id INT UNSIGNED NOT NULL PRIMARY KEY, n BIGINT NOT NULL)",
    "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) \
     VALUES ('soak', 'soak', 'rows', 'id', 'v')",
    "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) \
     VALUES ('soakn', 'soak', 'counters', 'id', 'n')",
];
/// Rows of a piece of the loaded file.
const PIECE_ROWS: u32 = 5_000;
/// Bytes of values that one query reads back.
const READ_BYTES: usize = 128 << 10;
/// Differences that are told of one phase.
const TOLD_MAX: usize = 5;

/// Makes the tables.
pub fn make(place: &ServerPlace) -> Result<()> {
    let mut session = mysql::MysqlSession::connect(place.mysql, "")?;
    for statement in CREATE {
        session.execute(statement)?;
    }
    for counter in 0..COUNTERS {
        session.execute(&format!("INSERT INTO counters VALUES ({counter}, 0)"))?;
    }
    let pieces = (1..=ROWS).step_by(PIECE_ROWS as usize).map(|first| {
        let mut text = Vec::new();
        for id in first..=ROWS.min(first + PIECE_ROWS - 1) {
            let bytes = if id >= REPEATED_FROM { REPEATED_BYTES } else { FIRST_BYTES };
            text.extend_from_slice(format!("{id}\t").as_bytes());
            text.extend_from_slice(&value(id, KnownValue { version: 0, bytes }));
            text.push(b'\n');
        }
        text
    });
    let sql = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE rows";
    let (rows, info) = session.load_data(sql, pieces)?;
    ensure!(rows == u64::from(ROWS), "LOAD DATA took {rows} of {ROWS} rows: {info}");
    Ok(())
}

/// Reads everything back that was written since the last time, and says what is not as it was
/// acknowledged.
pub fn verify(place: &ServerPlace, visitors: &mut [Visitor]) -> Result<Vec<String>> {
    let mut session = mysql::MysqlSession::connect(place.mysql, "soak")?;
    let mut wrong = Vec::new();
    let mut expected: Vec<(u32, Vec<KnownValue>)> =
        visitors.iter_mut().flat_map(|visitor| visitor.ledger.take_touched()).collect();
    expected.extend((1..=HOT).map(|id| (id, Vec::new())));
    let mut rest = &expected[..];
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take_while(|(_, known)| {
            // A hot row has any length; few are long.
            bytes += known.iter().map(|known| known.bytes as usize).max().unwrap_or(4_000);
            bytes < READ_BYTES
        });
        let (piece, others) = rest.split_at(fits.count().max(1));
        rest = others;
        wrong.extend(differences(&mut session, piece)?);
    }
    for counter in 0..COUNTERS {
        let surely: u64 = visitors.iter().map(|visitor| visitor.counted[counter].surely).sum();
        let perhaps: u64 = visitors.iter().map(|visitor| visitor.counted[counter].perhaps).sum();
        let n = session.number(&format!("SELECT n FROM counters WHERE id = {counter}"))?;
        if !(surely..=surely + perhaps).contains(&n) {
            wrong.push(format!(
                "counter {counter} is {n} after {surely} acknowledged and {perhaps} doubtful"
            ));
        }
    }
    let untold = wrong.len().saturating_sub(TOLD_MAX);
    wrong.truncate(TOLD_MAX);
    if untold > 0 {
        wrong.push(format!("and {untold} further rows are not as they were acknowledged"));
    }
    Ok(wrong)
}

/// Rows of a piece that hold something else than they may; without a known value, anything whole.
fn differences(
    session: &mut mysql::MysqlSession,
    piece: &[(u32, Vec<KnownValue>)],
) -> Result<Vec<String>> {
    let ids: Vec<String> = piece.iter().map(|(id, _)| id.to_string()).collect();
    let ids = ids.join(",");
    let rows = session.query(&format!("SELECT id, v FROM rows WHERE id IN ({ids}) ORDER BY id"))?;
    let mut wrong = Vec::new();
    for (id, may_be) in piece {
        let found = rows.iter().find_map(|row| match &row[..] {
            [Some(of), Some(value)] if parse_number(of) == Some(u64::from(*id)) => Some(value),
            _ => None,
        });
        let found = found.and_then(|value| recognize(*id, value));
        let right = found.is_some_and(|found| {
            may_be.is_empty() || may_be.iter().any(|known| known.version == found.version)
        });
        if !right {
            wrong.push(format!("row {id} holds {found:?} where {may_be:?} was acknowledged"));
        }
    }
    Ok(wrong)
}
