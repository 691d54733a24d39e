//! The functions of `misc` that table databases have, or have otherwise than others.
//!
//! | function | takes | gives |
//! |---|---|---|
//! | put, putkeep | primary key, names and values of columns | |
//! | putcat | likewise; columns that are there stay | |
//! | get | primary key | names and values |
//! | setindex | column, type | |
//! | genuid | | a number that was never given before |
//! | search, metasearch | see `query` | see `search` |
//!
//! Not here: the functions that all databases have (`misc`).

use crate::tyrant::columns::Columns;
use crate::tyrant::command::{List, PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::encode::CountedReply;
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::indexes;
use crate::tyrant::search;

/// Calls a function; `false` when tables have none of their own by this name.
///
/// # Errors
/// As `misc::call`.
pub fn call(
    rows: &mut TyrantRows<'_, '_>,
    name: &[u8],
    arguments: List<'_>,
    answer: &mut CountedReply<'_>,
) -> Result<bool, TyrantTrouble> {
    let mut given = arguments.iter();
    let mut key = || given.next().ok_or(TyrantFailure::Invalid("an argument is missing".into()));
    let mode = match name {
        b"put" => PutMode::Over,
        b"putkeep" => PutMode::Keep,
        b"putcat" => PutMode::Concatenate,
        b"get" => {
            let columns = rows.columns_of(key()?)?.ok_or(TyrantFailure::Missing)?;
            for (name, value) in columns.iter() {
                answer.push(name);
                answer.push(value);
            }
            return Ok(true);
        }
        b"genuid" => {
            let now = rows.turn.engine().clock().unix_micros();
            answer.push(rows.shared.unique_id(now).to_string().as_bytes());
            return Ok(true);
        }
        b"setindex" => return indexes::set(rows, key()?, key()?).map(|()| true),
        b"search" | b"metasearch" => return search::run(rows, arguments, answer).map(|()| true),
        _ => return Ok(false),
    };
    let key = key()?;
    rows.put_columns(mode, key, &Columns::of_parts(given)?)?;
    Ok(true)
}
