//! Passwords on a command line, which every user of the machine can read (`ps`): they are handed to
//! the same program again, in the environment, which only its own user can read.
//!
//! Invariants
//! 1. What is handed on means the same: a flag wins over the variable that takes its place.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::settings::table::{self, SettingKind};

/// The flag of `dump` and `load`, and the variable that they read.
const PASSWORD: (&str, &str) = ("password", "MYSQL_PWD");

/// Begins the program again without passwords on its command line; does nothing where there are
/// none.
pub fn leave_command_line() {
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    let (kept, secrets) = taken_out(arguments.collect());
    if secrets.is_empty() {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    // It comes back only where that fails, and goes on then as it was begun.
    let _ = Command::new(program).arg0(name).args(kept).envs(secrets).exec();
}

/// Arguments without the flags of secrets, and the variables for these.
fn taken_out(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<(String, OsString)>) {
    let serves = arguments.first().is_some_and(|command| command == "serve");
    let flags: Vec<(String, String)> = match serves {
        true => table::all()
            .filter(|setting| setting.kind == SettingKind::Secret)
            .map(|setting| (format!("--{}", setting.name), setting.variable()))
            .collect(),
        false => vec![(format!("--{}", PASSWORD.0), PASSWORD.1.to_owned())],
    };
    let (mut kept, mut secrets) = (Vec::new(), Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument);
            break;
        }
        let bytes = argument.as_bytes();
        let found = flags.iter().find(|(flag, _)| bytes.starts_with(flag.as_bytes()));
        match found.map(|(flag, variable)| (&bytes[flag.len()..], variable)) {
            Some(([b'=', value @ ..], variable)) => {
                secrets.push((variable.clone(), OsString::from_vec(value.to_vec())));
            }
            Some(([], variable)) => match rest.next() {
                Some(value) => secrets.push((variable.clone(), value)),
                // The command line's parser says what is missing.
                None => kept.push(argument),
            },
            _ => kept.push(argument),
        }
    }
    kept.extend(rest);
    (kept, secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_leave_the_command_line_and_nothing_else_does() {
        let taken = |line: &str| {
            let (kept, secrets) = taken_out(line.split(' ').map(OsString::from).collect());
            let text = |word: &OsString| word.to_string_lossy().into_owned();
            let kept: Vec<String> = kept.iter().map(text).collect();
            let secrets: Vec<String> =
                secrets.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
            (kept.join(" "), secrets.join(" "))
        };
        let same = |line: &str| (line.to_owned(), String::new());
        let password = ("load --user a x.sql".to_owned(), "MYSQL_PWD=b".to_owned());
        assert_eq!(taken("load --user a --password b x.sql"), password);
        assert_eq!(taken("load --user a --password=b x.sql"), password);
        assert_eq!(taken("dump --passwords=b"), same("dump --passwords=b"));
        assert_eq!(taken("load -- --password=b"), same("load -- --password=b"));
        assert_eq!(taken("load --password"), same("load --password"));
        let serve = "serve --handlersocket-secret=x --handlersocket-write-secret y --threads=2";
        let variables = "ROWHOUSE_HANDLERSOCKET_SECRET=x ROWHOUSE_HANDLERSOCKET_WRITE_SECRET=y";
        assert_eq!(taken(serve), ("serve --threads=2".to_owned(), variables.to_owned()));
        assert_eq!(taken("serve --password=b"), same("serve --password=b"));
    }
}
