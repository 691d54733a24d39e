//! SIGNAL, and GET DIAGNOSTICS of what the statement before has left behind.
//!
//! Invariants
//! 1. GET DIAGNOSTICS leaves the conditions and ROW_COUNT() as they were, but for what it finds
//!    wrong itself.
//! 2. SIGNAL forgets the conditions before it. One of class `01` is a warning, all others are the
//!    statement's error.
//!
//! Not here: the grammar (`syntax::diagnostics`), SHOW WARNINGS (`show`).

use std::sync::Arc;

use expression::{BIGINT, BIGINT_UNSIGNED, Level, UserVariable, Warning};
use sqlparser::ast::Expr;
use syntax::diagnostics::{AskedDiagnostics, GetDiagnostics, Signal, StatementItem};
use values::ErrorCode;
use values::condition::{ConditionItem, SignaledCondition, origins_of};
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::Collation;

use super::Session;
use crate::reply::{OkFigures, Reply};
use results::{Result, SqlError};

/// The longest MESSAGE_TEXT, in characters.
const MESSAGE_CHARS_MAX: usize = 128;
/// The longest of all other items that are texts.
const ITEM_CHARS_MAX: usize = 64;

impl Session {
    /// SIGNAL.
    ///
    /// # Errors
    /// What is signaled; 1231 and 1648 for an item that a condition cannot have.
    pub(super) fn signal(&mut self, signal: &Signal) -> Result<Reply> {
        let (class, code, words) = match &signal.sqlstate[..2] {
            b"01" => (Level::Warning, ErrorCode::SignalWarn, "warning"),
            b"02" => (Level::Error, ErrorCode::SignalNotFound, "not found"),
            _ => (Level::Error, ErrorCode::SignalException, "exception"),
        };
        let mut message = format!("Unhandled user-defined {words} condition");
        let sqlstate = signal.sqlstate;
        let mut condition =
            SignaledCondition { number: code.number(), sqlstate, items: Vec::new() };
        for (item, value) in &signal.items {
            match item {
                ConditionItem::MysqlErrno => condition.number = self.signaled_number(value)?,
                ConditionItem::MessageText => message = self.signaled_text(*item, value)?,
                item => condition.items.push((*item, self.signaled_text(*item, value)?)),
            }
        }
        let condition = Arc::new(condition);
        match class {
            Level::Error => Err(SqlError::Signaled { code, condition, message }),
            level => {
                let warning = Warning { level, code, message, signaled: Some(condition) };
                self.warnings.borrow_mut().push_warning(warning);
                Ok(self.done(0))
            }
        }
    }

    fn signaled_number(&mut self, value: &Expr) -> Result<u16> {
        let (value, shown) = self.value_of(value)?;
        let number = match value {
            Value::Null => return Err(wrong_item(ConditionItem::MysqlErrno, "NULL")),
            Value::Int(number) => u16::try_from(number).ok(),
            Value::UInt(number) => u16::try_from(number).ok(),
            _ => shown.parse().ok(),
        };
        let number = number.filter(|number| *number > 0);
        number.ok_or_else(|| wrong_item(ConditionItem::MysqlErrno, &shown))
    }

    /// The text of an item, cut to what it may have.
    fn signaled_text(&mut self, item: ConditionItem, value: &Expr) -> Result<String> {
        let (value, mut shown) = self.value_of(value)?;
        if value == Value::Null {
            return Err(wrong_item(item, "NULL"));
        }
        let chars_max = match item {
            ConditionItem::MessageText => MESSAGE_CHARS_MAX,
            _ => ITEM_CHARS_MAX,
        };
        if let Some((end, _)) = shown.char_indices().nth(chars_max) {
            if self.variables.mode.strict() {
                let message = format!("Data too long for condition item '{}'", item.name());
                return Err(SqlError::new(ErrorCode::CondItemTooLong, message));
            }
            shown.truncate(end);
            let message = format!("Data truncated for condition item '{}'", item.name());
            let code = ErrorCode::WarnCondItemTruncated;
            self.warnings.borrow_mut().push(Level::Warning, code, message);
        }
        Ok(shown)
    }

    /// GET DIAGNOSTICS.
    ///
    /// # Errors
    /// 3004 for STACKED, since there is no handler; those of the condition's number, 1041.
    pub(super) fn get_diagnostics(&mut self, get: &GetDiagnostics) -> Result<Reply> {
        if get.stacked {
            return Err(SqlError::new(
                ErrorCode::GetStackedDaWithoutActiveHandler,
                "GET STACKED DIAGNOSTICS when handler not active",
            ));
        }
        self.take_late_warnings();
        let given: Vec<(String, UserVariable)> = match &get.asked {
            AskedDiagnostics::Statement(targets) => {
                let value = |item: StatementItem| match item {
                    StatementItem::Number => number(self.warnings.borrow().list().len() as u64),
                    StatementItem::RowCount => {
                        UserVariable::of(&BIGINT, Datum::Int(self.row_count), Zone::UTC)
                    }
                };
                targets.iter().map(|(name, item)| (name.clone(), value(*item))).collect()
            }
            AskedDiagnostics::Condition(number, targets) => {
                let at = match self.value_of(number)? {
                    (Value::Int(number), _) => usize::try_from(number).unwrap_or(0),
                    (Value::UInt(number), _) => usize::try_from(number).unwrap_or(usize::MAX),
                    (Value::Null, _) => 0,
                    (_, shown) => shown.parse().unwrap_or(0),
                };
                let warnings = self.warnings.borrow();
                let condition = at.checked_sub(1).and_then(|at| warnings.list().get(at));
                let Some(condition) = condition.cloned() else {
                    drop(warnings);
                    let (code, message) =
                        (ErrorCode::DaInvalidConditionNumber, "Invalid condition number");
                    self.warnings.borrow_mut().push(Level::Error, code, message);
                    return Ok(Reply::Done(OkFigures { warnings: 1, ..OkFigures::default() }));
                };
                drop(warnings);
                let value = |item: ConditionItem| item_of(&condition, item);
                targets.iter().map(|(name, item)| (name.clone(), value(*item))).collect()
            }
        };
        self.keep_variables(given)?;
        Ok(Reply::Done(OkFigures::default()))
    }
}

/// An item of a condition.
fn item_of(condition: &Warning, item: ConditionItem) -> UserVariable {
    let sqlstate = condition.sqlstate();
    let set = condition.signaled.as_ref().and_then(|signaled| {
        signaled.items.iter().find(|(known, _)| *known == item).map(|(_, text)| text.as_str())
    });
    let text = match (set, item) {
        (_, ConditionItem::MysqlErrno) => {
            return number(u64::from(condition.number()));
        }
        (Some(text), _) => text.to_owned(),
        (None, ConditionItem::ClassOrigin) => origins_of(sqlstate).0.to_owned(),
        (None, ConditionItem::SubclassOrigin) => origins_of(sqlstate).1.to_owned(),
        (None, ConditionItem::MessageText) => condition.message.clone(),
        (None, ConditionItem::ReturnedSqlstate) => String::from_utf8_lossy(sqlstate).into_owned(),
        (None, _) => String::new(),
    };
    UserVariable::text(text.into_bytes(), Collation::Utf8Mb4GeneralCi)
}

fn number(number: u64) -> UserVariable {
    UserVariable::of(&BIGINT_UNSIGNED, Datum::UInt(number), Zone::UTC)
}

/// Error 1231.
fn wrong_item(item: ConditionItem, value: &str) -> SqlError {
    let message = format!("Variable '{}' can't be set to the value of '{value}'", item.name());
    SqlError::new(ErrorCode::WrongValueForVar, message)
}
