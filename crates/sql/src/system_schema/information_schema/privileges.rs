//! USER_PRIVILEGES, SCHEMA_PRIVILEGES, TABLE_PRIVILEGES, COLUMN_PRIVILEGES: what accounts and roles
//! were granted; APPLICABLE_ROLES, ENABLED_ROLES and ADMINISTRABLE_ROLE_AUTHORIZATIONS: the roles
//! of one's own; USER_ATTRIBUTES: what was written to them; ROLE_TABLE_GRANTS and
//! ROLE_COLUMN_GRANTS: what these were granted.
//!
//! Invariants
//! 1. Grants of all accounts are seen by whoever may read the database `mysql`; everybody else sees
//!    those of the own account.
//!
//! Not here: grants as statements (`access::shown`).

use access::account::TableGrant;
use access::{Account, AccountName, Privilege, PrivilegeSet};
use values::datum::Value;

use super::CATALOG;
use crate::show::{Listing, text};
use crate::system_schema::{ListingContext, mysql};

const GRANTEE: &str = "GRANTEE";
const IS_GRANTABLE: &str = "IS_GRANTABLE";

fn yes_or_no(is_so: bool) -> Value {
    text(if is_so { "YES" } else { "NO" })
}

/// A row for each privilege of a set: what stands before it, its name, whether it may be granted
/// on.
fn push_set(listing: &mut Listing, begin: &[&str], set: PrivilegeSet, option: bool) {
    for privilege in set.iter().filter(|privilege| *privilege != Privilege::GrantOption) {
        push_words(listing, begin, privilege.words(), option);
    }
}

/// The rows of an object: one of GRANT OPTION alone is USAGE that may be granted on.
fn push_object(listing: &mut Listing, begin: &[&str], set: PrivilegeSet) {
    let option = set.has(Privilege::GrantOption);
    match option && set.without(PrivilegeSet::of(Privilege::GrantOption)).is_empty() {
        true => push_words(listing, begin, "USAGE", true),
        false => push_set(listing, begin, set, option),
    }
}

fn push_words(listing: &mut Listing, begin: &[&str], words: &str, option: bool) {
    let mut row: Vec<Value> = begin.iter().map(|value| text(*value)).collect();
    row.extend([text(words), yes_or_no(option)]);
    listing.push(row);
}

/// The rows that each account whose grants may be seen has.
fn of_accounts(
    facts: &ListingContext<'_>,
    names: &[&str],
    rows: impl Fn(&mut Listing, &str, &Account),
) -> Listing {
    let mut listing = Listing::new(names);
    each_seen(facts, |name, account| rows(&mut listing, &name.in_error(), account));
    listing
}

fn each_seen(facts: &ListingContext<'_>, mut work: impl FnMut(&AccountName, &Account)) {
    let sees_all = facts.rights.on_database("mysql").has(Privilege::Select);
    for (name, account) in facts.sql.access().grants().accounts() {
        if sees_all || name.plain() == facts.account {
            work(name, account);
        }
    }
}

/// USER_ATTRIBUTES: what ATTRIBUTE and COMMENT have written.
pub(super) fn user_attributes(facts: &ListingContext<'_>) -> Listing {
    let mut listing = Listing::new(&["USER", "HOST", "ATTRIBUTE"]).long_text(2);
    each_seen(facts, |name, account| {
        let attribute = account.attribute.as_ref().map_or(Value::Null, text);
        listing.push(vec![text(&name.user), text(&name.host), attribute]);
    });
    listing
}

/// ENABLED_ROLES: the roles that are active, and those that they have in turn.
pub(super) fn enabled_roles(facts: &ListingContext<'_>) -> Listing {
    let mut listing = Listing::new(&["ROLE_NAME", "ROLE_HOST", "IS_DEFAULT", "IS_MANDATORY"]);
    let grants = facts.sql.access().grants();
    let own = AccountName::parse(&facts.account);
    let defaults = grants.default_roles(&own);
    let mut shown: Vec<AccountName> = Vec::new();
    for role in &facts.rights.active_roles {
        for role in std::iter::once(role.clone()).chain(grants.roles_of(role)) {
            if !shown.contains(&role) {
                shown.push(role);
            }
        }
    }
    for role in &shown {
        let is_default = defaults.contains(role);
        let is_mandatory = grants.mandatory().contains(role);
        let begin = [text(&role.user), text(&role.host)];
        listing.push(begin.into_iter().chain([is_default, is_mandatory].map(yes_or_no)).collect());
    }
    listing
}

/// USER_PRIVILEGES: on everything.
pub(super) fn user_privileges(facts: &ListingContext<'_>) -> Listing {
    let names = [GRANTEE, "TABLE_CATALOG", "PRIVILEGE_TYPE", IS_GRANTABLE];
    of_accounts(facts, &names, |listing, grantee, account| {
        let begin = [grantee, CATALOG];
        let option = account.global.has(Privilege::GrantOption);
        if account.global.without(PrivilegeSet::of(Privilege::GrantOption)).is_empty() {
            push_words(listing, &begin, "USAGE", false);
        }
        push_set(listing, &begin, account.global, option);
        for (words, option) in &account.dynamic {
            push_words(listing, &begin, words, *option);
        }
    })
}

/// SCHEMA_PRIVILEGES: on databases, by the patterns that were granted.
pub(super) fn schema_privileges(facts: &ListingContext<'_>) -> Listing {
    let names = [GRANTEE, "TABLE_CATALOG", "TABLE_SCHEMA", "PRIVILEGE_TYPE", IS_GRANTABLE];
    of_accounts(facts, &names, |listing, grantee, account| {
        for (pattern, set) in &account.databases {
            push_object(listing, &[grantee, CATALOG, pattern], *set);
        }
    })
}

/// TABLE_PRIVILEGES: on all of a table.
pub(super) fn table_privileges(facts: &ListingContext<'_>) -> Listing {
    let names =
        [GRANTEE, "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "PRIVILEGE_TYPE", IS_GRANTABLE];
    of_accounts(facts, &names, |listing, grantee, account| {
        for (database, tables) in &account.tables {
            for (table, granted) in tables {
                push_object(listing, &[grantee, CATALOG, database, table], granted.whole);
            }
        }
    })
}

/// COLUMN_PRIVILEGES: on columns; they are granted on with those on their table.
pub(super) fn column_privileges(facts: &ListingContext<'_>) -> Listing {
    let names = [
        GRANTEE,
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "PRIVILEGE_TYPE",
        IS_GRANTABLE,
    ];
    of_accounts(facts, &names, |listing, grantee, account| {
        for (database, tables) in &account.tables {
            for (table, granted) in tables {
                let option = granted.whole.has(Privilege::GrantOption);
                for (column, set) in &granted.columns {
                    let begin = [grantee, CATALOG, database, table, column];
                    push_set(listing, &begin, *set, option);
                }
            }
        }
    })
}

const ROLE_GRANT_BEGIN: [&str; 7] = [
    "GRANTOR",
    "GRANTOR_HOST",
    GRANTEE,
    "GRANTEE_HOST",
    "TABLE_CATALOG",
    "TABLE_SCHEMA",
    "TABLE_NAME",
];

/// The rows about each table that one of the own account's roles was granted something on; who
/// granted it is not known.
fn of_roles(
    facts: &ListingContext<'_>,
    behind: &[&str],
    rows: impl Fn(&mut Listing, &[Value], &TableGrant),
) -> Listing {
    let mut listing = Listing::new(&[&ROLE_GRANT_BEGIN[..], behind].concat());
    let grants = facts.sql.access().grants();
    for role in grants.usable_roles_of(&AccountName::parse(&facts.account)) {
        let Some(account) = grants.account(&role) else { continue };
        for (database, tables) in &account.tables {
            for (table, granted) in tables {
                let begin = ["", "", &role.user, &role.host, CATALOG, database, table];
                rows(&mut listing, &begin.map(text), granted);
            }
        }
    }
    listing
}

/// ROLE_TABLE_GRANTS: what the own account's roles were granted on tables.
pub(super) fn role_table_grants(facts: &ListingContext<'_>) -> Listing {
    of_roles(facts, &["PRIVILEGE_TYPE", IS_GRANTABLE], |listing, begin, granted| {
        let option = granted.whole.has(Privilege::GrantOption);
        if !granted.whole.is_empty() {
            let mut row = begin.to_vec();
            row.extend([mysql::table_members(granted.whole), yes_or_no(option)]);
            listing.push(row);
        }
    })
}

/// ROLE_COLUMN_GRANTS: the same of columns.
pub(super) fn role_column_grants(facts: &ListingContext<'_>) -> Listing {
    let behind = ["COLUMN_NAME", "PRIVILEGE_TYPE", IS_GRANTABLE];
    of_roles(facts, &behind, |listing, begin, granted| {
        let option = granted.whole.has(Privilege::GrantOption);
        for (column, set) in &granted.columns {
            let mut row = begin.to_vec();
            row.extend([text(column), mysql::column_members(*set), yes_or_no(option)]);
            listing.push(row);
        }
    })
}

/// APPLICABLE_ROLES: the roles that the own account has, and those that they have in turn;
/// `may_grant`: of them those that it may grant on, which is ADMINISTRABLE_ROLE_AUTHORIZATIONS.
pub(super) fn own_roles(facts: &ListingContext<'_>, may_grant: bool) -> Listing {
    let mut listing = Listing::new(&[
        "USER",
        "HOST",
        GRANTEE,
        "GRANTEE_HOST",
        "ROLE_NAME",
        "ROLE_HOST",
        IS_GRANTABLE,
        "IS_DEFAULT",
        "IS_MANDATORY",
    ]);
    let own = AccountName::parse(&facts.account);
    let grants = facts.sql.access().grants();
    let defaults = grants.default_roles(&own);
    let grantees = std::iter::once(own.clone()).chain(grants.usable_roles_of(&own));
    for grantee in grantees {
        let is_own = grantee == own;
        let roles = match is_own {
            true => grants.granted_roles(&own),
            false => grants.account(&grantee).map_or_else(Vec::new, |a| a.roles.clone()),
        };
        for grant in roles.iter().filter(|grant| grant.admin || !may_grant) {
            let names = [&own, &grantee, &grant.role];
            let mut row: Vec<Value> =
                names.iter().flat_map(|name| [text(&name.user), text(&name.host)]).collect();
            let is_default = is_own && defaults.contains(&grant.role);
            let is_mandatory = is_own && grants.mandatory().contains(&grant.role);
            row.extend([grant.admin, is_default, is_mandatory].map(yes_or_no));
            listing.push(row);
        }
    }
    listing
}
