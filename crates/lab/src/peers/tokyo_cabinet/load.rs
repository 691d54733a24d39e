//! Updates or inserts by one thread of a program that has the library inside (`load.c`).

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::{compile, count_latencies};
use crate::generator::Sample;
use crate::peers::Durability;
use crate::peers::server::data_dir;

const SOURCE: &str = include_str!("../../../tokyo-cabinet/load.c");

/// The compiled program, in a directory that goes with it.
pub struct TokyoCabinet {
    program: PathBuf,
    dir: TempDir,
}

impl TokyoCabinet {
    /// Compiles the program; fails where there is no compiler or no library.
    pub fn compile() -> Result<TokyoCabinet> {
        let dir = data_dir("tokyocabinet")?;
        let program = compile("load", SOURCE, dir.path())?;
        Ok(TokyoCabinet { program, dir })
    }

    /// One window of updates or inserts (`load`) on a fresh database of so many rows.
    pub fn window(
        &self,
        rows: u32,
        warm: f64,
        seconds: f64,
        load: &str,
        policy: Durability,
    ) -> Result<Sample> {
        let mut command = Command::new(&self.program);
        command.arg(self.dir.path().join("rows.tch")).arg(rows.to_string());
        command.arg(warm.to_string()).arg(seconds.to_string()).arg(load).arg(policy.name());
        let ended = command.output()?;
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr).trim());
        parse(&said).context("what the program printed")
    }
}

fn parse(text: &str) -> Option<Sample> {
    let mut lines = text.lines();
    let mut totals = lines.next()?.split(' ');
    let mut sample = Sample::new();
    sample.requests = totals.next()?.parse().ok()?;
    sample.rows = sample.requests;
    sample.seconds = totals.next()?.parse().ok()?;
    sample.server_cpu = totals.next()?.parse().ok()?;
    for line in lines {
        count_latencies(line, &mut sample)?;
    }
    Some(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_and_latencies_are_read() {
        let sample = parse("3 1.500000 0.250000\n1000 2\n9000 1\n").unwrap();
        assert_eq!((sample.requests, sample.seconds, sample.server_cpu), (3, 1.5, 0.25));
        assert!((sample.latency_us(1.0) - 9.0).abs() < 0.1);
        assert!(parse("3 1.5").is_none());
    }
}
