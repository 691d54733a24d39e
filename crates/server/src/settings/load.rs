//! Where values of settings come from: defaults, file, environment, flags; the last one wins.
//!
//! Invariants
//! 1. A name that is not in the table is an error that says which and where, in the file as in
//!    the environment (the command line's are found by its parser).
//!
//! Not here: what texts mean (`value`), the typed result (`Settings`).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use doors::mysql::Secret;

use super::table::{self, Setting, SettingKind};

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}; `rowhouse sample` prints a file of all settings")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no TOML.
    #[error("{path}: {why}")]
    Syntax {
        /// The file.
        path: String,
        /// Where and why.
        why: String,
    },
    /// There is no such setting.
    #[error("{from}: unknown setting `{name}`{hint}")]
    Unknown {
        /// Where it was given.
        from: String,
        /// Its name as given.
        name: String,
        /// A name that is close, as a clause; or empty.
        hint: String,
    },
    /// A value is not understood.
    #[error("{from}: {name} = `{text}`: {why}")]
    Value {
        /// Where it was given.
        from: String,
        /// The setting.
        name: String,
        /// The value as given; empty for secrets.
        text: String,
        /// What is expected.
        why: String,
    },
    /// Settings that do not go together.
    #[error("{0}")]
    Contradiction(String),
}

/// Somebody who may come in at the MySQL door.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The password or one of MySQL's stored forms of it.
    pub password: String,
}

/// A setting as it holds, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSetting {
    /// Its name.
    pub name: &'static str,
    /// Its text; of a secret only whether there is one.
    pub text: String,
    /// `default`, a file's path, a variable of the environment, or a flag.
    pub from: String,
}

/// Texts of all settings, each with where it was given.
pub struct Values {
    texts: HashMap<&'static str, (String, String)>,
    /// The file's list of users.
    pub users: Vec<User>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
}

impl Values {
    /// The defaults.
    pub fn defaults() -> Values {
        let default = |s: &Setting| (s.name, (s.default.to_owned(), "default".to_owned()));
        Values { texts: table::all().map(default).collect(), users: Vec::new(), files: Vec::new() }
    }

    /// All settings, in the order of the table, without what is secret.
    pub fn shown(&self) -> Vec<GivenSetting> {
        let shown = |setting: &'static Setting| {
            let (text, from) = &self.texts[setting.name];
            let is_secret = setting.kind == SettingKind::Secret && !text.is_empty();
            let text = if is_secret { "(set)".to_owned() } else { text.clone() };
            GivenSetting { name: setting.name, text, from: from.clone() }
        };
        table::all().map(shown).collect()
    }

    /// Sets a value; the name must be in the table.
    ///
    /// # Errors
    /// `Unknown` when there is no setting of that name.
    pub fn set(&mut self, name: &str, text: String, from: &str) -> Result<(), SettingsError> {
        let Some(setting) = table::find(name) else {
            let hint = match nearest(name) {
                Some(near) => format!("; is `{near}` meant?"),
                None => String::new(),
            };
            return Err(SettingsError::Unknown { from: from.into(), name: name.into(), hint });
        };
        self.texts.insert(setting.name, (text, from.to_owned()));
        Ok(())
    }

    /// Takes what a file says.
    ///
    /// # Errors
    /// `Unreadable`, and those of `read_toml`.
    pub fn read_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        let from = path.display().to_string();
        let unreadable = |source| SettingsError::Unreadable { path: from.clone(), source };
        let text = fs::read_to_string(path).map_err(unreadable)?;
        self.files.push(path.to_owned());
        self.read_toml(&text, &from)
    }

    /// Takes what a file's text says.
    ///
    /// # Errors
    /// `Syntax` for a text that is no TOML or has a table of the wrong form, and those of `set`;
    /// what stands before it is set.
    pub fn read_toml(&mut self, text: &str, from: &str) -> Result<(), SettingsError> {
        let syntax = |why: String| SettingsError::Syntax { path: from.to_owned(), why };
        let file: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            syntax(error.to_string().trim_end().replace('\n', "\n  "))
        })?;
        for (name, value) in file {
            match value {
                toml::Value::Array(users) if name == "users" => {
                    self.users = users
                        .iter()
                        .map(|user| read_user(user).map_err(syntax))
                        .collect::<Result<_, _>>()?;
                    refuse_twins(&self.users).map_err(syntax)?;
                }
                toml::Value::Array(elements)
                    if table::find(&name)
                        .is_some_and(|setting| setting.kind == SettingKind::List) =>
                {
                    let why = || syntax(format!("`{name}` takes a list of texts"));
                    let texts = elements.iter().map(toml::Value::as_str);
                    let texts = texts.collect::<Option<Vec<&str>>>().ok_or_else(why)?;
                    self.set(&name, texts.join("; "), from)?;
                }
                toml::Value::String(text) => self.set(&name, text, from)?,
                toml::Value::Integer(number) => self.set(&name, number.to_string(), from)?,
                other if table::find(&name).is_some() => {
                    let why = format!("`{name}` takes a text or a number, not {other}");
                    return Err(syntax(why));
                }
                _ => self.set(&name, String::new(), from)?,
            }
        }
        Ok(())
    }

    /// Takes what the environment says.
    ///
    /// # Errors
    /// Those of `set`; variables before it are set.
    pub fn read_environment(
        &mut self,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<(), SettingsError> {
        for (variable, text) in variables {
            let Some(name) = variable.strip_prefix("ROWHOUSE_") else {
                continue;
            };
            // Kubernetes and Docker make these for a service of this name.
            if name == "CONFIG" || name == "PORT" || name.starts_with("PORT_") {
                continue;
            }
            if name.starts_with("SERVICE_") {
                continue;
            }
            let name = name.to_ascii_lowercase().replace('_', "-");
            self.set(&name, text, &format!("environment variable {variable}"))?;
        }
        Ok(())
    }

    /// Whether a value was given in a file.
    pub fn is_from_file(&self, name: &str) -> bool {
        let from = |(_, from): &(String, String)| {
            self.files.iter().any(|file| file.display().to_string() == *from)
        };
        self.texts.get(name).is_some_and(from)
    }

    /// A value, parsed.
    ///
    /// # Errors
    /// `Value`, with what `parse` says and where the text came from.
    pub fn get<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, SettingsError> {
        let (text, from) = &self.texts[name];
        parse(text).map_err(|why| {
            let (from, text) = (from.clone(), text.clone());
            SettingsError::Value { from, name: name.to_owned(), text, why }
        })
    }
}

fn read_user(user: &toml::Value) -> Result<User, String> {
    let Some(fields) = user.as_table() else {
        return Err("[[users]]: expected name and password".into());
    };
    let (mut name, mut password) = (None, None);
    for (field, value) in fields {
        let Some(text) = value.as_str() else {
            return Err(format!("[[users]]: `{field}` takes a text"));
        };
        match field.as_str() {
            "name" => name = Some(text.to_owned()),
            "password" | "password-hash" if password.is_some() => {
                return Err("[[users]]: password and password-hash exclude each other".into());
            }
            "password-hash" if !Secret::is_stored_form(text) => {
                return Err(
                    "[[users]]: `password-hash` is none of MySQL's stored forms, `*` and 40 \
                            hexadecimal digits or `$A$005$...`; a password itself is `password`"
                        .into(),
                );
            }
            "password" | "password-hash" => password = Some(text.to_owned()),
            _ => return Err(format!("[[users]]: unknown setting `{field}`")),
        }
    }
    let name = name.filter(|name| !name.is_empty()).ok_or("[[users]]: `name` is missing")?;
    let missing = || format!("[[users]]: `password` of {name} is missing");
    let password = password.filter(|password| !password.is_empty()).ok_or_else(missing)?;
    Ok(User { name, password })
}

/// Refuses two users of one name, of which only one could come in.
fn refuse_twins(users: &[User]) -> Result<(), String> {
    let twin = users
        .iter()
        .enumerate()
        .find(|(position, user)| users[..*position].iter().any(|before| before.name == user.name));
    match twin {
        Some((_, user)) => Err(format!("[[users]]: there are two users named `{}`", user.name)),
        None => Ok(()),
    }
}

/// The setting whose name differs least from a wrong one, if it is close.
fn nearest(name: &str) -> Option<&'static str> {
    let distances = table::all().map(|setting| (distance(name, setting.name), setting.name));
    distances.min().filter(|(distance, _)| *distance <= 3).map(|(_, name)| name)
}

/// Letters to insert, remove or replace to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
