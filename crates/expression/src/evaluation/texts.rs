//! Values where they are: texts of columns, constants and parameters are compared and searched
//! without becoming values in flight first.
//!
//! Not here: texts that functions make (`evaluate`).

use values::datum::Datum;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::node::{Kind, Node};

/// What stands in the place that an expression names.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// NULL.
    Null,
    /// A text, or bytes.
    Text(&'a [u8]),
    /// Something else; or the expression names no place.
    Other,
}

impl Node {
    /// The value of a constant, a parameter, or what is known once it is asked for.
    #[inline]
    pub(crate) fn known<'a>(&'a self, scope: &Scope<'a>) -> Option<Datum<'a>> {
        match &self.kind {
            Kind::Constant(value) => Some(value.as_datum()),
            Kind::Parameter(number) => scope.parameters.get(usize::from(*number)).copied(),
            Kind::Once(once) => once.known(scope),
            _ => None,
        }
    }

    /// The text that is there for an expression over a scope.
    ///
    /// # Errors
    /// Those of damaged rows.
    #[inline]
    pub(crate) fn place<'a>(&'a self, scope: &Scope<'a>) -> Result<Place<'a>> {
        Ok(match &self.kind {
            Kind::Column(column) => match scope.row.column(*column)? {
                Datum::Bytes(text) => Place::Text(text),
                Datum::Null => Place::Null,
                _ => Place::Other,
            },
            _ => match self.known(scope) {
                Some(Datum::Bytes(text)) => Place::Text(text),
                _ => Place::Other,
            },
        })
    }
}
