//! System variables and figures of the server under the names that MariaDB 10.11 has for them in
//! `information_schema`; MySQL's are in `performance_schema`.
//!
//! Not here: which variables and figures there are (`plan::variables`, `show::server`).

use plan::variables::{Kind, Reach, VARIABLES};

use super::renamed;
use crate::show::{self, Listing, text};
use crate::system_schema::ListingContext;
use values::datum::Value;

/// The columns of all tables here but `SYSTEM_VARIABLES`.
const NAMES: [&str; 2] = ["VARIABLE_NAME", "VARIABLE_VALUE"];

/// A table of variables or figures; `None` when it is another.
pub(super) fn variables(facts: &ListingContext<'_>, name: &str) -> Option<Listing> {
    Some(match name {
        "GLOBAL_VARIABLES" => renamed(show::variables(facts.sql, None), &NAMES),
        "SESSION_VARIABLES" => renamed(show::variables(facts.sql, Some(&facts.variables)), &NAMES),
        "GLOBAL_STATUS" | "SESSION_STATUS" => renamed(show::status(facts.sql, facts.tls), &NAMES),
        "SYSTEM_VARIABLES" => system_variables(facts),
        _ => return None,
    })
}

/// `SYSTEM_VARIABLES`: what this server does not keep of a variable is NULL.
fn system_variables(facts: &ListingContext<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "VARIABLE_NAME",
        "SESSION_VALUE",
        "GLOBAL_VALUE",
        "GLOBAL_VALUE_ORIGIN",
        "DEFAULT_VALUE",
        "VARIABLE_SCOPE",
        "VARIABLE_TYPE",
        "VARIABLE_COMMENT",
        "NUMERIC_MIN_VALUE",
        "NUMERIC_MAX_VALUE",
        "NUMERIC_BLOCK_SIZE",
        "ENUM_VALUE_LIST",
        "READ_ONLY",
        "COMMAND_LINE_ARGUMENT",
        "GLOBAL_VALUE_PATH",
    ]);
    for definition in &VARIABLES {
        let global = facts.sql.globals().text(definition);
        let own = match definition.reach {
            Reach::Both | Reach::Session => text(facts.variables.text(definition)),
            Reach::Global | Reach::ReadOnly => Value::Null,
        };
        let origin = if global == definition.default { "COMPILE-TIME" } else { "SQL" };
        listing.push(vec![
            text(definition.name.to_ascii_uppercase()),
            own,
            text(global),
            text(origin),
            text(definition.default),
            text(match definition.reach {
                Reach::Both | Reach::Session => "SESSION",
                Reach::Global | Reach::ReadOnly => "GLOBAL",
            }),
            text(match definition.kind {
                Kind::Switch => "BOOLEAN",
                Kind::Number => "BIGINT UNSIGNED",
                Kind::Fraction => "DOUBLE",
                Kind::Text => "VARCHAR",
            }),
            text(""),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            text(if definition.reach == Reach::ReadOnly { "YES" } else { "NO" }),
            Value::Null,
            Value::Null,
        ]);
    }
    listing
}
