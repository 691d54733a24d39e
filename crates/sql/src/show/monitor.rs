//! SHOW ENGINE ... STATUS: one text in the layout of InnoDB's monitor, which tools cut at its
//! headings, with this server's own figures. A figure of InnoDB that there is none of here is left
//! out.
//!
//! Not here: SHOW STATUS (`server`), which has the same figures as rows.

use std::fmt::Write;

use values::ErrorCode;
use values::temporal::{Timestamp, Zone};

use super::{Listing, text};
use crate::server::Sql;
use crate::show::server::ENGINES;
use results::{Result, SqlError};

/// SHOW ENGINE of one by its name; `status`: STATUS, where it has one.
///
/// # Errors
/// 1286 for a name that is no engine's.
pub fn engine(sql: &Sql, name: &str, status: bool) -> Result<Listing> {
    let mut listing = Listing::new(&["Type", "Name", "Status"]).long_text(2);
    // No engine of ours, and in MySQL one for this alone: what is kept of statements, in bytes.
    if name.eq_ignore_ascii_case("performance_schema") {
        if status {
            let bytes = sql.history().memory_bytes().to_string();
            listing.push(vec![
                text("performance_schema"),
                text("performance_schema.memory"),
                text(bytes),
            ]);
        }
        return Ok(listing);
    }
    let known = ENGINES.iter().find(|engine| engine.eq_ignore_ascii_case(name));
    let Some(known) = known else {
        return Err(SqlError::new(
            ErrorCode::UnknownStorageEngine,
            format!("Unknown storage engine '{name}'"),
        ));
    };
    // The others are names of the first.
    if status && *known == ENGINES[0] {
        listing.push(vec![text(known), text(""), text(monitor(sql))]);
    }
    Ok(listing)
}

/// A heading of the monitor's text.
fn heading(out: &mut String, title: &str, line: char) {
    let rule: String = std::iter::repeat_n(line, title.len()).collect();
    let _ = writeln!(out, "{rule}\n{title}\n{rule}");
}

fn monitor(sql: &Sql) -> String {
    let now = Timestamp::from_micros(sql.engine().clock().unix_micros()).to_datetime(Zone::UTC);
    let mut moment = Vec::new();
    now.write(0, &mut moment);
    let moment = String::from_utf8_lossy(&moment);
    let mut out = String::from("\n");
    // Behind the moment MySQL has the number of a thread, which tools look for.
    heading(&mut out, &format!("{moment} 0 INNODB MONITOR OUTPUT"), '=');
    let _ =
        writeln!(out, "Figures of Rowhouse since it was started, {} s ago", sql.uptime_seconds());
    heading(&mut out, "TRANSACTIONS", '-');
    for line in sql.processes().lines() {
        let _ = writeln!(
            out,
            "---CONNECTION {}, {} {} {}, {}",
            line.id, line.user, line.host, line.command, line.state
        );
    }
    heading(&mut out, "ROW OPERATIONS", '-');
    let counters = sql.counters();
    let _ = writeln!(
        out,
        "Statements: {} INSERT, {} UPDATE, {} DELETE, {} REPLACE, {} SELECT",
        counters.inserts.get(),
        counters.updates.get(),
        counters.deletes.get(),
        counters.replaces.get(),
        counters.selects.get()
    );
    heading(&mut out, "STORE", '-');
    let mut figures = sql.engine().metrics().figures();
    figures.sort();
    for (name, value) in figures {
        let _ = writeln!(out, "{name} {value}");
    }
    heading(&mut out, "END OF INNODB MONITOR OUTPUT", '-');
    out
}
