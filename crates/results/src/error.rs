//! What a statement answers when it fails, sorted by what the caller does about it.
//!
//! Invariants
//! 1. What the server reacts to is a variant; everything else is `Failed`, which is told to the
//!    client. Nothing looks at a number to decide.
//! 2. Every `rows::Error` has an answer here, by an exhaustive `match`: a new variant does not
//!    compile until it is given one.
//! 3. `WouldWait` is no failure: nothing was done, and the statement is to be repeated where
//!    waiting is allowed. It never reaches a client.
//!
//! Not here: numbers and SQLSTATE (`values::error_code`); warnings (`expression::warning`), which
//! carry the same codes but end nothing.

use std::sync::Arc;

use expression::{KillMark, Level, QueryError, Warning, shortened};
use resources::budget::NoMemory;
use rows::BrokenRule;
use rows::error::{CallerError, Error, Thing};
use rows::foreign_key::ReferentialAction;
use rows::partition::PartitionFault;
use values::ErrorCode;
use values::condition::SignaledCondition;
use values::convert::Issue;
use values::json::JsonFault;
use values::key::DamagedKey;
use values::row::RowError;

/// Why a statement, or a part of one, was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlError {
    /// It would have to wait and may not: it is repeated where it may.
    WouldWait,
    /// A table has become another one since the statement looked at it: it may begin again.
    TableChanged,
    /// There was no memory for it: where other clients have it, it may begin again.
    ShortOfMemory(MemoryShortage),
    /// A row's lock was not had in time, or a KILL ended the wait: whoever knows the kill mark
    /// tells them apart.
    LockTimeout,
    /// The transaction was undone, with all its locks, for others to go on.
    Deadlock,
    /// DataFusion has no plan for it: the row executor may have one.
    NotLowerable(String),
    /// SIGNAL raised it.
    Signaled {
        /// Which kind of condition it is.
        code: ErrorCode,
        /// What it was given.
        condition: Arc<SignaledCondition>,
        /// The words.
        message: String,
    },
    /// The client is told.
    Failed {
        /// Which of MySQL's errors.
        code: ErrorCode,
        /// The words, in MySQL's wording.
        message: String,
    },
}

/// Which memory there was too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryShortage {
    /// That of all clients together.
    Clients,
    /// What one statement may have of it for its values.
    Values,
    /// That of long queries, of which this one had all.
    Queries,
    /// That of long queries, of which others had a part.
    OtherQueries,
}

impl std::fmt::Display for SqlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = std::str::from_utf8(self.sqlstate()).unwrap_or("HY000");
        write!(f, "ERROR {} ({state}): {}", self.number(), self.message())
    }
}

impl std::error::Error for SqlError {}

/// Result of a statement or a part of one.
pub type Result<T> = std::result::Result<T, SqlError>;

impl SqlError {
    /// An error for the client.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> SqlError {
        SqlError::Failed { code, message: shortened(message.into()) }
    }

    /// 1142, for a principal as `name@host`.
    pub fn table_denied(words: &str, user: &str, table: &str) -> SqlError {
        let (name, host) = user.rsplit_once('@').unwrap_or((user, ""));
        let message =
            format!("{words} command denied to user '{name}'@'{host}' for table '{table}'");
        SqlError::new(ErrorCode::TableaccessDenied, message)
    }

    /// 1143, for a principal as `name@host`.
    pub fn column_denied(words: &str, user: &str, column: &str, table: &str) -> SqlError {
        let (name, host) = user.rsplit_once('@').unwrap_or((user, ""));
        let message = format!(
            "{words} command denied to user '{name}'@'{host}' for column '{column}' in table \
             '{table}'"
        );
        SqlError::new(ErrorCode::ColumnaccessDenied, message)
    }

    /// 1044, for a principal as `name@host`.
    pub fn database_denied(user: &str, database: &str) -> SqlError {
        let (name, host) = user.rsplit_once('@').unwrap_or((user, ""));
        let message = format!("Access denied for user '{name}'@'{host}' to database '{database}'");
        SqlError::new(ErrorCode::DbaccessDenied, message)
    }

    /// 1045 of a statement rather than a login, for an account as `name@host`.
    pub fn access_denied(account: &str) -> SqlError {
        let (name, host) = account.rsplit_once('@').unwrap_or((account, ""));
        let message = format!("Access denied for user '{name}'@'{host}' (using password: YES)");
        SqlError::new(ErrorCode::AccessDenied, message)
    }

    /// 1449, for a definer as `name@host`.
    pub fn no_definer(definer: &str) -> SqlError {
        let (name, host) = definer.rsplit_once('@').unwrap_or((definer, "%"));
        let message = format!("The user specified as a definer ('{name}'@'{host}') does not exist");
        SqlError::new(ErrorCode::NoSuchUser, message)
    }

    /// 1227.
    pub fn privilege_needed(words: &str) -> SqlError {
        let message = format!(
            "Access denied; you need (at least one of) the {words} privilege(s) for this operation"
        );
        SqlError::new(ErrorCode::SpecificAccessDenied, message)
    }

    /// What the client is told that it is.
    pub fn code(&self) -> ErrorCode {
        match self {
            SqlError::WouldWait => ErrorCode::UnknownError,
            SqlError::TableChanged => ErrorCode::TableDefinitionChanged,
            SqlError::ShortOfMemory(MemoryShortage::Queries) => ErrorCode::OutOfSortmemory,
            SqlError::ShortOfMemory(_) => ErrorCode::OutOfResources,
            SqlError::LockTimeout => ErrorCode::LockWaitTimeout,
            SqlError::Deadlock => ErrorCode::LockDeadlock,
            SqlError::NotLowerable(_) => ErrorCode::NotSupportedYet,
            SqlError::Signaled { code, .. } | SqlError::Failed { code, .. } => *code,
        }
    }

    /// The number that the client is told.
    pub fn number(&self) -> u16 {
        match self {
            SqlError::Signaled { condition, .. } => condition.number,
            error => error.code().number(),
        }
    }

    /// The SQLSTATE that the client is told.
    pub fn sqlstate(&self) -> &[u8; 5] {
        match self {
            SqlError::Signaled { condition, .. } => &condition.sqlstate,
            error => error.code().sqlstate(),
        }
    }

    /// The same as a line of SHOW WARNINGS.
    pub fn to_warning(&self, level: Level) -> Warning {
        let signaled = match self {
            SqlError::Signaled { condition, .. } => Some(Arc::clone(condition)),
            _ => None,
        };
        Warning { level, code: self.code(), message: self.message().to_owned(), signaled }
    }

    /// The words, in MySQL's wording.
    pub fn message(&self) -> &str {
        match self {
            SqlError::WouldWait => "The statement asked to wait where it may not",
            SqlError::TableChanged => "Table definition has changed, please retry transaction",
            SqlError::ShortOfMemory(MemoryShortage::Clients) => {
                "Out of memory; what the setting 'memory' leaves for all clients together is in use"
            }
            SqlError::ShortOfMemory(MemoryShortage::Values) => {
                "Out of memory; the values of this statement need more than three quarters of \
                 what clients may use together (setting 'memory')"
            }
            SqlError::ShortOfMemory(MemoryShortage::OtherQueries) => {
                "Out of memory; other queries have what this one needs and did not give it back in \
                 time (setting 'memory')"
            }
            SqlError::ShortOfMemory(MemoryShortage::Queries) => {
                "Out of memory for this query, which has to keep more rows, groups or different \
                 values at a time than the setting 'memory' leaves room for"
            }
            SqlError::LockTimeout => "Lock wait timeout exceeded; try restarting transaction",
            SqlError::Deadlock => {
                "Deadlock found when trying to get lock; try restarting transaction"
            }
            SqlError::NotLowerable(message)
            | SqlError::Signaled { message, .. }
            | SqlError::Failed { message, .. } => message,
        }
    }

    /// The same, for a warning.
    pub fn into_warning(self) -> (ErrorCode, String) {
        (self.code(), self.into_message())
    }

    /// The words, to be kept.
    pub fn into_message(self) -> String {
        match self {
            SqlError::NotLowerable(message)
            | SqlError::Signaled { message, .. }
            | SqlError::Failed { message, .. } => message,
            error => error.message().to_string(),
        }
    }

    /// The same error, of which the client is told something more.
    #[must_use]
    pub fn and(self, more: &str) -> SqlError {
        SqlError::new(self.code(), format!("{}; {more}", self.message()))
    }

    /// DataFusion has no plan for `what`.
    pub fn not_lowerable(what: impl std::fmt::Display) -> SqlError {
        SqlError::NotLowerable(shortened(SqlError::unsupported(what).into_message()))
    }

    /// 1064 at a place in the statement.
    pub fn syntax(near: &str, line: u64) -> SqlError {
        syntax::Error::syntax(near, line).into()
    }

    /// 1235: MySQL knows it, this server does not.
    pub fn unsupported(what: impl std::fmt::Display) -> SqlError {
        syntax::Error::unsupported(what).into()
    }

    /// 3170.
    pub fn statement_too_large() -> SqlError {
        let message = "Memory capacity exceeded: the statement has more literals and words than \
                       the setting 'memory' has room for. Parser bailed out for this query.";
        SqlError::new(ErrorCode::CapacityExceeded, message)
    }

    /// 1054.
    pub fn unknown_column(name: &str, clause: &str) -> SqlError {
        SqlError::new(ErrorCode::BadField, format!("Unknown column '{name}' in '{clause}'"))
    }

    /// Error 1052 for a name that several tables have.
    pub fn ambiguous_column(name: &str, clause: &str) -> SqlError {
        let message = format!("Column '{name}' in {clause} is ambiguous");
        SqlError::new(ErrorCode::NonUniq, message)
    }

    /// Error 1241 for an operand that has not so many columns.
    pub fn operand_columns(columns: usize) -> SqlError {
        let message = format!("Operand should contain {columns} column(s)");
        SqlError::new(ErrorCode::OperandColumns, message)
    }

    /// 1046.
    pub fn no_database() -> SqlError {
        SqlError::new(ErrorCode::NoDb, "No database selected")
    }

    /// 1049.
    pub fn unknown_database(name: &str) -> SqlError {
        SqlError::new(ErrorCode::BadDb, format!("Unknown database '{name}'"))
    }

    /// 1146; `name` as `db.table`.
    pub fn no_table(database: &str, table: &str) -> SqlError {
        SqlError::new(ErrorCode::NoSuchTable, format!("Table '{database}.{table}' doesn't exist"))
    }

    /// 1539.
    pub fn unknown_event(name: &str) -> SqlError {
        SqlError::new(ErrorCode::EventDoesNotExist, format!("Unknown event '{name}'"))
    }

    /// 1537.
    pub fn event_exists(name: &str) -> SqlError {
        SqlError::new(ErrorCode::EventAlreadyExists, format!("Event '{name}' already exists"))
    }

    /// 1105: an error without a number of its own.
    pub fn other(message: impl Into<String>) -> SqlError {
        SqlError::new(ErrorCode::UnknownError, message)
    }
}

/// Splits `db.table`; a name without a point has no database.
fn split_table(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("", name))
}

impl CallerError for SqlError {
    fn would_wait(&self) -> bool {
        *self == SqlError::WouldWait
    }
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
                || SqlError::new(ErrorCode::QueryInterrupted, "Query execution was interrupted"),
                SqlError::from,
            ),
            syntax::Error::TooLarge => SqlError::statement_too_large(),
            syntax::Error::Failed { code, message } => SqlError::new(code, message),
        }
    }
}

impl From<expression::Error> for SqlError {
    #[cold]
    fn from(error: expression::Error) -> SqlError {
        match error {
            expression::Error::WouldWait => SqlError::WouldWait,
            expression::Error::Row(error) => error.into(),
            expression::Error::NoMemory(error) => error.into(),
            expression::Error::ValuesTooLarge => SqlError::ShortOfMemory(MemoryShortage::Values),
            expression::Error::Query(QueryError(error)) => match error.downcast_ref::<SqlError>() {
                Some(own) => own.clone(),
                None => SqlError::other(error.to_string()),
            },
            expression::Error::Failed { code, message } => SqlError::new(code, message),
        }
    }
}

/// Of a sub-query, within the expression that it stands in.
impl From<SqlError> for expression::Error {
    #[cold]
    fn from(error: SqlError) -> expression::Error {
        match error {
            SqlError::WouldWait => expression::Error::WouldWait,
            SqlError::Failed { code, message } => expression::Error::new(code, message),
            error => expression::Error::Query(QueryError(Arc::new(error))),
        }
    }
}

impl From<NoMemory> for SqlError {
    #[cold]
    fn from(_: NoMemory) -> SqlError {
        SqlError::ShortOfMemory(MemoryShortage::Clients)
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
            Error::WouldWait(_) => SqlError::WouldWait,
            Error::LockTimeout => SqlError::LockTimeout,
            Error::Conflict => SqlError::Deadlock,
            Error::SchemaChanged => SqlError::TableChanged,
            Error::Duplicate { table, index, entry } => SqlError::new(
                ErrorCode::DupEntry,
                format!("Duplicate entry '{entry}' for key '{table}.{index}'"),
            ),
            Error::NotFound { what, name } => match what {
                Thing::Database => SqlError::unknown_database(name),
                Thing::Table => {
                    let (database, table) = split_table(name);
                    SqlError::no_table(database, table)
                }
                Thing::Column => SqlError::unknown_column(name, "field list"),
                Thing::Index => SqlError::new(
                    ErrorCode::CantDropFieldOrKey,
                    format!("Can't DROP '{name}'; check that column/key exists"),
                ),
                Thing::Event => SqlError::unknown_event(name),
            },
            Error::Exists { what, name } => match what {
                Thing::Database => SqlError::new(
                    ErrorCode::DbCreateExists,
                    format!("Can't create database '{name}'; database exists"),
                ),
                Thing::Table => {
                    let (_, table) = split_table(name);
                    SqlError::new(ErrorCode::TableExists, format!("Table '{table}' already exists"))
                }
                Thing::Column => SqlError::new(
                    ErrorCode::DupFieldname,
                    format!("Duplicate column name '{name}'"),
                ),
                Thing::Index => {
                    SqlError::new(ErrorCode::DupKeyname, format!("Duplicate key name '{name}'"))
                }
                Thing::Event => SqlError::event_exists(name),
            },
            Error::Value { column, issue, value } => value_error(column, *issue, value, 1),
            Error::LockedForReading { table } => {
                let name = table.rsplit('.').next().unwrap_or(table);
                SqlError::new(
                    ErrorCode::TableNotLockedForWrite,
                    format!("Table '{name}' was locked with a READ lock and can't be updated"),
                )
            }
            Error::NullValue { column } => {
                SqlError::new(ErrorCode::BadNull, format!("Column '{column}' cannot be null"))
            }
            Error::NullsKept { .. } => {
                SqlError::new(ErrorCode::InvalidUseOfNull, "Invalid use of NULL value")
            }
            Error::Check { name, is_of_view: true, .. } => {
                let message = format!("CHECK OPTION failed '{name}'");
                SqlError::new(ErrorCode::ViewCheckFailed, message)
            }
            Error::Check { name, .. } => {
                let message = format!("Check constraint '{name}' is violated.");
                SqlError::new(ErrorCode::CheckConstraintViolated, message)
            }
            Error::NoParent { table, key } => {
                let (database, name) = split_table(table);
                let key = key.text(database, is_told);
                let message = format!(
                    "Cannot add or update a child row: a foreign key constraint fails \
                     (`{database}`.`{name}`, {key})"
                );
                SqlError::new(ErrorCode::NoReferencedRow2, message)
            }
            Error::HasChildren { table, key } => {
                let (database, name) = split_table(table);
                let key = key.text(database, is_told);
                let message = format!(
                    "Cannot delete or update a parent row: a foreign key constraint fails \
                     (`{database}`.`{name}`, {key})"
                );
                SqlError::new(ErrorCode::RowIsReferenced2, message)
            }
            Error::CascadeTooDeep { depth_max } => SqlError::new(
                ErrorCode::FkDepthExceeded,
                format!("Foreign key cascade delete/update exceeds max depth of {depth_max}."),
            ),
            Error::CascadeDuplicate { parent, child, index, entry } => SqlError::new(
                ErrorCode::ForeignDuplicateKeyWithChildInfo,
                format!(
                    "Foreign key constraint for table '{parent}', record '{entry}' would lead to a \
                     duplicate entry in table '{child}', key '{index}'"
                ),
            ),
            Error::Expression(error) => error.clone().into(),
            Error::Definition(rule) => SqlError::new(rule_code(rule), rule.to_string()),
            Error::TooLarge { what, bytes, bytes_max } => SqlError::new(
                ErrorCode::TooBigRowsize,
                format!("{what} of {bytes} bytes is above the limit of {bytes_max} bytes"),
            ),
            Error::NoMemory => SqlError::ShortOfMemory(MemoryShortage::Clients),
            Error::TransactionTooLarge { .. } => {
                SqlError::new(ErrorCode::LockTableFull, format!("Transaction too large: {error}"))
            }
            Error::Exhausted => SqlError::new(
                ErrorCode::AutoincReadFailed,
                "Failed to read auto-increment value from storage engine",
            ),
            Error::Refused { why } => SqlError::new(
                ErrorCode::OptionPreventsStatement,
                format!("The server is not accepting writes: {why}"),
            ),
            Error::Newer { .. } => {
                SqlError::new(ErrorCode::OptionPreventsStatement, error.to_string())
            }
            Error::Corrupt { why, .. } => SqlError::new(
                ErrorCode::GetErrno,
                format!("Got error 126 from storage engine: damaged: {why}"),
            ),
            Error::DiskFull { .. } => SqlError::new(
                ErrorCode::DiskFull,
                "Disk full; writes go on when there is space again, reads do meanwhile",
            ),
            Error::Store { doing, source, .. } => SqlError::new(
                ErrorCode::GetErrno,
                format!("Got error from storage engine while {doing}: {source}"),
            ),
        }
    }
}

/// Whether errors of rows that break a foreign key name an action of it.
fn is_told(action: ReferentialAction) -> bool {
    !matches!(action, ReferentialAction::NoAction | ReferentialAction::SetDefault)
}

/// MySQL's error for a broken rule of a table's definition, where it has that rule.
fn rule_code(rule: &BrokenRule) -> ErrorCode {
    match rule {
        BrokenRule::NoColumns => ErrorCode::TableMustHaveColumns,
        BrokenRule::NoVisibleColumn => ErrorCode::NoVisibleColumn,
        BrokenRule::AllColumnsDropped => ErrorCode::CantRemoveAllFields,
        BrokenRule::LongWord(_) => ErrorCode::TooLongSetEnumValue,
        BrokenRule::TooManyColumns => ErrorCode::TooManyFields,
        BrokenRule::TooManyIndexes => ErrorCode::TooManyKeys,
        BrokenRule::DuplicateColumn(_) => ErrorCode::DupFieldname,
        BrokenRule::AutoIncrement => ErrorCode::WrongAutoKey,
        BrokenRule::AutoIncrementType(_) => ErrorCode::WrongFieldSpec,
        BrokenRule::ComputedDefault(_) => ErrorCode::WrongUsage,
        BrokenRule::VirtualPrimaryKey => ErrorCode::UnsupportedActionOnGeneratedColumn,
        BrokenRule::InvisiblePrimaryKey => ErrorCode::PkIndexCantBeInvisible,
        BrokenRule::NoSuchIndex { .. } => ErrorCode::KeyDoesNotExist,
        BrokenRule::FunctionalJson => ErrorCode::FunctionalIndexOnJsonOrGeometry,
        BrokenRule::FunctionalText => ErrorCode::FunctionalIndexOnLob,
        BrokenRule::FunctionalDependency(_) => ErrorCode::DependentByFunctionalIndex,
        BrokenRule::NullDefault(_) => ErrorCode::InvalidDefault,
        BrokenRule::ViewLeavesDatabase { .. } => ErrorCode::ForbidSchemaChange,
        BrokenRule::ChangingDefault(_) => ErrorCode::ExpressionNotAllowed,
        BrokenRule::MultiplePrimaryKeys => ErrorCode::MultiplePriKey,
        BrokenRule::KeyTooLong(_) => ErrorCode::TooLongKey,
        BrokenRule::RowTooLong => ErrorCode::TooBigRowsize,
        BrokenRule::TooManyKeyParts => ErrorCode::TooManyKeyParts,
        BrokenRule::KeyColumn(_) => ErrorCode::KeyColumnDoesNotExist,
        BrokenRule::TextKeyWithoutLength(_) => ErrorCode::BlobKeyWithoutLength,
        BrokenRule::MultiValuedParts | BrokenRule::MultiValuedColumnar => {
            ErrorCode::NotSupportedYet
        }
        BrokenRule::FullTextColumn(_) => ErrorCode::BadFtColumn,
        BrokenRule::FullTextTable => ErrorCode::TableCantHandleFt,
        BrokenRule::FullTextTemporary => ErrorCode::InnodbNoFtTempTable,
        BrokenRule::JsonKey(_) => ErrorCode::JsonUsedAsKey,
        BrokenRule::SetValues(_) => ErrorCode::TooBigSet,
        BrokenRule::Bits(_) => ErrorCode::TooBigDisplaywidth,
        BrokenRule::EmptyPrefix(_) => ErrorCode::KeyPart0,
        BrokenRule::PrefixKey => ErrorCode::WrongSubKey,
        BrokenRule::PrimaryName => ErrorCode::WrongNameForIndex,
        BrokenRule::LongName(_) => ErrorCode::TooLongIdent,
        BrokenRule::Name(what, _) => match what {
            Thing::Database => ErrorCode::WrongDbName,
            Thing::Table => ErrorCode::WrongTableName,
            Thing::Column => ErrorCode::WrongColumnName,
            Thing::Index => ErrorCode::WrongNameForIndex,
            Thing::Event => ErrorCode::SpWrongName,
        },
        BrokenRule::DuplicateCheck(_) => ErrorCode::CheckConstraintDupName,
        BrokenRule::NoSuchCheck(_) => ErrorCode::CheckConstraintNotFound,
        BrokenRule::CheckOfNoColumn { .. } => ErrorCode::CheckConstraintRefersUnknownColumn,
        BrokenRule::CheckOfOtherColumn(_) => ErrorCode::ColumnCheckConstraintReferencesOtherColumn,
        BrokenRule::CheckOfAutoIncrement(_) => ErrorCode::CheckConstraintRefersAutoIncrementColumn,
        BrokenRule::CheckedColumn { .. } => ErrorCode::DependentByCheckConstraint,
        BrokenRule::DuplicateForeignKey(_) => ErrorCode::DupConstraintName,
        BrokenRule::ForeignKeyColumns(_) => ErrorCode::WrongFkDef,
        BrokenRule::NoParentTable(_) => ErrorCode::FkCannotOpenParent,
        BrokenRule::NoParentColumn { .. } => ErrorCode::FkNoColumnParent,
        BrokenRule::NoParentKey { .. } => ErrorCode::FkNoUniqueIndexParent,
        BrokenRule::IncompatibleColumns { .. } => ErrorCode::FkIncompatibleColumns,
        BrokenRule::ForeignKeyRefused => ErrorCode::CannotAddForeign,
        BrokenRule::SetNullOfNotNull { .. } => ErrorCode::FkColumnNotNull,
        BrokenRule::ForeignKeyOfComputed(_) => ErrorCode::WrongFkOptionForGeneratedColumn,
        BrokenRule::ForeignKeyOfVirtual { .. } => ErrorCode::FkCannotUseVirtualColumn,
        BrokenRule::NeededIndex(_) => ErrorCode::DropIndexFk,
        BrokenRule::ForeignKeyColumnDropped { .. } => ErrorCode::FkColumnCannotDrop,
        BrokenRule::ReferencedColumnDropped { .. } => ErrorCode::FkColumnCannotDropChild,
        BrokenRule::ForeignKeyColumnChanged { .. } => ErrorCode::FkColumnCannotChange,
        BrokenRule::ReferencedColumnChanged { .. } => ErrorCode::FkColumnCannotChangeChild,
        BrokenRule::DropOfParent { .. } => ErrorCode::FkCannotDropParent,
        BrokenRule::TruncateOfParent { .. } => ErrorCode::TruncateIllegalFk,
        BrokenRule::Partitioning(fault) => partition_code(fault),
        BrokenRule::ForeignKeyColumnar | BrokenRule::ForeignKeyOfExpiring(_) => {
            ErrorCode::NotSupportedYet
        }
        BrokenRule::Precision(_)
        | BrokenRule::ColumnLength(_)
        | BrokenRule::TimePrecision(_)
        | BrokenRule::EnumValues(_)
        | BrokenRule::NoKeyParts
        | BrokenRule::MemberColumn(_)
        | BrokenRule::MemberName(_)
        | BrokenRule::DuplicateMember(_)
        | BrokenRule::CacheTooSmall(_)
        | BrokenRule::ExpiryColumn(_)
        | BrokenRule::ExpiryType(_)
        | BrokenRule::ColumnarRetention
        | BrokenRule::Temporary(_)
        | BrokenRule::ColumnarIndexTwice
        | BrokenRule::ColumnarIndexOfColumnar
        | BrokenRule::ColumnarIndexRetention
        | BrokenRule::ColumnarIndexReplaced
        | BrokenRule::DoorTable { .. } => ErrorCode::UnknownError,
    }
}

/// MySQL's error for what is wrong with partitions.
fn partition_code(fault: &PartitionFault) -> ErrorCode {
    match fault {
        PartitionFault::With(_) => ErrorCode::NotSupportedYet,
        PartitionFault::ForeignKey => ErrorCode::ForeignKeyOnPartitioned,
        PartitionFault::Temporary => ErrorCode::PartitionNoTemporary,
        PartitionFault::UniqueKey(_) => ErrorCode::UniqueKeyNeedAllFieldsInPf,
        PartitionFault::NotDefined(_) => ErrorCode::PartitionsMustBeDefined,
        PartitionFault::TooMany => ErrorCode::TooManyPartitions,
        PartitionFault::DuplicateName(_) => ErrorCode::SameNamePartition,
        PartitionFault::FieldNotFound => ErrorCode::FieldNotFoundPart,
        PartitionFault::FieldTwice(_) => ErrorCode::SameNamePartitionField,
        PartitionFault::Blob => ErrorCode::BlobFieldInPartFunc,
        PartitionFault::FieldType(_) => ErrorCode::FieldTypeNotAllowedAsPartitionField,
        PartitionFault::NotIncreasing => ErrorCode::RangeNotIncreasing,
        PartitionFault::MaximumNotLast => ErrorCode::PartitionMaxvalue,
        PartitionFault::ListedTwice => ErrorCode::MultipleDefConstInListPart,
        PartitionFault::WrongValues { .. } => ErrorCode::PartitionWrongValues,
        PartitionFault::None => ErrorCode::PartitionMgmtOnNonpartitioned,
        PartitionFault::Unknown { .. } => ErrorCode::UnknownPartition,
        PartitionFault::NotThere(_) => ErrorCode::DropPartitionNonExistent,
        PartitionFault::AllGone => ErrorCode::DropLastPartition,
        PartitionFault::OnlyRangeList(_) => ErrorCode::OnlyOnRangeListPartition,
        PartitionFault::OnlyHash => ErrorCode::CoalesceOnlyOnHashPartition,
        PartitionFault::CoalesceNone => ErrorCode::CoalescePartitionNoPartition,
        PartitionFault::AddNone => ErrorCode::AddPartitionNoNewPartition,
        PartitionFault::ReorganizeNothing => ErrorCode::ReorgNoParam,
        PartitionFault::NotConsecutive => ErrorCode::ConsecutiveReorgPartitions,
        PartitionFault::RangeChanged => ErrorCode::ReorgOutsideRange,
        PartitionFault::Dependency(_) => ErrorCode::DependentByPartitionFunction,
        PartitionFault::ExchangePartitioned(_) => ErrorCode::PartitionExchangePartTable,
        PartitionFault::ExchangeForeignKey(_) => ErrorCode::PartitionExchangeForeignKey,
        PartitionFault::ExchangeDifferent => ErrorCode::TablesDifferentMetadata,
        PartitionFault::ExchangeRow => ErrorCode::RowDoesNotMatchPartition,
    }
}

/// What strict mode says of a value that does not fit its column. `row` counts from 1.
pub fn value_error(column: &str, issue: Issue, value: &str, row: u64) -> SqlError {
    let message = match issue {
        Issue::OutOfRange => {
            return SqlError::new(
                ErrorCode::WarnDataOutOfRange,
                format!("Out of range value for column '{column}' at row {row}"),
            );
        }
        Issue::TooLong => {
            return SqlError::new(
                ErrorCode::DataTooLong,
                format!("Data too long for column '{column}' at row {row}"),
            );
        }
        Issue::Truncated => {
            return SqlError::new(
                ErrorCode::DataTruncated,
                format!("Data truncated for column '{column}' at row {row}"),
            );
        }
        Issue::Incorrect { what } => {
            let code = match what {
                "date" | "datetime" | "time" | "timestamp" | "year" => {
                    ErrorCode::TruncatedWrongValue
                }
                _ => ErrorCode::TruncatedWrongValueForField,
            };
            return SqlError::new(
                code,
                format!("Incorrect {what} value: '{value}' for column '{column}' at row {row}"),
            );
        }
        Issue::LeftOut => {
            return SqlError::new(
                ErrorCode::TruncatedWrongValue,
                format!("Incorrect datetime value: '{value}' for column '{column}' at row {row}"),
            );
        }
        Issue::InvalidUtf8 => {
            format!("Incorrect string value: '{value}' for column '{column}' at row {row}")
        }
        Issue::InvalidJson(JsonFault::Syntax(why, position)) => {
            return no_json((why, position), column);
        }
        Issue::InvalidJson(JsonFault::TooDeep) => {
            return SqlError::new(ErrorCode::JsonDocumentTooDeep, JsonFault::TOO_DEEP);
        }
        Issue::NoJsonText => return no_json(("not a JSON text, may need CAST", 0), column),
        Issue::JsonOfBytes => {
            let message = "Cannot create a JSON value from a string with CHARACTER SET 'binary'.";
            return SqlError::new(ErrorCode::InvalidJsonCharset, message);
        }
    };
    SqlError::new(ErrorCode::TruncatedWrongValueForField, message)
}

fn no_json((why, position): (&str, usize), column: &str) -> SqlError {
    SqlError::new(
        ErrorCode::InvalidJsonText,
        format!(
            "Invalid JSON text: \"{why}\" at position {position} in value for column '{column}'."
        ),
    )
}
