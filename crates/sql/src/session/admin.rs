//! Everything that is neither a query nor a change of rows: carrying out
//! `syntax::statement::Statement`.
//!
//! Statements that change definitions end the open transaction first, as in MySQL.
//!
//! Not here: the grammar (crate `syntax`), definitions (`ddl`), listings (`show`).

use std::sync::Arc;

use access::Privilege;
use access::audit::AuditClass;
use expression::limits::Room;
use expression::{BIGINT_UNSIGNED, Level};
use rows::Group;
use rows::table::Table;
use syntax::account::AccountStatement;
use syntax::alter::{AlterSpec, AlterTable};
use syntax::set::SetItem;
use syntax::show::{Show, Subject};
use syntax::statement::{Statement as Parsed, statement as parse_statement};
use syntax::table::Element;
use syntax::{Cursor, TableName};
use values::ErrorCode;
use values::datum::Datum;

use super::audited::class_of;
use super::prepared::refuse_subqueries;
use super::select::with_literals;
use super::show_filter::asks_query;
use super::source::ValueRows;
use super::views::not_a_view;
use super::{Session, Statement};
use crate::reply::Reply;
use crate::show::{self, Listing, number};
use crate::system_schema::{self, ListedSchema};
use plan::listing::{SystemSchema, is_everybodys, is_own_name};
use results::{ExecutionMode, Result, ResultColumn, RowStream, SqlError};

/// Whether a statement changes rows or definitions.
fn writes(parsed: &Parsed) -> bool {
    match parsed {
        Parsed::Load(_) | Parsed::LoadInserts(_) => true,
        // What tables are made with from now on.
        Parsed::AlterDatabase { .. } => false,
        parsed => class_of(parsed) == AuditClass::Definitions,
    }
}

/// Whether it is a FLUSH without a lock.
fn flushes(parsed: &Parsed) -> bool {
    matches!(
        parsed,
        Parsed::Flush
            | Parsed::FlushTables(_)
            | Parsed::FlushLogs
            | Parsed::FlushPrivileges
            | Parsed::FlushUserResources
    )
}

impl Session {
    fn parse_admin(&self, statement: &Statement<'_>) -> Result<Parsed> {
        let source = statement.source_text()?;
        let tokens = Cursor::new(source, self.variables.mode)?.into_tokens();
        let tokens = with_literals(tokens, statement.own, self.variables.zone);
        Ok(parse_statement(&mut Cursor::of_tokens(tokens, source))?)
    }

    /// Refuses a statement that could not be carried out, when it is prepared.
    pub(super) fn check_admin(&self, statement: &Statement<'_>) -> Result<()> {
        if !statement.own.is_empty() {
            return Ok(());
        }
        self.parse_admin(statement).map(drop)
    }

    /// The columns that a statement will give.
    pub(super) fn admin_columns(
        &mut self,
        statement: &Statement<'_>,
    ) -> Result<Arc<[ResultColumn]>> {
        if !statement.own.is_empty() {
            return Ok(Arc::from([]));
        }
        match self.parse_admin(statement)? {
            Parsed::Show(show) => Ok(self.listing(&show)?.columns.into()),
            Parsed::Explain(explain) => self.explain_columns(&explain),
            _ => Ok(Arc::from([])),
        }
    }

    pub(super) fn run_admin(
        &mut self,
        statement: &Statement<'_>,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let parsed = self.parse_admin(statement)?;
        self.note_class(&parsed)?;
        self.check_inserts(&parsed)?;
        self.check_expired(Some(&parsed))?;
        self.authorize(&parsed)?;
        self.check_xa(&parsed)?;
        let joins =
            group.is_some() && matches!(parsed, Parsed::Commit { .. }) && self.may_commit_in_loop();
        if !statement.how.may_wait && !joins && self.may_take_long(&parsed) {
            return Err(SqlError::WouldWait);
        }
        let asks_diagnostics = matches!(parsed, Parsed::GetDiagnostics(_));
        let keeps_warnings = match &parsed {
            Parsed::Show(show) => {
                matches!(show.subject, Subject::Warnings { .. } | Subject::WarningCount { .. })
            }
            _ => asks_diagnostics,
        };
        if !keeps_warnings {
            self.begin_statement();
        }
        self.shows_warnings = keeps_warnings;
        if self.passes_over(&parsed)? {
            return Ok(self.done(0));
        }
        self.check_definition_under_locks(&parsed)?;
        let _entered = self.enter_definitions(&parsed)?;
        let held = match &parsed {
            // Its transaction keeps others out for longer than the statement.
            Parsed::LoadInserts(_) => {
                self.lay_locks_down()?;
                None
            }
            // It goes by its session's locks.
            Parsed::Load(_) => {
                self.check_flushed()?;
                None
            }
            parsed if writes(parsed) => self.lay_locks_down()?,
            _ => None,
        };
        let reply = match parsed {
            Parsed::Commit { chain, release } => {
                let reply = self.commit(chain, group)?;
                self.release_if(release);
                reply
            }
            Parsed::SetStatement { items, text } => {
                self.set_for_statement(&items, &text, statement)?
            }
            parsed => {
                let reply = self.carry_out(parsed, statement.how);
                self.take_locks_up(held)?;
                reply?
            }
        };
        if !asks_diagnostics {
            self.note_row_count(&reply);
        }
        Ok(reply)
    }

    /// Carries out a statement that has no text: one that neither writes nor waits.
    pub(super) fn run_parsed(&mut self, parsed: Parsed, how: ExecutionMode) -> Result<Reply> {
        self.check_inserts(&parsed)?;
        self.check_expired(Some(&parsed))?;
        self.authorize(&parsed)?;
        debug_assert!(!writes(&parsed) && !self.may_take_long(&parsed), "{parsed:?}");
        self.begin_statement();
        let reply = self.carry_out(parsed, how)?;
        self.note_row_count(&reply);
        Ok(reply)
    }

    fn note_row_count(&mut self, reply: &Reply) {
        self.row_count = match reply {
            Reply::Done(done) => done.affected as i64,
            _ => -1,
        };
    }

    /// Whether a statement may have to wait for disk, locks or commits.
    fn may_take_long(&self, parsed: &Parsed) -> bool {
        match parsed {
            // What is evaluated may turn out to be long, and must not be evaluated twice.
            Parsed::Set(items) => self.has_open_writes() || items.iter().any(SetItem::computes),
            Parsed::Begin { .. } | Parsed::Commit { .. } | Parsed::UnlockTables => {
                self.has_open_writes()
            }
            parsed if flushes(parsed) => self.has_open_writes(),
            // Files go with what is taken back.
            Parsed::Rollback { .. } => self.inserts.is_some(),
            Parsed::Use(_)
            | Parsed::Savepoint(_)
            | Parsed::RollbackTo(_)
            | Parsed::Release(_)
            | Parsed::Kill { .. }
            | Parsed::UnlockInstance
            | Parsed::Deallocate(_) => false,
            Parsed::Show(show) => {
                asks_query(show)
                    || matches!(
                        show.subject,
                        Subject::TableStatus { .. }
                            | Subject::Indexes { .. }
                            | Subject::CreateTable { .. }
                    )
            }
            _ => true,
        }
    }

    /// ALTER INSTANCE RELOAD TLS.
    fn reload_tls(&mut self) -> Result<Reply> {
        let Some(tls) = self.sql.tls() else {
            let why = "TLS is off: there are no certificates to be read again";
            return Err(SqlError::new(ErrorCode::UnknownError, why));
        };
        (tls.reload)().map_err(|why| {
            let words = format!("{why}; the certificates in use stay");
            SqlError::new(ErrorCode::UnknownError, words)
        })?;
        Ok(self.done(0))
    }

    fn carry_out(&mut self, parsed: Parsed, how: ExecutionMode) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        if flushes(&parsed) || matches!(parsed, Parsed::Maintain { .. }) {
            self.commit_open()?;
        }
        match parsed {
            Parsed::CreateDatabase { name, if_not_exists, text } => {
                self.begin_definition()?;
                self.create_database(&name, if_not_exists, text)
            }
            Parsed::AlterDatabase { name, text } => {
                self.begin_definition()?;
                self.alter_database(&name, text)
            }
            Parsed::DropDatabase { name, if_exists } => {
                self.begin_definition()?;
                self.drop_database(&name, if_exists)
            }
            Parsed::Flush => Ok(self.done(0)),
            Parsed::FlushTables(names) => self.flush_tables(&names),
            Parsed::FlushPrivileges => {
                self.sql.access().forget_failed_logins();
                Ok(self.done(0))
            }
            Parsed::FlushLogs => {
                self.sql.reopen_logs();
                Ok(self.done(0))
            }
            Parsed::FlushUserResources => {
                self.sql.access().usages().reset();
                Ok(self.done(0))
            }
            Parsed::ReloadTls => self.reload_tls(),
            Parsed::CreateTable(create) => {
                if !create.temporary {
                    self.begin_definition()?;
                }
                match create.query {
                    None => self.create_table(&create),
                    Some(_) => self
                        .begun_anew(ExecutionMode::POOL, |session| session.create_table(&create)),
                }
            }
            Parsed::AlterTable(alter) => {
                self.begin_definition()?;
                self.alter_table(&alter)
            }
            Parsed::DropTables { names, if_exists, temporary: true } => {
                self.drop_temporary_tables(&names, if_exists)
            }
            Parsed::DropTables { names, if_exists, temporary: false } => {
                self.begin_definition()?;
                self.drop_tables(&names, if_exists)
            }
            Parsed::CreateView(view) => {
                self.begin_definition()?;
                self.create_view(&view)
            }
            Parsed::DropView { names, if_exists } => {
                self.begin_definition()?;
                self.drop_views(&names, if_exists)
            }
            Parsed::Truncate(name) => {
                let (database, table) = self.qualified(&name)?;
                if let Some(schema) = SystemSchema::of_table(&self.relations(), database, table) {
                    system_schema::truncate(&self.sql, schema, table, &self.user)?;
                    return Ok(self.done(0));
                }
                self.begin_definition()?;
                if let Some(table) = self.temporary_table(&name)? {
                    return self.truncate_temporary(&table);
                }
                let (database, table) = self.qualified(&name)?;
                let emptied = engine.truncate_table(
                    database,
                    table,
                    self.foreign_key_checks(),
                    &self.patience(),
                );
                self.unless_killed(emptied)??;
                Ok(self.done(0))
            }
            Parsed::RenameTables(pairs) => {
                self.begin_definition()?;
                let mut renames = Vec::with_capacity(pairs.len());
                for (from, to) in &pairs {
                    renames.push((self.qualified(from)?, self.qualified(to)?));
                }
                let renamed = engine.rename_tables(&renames, &self.patience());
                self.unless_killed(renamed)??;
                Ok(self.done(0))
            }
            Parsed::CreateEvent(event) => {
                self.begin_definition()?;
                self.create_event(&event)
            }
            Parsed::AlterEvent(event) => {
                self.begin_definition()?;
                self.alter_event(&event)
            }
            Parsed::DropEvent { name, if_exists } => {
                self.begin_definition()?;
                self.drop_event(&name, if_exists)
            }
            Parsed::CreateIndex { table, index, how } => {
                self.begin_definition()?;
                let mut specs = vec![AlterSpec::Add(Element::Index(index))];
                specs.extend(how);
                self.alter_table(&AlterTable { name: table, specs })
            }
            Parsed::DropIndex { table, name, if_exists, how } => {
                self.begin_definition()?;
                let mut specs = vec![AlterSpec::DropIndex { name, if_exists }];
                specs.extend(how);
                self.alter_table(&AlterTable { name: table, specs })
            }
            Parsed::Use(name) => {
                self.set_database(&name)?;
                Ok(self.done(0))
            }
            Parsed::Set(items) => self.set(&items),
            Parsed::Show(show) => {
                let listing = self.listing(&show)?;
                Ok(self.listed(listing))
            }
            Parsed::Explain(explain) => self.explain(&explain),
            Parsed::Load(load) => self.load(*load),
            Parsed::LoadInserts(name) => self.load_inserts(&name),
            Parsed::Do(exprs) => self.evaluate_and_forget(&exprs, how),
            Parsed::Xa(statement) => self.xa(&statement),
            other => self.carry_out_session(other, how),
        }
    }

    fn carry_out_session(&mut self, parsed: Parsed, how: ExecutionMode) -> Result<Reply> {
        match parsed {
            Parsed::Begin { read_only, snapshot } => self.begin(read_only, snapshot),
            Parsed::Rollback { chain, release } => {
                let reply = self.rollback(chain)?;
                self.release_if(release);
                Ok(reply)
            }
            Parsed::Savepoint(name) => self.savepoint(&name),
            Parsed::RollbackTo(name) => self.rollback_to(&name),
            Parsed::Release(name) => self.release_savepoint(&name),
            Parsed::LockTables(tables) => self.lock_tables(&tables),
            Parsed::ReadLock(names) => self.flush_with_read_lock(&names),
            Parsed::UnlockTables => self.unlock_tables(),
            Parsed::LockInstance => self.lock_instance(),
            Parsed::UnlockInstance => self.unlock_instance(),
            Parsed::Kill { id, query } => {
                refuse_subqueries(&id, "KILL")?;
                let id = match self.value_of(&id)?.0.as_datum() {
                    Datum::Int(id) => u64::try_from(id).unwrap_or(u64::MAX),
                    Datum::UInt(id) => id,
                    _ => 0,
                };
                self.check_kill(id)?;
                let number = u32::try_from(id).ok();
                let session = number.and_then(|id| self.sql.processes().find(id));
                let client = number.and_then(|id| self.sql.door_clients().find(id));
                match (session, client) {
                    (Some(process), _) if query => process.kill.kill_query(),
                    (Some(process), _) => process.kill.kill_connection(),
                    (None, Some(client)) if query => client.kill_request(),
                    (None, Some(client)) => client.kill(),
                    (None, None) => {
                        let message = format!("Unknown thread id: {id}");
                        return Err(SqlError::new(ErrorCode::NoSuchThread, message));
                    }
                }
                // It may be this one.
                self.process.kill.check()?;
                Ok(self.done(0))
            }
            Parsed::Handler(handler) => self.handler(&handler, how),
            Parsed::Signal(signal) => self.signal(&signal),
            Parsed::Resignal => Err(SqlError::new(
                ErrorCode::ResignalWithoutActiveHandler,
                "RESIGNAL when handler not active",
            )),
            Parsed::GetDiagnostics(get) => self.get_diagnostics(&get),
            Parsed::Maintain { operation, tables } => self.maintain(operation, &tables),
            Parsed::Checksum { tables, quick } => self.checksum(&tables, quick),
            Parsed::Prepare { name, source } => {
                let text = self.value_of(&source)?.1;
                self.prepare_named(&name, text.as_bytes())
            }
            Parsed::Execute { name, using } => self.execute_named(&name, &using, how),
            Parsed::ExecuteImmediate { source, using } => {
                self.execute_immediate(&source, &using, how)
            }
            Parsed::Deallocate(name) => self.deallocate(&name),
            Parsed::Account(account) => {
                if !matches!(*account, AccountStatement::SetRole(_)) {
                    self.begin_definition()?;
                }
                self.account_statement(&account)
            }
            Parsed::Grant(grant) => {
                self.begin_definition()?;
                self.grant_statement(&grant)
            }
            _ => Err(SqlError::other("a statement without an execution")),
        }
    }

    fn release_if(&self, release: bool) {
        if release {
            self.process.kill.kill_connection();
        }
    }

    /// A table by name.
    pub(crate) fn table(&self, name: &TableName) -> Result<Arc<Table>> {
        let (database, table) = self.qualified(name)?;
        Ok(self.relations().table(database, table)?)
    }

    /// What a table is like; those of the server's own database `mysql` too.
    pub(super) fn definition(&self, name: &TableName) -> Result<Arc<Table>> {
        let (database, table) = self.qualified(name)?;
        match SystemSchema::of(database) {
            Some(schema @ SystemSchema::Mysql) => {
                let found = system_schema::mysql::table(table).cloned();
                found.ok_or_else(|| schema.unknown_table(table))
            }
            _ => self.table(name),
        }
    }

    pub(super) fn listed(&self, listing: Listing) -> Reply {
        let source = ValueRows::new(listing.rows, Room::default());
        Reply::Rows(RowStream::new(listing.columns.into(), self.variables.zone, source))
    }

    fn listing(&mut self, show: &Show) -> Result<Listing> {
        let mode = self.variables.mode;
        let show = &Show { filter: self.filter_of(show)?, subject: show.subject.clone() };
        let listing = self.unfiltered(show)?.filter(&show.filter, mode)?;
        if is_query(&show.subject) {
            self.found_rows.set(listing.rows.len() as u64);
        }
        Ok(listing)
    }

    /// The database that a statement without one means.
    pub(super) fn database_or_current(&self, database: &Option<String>) -> Result<String> {
        let name = database.clone().or_else(|| self.database.clone());
        let name = name.ok_or_else(SqlError::no_database)?;
        let known = self.sql.engine().catalog().has_database(&name) || is_own_name(&name);
        if known { Ok(name) } else { Err(SqlError::unknown_database(&name)) }
    }

    /// What is shown, at least of what the filter lets through.
    fn unfiltered(&mut self, Show { subject, filter }: &Show) -> Result<Listing> {
        self.take_late_warnings();
        let engine = Arc::clone(self.sql.engine());
        let rights = Arc::clone(&self.principal.rights);
        Ok(match subject {
            Subject::Databases => {
                let listing = show::databases(&engine);
                listing.seen(0, |name| is_everybodys(name) || rights.sees_database(name))
            }
            Subject::Tables { full, database } => {
                let database = self.database_or_current(database)?;
                let own = SystemSchema::of(&database).map(|own| (own.tables(), own.table_kind()));
                let listing = show::tables(&engine, &database, *full, own)?;
                let is_own = is_everybodys(&database);
                listing.seen(0, |name| is_own || rights.sees_table(&database, name))
            }
            Subject::TableStatus { database } => {
                let (database, mode) = (self.database_or_current(database)?, self.variables.mode);
                let own = match SystemSchema::of(&database) {
                    Some(SystemSchema::Mysql) => system_schema::mysql::tables(),
                    _ => &[],
                };
                let listing = show::table_status(&engine, &database, own, filter, mode)?;
                self.sql.counters().tables_listed.add_many(listing.rows.len() as u64);
                let is_own = is_everybodys(&database);
                listing.seen(0, |name| is_own || rights.sees_table(&database, name))
            }
            Subject::OpenTables { database } => {
                let sees = |table: &Table| rights.sees_table(&table.database, &table.name);
                show::open_tables(&engine, database.as_deref(), sees)
            }
            Subject::Columns { full, table } => self.columns_of(table, *full)?,
            Subject::Indexes { table }
                if self.view(table)?.is_some() || self.own_columns(table)?.is_some() =>
            {
                show::no_index_lines()
            }
            Subject::Indexes { table } => {
                let table = self.definition(table)?;
                show::index_lines(&table, show::approximate_rows(&engine, &table))
            }
            Subject::CreateTable { table } => match self.view(table)? {
                Some(view) => show::create_view(&view, self.database.as_deref()),
                None => match self.own_columns(table)? {
                    Some((own, columns)) => {
                        let name = own.schema.shown_table(&own.name);
                        show::create_own_table(own.schema, &name, &columns)
                    }
                    None => {
                        show::create_table(&engine, &*self.definition(table)?, self.variables.zone)
                    }
                },
            },
            Subject::CreateView { name } => match self.view(name)? {
                Some(view) => show::create_view(&view, self.database.as_deref()),
                None => {
                    let table = self.table(name)?;
                    return Err(not_a_view(&table.database, &table.name));
                }
            },
            Subject::CreateDatabase { name, if_not_exists } => {
                show::create_database(&engine, name, *if_not_exists)?
            }
            Subject::Variables { global } => {
                show::variables(&self.sql, (!global).then_some(&*self.variables))
            }
            Subject::Status => show::status(&self.sql, self.tls),
            Subject::Warnings { errors_only, limit } => {
                show::warnings(&self.warnings.borrow(), *errors_only, *limit)
            }
            Subject::WarningCount { errors_only } => {
                let warnings = self.warnings.borrow();
                let errors =
                    warnings.list().iter().filter(|w| w.level == Level::Error).count() as u64;
                let (name, count) = match errors_only {
                    true => ("@@session.error_count", errors),
                    false => ("@@session.warning_count", warnings.count()),
                };
                let columns = vec![ResultColumn::computed(name, BIGINT_UNSIGNED, false)];
                Listing { columns, rows: vec![vec![number(count)]], ..Listing::default() }
            }
            Subject::Processes { full } => {
                let sees_all = rights.has_global(Privilege::Process);
                let lines = show::seen_lines(&self.sql, &self.process.user(), sees_all);
                show::processes(&self.sql, lines, *full)
            }
            Subject::Engines => show::engines(),
            Subject::CharacterSets => show::character_sets(),
            Subject::Collations => show::collations(),
            Subject::Grants { name, using } => self.show_grants(name.as_ref(), using)?,
            Subject::CreateUser { name } => self.show_create_user(name)?,
            Subject::Plugins => show::plugins(),
            Subject::Privileges => show::privileges(),
            Subject::Events { database } => {
                let name = database.clone().or_else(|| self.database.clone());
                show::events(&engine, &name.ok_or_else(SqlError::no_database)?)
            }
            Subject::CreateEvent { name } => show::create_event(&*self.event(name)?),
            Subject::Engine { name, status } => show::engine(&self.sql, name, *status)?,
            Subject::Profile(names) => Listing::new(names),
            Subject::Nothing(names) => Listing::new(names),
        })
    }
}

/// Whether MySQL shows it by a query of its own, whose rows FOUND_ROWS() counts (MySQL 9.7:
/// tests/oracle/sql/found-rows.sql).
fn is_query(subject: &Subject) -> bool {
    matches!(
        subject,
        Subject::Databases
            | Subject::Tables { .. }
            | Subject::TableStatus { .. }
            | Subject::OpenTables { .. }
            | Subject::Columns { .. }
            | Subject::Indexes { .. }
            | Subject::Variables { .. }
            | Subject::Status
            | Subject::WarningCount { .. }
            | Subject::Engines
            | Subject::CharacterSets
            | Subject::Collations
            | Subject::Plugins
            | Subject::Events { .. }
    )
}
