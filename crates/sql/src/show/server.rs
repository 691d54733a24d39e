//! Variables, status, connections, and what the server can do.

use expression::{Level, Warnings};
use values::CharacterSet;
use values::collation;
use values::datum::Value;
use values::types::Collation;

use super::{Listing, maybe, number, text};
use crate::server::{Sql, StatementName};
use plan::encryption::SessionTls;
use plan::process_line::ProcessLine;
use plan::variables::{SessionVariables, VARIABLES, definition};

/// SHOW VARIABLES; of the session if given, else global.
pub fn variables(sql: &Sql, session: Option<&SessionVariables>) -> Listing {
    let mut listing = Listing::new(&["Variable_name", "Value"]);
    for definition in &VARIABLES {
        let value = match session {
            Some(session) => session.text(definition),
            None => sql.globals().text(definition),
        };
        listing.push(vec![text(definition.name), text(value)]);
    }
    listing
}

/// Figures of MySQL 9.7 that tools read and nothing here counts, or that this server has none of.
/// Not `Innodb_log_waits`, which mysqltuner divides by another one of these.
const NOT_COUNTED: &str = include_str!("not_counted.txt");

/// What MySQL 9.7 can do and this server cannot.
const NOT_THERE: [&str; 4] = [
    "Resource_group_supported",
    "Telemetry_logs_supported",
    "Telemetry_metrics_supported",
    "Telemetry_traces_supported",
];

/// Figures that say what variables do.
const OF_VARIABLES: [(&str, &str); 8] = [
    ("Current_tls_ca", "ssl_ca"),
    ("Current_tls_capath", "ssl_capath"),
    ("Current_tls_cert", "ssl_cert"),
    ("Current_tls_cipher", "ssl_cipher"),
    ("Current_tls_crl", "ssl_crl"),
    ("Current_tls_crlpath", "ssl_crlpath"),
    ("Current_tls_key", "ssl_key"),
    ("Current_tls_version", "tls_version"),
];

/// `innodb_page_size`.
const PAGE_BYTES: u64 = 16_384;

/// SHOW STATUS.
pub fn status(sql: &Sql, tls: SessionTls) -> Listing {
    let counters = sql.counters();
    let connected = sql.processes().count() as u64;
    let lines = sql.processes().lines();
    let running = lines.iter().filter(|line| line.command == "Query").count() as u64;
    let largest = lines.iter().map(|line| line.memory_bytes).max().unwrap_or_default() as u64;
    let prepared = sql.prepared_statements().count() as u64;
    let statements = sql.processes().statement_sums();
    let all = statements.total();
    let affected = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("Com_{name}")).collect();
        let of = statements
            .iter()
            .filter(|(name, _)| name.figure().is_some_and(|figure| names.contains(&figure)));
        of.map(|(_, sum)| sum.affected).sum::<u64>()
    };
    let tables = sql.engine().catalog().all_tables().len() as u64;
    let shown = sql.engine().metrics().figures();
    let mut figures: Vec<(String, String)> = [
        ("Com_delete", counters.deletes.get()),
        ("Com_insert", counters.inserts.get()),
        ("Com_prepare_sql", counters.named_prepares.get()),
        ("Com_replace", counters.replaces.get()),
        ("Com_select", counters.selects.get()),
        ("Com_stmt_prepare", counters.prepares.get()),
        ("Com_update", counters.updates.get()),
        ("Connections", counters.connections.get()),
        ("Max_used_connections", sql.processes().most() as u64),
        ("Queries", counters.questions.get()),
        ("Prepared_stmt_count", prepared),
        ("Questions", counters.questions.get()),
        ("Rowhouse_connection_memory_bytes_largest", largest),
        ("Rowhouse_kept_memory_bytes", sql.engine().budget().kept() as u64),
        ("Rowhouse_plans_made", counters.plans_made.get()),
        ("Rowhouse_select_lookups", counters.lookups.get()),
        ("Rowhouse_tables_listed", counters.tables_listed.get()),
        ("Rowhouse_slow_queries_left_out", sql.history().logs().slow().left_out()),
        ("Slow_queries", sql.history().logs().slow().count()),
        ("Threads_cached", 0),
        ("Threads_connected", connected),
        ("Threads_created", counters.connections.get()),
        ("Threads_running", running),
        ("Uptime", sql.uptime_seconds()),
        ("Uptime_since_flush_status", sql.uptime_seconds()),
        // What statements of this door did, as InnoDB counts rows.
        ("Innodb_rows_deleted", affected(&["delete"])),
        ("Innodb_rows_inserted", affected(&["insert", "replace", "load"])),
        ("Innodb_rows_read", all.examined),
        ("Innodb_rows_updated", affected(&["update"])),
        ("Innodb_row_lock_current_waits", sql.engine().store().row_lock_waits().len() as u64),
        ("Innodb_row_lock_time", all.lock_micros / 1000),
        ("Select_scan", all.table_scans),
        // All definitions are in memory.
        ("Open_table_definitions", tables),
        ("Open_tables", tables),
        ("Aborted_clients", 0),
        ("Aborted_connects", shown_number(&shown, "mysql_failed_logins")),
        ("Innodb_page_size", PAGE_BYTES),
    ]
    .into_iter()
    .chain(NOT_COUNTED.lines().map(|name| (name, 0)))
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .collect();
    let counted = |name: &str| figures.iter().any(|(known, _)| known == name);
    let others: Vec<_> = StatementName::all()
        .filter_map(|name| {
            let sum = statements.iter().find(|(known, _)| *known == name);
            let figure = name.figure().filter(|figure| !counted(figure))?;
            Some((figure, sum.map_or(0, |(_, sum)| sum.count).to_string()))
        })
        .collect();
    figures.extend(others);
    figures.extend(NOT_THERE.map(|name| (name.to_string(), "OFF".to_string())));
    for (figure, variable) in OF_VARIABLES {
        let value = definition(variable).map(|definition| sql.globals().text(definition));
        figures.push((figure.to_string(), value.unwrap_or_default()));
    }
    figures.push(("Ssl_cipher".to_string(), tls.cipher.to_string()));
    figures.push(("Ssl_version".to_string(), tls.version.to_string()));
    figures.extend(pages(&shown));
    for (name, value) in shown {
        // What goes through this door is what these are in MySQL.
        match name.as_str() {
            "mysql_received_bytes" => figures.push(("Bytes_received".to_string(), value.clone())),
            "mysql_sent_bytes" => figures.push(("Bytes_sent".to_string(), value.clone())),
            _ => {}
        }
        figures.push((format!("Rowhouse_{name}"), value));
    }
    figures.sort();
    let mut listing = Listing::new(&["Variable_name", "Value"]);
    for (name, value) in figures {
        listing.push(vec![text(name), text(value)]);
    }
    listing
}

/// One of the server's figures; 0 where it is not told.
fn shown_number(figures: &[(String, String)], name: &str) -> u64 {
    let found = figures.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

/// The row cache as InnoDB's buffer pool: in its pages, which tools ask for.
fn pages(figures: &[(String, String)]) -> Vec<(String, String)> {
    let bytes = |name: &str| shown_number(figures, name);
    let (total, data) = (bytes("row_cache_bytes_max"), bytes("row_cache_bytes"));
    let (total, data) = (total / PAGE_BYTES, data.div_ceil(PAGE_BYTES));
    [
        ("Innodb_buffer_pool_pages_data", data),
        ("Innodb_buffer_pool_pages_dirty", 0),
        ("Innodb_buffer_pool_pages_free", total.saturating_sub(data)),
        ("Innodb_buffer_pool_pages_total", total),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .into()
}

/// SHOW WARNINGS, SHOW ERRORS.
pub fn warnings(warnings: &Warnings, errors_only: bool, limit: Option<(u64, u64)>) -> Listing {
    let mut listing = Listing::new(&["Level", "Code#", "Message"]);
    let (skip, take) = limit.unwrap_or((0, u64::MAX));
    let wanted = warnings
        .list()
        .iter()
        .filter(|warning| !errors_only || warning.level == Level::Error)
        .skip(usize::try_from(skip).unwrap_or(usize::MAX))
        .take(usize::try_from(take).unwrap_or(usize::MAX));
    for warning in wanted {
        listing.push(vec![
            text(warning.level.word()),
            number(u64::from(warning.number())),
            text(&warning.message),
        ]);
    }
    listing
}

/// The lines of the process list that a user may see: its own, or those of all doors' clients.
pub fn seen_lines(sql: &Sql, user: &str, sees_all: bool) -> Vec<ProcessLine> {
    let mut lines = sql.processes().lines();
    lines.extend(sql.long_queries().ending());
    lines.extend(sql.door_clients().lines());
    lines.retain(|line| sees_all || line.belongs_to(user));
    lines.sort_by_key(|line| line.id);
    lines
}

/// SHOW PROCESSLIST of these lines.
pub fn processes(sql: &Sql, lines: Vec<ProcessLine>, full: bool) -> Listing {
    /// Characters of a statement that are shown without FULL.
    const INFO_CHARS: usize = 100;
    let mut listing = Listing::new(&[
        "Id#",
        "User",
        "Host",
        "db",
        "Command",
        "Time#",
        "State",
        "Info",
        "Memory_used#",
    ])
    .long_text(7);
    let now = sql.engine().clock().unix_micros();
    for line in lines {
        let info = line.info.map(|info| match full {
            true => info,
            false => info.chars().take(INFO_CHARS).collect(),
        });
        listing.push(vec![
            number(u64::from(line.id)),
            text(line.user),
            text(line.host),
            maybe(line.database),
            text(line.command),
            number(now.saturating_sub(line.since) / 1_000_000),
            text(line.state),
            maybe(info),
            number(line.memory_bytes as u64),
        ]);
    }
    listing
}

/// The names of the engines, the one that rows are stored by in front.
pub(super) const ENGINES: [&str; 4] = ["InnoDB", "COLUMNAR", "MyISAM", "MEMORY"];

/// SHOW ENGINES.
pub fn engines() -> Listing {
    let mut listing =
        Listing::new(&["Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"]);
    let rows = [
        ("DEFAULT", "Rows of Rowhouse: every other name means this one"),
        ("YES", "Rows stored by column, for analytic queries"),
        ("YES", "The same rows under another name"),
        ("YES", "The same rows under another name"),
    ];
    for (name, (support, comment)) in ENGINES.into_iter().zip(rows) {
        let (yes, no) = (text("YES"), text("NO"));
        listing.push(vec![text(name), text(support), text(comment), yes.clone(), no, yes]);
    }
    listing
}

/// SHOW CHARACTER SET.
pub fn character_sets() -> Listing {
    let mut listing = Listing::new(&["Charset", "Description", "Default collation", "Maxlen#"]);
    for (set, description) in CharacterSet::described() {
        listing.push(vec![
            text(set.name()),
            text(description),
            text(Collation::default_of(set).name()),
            number(set.bytes_max().into()),
        ]);
    }
    listing
}

/// SHOW COLLATION. Numbers as MySQL's.
pub fn collations() -> Listing {
    let mut listing = Listing::new(&[
        "Collation",
        "Charset",
        "Id#",
        "Default",
        "Compiled",
        "Sortlen#",
        "Pad_attribute",
    ]);
    for collation in collation::collations() {
        listing.push(vec![
            text(collation.name()),
            text(collation.set_name()),
            number(collation.number().into()),
            text(if collation.is_default() { "Yes" } else { "" }),
            text("Yes"),
            number(collation.sort_length().into()),
            text(if collation.pads() { "PAD SPACE" } else { "NO PAD" }),
        ]);
    }
    listing
}

/// SHOW GRANTS.
pub fn grants(user: &str) -> Listing {
    let (name, host) = user.rsplit_once('@').unwrap_or((user, "%"));
    let mut listing = Listing::new(&[&format!("Grants for {name}@{host}")]);
    listing.push(vec![text(format!(
        "GRANT ALL PRIVILEGES ON *.* TO `{name}`@`{host}` WITH GRANT OPTION"
    ))]);
    listing
}

/// SHOW PLUGINS.
pub fn plugins() -> Listing {
    let mut listing = Listing::new(&["Name", "Status", "Type", "Library", "License"]);
    let rows = [
        ("mysql_native_password", "AUTHENTICATION"),
        ("caching_sha2_password", "AUTHENTICATION"),
        ("InnoDB", "STORAGE ENGINE"),
    ];
    for (name, kind) in rows {
        listing.push(vec![text(name), text("ACTIVE"), text(kind), Value::Null, text("Apache-2.0")]);
    }
    listing
}
