//! Queries by the indexes, during inserts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::inserter::Inserter;
use super::purchases::CASH_REGISTERS;
use crate::experiments::loading::DATABASE;
use crate::experiments::timed::timed;
use crate::generator::Sample;
use crate::peers::EngineServer;
use crate::users::mix;

/// Inserts so many rows, or what is inserted until then, while another connection asks; gives what
/// the queries took.
pub fn beside(
    server: &EngineServer,
    inserter: &mut Inserter,
    rows: u64,
    until: Option<Instant>,
    seed: u64,
) -> Result<Sample> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| ask(server, seed, &over));
        let inserted = inserter.insert(rows, until);
        // A few queries at least, however few rows there are.
        std::thread::sleep(Duration::from_millis(50));
        over.store(true, Ordering::Relaxed);
        let asked = asking.join().ok().context("the thread of queries")?;
        inserted?;
        asked
    })
}

fn ask(server: &EngineServer, seed: u64, over: &AtomicBool) -> Result<Sample> {
    let mut session = server.session()?;
    session.execute(&format!("USE {DATABASE}"))?;
    timed(server.pid(), |sample| {
        let mut number = 0;
        while !over.load(Ordering::Relaxed) {
            let sql = query(mix(seed ^ (number << 32)));
            let sent = Instant::now();
            let found = session.query(&sql)?;
            ensure!(found.len() == 10, "{sql} found {} rows", found.len());
            sample.count(sent.elapsed().as_nanos() as u64, found.len() as u32);
            number += 1;
        }
        Ok(())
    })
}

/// Ten rows from somewhere on, in the order of one of the indexes.
fn query(dice: u64) -> String {
    let (price, register) = (dice / 3 % 400, dice / 5 % (CASH_REGISTERS / 2));
    let (index, columns, condition) = match dice % 3 {
        0 => ("marketsegment", "price, customerid", format!("price >= {price}")),
        1 => (
            "registersegment",
            "cashregisterid, price, customerid",
            format!("cashregisterid >= {register}"),
        ),
        _ => ("pdc", "price, dateandtime, customerid", format!("price >= {price}")),
    };
    format!(
        "SELECT {columns} FROM purchases FORCE INDEX ({index}) WHERE {condition} \
         ORDER BY {columns} LIMIT 10"
    )
}
