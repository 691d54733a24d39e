//! EXPLAIN, and EXPLAIN ANALYZE.
//!
//! Not here: how its lines look (`show::explain`).

use std::time::Instant;

use expression::limits::Room;
use sqlparser::ast::Query;
use syntax::scan::leading_word;
use syntax::{Cursor, item_texts};

use super::Session;
use crate::plan_cache::Plan;
use crate::reply::Reply;
use crate::show::{self, Listing, ShownAccess};
use executor::{Limits, Measures, StepMeasure};
use plan::bind::Literals;
use plan::optimize::{Sizes, look_up};
use plan::tree::{PointSelect, RowOrigin};
use results::{How, Result, RowStream, SqlError};

impl Session {
    /// EXPLAIN of the statement with this text.
    pub(super) fn explain(
        &mut self,
        format: Option<&str>,
        analyze: bool,
        text: &str,
    ) -> Result<Reply> {
        if format == Some("JSON") {
            return Err(SqlError::unsupported("EXPLAIN FORMAT=JSON"));
        }
        let word = leading_word(text.as_bytes()).to_ascii_lowercase();
        let listing = match word.as_slice() {
            b"insert" | b"replace" | b"update" | b"delete" if analyze => {
                return Err(SqlError::unsupported("EXPLAIN ANALYZE of a statement that writes"));
            }
            b"insert" | b"replace" | b"update" | b"delete" => self.explain_change(text, &word)?,
            _ if analyze => self.analyze_query(text)?,
            _ => self.explain_query(format, text)?,
        };
        let rows = super::source::ValueRows::new(listing.rows, Room::default());
        let columns = listing.columns.into();
        Ok(Reply::Rows(RowStream::new(columns, self.variables.zone, rows)))
    }

    fn query_of_text(&self, text: &str) -> Result<Box<Query>> {
        let mut cursor = Cursor::new(text, self.variables.mode)?;
        let query: Box<Query> = cursor.query()?;
        cursor.expect_end()?;
        Ok(query)
    }

    /// EXPLAIN ANALYZE: runs the query, and shows beside each step what it came to.
    fn analyze_query(&mut self, text: &str) -> Result<Listing> {
        let query = self.query_of_text(text)?;
        let plan = self.plan_query(&query, &item_texts(text), &[]).map_err(SqlError::from)?;
        self.check_explained(&plan.views, &plan.tables)?;
        if self.runs_over_rows(&plan) {
            let (facts, view, measures) = (self.facts(), self.read_view()?, Measures::default());
            let limits = Limits::of(&*view, How::POOL, self.bounds_of(&plan));
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

    fn explain_query(&mut self, format: Option<&str>, text: &str) -> Result<Listing> {
        let query = self.query_of_text(text)?;
        let (facts, view) = (self.facts(), self.read_view()?);
        let sizes = &Sizes::new(&facts, &*view, &[]);
        let known = Literals::Known(&[]);
        let bound = self.bind(&query, &item_texts(text), known).map_err(SqlError::from)?;
        self.check_explained(&bound.views, &bound.tables)?;
        let look_up = if format == Some("TREE") { None } else { look_up(&bound) };
        let plan = match &look_up {
            Some(found) if !found.covered => None,
            _ => Some(self.planned(bound, &[])?),
        };
        let is_tree =
            |found: &PointSelect| plan.as_ref().is_some_and(|plan| found.is_read_by_entries(plan));
        if let Some(found) = look_up.as_ref().filter(|found| !is_tree(found)) {
            return show::explain_lines(sizes, "SIMPLE", found.from.as_ref().map(of_look_up));
        }
        let Some(plan) = plan else { return Err(SqlError::other("a query without a plan")) };
        if !self.runs_over_rows(&plan) {
            let context = self.query_context()?;
            match self.sql.long_queries().explain(&plan, &context) {
                Ok(lines) => return Ok(show::plan_text(&lines)),
                Err(SqlError::NotLowerable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match format {
            Some("TREE") => show::plan_text(&show::tree_lines(&plan.query)),
            _ => show::explain_table(&plan.query),
        })
    }

    fn explain_change(&mut self, text: &str, word: &[u8]) -> Result<Listing> {
        let plan = self.plan_of_text(text)?;
        if let Some(query) = plan.query() {
            self.check_explained(&query.views, &query.tables)?;
        }
        let facts = self.facts();
        let sizes = &Sizes::new(&facts, self.sql.engine().latest(), &[]);
        let kind = match word {
            b"insert" => "INSERT",
            b"replace" => "REPLACE",
            b"update" => "UPDATE",
            _ => "DELETE",
        };
        // Rows that a query gives or finds are looked for as its own.
        if let Some(query) = plan.needed_query() {
            return Ok(show::explain_table(&query.query));
        }
        match &plan {
            Plan::Update(plan) => {
                let (table, name, access) = (plan.table(), plan.shown(), plan.access());
                let index_use = plan.index_use();
                let shown =
                    ShownAccess { table, name, access, index_use, sorted: false, joined: &[] };
                show::explain_lines(sizes, kind, Some(shown))
            }
            Plan::Delete(plan) => {
                let (table, name, access) = (plan.table(), plan.shown(), plan.access());
                let index_use = plan.index_use();
                let shown =
                    ShownAccess { table, name, access, index_use, sorted: false, joined: &[] };
                show::explain_lines(sizes, kind, Some(shown))
            }
            _ => show::explain_lines(sizes, kind, None),
        }
    }
}

/// The way of a look-up.
fn of_look_up(from: &RowOrigin) -> ShownAccess<'_> {
    let RowOrigin { table, shown, access, index_use, sorted, .. } = from;
    ShownAccess { table, name: shown, access, index_use, sorted: !sorted, joined: &[] }
}
