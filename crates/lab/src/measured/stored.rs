//! Stored results, read back.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::report::Report;

/// One file of results.
pub struct StoredResult {
    /// The file's name without its ending.
    pub name: String,
    /// What was measured.
    pub report: Report,
    /// Names of its drawings.
    pub drawings: Vec<String>,
}

impl StoredResult {
    /// Whether other work may have run at the same time, by the load average of the minute before.
    pub fn is_provisional(&self) -> bool {
        self.load() > LOAD_MAX
    }

    /// The load average at the start.
    pub fn load(&self) -> f64 {
        let first = self.report.machine.load_at_start.split(' ').next();
        first.and_then(|load| load.parse().ok()).unwrap_or(0.0)
    }
}

/// A run that begins with more load than this is provisional (`lab/results/README.md`).
const LOAD_MAX: f64 = 0.5;

/// All results of a directory, by their names, so that those of an experiment follow each other,
/// oldest first.
pub fn read(directory: &Path) -> Result<Vec<StoredResult>> {
    let files = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut names = Vec::new();
    for file in files {
        names.push(file?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut results = Vec::new();
    for file in &names {
        let Some(name) = file.strip_suffix(".json") else { continue };
        let text = fs::read_to_string(directory.join(file))?;
        let report = serde_json::from_str(&text).with_context(|| file.clone())?;
        let is_drawing = |other: &&String| other.starts_with(name) && other.ends_with(".svg");
        let drawings = names.iter().filter(is_drawing).cloned().collect();
        results.push(StoredResult { name: name.to_owned(), report, drawings });
    }
    if results.is_empty() {
        bail!(
            "{} holds no results: `--results DIR` of an experiment keeps them",
            directory.display()
        );
    }
    Ok(results)
}
