//! The protocol's numbers: capabilities, status and column flags, type codes, character sets.
//!
//! Names are those of the protocol's documentation without their prefixes. Each group is a
//! module of constants, because the wire carries them as plain integers and unknown bits and
//! codes are legal input.
//!
//! Not here: command bytes (`command`), SQL's error numbers (crate `sql`).

/// What a side can do; the connection uses what both announce.
pub mod capability {
    /// Set by every MySQL server; a MariaDB server clears it to announce its own extensions.
    pub const LONG_PASSWORD: u32 = 1;
    /// OK reports rows matched by an UPDATE instead of rows changed.
    pub const FOUND_ROWS: u32 = 1 << 1;
    /// Column flags take two bytes.
    pub const LONG_FLAG: u32 = 1 << 2;
    /// The handshake response may name a database.
    pub const CONNECT_WITH_DB: u32 = 1 << 3;
    /// LOAD DATA LOCAL INFILE.
    pub const LOCAL_FILES: u32 = 1 << 7;
    /// Spaces between a function's name and its parenthesis; the parser allows them always.
    pub const IGNORE_SPACE: u32 = 1 << 8;
    /// The protocol since MySQL 4.1; required.
    pub const PROTOCOL_41: u32 = 1 << 9;
    /// `interactive_timeout` instead of `wait_timeout`.
    pub const INTERACTIVE: u32 = 1 << 10;
    /// The connection goes on under TLS.
    pub const SSL: u32 = 1 << 11;
    /// OK and EOF carry status flags.
    pub const TRANSACTIONS: u32 = 1 << 13;
    /// Passwords are proved by a scramble of 20 bytes.
    pub const SECURE_CONNECTION: u32 = 1 << 15;
    /// One COM_QUERY may hold several statements.
    pub const MULTI_STATEMENTS: u32 = 1 << 16;
    /// The client understands several results to one COM_QUERY.
    pub const MULTI_RESULTS: u32 = 1 << 17;
    /// The same for COM_STMT_EXECUTE.
    pub const PS_MULTI_RESULTS: u32 = 1 << 18;
    /// Both sides name authentication methods.
    pub const PLUGIN_AUTH: u32 = 1 << 19;
    /// The handshake response ends with attributes of the client.
    pub const CONNECT_ATTRS: u32 = 1 << 20;
    /// The authentication response may be longer than 255 bytes.
    pub const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
    /// The client can set a password that has expired.
    pub const EXPIRED_PASSWORDS: u32 = 1 << 22;
    /// Result sets end with an OK packet under EOF's header; none ends the column definitions.
    pub const DEPRECATE_EOF: u32 = 1 << 24;
    /// The client takes progress reports (`reports`). MariaDB's client says so to every server, and
    /// nobody announces it; MySQL has the bit reserved.
    pub const PROGRESS: u32 = 1 << 29;

    /// What this server announces. TLS where it is offered (`handshake`). Not among them:
    /// compression, session tracking, query attributes, optional metadata.
    pub const SERVER: u32 = LONG_PASSWORD
        | FOUND_ROWS
        | LONG_FLAG
        | CONNECT_WITH_DB
        | LOCAL_FILES
        | IGNORE_SPACE
        | PROTOCOL_41
        | INTERACTIVE
        | TRANSACTIONS
        | SECURE_CONNECTION
        | MULTI_STATEMENTS
        | MULTI_RESULTS
        | PS_MULTI_RESULTS
        | PLUGIN_AUTH
        | CONNECT_ATTRS
        | PLUGIN_AUTH_LENENC
        | EXPIRED_PASSWORDS
        | DEPRECATE_EOF;

    /// What a client's word is taken for.
    pub const ACCEPTED: u32 = SERVER | PROGRESS;
}

/// Status flags of OK and EOF packets. The session sets the others.
pub mod status {
    /// Autocommit is on.
    pub const AUTOCOMMIT: u16 = 1 << 1;
    /// Another result follows.
    pub const MORE_RESULTS_EXISTS: u16 = 1 << 3;
    /// The statement's rows wait to be fetched.
    pub const CURSOR_EXISTS: u16 = 1 << 6;
    /// A cursor has no more rows; it is closed.
    pub const LAST_ROW_SENT: u16 = 1 << 7;
}

/// Kinds of cursors that a client may ask for, each a bit. MySQL has no others, and takes no notice
/// of those that it does not have.
pub mod cursor_type {
    /// Rows are fetched, in their order.
    pub const READ_ONLY: u8 = 1;
}

/// Type codes of columns and parameters.
pub mod type_code {
    pub const DECIMAL: u8 = 0x00;
    pub const TINY: u8 = 0x01;
    pub const SHORT: u8 = 0x02;
    pub const LONG: u8 = 0x03;
    pub const FLOAT: u8 = 0x04;
    pub const DOUBLE: u8 = 0x05;
    pub const NULL: u8 = 0x06;
    pub const TIMESTAMP: u8 = 0x07;
    pub const LONGLONG: u8 = 0x08;
    pub const INT24: u8 = 0x09;
    pub const DATE: u8 = 0x0a;
    pub const TIME: u8 = 0x0b;
    pub const DATETIME: u8 = 0x0c;
    pub const YEAR: u8 = 0x0d;
    pub const NEWDATE: u8 = 0x0e;
    pub const VARCHAR: u8 = 0x0f;
    pub const BIT: u8 = 0x10;
    pub const JSON: u8 = 0xf5;
    pub const NEWDECIMAL: u8 = 0xf6;
    pub const ENUM: u8 = 0xf7;
    pub const SET: u8 = 0xf8;
    pub const TINY_BLOB: u8 = 0xf9;
    pub const MEDIUM_BLOB: u8 = 0xfa;
    pub const LONG_BLOB: u8 = 0xfb;
    pub const BLOB: u8 = 0xfc;
    pub const VAR_STRING: u8 = 0xfd;
    pub const STRING: u8 = 0xfe;
    pub const GEOMETRY: u8 = 0xff;
}

/// Flags of a column definition.
pub mod column_flag {
    /// NULL is not allowed.
    pub const NOT_NULL: u16 = 1;
    /// Part of the primary key.
    pub const PRI_KEY: u16 = 1 << 1;
    /// The single column of a unique index.
    pub const UNIQUE_KEY: u16 = 1 << 2;
    /// First column of a non-unique index.
    pub const MULTIPLE_KEY: u16 = 1 << 3;
    /// One of the BLOB or TEXT types, or JSON.
    pub const BLOB: u16 = 1 << 4;
    /// UNSIGNED.
    pub const UNSIGNED: u16 = 1 << 5;
    /// ZEROFILL; only YEAR has it.
    pub const ZEROFILL: u16 = 1 << 6;
    /// Compares as bytes: binary strings, `_bin` collations, dates.
    pub const BINARY: u16 = 1 << 7;
    /// ENUM.
    pub const ENUM: u16 = 1 << 8;
    /// AUTO_INCREMENT.
    pub const AUTO_INCREMENT: u16 = 1 << 9;
    /// SET.
    pub const SET: u16 = 1 << 11;
    /// TIMESTAMP column that sets itself.
    pub const TIMESTAMP: u16 = 1 << 10;
    /// NOT NULL and without a default.
    pub const NO_DEFAULT_VALUE: u16 = 1 << 12;
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub const ON_UPDATE_NOW: u16 = 1 << 13;
    /// Part of some index.
    pub const PART_KEY: u16 = 1 << 14;
    /// A number.
    pub const NUM: u16 = 1 << 15;
}

/// Numbers of character sets, each standing for one of its collations.
pub mod character_set {
    /// utf8mb4_general_ci. Newer utf8mb4 collations are known to fewer clients.
    pub const UTF8MB4_GENERAL_CI: u16 = 45;
    /// Bytes without a character set.
    pub const BINARY: u16 = 63;
}
