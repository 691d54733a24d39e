//! DuckDB or MonetDB on files of its own, inside a Python that the lab talks with by lines.
//!
//! Not here: what it is asked (`queries`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use super::queries::ResultCells;
use crate::peers::bytes_below;

/// What its data are called.
const FILE: &str = "flights.db";

/// Which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// DuckDB.
    DuckDb,
    /// MonetDB, as a library (monetdbe).
    MonetDb,
}

/// A running one.
pub struct EmbeddedDatabase {
    /// Which it is.
    pub product: Product,
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    threads: usize,
    /// What it says that it is.
    pub version: String,
    directory: TempDir,
}

impl Product {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Product::DuckDb => "duckdb",
            Product::MonetDb => "monetdb",
        }
    }

    /// The statements that load a text of fields between `|`.
    pub fn load(self, text: &Path) -> Vec<String> {
        let text = text.display();
        match self {
            Product::DuckDb => vec![
                format!("COPY ontime FROM '{text}' (DELIMITER '|', HEADER false, NULLSTR '\\N')"),
                "CHECKPOINT".to_owned(),
            ],
            Product::MonetDb => vec![format!(
                "COPY INTO ontime FROM '{text}' USING DELIMITERS '|', E'\\n' NULL AS '\\\\N'"
            )],
        }
    }
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
    product: Product,
    directory: &Path,
    threads: usize,
) -> Result<(Process, ChildStdin, BufReader<ChildStdout>)> {
    let mut command = Command::new(python());
    command.args(["-c", include_str!("embedded.py"), product.name()]).arg(directory.join(FILE));
    command.arg(threads.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process(command.spawn().context("python3")?);
    let input = process.0.stdin.take().context("its input")?;
    let output = BufReader::new(process.0.stdout.take().context("its output")?);
    Ok((process, input, output))
}

impl EmbeddedDatabase {
    /// Starts it on an empty file.
    pub fn start(product: Product, threads: usize) -> Result<EmbeddedDatabase> {
        let directory = tempfile::tempdir()?;
        let (process, input, output) = spawn(product, directory.path(), threads)?;
        let version = String::new();
        let mut peer =
            EmbeddedDatabase { product, process, input, output, threads, version, directory };
        let hello = peer.line()?;
        peer.version = hello["version"].as_str().context("its version")?.to_owned();
        Ok(peer)
    }

    /// Ends it as it ends when its program does, and starts it on the same file.
    pub fn start_again(&mut self) -> Result<()> {
        self.process.end();
        let (process, input, output) = spawn(self.product, self.directory.path(), self.threads)?;
        (self.process, self.input, self.output) = (process, input, output);
        self.line().map(drop)
    }

    /// Runs a statement.
    pub fn run(&mut self, sql: &str) -> Result<ResultCells> {
        writeln!(self.input, "{}", Value::String(sql.to_owned()))?;
        let answer = self.line()?;
        Ok(serde_json::from_value(answer["rows"].clone())?)
    }

    /// Bytes of its files.
    pub fn file_bytes(&self) -> u64 {
        bytes_below(self.directory.path())
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("{} has ended", self.product.name()))?;
        match answer["error"].as_str() {
            Some(error) => bail!("{}: {error}", self.product.name()),
            None => Ok(answer),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
