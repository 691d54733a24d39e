//! What the audit log tells of, and its line, by the names that MySQL Enterprise Audit has for the
//! same where it has one:
//!
//! ```text
//! {"timestamp":"2026-11-28T02:30:45.041751Z","id":7,"class":"definitions","event":"query",
//!  "connection_id":12,"door":"mysql","user":"app","host":"192.0.2.7","database":"shop",
//!  "query":"DROP TABLE t","status":0,"query_time_us":1830}
//! {"timestamp":"2026-11-28T02:30:46.000012Z","id":8,"class":"operations","event":"table_access",
//!  "connection_id":13,"door":"memcached","user":"app","host":"192.0.2.7","database":"kv",
//!  "table":"cache","operation":"read","keys":["ann"],"key_count":1,"status":0}
//! ```
//!
//! Not here: which events are wanted (`choice`), where lines go (`log`).

use serde::Serialize;
use values::temporal::{Timestamp, Zone};

use super::AuditClass;

/// Whose event it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditSubject<'a> {
    /// The connection's number.
    pub connection: u32,
    /// The door that it came by.
    pub door: &'a str,
    /// The user, as the client calls itself.
    pub user: &'a str,
    /// Its host as SQL shows it.
    pub host: &'a str,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum AuditEvent<'a> {
    /// A client has logged in, or has not: with the number of MySQL's error.
    Connect {
        /// 0, or the error.
        status: u16,
    },
    /// One that had logged in is gone.
    Disconnect,
    /// A statement is over.
    Query {
        /// What it is.
        class: AuditClass,
        /// The database that it ran in.
        database: Option<&'a str>,
        /// Its text, without passwords.
        query: &'a str,
        /// What EXECUTE carried out, without passwords.
        executed: Option<&'a str>,
        /// 0, or the error.
        status: u16,
        /// How long it took, in microseconds.
        micros: u64,
    },
    /// A request by key is answered: what it did with a table.
    Access {
        /// The table's database.
        database: &'a str,
        /// The table.
        table: &'a str,
        /// What was done, in a word: `read`, `insert`.
        operation: &'a str,
        /// Keys, as many as are told.
        keys: &'a [String],
        /// How many there were.
        key_count: u64,
        /// 0, or the error that says that it may not be done.
        status: u16,
    },
}

impl AuditEvent<'_> {
    /// Its class.
    pub fn class(&self) -> AuditClass {
        match self {
            AuditEvent::Connect { status: 0 } | AuditEvent::Disconnect => AuditClass::Logins,
            AuditEvent::Connect { .. } => AuditClass::FailedLogins,
            AuditEvent::Query { class, .. } => *class,
            AuditEvent::Access { .. } => AuditClass::Operations,
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    id: u64,
    class: &'static str,
    event: &'static str,
    connection_id: u32,
    door: &'a str,
    user: &'a str,
    host: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    keys: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    key_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executed_query: Option<&'a str>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    query_time_us: Option<u64>,
}

/// The line of an event: with its number since the start of the server, and the moment in
/// microseconds since the epoch.
pub(super) fn line(id: u64, now: u64, of: &AuditSubject<'_>, event: &AuditEvent<'_>) -> Vec<u8> {
    let mut moment = Vec::new();
    Timestamp::from_micros(now).to_datetime(Zone::UTC).write(6, &mut moment);
    let mut line = Line {
        timestamp: String::from_utf8_lossy(&moment).replace(' ', "T") + "Z",
        id,
        class: event.class().name(),
        event: "connect",
        connection_id: of.connection,
        door: of.door,
        user: of.user,
        host: of.host,
        database: None,
        table: None,
        operation: None,
        keys: &[],
        key_count: None,
        query: None,
        executed_query: None,
        status: 0,
        query_time_us: None,
    };
    match event {
        AuditEvent::Connect { status } => line.status = *status,
        AuditEvent::Disconnect => line.event = "disconnect",
        AuditEvent::Query { database, query, executed, status, micros, .. } => {
            line.event = "query";
            (line.database, line.query, line.executed_query) = (*database, Some(*query), *executed);
            (line.status, line.query_time_us) = (*status, Some(*micros));
        }
        AuditEvent::Access { database, table, operation, keys, key_count, status } => {
            line.event = "table_access";
            (line.database, line.table) = (Some(*database), Some(*table));
            (line.operation, line.keys) = (Some(*operation), keys);
            line.key_count = Some(*key_count).filter(|count| *count > 0);
            line.status = *status;
        }
    }
    let mut bytes = serde_json::to_vec(&line).expect("a line is plain data");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_its_texts_hold() {
        let of = AuditSubject { connection: 3, door: "mysql", user: "a\n\"b", host: "localhost" };
        let event = AuditEvent::Query {
            class: AuditClass::Definitions,
            database: Some("d"),
            query: "DROP\nTABLE t\u{2028}",
            executed: None,
            status: 1051,
            micros: 7,
        };
        let line = line(9, 1_795_833_045_000_001, &of, &event);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(read["timestamp"], "2026-11-28T02:30:45.000001Z");
        assert_eq!(
            (&read["user"], &read["query"]),
            (&"a\n\"b".into(), &"DROP\nTABLE t\u{2028}".into())
        );
        assert_eq!((&read["id"], &read["status"]), (&9.into(), &1051.into()));
        assert!(read.get("executed_query").is_none());
    }
}
