//! Texts that a statement has written next to days, times and numbers, and numbers next to columns
//! of days and times: that they are ones is seen when the statement begins, whether or not it meets
//! a row (MySQL 9.7: tests/oracle/sql/words-beside-days.sql, numbers-beside-days.sql).
//!
//! ```text
//! d = 'x'            1525 for a DATE, DATETIME or TIMESTAMP; 1292 in a strict write
//! t = 'x', n = 'x'   1292 in a strict write, for columns alone
//! d = 5, t = 99      the same
//! d IN ('x', 'y')    the same
//! ```
//!
//! Invariants
//! 1. A text is one of these only if neither a row, nor the session, nor chance has a part in it.
//!
//! Not here: what such a comparison is where it is none of these (`expression::compare`).

use expression::{
    Environment, Function, Kind, Node, is_blank, is_day_of_mode, leading_number, says_day,
    says_time, time_of_whole,
};
use values::datum::Datum;
use values::temporal::Zone;
use values::text::write_untyped;
use values::types::ColumnType;
use values::{ErrorCode, SqlMode};

use results::{Result, SqlError};

/// A text or a number next to what it is compared with.
#[derive(Clone, Debug)]
pub struct ComparedText {
    text: Node,
    beside: ColumnType,
    /// Whether all kinds of statements ask for a day; only strict writes do otherwise.
    always: bool,
}

/// What a text is compared with, as far as that matters here.
#[derive(Clone, Copy, Debug)]
pub struct TextCheck<'a> {
    /// The statement's literals.
    pub literals: &'a [Datum<'a>],
    /// The session's zone.
    pub zone: Zone,
    /// sql_mode.
    pub mode: SqlMode,
    /// Whether it is a write in strict mode, without IGNORE.
    pub is_strict_write: bool,
}

/// Adds the texts of a comparison; not those of the nodes beneath it.
pub fn push_compared_texts(node: &Node, texts: &mut Vec<ComparedText>) {
    match &node.kind {
        Kind::Compare(_, a, b, _) => {
            for (a, b) in [(a, b), (b, a)] {
                push_pair(a, b, true, texts);
                push_number(a, b, texts);
            }
        }
        // Among several a text is a year or none, and nobody is told.
        Kind::InList(a, list, ..) if a.ty == ColumnType::Year => {
            list.iter()
                .filter(|_| list.len() == 1)
                .for_each(|only| push_pair(a, only, true, texts));
        }
        Kind::InList(a, list, ..) if list.iter().all(|item| item.is_text() && is_written(item)) => {
            list.iter().for_each(|item| push_pair(a, item, list.len() == 1, texts));
        }
        Kind::InList(a, list, ..) => list.iter().for_each(|item| push_number(a, item, texts)),
        Kind::Call(Function::NullIf, arguments) => {
            if let [a, b] = arguments.as_slice() {
                if !is_number(&a.ty) && !is_number(&b.ty) {
                    push_pair(a, b, true, texts);
                    push_pair(b, a, true, texts);
                }
                push_number(a, b, texts);
            }
        }
        Kind::Between(nodes, ..) => {
            for bound in &nodes[1..] {
                if matches!(nodes[0].ty, ColumnType::Time { .. }) {
                    push_pair(&nodes[0], bound, false, texts);
                }
                push_number(&nodes[0], bound, texts);
            }
        }
        _ => {}
    }
}

/// The texts of all comparisons in expressions.
pub fn compared_texts_of<'n>(nodes: impl Iterator<Item = &'n Node>) -> Vec<ComparedText> {
    let mut texts = Vec::new();
    nodes.for_each(|node| node.visit(&mut |part| push_compared_texts(part, &mut texts)));
    texts
}

fn push_pair(other: &Node, text: &Node, is_equation: bool, texts: &mut Vec<ComparedText>) {
    let text = match &text.kind {
        Kind::Call(Function::BesideYear, arguments) if is_equation => &arguments[0],
        _ => text,
    };
    let is_day = is_day(&other.ty);
    let is_checked = is_day
        || other.is_stored()
            && (is_number(&other.ty) || matches!(other.ty, ColumnType::Time { .. }));
    let is_text = text.is_text() && text.ty != ColumnType::Json && !text.is_digits_literal();
    if is_checked && is_text && is_written(text) {
        let (text, beside) = (text.clone(), other.ty.clone());
        texts.push(ComparedText { text, beside, always: is_day && is_equation });
    }
}

/// A number beside a column of days or times.
fn push_number(column: &Node, number: &Node, texts: &mut Vec<ComparedText>) {
    let is_moment = is_day(&column.ty) || matches!(column.ty, ColumnType::Time { .. });
    let is_other = matches!(number.ty, ColumnType::Year) || !is_number(&number.ty);
    if is_moment && column.is_stored() && !is_other && is_written(number) {
        let (text, beside) = (number.clone(), column.ty.clone());
        texts.push(ComparedText { text, beside, always: false });
    }
}

fn is_day(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. })
}

fn is_number(ty: &ColumnType) -> bool {
    matches!(
        ty,
        ColumnType::Int { .. }
            | ColumnType::Decimal { .. }
            | ColumnType::Float(_)
            | ColumnType::Double(_)
            | ColumnType::Year
    )
}

/// Whether a value follows from what the statement says alone.
fn is_written(node: &Node) -> bool {
    let mut written = true;
    node.visit(&mut |part| {
        written &= match &part.kind {
            Kind::Column(_) | Kind::Incoming(_) | Kind::Outer(..) | Kind::Subquery(_) => false,
            Kind::Aggregate(_) | Kind::Window(_) | Kind::Assign(..) => false,
            Kind::UserVariable(_) | Kind::SystemVariable(..) => false,
            Kind::Call(function, arguments) => !function.asks_more_than(arguments.len()),
            _ => true,
        };
    });
    written
}

impl ComparedText {
    /// Whether a literal has a part in it.
    pub fn has_literal(&self, is_such: &dyn Fn(u16) -> bool) -> bool {
        let mut has = false;
        self.text.visit(&mut |part| {
            has |= matches!(part.kind, Kind::Parameter(number) if is_such(number));
        });
        has
    }

    /// Whether the text is what it is compared with.
    ///
    /// # Errors
    /// 1525 and 1292.
    pub fn check(&self, with: &TextCheck<'_>) -> Result<()> {
        if !self.always && !with.is_strict_write {
            return Ok(());
        }
        if let Kind::Parameter(number) = self.text.kind {
            let literal = with.literals.get(usize::from(number)).copied();
            return self.check_value(literal.unwrap_or(Datum::Null), with);
        }
        let environment =
            Environment { mode: with.mode, ..Environment::bare(with.literals, with.zone) };
        match self.text.evaluate(&environment.scope()) {
            Ok(cell) => self.check_value(cell.datum(), with),
            // It is said where it is evaluated for a row.
            Err(_) => Ok(()),
        }
    }

    /// Whether a number is the day or the time that its column asks for.
    fn check_number(&self, value: Datum<'_>) -> Result<()> {
        let (is_such, name) = match self.beside {
            ColumnType::Date => (says_day(value), "date"),
            ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
                (says_day(value), "datetime")
            }
            ColumnType::Time { .. } => (says_time(value), "time"),
            _ => return Ok(()),
        };
        if is_such || value.is_null() {
            return Ok(());
        }
        let mut shown = Vec::new();
        write_untyped(value, Zone::UTC, &mut shown);
        let message = format!("Incorrect {name} value: '{}'", String::from_utf8_lossy(&shown));
        Err(SqlError::new(ErrorCode::TruncatedWrongValue, message))
    }

    fn check_value(&self, value: Datum<'_>, with: &TextCheck<'_>) -> Result<()> {
        let Datum::Bytes(text) = value else {
            return if with.is_strict_write { self.check_number(value) } else { Ok(()) };
        };
        let shown = || String::from_utf8_lossy(text);
        let strict = |what: &str| {
            let message = format!("{what} value: '{}'", shown());
            Err(SqlError::new(ErrorCode::TruncatedWrongValue, message))
        };
        let (name, in_lower_case) = match self.beside {
            ColumnType::Date => ("DATE", "date"),
            ColumnType::DateTime { .. } => ("DATETIME", "datetime"),
            ColumnType::Timestamp { .. } => ("TIMESTAMP", "datetime"),
            ColumnType::Time { .. } => {
                return match is_blank(text) || time_of_whole(text).is_some() {
                    true => Ok(()),
                    false => strict("Incorrect time"),
                };
            }
            // A year is what a text begins with.
            ColumnType::Year if text.trim_ascii_start().first().is_some_and(u8::is_ascii_digit) => {
                return Ok(());
            }
            _ => {
                let is_decimal = matches!(self.beside, ColumnType::Decimal { .. });
                return match is_blank(text) {
                    true if !is_decimal => Ok(()),
                    false if leading_number(text).1 => Ok(()),
                    _ if is_decimal => strict("Truncated incorrect DECIMAL"),
                    _ => strict("Truncated incorrect DOUBLE"),
                };
            }
        };
        let read = is_day_of_mode(text, with.mode);
        match read {
            Some(is_all) if is_all || !with.is_strict_write => Ok(()),
            _ if with.is_strict_write => strict(&format!("Incorrect {in_lower_case}")),
            _ => {
                let message = format!("Incorrect {name} value: '{}'", shown());
                Err(SqlError::new(ErrorCode::WrongValue, message))
            }
        }
    }
}
