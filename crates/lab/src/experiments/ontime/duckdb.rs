//! DuckDB on a file of its own, inside a Python that the lab talks with by lines.
//!
//! Not here: what it is asked (`queries`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use super::queries::Rows;

/// A running DuckDB.
pub struct DuckDb {
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    threads: usize,
    /// What it says that it is.
    pub version: String,
    directory: TempDir,
}

/// Ends with its owner.
struct Process(Child);

/// The Python that `scripts/install-peers` fills, else any.
fn python() -> PathBuf {
    let own = std::env::var_os("HOME")
        .map(|home| Path::new(&home).join(".cache/rowhouse/clients/venv/bin/python"));
    own.filter(|python| python.exists()).unwrap_or_else(|| "python3".into())
}

impl Process {
    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A Python that has opened the file of this directory, or is about to say why not.
fn spawn(
    directory: &Path,
    threads: usize,
) -> Result<(Process, ChildStdin, BufReader<ChildStdout>)> {
    let mut command = Command::new(python());
    command.args(["-c", include_str!("duckdb.py")]).arg(directory.join("flights.db"));
    command.arg(threads.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process(command.spawn().context("python3")?);
    let input = process.0.stdin.take().context("its input")?;
    let output = BufReader::new(process.0.stdout.take().context("its output")?);
    Ok((process, input, output))
}

impl DuckDb {
    /// Starts it on an empty file.
    pub fn start(threads: usize) -> Result<DuckDb> {
        let directory = tempfile::tempdir()?;
        let (process, input, output) = spawn(directory.path(), threads)?;
        let version = String::new();
        let mut duckdb = DuckDb { process, input, output, threads, version, directory };
        let hello = duckdb.line()?;
        duckdb.version = hello["version"].as_str().context("DuckDB's version")?.to_owned();
        Ok(duckdb)
    }

    /// Ends it as it ends when its program does, and starts it on the same file.
    pub fn start_again(&mut self) -> Result<()> {
        self.process.end();
        let (process, input, output) = spawn(self.directory.path(), self.threads)?;
        (self.process, self.input, self.output) = (process, input, output);
        self.line().map(drop)
    }

    /// Runs a statement.
    pub fn run(&mut self, sql: &str) -> Result<Rows> {
        writeln!(self.input, "{}", Value::String(sql.to_owned()))?;
        let answer = self.line()?;
        Ok(serde_json::from_value(answer["rows"].clone())?)
    }

    /// Bytes of its file.
    pub fn file_bytes(&self) -> u64 {
        let size = |file: &str| {
            std::fs::metadata(self.directory.path().join(file)).map_or(0, |file| file.len())
        };
        size("flights.db") + size("flights.db.wal")
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line).context("DuckDB's Python has ended")?;
        match answer["error"].as_str() {
            Some(error) => bail!("DuckDB: {error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
