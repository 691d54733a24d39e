//! Finds: which rows a request names, filtered, and how they are read.
//!
//! Invariants
//! 1. An IN list is one find per value, at most one row each, as in the original.
//! 2. The rows of a part of an IN list are fetched ahead together.
//!
//! Not here: which checks come first (`execute`), what is written to the rows (`modify`).

use resources::interrupt;
use rows::cache::PREFETCH_MAX;
use rows::merged::Span;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::{Engine, FindOp, Flow, FoundRow};
use values::RowRef;
use values::{ColumnType, Datum, Value};

use crate::conversation::Turn;
use crate::handlersocket::coerce::key_value;
use crate::handlersocket::command::{HandlerSocketRefusal, IndexRequest, VALUES_MAX};
use crate::handlersocket::decode::unescape;
use crate::handlersocket::encode;
use crate::handlersocket::execute::{AnswerTime, HandlerSocketFailure};
use crate::handlersocket::handle::Handle;

/// Rows between two questions whether the find is to end.
const LOOKS_UNASKED: u32 = 1024;
/// Key parts of finds that are looked ahead of; longer keys are not.
const PARTS_AHEAD_MAX: usize = 4;

/// A filter ready to compare: the value is in the key form of its column's type.
pub(super) struct FilterTest {
    column: usize,
    ends_scan: bool,
    accepts: Accepts,
    value: Vec<u8>,
}

/// Which outcomes of comparing the row with the value hold.
#[derive(Clone, Copy, Debug)]
struct Accepts {
    less: bool,
    equal: bool,
    greater: bool,
}

impl Accepts {
    fn of(op: &[u8]) -> Result<Accepts, HandlerSocketRefusal> {
        let (less, equal, greater) = match op {
            b"=" => (false, true, false),
            b"!=" => (true, false, true),
            b"<" => (true, false, false),
            b"<=" => (true, true, false),
            b">" => (false, false, true),
            b">=" => (false, true, true),
            _ => return Err(HandlerSocketRefusal::OPERATOR),
        };
        Ok(Accepts { less, equal, greater })
    }
}

/// What the filters say of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Take,
    Skip,
    End,
}

pub(super) fn judge(
    table: &rows::Table,
    tests: &[FilterTest],
    row: &RowRef<'_>,
) -> rows::Result<Verdict> {
    let mut key = Vec::new();
    for test in tests {
        key.clear();
        let ty = &table.columns[test.column].ty;
        comparable(ty, row.column(test.column)?, &mut key);
        let holds = match key.as_slice().cmp(&test.value) {
            std::cmp::Ordering::Less => test.accepts.less,
            std::cmp::Ordering::Equal => test.accepts.equal,
            std::cmp::Ordering::Greater => test.accepts.greater,
        };
        if !holds {
            return Ok(if test.ends_scan { Verdict::End } else { Verdict::Skip });
        }
    }
    Ok(Verdict::Take)
}

/// Bytes that compare as the values do; NULL first. BLOB and JSON only ever meet NULL here.
fn comparable(ty: &ColumnType, datum: Datum<'_>, out: &mut Vec<u8>) {
    match ty {
        ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json => {
            out.push(u8::from(!datum.is_null()));
        }
        _ => values::key::encode_part(ty, true, None, datum, out),
    }
}

/// Ranges of partitions, in the order of the keys behind these.
fn over_partitions(ranges: &[KeyRange]) -> Span<'_> {
    match ranges {
        [only] => Span::One(only),
        ranges => Span::Merged(ranges, 1),
    }
}

impl Handle {
    /// The filters of a request, ready to compare.
    pub(super) fn filters(
        &self,
        request: &IndexRequest<'_>,
    ) -> Result<Vec<FilterTest>, HandlerSocketRefusal> {
        request
            .filters
            .iter()
            .map(|filter| {
                let column = self.filter_columns[filter.column as usize];
                let ty = &self.table.columns[column].ty;
                let token = unescape(filter.value)?;
                let long = matches!(
                    ty,
                    ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json
                );
                if long && token.is_some() {
                    return Err(HandlerSocketRefusal::FILTER_BLOB);
                }
                let mut value = Vec::new();
                match token {
                    None => comparable(ty, Datum::Null, &mut value),
                    Some(_) => {
                        let wanted = key_value(&self.table.columns[column], filter.value)?;
                        comparable(ty, wanted.as_datum(), &mut value);
                    }
                }
                let accepts = Accepts::of(filter.op)?;
                Ok(FilterTest { column, ends_scan: filter.kind == b"W", accepts, value })
            })
            .collect()
    }

    fn key_value(&self, part: usize, token: &[u8]) -> Result<Value, HandlerSocketRefusal> {
        let column = self.table.own_parts(self.index)[part].column;
        key_value(&self.table.columns[column], token)
    }

    /// The key values of a request; an IN list puts its own into one of them.
    fn key(&self, request: &IndexRequest<'_>) -> Result<Vec<Value>, HandlerSocketRefusal> {
        let tokens = request.values.as_slice().iter().enumerate();
        tokens.map(|(part, token)| self.key_value(part, token)).collect()
    }

    /// Appends the row key that tokens name; `false` when they name none, or a secondary entry.
    pub(super) fn push_row_key<'t>(
        &self,
        tokens: impl Iterator<Item = &'t [u8]>,
        out: &mut Vec<u8>,
    ) -> bool {
        let parts = self.table.own_parts(self.index).len();
        let mut values = [const { Value::Null }; PARTS_AHEAD_MAX];
        if self.index != 0 || parts > values.len() || !self.table.is_current() {
            return false;
        }
        let mut count = 0;
        for (part, token) in tokens.take(parts).enumerate() {
            let Ok(value) = self.key_value(part, token) else { return false };
            values[part] = value;
            count += 1;
        }
        let datums = values.each_ref().map(Value::as_datum);
        count == parts && self.table.push_row_key(&datums[..parts], out).is_ok()
    }

    /// The reads of a part of an IN list.
    fn ranges(
        &self,
        op: FindOp,
        key: &mut [Value],
        part: usize,
        tokens: &[&[u8]],
    ) -> Result<(Vec<KeyRange>, Direction), HandlerSocketFailure> {
        let mut ranges = Vec::with_capacity(tokens.len());
        let mut direction = Direction::Forward;
        for token in tokens {
            if part < key.len() {
                key[part] = self.key_value(part, token)?;
            }
            let (range, towards) = self.range(op, key)?;
            direction = towards;
            ranges.push(range);
        }
        Ok((ranges, direction))
    }

    /// Visits the rows that a request names: filtered, after its offset, up to its limit.
    pub(super) fn visit(
        &self,
        engine: &Engine,
        view: &dyn Read,
        request: &IndexRequest<'_>,
        op: FindOp,
        tests: &[FilterTest],
        reach: Reach,
        take: &mut dyn FnMut(FoundRow<'_>) -> rows::Result<()>,
    ) -> Result<(), HandlerSocketFailure> {
        let first_only = request.list.is_some();
        let (mut passed, mut taken, mut looks) = (0, 0, 0);
        let looks_max = reach.limits().rows_passed;
        if request.list.as_ref().is_some_and(|list| list.came > looks_max as usize) {
            return Err(HandlerSocketFailure::Wait);
        }
        let mut ended = false;
        let mut visit_span = |span: Span<'_>, direction| {
            let mut visit = |found: FoundRow<'_>| {
                looks += 1;
                if looks > looks_max {
                    return Err(rows::Error::WouldWait(rows::Wait::Disk));
                }
                if looks.is_multiple_of(LOOKS_UNASKED) && interrupt::is_wanted() {
                    return Err(rows::Error::LockTimeout);
                }
                match judge(&self.table, tests, &found.row)? {
                    Verdict::Skip if first_only => return Ok(Flow::Stop),
                    Verdict::Skip => return Ok(Flow::Continue),
                    Verdict::End => {
                        ended = true;
                        return Ok(Flow::Stop);
                    }
                    Verdict::Take => {}
                }
                if passed < request.offset {
                    passed += 1;
                } else {
                    take(found)?;
                    taken += 1;
                }
                let more = taken < request.limit && !first_only;
                Ok(if more { Flow::Continue } else { Flow::Stop })
            };
            engine.find_in(view, &self.table, self.index, span, direction, reach, &mut visit)?;
            Ok::<bool, HandlerSocketFailure>(!ended && taken < request.limit)
        };
        let mut key = self.key(request)?;
        let is_divided = self.table.partition_column().is_some();
        let Some(list) = &request.list else {
            if is_divided {
                let (ranges, direction) = self.ranges_of_partitions(op, &key)?;
                return visit_span(over_partitions(&ranges), direction).map(|_| ());
            }
            let (range, direction) = self.range(op, &key)?;
            return visit_span(Span::One(&range), direction).map(|_| ());
        };
        if is_divided {
            let part = list.part as usize;
            for token in list.values() {
                if part < key.len() {
                    key[part] = self.key_value(part, token)?;
                }
                let (ranges, direction) = self.ranges_of_partitions(op, &key)?;
                if !visit_span(over_partitions(&ranges), direction)? {
                    break;
                }
            }
            return Ok(());
        }
        let mut values = list.values();
        loop {
            let mut tokens = [&[][..]; PREFETCH_MAX];
            let mut count = 0;
            for (place, value) in tokens.iter_mut().zip(values.by_ref()) {
                *place = value;
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            let tokens = &tokens[..count];
            let (ranges, direction) = self.ranges(op, &mut key, list.part as usize, tokens)?;
            engine.look_ahead(self.index, &ranges);
            for range in &ranges {
                if !visit_span(Span::One(range), direction)? {
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn range(
        &self,
        op: FindOp,
        key: &[Value],
    ) -> Result<(KeyRange, Direction), HandlerSocketFailure> {
        let mut datums = [Datum::Null; VALUES_MAX];
        for (datum, value) in datums.iter_mut().zip(key) {
            *datum = value.as_datum();
        }
        Ok(self.table.op_range(self.index, op, &datums[..key.len()])?)
    }

    /// The same of a table with partitions: a range in each that may have such rows.
    fn ranges_of_partitions(
        &self,
        op: FindOp,
        key: &[Value],
    ) -> Result<(Vec<KeyRange>, Direction), HandlerSocketFailure> {
        let datums: Vec<Datum<'_>> = key.iter().map(Value::as_datum).collect();
        Ok(self.table.op_ranges(self.index, op, &datums)?)
    }

    /// Answers a find.
    pub(super) fn find(
        &self,
        request: &IndexRequest<'_>,
        op: FindOp,
        tests: &[FilterTest],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        let engine = turn.engine();
        let (mark, reply_max) = (out.len(), engine.budget().reply_bytes_max());
        encode::head(self.columns.len(), out);
        self.visit(engine, engine.latest(), request, op, tests, turn.reach(), &mut |found| {
            // The reply is one line, which cannot be sent in pieces: the connection may have to
            // wait for a commit, or find a damaged row behind.
            if out.len() - mark > reply_max {
                return Err(rows::Error::NoMemory);
            }
            self.write_row(&found.row, out)
        })?;
        out.push(b'\n');
        Ok(AnswerTime::Now)
    }

    /// Appends the opened columns of a row.
    #[inline]
    pub(super) fn write_row(&self, row: &RowRef<'_>, out: &mut Vec<u8>) -> rows::Result<()> {
        for column in &self.columns {
            encode::value(&self.table.columns[*column].ty, row.column(*column)?, out);
        }
        Ok(())
    }
}
