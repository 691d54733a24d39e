//! Full-text searches of a statement: each is made once in an execution, and its rows are looked
//! for when somebody asks for them.
//!
//! Invariants
//! 1. What a search counts and what it finds are of one state, that of the statement with its
//!    transaction's own writes.
//!
//! Not here: entries (`rows::full_text`), the value of MATCH (`expression`).

use std::cell::OnceCell;
use std::rc::Rc;

use expression::{RankedSearch, Scope, SearchStatistics, SearchTerms};
use plan::tree::{FullTextMode, FullTextQuery};
use results::Result;
use rows::FullTextView;
use values::datum::Datum;

use super::Execution;

/// A search of an execution.
pub(super) struct FullTextSearch {
    /// What MATCH is computed of.
    pub statistics: Vec<u8>,
    ranked: RankedSearch,
    entries: Vec<u64>,
    /// The keys of its rows.
    rows: OnceCell<Rc<Vec<Vec<u8>>>>,
}

impl Execution<'_> {
    /// A search, by the id of its query.
    pub(super) fn searched(
        &self,
        id: usize,
        query: &FullTextQuery,
        scope: &Scope<'_>,
    ) -> Result<Rc<FullTextSearch>> {
        if let Some(known) = self.searches.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let against = query.against.evaluate(scope)?;
        let text = match against.datum() {
            Datum::Null => String::new(),
            datum => {
                let mut buffer = Vec::new();
                let bytes = query.against.bytes_of(datum, scope.zone, &mut buffer);
                String::from_utf8_lossy(bytes).into_owned()
            }
        };
        let codec = &query.table.full_text_codecs[query.index];
        let terms = SearchTerms {
            text,
            boolean: query.mode == FullTextMode::Boolean,
            rules: codec.analyzer().rules(),
            collation: codec.collation,
            expansion: Vec::new(),
        };
        let mut search = self.with_counts(query, terms.clone())?;
        if query.mode == FullTextMode::Expanded {
            let found = self.rows_of_search(query, &search)?;
            let of = self.full_text_view(query);
            let mut share = self.engine.budget().share();
            let expansion =
                self.engine.words_of_rows(of, &found, search.ranked.search(), &mut share)?;
            search = self.with_counts(query, SearchTerms { expansion, ..terms })?;
        }
        let search = Rc::new(search);
        self.searches.borrow_mut().insert(id, Rc::clone(&search));
        Ok(search)
    }

    /// The keys of the rows that a search finds, the most relevant first.
    pub(super) fn rows_by_search(
        &self,
        id: usize,
        query: &FullTextQuery,
        scope: &Scope<'_>,
    ) -> Result<Rc<Vec<Vec<u8>>>> {
        let search = self.searched(id, query, scope)?;
        if let Some(rows) = search.rows.get() {
            return Ok(Rc::clone(rows));
        }
        let rows = Rc::new(self.rows_of_search(query, &search)?);
        Ok(Rc::clone(search.rows.get_or_init(|| rows)))
    }

    fn full_text_view<'v>(&'v self, query: &'v FullTextQuery) -> FullTextView<'v> {
        let (table, index) = (&*query.table, query.index);
        FullTextView { view: self.view, table, index, reach: self.how.reach }
    }

    /// A search whose words are counted.
    fn with_counts(&self, query: &FullTextQuery, terms: SearchTerms) -> Result<FullTextSearch> {
        let of = self.full_text_view(query);
        let codec = &query.table.full_text_codecs[query.index];
        let words = terms.search(codec.analyzer())?;
        let entries = self.engine.count_words(of, &words)?;
        let rows = self.engine.rows_for_rank(of)?;
        let statistics = SearchStatistics { terms, rows, entries: entries.clone() };
        let ranked = RankedSearch::new(&statistics)?;
        let statistics = statistics.encode();
        Ok(FullTextSearch { statistics, ranked, entries, rows: OnceCell::new() })
    }

    fn rows_of_search(
        &self,
        query: &FullTextQuery,
        search: &FullTextSearch,
    ) -> Result<Vec<Vec<u8>>> {
        let of = self.full_text_view(query);
        let mut share = self.engine.budget().share();
        let keys = self.engine.find_ranked(of, &search.ranked, &search.entries, &mut share)?;
        self.draw(share.bytes())?;
        Ok(keys)
    }
}
