//! The list of functions in `docs/sql.md`, printed from the tables of functions and compared with
//! the page.
//!
//! `make functions` updates the page.
//!
//! Not here: forms that have no row (`DATE_ADD`, `CAST`), and what differs from MySQL: the page
//! says these itself.

use std::path::Path;

use expression::{Family, Function};
use plan::tree::{AggregateFunction, WINDOW_FUNCTIONS};

const BEGIN: &str = "<!-- What follows is printed by `make functions`. -->\n";
const END: &str = "<!-- So far. -->\n";
/// As long as lines of the docs are (`scripts/wrap-docs`).
const COLUMNS: usize = 100;

/// An item of the list: a title, and the functions, each with its further names.
fn item(title: &str, functions: impl Iterator<Item = String>) -> String {
    let text = format!("- **{title}**: {}.", functions.collect::<Vec<_>>().join(", "));
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push_str(&line);
            lines.push('\n');
            line = format!("  {word}");
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines + &line + "\n"
}

fn with_further_names(names: &[&str]) -> String {
    match names {
        [name] => (*name).to_string(),
        [name, further @ ..] => format!("{name} ({})", further.join(", ")),
        [] => String::new(),
    }
}

fn list() -> String {
    let by_family = Family::LISTED
        .map(|family| item(family.title(), Function::names_of(family).map(with_further_names)));
    let aggregates = item("Aggregates", AggregateFunction::names().map(with_further_names));
    let windows = item("Windows", WINDOW_FUNCTIONS.into_iter().map(str::to_string));
    by_family.concat() + &aggregates + &windows
}

#[test]
fn the_page_lists_the_functions_that_there_are() {
    // Tests run in their package's folder, wherever they were compiled.
    let path = Path::new("../../docs/sql.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("where the list begins");
    let (listed, behind) = rest.split_once(END).expect("where the list ends");
    let list = list();
    if std::env::var_os("ROWHOUSE_WRITE_DOCS").is_some() {
        std::fs::write(path, [before, BEGIN, &list, END, behind].concat()).expect("writes");
    } else {
        assert_eq!(listed, list, "docs/sql.md is out of date: run `make functions`");
    }
}
