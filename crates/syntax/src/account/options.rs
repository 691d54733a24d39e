//! What CREATE USER and ALTER USER say behind the accounts: REQUIRE, WITH, PASSWORD, ACCOUNT and
//! their kin, in any order.
//!
//! Not here: the accounts and their passwords (`account`), what the options mean (crate `access`).

use sqlparser::tokenizer::Token;
use values::ErrorCode;

use super::{RoleChoice, role_choice};
use crate::cursor::Cursor;
use crate::error::{Error, Result};

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

/// What follows the accounts.
pub(super) fn options(cursor: &mut Cursor<'_>) -> Result<UserOptions> {
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
    use crate::account::{AccountStatement, UserName};
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
}
