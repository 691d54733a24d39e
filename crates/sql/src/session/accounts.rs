//! Statements about accounts and roles: CREATE USER and its kin, SET PASSWORD, SET ROLE, and what
//! shows accounts.
//!
//! Invariants
//! 1. What a statement says of several accounts is done for all of them or for none.
//! 2. Whoever may change accounts may not therefore change one with SYSTEM_USER.
//!
//! Not here: the grammar (`syntax::account`), what is said of an account beside its name
//! (`account_options`), privileges (`grants`), storing (`access::control`).

use access::account::DefaultRoles;
use access::privilege::SYSTEM_USER;
use access::secret::Plugin;
use access::{Account, AccountName, Edit, EditError, Principal, Privilege, shown};
use expression::Level;
use syntax::account::{
    AccountStatement, Identification, RoleChoice, UserName, UserOptions, UserSpec,
};
use values::ErrorCode;
use values::datum::Value;

use super::Session;
use super::account_options::{self, NewPassword, PasswordRules, RandomPassword, give_password};
use crate::reply::Reply;
use crate::show::{self, Listing, text};
use results::{Result, SqlError};

/// What is said of accounts that a statement cannot be carried out for.
const THERE: &str = " (User account already exists)";
const NOT_THERE: &str = " (User account does not exist)";

impl Session {
    /// The account whose rights it has, as `CURRENT_USER()` gives it.
    pub(super) fn account_name(&self) -> String {
        self.principal.account.as_ref().map_or_else(|| self.user.clone(), AccountName::plain)
    }

    /// `CURRENT_ROLE()`.
    pub(super) fn role_names(&self) -> String {
        let names: Vec<String> = self.principal.roles.iter().map(AccountName::to_string).collect();
        if names.is_empty() { "NONE".into() } else { names.join(",") }
    }

    pub(super) fn named_account(&self, name: &UserName) -> AccountName {
        match (name, &self.principal.account) {
            (UserName::Named { user, host }, _) => AccountName::new(user, host),
            (UserName::Current, Some(account)) => account.clone(),
            (UserName::Current, None) => {
                let (user, host) = self.user.rsplit_once('@').unwrap_or((&self.user, "%"));
                AccountName::new(user, host)
            }
        }
    }

    pub(super) fn named_accounts(&self, names: &[UserName]) -> Vec<AccountName> {
        names.iter().map(|name| self.named_account(name)).collect()
    }

    /// Changes accounts, and stores what was changed.
    pub(super) fn change_accounts<T>(
        &self,
        work: impl FnOnce(&mut Edit) -> Result<T>,
    ) -> Result<T> {
        let engine = self.sql.engine();
        self.sql.access().change(work, |records| Ok(engine.store_accounts(records)?))
    }

    /// Refuses to touch an account or role with SYSTEM_USER for somebody without it, and one with
    /// SUPER for somebody with neither: who may change accounts may not become root so.
    pub(super) fn check_touched(&self, names: &[AccountName]) -> Result<()> {
        let grants = self.sql.access().grants();
        let accounts = || names.iter().filter_map(|name| grants.account(name));
        if accounts().any(|account| account.is_system_user()) {
            return self.check_global(&[], &[SYSTEM_USER], SYSTEM_USER);
        }
        match accounts().any(|account| account.global.has(Privilege::Super)) {
            true => self.check_global(&[Privilege::Super], &[SYSTEM_USER], SYSTEM_USER),
            false => Ok(()),
        }
    }

    /// Refuses to take a role from anybody that all accounts have, or to drop it.
    pub(super) fn check_not_mandatory(&self, names: &[AccountName]) -> Result<()> {
        let grants = self.sql.access().grants();
        match names.iter().find(|name| grants.mandatory().contains(name)) {
            None => Ok(()),
            Some(role) => {
                let message = format!(
                    "The role {role} is a mandatory role and can't be revoked or dropped. The \
                     restriction can be lifted by excluding the role identifier from the global \
                     variable mandatory_roles."
                );
                Err(SqlError::new(ErrorCode::MandatoryRole, message))
            }
        }
    }

    /// Whether ALTER USER says nothing but what everybody may change of the own account: its
    /// password, by the plugin that it has, with a comment, or the roles of its logins.
    fn is_own_matter(&self, users: &[UserSpec], options: &UserOptions) -> bool {
        let own = self.principal.account.as_ref();
        if !users.iter().all(|user| Some(&self.named_account(&user.name)) == own) {
            return false;
        }
        let is_nothing_but = |kept: UserOptions| kept == UserOptions::default();
        let keeps_ways = |user: &UserSpec| {
            let identified = user.identified.as_ref();
            identified.map_or(user.discard, |identified| identified.plugin.is_none())
        };
        let sets_passwords = users.iter().all(keeps_ways)
            && is_nothing_but(UserOptions { metadata: None, ..options.clone() });
        let says_nothing = |user: &UserSpec| user.identified.is_none() && !user.discard;
        let sets_roles = options.default_roles.is_some()
            && users.iter().all(says_nothing)
            && is_nothing_but(UserOptions { default_roles: None, ..options.clone() });
        sets_passwords || sets_roles
    }

    /// Whether a statement sets the password of the session's own account, which is all that an
    /// expired one lets it do.
    pub(super) fn sets_own_password(&self, statement: &AccountStatement) -> bool {
        let own = self.principal.account.as_ref();
        let is_own = |name: &UserName| Some(&self.named_account(name)) == own;
        match statement {
            AccountStatement::SetPassword { name, .. } => name.as_ref().is_none_or(is_own),
            AccountStatement::AlterUsers { users, .. } => {
                users.iter().any(|user| user.identified.is_some() && is_own(&user.name))
            }
            _ => false,
        }
    }

    /// Carries a statement about accounts out.
    ///
    /// # Errors
    /// 1396 for accounts that are there or are not, 1227 without the privilege, those of
    /// passwords and of roles.
    pub(super) fn account_statement(&mut self, statement: &AccountStatement) -> Result<Reply> {
        use Privilege::{CreateRole, CreateUser, DropRole};
        let mut random = Vec::new();
        match statement {
            AccountStatement::CreateUsers { users, options, if_not_exists } => {
                self.check_global(&[CreateUser], &[], "CREATE USER")?;
                random = self.create_users(users, options, *if_not_exists)?;
            }
            AccountStatement::AlterUsers { users, options, if_exists } => {
                if !self.is_own_matter(users, options) {
                    self.check_global(&[CreateUser], &[], "CREATE USER")?;
                }
                random = self.alter_users(users, options, *if_exists)?;
            }
            AccountStatement::Drop { names, if_exists, is_role } => {
                match is_role {
                    true => {
                        let words = "CREATE USER, DROP ROLE";
                        self.check_global(&[CreateUser, DropRole], &[], words)?;
                    }
                    false => self.check_global(&[CreateUser], &[], "CREATE USER")?,
                }
                self.drop_accounts(&self.named_accounts(names), *if_exists, *is_role)?;
            }
            AccountStatement::RenameUsers(pairs) => {
                self.check_global(&[CreateUser], &[], "CREATE USER")?;
                self.rename_users(pairs)?;
            }
            AccountStatement::CreateRoles { names, if_not_exists } => {
                let words = "CREATE USER, CREATE ROLE";
                self.check_global(&[CreateUser, CreateRole], &[], words)?;
                self.create_roles(&self.named_accounts(names), *if_not_exists)?;
            }
            AccountStatement::SetPassword { name, identified, replaced, retain } => {
                let name = self.named_account(name.as_ref().unwrap_or(&UserName::Current));
                let new = NewPassword {
                    replaced: replaced.as_ref(),
                    retain: *retain,
                    ..self.new_password(&name, identified)
                };
                random.extend(self.set_password(&name, &new)?);
            }
            AccountStatement::SetRole(choice) => self.set_role(choice)?,
            AccountStatement::SetDefaultRole { roles, names } => {
                let names = self.named_accounts(names);
                if names.iter().any(|name| Some(name) != self.principal.account.as_ref()) {
                    self.check_global(&[CreateUser], &[], "CREATE USER")?;
                }
                self.check_touched(&names)?;
                self.change_accounts(|edit| {
                    names
                        .iter()
                        .try_for_each(|name| give_default_roles(edit, name, &self.chosen(roles)))
                })?;
            }
        }
        match random.is_empty() {
            true => Ok(self.done(0)),
            false => Ok(self.listed(account_options::told(&random))),
        }
    }

    /// By what passwords are set now.
    fn password_rules(&self) -> PasswordRules {
        let access = self.sql.access();
        let length = plan::variables::definition("generated_random_password_length");
        let length = length.and_then(|definition| self.variables.text(definition).parse().ok());
        PasswordRules {
            defaults: access.policy_defaults(),
            now: access.now(),
            random_length: length.unwrap_or(20).clamp(5, 255),
        }
    }

    /// What is said of an account's password, by the session that it is.
    fn new_password<'a>(
        &self,
        name: &AccountName,
        identified: &'a Identification,
    ) -> NewPassword<'a> {
        NewPassword {
            identified,
            replaced: None,
            retain: false,
            is_own: Some(name) == self.principal.account.as_ref(),
            is_privileged: self.principal.rights.has_global(Privilege::CreateUser),
        }
    }

    /// Refuses to have two passwords of one account to somebody without a privilege for that.
    fn check_second_password(&self, uses: bool) -> Result<()> {
        match uses {
            true => self.check_global(
                &[Privilege::CreateUser],
                &["APPLICATION_PASSWORD_ADMIN"],
                "CREATE USER or APPLICATION_PASSWORD_ADMIN",
            ),
            false => Ok(()),
        }
    }

    fn note_account(&self, code: ErrorCode, name: &AccountName, what: &str) {
        let message = format!("Authorization ID {} {what}.", name.in_error());
        self.warnings.borrow_mut().push(Level::Note, code, message);
    }

    fn create_users(
        &self,
        users: &[UserSpec],
        options: &UserOptions,
        if_not_exists: bool,
    ) -> Result<Vec<RandomPassword>> {
        let rules = self.password_rules();
        let (mut made, mut random) = (Vec::with_capacity(users.len()), Vec::new());
        for user in users {
            let name = self.named_account(&user.name);
            let mut account = Account::new(Plugin::CachingSha2, String::new());
            account.password_set_at = Some(rules.now);
            account_options::apply(
                &mut account,
                &UserOptions { expires_now: false, ..options.clone() },
            )?;
            if let Some(identified) = &user.identified {
                let new = NewPassword { is_own: false, ..self.new_password(&name, identified) };
                random.extend(give_password(&name, &mut account, &new, &rules)?);
            }
            account.expired = options.expires_now;
            made.push((name, account));
        }
        // The roles of its logins are granted to it, which needs the right to.
        if let Some(RoleChoice::These(roles)) = &options.default_roles {
            let roles = self.named_accounts(roles);
            self.check_role_admin(&roles)?;
            self.check_touched(&roles)?;
        }
        let roles = options.default_roles.as_ref().map(|choice| self.chosen(choice));
        let known = self.change_accounts(|edit| {
            let (known, new): (Vec<_>, Vec<_>) =
                made.into_iter().partition(|(name, _)| edit.has(name));
            if !known.is_empty() && !if_not_exists {
                return Err(failed("CREATE USER", known.iter().map(|(name, _)| name), THERE));
            }
            self.check_no_definers("CREATE USER", new.iter().map(|(name, _)| name))?;
            for (name, account) in new {
                let again = |_| failed("CREATE USER", [&name].into_iter(), THERE);
                edit.create(name.clone(), account).map_err(again)?;
                if let Some(roles) = &roles {
                    grant_default_roles(edit, &name, roles)?;
                }
            }
            Ok(known)
        })?;
        random.retain(|random| !known.iter().any(|(name, _)| *name == random.account));
        for (name, _) in known {
            self.note_account(ErrorCode::UserAlreadyExists, &name, "already exists");
        }
        Ok(random)
    }

    fn alter_users(
        &self,
        users: &[UserSpec],
        options: &UserOptions,
        if_exists: bool,
    ) -> Result<Vec<RandomPassword>> {
        let names: Vec<AccountName> = users.iter().map(|u| self.named_account(&u.name)).collect();
        self.check_touched_by_others(&names)?;
        self.check_second_password(users.iter().any(|user| user.retain || user.discard))?;
        let rules = self.password_rules();
        let mut random = Vec::new();
        let roles = options.default_roles.as_ref().map(|choice| self.chosen(choice));
        let missing = self.change_accounts(|edit| {
            let missing: Vec<&AccountName> = names.iter().filter(|n| !edit.has(n)).collect();
            if !missing.is_empty() && !if_exists {
                return Err(failed("ALTER USER", missing.into_iter(), NOT_THERE));
            }
            for (user, name) in users.iter().zip(&names).filter(|(_, name)| !missing.contains(name))
            {
                let account = edit.account(name).map_err(edit_error)?;
                account_options::apply(account, options)?;
                if let Some(identified) = &user.identified {
                    let new = NewPassword {
                        replaced: user.replaced.as_ref(),
                        retain: user.retain,
                        ..self.new_password(name, identified)
                    };
                    random.extend(give_password(name, account, &new, &rules)?);
                    account.expired = options.expires_now;
                }
                if user.discard {
                    account.retained = None;
                }
                if account_options::unblocks(options) {
                    edit.unblock(name);
                }
                if let Some(roles) = &roles {
                    give_default_roles(edit, name, roles)?;
                }
            }
            Ok(missing.into_iter().cloned().collect::<Vec<_>>())
        })?;
        if !options.limits.is_empty() {
            names.iter().for_each(|name| self.sql.access().usages().reset_one(name));
        }
        for name in missing {
            self.note_account(ErrorCode::UserDoesNotExist, &name, "does not exist");
        }
        Ok(random)
    }

    /// As `check_touched`, but everybody may touch the own account.
    fn check_touched_by_others(&self, names: &[AccountName]) -> Result<()> {
        let own = self.principal.account.as_ref();
        let others: Vec<AccountName> =
            names.iter().filter(|name| Some(*name) != own).cloned().collect();
        self.check_touched(&others)
    }

    fn drop_accounts(&self, names: &[AccountName], if_exists: bool, is_role: bool) -> Result<()> {
        self.check_touched(names)?;
        self.check_not_mandatory(names)?;
        let doing = if is_role { "DROP ROLE" } else { "DROP USER" };
        let missing = self.change_accounts(|edit| {
            // One that is named twice is gone at its second place.
            let missing: Vec<AccountName> =
                names.iter().filter(|name| edit.drop_account(name).is_err()).cloned().collect();
            if !missing.is_empty() && !if_exists {
                return Err(failed(doing, missing.iter(), NOT_THERE));
            }
            self.check_no_definers(doing, names.iter().filter(|name| !missing.contains(name)))?;
            Ok(missing)
        })?;
        for name in missing {
            self.note_account(ErrorCode::UserDoesNotExist, &name, "does not exist");
        }
        Ok(())
    }

    fn rename_users(&self, pairs: &[(UserName, UserName)]) -> Result<()> {
        let pairs: Vec<(AccountName, AccountName)> = pairs
            .iter()
            .map(|(from, to)| (self.named_account(from), self.named_account(to)))
            .collect();
        let names: Vec<AccountName> = pairs.iter().map(|(from, _)| from.clone()).collect();
        self.check_touched(&names)?;
        self.change_accounts(|edit| {
            let mut refused = Vec::new();
            for (from, to) in &pairs {
                if edit.rename(from, to).is_err() {
                    refused.push(from);
                }
            }
            if !refused.is_empty() {
                return Err(failed("RENAME USER", refused.into_iter(), ""));
            }
            let all = pairs.iter().flat_map(|(from, to)| [from, to]);
            self.check_no_definers("RENAME USER", all)
        })
    }

    fn create_roles(&self, names: &[AccountName], if_not_exists: bool) -> Result<()> {
        let now = self.sql.access().now();
        let known = self.change_accounts(|edit| {
            let known: Vec<&AccountName> = names.iter().filter(|name| edit.has(name)).collect();
            if !known.is_empty() && !if_not_exists {
                return Err(failed("CREATE ROLE", known.into_iter(), THERE));
            }
            for name in names.iter().filter(|name| !known.contains(name)) {
                let role = Account { password_set_at: Some(now), ..Account::role() };
                edit.create(name.clone(), role).map_err(edit_error)?;
            }
            Ok(known.into_iter().cloned().collect::<Vec<_>>())
        })?;
        for name in known {
            self.note_account(ErrorCode::UserAlreadyExists, &name, "already exists");
        }
        Ok(())
    }

    fn set_password(
        &self,
        name: &AccountName,
        new: &NewPassword<'_>,
    ) -> Result<Option<RandomPassword>> {
        self.check_second_password(new.retain)?;
        let rules = self.password_rules();
        if Some(name) != self.principal.account.as_ref() {
            if !self.principal.rights.has_global(Privilege::CreateUser) {
                return Err(self.database_denied("mysql"));
            }
            self.check_touched(std::slice::from_ref(name))?;
        }
        self.change_accounts(|edit| {
            let account = edit.account(name).map_err(|_| {
                let message = "Can't find any matching row in the user table";
                SqlError::new(ErrorCode::PasswordNoMatch, message)
            })?;
            account_options::check_has_password(name, account)?;
            give_password(name, account, new, &rules)
        })
    }

    fn set_role(&mut self, choice: &RoleChoice) -> Result<()> {
        let access = self.sql.access();
        let Some(own) = self.principal.account.clone() else {
            return match choice {
                RoleChoice::These(names) => {
                    let role = self.named_account(&names[0]);
                    Err(not_granted(&role, &self.named_account(&UserName::Current)))
                }
                _ => Ok(()),
            };
        };
        let grants = access.grants();
        let granted: Vec<AccountName> =
            grants.granted_roles(&own).into_iter().map(|grant| grant.role).collect();
        let active = match choice {
            RoleChoice::None => Vec::new(),
            RoleChoice::Default => grants.default_roles(&own),
            RoleChoice::All(except) => {
                let except = self.named_accounts(except);
                granted.into_iter().filter(|role| !except.contains(role)).collect()
            }
            RoleChoice::These(names) => {
                let names = self.named_accounts(names);
                if let Some(other) = names.iter().find(|name| !granted.contains(name)) {
                    return Err(not_granted(other, &own));
                }
                names
            }
        };
        self.principal = access.with_roles(&self.principal, &active);
        Ok(())
    }

    /// The roles that `@@mandatory_roles` is set to; none for NULL and DEFAULT.
    ///
    /// # Errors
    /// 1231 for what is no list of names, 1232 for a number, 3880 for one with SYSTEM_USER.
    pub(super) fn roles_of_variable(
        &self,
        value: Option<&(Value, String)>,
    ) -> Result<Vec<AccountName>> {
        const NAME: &str = "mandatory_roles";
        let list = match value {
            None | Some((Value::Null, _)) => return Ok(Vec::new()),
            Some((Value::Bytes(_), list)) => list,
            Some(_) => {
                let message = format!("Incorrect argument type to variable '{NAME}'");
                return Err(SqlError::new(ErrorCode::WrongTypeForVar, message));
            }
        };
        let names = syntax::account::listed_names(list).map_err(|_| {
            let message = format!("Variable '{NAME}' can't be set to the value of '{list}'");
            SqlError::new(ErrorCode::WrongValueForVar, message)
        })?;
        let roles = self.named_accounts(&names);
        let grants = self.sql.access().grants();
        let is_system = |role: &&AccountName| {
            let all = std::iter::once((*role).clone()).chain(grants.roles_of(role));
            let mut accounts = all.filter_map(|name| grants.account(&name).cloned());
            accounts.any(|account| account.is_system_user())
        };
        match roles.iter().find(is_system) {
            None => Ok(roles),
            Some(role) => {
                let message =
                    format!("Cannot set {NAME}: AuthId {role} has '{SYSTEM_USER}' privilege.");
                Err(SqlError::new(ErrorCode::AuthidIsSystemUser, message))
            }
        }
    }

    fn chosen(&self, choice: &RoleChoice) -> ChosenRoles {
        match choice {
            RoleChoice::None | RoleChoice::Default => ChosenRoles::These(Vec::new()),
            RoleChoice::All(_) => ChosenRoles::All,
            RoleChoice::These(names) => ChosenRoles::These(self.named_accounts(names)),
        }
    }

    /// SHOW GRANTS [FOR account [USING roles]].
    pub(super) fn show_grants(
        &self,
        name: Option<&UserName>,
        using: &[UserName],
    ) -> Result<Listing> {
        let Principal { account: own, roles, .. } = &self.principal;
        let is_plain = name.is_none();
        let name = self.named_account(name.unwrap_or(&UserName::Current));
        let grants = self.sql.access().grants();
        let is_own = own.as_ref().is_none_or(|own| *own == name);
        if own.is_none() && grants.account(&name).is_none() && name.plain() == self.user {
            return Ok(show::grants(&self.user));
        }
        if !is_own && !self.sees_accounts() {
            return Err(SqlError::table_denied("SELECT", &self.user, "user"));
        }
        let Some(account) = grants.account(&name) else {
            return Err(SqlError::new(
                ErrorCode::NonexistingGrant,
                format!(
                    "There is no such grant defined for user '{}' on host '{}'",
                    name.user, name.host
                ),
            ));
        };
        let named = self.named_accounts(using);
        let has = grants.granted_roles(&name);
        let is_there = |role: &AccountName| has.iter().any(|grant| grant.role == *role);
        if let Some(other) = named.iter().find(|role| !is_there(role)) {
            return Err(not_granted(other, &name));
        }
        // Without a name it shows the mandatory roles, too (mysqld 9.7 does so).
        let held = if is_plain { &has } else { &account.roles };
        let using = match own.as_ref() == Some(&name) && named.is_empty() {
            true => roles.clone(),
            false => named,
        };
        let mut listing = Listing::new(&[&format!("Grants for {}", name.plain())]).long_text(0);
        for line in shown::grants(&grants, &name, held, &using) {
            listing.push(vec![text(line)]);
        }
        Ok(listing)
    }

    /// SHOW CREATE USER.
    pub(super) fn show_create_user(&self, name: &UserName) -> Result<Listing> {
        let name = self.named_account(name);
        if self.principal.account.as_ref().is_some_and(|own| *own != name) && !self.sees_accounts()
        {
            return Err(self.database_denied("mysql"));
        }
        let grants = self.sql.access().grants();
        let Some(account) = grants.account(&name) else {
            return Err(failed("SHOW CREATE USER", [&name].into_iter(), NOT_THERE));
        };
        let mut listing = Listing::new(&[&format!("CREATE USER for {}", name.plain())]);
        listing = listing.long_text(0);
        listing.push(vec![text(shown::create_user(&name, account))]);
        Ok(listing)
    }

    fn sees_accounts(&self) -> bool {
        self.principal.rights.on_database("mysql").has(Privilege::Select)
            || self.principal.rights.has_global(Privilege::CreateUser)
    }
}

/// Roles that were chosen to be active at logins.
enum ChosenRoles {
    /// Those that the account has when the statement runs.
    All,
    /// These.
    These(Vec<AccountName>),
}

/// A new account is granted the roles of its logins (MySQL 9.7 does so).
fn grant_default_roles(edit: &mut Edit, name: &AccountName, roles: &ChosenRoles) -> Result<()> {
    if let ChosenRoles::These(names) = roles {
        for role in names {
            edit.grant_role(role, name, false).map_err(|error| match error {
                EditError::Missing(role) => {
                    let message = format!("Authorization ID {role} does not exist.");
                    SqlError::new(ErrorCode::UserDoesNotExist, message)
                }
                other => edit_error(other),
            })?;
        }
    }
    give_default_roles(edit, name, roles)
}

/// The roles of a login must have been granted.
fn give_default_roles(edit: &mut Edit, name: &AccountName, roles: &ChosenRoles) -> Result<()> {
    let granted = edit.granted_roles(name);
    let names = match roles {
        ChosenRoles::All => granted,
        ChosenRoles::These(names) => match names.iter().find(|role| !granted.contains(role)) {
            Some(other) if edit.has(name) => return Err(not_granted(other, name)),
            _ => names.clone(),
        },
    };
    edit.account(name).map_err(edit_error)?.default_roles = match names.is_empty() {
        true => DefaultRoles::None,
        false => DefaultRoles::Some(names.into_iter().collect()),
    };
    Ok(())
}

fn not_granted(role: &AccountName, to: &AccountName) -> SqlError {
    SqlError::new(ErrorCode::RoleNotGranted, format!("{role} is not granted to {to}"))
}

fn failed<'n>(doing: &str, names: impl Iterator<Item = &'n AccountName>, why: &str) -> SqlError {
    let names: Vec<String> = names.map(|name| format!("{}{why}", name.in_error())).collect();
    let message = format!("Operation {doing} failed for {}", names.join(","));
    SqlError::new(ErrorCode::CannotUser, message)
}

/// What is said where a change fails that nothing else has looked at before.
pub(super) fn edit_error(error: EditError) -> SqlError {
    match error {
        EditError::Exists(name) | EditError::Missing(name) => {
            let message = format!("Unknown authorization ID {name}");
            SqlError::new(ErrorCode::UnknownAuthid, message)
        }
        EditError::NotGranted(name) => SqlError::new(
            ErrorCode::NonexistingGrant,
            format!(
                "There is no such grant defined for user '{}' on host '{}'",
                name.user, name.host
            ),
        ),
        EditError::NotGrantedOnTable(name, table) => SqlError::new(
            ErrorCode::NonexistingTableGrant,
            format!(
                "There is no such grant defined for user '{}' on host '{}' on table '{table}'",
                name.user, name.host
            ),
        ),
        EditError::Circle(role, to) => SqlError::new(
            ErrorCode::RoleGrantedToItself,
            format!(
                "User account {to} is directly or indirectly granted to the role {role}. The \
                 GRANT would create a loop"
            ),
        ),
    }
}
