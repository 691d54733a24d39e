//! SHOW and DESCRIBE, as written.
//!
//! Not here: what they show (crate `sql`, `show`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;
use values::ErrorCode;

use super::account::{UserName, user_name};
use super::cursor::Cursor;
use super::names::TableName;
use crate::error::{Error, Result};

/// LIKE or WHERE behind a SHOW.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All lines.
    All,
    /// Lines whose first column (of events: the name) is like this.
    Like(String),
    /// Lines for which this holds; columns by their names in the result.
    Where(Box<Expr>),
}

/// What is to be shown.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// SHOW DATABASES.
    Databases,
    /// SHOW [FULL] TABLES [FROM database].
    Tables { full: bool, database: Option<String> },
    /// SHOW TABLE STATUS [FROM database].
    TableStatus { database: Option<String> },
    /// SHOW OPEN TABLES [FROM database]; without one, of all.
    OpenTables { database: Option<String> },
    /// SHOW [FULL] COLUMNS FROM table; DESCRIBE.
    Columns { full: bool, table: TableName },
    /// SHOW INDEX FROM table.
    Indexes { table: TableName },
    /// SHOW CREATE TABLE.
    CreateTable { table: TableName },
    /// SHOW CREATE VIEW.
    CreateView { name: TableName },
    /// SHOW CREATE DATABASE.
    CreateDatabase { name: String, if_not_exists: bool },
    /// SHOW [GLOBAL|SESSION] VARIABLES.
    Variables { global: bool },
    /// SHOW [GLOBAL|SESSION] STATUS.
    Status,
    /// SHOW WARNINGS, or ERRORS only.
    Warnings { errors_only: bool, limit: Option<(u64, u64)> },
    /// SHOW COUNT(*) WARNINGS or ERRORS.
    WarningCount { errors_only: bool },
    /// SHOW [FULL] PROCESSLIST.
    Processes { full: bool },
    /// SHOW ENGINES.
    Engines,
    /// SHOW CHARACTER SET.
    CharacterSets,
    /// SHOW COLLATION.
    Collations,
    /// SHOW GRANTS [FOR account [USING roles]].
    Grants { name: Option<UserName>, using: Vec<UserName> },
    /// SHOW CREATE USER.
    CreateUser { name: UserName },
    /// SHOW PLUGINS.
    Plugins,
    /// SHOW PRIVILEGES.
    Privileges,
    /// SHOW EVENTS [FROM database].
    Events { database: Option<String> },
    /// SHOW CREATE EVENT.
    CreateEvent { name: TableName },
    /// SHOW ENGINE name STATUS; other listings of an engine are empty.
    Engine { name: String, status: bool },
    /// SHOW PROFILE: nothing is profiled; the names of the result's columns.
    Profile(Vec<&'static str>),
    /// Things that there are none of; the names of the result's columns.
    Nothing(&'static [&'static str]),
}

/// A SHOW.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// What.
    pub subject: Subject,
    /// Which lines.
    pub filter: Filter,
}

/// Reads what follows SHOW.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for what this server does not do yet; 1381
/// for binary logs.
pub fn show(cursor: &mut Cursor<'_>) -> Result<Show> {
    let subject = subject(cursor)?;
    let filter = filter(cursor)?;
    cursor.expect_end()?;
    Ok(Show { subject, filter })
}

fn filter(cursor: &mut Cursor<'_>) -> Result<Filter> {
    if cursor.take("LIKE") {
        Ok(Filter::Like(cursor.string()?))
    } else if cursor.take("WHERE") {
        Ok(Filter::Where(Box::new(cursor.expression()?)))
    } else {
        Ok(Filter::All)
    }
}

fn subject(cursor: &mut Cursor<'_>) -> Result<Subject> {
    let _extended = cursor.take("EXTENDED");
    let full = cursor.take("FULL");
    let global = match cursor.take_any(&["GLOBAL", "SESSION", "LOCAL"]) {
        Some(word) => word == "GLOBAL",
        None => false,
    };
    if cursor.take("DATABASES") || cursor.take("SCHEMAS") {
        Ok(Subject::Databases)
    } else if cursor.take("TABLES") {
        Ok(Subject::Tables { full, database: from(cursor)? })
    } else if cursor.take_all(&["TABLE", "STATUS"]) {
        Ok(Subject::TableStatus { database: from(cursor)? })
    } else if cursor.take_all(&["OPEN", "TABLES"]) {
        Ok(Subject::OpenTables { database: from(cursor)? })
    } else if cursor.take("COLUMNS") || cursor.take("FIELDS") {
        Ok(Subject::Columns { full, table: from_table(cursor)? })
    } else if cursor.take("INDEX") || cursor.take("INDEXES") || cursor.take("KEYS") {
        Ok(Subject::Indexes { table: from_table(cursor)? })
    } else if cursor.take("CREATE") {
        create(cursor)
    } else if cursor.take("VARIABLES") {
        Ok(Subject::Variables { global })
    } else if cursor.take("STATUS") {
        Ok(Subject::Status)
    } else if cursor.is("WARNINGS") || cursor.is("ERRORS") {
        let errors_only = cursor.is("ERRORS");
        cursor.advance();
        Ok(Subject::Warnings { errors_only, limit: limit(cursor)? })
    } else if cursor.take("COUNT") {
        cursor.expect_token(&Token::LParen)?;
        cursor.expect_token(&Token::Mul)?;
        cursor.expect_token(&Token::RParen)?;
        let errors_only = cursor.is("ERRORS");
        if !errors_only && !cursor.is("WARNINGS") {
            return Err(cursor.syntax());
        }
        cursor.advance();
        Ok(Subject::WarningCount { errors_only })
    } else if cursor.take("PROCESSLIST") {
        Ok(Subject::Processes { full })
    } else {
        server(cursor)
    }
}

fn server(cursor: &mut Cursor<'_>) -> Result<Subject> {
    if cursor.take("ENGINES") || cursor.take_all(&["STORAGE", "ENGINES"]) {
        Ok(Subject::Engines)
    } else if cursor.take("CHARSET") || cursor.take_all(&["CHARACTER", "SET"]) {
        Ok(Subject::CharacterSets)
    } else if cursor.take("COLLATION") {
        Ok(Subject::Collations)
    } else if cursor.take("GRANTS") {
        let name = if cursor.take("FOR") { Some(user_name(cursor)?) } else { None };
        let using = if cursor.take("USING") { cursor.list(user_name)? } else { Vec::new() };
        Ok(Subject::Grants { name, using })
    } else if cursor.take("PLUGINS") {
        Ok(Subject::Plugins)
    } else if cursor.take("PRIVILEGES") {
        Ok(Subject::Privileges)
    } else if cursor.take("TRIGGERS") {
        from(cursor)?;
        Ok(Subject::Nothing(&[
            "Trigger",
            "Event",
            "Table",
            "Statement",
            "Timing",
            "Created",
            "sql_mode",
            "Definer",
            "character_set_client",
            "collation_connection",
            "Database Collation",
        ]))
    } else if cursor.take("EVENTS") {
        Ok(Subject::Events { database: from(cursor)? })
    } else if (cursor.is("PROCEDURE") || cursor.is("FUNCTION")) && cursor.is_nth(1, "STATUS") {
        cursor.advance();
        cursor.advance();
        Ok(Subject::Nothing(&[
            "Db",
            "Name",
            "Type",
            "Language",
            "Definer",
            "Modified",
            "Created",
            "Security_type",
            "Comment",
            "character_set_client",
            "collation_connection",
            "Database Collation",
        ]))
    } else if cursor.take_all(&["MASTER", "STATUS"])
        || cursor.take_all(&["BINARY", "LOG", "STATUS"])
    {
        Ok(Subject::Nothing(&[
            "File",
            "Position",
            "Binlog_Do_DB",
            "Binlog_Ignore_DB",
            "Executed_Gtid_Set",
        ]))
    } else if cursor.take_all(&["BINLOG", "EVENTS"]) {
        // There is none, wherever one looks.
        cursor.skip_rest();
        Ok(Subject::Nothing(&["Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info"]))
    } else if cursor.take_all(&["BINARY", "LOGS"]) || cursor.take_all(&["MASTER", "LOGS"]) {
        Err(Error::new(ErrorCode::NoBinaryLogging, "You are not using binary logging"))
    } else if cursor.take_all(&["SLAVE", "STATUS"]) || cursor.take_all(&["REPLICA", "STATUS"]) {
        Ok(Subject::Nothing(&["Replica_IO_State", "Source_Host"]))
    } else if cursor.take_all(&["SLAVE", "HOSTS"]) {
        Ok(Subject::Nothing(&["Server_id", "Host", "Port", "Master_id"]))
    } else if cursor.take("REPLICAS") {
        Ok(Subject::Nothing(&["Server_Id", "Host", "Port", "Source_Id", "Replica_UUID"]))
    } else if cursor.take("PROFILES") {
        Ok(Subject::Nothing(&["Query_ID", "Duration", "Query"]))
    } else if cursor.take("PROFILE") {
        profile(cursor)
    } else if cursor.take("ENGINE") {
        let name = cursor.name()?;
        match cursor.take_any(&["STATUS", "MUTEX", "LOGS"]) {
            Some(what) => Ok(Subject::Engine { name, status: what == "STATUS" }),
            None => Err(cursor.syntax()),
        }
    } else {
        Err(cursor.syntax())
    }
}

/// What SHOW PROFILE tells of each kind, in the order of its columns.
const PROFILED: [(&[&str], &[&str]); 8] = [
    (&["CPU"], &["CPU_user", "CPU_system"]),
    (&["CONTEXT", "SWITCHES"], &["Context_voluntary", "Context_involuntary"]),
    (&["BLOCK", "IO"], &["Block_ops_in", "Block_ops_out"]),
    (&["IPC"], &["Messages_sent", "Messages_received"]),
    (&["PAGE", "FAULTS"], &["Page_faults_major", "Page_faults_minor"]),
    (&["SWAPS"], &["Swaps"]),
    (&["SOURCE"], &["Source_function", "Source_file", "Source_line"]),
    (&["MEMORY"], &[]),
];

/// `[kind, ...] [FOR QUERY number] [LIMIT count [OFFSET count]]`.
fn profile(cursor: &mut Cursor<'_>) -> Result<Subject> {
    let mut asked = [false; PROFILED.len()];
    if !cursor.at_end() && !cursor.is("FOR") && !cursor.is("LIMIT") {
        cursor.list(|cursor| {
            if cursor.take("ALL") {
                asked = [true; PROFILED.len()];
                return Ok(());
            }
            match PROFILED.iter().position(|(words, _)| cursor.take_all(words)) {
                Some(kind) => asked[kind] = true,
                None => return Err(cursor.syntax()),
            }
            Ok(())
        })?;
    }
    if cursor.take_all(&["FOR", "QUERY"]) {
        cursor.number()?;
    }
    limit(cursor)?;
    if cursor.take("OFFSET") {
        cursor.number()?;
    }
    let kinds = PROFILED.iter().zip(asked).filter(|(_, asked)| *asked);
    let columns = kinds.flat_map(|((_, columns), _)| columns.iter().copied());
    Ok(Subject::Profile(["Status", "Duration"].into_iter().chain(columns).collect()))
}

fn create(cursor: &mut Cursor<'_>) -> Result<Subject> {
    if cursor.take("TABLE") {
        return Ok(Subject::CreateTable { table: cursor.table_name()? });
    }
    if cursor.take("DATABASE") || cursor.take("SCHEMA") {
        let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
        return Ok(Subject::CreateDatabase { name: cursor.name()?, if_not_exists });
    }
    if cursor.take("EVENT") {
        return Ok(Subject::CreateEvent { name: cursor.table_name()? });
    }
    if cursor.take("VIEW") {
        return Ok(Subject::CreateView { name: cursor.table_name()? });
    }
    if cursor.take("USER") {
        let name = if cursor.at_end() { UserName::Current } else { user_name(cursor)? };
        return Ok(Subject::CreateUser { name });
    }
    for kind in ["PROCEDURE", "FUNCTION", "TRIGGER"] {
        if cursor.is(kind) {
            return Err(Error::unsupported(format_args!("SHOW CREATE {kind}")));
        }
    }
    Err(cursor.syntax())
}

/// `[FROM|IN database]`.
fn from(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if cursor.take("FROM") || cursor.take("IN") { cursor.name().map(Some) } else { Ok(None) }
}

/// `FROM table [FROM database]`.
fn from_table(cursor: &mut Cursor<'_>) -> Result<TableName> {
    if !(cursor.take("FROM") || cursor.take("IN")) {
        return Err(cursor.syntax());
    }
    let mut table = cursor.table_name()?;
    if let Some(database) = from(cursor)? {
        table.database = Some(database);
    }
    Ok(table)
}

/// `[LIMIT [offset,] count]` or `[LIMIT count OFFSET offset]`, as offset and count.
pub(crate) fn limit(cursor: &mut Cursor<'_>) -> Result<Option<(u64, u64)>> {
    if !cursor.take("LIMIT") {
        return Ok(None);
    }
    let first = cursor.number()?;
    if cursor.take("OFFSET") {
        return Ok(Some((cursor.number()?, first)));
    }
    if cursor.take_token(&Token::Comma) {
        return Ok(Some((first, cursor.number()?)));
    }
    Ok(Some((0, first)))
}
