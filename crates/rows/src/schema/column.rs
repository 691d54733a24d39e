//! A column of a table: its type, what it holds when nobody says, and values as values of it.
//!
//! Not here: which columns a table has (`schema`), expressions (`rules`).

use serde::{Deserialize, Serialize};
use values::convert::{
    Converted, Issue, assign_from, convert, convert_from, from_text, plain_of_text,
};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::Zone;
use values::types::ColumnType;

use super::{is_default, stored_type};

/// What a column holds when an insert does not name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DefaultValue {
    /// No default: NULL if the column allows it, else an error in strict mode.
    None,
    /// A literal, as MySQL's text form of a value of the column; `None` is NULL.
    Literal(Option<Vec<u8>>),
    /// CURRENT_TIMESTAMP, with the column's fractional digits.
    CurrentTimestamp,
    /// An expression, as text (`rules`). Since catalog format 8.
    Expression(String),
    /// None, also where the column allows NULL: ALTER COLUMN DROP DEFAULT. Since catalog format
    /// 21.
    Dropped,
}

impl DefaultValue {
    /// Whether it is computed for each row.
    pub fn is_expression(&self) -> bool {
        matches!(self, DefaultValue::Expression(_))
    }
}

/// How a column's values come from other columns of its row: GENERATED ALWAYS AS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputedColumn {
    /// The expression, as text (`rules`).
    pub expression: String,
    /// STORED as said. VIRTUAL ones are stored as well, so that all doors and indexes find them;
    /// the word is shown again.
    pub stored: bool,
}

/// Whether a column is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnVisibility {
    /// By everybody.
    #[default]
    Visible,
    /// By nobody: its values are those of an index's part that is an expression. Such columns stand
    /// behind all others, and no name finds them. Since catalog format 16.
    OfIndex,
    /// By nobody: its values are the numbers of rows' partitions. Since catalog format 18.
    OfPartition,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; compared without case.
    pub name: String,
    /// Its type.
    #[serde(with = "stored_type")]
    pub ty: ColumnType,
    /// Whether NULL may be stored.
    pub nullable: bool,
    /// What stands there when an insert does not say.
    pub default: DefaultValue,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// AUTO_INCREMENT; at most one column of a table.
    pub auto_increment: bool,
    /// COMMENT '...'.
    pub comment: String,
    /// Place in stored rows.
    pub slot: u16,
    /// What rows stored before this column existed hold in it (text form; `None` is NULL).
    pub absent: Option<Vec<u8>>,
    /// UNSIGNED of a DECIMAL, FLOAT or DOUBLE, whose types do not say it: nothing below 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
    /// GENERATED ALWAYS AS. Since catalog format 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<ComputedColumn>,
    /// CHECK behind the column, in stored definitions of earlier versions alone: such a condition
    /// is one of the table (`take_checks_of_columns`). Since catalog format 8.
    #[serde(default, skip_serializing)]
    pub check: Option<String>,
    /// Whether it is seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub visibility: ColumnVisibility,
    /// INVISIBLE: `*` leaves it out, as INSERT without a list of columns does. Since catalog format
    /// 21.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invisible: bool,
    /// ZEROFILL: how many digits of a number are shown at least. Since catalog format 21.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zerofill: Option<u8>,
    /// Whether the definition named the character set or the collation: both are shown again, also
    /// where they are the table's. Definitions of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explicit_collation: bool,
}

impl Column {
    /// A column that may not be NULL and has no default, as of a new table.
    pub fn new(name: &str, ty: ColumnType) -> Column {
        Column {
            name: name.to_owned(),
            ty,
            nullable: false,
            default: DefaultValue::None,
            on_update_now: false,
            auto_increment: false,
            comment: String::new(),
            slot: 0,
            absent: None,
            unsigned: false,
            computed: None,
            check: None,
            visibility: ColumnVisibility::Visible,
            invisible: false,
            zerofill: None,
            explicit_collation: false,
        }
    }

    /// Whether it is a part of indexes, and nothing else: an expression, or the number of the row's
    /// partition.
    #[inline]
    pub fn is_of_index(&self) -> bool {
        self.visibility != ColumnVisibility::Visible
    }

    /// A value as one of this column.
    pub fn convert(&self, datum: Datum<'_>, zone: Zone) -> Converted {
        self.without_sign(convert(&self.ty, datum, zone))
    }

    /// A value that has a type already as one of this column.
    pub fn convert_from(&self, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
        self.without_sign(convert_from(&self.ty, datum, from, zone))
    }

    /// The same for a statement that assigns the value.
    pub fn assign_from(&self, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
        self.without_sign(assign_from(&self.ty, datum, from, zone))
    }

    /// A text as a value of this column.
    pub fn from_text(&self, text: &[u8], zone: Zone) -> Converted {
        self.without_sign(from_text(&self.ty, text, zone))
    }

    /// The value of this column that a text is, if nothing has to be changed or said of it.
    #[inline]
    pub fn plain_of_text<'t>(&self, text: &'t [u8]) -> Option<Datum<'t>> {
        plain_of_text(&self.ty, text)
    }

    fn without_sign(&self, converted: Converted) -> Converted {
        let zero = match converted.value {
            _ if !self.unsigned => return converted,
            Value::Decimal(value) if value.is_negative() => {
                Value::Decimal(Decimal::from_i128(0, value.scale()))
            }
            Value::Double(value) if value < 0.0 => Value::Double(0.0),
            Value::Float(value) if value < 0.0 => Value::Float(0.0),
            _ => return converted,
        };
        Converted { value: zero, issue: Some(Issue::OutOfRange), note: false }
    }

    /// Its type as SHOW COLUMNS prints it.
    pub fn mysql_type_name(&self) -> String {
        let name = self.ty.mysql_type_name();
        match (self.zerofill, &self.ty) {
            (Some(width), ColumnType::Int { .. }) => {
                let word = name.split(' ').next().unwrap_or_default();
                format!("{word}({width}) unsigned zerofill")
            }
            (Some(_), _) => format!("{name} unsigned zerofill"),
            (None, _) if self.unsigned => format!("{name} unsigned"),
            (None, _) => name,
        }
    }
}
