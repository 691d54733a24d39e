//! Texts where they are: those of columns, constants and parameters are compared and searched without
//! becoming values in flight first.
//!
//! Not here: texts that functions make (`evaluate`).

use values::datum::{Datum, Value};

use crate::error::Result;
use crate::node::{Kind, Node};
use crate::scope::Scope;

/// What stands in the place that an expression names.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// NULL.
    Null,
    /// A text, or bytes.
    Text(&'a [u8]),
    /// Something else; or the expression names no place.
    Other,
}

impl Node {
    /// The text of a constant or a parameter.
    pub(super) fn known_text<'a>(&'a self, scope: &Scope<'a>) -> Option<&'a [u8]> {
        match &self.kind {
            Kind::Constant(Value::Bytes(text)) => Some(text),
            Kind::Parameter(number) => match scope.parameters.get(usize::from(*number)) {
                Some(Datum::Bytes(text)) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text that is there for an expression over a scope.
    ///
    /// # Errors
    /// Those of damaged rows.
    #[inline]
    pub(super) fn place<'a>(&'a self, scope: &Scope<'a>) -> Result<Place<'a>> {
        Ok(match &self.kind {
            Kind::Column(column) => match scope.row.column(*column)? {
                Datum::Bytes(text) => Place::Text(text),
                Datum::Null => Place::Null,
                _ => Place::Other,
            },
            _ => self.known_text(scope).map_or(Place::Other, Place::Text),
        })
    }
}
