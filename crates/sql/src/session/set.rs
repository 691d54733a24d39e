//! SET, user variables and their memory, and expressions evaluated for the session's own sake.
//!
//! Not here: which variables there are (`variables`), the grammar (`parse::set`).

use std::sync::Arc;

use rows::datum::{Datum, Value};

use super::Session;
use crate::error::{Result, SqlError};
use crate::expression::{Names, Scope, bind};
use crate::parse::set::{Scope as Whose, SetItem};
use crate::reply::{How, Reply};

impl Session {
    /// The value of an expression without a row, and its text.
    pub(super) fn value_of(&mut self, expr: &sqlparser::ast::Expr) -> Result<(Value, String)> {
        let mode = self.variables.mode;
        let node = bind(expr, &Names::none("field list", mode)).map_err(SqlError::from)?;
        let facts = self.facts();
        let mut scope = Scope::bare(&[], self.variables.zone);
        scope.mode = mode;
        scope.facts = Some(&facts);
        let cell = node.evaluate(&scope)?;
        let mut shown = Vec::new();
        crate::expression::text_of(&node.ty, cell.datum(), scope.zone, &mut shown);
        // A time in a variable is its text.
        let value = match cell.datum() {
            Datum::Date(_)
            | Datum::Time(_)
            | Datum::DateTime(_)
            | Datum::Timestamp(_)
            | Datum::Enum(_) => Value::Bytes(shown.clone()),
            datum => datum.to_value(),
        };
        drop(cell);
        self.take_aftermath(&facts)?;
        Ok((value, String::from_utf8_lossy(&shown).into_owned()))
    }

    pub(super) fn evaluate_and_forget(
        &mut self,
        exprs: &[sqlparser::ast::Expr],
        how: How,
    ) -> Result<Reply> {
        debug_assert!(how.may_wait);
        for expr in exprs {
            self.value_of(expr)?;
        }
        Ok(self.done(0))
    }

    /// Gives user variables their values.
    ///
    /// # Errors
    /// 1041 when there is no memory for one of them, which is NULL then.
    pub(super) fn keep_variables(&mut self, given: Vec<(String, Value)>) -> Result<()> {
        let variables = Arc::make_mut(&mut self.user_variables);
        for (name, value) in given {
            if let Some(old) = variables.remove(&name) {
                self.user_variable_bytes -= variable_bytes(&name, &old);
            }
            let bytes = self.user_variable_bytes + variable_bytes(&name, &value);
            self.user_share.keep_up_with(bytes)?;
            self.user_variable_bytes = bytes;
            variables.insert(name, value);
        }
        if self.user_share.bytes() > self.user_variable_bytes {
            self.user_share.set(self.user_variable_bytes);
        }
        Ok(())
    }

    pub(super) fn set(&mut self, items: &[SetItem]) -> Result<Reply> {
        for item in items {
            match item {
                SetItem::Nothing => {}
                SetItem::User { name, value } => {
                    let value = self.value_of(value)?.0;
                    self.keep_variables(vec![(name.clone(), value)])?;
                }
                SetItem::System { scope, name, value } => {
                    let value = value.as_ref().map(|expr| self.value_of(expr)).transpose()?;
                    self.set_system(*scope, name, value)?;
                }
                SetItem::Names { charset, collation } => {
                    self.set_names(charset.as_deref(), collation.as_deref())?;
                }
                SetItem::CharacterSet(charset) => self.set_names(charset.as_deref(), None)?,
                SetItem::Transaction { scope, isolation, read_only } => {
                    self.set_transaction(*scope, *isolation, *read_only)?;
                }
            }
        }
        Ok(self.done(0))
    }

    fn set_system(
        &mut self,
        scope: Whose,
        name: &str,
        value: Option<(Value, String)>,
    ) -> Result<()> {
        let sql = Arc::clone(&self.sql);
        let given = value.as_ref().map(|(value, text)| (value, text.clone()));
        if scope == Whose::Global {
            sql.globals().set(name, given)?;
            if name == "rowhouse_durability" {
                let definition = crate::variables::definition(name);
                let word = definition.map(|definition| sql.globals().text(definition));
                let durability = word.and_then(|word| crate::variables::parse_durability(&word));
                if let Some(durability) = durability {
                    sql.engine().set_durability(durability);
                }
            }
            return Ok(());
        }
        match name {
            "last_insert_id" | "identity" => {
                if let Some((value, _)) = &value {
                    let number =
                        crate::expression::Number::of(value.as_datum(), self.variables.zone);
                    self.last_insert_id = number.map_or(0, |(number, _)| number.to_bits());
                }
                return Ok(());
            }
            _ => {}
        }
        let variables = Arc::make_mut(&mut self.variables);
        let was = variables.autocommit;
        variables.set(name, given, sql.globals())?;
        // Switching autocommit on ends the transaction that is open.
        if !was && variables.autocommit {
            self.commit_open()?;
        }
        Ok(())
    }

    fn set_names(&mut self, charset: Option<&str>, collation: Option<&str>) -> Result<()> {
        let charset = charset.unwrap_or("utf8mb4");
        let default = crate::parse::types::charset_collation(charset)?;
        let collation = match collation {
            Some(name) => crate::parse::types::collation(name)?,
            None => default,
        };
        let variables = Arc::make_mut(&mut self.variables);
        let shown = charset.to_ascii_lowercase();
        for name in ["character_set_client", "character_set_connection", "character_set_results"] {
            if let Some(definition) = crate::variables::definition(name) {
                variables.keep(definition, shown.clone())?;
            }
        }
        if let Some(definition) = crate::variables::definition("collation_connection") {
            variables.keep(definition, collation.name().to_string())?;
        }
        Ok(())
    }

    fn set_transaction(
        &mut self,
        scope: Whose,
        isolation: Option<&str>,
        read_only: Option<bool>,
    ) -> Result<()> {
        if let Some(level) = isolation {
            let value = (Value::Bytes(level.as_bytes().to_vec()), level.to_string());
            self.set_system(scope, "transaction_isolation", Some(value))?;
        }
        if let Some(read_only) = read_only {
            self.next_read_only = Some(read_only);
        }
        Ok(())
    }
}

/// Memory of a user variable, about.
fn variable_bytes(name: &str, value: &Value) -> usize {
    const ENTRY_BYTES: usize = 128;
    let text = match value {
        Value::Bytes(bytes) => bytes.capacity(),
        _ => 0,
    };
    ENTRY_BYTES + name.len() + text
}
