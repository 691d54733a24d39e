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

/// The plugin of an account without a password.
pub(super) fn plugin(identified: Option<&Identification>, default: Plugin) -> Result<Plugin> {
    match identified.and_then(|identified| identified.plugin.as_deref()) {
        None => Ok(default),
        Some(name) => named_plugin(name),
    }
}

fn named_plugin(name: &str) -> Result<Plugin> {
    Plugin::named(name).ok_or_else(|| {
        let message = format!("Plugin '{name}' is not loaded");
        SqlError::new(ErrorCode::PluginIsNotLoaded, message)
    })
}

/// Another password; the one before holds on if it is retained, which is possible with one plugin
/// only.
pub(super) fn give_password(
    name: &AccountName,
    account: &mut Account,
    new: &NewPassword<'_>,
    rules: &PasswordRules,
) -> Result<Option<RandomPassword>> {
    check_present(account, new, &rules.defaults)?;
    let identified = new.identified;
    let mut alternatives = Vec::with_capacity(identified.alternatives.len());
    for (name, secret) in &identified.alternatives {
        let plugin = named_plugin(name)?;
        let password = match secret {
            // One that nobody is told would be nobody's.
            SecretSpec::Random => return Err(wrong_form()),
            SecretSpec::Password(password) => Some(&**password),
            SecretSpec::Stored(_) => None,
        };
        let stored = stored_form(plugin, secret, password)?;
        alternatives.push(LoginWay { plugin, stored });
    }
    let plugin = plugin(Some(identified), account.plugin)?;
    let is_kept = identified.plugin.is_none();
    if is_kept
        && !plugin.has_passwords()
        && let Some(way) = account.alternatives.iter_mut().find(|way| way.plugin.has_passwords())
        && let SecretSpec::Password(password) = &identified.secret
    {
        // SET PASSWORD is about the first way that has one.
        way.stored = way.plugin.store(password);
        account.note_password_set(rules.now, &rules.defaults);
        return Ok(None);
    }
    if new.retain && plugin == Plugin::Parsec {
        return Err(SqlError::unsupported("RETAIN CURRENT PASSWORD with parsec"));
    }
    let random = matches!(identified.secret, SecretSpec::Random)
        .then(|| random_password(rules.random_length));
    let clear = match &identified.secret {
        SecretSpec::Password(password) => Some(password.clone()),
        _ => None,
    };
    let password = clear.as_deref().or(random.as_deref());
    let stored = stored_form(plugin, &identified.secret, password)?;
    let random = random.map(|password| RandomPassword { account: name.clone(), password });
    if clear.is_some_and(|clear| account.bars_password(&clear, rules.now, &rules.defaults)) {
        let message = format!(
            "Cannot use these credentials for '{}' because they contradict the password history \
             policy",
            name.plain()
        );
        return Err(SqlError::new(ErrorCode::CredentialsContradictToHistory, message));
    }
    let before = std::mem::replace(&mut account.stored, stored);
    account.retained = match new.retain && plugin == account.plugin {
        true => Some(before),
        false if plugin == account.plugin => account.retained.take(),
        false => None,
    };
    account.plugin = plugin;
    if !is_kept {
        account.alternatives = alternatives;
    }
    account.note_password_set(rules.now, &rules.defaults);
    Ok(random)
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
    let (code, message) = match new.replaced {
        Some(_) if !new.is_own => (
            ErrorCode::CurrentPasswordNotRequired,
            "Do not specify the current password while changing it for other users.",
        ),
        Some(PresentPassword(present))
            if !access::secret::is_stored_of(&account.stored, present) =>
        {
            (
                ErrorCode::IncorrectCurrentPassword,
                "Incorrect current password. Specify the correct password which has to be replaced.",
            )
        }
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
