//! What CREATE USER and ALTER USER say of an account beside its name, as the account has it: its
//! password, how long that holds, its lock, its comment.
//!
//! Invariants
//! 1. The rules of a statement hold for the password of the same statement, as in MySQL.
//! 2. A password that the server makes is told once, in the statement's own answer, and is kept as
//!    others are: as a hash.
//! 3. Whoever changes the own password without CREATE USER says the present one where the account
//!    requires it.
//!
//! Not here: the statements (`accounts`), what the rules mean (`access::password_policy`).

use access::account::LoginWay;
use access::secret::{Plugin, random_password};
use access::{
    Account, AccountName, LockTime, PasswordLifetime, PolicyDefaults, TlsDetails, TlsNeed,
};
use syntax::account::{
    Identification, LifetimeSpec, LockTimeSpec, MetadataSpec, PresentPassword, RequireSpec,
    SecretSpec, UserLimit, UserOptions,
};
use values::ErrorCode;
use values::datum::Value;

use crate::show::{Listing, text};
use results::{Result, SqlError};

/// A password that the server has made for an account.
pub(super) struct RandomPassword {
    pub account: AccountName,
    password: String,
}

/// What changing accounts goes by.
#[derive(Clone, Copy)]
pub(super) struct PasswordRules {
    /// What the server's variables say.
    pub defaults: PolicyDefaults,
    /// Seconds since the epoch.
    pub now: u64,
    /// Letters of a password that the server makes.
    pub random_length: usize,
}

/// What is said of a password.
pub(super) struct NewPassword<'a> {
    pub identified: &'a Identification,
    /// REPLACE.
    pub replaced: Option<&'a PresentPassword>,
    /// RETAIN CURRENT PASSWORD.
    pub retain: bool,
    /// Whether the account is the session's own.
    pub is_own: bool,
    /// Whether the session may change the passwords of others.
    pub is_privileged: bool,
}

/// Everything but the password and the default roles.
pub(super) fn apply(account: &mut Account, options: &UserOptions) -> Result<()> {
    account.locked = options.locked.unwrap_or(account.locked);
    account.expired |= options.expires_now;
    set_limits(account, &options.limits);
    if let Some(required) = &options.required {
        account.tls_need = tls_need(required);
    }
    let policy = &mut account.password_policy;
    match options.lifetime {
        None => {}
        Some(LifetimeSpec::Default) => policy.lifetime = PasswordLifetime::Default,
        Some(LifetimeSpec::Never) => policy.lifetime = PasswordLifetime::Never,
        Some(LifetimeSpec::Days(days)) => policy.lifetime = PasswordLifetime::Days(days),
    }
    if let Some(history) = options.history {
        policy.history = history.value();
    }
    if let Some(days) = options.reuse_days {
        policy.reuse_days = days.value();
    }
    if let Some(required) = options.require_current {
        policy.require_current = required.value();
    }
    account.lock_rule.attempts = options.failed_attempts.unwrap_or(account.lock_rule.attempts);
    match options.lock_time {
        None => {}
        Some(LockTimeSpec::Days(days)) => account.lock_rule.time = LockTime::Days(days),
        Some(LockTimeSpec::Unbounded) => account.lock_rule.time = LockTime::Unbounded,
    }
    let patch = match &options.metadata {
        None => return Ok(()),
        Some(MetadataSpec::Attribute(patch)) => patch.clone(),
        Some(MetadataSpec::Comment(comment)) => expression::object_of_text("comment", comment),
    };
    let patched = expression::patched_object(account.attribute.as_deref(), &patch);
    let wrong = "The user attribute must be a valid JSON object";
    let patched =
        patched.ok_or_else(|| SqlError::new(ErrorCode::InvalidUserAttributeJson, wrong))?;
    account.attribute = Some(patched);
    Ok(())
}

/// Whether what is said forgets the failed logins of an account.
pub(super) fn unblocks(options: &UserOptions) -> bool {
    options.locked == Some(false)
        || options.failed_attempts.is_some()
        || options.lock_time.is_some()
}

/// Sets the limits that a statement names.
fn set_limits(account: &mut Account, set: &[(UserLimit, u64)]) {
    let limits = &mut account.limits;
    for (limit, value) in set {
        let small = u32::try_from(*value).unwrap_or(u32::MAX);
        match limit {
            UserLimit::QueriesPerHour => limits.queries_per_hour = small,
            UserLimit::UpdatesPerHour => limits.updates_per_hour = small,
            UserLimit::ConnectionsPerHour => limits.connections_per_hour = small,
            UserLimit::UserConnections => limits.user_connections = small,
            UserLimit::StatementTime => limits.statement_micros = *value,
            UserLimit::RequestsPerSecond => limits.requests_per_second = small,
            UserLimit::Memory => limits.memory_bytes = *value,
        }
    }
}

fn tls_need(required: &RequireSpec) -> TlsNeed {
    match required {
        RequireSpec::Nothing => TlsNeed::None,
        RequireSpec::Ssl => TlsNeed::Encrypted,
        RequireSpec::X509 => TlsNeed::Certificate,
        RequireSpec::Details { subject, issuer, cipher } => {
            let or_nothing = |said: &Option<String>| said.clone().unwrap_or_default();
            TlsNeed::Specified(TlsDetails {
                subject: or_nothing(subject),
                issuer: or_nothing(issuer),
                cipher: or_nothing(cipher),
            })
        }
    }
}

fn named_plugin(name: &str) -> Result<Plugin> {
    Plugin::named(name).ok_or_else(|| {
        let message = format!("Plugin '{name}' is not loaded");
        SqlError::new(ErrorCode::PluginIsNotLoaded, message)
    })
}

/// Another password for the way that has one, or other ways to log in. The password before holds on
/// if it is retained, which is possible with one plugin only.
pub(super) fn give_password(
    name: &AccountName,
    account: &mut Account,
    new: &NewPassword<'_>,
    rules: &PasswordRules,
) -> Result<Option<RandomPassword>> {
    check_present(account, new, &rules.defaults)?;
    let identified = new.identified;
    let before = account.password_way().map(|(plugin, stored)| (plugin, stored.to_owned()));
    let random = matches!(identified.secret, SecretSpec::Random)
        .then(|| random_password(rules.random_length));
    // Without a plugin it is about the password alone.
    let keeps_ways = identified.plugin.is_none();
    let first = match &identified.plugin {
        Some(name) => named_plugin(name)?,
        None => before.as_ref().map_or(account.plugin, |(plugin, _)| *plugin),
    };
    let mut said = vec![(first, &identified.secret)];
    for (name, secret) in &identified.alternatives {
        said.push((named_plugin(name)?, secret));
    }
    let mut ways = Vec::with_capacity(said.len());
    for (place, (plugin, secret)) in said.into_iter().enumerate() {
        let password = match secret {
            SecretSpec::Password(password) => Some(&**password),
            SecretSpec::Random if place == 0 => random.as_deref(),
            // One that nobody is told would be nobody's.
            SecretSpec::Random => return Err(wrong_form()),
            SecretSpec::Stored(_) => None,
        };
        if password.is_some_and(|said| account.bars_password(said, rules.now, &rules.defaults)) {
            return Err(contradicts_history(name));
        }
        ways.push(LoginWay { plugin, stored: stored_form(plugin, secret, password)? });
    }
    let after = ways.iter().find(|way| way.plugin.has_passwords());
    if new.retain {
        check_retained(name, before.as_ref(), after)?;
    }
    let is_as_before = |way: &LoginWay| before.as_ref().is_some_and(|(old, _)| *old == way.plugin);
    account.retained = match after {
        // Without a password there is no second one.
        Some(way) if is_as_before(way) && !way.stored.is_empty() => match new.retain {
            true => before.map(|(_, stored)| stored),
            false => account.retained.take(),
        },
        _ => None,
    };
    let mut ways = ways.into_iter();
    let first = ways.next().expect("it was said first");
    if keeps_ways {
        account.store_password(first.stored);
    } else {
        (account.plugin, account.stored) = (first.plugin, first.stored);
        account.alternatives = ways.collect();
    }
    account.note_password_set(rules.now, &rules.defaults);
    Ok(random.map(|password| RandomPassword { account: name.clone(), password }))
}

fn contradicts_history(name: &AccountName) -> SqlError {
    let message = format!(
        "Cannot use these credentials for '{}' because they contradict the password history policy",
        name.plain()
    );
    SqlError::new(ErrorCode::CredentialsContradictToHistory, message)
}

/// Refuses RETAIN CURRENT PASSWORD where two passwords could not both be proved. Numbers and words
/// are those of mysqld 9.7.
fn check_retained(
    name: &AccountName,
    before: Option<&(Plugin, String)>,
    after: Option<&LoginWay>,
) -> Result<()> {
    let plugins = (before.map(|(plugin, _)| *plugin), after.map(|way| way.plugin));
    let error = match plugins {
        (Some(Plugin::Parsec), Some(Plugin::Parsec)) => {
            SqlError::unsupported("RETAIN CURRENT PASSWORD with parsec")
        }
        (Some(old), Some(new)) if old == new => {
            if before.is_some_and(|(_, stored)| stored.is_empty()) {
                let message = format!(
                    "Empty password can not be retained as second password for user {}.",
                    name.in_error()
                );
                SqlError::new(ErrorCode::PasswordCannotBeRetained, message)
            } else if after.is_some_and(|way| way.stored.is_empty()) {
                let message = format!(
                    "Current password can not be retained for user {} because new password is \
                     empty.",
                    name.in_error()
                );
                SqlError::new(ErrorCode::CurrentPasswordCannotBeRetained, message)
            } else {
                return Ok(());
            }
        }
        _ => {
            let message = format!(
                "Current password can not be retained for user {} because authentication plugin \
                 is being changed.",
                name.in_error()
            );
            SqlError::new(ErrorCode::PasswordCannotBeRetainedOnPluginChange, message)
        }
    };
    Err(error)
}

/// Refuses SET PASSWORD for an account that has none.
pub(super) fn check_has_password(name: &AccountName, account: &Account) -> Result<()> {
    match account.password_way() {
        Some(_) => Ok(()),
        None => {
            let message = format!(
                "SET PASSWORD has no significance for user {} as the authentication method used \
                 doesn't store authentication data in the MySQL server. Please consider using \
                 ALTER USER instead if you want to change authentication parameters.",
                name.in_error()
            );
            Err(SqlError::new(ErrorCode::SetPasswordAuthPlugin, message))
        }
    }
}

/// What a plugin stores of a password, or what was said to be that.
fn stored_form(plugin: Plugin, secret: &SecretSpec, password: Option<&str>) -> Result<String> {
    match (secret, password) {
        (_, Some(password)) if plugin.has_passwords() || password.is_empty() => {
            Ok(plugin.store(password))
        }
        (SecretSpec::Stored(stored), None) => {
            let stored = String::from_utf8(stored.clone()).ok();
            stored.filter(|stored| plugin.is_stored_form(stored)).ok_or_else(wrong_form)
        }
        _ => Err(wrong_form()),
    }
}

fn wrong_form() -> SqlError {
    let message = "The password hash doesn't have the expected format.";
    SqlError::new(ErrorCode::PasswordFormat, message)
}

/// Refuses a new password without the present one, or with a wrong one.
fn check_present(
    account: &Account,
    new: &NewPassword<'_>,
    defaults: &PolicyDefaults,
) -> Result<()> {
    let stored = account.password_way().map_or("", |(_, stored)| stored);
    let (code, message) = match new.replaced {
        Some(_) if !new.is_own => (
            ErrorCode::CurrentPasswordNotRequired,
            "Do not specify the current password while changing it for other users.",
        ),
        Some(PresentPassword(present)) if !access::secret::is_stored_of(stored, present) => (
            ErrorCode::IncorrectCurrentPassword,
            "Incorrect current password. Specify the correct password which has to be replaced.",
        ),
        None if new.is_own
            && !new.is_privileged
            && account.password_policy.requires_current(defaults) =>
        {
            (
                ErrorCode::MissingCurrentPassword,
                "Current password needs to be specified in the REPLACE clause in order to change \
                 it.",
            )
        }
        _ => return Ok(()),
    };
    Err(SqlError::new(code, message))
}

/// The rows that tell passwords which the server has made.
pub(super) fn told(passwords: &[RandomPassword]) -> Listing {
    let mut listing = Listing::new(&["user", "host", "generated password", "auth_factor#"]);
    for RandomPassword { account, password } in passwords {
        let names = [&account.user, &account.host, password].map(text);
        listing.push(names.into_iter().chain([Value::UInt(1)]).collect());
    }
    listing
}
