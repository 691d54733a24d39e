//! The settings of the audit log.
//!
//! Not here: the log (`access::audit`).

use access::audit::{AuditChoice, AuditClass, AuditFailurePolicy, AuditFileOptions, AuditOptions};

use super::load::{SettingsError, Values};
use super::value;

/// The log, if a setting names its file.
///
/// # Errors
/// The first setting whose text is none of its kind.
pub(super) fn options(
    values: &Values,
    policy: &str,
) -> Result<Option<AuditOptions>, SettingsError> {
    let classes = values.get("audit-events", |text| {
        value::list(text, |name| match AuditClass::ALL.iter().any(|class| class.name() == name) {
            true => Ok(name.to_owned()),
            false => {
                let known = AuditClass::ALL.map(AuditClass::name).join(", ");
                Err(format!("expected one of {known}"))
            }
        })
    })?;
    let users = values.get("audit-users", |text| value::list(text, |name| Ok(name.to_owned())))?;
    let tables = values.get("audit-tables", |text| {
        value::list(text, |name| match AuditChoice::new(&[], Vec::new(), &[name.to_owned()]) {
            Ok(_) => Ok(name.to_owned()),
            Err(_) => Err("expected tables such as shop.orders or shop.*".to_owned()),
        })
    })?;
    let bytes_max = values.get("audit-log-size", value::size)?;
    let kept = values.get("audit-log-files", value::count)?;
    let sync_every = values.get("audit-log-sync", value::duration)?;
    let Some(path) = values.get("audit-log", value::path)? else { return Ok(None) };
    let policy = match policy {
        "refuse" => AuditFailurePolicy::Refuse,
        _ => AuditFailurePolicy::GoOn,
    };
    let choice =
        AuditChoice::new(&classes, users, &tables).map_err(SettingsError::Contradiction)?;
    let file = AuditFileOptions { path, bytes_max, kept };
    Ok(Some(AuditOptions { file, choice, policy, sync_every }))
}
