//! Tokyo Cabinet: a library, so what it does runs in programs of our own (`tokyo-cabinet/*.c`) that
//! are compiled when an experiment wants them. There is no server and no connection.
//!
//! - `load`: one thread puts rows as fast as it may, on a fresh database each time.
//! - `game`: threads play the game in a program that stays, within a limit of memory.

mod game;
mod load;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::generator::Sample;

pub use game::{CabinetGame, CabinetSettings, CabinetWindow};
pub use load::TokyoCabinet;

/// Its name in reports.
pub const TOKYO_CABINET: &str = "tokyo cabinet (embedded)";

/// What the programs share.
const SHARED: [(&str, &str); 2] = [
    ("measure.h", include_str!("../../../tokyo-cabinet/measure.h")),
    ("rows.h", include_str!("../../../tokyo-cabinet/rows.h")),
];

/// Compiles a program into a directory; fails where there is no compiler or no library.
fn compile(name: &str, source: &str, directory: &Path) -> Result<PathBuf> {
    for (header, text) in SHARED {
        fs::write(directory.join(header), text)?;
    }
    let (file, program) = (directory.join(format!("{name}.c")), directory.join(name));
    fs::write(&file, source)?;
    let mut compiler = Command::new("cc");
    compiler.arg("-O2").arg("-o").arg(&program).arg(&file).args(["-ltokyocabinet", "-pthread"]);
    let compiled = compiler.output().context("no C compiler")?;
    if !compiled.status.success() {
        let said = String::from_utf8_lossy(&compiled.stderr);
        if said.contains("tchdb.h") || said.contains("-ltokyocabinet") {
            bail!("libtokyocabinet-dev is not installed (scripts/install-peers installs it)");
        }
        bail!("{name}.c: {}", said.trim());
    }
    Ok(program)
}

/// Counts a line `latency_ns count` of a program.
fn count_latencies(line: &str, sample: &mut Sample) -> Option<()> {
    let (nanos, count) = line.split_once(' ')?;
    sample.latency.saturating_record_n(nanos.parse().ok()?, count.parse().ok()?);
    Some(())
}
