//! Whether the session's principal may do what a statement says, in MySQL's words.
//!
//! ```text
//! authorize          statements that are carried out word by word: what each kind needs
//! authorize_change   INSERT, REPLACE, UPDATE, DELETE: the tables and columns that they write
//! bind::from         what every query reads
//! ```
//!
//! Invariants
//! 1. A statement is refused before it is said whether what it names is there (MySQL 9.7 answers
//!    so): a table that one may not see is no different from one that is not.
//! 2. A plan is bound under the rights by whose number it is kept, so it is asked once.
//!
//! Not here: which privileges an account has (crate `access`), giving them (`grants`).

use std::ops::ControlFlow;
use std::sync::Arc;

use access::privilege::SYSTEM_USER;
use access::{AccountName, ColumnAccess, Privilege, PrivilegeSet};
use rows::schema::Column;
use sqlparser::ast::{
    Expr, OrderByExpr, TableFactor, TableWithJoins, Visit, With, visit_expressions,
};
use syntax::TableName;
use syntax::alter::AlterSpec;
use syntax::change::{AssignmentSpec, Change, Delete, Insert, ReturningItem, Update, is_of_with};
use syntax::load::{DuplicateSpec, LoadData};
use syntax::names::table_name;
use syntax::set::{Scope, SetItem};
use syntax::show::{Show, Subject};
use syntax::statement::Statement as Parsed;
use syntax::table::{Element, ForeignKeySpec};
use values::ErrorCode;

use super::Session;
use crate::system_schema::information_schema::columns_of_view;
use plan::bind::PartlyReadable;
use plan::context::WrittenTable;
use plan::listing::is_everybodys;
use results::{Result, SqlError};

/// A table that a writing statement names: what it is called there, and its name.
struct NamedTable {
    called: String,
    database: String,
    table: String,
}

impl Session {
    /// What the session may do is made out again if accounts have changed.
    pub(super) fn renew_rights(&mut self) {
        let access = self.sql.access();
        if self.principal.version != access.version() {
            self.principal = access.renewed(&self.principal);
        }
    }

    /// From now on it has the rights of an account, with the roles that are active at its login.
    pub fn act_as(&mut self, account: &AccountName) {
        self.principal = self.sql.access().at_login(account);
    }

    /// Whether nothing has to be asked.
    pub(super) fn is_unlimited(&self) -> bool {
        self.principal.rights.number == access::rights::UNLIMITED
    }

    /// Whether all that it may do is to set a password.
    pub fn is_expired(&self) -> bool {
        self.principal.is_expired
    }

    /// 1820 for an account whose password is expired and that does something else than set it; SET
    /// is refused, too, as mysqld 9.7 does.
    pub(super) fn check_expired(&self, parsed: Option<&Parsed>) -> Result<()> {
        if !self.principal.is_expired {
            return Ok(());
        }
        let sets_it = |parsed: &Parsed| match parsed {
            Parsed::Account(statement) => self.sets_own_password(statement),
            _ => false,
        };
        if parsed.is_some_and(sets_it) {
            return Ok(());
        }
        Err(SqlError::new(
            ErrorCode::MustChangePassword,
            "You must reset your password using ALTER USER statement before executing this \
             statement.",
        ))
    }

    /// Refuses what needs one of these privileges on everything, or a dynamic one.
    pub(super) fn check_global(
        &self,
        privileges: &[Privilege],
        dynamic: &[&str],
        words: &str,
    ) -> Result<()> {
        let rights = &self.principal.rights;
        let has = privileges.iter().any(|privilege| rights.has_global(*privilege))
            || dynamic.iter().any(|name| rights.has_dynamic(name));
        if has { Ok(()) } else { Err(SqlError::privilege_needed(words)) }
    }

    /// Refuses what needs a privilege on a database.
    pub(super) fn check_database(&self, database: &str, privilege: Privilege) -> Result<()> {
        match self.principal.rights.on_database(database).has(privilege) {
            true => Ok(()),
            false => Err(self.database_denied(database)),
        }
    }

    /// 1044, which names the account rather than the client (mysqld 9.7 does so).
    pub(super) fn database_denied(&self, database: &str) -> SqlError {
        SqlError::database_denied(&self.account_name(), database)
    }

    /// 1045 of a statement rather than a login, which names the account, too.
    pub(super) fn access_denied(&self) -> SqlError {
        SqlError::access_denied(&self.account_name())
    }

    /// Refuses what is about a database that may not be seen.
    pub(super) fn check_seen_database(&self, database: &str) -> Result<()> {
        match is_everybodys(database) || self.principal.rights.sees_database(database) {
            true => Ok(()),
            false => Err(self.database_denied(database)),
        }
    }

    /// Whether a name is of a temporary table of the session, which may do with it what it likes.
    fn is_own_table(&self, database: &str, table: &str) -> bool {
        self.temporary.as_ref().is_some_and(|own| own.find(database, table).is_some())
    }

    /// Refuses what needs privileges on all of a table, unless it is the session's own.
    pub(super) fn check_table(&self, name: &TableName, needed: &[Privilege]) -> Result<()> {
        let (database, table) = self.qualified(name)?;
        match self.is_own_table(database, table) {
            true => Ok(()),
            false => self.check_base_table(name, needed),
        }
    }

    /// Refuses what needs privileges on all of a table that no temporary one hides; those that are
    /// missing are named.
    pub(super) fn check_base_table(&self, name: &TableName, needed: &[Privilege]) -> Result<()> {
        let (database, table) = self.qualified(name)?;
        let held = self.principal.rights.on_table(database, table);
        self.check_held(held, table, needed)
    }

    /// Refuses foreign keys of a table without REFERENCES on all of each table that they refer to,
    /// also where that is the table itself, or is not there (MySQL 9.7 answers so).
    fn check_parents(&self, child: &TableName, elements: &[Element]) -> Result<()> {
        elements.iter().try_for_each(|element| match element {
            Element::ForeignKey(key) => self.check_parent(child, key),
            Element::Column(column) => {
                column.references.iter().try_for_each(|key| self.check_parent(child, key))
            }
            Element::Index(_) | Element::Check(_) => Ok(()),
        })
    }

    fn check_parent(&self, child: &TableName, key: &ForeignKeySpec) -> Result<()> {
        let TableName { database, table } = &key.parent;
        // Without a database it is one of the child's, whichever is in use.
        let database = match database {
            Some(database) => database,
            None => self.qualified(child)?.0,
        };
        let held = self.principal.rights.on_table(database, table);
        self.check_held(held, &format!("{database}.{table}"), &[Privilege::References])
    }

    /// As `check_table`, but privileges on some column are enough.
    fn check_some_of_table(&self, name: &TableName, needed: &[Privilege]) -> Result<()> {
        let (database, table) = self.qualified(name)?;
        if self.is_own_table(database, table) {
            return Ok(());
        }
        let held = self.principal.rights.on_some_of(database, table);
        self.check_held(held, table, needed)
    }

    fn check_held(&self, held: PrivilegeSet, table: &str, needed: &[Privilege]) -> Result<()> {
        let missing = needed.iter().filter(|privilege| !held.has(**privilege));
        let missing: Vec<&str> = missing.map(|privilege| privilege.words()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(SqlError::table_denied(&missing.join(", "), &self.user, table))
    }

    /// Refuses what shows a table's columns and indexes to somebody who may not see it.
    pub(super) fn check_seen_table(&self, database: &str, table: &str) -> Result<()> {
        let is_own = is_everybodys(database) || self.is_own_table(database, table);
        match is_own || self.principal.rights.sees_table(database, table) {
            true => Ok(()),
            false => Err(SqlError::table_denied("SELECT", &self.user, table)),
        }
    }

    /// Refuses a statement that its principal may not carry out.
    ///
    /// # Errors
    /// 1044, 1045, 1142, 1227 by what it lacks; 1046 for a table without a database.
    pub(super) fn authorize(&self, parsed: &Parsed) -> Result<()> {
        use Privilege::{Alter, Create, Drop, Index, Insert, LockTables, Reload, Select};
        if self.is_unlimited() {
            return Ok(());
        }
        match parsed {
            Parsed::CreateDatabase { name, .. } => self.check_database(name, Create),
            Parsed::DropDatabase { name, .. } => self.check_database(name, Drop),
            Parsed::AlterDatabase { name, .. } => {
                match name.as_deref().or(self.database.as_deref()) {
                    Some(name) => self.check_database(name, Alter),
                    None => Err(SqlError::no_database()),
                }
            }
            Parsed::CreateTable(create) => {
                let needed: &[_] = match (create.or_replace, create.query.is_some()) {
                    (false, false) => &[Create],
                    (false, true) => &[Insert, Create],
                    (true, false) => &[Create, Drop],
                    (true, true) => &[Insert, Create, Drop],
                };
                if create.temporary {
                    let (database, _) = self.qualified(&create.name)?;
                    self.check_database(database, Privilege::CreateTemporaryTables)?;
                } else {
                    self.check_base_table(&create.name, needed)?;
                    self.check_parents(&create.name, &create.elements)?;
                }
                match &create.like {
                    Some(source) => self.check_table(source, &[Select]),
                    None => Ok(()),
                }
            }
            Parsed::CreateView(create) => self.check_create_view(create),
            Parsed::AlterTable(alter) if self.temporary_table(&alter.name)?.is_some() => Ok(()),
            Parsed::AlterTable(alter) => {
                self.check_table(&alter.name, &[Alter])?;
                for spec in &alter.specs {
                    match spec {
                        AlterSpec::Rename(to) => {
                            self.check_table(&alter.name, &[Drop])?;
                            self.check_base_table(to, &[Insert, Create])?;
                        }
                        AlterSpec::Add(element) => {
                            self.check_parents(&alter.name, std::slice::from_ref(element))?;
                        }
                        AlterSpec::AddColumn { column, .. } | AlterSpec::Change { column, .. } => {
                            let mut keys = column.references.iter();
                            keys.try_for_each(|key| self.check_parent(&alter.name, key))?;
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            Parsed::DropTables { temporary: true, .. } => Ok(()),
            Parsed::DropTables { names, .. } => {
                names.iter().try_for_each(|name| self.check_table(name, &[Drop]))
            }
            Parsed::DropView { names, .. } => {
                names.iter().try_for_each(|name| self.check_base_table(name, &[Drop]))
            }
            Parsed::Truncate(name) => self.check_table(name, &[Drop]),
            Parsed::RenameTables(pairs) => pairs.iter().try_for_each(|(from, to)| {
                self.check_base_table(from, &[Drop, Alter])?;
                self.check_base_table(to, &[Insert, Create])
            }),
            Parsed::CreateEvent(event) => self.check_event(&event.name, event.definer.as_deref()),
            Parsed::AlterEvent(event) => self.check_event(&event.name, event.definer.as_deref()),
            Parsed::DropEvent { name, .. } => self.check_event(name, None),
            Parsed::CreateIndex { table, .. } | Parsed::DropIndex { table, .. } => {
                self.check_table(table, &[Index])
            }
            Parsed::Set(items) => items.iter().try_for_each(|item| self.check_set(item)),
            Parsed::SetStatement { items, .. } => {
                items.iter().try_for_each(|item| self.check_set(item))
            }
            Parsed::Show(show) => self.check_show(show),
            Parsed::LockTables(tables) => tables.iter().try_for_each(|(name, _)| {
                let (database, _) = self.qualified(name)?;
                self.check_database(database, LockTables)?;
                self.check_table(name, &[Select])
            }),
            Parsed::ReadLock(_) => {
                self.check_global(&[Reload], &["FLUSH_TABLES"], "RELOAD or FLUSH_TABLES")
            }
            Parsed::LockInstance | Parsed::UnlockInstance => {
                self.check_global(&[], &["BACKUP_ADMIN"], "BACKUP_ADMIN")
            }
            Parsed::ReloadTls => self.check_global(
                &[Privilege::Super],
                &["CONNECTION_ADMIN"],
                "SUPER or CONNECTION_ADMIN",
            ),
            Parsed::Flush | Parsed::FlushLogs => self.check_global(&[Reload], &[], "RELOAD"),
            Parsed::FlushTables(_) => {
                self.check_global(&[Reload], &["FLUSH_TABLES"], "RELOAD or FLUSH_TABLES")
            }
            Parsed::FlushPrivileges => {
                self.check_global(&[Reload], &["FLUSH_PRIVILEGES"], "RELOAD or FLUSH_PRIVILEGES")
            }
            Parsed::FlushUserResources => {
                let words = "RELOAD or FLUSH_USER_RESOURCES";
                self.check_global(&[Reload], &["FLUSH_USER_RESOURCES"], words)
            }
            Parsed::Maintain { operation, tables } => {
                let needed: &[_] = match *operation {
                    "check" => &[Select],
                    _ => &[Select, Insert],
                };
                tables.iter().try_for_each(|name| self.check_some_of_table(name, needed))
            }
            Parsed::Checksum { tables, .. } => {
                tables.iter().try_for_each(|name| self.check_some_of_table(name, &[Select]))
            }
            Parsed::Handler(handler) => match self.table_of_handler(handler) {
                Some(table) => self.check_table(&table, &[Select]),
                None => Ok(()),
            },
            Parsed::Load(load) => self.check_load(load),
            Parsed::LoadInserts(name) => self.check_table(name, &[Insert]),
            // Checked where they are carried out: by the database, what they read, whom they name.
            Parsed::Use(_)
            | Parsed::Explain { .. }
            | Parsed::Do(_)
            | Parsed::Kill { .. }
            | Parsed::Prepare { .. }
            | Parsed::Execute { .. }
            | Parsed::ExecuteImmediate { .. }
            | Parsed::Account(_)
            | Parsed::Grant(_)
            | Parsed::Signal(_)
            | Parsed::Resignal
            | Parsed::GetDiagnostics(_)
            | Parsed::Xa(_) => Ok(()),
            Parsed::Begin { .. }
            | Parsed::Commit { .. }
            | Parsed::Rollback { .. }
            | Parsed::Savepoint(_)
            | Parsed::RollbackTo(_)
            | Parsed::Release(_)
            | Parsed::UnlockTables
            | Parsed::Deallocate(_) => Ok(()),
        }
    }

    fn check_event(&self, name: &TableName, definer: Option<&str>) -> Result<()> {
        let (database, _) = self.qualified(name)?;
        self.check_database(database, Privilege::Event)?;
        self.check_definer(definer)
    }

    fn check_set(&self, item: &SetItem) -> Result<()> {
        let is_global = matches!(
            item,
            SetItem::System { scope: Scope::Global, .. }
                | SetItem::Transaction { scope: Scope::Global, .. }
        );
        if !is_global {
            return Ok(());
        }
        self.check_global(
            &[Privilege::Super],
            &["SYSTEM_VARIABLES_ADMIN"],
            "SUPER or SYSTEM_VARIABLES_ADMIN",
        )?;
        match item {
            SetItem::System { name, .. } if name == "mandatory_roles" => self.check_global(
                &[],
                &["ROLE_ADMIN"],
                "SYSTEM_VARIABLES_ADMIN or SUPER privileges, as well as the ROLE_ADMIN",
            ),
            _ => Ok(()),
        }
    }

    fn check_load(&self, load: &LoadData) -> Result<()> {
        if !load.local && !self.principal.rights.has_global(Privilege::File) {
            return Err(self.access_denied());
        }
        let needed: &[_] = match load.on_duplicate {
            DuplicateSpec::Replace => &[Privilege::Insert, Privilege::Delete],
            _ => &[Privilege::Insert],
        };
        self.check_table(&load.table, needed)
    }

    /// Another user's connection that may not be seen is not there.
    pub(super) fn check_kill(&self, id: u64) -> Result<()> {
        let rights = &self.principal.rights;
        let line = u32::try_from(id).ok().and_then(|id| {
            let session = self.sql.processes().find(id).map(|process| process.line());
            session.or_else(|| Some(self.sql.door_clients().find(id)?.line()))
        });
        let own = self.process.user();
        let Some(line) = line.filter(|line| !line.belongs_to(&own)) else { return Ok(()) };
        let is_admin = rights.has_dynamic("CONNECTION_ADMIN");
        if is_admin && (rights.has_dynamic(SYSTEM_USER) || !self.is_system_user(&line.user)) {
            return Ok(());
        }
        if !is_admin && !rights.has_global(Privilege::Process) {
            let message = format!("Unknown thread id: {id}");
            return Err(SqlError::new(ErrorCode::NoSuchThread, message));
        }
        let message = format!("You are not owner of thread {}", line.id);
        Err(SqlError::new(ErrorCode::KillDenied, message))
    }

    /// Whether an account of this user has SYSTEM_USER, for whichever hosts it is.
    fn is_system_user(&self, user: &str) -> bool {
        let grants = self.sql.access().grants();
        let mut accounts = grants.accounts().iter().filter(|(name, _)| name.user == user);
        accounts.any(|(_, account)| account.is_system_user())
    }

    fn check_show(&self, show: &Show) -> Result<()> {
        let database_of = |database: &Option<String>| {
            let name = database.clone().or_else(|| self.database.clone());
            name.ok_or_else(SqlError::no_database)
        };
        match &show.subject {
            Subject::Tables { database, .. } | Subject::TableStatus { database } => {
                self.check_seen_database(&database_of(database)?)
            }
            Subject::OpenTables { database: Some(name) } => self.check_seen_database(name),
            Subject::CreateDatabase { name, .. } => self.check_seen_database(name),
            Subject::Columns { table, .. } | Subject::Indexes { table } => {
                let (database, table) = self.qualified(table)?;
                self.check_seen_table(database, table)
            }
            Subject::CreateTable { table: name } => {
                let (database, table) = self.qualified(name)?;
                let held = self.principal.rights.on_table(database, table);
                match held.has_any(PrivilegeSet::all(access::Level::Table)) {
                    _ if self.is_own_table(database, table) => Ok(()),
                    true if self.view(name)?.is_some() => self.check_show_view(name),
                    true => Ok(()),
                    false => Err(SqlError::table_denied("SHOW", &self.user, table)),
                }
            }
            Subject::CreateView { name } => self.check_show_view(name),
            Subject::Events { database } => {
                self.check_database(&database_of(database)?, Privilege::Event)
            }
            Subject::CreateEvent { name } => {
                let (database, _) = self.qualified(name)?;
                self.check_database(database, Privilege::Event)
            }
            Subject::Engine { .. } => self.check_global(&[Privilege::Process], &[], "PROCESS"),
            _ => Ok(()),
        }
    }

    /// Refuses a writing statement that its principal may not carry out; gives the tables that it
    /// may read for finding their rows, as far as columns are named.
    ///
    /// # Errors
    /// 1142 and 1143 by what it lacks.
    pub(super) fn authorize_change(&self, change: &Change) -> Result<Arc<[WrittenTable]>> {
        if self.is_unlimited() {
            return Ok(Arc::from([]));
        }
        let written = match change {
            Change::Insert(insert) => {
                self.authorize_insert(insert)?;
                Vec::new()
            }
            Change::Update(update) => self.authorize_update(update)?,
            Change::Delete(delete) => self.authorize_delete(delete)?,
        };
        let unlimited = |NamedTable { database, table, .. }| WrittenTable {
            database,
            table,
            names_within: None,
        };
        Ok(written.into_iter().map(unlimited).collect())
    }

    /// A table that is written to, if some of its columns may not be read.
    pub(super) fn partly_readable(&self, written: &WrittenTable) -> Option<PartlyReadable> {
        let (rights, table) = (&self.principal.rights, written.table.clone());
        let readable = rights.columns(&written.database, &table, Privilege::Select);
        (readable != ColumnAccess::All).then(|| PartlyReadable { user: self.user.clone(), table })
    }

    fn authorize_insert(&self, insert: &Insert) -> Result<()> {
        let (database, table) = self.qualified(&insert.table)?;
        if self.is_own_table(database, table) {
            return Ok(());
        }
        let of_table = NamedTable {
            called: table.to_owned(),
            database: database.to_owned(),
            table: table.to_owned(),
        };
        let mut needed = vec![Privilege::Insert];
        needed.extend(insert.replace.then_some(Privilege::Delete));
        needed.extend((!insert.on_duplicate.is_empty()).then_some(Privilege::Update));
        self.check_some_of_table(&insert.table, &needed)?;
        match &insert.columns {
            Some(columns) if !columns.is_empty() => {
                self.check_columns(&of_table, columns.iter(), Privilege::Insert)?;
            }
            _ => self.check_table(&insert.table, &[Privilege::Insert])?,
        }
        if !insert.on_duplicate.is_empty() {
            let changed = insert.on_duplicate.iter().map(|assignment| &assignment.column);
            self.check_columns(&of_table, changed, Privilege::Update)?;
        }
        let of_table = [of_table];
        self.check_assigned_reads(&of_table, &insert.on_duplicate)?;
        self.check_returned(&of_table, &insert.returning)
    }

    fn authorize_update(&self, update: &Update) -> Result<Vec<NamedTable>> {
        let named = self.named_tables(&update.tables, update.with.as_ref())?;
        let mut written: Vec<NamedTable> = Vec::new();
        for of_table in named {
            let known = self.known(&of_table);
            let is_set = |assignment: &&AssignmentSpec| match (&assignment.table, &known) {
                (Some(called), _) => *called == of_table.called,
                (None, Some(columns)) => has(columns, &assignment.column),
                (None, None) => true,
            };
            let columns: Vec<&String> =
                update.assignments.iter().filter(is_set).map(|a| &a.column).collect();
            // Of a single table even a column that is not there needs the privilege.
            if columns.is_empty() && is_joined(&update.tables) {
                continue;
            }
            self.check_columns(&of_table, columns.into_iter(), Privilege::Update)?;
            written.push(of_table);
        }
        self.check_assigned_reads(&written, &update.assignments)?;
        self.check_found(&written, (&update.tables, &update.selection, &update.order))?;
        Ok(written)
    }

    fn authorize_delete(&self, delete: &Delete) -> Result<Vec<NamedTable>> {
        let mut named = self.named_tables(&delete.tables, delete.with.as_ref())?;
        if !delete.targets.is_empty() {
            named.retain(|of_table| {
                delete.targets.iter().any(|target| {
                    target.table == of_table.called
                        && target.database.as_ref().is_none_or(|d| *d == of_table.database)
                })
            });
        } else if named.len() > 1 {
            named.truncate(1);
        }
        for of_table in &named {
            let rights = &self.principal.rights;
            let held = rights.on_table(&of_table.database, &of_table.table);
            self.check_held(held, &of_table.table, &[Privilege::Delete])?;
        }
        self.check_found(&named, (&delete.tables, &delete.selection, &delete.order))?;
        self.check_returned(&named, &delete.returning)?;
        Ok(named)
    }

    /// The tables of FROM but the session's own; what is derived is a query, whose tables are
    /// looked at where it is bound.
    fn named_tables(
        &self,
        tables: &[TableWithJoins],
        with: Option<&With>,
    ) -> Result<Vec<NamedTable>> {
        let mut named = Vec::new();
        let mut factors: Vec<&TableFactor> = Vec::new();
        for item in tables {
            gather(item, &mut factors);
        }
        for factor in factors {
            let TableFactor::Table { name, alias, .. } = factor else { continue };
            let Ok(own) = table_name(name) else { continue };
            if is_of_with(with, &own) {
                continue;
            }
            let (database, table) = self.qualified(&own)?;
            if self.is_own_table(database, table) {
                continue;
            }
            let called = alias.as_ref().map_or(table, |alias| &alias.name.value);
            named.push(NamedTable {
                called: called.to_owned(),
                database: database.to_owned(),
                table: table.to_owned(),
            });
        }
        Ok(named)
    }

    /// The columns of a table or view, if it is there.
    fn known(&self, of_table: &NamedTable) -> Option<Vec<String>> {
        let relations = self.relations();
        let columns = match relations.table(&of_table.database, &of_table.table) {
            Ok(table) => return Some(names_of(table.named_columns())),
            Err(_) => {
                let view = relations.view(&of_table.database, &of_table.table)?;
                columns_of_view(&self.facts(), &view).ok()?
            }
        };
        Some(names_of(&columns))
    }

    /// Refuses a use of columns of a table without the privilege for them.
    fn check_columns<'c>(
        &self,
        of_table: &NamedTable,
        mut columns: impl Iterator<Item = &'c String>,
        privilege: Privilege,
    ) -> Result<()> {
        let NamedTable { database, table, .. } = of_table;
        let rights = &self.principal.rights;
        match rights.columns(database, table, privilege) {
            ColumnAccess::All => Ok(()),
            ColumnAccess::Some => {
                match columns.find(|c| !rights.has_column(database, table, c, privilege)) {
                    None => Ok(()),
                    Some(column) => {
                        Err(SqlError::column_denied(privilege.words(), &self.user, column, table))
                    }
                }
            }
            ColumnAccess::None => Err(SqlError::table_denied(privilege.words(), &self.user, table)),
        }
    }

    /// Refuses a use of a column's value without SELECT on it.
    fn check_reads(&self, tables: &[NamedTable], expressions: &impl Visit) -> Result<()> {
        for of_table in tables {
            let NamedTable { called, database, table } = of_table;
            let rights = &self.principal.rights;
            if rights.columns(database, table, Privilege::Select) == ColumnAccess::All {
                continue;
            }
            let Some(known) = self.known(of_table) else { continue };
            let denied = visit_expressions(expressions, |expr| {
                let column = match expr {
                    Expr::Identifier(column) => &column.value,
                    Expr::CompoundIdentifier(parts) => {
                        let [.., of, column] = &parts[..] else {
                            return ControlFlow::Continue(());
                        };
                        if of.value != *called {
                            return ControlFlow::Continue(());
                        }
                        &column.value
                    }
                    _ => return ControlFlow::Continue(()),
                };
                let is_read =
                    has(&known, column) || column.eq_ignore_ascii_case(plan::bind::ROW_KEY);
                match is_read && !rights.has_column(database, table, column, Privilege::Select) {
                    true => ControlFlow::Break(column.clone()),
                    false => ControlFlow::Continue(()),
                }
            });
            if let ControlFlow::Break(column) = denied {
                return Err(SqlError::column_denied("SELECT", &self.user, &column, table));
            }
        }
        Ok(())
    }

    fn check_assigned_reads(
        &self,
        tables: &[NamedTable],
        assignments: &[AssignmentSpec],
    ) -> Result<()> {
        let values = assignments.iter().filter_map(|assignment| assignment.value.as_ref());
        values.into_iter().try_for_each(|value| self.check_reads(tables, value))
    }

    /// The conditions by which rows are found, and their order.
    fn check_found(
        &self,
        tables: &[NamedTable],
        (from, selection, order): (&Vec<TableWithJoins>, &Option<Expr>, &Vec<OrderByExpr>),
    ) -> Result<()> {
        self.check_reads(tables, from)?;
        self.check_reads(tables, selection)?;
        self.check_reads(tables, order)
    }

    fn check_returned(&self, tables: &[NamedTable], items: &[ReturningItem]) -> Result<()> {
        for item in items {
            match item {
                ReturningItem::All(_) => {
                    for NamedTable { database, table, .. } in tables {
                        let held = self.principal.rights.on_table(database, table);
                        self.check_held(held, table, &[Privilege::Select])?;
                    }
                }
                ReturningItem::Value { expr, .. } => self.check_reads(tables, expr)?,
            }
        }
        Ok(())
    }
}

fn names_of(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

/// Whether a name is one of a table's columns.
fn has(columns: &[String], name: &str) -> bool {
    columns.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether there are several tables.
fn is_joined(tables: &[TableWithJoins]) -> bool {
    tables.len() > 1 || tables.iter().any(|item| !item.joins.is_empty())
}

/// The tables of an item of FROM, those within brackets too.
fn gather<'t>(item: &'t TableWithJoins, factors: &mut Vec<&'t TableFactor>) {
    let joined = item.joins.iter().map(|join| &join.relation);
    for factor in std::iter::once(&item.relation).chain(joined) {
        match factor {
            TableFactor::NestedJoin { table_with_joins, .. } => gather(table_with_joins, factors),
            factor => factors.push(factor),
        }
    }
}
