//! Rows that a statement's query has found, on their way to being changed: what they were then, and
//! which of them came already.
//!
//! Invariants
//! 1. A row is changed only if it is, under its lock, what the query saw.
//! 2. It is changed at most once, however often the query gives it.
//!
//! Not here: which rows those are (`joined`), when a statement begins again (`settled`).

use std::sync::Arc;

use resources::budget::Share;
use resources::spill::SpillDirectory;
use rows::Engine;
use rows::local::KeySet;
use rows::store::{Reach, Read};
use rows::table::Table;
use rows::transaction::{ChangeOutcome, RowChange, Transaction};
use values::row::RowRef;

use super::{WriteContext, WriteOutcome};
use results::Result;

/// What becomes of a row that is what it was.
type Decide<'a> = dyn FnMut(&RowRef<'_>) -> Result<RowChange> + 'a;

/// The state in which a statement's query has found its rows.
pub struct FoundIn<'a> {
    /// The rows.
    pub engine: &'a Engine,
    /// The state, with what the transaction wrote before the statement.
    pub view: &'a dyn Read,
}

impl FoundIn<'_> {
    /// Which version of a row it has, if any.
    pub(super) fn version(&self, table: &Arc<Table>, key: &[u8]) -> Result<Option<u64>> {
        let mut version = None;
        self.engine.get_stored(self.view, table, key, Reach::Disk, &mut |found| {
            version = Some(found.row.version());
            Ok(())
        })?;
        Ok(version)
    }

    /// Changes a row as `decide` says, if it is what it is in this state; `None` if it is not.
    pub(super) fn change(
        &self,
        transaction: &mut Transaction,
        table: &Arc<Table>,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<ChangeOutcome>> {
        let seen = self.version(table, key)?;
        let mut change = |transaction: &mut Transaction, takes_any: bool| {
            let mut is_other = false;
            let changed = transaction.change_row(table, key, &mut |old| {
                is_other = !takes_any && seen != Some(old.version());
                if is_other { Ok(RowChange::Keep) } else { decide(&old) }
            })?;
            Result::Ok((!is_other).then_some(changed))
        };
        match change(transaction, false)? {
            Some(changed) => Ok(Some(changed)),
            // The statement itself has changed it, as a row of another of its tables.
            None if transaction.version_given(table, key)?.is_some() => change(transaction, true),
            None => Ok(None),
        }
    }
}

/// Counts and memory of a statement under way.
pub struct Progress {
    seen: KeySet,
    /// Where the keys seen go that are many, and how many bytes of them may be in memory.
    overflow: Option<(Arc<SpillDirectory>, usize)>,
    /// Memory for those.
    share: Share,
    pub(super) matched: u64,
    pub(super) changed: u64,
    pub(super) is_stale: bool,
}

/// The part of the memory for clients that the keys seen may take.
const SEEN_PART: usize = 16;

impl Progress {
    /// Nothing yet.
    pub fn new(engine: &Engine) -> Progress {
        let budget = engine.budget();
        let (share, bytes_max) = (budget.share(), budget.bytes_max() / SEEN_PART);
        let overflow = engine.spill().map(|directory| (Arc::clone(directory), bytes_max));
        let (seen, matched, changed) = (KeySet::default(), 0, 0);
        Progress { seen, overflow, share, matched, changed, is_stale: false }
    }

    /// Whether a row of a target comes for the first time: a join may give it many times.
    pub(super) fn is_first(&mut self, target: usize, key: &[u8]) -> Result<bool> {
        let key = [&(target as u64).to_be_bytes()[..], key].concat();
        if self.seen.contains(&key)? {
            return Ok(false);
        }
        self.seen.insert(key);
        if let Some((directory, bytes_max)) = &self.overflow
            && self.seen.spillable_bytes() > *bytes_max
        {
            self.seen.spill(directory)?;
        }
        self.share.keep_up_with(self.seen.bytes())?;
        Ok(true)
    }

    /// Whether a row was met that is another by now: nothing of the statement counts.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// What an UPDATE answers.
    pub fn updated(&self, context: &WriteContext<'_>) -> WriteOutcome {
        let (matched, changed) = (self.matched, self.changed);
        let warnings = context.warnings.borrow().count();
        WriteOutcome {
            affected: if context.found_rows { matched } else { changed },
            info: format!("Rows matched: {matched}  Changed: {changed}  Warnings: {warnings}"),
            ..WriteOutcome::default()
        }
    }

    /// What a DELETE answers.
    pub fn deleted(&self) -> WriteOutcome {
        WriteOutcome { affected: self.changed, ..WriteOutcome::default() }
    }
}
