//! What every door tells of itself among the server's figures, and where a client comes from.
//!
//! Not here: opening doors (`open_doors`).

use std::net::IpAddr;
use std::sync::Arc;

use access::audit::AuditLog;
use doors::logins::DoorLogins;
use rows::Engine;
use sql::Sql;

use crate::net::connection::Peer;

/// Adds the count of a door's logins that have failed to the server's figures.
pub(crate) fn show_failed_logins(engine: &Engine, door: &str, logins: &Arc<DoorLogins>) {
    let logins = Arc::clone(logins);
    let figure = format!("{}_failed_logins", door.replace('-', "_"));
    show_count(engine, figure, move || logins.failed().count());
}

/// Adds a count to the server's figures.
pub(crate) fn show_count(
    engine: &Engine,
    figure: String,
    count: impl Fn() -> u64 + Send + Sync + 'static,
) {
    engine.metrics().register(move |figures| figures.push((figure.clone(), count().to_string())));
}

/// Adds the counts of the audit log's lines to the server's figures.
pub(crate) fn show_audit(engine: &Engine, sql: &Sql) {
    for (figure, count) in [
        ("audit_lines_written", AuditLog::written as fn(&AuditLog) -> u64),
        ("audit_lines_left_out", AuditLog::left_out),
    ] {
        let access = Arc::clone(sql.access());
        show_count(engine, figure.to_owned(), move || access.audit().map_or(0, count));
    }
}

/// The client's address, unless it is on this machine.
pub(crate) fn address(peer: Peer) -> Option<IpAddr> {
    any_address(peer).filter(|address| !address.is_loopback())
}

/// The client's address; `None` at a UNIX socket.
pub(crate) fn any_address(peer: Peer) -> Option<IpAddr> {
    peer.address.map(|address| address.ip().to_canonical())
}
