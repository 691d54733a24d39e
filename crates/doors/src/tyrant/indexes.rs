//! `setindex`: indexes of columns. Of a table of SQL they are those that CREATE INDEX makes; of
//! documents, whose columns are members of JSON, member indexes.
//!
//! ```text
//! column, type     0 LEXICAL, 1 DECIMAL     an index, unless one begins with the column
//!                  2 TOKEN, 3 QGRAM         likewise of documents; refused for tables of SQL
//!                  9998 OPT                 nothing to be done for one that is there
//!                  9999 VOID                removes the one that `setindex` has made
//!                  + 1 << 24 KEEP           fails if there is one
//! ```
//! An empty column is the primary key, which is an index as it is: whatever type is asked for,
//! queries find the same without another. A column of documents has one index: another type takes
//! its place.
//!
//! Invariants
//! 1. What is made is used by `search` (`access`), and kept up with the rows whoever writes them;
//!    what could not be is refused, not made.
//! 2. An index of SQL that somebody else has made is not removed.
//!
//! Not here: which conditions an index serves (`access`, `lookup`).

use rows::{Alteration, Engine, NewIndex, NewMember, Table};
use values::{ColumnType, MemberKind};

use crate::memcached::rights::ItemRights;
use crate::memcached::text::signed;
use crate::tyrant::access::index_of;
use crate::tyrant::command::{TyrantFailure, TyrantTrouble, failure_for};
use crate::tyrant::execute::TyrantRows;

/// Added to a type: fails if there is an index.
const KEEP: i64 = 1 << 24;
/// In front of the column in the name of an index that is made here.
const NAME: &str = "tyrant_";

/// What becomes of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Of(MemberKind),
    Optimize,
    Void,
}

/// Makes or removes an index of a column.
///
/// # Errors
/// `Invalid` for what there is not; `Exists` and `Missing` as the type wants it; see
/// `TyrantTrouble`.
pub fn set(rows: &mut TyrantRows<'_, '_>, column: &[u8], kind: &[u8]) -> Result<(), TyrantTrouble> {
    rows.may(ItemRights::INDEX, None)?;
    let (kind, keeps) = kind_of(kind)?;
    let database = rows.database;
    let table = database.table().clone();
    if column.is_empty() {
        return match kind {
            Kind::Of(MemberKind::Lexical) if keeps => Err(TyrantFailure::Exists.into()),
            Kind::Of(_) | Kind::Optimize => Ok(()),
            Kind::Void => rows.refuse("setindex", "the primary key is an index, and stays"),
        };
    }
    let alteration = match (database.document(), kind) {
        (Some(position), _) => of_member(&table, position, column, kind, keeps)?,
        (None, Kind::Of(MemberKind::Token | MemberKind::Qgram)) => {
            let why = "columns of tables of SQL have no indexes of words, nor of parts of them";
            return rows.refuse("setindex", why);
        }
        (None, _) => {
            let position = database.column_named(column);
            let position =
                position.ok_or_else(|| TyrantFailure::Invalid("no such column".into()))?;
            of_column(&table, position, kind, keeps)?
        }
    };
    let Some(alteration) = alteration else { return Ok(()) };
    if rows.reads_own {
        return rows.refuse("setindex", "a script's call can be rolled back, an index cannot");
    }
    if *rows.wrote || !rows.turn.may_wait_for_writers() {
        return Err(TyrantTrouble::Wait);
    }
    alter(rows.turn.engine(), &table, alteration)
}

/// What is to be done for a column of documents; `None` if it is so already.
fn of_member(
    table: &Table,
    position: usize,
    member: &[u8],
    kind: Kind,
    keeps: bool,
) -> Result<Option<Alteration>, TyrantFailure> {
    let column = table.columns[position].name.clone();
    let there = table.member_index(position, member);
    let utf8 = || TyrantFailure::Invalid("columns of documents are UTF-8".into());
    let member = String::from_utf8(member.to_vec()).map_err(|_| utf8())?;
    Ok(Some(match kind {
        Kind::Void | Kind::Optimize if there.is_none() => return Err(TyrantFailure::Missing),
        Kind::Void => Alteration::DropMember { column, member },
        Kind::Optimize => return Ok(None),
        Kind::Of(_) if there.is_some() && keeps => return Err(TyrantFailure::Exists),
        Kind::Of(kind) if there.is_some_and(|at| table.members[at].kind == kind) => {
            return Ok(None);
        }
        Kind::Of(kind) => Alteration::SetMember(NewMember { column, member, kind }),
    }))
}

/// What is to be done for a column of a table of SQL; `None` if it is so already.
fn of_column(
    table: &Table,
    position: usize,
    kind: Kind,
    keeps: bool,
) -> Result<Option<Alteration>, TyrantFailure> {
    let there = index_of(table, position);
    Ok(Some(match kind {
        Kind::Void => {
            Alteration::DropIndex(own_index(table, position).ok_or(TyrantFailure::Missing)?)
        }
        Kind::Optimize if there.is_some() => return Ok(None),
        Kind::Optimize => return Err(TyrantFailure::Missing),
        Kind::Of(_) if there.is_some() && keeps => return Err(TyrantFailure::Exists),
        Kind::Of(kind) => {
            check_type(kind, &table.columns[position].ty)?;
            if there.is_some() {
                return Ok(None);
            }
            Alteration::AddIndex(new_index(&table.columns[position].name))
        }
    }))
}

fn alter(engine: &Engine, table: &Table, alteration: Alteration) -> Result<(), TyrantTrouble> {
    let altered =
        engine.alter_table(&table.database, &table.name, vec![alteration], &engine.patience());
    match altered {
        Ok(_) => Ok(()),
        Err(error @ rows::Error::Definition { .. }) => {
            Err(TyrantFailure::Invalid(error.to_string().into()).into())
        }
        Err(error) => Err(TyrantTrouble::Failed(failure_for(&error))),
    }
}

fn kind_of(text: &[u8]) -> Result<(Kind, bool), TyrantFailure> {
    let unknown = || TyrantFailure::Invalid("no such type of index".into());
    let number = signed(text).ok_or_else(unknown)?;
    let kind = match number & !KEEP {
        0 => Kind::Of(MemberKind::Lexical),
        1 => Kind::Of(MemberKind::Decimal),
        2 => Kind::Of(MemberKind::Token),
        3 => Kind::Of(MemberKind::Qgram),
        9998 => Kind::Optimize,
        9999 => Kind::Void,
        _ => return Err(unknown()),
    };
    Ok((kind, number & KEEP != 0))
}

/// Whether an index of such a column would be used as one of that kind.
fn check_type(kind: MemberKind, ty: &ColumnType) -> Result<(), TyrantFailure> {
    let why = match (kind, ty) {
        (MemberKind::Decimal, ColumnType::Int { .. }) => return Ok(()),
        (MemberKind::Decimal, _) => "a decimal index needs a column of integers",
        (_, ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json) => {
            "columns of TEXT, BLOB and JSON have no index of their whole values"
        }
        _ => return Ok(()),
    };
    Err(TyrantFailure::Invalid(why.into()))
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
