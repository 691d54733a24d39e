//! Full-text search: `MATCH (columns) AGAINST (text)`.
//!
//! ```text
//! parse    what is searched for, as written: words, phrases, operators
//! search   the same as a tree over words, and what it makes of one text
//! ranked   a search with how rare its words are: the relevance of a text
//! ```
//! A search finds its rows by entries of words (`rows::full_text`); the value of MATCH is computed
//! of the row's texts, by the same rules, so that both say the same.
//!
//! Not here: cutting texts into words (`values::full_text`).

mod parse;
mod ranked;
mod search;

pub(crate) use ranked::match_against;
pub use ranked::{RankedSearch, SearchStatistics, SearchTerms};
pub use search::{SearchWord, TextSearch};
