//! Rows about accounts and roles: how they log in (`user`), and what they were granted.
//!
//! Not here: grants as statements (`access::shown`), as `information_schema` lists them
//! (`information_schema::privileges`).

use access::account::{DefaultRoles, TableGrant};
use access::{Account, AccountName, PasswordLifetime, Privilege, PrivilegeSet};
use rows::table::Table;
use values::Timestamp;
use values::datum::Value;

use super::row_of;
use crate::show::text;
use crate::system_schema::ListingContext;

/// The members of `Table_priv` in their order.
const TABLE_WORDS: [&str; 13] = [
    "Select",
    "Insert",
    "Update",
    "Delete",
    "Create",
    "Drop",
    "Grant",
    "References",
    "Index",
    "Alter",
    "Create View",
    "Show view",
    "Trigger",
];

/// Those of `Column_priv`.
const COLUMN_WORDS: [&str; 4] = ["Select", "Insert", "Update", "References"];

/// The rows of a table that is about accounts; `None` of another.
pub(super) fn rows(facts: &ListingContext<'_>, table: &Table) -> Option<Vec<Vec<Value>>> {
    let add: fn(&Table, &AccountName, &Account, &mut Vec<Vec<Value>>) = match table.name.as_str() {
        "user" => |table, name, account, rows| rows.push(user(table, name, account)),
        "db" => databases,
        "tables_priv" => tables,
        "columns_priv" => columns,
        "global_grants" => dynamic,
        "role_edges" => roles,
        "default_roles" => default_roles,
        "password_history" => password_history,
        _ => return None,
    };
    let mut rows = Vec::new();
    for (name, account) in facts.sql.access().grants().accounts() {
        add(table, name, account, &mut rows);
    }
    Some(rows)
}

fn yes_or_no(is_so: bool) -> Value {
    text(if is_so { "Y" } else { "N" })
}

/// The privilege that a column such as `Show_db_priv` or a member such as `Create View` is about.
fn privilege_called(called: &str) -> Option<Privilege> {
    let words = called.trim_end_matches("_priv").replace('_', " ").to_ascii_uppercase();
    let words = match words.as_str() {
        "GRANT" => "GRANT OPTION",
        "SHOW DB" => "SHOW DATABASES",
        "CREATE TMP TABLE" => "CREATE TEMPORARY TABLES",
        "REPL SLAVE" => "REPLICATION SLAVE",
        "REPL CLIENT" => "REPLICATION CLIENT",
        words => words,
    };
    Privilege::ALL.iter().copied().find(|privilege| privilege.words() == words)
}

/// Whether a set has the privilege of a column that ends in `_priv`.
fn granted(set: PrivilegeSet, column: &str) -> Option<Value> {
    let privilege = column.ends_with("_priv").then(|| privilege_called(column))??;
    Some(yes_or_no(set.has(privilege)))
}

/// The members of a set, in the order in which a column of MySQL has them.
fn members(words: &[&str], set: PrivilegeSet) -> Value {
    let has = |called: &&&str| privilege_called(called).is_some_and(|own| set.has(own));
    text(words.iter().filter(has).copied().collect::<Vec<_>>().join(","))
}

/// Privileges on a table, as `Table_priv` has them.
pub fn table_members(set: PrivilegeSet) -> Value {
    members(&TABLE_WORDS, set)
}

/// Privileges on a column, as `Column_priv` has them.
pub fn column_members(set: PrivilegeSet) -> Value {
    members(&COLUMN_WORDS, set)
}

/// The account that something was granted to; every table calls it `User` and `Host`, in some case.
fn grantee(name: &AccountName, column: &str) -> Option<Value> {
    match column {
        "User" | "USER" | "TO_USER" => Some(text(&name.user)),
        "Host" | "HOST" | "TO_HOST" => Some(text(&name.host)),
        _ => None,
    }
}

fn user(table: &Table, name: &AccountName, account: &Account) -> Vec<Value> {
    row_of(table, |column| match column {
        "ssl_type" => Some(text(account.tls_need.kind())),
        "ssl_cipher" => Some(text(account.tls_need.details().cipher)),
        "x509_issuer" => Some(text(account.tls_need.details().issuer)),
        "x509_subject" => Some(text(account.tls_need.details().subject)),
        "plugin" => Some(text(account.plugin.name())),
        "authentication_string" => Some(text(&account.stored)),
        "password_expired" => Some(yes_or_no(account.expired)),
        "account_locked" => Some(yes_or_no(account.locked)),
        "password_last_changed" => account.password_set_at.map(second),
        "password_lifetime" => match account.password_policy.lifetime {
            PasswordLifetime::Default => None,
            PasswordLifetime::Never => Some(Value::UInt(0)),
            PasswordLifetime::Days(days) => Some(Value::UInt(days.into())),
        },
        "Password_reuse_history" => number(account.password_policy.history),
        "Password_reuse_time" => number(account.password_policy.reuse_days),
        "Password_require_current" => account.password_policy.require_current.map(yes_or_no),
        "max_questions" => Some(limit(account.limits.queries_per_hour)),
        "max_updates" => Some(limit(account.limits.updates_per_hour)),
        "max_connections" => Some(limit(account.limits.connections_per_hour)),
        "max_user_connections" => Some(limit(account.limits.user_connections)),
        "User_attributes" => account.attributes().map(text),
        _ => granted(account.global, column).or_else(|| grantee(name, column)),
    })
}

/// A limit of an account; 0 is none.
fn limit(limit: u32) -> Value {
    Value::UInt(limit.into())
}

fn number(number: Option<u16>) -> Option<Value> {
    number.map(|number| Value::UInt(number.into()))
}

/// A second since the epoch.
fn second(second: u64) -> Value {
    Value::Timestamp(Timestamp::from_micros(second.saturating_mul(1_000_000)))
}

/// The passwords that an account may not have again.
fn password_history(
    table: &Table,
    name: &AccountName,
    account: &Account,
    rows: &mut Vec<Vec<Value>>,
) {
    let earlier = account.earlier_passwords.iter();
    for (stored, set_at) in earlier.flat_map(|set| set.all().map(|stored| (stored, set.set_at))) {
        rows.push(row_of(table, |column| match column {
            "Password_timestamp" => Some(second(set_at)),
            "Password" => Some(text(stored)),
            _ => grantee(name, column),
        }));
    }
}

fn databases(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    for (pattern, set) in &account.databases {
        rows.push(row_of(table, |column| match column {
            "Db" => Some(text(pattern)),
            _ => granted(*set, column).or_else(|| grantee(name, column)),
        }));
    }
}

/// The tables that something is granted on: database, name, what.
fn each_table(account: &Account) -> impl Iterator<Item = (&String, &String, &TableGrant)> {
    let of_database = |(database, tables)| of_tables(database, tables);
    account.tables.iter().flat_map(of_database)
}

fn of_tables<'a>(
    database: &'a String,
    tables: &'a std::collections::BTreeMap<String, TableGrant>,
) -> impl Iterator<Item = (&'a String, &'a String, &'a TableGrant)> {
    tables.iter().map(move |(table, grant)| (database, table, grant))
}

fn tables(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    for (database, called, grant) in each_table(account) {
        rows.push(row_of(table, |column| match column {
            "Db" => Some(text(database)),
            "Table_name" => Some(text(called)),
            "Table_priv" => Some(table_members(grant.whole)),
            "Column_priv" => Some(column_members(grant.any_column())),
            _ => grantee(name, column),
        }));
    }
}

fn columns(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    for (database, called, grant) in each_table(account) {
        for (of_column, set) in &grant.columns {
            rows.push(row_of(table, |column| match column {
                "Db" => Some(text(database)),
                "Table_name" => Some(text(called)),
                "Column_name" => Some(text(of_column)),
                "Column_priv" => Some(column_members(*set)),
                _ => grantee(name, column),
            }));
        }
    }
}

fn dynamic(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    for (privilege, option) in &account.dynamic {
        rows.push(row_of(table, |column| match column {
            "PRIV" => Some(text(privilege)),
            "WITH_GRANT_OPTION" => Some(yes_or_no(*option)),
            _ => grantee(name, column),
        }));
    }
}

fn roles(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    for grant in &account.roles {
        rows.push(row_of(table, |column| match column {
            "FROM_USER" => Some(text(&grant.role.user)),
            "FROM_HOST" => Some(text(&grant.role.host)),
            "WITH_ADMIN_OPTION" => Some(yes_or_no(grant.admin)),
            _ => grantee(name, column),
        }));
    }
}

fn default_roles(table: &Table, name: &AccountName, account: &Account, rows: &mut Vec<Vec<Value>>) {
    let named = match &account.default_roles {
        DefaultRoles::None => return,
        DefaultRoles::All => account.default_roles_of(&account.roles),
        // Also mandatory ones, which were not granted.
        DefaultRoles::Some(names) => names.iter().cloned().collect(),
    };
    for role in named {
        rows.push(row_of(table, |column| match column {
            "DEFAULT_ROLE_USER" => Some(text(&role.user)),
            "DEFAULT_ROLE_HOST" => Some(text(&role.host)),
            _ => grantee(name, column),
        }));
    }
}
