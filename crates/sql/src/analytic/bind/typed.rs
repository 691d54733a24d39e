//! An expression with its MySQL type: what binding makes of a piece of SQL.
//!
//! Invariants
//! 1. `expr` has exactly the Arrow type of `kind` (`columns`); a truth value is Arrow's Boolean
//!    and becomes 0 or 1 only where a number is wanted.
//! 2. `constant` is there for whatever is known before the query runs, unless it is a long text,
//!    and equals `expr`.
//!
//! Not here: conversions (`cast`), operators.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use rows::datum::Value;
use rows::types::{Collation, ColumnType, IntWidth};

use super::super::columns::{arrow_type, collation_of, scalar_of};
use super::super::kernels::{COPIED_BYTES_MAX, LongText};
use super::cast::call;
use crate::reply::ResultColumn;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analytic) enum Kind {
    /// The literal NULL: any type.
    Null,
    /// True, false or unknown.
    Truth,
    /// A value of a MySQL type.
    Of(ColumnType),
}

impl Kind {
    /// The type as which a client sees it.
    pub(in crate::analytic) fn column_type(&self) -> ColumnType {
        match self {
            Kind::Null => ColumnType::VarBinary { bytes: 0 },
            Kind::Truth => BIGINT,
            Kind::Of(ty) => ty.clone(),
        }
    }

    /// The Arrow type of its expressions.
    pub(in crate::analytic) fn arrow(&self) -> DataType {
        match self {
            Kind::Null => DataType::Null,
            Kind::Truth => DataType::Boolean,
            Kind::Of(ty) => arrow_type(ty),
        }
    }
}

/// BIGINT.
pub(in crate::analytic) const BIGINT: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
/// BIGINT UNSIGNED.
pub(in crate::analytic) const BIGINT_UNSIGNED: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: true, boolean: false };

/// How firmly an expression insists on its collation; lower wins, as MySQL's coercibility.
pub(in crate::analytic) mod firmness {
    /// COLLATE was written.
    pub(in crate::analytic) const EXPLICIT: u8 = 0;
    /// A column.
    pub(in crate::analytic) const COLUMN: u8 = 2;
    /// A literal or what was made of literals.
    pub(in crate::analytic) const LITERAL: u8 = 4;
    /// A number or a date.
    pub(in crate::analytic) const NUMBER: u8 = 5;
    /// NULL.
    pub(in crate::analytic) const NOTHING: u8 = 6;
}

/// A bound expression.
#[derive(Clone, Debug)]
pub(in crate::analytic) struct Typed {
    /// For DataFusion.
    pub expr: Expr,
    /// Its type.
    pub kind: Kind,
    /// Whether NULL can come out.
    pub nullable: bool,
    /// How firmly it insists on its collation.
    pub firmness: u8,
    /// Its value, if known.
    pub constant: Option<Value>,
    /// The table's column that it is, if it is nothing else.
    pub origin: Option<Arc<ResultColumn>>,
}

impl Typed {
    /// The literal NULL.
    pub(in crate::analytic) fn null() -> Typed {
        Typed {
            expr: Expr::Literal(ScalarValue::Null, None),
            kind: Kind::Null,
            nullable: true,
            firmness: firmness::NOTHING,
            constant: Some(Value::Null),
            origin: None,
        }
    }

    /// A known value.
    pub(in crate::analytic) fn literal(ty: ColumnType, value: Value) -> Typed {
        let text = matches!(value, Value::Bytes(_));
        let copied = !matches!(&value, Value::Bytes(text) if text.len() > COPIED_BYTES_MAX);
        Typed {
            expr: known(&ty, &value),
            nullable: value.is_null(),
            kind: Kind::Of(ty),
            firmness: if text { firmness::LITERAL } else { firmness::NUMBER },
            constant: copied.then_some(value),
            origin: None,
        }
    }

    /// A known truth.
    pub(in crate::analytic) fn known_truth(truth: Option<bool>) -> Typed {
        Typed {
            expr: Expr::Literal(ScalarValue::Boolean(truth), None),
            kind: Kind::Truth,
            nullable: truth.is_none(),
            firmness: firmness::NUMBER,
            constant: Some(truth.map_or(Value::Null, |truth| Value::Int(i64::from(truth)))),
            origin: None,
        }
    }

    /// A truth value that the query computes.
    pub(in crate::analytic) fn truth(expr: Expr, nullable: bool) -> Typed {
        Typed {
            expr,
            kind: Kind::Truth,
            nullable,
            firmness: firmness::NUMBER,
            constant: None,
            origin: None,
        }
    }

    /// A value that the query computes.
    pub(in crate::analytic) fn value(expr: Expr, ty: ColumnType, nullable: bool) -> Typed {
        Typed {
            expr,
            kind: Kind::Of(ty),
            nullable,
            firmness: firmness::NUMBER,
            constant: None,
            origin: None,
        }
    }

    /// The same with another firmness of its collation.
    pub(in crate::analytic) fn firm(mut self, firmness: u8) -> Typed {
        self.firmness = firmness;
        self
    }

    /// The type as which a client sees it.
    pub(in crate::analytic) fn ty(&self) -> ColumnType {
        self.kind.column_type()
    }

    /// Whether it is the literal NULL or known to be NULL.
    pub(in crate::analytic) fn is_null(&self) -> bool {
        matches!(self.constant, Some(Value::Null)) || self.kind == Kind::Null
    }

    /// Whether it is text whose collation is more than its bytes.
    pub(in crate::analytic) fn has_collation(&self) -> bool {
        matches!(&self.kind, Kind::Of(ty) if super::super::columns::is_string(ty)
            && collation_of(ty) != Collation::Binary)
    }
}

/// The expression of a known value.
pub(in crate::analytic) fn known(ty: &ColumnType, value: &Value) -> Expr {
    let long = match value {
        Value::Bytes(text) => LongText::of(text),
        _ => None,
    };
    match long {
        Some(text) => call(text, Vec::new()),
        None => Expr::Literal(scalar_of(ty, value), None),
    }
}

/// VARCHAR of a length under the connection's collation.
pub(in crate::analytic) fn varchar(chars: usize) -> ColumnType {
    ColumnType::VarChar {
        chars: u32::try_from(chars).unwrap_or(u32::MAX),
        collation: Collation::Utf8Mb4GeneralCi,
    }
}
