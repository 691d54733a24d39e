//! Tables that doors make for themselves, where they are missing.
//!
//! Not here: which columns they have (`memcached::place`, `tyrant::database`).

use rows::schema::Column;
use rows::{Engine, Error, NewIndex, NewTable};

/// Makes a table, and its database, unless there are such: the first column is its primary key.
///
/// # Errors
/// Those of the engine.
pub fn make(engine: &Engine, database: &str, name: &str, columns: Vec<Column>) -> rows::Result<()> {
    match engine.create_database(database) {
        Ok(()) | Err(Error::Exists { .. }) => {}
        Err(error) => return Err(error),
    }
    let primary = NewIndex::primary(&[&columns[0].name]);
    match engine.create_table(NewTable::new(database, name, columns, vec![primary])) {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
