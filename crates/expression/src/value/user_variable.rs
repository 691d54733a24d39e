//! What a user variable, `@name`, keeps of the value that it is given.
//!
//! Invariants
//! 1. A value has no type of its own beyond its kind: days, times and words of an ENUM are texts,
//!    a BIT is a number, a DECIMAL has as many digits as it showed.
//! 2. Bytes are UTF-8 unless the collation is `binary`, whatever character set it is of.
//!
//! Not here: the variables of a session and their memory (crate `sql`), the type that one has where
//! it is read (`plan::bind::variable_type`).

use std::sync::OnceLock;

use values::CharacterSet;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use crate::statement::context::UserVariable;
use crate::value::cell::text_of;

impl UserVariable {
    /// A variable that is given the value of a node of type `ty`.
    pub fn of(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> UserVariable {
        use Datum as D;
        let value = match (datum, ty) {
            (
                D::Date(_) | D::Time(_) | D::DateTime(_) | D::Timestamp(_) | D::Enum(_) | D::Set(_),
                _,
            ) => {
                let mut shown = Vec::new();
                text_of(ty, datum, zone, &mut shown);
                Value::Bytes(shown)
            }
            (D::Decimal(value), ColumnType::Decimal { scale, .. }) => {
                Value::Decimal(value.rescale(*scale).unwrap_or(value))
            }
            _ => datum.to_value(),
        };
        UserVariable { value, collation: UserVariable::collation_of(ty) }
    }

    /// Whether it is a text that a variable keeps of a value of this type, which is none itself.
    pub fn keeps_text(ty: &ColumnType) -> bool {
        ty.is_temporal() || ty.is_listed()
    }

    /// A text.
    pub fn text(text: Vec<u8>, collation: Collation) -> UserVariable {
        UserVariable { value: Value::Bytes(text), collation }
    }

    /// The collation with which it keeps values of this type: days and times as texts of latin1
    /// (MySQL 9.7: tests/oracle/sql/user-variables.sql).
    pub fn collation_of(ty: &ColumnType) -> Collation {
        static LATIN1: OnceLock<Collation> = OnceLock::new();
        let latin1 = || {
            let set = CharacterSet::parse("latin1");
            set.map_or(Collation::Utf8Mb4GeneralCi, Collation::default_of)
        };
        ty.collation().unwrap_or_else(|| *LATIN1.get_or_init(latin1))
    }
}
