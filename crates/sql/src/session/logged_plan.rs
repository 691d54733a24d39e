//! The plan of a statement for the slow log: EXPLAIN of its text, made when it ends, or when the
//! first of its rows are there, in a word for each step.
//!
//! ```text
//! o:ALL+filesort,c:eq_ref(PRIMARY),l:ref(by_order)+index
//! ```
//!
//! Invariants
//! 1. It has no spaces: `pt-query-digest` takes it for one value of its line.
//! 2. Nothing of the session is changed by it.
//!
//! Not here: what is slow (`server::slow_log`), EXPLAIN itself (`explain`).

use std::sync::Arc;

use expression::{KillMark, Limits};
use results::panics;
use syntax::scan::skip_space;
use values::datum::Value;

use super::Session;
use super::explain::ExplainFormat;
use crate::server::SlowRule;
use crate::show::{EXPLAIN_COLUMNS, Listing};

/// Remarks of EXPLAIN that a step's word leaves out: whether terms are left is no question of the
/// way.
const LEFT_OUT: [&str; 2] = ["Using where", "Using index condition"];

impl Session {
    /// Tells the process the plan of its statement, if the slow log will have it: the statement is
    /// slow already, or has rows that are still to be found.
    pub(super) fn note_logged_plan(&mut self, rule: SlowRule, is_over: bool) {
        let slow = self.sql.history().logs().slow();
        if !slow.has_plans() || is_over && !self.process.is_slow_so_far(rule) {
            return;
        }
        if let Some(text) = self.process.explained_text() {
            let plan = self.plan_words(&text);
            self.process.note_plan(plan);
        }
    }

    /// Empty for what has no plan.
    fn plan_words(&mut self, text: &str) -> String {
        let text = text.get(skip_space(text.as_bytes(), 0)..).unwrap_or_default();
        let Some(word) = Session::explainable_word(text) else { return String::new() };
        // Warnings, and what ends the statement, are of the statement.
        let budget = self.sql.engine().budget();
        let mark = Arc::new(KillMark::default());
        let limits = Limits::new(self.variables.value_bytes_max, budget, &mark);
        let limits = std::mem::replace(&mut self.limits, Arc::new(limits));
        let warnings = self.warnings.take();
        let told = panics::caught(word, || self.explain_text(ExplainFormat::Table, false, text));
        self.limits = limits;
        self.warnings.replace(warnings);
        told.map(|listing| words(&listing)).unwrap_or_default()
    }
}

/// A word for each line of EXPLAIN; of what the columns executor runs, whose plan is a text, its
/// name.
fn words(listing: &Listing) -> String {
    if listing.columns.len() != EXPLAIN_COLUMNS.len() {
        return "columns".to_owned();
    }
    let steps: Vec<String> = listing.rows.iter().map(|row| step_word(row)).collect();
    steps.join(",")
}

/// `table:type(key)+remark`.
fn step_word(row: &[Value]) -> String {
    let cell = |name: &str| {
        let at = EXPLAIN_COLUMNS.iter().position(|column| *column == name)?;
        match row.get(at)? {
            Value::Bytes(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    };
    let mut word = cell("table").unwrap_or_else(|| "-".to_owned());
    if let Some(kind) = cell("type") {
        word.push(':');
        word.push_str(&kind);
    }
    if let Some(key) = cell("key") {
        word.push_str(&format!("({key})"));
    }
    let extra = cell("Extra").unwrap_or_default();
    let remarks = extra.split("; ").filter(|remark| !remark.is_empty());
    for remark in remarks.filter(|remark| !LEFT_OUT.contains(remark)) {
        word.push('+');
        word.push_str(remark.strip_prefix("Using ").unwrap_or(remark));
    }
    let plain = |symbol: char| if symbol.is_whitespace() || symbol == ',' { '_' } else { symbol };
    word.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use crate::show::text;

    use super::*;

    #[test]
    fn a_step_is_a_word_without_spaces() {
        let row = |table: Value, kind: Value, key: Value, extra: Value| {
            let mut row = vec![Value::Null; EXPLAIN_COLUMNS.len()];
            (row[2], row[4], row[6], row[11]) = (table, kind, key, extra);
            step_word(&row)
        };
        let all =
            row(text("my table"), text("ALL"), Value::Null, text("Using where; Using filesort"));
        assert_eq!(all, "my_table:ALL+filesort");
        let found = row(text("c"), text("ref"), text("by_name"), text("Using index"));
        assert_eq!(found, "c:ref(by_name)+index");
        let none = row(Value::Null, Value::Null, Value::Null, text("No tables used"));
        assert_eq!(none, "-+No_tables_used");
    }
}
