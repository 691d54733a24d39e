//! Options behind a table's definition, as written.
//!
//! Options of other servers' storage are read for being shown again, or passed over.
//!
//! Not here: columns and indexes (`table`), what options do (crate `sql`, `ddl`).

use sqlparser::tokenizer::Token;
use values::MemberKind;
use values::types::{Collation, TextDefaults};

use super::cursor::Cursor;
use super::types::{character_set, check_set, collation};
use crate::error::Result;

/// Options behind a table's definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableOptions {
    /// ENGINE.
    pub engine: Option<String>,
    /// AUTO_INCREMENT.
    pub auto_increment: Option<u64>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Its character set and collation.
    pub text: TextDefaults,
    /// EXPIRES_BY; empty lets rows stay.
    pub expires_by: Option<String>,
    /// MAX_BYTES; 0 lets rows stay.
    pub bytes_max: Option<u64>,
    /// Options of other servers' storage, in the order in which they stand; `None` is DEFAULT.
    pub storage: Vec<(&'static str, Option<String>)>,
    /// MEMBER_INDEXES; an empty list drops those that there are.
    pub members: Option<Vec<MemberSpec>>,
}

/// An index of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSpec {
    /// Name of the column.
    pub column: String,
    /// The member's name.
    pub member: String,
    /// What it has entries of.
    pub kind: MemberKind,
}

/// Options behind a table's definition, with or without commas.
///
/// # Errors
/// 1064 when an option lacks its value.
pub fn table_options(cursor: &mut Cursor<'_>) -> Result<TableOptions> {
    let mut options = TableOptions::default();
    while table_option(cursor, &mut options)? {
        cursor.take_token(&Token::Comma);
    }
    Ok(options)
}

pub(super) fn table_option(cursor: &mut Cursor<'_>, options: &mut TableOptions) -> Result<bool> {
    const SHOWN_AGAIN: [&str; 13] = [
        "ROW_FORMAT",
        "KEY_BLOCK_SIZE",
        "MAX_ROWS",
        "MIN_ROWS",
        "AVG_ROW_LENGTH",
        "CHECKSUM",
        "DELAY_KEY_WRITE",
        "PACK_KEYS",
        "STATS_PERSISTENT",
        "STATS_AUTO_RECALC",
        "STATS_SAMPLE_PAGES",
        "COMPRESSION",
        "ENCRYPTION",
    ];
    // PAGE is MariaDB's.
    const ROW_FORMATS: [&str; 6] =
        ["COMPACT", "COMPRESSED", "DYNAMIC", "FIXED", "PAGE", "REDUNDANT"];
    const PASSED_OVER: [&str; 14] = [
        "TABLESPACE",
        "CONNECTION",
        "INSERT_METHOD",
        "PASSWORD",
        "SECONDARY_ENGINE",
        "AUTOEXTEND_SIZE",
        "PAGE_CHECKSUM",
        "TRANSACTIONAL",
        "PAGE_COMPRESSED",
        "PAGE_COMPRESSION_LEVEL",
        "STORAGE",
        "SEQUENCE",
        "ENGINE_ATTRIBUTE",
        "ITEF_QUOTES",
    ];
    if cursor.take("ENGINE") {
        cursor.take_token(&Token::Eq);
        options.engine = Some(cursor.name_or_string()?);
    } else if cursor.take("AUTO_INCREMENT") {
        cursor.take_token(&Token::Eq);
        options.auto_increment = Some(cursor.number()?);
    } else if cursor.take("COMMENT") {
        cursor.take_token(&Token::Eq);
        options.comment = Some(cursor.string()?);
    } else if cursor.take("MAX_BYTES") {
        cursor.take_token(&Token::Eq);
        options.bytes_max = Some(cursor.number()?);
    } else if cursor.take("MEMBER_INDEXES") {
        cursor.take_token(&Token::Eq);
        options.members = Some(members(cursor)?);
    } else if cursor.take("EXPIRES_BY") {
        cursor.take_token(&Token::Eq);
        options.expires_by = Some(cursor.name_or_string()?);
    } else if text_option(cursor, &mut options.text)? {
        return Ok(true);
    } else if cursor.take_all(&["DATA", "DIRECTORY"]) || cursor.take_all(&["INDEX", "DIRECTORY"]) {
        cursor.take_token(&Token::Eq);
        cursor.string()?;
    } else if let Some(name) = cursor.take_any(&SHOWN_AGAIN) {
        cursor.take_token(&Token::Eq);
        let here = cursor.syntax();
        let value = storage_value(cursor)?;
        let is_format = |word: &String| ROW_FORMATS.contains(&word.as_str());
        if name == "ROW_FORMAT" && !value.as_ref().is_none_or(is_format) {
            return Err(here);
        }
        options.storage.push((name, value));
    } else if cursor.take_any(&PASSED_OVER).is_some() {
        cursor.take_token(&Token::Eq);
        cursor.advance();
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// A number, a word in capitals, or a text; `None` for DEFAULT.
fn storage_value(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if cursor.take("DEFAULT") {
        return Ok(None);
    }
    match cursor.peek() {
        Token::Number(..) => Ok(Some(cursor.number()?.to_string())),
        Token::Word(_) => Ok(Some(cursor.name()?.to_ascii_uppercase())),
        _ => Ok(Some(cursor.string()?)),
    }
}

/// `[DEFAULT] CHARACTER SET name` or `[DEFAULT] COLLATE name`, of a table or a database; whether
/// there was one.
///
/// # Errors
/// 1115 and 1273 for a name that nothing has, 1253 for a collation of another character set.
pub fn text_option(cursor: &mut Cursor<'_>, text: &mut TextDefaults) -> Result<bool> {
    if cursor.is("DEFAULT")
        && ["CHARSET", "CHARACTER", "COLLATE", "CHAR"].iter().any(|word| cursor.is_nth(1, word))
    {
        cursor.advance();
    }
    if cursor.take("CHARSET")
        || cursor.take_all(&["CHARACTER", "SET"])
        || cursor.take_all(&["CHAR", "SET"])
    {
        cursor.take_token(&Token::Eq);
        let set = character_set(&cursor.name_or_string()?)?;
        check_set(*text.collation.get_or_insert(Collation::default_of(set)), set)?;
    } else if cursor.take("COLLATE") {
        cursor.take_token(&Token::Eq);
        let named = collation(&cursor.name_or_string()?)?;
        if let Some(known) = text.collation {
            check_set(named, known.set())?;
        }
        text.collation = Some(named);
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// ``(`column`.'member' KIND, ..)``
fn members(cursor: &mut Cursor<'_>) -> Result<Vec<MemberSpec>> {
    let mut members = Vec::new();
    cursor.expect_token(&Token::LParen)?;
    while !cursor.take_token(&Token::RParen) {
        if !members.is_empty() {
            cursor.expect_token(&Token::Comma)?;
        }
        let column = cursor.name()?;
        cursor.expect_token(&Token::Period)?;
        let here = cursor.syntax();
        let member = String::from_utf8(cursor.bytes()?).map_err(|_| here)?;
        let kind = MemberKind::ALL.into_iter().find(|kind| cursor.take(kind.name()));
        members.push(MemberSpec { column, member, kind: kind.ok_or_else(|| cursor.syntax())? });
    }
    Ok(members)
}
