//! System variables: which there are, their defaults, and each session's values.
//!
//! Many exist only because clients set or ask them when they connect; those are kept and shown
//! again without other effect. `docs/sql.md` lists the ones that do something.
//!
//! Invariants
//! 1. A name is known everywhere (SET, SELECT @@, SHOW VARIABLES) or nowhere.
//! 2. Typed copies (`mode`, `zone`, ...) always agree with the texts.
//!
//! Not here: the grammar of SET (`syntax::set`), user variables (`session`), between which numbers
//! values lie (`bounds`).

mod bounds;
mod log_output;
mod names;
mod switches;
mod words;

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::RwLock;
use rows::store::Durability;
use rows::transaction::NumberRules;
use values::ErrorCode;
use values::datum::Value;
use values::full_text::TextRules;
use values::temporal::Zone;

use results::{Result, SqlError};

pub use bounds::{bounded, bounds};
use expression::limits::VALUE_BYTES_MAX;
use expression::{BlockMode, SystemVariables, TimeNames};
pub use log_output::LogOutput;
pub use names::{Definition, Kind, Reach, VARIABLES};
use syntax::types::{character_set, collation};
use values::{CharacterSet, Collation, ModeFault, SqlMode};
use words::{word_of, words_of};

/// What runs queries that are no look-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// Whoever is quicker, by estimated rows.
    #[default]
    Auto,
    /// The row executor, whatever the size.
    Rows,
    /// The analytic way.
    Columns,
}

/// A session's system variables.
#[derive(Clone, Debug)]
pub struct SessionVariables {
    /// Values that differ from the definitions' defaults.
    values: HashMap<&'static str, String>,
    /// sql_mode, with div_precision_increment and collation_connection.
    pub mode: SqlMode,
    /// lc_time_names.
    pub time_names: &'static TimeNames,
    /// auto_increment_increment.
    pub number_increment: u64,
    /// auto_increment_offset.
    pub number_offset: u64,
    /// default_week_format.
    pub week_format: u8,
    /// block_encryption_mode.
    pub block_mode: BlockMode,
    /// sql_require_primary_key.
    pub requires_primary_key: bool,
    /// sql_auto_is_null.
    pub auto_is_null: bool,
    /// sql_safe_updates.
    pub safe_updates: bool,
    /// insert_id, until rows have got it.
    pub insert_id: Option<u64>,
    /// time_zone.
    pub zone: Zone,
    /// autocommit.
    pub autocommit: bool,
    /// foreign_key_checks.
    pub foreign_keys: bool,
    /// rowhouse_durability, if the session says so.
    pub durability: Option<Durability>,
    /// innodb_lock_wait_timeout.
    pub lock_wait: Duration,
    /// lock_wait_timeout, once it was set.
    pub metadata_wait: Option<Duration>,
    /// timestamp, microseconds since the epoch; `None` is the clock.
    pub timestamp: Option<i64>,
    /// transaction_isolation.
    pub isolation: IsolationLevel,
    /// transaction_read_only.
    pub read_only: bool,
    /// What statements, literals and results are written in.
    pub charsets: Charsets,
    /// sql_select_limit.
    pub select_limit: u64,
    /// max_allowed_packet: the longest value that an expression makes.
    pub value_bytes_max: usize,
    /// max_execution_time, of SELECT; `None`: as long as it takes.
    pub execution_time: Option<Duration>,
    /// long_query_time.
    pub long_query_time: Duration,
    /// min_examined_row_limit.
    pub examined_rows_min: u64,
    /// max_statement_time, of any statement; `None`: as long as it takes.
    pub statement_time: Option<Duration>,
    /// progress_report_time; `None`: no reports.
    pub report_interval: Option<Duration>,
    /// rowhouse_executor.
    pub executor: Executor,
    /// use_invisible_indexes of optimizer_switch.
    pub sees_invisible_indexes: bool,
    /// The rules of full-text indexes that are made: innodb_ft_enable_stopword.
    pub text_rules: TextRules,
    /// Others have no typed copy.
    _private: (),
}

/// The values that new sessions start with.
#[derive(Debug, Default)]
pub struct GlobalVariables {
    values: RwLock<HashMap<&'static str, String>>,
}

/// The definition of a variable by name, without regard to case.
pub fn definition(name: &str) -> Option<&'static Definition> {
    let lower = name.to_ascii_lowercase();
    VARIABLES
        .binary_search_by(|definition| definition.name.cmp(lower.as_str()))
        .ok()
        .map(|at| &VARIABLES[at])
}

/// Whether SET GLOBAL changes anything that the server does.
pub fn has_effect(name: &str) -> bool {
    matches!(
        name,
        "activate_all_roles_on_login"
            | "auto_increment_increment"
            | "auto_increment_offset"
            | "autocommit"
            | "block_encryption_mode"
            | "default_password_lifetime"
            | "default_week_format"
            | "div_precision_increment"
            | "event_scheduler"
            | "explain_format"
            | "foreign_key_checks"
            | "general_log"
            | "generated_random_password_length"
            | "group_concat_max_len"
            | "innodb_ft_enable_stopword"
            | "innodb_lock_wait_timeout"
            | "lc_time_names"
            | "lock_wait_timeout"
            | "log_output"
            | "log_queries_not_using_indexes"
            | "log_slow_admin_statements"
            | "log_slow_extra"
            | "log_throttle_queries_not_using_indexes"
            | "long_query_time"
            | "rowhouse_executor"
            | "mandatory_roles"
            | "max_allowed_packet"
            | "max_connections"
            | "max_execution_time"
            | "max_prepared_stmt_count"
            | "max_statement_time"
            | "max_user_connections"
            | "min_examined_row_limit"
            | "password_history"
            | "password_require_current"
            | "password_reuse_interval"
            | "progress_report_time"
            | "rowhouse_durability"
            | "slow_query_log"
            | "sql_auto_is_null"
            | "sql_require_primary_key"
            | "sql_safe_updates"
            | "sql_mode"
            | "sql_select_limit"
            | "time_zone"
            | "timestamp"
            | "transaction_isolation"
            | "transaction_read_only"
            | "tx_isolation"
            | "tx_read_only"
    )
}

/// Error 1193.
pub fn unknown(name: &str) -> SqlError {
    SqlError::new(ErrorCode::UnknownSystemVariable, format!("Unknown system variable '{name}'"))
}

/// Error 1231.
pub fn wrong_value(name: &str, value: &str) -> SqlError {
    SqlError::new(
        ErrorCode::WrongValueForVar,
        format!("Variable '{name}' can't be set to the value of '{value}'"),
    )
}

/// A variable's value by its kind: ON and OFF are numbers in SELECT.
fn typed(definition: &Definition, text: &str) -> Value {
    match definition.kind {
        Kind::Switch => Value::Int(i64::from(text == "ON")),
        Kind::Number => match text.parse::<u64>() {
            Ok(value) => Value::UInt(value),
            Err(_) => Value::Int(text.parse().unwrap_or(0)),
        },
        Kind::Fraction => Value::Double(text.parse().unwrap_or(0.0)),
        Kind::Text => Value::Bytes(text.as_bytes().to_vec()),
    }
}

/// Error 1232.
pub fn wrong_type(name: &str) -> SqlError {
    let message = format!("Incorrect argument type to variable '{name}'");
    SqlError::new(ErrorCode::WrongTypeForVar, message)
}

/// The text kept for a value given to a variable.
fn normalise(definition: &Definition, value: &Value, text: String) -> Result<String> {
    let name = definition.name;
    let wrong = || wrong_value(name, if value.is_null() { "NULL" } else { &text });
    match (definition.kind, value) {
        (Kind::Fraction, Value::Bytes(_) | Value::Null) => Err(wrong_type(name)),
        (Kind::Fraction, _) => Ok(bounded(name, &text).unwrap_or(text)),
        (_, Value::Decimal(_) | Value::Float(_) | Value::Double(_)) => Err(wrong_type(name)),
        (Kind::Switch, Value::Bytes(_)) => match text.to_ascii_uppercase().as_str() {
            "ON" | "TRUE" | "YES" => Ok("ON".to_string()),
            "OFF" | "FALSE" | "NO" => Ok("OFF".to_string()),
            _ => Err(wrong()),
        },
        (Kind::Switch, _) => match text.as_str() {
            "1" => Ok("ON".to_string()),
            "0" => Ok("OFF".to_string()),
            _ => Err(wrong()),
        },
        (Kind::Number, _) => match text.parse::<i128>() {
            Ok(number) if !matches!(value, Value::Bytes(_)) => {
                Ok(bounded(name, &text).unwrap_or_else(|| number.to_string()))
            }
            _ => Err(wrong_type(name)),
        },
        (Kind::Text, Value::Null) => match name {
            "character_set_results" => Ok("NULL".to_string()),
            "sql_mode" | "time_zone" | "lc_time_names" | "lc_messages" => Err(wrong()),
            _ if words_of(name).is_some() || is_of_text_set(name) => Err(wrong()),
            _ => Ok(text),
        },
        (Kind::Text, _) => {
            let is_number = matches!(value, Value::Int(_) | Value::UInt(_));
            match words_of(name) {
                Some(words) => {
                    word_of(words, &text, is_number).map(str::to_string).ok_or_else(wrong)
                }
                None if is_number => of_number(name, &text)?.ok_or_else(wrong),
                None => Ok(text),
            }
        }
    }
}

/// Whether a variable names a collation or a character set.
fn is_of_text_set(name: &str) -> bool {
    name.starts_with("collation_") || name.starts_with("character_set_")
}

/// The text that a number stands for where a variable has a text; `None` where it stands for none.
///
/// # Errors
/// 1232 where only a text is taken.
fn of_number(name: &str, text: &str) -> Result<Option<String>> {
    let number = text.parse::<u64>().ok();
    let collation = || number.and_then(|number| Collation::of_number(u16::try_from(number).ok()?));
    Ok(match name {
        "sql_mode" => number.and_then(SqlMode::list_of_number),
        "time_zone" | "default_storage_engine" | "default_tmp_storage_engine" | "init_connect" => {
            return Err(wrong_type(name));
        }
        _ if name.starts_with("collation_") => {
            Some(collation().map_or_else(|| text.to_string(), |known| known.name().to_string()))
        }
        _ if name.starts_with("character_set_") => {
            Some(collation().map_or_else(|| text.to_string(), |known| known.set_name().to_string()))
        }
        _ => Some(text.to_string()),
    })
}

impl GlobalVariables {
    /// The value that new sessions start with, as text.
    pub fn text(&self, definition: &'static Definition) -> String {
        let values = self.values.read();
        values.get(definition.name).cloned().unwrap_or_else(|| definition.default.to_string())
    }

    /// The value, typed for SELECT.
    pub fn value(&self, definition: &'static Definition) -> Value {
        typed(definition, &self.text(definition))
    }

    /// Fixes a value that the server knows and nobody may set.
    pub fn fix(&self, name: &str, value: impl Into<String>) {
        if let Some(definition) = definition(name) {
            let value = value.into();
            let value = match definition.kind {
                Kind::Number | Kind::Fraction => bounded(name, &value).unwrap_or(value),
                Kind::Switch | Kind::Text => value,
            };
            self.values.write().insert(definition.name, value);
        }
    }

    /// SET GLOBAL; `text` is the value printed. `None` restores the default.
    ///
    /// # Errors
    /// 1193 for a name that is no variable's, 1238, 1228 or 1229 where it cannot be set, 1231 or
    /// 1232 for a value that it cannot have. It keeps its value then.
    pub fn set(&self, name: &str, value: Option<(&Value, String)>) -> Result<()> {
        let definition = definition(name).ok_or_else(|| unknown(name))?;
        definition.check_settable(true)?;
        let text = match value {
            Some((value, text)) => normalise(definition, value, text)?,
            None => definition.default.to_string(),
        };
        // A session with this value must be possible.
        let mut possible = SessionVariables::new(&GlobalVariables::default())?;
        if definition.name == "optimizer_switch" {
            possible.keep(definition, self.text(definition))?;
        }
        possible.keep(definition, text)?;
        let mut values = self.values.write();
        values.insert(definition.name, possible.text(definition));
        if let Some(pair) = text_pair(definition.name) {
            values.extend(pair.map(|name| (name, possible.values[name].clone())));
        }
        Ok(())
    }
}

/// The variables of a character set and of its collation, one of which has this name.
fn text_pair(name: &str) -> Option<[&'static str; 2]> {
    const PAIRS: [[&str; 2]; 2] = [
        ["character_set_database", "collation_database"],
        ["character_set_server", "collation_server"],
    ];
    PAIRS.into_iter().find(|pair| pair.contains(&name))
}

/// The character sets of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charsets {
    /// character_set_client: that of statements as they come.
    pub client: CharacterSet,
    /// character_set_connection: that of literals where their bytes count.
    pub connection: CharacterSet,
    /// character_set_results: that of what is sent; `binary`: as it is stored.
    pub results: CharacterSet,
}

impl Default for Charsets {
    fn default() -> Charsets {
        let utf8 = CharacterSet::UTF8MB4;
        Charsets { client: utf8, connection: utf8, results: utf8 }
    }
}

/// Typed for SELECT.
impl SystemVariables for SessionVariables {
    fn value(&self, name: &str) -> Option<Value> {
        let definition = definition(name)?;
        Some(typed(definition, &self.text(definition)))
    }
}

impl SessionVariables {
    /// A new session's.
    ///
    /// # Errors
    /// 1231 when a global value is one that no session can have.
    pub fn new(globals: &GlobalVariables) -> Result<SessionVariables> {
        let mut variables = SessionVariables {
            values: HashMap::new(),
            foreign_keys: true,
            mode: SqlMode::default(),
            time_names: TimeNames::english(),
            number_increment: 1,
            number_offset: 1,
            week_format: 0,
            block_mode: BlockMode::default(),
            requires_primary_key: false,
            auto_is_null: false,
            safe_updates: false,
            insert_id: None,
            zone: Zone::of_system(),
            autocommit: true,
            durability: None,
            lock_wait: Duration::from_secs(50),
            metadata_wait: None,
            timestamp: None,
            isolation: IsolationLevel::RepeatableRead,
            read_only: false,
            charsets: Charsets::default(),
            select_limit: u64::MAX,
            value_bytes_max: VALUE_BYTES_MAX,
            execution_time: None,
            statement_time: None,
            long_query_time: Duration::from_secs(10),
            examined_rows_min: 0,
            report_interval: Some(Duration::from_secs(5)),
            executor: Executor::Auto,
            sees_invisible_indexes: false,
            text_rules: TextRules::default(),
            _private: (),
        };
        for (name, text) in globals.values.read().iter() {
            if let Some(definition) = definition(name) {
                variables.keep(definition, text.clone())?;
            }
        }
        Ok(variables)
    }

    /// How AUTO_INCREMENT values of the session's rows are made.
    pub fn number_rules(&self) -> NumberRules {
        NumberRules {
            zero_is_value: self.mode.no_auto_value_on_zero(),
            increment: self.number_increment,
            offset: self.number_offset,
            repeats_last: true,
            refuses_rounded: self.mode.strict(),
        }
    }

    /// A value as text, as SHOW VARIABLES shows it.
    pub fn text(&self, definition: &'static Definition) -> String {
        match self.values.get(definition.name) {
            Some(text) => text.clone(),
            None => definition.default.to_string(),
        }
    }

    /// SET; `text` is the value printed. `None` restores the global value.
    ///
    /// # Errors
    /// As `GlobalVariables::set`; 1621 for max_allowed_packet.
    pub fn set(
        &mut self,
        name: &str,
        value: Option<(&Value, String)>,
        globals: &GlobalVariables,
    ) -> Result<()> {
        let definition = definition(name).ok_or_else(|| unknown(name))?;
        if definition.name == "max_allowed_packet" {
            return Err(SqlError::new(
                ErrorCode::VariableIsReadonly,
                "SESSION variable 'max_allowed_packet' is read-only. Use SET GLOBAL to assign \
                 the value",
            ));
        }
        definition.check_settable(false)?;
        let text = match value {
            Some((value, text)) => normalise(definition, value, text)?,
            None => globals.text(definition),
        };
        self.keep(definition, text)
    }

    /// Takes a value over, and its typed copy.
    ///
    /// # Errors
    /// 1231 for a value that it cannot have; the variable keeps its own then.
    pub fn keep(&mut self, definition: &'static Definition, text: String) -> Result<()> {
        let wrong = || wrong_value(definition.name, &text);
        let mut shown = None;
        match definition.name {
            "sql_mode" => {
                let mode = SqlMode::parse(&text).map_err(|fault| match fault {
                    ModeFault::Unknown(word) => wrong_value("sql_mode", &word),
                    ModeFault::NotHere(name) => SqlError::unsupported(format!("sql_mode {name}")),
                })?;
                self.mode = self.mode.with_flags_of(mode);
                shown = Some(self.mode.to_string());
            }
            "time_zone" => {
                self.zone = if text.eq_ignore_ascii_case("system") {
                    Zone::of_system()
                } else {
                    Zone::parse(&text).ok_or_else(|| {
                        SqlError::new(
                            ErrorCode::UnknownTimeZone,
                            format!("Unknown or incorrect time zone: '{text}'"),
                        )
                    })?
                };
                // SYSTEM stays that.
                let place = self.zone.name().filter(|_| !text.eq_ignore_ascii_case("system"));
                shown = place.map(str::to_string);
            }
            "autocommit" => self.autocommit = text == "ON",
            "foreign_key_checks" => self.foreign_keys = text == "ON",
            "event_scheduler" => {
                shown = Some(match text.to_ascii_uppercase().as_str() {
                    "ON" | "1" => "ON".to_string(),
                    "OFF" | "0" => "OFF".to_string(),
                    _ => return Err(wrong()),
                });
            }
            "explain_format" => {
                shown = Some(match text.to_ascii_uppercase().as_str() {
                    "TRADITIONAL" | "DEFAULT" => "TRADITIONAL".to_string(),
                    format @ ("JSON" | "TREE") => format.to_string(),
                    _ => return Err(wrong()),
                });
            }
            // The other documents of MySQL's are not made.
            "explain_json_format_version" if text != "1" => return Err(wrong()),
            "lc_messages" => {
                let known = TimeNames::find(&text).ok_or_else(|| {
                    SqlError::new(ErrorCode::UnknownLocale, format!("Unknown locale: '{text}'"))
                })?;
                shown = Some(known.language.to_string());
            }
            "rowhouse_executor" => {
                self.executor = match text.to_ascii_lowercase().as_str() {
                    "auto" => Executor::Auto,
                    "rows" => Executor::Rows,
                    "columns" => Executor::Columns,
                    _ => return Err(wrong()),
                };
            }
            "optimizer_switch" => {
                let list = switches::switched(&self.text(definition), definition.default, &text);
                let list = list.map_err(|rest| wrong_value(definition.name, &rest))?;
                self.sees_invisible_indexes =
                    switches::value_of(&list, "use_invisible_indexes") == Some("on");
                shown = Some(list);
            }
            "rowhouse_durability" => {
                self.durability = Some(parse_durability(&text).ok_or_else(wrong)?);
            }
            "innodb_ft_enable_stopword" => self.text_rules.stopwords = text == "ON",
            "innodb_lock_wait_timeout" => {
                self.lock_wait = Duration::from_secs(text.parse().map_err(|_| wrong())?);
            }
            "lock_wait_timeout" => {
                let seconds = text.parse().map_err(|_| wrong())?;
                self.metadata_wait = Some(Duration::from_secs(seconds));
            }
            "timestamp" => {
                let seconds: f64 = text.parse().map_err(|_| wrong())?;
                self.timestamp = (seconds > 0.0).then(|| (seconds * 1e6).round() as i64);
            }
            "transaction_isolation" | "tx_isolation" => {
                let level = IsolationLevel::of(&text).ok_or_else(wrong)?;
                self.isolation = level;
                self.values.insert("transaction_isolation", level.name().to_string());
                self.values.insert("tx_isolation", level.name().to_string());
                return Ok(());
            }
            "transaction_read_only" | "tx_read_only" => {
                self.read_only = text == "ON";
                self.values.insert("transaction_read_only", text.clone());
                self.values.insert("tx_read_only", text);
                return Ok(());
            }
            "max_allowed_packet" => {
                self.value_bytes_max = text.parse().map_err(|_| wrong())?;
            }
            "max_execution_time" => {
                let millis: u64 = text.parse().map_err(|_| wrong())?;
                self.execution_time = (millis > 0).then(|| Duration::from_millis(millis));
            }
            "long_query_time" => {
                let seconds: f64 = text.parse().map_err(|_| wrong())?;
                let time = Duration::try_from_secs_f64(seconds);
                self.long_query_time = time.map_err(|_| wrong())?;
                shown = Some(format!("{:.6}", self.long_query_time.as_secs_f64()));
            }
            "max_statement_time" => {
                let seconds: f64 = text.parse().map_err(|_| wrong())?;
                let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
                self.statement_time = (!time.is_zero()).then_some(time);
            }
            "progress_report_time" => {
                let seconds: u64 = text.parse().map_err(|_| wrong())?;
                self.report_interval = (seconds > 0).then(|| Duration::from_secs(seconds));
            }
            "character_set_client" => {
                let set = character_set(&text)?;
                if !set.may_be_client() {
                    return Err(wrong());
                }
                self.charsets.client = set;
            }
            "character_set_connection" => {
                let set = character_set(&text)?;
                self.keep_connection(Collation::default_of(set));
                return Ok(());
            }
            "character_set_results" => {
                self.charsets.results = match text.eq_ignore_ascii_case("null") {
                    true => CharacterSet::BINARY,
                    false => character_set(&text)?,
                };
            }
            "character_set_database" | "character_set_server" => {
                let collation = Collation::default_of(character_set(&text)?);
                self.keep_text_pair(definition.name, collation);
                return Ok(());
            }
            "collation_database" | "collation_server" => {
                self.keep_text_pair(definition.name, collation(&text)?);
                return Ok(());
            }
            "div_precision_increment" => {
                let digits = text.parse().map_err(|_| wrong())?;
                self.mode = self.mode.with_division_digits(digits);
            }
            "auto_increment_increment" => {
                self.number_increment = text.parse().map_err(|_| wrong())?;
            }
            "auto_increment_offset" => {
                self.number_offset = text.parse().map_err(|_| wrong())?;
            }
            "default_week_format" => {
                self.week_format = text.parse().map_err(|_| wrong())?;
            }
            "block_encryption_mode" => {
                self.block_mode = BlockMode::of(&text).ok_or_else(wrong)?;
                shown = Some(self.block_mode.name());
            }
            "min_examined_row_limit" => {
                self.examined_rows_min = text.parse().map_err(|_| wrong())?;
            }
            "log_output" => {
                shown = Some(LogOutput::of(&text).ok_or_else(wrong)?.to_string());
            }
            "sql_auto_is_null" => self.auto_is_null = text == "ON",
            "sql_require_primary_key" => self.requires_primary_key = text == "ON",
            "insert_id" => self.insert_id = text.parse().ok().filter(|number| *number > 0),
            "sql_safe_updates" => self.safe_updates = text == "ON",
            "lc_time_names" => {
                self.time_names = TimeNames::find(&text).ok_or_else(|| {
                    SqlError::new(ErrorCode::UnknownLocale, format!("Unknown locale: '{text}'"))
                })?;
                shown = Some(self.time_names.language.to_string());
            }
            "collation_connection" => {
                self.keep_connection(collation(&text)?);
                return Ok(());
            }
            "sql_select_limit" => self.select_limit = text.parse().map_err(|_| wrong())?,
            _ => {}
        }
        self.values.insert(definition.name, shown.unwrap_or(text));
        Ok(())
    }

    /// A collation and its character set, of which the one variable says what the other does.
    fn keep_text_pair(&mut self, name: &str, collation: Collation) {
        let Some([of_set, of_collation]) = text_pair(name) else { return };
        self.values.insert(of_set, collation.set_name().to_string());
        self.values.insert(of_collation, collation.name().to_string());
    }

    /// The collation that a variable names, or the one of its pair.
    pub fn collation_of(&self, name: &str) -> Option<Collation> {
        let [_, of_collation] = text_pair(name)?;
        collation(self.values.get(of_collation)?).ok()
    }

    /// The collation of literals, and their character set with it.
    pub fn keep_connection(&mut self, collation: Collation) {
        let set = collation.set();
        self.mode = self.mode.with_connection_collation(collation);
        self.charsets.connection = set;
        self.values.insert("character_set_connection", set.name().to_string());
        self.values.insert("collation_connection", collation.name().to_string());
    }
}

/// What a transaction sees of others, and what it keeps them from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IsolationLevel {
    /// As `ReadCommitted`.
    ReadUncommitted,
    /// Each statement reads what is committed when it begins.
    ReadCommitted,
    /// Plain reads see one state; what reads with locks look at stays as it is.
    RepeatableRead,
    /// All reads lock.
    Serializable,
}

impl IsolationLevel {
    const ALL: [IsolationLevel; 4] = [
        IsolationLevel::ReadUncommitted,
        IsolationLevel::ReadCommitted,
        IsolationLevel::RepeatableRead,
        IsolationLevel::Serializable,
    ];

    /// The level with a name or a number.
    pub fn of(text: &str) -> Option<IsolationLevel> {
        let (number, name) = (text.parse::<usize>().ok(), text.replace(' ', "-"));
        let is_it = |(at, level): (usize, &IsolationLevel)| {
            number == Some(at) || level.name().eq_ignore_ascii_case(&name)
        };
        IsolationLevel::ALL.iter().enumerate().find(|of| is_it(*of)).map(|(_, level)| *level)
    }

    /// The name that MySQL shows.
    pub fn name(self) -> &'static str {
        match self {
            IsolationLevel::ReadUncommitted => "READ-UNCOMMITTED",
            IsolationLevel::ReadCommitted => "READ-COMMITTED",
            IsolationLevel::RepeatableRead => "REPEATABLE-READ",
            IsolationLevel::Serializable => "SERIALIZABLE",
        }
    }
}

/// The words for durability in the configuration and in `SET`.
pub fn parse_durability(text: &str) -> Option<Durability> {
    match text.to_ascii_lowercase().as_str() {
        "every-commit" => Some(Durability::EveryCommit),
        "every-second" => Some(Durability::EverySecond),
        "os" => Some(Durability::Os),
        _ => None,
    }
}

/// The word for a durability.
pub fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::EveryCommit => "every-commit",
        Durability::EverySecond => "every-second",
        Durability::Os => "os",
    }
}
