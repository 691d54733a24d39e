//! Filling the contenders with the rows of `user`, each by its own quickest ordinary way.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::timed::timed;
use crate::generator::{
    Client, ClientSession, Lanes, Progress, Sample, Verdict, WindowPlan, drive,
};
use crate::peers::EngineServer;
use crate::protocols::{Judgement, Writer, mysql};
use crate::users::{CREATE_TABLE, Users};

/// The database that experiments work in.
pub const DATABASE: &str = "lab";
/// How long a server may need behind the last of a text, to sort and merge what it took, or to
/// count it.
pub const LOAD_WAIT: Duration = Duration::from_secs(4 * 3600);
/// Connections and requests in flight of a key-value fill.
const FILLERS: u32 = 4;
const FILL_DEPTH: usize = 64;
/// A fill that takes longer than this has failed.
const FILL_SECONDS_MAX: f64 = 600.0;

/// What stands behind a LOAD DATA of the documents' text.
pub const FIELDS: &str = " FIELDS TERMINATED BY '|'";

/// A table that is filled by one LOAD DATA LOCAL.
pub struct TableLoad<'a> {
    /// Its name.
    pub table: &'a str,
    /// Its CREATE TABLE.
    pub create: &'a str,
    /// What its text has between columns, as LOAD DATA says it; nothing where that is the tab.
    pub fields: &'a str,
    /// Rows of the text.
    pub rows: u64,
}

impl TableLoad<'_> {
    /// Makes the table and loads it as one window, with what its engine wants said around a load;
    /// all rows are there then.
    pub fn timed(
        &self,
        server: &EngineServer,
        session: &mut mysql::MysqlSession,
        text: impl Iterator<Item = Vec<u8>>,
    ) -> Result<Sample> {
        session.execute(&format!("CREATE DATABASE IF NOT EXISTS {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        session.execute(self.create)?;
        session.be_patient(LOAD_WAIT)?;
        let (before, behind) = server.engine().around_load();
        let sample = timed(server.pid(), |sample| {
            before.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
            self.take(session, text)?;
            behind.iter().try_for_each(|sql| session.execute(sql).map(drop))?;
            (sample.requests, sample.rows) = (self.rows, self.rows);
            Ok(())
        })?;
        self.count(session)?;
        Ok(sample)
    }

    fn take(
        &self,
        session: &mut mysql::MysqlSession,
        text: impl Iterator<Item = Vec<u8>>,
    ) -> Result<()> {
        let TableLoad { table, fields, rows, .. } = self;
        let sql = format!("LOAD DATA LOCAL INFILE 'f' INTO TABLE {table}{fields}");
        let (taken, info) = session.load_data(&sql, text)?;
        ensure!(taken == *rows, "LOAD DATA took {taken} of {rows} rows: {info}");
        Ok(())
    }

    fn count(&self, session: &mut mysql::MysqlSession) -> Result<()> {
        let there = session.number(&format!("SELECT COUNT(*) FROM {}", self.table))?;
        ensure!(there == self.rows, "{there} of {} rows are there after LOAD DATA", self.rows);
        Ok(())
    }
}

/// Makes the table `user` and loads it through LOAD DATA LOCAL INFILE.
pub fn load_users(session: &mut mysql::MysqlSession, users: Users) -> Result<()> {
    session.execute(&format!("CREATE DATABASE IF NOT EXISTS {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    session.execute("DROP TABLE IF EXISTS user")?;
    session.execute(CREATE_TABLE)?;
    let rows = u64::from(users.rows);
    let load = TableLoad { table: "user", create: CREATE_TABLE, fields: "", rows };
    load.take(session, users.lines())?;
    load.count(session)
}

/// Writes numbered items by single requests.
pub trait Filler: Send {
    /// Appends the request that stores this item.
    fn write(&mut self, number: u32, out: &mut Vec<u8>);

    /// Judges the reply.
    fn written(&mut self, number: u32, input: &[u8]) -> Judgement;
}

/// The rows of `user` by whatever writes them.
pub struct UserFiller<W> {
    /// What writes them.
    pub writer: W,
    /// The rows.
    pub users: Users,
}

impl<W: Writer> Filler for UserFiller<W> {
    fn write(&mut self, number: u32, out: &mut Vec<u8>) {
        self.writer.set(number, &self.users.row(number, 0), out);
    }

    fn written(&mut self, number: u32, input: &[u8]) -> Judgement {
        self.writer.stored(number, input)
    }
}

/// Stores items 1 to `count` by single writes, pipelined over a few connections.
pub fn fill<F: Filler>(
    count: u32,
    connect: impl Fn() -> Result<TcpStream>,
    filler: impl Fn() -> F,
) -> Result<()> {
    let mut clients = Vec::new();
    for number in 0..FILLERS {
        let asked = VecDeque::new();
        let session = Fill { filler: filler(), count, next: number + 1, asked };
        clients.push(Client::new(session, connect()?));
    }
    let plan = WindowPlan {
        warm: 0.0,
        measure: FILL_SECONDS_MAX,
        depth: FILL_DEPTH,
        threads: 1,
        servers: Vec::new(),
    };
    let (sample, _) = drive(clients, &plan)?;
    let bad = sample.first_bad.as_deref().unwrap_or("time is up");
    ensure!(sample.bad() == 0 && sample.requests == u64::from(count), "filling: {bad}");
    Ok(())
}

struct Fill<F> {
    filler: F,
    count: u32,
    next: u32,
    asked: VecDeque<u32>,
}

impl<F: Filler> ClientSession for Fill<F> {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        if self.next > self.count {
            return false;
        }
        self.filler.write(self.next, lanes.out(0));
        self.asked.push_back(self.next);
        self.next += FILLERS;
        true
    }

    fn reply(&mut self, _lane: usize, input: &[u8], _lanes: &mut Lanes) -> Progress {
        let Some(number) = self.asked.front() else {
            return Progress::Done { bytes: input.len(), rows: 0, verdict: Verdict::Wrong };
        };
        match self.filler.written(*number, input) {
            Judgement::Incomplete => Progress::Incomplete,
            Judgement::Reply(bytes, verdict) => {
                self.asked.pop_front();
                Progress::Done { bytes, rows: 1, verdict }
            }
        }
    }
}
