//! Statements about accounts and roles, as written: CREATE USER and its kin, SET PASSWORD, roles.
//!
//! Invariants
//! 1. What would have to be enforced and is not is refused: silence would leave a false picture of
//!    who may come in. What only says that nothing is wanted is accepted, since dumps say it.
//!
//! Not here: what is said behind the accounts (`options`), GRANT and REVOKE (`grant`), what the
//! statements do (crate `sql`).

mod options;

use sqlparser::tokenizer::Token;
use values::{ErrorCode, SqlMode};

use super::cursor::Cursor;
use crate::error::{Error, Result};

use options::options;
pub use options::{
    LifetimeSpec, LockTimeSpec, MetadataSpec, OrDefault, RequireSpec, UserLimit, UserOptions,
};

/// An account or a role as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserName {
    /// CURRENT_USER; in ALTER USER also USER().
    Current,
    /// `user@host`; the host is `%` unless it was given.
    Named {
        /// The user.
        user: String,
        /// The pattern of hosts.
        host: String,
    },
}

/// How an account proves who it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Identification {
    /// The plugin; `None`: the default.
    pub plugin: Option<String>,
    /// The password.
    pub secret: SecretSpec,
    /// OR: further ways, each with its plugin.
    pub alternatives: Vec<(String, SecretSpec)>,
}

/// A password, or what is stored of one.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretSpec {
    /// BY, or nothing: the password.
    Password(String),
    /// AS, USING: what the plugin stores.
    Stored(Vec<u8>),
    /// RANDOM PASSWORD: one that the server makes and tells once.
    Random,
}

/// The password that somebody says to have who changes it.
#[derive(Clone, PartialEq, Eq)]
pub struct PresentPassword(pub String);

/// Nothing of a password is shown.
impl std::fmt::Debug for PresentPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PresentPassword(..)")
    }
}

/// Nothing of a password is shown.
impl std::fmt::Debug for Identification {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identification").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}

/// An account with what CREATE USER and ALTER USER say of its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSpec {
    /// Its name.
    pub name: UserName,
    /// IDENTIFIED.
    pub identified: Option<Identification>,
    /// REPLACE: the present password.
    pub replaced: Option<PresentPassword>,
    /// RETAIN CURRENT PASSWORD: the one before holds as well.
    pub retain: bool,
    /// DISCARD OLD PASSWORD.
    pub discard: bool,
}

/// Which roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleChoice {
    /// NONE.
    None,
    /// DEFAULT.
    Default,
    /// ALL, without those that are excepted.
    All(Vec<UserName>),
    /// These.
    These(Vec<UserName>),
}

/// A statement about accounts.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountStatement {
    /// CREATE USER.
    CreateUsers { users: Vec<UserSpec>, options: UserOptions, if_not_exists: bool },
    /// ALTER USER.
    AlterUsers { users: Vec<UserSpec>, options: UserOptions, if_exists: bool },
    /// DROP USER, DROP ROLE.
    Drop { names: Vec<UserName>, if_exists: bool, is_role: bool },
    /// RENAME USER.
    RenameUsers(Vec<(UserName, UserName)>),
    /// CREATE ROLE.
    CreateRoles { names: Vec<UserName>, if_not_exists: bool },
    /// SET PASSWORD, of the session's own account without a name.
    SetPassword {
        name: Option<UserName>,
        identified: Identification,
        replaced: Option<PresentPassword>,
        retain: bool,
    },
    /// SET ROLE.
    SetRole(RoleChoice),
    /// SET DEFAULT ROLE.
    SetDefaultRole { roles: RoleChoice, names: Vec<UserName> },
}

/// Whether `()` follows the next word.
fn has_brackets(cursor: &Cursor<'_>) -> bool {
    *cursor.peek_nth(1) == Token::LParen && *cursor.peek_nth(2) == Token::RParen
}

/// The longest user's name, in characters, and the longest host's (MySQL 9.7).
const USER_CHARS_MAX: usize = 32;
const HOST_CHARS_MAX: usize = 255;

/// `user[@host]` or CURRENT_USER[()].
///
/// # Errors
/// 1064 where no name is; 1470 for a part that is too long, 1105 for a host that none can have.
pub fn user_name(cursor: &mut Cursor<'_>) -> Result<UserName> {
    let name = said_name(cursor)?;
    if let UserName::Named { user, host } = &name {
        for (part, what, most) in
            [(user, "user name", USER_CHARS_MAX), (host, "host name", HOST_CHARS_MAX)]
        {
            if part.chars().count() > most {
                let message = format!(
                    "String '{part}' is too long for {what} (should be no longer than {most})"
                );
                return Err(Error::new(ErrorCode::WrongStringLength, message));
            }
        }
        if host.contains('@') {
            let message = "Malformed hostname (illegal symbol: '@')";
            return Err(Error::new(ErrorCode::UnknownError, message));
        }
    }
    Ok(name)
}

fn said_name(cursor: &mut Cursor<'_>) -> Result<UserName> {
    if cursor.is("CURRENT_USER") {
        let steps = if has_brackets(cursor) { 3 } else { 1 };
        (0..steps).for_each(|_| drop(cursor.advance()));
        return Ok(UserName::Current);
    }
    let is_plain = matches!(cursor.peek(), Token::Word(word) if word.quote_style.is_none());
    let name = cursor.name_or_string()?;
    // Unquoted, `root@localhost` is a word, and so is the `root@` of `root@'%'`.
    if let (true, Some((user, host))) = (is_plain, name.split_once('@')) {
        let host = match host {
            "" => cursor.name_or_string()?,
            host => plain_host(cursor, host.to_owned())?,
        };
        return Ok(UserName::Named { user: user.to_owned(), host });
    }
    let host = match cursor.peek() {
        Token::AtSign => {
            cursor.advance();
            cursor.name_or_string()?
        }
        Token::Word(word) if word.quote_style.is_none() && word.value.starts_with('@') => {
            let host = word.value[1..].to_string();
            cursor.advance();
            match host.as_str() {
                "" => cursor.name_or_string()?,
                _ => plain_host(cursor, host)?,
            }
        }
        _ => "%".to_string(),
    };
    Ok(UserName::Named { user: name, host })
}

/// The names of a list such as `r, s@localhost`; none of an empty text.
///
/// # Errors
/// 1064 for a text that is no such list.
pub fn listed_names(list: &str) -> Result<Vec<UserName>> {
    let mut cursor = Cursor::new(list, SqlMode::default())?;
    if cursor.at_end() {
        return Ok(Vec::new());
    }
    let names = cursor.list(user_name)?;
    cursor.expect_end()?;
    Ok(names)
}

/// `DEFINER = user`, as `name@host`, if it is there; `None` also for the current user.
///
/// # Errors
/// 1064 where no name is.
pub fn definer(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    if !cursor.take("DEFINER") {
        return Ok(None);
    }
    cursor.expect_token(&Token::Eq)?;
    Ok(match user_name(cursor)? {
        UserName::Current => None,
        UserName::Named { user, host } => Some(format!("{user}@{host}")),
    })
}

/// The rest of `db.example.org`.
fn plain_host(cursor: &mut Cursor<'_>, mut host: String) -> Result<String> {
    while cursor.take_token(&Token::Period) {
        host = format!("{host}.{}", cursor.name()?);
    }
    Ok(host)
}

/// What follows CREATE USER.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for what is not enforced.
pub fn create_users(cursor: &mut Cursor<'_>) -> Result<AccountStatement> {
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let users = cursor.list(new_user)?;
    let options = options(cursor)?;
    Ok(AccountStatement::CreateUsers { users, options, if_not_exists })
}

/// What follows ALTER USER.
///
/// # Errors
/// As `create_users`.
pub fn alter_users(cursor: &mut Cursor<'_>) -> Result<AccountStatement> {
    let if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let users = cursor.list(changed_user)?;
    let options = options(cursor)?;
    Ok(AccountStatement::AlterUsers { users, options, if_exists })
}

/// What follows CREATE ROLE.
///
/// # Errors
/// 1064 where the statement stops making sense.
pub fn create_roles(cursor: &mut Cursor<'_>) -> Result<AccountStatement> {
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let names = cursor.list(user_name)?;
    Ok(AccountStatement::CreateRoles { names, if_not_exists })
}

/// What follows DROP USER or DROP ROLE.
///
/// # Errors
/// 1064 where the statement stops making sense.
pub fn drop_names(cursor: &mut Cursor<'_>, is_role: bool) -> Result<AccountStatement> {
    let if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let names = cursor.list(user_name)?;
    Ok(AccountStatement::Drop { names, if_exists, is_role })
}

/// What follows RENAME USER.
///
/// # Errors
/// 1064 where the statement stops making sense.
pub fn rename_users(cursor: &mut Cursor<'_>) -> Result<AccountStatement> {
    let pairs = cursor.list(|cursor| {
        let from = user_name(cursor)?;
        cursor.expect("TO")?;
        Ok((from, user_name(cursor)?))
    })?;
    Ok(AccountStatement::RenameUsers(pairs))
}

/// SET PASSWORD, SET ROLE and SET DEFAULT ROLE, if one of them follows SET.
///
/// # Errors
/// 1064 where the statement stops making sense.
pub fn set_account(cursor: &mut Cursor<'_>) -> Result<Option<AccountStatement>> {
    if cursor.take_all(&["DEFAULT", "ROLE"]) {
        let roles = role_choice(cursor)?;
        cursor.expect("TO")?;
        let names = cursor.list(user_name)?;
        return Ok(Some(AccountStatement::SetDefaultRole { roles, names }));
    }
    if cursor.is("ROLE") && *cursor.peek_nth(1) != Token::Eq {
        cursor.advance();
        return Ok(Some(AccountStatement::SetRole(role_choice(cursor)?)));
    }
    if !cursor.take("PASSWORD") {
        return Ok(None);
    }
    let name = if cursor.take("FOR") { Some(user_name(cursor)?) } else { None };
    let secret = if cursor.take_all(&["TO", "RANDOM"]) {
        SecretSpec::Random
    } else {
        cursor.expect_token(&Token::Eq)?;
        // PASSWORD('...') of MariaDB and of MySQL before 8.0.
        SecretSpec::Password(match cursor.take("PASSWORD") {
            true => in_brackets(cursor)?,
            false => cursor.string()?,
        })
    };
    let replaced = replaced(cursor)?;
    let retain = cursor.take_all(&["RETAIN", "CURRENT", "PASSWORD"]);
    let identified = Identification { plugin: None, secret, alternatives: Vec::new() };
    Ok(Some(AccountStatement::SetPassword { name, identified, replaced, retain }))
}

fn in_brackets(cursor: &mut Cursor<'_>) -> Result<String> {
    cursor.expect_token(&Token::LParen)?;
    let text = cursor.string()?;
    cursor.expect_token(&Token::RParen)?;
    Ok(text)
}

/// NONE, DEFAULT, ALL [EXCEPT ...], or names.
fn role_choice(cursor: &mut Cursor<'_>) -> Result<RoleChoice> {
    Ok(match cursor.take_any(&["NONE", "DEFAULT", "ALL"]) {
        Some("NONE") => RoleChoice::None,
        Some("DEFAULT") => RoleChoice::Default,
        Some(_) if cursor.take("EXCEPT") => RoleChoice::All(cursor.list(user_name)?),
        Some(_) => RoleChoice::All(Vec::new()),
        None => RoleChoice::These(cursor.list(user_name)?),
    })
}

/// An account of CREATE USER, which has no password yet.
fn new_user(cursor: &mut Cursor<'_>) -> Result<UserSpec> {
    let name = user_name(cursor)?;
    let identified = if cursor.take("IDENTIFIED") { Some(identified(cursor)?) } else { None };
    Ok(UserSpec { name, identified, replaced: None, retain: false, discard: false })
}

/// An account of ALTER USER.
fn changed_user(cursor: &mut Cursor<'_>) -> Result<UserSpec> {
    let is_function = cursor.is("USER") && has_brackets(cursor);
    let mut user = match is_function {
        true => own_user(cursor)?,
        false => new_user(cursor)?,
    };
    if user.identified.is_some() {
        user.replaced = replaced(cursor)?;
        user.retain = cursor.take_all(&["RETAIN", "CURRENT", "PASSWORD"]);
    } else {
        user.discard = cursor.take_all(&["DISCARD", "OLD", "PASSWORD"]);
    }
    match is_function && user.identified.is_none() && !user.discard {
        true => Err(cursor.syntax()),
        false => Ok(user),
    }
}

/// USER() of ALTER USER, which says of an account nothing but its password.
fn own_user(cursor: &mut Cursor<'_>) -> Result<UserSpec> {
    (0..3).for_each(|_| drop(cursor.advance()));
    let by_password = cursor.is("IDENTIFIED") && cursor.is_nth(1, "BY");
    let identified = match by_password && cursor.take("IDENTIFIED") {
        true => Some(identified(cursor)?),
        false => None,
    };
    let name = UserName::Current;
    Ok(UserSpec { name, identified, replaced: None, retain: false, discard: false })
}

/// REPLACE with the present password.
fn replaced(cursor: &mut Cursor<'_>) -> Result<Option<PresentPassword>> {
    match cursor.take("REPLACE") {
        true => Ok(Some(PresentPassword(cursor.string()?))),
        false => Ok(None),
    }
}

fn identified(cursor: &mut Cursor<'_>) -> Result<Identification> {
    if cursor.take("BY") {
        if cursor.take_all(&["RANDOM", "PASSWORD"]) {
            return Ok(alone(None, SecretSpec::Random));
        }
        // IDENTIFIED BY PASSWORD '*...': what mysql_native_password stores.
        if cursor.take("PASSWORD") {
            let secret = SecretSpec::Stored(cursor.bytes()?);
            return Ok(alone(Some("mysql_native_password".into()), secret));
        }
        let secret = SecretSpec::Password(cursor.string()?);
        return Ok(alone(None, secret));
    }
    if cursor.take_any(&["WITH", "VIA"]).is_none() {
        return Err(cursor.syntax());
    }
    let (plugin, secret) = login_way(cursor)?;
    let mut alternatives = Vec::new();
    while cursor.take("OR") {
        alternatives.push(login_way(cursor)?);
    }
    if cursor.is("AND") {
        return Err(Error::unsupported("several proofs of one login"));
    }
    Ok(Identification { plugin: Some(plugin), secret, alternatives })
}

fn alone(plugin: Option<String>, secret: SecretSpec) -> Identification {
    Identification { plugin, secret, alternatives: Vec::new() }
}

/// A plugin and what it has of a password.
fn login_way(cursor: &mut Cursor<'_>) -> Result<(String, SecretSpec)> {
    let plugin = cursor.name_or_string()?;
    let secret = match cursor.take_any(&["BY", "AS", "USING"]) {
        Some("BY") if cursor.take_all(&["RANDOM", "PASSWORD"]) => SecretSpec::Random,
        Some("BY") => SecretSpec::Password(cursor.string()?),
        Some(_) if cursor.take("PASSWORD") => SecretSpec::Password(in_brackets(cursor)?),
        Some(_) => SecretSpec::Stored(cursor.bytes()?),
        None => SecretSpec::Password(String::new()),
    };
    Ok((plugin, secret))
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use super::*;
    use crate::statement::{Statement, statement};

    fn parsed(text: &str) -> Result<AccountStatement> {
        match statement(&mut Cursor::new(text, SqlMode::default())?)? {
            Statement::Account(account) => Ok(*account),
            other => panic!("{other:?}"),
        }
    }

    fn named(user: &str, host: &str) -> UserName {
        UserName::Named { user: user.into(), host: host.into() }
    }

    #[test]
    fn a_name_is_read_in_all_its_forms() {
        for (text, user, host) in [
            ("bob", "bob", "%"),
            ("'bob'", "bob", "%"),
            ("`bob`@`%`", "bob", "%"),
            ("'bob'@'10.%'", "bob", "10.%"),
            ("bob@'10.%'", "bob", "10.%"),
            ("bob@localhost", "bob", "localhost"),
            ("'bob'@localhost", "bob", "localhost"),
            ("bob@db.example.org", "bob", "db.example.org"),
            ("''@localhost", "", "localhost"),
            ("`a@b`@c", "a@b", "c"),
        ] {
            let read = parsed(&format!("DROP USER {text}, x"));
            let names = vec![named(user, host), named("x", "%")];
            let wanted = AccountStatement::Drop { names, if_exists: false, is_role: false };
            assert_eq!(read, Ok(wanted), "{text}");
        }
        for text in ["DROP USER USER()", "ALTER USER USER()", "ALTER USER USER() IDENTIFIED WITH p"]
        {
            assert!(parsed(text).is_err(), "{text}");
        }
        for (text, code) in [
            ("DROP USER abcdefghabcdefghabcdefghabcdefghi", ErrorCode::WrongStringLength),
            ("DROP USER a@'b@c'", ErrorCode::UnknownError),
        ] {
            let refused = parsed(text).unwrap_err();
            assert!(matches!(refused, Error::Failed { code: own, .. } if own == code), "{text}");
        }
        for text in ["CURRENT_USER", "CURRENT_USER()", "USER()"] {
            let read = parsed(&format!("ALTER USER {text} IDENTIFIED BY 'x'"));
            let Ok(AccountStatement::AlterUsers { users, .. }) = read else { panic!("{text}") };
            assert_eq!(users[0].name, UserName::Current);
        }
    }

    #[test]
    fn passwords_and_stored_forms_are_read_and_never_shown() {
        for (text, plugin, secret) in [
            ("BY 'x'", None, SecretSpec::Password("x".into())),
            ("WITH p", Some("p"), SecretSpec::Password(String::new())),
            ("WITH 'p' BY 'x'", Some("p"), SecretSpec::Password("x".into())),
            ("WITH 'p' AS '*AB'", Some("p"), SecretSpec::Stored(b"*AB".to_vec())),
            ("WITH 'p' AS 0x2441", Some("p"), SecretSpec::Stored(b"$A".to_vec())),
            ("VIA p USING '*AB'", Some("p"), SecretSpec::Stored(b"*AB".to_vec())),
            ("VIA p USING PASSWORD('x')", Some("p"), SecretSpec::Password("x".into())),
            (
                "BY PASSWORD '*AB'",
                Some("mysql_native_password"),
                SecretSpec::Stored(b"*AB".to_vec()),
            ),
        ] {
            let read = parsed(&format!("CREATE USER a IDENTIFIED {text}"));
            let Ok(AccountStatement::CreateUsers { users, .. }) = read else {
                panic!("{text}: {read:?}")
            };
            let wanted = alone(plugin.map(str::to_owned), secret);
            assert_eq!(users[0].identified, Some(wanted), "{text}");
        }
        let read = parsed("CREATE USER a IDENTIFIED VIA p USING 'x' OR q OR r BY 'y' REQUIRE SSL");
        let Ok(AccountStatement::CreateUsers { users, .. }) = read else { panic!("{read:?}") };
        let ways = users[0].identified.clone().map(|identified| identified.alternatives);
        let password = |text: &str| SecretSpec::Password(text.into());
        assert!(ways == Some(vec![("q".into(), password("")), ("r".into(), password("y"))]));
        let shown = format!("{:?}", parsed("CREATE USER a IDENTIFIED BY 'hidden'"));
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn set_has_statements_about_accounts() {
        let read = parsed("SET DEFAULT ROLE ALL TO a, b@c");
        let names = vec![named("a", "%"), named("b", "c")];
        let roles = RoleChoice::All(Vec::new());
        assert_eq!(read, Ok(AccountStatement::SetDefaultRole { roles, names }));
        let read = parsed("SET ROLE ALL EXCEPT r");
        assert_eq!(read, Ok(AccountStatement::SetRole(RoleChoice::All(vec![named("r", "%")]))));
        let read = parsed("SET PASSWORD FOR a = PASSWORD('x')").unwrap();
        assert!(matches!(read, AccountStatement::SetPassword { name: Some(_), .. }));
    }
}
