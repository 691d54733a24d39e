//! The documents' form of a bulk load: rows of random keys of 8 bytes, of which the rest is
//! padding, as '|'-separated text in no order.

use std::io::Write;
use std::ops::Range;

use anyhow::{Result, ensure};

use super::{LoadTable, TABLE};
use crate::experiments::loading::FIELDS;
use crate::peers::Engine;
use crate::protocols::mysql;
use crate::users::mix;

/// Rows that are looked up after the load.
const CHECKED: u64 = 100;
/// Text that is sent at a time.
const PIECE_ROWS: u64 = 4_000;

/// The rows of a load.
#[derive(Debug, Clone, Copy)]
pub struct UnsortedRows {
    /// Decides the keys.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// Keys of the table: the primary one, then secondary ones.
    pub keys: usize,
    /// Bytes of a row: 8 for each key, the rest padding.
    pub bytes: usize,
}

impl UnsortedRows {
    /// Key `key` of a row; the primary ones are all different.
    pub fn key(self, row: u64, key: usize) -> u64 {
        // `mix` gives each input another output.
        mix(row ^ (self.seed << 40) ^ ((key as u64) << 56)) >> 1
    }

    /// The text, piece by piece, each with the numbers of its rows.
    pub fn pieces(self) -> impl Iterator<Item = (Range<u64>, Vec<u8>)> {
        (0..self.count.div_ceil(PIECE_ROWS)).map(move |piece| {
            let first = piece * PIECE_ROWS;
            let rows = first..self.count.min(first + PIECE_ROWS);
            let mut text = Vec::new();
            rows.clone().for_each(|row| self.push_line(row, &mut text));
            (rows, text)
        })
    }

    /// The name of key `key`'s index.
    pub fn index(self, key: usize) -> String {
        if key == 0 { "PRIMARY".to_owned() } else { format!("k{key}") }
    }

    fn padding(self) -> usize {
        self.bytes.saturating_sub(8 * self.keys)
    }

    fn push_line(self, row: u64, out: &mut Vec<u8>) {
        for key in 0..self.keys {
            // Writing to memory does not fail.
            let _ = write!(out, "{}|", self.key(row, key));
        }
        let mut letters = mix(!row ^ self.seed);
        for at in 0..self.padding() {
            if at % 8 == 0 {
                letters = mix(letters);
            }
            out.push(b'a' + (letters >> (at % 8 * 8)) as u8 % 26);
        }
        out.push(b'\n');
    }
}

impl LoadTable for UnsortedRows {
    fn mode(&self) -> String {
        let UnsortedRows { keys, bytes, .. } = self;
        let plural = if *keys == 1 { "key" } else { "keys" };
        format!("LOAD DATA, unsorted, {keys} {plural}, rows of {bytes} bytes")
    }

    fn rows(&self) -> u64 {
        self.count
    }

    fn row_bytes(&self) -> u64 {
        self.bytes as u64
    }

    fn create(&self, engine: Engine) -> String {
        let mut parts = vec!["k0 BIGINT NOT NULL PRIMARY KEY".to_owned()];
        parts.extend((1..self.keys).map(|key| format!("k{key} BIGINT NOT NULL, KEY (k{key})")));
        parts.push(format!("padding VARCHAR({}) NOT NULL", self.padding().max(1)));
        format!("CREATE TABLE {TABLE} ({}){}", parts.join(", "), engine.clause())
    }

    fn fields(&self) -> &'static str {
        FIELDS
    }

    fn text(&self) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        Box::new(self.pieces().map(|(_, text)| text))
    }

    fn verify(&self, session: &mut mysql::MysqlSession) -> Result<()> {
        for check in 0..CHECKED.min(self.count) {
            let row = mix(self.seed ^ check) % self.count;
            for key in 0..self.keys {
                let sql = format!(
                    "SELECT k0 FROM {TABLE} FORCE INDEX ({}) WHERE k{key} = {}",
                    self.index(key),
                    self.key(row, key)
                );
                let found = session.number(&sql)?;
                ensure!(found == self.key(row, 0), "{sql} found {found}");
            }
        }
        Ok(())
    }
}
