//! What each kind of statement needs: with exactly that privilege it is carried out, and without it
//! it is refused, by the numbers that mysqld 9.7 answered to the same statements. Every kind that
//! the parser knows is here, or among those that need nothing.
//!
//! Not here: grants themselves and what they show (`accounts`).

use std::collections::BTreeSet;
use std::sync::Arc;

use sql::{Session, Sql};
use syntax::Cursor;
use syntax::account::AccountStatement;
use syntax::grant::GrantStatement;
use syntax::show::Subject;
use syntax::statement::{Statement, statement};
use values::SqlMode;

use crate::accounts::{acting, furnished, number};
use crate::harness::run;

/// A statement, the privilege that it needs, and the error without it.
const MATRIX: &[(&str, &str, u16)] = &[
    ("SELECT a FROM d.t", "SELECT ON d.t", 1142),
    ("SELECT a FROM d.t", "SELECT (a) ON d.t", 1142),
    ("SELECT a FROM d.t", "SELECT ON d.*", 1142),
    ("SELECT a FROM d.t", "SELECT ON *.*", 1142),
    ("SELECT COUNT(*) FROM d.t", "SELECT (b) ON d.t", 1142),
    ("SELECT (SELECT MAX(a) FROM d.t)", "SELECT ON d.t", 1142),
    ("WITH x AS (SELECT a FROM d.t) SELECT * FROM x", "SELECT ON d.t", 1142),
    ("SELECT 1 UNION SELECT a FROM d.t", "SELECT ON d.t", 1142),
    ("TABLE d.t", "SELECT ON d.t", 1142),
    ("EXPLAIN SELECT a FROM d.t", "SELECT ON d.t", 1142),
    ("DO (SELECT a FROM d.t)", "SELECT ON d.t", 1142),
    ("SET @x = (SELECT a FROM d.t)", "SELECT ON d.t", 1142),
    ("INSERT INTO d.t VALUES (9, 9, 9)", "INSERT ON d.t", 1142),
    ("INSERT INTO d.t (a, b) VALUES (9, 9)", "INSERT (a, b) ON d.t", 1142),
    ("INSERT INTO d.u SELECT 1", "INSERT ON d.u", 1142),
    ("UPDATE d.t SET b = 1", "UPDATE ON d.t", 1142),
    ("UPDATE d.t SET b = 1", "UPDATE (b) ON d.t", 1142),
    ("DELETE FROM d.t", "DELETE ON d.t", 1142),
    ("CREATE TABLE d.n (a INT)", "CREATE ON d.*", 1142),
    ("CREATE TABLE d.n (a INT)", "CREATE ON d.n", 1142),
    ("DROP TABLE d.t", "DROP ON d.t", 1142),
    ("TRUNCATE d.t", "DROP ON d.t", 1142),
    ("ALTER TABLE d.t ADD z INT", "ALTER ON d.t", 1142),
    ("CREATE INDEX i ON d.t (b)", "INDEX ON d.t", 1142),
    ("RENAME TABLE d.t TO d.n", "DROP, ALTER, CREATE, INSERT ON d.*", 1142),
    ("CREATE DATABASE n", "CREATE ON n.*", 1044),
    ("DROP DATABASE d", "DROP ON d.*", 1044),
    ("USE d", "SELECT ON d.t", 1044),
    ("SHOW TABLES FROM d", "INSERT ON d.u", 1044),
    ("SHOW TABLE STATUS FROM d", "INSERT ON d.u", 1044),
    ("SHOW CREATE DATABASE d", "INSERT ON d.u", 1044),
    ("SHOW CREATE TABLE d.t", "DELETE ON d.t", 1142),
    ("SHOW COLUMNS FROM d.t", "INSERT (a) ON d.t", 1142),
    ("SHOW INDEX FROM d.t", "SELECT ON d.t", 1142),
    ("LOCK TABLES d.t READ", "LOCK TABLES, SELECT ON d.*", 1044),
    ("ANALYZE TABLE d.t", "SELECT, INSERT ON d.t", 1142),
    ("CHECK TABLE d.t", "SELECT ON d.t", 1142),
    ("CHECKSUM TABLE d.t", "SELECT ON d.t", 1142),
    ("HANDLER d.t OPEN", "SELECT ON d.t", 1142),
    ("CREATE EVENT d.x ON SCHEDULE EVERY 1 DAY DO SELECT 1", "EVENT ON d.*", 1044),
    ("SHOW EVENTS FROM d", "EVENT ON d.*", 1044),
    ("SET GLOBAL max_connections = 100", "SUPER ON *.*", 1227),
    ("SET GLOBAL max_connections = 100", "SYSTEM_VARIABLES_ADMIN ON *.*", 1227),
    ("FLUSH STATUS", "RELOAD ON *.*", 1227),
    ("FLUSH TABLES", "RELOAD ON *.*", 1227),
    ("FLUSH TABLES WITH READ LOCK", "FLUSH_TABLES ON *.*", 1227),
    ("LOCK INSTANCE FOR BACKUP", "BACKUP_ADMIN ON *.*", 1227),
    ("UNLOCK INSTANCE", "BACKUP_ADMIN ON *.*", 1227),
    ("SHOW ENGINE innodb STATUS", "PROCESS ON *.*", 1227),
    ("CREATE USER n", "CREATE USER ON *.*", 1227),
    ("DROP USER IF EXISTS n", "CREATE USER ON *.*", 1227),
    ("RENAME USER other@localhost TO n", "CREATE USER ON *.*", 1227),
    ("ALTER USER other@localhost ACCOUNT LOCK", "CREATE USER ON *.*", 1227),
    ("SET PASSWORD FOR other@localhost = 'x'", "CREATE USER ON *.*", 1044),
    ("CREATE ROLE n", "CREATE ROLE ON *.*", 1227),
    ("SHOW GRANTS FOR other@localhost", "SELECT ON mysql.*", 1142),
    ("SHOW CREATE USER other@localhost", "SELECT ON mysql.*", 1044),
    ("GRANT SELECT ON d.t TO other@localhost", "SELECT, GRANT OPTION ON d.t", 1142),
    ("GRANT SELECT ON d.* TO other@localhost", "SELECT, GRANT OPTION ON d.*", 1044),
    ("GRANT FILE ON *.* TO other@localhost", "FILE, GRANT OPTION ON *.*", 1045),
    ("GRANT r TO other@localhost", "ROLE_ADMIN ON *.*", 1227),
    ("VALUES ROW((SELECT a FROM d.t))", "SELECT ON d.t", 1142),
    ("SELECT a INTO @x FROM d.t", "SELECT ON d.t", 1142),
    ("SELECT a FROM d.t FOR UPDATE", "SELECT, UPDATE ON d.t", 1142),
    ("SELECT * FROM d.s", "SELECT ON d.s", 1142),
    ("EXECUTE IMMEDIATE 'SELECT a FROM d.t'", "SELECT ON d.t", 1142),
    ("SET STATEMENT max_statement_time = 9 FOR SELECT a FROM d.t", "SELECT ON d.t", 1142),
    ("EXPLAIN UPDATE d.t SET b = 1", "UPDATE ON d.t", 1142),
    ("REPLACE INTO d.t VALUES (9, 9, 9)", "INSERT, DELETE ON d.t", 1142),
    (
        "INSERT INTO d.t VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE b = 1",
        "INSERT, UPDATE ON d.t",
        1142,
    ),
    ("UPDATE d.t SET b = a", "UPDATE (b), SELECT (a) ON d.t", 1142),
    ("DELETE FROM d.t WHERE a = 7", "DELETE, SELECT (a) ON d.t", 1142),
    ("ALTER DATABASE d DEFAULT CHARACTER SET utf8mb4", "ALTER ON d.*", 1044),
    ("CREATE TABLE d.n LIKE d.t", "CREATE ON d.n; SELECT ON d.t", 1142),
    ("CREATE TABLE d.n AS SELECT a FROM e.v", "CREATE, INSERT ON d.n; SELECT ON e.v", 1142),
    ("CREATE TEMPORARY TABLE d.n (a INT)", "CREATE TEMPORARY TABLES ON d.*", 1044),
    ("ALTER TABLE d.t RENAME TO d.n", "ALTER, DROP, CREATE, INSERT ON d.*", 1142),
    ("DROP INDEX i ON d.w", "INDEX ON d.w", 1142),
    ("CREATE VIEW d.n AS SELECT a FROM d.t", "CREATE VIEW ON d.*; SELECT ON d.t", 1142),
    ("CREATE OR REPLACE VIEW d.s AS SELECT 1", "CREATE VIEW, DROP ON d.s", 1142),
    ("DROP VIEW d.s", "DROP ON d.s", 1142),
    ("SHOW CREATE VIEW d.s", "SHOW VIEW, SELECT ON d.s", 1142),
    ("ALTER EVENT d.k DISABLE", "EVENT ON d.*", 1044),
    ("DROP EVENT d.k", "EVENT ON d.*", 1044),
    ("SHOW CREATE EVENT d.k", "EVENT ON d.*", 1044),
    ("FLUSH LOGS", "RELOAD ON *.*", 1227),
    ("FLUSH PRIVILEGES", "RELOAD ON *.*", 1227),
    ("FLUSH USER_RESOURCES", "RELOAD ON *.*", 1227),
    ("FLUSH USER_RESOURCES", "FLUSH_USER_RESOURCES ON *.*", 1227),
    ("OPTIMIZE TABLE d.t", "SELECT, INSERT ON d.t", 1142),
    ("SET GLOBAL TRANSACTION READ WRITE", "SYSTEM_VARIABLES_ADMIN ON *.*", 1227),
    ("SET DEFAULT ROLE NONE TO other@localhost", "CREATE USER ON *.*", 1227),
    ("DROP ROLE r", "DROP ROLE ON *.*", 1227),
    ("REVOKE SELECT ON d.t FROM other@localhost", "SELECT, GRANT OPTION ON d.t", 1142),
    ("XA RECOVER", "XA_RECOVER_ADMIN ON *.*", 1401),
    ("REVOKE r FROM other@localhost", "ROLE_ADMIN ON *.*", 1227),
    ("REVOKE ALL PRIVILEGES, GRANT OPTION FROM other@localhost", "CREATE USER ON *.*", 1227),
];

/// The same where the privilege lets a statement come to another error.
const BEYOND: &[(&str, &str, u16, u16)] = &[
    // There are no certificates.
    ("ALTER INSTANCE RELOAD TLS", "CONNECTION_ADMIN ON *.*", 1227, 1105),
    // There is no handler whose condition could be raised again.
    ("RESIGNAL", "SELECT ON d.t", 1645, 1645),
    // No folder may be read from.
    ("LOAD DATA INFILE '/none' INTO TABLE d.t", "FILE ON *.*; INSERT ON d.t", 1045, 1290),
    // The store of these tests takes no loads.
    ("LOAD INSERTS INTO TABLE d.u", "INSERT ON d.u", 1142, 1105),
    // A connection that may not be seen is not there.
    ("KILL 1", "CONNECTION_ADMIN, SYSTEM_USER ON *.*", 1094, 0),
];

/// What an account does that was granted nothing, in this order in one session.
const FREE: &[&str] = &[
    "BEGIN",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "RELEASE SAVEPOINT s",
    "COMMIT",
    "ROLLBACK",
    "XA START 'x'",
    "XA END 'x'",
    "XA ROLLBACK 'x'",
    "UNLOCK TABLES",
    "PREPARE p FROM 'SELECT 1'",
    "EXECUTE p",
    "DEALLOCATE PREPARE p",
    "USE information_schema",
    "SET @x = 1",
    "SIGNAL SQLSTATE '01000'",
    "GET DIAGNOSTICS @x = NUMBER",
    "SET ROLE NONE",
    "DROP TEMPORARY TABLE IF EXISTS x",
    "SHOW DATABASES",
    "SHOW OPEN TABLES",
    "SHOW VARIABLES",
    "SHOW STATUS",
    "SHOW WARNINGS",
    "SHOW COUNT(*) WARNINGS",
    "SHOW PROCESSLIST",
    "SHOW ENGINES",
    "SHOW CHARACTER SET",
    "SHOW COLLATION",
    "SHOW PLUGINS",
    "SHOW PRIVILEGES",
    "SHOW PROFILE",
    "SHOW PROFILES",
    "SHOW PROCEDURE STATUS",
];

/// A function that names what a pattern fits, and all the names that it gives.
macro_rules! kinds {
    ($name:ident, $all:ident, $of:ty { $($pattern:pat => $kind:literal),+ $(,)? }) => {
        fn $name(of: &$of) -> &'static str {
            match of { $($pattern => $kind),+ }
        }
        const $all: &[&str] = &[$($kind),+];
    };
}

kinds!(kind, KINDS, Statement {
    Statement::CreateDatabase { .. } => "CREATE DATABASE",
    Statement::DropDatabase { .. } => "DROP DATABASE",
    Statement::AlterDatabase { .. } => "ALTER DATABASE",
    Statement::CreateTable(_) => "CREATE TABLE",
    Statement::AlterTable(_) => "ALTER TABLE",
    Statement::DropTables { .. } => "DROP TABLE",
    Statement::CreateView(_) => "CREATE VIEW",
    Statement::DropView { .. } => "DROP VIEW",
    Statement::Truncate(_) => "TRUNCATE",
    Statement::RenameTables(_) => "RENAME TABLE",
    Statement::CreateEvent(_) => "CREATE EVENT",
    Statement::AlterEvent(_) => "ALTER EVENT",
    Statement::DropEvent { .. } => "DROP EVENT",
    Statement::Account(_) => "accounts",
    Statement::Grant(_) => "grants",
    Statement::CreateIndex { .. } => "CREATE INDEX",
    Statement::DropIndex { .. } => "DROP INDEX",
    Statement::Use(_) => "USE",
    Statement::Set(_) => "SET",
    Statement::Show(_) => "SHOW",
    Statement::Explain(_) => "EXPLAIN",
    Statement::Begin { .. } => "BEGIN",
    Statement::Commit { .. } => "COMMIT",
    Statement::Rollback { .. } => "ROLLBACK",
    Statement::Savepoint(_) => "SAVEPOINT",
    Statement::RollbackTo(_) => "ROLLBACK TO",
    Statement::Release(_) => "RELEASE SAVEPOINT",
    Statement::LockTables(_) => "LOCK TABLES",
    Statement::UnlockTables => "UNLOCK TABLES",
    Statement::LockInstance => "LOCK INSTANCE",
    Statement::UnlockInstance => "UNLOCK INSTANCE",
    Statement::ReadLock(_) => "FLUSH TABLES WITH READ LOCK",
    Statement::FlushTables(_) => "FLUSH TABLES",
    Statement::Flush => "FLUSH",
    Statement::FlushLogs => "FLUSH LOGS",
    Statement::FlushPrivileges => "FLUSH PRIVILEGES",
    Statement::FlushUserResources => "FLUSH USER_RESOURCES",
    Statement::ReloadTls => "ALTER INSTANCE RELOAD TLS",
    Statement::Kill { .. } => "KILL",
    Statement::Maintain { .. } => "ANALYZE and its kin",
    Statement::Checksum { .. } => "CHECKSUM TABLE",
    Statement::Prepare { .. } => "PREPARE",
    Statement::Execute { .. } => "EXECUTE",
    Statement::ExecuteImmediate { .. } => "EXECUTE IMMEDIATE",
    Statement::SetStatement { .. } => "SET STATEMENT",
    Statement::Deallocate(_) => "DEALLOCATE PREPARE",
    Statement::Load(_) => "LOAD DATA",
    Statement::LoadInserts(_) => "LOAD INSERTS",
    Statement::Do(_) => "DO",
    Statement::Handler(_) => "HANDLER",
    Statement::Signal(_) => "SIGNAL",
    Statement::Resignal => "RESIGNAL",
    Statement::GetDiagnostics(_) => "GET DIAGNOSTICS",
    Statement::Xa(_) => "XA",
});

kinds!(account_kind, ACCOUNT_KINDS, AccountStatement {
    AccountStatement::CreateUsers { .. } => "CREATE USER",
    AccountStatement::AlterUsers { .. } => "ALTER USER",
    AccountStatement::Drop { is_role: false, .. } => "DROP USER",
    AccountStatement::Drop { is_role: true, .. } => "DROP ROLE",
    AccountStatement::RenameUsers(_) => "RENAME USER",
    AccountStatement::CreateRoles { .. } => "CREATE ROLE",
    AccountStatement::SetPassword { .. } => "SET PASSWORD",
    AccountStatement::SetRole(_) => "SET ROLE",
    AccountStatement::SetDefaultRole { .. } => "SET DEFAULT ROLE",
});

kinds!(grant_kind, GRANT_KINDS, GrantStatement {
    GrantStatement::Grant { .. } => "GRANT",
    GrantStatement::GrantRoles { .. } => "GRANT role",
    GrantStatement::Revoke { .. } => "REVOKE",
    GrantStatement::RevokeRoles { .. } => "REVOKE role",
    GrantStatement::RevokeEverything { .. } => "REVOKE ALL PRIVILEGES, GRANT OPTION",
});

kinds!(show_kind, SHOW_KINDS, Subject {
    Subject::Databases => "SHOW DATABASES",
    Subject::Tables { .. } => "SHOW TABLES",
    Subject::TableStatus { .. } => "SHOW TABLE STATUS",
    Subject::OpenTables { .. } => "SHOW OPEN TABLES",
    Subject::Columns { .. } => "SHOW COLUMNS",
    Subject::Indexes { .. } => "SHOW INDEX",
    Subject::CreateTable { .. } => "SHOW CREATE TABLE",
    Subject::CreateView { .. } => "SHOW CREATE VIEW",
    Subject::CreateDatabase { .. } => "SHOW CREATE DATABASE",
    Subject::Variables { .. } => "SHOW VARIABLES",
    Subject::Status => "SHOW STATUS",
    Subject::Warnings { .. } => "SHOW WARNINGS",
    Subject::WarningCount { .. } => "SHOW COUNT(*) WARNINGS",
    Subject::Processes { .. } => "SHOW PROCESSLIST",
    Subject::Engines => "SHOW ENGINES",
    Subject::CharacterSets => "SHOW CHARACTER SET",
    Subject::Collations => "SHOW COLLATION",
    Subject::Grants { .. } => "SHOW GRANTS",
    Subject::CreateUser { .. } => "SHOW CREATE USER",
    Subject::Plugins => "SHOW PLUGINS",
    Subject::Privileges => "SHOW PRIVILEGES",
    Subject::Events { .. } => "SHOW EVENTS",
    Subject::CreateEvent { .. } => "SHOW CREATE EVENT",
    Subject::Engine { .. } => "SHOW ENGINE",
    Subject::Profile(_) => "SHOW PROFILE",
    Subject::Nothing(_) => "SHOW of what there is none of",
});

/// Queries and changes of rows, which are no `Statement`.
const ROW_KINDS: &[&str] =
    &["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "REPLACE", "UPDATE", "DELETE"];

/// The kind of a statement.
fn kind_of(text: &str) -> &'static str {
    let word = text.split(' ').next().unwrap();
    if let Some(kind) = ROW_KINDS.iter().find(|kind| **kind == word) {
        return kind;
    }
    let mut cursor = Cursor::new(text, SqlMode::default()).expect("it is read");
    let parsed = statement(&mut cursor).unwrap_or_else(|error| panic!("{text}: {error}"));
    match &parsed {
        Statement::Account(account) => account_kind(account),
        Statement::Grant(grant) => grant_kind(grant),
        Statement::Show(show) => show_kind(&show.subject),
        other => kind(other),
    }
}

/// Besides what all tests of accounts have: a view and an event of `bob`'s, an index, a role.
fn place() -> (Arc<Sql>, Session, Session) {
    let (sql, mut root) = furnished(&["bob", "other"]);
    for statement in [
        "CREATE ROLE r",
        "GRANT r TO other@localhost",
        "GRANT SELECT ON d.t TO other@localhost",
        "CREATE TABLE d.w (a INT, KEY i (a))",
        "CREATE DEFINER = bob@localhost VIEW d.s AS SELECT 1 AS a",
        "CREATE DEFINER = bob@localhost EVENT d.k ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1",
    ] {
        run(&mut root, statement);
    }
    let bob = acting(&sql, "bob");
    (sql, root, bob)
}

#[test]
fn every_statement_needs_its_privilege_and_no_other() {
    let plain =
        MATRIX.iter().map(|(statement, privileges, without)| (statement, privileges, without, &0));
    let beyond = BEYOND
        .iter()
        .map(|(statement, privileges, without, with)| (statement, privileges, without, with));
    for (statement, privileges, without, with) in plain.chain(beyond) {
        let (_sql, mut root, mut bob) = place();
        assert_eq!(number(&mut bob, statement), *without, "{statement} without {privileges}");
        for privileges in privileges.split("; ") {
            run(&mut root, &format!("GRANT {privileges} TO bob@localhost"));
        }
        assert_eq!(number(&mut bob, statement), *with, "{statement} with {privileges}");
    }
}

#[test]
fn what_needs_no_privilege_is_done_for_an_account_without_any() {
    let (_sql, _root, mut bob) = place();
    for statement in FREE {
        assert_eq!(number(&mut bob, statement), 0, "{statement}");
    }
}

#[test]
fn every_kind_of_statement_that_the_parser_knows_has_its_privilege() {
    // These stand for several.
    let families = ["accounts", "grants", "SHOW"];
    let known: BTreeSet<&str> = [KINDS, ACCOUNT_KINDS, GRANT_KINDS, SHOW_KINDS, ROW_KINDS]
        .concat()
        .into_iter()
        .filter(|kind| !families.contains(kind))
        .collect();
    let tried = MATRIX.iter().map(|row| row.0).chain(BEYOND.iter().map(|row| row.0));
    let tried: BTreeSet<&str> = tried.chain(FREE.iter().copied()).map(kind_of).collect();
    assert_eq!(known.difference(&tried).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn rows_were_locked_by_an_account_that_may_only_read() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "GRANT SELECT ON d.* TO bob@localhost");
    let lock = "SELECT a FROM d.t FOR UPDATE";
    assert_eq!(number(&mut acting(&sql, "bob"), lock), 1142);
    for free in ["SELECT a FROM d.t FOR SHARE", "SELECT a FROM d.t LOCK IN SHARE MODE"] {
        assert_eq!(number(&mut acting(&sql, "bob"), free), 0, "{free}");
    }
    let of = "SELECT t.a FROM d.t, d.u FOR SHARE OF t FOR UPDATE OF u";
    assert_eq!(number(&mut acting(&sql, "bob"), of), 1142);
    for granted in ["DELETE ON d.t", "UPDATE ON d.*", "LOCK TABLES ON d.*"] {
        run(&mut root, &format!("GRANT {granted} TO bob@localhost"));
        assert_eq!(number(&mut acting(&sql, "bob"), lock), 0, "{granted}");
        run(&mut root, &format!("REVOKE {granted} FROM bob@localhost"));
        assert_eq!(number(&mut acting(&sql, "bob"), lock), 1142, "{granted}");
    }
}
