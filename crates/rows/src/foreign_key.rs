//! Foreign keys as definitions: columns of a table whose values another table's rows must have.
//!
//! The table that has the foreign key is the child, the one that it refers to the parent. The
//! child's definition says all; what refers to a parent follows from the definitions of all tables
//! (`Catalog`).
//!
//! Invariants
//! 1. The columns of a foreign key are the first ones of an index of the child, so that the rows
//!    that refer to a key are found.
//! 2. The columns that it refers to are all those of a unique index of the parent, in this order,
//!    where there is a parent: with foreign_key_checks off a child may come before its parent.
//!
//! Not here: what they do to rows (`transaction::parents`, `transaction::children`), how they are
//! made and looked at (`ddl::relations`).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Whether a statement minds foreign keys: foreign_key_checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKeyChecks {
    /// As always.
    On,
    /// Not: tables and rows come in any order, and whoever says so answers for them.
    Off,
}

/// What becomes of the rows that refer to one which goes, or gets another key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferentialAction {
    /// The change is refused while there are such rows.
    #[default]
    NoAction,
    /// The same, as it was written.
    Restrict,
    /// They go as well, or get the same key.
    Cascade,
    /// They refer to nothing from then on.
    SetNull,
    /// The change is refused, as in InnoDB.
    SetDefault,
}

impl ReferentialAction {
    /// In SQL's words.
    pub fn words(self) -> &'static str {
        match self {
            ReferentialAction::NoAction => "NO ACTION",
            ReferentialAction::Restrict => "RESTRICT",
            ReferentialAction::Cascade => "CASCADE",
            ReferentialAction::SetNull => "SET NULL",
            ReferentialAction::SetDefault => "SET DEFAULT",
        }
    }

    /// Whether the change is refused.
    pub fn refuses(self) -> bool {
        !matches!(self, ReferentialAction::Cascade | ReferentialAction::SetNull)
    }
}

/// A foreign key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Its name, which no other foreign key of the database has.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The parent's database.
    pub parent_database: String,
    /// The parent's name.
    pub parent_table: String,
    /// Names of the columns that it refers to.
    pub parent_columns: Vec<String>,
    /// What becomes of the child's rows when the parent's row goes.
    #[serde(default)]
    pub on_delete: ReferentialAction,
    /// What becomes of them when the parent's row gets another key.
    #[serde(default)]
    pub on_update: ReferentialAction,
}

impl ForeignKey {
    /// Whether it refers to this table.
    pub fn refers_to(&self, database: &str, table: &str) -> bool {
        self.parent_database == database && self.parent_table == table
    }

    /// What SQL says of it in a table of some database; `clause` says which actions it names.
    pub fn text(&self, database: &str, clause: impl Fn(ReferentialAction) -> bool) -> String {
        let quoted = |name: &String| format!("`{}`", name.replace('`', "``"));
        let list = |names: &[String]| names.iter().map(quoted).collect::<Vec<String>>().join(", ");
        let mut parent = quoted(&self.parent_table);
        if self.parent_database != database {
            parent = format!("{}.{parent}", quoted(&self.parent_database));
        }
        let (name, columns) = (quoted(&self.name), list(&self.columns));
        let parent_columns = list(&self.parent_columns);
        let mut text = format!(
            "CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {parent} ({parent_columns})"
        );
        for (event, action) in [("DELETE", self.on_delete), ("UPDATE", self.on_update)] {
            if clause(action) {
                text.push_str(&format!(" ON {event} {}", action.words()));
            }
        }
        text
    }

    /// Lets the columns of the parent have other names.
    pub(crate) fn rename_parent_column(&mut self, from: &str, to: &str) {
        rename(&mut self.parent_columns, from, to);
    }

    /// Lets a column of the child have another name.
    pub(crate) fn rename_column(&mut self, from: &str, to: &str) {
        rename(&mut self.columns, from, to);
    }
}

fn rename(names: &mut [String], from: &str, to: &str) {
    for name in names.iter_mut().filter(|name| name.eq_ignore_ascii_case(from)) {
        to.clone_into(name);
    }
}

/// That a table's foreign key refers to another table, as this one knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The child's database.
    pub database: String,
    /// The child's name.
    pub table: String,
    /// Its foreign key.
    pub key: ForeignKey,
}

/// A foreign key of one version of a child, by positions.
#[derive(Clone, Debug)]
pub(crate) struct ForeignColumns {
    /// Positions of its columns.
    pub columns: Vec<usize>,
    /// The index that begins with them.
    pub index: usize,
}

/// All that refer to a table.
pub type References = Arc<[Reference]>;

/// A table whose rows go or change with those of another, by foreign keys that say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    /// Its database.
    pub database: String,
    /// Its name.
    pub table: String,
}

/// A table's database and name.
pub(crate) type FullName<'a> = (&'a str, &'a str);

/// The foreign keys that refer to a table, by its name, each with the name of the table that has
/// it.
pub(crate) type Referring<'a> = HashMap<FullName<'a>, Vec<(FullName<'a>, &'a ForeignKey)>>;

/// The tables that follow one, and those that follow these: each once, without itself.
pub(crate) fn followers(referring: &Referring<'_>, table: FullName<'_>) -> Arc<[Follower]> {
    let mut found: BTreeSet<FullName<'_>> = BTreeSet::new();
    let mut next = vec![table];
    while let Some(name) = next.pop() {
        for &(follower, key) in referring.get(&name).into_iter().flatten() {
            let follows = !key.on_delete.refuses() || !key.on_update.refuses();
            if follows && follower != table && found.insert(follower) {
                next.push(follower);
            }
        }
    }
    let owned = |(database, table): (&str, &str)| Follower {
        database: database.to_owned(),
        table: table.to_owned(),
    };
    found.into_iter().map(owned).collect()
}
