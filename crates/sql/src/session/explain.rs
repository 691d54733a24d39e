//! EXPLAIN, EXPLAIN ANALYZE, EXPLAIN FOR CONNECTION.
//!
//! Not here: what is said and how it looks (`show::explained`, `show::explain_table`,
//! `show::explain_json`, `show::explain_tree`).

use std::sync::Arc;
use std::time::Instant;

use access::Privilege;
use expression::UserVariable;
use expression::limits::Room;
use syntax::item_texts;
use syntax::scan::statement_word;
use syntax::statement::{Explain, ExplainSubject};
use values::ErrorCode;
use values::datum::Value;
use values::types::Collation;

use super::Session;
use super::into::query_without_into;
use crate::plan_cache::Plan;
use crate::reply::Reply;
use crate::show::{self, Listing, QueryExplanation, ShownAccess};
use crate::write::ChangeTarget;
use executor::{Limits, Measures, StepMeasure};
use plan::bind::Literals;
use plan::context::QueryContext;
use plan::optimize::{Sizes, look_up};
use plan::tree::{PointSelect, RowOrigin};
use plan::variables::definition;
use results::{ExecutionMode, Result, ResultColumn, RowStream, SqlError};

/// What EXPLAIN's answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplainFormat {
    /// MySQL's columns.
    Table,
    /// A document.
    Json,
    /// Lines of text.
    Tree,
}

impl Session {
    /// EXPLAIN.
    pub(super) fn explain(&mut self, explain: &Explain) -> Result<Reply> {
        let format = self.explain_format(explain)?;
        let listing = match &explain.subject {
            ExplainSubject::Text(text) => self.explain_text(format, explain.analyze, text)?,
            ExplainSubject::Connection(id) => self.explain_connection(format, *id)?,
        };
        if let Some(name) = &explain.into {
            let document = listing.rows.into_iter().next().and_then(|row| row.into_iter().next());
            let given = UserVariable {
                value: document.unwrap_or(Value::Null),
                collation: Collation::Utf8Mb4GeneralCi,
            };
            self.keep_variables(vec![(name.to_lowercase(), given)])?;
            return Ok(self.done(0));
        }
        let rows = super::source::ValueRows::new(listing.rows, Room::default());
        let columns = listing.columns.into();
        Ok(Reply::Rows(RowStream::new(columns, self.variables.zone, rows)))
    }

    /// The columns of the answer, as far as they are known before the query has a plan.
    pub(super) fn explain_columns(&self, explain: &Explain) -> Result<Arc<[ResultColumn]>> {
        let is_table = !explain.analyze && self.explain_format(explain)? == ExplainFormat::Table;
        if explain.into.is_some() {
            return Ok(Arc::from([]));
        }
        Ok(match is_table {
            true => Listing::new(&show::EXPLAIN_COLUMNS).columns.into(),
            false => show::plan_text(&[]).columns.into(),
        })
    }

    /// What the answer is to look like.
    fn explain_format(&self, explain: &Explain) -> Result<ExplainFormat> {
        let told = explain.format.clone();
        let own = || definition("explain_format").map(|own| self.variables.text(own));
        let format = match told.clone().or_else(own).as_deref() {
            None | Some("TRADITIONAL" | "DEFAULT") => ExplainFormat::Table,
            Some("JSON") => ExplainFormat::Json,
            Some("TREE") => ExplainFormat::Tree,
            Some(unknown) => {
                let message =
                    format!("Unknown EXPLAIN format name: '{}'", unknown.to_ascii_lowercase());
                return Err(SqlError::new(ErrorCode::UnknownExplainFormat, message));
            }
        };
        if explain.analyze {
            if let ExplainSubject::Connection(_) = explain.subject {
                return Err(SqlError::unsupported("EXPLAIN ANALYZE FOR CONNECTION"));
            }
            match (format, told.is_some()) {
                (ExplainFormat::Json, true) => {
                    let message = "EXPLAIN ANALYZE does not support FORMAT=JSON with \
                                   explain_json_format_version=1.";
                    return Err(SqlError::new(ErrorCode::ExplainAnalyzeJsonVersion, message));
                }
                (ExplainFormat::Table, true) => {
                    return Err(SqlError::unsupported("EXPLAIN ANALYZE with TRADITIONAL format"));
                }
                _ => return Ok(ExplainFormat::Tree),
            }
        }
        match (&explain.into, told.is_some(), format) {
            (None, ..) | (Some(_), true, ExplainFormat::Json) => Ok(format),
            (Some(_), false, _) => Err(SqlError::new(
                ErrorCode::ExplainIntoImplicitFormat,
                "EXPLAIN INTO does not support implicit FORMAT.",
            )),
            (Some(_), true, format) => {
                let name = if format == ExplainFormat::Tree { "TREE" } else { "TRADITIONAL" };
                let message = format!("EXPLAIN INTO does not support FORMAT={name}.");
                Err(SqlError::new(ErrorCode::ExplainIntoFormat, message))
            }
        }
    }

    /// The first word of a statement that has a plan.
    pub(super) fn explainable_word(text: &str) -> Option<&[u8]> {
        const WORDS: [&[u8]; 8] =
            [b"select", b"with", b"table", b"values", b"insert", b"replace", b"update", b"delete"];
        let word = statement_word(text.as_bytes());
        let is_known = WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
        (is_known || word.is_empty() && text.starts_with('(')).then_some(word)
    }

    pub(super) fn explain_text(
        &mut self,
        format: ExplainFormat,
        analyze: bool,
        text: &str,
    ) -> Result<Listing> {
        let word = statement_word(text.as_bytes()).to_ascii_lowercase();
        match word.as_slice() {
            b"insert" | b"replace" | b"update" | b"delete" if analyze => {
                Err(SqlError::unsupported("EXPLAIN ANALYZE of a statement that writes"))
            }
            b"insert" | b"replace" | b"update" | b"delete" => {
                self.explain_change(format, text, &word)
            }
            _ if analyze => self.analyze_query(text),
            _ => self.explain_query(format, text),
        }
    }

    /// Explains what another connection runs, by a plan of its own.
    fn explain_connection(&mut self, format: ExplainFormat, id: u64) -> Result<Listing> {
        let process = u32::try_from(id).ok().and_then(|id| self.sql.processes().find(id));
        let process = process.ok_or_else(|| {
            SqlError::new(ErrorCode::NoSuchThread, format!("Unknown thread id: {id}"))
        })?;
        let is_own = process.user() == self.process.user();
        if !is_own && !self.principal.rights.has_global(Privilege::Process) {
            return Err(SqlError::privilege_needed("PROCESS"));
        }
        let line = process.line();
        let text = line.info.unwrap_or_default();
        if Session::explainable_word(&text).is_none() {
            let message = "EXPLAIN FOR CONNECTION command is supported only for \
                           SELECT/UPDATE/INSERT/DELETE/REPLACE";
            return Err(SqlError::new(ErrorCode::ExplainNotSupported, message));
        }
        let own = std::mem::replace(&mut self.database, line.database);
        let listing =
            results::panics::caught(text.as_bytes(), || self.explain_text(format, false, &text));
        self.database = own;
        listing
    }

    /// EXPLAIN ANALYZE: runs the query, and shows beside each step what it came to.
    fn analyze_query(&mut self, text: &str) -> Result<Listing> {
        let query = query_without_into(text, self.variables.mode)?;
        let plan = self.plan_query(&query, &item_texts(text), &[]).map_err(SqlError::from)?;
        self.check_explained(&plan.views, &plan.tables)?;
        if self.runs_over_rows(&plan) {
            let (facts, view, measures) = (self.facts(), self.read_view()?, Measures::default());
            let limits = Limits::of(&*view, ExecutionMode::POOL, self.bounds_of(&plan));
            let limits = Limits { measures: Some(&measures), ..limits };
            let begun = Instant::now();
            if let Some(found) = self.run_with(&plan, &facts, &[], &limits)? {
                let rows = found.rows.len() as u64;
                let whole = StepMeasure { loops: 1, rows, time: begun.elapsed() };
                let lines = show::measured_lines(&plan.query, &measures, whole);
                return Ok(show::plan_text(&lines));
            }
        }
        let context = self.query_context()?;
        Ok(show::plan_text(&self.sql.long_queries().explain_analyzed(&plan, &context)?))
    }

    fn explain_query(&mut self, format: ExplainFormat, text: &str) -> Result<Listing> {
        let query = query_without_into(text, self.variables.mode)?;
        // Nothing of the session is changed: no transaction opens, and none gets its snapshot.
        let (facts, view) = (self.facts(), self.fresh_snapshot()?);
        let sizes = &Sizes::new(&facts, &*view, &[]);
        let known = Literals::Known(&[]);
        let bound = self.bind(&query, &item_texts(text), known).map_err(SqlError::from)?;
        self.check_known_texts(&bound.compared_texts)?;
        self.check_explained(&bound.views, &bound.tables)?;
        // Its plan as a tree tells more than lines have room for.
        let look_up = if format == ExplainFormat::Table { look_up(&bound) } else { None };
        let plan = match &look_up {
            Some(found) if !found.covered => None,
            _ => Some(self.planned(bound, &[])?),
        };
        let is_tree =
            |found: &PointSelect| plan.as_ref().is_some_and(|plan| found.is_read_by_entries(plan));
        if let Some(found) = look_up.as_ref().filter(|found| !is_tree(found)) {
            let shown = found.from.as_ref().map(of_look_up);
            return Ok(show::explain_table(show::explained_table(sizes, "SIMPLE", shown)?));
        }
        let Some(plan) = plan else { return Err(SqlError::other("a query without a plan")) };
        if !self.runs_over_rows(&plan) {
            let context = QueryContext { view: Arc::clone(&view), facts: Arc::clone(&facts) };
            match self.sql.long_queries().explain(&plan, &context) {
                Ok(lines) if format == ExplainFormat::Json => {
                    return Ok(show::plan_text(&[show::columns_json(&lines)]));
                }
                Ok(lines) => return Ok(show::plan_text(&lines)),
                Err(SqlError::NotLowerable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match format {
            ExplainFormat::Tree => show::plan_text(&show::tree_lines(&plan.query)),
            _ => written(format, QueryExplanation::of(&plan.query), None),
        })
    }

    fn explain_change(
        &mut self,
        format: ExplainFormat,
        text: &str,
        word: &[u8],
    ) -> Result<Listing> {
        let plan = self.plan_of_text(text)?;
        if let Some(query) = plan.query() {
            self.check_explained(&query.views, &query.tables)?;
        }
        let facts = self.facts();
        let sizes = &Sizes::new(&facts, self.sql.engine().latest(), &[]);
        let (kind, change) = match word {
            b"insert" => ("INSERT", "insert"),
            b"replace" => ("REPLACE", "replace"),
            b"update" => ("UPDATE", "update"),
            _ => ("DELETE", "delete"),
        };
        // Rows that a query gives or finds are looked for as its own.
        if let Some(query) = plan.needed_query() {
            return Ok(match format {
                ExplainFormat::Tree => show::plan_text(&show::tree_lines(&query.query)),
                _ => written(format, QueryExplanation::of(&query.query), None),
            });
        }
        let target = match &plan {
            Plan::Update(plan) => Some(plan.target()),
            Plan::Delete(plan) => Some(plan.target()),
            _ => None,
        };
        let shown = target.map(of_target);
        let explained = show::explained_table(sizes, kind, shown)?;
        Ok(match format {
            ExplainFormat::Tree => show::plan_text(&show::change_lines(kind, &explained)),
            _ => written(format, explained, Some(change)),
        })
    }
}

/// As a table or as a document; `change`: what a statement that writes does to the table.
fn written(
    format: ExplainFormat,
    explained: QueryExplanation,
    change: Option<&'static str>,
) -> Listing {
    match format {
        ExplainFormat::Json => show::plan_text(&[show::explain_json(&explained, change)]),
        ExplainFormat::Table | ExplainFormat::Tree => show::explain_table(explained),
    }
}

/// The way to the rows that an UPDATE or DELETE is about.
fn of_target(target: &ChangeTarget) -> ShownAccess<'_> {
    ShownAccess {
        table: target.table(),
        name: target.shown(),
        access: target.access(),
        index_use: target.index_use(),
        sorted: false,
        joined: &[],
    }
}

/// The way of a look-up.
fn of_look_up(from: &RowOrigin) -> ShownAccess<'_> {
    let RowOrigin { table, shown, access, index_use, sorted, .. } = from;
    ShownAccess { table, name: shown, access, index_use, sorted: !sorted, joined: &[] }
}
