//! Joining: each step finds its rows for what is joined before, and calls what follows it.
//!
//! Invariants
//! 1. A row goes on only if all terms of its step hold; a LEFT JOIN's row without a match goes on
//!    with NULLs, exactly once.
//!
//! Not here: what becomes of joined rows (`select`).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use columnar::arrow::ColumnReader;
use expression::{JoinedRow, JoinedRows, Node, RowView, Scope};
use rows::cache::PREFETCH_MAX;
use rows::find::{self, CoveredEntry, EntryTest, EntryVerdict, FoundRow};
use rows::merged::Span;
use rows::store::{Direction, KeyRange};
use rows::table::{CoveredRow, Covering, Table};
use values::datum::{Datum, Value};

use super::buffer::{Buffer, BufferContent, view_of};
use super::measure::Watch;
use super::residual::{Residual, all_hold};
use super::row_list::RowList;
use super::{Execution, Flow};
use crate::{Filter, GatheredRows, Gatherer, PieceLimits};
use files::table::{FileStep, ReadRequest, Reading};
use plan::listing::AskedTables;
use plan::point::{Access, IndexRanges, Ranges, RowCandidate};
use plan::tree::{CatalogListing, JoinStep, Member, Query, Relation, Scan, Source};
use results::{Result, SqlError};

/// Rows of a file that are decoded at a time.
const FILE_BATCH_ROWS: usize = 1024;

/// Bytes that a stored row takes where it is kept, by guess.
const STORED_ROW_BYTES: f64 = 100.0;
/// Stored rows that take as many times as much as a list may have in memory go to a file.
const STORED_LISTS: usize = 4;

/// Takes a joined row.
pub(super) type Then<'t> = dyn FnMut(Option<&JoinedRows<'_>>) -> Result<Flow> + 't;

/// Takes a relation's row.
type Each<'e> = dyn FnMut(&JoinedRow<'_>) -> Result<Flow> + 'e;

/// The scope of terms over joined rows.
pub(super) fn over<'s>(scope: &Scope<'s>, joined: Option<&'s JoinedRows<'s>>) -> Scope<'s> {
    let row = joined.map_or(RowView::None, RowView::Joined);
    Scope { row, joined, ..*scope }
}

impl Execution<'_> {
    /// Runs steps for a row joined so far.
    pub(super) fn join(
        &self,
        relations: &[Relation],
        steps: &[JoinStep],
        joined: Option<&JoinedRows<'_>>,
        scope: &Scope<'_>,
        then: &mut Then<'_>,
    ) -> Result<Flow> {
        let Some((step, rest)) = steps.split_first() else { return then(joined) };
        match &step.member {
            Member::Scan(scan) => {
                let mut matched = false;
                let watch = Watch::begin(self.measures);
                let alone = step.filters.is_empty() && step.after.is_empty() && rest.is_empty();
                let flow = self.scan(relations, scan, joined, scope, &mut |row| {
                    let plain;
                    let row = match row {
                        // The one before may not have gone on, or not as the same.
                        JoinedRow::Repeated(values) if !alone => {
                            plain = JoinedRow::Values(values);
                            &plain
                        }
                        row => row,
                    };
                    if self.skips_locked(&relations[scan.relation], row) {
                        return Ok(Flow::Continue);
                    }
                    let link = JoinedRows { relation: scan.relation, row, before: joined };
                    if !step.filters.is_empty()
                        && !all_hold(&step.filters, &over(scope, Some(&link)))?
                    {
                        return Ok(Flow::Continue);
                    }
                    matched = true;
                    watch.give(|| self.after(relations, step, rest, &link, scope, then))
                })?;
                watch.end(step);
                if flow == Flow::Stop || matched || !step.outer {
                    return Ok(flow);
                }
                let row = &JoinedRow::Absent;
                let link = JoinedRows { relation: scan.relation, row, before: joined };
                self.after(relations, step, rest, &link, scope, then)
            }
            Member::Group(inner, numbers) => {
                let mut matched = false;
                let flow = self.join(relations, inner, joined, scope, &mut |link| {
                    let Some(link) = link else { return Ok(Flow::Continue) };
                    if !all_hold(&step.filters, &over(scope, Some(link)))? {
                        return Ok(Flow::Continue);
                    }
                    matched = true;
                    self.after(relations, step, rest, link, scope, then)
                })?;
                if flow == Flow::Stop || matched {
                    return Ok(flow);
                }
                absent(numbers, joined, &mut |link| {
                    self.after(relations, step, rest, link, scope, then)
                })
            }
        }
    }

    fn after(
        &self,
        relations: &[Relation],
        step: &JoinStep,
        rest: &[JoinStep],
        link: &JoinedRows<'_>,
        scope: &Scope<'_>,
        then: &mut Then<'_>,
    ) -> Result<Flow> {
        if !step.after.is_empty() && !all_hold(&step.after, &over(scope, Some(link)))? {
            return Ok(Flow::Continue);
        }
        if rest.is_empty() {
            then(Some(link))
        } else {
            self.join(relations, rest, Some(link), scope, then)
        }
    }

    /// Finds the rows of one relation.
    fn scan(
        &self,
        relations: &[Relation],
        scan: &Scan,
        joined: Option<&JoinedRows<'_>>,
        scope: &Scope<'_>,
        each: &mut Each<'_>,
    ) -> Result<Flow> {
        let relation = &relations[scan.relation];
        let local = Scope { row: RowView::None, joined, ..*scope };
        if let (Source::Query(query), Some(_)) = (&relation.source, &relation.lateral) {
            return self.scan_within(query, &scan.terms, &over(scope, joined), &local, each);
        }
        if let Some(keys) = &scan.hash {
            let buffer = self.kept_scan(relation, scan, &local)?;
            return buffer.each_matching(keys, self, &local, each);
        }
        match (&relation.source, &scan.access) {
            (Source::Table(table), Some(access)) => {
                // Read again and again, the same rows are kept; a look-up is as quick.
                if scan.same && joined.is_some() && scan.examined > 1.0 {
                    let buffer = self.kept_scan(relation, scan, &local)?;
                    return self.each_of(&buffer, &[], &local, each);
                }
                let found = access.ranges(table, &local)?;
                access.note_scan(&found, &self.facts.kill);
                self.note_ranges(relation, table, &found)?;
                match &scan.covering {
                    // An index that is read as a whole after all answers no term; what is to be
                    // locked is found by its row's key.
                    Some(covering) if !found.all_terms && relation.locking.is_none() => {
                        self.scan_entries(table, (access, found), covering, &local, each)
                    }
                    _ => self.scan_table(table, (access, found), &local, each),
                }
            }
            (Source::Listing(_), _) if scan.same => {
                let buffer = self.kept_scan(relation, scan, &local)?;
                self.each_of(&buffer, &[], &local, each)
            }
            (Source::Listing(listing), _) => {
                let rows = self.listed(relation, listing, &scan.terms, &local)?;
                self.each_of(&Buffer::new(BufferContent::Values(rows)), &scan.terms, &local, each)
            }
            _ => {
                let buffer = self.rows_of(relation, &local)?;
                self.each_of(&buffer, &scan.terms, &local, each)
            }
        }
    }

    /// Runs a LATERAL query within the row that is joined before (`around`).
    fn scan_within(
        &self,
        query: &Query,
        terms: &[Node],
        around: &Scope<'_>,
        local: &Scope<'_>,
        each: &mut Each<'_>,
    ) -> Result<Flow> {
        let mut flow = Flow::Continue;
        self.run_within(query, around, &mut |row| {
            self.look(1)?;
            let row = JoinedRow::Values(&row);
            if all_hold(terms, &local.with_row(view_of(&row)))? {
                flow = each(&row)?;
            }
            Ok(flow)
        })?;
        Ok(flow)
    }

    fn each_of(
        &self,
        buffer: &Buffer,
        terms: &[Node],
        local: &Scope<'_>,
        each: &mut Each<'_>,
    ) -> Result<Flow> {
        for n in 0..buffer.len() {
            self.look(1)?;
            let flow = buffer.with_row(n, |row| {
                if !all_hold(terms, &local.with_row(view_of(row)))? {
                    return Ok(Flow::Continue);
                }
                each(row)
            })?;
            if flow == Flow::Stop {
                return Ok(flow);
            }
        }
        Ok(Flow::Continue)
    }

    /// Finds rows by an index. They are looked at where they lie, not copied.
    fn scan_table(
        &self,
        table: &Arc<Table>,
        (access, mut found): (&Access, Ranges),
        local: &Scope<'_>,
        each: &mut Each<'_>,
    ) -> Result<Flow> {
        let (direction, all_terms) = (direction_of(access, &found), found.all_terms);
        for part in 0..=found.others.len() {
            let IndexRanges { index, ranges } = found.part_mut(part);
            let merged = access.merged_behind.filter(|_| !all_terms);
            if direction == Direction::Backward && merged.is_none() {
                ranges.reverse();
            }
            for (n, span) in spans(ranges, merged).enumerate() {
                if merged.is_none() && n.is_multiple_of(PREFETCH_MAX) {
                    self.engine.look_ahead(*index, &ranges[n..]);
                }
                let result = Cell::new(Ok(Flow::Continue));
                // Entries are counted in place of their rows where they are asked.
                let mut ask = |told: &[Value]| {
                    let scope = local.with_row(RowView::Values(told));
                    let holds = self
                        .look(1)
                        .and_then(|()| access.takes(&scope, RowCandidate::Entry, all_terms));
                    Ok(match holds {
                        Ok(true) => EntryVerdict::Taken,
                        Ok(false) => EntryVerdict::PassedOver,
                        Err(error) => {
                            result.set(Err(error));
                            EntryVerdict::Last
                        }
                    })
                };
                let by_entry = access.entry_columns(all_terms);
                let candidate =
                    by_entry.map_or(RowCandidate::Row(part), |_| RowCandidate::RowOfEntry);
                let mut visit = |row: FoundRow<'_>| {
                    let stored = JoinedRow::Stored(row.row, row.key);
                    let scope = local.with_row(view_of(&stored));
                    let looked = if by_entry.is_some() { Ok(()) } else { self.look(1) };
                    let flow = looked
                        .and_then(|()| access.takes(&scope, candidate, all_terms))
                        .and_then(|takes| if takes { each(&stored) } else { Ok(Flow::Continue) });
                    let goes_on = matches!(flow, Ok(Flow::Continue));
                    result.set(flow);
                    Ok(if goes_on { find::Flow::Continue } else { find::Flow::Stop })
                };
                let mut test = by_entry.map(|covering| EntryTest::new(table, covering, &mut ask));
                let (reach, test) = (self.how.reach, test.as_mut());
                self.engine
                    .find_if(self.view, table, *index, span, direction, reach, test, &mut visit)?;
                let result = result.into_inner();
                if result? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Finds rows by the entries of an index alone.
    fn scan_entries(
        &self,
        table: &Arc<Table>,
        (access, found): (&Access, Ranges),
        covering: &Covering,
        local: &Scope<'_>,
        each: &mut Each<'_>,
    ) -> Result<Flow> {
        let mut ranges = found.first.ranges;
        let merged = access.merged_behind;
        if access.direction == Direction::Backward && merged.is_none() {
            ranges.reverse();
        }
        let mut row = CoveredRow::new(table);
        let mut result = Ok(None);
        let mut terms = Residual::new(&access.residual, table, covering);
        for span in spans(&ranges, merged) {
            let mut visit = |told: CoveredEntry<'_>| {
                result = self.look_at_entries(1).and_then(|()| {
                    let values = told.values;
                    // The terms hold as they did for the entry before.
                    if told.repeated && terms.is_stable {
                        return each(&JoinedRow::Repeated(values)).map(Some);
                    }
                    match terms.hold(told, local)? {
                        true => each(&JoinedRow::Values(values)).map(Some),
                        false => Ok(None),
                    }
                });
                Ok(match result {
                    Ok(Some(Flow::Continue)) => EntryVerdict::Taken,
                    Ok(None) => EntryVerdict::PassedOver,
                    Ok(Some(Flow::Stop)) | Err(_) => EntryVerdict::Last,
                })
            };
            let (direction, reach) = (access.direction, self.how.reach);
            let row = &mut row;
            let engine = self.engine;
            engine.find_covered(
                self.view, table, covering, span, direction, reach, row, &mut visit,
            )?;
            if !matches!(result, Ok(None | Some(Flow::Continue))) {
                break;
            }
        }
        Ok(result?.unwrap_or(Flow::Continue))
    }

    fn gatherer(&self, access: &Access, found: Ranges) -> Gatherer {
        let direction = direction_of(access, &found);
        let by_entry = access.entry_columns(found.all_terms).cloned();
        let gatherer = Gatherer::new(found, direction, 0, u64::MAX);
        gatherer.with_kill(Arc::clone(&self.facts.kill)).asking_entries(by_entry.as_ref())
    }

    /// Gathers all rows.
    fn fill(
        &self,
        table: &Table,
        gatherer: &mut Gatherer,
        (access, all_terms): (&Access, bool),
        local: &Scope<'_>,
        gathered: &mut GatheredRows,
    ) -> Result<()> {
        let (mut seen, mut noted) = (0u64, 0);
        let mut filter = |row: RowView<'_>, candidate| {
            // Rows that are passed over count as well: a long scan is another's business.
            seen += u64::from(candidate != RowCandidate::RowOfEntry);
            if seen >= 1024 {
                noted += seen;
                self.look(std::mem::take(&mut seen))?;
            }
            access.takes(&local.with_row(row), candidate, all_terms)
        };
        let filter: &mut Filter<'_> = &mut filter;
        let reach = self.how.reach;
        gatherer.fill(
            self.engine,
            table,
            self.view,
            reach,
            PieceLimits::ALL,
            Some(filter),
            gathered,
        )?;
        self.noted.set(self.noted.get() + noted + seen);
        self.look(seen)
    }

    /// The rows of a scan that depends on nothing joined, its terms applied.
    fn kept_scan(&self, relation: &Relation, scan: &Scan, local: &Scope<'_>) -> Result<Rc<Buffer>> {
        let place = std::ptr::from_ref(scan) as usize;
        if let Some(kept) = self.kept.borrow().get(&place) {
            return Ok(Rc::clone(kept));
        }
        let local = local.environment.scope();
        let content = match (&relation.source, &scan.access) {
            (Source::Table(table), Some(access)) => {
                let found = access.ranges(table, &local)?;
                access.note_scan(&found, &self.facts.kill);
                self.note_ranges(relation, table, &found)?;
                let is_covered = !found.all_terms && relation.locking.is_none();
                if let Some(covering) = scan.covering.as_ref().filter(|_| is_covered) {
                    let mut rows = self.list();
                    let way = (access, found);
                    self.scan_entries(table, way, covering, &local, &mut |row| {
                        self.push_values(row, &mut rows)
                    })?;
                    return Ok(self.keep(place, BufferContent::Values(rows)));
                }
                if self.is_in_step() && self.is_too_much(scan.examined) {
                    let (mut rows, way) = (self.list(), (access, found));
                    self.scan_table(table, way, &local, &mut |row| {
                        self.push_values(row, &mut rows)
                    })?;
                    return Ok(self.keep(place, BufferContent::Values(rows)));
                }
                let terms = (access, found.all_terms);
                let mut gatherer = self.gatherer(access, found);
                let mut gathered = GatheredRows::default();
                self.fill(table, &mut gatherer, terms, &local, &mut gathered)?;
                BufferContent::Stored(Arc::clone(table), gathered)
            }
            (Source::Listing(listing), _) => {
                let all = self.listed(relation, listing, &scan.terms, &local)?;
                let mut rows = self.list();
                let all = Buffer::new(BufferContent::Values(all));
                self.each_of(&all, &scan.terms, &local, &mut |row| {
                    self.push_values(row, &mut rows)
                })?;
                BufferContent::Values(rows)
            }
            _ => {
                let all = self.rows_of(relation, &local)?;
                if scan.terms.is_empty() {
                    self.kept.borrow_mut().insert(place, Rc::clone(&all));
                    return Ok(all);
                }
                let mut rows = self.list();
                self.each_of(&all, &scan.terms, &local, &mut |row| {
                    self.push_values(row, &mut rows)
                })?;
                BufferContent::Values(rows)
            }
        };
        Ok(self.keep(place, content))
    }

    /// Whether a recursion's step is under way: nobody asks for the keys of the rows that it reads.
    fn is_in_step(&self) -> bool {
        !self.added.borrow().is_empty()
    }

    /// Whether so many stored rows are to be kept in a file: they would take much of the memory
    /// for clients.
    fn is_too_much(&self, rows: f64) -> bool {
        self.overflow.as_ref().is_some_and(|overflow| {
            rows * STORED_ROW_BYTES > (STORED_LISTS * overflow.bytes_max) as f64
        })
    }

    /// Keeps rows for the rest of the run.
    fn keep(&self, place: usize, content: BufferContent) -> Rc<Buffer> {
        let buffer = Rc::new(Buffer::new(content));
        self.kept.borrow_mut().insert(place, Rc::clone(&buffer));
        buffer
    }

    /// Adds a row of values to those that are kept.
    fn push_values(&self, row: &JoinedRow<'_>, rows: &mut RowList) -> Result<Flow> {
        match row {
            JoinedRow::Values(values) | JoinedRow::Repeated(values) => {
                self.push(rows, values.to_vec())?;
            }
            JoinedRow::Stored(row, _) => {
                self.push(rows, row.values()?.iter().map(Datum::to_value).collect())?;
            }
            JoinedRow::Absent => {}
        }
        Ok(Flow::Continue)
    }

    /// The rows of a table of the server's own, at least those for which the terms hold.
    fn listed(
        &self,
        relation: &Relation,
        listing: &CatalogListing,
        terms: &[Node],
        local: &Scope<'_>,
    ) -> Result<RowList> {
        // There may be thousands of tables.
        if !self.how.may_wait {
            return Err(SqlError::WouldWait);
        }
        let asked = AskedTables::by(&listing.names, terms, local)?;
        let mut rows = RowList::default();
        for mut row in self.facts.sql.listing_rows(self.facts, listing, &asked)? {
            for (value, ty) in row.iter_mut().zip(&relation.types) {
                *value = values::convert::convert(ty, value.as_datum(), self.facts.zone).value;
            }
            rows.push(row)?;
        }
        Ok(rows)
    }

    /// The rows of a derived table, files or a recursion.
    fn rows_of(&self, relation: &Relation, local: &Scope<'_>) -> Result<Rc<Buffer>> {
        let place = match &relation.source {
            Source::Query(query) => query.id,
            Source::Added(recursion) => return self.added_last(*recursion),
            _ => std::ptr::from_ref(relation) as usize,
        };
        if let Some(kept) = self.kept.borrow().get(&place) {
            return Ok(Rc::clone(kept));
        }
        let mut rows = self.list();
        match &relation.source {
            Source::Query(query) => {
                self.query(query, &local.environment.scope(), &mut None, &mut |row| {
                    self.push(&mut rows, row)?;
                    Ok(Flow::Continue)
                })?;
            }
            Source::File(files) => {
                let wanted = ReadRequest {
                    positions: (0..relation.types.len()).collect(),
                    groups: None,
                    rows: Arc::default(),
                    batch_rows: FILE_BATCH_ROWS,
                    zone: self.facts.zone,
                };
                for step in Reading::new(files, wanted, &self.facts.limits).steps() {
                    let FileStep::Rows(batch) = step? else { continue };
                    let batch = batch.batch()?;
                    let columns = relation.types.iter().zip(&batch.columns);
                    let columns = columns.map(|(ty, column)| ColumnReader::new(ty, column));
                    let columns = columns.collect::<rows::Result<Vec<_>>>()?;
                    for at in 0..batch.rows {
                        let row = columns.iter().map(|column| column.datum(at).to_value());
                        self.push(&mut rows, row.collect())?;
                    }
                }
            }
            Source::Table(_) | Source::Added(_) | Source::Listing(_) => {}
        }
        Ok(self.keep(place, BufferContent::Values(rows)))
    }
}

/// Ranges one after the other, or together.
pub(super) fn spans(ranges: &[KeyRange], merged: Option<usize>) -> impl Iterator<Item = Span<'_>> {
    let together = merged.filter(|_| ranges.len() > 1).map(|behind| Span::Merged(ranges, behind));
    let single = if together.is_some() { &[] } else { ranges };
    together.into_iter().chain(single.iter().map(Span::One))
}

/// Values that the index cannot look up have the whole of it read; then its order is not what was
/// asked for, but `ordered` plans look up no such values.
fn direction_of(access: &Access, found: &Ranges) -> Direction {
    if found.all_terms { Direction::Forward } else { access.direction }
}

/// Joins NULLs for several relations.
fn absent(
    numbers: &[usize],
    joined: Option<&JoinedRows<'_>>,
    then: &mut dyn FnMut(&JoinedRows<'_>) -> Result<Flow>,
) -> Result<Flow> {
    let Some((number, rest)) = numbers.split_first() else {
        return joined.map_or(Ok(Flow::Continue), then);
    };
    let link = JoinedRows { relation: *number, row: &JoinedRow::Absent, before: joined };
    absent(rest, Some(&link), then)
}
