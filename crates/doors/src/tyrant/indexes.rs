//! `setindex`: indexes of the columns of a table of SQL, which are those that CREATE INDEX makes.
//!
//! ```text
//! column, type     0 LEXICAL, 1 DECIMAL     an index, unless one begins with the column
//!                  2 TOKEN, 3 QGRAM         refused: there are none of words
//!                  9998 OPT                 nothing to be done for one that is there
//!                  9999 VOID                removes the one that `setindex` has made
//!                  + 1 << 24 KEEP           fails if there is one
//! ```
//! An empty column is the primary key, which is one.
//!
//! Invariants
//! 1. What is made is used by `search` (`access`), and kept up with the rows whoever writes them; what
//!    could not be is refused, not made.
//! 2. An index that somebody else has made is not removed.
//!
//! Not here: which conditions an index serves (`access`).

use rows::{Alteration, ColumnType, Engine, NewIndex, Table};

use crate::memcached::text::signed;
use crate::tyrant::access::index_of;
use crate::tyrant::command::{Failure, Trouble, failure_for};
use crate::tyrant::execute::Rows;

/// Added to a type: fails if there is an index.
const KEEP: i64 = 1 << 24;
/// In front of the column in the name of an index that is made here.
const NAME: &str = "tyrant_";

/// What becomes of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lexical,
    Decimal,
    Words,
    Optimize,
    Void,
}

/// Makes or removes an index of a column.
///
/// # Errors
/// `Invalid` for what there is not; `Exists` and `Missing` as the type wants it; see `Trouble`.
pub fn set(rows: &mut Rows<'_, '_>, column: &[u8], kind: &[u8]) -> Result<(), Trouble> {
    let (kind, keeps) = kind_of(kind)?;
    let database = rows.database;
    let table = database.table().clone();
    if kind == Kind::Words {
        return rows.refuse("setindex", "there are no indexes of words, nor of parts of them");
    }
    if column.is_empty() {
        return match kind {
            Kind::Lexical if keeps => Err(Failure::Exists.into()),
            Kind::Lexical | Kind::Optimize => Ok(()),
            _ => rows.refuse("setindex", "the primary key is a lexical index, and stays"),
        };
    }
    if database.is_documents() {
        let why = "documents have no indexes; columns of a table of SQL have";
        return rows.refuse("setindex", why);
    }
    let position =
        database.column_named(column).ok_or_else(|| Failure::Invalid("no such column".into()))?;
    let there = index_of(&table, position);
    let alteration = match kind {
        Kind::Void => Alteration::DropIndex(own_index(&table, position).ok_or(Failure::Missing)?),
        Kind::Optimize if there.is_some() => return Ok(()),
        Kind::Optimize => return Err(Failure::Missing.into()),
        _ if there.is_some() && keeps => return Err(Failure::Exists.into()),
        _ => {
            check_type(kind, &table.columns[position].ty)?;
            if there.is_some() {
                return Ok(());
            }
            Alteration::AddIndex(new_index(&table.columns[position].name))
        }
    };
    if rows.reads_own {
        return rows.refuse("setindex", "a script's call can be rolled back, an index cannot");
    }
    if *rows.wrote || !rows.turn.may_wait_for_writers() {
        return Err(Trouble::Wait);
    }
    alter(rows.turn.engine(), &table, alteration)
}

fn alter(engine: &Engine, table: &Table, alteration: Alteration) -> Result<(), Trouble> {
    let altered =
        engine.alter_table(&table.database, &table.name, vec![alteration], &engine.patience());
    match altered {
        Ok(_) => Ok(()),
        Err(error @ rows::Error::Definition { .. }) => {
            Err(Failure::Invalid(error.to_string().into()).into())
        }
        Err(error) => Err(Trouble::Failed(failure_for(&error))),
    }
}

fn kind_of(text: &[u8]) -> Result<(Kind, bool), Failure> {
    let unknown = || Failure::Invalid("no such type of index".into());
    let number = signed(text).ok_or_else(unknown)?;
    let kind = match number & !KEEP {
        0 => Kind::Lexical,
        1 => Kind::Decimal,
        2 | 3 => Kind::Words,
        9998 => Kind::Optimize,
        9999 => Kind::Void,
        _ => return Err(unknown()),
    };
    Ok((kind, number & KEEP != 0))
}

/// Whether an index of such a column would be used as one of that kind.
fn check_type(kind: Kind, ty: &ColumnType) -> Result<(), Failure> {
    let why = match (kind, ty) {
        (Kind::Decimal, ColumnType::Int { .. }) => return Ok(()),
        (Kind::Decimal, _) => "a decimal index needs a column of integers",
        (_, ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json) => {
            "columns of TEXT, BLOB and JSON have no index of their whole values"
        }
        _ => return Ok(()),
    };
    Err(Failure::Invalid(why.into()))
}

fn new_index(column: &str) -> NewIndex {
    NewIndex {
        name: Some(format!("{NAME}{column}")),
        unique: false,
        primary: false,
        ..NewIndex::primary(&[column])
    }
}

/// The name of the index of a column that was made here.
fn own_index(table: &Table, column: usize) -> Option<String> {
    let name = format!("{NAME}{}", table.columns[column].name);
    let is_own = |index: &&rows::schema::Index| {
        index.name.eq_ignore_ascii_case(&name)
            && matches!(&index.parts[..], [part] if part.column == column)
    };
    table.indexes.iter().find(is_own).map(|index| index.name.clone())
}
