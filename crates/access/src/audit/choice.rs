//! Which events the audit log is to have: by their class, and statements and requests by user.
//!
//! Not here: what an event is (`event`).

/// A class of events, by its name in the setting `audit-events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditClass {
    /// `logins`: connections that log in, and their ends.
    Logins,
    /// `failed-logins`.
    FailedLogins,
    /// `definitions`: of databases, tables, views, events.
    Definitions,
    /// `grants`: accounts, roles and what they may do.
    Grants,
    /// `statements`: all others.
    Statements,
}

impl AuditClass {
    /// All of them.
    pub const ALL: [AuditClass; 5] = [
        AuditClass::Logins,
        AuditClass::FailedLogins,
        AuditClass::Definitions,
        AuditClass::Grants,
        AuditClass::Statements,
    ];

    /// Its name in the setting.
    pub const fn name(self) -> &'static str {
        match self {
            AuditClass::Logins => "logins",
            AuditClass::FailedLogins => "failed-logins",
            AuditClass::Definitions => "definitions",
            AuditClass::Grants => "grants",
            AuditClass::Statements => "statements",
        }
    }
}

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditChoice {
    classes: Vec<AuditClass>,
    /// Users whose statements are wanted; none: all users'.
    users: Vec<String>,
}

impl AuditChoice {
    /// These classes, and statements of these users, or of all if none is named.
    ///
    /// # Errors
    /// The name that is no class.
    pub fn new(classes: &[String], users: Vec<String>) -> Result<AuditChoice, String> {
        let class = |name: &String| {
            let found = AuditClass::ALL.into_iter().find(|class| class.name() == name);
            found.ok_or_else(|| name.clone())
        };
        let classes = classes.iter().map(class).collect::<Result<Vec<_>, _>>()?;
        Ok(AuditChoice { classes, users })
    }

    /// Whether an event of this class is wanted of this user.
    pub fn wants(&self, class: AuditClass, user: &str) -> bool {
        let of_user = || {
            class != AuditClass::Statements
                || self.users.is_empty()
                || self.users.iter().any(|known| known == user)
        };
        self.classes.contains(&class) && of_user()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_chosen_among_for_statements_alone() {
        let named =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let classes = named(&["logins", "statements"]);
        let choice = AuditChoice::new(&classes, named(&["bob"])).unwrap();
        assert!(choice.wants(AuditClass::Logins, "ann"));
        assert!(choice.wants(AuditClass::Statements, "bob"));
        assert!(!choice.wants(AuditClass::Statements, "ann"));
        assert!(!choice.wants(AuditClass::Grants, "bob"));
        assert_eq!(AuditChoice::new(&named(&["login"]), Vec::new()), Err("login".to_owned()));
    }
}
