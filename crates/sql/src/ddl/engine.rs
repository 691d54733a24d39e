//! Names behind ENGINE.
//!
//! Invariants
//! 1. A definition keeps a known name, as it is written here.
//!
//! Not here: what COLUMNAR changes (crate `columnar`), SHOW ENGINES (`show::server`).

use rows::ddl::ENGINE;
use rows::schema::COLUMNAR;
use syntax::table_options::TableOptions;
use values::{ErrorCode, SqlMode};

use results::{Result, SqlError};

/// Names that a table may be made with, those of MySQL 9.7 and of dumps of MariaDB. All but
/// COLUMNAR mean the same rows.
const KNOWN: [&str; 11] = [
    COLUMNAR,
    ENGINE,
    "MyISAM",
    "MEMORY",
    "ARCHIVE",
    "BLACKHOLE",
    "CSV",
    "MRG_MYISAM",
    "Aria",
    "RocksDB",
    "TokuDB",
];
/// Other names of these.
const SYNONYMS: [(&str, &str); 3] =
    [("HEAP", "MEMORY"), ("INNOBASE", ENGINE), ("MERGE", "MRG_MYISAM")];

/// The engine that options name, if it is a known one.
pub(super) fn engine_of(options: &TableOptions) -> Option<&'static str> {
    options.engine.as_deref().and_then(known_engine)
}

/// A known engine's name as SHOW CREATE TABLE prints it.
fn known_engine(given: &str) -> Option<&'static str> {
    let synonym = SYNONYMS.iter().find(|(name, _)| name.eq_ignore_ascii_case(given));
    let given = synonym.map_or(given, |(_, meant)| meant);
    KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(given))
}

/// What is wrong with an engine that a statement names. `Some`: a warning about a name that is
/// passed over.
///
/// # Errors
/// 1286 for an unknown name under NO_ENGINE_SUBSTITUTION.
pub fn unknown_engine(options: &TableOptions, mode: SqlMode) -> Result<Option<SqlError>> {
    let given = options.engine.as_deref().filter(|given| known_engine(given).is_none());
    let Some(given) = given else { return Ok(None) };
    let message = format!("Unknown storage engine '{given}'");
    let error = SqlError::new(ErrorCode::UnknownStorageEngine, message);
    if mode.no_engine_substitution() { Err(error) } else { Ok(Some(error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_any_case_and_by_its_old_name() {
        assert_eq!(known_engine("innodb"), Some("InnoDB"));
        assert_eq!(known_engine("heap"), Some("MEMORY"));
        assert_eq!(known_engine("Merge"), Some("MRG_MYISAM"));
        assert_eq!(known_engine("columnar"), Some("COLUMNAR"));
        assert_eq!(known_engine("innodb2"), None);
    }
}
