//! HANDLER: rows of one table in the order of an index, from where the last READ ended.
//!
//! Invariants
//! 1. A place is the key of a row, or of its entry in the index, so that rows which come or go
//!    meanwhile do not move it. What a definition's change makes of the table is to be opened.
//! 2. A READ reads as a plain SELECT of its transaction does, without locks.
//!
//! Not here: the grammar (`syntax::handler`), finding rows (`rows::find`).

use std::sync::Arc;

use expression::limits::Room;
use expression::{Environment, Node, RowView};
use rows::store::{Direction, KeyRange, Reach};
use rows::table::Table;
use rows::{FindOp, Flow, FoundRow};
use syntax::TableName;
use syntax::handler::{HandlerRead, HandlerStatement, HandlerStep, KeyComparison};
use values::ErrorCode;
use values::convert::convert;
use values::datum::{Datum, Value};

use super::Session;
use super::source::{ValueRows, value_bytes};
use crate::reply::Reply;
use plan::bind::scalar::{BindFailure, Names, bind};
use results::{ExecutionMode, Result, ResultColumn, RowStream, SqlError};

/// Most that a session may have open.
const HANDLERS_MAX: usize = 1000;

/// A table that is open.
pub(super) struct OpenHandler {
    /// What it goes by.
    name: String,
    /// The table, with its database.
    names: TableName,
    table: Arc<Table>,
    /// The index by which rows were read last, none for rows as they lie, and where that ended.
    place: Option<(Option<usize>, Place)>,
}

/// Where a READ has ended.
#[derive(Clone)]
enum Place {
    /// At a row.
    At(Vec<u8>),
    /// Before the first one.
    Before,
    /// Behind the last one.
    Behind,
}

/// What a READ has found.
struct ReadRows {
    rows: Vec<Vec<Value>>,
    room: Room,
    bytes: usize,
    place: Place,
}

impl Session {
    /// Carries out HANDLER.
    ///
    /// # Errors
    /// 1066, 1109, 1192, 1347; of READ those of `read_handler`.
    pub(super) fn handler(
        &mut self,
        statement: &HandlerStatement,
        how: ExecutionMode,
    ) -> Result<Reply> {
        if self.table_locks.is_some() {
            return Err(SqlError::new(
                ErrorCode::LockOrActiveTransaction,
                "Can't execute the given command because you have active locked tables or an \
                 active transaction",
            ));
        }
        match statement {
            HandlerStatement::Open { table, alias } => {
                let name = alias.as_ref().unwrap_or(&table.table).clone();
                if self.handler_named(&name).is_some() {
                    let message = format!("Not unique table/alias: '{name}'");
                    return Err(SqlError::new(ErrorCode::NonuniqTable, message));
                }
                let found = self.base_table(table)?;
                if found.partitioning.is_some() {
                    return Err(SqlError::unsupported("HANDLER of a table with partitions"));
                }
                if self.handlers.len() == HANDLERS_MAX {
                    return Err(SqlError::unsupported("more HANDLERs that are open at a time"));
                }
                let (database, table) = self.qualified(table)?;
                let names =
                    TableName { database: Some(database.to_string()), table: table.to_string() };
                self.handlers.push(OpenHandler { name, names, table: found, place: None });
                Ok(self.done(0))
            }
            HandlerStatement::Close(name) => {
                let at = self.table_under_handler(name)?;
                self.handlers.remove(at);
                Ok(self.done(0))
            }
            HandlerStatement::Read(read) => {
                self.begun_anew(how, |session| session.read_handler(read))
            }
        }
    }

    /// The table that a statement is about; `None` if it is about nothing that is open.
    pub(super) fn table_of_handler(&self, statement: &HandlerStatement) -> Option<TableName> {
        match statement {
            HandlerStatement::Open { table, .. } => Some(table.clone()),
            HandlerStatement::Read(HandlerRead { name, .. }) => {
                self.handler_named(name).map(|at| self.handlers[at].names.clone())
            }
            HandlerStatement::Close(_) => None,
        }
    }

    fn handler_named(&self, name: &str) -> Option<usize> {
        self.handlers.iter().position(|handler| handler.name.eq_ignore_ascii_case(name))
    }

    /// What is open under a name.
    ///
    /// # Errors
    /// 1109 if there is none, also where its table has gone or become another one, which closes it.
    fn table_under_handler(&mut self, name: &str) -> Result<usize> {
        let at = self.handler_named(name).ok_or_else(|| not_open(name))?;
        match self.table(&self.handlers[at].names) {
            Ok(table) if Arc::ptr_eq(&self.handlers[at].table, &table) => Ok(at),
            _ => {
                self.handlers.remove(at);
                Err(not_open(name))
            }
        }
    }

    /// READ.
    ///
    /// # Errors
    /// 1109, 1176 for an index that is not there, 1070 for more values than it has parts, 1054 and
    /// those of the condition.
    fn read_handler(&mut self, read: &HandlerRead) -> Result<Reply> {
        let at = self.table_under_handler(&read.name)?;
        let table = Arc::clone(&self.handlers[at].table);
        let by = match &read.index {
            None => None,
            Some(name) => Some(index_named(&table, name, &self.handlers[at].name)?),
        };
        let condition = match &read.condition {
            None => None,
            Some(expr) => {
                let variables = Arc::clone(&self.user_variables);
                let names = Names {
                    variables: Some(&*variables),
                    ..Names::of(&table, Some(&read.name), "field list", self.variables.mode)
                };
                Some(bind(expr, &names).map_err(|failure| match failure {
                    BindFailure::NeedsQuery(_) => {
                        SqlError::unsupported("SUBQUERY in HANDLER command")
                    }
                    failure => failure.into(),
                })?)
            }
        };
        let known = match &self.handlers[at].place {
            Some((of, place)) if *of == by => Some(place.clone()),
            _ => None,
        };
        let (range, direction) = self.range_of_step(&table, by, (&read.step, known))?;
        let found = self.rows_of_handler(
            &table,
            by,
            (&range, direction),
            (condition.as_ref(), read.limit),
        )?;
        let handler = &mut self.handlers[at];
        handler.place = Some((by, found.place));
        let columns = columns_of(handler).into();
        let rows = ValueRows::new(found.rows, found.room);
        Ok(Reply::Rows(RowStream::new(columns, self.variables.zone, rows)))
    }

    /// The part of an index that a step looks at, and in which direction.
    fn range_of_step(
        &mut self,
        table: &Table,
        by: Option<usize>,
        (step, place): (&HandlerStep, Option<Place>),
    ) -> Result<(KeyRange, Direction)> {
        let index = by.unwrap_or(0);
        let whole = table.index_range(index);
        let nothing = KeyRange { start: whole.start.clone(), end: whole.start.clone() };
        Ok(match (step, place) {
            (HandlerStep::First, _) => (whole, Direction::Forward),
            (HandlerStep::Last, _) => (whole, Direction::Backward),
            (HandlerStep::Next, Some(Place::At(mut key))) => {
                key.push(0);
                (KeyRange { start: key, end: whole.end }, Direction::Forward)
            }
            (HandlerStep::Next, Some(Place::Behind)) => (nothing, Direction::Forward),
            (HandlerStep::Next, _) => (whole, Direction::Forward),
            (HandlerStep::Previous, Some(Place::At(key))) => {
                (KeyRange { start: whole.start, end: key }, Direction::Backward)
            }
            (HandlerStep::Previous, Some(Place::Before)) => (nothing, Direction::Backward),
            (HandlerStep::Previous, _) => (whole, Direction::Backward),
            (HandlerStep::Key(comparison, values), _) => {
                // The parts that it was made of, without those of the primary key behind them.
                let own = table.indexes[index].parts.len();
                let parts: Vec<_> = table.key_parts(index).take(own).cloned().collect();
                if values.len() > parts.len() {
                    let message =
                        format!("Too many key parts specified; max {} parts allowed", parts.len());
                    return Err(SqlError::new(ErrorCode::TooManyKeyParts, message));
                }
                let zone = self.variables.zone;
                let mut key = Vec::with_capacity(values.len());
                for (expr, part) in values.iter().zip(&parts) {
                    let (value, _) = self.value_of(expr)?;
                    key.push(match value {
                        Value::Null => Value::Null,
                        value => convert(&part.ty, value.as_datum(), zone).value,
                    });
                }
                let key: Vec<Datum<'_>> = key.iter().map(Value::as_datum).collect();
                table.op_range(index, find_op(*comparison), &key).map_err(SqlError::from)?
            }
        })
    }

    fn rows_of_handler(
        &mut self,
        table: &Arc<Table>,
        by: Option<usize>,
        (range, direction): (&KeyRange, Direction),
        (condition, (offset, limit)): (Option<&Node>, (u64, u64)),
    ) -> Result<ReadRows> {
        let view = self.read_view()?;
        let facts = self.facts();
        let environment =
            Environment { warnings: Some(&self.warnings), ..Environment::of(&facts, &[]) };
        let scope = environment.scope();
        let engine = Arc::clone(self.sql.engine());
        let index = by.unwrap_or(0);
        let positions: Vec<usize> = table.listed_columns().collect();
        let (mut passed, mut entry, mut value) = (0, Vec::new(), Vec::new());
        let end = match direction {
            Direction::Forward => Place::Behind,
            Direction::Backward => Place::Before,
        };
        let mut read = ReadRows { rows: Vec::new(), room: Room::default(), bytes: 0, place: end };
        let mut failed = None;
        let mut take = |found: FoundRow<'_>| -> Result<Flow> {
            self.process.kill.check()?;
            if let Some(condition) = condition
                && !condition.holds(&scope.with_row(RowView::Stored(&found.row)))?
            {
                return Ok(Flow::Continue);
            }
            if passed < offset {
                passed += 1;
                return Ok(Flow::Continue);
            }
            let line = positions
                .iter()
                .map(|at| Ok(found.row.column(*at)?.to_value()))
                .collect::<Result<Vec<Value>>>()?;
            read.bytes +=
                line.iter().map(|value| size_of::<Value>() + value_bytes(value)).sum::<usize>();
            read.room.grow_to(read.bytes, &facts.limits)?;
            read.rows.push(line);
            if (read.rows.len() as u64) < limit {
                return Ok(Flow::Continue);
            }
            if index == 0 {
                entry.extend_from_slice(found.key);
            } else {
                let column = |at: usize| Ok(found.row.column(at)?);
                table.push_entry_by(index, column, found.key, &mut entry, &mut value)?;
            }
            read.place = Place::At(std::mem::take(&mut entry));
            Ok(Flow::Stop)
        };
        if limit > 0 {
            engine.find(&*view, table, index, range, direction, Reach::Disk, &mut |found| {
                take(found).or_else(|error| {
                    failed = Some(error);
                    Ok(Flow::Stop)
                })
            })?;
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(read),
        }
    }
}

fn find_op(comparison: KeyComparison) -> FindOp {
    match comparison {
        KeyComparison::Equal => FindOp::Equal,
        KeyComparison::GreaterEqual => FindOp::GreaterEqual,
        KeyComparison::Greater => FindOp::Greater,
        KeyComparison::LessEqual => FindOp::LessEqual,
        KeyComparison::Less => FindOp::Less,
    }
}

fn columns_of(handler: &OpenHandler) -> Vec<ResultColumn> {
    let table = &handler.table;
    let column = |position: usize| {
        let name = table.columns[position].name.clone();
        ResultColumn::of_table(table, position, name, &handler.name)
    };
    table.listed_columns().map(column).collect()
}

/// The position of an index that rows can be read by.
fn index_named(table: &Table, name: &str, shown: &str) -> Result<usize> {
    let found = table.index(name).filter(|index| *index > 0 || !table.has_hidden_key());
    found.ok_or_else(|| {
        let message = format!("Key '{name}' doesn't exist in table '{shown}'");
        SqlError::new(ErrorCode::KeyDoesNotExist, message)
    })
}

/// Error 1109.
fn not_open(name: &str) -> SqlError {
    SqlError::new(ErrorCode::UnknownTable, format!("Unknown table '{name}' in HANDLER"))
}
