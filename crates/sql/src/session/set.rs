//! SET, user variables and their memory, and expressions evaluated for the session's own sake.
//!
//! Not here: which variables there are (`variables`), the grammar (`syntax::set`).

use std::sync::Arc;

use expression::{BIGINT_UNSIGNED, Environment, Level, UserVariable};
use syntax::set::{Scope as Whose, SetItem};
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use super::Session;
use crate::reply::Reply;
use plan::bind::scalar::{BindFailure, Names, bind};
use plan::variables::{IsolationLevel, Kind, bounded};
use results::{ExecutionMode, Result, SqlError};

impl Session {
    /// The value of an expression without a row, and its text.
    pub(super) fn value_of(&mut self, expr: &sqlparser::ast::Expr) -> Result<(Value, String)> {
        let (given, shown) = self.given_by(expr)?;
        Ok((given.value, shown))
    }

    /// The same as a user variable keeps it.
    fn given_by(&mut self, expr: &sqlparser::ast::Expr) -> Result<(UserVariable, String)> {
        let variables = Arc::clone(&self.user_variables);
        let names = Names {
            variables: Some(&*variables),
            ..Names::none("field list", self.variables.mode)
        };
        let node = match bind(expr, &names) {
            Ok(node) => node,
            Err(BindFailure::NeedsQuery(_)) => return self.value_of_query(expr),
            Err(failure) => return Err(failure.into()),
        };
        let facts = self.facts();
        let environment = Environment::of(&facts, &[]);
        let cell = node.evaluate(&environment.scope())?;
        let kept = kept_value(&node.ty, cell.datum(), facts.zone);
        drop(cell);
        self.take_side_effects(&facts)?;
        Ok(kept)
    }

    pub(super) fn evaluate_and_forget(
        &mut self,
        exprs: &[sqlparser::ast::Expr],
        how: ExecutionMode,
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
    pub(super) fn keep_variables(&mut self, given: Vec<(String, UserVariable)>) -> Result<()> {
        let variables = Arc::make_mut(&mut self.user_variables);
        for (name, given) in given {
            if let Some(old) = variables.remove(&name) {
                self.user_variable_bytes -= variable_bytes(&name, &old.value);
            }
            let bytes = self.user_variable_bytes + variable_bytes(&name, &given.value);
            self.user_share.keep_up_with(bytes)?;
            self.user_variable_bytes = bytes;
            variables.insert(name, given);
        }
        if self.user_share.bytes() > self.user_variable_bytes {
            self.user_share.set(self.user_variable_bytes);
        }
        Ok(())
    }

    /// SET: all values are those from before the statement.
    pub(super) fn set(&mut self, items: &[SetItem]) -> Result<Reply> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(match item {
                SetItem::User { value, .. } => Some(self.given_by(value)?),
                SetItem::System { value: Some(value), .. } => Some(self.given_by(value)?),
                _ => None,
            });
        }
        for (item, value) in items.iter().zip(values) {
            match item {
                SetItem::User { name, .. } => {
                    if let Some((given, _)) = value {
                        self.keep_variables(vec![(name.clone(), given)])?;
                    }
                }
                SetItem::System { scope, name, .. } => {
                    let value = value.map(|(given, shown)| (given.value, shown));
                    self.set_system(*scope, name, value)?;
                }
                SetItem::Names { charset, collation } => {
                    self.set_names(charset.as_deref(), collation.as_deref())?;
                }
                SetItem::CharacterSet(charset) => {
                    // Literals are of the database's.
                    self.set_names(charset.as_deref(), None)?;
                    let of_database = self.database_collation();
                    Arc::make_mut(&mut self.variables).keep_connection(of_database);
                }
                SetItem::Transaction { scope, lasting, isolation, read_only } => {
                    if !lasting && self.open.is_some() {
                        return Err(in_progress());
                    }
                    let level = *isolation;
                    if let (false, Some(level)) = (*lasting, level) {
                        self.next_isolation = IsolationLevel::of(level);
                    } else if let Some(level) = level {
                        let value = Value::Bytes(level.as_bytes().to_vec());
                        let value = Some((value, level.to_string()));
                        self.set_system(*scope, "transaction_isolation", value)?;
                    }
                    self.set_read_only(*scope, *lasting, *read_only)?;
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
            if matches!(name, "read_only" | "super_read_only")
                && given
                    .as_ref()
                    .is_some_and(|(_, text)| text != "0" && !text.eq_ignore_ascii_case("off"))
            {
                return Err(SqlError::unsupported(format_args!("SET GLOBAL {name}")));
            }
            let asked = value.as_ref().map(|(_, text)| text.as_str());
            let roles = match name {
                "mandatory_roles" => Some(self.roles_of_variable(value.as_ref())?),
                _ => None,
            };
            sql.globals().set(name, given)?;
            if let Some(roles) = roles {
                sql.access().set_mandatory_roles(roles);
            }
            if name == "activate_all_roles_on_login" {
                let definition = plan::variables::definition(name);
                let is_on = definition.is_some_and(|known| sql.globals().text(known) == "ON");
                sql.access().activate_all_roles_at_login(is_on);
            }
            self.warn_if_beyond(name, asked);
            if !plan::variables::has_effect(name) {
                self.warnings.borrow_mut().push(
                    Level::Warning,
                    ErrorCode::NotSupportedYet,
                    format!("Variable '{name}' is kept and shown, and changes nothing"),
                );
            }
            sql.take_over_log_variable(name);
            if name == "max_connections" {
                let wanted = plan::variables::definition(name)
                    .filter(|_| value.is_some())
                    .map(|definition| sql.globals().text(definition));
                let number = wanted.as_deref().map(|text| text.parse().unwrap_or(usize::MAX));
                let set = sql.set_connections_max(number);
                if let Some(wanted) = wanted.filter(|_| number != Some(set)) {
                    let message = format!("Truncated incorrect {name} value: '{wanted}'");
                    self.warnings.borrow_mut().push(
                        Level::Warning,
                        ErrorCode::TruncatedWrongValue,
                        message,
                    );
                }
            }
            self.take_over_password_variable(name);
            if name == "max_user_connections" {
                let most = plan::variables::definition(name)
                    .and_then(|definition| sql.globals().text(definition).parse().ok());
                sql.access().usages().set_connections_max(most.unwrap_or(0));
            }
            if name == "event_scheduler" {
                sql.events().notify();
            }
            if name == "rowhouse_durability" {
                let definition = plan::variables::definition(name);
                let word = definition.map(|definition| sql.globals().text(definition));
                let durability = word.and_then(|word| plan::variables::parse_durability(&word));
                if let Some(durability) = durability {
                    sql.engine().set_durability(durability);
                }
            }
            return Ok(());
        }
        match name {
            "last_insert_id" | "identity" => {
                self.last_insert_id = match value.as_ref().map(|(value, _)| value.as_datum()) {
                    None => 0,
                    Some(Datum::UInt(number)) => number,
                    Some(Datum::Int(number)) => u64::try_from(number).unwrap_or(0),
                    Some(_) => return Err(plan::variables::wrong_type(name)),
                };
                self.warn_if_beyond(name, value.as_ref().map(|(_, text)| text.as_str()));
                return Ok(());
            }
            _ => {}
        }
        let was = self.variables.autocommit;
        Arc::make_mut(&mut self.variables).set(name, given, sql.globals())?;
        self.warn_if_beyond(name, value.as_ref().map(|(_, text)| text.as_str()));
        // Switching autocommit on ends the transaction that is open.
        if !was && self.variables.autocommit {
            if let Err(error) = self.check_no_xa() {
                Arc::make_mut(&mut self.variables).autocommit = false;
                return Err(error);
            }
            self.commit_open()?;
        }
        Ok(())
    }

    /// Warning 1292 where a number was beyond the bounds of its variable, and is the bound now.
    fn warn_if_beyond(&mut self, name: &str, asked: Option<&str>) {
        let known = plan::variables::definition(name);
        let Some((definition, asked)) = known.zip(asked) else { return };
        let has_bounds = matches!(definition.kind, Kind::Number | Kind::Fraction);
        if has_bounds && bounded(definition.name, asked).is_some() {
            let message = format!("Truncated incorrect {} value: '{asked}'", definition.name);
            let code = ErrorCode::TruncatedWrongValue;
            self.warnings.borrow_mut().push(Level::Warning, code, message);
        }
    }

    /// A global variable about passwords holds for all accounts that say DEFAULT.
    fn take_over_password_variable(&self, name: &str) {
        let Some(definition) = plan::variables::definition(name) else { return };
        let number: u64 = match self.sql.globals().text(definition).as_str() {
            "ON" => 1,
            "OFF" => 0,
            text => text.parse().unwrap_or(u64::MAX),
        };
        // All fit, since they are within their bounds.
        self.sql.access().change_policy_defaults(|defaults| match name {
            "default_password_lifetime" => defaults.lifetime_days = number as u16,
            "password_history" => defaults.history = number as u32,
            "password_reuse_interval" => defaults.reuse_days = number as u32,
            "password_require_current" => defaults.require_current = number == 1,
            _ => {}
        });
    }

    pub(super) fn set_names(
        &mut self,
        charset: Option<&str>,
        collation: Option<&str>,
    ) -> Result<()> {
        let charset = charset.filter(|name| !name.eq_ignore_ascii_case("default"));
        let charset = charset.unwrap_or("utf8mb4");
        let set = syntax::types::character_set(charset)?;
        let collation = match collation.filter(|name| !name.eq_ignore_ascii_case("default")) {
            Some(name) => syntax::types::collation(name)?,
            None => Collation::default_of(set),
        };
        syntax::types::check_set(collation, set)?;
        let variables = Arc::make_mut(&mut self.variables);
        for name in ["character_set_client", "character_set_results"] {
            if let Some(definition) = plan::variables::definition(name) {
                variables.keep(definition, set.name().to_string())?;
            }
        }
        variables.keep_connection(collation);
        Ok(())
    }

    /// SET [SESSION | GLOBAL] TRANSACTION READ ONLY; without a scope it is for the next one.
    fn set_read_only(&mut self, scope: Whose, lasting: bool, said: Option<bool>) -> Result<()> {
        let Some(read_only) = said else { return Ok(()) };
        if !lasting {
            self.next_read_only = Some(read_only);
            return Ok(());
        }
        let value = (Value::Int(i64::from(read_only)), i64::from(read_only).to_string());
        self.set_system(scope, "transaction_read_only", Some(value))
    }
}

/// Error 1568.
fn in_progress() -> SqlError {
    SqlError::new(
        ErrorCode::CantChangeTxCharacteristics,
        "Transaction characteristics can't be changed while a transaction is in progress",
    )
}

/// A value as a user variable keeps it, and how it prints.
pub(super) fn kept_value(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> (UserVariable, String) {
    let mut shown = Vec::new();
    // A BIT is its number.
    let ty = if matches!(ty, ColumnType::Bit { .. }) { &BIGINT_UNSIGNED } else { ty };
    expression::text_of(ty, datum, zone, &mut shown);
    (UserVariable::of(ty, datum, zone), String::from_utf8_lossy(&shown).into_owned())
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
