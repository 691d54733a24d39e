//! The zone of the machine, which `time_zone = 'SYSTEM'` means: what TZ says, else what
//! /etc/localtime leads to, else UTC.
//!
//! Invariants
//! 1. It is found out once, so that it stays the same while a program runs.
//!
//! Not here: TZ's rules of its own (`CET-1CEST,M3.5.0,M10.5.0/3`), which are read as far as their
//! name is that of a place of the IANA database.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::zone::Zone;

/// The folder below which files are named like places.
const DATABASE: &str = "zoneinfo";

impl Zone {
    /// The machine's zone.
    pub fn of_system() -> Zone {
        static ZONE: OnceLock<Zone> = OnceLock::new();
        *ZONE.get_or_init(|| {
            let variable = std::env::var("TZ").ok();
            zone_of(variable.as_deref(), std::fs::read_link("/etc/localtime").ok())
        })
    }
}

/// The zone by TZ, if it is set, and by the file that /etc/localtime is a link to.
fn zone_of(variable: Option<&str>, local_time: Option<PathBuf>) -> Zone {
    let found = match variable {
        // The file's own name may stand behind a colon (POSIX).
        Some(text) => named(text.strip_prefix(':').unwrap_or(text)),
        None => local_time.and_then(|path| below_database(&path)),
    };
    found.unwrap_or(Zone::UTC)
}

fn named(text: &str) -> Option<Zone> {
    match text.starts_with('/') {
        true => below_database(Path::new(text)),
        false => Zone::parse(text),
    }
}

/// The place that a file of the database is named like.
fn below_database(path: &Path) -> Option<Zone> {
    let text = path.to_str()?;
    let (_, name) = text.rsplit_once(&format!("/{DATABASE}/"))?;
    Zone::parse(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_zone_is_what_tz_says_before_what_local_time_is() {
        let berlin = Zone::parse("Europe/Berlin").expect("a place");
        let tokyo = || Some(PathBuf::from("/usr/share/zoneinfo/Asia/Tokyo"));
        assert_eq!(zone_of(Some("Europe/Berlin"), tokyo()), berlin);
        assert_eq!(zone_of(Some(":Europe/Berlin"), tokyo()), berlin);
        assert_eq!(zone_of(Some("/usr/share/zoneinfo/Europe/Berlin"), None), berlin);
        assert_eq!(zone_of(None, tokyo()), Zone::parse("Asia/Tokyo").expect("a place"));
        // An empty TZ, and one that is no place, mean UTC.
        assert_eq!(zone_of(Some(""), tokyo()), Zone::UTC);
        assert_eq!(zone_of(Some("Nowhere/Land"), tokyo()), Zone::UTC);
        assert_eq!(zone_of(None, None), Zone::UTC);
        assert_eq!(zone_of(None, Some(PathBuf::from("/etc/zone"))), Zone::UTC);
    }
}
