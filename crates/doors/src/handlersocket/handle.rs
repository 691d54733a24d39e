//! An opened index: what a client's number stands for.
//!
//! Invariants
//! 1. A handle never holds a table back: a schema change makes it outdated, and the next request
//!    opens it again by the names it was opened with.
//! 2. What its client may do with it is kept by the number of the client's rights, and made out
//!    again when the table changes or the number does.
//! 3. A table or column that the client may not see is opened no more than one that is not there.

use std::sync::Arc;

use access::rights::UNLIMITED;
use access::{Privilege, Rights};
use rows::{Engine, Error, Table};

use crate::accesses::ClientAccesses;
use crate::handlersocket::command::{HandlerSocketRefusal, IndexRequest};
use crate::key_requests;
use crate::logins::DoorClient;

/// An opened index.
#[derive(Debug)]
pub struct Handle {
    names: Names,
    /// The table as it was when opened.
    pub table: Arc<Table>,
    /// Position of the index.
    pub index: usize,
    /// Positions of the opened columns.
    pub columns: Vec<usize>,
    /// Positions of the filter columns.
    pub filter_columns: Vec<usize>,
    /// What the client may do with it.
    pub allowed: AllowedRequests,
    /// Where it is noted what the client does, if the audit log is to have any of that.
    accesses: Option<Arc<ClientAccesses>>,
}

/// What the rights of a number allow with an opened index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedRequests {
    number: u64,
    /// SELECT on so many leading parts of the index.
    pub key_parts: usize,
    /// SELECT on the opened columns.
    pub reads: bool,
    /// SELECT on the filter columns.
    pub filters: bool,
    /// INSERT on the opened columns.
    pub inserts: bool,
    /// UPDATE on the opened columns.
    pub updates: bool,
    /// DELETE on the table.
    pub deletes: bool,
}

/// The names a handle was opened with.
#[derive(Clone, Debug)]
struct Names {
    database: String,
    table: String,
    index: Vec<u8>,
    columns: Vec<u8>,
    filter_columns: Vec<u8>,
}

impl Handle {
    /// Opens an index by the tokens of a `P` request.
    ///
    /// # Errors
    /// `OPEN_TABLE`, `INDEX`, `COLUMN`, in this order.
    pub fn open(
        engine: &Engine,
        client: &DoorClient,
        [database, table, index, columns, filter_columns]: [&[u8]; 5],
    ) -> Result<Handle, HandlerSocketRefusal> {
        let text = |token: &[u8]| {
            std::str::from_utf8(token)
                .map(String::from)
                .map_err(|_| HandlerSocketRefusal::OPEN_TABLE)
        };
        Handle::resolve(
            engine,
            client,
            Names {
                database: text(database)?,
                table: text(table)?,
                index: index.to_vec(),
                columns: columns.to_vec(),
                filter_columns: filter_columns.to_vec(),
            },
        )
    }

    fn resolve(
        engine: &Engine,
        client: &DoorClient,
        names: Names,
    ) -> Result<Handle, HandlerSocketRefusal> {
        let rights = client.rights();
        let (database, name) = (&*names.database, &*names.table);
        let is_unlimited = rights.number == UNLIMITED;
        if !is_unlimited && !rights.sees_table(database, name) {
            return Err(HandlerSocketRefusal::OPEN_TABLE);
        }
        let table = match engine.catalog().table(database, name) {
            Ok(table) => table,
            Err(Error::NotFound { .. }) => return Err(HandlerSocketRefusal::OPEN_TABLE),
            Err(_) => return Err(HandlerSocketRefusal::STORE),
        };
        let is_seen = |column: &str| is_unlimited || rights.sees_column(database, name, column);
        let index = find_index(&table, &names.index).ok_or(HandlerSocketRefusal::INDEX)?;
        let columns = find_columns(&table, &names.columns, &is_seen)?;
        let filter_columns = find_columns(&table, &names.filter_columns, &is_seen)?;
        let allowed = AllowedRequests::NONE;
        let accesses = client.accesses().cloned();
        let mut handle = Handle { names, table, index, columns, filter_columns, allowed, accesses };
        handle.allowed = handle.allowed_with(rights);
        Ok(handle)
    }

    /// Opens the index again if the table changed since, and looks at what the client may do with
    /// it if its rights did.
    ///
    /// # Errors
    /// As `open`, when it no longer can be; the handle stays for a later try.
    #[inline]
    pub fn refresh(
        &mut self,
        engine: &Engine,
        client: &DoorClient,
    ) -> Result<(), HandlerSocketRefusal> {
        let rights = client.rights();
        if !self.table.is_current()
            || !ClientAccesses::are_same(self.accesses.as_ref(), client.accesses())
        {
            *self = Handle::resolve(engine, client, self.names.clone())?;
        } else if self.allowed.number != rights.number {
            self.allowed = self.allowed_with(rights);
        }
        Ok(())
    }

    /// Refuses what the client may not do; what it does is noted where the audit log is to have
    /// that.
    ///
    /// # Errors
    /// `DENIED`; `UNAUDITED` when the log takes no lines.
    #[inline]
    pub(super) fn ask(&self, request: &IndexRequest<'_>) -> Result<(), HandlerSocketRefusal> {
        let inserts = request.op == b"+";
        let allowed = if inserts { self.allowed.inserts } else { self.allowed.allows(request) };
        let operation = operation_of(request);
        key_requests::note(operation, &self.table, Some(self.index), allowed);
        if let Some(accesses) = &self.accesses {
            self.note(accesses, request, operation, allowed)?;
        }
        if allowed { Ok(()) } else { Err(HandlerSocketRefusal::DENIED) }
    }

    #[cold]
    fn note(
        &self,
        accesses: &ClientAccesses,
        request: &IndexRequest<'_>,
        operation: &'static str,
        allowed: bool,
    ) -> Result<(), HandlerSocketRefusal> {
        let note = |key: &[u8]| {
            let noted = accesses.note(&self.table, operation, Some(key), allowed);
            noted.map_err(|_| HandlerSocketRefusal::UNAUDITED)
        };
        let values = request.values.as_slice();
        if operation == "insert" {
            // Those of its values that are the row's key.
            let parts = self.table.own_parts(0).iter().map(|part| part.column);
            let place = |column| self.columns.iter().position(|opened| *opened == column);
            let key = parts.filter_map(|column| values.get(place(column)?).copied());
            return note(&key.collect::<Vec<_>>().join(&b' '));
        }
        let key = [request.op].into_iter().chain(values.iter().copied());
        note(&key.collect::<Vec<_>>().join(&b' '))?;
        request.list.iter().flat_map(|list| list.values()).try_for_each(note)
    }

    fn allowed_with(&self, rights: &Rights) -> AllowedRequests {
        let (database, table) = (&*self.names.database, &*self.names.table);
        let has = |column: usize, privilege| {
            let name = &*self.table.columns[column].name;
            rights.has_column(database, table, name, privilege)
        };
        // Without columns a privilege on any of them is enough, as it is for a statement.
        let has_all = |columns: &[usize], privilege| {
            rights.on_some_of(database, table).has(privilege)
                && columns.iter().all(|column| has(*column, privilege))
        };
        let parts = self.table.own_parts(self.index).iter();
        let readable = parts.take_while(|part| has(part.column, Privilege::Select));
        AllowedRequests {
            number: rights.number,
            key_parts: readable.count(),
            reads: has_all(&self.columns, Privilege::Select),
            filters: has_all(&self.filter_columns, Privilege::Select),
            inserts: has_all(&self.columns, Privilege::Insert),
            updates: has_all(&self.columns, Privilege::Update),
            deletes: rights.on_table(database, table).has(Privilege::Delete),
        }
    }
}

impl AllowedRequests {
    const NONE: AllowedRequests = AllowedRequests {
        number: access::rights::NOTHING,
        key_parts: 0,
        reads: false,
        filters: false,
        inserts: false,
        updates: false,
        deletes: false,
    };

    /// Whether a find, or a find and modify, may be carried out. Key and filters are read by both;
    /// `?` shows the rows, and `+` and `-` read what they add to.
    #[inline]
    pub fn allows(&self, request: &IndexRequest<'_>) -> bool {
        let finds =
            self.key_parts >= request.announced && (self.filters || request.filters.is_empty());
        let changes = match request.modify.first() {
            None => self.reads,
            Some(b'D') => self.deletes,
            Some(b'U') => self.updates,
            Some(_) => self.updates && self.reads,
        };
        finds && changes && (self.reads || request.modify.get(1) != Some(&b'?'))
    }
}

fn find_index(table: &Table, token: &[u8]) -> Option<usize> {
    let visible = |position: &usize| table.codecs[*position].ready;
    match token {
        [] => Some(0).filter(|_| !table.has_hidden_key()),
        [b'0'..=b'9', ..] => {
            let digits = token.iter().take_while(|byte| byte.is_ascii_digit());
            let ordinal = digits.fold(0usize, |value, byte| {
                value.saturating_mul(10).saturating_add(usize::from(byte - b'0'))
            });
            table.index_order().into_iter().filter(visible).nth(ordinal)
        }
        name => table
            .index_order()
            .into_iter()
            .filter(visible)
            .find(|position| table.indexes[*position].name.as_bytes() == name),
    }
}

/// What a request does, in the words of the audit log.
fn operation_of(request: &IndexRequest<'_>) -> &'static str {
    match (request.op, request.modify.first()) {
        (b"+", _) => "insert",
        (_, None) => "read",
        (_, Some(b'D')) => "delete",
        (_, Some(_)) => "update",
    }
}

fn find_columns(
    table: &Table,
    list: &[u8],
    is_seen: &impl Fn(&str) -> bool,
) -> Result<Vec<usize>, HandlerSocketRefusal> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    list.split(|byte| *byte == b',')
        .map(|name| {
            table
                .named_columns()
                .iter()
                .position(|column| column.name.as_bytes() == name && is_seen(&column.name))
                .ok_or(HandlerSocketRefusal::COLUMN)
        })
        .collect()
}
