//! The connection that inserts, and the table that it inserts into: that of Tokutek's program.
//!
//! Not here: how fast that went (`course`).

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::course::Course;
use crate::experiments::loading::{DATABASE, LOAD_WAIT};
use crate::peers::EngineServer;
use crate::protocols::mysql;
use crate::users::mix;

const COLUMNS: &str = "transactionid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
    dateandtime DATETIME, cashregisterid INT NOT NULL, customerid INT NOT NULL, \
    productid INT NOT NULL, price FLOAT NOT NULL, data VARCHAR(40), \
    KEY marketsegment (price, customerid), KEY registersegment (cashregisterid, price, customerid), \
    KEY pdc (price, dateandtime, customerid)";
const INDEXES: [&str; 3] = ["marketsegment", "registersegment", "pdc"];
pub const CASH_REGISTERS: u64 = 1_000;
const PRODUCTS: u64 = 10_000;
const CUSTOMERS: u64 = 100_000;

/// What is inserted.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Decides what is in them.
    pub seed: u64,
    /// Rows of an INSERT.
    pub batch: u64,
    /// After so many it is looked again at what they cost.
    pub look: u64,
}

/// The connection.
pub struct Inserter {
    session: mysql::Session,
    rows: Rows,
    text: String,
    /// How it went so far.
    pub course: Course,
}

impl Inserter {
    /// Makes the table in a server that has none.
    pub fn new(server: &EngineServer, rows: Rows) -> Result<Inserter> {
        let mut session = server.session()?;
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        let clause = server.engine().clause();
        session.execute(&format!("CREATE TABLE purchases ({COLUMNS}){clause}"))?;
        let course = Course::begin(server.pid(), rows.look);
        Ok(Inserter { session, rows, text: String::new(), course })
    }

    /// Inserts so many rows more, or what is inserted until then.
    pub fn insert(&mut self, rows: u64, until: Option<Instant>) -> Result<()> {
        let end = self.course.rows() + rows;
        while self.course.rows() < end && until.is_none_or(|until| Instant::now() < until) {
            let batch = self.rows.batch.min(end - self.course.rows());
            self.write(batch)?;
            let sent = Instant::now();
            let done = self.session.execute(&self.text)?;
            ensure!(done == batch, "{done} of {batch} rows were inserted");
            self.course.note(sent.elapsed(), batch);
        }
        self.course.look();
        Ok(())
    }

    /// The INSERT of the next rows.
    fn write(&mut self, rows: u64) -> Result<()> {
        self.text.clear();
        let columns = "dateandtime, cashregisterid, customerid, productid, price, data";
        write!(self.text, "INSERT INTO purchases ({columns}) VALUES ")?;
        let first = self.course.rows();
        for row in first..first + rows {
            let dice = mix(self.rows.seed ^ row);
            let (day, second) = (1 + row / 86_400 % 28, row % 86_400);
            let comma = if row == first { "" } else { "," };
            write!(
                self.text,
                "{comma}('2026-01-{day:02} {:02}:{:02}:{:02}',{},{},{},{}.{:02},'{:x}{:x}')",
                second / 3600,
                second / 60 % 60,
                second % 60,
                dice % CASH_REGISTERS,
                dice / 7 % CUSTOMERS,
                dice / 11 % PRODUCTS,
                dice / 13 % 500,
                dice / 17 % 100,
                dice,
                mix(dice)
            )?;
        }
        Ok(())
    }

    /// All rows are there, and in each index.
    pub fn verify(&mut self) -> Result<()> {
        self.session.be_patient(LOAD_WAIT)?;
        let rows = self.course.rows();
        let counted = self.session.number("SELECT COUNT(*) FROM purchases")?;
        ensure!(counted == rows, "{counted} of {rows} rows are there");
        for index in INDEXES {
            let first = if index == "registersegment" { "cashregisterid" } else { "price" };
            let sql =
                format!("SELECT COUNT(*) FROM purchases FORCE INDEX ({index}) WHERE {first} >= 0");
            let counted = self.session.number(&sql)?;
            ensure!(counted == rows, "{counted} of {rows} rows are in {index}");
        }
        Ok(())
    }
}
