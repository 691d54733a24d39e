//! SHOW EVENTS, SHOW CREATE EVENT, `information_schema.events`.
//!
//! Not here: the statements about events (`session::events`).

use rows::engine::Engine;
use rows::event::{EventDefinition, EventSchedule, EventStatus};
use values::datum::Value;
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use super::{Listing, maybe, number, text};
use crate::ddl::quoted;
use crate::event_schedule::zone_of;

/// The collation of every database.
const DATABASE_COLLATION: Collation = Collation::Utf8Mb4GeneralCi;

/// A moment as a zone's clock shows it.
fn shown(moment: i64, zone: Zone) -> Value {
    moment
        .checked_mul(1_000_000)
        .and_then(|micros| zone.datetime_at(micros))
        .map_or(Value::Null, Value::DateTime)
}

/// The same within a statement.
fn literal(moment: i64, zone: Zone) -> String {
    let mut out = Vec::new();
    if let Value::DateTime(moment) = shown(moment, zone) {
        moment.write(0, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Number, or text in quotes, and unit of an interval.
fn interval(interval: &str, unit: &str) -> String {
    if unit.contains('_') { format!("'{interval}'") } else { interval.to_string() }
}

fn status(event: &EventDefinition) -> &'static str {
    match event.status {
        EventStatus::Enabled => "ENABLED",
        EventStatus::Disabled => "DISABLED",
        EventStatus::DisabledOnReplica => "SLAVESIDE_DISABLED",
    }
}

/// What a schedule shows: type, EXECUTE AT, interval and its unit, STARTS, ENDS.
fn schedule(event: &EventDefinition) -> [Value; 6] {
    let zone = zone_of(&event.settings.time_zone);
    match &event.schedule {
        EventSchedule::Once { at, .. } => {
            [text("ONE TIME"), shown(*at, zone), Value::Null, Value::Null, Value::Null, Value::Null]
        }
        EventSchedule::Every { interval: value, unit, starts, ends } => [
            text("RECURRING"),
            Value::Null,
            text(interval(value, unit)),
            text(unit),
            shown(*starts, zone),
            ends.map_or(Value::Null, |ends| shown(ends, zone)),
        ],
    }
}

/// SHOW EVENTS of a database, by name.
pub fn events(engine: &Engine, database: &str) -> Listing {
    let mut listing = Listing::new(&[
        "Db",
        "Name",
        "Definer",
        "Time zone",
        "Type",
        "Execute at",
        "Interval value",
        "Interval field",
        "Starts",
        "Ends",
        "Status",
        "Originator#",
        "character_set_client",
        "collation_connection",
        "Database Collation",
    ]);
    listing.like = 1;
    for at in [5, 8, 9] {
        listing.columns[at].ty = ColumnType::DateTime { fsp: 0 };
    }
    let mut events = engine.catalog().events();
    events.retain(|event| event.database == database);
    events.sort_by(|a, b| a.name.cmp(&b.name));
    for event in events {
        let [kind, at, interval, unit, starts, ends] = schedule(&event);
        listing.push(vec![
            text(&event.database),
            text(&event.name),
            text(&event.definer),
            text(&event.settings.time_zone),
            kind,
            at,
            interval,
            unit,
            starts,
            ends,
            text(status(&event)),
            number(1),
            text(&event.settings.charset_client),
            text(&event.settings.collation_connection),
            text(DATABASE_COLLATION.name()),
        ]);
    }
    listing
}

/// SHOW CREATE EVENT.
pub fn create_event(event: &EventDefinition) -> Listing {
    let mut listing = Listing::new(&[
        "Event",
        "sql_mode",
        "time_zone",
        "Create Event",
        "character_set_client",
        "collation_connection",
        "Database Collation",
    ])
    .long_text(3);
    listing.push(vec![
        text(&event.name),
        text(&event.settings.sql_mode),
        text(&event.settings.time_zone),
        text(definition(event)),
        text(&event.settings.charset_client),
        text(&event.settings.collation_connection),
        text(DATABASE_COLLATION.name()),
    ]);
    listing
}

/// The statement that would make an event again.
fn definition(event: &EventDefinition) -> String {
    let zone = zone_of(&event.settings.time_zone);
    let (user, host) = event.definer.rsplit_once('@').unwrap_or((&event.definer, "%"));
    let schedule = match &event.schedule {
        EventSchedule::Once { at, .. } => format!("AT '{}'", literal(*at, zone)),
        EventSchedule::Every { interval: value, unit, starts, ends } => {
            let mut every = format!(
                "EVERY {} {unit} STARTS '{}'",
                interval(value, unit),
                literal(*starts, zone)
            );
            if let Some(ends) = ends {
                every.push_str(&format!(" ENDS '{}'", literal(*ends, zone)));
            }
            every
        }
    };
    let preserve = if event.preserve { "PRESERVE" } else { "NOT PRESERVE" };
    let status = match event.status {
        EventStatus::Enabled => "ENABLE",
        EventStatus::Disabled => "DISABLE",
        EventStatus::DisabledOnReplica => "DISABLE ON SLAVE",
    };
    let comment = match event.comment.as_str() {
        "" => String::new(),
        comment => {
            let plain = event.settings.sql_mode.contains("NO_BACKSLASH_ESCAPES");
            let comment = if plain { comment.to_string() } else { comment.replace('\\', "\\\\") };
            format!(" COMMENT '{}'", comment.replace('\'', "''"))
        }
    };
    format!(
        "CREATE DEFINER={}@{} EVENT {} ON SCHEDULE {schedule} ON COMPLETION {preserve} \
         {status}{comment} DO {}",
        quoted(user),
        quoted(host),
        quoted(&event.name),
        event.body
    )
}

/// Columns and rows of `information_schema.events`: MySQL's, and behind them what became of the
/// runs.
pub fn event_rows(engine: &Engine, zone: Zone) -> Listing {
    let mut listing = Listing::new(&[
        "EVENT_CATALOG",
        "EVENT_SCHEMA",
        "EVENT_NAME",
        "DEFINER",
        "TIME_ZONE",
        "EVENT_BODY",
        "EVENT_DEFINITION",
        "EVENT_TYPE",
        "EXECUTE_AT",
        "INTERVAL_VALUE",
        "INTERVAL_FIELD",
        "SQL_MODE",
        "STARTS",
        "ENDS",
        "STATUS",
        "ON_COMPLETION",
        "CREATED",
        "LAST_ALTERED",
        "LAST_EXECUTED",
        "EVENT_COMMENT",
        "ORIGINATOR#",
        "CHARACTER_SET_CLIENT",
        "COLLATION_CONNECTION",
        "DATABASE_COLLATION",
        "RUNNING",
        "RUNS#",
        "FAILURES#",
        "LAST_MICROSECONDS#",
        "LAST_FAILED",
        "LAST_ERROR_NUMBER#",
        "LAST_ERROR",
    ])
    .long_text(6);
    for at in [8, 12, 13, 16, 17, 18, 28] {
        listing.columns[at].ty = ColumnType::DateTime { fsp: 0 };
    }
    for event in engine.catalog().events() {
        let [kind, at, interval, unit, starts, ends] = schedule(&event);
        let (settings, record) = (&event.settings, &event.record);
        let error = record.error.as_ref();
        listing.push(vec![
            text("def"),
            text(&event.database),
            text(&event.name),
            text(&event.definer),
            text(&settings.time_zone),
            text("SQL"),
            text(&event.body),
            kind,
            at,
            interval,
            unit,
            text(&settings.sql_mode),
            starts,
            ends,
            text(status(&event)),
            text(if event.preserve { "PRESERVE" } else { "NOT PRESERVE" }),
            shown(event.created, zone),
            shown(event.altered, zone),
            record.started.map_or(Value::Null, |started| shown(started, zone)),
            text(&event.comment),
            number(1),
            text(&settings.charset_client),
            text(&settings.collation_connection),
            text(DATABASE_COLLATION.name()),
            text(if record.running { "YES" } else { "NO" }),
            number(record.runs),
            number(record.failures),
            record.micros.map_or(Value::Null, number),
            error.map_or(Value::Null, |error| shown(error.at, zone)),
            error.map_or(Value::Null, |error| number(u64::from(error.number))),
            maybe(error.map(|error| &error.message)),
        ]);
    }
    listing
}
