//! `rowhouse-lab report`: the latest results of all experiments on one page, losses first.
//!
//! Invariants
//! 1. Every figure of ours and of a peer is read from a stored result; nothing is computed of runs
//!    that were not together in one.
//! 2. The same results give the same text and drawing, byte for byte: a test compares them with
//!    what is in the docs.
//!
//! Not here: measuring (`experiments`), a single run's tables (`report`), what the source documents
//! measured (`documents`).

mod documents;
mod headline;
mod html;
mod markdown;
mod page;
mod stored;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use page::MeasuredPage;

/// Where results are, and where the page goes.
#[derive(Debug, Args)]
pub struct ReportOptions {
    /// Stored results.
    #[arg(long, default_value = "lab/results")]
    results: PathBuf,
    /// The page as Markdown.
    #[arg(long, default_value = "docs/measured.md")]
    markdown: PathBuf,
    /// The README's drawing.
    #[arg(long, default_value = "docs/pictures/measured.svg")]
    drawing: PathBuf,
    /// The page as HTML, with all drawings in it.
    #[arg(long)]
    html: Option<PathBuf>,
}

/// Reads the results and writes the page.
pub fn run(options: &ReportOptions) -> Result<()> {
    let results = stored::read(&options.results)?;
    let page = MeasuredPage::of(&results);
    write(&options.markdown, &markdown::text(&page))?;
    write(&options.drawing, &headline::drawing(&results)?.text()?)?;
    if let Some(file) = &options.html {
        write(file, &html::text(&page, &options.results)?)?;
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree: tests run in their package's folder, wherever they were compiled.
    fn root() -> PathBuf {
        PathBuf::from("../..")
    }

    #[test]
    fn the_docs_say_what_the_stored_results_say() {
        let dir = tempfile::tempdir().unwrap();
        let options = ReportOptions {
            results: root().join("lab/results"),
            markdown: dir.path().join("measured.md"),
            drawing: dir.path().join("measured.svg"),
            html: Some(dir.path().join("measured.html")),
        };
        run(&options).unwrap();
        for (file, made) in [
            ("docs/measured.md", &options.markdown),
            ("docs/pictures/measured.svg", &options.drawing),
        ] {
            let kept = fs::read_to_string(root().join(file)).unwrap();
            let made = fs::read_to_string(made).unwrap();
            // Docs are wrapped once they are made.
            let same = kept.split_whitespace().eq(made.split_whitespace());
            assert!(same, "{file} is not of these results: run `rowhouse-lab report`");
        }
        let html = fs::read_to_string(options.html.unwrap()).unwrap();
        assert!(html.contains("<svg") && html.contains("</html>"));
        assert!(!html.contains("<script"), "a page of results runs nothing");
    }
}
