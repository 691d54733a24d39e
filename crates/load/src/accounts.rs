//! Accounts and roles in a dump: as the statements that make them, with their stored passwords.
//!
//! ```text
//! CREATE USER IF NOT EXISTS .. ACCOUNT LOCK    all of them first: roles are granted by name
//! GRANT ..                                     what each was granted
//! ALTER USER ..                                how each logs in; from here on it can
//! ALTER USER .. DEFAULT ROLE ..                the roles that are active then
//! ```
//!
//! Invariants
//! 1. An account that is being made is locked until its password is there.
//!
//! Not here: where this stands in the dump (`dump`), whether a load carries it out (`loading`).

use crate::client::Client;
use crate::error::{Error, Result};
use crate::literal::name;

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
    for account in &accounts {
        let account = called(account)?;
        made.push(format!("CREATE USER IF NOT EXISTS {account} ACCOUNT LOCK"));
        for row in client.list(&format!("SHOW GRANTS FOR {account}"))? {
            granted.extend(row.into_iter().next());
        }
        let rows = client.list(&format!("SHOW CREATE USER {account}"))?;
        let text = rows.into_iter().next().and_then(|row| row.into_iter().next());
        let text = text.ok_or_else(|| Error::Source(format!("{account} has no definition")))?;
        let rest = text.strip_prefix("CREATE USER").unwrap_or(&text);
        altered.push(format!("ALTER USER{}", without_default_roles(rest)));
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
