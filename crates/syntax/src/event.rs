//! CREATE, ALTER and DROP EVENT, as written.
//!
//! Not here: what their times and bodies mean (crate `sql`, `session::events`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::names::TableName;
use crate::error::Result;

/// CREATE EVENT.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateEvent {
    /// Its name; `table` is the event.
    pub name: TableName,
    /// OR REPLACE.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Whose it is; `None`: the user's own.
    pub definer: Option<String>,
    /// ON SCHEDULE.
    pub schedule: ScheduleSpec,
    /// ON COMPLETION PRESERVE.
    pub preserve: bool,
    /// ENABLE, DISABLE.
    pub status: StatusSpec,
    /// COMMENT.
    pub comment: String,
    /// DO.
    pub body: String,
}

/// ALTER EVENT; what is not said stays.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterEvent {
    /// Its name.
    pub name: TableName,
    /// Whose it is from now on; `None`: the user's own.
    pub definer: Option<String>,
    /// ON SCHEDULE.
    pub schedule: Option<ScheduleSpec>,
    /// ON COMPLETION.
    pub preserve: Option<bool>,
    /// RENAME TO.
    pub rename: Option<TableName>,
    /// ENABLE, DISABLE.
    pub status: Option<StatusSpec>,
    /// COMMENT.
    pub comment: Option<String>,
    /// DO.
    pub body: Option<String>,
}

/// Whether an event runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusSpec {
    /// ENABLE.
    Enabled,
    /// DISABLE.
    Disabled,
    /// DISABLE ON REPLICA: it would run on the primary of a replica.
    DisabledOnReplica,
}

/// What follows ON SCHEDULE.
#[derive(Clone, Debug, PartialEq)]
pub enum ScheduleSpec {
    /// AT.
    At(Box<Expr>),
    /// EVERY.
    Every {
        /// How many units, or a compound interval.
        interval: Box<Expr>,
        /// The unit as written.
        unit: String,
        /// STARTS.
        starts: Option<Box<Expr>>,
        /// ENDS.
        ends: Option<Box<Expr>>,
    },
}

/// What follows `CREATE [OR REPLACE] [DEFINER = user] EVENT`.
///
/// # Errors
/// 1064 where the statement stops making sense, or lacks its schedule or its body.
pub fn create_event(
    cursor: &mut Cursor<'_>,
    or_replace: bool,
    definer: Option<String>,
) -> Result<CreateEvent> {
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.table_name()?;
    let Some(schedule) = schedule(cursor)? else { return Err(cursor.syntax()) };
    let preserve = completion(cursor)?.unwrap_or(false);
    let status = status(cursor).unwrap_or(StatusSpec::Enabled);
    let comment = comment(cursor)?.unwrap_or_default();
    let Some(body) = body(cursor)? else { return Err(cursor.syntax()) };
    Ok(CreateEvent {
        name,
        or_replace,
        if_not_exists,
        definer,
        schedule,
        preserve,
        status,
        comment,
        body,
    })
}

/// What follows `ALTER [DEFINER = user] EVENT`.
///
/// # Errors
/// 1064 where the statement stops making sense, or changes nothing.
pub fn alter_event(cursor: &mut Cursor<'_>, definer: Option<String>) -> Result<AlterEvent> {
    let name = cursor.table_name()?;
    if cursor.at_end() {
        return Err(cursor.syntax());
    }
    let schedule = schedule(cursor)?;
    let preserve = completion(cursor)?;
    let rename = match cursor.take_all(&["RENAME", "TO"]) {
        true => Some(cursor.table_name()?),
        false => None,
    };
    let status = status(cursor);
    let comment = comment(cursor)?;
    let body = body(cursor)?;
    Ok(AlterEvent { name, definer, schedule, preserve, rename, status, comment, body })
}

fn schedule(cursor: &mut Cursor<'_>) -> Result<Option<ScheduleSpec>> {
    if !cursor.take_all(&["ON", "SCHEDULE"]) {
        return Ok(None);
    }
    if cursor.take("AT") {
        return Ok(Some(ScheduleSpec::At(Box::new(cursor.expression()?))));
    }
    cursor.expect("EVERY")?;
    let interval = Box::new(cursor.expression()?);
    let unit = cursor.name()?;
    let mut moment = |word| match cursor.take(word) {
        true => cursor.expression().map(|expr| Some(Box::new(expr))),
        false => Ok(None),
    };
    let (starts, ends) = (moment("STARTS")?, moment("ENDS")?);
    Ok(Some(ScheduleSpec::Every { interval, unit, starts, ends }))
}

fn completion(cursor: &mut Cursor<'_>) -> Result<Option<bool>> {
    if !cursor.take_all(&["ON", "COMPLETION"]) {
        return Ok(None);
    }
    let preserve = !cursor.take("NOT");
    cursor.expect("PRESERVE")?;
    Ok(Some(preserve))
}

fn status(cursor: &mut Cursor<'_>) -> Option<StatusSpec> {
    if cursor.take("ENABLE") {
        return Some(StatusSpec::Enabled);
    }
    if !cursor.take("DISABLE") {
        return None;
    }
    let elsewhere = cursor.take_all(&["ON", "SLAVE"]) || cursor.take_all(&["ON", "REPLICA"]);
    Some(if elsewhere { StatusSpec::DisabledOnReplica } else { StatusSpec::Disabled })
}

fn comment(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if cursor.take("COMMENT") { cursor.string().map(Some) } else { Ok(None) }
}

/// The rest of the statement, as written.
fn body(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if !cursor.take("DO") {
        return cursor.expect_end().map(|()| None);
    }
    if *cursor.peek() == Token::EOF {
        return Err(cursor.syntax());
    }
    let body = cursor.rest().trim_end().to_string();
    while *cursor.peek() != Token::EOF {
        cursor.advance();
    }
    Ok(Some(body))
}
