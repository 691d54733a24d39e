//! Statements other than SELECT, INSERT, REPLACE, UPDATE and DELETE, as written.
//!
//! Not here: what they do (crate `sql`, `session::admin`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;
use values::ErrorCode;
use values::types::TextDefaults;

use super::account::definer;
use super::account::{
    AccountStatement, alter_users, create_roles, create_users, drop_names, rename_users,
    set_account,
};
use super::alter::{AlterSpec, AlterTable, algorithm, alter_table};
use super::cursor::Cursor;
use super::diagnostics::{GetDiagnostics, Signal, get_diagnostics, resignal, signal};
use super::event::{AlterEvent, CreateEvent, alter_event, create_event};
use super::grant::{GrantStatement, grant, revoke};
use super::handler::{HandlerStatement, handler};
use super::load::{LoadData, load_data};
use super::names::TableName;
use super::set::{SetItem, set, variable};
use super::show::{Filter, Show, Subject, show};
use super::table::{CreateTable, IndexSpec, create_table, index_body, index_options};
use super::table_options::text_option;
use super::view::{CreateView, ViewPresence, create_view, is_view};
use super::xa::{XaStatement, xa};
use crate::error::{Error, Result};

/// A statement that is carried out word by word.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// CREATE DATABASE.
    CreateDatabase { name: String, if_not_exists: bool, text: TextDefaults },
    /// DROP DATABASE.
    DropDatabase { name: String, if_exists: bool },
    /// ALTER DATABASE; of the current one where there is no name.
    AlterDatabase { name: Option<String>, text: TextDefaults },
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// ALTER TABLE.
    AlterTable(Box<AlterTable>),
    /// DROP TABLE.
    DropTables { names: Vec<TableName>, if_exists: bool, temporary: bool },
    /// CREATE VIEW, ALTER VIEW.
    CreateView(Box<CreateView>),
    /// DROP VIEW.
    DropView { names: Vec<TableName>, if_exists: bool },
    /// TRUNCATE.
    Truncate(TableName),
    /// RENAME TABLE.
    RenameTables(Vec<(TableName, TableName)>),
    /// CREATE EVENT.
    CreateEvent(Box<CreateEvent>),
    /// ALTER EVENT.
    AlterEvent(Box<AlterEvent>),
    /// DROP EVENT.
    DropEvent { name: TableName, if_exists: bool },
    /// CREATE USER and its kin, SET PASSWORD, statements about roles.
    Account(Box<AccountStatement>),
    /// GRANT and REVOKE.
    Grant(Box<GrantStatement>),
    /// CREATE INDEX.
    CreateIndex { table: TableName, index: IndexSpec, how: Vec<AlterSpec> },
    /// DROP INDEX.
    DropIndex { table: TableName, name: String, if_exists: bool, how: Vec<AlterSpec> },
    /// USE.
    Use(String),
    /// SET.
    Set(Vec<SetItem>),
    /// SHOW, DESCRIBE.
    Show(Box<Show>),
    /// EXPLAIN of a statement.
    Explain(Explain),
    /// BEGIN, START TRANSACTION.
    Begin { read_only: Option<bool>, snapshot: bool },
    /// COMMIT.
    Commit { chain: bool, release: bool },
    /// ROLLBACK.
    Rollback { chain: bool, release: bool },
    /// SAVEPOINT.
    Savepoint(String),
    /// ROLLBACK TO SAVEPOINT.
    RollbackTo(String),
    /// RELEASE SAVEPOINT.
    Release(String),
    /// LOCK TABLES: each with whether it is for writing.
    LockTables(Vec<(TableName, bool)>),
    /// UNLOCK TABLES.
    UnlockTables,
    /// LOCK INSTANCE FOR BACKUP.
    LockInstance,
    /// UNLOCK INSTANCE.
    UnlockInstance,
    /// FLUSH TABLES ... WITH READ LOCK; without names, of all.
    ReadLock(Vec<TableName>),
    /// FLUSH TABLES without a lock; without names, all of them.
    FlushTables(Vec<TableName>),
    /// Other FLUSH, and dropping what may not exist and cannot: nothing is to be done.
    Flush,
    /// FLUSH LOGS, or one of them.
    FlushLogs,
    /// FLUSH PRIVILEGES.
    FlushPrivileges,
    /// FLUSH USER_RESOURCES.
    FlushUserResources,
    /// ALTER INSTANCE RELOAD TLS.
    ReloadTls,
    /// KILL.
    Kill { id: Box<Expr>, query: bool },
    /// ANALYZE, OPTIMIZE, CHECK, REPAIR TABLE.
    Maintain { operation: &'static str, tables: Vec<TableName> },
    /// CHECKSUM TABLE; `quick`: only what is known without reading the rows.
    Checksum { tables: Vec<TableName>, quick: bool },
    /// PREPARE name FROM.
    Prepare { name: String, source: Box<Expr> },
    /// EXECUTE name.
    Execute { name: String, using: Vec<Expr> },
    /// EXECUTE IMMEDIATE.
    ExecuteImmediate { source: Box<Expr>, using: Vec<Expr> },
    /// SET STATEMENT variables FOR a statement, given by its text.
    SetStatement { items: Vec<SetItem>, text: String },
    /// DEALLOCATE PREPARE.
    Deallocate(String),
    /// LOAD DATA.
    Load(Box<LoadData>),
    /// LOAD INSERTS INTO TABLE.
    LoadInserts(TableName),
    /// DO.
    Do(Vec<Expr>),
    /// HANDLER.
    Handler(Box<HandlerStatement>),
    /// SIGNAL.
    Signal(Box<Signal>),
    /// RESIGNAL.
    Resignal,
    /// GET DIAGNOSTICS.
    GetDiagnostics(Box<GetDiagnostics>),
    /// XA START and its kin.
    Xa(Box<XaStatement>),
}

/// Reads a statement.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for what MySQL knows and this server does
/// not; the number of the rule that is broken for what makes sense and is forbidden all the same;
/// `Interrupted`, and `TooLarge`.
pub fn statement(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let word = match cursor.peek() {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
        _ => return Err(cursor.syntax()),
    };
    let here = cursor.syntax();
    cursor.advance();
    let statement = match word.as_str() {
        "CREATE" => create(cursor)?,
        "DROP" => drop_(cursor)?,
        "ALTER" => alter(cursor)?,
        "TRUNCATE" => {
            cursor.take("TABLE");
            Statement::Truncate(cursor.table_name()?)
        }
        "RENAME" => rename(cursor)?,
        "USE" => Statement::Use(cursor.name()?),
        "SET" if cursor.is("STATEMENT") => {
            let items = statement_items(cursor)?;
            let text = cursor.rest().to_string();
            return Ok(Statement::SetStatement { items, text });
        }
        "SET" => match set_account(cursor)? {
            Some(account) => Statement::Account(Box::new(account)),
            None => return Ok(Statement::Set(set(cursor)?)),
        },
        "SHOW" => return Ok(Statement::Show(Box::new(show(cursor)?))),
        "DESCRIBE" | "DESC" | "EXPLAIN" => return describe(cursor),
        "BEGIN" => {
            cursor.take("WORK");
            Statement::Begin { read_only: None, snapshot: false }
        }
        "START" => start(cursor)?,
        "COMMIT" => {
            let (chain, release) = completion(cursor);
            Statement::Commit { chain, release }
        }
        "ROLLBACK" => rollback(cursor)?,
        "SAVEPOINT" => Statement::Savepoint(cursor.name()?),
        "RELEASE" => {
            cursor.expect("SAVEPOINT")?;
            Statement::Release(cursor.name()?)
        }
        "LOCK" if cursor.take("INSTANCE") => {
            cursor.expect("FOR")?;
            cursor.expect("BACKUP")?;
            Statement::LockInstance
        }
        "LOCK" => lock_tables(cursor)?,
        "UNLOCK" if cursor.take("INSTANCE") => Statement::UnlockInstance,
        "UNLOCK" => {
            if !(cursor.take("TABLES") || cursor.take("TABLE")) {
                return Err(cursor.syntax());
            }
            Statement::UnlockTables
        }
        "FLUSH" => flush(cursor)?,
        "RESET" => return Err(reset(cursor)),
        "PURGE" => {
            return Err(Error::new(ErrorCode::NoBinaryLogging, "You are not using binary logging"));
        }
        "GRANT" => Statement::Grant(Box::new(grant(cursor)?)),
        "REVOKE" => Statement::Grant(Box::new(revoke(cursor)?)),
        // There are no texts of help here, which is what MySQL answers of what it has none of.
        "HELP" => {
            cursor.expression()?;
            let subject = Subject::Nothing(&["name", "is_it_category"]);
            Statement::Show(Box::new(Show { subject, filter: Filter::All }))
        }
        "KILL" => {
            let query = cursor.take("QUERY");
            cursor.take("CONNECTION");
            Statement::Kill { id: Box::new(cursor.expression()?), query }
        }
        "ANALYZE" => maintain(cursor, "analyze")?,
        "OPTIMIZE" => maintain(cursor, "optimize")?,
        "CHECK" => maintain(cursor, "check")?,
        "REPAIR" => maintain(cursor, "repair")?,
        "CHECKSUM" => checksum(cursor)?,
        "PREPARE" => {
            let name = cursor.name()?;
            cursor.expect("FROM")?;
            Statement::Prepare { name, source: Box::new(cursor.expression()?) }
        }
        "EXECUTE" => execute(cursor)?,
        "DEALLOCATE" => {
            cursor.expect("PREPARE")?;
            Statement::Deallocate(cursor.name()?)
        }
        "LOAD" if cursor.take_all(&["INSERTS", "INTO", "TABLE"]) => {
            Statement::LoadInserts(cursor.table_name()?)
        }
        "LOAD" => {
            cursor.expect("DATA")?;
            return Ok(Statement::Load(Box::new(load_data(cursor)?)));
        }
        "DO" => Statement::Do(cursor.list(Cursor::expression)?),
        "CALL" => return Err(Error::unsupported("stored procedures")),
        "SIGNAL" => Statement::Signal(Box::new(signal(cursor)?)),
        "RESIGNAL" => {
            resignal(cursor)?;
            Statement::Resignal
        }
        "GET" => Statement::GetDiagnostics(Box::new(get_diagnostics(cursor)?)),
        "HANDLER" => Statement::Handler(Box::new(handler(cursor)?)),
        "XA" => Statement::Xa(Box::new(xa(cursor)?)),
        _ => return Err(here),
    };
    cursor.expect_end()?;
    Ok(statement)
}

/// Nothing is held back that FLUSH would have to write, and nobody is kept from writing unless
/// it says so.
fn flush(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let _word = cursor.take("NO_WRITE_TO_BINLOG") || cursor.take("LOCAL");
    const LOGS: [&str; 7] = ["LOGS", "SLOW", "ERROR", "GENERAL", "BINARY", "ENGINE", "RELAY"];
    if LOGS.iter().any(|word| cursor.is(word)) {
        cursor.skip_rest();
        return Ok(Statement::FlushLogs);
    }
    if cursor.is("PRIVILEGES") {
        cursor.skip_rest();
        return Ok(Statement::FlushPrivileges);
    }
    if cursor.take("USER_RESOURCES") {
        cursor.expect_end()?;
        return Ok(Statement::FlushUserResources);
    }
    if !(cursor.take("TABLES") || cursor.take("TABLE")) {
        cursor.skip_rest();
        return Ok(Statement::Flush);
    }
    let with = |cursor: &Cursor<'_>| cursor.is("WITH") || cursor.is("FOR");
    let names = match cursor.at_end() || with(cursor) {
        true => Vec::new(),
        false => cursor.list(Cursor::table_name)?,
    };
    if cursor.take_all(&["WITH", "READ", "LOCK"]) || cursor.take_all(&["FOR", "EXPORT"]) {
        return Ok(Statement::ReadLock(names));
    }
    Ok(Statement::FlushTables(names))
}

/// There is no binary log and no replication that could be reset.
fn reset(cursor: &mut Cursor<'_>) -> Error {
    if cursor.is("MASTER") || cursor.is("BINARY") {
        return Error::no_log_to_reset();
    }
    Error::unsupported("RESET")
}

fn create(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.take("DATABASE") || cursor.take("SCHEMA") {
        let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
        let name = cursor.name()?;
        let text = database_options(cursor)?;
        return Ok(Statement::CreateDatabase { name, if_not_exists, text });
    }
    let temporary = cursor.take("TEMPORARY");
    if temporary {
        cursor.expect("TABLE")?;
    }
    if temporary || cursor.take("TABLE") {
        return Ok(Statement::CreateTable(Box::new(create_table(cursor, false, temporary)?)));
    }
    let unique = cursor.take("UNIQUE");
    if !unique && cursor.is("COLUMNAR") && cursor.is_nth(1, "INDEX") {
        (0..2).for_each(|_| drop(cursor.advance()));
        return create_index(cursor, IndexKind::Columnar);
    }
    if !unique && cursor.is("FULLTEXT") && cursor.is_nth(1, "INDEX") {
        (0..2).for_each(|_| drop(cursor.advance()));
        return create_index(cursor, IndexKind::FullText);
    }
    if cursor.is("SPATIAL") {
        return Err(Error::unsupported("SPATIAL indexes"));
    }
    if cursor.take("INDEX") {
        return create_index(cursor, if unique { IndexKind::Unique } else { IndexKind::Plain });
    }
    if cursor.take("USER") {
        return Ok(Statement::Account(Box::new(create_users(cursor)?)));
    }
    if cursor.take("ROLE") {
        return Ok(Statement::Account(Box::new(create_roles(cursor)?)));
    }
    let or_replace = cursor.take_all(&["OR", "REPLACE"]);
    let temporary = or_replace && cursor.take("TEMPORARY");
    if temporary {
        cursor.expect("TABLE")?;
    }
    if temporary || or_replace && cursor.take("TABLE") {
        return Ok(Statement::CreateTable(Box::new(create_table(cursor, true, temporary)?)));
    }
    let definer = definer(cursor)?;
    if cursor.take("EVENT") {
        let event = create_event(cursor, or_replace, definer)?;
        return Ok(Statement::CreateEvent(Box::new(event)));
    }
    if is_view(cursor) {
        let presence = if or_replace { ViewPresence::NewOrReplaced } else { ViewPresence::New };
        let view = create_view(cursor, presence, definer)?;
        return Ok(Statement::CreateView(Box::new(view)));
    }
    if ["TRIGGER", "PROCEDURE", "FUNCTION"].iter().any(|kind| cursor.is(kind)) {
        return Err(Error::unsupported("triggers and stored routines"));
    }
    if or_replace {
        return Err(Error::unsupported("CREATE OR REPLACE"));
    }
    Err(cursor.syntax())
}

/// What its tables take; the rest has no effect.
fn database_options(cursor: &mut Cursor<'_>) -> Result<TextDefaults> {
    let mut text = TextDefaults::default();
    while !cursor.at_end() {
        if text_option(cursor, &mut text)? {
            continue;
        }
        cursor.take("DEFAULT");
        let known = cursor.take("ENCRYPTION")
            || cursor.take_all(&["READ", "ONLY"])
            || cursor.take("COMMENT");
        if !known {
            return Err(cursor.syntax());
        }
        cursor.take_token(&Token::Eq);
        cursor.advance();
    }
    Ok(text)
}

/// What stands before INDEX.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexKind {
    Plain,
    Unique,
    Columnar,
    FullText,
}

fn create_index(cursor: &mut Cursor<'_>, kind: IndexKind) -> Result<Statement> {
    cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    if cursor.take("USING") {
        cursor.name()?;
    }
    cursor.expect("ON")?;
    let table = cursor.table_name()?;
    let mut index = index_body(cursor, true)?;
    index_options(cursor, &mut index.options)?;
    let how = algorithms(cursor)?;
    index.name = Some(name);
    (index.unique, index.columnar) = (kind == IndexKind::Unique, kind == IndexKind::Columnar);
    index.full_text = kind == IndexKind::FullText;
    Ok(Statement::CreateIndex { table, index, how })
}

fn algorithms(cursor: &mut Cursor<'_>) -> Result<Vec<AlterSpec>> {
    let mut how = Vec::new();
    while let Some(spec) = algorithm(cursor)? {
        how.push(spec);
    }
    Ok(how)
}

fn drop_(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.take("DATABASE") || cursor.take("SCHEMA") {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        return Ok(Statement::DropDatabase { name: cursor.name()?, if_exists });
    }
    if cursor.take("INDEX") {
        let if_exists = cursor.take_all(&["IF", "EXISTS"]);
        let name = cursor.name()?;
        cursor.expect("ON")?;
        let table = cursor.table_name()?;
        let how = algorithms(cursor)?;
        return Ok(Statement::DropIndex { table, name, if_exists, how });
    }
    if cursor.take("PREPARE") {
        return Ok(Statement::Deallocate(cursor.name()?));
    }
    if let Some(word) = cursor.take_any(&["USER", "ROLE"]) {
        return Ok(Statement::Account(Box::new(drop_names(cursor, word == "ROLE")?)));
    }
    let view = cursor.take("VIEW");
    let temporary = !view && cursor.take("TEMPORARY");
    if temporary && !cursor.is("TABLE") && !cursor.is("TABLES") {
        return Err(cursor.syntax());
    }
    if !(view || cursor.take("TABLE") || cursor.take("TABLES")) {
        if cursor.take("EVENT") {
            let if_exists = cursor.take_all(&["IF", "EXISTS"]);
            return Ok(Statement::DropEvent { name: cursor.table_name()?, if_exists });
        }
        if ["TRIGGER", "PROCEDURE", "FUNCTION"].iter().any(|word| cursor.is(word)) {
            cursor.advance();
            let if_exists = cursor.take_all(&["IF", "EXISTS"]);
            cursor.skip_rest();
            // There are none: what is dropped only if it exists needs nothing.
            if if_exists {
                return Ok(Statement::Flush);
            }
            return Err(Error::unsupported("triggers and stored routines"));
        }
        return Err(cursor.syntax());
    }
    let if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let names = cursor.list(Cursor::table_name)?;
    let _rule = cursor.take("RESTRICT") || cursor.take("CASCADE");
    Ok(match view {
        true => Statement::DropView { names, if_exists },
        false => Statement::DropTables { names, if_exists, temporary },
    })
}

fn alter(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let _ignored = cursor.take("ONLINE") || cursor.take("IGNORE");
    if cursor.take("TABLE") {
        return Ok(Statement::AlterTable(Box::new(alter_table(cursor)?)));
    }
    if cursor.take_all(&["INSTANCE", "RELOAD", "TLS"]) {
        // There is one channel, and what is wrong is always taken back.
        let _channel = cursor.take_all(&["FOR", "CHANNEL", "MYSQL_MAIN"]);
        let _words = cursor.take_all(&["NO", "ROLLBACK", "ON", "ERROR"]);
        return Ok(Statement::ReloadTls);
    }
    if cursor.take("DATABASE") || cursor.take("SCHEMA") {
        let options = ["DEFAULT", "CHARSET", "CHARACTER", "COLLATE", "ENCRYPTION", "READ"];
        let name = match options.iter().any(|word| cursor.is(word)) {
            true => None,
            false => Some(cursor.name()?),
        };
        let text = database_options(cursor)?;
        return Ok(Statement::AlterDatabase { name, text });
    }
    if cursor.take("USER") {
        return Ok(Statement::Account(Box::new(alter_users(cursor)?)));
    }
    let definer = definer(cursor)?;
    if cursor.take("EVENT") {
        return Ok(Statement::AlterEvent(Box::new(alter_event(cursor, definer)?)));
    }
    if is_view(cursor) {
        let view = create_view(cursor, ViewPresence::Replaced, definer)?;
        return Ok(Statement::CreateView(Box::new(view)));
    }
    Err(cursor.syntax())
}

fn rename(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.take("USER") {
        return Ok(Statement::Account(Box::new(rename_users(cursor)?)));
    }
    if !(cursor.take("TABLE") || cursor.take("TABLES")) {
        return Err(cursor.syntax());
    }
    let pairs = cursor.list(|cursor| {
        let from = cursor.table_name()?;
        cursor.expect("TO")?;
        Ok((from, cursor.table_name()?))
    })?;
    Ok(Statement::RenameTables(pairs))
}

/// EXPLAIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explain {
    /// FORMAT, in capitals.
    pub format: Option<String>,
    /// ANALYZE.
    pub analyze: bool,
    /// INTO: the user variable that gets the answer.
    pub into: Option<String>,
    /// What is explained.
    pub subject: ExplainSubject,
}

/// What EXPLAIN explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainSubject {
    /// The statement with this text.
    Text(String),
    /// What the connection with this number runs.
    Connection(u64),
}

fn is_user_variable(word: &str) -> bool {
    word.strip_prefix('@').is_some_and(|name| !name.is_empty() && !name.starts_with('@'))
}

/// Words that begin a statement which EXPLAIN explains.
const EXPLAINED: [&str; 8] =
    ["SELECT", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "TABLE", "VALUES"];

fn describe(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let analyze = cursor.take("ANALYZE");
    let _extended = cursor.take("EXTENDED") || cursor.take("PARTITIONS");
    let mut format = None;
    if cursor.take("FORMAT") {
        cursor.expect_token(&Token::Eq)?;
        format = Some(cursor.name_or_string()?.to_ascii_uppercase());
    }
    let mut into = None;
    if cursor.is("INTO")
        && matches!(cursor.peek_nth(1), Token::Word(word) if is_user_variable(&word.value))
    {
        cursor.advance();
        if let Token::Word(word) = cursor.advance() {
            into = Some(word.value[1..].to_owned());
        }
    }
    if cursor.take_all(&["FOR", "CONNECTION"]) {
        let subject = ExplainSubject::Connection(cursor.number()?);
        cursor.expect_end()?;
        return Ok(Statement::Explain(Explain { format, analyze, into, subject }));
    }
    if analyze
        || into.is_some()
        || format.is_some()
        || *cursor.peek() == Token::LParen
        || EXPLAINED.iter().any(|word| cursor.is(word))
    {
        let text = cursor.rest().to_string();
        let subject = ExplainSubject::Text(text);
        return Ok(Statement::Explain(Explain { format, analyze, into, subject }));
    }
    let table = cursor.table_name()?;
    let filter = match cursor.at_end() {
        true => Filter::All,
        false => Filter::Like(cursor.name_or_string()?),
    };
    cursor.expect_end()?;
    Ok(Statement::Show(Box::new(Show { subject: Subject::Columns { full: false, table }, filter })))
}

fn start(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect("TRANSACTION")?;
    let (mut read_only, mut snapshot) = (None, false);
    if !cursor.at_end() {
        cursor.list(|cursor| {
            let may_write = cursor.take_all(&["READ", "WRITE"]);
            if may_write || cursor.take_all(&["READ", "ONLY"]) {
                if read_only.replace(!may_write) == Some(may_write) {
                    return Err(cursor.syntax());
                }
            } else if cursor.take_all(&["WITH", "CONSISTENT", "SNAPSHOT"]) {
                snapshot = true;
            } else {
                return Err(cursor.syntax());
            }
            Ok(())
        })?;
    }
    Ok(Statement::Begin { read_only, snapshot })
}

/// `[WORK] [AND [NO] CHAIN] [[NO] RELEASE]`.
fn completion(cursor: &mut Cursor<'_>) -> (bool, bool) {
    cursor.take("WORK");
    let mut chain = false;
    if !cursor.take_all(&["AND", "NO", "CHAIN"]) {
        chain = cursor.take_all(&["AND", "CHAIN"]);
    }
    let release = !cursor.take_all(&["NO", "RELEASE"]) && cursor.take("RELEASE");
    (chain, release)
}

fn rollback(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.take("WORK");
    if cursor.take("TO") {
        cursor.take("SAVEPOINT");
        return Ok(Statement::RollbackTo(cursor.name()?));
    }
    let (chain, release) = completion(cursor);
    Ok(Statement::Rollback { chain, release })
}

fn lock_tables(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if !(cursor.take("TABLES") || cursor.take("TABLE")) {
        return Err(cursor.syntax());
    }
    let tables = cursor.list(|cursor| {
        let table = cursor.table_name()?;
        if cursor.take("AS")
            || !(cursor.is("READ") || cursor.is("WRITE") || cursor.is("LOW_PRIORITY"))
        {
            cursor.name()?;
        }
        cursor.take("LOW_PRIORITY");
        let for_writing = !cursor.take("READ");
        if for_writing {
            cursor.expect("WRITE")?;
        } else {
            cursor.take("LOCAL");
        }
        Ok((table, for_writing))
    })?;
    Ok(Statement::LockTables(tables))
}

fn checksum(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if !(cursor.take("TABLE") || cursor.take("TABLES")) {
        return Err(cursor.syntax());
    }
    let tables = cursor.list(Cursor::table_name)?;
    let quick = cursor.take_any(&["QUICK", "EXTENDED"]) == Some("QUICK");
    Ok(Statement::Checksum { tables, quick })
}

fn maintain(cursor: &mut Cursor<'_>, operation: &'static str) -> Result<Statement> {
    let _word = cursor.take("NO_WRITE_TO_BINLOG") || cursor.take("LOCAL");
    if !(cursor.take("TABLE") || cursor.take("TABLES")) {
        return Err(cursor.syntax());
    }
    let tables = cursor.list(Cursor::table_name)?;
    cursor.skip_rest();
    Ok(Statement::Maintain { operation, tables })
}

fn execute(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let immediate = cursor.is("IMMEDIATE") && !cursor.is_nth(1, "USING");
    if !immediate || matches!(cursor.peek_nth(1), Token::EOF | Token::SemiColon) {
        let name = cursor.name()?;
        return Ok(Statement::Execute { name, using: using(cursor)? });
    }
    cursor.advance();
    if cursor.is("NULL") {
        return Err(cursor.syntax());
    }
    let source = Box::new(cursor.expression()?);
    Ok(Statement::ExecuteImmediate { source, using: using(cursor)? })
}

/// `[USING expression, ...]`.
fn using(cursor: &mut Cursor<'_>) -> Result<Vec<Expr>> {
    if cursor.take("USING") { cursor.list(Cursor::expression) } else { Ok(Vec::new()) }
}

/// `STATEMENT variable = value, ... FOR`, perhaps several times: then all of them are for what
/// follows.
fn statement_items(cursor: &mut Cursor<'_>) -> Result<Vec<SetItem>> {
    let mut items = Vec::new();
    loop {
        cursor.expect("STATEMENT")?;
        items.extend(cursor.list(variable)?);
        cursor.expect("FOR")?;
        if cursor.at_end() {
            return Err(cursor.syntax());
        }
        if !(cursor.is("SET") && cursor.is_nth(1, "STATEMENT")) {
            return Ok(items);
        }
        cursor.advance();
    }
}
