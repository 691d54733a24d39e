//! Statements about accounts and roles, as written: CREATE USER and its kin, SET PASSWORD, roles.
//!
//! Invariants
//! 1. What would have to be enforced and is not is refused: silence would leave a false picture of
//!    who may come in. What only says that nothing is wanted is accepted, since dumps say it.
//!
//! Not here: GRANT and REVOKE (`grant`), what the statements do (crate `sql`).

use sqlparser::tokenizer::Token;
use values::ErrorCode;

use super::cursor::Cursor;
use crate::error::{Error, Result};

/// An account or a role as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserName {
    /// CURRENT_USER, USER().
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

/// What CREATE USER and ALTER USER say of all accounts that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserOptions {
    /// ACCOUNT LOCK, ACCOUNT UNLOCK.
    pub locked: Option<bool>,
    /// REQUIRE.
    pub required: Option<RequireSpec>,
    /// PASSWORD EXPIRE: at once.
    pub expires_now: bool,
    /// PASSWORD EXPIRE DEFAULT, NEVER, INTERVAL.
    pub lifetime: Option<LifetimeSpec>,
    /// PASSWORD HISTORY.
    pub history: Option<OrDefault<u16>>,
    /// PASSWORD REUSE INTERVAL.
    pub reuse_days: Option<OrDefault<u16>>,
    /// PASSWORD REQUIRE CURRENT.
    pub require_current: Option<OrDefault<bool>>,
    /// FAILED_LOGIN_ATTEMPTS.
    pub failed_attempts: Option<u16>,
    /// PASSWORD_LOCK_TIME.
    pub lock_time: Option<LockTimeSpec>,
    /// COMMENT, ATTRIBUTE.
    pub metadata: Option<MetadataSpec>,
    /// DEFAULT ROLE.
    pub default_roles: Option<RoleChoice>,
    /// WITH: what is set of the limits.
    pub limits: Vec<(UserLimit, u64)>,
}

/// A limit of what an account may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserLimit {
    /// MAX_QUERIES_PER_HOUR.
    QueriesPerHour,
    /// MAX_UPDATES_PER_HOUR.
    UpdatesPerHour,
    /// MAX_CONNECTIONS_PER_HOUR.
    ConnectionsPerHour,
    /// MAX_USER_CONNECTIONS.
    UserConnections,
    /// MAX_STATEMENT_TIME of MariaDB; in microseconds.
    StatementTime,
    /// MAX_REQUESTS_PER_SECOND, of our own.
    RequestsPerSecond,
    /// MAX_MEMORY, of our own; in bytes.
    Memory,
}

/// A value, or what the server's variable says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrDefault<T> {
    /// DEFAULT.
    Default,
    /// This value.
    Value(T),
}

impl<T> OrDefault<T> {
    /// The value; `None` for DEFAULT.
    pub fn value(self) -> Option<T> {
        match self {
            OrDefault::Default => None,
            OrDefault::Value(value) => Some(value),
        }
    }
}

/// How long a password holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifetimeSpec {
    /// DEFAULT.
    Default,
    /// NEVER.
    Never,
    /// INTERVAL n DAY.
    Days(u16),
}

/// How long an account is locked after failed logins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockTimeSpec {
    /// So many days.
    Days(u16),
    /// UNBOUNDED.
    Unbounded,
}

/// What is written to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetadataSpec {
    /// COMMENT.
    Comment(String),
    /// ATTRIBUTE: an object of JSON, to be merged with what there is.
    Attribute(String),
}

/// How connections must be encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequireSpec {
    /// NONE.
    Nothing,
    /// SSL.
    Ssl,
    /// X509.
    X509,
    /// SUBJECT, ISSUER, CIPHER: those that are said.
    Details {
        /// SUBJECT.
        subject: Option<String>,
        /// ISSUER.
        issuer: Option<String>,
        /// CIPHER.
        cipher: Option<String>,
    },
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

/// `user[@host]`, CURRENT_USER[()] or USER().
///
/// # Errors
/// 1064 where no name is.
pub fn user_name(cursor: &mut Cursor<'_>) -> Result<UserName> {
    let brackets = |cursor: &Cursor<'_>| {
        *cursor.peek_nth(1) == Token::LParen && *cursor.peek_nth(2) == Token::RParen
    };
    let is_current = cursor.is("CURRENT_USER") || cursor.is("USER") && brackets(cursor);
    if is_current {
        let steps = if brackets(cursor) { 3 } else { 1 };
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
    let mut user = new_user(cursor)?;
    if user.identified.is_some() {
        user.replaced = replaced(cursor)?;
        user.retain = cursor.take_all(&["RETAIN", "CURRENT", "PASSWORD"]);
    }
    user.discard = cursor.take_all(&["DISCARD", "OLD", "PASSWORD"]);
    Ok(user)
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

/// What follows the accounts.
fn options(cursor: &mut Cursor<'_>) -> Result<UserOptions> {
    let mut options = UserOptions::default();
    while !cursor.at_end() {
        if cursor.take_all(&["DEFAULT", "ROLE"]) {
            options.default_roles = Some(role_choice(cursor)?);
        } else if cursor.take("REQUIRE") {
            options.required = Some(required(cursor)?);
        } else if cursor.take("WITH") {
            options.limits.extend(limits(cursor)?);
        } else if cursor.take_all(&["ACCOUNT", "LOCK"]) {
            options.locked = Some(true);
        } else if cursor.take_all(&["ACCOUNT", "UNLOCK"]) {
            options.locked = Some(false);
        } else if cursor.take("PASSWORD") {
            password_option(cursor, &mut options)?;
        } else if cursor.take("FAILED_LOGIN_ATTEMPTS") {
            let attempts = up_to(cursor, "FAILED_LOGIN_ATTEMPTS", 0..=LOCK_MAX)?;
            options.failed_attempts = Some(attempts);
        } else if cursor.take_all(&["PASSWORD_LOCK_TIME", "UNBOUNDED"]) {
            options.lock_time = Some(LockTimeSpec::Unbounded);
        } else if cursor.take("PASSWORD_LOCK_TIME") {
            let days = up_to(cursor, "PASSWORD_LOCK_TIME", 0..=LOCK_MAX)?;
            options.lock_time = Some(LockTimeSpec::Days(days));
        } else if cursor.take("COMMENT") {
            // Nothing follows this and ATTRIBUTE.
            options.metadata = Some(MetadataSpec::Comment(cursor.string()?));
            break;
        } else if cursor.take("ATTRIBUTE") {
            options.metadata = Some(MetadataSpec::Attribute(cursor.string()?));
            break;
        } else {
            return Err(cursor.syntax());
        }
    }
    Ok(options)
}

/// The most failed logins, and the most days of a lock, that MySQL knows.
const LOCK_MAX: u16 = i16::MAX as u16;

/// A number within bounds; 1525 for another.
fn up_to(
    cursor: &mut Cursor<'_>,
    what: &str,
    bounds: std::ops::RangeInclusive<u16>,
) -> Result<u16> {
    let number = cursor.number()?;
    let within = u16::try_from(number).ok().filter(|number| bounds.contains(number));
    within.ok_or_else(|| {
        Error::new(ErrorCode::WrongValue, format!("Incorrect {what} value: '{number}'"))
    })
}

/// What follows REQUIRE.
fn required(cursor: &mut Cursor<'_>) -> Result<RequireSpec> {
    match cursor.take_any(&["NONE", "SSL", "X509"]) {
        Some("NONE") => return Ok(RequireSpec::Nothing),
        Some("SSL") => return Ok(RequireSpec::Ssl),
        Some(_) => return Ok(RequireSpec::X509),
        None => {}
    }
    let (mut subject, mut issuer, mut cipher) = (None, None, None);
    let mut is_first = true;
    loop {
        let joined = !is_first && cursor.take("AND");
        let word = cursor.take_any(&["SUBJECT", "ISSUER", "CIPHER"]);
        let place = match word {
            Some("SUBJECT") => &mut subject,
            Some("ISSUER") => &mut issuer,
            Some(_) => &mut cipher,
            None if is_first || joined => return Err(cursor.syntax()),
            None => return Ok(RequireSpec::Details { subject, issuer, cipher }),
        };
        let value = cursor.string()?;
        if place.replace(value).is_some() {
            let word = word.unwrap_or_default();
            let message = format!("Option '{word}' used twice in statement");
            return Err(Error::new(ErrorCode::DupArgument, message));
        }
        is_first = false;
    }
}

/// `MAX_QUERIES_PER_HOUR n` and its kin: 0 is no limit.
fn limits(cursor: &mut Cursor<'_>) -> Result<Vec<(UserLimit, u64)>> {
    const LIMITS: [(&str, UserLimit); 7] = [
        ("MAX_QUERIES_PER_HOUR", UserLimit::QueriesPerHour),
        ("MAX_UPDATES_PER_HOUR", UserLimit::UpdatesPerHour),
        ("MAX_CONNECTIONS_PER_HOUR", UserLimit::ConnectionsPerHour),
        ("MAX_USER_CONNECTIONS", UserLimit::UserConnections),
        ("MAX_STATEMENT_TIME", UserLimit::StatementTime),
        ("MAX_REQUESTS_PER_SECOND", UserLimit::RequestsPerSecond),
        ("MAX_MEMORY", UserLimit::Memory),
    ];
    let mut set = Vec::new();
    while let Some((_, limit)) = LIMITS.iter().find(|(word, _)| cursor.take(word)) {
        let value = match limit {
            UserLimit::StatementTime => microseconds(cursor)?,
            _ => cursor.number()?,
        };
        set.push((*limit, value));
    }
    if set.is_empty() { Err(cursor.syntax()) } else { Ok(set) }
}

/// Seconds, with a fraction.
fn microseconds(cursor: &mut Cursor<'_>) -> Result<u64> {
    let Token::Number(digits, _) = cursor.peek() else { return Err(cursor.syntax()) };
    let seconds = digits.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let micros = seconds.ok_or_else(|| cursor.syntax())? * 1e6;
    cursor.advance();
    Ok(micros.round() as u64)
}

/// What follows PASSWORD.
fn password_option(cursor: &mut Cursor<'_>, options: &mut UserOptions) -> Result<()> {
    if cursor.take("EXPIRE") {
        match cursor.take_any(&["DEFAULT", "NEVER", "INTERVAL"]) {
            None => options.expires_now = true,
            Some("DEFAULT") => options.lifetime = Some(LifetimeSpec::Default),
            Some("NEVER") => options.lifetime = Some(LifetimeSpec::Never),
            Some(_) => {
                options.lifetime = Some(LifetimeSpec::Days(up_to(cursor, "DAY", 1..=u16::MAX)?));
                cursor.expect("DAY")?;
            }
        }
    } else if cursor.take("HISTORY") {
        options.history = Some(or_default(cursor)?);
    } else if cursor.take_all(&["REUSE", "INTERVAL"]) {
        let days = or_default(cursor)?;
        if days != OrDefault::Default {
            cursor.expect("DAY")?;
        }
        options.reuse_days = Some(days);
    } else if cursor.take_all(&["REQUIRE", "CURRENT"]) {
        options.require_current = Some(match cursor.take_any(&["DEFAULT", "OPTIONAL"]) {
            Some("DEFAULT") => OrDefault::Default,
            Some(_) => OrDefault::Value(false),
            None => OrDefault::Value(true),
        });
    } else {
        return Err(cursor.syntax());
    }
    Ok(())
}

/// DEFAULT, or a number, of which MySQL keeps what fits into its column.
fn or_default(cursor: &mut Cursor<'_>) -> Result<OrDefault<u16>> {
    if cursor.take("DEFAULT") {
        return Ok(OrDefault::Default);
    }
    Ok(OrDefault::Value(u16::try_from(cursor.number()?).unwrap_or(u16::MAX)))
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
    fn what_a_dump_says_of_an_account_is_accepted_and_what_is_not_enforced_refused() {
        let said = "CREATE USER `a`@`%` IDENTIFIED WITH 'caching_sha2_password' AS 'x' \
                    DEFAULT ROLE `r`@`%` REQUIRE NONE WITH MAX_USER_CONNECTIONS 0 PASSWORD EXPIRE \
                    DEFAULT ACCOUNT LOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT \
                    PASSWORD REQUIRE CURRENT DEFAULT";
        let Ok(AccountStatement::CreateUsers { options, .. }) = parsed(said) else {
            panic!("refused")
        };
        assert_eq!((options.locked, options.expires_now), (Some(true), false));
        assert_eq!(options.lifetime, Some(LifetimeSpec::Default));
        assert_eq!(options.require_current, Some(OrDefault::Default));
        assert_eq!(options.default_roles, Some(RoleChoice::These(vec![named("r", "%")])));
    }

    #[test]
    fn rules_of_passwords_and_of_failed_logins_are_read() {
        let options = |text: &str| match parsed(&format!("ALTER USER a {text}")) {
            Ok(AccountStatement::AlterUsers { options, .. }) => Ok(options),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        };
        let said = options(
            "REQUIRE SUBJECT '/CN=a' AND ISSUER '/CN=ca' CIPHER 'AES' PASSWORD EXPIRE INTERVAL 3 \
             DAY FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED PASSWORD HISTORY 5 PASSWORD \
             REUSE INTERVAL 7 DAY PASSWORD REQUIRE CURRENT COMMENT 'it''s'",
        );
        let said = said.unwrap();
        assert_eq!(
            said.required,
            Some(RequireSpec::Details {
                subject: Some("/CN=a".into()),
                issuer: Some("/CN=ca".into()),
                cipher: Some("AES".into())
            })
        );
        assert_eq!(said.lifetime, Some(LifetimeSpec::Days(3)));
        assert_eq!(said.failed_attempts, Some(3));
        assert_eq!(said.lock_time, Some(LockTimeSpec::Unbounded));
        assert_eq!(said.history, Some(OrDefault::Value(5)));
        assert_eq!(said.reuse_days, Some(OrDefault::Value(7)));
        assert_eq!(said.require_current, Some(OrDefault::Value(true)));
        assert_eq!(said.metadata, Some(MetadataSpec::Comment("it's".into())));
        for (text, wanted) in [
            ("FAILED_LOGIN_ATTEMPTS 32768", "Incorrect FAILED_LOGIN_ATTEMPTS value: '32768'"),
            ("PASSWORD_LOCK_TIME 32768", "Incorrect PASSWORD_LOCK_TIME value: '32768'"),
            ("PASSWORD EXPIRE INTERVAL 0 DAY", "Incorrect DAY value: '0'"),
            ("REQUIRE CIPHER 'a' AND CIPHER 'b'", "Option 'CIPHER' used twice in statement"),
        ] {
            assert_eq!(options(text).unwrap_err(), wanted);
        }
        for wrong in [
            "REQUIRE SSL AND X509",
            "REQUIRE SUBJECT 'a' AND",
            "PASSWORD REUSE INTERVAL 3",
            "PASSWORD EXPIRE INTERVAL 3 DAYS",
            "COMMENT 'a' ATTRIBUTE '{}'",
            "COMMENT 'a' ACCOUNT LOCK",
            "REPLACE 'x'",
        ] {
            assert!(options(wrong).unwrap_err().contains("error in your SQL syntax"), "{wrong}");
        }
    }

    #[test]
    fn limits_are_read_in_any_order_and_nothing_else_with_them() {
        let said = "ALTER USER a WITH MAX_USER_CONNECTIONS 2 MAX_STATEMENT_TIME 1.5 MAX_MEMORY 0";
        let Ok(AccountStatement::AlterUsers { options, .. }) = parsed(said) else {
            panic!("refused")
        };
        let limits = [
            (UserLimit::UserConnections, 2),
            (UserLimit::StatementTime, 1_500_000),
            (UserLimit::Memory, 0),
        ];
        assert_eq!(options.limits, limits);
        for wrong in ["WITH", "WITH MAX_MEMORY", "WITH MAX_MEMORY -1", "WITH MAX_THINGS 1"] {
            assert!(parsed(&format!("ALTER USER a {wrong}")).is_err(), "{wrong}");
        }
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
