//! Commands to statements of a session, and their replies to packets. The only place where this
//! door meets crate `sql`.
//!
//! Invariants
//! 1. A command that would wait leaves no trace, neither in the session nor in the output, and
//!    is repeated as it came.
//! 2. Rows are written piecewise: what is in the output at one time is bounded, but for the
//!    size of a single row.
//!
//! Not here: reading packets, logins, the order of things (`conversation`).

use std::collections::HashMap;
use std::sync::Arc;

use results::{ExecutionMode, Pace, ResultColumn, RowStream, SqlError};
use rows::Group;
use sql::{LoadLocal, OkFigures, Reply, Session, SessionCommand};
use values::CharacterSet;
use values::ErrorCode;
use values::datum::{Datum, Value};

use super::charset;
use super::command::MysqlCommand;
use super::encode::{self, ResultHead};
use super::frame::Packets;
use super::numbers::{capability, cursor_type, status};
use super::open_cursor::OpenCursor;
use super::parameters::{ParameterError, Statement};
use super::row;

/// About how many bytes of rows are written before the output is sent.
const PIECE_BYTES: usize = 256 * 1024;
/// The same in an event loop, where others wait meanwhile.
const LOOP_PIECE_BYTES: usize = 32 * 1024;

/// What is left to do for a command after a step.
pub enum StepOutcome {
    /// Nothing: the reply is complete.
    Answered,
    /// This statement of a query is done, the next one begins at this byte of the text.
    NextStatement(usize),
    /// Rows are to be written by `Link::write_rows`.
    Rows(Box<ReplyRows>),
    /// The client was asked for a file; the next statement begins at this byte of the text.
    File(Box<LoadLocal>, Option<usize>),
    /// Nothing was done: repeat it where waiting is allowed. For a query, where in its text the
    /// statement begins.
    Wait(usize),
    /// The connection is to be closed.
    Close,
}

/// Rows that are not all written.
pub enum ReplyRows {
    /// A statement's, on their way to the client.
    Sent(SentRows),
    /// A statement's, gathered for a cursor.
    Gathered(Box<GatheredRows>),
    /// Those of an open cursor.
    Fetched {
        /// Its statement.
        statement: u32,
        /// How many more the client wants.
        left: u32,
    },
}

/// Rows of a statement that the client gets at once.
pub struct SentRows {
    stream: RowStream,
    binary: bool,
    /// The character set that its texts are converted to.
    results: Option<CharacterSet>,
    /// Where the next statement of the query begins.
    resume: Option<usize>,
}

/// Rows of a statement that go into its cursor.
pub struct GatheredRows {
    statement: u32,
    stream: RowStream,
    /// The character set that its texts are converted to.
    results: Option<CharacterSet>,
}

impl ReplyRows {
    /// Bytes of memory for clients that rows which are ready have drawn.
    pub fn drawn_bytes(&self) -> usize {
        match self {
            ReplyRows::Sent(rows) => rows.stream.drawn_bytes(),
            ReplyRows::Gathered(rows) => rows.stream.drawn_bytes(),
            ReplyRows::Fetched { .. } => 0,
        }
    }
}

/// How far `Link::write_rows` came.
pub enum WriteProgress {
    /// All rows and their end are written.
    All(StepOutcome),
    /// The output is full.
    Piece,
    /// The next row must be waited for.
    Wait,
}

/// A logged-in connection: its session, and what the protocol keeps beside it.
pub struct Link {
    session: Session,
    capabilities: u32,
    statements: HashMap<u32, PreparedStatement>,
    /// Of the last text result.
    head: KeptHead,
    packet_bytes_max: usize,
    long_data_bytes: usize,
}

/// A prepared statement.
struct PreparedStatement {
    parameters: Statement,
    head: KeptHead,
    /// Its rows, while the client fetches them.
    cursor: Option<OpenCursor>,
}

impl Link {
    /// A connection with a fresh session.
    pub fn new(mut session: Session, capabilities: u32, packet_bytes_max: usize) -> Link {
        session.set_multi_statements(capabilities & capability::MULTI_STATEMENTS != 0);
        session.set_found_rows(capabilities & capability::FOUND_ROWS != 0);
        let packet_bytes_max = packet_bytes_max.min(session.packet_bytes_max());
        Link {
            session,
            capabilities,
            statements: HashMap::new(),
            head: KeptHead::default(),
            packet_bytes_max,
            long_data_bytes: 0,
        }
    }

    /// The largest packet that the client may send, in bytes.
    pub fn packet_bytes_max(&self) -> usize {
        self.packet_bytes_max
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Serves one command, all but logins. `Query` begins with its first statement.
    /// With a group, short writes join it.
    pub fn serve(
        &mut self,
        command: MysqlCommand<'_>,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> StepOutcome {
        let served = match command {
            MysqlCommand::Query(text) => self.query(text, 0, packets, how, group),
            MysqlCommand::Execute { statement, cursor, parameters } => {
                let has_cursor = cursor & cursor_type::READ_ONLY != 0;
                self.execute((statement, has_cursor), parameters, packets, how, group)
            }
            MysqlCommand::Quit => {
                self.session.note_quit();
                Ok(StepOutcome::Close)
            }
            MysqlCommand::Ping => Ok(self.ok(packets)),
            MysqlCommand::InitDb(name) => self.init_db(name, packets),
            MysqlCommand::FieldList { table, pattern } => self.field_list(table, pattern, packets),
            MysqlCommand::Statistics => Ok(self.statistics(packets)),
            MysqlCommand::ProcessInfo => self.command(SessionCommand::ListProcesses, packets),
            MysqlCommand::ProcessKill(id) => self.command(SessionCommand::Kill(id), packets),
            MysqlCommand::Refresh(parts) => self.command(refresh(parts), packets),
            MysqlCommand::Debug => Ok(self.end(packets)),
            MysqlCommand::SetMultiStatements(allowed) => {
                self.session.set_multi_statements(allowed);
                Ok(self.end(packets))
            }
            MysqlCommand::Prepare(text) => self.prepare(text, packets),
            MysqlCommand::SendLongData { statement, parameter, data } => {
                self.send_long_data(statement, parameter, data);
                Ok(StepOutcome::Answered)
            }
            MysqlCommand::Close(statement) => {
                if self.statements.remove(&statement).is_some() {
                    self.session.close(statement);
                }
                Ok(StepOutcome::Answered)
            }
            MysqlCommand::Reset(statement) => self.reset(statement, packets),
            MysqlCommand::Fetch { statement, rows } => self.fetch(statement, rows),
            MysqlCommand::ChangeUser(_) | MysqlCommand::ResetConnection => {
                unreachable!("served by the conversation")
            }
            MysqlCommand::Unknown(_) => {
                Err(SqlError::new(ErrorCode::UnknownCom, "Unknown command"))
            }
        };
        settle(served, 0, self.results_in(), packets)
    }

    /// The group that the last command's write joined was not committed: the reply instead.
    pub fn commit_failed(&mut self, error: &rows::Error, packets: &mut Packets<'_>) {
        let error = self.session.commit_failed(error);
        encode::write_error(packets, &error, self.results_in());
    }

    /// Serves the statement of a query that begins at byte `from` of its text.
    pub fn serve_statement(
        &mut self,
        text: &[u8],
        from: usize,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
    ) -> StepOutcome {
        let served = self.query(text, from, packets, how, None);
        settle(served, from, self.results_in(), packets)
    }

    fn query(
        &mut self,
        text: &[u8],
        from: usize,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<StepOutcome, SqlError> {
        let sent = self.session.client_text(&text[from..]);
        let (reply, taken) = match group {
            Some(group) => self.session.query_in_loop(sent.text(), group)?,
            None => self.session.query(sent.text(), how)?,
        };
        let next = from + sent.bytes_as_sent(taken);
        let resume = (next < text.len()).then_some(next);
        self.answer(reply, resume, packets)
    }

    /// Answers a statement, behind which another one stands at byte `resume`.
    fn answer(
        &mut self,
        reply: Reply,
        resume: Option<usize>,
        packets: &mut Packets<'_>,
    ) -> Result<StepOutcome, SqlError> {
        Ok(match reply {
            Reply::Done(done) => {
                encode::write_ok(packets, &done, self.status(resume.is_some()));
                resume.map_or(StepOutcome::Answered, StepOutcome::NextStatement)
            }
            Reply::Rows(stream) => {
                let status = self.status(resume.is_some());
                let results = self.results_in();
                self.head.write(stream.columns(), self.capabilities, status, results, packets);
                let rows = SentRows { stream, binary: false, results, resume };
                StepOutcome::Rows(Box::new(ReplyRows::Sent(rows)))
            }
            Reply::LoadLocal(load) => self.ask_for_file(load, resume, packets)?,
        })
    }

    fn ask_for_file(
        &mut self,
        load: LoadLocal,
        resume: Option<usize>,
        packets: &mut Packets<'_>,
    ) -> Result<StepOutcome, SqlError> {
        if self.capabilities & capability::LOCAL_FILES == 0 {
            let message = "Loading local data is disabled; this must be enabled on both the \
                           client and server sides";
            return Err(SqlError::new(ErrorCode::ClientLocalFilesDisabled, message));
        }
        encode::write_local_infile(packets, load.file_name());
        Ok(StepOutcome::File(Box::new(load), resume))
    }

    /// Gives a piece of the file that was asked for to its statement.
    ///
    /// # Errors
    /// Those of the statement, which ends with the first: a later piece has nobody to take it.
    pub fn feed(&mut self, load: &mut LoadLocal, piece: &[u8]) -> Result<(), SqlError> {
        load.feed(&mut self.session, piece)
    }

    /// Ends a statement that loads a file: `fed` says whether all pieces could be used.
    pub fn finish_file(
        &mut self,
        load: LoadLocal,
        fed: Result<(), SqlError>,
        resume: Option<usize>,
        packets: &mut Packets<'_>,
    ) -> StepOutcome {
        let finished = match fed {
            Ok(()) => load.finish(&mut self.session),
            Err(error) => {
                load.abandon(&mut self.session);
                Err(error)
            }
        };
        match finished {
            Ok(done) => {
                encode::write_ok(packets, &done, self.status(resume.is_some()));
                resume.map_or(StepOutcome::Answered, StepOutcome::NextStatement)
            }
            Err(error) => {
                encode::write_error(packets, &error, self.results_in());
                StepOutcome::Answered
            }
        }
    }

    fn prepare(&mut self, text: &[u8], packets: &mut Packets<'_>) -> Result<StepOutcome, SqlError> {
        let text = self.session.client_text(text);
        let prepared = self.session.prepare(text.text())?;
        let (status, results) = (self.status(false), self.results_in());
        encode::write_prepared(packets, &prepared, self.capabilities, status, results);
        let kept = PreparedStatement {
            parameters: Statement::new(prepared.parameters),
            head: KeptHead::default(),
            cursor: None,
        };
        self.statements.insert(prepared.id, kept);
        Ok(StepOutcome::Answered)
    }

    /// Executes a statement, with a cursor if the client asks for one.
    fn execute(
        &mut self,
        (statement, has_cursor): (u32, bool),
        payload: &[u8],
        packets: &mut Packets<'_>,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Result<StepOutcome, SqlError> {
        let Some(kept) = self.statements.get_mut(&statement) else {
            return Err(unknown_statement(statement, "mysqld_stmt_execute"));
        };
        kept.cursor = None;
        let mut values: Vec<Datum<'_>> = Vec::new();
        let bound = kept.parameters.bind(payload);
        let parameters = &kept.parameters;
        let decoded = bound.and_then(|()| parameters.values(payload, &mut values));
        let client = self.session.charsets().client;
        let of_client;
        if !client.is_utf8() && !client.is_binary() {
            let is_text = |at| parameters.is_text(at);
            of_client = charset::decoded_parameters(client, &values, is_text);
            values = of_client.iter().map(Value::as_datum).collect();
        }
        let executed = match (decoded, group) {
            (Ok(()), Some(group)) => self.session.execute_in_loop(statement, &values, group),
            (Ok(()), None) => self.session.execute(statement, &values, how),
            (Err(error), _) => Err(parameter_error(error)),
        };
        drop(values);
        if let Err(error) = &executed
            && *error == SqlError::WouldWait
        {
            return Err(SqlError::WouldWait);
        }
        kept.parameters.reset();
        match executed? {
            Reply::Done(done) => {
                encode::write_ok(packets, &done, self.session.status_flags());
                Ok(StepOutcome::Answered)
            }
            Reply::Rows(stream) => {
                let results = charset::results_in(self.session.charsets().results);
                if has_cursor {
                    kept.cursor = Some(OpenCursor::new(self.session.sql().engine()));
                    let rows = Box::new(GatheredRows { statement, stream, results });
                    return Ok(StepOutcome::Rows(Box::new(ReplyRows::Gathered(rows))));
                }
                let status = self.session.status_flags();
                kept.head.write(stream.columns(), self.capabilities, status, results, packets);
                let rows = SentRows { stream, binary: true, results, resume: None };
                Ok(StepOutcome::Rows(Box::new(ReplyRows::Sent(rows))))
            }
            Reply::LoadLocal(load) => self.ask_for_file(load, None, packets),
        }
    }

    /// Goes on with rows until they end, the output is full, or one must be waited for.
    pub fn write_rows(
        &mut self,
        rows: &mut ReplyRows,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
    ) -> WriteProgress {
        let written = match rows {
            ReplyRows::Sent(rows) => self.write_sent(rows, packets, how),
            ReplyRows::Gathered(rows) => self.gather(rows, packets, how),
            ReplyRows::Fetched { statement, left } => {
                self.write_fetched(*statement, left, packets, how)
            }
        };
        match written {
            Ok(progress) => progress,
            Err(SqlError::WouldWait) => WriteProgress::Wait,
            Err(error) => {
                if let ReplyRows::Gathered(rows) = rows
                    && let Some(kept) = self.statements.get_mut(&rows.statement)
                {
                    kept.cursor = None;
                }
                encode::write_error(packets, &error, self.results_in());
                WriteProgress::All(StepOutcome::Answered)
            }
        }
    }

    /// Writes a statement's rows.
    fn write_sent(
        &mut self,
        rows: &mut SentRows,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
    ) -> Result<WriteProgress, SqlError> {
        let full = packets.bytes() + piece_bytes(how);
        let SentRows { stream, binary, results, resume } = rows;
        let columns = Arc::clone(stream.columns());
        let (zone, binary, results) = (stream.zone(), *binary, *results);
        let more = stream.next(how, &mut |row: &[Datum<'_>]| {
            charset::with_row_in(results, &columns, row, zone, |row| {
                if binary {
                    packets.packet(|out| row::write_binary_row(out, &columns, row, zone))
                } else {
                    packets.packet(|out| row::write_text_row(out, &columns, row, zone));
                    Ok(())
                }
            })?;
            Ok(if packets.bytes() < full { Pace::More } else { Pace::Pause })
        })?;
        if more {
            return Ok(WriteProgress::Piece);
        }
        let status = self.status(resume.is_some());
        let warnings = self.session.warning_count();
        encode::write_end_of_rows(packets, self.capabilities, warnings, status);
        let outcome = resume.map_or(StepOutcome::Answered, StepOutcome::NextStatement);
        Ok(WriteProgress::All(outcome))
    }

    /// Gathers a statement's rows for its cursor; when all are there, says that it is open. An
    /// error is the statement's: the client has seen nothing of it yet.
    fn gather(
        &mut self,
        gathered: &mut GatheredRows,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
    ) -> Result<WriteProgress, SqlError> {
        let GatheredRows { statement, stream, results } = gathered;
        let kept = self.statements.get_mut(statement);
        let Some(PreparedStatement { head, cursor: Some(cursor), .. }) = kept else {
            return Err(no_open_cursor(*statement));
        };
        let columns = Arc::clone(stream.columns());
        let (zone, results) = (stream.zone(), *results);
        let piece = piece_bytes(how);
        loop {
            cursor.make_room(how)?;
            let full = cursor.row_bytes() + piece as u64;
            let more = stream.next(how, &mut |row: &[Datum<'_>]| {
                charset::with_row_in(results, &columns, row, zone, |row| {
                    cursor.add(|out| row::write_binary_row(out, &columns, row, zone))
                })?;
                let pause = cursor.wants_room() || cursor.row_bytes() >= full;
                Ok(if pause { Pace::Pause } else { Pace::More })
            })?;
            if !more {
                break;
            }
            if !how.may_wait {
                return Ok(WriteProgress::Piece);
            }
        }
        cursor.finish(how)?;
        let status = self.session.status_flags() | status::CURSOR_EXISTS;
        head.write(&columns, self.capabilities, status, results, packets);
        if self.capabilities & capability::DEPRECATE_EOF != 0 {
            // Rows do not follow, so that the head has an end of its own.
            let warnings = self.session.warning_count();
            encode::write_end_of_rows(packets, self.capabilities, warnings, status);
        }
        Ok(WriteProgress::All(StepOutcome::Answered))
    }

    /// The next rows of a statement's cursor.
    fn fetch(&mut self, statement: u32, rows: u32) -> Result<StepOutcome, SqlError> {
        let Some(kept) = self.statements.get(&statement) else {
            return Err(unknown_statement(statement, "mysqld_stmt_fetch"));
        };
        if kept.cursor.is_none() {
            return Err(no_open_cursor(statement));
        }
        Ok(StepOutcome::Rows(Box::new(ReplyRows::Fetched { statement, left: rows })))
    }

    /// Writes rows of an open cursor. It is closed when the client wants more than there are.
    fn write_fetched(
        &mut self,
        statement: u32,
        left: &mut u32,
        packets: &mut Packets<'_>,
        how: ExecutionMode,
    ) -> Result<WriteProgress, SqlError> {
        let mut status = self.status(false);
        let full = packets.bytes() + piece_bytes(how);
        let kept = self.statements.get_mut(&statement);
        let Some(kept) = kept else { return Err(no_open_cursor(statement)) };
        let Some(cursor) = &mut kept.cursor else { return Err(no_open_cursor(statement)) };
        let mut is_over = false;
        while *left > 0 && !is_over {
            if packets.bytes() >= full {
                return Ok(WriteProgress::Piece);
            }
            match cursor.next(how)? {
                Some(row) => {
                    packets.packet(|out| out.extend_from_slice(row));
                    *left -= 1;
                }
                None => is_over = true,
            }
        }
        if is_over {
            kept.cursor = None;
            status |= status::LAST_ROW_SENT;
        } else {
            cursor.rest();
            status |= status::CURSOR_EXISTS;
        }
        encode::write_end_of_rows(packets, self.capabilities, 0, status);
        Ok(WriteProgress::All(StepOutcome::Answered))
    }

    /// A command that is a statement without text, answered as that is.
    fn command(
        &mut self,
        command: SessionCommand,
        packets: &mut Packets<'_>,
    ) -> Result<StepOutcome, SqlError> {
        let reply = self.session.command(command)?;
        self.answer(reply, None, packets)
    }

    fn init_db(&mut self, name: &[u8], packets: &mut Packets<'_>) -> Result<StepOutcome, SqlError> {
        self.session.begin_with_database(utf8(name)?)?;
        Ok(self.ok(packets))
    }

    /// The columns of a table of the current database, with their defaults.
    fn field_list(
        &mut self,
        table: &[u8],
        pattern: &[u8],
        packets: &mut Packets<'_>,
    ) -> Result<StepOutcome, SqlError> {
        let (results, client) = (self.results_in(), self.session.charsets().client);
        let (table, pattern) = (client.decode(table), client.decode(pattern));
        for (column, default) in self.session.columns_with_defaults(utf8(&table)?)? {
            if matches_pattern(column.name.as_bytes(), &pattern) {
                encode::write_listed_column(packets, &column, default.as_deref(), results);
            }
        }
        Ok(self.end(packets))
    }

    /// The line that command line clients show for `status`.
    fn statistics(&self, packets: &mut Packets<'_>) -> StepOutcome {
        let line = self.session.statistics();
        packets.packet(|out| out.extend_from_slice(line.as_bytes()));
        StepOutcome::Answered
    }

    /// Bytes of long data, as they were when the last piece came.
    pub fn long_data_bytes(&self) -> usize {
        self.long_data_bytes
    }

    fn send_long_data(&mut self, statement: u32, parameter: u16, data: &[u8]) {
        let held: usize =
            self.statements.values().map(|kept| kept.parameters.long_data_bytes()).sum();
        self.long_data_bytes = held + data.len();
        // The command has no answer; an unknown statement is complained about when executed.
        if let Some(kept) = self.statements.get_mut(&statement) {
            kept.parameters.append(parameter, data, self.packet_bytes_max.saturating_sub(held));
        }
    }

    fn reset(
        &mut self,
        statement: u32,
        packets: &mut Packets<'_>,
    ) -> Result<StepOutcome, SqlError> {
        match self.statements.get_mut(&statement) {
            Some(kept) => {
                kept.parameters.reset();
                kept.cursor = None;
            }
            None => return Err(unknown_statement(statement, "mysqld_stmt_reset")),
        }
        Ok(self.ok(packets))
    }

    /// OK without figures.
    pub fn ok(&self, packets: &mut Packets<'_>) -> StepOutcome {
        encode::write_ok(packets, &OkFigures::default(), self.status(false));
        StepOutcome::Answered
    }

    /// OK with words.
    pub fn ok_with(&self, info: String, packets: &mut Packets<'_>) -> StepOutcome {
        let figures = OkFigures { info, ..OkFigures::default() };
        encode::write_ok(packets, &figures, self.status(false));
        StepOutcome::Answered
    }

    /// EOF without rows before it, which some old commands answer.
    fn end(&self, packets: &mut Packets<'_>) -> StepOutcome {
        encode::write_end_of_rows(packets, self.capabilities, 0, self.status(false));
        StepOutcome::Answered
    }

    /// The character set that results are converted to.
    pub(super) fn results_in(&self) -> Option<CharacterSet> {
        charset::results_in(self.session.charsets().results)
    }

    fn status(&self, more: bool) -> u16 {
        let more = if more { status::MORE_RESULTS_EXISTS } else { 0 };
        self.session.status_flags() | more
    }
}

/// The encoded head of a result that came twice: a plan's columns are the same `Arc` each time.
#[derive(Default)]
struct KeptHead {
    columns: Option<Arc<[ResultColumn]>>,
    status: u16,
    results: Option<CharacterSet>,
    encoded: Option<ResultHead>,
}

impl KeptHead {
    /// Writes the head of a result, from memory if it is the same as last time.
    fn write(
        &mut self,
        columns: &Arc<[ResultColumn]>,
        capabilities: u32,
        status: u16,
        results: Option<CharacterSet>,
        packets: &mut Packets<'_>,
    ) {
        let known = self.columns.as_ref();
        let is_same = self.status == status && self.results == results;
        if known.is_none_or(|known| !Arc::ptr_eq(known, columns)) || !is_same {
            *self = KeptHead { columns: Some(Arc::clone(columns)), status, results, encoded: None };
        } else {
            let encode = || ResultHead::new(columns, capabilities, status, results);
            // Numbered as a command's first reply, which it is unless the command took several
            // frames or had results before.
            if self.encoded.get_or_insert_with(encode).write(packets) {
                return;
            }
        }
        encode::write_result_head(packets, columns, capabilities, status, results);
    }
}

/// Writes what became of a command as its reply, unless it is to be repeated.
fn settle(
    served: Result<StepOutcome, SqlError>,
    from: usize,
    results: Option<CharacterSet>,
    packets: &mut Packets<'_>,
) -> StepOutcome {
    match served {
        Ok(outcome) => outcome,
        Err(SqlError::WouldWait) => StepOutcome::Wait(from),
        Err(error) => {
            encode::write_error(packets, &error, results);
            StepOutcome::Answered
        }
    }
}

/// COM_REFRESH: there is nothing to flush, and no binary log to reset.
fn refresh(parts: u8) -> SessionCommand {
    /// REFRESH_MASTER: the binary log begins again.
    const MASTER: u8 = 0x80;
    if parts & MASTER != 0 { SessionCommand::ResetLog } else { SessionCommand::Flush }
}

fn parameter_error(error: ParameterError) -> SqlError {
    match error {
        ParameterError::Malformed => malformed(),
        ParameterError::Arguments => {
            SqlError::new(ErrorCode::WrongArguments, "Incorrect arguments to mysqld_stmt_execute")
        }
        ParameterError::TooLong => SqlError::new(
            ErrorCode::UnknownError,
            "Parameter of prepared statement which is set through mysql_send_long_data() is \
             longer than 'max_allowed_packet' bytes",
        ),
    }
}

/// 1835: the packet does not hold what its command needs.
pub fn malformed() -> SqlError {
    SqlError::new(ErrorCode::MalformedPacket, "Malformed communication packet.")
}

/// How many bytes of rows are written, or gathered, at a time.
fn piece_bytes(how: ExecutionMode) -> usize {
    if how.may_wait { PIECE_BYTES } else { LOOP_PIECE_BYTES }
}

fn no_open_cursor(statement: u32) -> SqlError {
    let message = format!("The statement ({statement}) has no open cursor.");
    SqlError::new(ErrorCode::StatementHasNoOpenCursor, message)
}

fn unknown_statement(statement: u32, of: &str) -> SqlError {
    let message = format!("Unknown prepared statement handler ({statement}) given to {of}");
    SqlError::new(ErrorCode::UnknownStatementHandler, message)
}

fn utf8(name: &[u8]) -> Result<&str, SqlError> {
    std::str::from_utf8(name).map_err(|_| {
        let shown = String::from_utf8_lossy(name);
        SqlError::new(
            ErrorCode::InvalidCharacterString,
            format!("Invalid utf8mb4 character string: '{shown}'"),
        )
    })
}

/// LIKE with `%` and `_`, without regard to ASCII case; an empty pattern matches all.
fn matches_pattern(name: &[u8], pattern: &[u8]) -> bool {
    // Where to go on after a mismatch: behind the last `%`, one character further each time.
    let (mut at, mut in_pattern, mut retry) = (0, 0, None);
    if pattern.is_empty() {
        return true;
    }
    while at < name.len() {
        match pattern.get(in_pattern) {
            Some(b'%') => {
                in_pattern += 1;
                retry = Some((at, in_pattern));
            }
            Some(&byte) if byte == b'_' || byte.eq_ignore_ascii_case(&name[at]) => {
                at += 1;
                in_pattern += 1;
            }
            _ => match retry {
                Some((from, behind)) => {
                    at = from + 1;
                    in_pattern = behind;
                    retry = Some((at, behind));
                }
                None => return false,
            },
        }
    }
    pattern[in_pattern..].iter().all(|&byte| byte == b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_list_patterns_match_as_like_does() {
        let cases = [
            ("user_id", "", true),
            ("user_id", "%", true),
            ("user_id", "USER%", true),
            ("user_id", "%id", true),
            ("user_id", "u%_i%d", true),
            ("user_id", "user", false),
            ("user_id", "user_idx", false),
            ("", "%%", true),
            ("", "_", false),
        ];
        for (name, pattern, expected) in cases {
            assert_eq!(matches_pattern(name.as_bytes(), pattern.as_bytes()), expected, "{pattern}");
        }
    }
}
