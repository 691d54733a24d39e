//! Columns and their defaults.

use std::borrow::Cow;
use std::collections::HashSet;

use rows::alter::ConversionRules;
use rows::schema::{Column, DefaultValue};
use sqlparser::ast;
use syntax::definition_text;
use syntax::rule::rule_text;
use syntax::table::{ColumnSpec, DefaultSpec};
use syntax::types::with_collation;
use values::ErrorCode;
use values::SqlMode;
use values::collation::equal;
use values::convert::{assign_from, convert, from_text};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::key::write_text_key;
use values::temporal::Zone;
use values::text::write_text;
use values::types::{Collation, ColumnType};

use super::default_expression::check_default;
use super::rules::{computed_of, constant_of};
use plan::column_default::now_value;
use results::{Result, SqlError};

/// Error 1067.
fn invalid_default(name: &str) -> SqlError {
    SqlError::new(ErrorCode::InvalidDefault, format!("Invalid default value for '{name}'"))
}

/// A column as `rows` is to make it; `collation` is the table's default, `session` says how its
/// default is read.
///
/// # Errors
/// 1067 for a default that the type cannot have, and the number of the limit that the type exceeds.
pub fn column_of(
    spec: &ColumnSpec,
    collation: Collation,
    session: ConversionRules,
) -> Result<Column> {
    let ty = match spec.ty.collated {
        true => spec.ty.ty.clone(),
        false => with_collation(&spec.ty.ty, collation),
    };
    let ty = match ty.collation().filter(|_| spec.ty.bin) {
        Some(collation) => with_collation(&ty, collation.bin_of_set()),
        None => ty,
    };
    if session.mode.strict()
        && let Some(doubled) = doubled_word(&ty, &spec.name)
    {
        return Err(doubled);
    }
    let nullable = match spec.nullable {
        Some(nullable) => nullable && !spec.primary,
        None => !spec.primary && !spec.auto_increment,
    };
    if spec.primary && spec.nullable == Some(true) {
        return Err(null_in_primary_key());
    }
    let said = [
        (spec.default.is_some(), "DEFAULT"),
        (spec.on_update_now, "ON UPDATE"),
        (spec.auto_increment, "AUTO_INCREMENT"),
    ];
    if spec.computed.is_some()
        && let Some((_, word)) = said.iter().find(|(is_said, _)| *is_said)
    {
        let message = format!("Incorrect usage of {word} and generated column");
        return Err(SqlError::new(ErrorCode::WrongUsage, message));
    }
    let temporal = matches!(ty, ColumnType::DateTime { .. } | ColumnType::Timestamp { .. });
    if spec.on_update_now && !temporal {
        return Err(SqlError::new(
            ErrorCode::InvalidOnUpdate,
            format!("Invalid ON UPDATE clause for '{}' column", spec.name),
        ));
    }
    if spec.auto_increment && matches!(ty, ColumnType::Float(_) | ColumnType::Double(_)) {
        return Err(SqlError::new(
            ErrorCode::WrongFieldSpec,
            format!("Incorrect column specifier for column '{}'", spec.name),
        ));
    }
    if spec.auto_increment && spec.default.is_some() {
        return Err(invalid_default(&spec.name));
    }
    let default = match &spec.default {
        None => DefaultValue::None,
        Some(default) => default_value(default, &spec.name, &ty, nullable, session)?,
    };
    Ok(Column {
        nullable,
        default,
        on_update_now: spec.on_update_now,
        auto_increment: spec.auto_increment,
        comment: spec.comment.clone(),
        unsigned: spec.ty.unsigned,
        invisible: spec.invisible,
        zerofill: spec.ty.zerofill,
        explicit_collation: spec.ty.collated || spec.ty.bin,
        computed: spec.computed.as_ref().map(computed_of).transpose()?,
        ..Column::new(&spec.name, ty)
    })
}

/// Error 1291 for the first word of an ENUM or SET that its collation does not tell from another;
/// where the mode is not strict it is a note.
pub fn doubled_word(ty: &ColumnType, name: &str) -> Option<SqlError> {
    let (values, collation, kind) = match ty {
        ColumnType::Enum { values, collation } => (values, *collation, "ENUM"),
        ColumnType::Set { values, collation } => (values, *collation, "SET"),
        _ => return None,
    };
    let mut keys = HashSet::with_capacity(values.len());
    let doubled = values.iter().find(|word| {
        let mut key = Vec::new();
        write_text_key(collation, word.as_bytes(), &mut key);
        !keys.insert(key)
    })?;
    let is_same = |other: &&String| equal(collation, other.as_bytes(), doubled.as_bytes());
    let first = values.iter().find(is_same).unwrap_or(doubled);
    Some(SqlError::new(
        ErrorCode::DuplicatedValueInType,
        format!("Column '{name}' has duplicated value '{first}' in {kind}"),
    ))
}

/// A default as the catalog keeps it.
///
/// # Errors
/// 1067 when the type cannot have it.
pub fn default_value(
    spec: &DefaultSpec,
    name: &str,
    ty: &ColumnType,
    nullable: bool,
    session: ConversionRules,
) -> Result<DefaultValue> {
    let expr = match spec {
        DefaultSpec::Now(None) => match ty {
            ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
                return Ok(DefaultValue::CurrentTimestamp);
            }
            _ => return Err(invalid_default(name)),
        },
        // What stands in brackets stays as it is written.
        DefaultSpec::Now(Some(expr)) | DefaultSpec::Expression(expr) => {
            check_default(expr, name)?;
            return Ok(DefaultValue::Expression(rule_text(expr)?));
        }
        // A literal of a day or a time wants brackets, as MySQL has it.
        DefaultSpec::Value(expr) if matches!(**expr, ast::Expr::TypedString(_)) => {
            return Err(invalid_default(name));
        }
        DefaultSpec::Value(expr) => expr,
    };
    let Some(value) = constant_of(expr, ty, session.mode)? else {
        return Ok(DefaultValue::Expression(rule_text(expr)?));
    };
    if value.is_null() {
        return match nullable {
            true => Ok(DefaultValue::Literal(None)),
            false => Err(invalid_default(name)),
        };
    }
    // The words of a list are said, not numbered.
    if ty.is_listed() && !matches!(value, Value::Bytes(_)) {
        return Err(invalid_default(name));
    }
    let converted = match value.as_datum() {
        Datum::Bytes(bytes) if is_binary_literal(expr) => {
            let from = ColumnType::VarBinary { bytes: bytes.len() as u32 };
            assign_from(ty, Datum::Bytes(bytes), &from, session.zone)
        }
        Datum::Bytes(text) => from_text(ty, text, session.zone),
        datum => convert(ty, datum, session.zone),
    };
    let mode = session.mode;
    if converted.issue.is_some() || mode.strict() && mode.refuses_value(&converted.value) {
        return Err(invalid_default(name));
    }
    Ok(DefaultValue::Literal(Some(text_of_value(ty, &converted.value))))
}

fn is_binary_literal(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Value(value)
        if matches!(value.value, ast::Value::HexStringLiteral(_)))
}

/// Refuses a table with a default that is a day which the mode refuses (MySQL 9.7 looks at them
/// whenever a table is made or changed: tests/oracle/sql/writes-read-again.sql).
///
/// # Errors
/// 1067.
pub fn refuse_defaults(columns: &[Column], mode: SqlMode) -> Result<()> {
    if !mode.strict() {
        return Ok(());
    }
    let is_refused = |column: &&Column| match &column.default {
        DefaultValue::Literal(Some(text)) if column.ty.is_temporal() => {
            mode.refuses_value(&from_text(&column.ty, text, Zone::UTC).value)
        }
        _ => false,
    };
    match columns.iter().find(is_refused) {
        Some(column) => Err(invalid_default(&column.name)),
        None => Ok(()),
    }
}

/// The text of the current time, for rows that exist when a column is added.
pub fn now_for_all(ty: &ColumnType, now: i64, zone: Zone) -> Vec<u8> {
    text_of_value(ty, &now_value(ty, now, zone))
}

fn text_of_value(ty: &ColumnType, value: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    write_text(ty, value.as_datum(), Zone::UTC, &mut text);
    text
}

/// A literal default on the clock of a session: the definition keeps an instant as UTC shows it,
/// and a DECIMAL with the digits that it was written with.
pub fn literal_in_zone<'t>(ty: &ColumnType, text: &'t [u8], zone: Zone) -> Cow<'t, str> {
    match ty {
        ColumnType::Decimal { scale, .. } => {
            let value = Decimal::parse(text).and_then(|value| value.rescale(*scale));
            let Some(value) = value else { return String::from_utf8_lossy(text) };
            let mut shown = Vec::new();
            value.write(&mut shown);
            Cow::Owned(String::from_utf8_lossy(&shown).into_owned())
        }
        ColumnType::Timestamp { .. } => {
            let mut shown = Vec::new();
            write_text(ty, from_text(ty, text, Zone::UTC).value.as_datum(), zone, &mut shown);
            Cow::Owned(String::from_utf8_lossy(&shown).into_owned())
        }
        _ => String::from_utf8_lossy(text),
    }
}

/// The text of a number as a column with ZEROFILL shows it.
pub fn zerofilled(column: &Column, text: &str) -> String {
    format!("{text:0>width$}", width = column.zerofill.unwrap_or_default().into())
}

/// The default of a BIT as a literal, `b'101'`; `None` for other types.
pub fn bits_literal(ty: &ColumnType, text: &[u8]) -> Option<String> {
    match (ty, from_text(ty, text, Zone::UTC).value) {
        (ColumnType::Bit { .. }, Value::UInt(number)) => Some(format!("b'{number:b}'")),
        _ => None,
    }
}

/// A default as SHOW COLUMNS and information_schema print it; `None` is NULL or none.
pub fn default_text(column: &Column, zone: Zone) -> Option<String> {
    match &column.default {
        DefaultValue::None | DefaultValue::Dropped | DefaultValue::Literal(None) => None,
        DefaultValue::Literal(Some(text)) => bits_literal(&column.ty, text)
            .or_else(|| Some(zerofilled(column, &literal_in_zone(&column.ty, text, zone)))),
        DefaultValue::CurrentTimestamp => Some(now_text(&column.ty)),
        DefaultValue::Expression(text) => Some(quoted_text(&definition_text(text))),
    }
}

/// The text of an expression as MySQL lists it: in a string, whose quotes it keeps.
pub fn quoted_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// CURRENT_TIMESTAMP with the column's digits.
pub fn now_text(ty: &ColumnType) -> String {
    match ty {
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } if *fsp > 0 => {
            format!("CURRENT_TIMESTAMP({fsp})")
        }
        _ => "CURRENT_TIMESTAMP".to_string(),
    }
}

/// What is said of a column of a primary key that is to be NULL.
pub(super) fn null_in_primary_key() -> SqlError {
    SqlError::new(
        ErrorCode::PrimaryCantHaveNull,
        "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead",
    )
}
