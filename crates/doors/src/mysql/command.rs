//! What a client can ask: the commands of the command phase.
//!
//! Invariants
//! 1. `CODES` is the one list of command bytes; decoding and the support list come from it.
//! 2. A command borrows from its packet.
//!
//! Not here: how the bytes are cut (`decode`), what is done (`execute`).

/// A command, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MysqlCommand<'a> {
    /// Close the connection; no answer.
    Quit,
    /// Make this the current database.
    InitDb(&'a [u8]),
    /// Run the statements of this text.
    Query(&'a [u8]),
    /// Columns of a table whose names match a LIKE pattern (empty: all). Deprecated, still sent
    /// by command line clients after USE.
    FieldList {
        /// Name of the table in the current database.
        table: &'a [u8],
        /// LIKE pattern.
        pattern: &'a [u8],
    },
    /// FLUSH, by a bit for each part. Deprecated, and what `mariadb-admin refresh` and
    /// `mariadb-dump --flush-logs` send.
    Refresh(u8),
    /// One line about the server.
    Statistics,
    /// SHOW PROCESSLIST.
    ProcessInfo,
    /// KILL.
    ProcessKill(u32),
    /// Print debugging information into the log; answered with OK.
    Debug,
    /// Is the server there?
    Ping,
    /// Log in again over the same connection; the payload is read by `handshake`.
    ChangeUser(&'a [u8]),
    /// Forget the session's state, keep the login.
    ResetConnection,
    /// Allow or forbid several statements in one query.
    SetMultiStatements(bool),
    /// Prepare the statement of this text.
    Prepare(&'a [u8]),
    /// Execute a prepared statement.
    Execute {
        /// Its number.
        statement: u32,
        /// What kind of cursor the client wants, by a bit for each (`numbers::cursor_type`).
        cursor: u8,
        /// NULL bitmap, types and values; read by `parameters`.
        parameters: &'a [u8],
    },
    /// Append a piece to a parameter's value; no answer.
    SendLongData {
        /// The statement's number.
        statement: u32,
        /// Position of the parameter.
        parameter: u16,
        /// The piece.
        data: &'a [u8],
    },
    /// Forget a statement; no answer.
    Close(u32),
    /// Forget a statement's long data, and close its cursor.
    Reset(u32),
    /// Rows of a statement's open cursor.
    Fetch {
        /// The statement's number.
        statement: u32,
        /// How many at most.
        rows: u32,
    },
    /// A command byte that is unknown or not served here (replication, shutdown).
    Unknown(u8),
}

/// Command bytes.
pub mod code {
    pub const QUIT: u8 = 0x01;
    pub const INIT_DB: u8 = 0x02;
    pub const QUERY: u8 = 0x03;
    pub const FIELD_LIST: u8 = 0x04;
    pub const REFRESH: u8 = 0x07;
    pub const STATISTICS: u8 = 0x09;
    pub const PROCESS_INFO: u8 = 0x0a;
    pub const PROCESS_KILL: u8 = 0x0c;
    pub const DEBUG: u8 = 0x0d;
    pub const PING: u8 = 0x0e;
    pub const CHANGE_USER: u8 = 0x11;
    pub const STMT_PREPARE: u8 = 0x16;
    pub const STMT_EXECUTE: u8 = 0x17;
    pub const STMT_SEND_LONG_DATA: u8 = 0x18;
    pub const STMT_CLOSE: u8 = 0x19;
    pub const STMT_RESET: u8 = 0x1a;
    pub const SET_OPTION: u8 = 0x1b;
    pub const STMT_FETCH: u8 = 0x1c;
    pub const RESET_CONNECTION: u8 = 0x1f;
}
