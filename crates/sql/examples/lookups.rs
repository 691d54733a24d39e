//! What a look-up costs above the rows beneath: point SELECTs by text and prepared, inserts and
//! updates, over the in-memory store, on one thread. Prints nanoseconds per statement.
//!
//! cargo run --release -p sql --example lookups

#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::sync::Arc;
use std::time::Instant;

use results::{ExecutionMode, Pace, SqlError};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Reply, Session, Sql, SqlOptions};
use values::datum::Datum;

const ROWS: i64 = 100_000;
const TIMES: i64 = 300_000;

fn drain(reply: Reply) -> Result<usize, SqlError> {
    let mut count = 0;
    if let Reply::Rows(mut stream) = reply {
        while stream.next(ExecutionMode::LOOP, &mut |row| {
            count += row.len();
            Ok(Pace::More)
        })? {}
    }
    Ok(count)
}

fn timed(
    name: &str,
    times: i64,
    mut each: impl FnMut(i64) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let start = Instant::now();
    for n in 0..times {
        each(n)?;
    }
    println!("{name:<28} {:>8} ns", start.elapsed().as_nanos() / times as u128);
    Ok(())
}

fn main() -> Result<(), SqlError> {
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())?;
    let sql = Sql::new(
        engine,
        &SqlOptions { memory_bytes: 64 << 20, ..SqlOptions::default() },
        analytic::start,
    )?;
    let mut s = Session::new(&sql, 1, "root", "localhost", None)?;
    for text in [
        "CREATE DATABASE d",
        "USE d",
        "CREATE TABLE user (user_id INT UNSIGNED PRIMARY KEY, user_name VARCHAR(50), \
         user_email VARCHAR(255), created DATETIME, KEY (user_name))",
    ] {
        s.query(text.as_bytes(), ExecutionMode::POOL)?;
    }
    let mut next = 0;
    timed("insert, rows of 100", ROWS / 100, |_| {
        let mut text = String::from("INSERT INTO user VALUES ");
        for _ in 0..100 {
            let comma = if text.ends_with(')') { "," } else { "" };
            text.push_str(&format!(
                "{comma}({next},'user{next}','user{next}@example.com','2024-01-01 00:00:00')"
            ));
            next += 1;
        }
        s.query(text.as_bytes(), ExecutionMode::POOL).map(drop)
    })?;
    let key = |n: i64| n.wrapping_mul(7919).rem_euclid(ROWS);
    timed("select by key, text", TIMES, |n| {
        let text =
            format!("SELECT user_name, user_email, created FROM user WHERE user_id={}", key(n));
        drain(s.query(text.as_bytes(), ExecutionMode::LOOP)?.0).map(drop)
    })?;
    let prepared = s.prepare(b"SELECT user_name, user_email, created FROM user WHERE user_id=?")?;
    timed("select by key, prepared", TIMES, |n| {
        drain(s.execute(prepared.id, &[Datum::Int(key(n))], ExecutionMode::LOOP)?).map(drop)
    })?;
    timed("select by name, text", TIMES / 3, |n| {
        let text = format!("SELECT user_id FROM user WHERE user_name='user{}'", key(n));
        drain(s.query(text.as_bytes(), ExecutionMode::LOOP)?.0).map(drop)
    })?;
    timed("range of 100", TIMES / 30, |n| {
        let k = key(n);
        let text = format!("SELECT user_name FROM user WHERE user_id BETWEEN {k} AND {}", k + 99);
        drain(s.query(text.as_bytes(), ExecutionMode::LOOP)?.0).map(drop)
    })?;
    timed("select 1", TIMES, |_| drain(s.query(b"SELECT 1", ExecutionMode::LOOP)?.0).map(drop))?;
    timed("update by key, text", TIMES / 10, |n| {
        let text = format!("UPDATE user SET user_email='x{n}' WHERE user_id={}", key(n));
        s.query(text.as_bytes(), ExecutionMode::POOL).map(drop)
    })?;
    Ok(())
}
