//! JSON_TABLE: the rows that parts of a document make.
//!
//! ```text
//! path '$[*]' ── each part ── its columns
//!                  └ nested path '$.k[*]' ── each part of that ── further columns, NULL elsewhere
//! ```
//! A part makes a row for each part of each of its nested paths, one path after the other; one row
//! with NULLs where these lead nowhere.
//!
//! Invariants
//! 1. A value is stored as a column of its type stores it: what does not fit is an error, which
//!    ON ERROR is about, and is NULL by default (MySQL 9.7 answers so: tests/oracle/sql/json.sql).
//! 2. Parts are numbered from 1 within the part that they are of.
//!
//! Not here: the clauses as written (`plan::bind::json_table`).

use values::ErrorCode;
use values::convert::convert;
use values::datum::{Datum, Value};
use values::json::Json;
use values::temporal::Zone;
use values::types::ColumnType;

use crate::functions::json::calls::tree_bytes;
use crate::functions::json::path::{Step, find, path_of};
use crate::functions::json::single_value::{number, whole_number};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::node::Node;
use crate::value::cell::Cell;
use crate::value::json::conversion::{invalid, print};

/// Takes a row; `false`: no more are wanted.
pub type TakeRow<'t> = dyn FnMut(Vec<Value>) -> Result<bool> + 't;

/// A table made of a document.
#[derive(Clone, Debug)]
pub struct JsonTable {
    /// The document.
    pub document: Node,
    /// The parts that make rows.
    root: JsonParts,
    /// How many columns there are.
    width: usize,
}

/// Parts of a document, or of a part of one.
#[derive(Clone, Debug)]
pub struct JsonParts {
    path: Vec<Step>,
    columns: Vec<(usize, JsonColumn)>,
    nested: Vec<JsonParts>,
}

/// What a column shows of a part.
#[derive(Clone, Debug)]
enum JsonColumn {
    /// FOR ORDINALITY: its number.
    Number,
    /// EXISTS PATH: whether the path leads to something.
    Exists(ColumnType, Vec<Step>),
    /// PATH.
    Value(Box<JsonMember>),
}

/// A column that shows what a path leads to.
#[derive(Clone, Debug)]
struct JsonMember {
    name: String,
    ty: ColumnType,
    path: Vec<Step>,
    on_empty: JsonOtherwise,
    on_error: JsonOtherwise,
}

/// What a column shows where there is no value, or one that it cannot show.
#[derive(Clone, Debug, Default)]
pub enum JsonOtherwise {
    /// NULL.
    #[default]
    Null,
    /// An error.
    Error,
    /// DEFAULT: the JSON of this text.
    Default(String),
}

impl JsonTable {
    /// A table of so many columns.
    pub fn new(document: Node, root: JsonParts, width: usize) -> JsonTable {
        JsonTable { document, root, width }
    }

    /// Gives its rows.
    ///
    /// # Errors
    /// 3141 and 3146 for a document that is none, those of ON EMPTY and ON ERROR, of memory, and
    /// of `take`.
    pub fn rows(&self, scope: &Scope<'_>, take: &mut TakeRow<'_>) -> Result<()> {
        let cell = self.document.evaluate(scope)?;
        let mut buffer = Vec::new();
        let is_text = self.document.ty.collation().is_some();
        let text = match cell.datum() {
            Datum::Null => return Ok(()),
            Datum::Bytes(text) => text,
            datum if is_text => self.document.bytes_of(datum, scope.zone, &mut buffer),
            _ => {
                return Err(Error::new(
                    ErrorCode::InvalidTypeForJson,
                    "Invalid data type for JSON data in argument 1 to function json_table; a JSON \
                     string or JSON type is required.",
                ));
            }
        };
        let _room = scope.limits.take(tree_bytes(text))?;
        let document = Json::read(text).map_err(|fault| invalid("json_table", 0, fault))?;
        let mut row = vec![Value::Null; self.width];
        self.root.rows_of(&document, &mut row, scope, take)?;
        Ok(())
    }
}

impl JsonParts {
    /// The parts that a path leads to.
    ///
    /// # Errors
    /// 3143 for what is no path.
    pub fn new(path: &str) -> Result<JsonParts> {
        Ok(JsonParts { path: path_from(path)?, columns: Vec::new(), nested: Vec::new() })
    }

    /// Adds a column FOR ORDINALITY, which is at this position of a row.
    pub fn add_number(&mut self, position: usize) {
        self.columns.push((position, JsonColumn::Number));
    }

    /// Adds a column EXISTS PATH.
    ///
    /// # Errors
    /// As of `new`.
    pub fn add_exists(&mut self, position: usize, ty: ColumnType, path: &str) -> Result<()> {
        self.columns.push((position, JsonColumn::Exists(ty, path_from(path)?)));
        Ok(())
    }

    /// Adds a column PATH, with what it shows on empty and on error.
    ///
    /// # Errors
    /// As of `new`; 3141 for a default that is no JSON, and what is wrong with one that is no
    /// value of the type.
    pub fn add_value(
        &mut self,
        position: usize,
        (name, ty): (&str, ColumnType),
        path: &str,
        [on_empty, on_error]: [JsonOtherwise; 2],
    ) -> Result<()> {
        let path = path_from(path)?;
        let member = JsonMember { name: name.to_owned(), ty, path, on_empty, on_error };
        for clause in [&member.on_empty, &member.on_error] {
            if let JsonOtherwise::Default(text) = clause {
                member.default_value(text, Zone::UTC)?;
            }
        }
        self.columns.push((position, JsonColumn::Value(Box::new(member))));
        Ok(())
    }

    /// Adds parts of each of these.
    pub fn add_nested(&mut self, nested: JsonParts) {
        self.nested.push(nested);
    }

    /// Gives the rows of all parts; whether more are wanted. `row` has the columns of the parts
    /// around, and is the same afterwards.
    fn rows_of(
        &self,
        within: &Json,
        row: &mut Vec<Value>,
        scope: &Scope<'_>,
        take: &mut TakeRow<'_>,
    ) -> Result<PartsOutcome> {
        let mut found = PartsOutcome::Nothing;
        for (at, part) in find(within, &self.path).into_iter().enumerate() {
            for (position, column) in &self.columns {
                row[*position] = match column {
                    JsonColumn::Number => Value::UInt(at as u64 + 1),
                    JsonColumn::Exists(ty, path) => {
                        let exists = !find(part, path).is_empty();
                        convert(ty, Datum::Int(i64::from(exists)), scope.zone).value
                    }
                    JsonColumn::Value(member) => member.value(part, scope.zone)?,
                };
            }
            let mut is_given = false;
            for nested in &self.nested {
                match nested.rows_of(part, row, scope, take)? {
                    PartsOutcome::Enough => return Ok(PartsOutcome::Enough),
                    PartsOutcome::Rows => is_given = true,
                    PartsOutcome::Nothing => {}
                }
            }
            if !is_given && !take(row.clone())? {
                return Ok(PartsOutcome::Enough);
            }
            found = PartsOutcome::Rows;
        }
        self.columns.iter().for_each(|(position, _)| row[*position] = Value::Null);
        Ok(found)
    }
}

/// What parts came to.
enum PartsOutcome {
    /// There are none.
    Nothing,
    /// They made rows.
    Rows,
    /// No more rows are wanted.
    Enough,
}

impl JsonMember {
    fn value(&self, part: &Json, zone: Zone) -> Result<Value> {
        let found = find(part, &self.path);
        let stored = match found[..] {
            [] => {
                return self.otherwise(&self.on_empty, zone, || {
                    let message = format!("Missing value for JSON_TABLE column '{}'", self.name);
                    Error::new(ErrorCode::MissingJsonTableValue, message)
                });
            }
            [one] => stored(&self.ty, one, zone),
            _ if self.ty == ColumnType::Json => {
                let all = Json::Array(found.into_iter().cloned().collect());
                stored(&self.ty, &all, zone)
            }
            _ => Err(NotStored::Structure),
        };
        stored.or_else(|why| self.otherwise(&self.on_error, zone, || self.error(why)))
    }

    fn otherwise(
        &self,
        clause: &JsonOtherwise,
        zone: Zone,
        error: impl FnOnce() -> Error,
    ) -> Result<Value> {
        match clause {
            JsonOtherwise::Null => Ok(Value::Null),
            JsonOtherwise::Error => Err(error()),
            JsonOtherwise::Default(text) => self.default_value(text, zone),
        }
    }

    fn default_value(&self, text: &str, zone: Zone) -> Result<Value> {
        let text = text.as_bytes();
        let json = Json::read(text).map_err(|fault| invalid("JSON_TABLE", 0, fault))?;
        stored(&self.ty, &json, zone).map_err(|why| self.error(why))
    }

    fn error(&self, why: NotStored) -> Error {
        let name = &self.name;
        match why {
            NotStored::Structure => Error::new(
                ErrorCode::JsonTableScalarExpected,
                format!(
                    "Can't store an array or an object in the scalar JSON_TABLE column '{name}'"
                ),
            ),
            NotStored::NotOfType => {
                let ty = match self.ty {
                    ColumnType::Decimal { .. } => "DECIMAL",
                    ColumnType::Double(_) | ColumnType::Float(_) => "DOUBLE",
                    ColumnType::Date => "DATE",
                    ColumnType::Time { .. } => "TIME",
                    ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => "DATETIME",
                    _ => "INTEGER",
                };
                let message =
                    format!("Invalid JSON value for CAST to {ty} from column {name} at row 1");
                Error::new(ErrorCode::InvalidJsonValueForCast, message)
            }
            NotStored::OutOfRange => {
                let message = format!("Value is out of range for JSON_TABLE's column '{name}'");
                Error::new(ErrorCode::JsonTableValueOutOfRange, message)
            }
        }
    }
}

/// Why a column cannot show a value.
enum NotStored {
    /// It is an array or an object.
    Structure,
    /// It is none of the column's type.
    NotOfType,
    /// It is too large, or too long.
    OutOfRange,
}

/// A value as a column stores it.
fn stored(ty: &ColumnType, found: &Json, zone: Zone) -> std::result::Result<Value, NotStored> {
    use ColumnType as T;
    let converted = |datum: Datum<'_>, wrong: NotStored| {
        let converted = convert(ty, datum, zone);
        if converted.issue.is_some() { Err(wrong) } else { Ok(converted.value) }
    };
    match (ty, found) {
        (_, Json::Null) => Ok(Value::Null),
        (T::Json, found) => Ok(print(found).into_value()),
        (_, Json::Array(_) | Json::Object(_)) => Err(NotStored::Structure),
        (T::Int { .. } | T::Year | T::Bit { .. }, found) => {
            let whole = whole_number(found).map_err(|_| NotStored::NotOfType)?;
            match (i64::try_from(whole), u64::try_from(whole)) {
                (Ok(value), _) => converted(Datum::Int(value), NotStored::OutOfRange),
                (_, Ok(value)) => converted(Datum::UInt(value), NotStored::OutOfRange),
                _ => Err(NotStored::OutOfRange),
            }
        }
        (T::Decimal { .. } | T::Double(_) | T::Float(_), found) => {
            let wrong = match found {
                Json::String(_) => NotStored::NotOfType,
                _ => NotStored::OutOfRange,
            };
            let datum = number(ty, found).map_err(|_| NotStored::NotOfType)?;
            converted(datum, wrong)
        }
        (T::Date | T::Time { .. } | T::DateTime { .. } | T::Timestamp { .. }, found) => match found
        {
            Json::String(text) => converted(Datum::Bytes(text.as_bytes()), NotStored::NotOfType),
            Json::Bool(_) => Err(NotStored::NotOfType),
            found => {
                let datum = number(ty, found).map_err(|_| NotStored::NotOfType)?;
                converted(datum, NotStored::NotOfType)
            }
        },
        (_, Json::String(text)) => converted(Datum::Bytes(text.as_bytes()), NotStored::OutOfRange),
        (_, found) => {
            let Cell::Owned(text) = print(found) else { return Err(NotStored::NotOfType) };
            converted(Datum::Bytes(&text), NotStored::OutOfRange)
        }
    }
}

fn path_from(text: &str) -> Result<Vec<Step>> {
    path_of(&Cell::of(Value::Bytes(text.as_bytes().to_vec())))
}
