//! What a statement hands back: a count, rows, or the wish for a file.
//!
//! Invariants
//! 1. A `RowStream` owns what it reads from (snapshot or buffered rows): the session may go on,
//!    and a schema change does not disturb it.
//! 2. Datums given to a sink are in the domain of their `ResultColumn::ty`, so that
//!    `values::text::write_text` (or the binary protocol) prints them as MySQL does.
//!
//! Not here: wire formats (`doors::mysql`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rows::schema::DefaultValue;
use rows::store::Reach;
use rows::table::Table;
use values::datum::Datum;
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use crate::error::{Result, SqlError};
use crate::panics;
use crate::server::Running;

/// Where a statement runs, and so what it may do.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Whether the caller's thread may wait (for disk, locks, commits, long work).
    pub may_wait: bool,
    /// How far reads may go.
    pub reach: Reach,
}

impl How {
    /// In an event loop: only what is at hand.
    pub const LOOP: How = How { may_wait: false, reach: Reach::Memory };
    /// On a thread of its own, where waiting is allowed.
    pub const POOL: How = How { may_wait: true, reach: Reach::Disk };
}

/// A parameter of a prepared statement, as it came over the wire.
pub type Parameter<'a> = Datum<'a>;

/// What a statement hands back.
pub enum Reply {
    /// It is done.
    Done(OkFigures),
    /// Rows follow.
    Rows(RowStream),
    /// LOAD DATA LOCAL: ask the client for the file, feed it, finish it.
    LoadLocal(crate::load::LoadLocal),
}

/// The figures of an OK packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OkFigures {
    /// Rows affected.
    pub affected: u64,
    /// The first generated AUTO_INCREMENT value, or what LAST_INSERT_ID(expr) set; 0 if none.
    pub last_insert_id: u64,
    /// Warnings that SHOW WARNINGS would list.
    pub warnings: u16,
    /// `Records: 3  Duplicates: 0  Warnings: 0` and the like; mostly empty.
    pub info: String,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultColumn {
    /// Name or alias.
    pub name: String,
    /// Name in the table, empty for expressions.
    pub org_name: String,
    /// Table name or alias, empty for expressions.
    pub table: String,
    /// Table name, empty for expressions.
    pub org_table: String,
    /// Database, empty for expressions.
    pub database: String,
    /// Type of its values.
    pub ty: ColumnType,
    /// Whether NULL can appear.
    pub nullable: bool,
    /// Further properties.
    pub flags: ColumnFlags,
}

/// Properties of a result column, as MySQL's column definition flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnFlags {
    /// Part of the primary key.
    pub primary_key: bool,
    /// The whole of a unique index.
    pub unique_key: bool,
    /// First part of a non-unique index.
    pub multiple_key: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// NOT NULL without a default.
    pub no_default: bool,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
}

impl ResultColumn {
    /// A column that is no table's: an expression, or a line of SHOW.
    pub fn computed(name: impl Into<String>, ty: ColumnType, nullable: bool) -> ResultColumn {
        ResultColumn {
            name: name.into(),
            org_name: String::new(),
            table: String::new(),
            org_table: String::new(),
            database: String::new(),
            ty,
            nullable,
            flags: ColumnFlags::default(),
        }
    }

    /// A table's column under a name, of a table that is shown under another.
    pub fn of_table(table: &Table, position: usize, name: String, shown: &str) -> ResultColumn {
        let column = &table.columns[position];
        let leads = |unique: bool| {
            table.indexes.iter().skip(1).any(|index| {
                index.unique == unique
                    && index.parts.first().is_some_and(|part| part.column == position)
                    && (!unique || index.parts.len() == 1)
            })
        };
        let primary = table.indexes[0].parts.iter().any(|part| part.column == position);
        ResultColumn {
            name,
            org_name: column.name.clone(),
            table: shown.to_string(),
            org_table: table.name.clone(),
            database: table.database.clone(),
            ty: column.ty.clone(),
            nullable: column.nullable,
            flags: ColumnFlags {
                primary_key: primary,
                unique_key: leads(true),
                multiple_key: leads(false),
                auto_increment: column.auto_increment,
                no_default: !column.nullable
                    && !column.auto_increment
                    && column.default == DefaultValue::None,
                on_update_now: column.on_update_now,
            },
        }
    }

    /// Lets texts in it compare by code points, so that case counts.
    pub fn tell_case_apart(&mut self) {
        if let ColumnType::VarChar { collation, .. } = &mut self.ty {
            *collation = Collation::Utf8Mb4Bin;
        }
    }
}

/// What a sink wants after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The next row.
    More,
    /// A pause: `RowStream::next` returns, and goes on with the next row when called again.
    Pause,
}

/// Takes one row; the slice is as long as the columns.
pub type Sink<'a> = dyn FnMut(&[Datum<'_>]) -> Result<Pace> + 'a;

/// Where the rows of a stream come from.
pub trait RowSource: Send {
    /// Gives rows to `sink` until it pauses or there are no more; `false` at the end.
    /// `SqlError::WouldWait` when it may not wait for the next row: call again elsewhere;
    /// rows given before are not repeated.
    fn next(&mut self, how: How, sink: &mut Sink<'_>) -> Result<bool>;

    /// Waits until the first row is there, or it is known that there is none: an error that comes
    /// before is one of a statement of which nothing was sent.
    fn begin(&mut self, _how: How) -> Result<()> {
        Ok(())
    }

    /// Bytes of memory for clients (`resources::budget`) that rows which are ready have drawn.
    fn drawn_bytes(&self) -> usize {
        0
    }
}

/// How many rows a session's last query has found (`FOUND_ROWS()`), as far as they have been given.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundRows(Arc<AtomicU64>);

impl FoundRows {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, rows: u64) {
        self.0.store(rows, Ordering::Relaxed);
    }
}

/// Rows of a result, taken piecewise.
pub struct RowStream {
    columns: Arc<[ResultColumn]>,
    zone: Zone,
    source: Box<dyn RowSource>,
    /// Shows in the process list that the statement runs, until its last row is given.
    running: Option<Running>,
    /// Where rows are counted as they are given.
    found: Option<FoundRows>,
}

impl RowStream {
    /// A stream of a source's rows; `zone` is where TIMESTAMP values are to be shown.
    pub fn new(columns: Arc<[ResultColumn]>, zone: Zone, source: Box<dyn RowSource>) -> RowStream {
        RowStream { columns, zone, source, running: None, found: None }
    }

    /// The columns; the same `Arc` for each execution of one cached plan, so that a door can
    /// keep their encoded form.
    pub fn columns(&self) -> &Arc<[ResultColumn]> {
        &self.columns
    }

    /// The zone in which TIMESTAMP values are to be shown.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Gives rows to `sink` until it pauses or there are no more; `false` at the end.
    ///
    /// # Errors
    /// Those of the statement, which is over then, and of `sink`.
    pub fn next(&mut self, how: How, sink: &mut Sink<'_>) -> Result<bool> {
        let mut given = 0;
        let more = panics::caught(b"(its rows)", || {
            self.source.next(how, &mut |row| {
                let pace = sink(row)?;
                given += 1;
                Ok(pace)
            })
        });
        if let Some(found) = &self.found {
            found.set(found.get() + given);
        }
        if let Some(running) = &mut self.running {
            running.sent(given);
            match more {
                Ok(true) | Err(SqlError::WouldWait) => {}
                Ok(false) => self.running = None,
                Err(_) => running.fail(),
            }
        }
        more
    }

    /// Waits until the first row is there, or it is known that there is none.
    pub(crate) fn begin(&mut self, how: How) -> Result<()> {
        panics::caught(b"(its rows)", || self.source.begin(how))
    }

    /// Has rows counted from now on as they are given: how many there are is not known before.
    pub(crate) fn count_into(mut self, found: &FoundRows) -> RowStream {
        found.set(0);
        self.found = Some(found.clone());
        self
    }

    /// Lets the statement run until its last row is given.
    pub(crate) fn keep_running(&mut self, running: Running) {
        self.running = Some(running);
    }

    /// Bytes of memory for clients that rows which are ready have drawn.
    pub fn drawn_bytes(&self) -> usize {
        self.source.drawn_bytes()
    }
}

impl std::fmt::Debug for RowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowStream").field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// A prepared statement, as COM_STMT_PREPARE answers it.
#[derive(Clone, Debug)]
pub struct PreparedReply {
    /// Its number within the session.
    pub id: u32,
    /// How many `?` it has.
    pub parameters: u16,
    /// Columns of its rows; empty when it gives none (or cannot be known before execution).
    pub columns: Arc<[ResultColumn]>,
}
