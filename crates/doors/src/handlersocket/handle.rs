//! An opened index: what a client's number stands for.
//!
//! Invariants
//! 1. A handle never holds a table back: a schema change makes it outdated, and the next request
//!    opens it again by the names it was opened with.

use std::sync::Arc;

use rows::{Engine, Error, Table};

use crate::handlersocket::command::HandlerSocketRefusal;

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
        database: &[u8],
        table: &[u8],
        index: &[u8],
        columns: &[u8],
        filter_columns: &[u8],
    ) -> Result<Handle, HandlerSocketRefusal> {
        let text = |token: &[u8]| {
            std::str::from_utf8(token)
                .map(String::from)
                .map_err(|_| HandlerSocketRefusal::OPEN_TABLE)
        };
        Handle::resolve(
            engine,
            Names {
                database: text(database)?,
                table: text(table)?,
                index: index.to_vec(),
                columns: columns.to_vec(),
                filter_columns: filter_columns.to_vec(),
            },
        )
    }

    fn resolve(engine: &Engine, names: Names) -> Result<Handle, HandlerSocketRefusal> {
        let table = match engine.catalog().table(&names.database, &names.table) {
            Ok(table) => table,
            Err(Error::NotFound { .. }) => return Err(HandlerSocketRefusal::OPEN_TABLE),
            Err(_) => return Err(HandlerSocketRefusal::STORE),
        };
        let index = find_index(&table, &names.index).ok_or(HandlerSocketRefusal::INDEX)?;
        let columns = find_columns(&table, &names.columns)?;
        let filter_columns = find_columns(&table, &names.filter_columns)?;
        Ok(Handle { names, table, index, columns, filter_columns })
    }

    /// Opens the index again if the table changed since.
    ///
    /// # Errors
    /// As `open`, when it no longer can be; the handle stays for a later try.
    pub fn refresh(&mut self, engine: &Engine) -> Result<(), HandlerSocketRefusal> {
        if !self.table.is_current() {
            *self = Handle::resolve(engine, self.names.clone())?;
        }
        Ok(())
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

fn find_columns(table: &Table, list: &[u8]) -> Result<Vec<usize>, HandlerSocketRefusal> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    list.split(|byte| *byte == b',')
        .map(|name| {
            table
                .columns
                .iter()
                .position(|column| column.name.as_bytes() == name)
                .ok_or(HandlerSocketRefusal::COLUMN)
        })
        .collect()
}
