//! Accounts and grants as the statements that make them, as MySQL 9.7 shows them.
//!
//! Not here: who may see them (`sql`).

use crate::account::{Account, AccountName, DefaultRoles, RoleGrant, TableGrant};
use crate::grants::Grants;
use crate::lock_rule::LockTime;
use crate::password_policy::PasswordLifetime;
use crate::privilege::{Level, Privilege, PrivilegeSet};
use crate::tls_need::{TlsDetails, TlsNeed};

/// A name within backquotes.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text within single quotes.
pub fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

fn with_option(set: PrivilegeSet) -> &'static str {
    if set.has(Privilege::GrantOption) { " WITH GRANT OPTION" } else { "" }
}

/// Privileges of a level: ALL PRIVILEGES if they are all, but for those on everything, of which the
/// next version may have more.
fn words(set: PrivilegeSet, level: Level) -> String {
    let all = PrivilegeSet::all(level);
    let set = set.without(PrivilegeSet::of(Privilege::GrantOption));
    if set.is_empty() {
        return "USAGE".into();
    }
    if level != Level::Global && set.has_all(all) {
        return "ALL PRIVILEGES".into();
    }
    set.iter().map(Privilege::words).collect::<Vec<_>>().join(", ")
}

/// Privileges on a table and on its columns, in one list.
fn table_words(grant: &TableGrant) -> String {
    let mut parts = Vec::new();
    if grant.columns.is_empty() {
        return words(grant.whole, Level::Table);
    }
    for privilege in Privilege::ALL {
        if *privilege == Privilege::GrantOption {
            continue;
        }
        if grant.whole.has(*privilege) {
            parts.push(privilege.words().to_owned());
        }
        let of_columns = grant.columns.iter().filter(|(_, set)| set.has(*privilege));
        let columns: Vec<String> = of_columns.map(|(name, _)| quoted(name)).collect();
        if !columns.is_empty() {
            parts.push(format!("{} ({})", privilege.words(), columns.join(", ")));
        }
    }
    parts.join(", ")
}

/// What an account was granted, with these of its roles, and what some of them were granted as if
/// it was granted to itself.
pub fn grants(
    grants: &Grants,
    name: &AccountName,
    held: &[RoleGrant],
    using: &[AccountName],
) -> Vec<String> {
    let mut sum = grants.account(name).map_or_else(Account::role, |account| (**account).clone());
    for role in using {
        let all = std::iter::once(role.clone()).chain(grants.roles_of(role));
        for role in all.collect::<Vec<_>>() {
            if let Some(role) = grants.account(&role) {
                add(&mut sum, role);
            }
        }
    }
    let mut lines = vec![format!(
        "GRANT {} ON *.* TO {name}{}",
        words(sum.global, Level::Global),
        with_option(sum.global)
    )];
    for grantable in [false, true] {
        let names = sum.dynamic.iter().filter(|(_, option)| **option == grantable);
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            let option = if grantable { " WITH GRANT OPTION" } else { "" };
            lines.push(format!("GRANT {} ON *.* TO {name}{option}", names.join(",")));
        }
    }
    for (pattern, set) in &sum.databases {
        lines.push(format!(
            "GRANT {} ON {}.* TO {name}{}",
            words(*set, Level::Database),
            quoted(pattern),
            with_option(*set)
        ));
    }
    for (database, tables) in &sum.tables {
        for (table, grant) in tables {
            lines.push(format!(
                "GRANT {} ON {}.{} TO {name}{}",
                table_words(grant),
                quoted(database),
                quoted(table),
                with_option(grant.whole)
            ));
        }
    }
    for admin in [false, true] {
        let roles = held.iter().filter(|grant| grant.admin == admin);
        let roles: Vec<String> = roles.map(|grant| grant.role.to_string()).collect();
        if !roles.is_empty() {
            let option = if admin { " WITH ADMIN OPTION" } else { "" };
            lines.push(format!("GRANT {} TO {name}{option}", roles.join(",")));
        }
    }
    lines
}

/// Adds what a role has on everything, on databases and on tables.
fn add(sum: &mut Account, role: &Account) {
    sum.global = sum.global.with(role.global);
    for (name, option) in &role.dynamic {
        *sum.dynamic.entry(name.clone()).or_default() |= option;
    }
    for (pattern, set) in &role.databases {
        let own = sum.databases.entry(pattern.clone()).or_default();
        *own = own.with(*set);
    }
    for (database, tables) in &role.tables {
        for (table, grant) in tables {
            let tables = sum.tables.entry(database.clone()).or_default();
            let own = tables.entry(table.clone()).or_default();
            own.whole = own.whole.with(grant.whole);
            for (column, set) in &grant.columns {
                let own = own.columns.entry(column.clone()).or_default();
                *own = own.with(*set);
            }
        }
    }
}

/// SHOW CREATE USER.
pub fn create_user(name: &AccountName, account: &Account) -> String {
    let mut shown = format!("CREATE USER {name}");
    // Of several ways MySQL has no words, and MariaDB has these.
    let words = match account.alternatives.is_empty() {
        true => ["IDENTIFIED WITH", "AS"],
        false => ["IDENTIFIED VIA", "USING"],
    };
    for (place, (plugin, stored)) in account.ways().enumerate() {
        let word = if place == 0 { words[0] } else { "OR" };
        shown += &format!(" {word} '{}'", plugin.name());
        if !stored.is_empty() {
            shown += &format!(" {} {}", words[1], text(stored));
        }
    }
    match &account.default_roles {
        DefaultRoles::None => {}
        DefaultRoles::All => shown += " DEFAULT ROLE ALL",
        DefaultRoles::Some(roles) => {
            let roles: Vec<String> = roles.iter().map(AccountName::to_string).collect();
            shown += &format!(" DEFAULT ROLE {}", roles.join(","));
        }
    }
    shown += &required(&account.tls_need);
    shown += &account.limits.clause();
    let policy = &account.password_policy;
    shown += &match policy.lifetime {
        _ if account.expired => " PASSWORD EXPIRE".to_owned(),
        PasswordLifetime::Default => " PASSWORD EXPIRE DEFAULT".to_owned(),
        PasswordLifetime::Never => " PASSWORD EXPIRE NEVER".to_owned(),
        PasswordLifetime::Days(days) => format!(" PASSWORD EXPIRE INTERVAL {days} DAY"),
    };
    shown += if account.locked { " ACCOUNT LOCK" } else { " ACCOUNT UNLOCK" };
    let or_default = |days: Option<u16>, unit| match days {
        Some(number) => format!("{number}{unit}"),
        None => "DEFAULT".to_owned(),
    };
    shown += &format!(" PASSWORD HISTORY {}", or_default(policy.history, ""));
    shown += &format!(" PASSWORD REUSE INTERVAL {}", or_default(policy.reuse_days, " DAY"));
    shown += match policy.require_current {
        None => " PASSWORD REQUIRE CURRENT DEFAULT",
        Some(true) => " PASSWORD REQUIRE CURRENT",
        Some(false) => " PASSWORD REQUIRE CURRENT OPTIONAL",
    };
    if account.lock_rule.attempts > 0 {
        shown += &format!(" FAILED_LOGIN_ATTEMPTS {}", account.lock_rule.attempts);
    }
    match account.lock_rule.time {
        LockTime::Days(0) => {}
        LockTime::Days(days) => shown += &format!(" PASSWORD_LOCK_TIME {days}"),
        LockTime::Unbounded => shown += " PASSWORD_LOCK_TIME UNBOUNDED",
    }
    if let Some(attribute) = &account.attribute {
        shown += &format!(" ATTRIBUTE {}", text(attribute));
    }
    shown
}

/// REQUIRE, as it is shown of an account.
fn required(need: &TlsNeed) -> String {
    let TlsDetails { subject, issuer, cipher } = match need {
        TlsNeed::None => return " REQUIRE NONE".to_owned(),
        TlsNeed::Encrypted => return " REQUIRE SSL".to_owned(),
        TlsNeed::Certificate => return " REQUIRE X509".to_owned(),
        TlsNeed::Specified(details) => details,
    };
    let parts = [("SUBJECT", subject), ("ISSUER", issuer), ("CIPHER", cipher)];
    let said = parts.iter().filter(|(_, value)| !value.is_empty());
    let said: String = said.map(|(word, value)| format!(" {word} {}", text(value))).collect();
    format!(" REQUIRE{said}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::secret::Plugin;

    fn account() -> Account {
        Account::new(Plugin::CachingSha2, String::new())
    }

    #[test]
    fn privileges_on_a_table_and_its_columns_are_one_line() {
        let bob = AccountName::new("bob", "%");
        let mut own = account();
        let grant = own.tables.entry("d".into()).or_default().entry("t".into()).or_default();
        grant.whole = PrivilegeSet::of(Privilege::Insert);
        grant.columns.insert("a".into(), PrivilegeSet::of(Privilege::Select));
        grant.columns.insert("b".into(), PrivilegeSet::of(Privilege::Select));
        grant.columns.insert("c".into(), PrivilegeSet::of(Privilege::Update));
        own.databases.insert("x".into(), PrivilegeSet::all(Level::Database));
        let all = Grants::new(1, [(bob.clone(), Arc::new(own))].into_iter().collect());
        // As mysqld 9.7 shows the same grants.
        assert_eq!(
            grants(&all, &bob, &[], &[]),
            [
                "GRANT USAGE ON *.* TO `bob`@`%`",
                "GRANT ALL PRIVILEGES ON `x`.* TO `bob`@`%`",
                "GRANT SELECT (`a`, `b`), INSERT, UPDATE (`c`) ON `d`.`t` TO `bob`@`%`",
            ]
        );
    }

    #[test]
    fn all_options_of_an_account_are_shown_in_their_order() {
        let name = AccountName::new("b", "%");
        let mut own = account();
        own.tls_need = TlsNeed::Specified(TlsDetails {
            subject: "/CN=a".into(),
            issuer: "/CN=ca".into(),
            cipher: "AES".into(),
        });
        own.password_policy.lifetime = PasswordLifetime::Days(3);
        own.password_policy.history = Some(5);
        own.password_policy.reuse_days = Some(7);
        own.password_policy.require_current = Some(true);
        own.lock_rule = crate::LockRule { attempts: 3, time: LockTime::Unbounded };
        own.attribute = Some(r#"{"comment": "it's \"x\""}"#.into());
        // As mysqld 9.7 shows the same account, but that it writes the quote with a backslash.
        assert_eq!(
            create_user(&name, &own),
            "CREATE USER `b`@`%` IDENTIFIED WITH 'caching_sha2_password' REQUIRE SUBJECT '/CN=a' \
             ISSUER '/CN=ca' CIPHER 'AES' PASSWORD EXPIRE INTERVAL 3 DAY ACCOUNT UNLOCK PASSWORD \
             HISTORY 5 PASSWORD REUSE INTERVAL 7 DAY PASSWORD REQUIRE CURRENT \
             FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED ATTRIBUTE '{\"comment\": \
             \"it''s \\\\\"x\\\\\"\"}'"
        );
        assert_eq!(
            own.attributes().unwrap(),
            r#"{"metadata": {"comment": "it's \"x\""}, "Password_locking": {"failed_login_attempts": 3, "password_lock_time_days": -1}}"#
        );
    }

    #[test]
    fn an_account_is_shown_as_the_statement_that_makes_it() {
        let name = AccountName::new("it's", "LocalHost");
        assert_eq!(
            create_user(&name, &account()),
            "CREATE USER `it's`@`localhost` IDENTIFIED WITH 'caching_sha2_password' REQUIRE NONE \
             PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE \
             INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"
        );
    }
}
