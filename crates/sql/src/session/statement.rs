//! A statement from its text, or from what was prepared, to its reply.
//!
//! Invariants
//! 1. A statement that would wait and may not has done nothing: it is the caller's to repeat, and
//!    counts where it is repeated.
//!
//! Not here: how statements are carried out (`select`, `write`, `admin`), prepared ones
//! (`prepared`).

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use resources::background::begin_busy_thread;
use resources::counter::Counter;
use resources::waiting;
use rows::Group;
use values::ErrorCode;
use values::datum::Datum;

use crate::plan_cache::Plan;
use crate::reply::{Parameter, PreparedReply, Reply};
use crate::server::{
    CommandWord, Counters, Room, SlowRule, StatementKind, StatementOutcome, StatementShape,
    TableWatch,
};
use results::{ExecutionMode, Result, SqlError, panics};

use expression::{KillMark, Level, ThreadGuard, TimeLimit, Warnings};
use plan::tree::{ComparedText, TextCheck};
use syntax::scan::{
    Literal, Scanned, open_version_comments, skip_space, statement_word, without_ends,
};

use access::audit::AuditClass;

use super::Session;
use super::usage::UncountedUse;

/// The part of the clients' memory that the literals of one statement may take.
pub(super) const LITERALS_PART: usize = 2;
/// A longer text is carried out in buffers of some hundred kilobytes or more; a thread that has
/// done that will do it again.
const LONG_TEXT_BYTES: usize = 4 << 10;

/// A statement under way: its text, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    /// The text, of which `scanned` gives the part.
    pub(super) text: &'a [u8],
    pub(super) scanned: &'a Scanned,
    /// Literals and `?`, as datums.
    pub(super) parameters: &'a [Datum<'a>],
    /// The client's own `?`.
    pub(super) own: &'a [Datum<'a>],
    pub(super) how: ExecutionMode,
}

impl<'a> Statement<'a> {
    /// The statement's text.
    pub(super) fn source(&self) -> &'a [u8] {
        &self.text[self.scanned.start..self.scanned.end]
    }

    /// The statement's text, which must be UTF-8.
    pub(super) fn source_text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.source()).map_err(|error| {
            let at = error.valid_up_to();
            let bad = self.source()[at..].iter().take(4);
            let shown: String = bad.map(|byte| format!("\\x{byte:02X}")).collect();
            SqlError::new(
                ErrorCode::InvalidCharacterString,
                format!("Invalid utf8mb4 character string: '{shown}'"),
            )
        })
    }

    /// Its shape, to be parsed; UTF-8 unless names are not.
    ///
    /// # Errors
    /// 1300 where it is not; `would_wait` for a long one in an event loop.
    pub(super) fn shape(&self) -> Result<&'a str> {
        let bytes = self.scanned.shape.len() + self.scanned.listed;
        if bytes > self.how.limits().shape_bytes {
            return Err(SqlError::WouldWait);
        }
        std::str::from_utf8(&self.scanned.shape).map_err(|_| {
            SqlError::new(
                ErrorCode::InvalidCharacterString,
                "Invalid utf8mb4 character string in a name",
            )
        })
    }
}

impl Session {
    /// Executes the first statement of `text`; says how many bytes it took, `;` and the spaces
    /// behind it included. Semicolons at the end of the text end nothing.
    ///
    /// # Errors
    /// MySQL's; `would_wait` when it may not wait and would have to: nothing was done.
    pub fn query(&mut self, text: &[u8], how: ExecutionMode) -> Result<(Reply, usize)> {
        self.query_with(text, how, None)
    }

    /// As `query` in an event loop. A short write outside of a transaction, and the COMMIT of one
    /// that is not large, alone in its text, joins the group: it is not to be acknowledged before
    /// the group is committed, and `commit_failed` is to be told if that fails.
    ///
    /// # Errors
    /// As `query`; a statement that failed has left nothing in the group.
    pub fn query_in_loop(&mut self, text: &[u8], group: &mut Group) -> Result<(Reply, usize)> {
        self.query_with(text, ExecutionMode::LOOP, Some(group))
    }

    fn query_with(
        &mut self,
        text: &[u8],
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<(Reply, usize)> {
        // Reading a long text takes its time, too.
        if text.len() > how.limits().bytes {
            return Err(SqlError::WouldWait);
        }
        if how.may_wait && text.len() > LONG_TEXT_BYTES {
            begin_busy_thread(self.sql.engine().budget().bytes_max());
        }
        let written = without_ends(text);
        let opened = open_version_comments(written, self.variables.mode);
        let opened = opened.as_deref().unwrap_or(written);
        let mut scanned = std::mem::take(&mut self.scanned);
        let _current = self.current(how);
        let result = self.query_scanned((written, opened), &mut scanned, how, group);
        let next = self.behind(opened, &scanned);
        let taken = if next < written.len() { next } else { text.len() };
        scanned.shrink();
        self.scanned = scanned;
        Ok((result?, taken))
    }

    /// `text` is what was `written` with the comments that are executed as a part of it.
    fn query_scanned(
        &mut self,
        (written, text): (&[u8], &[u8]),
        scanned: &mut Scanned,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let scan = scanned.scan(text, self.variables.mode);
        self.enter(&text[scanned.start.min(text.len())..], CommandWord::Query);
        let result = scan.map_err(SqlError::from).and_then(|()| {
            if scanned.parameters() > 0 {
                return Err(syntax::scan::syntax_at(text, scanned.start).into());
            }
            if scanned.is_empty() {
                return self.nothing(written, scanned);
            }
            let next = self.behind(text, scanned);
            if next < text.len() && !self.multi_statements {
                return Err(syntax::scan::syntax_at(text, next).into());
            }
            let _room = self.room_for(text, scanned, how)?;
            let mut datums = Vec::with_capacity(scanned.literals.len());
            scanned.datums(text, &[], &mut datums);
            let statement = Statement { text, scanned, parameters: &datums, own: &[], how };
            // An error of the group's commit could not be told between two statements' replies.
            let group = group.filter(|_| next == text.len());
            panics::caught(&scanned.shape, || self.run(&statement, None, group))
        });
        let of = StatementShape {
            shape: &scanned.shape,
            has_more_rows: scanned.has_more_rows(),
            text: text.get(scanned.start..scanned.end).unwrap_or(text),
            mode: self.variables.mode,
        };
        self.leave(result, &of)
    }

    /// Where the text behind a statement begins. Comments there are a statement where there may be
    /// several.
    fn behind(&self, text: &[u8], scanned: &Scanned) -> usize {
        match self.multi_statements {
            true => scanned.taken,
            false => skip_space(text, scanned.taken),
        }
    }

    /// A statement without a word: a comment is one that does nothing (MySQL 9.7 and MariaDB 10.11
    /// answer so), nothing at all is none.
    fn nothing(&mut self, written: &[u8], scanned: &Scanned) -> Result<Reply> {
        if scanned.end < written.len() {
            return Err(syntax::scan::syntax_at(written, scanned.end).into());
        }
        if written.is_empty() {
            return Err(query_was_empty());
        }
        self.begin_statement();
        self.row_count = 0;
        Ok(self.done(0))
    }

    /// Prepares the first statement of `text`.
    ///
    /// # Errors
    /// MySQL's: a statement that cannot be bound is refused now.
    pub fn prepare(&mut self, text: &[u8]) -> Result<PreparedReply> {
        self.enter(text, CommandWord::Prepare);
        self.limits.set_in_loop(false);
        let _current = KillMark::of_this_thread(&self.process.kill);
        let result = panics::caught(b"PREPARE", || self.prepare_statement(text));
        self.sql.counters().prepares.add();
        self.sql.counters().questions.add();
        self.process.leave();
        result.inspect_err(|error| self.note_error(error))
    }

    /// Executes a prepared statement.
    ///
    /// # Errors
    /// As `query`; 1243 for an unknown number, 1210 for a wrong number of parameters.
    pub fn execute(
        &mut self,
        id: u32,
        parameters: &[Parameter<'_>],
        how: ExecutionMode,
    ) -> Result<Reply> {
        self.execute_with(id, parameters, how, None)
    }

    /// As `execute` in an event loop, with a group as for `query_in_loop`.
    ///
    /// # Errors
    /// As `execute`; a statement that failed has left nothing in the group.
    pub fn execute_in_loop(
        &mut self,
        id: u32,
        parameters: &[Parameter<'_>],
        group: &mut Group,
    ) -> Result<Reply> {
        self.execute_with(id, parameters, ExecutionMode::LOOP, Some(group))
    }

    /// The commit of the group that the last statement joined has failed.
    pub fn commit_failed(&mut self, error: &rows::Error) -> SqlError {
        let error = SqlError::from(error);
        self.note_error(&error);
        error
    }

    fn execute_with(
        &mut self,
        id: u32,
        parameters: &[Parameter<'_>],
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let Some(prepared) = self.prepared.remove(&id) else {
            return Err(SqlError::new(
                ErrorCode::UnknownStatementHandler,
                format!("Unknown prepared statement handler ({id}) given to EXECUTE"),
            ));
        };
        let long = |value: &Parameter<'_>| match value {
            Datum::Bytes(text) => text.len() > how.limits().bytes,
            _ => false,
        };
        if parameters.iter().any(long) {
            self.prepared.insert(id, prepared);
            return Err(SqlError::WouldWait);
        }
        let has_values = self.sql.history().logs().need_values();
        let text = self.text_of_execution(&prepared, parameters, has_values);
        self.enter(&text, CommandWord::Execute);
        let _current = self.current(how);
        let shape = prepared.shape();
        let result =
            panics::caught(&shape, || self.execute_prepared(&prepared, parameters, how, group));
        self.note_values(&prepared, parameters, &result);
        let of = prepared.statement_shape(&shape, self.variables.mode);
        let result = self.leave(result, &of);
        self.prepared.insert(id, prepared);
        result
    }

    /// Forgets a prepared statement.
    pub fn close(&mut self, id: u32) {
        self.prepared.remove(&id);
        self.named.retain(|_, named| *named != id);
    }

    /// Takes memory for carrying out a large statement; a small one needs none. If it has to wait
    /// for it forgets what was scanned meanwhile, and scans the text again.
    fn room_for(
        &self,
        text: &[u8],
        scanned: &mut Scanned,
        how: ExecutionMode,
    ) -> Result<Option<Room>> {
        let bytes = scanned.memory_bytes();
        if bytes == 0 {
            return Ok(None);
        }
        let rooms = self.sql.rooms();
        if let Some(room) = rooms.take(bytes)? {
            return Ok(Some(room));
        }
        if !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        scanned.shrink();
        let room = rooms.wait_for(bytes, &self.process.kill)?;
        scanned.scan(text, self.variables.mode)?;
        Ok(Some(room))
    }

    pub(super) fn enter(&mut self, text: &[u8], word: CommandWord) {
        self.renew_rights();
        if self.process.enter(text, word, self.sql.engine().clock().unix_micros()) {
            self.uncounted = UncountedUse::ALL;
            self.audit_class = AuditClass::Statements;
            self.table_watch.set(TableWatch::Unknown);
        }
        self.executing = false;
        if let Some(time) = self.statement_time() {
            self.process.kill.end_after(time, TimeLimit::Statement);
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            self.process.kill.end_after(left, TimeLimit::Statement);
        }
    }

    /// Lets waits beneath end with the statement. In a loop nothing waits.
    pub(super) fn current(&self, how: ExecutionMode) -> Option<ThreadGuard> {
        how.may_wait.then(|| KillMark::of_this_thread(&self.process.kill))
    }

    pub(super) fn leave(
        &mut self,
        result: Result<Reply>,
        of: &StatementShape<'_>,
    ) -> Result<Reply> {
        // A wait that was interrupted ends as if its time were over.
        let mut result = match result {
            Err(error @ SqlError::LockTimeout) => {
                Err(self.process.kill.check().err().map_or(error, SqlError::from))
            }
            other => other,
        };
        if matches!(result, Err(SqlError::WouldWait)) {
            // What is repeated elsewhere counts there.
            self.process.postpone();
            return result;
        }
        self.sql.counters().questions.add();
        let kind = self.kind_of(of);
        let is_over = result.as_ref().map_or(true, Reply::is_gathered);
        self.note_logged_plan(kind.slow, is_over);
        let status = result.as_ref().err().map_or(0, |error| error.number());
        let mut outcome = StatementOutcome { status, ..Default::default() };
        if result.is_ok() {
            outcome.warnings = self.warnings.borrow().count();
        }
        match result {
            Ok(Reply::Rows(ref mut stream)) => {
                stream.follow(Box::new(self.process.run_on(Some((kind, outcome)))));
            }
            Ok(Reply::LoadLocal(ref mut load)) => {
                load.keep_running(self.process.run_on(Some((kind, outcome))));
            }
            Ok(Reply::Done(ref figures)) => {
                outcome.affected = figures.affected;
                self.process.end(kind, outcome);
            }
            Err(_) => self.process.end(kind, outcome),
        }
        result.inspect_err(|error| self.note_error(error))
    }

    /// What a statement is to those who look at what statements take.
    pub(super) fn kind_of(&self, of: &StatementShape<'_>) -> StatementKind {
        let history = self.sql.history();
        let digest = history.digest_of(self.database.as_deref(), of);
        let table_watch = self.table_watch.get();
        StatementKind { digest, slow: self.slow_rule(), class: self.audit_class, table_watch }
    }

    /// From when on its statements are slow.
    pub(super) fn slow_rule(&self) -> SlowRule {
        SlowRule {
            after: self.variables.long_query_time,
            examined_min: self.variables.examined_rows_min,
        }
    }

    pub(super) fn note_error(&mut self, error: &SqlError) {
        if *error == SqlError::WouldWait {
            return;
        }
        self.row_count = -1;
        self.warnings.borrow_mut().push_warning(error.to_warning(Level::Error));
    }

    /// Carries a statement out. `known` is the plan of a prepared statement; a group is for
    /// those that may join it.
    pub(super) fn run(
        &mut self,
        statement: &Statement<'_>,
        known: Option<&Plan>,
        group: Option<&mut Group>,
    ) -> Result<Reply> {
        let _telling = statement.how.may_wait.then(|| waiting::tell(&self.process.waits));
        self.limits.set_in_loop(!statement.how.may_wait);
        let source = statement.source();
        let word = statement_word(source);
        self.count_use(word)?;
        self.check_audit()?;
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if is(b"select")
            || is(b"with")
            || is(b"values")
            || is(b"table")
            || source.first() == Some(&b'(')
        {
            self.check_no_inserts()?;
            self.check_expired(None)?;
            if let Some(time) = max_execution_time(source).or(self.variables.execution_time) {
                self.process.kill.end_after(time, TimeLimit::Execution);
            }
            return self.counted(|session| session.run_select(statement, known), |c| &c.selects);
        }
        if is(b"insert") || is(b"replace") || is(b"update") || is(b"delete") {
            self.check_flushed()?;
            self.check_expired(None)?;
            let counter: fn(&Counters) -> &Counter = match word[0].to_ascii_lowercase() {
                b'i' => |c| &c.inserts,
                b'r' => |c| &c.replaces,
                b'u' => |c| &c.updates,
                _ => |c| &c.deletes,
            };
            return self.counted(|session| session.run_write(statement, known, group), counter);
        }
        self.run_admin(statement, group)
    }

    /// Runs a statement that has warnings of its own, and counts it. One that is to be repeated
    /// elsewhere is not counted and leaves the warnings as they were.
    pub(super) fn counted(
        &mut self,
        run: impl FnOnce(&mut Session) -> Result<Reply>,
        counter: fn(&Counters) -> &Counter,
    ) -> Result<Reply> {
        let before = self.begin_statement();
        let result = run(self);
        if matches!(result, Err(SqlError::WouldWait)) {
            (self.warnings, self.counts_before) = before;
        } else {
            counter(self.sql.counters()).add();
        }
        result
    }

    /// Refuses texts that stand beside days, times or numbers and are none. What a client sends for
    /// a `?` is not asked: MySQL has made a value of the other side's type of it. `is_write`: one
    /// without IGNORE.
    pub(super) fn check_compared_texts<'t>(
        &self,
        texts: impl Iterator<Item = &'t ComparedText>,
        statement: &Statement<'_>,
        is_write: bool,
    ) -> Result<()> {
        let with = self.text_check(statement.parameters, is_write);
        let is_own = |number: u16| {
            let literal = statement.scanned.literals.get(usize::from(number));
            matches!(literal, Some(Literal::Parameter(_)))
        };
        for text in texts {
            if statement.own.is_empty() || !text.has_literal(&is_own) {
                text.check(&with)?;
            }
        }
        Ok(())
    }

    /// The same of a query whose literals stand in it.
    pub(super) fn check_known_texts(&self, texts: &[ComparedText]) -> Result<()> {
        let with = self.text_check(&[], false);
        texts.iter().try_for_each(|text| text.check(&with))
    }

    /// What such texts are checked with.
    fn text_check<'l>(&self, literals: &'l [Datum<'l>], is_write: bool) -> TextCheck<'l> {
        let (zone, mode) = (self.variables.zone, self.variables.mode);
        TextCheck { literals, zone, mode, is_strict_write: is_write && mode.strict() }
    }

    /// Forgets the warnings of the statement before; gives back what it forgets.
    pub(super) fn begin_statement(&mut self) -> (RefCell<Warnings>, (u64, u64)) {
        self.take_late_warnings();
        self.writes_temporary = false;
        self.shows_warnings = false;
        if !self.shape.is_empty() {
            self.shape = Arc::from("");
        }
        let counts_before = self.counts_before;
        let warnings = self.warnings.take();
        if warnings.count() > 0 || counts_before != (0, 0) {
            let errors = warnings.list().iter().filter(|w| w.level == Level::Error).count();
            self.counts_before = (warnings.count(), errors as u64);
        }
        (RefCell::new(warnings), counts_before)
    }
}

pub(super) fn query_was_empty() -> SqlError {
    SqlError::new(ErrorCode::EmptyQuery, "Query was empty")
}

/// The time that the hint `/*+ MAX_EXECUTION_TIME(milliseconds) */` behind SELECT allows.
fn max_execution_time(source: &[u8]) -> Option<Duration> {
    const HINT: &[u8] = b"max_execution_time";
    let hints = source.get(b"select".len()..)?.trim_ascii_start().strip_prefix(b"/*+")?;
    let hints = &hints[..memchr::memmem::find(hints, b"*/")?].to_ascii_lowercase();
    let after = &hints[memchr::memmem::find(hints, HINT)? + HINT.len()..];
    let inside = after.trim_ascii_start().strip_prefix(b"(")?;
    let digits = inside[..memchr::memchr(b')', inside)?].trim_ascii();
    let millis: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (millis > 0).then(|| Duration::from_millis(millis))
}
