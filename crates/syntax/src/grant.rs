//! GRANT and REVOKE, as written.
//!
//! ```text
//! GRANT  privilege [(columns)], ... ON object TO accounts [WITH GRANT OPTION]
//! GRANT  roles TO accounts [WITH ADMIN OPTION]
//! REVOKE [IF EXISTS] ... FROM accounts [IGNORE UNKNOWN USER]
//! ```
//!
//! Not here: which privileges there are and where they may be granted (crates `access`, `sql`).

use sqlparser::tokenizer::Token;

use super::account::{UserName, user_name};
use super::cursor::Cursor;
use super::names::TableName;
use crate::error::{Error, Result};

/// A privilege as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivilegeSpec {
    /// Its words in capitals, with one space between: `SHOW DATABASES`.
    pub words: String,
    /// The columns it is for; none: all of the object.
    pub columns: Vec<String>,
}

/// What privileges are granted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantObject {
    /// `*.*`.
    Everything,
    /// `*`: the current database.
    CurrentDatabase,
    /// `database.*`.
    Database(String),
    /// A table.
    Table(TableName),
}

/// GRANT or REVOKE.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantStatement {
    /// GRANT of privileges; `all`: ALL, then there are no others.
    Grant {
        all: bool,
        privileges: Vec<PrivilegeSpec>,
        object: GrantObject,
        to: Vec<UserName>,
        grant_option: bool,
    },
    /// GRANT of roles.
    GrantRoles { roles: Vec<UserName>, to: Vec<UserName>, admin_option: bool },
    /// REVOKE of privileges.
    Revoke {
        all: bool,
        privileges: Vec<PrivilegeSpec>,
        object: GrantObject,
        from: Vec<UserName>,
        forgiving: Forgiving,
    },
    /// REVOKE of roles.
    RevokeRoles { roles: Vec<UserName>, from: Vec<UserName>, forgiving: Forgiving },
    /// REVOKE ALL PRIVILEGES, GRANT OPTION.
    RevokeEverything { from: Vec<UserName>, forgiving: Forgiving },
}

/// What REVOKE warns of rather than fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgiving {
    /// IF EXISTS: what was not granted.
    pub if_exists: bool,
    /// IGNORE UNKNOWN USER: accounts that are not there.
    pub unknown_users: bool,
}

/// What follows GRANT.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for what this server does not have.
pub fn grant(cursor: &mut Cursor<'_>) -> Result<GrantStatement> {
    refuse_proxy(cursor)?;
    if names_roles(cursor) {
        let roles = cursor.list(user_name)?;
        cursor.expect("TO")?;
        let to = cursor.list(user_name)?;
        let admin_option = cursor.take_all(&["WITH", "ADMIN", "OPTION"]);
        return Ok(GrantStatement::GrantRoles { roles, to, admin_option });
    }
    let (all, privileges) = privileges(cursor)?;
    let object = object(cursor)?;
    cursor.expect("TO")?;
    let to = cursor.list(user_name)?;
    let grant_option = cursor.take_all(&["WITH", "GRANT", "OPTION"]);
    if cursor.is("AS") {
        return Err(Error::unsupported("GRANT ... AS"));
    }
    Ok(GrantStatement::Grant { all, privileges, object, to, grant_option })
}

/// What follows REVOKE.
///
/// # Errors
/// As `grant`.
pub fn revoke(cursor: &mut Cursor<'_>) -> Result<GrantStatement> {
    let if_exists = cursor.take_all(&["IF", "EXISTS"]);
    refuse_proxy(cursor)?;
    let is_everything = cursor.is("ALL")
        && (cursor.is_nth(1, "PRIVILEGES") && *cursor.peek_nth(2) == Token::Comma
            || *cursor.peek_nth(1) == Token::Comma);
    if is_everything {
        cursor.advance();
        cursor.take("PRIVILEGES");
        cursor.expect_token(&Token::Comma)?;
        cursor.expect("GRANT")?;
        cursor.expect("OPTION")?;
        cursor.expect("FROM")?;
        let (from, forgiving) = from(cursor, if_exists)?;
        return Ok(GrantStatement::RevokeEverything { from, forgiving });
    }
    if names_roles(cursor) {
        let roles = cursor.list(user_name)?;
        cursor.expect("FROM")?;
        let (from, forgiving) = from(cursor, if_exists)?;
        return Ok(GrantStatement::RevokeRoles { roles, from, forgiving });
    }
    let (all, privileges) = privileges(cursor)?;
    let object = object(cursor)?;
    cursor.expect("FROM")?;
    let (from, forgiving) = from(cursor, if_exists)?;
    Ok(GrantStatement::Revoke { all, privileges, object, from, forgiving })
}

fn from(cursor: &mut Cursor<'_>, if_exists: bool) -> Result<(Vec<UserName>, Forgiving)> {
    let from = cursor.list(user_name)?;
    let unknown_users = cursor.take_all(&["IGNORE", "UNKNOWN", "USER"]);
    Ok((from, Forgiving { if_exists, unknown_users }))
}

fn refuse_proxy(cursor: &Cursor<'_>) -> Result<()> {
    match cursor.is("PROXY") && cursor.is_nth(1, "ON") {
        true => Err(Error::unsupported("proxy users")),
        false => Ok(()),
    }
}

/// Whether names of roles follow rather than privileges: there is no ON before TO or FROM.
fn names_roles(cursor: &Cursor<'_>) -> bool {
    for at in 0.. {
        if cursor.is_nth(at, "ON") {
            return false;
        }
        if cursor.is_nth(at, "TO") || cursor.is_nth(at, "FROM") {
            return true;
        }
        if matches!(cursor.peek_nth(at), Token::EOF | Token::SemiColon) {
            return false;
        }
    }
    false
}

/// Whether ALL, and otherwise the list.
fn privileges(cursor: &mut Cursor<'_>) -> Result<(bool, Vec<PrivilegeSpec>)> {
    if cursor.take("ALL") {
        cursor.take("PRIVILEGES");
        return Ok((true, Vec::new()));
    }
    let list = cursor.list(|cursor| {
        let mut words: Vec<String> = Vec::new();
        while matches!(cursor.peek(), Token::Word(word) if word.quote_style.is_none())
            && !cursor.is("ON")
        {
            words.push(cursor.name()?.to_ascii_uppercase());
        }
        if words.is_empty() {
            return Err(cursor.syntax());
        }
        let words = words.join(" ");
        let takes_columns = ["SELECT", "INSERT", "UPDATE", "REFERENCES"].contains(&&*words);
        let columns = match *cursor.peek() == Token::LParen && takes_columns {
            true => cursor.parenthesised(Cursor::name)?,
            false => Vec::new(),
        };
        Ok(PrivilegeSpec { words, columns })
    })?;
    Ok((false, list))
}

/// `ON [TABLE] object`.
fn object(cursor: &mut Cursor<'_>) -> Result<GrantObject> {
    cursor.expect("ON")?;
    let is_name = |cursor: &Cursor<'_>| *cursor.peek_nth(1) == Token::Period;
    if ["FUNCTION", "PROCEDURE", "PACKAGE"].iter().any(|word| cursor.is(word)) && !is_name(cursor) {
        return Err(Error::unsupported("stored routines"));
    }
    if !is_name(cursor) && !matches!(cursor.peek_nth(1), Token::Word(word) if word.value == "TO") {
        cursor.take("TABLE");
    }
    if cursor.take_token(&Token::Mul) {
        if !cursor.take_token(&Token::Period) {
            return Ok(GrantObject::CurrentDatabase);
        }
        cursor.expect_token(&Token::Mul)?;
        return Ok(GrantObject::Everything);
    }
    let first = cursor.name()?;
    if !cursor.take_token(&Token::Period) {
        return Ok(GrantObject::Table(TableName { database: None, table: first }));
    }
    if cursor.take_token(&Token::Mul) {
        return Ok(GrantObject::Database(first));
    }
    let table = cursor.name()?;
    Ok(GrantObject::Table(TableName { database: Some(first), table }))
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use super::*;

    fn granted(text: &str) -> Result<GrantStatement> {
        let mut cursor = Cursor::new(text, SqlMode::default())?;
        let statement = grant(&mut cursor)?;
        cursor.expect_end()?;
        Ok(statement)
    }

    fn revoked(text: &str) -> Result<GrantStatement> {
        let mut cursor = Cursor::new(text, SqlMode::default())?;
        let statement = revoke(&mut cursor)?;
        cursor.expect_end()?;
        Ok(statement)
    }

    fn named(user: &str) -> UserName {
        UserName::Named { user: user.into(), host: "%".into() }
    }

    #[test]
    fn privileges_are_read_with_their_columns_and_objects() {
        let read = granted("SELECT (a, `b`), show view ON TABLE d.t TO x WITH GRANT OPTION");
        let spec = |words: &str, columns: &[&str]| PrivilegeSpec {
            words: words.into(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        };
        let table = TableName { database: Some("d".into()), table: "t".into() };
        let wanted = GrantStatement::Grant {
            all: false,
            privileges: vec![spec("SELECT", &["a", "b"]), spec("SHOW VIEW", &[])],
            object: GrantObject::Table(table),
            to: vec![named("x")],
            grant_option: true,
        };
        assert_eq!(read, Ok(wanted));
        for (text, object) in [
            ("*.*", GrantObject::Everything),
            ("*", GrantObject::CurrentDatabase),
            ("`t%`.*", GrantObject::Database("t%".into())),
            ("t", GrantObject::Table(TableName { database: None, table: "t".into() })),
        ] {
            let read = granted(&format!("ALL ON {text} TO x"));
            let Ok(GrantStatement::Grant { all: true, object: found, .. }) = read else {
                panic!("{text}: {read:?}")
            };
            assert_eq!(found, object);
        }
        assert!(granted("DELETE (a) ON d.t TO x").is_err());
        assert!(granted("SELECT ON d.t").is_err());
    }

    #[test]
    fn roles_and_everything_are_told_from_privileges() {
        let read = granted("`r`@`%`, s TO x, y WITH ADMIN OPTION");
        let wanted = GrantStatement::GrantRoles {
            roles: vec![named("r"), named("s")],
            to: vec![named("x"), named("y")],
            admin_option: true,
        };
        assert_eq!(read, Ok(wanted));
        let read = revoked("IF EXISTS ALL PRIVILEGES, GRANT OPTION FROM x IGNORE UNKNOWN USER");
        let forgiving = Forgiving { if_exists: true, unknown_users: true };
        let wanted = GrantStatement::RevokeEverything { from: vec![named("x")], forgiving };
        assert_eq!(read, Ok(wanted));
        let read = revoked("ALL ON d.* FROM x");
        assert!(matches!(read, Ok(GrantStatement::Revoke { all: true, .. })));
        assert!(matches!(revoked("r FROM x"), Ok(GrantStatement::RevokeRoles { .. })));
    }
}
