//! A site: its tables, what fills them, its pages.

use anyhow::{Result, ensure};

use super::view::Page;
use crate::protocols::mysql::MysqlSession;

/// Bytes of a file's chunk.
const CHUNK_BYTES: usize = 1 << 20;

/// A site with a database of its own.
pub struct Site {
    /// Its name, and its database's.
    pub name: &'static str,
    /// What its program sends when it has connected.
    pub hello: &'static str,
    /// CREATE TABLE statements.
    pub tables: &'static [&'static str],
    /// All rows: the table's name and its lines. `size` is in hundredths of the usual.
    pub rows: fn(seed: u64, size: i64) -> Vec<TableLines>,
    /// Its pages.
    pub pages: &'static [Page],
}

/// The rows of a table as lines of a file.
pub struct TableLines {
    /// The table.
    pub table: &'static str,
    /// Columns in their order, tabs between them.
    pub lines: Vec<String>,
}

impl Site {
    /// Makes and fills the site's database.
    pub fn load(&self, session: &mut MysqlSession, seed: u64, size: i64) -> Result<()> {
        session.execute(&format!("CREATE DATABASE {}", self.name))?;
        session.execute(&format!("USE {}", self.name))?;
        session.execute(self.hello)?;
        for table in self.tables {
            session.execute(table)?;
        }
        for TableLines { table, lines } in (self.rows)(seed, size) {
            let sql = format!("LOAD DATA LOCAL INFILE '{table}' INTO TABLE {table}");
            let must = lines.len() as u64;
            let (rows, info) = session.load_data(&sql, chunks(&lines).into_iter())?;
            ensure!(rows == must, "{table} took {rows} of {must} rows: {info}");
            session.execute(&format!("ANALYZE TABLE {table}"))?;
        }
        Ok(())
    }
}

fn chunks(lines: &[String]) -> Vec<Vec<u8>> {
    let mut chunks = vec![Vec::new()];
    for line in lines {
        if chunks.last().is_some_and(|chunk| chunk.len() > CHUNK_BYTES) {
            chunks.push(Vec::new());
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.extend_from_slice(line.as_bytes());
            chunk.push(b'\n');
        }
    }
    chunks
}

/// A moment of a minute each: so many minutes after 2020-01-01, in months of 28 days.
pub fn moment(minutes: i64) -> String {
    let (days, rest) = (minutes / 1_440, minutes % 1_440);
    let (months, day) = (days / 28, days % 28 + 1);
    let (year, month) = (2020 + months / 12, months % 12 + 1);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:00", rest / 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_rise_and_differ() {
        assert_eq!(moment(0), "2020-01-01 00:00:00");
        assert_eq!(moment(28 * 1_440 * 12 + 61), "2021-01-01 01:01:00");
        let all: Vec<String> = (0..50_000).map(moment).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn chunks_hold_every_line_once() {
        let lines: Vec<String> = (0..100_000).map(|n| format!("line {n} of many")).collect();
        let chunks = chunks(&lines);
        assert!(chunks.len() > 1);
        assert_eq!(chunks.concat(), (lines.join("\n") + "\n").into_bytes());
    }
}
