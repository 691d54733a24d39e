//! The page as one file of HTML: no script, nothing from elsewhere, drawings inside.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::page::{MeasuredPage, PageTable, ResultPart};

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\"><head><meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\"><title>What was measured</title>
<style>
body { font: 15px/1.45 sans-serif; max-width: 70rem; margin: 1rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .7rem 0; font-size: 14px }
td, th { border: 1px solid #aaa; padding: .15rem .5rem; text-align: left; vertical-align: top }
svg { max-width: 100%; height: auto }
</style></head><body>
<h1>What was measured</h1>
<p>A ratio is ours over the peer's in the same run, in turns on the same machine: above 1 we are
ahead. The source documents' figures are of the hardware of 2009 to 2012: compare their ratios.</p>
";

/// The page; drawings are read from the results' directory.
pub fn text(page: &MeasuredPage, results: &Path) -> Result<String> {
    let mut text = HEAD.to_owned();
    text += &format!("<h2>Where a peer is ahead: {} ratios</h2>\n", page.losses.rows.len());
    table(&page.losses, &mut text);
    for part in &page.experiments {
        text += &format!("<h2>{}</h2>\n<p>{}</p>\n", part.about.name, escaped(part.about.question));
        if let Some(theirs) = part.about.theirs {
            text += &format!("<p><em>The source documents:</em> {}</p>\n", escaped(theirs));
        }
        if part.results.is_empty() {
            text += "<p>No result is kept.</p>\n";
        }
        for result in &part.results {
            result_part(result, results, &mut text)?;
        }
    }
    text += "</body></html>\n";
    Ok(text)
}

fn result_part(result: &ResultPart, results: &Path, text: &mut String) -> Result<()> {
    *text += &format!("<h3>{}</h3>\n<table>\n", escaped(&result.name));
    let facts = result.facts.iter().map(|(name, value)| (*name, value));
    let not_run = result.not_run.iter().map(|what| ("could not run", what));
    let figures = result.figures.iter().map(|what| ("figure", what));
    for (name, value) in facts.chain(not_run).chain(figures) {
        *text += &format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(value));
    }
    *text += "</table>\n";
    table(&result.table, text);
    for drawing in &result.drawings {
        let svg = fs::read_to_string(results.join(drawing)).with_context(|| drawing.clone())?;
        *text += &format!("<details><summary>Drawing</summary>{svg}</details>\n");
    }
    Ok(())
}

fn table(table: &PageTable, text: &mut String) {
    *text += "<table>\n<tr>";
    for name in &table.head {
        *text += &format!("<th>{name}</th>");
    }
    *text += "</tr>\n";
    for row in &table.rows {
        *text += "<tr>";
        for value in row {
            *text += &format!("<td>{}</td>", escaped(value));
        }
        *text += "</tr>\n";
    }
    *text += "</table>\n";
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_measured_is_run_as_html() {
        assert_eq!(escaped("<b> & \"c\""), "&lt;b&gt; &amp; \"c\"");
    }
}
