//! GRANT and REVOKE.
//!
//! Invariants
//! 1. Nobody gives or takes what he does not have himself with GRANT OPTION.
//! 2. A REVOKE needs nothing to be there but the grant: tables and columns may be gone.
//!
//! Not here: the grammar (`syntax::grant`), what privileges allow (`authorization`).

use std::sync::Arc;

use access::edit::{GrantTarget, GrantedPrivileges};
use access::{AccountName, Edit, EditError, Level, Privilege, PrivilegeSet, privilege};
use syntax::account::UserName;
use syntax::grant::{Forgiving, GrantObject, GrantStatement, PrivilegeSpec};
use values::ErrorCode;

use super::Session;
use super::accounts::edit_error;
use crate::reply::Reply;
use crate::system_schema::information_schema::columns_of_view;
use crate::system_schema::mysql;
use results::{Result, SqlError};

impl Session {
    /// Carries GRANT or REVOKE out.
    ///
    /// # Errors
    /// 1044, 1045, 1142 and 1227 without the right to grant; 1141 and 1147 for what was not
    /// granted; 1410 and 3523 for accounts that are not there; 1144, 1149, 1221 and 3619 for
    /// privileges that are none of their object's.
    pub(super) fn grant_statement(&mut self, statement: &GrantStatement) -> Result<Reply> {
        match statement {
            GrantStatement::Grant { all, privileges, object, to, grant_option } => {
                let target = self.target(object)?;
                let mut granted = privileges_on(&target, *all, privileges)?;
                granted.grant_option |= *grant_option;
                self.check_grantable(&target, &granted)?;
                self.check_grant_names(&target, &granted)?;
                let names = self.existing(to)?;
                self.check_touched(&names)?;
                self.change_accounts(|edit| {
                    names.iter().try_for_each(|name| {
                        edit.grant(name, &target, &granted).map_err(edit_error)
                    })
                })?;
            }
            GrantStatement::Revoke { all, privileges, object, from, forgiving } => {
                let target = self.target(object)?;
                let revoked = privileges_on(&target, *all, privileges)?;
                self.check_grantable(&target, &revoked)?;
                let names = self.named_accounts(from);
                self.check_touched(&names)?;
                self.each_forgiving(&names, *forgiving, |edit, name| {
                    edit.revoke(name, &target, &revoked)
                })?;
            }
            GrantStatement::RevokeEverything { from, forgiving } => {
                self.check_global(&[Privilege::CreateUser], &[], "CREATE USER")?;
                let names = self.named_accounts(from);
                self.check_touched(&names)?;
                let grants = self.sql.access().grants();
                if !forgiving.unknown_users
                    && names.iter().any(|name| grants.account(name).is_none())
                {
                    return Err(SqlError::new(
                        ErrorCode::RevokeGrants,
                        "Can't revoke all privileges for one or more of the requested users",
                    ));
                }
                self.each_forgiving(&names, *forgiving, |edit, name| edit.revoke_all(name))?;
            }
            GrantStatement::GrantRoles { roles, to, admin_option } => {
                let (roles, to) = (self.named_accounts(roles), self.named_accounts(to));
                self.check_role_admin(&roles)?;
                self.check_touched(&roles)?;
                self.check_touched(&to)?;
                self.change_accounts(|edit| {
                    for name in &to {
                        for role in &roles {
                            edit.grant_role(role, name, *admin_option).map_err(edit_error)?;
                        }
                    }
                    Ok(())
                })?;
            }
            GrantStatement::RevokeRoles { roles, from, forgiving } => {
                let (roles, from) = (self.named_accounts(roles), self.named_accounts(from));
                self.check_role_admin(&roles)?;
                self.check_touched(&roles)?;
                self.check_touched(&from)?;
                self.check_not_mandatory(&roles)?;
                self.each_forgiving(&from, *forgiving, |edit, name| {
                    roles.iter().try_for_each(|role| edit.revoke_role(role, name))
                })?;
            }
        }
        Ok(self.done(0))
    }

    /// Changes accounts one by one; what a statement forgives is warned of.
    fn each_forgiving(
        &self,
        names: &[AccountName],
        forgiving: Forgiving,
        change: impl Fn(&mut Edit, &AccountName) -> std::result::Result<(), EditError>,
    ) -> Result<()> {
        let forgiven = self.change_accounts(|edit| {
            let mut forgiven = Vec::new();
            for name in names {
                if !edit.has(name) && forgiving.unknown_users {
                    let message = format!("Authorization ID {} does not exist.", name.user);
                    forgiven.push(SqlError::new(ErrorCode::UserDoesNotExist, message));
                    continue;
                }
                match change(edit, name) {
                    Ok(()) => {}
                    Err(EditError::Missing(missing)) if missing == *name => {
                        return Err(edit_error(EditError::NotGranted(missing)));
                    }
                    Err(error) if forgiving.if_exists => forgiven.push(edit_error(error)),
                    Err(error) => return Err(edit_error(error)),
                }
            }
            Ok(forgiven)
        })?;
        self.warn_all(forgiven);
        Ok(())
    }

    fn target(&self, object: &GrantObject) -> Result<GrantTarget> {
        Ok(match object {
            GrantObject::Everything => GrantTarget::Global,
            GrantObject::CurrentDatabase => {
                let database = self.database.clone();
                GrantTarget::Database(database.ok_or_else(SqlError::no_database)?)
            }
            GrantObject::Database(pattern) => GrantTarget::Database(pattern.clone()),
            GrantObject::Table(name) => {
                let (database, table) = self.qualified(name)?;
                GrantTarget::Table(database.to_owned(), table.to_owned())
            }
        })
    }

    /// The accounts that a GRANT names: it makes none.
    fn existing(&self, names: &[UserName]) -> Result<Vec<AccountName>> {
        let names = self.named_accounts(names);
        let grants = self.sql.access().grants();
        match names.iter().all(|name| grants.account(name).is_some()) {
            true => Ok(names),
            false => Err(SqlError::new(
                ErrorCode::CantCreateUserWithGrant,
                "You are not allowed to create a user with GRANT",
            )),
        }
    }

    /// Refuses to give or take what the principal does not have with GRANT OPTION.
    fn check_grantable(&self, target: &GrantTarget, granted: &GrantedPrivileges) -> Result<()> {
        if self.is_unlimited() {
            return Ok(());
        }
        let rights = &self.principal.rights;
        let option = PrivilegeSet::of(Privilege::GrantOption);
        let wanted = granted.whole.with(option);
        match target {
            GrantTarget::Global => {
                let grants = self.sql.access().grants();
                let own = self.principal.account.as_ref().and_then(|name| grants.account(name));
                let may_give =
                    |name: &String| own.is_some_and(|own| own.dynamic.get(name) == Some(&true));
                if rights.global().has_all(wanted) && granted.dynamic.iter().all(may_give) {
                    return Ok(());
                }
                Err(self.access_denied())
            }
            GrantTarget::Database(pattern) => match rights.on_database(pattern).has_all(wanted) {
                true => Ok(()),
                false => Err(self.database_denied(pattern)),
            },
            GrantTarget::Table(database, table) => {
                let held = rights.on_table(database, table);
                let of_columns = granted.columns.iter().flat_map(|(column, set)| {
                    let is_missing =
                        |p: &Privilege| !rights.has_column(database, table, column, *p);
                    set.iter().filter(is_missing)
                });
                let missing = wanted.without(held).with(of_columns.collect());
                match missing.is_empty() {
                    true => Ok(()),
                    false => {
                        let words = missing_words(missing);
                        Err(SqlError::table_denied(&words, &self.user, table))
                    }
                }
            }
        }
    }

    /// A table that privileges are granted on is there, unless it may be created; its columns are.
    fn check_grant_names(&self, target: &GrantTarget, granted: &GrantedPrivileges) -> Result<()> {
        let GrantTarget::Table(database, name) = target else { return Ok(()) };
        if granted.whole.has(Privilege::Create) {
            return Ok(());
        }
        let catalog = self.sql.engine().catalog();
        let own = mysql::table(name).filter(|own| own.database == *database);
        let found = own.map_or_else(|| catalog.table(database, name), |own| Ok(Arc::clone(own)));
        let columns = match (found, catalog.view(database, name)) {
            (Ok(table), _) => table.named_columns().to_vec(),
            (Err(_), Some(view)) => columns_of_view(&self.facts(), &view)?,
            (Err(missing), None) => return Err(missing.into()),
        };
        let is_there =
            |name: &String| columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        match granted.columns.iter().find(|(column, _)| !is_there(column)) {
            None => Ok(()),
            Some((column, _)) => Err(SqlError::unknown_column(column, name)),
        }
    }

    /// Roles are given by whoever has ROLE_ADMIN, or has them WITH ADMIN OPTION.
    pub(super) fn check_role_admin(&self, roles: &[AccountName]) -> Result<()> {
        let grants = self.sql.access().grants();
        let own = self.principal.account.as_ref().and_then(|name| grants.account(name));
        let is_admin = |role: &AccountName| {
            own.is_some_and(|own| own.roles.iter().any(|grant| grant.role == *role && grant.admin))
        };
        if roles.iter().all(is_admin) {
            return Ok(());
        }
        self.check_global(&[Privilege::Super], &["ROLE_ADMIN"], "WITH ADMIN, ROLE_ADMIN, SUPER")
    }
}

/// What a principal lacks for granting, in the order in which mysqld 9.7 names it: GRANT stands
/// before REFERENCES there.
fn missing_words(missing: PrivilegeSet) -> String {
    let is_option = |privilege: &Privilege| *privilege == Privilege::GrantOption;
    let (before, behind): (Vec<Privilege>, Vec<Privilege>) = missing
        .iter()
        .filter(|privilege| !is_option(privilege))
        .partition(|privilege| *privilege < Privilege::References);
    let option = missing.has(Privilege::GrantOption).then_some("GRANT");
    let words = |privileges: Vec<Privilege>| privileges.into_iter().map(Privilege::words);
    words(before).chain(option).chain(words(behind)).collect::<Vec<_>>().join(", ")
}

/// The privileges that a statement names, if they are such of its target.
fn privileges_on(
    target: &GrantTarget,
    all: bool,
    specs: &[PrivilegeSpec],
) -> Result<GrantedPrivileges> {
    let level = match target {
        GrantTarget::Global => Level::Global,
        GrantTarget::Database(_) => Level::Database,
        GrantTarget::Table(..) => Level::Table,
    };
    let mut granted = GrantedPrivileges { all, ..GrantedPrivileges::default() };
    if all {
        granted.whole = PrivilegeSet::all(level);
        if level == Level::Global {
            granted.dynamic = privilege::DYNAMIC.iter().map(|name| (*name).to_owned()).collect();
        }
        return Ok(granted);
    }
    for PrivilegeSpec { words, columns } in specs {
        if words == "USAGE" {
            continue;
        }
        if words == "GRANT OPTION" {
            granted.grant_option = true;
            continue;
        }
        let found = Privilege::ALL.iter().copied().find(|privilege| privilege.words() == words);
        let Some(found) = found else {
            let Some(name) = privilege::dynamic(words) else {
                return Err(SqlError::new(
                    ErrorCode::SyntaxError,
                    "You have an error in your SQL syntax; check the manual that corresponds to \
                     your MySQL server version for the right syntax to use",
                ));
            };
            if level != Level::Global {
                let message = format!("Illegal privilege level specified for {name}");
                return Err(SqlError::new(ErrorCode::IllegalPrivilegeLevel, message));
            }
            granted.dynamic.push(name.to_owned());
            continue;
        };
        if !columns.is_empty() && level != Level::Table
            || level == Level::Table && !found.is_of(level)
        {
            return Err(SqlError::new(
                ErrorCode::IllegalGrantForTable,
                "Illegal GRANT/REVOKE command; please consult the manual to see which privileges \
                 can be used",
            ));
        }
        if !found.is_of(level) {
            let message = "Incorrect usage of DB GRANT and GLOBAL PRIVILEGES";
            return Err(SqlError::new(ErrorCode::WrongUsage, message));
        }
        let set = PrivilegeSet::of(found);
        match columns.is_empty() {
            true => granted.whole = granted.whole.with(set),
            false => granted.columns.extend(columns.iter().map(|name| (name.clone(), set))),
        }
    }
    Ok(granted)
}
