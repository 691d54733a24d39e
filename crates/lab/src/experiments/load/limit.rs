//! What no load can do without: the keys sorted, the text written and read once, in order. A limit
//! to compare servers with, by this program itself.
//!
//! Where servers have a limit of memory that counts the page cache, the text is taken out of the
//! cache before it is read; the keys are in memory nevertheless, as many as there are.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use anyhow::{Result, ensure};
use rustix::fs::{Advice, fadvise};

use super::unsorted::UnsortedRows;
use crate::experiments::memory_limit::MemoryLimit;
use crate::experiments::timed::timed;
use crate::generator::Sample;

/// Its name in reports.
pub const LIMIT: &str = "limit: sort, write, read";
/// Bytes of a write and of a read.
const PIECE_BYTES: usize = 1 << 20;

/// Does the least that there is to do.
pub fn least(rows: UnsortedRows, limit: MemoryLimit) -> Result<Sample> {
    timed(std::process::id(), |sample| {
        let mut file = BufWriter::with_capacity(PIECE_BYTES, tempfile::tempfile()?);
        let mut keys: Vec<Vec<(u64, u64)>> = vec![Vec::new(); rows.keys];
        for (numbers, text) in rows.pieces() {
            file.write_all(&text)?;
            for row in numbers {
                for (key, sorted) in keys.iter_mut().enumerate() {
                    sorted.push((rows.key(row, key), row));
                }
            }
        }
        keys.iter_mut().for_each(|sorted| sorted.sort_unstable());
        let file = file.into_inner()?;
        file.sync_all()?;
        if limit.is_group() {
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
        read(file)?;
        let different = keys[0].windows(2).all(|pair| pair[0].0 != pair[1].0);
        ensure!(different, "two rows have one primary key");
        (sample.requests, sample.rows) = (rows.count, rows.count);
        Ok(())
    })
}

fn read(mut file: File) -> Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut piece = vec![0; PIECE_BYTES];
    while file.read(&mut piece)? > 0 {}
    Ok(())
}
