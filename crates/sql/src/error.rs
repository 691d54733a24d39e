//! What a statement answers when it fails: MySQL's number, SQLSTATE and words.
//!
//! Invariants
//! 1. Every `rows::Error` has an answer here, by an exhaustive `match`: a new variant does not
//!    compile until it is given one.
//! 2. `WouldWait` is no failure: nothing was done, and the statement is to be repeated where
//!    waiting is allowed. It never reaches a client.
//!
//! Not here: warnings (`warning`), which carry the same numbers but end nothing.

use expression::{KillMark, shortened};
use resources::budget::NoMemory;
use rows::error::{Error, Thing};
use values::convert::Issue;
use values::key::DamagedKey;
use values::row::RowError;

/// An error as a MySQL client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// MySQL's error number, 1064 for instance; 0 only for `would_wait`.
    pub number: u16,
    /// Five characters of SQLSTATE.
    pub sqlstate: [u8; 5],
    /// The words, in MySQL's wording.
    pub message: String,
}

impl std::fmt::Display for SqlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = std::str::from_utf8(&self.sqlstate).unwrap_or("HY000");
        write!(f, "ERROR {} ({state}): {}", self.number, self.message)
    }
}

impl std::error::Error for SqlError {}

/// Result of a statement or a part of one.
pub type Result<T> = std::result::Result<T, SqlError>;

impl SqlError {
    /// An error by number; the SQLSTATE follows from it.
    pub fn new(number: u16, message: impl Into<String>) -> SqlError {
        SqlError { number, sqlstate: sqlstate(number), message: shortened(message.into()) }
    }

    /// The statement would have to wait and may not: nothing was done, repeat it elsewhere.
    pub fn would_wait() -> SqlError {
        SqlError { number: 0, sqlstate: *b"00000", message: String::new() }
    }

    /// Whether this is `would_wait`.
    pub fn is_would_wait(&self) -> bool {
        self.number == 0
    }

    /// Whether a table has become another one since the statement looked at it, which may be begun
    /// anew then.
    pub fn is_table_changed(&self) -> bool {
        self.number == 1412
    }

    /// Whether there was no memory for the statement: clients' together (1041), or that of long queries
    /// (1038). Where others have it, it may be begun anew.
    pub fn is_short_of_memory(&self) -> bool {
        self.is_short_of_query_memory() || self.number == 1041
    }

    /// Whether it was the memory of queries.
    pub fn is_short_of_query_memory(&self) -> bool {
        self.number == 1038
    }

    /// 1064 at a place in the statement.
    pub fn syntax(near: &str, line: u64) -> SqlError {
        syntax::Error::syntax(near, line).into()
    }

    /// 1235: MySQL knows it, this server does not.
    pub fn unsupported(what: impl std::fmt::Display) -> SqlError {
        syntax::Error::unsupported(what).into()
    }

    /// 1213.
    pub fn deadlock() -> SqlError {
        let message = "Deadlock found when trying to get lock; try restarting transaction";
        SqlError::new(1213, message)
    }

    /// 1041.
    pub fn no_memory() -> SqlError {
        SqlError::new(
            1041,
            "Out of memory; what the setting 'memory' leaves for all clients together is in use",
        )
    }

    /// 3170.
    pub fn statement_too_large() -> SqlError {
        let message = "Memory capacity exceeded: the statement has more literals and words than \
                       the setting 'memory' has room for. Parser bailed out for this query.";
        SqlError::new(3170, message)
    }

    /// 1054.
    pub fn unknown_column(name: &str, clause: &str) -> SqlError {
        SqlError::new(1054, format!("Unknown column '{name}' in '{clause}'"))
    }

    /// 1046.
    pub fn no_database() -> SqlError {
        SqlError::new(1046, "No database selected")
    }

    /// 1049.
    pub fn unknown_database(name: &str) -> SqlError {
        SqlError::new(1049, format!("Unknown database '{name}'"))
    }

    /// 1146; `name` as `db.table`.
    pub fn no_table(database: &str, table: &str) -> SqlError {
        SqlError::new(1146, format!("Table '{database}.{table}' doesn't exist"))
    }

    /// 1539.
    pub fn unknown_event(name: &str) -> SqlError {
        SqlError::new(1539, format!("Unknown event '{name}'"))
    }

    /// 1537.
    pub fn event_exists(name: &str) -> SqlError {
        SqlError::new(1537, format!("Event '{name}' already exists"))
    }

    /// Its number and words, for a warning.
    pub fn into_warning(self) -> (u16, String) {
        (self.number, self.message)
    }

    /// 1105: an error without a number of its own.
    pub fn other(message: impl Into<String>) -> SqlError {
        SqlError::new(1105, message)
    }
}

/// The SQLSTATE that MySQL gives an error number.
pub fn sqlstate(number: u16) -> [u8; 5] {
    let state: &[u8; 5] = match number {
        1022 | 1048 | 1052 | 1062 | 1169 | 1216 | 1217 | 1364 | 1451 | 1452 | 1557 | 1586
        | 4025 => b"23000",
        1044 | 1049 | 1063 | 1064 | 1065 | 1067 | 1068 | 1069 | 1070 | 1071 | 1072 | 1073
        | 1074 | 1075 | 1090 | 1091 | 1101 | 1102 | 1103 | 1104 | 1110 | 1112 | 1113 | 1115
        | 1120 | 1121 | 1138 | 1139 | 1140 | 1141 | 1142 | 1143 | 1145 | 1147 | 1148 | 1149
        | 1163 | 1164 | 1166 | 1167 | 1170 | 1171 | 1177 | 1178 | 1203 | 1211 | 1226 | 1230
        | 1231 | 1232 | 1234 | 1235 | 1239 | 1248 | 1252 | 1253 | 1280 | 1281 | 1286 | 1303
        | 1304 | 1305 | 1327 | 1370 | 1382 | 1439 | 1525 | 1059 | 1060 | 1061 => match number {
            1044 => b"42000",
            1060 => b"42S21",
            1120 | 1248 | 1115 => b"42000",
            1525 => b"HY000",
            _ => b"42000",
        },
        1045 | 1251 => b"28000",
        1040 | 1043 | 1047 | 1053 | 1080 | 1081 | 1152 | 1153 | 1154 | 1155 | 1156 | 1157
        | 1158 | 1159 | 1160 | 1161 | 1184 | 1189 | 1190 | 1218 => b"08S01",
        1046 => b"3D000",
        1050 => b"42S01",
        1051 | 1109 | 1146 => b"42S02",
        1054 | 1247 => b"42S22",
        1055..=1057 => b"42000",
        1058 | 1136 | 1222 | 1241 | 1242 => match number {
            1222 | 1241 => b"21000",
            1242 => b"21000",
            _ => b"21S01",
        },
        1082 => b"42S12",
        1176 => b"42000",
        1009 | 1007 | 1008 | 1194 => b"HY000",
        1172 => b"42000",
        1213 => b"40001",
        1264 | 1690 => b"22003",
        1265 => b"01000",
        1292 | 1411 => b"22007",
        1365 => b"22012",
        1406 => b"22001",
        1312 | 1314 => b"0A000",
        1317 | 1969 => b"70100",
        1318 | 1582 => b"42000",
        1792 => b"25006",
        1568 => b"25001",
        1295 | 1210 => b"HY000",
        1243 => b"HY000",
        3140 | 3141 => b"22032",
        3143 => b"42000",
        4031 => b"HY000",
        _ => b"HY000",
    };
    *state
}

/// Splits `db.table`; a name without a point has no database.
fn split_table(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("", name))
}

impl From<Error> for SqlError {
    #[cold]
    fn from(error: Error) -> SqlError {
        SqlError::from(&error)
    }
}

impl From<syntax::Error> for SqlError {
    #[cold]
    fn from(error: syntax::Error) -> SqlError {
        match error {
            syntax::Error::Interrupted => KillMark::check_this_thread().err().map_or_else(
                || SqlError::new(1317, "Query execution was interrupted"),
                SqlError::from,
            ),
            syntax::Error::TooLarge => SqlError::statement_too_large(),
            syntax::Error::Failed { number, message } => SqlError::new(number, message),
        }
    }
}

impl From<expression::Error> for SqlError {
    #[cold]
    fn from(error: expression::Error) -> SqlError {
        match error {
            expression::Error::WouldWait => SqlError::would_wait(),
            expression::Error::Row(error) => error.into(),
            expression::Error::NoMemory(error) => error.into(),
            expression::Error::Failed { number, message } => SqlError::new(number, message),
        }
    }
}

/// Of a sub-query, within the expression that it stands in.
impl From<SqlError> for expression::Error {
    #[cold]
    fn from(error: SqlError) -> expression::Error {
        match error.is_would_wait() {
            true => expression::Error::WouldWait,
            false => expression::Error::new(error.number, error.message),
        }
    }
}

impl From<NoMemory> for SqlError {
    #[cold]
    fn from(_: NoMemory) -> SqlError {
        SqlError::no_memory()
    }
}

impl From<RowError> for SqlError {
    #[cold]
    fn from(error: RowError) -> SqlError {
        Error::from(error).into()
    }
}

impl From<DamagedKey> for SqlError {
    #[cold]
    fn from(error: DamagedKey) -> SqlError {
        Error::from(error).into()
    }
}

impl From<&Error> for SqlError {
    fn from(error: &Error) -> SqlError {
        match error {
            Error::WouldWait(_) => SqlError::would_wait(),
            Error::LockTimeout => {
                SqlError::new(1205, "Lock wait timeout exceeded; try restarting transaction")
            }
            Error::Conflict => SqlError::deadlock(),
            Error::SchemaChanged => {
                SqlError::new(1412, "Table definition has changed, please retry transaction")
            }
            Error::Duplicate { index, entry } => {
                SqlError::new(1062, format!("Duplicate entry '{entry}' for key '{index}'"))
            }
            Error::NotFound { what, name } => match what {
                Thing::Database => SqlError::unknown_database(name),
                Thing::Table => {
                    let (database, table) = split_table(name);
                    SqlError::no_table(database, table)
                }
                Thing::Column => SqlError::unknown_column(name, "field list"),
                Thing::Index => SqlError::new(
                    1091,
                    format!("Can't DROP '{name}'; check that column/key exists"),
                ),
                Thing::Event => SqlError::unknown_event(name),
            },
            Error::Exists { what, name } => match what {
                Thing::Database => {
                    SqlError::new(1007, format!("Can't create database '{name}'; database exists"))
                }
                Thing::Table => {
                    let (_, table) = split_table(name);
                    SqlError::new(1050, format!("Table '{table}' already exists"))
                }
                Thing::Column => SqlError::new(1060, format!("Duplicate column name '{name}'")),
                Thing::Index => SqlError::new(1061, format!("Duplicate key name '{name}'")),
                Thing::Event => SqlError::event_exists(name),
            },
            Error::Value { column, issue } => value_error(column, *issue, "", 1),
            Error::NullValue { column } => {
                SqlError::new(1048, format!("Column '{column}' cannot be null"))
            }
            Error::Check { name, table } => {
                let (database, table) = split_table(table);
                let message = format!("CONSTRAINT `{name}` failed for `{database}`.`{table}`");
                SqlError::new(4025, message)
            }
            Error::Expression(error) => error.clone().into(),
            Error::Definition { why } => SqlError::new(definition_number(why), why.clone()),
            Error::TooLarge { what, bytes, bytes_max } => SqlError::new(
                1118,
                format!("{what} of {bytes} bytes is above the limit of {bytes_max} bytes"),
            ),
            Error::NoMemory => SqlError::no_memory(),
            Error::TransactionTooLarge { .. } => {
                SqlError::new(1206, format!("Transaction too large: {error}"))
            }
            Error::Exhausted => {
                SqlError::new(1467, "Failed to read auto-increment value from storage engine")
            }
            Error::Refused { why } => {
                SqlError::new(1290, format!("The server is not accepting writes: {why}"))
            }
            Error::Newer { .. } => SqlError::new(1290, error.to_string()),
            Error::Corrupt { why, .. } => {
                SqlError::new(1030, format!("Got error 126 from storage engine: damaged: {why}"))
            }
            Error::DiskFull { .. } => SqlError::new(
                1021,
                "Disk full; writes go on when there is space again, reads do meanwhile",
            ),
            Error::Store { doing, source, .. } => SqlError::new(
                1030,
                format!("Got error from storage engine while {doing}: {source}"),
            ),
        }
    }
}

/// MySQL's number for a broken rule of a table's definition, told by its words.
fn definition_number(why: &str) -> u16 {
    const NUMBERS: [(&str, u16); 26] = [
        ("Primary key cannot be defined upon", 1903),
        ("Duplicate CHECK constraint name", 1826),
        ("Incorrect usage of", 1221),
        ("Rows that exist cannot be given", 1901),
        ("A table must have at least", 1113),
        ("You can't delete all columns", 1090),
        ("Too many columns", 1117),
        ("Duplicate column name", 1060),
        ("Key column", 1072),
        ("Multiple primary key", 1068),
        ("Incorrect table definition; there can be only one auto", 1075),
        ("BLOB/TEXT column", 1170),
        ("JSON column", 3152),
        ("Too many key parts", 1070),
        ("Too many keys", 1069),
        ("Specified key was too long", 1071),
        ("Incorrect index name", 1280),
        ("Incorrect database name", 1102),
        ("Incorrect table name", 1103),
        ("Incorrect column name", 1166),
        ("Incorrect column specifier", 1063),
        ("Incorrect prefix key", 1089),
        ("Invalid default value", 1067),
        ("Identifier name", 1059),
        ("Can't DROP", 1091),
        ("A primary key", 1171),
    ];
    NUMBERS.iter().find(|(words, _)| why.starts_with(words)).map_or(1105, |(_, number)| *number)
}

/// What strict mode says of a value that does not fit its column. `row` counts from 1.
pub fn value_error(column: &str, issue: Issue, value: &str, row: u64) -> SqlError {
    let message = match issue {
        Issue::OutOfRange => {
            return SqlError::new(
                1264,
                format!("Out of range value for column '{column}' at row {row}"),
            );
        }
        Issue::TooLong => {
            return SqlError::new(
                1406,
                format!("Data too long for column '{column}' at row {row}"),
            );
        }
        Issue::Truncated => {
            return SqlError::new(
                1265,
                format!("Data truncated for column '{column}' at row {row}"),
            );
        }
        Issue::Incorrect { what } => {
            let number = match what {
                "date" | "datetime" | "time" | "timestamp" | "year" => 1292,
                _ => 1366,
            };
            return SqlError::new(
                number,
                format!("Incorrect {what} value: '{value}' for column '{column}' at row {row}"),
            );
        }
        Issue::LeftOut => {
            return SqlError::new(
                1292,
                format!("Incorrect datetime value: '{value}' for column '{column}' at row {row}"),
            );
        }
        Issue::InvalidUtf8 => {
            format!("Incorrect string value: '{value}' for column '{column}' at row {row}")
        }
        Issue::InvalidJson => {
            return SqlError::new(
                3140,
                format!(
                    "Invalid JSON text: \"Invalid value.\" at position 0 in value for column \
                         '{column}'."
                ),
            );
        }
    };
    SqlError::new(1366, message)
}
