//! The page as Markdown, as `docs/measured.md` has it.

use super::page::{ExperimentPart, MeasuredPage, PageTable, ResultPart};

/// Where the docs find the results.
const RESULTS: &str = "../lab/results";

const HEAD: &str = "\
# What was measured

Made by `rowhouse-lab report` of the results in [lab/results](../lab/results); not edited by hand. A
ratio is ours over the peer's in the same run, in turns on the same machine: above 1 we are ahead.
`per CPU s` is the same ratio per second of the server's CPU time. A figure in brackets is of the
round that was lowest, or highest. How it is measured: [lab/README.md](../lab/README.md). What the
source documents measured is of the hardware of 2009 to 2012: compare their ratios.

A run is called provisional when the machine had other work shortly before it. Peers are those that
a result names with their versions.
";

/// The page.
pub fn text(page: &MeasuredPage) -> String {
    let mut text = HEAD.to_owned();
    let losses = page.losses.rows.len();
    text += &format!("\n## Where a peer is ahead: {losses} ratios\n\n");
    table(&page.losses, &mut text);
    for part in &page.experiments {
        experiment(part, &mut text);
    }
    text
}

fn experiment(part: &ExperimentPart, text: &mut String) {
    *text += &format!("\n## {}\n\n", part.about.name);
    paragraph(part.about.question, text);
    if let Some(theirs) = part.about.theirs {
        text.push('\n');
        paragraph(&format!("*The source documents:* {theirs}"), text);
    }
    if part.results.is_empty() {
        *text += "\nNo result is kept.\n";
    }
    for result in &part.results {
        result_part(result, text);
    }
}

fn result_part(result: &ResultPart, text: &mut String) {
    *text += &format!("\n[{name}]({RESULTS}/{name}.json)", name = result.name);
    for drawing in &result.drawings {
        *text += &format!(" ([drawing]({RESULTS}/{drawing}))");
    }
    *text += "\n\n| | |\n|---|---|\n";
    for (name, value) in &result.facts {
        *text += &format!("| {name} | {} |\n", cell(value));
    }
    for not_run in &result.not_run {
        *text += &format!("| could not run | {} |\n", cell(not_run));
    }
    for figure in &result.figures {
        *text += &format!("| figure | {} |\n", cell(figure));
    }
    text.push('\n');
    table(&result.table, text);
}

fn table(table: &PageTable, text: &mut String) {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.collect();
        format!("| {} |\n", cells.join(" | "))
    };
    *text += &line(&mut table.head.iter().map(|name| (*name).to_owned()));
    *text += &format!("|{}\n", "---|".repeat(table.head.len()));
    for row in &table.rows {
        *text += &line(&mut row.iter().map(|value| cell(value)));
    }
}

fn cell(value: &str) -> String {
    value.replace('|', "\\|").replace('\n', " ")
}

/// Prose in lines of at most 100 columns.
fn paragraph(prose: &str, text: &mut String) {
    let mut column = 0;
    for word in prose.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 100 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        *text += word;
        column += width;
    }
    text.push('\n');
}
