//! CREATE, ALTER, DROP EVENT, what their times mean, and the session of a run.
//!
//! Not here: the grammar (`syntax::event`), what a body may hold (`event_body`), running events
//! (`events`).

use std::sync::Arc;
use std::time::Instant;

use access::AccountName;
use expression::Level;
use rows::event::{EventDefinition, EventSchedule, EventSettings, EventStatus, RunRecord};
use syntax::TableName;
use syntax::event::{AlterEvent, CreateEvent, ScheduleSpec, StatusSpec};
use values::ErrorCode;
use values::SqlMode;
use values::temporal::read_datetime;

use super::Session;
use crate::event_schedule::{EveryStep, unit_name};
use crate::reply::Reply;
use crate::server::Sql;
use plan::variables::definition;
use results::{Result, SqlError};

/// Most events of a server.
const EVENTS_MAX: usize = 1024;
/// Longest body, in bytes: definitions are kept in memory.
const BODY_BYTES_MAX: usize = 64 << 10;
/// Longest comment, in characters.
const COMMENT_CHARS_MAX: usize = 1024;
/// Most characters of a name.
const NAME_CHARS_MAX: usize = 64;

impl Session {
    /// The session of an event's run, as the one was that defined it.
    ///
    /// # Errors
    /// 1049 when its database is gone.
    pub(crate) fn of_event(
        sql: &Arc<Sql>,
        id: u32,
        event: &EventDefinition,
        deadline: Option<Instant>,
    ) -> Result<Session> {
        let (user, host) = event.definer.rsplit_once('@').unwrap_or((&event.definer, "%"));
        let mut session = match event.is_by_account {
            true => {
                let account = AccountName::new(user, host);
                Session::of_account(sql, id, (user, host), &account, Some(&event.database))?
            }
            false => Session::new(sql, id, user, host, Some(&event.database))?,
        };
        let EventSettings { sql_mode, time_zone, charset_client, collation_connection } =
            &event.settings;
        let variables = Arc::make_mut(&mut session.variables);
        for (name, value) in [
            ("sql_mode", sql_mode),
            ("time_zone", time_zone),
            ("character_set_client", charset_client),
            ("collation_connection", collation_connection),
        ] {
            if let Some(definition) = definition(name) {
                variables.keep(definition, value.clone())?;
            }
        }
        session.deadline = deadline;
        Ok(session)
    }

    /// Whether the last statement was told to end, be it that it did not end with an error.
    ///
    /// # Errors
    /// As `KillMark::check`.
    pub(crate) fn check_interrupted(&self) -> Result<()> {
        Ok(self.process.kill.check()?)
    }

    /// sql_mode.
    pub(crate) fn mode(&self) -> SqlMode {
        self.variables.mode
    }

    /// An event by name.
    pub(super) fn event(&self, name: &TableName) -> Result<Arc<EventDefinition>> {
        self.find_event(name)?.ok_or_else(|| SqlError::unknown_event(&name.table))
    }

    fn find_event(&self, name: &TableName) -> Result<Option<Arc<EventDefinition>>> {
        let (database, event) = self.qualified(name)?;
        Ok(self.sql.engine().catalog().event_named(database, event))
    }

    pub(super) fn create_event(&mut self, create: &CreateEvent) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        let (database, name) = self.qualified(&create.name)?;
        let (database, name) = (database.to_string(), name.to_string());
        check_texts(&name, &create.comment, &create.body)?;
        if create.or_replace && create.if_not_exists {
            return Err(SqlError::new(
                ErrorCode::WrongUsage,
                "Incorrect usage of OR REPLACE and IF NOT EXISTS",
            ));
        }
        if !engine.catalog().has_database(&database) {
            return Err(SqlError::unknown_database(&database));
        }
        self.check_body(&create.body)?;
        let schedule = self.schedule(&create.schedule)?;
        let now = self.clock_seconds();
        let (definer, is_by_account) = self.definer_of(create.definer.as_deref());
        self.note_missing_definer(&definer, is_by_account);
        let mut event = EventDefinition {
            id: 0,
            database,
            name,
            definer,
            is_by_account,
            body: create.body.clone(),
            schedule,
            preserve: create.preserve,
            status: status_of(create.status),
            comment: create.comment.clone(),
            created: now,
            altered: now,
            settings: self.event_settings(),
            record: RunRecord::default(),
        };
        let old = engine.catalog().event_named(&event.database, &event.name);
        if old.is_some() && !create.or_replace {
            let error = SqlError::event_exists(&event.name);
            if create.if_not_exists {
                self.warn_event(Level::Note, error.code(), error.message());
                return Ok(self.done(0));
            }
            return Err(error);
        }
        if is_over(&event.schedule, now) {
            if !event.preserve {
                let message = "Event execution time is in the past and ON COMPLETION NOT PRESERVE \
                               is set. The event was dropped immediately after creation";
                // One that was to be replaced stays, as in MariaDB.
                self.warn_event(Level::Note, ErrorCode::EventCannotCreateInThePast, message);
                return Ok(self.done(0));
            }
            self.disable_over(&mut event);
        }
        match old {
            Some(old) => self.replace_event(&old, Some(event))?,
            None if engine.catalog().events().len() >= EVENTS_MAX => {
                let message = format!("There are {EVENTS_MAX} events, and no more are kept");
                return Err(SqlError::other(message));
            }
            None => engine.create_event(event)?,
        }
        if !self.sql.runs_events() {
            let message = "Event scheduler is switched off, use SET GLOBAL event_scheduler=ON to \
                           enable it.";
            self.warn_event(Level::Warning, ErrorCode::UnknownError, message);
        }
        self.sql.events().notify();
        Ok(self.done(0))
    }

    pub(super) fn alter_event(&mut self, alter: &AlterEvent) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        let old = self.event(&alter.name)?;
        let to = match &alter.rename {
            None => None,
            Some(name) => {
                let (database, name) = self.qualified(name)?;
                if !engine.catalog().has_database(database) {
                    return Err(SqlError::unknown_database(database));
                }
                if old.is_named(database, name) {
                    return Err(SqlError::new(
                        ErrorCode::EventSameName,
                        "Same old and new event name",
                    ));
                }
                Some((database.to_string(), name.to_string()))
            }
        };
        let new_name = to.as_ref().map_or(old.name.as_str(), |(_, name)| name);
        let texts = (alter.comment.as_deref().unwrap_or(""), alter.body.as_deref().unwrap_or(""));
        check_texts(new_name, texts.0, texts.1)?;
        if let Some(body) = &alter.body {
            self.check_body(body)?;
        }
        let schedule = match &alter.schedule {
            Some(spec) => Some(self.schedule(spec)?),
            None => None,
        };
        let now = self.clock_seconds();
        let mut present = old;
        loop {
            let mut event = (*present).clone();
            self.apply(&mut event, alter, to.as_ref(), schedule.as_ref(), now)?;
            if engine.change_event(&present, Some(event), engine.durability())? {
                self.sql.events().notify();
                return Ok(self.done(0));
            }
            // A run has begun or ended, or somebody else was faster.
            let changed = engine.catalog().event(present.id);
            present = changed.ok_or_else(|| SqlError::unknown_event(&alter.name.table))?;
        }
    }

    /// Changes a definition as ALTER EVENT says.
    fn apply(
        &self,
        event: &mut EventDefinition,
        alter: &AlterEvent,
        to: Option<&(String, String)>,
        schedule: Option<&EventSchedule>,
        now: i64,
    ) -> Result<()> {
        let settings = self.event_settings();
        (event.definer, event.is_by_account) = self.definer_of(alter.definer.as_deref());
        event.altered = now;
        if let Some((database, name)) = to {
            (event.database, event.name) = (database.clone(), name.clone());
        }
        event.preserve = alter.preserve.unwrap_or(event.preserve);
        event.status = alter.status.map_or(event.status, status_of);
        if let Some(comment) = &alter.comment {
            event.comment.clone_from(comment);
        }
        if let Some(body) = &alter.body {
            event.body.clone_from(body);
            event.settings = EventSettings {
                time_zone: std::mem::take(&mut event.settings.time_zone),
                ..settings.clone()
            };
        }
        if let Some(schedule) = schedule {
            event.schedule = schedule.clone();
            event.settings.time_zone = settings.time_zone;
            if is_over(schedule, now) && !event.preserve {
                return Err(SqlError::new(
                    ErrorCode::EventCannotAlterInThePast,
                    "Event execution time is in the past and ON COMPLETION NOT PRESERVE is set. \
                     The event was not changed. Specify a time in the future",
                ));
            }
        }
        let begun = matches!(event.schedule, EventSchedule::Once { begun: true, .. });
        let asked = schedule.is_some() || alter.status == Some(StatusSpec::Enabled);
        if asked && (begun || is_over(&event.schedule, now)) {
            self.disable_over(event);
        }
        Ok(())
    }

    pub(super) fn drop_event(&mut self, name: &TableName, if_exists: bool) -> Result<Reply> {
        match self.find_event(name)? {
            Some(event) => {
                self.replace_event(&event, None)?;
                self.sql.events().notify();
            }
            None if if_exists => {
                let message = format!("Event {} does not exist", name.table);
                self.warn_event(Level::Note, ErrorCode::SpDoesNotExist, &message);
            }
            None => return Err(SqlError::unknown_event(&name.table)),
        }
        Ok(self.done(0))
    }

    /// Puts an event in the place of another, or nothing.
    fn replace_event(
        &self,
        old: &Arc<EventDefinition>,
        new: Option<EventDefinition>,
    ) -> Result<()> {
        let engine = self.sql.engine();
        let mut present = Arc::clone(old);
        loop {
            let mut event = new.clone();
            if let Some(event) = &mut event {
                // A run of the old one goes on, and no other begins beside it.
                event.record = present.record.clone();
            }
            if engine.change_event(&present, event, engine.durability())? {
                return Ok(());
            }
            let changed = engine.catalog().event(old.id);
            present = changed.ok_or_else(|| SqlError::unknown_event(&old.name))?;
        }
    }

    fn warn_event(&self, level: Level, code: ErrorCode, message: &str) {
        self.warnings.borrow_mut().push(level, code, message.to_string());
    }

    fn disable_over(&self, event: &mut EventDefinition) {
        event.status = EventStatus::Disabled;
        let message = "Event execution time is in the past. Event has been disabled";
        self.warn_event(Level::Note, ErrorCode::EventExecTimeInThePast, message);
    }

    /// Seconds since the epoch, whatever SET TIMESTAMP said: events go by the clock.
    fn clock_seconds(&self) -> i64 {
        (self.sql.engine().clock().unix_micros() / 1_000_000) as i64
    }

    fn event_settings(&self) -> EventSettings {
        let text =
            |name| definition(name).map_or(String::new(), |known| self.variables.text(known));
        EventSettings {
            sql_mode: self.variables.mode.to_string(),
            time_zone: text("time_zone"),
            charset_client: text("character_set_client"),
            collation_connection: text("collation_connection"),
        }
    }

    fn schedule(&mut self, spec: &ScheduleSpec) -> Result<EventSchedule> {
        match spec {
            ScheduleSpec::At(at) => {
                let at = self.moment(at)?.map_err(|value| incorrect("AT", &value))?;
                Ok(EventSchedule::Once { at, begun: false })
            }
            ScheduleSpec::Every { interval, unit, starts, ends } => {
                let Some(unit) = unit_name(unit) else {
                    return Err(match unit.to_ascii_uppercase().contains("MICROSECOND") {
                        true => SqlError::unsupported("MICROSECOND"),
                        false => SqlError::syntax(unit, 1),
                    });
                };
                let (value, text) = self.value_of(interval)?;
                if value.is_null() {
                    return Err(incorrect("INTERVAL", "NULL"));
                }
                let step = EveryStep::parse(&text, unit).ok_or_else(|| {
                    SqlError::new(
                        ErrorCode::EventInterval,
                        "INTERVAL is either not positive or too big",
                    )
                })?;
                let starts = match starts {
                    Some(starts) => {
                        self.moment(starts)?.map_err(|value| incorrect("STARTS", &value))?
                    }
                    None => self.facts().now.div_euclid(1_000_000),
                };
                let wrong = || {
                    SqlError::new(
                        ErrorCode::EventEndsBeforeStarts,
                        "ENDS is either invalid or before STARTS",
                    )
                };
                let ends = match ends {
                    Some(ends) => Some(self.moment(ends)?.map_err(|_| wrong())?),
                    None => None,
                };
                if ends.is_some_and(|ends| ends < starts) {
                    return Err(wrong());
                }
                let (interval, unit) = (step.shown(), unit.to_string());
                Ok(EventSchedule::Every { interval, unit, starts, ends })
            }
        }
    }

    /// A moment as an expression gives it, in seconds; its text where it is none.
    fn moment(&mut self, expr: &sqlparser::ast::Expr) -> Result<std::result::Result<i64, String>> {
        let (value, text) = self.value_of(expr)?;
        if value.is_null() {
            return Ok(Err("NULL".to_string()));
        }
        let read = read_datetime(text.as_bytes()).filter(|read| !read.garbage);
        let instant = read.and_then(|read| match read.offset {
            Some(ahead) => values::temporal::Zone::ahead(ahead).instant_of(read.value),
            None => self.variables.zone.instant_of(read.value),
        });
        Ok(instant.map(|micros| micros.div_euclid(1_000_000)).ok_or(text))
    }
}

/// Whether a schedule has no moments any more at a time.
fn is_over(schedule: &EventSchedule, now: i64) -> bool {
    match schedule {
        EventSchedule::Once { at, .. } => *at < now,
        EventSchedule::Every { ends, .. } => ends.is_some_and(|ends| ends < now),
    }
}

fn incorrect(clause: &str, value: &str) -> SqlError {
    SqlError::new(ErrorCode::WrongValue, format!("Incorrect {clause} value: '{value}'"))
}

fn check_texts(name: &str, comment: &str, body: &str) -> Result<()> {
    if name.chars().count() > NAME_CHARS_MAX {
        return Err(SqlError::new(
            ErrorCode::TooLongIdent,
            format!("Identifier name '{name}' is too long"),
        ));
    }
    if name.ends_with(' ') || name.contains('\0') {
        return Err(SqlError::new(
            ErrorCode::SpWrongName,
            format!("Incorrect routine name '{name}'"),
        ));
    }
    if comment.chars().count() > COMMENT_CHARS_MAX {
        let message = format!("Comment for event '{name}' is too long (max = {COMMENT_CHARS_MAX})");
        return Err(SqlError::new(ErrorCode::UnknownError, message));
    }
    if body.len() > BODY_BYTES_MAX {
        let message = format!("The body of event '{name}' is too long (max = {BODY_BYTES_MAX})");
        return Err(SqlError::new(ErrorCode::TooLongBody, message));
    }
    Ok(())
}

fn status_of(written: StatusSpec) -> EventStatus {
    match written {
        StatusSpec::Enabled => EventStatus::Enabled,
        StatusSpec::Disabled => EventStatus::Disabled,
        StatusSpec::DisabledOnReplica => EventStatus::DisabledOnReplica,
    }
}
