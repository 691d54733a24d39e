//! The connection that inserts, and which numbers its rows were given.
//!
//! Not here: what is in the rows (`purchases`), how fast it went (`course`), what is there
//! (`check`).

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::course::Course;
use super::purchases::{COLUMNS, INDEXES, INSERTED, Purchase};
use crate::experiments::loading::DATABASE;
use crate::peers::EngineServer;
use crate::protocols::mysql;

/// What is inserted.
#[derive(Debug, Clone, Copy)]
pub struct InsertedRows {
    /// Decides what is in them.
    pub seed: u64,
    /// Rows of an INSERT.
    pub batch: u64,
    /// After so many it is looked again at what they cost.
    pub look: u64,
}

/// An INSERT that was answered.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    /// The number of its first row, from 0 on.
    pub first: u64,
    /// Rows.
    pub rows: u64,
    /// What AUTO_INCREMENT gave its first row; the others follow.
    pub first_id: u64,
}

/// How long a server may take to add the indexes.
const INDEXING_TIME: Duration = Duration::from_secs(3600);
/// Per cent of a page that random inserts leave full in a B-tree, about.
const FILL_FACTOR: u32 = 70;

/// The connection.
pub struct Inserter {
    session: mysql::MysqlSession,
    /// What it inserts.
    pub rows: InsertedRows,
    text: String,
    /// What it has inserted.
    pub batches: Vec<Batch>,
    /// How it went so far.
    pub course: Course,
}

impl Inserter {
    /// Makes the table in a server that has none, with its indexes or for now without.
    pub fn new(server: &EngineServer, rows: InsertedRows, is_indexed: bool) -> Result<Inserter> {
        let mut session = server.session()?;
        session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
        session.execute(&format!("USE {DATABASE}"))?;
        let clause = server.engine().clause();
        let indexes = if is_indexed { format!(", {}", INDEXES.join(", ")) } else { String::new() };
        session.execute(&format!("CREATE TABLE purchases ({COLUMNS}{indexes}){clause}"))?;
        let course = Course::begin(server.pid(), rows.look);
        Ok(Inserter { session, rows, text: String::new(), batches: Vec::new(), course })
    }

    /// Adds the indexes to a table of InnoDB that was made without, with pages as full as random
    /// inserts would have left them; the course begins here. How long it took.
    pub fn add_indexes(&mut self) -> Result<Duration> {
        let began = Instant::now();
        self.session.be_patient(INDEXING_TIME)?;
        self.session.execute(&format!("SET GLOBAL innodb_fill_factor = {FILL_FACTOR}"))?;
        let added = INDEXES.map(|index| format!("ADD {index}")).join(", ");
        self.session.execute(&format!("ALTER TABLE purchases {added}"))?;
        self.course.begin_here();
        Ok(began.elapsed())
    }

    /// Inserts so many rows more, or what is inserted until then.
    pub fn insert(&mut self, rows: u64, until: Option<Instant>) -> Result<()> {
        let end = self.course.rows() + rows;
        while self.course.rows() < end && until.is_none_or(|until| Instant::now() < until) {
            let first = self.course.rows();
            let rows = self.rows.batch.min(end - first);
            self.write(first, rows);
            let sent = Instant::now();
            let (done, first_id) = self.session.insert(&self.text)?;
            ensure!(done == rows, "{done} of {rows} rows were inserted");
            self.course.note(sent.elapsed(), rows);
            self.batches.push(Batch { first, rows, first_id });
        }
        self.course.look();
        Ok(())
    }

    /// The INSERT of these rows.
    fn write(&mut self, first: u64, rows: u64) {
        self.text.clear();
        self.text.push_str("INSERT INTO purchases (");
        self.text.push_str(INSERTED);
        self.text.push_str(") VALUES ");
        for row in first..first + rows {
            if row > first {
                self.text.push(',');
            }
            Purchase::new(self.rows.seed, row).push_values(&mut self.text);
        }
    }
}
