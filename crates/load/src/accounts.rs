//! Accounts and roles in a dump: as the statements that make them, with their stored passwords.
//!
//! ```text
//! CREATE USER IF NOT EXISTS .. ACCOUNT LOCK    all of them first: roles are granted by name
//! GRANT ..                                     what each was granted
//! ALTER USER .. PASSWORD HISTORY ..            its passwords before, the oldest first
//! ALTER USER ..                                how each logs in; from here on it can
//! ALTER USER .. DEFAULT ROLE ..                the roles that are active then
//! ```
//! When an earlier password was set is not carried: it counts from the load on.
//!
//! Invariants
//! 1. An account that is being made is locked until its password is there.
//!
//! Not here: where this stands in the dump (`dump`), whether a load carries it out (`loading`).

use passwords::signed::{ED25519, PARSEC};
use passwords::{CACHING_SHA2, NATIVE};

use crate::client::Client;
use crate::error::{Error, Result};
use crate::literal::name;

/// MySQL's numbers of errors for a server that has no such table or column.
const NO_SUCH_TABLE: u16 = 1146;
const BAD_FIELD: u16 = 1054;

/// The statements that make all accounts of a server again.
///
/// # Errors
/// 1142 without the right to read the database `mysql`, and what else the server says.
pub fn statements(client: &mut Client) -> Result<Vec<String>> {
    let accounts = client.list("SELECT User, Host FROM mysql.user ORDER BY User, Host")?;
    let called = |pair: &[String]| match pair {
        [user, host, ..] => Ok(format!("{}@{}", name(user), name(host))),
        _ => Err(Error::Source("an account has no name".to_owned())),
    };
    let (mut made, mut granted, mut altered) = (Vec::new(), Vec::new(), Vec::new());
    for row in &accounts {
        let account = called(row)?;
        made.push(format!("CREATE USER IF NOT EXISTS {account} ACCOUNT LOCK"));
        for row in client.list(&format!("SHOW GRANTS FOR {account}"))? {
            granted.extend(row.into_iter().next());
        }
        let rows = client.list(&format!("SHOW CREATE USER {account}"))?;
        let text = rows.into_iter().next().and_then(|row| row.into_iter().next());
        let text = text.ok_or_else(|| Error::Source(format!("{account} has no definition")))?;
        let rest = without_default_roles(text.strip_prefix("CREATE USER").unwrap_or(&text));
        let earlier = EarlierPasswords::of(client, row)?;
        altered.extend(earlier.statements(&account, &rest));
        altered.push(format!("ALTER USER{}", earlier.retained_in(rest)));
    }
    let roles = "SELECT USER, HOST, DEFAULT_ROLE_USER, DEFAULT_ROLE_HOST FROM mysql.default_roles \
                 ORDER BY 1, 2, 3, 4";
    let rows = client.list(roles)?;
    for of_account in rows.chunk_by(|a, b| a[..2] == b[..2]) {
        let roles: Result<Vec<String>> = of_account.iter().map(|row| called(&row[2..])).collect();
        let (account, roles) = (called(&of_account[0])?, roles?.join(", "));
        altered.push(format!("ALTER USER {account} DEFAULT ROLE {roles}"));
    }
    made.extend(granted);
    made.extend(altered);
    Ok(made)
}

/// The passwords that an account had before, as they are stored.
struct EarlierPasswords {
    /// Those that may not come again, the last first.
    history: Vec<String>,
    /// The one that holds beside the present one.
    retained: Option<String>,
}

impl EarlierPasswords {
    /// Those of an account by user and host; none at a server that has no such tables.
    fn of(client: &mut Client, account: &[String]) -> Result<EarlierPasswords> {
        let [user, host] = [0, 1].map(|at| hex_of(&account[at]));
        let is_its = format!("User = X'{user}' AND Host = X'{host}'");
        let mut list = |query: String| match client.list(&query) {
            Ok(rows) => Ok(rows.into_iter().flatten().collect::<Vec<String>>()),
            Err(Error::Server { number: NO_SUCH_TABLE | BAD_FIELD, .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let history = list(format!(
            "SELECT HEX(Password) FROM mysql.password_history WHERE {is_its} \
             ORDER BY Password_timestamp DESC"
        ))?;
        let retained = list(format!(
            "SELECT HEX(JSON_UNQUOTE(JSON_EXTRACT(User_attributes, '$.additional_password'))) \
             FROM mysql.user WHERE {is_its}"
        ))?;
        let text = |hex: &String| text_of_hex(hex).filter(|stored| !stored.is_empty());
        let retained = retained.iter().find_map(text);
        Ok(EarlierPasswords { history: history.iter().filter_map(text).collect(), retained })
    }

    /// The statements that give them to an account, of which `shown` is the rest of SHOW CREATE
    /// USER.
    fn statements(&self, account: &str, shown: &str) -> Vec<String> {
        let from = outside_quotes(shown, " PASSWORD HISTORY ");
        let to = outside_quotes(shown, " PASSWORD REQUIRE CURRENT");
        let rules = match (from, to) {
            (Some(from), Some(to)) if from < to => &shown[from..to],
            _ => "",
        };
        // Those that it still has are said by what follows.
        let is_present =
            |stored: &&String| shown.contains(&**stored) || self.retained.as_ref() == Some(*stored);
        let history = self.history.iter().rev().filter(|stored| !is_present(stored));
        history
            .chain(&self.retained)
            .map(|stored| {
                let plugin = plugin_of(stored);
                let stored = hex_of(stored);
                format!("ALTER USER {account} IDENTIFIED WITH '{plugin}' AS 0x{stored}{rules}")
            })
            .collect()
    }

    /// How the account logs in, next to the password that it retains.
    fn retained_in(&self, shown: String) -> String {
        match (&self.retained, outside_quotes(&shown, " REQUIRE ")) {
            (Some(_), Some(at)) => {
                format!("{} RETAIN CURRENT PASSWORD{}", &shown[..at], &shown[at..])
            }
            _ => shown,
        }
    }
}

/// By what a stored password is proved.
fn plugin_of(stored: &str) -> &'static str {
    match stored.as_bytes() {
        [b'$', ..] => CACHING_SHA2,
        [b'*', ..] => NATIVE,
        _ if stored.contains(':') => PARSEC,
        _ => ED25519,
    }
}

/// What these digits say: MySQL's salts are any bytes below 128.
fn text_of_hex(hex: &str) -> Option<String> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    String::from_utf8(digits.map(byte).collect::<Option<Vec<u8>>>()?).ok()
}

fn hex_of(stored: &str) -> String {
    stored.bytes().map(|byte| format!("{byte:02X}")).collect()
}

/// What SHOW CREATE USER says without its default roles, which MySQL takes in a statement of their
/// own: they stand between how the account logs in and what its connections need.
fn without_default_roles(text: &str) -> String {
    let outside = |word: &str| outside_quotes(text, word);
    match (outside(" DEFAULT ROLE "), outside(" REQUIRE ")) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &text[..from], &text[to..]),
        _ => text.to_owned(),
    }
}

/// Where a word begins that stands in no quotes.
fn outside_quotes(text: &str, word: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match quote {
            None if text.as_bytes()[at..].starts_with(word.as_bytes()) => return Some(at),
            None if matches!(byte, b'\'' | b'`') => quote = Some(byte),
            Some(b'\'') if escaped => escaped = false,
            Some(b'\'') if byte == b'\\' => escaped = true,
            Some(open) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_roles_are_cut_out_of_what_makes_an_account_and_never_out_of_a_name() {
        let shown = " `a`@`%` IDENTIFIED WITH 'x' AS 'it''s \\' REQUIRE ' DEFAULT ROLE `r`@`%` \
                     REQUIRE NONE";
        assert_eq!(
            without_default_roles(shown),
            " `a`@`%` IDENTIFIED WITH 'x' AS 'it''s \\' REQUIRE ' REQUIRE NONE"
        );
        let named = " ` DEFAULT ROLE `@` REQUIRE ` REQUIRE SSL";
        assert_eq!(without_default_roles(named), named);
    }
}
