//! `ViewDefinition`: a query under a name, as the catalog stores it (`CREATE VIEW` in SQL), and
//! `View`, the definition as statements meet it.
//!
//! Invariants
//! 1. A view shares the names of its database with tables: there is never one of either.
//! 2. A `View` does not change: another definition is another one, and the old one knows that it
//!    was replaced (`is_current`), so that plans made with it are not used again.
//! 3. The text names tables with their databases, so it means the same wherever it is read.
//!
//! Not here: what the text says (`sql`, `bind::view`), changing the catalog (`ddl::views`).

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

/// A view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewDefinition {
    /// Its number, from the same sequence as the ids of tables; 0 before it is stored.
    pub id: u32,
    /// The database it belongs to.
    pub database: String,
    /// Its name.
    pub name: String,
    /// Names of its columns, where they were given.
    pub columns: Vec<String>,
    /// The query in canonical form.
    pub query: String,
    /// ALGORITHM.
    pub algorithm: ViewAlgorithm,
    /// Whose view it is: `name@host`.
    pub definer: String,
    /// Whether that is an account, whose rights count then; otherwise it may do everything.
    #[serde(default)]
    pub is_by_account: bool,
    /// SQL SECURITY.
    pub security: ViewSecurity,
    /// WITH CHECK OPTION.
    pub check: Option<ViewCheck>,
    /// character_set_client of the session that made it.
    pub charset_client: String,
    /// collation_connection of that session.
    pub collation_connection: String,
}

/// How a view's rows are to be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewAlgorithm {
    /// As is best.
    #[default]
    Undefined,
    /// As a part of the query around it.
    Merge,
    /// Its rows first.
    TempTable,
}

/// With whose rights a view is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewSecurity {
    /// With those of whom it belongs to.
    #[default]
    Definer,
    /// With those of the reader.
    Invoker,
}

/// Which conditions rows must fulfil that are written through a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewCheck {
    /// Its own, and those of views beneath that say so, too.
    Local,
    /// Its own and those of all views beneath.
    Cascaded,
}

/// A view as statements meet it.
#[derive(Debug)]
pub struct View {
    definition: ViewDefinition,
    is_replaced: AtomicBool,
}

impl View {
    /// A view that is the present one.
    pub(crate) fn new(definition: ViewDefinition) -> Arc<View> {
        Arc::new(View { definition, is_replaced: AtomicBool::new(false) })
    }

    /// Whether there is no other in its place by now.
    pub fn is_current(&self) -> bool {
        !self.is_replaced.load(Ordering::Acquire)
    }

    /// Another is in its place, or none.
    pub(crate) fn replace(&self) {
        self.is_replaced.store(true, Ordering::Release);
    }
}

impl Deref for View {
    type Target = ViewDefinition;

    fn deref(&self) -> &ViewDefinition {
        &self.definition
    }
}
