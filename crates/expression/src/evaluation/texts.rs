//! Values where they are: texts of columns, constants and parameters are compared and searched
//! without becoming values in flight first.
//!
//! Not here: texts that functions make (`evaluate`), the text of a value of a type (`value::cell`).

use values::datum::Datum;
use values::temporal::Zone;
use values::text::fill_with_zeros;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::node::{Kind, Node};
use crate::value::cell;

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

    /// Adds the text of one of its values; NULL adds nothing.
    pub fn write_text(&self, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
        let before = out.len();
        cell::text_of(&self.ty, datum, zone, out);
        if self.zerofill > 0 && !datum.is_null() {
            fill_with_zeros(out, before, self.zerofill);
        }
    }

    /// The text of one of its values, borrowed if it is one.
    pub fn bytes_of<'b>(&self, datum: Datum<'b>, zone: Zone, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        match datum {
            Datum::Bytes(bytes) => bytes,
            other => {
                self.write_text(other, zone, buffer);
                buffer
            }
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
