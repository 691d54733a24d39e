//! Options of a table that are about other servers' storage: kept as said, shown again, and without
//! effect, so that a schema that was read from here is the one that was written.
//!
//! Invariants
//! 1. What SHOW CREATE TABLE prints of them is what MySQL 9.7 prints of the same table.
//!
//! Not here: how they are read (`syntax::table_options`).

use std::collections::BTreeMap;

use values::types::string_literal;

/// In the order of SHOW CREATE TABLE.
const AS_WRITTEN: [&str; 13] = [
    "MIN_ROWS",
    "MAX_ROWS",
    "AVG_ROW_LENGTH",
    "PACK_KEYS",
    "STATS_PERSISTENT",
    "STATS_AUTO_RECALC",
    "STATS_SAMPLE_PAGES",
    "CHECKSUM",
    "DELAY_KEY_WRITE",
    ROW_FORMAT,
    "KEY_BLOCK_SIZE",
    "COMPRESSION",
    "ENCRYPTION",
];
/// In the order, and with the names, of information_schema; `partitioned` stands where there is no
/// option of that name.
const AS_LISTED: [(&str, &str); 14] = [
    ("MAX_ROWS", "max_rows"),
    ("MIN_ROWS", "min_rows"),
    ("AVG_ROW_LENGTH", "avg_row_length"),
    (ROW_FORMAT, "row_format"),
    ("STATS_SAMPLE_PAGES", "stats_sample_pages"),
    ("STATS_AUTO_RECALC", "stats_auto_recalc"),
    ("STATS_PERSISTENT", "stats_persistent"),
    ("PACK_KEYS", "pack_keys"),
    ("CHECKSUM", "checksum"),
    ("DELAY_KEY_WRITE", "delay_key_write"),
    ("", "partitioned"),
    ("KEY_BLOCK_SIZE", "KEY_BLOCK_SIZE"),
    ("COMPRESSION", "COMPRESSION"),
    ("ENCRYPTION", "ENCRYPTION"),
];
/// How rows lie in a file, elsewhere.
const ROW_FORMAT: &str = "ROW_FORMAT";
/// Options whose 0 stands for having none. 0 of the others says something.
const NONE_AT_ZERO: [&str; 7] = [
    "MIN_ROWS",
    "MAX_ROWS",
    "AVG_ROW_LENGTH",
    "CHECKSUM",
    "DELAY_KEY_WRITE",
    "KEY_BLOCK_SIZE",
    "STATS_SAMPLE_PAGES",
];

/// The options of a table once these were said, in their order; `None` takes one back.
pub(super) fn changed_options(
    known: &BTreeMap<String, String>,
    said: &[(&'static str, Option<String>)],
) -> BTreeMap<String, String> {
    let mut options = known.clone();
    for (name, value) in said {
        let says_nothing = |value: &String| match *name {
            "COMPRESSION" => value.is_empty() || value.eq_ignore_ascii_case("none"),
            "ENCRYPTION" => value.eq_ignore_ascii_case("N"),
            name => value == "0" && NONE_AT_ZERO.contains(&name),
        };
        match value.as_ref().filter(|value| !says_nothing(value)) {
            Some(value) => options.insert((*name).to_owned(), value.clone()),
            None => options.remove(*name),
        };
    }
    options
}

/// ` NAME=value ..`, as SHOW CREATE TABLE ends.
pub(super) fn options_text(options: &BTreeMap<String, String>) -> String {
    let shown = AS_WRITTEN.iter().filter_map(|name| Some((name, options.get(*name)?)));
    shown
        .map(|(name, value)| match is_text(name) {
            true => format!(" {name}={}", string_literal(value)),
            false => format!(" {name}={value}"),
        })
        .collect()
}

/// `name=value ..`: CREATE_OPTIONS of information_schema.
pub fn listed_options(options: &BTreeMap<String, String>, is_partitioned: bool) -> String {
    let shown = AS_LISTED.iter().filter_map(|(name, listed)| match options.get(*name) {
        Some(value) if is_text(name) => Some(format!("{listed}=\"{value}\"")),
        Some(value) => Some(format!("{listed}={value}")),
        None => (name.is_empty() && is_partitioned).then(|| (*listed).to_owned()),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// ROW_FORMAT of information_schema: `Dynamic` where nothing was said.
pub fn row_format(options: &BTreeMap<String, String>) -> String {
    let said = options.get(ROW_FORMAT).map_or("DYNAMIC", String::as_str);
    let (first, rest) = said.split_at(said.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + &rest.to_lowercase()
}

fn is_text(name: &str) -> bool {
    ["COMPRESSION", "ENCRYPTION"].contains(&name)
}
