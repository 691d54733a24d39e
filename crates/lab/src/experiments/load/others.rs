//! What others feel of a load: a connection that looks rows of another table up, and one that
//! updates rows of it, each at its own pace, alone and during the load.
//!
//! Invariants
//! 1. A request counts from when it was due: one that waits behind another that is slow is slow,
//!    too.
//! 2. Rows that are looked up are never changed, so each answer is judged; the changed ones are
//!    read back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::experiments::loading::{DATABASE, load_users};
use crate::generator::Sample;
use crate::peers::EngineServer;
use crate::protocols::mysql::MysqlSession;
use crate::users::{Users, mix};

const ROWS: u32 = 10_000;
/// Between two requests of a connection.
const PACE: Duration = Duration::from_millis(10);

/// The others and their table.
pub struct OtherClients<'s> {
    server: &'s EngineServer,
    users: Users,
    /// Of each row, by its id: what it was last changed to.
    versions: Vec<u32>,
}

/// What they felt for some time.
pub struct OthersLatency {
    look_ups: Sample,
    updates: Sample,
}

impl<'s> OtherClients<'s> {
    /// Makes their table.
    pub fn new(server: &'s EngineServer, seed: u64) -> Result<OtherClients<'s>> {
        let users = Users { seed, rows: ROWS };
        load_users(&mut server.session()?, users)?;
        Ok(OtherClients { server, users, versions: vec![0; ROWS as usize + 1] })
    }

    /// They ask while the work is done.
    pub fn during<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<(T, OthersLatency)> {
        let over = AtomicBool::new(false);
        let (server, users, versions) = (self.server, self.users, &mut self.versions);
        thread::scope(|scope| {
            let look_ups = scope.spawn(|| {
                paced(server, &over, |session, dice| look_up(session, users, 1 + 2 * dice))
            });
            let updates = scope.spawn(|| {
                paced(server, &over, |session, dice| {
                    let id = 2 + 2 * dice;
                    let version = &mut versions[id as usize];
                    *version += 1;
                    update(session, users, id, *version)
                })
            });
            let done = work();
            over.store(true, Ordering::Relaxed);
            let (look_ups, updates) = (joined(look_ups)?, joined(updates)?);
            Ok((done?, OthersLatency { look_ups, updates }))
        })
    }

    /// Every row is what it was last changed to.
    pub fn verify(&self) -> Result<()> {
        let mut session = self.server.session()?;
        let sql = format!("SELECT user_name FROM {DATABASE}.user ORDER BY user_id");
        let found = session.query(&sql)?;
        ensure!(found.len() == ROWS as usize, "{} of {ROWS} rows are there", found.len());
        for (id, name) in (1..).zip(found) {
            let right = self.users.row(id, self.versions[id as usize]);
            ensure!(name == [Some(right.name().to_vec())], "row {id} is {name:?}");
        }
        Ok(())
    }
}

impl OthersLatency {
    /// Latencies for the report, in microseconds.
    pub fn told(&self) -> Value {
        let of = |sample: &Sample| {
            json!({
                "p50 us": sample.latency_us(0.5).round(),
                "p99 us": sample.latency_us(0.99).round(),
                "max us": sample.latency_us(1.0).round(),
            })
        };
        json!({ "look-ups": of(&self.look_ups), "updates": of(&self.updates) })
    }
}

fn joined(client: ScopedJoinHandle<'_, Result<Sample>>) -> Result<Sample> {
    client.join().ok().context("a client's thread")?
}

/// Asks again and again until it is over; each request gets a number below half of the rows.
fn paced(
    server: &EngineServer,
    over: &AtomicBool,
    mut ask: impl FnMut(&mut MysqlSession, u32) -> Result<()>,
) -> Result<Sample> {
    let mut session = server.session()?;
    session.execute(&format!("USE {DATABASE}"))?;
    let mut sample = Sample::new();
    let (mut due, mut number) = (Instant::now(), 0);
    while !over.load(Ordering::Relaxed) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        ask(&mut session, (mix(number) % u64::from(ROWS / 2)) as u32)?;
        sample.count(due.elapsed().as_nanos() as u64, 1);
        due += PACE;
        number += 1;
    }
    Ok(sample)
}

fn look_up(session: &mut MysqlSession, users: Users, id: u32) -> Result<()> {
    let sql = format!("SELECT user_name FROM user WHERE user_id = {id}");
    let found = session.query(&sql)?;
    ensure!(found == [[Some(users.row(id, 0).name().to_vec())]], "{sql} found {found:?}");
    Ok(())
}

fn update(session: &mut MysqlSession, users: Users, id: u32, version: u32) -> Result<()> {
    let name = String::from_utf8_lossy(users.row(id, version).name()).into_owned();
    let sql = format!("UPDATE user SET user_name = '{name}' WHERE user_id = {id}");
    let changed = session.execute(&sql)?;
    ensure!(changed == 1, "{sql} changed {changed} rows");
    Ok(())
}
