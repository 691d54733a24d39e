//! What a HandlerSocket client can ask, and the errors it can get.
//!
//! Invariants
//! 1. A command borrows its tokens from the line; tokens are still escaped.
//! 2. The order of `HandlerSocketRefusal` checks is the original's, as clients see only the first.

use rows::FindOp;

/// Most key values or column values of one request.
pub const VALUES_MAX: usize = 32;
/// Most filters of one request.
pub const FILTERS_MAX: usize = 1024;

/// A request line.
#[derive(Debug)]
pub enum HandlerSocketCommand<'a> {
    /// `A`: shows the secret, or logs an account in.
    Auth {
        /// Must be `1`.
        kind: &'a [u8],
        /// The secret, or `user:password`, escaped.
        key: &'a [u8],
    },
    /// `P`: opens an index under a number.
    Open {
        /// The number.
        id: u32,
        /// Database name.
        database: &'a [u8],
        /// Table name.
        table: &'a [u8],
        /// Index name, its ordinal, or empty for the primary key.
        index: &'a [u8],
        /// Columns, comma separated.
        columns: &'a [u8],
        /// Filter columns, comma separated.
        filter_columns: &'a [u8],
    },
    /// A find, a find and modify, or an insert on an opened index.
    Execute(IndexRequest<'a>),
}

/// A request on an opened index.
#[derive(Debug)]
pub struct IndexRequest<'a> {
    /// The number it was opened under.
    pub id: u32,
    /// The operator token.
    pub op: &'a [u8],
    /// How many values the request announces. Above `VALUES_MAX`, which only an insert may,
    /// they stay undecoded in `many`.
    pub announced: usize,
    /// The rest of the line after `announced`.
    pub many: &'a [u8],
    /// Key values, or column values of an insert.
    pub values: Values<'a>,
    /// Rows to give, at least 1.
    pub limit: u32,
    /// Matching rows to pass over first.
    pub offset: u32,
    /// The IN list.
    pub list: Option<InList<'a>>,
    /// Filters, all of which must hold.
    pub filters: Vec<Filter<'a>>,
    /// The modification token; empty for a plain find.
    pub modify: &'a [u8],
    /// Values of the modification.
    pub modify_values: Values<'a>,
}

/// A few tokens, kept on the stack.
#[derive(Debug)]
pub struct Values<'a> {
    tokens: [&'a [u8]; VALUES_MAX],
    count: usize,
}

impl Default for Values<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Values<'a> {
    /// No tokens.
    pub const fn new() -> Values<'a> {
        Values { tokens: [&[]; VALUES_MAX], count: 0 }
    }

    /// Adds a token; beyond `VALUES_MAX` it is dropped.
    #[inline]
    pub fn push(&mut self, token: &'a [u8]) {
        if self.count < VALUES_MAX {
            self.tokens[self.count] = token;
            self.count += 1;
        }
    }

    /// The tokens.
    #[inline]
    pub fn as_slice(&self) -> &[&'a [u8]] {
        &self.tokens[..self.count]
    }
}

/// `@ icol n v1 .. vn`: one read per value.
#[derive(Debug)]
pub struct InList<'a> {
    /// The key part that takes the values.
    pub part: u32,
    /// How many values the request announces.
    pub announced: usize,
    /// How many of them came.
    pub came: usize,
    /// The rest of the line from the first value on.
    pub rest: &'a [u8],
}

impl<'a> InList<'a> {
    /// Those that came. They are cut as they are needed: a line of empty tokens would otherwise
    /// take many times its own size.
    pub fn values(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        crate::handlersocket::decode::tokens(self.rest).take(self.came)
    }
}

/// `F` or `W`, comparison, filter column, value.
#[derive(Debug)]
pub struct Filter<'a> {
    /// `F`: a row that does not fit is passed over; `W`: it ends the scan.
    pub kind: &'a [u8],
    /// The comparison token.
    pub op: &'a [u8],
    /// Position in the opened filter columns.
    pub column: u32,
    /// The value to compare with.
    pub value: &'a [u8],
}

/// The operator of a find.
pub fn find_op(token: &[u8]) -> Option<FindOp> {
    Some(match token {
        b"=" => FindOp::Equal,
        b">" => FindOp::Greater,
        b">=" => FindOp::GreaterEqual,
        b"<" => FindOp::Less,
        b"<=" => FindOp::LessEqual,
        _ => return None,
    })
}

/// An error reply: code and word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerSocketRefusal(pub u8, pub &'static str);

macro_rules! refusals {
    ($($name:ident = $code:literal $word:literal, $doc:literal;)*) => {
        impl HandlerSocketRefusal {
            $(#[doc = $doc] pub const $name: HandlerSocketRefusal = HandlerSocketRefusal($code, $word);)*
        }
    };
}

refusals! {
    COMMAND = 2 "cmd", "An empty line or an unknown command letter.";
    UNAUTHORISED = 3 "unauth", "A secret is set and was not shown, or a password was wrong.";
    AUTH_KIND = 3 "authtype", "The kind of authentication is not 1.";
    OPEN_TABLE = 1 "open_table", "No such database or table.";
    INDEX = 2 "idxnum", "No such index.";
    COLUMN = 2 "fld", "No such column.";
    HANDLE = 2 "stmtnum", "No index was opened under this number.";
    HANDLE_LIMIT = 2 "stmtnum_limit", "The number to open under is above the limit.";
    VALUES = 2 "fldnum", "More values than a request may have, or too few for `U`.";
    IN_EMPTY = 2 "invalueslen", "An IN list without values.";
    FILTERS = 2 "filternum", "More filters than a request may have.";
    FILTER_TYPE = 2 "filtertype", "A filter is neither F nor W.";
    FILTER_COLUMN = 2 "filterfld", "No such filter column.";
    FILTER_BLOB = 2 "filterblob", "A filter on a BLOB or TEXT column.";
    OPERATOR = 2 "op", "Unknown operator.";
    KEY_EMPTY = 2 "klen", "No key values.";
    KEY_LONG = 2 "kpnum", "More key values than the index has parts.";
    READ_ONLY = 2 "readonly", "A write on the read port.";
    UNFINISHED = 2 "notimpl", "SQL, which the original never finished.";
    MODIFY = 2 "modop", "Unknown modification.";
    ESCAPE = 2 "escape", "A 0x01 that is not followed by a byte of 0x40 or more.";
    LINE_LENGTH = 2 "linelen", "A line above the limit; the connection closes.";
    DENIED = 1 "1142", "The account lacks a privilege (MySQL's ER_TABLEACCESS_DENIED_ERROR).";
    LIMIT = 1 "1226", "A limit of the account is reached (MySQL's ER_USER_LIMIT_REACHED).";
    UNAUDITED = 1 "3164", "The audit log is to have it and takes no lines (MySQL's ER_AUDIT_API_ABORT).";
    JSON = 1 "3140", "No JSON for a JSON column (MySQL's ER_INVALID_JSON_TEXT).";
    DUPLICATE = 1 "121", "Another row has this unique key (HA_ERR_FOUND_DUPP_KEY).";
    EXHAUSTED = 1 "167", "AUTO_INCREMENT is exhausted (HA_ERR_AUTOINC_ERANGE).";
    CHECK = 1 "4025", "The row is against a condition of its table, or an expression of that has no value (MariaDB's ER_CONSTRAINT_FAILED).";
    NO_PARENT = 1 "151", "A foreign key of the row refers to a row that is not there (HA_ERR_NO_REFERENCED_ROW).";
    HAS_CHILDREN = 1 "152", "Rows refer to the row by a foreign key and keep it (HA_ERR_ROW_IS_REFERENCED).";
    INTERRUPTED = 1 "1317", "KILL ended it (MySQL's ER_QUERY_INTERRUPTED).";
    LOCK_TIMEOUT = 1 "146", "The row lock was not had in time (HA_ERR_LOCK_WAIT_TIMEOUT).";
    DEADLOCK = 1 "149", "Waiting would never end (HA_ERR_LOCK_DEADLOCK).";
    MEMORY = 1 "128", "The server has no memory for it now (HA_ERR_OUT_OF_MEM).";
    TOO_BIG = 1 "139", "The row or its key is too big (HA_ERR_TO_BIG_ROW).";
    DAMAGED = 1 "126", "Stored bytes are damaged (HA_ERR_CRASHED).";
    REFUSED = 1 "165", "The server takes no writes now (HA_ERR_TABLE_READONLY).";
    DISK_FULL = 1 "135", "The disk is full (HA_ERR_RECORD_FILE_FULL).";
    STORE = 1 "168", "The store failed (HA_ERR_GENERIC).";
}
