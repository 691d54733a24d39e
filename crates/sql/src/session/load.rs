//! LOAD DATA: binding, and what the session has to do with one that is under way.
//!
//! Not here: reading the file (`load`).

use std::sync::Arc;

use expression::UserVariable;
use resources::waiting::{self, Telling};
use rows::bulk::OnDuplicate;
use rows::store::LockWait;
use rows::transaction::Transaction;
use syntax::load::{DuplicateSpec, FieldTarget, LoadData};
use values::CharacterSet;
use values::types::Collation;

use super::Session;
use crate::load::{Goal, LoadLocal, LoadOutcome, LoadPlan};
use crate::reply::{OkFigures, Reply};
use crate::write::not_updatable;
use plan::bind::scalar::{Names, bind};
use plan::bind::{RowBinder, is_beyond_scalars};
use plan::column_default::defaults_of;
use plan::context::SqlContext;
use plan::terms::has_subquery;
use results::{ExecutionMode, Result, SqlError};

impl Session {
    pub(super) fn load(&mut self, load: LoadData) -> Result<Reply> {
        let file = match load.local {
            true => None,
            false => Some(self.sql.files().read(&load.file)?),
        };
        self.open_implicitly()?;
        if self.view(&load.table)?.is_some() {
            return Err(not_updatable(&load.table.table, "LOAD"));
        }
        let table = self.table(&load.table)?;
        self.check_locks_of(&[Arc::clone(&table)], ExecutionMode::POOL)?;
        let column = |name: &str| {
            table.column(name).ok_or_else(|| SqlError::unknown_column(name, "field list"))
        };
        let mut goals = Vec::new();
        if load.targets.is_empty() {
            goals.extend(table.listed_columns().map(Goal::Column));
        }
        for target in &load.targets {
            goals.push(match target {
                FieldTarget::Column(name) => Goal::Column(column(name)?),
                FieldTarget::Variable(name) => Goal::Variable(name.clone()),
            });
        }
        let charset = load.format.charset.unwrap_or_else(|| self.file_charset());
        let facts = self.facts_of_fields(&goals, charset);
        let names = Names {
            variables: Some(&facts.user_variables),
            ..Names::of(&table, None, "field list", self.variables.mode)
        };
        let over_row =
            RowBinder { facts: Some(&facts), how: ExecutionMode::POOL, ids: Default::default() };
        let mut sets = Vec::with_capacity(load.assignments.len());
        for (name, expr) in &load.assignments {
            let node = match is_beyond_scalars(expr) {
                true => over_row.bind(expr, &table, &names),
                false => bind(expr, &names),
            };
            sets.push((column(name)?, node.map_err(SqlError::from)?));
        }
        let asks = sets.iter().any(|(_, node)| has_subquery(node));
        let recoded = Some(charset).filter(|set| set.stream_decoder().is_some());
        let plan = LoadPlan {
            engine: Arc::clone(self.sql.engine()),
            defaults: defaults_of(&table)?,
            on_duplicate: match load.on_duplicate {
                DuplicateSpec::Error => OnDuplicate::Error,
                DuplicateSpec::Ignore => OnDuplicate::Ignore,
                DuplicateSpec::Replace => OnDuplicate::Replace,
            },
            facts,
            asked: asks.then(|| self.latest_view()).transpose()?,
            charset: if recoded.is_some() { CharacterSet::UTF8MB4 } else { charset },
            recoded,
            // LOCAL makes warnings of errors, as IGNORE does.
            strict: !load.local
                && load.on_duplicate != DuplicateSpec::Ignore
                && self.variables.mode.strict(),
            locks: self.own_table_locks(),
            obeys_foreign_keys: self.variables.foreign_keys,
            goals,
            sets,
            table: Arc::clone(&table),
        };
        self.writes_temporary = table.is_temporary();
        let own = self.open.is_some();
        let wait = LockWait::AtMost(self.variables.lock_wait);
        let durability = self.durability();
        let mut load = LoadLocal::new(load, plan, own, durability, wait)?;
        let Some(file) = file else { return Ok(Reply::LoadLocal(load)) };
        load.keep_running(self.process.run_on(None));
        load.read(self, file).map(Reply::Done)
    }

    /// The character set of files that say none: `character_set_database`, unless ASCII is more
    /// than a byte in it.
    fn file_charset(&self) -> CharacterSet {
        let collation = self.variables.collation_of("character_set_database");
        let set = collation.map(Collation::set).filter(|set| set.may_be_client());
        set.unwrap_or(CharacterSet::UTF8MB4)
    }

    /// A load's surroundings: variables that fields go to are texts then.
    fn facts_of_fields(&self, goals: &[Goal], charset: CharacterSet) -> Arc<SqlContext> {
        let mut facts = self.facts();
        if let Some(facts) = Arc::get_mut(&mut facts) {
            let variables = Arc::make_mut(&mut facts.statement.user_variables);
            for goal in goals {
                if let Goal::Variable(name) = goal {
                    let text = UserVariable::text(Vec::new(), Collation::default_of(charset));
                    variables.insert(name.clone(), text);
                }
            }
        }
        facts
    }

    /// Rows of a load that belong to the open transaction.
    pub(crate) fn writing_load<T>(
        &mut self,
        work: impl FnOnce(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.writing(ExecutionMode::POOL, |_, transaction| work(transaction))
    }

    /// Lets the waits of this thread be seen in the process list.
    pub(crate) fn telling_waits(&self) -> Telling {
        waiting::tell(&self.process.waits)
    }

    /// Tells a load's error among the warnings, where no statement's end does.
    pub(crate) fn note_load_error(&mut self, error: &SqlError) {
        self.note_error(error);
    }

    /// Takes over what a load leaves: its figures and warnings.
    pub(crate) fn end_load(
        &mut self,
        loaded: LoadOutcome,
        result: Result<()>,
    ) -> Result<OkFigures> {
        self.warnings.replace(loaded.warnings);
        result?;
        if let Some(first) = loaded.generated {
            self.last_insert_id = first;
        }
        let count = self.warnings.borrow().count();
        let affected = loaded.records - loaded.skipped + loaded.deleted;
        self.row_count = affected as i64;
        Ok(OkFigures {
            affected,
            last_insert_id: loaded.generated.unwrap_or(0),
            warnings: self.warnings.borrow().count_u16(),
            info: format!(
                "Records: {}  Deleted: {}  Skipped: {}  Warnings: {count}",
                loaded.records, loaded.deleted, loaded.skipped
            ),
        })
    }
}
