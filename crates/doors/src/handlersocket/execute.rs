//! Commands to row operations: the conversation, finds, and the order of checks.
//!
//! Invariants
//! 1. A request that would wait in a loop leaves no byte in `out` and nothing in the group.
//! 2. Checks run in the original's order, so a client with several mistakes hears of the same
//!    one first.
//!
//! Not here: writes (`modify`), lines (`decode`), answers (`encode`).

use std::collections::BTreeMap;
use std::sync::Arc;

use memchr::memchr;
use rows::cache::{KeyBatch, PREFETCH_MAX};
use rows::store::{Direction, KeyRange, Read};
use rows::{ColumnType, Datum, Engine, Error, FindOp, Flow, Found, RowRef, Value};

use crate::conversation::{Conversation, Next, Turn};
use crate::handlersocket::coerce::key_value;
use crate::handlersocket::command::{Command, Refusal, Request, VALUES_MAX, find_op};
use crate::handlersocket::decode::{self, unescape};
use crate::handlersocket::encode;
use crate::handlersocket::handle::Handle;
use crate::input::Input;

/// Longest line; a longer one is answered and the connection closed.
pub const LINE_BYTES_MAX: usize = 64 << 20;
/// Highest number an index can be opened under.
pub const HANDLES_MAX: u32 = 65_535;
/// Requests of one connection in one turn, so that others get theirs.
const REQUESTS_PER_TURN: usize = 256;
/// Bytes of replies after which the turn ends.
const OUT_BYTES_PER_TURN: usize = 256 * 1024;

/// What a port allows.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Whether writes are allowed (the port 9999).
    pub writable: bool,
    /// The secret to be shown first, if there is one.
    pub secret: Option<String>,
}

/// One client's conversation.
pub struct HandlerSocket {
    access: Arc<Access>,
    authorised: bool,
    handles: BTreeMap<u32, Handle>,
    /// Bytes in front of the input in which no line ends, so that a long line that comes in
    /// pieces is searched once.
    searched: usize,
    /// Requests answered in this turn.
    answered: usize,
    /// Whether one of them wrote into the group, or met what others wrote into it.
    wrote: bool,
    /// Requests in front of the input whose rows were fetched ahead.
    ahead: usize,
    /// A buffer for keys that are read soon.
    batch: KeyBatch,
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    /// At once.
    Now,
    /// After the group's commit.
    AfterCommit,
}

/// Why a request was not answered by its result.
pub(super) enum Failure {
    /// With an error reply.
    Refused(Refusal),
    /// Not at all: it must be repeated where waiting is allowed.
    Wait,
    /// The table changed after its handle was refreshed: repeat at once.
    Outdated,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(match error {
            Error::WouldWait(_) => return Failure::Wait,
            Error::SchemaChanged => return Failure::Outdated,
            other => refusal_for(&other),
        })
    }
}

/// The original's number for an engine error.
fn refusal_for(error: &Error) -> Refusal {
    match error {
        Error::Duplicate { .. } => Refusal::DUPLICATE,
        Error::Exhausted => Refusal::EXHAUSTED,
        Error::LockTimeout | Error::WouldWait(_) => Refusal::LOCK_TIMEOUT,
        Error::Conflict => Refusal::DEADLOCK,
        Error::TooLarge { .. } | Error::Value { .. } | Error::NullValue { .. } => Refusal::TOO_BIG,
        Error::NotFound { .. }
        | Error::Exists { .. }
        | Error::Definition { .. }
        | Error::SchemaChanged => Refusal::OPEN_TABLE,
        Error::Corrupt { .. } => Refusal::DAMAGED,
        Error::Refused { .. } => Refusal::REFUSED,
        Error::Store { .. } => Refusal::STORE,
    }
}

impl HandlerSocket {
    /// A conversation at a port with this access.
    pub fn new(access: Arc<Access>) -> HandlerSocket {
        let authorised = access.secret.is_none();
        HandlerSocket {
            access,
            authorised,
            handles: BTreeMap::new(),
            searched: 0,
            answered: 0,
            wrote: false,
            ahead: 0,
            batch: KeyBatch::default(),
        }
    }

    /// Serves one line.
    fn line(
        &mut self,
        line: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Failure> {
        match decode::command(line)? {
            Command::Auth { kind, key } => self.authorise(kind, key, out),
            _ if !self.authorised => Err(Refusal::UNAUTHORISED.into()),
            Command::Open { id, database, table, index, columns, filter_columns } => {
                let engine = turn.engine();
                let handle = Handle::open(engine, database, table, index, columns, filter_columns)?;
                if id > HANDLES_MAX {
                    return Err(Refusal::HANDLE_LIMIT.into());
                }
                self.handles.insert(id, handle);
                encode::done(out);
                Ok(Served::Now)
            }
            Command::Execute(request) => self.execute(&request, out, turn),
        }
    }

    fn authorise(&mut self, kind: &[u8], key: &[u8], out: &mut Vec<u8>) -> Result<Served, Failure> {
        if kind != b"1" {
            return Err(Refusal::AUTH_KIND.into());
        }
        let key = unescape(key)?.unwrap_or_default();
        self.authorised = match &self.access.secret {
            Some(secret) => same_secret(secret.as_bytes(), &key),
            None => true,
        };
        if !self.authorised {
            return Err(Refusal::UNAUTHORISED.into());
        }
        encode::done(out);
        Ok(Served::Now)
    }

    fn execute(
        &mut self,
        request: &Request<'_>,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Failure> {
        let engine = turn.engine();
        let handle = self.handles.get_mut(&request.id).ok_or(Refusal::HANDLE)?;
        handle.refresh(engine)?;
        let values_max = match request.op {
            b"+" => VALUES_MAX.max(handle.columns.len()),
            _ => VALUES_MAX,
        };
        if request.announced > values_max {
            return Err(Refusal::VALUES.into());
        }
        if let Some(list) = &request.list
            && (list.announced == 0 || list.values.len() < list.announced)
        {
            return Err(Refusal::IN_EMPTY.into());
        }
        for filter in &request.filters {
            if filter.kind.len() != 1 {
                return Err(Refusal::FILTER_TYPE.into());
            }
            if filter.column as usize >= handle.filter_columns.len() {
                return Err(Refusal::FILTER_COLUMN.into());
            }
        }
        let op = match request.op {
            b"+" | b"S" => None,
            token => Some(find_op(token).ok_or(Refusal::OPERATOR)?),
        };
        if request.announced == 0 {
            return Err(Refusal::KEY_EMPTY.into());
        }
        let Some(op) = op else {
            if request.op == b"S" {
                return Err(Refusal::UNFINISHED.into());
            }
            if !self.access.writable {
                return Err(Refusal::READ_ONLY.into());
            }
            return handle.insert(request, out, turn);
        };
        if !request.modify.is_empty() {
            if !self.access.writable {
                return Err(Refusal::READ_ONLY.into());
            }
            if !matches!(request.modify[0], b'U' | b'D' | b'+' | b'-') {
                return Err(Refusal::MODIFY.into());
            }
        }
        if request.announced > handle.table.codecs[handle.index].parts.len() {
            return Err(Refusal::KEY_LONG.into());
        }
        let filters = handle.filters(request)?;
        if request.modify.is_empty() {
            if self.wrote {
                // The rows written in this turn are not visible yet.
                return Err(Failure::Wait);
            }
            handle.find(request, op, &filters, out, turn)
        } else {
            handle.modify(request, op, &filters, out, turn)
        }
    }
}

impl Conversation for HandlerSocket {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        self.answered = 0;
        self.wrote = false;
        self.ahead = 0;
        let out_start = out.len();
        for _ in 0..REQUESTS_PER_TURN {
            let bytes = input.bytes();
            let Some(end) = memchr(b'\n', &bytes[self.searched..]) else {
                self.searched = bytes.len();
                if bytes.len() > LINE_BYTES_MAX && !self.wrote {
                    encode::refusal(Refusal::LINE_LENGTH, out);
                    return Next::Close;
                }
                return self.next_or(Next::Input);
            };
            let end = self.searched + end;
            if self.ahead == 0 {
                self.look_ahead(input.bytes(), turn.engine());
            }
            self.ahead -= 1;
            let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
            let mark = out.len();
            let served = loop {
                match self.line(line, out, turn) {
                    Err(Failure::Outdated) => out.truncate(mark),
                    other => break other,
                }
            };
            // Of a request that is repeated later nothing is told yet.
            self.wrote |= turn.take_met_group() && !matches!(served, Err(Failure::Wait));
            match served {
                Ok(Served::Now) => {}
                Ok(Served::AfterCommit) => self.wrote = true,
                Err(Failure::Refused(refusal)) => {
                    out.truncate(mark);
                    encode::refusal(refusal, out);
                }
                Err(Failure::Wait | Failure::Outdated) => {
                    out.truncate(mark);
                    return self.next_or(Next::Offload);
                }
            }
            input.consume(end + 1);
            self.searched = 0;
            self.answered += 1;
            turn.served(1);
            if out.len() - out_start > OUT_BYTES_PER_TURN {
                break;
            }
        }
        self.next_or(Next::Again)
    }

    fn commit_failed(&mut self, error: &Error, out: &mut Vec<u8>) {
        // Also for those that did not write: their replies were cut off with the others.
        for _ in 0..self.answered {
            encode::refusal(refusal_for(error), out);
        }
    }
}

impl HandlerSocket {
    /// Has the rows fetched that the finds in front of the input ask for by primary key.
    fn look_ahead(&mut self, bytes: &[u8], engine: &Engine) {
        self.ahead = 0;
        self.batch.clear();
        let mut rest = bytes;
        while self.ahead < PREFETCH_MAX
            && let Some(end) = memchr(b'\n', rest)
        {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            self.ahead += 1;
            if self.ahead == 1 && rest.is_empty() {
                return;
            }
            if let Some((id, key)) = decode::equal_key(line)
                && let Some(handle) = self.handles.get(&id)
            {
                self.batch.add(|out| handle.push_row_key(key, out));
            }
        }
        engine.cache().prefetch(self.batch.keys());
    }

    /// What the turn comes to: replies that depend on the group come before everything else.
    fn next_or(&self, next: Next) -> Next {
        if self.wrote { Next::Commit } else { next }
    }
}

/// Compares in a time that does not depend on where the difference is.
fn same_secret(secret: &[u8], shown: &[u8]) -> bool {
    secret.len() == shown.len()
        && secret.iter().zip(shown).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// A filter ready to compare: the value is in the key form of its column's type.
pub(super) struct Test {
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
    fn of(op: &[u8]) -> Result<Accepts, Refusal> {
        let (less, equal, greater) = match op {
            b"=" => (false, true, false),
            b"!=" => (true, false, true),
            b"<" => (true, false, false),
            b"<=" => (true, true, false),
            b">" => (false, false, true),
            b">=" => (false, true, true),
            _ => return Err(Refusal::OPERATOR),
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
    tests: &[Test],
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
        _ => rows::key::encode_part(ty, true, None, datum, out),
    }
}

impl Handle {
    /// The filters of a request, ready to compare.
    fn filters(&self, request: &Request<'_>) -> Result<Vec<Test>, Refusal> {
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
                    return Err(Refusal::FILTER_BLOB);
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
                Ok(Test { column, ends_scan: filter.kind == b"W", accepts, value })
            })
            .collect()
    }

    fn key_value(&self, part: usize, token: &[u8]) -> Result<Value, Refusal> {
        let column = self.table.codecs[self.index].parts[part].column;
        key_value(&self.table.columns[column], token)
    }

    /// The key values of a request; an IN list puts its own into one of them.
    fn key(&self, request: &Request<'_>) -> Result<Vec<Value>, Refusal> {
        let tokens = request.values.as_slice().iter().enumerate();
        tokens.map(|(part, token)| self.key_value(part, token)).collect()
    }

    /// Appends the row key that tokens name; `false` when they name none, or a secondary entry.
    fn push_row_key<'t>(&self, tokens: impl Iterator<Item = &'t [u8]>, out: &mut Vec<u8>) -> bool {
        let parts = self.table.codecs[self.index].parts.len();
        let mut datums = [const { Value::Null }; 4];
        if self.index != 0 || parts > datums.len() || !self.table.is_current() {
            return false;
        }
        let mut count = 0;
        for (part, token) in tokens.take(parts).enumerate() {
            let Ok(value) = self.key_value(part, token) else { return false };
            datums[part] = value;
            count += 1;
        }
        let datums = [0, 1, 2, 3].map(|part| datums[part].as_datum());
        count == parts && self.table.push_row_key(&datums[..parts], out).is_ok()
    }

    /// The reads of a part of an IN list.
    fn ranges(
        &self,
        op: FindOp,
        key: &mut [Value],
        part: usize,
        tokens: &[&[u8]],
    ) -> Result<(Vec<KeyRange>, Direction), Failure> {
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
        request: &Request<'_>,
        op: FindOp,
        tests: &[Test],
        reach: rows::store::Reach,
        take: &mut dyn FnMut(Found<'_>) -> rows::Result<()>,
    ) -> Result<(), Failure> {
        let first_only = request.list.is_some();
        let (mut passed, mut taken) = (0, 0);
        let mut ended = false;
        let mut visit_range = |range: &KeyRange, direction| {
            let mut visit = |found: Found<'_>| {
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
            engine.find(view, &self.table, self.index, range, direction, reach, &mut visit)?;
            Ok::<bool, Failure>(!ended && taken < request.limit)
        };
        let mut key = self.key(request)?;
        let Some(list) = &request.list else {
            let (range, direction) = self.range(op, &key)?;
            return visit_range(&range, direction).map(|_| ());
        };
        for tokens in list.values.chunks(PREFETCH_MAX) {
            let (ranges, direction) = self.ranges(op, &mut key, list.part as usize, tokens)?;
            engine.look_ahead(self.index, &ranges);
            for range in &ranges {
                if !visit_range(range, direction)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    pub(super) fn range(
        &self,
        op: FindOp,
        key: &[Value],
    ) -> Result<(KeyRange, Direction), Failure> {
        let mut datums = [Datum::Null; VALUES_MAX];
        for (datum, value) in datums.iter_mut().zip(key) {
            *datum = value.as_datum();
        }
        Ok(self.table.op_range(self.index, op, &datums[..key.len()])?)
    }

    fn find(
        &self,
        request: &Request<'_>,
        op: FindOp,
        tests: &[Test],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Failure> {
        let engine = turn.engine();
        encode::head(self.columns.len(), out);
        self.visit(engine, engine.latest(), request, op, tests, turn.reach(), &mut |found| {
            self.write_row(&found.row, out)
        })?;
        out.push(b'\n');
        Ok(Served::Now)
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
