//! EXPLAIN FORMAT=TREE, EXPLAIN ANALYZE, and EXPLAIN of queries over the bound tree: one line for
//! each step, with the way to its rows and how many are expected.
//!
//! Not here: EXPLAIN of look-ups in MySQL's columns (`explain`).

use std::fmt::Write;

use expression::{Kind, Node, Subquery, SubqueryForm};

use super::explained::{ExplainedTable, QueryExplanation};
use executor::{Measures, StepMeasure};
use plan::point::{Access, AccessKind};
use plan::tree::{
    AskedQuery, Body, JoinStep, Member, Query, Relation, Scan, Select, SetOperator, Source,
};

/// A plan's lines.
pub fn tree_lines(query: &Query) -> Vec<String> {
    let mut lines = TreeLines { lines: Vec::new(), measures: None };
    lines.query(query, 0);
    lines.lines
}

/// A plan's lines with what its steps came to, and the whole of it. As in MySQL, times are
/// milliseconds, and times and rows are those of one loop, on average.
pub fn measured_lines(query: &Query, measures: &Measures, whole: StepMeasure) -> Vec<String> {
    let mut lines = TreeLines { lines: Vec::new(), measures: Some(measures) };
    lines.push(0, format!("Result  {}", actual(whole)));
    lines.query(query, 1);
    lines.lines
}

/// The lines of a statement that writes to rows of one table, or adds some.
pub fn change_lines(kind: &str, explained: &QueryExplanation) -> Vec<String> {
    let mut lines = TreeLines { lines: Vec::new(), measures: None };
    lines.push(0, kind);
    if let QueryExplanation::Block(block) = explained {
        for ExplainedTable { line, .. } in &block.tables {
            let words = match &line.key {
                Some(key) => format!("Rows of {} by {key}", line.table),
                None => format!("All of {}", line.table),
            };
            lines.push(1, format!("{words}  (rows={})", line.rows()));
        }
    }
    lines.lines
}

fn actual(measured: StepMeasure) -> String {
    let StepMeasure { loops, rows, time } = measured;
    if loops == 0 {
        return "(never executed)".to_owned();
    }
    let milliseconds = time.as_secs_f64() * 1e3 / loops as f64;
    let rows = rows as f64 / loops as f64;
    format!("(actual time={milliseconds:.3} rows={} loops={loops})", (rows * 100.0).round() / 100.0)
}

struct TreeLines<'m> {
    lines: Vec<String>,
    measures: Option<&'m Measures>,
}

impl TreeLines<'_> {
    fn push(&mut self, depth: usize, text: impl AsRef<str>) {
        self.lines.push(format!("{}-> {}", "    ".repeat(depth), text.as_ref()));
    }

    fn query(&mut self, query: &Query, mut depth: usize) {
        if query.limit.is_some() || query.offset.is_some() {
            self.push(depth, "Limit");
            depth += 1;
        }
        match &query.body {
            Body::Select(select) => self.select(select, query, depth),
            Body::Set(set) => {
                let name = match set.operator {
                    SetOperator::Union => "Union",
                    SetOperator::Intersect => "Intersect",
                    SetOperator::Except => "Except",
                };
                let all = if set.all { " all" } else { "" };
                if !query.order.is_empty() {
                    self.push(depth, "Sort");
                    depth += 1;
                }
                self.push(depth, format!("{name}{all}  (rows={:.0})", query.rows));
                for side in &set.sides {
                    self.query(side, depth + 1);
                }
            }
            Body::Recursion(recursion) => {
                self.push(depth, format!("Recursion  (rows={:.0})", query.rows));
                self.query(&recursion.first, depth + 1);
                self.query(&recursion.next, depth + 1);
            }
            Body::Values(rows) => self.push(depth, format!("Values  (rows={})", rows.len())),
            Body::FullText(search) => {
                let index = &search.table.full_texts[search.index].name;
                self.push(depth, format!("Words of a search in {index}"));
            }
            Body::JsonTable(_) => self.push(depth, "Rows of a JSON document"),
        }
    }

    fn select(&mut self, select: &Select, query: &Query, mut depth: usize) {
        if let Some(late) = &select.plan.late {
            let name = &select.relations[late.relation].name;
            self.push(depth, format!("Look up rows of {name} by PRIMARY"));
            depth += 1;
        }
        if !query.order.is_empty() && !select.plan.ordered {
            self.push(depth, "Sort");
            depth += 1;
        }
        if select.distinct {
            self.push(depth, "Distinct by hash");
            depth += 1;
        }
        if let Some(windowing) = &select.windowing {
            self.push(depth, format!("Window functions: {}", windowing.functions.len()));
            depth += 1;
        }
        if let Some(grouping) = &select.grouping {
            let what = match (grouping.keys.is_empty(), select.plan.first_row) {
                (true, true) => "First row of an index has the extreme".to_string(),
                (true, false) => "Aggregate".to_string(),
                (false, _) if select.plan.grouped => {
                    format!("Group in order  (rows={:.0})", query.rows)
                }
                (false, _) => format!("Group by hash  (rows={:.0})", query.rows),
            };
            self.push(depth, what);
            depth += 1;
        }
        self.subqueries(select.outputs.iter().chain(&select.having), depth);
        if select.plan.is_known {
            let names = select.relations.iter().map(|relation| relation.name.as_str());
            let name = names.collect::<Vec<_>>().join(", ");
            return self.push(depth, format!("Known of {name} by column"));
        }
        self.subqueries(select.plan.once.iter(), depth);
        self.steps(&select.relations, &select.plan.steps, depth);
        if select.plan.steps.is_empty() {
            self.push(depth, "One row");
        }
    }

    fn steps(&mut self, relations: &[Relation], steps: &[JoinStep], depth: usize) {
        for (n, step) in steps.iter().enumerate() {
            let depth = depth + n;
            let join = match (n, step.outer) {
                (0, false) => "",
                (_, false) => "Join ",
                (_, true) => "Left join ",
            };
            match &step.member {
                Member::Scan(scan) => {
                    let mut line = format!("{join}{}", scan_words(&relations[scan.relation], scan));
                    let _ = write!(line, "  (rows={:.0})", step.rows.max(1.0).round());
                    if let Some(measures) = self.measures {
                        let _ = write!(line, " {}", actual(measures.of(step)));
                    }
                    self.push(depth, line);
                    if let Source::Query(inner) = &relations[scan.relation].source {
                        self.query(inner, depth + 1);
                    }
                    let residual = scan.access.iter().flat_map(|access| &access.residual);
                    self.subqueries(residual.chain(&scan.terms), depth + 1);
                }
                Member::Group(inner, _) => {
                    self.push(depth, format!("{join}of several"));
                    self.steps(relations, inner, depth + 1);
                }
            }
            self.subqueries(step.filters.iter().chain(&step.after), depth + 1);
        }
    }

    /// The sub-queries of expressions.
    fn subqueries<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>, depth: usize) {
        for node in nodes {
            node.visit(&mut |node| {
                if let Kind::Subquery(subquery) = &node.kind {
                    self.subquery(subquery, depth);
                }
            });
        }
    }

    fn subquery(&mut self, subquery: &Subquery, depth: usize) {
        if matches!(subquery.query().body, Body::FullText(_)) {
            return;
        }
        let what = match &subquery.form {
            SubqueryForm::Scalar => "Value of a sub-query",
            SubqueryForm::Exists { negated: false } => "Exists",
            SubqueryForm::Exists { negated: true } => "Not exists",
            SubqueryForm::Compare { .. } => "Compared with a sub-query",
        };
        let how = match (subquery.members(), subquery.is_correlated()) {
            (Some(_), _) => "for each row, or looked up if many ask",
            (None, true) => "for each row",
            (None, false) => "once",
        };
        self.push(depth, format!("{what}, {how}"));
        self.query(subquery.query(), depth + 1);
        if let Some(members) = subquery.members() {
            self.push(depth + 1, "Looked up among");
            self.query(&members.query, depth + 2);
        }
    }
}

fn scan_words(relation: &Relation, scan: &Scan) -> String {
    let name = &relation.name;
    let hashed = if scan.hash.is_some() { " by a hash table" } else { "" };
    match (&relation.source, &scan.access) {
        (Source::Table(table), Some(access)) => {
            let names = access.indexes().map(|index| table.indexes[index].name.as_str());
            let index = match access.full_text(table).or_else(|| access.multi_valued(table)) {
                Some(name) => name.to_owned(),
                None => names.collect::<Vec<_>>().join(" or "),
            };
            let filter = if access.takes_all(false) { "" } else { ", filtered" };
            let only = if scan.covering.is_some() { ", index only" } else { "" };
            format!("{}{only}{hashed}{filter}", access_words(name, &index, access))
        }
        (Source::Listing(_), _) => format!("Listing {name}{hashed}"),
        (Source::File(files), _) => format!("{} as {name}{hashed}", files.shown()),
        (Source::Added(_), _) => format!("Rows of {name} that were added last"),
        _ => format!("Derived table {name}{hashed}"),
    }
}

fn access_words(name: &str, index: &str, access: &Access) -> String {
    match access.kind {
        AccessKind::Const => format!("Row of {name} by {index}"),
        AccessKind::FullText => {
            format!("Rows of {name} by full-text index {index}")
        }
        AccessKind::MultiValued => format!("Rows of {name} by elements in {index}"),
        AccessKind::Ref => format!("Rows of {name} by {index}"),
        AccessKind::Merge => format!("Rows of {name} by {index}"),
        AccessKind::Range => format!("Range of {name} by {index}"),
        AccessKind::Index => format!("All of {name} in the order of {index}"),
        AccessKind::All if access.index > 0 => format!("All of {name} by {index}"),
        AccessKind::All => format!("All of {name}"),
    }
}
