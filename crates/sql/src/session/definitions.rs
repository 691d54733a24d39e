//! Statements that make, change and drop databases and tables.
//!
//! Not here: what they are made of (`ddl`), the making (`rows::ddl`).

use std::ops::ControlFlow;
use std::sync::Arc;

use expression::Level;
use rows::alter::{AlterWork, Alteration, ConversionRules};
use rows::bulk::Progress;
use rows::ddl::{ENGINE, NewTable};
use rows::foreign_key::ForeignKeyChecks;
use rows::schema::Column;
use rows::table::{Patience, Table};
use sqlparser::ast::visit_relations;
use syntax::TableName;
use syntax::alter::{AlterSpec, AlterTable};
use syntax::names::table_name;
use syntax::partition::AlterPartitionSpec;
use syntax::table::CreateTable;
use syntax::table_options::TableOptions;
use values::ErrorCode;
use values::types::{Collation, TextDefaults};

use super::Session;
use crate::ddl;
use crate::reply::{OkFigures, Reply};
use crate::system_schema::{ListedSchema, refuse_changes};
use crate::write::warn_converted;
use plan::listing::SystemSchema;
use results::{Result, SqlError};

impl Session {
    pub(super) fn note(&self, code: ErrorCode, message: String) {
        self.warnings.borrow_mut().push(Level::Note, code, message);
    }

    /// How long a change of a definition waits for transactions that have written to the table.
    pub(super) fn patience(&self) -> Patience {
        let time = self.variables.metadata_wait;
        let time = time.unwrap_or_else(|| self.sql.engine().lock_wait_max());
        let kill = Arc::clone(&self.process.kill);
        Patience::at_most(time).unless(Arc::new(move || kill.check().is_err()))
    }

    /// A wait that a KILL has ended is told as that.
    pub(super) fn unless_killed<T>(&self, outcome: rows::Result<T>) -> Result<rows::Result<T>> {
        if matches!(outcome, Err(rows::Error::LockTimeout)) {
            self.process.kill.check()?;
        }
        Ok(outcome)
    }

    pub(super) fn create_database(
        &mut self,
        name: &str,
        if_not_exists: bool,
        text: TextDefaults,
    ) -> Result<Reply> {
        let made = match SystemSchema::of(name) {
            Some(own) if !own.is_everybodys() => {
                Err(rows::Error::Exists { what: rows::Thing::Database, name: name.to_owned() })
            }
            _ => {
                refuse_changes(name, &self.user)?;
                let of_server = self.variables.collation_of("collation_server");
                // Unsaid is what it is unless something is said.
                let of_server = of_server.filter(|rule| *rule != Collation::Utf8Mb4GeneralCi);
                let collation = text.collation.or(of_server);
                self.sql.engine().create_database_of(name, TextDefaults { collation, ..text })
            }
        };
        match made {
            Ok(()) => Ok(self.done(1)),
            Err(rows::Error::Exists { .. }) if if_not_exists => {
                self.note(
                    ErrorCode::DbCreateExists,
                    format!("Can't create database '{name}'; database exists"),
                );
                Ok(self.done(1))
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn alter_database(
        &mut self,
        name: &Option<String>,
        text: TextDefaults,
    ) -> Result<Reply> {
        let name = self.database_or_current(name)?;
        refuse_changes(&name, &self.user)?;
        if text != TextDefaults::default() {
            self.sql.engine().alter_database(&name, text)?;
            self.tell_database_text()?;
        }
        Ok(self.done(1))
    }

    pub(super) fn drop_database(&mut self, name: &str, if_exists: bool) -> Result<Reply> {
        if !self.sql.engine().catalog().has_database(name) {
            refuse_changes(name, &self.user)?;
        }
        let missing = format!("Can't drop database '{name}'; database doesn't exist");
        let dropped =
            self.sql.engine().drop_database(name, self.foreign_key_checks(), &self.patience());
        match self.unless_killed(dropped)? {
            Ok(tables) => {
                if self.database.as_deref() == Some(name) {
                    self.database = None;
                    self.process.set_database(None);
                    self.tell_database_text()?;
                }
                Ok(self.done(tables as u64))
            }
            Err(rows::Error::NotFound { .. }) if if_exists => {
                self.note(ErrorCode::DbDropExists, missing);
                Ok(self.done(0))
            }
            Err(rows::Error::NotFound { .. }) => {
                Err(SqlError::new(ErrorCode::DbDropExists, missing))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Warns of errors that end nothing.
    pub(super) fn warn_all(&self, errors: impl IntoIterator<Item = SqlError>) {
        let mut warnings = self.warnings.borrow_mut();
        for error in errors {
            warnings.push(Level::Warning, error.code(), error.into_message());
        }
    }

    /// Warns of an engine that is not known, in whose place another is taken: `made` is the table
    /// that is made with it.
    ///
    /// # Errors
    /// 1286 under NO_ENGINE_SUBSTITUTION.
    fn warn_of_engine(&self, options: &TableOptions, made: Option<&str>) -> Result<()> {
        if let Some(unknown) = ddl::unknown_engine(options, self.variables.mode)? {
            let substituted = made.map(|table| {
                let message = format!("Using storage engine {ENGINE} for table '{table}'");
                SqlError::new(ErrorCode::UsingOtherHandler, message)
            });
            self.warn_all([unknown].into_iter().chain(substituted));
        }
        Ok(())
    }

    pub(super) fn create_table(&mut self, create: &CreateTable) -> Result<Reply> {
        self.warn_of_engine(&create.options, Some(&create.name.table))?;
        let mut limits = ddl::CommentLimits::new(self.variables.mode);
        let mut create = create.clone();
        limits.of_create(&mut create)?;
        self.warn_all(limits.warnings);
        let create = &create;
        if create.temporary {
            return self.create_temporary(create);
        }
        let engine = Arc::clone(self.sql.engine());
        let (database, name) = self.qualified(&create.name)?;
        let (database, name) = (database.to_string(), name.to_string());
        let own = SystemSchema::of(&database).filter(|schema| *schema == SystemSchema::Sys);
        if own.is_some_and(|own| own.tables().contains(&&*name.to_ascii_lowercase())) {
            let message = format!("Table '{name}' already exists");
            return Err(SqlError::new(ErrorCode::TableExists, message));
        }
        if !engine.catalog().has_database(&database) {
            if database != SystemSchema::Sys.name() {
                return Err(SqlError::unknown_database(&database));
            }
            // It is there for whoever asks, and stored with the first table of a client's.
            engine.create_database(&database)?;
        }
        let replaced = create.or_replace && engine.catalog().table(&database, &name).is_ok();
        let is_view = engine.catalog().view(&database, &name).is_some();
        if replaced {
            self.check_replaced(create, &database, &name)?;
        } else if is_view || engine.catalog().table(&database, &name).is_ok() {
            let message = format!("Table '{name}' already exists");
            if create.if_not_exists {
                self.note(ErrorCode::TableExists, message);
                return Ok(self.done(0));
            }
            return Err(SqlError::new(ErrorCode::TableExists, message));
        }
        if let Some(like) = &create.like {
            let source = self.base_table(like)?;
            ddl::refuse_defaults(&source.columns, self.variables.mode)?;
            let mut table = ddl::new_table_like(&source, &database, &name);
            table.foreign_key_checks = self.foreign_key_checks();
            self.check_has_primary_key(&table)?;
            if replaced {
                self.drop_replaced(&table)?;
            }
            engine.create_table(table)?;
            return Ok(self.done(0));
        }
        let (stream, given) = self.rows_to_make_of(create)?.unzip();
        let given = given.unwrap_or_default();
        let mut table = self.table_made_of(create, &database, &given)?;
        table.foreign_key_checks = self.foreign_key_checks();
        self.check_has_primary_key(&table)?;
        if replaced {
            self.drop_replaced(&table)?;
        }
        let table = match engine.create_table(table) {
            Ok(table) => table,
            Err(rows::Error::Exists { .. }) if create.if_not_exists => return Ok(self.done(0)),
            Err(error) => return Err(error.into()),
        };
        let Some(stream) = stream else { return Ok(self.done(0)) };
        let filled = self.fill_table(&table, stream, create.on_duplicate);
        if filled.is_err() {
            engine.drop_table(&database, &name, &engine.patience())?;
        }
        filled
    }

    /// Refuses CREATE OR REPLACE of a table that the new one is made of.
    pub(super) fn check_replaced(
        &self,
        create: &CreateTable,
        database: &str,
        name: &str,
    ) -> Result<()> {
        if let Some(like) = &create.like
            && self.qualified(like)? == (database, name)
        {
            return Err(SqlError::new(
                ErrorCode::NonuniqTable,
                format!("Not unique table/alias: '{name}'"),
            ));
        }
        let mut reads = false;
        let _all = visit_relations(&create.query, |relation| {
            let table = table_name(relation).ok();
            let named = table.as_ref().and_then(|table| self.qualified(table).ok());
            reads |= named == Some((database, name));
            ControlFlow::<()>::Continue(())
        });
        if reads {
            let message = format!(
                "Table '{name}' is specified twice, both as a target for 'CREATE' and as a \
                 separate source for data"
            );
            return Err(SqlError::new(ErrorCode::UpdateTableUsed, message));
        }
        Ok(())
    }

    /// Drops what CREATE OR REPLACE is about to make again, unless that is defined wrongly. A query
    /// that fails leaves no table, as in MariaDB.
    fn drop_replaced(&self, new: &NewTable) -> Result<()> {
        let engine = self.sql.engine();
        engine.check_definition(new)?;
        let names = [(&*new.database, &*new.name)];
        let dropped = engine.drop_tables(&names, self.foreign_key_checks(), &self.patience());
        Ok(self.unless_killed(dropped)??)
    }

    pub(super) fn drop_tables(&mut self, names: &[TableName], if_exists: bool) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        self.check_named_once(names)?;
        let mut known = Vec::with_capacity(names.len());
        let (mut missing, mut temporary) = (Vec::new(), Vec::new());
        for name in names {
            let (database, table) = self.qualified(name)?;
            if self.temporary_table(name)?.is_some() {
                temporary.push((database.to_string(), table.to_string()));
                continue;
            }
            match engine.catalog().table(database, table) {
                Ok(_) => known.push((database.to_string(), table.to_string())),
                Err(rows::Error::NotFound { .. }) => missing.push(format!("{database}.{table}")),
                Err(error) => return Err(error.into()),
            }
        }
        self.tell_missing(missing, if_exists)?;
        let names: Vec<(&str, &str)> =
            known.iter().map(|(database, table)| (&database[..], &table[..])).collect();
        let dropped = engine.drop_tables(&names, self.foreign_key_checks(), &self.patience());
        self.unless_killed(dropped)??;
        for (database, table) in temporary {
            self.drop_temporary(&database, &table);
        }
        Ok(self.done(0))
    }

    /// DROP TEMPORARY TABLE.
    pub(super) fn drop_temporary_tables(
        &mut self,
        names: &[TableName],
        if_exists: bool,
    ) -> Result<Reply> {
        self.check_named_once(names)?;
        let (mut known, mut missing) = (Vec::with_capacity(names.len()), Vec::new());
        for name in names {
            let (database, table) = self.qualified(name)?;
            match self.temporary_table(name)? {
                Some(_) => known.push((database.to_string(), table.to_string())),
                None => missing.push(format!("{database}.{table}")),
            }
        }
        self.tell_missing(missing, if_exists)?;
        for (database, table) in known {
            self.drop_temporary(&database, &table);
        }
        Ok(self.done(0))
    }

    /// Error 1066 where a list has a table twice.
    fn check_named_once(&self, names: &[TableName]) -> Result<()> {
        let mut known = Vec::with_capacity(names.len());
        for name in names {
            let named = self.qualified(name)?;
            if known.contains(&named) {
                let message = format!("Not unique table/alias: '{}'", named.1);
                return Err(SqlError::new(ErrorCode::NonuniqTable, message));
            }
            known.push(named);
        }
        Ok(())
    }

    /// Error 1051 of tables that are not there, or notes of them.
    fn tell_missing(&self, missing: Vec<String>, if_exists: bool) -> Result<()> {
        if !missing.is_empty() && !if_exists {
            let message = format!("Unknown table '{}'", missing.join(","));
            return Err(SqlError::new(ErrorCode::BadTable, message));
        }
        for name in missing {
            self.note(ErrorCode::BadTable, format!("Unknown table '{name}'"));
        }
        Ok(())
    }

    /// The zone and the modes by which definitions are read and rows that exist converted.
    pub(super) fn conversion_rules(&self) -> ConversionRules {
        let (zone, mode) = (self.variables.zone, self.variables.mode);
        let foreign_key_checks = self.foreign_key_checks();
        ConversionRules { zone, mode, now: self.facts().now, foreign_key_checks }
    }

    /// Whether statements mind foreign keys.
    pub(super) fn foreign_key_checks(&self) -> ForeignKeyChecks {
        match self.variables.foreign_keys {
            true => ForeignKeyChecks::On,
            false => ForeignKeyChecks::Off,
        }
    }

    /// EXCHANGE PARTITION.
    fn exchange_partition(
        &mut self,
        name: &TableName,
        partition: &str,
        with: &TableName,
    ) -> Result<Reply> {
        let (table, other) = (self.base_table(name)?, self.base_table(with)?);
        if table.is_version_of(&other) {
            let message = format!("Not unique table/alias: '{}'", other.name);
            return Err(SqlError::new(ErrorCode::NonuniqTable, message));
        }
        if table.is_temporary() || other.is_temporary() {
            let message =
                format!("Table to exchange with partition is temporary: '{}'", other.name);
            return Err(SqlError::new(ErrorCode::PartitionExchangeTempTable, message));
        }
        let of = |table: &Table| (table.database.clone(), table.name.clone());
        let ((database, name), (other_database, other_name)) = (of(&table), of(&other));
        drop((table, other));
        let exchanged = self.sql.engine().exchange_partition(
            (&database, &name),
            partition,
            (&other_database, &other_name),
            &self.patience(),
        );
        self.unless_killed(exchanged)??;
        Ok(self.done(0))
    }

    pub(super) fn alter_table(&mut self, alter: &AlterTable) -> Result<Reply> {
        match alter.specs.last() {
            Some(AlterSpec::Partitions(AlterPartitionSpec::Upkeep(operation, names))) => {
                return self.maintain_partitions(*operation, &alter.name, names.as_deref());
            }
            Some(AlterSpec::Partitions(AlterPartitionSpec::Exchange {
                partition, table, ..
            })) => return self.exchange_partition(&alter.name, partition, table),
            _ => {}
        }
        for spec in &alter.specs {
            if let AlterSpec::Options(options) = spec {
                self.warn_of_engine(options, None)?;
            }
        }
        let table = self.base_table(&alter.name)?;
        if alter.specs.contains(&AlterSpec::Keys) && !table.engine.eq_ignore_ascii_case("MyISAM") {
            let name = &table.name;
            let message = format!("Table storage engine for '{name}' doesn't have this option");
            self.note(ErrorCode::IllegalHandler, message);
        }
        let now = self.variables.timestamp;
        let now = now.unwrap_or_else(|| self.sql.engine().clock().unix_micros() as i64);
        let session = self.conversion_rules();
        let mut specs = alter.specs.clone();
        // RENAME TO a name without a database stays in the current one.
        for spec in &mut specs {
            if let AlterSpec::Rename(name) = spec
                && name.database.is_none()
            {
                name.database = self.database.clone().or_else(|| Some(table.database.clone()));
            }
        }
        let mut limits = ddl::CommentLimits::new(self.variables.mode);
        limits.of_changes(&table.name, &mut specs)?;
        self.warn_all(limits.warnings);
        let alterations =
            ddl::alterations(&table, &specs, now, session, self.variables.text_rules)?;
        self.note_doubled_words(columns_after(&table, &alterations));
        self.check_keeps_primary_key(&table, &alterations)?;
        let (database, name) = (table.database.clone(), table.name.clone());
        let work = self.sql.engine().alter_work_of(&table, alterations.clone())?;
        check_algorithm(&specs, work)?;
        let mut copied = 0;
        if !alterations.is_empty() && table.is_temporary() {
            let outcome = self.alter_temporary(&table, alterations, session)?;
            copied = outcome.rows_copied;
            warn_converted(&self.warnings, &outcome.warnings, self.variables.zone);
        } else if !alterations.is_empty() {
            drop(table);
            let patience = self.patience();
            let progress = Arc::<Progress>::default();
            self.process.show(&progress);
            let engine = self.sql.engine();
            let terms = (&patience, session);
            let altered =
                engine.alter_table_showing(&database, &name, alterations, terms, &progress);
            let outcome = self.unless_killed(altered)??;
            copied = outcome.rows_copied;
            warn_converted(&self.warnings, &outcome.warnings, self.variables.zone);
        }
        let warnings = self.warnings.borrow().count_u16();
        Ok(Reply::Done(OkFigures {
            affected: copied,
            warnings,
            info: format!("Records: {copied}  Duplicates: 0  Warnings: {warnings}"),
            ..OkFigures::default()
        }))
    }
}

impl Session {
    /// Refuses a new table without a primary key under sql_require_primary_key.
    ///
    /// # Errors
    /// 3750.
    pub(super) fn check_has_primary_key(&self, table: &NewTable) -> Result<()> {
        let is_refused =
            self.variables.requires_primary_key && !table.indexes.iter().any(|index| index.primary);
        if is_refused { Err(without_primary_key()) } else { Ok(()) }
    }

    /// Refuses alterations that leave a table without one, or as it is without one.
    fn check_keeps_primary_key(&self, table: &Table, alterations: &[Alteration]) -> Result<()> {
        let is_added = |alteration: &Alteration| matches!(alteration, Alteration::AddIndex(index) if index.primary);
        let is_dropped = |alteration: &Alteration| matches!(alteration, Alteration::DropPrimaryKey);
        let is_kept = !table.has_hidden_key() && !alterations.iter().any(is_dropped);
        let is_refused =
            self.variables.requires_primary_key && !is_kept && !alterations.iter().any(is_added);
        if is_refused { Err(without_primary_key()) } else { Ok(()) }
    }
}

/// Error 3750.
fn without_primary_key() -> SqlError {
    SqlError::new(
        ErrorCode::TableWithoutPk,
        "Unable to create or change a table without a primary key, when the system variable \
         'sql_require_primary_key' is set. Add a primary key to the table or unset this variable \
         to avoid this message. Note that tables without a primary key can cause performance \
         problems in row-based replication, so please consult your DBA before changing this \
         setting.",
    )
}

/// Refuses what is asked for by ALGORITHM and LOCK and cannot be given: who says LOCK=NONE counts
/// on writers that go on.
fn check_algorithm(specs: &[AlterSpec], work: AlterWork) -> Result<()> {
    let reason = match work {
        AlterWork::Rows => "All rows are copied",
        _ => "ADD INDEX",
    };
    let refused = |asked: &str, reason: &str, instead: &str| {
        let message = format!("{asked} is not supported. Reason: {reason}. Try {instead}.");
        Err(SqlError::new(ErrorCode::AlterOperationNotSupported, message))
    };
    let says_copy = |spec: &AlterSpec| matches!(spec, AlterSpec::Algorithm(word) if word == "COPY");
    let copies = specs.iter().any(says_copy);
    let is_instant =
        |spec: &AlterSpec| matches!(spec, AlterSpec::Algorithm(word) if word == "INSTANT");
    let says_lock = |spec: &AlterSpec| matches!(spec, AlterSpec::Lock(word) if word != "DEFAULT");
    if specs.iter().any(is_instant) && specs.iter().any(says_lock) {
        let message = "Incorrect usage of ALGORITHM=INSTANT and LOCK=NONE/SHARED/EXCLUSIVE";
        return Err(SqlError::new(ErrorCode::WrongUsage, message));
    }
    for spec in specs {
        match spec {
            AlterSpec::Algorithm(word) => match (word.as_str(), work) {
                ("INSTANT", AlterWork::Indexes) => {
                    return refused("ALGORITHM=INSTANT", reason, "ALGORITHM=NOCOPY");
                }
                ("INSTANT" | "INPLACE" | "NOCOPY", AlterWork::Rows) => {
                    return refused(&format!("ALGORITHM={word}"), reason, "ALGORITHM=COPY");
                }
                _ => {}
            },
            AlterSpec::Lock(word) if word == "NONE" && copies => {
                return refused("LOCK=NONE", "COPY algorithm requires a lock", "LOCK=SHARED");
            }
            AlterSpec::Lock(word) if word == "NONE" && work == AlterWork::Rows => {
                return refused("LOCK=NONE", reason, "LOCK=SHARED");
            }
            _ => {}
        }
    }
    Ok(())
}

/// The columns that a table has after these alterations, in no order.
fn columns_after<'c>(
    table: &'c Table,
    alterations: &'c [Alteration],
) -> impl Iterator<Item = &'c Column> {
    let is_gone = |column: &&Column| {
        alterations.iter().any(|alteration| match alteration {
            Alteration::DropColumn(name) | Alteration::ModifyColumn { name, .. } => {
                name.eq_ignore_ascii_case(&column.name)
            }
            _ => false,
        })
    };
    let made = alterations.iter().filter_map(|alteration| match alteration {
        Alteration::AddColumn { column, .. } | Alteration::ModifyColumn { column, .. } => {
            Some(column)
        }
        _ => None,
    });
    table.columns.iter().filter(move |column| !is_gone(column)).chain(made)
}
