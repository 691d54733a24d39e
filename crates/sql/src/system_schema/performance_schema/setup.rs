//! What is counted, as MySQL says it: `setup_consumers`, `setup_instruments`, `setup_actors`, which
//! tools look at before they ask for anything else; and `variables_info`.
//!
//! Nothing of it can be changed: statements are always counted, and nothing else is.
//!
//! Not here: the counts (`sums`, `digests`).

use values::datum::Value;

use crate::server::{CONSUMERS, StatementName};
use crate::show::text;
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;
use plan::variables::{VARIABLES, bounds};

fn yes_or_no(is_so: bool) -> Value {
    text(if is_so { "YES" } else { "NO" })
}

/// `setup_consumers`.
pub(super) fn consumers(table: &mut TableFiller<'_>) {
    for (name, is_there) in CONSUMERS {
        table.push(|column| match column {
            "NAME" => Some(text(name)),
            "ENABLED" => Some(yes_or_no(is_there)),
            _ => None,
        });
    }
}

/// `setup_instruments`: statements, by name.
pub(super) fn instruments(table: &mut TableFiller<'_>) {
    for name in StatementName::all() {
        table.push(|column| match column {
            "NAME" => Some(text(name.event())),
            "ENABLED" | "TIMED" => Some(yes_or_no(true)),
            _ => None,
        });
    }
}

/// `setup_actors`: everybody.
pub(super) fn actors(table: &mut TableFiller<'_>) {
    table.push(|column| {
        Some(match column {
            "HOST" | "USER" | "ROLE" => text("%"),
            "ENABLED" | "HISTORY" => yes_or_no(true),
            _ => return None,
        })
    });
}

/// `variables_info`: whether a variable has its default value, and between which numbers it lies.
pub(super) fn variables(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    for definition in &VARIABLES {
        let is_default = facts.sql.globals().text(definition) == definition.default;
        let bounds = bounds(definition);
        table.push(|column| {
            Some(match column {
                "VARIABLE_NAME" => text(definition.name),
                "VARIABLE_SOURCE" => text(if is_default { "COMPILED" } else { "DYNAMIC" }),
                "MIN_VALUE" => number_text(bounds.map_or(0, |(least, _)| least)),
                "MAX_VALUE" => number_text(bounds.map_or(0, |(_, most)| most)),
                _ => return None,
            })
        });
    }
}

fn number_text(bound: u64) -> Value {
    text(bound.to_string())
}
