//! Plans of statements, and the cache that finds them again by shape.
//!
//! Invariants
//! 1. A plan is used only while its tables are as it saw them (`is_current`), and one with a query
//!    in it only for literals of the kinds that it was bound with, and tables of about that size
//!    (`fits`).
//! 2. The cache is bounded; which plans it forgets is of no consequence but time.
//! 3. A shape is kept when it comes for the second time: statements that come once, such as a
//!    dump's or those of a tool that visits every table, push nobody out.
//! 4. Event loops share no plan of a look-up: each has a copy, since counting who uses it, in
//!    memory that another core writes to as well, takes a fifth of a look-up's time
//!    (docs/decisions/0073-nothing-shared-by-look-ups.md).
//! 5. A plan serves those alone whose rights have the number that it was bound under.
//!
//! Not here: how plans are made (`point`, `write`, `plan::bind`).

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use resources::counter::{LINES, line};
use rows::Engine;
use rows::table::Table;
use values::SqlMode;
use values::datum::Datum;

use crate::write::{
    DeletePlan, Finding, InsertOfQuery, InsertPlan, JoinedDelete, JoinedUpdate, UpdatePlan,
};
use plan::bind::{UserVariables, same_kinds, same_variables};
use plan::tree::{BoundView, ComparedText, PointSelect, QueryPlan, are_pinned};
use results::{ResultColumn, SqlError};

/// Most shapes whose plans are kept.
const PLANS_MAX: usize = 4096;
/// Most plans of a shape, for literals of other kinds and tables of other sizes.
const KINDS_MAX: usize = 4;
/// Most plans of look-ups that a thread has copies of.
const COPIES_MAX: usize = 512;
/// Shapes remembered as having come once.
const SEEN_MAX: usize = 8192;
/// Longest shape kept, in bytes.
const SHAPE_BYTES_MAX: usize = 16 << 10;

/// What decides of which types the expressions of a shape are: its literals, and the session's user
/// variables.
pub type Kinds<'k> = (&'k [Datum<'k>], &'k UserVariables);

/// What a shape is looked up by: the current database, sql_mode, the shape, and the number of the
/// rights that it is bound under.
pub type ShapeKey<'k> = (Option<&'k str>, SqlMode, &'k [u8], u64);

/// What a shape means.
#[derive(Clone)]
pub enum Plan {
    /// A look-up, or a SELECT without a table.
    Select(Arc<PointSelect>),
    /// A query over several relations, or with groups.
    Query(Arc<QueryPlan>),
    /// INSERT or REPLACE of rows.
    Insert(Arc<InsertPlan>),
    /// INSERT or REPLACE of the rows that a query gives.
    InsertOfQuery(Arc<InsertOfQuery>),
    /// UPDATE of one table.
    Update(Arc<UpdatePlan>),
    /// UPDATE of rows that a query finds, with their new values.
    JoinedUpdate(Arc<JoinedUpdate>),
    /// DELETE from one table.
    Delete(Arc<DeletePlan>),
    /// DELETE of rows that a query finds.
    JoinedDelete(Arc<JoinedDelete>),
    /// What a dump says of the server's own tables: nothing is done but that it
    /// is warned of.
    PassedOver(Arc<SqlError>),
    /// Its shape says too little: parsed and bound again from its text each time.
    ByText,
}

impl Plan {
    /// A plan of a look-up that shares nothing but the table with this one.
    fn copied(&self) -> Option<Plan> {
        let Plan::Select(plan) = self else { return None };
        let columns = plan.columns.to_vec().into();
        Some(Plan::Select(Arc::new(PointSelect { columns, ..PointSelect::clone(plan) })))
    }

    /// The query that gives the rows, or finds them.
    pub fn query(&self) -> Option<&QueryPlan> {
        match self {
            Plan::Query(plan) => Some(plan),
            Plan::InsertOfQuery(plan) => Some(&plan.query),
            Plan::Update(plan) => plan.finding().map(Finding::query),
            Plan::JoinedUpdate(plan) => Some(&plan.query),
            Plan::Delete(plan) => plan.finding().map(Finding::query),
            Plan::JoinedDelete(plan) => Some(&plan.query),
            Plan::Select(_) | Plan::Insert(_) | Plan::PassedOver(_) | Plan::ByText => None,
        }
    }

    /// Texts that are to be days, times or numbers.
    pub fn compared_texts(&self) -> impl Iterator<Item = &ComparedText> {
        let own = match self {
            Plan::Select(plan) => &plan.compared_texts[..],
            Plan::Update(plan) => plan.compared_texts(),
            Plan::Delete(plan) => plan.compared_texts(),
            Plan::Insert(_)
            | Plan::InsertOfQuery(_)
            | Plan::JoinedUpdate(_)
            | Plan::JoinedDelete(_)
            | Plan::Query(_)
            | Plan::PassedOver(_)
            | Plan::ByText => &[],
        };
        own.iter().chain(self.query().into_iter().flat_map(|query| &query.compared_texts))
    }

    /// Whether a statement of this plan ignores what can be ignored.
    pub fn ignores(&self) -> bool {
        match self {
            Plan::Insert(plan) => plan.ignore,
            Plan::InsertOfQuery(plan) => plan.insert.ignore,
            Plan::Update(plan) => plan.ignore,
            Plan::Delete(plan) => plan.ignore,
            Plan::JoinedUpdate(plan) => plan.ignore,
            Plan::JoinedDelete(plan) => plan.ignore,
            Plan::Select(_) | Plan::Query(_) | Plan::PassedOver(_) | Plan::ByText => false,
        }
    }

    /// The same where nothing else does.
    pub fn needed_query(&self) -> Option<&QueryPlan> {
        let finding = match self {
            Plan::Update(plan) => plan.finding(),
            Plan::Delete(plan) => plan.finding(),
            _ => return self.query(),
        };
        finding.filter(|finding| finding.is_needed).map(Finding::query)
    }

    /// Whether one of its tables is such a one.
    pub fn any_table(&self, is_such: &dyn Fn(&Table) -> bool) -> bool {
        let is_target = match self {
            Plan::Select(plan) => plan.from.as_ref().is_some_and(|from| is_such(&from.table)),
            Plan::Insert(plan) => is_such(plan.table()),
            Plan::InsertOfQuery(plan) => is_such(plan.insert.table()),
            Plan::Update(plan) => is_such(plan.table()),
            Plan::Delete(plan) => is_such(plan.table()),
            // Their targets are tables of the query.
            Plan::JoinedUpdate(_)
            | Plan::JoinedDelete(_)
            | Plan::Query(_)
            | Plan::PassedOver(_)
            | Plan::ByText => false,
        };
        is_target || self.query().is_some_and(|query| query.tables.iter().any(|t| is_such(t)))
    }

    /// Whether it changes or removes rows of such a table, as far as it says.
    pub fn any_changed(&self, is_such: &dyn Fn(&Table) -> bool) -> bool {
        match self {
            Plan::Insert(plan) => plan.changes_rows() && is_such(plan.table()),
            Plan::InsertOfQuery(plan) => plan.insert.changes_rows() && is_such(plan.insert.table()),
            Plan::Update(plan) => is_such(plan.table()),
            Plan::Delete(plan) => is_such(plan.table()),
            Plan::JoinedUpdate(plan) => plan.targets().any(is_such),
            Plan::JoinedDelete(plan) => plan.targets().any(is_such),
            Plan::Select(_) | Plan::Query(_) | Plan::PassedOver(_) | Plan::ByText => false,
        }
    }

    /// The views that it was made with.
    pub fn views(&self) -> &[BoundView] {
        match self {
            Plan::Select(plan) => &plan.views,
            plan => plan.query().map_or(&[], |query| &query.views),
        }
    }

    /// Whether it writes to temporary tables, and to no others.
    pub fn writes_temporary(&self) -> bool {
        match self {
            Plan::Insert(plan) => plan.table().is_temporary(),
            Plan::InsertOfQuery(plan) => plan.insert.table().is_temporary(),
            Plan::Update(plan) => plan.table().is_temporary(),
            Plan::Delete(plan) => plan.table().is_temporary(),
            Plan::JoinedUpdate(plan) => plan.targets().all(|table| table.is_temporary()),
            Plan::JoinedDelete(plan) => plan.targets().all(|table| table.is_temporary()),
            Plan::Select(_) | Plan::Query(_) | Plan::PassedOver(_) | Plan::ByText => false,
        }
    }

    /// Whether its tables and views are as it saw them.
    pub fn is_current(&self) -> bool {
        let is_target_current = match self {
            Plan::Select(plan) => plan.is_current(),
            Plan::Insert(plan) => plan.table().is_current(),
            Plan::InsertOfQuery(plan) => plan.insert.table().is_current(),
            Plan::Update(plan) => plan.table().is_current(),
            Plan::Delete(plan) => plan.table().is_current(),
            // Their targets are tables of the query.
            Plan::JoinedUpdate(_)
            | Plan::JoinedDelete(_)
            | Plan::Query(_)
            | Plan::PassedOver(_)
            | Plan::ByText => true,
        };
        is_target_current && self.query().is_none_or(QueryPlan::is_current)
    }

    /// Whether it is right for literals and user variables like these, and the best that there is
    /// while tables are as large as they are.
    pub fn fits(&self, (literals, variables): Kinds<'_>, engine: &Engine) -> bool {
        let is_query_right = self.query().is_none_or(|query| {
            same_kinds(&query.literals, literals)
                && are_pinned(&query.pinned, literals)
                && same_variables(&query.variables, variables)
                && query.is_of_size(engine)
        });
        let is_look_up_right = match self {
            Plan::Select(plan) => {
                same_variables(&plan.variables, variables) && are_pinned(&plan.pinned, literals)
            }
            _ => true,
        };
        let is_way_right = match self {
            Plan::Update(plan) => plan.is_of_size(engine) && are_pinned(plan.pinned(), literals),
            Plan::Delete(plan) => plan.is_of_size(engine) && are_pinned(plan.pinned(), literals),
            _ => true,
        };
        let bound_with = match self {
            Plan::Insert(plan) => &plan.variables,
            Plan::InsertOfQuery(plan) => &plan.insert.variables,
            Plan::Update(plan) => plan.variables(),
            Plan::Delete(plan) => plan.variables(),
            _ => &[][..],
        };
        is_query_right && is_look_up_right && is_way_right && same_variables(bound_with, variables)
    }

    /// Whether it may be kept for other statements: it has opened no files, and does not depend on
    /// what the session checks.
    pub fn serves_again(&self) -> bool {
        !matches!(self, Plan::PassedOver(_)) && !self.query().is_some_and(|query| query.reads_files)
    }

    /// The columns of RETURNING.
    pub fn returned_columns(&self) -> Option<Arc<[ResultColumn]>> {
        let returning = match self {
            Plan::Insert(plan) => plan.returning(),
            Plan::InsertOfQuery(plan) => plan.insert.returning(),
            Plan::Delete(plan) => plan.returning(),
            Plan::Update(_)
            | Plan::JoinedUpdate(_)
            | Plan::JoinedDelete(_)
            | Plan::Select(_)
            | Plan::Query(_)
            | Plan::PassedOver(_)
            | Plan::ByText => None,
        };
        returning.map(|returning| Arc::clone(&returning.columns))
    }

    /// Whether a write may be tried in an event loop: few rows, and nothing that sleeps. How many
    /// rows an UPDATE or DELETE meets is seen only on the way.
    pub fn is_short(&self, runs: &[u32]) -> bool {
        match self {
            Plan::Insert(plan) => plan.is_short(runs),
            Plan::Update(plan) => !plan.waits,
            Plan::Delete(plan) => !plan.waits,
            Plan::InsertOfQuery(_)
            | Plan::JoinedUpdate(_)
            | Plan::JoinedDelete(_)
            | Plan::Select(_)
            | Plan::Query(_)
            | Plan::PassedOver(_)
            | Plan::ByText => false,
        }
    }
}

/// What a shape came to.
struct ShapeEntry {
    database: Option<String>,
    mode: SqlMode,
    shape: Vec<u8>,
    rights: u64,
    /// The latest first; more than one where literals of several kinds come, or tables grow and
    /// shrink.
    plans: Vec<Plan>,
}

impl ShapeEntry {
    fn is_of(&self, (database, mode, shape, rights): ShapeKey<'_>) -> bool {
        self.shape == shape
            && self.mode == mode
            && self.rights == rights
            && self.database.as_deref() == database
    }
}

/// Plans by database, mode and shape.
pub struct PlanCache {
    entries: RwLock<HashMap<u64, Arc<ShapeEntry>>>,
    /// Copies of plans of look-ups, each a thread's own, or those of a few threads.
    copies: [Mutex<HashMap<u64, ShapeEntry>>; LINES],
    /// Hashes of shapes that came once, each in its place.
    seen: Box<[AtomicU64]>,
    hasher: foldhash::fast::RandomState,
}

impl Default for PlanCache {
    fn default() -> PlanCache {
        PlanCache {
            entries: RwLock::default(),
            copies: Default::default(),
            seen: (0..SEEN_MAX).map(|_| AtomicU64::new(0)).collect(),
            hasher: foldhash::fast::RandomState::default(),
        }
    }
}

impl PlanCache {
    fn key(&self, (database, mode, shape, rights): ShapeKey<'_>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        database.hash(&mut hasher);
        mode.hash(&mut hasher);
        rights.hash(&mut hasher);
        hasher.write(shape);
        hasher.finish()
    }

    /// The plan of a shape, if it is known, still right, and so for literals and variables like
    /// these; without them, for some.
    pub fn find(
        &self,
        sought: ShapeKey<'_>,
        kinds: Option<Kinds<'_>>,
        engine: &Engine,
    ) -> Option<Plan> {
        let (database, mode, shape, rights) = sought;
        let key = self.key(sought);
        let is_right =
            |plan: &&Plan| plan.is_current() && kinds.is_none_or(|kinds| plan.fits(kinds, engine));
        let copies = self.copies[line()].try_lock();
        if let Some(copies) = &copies
            && let Some(entry) = copies.get(&key).filter(|entry| entry.is_of(sought))
            && let Some(plan) = entry.plans.iter().find(is_right)
        {
            return Some(plan.clone());
        }
        let entry = self.entries.read().get(&key).cloned()?;
        let plan = entry.is_of(sought).then_some(&entry.plans)?.iter().find(is_right)?;
        let (Some(mut copies), Some(copy)) = (copies, plan.copied()) else {
            return Some(plan.clone());
        };
        if copies.len() >= COPIES_MAX {
            // Those in use come back with their next statement.
            copies.clear();
        }
        let (database, shape) = (database.map(str::to_string), shape.to_vec());
        copies.insert(key, ShapeEntry { database, mode, shape, rights, plans: vec![copy.clone()] });
        Some(copy)
    }

    /// Keeps the plan for literals and variables like these, if its shape has come before.
    pub fn keep(&self, sought: ShapeKey<'_>, plan: &Plan, kinds: Kinds<'_>, engine: &Engine) {
        let (database, mode, shape, rights) = sought;
        if shape.len() > SHAPE_BYTES_MAX {
            return;
        }
        let key = self.key(sought);
        if self.seen[key as usize % SEEN_MAX].swap(key, Ordering::Relaxed) != key {
            return;
        }
        let mut plans = vec![plan.clone()];
        let mut entries = self.entries.write();
        match entries.get(&key).filter(|entry| entry.is_of(sought)) {
            Some(entry) => {
                let others = entry.plans.iter();
                let others = others.filter(|plan| plan.is_current() && !plan.fits(kinds, engine));
                plans.extend(others.take(KINDS_MAX - 1).cloned());
            }
            None if entries.len() >= PLANS_MAX => {
                // Half of them, whichever: those in use come back with their next statement.
                let mut keep = false;
                entries.retain(|_, _| {
                    keep = !keep;
                    keep
                });
            }
            None => {}
        }
        let (database, shape) = (database.map(str::to_string), shape.to_vec());
        entries.insert(key, Arc::new(ShapeEntry { database, mode, shape, rights, plans }));
    }
}
