//! JSON_TABLE in FROM: bound as a query of its own that sees the relations before it, as a LATERAL
//! query does.
//!
//! Invariants
//! 1. Paths and defaults are literals of the text: a shape, from which they were taken out, has no
//!    plan of its own.
//!
//! Not here: its rows (`expression::JsonTable`), what LATERAL is (`from`).

use expression::{JsonOtherwise, JsonParts, JsonTable};
use sqlparser::ast::{
    self, CharacterLength, DataType, EnumMember, JsonTableColumn, JsonTableColumnErrorHandling,
    JsonTableNamedColumn, ValueWithSpan,
};
use values::ErrorCode;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

use super::Binder;
use super::scalar::cast::cast_type;
use super::scalar::{Bound, needs_literals, unsupported};
use super::scope::QueryScope;
use crate::tree::{Body, IMPLICIT, OutputColumn, Query};
use results::SqlError;

/// The type of a column FOR ORDINALITY.
const NUMBER: ColumnType = ColumnType::Int { width: IntWidth::Int, unsigned: true, boolean: false };

impl Binder<'_> {
    /// Binds `JSON_TABLE(document, path COLUMNS (...))`; `around` has the relations before it.
    pub(super) fn json_table(
        &self,
        document: &ast::Expr,
        path: &ValueWithSpan,
        columns: &[JsonTableColumn],
        around: &QueryScope<'_>,
    ) -> Bound<Query> {
        let scope = QueryScope::new(Some(around), Vec::new());
        let mut outputs = Vec::new();
        let parts = parts_of(path, columns, &mut outputs)?;
        let document = self.expression(&scope, document, "a table function argument")?;
        let table = JsonTable::new(document, parts, outputs.len());
        Ok(self.query_of(Body::JsonTable(Box::new(table)), outputs))
    }
}

fn parts_of(
    path: &ValueWithSpan,
    columns: &[JsonTableColumn],
    outputs: &mut Vec<OutputColumn>,
) -> Bound<JsonParts> {
    let mut parts = JsonParts::new(&literal(path)?).map_err(SqlError::from)?;
    for column in columns {
        match column {
            JsonTableColumn::ForOrdinality(name) => {
                parts.add_number(add(&name.value, NUMBER, outputs)?);
            }
            JsonTableColumn::Nested(nested) => {
                parts.add_nested(parts_of(&nested.path, &nested.columns, outputs)?);
            }
            JsonTableColumn::Named(column) => {
                let JsonTableNamedColumn { name, r#type, path, exists, on_empty, on_error } =
                    column;
                let ty = column_type(r#type)?;
                let position = add(&name.value, ty.clone(), outputs)?;
                let path = literal(path)?;
                let added = match exists {
                    true => parts.add_exists(position, ty, &path),
                    false => {
                        let clauses =
                            [otherwise(on_empty.as_ref())?, otherwise(on_error.as_ref())?];
                        parts.add_value(position, (&name.value, ty), &path, clauses)
                    }
                };
                added.map_err(SqlError::from)?;
            }
        }
    }
    Ok(parts)
}

/// Adds a column; its position.
fn add(name: &str, ty: ColumnType, outputs: &mut Vec<OutputColumn>) -> Bound<usize> {
    if outputs.iter().any(|output| output.name.eq_ignore_ascii_case(name)) {
        let message = format!("Duplicate column name '{name}'");
        return Err(SqlError::new(ErrorCode::DupFieldname, message).into());
    }
    let (name, origin) = (name.to_owned(), None);
    outputs.push(OutputColumn {
        name,
        ty,
        nullable: true,
        origin,
        keeps_digits: false,
        coercibility: IMPLICIT,
    });
    Ok(outputs.len() - 1)
}

/// A path.
fn literal(value: &ValueWithSpan) -> Bound<String> {
    match &value.value {
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
            Ok(text.clone())
        }
        ast::Value::Placeholder(_) => needs_literals("a path of JSON_TABLE that is no literal"),
        other => Err(SqlError::syntax(&other.to_string(), 1).into()),
    }
}

fn otherwise(clause: Option<&JsonTableColumnErrorHandling>) -> Bound<JsonOtherwise> {
    use JsonTableColumnErrorHandling as E;
    Ok(match clause {
        None | Some(E::Null) => JsonOtherwise::Null,
        Some(E::Error) => JsonOtherwise::Error,
        Some(E::Default(value)) if matches!(value.value, ast::Value::Number(..)) => {
            let what = "non-string DEFAULT value for a column in a JSON_TABLE expression";
            return Err(SqlError::unsupported(what).into());
        }
        Some(E::Default(value)) => JsonOtherwise::Default(literal(value)?),
    })
}

/// The type of a column, as of one of a table.
fn column_type(ty: &DataType) -> Bound<ColumnType> {
    let collation = Collation::Utf8Mb4GeneralCi;
    let int = |width, unsigned| ColumnType::Int { width, unsigned, boolean: false };
    let text = |size| ColumnType::Text { size, collation };
    let blob = |size| ColumnType::Blob { size };
    let chars = |length: &Option<CharacterLength>| match length {
        Some(CharacterLength::IntegerLength { length, .. }) => Some(*length as u32),
        _ => None,
    };
    Ok(match ty {
        DataType::TinyInt(Some(1)) | DataType::Bool | DataType::Boolean => {
            ColumnType::Int { width: IntWidth::Tiny, unsigned: false, boolean: true }
        }
        DataType::TinyInt(_) => int(IntWidth::Tiny, false),
        DataType::TinyIntUnsigned(_) => int(IntWidth::Tiny, true),
        DataType::SmallInt(_) => int(IntWidth::Small, false),
        DataType::SmallIntUnsigned(_) => int(IntWidth::Small, true),
        DataType::MediumInt(_) => int(IntWidth::Medium, false),
        DataType::MediumIntUnsigned(_) => int(IntWidth::Medium, true),
        DataType::Int(_) | DataType::Integer(_) => int(IntWidth::Int, false),
        DataType::IntUnsigned(_) | DataType::IntegerUnsigned(_) => int(IntWidth::Int, true),
        DataType::BigInt(_) => int(IntWidth::Big, false),
        DataType::BigIntUnsigned(_) => int(IntWidth::Big, true),
        DataType::Char(length) | DataType::Character(length) => {
            ColumnType::Char { chars: chars(length).unwrap_or(1), collation }
        }
        DataType::Varchar(length) | DataType::Nvarchar(length) => match chars(length) {
            Some(chars) => ColumnType::VarChar { chars, collation },
            None => return Err(SqlError::syntax(&ty.to_string(), 1).into()),
        },
        DataType::Binary(length) => ColumnType::Binary { bytes: length.unwrap_or(1) as u32 },
        DataType::Varbinary(Some(ast::BinaryLength::IntegerLength { length })) => {
            ColumnType::VarBinary { bytes: *length as u32 }
        }
        DataType::TinyText => text(LobSize::Tiny),
        DataType::Text => text(LobSize::Normal),
        DataType::MediumText => text(LobSize::Medium),
        DataType::LongText => text(LobSize::Long),
        DataType::TinyBlob => blob(LobSize::Tiny),
        DataType::Blob(_) => blob(LobSize::Normal),
        DataType::MediumBlob => blob(LobSize::Medium),
        DataType::LongBlob => blob(LobSize::Long),
        DataType::Timestamp(digits, _) => {
            ColumnType::Timestamp { fsp: digits.unwrap_or(0).min(6) as u8 }
        }
        DataType::Bit(bits) => ColumnType::Bit { bits: bits.unwrap_or(1).clamp(1, 64) as u8 },
        DataType::Enum(members, _) => {
            let word = |member: &EnumMember| match member {
                EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
            };
            ColumnType::Enum { values: members.iter().map(word).collect(), collation }
        }
        DataType::Set(members) => ColumnType::Set { values: members.clone(), collation },
        DataType::Custom(name, _) if name.to_string().eq_ignore_ascii_case("year") => {
            ColumnType::Year
        }
        DataType::Decimal(_)
        | DataType::Numeric(_)
        | DataType::Dec(_)
        | DataType::Double(_)
        | DataType::DoublePrecision
        | DataType::Real
        | DataType::Float(_)
        | DataType::Date
        | DataType::Time(..)
        | DataType::Datetime(_)
        | DataType::JSON => cast_type(ty)?,
        other => return unsupported(format_args!("{other} in JSON_TABLE")),
    })
}
