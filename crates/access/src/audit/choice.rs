//! Which events the audit log is to have: by their class, and statements and requests by key by
//! their users and tables.
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
    /// `operations`: requests by key, at the doors that speak no SQL.
    Operations,
}

impl AuditClass {
    /// All of them.
    pub const ALL: [AuditClass; 6] = [
        AuditClass::Logins,
        AuditClass::FailedLogins,
        AuditClass::Definitions,
        AuditClass::Grants,
        AuditClass::Statements,
        AuditClass::Operations,
    ];

    /// Its name in the setting.
    pub const fn name(self) -> &'static str {
        match self {
            AuditClass::Logins => "logins",
            AuditClass::FailedLogins => "failed-logins",
            AuditClass::Definitions => "definitions",
            AuditClass::Grants => "grants",
            AuditClass::Statements => "statements",
            AuditClass::Operations => "operations",
        }
    }
}

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditChoice {
    classes: Vec<AuditClass>,
    /// Users whose statements and operations are wanted; none: all users'.
    users: Vec<String>,
    /// Tables whose statements and operations are wanted; none: all tables'.
    tables: Vec<AuditedTable>,
}

/// `database.table`, or all tables of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AuditedTable {
    database: String,
    table: Option<String>,
}

impl AuditedTable {
    fn parse(text: &str) -> Option<AuditedTable> {
        let (database, table) = text.split_once('.')?;
        let is_whole = !database.is_empty() && !table.is_empty();
        is_whole.then(|| AuditedTable {
            database: database.to_owned(),
            table: (table != "*").then(|| table.to_owned()),
        })
    }
}

impl AuditChoice {
    /// These classes; statements and operations of these users, or of all if none is named, on
    /// these tables (`database.table` or `database.*`), likewise.
    ///
    /// # Errors
    /// The name that is no class, or no table's.
    pub fn new(
        classes: &[String],
        users: Vec<String>,
        tables: &[String],
    ) -> Result<AuditChoice, String> {
        let class = |name: &String| {
            let found = AuditClass::ALL.into_iter().find(|class| class.name() == name);
            found.ok_or_else(|| name.clone())
        };
        let classes = classes.iter().map(class).collect::<Result<Vec<_>, _>>()?;
        let table = |text: &String| AuditedTable::parse(text).ok_or_else(|| text.clone());
        let tables = tables.iter().map(table).collect::<Result<Vec<_>, _>>()?;
        Ok(AuditChoice { classes, users, tables })
    }

    /// Whether an event of this class is wanted of this user.
    pub fn wants(&self, class: AuditClass, user: &str) -> bool {
        let of_user = || {
            !matches!(class, AuditClass::Statements | AuditClass::Operations)
                || self.users.is_empty()
                || self.users.iter().any(|known| known == user)
        };
        self.classes.contains(&class) && of_user()
    }

    /// Whether statements and operations are chosen by their tables.
    pub fn chooses_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    /// Whether those on a table are wanted.
    pub fn wants_table(&self, database: &str, table: &str) -> bool {
        let is_it = |chosen: &AuditedTable| {
            chosen.database == database && chosen.table.as_deref().is_none_or(|name| name == table)
        };
        self.tables.is_empty() || self.tables.iter().any(is_it)
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
        let choice = AuditChoice::new(&classes, named(&["bob"]), &[]).unwrap();
        assert!(choice.wants(AuditClass::Logins, "ann"));
        assert!(choice.wants(AuditClass::Statements, "bob"));
        assert!(!choice.wants(AuditClass::Statements, "ann"));
        assert!(!choice.wants(AuditClass::Grants, "bob"));
        assert_eq!(AuditChoice::new(&named(&["login"]), Vec::new(), &[]), Err("login".to_owned()));
    }

    #[test]
    fn tables_are_chosen_by_their_names_or_all_of_a_database() {
        let named =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let of = |tables: &[&str]| AuditChoice::new(&[], Vec::new(), &named(tables));
        let all = of(&[]).unwrap();
        assert!(all.wants_table("a", "b") && !all.chooses_tables());
        let some = of(&["a.b", "c.*"]).unwrap();
        assert!(some.wants_table("a", "b") && some.wants_table("c", "d") && some.chooses_tables());
        assert!(!some.wants_table("a", "c") && !some.wants_table("d", "b"));
        assert_eq!(of(&["a"]), Err("a".to_owned()));
        assert_eq!(of(&["a."]), Err("a.".to_owned()));
    }
}
