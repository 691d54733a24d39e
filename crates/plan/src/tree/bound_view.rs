//! `BoundView`: a view that a query was bound with.
//!
//! Not here: views and their text (`rows::view`), binding them (`bind::view`).

use std::sync::Arc;

use access::DefinerRights;
use rows::view::View;

/// A view with the rights under which its query was bound.
#[derive(Clone, Debug)]
pub struct BoundView {
    /// The view.
    pub view: Arc<View>,
    /// Those of the account that it belongs to; `None`: those of the statement around it, or of
    /// somebody who may do everything.
    pub definer: Option<Arc<DefinerRights>>,
}

impl BoundView {
    /// Whether the view, and what its definer may do, is as it was.
    pub fn is_current(&self) -> bool {
        self.view.is_current() && self.definer.as_ref().is_none_or(|rights| rights.is_current())
    }
}
